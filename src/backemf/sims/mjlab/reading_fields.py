"""From the fields of mjlab's actuator classes to an actuator, each field checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...actuator.delay import Delay
from ...errors import ParameterError
from ...learned import LearnedMlp, Mlp
from ..loss import APPROXIMATED, UNKNOWN, Loss
from ..network_law import scales_of
from ..script_actuator import Call, Value
from ..types import Fields
from .configured import Configured
from .kinds import COMMON, DELAY, DELAYED, FIELDS, JOINTS, KINDS, LISTENS, UNREAD
from .reading_motor import dc_motor_fields, one_number

IN_THE_XML = {
    "armature": ("rotor inertia", "armature"),
    "frictionloss": ("dry friction", "frictionloss"),
    "viscous_damping": ("viscous drag", "damping"),
}
"""Fields that leave a number to the robot's XML: the phenomenon, and what the XML calls it."""


def read_config(call: Call) -> Configured:
    """The actuator of one class with its fields; raises ParameterError if it cannot be read."""
    if call.name == DELAYED:
        return _read_delayed(call)
    if call.name in UNREAD:
        raise ParameterError(f"{call.at()}: {call.name} is not read: {UNREAD[call.name]}")
    if call.name not in KINDS:
        raise ParameterError(f"{call.at()}: {call.name} is not a known actuator: it must be one of {', '.join(KINDS)}")
    kind = KINDS[call.name]
    for name in call.fields:
        if name not in FIELDS[kind] | COMMON:
            raise call.error(name, f"{call.name} has no such field")
    losses: list[Loss] = []
    known: Fields = {"kind": kind, "joints": _joints(call), "where": call.at(), "delay": _delay(call)}
    known["robots"] = call.robots
    for name in IN_THE_XML:
        known[name] = call.number(name, least=0.0)
    losses += _in_the_xml(known)
    for name in ("transmission_type", "actuated_type"):
        if str(call.take(name, "JOINT")).upper() != "JOINT":
            raise call.error(name, "only joints are read")
    if kind == "builtin_dc_motor":
        more, told = dc_motor_fields(call)
    elif kind == "builtin_motor":
        more, told = _motor_fields(call)
    else:
        more, told = _pd_fields(call, kind), []
    return Configured(**known, **more, losses=(*losses, *told))


def _joints(call: Call) -> tuple[str, ...]:
    name = next((name for name in JOINTS if call.fields.get(name) is not None), JOINTS[0])
    return call.joints(name)


def label(call: Call) -> str:
    """What a list of actuators calls one that is not read: its patterns of joint names, or where it stands."""
    for name in JOINTS:
        found = call.fields.get(name)
        patterns = [found] if isinstance(found, str) else found
        if isinstance(patterns, list) and patterns and all(isinstance(pattern, str) for pattern in patterns):
            return ", ".join(patterns)
    return ", ".join(call.robots) or call.at()


def _in_the_xml(known: Fields) -> list[Loss]:
    """Numbers that the configuration leaves to the robot's XML."""
    return [
        Loss(phenomenon, UNKNOWN, f"{name} is not set: the {word} of the joint is that of the robot's XML.")
        for name, (phenomenon, word) in IN_THE_XML.items()
        if known[name] is None
    ]


def _limit(call: Call, kind: str) -> Value:
    """The largest torque; an infinite one is none, but for the clip, whose flat top has to be a number."""
    if kind in ("dc_motor", "learned_mlp"):
        return call.number(
            "effort_limit", above=0.0, required="give the largest torque [N·m]; mjlab has none otherwise"
        )
    if call.fields.get("effort_limit") == float("inf"):
        return None
    wanted = "give the largest torque [N·m], or float('inf') for none" if kind == "builtin_motor" else ""
    return call.number("effort_limit", above=0.0, required=wanted)


def _pd_fields(call: Call, kind: str) -> Fields:
    known: Fields = {"effort_limit": _limit(call, kind)}
    if kind in ("dc_motor", "learned_mlp"):
        known["saturation_effort"] = call.number("saturation_effort", above=0.0, required="give the stall torque [N·m]")
        known["velocity_limit"] = call.number("velocity_limit", above=0.0, required="give the no-load speed [rad/s]")
    if kind == "learned_mlp":
        return known | {"network": _network(call)}
    for name in ("stiffness", "damping"):
        if name in FIELDS[kind]:
            known[name] = call.number(name, least=0.0, required="give the gain")
    return known


def _motor_fields(call: Call) -> tuple[Fields, list[Loss]]:
    gear = one_number(call, "gear")
    if gear == 0.0:
        raise call.error("gear", "must not be zero")
    known = {"effort_limit": _limit(call, "builtin_motor"), "gear": 1.0 if gear is None else gear}
    if gear in (None, 1.0):
        return known, []
    told = (
        f"mjlab's effort counts before its gear: the joint gets {gear:g} times as much. Here an effort is the joint's."
    )
    return known, [Loss("controller", APPROXIMATED, told)]


# --- delay


def _delay(call: Call) -> Delay | None:
    low, high = call.steps("delay_min_lag"), call.steps("delay_max_lag")
    if low > high:
        raise call.error("delay_min_lag", f"must not be above delay_max_lag = {high}")
    chance = one_number(call, "delay_hold_prob", least=0.0)
    if chance is not None and chance > 1.0:
        raise call.error("delay_hold_prob", "must be at most 1")
    staggered = call.take("delay_per_env_phase", True)
    if not isinstance(staggered, bool):
        raise call.error("delay_per_env_phase", "must be True or False")
    period = call.steps("delay_update_period")
    if high == 0:
        return None
    return Delay(
        steps=(low, high),
        schedule="mjlab",
        period=period,
        hold_probability=chance or 0.0,
        staggered=staggered or not period,
    )


def _read_delayed(call: Call) -> Configured:
    """The actuator inside a `DelayedActuatorCfg` of mjlab before 1.6, with the delay around it."""
    for name in call.fields:
        if name not in (*DELAY, *JOINTS, "base_cfg", "delay_target"):
            raise call.error(name, f"{call.name} has no such field")
    base = call.take("base_cfg", None, "give the actuator that is delayed")
    if not isinstance(base, Call) or base.name == DELAYED:
        raise call.error("base_cfg", "must be an actuator, such as IdealPdActuatorCfg(...)")
    inner, delay = read_config(base), _delay(call)
    if delay is None:
        return replace(inner, where=call.at(), robots=call.robots)
    if inner.delay is not None:
        raise call.error("delay_max_lag", "the actuator inside has its own delay; write one of them")
    given = call.take("delay_target", "position")
    targets = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else ()
    if not targets or not all(target in LISTENS["ideal_pd"] for target in targets):
        raise call.error("delay_target", f"must be some of {', '.join(LISTENS['ideal_pd'])}")
    # a voltage is commanded as an effort
    meant = ["voltage" if inner.mode == "VOLTAGE" and target == "effort" else target for target in targets]
    heard = tuple(target for target in inner.listens if target in meant)
    if not heard:
        return replace(inner, where=call.at(), robots=call.robots)
    losses = inner.losses
    if len(heard) > 1 and delay.shortest != delay.longest:
        losses += (Loss("delay", APPROXIMATED, "mjlab drew a delay for each target; here one delay is that of all."),)
    every = None if heard == inner.listens else heard
    return replace(inner, delay=replace(delay, targets=every), losses=losses, where=call.at(), robots=call.robots)


# --- networks


def _network(call: Call) -> LearnedMlp:
    """The network of a file beside the text, or where the path leads."""
    given = call.take("network_file", None, "give the file of the network")
    if not isinstance(given, str):
        raise call.error("network_file", "must be the path of a file")
    names = ("pos_scale", "vel_scale", "torque_scale")
    fields = {name: one_number(call, name, required="give the factor") for name in names}
    fields["input_order"] = call.word("input_order", ("pos_vel", "vel_pos"), "pos_vel")
    history = call.steps("history_length", 3)
    from ...learned import load_network

    beside = Path(call.file).parent / given
    try:
        network = load_network(beside if beside.is_file() else given)
        if not isinstance(network, Mlp):
            raise ParameterError(f"{given}: is a {type(network).__name__}, and mjlab's learned actuator has an MLP")
        return LearnedMlp(network=network, history=history, reset="backfill", **scales_of(fields))
    except ParameterError as error:
        raise call.error("network_file", str(error)) from None
