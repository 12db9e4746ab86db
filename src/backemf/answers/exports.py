"""Motors and robots for a simulator: what `backemf export` writes, from the state of a page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ..actuator import Supply
from ..cli.as_program import command_line, export_program, option_words
from ..cli.drive import actuator_from
from ..cli.export import on_joint_from
from ..cli.losses import error_cells
from ..cli.robots import change_lines, robot_answer
from ..cli.words import above_zero, quantity
from ..errors import BackemfError, ParameterError
from ..files import read_bytes
from ..plot.interactive import Figure
from ..plot.interactive_laws import laws_over_speed
from ..progress import progress_bar
from ..robot import JointDrive
from ..sims.named_files import require_alone
from ..transfer import Exported, export
from ..transfer.duty import DUTY_STEPS
from ..transfer.picture import envelopes
from ..transfer.robots.in_memory import export_content
from ..transfer.robots.models import read_model_file
from ..transfer.targets import NAMES
from ..values import Foreign, Json
from ..web.uploads import LARGEST
from ..work.progress_messages import tell_progress
from ..work.workers import Progress
from .motors import FIRST, choose, refs_of
from .state import State

MOST_JOINTS = 100
"""Most joints of a robot on the page [1]."""
STEP = "2 ms"
"""Physics step of the simulator, if nothing else is said."""


def thing_of(state: dict[str, str]) -> tuple[Foreign, str]:
    """The actuator that is written, and the name of its joint, as `backemf export` makes them."""
    session = State(dict(state))
    chosen, volts = session.chosen, session.get("v")
    control = session.get("xc") or (None if chosen.joint is not None else "torque")
    actuator = actuator_from(chosen.actuator, controller=control, supply=f"voltage={volts}V" if volts else None)
    return on_joint_from(actuator, chosen.joint, session.get("joint", "joint"))


def _options(state: dict[str, str], step: str) -> dict[str, Foreign]:
    """Options of an export that one motor and a robot share; without a step, that of the robot's model holds."""
    kind = {"kind": state["kind"]} if state.get("kind") else {}
    timestep = {"timestep": above_zero("timestep", step, "s")} if step else {}
    return {"to": state.get("to") or NAMES[0], "effort": state.get("effort") or "peak", **timestep, **kind}


def written(state: dict[str, str]) -> tuple[Exported, Figure | str]:
    """The text for a simulator with what is lost, and the envelope of both laws or why there is none."""
    thing, joint = thing_of(state)
    options = _options(state, state.get("ts") or STEP)
    found = export(thing, joint=joint, compare=False, **options)
    try:
        both = envelopes(thing, found.on_joint, effort=options["effort"], timestep=options["timestep"])
    except BackemfError as error:
        return found, str(error)
    return found, laws_over_speed(*both, found.target.title, State(state).speed_unit)


def export_texts(state: dict[str, str], file: str) -> tuple[str, str]:
    """The export of a motor into a file, as Python and as a command."""
    it = State(state)
    get, chosen = it.get, it.chosen
    thing, joint = thing_of(state)
    given = {"joint": joint, "timestep": quantity("", get("ts", STEP), "s"), "effort": get("effort")}
    given |= {"supply": it.number("v"), "kind": get("kind")}
    control = getattr(thing, "actuator", thing).controller if get("xc") or chosen.joint is None else None
    program = export_program(chosen.file, get("to", NAMES[0]), file, given, control, it.estimating)
    options = {"to": get("to", NAMES[0]), "joint": get("joint"), "kind": get("kind"), "controller": get("xc")}
    options |= {"supply": get("v") and f"voltage={get('v')}V", "timestep": get("ts"), "effort": get("effort")}
    more = ["--estimate"] if it.estimating else []
    return program, command_line("backemf", "export", chosen.file, *option_words(options), *more, f"-o {file}")


def robot_command(state: dict[str, str], robot: str, file: str) -> str:
    """The command that writes a whole robot into a file."""
    get = State(state).get
    options = {"to": get("to", NAMES[0]), "kind": get("kind"), "timestep": get("ts"), "effort": get("effort")}
    return command_line("backemf", "export", robot, *option_words(options), f"-o {file}")


def compared(payload: dict[str, Foreign], tell: Progress) -> Json:
    """The torque errors of a simulator as rows of a table, found by running both motors."""
    thing, joint = thing_of(payload["state"])

    with tell_progress(tell), progress_bar("running both motors", DUTY_STEPS) as advance:
        options = _options(payload["state"], payload["state"].get("ts") or STEP)
        found = export(thing, joint=joint, advance=advance, **options)
    return [list(error_cells(error)) for error in found.errors]


def robot_joints(payload: dict[str, Foreign], tell: Progress) -> Json:
    """Names and kinds of the joints of a robot's model that a motor can drive."""
    model, name = Path(payload["model"]), payload["name"]
    require_alone(model, name)
    try:
        driven = [joint for joint in read_model_file(model).joints if joint.is_driven]
    except BackemfError as error:
        raise ParameterError(str(error).replace(str(model), name)) from None
    if len(driven) > MOST_JOINTS:
        words = f"has {len(driven)} joints, and the page has room for {MOST_JOINTS}: use the command line"
        raise ParameterError(f"{name}: {words}")
    return [{"name": joint.name, "kind": joint.kind} for joint in driven]


def robot_written(payload: dict[str, Foreign], tell: Progress) -> Json:
    """A whole robot for a simulator: its files, and what is lost of each kind of joint."""
    name, session = payload["name"], State(payload["state"])
    require_alone(Path(payload["model"]), name)
    made = {ref: _drive(ref, session) for ref in payload["drives"].values()}
    drives = {joint: made[ref] for joint, ref in payload["drives"].items()}
    volts = session.number("v")
    supply = None if volts is None else Supply(voltage=volts)
    options = _options(session.state, session.get("ts"))
    files, found, findings = export_content(
        read_bytes(payload["model"], LARGEST), name, drives, supply=supply, **options
    )
    return {
        "files": files, "kinds": robot_answer(found)["kinds"], "notes": [*change_lines(found.changes), *found.notes],
        "findings": [asdict(each) for each in findings if each.severity in ("warning", "error")],
    }  # fmt: skip


def _drive(ref: str, session: State) -> JointDrive:
    # the motor of the page is the one that was changed on Look
    own = ref == (refs_of(session.state) or [FIRST])[0]
    chosen, control = session.chosen if own else choose(ref, session.estimate), session.get("xc")
    controller = actuator_from(chosen.actuator, controller=control).controller if control else None
    estimate = True if session.estimate and not chosen.changed else None
    return JointDrive(motor=chosen.actuator if chosen.text else ref, controller=controller, estimate=estimate)
