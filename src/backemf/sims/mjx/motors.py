"""Our motors inside MJX: what its actuators lack, on the joints of robots that JAX steps by the thousand.

    motors = Motors(mj_model, {".*_knee": be.Actuator(motor, supply, controller=be.IdealPd(...))})
    model, data = mjx.put_model(mj_model), mjx.make_data(mj_model)
    state = motors.init(data)
    data, state = motors.step(model, data, targets, state)      # in place of data = mjx.step(model, data)

Each step is MJX's own, cut in two: MJX finds what the joints are up against, the motors find their torque together with
the speed that it leads to, and MJX's integrator gets that torque and how fast it falls with speed. Everything is a pure
function of JAX arrays: `jit`, `vmap`, `scan` and `grad` pass through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from ...actuator import Actuator
from ...actuator.needs import require_load
from ...checks import Maybe, Number
from ...errors import ParameterError, SimulationError
from ...motor import Motor
from ...physics.state import OUTPUTS, TORQUE, Output, State
from ...robot.actuator_set import ActuatorSet
from ...values import Array
from ..mujoco_gains import warn_of_gains
from ..mujoco_joint_law import can_hold
from ..mujoco_joints import add_hands, find_joints, robot_on
from ..mujoco_takeover import TakenOver, clear_model
from ..mujoco_types import MjModel, MjSpec
from ..robot_commands import RobotCommand
from ..robot_environments import environments, require_shared_inertia
from ..robot_step import FOUND, JOINT, MAIN, Fused, RobotState
from .commands import JaxCommands
from .engine import Engine, mjx_module
from .load import load_on
from .memory import Memory
from .state import Groups, MotorsState
from .types import MjxData, MjxModel

if TYPE_CHECKING:
    from ...values import Foreign


class Motors:
    """Motors on joints of a robot in MJX, stepped with it.

    The MuJoCo model is changed, so make the motors before `mjx.put_model`: each joint gets the rotor's inertia as
    armature, and the actuator on it, if there is one, is driven by the motor (its gain, bias and force range are
    replaced; `data.ctrl` no longer acts by itself). `release` undoes that. A `<dcmotor>`, which MJX does not have,
    becomes one that it takes. Friction and damping of the model's joints stay, as those of their bearings.

    Args:
        model: The `mujoco.MjModel` that is put on the device.
        actuators: Patterns (regular expressions that match a whole joint name) to actuators or motors, or an
            `ActuatorSet`, whose numbers may differ by environment (`ActuatorSet.randomize`). Joints that no pattern
            matches have no motor.
        armature: Whether the rotors' inertia is added to the joints; False: the model's armature already holds it.
        telemetry: Outputs to keep in the state, by the names of `backemf.Output`; None: all that there are.
        seed: Random seed of delays.
    """

    def __init__(
        self,
        model: MjModel,
        actuators: ActuatorSet | Mapping[str, Actuator | Motor],
        *,
        armature: bool = True,
        telemetry: tuple[str, ...] | None = None,
        seed: int = 0,
    ):
        mjx_module()
        self.robot = robot_on(model, actuators)
        for actuator in self.robot.actuators:
            require_load(actuator, 0.0, 1.0)
        require_shared_inertia(self.robot)
        self._dt = float(model.opt.timestep)
        clear_model(model)
        self._joints = find_joints(model, self.robot, armature)
        self._engine = Engine(model, self._joints)
        self._taken = TakenOver(model, self._joints, armature)
        self._environments = environments(self.robot)
        if self._environments is None:
            warn_of_gains(model, self.robot, self._joints)
        self._memory = Memory(self.robot, self._dt, seed)
        self._commands = JaxCommands(self.robot)
        self._holds = len(self.robot) > 1 and any(can_hold(each.motor) for each in self.robot.actuators)
        self._steps: dict[tuple[str, ...], Fused] = {}
        self.telemetry: tuple[str, ...] = self._known_outputs(telemetry)
        """Outputs that a state keeps, in the order of its rows."""

    @staticmethod
    def prepare(spec: MjSpec, actuators: ActuatorSet | Mapping[str, Actuator | Motor]) -> list[str]:
        """Add a `<motor>` to an `MjSpec` for each joint that is to have a motor and has no actuator.

        Motors work without; with it, MuJoCo's actuator sensors see the torque. Returns the names of those joints.
        """
        return add_hands(spec, actuators)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints with motors, in the order of every array."""
        return self.robot.joints

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """One actuator for each group of like ones, with their numbers as arrays: a tree for `grad` and `vmap`.

        A step takes such a tree in their place, with other numbers.
        """
        return self._fused((MAIN,)).actuators

    @property
    def axes(self) -> tuple[Actuator, ...]:
        """Axes of `actuators` for `jax.vmap`: 0 for numbers that differ by environment, None for others."""
        return jax.tree.map(lambda x: 0 if np.ndim(x) > 1 else None, self.actuators)

    def release(self) -> None:
        """Give the MuJoCo model back its own actuators and armature; these motors are done."""
        self._taken.release()

    # --- states

    def init(self, data: MjxData, **values: Number) -> MotorsState:
        """Motors at rest and ambient temperature, turning with the joints of `data`.

        Args:
            data: The `mjx.Data` of one environment, or of many along the first axis of its arrays. Random delays
                differ by environment where all of them are given at once.
            values: States that start elsewhere by name, e.g. winding_rise=60.0, or with one number per joint.
        """
        self._require_data(data)
        velocity = data.qvel[..., self._joints.dofs]
        self._require_finite(data.qpos[..., self._joints.positions], velocity)
        groups = self._memory.initial(velocity, values)
        nothing = jnp.zeros_like(velocity)
        unknown = jnp.full((*velocity.shape[:-1], len(self.telemetry), len(self.robot)), jnp.nan, velocity.dtype)
        return MotorsState(groups=groups, torque=nothing, slip=nothing, telemetry=unknown)

    def reset(self, state: MotorsState, data: MjxData, mask: Maybe = None, **values: Number) -> MotorsState:
        """The state with motors back at rest and ambient temperature where `mask` is true; None: everywhere.

        Args:
            state: The state of one environment, or of many.
            data: Their `mjx.Data`, after its own reset: rotors turn with its joints.
            mask: A truth, or one for each environment.
            values: States that start elsewhere, as in `init`.
        """
        batch = state.torque.shape[:-1]
        chosen = jnp.broadcast_to(jnp.asarray(True if mask is None else mask, bool), batch)
        groups = self._memory.reset(state.groups, data.qvel[..., self._joints.dofs], chosen, values)
        rows = chosen[..., None]
        return MotorsState(
            groups=groups,
            torque=jnp.where(rows, 0.0, state.torque),
            slip=jnp.where(rows, 0.0, state.slip),
            telemetry=jnp.where(rows[..., None], jnp.nan, state.telemetry),
        )

    # --- a step

    def step(
        self,
        model: MjxModel,
        data: MjxData,
        command: RobotCommand,
        state: MotorsState,
        actuators: tuple[Actuator, ...] | None = None,
    ) -> tuple[MjxData, MotorsState]:
        """One step of the motors and the model of one environment; `jax.vmap` steps many.

        Args:
            model: What `mjx.put_model` made of the model of the motors.
            data: The `mjx.Data` of the environment.
            command: The controllers' main inputs, without a controller volts: a number, an array with one per joint in
                the order of `joints`, or a dict by joint name; or a `Command` of arrays.
            state: The motors, as `init` or the step before gave them.
            actuators: As the property of that name, with other numbers; None: those that the motors were made with.
        """
        self._require_model(model)
        self._require_data(data)
        self._require_one(data, state, actuators)
        names, rows = self._commands.rows(command)
        fused, how, dt, dofs = self._fused(names), self._engine.integration(model), self._dt, self._joints.dofs
        position, velocity = data.qpos[self._joints.positions], data.qvel[dofs]
        begun = self._engine.begin(model, data)
        # what the joints are up against, if the motors went on with the torque they gave last
        looked, _ = self._engine.accelerate(model, begun, state.torque)
        load = load_on(
            self._engine.mobility(model, begun), looked.qacc[dofs], state.torque, jnp.asarray(self._joints.armature)
        )
        damping = model.dof_damping[dofs] if how.damped else jnp.zeros_like(velocity)
        inputs = jnp.stack([*rows, position, velocity, load.torque, load.inertia, damping, state.slip])
        groups, found = cast(
            tuple[Groups, jax.Array],
            fused.step(cast(RobotState, state.groups), cast(Array, inputs.astype(velocity.dtype)), actuators),
        )
        ends, slope, grip, mean = found[: len(FOUND) + 1]
        speed = ends
        if self._holds:
            # joints that friction holds, it holds against each other
            mean, speed = load.solve(mean, slope + grip, ends, state.torque, velocity, dt)
        # the solver goes on from what it has just found
        begun = begun.replace(qacc_warmstart=looked.qacc)
        given, cut = self._engine.accelerate(model, begun, mean + slope * (speed - velocity))
        # a torque that the model cuts off no longer falls with speed
        felt = jnp.where(cut != 0.0, 0.0, slope)
        after = self._engine.integrate(model, given, felt, how)
        reached = after.qvel[dofs]
        torque = mean + slope * (speed - velocity) - cut - felt * (reached - velocity)
        told = self._telemetry(fused, found[len(FOUND) :], torque, cut)
        # an environment that is not finite leaves nothing behind once its data is reset
        torque, slip = (jnp.where(jnp.isfinite(x), x, 0.0) for x in (torque, dt * (reached - ends)))
        return after, MotorsState(groups=groups, torque=torque, slip=slip, telemetry=told)

    def _fused(self, names: tuple[str, ...]) -> Fused:
        if names not in self._steps:
            self._steps[names] = Fused(self.robot.groups, "jax", self._dt, names)
        return self._steps[names]

    def _telemetry(self, fused: Fused, rows: jax.Array, torque: jax.Array, cut: jax.Array) -> jax.Array:
        """The outputs that are kept, with the torque that MJX got and the limits of the model."""
        known = dict(zip(fused.outputs, rows, strict=True)) | {"torque": torque}
        if "limit" in known:
            bits = known["limit"].astype(jnp.int32)
            known["limit"] = jnp.where(cut != 0.0, bits | TORQUE, bits).astype(torque.dtype)
        nothing = jnp.full_like(torque, jnp.nan)
        kept = [known.get(name, nothing) for name in self.telemetry]
        return jnp.stack(kept) if kept else jnp.zeros((0, len(torque)), torque.dtype)

    # --- what comes out

    def output(self, state: MotorsState) -> Output:
        """What the motors did in the step that led to a state, joints along the last axis; NaN before the first one.

        `torque` is what MJX got: the mean torque on the joint over the step, at the speed that came out of it, after
        every limit of the motor and of the model. Outputs that `telemetry` does not name are None.
        """
        values: dict[str, Foreign] = dict.fromkeys(("torque_requested", "torque_slope", "torque_stiffness"))
        values |= {name: state.telemetry[..., row, :] for row, name in enumerate(self.telemetry)}
        values["torque"] = state.torque
        if "limit" in self.telemetry:
            values["limit"] = jnp.nan_to_num(values["limit"]).astype(jnp.int32)
        return Output(**values)

    def states(self, state: MotorsState) -> tuple[State, ...]:
        """What the motors remember, one `State` of arrays for each group of like actuators (`robot.groups`)."""
        return tuple(State(**part) for part in state.groups)

    def check(self, data: MjxData, state: MotorsState) -> None:
        """Raise a `SimulationError` with environment and joint where a position, speed or torque is not finite.

        A step cannot say so by itself, since it is compiled: look now and then, outside of it.
        """
        row = [data.qpos[..., self._joints.positions], data.qvel[..., self._joints.dofs], state.torque]
        bad = ~np.isfinite(sum(np.asarray(x, dtype=float) for x in row))
        if bad.any():
            where, joint = np.unravel_index(int(np.argmax(bad)), (bad.size // bad.shape[-1], bad.shape[-1]))
            place = f"environment {where}, " if bad.ndim > 1 else ""
            raise SimulationError(
                f"{place}joint {self.joints[joint]!r}: the position, speed or torque is not finite: look at the "
                "command and at the model's masses, or lower its timestep; reset the data, and the motors with it"
            )

    def _known_outputs(self, wanted: tuple[str, ...] | None) -> tuple[str, ...]:
        """The outputs that these motors have; raises ParameterError where one is named that they do not have."""
        fused, count = self._fused((MAIN,)), len(self.robot)
        shape = jax.ShapeDtypeStruct((1 + len(JOINT), count), jnp.result_type(float))
        one = self._memory.one_environment(self.actuators)
        jax.eval_shape(fused.step, self._memory.single(), shape, one)
        if wanted is None:
            return fused.outputs
        for name in wanted:
            if name not in OUTPUTS or name not in fused.outputs:
                raise ParameterError(f"telemetry names {name!r}: these motors have {', '.join(fused.outputs)}")
        return tuple(wanted)

    # --- checks

    def _require_model(self, model: MjxModel) -> None:
        mjx = self._engine.mjx
        if not isinstance(model, mjx.Model):
            raise ParameterError(
                f"Motors.step({type(model).__name__}): the model is not on the device; give mjx.put_model(mj_model), "
                "made after the motors"
            )
        if model.impl != mjx.Impl.JAX:
            word = getattr(model.impl, "value", model.impl)
            raise ParameterError(
                f"Motors.step: the model is of impl={word!r}: give mjx.put_model(mj_model, impl='jax'), or take "
                "backemf.sims.mujoco_warp for MuJoCo Warp"
            )
        if model.nv <= int(self._joints.dofs.max()) or not self._has_motors(model):
            raise ParameterError(
                "Motors.step: this model was put on the device before it had its motors, or is another one: make the "
                "Motors first, then mjx.put_model(mj_model)"
            )
        step = model.opt.timestep
        if not isinstance(step, Tracer) and abs(float(step) - self._dt) > 1e-6 * self._dt:
            raise ParameterError(
                f"model.opt.timestep = {float(step):g} s: the motors were made for {self._dt:g} s; make new ones"
            )

    def _has_motors(self, model: MjxModel) -> bool:
        """Whether actuators and armature are those that the motors left, as far as they are known."""
        hands = self._joints.actuators[self._joints.actuators >= 0]
        if len(hands) and int(hands.max()) >= model.nu:
            return False
        known = [x for x in (model.actuator_gainprm, model.dof_armature) if not isinstance(x, Tracer)]
        if len(known) < 2:
            return True
        gains, armature = (np.asarray(x) for x in known)
        least = self._joints.armature * (1.0 - 1e-5)
        return not gains[..., hands, :].any() and bool((armature[..., self._joints.dofs] >= least).all())

    def _require_data(self, data: MjxData) -> None:
        if not isinstance(data, self._engine.mjx.Data):
            raise ParameterError(
                f"Motors: {type(data).__name__} is not on the device; give mjx.make_data(mj_model) or "
                "mjx.put_data(mj_model, data)"
            )

    def _require_one(
        self, data: MjxData, state: MotorsState, actuators: tuple[Actuator, ...] | None
    ) -> None:  # fmt: skip
        if data.qpos.ndim != 1:
            raise ParameterError(
                f"Motors.step: data of {data.qpos.shape[0]} environments; step them by "
                "jax.vmap(motors.step, in_axes=(None, 0, 0, 0))(model, data, command, state)"
            )
        if not isinstance(state, MotorsState) or state.torque.shape != (len(self.robot),):
            raise ParameterError("Motors.step: the state must be that of motors.init(data) or of the step before")
        if actuators is None and self._environments is not None:
            raise ParameterError(
                f"the actuators have numbers for {self._environments} environments: step by jax.vmap(motors.step, "
                "in_axes=(None, 0, 0, 0, motors.axes))(model, data, command, state, motors.actuators)"
            )

    def _require_finite(self, position: jax.Array, velocity: jax.Array) -> None:
        if any(isinstance(x, Tracer) for x in (position, velocity)):
            return
        bad = ~np.isfinite(np.asarray(position) + np.asarray(velocity))
        if bad.any():
            joint = self.joints[int(np.argmax(bad.reshape(-1, bad.shape[-1]).any(axis=0)))]
            raise ParameterError(f"Motors.init: joint {joint!r} of the data has a position or speed that is not finite")
