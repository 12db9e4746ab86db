"""Our motors inside MuJoCo Warp: what its actuators lack, on the joints of thousands of robots.

    motors = Motors(mj_model, {".*_knee": be.Actuator(motor, supply, controller=be.IdealPd(...))})
    model, data = mjw.put_model(mj_model), mjw.make_data(mj_model, nworld=4096)
    state = motors.init(data)
    motors.step(model, data, targets, state)                    # in place of mjw.step(model, data)

Each step is MuJoCo Warp's own, cut in two: it finds what the joints are up against, the motors find their torque
together with the speed that it leads to, and its integrator gets that torque and how fast it falls with speed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ...actuator import Actuator, Command
from ...actuator.memory import initial_state, states_of, with_sensor
from ...actuator.needs import require_load
from ...checks import Number
from ...engines import bind, load
from ...engines.warp_engine import Stepper
from ...errors import ParameterError, SimulationError
from ...motor import Motor
from ...parts import without_neutral
from ...physics.state import COUPLED, OUTPUTS, PER_MOTOR, Output, State
from ...robot.actuator_set import ActuatorSet
from ...robot.compiled import share_of
from .. import mujoco_joint_law as joint_law
from ..mujoco_gains import warn_of_gains
from ..mujoco_joints import add_hands, find_joints, robot_on
from ..mujoco_takeover import TakenOver, clear_model
from ..mujoco_types import MjModel, MjSpec
from ..robot_commands import RobotCommand
from ..robot_environments import environments, require_shared_inertia
from ..robot_step import MAIN, per_joint
from ..types import Fields
from . import kernels
from .commands import WarpCommands
from .engine import Engine, column, mjw, require_version
from .state import MotorsState
from .types import WarpData, WarpModel

LINES = ("mean", "joint_travel", "load_torque", "joint_velocity")
"""What of a group's output the solve takes: torque, its slope, that of a friction that holds, and the speed."""


class Motors:
    """Motors on joints of many robots in MuJoCo Warp, stepped with them.

    The MuJoCo model is changed, so make the motors before `mujoco_warp.put_model`: each joint gets the rotor's inertia
    as armature, and the actuator on it, if there is one, is driven by the motor (its gain, bias and force range are
    replaced; `data.ctrl` no longer acts by itself). `release` undoes that. Friction and damping of the model's joints
    stay, as those of their bearings.

    Args:
        model: The `mujoco.MjModel` that is put on the device.
        actuators: Patterns (regular expressions that match a whole joint name) to actuators or motors, or an
            `ActuatorSet`, whose numbers may differ by world (`ActuatorSet.randomize`). Joints that no pattern matches
            have no motor.
        armature: Whether the rotors' inertia is added to the joints; False: the model's armature already holds it.
        seed: Random seed of delays.
    """

    def __init__(
        self,
        model: MjModel,
        actuators: ActuatorSet | Mapping[str, Actuator | Motor],
        *,
        armature: bool = True,
        seed: int = 0,
    ):
        require_version()
        self.robot = robot_on(model, actuators)
        for actuator in self.robot.actuators:
            require_load(actuator, 0.0, 1.0)
        require_shared_inertia(self.robot)
        self._law = bind(joint_law, "warp", load("warp").ops).step_as_output
        for group in self.robot.groups:
            # networks and shared supplies are refused by a sentence of the engine's
            load("warp").compile_step(self._law, without_neutral(group.actuator), {})
        self._model, self._seed, self._dt = model, seed, float(model.opt.timestep)
        clear_model(model)
        self._joints = find_joints(model, self.robot, armature)
        self._taken = TakenOver(model, self._joints, armature)
        if environments(self.robot) is None:
            warn_of_gains(model, self.robot, self._joints)
        self._order = np.array([c for group in self.robot.groups for c in group.columns])
        sizes = [len(group.columns) for group in self.robot.groups]
        self._begins = [int(x) for x in np.cumsum([0, *sizes])]
        several = len(self.robot) > 1
        self._holds = several and any(joint_law.can_hold(each.motor) for each in self.robot.actuators)
        self._engine: Engine | None = None
        self._known: list[WarpModel] = []

    @staticmethod
    def prepare(spec: MjSpec, actuators: ActuatorSet | Mapping[str, Actuator | Motor]) -> list[str]:
        """Add a `<motor>` to an `MjSpec` for each joint that is to have a motor and has no actuator.

        Motors work without; with it, MuJoCo's actuator sensors see the torque. Returns the names of those joints.
        """
        return add_hands(spec, actuators)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints with motors, in the order of every array that comes out."""
        return self.robot.joints

    def release(self) -> None:
        """Give the MuJoCo model back its own actuators and armature; these motors are done."""
        self._taken.release()

    # --- states

    def init(self, data: WarpData, **values: Number) -> MotorsState:
        """Motors at rest and ambient temperature in every world, turning with the joints of `data`.

        Motors step one batch of worlds at a time: what an earlier call gave is done. States given by name start
        elsewhere, e.g. winding_rise=60.0, or with one number per joint.
        """
        self._require_data(data)
        device = data.qpos.device
        engine = self._engine = Engine(self._model, self._joints, self._order, data.nworld, device)
        place = {"dtype": "float32", "device": device}
        given = self._given("init", values)
        groups = []
        for number, group in enumerate(self.robot.groups):
            present, shape = states_of(group.actuator), (data.nworld, len(group.columns))
            here = {n: x[list(group.columns)] for n, x in given.items() if n in present}
            seed = self._seed + number
            groups.append(initial_state(load("warp"), group.actuator, shape, seed, self._dt, here, place))
        options = {"dtype": "float32", "device": device, "in_place": True}
        self._steppers = [
            load("warp").compile_step(self._law, without_neutral(group.actuator), options)
            for group in self.robot.groups
        ]
        self._commands = WarpCommands(self.robot, column(self._order, int, device), engine)
        names = ("position", "velocity", "load_torque", "load_inertia", "load_damping")
        self._found = {name: engine.joints() for name in names}
        self._lines = {name: engine.joints() for name in LINES}
        self._speed = self._lines["joint_velocity"]
        if self._holds:
            self._speed, self._beyond = engine.joints(), engine.joints()
            self._matrix = wp.zeros_like(engine.mobility)
        self._given_torque = engine.joints()
        self._outputs: list[dict[str, wp.array | float]] = [{} for _ in groups]
        self._everywhere = wp.full(data.nworld, True, dtype=wp.bool, device=device)
        state = MotorsState(groups=tuple(groups), torque=engine.joints(), slip=engine.joints())
        if "rotor_speed" not in given:
            self._turn_along(state, data, self._everywhere)
        return state

    def reset(self, state: MotorsState, data: WarpData, mask: wp.array | None = None, **values: Number) -> None:
        """Put motors back at rest and ambient temperature in the worlds where `mask` is true; None: in all.

        Args:
            state: The motors, which are written.
            data: Their worlds, after their own reset: rotors turn with the joints.
            mask: Which worlds, an array of `wp.bool` on the device.
            values: States that start elsewhere, as in `init`.
        """
        engine = self._ready(data)
        chosen = self._everywhere if mask is None else mask
        if not isinstance(chosen, wp.array) or chosen.dtype is not wp.bool or chosen.shape != (engine.worlds,):
            raise ParameterError(
                f"mask: must be a wp.array of wp.bool with one truth for each of {engine.worlds} worlds"
            )
        given = self._given("reset", values)
        for group, stepper, part in zip(self.robot.groups, self._steppers, state.groups, strict=True):
            present = states_of(group.actuator)
            if not present:
                continue
            here = with_sensor(present, {n: x[list(group.columns)] for n, x in given.items() if n in present})
            stepper.reset(part, chosen.reshape((engine.worlds, 1)), here)
        engine.launch(kernels.forget, state.torque.shape, chosen, state.torque, state.slip)
        if "rotor_speed" not in given:
            self._turn_along(state, data, chosen)

    def _turn_along(self, state: MotorsState, data: WarpData, mask: wp.array) -> None:
        """Rotors that backlash lets go turn with their joints."""
        engine = self._ready(data)
        for group, begin, part in zip(self.robot.groups, self._begins, state.groups, strict=False):
            if part.rotor_speed is None or group.actuator.motor is None:
                continue
            ratio = np.broadcast_to(np.asarray(group.actuator.motor.ratio, dtype=float), (len(group.columns),))
            shape = (engine.worlds, len(group.columns))
            own = column(ratio, float, engine.device)
            engine.launch(kernels.turn_along, shape, mask, own, engine.dofs, begin, data.qvel, part.rotor_speed)

    # --- a step

    def step(self, model: WarpModel, data: WarpData, command: RobotCommand, state: MotorsState) -> None:
        """One step of motors and worlds, in place.

        Nothing is read back, so that a CUDA graph can hold it; take one step before a graph is captured, which
        compiles the kernels and checks the model.

        Args:
            model: What `mujoco_warp.put_model` made of the model of the motors.
            data: The `mujoco_warp.Data` that the state was made for.
            command: The controllers' main inputs, without a controller volts: a number, an array of NumPy or Warp with
                one per joint in the order of `joints`, or one per world and joint, or a dict by joint name; or a
                `Command` of those. A graph reads an array of Warp anew in each replay.
            state: The motors, as `init` made them, which are written.
        """
        engine = self._ready(data)
        self._require_model(model)
        names, rows = self._commands.rows(command)
        found, lines = self._found, self._lines
        engine.begin(model, data)
        # what the joints are up against, if the motors went on with the torque they gave last
        engine.accelerate(model, data, state.torque, first=True)
        engine.find_load(model, data, state.torque, found)
        for number in range(len(self.robot.groups)):
            self._step_group(number, names, rows, state)
        dt, mean, slope = self._dt, lines["mean"], lines["joint_travel"]
        if self._holds:
            # joints that friction holds, it holds against each other
            engine.launch(
                kernels.solve_together, engine.worlds, dt, engine.dofs, data.qacc, engine.mobility, found["velocity"],
                state.torque, slope, lines["load_torque"], lines["joint_velocity"], mean, self._matrix, self._beyond,
                self._speed,
            )  # fmt: skip
        given = self._given_torque
        engine.launch(kernels.give, mean.shape, mean, slope, self._speed, found["velocity"], given)
        # the solver goes on from what it has just found
        wp.copy(data.qacc_warmstart, data.qacc)
        engine.accelerate(model, data, given, first=False)
        engine.integrate(model, data, slope)
        engine.launch(
            kernels.finish, mean.shape, dt, engine.dofs, data.qvel, mean, slope, self._speed, lines["joint_velocity"],
            found["velocity"], engine.cut, state.torque, state.slip,
        )  # fmt: skip

    def _step_group(self, number: int, names: tuple[str, ...], rows: list[wp.array], state: MotorsState) -> None:
        """Step the motors of one group, and put what they found among that of all joints."""
        group, begin, end = self.robot.groups[number], self._begins[number], self._begins[number + 1]
        engine, found = self._engine, self._found
        assert engine is not None

        def own(x: wp.array) -> wp.array:
            return x if end - begin == engine.count else x[:, begin:end]

        told = dict(zip(names, [own(row) for row in rows], strict=True))
        command = told[MAIN] if MAIN in told else share_of(group.actuator, Command(**told))
        stepper: Stepper = self._steppers[number]
        _, out = stepper(
            state.groups[number], command, own(found["position"]), own(found["velocity"]), self._dt,
            own(found["load_torque"]), own(found["load_inertia"]), None, own(found["load_damping"]), own(state.slip),
        )  # fmt: skip
        self._outputs[number] = {n: x for n, x in vars(out).items() if x is not None and n not in COUPLED}
        for name, row in self._lines.items():
            value = getattr(out, "torque" if name == "mean" else name)
            self._collect(begin, end, value, row)

    def _collect(self, begin: int, end: int, value: wp.array | float, row: wp.array) -> None:
        engine = self._engine
        assert engine is not None
        if not isinstance(value, wp.array):
            (row if end - begin == engine.count else row[:, begin:end]).fill_(float(value))
            return
        engine.launch(kernels.collect, (engine.worlds, end - begin), begin, value, row)

    # --- what comes out

    def output(self, state: MotorsState) -> Output:
        """What the motors did in the last step: arrays of the shape (worlds, joints), NaN where a joint has none.

        `torque` is what MuJoCo Warp got: the mean torque on the joint over the step, at the speed that came out of it,
        after every limit of the motor and of the model.
        """
        if not self._outputs or not any(self._outputs):
            raise ParameterError("Motors.output: no step has been taken yet")
        values: Fields = {}
        for name in OUTPUTS:
            parts = [each.get(name) for each in self._outputs]
            if name not in COUPLED and any(part is not None for part in parts):
                values[name] = self._joined(name, parts)
        values["torque"] = self._joined("torque", [state.torque[:, a:b] for a, b in self._spans])
        return Output(**values)

    @property
    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self._begins, self._begins[1:], strict=False))

    def _joined(self, name: str, parts: list[wp.array | float | None]) -> wp.array:
        """What the groups tell, in the order of the joints."""
        engine = self._engine
        assert engine is not None
        kind = wp.int32 if name == "limit" else float
        made = wp.zeros((engine.worlds, engine.count), dtype=kind, device=engine.device)
        order = self._commands.order
        for (begin, end), part in zip(self._spans, parts, strict=True):
            if not isinstance(part, wp.array):
                nothing = 0 if name == "limit" else float("nan")
                shape = (engine.worlds, end - begin)
                part = wp.full(shape, nothing if part is None else part, dtype=kind, device=engine.device)
            kernel = kernels.restore_bits if name == "limit" else kernels.restore
            engine.launch(kernel, (engine.worlds, end - begin), begin, order, part, made)
        return made

    def states(self, state: MotorsState) -> tuple[State, ...]:
        """What the motors remember, one `State` of arrays for each group of like actuators (`robot.groups`)."""
        return state.groups

    def check(self, data: WarpData, state: MotorsState) -> None:
        """Raise a `SimulationError` with world and joint where a position, speed or torque is not finite.

        It reads from the device, so a step does not look by itself: look now and then.
        """
        order = np.argsort(self._order)
        row = data.qpos.numpy()[:, self._joints.positions] + data.qvel.numpy()[:, self._joints.dofs]
        bad = ~np.isfinite(row + state.torque.numpy()[:, order])
        if bad.any():
            world, joint = np.unravel_index(int(np.argmax(bad)), bad.shape)
            raise SimulationError(
                f"world {world}, joint {self.joints[int(joint)]!r}: the position, speed or torque is not finite: look "
                "at the command and at the model's masses, or lower its timestep; reset the data, and the motors "
                "with it"
            )

    # --- checks

    def _ready(self, data: WarpData) -> Engine:
        self._require_data(data)
        if self._engine is None or self._engine.worlds != data.nworld:
            raise ParameterError(
                f"Motors: this data of {data.nworld} worlds has no motors yet: state = motors.init(data)"
            )
        return self._engine

    def _require_data(self, data: WarpData) -> None:
        if not isinstance(data, mjw.Data):
            raise ParameterError(
                f"Motors: {type(data).__name__} is not on the device; give mujoco_warp.make_data(mj_model, nworld=...) "
                "or put_data"
            )

    def _require_model(self, model: WarpModel) -> None:
        if any(model is each for each in self._known):
            return
        if not isinstance(model, mjw.Model):
            raise ParameterError(
                f"Motors.step({type(model).__name__}): the model is not on the device; give "
                "mujoco_warp.put_model(mj_model), made after the motors"
            )
        assert self._engine is not None
        self._engine.require_integrator(model)
        if model.nv != self._model.nv or model.nactuator != len(self._model.actuator_trntype):
            raise self._other_model()
        hands = self._joints.actuators[self._joints.actuators >= 0]
        armature = model.dof_armature.numpy()[..., self._joints.dofs]
        if model.actuator_gainprm.numpy()[:, hands].any() or (armature < self._joints.armature * (1.0 - 1e-5)).any():
            raise self._other_model()
        steps = model.opt.timestep.numpy()
        if (np.abs(steps - self._dt) > 1e-6 * self._dt).any():
            raise ParameterError(
                f"model.opt.timestep = {float(steps.ravel()[0]):g} s: the motors were made for {self._dt:g} s; make "
                "new ones"
            )
        self._known.append(model)

    def _other_model(self) -> ParameterError:
        return ParameterError(
            "Motors.step: this model was put on the device before it had its motors, or is another one: make the "
            "Motors first, then mujoco_warp.put_model(mj_model)"
        )

    def _given(self, verb: str, values: Mapping[str, Number]) -> dict[str, np.ndarray]:
        known = [n for group in self.robot.groups for n in states_of(group.actuator) if n in PER_MOTOR]
        for name in values:
            if name not in known:
                have = ", ".join(dict.fromkeys(known)) or "none"
                raise ParameterError(f"{verb}({name}=...): no motor has such a state; they have {have}")
        return {n: per_joint(f"{verb}({n}=...)", x, len(self.robot)) for n, x in values.items()}
