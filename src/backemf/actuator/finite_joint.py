"""What a host says of the joint: a motor whose numbers are not finite takes no part in the step.

Such a motor gets no torque, its states stay as they were, and `Output.limit` says so; all others are as they should be.
Plain numbers are looked over before the step and cost nothing here.
"""

from __future__ import annotations

from ..physics import state as names
from ..physics.command import TARGETS, Command
from ..physics.ops import change, isfinite, where
from ..physics.state import Output, State
from ..values import Bits, Maybe, Number, Recorded

KEPT = (
    "current", "winding_rise", "housing_rise", "phase_rise", "sensor_rise", "bristle", "gap", "rotor_speed", "energy",
    "setpoint", "integral", "held_position", "fresh",
)  # fmt: skip
"""States that stay as they were; those of a delay go on, since commands travel whatever the joint does."""
SILENT = ("torque", "torque_requested", "torque_slope", "torque_stiffness", "joint_travel", "load_torque")
"""Outputs that are 0 where the joint is not known."""


def is_plain(x: Maybe) -> bool:
    """Whether an input is a plain number, or not there."""
    return x is None or type(x) in (int, float)


def known_joints(dt: Number, *inputs: Maybe) -> Bits | None:
    """Where all inputs of a joint are finite numbers and the step is positive; None: all are plain."""
    given = [x for x in (*inputs, dt) if x is not None and type(x) is not float and type(x) is not int]
    if not given:
        return None
    # a sum is finite only if all of its terms are
    total = given[0]
    for x in given[1:]:
        total = total + x
    good = isfinite(total)
    return good if is_plain(dt) else good & (dt > 0.0)


def in_place_of(good: Bits, x: Maybe, stand_in: Number) -> Recorded:
    """An input with a number in place of what is not known."""
    return x if is_plain(x) else where(good, x, stand_in)


def without_unknown(good: Bits, state: State, after: State, out: Output) -> tuple[State, Output]:
    """State and output after a step in which some motors took no part."""
    held = {}
    for name in KEPT:
        old, new = getattr(state, name), getattr(after, name)
        if old is not None and new is not old:
            held[name] = where(good, new, old)
    silent = {name: where(good, getattr(out, name), 0.0) for name in SILENT if getattr(out, name) is not None}
    if "energy" in held and out.electrical_energy is not None:
        silent["electrical_energy"] = held["energy"]
    silent["limit"] = out.limit | where(good, 0, names.JOINT)
    return change(after, **held), change(out, **silent)


def resting_command(good: Bits, main: str, command: Command | Number, position: Number) -> Command:
    """The command with nothing asked of the motors that take no part, which would pull a shared supply down."""
    command = command if isinstance(command, Command) else Command(**{main: command})
    targets = {name: getattr(command, name) for name in TARGETS if getattr(command, name) is not None}
    return change(
        command, **{name: where(good, x, position if name == "position" else 0.0) for name, x in targets.items()}
    )
