"""What an actuator becomes in mjlab's classes that know a joint alone: gains, limits, the joint's own numbers, delay.

Each kind listens to some targets. A controller goes into a kind that listens to its main target; the other targets that
the kind does not listen to are listed as lost.
"""

from __future__ import annotations

from dataclasses import replace

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, Torque, TorquePid
from ...actuator.controllers.controller import Controller
from ...actuator.delay import Delay
from ...actuator.torque_limits import DcClip
from ...errors import ParameterError
from ...learned import LearnedMlp
from ...motor import Motor
from ...parts import acts
from ..joint import Joint, has_line, joint_of, single, whole_steps, with_joint
from ..loss import DROPPED, UNKNOWN, Loss
from ..losses import SPEED_LIMITS, kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Figure, Line
from ..types import Fields
from .kinds import OWN

Thing = Motor | Actuator | OnJoint
Lines = list[Line]


def kind_for(thing: Thing, actuator: Actuator) -> str:
    """The kind that holds most of an actuator."""
    c = actuator.controller
    if isinstance(c, LearnedMlp):
        return "learned_mlp"
    if has_line(thing):
        return "dc_motor"
    if isinstance(c, Torque):
        return "builtin_motor"
    if isinstance(c, (IdealPd, TorquePid)):
        kp, kd = gains_heard(c)
        if c.inputs == ("velocity",) and kd:
            return "builtin_velocity"
        if c.inputs == ("position",) and kp:
            return "builtin_position"
        if c.inputs == ("position", "velocity") and (kp or kd):
            return "builtin_pd"
    return "ideal_pd"


def gains_heard(c: IdealPd | TorquePid | Torque) -> tuple[float, float]:
    """Stiffness and damping that have an effect; a stiffness has none without a position target."""
    if isinstance(c, Torque):
        return 0.0, 0.0
    kp, kd = (c.stiffness, c.damping) if isinstance(c, IdealPd) else (c.kp, c.kd)
    return (single("stiffness", kp) if "position" in c.inputs else 0.0), single("damping", kd)


# --- gains and limits


def joint_lines(
    thing: Thing, actuator: Actuator, kind: str, network_file: str | None, numbers: Fields, notes: list[str]
) -> tuple[Lines, dict[str, str], Joint]:
    """Fields, what is kept, and the joint's numbers."""
    c = actuator.controller
    if kind in ("builtin_motor", "learned_mlp"):
        wanted = Torque if kind == "builtin_motor" else LearnedMlp
        if not isinstance(c, wanted):
            told = "takes efforts" if kind == "builtin_motor" else "is a network"
            remedy = f"take another kind, or controller={wanted.__name__}(...)"
            raise ParameterError(f"kind = {kind!r} {told} and has no place for {type(c).__name__}: {remedy}")
        thing = _with_controller(thing, Torque())
    elif isinstance(c, TorquePid) and "position" not in c.inputs:
        thing = _with_controller(thing, replace(c, kp=0.0))
    joint = joint_of(thing, **numbers)
    line = kind in ("dc_motor", "learned_mlp")
    kept = kept_by_joint(actuator, joint, line=line)
    if line and actuator.motor is None and not _one_clip(actuator):
        kept["torque-speed line"] = "The torque-speed line is a DC motor's, the nearest to the limits of the actuator."
    lines = _limits(kind, joint, notes)
    if kind == "learned_mlp":
        return lines + _network(c, network_file, kept), kept, joint
    if kind != "builtin_motor":
        _require_gains(kind, c, joint)
        _tell_gains(c, joint, kept)
        lines += [("stiffness", joint.stiffness)] if kind != "builtin_velocity" else []
        lines += [("damping", joint.damping)]
    return lines, kept, joint


def _with_controller(thing: Thing, controller: Controller) -> Thing:
    """The same with another controller, for its limits and the joint's numbers alone."""
    if isinstance(thing, OnJoint):
        return replace(thing, actuator=replace(thing.actuator, controller=controller, delay=None))
    if isinstance(thing, Actuator):
        return replace(thing, controller=controller, delay=None)
    return Actuator(thing, controller=controller)


def _one_clip(actuator: Actuator) -> bool:
    """Whether the limits are one DC-motor clip and otherwise flat."""
    lines = [limit for limit in actuator.limits if isinstance(limit, SPEED_LIMITS)]
    return len(lines) == 1 and isinstance(lines[0], DcClip)


def _limits(kind: str, joint: Joint, notes: list[str]) -> Lines:
    if kind not in ("dc_motor", "learned_mlp"):
        if joint.effort_limit is not None:
            return [("effort_limit", joint.effort_limit)]
        return [("effort_limit", 'float("inf")')] if kind == "builtin_motor" else []
    if joint.effort_limit is None or joint.saturation_effort is None or joint.velocity_limit is None:
        raise ParameterError(f"kind = {kind!r} needs a torque-speed line: give a motor, or a DcClip in limits")
    if joint.effort_limit.value > joint.saturation_effort.value:
        notes.append("The effort limit is above the stall torque: it has no effect while driving; mjlab warns of it.")
    return [
        ("effort_limit", joint.effort_limit),
        ("saturation_effort", joint.saturation_effort),
        ("velocity_limit", joint.velocity_limit),
    ]


def _require_gains(kind: str, c: Controller, joint: Joint) -> None:
    """Raise a `ParameterError` where a kind would give no torque, or has no place for a gain."""
    kp, kd = joint.stiffness.value, joint.damping.value
    if kp == 0.0 and kd == 0.0 and kind not in ("dc_motor", "ideal_pd"):
        raise ParameterError(
            f"kind = {kind!r} without gains gives no torque for any command: give stiffness= and damping=, or "
            "take kind='builtin_motor', which takes efforts"
        )
    if kind == "builtin_velocity" and (kp > 0.0 or kd == 0.0):
        raise ParameterError(
            f"kind = 'builtin_velocity' has damping alone, and here is stiffness = {kp:g} N·m/rad, damping = {kd:g} "
            "N·m·s/rad: take kind='builtin_pd'"
        )
    if kind == "builtin_position" and kp == 0.0:
        raise ParameterError(
            "kind = 'builtin_position' with stiffness = 0 holds no position, and mjlab divides by it: give stiffness= "
            "and damping=, or take kind='builtin_velocity'"
        )
    if kind == "builtin_position" and isinstance(c, TorquePid) and c.follows == "velocity":
        raise ParameterError(
            "kind = 'builtin_position' listens to no velocity, which TorquePid(follows='velocity') follows: take "
            "kind='builtin_pd' or 'ideal_pd'"
        )


def _tell_gains(c: Controller, joint: Joint, kept: dict[str, str]) -> None:
    """Note if the given gains are not those of the controller."""
    name, written = type(c).__name__, (joint.stiffness.value, joint.damping.value)
    told = ""
    if not isinstance(c, (IdealPd, TorquePid, Torque)):
        told = f"A PD with the gains that were given stands in place of {name}."
    elif gains_heard(c) != written:
        told = f"The gains are those that were given, in place of {name}'s."
    if isinstance(c, TorquePid) and c.follows == "velocity" and written[0]:
        told = "Its stiffness acts at any time: without a position target mjlab holds 0 rad."
    kept["controller"] = " ".join(text for text in (told, kept["controller"]) if text)


def _network(c: Controller, network_file: str | None, kept: dict[str, str]) -> Lines:
    assert isinstance(c, LearnedMlp)
    if network_file is None:
        raise ParameterError(
            "kind = 'learned_mlp' needs network_file=, where mjlab finds the network: "
            "be.learned.save_network(controller, 'network.pt') writes it"
        )
    if c.stride != 1:
        raise ParameterError(f"LearnedMlp.stride = {c.stride}: mjlab's network sees every step; train with stride=1")
    if c.reset != "backfill":
        kept["controller"] = "After a reset mjlab repeats the first sample, where this network saw zeros."
    order = "pos_vel" if c.input_order == "position_velocity" else "vel_pos"
    scales = (
        ("pos_scale", "position_scale", "1/rad"),
        ("vel_scale", "velocity_scale", "s/rad"),
        ("torque_scale", "torque_scale", "N·m"),
    )
    rows: Lines = [("network_file", repr(str(network_file)))]
    for theirs, ours, unit in scales:
        rows.append((theirs, Figure(single(ours, getattr(c, ours)), unit, f"LearnedMlp.{ours}")))
    return [*rows, ("input_order", repr(order)), ("history_length", Figure(c.history, "samples", "LearnedMlp.history"))]


# --- the joint's own numbers


def with_own(thing: Thing, actuator: Actuator, own: dict[str, float]) -> Thing:
    """The same on a joint that has the numbers that were given."""
    for name, value in own.items():
        if not single(name, value) >= 0.0:
            raise ParameterError(f"{name} = {value}: must be at least 0")
    if not own or actuator.motor is not None:
        return thing
    on_joint = thing if isinstance(thing, OnJoint) else OnJoint(actuator=actuator)
    changes: Fields = {OWN[name][0]: float(value) for name, value in own.items()}
    return replace(on_joint, **changes, **({"stiction": None} if "frictionloss" in own else {}))


def own_lines(joint: Joint, actuator: Actuator, own: dict[str, float], kept: dict[str, str]) -> Lines:
    """Armature and friction: as given, or of motor and joint."""
    rubs, lines = actuator.friction, []
    for name, (ours, unit, phenomenon) in OWN.items():
        figure: Figure | None = getattr(joint, ours)
        if rubs is not None and name != "armature":
            figure = with_joint(figure, single(ours, getattr(rubs, ours)), unit)
            kept["joint friction"] = "MuJoCo's dry friction holds a joint at rest, where the actuator's lets it creep."
        if name in own:
            given = Figure(single(name, own[name]), f"{unit} at the joint", "as given")
            if actuator.motor is not None and figure is not None and figure.value != given.value:
                kept[phenomenon] = f"{name} is the one given, in place of the motor's {figure.value:g} {unit}."
            figure = given
        if figure is not None:
            lines.append((name, figure))
    return lines


# --- delay


def delay_lines(actuator: Actuator, timestep: float | None, kept: dict[str, str]) -> Lines:
    """The delay in whole physics steps, and how it is drawn."""
    delay: Delay | None = actuator.delay
    if delay is None:
        return []
    told: list[str] = []
    low, high = whole_steps(delay, timestep, told)
    source = f"Delay.{'steps' if delay.seconds is None else 'seconds'}"
    lines: Lines = [
        ("delay_min_lag", Figure(low, "physics steps", source)),
        ("delay_max_lag", Figure(high, "physics steps", source)),
    ]
    if delay.schedule in ("period", "mjlab"):
        lines.append(("delay_update_period", Figure(delay.period, "physics steps", "Delay.period")))
        lines.append(("delay_per_env_phase", repr(delay.staggered)))
    if acts(delay, "hold_probability"):
        chance = single("Delay.hold_probability", delay.hold_probability)
        lines.append(("delay_hold_prob", Figure(chance, "1", "Delay.hold_probability")))
    if low != high and delay.schedule in (None, "constant", "episode", "isaaclab"):
        told.append("A new delay is drawn at every step: mjlab has none that stays for an episode.")
    if low != high and delay.schedule != "mjlab" and not delay.reorder:
        told.append("A younger command may overtake an older one.")
    if set(actuator.delayed_inputs) != set(actuator.controller.inputs) or delay.per == "joint":
        told.append("All joints and targets are delayed alike.")
    kept["delay"] = " ".join(told)
    return lines


# --- what becomes of it all


TARGETS = {
    "position": ("position target", "A position target"),
    "velocity": ("velocity target", "A velocity target"),
    "effort": ("feedforward", "A feedforward effort"),
}
"""Row of a target that is lost, and how its sentence begins."""


def rows_of(
    thing: Thing, actuator: Actuator, kind: str, kept: dict[str, str], heard: tuple[str, ...], joint: Joint
) -> list[Loss]:
    """What becomes of each phenomenon, and of each target that the controller takes."""
    rows = statuses(thing, kept)
    lost = [target for target in getattr(actuator.controller, "inputs", ()) if target not in (*heard, "voltage")]
    if isinstance(actuator.controller, (IdealPd, TorquePid)):
        kp, kd = gains_heard(actuator.controller)
        # a target without a gain has no effect anywhere
        lost = [target for target in lost if {"position": kp, "velocity": kd}.get(target, 1.0)]
    listens = " and ".join(heard)
    at = 1 + next(k for k, row in enumerate(rows) if row.phenomenon == "controller")
    rows[at:at] = [
        Loss(TARGETS[target][0], DROPPED, f"{TARGETS[target][1]} has no effect: {kind} listens to {listens} alone.")
        for target in lost
    ]
    if actuator.motor is None and not actuator.limits and joint.effort_limit is None:
        rows.append(Loss("effort limit", UNKNOWN, "No effort limit is known: the torque of the joint has none."))
    return rows
