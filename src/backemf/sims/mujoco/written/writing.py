"""A motor or an actuator as a `<dcmotor>` of MuJoCo, with the joint that it drives and what is lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from xml.sax.saxutils import quoteattr

from ....actuator import Actuator, Supply
from ....actuator.controllers import Voltage
from ....checks import Number
from ....errors import ParameterError
from ....motor import Motor
from ....parts import acts
from ...joint import joint_name, parts_of, single
from ...losses import statuses
from ...on_joint import OnJoint
from ...text import Figure, Written
from ..about import ABOUT
from ..motor import DcMotor
from ..versions import VERSIONS
from .clip import VOLTS, is_clip, with_motor
from .controlling import control, history, torque_limit
from .joint_model import PLAY, Draft, MotorDraft, cogging, electric, friction, inductive, row, thermal
from .without_motor import draft_without_motor

TIMESTEP = 0.002
"""MuJoCo's own physics step [s]."""


@dataclass(frozen=True, kw_only=True)
class WrittenMotor(Written):
    """A small model that compiles by itself, and the two elements in it that are worth pasting."""

    version: str
    """Version of MuJoCo that it is written for."""
    kind: str = "dcmotor"
    """Name of the element; an actuator without a motor is another one."""
    element: str
    """The `<dcmotor .../>`; without a motor a `<motor>`, `<position>`, `<velocity>`, `<intvelocity>` or `<pid>`."""
    joint: str
    """What the `<joint>` gets: its attributes as text."""
    play: str = ""
    """The second `<joint .../>` of the same body, whose range is the backlash; empty where there is none."""
    attributes: dict[str, Any] = field(default_factory=dict)
    """Attributes of the element: numbers, rows of them and the input; of a `<dcmotor>` as `DcMotor.from_attributes`
    takes them."""
    history: dict[str, Any] = field(default_factory=dict)
    """Its delay: attributes that `DcMotor` has no place for."""
    joint_attributes: dict[str, float] = field(default_factory=dict)
    """What the joint gets, as numbers."""
    play_attributes: dict[str, Any] = field(default_factory=dict)
    """Attributes of the hinge of the play, angles in radians."""


def write(
    thing: Motor | Actuator | OnJoint,
    joint: str | None = None,
    kind: str | None = None,
    *,
    version: str | None = None,
    timestep: float | None = None,
    supply: Supply | Number | None = None,
    effort: str = "peak",
    effort_limit: float | None = None,
    keep: str = "line",
    name: str | None = None,
    backlash: bool = False,
) -> WrittenMotor:
    """A `<dcmotor>` for an actuator, with everything on the joint's side of the gear, and what is lost.

    An actuator without a motor and without a DC-motor clip becomes a `<motor>`, `<position>`, `<velocity>`,
    `<intvelocity>` or `<pid>`, whichever its controller is.

    `keep="line"` makes stall torque and no-load speed right where Kt and Ke differ or the gears lose torque,
    `"constants"` writes both constants as they are, of which MuJoCo takes the geometric mean. `supply` is what limits
    the voltage, the actuator's own if left out; `effort` "peak" or "continuous" chooses the current behind the largest
    torque, which `effort_limit` replaces [N·m]. `name` is that of the actuator, the joint's if left out.
    `backlash=True` writes the backlash as a second hinge. Delays and current-rate limits are written for the
    physics `timestep` [s] of the model, MuJoCo's own 0.002 if left out.
    """
    ABOUT.require(kind, version)
    version = VERSIONS[-1] if version is None else version
    step = TIMESTEP if timestep is None else timestep
    draft = make_draft(thing, version, supply, effort, effort_limit, keep, step)
    joint = checked_name("joint", joint_name(joint, thing))
    name = checked_name("name", joint if name is None else name)
    play = play_of(draft, joint) if backlash else {}
    attributes = plain(draft.attributes)
    if draft.tag == "dcmotor":
        # what MuJoCo would refuse is refused here
        DcMotor.from_attributes(version=version, **attributes)
    delay = plain(draft.history) | ({"interp": "linear"} if draft.history else {})
    limited = {f"{part}limited": "true" for part in ("ctrl", "force") if f"{part}range" in attributes}
    words = {"name": name, "joint": joint, **attributes, **limited, **delay}
    written: dict[str, Any] = {
        "version": version,
        "kind": draft.tag,
        "element": f"<{draft.tag} {attribute_text(words)}/>",
        "joint": attribute_text(plain(draft.joint)),
        "play": f"<joint {attribute_text(play)}/>" if play else "",
    }
    return WrittenMotor(
        text=model_text(draft, joint, written),
        statuses=statuses(thing, draft.kept),
        notes=draft.notes,
        attributes=attributes,
        history=delay,
        joint_attributes=plain(draft.joint),
        play_attributes=play,
        **written,
    )


def make_draft(
    thing: Motor | Actuator | OnJoint,
    version: str,
    supply: Supply | Number | None,
    effort: str,
    effort_limit: float | None,
    keep: str,
    timestep: float,
) -> Draft:
    """All numbers of an actuator in MuJoCo's words."""
    motor, actuator = parts_of(thing)
    clip = motor is None
    step = positive(timestep)
    if clip and not is_clip(actuator):
        return draft_without_motor(thing, version, effort_limit, step)
    if clip:
        actuator = with_motor(actuator)
        thing = replace(thing, actuator=actuator) if isinstance(thing, OnJoint) else actuator
    coulomb = 0.0
    if isinstance(thing, OnJoint):
        # a joint holds its dry friction beside the bristles of its motor
        coulomb = single("OnJoint.coulomb", thing.coulomb)
        thing = replace(thing, coulomb=0.0, stiction=None).fold()
    motor, actuator = parts_of(thing)
    assert motor is not None
    if keep not in ("line", "constants"):
        raise ParameterError(f"keep = {keep!r}: must be 'line' or 'constants'")
    if effort not in ("peak", "continuous"):
        raise ParameterError(f"effort = {effort!r}: must be 'peak' or 'continuous'")
    draft = MotorDraft(actuator=actuator, motor=motor, version=version, timestep=step)
    if clip:
        draft.kept["effort limit"] = ""
        draft.notes.append(f"The {VOLTS:g} V are a choice: the torque is the clip's, and the current means nothing.")
    if supply is not None and not isinstance(supply, Supply):
        supply = Supply(voltage=single("supply", supply))
    source = actuator.supply if supply is None else supply
    # a plain voltage turns the joint the other way round behind gears that do; any other controller sees to it
    turned = single("Motor.ratio", motor.ratio) < 0.0
    mirrored = turned and isinstance(actuator.controller, Voltage)
    electric(draft, keep)
    inductive(draft, actuator.controller.bandwidth)
    thermal(draft)
    cogging(draft, not turned or mirrored)
    friction(draft, coulomb)
    torque_limit(draft, source, effort, effort_limit)
    control(draft, source)
    history(draft)
    if mirrored:
        draft.attributes["gear"] = row(-1.0, "1", "the gears turn the joint the other way round")
    return draft


def positive(timestep: float) -> float:
    """The physics step [s]; raises one sentence if time would not go on."""
    step = single("timestep", timestep)
    if not step > 0.0:
        raise ParameterError(f"timestep = {timestep}: must be greater than 0")
    return step


def play_of(draft: Draft, joint: str) -> dict[str, Any]:
    """The second hinge of the body: free within the backlash, and stopped hard."""
    if not isinstance(draft, MotorDraft):
        raise ParameterError("backlash = True: without a motor there are no gears; leave it out")
    gears, h = draft.motor.gearbox, draft.timestep
    if gears is None or not acts(gears, "backlash"):
        raise ParameterError("backlash = True: the gears have no play; give Gearbox.backlash [rad]")
    if "armature" not in draft.joint:
        raise ParameterError("backlash = True: a rotor that the play lets go needs an inertia; give Motor.rotor")
    half = 0.5 * single("Gearbox.backlash", gears.backlash)
    free = {"armature": 0.0, "damping": 0.0, "frictionloss": 0.0, "stiffness": 0.0}
    # as hard as MuJoCo allows: the stop takes up its speed within two steps, and gives a hundredth of the play
    hard = {"solreflimit": (2.0 * h, 1.0), "solimplimit": (0.99, 0.999, 0.02 * half)}
    numbers = {"range": (-half, half), **free, **hard}
    rounded = {name: row(value, "", "Gearbox.backlash").value for name, value in numbers.items()}
    flat = {name: value[0] if len(value) == 1 else value for name, value in rounded.items()}
    draft.kept["backlash"] = (
        f"The play is a hinge of its own, {joint + PLAY}: the load is at the sum of both angles, and the stops of the "
        "play give a little."
    )
    return {"name": checked_name("joint", joint + PLAY), "axis": (0.0, 0.0, 1.0), "limited": "true", **flat}


def checked_name(what: str, name: Any) -> str:
    """A name that XML can hold."""
    if not isinstance(name, str) or not name or any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in name):
        raise ParameterError(f"{what} = {name!r}: must be a name, such as 'knee'")
    return name


def plain(figures: dict[str, Figure]) -> dict[str, Any]:
    """The values alone: a number where there is one, a row where there are several."""
    values = {name: figure.value for name, figure in figures.items()}
    return {name: x[0] if isinstance(x, tuple) and len(x) == 1 else x for name, x in values.items()}


def attribute_text(words: dict[str, Any]) -> str:
    """Attributes of an XML element."""
    return " ".join(f"{name}={quoteattr(value_text(value))}" for name, value in words.items())


def value_text(value: Any) -> str:
    """A word, a number or a row of numbers as MJCF has it."""
    if isinstance(value, str):
        return value
    numbers = value if isinstance(value, tuple) else (value,)
    return " ".join(str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x) for x in numbers)


def model_text(draft: Draft, joint: str, written: dict[str, str]) -> str:
    """A model of one hinge, in which comments say what each number is."""
    what = "motor" if draft.tag == "dcmotor" else "actuator"
    hinge = f'<joint name={quoteattr(joint)} axis="0 0 1" {written["joint"]}'.rstrip() + "/>"
    play = [f"      <!-- and a second hinge around the same axis, in radians: {comment(PLAY_TOLD)} -->"]
    return "\n".join(
        [
            "<mujoco>",
            '  <compiler angle="radian"/>',
            f'  <option timestep="{value_text(draft.timestep)}" integrator="implicitfast"/>',
            "  <worldbody>",
            "    <body>",
            *comment_lines("the joint gets", draft.joint, "      "),
            f"      {hinge}",
            *([*play, f"      {written['play']}"] if written["play"] else []),
            "      <!-- stands for the load -->",
            '      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>',
            "    </body>",
            "  </worldbody>",
            "  <actuator>",
            *comment_lines(f"the {what}, for MuJoCo {draft.version}", draft.attributes | draft.history, "    "),
            f"    {written['element']}",
            "  </actuator>",
            "</mujoco>",
            "",
        ]
    )


PLAY_TOLD = "its range is the backlash; armature and friction are on the first, the load is at the sum of both angles"


def comment_lines(what: str, figures: dict[str, Figure], indent: str) -> list[str]:
    """A comment with a line for each attribute: value, unit and where it came from."""
    lines = [f"{indent}<!-- {what}"]
    for name, figure in figures.items():
        told = f"{value_text(figure.value)} [{figure.unit}]: {figure.source}"
        lines.append(f"{indent}  {name} = {comment(told)}")
    return [*lines, f"{indent}-->"] if figures else [f"{indent}<!-- {what}: nothing -->"]


def comment(text: str) -> str:
    """A text without what would end a comment."""
    return text.replace("--", "- -")
