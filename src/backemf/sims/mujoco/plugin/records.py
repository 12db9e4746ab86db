"""Which MjData and which models the motors of a robot know, and what they remember of each."""

from __future__ import annotations

import copy
import sys
import threading
from contextlib import suppress

from ....errors import ParameterError
from ...mujoco_joints import Joints, mujoco_module
from ...mujoco_types import MjData, MjModel
from ...robot_step import MAIN, RobotState
from .hands import Hands
from .native_record import NativeRecord
from .record import BUSY, ModelBlock, Record
from .robot_code import RobotCode
from .step import JointStep


class Records:
    """The motors of every MjData that was stepped, and the models that they are on.

    An MjData is kept as long as compiled code may meet it: until another comes and nobody else has it any more.
    """

    def __init__(self, model: MjModel, joints: Joints, hands: Hands, step: JointStep):
        self._model, self._joints, self._hands, self._step = model, joints, hands, step
        self._data_type = mujoco_module().MjData
        self.lock = threading.RLock()
        self.blocks = {id(model): ModelBlock(model, len(joints.names))}
        self._records: dict[int, Record] = {}
        self._last: Record | None = None
        self.code: RobotCode | None = None
        """The motors as machine code; None: not tried yet, or they cannot be."""
        self._tried = False
        self.start: RobotState = step.initial()
        """The state of motors that are seen for the first time."""
        self.turning = False
        """Whether the speeds of rotors are among what was given."""

    def all(self) -> list[Record]:
        """The motors of every MjData."""
        return list(self._records.values())

    def compiled(self, names: tuple[str, ...]) -> RobotCode | None:
        """The motors as machine code, made for a command of these inputs first; None where they cannot be."""
        with self.lock:
            if not self._tried:
                self._tried = True
                with suppress(LookupError):
                    code = RobotCode(self._model, self._joints, self._hands, self._step, names)
                    self._step.outputs = code.outputs
                    for block in self.blocks.values():
                        code.add_model(block)
                    self.code = code
        return self.code

    # --- models

    def block(self, model: MjModel) -> ModelBlock | None:
        """What the motors have written to a model; None where they are not on it."""
        found = self.blocks.get(id(model))
        return found if found is not None and found.model is model else None

    def copies(self, count: int) -> list[MjModel]:
        """Models like that of the motors."""
        made = [copy.copy(self._model) for _ in range(count)]
        with self.lock:
            for model in made:
                block = self.blocks[id(model)] = ModelBlock(model, len(self._joints.names))
                if self.code is not None:
                    self.code.add_model(block)
        return made

    def claim(self, block: ModelBlock, record: Record) -> None:
        """This thread steps a model; raises ParameterError where another may be in the middle of a step with it."""
        if self.code is None or not isinstance(record, NativeRecord):
            block.claim(record)
        elif not self.code.claim(block, record):
            raise ParameterError(BUSY)

    # --- data

    def known(self, data: MjData) -> Record | None:
        """The motors of an MjData; None where it has not been stepped."""
        found = self._records.get(id(data))
        return found if found is not None and found.data is data else None

    def of(self, data: MjData, names: tuple[str, ...] = (MAIN,)) -> Record:
        """The motors of an MjData, made where it is new; raises ParameterError where it does not fit the model."""
        found = self.known(data)
        if found is not None:
            return found
        if not isinstance(data, self._data_type):
            raise ParameterError(f"Motors: data = {type(data).__name__}: must be the mujoco.MjData of the model")
        if data.qvel.shape[0] != self._model.nv or data.qpos.shape[0] != self._model.nq:
            raise ParameterError(
                f"Motors: the data has {data.qvel.shape[0]} degrees of freedom and the model {self._model.nv}: "
                "make it with mujoco.MjData(motors.model)"
            )
        with self.lock:
            self._sweep()
            code = self.compiled(names)
            record = Record(data, len(self._joints.names)) if code is None else code.record(data)
            self.begin(record, self.start, self.turning)
            self._records[id(data)] = record
        return record

    def begin(self, record: Record, state: RobotState, turning: bool = False) -> None:
        """Motors at the start, in a state."""
        record.start(state, len(self._step.outputs))
        record.begun = turning

    def _sweep(self) -> None:
        """Let go of every MjData that nobody else has any more."""
        for key in list(self._records):
            record = self._records[key]
            # one reference is the record's, the other that of the call
            if sys.getrefcount(record.data) > 2 or record is self.last:
                continue
            for block in self.blocks.values():
                block.forget(record)
            if self.code is not None and isinstance(record, NativeRecord):
                self.code.forget(record, list(self.blocks.values()))
            del self._records[key]

    # --- the last one

    @property
    def last(self) -> Record | None:
        """The motors that were stepped last; None: none were since the last reset of all."""
        place = 0 if self.code is None else self.code.last
        for record in (self._last, *self._records.values()) if place else ():
            if record is not None and record.places[1] == place:
                return record
        return self._last

    @last.setter
    def last(self, record: Record | None) -> None:
        self._last = record
        if self.code is not None:
            self.code.last = 0 if record is None else record.places[1]
