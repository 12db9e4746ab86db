"""Logs on the grid of a simulation: commands for each step, and what was measured at its own times.

A lane is one joint of one log. The grid only carries the simulation: measurements keep their times, and predictions are
read there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..actuator import Actuator
from ..errors import ParameterError
from .bench import PREDICTED
from .channels import COMMANDS
from .log import Log
from .rig import Rig
from .rig_parts import MeasuredMotion, RobotModel
from .robot_motion import RobotMotion, robot_motion
from .signals import slope_over

FINEST, COARSEST = 0.25e-3, 2e-3
"""Shortest and longest step of the grid [s]."""
COARSEST_HEAT = 0.05
"""Longest step where a measured current flows along a measured motion: only heat has a state then [s]."""


PARABOLA = 12
"""Positions at the start of a log from which its first velocity is taken [1]."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What was measured in one channel, for all lanes."""

    channel: str
    """Its name."""
    time: np.ndarray
    """Times since the start of each lane, (lanes, samples) [s]."""
    values: np.ndarray
    """Measured values in SI, (lanes, samples)."""
    there: np.ndarray
    """Which of them were measured, (lanes, samples); lanes have different numbers of samples."""

    def among(self, lanes: np.ndarray, samples: int) -> Reading:
        """Some of the lanes, with every so many samples that each has no more than some."""
        every = self.stride(samples)
        return Reading(self.channel, *(rows[lanes, ::every] for rows in (self.time, self.values, self.there)))

    def stride(self, samples: int) -> int:
        """From one sample to the next where a lane has no more than some."""
        return -(-self.time.shape[1] // samples)


@dataclass(frozen=True, eq=False)
class RobotTerms:
    """What the rest of a robot does to each joint along the measured motion, for each step.

    With the mass matrix M and the measured accelerations of the others, a joint meets the inertia Mii and the torque

        -biasi - Σ(j ≠ i) Mij·q''j
    """

    inertia: np.ndarray
    """Inertia besides the motor's own, (steps, lanes) [kg·m²]."""
    torque: np.ndarray
    """Torque of gravity and of the other joints, (steps, lanes) [N·m]."""
    armature: np.ndarray
    """Armature that the model has for each lane and that is not in the inertia, (lanes) [kg·m²]."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Logs on a grid."""

    logs: tuple[Log, ...]
    """The log of each lane, of one joint."""
    joints: tuple[str, ...]
    """The joint of each lane; empty where logs are of one joint."""
    files: tuple[int, ...]
    """Which of the given logs each lane is from."""
    dt: float
    """Step of the grid [s]."""
    steps: int
    """Steps of the longest lane [1]."""
    commands: Mapping[str, np.ndarray]
    """Inputs by name, (steps, lanes)."""
    path: np.ndarray | None
    """Positions of a prescribed motion at the ends of steps, (steps + 1, lanes) [rad]; None: the joint is free."""
    position: np.ndarray
    """Where each lane starts [rad]."""
    velocity: np.ndarray
    """How fast it starts [rad/s]."""
    readings: tuple[Reading, ...]
    """What was measured and is compared."""
    robot: RobotTerms | None = None
    """Mass matrix and bias of a robot; None: lanes are independent."""

    @property
    def lanes(self) -> int:
        """Number of lanes."""
        return len(self.logs)

    def among(self, lanes: np.ndarray, samples: int) -> Trials:
        """Some of the lanes on the same grid, with every so many samples that each has no more than some.

        Of a robot, all lanes stay.
        """
        return replace(
            self,
            logs=tuple(self.logs[k] for k in lanes),
            files=tuple(self.files[k] for k in lanes),
            commands={name: rows[:, lanes] for name, rows in self.commands.items()},
            path=None if self.path is None else self.path[:, lanes],
            position=self.position[lanes],
            velocity=self.velocity[lanes],
            readings=tuple(each.among(lanes, samples) for each in self.readings),
        )


def make_trials(
    logs: Sequence[Log], rig: Rig, actuator: Actuator, dt: float | None = None, compare: Sequence[str] | None = None
) -> Trials:
    """Logs on a grid whose step is a fraction of their sampling time."""
    kinematic = rig.load.kind in (MeasuredMotion,) or rig.load.kind.__name__ == "LockedRotor"
    robots: list[RobotMotion] = []
    lanes: list[tuple[Log, str, int]] = []
    for index, log in enumerate(logs):
        if rig.load.kind is RobotModel:
            robots.append(robot_motion(rig.load.build(log.meta, "[load]"), log, rig.folder))
        names = log.joints or ("",)
        lanes += [(log.joint(name) if name else log, name, index) for name in names]
    singles = [lane[0] for lane in lanes]
    names = _command_names(singles, kinematic, actuator)
    step = dt or _grid_step(singles, COARSEST_HEAT if kinematic and "current" in names else COARSEST)
    starts = [float(log.time[0]) for log, _, _ in lanes]
    steps = max(int(np.ceil((log.time[-1] - t0) / step - 1e-9)) for (log, _, _), t0 in zip(lanes, starts, strict=True))
    grid = step * (np.arange(steps) + 0.5)
    commands = _commands(singles, starts, step * np.arange(steps + 1), names)
    if names == ["enable"]:
        commands[actuator.controller.inputs[0]] = np.zeros((steps, len(singles)))
    path = _path(singles, starts, step * np.arange(steps + 1)) if kinematic else None
    if path is not None and "position_error" in commands:
        commands["position"] = commands.pop("position_error") + 0.5 * (path[1:] + path[:-1])
    wanted = _compared(singles, kinematic, actuator, commands, compare)
    return Trials(
        tuple(singles),
        tuple(lane[1] for lane in lanes) if any(lane[1] for lane in lanes) else (),
        tuple(lane[2] for lane in lanes),
        step,
        steps,
        commands,
        path,
        np.array([_first(log, "position") for log in singles]) if path is None else path[0],
        np.array([_first_velocity(log) for log in singles]),
        tuple(_reading(name, singles, starts) for name in wanted),
        _robot_terms(robots, starts, lanes, grid) if robots else None,
    )


def _grid_step(logs: Sequence[Log], coarsest: float) -> float:
    """A whole fraction of the shortest sampling time, no coarser than some step [s]."""
    sampling = min(float(np.median(np.diff(log.time))) for log in logs)
    return max(sampling / np.ceil(sampling / coarsest - 1e-9), FINEST)


def _command_names(logs: Sequence[Log], kinematic: bool, actuator: Actuator) -> list[str]:
    """Channels that are inputs: commands of the controller, else the measured current.

    A torque controller along a measured motion gets the current that flowed, whatever was asked for.
    """
    if kinematic and actuator.controller.inputs == ("effort",) and all("current" in log for log in logs):
        return ["current"]
    names = [name for name in (*COMMANDS, "enable", "position_error") if any(name in log for log in logs)]
    inputs = (*actuator.controller.inputs, "enable", "duty", "current", "position_error")
    kept = [name for name in names if COMMANDS.get(name, name) in inputs]
    if not set(kept) - {"enable"} and "effort" in actuator.controller.inputs and any("current" in x for x in logs):
        kept.append("current")
    if "duty_command" in kept and "duty" not in actuator.controller.inputs and actuator.supply is None:
        raise ParameterError(
            f"{logs[0].name or 'log'}: has a duty_command, and nothing says of which voltage: give the rig a [supply] "
            "with its voltage, or log voltage_command"
        )
    if kept == ["enable"] and not any(log["enable"].any() for log in logs if "enable" in log):
        # off from start to end, as in a coast-down: nothing is asked for
        return kept
    if not set(kept) - {"enable"}:
        wanted = " or ".join(f"{name}_command" for name in actuator.controller.inputs)
        current = ", or the current" if "effort" in actuator.controller.inputs else ""
        other = ", ".join(name for name in names if name in COMMANDS)
        firmware = f", or give the rig the firmware that took its {other}" if other else ""
        asked = type(actuator.controller).__name__
        raise ParameterError(f"{logs[0].name or 'log'}: has no command for {asked}; log {wanted}{current}{firmware}")
    return kept


def _commands(
    logs: Sequence[Log], starts: Sequence[float], ends: np.ndarray, kept: Sequence[str]
) -> dict[str, np.ndarray]:
    """Inputs of the controller in each step, (steps, lanes); `ends` are the ends of steps."""
    made: dict[str, np.ndarray] = {}
    for name in kept:
        rows = []
        for log, start in zip(logs, starts, strict=True):
            if name not in log:
                raise ParameterError(
                    f"{log.name or 'log'}: has no channel {name!r}, and other logs have; identify them apart"
                )
            rows.append(_in_steps(log, name, start + ends))
        # an enable that is always on needs no switch in the step
        if name != "enable" or any((row < 0.5).any() for row in rows):
            made[COMMANDS.get(name, name)] = np.stack(rows, axis=1)
    return made


def _in_steps(log: Log, name: str, ends: np.ndarray) -> np.ndarray:
    """A channel in each step: at its middle, or the mean of what is held."""
    time, values = log.times(name), log[name]
    middle = 0.5 * (ends[1:] + ends[:-1])
    measured = name not in COMMANDS and name != "enable"
    if measured or (log.command_between == "linear" and name != "enable"):
        return np.interp(middle, time, values)
    if name == "enable":
        return values[_held_at(time, middle, "right")]
    # a command that changes within a step must not come earlier or later than it did: steps would matter far more
    first, last = _held_at(time, ends[:-1], "right"), _held_at(time, ends[1:], "left")
    area = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(time))])
    before, after = (area[k] + values[k] * (at - time[k]) for k, at in ((first, ends[:-1]), (last, ends[1:])))
    return np.where(first == last, values[first], (after - before) / np.diff(ends))


def _held_at(time: np.ndarray, at: np.ndarray, side: Literal["left", "right"]) -> np.ndarray:
    """Which sample is held at some times; at its own time already, or not yet."""
    return np.clip(np.searchsorted(time, at, side=side) - 1, 0, len(time) - 1)


def _path(logs: Sequence[Log], starts: Sequence[float], grid: np.ndarray) -> np.ndarray:
    """Measured positions at the ends of steps, or the way along the measured velocity, (steps + 1, lanes) [rad]."""
    rows = []
    for log, start in zip(logs, starts, strict=True):
        if "position" in log:
            time, position = log.times("position"), log["position"]
        elif "velocity" in log:
            time, velocity = log.times("velocity"), log["velocity"]
            position = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(time) * (velocity[1:] + velocity[:-1]))])
        else:
            # nothing moves that nobody measured: a locked rotor
            time, position = log.time[[0, -1]], np.zeros(2)
        rows.append(np.interp(start + grid, time, position))
    return np.stack(rows, axis=1)


def _compared(
    logs: Sequence[Log],
    kinematic: bool,
    actuator: Actuator,
    commands: Mapping[str, np.ndarray],
    compare: Sequence[str] | None,
) -> tuple[str, ...]:
    """Channels that are compared: what was measured, is predicted, and is no input."""
    motor = actuator.motor
    given = {"position", "velocity"} if kinematic else set()
    if "current" in commands:
        given |= {"current"}
    possible = [name for name in PREDICTED if name not in given and all(name in log for log in logs)]
    if motor is None:
        possible = [name for name in possible if name in ("position", "velocity", "torque")]
    elif motor.thermal is None:
        possible = [name for name in possible if not name.endswith("temperature")]
    elif type(motor.thermal).__name__ != "TwoNodeThermal":
        possible = [name for name in possible if name != "housing_temperature"]
    if compare is not None:
        for name in compare:
            if name not in possible:
                raise ParameterError(
                    f"compare: {name!r} cannot be compared here; use {' or '.join(possible) or 'another log'}"
                )
        return tuple(compare)
    # a duty follows from the position, and a bus voltage is often sampled inside the PWM: on request only
    wanted = tuple(name for name in possible if name not in ("duty", "bus_voltage"))
    if not wanted:
        needed = "torque, current or a temperature" if kinematic else "position"
        raise ParameterError(f"{logs[0].name or 'log'}: has nothing to compare a prediction with; log {needed}")
    return wanted


def _reading(name: str, logs: Sequence[Log], starts: Sequence[float]) -> Reading:
    count = max(len(log.times(name)) for log in logs)
    shape = (len(logs), count)
    time, values, there = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
    for lane, (log, start) in enumerate(zip(logs, starts, strict=True)):
        rows = len(log.times(name))
        time[lane, :rows], values[lane, :rows], there[lane, :rows] = log.times(name) - start, log[name], True
    return Reading(name, time, values, there)


def _first(log: Log, name: str) -> float:
    return float(log[name][0]) if name in log else 0.0


def _first_velocity(log: Log) -> float:
    """The first measured velocity, or the slope of a parabola through the first positions at their first [rad/s].

    A straight line would be too fast for a joint that starts from rest.
    """
    if "velocity" in log:
        return _first(log, "velocity")
    if "position" not in log or len(log["position"]) < PARABOLA:
        return 0.0
    time, position = log.times("position")[:PARABOLA], log["position"][:PARABOLA]
    return float(np.polyfit(time - time[0], position, 2)[1])


def _robot_terms(
    robots: Sequence[RobotMotion], starts: Sequence[float], lanes: Sequence[tuple[Log, str, int]], grid: np.ndarray
) -> RobotTerms:
    inertia, torque, armature = [], [], []
    first = {index: start for (_, _, index), start in zip(lanes, starts, strict=True)}
    for index, robot in enumerate(robots):
        acceleration = np.stack([slope_over(robot.time, slope_over(robot.time, q)) for q in robot.position.T], axis=1)
        diagonal = np.diagonal(robot.inertia, axis1=1, axis2=2)
        others = np.einsum("tij,tj->ti", robot.inertia, acceleration) - diagonal * acceleration
        at = first[index] + grid
        for k in range(robot.position.shape[1]):
            inertia.append(np.interp(at, robot.time, diagonal[:, k]))
            torque.append(np.interp(at, robot.time, -robot.bias[:, k] - others[:, k]))
            armature.append(robot.armature[k])
    return RobotTerms(np.stack(inertia, axis=1), np.stack(torque, axis=1), np.array(armature))
