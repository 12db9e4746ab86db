"""All motors of a robot as machine code inside MuJoCo: the memory that it works on, and the functions to call.

Where this cannot be, such as for networks, a shared supply, or a MuJoCo that keeps its masses otherwise, the motors run
through Python, with the same results.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import fields
from functools import lru_cache
from types import ModuleType
from typing import cast

import numpy as np

from ....actuator import Command
from ....engines.llvm_function import LANES
from ....engines.machine_code import compile_text
from ....engines.native_engine import COMMON
from ....physics.state import OUTPUTS
from ....values import Module
from ...mujoco_joints import Joints, mujoco_module
from ...mujoco_types import MjData, MjModel
from ...robot_step import FOUND, JOINT
from .contacts import SAME, contact_memory, contact_places, mass_entries, solved_freedoms
from .glue import Setting
from .hands import Hands
from .memory import CONTEXT, GROUP, HEAD, INTEGRATORS, VECTORS, Table, address
from .native import NativeStep
from .native_record import GroupRows, NativeRecord
from .places import find_places, places_hold
from .record import ModelBlock
from .step import JointStep
from .text import text_for

_FUNCTIONS = {
    "before": (ctypes.c_int64, 6, ()),
    "after": (None, 6, (ctypes.c_int64, ctypes.c_void_p)),
    "commit": (None, 3, ()),
    "claim": (ctypes.c_int64, 3, ()),
    "forget": (None, 2, ()),
}
"""Functions of the compiled text: what they return, how many places they take, and what comes after those."""
MOST_INPUTS = len(fields(Command)) + 1
"""How many inputs a command has at most."""


class RobotCode:
    """The machine code of a robot's motors; raises LookupError where it cannot be.

    Args:
        model: The model that the motors are on, after `Hands` has changed it.
        joints: Its joints with motors.
        hands: How torque reaches MuJoCo.
        step: The laws of all motors.
        names: Inputs of the command that they are compiled for first.
    """

    def __init__(self, model: MjModel, joints: Joints, hands: Hands, step: JointStep, names: tuple[str, ...]):
        if step.engine != "native":
            raise LookupError("the motors run on another engine")
        self._mujoco, self._step, self.count = mujoco_module(), step, len(joints.names)
        probe = self._mujoco.MjData(model)
        if not places_hold(model, probe):
            raise LookupError("the model keeps its arrays elsewhere")
        self._functions = _functions(self._mujoco, width_of(self.count), solved_freedoms(model))
        self.context = np.zeros(len(CONTEXT) + len(INTEGRATORS), np.int64)
        self.place = address(self.context)
        self._kept: list[np.ndarray] = []
        self._programs: dict[tuple[str, ...], int] = {}
        self.datas, self.models = Table(), Table()
        self.initial = step.initial()
        self.bounds = np.full(self.count, np.inf)
        """Size of a command from data.ctrl beyond which Python looks at it."""
        self._told = np.zeros((MOST_INPUTS, self.count))
        self._put_joints(model, joints, hands)
        self._put_factors(model, probe, joints)
        self._put_groups(joints, names)
        self._put_numbers(model)
        self._put_contacts(model)
        self.set_tables()

    # --- what the code works on

    def _set(self, **values: int | np.ndarray) -> None:
        """Numbers of the context, and places of arrays, which are kept."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value = np.ascontiguousarray(value, np.int64 if value.dtype.kind in "iub" else np.float64)
                self._kept.append(value)
                value = address(value)
            self.context[(*CONTEXT, *INTEGRATORS).index(name)] = value

    def _put_joints(self, model: MjModel, joints: Joints, hands: Hands) -> None:
        freedoms = np.full(model.nv, -1)
        freedoms[joints.dofs] = np.arange(self.count)
        self._set(
            count=self.count, controls=int(model.nu), bias_width=model.actuator_biasprm.shape[1], dofs=joints.dofs,
            positions=joints.positions, places=joints.controls, actuators=joints.actuators, gears=joints.gears,
            armature=joints.armature, all_have=int(hands.all_have), freedoms=freedoms, bounds=self.bounds,
            actuator_count=len(model.actuator_trntype), timestep=np.array([self._step.dt]),
            gravity=model.jnt_actgravcomp[joints.ids] != 0,
        )  # fmt: skip
        # nothing but motors, and nothing between them and their joints
        rest = (model.jnt_actfrclimited, model.jnt_actgravcomp, model.actuator_damping, model.actuator_dampingpoly)
        driven = int((joints.actuators >= 0).sum()) == len(model.actuator_trntype)
        self._set(freedom_count=model.nv, only_motors=int(driven and not any(np.any(each) for each in rest)))
        if hands.clipped.any():
            self._set(clipped=hands.clipped)

    def _put_factors(self, model: MjModel, data: MjData, joints: Joints) -> None:
        """Ancestors of the joints and the factors between them; raises LookupError where MuJoCo keeps others."""
        entries = {
            dof: list(enumerate(model.M_colind[begin : begin + length].tolist(), start=int(begin)))
            for dof, (begin, length) in enumerate(zip(model.M_rowadr, model.M_rownnz, strict=True))
        }
        needed = sorted({column for dof in joints.dofs for _, column in entries[dof]})
        slots = {dof: k for k, dof in enumerate(needed)}
        if any(row[-1][1] != dof for dof, row in entries.items()) or any(
            column not in slots for dof in needed for _, column in entries[dof]
        ):
            raise LookupError("the mass matrix is kept otherwise")
        self._width = width_of(self.count)
        # for each row of the inverse, the rows of its descendants and the factors between them
        below: list[list[tuple[int, int]]] = [[] for _ in needed]
        for dof in needed:
            for entry, column in entries[dof][:-1]:
                below[slots[column]].append((slots[dof] * self._width, entry))
        units = np.zeros((len(needed), self._width))
        units[[slots[dof] for dof in joints.dofs.tolist()], np.arange(self.count)] = 1.0
        paths = [[slots[column] for _, column in entries[dof]] for dof in joints.dofs.tolist()]
        begins = np.cumsum([0, *map(len, paths)])
        self._set(
            paths=np.concatenate(paths), path_begins=begins, units=units, slots=len(needed), slot_dofs=np.array(needed),
            factors=np.array([pair for pairs in below for pair in pairs], np.int64),
            factor_begins=np.cumsum([0, *map(len, below)]),
        )  # fmt: skip
        require_factors(self._mujoco, model, data, joints, units, np.array(needed), below)

    def _put_groups(self, joints: Joints, names: tuple[str, ...]) -> None:
        run = cast(NativeStep, self._step.run(names))
        bounds = [group.bind(part) for group, part in zip(run.groups, self.initial, strict=True)]
        self.outputs = tuple(name for name in OUTPUTS if any(name in group.outputs for group in run.groups))
        first = len(HEAD) + self.count * len(VECTORS)
        slots, inputs = int(self.context[CONTEXT.index("slots")]), MOST_INPUTS + len(JOINT)
        self._set(columns=first, matrix=first + slots * self._width)
        # below the matrix are two rows of its width
        first += (slots + self.count + 2) * self._width
        plans = [(group, bound.plan, len(group.columns)) for group, bound in zip(run.groups, bounds, strict=True)]
        sizes = [(len(plan.state_names) + plan.frames) * count for _, plan, count in plans]
        outs = [(len(FOUND) + len(group.outputs)) * count for group, _, count in plans]
        begins = np.cumsum([first, sum(sizes), sum(sizes), sum(outs), sum(outs)])
        self._set(
            state_at=int(begins[0]), after_at=int(begins[1]), out_at=int(begins[2]), done_at=int(begins[3]),
            state_size=sum(sizes), out_size=sum(outs), group_count=len(plans),
        )  # fmt: skip
        at, given_at = begins.copy(), int(begins[4])
        self.groups, table = [], np.zeros((len(plans), len(GROUP)), np.int64)
        for k, ((group, plan, count), part) in enumerate(zip(plans, self.initial, strict=True)):
            pieces = [
                slice(int(a), int(a) + size) for a, size in zip(at, (sizes[k],) * 2 + (outs[k],) * 2, strict=False)
            ]
            columns, states = np.array(group.columns, np.int64), plan.state_names
            self._kept.append(columns)
            lines = {name.removeprefix("state."): len(line) for name, line in plan.traces.lines.items()}
            shapes = {name: np.shape(part[name]) for name in states if name in COMMON}
            whole = frozenset(states[i] for i in plan.whole_states)
            self.groups.append(GroupRows(columns, states, whole, shapes, lines, group.outputs, *pieces))
            table[k] = (
                count, address(columns), len(states), plan.frames, pieces[0].start, pieces[1].start, given_at,
                pieces[2].start,
            )  # fmt: skip
            given_at += sizes[k] + inputs * count
            at[:4] += (sizes[k], sizes[k], outs[k], outs[k])
        self._size = given_at
        start = np.zeros(sum(sizes))
        begin = 0
        for rows, part, size in zip(self.groups, self.initial, sizes, strict=True):
            rows.write(start[begin : begin + size], part)
            begin += size
        self._set(groups=table, initial=start)
        self._put_rotors()

    def _put_rotors(self) -> None:
        """Rotors that backlash lets go: where their speed is, on which joint, behind which ratio."""
        rows, ratios = [], []
        for group, own in zip(self._step.groups, self.groups, strict=True):
            motor = group.actuator.motor
            if "rotor_speed" not in own.names or motor is None:
                continue
            first = own.state.start + own.names.index("rotor_speed") * len(own.columns)
            rows += [(first + k, column) for k, column in enumerate(own.columns.tolist())]
            ratios += np.broadcast_to(np.asarray(motor.ratio, float), len(own.columns)).tolist()
        self._set(rotors=np.array(rows, np.int64), ratios=np.array(ratios), rotor_count=len(rows))

    def _put_numbers(self, model: MjModel) -> None:
        mujoco, library = self._mujoco, mujoco_library(self._mujoco)
        kinds, flags = mujoco.mjtIntegrator, mujoco.mjtDisableBit
        stages = {
            "actuation": "mj_fwdActuation",
            "acceleration": "mj_fwdAcceleration",
            "constraint": "mj_fwdConstraint",
        }
        self._set(
            euler=int(kinds.mjINT_EULER), implicit=int(kinds.mjINT_IMPLICIT),
            implicitfast=int(kinds.mjINT_IMPLICITFAST), no_actuation=int(flags.mjDSBL_ACTUATION),
            no_damper=int(flags.mjDSBL_DAMPER), no_euler=int(flags.mjDSBL_EULERDAMP), thread=_thread_function(),
            **{name: _address(getattr(library, function)) for name, function in stages.items()},
        )  # fmt: skip

    def _put_contacts(self, model: MjModel) -> None:
        """What the solution of contacts works on; without `newton` they are all left to MuJoCo."""
        freedoms, library = solved_freedoms(model), mujoco_library(self._mujoco)
        if not freedoms:
            return
        entries = mass_entries(model)
        names = {"mass_times": "mj_mulM", "jacobian_times": "mj_mulJacVec", "constraint_update": "mj_constraintUpdate"}
        self._set(
            newton=1, contacts_at=self._size, mass_entries=entries, mass_count=len(entries),
            **{name: _address(getattr(library, function)) for name, function in names.items()},
            **{name: int(getattr(model.opt, name)) for name in SAME},
        )  # fmt: skip
        self._size += contact_memory(freedoms)["end"]

    def set_tables(self) -> None:
        """Where the tables of data and models are now."""
        self._set(datas=self.datas.address, models=self.models.address)

    def programs(self, names: tuple[str, ...]) -> int:
        """Where the compiled laws of all groups are, under a command of these inputs."""
        found = self._programs.get(names)
        if found is None:
            run = cast(NativeStep, self._step.run(names))
            pairs = zip(run.groups, self.initial, strict=True)
            rows = np.array([group.bind(part).places(len(group.columns)) for group, part in pairs], np.int64)
            self._kept.append(rows)
            found = self._programs[names] = address(rows)
        return found

    # --- records and models

    def record(self, data: MjData) -> NativeRecord:
        """The motors of a data, which must not be gone before `forget`."""
        made = NativeRecord(data, self.count, self._size, self.groups, self.outputs)
        made.start(self.initial, len(self.outputs))
        self.datas.set(*made.places)
        self.set_tables()
        return made

    def add_model(self, block: ModelBlock) -> None:
        """A model that the motors are on."""
        self.models.set(block.places[1], block.places[0])
        self.set_tables()

    def forget(self, record: NativeRecord, blocks: list[ModelBlock]) -> None:
        """The data of a record goes."""
        for block in blocks:
            self._functions["forget"](block.places[0], record.places[1])
        self.datas.set(record.places[0], 0)
        self.set_tables()

    # --- a step

    def before(self, block: ModelBlock, record: NativeRecord, rows: np.ndarray) -> int:
        """Hand over the last torque, for MuJoCo's look at the load; a code other than 0: Python has to."""
        return self._functions["before"](self.place, *block.places, *record.places, address(rows))

    def after(self, block: ModelBlock, record: NativeRecord, names: tuple[str, ...], rows: np.ndarray) -> None:
        """The torque of this step."""
        self._functions["after"](
            self.place, *block.places, *record.places, self.programs(names), len(names), address(rows)
        )  # fmt: skip

    def commit(self, record: NativeRecord) -> None:
        """The step is done."""
        self._functions["commit"](self.place, *record.places)

    def claim(self, block: ModelBlock, record: NativeRecord) -> bool:
        """Whether this thread may step a model."""
        return not self._functions["claim"](self.place, block.places[0], record.places[1])

    # --- the callback

    def install(self, slow: int) -> int:
        """The place of a control callback for these motors; `slow` is that of the one that goes through Python."""
        self._set(slow=slow)
        self._functions["context"].value = self.place
        return self._functions["callback"]

    def tell(self, names: tuple[str, ...], rows: np.ndarray | None) -> None:
        """What motors are told within `install`: rows of inputs, or None for the numbers of data.ctrl."""
        if rows is not None:
            self._told[: len(names)] = rows
        self._set(rows=0 if rows is None else address(self._told), names=len(names))
        self._set(programs=self.programs(names))

    @property
    def last(self) -> int:
        """Place of the record that was stepped last."""
        return int(self.context[CONTEXT.index("last")])

    @last.setter
    def last(self, place: int) -> None:
        self.context[CONTEXT.index("last")] = place


def require_factors(
    mujoco: ModuleType, model: MjModel, data: MjData, joints: Joints, units: np.ndarray, dofs: np.ndarray,
    below: list[list[tuple[int, int]]],
) -> None:  # fmt: skip
    """Check that the inverse masses are those that MuJoCo finds itself; raise LookupError if not."""
    mujoco.mj_fwdPosition(model, data)
    count = len(joints.names)
    each, found = np.zeros((count, model.nv)), np.zeros((count, model.nv))
    each[np.arange(count), joints.dofs] = 1.0
    mujoco.mj_solveM(model, data, found, each)
    columns, width = units.copy(), units.shape[1]
    for slot in reversed(range(len(below))):
        for source, entry in below[slot]:
            columns[slot] -= data.qLD[entry] * columns[source // width]
    own = ((columns * data.qLDiagInv[dofs][:, None]).T @ columns)[:count, :count]
    if not np.allclose(own, found[:, joints.dofs], rtol=1e-9, atol=1e-12 * np.abs(own).max()):
        raise LookupError("the mass matrix is factored otherwise")


@lru_cache(maxsize=1)
def mujoco_library(mujoco: ModuleType) -> ctypes.CDLL:
    """MuJoCo's own library, which is loaded already; raises LookupError where there is none of its version."""
    folder = os.path.dirname(str(mujoco.__file__))
    names = [n for n in sorted(os.listdir(folder)) if n.startswith(("libmujoco.", "mujoco.dll"))]
    for name in names:
        if ".so" in name or name.endswith((".dylib", ".dll")):
            try:
                library = ctypes.CDLL(os.path.join(folder, name))
            except OSError as error:
                raise LookupError(str(error)) from None
            if library.mj_version() == mujoco.mj_version():
                return library
    raise LookupError("MuJoCo's library is not where Python's package is")


def width_of(count: int) -> int:
    """Numbers in a row of a matrix between so many joints."""
    return -(-count // LANES) * LANES


@lru_cache(maxsize=16)
def _functions(mujoco: ModuleType, width: int, freedoms: int) -> dict[str, Module]:
    """The compiled functions, by name; those that Python calls hold its lock, since they take a microsecond."""
    mujoco_library(mujoco)
    of_model, of_data = (dict(places) for places in find_places())
    more = contact_places()
    if more is not None:
        of_model, of_data = of_model | more[0], of_data | more[1]
    engine = compile_text(text_for(Setting(of_model, of_data, width, freedoms)), optimize=True)
    found: dict[str, Module] = {"engine": engine}
    for name, (returns, places, more) in _FUNCTIONS.items():
        kind = ctypes.PYFUNCTYPE(returns, *[ctypes.c_void_p] * places, *more)
        found[name] = kind(engine.get_function_address(name))
    found["callback"] = engine.get_function_address("callback")
    found["context"] = ctypes.c_void_p.from_address(engine.get_global_value_address("context"))
    return found


def _thread_function() -> int:
    """A function of the system that tells threads apart."""
    if os.name == "nt":
        return _address(ctypes.windll.kernel32.GetCurrentThreadId)
    return _address(ctypes.CDLL(None).pthread_self)


def _address(function: Module) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
