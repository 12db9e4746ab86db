"""An actuator as Newton's USD has it: one of Newton's own, or a whole backemf actuator."""

from __future__ import annotations

from dataclasses import dataclass

from ...checks import Number
from ...physics.command import Command
from ..on_joint import Law, OnJoint
from .law import Memory, Pipeline


@dataclass(frozen=True, kw_only=True)
class NewtonJoint(OnJoint):
    """A backemf actuator, and the same as Newton computes it."""

    pipeline: Pipeline | None = None
    """Newton's own delay, drive and clamps; None: the actuator runs inside Newton as it is."""

    def law(self) -> Law:
        """What Newton computes with it."""
        return super().law() if self.pipeline is None else PipelineLaw(self, self.pipeline)


class PipelineLaw:
    """Newton's own delay, drive and clamps, and the friction of the joint."""

    def __init__(self, on_joint: OnJoint, pipeline: Pipeline):
        self.on_joint, self.pipeline = on_joint, pipeline

    def initial(self, shape: tuple[int, ...] = ()) -> Memory:
        return self.pipeline.initial(shape)

    def step(
        self, state: Memory, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[Memory, Number]:
        state, torque = self.pipeline.step(state, command, position, velocity, dt)
        return state, self.on_joint.after_friction(torque, velocity)
