"""mjlab's actuator configurations, written for an actuator. Every number is on the joint's side of the gear."""

from __future__ import annotations

from typing import Unpack

from ...actuator import Actuator
from ...actuator.controllers import Torque
from ...errors import ParameterError
from ...motor import Motor
from ..joint import NUMBERS, joint_name, parts_of, require_known
from ..on_joint import OnJoint
from ..text import Line, Written, quote, write_call
from ..types import Fields, JointNumbers
from .about import ABOUT
from .kinds import CLASSES, LISTENS, OWN
from .writing_joint import delay_lines, joint_lines, kind_for, own_lines, rows_of, with_own
from .writing_motor import joint_beside, motor_lines


class MjlabNumbers(JointNumbers, total=False):
    """Numbers that may be given with an actuator for mjlab."""

    armature: float | None
    frictionloss: float | None
    viscous_damping: float | None


def write(
    thing: Motor | Actuator | OnJoint,
    joint: str | tuple[str, ...] | None = None,
    kind: str | None = None,
    *,
    version: str | None = None,
    timestep: float | None = None,
    network_file: str | None = None,
    **numbers: Unpack[MjlabNumbers],
) -> Written:
    """Configuration text of mjlab 1.6 for an actuator, and what is lost.

    Args:
        thing: What to write.
        joint: Pattern of joint names, or several; left out, those of an `OnJoint`, or all.
        kind: One of `ABOUT.kinds`, such as "builtin_pd"; left out, it is "dc_motor" where a torque-speed line is known,
            and else the kind that listens to the targets of the controller. "builtin_dc_motor" is a motor with its
            currents.
        version: That of mjlab, of which one is known.
        timestep: Physics step, which a delay in seconds needs [s].
        network_file: Where mjlab finds the network of a "learned_mlp"; `be.learned.save_network` writes it.
        numbers: Gains, if the controller is not `IdealPd`, `TorquePid` or `Torque`: `stiffness=` and `damping=`, or
            `bandwidth_hz=` with `damping_ratio=` and `inertia=` [kg·m²]. `supply=` is the voltage behind the
            torque-speed line, the motor's rated one if left out; `effort=` "peak" or "continuous" chooses the current
            behind `effort_limit`, which may be given instead [N·m]. `armature=` [kg·m²], `frictionloss=` [N·m] and
            `viscous_damping=` [N·m·s/rad] of the joint go before those of the motor.
    """
    motor, actuator = parts_of(thing)
    ABOUT.require(kind, version)
    kind = kind_for(thing, actuator) if kind is None else kind
    # some kinds have no gains, or those of their controller
    gainless = kind in ("builtin_dc_motor", "builtin_motor", "learned_mlp")
    require_known(numbers, (*(("supply", "effort", "effort_limit") if gainless else NUMBERS), *OWN))
    own = {name: numbers[name] for name in OWN if numbers.get(name) is not None}
    given: Fields = {name: value for name, value in numbers.items() if name not in OWN}
    if kind == "builtin_motor" and isinstance(thing, Motor):
        thing = actuator = Actuator(thing, controller=Torque())
    thing = with_own(thing, actuator, own)
    names = joint_name(joint, thing, ".*") if joint is None else joint
    lines: list[Line] = [("target_names_expr", f"({quote(names)},)")]
    imports, notes = [CLASSES[kind]], []
    if kind == "builtin_dc_motor":
        if motor is None:
            raise ParameterError("kind = 'builtin_dc_motor' simulates currents: give a motor")
        figures = joint_beside(thing, motor)
        heard, parts, more, kept = motor_lines(motor, actuator, given, notes)
        imports += parts
    else:
        more, kept, figures = joint_lines(thing, actuator, kind, network_file, given, notes)
        heard = LISTENS[kind]
    lines += more + own_lines(figures, actuator, own, kept) + delay_lines(actuator, timestep, kept)
    text = f"from mjlab.actuator import {', '.join(sorted(imports))}\n\nactuator = {write_call(CLASSES[kind], lines)}\n"
    return Written(text=text, statuses=rows_of(thing, actuator, kind, kept, heard, figures), notes=notes)
