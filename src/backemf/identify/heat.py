"""Heat in logs: what a measured current along a measured motion does to the winding and to the sensor in it.

Only ratios are seen: with the current alone, twice the resistance with twice the heat capacities and half the thermal
resistances gives the same temperatures. So the resistance stays at its prior, and the thermal numbers are those of a
motor with this resistance and the heat R·i², i being the DC-equivalent current. For a q current, whose copper heat is
1.5·R·iq² with the resistance of a phase, that is a resistance of 1.5 times the phase's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..actuator import Actuator
from ..actuator.controllers.torque import Torque
from ..errors import ParameterError
from ..motor import TwoNodeThermal
from ..motor.thermistor import PhaseHeat, Thermistor
from .loss import Problem
from .parameters import Parameter
from .solve import Solved, solve

CURRENT_LOOP = 1e6
"""Bandwidth of a current loop that follows a measured current at once [1/s]."""
PHASES = np.pi * np.array([-1.0, -0.5, 0.0, 0.5])
"""Phases of the uneven heat from which a fit starts, less that of the prior [rad]."""
POLE_PAIRS = "actuator.motor.thermistor.phase_heat.pole_pairs"
"""Where the pole pairs are in a bench."""
PHASE = "motor.thermistor.phase_heat.phase"
"""Name of the parameter that says which phase the sensor is in."""


@dataclass(frozen=True, eq=False)
class PolePairs:
    """Pole pairs that were tried, and the best fit with each."""

    pairs: tuple[int, ...]
    """Pole pairs, best first."""
    loss: tuple[float, ...]
    """Loss of each with its prior; less than 1 apart means that the log does not tell them apart [1]."""
    solved: tuple[Solved, ...]
    """The best start of each."""


def follow_current(actuator: Actuator) -> Actuator:
    """The actuator with a drive that lets a measured current flow, whatever the winding's temperature.

    A torque controller without a current loop sets a voltage, whose current falls as the copper warms up; then a fit
    gives a torque constant that is too high.
    """
    motor = actuator.motor
    if motor is None:
        raise ParameterError("actuator.motor is None: a measured current needs a motor; give one")
    return replace(
        actuator, motor=replace(motor, limits=None), controller=Torque(current_bandwidth=CURRENT_LOOP), supply=None
    )


def with_thermistor(
    actuator: Actuator, time_constant: float = 1.5, pole_pairs: float | None = None, modulation: float = 0.9
) -> Actuator:
    """The actuator with a sensor in its winding, which sits in one phase where pole pairs are given.

    One phase alone has a modulation of 1: its heat is R·i²·(1 - cos(2θe + φ)). The fit starts a little below, since it
    cannot leave a bound.
    """
    motor = actuator.motor
    if motor is None or motor.thermal is None:
        raise ParameterError("actuator.motor.thermal is None: there is no heat to measure; give a thermal model")
    phase = None if pole_pairs is None else PhaseHeat(pole_pairs=pole_pairs, modulation=modulation)
    return replace(actuator, motor=replace(motor, thermistor=Thermistor(time_constant=time_constant, phase_heat=phase)))


def heat_parameters(actuator: Actuator) -> list[Parameter]:
    """What temperatures and torques along a measured motion tell of a motor."""
    motor = actuator.motor
    if motor is None or motor.thermal is None:
        raise ParameterError("actuator.motor.thermal is None: there is no heat to identify; give a thermal model")
    constants = tuple(f"actuator.motor.magnet.{name}" for name in ("torque_constant", "back_emf_constant"))
    made = [Parameter("motor.magnet.torque_constant", constants, 0.15, unit="N·m/A")]
    two = isinstance(motor.thermal, TwoNodeThermal)
    nodes = ("winding_", "housing_") if two else ("",)
    for node in nodes:
        made.append(_of(f"motor.thermal.{node}resistance", 1.0, "K/W"))
        made.append(_of(f"motor.thermal.{node}capacitance", 1.0, "J/K"))
    if motor.thermistor is None:
        return made
    made.append(_of("motor.thermistor.time_constant", 0.7, "s"))
    if motor.thermistor.phase_heat is not None:
        uneven = _of("motor.thermistor.phase_heat.modulation", 0.3, "1")
        made.append(replace(uneven, positive=False, least=0.0, most=1.0))
        made.append(replace(_of(PHASE, 3.0, "rad"), positive=False))
        made.append(_of("motor.thermistor.phase_heat.pole_pairs", 1.0, "1"))
    return made


def scan_pole_pairs(
    problem: Problem,
    active: np.ndarray,
    pairs: Iterable[int],
    steps: int = 60,
    weights: np.ndarray | None = None,
    told: Callable[[], None] = lambda: None,
) -> PolePairs:
    """Fit with each number of pole pairs, from four phases each, and rank them by their loss.

    The pole pairs themselves must be among the parameters and not active.

    Args:
        problem: Logs, and parameters with the pole pairs among them.
        active: Which parameters are free.
        pairs: Pole pairs to try.
        steps: Most steps of each fit.
        weights: How often each block counts; None: once each.
        told: Called after each number of pole pairs.
    """
    space = problem.space
    if POLE_PAIRS not in space.names or any(
        active[k] and POLE_PAIRS in each.targets for k, each in enumerate(space.parameters)
    ):
        raise ParameterError("pole pairs: must be a parameter that is not free while they are scanned; leave it out")
    starts = np.tile(space.starts, (len(PHASES), 1))
    starts[:, space.index(PHASE)] += PHASES
    each = np.ones(problem.blocks.count) if weights is None else weights
    rows = np.tile(each, (len(starts), 1))
    found = []
    for pair in pairs:
        solved = solve(with_pole_pairs(problem, pair), starts, active, rows, steps)
        best = int(np.argmin(solved.loss))
        found.append((float(solved.loss[best]), pair, solved.take(np.array([best]))))
        told()
    found.sort(key=lambda each: each[0])
    return PolePairs(tuple(e[1] for e in found), tuple(e[0] for e in found), tuple(e[2] for e in found))


def with_pole_pairs(problem: Problem, pairs: float) -> Problem:
    """The same problem for a motor with other pole pairs."""
    base = problem.space.base.copy()
    base[problem.space.names.index(POLE_PAIRS)] = pairs
    made = Problem(problem.predictor, replace(problem.space, base=base), problem.blocks, problem.scales)
    made.steps = problem.steps
    return made


def _of(name: str, spread: float, unit: str) -> Parameter:
    return Parameter(name, (f"actuator.{name}",), spread, unit=unit)
