"""An actuator as a configuration of mjlab has it, and the same as a backemf actuator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from ...actuator.controllers.controller import Controller
from ...actuator.delay import Delay
from ...actuator.torque_limits import EffortLimit, TorqueLimit
from ...design.gains import Gains, torque_gains
from ...errors import ParameterError
from ...learned import LearnedMlp
from ...motor import Motor
from ..joint_choice import for_joint
from ..loss import Loss
from ..script_actuator import Value
from .kinds import LISTENS, MODES
from .law import DcMotor, line_of
from .law import IdealPd as IdealPdLaw


@dataclass(frozen=True, kw_only=True)
class Configured:
    """An actuator as a configuration has it."""

    kind: str
    """One of the kinds of `CLASSES`, such as "dc_motor"."""
    joints: tuple[str, ...]
    """Patterns of joint names."""
    stiffness: Value = None
    """Torque per position error [N·m/rad], or of a "builtin_dc_motor" the voltage per error of its mode."""
    damping: Value = None
    """Torque per velocity error [N·m·s/rad], or of a "builtin_dc_motor" the voltage per velocity [V·s/rad]."""
    effort_limit: Value = None
    """Largest torque, before the gear of the kinds that have one [N·m]; None: no limit."""
    saturation_effort: Value = None
    """Torque at stall [N·m]."""
    velocity_limit: Value = None
    """Speed without load [rad/s]."""
    armature: Value = None
    """Inertia added to the joint [kg·m²]; None: as in the robot's file."""
    frictionloss: Value = None
    """Dry friction [N·m]; None: as in the robot's file."""
    viscous_damping: Value = None
    """Friction per speed [N·m·s/rad]; None: as in the robot's file."""
    delay: Delay | None = None
    """Delay of the targets; None: none."""
    mode: str | None = None
    """What commands a "builtin_dc_motor": "VOLTAGE", "POSITION" or "VELOCITY"."""
    voltage_limit: Value = None
    """Its largest voltage [V]; None: any."""
    integral_gain: Value = None
    """Its integral gain [V/(rad·s)] or [V/rad]; None: no integral."""
    integral_limit: Value = None
    """Largest integral [rad·s] or [rad]; None: none."""
    slew_rate: Value = None
    """Fastest change of its command, per second; None: any."""
    gear: float = 1.0
    """Gear ratio of a "builtin_dc_motor" or "builtin_motor" [1]."""
    motor: Motor | None = None
    """The motor before its gear."""
    network: LearnedMlp | None = None
    """The network of a "learned_mlp"."""
    losses: tuple[Loss, ...] = ()
    """What the configuration says and the actuator does not."""
    where: str = ""
    """Where it stands, as a sentence begins; empty for an object."""
    robots: tuple[str, ...] = ()
    """Names in the text that hold it, such as "G1_ARTICULATION"."""

    def at(self, joint: str) -> Self:
        """The same for one joint."""
        return for_joint(self, joint)

    @property
    def listens(self) -> tuple[str, ...]:
        """Targets that have an effect in mjlab."""
        return LISTENS[self.kind] if self.mode is None else (MODES[self.mode],)

    @property
    def limits(self) -> tuple[TorqueLimit, ...]:
        """The limits of the joint torque."""
        if self.effort_limit is None:
            return ()
        if self.saturation_effort is None:
            return (EffortLimit(effort_limit=abs(self.gear) * self.effort_limit),)
        return (line_of(self),)

    def actuator(self) -> Actuator:
        """The same as a backemf actuator; only a "builtin_dc_motor" has a motor."""
        if self.motor is None:
            return Actuator(controller=self.controller(), limits=self.limits, delay=self.delay)
        return Actuator(
            self.motor,
            controller=self.controller(),
            limits=self.limits,
            delay=self.delay,
            slew=self.slew_rate,
            voltage_limit=self.voltage_limit,
        )

    def controller(self) -> Controller:
        """What turns the targets that the kind listens to into a torque or a voltage."""
        if self.motor is not None:
            return self._in_volts(self.motor)
        if self.network is not None:
            return self.network
        if self.kind == "builtin_motor":
            return Torque()
        if self.kind == "builtin_velocity":
            return TorquePid(kd=self.damping, follows="velocity", listens=self.listens)
        return IdealPd(stiffness=self.stiffness, damping=self.damping, listens=self.listens)

    def _in_volts(self, motor: Motor) -> Voltage | PositionPid | VelocityPi | TorquePid:
        if self.mode == "VOLTAGE":
            return Voltage()
        integral = {"ki": self.integral_gain, "integral_limit": self.integral_limit}
        if self.mode == "VELOCITY":
            # MuJoCo's derivative gain acts in its position mode alone
            return VelocityPi(kp=self.stiffness, **integral)
        if self.damping < 0.0:
            # volts that take back some of the back-EMF's damping: the same voltage comes of gains in torque
            gains = torque_gains(motor, Gains(self.stiffness, self.integral_gain or 0.0, self.damping))
            bound = self.integral_limit
            return TorquePid(kp=gains.kp, ki=gains.ki, kd=gains.kd, integral_limit=bound, listens=self.listens)
        return PositionPid(kp=self.stiffness, kd=self.damping, **integral)

    def law(self) -> IdealPdLaw | DcMotor:
        """What mjlab computes with it, where mjlab and not MuJoCo does so."""
        if self.kind == "dc_motor":
            line = {"saturation_effort": self.saturation_effort, "velocity_limit": self.velocity_limit}
            return DcMotor(stiffness=self.stiffness, damping=self.damping, effort_limit=self.effort_limit, **line)
        if self.kind == "ideal_pd":
            return IdealPdLaw(stiffness=self.stiffness, damping=self.damping, effort_limit=self.effort_limit)
        what = "a network" if self.network is not None else "MuJoCo"
        raise ParameterError(f"{self.kind}: {what} computes its force, not a law of mjlab; use OnJoint.law()")
