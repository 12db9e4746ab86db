"""Webots' motor and joint as groups of constants, under the names of their fields, with Webots' own checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...checks import Number, concrete, require, require_finite
from ...errors import ParameterError
from ...parts import word
from ...tree import kind_of_numbers
from ...values import Recorded
from ..types import Field

UNLIMITED = -1.0
"""Acceleration that stands for none."""
DERIVATIVES = ("source", "manual")
"""Whose sign the derivative of the position error has."""
KINDS = {"rotational": "RotationalMotor", "linear": "LinearMotor"}
"""Node of each kind of motor."""
JOINTS = {"hinge": "HingeJoint", "slider": "SliderJoint"}
"""Node of each kind of joint."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class WebotsMotor:
    """A `RotationalMotor`, or a `LinearMotor` in N, m and their ratios. All defaults are Webots'.

    The constructor refuses what Webots would correct; `from_fields` does as Webots does, and says what it changed.
    """

    kind: str = word(default="rotational")
    """"rotational" or "linear"."""
    acceleration: Number = UNLIMITED
    """Fastest change of the commanded velocity [rad/s²]; -1: any."""
    consumption_factor: Number = 10.0
    """Electrical power per torque, at any speed [W/(N·m)]; may be negative, as in Webots' E-puck."""
    control_p: Number = 10.0
    """`controlPID`: velocity per position error [1/s]."""
    control_i: Number = 0.0
    """`controlPID`: velocity per integrated position error [1/s²]."""
    control_d: Number = 0.0
    """`controlPID`: velocity per rate of the position error [1]."""
    min_position: Number = 0.0
    """Lowest target position [rad]; without effect where it equals max_position."""
    max_position: Number = 0.0
    """Highest target position [rad]; without effect where it equals min_position."""
    max_velocity: Number = 10.0
    """Largest velocity that can be asked for, and the one to begin with [rad/s]."""
    multiplier: Number = 1.0
    """Factor on every position, velocity and torque that is commanded [1]."""
    max_torque: Number = 10.0
    """`maxTorque`: largest torque [N·m]; of a LinearMotor `maxForce` [N]."""
    derivative: str = word(default="source")
    """"source": the error's rate as the program computes it; "manual": with the sign that the manual prints."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(f"WebotsMotor.kind = {self.kind!r}: must be one of {', '.join(KINDS)}")
        if self.derivative not in DERIVATIVES:
            raise ParameterError(
                f"WebotsMotor.derivative = {self.derivative!r}: must be one of {', '.join(DERIVATIVES)}"
            )
        for name in ("max_velocity", "max_torque", "control_i", "control_d"):
            require(self, name, ">=")
        require(self, "control_p", ">")
        require_finite(self, "acceleration", "consumption_factor", "min_position", "max_position", "multiplier")
        _require(self, "acceleration", lambda x: (x >= 0.0) | (x == UNLIMITED), "must be 0 or more, or -1 for any")
        _require(self, "multiplier", lambda x: x != 0.0, "must not be 0")
        low, high = concrete(self.min_position), concrete(self.max_position)
        if low is not None and high is not None and (low > high).any():
            raise ParameterError(
                f"WebotsMotor.min_position = {self.min_position}: must not be above max_position = {self.max_position}"
            )

    @classmethod
    def from_fields(cls, position: float = 0.0, **fields: Field) -> tuple[WebotsMotor, list[str]]:
        """A motor from the fields of a file, corrected as Webots does it, and its warnings.

        `position` is the joint's at load, which the soft limits are widened to hold. Gains of the PID that Webots warns
        of and keeps are kept out: such a motor would run away, and is refused here.
        """
        known, messages = fields, []

        def change(name: str, value: float, should: str, shown: str = "") -> None:
            messages.append(f"Invalid '{shown or camel(name)}' changed to {value:g}. The value should be {should}.")
            known[name] = value

        if known.get("max_velocity", 0.0) < 0.0:
            change("max_velocity", -known["max_velocity"], "non-negative")
        if known.get("acceleration", UNLIMITED) < 0.0 and known.get("acceleration", UNLIMITED) != UNLIMITED:
            change("acceleration", UNLIMITED, "either -1 or non-negative")
        if known.get("max_torque", 0.0) < 0.0:
            change("max_torque", 10.0, "non-negative", "maxForce" if known.get("kind") == "linear" else "maxTorque")
        if known.get("multiplier", 1.0) == 0.0:
            messages.append("The value of 'multiplier' cannot be 0. Value reverted to 1.")
            known["multiplier"] = 1.0
        # 0 and 0 mean no limits; anything else has to hold the joint's position
        if (known.get("min_position", 0.0), known.get("max_position", 0.0)) != (0.0, 0.0):
            if known.get("max_position", 0.0) < position:
                change("max_position", position, f"{position:g} or greater")
            if known.get("min_position", 0.0) > position:
                change("min_position", position, f"{position:g} or less")
        return cls(**known), messages


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class WebotsJoint:
    """A `HingeJoint`, or a `SliderJoint` in N, m and their ratios: what its `jointParameters` say, and its brake."""

    kind: str = word(default="hinge")
    """"hinge" or "slider"."""
    position: Number = 0.0
    """Position at load [rad]."""
    damping_constant: Number = 0.0
    """Torque against the velocity [N·m·s/rad]."""
    spring_constant: Number = 0.0
    """Torque per position, towards position 0 [N·m/rad]."""
    static_friction: Number = 0.0
    """Torque that holds the joint where no motor moves it [N·m]."""
    brake: Number = 0.0
    """Damping constant that a `Brake` adds [N·m·s/rad]."""
    min_stop: Recorded = None
    """Lower hard stop [rad]; None: none."""
    max_stop: Recorded = None
    """Upper hard stop [rad]; None: none."""
    cfm: Number = 1e-5
    """`WorldInfo.CFM`: by how much the motor misses its velocity per torque [rad/(s·N·m)]."""
    stop_cfm: Number = 1e-5
    """`stopCFM`, else `WorldInfo.CFM`: how soft the hard stops are [rad/(s·N·m)]."""
    stop_erp: Number = 0.2
    """`stopERP`, else `WorldInfo.ERP`: share of the penetration of a hard stop that one step corrects [1]."""

    def __post_init__(self) -> None:
        if self.kind not in JOINTS:
            raise ParameterError(f"WebotsJoint.kind = {self.kind!r}: must be one of {', '.join(JOINTS)}")
        for name in ("damping_constant", "spring_constant", "static_friction", "brake", "cfm", "stop_cfm", "stop_erp"):
            require(self, name, ">=")
        require_finite(self, "position", "min_stop", "max_stop")
        if (self.min_stop is None) != (self.max_stop is None):
            raise ParameterError("WebotsJoint.min_stop and max_stop are given together or not at all")

    @classmethod
    def from_fields(cls, **fields: Field) -> tuple[WebotsJoint, list[str]]:
        """A joint from the fields of a file: negative constants lose their sign, and a warning says so."""
        warnings = []
        for name in ("spring_constant", "damping_constant", "static_friction"):
            if fields.get(name, 0.0) < 0.0:
                warnings.append(f"'{camel(name)}' must be greater than or equal to zero.")
                fields[name] = -fields[name]
        return cls(**fields), warnings


def camel(name: str) -> str:
    """A field's name as Webots writes it."""
    first, *rest = name.split("_")
    return first + "".join(word.upper() if word in ("cfm", "erp") else word.capitalize() for word in rest)


def stop_warnings(kind: str, position: float, motor: WebotsMotor, min_stop: float, max_stop: float) -> list[str]:
    """Webots' warnings about hard stops that conflict with the motor; nothing is corrected."""
    if min_stop == max_stop:
        return []
    node, device = JOINTS[kind], KINDS[motor.kind]
    hinge, limited = kind == "hinge", motor.min_position != motor.max_position
    rows = [
        (hinge and min_stop <= -math.pi, "HingeJoint 'minStop' must be greater than -pi to be effective."),
        (hinge and max_stop >= math.pi, "HingeJoint 'maxStop' must be less than pi to be effective."),
        (limited and motor.min_position < min_stop,
         f"{node} 'minStop' must be less or equal to {device} 'minPosition'."),
        (limited and motor.max_position > max_stop,
         f"{node} 'maxStop' must be greater or equal to {device} 'maxPosition'."),
        (position < min_stop, "'minStop' must be less than or equal to 'position'."),
        (position > max_stop, "'maxStop' must be greater than or equal to 'position'."),
    ]  # fmt: skip
    return [sentence for applies, sentence in rows if applies]


def _require(part: WebotsMotor, name: str, good: Callable[[np.ndarray], np.ndarray], sentence: str) -> None:
    known = concrete(getattr(part, name))
    if known is not None and not good(known).all():
        raise ParameterError(f"WebotsMotor.{name} = {getattr(part, name)}: {sentence}")
