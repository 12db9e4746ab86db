"""A drive along a measured motion whose current was measured: the current flows, and heats what the logs show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..actuator import Actuator
from ..loads import LockedRotor
from ..motor import LoadDependent, Motor, Thermal, TwoNodeThermal
from ..motor.thermistor import PhaseHeat, Thermistor
from ..tree import numbers
from ..values import Number
from .channels import COMMANDS
from .heat import follow_current
from .log import Log
from .rig import Rig
from .rig_parts import MeasuredMotion
from .saturation import with_idle_saturation, without_idle_saturation

STILL = 1e9
"""Heat capacity of a housing that stays as it is [J/K]."""
POLE_PAIRS = 7.0
"""Pole pairs before they are looked for [1]."""
TEMPERATURES = ("winding_temperature", "housing_temperature")


def follows_measured_current(actuator: Actuator, rig: Rig, logs: Sequence[Log]) -> bool:
    """Whether the measured current is what drives the motor.

    It is where the motion is measured too, and nothing was logged that the controller could make a current from.
    """
    if rig.load.kind not in (MeasuredMotion, LockedRotor) or rig.firmware is not None or actuator.motor is None:
        return False
    controller = actuator.controller
    told = any(name in log for log in logs for name, taken in COMMANDS.items() if taken in controller.inputs)
    return all("current" in log for log in logs) and (controller.inputs == ("effort",) or not told)


def with_measured_current(actuator: Actuator, logs: Sequence[Log]) -> Actuator:
    """The drive through which the measured current flows, with heat of two nodes and a sensor in one phase.

    What the prior does not have is there without effect: the housing stays as it is, the sensor does not lag and sees
    all phases alike, the iron does not saturate. Where it has no heat at all, the sizes are those of the logs.
    """
    made = follow_current(replace(actuator, meter=False))
    motor = made.motor
    assert motor is not None
    friction = LoadDependent(coulomb=0.0) if motor.friction is None else motor.friction
    changes = replace(motor, magnet=with_idle_saturation(motor.magnet, logs), friction=friction)
    if any(name in log for log in logs for name in TEMPERATURES):
        changes = replace(changes, thermal=_two_nodes(motor, logs), thermistor=_sensor(motor.thermistor))
    return replace(made, motor=changes)


def has_pole_pairs(actuator: Actuator) -> bool:
    """Whether a prior says how many pole pairs heat the sensor's phase."""
    sensor = None if actuator.motor is None else actuator.motor.thermistor
    return sensor is not None and sensor.phase_heat is not None


def as_given(fitted: Actuator, given: Actuator) -> Actuator:
    """The drive that was found, with the controller, supply and limits that it really has."""
    if fitted.motor is None or given.motor is None:
        return fitted
    motor, friction = without_idle_heat(fitted.motor), fitted.motor.friction
    rubs = given.motor.friction is not None or any(np.any(np.asarray(x) != 0.0) for _, x in numbers(friction))
    motor = replace(motor, limits=given.motor.limits, friction=friction if rubs else None)
    return replace(fitted, motor=motor, controller=given.controller, supply=given.supply, meter=given.meter)


def without_idle_heat(motor: Motor) -> Motor:
    """The motor without a second node, a sensor or a saturation that have no effect."""
    thermal, sensor = motor.thermal, motor.thermistor
    if isinstance(thermal, TwoNodeThermal) and thermal.housing_capacitance == STILL:
        thermal = Thermal(
            resistance=thermal.winding_resistance, capacitance=thermal.winding_capacitance, ambient=thermal.ambient
        )
    if sensor is not None and sensor.phase_heat is not None and sensor.phase_heat.modulation == 0.0:
        sensor = replace(sensor, phase_heat=None)
    if sensor is not None and sensor.time_constant == 0.0 and sensor.phase_heat is None:
        sensor = None
    return replace(motor, thermal=thermal, thermistor=sensor, magnet=without_idle_saturation(motor.magnet))


def _two_nodes(motor: Motor, logs: Sequence[Log]) -> TwoNodeThermal:
    """Winding and housing: as the prior has them, or of the size that heat and temperatures of the logs say."""
    given = motor.thermal
    if isinstance(given, TwoNodeThermal):
        return given
    ambient = float(np.mean([log[name][0] for log in logs for name in TEMPERATURES if name in log]))
    if isinstance(given, Thermal):
        winding: tuple[Number, Number] = (given.resistance, given.capacitance)
    else:
        heat, seconds, rise = _heating(motor, logs)
        # half of the heat stays, half of it leaves
        winding = (2.0 * rise * seconds / heat, 0.5 * heat / rise)
    return TwoNodeThermal(
        winding_resistance=winding[0], winding_capacitance=winding[1], housing_resistance=winding[0],
        housing_capacitance=STILL, ambient=ambient,
    )  # fmt: skip


def _heating(motor: Motor, logs: Sequence[Log]) -> tuple[float, float, float]:
    """Heat of the copper [J], time [s] and rise of the warmest sensor [K] in the log that warms most."""
    found = []
    for log in logs:
        time, square = log.times("current"), log["current"] ** 2
        joules = float(np.sum(0.5 * (square[1:] + square[:-1]) * np.diff(time)))
        heat = float(np.mean(np.asarray(motor.winding.resistance))) * joules
        rises = [float(np.ptp(log[name])) for name in TEMPERATURES if name in log]
        found.append((heat, float(time[-1] - time[0]), max([*rises, 0.1])))
    heat, seconds, rise = max(found, key=lambda each: each[2])
    return max(heat, 1e-6), seconds, rise


def _sensor(given: Thermistor | None) -> Thermistor:
    phase = PhaseHeat(pole_pairs=POLE_PAIRS, modulation=0.0)
    if given is None:
        return Thermistor(phase_heat=phase)
    return given if given.phase_heat is not None else replace(given, phase_heat=phase)
