"""The record of a simulated run: every state and every telemetry channel over time."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .actuator import Actuator
from .errors import MissingPackageError, ParameterError
from .hooks import call_hook
from .motor import Motor
from .recording_writing import write_csv, write_parquet
from .run_finding import RunFinding
from .units import linear_unit
from .values import Foreign, Module

UNITS = {
    "time": "s",
    "position": "rad",
    "velocity": "rad/s",
    "far_position": "rad",
    "far_velocity": "rad/s",
    "bristle": "rad",
    "gap": "rad",
    "rotor_speed": "rad/s",
    "winding_rise": "K",
    "housing_rise": "K",
    "phase_rise": "K",
    "sensor_rise": "K",
    "torque": "N*m",
    "torque_requested": "N*m",
    "torque_slope": "N*m*s/rad",
    "motor_torque": "N*m",
    "load_torque": "N*m",
    "voltage": "V",
    "current": "A",
    "back_emf": "V",
    "winding_temperature": "degC",
    "housing_temperature": "degC",
    "measured_temperature": "degC",
    "bus_voltage": "V",
    "bus_current": "A",
    "limit": "1",
    "torque_stiffness": "N*m/rad",
    "electrical_energy": "J",
    "lag": "1",
    "position_command": "rad",
    "velocity_command": "rad/s",
    "effort_command": "N*m",
    "voltage_command": "V",
    "mode_command": "1",
    "enable_command": "1",
}
"""Unit of each channel whose unit is always the same; every channel that ends in _power is in W."""
INPUTS = {"position": "rad", "velocity": "rad/s", "effort": "N*m", "voltage": "V"}
"""Unit of each input of a controller."""

BALANCE = (
    "copper", "magnetic", "conversion", "iron", "drag", "friction", "bristle", "gear", "rotor", "mechanical",
)  # fmt: skip
"""Where the electrical energy goes; cogging and the numerical remainder give it."""


@dataclass(frozen=True)
class Run:
    """What happened: `run["current"]` is an array over time, with the batch's axes behind.

    Each value belongs to the end of its step; a power is the mean over the step.
    """

    actuator: Actuator
    """What was run."""
    load: Foreign
    """What it moved."""
    dt: float
    """Step of the simulation [s]."""
    time: np.ndarray
    """Time at the end of each recorded step [s]."""
    data: dict[str, np.ndarray]
    """Every channel by name."""

    @property
    def motor(self) -> Motor | None:
        """The motor that was run; None: the actuator has none."""
        return self.actuator.motor

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        return list(self.data)

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time":
            return self.time
        if name not in self.data:
            raise ParameterError(f"run[{name!r}]: no such channel; there are {', '.join(self.data)}")
        return self.data[name]

    def unit(self, name: str) -> str:
        """Unit of a channel; that of the command is the unit of the controller's main input."""
        return channel_unit(self.actuator, name)

    def energy(self) -> dict[str, np.ndarray]:
        """Energy up to each moment by where it went [J].

        electrical + cogging + numerical = copper + magnetic + conversion + iron + drag + friction + bristle + gear
        + rotor + mechanical + spring, the last one where the joint has a spring.
        """
        if self.motor is None:
            raise ParameterError(
                "energy() needs a motor, and this actuator has none: run['mechanical_power'] is what the joint got"
            )
        every = float(self.time[0]) if len(self.time) == 1 else float(self.time[1] - self.time[0])
        if abs(every - self.dt) > 1e-9 * every:
            raise ParameterError("energy() needs every step: simulate with every=1")
        springs = () if self.actuator.spring is None else ("spring",)
        names = ("electrical", *BALANCE, *springs, "cogging", "numerical")
        return {name: np.cumsum(self.data[f"{name}_power"], axis=0) * self.dt for name in names}

    def findings(self) -> list[RunFinding]:
        """Where the run exceeds what the motor's maker allows, for how long, and what could not be checked.

        Warnings first. A batch names how many motors are concerned and the worst of them.
        """
        return call_hook("findings", self)

    def table(self) -> dict[str, np.ndarray]:
        """Columns by name; a batch gives one column per motor, as in `current[3]`."""
        return table_columns(self.time, self.data)

    def to_parquet(self, path: str | Path) -> Path:
        """Write all channels; the unit of each column is in its metadata under `unit`."""
        columns = self.table()
        return write_parquet(path, columns, column_units(self.actuator, columns))

    def to_csv(self, path: str | Path) -> Path:
        """Write all channels; the header names each column and its unit, as in `current [A]`."""
        columns = self.table()
        return write_csv(path, columns, column_units(self.actuator, columns))

    def to_pandas(self) -> Module:
        """All channels as a pandas DataFrame over time [s]; the units are in its `attrs["units"]`."""
        try:
            pandas: Module = importlib.import_module("pandas")
        except ImportError:
            raise MissingPackageError("pandas", "Run.to_pandas") from None
        columns = self.table()
        time = columns.pop("time")
        frame = pandas.DataFrame(columns, index=pandas.Index(time, name="time"))
        frame.attrs["units"] = column_units(self.actuator, columns)
        return frame

    def plot(self, path: str | Path | None = None) -> Module:
        """The step response: what the joint and the drive do over time, the targets, and the limits that act."""
        return call_hook("step_response", self, path=path)

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)

    def __repr__(self) -> str:
        shape = next(iter(self.data.values())).shape[1:]
        kind = "joint" if self.motor is None else "motor"
        motors = f"1 {kind}" if not shape else f"{'x'.join(map(str, shape))} {kind}s"
        return f"Run({motors}, {self.time[-1]:g} s in steps of {self.dt:g} s, {len(self.data)} channels)"


def channel_unit(actuator: Actuator, name: str) -> str:
    """Unit of a channel of a run of an actuator."""
    if name in ("command", "setpoint"):
        unit = INPUTS[actuator.controller.main]
    elif name == "integral":
        unit = "rad" if actuator.controller.moving_target else "rad*s"
    else:
        unit = "W" if name.endswith("_power") else UNITS[name]
    return linear_unit(unit) if actuator.motor is not None and actuator.motor.motion == "linear" else unit


def column_units(actuator: Actuator, columns: Iterable[str]) -> dict[str, str]:
    """Unit of each column of a run's table."""
    return {name: channel_unit(actuator, name.split("[")[0]) for name in columns}


def table_columns(time: np.ndarray, data: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Channels as columns by name; a batch gives one column per motor, as in `current[3]`."""
    columns = {"time": time}
    for name, values in data.items():
        if values.ndim == 1:
            columns[name] = values
        else:
            for index in np.ndindex(values.shape[1:]):
                columns[f"{name}[{','.join(map(str, index))}]"] = values[(slice(None), *index)]
    return columns
