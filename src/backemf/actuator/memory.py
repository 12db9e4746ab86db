"""What an actuator remembers: which states it has, their shapes, how they start and how they start again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..checks import quote, require_room
from ..errors import ParameterError
from ..motor import Motor, TwoNodeThermal
from ..motor.friction import Bristles
from ..parts import acts
from ..physics import draws
from ..physics.drive import has_current_state
from ..physics.state import PER_MOTOR, State
from ..physics.step import has_backlash
from ..values import Number
from .controllers.learned import LearnedController, memory_of

if TYPE_CHECKING:
    from .actuator import Actuator

OTHER_DEVICE = 2**40
"""What no accelerator has [bytes]."""


def states_of(actuator: Actuator) -> list[str]:
    """Names of the states an actuator has."""
    controller = actuator.controller
    names = [] if actuator.motor is None else motor_states(actuator.motor, controller.bandwidth is not None)
    if actuator.meter and actuator.motor is not None:
        names.append("energy")
    if actuator.slew is not None:
        names.append("setpoint")
    if controller.has_integral:
        names.append("integral")
    if isinstance(controller, LearnedController):
        names += memory_of(controller, ())
    begins = "setpoint" in names or ("integral" in names and controller.moving_target)
    if begins or isinstance(controller, LearnedController):
        names.append("fresh")
    return names + delay_states(actuator)


def motor_states(motor: Motor, loop: bool) -> list[str]:
    """Names of the states a motor has."""
    names = []
    if has_current_state(motor, loop):
        names.append("current")
    if motor.thermal is not None:
        names.append("winding_rise")
    if isinstance(motor.thermal, TwoNodeThermal):
        names.append("housing_rise")
    if motor.thermistor is not None and motor.thermistor.phase_heat is not None:
        names.append("phase_rise")
    if motor.thermistor is not None and acts(motor.thermistor, "time_constant"):
        names.append("sensor_rise")
    if isinstance(motor.friction, Bristles):
        names.append("bristle")
    if has_backlash(motor):
        names += ["gap", "rotor_speed"]
    return names


def delay_states(actuator: Actuator) -> list[str]:
    """Names of the states of the delay."""
    delay = actuator.delay
    if delay is None:
        return []
    names = ["clock", "head", *(f"{name}_line" for name in actuator.delayed_inputs)]
    if delay.is_random:
        # a delay that is drawn once follows from its key, which stays at a reset
        names += ["key"] if delay.schedule == "constant" else ["lag", "key"]
    if delay.grows:
        names.append("aim")
    if delay.is_random and delay.period and delay.staggered:
        names.append("phase")
    if "position" in actuator.delayed_inputs and not delay.is_foreign:
        names.append("held_position")
    return names


def shared_shape(actuator: Actuator, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Shape of what the joints of an environment have in common: the last axis is theirs."""
    alone = actuator.delay is None or actuator.delay.per == "joint" or not shape
    return shape if alone else (*shape[:-1], 1)


def initial_state(
    engine: ModuleType | SimpleNamespace, actuator: Actuator, shape: tuple[int, ...], seed: int, dt: Number | None,
    values: Mapping[str, Number], place: Mapping[str, object],
) -> State:  # fmt: skip
    """The state of a batch at the start."""
    present = states_of(actuator)
    for name in values:
        if name not in present or name not in PER_MOTOR:
            settable = [state for state in present if state in PER_MOTOR]
            raise ParameterError(
                f"initial({name}=...): this actuator has no such state; it has {', '.join(settable) or 'none'}"
            )
    values = with_sensor(present, values)
    common = shared_shape(actuator, shape)
    learned = memory_of(actuator.controller, shape) if isinstance(actuator.controller, LearnedController) else {}
    frames = 1 if actuator.delay is None else actuator.delay.length(dt)
    require_room_for_state(engine, present, shape, frames, learned, place)
    made = {}
    for name in present:
        if name in PER_MOTOR:
            made[name] = engine.array(values.get(name, 0.0), shape, **place)
        elif name == "fresh":
            # what is given does not begin with where the joint is
            given = "setpoint" in values or "integral" in values
            made[name] = engine.array(0.0 if given else 1.0, shape, **place)
        elif name.endswith("_line"):
            made[name] = engine.array(0.0, (frames, *shape), **place)
        elif name in learned:
            made[name] = engine.array(0.0, learned[name], **place)
        elif name in ("lag", "aim"):
            made[name] = engine.array(0.0, common, **place)
        elif name == "key":
            made[name] = engine.integers(first_keys(seed, common), common, **place)
        else:
            made[name] = engine.integers(0, () if name == "head" else common, **place)
    return State(**made)


def with_sensor(present: list[str], values: Mapping[str, Number]) -> Mapping[str, Number]:
    """States given by name, the thermistor as warm as a winding that starts warm."""
    if "sensor_rise" not in present or "winding_rise" not in values:
        return values
    return {"sensor_rise": values["winding_rise"], **values}


def require_room_for_state(
    engine: ModuleType | SimpleNamespace, present: list[str], shape: tuple[int, ...], frames: int,
    learned: Mapping[str, tuple[int, ...]], place: Mapping[str, object],
) -> None:  # fmt: skip
    """Raise a `ParameterError` before anything is made, if a state is larger than the memory."""
    rows = sum(frames if name.endswith("_line") else 1 for name in present if name not in learned)
    count = rows * math.prod(shape) + sum(math.prod(size) for size in learned.values())
    double = engine.__name__.endswith(("numpy_engine", "native_engine")) or "float64" in str(place.get("dtype"))
    # what another device has is not known here
    most = None if "cuda" not in str(place.get("device", "")) else OTHER_DEVICE
    if frames > 1 and frames > math.prod(shape):
        remedy = f"shorten the delay, which has {min(frames, 10**60):.4g} frames, or raise dt"
    else:
        remedy = "run fewer motors at once"
    require_room(f"a state of the shape {quote(shape)}", count * (8 if double else 4), remedy, most)


def first_keys(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """A word for each environment, from a seed and its place in the batch."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ParameterError(f"seed = {seed!r}: must be a whole number of 0 or more")
    index = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    return np.asarray(draws.mix(draws.mix(0x9E3779B9, int(seed) & 0xFFFFFFFF), index)).astype(np.uint32)
