"""The record of a run: every motor at every basic time step, kept in memory or written as it comes.

A file has a temporary name until it is whole. It is closed and renamed however a run ends, so that what happened before
a script failed can be looked at.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import MissingExtraError, ParameterError
from ..backends.axis import CHANNELS, ELECTRIC, Axis

ROWS = 8192
"""Steps that are written at once [1]."""


class Recorder:
    """Takes every step of a simulation.

    Args:
        path: Parquet file to write; None: none.
        keep: Whether the steps stay in memory, for `table()`.
    """

    def __init__(self, path: str | Path | None = None, keep: bool = True):
        self.path = None if path is None else Path(path).absolute()
        self.keep = keep
        self.units: dict[str, str] = {}
        """Unit of each column."""
        self.labels: dict[str, dict[str, Any]] = {}
        """What a picture and a sound need of each axis: its largest velocity and wave file."""
        self._axes: list[Axis] = []
        self._rows = array("d")
        self._kept: list[np.ndarray] = []
        self._writer: Any = None
        self._closed = False
        self._electric = self._battery = False

    def begin(self, axes: list[Axis], electric: bool, battery: bool) -> None:
        """Make ready for the axes of a robot."""
        if self.units:
            raise ParameterError("this recorder has a run already; make another one")
        self._axes = [axis for axis in axes if axis.driven] + [axis for axis in axes if not axis.driven]
        self._electric, self._battery = electric, battery
        self.units["time"] = "s"
        if battery:
            self.units["battery"] = "J"
        for axis in self._axes:
            of_axis = axis.units()
            names = (*CHANNELS, *ELECTRIC) if electric and axis.driven else CHANNELS
            self.units |= {f"{name}[{axis.name}]": of_axis[name] for name in names}
            self.labels[axis.name] = {"max_velocity": axis.motor.max_velocity, "driven": axis.driven}
        if self.path is not None:
            self._open(self.path)

    def add(self, simulation: Any) -> None:
        """Take a step."""
        rows = self._rows
        rows.append(simulation.time)
        if self._battery:
            rows.append(simulation.energy)
        for axis in self._axes:
            rows.extend(axis.row())
            if self._electric and axis.driven:
                rows.extend((axis.current, axis.voltage, axis.temperature))
        if len(rows) >= ROWS * len(self.units):
            self._flush()

    def close(self) -> None:
        """Write what is left and give the file its name."""
        if self._closed:
            return
        self._closed = True
        self._flush()
        if self._writer is not None and self.path is not None:
            self._writer.close()
            try:
                self._part.replace(self.path)
            except OSError as error:
                raise ParameterError(f"{self.path}: cannot be written ({error.strerror or error})") from None
            finally:
                with suppress(OSError):
                    self._part.unlink(missing_ok=True)

    def table(self) -> dict[str, np.ndarray]:
        """The columns by name, such as `position[left wheel]`."""
        if not self.keep:
            raise ParameterError("the steps of this recorder did not stay in memory: make it with keep=True")
        self._flush()
        whole = np.concatenate(self._kept) if self._kept else np.zeros((0, len(self.units)))
        return dict(zip(self.units, whole.T, strict=True))

    @property
    def axes(self) -> list[str]:
        """Names of the axes that were recorded."""
        return list(self.labels)

    # --- writing

    @property
    def _part(self) -> Path:
        assert self.path is not None
        return self.path.with_name(self.path.name + ".part")

    def _open(self, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ModuleNotFoundError:
            raise MissingExtraError("pyarrow", "files", "Writing parquet") from None
        fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit}) for name, unit in self.units.items()]
        try:
            self._writer = pyarrow.parquet.ParquetWriter(self._part, pyarrow.schema(fields))
        except OSError as error:
            raise ParameterError(f"{path}: cannot be written ({error.strerror or error})") from None

    def _flush(self) -> None:
        if not self._rows:
            return
        block = np.array(self._rows).reshape(-1, len(self.units))
        self._rows = array("d")
        if self.keep:
            self._kept.append(block)
        if self._writer is not None:
            import pyarrow

            columns = [pyarrow.array(column) for column in np.ascontiguousarray(block.T)]
            self._writer.write_table(pyarrow.Table.from_arrays(columns, schema=self._writer.schema))
