"""A step that is ready to run on one engine."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ..engines import load
from ..errors import ParameterError
from ..motor import Coulomb, Dahl, LoadDependent, LuGre, Motor, TwoNodeThermal
from ..physics.drive import has_current_state
from ..physics.state import Output, State
from ..physics.step import has_backlash

if TYPE_CHECKING:
    from .actuator import Actuator

_OPTIONS = {"torch": {"dtype", "device", "dynamic", "eager"}}


class CompiledStep:
    """Steps a batch of one kind of actuator: `state, out = step(state, command, position, velocity, dt)`."""

    def __init__(self, actuator: Actuator, engine: str, options: dict[str, Any]):
        unknown = set(options) - _OPTIONS.get(engine, set())
        if unknown:
            raise ParameterError(f"compile({engine!r}) does not know the option {sorted(unknown)[0]!r}")
        self.actuator = actuator
        self.engine = engine
        self._engine = load(engine)
        self._place = {name: options[name] for name in ("dtype", "device") if name in options}
        self._run = self._engine.compile_held(actuator, options)

    def initial(self, shape: tuple[int, ...] | int = (), **values: Any) -> State:
        """The state of a batch at rest, at ambient temperature; states given by name start elsewhere."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        present = states_of(self.actuator.motor)
        for name in values:
            if name not in present:
                raise ParameterError(
                    f"initial({name}=...): this motor has no such state; it has {', '.join(present) or 'none'}"
                )
        make = self._engine.array
        return State(**{name: make(values.get(name, 0.0), shape, **self._place) for name in present})

    def __call__(
        self,
        state: State,
        command: Any,
        joint_position: Any,
        joint_velocity: Any,
        dt: Any,
        load_torque: Any = None,
        load_inertia: Any = None,
    ) -> tuple[State, Output]:
        """New state and output after `dt` seconds under a voltage command [V].

        Position [rad] and velocity [rad/s] of the joint are held over the step. What the host knows of the joint's
        other torque [N·m] and inertia [kg·m²] may be given: load-dependent friction and backlash need it, dry friction
        stops exactly with it.
        """
        if isinstance(dt, (int, float)) and not (dt > 0 and math.isfinite(dt)):
            raise ParameterError(f"dt = {dt}: must be a positive number of seconds")
        require_load(self.actuator.motor, load_torque, load_inertia)
        if self.engine != "python":
            require_shapes(state, command=command, joint_position=joint_position, joint_velocity=joint_velocity)
        return self._run(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia)

    def reset(self, state: State, mask: Any, **values: Any) -> State:
        """The state with every motor where `mask` is true back at rest and ambient temperature."""
        for name in values:
            if getattr(state, name, None) is None:
                raise ParameterError(f"reset({name}=...): this motor has no such state")
        fresh = {}
        for entry in fields(state):
            old = getattr(state, entry.name)
            if old is not None:
                new = self._engine.array(values.get(entry.name, 0.0), **self._place)
                fresh[entry.name] = self._engine.select(mask, new, old)
        return replace(state, **fresh)


def states_of(motor: Motor) -> list[str]:
    """Names of the states a motor has."""
    names = []
    if has_current_state(motor):
        names.append("current")
    if motor.thermal is not None:
        names.append("winding_rise")
    if isinstance(motor.thermal, TwoNodeThermal):
        names.append("housing_rise")
    if isinstance(motor.friction, (Dahl, LuGre)):
        names.append("bristle")
    if has_backlash(motor):
        names += ["gap", "rotor_speed"]
    return names


def require_shapes(state: State, **inputs: Any) -> None:
    """Raise one sentence if an input does not broadcast to the batch."""
    held = (getattr(state, entry.name) for entry in fields(state))
    batch = next((tuple(x.shape) for x in held if hasattr(x, "shape")), ())
    for name, value in inputs.items():
        if isinstance(value, str) or value is None:
            raise ParameterError(f"{name} = {value!r}: must be a number or an array of them")
        shape = tuple(getattr(value, "shape", ()))
        if any(a != b and a != 1 and b != 1 for a, b in zip(reversed(shape), reversed(batch), strict=False)):
            raise ParameterError(f"{name} has the shape {shape}, which does not fit the batch {batch}")
        batch = shape if len(shape) > len(batch) else batch


def require_load(motor: Motor, load_torque: Any, load_inertia: Any) -> None:
    """Raise one sentence if the motor's physics needs to know more of the load."""
    if has_backlash(motor) and (load_torque is None or load_inertia is None):
        raise ParameterError(
            "backlash needs load_torque and load_inertia: what the rotor hits when the play is used up"
        )
    if has_backlash(motor) and motor.rotor is None:
        raise ParameterError("backlash needs Motor.rotor: without inertia nothing moves in the play")
    friction = motor.friction
    if isinstance(friction, LoadDependent) and load_torque is None:
        shares = (friction.load, friction.quadratic, friction.stribeck and friction.stribeck.load)
        if any(share is not None for share in shares):
            raise ParameterError(
                "load-dependent friction needs load_torque; pass load_torque=0.0 if nothing is known of it"
            )
    lossy = motor.gearbox is not None and not motor.gearbox.lossless
    if (isinstance(friction, (Coulomb, LoadDependent)) or lossy) and motor.rotor is None and load_inertia is None:
        raise ParameterError(
            "dry friction and gear loss need an inertia to stop: give Motor.rotor, or load_inertia with the step"
        )
