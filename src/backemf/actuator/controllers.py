"""Controllers: from a target to a voltage at the terminals, or to a torque at the joint.

Every gain is per radian of the joint. A controller that asks for a torque needs no motor; with one, the torque becomes
a voltage that makes up for the back-EMF, or goes through a current loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks import Maybe, Number, leave_out, require, require_choice, require_flag, require_part, shown
from ..errors import ParameterError
from ..tree import kind_of_numbers
from .firmware import DYNAMIXEL, FEETECH, Firmware, firmware_of, register

TORQUE_TARGETS = ("position", "velocity", "effort")
"""Targets of a controller in torque."""


@kind_of_numbers
@dataclass(frozen=True)
class Voltage:
    """No controller: the command is the voltage."""

    main = "voltage"
    inputs = ("voltage",)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class PositionPid:
    """Position control in volts: kp·(target - q) + ki·∫(target - q) - kd·q'."""

    kp: Number
    """Voltage per position error [V/rad]."""
    ki: Maybe = None
    """Voltage per integrated position error [V/(rad·s)]; None or 0: no integral."""
    kd: Number = 0.0
    """Voltage against the joint velocity [V·s/rad]."""
    integral_limit: Maybe = None
    """Largest integrated error in either direction [rad·s]; None: no limit."""
    freeze_at_limit: bool = False
    """Whether the integral also rests while the voltage limit acts and the error pushes further into it."""

    main = "position"
    inputs = ("position",)

    def __post_init__(self) -> None:
        check_gains(self)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class VelocityPi:
    """Velocity control in volts: kp·(target - q') + ki·(p - q), where p moves on at the target velocity."""

    kp: Number
    """Voltage per velocity error [V·s/rad]."""
    ki: Maybe = None
    """Voltage per position behind the moving target [V/rad]; None or 0: no integral."""
    integral_limit: Maybe = None
    """Farthest that the moving target may run ahead of the joint [rad]; None: no limit."""
    freeze_at_limit: bool = False
    """Whether the moving target also rests while the voltage limit acts and it would only run further ahead."""

    main = "velocity"
    inputs = ("velocity",)

    def __post_init__(self) -> None:
        check_gains(self)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class TorquePid:
    """Position, velocity and feedforward control in torque: kp·(p - q) + ki·∫(p - q) + kd·(v - q') + effort.

    Without a position target the integral follows the velocity target: ki·(∫v - q).
    """

    kp: Number = 0.0
    """Torque per position error [N·m/rad]."""
    ki: Maybe = None
    """Torque per integrated position error [N·m/(rad·s)], or per position behind a moving target [N·m/rad]; None or 0:
    no integral."""
    kd: Number = 0.0
    """Torque per velocity error [N·m·s/rad]."""
    integral_limit: Maybe = None
    """Largest integral in either direction [rad·s] or [rad]; None: no limit."""
    freeze_at_limit: bool = False
    """Whether the integral also rests while a limit acts and the error pushes further into it."""
    current_bandwidth: Maybe = None
    """How fast a current loop follows the torque [rad/s]; None: a voltage that makes up for the back-EMF."""
    follows: str = "position"
    """Main input, which the integral follows: "position" or "velocity"."""
    listens: tuple[str, ...] | None = None
    """Targets that it takes, of "position", "velocity" and "effort"; None: all three."""

    def __post_init__(self) -> None:
        check_gains(self)
        require(self, "current_bandwidth", ">")
        require_choice(self, "follows", ("position", "velocity"))
        check_listens(self)

    @property
    def main(self) -> str:
        return self.follows

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.listens or TORQUE_TARGETS


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class IdealPd:
    """The PD of mjlab and Isaac Lab: stiffness·(p - q) + damping·(v - q') + effort, as a torque at the joint."""

    stiffness: Number
    """Torque per position error [N·m/rad]."""
    damping: Number = 0.0
    """Torque per velocity error [N·m·s/rad]."""
    current_bandwidth: Maybe = None
    """How fast a current loop follows the torque [rad/s]; None: a voltage that makes up for the back-EMF."""
    listens: tuple[str, ...] | None = None
    """Targets that it takes, of "position", "velocity" and "effort"; None: all three."""

    main = "position"

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            require(self, name, ">=")
        require(self, "current_bandwidth", ">")
        check_listens(self)

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.listens or TORQUE_TARGETS


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Torque:
    """Torque control: the command is the torque at the joint, before friction and gear loss."""

    current_bandwidth: Maybe = None
    """How fast a current loop follows the torque [rad/s]; None: a voltage that makes up for the back-EMF."""

    main = "effort"
    inputs = ("effort",)

    def __post_init__(self) -> None:
        require(self, "current_bandwidth", ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class DutyServo:
    """The firmware of hobby and Dynamixel servos: a duty of the bus voltage from the position error.

    duty = kp·e + ki·∫e - kd·q' within ±pwm_limit; no error smaller than the dead band counts. The drive lowers the duty
    where the current would pass its limit.
    """

    kp: Number
    """Duty per position error [1/rad]."""
    ki: Maybe = None
    """Duty per integrated position error [1/(rad·s)]; None or 0: no integral."""
    kd: Number = 0.0
    """Duty against the joint velocity [s/rad]."""
    pwm_limit: Number = 1.0
    """Largest duty [1]."""
    current_limit: Maybe = None
    """Largest current [A]; None: only the motor's own limits."""
    dead_band: Maybe = None
    """Position error that is left alone, in either direction [rad]; None or 0: none is."""
    integral_limit: Maybe = None
    """Largest integrated error in either direction [rad·s]; None: no limit."""
    freeze_at_limit: bool = False
    """Whether the integral also rests while the PWM limit acts and the error pushes further into it."""

    main = "position"
    inputs = ("position",)

    def __post_init__(self) -> None:
        check_gains(self)
        require(self, "pwm_limit", ">")
        require(self, "pwm_limit", "<=", 1.0)
        require(self, "current_limit", ">")
        require(self, "dead_band", ">=")
        leave_out(self, "dead_band", 0.0)

    @classmethod
    def dynamixel(
        cls,
        model: str | None = None,
        position_p_gain: Number | None = None,
        position_i_gain: Number | None = None,
        position_d_gain: Number | None = None,
        pwm_limit: int | None = None,
        current_limit: Maybe = None,
    ) -> DutyServo:
        """From the registers of a Dynamixel in position mode, such as `dynamixel("xl330-m288", position_p_gain=400)`.

        What a gain means differs between models, so there is no default model. A register that is not given stands as
        delivered. `pwm_limit` is in the units of its register, 885 for full duty; `current_limit` is in ampere.
        """
        it = firmware_of(model, DYNAMIXEL, "dynamixel")
        return cls(**_loop(it, position_p_gain, position_i_gain, position_d_gain, pwm_limit, current_limit))

    @classmethod
    def feetech(
        cls, model: str | None = None, position_p_gain: Number | None = None, current_limit: Maybe = None
    ) -> DutyServo:
        """From the P gain of a Feetech servo in position mode, such as `feetech("sts3215", position_p_gain=16)`.

        A gain that is not given stands as delivered. The units of its I and D gains are not public: they are left out.
        """
        it = firmware_of(model, FEETECH, "feetech")
        return cls(**_loop(it, position_p_gain, None, None, None, current_limit))


def _loop(
    it: Firmware, p: Number | None, i: Number | None, d: Number | None, pwm_limit: int | None, current_limit: Maybe
) -> dict[str, Any]:
    """The fields of a `DutyServo` from the registers of a servo."""
    if pwm_limit is not None and it.full_pwm is None:
        raise ParameterError(f"pwm_limit = {pwm_limit}: this model has no such register; leave it out")
    limit = register("pwm_limit", pwm_limit, it.full_pwm or 1, it.full_pwm or 1)
    values = zip(("position_p_gain", "position_i_gain", "position_d_gain"), (p, i, d), it.gains, strict=True)
    gains = [register(name, value, delivered, it.largest_gain) for name, value, delivered in values]
    return {
        "kp": gains[0] * it.p,
        "ki": None if it.i is None else gains[1] * it.i,
        "kd": 0.0 if it.d is None else gains[2] * it.d,
        "pwm_limit": min(limit / (it.full_pwm or 1), it.largest_duty),
        "current_limit": current_limit,
    }


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class ModeSelector:
    """Torque, voltage or velocity, whichever is commanded: torque before voltage before velocity, and 0 is a command.

    `Command(mode=...)` chooses for each motor of a batch; without it, the first input that is not None.
    """

    torque: Torque = Torque()
    """What follows `Command.effort`."""
    velocity: VelocityPi | TorquePid | None = None
    """What follows `Command.velocity`; None: no velocity mode."""

    inputs = ("effort", "voltage", "velocity")
    main = "voltage"

    def __post_init__(self) -> None:
        require_part(self, "torque", Torque)
        require_part(self, "velocity", VelocityPi, TorquePid)
        if isinstance(self.velocity, TorquePid) and self.velocity.follows != "velocity":
            raise ParameterError("ModeSelector.velocity: give TorquePid(follows='velocity', ...)")
        if self.velocity is not None and bandwidth_of(self.velocity) is not None:
            raise ParameterError("ModeSelector: the current loop is that of torque=Torque(current_bandwidth=...)")


Controller = Voltage | PositionPid | VelocityPi | TorquePid | IdealPd | Torque | DutyServo | ModeSelector
"""Every controller with a formula; `LearnedMlp` and `LearnedRecurrent` stand beside them."""
IN_VOLTS = (Voltage, PositionPid, VelocityPi, DutyServo)
"""Controllers that ask for a voltage, so that there must be a motor."""


def check_gains(controller: object) -> None:
    """Raise one sentence if a gain is negative; an integral of no gain is left out."""
    for name in ("kp", "ki", "kd"):
        if hasattr(controller, name):
            require(controller, name, ">=")
    leave_out(controller, "ki", 0.0)
    require(controller, "integral_limit", ">")
    require_flag(controller, "freeze_at_limit")
    for name in ("integral_limit", "freeze_at_limit"):
        value = getattr(controller, name)
        if getattr(controller, "ki", None) is None and value is not None and value is not False:
            raise ParameterError(
                f"{type(controller).__name__}.{name} would never take effect: give ki, or leave it out"
            )


def check_listens(controller: Any) -> None:
    """Raise one sentence if the targets are not some of those in torque, or leave out the main one."""
    given = controller.listens
    if given is None:
        return
    name = type(controller).__name__
    words = isinstance(given, (tuple, list)) and all(isinstance(target, str) for target in given)
    if not words or not set(given) <= set(TORQUE_TARGETS) or len(set(given)) != len(given):
        raise ParameterError(f"{name}.listens = {shown(given)}: must be some of {', '.join(TORQUE_TARGETS)}, each once")
    if controller.main not in given:
        raise ParameterError(f"{name}.listens = {shown(given)}: must have {controller.main}, its main input")
    ordered = tuple(target for target in TORQUE_TARGETS if target in given)
    object.__setattr__(controller, "listens", None if ordered == TORQUE_TARGETS else ordered)


def bandwidth_of(controller: object) -> Maybe:
    """Bandwidth of the current loop [rad/s]; None where there is none."""
    if isinstance(controller, ModeSelector):
        return controller.torque.current_bandwidth
    return getattr(controller, "current_bandwidth", None)


def moving_target(controller: object) -> bool:
    """Whether the integral is a target that moves on, rather than an error that adds up."""
    return isinstance(controller, (ModeSelector, VelocityPi)) or getattr(controller, "follows", None) == "velocity"


def has_integral(controller: object) -> bool:
    """Whether the controller remembers an integral."""
    if isinstance(controller, ModeSelector):
        return has_integral(controller.velocity)
    return getattr(controller, "ki", None) is not None
