"""A run against the motor's ratings: what was exceeded, when, for how long, and what could not be checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..actuator.degrees import degrees_hint
from ..checks import Maybe
from ..motor import Motor
from ..parts import acts
from ..run import Run
from ..run_finding import RunFinding
from ..units import format_quantity
from .gear_load import gear_output_torque
from .heat import time_to_limit
from .stretches import Stretches, overload, rms, rms_within, stretches

SEVERITIES = ("warning", "hint", "info")
"""How bad, the worst first."""
ROUNDING = 1e-6
"""A limit that the drive holds is met to this share of it [1]."""


def findings(run: Run) -> list[RunFinding]:
    """What a run exceeded, hints, and what could not be checked, the worst first."""
    found = list(_target(run))
    if run.motor is None:
        words = "this actuator has no motor: current, heat and gear torque were not checked"
        return [*found, RunFinding(what="unknown", severity="info", explanation=words, unknown=("motor",))]
    seen = _Seen(run, run.motor)
    for look in (_winding, _peak, _peak_duration, _current, _speeds, _gear, _supply, _unknown, _recording):
        found += look(seen)
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


class _Seen:
    """A run as (time, motors), and what its motor is allowed."""

    def __init__(self, run: Run, motor: Motor):
        self.run, self.motor = run, motor
        self.batch: tuple[int, ...] = run["position"].shape[1:]
        self.spacing = float(run.time[-1]) / len(run.time)
        """Time between recorded steps [s]."""

    def flat(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(values, dtype=float).reshape(len(self.run.time), -1)

    def channel(self, name: str) -> np.ndarray:
        return self.flat(self.run[name])

    def size(self, name: str) -> np.ndarray:
        return np.abs(self.channel(name))

    def rating(self, name: str) -> np.ndarray | None:
        """A rating of each motor; None: the maker does not say."""
        ratings, limits = self.motor.ratings, self.motor.limits
        value: Maybe = None if ratings is None else getattr(ratings, name)
        if name == "current" and value is None and limits is not None:
            value = limits.continuous_current
        return None if value is None else np.broadcast_to(np.asarray(value, dtype=float), self.batch).reshape(-1)

    def finding(
        self,
        what: str,
        words: Callable[[int], str],
        concerned: np.ndarray,
        ratio: np.ndarray,
        when: Stretches | None = None,
        severity: Literal["warning", "info"] = "warning",
        *,
        unit: str,
        **numbers: np.ndarray,
    ) -> list[RunFinding]:
        """A finding about the motors that it concerns, in the words for the worst of them; none if it concerns none."""
        if not concerned.any():
            return []
        worst = int(np.argmax(np.where(concerned, ratio, -np.inf)))
        index = tuple(int(i) for i in np.unravel_index(worst, self.batch)) if self.batch else ()
        many = f"{concerned.sum()} of {concerned.size} motors, the worst {list(index)}: " if index else ""
        picked: dict[str, Any] = {name: float(values[worst]) for name, values in numbers.items()}
        if when is not None:
            picked["first"] = float(self.run.time[when.first[worst]])
            picked |= {name: self.spacing * int(getattr(when, name)[worst]) for name in ("total", "longest")}
        count, words_of_all = int(concerned.sum()), many + words(worst)
        return [
            RunFinding(
                what=what, severity=severity, explanation=words_of_all, unit=unit, motors=count, worst=index, **picked
            )
        ]

    def times(self, when: Stretches, worst: int) -> str:
        """For how long, and from when on."""
        total, longest = (_seconds(self.spacing * n) for n in (int(when.total[worst]), int(when.longest[worst])))
        stretch = "at a stretch" if total == longest else f"in all, {longest} at a stretch"
        return f"for {total} {stretch}, first at {_seconds(float(self.run.time[when.first[worst]]))}"


# --- heat and current


def _hot(seen: _Seen) -> np.ndarray | None:
    """When the winding of each motor is above its maximum; None: unknown."""
    limit = seen.rating("winding_temperature")
    if limit is None or seen.motor.thermal is None:
        return None
    return seen.channel("winding_temperature") > limit + ROUNDING * np.abs(limit)


def _winding(seen: _Seen) -> list[RunFinding]:
    hot, limit = _hot(seen), seen.rating("winding_temperature")
    if hot is None or limit is None:
        return []
    highest, when = seen.channel("winding_temperature").max(axis=0), stretches(hot)

    def words(k: int) -> str:
        top, allowed = format_quantity(highest[k], "degC"), format_quantity(limit[k], "degC")
        return f"the winding reached {top}; it was above its maximum of {allowed} {seen.times(when, k)}"

    over = highest - limit
    return seen.finding(
        "winding_temperature", words, when.total > 0, over, when, limit=limit, value=highest, unit="degC"
    )


def _current(seen: _Seen) -> list[RunFinding]:
    """Above the continuous current: a warning if the winding overheats, or if heat is unknown and the RMS is above."""
    limit = seen.rating("current")
    if limit is None:
        return []
    size = seen.size("current")
    when, mean, hot = stretches(_above(size, limit)), rms(size), _hot(seen)
    bad = mean > limit * (1.0 + ROUNDING) if hot is None else hot.any(axis=0)
    bad = bad & (when.total > 0)
    stretch = when if hot is None else _until(hot, when)
    held = rms_within(size, stretch)
    bearable = None if hot is None else _bearable(seen, held, stretch)

    def words(k: int) -> str:
        allowed, average = _amperes(limit[k]), _amperes(mean[k])
        most = (
            f"the current was above the continuous {allowed} {seen.times(when, k)}; its RMS over the run is {average}"
        )
        if bearable is None:
            missing = "thermal model" if seen.motor.thermal is None else "maximum winding temperature"
            return f"{most}; how long the winding can bear that is unknown without a {missing}"
        part = "longest stretch" if stretch.longest[k] == when.longest[k] else "longest stretch up to the maximum"
        time = "continuously" if np.isinf(bearable[k]) else f"for {_seconds(bearable[k])}"
        return f"{most}; the winding can bear the {_amperes(held[k])} of its {part} {time}"

    concerned, severity = (bad, "warning") if bad.any() else (when.total > 0, "info")
    # the worst can bear its current for the smallest share of the time that it lasts
    worst = mean / limit if bearable is None else when.longest / np.maximum(bearable, 1e-300)
    more = {} if bearable is None else {"bearable": bearable}
    return seen.finding(
        "current", words, concerned, worst, when, severity, limit=limit, value=size.max(axis=0), unit="A", **more
    )


def _bearable(seen: _Seen, held: np.ndarray, when: Stretches) -> np.ndarray:
    """How long each winding can bear the current of its longest stretch, from where it was when that began [s]."""
    before = np.maximum(when.begin - 1, 0)[None]
    start = tuple(
        np.take_along_axis(seen.channel(name), before, axis=0)[0].reshape(seen.batch)
        for name in ("winding_temperature", "housing_temperature")
        if name in seen.run.channels
    )
    speed = rms_within(seen.channel("rotor_speed"), when).reshape(seen.batch)
    return time_to_limit(seen.motor, held.reshape(seen.batch), start, motor_speed=speed).reshape(-1)


def _until(hot: np.ndarray, when: Stretches) -> Stretches:
    """The longest stretch up to where the winding passes its maximum, if it does so on the way."""
    steps = np.arange(len(hot))[:, None]
    later = hot & (steps > when.begin) & (steps < when.begin + when.longest)
    length = np.where(later.any(axis=0), later.argmax(axis=0) - when.begin, when.longest)
    return replace(when, longest=length)


def _peak(seen: _Seen) -> list[RunFinding]:
    words = "the current reached {}; its peak of {} was exceeded"
    return _over(seen, "peak_current", seen.size("current"), "A", words)


def _peak_duration(seen: _Seen) -> list[RunFinding]:
    """How long the peak current would take to heat as much as the current did beyond the continuous one."""
    peak, allowed, continuous = (seen.rating(name) for name in ("peak_current", "peak_duration", "current"))
    if peak is None or allowed is None:
        return []
    size = seen.size("current")
    if continuous is None:
        lasted = seen.spacing * stretches(size >= peak * (1.0 - ROUNDING)).longest
    else:
        room = np.square(peak) - np.square(continuous)
        lasted = np.where(room > 0.0, overload(size, continuous, seen.spacing) / np.where(room > 0.0, room, 1.0), 0.0)

    def words(k: int) -> str:
        return (
            f"the overload was that of {_seconds(lasted[k])} at the peak current of {_amperes(peak[k])}, "
            f"which may last {_seconds(allowed[k])}"
        )

    over = lasted > allowed * (1.0 + ROUNDING)
    return seen.finding("peak_duration", words, over, lasted / allowed, limit=allowed, value=lasted, unit="s")


# --- speed and gears


def _speeds(seen: _Seen) -> list[RunFinding]:
    size = seen.size("rotor_speed")
    of_rotor = "the rotor reached {}; its maximum of {} was exceeded"
    of_gear = "the input of the gearbox reached {}; its permissible {} were exceeded"
    return [
        *_over(seen, "speed", size, seen.run.unit("rotor_speed"), of_rotor),
        *_over(seen, "gear_input_speed", size, "rad/s", of_gear),
    ]


def _gear(seen: _Seen) -> list[RunFinding]:
    limit = seen.rating("gear_torque")
    if limit is None and seen.rating("gear_peak_torque") is None:
        return []
    size = np.abs(seen.flat(gear_output_torque(seen.run)))
    short = "the output of the gearbox carried {}; its permissible short torque of {} was exceeded"
    found = _over(seen, "gear_peak_torque", size, "N*m", short)
    if limit is None:
        return found
    when, mean = stretches(_above(size, limit)), rms(size)

    def words(k: int) -> str:
        average, allowed = (format_quantity(x, "N*m") for x in (mean[k], limit[k]))
        return (
            f"the output of the gearbox carried {average} RMS over the run; it was above its permissible continuous "
            f"torque of {allowed} {seen.times(when, k)}"
        )

    bad = mean > limit * (1.0 + ROUNDING)
    concerned, severity = (bad, "warning") if bad.any() else (when.total > 0, "info")
    return found + seen.finding(
        "gear_torque", words, concerned, mean / limit, when, severity, limit=limit, value=mean, unit="N*m"
    )


def _over(seen: _Seen, rating: str, size: np.ndarray, unit: str, words: str) -> list[RunFinding]:
    """A size that must never be above its rating."""
    limit = seen.rating(rating)
    if limit is None:
        return []
    when, largest = stretches(_above(size, limit)), size.max(axis=0)

    def sentence(k: int) -> str:
        both = words.format(*(format_quantity(x, unit) for x in (largest[k], limit[k])))
        return f"{both} {seen.times(when, k)}"

    return seen.finding(rating, sentence, when.total > 0, largest / limit, when, limit=limit, value=largest, unit=unit)


def _above(size: np.ndarray, limit: np.ndarray) -> np.ndarray:
    return size > limit * (1.0 + ROUNDING)


# --- supply, command, and what is not known


def _supply(seen: _Seen) -> list[RunFinding]:
    """What battery and cables have to carry, which nothing here limits."""
    supply = seen.run.actuator.supply
    if supply is None:
        return []
    drawn, bus, burnt = (seen.channel(name) for name in ("bus_current", "bus_voltage", "brake_power"))
    most, back, low, brake = drawn.max(axis=0), -drawn.min(axis=0), bus.min(axis=0), burnt.max(axis=0)

    def words(k: int) -> str:
        at = _seconds(float(seen.run.time[drawn[:, k].argmax()]))
        parts = [f"the supply gave at most {_amperes(max(most[k], 0.0))}, at {at}"]
        parts += [f"took back at most {_amperes(back[k])}"] if back[k] > ROUNDING * max(most[k], 0.0) else []
        parts += [f"fell to {format_quantity(low[k], 'V')}"] if acts(supply, "resistance") else []
        parts += [f"its brake resistor dissipated at most {format_quantity(brake[k], 'W')}"] if brake[k] > 0.0 else []
        return ", ".join(parts)

    every = np.ones(most.shape, dtype=bool)
    return seen.finding("supply_current", words, every, most, severity="info", value=most, unit="A")


def _target(run: Run) -> list[RunFinding]:
    hint = degrees_hint(run.actuator, run.data)
    return [] if hint is None else [RunFinding(what="target", severity="hint", explanation=hint)]


_RATINGS = {
    "winding_temperature": "the maximum winding temperature",
    "current": "the continuous current",
    "peak_current": "the peak current",
    "peak_duration": "how long the peak current may last",
    "speed": "the maximum speed",
}
_GEAR_RATINGS = {
    "gear_torque": "the gearbox's continuous torque",
    "gear_peak_torque": "the gearbox's short torque",
    "gear_input_speed": "the gearbox's input speed",
}


def _unknown(seen: _Seen) -> list[RunFinding]:
    """What could not be checked."""
    words = _RATINGS if seen.motor.gearbox is None else _RATINGS | _GEAR_RATINGS
    missing = {name: said for name, said in words.items() if seen.rating(name) is None}
    if seen.motor.thermal is None:
        missing = {"thermal": "how the winding heats up"} | missing
    if not missing:
        return []
    if "peak_current" in missing:
        # without the peak current, its duration does not matter
        missing.pop("peak_duration", None)
    sentence = f"not checked, since the motor's figures do not give {', '.join(missing.values())}"
    return [RunFinding(what="unknown", severity="info", explanation=sentence, unknown=tuple(missing))]


def _recording(seen: _Seen) -> list[RunFinding]:
    every = round(seen.spacing / seen.run.dt)
    if every == 1:
        return []
    sentence = f"one step in {every} was recorded: what happened in between was not checked"
    return [RunFinding(what="recording", severity="info", explanation=sentence)]


def _seconds(value: float) -> str:
    return format_quantity(value, "s", 3)


def _amperes(value: float) -> str:
    return format_quantity(value, "A")
