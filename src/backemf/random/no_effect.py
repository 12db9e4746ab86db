"""Limits that would never act: what randomising them would hide in silence."""

from __future__ import annotations

import numpy as np

from ..actuator.torque_limits import AngleTable, DcClip, DriveEnvelope, EffortLimit, KneeCurve, TorqueSpeedTable
from ..errors import ParameterError
from ..motor import Motor
from ..parts import acts
from .idle_parameters import Ends, Ranges, require_something_to_act_on

_CURRENTS = ("limits.peak_current", "limits.continuous_current", "limits.safe_current")


def require_effect(target: object, ends: Ends) -> None:
    """Check that a limit can act somewhere in the range over which it varies; raise `ParameterError` if not."""
    motor = target if isinstance(target, Motor) else getattr(target, "motor", None)
    inside = "" if motor is target else "motor."
    for name in ends:
        if name.startswith(f"{inside}ratings."):
            raise ParameterError(
                f'randomize: "{name}" would do nothing: ratings say what the maker allows and nothing enforces them; '
                "vary the drive's limits instead"
            )
    require_something_to_act_on(target, ends)
    if isinstance(motor, Motor):
        span = _Span(motor, ends, inside)
        if motor is not target:
            _require_reachable_current(target, span, ends)
        _require_derating(span)
        if motor is not target:
            _require_effort_below_motor(target, span, ends)
    _require_lowest_cap(getattr(target, "limits", None), ends)


class _Span(Ranges):
    """Smallest and largest value of any number of a motor, whether it varies or not."""

    def __init__(self, motor: Motor, ends: Ends, inside: str):
        self.motor = motor
        varying = {name.removeprefix(inside): pair for name, pair in ends.items() if name.startswith(inside)}
        self.varies = set(varying)
        super().__init__(motor, varying)

    @property
    def full_current(self) -> str | None:
        """Name of the drive's current limit when cool; None: it has none."""
        names = ("limits.peak_current", "limits.continuous_current")
        return next((name for name in names if name in self), None)


def _largest(part: object, name: str, ends: Ends, prefix: str) -> float:
    """Largest value of a field that may vary."""
    full = f"{prefix}.{name}"
    return float(np.max(ends[full][1] if full in ends else getattr(part, name)))


# --- currents


def _require_reachable_current(target: object, span: _Span, ends: Ends) -> None:
    """A supply drives at most 2·V/R: its own voltage and as much back-EMF, at the no-load speed the wrong way."""
    supply = getattr(target, "supply", None)
    if supply is None:
        return
    volts = _largest(supply, "voltage", ends, "supply")
    if supply.curve is None:
        # a curve of the bridge may reach all of the bus
        volts *= _largest(supply, "modulation_limit", ends, "supply")
    if "voltage_limit" in ends and float(np.min(ends["voltage_limit"][0])) >= volts:
        least = float(np.min(ends["voltage_limit"][0]))
        raise ParameterError(
            f'randomize: "voltage_limit" of {least:g} V and more would never act: '
            f"the supply gives at most {volts:g} V; lower the range"
        )
    limit = getattr(target, "voltage_limit", None)
    if limit is not None:
        volts = min(volts, float(np.max(ends.get("voltage_limit", (0, limit))[1])))
    most = 2.0 * volts / _least_resistance(span)
    lowest = {name: span.low(name) for name in _CURRENTS if name in span.varies}
    if "controller.current_limit" in ends:
        lowest["controller.current_limit"] = float(np.min(ends["controller.current_limit"][0]))
    for name, least in lowest.items():
        if least > most:
            raise ParameterError(
                f'randomize: "{name}" of {least:g} A and more would never act: {volts:g} V drive at most '
                f"{most:g} A, twice the stall current; lower the range"
            )
    fastest = "limits.current_rate"
    if fastest in span.varies and "winding.inductance" in span:
        rate = 2.0 * volts / span.low("winding.inductance")
        if span.low(fastest) > rate:
            raise ParameterError(
                f'randomize: "{fastest}" of {span.low(fastest):g} A/s and more would never act: '
                f"{volts:g} V on this inductance change the current by at most {rate:g} A/s; lower the range"
            )


def _least_resistance(span: _Span) -> float:
    """Resistance of the coldest winding, which is at ambient temperature [Ω]."""
    cold = 1.0
    if span.motor.thermal is not None:
        below = min(span.low("thermal.ambient") - span.high("winding.reference_temperature"), 0.0)
        cold = 1.0 + span.high("winding.temperature_coefficient") * below
    return span.low("winding.resistance") * max(cold, 1e-9)


def _require_derating(span: _Span) -> None:
    """Derating acts between ambient temperature and the hottest the winding can get at the full current."""
    limits, thermal = span.motor.limits, span.motor.thermal
    if limits is None or thermal is None or not limits.derates:
        return
    ambient = span.low("thermal.ambient")
    if "limits.derating_end" in span.varies and span.high("limits.derating_end") <= ambient:
        raise ParameterError(
            f'randomize: "limits.derating_end" of {span.high("limits.derating_end"):g} °C and less leaves the limit at '
            f"its low value for ever: the winding is never below the ambient {ambient:g} °C; raise the range"
        )
    if "limits.derating_start" not in span.varies or acts(span.motor.magnet, "iron_loss"):
        return
    hottest = _hottest(span, span.full_current or "")
    if span.low("limits.derating_start") >= hottest:
        raise ParameterError(
            f'randomize: "limits.derating_start" of {span.low("limits.derating_start"):g} °C and more would never '
            f"act: at the full current for ever the winding gets no hotter than {hottest:g} °C; lower the range"
        )


def _hottest(span: _Span, full: str) -> float:
    """Steady temperature of the winding at its full current [°C]; inf where it runs away.

    T = Ta + Rth·R0·(1 + α(T - T0))·i², solved for T.
    """
    parts = ("thermal.resistance", "thermal.winding_resistance", "thermal.housing_resistance")
    heat = sum(span.high(name) for name in parts if name in span)
    heat *= span.high("winding.resistance") * span.high(full) ** 2
    slope = span.high("winding.temperature_coefficient")
    if heat * slope >= 1.0:
        return float("inf")
    ambient = span.high("thermal.ambient")
    return ambient + heat * (1.0 + slope * (ambient - span.low("winding.reference_temperature"))) / (1.0 - heat * slope)


# --- torques


_TOPS: dict[type, tuple[str, ...]] = {
    EffortLimit: ("effort_limit",),
    DcClip: ("effort_limit",),
    DriveEnvelope: ("max_effort",),
    KneeCurve: ("driving_effort", "braking_effort"),
    TorqueSpeedTable: ("driving", "braking"),
    AngleTable: ("effort",),
}
_EFFORTS = {name for kind in (EffortLimit, DcClip, DriveEnvelope, KneeCurve) for name in _TOPS[kind]}


def _is_effort(name: str) -> bool:
    """Whether this is the flat top of one of an actuator's torque limits."""
    words = name.split(".")
    return len(words) == 3 and words[0] == "limits" and words[2] in _EFFORTS


def _cap(limit: object, prefix: str, ends: Ends) -> float | None:
    """Torque that a limit never exceeds, whatever is drawn [N·m]."""
    names = [name for name in _TOPS.get(type(limit), ()) if getattr(limit, name) is not None]
    return max((_largest(limit, name, ends, prefix) for name in names), default=None)


def _require_lowest_cap(limits: object, ends: Ends) -> None:
    """A flat limit must not be raised above what another limit allows at most."""
    if not isinstance(limits, tuple):
        return
    for name, (_, high) in ends.items():
        for index, other in enumerate(limits):
            own = not _is_effort(name) or name.split(".")[1] == str(index)
            cap = None if own else _cap(other, f"limits.{index}", ends)
            if cap is not None and float(np.max(high)) > cap:
                raise ParameterError(
                    f'randomize: "{name}" of up to {float(np.max(high)):g} N·m would not act above {cap:g} N·m, '
                    f"where limits.{index}, a {type(other).__name__}, ends; end the range there or raise that limit"
                )


def _require_effort_below_motor(target: object, span: _Span, ends: Ends) -> None:
    """A torque limit beside a motor acts only below the torque of the motor's own current limit."""
    motor, full = span.motor, span.full_current
    if full is None or motor.magnet.saturation is not None:
        return
    stages = () if motor.gearbox is None else range(len(motor.gearbox.stages))
    ratios = [f"gearbox.stages.{index}.ratio" for index in stages]
    turns = np.prod([max(abs(span.low(name)), abs(span.high(name))) for name in ratios])
    most = float(turns) * span.high("magnet.torque_constant") * span.high(full)
    for name, (low, _) in ends.items():
        if _is_effort(name) and float(np.min(low)) > most:
            raise ParameterError(
                f'randomize: "{name}" of {float(np.min(low)):g} N·m and more would never act: the motor\'s own current '
                f"limit ends at {most:g} N·m; lower the range or raise motor.{full}"
            )
