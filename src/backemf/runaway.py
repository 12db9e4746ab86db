"""Detects a step that diverges: the joint has more energy than supply, load and initial motion have given it.

Energy comes from the supply, the load, the initial motion, and constants that give more torque than the back-EMF
takes (Kt above Ke). Anything beyond that is a numerical error. Between two records that are many steps apart the supply
may give all of it and be at rest at both, so that there its meter counts; without one nothing is said.
"""

from __future__ import annotations

import numpy as np

from .actuator import Actuator
from .checks import Number
from .errors import SimulationError
from .loads import KINEMATIC, Load, TwoMass, inertia_of

SURE = 10.0
"""Largest ratio of the joint's energy to the energy given, where every step is recorded [1]."""
SURE_BETWEEN = 1e6
"""The same where steps between the records may have given energy that is not recorded [1]."""

GIVING = ("electrical", "cogging")
"""Powers that give the joint energy where they are positive."""
TAKING = ("conversion", "magnetic", "bristle", "rotor")
"""Powers that give the joint energy where they are negative."""
BLOCK = 16384
"""Numbers of a channel that are looked at together [1]."""


class EnergyWatch:
    """Compares the joint's energy with what it was given, piece by piece of a run."""

    def __init__(self, actuator: Actuator, load: Load, velocity: Number, dt: float, every: int) -> None:
        """`velocity` is that of the start [rad/s], `dt` the step [s], `every` how many steps make a record."""
        self.sparse = every > 1
        """Whether there are steps between the records."""
        metered = actuator.motor is not None and actuator.meter
        self.active = not isinstance(load, KINEMATIC) and (metered or not self.sparse)
        self.reads = {"velocity", "load_torque", *load.remembers}
        """Channels that it needs; of a record without one of them it says nothing."""
        self.reads |= (
            {"mechanical_power"} if actuator.motor is None else {f"{name}_power" for name in (*GIVING, *TAKING)}
        )
        self.reads |= set() if actuator.spring is None else {"spring_power"}
        self.reads |= {"electrical_energy"} if self.sparse else set()
        if not self.active:
            return
        outside = inertia_of(load)
        self.inertia = np.asarray(outside + (0.0 if actuator.motor is None else actuator.motor.armature))
        self.far_inertia = np.asarray(load.far_inertia) if isinstance(load, TwoMass) else None
        self.far_torque = load.far_torque if isinstance(load, TwoMass) else 0.0
        self.spacing = dt * every
        self.drawn = np.zeros(())
        self.sure = SURE if every == 1 else SURE_BETWEEN
        velocity = np.asarray(velocity, dtype=float)
        self.given = 0.5 * self.inertia * velocity**2
        if self.far_inertia is not None:
            self.given = self.given + 0.5 * self.far_inertia * velocity**2

    def look(self, record: dict[str, np.ndarray], first: float) -> None:
        """Check that the joint has no more energy than it was given; the record begins at the time `first` [s]."""
        if not self.active or not self.reads <= record.keys():
            return
        velocity = record["velocity"]
        # a few rows at a time, which stay in the processor's cache
        rows = max(1, BLOCK * len(velocity) // max(1, velocity.size))
        for begin in range(0, len(velocity), rows):
            here = {name: record[name][begin : begin + rows] for name in self._names(record)}
            self._look(here, first + begin * self.spacing)

    def _names(self, record: dict[str, np.ndarray]) -> list[str]:
        """The channels that are looked at."""
        powers = ["mechanical_power"]
        if "electrical_power" in record:
            powers = [f"{name}_power" for name in (*GIVING, *TAKING)]
        more = ["far_velocity"] if self.far_inertia is not None else []
        more += ["spring_power"] if "spring_power" in record else []
        return ["velocity", "load_torque", *powers, *more, *(["electrical_energy"] if self.sparse else [])]

    def _look(self, record: dict[str, np.ndarray], first: float) -> None:
        velocity = record["velocity"]
        has = 0.5 * self.inertia * velocity**2
        sources = record["load_torque"] * velocity
        if self.far_inertia is not None:
            has = has + 0.5 * self.far_inertia * record["far_velocity"] ** 2
            sources = np.abs(sources) + np.abs(self.far_torque * record["far_velocity"])
        sources = np.maximum(sources, 0.0)
        if "spring_power" in record:
            sources -= np.minimum(record["spring_power"], 0.0)
        if "electrical_power" in record:
            for name in GIVING[1:] if self.sparse else GIVING:
                sources += np.maximum(record[f"{name}_power"], 0.0)
            for name in TAKING:
                sources -= np.minimum(record[f"{name}_power"], 0.0)
        else:
            sources += np.maximum(record["mechanical_power"], 0.0)
        given = self.given + self.spacing * np.cumsum(sources, axis=0)
        self.given = given[-1]
        if self.sparse:
            drawn = np.maximum(self.drawn, np.maximum.accumulate(record["electrical_energy"], axis=0))
            self.drawn = drawn[-1]
            given = given + drawn
        wild = (has > self.sure * given) & (given > 0.0) & (has > 1e-12)
        if wild.any():
            moment, *motor = (int(i) for i in np.argwhere(wild)[0])
            at, which = (moment, *motor), f" of motor {tuple(motor)}" if motor else ""
            raise SimulationError(
                f"at t = {first + moment * self.spacing:g} s the joint{which} has {has[at]:.3g} J where supply, load "
                f"and start have given {given[at]:.3g} J: the step diverges; lower dt"
            )
