"""backemf sweep"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import AsJson, app, console, option
from .tables import print_json

if TYPE_CHECKING:
    from ..sweep import Sweep


@app.command(
    epilog="""\b
Examples:
  backemf sweep sweep.toml -o runs
  backemf sweep sweep.toml -o runs --ray auto
  backemf sweep sweep.toml -o runs --ray head:6379

A sweep that was stopped goes on where it was with the same command.
""",
)
def sweep(
    file: Annotated[Path, typer.Argument(metavar="SWEEP", help="What varies, and what is run: a sweep in TOML.")],
    output: Annotated[Path, option("DIR", "Folder for the parts of the table and the manifest.", "--output", "-o")],
    ray: Annotated[
        str | None, option("ADDRESS", 'Ray cluster: "auto" or its address. Default: the cores of this machine.')
    ] = None,
    workers: Annotated[int | None, option("N", "Processes on this machine; default: one for each core.")] = None,
    seed: Annotated[int | None, option("N", "Random seed of what is drawn; default: that of the file, or 0.")] = None,
    part: Annotated[int | None, option("N", "Cases of a part; default: by their number.")] = None,
    json_: AsJson = False,
) -> None:
    """Run every case of a space: simulations or sizings over lists and random draws of any field, or fits to many logs.

    The answers are parquet files in a folder, one row for each case; a case that fails is a row with its sentence.
    """
    from ..sweep.sweep_file import read_sweep_file
    from ..sweep.sweeping import sweep as run_sweep

    asked = read_sweep_file(file)
    done = run_sweep(
        asked.swept,
        asked.space,
        output,
        ray=ray,
        seed=asked.seed if seed is None else seed,
        part=asked.part if part is None else part,
        workers=workers,
        progress=not json_,
    )
    if json_:
        print_json(
            {
                "folder": str(done.path),
                "cases": done.cases,
                "rows": done.rows,
                "failed": done.failed,
                "parts": len(done.parts),
                "failures": [{"case": case, "error": text} for case, text in done.failures()],
            }
        )
        return
    _print(done)


def _print(done: Sweep) -> None:
    """How many cases there are, and why the first failed."""
    console().print(
        f"{done.rows} cases in {len(done.parts)} parts of {done.path}; {done.failed} failed",
        soft_wrap=True,
        markup=False,
    )
    for case, text in done.failures(3):
        console().print(f"case {case}: {text}", soft_wrap=True, markup=False)
