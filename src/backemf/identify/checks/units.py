"""Units that were taken for others: degrees for radians, rpm for rad/s, mA for A."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..signals import slope_over
from .steps import check_steps
from .view import View, amount, finding

DEGREE, RPM, TURN = math.pi / 180, math.pi / 30, 2 * math.pi
FACTORS: dict[float, tuple[dict[str, str], str]] = {
    1 / DEGREE: ({"position": "deg"}, "position is in degrees and read as rad"),
    DEGREE: ({"velocity": "deg/s"}, "velocity is in deg/s and read as rad/s"),
    RPM: ({"velocity": "rpm"}, "velocity is in rpm and read as rad/s"),
    1 / TURN: ({"position": "rev"}, "position is in turns and read as rad"),
    TURN: ({"velocity": "rev/s"}, "velocity is in turns per second and read as rad/s"),
    1e-3: ({"time": "ms"}, "time is in ms and read as s"),
    1e-6: ({"time": "us"}, "time is in µs and read as s"),
    RPM / DEGREE: ({"position": "deg", "velocity": "rpm"}, "position is in degrees and velocity in rpm"),
    TURN / DEGREE: (
        {"position": "deg", "velocity": "rev/s"},
        "position is in degrees and velocity in turns per second",
    ),
    RPM / TURN: ({"position": "rev", "velocity": "rpm"}, "position is in turns and velocity in rpm"),
    DEGREE / TURN: ({"position": "rev", "velocity": "deg/s"}, "position is in turns and velocity in deg/s"),
}
"""Slope of the position over the velocity, and what explains it: the units to give, and words."""
NEAR = 0.12
"""How far a slope may be from a factor [1]."""
ABSURD = 20.0
"""A current of so many times the motor's stall current is in another unit [1]."""
MORE = 2.5
"""A current or torque of so many times that at stall is another motor's: at full speed backwards it is twice [1]."""
BEYOND = 2.0
"""A speed of so many times the motor's no-load speed is in another unit [1]."""
FAR = 3.0
"""Least way of a position that may be in degrees: so many of them are seen as a motion [rad, if it were so]."""

GEARED, FAR_GEAR = 1.5, 20.0
"""Ratios from which on the sides of a gear can be told apart, and are so even where a drive follows badly [1]."""
BOTH, RECTIFIED = 0.15, 0.45
"""Share of the samples that each sign has at least, and correlation with a size that shows a lost sign [1]."""
OPPOSITE = -0.9
"""Correlation of torque and current below which one of them has the wrong sign [1]."""
MANY = 2.0
"""A joint under position control that goes over more turns is worth a word [1]."""


def check_units(view: View) -> Iterator[Finding]:
    """Steps, position against velocity, command against position, sizes that no drive has, and sizes of this motor."""
    found = list(check_steps(view))
    if view.has("position", "velocity"):
        found += _against_velocity(view)
    if view.has("position", "position_command"):
        found += _against_command(view)
    found += [*_sizes(view), *_torque_sign(view), *_unsigned(view)]
    found += [each for each in _against_motor(view) if each.figure not in {other.figure for other in found}]
    yield from found
    if not any(each.figure in ("position", "position_command") for each in found):
        yield from _turns(view)


def _against_velocity(view: View) -> Iterator[Finding]:
    slope = np.interp(view.log.times("velocity"), view.log.times("position"), view.slope)
    velocity = view.velocity
    if not velocity.any() or not slope.any():
        return
    fit = float(slope @ velocity) / math.sqrt(float(slope @ slope) * float(velocity @ velocity))
    # between the two regressions, so that noise in either does not pull
    factor = math.copysign(math.sqrt(float(slope @ slope) / float(velocity @ velocity)), fit)
    if abs(fit) < 0.8 or 0.8 < factor < 1.25:
        return
    if factor < 0:
        yield finding(
            "velocity", "error", f"has the opposite sign of the slope of the position (slope over velocity "
            f"{factor:.3g}); turn one of them around", "sign",
        )  # fmt: skip
        return
    nearest = min(FACTORS, key=lambda size: abs(math.log(factor / size)))
    if abs(math.log(factor / nearest)) < NEAR:
        units, words = FACTORS[nearest]
        channel, unit = next(iter(units.items()))
        given = ", ".join(f'"{name}": "{each}"' for name, each in units.items())
        yield finding(
            channel,
            "error",
            f"the slope of the position is {factor:.4g} times the velocity: {words}; give units={{{given}}}",
            f"{unit}-as-si",
        )
        return
    if abs(fit) < 0.95:
        return
    yield finding(
        "velocity",
        "error",
        f"the slope of the position is {factor:.4g} times the velocity: one of both is in another unit, or on the "
        "other side of the gear; give its unit, or log both at the joint",
        "factor",
    )


def _against_command(view: View) -> Iterator[Finding]:
    log = view.log
    asked = np.interp(log.times("position"), log.times("position_command"), log["position_command"])
    spread, done = float(np.std(asked)), float(np.std(log["position"]))
    if spread == 0.0 or done == 0.0:
        return
    fit = float(np.corrcoef(asked, log["position"])[0, 1])
    off = done / spread
    # degrees and the far side of a gear are far off; turns are near to what a resonance or a weak drive does
    known = [("deg", 1.0 / DEGREE, "in degrees and read as rad", 0.7, 0.5),
             ("rev", 1.0 / TURN, "in turns and read as rad", 0.12, 0.95)]  # fmt: skip
    if (ratio := view.motor.ratio) > GEARED:
        words = f"of the motor's shaft, before a gear of {ratio:.4g}"
        known.append((f"{1.0 / ratio:.6g} rad", ratio, words, *((0.7, 0.5) if ratio > FAR_GEAR else (0.12, 0.95))))
    possible = [
        (abs(math.log(off / each)), name, unit, words)
        for unit, size, words, near, least in known
        for name, each in (("position", size), ("position_command", 1.0 / size))
        if fit > least and abs(math.log(off / each)) < near
    ]
    for _, name, unit, words in sorted(possible)[:1]:
        yield finding(
            name,
            "error",
            f"position moves {off:.3g} times as far as its command: {name} is {words}; "
            f'give units={{"{name}": "{unit}"}}',
            f"{unit}-as-si" if unit in ("deg", "rev") else "motor-side",
        )


def _torque_sign(view: View) -> Iterator[Finding]:
    """A torque against its current: that of a brake, which holds the motor."""
    if not view.has("torque", "current"):
        return
    log = view.log
    torque = np.interp(log.times("current"), log.times("torque"), log["torque"])
    if np.ptp(torque) == 0.0 or np.ptp(log["current"]) == 0.0:
        return
    fit = float(np.corrcoef(torque, log["current"])[0, 1])
    if fit < OPPOSITE:
        yield finding(
            "torque", "error", f"falls where the current rises (correlation {fit:.3f}): it is that of the brake or has "
            "another sign than the current; turn one of them around", "sign",
        )  # fmt: skip


def _unsigned(view: View) -> Iterator[Finding]:
    """A current without its sign: it follows the size of what drives it, both ways."""
    log = view.log
    if not view.has("current") or log["current"].min() < 0.0 or np.ptp(log["current"]) == 0.0:
        return
    time = log.times("current")
    if view.has("duty"):
        push, words = np.interp(time, log.times("duty"), log["duty"]), "the duty"
    elif view.has("position", "position_command"):
        # a command is held until the next one
        held = np.clip(np.searchsorted(log.times("position_command"), time, side="right") - 1, 0, None)
        push = log["position_command"][held] - np.interp(time, log.times("position"), log["position"])
        words = "the error of the position"
    else:
        return
    if min((push > 0.0).mean(), (push < 0.0).mean()) < BOTH or np.ptp(np.abs(push)) == 0.0:
        return
    size, signed = (float(np.corrcoef(each, log["current"])[0, 1]) for each in (np.abs(push), push))
    if size > RECTIFIED and size > abs(signed) + 0.3:
        yield finding(
            "current", "error", f"is never negative and follows the size of {words} (correlation {size:.2f}), which "
            f"has both signs ({signed:.2f}): it has lost its sign; give it back, or leave it out", "unsigned",
        )  # fmt: skip


def _turns(view: View) -> Iterator[Finding]:
    """A joint under position control that goes over many turns: few can, and degrees look like it."""
    if not view.has("position", "position_command"):
        return
    low, high = np.percentile(view.log["position"], [0.5, 99.5])
    if (way := (high - low) / TURN) > MANY:
        yield finding(
            "position", "warning", f"goes over {way:.3g} turns under position control: where the joint cannot, it is "
            'in degrees and read as rad; give units={"position": "deg", "position_command": "deg"}', "turns",
        )  # fmt: skip


def _sizes(view: View) -> Iterator[Finding]:
    """Sizes that no drive has."""
    for name in ("duty", "duty_command"):
        if name in view.log and (most := float(np.abs(view.log[name]).max())) > 1.05:
            yield finding(
                name, "error", f"reaches {most:.3g}, and full duty is 1: it is in % or in counts; "
                f'give units={{"{name}": "%"}}, or divide by the full count', "%-as-si",
            )  # fmt: skip
    if "bus_voltage" in view.log and (volts := float(np.median(view.log["bus_voltage"]))) > 1000.0:
        yield finding(
            "bus_voltage", "error", f'{volts:.4g} V: it is in mV and read as V; give units={{"bus_voltage": "mV"}}',
            "mV-as-si",
        )  # fmt: skip
    for name in ("winding_temperature", "housing_temperature"):
        if name in view.log and 250.0 < (middle := float(np.median(view.log[name]))) < 450.0:
            yield finding(
                name, "error", f"{middle:.4g} °C: it is in kelvin and read as °C; give units={{\"{name}\": \"K\"}}",
                "K-as-si",
            )  # fmt: skip


def _against_motor(view: View) -> Iterator[Finding]:
    """Sizes that this motor cannot have."""
    log, motor = view.log, view.motor
    if "current" in log and motor.current is not None:
        most = float(np.abs(log["current"]).max())
        if most > ABSURD * motor.current:
            yield finding(
                "current", "error", f"reaches {amount(most, 'current')}, {most / motor.current:.3g} times the motor's "
                f'stall current of {amount(motor.current, "current")}: it is in mA and read as A; '
                'give units={"current": "mA"}', "mA-as-si",
            )  # fmt: skip
        elif most > MORE * motor.current:
            yield _more("current", most, motor.current)
    if "torque" in log and motor.torque is not None:
        most = float(np.abs(log["torque"]).max())
        if most > ABSURD * motor.torque:
            yield finding(
                "torque", "error", f"reaches {amount(most, 'torque')}, {most / motor.torque:.3g} times the motor's "
                f"stall torque of {amount(motor.torque, 'torque')}: it is in mN·m and read as N·m; "
                'give units={"torque": "mNm"}', "mNm-as-si",
            )  # fmt: skip
        elif most > MORE * motor.torque:
            yield _more("torque", most, motor.torque)
    if motor.speed is not None and "velocity" in log:
        most = float(np.percentile(np.abs(log["velocity"]), 99))
        if most > BEYOND * motor.speed:
            yield finding(
                "velocity", "error", f"reaches {amount(most, 'velocity')}, {most / motor.speed:.3g} times the motor's "
                f"no-load speed of {amount(motor.speed, 'velocity')} at the joint: it is in another unit, or of the "
                "motor's shaft; give its unit, or divide by the gear's ratio", "speed-of-motor",
            )  # fmt: skip
    elif motor.speed is not None and view.has("position"):
        slope = slope_over(log.times("position"), log["position"])
        most = float(np.percentile(np.abs(slope), 99))
        # noise is fast too, and stays where it is
        if most > BEYOND * motor.speed and float(np.ptp(log["position"])) > FAR:
            degrees = [name for name in ("position", "position_command") if name in log]
            given = ", ".join(f'"{name}": "deg"' for name in degrees)
            shaft = most < BEYOND * motor.ratio * motor.speed and motor.ratio > GEARED
            other = f', or "{1.0 / motor.ratio:.6g} rad" if it is of the motor\'s shaft' if shaft else ""
            yield finding(
                "position", "error", f"moves at {amount(most, 'velocity')}, {most / motor.speed:.3g} times the motor's "
                f"no-load speed of {amount(motor.speed, 'velocity')} at the joint: it is in degrees and read as rad; "
                f"give units={{{given}}}{other}", "deg-as-si",
            )  # fmt: skip


def _more(channel: str, most: float, stall: float) -> Finding:
    """A size that another motor has."""
    return finding(
        channel, "warning", f"reaches {amount(most, channel)}, {most / stall:.3g} times the motor's stall {channel} of "
        f"{amount(stall, channel)}: it is another motor, another voltage, or another unit", "beyond-stall",
    )  # fmt: skip
