"""backemf show, of the recording of a run."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BackemfWarning
from .app import console
from .tables import print_json, print_written, titled_table
from .words import require_ending

if TYPE_CHECKING:
    from ..recording import Recording

ENDINGS = (".parquet", ".csv", ".part")
"""How the names of recordings end."""


def is_recording(name: str) -> bool:
    """Whether a name is that of a recording rather than of a motor."""
    return Path(name).suffix in ENDINGS


def show_recording(name: str, save: Path | None, json_: bool) -> None:
    """Print what a recording holds and where it ends, with a warning if its run was interrupted; save it if asked."""
    from ..recording import read_recording

    require_ending("--save", save, (".parquet", ".csv"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", BackemfWarning)
        found = read_recording(name)
    if save is not None:
        found.save(save)
    if json_:
        print_json({"rows": found.rows, "end": found.end, "complete": found.complete, "columns": _rows(found)})
    else:
        _print(name, found)
        print_written([save])
    for warning in said:
        print(f"warning: {warning.message}", file=sys.stderr)


def _rows(found: Recording) -> list[dict[str, Any]]:
    """Name, unit, smallest, largest and last value of each column."""
    return [
        {"name": name, "unit": found.units.get(name, "")}
        | ({"smallest": values.min(), "largest": values.max(), "last": values[-1]} if len(values) else {})
        for name, values in found.columns.items()
    ]


def _print(name: str, found: Recording) -> None:
    until = f"{found.rows} steps, to t = {found.end:g} s" if found.rows else "no step"
    numbers = ("smallest", "largest", "last")
    table = titled_table(f"{Path(name).name}: {until}", ("column", "unit", *numbers), right=numbers)
    for row in _rows(found):
        values = [f"{row[key]:.4g}" if key in row else "-" for key in numbers]
        table.add_row(row["name"].replace("[", r"\["), row["unit"], *values)
    console().print(table)
