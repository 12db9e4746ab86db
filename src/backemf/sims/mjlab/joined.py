"""All motors of a robot in one launch: before a physics step, and after it.

mjlab asks each actuator of a robot by itself. Where several of them step in kernels, one object stands for all of them
in the robot's list; on a GPU its launches are two CUDA graphs. Telemetry, resets and randomisation stay with each
actuator.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import torch
import warp as wp

from ...values import Module
from .kernels import same, shared_tensor

if TYPE_CHECKING:
    from .plugin import MotorActuator
    from .types import Entity, Tensors

LIST = "_custom_actuators"
"""Where a robot of mjlab's has the actuators that it asks one by one."""


def join_motors(entity: Entity, alike: Callable[[object], bool]) -> None:
    """Let one object stand for all actuators of a robot that are alike; nothing changes where there is but one."""
    listed = getattr(entity, LIST, None)
    if not isinstance(listed, tuple):
        return
    motors = [each for each in listed if alike(each)]
    if len(motors) > 1:
        joined, first = JoinedMotors(cast("list[MotorActuator]", motors)), motors[0]
        setattr(entity, LIST, tuple(joined if x is first else x for x in listed if x is first or x not in motors))


class JoinedMotors:
    """Stands for several actuators of a robot where mjlab computes controls."""

    def __init__(self, motors: Sequence[MotorActuator]):
        self._motors = motors
        self._kernels = [each.kernels for each in motors]
        widths, device = [each.shape[1] for each in self._kernels], self._kernels[0].device
        table = wp.zeros((self._kernels[0].shape[0], sum(widths)), dtype=wp.float32, device=device)
        self._torque, self.ctrl_ids = shared_tensor(table), torch.cat([each.ctrl_ids for each in motors])
        for k, (motor, kernels) in enumerate(zip(motors, self._kernels, strict=True)):
            kernels.put_torque(table, sum(widths[:k]))
            motor.joined = self
        self._device = device
        self._sources: tuple[object, ...] = ()
        self._before: list[Module] = []
        self._after: list[Module] = []
        self.waits = False
        """Whether the motors have yet to make the step for which torques were computed."""

    # --- what mjlab asks

    def get_command(self, data: Tensors) -> None:
        """Nothing: kernels read targets and joints out of the simulation's tables."""

    def apply_delay(self, command: None) -> None:
        """Nothing: motors have delays of their own."""

    def compute(self, command: None) -> torch.Tensor:
        """Torques at the joints of all motors."""
        for motor in self._motors:
            motor.count_computation(alone=False)
        sources = tuple(x for kernels in self._kernels for x in kernels.sources())
        if not same(sources, self._sources):
            self._sources = sources
            self._before = self._captured([kernels.launch_before(kernels.sources()) for kernels in self._kernels])
            self._after = self._captured([kernels.launch_after() for kernels in self._kernels])
        self._launch(self._before)
        self.waits = True
        return self._torque

    def after(self) -> None:
        """Step all motors along the motion of the physics step that was just made; once for all of them."""
        if self.waits:
            self.waits = False
            self._launch(self._after)

    def part(self) -> None:
        """Let each actuator make the step that is waited for by itself: one of them starts anew and makes none."""
        if self.waits:
            self.waits = False
            for motor in self._motors:
                motor.step_alone()

    # --- graphs

    def _captured(self, launches: list[Module]) -> list[Module]:
        """The launches, on a GPU as one graph."""
        if not self._device.is_cuda:
            return launches
        main = self._device.stream
        # configs do not wait for each other: the graph begins with all of them
        others = [wp.Stream(self._device) for _ in launches[1:]]
        with no_collection(), wp.ScopedCapture(stream=main) as capture:
            begin = main.record_event()
            for each, stream in zip(launches[1:], others, strict=True):
                stream.wait_event(begin)
                each.launch(stream=stream)
            launches[0].launch(stream=main)
            for stream in others:
                main.wait_event(stream.record_event())
        # the graph holds addresses alone, so what they point to is kept beside it
        capture.graph.launches = launches
        return [capture.graph]

    def _launch(self, what: list[Module]) -> None:
        if self._device.is_cuda:
            wp.capture_launch(what[0])
            return
        for each in what:
            each.launch()


@contextmanager
def no_collection() -> Iterator[None]:
    """No garbage is collected inside: a graph that is freed while another is captured would end up in it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
