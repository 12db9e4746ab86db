"""MuJoCo's actuators that are no dcmotor: one formula for motor, position, velocity, intvelocity, pid and general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...actuator import Command
from ...actuator.control import slew_limit
from ...physics.limits import clip
from ...physics.ops import exp, maximum, minimum, where
from ..on_joint import OnJoint

TARGETS = {"pos": "position", "vel": "velocity", "ff": "effort"}
"""Our word for each input of a pid."""
MINVAL = 1e-15
"""MuJoCo's smallest divisor."""


@dataclass(frozen=True, kw_only=True)
class General:
    """Constants of force = gain·x + b0 + b1·length + b2·velocity, where x is ctrl or what has become of it.

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
        """The target that ctrl stands for."""
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
        """Damping that stands with that of the joint, since no controller of ours has it [N·m·s/rad]."""
        return -self.gear * self.gear * self.bias[2] if self.dynamics == "integrator" else 0.0


class GeneralLaw:
    """What MuJoCo computes for such an actuator on a joint."""

    def __init__(self, on_joint: Any, general: General):
        self.on_joint: OnJoint = on_joint
        self.general, self._bounded = general, on_joint.bounded

    def initial(self, shape: tuple[int, ...] = ()) -> Any:
        """The activation, or the slew and the integral of a pid; all begin at 0."""
        return np.zeros(shape), np.zeros(shape)

    def step(self, state: Any, command: Any, position: Any, velocity: Any, dt: float) -> tuple[Any, Any]:
        g = self.general
        controls = self.controls(command, position, velocity)
        ctrl = [clip(u, *ends) for u, ends in zip(controls, g.ctrl_ranges, strict=True)]
        length, speed = g.gear * position, g.gear * velocity
        advance = self._pid if g.dynamics == "pid" else self._activation
        state, force = advance(state, ctrl, length, speed, dt)
        torque = self._bounded(g.gear * clip(force, *g.force_range))
        return state, self.on_joint.rubbed(torque + g.moved_damping * velocity, velocity)

    def controls(self, command: Any, position: Any, velocity: Any) -> list[Any]:
        """MuJoCo's ctrl; a position that is not commanded is the present one, all else 0."""
        g = self.general
        if not isinstance(command, Command):
            command = Command(**{self.on_joint.actuator.controller.main: command})
        if g.dynamics != "pid":
            target = getattr(command, g.main)
            missing = position if g.main == "position" else 0.0
            return [g.scale * (missing if target is None else target) + g.offset + 0.0 * velocity]
        found = []
        for word in g.inputs:
            target = getattr(command, TARGETS[word])
            if target is None:
                target = position if word == "pos" else 0.0
            found.append(target * (1.0 / g.gear if word == "ff" else g.gear) + 0.0 * velocity)
        return found

    def _activation(self, state: Any, ctrl: list[Any], length: Any, speed: Any, dt: float) -> tuple[Any, Any]:
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

    def _pid(self, state: Any, ctrl: list[Any], length: Any, speed: Any, dt: float) -> tuple[Any, Any]:
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
