"""backemf check"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import typer
from rich.text import Text

from ..datasheet import Datasheet
from .app import AsJson, MotorName, app, console
from .tables import cell, plain, titled_table

SEVERITY_STYLE = {"ok": "green", "info": "cyan", "warning": "yellow", "error": "bold red"}


@app.command()
def check(motor: MotorName, json_: AsJson = False) -> None:
    """Compare every redundant figure of a datasheet with what the others predict.

    A ratio near 1 means that maker and physics agree. Exit code 1 if a figure contradicts the others.
    """
    sheet = Datasheet.load(motor)
    findings = sheet.check()
    if json_:
        print(json.dumps([_finding(f) for f in findings], indent=1, ensure_ascii=False))
    else:
        _print_findings(sheet, findings)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def _finding(finding: Any) -> dict[str, Any]:
    return {name: plain(value) for name, value in (asdict(finding) | {"ratio": finding.ratio}).items()}


def _print_findings(sheet: Datasheet, findings: list[Any]) -> None:
    compared = [finding for finding in findings if finding.listed is not None]
    if not findings:
        console().print(f"{sheet.name}: nothing is said twice, so there is nothing to compare")
    if compared:
        table = titled_table(f"{sheet.name}: each figure against the others")
        for title in ("figure", "listed", "predicted", "ratio", ""):
            table.add_column(
                title, justify="right" if title in ("listed", "predicted", "ratio") else "left", no_wrap=True
            )
        for finding in compared:
            ratio = "-" if finding.ratio is None else f"{finding.ratio:.3f}"
            mark = Text(finding.severity, style=SEVERITY_STYLE[finding.severity])
            values = (cell(v, finding.unit) for v in (finding.listed, finding.predicted))
            table.add_row(finding.figure, *values, ratio, mark)
        console().print(table)
    # what agrees needs no sentence
    remarks = [finding for finding in findings if finding.severity != "ok"]
    if remarks:
        console().print()
    for finding in remarks:
        mark = Text(finding.severity, style=SEVERITY_STYLE[finding.severity])
        console().print(Text.assemble(mark, f" {finding.figure}: {finding.explanation}"))
