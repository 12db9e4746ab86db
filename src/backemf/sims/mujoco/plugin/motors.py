"""Our motors inside MuJoCo: what `<dcmotor>` lacks, on the joints of a plain model.

    motors = Motors(model, {".*_knee": be.Actuator(motor, supply, controller=be.IdealPd(...))})
    motors.step(data, targets)                                  # in place of mujoco.mj_step(model, data)

Each step is MuJoCo's own, cut in two: `mj_step1` finds what the joint is up against, the motors find their torque
together with the speed that it leads to, and `mj_step2` moves the joints. Each MjData has motors of its own.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from ....actuator import Actuator
from ....checks import Number
from ....errors import ParameterError, SimulationError
from ....motor import Motor
from ....physics.state import Output, State
from ....robot.actuator_set import ActuatorSet
from ...mujoco_gains import warn_of_gains
from ...mujoco_joints import add_hands, find_joints, mujoco_module, robot_on
from ...mujoco_takeover import clear_model
from ...mujoco_types import MjData, MjModel, MjSpec
from ...robot_commands import Commands, RobotCommand
from ...robot_step import MAIN
from .hands import Hands
from .native_record import NativeRecord
from .record import ModelBlock, Record
from .records import Records
from .report import Report
from .robot_code import mujoco_library
from .simulation import PythonSteps, not_finite
from .step import JointStep


class Motors:
    """Motors on joints of a MuJoCo model, stepped with it.

    The model is changed: each joint gets the rotor's inertia as armature, and the actuator on it, if there is one,
    is driven by the motor (its gain, bias and force range are replaced; `data.ctrl` no longer acts by itself).
    `release` undoes that, and so do other motors that are put on the model. Friction and damping of the model's joints
    stay, as those of their bearings.

    Each `MjData` of the model has motors of its own, which are at rest and cold when it is first stepped. One thread at
    a time steps a model; `copies` are models for further threads.

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
        clear_model(model)
        self._joints = find_joints(model, self.robot, armature)
        self._hands = Hands(model, self._joints, armature)
        self._python = PythonSteps(model, self.robot, self._joints, self._hands, self._step)
        warn_of_gains(model, self.robot, self._joints)
        counts = getattr(model, "actuator_ctrlnum", np.ones(len(model.actuator_trntype)))
        hands = zip(self.joints, self._joints.actuators, strict=True)
        self._several = [joint for joint, hand in hands if hand >= 0 and counts[hand] != 1]
        self._commands = Commands(self.robot)
        self._command: RobotCommand | None = None
        self._names, self._told = (), []
        self._installed = False
        self._failure: Exception | None = None
        self._records = Records(model, self._joints, self._hands, self._step)

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

    def copies(self, count: int) -> list[MjModel]:
        """Models like this one, with the same motors on them, for threads: one thread at a time steps a model.

        `mujoco.rollout` takes a list of models. Copies are made of the model as it is now.
        """
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise ParameterError(f"Motors.copies({count!r}): must be a whole number of models, 0 or more")
        return self._records.copies(int(count))

    def reset(self, data: MjData | None = None, **values: Number) -> None:
        """Motors back to rest and ambient temperature, turning with the joints of `data`; `data` itself stays as it is.

        Without `data`, those of every MjData. States given by name start elsewhere, e.g. winding_rise=60.0, or with one
        number per joint.
        """
        known = self._records
        if not self._installed:
            # mj_forward before the first step sees no torque of the run before
            for block in known.blocks.values():
                self._hands.rest(block)
        state, turning = self._step.initial(**values), "rotor_speed" in values
        if data is None:
            known.start, known.turning = state, turning
            for record in known.all():
                known.begin(record, state, turning)
            known.last = None
            return
        record = known.of(data, self._names_now)
        if not self._installed:
            self._hands.withdraw(known.blocks[id(self.model)], record)
        known.begin(record, state, turning)
        known.last = record

    def release(self) -> None:
        """Give the model back its own actuators and armature; these motors are done."""
        if self._installed:
            raise ParameterError("Motors.release inside install(): release the motors when that context has ended")
        self._hands.release()

    def _require_model(self) -> None:
        if not self._hands.holds:
            raise ParameterError(
                "these motors are off the model: they were released, or others were put on it since; make new ones, "
                "with the motors of all its joints"
            )

    # --- a step

    def step(self, data: MjData, command: RobotCommand, *, model: MjModel | None = None) -> None:
        """One step of motors and model.

        Args:
            data: The `mujoco.MjData` of the model.
            command: The controllers' main inputs, without a controller volts: a number, an array with one per joint in
                the order of `joints`, or a dict by joint name; or a `Command` of arrays.
            model: One of `copies`, for a thread of its own; None: the model of the motors.
        """
        if self._installed:
            raise ParameterError("Motors.step inside install(): call mujoco.mj_step there, which steps the motors too")
        self._require_model()
        block = self._records.block(self.model if model is None else model)
        if block is None:
            raise ParameterError("Motors.step(model=...): must be one of motors.copies(count)")
        if block.model.opt.timestep != self._dt:
            raise self._changed_step(block.model)
        names, rows = self._commands.rows(command)
        record = self._records.of(data, names)
        if self._python.watch.awake:
            self._python.watch.look(names, rows)
        self._move_on(record)
        before = data.time
        self._mujoco.mj_step1(block.model, data)
        try:
            self._act(block, record, names, rows)
            self._mujoco.mj_step2(block.model, data)
        finally:
            if record.wrote or block.wrote:
                self._hands.withdraw(block, record)
        if data.time <= before:
            raise SimulationError(
                f"at t = {before:g} s MuJoCo found numbers that are not finite and started again: look at the command "
                "and at the model's masses, or lower its timestep"
            )
        self._commit(record)

    @contextmanager
    def install(self) -> Iterator[None]:
        """Within this context `mujoco.mj_step(model, data)` steps the motors, through MuJoCo's control callback.

        Commands are read from `command`, or from `data.ctrl` of the joints' actuators while that is None. The motors
        move on when the time of `data` does, so that `mj_forward` changes nothing; where time is not that at which
        their last step ended, as after `mj_resetData`, they begin anew. An error in a thread that is not
        one of Python's, such as those of `mujoco.rollout`, is raised at the end of the context, and so is it where
        somebody else has taken the callback away. After the context the actuators give no torque.
        """
        self._require_model()
        present = self._mujoco.get_mjcb_control()
        if present is not None:
            raise ParameterError(_occupied(present))
        self._tell_code()
        self._installed, self._failure = True, None
        self._mujoco.set_mjcb_control(self._callback)
        try:
            if self._records.code is not None:
                place = ctypes.c_void_p.in_dll(mujoco_library(self._mujoco), "mjcb_control")
                # the callback through Python stays for what is rare
                place.value = self._records.code.install(place.value) if place.value else None
            yield
            if self._mujoco.get_mjcb_control() != self._callback:
                raise SimulationError(
                    "MuJoCo's control callback was changed within install(), and from then on no step had motors: "
                    "leave mujoco.set_mjcb_control alone there, and call your own controller before mujoco.mj_step"
                )
        finally:
            if self._mujoco.get_mjcb_control() == self._callback:
                self._mujoco.set_mjcb_control(None)
            self._installed = False
            for record in self._records.all():
                self._move_on(record)
                for block in self._records.blocks.values():
                    self._hands.withdraw(block, record)
            for block in self._records.blocks.values():
                self._hands.rest(block)
        if self._failure is not None:
            raise self._failure

    @property
    def command(self) -> RobotCommand | None:
        """The command of the motors within `install`; None: that of `data.ctrl`."""
        return self._command

    @command.setter
    def command(self, command: RobotCommand | None) -> None:
        names, rows = ((), []) if command is None else self._commands.rows(command)
        if self._python.watch.awake and rows:
            self._python.watch.look(names, rows)
        self._names, self._told, self._command = names, rows, command
        if self._installed:
            self._tell_code()

    @property
    def _names_now(self) -> tuple[str, ...]:
        """Inputs of the command within `install`."""
        return (MAIN,) if self._command is None else self._names

    def _tell_code(self) -> None:
        """Let the compiled callback know where its commands come from."""
        names = self._names_now
        code = self._records.compiled(names)
        if code is None:
            return
        if self._command is None:
            # Python looks at commands that look like degrees, and says where there is none
            code.bounds[:] = self._python.watch.bounds if self._python.watch.awake else np.inf
            code.bounds[:] = np.nan if self._without_control() else code.bounds
        code.tell(names, None if self._command is None else np.array(self._told))

    def _callback(self, model: MjModel, data: MjData) -> None:
        """MuJoCo is in the middle of a step and asks for the controls."""
        block = self._records.block(model)
        if block is None:
            return
        try:
            record = self._records.of(data, self._names_now)
            self._move_on(record)
            if model.opt.timestep != self._dt:
                raise self._changed_step(model)
            if self._command is None:
                names, rows = (MAIN,), [self._from_ctrl(data)]
                self._commands.require_finite(names, rows)
                if self._python.watch.awake:
                    self._python.watch.look(names, rows)
                    self._tell_code()
            else:
                names, rows = self._names, self._told
            self._act(block, record, names, rows)
        except Exception as error:
            if not isinstance(threading.current_thread(), threading._DummyThread):
                raise
            # MuJoCo ends the process where a thread of its own is left by an exception
            self._failure = self._failure or error
            block.bias[self._joints.actuators[self._joints.actuators >= 0]] = 0.0

    def _move_on(self, record: Record) -> None:
        """A step that is done is kept; where the time is not that at which the last one ended, a new run begins."""
        now, begun, half = record.data.time, record.time, 0.5 * self._dt
        if math.isnan(begun):
            goes_on = math.isinf(record.ended) or abs(now - record.ended) <= half
        else:
            goes_on = now == begun or abs(now - begun - self._dt) <= half
        if not goes_on:
            self._records.begin(record, self._step.initial())
        elif now > begun:
            self._commit(record)

    def _without_control(self) -> str | None:
        """Why data.ctrl does not hold the commands of all motors; None where it does."""
        bare = [joint for joint, hand in zip(self.joints, self._joints.actuators, strict=True) if hand < 0]
        if bare:
            return (
                f"joint {bare[0]!r} has no actuator whose data.ctrl could hold its command: set motors.command, or let "
                "Motors.prepare(spec, ...) add one"
            )
        if self._several:
            return (
                f"the actuator of joint {self._several[0]!r} has several controls, and the motors take one command "
                "each from data.ctrl: set motors.command"
            )
        return None

    def _from_ctrl(self, data: MjData) -> np.ndarray:
        problem = self._without_control()
        if problem is not None:
            raise ParameterError(problem)
        return data.ctrl[self._joints.controls]

    def _act(self, block: ModelBlock, record: Record, names: tuple[str, ...], rows: list[np.ndarray]) -> None:
        """Find the torque of every motor and hand it to MuJoCo, by machine code where it can."""
        code = self._records.code
        if code is not None and isinstance(record, NativeRecord):
            told = np.array(rows)
            if code.before(block, record, told) == 0:
                self._python.load.look(block, record)
                code.after(block, record, names, told)
                return
        self._records.claim(block, record)
        self._python.act(block, record, names, rows)
        self._records.last = record

    def _commit(self, record: Record) -> None:
        """The step is done."""
        if isinstance(record, NativeRecord) and self._records.code is not None:
            self._records.code.commit(record)
            if record.ended == record.data.time:
                return
        elif self._python.commit(record):
            return
        if not self._installed:
            raise not_finite(self._joints, record)

    def _changed_step(self, model: MjModel) -> ParameterError:
        return ParameterError(
            f"model.opt.timestep = {model.opt.timestep:g} s: the motors were made for {self._dt:g} s; make new ones"
        )

    # --- what comes out

    @property
    def output(self) -> Output:
        """What the motors did in the last step that is done, with one number per joint; of the MjData stepped last.

        `torque` is what MuJoCo got: the mean torque on the joint over the step, at the speed that came out of it, after
        every limit of the motor and of the model (`actuatorfrcrange`); M·(v' - v)/dt is the sum of it and of all other
        forces. Currents, voltages, temperatures and powers are those of the motor's own step. A motor whose actuator is
        disabled by its group gives no torque, carries no current and keeps its temperature. NaN before the first step
        and after a reset, and where a joint has no such quantity.
        """
        return self._report(self._records.last).output(slice(None))

    def output_of(self, data: MjData) -> Output:
        """The same for the motors of one MjData."""
        return self._report(self._known(data)).output(slice(None))

    def __getitem__(self, joint: str) -> Output:
        """The same for one joint, as plain numbers."""
        if joint not in self.joints:
            raise ParameterError(f"no motor on joint {joint!r}; there are {', '.join(self.joints)}")
        return self._report(self._records.last).output(self.joints.index(joint))

    @property
    def state(self) -> tuple[State, ...]:
        """What the motors remember, one `State` of arrays for each group of like actuators (`robot.groups`)."""
        record = self._records.last
        return self._step.states(self._records.start if record is None else record.after)

    def state_of(self, data: MjData) -> tuple[State, ...]:
        """The same for the motors of one MjData."""
        return self._step.states(self._known(data).after)

    def _known(self, data: MjData) -> Record:
        record = self._records.known(data)
        if record is None:
            raise ParameterError("Motors: this MjData has not been stepped with these motors yet")
        return record

    def _report(self, record: Record | None) -> Report:
        if record is None:
            return Report.empty(self._step.outputs, len(self.robot))
        return self._python.report(record)


def _occupied(present: Callable) -> str:
    """Why there is no room for a control callback."""
    other = getattr(present, "__self__", None)
    if isinstance(other, Motors):
        return (
            "MuJoCo has one control callback, and motors are installed in it already: step one of the robots with "
            "motors.step(data, command)"
        )
    return (
        "MuJoCo has a control callback already: mujoco.set_mjcb_control(None) takes it away; call your own controller "
        "before mujoco.mj_step"
    )
