"""A whole robot for a simulator: the file that it loads, what is lost of each kind of joint, and the supply."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ...errors import BackemfError, ParameterError
from ...files import write_with
from ...robot.robot import Robot
from ...sims.body_tree import Body
from ...sims.digits import MEANT, written_digits
from ...sims.joint_patterns import fits
from ...sims.losses import DROPPED, Loss
from ...sims.mjcf import included_files
from ...sims.on_joint import OnJoint
from ...sims.robot_model import ModelJoint, RobotModel
from ...sims.robot_text import RobotKind, RobotParts, RobotText
from ...sims.room import RobotRoom
from ...sims.text import Written
from ...values import Foreign
from ..duty import complete_actuator, scale_of
from ..exported import Error, compare_laws, in_units_of, write_actuator
from ..given import given_actuator
from ..networks import is_learned
from ..targets import NAMES, ROOMS, Target, target_of
from . import urdf_target
from .models import place_of
from .placing import Placed, Placement, place_drives
from .supply_current import SupplyCurrent, supply_current

TIMESTEP = 0.002
"""Physics step where neither the model nor the user says one [s]."""
ENDINGS = {"urdf": (".urdf", ".xml"), "webots": (".proto",)}
"""Endings of the files of a whole robot, where they are not those of a motor."""


@dataclass(frozen=True)
class RobotKindExported:
    """Joints with the same actuator, and what is lost of it."""

    patterns: tuple[str, ...]
    """Patterns that match them, or their names."""
    joints: tuple[str, ...]
    """Their names."""
    statuses: list[Loss]
    """Status of each phenomenon."""
    errors: list[Error]
    """Torque error over the operating range and the reference duty; empty where it was not asked for."""
    notes: list[str]
    """What else a user has to know."""

    @property
    def losses(self) -> list[Loss]:
        """What is approximated, dropped or unknown."""
        return [loss for loss in self.statuses if loss.status != "kept"]


@dataclass(frozen=True)
class RobotExported:
    """The files of a whole robot for a simulator, and what is lost."""

    to: str
    """Name of the simulator."""
    title: str
    """Its name in texts."""
    text: str
    """The file that it loads."""
    files: Mapping[str, bytes]
    """Files that belong beside it, by name."""
    kinds: list[RobotKindExported]
    """Each kind of joint."""
    changes: list[str]
    """What became of the actuators, inertia and friction that the model had."""
    notes: list[str]
    """What else a user has to know."""
    supply: SupplyCurrent
    """Current of all motors together."""

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> Path:
        """Write the text to a file, and `files` beside it, each atomically."""
        return write_with(path, self.text, self.files)


def export_robot(
    robot: Robot,
    to: str,
    path: str | Path | None = None,
    *,
    kind: str | None = None,
    effort: str = "peak",
    timestep: float | None = None,
    strict: bool = False,
    compare: bool = False,
    digits: int | None = MEANT,
    advance: Callable[[int], None] | None = None,
) -> RobotExported:
    """A whole robot for a simulator, written to a file if there is a path.

    Args:
        robot: The robot.
        to: "mujoco@4.0", "mujoco@3.11", "mjlab", "isaaclab", "newton", "physx", "webots" or "urdf".
        path: Where to write it; files that belong beside it are written too. None: relative paths in it count from the
            folder of the model.
        kind: Which of the simulator's actuators; None: chosen by what each actuator has.
        effort: "peak" or "continuous": the current behind the largest torque.
        timestep: Physics step [s]; None: the model's own, or 0.002.
        strict: Raise ParameterError where anything is dropped.
        compare: Whether to find the torque error of each kind, which takes a few seconds each.
        digits: Significant digits of the numbers; None: exact.
        advance: Called with the number of steps done, for a progress bar.
    """
    target = None if to == urdf_target.NAME else _target(to)
    placement = place_drives(robot)
    output = _output(robot, placement.model, to, path)
    step = timestep or placement.model.timestep or TIMESTEP
    numbers: dict[str, Foreign] = {} if kind is None else {"kind": kind}
    if target is not None:
        target.about.require_kind(kind)
    elif kind is not None:
        raise ParameterError(f"kind = {kind!r}: a URDF has one kind of joint; leave it out")
    kinds: list[RobotKind] = []
    shown: list[RobotKindExported] = []
    files: dict[str, bytes] = {}
    with written_digits(digits):
        for group in group_kinds(placement):
            where = f'{place_of(robot)}[joints."{group[0].pattern}"]'
            try:
                one, own = _write_kind(target, placement.model, group, effort, step, numbers)
                files |= own
            except BackemfError as error:
                raise ParameterError(f"{where}: {error}") from None
            kinds.append(one)
        parts = RobotParts(
            model=placement.model, kinds=tuple(kinds), name=robot.name, output=output,
            version=None if target is None else target.version, timestep=step, kind=kind, effort=effort,
            bodies=_bodies(target, placement.model),
        )  # fmt: skip
        written = _write_robot(target, parts)
        for one in written.kinds or kinds:
            try:
                errors = _errors(target, one, effort, step, advance) if compare else []
            except BackemfError as error:
                raise ParameterError(f"{place_of(robot)}joints {', '.join(one.patterns)}: {error}") from None
            names = tuple(joint.name for joint in one.joints)
            shown.append(
                RobotKindExported(one.patterns, names, list(one.written.statuses), errors, list(one.written.notes))
            )
    _require_kept(strict, shown)
    title = urdf_target.TITLE if target is None else target.title
    files |= {name: text.encode("utf-8") for name, text in written.files.items()}
    notes = [f"{one.figure}: {one.explanation}." for one in placement.findings if one.severity == "warning"]
    done = RobotExported(
        to if target is None else target.name, title, written.text, files, shown, list(written.changes),
        [*notes, *written.notes], supply_current(robot, placement.placed),
    )  # fmt: skip
    if path is not None:
        _require_new(robot, placement.model, [output.parent / name for name in files])
        done.save(output)
    return done


def _target(to: str) -> Target:
    if str(to).partition("@")[0] not in ROOMS:
        raise ParameterError(f"--to {to}: must be one of {', '.join((*NAMES, urdf_target.NAME))}")
    return target_of(to)


def _write_robot(target: Target | None, parts: RobotParts) -> RobotText:
    if target is None:
        return urdf_target.write_robot(parts)
    if not hasattr(target.room, "write_robot"):
        raise ParameterError(f"{target.title} has no files of whole robots here: export each motor alone")
    return cast(RobotRoom, target.room).write_robot(parts)


def _bodies(target: Target | None, model: RobotModel) -> tuple[Body, ...]:
    """Bodies of the model, where the simulator's file holds them."""
    if target is None or not target.about.bodies:
        return ()
    if model.format not in ("MJCF", "URDF"):
        raise ParameterError(
            f"{target.title} gets its bodies from an MJCF or URDF model, and the robot has {model.format}: give one"
        )
    from ...sims.mujoco.body_tree import read_bodies

    return read_bodies(model)


# --- kinds of joints


def group_kinds(placement: Placement) -> list[list[Placed]]:
    """Driven joints by what drives them, and by the inertia and friction that they keep."""
    groups: dict[tuple[object, ...], list[Placed]] = {}
    for each in placement.placed:
        own = ()
        if isinstance(each.thing, OnJoint):
            own = (each.thing.armature, each.thing.coulomb, each.thing.stiction, each.thing.viscous)
        groups.setdefault((each.pattern, each.overrides, each.joint.kind, own), []).append(each)
    return list(groups.values())


def patterns_for(model: RobotModel, group: list[Placed]) -> tuple[str, ...]:
    """Patterns that match the joints of a kind and no others of the model."""
    names = {each.joint.name for each in group}
    for pattern in (group[0].pattern, *group[0].overrides):
        if {joint.name for joint in model.joints if fits(pattern, joint.name)} == names:
            return (pattern,)
    return tuple(each.joint.name for each in group)


def _write_kind(
    target: Target | None,
    model: RobotModel,
    group: list[Placed],
    effort: str,
    step: float,
    numbers: dict[str, Foreign],
) -> tuple[RobotKind, dict[str, bytes]]:
    patterns = patterns_for(model, group)
    thing, joints = group[0].thing, tuple(each.joint for each in group)
    if target is None:
        full = complete_actuator(given_actuator(thing), None, effort)
        losses = in_units_of(full, urdf_target.urdf_statuses(full, effort))
        written, on_joint = (
            Written(text="", statuses=losses),
            OnJoint(actuator=thing) if not isinstance(thing, OnJoint) else thing,
        )
        kind = RobotKind(patterns=patterns, joints=joints, thing=full, written=written, on_joint=on_joint)
        return kind, {}
    joint: str | tuple[str, ...] = patterns if target.about.patterns else _name(joints[0])
    full, written, on_joint, files = write_actuator(target, thing, joint, None, effort, step, numbers)
    kind = RobotKind(patterns=patterns, joints=joints, thing=full, written=written, on_joint=on_joint)
    return kind, files


def _name(joint: ModelJoint) -> str:
    return joint.place or joint.name


def _errors(
    target: Target | None, kind: RobotKind, effort: str, step: float, advance: Callable[[int], None] | None
) -> list[Error]:
    if target is None or is_learned(kind.thing):
        return []
    return compare_laws(kind.thing, kind.on_joint, scale_of(kind.thing, effort), step, advance)


def _require_kept(strict: bool, kinds: list[RobotKindExported]) -> None:
    for kind in kinds if strict else ():
        dropped = [loss.phenomenon for loss in kind.statuses if loss.status == DROPPED]
        if dropped:
            raise ParameterError(
                f"joints {', '.join(kind.joints[:4])}: {', '.join(dropped)} would be dropped: leave strict out to "
                "write them without"
            )


# --- files


def _output(robot: Robot, model: RobotModel, to: str, path: str | Path | None) -> Path:
    """Where the text will be; raise ParameterError where it would replace what the robot is made of."""
    simulator = to.partition("@")[0]
    endings = ENDINGS.get(simulator) or ROOMS[simulator].endings
    if path is None:
        folder = Path.cwd() if model.path is None else model.path.parent
        return folder / f"robot{endings[0]}"
    output = Path(os.path.abspath(path))
    if output.suffix.lower() not in endings:
        raise ParameterError(f"{path}: a robot for {simulator} ends in {' or '.join(endings)}")
    if not output.parent.is_dir():
        raise ParameterError(f"{path}: there is no folder {output.parent}; make it first")
    _require_new(robot, model, [output])
    return output


def _require_new(robot: Robot, model: RobotModel, paths: list[Path]) -> None:
    """Check that no file that the robot is made of is replaced."""
    sources: list[object] = [robot.file, model.path, *(drive.motor for drive in robot.drives.values())]
    made = {Path(os.path.abspath(each)).resolve() for each in sources if isinstance(each, Path)}
    if model.format == "MJCF" and model.path is not None:
        made |= set(included_files(model.path))
    for path in paths:
        if path.resolve() in made:
            raise ParameterError(f"{path}: is a file that the robot is made of; give another name")
