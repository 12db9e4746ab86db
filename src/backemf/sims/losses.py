"""Status of each phenomenon of an actuator in a simulator: kept, approximated, dropped or unknown.

Unknown is what the actuator itself leaves open, such as the friction of a motor whose maker prints none: it is missing
in the simulator too, and its effect cannot be known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ..actuator import Actuator
from ..actuator.duty_curve import full_share
from ..actuator.torque_limits import AngleTable, DcClip, DriveEnvelope, KneeCurve, TorqueSpeedTable, dc_bounds
from ..analyze.constants import continuous_current
from ..analyze.envelope import envelope
from ..errors import ParameterError
from ..motor import LoadDependent, LuGre, Motor, TwoNodeThermal, estimates_behind
from ..motor.friction import Bristles
from ..parts import acts
from .joint import Joint, feeding, one_limit_note, own_limits, parts_of, ratio_of
from .joint_gains import volts_note
from .loss import APPROXIMATED, DROPPED, KEPT, UNKNOWN, Loss
from .numbers import single
from .on_joint import OnJoint

SPEED_LIMITS = (DcClip, DriveEnvelope, KneeCurve, TorqueSpeedTable)
"""Limits whose torque depends on the speed."""
HOT = 100.0
"""Winding temperature at which the loss of torque is stated [°C]."""


def statuses(thing: Motor | Actuator | OnJoint, kept: Mapping[str, str]) -> list[Loss]:
    """One `Loss` for each phenomenon that an actuator has or leaves open, in the order from the command to the joint.

    `kept` is what a simulator represents, by the names of `PHENOMENA`: an empty text means it is kept, a sentence how
    it is approximated. What is not named is dropped.
    """
    unknown = set(kept) - set(PHENOMENA)
    if unknown:
        raise KeyError(f"no such phenomena: {sorted(unknown)}")
    actuator, found = parts_of(thing)[1], []
    own = joint_phenomena(thing) if isinstance(thing, OnJoint) else set()
    for name, phenomenon in PHENOMENA.items():
        if name not in own and not phenomenon.there(actuator):
            if name in UNKNOWNS and UNKNOWNS[name].there(actuator):
                found.append(Loss(name, UNKNOWN, UNKNOWNS[name].note(actuator)))
            continue
        rests_on = () if actuator.motor is None else estimates_behind(actuator.motor, name)
        names = tuple(estimate.name for estimate in rests_on)
        if name not in kept:
            found.append(Loss(name, DROPPED, phenomenon.note(actuator), names))
        else:
            found.append(Loss(name, APPROXIMATED if kept[name] else KEPT, kept[name], names))
    return found


def joint_phenomena(on_joint: OnJoint) -> set[str]:
    """Phenomena of the joint itself."""
    has = {
        "rotor inertia": on_joint.armature,
        "dry friction": on_joint.coulomb or on_joint.stiction,
        "stiction": on_joint.stiction is not None and on_joint.stiction > on_joint.coulomb,
        "viscous drag": on_joint.viscous,
    }
    return {name for name, value in has.items() if value}


class Phenomenon(NamedTuple):
    """Something that an actuator may have and a simulator may lack."""

    there: Callable[[Actuator], bool]
    """Whether an actuator has it."""
    dropped: str | Callable[[Actuator], str]
    """What is missing in a simulator without it."""

    def note(self, actuator: Actuator) -> str:
        """What is missing in a simulator without it, for one actuator."""
        return self.dropped if isinstance(self.dropped, str) else self.dropped(actuator)


def of_motor(there: Callable[[Motor], bool], dropped: str | Callable[[Motor], str]) -> Phenomenon:
    """A phenomenon of the motor."""
    return Phenomenon(
        lambda a: a.motor is not None and there(a.motor),
        dropped if isinstance(dropped, str) else lambda a: "" if a.motor is None else dropped(a.motor),
    )


# --- sentences with numbers in them


def _no_controller(a: Actuator) -> str:
    return f"There is no {type(a.controller).__name__}: the program that commands the simulator has to be one."


def _no_integral(a: Actuator) -> str:
    return f"The integral of {type(a.controller).__name__} is lost: ki = {getattr(a.controller, 'ki', None)}."


def _no_line(a: Actuator) -> str:
    note, motor = "Torque does not fall with speed: the motor has none left at the no-load speed", a.motor
    try:
        source = None if motor is None else feeding(motor, a, None)
    except ParameterError:
        source = None
    if motor is None or source is None:
        return f"{note}."
    speed = source.voltage * source.modulation_limit / (ratio_of(motor) * motor.magnet.back_emf_constant)
    return f"{note} of {single('speed', speed):.4g} rad/s."


def _no_curve(a: Actuator) -> str:
    assert a.supply is not None and a.supply.curve is not None
    share = single("Supply.curve", full_share(0.5, a.supply.curve))
    return (
        f"The voltage is proportional to the duty: at half duty it is 50 % of the bus in place of {100 * share:.3g} %."
    )


def _no_spring(a: Actuator) -> str:
    assert a.spring is not None
    stiffness, offset = single("JointSpring.stiffness", a.spring.stiffness), single("offset", a.spring.offset)
    return (
        f"The joint has no spring: {stiffness:.4g} N·m/rad around {single('rest_angle', a.spring.rest_angle):.4g} rad, "
        f"and {offset:.4g} N·m there. Give it to the simulator's joint."
    )


def _no_speed_limit(a: Actuator) -> str:
    speeds = [speed.value for limit in a.limits if (speed := own_limits(limit)[2]) is not None]
    speed = f"{min(speeds):.4g} rad/s" if speeds else "speed"
    return f"Nothing keeps the joint to the permissible {speed}: the program that commands the simulator has to."


def _no_heat(m: Motor) -> str:
    winding = m.winding
    rise = winding.temperature_coefficient * (HOT - winding.reference_temperature)
    lost = single("loss", 100.0 * (1.0 - 1.0 / (1.0 + rise)))
    note = f"The winding stays cold: at {HOT:g} °C it has {lost:.3g} % less stall torque"
    current = continuous_current(m)
    if current is None:
        return f"{note}."
    lasting = ratio_of(m) * single("continuous current", current) * single("Kt", m.magnet.torque_constant)
    return f"{note}, and the continuous torque is {lasting:.4g} N·m at the joint."


def _no_inductance(m: Motor) -> str:
    rise = single("L/R", m.winding.inductance / m.winding.resistance)
    return f"The current follows at once: L/R is {1e3 * rise:.3g} ms."


def _no_gear_loss(m: Motor) -> str:
    return f"The gears lose nothing; these lose {100 * (1 - _efficiencies(m)[0]):.3g} % while they drive."


def _efficiencies(m: Motor) -> tuple[float, float]:
    """Of the gears, while the motor drives and while the load does."""
    gears = m.gearbox
    if gears is None:
        return 1.0, 1.0
    return single("efficiency", gears.efficiency), single("back_efficiency", gears.back_efficiency)


def has_stiction(m: Motor) -> bool:
    """Whether friction at rest is higher than when sliding."""
    return isinstance(m.friction, LuGre) or (isinstance(m.friction, LoadDependent) and m.friction.stribeck is not None)


def load_dependent(m: Motor) -> bool:
    """Whether friction grows with the load."""
    f = m.friction
    return isinstance(f, LoadDependent) and (f.load is not None or f.quadratic is not None)


def constants_differ(m: Motor) -> bool:
    """Whether the two constants of the magnet differ."""
    return bool(np.any(np.asarray(m.magnet.torque_constant) != np.asarray(m.magnet.back_emf_constant)))


def has_viscous_drag(m: Motor) -> bool:
    """Whether anything brakes in proportion to the speed."""
    rubs = getattr(m.friction, "viscous", 0.0)
    return m.drag is not None or acts(m.magnet, "iron_loss") or bool(np.any(np.asarray(rubs) != 0.0))


PHENOMENA: dict[str, Phenomenon] = {
    "delay": Phenomenon(lambda a: a.delay is not None, "Commands arrive at once."),
    "slew": Phenomenon(
        lambda a: a.slew is not None, lambda a: f"The slew limit of the setpoint is lost: {a.slew} per second."
    ),
    "command range": Phenomenon(
        lambda a: a.command_range is not None,
        lambda a: "The command range is lost: {} to {}.".format(*(a.command_range or ("", ""))),
    ),
    "controller": Phenomenon(lambda a: True, _no_controller),
    "integral": Phenomenon(lambda a: a.controller.has_integral, _no_integral),
    "anti-windup": Phenomenon(
        lambda a: getattr(a.controller, "freeze_at_limit", False), "The integral winds up at a limit."
    ),
    "current loop": Phenomenon(
        lambda a: a.controller.bandwidth is not None,
        lambda a: f"The current loop is infinitely fast in place of {a.controller.bandwidth} rad/s.",
    ),
    "voltage limit": Phenomenon(
        lambda a: a.voltage_limit is not None, lambda a: f"The drive's voltage limit is lost: {a.voltage_limit} V."
    ),
    "duty curve": Phenomenon(lambda a: a.supply is not None and a.supply.curve is not None, _no_curve),
    "angle limits": Phenomenon(
        lambda a: any(isinstance(limit, AngleTable) for limit in a.limits),
        "The torque does not depend on the angle.",
    ),
    "joint friction": Phenomenon(
        lambda a: a.friction is not None,
        "The friction of the joint is lost: give it to the simulator's joint.",
    ),
    "joint spring": Phenomenon(lambda a: a.spring is not None, _no_spring),
    "effort limit": Phenomenon(
        lambda a: any(not isinstance(limit, AngleTable) for limit in a.limits),
        "The torque of the joint has no limit.",
    ),
    "speed limit": Phenomenon(
        lambda a: a.motor is not None and any(isinstance(limit, SPEED_LIMITS) for limit in a.limits), _no_speed_limit
    ),
    "supply sag": Phenomenon(
        lambda a: a.supply is not None and acts(a.supply, "resistance"), "The supply does not sag."
    ),
    "torque-speed line": Phenomenon(
        lambda a: a.motor is not None or any(isinstance(limit, SPEED_LIMITS) for limit in a.limits), _no_line
    ),
    "current limit": of_motor(
        lambda m: m.limits is not None and m.limits.rated_current is not None, "The current has no limit."
    ),
    "current and power": of_motor(lambda m: True, "There is no current: no voltage, power or energy comes out."),
    "separate Kt and Ke": of_motor(constants_differ, "Torque constant and back-EMF constant are one number."),
    "inductance": of_motor(lambda m: acts(m.winding, "inductance"), _no_inductance),
    "current rate": of_motor(
        lambda m: m.limits is not None and m.limits.current_rate is not None, "The limit of the current's rate is lost."
    ),
    "iron saturation": of_motor(
        lambda m: m.magnet.saturation is not None,
        "Iron saturation is lost: the torque stays proportional to the current.",
    ),
    "winding heat": of_motor(lambda m: m.thermal is not None, _no_heat),
    "housing heat": of_motor(
        lambda m: isinstance(m.thermal, TwoNodeThermal), "The housing does not warm up under the winding."
    ),
    "thermistor": of_motor(
        lambda m: m.thermistor is not None, "No measured temperature comes out: that of the winding is the nearest."
    ),
    "magnet heat": of_motor(
        lambda m: bool(np.any(np.asarray(m.magnet.temperature_coefficient, dtype=float) != 0.0)),
        "The magnets keep their flux when they are hot.",
    ),
    "derating": of_motor(
        lambda m: m.limits is not None and m.limits.derates, "The current limit does not fall when the winding is hot."
    ),
    "cogging": of_motor(lambda m: m.cogging is not None, "Cogging is lost."),
    "cogging harmonics": of_motor(
        lambda m: m.cogging is not None and len(m.cogging.harmonics) > 1,
        "Of the cogging, only the first harmonic is left.",
    ),
    "dry friction": of_motor(lambda m: m.friction is not None, "Dry friction is lost."),
    "stiction": of_motor(has_stiction, "Friction at rest is no higher than when sliding."),
    "Stribeck curve": of_motor(has_stiction, "The Stribeck curve between rest and sliding is a jump."),
    "pre-sliding": of_motor(
        lambda m: isinstance(m.friction, Bristles),
        "Friction has no elastic pre-sliding: the joint sticks and slips at once.",
    ),
    "load-dependent friction": of_motor(load_dependent, "Friction does not grow with the load."),
    "friction over angle": of_motor(
        lambda m: m.friction_over_angle is not None, "Friction is the same at every angle of the joint."
    ),
    "network": of_motor(
        lambda m: m.network is not None, "The torque that a network adds to the laws of the motor is lost."
    ),
    "viscous drag": of_motor(has_viscous_drag, "Viscous drag is lost."),
    "higher drag": of_motor(
        lambda m: m.drag is not None and len(m.drag.coefficients) > 1,
        "Drag grows in proportion to speed: its higher orders are lost.",
    ),
    "rotor inertia": of_motor(lambda m: m.rotor is not None, "The rotor has no inertia."),
    "gear loss": of_motor(lambda m: m.gearbox is not None and not m.gearbox.lossless, _no_gear_loss),
    "backlash": of_motor(
        lambda m: m.gearbox is not None and acts(m.gearbox, "backlash"),
        "The gears have no backlash: the rotor always turns with the joint.",
    ),
}
"""Everything that an actuator may have, from the command to the joint."""

UNKNOWNS: dict[str, Phenomenon] = {
    "torque-speed line": Phenomenon(
        lambda a: bool(a.limits), "No top speed is known: the torque is the same at every speed."
    ),
    "current and power": Phenomenon(
        lambda a: a.motor is None and bool(a.limits),
        "There is no winding, and so no current, voltage, power or energy.",
    ),
    "inductance": Phenomenon(lambda a: a.motor is not None, "No inductance is known: the current follows at once."),
    "winding heat": Phenomenon(
        lambda a: a.motor is not None or bool(a.limits),
        "No thermal figures are known: how long a torque can last is not checked.",
    ),
    "dry friction": Phenomenon(
        lambda a: (a.motor is not None and not has_viscous_drag(a.motor)) or (bool(a.limits) and a.friction is None),
        "No friction is known: the joint turns freely.",
    ),
    "rotor inertia": Phenomenon(
        lambda a: a.motor is not None or bool(a.limits),
        "No rotor inertia is known: give the joint an armature, or the drive is lighter than it is.",
    ),
    "gear loss": of_motor(
        lambda m: m.gearbox is not None, "No efficiency of the gears is known: they lose nothing here."
    ),
}
"""What an actuator may leave open, and what that means; used where the phenomenon of that name is absent."""


# --- simulators that know a joint alone


def kept_by_joint(actuator: Actuator, joint: Joint, line: bool, stiction: bool = False) -> dict[str, str]:
    """What a simulator represents that has a PD, a largest torque, an armature and friction of the joint.

    `line` is whether its torque decreases with speed as that of `DcClip`, `stiction` whether it has friction at rest.
    """
    motor = actuator.motor
    kept = {"controller": volts_note(actuator), "rotor inertia": "", "dry friction": "", "viscous drag": ""}
    if stiction:
        kept["stiction"] = ""
    if joint.effort_limit is not None:
        kept["current limit"], kept["effort limit"] = "", one_limit_note(actuator)
    if motor is None and line:
        kept["torque-speed line"] = ""
    if motor is not None and line:
        kept["torque-speed line"] = _line_note(motor, joint)
        kept["voltage limit"] = kept["separate Kt and Ke"] = ""
        if joint.velocity_limit is not None:
            kept["speed limit"] = (
                f"The torque-speed line ends at the permissible {joint.velocity_limit.value:.4g} rad/s."
            )
    if motor is not None and joint.saturation_effort is not None and motor.gearbox is not None:
        lost, back = (1.0 - x for x in _efficiencies(motor))
        if lost > 0.0:
            note = f"Efforts count behind the gears: the motor gives {1 - lost:.3g} of what is asked for."
            kept["controller"] = f"{kept['controller']} {note}".strip()
        kept["gear loss"] = (
            f"The gears lose {100 * lost:.3g} % of the torque in either direction of power; a load that drives them "
            f"back feels {100 * (1 / max(1.0 - back, 1e-9) - 1):.3g} % more."
        )
    return kept


def _line_note(motor: Motor, joint: Joint) -> str:
    """How far the straight line less the joint's friction is off the motor's own envelope, while it drives."""
    top, stall, end = joint.effort_limit, joint.saturation_effort, joint.velocity_limit
    if joint.supply is None or top is None or stall is None or end is None:
        return ""
    line = DcClip(effort_limit=top.value, saturation_effort=stall.value, velocity_limit=end.value)
    amperes = top.value / stall.value * joint.supply.voltage * joint.supply.modulation_limit / motor.winding.resistance
    speed = np.linspace(1e-6, 1.0, 101) * end.value
    rubbed = 0.0 * speed
    for figure, factor in ((joint.coulomb, 1.0), (joint.viscous, speed)):
        rubbed = rubbed + (0.0 if figure is None else figure.value * factor)
    try:
        own = envelope(motor, joint.supply, amperes, joint_speed=speed).max_torque
    except ParameterError as locked:
        return f"The motor's own torque is not known here: {locked}."
    error = float(np.max(np.nan_to_num(np.abs(dc_bounds(speed, line)[1] - rubbed - own))))
    if error <= 1e-6 * top.value:
        return ""
    return f"From rest to no load, the torque after friction is up to {error:.2g} N·m off the cold motor's own."
