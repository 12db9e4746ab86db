"""MuJoCo's dcmotor on an engine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType

from ...checks import Number
from ...engines import bind, load
from ...errors import ParameterError
from ...physics.state import Array
from ...tree import map_numbers
from ..on_engine import EngineOption, OnEngine
from . import law
from .law import Controls, DcMotorState
from .motor import SWITCHES, DcMotor


@cache
def laws(engine: str) -> ModuleType:
    """The law on an engine: `dcmotor_step(motor, state, ctrl, length, velocity, dt)` and `dcmotor_slope(...)`."""
    return bind(law, engine, load(engine).ops)


class CompiledDcMotor(OnEngine):
    """Steps a batch of motors: `state, force = step(state, ctrl, length, velocity, dt)`."""

    def __init__(self, motor: DcMotor, engine: str, options: Mapping[str, EngineOption]):
        super().__init__(engine, options)
        self._laws = laws(engine)
        self.motor = map_numbers(motor, self._number)

    def initial(self, shape: tuple[int, ...] | int = ()) -> DcMotorState:
        """The initial state of a batch."""
        return DcMotorState(**{name: self._spread(0.0, shape) for name in self.motor.states or ()})

    def __call__(
        self, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number
    ) -> tuple[DcMotorState, Array]:
        """The state after a step and the force over it."""
        self._check(state, ctrl)
        return self._laws.dcmotor_step(self.motor, state, ctrl, length, velocity, dt)

    def slope(self, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number) -> Array:
        """d(force)/d(velocity) as MuJoCo's implicit integrators take it [N·m·s/rad]."""
        self._check(state, ctrl)
        return self._laws.dcmotor_slope(self.motor, state, ctrl, length, velocity, dt)

    def joint_torque(self, force: Number, joint_velocity: Number) -> Array:
        """Torque on the joint, gear and drag included [N·m]."""
        return self._laws.joint_torque(self.motor, force, joint_velocity)

    def act(self, state: DcMotorState) -> Array:
        """MuJoCo's `act`: the states along the last axis."""
        present = [getattr(state, name) for name in self.motor.states or ()]
        if not present:
            raise ParameterError("DcMotor.act: the motor has no states, so MuJoCo keeps no act for it")
        return self._engine.ops.stack_last(present)

    def state(self, act: Array) -> DcMotorState:
        """The state that an `act` of MuJoCo's holds along its last axis."""
        present = self.motor.states or ()
        if act.shape[-1] != len(present):
            raise ParameterError(f"act has {act.shape[-1]} numbers: the motor has {len(present)} states")
        return DcMotorState(**{name: act[..., index] for index, name in enumerate(present)})

    def _check(self, state: DcMotorState, ctrl: Controls) -> None:
        """Check that state and inputs are those of this motor; raise ParameterError if not."""
        if tuple(name for name in SWITCHES if getattr(state, name) is not None) != self.motor.states:
            raise ParameterError(f"the state is that of another motor: this one has {self.motor.states}")
        inputs = self.motor.inputs
        count = len(ctrl) if isinstance(ctrl, (tuple, list)) else None
        if count is None and len(inputs) > 1:
            shape = tuple(getattr(ctrl, "shape", ()))
            count = shape[-1] if shape else 1
        if count not in (None, len(inputs)):
            raise ParameterError(f"ctrl holds {count} inputs: the motor takes {' '.join(inputs) or 'none'}")
