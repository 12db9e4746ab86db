"""From the attributes of a `<dcmotor>` to the constants that MuJoCo computes with, as each version derives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...checks import Number
from ...errors import ParameterError
from ..types import Fields
from .versions import known_version, read_inputs

Attribute: TypeAlias = "str | bool | Number | Sequence[Number] | None"
"""An attribute of MJCF: its text, a number, or a row of them; None: it is not there."""
SIZES = {
    "motorconst": 2, "resistance": 1, "nominal": 3, "saturation": 3, "inductance": 2, "cogging": 3, "controller": 6,
    "thermal": 6, "lugre": 5, "damping": 3, "armature": 1, "gear": 6, "ctrlrange": 2,
}  # fmt: skip
"""Attributes that hold numbers, and how many at most."""
WHOLE = ("resistance", "armature", "ctrlrange")
"""Attributes that must have all their numbers."""
LINKS = (
    "name", "class", "group", "user", "lengthrange", "joint", "jointinparent", "tendon", "slidersite", "cranksite",
    "cranklength", "site", "refsite", "interp", "nsample",
)  # fmt: skip
"""Attributes that say where a motor is attached and not what it does."""


def fields_from_attributes(
    attributes: Mapping[str, Attribute], version: str, inherited: Fields | None = None
) -> Fields:
    """Fields of a `DcMotor` from the attributes of a `<dcmotor>`, over those of its default class."""
    known_version(version)
    check_names(attributes, version)
    old = inherited or {}
    # an empty text counts as absent
    written = {name: value for name, value in attributes.items() if not (isinstance(value, str) and not value.strip())}
    given = {name: entries(name, written[name]) for name in SIZES if written.get(name) is not None}

    def over(name: str, *defaults: str | None) -> list[Number]:
        """Numbers of an attribute laid over those inherited; what neither has is 0."""
        numbers = [0.0 if field is None else old.get(field, 0.0) for field in defaults]
        return given.get(name, []) + numbers[len(given.get(name, [])) :]

    drag = given.get("damping", []) + list(old.get("damping", (0.0,) * 3))[len(given.get("damping", [])) :]
    words = "voltage" if attributes.get("input") is None else attributes["input"]
    inputs = read_inputs(words, version) if "input" in attributes or not old else old["inputs"]
    (resistance,) = over("resistance", "resistance")
    nominal = over("nominal", None, None, None)
    constants = over("motorconst", "motor_constant", None)
    # since 4.0 a motor without inputs may be without a motor constant too
    passive = known_version(version) >= (4, 0) and not inputs
    resistance, constant = winding(constants, resistance, nominal, drag[0], version, passive)
    kp, ki, kd, slew, integral_limit, voltage_limit = over(
        "controller", "kp", "ki", "kd", "slew", "integral_limit", "voltage_limit"
    )
    amplitude, periodicity, phase = over("cogging", "cogging_amplitude", "cogging_periodicity", "cogging_phase")
    saturation = over("saturation", None, None, "current_rate")
    gear = given.get("gear", [old.get("gear", 1.0)])
    # since 3.16 a 0 switches off what a default class has
    kept = old if known_version(version) < SWITCHES_OFF else {}
    if known_version(version) >= (4, 0) and len(given.get("inductance", [])) == 1:
        given["inductance"].append(0.0)
    return {
        "version": version,
        "inputs": inputs,
        "resistance": resistance,
        "motor_constant": constant,
        "kp": kp,
        "ki": ki,
        "kd": kd,
        "slew": slew,
        "integral_limit": integral_limit,
        "voltage_limit": over_zero(voltage_limit, kept.get("voltage_limit", 0.0)),
        "current_rate": over_zero(saturation[2], kept.get("current_rate", 0.0)),
        "time_constant": time_constant(over("inductance", None, "time_constant"), resistance),
        "cogging_amplitude": amplitude,
        "cogging_periodicity": periodicity,
        "cogging_phase": phase,
        "damping": tuple(drag),
        "armature": over("armature", "armature")[0],
        "gear": gear[0],
        **heat(over("thermal", "thermal_resistance", "thermal_capacitance", None, *COPPER), version, old),
        **bristles(over("lugre", *BRISTLES), version, old),
        **force_range(
            saturation, constant, old if known_version(version) < (4, 0) or "saturation" not in given else {}
        ),
        **ctrl_range(attributes, given, len(inputs)),
    }


SWITCHES_OFF = (3, 16)
"""First version in which a motor can switch off what its default class has."""
COPPER = ("temperature_coefficient", "reference_temperature", "ambient")
BRISTLES = ("bristle_stiffness", "bristle_damping", "coulomb", "stiction", "stribeck_velocity")


def check_names(attributes: Mapping[str, Attribute], version: str) -> None:
    """Check that a `<dcmotor>` has these attributes and the law represents them; raise ParameterError if not."""
    for name in attributes:
        if name == "delay" and str(attributes[name]).strip() not in ("", "0", "0.0", "None"):
            raise ParameterError(
                f"dcmotor delay = {attributes[name]}: the law has no history of commands; leave it out and delay ctrl"
            )
        if name not in (*SIZES, *LINKS, "input", "ctrllimited", "delay"):
            raise ParameterError(
                f"dcmotor {name} = {attributes[name]!r}: MuJoCo {version} has no such attribute; "
                f"it has {', '.join(SIZES)}, input and ctrllimited"
            )


def entries(name: str, value: Attribute) -> list[Number]:
    """The numbers of an attribute: from its text, from a number, or from a row of numbers or arrays."""
    if isinstance(value, str):
        try:
            row: list[Any] = [float(word) for word in value.split()]
        except ValueError:
            raise ParameterError(f"dcmotor {name} = {value!r}: must be numbers, as in 0.05 1.2") from None
    elif isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim and SIZES[name] > 1):
        row = list(value)
    else:
        row = [value]
    for number in row:
        if not isinstance(number, (int, float, np.generic, np.ndarray)) or not np.isfinite(number).all():
            raise ParameterError(f"dcmotor {name} = {value!r}: must be finite numbers")
    if len(row) > SIZES[name] or (name in WHOLE and len(row) < SIZES[name]):
        raise ParameterError(f"dcmotor {name} = {value!r}: holds {len(row)} numbers, must be {SIZES[name]}")
    return [plain(number) for number in row]


def plain(value: Number) -> Number:
    """A plain float where there is one number, an array where there are many."""
    x = np.asarray(value, dtype=float)
    return float(x) if x.ndim == 0 else x


def over_zero(value: Number, otherwise: Number) -> Number:
    """A number where it is above 0, since MuJoCo ignores any other."""
    return plain(np.where(np.greater(value, 0.0), value, otherwise))


def refuse(bad: Number | np.ndarray | np.bool, sentence: str) -> None:
    """Raise ParameterError with a message where a condition holds for any motor."""
    if np.any(bad):
        raise ParameterError(sentence)


def winding(
    constants: list[Number], resistance: Number, nominal: list[Number], drag: Number, version: str, passive: bool
) -> tuple[Number, Number]:
    """R and K, from the figures of a datasheet where they are not given."""
    (kt, ke), (volts, stall, speed), r = constants, nominal, resistance
    if known_version(version) >= (4, 0):
        negative = np.less(kt, 0.0) | np.less(ke, 0.0)
        refuse(negative, f"dcmotor motorconst = {kt} {ke}: motor constants must be 0 (unknown) or more")
    with np.errstate(divide="ignore", invalid="ignore"):
        # w0 = vn·Ke/(Ke² + R·B) solved for Ke, with R, or with R = Ke·vn/tau0
        free = np.divide(volts, speed)
        root = volts * volts - 4.0 * r * drag * speed * speed
        by_r = np.where(root > 0.0, np.divide(volts + np.sqrt(np.maximum(root, 0.0)), 2.0 * speed), free)
        by_stall = free - np.divide(volts * drag, stall)
        by_stall = np.where(by_stall > 0.0, by_stall, free)
        drags = np.greater(drag, 0.0)
        found = np.where(drags & np.greater(r, 0.0), by_r, np.where(drags & np.greater(stall, 0.0), by_stall, free))
        ke = np.where(np.greater(volts, 0.0) & np.less_equal(ke, 0.0) & np.greater(speed, 0.0), found, ke)
        both = np.greater(kt, 0.0) & np.greater(ke, 0.0)
        k = np.where(both, np.sqrt(np.abs(kt * ke)), np.where(np.greater(kt, 0.0), kt, ke))
        from_stall = np.equal(r, 0.0) & np.greater(volts, 0.0) & np.greater(stall, 0.0) & np.greater(k, 0.0)
        r = np.where(from_stall, np.divide(k * volts, stall), r)
    refuse(
        ~(k > 0.0) & (not passive),
        f"dcmotor motorconst = {constants[0]} {constants[1]}: the motor constant must be positive; "
        "give motorconst, or nominal with voltage and no-load speed",
    )
    refuse(
        ~(r > 0.0),
        f"dcmotor resistance = {resistance}: must be positive; give it, or nominal with voltage and stall torque",
    )
    return plain(r), plain(k)


def time_constant(inductance: list[Number], resistance: Number) -> Number:
    """te = L/R, or te as it is given [s]."""
    henry, te = inductance
    refuse(np.less(henry, 0.0), f"dcmotor inductance = {henry}: must be 0 (none) or more")
    refuse(np.less(te, 0.0), f"dcmotor inductance, time constant = {te}: must be 0 (none) or more")
    return plain(np.where(np.greater(henry, 0.0), henry / resistance, te))


def heat(thermal: list[Number], version: str, old: Fields) -> dict[str, Number]:
    """Two of resistance, capacitance and time constant give the third; none of them above 0: no heat."""
    rth, capacity, time, *copper = thermal
    there = np.greater(rth, 0.0) | np.greater(capacity, 0.0) | np.greater(time, 0.0)
    if not np.any(there):
        refuse_switching_off("thermal", "thermal_resistance", version, old)
        return {}
    refuse(~there, "dcmotor thermal: must be given for all motors of a batch or for none")
    timed, resisted = np.greater(time, 0.0), np.greater(rth, 0.0)
    # 4.0 prefers the time constant to a capacitance that is also given; earlier versions the other way round
    free = np.equal(capacity, 0.0) | (known_version(version) >= (4, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        c = np.where(timed & resisted & free, np.divide(time, rth), capacity)
        r = np.where(timed & np.equal(rth, 0.0) & np.greater(capacity, 0.0), np.divide(time, capacity), rth)
    shown = f"dcmotor thermal = {rth} {capacity} {time}"
    refuse(
        ~(r > 0.0), f"{shown}: the thermal resistance must be positive; give two of resistance, capacitance and time"
    )
    refuse(
        ~(c > 0.0), f"{shown}: the thermal capacitance must be positive; give two of resistance, capacitance and time"
    )
    return {"thermal_resistance": plain(r), "thermal_capacitance": plain(c), **dict(zip(COPPER, copper, strict=True))}


def bristles(lugre: list[Number], version: str, old: Fields) -> dict[str, Number]:
    """LuGre's constants, which MuJoCo takes as they are; none where the stiffness is not above 0."""
    stiff = np.greater(lugre[0], 0.0)
    if not np.any(stiff):
        refuse_switching_off("lugre", "bristle_stiffness", version, old)
        return {}
    refuse(~stiff, "dcmotor lugre: must be given for all motors of a batch or for none")
    return dict(zip(BRISTLES, lugre, strict=True))


def refuse_switching_off(attribute: str, field: str, version: str, old: Fields) -> None:
    """Raise ParameterError where a feature of a default class is switched off, which MuJoCo cannot do until 3.15."""
    refuse(
        known_version(version) < SWITCHES_OFF and np.greater(old.get(field, 0.0), 0.0),
        f"dcmotor {attribute} = 0: MuJoCo {version} cannot switch off what a default class has; change the class",
    )


def force_range(saturation: list[Number], constant: Number, old: Fields) -> dict[str, Number]:
    """The torque limit: as it is given, or from the current."""
    torque, current = saturation[0], saturation[1]
    limited = np.greater(torque, 0.0) | np.greater(current, 0.0)
    peak = np.where(np.equal(torque, 0.0), constant * current, torque)
    low, high = old.get("lowest_force", -np.inf), old.get("highest_force", np.inf)
    return {
        "lowest_force": plain(np.where(limited, -peak, low)),
        "highest_force": plain(np.where(limited, peak, high)),
    }


def ctrl_range(
    attributes: Mapping[str, Attribute], given: Mapping[str, list[Number]], count: int
) -> dict[str, tuple[Number, ...]]:
    """Bounds of the inputs, the same for all; MuJoCo ignores an empty range, unless ctrllimited is true."""
    written = attributes.get("ctrllimited", "auto")
    words: Mapping[object, str] = {True: "true", False: "false"}
    limited = words.get(written, written)
    if limited not in ("true", "false", "auto"):
        raise ParameterError(f"dcmotor ctrllimited = {written!r}: must be true, false or auto")
    low, high = given.get("ctrlrange", [0.0, 0.0])
    good = np.less(low, high)
    refuse(
        (limited == "true") & ~good,
        f"dcmotor ctrlrange = {low} {high}: an invalid control range; the first number must be below the second",
    )
    acts = good & (limited != "false")
    lowest, highest = plain(np.where(acts, low, -np.inf)), plain(np.where(acts, high, np.inf))
    return {"lowest_ctrl": (lowest,) * count, "highest_ctrl": (highest,) * count}
