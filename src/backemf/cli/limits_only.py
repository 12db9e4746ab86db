"""Datasheets without a winding, as the commands print them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.text import Text

from ..datasheet import Datasheet
from ..errors import DatasheetError
from .app import console
from .tables import cell, print_json, print_written, titled_table

JOINT_UNITS = {
    "effort_limit": "N*m",
    "saturation_effort": "N*m",
    "velocity_limit": "rad/s",
    "armature": "kg*m^2",
    "coulomb": "N*m",
    "stiction": "N*m",
    "viscous": "N*m*s/rad",
}


def limits_note(motor: str) -> list[str]:
    """What a datasheet's limits are made of, and what a motor lacks; empty for a motor, and for a motor file."""
    try:
        sheet = Datasheet.load(motor)
    except DatasheetError:
        # a motor file: its numbers are as someone wrote them
        return []
    if sheet.says != "limits only":
        return []
    limits, missing = sheet.limits_only()
    numbers = ", ".join(f"{name.replace('_', ' ')} from {how}" for name, how in limits.how.items())
    return [f"Limits of the datasheet alone: {numbers}. A motor lacks: {'; '.join(missing)}."]


def show_limits(sheet: Datasheet, page: Path | None, picture: Path | None, json_: bool) -> None:
    """What follows from a sheet without a winding: limits of the joint, and what a motor lacks."""
    limits, missing = sheet.limits_only()
    numbers = {name: (float(getattr(limits.limit, name)), how) for name, how in limits.how.items()}
    numbers |= {name: (value, "at the joint") for name, value in sheet.joint().items()}
    if picture is not None:
        from .. import plot

        plot.joint_limits(sheet.actuator(), sheet.name, picture)
    if page is not None:
        from .. import plot
        from ..plot.page import Section, pictures

        words = "What the printed torque and speed allow at the joint; there is no winding to say more."
        draw = (("joint limits", lambda actuator: plot.joint_limits(actuator, sheet.name), words),)
        drawn = Section("Limits of the joint", pictures(draw, sheet.actuator(), lambda _: None))
        plot.page(page, title=sheet.name, findings=sheet.check(), sections=[drawn])
    if json_:
        figures = [asdict(figure) for figure in sheet.figures()]
        derived = [{"name": name, "value": value, "unit": JOINT_UNITS[name]} for name, (value, _) in numbers.items()]
        print_json({"figures": figures, "limits": derived, "missing": missing})
        return
    console().print()
    table = titled_table("What follows: limits of the joint, and no winding", ("number", "value", "from"), ("value",))
    for name, (value, how) in numbers.items():
        table.add_row(name.replace("_", " "), cell(value, JOINT_UNITS[name]), how)
    console().print(table)
    console().print()
    for part in missing:
        console().print(Text(f"for a motor: {part}"))
    print_written((page, picture))
