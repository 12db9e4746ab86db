"""Parts that only a rig has: sensors, lag of commands, registers of a servo, a measured motion, a robot's model."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ..actuator import DutyServo
from ..checks import Maybe, Number, quote
from ..errors import ParameterError
from ..parts import number, part, word, words

MAKERS = {"dynamixel": DutyServo.dynamixel, "feetech": DutyServo.feetech}


@part
class Sensor:
    """What lies between a quantity and its channel."""

    lag: Number = number("s", default=0.0, least=0.0)
    """Time by which the channel is behind."""
    time_constant: Number = number("s", default=0.0, least=0.0)
    """Time constant of a first-order lag, such as that of a thermistor."""
    bias: Number = number(None, default=0.0)
    """What the channel reads too much, in its own unit."""
    gain: Number = number("1", default=1.0, above=0.0)
    """What the channel reads for each unit of the quantity."""
    quantisation: Number = number(None, default=0.0, least=0.0)
    """Step of the converter, in the channel's own unit; 0: none."""


@part
class CommandPath:
    """How commands travel before the controller has them."""

    lag: Number = number("s", default=0.0)
    """Time by which they are late, in any fraction of a step; negative: the log's clock is."""


@part
class ServoRegisters:
    """The firmware of a servo by its registers, such as those of a Dynamixel."""

    servo: str = word()
    """Maker and model, such as "dynamixel xl330-m288"."""
    position_p_gain: Maybe = number("1", default=None, least=0.0)
    """P gain of the position loop, as in the register; None: as delivered."""
    position_i_gain: Maybe = number("1", default=None, least=0.0)
    """I gain of the position loop, as in the register; None: as delivered."""
    position_d_gain: Maybe = number("1", default=None, least=0.0)
    """D gain of the position loop, as in the register; None: as delivered."""
    pwm_limit: Maybe = number("1", default=None, above=0.0)
    """PWM limit, as in the register; None: full duty."""
    current_limit: Maybe = number("A", default=None, above=0.0)
    """Largest current; None: only the motor's own limits."""

    def __post_init__(self) -> None:
        text = self.servo if isinstance(self.servo, str) else ""
        if text.partition(" ")[0].lower() not in MAKERS or not text.partition(" ")[2].strip():
            raise ParameterError(
                f"ServoRegisters.servo = {quote(self.servo)}: must be {' or '.join(MAKERS)} and a model, such as "
                '"dynamixel xl330-m288"'
            )

    def controller(self) -> DutyServo:
        """The controller that these registers make."""
        maker, _, model = self.servo.partition(" ")
        given: dict[str, Any] = {e.name: getattr(self, e.name) for e in fields(self) if e.name != "servo"}
        given = {name: value for name, value in given.items() if value is not None}
        try:
            return MAKERS[maker.lower()](model.strip(), **given)
        except TypeError:
            allowed = "position_p_gain and current_limit"
            raise ParameterError(f"ServoRegisters: a {maker} takes {allowed}; leave the other registers out") from None


@part
class MeasuredMotion:
    """A joint that moves as the log says, whatever the motor does: a dynamometer, or a motion of no interest.

    Where the log has a velocity and no position, the position is the way since its first sample.
    """


@part
class RobotModel:
    """Joints of a robot in MJCF: its mass matrix and bias are taken along the measured motion.

    Joints that are not named are held where the model starts, the free joint of a base among them. The model's own
    armature, damping and friction are left out, since they belong to the motors.
    """

    model: str = word()
    """Path of the MJCF file, from the folder of the rig's file."""
    joints: tuple[str, ...] = words(default=())
    """Joints of the model, in the order of the log's; empty: those of the log's names."""

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise ParameterError(f"RobotModel.model = {quote(self.model)}: must be the path of an MJCF file")
        given = self.joints
        if isinstance(given, str) or not all(isinstance(name, str) and name for name in given):
            raise ParameterError(f"RobotModel.joints = {quote(given)}: must be a list of names")
        if len(set(given)) != len(given):
            raise ParameterError(f"RobotModel.joints = {quote(given)}: a joint comes twice")
        object.__setattr__(self, "joints", tuple(given))
