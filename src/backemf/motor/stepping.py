"""What `Motor.compile` gives back, as far as this room knows it: the rooms below hold the classes themselves."""

from __future__ import annotations

from typing import Protocol

from ..values import Bits, Maybe, Number, Recorded


class MotorState(Protocol):
    """What a motor remembers from step to step; `backemf.State` says what each name is."""

    def __getattr__(self, name: str) -> Recorded: ...


class MotorOutput(Protocol):
    """What a motor does over a step; `backemf.Output` says what each name is."""

    def check(self) -> None: ...
    def __getattr__(self, name: str) -> Recorded: ...


class MotorStep(Protocol):
    """A motor's step on one engine: a `backemf.actuator.CompiledStep`, whose methods say what they do."""

    engine: str

    def initial(
        self, shape: tuple[int, ...] | int = (), *, seed: int = 0, dt: float | None = None, **values: Number
    ) -> MotorState: ...

    def __call__(
        self, state: MotorState, command: Number, joint_position: Number, joint_velocity: Number, dt: Number,
        load_torque: Maybe = None, load_inertia: Maybe = None,
    ) -> tuple[MotorState, MotorOutput]: ...  # fmt: skip

    def coupled(
        self, state: MotorState, command: Number, joint_position: Number, joint_velocity: Number, dt: Number,
        load_torque: Number = 0.0, load_inertia: Maybe = None, *, load_damping: Number = 0.0,
        load_stiffness: Number = 0.0,
    ) -> tuple[MotorState, MotorOutput]: ...  # fmt: skip

    def reset(self, state: MotorState, mask: Bits, **values: Number) -> MotorState: ...
