"""From a datasheet to a drive performance envelope: of each number the most restrictive limit, and which one it was.

With N the gear ratio, η its efficiency, V the voltage that the bridge passes on (supply times modulation):

    max_effort              least of η·N·Kt·i (controller), η·N·Kt·i (motor), gear torque, and η·N·Kt·V/R at stall
    max_actuator_velocity   least of V/(Ke·N), motor speed/N, gear input speed/N
    speed_effort_gradient   R/(η·N²·Kt·Ke) by voltage, (n0 - nN)/(η·N²·τN) by nominal point, 0 by mechanical limits
    velocity_dependent_resistance   the slope that follows the motor's own drag best, up to the top speed

Dry friction is not part of the envelope: as in PhysX, it belongs to the joint.

The line through a nominal point: the maker prints, at the nominal voltage Vn, the no-load speed n0 and the speed nN
under the torque τN. Both are points of one straight line n(τ) = n0 - k·τ, so that

    k = (n0 - nN)/τN                        for any supply and modulation

Another voltage V moves the line without turning it, by the back-EMF: n0(V) = n0 + (V - Vn)/Ke. At the joint speeds are
divided by N and torques multiplied by η·N: max_actuator_velocity = n0(V)/N and speed_effort_gradient = k/(η·N²). At
V = Vn the envelope passes through both printed points. They are those of the shaft, with the motor's own friction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from ...actuator.supply import Supply
from ...actuator.torque_limits import DriveEnvelope, envelope_bounds
from ...analyze.constants import continuous_current, no_load
from ...analyze.given import supply_of, temperature_of
from ...analyze.line import Line, line_of
from ...analyze.steady import drag_torque
from ...checks import Number
from ...datasheet import Datasheet
from ...datasheet.normalise import normalise
from ...errors import ParameterError
from ...motor import Drag, Gearbox, Limits, Magnet, Motor, Ratings, Stage, Winding
from ..joint import ratio_of, single
from ..types import Fields

NOMINAL = ("nominal_speed", "nominal_torque", "no_load_speed", "nominal_voltage")
"""What a maker prints of the nominal point [rad/s, N·m, rad/s, V]."""
SAMPLES = 101
"""Speeds at which the motor's drag is looked at."""


@dataclass(frozen=True, kw_only=True)
class DatasheetEnvelope:
    """An envelope from a datasheet, with the limits it is made of. Everything is at the joint."""

    limit: DriveEnvelope
    """The four numbers, ready for an `Envelope`, an `Actuator` or a file."""
    effort_by: str
    """Which of `efforts` is the least and gives max_effort."""
    velocity_by: str
    """Which of `velocities` is the least and gives max_actuator_velocity."""
    gradient_by: str
    """"voltage", "nominal point" or "mechanical limit": what gives speed_effort_gradient."""
    efforts: Mapping[str, float]
    """Every limit of the effort that is known [N·m]."""
    velocities: Mapping[str, float]
    """Every limit of the velocity that is known [rad/s]."""
    resistance_error: float
    """Largest difference between the straight loss and the motor's own, up to the top speed [N·m]."""
    beyond_voltage: float
    """Largest effort that the envelope allows and the voltage does not [N·m]; 0 unless a mechanical limit won."""


def from_motor(
    motor: Motor,
    supply: Supply | Number | None = None,
    *,
    effort: str = "peak",
    temperature: Number | None = None,
    nominal_speed: float | None = None,
    nominal_torque: float | None = None,
    no_load_speed: float | None = None,
    nominal_voltage: float | None = None,
) -> DatasheetEnvelope:
    """The envelope of a motor on a supply (or voltage [V], or its rated one), with the winding at a temperature [°C].

    The controller's current is that of `Motor.limits`, everything else of `Motor.ratings`, "peak" or "continuous".
    `nominal_speed` [rad/s] and `nominal_torque` [N·m], on the motor side, take the place of the resistance where the
    inductance is large. `no_load_speed` [rad/s] is the printed one, at the `nominal_voltage` [V] at which all three
    are printed; None: the motor's own no-load speed, and its rated voltage.
    """
    if effort not in ("peak", "continuous"):
        raise ParameterError(f"effort = {effort!r}: must be 'peak' or 'continuous'")
    source, celsius = supply_of(motor, supply), temperature_of(motor, temperature)
    line = line_of(motor, source, None, celsius)
    efforts = {name: single(name, x) for name, x in _efforts(motor, source, celsius, line, effort).items()}
    by_voltage = single("gradient", line.ideal_speed / line.stall_torque)
    top, gradient, gradient_by = single("voltage", line.ideal_speed), by_voltage, "voltage"
    if any(x is not None for x in (nominal_speed, nominal_torque, no_load_speed, nominal_voltage)):
        figures = _nominal(motor, nominal_speed, nominal_torque, no_load_speed, nominal_voltage)
        top, gradient = _nominal_line(motor, line, *figures)
        gradient_by = "nominal point"
    velocities = {name: single(name, x) for name, x in _velocities(motor, top).items()}
    strongest, fastest = min(efforts, key=efforts.__getitem__), min(velocities, key=velocities.__getitem__)
    if fastest != "voltage":
        gradient, gradient_by = 0.0, "mechanical limit"
    resistance, error = _resistance(motor, line, efforts, velocities[fastest])
    limit = DriveEnvelope(
        max_effort=efforts[strongest],
        max_actuator_velocity=velocities[fastest],
        velocity_dependent_resistance=resistance,
        speed_effort_gradient=gradient,
    )
    return DatasheetEnvelope(
        limit=limit,
        effort_by=strongest,
        velocity_by=fastest,
        gradient_by=gradient_by,
        efforts=efforts,
        velocities=velocities,
        resistance_error=error,
        beyond_voltage=_beyond(limit, velocities["voltage"], by_voltage) if gradient == 0.0 else 0.0,
    )


def from_numbers(
    *,
    voltage: float,
    resistance: float,
    torque_constant: float,
    back_emf_constant: float | None = None,
    modulation: float = 0.9,
    ratio: float = 1.0,
    efficiency: float = 1.0,
    controller_current: float | None = None,
    motor_torque: float | None = None,
    gear_torque: float | None = None,
    motor_speed: float | None = None,
    gear_input_speed: float | None = None,
    drag: float = 0.0,
    nominal_speed: float | None = None,
    nominal_torque: float | None = None,
    no_load_speed: float | None = None,
    nominal_voltage: float | None = None,
) -> DatasheetEnvelope:
    """The envelope of a datasheet's figures in SI units, motor side but for gear_torque, which is at the joint.

    `back_emf_constant` is 1/kv [V·s/rad]; None: the torque constant. `drag` is viscous, on the motor side [N·m·s/rad].
    `nominal_speed` [rad/s], `nominal_torque` [N·m] and `no_load_speed` [rad/s] are given together, as printed at
    `nominal_voltage` [V]; None: at `voltage`.
    """
    given = (nominal_speed, nominal_torque, no_load_speed)
    if any(x is None for x in given) and any(x is not None for x in (*given, nominal_voltage)):
        raise ParameterError("nominal_speed, nominal_torque and no_load_speed are given together or not at all")
    known = torque_constant if back_emf_constant is None else back_emf_constant
    motor = Motor(
        winding=Winding(resistance=resistance),
        magnet=Magnet(torque_constant=torque_constant, back_emf_constant=known),
        gearbox=Gearbox(stages=(Stage(ratio=ratio, efficiency=efficiency),)),
        drag=Drag(coefficients=(drag,)),
        limits=None if controller_current is None else Limits(peak_current=controller_current),
        ratings=Ratings(
            peak_current=None if motor_torque is None else motor_torque / torque_constant,
            speed=motor_speed,
            gear_input_speed=gear_input_speed,
            gear_peak_torque=gear_torque,
        ),
    )
    supply = Supply(voltage=voltage, modulation_limit=modulation)
    if no_load_speed is None:
        return from_motor(motor, supply)
    point = dict(zip(NOMINAL, (*given, voltage if nominal_voltage is None else nominal_voltage), strict=True))
    return from_motor(motor, supply, **point)


def from_datasheet(
    sheet: Datasheet,
    supply: Supply | Number | None = None,
    *,
    effort: str = "peak",
    temperature: Number | None = None,
) -> DatasheetEnvelope:
    """The envelope of a sheet's motor on a supply, whose line passes through the points that the maker prints.

    Where the sheet has no nominal point with a no-load speed, the gradient is that of the winding's resistance.
    """
    printed = normalise(sheet)
    point = {name: getattr(printed, name) for name in NOMINAL}
    point = {} if None in point.values() else point
    return from_motor(sheet.motor(), supply, effort=effort, temperature=temperature, **point)


def _efforts(motor: Motor, supply: Supply, celsius: Number, line: Line, effort: str) -> dict[str, Number]:
    """Every limit of the effort that is known, by name [N·m]."""
    peak, ratings, limits = effort == "peak", motor.ratings or Ratings(), motor.limits or Limits()
    currents = {
        "controller current": limits.rated_current if peak else limits.continuous_current,
        "motor torque": ratings.peak_current if peak else continuous_current(motor),
    }
    found: Fields = {
        name: line_of(motor, supply, amperes, celsius).limit_torque
        for name, amperes in currents.items()
        if amperes is not None
    }
    if not peak and not found:
        remedy = "give Ratings(current=...) or Limits(continuous_current=...)"
        raise ParameterError(f"effort = 'continuous': the motor has no continuous current; {remedy}")
    gear = ratings.gear_peak_torque if peak else ratings.gear_torque
    if gear is not None:
        found["gear torque"] = gear
    return {**found, "stall": line.stall_torque}


def _velocities(motor: Motor, top: float) -> dict[str, Number]:
    """Every limit of the velocity that is known, by name; `top` is that of the voltage [rad/s]."""
    turns, ratings = ratio_of(motor), motor.ratings or Ratings()
    found: dict[str, Number] = {"voltage": top}
    if ratings.speed is not None:
        found["motor speed"] = ratings.speed / turns
    if ratings.gear_input_speed is not None:
        found["gear input speed"] = ratings.gear_input_speed / turns
    return found


def _nominal(
    motor: Motor, speed: float | None, torque: float | None, free: float | None, volts: float | None
) -> tuple[float, float, float, float]:
    """Nominal speed [rad/s], nominal torque [N·m], no-load speed [rad/s] and their voltage [V], on the motor side."""
    if speed is None or torque is None:
        raise ParameterError("nominal_speed and nominal_torque are given together, or none of the nominal figures")
    rated = None if motor.ratings is None else motor.ratings.voltage
    if volts is None and rated is None:
        raise ParameterError(
            f"nominal_speed = {speed} rad/s: give its voltage, nominal_voltage= or Ratings(voltage=...)"
        )
    volts = single("nominal_voltage", cast(Number, rated if volts is None else volts))
    if volts <= 0.0:
        raise ParameterError(f"nominal_voltage = {volts} V: must be greater than 0")
    if free is None:
        free = float(no_load(motor, volts, motor.winding.reference_temperature)[0])
    speed, torque, free = map(single, NOMINAL[:3], (speed, torque, free))
    if free <= 0.0:
        raise ParameterError(f"no_load_speed = {free} rad/s: must be greater than 0")
    if not 0.0 <= speed < free:
        raise ParameterError(f"nominal_speed = {speed} rad/s: must be below the no-load speed, {free:g} rad/s")
    if torque <= 0.0:
        raise ParameterError(f"nominal_torque = {torque}: must be greater than 0")
    return speed, torque, free, volts


def _nominal_line(
    motor: Motor, line: Line, speed: float, torque: float, free: float, volts: float
) -> tuple[float, float]:
    """Top speed [rad/s] and gradient [rad/(s·N·m)] at the joint, of the line through the two printed points."""
    turns = ratio_of(motor)
    ideal = turns * single("voltage", line.ideal_speed)
    # the back-EMF constant of the printed voltage's no-load speed is the motor's, at any voltage
    per_volt = 1.0 / single("back_emf_constant", motor.magnet.back_emf_constant)
    top = free + ideal - volts * per_volt
    if top <= 0.0:
        raise ParameterError(
            f"no_load_speed = {free:g} rad/s at {volts:g} V: at the supply's voltage, {ideal / per_volt:g} V, "
            "friction leaves no speed; raise the supply"
        )
    return top / turns, (free - speed) / (torque * single("efficiency", line.efficiency) * turns * turns)


def _resistance(motor: Motor, line: Line, efforts: Mapping[str, float], top: float) -> tuple[float, float]:
    """The slope that follows the effort lost to drag best, and how far it is off at worst."""
    turns, speed = ratio_of(motor), np.linspace(0.0, top, SAMPLES)
    lost = single("efficiency", line.efficiency) * turns * drag_torque(motor, turns * speed)
    # where the gear limits the effort, drag first takes what the motor could give beyond that
    spare = min(x for name, x in efforts.items() if name != "gear torque") - min(efforts.values())
    lost = np.maximum(lost - spare, 0.0)
    slope = float(speed @ lost / (speed @ speed))
    return slope, float(np.max(np.abs(slope * speed - lost)))


def _beyond(limit: DriveEnvelope, ideal_speed: float, by_voltage: float) -> float:
    """Largest effort of an envelope above the line of the voltage, at rest and at speed [N·m]."""
    speed = np.linspace(0.0, limit.max_actuator_velocity, SAMPLES)
    return float(np.max(np.maximum(envelope_bounds(speed, limit)[1] - (ideal_speed - speed) / by_voltage, 0.0)))
