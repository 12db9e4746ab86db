"""NewtonActuator prims of USD, written for a motor and read back.

The actuator is in radians, `NewtonJointAPI` of the joint in degrees. Newton's own drives hold gains and a torque-speed
line; with kind "backemf" the whole actuator goes into the file as TOML text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Unpack

import numpy as np

from ...actuator import Actuator
from ...actuator.controllers import TORQUE_TARGETS, IdealPd, TorquePid
from ...errors import ParameterError
from ...motor import Motor
from ...motorfile import dumps
from ...parts import acts
from ..digits import round_digits
from ..joint import NUMBERS, Joint, armature_of, has_line, joint_of, parts_of, require_known, single, whole_steps
from ..losses import PHENOMENA, kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Figure, Written
from ..types import JointNumbers
from ..usd import prim_path
from .about import ABOUT

DEGREE = math.pi / 180.0


def write(
    thing: Motor | Actuator | OnJoint,
    joint: str | None = None,
    kind: str | None = None,
    *,
    version: str | None = None,
    timestep: float | None = None,
    const_effort: float | None = None,
    slides: bool = False,
    **numbers: Unpack[JointNumbers],
) -> Written:
    """A .usda layer to lay over a robot's stage, and what is lost.

    `joint` is the path of the joint's prim, or the name of a joint of /robot; the actuator becomes a sibling prim.
    `kind` is "dc_motor" (PD, and a torque that falls with speed), "pd", "pid_dc_motor", "pid", or "backemf": the whole
    actuator, for which Newton needs `import backemf.sims.newton`. Left out, it is "dc_motor" where a torque-speed line
    is known and else "pd", with the integral of a `TorquePid` "pid_dc_motor" or "pid". Gains are those of an `IdealPd`
    or `TorquePid`; else give `stiffness=` and `damping=`, or `bandwidth_hz=`. `supply=` is the voltage behind the line,
    the motor's rated one if left out; `effort=` "peak" or "continuous" chooses the current behind the largest torque.
    `const_effort=` is a torque that Newton's own drives always add [N·m]. A delay in seconds needs the physics
    `timestep` [s]. `slides=True` is a prismatic joint, whose damping has no degrees.
    """
    _, actuator = parts_of(thing)
    ABOUT.require(kind, version)
    joint = prim_path(joint, thing)
    if kind is None:
        kind = ("" if _integral(actuator) is None else "pid_") + ("dc_motor" if has_line(thing) else "pd")
        kind = kind.replace("pid_pd", "pid")
    if kind == "backemf":
        for name in (*numbers, *(() if const_effort is None else ("const_effort",))):
            raise ParameterError(f"write({name}=...): with kind = 'backemf' the actuator has everything; leave it out")
        return _whole(thing, actuator, joint, slides)
    require_known(numbers, NUMBERS)
    figures = joint_of(thing, **numbers)
    kept = kept_by_joint(actuator, figures, line=kind.endswith("dc_motor"))
    left_out = [name for name in TORQUE_TARGETS if name not in actuator.controller.inputs]
    if left_out and isinstance(actuator.controller, (IdealPd, TorquePid)):
        told = f"Newton's drive takes {' and '.join(left_out)} targets too: leave these at 0."
        kept["controller"] = f"{kept['controller']} {told}".strip()
    schemas, lines = _drive(kind, actuator, figures, kept)
    bias = thing.beside.get("const_effort") if const_effort is None and isinstance(thing, OnJoint) else const_effort
    if bias:
        lines.append(_line("constEffort", Figure(single("const_effort", bias), "N·m at the joint", "as given")))
    for name, more in (_clamp(kind, figures), _table(figures, kept), _delay(actuator, timestep, kept)):
        if name:
            schemas.append(name)
            lines += more
    own = (
        ("armature", figures.armature, 1.0),
        ("friction", figures.coulomb, 1.0),
        ("damping", figures.viscous, 1.0 if slides else DEGREE),
    )
    return Written(text=_layer(joint, schemas, lines, _joint_lines(own)), statuses=statuses(thing, kept))


def _whole(thing: Motor | Actuator | OnJoint, actuator: Actuator, joint: str, slides: bool) -> Written:
    """The whole actuator as text; what belongs to the joint itself stays with the joint."""
    motor = actuator.motor
    rotor = None if motor is None or motor.rotor is None else armature_of(motor)
    own: list[tuple[str, Figure | None, float]] = [("armature", rotor, 1.0)]
    if isinstance(thing, OnJoint):
        # the inertia of the joint comes on top of the rotor's, which the motor does not bring along
        whole = Figure(thing.armature, "kg·m²", "as read")
        if rotor is not None:
            source = f"{rotor.source}, and {thing.armature:g} of the joint" if thing.armature else rotor.source
            whole = rotor._replace(value=single("armature", rotor.value) + thing.armature, source=source)
        own = [
            ("armature", whole, 1.0),
            ("friction", Figure(thing.coulomb, "N·m", "as read"), 1.0),
            ("damping", Figure(thing.viscous, "N·m·s/rad", "as read"), 1.0 if slides else DEGREE),
        ]
    kept = dict.fromkeys(PHENOMENA, "")
    for name in ("load-dependent friction", "backlash"):
        kept.pop(name)
    if actuator.delay is not None and actuator.delay.is_random and actuator.delay.per == "environment":
        kept["delay"] = "Each joint draws its own delay: Newton has no environments here."
    lines = [("string newton:backemf:actuator", _quote(dumps(actuator)), "the actuator, as backemf.load reads it")]
    # reading tells the armature from the motor's own by all of its digits
    beside = _joint_lines(own, exact=True)
    return Written(text=_layer(joint, ["BackemfControlAPI"], lines, beside), statuses=statuses(thing, kept))


Line = tuple[str, str, str]
"""An attribute with its type, its value, and what a reader wants to know of it."""


def _drive(kind: str, actuator: Actuator, figures: Joint, kept: dict[str, str]) -> tuple[list[str], list[Line]]:
    lines = [_line("kp", figures.stiffness), _line("kd", figures.damping)]
    if not kind.startswith("pid"):
        return ["NewtonPDControlAPI"], lines
    controller = _integral(actuator)
    if controller is None:
        raise ParameterError(f"kind = {kind!r} needs an integral: give an Actuator with TorquePid(kp=, ki=, kd=)")
    kept["integral"] = "It takes this step's error before it is used: a step earlier than ours."
    lines.append(_line("ki", Figure(single("ki", controller.ki), "N·m/(rad·s) at the joint", "TorquePid.ki")))
    if controller.integral_limit is not None:
        bound = single("integral_limit", controller.integral_limit)
        lines.append(_line("integralMax", Figure(bound, "rad·s", "TorquePid.integral_limit")))
    return ["NewtonPIDControlAPI"], lines


def _integral(actuator: Actuator) -> TorquePid | None:
    """The controller, if it is a PID that Newton has."""
    controller = actuator.controller
    wanted = isinstance(controller, TorquePid) and acts(controller, "ki") and controller.follows == "position"
    return controller if wanted and isinstance(controller, TorquePid) else None


def _clamp(kind: str, figures: Joint) -> tuple[str, list[Line]]:
    top, stall, speed = figures.effort_limit, figures.saturation_effort, figures.velocity_limit
    if kind.endswith("dc_motor"):
        if top is None or stall is None or speed is None:
            raise ParameterError(f"kind = {kind!r} needs a torque-speed line: give a motor, or a DcClip in limits")
        named = (("saturationEffort", stall), ("velocityLimit", speed), ("maxMotorEffort", top))
        return "NewtonDCMotorClampingAPI", [_line(name, figure) for name, figure in named]
    return ("", []) if top is None else ("NewtonMaxEffortClampingAPI", [_line("maxEffort", top)])


def _table(figures: Joint, kept: dict[str, str]) -> tuple[str, list[Line]]:
    if figures.table is None:
        return "", []
    kept["angle limits"] = ""
    rows = (("lookupPositions", figures.table.angle, "rad"), ("lookupEfforts", figures.table.effort, "N·m"))
    lines = [
        (f"float[] newton:{name}", f"[{', '.join(_number(x) for x in row)}]", f"{unit}: AngleTable")
        for name, row, unit in rows
    ]
    return "NewtonPositionBasedClampingAPI", lines


def _delay(actuator: Actuator, timestep: float | None, kept: dict[str, str]) -> tuple[str, list[Line]]:
    delay = actuator.delay
    if delay is None:
        return "", []
    told: list[str] = []
    low, high = whole_steps(delay, timestep, told)
    if low != high:
        told.append(f"The delay is always the longest, {high} steps.")
    told.append("The first targets after a reset pass at once.")
    kept["delay"] = " ".join(told)
    source = f"Delay.{'steps' if delay.seconds is None else 'seconds'}"
    return "NewtonActuatorDelayAPI", [("int newton:delaySteps", str(high), f"actuator steps: {source}")]


# --- text


def _number(value: float, exact: bool = False) -> str:
    """The shortest text of a number that is the same in the 32 bits that USD has for it."""
    return str(np.float32(value if exact else round_digits(float(value))))


def _line(name: str, figure: Figure, factor: float = 1.0, exact: bool = False) -> Line:
    value = _number(factor * single(name, figure.value), exact)
    return f"float newton:{name}", value, f"{figure.unit}: {figure.source}"


def _joint_lines(own: Iterable[tuple[str, Figure | None, float]], exact: bool = False) -> list[Line]:
    """What belongs to the joint itself, in USD's degrees."""
    lines = []
    for name, figure, factor in own:
        if figure is not None and figure.value:
            unit = figure.unit.replace("/rad", "/degree") if factor != 1.0 else figure.unit
            lines.append(_line(name, figure._replace(unit=unit), factor, exact))
    return lines


def _quote(text: str) -> str:
    """A text as a string of USD over several lines."""
    return '"""' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'


def _layer(joint: str, schemas: list[str], lines: list[Line], own: list[Line]) -> str:
    """The prims of the actuator and of what the joint itself has, inside those above them."""
    *above, name = joint[1:].split("/")
    rows = ["#usda 1.0", ""]
    depth = 0
    for parent in above:
        rows += [f'{_indent(depth)}over "{parent}"', f"{_indent(depth)}{{"]
        depth += 1
    if own:
        rows += [*_prim(f'over "{name}"', ["NewtonJointAPI"], own, depth), ""]
    target = [("rel newton:targets", f"<{joint}>", "")]
    rows += _prim(f'def NewtonActuator "{name}_actuator"', schemas, [*target, *lines], depth)
    rows += [f"{_indent(k)}}}" for k in reversed(range(depth))]
    return "\n".join(rows) + "\n"


def _prim(head: str, schemas: list[str], lines: list[Line], depth: int) -> list[str]:
    pad = _indent(depth)
    listed = ", ".join(f'"{name}"' for name in schemas)
    rows = [f"{pad}{head} (", f"{pad}    prepend apiSchemas = [{listed}]", f"{pad})", f"{pad}{{"]
    for name, value, told in lines:
        rows.append(f"{pad}    {name} = {value}" + (f"  # {told}" if told else ""))
    return [*rows, f"{pad}}}"]


def _indent(depth: int) -> str:
    return "    " * depth
