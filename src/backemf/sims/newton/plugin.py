"""A whole backemf actuator as a drive of Newton: delay, controller, motor, heat and friction in one launch.

`BackemfDrive` is a drive among Newton's own, for `ModelBuilder.add_actuator` and USD.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar, cast

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]
from newton.actuators import DriveBase  # pyright: ignore[reportMissingImports]

from ...actuator import Actuator
from ...actuator.needs import require_frames, require_step
from ...checks import Maybe, Number
from ...engines.warp_engine import Stepper
from ...engines.warp_fused import FORCES, NUMBERS, Fused, Passing, in_order
from ...errors import ParameterError
from ...motor import Motor
from ...physics.command import Command
from ...physics.state import OUTPUTS, State
from ...tree import map_numbers
from ..types import Field, Fields
from .carrier import NAMES, PREFIX, Carried, actuator_from, for_newton
from .implicit import fill_lines, linear_force
from .memory import MotorState, like, pack
from .numbers import Numbers, loads_in
from .rows import Kind, kind_with
from .types import Arrays, Device
from .wiring import PLACES, TARGETS, host_arrays, host_places, inputs_of

SLOPES = ("torque", "torque_slope", "torque_stiffness")
"""Outputs from which Newton's implicit mode takes the torque at other positions and velocities."""


class BackemfDrive(DriveBase):
    """A drive of Newton that is a whole backemf actuator.

    Position and velocity targets are `joint_target_q` and `joint_target_qd`; `joint_act` is the effort, or the voltage
    of an actuator that takes volts. Give `Motor.armature` to the joint with `add_armature`.
    """

    SHARED_PARAMS: ClassVar[set[str]] = {"kind", *NAMES, *(PREFIX + name for name in NAMES)}
    State = MotorState
    has_armature = False
    """Whether `add_armature` has given the joints their rotors."""
    evaluate_force = linear_force

    @classmethod
    def resolve_arguments(cls, args: Fields) -> Fields:
        """The actuator of a joint, from an `Actuator`, its TOML text, or a motor of the catalogue with gains.

        What it is made of is shared by the joints of a row, and each joint says which actuator of that kind is its own.
        """
        kind, place = kind_with(for_newton(Carried(actuator_from(args))))
        usd = any(name.startswith(PREFIX) for name in args)
        # every joint returns the same names, or Newton would put each into a row by itself
        return dict.fromkeys(cls.SHARED_PARAMS) | {"kind": kind, "place": float(place), "usd": float(usd)}

    def __init__(
        self,
        actuator: Actuator | Motor | str | Carried | None = None,
        *,
        telemetry: tuple[str, ...] = (),
        seed: int = 0,
        dt: float | None = None,
        fixed: bool = False,
        kind: Kind | None = None,
        place: wp.array = None,
        usd: wp.array = 0.0,
        **given: Field,
    ):
        """Make the drive.

        Args:
            actuator: What drives each joint; numbers in it may be arrays with one entry per joint.
            telemetry: Outputs to watch, as with `watch`.
            seed: Random seed of a delay.
            dt: Step that the state is made for [s]; a delay in seconds takes its length from it.
            fixed: Whether its numbers never change: they are then constants of the kernel, which is faster.
            kind: What the actuators of a row are made of, as `resolve_arguments` found it.
            place: Which actuator of that kind each joint has, a number or an array of them.
            usd: 1 for a joint whose actuator was read from USD, where the joint's armature has the rotor in it.
            given: The same by the names of the USD attributes, as Newton passes them.
        """
        if kind is not None:
            self.backemf = kind.row(place.numpy() if isinstance(place, wp.array) else place)
        else:
            given = {name: x for name, x in given.items() if x is not None}
            self.backemf = for_newton(Carried(actuator_from(given if actuator is None else {"actuator": actuator})))
        self.usd = np.asarray(usd.numpy() if isinstance(usd, wp.array) else usd) > 0.0
        self._grad = isinstance(place, wp.array) and place.requires_grad
        self.fixed = fixed
        self.telemetry = tuple(telemetry)
        self.seed, self.dt = seed, dt
        self.device: Device = None
        self.count = 0
        self._fused: dict[tuple[object, ...], Fused] = {}
        self._kept: list[object] = []
        self._seen: float | None = None
        self._pack: wp.array = None
        self._passing: Passing | None = None
        self._present: tuple[MotorState, int] | None = None
        """The state, and how often that had been written, whose frames of a delay the one after the last step has."""

    # --- what Newton asks

    def finalize(self, device: Device, num_actuators: int) -> None:
        """Make room for a row of joints on a device."""
        self.device, self.count = wp.get_device(device), num_actuators
        options = {"device": self.device, "dtype": "float32"}
        self._step = self.backemf.compile("warp", **options, telemetry=(*OUTPUTS,))
        # a reset takes no number of the actuator, and so no gradient
        plain = map_numbers(self.backemf, lambda x: x.numpy() if isinstance(x, wp.array) else x)
        self._reset = plain.compile("warp", **options, in_place=True)
        self._numbers = None
        if not self.fixed:
            self._numbers = Numbers(self.backemf, num_actuators, self.device, self._grad)
            self._numbers.give(cast(Stepper, self._step._run))
        self._example = {n: x for n, x in vars(self._initial()).items() if x is not None}
        self._stateful = bool(self._example)
        self._after = self.state(num_actuators, self.device)
        self._passing, self._present = None, None
        self.watch(*self.telemetry)
        if self._after is not None:
            self._after.reset(wp.zeros(num_actuators, dtype=wp.bool, device=self.device))

    @property
    def numbers(self) -> Numbers:
        """Arrays of the numbers that a step takes, by name, e.g. "motor.winding.resistance" [Ω], shape (N,).

        The next step takes what is written there, in a captured graph too: an array stays where it is.
        """
        if self.device is None:
            raise ParameterError("numbers: make the actuator of Newton with this drive first")
        if self._numbers is None:
            raise ParameterError("numbers: this drive was made with fixed=True; leave it out to change its numbers")
        if not self._numbers.used:
            self._numbers.used = self._used_numbers()
            self._numbers.load()
        return self._numbers

    def set_numbers(self, name: str, values: Number, mask: Maybe = None, indices: Maybe = None) -> None:
        """Change a number of all joints, of those where `mask` is true, or of those at `indices` of the row.

        Args:
            name: Such as "motor.winding.resistance", "controller.stiffness" or "limits.0.effort_limit"; "motor." may
                be left out.
            values: One number, or one per joint in SI units; with `indices`, one per index. An array of Warp is
                copied on the device and not looked at, so that a graph can hold it.
            mask: Which joints, shape (N,).
            indices: Places of joints in this row, whole numbers from 0.
        """
        self.numbers.set(name, values, mask, indices)

    def present_actuator(self) -> Actuator:
        """The actuator with its numbers as they are now, read back; `backemf` is what it was made of."""
        return self.numbers.present()

    def _used_numbers(self) -> tuple[str, ...]:
        """Numbers that torque, slopes or state depend on."""
        stepper: Any = self._step._run
        row = wp.empty(self.count, dtype=wp.float32, device=self.device)
        given: Arrays = {f"state.{name}": x for name, x in self._example.items()}
        given |= {f"command.{name}": row for name in inputs_of(self.backemf, False)} | stepper.arrays
        given |= {"position": row, "velocity": row, "dt": 1.0}
        after, out = stepper.trace(given, (Command, type(None)))
        found = loads_in(after, SimpleNamespace(**{name: getattr(out, name) for name in SLOPES}))
        return tuple(name for name in stepper.arrays if name in found)

    def watch(self, *names: str) -> dict[str, wp.array]:
        """Arrays of outputs such as "current" or "winding_temperature" that every step writes from now on."""
        for name in names:
            if name not in OUTPUTS:
                raise ParameterError(f"telemetry names {name!r}: there are {', '.join(OUTPUTS)}")
        if self.device is None:
            raise ParameterError(
                "watch(): make the actuator with this drive first, or give BackemfDrive(telemetry=...)"
            )
        self.telemetry = names
        self._fused.clear()
        kinds = {name: wp.int16 if name == "limit" else wp.float32 for name in (*names, *SLOPES)}
        self.outputs = {n: wp.zeros(self.count, dtype=kind, device=self.device) for n, kind in kinds.items()}
        return {name: self.outputs[name] for name in names}

    def is_stateful(self) -> bool:
        """Whether the actuator remembers anything."""
        return self._stateful

    def is_graphable(self) -> bool:
        """Whether a step can be captured in a CUDA graph: nothing is allocated or read back."""
        return True

    def state(self, num_actuators: int, device: Device) -> MotorState | None:
        """A state at rest and ambient temperature."""
        return pack(self._initial(), num_actuators, device, self._reset) if self._example else None

    def compute(
        self,
        positions: wp.array,
        velocities: wp.array,
        target_pos: wp.array,
        target_vel: wp.array,
        feedforward: wp.array | None,
        pos_indices: wp.array,
        vel_indices: wp.array,
        target_pos_indices: wp.array,
        target_vel_indices: wp.array,
        forces: wp.array,
        state: MotorState | None,
        dt: float | None,
        device: Device = None,
        *,
        custom_inputs: Arrays | None = None,
    ) -> None:
        """Torques of all joints into `forces`."""
        arrays = host_arrays(positions, velocities, target_pos, target_vel, feedforward)
        places = host_places(pos_indices, vel_indices, target_pos_indices, target_vel_indices)
        grad = forces.requires_grad or any(x is not None and x.requires_grad for x in arrays.values())
        self._run(arrays, places, state, {"torque": forces}, dt, grad)

    def update_state(self, current_state: MotorState | None, next_state: MotorState) -> None:
        """Pass on the state after the last step."""
        made = self._after
        if made is None:
            return
        if made.numbers.requires_grad:
            next_state.take(made)
            return
        known = current_state if current_state is not None and made.came_from(current_state) else None
        # two states in turn differ by two frames of a delay
        if known is not None and self._passing is not None and known.came_from(next_state):
            arrays = self._states(known, next_state) | {f"made.{n}": x for n, x in made.arrays.items()}
            self._passing.launch(arrays)
        else:
            next_state.assign(made)
        next_state.note_write(known)
        self._present = (next_state, next_state.version)

    # --- implicit mode

    def bind_params(self) -> wp.array:
        """Room for the straight line that stands for the actuator while Newton solves for the end of the step."""
        if self._pack is None:
            # Newton passes no feedforward to prepare_implicit
            self.custom_inputs = ("joint_act",)
            self._pack = wp.zeros((self.count, 5), dtype=wp.float32, device=self.device)
        return self._pack

    def prepare_implicit(
        self,
        positions: wp.array,
        velocities: wp.array,
        target_pos: wp.array,
        target_vel: wp.array,
        pos_indices: wp.array,
        vel_indices: wp.array,
        target_pos_indices: wp.array,
        target_vel_indices: wp.array,
        drive_state: MotorState | None,
        dt: float,
        inv_mass: wp.array | None = None,
        device: Device = None,
        *,
        custom_inputs: Arrays | None = None,
    ) -> None:
        """Torque and its slopes at the beginning of the step; the state goes on as in the explicit mode."""
        feedforward = (custom_inputs or {}).get("joint_act")
        arrays = host_arrays(positions, velocities, target_pos, target_vel, feedforward)
        places = host_places(pos_indices, vel_indices, target_pos_indices, target_vel_indices)
        slopes = self.torque_and_slopes(arrays, places, drive_state, dt)
        fill_lines(self._pack, slopes, positions, velocities, pos_indices, vel_indices, inv_mass, dt)

    # --- one launch

    def torque_and_slopes(self, sim: Arrays, places: Arrays, state: MotorState | None, dt: float) -> Arrays:
        """Torque [N·m] and its slopes to velocity and position, a row each; `update_state` passes the state on."""
        slopes = {name: self.outputs[name] for name in SLOPES}
        self._run(sim, places, state, slopes, dt, False)
        return slopes

    def fused_step(
        self,
        sim: Arrays,
        places: Arrays,
        state: MotorState | None,
        after: MotorState | None,
        forces: wp.array,
        dt: float,
    ) -> None:
        """One launch that also adds the torques to the host's forces; `sim` holds its arrays by name."""
        self._check(dt)
        # two states in turn differ by two frames of a delay
        frames = 2 if state is not None and state.came_from(after) else None
        fused = self._plan(sim, places, (), True, frames)
        arrays = {FORCES: forces} | self._input_arrays(sim, places) | self._states(state, after)
        fused.launch(arrays | {f"out.{name}": self.outputs[name] for name in self.telemetry}, dt)
        if after is not None:
            after.note_write(state)

    def _run(
        self, sim: Arrays, places: Arrays, state: MotorState | None, outputs: Arrays, dt: float | None, grad: bool
    ) -> None:
        self._check(dt)
        frames = None
        if grad and state is not None:
            self._after = like(state, self._example)
        elif state is not None and self._present == (state, state.version):
            # of a delay the new frame alone is missing
            frames = 1
        fused = self._plan(sim, places, tuple(outputs), False, frames)
        arrays = self._input_arrays(sim, places) | self._states(state, self._after)
        outputs = {name: self.outputs[name] for name in self.telemetry} | outputs
        fused.launch(arrays | {f"out.{name}": x for name, x in outputs.items()}, float(dt or 0.0))
        if state is not None and self._after is not None:
            self._after.note_write(state)
            self._present = None if grad else (state, state.version)

    def _plan(
        self, sim: Arrays, places: Arrays, outputs: tuple[str, ...], forces: bool, frames: int | None = None
    ) -> Fused:
        """The launch for these indices, made when it is first asked for."""
        without = sim["feedforward"] is None
        key = (*(id(x) for x in places.values()), without, outputs, forces, frames)
        if key not in self._fused:
            straight = {name: in_order(index, self.count) for name, index in places.items()}
            inputs = {"position": PLACES["position"], "velocity": PLACES["velocity"]}
            inputs |= {f"command.{n}": PLACES[TARGETS[n]] for n in inputs_of(self.backemf, without)}
            # joints with the same indices share the array of them
            first = {name: next(m for m, y in places.items() if y is x) for name, x in places.items()}
            inputs = {n: "" if straight[place] else f"at.{first[place]}" for n, place in inputs.items()}
            wanted = tuple(dict.fromkeys((*outputs, *self.telemetry)))
            effort = ("" if straight["effort"] else f"at.{first['effort']}") if forces else None
            rows = {} if self._numbers is None else self._numbers.rows
            made = Fused(self._step._run, self.count, self._example, inputs, wanted, effort, frames, rows)
            made.load()
            self._kept.append(places)
            self._fused[key] = made
            if frames is None and any(name.endswith("_line") for name in self._example):
                # later steps take it, perhaps while a graph is captured
                self._plan(sim, places, outputs, forces, 2 if forces else 1)
                if not forces and self._passing is None:
                    self._passing = Passing(self._step._run, self.count, self._example, inputs)
                    self._passing.load()
        return self._fused[key]

    def _input_arrays(self, sim: Arrays, places: Arrays) -> Arrays:
        named = {"position": sim["positions"], "velocity": sim["velocities"]}
        named |= {f"command.{name}": sim[TARGETS[name]] for name in self.backemf.controller.inputs}
        block = {} if self._numbers is None else {NUMBERS: self._numbers.block}
        return named | block | {f"at.{name}": x for name, x in places.items()}

    def _states(self, state: MotorState | None, after: MotorState | None) -> Arrays:
        if state is None or after is None:
            return {}
        return {f"state.{n}": x for n, x in state.arrays.items()} | {f"new.{n}": x for n, x in after.arrays.items()}

    def _initial(self) -> State:
        return self._step.initial((self.count,), seed=self.seed, dt=self.dt)

    def _check(self, dt: float | None) -> None:
        """Check the step, and that the frames of a delay cover it; raise ParameterError if not."""
        if dt == self._seen and dt is not None:
            return
        if dt is None:
            raise ParameterError("step(dt=None): give the length of the step [s]")
        require_step(dt)
        require_frames(self.backemf, State(**self._example), dt)
        self._seen = dt
