"""MuJoCo's actuators other than dcmotor: one formula for motor, position, velocity, intvelocity, pid and general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...actuator import Command
from ...actuator.control import slew_limit
from ...checks import Number
from ...physics.limits import clip
from ...physics.ops import exp, maximum, minimum, where
from ..on_joint import LawState, OnJoint

if TYPE_CHECKING:
    from .motor_law import MujocoOnJoint

TARGETS = {
    "pos": "position", "vel": "velocity", "ff": "effort", "voltage": "voltage", "position": "position",
    "velocity": "velocity",
}  # fmt: skip
"""Our name for each input of a pid or a dcmotor."""
MINVAL = 1e-15
"""MuJoCo's smallest divisor."""


@dataclass(frozen=True, kw_only=True)
class General:
    """Constants of force = gain·x + b0 + b1·length + b2·velocity, where x is ctrl or the activation.

    A pid has gain = ki on its integral, and its targets at -b1 and -b2.
    """

    kind: str
    """What MuJoCo calls it, such as "position"."""
    gain: float
    """Force per x; of a pid, per integrated error."""
    bias: tuple[float, float, float]
    """b0 [N·m], b1 [N·m/rad] and b2 [N·m·s/rad], at the actuator's length."""
    gear: float = 1.0
    """Length of the actuator per angle of the joint [1]."""
    dynamics: str = "none"
    """What ctrl goes through: "none", "integrator", "filter", "filterexact" or "pid"."""
    inputs: tuple[str, ...] = ()
    """Inputs of a pid, of pos, vel and ff; any other kind has one, without a name."""
    timeconst: float = 0.0
    """Time constant of a filter [s]."""
    act_range: tuple[float, float] = (-np.inf, np.inf)
    """Range of the activation of an integrator or a filter."""
    early: bool = False
    """Whether the activation of the end of a step acts in it."""
    integral_limit: float = 0.0
    """Integrated error at which that of a pid stops [rad·s]; 0: none."""
    slew: float = 0.0
    """Fastest change of a pid's position target [rad/s]; 0: any."""
    ctrl_ranges: tuple[tuple[float, float], ...] = ((-np.inf, np.inf),)
    """Range of each control."""
    force_range: tuple[float, float] = (-np.inf, np.inf)
    """Range of the force [N·m]."""

    @property
    def main(self) -> str:
        """The target that ctrl is."""
        if self.dynamics == "pid":
            return TARGETS[self.inputs[0]]
        if self.dynamics == "integrator":
            return "velocity"
        _, b1, b2 = self.bias
        return "position" if b1 else "velocity" if b2 else "effort"

    @property
    def scale(self) -> float:
        """ctrl per target at the joint; 0: ctrl has no effect."""
        _, b1, b2 = self.bias
        if self.dynamics == "pid":
            return 1.0 / self.gear if self.main == "effort" else self.gear
        if self.gain == 0.0:
            return 0.0
        return -self.gear * (b1 or b2) / self.gain if b1 or b2 else 1.0 / (self.gear * self.gain)

    @property
    def offset(self) -> float:
        """ctrl at the target 0."""
        moves = self.dynamics in ("pid", "integrator") or self.gain == 0.0
        # an offset of 0 has no sign
        return 0.0 if moves or self.bias[0] == 0.0 else -self.bias[0] / self.gain

    @property
    def moved_damping(self) -> float:
        """Damping that counts with that of the joint, since no backemf controller has it [N·m·s/rad]."""
        return -self.gear * self.gear * self.bias[2] if self.dynamics == "integrator" else 0.0


def as_command(on_joint: OnJoint, command: Command | Number) -> Command:
    """A command; a number is the main input."""
    return command if isinstance(command, Command) else Command(**{on_joint.actuator.controller.main: command})


def controls_of(
    command: Command, inputs: tuple[str, ...], gear: Number, position: Number, velocity: Number
) -> list[Number]:
    """MuJoCo's ctrl for each input; a position that is not commanded is the present one, all else 0."""
    scales = {"position": gear, "velocity": gear, "effort": 1.0 / gear, "voltage": 1.0}
    found = []
    for name in (TARGETS[word] for word in inputs):
        target = getattr(command, name)
        if target is None:
            target = position if name == "position" else 0.0
        found.append(scales[name] * target + 0.0 * velocity)
    return found


class GeneralLaw:
    """What MuJoCo computes for such an actuator on a joint."""

    def __init__(self, on_joint: MujocoOnJoint, general: General):
        self.on_joint: OnJoint = on_joint
        self.general, self._bounded = general, on_joint.within_range

    def initial(self, shape: tuple[int, ...] = ()) -> LawState:
        """The activation, or the slew and the integral of a pid; all begin at 0."""
        return np.zeros(shape), np.zeros(shape)

    def step(
        self, state: LawState, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[LawState, Number]:
        g = self.general
        controls = self.controls(as_command(self.on_joint, command), position, velocity)
        ctrl = [clip(u, *ends) for u, ends in zip(controls, g.ctrl_ranges, strict=True)]
        length, speed = g.gear * position, g.gear * velocity
        advance = self._pid if g.dynamics == "pid" else self._activation
        state, force = advance(state, ctrl, length, speed, dt)
        torque = self._bounded(g.gear * clip(force, *g.force_range))
        return state, self.on_joint.after_friction(torque + g.moved_damping * velocity, velocity)

    def controls(self, command: Command, position: Number, velocity: Number) -> list[Number]:
        """MuJoCo's ctrl; a position that is not commanded is the present one, all else 0."""
        g = self.general
        if g.dynamics == "pid":
            return controls_of(command, g.inputs, g.gear, position, velocity)
        target = getattr(command, g.main)
        if target is None:
            target = position if g.main == "position" else 0.0
        return [g.scale * target + g.offset + 0.0 * velocity]

    def _activation(
        self, state: LawState, ctrl: list[Number], length: Number, speed: Number, dt: float
    ) -> tuple[LawState, Number]:
        """The activation after a step, and the force over it."""
        g, (act, unused) = self.general, state
        if g.dynamics == "none":
            after = x = ctrl[0]
        else:
            tau = max(g.timeconst, MINVAL)
            share = {"integrator": dt, "filter": dt / tau, "filterexact": 1.0 - exp(-dt / tau)}[g.dynamics]
            after = act + share * (ctrl[0] if g.dynamics == "integrator" else ctrl[0] - act)
            after = clip(after, *g.act_range)
            x = after if g.early else act
        b0, b1, b2 = g.bias
        return (after, unused), g.gain * x + b0 + b1 * length + b2 * speed

    def _pid(
        self, state: LawState, ctrl: list[Number], length: Number, speed: Number, dt: float
    ) -> tuple[LawState, Number]:
        """Slew and integral after a step, and the force over it."""
        g, (before, integral) = self.general, state
        if g.slew > 0.0:
            ctrl = [slew_limit(ctrl[0], before, g.slew, dt), *ctrl[1:]]
        target = dict(zip(g.inputs, ctrl, strict=True))
        b0, b1, b2 = g.bias
        force = b0 + b1 * (length - target.get("pos", 0.0)) + b2 * (speed - target.get("vel", 0.0))
        force = force + target.get("ff", 0.0) + g.gain * integral
        if g.gain:
            rate = ctrl[0] - length
            if g.integral_limit > 0.0:
                # beyond its limit it only moves back, and it may pass it within a step
                stop = g.integral_limit
                rate = where(integral >= stop, minimum(rate, 0.0), where(integral <= -stop, maximum(rate, 0.0), rate))
            integral = integral + dt * rate
        return (ctrl[0], integral), force
