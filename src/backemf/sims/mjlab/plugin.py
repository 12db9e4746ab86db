"""A backemf actuator inside mjlab: a config that takes the place of mjlab's own actuator configs.

    MotorActuatorCfg(target_names_expr=(".*_knee",), actuator=be.Actuator(motor, supply, controller=be.IdealPd(...)))

It is an `IdealPdActuatorCfg`, so that `dr.pd_gains` and `dr.effort_limits` accept it and act on the actuator's
controller and limits. The motor steps in `update`, after physics: mjlab also computes controls at a reset, which is no
step.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np

from ...actuator import Actuator, Command
from ...actuator.compiled import outputs
from ...checks import Number
from ...errors import MissingExtraError, ParameterError
from ...physics.state import Output
from ...random.no_effect import require_effect
from ..mujoco_types import MjModel, MjSpec
from .build import (
    LoadOnJoints,
    add_motor,
    asks_for_load,
    check_joint_values,
    check_settings,
    columns_of,
    load_on,
    torque_room,
    warn_of_joints,
)
from .existing import move_sensors, reaching, require_choice, require_own_joints, settle_existing
from .kernel_choice import require_engine, takes_kernels
from .late_checks import LateChecks
from .per_target import DelayedStep, require_delays
from .settings import (
    GAINS,
    effort_limit_of,
    flat_tops,
    gains_of,
    only,
    require_fit,
    with_effort_limit,
    with_flat_ranges,
    with_gains,
)
from .simulations import note_simulations
from .slopes import LINE, SLOPES, Slopes, require_implicit, takes_slopes, warn_of_explicit_step
from .types import Entity, EnvIds, SimData, SimModel, Tensors

try:
    import torch
    from mjlab.actuator import IdealPdActuator, IdealPdActuatorCfg

    # Warp comes with mjlab
    from .joined import JoinedMotors, join_motors
    from .kernels import KernelMotors, Places, Setting
except ModuleNotFoundError as error:
    raise MissingExtraError(str(error.name), "mjlab", "A motor inside mjlab") from None


LIMIT = "set_effort_limit, dr.effort_limits"
"""How errors name a change of effort limits."""


@dataclass(kw_only=True)
class MotorActuatorCfg(IdealPdActuatorCfg):
    """A backemf actuator on each of the joints that match.

    The joint's armature is the motor's reflected inertia. If the motor has its own friction or drag, that of the XML is
    left out so that it does not count twice; `frictionloss` and `viscous_damping` given here are friction of the
    joint's bearings, in addition to the motor's.
    """

    actuator: Any  # mjlab's command line looks at the types of these fields
    """The `backemf.Actuator`: motor, supply, controller, delay and limits. Its numbers may be arrays that fit
    (environments, joints)."""
    stiffness: Any = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """Proportional gain in the controller's unit; None: the controller's own."""
    damping: Any = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """Derivative gain in the controller's unit; None: the controller's own."""
    effort_limit: Any = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """Largest torque at the joint [N·m]; None: that of the actuator's limits, inf where there is none."""
    seed: int = 0
    """Random seed of the actuator's delay."""
    engine: str | None = None
    """What steps the motors: "torch", "warp" (kernels beside MuJoCo Warp's), or None for Warp on a GPU where its
    kernels know all parts of the actuator, else PyTorch."""
    eager: bool = False
    """Whether to step in PyTorch without `torch.compile`: starts at once, and runs slower."""
    telemetry: tuple[str, ...] | None = None
    """Outputs that can be read, by name; None: all. What is left out costs nothing."""
    existing: str = "refuse"
    """If the XML already has an actuator on a joint: "refuse" raises an error that names it, "replace" removes it,
    "keep" leaves it and warns, so that both act."""
    delays: Any = ()
    """Delays of single targets, e.g. (be.Delay(steps=3, targets=("position",)), be.Delay(steps=1,
    targets=("effort",))); targets that none of them names have the actuator's own delay."""
    implicit: bool | None = None
    """Whether the integrator gets the slope of the torque over speed, which keeps long steps stable; None: if the
    actuator has a motor. Without a motor the torque is that of mjlab's own explicit laws."""

    def __post_init__(self) -> None:
        if not isinstance(self.actuator, Actuator):
            raise ParameterError(
                f"MotorActuatorCfg.actuator = {type(self.actuator).__name__}: must be a backemf.Actuator"
            )
        check_joint_values(self)
        super().__post_init__()
        check_settings(self)
        require_choice(self.existing)
        require_implicit(self.implicit)
        require_engine(self.engine)
        self.delays = require_delays(self.actuator, self.delays)
        self.actuator = with_flat_ranges(self.actuator)
        self.actuator = with_gains(self.actuator, self.stiffness, self.damping)
        self.actuator = with_effort_limit(self.actuator, self.effort_limit)
        self.stiffness, self.damping = gains_of(self.actuator)
        self.effort_limit = effort_limit_of(self.actuator)
        names = outputs(self.telemetry)
        self.telemetry = None if names is None else tuple(dict.fromkeys(("torque", *names)))

    @property
    def hands_slope(self) -> bool:
        """Whether the integrator gets the slope of the torque over speed."""
        return self.actuator.motor is not None if self.implicit is None else self.implicit

    def build(self, entity: Entity, target_ids: list[int], target_names: list[str]) -> MotorActuator:
        return MotorActuator(self, entity, target_ids, target_names)


class MotorActuator(IdealPdActuator):
    """Steps a batch of motors for mjlab; made by `MotorActuatorCfg.build`."""

    cfg: MotorActuatorCfg

    def __init__(self, cfg: MotorActuatorCfg, entity: Entity, target_ids: list[int], target_names: list[str]):
        super().__init__(cfg, entity, target_ids, target_names)
        # the simulation is made after this, of the spec that the entity gets
        note_simulations()
        self._replaced: list[str] = []
        self._kept: list[str] = []
        self.joined: JoinedMotors | None = None
        """What steps these motors together with those of the robot's other configs; None: they step by themselves."""
        self._looked, self._alone = False, False

    def edit_spec(self, spec: MjSpec, target_names: list[str]) -> None:
        # once for all joints, or, where mjlab sorts its actuators, once for each
        require_own_joints(self)
        through = reaching(spec)
        for joint in target_names:
            kept, gone = settle_existing(spec, joint, self.cfg.existing, through)
            number, count = len(self._mjs_actuators), len(self._target_names)
            element, replaced = add_motor(spec, joint, number, count, self.cfg)
            move_sensors(spec, gone, element.name)
            self._mjs_actuators.append(element)
            self._kept += kept
            self._replaced += replaced
        if len(self._mjs_actuators) == len(self._target_names):
            warn_of_joints(self._replaced, self._kept)

    def initialize(self, mj_model: MjModel, model: SimModel, data: SimData, device: str) -> None:
        # not that of the ideal PD, whose gains are the same for all joints
        super(IdealPdActuator, self).initialize(mj_model, model, data, device)
        self._shape = (data.nworld, len(self._target_names))
        self._device = device
        self._dt = float(mj_model.opt.timestep)
        self.stiffness = self._full(self.cfg.stiffness, "stiffness")
        self.damping = self._full(self.cfg.damping, "damping")
        self.force_limit = self._full(self.cfg.effort_limit, "effort_limit")
        self.default_stiffness, self.default_damping = self.stiffness.clone(), self.damping.clone()
        self.default_force_limit = self.force_limit.clone()
        limits = self.force_limit.cpu().numpy()
        self._room = torque_room(mj_model, self.entity, self.target_ids, limits)
        self._passes = torch.as_tensor(self._room, dtype=torch.float32, device=device)
        # numbers on a GPU are looked at some steps later, so that nobody waits for them
        self._late = torch.device(device).type == "cuda"
        self._checks = LateChecks(self._changeable, self._require_changed)
        load = load_on(mj_model, data, self.entity, self.target_ids)
        self._load = load if asks_for_load(self.cfg.actuator) else None
        implicit = self.cfg.hands_slope and takes_slopes(mj_model)
        places = [element.id for element in self._mjs_actuators]
        telemetry = self.cfg.telemetry
        if telemetry is not None:
            telemetry = tuple(dict.fromkeys((*telemetry, *SLOPES)))
        self._options = {"dtype": torch.float32, "device": device, "telemetry": telemetry}
        require_fit(self.cfg.actuator, self._shape)
        self._unused = 0
        self._rest = self._latest = self._telemetry = self._at_rest()
        if not implicit and self.cfg.actuator.motor is not None:
            warn_of_explicit_step(self, mj_model, self._rest)
        self._slopes, self._kernels = None, None
        if takes_kernels(self.cfg, device):
            setting = Setting(
                line=implicit, needs_load=self._load is not None, telemetry=telemetry, rest=self._rest,
                seed=self.cfg.seed, dt=self._dt,
            )  # fmt: skip
            where = self._places(load, places)
            self._kernels = KernelMotors(self._live(), where, setting, model, data, self.entity)
            self._telemetry = self._kernels.telemetry
            return
        options = {"eager": self.cfg.eager, **self._options}
        if implicit:
            self._slopes = Slopes(model, places, load, self._room, self._dt)
            self._line = DelayedStep(self._live(), self.cfg.delays, {**options, "telemetry": LINE}, "ahead")
            self._step: Any = DelayedStep(self._live(), self.cfg.delays, options, "taken")
        else:
            actuator, delays = self._live(), self.cfg.delays
            self._step = DelayedStep(actuator, delays, options) if delays else actuator.compile("torch", **options)
        self._state = self._after = self._step.initial(self._shape, seed=self.cfg.seed, dt=self._dt)

    def _places(self, load: LoadOnJoints, actuators: list[int]) -> Places:
        """Where the joints are in the simulation's tables."""
        indexing, joints = self.entity.indexing, self.target_ids
        dofs = indexing.joint_v_adr[joints].tolist()
        return Places(
            joint=list(self._target_ids_list), position=indexing.joint_q_adr[joints].tolist(), dof=dofs,
            mass=columns_of(load.diagonal), actuator=actuators, share=load.free_share.cpu().numpy(),
            armature=load.armature.cpu().numpy(), room=self._room,
        )  # fmt: skip

    def _full(self, value: Number, name: str) -> torch.Tensor:
        """A number or array, spread over environments and joints."""
        tensor = torch.as_tensor(value, dtype=torch.float32, device=self._device)
        try:
            return tensor.expand(self._shape).clone()
        except RuntimeError:
            raise ParameterError(
                f"MotorActuatorCfg.{name} has the shape {tuple(tensor.shape)}, which does not fit "
                f"(environments, joints) = {self._shape}"
            ) from None

    def _live(self) -> Actuator:
        """The actuator with the tensors that `set_gains` and `set_effort_limit` write to."""
        actuator = self.cfg.actuator
        if type(actuator.controller) in GAINS:
            actuator = with_gains(actuator, self.stiffness, self.damping)
        return with_effort_limit(actuator, self.force_limit) if len(flat_tops(actuator)) == 1 else actuator

    def _at_rest(self) -> Output:
        """Telemetry before the first step: nothing moves and nothing is asked for."""
        step = self._live().compile("torch", eager=True, **self._options)
        zeros = torch.zeros(self._shape, device=self._device)
        targets = {name: zeros for name in self.cfg.actuator.controller.inputs}
        load = (None, None) if self._load is None else (zeros, self._load.outside())
        state = step.initial(self._shape, dt=self._dt)
        return step(state, Command(**targets), zeros, zeros, self._dt, *load)[1]

    # --- every physics step

    def get_command(self, data: Tensors) -> Tensors:
        """Targets and joints; kernels read them out of the simulation's tables by themselves."""
        if self._kernels is None:
            return super().get_command(data)
        if not self._looked:
            # the robot's list of actuators is complete by now
            self._looked = True
            join_motors(self.entity, lambda x: type(x) is MotorActuator and x._kernels is not None)
        return CommandInTables(super().get_command, data)

    @property
    def kernels(self) -> KernelMotors:
        """The kernels that step these motors."""
        assert self._kernels is not None
        return self._kernels

    def count_computation(self, alone: bool) -> None:
        """Count that controls are computed, for these motors alone or for all; a step of physics is to follow."""
        self._unused += 1
        self._alone = alone
        self._checks.look()
        if self._unused > 2:
            raise ParameterError(
                "MotorActuator: controls were computed three times without a step of physics; call scene.update(dt) "
                "after each sim.step(), as mjlab's environments do"
            )

    def step_alone(self) -> None:
        """Make the step that is waited for without the motors of other configs."""
        self._alone = True

    def compute(self, cmd: Tensors) -> torch.Tensor:
        """Torque at the joints; the motor's state waits for `update`."""
        # where all wait for a step together, they make it together
        self.count_computation(alone=self.joined is None or not self.joined.waits)
        if self._kernels is not None:
            if isinstance(cmd, CommandInTables):
                self._kernels.before()
            else:
                self._kernels.before_given(cmd)
            return self._kernels.torque
        targets = {"position": cmd.position_target, "velocity": cmd.velocity_target, "effort": cmd.effort_target}
        command = Command(**{name: targets[name] for name in self.cfg.actuator.controller.inputs})
        self._given = (command, cmd.pos, cmd.vel, self._dt)
        if self._slopes is not None:
            return self._slopes.give(self._line(self._state, *self._given, *self._slopes.expected_load())[1], cmd.vel)
        load = (None, None) if self._load is None else (self._load.torque(), self._load.outside())
        self._after, self._latest = self._step(self._state, *self._given, *load)
        return self._latest.torque

    def update(self, dt: float) -> None:
        """Step the motor along the motion of the physics step that was just made."""
        if self._unused == 0:
            return
        if self._kernels is not None:
            if self.joined is not None and not self._alone:
                self.joined.after()
            else:
                self._kernels.after()
            self._unused = 0
            return
        if self._slopes is not None:
            self._after, out = self._step(self._state, *self._given, *self._slopes.motion())
            self._latest = self._slopes.output_over_step(out)
        self._state, self._telemetry, self._unused = self._after, self._latest, 0

    def reset(self, env_ids: EnvIds = None) -> None:
        """Back to rest, ambient temperature and an empty delay, in these environments only."""
        super().reset(env_ids)
        if self._kernels is not None:
            if self.joined is not None:
                self.joined.part()
            self._kernels.reset(env_ids)
            self._unused = 0
            return
        mask = torch.zeros((self._shape[0], 1), dtype=torch.bool, device=self._device)
        mask[slice(None) if env_ids is None else env_ids] = True
        self._state = self._after = self._step.reset(self._state, mask)
        self._telemetry = self._latest = select_outputs(mask, self._rest, self._telemetry)
        self._unused = 0
        if self._slopes is not None:
            self._slopes.clear(env_ids)

    # --- randomisation

    def set_gains(self, env_ids: EnvIds, kp: torch.Tensor | None = None, kd: torch.Tensor | None = None) -> None:
        """Gains of the controller in these environments, in its own units."""
        controller = type(self.cfg.actuator.controller)
        if controller not in GAINS:
            raise ParameterError(
                f"set_gains, dr.pd_gains: {controller.__name__} has no gains kp and kd; leave this actuator out of the "
                "event, or take a controller such as IdealPd"
            )
        if self._late:
            self._checks.add("gains")
        else:
            for name, gain in (("kp", kp), ("kd", kd)):
                if gain is not None:
                    self._require_value(f"set_gains, dr.pd_gains: {name}", *span_of(gain))
        super().set_gains(env_ids, kp, kd)

    def set_effort_limit(self, env_ids: EnvIds, effort_limit: torch.Tensor) -> None:
        """Largest torque in these environments; refused where something else would keep it from taking effect."""
        actuator = self.cfg.actuator
        index = only(flat_tops(actuator), actuator, LIMIT)
        if self._late:
            self._checks.add("limits")
        else:
            self._require_value(f"{LIMIT}: effort_limit", *span_of(effort_limit))
            self._require_room(index, *span_of(effort_limit), self._clipped(effort_limit).tolist())
        super().set_effort_limit(env_ids, effort_limit)

    def _clipped(self, effort_limit: torch.Tensor) -> torch.Tensor:
        """Which joints pass less than an effort limit in any of its environments."""
        each = effort_limit if effort_limit.ndim != 1 else effort_limit.unsqueeze(-1)
        return (each > self._passes).expand(len(each), self._shape[1]).any(dim=0)

    def _require_room(self, index: int, low: float, high: float, clipped: list[bool]) -> None:
        """Check that effort limits from a lowest to a highest take effect; raise ParameterError if not."""
        require_effect(self.cfg.actuator, {f"limits.{index}.effort_limit": cast(Any, (low, high))})
        beyond = np.asarray(clipped, dtype=bool)
        if beyond.any():
            joint = self._target_names[int(np.argmax(beyond))]
            raise ParameterError(
                f"{LIMIT}: {high:g} N·m would not take effect, since a joint's actuatorfrcrange in the XML, that of "
                f"{joint!r}, ends at {self._room[beyond].min():g} N·m; take it out there"
            )

    def _require_value(self, asker: str, low: float, high: float) -> None:
        """Check that a gain or limit is finite and 0 or more; raise ParameterError if not."""
        if not (low >= 0.0 and high < float("inf")):
            wrong = high if low >= 0.0 else low
            raise ParameterError(f"{asker} = {wrong:g}: must be a finite number of 0 or more; change the range")

    def _changeable(self) -> torch.Tensor:
        """Lowest and highest of both gains and of the effort limit, and which joints pass less than that limit."""
        spans = [x for each in (self.stiffness, self.damping, self.force_limit) for x in torch.aminmax(each)]
        return torch.cat((torch.stack(spans), self._clipped(self.force_limit).to(torch.float32)))

    def _require_changed(self, known: list[float], changed: set[str]) -> None:
        """Check what `_changeable` found, as it is some steps later; raise ParameterError if it is wrong."""
        if "gains" in changed:
            self._require_value("set_gains, dr.pd_gains: kp", *known[0:2])
            self._require_value("set_gains, dr.pd_gains: kd", *known[2:4])
        if "limits" in changed:
            self._require_value(f"{LIMIT}: effort_limit", *known[4:6])
            index = only(flat_tops(self.cfg.actuator), self.cfg.actuator, LIMIT)
            self._require_room(index, known[4], known[5], [x > 0.0 for x in known[6:]])

    def set_lags(self, lags: torch.Tensor, env_ids: EnvIds = None) -> None:
        raise ParameterError(
            "set_lags: a backemf actuator draws its own delays; give Actuator(delay=be.Delay(steps=...)) the lags "
            "you want, as an array if environments differ, or MotorActuatorCfg(delays=...) if targets differ"
        )

    # --- telemetry

    @property
    def telemetry(self) -> Output:
        """What the motors did in the last step of physics, of shape (environments, joints); at rest after a reset.

        Torque, current, voltage and powers are those of the step that was taken, at the speed of its end. Without the
        slope (`implicit=False`, or an integrator that takes none) they are those of the speed at its start. Kernels of
        Warp write into the same tensors at each step: clone what you keep.
        """
        return self._telemetry

    def reading(self, name: str) -> torch.Tensor:
        """One output by name, e.g. "electrical_power", of shape (environments, joints)."""
        value = getattr(self._telemetry, name, None)
        if value is None:
            wanted = self.cfg.telemetry
            left_out = wanted is not None and name not in wanted
            remedy = f"name it in MotorActuatorCfg.telemetry = {wanted}" if left_out else "there is no such output"
            if not left_out and name in Output.__dataclass_fields__:
                remedy = "this actuator has no motor, which would give it"
            raise ParameterError(f'telemetry "{name}" of {", ".join(self._target_names)}: {remedy}')
        return torch.as_tensor(value, device=self._device).expand(self._shape)


def span_of(values: torch.Tensor) -> tuple[float, float]:
    """The lowest and the highest of some numbers; (0, 0) of none."""
    if not values.numel():
        return 0.0, 0.0
    low, high = torch.aminmax(values)
    return float(low), float(high)


class CommandInTables:
    """A command that still stands in the simulation's tables; its fields are those of mjlab's, made when asked for."""

    def __init__(self, read: Callable[[Tensors], Tensors], data: Tensors):
        self._read, self._data = read, data

    def __getattr__(self, name: str) -> torch.Tensor:
        return getattr(self._read(self._data), name)


def select_outputs(mask: torch.Tensor, these: Output, others: Output) -> Output:
    """One output in the environments of a mask, the other elsewhere."""

    def select(this: Any, other: Any) -> Any:
        return torch.where(mask, this, other) if torch.Tensor in (type(this), type(other)) else other

    return Output(**{e.name: select(getattr(these, e.name), getattr(others, e.name)) for e in fields(Output)})
