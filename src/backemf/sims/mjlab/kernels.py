"""Motors of one config in kernels of Warp beside MuJoCo Warp's: one launch before a physics step, one after it.

The launch before reads targets, joints and loads out of the simulation's own tables, and writes the torque and, for an
integrator that takes it, its slope. The launch after steps the motors along the motion that came of it. Nothing is
read back to the host, and each launch is recorded once.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import warp as wp

from ...actuator import Actuator
from ...actuator.compiled import with_outputs
from ...actuator.memory import initial_state
from ...engines import bind, load
from ...engines.warp_engine import Stepper
from ...engines.warp_tables import TableLaunch
from ...parts import without_neutral
from ...physics.state import STATES, Output
from ...tree import map_numbers
from ...values import Foreign, Module
from . import kernel_laws
from .kernel_programs import Batch, Written, is_tensor, write_after, write_before, write_reset
from .slopes import FIELD, make_room

if TYPE_CHECKING:
    from .types import Entity, EnvIds, SimData, SimModel, Tensors

LOADS = ("qfrc_passive", "qfrc_constraint", "qfrc_applied", "qfrc_bias", "M")
"""Tables of the torques that move joints besides their motors, and the mass matrix."""
TARGETS = {"position": "joint_pos_target", "velocity": "joint_vel_target", "effort": "joint_effort_target"}
"""Tables of the targets."""
TOLD = {"position": "position_target", "velocity": "velocity_target", "effort": "effort_target"}
"""The same in a command of mjlab's."""
WIDTH = 10
"""Numbers of the bias of one actuator."""
Arrays = Mapping[str, wp.array]
"""Arrays by name."""


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where the joints of a config are in the tables of the simulation, and what is known of them."""

    joint: list[int]
    """Their columns among the joints of the robot."""
    position: list[int]
    """Their columns in `qpos`."""
    dof: list[int]
    """Their columns in `qvel` and the torques."""
    mass: list[int]
    """Their columns on the diagonal of the mass matrix."""
    actuator: list[int]
    """Their actuators in the model."""
    share: np.ndarray
    """Inertia that a torque meets over that diagonal [1]."""
    armature: np.ndarray
    """The motor's share of the inertia [kg·m²]."""
    room: np.ndarray
    """Largest torque that each joint passes [N·m]; inf: any."""

    def columns(self) -> dict[str, list[int]]:
        """Columns by the names of the programs."""
        level = [WIDTH * k for k in self.actuator]
        own = {"joint": self.joint, "position": self.position, "velocity": self.dof, "dof": self.dof}
        return own | {"mass": self.mass, "level": level, "slope": [2 + k for k in level]}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What motors are made for."""

    line: bool
    """Whether the integrator takes the slope of the torque."""
    needs_load: bool
    """Whether friction or gears depend on the load."""
    telemetry: tuple[str, ...] | None
    """Outputs that can be read; None: all."""
    rest: Output
    """What they are after a reset."""
    seed: int
    """Random seed of the delay."""
    dt: float
    """Physics step [s]."""


class KernelMotors:
    """Steps the motors of one config; the tensors of the actuator are read anew at each step."""

    def __init__(
        self, actuator: Actuator, places: Places, setting: Setting, model: SimModel, data: SimData, entity: Entity
    ):
        self._model, self._tables, self._entity = model, tables_of(data), entity
        self.shape, self.device = (int(data.nworld), len(places.joint)), self._tables.qpos.device
        line = self._line = setting.line
        if line:
            make_room(model, self.shape[0])
        engine, place = load("warp"), {"dtype": "float32", "device": self.device}
        actuator = map_numbers(without_neutral(actuator), as_array)
        laws, kind = bind(kernel_laws, "warp", engine.ops), "line" if line else "held"
        before: Stepper = engine.compile_step(getattr(laws, f"{kind}_before"), actuator, place)
        law = with_outputs(getattr(laws, f"{kind}_after"), setting.telemetry)
        after: Stepper = engine.compile_step(law, actuator, place)
        made = initial_state(engine, actuator, self.shape, setting.seed, setting.dt, {}, place)
        state = {name: getattr(made, name) for name in STATES if getattr(made, name) is not None}
        clips = bool(np.isfinite(places.room).any())
        self._batch = Batch(
            self.shape, state, tuple(actuator.controller.inputs), line, line or setting.needs_load, clips, self._zeros()
        )
        self._arrays = self._make_arrays(places) | before.arrays | after.arrays
        self._trace(before, after, setting)
        self._recorded: dict[str, tuple[tuple[object, ...], Module]] = {}
        self.torque = shared_tensor(self._arrays["torque"])
        """Torque of each joint, as the launch before a step leaves it (environment, joint) [N·m]."""

    def _zeros(self, dtype: type = wp.float32) -> wp.array:
        return wp.zeros(self.shape, dtype=dtype, device=self.device)

    def _make_arrays(self, places: Places) -> dict[str, wp.array]:
        """Arrays that stay where they are: columns, what joints are like, and what is remembered."""
        batch, device = self._batch, self.device
        columns = places.columns() | {"torque": list(range(self.shape[1])), "own": list(range(self.shape[1]))}
        arrays = {f"at.{name}": wp.array(x, dtype=wp.int32, device=device) for name, x in columns.items()}
        for name, x in (("share", places.share), ("armature", places.armature), ("room", places.room)):
            arrays[name] = wp.array(x, dtype=wp.float32, device=device)
        arrays |= {f"start.{name}": self._zeros() for name in batch.kept} | {"torque": self._zeros()}
        arrays |= {f"state.{name}": x for name, x in batch.state.items()}
        arrays |= {f"held.{name}": wp.clone(batch.state[name]) for name in batch.shared}
        arrays["mask"] = wp.zeros((self.shape[0], 1), dtype=wp.bool, device=device)
        self._mask = shared_tensor(arrays["mask"])
        return arrays

    def _trace(self, before: Stepper, after: Stepper, setting: Setting) -> None:
        """The launches, and the telemetry that they write."""
        batch, rest = self._batch, setting.rest

        def launch(written: Written, numbers: Mapping[str, float]) -> TableLaunch:
            numbers = {**numbers, "dt": setting.dt}
            return TableLaunch(written.stores, written.layouts, self.shape, wp.float32, self.device, numbers)

        stepped, outputs, plain = write_after(batch, after)
        # a GPU writes what joints share once, the loop of a CPU once for each of them
        at_rest, self._aside = write_reset(batch, outputs, rest, self.device.is_cuda)
        self._launches = {
            "before": launch(write_before(batch, before), before.numbers),
            "after": launch(stepped, after.numbers),
            "reset": launch(at_rest, {}),
        }
        values: dict[str, Foreign] = {name: None for name in ("torque", "torque_requested", "torque_slope")} | plain
        for name, dtype in outputs.items():
            known = torch.as_tensor(getattr(rest, name), device=str(self.device)).expand(self.shape)
            array = self._arrays[f"out.{name}"] = self._zeros(dtype)
            values[name] = shared_tensor(array)
            values[name].copy_(known)
            if is_tensor(getattr(rest, name)):
                self._arrays[f"rest.{name}"] = wp.clone(array)
        self.telemetry = Output(**values)
        """What the motors did in the last step; its tensors share the memory of the kernels."""

    # --- tables of the simulation

    def _bias(self) -> object:
        """The table that takes the slopes, which mjlab may replace."""
        return getattr(self._model.struct, FIELD) if self._line else None

    def _bias_arrays(self) -> Arrays:
        """That table with the ten numbers of each actuator side by side."""
        if not self._line:
            return {}
        table: wp.array = getattr(self._model.struct, FIELD)
        size = (table.shape[0], table.shape[1] * WIDTH)
        flat = wp.array(ptr=table.ptr, dtype=wp.float32, shape=size, device=table.device, copy=False)
        return {"bias.level": flat, "bias.slope": flat}

    def _load_arrays(self) -> list[wp.array]:
        known = [self._arrays["share"], self._arrays["armature"]]
        return [*(getattr(self._tables, name) for name in LOADS), *known] if self._batch.loaded else []

    def _before_arrays(self) -> Arrays:
        more = {f"more.{k}": x for k, x in enumerate(self._load_arrays())}
        joints = {"position": self._tables.qpos, "velocity": self._tables.qvel}
        return {**self._arrays, **self._bias_arrays(), **more, **joints}

    def _after_arrays(self) -> Arrays:
        batch, arrays = self._batch, self._arrays
        start = {name: arrays[f"start.{name}"] for name in batch.kept}
        if self._line:
            more = [self._tables.qvel, *self._load_arrays()[-3:], start["torque"], start["slope"]]
            start |= {f"more.{k}": x for k, x in enumerate(more)}
        shared = {f"state.{name}": arrays[f"held.{name}"] for name in batch.shared}
        shared |= {f"new.{name}": batch.state[name] for name in batch.shared}
        # the torque of the line is an input of the law, not the table of torques
        del start["torque"]
        return {**arrays, **start, **shared}

    # --- launches

    def _ready(self, name: str, key: tuple[object, ...], arrays: Callable[[], Arrays]) -> Module:
        """The launch that is recorded for a key; it is recorded if the key is new."""
        known = self._recorded.get(name)
        if known is None or not same(known[0], key):
            known = self._recorded[name] = key, self._launches[name].record(arrays())
        return known[1]

    def put_torque(self, table: wp.array, first: int) -> None:
        """Let torques go into a table of several configs, from a column on."""
        columns = np.arange(first, first + self.shape[1])
        self._arrays["torque"] = table
        self._arrays["at.torque"] = wp.array(columns, dtype=wp.int32, device=self.device)
        self._recorded.clear()
        with torch.inference_mode(False):
            self.torque = wp.to_torch(table)[:, first : first + self.shape[1]]

    def sources(self) -> tuple[object, ...]:
        """What the launch before a step reads and mjlab may replace: its table of slopes, and the targets."""
        data = self._entity.data
        return (self._bias(), *(getattr(data, TARGETS[name]) for name in self._batch.inputs))

    def launch_before(self, sources: tuple[object, ...]) -> Module:
        """The launch before a step, from the targets of the robot and its joints."""

        def arrays() -> Arrays:
            told = {f"command.{n}": as_array(x) for n, x in zip(self._batch.inputs, sources[1:], strict=True)}
            return {**self._before_arrays(), **told}

        return self._ready("before", sources, arrays)

    def before(self) -> None:
        """Torques before a step."""
        self.launch_before(self.sources()).launch()

    def before_given(self, command: Tensors) -> None:
        """Torques before a step, from a command of mjlab's with targets and joints of its own."""
        own = dict.fromkeys(("at.joint", "at.position", "at.velocity"), self._arrays["at.own"])
        told = {f"command.{n}": as_array(getattr(command, TOLD[n])) for n in self._batch.inputs}
        told |= {"position": as_array(command.pos), "velocity": as_array(command.vel)}
        self._launches["before"].record({**self._before_arrays(), **own, **told}).launch()

    def launch_after(self) -> Module:
        """The launch that steps the motors along the motion of the physics step that was just made."""
        return self._ready("after", (), self._after_arrays)

    def after(self) -> None:
        """Step the motors."""
        self.launch_after().launch()

    def reset(self, env_ids: EnvIds) -> None:
        """Motors of these environments back at rest."""
        self._choose(env_ids)
        self._ready("reset", (self._bias(),), lambda: {**self._arrays, **self._bias_arrays()}).launch()
        for name in self._aside:
            wp.copy(self._batch.state[name], self._arrays[f"held.{name}"])

    def _choose(self, env_ids: EnvIds) -> None:
        """Put environments into the mask, without a look at them from the host."""
        mask = self._mask.zero_()
        if env_ids is None or isinstance(env_ids, slice):
            mask[slice(None) if env_ids is None else env_ids].fill_(True)
        elif env_ids.dtype == torch.bool:
            mask[:, 0].copy_(env_ids)
        else:
            mask.index_fill_(0, env_ids.to(torch.long), True)


def tables_of(data: SimData) -> Module:
    """MuJoCo Warp's own data, behind mjlab's view of it."""
    return data.struct


def same(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    """Whether two rows hold the same objects."""
    return len(these) == len(those) and all(a is b for a, b in zip(these, those, strict=True))


def shared_tensor(array: wp.array) -> torch.Tensor:
    """An array as a tensor that shares its memory, and can be written outside inference mode too."""
    with torch.inference_mode(False):
        return wp.to_torch(array)


def as_array(x: Foreign) -> Foreign:
    """A tensor as an array of Warp that shares its memory; anything else as it is."""
    if not is_tensor(x):
        return x
    return wp.from_torch(x.detach().contiguous(), dtype=wp.float32, requires_grad=False)
