"""Rungs of a motor that a measured current drives along a measured motion: its torque constant, and its heat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..actuator import Actuator
from ..motor import LoadDependent, Motor, Saturation, TwoNodeThermal
from ..motor.thermistor import PhaseHeat, Thermistor
from .heat import PHASE
from .heat_prior import STILL
from .parameters import Parameter
from .prior import UNKNOWN, spread_of
from .rig import Rig
from .rung import MOTOR, Rung, new, of_motor, unless_known
from .rungs_more import saturation_parameters
from .rungs_rig import has_spread
from .trials import Trials

KT = 0.15
"""Least spread of the torque constant, whose convention for a q current is often in doubt [1]."""
SLOWEST = 0.5
"""Turns of the electrical angle per second below which phases are heated apart [1/s]."""
UNSURE = 0.1
"""Spread of how uneven heat is at a sensor: in one phase it is 1, and less where it touches another [1]."""
AMBIENT = 1.0
"""How far the surroundings are from the temperature that a log starts with [K]."""
LAG = 1.5
"""Usual lag of a thermistor in a winding [s]."""


def is_driven_by_current(trials: Trials) -> bool:
    """Whether the measured current drives the motor."""
    return trials.path is not None and "current" in trials.commands


def current_parameters(actuator: Actuator, trials: Trials) -> Iterator[Parameter]:
    """What every such motor shows: its torque constant, and a thermal node for each temperature that is logged."""
    motor = actuator.motor
    assert motor is not None
    if _compares(trials, "torque"):
        spread, source = spread_of(motor, "magnet.torque_constant")
        both = (MOTOR + "magnet.torque_constant", MOTOR + "magnet.back_emf_constant")
        yield Parameter("motor.magnet", both, max(spread, KT), unit="N·m/A", source=source)
    if _compares(trials, "winding_temperature", "housing_temperature"):
        yield from _nodes(motor, "winding", UNKNOWN)
        if not _is_still(motor):
            yield from _nodes(motor, "housing", UNKNOWN)
        elif _compares(trials, "housing_temperature"):
            yield from _second_node(motor)
        name = "thermal.ambient"
        yield Parameter(f"motor.{name}", (MOTOR + name,), AMBIENT, positive=False, unit="°C")


def current_rungs(actuator: Actuator, trials: Trials, rig: Rig) -> Iterator[Rung]:
    """What not every such motor needs."""
    motor = actuator.motor
    assert motor is not None
    if _compares(trials, "winding_temperature") and not _compares(trials, "housing_temperature") and _is_still(motor):
        yield Rung("a housing that warms up", tuple(_second_node(motor)))
    sensor = motor.thermistor
    if _compares(trials, "winding_temperature") and sensor is not None:
        known = bool(np.all(np.asarray(sensor.time_constant) > 0.0))
        name = "thermistor.time_constant"
        lag = Parameter(f"motor.{name}", (MOTOR + name,), 0.7, unit="s", reference=None if known else LAG)
        yield Rung("lag of the thermistor", (lag,))
        if sensor.phase_heat is not None and _stands(trials, sensor):
            yield Rung("heat of one phase", tuple(_phase(sensor.phase_heat)))
    if _compares(trials, "torque"):
        yield from _torque_rungs(motor, trials, rig)


def _torque_rungs(motor: Motor, trials: Trials, rig: Rig) -> Iterator[Rung]:
    largest = float(np.abs(trials.commands["current"]).max())
    size = largest * float(np.mean(np.asarray(motor.magnet.torque_constant)))
    if not has_spread(rig, "sensors.torque."):
        zero = Parameter("sensors.torque.bias", ("sensors.torque.bias",), 0.02 * size, positive=False, unit="N·m")
        yield Rung("zero of the torque sensor", (zero,))
    if isinstance(motor.friction, LoadDependent) and _turns(motor, trials):
        speed = _speeds(trials)
        friction = (
            *unless_known(motor, "friction.coulomb", "N·m", 0.02 * size),
            *unless_known(motor, "friction.viscous", "N·m·s/rad", 0.02 * size / max(float(speed.max()), 1e-3)),
        )
        yield Rung("Coulomb and viscous friction", friction)
    saturation = motor.magnet.saturation
    if isinstance(saturation, Saturation) and _currents(trials) >= 4:
        yield Rung("torque saturation", tuple(saturation_parameters(saturation, largest)))


def _nodes(motor: Motor, node: str, spread: float) -> Iterator[Parameter]:
    """Thermal resistance and capacitance of a node."""
    for name, unit in ((f"thermal.{node}_resistance", "K/W"), (f"thermal.{node}_capacitance", "J/K")):
        made = of_motor(motor, name, unit)
        yield Parameter(made.name, made.targets, max(made.spread, spread), unit=unit, source=made.source)


def _second_node(motor: Motor) -> Iterator[Parameter]:
    """A housing of a usual size beside the winding."""
    thermal = motor.thermal
    assert isinstance(thermal, TwoNodeThermal)
    ohms, heat = (float(np.mean(np.asarray(x))) for x in (thermal.winding_resistance, thermal.winding_capacitance))
    yield new("thermal.housing_resistance", "K/W", ohms)
    yield new("thermal.housing_capacitance", "J/K", 30.0 * heat)


def _phase(phase: PhaseHeat) -> Iterator[Parameter]:
    """How uneven the heat is, and in which phase; the pole pairs are looked for before."""
    name, known = "thermistor.phase_heat.modulation", bool(np.all(np.asarray(phase.modulation) > 0.0))
    yield Parameter(
        f"motor.{name}", (MOTOR + name,), UNSURE, positive=False, reference=None if known else 0.9, least=0.0, most=1.0
    )
    yield Parameter(PHASE, (f"actuator.{PHASE}",), 3.0, positive=False, unit="rad")


# --- what the logs allow


def _compares(trials: Trials, *channels: str) -> bool:
    return any(reading.channel in channels for reading in trials.readings)


def _is_still(motor: Motor) -> bool:
    """Whether the housing has no part in the heat so far."""
    thermal = motor.thermal
    return isinstance(thermal, TwoNodeThermal) and bool(np.all(np.asarray(thermal.housing_capacitance) >= STILL))


def _speeds(trials: Trials) -> np.ndarray:
    assert trials.path is not None
    return np.abs(np.diff(trials.path, axis=0)) / trials.dt


def _stands(trials: Trials, sensor: Thermistor) -> bool:
    """Whether the motor mostly stands, at more than one electrical angle."""
    assert trials.path is not None and sensor.phase_heat is not None
    pairs = float(np.mean(np.asarray(sensor.phase_heat.pole_pairs)))
    slow = _speeds(trials) * pairs / (2.0 * np.pi) < SLOWEST
    return bool(np.mean(slow) > 0.5 and np.max(np.ptp(trials.path, axis=0)) * pairs > 0.5)


def _turns(motor: Motor, trials: Trials) -> bool:
    """Whether the rotor turns by a turn or more, so that friction is more than a part of standing still."""
    assert trials.path is not None
    ratio = float(np.max(np.abs(np.asarray(motor.ratio))))
    return bool(ratio * np.max(np.ptp(trials.path, axis=0)) > 2.0 * np.pi)


def _currents(trials: Trials) -> int:
    """So many tenths of the largest current were held."""
    current = np.abs(trials.commands["current"])
    return len(np.unique(np.floor(10.0 * current / max(float(current.max()), 1e-12))))
