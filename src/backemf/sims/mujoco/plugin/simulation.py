"""The motors of a robot in the middle of a step of MuJoCo, through Python: the reference of `text.py`, and the way of
everything that the compiled code leaves to it.
"""

from __future__ import annotations

import numpy as np

from ....errors import SimulationError
from ....robot.actuator_set import ActuatorSet
from ...mujoco_joints import Joints
from ...mujoco_types import MjModel
from ...robot_step import FOUND
from .degrees import DegreeWatch
from .hands import Hands
from .load import LoadOnJoints
from .record import ModelBlock, Record
from .report import Report, rest
from .step import JointStep


class PythonSteps:
    """Steps the motors of a record."""

    def __init__(self, model: MjModel, robot: ActuatorSet, joints: Joints, hands: Hands, step: JointStep):
        self._robot, self._joints, self._hands, self._step = robot, joints, hands, step
        self.load, self.watch = LoadOnJoints(model, joints), DegreeWatch(model, robot)

    def act(self, block: ModelBlock, record: Record, names: tuple[str, ...], rows: list[np.ndarray]) -> None:
        """Find the torque of every motor and hand it to MuJoCo; the state waits for the step to be done."""
        implicit, damped, off = self._hands.look(block, record)
        data, dt = record.data, self._step.dt
        position, velocity = data.qpos[self._joints.positions], data.qvel[self._joints.dofs]
        if not record.begun:
            self._begin(record, velocity)
        if off is not None:
            record.torque[off] = 0.0
        load = self.load.find(block, record, self._hands, velocity)
        damping = block.damping if damped else 0.0 * velocity
        inputs = np.array([*rows, position, velocity, load.torque, load.inertia, damping, record.slip])
        before = record.state
        after, found = self._step(names, before, inputs)
        if off is not None:
            after, found = rest(self._robot, self._step.outputs, off, before, after, found, velocity)
        ends, slope, grip, mean = found[: len(FOUND) + 1]
        speed = ends
        taken = slope if damped else np.where(implicit & (self._joints.actuators >= 0), slope, 0.0)
        if len(ends) > 1 and (grip.any() or (taken != slope).any()):
            # friction that holds a joint holds it against the others, and a slope that nobody integrates is solved here
            mean, speed = load.solve(mean, slope + grip, ends, record.torque, velocity, dt)
        slope = taken
        self._hands.give(block, record, mean + slope * (speed - velocity), slope, velocity, implicit)
        record.after, record.rows = after, found[len(FOUND) :]
        record.ends[:], record.mean[:], record.slope[:], record.speed[:] = ends, mean, slope, speed
        record.time = data.time

    def commit(self, record: Record) -> bool:
        """The step is done: the motors are where they are after it, and gave the torque of the speed that came.

        Where that is not finite the motors start anew, and False comes back.
        """
        done = self._finish(record)
        slip = self._step.dt * (done.speed - record.ends)
        if not np.isfinite(done.mean + slip).all():
            record.start(self._step.initial(), len(self._step.outputs))
            return False
        record.torque[:] = record.done_mean[:] = done.mean
        record.done_slope[:], record.done_speed[:], record.slip[:] = done.slope, done.speed, slip
        record.done_cut[:] = 0.0 if done.cut is None else done.cut
        record.keep()
        record.time, record.ended, record.begun = np.nan, record.data.time, True
        return True

    def report(self, record: Record) -> Report:
        """The last step that is done: within a callback, MuJoCo is through with it before the motors hear of it."""
        if record.data.time > record.time:
            return self._finish(record)
        cut = record.done_cut.copy() if record.done_cut.any() else None
        means = record.done_mean.copy(), record.done_slope.copy(), record.done_speed.copy()
        return Report(self._step.outputs, record.done_rows, *means, cut)

    def _finish(self, record: Record) -> Report:
        """What the motors did in a step of which MuJoCo is through."""
        pending = Report(self._step.outputs, record.rows, record.mean.copy(), record.slope.copy(), record.speed.copy())
        return pending.at(record.data.qvel[self._joints.dofs], self._hands.cut(record.data))

    def _begin(self, record: Record, velocity: np.ndarray) -> None:
        """Until their first step is done, rotors that backlash lets go have the speed of their joints."""
        state = record.state
        for group, part in zip(self._robot.groups, state, strict=True):
            if "rotor_speed" in part and group.actuator.motor is not None:
                part["rotor_speed"] = group.actuator.motor.ratio * velocity[list(group.columns)]
        record.state = state


def not_finite(joints: Joints, record: Record) -> SimulationError:
    """What is said where a step led to numbers that are not finite."""
    bad = ~np.isfinite(record.mean + record.ends + record.data.qvel[joints.dofs])
    return SimulationError(
        f"joint {joints.names[int(np.argmax(bad))]!r}: at t = {record.data.time:g} s the load or the speed "
        "is not finite: look at the forces that are applied to the model, and at its masses; the motors start anew"
    )
