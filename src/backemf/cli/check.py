"""backemf check"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from ..datasheet import Datasheet
from .app import AsJson, MotorName, app, console
from .tables import SEVERITY_STYLE, cell, print_findings, print_json, titled_table

if TYPE_CHECKING:
    from ..datasheet import Finding


@app.command()
def check(motor: MotorName, json_: AsJson = False) -> None:
    """Compare every redundant figure of a datasheet with what the others predict, or a robot with its model.

    A ratio near 1 means that the figures agree. The exit code is 1 if a figure contradicts the others, or if a robot
    cannot be as its file says.
    """
    if motor.endswith(".toml"):
        from ..robot.robot_file import is_robot_file

        if is_robot_file(motor):
            from .robots import check_robot_file

            check_robot_file(motor, json_)
            return
    sheet = Datasheet.load(motor)
    findings = sheet.check()
    if json_:
        print_json([asdict(finding) | {"ratio": finding.ratio} for finding in findings])
    else:
        _print(sheet, findings)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def _print(sheet: Datasheet, findings: list[Finding]) -> None:
    compared = [finding for finding in findings if finding.listed is not None]
    if not findings:
        console().print(f"{sheet.name}: no figure follows from others, so there is nothing to compare")
    if compared:
        right = ("listed", "predicted", "ratio")
        table = titled_table(f"{sheet.name}: each figure against the others", ("figure", *right, ""), right)
        for finding in compared:
            ratio = "-" if finding.ratio is None else f"{finding.ratio:.3f}"
            mark = Text(finding.severity, style=SEVERITY_STYLE[finding.severity])
            values = (cell(v, finding.unit) for v in (finding.listed, finding.predicted))
            table.add_row(f"{finding.figure}{'*' if finding.follows_from else ''}", *values, ratio, mark)
        console().print(table)
        for finding in compared:
            if finding.follows_from:
                console().print(Text(f"* {finding.figure} is not printed: {finding.follows_from}", style="dim"))
    # what agrees needs no sentence
    print_findings([(f.severity, f.figure, f.explanation) for f in findings if f.severity != "ok"])
