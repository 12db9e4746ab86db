"""Isaac Lab's actuator configurations, written for an actuator.

Isaac Lab has every number on the joint's side of the gear, and so has the text that is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from ...actuator import Actuator
from ...actuator.controllers.controller import Controller
from ...actuator.delay import Delay
from ...actuator.torque_limits import AngleTable
from ...errors import ParameterError
from ...learned import LearnedMlp, LearnedRecurrent, Lstm
from ...motor import Motor
from ..digits import round_digits
from ..joint import Joint, has_line, joint_name, joint_of, parts_of, require_known, single, whole_steps
from ..loss import UNKNOWN
from ..losses import kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Figure, Line, Written, quote, write_call
from ..types import Fields, JointNumbers
from .about import ABOUT
from .configured import CLASSES, LINES, OF_JOINT

OWN = ("armature", "velocity_limit_sim", "saturation_effort", "velocity_limit")
"""Numbers of the joint and of Isaac Lab that may be given with an actuator."""
NONE = "None"
INFINITE = 'float("inf")'


class IsaacNumbers(JointNumbers, total=False):
    """Numbers that may be given with an actuator for Isaac Lab."""

    armature: float | None
    velocity_limit_sim: float | None
    saturation_effort: float | None
    velocity_limit: float | None


def write(
    thing: Motor | Actuator | OnJoint,
    joint: str | tuple[str, ...] | None = None,
    kind: str | None = None,
    *,
    version: str | None = None,
    timestep: float | None = None,
    transmission_ratio: Sequence[float] | None = None,
    network_file: str | None = None,
    **numbers: Unpack[IsaacNumbers],
) -> Written:
    """Configuration text of Isaac Lab for an actuator, and what is lost.

    `kind` is "dc_motor", "ideal_pd", "delayed_pd", "remotized", "implicit", "mlp" or "lstm"; left out, it is that of a
    network or of a table by angle, "dc_motor" where a torque-speed line is known, and else "ideal_pd", or "delayed_pd"
    for the delay of an `OnJoint`. `joint` is a pattern of joint names, or several; left out, the joint of an `OnJoint`,
    or all. Gains are those of an `IdealPd` or `TorquePid`; else give `stiffness=` and `damping=`, or `bandwidth_hz=`
    with `damping_ratio=` and `inertia=` [kg·m²]. `supply=` is the voltage behind the torque-speed line, the motor's
    rated one if left out; `effort=` "peak" or "continuous" chooses the current behind `effort_limit`, which may be
    given instead [N·m]. `armature=` [kg·m²] and `velocity_limit_sim=` [rad/s] are the joint's own. A delay in seconds
    needs the physics `timestep` [s]. A network is saved with `backemf.learned.save_network` to the
    `network_file` that is named here.
    """
    _, actuator = parts_of(thing)
    ABOUT.require(kind, version)
    kind = _kind(thing, actuator) if kind is None else kind
    own = {**(thing.beside if isinstance(thing, OnJoint) else {})}
    given: Fields = {**numbers}
    own |= {name: given.pop(name) for name in OWN if given.get(name) is not None}
    require_known(given)
    learned = isinstance(actuator.controller, (LearnedMlp, LearnedRecurrent))
    if learned is not (kind in ("mlp", "lstm")):
        needs = "a LearnedMlp or a LearnedRecurrent" if kind in ("mlp", "lstm") else "no network: take 'mlp' or 'lstm'"
        raise ParameterError(f"kind = {kind!r} needs {needs}; the actuator has {type(actuator.controller).__name__}")
    if learned:
        # a network replaces the gains
        given |= {"stiffness": 0.0, "damping": 0.0}
    # before Isaac Sim 5.0 there is no friction torque
    rubs = version not in ("2.0", "2.1")
    figures = joint_of(thing, rubs=rubs, **given)
    unknown = _unknown(thing)
    notes: list[str] = []
    kept = kept_by_joint(actuator, figures, line=kind in ("dc_motor", "mlp"), stiction=rubs)
    names = joint_name(joint, thing, ".*") if joint is None else joint
    lines: list[Line] = [("joint_names_expr", f"[{quote(names)}]")]
    limits = _limits(kind, figures, own, isinstance(thing, OnJoint), unknown, notes)
    lines += limits
    if learned:
        lines += _network(kind, actuator.controller, network_file, notes)
    else:
        gains = (("stiffness", figures.stiffness), ("damping", figures.damping))
        lines += [(name, NONE if name in unknown and not figure.value else figure) for name, figure in gains]
        _targets(actuator, unknown, kept)
    lines += _joint_lines(thing, kind, figures, own, rubs, unknown, kept, notes)
    lines += _delay(kind, actuator.delay, timestep, kept, notes)
    if kind == "remotized":
        lines.append(("joint_parameter_lookup", _lookup(figures, transmission_ratio, notes)))
        kept["angle limits"] = ""
    name = CLASSES[kind]
    text = f"from isaaclab.actuators import {name}\n\nactuator = {write_call(name, lines)}\n"
    return Written(text=text, statuses=statuses(thing, kept), notes=notes)


def _kind(thing: Motor | Actuator | OnJoint, actuator: Actuator) -> str:
    controller = actuator.controller
    if isinstance(controller, (LearnedMlp, LearnedRecurrent)):
        return "mlp" if isinstance(controller, LearnedMlp) else "lstm"
    if joint_table(actuator):
        return "remotized"
    if has_line(thing):
        return "dc_motor"
    return "delayed_pd" if isinstance(thing, OnJoint) and actuator.delay is not None else "ideal_pd"


def joint_table(actuator: Actuator) -> bool:
    """Whether the largest torque depends on the angle alone."""
    return any(isinstance(limit, AngleTable) for limit in actuator.limits) and actuator.motor is None


def _unknown(thing: Motor | Actuator | OnJoint) -> set[str]:
    """Fields that the text behind an actuator leaves to the USD file."""
    losses = thing.losses if isinstance(thing, OnJoint) else ()
    names = {phenomenon: name for name, phenomenon in OF_JOINT.items()}
    open_ones = [loss.phenomenon for loss in losses if loss.status == UNKNOWN]
    return {names.get(phenomenon, phenomenon.replace(" ", "_")) for phenomenon in open_ones}


def _targets(actuator: Actuator, unknown: set[str], kept: dict[str, str]) -> None:
    """Say of targets that the controller does not take that Isaac Lab takes them."""
    controller = actuator.controller
    heard = getattr(controller, "listens", None)
    if heard is not None and not unknown & {"stiffness", "damping"}:
        others = [name for name in ("position", "velocity", "effort") if name not in heard]
        kept["controller"] = (
            f"Isaac Lab takes targets of {' and '.join(others)} as well: leave them at 0." if others else ""
        )


def _joint_lines(
    thing: Motor | Actuator | OnJoint,
    kind: str,
    joint: Joint,
    own: Mapping[str, float],
    rubs: bool,
    unknown: set[str],
    kept: dict[str, str],
    notes: list[str],
) -> list[Line]:
    """What belongs to the joint: speed, inertia and friction."""
    lines: list[Line] = []
    if own.get("velocity_limit") is not None and kind not in LINES:
        lines.append(("velocity_limit", _given_figure("velocity_limit", own, "rad/s, without effect,")))
    if own.get("velocity_limit_sim") is not None:
        lines.append(("velocity_limit_sim", _given_figure("velocity_limit_sim", own, "rad/s")))
    elif kind == "implicit" and joint.velocity_limit is not None:
        lines.append(("velocity_limit_sim", joint.velocity_limit))
    elif isinstance(thing, OnJoint) and thing.actuator.motor is None and "velocity_limit_sim" not in unknown:
        lines.append(("velocity_limit_sim", INFINITE))
    if own.get("armature") is not None:
        lines.append(("armature", _given_figure("armature", own, "kg·m²")))
    else:
        lines += _joint_figures(thing, unknown, (("armature", joint.armature),))
    if not rubs:
        notes.append("Friction is a share of the load before Isaac Sim 5.0, and no torque: it is left out.")
        for name in ("dry friction", "stiction", "viscous drag"):
            kept.pop(name, None)
        return lines
    named = (("friction", joint.stiction), ("dynamic_friction", joint.coulomb), ("viscous_friction", joint.viscous))
    if "friction" in unknown and isinstance(thing, OnJoint) and thing.stiction is None:
        named = named[1:]
    lines += _joint_figures(thing, unknown, named)
    if joint.coulomb is not None:
        notes.append("Under Isaac Sim 4.5 friction is a share of the load, and no torque: leave it out there.")
    return lines


def _joint_figures(
    thing: Motor | Actuator | OnJoint, unknown: set[str], named: tuple[tuple[str, Figure | None], ...]
) -> list[Line]:
    """Numbers of the joint; a joint without a motor has 0 where it has none, unless the USD file says."""
    zero = Figure(0.0, "at the joint", "the joint's own")
    plain = isinstance(thing, OnJoint) and thing.actuator.motor is None
    found = [(name, zero if plain and figure is None and name not in unknown else figure) for name, figure in named]
    return [(name, figure) for name, figure in found if figure is not None]


def _given_figure(name: str, own: Mapping[str, float], unit: str) -> Figure:
    return Figure(single(name, own[name]), f"{unit} at the joint", "as given")


def _network(kind: str, controller: Controller, file: str | None, notes: list[str]) -> list[Line]:
    """The file of a network, and what Isaac Lab multiplies its inputs and outputs with."""
    if file is None:
        raise ParameterError(f"kind = {kind!r} needs network_file=, the file that backemf.learned.save_network writes")
    notes.append(f"The network itself is saved with backemf.learned.save_network(actuator.controller, {file!r}).")
    lines: list[Line] = [("network_file", quote(str(file)))]
    named = (("pos", "position", "1/rad"), ("vel", "velocity", "s/rad"), ("torque", "torque", "N·m"))
    scales = [
        (f"{theirs}_scale", Figure(single(ours, getattr(controller, f"{ours}_scale")), unit, f"{ours}_scale"))
        for theirs, ours, unit in named
    ]
    assert isinstance(controller, (LearnedMlp, LearnedRecurrent))
    first = "pos_vel" if controller.input_order == "position_velocity" else "vel_pos"
    if kind == "lstm":
        plain = all(figure.value == 1.0 for _, figure in scales) and first == "pos_vel"
        if not plain or not isinstance(controller.network, Lstm):
            raise ParameterError(
                "kind = 'lstm': Isaac Lab has no scales, order of inputs or GRU there: give an LSTM of position error "
                "and velocity whose scales are 1, those of the training in its weights"
            )
        return lines
    assert isinstance(controller, LearnedMlp)
    if controller.reset != "zero":
        notes.append("After a reset Isaac Lab's history is zero, and not the first sample.")
    ages = list(range(0, controller.depth, controller.stride))
    return [*lines, *scales, ("input_order", quote(first)), ("input_idx", repr(ages))]


def _limits(
    kind: str, joint: Joint, own: Mapping[str, float], read_back: bool, unknown: set[str], notes: list[str]
) -> list[Line]:
    solver = "effort_limit_sim" if kind in ("implicit", "remotized") else "effort_limit"
    top: Figure | str | None = joint.effort_limit
    if top is None and kind == "remotized":
        return []
    if top is None and "effort_limit" in unknown:
        notes.append("The largest torque is that of the robot's USD file.")
        top = NONE
    elif top is None and read_back:
        top = INFINITE
    if top is None:
        raise ParameterError(
            "effort_limit is not known: give a motor with a voltage, an Actuator with a DcClip or an EffortLimit, "
            "or effort_limit="
        )
    if kind == "implicit" and top is NONE:
        return []
    both = "effort_limit" in unknown and kind != "implicit" and isinstance(top, Figure)
    if kind not in LINES:
        return [("effort_limit", NONE), ("effort_limit_sim", top)] if both else [(solver, top)]
    stall, speed = joint.saturation_effort, joint.velocity_limit
    stall = _given_figure("saturation_effort", own, "N·m") if own.get("saturation_effort") is not None else stall
    speed = _given_figure("velocity_limit", own, "rad/s") if own.get("velocity_limit") is not None else speed
    if stall is None or speed is None:
        raise ParameterError(
            f"kind = {kind!r} needs a torque-speed line: give a motor, or a DcClip in limits, or saturation_effort= "
            "and velocity_limit="
        )
    if "effort_limit" in unknown:
        notes.append("The largest torque is that of the robot's USD file.")
        differs = isinstance(top, Figure) and top.value != stall.value
        more = [("effort_limit_sim", top)] if differs else []
        return [("effort_limit", NONE), *more, ("saturation_effort", stall), ("velocity_limit", speed)]
    if isinstance(top, Figure) and isinstance(stall, Figure) and top.value > stall.value:
        notes.append("The effort limit is above the stall torque, so it has no effect while driving.")
    return [("effort_limit", top), ("saturation_effort", stall), ("velocity_limit", speed)]


def _delay(
    kind: str, delay: Delay | None, timestep: float | None, kept: dict[str, str], notes: list[str]
) -> list[Line]:
    if delay is None:
        return []
    if kind not in ("delayed_pd", "remotized"):
        notes.append(f"{CLASSES[kind]} has no delay: take kind='delayed_pd', which has no torque-speed line.")
        return []
    told: list[str] = []
    if delay.schedule in ("period", "step", "mjlab"):
        told.append("The delay is drawn at each reset alone, and then stays.")
    if delay.targets is not None:
        told.append("All targets are delayed alike.")
    low, high = whole_steps(delay, timestep, told)
    kept["delay"] = " ".join(told)
    source = f"Delay.{'steps' if delay.seconds is None else 'seconds'}"
    return [
        ("min_delay", Figure(low, "physics steps", source)),
        ("max_delay", Figure(high, "physics steps", source)),
    ]


def _lookup(joint: Joint, transmission_ratio: Sequence[float] | None, notes: list[str]) -> str:
    if joint.table is None:
        raise ParameterError(
            "kind = 'remotized' needs torque by joint angle: give an Actuator with an AngleTable in limits"
        )
    table = joint.table
    ratios = [1.0] * len(table.angle) if transmission_ratio is None else [float(ratio) for ratio in transmission_ratio]
    if len(ratios) != len(table.angle):
        raise ParameterError(f"transmission_ratio has {len(ratios)} entries where the table has {len(table.angle)}")
    if transmission_ratio is None:
        notes.append("The transmission ratios are written as 1; Isaac Lab does not use them.")
    notes.append("Effort and velocity limits have no effect together with the table.")
    rows = [
        f"        [{round_digits(float(angle))!r}, {round_digits(ratio)!r}, {round_digits(float(effort))!r}],"
        for angle, ratio, effort in zip(table.angle, ratios, table.effort, strict=True)
    ]
    return "\n".join(["[  # joint angle [rad], transmission ratio [1], largest torque [N·m]", *rows, "    ]"])
