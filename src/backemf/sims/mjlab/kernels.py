"""Motors of one config in kernels of Warp beside MuJoCo Warp's: one launch before a physics step, one after it.

The launch before reads targets, joints and loads out of the simulation's own tables, and writes the torque and, for an
integrator that takes it, its slope. The launch after steps the motors along the motion that came of it. Nothing is
read back to the host, and each launch is recorded once.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...actuator import Actuator
from ...actuator.compiled import with_outputs
from ...actuator.controllers.learned import LearnedController
from ...actuator.memory import initial_state
from ...engines import bind, load
from ...errors import ParameterError
from ...parts import without_neutral
from ...physics.command import Command
from ...physics.state import OUTPUTS, STATES, Output, State
from ...tree import map_numbers
from ...values import Module
from . import kernel_laws
from .slopes import FIELD, make_room

if TYPE_CHECKING:
    import torch

    from ...engines.warp_kernel import Layout, Store
    from .plugin import MotorActuatorCfg
    from .types import Entity, SimData, SimModel, Tensors

LOADS = ("qfrc_passive", "qfrc_constraint", "qfrc_applied", "qfrc_bias")
"""Tables of the torques that move joints besides their motors."""
TARGETS = {"position": "joint_pos_target", "velocity": "joint_vel_target", "effort": "joint_effort_target"}
"""Tables of the targets."""
TOLD = {"position": "position_target", "velocity": "velocity_target", "effort": "effort_target"}
"""The same in a command of mjlab's."""
WIDTH = 10
"""Numbers of the bias of one actuator."""


def require_engine(engine: object) -> None:
    """Check that the engine is one of those that step motors in mjlab; raise ParameterError if not."""
    if engine not in (None, "torch", "warp"):
        raise ParameterError(
            f'MotorActuatorCfg.engine = {engine!r}: must be "torch", "warp", or None for Warp on a GPU'
        )


def refusal(cfg: MotorActuatorCfg) -> str | None:
    """Why no kernel can step the actuators of a config; None: one can."""
    actuator = cfg.actuator
    if cfg.delays:
        return "delays of single targets (MotorActuatorCfg.delays)"
    if isinstance(actuator.controller, LearnedController):
        return f"a learned network ({type(actuator.controller).__name__})"
    if actuator.supply is not None and actuator.supply.shared:
        return "a supply that motors share (Supply.shared)"
    return "eager=True" if cfg.eager else None


def takes_kernels(cfg: MotorActuatorCfg, device: str) -> bool:
    """Whether the actuators of a config step in kernels of Warp on a device; raises ParameterError if they cannot."""
    reason = refusal(cfg)
    if cfg.engine == "warp" and reason is not None:
        raise ParameterError(f'MotorActuatorCfg.engine = "warp": a kernel does not know {reason}; give engine="torch"')
    return cfg.engine == "warp" or (cfg.engine is None and reason is None and str(device).startswith("cuda"))


@dataclass(frozen=True)
class Places:
    """Where the joints of a config are in the tables of the simulation, each as the columns of all its joints."""

    joint: list[int]
    """Among the joints of the robot."""
    position: list[int]
    """In `qpos`."""
    dof: list[int]
    """In `qvel` and the torques."""
    mass: list[int]
    """On the diagonal of the mass matrix."""
    actuator: list[int]
    """Among the actuators of the model."""
    share: np.ndarray
    """Inertia that a torque meets over that diagonal [1]."""
    armature: np.ndarray
    """The motor's share of the inertia [kg·m²]."""
    room: np.ndarray
    """Largest torque that each joint passes [N·m]; inf: any."""


class KernelMotors:
    """Steps the motors of one config.

    Args:
        actuator: The actuator; its tensors are read anew at each step.
        places: Where its joints are.
        line: Whether the integrator takes the slope of the torque.
        needs_load: Whether friction or gears depend on the load.
        telemetry: Outputs that can be read; None: all.
        rest: What they are after a reset.
        seed: Random seed of the delay.
        dt: Physics step [s].
        model: mjlab's view of the model.
        data: mjlab's view of the simulation.
        entity: The robot.
    """

    def __init__(
        self, actuator: Actuator, places: Places, *, line: bool, needs_load: bool, telemetry: tuple[str, ...] | None,
        rest: Output, seed: int, dt: float, model: SimModel, data: SimData, entity: Entity,
    ):  # fmt: skip
        import warp as wp

        from ...engines.warp_tables import in_table

        self._wp, self._line, self._places, self._dt = wp, line, places, dt
        self._model, self._tables, self._entity = model, cast(Any, data).struct, entity
        self.shape = (int(data.nworld), len(places.joint))
        self.device = self._tables.qpos.device
        self._place = {"dtype": "float32", "device": self.device}
        if line:
            make_room(model, self.shape[0])
        engine = load("warp")
        self._actuator = map_numbers(without_neutral(actuator), _as_array)
        self._inputs = tuple(self._actuator.controller.inputs)
        laws = bind(kernel_laws, "warp", engine.ops)
        kind = "line" if line else "held"
        self._before = engine.compile_step(getattr(laws, f"{kind}_before"), self._actuator, self._place)
        after = with_outputs(getattr(laws, f"{kind}_after"), telemetry)
        self._after = engine.compile_step(after, self._actuator, self._place)
        state = initial_state(engine, self._actuator, self.shape, seed, dt, {}, self._place)
        self.state = {name: getattr(state, name) for name in STATES if getattr(state, name) is not None}
        self._loaded = line or needs_load
        self._row: Any = in_table
        self._arrays: dict[str, Any] = {}
        self._fixed_arrays()
        self._stores: dict[str, list[Store]] = {}
        self._layouts: dict[str, dict[str, Layout]] = {}
        self._trace_before()
        self._trace_after()
        self._trace_reset(rest)
        self._launches = {name: self._launch(name) for name in self._stores}
        self._recorded: dict[str, tuple[tuple[object, ...], Module]] = {}
        with _writable():
            self.torque: torch.Tensor = wp.to_torch(self._arrays["torque"])
        self.telemetry = self._readable(rest)

    # --- arrays

    def _fixed_arrays(self) -> None:
        """Arrays that stay where they are: columns, what joints are like, and what is remembered from before a step."""
        wp, places, arrays = self._wp, self._places, self._arrays
        columns = {
            "at.joint": places.joint, "at.position": places.position, "at.velocity": places.dof, "at.dof": places.dof,
            "at.mass": places.mass, "at.level": [WIDTH * k for k in places.actuator],
            "at.slope": [WIDTH * k + 2 for k in places.actuator],
        }  # fmt: skip
        arrays |= {name: wp.array(x, dtype=wp.int32, device=self.device) for name, x in columns.items()}
        arrays["at.own"] = wp.array(np.arange(self.shape[1]), dtype=wp.int32, device=self.device)
        arrays["at.torque"] = arrays["at.own"]
        arrays["torque"] = wp.zeros(self.shape, dtype=wp.float32, device=self.device)
        for name in ("share", "armature", "room"):
            arrays[name] = wp.array(getattr(places, name), dtype=wp.float32, device=self.device)
        names = ["joint.position", "joint.velocity", "torque", *(f"command.{name}" for name in self._inputs)]
        names += ["slope"] if self._line else ["load_torque", "load_inertia"] if self._loaded else []
        arrays |= {
            f"start.{name}": wp.zeros(self.shape, dtype=wp.float32, device=self.device) for name in names
        }
        arrays |= {f"state.{name}": x for name, x in self.state.items()}
        # what joints share is read by all of them, so it is written elsewhere than where it is read
        self._shared = tuple(name for name, x in self.state.items() if self._is_shared(name, x))
        arrays |= {f"held.{name}": wp.clone(self.state[name]) for name in self._shared}
        arrays["mask"] = wp.zeros((self.shape[0], 1), dtype=wp.bool, device=self.device)
        with _writable():
            self._mask = wp.to_torch(arrays["mask"])

    def _is_shared(self, name: str, x: Module) -> bool:
        return not name.endswith("_line") and int(np.prod(x.shape)) != int(np.prod(self.shape))

    def _own(self, dtype: Any = None) -> Layout:
        """The layout of an array of all joints of all environments."""
        from ...engines.warp_kernel import Layout

        return Layout(dtype or self._wp.float32, (self.shape[0] != 1, self.shape[1] != 1))

    def _layout(self, name: str, x: Module) -> Layout:
        from ...engines.warp_plan import layout_of

        return layout_of(name, x, self.shape)

    def _columns(self, index: str) -> Layout:
        return self._row(index, self._wp.float32)

    # --- programs

    def _given(self, stepper: Any) -> dict[str, Any]:
        """What every step is given: the actuator's numbers and its state."""
        return {f"state.{name}": x for name, x in self.state.items()} | stepper.arrays

    def _base_layouts(self, given: dict[str, Any]) -> dict[str, Layout]:
        wp, arrays = self._wp, {n: x for n, x in given.items() if not isinstance(x, float)}
        layouts = {name: self._layout(name, x) for name, x in arrays.items()}
        from ...engines.warp_kernel import Layout

        row = Layout(wp.float32, (self.shape[1] != 1,))
        layouts |= {f"at.{n}": Layout(wp.int32, (self.shape[1] != 1,)) for n in
                    ("joint", "position", "velocity", "dof", "mass", "level", "slope", "torque")}
        layouts |= {name: row for name in ("share", "armature", "room")}
        layouts |= {f"held.{name}": self._layout(f"state.{name}", self.state[name]) for name in self._shared}
        layouts |= {name: self._own() for name in self._arrays if name.startswith("start.")}
        return layouts

    def _trace(self, stepper: Any, inputs: dict[str, tuple[Any, Layout | None]]) -> tuple[Any, Any, dict[str, Layout]]:
        """What a step gives, in symbols, and the layouts; inputs are arrays by name, with the layouts of tables."""
        given = self._given(stepper) | {name: x for name, (x, _) in inputs.items()} | {"dt": self._dt}
        layouts = self._base_layouts({name: x for name, x in given.items() if inputs.get(name, (0, None))[1] is None})
        layouts |= {name: layout for name, (_, layout) in inputs.items() if layout is not None}
        # the trace asks for shapes of the batch, not of tables
        like = self._arrays["start.torque"]
        seen = {name: like if inputs.get(name, (0, None))[1] is not None else x for name, x in given.items()}
        after, out = stepper.trace(seen, (Command, type(None)))
        return after, out, layouts

    def _load_inputs(self) -> list[tuple[Any, Any]]:
        tables, arrays = self._tables, self._arrays
        found = [(getattr(tables, name), self._columns("at.dof")) for name in LOADS]
        return [*found, (tables.M, self._columns("at.mass")), (arrays["share"], None), (arrays["armature"], None)]

    def _trace_before(self) -> None:
        from ...engines.tracing import FLOAT
        from ...engines.warp_kernel import Store

        tables = self._tables
        inputs = {f"command.{name}": (None, self._columns("at.joint")) for name in self._inputs}
        inputs["position"] = tables.qpos, self._columns("at.position")
        inputs["velocity"] = tables.qvel, self._columns("at.velocity")
        more = self._load_inputs() if self._loaded else []
        inputs |= {f"more.{k}": each for k, each in enumerate(more)}
        found, out, layouts = self._trace(self._before, inputs)
        program = next(x.program for x in (out.torque,) if hasattr(x, "program"))
        velocity = program.load("velocity", FLOAT)
        stores = [
            Store("start.joint.position", program.load("position", FLOAT)), Store("start.joint.velocity", velocity),
            Store("start.torque", out.torque), Store("torque", out.torque),
            *(Store(f"start.command.{n}", program.load(f"command.{n}", FLOAT)) for n in self._inputs),
            *(Store(f"held.{n}", program.load(f"state.{n}", _kind(self.state[n]))) for n in self._shared),
        ]  # fmt: skip
        layouts["torque"] = self._columns("at.torque")
        if self._line:
            slope = out.torque_slope
            if np.isfinite(self._places.room).any():
                # actuatorfrcrange of the joint clips the torque, which then has no slope
                slope = load("warp").ops.where(abs_of(out.torque) < program.load("room", FLOAT), slope, 0.0)
            stores += [
                Store("start.slope", slope), Store("bias.level", slope * velocity), Store("bias.slope", -slope)
            ]  # fmt: skip
            layouts |= {"bias.level": self._columns("at.level"), "bias.slope": self._columns("at.slope")}
        elif self._loaded:
            stores += [Store("start.load_torque", found[0]), Store("start.load_inertia", found[1])]
        self._stores["before"], self._layouts["before"] = stores, layouts

    def _trace_after(self) -> None:
        from ...engines.warp_kernel import Store

        wp, tables, arrays = self._wp, self._tables, self._arrays
        inputs: dict[str, tuple[Any, Any]] = {
            f"command.{name}": (arrays[f"start.command.{name}"], None) for name in self._inputs
        }
        inputs |= {name: (arrays[f"start.joint.{name}"], None) for name in ("position", "velocity")}
        if self._line:
            more = [(tables.qvel, self._columns("at.dof")), *self._load_inputs()[4:]]
            more += [(arrays["start.torque"], None), (arrays["start.slope"], None)]
            inputs |= {f"more.{k}": each for k, each in enumerate(more)}
        elif self._loaded:
            inputs |= {name: (arrays[f"start.{name}"], None) for name in ("load_torque", "load_inertia")}
        after, out, layouts = self._trace(self._after, inputs)
        stores = []
        for name, x in self.state.items():
            value, target = getattr(after, name), f"new.{name}" if name in self._shared else f"state.{name}"
            layouts[target] = self._layout(f"state.{name}", x)
            stores.append(Store(target, value, copied=False))
        self._constant = {}
        for name in OUTPUTS:
            value = getattr(out, name)
            if value is None:
                continue
            if not hasattr(value, "uniform"):
                self._constant[name] = value
                continue
            kind = wp.int16 if name == "limit" else wp.float32
            layouts[f"out.{name}"] = self._own(kind)
            arrays[f"out.{name}"] = wp.zeros(self.shape, dtype=kind, device=self.device)
            stores.append(Store(f"out.{name}", value))
        self._stores["after"], self._layouts["after"] = stores, layouts

    def _trace_reset(self, rest: Output) -> None:
        """Motors at rest, outputs as they are at rest, and no slope, in the environments of the mask."""
        from types import SimpleNamespace

        from ...engines.reset import reset_state
        from ...engines.tracing import BOOL, FLOAT, INT, Line, Program, where
        from ...engines.warp_kernel import Layout, Store

        wp, program, arrays = self._wp, Program(), self._arrays
        layouts: dict[str, Layout] = {"mask": Layout(wp.bool, (self.shape[0] != 1, False))}
        chosen, symbols = program.load("mask", BOOL), {}
        for name, x in self.state.items():
            layouts[f"state.{name}"] = self._layout(f"state.{name}", x)
            if name.endswith("_line"):
                symbols[name] = Line(program, f"state.{name}", len(x))
            else:
                symbols[name] = program.load(f"state.{name}", _kind(x))
        on_symbols = cast(Any, SimpleNamespace(ops=load("warp").ops, array=lambda x: x, select=where))
        after = reset_state(on_symbols, "warp", State(**symbols), chosen, {}, {})
        changed = [n for n in self.state if not n.endswith("_line") and getattr(after, n) is not symbols[n]]
        # on a GPU the first joint alone writes what all share; the loop of a CPU writes it once for each
        self._renewed = () if self.device.is_cuda else tuple(name for name in changed if name in self._shared)
        layouts |= {f"held.{name}": layouts[f"state.{name}"] for name in self._renewed}
        stores = [Store(f"{'held' if n in self._renewed else 'state'}.{n}", getattr(after, n)) for n in changed]
        for name in [n for n in arrays if n.startswith("out.")]:
            plain, kind = name.removeprefix("out."), INT if name == "out.limit" else FLOAT
            value: Any = getattr(rest, plain)
            layouts[name] = self._own(wp.int16 if kind == INT else wp.float32)
            if hasattr(value, "data_ptr"):
                arrays[f"rest.{plain}"] = _as_array(value.expand(self.shape).contiguous())
                layouts[f"rest.{plain}"] = self._own(arrays[f"rest.{plain}"].dtype)
                value = program.load(f"rest.{plain}", kind)
            stores.append(Store(name, where(chosen, value, program.load(name, kind))))
        if self._line:
            for name in ("level", "slope"):
                layouts[f"at.{name}"] = Layout(wp.int32, (self.shape[1] != 1,))
                layouts[f"bias.{name}"] = self._columns(f"at.{name}")
                stores.append(Store(f"bias.{name}", where(chosen, 0.0, program.load(f"bias.{name}", FLOAT))))
        self._stores["reset"], self._layouts["reset"] = stores, layouts

    def _launch(self, name: str) -> Any:
        from ...engines.warp_tables import TableLaunch

        stepper = {"before": self._before, "after": self._after}.get(name)
        numbers = {"dt": self._dt} | ({} if stepper is None else stepper.numbers)
        return TableLaunch(
            self._stores[name], self._layouts[name], self.shape, self._wp.float32, self.device, numbers
        )

    # --- launches

    def _host_arrays(self) -> dict[str, Any]:
        """Tables of the simulation by the names of the programs."""
        tables = self._tables
        arrays = {"position": tables.qpos, "velocity": tables.qvel}
        if self._loaded:
            arrays |= {f"more.{k}": x for k, (x, _) in enumerate(self._load_inputs())}
        if self._line:
            bias = getattr(self._model.struct, FIELD)
            flat = self._wp.array(
                ptr=bias.ptr, dtype=self._wp.float32, shape=(bias.shape[0], bias.shape[1] * WIDTH), device=bias.device,
                copy=False,
            )  # fmt: skip
            flat.owner = bias
            arrays |= {"bias.level": flat, "bias.slope": flat}
        return arrays

    def put_torque(self, table: Module, first: int) -> None:
        """Let torques go into a table of several configs, from a column on."""
        columns = np.arange(first, first + self.shape[1])
        self._arrays["torque"] = table
        self._arrays["at.torque"] = self._wp.array(columns, dtype=self._wp.int32, device=self.device)
        self._recorded.clear()
        with _writable():
            self.torque = self._wp.to_torch(table)[:, first : first + self.shape[1]]

    def _ready(self, name: str, key: tuple[object, ...], arrays: Any) -> Module:
        """The launch that is recorded for a key; it is recorded if the key is new."""
        known = self._recorded.get(name)
        if known is None or not same(known[0], key):
            known = self._recorded[name] = key, self._launches[name].record(arrays())
        return known[1]

    def _bias(self) -> object:
        return getattr(self._model.struct, FIELD) if self._line else None

    def sources(self) -> tuple[object, ...]:
        """What the launch before a step reads and mjlab may replace: its table of slopes, and the targets."""
        data = cast(Any, self._entity).data
        return (self._bias(), *(getattr(data, TARGETS[name]) for name in self._inputs))

    def launch_before(self, sources: tuple[object, ...]) -> Module:
        """The launch before a step, from the targets of the robot and its joints."""

        def arrays() -> dict[str, Any]:
            told = {f"command.{n}": _as_array(x) for n, x in zip(self._inputs, sources[1:], strict=True)}
            return self._arrays | self._before.arrays | self._host_arrays() | told

        return self._ready("before", sources, arrays)

    def before(self) -> None:
        """Torques before a step."""
        self.launch_before(self.sources()).launch()

    def before_given(self, command: Tensors) -> None:
        """Torques before a step, from a command of mjlab's with targets and joints of its own."""
        own = self._arrays["at.own"]
        arrays = self._arrays | self._before.arrays | self._host_arrays()
        arrays |= {"at.joint": own, "at.position": own, "at.velocity": own}
        arrays |= {f"command.{n}": _as_array(getattr(command, TOLD[n])) for n in self._inputs}
        arrays |= {"position": _as_array(command.pos), "velocity": _as_array(command.vel)}
        self._launches["before"].record(arrays).launch()

    def launch_after(self) -> Module:
        """The launch that steps the motors along the motion of the physics step that was just made."""

        def arrays() -> dict[str, Any]:
            start = {f"command.{n}": self._arrays[f"start.command.{n}"] for n in self._inputs}
            start |= {n: self._arrays[f"start.joint.{n}"] for n in ("position", "velocity")}
            for name in ("load_torque", "load_inertia"):
                if f"start.{name}" in self._arrays:
                    start[name] = self._arrays[f"start.{name}"]
            if self._line:
                tables = self._tables
                more = [tables.qvel, tables.M, self._arrays["share"], self._arrays["armature"]]
                more += [self._arrays["start.torque"], self._arrays["start.slope"]]
                start |= {f"more.{k}": x for k, x in enumerate(more)}
            shared = {f"state.{n}": self._arrays[f"held.{n}"] for n in self._shared}
            shared |= {f"new.{n}": self.state[n] for n in self._shared}
            return self._arrays | self._after.arrays | start | shared

        return self._ready("after", (), arrays)

    def after(self) -> None:
        """Step the motors."""
        self.launch_after().launch()

    def reset(self, env_ids: torch.Tensor | slice | None) -> None:
        """Motors of these environments back at rest."""
        self._choose(env_ids)
        tables = self._host_arrays if self._line else dict
        self._ready("reset", (self._bias(),), lambda: self._arrays | tables()).launch()
        for name in self._renewed:
            self._wp.copy(self.state[name], self._arrays[f"held.{name}"])

    def _choose(self, env_ids: torch.Tensor | slice | None) -> None:
        """Put environments into the mask, without a look at them from the host."""
        mask = self._mask.zero_()
        if env_ids is None or isinstance(env_ids, slice):
            mask[slice(None) if env_ids is None else env_ids].fill_(True)
        elif env_ids.dtype == mask.dtype:
            mask[:, 0].copy_(env_ids)
        else:
            mask.index_fill_(0, env_ids.to(dtype=torch_module().long), True)

    # --- telemetry

    def _readable(self, rest: Output) -> Output:
        """Outputs as tensors that share the memory of the kernels; at rest before the first step."""
        import torch

        values: dict[str, Any] = dict.fromkeys((entry.name for entry in fields(Output)), None) | self._constant
        with _writable():
            for name in [n.removeprefix("out.") for n in self._arrays if n.startswith("out.")]:
                values[name] = self._wp.to_torch(self._arrays[f"out.{name}"])
                at_rest = getattr(rest, name)
                values[name].copy_(torch.as_tensor(at_rest).expand(self.shape))
        return Output(**values)


def same(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    """Whether two rows hold the same objects."""
    return all(a is b for a, b in zip(these, those, strict=True))


def abs_of(x: Any) -> Any:
    """The absolute value of a symbol."""
    return load("warp").ops.absolute(x)


def _kind(x: Module) -> str:
    from ...engines.tracing import FLOAT
    from ...engines.warp_engine import KINDS

    return KINDS.get(x.dtype, FLOAT)


def torch_module() -> Module:
    """PyTorch, which mjlab brings."""
    import torch

    return torch


def _writable() -> Any:
    """Tensors made here can be written outside inference mode too."""
    return torch_module().inference_mode(False)


def _as_array(x: Any) -> Any:
    """A tensor as an array of Warp that shares its memory; anything else as it is."""
    if not hasattr(x, "data_ptr"):
        return x
    import torch
    import warp as wp

    kinds = {torch.int32: wp.int32, torch.int16: wp.int16, torch.int64: wp.int64}
    return wp.from_torch(x.detach().contiguous(), dtype=kinds.get(x.dtype, wp.float32), requires_grad=False)
