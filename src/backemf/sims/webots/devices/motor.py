"""`Motor` of the module `controller`: what Webots' library checks, keeps and sends.

A call only stores its value. The next step sends all of them in a fixed order: position,
velocity, available torque, torque, feedback, acceleration, PID.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..backends.axis import Axis, log
from ..coupled import groups
from .kinds import NODES
from .other import Device, Sampler, beside, double, period_of, reader

if TYPE_CHECKING:
    from ..simulation import Simulation


POSITION, VELOCITY, AVAILABLE, FORCE, FEEDBACK, ACCELERATION, PID = (1 << bit for bit in range(7))
"""What was called since the last step."""


class Motor(Device):
    """A RotationalMotor, or a LinearMotor in N and m."""

    ROTATIONAL, LINEAR = 0, 1
    _siblings: list[Motor]

    def _begin(self) -> None:
        axis, motor = self._axis, self._axis.motor
        self._position, self._velocity = axis.target_position, axis.target_velocity
        self._acceleration, self._available, self._force = axis.acceleration, axis.available, 0.0
        self._gains = motor.control_p, motor.control_i, motor.control_d
        self._asked, self._siblings, self._sampler = 0, [], Sampler()
        self._positioned = self._limited = self._hinted = False

    # --- what a controller calls

    def setPosition(self, position: float) -> None:
        position = position if type(position) is float else double(position)
        if position != position:
            log("Error: wb_motor_set_position() called with an invalid 'position' argument (NaN).")
            return
        self._position = position
        self._asked |= POSITION
        for sibling in self._siblings:
            endless = position - position != 0.0
            sibling._position = position if endless else position * sibling._axis.motor.multiplier

    def setVelocity(self, velocity: float) -> None:
        velocity = velocity if type(velocity) is float else double(velocity)
        if velocity != velocity:
            log("Error: wb_motor_set_velocity() called with an invalid 'velocity' argument.(NaN)")
            return
        if velocity < 0.0 and not math.isinf(self._position):
            log(
                "Error: wb_motor_set_velocity() called with negative 'velocity' argument in position control mode "
                f"({self._position:g})."
            )
            return
        self._velocity = velocity
        self._asked |= VELOCITY
        for sibling in self._siblings:
            sibling._velocity = velocity * sibling._axis.motor.multiplier

    def setAcceleration(self, acceleration: float) -> None:
        acceleration = double(acceleration)
        if acceleration < 0.0 and acceleration != -1.0:
            log("Error: wb_motor_set_acceleration() called with negative 'acceleration' argument.")
        elif acceleration != acceleration:
            log("Error: wb_motor_set_acceleration() called with an invalid 'acceleration' argument (NaN).")
        else:
            self._acceleration = acceleration
            self._asked |= ACCELERATION

    def setAvailableForce(self, force: float) -> None:
        force = double(force)
        if force != force:
            log("Error: wb_motor_set_available_force() called with an invalid 'force' argument (NaN).")
        elif force < 0.0:
            log("Error: wb_motor_set_available_force() called with negative 'force' argument.")
        else:
            self._available = force
            self._asked |= AVAILABLE

    def setForce(self, force: float) -> None:
        force = force if type(force) is float else double(force)
        if force != force:
            log("Error: wb_motor_set_force() called with an invalid 'force' argument (NaN).")
            return
        self._force = force
        self._asked |= FORCE
        for sibling in self._siblings:
            sibling._force = force * sibling._axis.motor.multiplier

    def setControlPID(self, p: float, i: float, d: float) -> None:
        gains = {"p": double(p), "i": double(i), "d": double(d)}
        if gains["p"] <= 0.0:
            log("Error: wb_motor_set_control_pid() called with negative or zero 'p' argument.")
            return
        for name, value in gains.items():
            if value < 0.0:
                log(f"Error: wb_motor_set_control_pid() called with negative '{name}' argument.")
                return
            if not math.isfinite(value):
                # Webots takes such a gain, and everything is NaN from there on
                log(f"Error: wb_motor_set_control_pid() called with an invalid '{name}' argument ({value:g}).")
                return
        self._gains = gains["p"], gains["i"], gains["d"]
        self._asked |= PID

    def enableForceFeedback(self, sampling_period: int) -> None:
        period = period_of(sampling_period)
        if period < 0:
            log("Error: wb_motor_enable_force_feedback() called with negative sampling period.")
            return
        self._sampler.period = period
        self._asked |= FEEDBACK

    def disableForceFeedback(self) -> None:
        self.enableForceFeedback(0)

    getForceFeedbackSamplingPeriod, getForceFeedback = reader("_sampler.period"), reader("_sampler.value")
    getTargetPosition, getVelocity, getAcceleration = reader("_position"), reader("_velocity"), reader("_acceleration")
    getMinPosition, getMaxPosition = reader("_axis.motor.min_position"), reader("_axis.motor.max_position")
    getMaxVelocity, getMaxForce = reader("_axis.motor.max_velocity"), reader("_axis.motor.max_torque")
    getAvailableForce, getMultiplier = reader("_available"), reader("_axis.motor.multiplier")
    brake, position_sensor = beside("Brake"), beside("PositionSensor")
    getBrake, getPositionSensor, getType = reader("brake"), reader("position_sensor"), reader("type")

    # the same by the names for a torque
    setAvailableTorque, setTorque = setAvailableForce, setForce
    getAvailableTorque, getMaxTorque = getAvailableForce, getMaxForce
    enableTorqueFeedback, disableTorqueFeedback = enableForceFeedback, disableForceFeedback
    getTorqueFeedback, getTorqueFeedbackSamplingPeriod = getForceFeedback, getForceFeedbackSamplingPeriod

    target_position = property(getTargetPosition, setPosition)
    target_velocity = property(getVelocity, setVelocity)
    target_acceleration = property(getAcceleration, setAcceleration)
    available_force = available_torque = property(getAvailableForce, setAvailableForce)
    force = torque = property(fset=setForce)
    force_feedback = torque_feedback = property(getForceFeedback)
    force_feedback_sampling_period = torque_feedback_sampling_period = property(
        getForceFeedbackSamplingPeriod, enableForceFeedback
    )
    min_position, max_position = property(getMinPosition), property(getMaxPosition)
    max_velocity, multiplier = property(getMaxVelocity), property(getMultiplier)
    max_force = max_torque = property(getMaxForce)
    node_type = property(lambda self: NODES["ROTATIONAL_MOTOR" if self._axis.rotates else "LINEAR_MOTOR"])

    # --- what Webots does not have

    def getJointVelocity(self) -> float:
        """The joint's own velocity [rad/s], where `getVelocity` returns the commanded one. Not in Webots."""
        return self._axis.speed

    def getTotalTorque(self) -> float:
        """The motor's torque in the last step, a commanded one included [N·m]. Not in Webots."""
        return self._axis.total

    joint_velocity, total_torque = property(getJointVelocity), property(getTotalTorque)

    # --- what is sent with a step

    def _send(self, simulation: Simulation) -> None:
        asked, self._asked = self._asked, 0
        own = self._axis
        axes: list[Axis] = [own, *(sibling._axis for sibling in self._siblings)]
        if asked & POSITION:
            for axis in axes:
                axis.take_position(self._position)
            for motor in (self, *self._siblings):
                motor._positioned = True
        if asked & VELOCITY:
            for axis in axes:
                axis.take_velocity(self._velocity)
        if asked & AVAILABLE:
            own.take_available(self._available)
        if asked & FORCE:
            for axis in axes:
                axis.take_torque(self._force)
        if asked & FEEDBACK:
            self._sample(simulation)
        changed = asked & ACCELERATION and own.take_acceleration(self._acceleration)
        if (asked & PID and own.take_gains(*self._gains)) or changed:
            simulation.reconfigured.append(self)
        if asked & VELOCITY:
            if self._limited and simulation.hints:
                self._hint()
            self._limited = True

    def _configure(self) -> None:
        """What Webots sends back after the step that changed a field: the commands as the limits made them."""
        axis = self._axis
        self._position, self._velocity = axis.target_position, axis.target_velocity
        self._available = min(self._available, axis.motor.max_torque)

    def _sample(self, simulation: Simulation) -> None:
        if self._axis.numb:
            self._axis.warn(self._axis.numb)
            return
        simulation.start_sampling(self, self._sampler, type(self).__name__)

    def _measure(self, simulation: Simulation) -> float:
        return self._axis.feedback

    def _hint(self) -> None:
        """Say once that velocities alone move nothing."""
        unmoved = self._limited and not self._positioned and not self._axis.torque_mode and self._velocity != 0.0
        if self._hinted or not unmoved:
            return
        self._hinted = True
        log(
            f'Hint: Motor "{self._name}": setVelocity({self._velocity:g}) limits the speed on the way to a target '
            "position, and no position was set, so the motor stays where it was loaded; to turn on and on, call "
            "setPosition(float('inf')) first."
        )


def couple_devices(motors: list[Motor]) -> None:
    """Let motors that share what stands before `::` know each other."""
    by_name = {motor._name: motor for motor in motors}
    for group in groups(list(by_name)).values():
        for name in group:
            by_name[name]._siblings = [by_name[other] for other in group if other != name]
            by_name[name]._axis.coupled = len(group) > 1
