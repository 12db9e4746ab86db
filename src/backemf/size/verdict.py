"""What each pair exceeds: every check as a share of its limit, and the first that is above 1 in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Maybe
from ..motor import Motor, TwoNodeThermal
from ..physics.mechanics import iron_power
from ..units import format_quantity
from .candidates import Batch
from .cycle import Cycle
from .evaluation import Evaluation, at_ambient
from .heat import warm_up_time
from .task import Task

RATED_AIR = 40.0
"""Warmest air for which a continuous current holds, after IEC 60034-1 [°C]."""
MOST_DIGITS = 8
"""Digits of a number in a reason, at most [1]."""


@dataclass(frozen=True)
class Check:
    """One limit of all pairs of a batch."""

    name: str
    """What is checked, such as "voltage"."""
    value: np.ndarray
    """What the task takes [unit]."""
    limit: np.ndarray
    """What is allowed [unit]; inf: nothing is stated."""
    unit: str
    """Unit of both."""
    words: str
    """How it is said, such as "peak current"."""
    zero: float = 0.0
    """Where the share begins: the ambient temperature of a temperature [unit]."""

    @property
    def share(self) -> np.ndarray:
        """Value over limit, above 1 where the limit is exceeded [1]."""
        with np.errstate(all="ignore"):
            room = self.limit - self.zero
            found = (self.value - self.zero) / np.where(room > 0.0, room, np.nan)
        return np.where(
            np.isinf(self.limit), 0.0, np.where(room > 0.0, found, np.where(self.value > self.limit, np.inf, 0.0))
        )


def checks_of(task: Task, batch: Batch, cycle: Cycle, e: Evaluation) -> list[Check]:
    """Every check, in the order in which a reason is named."""
    limits, each = task.limits, np.ones(len(batch))

    def rated(name: str) -> np.ndarray:
        return np.where(np.isfinite(batch.rated[name]), batch.rated[name], np.inf)

    def own(value: Maybe) -> np.ndarray:
        return each * (np.inf if value is None else float(value))

    # a gear that states one torque means it for both
    lasting, short = rated("gear_torque"), rated("gear_peak_torque")
    short = np.where(np.isinf(short), np.where(np.isinf(lasting), np.inf, lasting), short)
    limit = winding_limit(task, batch)
    slide = task.joints[cycle.name].slide
    # of a screw or a belt, speeds and torques are said at its shaft
    r = 1.0 if slide is None else abs(float(slide.travel))
    lost = r if slide is None else r / float(slide.efficiency)
    found = [
        Check("mass", batch.mass, own(limits.mass), "kg", "mass"),
        Check("diameter", batch.diameter, own(limits.diameter), "m", "diameter"),
        Check("motor_speed", e.motor_speed / r, rated("speed") / r, "rad/s", "rotor speed"),
        Check("gear_input_speed", e.motor_speed / r, rated("gear_input_speed") / r, "rad/s", "gear input speed"),
        Check("gear_peak_torque", e.gear_peak * lost, short * r, "N*m", "peak gear torque"),
        Check("gear_torque", e.gear_equivalent * lost, lasting * r, "N*m", "equivalent gear torque"),
        Check("voltage", e.voltage, e.voltage + e.spare_voltage, "V", "terminal voltage"),
        Check(
            "peak_current", e.peak_current, np.minimum(rated("peak_current"), own(limits.current)), "A", "peak current"
        ),
        Check("supply_current", e.supply_current, own(limits.supply_current), "A", "supply current"),
    ]
    if batch.motor.thermal is None:
        found.append(Check("rms_current", e.lasting_current, rated("current"), "A", "RMS current"))
    else:
        found.append(Check("winding", e.winding, limit, "degC", "winding", task.ambient))
        hull = own(limits.housing_temperature)
        if not np.isnan(e.housing).all():
            found.append(Check("housing", np.nan_to_num(e.housing, nan=-np.inf), hull, "degC", "housing", task.ambient))
    return found


def winding_limit(task: Task, batch: Batch) -> np.ndarray:
    """Hottest winding that maker and task allow [°C]; NaN: neither says it."""
    stated, own = batch.rated["winding_temperature"], task.limits.winding_temperature
    return stated if own is None else np.fmin(stated, float(own))


def lacks_of(task: Task, batch: Batch) -> dict[str, np.ndarray]:
    """Pairs that do not state what the task needs, by a sentence."""
    found: dict[str, np.ndarray] = {}
    if "mass" in task.wanted or task.limits.mass is not None:
        found["does not state its mass, which the task needs"] = np.isnan(batch.mass)
    if task.limits.diameter is not None:
        found["does not state its diameter, which the task limits"] = np.isnan(batch.diameter)
    thermal, every = batch.motor.thermal, np.ones(len(batch), dtype=bool)
    if thermal is not None:
        lacks = np.isnan(winding_limit(task, batch))
        found["states no winding temperature limit; give [limits] winding_temperature"] = lacks
    else:
        found |= {f"has no thermal figures, and {words}": every for words in _heat_needs(task)}
    if task.limits.housing_temperature is not None and not isinstance(thermal, TwoNodeThermal):
        found["has no thermal figures of its housing, whose temperature the task limits"] = every
    return found


def _heat_needs(task: Task) -> list[str]:
    """What of a task a continuous current alone does not answer, each as a clause."""
    needs = []
    if "winding_temperature" in task.wanted:
        needs.append("the task wants a cool winding")
    if task.limits.winding_temperature is not None:
        needs.append("the task limits the winding's temperature")
    if task.ambient > RATED_AIR:
        air = f"{task.ambient:g} °C around it"
        needs.append(f"its continuous current holds up to {RATED_AIR:g} °C: nothing says what it can bear with {air}")
    if task.mounting > 1.0:
        needs.append(f"nothing says what it can bear with a mounting of {task.mounting:g}")
    return needs


def sentence(check: Check, k: int, motor: Motor, cycle: Cycle, task: Task, e: Evaluation) -> str:
    """Why a pair is out and how far, such as "winding reaches 171 °C of 155 °C after 6.3 min"."""
    value, limit = float(check.value[k]), float(check.limit[k])
    if check.name == "winding":
        celsius, most = _degrees(value, limit)
        reaches = "runs away above" if np.isinf(value) else f"reaches {celsius} of"
        return f"winding {reaches} {most}{_after(motor, cycle, task, e, k, limit)}"
    if check.name == "housing":
        celsius, most = _degrees(value, limit)
        return f"housing {'runs away above' if np.isinf(value) else f'reaches {celsius} of'} {most}"
    if check.name == "voltage":
        volts = float(task.supply.voltage)
        if limit < 0.49 * float(task.supply.largest_share) * volts:
            # no bus falls below a half of its supply, except where more is drawn than that gives at any voltage
            most = volts**2 / (4.0 * float(task.supply.resistance or np.inf))
            needs = volts - float(e.spare_voltage[k])
            gives, would = format_quantity(most, "W", 3), format_quantity(needs, "V", 3)
            return f"draws more than the {gives} that the supply can give; one of {would} would do"
        needs, gives = _both(value, max(limit, 0.0), "V")
        return f"needs {needs} at the terminals, and the bus gives {gives}"
    if np.isinf(value):
        return f"{check.words} is without bounds: friction locks the joint"
    takes, allowed = _both(value, limit, check.unit)
    share = 100.0 * value / limit
    return (
        f"{check.words} {takes} of {allowed} ({share:.0f} %)"
        if share >= 100.5
        else f"{check.words} {takes} of {allowed}"
    )


def _both(value: float, limit: float, unit: str) -> tuple[str, str]:
    """What is taken and what is allowed, with as many digits as tell them apart."""
    digits = 3
    while digits < MOST_DIGITS and format_quantity(value, unit, digits) == format_quantity(limit, unit, digits):
        digits += 1
    return format_quantity(value, unit, digits), format_quantity(limit, unit, digits)


def _degrees(value: float, limit: float) -> tuple[str, str]:
    """Two temperatures, with as many decimals as tell them apart."""
    decimals = 0
    while decimals < MOST_DIGITS and f"{value:.{decimals}f}" == f"{limit:.{decimals}f}":
        decimals += 1
    return f"{value:.{decimals}f} °C", f"{limit:.{decimals}f} °C"


def _after(motor: Motor, cycle: Cycle, task: Task, e: Evaluation, k: int, limit: float) -> str:
    """How long it takes from cold until the winding reaches its limit."""
    made = at_ambient(motor, task.ambient, task.mounting)
    iron = iron_power(made, 1.0) * float(made.ratio) ** 2 * cycle.mean_square_speed()
    if limit <= task.ambient:
        return ": the air is already warmer"
    # the ripple stands on the mean: it reaches the limit when the mean comes within the ripple
    ripple = max(float(e.winding[k] - e.mean_winding[k]), 0.0) if np.isfinite(e.winding[k]) else 0.0
    mean_limit = max(limit - ripple, task.ambient + 0.02 * (limit - task.ambient))
    if np.isfinite(e.mean_winding[k]):
        # a limit that is met at the very end is met when all but a hundredth of the rise is there
        mean_limit = min(mean_limit, task.ambient + 0.99 * (float(e.mean_winding[k]) - task.ambient))
    seconds = float(warm_up_time(made, task.ambient, e.square_cold[k : k + 1], iron, np.array([mean_limit]))[0])
    if np.isinf(seconds):
        return ""
    return f" after {duration_text(seconds)}"


def duration_text(seconds: float) -> str:
    """A time in seconds, minutes or hours."""
    if seconds < 100.0:
        return f"{seconds:.2g} s" if seconds < 10.0 else f"{seconds:.0f} s"
    return f"{seconds / 60.0:.2g} min" if seconds < 6000.0 else f"{seconds / 3600.0:.2g} h"
