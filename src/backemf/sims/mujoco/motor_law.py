"""An actuator as MuJoCo holds it: with MuJoCo's own motor where there is one, its delay and the joint's limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...actuator import Command
from ...checks import Number
from ...errors import ParameterError
from ...physics.command import TARGETS
from ...physics.drag import drag_coefficient
from ...physics.limits import clip
from ..on_joint import ActuatorLaw, Law, LawState, OnJoint
from .general import General, GeneralLaw, as_command, controls_of
from .motor import DcMotor


class History(NamedTuple):
    """How MuJoCo remembers commands."""

    delay: float
    """Age of the command that acts [s]."""
    linear: bool
    """Whether it is interpolated between two of them, rather than being the older one."""


@dataclass(frozen=True, kw_only=True)
class MujocoOnJoint(OnJoint):
    """An actuator of a MuJoCo model, and its joint."""

    motor: DcMotor | None = None
    """MuJoCo's own motor; None: the actuator is of another kind."""
    general: General | None = None
    """MuJoCo's constants of any other kind; None: the actuator is a motor."""
    higher_drag: tuple[float, ...] = ()
    """Damping of the joint of the second order [N·m·s²/rad²] and the third [N·m·s³/rad³]; in `actuator.motor` too."""
    lowest_effort: float = -np.inf
    """Lower bound of what actuators do to the joint [N·m]."""
    highest_effort: float = np.inf
    """Upper bound of what actuators do to the joint [N·m]."""
    history: History | None = None
    """Delay of the commands; None: they act at once."""

    def law(self) -> Law:
        """What MuJoCo computes: commands as for the actuator, at the joint.

        A motor that takes volts also takes an effort, which becomes R/K·torque + K·velocity as a host would have to
        command it.
        """
        inner: Law = ActuatorLaw(replace(self, actuator=replace(self.actuator, delay=None)))
        if self.general is not None:
            inner = GeneralLaw(self, self.general)
        elif self.motor is not None:
            inner = MotorLaw(self, self.motor)
        return inner if self.history is None else DelayedLaw(self, inner, self.history)

    def after_friction(self, torque: Number, velocity: Number) -> Number:
        """A torque less the friction of the joint [N·m]."""
        for order, coefficient in enumerate(self.higher_drag, start=2):
            torque = torque - drag_coefficient(velocity, coefficient, order) * velocity
        return super().after_friction(torque, velocity)

    def within_range(self, torque: Number) -> Number:
        """What is left of a torque of the actuator within the joint's own range."""
        return clip(torque, self.lowest_effort, self.highest_effort)


class MotorLaw:
    """MuJoCo's own motor on a joint."""

    def __init__(self, on_joint: MujocoOnJoint, motor: DcMotor):
        self.on_joint, self.motor = on_joint, motor
        self._step = motor.compile("numpy")

    def initial(self, shape: tuple[int, ...] = ()) -> LawState:
        return self._step.initial(shape)

    def step(
        self, state: LawState, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[LawState, Number]:
        gear = self.motor.gear
        ctrl = self.controls(as_command(self.on_joint, command), position, velocity)
        state, force = self._step(state, ctrl, gear * position, gear * velocity, dt)
        drag = self._step.joint_torque(0.0 * force, velocity)
        return state, self.on_joint.after_friction(self.on_joint.within_range(gear * force) + drag, velocity)

    def controls(self, command: Command, position: Number, velocity: Number) -> list[Number]:
        """MuJoCo's ctrl; where it takes volts, an effort becomes those that give it."""
        m = self.motor
        if command.voltage is None and command.effort is not None:
            volts = m.resistance / m.motor_constant * command.effort / m.gear + m.motor_constant * m.gear * velocity
            command = replace(command, voltage=volts)
        return controls_of(command, m.inputs, m.gear, position, velocity)


class DelayedLaw:
    """A law whose commands are under way for a while; before the first, all are 0."""

    def __init__(self, on_joint: OnJoint, inner: Law, history: History):
        self.on_joint, self.inner, self.history = on_joint, inner, history

    def initial(self, shape: tuple[int, ...] = ()) -> LawState:
        return (), self.inner.initial(shape)

    def step(
        self, state: LawState, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[LawState, Number]:
        sent, inner = state
        # no command acts in the step in which it is sent
        lag = max(self.history.delay / dt, 1.0)
        oldest = math.ceil(lag - 1e-9)
        sent = (as_command(self.on_joint, command), *sent)[: oldest + 1]

        def past(name: str, age: int) -> Number:
            value = getattr(sent[age], name) if age < len(sent) else None
            return 0.0 if value is None else value

        share = oldest - lag if self.history.linear and oldest - lag > 1e-9 else 0.0
        arrives = {
            name: past(name, oldest) + (share * (past(name, oldest - 1) - past(name, oldest)) if share else 0.0)
            for name in TARGETS
            if getattr(sent[0], name) is not None
        }
        inner, torque = self.inner.step(inner, Command(**arrives), position, velocity, dt)
        return (sent, inner), torque


def require_hinge(kind: str, joint: str) -> None:
    """Check that a joint is a hinge or a slide; raise ParameterError if not."""
    if kind not in ("hinge", "slide"):
        raise ParameterError(f"joint {joint!r} is a {kind} joint: a motor turns a hinge, or moves a slide")
