"""A motion from a CSV file: columns such as `time [s]`, `position[knee] [deg]`, `velocity [rad/s]`, `torque [N*m]`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from .. import units
from ..csv_tables import read_cells, read_header
from ..errors import ParameterError, UnitError
from ..identify.channels import TIME
from ..identify.headings import Heading, read_heading, to_si
from .motion import SampledMotion

WANTED = (TIME, "position", "velocity", "torque")
_ACCELERATION = re.compile(
    r"(acceleration|accel|acc|alpha|ddq|qdd)\s*(?:\[([^\[\]]*)\])?\s*(?:[\[(]([^\[\]()]*)[\])])?\s*"
)


def read_motion(path: str | Path, joint: str = "", closed: bool = True, slides: bool = False) -> SampledMotion:
    """The motion of a joint; without a name, the file is of one joint. One that slides has m for rad, N for N·m."""
    file = Path(path)
    header = read_header(file)
    found: dict[str, tuple[int, str]] = {}
    for k, text in enumerate(header.headings):
        heading = _heading(text)
        if heading.channel is None or heading.joint not in ("", joint):
            continue
        # a column of this joint comes before one of no joint
        if heading.channel not in found or heading.joint:
            found[heading.channel] = k, heading.unit
    if TIME not in found:
        raise ParameterError(f"{file}, line {header.line}: has no column of times; name one `time [s]`")
    if "position" not in found and "velocity" not in found:
        of = f" of the joint {joint!r}" if joint else ""
        raise ParameterError(
            f"{file}, line {header.line}: has neither a position nor a velocity{of}; name a column "
            f"`position [rad]` or `velocity [rad/s]`, there are {', '.join(header.headings[:12])}"
        )
    names = list(found)
    rows, lines = read_cells(file, header, [found[name][0] for name in names])
    if np.isnan(rows).any():
        row = int(np.argwhere(np.isnan(rows))[0][0])
        raise ParameterError(f"{file}, line {lines[row]}: has an empty cell; a motion has a number in every row")
    columns = {}
    for k, name in enumerate(names):
        unit = found[name][1]
        if name == "acceleration" or (slides and name != TIME):
            columns[name] = _converted(rows[:, k], unit, name, slides, file)
        else:
            columns[name] = to_si(rows[:, k], unit or units_of(name), name, str(file))
    return SampledMotion(closed=closed, name=file.name, **columns)


def units_of(name: str) -> str:
    """The SI unit of a column without one."""
    from ..identify.channels import unit_of

    return unit_of(name)


def _heading(text: str) -> Heading:
    if found := _ACCELERATION.fullmatch(text.strip().lower()):
        first, second = found[2] or "", found[3] or ""
        joint, unit = (first, second) if second else ("", first)
        return Heading(text, "acceleration", joint, unit)
    heading = read_heading(text)
    return heading if heading.channel in WANTED else Heading(text, None)


def _converted(values: np.ndarray, unit: str, name: str, slides: bool, file: Path) -> np.ndarray:
    """A column in SI, of a joint that turns or slides."""
    own = "rad/s^2" if name == "acceleration" else units_of(name)
    own = units.linear_unit(own) if slides else own
    try:
        return values * units.parse(f"1 {unit or own}", own)
    except UnitError as error:
        raise ParameterError(f"{file}: the unit {unit!r} of the {name}: {error}") from None
