"""Motors and robots for a simulator: what `backemf export` writes, as answers that a page shows."""

from __future__ import annotations

import re
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np

from ..actuator import Supply
from ..cli.drive import actuator_from
from ..cli.robots import change_lines
from ..cli.words import above_zero
from ..errors import BackemfError, ParameterError
from ..files import read_bytes, write_bytes
from ..plot import interactive as pictures
from ..plot.style import axis_scale
from ..robot import JointDrive, Robot
from ..robot.robot_file import write_content
from ..sims.on_joint import OnJoint
from ..transfer import export
from ..transfer.duty import HEAT, HEAT_STEP, command_for, complete_actuator, scale_of
from ..transfer.exported import asked_of, inputs_of, law_of
from ..transfer.picture import REACH, envelope_of
from ..transfer.robots.exporting import ENDINGS, export_robot
from ..transfer.robots.models import read_model
from ..transfer.targets import NAMES, ROOMS, room_of, target_of
from ..values import Foreign, Json
from ..work.workers import Progress
from .motors import FIRST, choose, refs_of
from .session import Session
from .uploads import LARGEST, require_alone

NAMELESS = "mit-mini-cheetah"
"""A motor of the catalogue for a robot of which only the joints are asked for."""
MOST_JOINTS = 100
"""Most joints of a robot on the page [1]."""
STEP = "2 ms"
"""Physics step of the simulator, if nothing else is said."""


def targets() -> dict[str, str]:
    """Every simulator and version that files are written for, with its title; the usual version first."""
    found: dict[str, str] = {}
    for name in ROOMS:
        about = room_of(name).ABOUT
        own = [each for each in NAMES if each.partition("@")[0] == name]
        more = [f"{name}@{version}" for version in reversed(about.versions)] if len(about.versions) > 1 else []
        for each in (*own, *more):
            title = target_of(each).title
            if title not in found.values():
                found[each] = title
    return found


def thing_of(state: dict[str, str]) -> tuple[Foreign, str]:
    """The actuator that is written, and the name of its joint, as `backemf export` makes them."""
    session = Session("/simulators", dict(state))
    chosen = session.chosen
    control = session.get("xc") or (None if chosen.joint is not None else "torque")
    supply = session.get("v")
    actuator = actuator_from(chosen.actuator, controller=control, supply=f"voltage={supply}V" if supply else None)
    joint = session.get("joint", "joint")
    if chosen.joint:
        own = dict(chosen.joint)
        name = own.pop("name", "")
        return OnJoint(actuator=actuator, **own), name if joint == "joint" and name else joint
    return actuator, joint


def written(state: dict[str, str]) -> dict[str, Foreign]:
    """The text for a simulator, what is lost, and the envelope of both laws."""
    thing, joint = thing_of(state)
    to, effort = state.get("to") or NAMES[0], state.get("effort") or "peak"
    step = above_zero("timestep", state.get("ts") or STEP, "s")
    kind: dict[str, Foreign] = {"kind": state["kind"]} if state.get("kind") else {}
    found = export(thing, to, joint, effort=effort, timestep=step, compare=False, **kind)
    try:
        figure = laws(thing, found.on_joint, effort, step, found.target.title, state.get("u") or "rpm")
    except BackemfError as error:
        figure = {"why": str(error)}
    return {
        "text": found.text, "ending": found.target.ending, "title": found.target.title, "notes": found.notes,
        "statuses": [asdict(loss) for loss in found.statuses], "files": found.files, "figure": figure,
    }  # fmt: skip


def laws(thing: Foreign, other: OnJoint, effort: str, step: float, title: str, speed: str) -> pictures.Figure:
    """The largest and the smallest torque at each speed, of the motor itself and of the simulator's own law."""
    full = complete_actuator(thing, None, effort)
    scale = scale_of(full, effort)
    speeds = np.linspace(-REACH, REACH, 91) * scale.speed
    own = envelope_of(law_of(full), inputs_of(full), partial(command_for, full), speeds, scale.asked, step)
    ask = partial(asked_of, full, other)
    theirs = envelope_of(other.law(), inputs_of(other), ask, speeds, scale.asked, step)
    factor, unit = axis_scale(own, "N·m")
    x = pictures.lean(pictures.SPEEDS[speed] * speeds)
    blue, red = pictures.COLOURS[0], pictures.RED
    more: pictures.Figure = {"hovertemplate": f"%{{y:.4g}} {unit}"}
    low, area = more | {"showlegend": False}, more | {"fill": "tonexty", "fillcolor": pictures.clear(blue, 0.16)}
    data = [
        pictures.line(x, pictures.lean(factor * own[1]), "the motor, lowest", blue, **low),
        pictures.line(x, pictures.lean(factor * own[0]), "the motor", blue, **area),
        pictures.line(x, pictures.lean(factor * theirs[0]), title, red, dash="dash", **more),
        pictures.line(x, pictures.lean(factor * theirs[1]), f"{title}, lowest", red, dash="dash", **low),
    ]  # fmt: skip
    top = {"text": f"%{{x:.4g}} {speed}"}
    return pictures.figure(data, f"joint speed [{speed}]", f"joint torque [{unit}]", xaxis={"unifiedhovertitle": top})


def compared(payload: dict[str, Foreign], tell: Progress) -> Json:
    """The torque errors of a simulator, found by running both motors."""
    state = payload["state"]
    thing, joint = thing_of(state)
    total, done = round(HEAT / HEAT_STEP) + 2000, 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        tell({"label": "running both motors", "done": done, "total": total, "word": ""})

    kind: dict[str, Foreign] = {"kind": state["kind"]} if state.get("kind") else {}
    step = above_zero("timestep", state.get("ts") or STEP, "s")
    to, effort = state.get("to") or NAMES[0], state.get("effort") or "peak"
    found = export(thing, to, joint, effort=effort, timestep=step, advance=advance, **kind)
    rows = [asdict(error) for error in found.errors]
    return [{name: None if value != value else value for name, value in row.items()} for row in rows]


# --- whole robots


def robot_joints(payload: dict[str, Foreign], tell: Progress) -> Json:
    """Names and kinds of the joints of a robot's model that a motor can drive."""
    model, name = Path(payload["model"]), payload["name"]
    require_alone(model, name)
    probe = Robot(model=model, drives={".*": JointDrive(motor=NAMELESS)})
    try:
        found = read_model(probe)
    except BackemfError as error:
        raise ParameterError(str(error).replace(str(model), name)) from None
    driven = [joint for joint in found.joints if joint.is_driven]
    if not driven:
        raise ParameterError(f"{name}: has no joint that a motor could drive")
    if len(driven) > MOST_JOINTS:
        raise ParameterError(
            f"{name}: has {len(driven)} joints, and the page has room for {MOST_JOINTS}: use the command line"
        )
    return [{"name": joint.name, "kind": joint.kind} for joint in driven]


def robot_of(model: Path, drives: dict[str, str], state: dict[str, str]) -> Robot:
    """A robot with the motors that were chosen for its joints, each joint by its name."""
    made: dict[str, JointDrive] = {}
    session = Session("/simulators", state)
    for ref in dict.fromkeys(drives.values()):
        # the motor of the page is the one that was changed on Look
        chosen = session.chosen if ref == (refs_of(state) or [FIRST])[0] else choose(ref, session.estimate)
        control = None if not state.get("xc") else actuator_from(chosen.actuator, controller=state["xc"]).controller
        motor = chosen.actuator if chosen.text else ref
        estimate = True if session.estimate and not chosen.changed else None
        drive = JointDrive(motor=motor, controller=control, estimate=estimate)
        names = [re.escape(name) for name, own in drives.items() if own == ref]
        made["|".join(names)] = drive
    volts = session.number("v")
    return Robot(model=model, drives=made, supply=None if volts is None else Supply(voltage=volts))


def robot_written(payload: dict[str, Foreign], tell: Progress) -> Json:
    """A whole robot for a simulator: its files, and what is lost of each kind of joint.

    The model lies in a folder of its own under the name that its owner gave it, as on the command line.
    """
    name, state = payload["name"], payload["state"]
    to, step = state.get("to") or NAMES[0], state.get("ts")
    ending = ENDINGS.get(to.partition("@")[0], (target_of(to).ending,))[0]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / name
        write_bytes(model, read_bytes(payload["model"], LARGEST))
        output = model.with_name(f"{model.stem}_with_motors{ending}")
        try:
            require_alone(model, name)
            robot = robot_of(model, payload["drives"], state)
            tell({"label": "writing the robot", "done": 0, "total": 1, "word": ""})
            found = export_robot(
                robot, to, output, kind=state.get("kind") or None, effort=state.get("effort") or "peak",
                timestep=above_zero("timestep", step, "s") if step else None,
            )  # fmt: skip
            findings = [asdict(each) for each in robot.check()]
        except BackemfError as error:
            raise ParameterError(str(error).replace(f"{folder}/", "")) from None
        beside = {each: content.decode("utf-8", errors="replace") for each, content in found.files.items()}
        toml = write_content(robot, model.parent)
    kinds = [
        {"joints": list(each.joints), "statuses": [asdict(loss) for loss in each.statuses]} for each in found.kinds
    ]
    notes = [line.replace(f"{folder}/", "") for line in (*change_lines(found.changes), *found.notes)]
    return {
        "files": {output.name: found.text, f"{model.stem}.toml": toml, **beside}, "kinds": kinds, "notes": notes,
        "findings": [each for each in findings if each["severity"] in ("warning", "error")],
    }  # fmt: skip
