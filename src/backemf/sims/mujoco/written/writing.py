"""A motor or an actuator as a MuJoCo `<dcmotor>`, with the joint that it drives and what is lost.

A DC-motor clip is written as a motor. Since MuJoCo 3.12 a dcmotor without states whose input is a torque computes

    clip(clip(τ, t0·(-1 - w/w0), t0·(1 - w/w0)), ±τmax),   t0 = K·V/R,   w0 = V/K

which is the clip of mjlab, Isaac Lab and Newton at any voltage V.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias
from xml.sax.saxutils import quoteattr

from ....actuator import Actuator, Supply
from ....actuator.controllers import Voltage
from ....actuator.torque_limits import DcClip
from ....analyze.simplified import motor_from_dc_clip
from ....checks import Number
from ....errors import ParameterError
from ....motor import Motor
from ....parts import acts
from ...joint import joint_name, parts_of, single
from ...losses import statuses
from ...on_joint import OnJoint, with_actuator
from ...text import Figure, Written
from ...types import Fields
from ..about import ABOUT
from ..motor import DcMotor
from ..versions import VERSIONS
from .controlling import control, history, torque_limit
from .joint_model import BACKLASH, Draft, MotorDraft, cogging, electric, friction, inductive, row, thermal
from .without_motor import draft_without_motor

TIMESTEP = 0.002
"""MuJoCo's default physics step [s]."""
VOLTS = 24.0
"""Voltage of a motor that is written for a DC-motor clip [V]; any would do."""


Word: TypeAlias = "str | float | tuple[float, ...]"
"""The value of an attribute."""

MJX = (
    "MJX has no dcmotor and refuses a model with one: there, put the motor on its joint with "
    "backemf.sims.mjx.Motors, before mjx.put_model"
)
"""What is said wherever a dcmotor is written."""


@dataclass(frozen=True, kw_only=True)
class WrittenMotor(Written):
    """A small model that compiles by itself, and the two elements in it to paste into yours."""

    version: str
    """Version of MuJoCo that it is written for."""
    kind: str = "dcmotor"
    """Name of the element; an actuator without a motor is another one."""
    element: str
    """The `<dcmotor .../>`; without a motor a `<motor>`, `<position>`, `<velocity>`, `<intvelocity>` or `<pid>`."""
    joint: str
    """Attributes that the `<joint>` gets, as text."""
    backlash: str = ""
    """The second `<joint .../>` of the same body, whose range is the backlash; empty where there is none."""
    attributes: Fields = field(default_factory=dict)
    """Attributes of the element: numbers, rows of them and the input; of a `<dcmotor>` as `DcMotor.from_attributes`
    takes them."""
    history: Fields = field(default_factory=dict)
    """Its delay: attributes that a `DcMotor` does not have."""
    joint_attributes: dict[str, float] = field(default_factory=dict)
    """What the joint gets, as numbers."""
    backlash_attributes: Fields = field(default_factory=dict)
    """Attributes of the second hinge, angles in radians."""


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
    second = backlash_hinge(draft, joint) if backlash else {}
    attributes = plain(draft.attributes)
    if draft.tag == "dcmotor":
        # what MuJoCo would refuse is refused here
        DcMotor.from_attributes(version=version, **attributes)
    delay = plain(draft.history) | ({"interp": "linear"} if draft.history else {})
    limited = {f"{part}limited": "true" for part in ("ctrl", "force") if f"{part}range" in attributes}
    words = {"name": name, "joint": joint, **attributes, **limited, **delay}
    written: dict[str, str] = {
        "version": version,
        "kind": draft.tag,
        "element": f"<{draft.tag} {attribute_text(words)}/>",
        "joint": attribute_text(plain(draft.joint)),
        "backlash": f"<joint {attribute_text(second)}/>" if second else "",
    }
    return WrittenMotor(
        text=model_text(draft, joint, written),
        statuses=statuses(thing, draft.kept),
        notes=[*draft.notes, *([MJX] if draft.tag == "dcmotor" else [])],
        attributes=attributes,
        history=delay,
        joint_attributes=plain(draft.joint),
        backlash_attributes=second,
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
    """All numbers of an actuator as MuJoCo has them."""
    motor, actuator = parts_of(thing)
    step = single("timestep", timestep)
    if not step > 0.0:
        raise ParameterError(f"timestep = {timestep}: must be greater than 0")
    clips = [limit for limit in actuator.limits if isinstance(limit, DcClip)] if motor is None else []
    if motor is None and len(clips) != 1:
        return draft_without_motor(thing, version, effort_limit, step)
    if clips:
        rest = tuple(limit for limit in actuator.limits if limit is not clips[0])
        stand_in = motor_from_dc_clip(clips[0], voltage=VOLTS)
        thing = with_actuator(thing, replace(actuator, motor=stand_in, supply=Supply(voltage=VOLTS), limits=rest))
    coulomb = 0.0
    if isinstance(thing, OnJoint):
        # a joint has its dry friction besides the bristles of its motor
        coulomb = single("OnJoint.coulomb", thing.coulomb)
        thing = replace(thing, coulomb=0.0, stiction=None).fold()
    motor, actuator = parts_of(thing)
    assert motor is not None
    if keep not in ("line", "constants"):
        raise ParameterError(f"keep = {keep!r}: must be 'line' or 'constants'")
    if effort not in ("peak", "continuous"):
        raise ParameterError(f"effort = {effort!r}: must be 'peak' or 'continuous'")
    draft = MotorDraft(actuator=actuator, motor=motor, version=version, timestep=step)
    if clips:
        draft.kept["effort limit"] = ""
        draft.notes.append(f"The {VOLTS:g} V are arbitrary: the torque is the clip's, and the current has no meaning.")
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


def backlash_hinge(draft: Draft, joint: str) -> Fields:
    """Attributes of the second hinge of the body: free within the backlash, with hard stops."""
    if not isinstance(draft, MotorDraft):
        raise ParameterError("backlash = True: without a motor there are no gears; leave it out")
    gears, h = draft.motor.gearbox, draft.timestep
    if gears is None or not acts(gears, "backlash"):
        raise ParameterError("backlash = True: the gears have none; give Gearbox.backlash [rad]")
    if "armature" not in draft.joint:
        raise ParameterError("backlash = True: a rotor that moves freely within it needs an inertia; give Motor.rotor")
    half = 0.5 * single("Gearbox.backlash", gears.backlash)
    free = {"armature": 0.0, "damping": 0.0, "frictionloss": 0.0, "stiffness": 0.0}
    # as hard as MuJoCo allows: the stop absorbs the speed within two steps, and yields a hundredth of the backlash
    hard = {"solreflimit": (2.0 * h, 1.0), "solimplimit": (0.99, 0.999, 0.02 * half)}
    numbers = {"range": (-half, half), **free, **hard}
    flat = plain({name: row(value, "", "Gearbox.backlash") for name, value in numbers.items()})
    draft.kept["backlash"] = (
        f"The backlash is a second hinge, {joint + BACKLASH}: the load is at the sum of both angles, and its stops "
        "yield a little."
    )
    return {"name": checked_name("joint", joint + BACKLASH), "axis": (0.0, 0.0, 1.0), "limited": "true", **flat}


def checked_name(what: str, name: object) -> str:
    """A name that XML can hold."""
    if not isinstance(name, str) or not name or any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in name):
        raise ParameterError(f"{what} = {name!r}: must be a name, such as 'knee'")
    return name


def plain(figures: dict[str, Figure]) -> Fields:
    """The values alone: a number where there is one, a row where there are several."""
    values = {name: figure.value for name, figure in figures.items()}
    return {name: x[0] if isinstance(x, tuple) and len(x) == 1 else x for name, x in values.items()}


def attribute_text(words: dict[str, Word]) -> str:
    """Attributes of an XML element."""
    return " ".join(f"{name}={quoteattr(value_text(value))}" for name, value in words.items())


def value_text(value: Word) -> str:
    """A word, a number or a row of numbers as MJCF has it."""
    if isinstance(value, str):
        return value
    numbers = value if isinstance(value, tuple) else (value,)
    return " ".join(str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x) for x in numbers)


def model_text(draft: Draft, joint: str, written: dict[str, str]) -> str:
    """A model of one hinge, in which comments say what each number is."""
    what = "motor" if draft.tag == "dcmotor" else "actuator"
    hinge = f'<joint name={quoteattr(joint)} axis="0 0 1" {written["joint"]}'.rstrip() + "/>"
    second = [f"      <!-- and a second hinge around the same axis, in radians: {BACKLASH_COMMENT} -->"]
    return "\n".join(
        [
            "<mujoco>",
            '  <compiler angle="radian"/>',
            f'  <option timestep="{value_text(draft.timestep)}" integrator="implicitfast"/>',
            "  <worldbody>",
            "    <body>",
            *comment_lines("the joint gets", draft.joint, "      "),
            f"      {hinge}",
            *([*second, f"      {written['backlash']}"] if written["backlash"] else []),
            "      <!-- the load, as an example -->",
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


BACKLASH_COMMENT = (
    "its range is the backlash; armature and friction are on the first, the load is at the sum of both angles"
)


def comment_lines(what: str, figures: dict[str, Figure], indent: str) -> list[str]:
    """A comment with a line for each attribute: value, unit and where it comes from."""
    if not figures:
        return [f"{indent}<!-- {what}: nothing -->"]
    rows = [f"{name} = {value_text(f.value)} [{f.unit}]: {f.source}" for name, f in figures.items()]
    # two hyphens would end the comment
    return [f"{indent}<!-- {what}", *(f"{indent}  {each.replace('--', '- -')}" for each in rows), f"{indent}-->"]
