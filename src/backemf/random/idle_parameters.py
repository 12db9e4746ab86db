"""Parameters that have nothing to act on: what randomising them would hide in silence.

Each rule names the parameters, what they need beside them, and when that is missing. A value counts as there if any
motor has it anywhere in its range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..errors import ParameterError
from ..tree import numbers

Ends = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""Smallest and largest value of each parameter that varies."""


class Ranges:
    """Smallest and largest value of any number below a part, whether it varies or not."""

    def __init__(self, target: object, ends: Ends):
        self._known = {name: (value, value) for name, value in numbers(target)} | dict(ends)

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def inside(self, prefix: str) -> bool:
        """Whether there is any number of a part."""
        return any(name.startswith(f"{prefix}.") for name in self._known)

    def low(self, name: str) -> float:
        """Smallest value, of all motors."""
        return float(np.min(self._known[name][0]))

    def high(self, name: str) -> float:
        """Largest value, of all motors."""
        return float(np.max(self._known[name][1]))

    def acts(self, *names: str) -> bool:
        """Whether any of these is there and other than 0."""
        return any(name in self and (self.low(name) != 0.0 or self.high(name) != 0.0) for name in names)

    def same(self, one: str, other: str) -> bool:
        """Whether two numbers are equal for all motors."""
        return self.low(one) == self.high(one) == self.low(other) == self.high(other)


Rule = Callable[[Ranges, str], str | None]
"""What is missing, in words, for a part whose names begin with a prefix; None: nothing."""


def _needs(name: str) -> Rule:
    def rule(found: Ranges, at: str) -> str | None:
        return None if found.acts(f"{at}{name}") else f"{name} is 0"

    return rule


def _gets_warm(what: str, also: Rule | None = None) -> Rule:
    def rule(found: Ranges, at: str) -> str | None:
        if not found.inside(f"{at}thermal"):
            return f"without Motor.thermal the {what}"
        return also(found, at) if also is not None else None

    return rule


def _is_lower_than(other: str, name: str) -> Rule:
    def rule(found: Ranges, at: str) -> str | None:
        shut = other in found and found.high(other) <= found.low(name)
        return f"{other} is lower" if shut else None

    return rule


def _stribeck(found: Ranges, at: str) -> str | None:
    level, rest = f"{at}friction.coulomb", f"{at}friction.stiction"
    return "friction.stiction is friction.coulomb" if rest in found and found.same(level, rest) else None


def _fading_share(found: Ranges, at: str) -> str | None:
    group = f"{at}friction.stribeck"
    fading = (f"{group}.coulomb", f"{group}.load.drive", f"{group}.load.back")
    fading += (f"{at}friction.quadratic.drive", f"{at}friction.quadratic.back")
    return None if found.acts(*fading) else "nothing fades: friction.stribeck.coulomb is 0 and it has no load"


def _low_current(found: Ranges, at: str) -> str | None:
    both = f"{at}limits.peak_current" in found and f"{at}limits.safe_current" in found
    return "limits.peak_current and limits.safe_current are the limits, cool and hot" if both else None


def _weighs(found: Ranges, at: str) -> str | None:
    return None if found.acts(f"{at}mass", f"{at}arm_mass") else "mass and arm_mass are 0"


def _falls(found: Ranges, at: str) -> str | None:
    return _weighs(found, at) or (None if found.acts(f"{at}gravity") else "gravity is 0")


RULES: dict[str, Rule] = {
    "winding.temperature_coefficient": _gets_warm("winding never gets warm"),
    "winding.reference_temperature": _gets_warm("winding never gets warm", _needs("winding.temperature_coefficient")),
    "magnet.temperature_coefficient": _gets_warm("magnets never get warm"),
    "magnet.reference_temperature": _gets_warm("magnets never get warm", _needs("magnet.temperature_coefficient")),
    "friction.stribeck_velocity": _stribeck,
    "friction.stribeck_exponent": _stribeck,
    "friction.damping_exponent": _needs("friction.damping"),
    "friction.activation_speed": _needs("friction.coulomb"),
    "friction.stribeck.velocity": _fading_share,
    "friction.stribeck.exponent": _fading_share,
    "limits.continuous_current": _low_current,
    "friction_over_angle.angle": _needs("friction_over_angle.per_angle"),
    "thermistor.phase_heat.pole_pairs": _needs("thermistor.phase_heat.modulation"),
    "thermistor.phase_heat.phase": _needs("thermistor.phase_heat.modulation"),
    "thermistor.phase_heat.exchange": _needs("thermistor.phase_heat.modulation"),
    "spring.rest_angle": _needs("spring.stiffness"),
    "supply.modulation_limit": _is_lower_than("controller.pwm_limit", "supply.modulation_limit"),
    "controller.pwm_limit": _is_lower_than("supply.modulation_limit", "controller.pwm_limit"),
}
"""What a parameter of a motor or of what stands beside it needs; names of the motor are without "motor."."""
PENDULUM: dict[str, Rule] = {"gravity": _weighs, "length": _weighs, "offset": _falls}
"""The same for a pendulum."""


def require_something_to_act_on(target: object, ends: Ends) -> None:
    """Raise a `ParameterError` if a parameter varies that no output follows."""
    found = Ranges(target, ends)
    rules = PENDULUM if "arm_mass" in found else RULES
    for name in ends:
        at = "motor." if name.startswith("motor.") else ""
        rule = rules.get(name.removeprefix(at)) or _of_harmonic(name) or _of_network(name)
        missing = rule(found, at) if rule is not None else None
        if missing is not None:
            raise ParameterError(
                f'randomize: "{name}" would do nothing: {missing}; change that, or leave this name out'
            )


def _of_harmonic(name: str) -> Rule | None:
    """What phase and periodicity of a cogging harmonic need: its amplitude."""
    words = name.removeprefix("motor.").split(".")
    if words[:2] != ["cogging", "harmonics"] or words[-1] not in ("phase", "periodicity"):
        return None
    return _needs(".".join([*words[:-1], "amplitude"]))


def _of_network(name: str) -> Rule | None:
    """What a unit's inputs need: its weight; and what a scale needs: a unit with a weight that uses it."""
    words = name.removeprefix("motor.").split(".")
    if words[0] != "network":
        return None
    if words[1] != "units":
        return _scale_of_network(words[1])
    return None if words[-1] == "weight" else _needs(".".join([*words[:-1], "weight"]))


def _scale_of_network(scale: str) -> Rule:
    def rule(found: Ranges, at: str) -> str | None:
        unit, used = 0, False
        while f"{at}network.units.{unit}.weight" in found:
            place = f"{at}network.units.{unit}"
            used = used or (found.acts(f"{place}.weight") and found.acts(f"{place}.per_{scale}"))
            unit += 1
        return None if used else f"no unit of the network has a weight and a per_{scale}"

    return rule
