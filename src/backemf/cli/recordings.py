"""backemf show, of the recording of a run."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

from ..errors import BackemfWarning
from .app import console
from .tables import plain, titled_table
from .words import require_ending

ENDINGS = (".parquet", ".csv", ".part")
"""How the names of recordings end."""


def is_recording(name: str) -> bool:
    """Whether a name is that of a recording rather than of a motor."""
    return Path(name).suffix in ENDINGS


def show_recording(name: str, save: Path | None, json_: bool) -> None:
    """What a recording holds, how far it goes and, on the error stream, that its run was ended; saves it if asked."""
    from ..recording import read_recording

    require_ending("--save", save, (".parquet", ".csv"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", BackemfWarning)
        found = read_recording(name)
    if save is not None:
        found.save(save)
    if json_:
        answer = {"rows": found.rows, "end": found.end, "complete": found.complete, "columns": _rows(found)}
        print(json.dumps(plain(answer), indent=1, ensure_ascii=False))
    else:
        _print(name, found)
        if save is not None:
            console().print(f"wrote {save}", soft_wrap=True)
    for warning in said:
        print(f"warning: {warning.message}", file=sys.stderr)


def _rows(found: Any) -> list[dict[str, Any]]:
    """Name, unit, smallest, largest and last value of each column."""
    return [
        {"name": name, "unit": found.units.get(name, "")}
        | ({"smallest": values.min(), "largest": values.max(), "last": values[-1]} if len(values) else {})
        for name, values in found.columns.items()
    ]


def _print(name: str, found: Any) -> None:
    until = f"{found.rows} steps, to t = {found.end:g} s" if found.rows else "no step"
    table = titled_table(f"{Path(name).name}: {until}")
    for title in ("column", "unit", "smallest", "largest", "last"):
        table.add_column(title, justify="left" if title in ("column", "unit") else "right", no_wrap=True)
    for row in _rows(found):
        values = [f"{row[key]:.4g}" if key in row else "-" for key in ("smallest", "largest", "last")]
        table.add_row(row["name"].replace("[", r"\["), row["unit"], *values)
    console().print(table)
