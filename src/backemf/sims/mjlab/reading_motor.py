"""mjlab's `BuiltinDcMotorActuatorCfg`, which is MuJoCo 3.11's own motor: its fields as a motor and its controller."""

from __future__ import annotations

import math
from typing import Any, cast

from ...errors import errors_at
from ...motor import Cogging, Gearbox, Harmonic, LuGre, Magnet, Motor, Stage, Thermal, Winding
from ...parts import acts
from ..loss import APPROXIMATED, Loss
from ..script_actuator import Call, Value
from ..types import Fields
from .kinds import MODES, SWITCHED


def one_number(
    call: Call, name: str, *, above: float | None = None, least: float | None = None, required: str = ""
) -> Value:
    """A field that is one number for all joints."""
    if isinstance(call.take(name), dict):
        raise call.error(name, "must be one number; write an actuator for each group of joints")
    return call.number(name, above=above, least=least, required=required)


def dc_motor_fields(call: Call) -> tuple[Fields, list[Loss]]:
    """Mode, gains, limits and the motor, and what MuJoCo does otherwise than the fields say."""
    mode = call.word("mode", tuple(MODES), "POSITION")
    gear = one_number(call, "gear")
    if gear == 0.0:
        raise call.error("gear", "must not be zero")
    known: Fields = {"mode": mode, "gear": 1.0 if gear is None else gear}
    if mode != "VOLTAGE" and gear not in (None, 1.0):
        remedy = "bring the motor's constants to the joint and write gear=1.0"
        raise call.error("gear", f"in mode {mode} mjlab compares the target with gear·angle; {remedy}")
    for name in SWITCHED:
        # mjlab's 0 switches these off
        known[name] = one_number(call, name, least=0.0) or None
    if mode == "VOLTAGE":
        for name in ("stiffness", "damping", "integral_gain"):
            if one_number(call, name):
                raise call.error(name, "has no use in VOLTAGE mode, and mjlab refuses it: leave it out")
    else:
        known["stiffness"] = one_number(call, "stiffness", above=0.0, required="give the gain")
        known["damping"] = one_number(call, "damping") or 0.0
        one_number(call, "voltage_limit", above=0.0, required="give the largest voltage [V]")
    if known["integral_gain"] is None:
        # a limit of no integral has no effect
        known["integral_limit"] = None
    known["effort_limit"] = one_number(call, "effort_limit", above=0.0)
    known["motor"], losses = _motor(call, known["gear"])
    if mode == "VOLTAGE" and known["voltage_limit"] is not None and not acts(known["motor"].winding, "inductance"):
        losses.append(Loss("voltage limit", APPROXIMATED, UNHELD))
    return known, losses


LUGRE = ("stiffness", "damping", "coulomb", "stiction", "stribeck_velocity")
COGGING = ("amplitude", "periodicity", "phase")
UNHELD = "MuJoCo 3.11 does not hold a motor without inductance to its voltage limit: command no more than that."
"""What becomes of the voltage limit of a motor that is commanded in volts."""


def _motor(call: Call, gear: float) -> tuple[Motor, list[Loss]]:
    kt, ke, ohms = _constants(call)
    losses = []
    if kt != ke:
        told = f"MuJoCo has one motor constant, √(Kt·Ke) = {math.sqrt(kt * ke):.4g}, of Kt = {kt:g} and Ke = {ke:g}."
        losses.append(Loss("separate Kt and Ke", APPROXIMATED, told))
        kt = ke = math.sqrt(kt * ke)
    inductance = one_number(call, "inductance", least=0.0) or ohms * (
        one_number(call, "electrical_time_constant", least=0.0) or 0.0
    )
    slope, reference, thermal = 0.0, 25.0, None
    if (row := _row(call, "thermal", 6)) is not None:
        slope, reference = row[3], row[4]
        thermal = _thermal(call, row)
    lugre, cogging = _row(call, "lugre", 5), _row(call, "cogging", 3)
    wave = None if cogging is None else Harmonic(**dict(zip(COGGING, cogging, strict=True)))
    with errors_at(f"{call.at()}: {call.name}"):
        return Motor(
            winding=Winding(
                resistance=ohms,
                inductance=cast(Any, inductance or None),
                temperature_coefficient=slope,
                reference_temperature=reference,
            ),
            magnet=Magnet(torque_constant=kt, back_emf_constant=ke),
            thermal=thermal,
            friction=None if lugre is None else LuGre(**dict(zip(LUGRE, lugre, strict=True))),
            cogging=None if wave is None else Cogging(harmonics=(wave,)),
            gearbox=None if gear == 1.0 else Gearbox(stages=(Stage(ratio=gear),)),
        ), losses


def _constants(call: Call) -> tuple[float, float, float]:
    """Kt [N·m/A], Ke [V·s/rad] and R [Ω], as they are given or from three figures of a datasheet."""
    wanted = "must be DcMotorPhysicalParams(...) or DcMotorDatasheetParams(...)"
    params = call.take("motor_params", None, wanted.replace("must be", "give"))
    if not isinstance(params, Call):
        raise call.error("motor_params", wanted)
    names = {
        "DcMotorPhysicalParams": ("kt", "ke", "resistance"),
        "DcMotorDatasheetParams": ("nominal_voltage", "stall_torque", "no_load_speed"),
    }.get(params.name)
    if names is None:
        raise call.error("motor_params", wanted)
    first, second, third = (one_number(params, name, above=0.0, required="give it") for name in names)
    if params.name == "DcMotorPhysicalParams":
        return first, second, third
    constant = first / third
    return constant, constant, constant * first / second


def _row(call: Call, name: str, length: int) -> list[float] | None:
    row = call.take(name)
    if row is None:
        return None
    good = isinstance(row, (list, tuple)) and len(row) == length and all(type(x) in (int, float) for x in row)
    if not good:
        raise call.error(name, f"must be {length} numbers")
    return [float(x) for x in row]


def _thermal(call: Call, row: list[float]) -> Thermal:
    resistance, capacitance, time = row[:3]
    if sum(x > 0.0 for x in (resistance, capacitance, time)) < 2:
        raise call.error("thermal", "must have two of resistance, capacitance and time constant")
    resistance = resistance or time / capacitance
    return Thermal(resistance=resistance, capacitance=capacitance or time / resistance, ambient=row[5])
