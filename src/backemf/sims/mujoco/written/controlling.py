"""What surrounds a controller, as MuJoCo has it: limits of command, voltage, torque and slew, and the delay."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....actuator import Supply
from ....actuator.controllers import DutyServo, Torque, Voltage
from ....actuator.duty_curve import full_share
from ....actuator.torque_limits import (
    AngleTable,
    DcClip,
    DriveEnvelope,
    EffortLimit,
    EffortRange,
    KneeCurve,
    TorqueLimit,
    TorqueSpeedTable,
)
from ....checks import Number
from ....errors import ParameterError
from ....physics.circuit import torque_of
from ...joint import allowed_current, gear_torque, ratio_of, single
from ...text import Figure
from ..versions import in_volts
from .joint_model import AT_JOINT, Draft, MotorDraft, row, tidy
from .loops import Loop, loop_in_torque, loop_in_volts

UNITS = {"pos": "rad", "position": "rad", "vel": "rad/s", "velocity": "rad/s", "ff": "N·m", "voltage": "V"}
"""Unit of each input."""


def control(draft: MotorDraft, supply: Supply | None) -> None:
    """Input, gains, limits of the voltage and of the command."""
    c, old = draft.actuator.controller, in_volts(draft.version)
    loop = (loop_in_volts if old else loop_in_torque)(c, draft.constants, supply)
    draft.kept["controller"] = loop.note
    if loop.integral is not None:
        draft.kept["integral"] = loop.integral
    raw, source = loop.inputs == "voltage", type(c).__name__
    draft.attributes["input"] = Figure(loop.inputs, ", ".join(UNITS[word] for word in loop.inputs.split()), source)
    slew = slew_of(draft, loop, old)
    volts = largest_voltage(draft, supply)
    # a raw voltage without a current state knows no limit but that of the command, and since 3.12 none at all
    by_command = raw and not (old and "inductance" in draft.attributes)
    limit = 0.0 if volts is None or by_command else volts
    numbers = (*loop.gains, slew, loop.limit or 0.0, limit)
    if any(numbers):
        gains = "V/rad, V/(rad·s), V·s/rad" if old else "N·m/rad, N·m/(rad·s), N·m·s/rad"
        gains = "V·s/rad, V/rad, -" if loop.inputs == "velocity" else gains
        unit = f"kp ki kd [{gains}], slew per second, largest integral, largest voltage [V]"
        draft.attributes["controller"] = row(numbers, unit, source)
    if draft.actuator.substeps > 1:
        substeps = draft.actuator.substeps
        draft.notes.append(f"The control loop runs once per physics step in place of {substeps} substeps.")
    ctrl_range(draft, loop, volts if by_command else None)


def slew_of(draft: MotorDraft, loop: Loop, old: bool) -> float:
    """Slew limit of the first control, in its unit per second; 0: none."""
    actuator = draft.actuator
    volts = loop.inputs == "voltage"
    if actuator.slew is None or (volts and not (old and isinstance(actuator.controller, Voltage))):
        return 0.0
    starts = actuator.controller.main in ("position", "velocity")
    draft.kept["slew"] = "The setpoint starts at 0, wherever the joint is." if starts else ""
    return loop.per_command * single("Actuator.slew", actuator.slew)


def largest_voltage(draft: MotorDraft, supply: Supply | None) -> float | None:
    """What the drive can give [V]; None: any voltage that is asked for."""
    a = draft.actuator
    found = [] if a.voltage_limit is None else [single("Actuator.voltage_limit", a.voltage_limit)]
    if supply is not None:
        bus = single("Supply.voltage", supply.voltage)
        share = single("Supply.modulation_limit", supply.modulation_limit)
        if isinstance(a.controller, DutyServo):
            share = min(share, single("DutyServo.pwm_limit", a.controller.pwm_limit))
        found.append(bus * single("Supply.curve", full_share(share, supply.curve)))
    draft.kept["voltage limit"] = ""
    return min(found) if found else None


def ctrl_range(draft: Draft, loop: Loop, volts: float | None) -> None:
    """The range of the command; MuJoCo has one for all inputs."""
    a, ends = draft.actuator, [] if volts is None else [(-volts, volts)]
    sources = [] if volts is None else [f"{volts:g} V of the drive"]
    if volts is not None and "slew" in draft.kept:
        draft.kept["voltage limit"] = "The voltage is limited before its slew and not after it."
    # volts in place of a torque have another range
    fits = len(loop.inputs.split()) == 1 and not (isinstance(a.controller, Torque) and loop.inputs == "voltage")
    if a.command_range is not None and fits:
        first, second = (loop.per_command * single("Actuator.command_range", end) for end in a.command_range)
        ends.append((first, second))
        sources.append("Actuator.command_range")
    if not ends:
        return
    low, high = max(end[0] for end in ends), min(end[1] for end in ends)
    if not low < high:
        raise ParameterError(
            f"Actuator.command_range = {a.command_range} leaves MuJoCo no control range, {low:g} to {high:g}: widen it"
        )
    draft.attributes["ctrlrange"] = row((low, high), draft.attributes["input"].unit, " and ".join(sources))
    if a.command_range is not None and fits:
        draft.kept["command range"] = ""


def torque_limit(draft: MotorDraft, supply: Supply | None, effort: str, effort_limit: float | None) -> None:
    """The largest torque: of the current limit and of the joint's own limits, behind the gear loss."""
    motor, a = draft.motor, draft.actuator
    n, share = ratio_of(motor), draft.constants.efficiency
    lossy = f" · efficiency {share:g}" if share != 1.0 else ""
    amperes, name = allowed_current(motor, effort)
    servo = getattr(a.controller, "current_limit", None)
    if servo is not None:
        firm = single("DutyServo.current_limit", servo)
        amperes, name = (firm, "DutyServo.current_limit") if amperes is None or firm < amperes else (amperes, name)
    found: list[tuple[float, str]] = []
    if amperes is not None:
        torque = single("torque", torque_of(motor, amperes, 1.0))
        found.append((share * n * torque, f"gear {n:g}{lossy} · torque at the {name}, {amperes:g} A"))
        heats = motor.thermal is not None or "inductance" in draft.attributes
        fed = a.voltage_limit is not None or supply is not None
        draft.kept["current limit"] = (
            "The torque is limited; the current and its heat are not."
            if heats
            else "The torque is limited even where back-EMF drives more current than the voltage can hold back."
            if fed
            else ""
        )
    found += [(share * limit_torque(draft, limit), f"{type(limit).__name__}{lossy}") for limit in a.limits]
    gear = gear_torque(motor, effort)
    if gear is not None:
        found.append((gear.value, gear.source))
    if effort_limit is not None:
        found = [(single("effort_limit", effort_limit), "as given")]
    if not found:
        return
    torque, source = min(found)
    if not torque > 0.0:
        raise ParameterError(f"effort_limit = {torque:g}: must be greater than 0")
    before = draft.attributes.get("saturation")
    rate = 0.0 if before is None else before.value[2]
    more = "" if before is None else f"; {before.source}"
    draft.attributes["saturation"] = row(
        (torque, 0.0, rate), f"N·m {AT_JOINT}, A (unused), A/s at the start of a step", source + more
    )


_LARGEST: dict[type, Callable[..., tuple[Number, ...]]] = {
    EffortLimit: lambda limit: (limit.effort_limit,),
    EffortRange: lambda limit: (-limit.lowest, limit.highest),
    DcClip: lambda limit: (limit.effort_limit,),
    DriveEnvelope: lambda limit: (limit.max_effort,),
    KneeCurve: lambda limit: (limit.driving_effort, limit.braking_effort),
    TorqueSpeedTable: lambda limit: tuple(np.max(x) for x in (limit.driving, limit.braking) if x is not None),
    AngleTable: lambda limit: (np.max(limit.effort),),
}
"""The largest torques that a limit ever allows, by its type [N·m]."""


def flat_top(limit: TorqueLimit) -> tuple[float, bool]:
    """The largest torque that a limit ever allows [N·m], and whether that is the whole limit."""
    ends = [single(type(limit).__name__, end) for end in _LARGEST[type(limit)](limit)]
    return max(ends), isinstance(limit, (EffortLimit, EffortRange)) and min(ends) == max(ends)


def limit_torque(draft: Draft, limit: TorqueLimit) -> float:
    """The largest torque of a limit [N·m], with a row or note where the limit is more than that."""
    top, exact = flat_top(limit)
    draft.kept["effort limit"] = ""
    if isinstance(limit, AngleTable):
        draft.kept["angle limits"] = "The torque is limited to the largest of the table at every angle."
    elif not exact and not (isinstance(limit, EffortRange) and draft.tag != "dcmotor"):
        draft.notes.append(f"Of {type(limit).__name__}, only the largest torque is left, the same at all speeds.")
    return top


def history(draft: Draft) -> None:
    """The delay of the commands; between two of them MuJoCo interpolates, as we do."""
    delay, h = draft.actuator.delay, draft.timestep
    if delay is None:
        return
    ends = [single("Delay", end) * (h if delay.seconds is None else 1.0) for end in (delay.shortest, delay.longest)]
    seconds = tidy(0.5 * (ends[0] + ends[1]))
    notes = [] if draft.actuator.controller.main != "position" else ["until the first command arrives it is 0"]
    if ends[0] != ends[1]:
        notes.append(f"it is always the mean of {ends[0]:g} to {ends[1]:g} s")
    if delay.targets is not None and set(delay.targets) != set(draft.actuator.controller.inputs):
        notes.append("all inputs are delayed alike")
    if seconds < 0.5 * h:
        # MuJoCo's shortest delay is a whole step
        if seconds == 0.0:
            draft.kept["delay"] = ""
        return
    if seconds < h:
        seconds = tidy(h)
        notes.append(f"by a whole step of {h:g} s")
    if "command range" in draft.kept and seconds / h % 1.0:
        draft.kept["command range"] = "The range acts behind the delay and not before it."
    draft.kept["delay"] = f"The command is delayed, but {', and '.join(notes)}." if notes else ""
    frames = int(np.ceil(seconds / h - 1e-9)) + 1
    draft.history["delay"] = row(seconds, "s", "Delay")
    draft.history["nsample"] = row(float(frames), "commands that are remembered", f"for steps of {h:g} s")
