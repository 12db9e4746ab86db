"""What actuators are compared on: the operating range, and a reference duty of a start, a stall, braking from overspeed
and ten minutes of heating.

The motion of the joint is prescribed, so that every simulator sees the same, and torques can be subtracted. The demand
is a torque; each kind of controller gets it as the target that asks for as much.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from ..actuator import Actuator, Command, Supply
from ..actuator.control import LAWS
from ..actuator.controllers import DutyServo, IdealPd, ModeSelector, Torque, TorquePid, Voltage
from ..actuator.torque_limits import DcClip, EffortLimit, EffortRange, TorqueLimit
from ..analyze.constants import continuous_current
from ..analyze.line import line_of
from ..checks import Number
from ..errors import ParameterError
from ..motor import Limits, Motor
from ..parts import acts
from ..sims.joint import (
    allowed_current,
    feeding,
    gear_torque,
    largest_voltage,
    limits_of,
    parts_of,
    permissible_speed,
    ratio_of,
    single,
)
from ..sims.on_joint import OnJoint
from ..values import Foreign, Recorded

HEAT = 600.0
"""Length of the last episode [s]."""
HEATING = "ten minutes of heat"
"""Its name."""
HEAT_STEP = 0.1
"""Its step [s]."""
DUTY_STEPS = round(HEAT / HEAT_STEP) + 2000
"""Steps of all episodes, about, for a progress bar [1]."""
BAND = 0.05
"""Share of the permissible speed over which a drive reduces its torque to 0 [1]."""
FREE_SPEED = 300.0
"""Rotor speed up to which a motor without a voltage limit is compared [rad/s]."""
OVERSPEED = 1.2
"""Speed at which braking begins, over the speed without load [1]."""


@dataclass(frozen=True)
class Scale:
    """How fast and how strong an actuator is, at the joint."""

    speed: float
    """Speed without load [rad/s]."""
    torque: float
    """Largest torque [N·m]."""
    asked: float
    """Torque to ask for to get it, since gears lose some [N·m]."""
    lasting: float
    """Continuous torque to ask for, or half of the largest [N·m]."""
    spin_up: float
    """Time in which it comes up to speed with a load of as much inertia as its own [s]."""


@dataclass(frozen=True)
class Episode:
    """A motion of the joint, and the torque that is asked for along it."""

    name: str
    """What happens."""
    dt: float
    """Step [s]."""
    velocity: np.ndarray
    """Speed of the joint at each step [rad/s]."""
    torque: np.ndarray
    """Torque that is asked for [N·m]."""

    @property
    def position(self) -> np.ndarray:
        """Angle of the joint at each step [rad]."""
        return self.dt * (np.cumsum(self.velocity) - self.velocity)

    @property
    def time(self) -> np.ndarray:
        """Beginning of each step [s]."""
        return self.dt * np.arange(len(self.velocity))


def has_voltage(thing: Motor | Actuator | OnJoint) -> bool:
    """Whether it is known what feeds a motor; True without a motor, which needs nothing."""
    motor, actuator = parts_of(thing)
    fed = actuator.supply is not None or largest_voltage(actuator) is not None
    return fed or motor is None or (motor.ratings is not None and motor.ratings.voltage is not None)


def complete_actuator(
    thing: Motor | Actuator | OnJoint, supply: Supply | Number | None = None, effort: str = "peak"
) -> Actuator | OnJoint:
    """The actuator with all that its torque depends on: a supply, and a drive that enforces the current limit.

    Without a supply it is fed with its rated voltage, if it has one. Without a limit of the drive the current is
    limited to the maker's, and torque and speed of the joint to the ratings of gearbox and rotor. Backlash of a rotor
    without inertia cannot be simulated and is left out. A joint keeps its own inertia and friction besides those of a
    motor.
    """
    if isinstance(thing, OnJoint):
        if thing.actuator.motor is None:
            return thing
        # with a motor, backemf's own law counts, and not that of the simulator it was read from
        return replace(as_written(thing), actuator=complete_actuator(thing.actuator, supply, effort))
    actuator = Actuator(thing, controller=Torque()) if isinstance(thing, Motor) else thing
    motor = actuator.motor
    if motor is None:
        return actuator
    amperes = allowed_current(motor, effort)[0]
    if amperes is not None and (motor.limits is None or motor.limits.rated_current is None):
        motor = replace(motor, limits=replace(motor.limits or Limits(), peak_current=amperes))
    if motor.rotor is None and motor.gearbox is not None and acts(motor.gearbox, "backlash"):
        # without inertia nothing moves within the backlash
        motor = replace(motor, gearbox=replace(motor.gearbox, backlash=0.0))
    if supply is None and not has_voltage(actuator):
        return replace(actuator, motor=motor)
    own = actuator.supply
    source = feeding(motor, actuator, supply) if supply is not None or own is None else own
    limits = (*actuator.limits, *rated_limits(motor, source, effort))
    return replace(actuator, motor=motor, supply=source, limits=limits)


def as_written(found: OnJoint) -> OnJoint:
    """What a motor file holds of an actuator and its joint: all but the simulator's own law."""
    return OnJoint(**{entry.name: getattr(found, entry.name) for entry in fields(OnJoint)})


class Strength(NamedTuple):
    """What a motor can do at the joint, cold."""

    torque: float
    """Largest torque behind the gears [N·m]."""
    speed: float
    """Speed without load or friction [rad/s]."""
    efficiency: float
    """Of the gears, while the motor drives [1]."""


def strength_of(motor: Motor, supply: Supply, effort: str) -> Strength:
    """Largest torque and speed of a motor on a supply."""
    line = line_of(motor, supply, allowed_current(motor, effort)[0], motor.winding.reference_temperature)
    torques = [line.stall_torque] + ([] if line.limit_torque is None else [line.limit_torque])
    efficiency = single("efficiency", line.efficiency)
    return Strength(min(single("torque", each) for each in torques), single("speed", line.ideal_speed), efficiency)


def rated_limits(motor: Motor, supply: Supply, effort: str) -> tuple[TorqueLimit, ...]:
    """Ratings of gearbox and rotor as limits of a drive that enforces them; empty where the motor cannot exceed them.

    A limit of the joint bounds the motor's torque before the gears lose some, so that the permissible torque at their
    output is η times the limit.
    """
    most, fastest, efficiency = strength_of(motor, supply, effort)
    torque, speed = gear_torque(motor, effort), permissible_speed(motor)
    found: list[TorqueLimit] = []
    if torque is not None and torque.value < most:
        most = torque.value
        found.append(EffortLimit(effort_limit=most / efficiency))
    if speed is not None and speed.value < fastest:
        top = most / efficiency
        found.append(DcClip(saturation_effort=top / BAND, velocity_limit=speed.value, effort_limit=top))
    return tuple(found)


def scale_of(thing: Actuator | OnJoint, effort: str = "peak") -> Scale:
    """How fast and how strong an actuator is."""
    motor, actuator = parts_of(thing)
    top, _, speed = limits_of(None, Actuator(limits=both_ways(actuator.limits)), None, effort, True)
    if motor is None:
        fastest = 10.0 if speed is None else speed.value
        most = unlimited_torque(actuator.controller, fastest) if top is None else top.value
        return Scale(fastest, most, most, 0.5 * most, 0.1)
    kt, ke = single("Kt", motor.magnet.torque_constant), single("Ke", motor.magnet.back_emf_constant)
    # where nothing limits the voltage, enough for FREE_SPEED, so that there is a range
    supply = feeding(motor, actuator, None) if has_voltage(actuator) else Supply(voltage=FREE_SPEED * ke)
    most, fastest, efficiency = strength_of(motor, supply, effort)
    if top is not None:
        most = min(most, top.value * efficiency)
    if speed is not None:
        fastest = min(fastest, speed.value)
    asked, current = most / efficiency, continuous_current(motor)
    lasting = 0.5 * asked if current is None else min(asked, ratio_of(motor) * kt * single("current", current))
    own = 2.0 * single("R", motor.winding.resistance) * single("inertia", motor.inertia) / (kt * ke)
    return Scale(fastest, most, asked, lasting, float(np.clip(own, 0.02, 0.5)))


def both_ways(limits: tuple[TorqueLimit, ...]) -> tuple[TorqueLimit, ...]:
    """Limits with the larger of their two ends in both directions, which is how strong an actuator is."""
    ranges = {id(each): max(-each.lowest, each.highest) for each in limits if isinstance(each, EffortRange)}
    flat = [EffortLimit(effort_limit=most) for most in ranges.values() if np.all(np.asarray(most) > 0.0)]
    return (*(limit for limit in limits if id(limit) not in ranges), *flat)


def unlimited_torque(controller: Foreign, speed: float) -> float:
    """A torque to compare at where nothing limits it: that of an error of 1 rad, or of the whole speed [N·m]."""
    gains = [getattr(controller, name, None) for name in ("stiffness", "kp", "ki")]
    stiff = next((single("gain", gain) for gain in gains if gain is not None and np.any(gain)), 0.0)
    damping = next((getattr(controller, name) for name in ("damping", "kd") if hasattr(controller, name)), 0.0)
    return stiff or single("damping", damping) * speed or 1.0


def reference_duty(scale: Scale, timestep: float, heat: float = HEAT) -> tuple[Episode, ...]:
    """The four episodes, in physics steps of `timestep` [s]; the last in longer ones."""

    def steps(seconds: float, dt: float = timestep) -> np.ndarray:
        return dt * np.arange(max(round(seconds / dt), 2))

    rising = steps(5.0 * scale.spin_up)
    held, falling = steps(0.1), steps(0.4)
    locked, warm = steps(1.0), steps(heat, HEAT_STEP)
    fast = OVERSPEED * scale.speed
    return (
        Episode(
            "start",
            timestep,
            0.95 * scale.speed * -np.expm1(-rising / scale.spin_up),
            np.full(rising.shape, scale.asked),
        ),
        Episode("stall", timestep, 0.0 * locked, np.full(locked.shape, scale.asked)),
        Episode(
            "braking overspeed",
            timestep,
            np.concatenate([0.0 * held + fast, fast * (1.0 - falling / 0.4)]),
            np.concatenate([0.0 * held, 0.0 * falling - scale.asked]),
        ),
        Episode(
            HEATING,
            HEAT_STEP,
            0.0 * warm + 0.5 * scale.speed,
            np.full(warm.shape, scale.lasting),
        ),
    )


def command_for(thing: Actuator | OnJoint, torque: Number, position: Number, velocity: Number) -> Command:
    """The targets that ask an actuator for a torque at a state of the joint; all that a simulator might take."""
    motor, actuator = parts_of(thing)
    c = actuator.controller
    volts = None if motor is None else volts_for(actuator, torque, velocity)
    if isinstance(c, (Voltage, ModeSelector)):
        return Command(voltage=volts)
    if isinstance(c, Torque):
        return Command(effort=torque, voltage=volts)
    if isinstance(c, DutyServo) and volts is not None and actuator.supply is not None:
        return Command(position=position + (volts / actuator.supply.voltage + c.kd * velocity) / _gain(c, "kp"))
    if isinstance(c, TorquePid) and c.follows == "velocity":
        # an integral alone responds to a target that runs ahead
        return Command(velocity=velocity + torque / _gain(c, "kd" if np.any(c.kd) or not acts(c, "ki") else "ki"))
    if isinstance(c, (IdealPd, TorquePid)):
        gain, damping = (c.stiffness, c.damping) if isinstance(c, IdealPd) else (c.kp, c.kd)
        if np.all(np.asarray(gain) == 0.0):
            return Command(position=position, velocity=velocity, effort=torque)
        if "velocity" not in c.inputs:
            # its damping acts on the velocity itself, and a simulator that takes a velocity target gets 0
            torque, velocity = torque + damping * velocity, 0.0 * velocity
        return Command(position=position + torque / gain, velocity=velocity, effort=0.0 * torque)
    if type(c) in LAWS:
        wanted = torque if c.asks == "torque" else volts
        return Command(**{c.main: _target(c, wanted, position, velocity)})
    raise ParameterError(f"{type(c).__name__}: a network cannot be asked for a torque, so nothing can be compared")


def _target(controller: Foreign, wanted: Recorded, position: Number, velocity: Number) -> Number:
    """The main target for which a law that is linear in it asks for an amount, its integral at rest."""
    integral = position if controller.moving_target else 0.0 * position
    zero, one = (
        LAWS[type(controller)](
            controller, Command(**{controller.main: 0.0 * position + x}), integral, position, velocity
        )
        for x in (0.0, 1.0)
    )
    gain = one.amount - zero.amount
    if np.any(gain == 0.0):
        raise ParameterError(f"{type(controller).__name__} asks for nothing, whatever is commanded: give it a gain")
    return (wanted - zero.amount) / gain


def _gain(controller: Foreign, name: str) -> float:
    gain = single(name, getattr(controller, name))
    if gain == 0.0:
        raise ParameterError(f"{type(controller).__name__}.{name} = 0: it asks for nothing; give it a gain")
    return gain


def volts_for(actuator: Actuator, torque: Number, velocity: Number) -> Number:
    """The voltage that gives a torque before gear loss, cold: R·i + Ke·w, as far as there is one [V]."""
    motor = actuator.motor
    assert motor is not None
    n = motor.ratio
    current = torque / (n * motor.magnet.torque_constant)
    asked = motor.winding.resistance * current + motor.magnet.back_emf_constant * n * velocity
    if not has_voltage(actuator):
        # any voltage that is asked for is there
        return asked
    source = feeding(motor, actuator, None)
    most = source.voltage * source.modulation_limit
    return np.clip(asked, -most, most)
