"""What the kernels of a config compute, as programs: before a physics step, after it, and at a reset.

Arrays have names. Tables of the simulation: "position", "velocity", "command.…" and "more.…" are read, "bias.level" and
"bias.slope" take the slope of the torque, "torque" takes the torque; "at.…" are the columns in which joints find their
numbers. "state.…" is what motors remember, "start.…" what is kept from before a step until after it, "out.…" telemetry,
"rest.…" the same at rest. What joints share is read by all of them and written by one, so a step reads it as "held.…"
and writes it to "new.…", which is "state.…" of the next.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import numpy as np
import warp as wp

from ...engines.reset import reset_state
from ...engines.tracing import BOOL, FLOAT, INT, Line, Program, Symbol, Traced, ops, where
from ...engines.warp_engine import KINDS, Stepper
from ...engines.warp_kernel import Layout, Store
from ...engines.warp_plan import layout_of
from ...engines.warp_tables import in_table
from ...physics.command import Command
from ...physics.state import OUTPUTS, Output, State
from ...values import Foreign

COLUMNS = ("joint", "position", "velocity", "dof", "mass", "level", "slope", "torque")
"""Tables in which joints have columns of their own."""
PER_JOINT = ("share", "armature", "room")
"""What is known of each joint, the same in all environments."""
LOADS = ("dof", "dof", "dof", "dof", "mass")
"""Columns of the torques that move a joint besides its motor, and of its inertia."""


@dataclass
class Written:
    """A program: what it stores, and how it finds its numbers."""

    stores: list[Store]
    layouts: dict[str, Layout]


@dataclass(frozen=True)
class Batch:
    """What the programs of a config are made for."""

    shape: tuple[int, int]
    """Environments and joints."""
    state: dict[str, wp.array]
    """What the motors remember."""
    inputs: tuple[str, ...]
    """Targets that the controller takes."""
    line: bool
    """Whether the integrator takes the slope of the torque."""
    loaded: bool
    """Whether the motors ask for their load."""
    clips: bool
    """Whether any joint passes less than every torque."""
    like: wp.array
    """An array with a number for every motor."""

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """States that the joints of an environment, or all, have in common."""
        count = int(np.prod(self.shape))
        return tuple(n for n, x in self.state.items() if not n.endswith("_line") and int(np.prod(x.shape)) != count)

    @property
    def kept(self) -> tuple[str, ...]:
        """What is kept from before a step until after it."""
        names = ("position", "velocity", "torque", *(f"command.{name}" for name in self.inputs))
        return (*names, "slope") if self.line else (*names, "load_torque", "load_inertia") if self.loaded else names

    def own(self, dtype: type = wp.float32) -> Layout:
        """An array with a number for every motor."""
        return Layout(dtype, (self.shape[0] != 1, self.shape[1] != 1))

    def along(self, dtype: type) -> Layout:
        """An array with a number for every joint."""
        return Layout(dtype, (self.shape[1] != 1,))

    def of_state(self, name: str) -> Layout:
        """The layout of a state."""
        return layout_of(f"state.{name}", self.state[name], self.shape)

    def trace(self, stepper: Stepper, inputs: dict[str, str]) -> tuple[Traced, Traced, dict[str, Layout]]:
        """What a step gives, in symbols, and the layouts.

        `inputs` are its inputs by name, each with the columns of its table, "" for an array of all motors, or the name
        of what is known per joint.
        """
        given = {f"state.{name}": x for name, x in self.state.items()} | stepper.arrays
        layouts = {name: layout_of(name, x, self.shape) for name, x in given.items()}
        layouts |= {f"at.{name}": self.along(wp.int32) for name in COLUMNS}
        layouts |= {name: self.along(wp.float32) for name in PER_JOINT}
        layouts |= {f"held.{name}": self.of_state(name) for name in self.shared}
        layouts |= {f"start.{name}": self.own() for name in self.kept}
        for name, columns in inputs.items():
            tabled = in_table(f"at.{columns}", wp.float32) if columns in COLUMNS else None
            layouts[name] = tabled or (self.along(wp.float32) if columns in PER_JOINT else self.own())
        kinds = (Command, type(None))
        after, out = stepper.trace(given | dict.fromkeys(inputs, self.like) | {"dt": 1.0}, kinds)
        return after, out, layouts


def numbered(columns: tuple[str, ...]) -> dict[str, str]:
    """Inputs of a law beyond those of every step."""
    return {f"more.{k}": each for k, each in enumerate(columns)}


def write_before(batch: Batch, stepper: Stepper) -> Written:
    """Torque and slope, and all that the step after needs of the time before."""
    inputs = {f"command.{name}": "joint" for name in batch.inputs} | {"position": "position", "velocity": "velocity"}
    inputs |= numbered((*LOADS, "share", "armature")) if batch.loaded else {}
    load, out, layouts = batch.trace(stepper, inputs)
    program: Program = out.torque.program
    kept = {name: program.load(name, FLOAT) for name in ("position", "velocity")} | {"torque": out.torque}
    kept |= {f"command.{name}": program.load(f"command.{name}", FLOAT) for name in batch.inputs}
    stores = [Store("torque", out.torque)]
    layouts["torque"] = in_table("at.torque", wp.float32)
    if batch.line:
        slope = out.torque_slope
        if batch.clips:
            # actuatorfrcrange of the joint clips the torque, which then has no slope
            slope = where(ops.absolute(out.torque) < program.load("room", FLOAT), slope, 0.0)
        kept["slope"] = slope
        stores += [Store("bias.level", slope * kept["velocity"]), Store("bias.slope", -slope)]
        layouts |= {f"bias.{name}": in_table(f"at.{name}", wp.float32) for name in ("level", "slope")}
    elif batch.loaded:
        kept |= {"load_torque": load[0], "load_inertia": load[1]}
    stores += [Store(f"start.{name}", kept[name]) for name in batch.kept]
    for name in batch.shared:
        stores.append(Store(f"held.{name}", program.load(f"state.{name}", kind_of(batch.state[name]))))
    return Written(stores, layouts)


def write_after(batch: Batch, stepper: Stepper) -> tuple[Written, dict[str, type], dict[str, float]]:
    """State and telemetry after a step; types of the outputs that are arrays, and those that are plain numbers."""
    inputs = {f"command.{name}": "" for name in batch.inputs} | {"position": "", "velocity": ""}
    if batch.line:
        inputs |= numbered(("dof", "mass", "share", "armature", "", ""))
    elif batch.loaded:
        inputs |= {"load_torque": "", "load_inertia": ""}
    after, out, layouts = batch.trace(stepper, inputs)
    written, outputs, plain = Written([], layouts), {}, {}
    for name in batch.state:
        target = f"new.{name}" if name in batch.shared else f"state.{name}"
        layouts[target] = batch.of_state(name)
        written.stores.append(Store(target, getattr(after, name), copied=False))
    for name in OUTPUTS:
        value = getattr(out, name)
        if isinstance(value, Symbol):
            outputs[name] = wp.int16 if name == "limit" else wp.float32
            layouts[f"out.{name}"] = batch.own(outputs[name])
            written.stores.append(Store(f"out.{name}", value))
        elif value is not None:
            plain[name] = value
    return written, outputs, plain


def write_reset(
    batch: Batch, outputs: dict[str, type], rest: Output, in_place: bool
) -> tuple[Written, tuple[str, ...]]:
    """Motors and telemetry at rest and no slope, in the environments of the mask; and which states are written aside.

    `in_place`: what joints share is written by one of them alone, so that it can be written where it is read.
    """
    program = Program()
    layouts = {"mask": Layout(wp.bool, (batch.shape[0] != 1, False))}
    layouts |= {f"state.{name}": batch.of_state(name) for name in batch.state}
    chosen = program.load("mask", BOOL)
    before: dict[str, Traced] = {
        name: Line(program, f"state.{name}", len(x))
        if name.endswith("_line")
        else program.load(f"state.{name}", kind_of(x))
        for name, x in batch.state.items()
    }
    on_symbols = SimpleNamespace(ops=ops, array=lambda x: x, select=where)
    after = reset_state(on_symbols, "warp", State(**before), chosen, {}, {})
    changed = [n for n, x in before.items() if not isinstance(x, Line) and getattr(after, n) is not x]
    aside = () if in_place else tuple(name for name in changed if name in batch.shared)
    layouts |= {f"held.{name}": batch.of_state(name) for name in aside}
    stores = [Store(f"{'held' if n in aside else 'state'}.{n}", getattr(after, n)) for n in changed]
    for name, dtype in outputs.items():
        kind, value = INT if name == "limit" else FLOAT, getattr(rest, name)
        layouts |= {f"out.{name}": batch.own(dtype), f"rest.{name}": batch.own(dtype)}
        at_rest = program.load(f"rest.{name}", kind) if is_tensor(value) else value
        stores.append(Store(f"out.{name}", where(chosen, at_rest, program.load(f"out.{name}", kind))))
    for name in ("level", "slope") if batch.line else ():
        layouts |= {f"at.{name}": batch.along(wp.int32), f"bias.{name}": in_table(f"at.{name}", wp.float32)}
        stores.append(Store(f"bias.{name}", where(chosen, 0.0, program.load(f"bias.{name}", FLOAT))))
    return Written(stores, layouts), aside


def kind_of(x: wp.array) -> str:
    """The kind of an array's numbers."""
    return KINDS.get(x.dtype, FLOAT)


def is_tensor(x: Foreign) -> bool:
    """Whether a value is a tensor of PyTorch, and not a plain number."""
    return hasattr(x, "data_ptr")
