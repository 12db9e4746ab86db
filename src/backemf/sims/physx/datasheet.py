"""From a datasheet to a drive performance envelope: of each number the most restrictive limit, and which one it was.

With N the gear ratio, η its efficiency, V the voltage that the bridge passes on (supply times modulation):

    max_effort              least of η·N·Kt·i (controller), η·N·Kt·i (motor), gear torque, and η·N·Kt·V/R at stall
    max_actuator_velocity   least of V/(Ke·N), motor speed/N, gear input speed/N
    speed_effort_gradient   R/(η·N²·Kt·Ke) by voltage, (n0 - nN)/(η·N²·τN) by nominal point, 0 by mechanical limits
    velocity_dependent_resistance   the slope that follows the motor's own drag best, up to the top speed

Dry friction is no part of the envelope: it is the joint's, as PhysX has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...actuator.supply import Supply
from ...actuator.torque_limits import DriveEnvelope, envelope_bounds
from ...analyze.constants import continuous_current
from ...analyze.given import supply_of, temperature_of
from ...analyze.line import Line, line_of
from ...analyze.steady import drag_torque
from ...checks import Number
from ...errors import ParameterError
from ...motor import Drag, Gearbox, Limits, Magnet, Motor, Ratings, Stage, Winding
from ..joint import ratio_of, single

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
) -> DatasheetEnvelope:
    """The envelope of a motor on a supply (or voltage [V], or its rated one), with the winding at a temperature [°C].

    The controller's current is that of `Motor.limits`, everything else of `Motor.ratings`, "peak" or "continuous".
    `nominal_speed` [rad/s] and `nominal_torque` [N·m], on the motor side, take the place of the resistance where the
    inductance is large.
    """
    if effort not in ("peak", "continuous"):
        raise ParameterError(f"effort = {effort!r}: must be 'peak' or 'continuous'")
    source, celsius = supply_of(motor, supply), temperature_of(motor, temperature)
    line = line_of(motor, source, None, celsius)
    efforts = {name: single(name, x) for name, x in _efforts(motor, source, celsius, line, effort).items()}
    velocities = {name: single(name, x) for name, x in _velocities(motor, line).items()}
    strongest, fastest = min(efforts, key=efforts.__getitem__), min(velocities, key=velocities.__getitem__)
    by_voltage = single("gradient", line.ideal_speed / line.stall_torque)
    gradient, gradient_by = by_voltage, "voltage"
    if fastest != "voltage":
        gradient, gradient_by = 0.0, "mechanical limit"
    elif nominal_speed is not None or nominal_torque is not None:
        gradient, gradient_by = _nominal_gradient(motor, line, nominal_speed, nominal_torque), "nominal point"
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
) -> DatasheetEnvelope:
    """The envelope of a datasheet's figures in SI units, motor side but for gear_torque, which is at the joint.

    `back_emf_constant` is 1/kv [V·s/rad]; None: the torque constant. `drag` is viscous, on the motor side [N·m·s/rad].
    """
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
    return from_motor(motor, supply, nominal_speed=nominal_speed, nominal_torque=nominal_torque)


def _efforts(motor: Motor, supply: Supply, celsius: Number, line: Line, effort: str) -> dict[str, Number]:
    """Every limit of the effort that is known, by name [N·m]."""
    peak, ratings, limits = effort == "peak", motor.ratings or Ratings(), motor.limits or Limits()
    currents = {
        "controller current": limits.rated_current if peak else limits.continuous_current,
        "motor torque": ratings.peak_current if peak else continuous_current(motor),
    }
    found: dict[str, Number] = {
        name: line_of(motor, supply, amperes, celsius).limit_torque
        for name, amperes in currents.items()
        if amperes is not None
    }
    gear = ratings.gear_peak_torque if peak else ratings.gear_torque
    if gear is not None:
        found["gear torque"] = gear
    return {**found, "stall": line.stall_torque}


def _velocities(motor: Motor, line: Line) -> dict[str, Number]:
    """Every limit of the velocity that is known, by name [rad/s]."""
    turns, ratings = ratio_of(motor), motor.ratings or Ratings()
    found = {"voltage": line.ideal_speed}
    if ratings.speed is not None:
        found["motor speed"] = ratings.speed / turns
    if ratings.gear_input_speed is not None:
        found["gear input speed"] = ratings.gear_input_speed / turns
    return found


def _nominal_gradient(motor: Motor, line: Line, speed: float | None, torque: float | None) -> float:
    """(n0 - nN)/τN of the motor, seen from the joint [rad/(s·N·m)]."""
    if speed is None or torque is None:
        raise ParameterError("nominal_speed and nominal_torque are given together or not at all")
    turns = ratio_of(motor)
    ideal = turns * single("voltage", line.ideal_speed)
    if not 0.0 <= single("nominal_speed", speed) < ideal:
        raise ParameterError(
            f"nominal_speed = {speed} rad/s: must be below the {ideal:g} rad/s that the voltage gives without load"
        )
    if single("nominal_torque", torque) <= 0.0:
        raise ParameterError(f"nominal_torque = {torque}: must be greater than 0")
    return (ideal - speed) / (torque * single("efficiency", line.efficiency) * turns * turns)


def _resistance(motor: Motor, line: Line, efforts: Mapping[str, float], top: float) -> tuple[float, float]:
    """The slope that follows the effort lost to drag best, and how far it is off at worst."""
    turns, speed = ratio_of(motor), np.linspace(0.0, top, SAMPLES)
    lost = single("efficiency", line.efficiency) * turns * drag_torque(motor, turns * speed)
    # a gear that bears less than the motor gives is worn no less by drag: it hides what the motor has to spare
    spare = min(x for name, x in efforts.items() if name != "gear torque") - min(efforts.values())
    lost = np.maximum(lost - spare, 0.0)
    slope = float(speed @ lost / (speed @ speed))
    return slope, float(np.max(np.abs(slope * speed - lost)))


def _beyond(limit: DriveEnvelope, ideal_speed: float, by_voltage: float) -> float:
    """Largest effort of an envelope above the line of the voltage, at rest and at speed [N·m]."""
    speed = np.linspace(0.0, limit.max_actuator_velocity, SAMPLES)
    return float(np.max(np.maximum(envelope_bounds(speed, limit)[1] - (ideal_speed - speed) / by_voltage, 0.0)))
