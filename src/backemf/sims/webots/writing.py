"""Nodes of Webots with a motor on a joint, written from an actuator to be pasted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

from ...actuator import Actuator, Torque
from ...errors import ParameterError
from ...motor import Motor
from ...units import linear_words
from ..joint import NUMBERS, Joint, joint_name, joint_of, one_limit_note, parts_of, ratio_of, require_known, single
from ..losses import PHENOMENA, statuses
from ..on_joint import OnJoint
from ..text import Figure, Written
from ..types import Fields, JointNumbers
from .about import ABOUT
from .held import BESIDE, CONTROLS, OnWebotsJoint
from .nodes.gains import Chosen, choose_command
from .nodes.lines import Lines, lines_held, text_of_lines

UNBOUNDED = 1e6
"""Torque [N·m] and velocity [rad/s] for a motor without such a limit, since Webots' own are 10."""
NO_ARMATURE = "Webots has no armature"
"""What a note about the inertia of a rotor begins with."""
GIVEN = tuple(BESIDE)
"""Numbers of the motor that may be given beside those of every simulator."""


class WebotsNumbers(JointNumbers, total=False):
    """Numbers that may be given with an actuator for Webots; see `write`."""

    velocity_limit: float | None
    acceleration: float | None
    multiplier: float | None
    min_position: float | None
    max_position: float | None
    consumption_factor: float | None


def write(
    thing: Motor | Actuator | OnJoint,
    joint: str | None = None,
    kind: str | None = None,
    *,
    version: str | None = None,
    timestep: float | None = None,
    travel: float | None = None,
    control: str | None = None,
    **numbers: Unpack[WebotsNumbers],
) -> Written:
    """A HingeJoint with a RotationalMotor, or a SliderJoint with a LinearMotor, and what is lost.

    Args:
        thing: What to write.
        joint: Name of the motor; its sensor is called `"<joint> sensor"`.
        kind: "rotational", which it is if left out, or "linear", as a motor that slides is.
        version: Webots' nodes are the same in every version that is known.
        timestep: Not needed here.
        travel: For "linear", travel of the slider per radian of the joint [m/rad]; none for a motor that slides.
        control: What the controller commands: "position", "velocity" or "torque"; None: as the actuator's controller.
        numbers: supply, effort, effort_limit, stiffness, damping and so on, as in every simulator; and velocity_limit
            [rad/s], acceleration [rad/s²], multiplier, min_position, max_position [rad] and consumption_factor
            [W/(N·m)] of the motor.
    """
    ABOUT.require(kind, version)
    motor = parts_of(thing)[0]
    slides = motor is not None and motor.motion == "linear"
    kind = kind or ("linear" if slides else "rotational")
    if slides:
        _require_slider(kind, travel)
        travel = 1.0
    joint = joint_name(joint, thing)
    _check_words(joint, control)
    if isinstance(thing, OnWebotsJoint) and not numbers and control in (None, thing.control):
        kept = {name: "" for name in PHENOMENA}
        return Written(text=text_of_lines(lines_held(thing), joint), statuses=statuses(thing, kept))
    require_known(numbers, (*NUMBERS, *GIVEN))
    _, actuator = parts_of(thing)
    beside = thing.beside if isinstance(thing, OnJoint) else {}
    own = {name: float(beside[name]) for name in GIVEN if name in beside}
    own |= {name: single(name, numbers[name]) for name in GIVEN if numbers.get(name) is not None}
    given: Fields = {name: value for name, value in numbers.items() if value is not None and name not in GIVEN}
    gains = "stiffness" in given or "bandwidth_hz" in given
    known = joint_of(thing if gains else with_gains(thing), **given)
    way = choose_command(actuator, known, gains, control)
    if way.control != "torque":
        # the motor's friction has no effect under such a command, so that the speed is that with friction
        known = replace(known, velocity_limit=joint_of(with_gains(thing), rubs=False, **given).velocity_limit)
    lines = _lines(actuator, known, way, kind, own)
    if kind == "linear":
        lines = _linear(lines, actuator, known, travel)
    kept = _phenomena_kept(actuator, known, way, own)
    return Written(text=text_of_lines(lines, joint), statuses=statuses(thing, kept), notes=list(lines.comments))


def _require_slider(kind: str, travel: float | None) -> None:
    """Check that a motor that slides is written as one."""
    if kind != "linear":
        raise ParameterError(f"kind = {kind!r}: the motor is a linear one; leave kind out, or write 'linear'")
    if travel is not None:
        raise ParameterError(f"travel = {travel!r}: the motor slides by itself; leave travel out")


def _check_words(joint: str, control: str | None) -> None:
    if not isinstance(joint, str) or not joint:
        raise ParameterError(f"joint = {joint!r}: must be the name of the motor")
    if control is not None and control not in CONTROLS:
        raise ParameterError(f"control = {control!r}: must be one of {', '.join(CONTROLS)}")


def with_gains(thing: Motor | Actuator | OnJoint) -> Actuator | OnJoint:
    """The same with a controller whose gains are known: a motor node needs none."""
    if isinstance(thing, Motor):
        return Actuator(thing, controller=Torque())
    actuator = thing.actuator if isinstance(thing, OnJoint) else thing
    if type(actuator.controller).__name__ in ("IdealPd", "TorquePid", "Torque"):
        return thing
    plain = replace(actuator, controller=Torque(), command_range=None, slew=None, delay=None, substeps=1)
    return replace(thing, actuator=plain) if isinstance(thing, OnJoint) else plain


def _lines(actuator: Actuator, known: Joint, way: Chosen, kind: str, own: Mapping[str, float]) -> Lines:
    motor: dict[str, Figure] = {}
    speed = known.velocity_limit
    if "velocity_limit" in own:
        speed = Figure(own["velocity_limit"], "rad/s at the joint", "as given")
    if speed is None and way.control != "torque":
        speed = Figure(UNBOUNDED, "rad/s at the joint", "no limit is known: too high to act")
    if speed is not None:
        motor["max_velocity"] = speed
    motor["max_torque"] = known.effort_limit or Figure(
        UNBOUNDED, "N·m at the joint", "no limit is known: too high to act"
    )
    if way.pid is not None:
        motor["control_p"], motor["control_i"], motor["control_d"] = way.pid
    if actuator.slew is not None and way.control == "velocity":
        motor["acceleration"] = Figure(single("slew", actuator.slew), "rad/s²", "Actuator.slew")
    if _holds_range(actuator, way):
        for name, bound in zip(("min_position", "max_position"), actuator.command_range or (), strict=True):
            motor[name] = Figure(single("command_range", bound), "rad", "Actuator.command_range")
    factor = _consumption(actuator, known)
    if factor is not None:
        motor["consumption_factor"] = factor
    units = {"acceleration": "rad/s²", "consumption_factor": "W/(N·m)", "multiplier": "1"}
    for name, value in own.items():
        if name != "velocity_limit":
            motor[name] = Figure(value, units.get(name, "rad"), "as given")
    joint = {name: figure for name, figure in _rubbing(known) if figure is not None}
    return Lines(kind=kind, control=way.control, motor=motor, joint=joint, comments=_inertia(known))


def _rubbing(known: Joint) -> list[tuple[str, Figure | None]]:
    return [("damping_constant", known.viscous), ("static_friction", known.coulomb)]


def _inertia(known: Joint, travel: float | None = None) -> list[str]:
    """What to add to the body that the joint moves."""
    if known.armature is None or known.armature.value == 0.0:
        return []
    size, source = f"{known.armature.value:.6g} kg·m² about the axis to the inertiaMatrix", known.armature.source
    if travel is not None:
        size, source = f"{known.armature.value / travel**2:.6g} kg to the mass", f"{source} / ({travel:g} m/rad)²"
    return [f"{NO_ARMATURE}: add {size} of the endPoint's Physics ({source})."]


def _holds_range(actuator: Actuator, way: Chosen) -> bool:
    """Whether the range of the command is one of positions, and holds the position at load, 0."""
    if actuator.command_range is None or way.control != "position":
        return False
    low, high = (single("command_range", bound) for bound in actuator.command_range)
    return low <= 0.0 <= high and (low, high) != (0.0, 0.0)


def _consumption(actuator: Actuator, known: Joint) -> Figure | None:
    """Power that the battery gives per torque: the bus voltage times the current for it."""
    motor, supply = actuator.motor, known.supply
    if motor is None or supply is None:
        return None
    volts, kt = single("Supply.voltage", supply.voltage), single("Kt", motor.magnet.torque_constant)
    gears = 1.0 if motor.gearbox is None else single("efficiency", motor.gearbox.efficiency)
    n = ratio_of(motor)
    source = f"{volts:g} V / (gear {n:g} · efficiency {gears:g} · {kt:g} N·m/A), at full voltage"
    return Figure(volts / (n * gears * kt), "W/(N·m)", source)


def _phenomena_kept(actuator: Actuator, known: Joint, way: Chosen, own: Mapping[str, float]) -> dict[str, str]:
    """What Webots holds of an actuator."""
    speeds, motor = way.control != "torque", actuator.motor
    kept = {
        "current limit": "",
        "effort limit": one_limit_note(actuator),
        "speed limit": "",
        "viscous drag": "",
        "current and power": "The battery pays for torque at full voltage, whatever the speed.",
        "dry friction": "",
        "separate Kt and Ke": "The back-EMF is in maxVelocity, the torque constant in maxTorque."
        if speeds
        else "Only the torque constant counts, in maxTorque.",
    }
    if way.note is not None:
        kept["controller"] = way.note
    if speeds:
        top = own.get("velocity_limit", UNBOUNDED if known.velocity_limit is None else known.velocity_limit.value)
        kept["torque-speed line"] = (
            f"There is full torque up to maxVelocity, {top:.4g} rad/s, and none to go beyond it."
        )
        kept["voltage limit"] = "The voltage limit is in maxVelocity alone."
        kept["dry friction"] = (
            "staticFriction has no effect while the motor goes to a position or a velocity, unless it is above the "
            "available torque."
        )
    if motor is not None and motor.gearbox is not None:
        share = single("efficiency", motor.gearbox.efficiency)
        kept["gear loss"] = (
            f"The gears take {100 * (1 - share):.3g} % of maxTorque in either direction of power, and nothing of a "
            "torque below it."
        )
    if way.pid is not None and way.pid[1].value > 0.0:
        kept["integral"] = f"I = {way.pid[1].value:.4g} 1/s² adds to the velocity, and winds up without limit."
    if way.control == "velocity":
        kept["slew"] = ""
    if _holds_range(actuator, way):
        kept["command range"] = ""
    return kept


def _linear(lines: Lines, actuator: Actuator, known: Joint, travel: float | None) -> Lines:
    """The same along a slider: N for N·m/travel, m for rad·travel."""
    if travel is None and actuator.motor is not None:
        raise ParameterError("kind = 'linear' needs travel=, how far the slider goes per radian of the joint [m/rad]")
    r = 1.0 if travel is None else single("travel", travel)
    if r <= 0.0:
        raise ParameterError(f"travel = {r:g}: must be greater than 0")
    power = {"max_velocity": 1, "max_torque": -1, "acceleration": 1, "min_position": 1, "max_position": 1,
             "consumption_factor": 1, "damping_constant": -2, "static_friction": -1}  # fmt: skip
    units = {"max_velocity": "m/s", "max_torque": "N", "acceleration": "m/s²", "min_position": "m",
             "max_position": "m", "consumption_factor": "W/N", "damping_constant": "N·s/m",
             "static_friction": "N"}  # fmt: skip

    def along_slider(fields: dict[str, Figure]) -> dict[str, Figure]:
        slides = actuator.motor is not None and actuator.motor.motion == "linear"
        words = linear_words if slides else str
        note = "" if travel is None or slides else f", {r:g} m/rad"
        return {
            name: Figure(f.value * r ** power[name], units[name], words(f.source) + note) if name in power else f
            for name, f in fields.items()
        }

    return replace(lines, motor=along_slider(lines.motor), joint=along_slider(lines.joint), comments=_inertia(known, r))
