"""Our motors inside MuJoCo: what `<dcmotor>` lacks, on the joints of a plain model.

    motors = Motors(model, {".*_knee": be.Actuator(motor, supply, controller=be.IdealPd(...))})
    motors.step(data, targets)                                  # in place of mujoco.mj_step(model, data)

Each step is MuJoCo's own, cut in two: `mj_step1` finds what the joint is up against, the motors find their torque
together with the speed that it leads to, and `mj_step2` moves the joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from ....actuator import Actuator
from ....checks import Number
from ....errors import ParameterError, SimulationError
from ....motor import Motor
from ....physics.state import Output, State
from ....robot.actuator_set import ActuatorSet
from ...mujoco_types import MjData, MjModel, MjSpec
from .commands import Commands, RobotCommand
from .degrees import DegreeWatch
from .gains import warn_of_gains
from .hands import Hands
from .joints import add_hands, find_joints, mujoco_module, robot_on
from .load import LoadOnJoints
from .report import Report, rest
from .step import FOUND, MAIN, JointStep


class Motors:
    """Motors on joints of a MuJoCo model, stepped with it.

    The model is changed: each joint gets the rotor's inertia as armature, and the actuator on it, if there is one,
    is driven by the motor (its gain, bias and force range are replaced; `data.ctrl` no longer acts by itself).
    `release` undoes that. Friction and damping of the model's joints stay, as those of their bearings.

    Args:
        model: A `mujoco.MjModel`.
        actuators: Patterns (regular expressions that match a whole joint name) to actuators or motors, or an
            `ActuatorSet`. Joints that no pattern matches have no motor.
        armature: Whether the rotors' inertia is added to the joints; False: the model's armature already holds it.
        engine: "native", machine code, "jax", compiled by XLA, or "numpy", the reference; None: native where it can,
            JAX for networks and a supply that motors share.
        seed: Random seed of delays.
    """

    def __init__(
        self,
        model: MjModel,
        actuators: ActuatorSet | Mapping[str, Actuator | Motor],
        *,
        armature: bool = True,
        engine: str | None = None,
        seed: int = 0,
    ):
        self.model = model
        self.robot = robot_on(model, actuators)
        self._mujoco = mujoco_module()
        self._dt = float(model.opt.timestep)
        self._step = JointStep(self.robot, engine, self._dt, seed)
        self._joints = find_joints(model, self.robot, armature)
        self._hands = Hands(model, self._joints, armature)
        self._load = LoadOnJoints(model, self._joints)
        warn_of_gains(model, self.robot, self._joints)
        counts = getattr(model, "actuator_ctrlnum", np.ones(len(model.actuator_trntype)))
        hands = zip(self.joints, self._joints.actuators, strict=True)
        self._several = [joint for joint, hand in hands if hand >= 0 and counts[hand] != 1]
        self._commands = Commands(self.robot)
        self._watch = DegreeWatch(model, self.robot)
        self._command: RobotCommand | None = None
        self._names, self._told = (), []
        self._installed = False
        self.reset()

    @staticmethod
    def prepare(spec: MjSpec, actuators: ActuatorSet | Mapping[str, Actuator | Motor]) -> list[str]:
        """Add a `<motor>` to an `MjSpec` for each joint that is to have a motor and has no actuator.

        Motors work without; with it, MuJoCo's actuator sensors see the torque and `data.ctrl` has a place for the
        command. Returns the names of those joints.
        """
        return add_hands(spec, actuators)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints with motors, in the order of every array."""
        return self.robot.joints

    def reset(self, data: MjData | None = None, **values: Number) -> None:
        """Motors back to rest and ambient temperature, turning with the joints of `data`; `data` itself stays as it is.

        States given by name start elsewhere, e.g. winding_rise=60.0, or with one number per joint.
        """
        # the motors are those of one simulation, and of another after a reset
        self._data = None
        if data is not None:
            self._check(data)
            if not self._installed:
                self._hands.withdraw(data)
        count = len(self.robot)
        self._state = self._after = self._step.initial(**values)
        self._begun = "rotor_speed" in values
        self._torque, self._slip = np.zeros(count), np.zeros(count)
        self._pending: Report | None = None
        self._done = Report.empty(self._step.outputs, count)
        self._time: float | None = None
        self._ended = -np.inf

    def release(self) -> None:
        """Give the model back its own actuators and armature; these motors are done."""
        self._hands.release()

    # --- a step

    def step(self, data: MjData, command: RobotCommand) -> None:
        """One step of motors and model.

        Args:
            data: The `mujoco.MjData` of the model.
            command: The controllers' main inputs, without a controller volts: a number, an array with one per joint in
                the order of `joints`, or a dict by joint name; or a `Command` of arrays.
        """
        if self._installed:
            raise ParameterError("Motors.step inside install(): call mujoco.mj_step there, which steps the motors too")
        self._check(data)
        names, rows = self._commands.rows(command)
        before = data.time
        if before < self._ended:
            # mj_resetData: a new run begins
            self.reset(data)
        self._mujoco.mj_step1(self.model, data)
        try:
            self._act(data, names, rows)
            self._mujoco.mj_step2(self.model, data)
        finally:
            self._hands.withdraw(data)
        if data.time <= before:
            raise SimulationError(
                f"at t = {before:g} s MuJoCo found numbers that are not finite and started again: look at the command "
                "and at the model's masses, or lower its timestep"
            )
        self._commit(data)

    @contextmanager
    def install(self) -> Iterator[None]:
        """Within this context `mujoco.mj_step(model, data)` steps the motors, through MuJoCo's control callback.

        Commands are read from `command`, or from `data.ctrl` of the joints' actuators while that is None. The motors
        move on when the time of `data` does, so that `mj_forward` changes nothing.
        """
        if self._mujoco.get_mjcb_control() is not None:
            raise ParameterError("MuJoCo has a control callback already: mujoco.set_mjcb_control(None) takes it away")
        self._installed, self._seen = True, None
        self._mujoco.set_mjcb_control(self._callback)
        try:
            yield
        finally:
            self._mujoco.set_mjcb_control(None)
            self._installed = False
            if self._seen is not None:
                self._move_on(self._seen)
                self._hands.withdraw(self._seen)
            self._seen = None

    @property
    def command(self) -> RobotCommand | None:
        """The command of the motors within `install`; None: that of `data.ctrl`."""
        return self._command

    @command.setter
    def command(self, command: RobotCommand | None) -> None:
        self._names, self._told = ((), []) if command is None else self._commands.rows(command)
        self._command = command

    def _callback(self, model: MjModel, data: MjData) -> None:
        """MuJoCo is in the middle of a step and asks for the controls."""
        if model is not self.model:
            return
        if self._seen is not data:
            if self._seen is not None:
                raise ParameterError("Motors within install() step one MjData: make Motors of its own for another")
            self._check(data)
            self._seen = data
        self._move_on(data)
        if self._command is None:
            names, rows = (MAIN,), [self._from_ctrl(data)]
            self._commands.require_finite(names, rows)
        else:
            names, rows = self._names, self._told
        self._act(data, names, rows)

    def _move_on(self, data: MjData) -> None:
        """The motors follow the time of the data: forward with it, and back to the start where it was reset."""
        if self._time is None or data.time == self._time:
            return
        if data.time > self._time:
            self._commit(data)
        else:
            self.reset(data)

    def _from_ctrl(self, data: MjData) -> np.ndarray:
        bare = [joint for joint, hand in zip(self.joints, self._joints.actuators, strict=True) if hand < 0]
        if bare:
            raise ParameterError(
                f"joint {bare[0]!r} has no actuator whose data.ctrl could hold its command: set motors.command, or let "
                "Motors.prepare(spec, ...) add one"
            )
        if self._several:
            raise ParameterError(
                f"the actuator of joint {self._several[0]!r} has several controls, and the motors take one command "
                "each from data.ctrl: set motors.command"
            )
        return data.ctrl[self._joints.controls]

    def _act(self, data: MjData, names: tuple[str, ...], rows: list[np.ndarray]) -> None:
        """Find the torque of every motor and hand it to MuJoCo; the state waits for the step to be done."""
        if self._watch.awake:
            self._watch.look(names, rows)
        implicit, damped = self._hands.look(data)
        position, velocity = data.qpos[self._joints.positions], data.qvel[self._joints.dofs]
        if not self._begun:
            self._begin(velocity)
        off = self._hands.off
        if off is not None:
            self._torque = np.where(off, 0.0, self._torque)
        load, inertia = self._load.find(data, self._hands, self._torque, velocity)
        damping = self._hands.damping if damped else 0.0 * velocity
        inputs = np.array([*rows, position, velocity, load, inertia, damping, self._slip])
        self._after, found = self._step(names, self._state, inputs)
        if off is not None:
            self._after, found = rest(self.robot, self._step.outputs, off, self._state, self._after, found, velocity)
        ends, slope, grip, mean = found[: len(FOUND) + 1]
        speed = ends
        if len(ends) > 1 and grip.any():
            # joints that friction holds, it holds against each other
            mean, speed = self._load.solve(mean, slope + grip, ends, self._torque, velocity, self._dt)
        if not damped:
            slope = np.where(implicit & (self._joints.actuators >= 0), slope, 0.0)
        self._hands.give(data, mean + slope * (speed - velocity), slope, velocity, implicit)
        self._ends = ends
        self._pending = Report(self._step.outputs, found[len(FOUND) :], mean, slope, speed)
        self._time = data.time

    def _commit(self, data: MjData) -> None:
        """The step is done: the motors are where they are after it, and gave the torque of the speed that came."""
        self._done = self._finish_report(data)
        self._pending, self._state, self._time, self._ended = None, self._after, None, data.time
        self._torque = self._done.mean
        self._slip = self._dt * (data.qvel[self._joints.dofs] - self._ends)

    def _finish_report(self, data: MjData) -> Report:
        """What the motors did in a step of which MuJoCo is through."""
        assert self._pending is not None
        return self._pending.at(data.qvel[self._joints.dofs], self._hands.cut(data))

    def _begin(self, velocity: np.ndarray) -> None:
        """Rotors that backlash lets go begin with the speed of their joints."""
        self._begun = True
        for group, part in zip(self.robot.groups, self._state, strict=True):
            if "rotor_speed" in part and group.actuator.motor is not None:
                part["rotor_speed"] = group.actuator.motor.ratio * velocity[list(group.columns)]

    # --- what comes in

    def _check(self, data: MjData) -> None:
        """Check that the data is of this model and that the step is the same; raise `ParameterError` if not."""
        if not isinstance(data, self._mujoco.MjData):
            raise ParameterError(f"Motors: data = {type(data).__name__}: must be the mujoco.MjData of the model")
        if data.qvel.shape[0] != self.model.nv or data.qpos.shape[0] != self.model.nq:
            raise ParameterError(
                f"Motors: the data has {data.qvel.shape[0]} degrees of freedom and the model {self.model.nv}: "
                "make it with mujoco.MjData(motors.model)"
            )
        if self._data is None:
            self._data = data
        elif data is not self._data:
            raise ParameterError(
                "Motors: this is another MjData than that of the steps before, and the motors hold the currents and "
                "temperatures of one: motors.reset(data) starts them anew on it; for both, make Motors on a copy of "
                "the model"
            )
        if self.model.opt.timestep != self._dt:
            raise ParameterError(
                f"model.opt.timestep = {self.model.opt.timestep:g} s: the motors were made for {self._dt:g} s; make "
                "new ones"
            )

    # --- what comes out

    @property
    def output(self) -> Output:
        """What the motors did in the last step that is done, with one number per joint.

        `torque` is what MuJoCo got: the mean torque on the joint over the step, at the speed that came out of it, after
        every limit of the motor and of the model (`actuatorfrcrange`); M·(v' - v)/dt is the sum of it and of all other
        forces. Currents, voltages, temperatures and powers are those of the motor's own step. A motor whose actuator is
        disabled by its group gives no torque, carries no current and keeps its temperature. NaN before the first step
        and after a reset, and where a joint has no such quantity.
        """
        return self._report().output(slice(None))

    def __getitem__(self, joint: str) -> Output:
        """The same for one joint, as plain numbers."""
        if joint not in self.joints:
            raise ParameterError(f"no motor on joint {joint!r}; there are {', '.join(self.joints)}")
        return self._report().output(self.joints.index(joint))

    def _report(self) -> Report:
        """The last step that is done: within `install`, MuJoCo is through with it before the motors hear of it."""
        data = self._data
        if self._pending is not None and data is not None and self._time is not None and data.time > self._time:
            return self._finish_report(data)
        return self._done

    @property
    def state(self) -> tuple[State, ...]:
        """What the motors remember, one `State` of arrays for each group of like actuators (`robot.groups`)."""
        return self._step.states(self._after)
