"""Recording a simulated run while it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from .actuator import Actuator
from .errors import ParameterError, SimulationError
from .files import require_writable
from .recording_writing import RecordingWriter
from .run import column_units, table_columns


class RunRecorder:
    """Writes each piece of a run as it is computed, in a `with` block; a run that fails leaves its parts.

    Args:
        output: A .parquet or .csv file; None: nothing is written.
        actuator: What is run.
        spacing: Time between recorded steps [s].
        channels: What is written of each piece; None: all channels.
        word: What the file is called in messages.
    """

    def __init__(
        self, output: str | Path | None, actuator: Actuator, spacing: float, channels: Sequence[str] | None = None,
        word: str = "output",
    ):  # fmt: skip
        self.output = None if output is None else Path(output)
        if self.output is not None and self.output.suffix not in (".parquet", ".csv"):
            raise ParameterError(f"{word} = {str(output)!r}: the name must end in .parquet or .csv")
        self._actuator, self._spacing, self._channels = actuator, spacing, channels
        self._writer: RecordingWriter | None = None
        self._rows = 0

    def write(self, record: dict[str, np.ndarray]) -> None:
        """Write the channels of the next piece."""
        if self.output is None:
            return
        rows = len(next(iter(record.values())))
        if self._channels is not None:
            record = {name: record[name] for name in self._channels}
        columns = table_columns((self._rows + 1 + np.arange(rows)) * self._spacing, record)
        if self._writer is None:
            raise RuntimeError("RunRecorder.write outside its with block")
        if not self._rows:
            self._writer.units = column_units(self._actuator, columns)
        self._writer.write(columns)
        self._rows += rows

    def __enter__(self) -> RunRecorder:
        if self.output is not None:
            # a file that cannot be written is said before anything is computed
            require_writable(self.output)
            self._writer = RecordingWriter(self.output, {})
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._writer is None:
            return
        if error is None:
            self._writer.close()
            return
        self._writer.abandon()
        if self._writer.parts and isinstance(error, (SimulationError, KeyboardInterrupt)):
            raise type(error)(f"{str(error) or 'stopped'}; {self._writer.where_parts_are}") from None
