"""The firmware of hobby and Dynamixel servos."""

from __future__ import annotations

from typing import TypedDict

from ...checks import Maybe, Number
from ...errors import ParameterError
from ...parts import flag, number, part
from ...physics.ops import absolute, maximum, sign, where
from ...values import Recorded
from ..control import Asked, Targets, law_of
from ..firmware import DYNAMIXEL, FEETECH, Firmware, firmware_of, register
from .controller import Controller, check_integral


@part(family="controller")
class DutyServo(Controller):
    """The firmware of hobby and Dynamixel servos: a duty of the bus voltage from the position error.

    duty = kp·e + ki·∫e - kd·q' within ±pwm_limit; no error smaller than the dead band counts. The drive lowers the duty
    where the current would pass its limit.
    """

    kp: Number = number("1/rad", least=0.0)
    """Duty per position error."""
    ki: Number = number("1/(rad·s)", default=0.0, least=0.0, neutral=0.0)
    """Duty per integrated position error; 0: no integral."""
    kd: Number = number("s/rad", default=0.0, least=0.0)
    """Duty against the joint velocity."""
    pwm_limit: Number = number("1", default=1.0, above=0.0, most=1.0)
    """Largest duty."""
    current_limit: Maybe = number("A", default=None, above=0.0)
    """Largest current; None: only the motor's own limits."""
    dead_band: Number = number("rad", default=0.0, least=0.0, neutral=0.0)
    """Position error that is left alone, in either direction."""
    integral_limit: Maybe = number("rad·s", default=None, above=0.0)
    """Largest integrated error in either direction; None: no limit."""
    freeze_at_limit: bool = flag(default=False)
    """Whether the integral also rests while the PWM limit acts and the error pushes further into it."""

    asks = "duty"
    main = "position"
    inputs = ("position",)

    def __post_init__(self) -> None:
        check_integral(self)

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


class _Gains(TypedDict):
    """Fields of a `DutyServo` that the registers of a servo hold."""

    kp: Number
    ki: Recorded
    kd: Number
    pwm_limit: Number
    current_limit: Maybe


@law_of(DutyServo)
def duty_servo(c: DutyServo, command: Targets, integral: Number, position: Number, velocity: Number) -> Asked:
    """kp·e + ki·∫e - kd·q', where no e within the dead band counts [1]."""
    error, per_position = command.position - position, -c.kp
    if c.dead_band is not None:
        # within the dead band nothing follows the joint
        per_position = where(absolute(error) > c.dead_band, per_position, 0.0 * error)
        error = sign(error) * maximum(absolute(error) - c.dead_band, 0.0)
    amount = c.kp * error - c.kd * velocity
    if c.ki is None:
        return Asked(amount, -c.kd, per_position)
    return Asked(amount + c.ki * integral, -c.kd, per_position, error)


def _loop(
    it: Firmware, p: Number | None, i: Number | None, d: Number | None, pwm_limit: int | None, current_limit: Maybe
) -> _Gains:
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
