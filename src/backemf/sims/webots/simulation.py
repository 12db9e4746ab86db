"""A robot while its controller runs: time, devices, the battery, and what stands behind them."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import ParameterError
from ..types import Field
from .backends.axis import Axis, log
from .backends.full_motor import FullMotors
from .backends.ideal import Ideal
from .backends.on_mujoco import OnMujoco
from .devices.absent import absent_device
from .devices.motor import Motor, couple_devices
from .devices.other import Brake, Device, PositionSensor, Sampler, period_of
from .devices.wheels import wheels_of
from .law import propeller_effort
from .nodes.others import WorldDevice, feedback_refusal
from .records.recording import Recorder
from .robots.description import GRAVITY, RobotDescription, RobotJoint, device_names, load_robot
from .session import running

if TYPE_CHECKING:
    from .devices.motion import Motion

_BACKENDS: dict[str, type[Ideal | FullMotors | OnMujoco]] = {"ideal": Ideal, "motor": FullMotors, "mujoco": OnMujoco}
MOST_STEPS = 1e9
"""A run of more steps is a typo [1]."""


class Measuring(Protocol):
    """A device that measures something."""

    name: Any  # a text, or a property that gives it

    def _measure(self, simulation: Simulation) -> float: ...


class Over(SystemExit):
    """Ends a controller that continues after the end of the run, as Webots does."""


class Simulation:
    """A robot and its controller's time.

    Args:
        robot: What is simulated.
        duration: Duration [s]; None: as in the robot's file.
        recorder: Records every step; None: nothing is recorded.
        realtime: Whether to run in real time.
        hints: Whether to print hints about likely mistakes of a script.
        seed: Random seed of the sensor noise.
        progress: Called with the number of steps done.
    """

    def __init__(
        self,
        robot: RobotDescription,
        *,
        duration: float | None = None,
        recorder: Recorder | None = None,
        realtime: bool = False,
        hints: bool = True,
        seed: int = 0,
        progress: Callable[[int], None] | None = None,
    ):
        length = robot.duration if duration is None else duration
        if not (isinstance(length, (int, float)) and length > 0.0 and length / robot.basic_time_step < MOST_STEPS):
            raise ParameterError(f"duration = {length}: must be a number of seconds above 0, and not endless")
        self.robot, self.hints, self.realtime = robot, hints, realtime
        self.dt = robot.basic_time_step
        self.basic = round(1e3 * self.dt, 9)
        """Duration of a step [ms]."""
        self.last = max(1, round(length / self.dt))
        """Step after which the run is over [1]."""
        self.count = 0
        """Steps that were simulated [1]."""
        self.random = random.Random(seed)
        self.axes = [_axis(joint) for joint in robot.joints]
        self.devices = _devices(robot, self.axes)
        self.motors = [device for device in self.devices if isinstance(device, Motor)]
        couple_devices(self.motors)
        self.behind = _BACKENDS[robot.backend](robot, self.axes)
        for motor in self.motors:
            # the simulator behind may know better where a joint is
            motor._position = motor._axis.target_position
        self.wheels = wheels_of(robot.wheels, self.motors)
        """Both wheels of a DifferentialWheels; None: it is another robot."""
        self.created = False
        """Whether there is a Robot."""
        self.brakes: dict[Axis, float] = {}
        """Damping constants that were set since the last step."""
        self.motions: list[Motion] = []
        """Motions of files that the script made."""
        self.reconfigured: list[Motor] = []
        """Motors whose gains or acceleration changed in this step."""
        self.energy = robot.battery[0] if robot.battery else -1.0
        """Energy of the battery [J]; negative: there is none."""
        self.battery = Sampler()
        self._enabled: list[tuple[Measuring, Sampler]] = []
        self._starting: list[tuple[Measuring, Sampler, str]] = []
        self._on = True
        self._over = self._within = False
        self._step_counts: dict[int, int] = {}
        self._progress = progress
        self._recorder = recorder
        if recorder is not None:
            recorder.begin(self.axes, self.behind.electric, bool(robot.battery))
        self._begin = time.monotonic()
        for sentence in robot.warnings:
            log(f"WARNING: {sentence}")

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self.count * self.basic * 1e-3

    # --- sensors

    def sample_from_next_step(self, device: Measuring, sampler: Sampler, kind: str) -> None:
        """Enable a sensor with the next step."""
        self._starting.append((device, sampler, kind))

    def start_sampling(self, device: Measuring, sampler: Sampler, kind: str) -> None:
        """Enable or disable a sensor now, with the period that its sampler has."""
        period = sampler.period
        sampler.start(period, self.count, self.basic)
        self._enabled = [pair for pair in self._enabled if pair[1] is not sampler]
        if period > 0:
            self._enabled.append((device, sampler))
            real = sampler.every * self.basic
            if abs(real - period) > 1e-6 and self.hints:
                log(
                    f'Hint: {kind} "{device.name}": a sampling period of {period} ms is no multiple of the basic time '
                    f"step of {self.basic:g} ms, so that values come every {real:g} ms."
                )

    # --- steps

    def step(self, duration: int | None) -> int:
        """Simulate for some milliseconds; 0, or -1 when the run is over."""
        if self._within:
            log("Warning: wb_robot_step() called before calling wb_robot_step_end().")
        begun = self.step_begin(duration)
        return begun if begun == -1 else self.step_end()

    def step_begin(self, duration: int | None) -> int:
        """Send what was called since the last step; 0, or -1 when the run is over."""
        steps = self._step_counts.get(duration) if type(duration) is int else None
        if steps is None:
            steps = self._steps_of(duration)
        if self._over:
            # one step after the one that said so, Webots ends the controller
            raise Over(0) if threading.current_thread() is threading.main_thread() else SystemExit(0)
        if self._within:
            log("Warning: robot_step_begin() called multiple times before calling wb_robot_step_end().")
        if self.count >= self.last:
            self._over = True
            for motor in self.motors if self.hints else ():
                motor._hint()
            return -1
        if self.motions:
            for motion in reversed(self.motions):
                motion._step(int(self.basic) if duration is None else period_of(duration))
        self._send()
        self._within, self._asked = True, steps
        return 0

    def step_end(self) -> int:
        """Simulate what was begun."""
        if not self._within:
            log("Warning: robot_step_end() called multiple times before calling wb_robot_step_begin().")
            return -1 if self._over else 0
        self._within = False
        steps = min(self._asked, self.last - self.count)
        for _ in range(steps):
            self._advance()
        if self.reconfigured:
            for motor in self.reconfigured:
                motor._configure()
            self.reconfigured.clear()
        if self._progress is not None:
            self._progress(steps)
        if self.realtime:
            time.sleep(max(0.0, self._begin + self.time - time.monotonic()))
        return 0

    def end(self) -> None:
        """Let the next step be the last."""
        self.last = self.count

    def finish(self) -> None:
        """Send what a script that ended left unsent, and let the run continue to its end, as Webots does."""
        unsent = self.brakes or any(motor._asked for motor in self.motors)
        if self._over or self._within or self.count >= self.last or not unsent:
            return
        log(f"Note: the script ended at t = {self.time:g} s; the run continues to its end with the last commands")
        self._send()
        while self.count < self.last:
            self._within, self._asked = True, 1
            self.step_end()

    def _steps_of(self, duration: int | None) -> int:
        whole = int(self.basic) if duration is None else period_of(duration)
        if whole < 0:
            raise ParameterError(f"step({whole}): a step takes 0 ms or more")
        steps = math.ceil(whole / self.basic - 1e-9)
        if abs(steps * self.basic - whole) > 1e-6 and self.hints:
            log(
                f"Hint: step({whole}): the duration must be a multiple of the basic time step of {self.basic:g} ms; "
                f"{steps * self.basic:g} ms are simulated."
            )
        if type(duration) is int:
            self._step_counts[duration] = steps
        return steps

    def _send(self) -> None:
        """What was called since the last step, device by device."""
        for motor in self.motors:
            if motor._asked:
                motor._send(self)
        if self.brakes:
            for axis, value in self.brakes.items():
                axis.brake = value
            self.brakes.clear()
        if self._starting:
            for device, sampler, kind in self._starting:
                self.start_sampling(device, sampler, kind)
            self._starting.clear()

    def _advance(self) -> None:
        """One basic time step."""
        self.behind.step()
        self.count += 1
        if self.wheels is not None and self._on:
            self.wheels.count(self.random)
        if self.energy > 0.0:
            self._drain()
        if self._on:
            count = self.count
            for device, sampler in self._enabled:
                if count >= sampler.due:
                    sampler.value = device._measure(self)
                    sampler.due = count + sampler.every
        if self._recorder is not None:
            self._recorder.add(self)

    def _drain(self) -> None:
        """What the motors and the computer take from the battery over a step."""
        power = self.robot.cpu_consumption
        for motor in self.motors:
            axis = motor._axis
            effort = abs(axis.feedback)
            if axis.propeller is not None:
                effort = propeller_effort(axis.velocity, *axis.propeller, axis.motor.max_torque)
            power += effort * axis.motor.consumption_factor
        if self.wheels is not None:
            power += self.wheels.power()
        self.energy = max(self.energy - power * self.dt, 0.0)
        if self.energy == 0.0:
            log(f'INFO: Robot "{self.robot.name}": Battery is empty.')
            self._on = False
            self.battery.value = 0.0
            for motor in self.motors:
                motor._axis.power(False)
            if self.wheels is not None:
                self.wheels.stop()


class BatterySensor:
    """Measures the energy of the battery."""

    name = "battery"

    def _measure(self, simulation: Simulation) -> float:
        return simulation.energy


def _axis(joint: RobotJoint) -> Axis:
    world = joint.world
    axis = Axis(world.joint, world.motor, world.name, world.inertia, world.dynamic)
    axis.load_torque = joint.torque + world.load.pull
    axis.weight, axis.hangs_at = world.load.weight, world.load.hangs_at
    if joint.mass > 0.0:
        axis.weight, axis.hangs_at = joint.mass * GRAVITY * joint.length, joint.hangs_at
    axis.propeller = world.propeller
    axis.numb = feedback_refusal(world, axis.effort)
    return axis


def _devices(robot: RobotDescription, axes: list[Axis]) -> list[Device]:
    """Every device, in the order of the file; the first has the tag 1."""
    made: list[Device] = []
    others = list(robot.others)
    for index, (joint, axis) in enumerate(zip(robot.joints, axes, strict=True)):
        while others and others[0].after <= index:
            made.append(_absent(others.pop(0), len(made) + 1))
        world = joint.world
        for name in device_names(world):
            kind = Motor if axis.driven and name == world.name else Brake if name == world.brake else PositionSensor
            device = kind._make(name, len(made) + 1, axis)
            if isinstance(device, PositionSensor) and world.sensor is not None:
                device._noise, device._resolution = world.sensor.noise, world.sensor.resolution
            made.append(device)
    return made + [_absent(other, len(made) + 1 + extra) for extra, other in enumerate(others)]


def _absent(other: WorldDevice, tag: int) -> Device:
    return absent_device(other.kind, other.name, tag, other.fields)


@contextmanager
def simulate(robot: RobotDescription | str | os.PathLike[str], **options: Field) -> Iterator[Simulation]:
    """Run a robot for the devices of `backemf.sims.webots.controller` in the block; options as of `Simulation`."""
    described = robot if isinstance(robot, RobotDescription) else load_robot(robot)
    simulation = Simulation(described, **options)
    recorder = options.get("recorder")
    try:
        with running(simulation):
            yield simulation
    finally:
        if recorder is not None:
            recorder.close()
