"""What the motors did in a step of MuJoCo, as it acted on the joints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....errors import ParameterError
from ....physics.state import TORQUE, Output
from ....robot.actuator_set import ActuatorSet
from ...robot_step import FOUND, RobotState
from ...types import Fields

STAYS = (
    "winding_temperature", "housing_temperature", "measured_temperature", "electrical_energy", "bus_voltage",
    "rotor_speed",
)  # fmt: skip
"""Outputs that a motor without current has all the same."""


@dataclass(frozen=True)
class Report:
    """The outputs of all motors in a step, and the torque that MuJoCo got."""

    names: tuple[str, ...]
    """Names of the outputs."""
    rows: np.ndarray
    """A row of each, with one number per joint."""
    mean: np.ndarray
    """Mean torque on each joint, if it ends the step at `speed` [N·m]."""
    slope: np.ndarray
    """How fast it falls with the speed at the end [N·m·s/rad]."""
    speed: np.ndarray
    """Joint speeds at the end of the step [rad/s]."""
    cut: np.ndarray | None = None
    """What the model's own limits took off the torque [N·m]; None: nothing."""

    @classmethod
    def empty(cls, names: tuple[str, ...], count: int) -> Report:
        """Before the first step."""
        nothing = np.full(count, np.nan)
        return cls(names, np.full((len(names), count), np.nan), nothing, nothing, nothing)

    def at(self, velocity: np.ndarray, cut: np.ndarray | None) -> Report:
        """The same step after MuJoCo has ended it at these speeds."""
        given = self.mean - self.slope * (velocity - self.speed)
        return replace(self, mean=given if cut is None else given - cut, speed=velocity, cut=cut)

    def output(self, place: int | slice) -> Output:
        """The outputs of one joint, or of a slice of them."""
        if not self.names:
            raise ParameterError("Motors.output: no step has been taken yet")
        values = {name: row[place] for name, row in zip(self.names, self.rows, strict=True)}
        values["torque"] = self.mean[place]
        values: Fields = {name: row if isinstance(row, np.ndarray) else float(row) for name, row in values.items()}
        limit = np.nan_to_num(np.asarray(values["limit"])).astype(int)
        if self.cut is not None:
            limit = limit | np.where(self.cut[place] != 0.0, TORQUE, 0)
        values["limit"] = limit[()]
        return Output(**values)


def rest(
    robot: ActuatorSet,
    names: tuple[str, ...],
    off: np.ndarray,
    before: RobotState,
    after: RobotState,
    rows: np.ndarray,
    velocity: np.ndarray,
) -> tuple[RobotState, np.ndarray]:
    """States and rows of a step in which some motors are switched off: no torque, no current, the heat as it was."""
    rows = np.array(rows)
    rows[: len(FOUND), off] = 0.0
    rows[0, off] = velocity[off]
    for place, name in enumerate(names, start=len(FOUND)):
        if name not in STAYS:
            rows[place, off] = np.where(np.isnan(rows[place, off]), np.nan, 0.0)
    held = []
    for group, old, new in zip(robot.groups, before, after, strict=True):
        columns = np.array(group.columns)
        still = off[columns]
        part = {name: np.array(value) for name, value in new.items()}
        for name, value in part.items():
            kept = np.array(old[name])
            if value.ndim and value.shape[-1] == len(columns):
                value[..., still] = 0.0 if name == "current" else kept[..., still]
        motor = group.actuator.motor
        thermal, thermistor = (None, None) if motor is None else (motor.thermal, motor.thermistor)
        stays = {"electrical_energy": part.get("energy")}
        if thermal is not None:
            for name in ("winding", "housing"):
                rise = part.get(f"{name}_rise")
                stays[f"{name}_temperature"] = None if rise is None else np.asarray(thermal.ambient) + rise
            if thermistor is not None:
                copper = part["winding_rise"] + part.get("phase_rise", 0.0)
                stays["measured_temperature"] = np.asarray(thermal.ambient) + part.get("sensor_rise", copper)
        for name, value in stays.items():
            if value is not None and name in names:
                rows[len(FOUND) + names.index(name), columns[still]] = value[still]
        held.append(part)
    return tuple(held), rows
