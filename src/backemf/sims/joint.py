"""An actuator as simulators that only have joints describe it: gains, torque-speed line, inertia, friction.

Everything is on the joint's side of the gear, as in such simulators.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from ..actuator import Actuator, Supply, Voltage
from ..actuator.delay import Delay
from ..actuator.torque_limits import (
    AngleTable,
    DcClip,
    DriveEnvelope,
    EffortLimit,
    EffortRange,
    KneeCurve,
    TorqueLimit,
    TorqueSpeedTable,
)
from ..analyze.constants import continuous_current
from ..analyze.given import supply_of
from ..analyze.line import line_of
from ..checks import Number
from ..errors import ParameterError
from ..motor import LoadDependent, LuGre, Motor, Ratings, mark
from ..physics.mechanics import viscous_slope
from ..units import linear_words
from .joint_gains import gains_of
from .numbers import single
from .on_joint import OnJoint
from .text import Figure
from .types import Fields


@dataclass(frozen=True, kw_only=True)
class Joint:
    """The numbers of an actuator at the joint; None where there is no such number."""

    stiffness: Figure
    """Torque per position error [N·m/rad]."""
    damping: Figure
    """Torque per velocity error [N·m·s/rad]."""
    effort_limit: Figure | None = None
    """Largest torque [N·m]."""
    saturation_effort: Figure | None = None
    """Torque at which the torque-speed line begins, at stall [N·m]."""
    velocity_limit: Figure | None = None
    """Speed at which it ends, without load [rad/s]."""
    armature: Figure | None
    """Inertia of rotor and gears felt at the joint [kg·m²]."""
    coulomb: Figure | None
    """Dry friction when sliding [N·m]."""
    stiction: Figure | None
    """Dry friction at rest [N·m]."""
    viscous: Figure | None
    """Friction per speed [N·m·s/rad]."""
    table: AngleTable | None = None
    """Largest torque by joint angle."""
    supply: Supply | None = None
    """What feeds the motor of the torque-speed line; None: the line is not a motor's."""


Three = tuple[Figure | None, Figure | None, Figure | None]
"""Three numbers at the joint, such as largest torque, stall torque and no-load speed; None: there is none."""
NONE: Three = (None, None, None)


def has_line(thing: Motor | Actuator | OnJoint) -> bool:
    """Whether it is known how the torque decreases with speed."""
    motor, actuator = parts_of(thing)
    return motor is not None or any(own_limits(limit)[1] is not None for limit in actuator.limits)


def parts_of(thing: Motor | Actuator | OnJoint) -> tuple[Motor | None, Actuator]:
    """The motor, if there is one, and the actuator around it."""
    if isinstance(thing, Motor):
        return thing, Actuator(thing)
    if isinstance(thing, Actuator):
        return thing.motor, thing
    if isinstance(thing, OnJoint):
        return thing.actuator.motor, thing.actuator
    raise ParameterError(f"write({type(thing).__name__}(...)): must be a Motor or an Actuator")


UNLIMITED = 1e30
"""A speed beyond this means that there is no limit [rad/s]."""
NUMBERS = (
    "supply", "stiffness", "damping", "bandwidth_hz", "damping_ratio", "inertia", "effort", "effort_limit",
)  # fmt: skip
"""Arguments that may be given with an actuator."""


def require_known(numbers: Mapping[str, object], known: Collection[str] = NUMBERS) -> None:
    """Check that every argument is known; raise ParameterError if not."""
    for name in numbers:
        if name not in known:
            raise ParameterError(f"write({name}=...): there is no such argument; it takes {', '.join(known)}")


def joint_of(
    thing: Motor | Actuator | OnJoint,
    *,
    supply: Supply | Number | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    bandwidth_hz: float | None = None,
    damping_ratio: float = 1.0,
    inertia: float | None = None,
    effort: str = "peak",
    effort_limit: float | None = None,
    rubs: bool = True,
) -> Joint:
    """The numbers of an actuator at the joint; arguments given here override those of the actuator.

    `rubs` is whether the motor's friction is written besides the torque-speed line.
    """
    motor, actuator = parts_of(thing)
    armature = None if motor is None or not single("Motor.inertia", motor.inertia) else armature_of(motor)
    felt = armature.value if armature is not None and inertia is None else inertia
    kp, kd = gains_of(actuator, stiffness, damping, bandwidth_hz, damping_ratio, felt)
    top, stall, speed = limits_of(motor, actuator, supply, effort, rubs)
    if effort_limit is not None:
        top = Figure(single("effort_limit", effort_limit), "N·m at the joint", "as given")
    found = Joint(
        stiffness=kp,
        damping=kd,
        effort_limit=top,
        saturation_effort=stall,
        velocity_limit=speed,
        **felt_numbers(thing, armature, NONE if motor is None else friction_of(motor)),
        table=next((limit for limit in actuator.limits if isinstance(limit, AngleTable)), None),
        supply=None if motor is None else feeding(motor, actuator, supply),
    )
    return found if motor is None or motor.motion != "linear" else _sliding(found)


def _sliding(joint: Joint) -> Joint:
    """The same numbers with the units of a joint that slides."""
    figures = {entry.name: getattr(joint, entry.name) for entry in fields(joint)}
    return replace(
        joint,
        **{
            name: Figure(figure.value, linear_words(figure.unit), linear_words(figure.source))
            for name, figure in figures.items()
            if isinstance(figure, Figure)
        },
    )


def felt_numbers(thing: Motor | Actuator | OnJoint, armature: Figure | None, friction: Three) -> Fields:
    """Inertia and friction of a motor, with those of the joint itself added to them."""
    coulomb, stiction, viscous = friction
    if isinstance(thing, OnJoint):
        armature = with_joint(armature, thing.armature, "kg·m²")
        stiction = with_joint(stiction, thing.coulomb if thing.stiction is None else thing.stiction, "N·m")
        coulomb = with_joint(coulomb, thing.coulomb, "N·m")
        viscous = with_joint(viscous, thing.viscous, "N·m·s/rad")
    return {"armature": armature, "coulomb": coulomb, "stiction": stiction, "viscous": viscous}


def joint_name(joint: str | None, thing: Motor | Actuator | OnJoint, default: str = "joint") -> str:
    """The name of the joint to write: as given, or else that of an `OnJoint`."""
    if joint is not None:
        return joint
    return thing.joint if isinstance(thing, OnJoint) and thing.joint else default


def with_joint(figure: Figure | None, own: float, unit: str) -> Figure | None:
    """A number of the motor with the joint's own added to it."""
    if own == 0.0:
        return figure
    if figure is None:
        return Figure(own, f"{unit} at the joint", "the joint's own")
    return Figure(figure.value + own, figure.unit, f"{figure.source}, and {own:g} of the joint itself")


def armature_of(motor: Motor) -> Figure:
    """Reflected inertia of rotor and gears at the joint of a simulator, whose gears have no backlash."""
    source = f"gear {ratio_of(motor):g}² · {single('Motor.inertia', motor.inertia):g} kg·m² of rotor and gears"
    source += inertia_mark(motor)
    return Figure(single("Motor.reflected_inertia", motor.reflected_inertia), "kg·m² at the joint", source)


def inertia_mark(motor: Motor) -> str:
    """Suffix for the source of the reflected inertia, where that of the rotor is an estimate."""
    gears = 0.0 if motor.gearbox is None else single("Gearbox.inertia", motor.gearbox.inertia)
    return mark(motor, "rotor.inertia", ratio_of(motor) ** 2, ratio_of(motor) ** 2 * gears)


def ratio_of(motor: Motor) -> float:
    """Magnitude of the gear ratio [1]; which way the joint turns is up to the robot."""
    return abs(single("Motor.ratio", motor.ratio))


def limits_of(
    motor: Motor | None, actuator: Actuator, supply: Supply | Number | None, effort: str, rubs: bool
) -> Three:
    """Largest torque, stall torque and no-load speed: the least that motor, gears and the joint's limits allow each."""
    known = [own_limits(limit) for limit in actuator.limits]
    if motor is not None:
        known.append(motor_limits(motor, feeding(motor, actuator, supply), effort, rubs))
        known.append((gear_torque(motor, effort), None, permissible_speed(motor)))
    tops, stalls, speeds = zip(*known, strict=True) if known else ((), (), ())
    return least(tops), least(stalls), least(speeds)


def least(figures: Iterable[Figure | None]) -> Figure | None:
    """The smallest of the numbers that are known."""
    return min((figure for figure in figures if figure is not None), key=lambda figure: figure.value, default=None)


def own_limits(limit: TorqueLimit) -> Three:
    """Largest torque, stall torque and no-load speed of a limit of the joint; an angle table has none of them."""
    known = _OWN_LIMITS.get(type(limit))
    return NONE if known is None else known(limit)


def _knee_limits(limit: KneeCurve) -> Three:
    top, end, knee = _figure(limit, "driving_effort"), _figure(limit, "no_load_speed"), single("knee", limit.knee_speed)
    stall = top.value * end.value / (end.value - knee)
    return top, Figure(stall, "N·m at the joint", "KneeCurve: the line beyond the knee, at standstill"), end


def _envelope_limits(limit: DriveEnvelope) -> Three:
    top, end = _figure(limit, "max_effort"), _figure(limit, "max_actuator_velocity")
    gradient = single("speed_effort_gradient", limit.speed_effort_gradient)
    if gradient == 0.0:
        # its torque does not fall with speed
        return top, None, end if end.value < UNLIMITED else None
    source = "DriveEnvelope: max_actuator_velocity / speed_effort_gradient"
    return top, Figure(end.value / gradient, "N·m at the joint", source), end


def _table_limits(limit: TorqueSpeedTable) -> Three:
    return Figure(float(np.max(limit.driving)), "N·m at the joint", "largest of TorqueSpeedTable.driving"), None, None


_OWN_LIMITS: dict[type, Callable[..., Three]] = {
    EffortLimit: lambda limit: (_figure(limit, "effort_limit"), None, None),
    EffortRange: lambda limit: (flat_limit(limit), None, None),
    DcClip: lambda limit: (
        _figure(limit, "effort_limit"),
        _figure(limit, "saturation_effort"),
        _figure(limit, "velocity_limit"),
    ),
    KneeCurve: _knee_limits,
    DriveEnvelope: _envelope_limits,
    TorqueSpeedTable: _table_limits,
}


def _figure(limit: TorqueLimit, name: str) -> Figure:
    unit, source = "rad/s" if name.endswith(("velocity", "velocity_limit", "speed")) else "N·m", type(limit).__name__
    return Figure(single(f"{source}.{name}", getattr(limit, name)), f"{unit} at the joint", f"{source}.{name}")


def gear_torque(motor: Motor, effort: str) -> Figure | None:
    """Permissible torque of the gearbox, peak or continuous; None: not known."""
    ratings = motor.ratings or Ratings()
    names = ("gear_torque",) if effort == "continuous" else ("gear_peak_torque", "gear_torque")
    for name in names:
        if getattr(ratings, name) is not None:
            source = f"permissible {'peak ' if name == 'gear_peak_torque' else ''}torque of the gearbox"
            return Figure(single(f"Ratings.{name}", getattr(ratings, name)), "N·m at the joint", source)
    return None


def permissible_speed(motor: Motor) -> Figure | None:
    """Permissible speed of the joint for rotor and gearbox; None: not known."""
    ratings, n = motor.ratings or Ratings(), ratio_of(motor)
    known = (("speed", "of the rotor"), ("gear_input_speed", "at the gearbox input"))
    return least(
        Figure(single(f"Ratings.{name}", speed) / n, "rad/s at the joint", f"permissible speed {where}, gear {n:g}")
        for name, where in known
        if (speed := getattr(ratings, name)) is not None
    )


def flat_limit(limit: EffortRange) -> Figure:
    """One largest torque for both directions."""
    low, high = single("lowest", limit.lowest), single("highest", limit.highest)
    if low == -high:
        return Figure(high, "N·m at the joint", "EffortRange.highest")
    # the tighter end, unless that is 0: then the joint could not move at all
    tight = min(-low, high)
    size = tight if tight > 0.0 else max(-low, high)
    return Figure(size, "N·m at the joint", f"EffortRange {low:g} to {high:g}, one limit for both directions")


def one_limit_note(actuator: Actuator) -> str:
    """How a limit that differs by direction is approximated where a simulator has one for both; empty: none does."""
    for limit in actuator.limits:
        if isinstance(limit, EffortRange) and single("lowest", limit.lowest) != -single("highest", limit.highest):
            size = flat_limit(limit).value
            return f"The torque is within ±{size:g} N·m in place of {limit.lowest:g} to {limit.highest:g} N·m."
    return ""


def largest_voltage(actuator: Actuator) -> float | None:
    """Largest voltage that the drive can apply: its limit, or the range of a command in volts [V]; None: no limit."""
    if actuator.voltage_limit is not None:
        return single("Actuator.voltage_limit", actuator.voltage_limit)
    if not isinstance(actuator.controller, Voltage) or actuator.command_range is None:
        return None
    return max(abs(single("Actuator.command_range", bound)) for bound in actuator.command_range) or None


def feeding(motor: Motor, actuator: Actuator, supply: Supply | Number | None) -> Supply:
    """What feeds the motor: as given, of the actuator, or its rated voltage; never above the drive's voltage limit.

    Simulators know a straight line from duty to volts: of a bridge with a curve it has the largest voltage.
    """
    most = largest_voltage(actuator)
    given = supply if supply is not None else actuator.supply
    rated = None if motor.ratings is None else motor.ratings.voltage
    source = supply_of(motor, most if given is None and rated is None else given)
    if source.curve is not None:
        source = replace(source, modulation_limit=source.largest_share, curve=None)
    if most is None:
        return source
    return replace(source, modulation_limit=min(source.modulation_limit, most / source.voltage))


def motor_limits(motor: Motor, supply: Supply, effort: str, rubs: bool) -> tuple[Figure, Figure, Figure]:
    """Largest torque, stall torque and no-load speed of a cold motor at the joint.

    With friction written to the joint (`rubs`), the line ends where the back-EMF is the whole voltage, and the joint
    itself comes to rest at the lower speed that datasheets print.
    """
    if effort not in ("peak", "continuous"):
        raise ParameterError(f"effort = {effort!r}: must be 'peak' or 'continuous'")
    amperes, named = allowed_current(motor, effort)
    line = line_of(motor, supply, amperes, motor.winding.reference_temperature)
    n, kt, ke = ratio_of(motor), motor.magnet.torque_constant, motor.magnet.back_emf_constant
    gear = f"gear {n:g}" + (f" · efficiency {line.efficiency:g}" if line.efficiency != 1.0 else "")
    volts = supply.voltage * supply.modulation_limit
    stall = Figure(
        single("stall torque", line.stall_torque),
        "N·m at the joint",
        f"stall: {gear} · {kt:g} N·m/A · {volts:g} V / {motor.winding.resistance:g} Ω",
    )
    top = stall
    if line.limit_torque is not None:
        source = f"{gear} · torque at the {named}, {amperes:g} A"
        top = Figure(single("torque", line.limit_torque), "N·m at the joint", source)
    speed = (line.ideal_speed, f"{volts:g} V / (gear {n:g} · {ke:g} V·s/rad), friction apart")
    if not rubs:
        speed = (line.no_load_speed, f"no load at {volts:g} V, gear {n:g}")
    return top, stall, Figure(single("speed", speed[0]), "rad/s at the joint", speed[1])


def allowed_current(motor: Motor, effort: str) -> tuple[float | None, str]:
    """Current that sets the largest torque [A], and its name; None: not known."""
    if effort == "continuous":
        known, name = continuous_current(motor), "continuous current"
        if known is None:
            raise ParameterError(
                "effort = 'continuous': the motor has no continuous current; give Ratings(current=...) or effort_limit="
            )
    elif motor.limits is not None and motor.limits.rated_current is not None:
        known, name = motor.limits.rated_current, "current limit"
    else:
        known, name = (None if motor.ratings is None else motor.ratings.peak_current), "peak current"
    return (None if known is None else single(name, known)), name


def friction_of(motor: Motor) -> Three:
    """Friction when sliding, at rest and per speed, at the joint."""
    n, f = ratio_of(motor), motor.friction
    slope = single("drag", viscous_slope(motor))
    viscous = Figure(n * n * slope, "N·m·s/rad at the joint", f"gear {n:g}² · {slope:g} N·m·s/rad of all drag")
    if f is None:
        return None, None, viscous if slope > 0.0 else None
    name, sliding = type(f).__name__, single("coulomb", f.coulomb)
    rest = sliding
    if isinstance(f, LuGre):
        rest = single("stiction", f.stiction)
    elif isinstance(f, LoadDependent) and f.stribeck is not None:
        rest = sliding + single("stribeck.coulomb", f.stribeck.coulomb)
    guess = mark(motor, "friction.coulomb", n)
    return (
        Figure(n * sliding, "N·m at the joint", f"gear {n:g} · {name}.coulomb {sliding:g} N·m{guess}"),
        Figure(n * rest, "N·m at the joint", f"gear {n:g} · {rest:g} N·m of {name} at rest{guess}"),
        viscous if slope > 0.0 else None,
    )


def whole_steps(delay: Delay, timestep: float | None, notes: list[str]) -> tuple[int, int]:
    """Shortest and longest delay in whole physics steps; `notes` gets a sentence where they are rounded."""
    ends = [single("Delay", end) for end in (delay.shortest, delay.longest)]
    if delay.seconds is not None:
        if timestep is None:
            raise ParameterError(f"Delay.seconds = {delay.seconds}: give timestep=, the physics step [s]")
        ends = [end / single("timestep", timestep) for end in ends]
    low, high = (round(end) for end in ends)
    if any(abs(end - near) > 1e-9 * max(end, 1.0) for end, near in zip(ends, (low, high), strict=True)):
        notes.append(
            f"The delay is rounded to whole physics steps: {ends[0]:g} to {ends[1]:g} becomes {low} to {high}."
        )
    return low, high
