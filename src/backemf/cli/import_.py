"""backemf import"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from ..errors import ParameterError
from ..files import make_folder
from ..motorfile import JOINT, dumps, save
from ..sims.loss import Loss
from ..sims.on_joint import OnJoint, Unread
from ..values import Json
from .app import AsJson, app, flag, option
from .losses import print_errors, print_statuses
from .tables import print_json, print_written, titled_table
from .words import require_ending

Entry = OnJoint | Unread
MOST_NAMES = 12
"""Joints that a sentence lists."""


@app.command(
    "import",
    epilog="""\b
Files:
  .xml, .mjcf          MuJoCo: dcmotor, position, velocity, motor, general and
                       others with such a law
  .usda, .usd, .usdc   PhysX drives, Newton actuators
  .py                  configuration text of mjlab or Isaac Lab, which is
                       read and never run
  .wbt, .proto         Webots motors

\b
The motor file goes to the standard output, or to a file with -o. What it
cannot hold of the simulator's actuator is printed on the terminal, with the
torque error that this causes.

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
    joint: Annotated[str | None, option("NAME", "Which joint, where the file has several actuators.")] = None,
    list_: Annotated[bool, flag("--list", "List the file's actuators and their joints, and write nothing.")] = False,
    version: Annotated[
        str | None, option("VERSION", "Version of MuJoCo that an MJCF file is for; default: 4.0.")
    ] = None,
    output: Annotated[
        Path | None,
        option("FILE", "Write the motor to this file: .toml; or all of them to a folder.", "-o", "--output"),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Read a simulator's actuators and write them as motor files, for export and simulate."""
    from ..transfer import read_actuators

    whole = output is not None and (output.is_dir() or str(output).endswith(("/", "\\")) or output.suffix == "")
    if not whole:
        require_ending("--output", output, (".toml",))
    if json_ and not list_:
        raise ParameterError("--json is for --list: what a motor file holds is TOML")
    found = read_actuators(file, version)
    if joint is not None:
        found = [_choose(found, joint, file)]
    if list_:
        _print_list(found, file, json_)
    elif whole and output is not None:
        _write_all(found, file, output)
    else:
        _write_one(_only(found, file), output)


def _name(entry: Entry) -> str:
    """The joint of an actuator, or what its file calls it."""
    return (entry.name if isinstance(entry, Unread) else entry.joint) or "(no name)"


def _robots(found: list[Entry]) -> list[str]:
    """The robots of a file, where they have joints of the same name."""
    names = list(dict.fromkeys(name for entry in found for name in entry.robots[:1]))
    joints = [_name(entry) for entry in found]
    return names if len(names) > 1 and len(set(joints)) < len(joints) else []


def _joints(found: list[Entry]) -> str:
    several = bool(_robots(found))
    before = [f"{entry.robots[0]}/" if several and entry.robots else "" for entry in found]
    names = list(dict.fromkeys(robot + _name(entry) for robot, entry in zip(before, found, strict=True)))
    more = f" and {len(names) - MOST_NAMES} more (--list shows all)" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _choose(found: list[Entry], joint: str, file: Path) -> Entry:
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
    return entry if named or isinstance(entry, Unread) else replace(entry, joint=name)


def _fits(pattern: str, joint: str) -> bool:
    try:
        return re.fullmatch(pattern, joint) is not None
    except re.error:
        return False


def _only(found: list[Entry], file: Path) -> OnJoint:
    """The one actuator of a file; raises `ParameterError` if there are several, or if it cannot be read."""
    if len(found) > 1:
        raise ParameterError(
            f"{file}: it has {len(found)} actuators, for {_joints(found)}: give --joint NAME, or -o FOLDER for all"
        )
    if not found:
        raise ParameterError(f"{file}: there is no actuator in it")
    (entry,) = found
    if isinstance(entry, Unread):
        raise ParameterError(entry.why)
    return entry


def _own(entry: OnJoint) -> dict[str, Json]:
    """What a motor file says of the joint."""
    return {name: getattr(entry, "joint" if name == "name" else name) for name in JOINT}


def _write_one(entry: OnJoint, output: Path | None) -> None:
    from ..transfer import reading_errors

    if output is None:
        print(dumps(entry.actuator, _own(entry)), end="")
    else:
        save(entry.actuator, output, _own(entry))
    terminal = Console(stderr=output is None)
    if entry.losses:
        print_statuses("What of the actuator is not in the motor file", entry.losses, terminal)
        terminal.print()
        if errors := reading_errors(entry):
            print_errors(errors, terminal)
    else:
        terminal.print("Nothing of the actuator is lost.")
    print_written([output])


def _write_all(found: list[Entry], file: Path, folder: Path) -> None:
    """One file per actuator that is read, and a row for each."""
    make_folder(folder)
    used: dict[str, int] = {}
    paths, several = [], bool(_robots(found))
    for entry in found:
        if isinstance(entry, Unread):
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


def _print_list(found: list[Entry], file: Path, json_: bool) -> None:
    if json_:
        print_json([_as_dict(entry) for entry in found])
        return
    _print_table(found, file, None)
    count = sum(isinstance(entry, OnJoint) for entry in found)
    Console().print(f"{count} of {len(found)} actuators can be read", soft_wrap=True)


def _as_dict(entry: Entry) -> dict[str, Json]:
    if isinstance(entry, Unread):
        return {"joint": entry.name, "robots": entry.robots, "kind": entry.kind, "read": False, "why": entry.why}
    return {
        "joint": entry.joint,
        "robots": entry.robots,
        "controller": type(entry.actuator.controller).__name__,
        "read": True,
        "losses": [asdict(loss) for loss in entry.losses],
    }


def _print_table(found: list[Entry], file: Path, paths: list[str] | None) -> None:
    several = bool(_robots(found))
    columns = ("robot",) * several + ("joint", "actuator") + ("file",) * bool(paths)
    columns += ("what is lost, or why it is not read",)
    table = titled_table(None, columns, wrap=columns)
    for index, entry in enumerate(found):
        cells = [", ".join(entry.robots[:1])] if several else []
        if isinstance(entry, Unread):
            # the file is the one that was asked for
            kind, words = entry.kind, entry.why.removeprefix(str(file)).lstrip(",: ")
        else:
            motor = "" if entry.actuator.motor is None else "motor, "
            kind, words = f"{motor}{type(entry.actuator.controller).__name__}", _loss_summary(entry.losses)
        cells += [_name(entry), kind, *([paths[index]] if paths else []), words]
        table.add_row(*map(escape, cells), style="red" if isinstance(entry, Unread) else None)
    Console().print(table)


def _loss_summary(losses: Iterable[Loss]) -> str:
    """What is lost, in one line: "dropped: integral; unknown: rotor inertia, stiction"."""
    by_status: dict[str, list[str]] = {}
    for loss in losses:
        by_status.setdefault(loss.status, []).append(loss.phenomenon)
    return "; ".join(f"{status}: {', '.join(names)}" for status, names in by_status.items()) or "-"
