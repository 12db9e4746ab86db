"""A motor and its joint as Webots holds them, and what Webots does with a command on a joint with prescribed motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...actuator import Actuator, Command, IdealPd, Torque, TorquePid
from ...actuator.torque_limits import DriveEnvelope, EffortLimit
from ...checks import Number, require, require_part
from ...errors import ParameterError
from ...physics.ops import where
from ..joint import single
from ..on_joint import OnJoint
from .commands import Commands, apply_commands
from .compiled import CompiledWebots
from .law import MotorState, commanded_velocity, engine_step, imposed_torque, in_torque, largest_torque
from .motor import WebotsJoint, WebotsMotor

CONTROLS = {"position": "position", "velocity": "velocity", "torque": "effort"}
"""What a controller commands, and the target of ours that it is."""
BESIDE = {
    "velocity_limit": "max_velocity",
    "acceleration": "acceleration",
    "multiplier": "multiplier",
    "min_position": "min_position",
    "max_position": "max_position",
    "consumption_factor": "consumption_factor",
}
"""Numbers of the motor that have no place in a backemf actuator, as `write` takes them, and their names here."""
SLOWEST = 1e-6
"""A largest velocity below this counts as this, where a gain is made of it [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class OnWebotsJoint(OnJoint):
    """A motor on a joint of Webots'. What is commanded depends on the controller's program: `control` says it."""

    motor: WebotsMotor
    """The motor."""
    parameters: WebotsJoint
    """The joint."""
    control: str = "torque"
    """What is commanded: "position", "velocity" or "torque"."""
    inertia: float | None = None
    """What the joint moves [kg·m²]; None: the motion is prescribed, as by an infinitely heavy load."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_part(self, "motor", WebotsMotor)
        require_part(self, "parameters", WebotsJoint)
        require(self, "inertia", ">")
        if self.control not in CONTROLS:
            raise ParameterError(f"OnWebotsJoint.control = {self.control!r}: must be one of {', '.join(CONTROLS)}")

    def law(self) -> HeldLaw:
        """What Webots computes with it."""
        return HeldLaw(self)


def put_on_joint(
    motor: WebotsMotor, parameters: WebotsJoint, control: str, joint: str = "", inertia: float | None = None
) -> OnWebotsJoint:
    """A motor and a joint of Webots' as a backemf actuator on a joint."""
    return OnWebotsJoint(
        actuator=closest_actuator(motor, control),
        joint=joint,
        coulomb=single("static_friction", parameters.static_friction),
        viscous=single("damping_constant", parameters.damping_constant),
        beside=_beside(motor),
        motor=motor,
        parameters=parameters,
        control=control,
        inertia=inertia,
    )


def _beside(motor: WebotsMotor) -> dict[str, float]:
    """Numbers of a motor that have no place in a backemf actuator, where they are not Webots' own defaults."""
    known = {ours: single(theirs, getattr(motor, theirs)) for ours, theirs in BESIDE.items()}
    usual = {ours: WebotsMotor.__dataclass_fields__[theirs].default for ours, theirs in BESIDE.items()}
    return {name: value for name, value in known.items() if value != usual[name]}


def closest_actuator(motor: WebotsMotor, control: str) -> Actuator:
    """The actuator that comes closest: Webots reaches a velocity within a step, by whatever torque that takes.

    For a position or a velocity it is a PD that asks for the largest torque where the velocity is off by the largest.
    """
    most, fastest = single("max_torque", motor.max_torque), single("max_velocity", motor.max_velocity)
    limits = (EffortLimit(effort_limit=most),) if most > 0.0 else ()
    if most > 0.0 and fastest > 0.0 and control != "torque":
        # full torque up to the largest velocity, and none to go beyond
        limits = (DriveEnvelope(max_effort=most, max_actuator_velocity=fastest),)
    gain = most / max(fastest, SLOWEST)
    if control == "position":
        pd = IdealPd(stiffness=single("control_p", motor.control_p) * gain, damping=gain, listens=("position",))
        low, high = (single(name, getattr(motor, name)) for name in ("min_position", "max_position"))
        return Actuator(controller=pd, limits=limits, command_range=(low, high) if low < high else None)
    if control == "velocity":
        rate = single("acceleration", motor.acceleration)
        follow = TorquePid(kd=gain, follows="velocity", listens=("velocity",))
        return Actuator(controller=follow, limits=limits, slew=rate if rate > 0.0 else None)
    return Actuator(controller=Torque(), limits=limits)


class HeldLaw:
    """Webots' law for a joint with prescribed motion: `state, torque = law.step(state, command, q, w, dt)`."""

    def __init__(self, on: OnWebotsJoint):
        self.on = on
        self._start = CompiledWebots(on.motor, on.parameters)

    def initial(self, shape: tuple[int, ...] = ()) -> MotorState:
        """The motor as Webots loads it."""
        return self._start.initial(shape).motor

    def step(
        self, state: MotorState, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[MotorState, Number]:
        """The motor after a basic time step, and all torque on the joint, damper and spring included [N·m]."""
        on, joint = self.on, self.on.parameters
        value = getattr(command, CONTROLS[on.control]) if isinstance(command, Command) else command
        if value is None:
            raise ParameterError(
                f"step: the controller commands a {on.control}; give Command({CONTROLS[on.control]}=...)"
            )
        value = np.asarray(value, dtype=float) if isinstance(value, (int, list, tuple)) else value
        state = apply_commands(on.motor, state, self._calls(value))
        state = commanded_velocity(on.motor, state, position, dt)
        pushed = where(in_torque(state), state.torque, 0.0)
        wanted, most = where(in_torque(state), 0.0, state.velocity), largest_torque(joint, state)
        damping, after = joint.damping_constant + joint.brake, velocity
        if on.inertia is None:
            torque = imposed_torque(joint, wanted, most, position, velocity, pushed)
        else:
            done = engine_step(joint, wanted, most, position, velocity, on.inertia, pushed, dt)
            # the engine takes damper and spring at the end of the step
            torque, after = done.feedback, done.velocity
            damping = damping + dt * joint.spring_constant
        return state, torque + pushed - damping * after - joint.spring_constant * position

    def _calls(self, value: Number) -> Commands:
        if self.on.control == "torque":
            return Commands(torque=value)
        if self.on.control == "position":
            return Commands(position=value)
        return Commands(position=np.inf, velocity=value)
