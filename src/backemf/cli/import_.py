"""backemf import"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from ..errors import ParameterError
from ..files import make_folder
from ..motorfile import JOINT, dumps, save
from .app import AsJson, app
from .losses import print_errors, print_statuses
from .tables import plain, titled_table
from .words import require_ending

MOST_NAMES = 12
"""Joints that a sentence lists."""


@app.command(
    "import",
    epilog="""\b
Files:
  .xml, .mjcf          MuJoCo: dcmotor, position, velocity, motor, general and
                       others that are such a law
  .usda, .usd, .usdc   PhysX drives, Newton actuators
  .py                  configuration text of mjlab or Isaac Lab, which is
                       read and never run
  .wbt, .proto         Webots motors

\b
The motor file goes to the output, or to a file with -o; what of the
simulator's actuator has no place in it goes to the terminal, with the torque
error that it makes.

\b
Examples:
  backemf import robot.xml --list
  backemf import robot.xml --joint knee -o knee.toml
  backemf import robot.xml -o motors/
  backemf export knee.toml --to physx
""",
)
def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of a simulator.")],
    joint: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which joint, where the file has several actuators.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the file's actuators and their joints, and write nothing.")
    ] = False,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Version of MuJoCo that an MJCF file is for; default: 4.0.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the motor to this file: .toml; or all of them to a folder."
        ),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Read a simulator's actuators, and write them as motor files that export and simulate take."""
    from ..transfer import read_actuators

    whole = output is not None and (output.is_dir() or str(output).endswith(("/", "\\")) or output.suffix == "")
    if not whole:
        require_ending("--output", output, (".toml",))
    if json_ and not list_:
        raise ParameterError("--json is for --list: what a motor file holds is TOML")
    found = read_actuators(file, version)
    if joint is not None:
        found = [_chosen(found, joint, file)]
    if list_:
        _print_list(found, file, json_)
    elif whole and output is not None:
        _write_all(found, file, output)
    else:
        _write_one(_only(found, file), output)


def _name(entry: Any) -> str:
    """The joint of an actuator, or what its file calls it."""
    return getattr(entry, "joint", "") or getattr(entry, "name", "") or "(no name)"


def _robots(found: list[Any]) -> list[str]:
    """The robots of a file, where they have joints of the same name."""
    names = list(dict.fromkeys(name for entry in found for name in entry.robots[:1]))
    joints = [_name(entry) for entry in found]
    return names if len(names) > 1 and len(set(joints)) < len(joints) else []


def _joints(found: list[Any]) -> str:
    several = bool(_robots(found))
    before = [f"{entry.robots[0]}/" if several and entry.robots else "" for entry in found]
    names = list(dict.fromkeys(robot + _name(entry) for robot, entry in zip(before, found, strict=True)))
    more = f" and {len(names) - MOST_NAMES} more (--list shows all)" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _chosen(found: list[Any], joint: str, file: Path) -> Any:
    """The actuator of a joint, by its name or by a pattern that fits it; the robot may stand before it."""
    robot, _, name = joint.partition("/")
    if not any(robot in entry.robots for entry in found):
        robot, name = "", joint
    rows = [entry for entry in found if not robot or robot in entry.robots]
    named = [entry for entry in rows if _name(entry) == name]
    fitting = named or [entry for entry in rows if _fits(_name(entry), name)]
    if len(fitting) != 1:
        many = "no actuator drives it" if not fitting else f"{len(fitting)} actuators drive it"
        shown = fitting if fitting and _robots(fitting) else found
        raise ParameterError(f"{file}: --joint {joint}: {many}; the file has {_joints(shown)}")
    entry = fitting[0]
    return entry if named or not hasattr(entry, "actuator") else replace(entry, joint=name)


def _fits(pattern: str, joint: str) -> bool:
    try:
        return re.fullmatch(pattern, joint) is not None
    except re.error:
        return False


def _only(found: list[Any], file: Path) -> Any:
    """The one actuator of a file; raises one sentence where there are several, or where it is not read."""
    if len(found) > 1:
        raise ParameterError(
            f"{file}: it has {len(found)} actuators, for {_joints(found)}: give --joint NAME, or -o FOLDER for all"
        )
    if not found:
        raise ParameterError(f"{file}: there is no actuator in it")
    if not hasattr(found[0], "actuator"):
        raise ParameterError(found[0].why)
    return found[0]


def _own(entry: Any) -> dict[str, Any]:
    """What a motor file says of the joint."""
    return {name: getattr(entry, "joint" if name == "name" else name) for name in JOINT}


def _write_one(entry: Any, output: Path | None) -> None:
    if output is None:
        print(dumps(entry.actuator, _own(entry)), end="")
    else:
        save(entry.actuator, output, _own(entry))
    _print_losses(entry, Console(stderr=output is None))
    if output is not None:
        Console().print(f"wrote {output}", soft_wrap=True)


def _print_losses(entry: Any, terminal: Console) -> None:
    from ..transfer import reading_errors

    if not entry.losses:
        terminal.print("Nothing of the actuator is lost.")
        return
    print_statuses("What of the actuator is not in the motor file", entry.losses, terminal)
    terminal.print()
    errors = reading_errors(entry)
    if errors:
        print_errors(errors, terminal)


def _write_all(found: list[Any], file: Path, folder: Path) -> None:
    """One file per actuator that is read, and a row for each."""
    make_folder(folder)
    used: dict[str, int] = {}
    paths, several = [], bool(_robots(found))
    for entry in found:
        if not hasattr(entry, "actuator"):
            paths.append("-")
            continue
        parts = (*(entry.robots[:1] if several else ()), _name(entry))
        bare = "-".join(re.sub(r"[^A-Za-z0-9]+", "_", part).strip("_") or "joint" for part in parts)[:100]
        used[bare] = used.get(bare, 0) + 1
        path = folder / f"{bare}{'' if used[bare] == 1 else f'_{used[bare]}'}.toml"
        save(entry.actuator, path, _own(entry))
        paths.append(path.name)
    _print_table(found, file, paths)
    count = sum(path != "-" for path in paths)
    Console().print(f"wrote {count} of {len(found)} actuators to {folder}", soft_wrap=True)


def _print_list(found: list[Any], file: Path, json_: bool) -> None:
    if json_:
        print(json.dumps(plain([_as_dict(entry) for entry in found]), indent=1, ensure_ascii=False))
        return
    _print_table(found, file, None)
    count = sum(hasattr(entry, "actuator") for entry in found)
    Console().print(f"{count} of {len(found)} actuators can be read", soft_wrap=True)


def _as_dict(entry: Any) -> dict[str, Any]:
    if not hasattr(entry, "actuator"):
        return {
            "joint": entry.name,
            "robots": entry.robots,
            "kind": entry.kind,
            "read": False,
            "why": entry.why,
        }
    return {
        "joint": entry.joint,
        "robots": entry.robots,
        "controller": type(entry.actuator.controller).__name__,
        "read": True,
        "losses": [asdict(loss) for loss in entry.losses],
    }


def _print_table(found: list[Any], file: Path, paths: list[str] | None) -> None:
    terminal = Console()
    table = titled_table(None, terminal)
    several = bool(_robots(found))
    columns = ("robot",) * several + ("joint", "actuator") + ("file",) * bool(paths)
    for title in (*columns, "what is lost, or why it is not read"):
        table.add_column(title, overflow="fold")
    for index, entry in enumerate(found):
        read = hasattr(entry, "actuator")
        cells = [", ".join(entry.robots[:1])] if several else []
        cells += [_name(entry), _described(entry.actuator) if read else entry.kind]
        cells += [paths[index]] if paths else []
        # the file is the one that was asked for
        why = "" if read else entry.why.removeprefix(str(file)).lstrip(",: ")
        cells.append(_lost(entry.losses) if read else why)
        table.add_row(*(escape(cell) for cell in cells), style=None if read else "red")
    terminal.print(table)


def _lost(losses: Any) -> str:
    """What is lost, in one line: "dropped: integral; unknown: rotor inertia, stiction"."""
    by_status: dict[str, list[str]] = {}
    for loss in losses:
        by_status.setdefault(loss.status, []).append(loss.phenomenon)
    return "; ".join(f"{status}: {', '.join(names)}" for status, names in by_status.items()) or "-"


def _described(actuator: Any) -> str:
    name = type(actuator.controller).__name__
    return f"motor, {name}" if actuator.motor is not None else name
