"""What does not fit together in a robot: patterns, joints, inertia, limits, units and the supply."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...datasheet import Finding
from ...datasheet.slips import Slip, slips_of
from ...errors import BackemfError
from ...robot.robot import Robot
from ...sims.joint import parts_of, single
from ...sims.robot_model import HINGE, SLIDE
from ...units import format_quantity
from ..duty import Scale, complete_actuator, has_voltage, scale_of
from .placing import Placed, finding, grouped, list_names, place, says_friction
from .supply_current import SupplyCurrent, supply_current

MARGIN = 1.05
"""How far above the motor's a limit of the model may be [1]."""
NEAR = 0.04
"""How near the ratio of two limits is to that of two units where these are mixed up [1]."""
CLEAR = 5.0
"""Ratio of two units that no other reason explains [1]."""
TURNS = 20.0
"""A position beyond this is more likely one in degrees [rad]."""
FAR = 1e3
"""Ratio of two inertias beyond which one of them is in another unit [1]."""
ABOVE_NOMINAL = 2.5
"""Voltage of a supply over the nominal one of a motor beyond which it is one for another motor [1]."""
SAG = 0.2
"""Share of the voltage that a supply may lose under all largest currents [1]."""
SIZES = {"N·m": "N*m", "N": "N", "rad/s": "rad/s", "m/s": "m/s"}


def check_robot(robot: Robot) -> list[Finding]:
    """Everything that does not fit together, the worst first; what agrees is `ok`."""
    found = place(robot)
    findings = [*found.findings]
    findings += [finding("model", "warning", words, "model") for words in found.model.problems]
    rows: list[tuple[str, Finding]] = []
    for each in found.placed:
        rows += [(each.joint.name, one) for one in _of_joint(each)]
    findings += grouped(rows)
    findings += _of_supply(robot, supply_current(robot, found.placed))
    if not any(one.severity in ("error", "warning") for one in findings):
        many = f"{len(found.placed)} joints have" if len(found.placed) != 1 else "its joint has"
        words = f"{many} a motor, and nothing contradicts it"
        findings.append(finding("robot", "ok", words, ""))
    order = ("error", "warning", "info", "ok")
    return sorted(findings, key=lambda one: order.index(one.severity))


# --- a joint


def _of_joint(each: Placed) -> Iterator[Finding]:
    yield from _inertia(each)
    yield from _friction(each)
    yield from _coupling(each)
    yield from _span(each)
    yield from _voltage(each)
    try:
        known = has_voltage(each.thing)
        scale = scale_of(complete_actuator(each.thing)) if known else None
    except BackemfError as error:
        yield finding("", "error", str(error), "actuator")
        return
    if scale is None:
        words = 'no voltage is known: give [supply] voltage = "24 V"'
        yield finding("", "error", words, "no-voltage")
        return
    yield from _limits(each, scale)


def _inertia(each: Placed) -> Iterator[Finding]:
    """Armature of the model beside the rotor of the motor."""
    had, motor = each.joint.armature, parts_of(each.thing)[0]
    if not had:
        return
    unit = "kg*m^2" if each.joint.kind == HINGE else "kg"
    shown = format_quantity(had, unit)
    if motor is None or motor.rotor is None:
        yield finding("", "info", f"armature {shown} of the model is kept: the motor says nothing of its rotor", "kept")
        return
    own = single("inertia", motor.armature)
    numbers = {"listed": had, "predicted": own, "unit": unit}
    rotor = format_quantity(own, unit)
    if max(had / own, own / had) > FAR:
        words = f"armature {shown} of the model and {rotor} of the motor are far apart: is one in another unit?"
        yield finding("", "warning", words, "armature-unit", **numbers)
    if each.drive.armature == "add":
        words = (
            f"armature {shown} of the model and {rotor} of the motor's rotor are added: where both are the same rotor, "
            'its inertia counts twice; write armature = "replace"'
        )
        yield finding("", "warning", words, "double-inertia", **numbers)
    else:
        words = f"armature {shown} of the model is replaced by {rotor} of the motor's rotor"
        yield finding("", "info", words, "replaced", **numbers)


def _friction(each: Placed) -> Iterator[Finding]:
    """Friction of the model beside that of the motor."""
    turns = each.joint.kind == HINGE
    units = {"coulomb": "N*m" if turns else "N", "viscous": "N*m*s/rad" if turns else "N*s/m"}
    names = {"coulomb": "frictionloss", "viscous": "damping"}
    had = {name: getattr(each.joint, name) for name in names if getattr(each.joint, name)}
    if not had:
        return
    shown = " and ".join(f"{names[name]} {format_quantity(value, units[name])}" for name, value in had.items())
    actuator = parts_of(each.thing)[1]
    if not says_friction(actuator, {}):
        yield finding("", "info", f"{shown} of the model is kept: the motor says nothing of friction", "kept")
    elif each.drive.friction == "add":
        words = (
            f"{shown} of the model is added to the friction of the motor; where it is the motor's, write "
            'friction = "replace"'
        )
        yield finding("", "warning", words, "double-friction")
    else:
        yield finding("", "info", f"{shown} of the model is replaced by the friction of the motor", "replaced")


def _coupling(each: Placed) -> Iterator[Finding]:
    if each.joint.coupled:
        words = f"{' and '.join(each.joint.coupled)} of the model acts on it besides the motor"
        yield finding("", "info", words, "coupled")


def _span(each: Placed) -> Iterator[Finding]:
    """A range of positions that looks like degrees."""
    span = each.joint.span
    if span is not None and each.joint.kind != SLIDE and max(map(abs, span)) > TURNS:
        most = max(map(abs, span))
        words = (
            f"its range reaches {most:.4g} rad, {most / (2 * math.pi):.0f} turns: if it was meant in degrees, write "
            f"{math.radians(most):.4g} rad"
        )
        yield finding("", "warning", words, "deg-as-rad")


def _voltage(each: Placed) -> Iterator[Finding]:
    """A supply far above the nominal voltage of the motor, which moves speed, current and heat with it."""
    motor, actuator = parts_of(each.thing)
    if motor is None or motor.ratings is None or motor.ratings.voltage is None or actuator.supply is None:
        return
    given = [actuator.supply.voltage] + ([] if actuator.voltage_limit is None else [actuator.voltage_limit])
    volts, nominal = min(single("voltage", each) for each in given), single("voltage", motor.ratings.voltage)
    if volts > ABOVE_NOMINAL * nominal:
        words = (
            f"{volts:g} V of its supply are {volts / nominal:.2g} times the nominal {nominal:g} V of the motor, which "
            "a bare motor bears where its drive limits current and speed, and a servo does not"
        )
        yield finding("", "info", words, "above-nominal", listed=volts, predicted=nominal, unit="V")


def _limits(each: Placed, scale: Scale) -> Iterator[Finding]:
    """Limits of the model above what the motor can do."""
    for allowed in each.joint.limits:
        speed = allowed.unit in ("rad/s", "m/s")
        own = scale.speed if speed else scale.torque
        if not own or not allowed.value:
            continue
        unit = SIZES[allowed.unit]
        ratio = allowed.value / own
        verb = "its no-load speed is" if speed else "the motor gives"
        both = f"{allowed.what} = {format_quantity(allowed.value, unit)}, and {verb} {format_quantity(own, unit)}"
        numbers = {"listed": allowed.value, "predicted": own, "unit": unit}
        slip = _slip(ratio, unit)
        if slip is not None:
            words = f"{both}: {slip.size} the motor's, as if it were {slip.words}"
            yield finding("", "warning", words, slip.cause, **numbers)
        elif ratio > MARGIN:
            yield finding("", "warning", f"{both}: lower it to the motor's", "above-motor", **numbers)


def _slip(ratio: float, unit: str) -> Slip | None:
    """The unit that a limit was meant in, where its ratio to the motor's is that of the unit to the model's."""
    near = [
        one
        for one in slips_of(unit, electrical=False)
        if one.cause.endswith(f"-as-{unit}") and max(one.factor, 1.0 / one.factor) > CLEAR
    ]
    best = min(near, key=lambda one: abs(ratio / one.factor - 1.0), default=None)
    return best if best is not None and abs(ratio / best.factor - 1.0) < NEAR else None


# --- the supply


def _of_supply(robot: Robot, total: SupplyCurrent) -> Iterator[Finding]:
    if total.without_peak:
        words = f"nothing is known of the current of {list_names(total.without_peak)}, so that the sum leaves it out"
        yield finding("supply", "info", words, "unknown-current")
    if not total.peak:
        return
    amperes = format_quantity(total.peak, "A")
    weak = False
    peak, steady = total.available_peak, total.available_continuous
    if peak is not None and total.largest > peak:
        weak = True
        words = f"one motor alone draws up to {format_quantity(total.largest, 'A')}, and the supply gives {peak:g} A"
        yield finding("supply", "error", words, "weak-supply", listed=peak, predicted=total.largest, unit="A")
    elif peak is not None and total.peak > peak:
        weak = True
        words = (
            f"{total.words}, and the supply gives {peak:g} A: {100 * peak / total.peak:.0f} % "
            "of it; limit their currents, or give a stronger supply"
        )
        yield finding("supply", "warning", words, "weak-supply", listed=peak, predicted=total.peak, unit="A")
    if steady is not None and total.continuous > steady:
        weak = True
        words = (
            f"the continuous currents of all motors are {format_quantity(total.continuous, 'A')} together, and the "
            f"supply gives {steady:g} A"
        )
        yield finding("supply", "warning", words, "weak-supply", listed=steady, predicted=total.continuous, unit="A")
    bus = total.voltage_at_peak
    if total.supply is not None and bus is not None:
        volts = single("voltage", total.supply.voltage)
        if bus < (1.0 - SAG) * volts:
            weak = True
            left = f"to {bus:.3g} V" if bus > 0.0 else "to nothing"
            count = len(total.joints) - len(total.without_peak)
            whose, so = f"{count} motors together", "they cannot all pull at once"
            if count == 1:
                whose, so = "its motor", "limit that current, or give a stronger supply"
            words = f"{amperes} of {whose} would pull its {volts:g} V down {left} over its resistance: {so}"
            yield finding("supply", "warning", words, "sag", listed=volts, predicted=max(bus, 0.0), unit="V")
    if not weak:
        rest = f", {format_quantity(total.continuous, 'A')} continuously" if total.continuous else ""
        yield finding("supply", "ok", f"{total.words}{rest}", "")
