"""backemf list"""

from __future__ import annotations

import json
import math
from typing import Any

from rich.text import Text

from .. import catalog
from ..datasheet import Datasheet
from .app import AsJson, app, console
from .tables import bare, plain, titled_table

ROOMY = 110
"""Width from which a table shows what is only nice to have [characters]."""
LIST_COLUMNS = (
    ("id", "id", None),
    ("kind", "kind", None),
    ("voltage\n[V]", "voltage", "V"),
    ("R\n[Ω]", "resistance", "ohm"),
    ("Kt\n[mN·m/A]", "torque_constant", "mN*m/A"),
    ("no-load\n[rpm]", "no_load_speed", "rpm"),
    ("torque\n[N·m]", "nominal_torque", "N*m"),
    ("gear\n[:1]", "gear_ratio", "1"),
)


def _summary(name: str, sheet: Datasheet) -> dict[str, Any]:
    """What a table line says of a sheet, as printed by its maker, in SI."""
    ratio = math.prod(stage.ratio for stage in sheet.gear if stage.ratio is not None) if sheet.gear else None
    return {
        "id": name,
        "name": sheet.name,
        "maker": sheet.maker,
        "kind": sheet.kind,
        "voltage": sheet.electrical.nominal_voltage,
        "resistance": sheet.electrical.resistance,
        "torque_constant": sheet.electrical.kt,
        "no_load_speed": sheet.mechanical.no_load_speed,
        "nominal_torque": sheet.mechanical.nominal_torque,
        "gear_ratio": ratio,
    }


@app.command("list", short_help="List the motors of the catalogue.")
def list_(json_: AsJson = False) -> None:
    """List the motors of the catalogue with the figures their makers print; a dash where they print none.

    The id in the first column is what the other commands take as MOTOR.
    """
    rows = [_summary(name, Datasheet.load(name)) for name in catalog.ids()]
    if json_:
        print(json.dumps(plain(rows), indent=1, ensure_ascii=False))
        return
    # the kind is long: it is shown where the terminal has room for it
    columns = [column for column in LIST_COLUMNS if column[1] != "kind" or console().width >= ROOMY]
    table = titled_table(None)
    for title, _, unit in columns:
        # as Text, because rich reads a unit in brackets as a style
        table.add_column(Text(title), justify="left" if unit is None else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(bare(row[key], unit) for _, key, unit in columns))
    console().print(Text(f"{len(rows)} motors", style="bold"))
    console().print(table)
