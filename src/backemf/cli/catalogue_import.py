"""backemf catalogue"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import AsJson, app, console, option
from .tables import print_findings, print_json, print_written


@app.command(
    epilog="""\b
Example:
  backemf catalogue import mgdb/maxon -o my-catalogue
""",
)
def catalogue(
    action: Annotated[str, typer.Argument(metavar="import", help="What to do; `import` is all there is.")],
    source: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the CSV files of a database.")],
    output: Annotated[Path, option("DIR", "Folder to write the catalogue to.", "--output", "-o")],
    json_: AsJson = False,
) -> None:
    """Read motors, gearboxes and which of them fit from the CSV files of the motor-gearbox database.

    The folder has *_motors.csv, *_gearboxes.csv and *_compatibility.csv. Rows that contradict themselves, or lack what
    every task needs, are left out by name. `backemf size TASK --from DIR` takes what was written.
    """
    from ..errors import ParameterError
    from ..size import import_pairs

    if action != "import":
        raise ParameterError(
            f"catalogue {action}: there is no such action; write `backemf catalogue import DIR -o DIR`"
        )
    done = import_pairs(source, output)
    if json_:
        left = [{"name": each.name, "reason": each.reason} for each in done.left_out]
        print_json({"folder": str(done.folder), "pairs": done.pairs, "listed": done.listed, "left_out": left})
        return
    rows = f"; {len(done.left_out)} rows left out" if done.left_out else ""
    console().print(f"{done.pairs} of {done.listed} pairs{rows}", highlight=False)
    print_findings([("info", each.name, each.reason) for each in done.left_out])
    print_written((done.folder,))
