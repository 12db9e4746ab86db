"""Recording a simulated run while it is computed."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np

from .actuator import Actuator
from .errors import ParameterError, SimulationError
from .recording_writing import RecordingWriter
from .run import column_units, table_columns


class RunRecorder:
    """Writes each piece of a run as it is computed, in a `with` block; a run that fails leaves its parts.

    Args:
        output: A .parquet or .csv file; None: nothing is written.
        actuator: What is run.
        spacing: Time between recorded steps [s].
    """

    def __init__(self, output: str | Path | None, actuator: Actuator, spacing: float):
        self.output = None if output is None else Path(output)
        if self.output is not None and self.output.suffix not in (".parquet", ".csv"):
            raise ParameterError(f"output = {str(output)!r}: the name must end in .parquet or .csv")
        self._actuator, self._spacing = actuator, spacing
        self._writer: RecordingWriter | None = None
        self._rows = 0

    def write(self, record: dict[str, np.ndarray]) -> None:
        """Write the channels of the next piece."""
        if self.output is None:
            return
        rows = len(next(iter(record.values())))
        columns = table_columns((self._rows + 1 + np.arange(rows)) * self._spacing, record)
        if self._writer is None:
            self._writer = RecordingWriter(self.output, column_units(self._actuator, columns))
        self._writer.write(columns)
        self._rows += rows

    def __enter__(self) -> RunRecorder:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._writer is None:
            return
        if error is None:
            self._writer.close()
            return
        self._writer.abandon()
        if isinstance(error, SimulationError):
            raise SimulationError(f"{error}; {self._writer.where_parts_are}") from None
