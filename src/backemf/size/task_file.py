"""A task in a TOML file: quantities with units, a table per joint with its motion and its load."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..actuator import Supply
from ..checks import quote
from ..errors import BackemfError, ParameterError, UnitError
from ..identify.channels import suggest
from ..identify.described import read_part
from ..identify.rig_parts import RobotModel
from ..parts import FAMILIES, declaration_of
from ..robot.part_tables import read_part as read_at_slide
from ..toml_text import parse_toml
from ..units import parse
from ..values import Foreign
from .free_gears import FreeGears
from .motion import Motion
from .motion_csv import read_motion
from .task import JointTask, Task, TaskLimits, load_kinds

FORMAT = "backemf task 1"
"""What the first line of such a file says."""
EXAMPLE = """
format = "backemf task 1"
wanted = ["mass", "energy"]

[supply]
voltage = "48 V"

[joints.joint]
rest = "2 s"

[joints.joint.motion]
kind = "trapezoid"
angle = "120 deg"
duration = "0.8 s"

[joints.joint.load]
kind = "Pendulum"
mass = "2 kg"
length = "0.4 m"
"""
"""A weight on a lever that swings up and down: a task to begin one's own with."""
FIELDS = ("format", "name", "wanted", "ambient", "mounting", "samples", "supply", "limits", "gears", "robot",
          "joints")  # fmt: skip


def read_task(text: str, file: str, folder: Path | None) -> Task:
    """A task from TOML text."""
    content = parse_toml(text, file, ParameterError, "a task")
    if content.get("format") != FORMAT:
        raise ParameterError(f'{file}: format = {quote(content.get("format"))}: must be "{FORMAT}"')
    for key in content:
        if key not in FIELDS:
            raise ParameterError(f"{file}, {key}: there is no such field: {suggest(key, FIELDS)}")
    for key in ("supply", "joints"):
        if not isinstance(content.get(key), dict) or not content[key]:
            raise ParameterError(f"{file}: has no [{key}]; a task needs a supply and one or more joints")
    joints = {
        name: _joint(name, table, f"{file}, [joints.{name}]", folder) for name, table in content["joints"].items()
    }
    plain: dict[str, Foreign] = {
        key: _quantity(content[key], unit, f"{file}, {key}")
        for key, unit in (("ambient", "degC"), ("mounting", "1"))
        if key in content
    }
    if "samples" in content:
        if type(content["samples"]) is not int or not 8 <= content["samples"] <= 1_000_000:
            raise ParameterError(f"{file}, samples = {quote(content['samples'])}: must be a whole number from 8 on")
        plain["samples"] = content["samples"]
    wanted = content.get("wanted", ["mass"])
    if not isinstance(wanted, (str, list)):
        raise ParameterError(f"{file}, wanted = {quote(wanted)}: must be a word or a list of words")
    name = content.get("name", "")
    if not isinstance(name, str):
        raise ParameterError(f"{file}: name = {quote(name)}: must be a text")
    try:
        return Task(
            joints=joints,
            supply=_table(Supply, content["supply"], f"{file}, [supply]"),
            limits=_table(TaskLimits, content.get("limits", {}), f"{file}, [limits]"),
            gears=_table(FreeGears, content["gears"], f"{file}, [gears]") if "gears" in content else None,
            robot=_table(RobotModel, content["robot"], f"{file}, [robot]") if "robot" in content else None,
            wanted=wanted if isinstance(wanted, str) else tuple(wanted),
            name=name,
            folder=folder,
            **plain,
        )
    except BackemfError as error:
        said = str(error)
        raise ParameterError(said if said.startswith(file) else f"{file}: {said}") from None


def _table(kind: type, table: Foreign, place: str) -> Foreign:
    if not isinstance(table, dict):
        raise ParameterError(f"{place}: must be a table")
    return read_part(kind, table, place).build(None, place)


def _joint(joint: str, table: Foreign, place: str, folder: Path | None) -> JointTask:
    if not isinstance(table, dict):
        raise ParameterError(f"{place}: must be a table")
    if not isinstance(table.get("motion"), dict):
        raise ParameterError(f"{place}: has no motion; add a table [...motion] with its kind")
    given: dict[str, Foreign] = {}
    slides = "slide" in table
    for name, value in table.items():
        if name in ("motion", "load"):
            given[name] = _of_joint(name, value, f"{place} {name}", joint, folder, slides)
        elif name == "slide":
            given[name] = _of_kind(value, FAMILIES["slide"], f"{place} slide")
        elif name in ("repeats", "spring"):
            given[name] = value
        elif name in ("rest", "gear_exponent"):
            it = declaration_of(JointTask.__dataclass_fields__[name])
            given[name] = _quantity(value, (it.unit if it else None) or "1", f"{place} {name}")
        else:
            known = ("motion", "load", "slide", "repeats", "rest", "spring", "gear_exponent")
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, known)}")
    try:
        return JointTask(**given)
    except BackemfError as error:
        raise ParameterError(f"{place}: {error}") from None


def _of_joint(name: str, table: Foreign, place: str, joint: str, folder: Path | None, slides: bool) -> Foreign:
    """The motion or the load of a joint, in its units."""

    def read(slides: bool) -> Foreign:
        if name == "motion":
            return _motion(table, place, joint, folder, slides)
        return _of_kind(table, load_kinds(), place, slides)

    try:
        return read(slides)
    except ParameterError as error:
        if slides:
            raise
        try:
            read(True)
        except ParameterError:
            raise error from None
        raise ParameterError(f"{error}; for a joint that slides, give its slide") from None


def motion_kinds() -> dict[str, type]:
    """Motions by the names they have in files."""
    return {kind.called: kind for kind in FAMILIES["motion"].values() if kind.called != "samples"}


def _motion(table: Mapping[str, Foreign], place: str, joint: str, folder: Path | None, slides: bool) -> Motion:
    if table.get("kind") != "csv":
        return _of_kind(table, {**motion_kinds(), "csv": Motion}, place, slides)
    for name in table:
        if name not in ("kind", "file", "joint", "closed"):
            raise ParameterError(
                f"{place} {name}: there is no such field: {suggest(name, ('file', 'joint', 'closed'))}"
            )
    file, closed = table.get("file"), table.get("closed", True)
    if not isinstance(file, str) or not isinstance(closed, bool):
        raise ParameterError(
            f"{place}: a motion of the kind csv needs file, a text, and may have closed, true or false"
        )
    path = Path(file) if folder is None else folder / file
    named = table.get("joint")
    try:
        return read_motion(path, str(named) if named is not None else joint, closed, slides)
    except ParameterError as error:
        if named is not None:
            raise
        try:
            # the columns of a file of one joint need not name it
            return read_motion(path, "", closed, slides)
        except ParameterError:
            raise error from None


def _of_kind(table: Foreign, kinds: Mapping[str, type], place: str, slides: bool = False) -> Foreign:
    """A part from a table that names its kind; of a joint that slides, with N for N·m, m for rad and kg for kg·m²."""
    if not isinstance(table, dict):
        raise ParameterError(f"{place}: must be a table with its kind")
    values = dict(table)
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        given = "has no kind" if kind is None else f"kind = {quote(kind)}"
        hint = suggest(kind, kinds) if isinstance(kind, str) else f"use one of {', '.join(kinds)}"
        raise ParameterError(f"{place} {given}: {hint}")
    return read_at_slide(kinds[kind], values, place, True) if slides else _table(kinds[kind], values, place)


def _quantity(value: Foreign, unit: str, place: str) -> float:
    try:
        return float(parse(value, unit))
    except UnitError as error:
        raise ParameterError(f"{place} = {quote(value)}: {error}") from None
