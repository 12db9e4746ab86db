"""What the motors of one MjData remember, and what stands in the dampings of one model."""

from __future__ import annotations

import threading

import numpy as np

from ....errors import ParameterError
from ...mujoco_types import MjData, MjModel
from ...robot_step import RobotState
from .memory import HEAD, MODEL, MODEL_VECTORS, VECTORS, address

BUSY = (
    "another thread is in the middle of a step with this model, to which motors write how fast their torque falls with "
    "speed: give each thread a model of its own, motors.copies(count)"
)
"""What is said where threads share a model."""


class Record:
    """The motors of one MjData, in memory that machine code knows too.

    Args:
        data: A `mujoco.MjData`.
        count: Number of joints with motors.
        size: Elements of memory; None: those that every record has.
    """

    torque: np.ndarray
    """Torque that the motors gave in the last step that is done [N·m]."""
    slip: np.ndarray
    """How much further than foreseen the joints went in it [rad]."""
    ends: np.ndarray
    """Speeds at which each joint alone would end this step [rad/s]."""
    mean: np.ndarray
    """Mean torque in this step, if it ends at `speed` [N·m]."""
    slope: np.ndarray
    """How fast it falls with the speed at the end [N·m·s/rad]."""
    speed: np.ndarray
    """Joint speeds at the end of this step, as foreseen [rad/s]."""
    applied: np.ndarray
    """Forces that the user applies to the joints [N·m]."""
    applied_written: np.ndarray
    """What stands there instead [N·m]."""
    done_mean: np.ndarray
    """Mean torque in the last step that is done [N·m]."""
    done_slope: np.ndarray
    """Its slope [N·m·s/rad]."""
    done_speed: np.ndarray
    """Speeds at its end [rad/s]."""
    done_cut: np.ndarray
    """What the model's own limits took off its torque [N·m]."""

    def __init__(self, data: MjData, count: int, size: int | None = None):
        self.data, self.count = data, count
        self.memory = np.zeros(len(HEAD) + count * len(VECTORS) if size is None else size)
        self.whole = self.memory.view(np.int64)
        # where MuJoCo has the data, and where this record is
        self.places = getattr(data, "_address", 0), address(self.memory)
        self.whole[HEAD.index("data")] = self.places[0]
        for k, name in enumerate(VECTORS):
            first = len(HEAD) + k * count
            setattr(self, name, self.memory[first : first + count])
        self._state: RobotState = ()
        self._after: RobotState = ()
        self._rows = self._done_rows = np.zeros((0, count))

    # --- numbers of the head

    @property
    def time(self) -> float:
        """Time at the start of the step that is not done yet [s]; NaN: there is none."""
        return float(self.memory[0])

    @time.setter
    def time(self, value: float) -> None:
        self.memory[0] = value

    @property
    def ended(self) -> float:
        """Time at the end of the last step [s]."""
        return float(self.memory[1])

    @ended.setter
    def ended(self, value: float) -> None:
        self.memory[1] = value

    @property
    def begun(self) -> bool:
        """Whether rotors that backlash lets go turn by themselves, rather than begin with their joints."""
        return bool(self.memory[2])

    @begun.setter
    def begun(self, value: bool) -> None:
        self.memory[2] = value

    @property
    def wrote(self) -> bool:
        """Whether forces were written beside those of the user."""
        return bool(self.memory[3])

    @wrote.setter
    def wrote(self, value: bool) -> None:
        self.memory[3] = value

    # --- states and outputs

    @property
    def state(self) -> RobotState:
        """States after the last step that is done."""
        return self._state

    @state.setter
    def state(self, state: RobotState) -> None:
        self._state = state

    @property
    def after(self) -> RobotState:
        """States after the step that is not done yet, or after the last one."""
        return self._after

    @after.setter
    def after(self, state: RobotState) -> None:
        self._after = state

    @property
    def rows(self) -> np.ndarray:
        """Outputs of the step that is not done yet, a row of each."""
        return self._rows

    @rows.setter
    def rows(self, rows: np.ndarray) -> None:
        self._rows = rows

    @property
    def done_rows(self) -> np.ndarray:
        """Outputs of the last step that is done."""
        return self._done_rows

    def keep(self) -> None:
        """The step is done: its states and outputs are those of the last one."""
        self._state, self._done_rows = self._after, self._rows

    def start(self, state: RobotState, outputs: int) -> None:
        """Motors at the start, in a state, with nothing done yet."""
        self.state = self.after = state
        self.torque[:] = self.slip[:] = self.done_cut[:] = 0.0
        self.done_mean[:] = self.done_slope[:] = self.done_speed[:] = np.nan
        self._clear(outputs)
        self.time, self.ended, self.begun = np.nan, -np.inf, False

    def _clear(self, outputs: int) -> None:
        self._rows = self._done_rows = np.full((outputs, self.count), np.nan)


class ModelBlock:
    """What the motors have written to a model, and which thread steps it."""

    standing: np.ndarray
    """Slope that stands in the joints' dampings [N·m·s/rad]."""
    damping: np.ndarray
    """Dampings of the joints themselves [N·m·s/rad]."""
    damping_written: np.ndarray
    """What stands there instead [N·m·s/rad]."""

    def __init__(self, model: MjModel, count: int):
        self.model, self.bias = model, model.actuator_biasprm
        self.memory = np.zeros(len(MODEL) + count * len(MODEL_VECTORS))
        # where this block is, and where MuJoCo has the model
        self.places = address(self.memory), getattr(model, "_address", 0)
        self.whole = self.memory.view(np.int64)
        for k, name in enumerate(MODEL_VECTORS):
            first = len(MODEL) + k * count
            setattr(self, name, self.memory[first : first + count])
        self._holder: tuple[int, Record] | None = None

    @property
    def wrote(self) -> bool:
        """Whether dampings were written beside those of the user."""
        return bool(self.whole[MODEL.index("wrote")])

    @wrote.setter
    def wrote(self, value: bool) -> None:
        self.whole[MODEL.index("wrote")] = value

    def claim(self, record: Record) -> None:
        """This thread steps the model with a record; raises ParameterError where another may be in the middle of it."""
        me = threading.get_ident()
        if self._holder is not None and self._holder[0] != me:
            other = self._holder[1]
            if self.wrote or (other.time == other.time and not other.data.time > other.time):
                raise ParameterError(BUSY)
        self._holder = me, record
        # from here on this thread is in the middle of a step
        record.time = record.data.time

    def forget(self, record: Record) -> None:
        """The data of a record goes."""
        if self._holder is not None and self._holder[1] is record:
            self._holder = None
