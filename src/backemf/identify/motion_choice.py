"""The motion that tells most of a drive, chosen before anything is logged."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..actuator import Actuator
from ..actuator.degrees import TURN, hint_of
from ..checks import quote, require_seed
from ..errors import BackemfWarning, ParameterError
from ..loads import LockedRotor, Pendulum, PrescribedMotion, pendulum_torque
from ..motor import Motor
from ..progress import progress_bar
from .checks.against_load import TOO_HEAVY
from .checks.view import MotorFigures, amount
from .excitation import Candidate, Excitation
from .identification import require_rig
from .log import Log, Meta
from .motion_limits import WIDEST, MotionLimits, bounds_of, top_speed
from .motion_scores import Plan, follows_current
from .motions import joined_motions, single_motions
from .prior import read_prior, stall_torque
from .rig import Rig
from .rig_parts import MeasuredMotion, RobotModel

SHORTEST, LONGEST = 0.5, 60.0
"""Shortest and longest motion [s]."""
FASTEST = 0.1
"""Fastest cycles, over the samples per second [1]."""
USUAL_NOISE = {
    "position": 1e-3, "velocity": 0.01, "torque": 0.01, "current": 0.01, "duty": 0.01, "bus_voltage": 0.01,
    "winding_temperature": 0.5, "housing_temperature": 0.5,
}  # fmt: skip
"""Noise of a channel whose sensor has no quantisation: in rad and K, else as a share of what the drive reaches."""
NOTHING = 1e-3
"""Information of a motion that tells nothing [nat]."""
SLOW = 1.0
"""Frequency of cycles where a speed of the command does not follow from the limits [Hz]."""


def excite(
    actuator: object,
    rig: Rig,
    seconds: float,
    *,
    limits: MotionLimits | None = None,
    channels: Sequence[str] | None = None,
    free: Sequence[str] | str | None = None,
    rate: float = 200.0,
    meta: Mapping[str, Meta] | None = None,
    seed: int = 0,
) -> Excitation:
    """The motion whose log would tell most of a drive, among chirps, triangles, steps, lifts, releases and staircases.

    Each, and each two or three of them one after another, is simulated with the load of the rig and made smaller until
    it stays within the limits. The best has the largest det(H + P), as `identify` would see it.

    Args:
        actuator: What is believed of the drive: a catalogue id, a path, a `Datasheet`, a `Motor` or an `Actuator`.
        rig: What it will be logged on; the quantisation of its sensors is their noise.
        seconds: How long the motion is [s].
        limits: What it must stay within; None: the ratings of the drive, and 90° where positions are commanded.
        channels: What will be logged; None: what the rig has sensors for, and the position of a joint that moves.
        free: Names of what a fit will look for, as in `identify`; None: whatever a law needs.
        rate: Samples per second of command and log [Hz].
        meta: Notes that the rig refers to, such as {"kp": 400}.
        seed: Random seed of the levels of steps.
    """
    plan = _plan(actuator, rig, seconds, limits or MotionLimits(), channels, rate, dict(meta or {}), seed)
    singles = single_motions(plan.amplitude, plan.speed, FASTEST * plan.rate, seed)
    with progress_bar("excite", 4) as done:
        first = plan.shrink(singles)
        done(1)
        scored = plan.score(first, free)
        done(1)
        best: dict[str, Candidate] = {}
        for each in scored:
            kind = each.motion.kinds
            if not each.reason and (kind not in best or each.gain > best[kind].gain):
                best[kind] = each
        if not best:
            raise ParameterError(
                f"excite: no motion stays within the limits: of a {first[0].motion.kinds}, {scored[0].reason}; "
                "widen the limits"
            )
        second = plan.shrink(joined_motions([each.motion for each in best.values()]))
        done(1)
        scored += plan.score(second, free)
        done(1)
    order = sorted(scored, key=lambda each: -each.gain if not each.reason else math.inf)
    if order[0].gain < NOTHING:
        raise ParameterError(
            "excite: within these limits the drive hardly moves, and no motion tells anything of it; widen the limits, "
            "or log more channels"
        )
    return plan.result(order, free)


def _plan(
    given: object, rig: Rig, seconds: float, limits: MotionLimits, channels: Sequence[str] | None, rate: float,
    meta: Mapping[str, Meta], seed: int,
) -> Plan:  # fmt: skip
    require_rig(rig, "excite")
    _require_number("seconds", seconds, SHORTEST, LONGEST, "s")
    _require_number("rate", rate, 20.0, 2000.0, "Hz")
    if not isinstance(limits, MotionLimits):
        raise ParameterError(
            f"excite: limits = {quote(limits)}: must be a MotionLimits, such as MotionLimits(speed=5.0)"
        )
    require_seed("excite", seed)
    if rig.load.kind in (MeasuredMotion, PrescribedMotion):
        raise ParameterError(
            f"excite: the rig's load is a {rig.load.kind.__name__}, whose joint moves whatever the motor does: there "
            "is nothing to excite; give the load that the motor moves"
        )
    if rig.load.kind is RobotModel:
        raise ParameterError(
            "excite: the rig's load is a RobotModel, which is known along a measured motion only; give what one joint "
            "moves, such as a Pendulum or an Inertia"
        )
    missing = [note for note in rig.notes if note not in meta]
    if missing:
        raise ParameterError(
            f"excite: the rig refers to the note {missing[0]!r}; give it in meta, as in meta={{{missing[0]!r}: 1.0}}"
        )
    bare = Log.from_arrays([0.0, 1.0], {"enable": [1.0, 1.0]}, meta=meta)
    actuator = rig.actuator_for(read_prior(given, what="excite: actuator"), bare)
    if actuator.controller.asks == "network":
        raise ParameterError("excite: the drive is a network, which has no numbers to find; give a motor")
    bounds = bounds_of(limits, actuator, rig)
    _refuse_weight(rig, bare, actuator)
    if limits.position is not None and bounds.get("position", 0.0) > TURN and actuator.controller.main == "position":
        warnings.warn(f"excite: {hint_of(bounds['position'])}", BackemfWarning, stacklevel=4)
    amplitude, speed = _largest_command(limits, actuator, bounds)
    if follows_current(actuator, rig):
        # its current is what is commanded, and the largest command is within the limit
        bounds.pop("current", None)
    thermal = None if actuator.motor is None else actuator.motor.thermal
    ambient = 25.0 if thermal is None else float(np.mean(np.asarray(thermal.ambient)))
    noise = _noise(_logged(channels, actuator, rig), actuator, rig, bare, bounds)
    return Plan(given, actuator, rig, bounds, noise, meta, float(seconds), float(rate), amplitude, speed, ambient)


def _refuse_weight(rig: Rig, bare: Log, actuator: Actuator) -> None:
    """Refuse a pendulum that the motor could not move: its mass or its length is in another unit."""
    figures = MotorFigures() if not isinstance(actuator.motor, Motor) else MotorFigures.of(actuator)
    load = rig.load_for(bare)
    if not isinstance(load, Pendulum) or figures.torque is None:
        return
    needed = abs(float(np.max(pendulum_torque(0.5 * np.pi, replace(load, offset=0.0)))))
    if needed > TOO_HEAVY * figures.torque:
        raise ParameterError(
            f"excite: the weight of the pendulum needs {amount(needed, 'torque')} when it is level, "
            f"{needed / figures.torque:.3g} times the motor's stall torque: its mass or length is in another unit, or "
            "the motor is another; correct the rig"
        )


def _require_number(name: str, value: object, least: float, most: float, unit: str) -> None:
    wrong = isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most
    if wrong:
        raise ParameterError(f"excite: {name} = {quote(value)}: must be between {least:g} {unit} and {most:g} {unit}")


def _noise(
    channels: Sequence[str], actuator: Actuator, rig: Rig, bare: Log, bounds: Mapping[str, float]
) -> dict[str, float]:
    """One standard deviation of each channel that will be logged: half its quantisation, or a usual size."""
    motor, supply = actuator.motor, actuator.supply
    reach = {"velocity": top_speed(actuator, bounds) or 1.0}
    if supply is not None:
        reach["bus_voltage"] = float(np.mean(np.asarray(supply.voltage)))
    if motor is not None:
        torque = stall_torque(motor)
        reach["torque"] = torque * abs(float(np.mean(np.asarray(motor.ratio))))
        reach["current"] = torque / float(np.mean(np.asarray(motor.magnet.torque_constant)))
    steps = {name: float(rig.sensor_for(name, bare).quantisation) for name in channels}
    return {name: 0.5 * step if step > 0.0 else USUAL_NOISE[name] * reach.get(name, 1.0)
            for name, step in steps.items()}  # fmt: skip


def _logged(channels: Sequence[str] | None, actuator: Actuator, rig: Rig) -> tuple[str, ...]:
    """What will be logged."""
    locked = rig.load.kind is LockedRotor
    if channels is not None:
        found = [channels] if isinstance(channels, str) else list(channels)
        for name in found:
            if name not in USUAL_NOISE:
                raise ParameterError(f"excite: channels, {quote(name)}: must be some of {', '.join(USUAL_NOISE)}")
    else:
        found = [name for name in USUAL_NOISE if name in rig.sensors or (name == "position" and not locked)]
    found = [name for name in found if not (locked and name in ("position", "velocity"))]
    if follows_current(actuator, rig):
        found = [name for name in found if name != "current"]
    if not found:
        raise ParameterError(
            "excite: nothing would be logged that tells anything of a joint that is held; give channels, such as "
            '["current", "torque"], or the rig sensors for them'
        )
    return tuple(dict.fromkeys(found))


def _largest_command(limits: MotionLimits, actuator: Actuator, bounds: Mapping[str, float]) -> tuple[float, float]:
    """Largest command that is of use, and its fastest rate, in the unit of the controller's input."""
    main, motor, fastest = actuator.controller.main, actuator.motor, top_speed(actuator, bounds)
    # cycles in which a joint at its top speed stays within its range
    cycles = fastest / (2.0 * np.pi * bounds["position"]) if fastest is not None and "position" in bounds else SLOW
    if main == "position":
        widest = bounds.get(
            "position", WIDEST if limits.position is None else float(np.min(np.asarray(limits.position)))
        )
        return widest, 2.0 * np.pi * SLOW * widest if fastest is None else fastest
    if main == "velocity" and fastest is not None:
        return fastest, 2.0 * np.pi * max(cycles, SLOW) * fastest
    if main == "effort" and motor is not None:
        torque = stall_torque(motor)
        if "current" in bounds:
            torque = min(torque, bounds["current"] * float(np.mean(np.asarray(motor.magnet.torque_constant))))
        torque *= abs(float(np.mean(np.asarray(motor.ratio))))
        return torque, 2.0 * np.pi * max(cycles, SLOW) * torque
    supply = actuator.supply
    rated = None if motor is None or motor.ratings is None else motor.ratings.voltage
    if main == "voltage" and (supply is not None or rated is not None):
        volts = float(np.mean(np.asarray(rated if supply is None else supply.voltage)))
        return volts, 2.0 * np.pi * max(cycles, SLOW) * volts
    wanted = {"velocity": "limits.speed", "effort": "a motor"}.get(main, "the rig a supply")
    raise ParameterError(f"excite: nothing says how large a command of {main} may be; give {wanted}")
