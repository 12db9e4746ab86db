"""Checks of what a run is given: what is missing, and what does not fit. What is traced or on a device passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .actuator import Actuator, Command
from .actuator.memory import states_of
from .actuator.needs import require_command, require_frames, require_inertia, require_load
from .checks import ABSOLUTE_ZERO, Number, no_number, quote
from .errors import ParameterError
from .loads import KINEMATIC, Load, LockedRotor, PrescribedMotion, inertia_of
from .motor import Motor
from .parts import FAMILIES, acts
from .physics.state import State
from .tree import numbers
from .values import Foreign

MAIN = "command"
"""Name of the controller's main input where nothing else is commanded."""
HOST = (int, float, np.ndarray, np.generic, list, tuple)
"""Numbers that can be looked at without waiting for a device."""


def require_run(name: str, actuator: object, load: object) -> Actuator:
    """The actuator of a run by the function of that name; raises `ParameterError` if there is nothing to run."""
    if not isinstance(actuator, (Actuator, Motor)):
        raise ParameterError(f"{name}({type(actuator).__name__}): the first argument must be a Motor or an Actuator")
    if not isinstance(load, tuple(FAMILIES["load"].values())):
        raise ParameterError(f"load = {quote(load)}: must be one of the loads of backemf, e.g. Inertia(inertia=1e-4)")
    return Actuator(actuator) if isinstance(actuator, Motor) else actuator


def check_load(actuator: Actuator, load: Load) -> None:
    """Check that there is something to move; raise `ParameterError` if not."""
    require_load(actuator, 0.0, 1.0)
    if isinstance(load, KINEMATIC):
        return
    motor = actuator.motor
    if on_host(load) and (motor is None or (on_host(motor.rotor) and on_host(motor.gearbox))):
        require_inertia(actuator, inertia_of(load))


def check_begin(actuator: Actuator, load: Load, position: Number, velocity: Number, initial: object) -> None:
    """Check where a run begins; raise `ParameterError` if that cannot be."""
    if initial is not None and not isinstance(initial, Mapping):
        raise ParameterError(f"initial = {quote(initial)}: must be a dict such as {{'winding_rise': 60.0}}")
    given: dict[str, Foreign] = {"position": position, "velocity": velocity, **(initial or {})}
    for name, value in given.items():
        if not _is_begin(value):
            raise ParameterError(f"{name} = {quote(value)}: must be a finite number, or an array with one per motor")
    if isinstance(load, LockedRotor) and _moves(velocity):
        raise ParameterError(f"velocity = {quote(velocity)}: a locked rotor stands still; leave velocity out")
    if isinstance(load, PrescribedMotion) and (_moves(position) or _moves(velocity)):
        raise ParameterError(
            f"position = {quote(position)}, velocity = {quote(velocity)}: a prescribed motion starts where its table "
            "does; leave them out"
        )
    motor = actuator.motor
    if motor is not None and initial and all(isinstance(x, HOST) for x in initial.values()) and on_host(motor):
        check_start(motor, initial)


def _is_begin(value: object) -> bool:
    """Whether a value can be where a run begins: a finite number or an array of them."""
    if isinstance(value, (list, tuple)):
        try:
            value = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            return False
    if value is None or no_number(value):
        return False
    # of an array only those motors suffer whose number is not finite
    return not isinstance(value, (int, float, np.generic)) or bool(np.isfinite(value))


def _moves(value: object) -> bool:
    return isinstance(value, HOST) and bool(np.any(value))


def on_host(part: object) -> bool:
    """Whether every number of a part can be looked at here."""
    return all(isinstance(value, HOST) for _, value in numbers(part))


def check_start(motor: Motor, initial: Mapping[str, Number]) -> None:
    """Check that the start is possible: a winding above absolute zero, a rotor within its backlash; raise if not."""
    if "winding_rise" in initial and motor.thermal is not None:
        degrees = motor.thermal.ambient + np.asarray(initial["winding_rise"])
        factor = 1.0 + motor.winding.temperature_coefficient * (degrees - motor.winding.reference_temperature)
        if (degrees < ABSOLUTE_ZERO).any() or (factor <= 0.0).any():
            raise ParameterError(
                f"initial['winding_rise'] = {initial['winding_rise']}: so cold a winding has no resistance; raise it"
            )
    if "gap" in initial and motor.gearbox is not None and acts(motor.gearbox, "backlash"):
        half = 0.5 * np.abs(motor.ratio) * motor.gearbox.backlash
        if (np.abs(initial["gap"]) > half * (1.0 + 1e-9)).any():
            raise ParameterError(
                f"initial['gap'] = {initial['gap']}: must be within half the backlash, ±{half} rad at the rotor"
            )


def check_state(actuator: Actuator, load: Load, state: State, memory: Sequence[Foreign], dt: Number) -> None:
    """Check that a state is one of this actuator and this load; raise `ParameterError` if not."""
    missing = [name for name in states_of(actuator) if getattr(state, name) is None]
    missing += list(load.remembers) if len(memory) != len(load.remembers) else []
    if missing:
        raise ParameterError(
            f"start has no {', '.join(missing)}: it is where another actuator or load was; make it with rest(...) or "
            "a rollout of these"
        )
    require_frames(actuator, state, dt)


def row_values(actuator: Actuator, commands: object, array: Callable[[Foreign], Foreign]) -> dict[str, Foreign]:
    """The rows of each input of the command by name, as what `array` makes of them.

    Raises `ParameterError` where they are no rows of numbers, as many for each input.
    """
    given = {MAIN: commands}
    if isinstance(commands, Command):
        given = {name: x for name, x in vars(commands).items() if x is not None}
        require_command(actuator, Command(**dict.fromkeys(given, 0.0)))
    rows = {name: _row(name, x, array) for name, x in given.items()}
    lengths = {name: tuple(row.shape)[:1] for name, row in rows.items()}
    if len(set(lengths.values())) > 1 or () in lengths.values() or (0,) in lengths.values():
        said = ", ".join(f"{name} {length[0] if length else 'none'}" for name, length in lengths.items())
        raise ParameterError(f"commands: the inputs have these numbers of rows, {said}: give one row per step to each")
    return rows


def _row(name: str, value: Foreign, array: Callable[[Foreign], Foreign]) -> Foreign:
    """A value or row per step as an array."""
    said = f"{'commands' if name == MAIN else name} = {quote(value)}: must be an array with one value or row per step"
    kind = str(getattr(value, "dtype", "")).removeprefix("torch.")
    if value is None or isinstance(value, (str, bytes, dict, set, complex)) or kind.startswith("complex"):
        raise ParameterError(said)
    try:
        return array(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(said) from error


def number_shapes(actuator: Actuator, load: Load) -> list[tuple[int, ...]]:
    """The shapes of all numbers of an actuator and its load."""
    found = [*numbers(actuator), *(() if isinstance(load, KINEMATIC) else numbers(load))]
    return [tuple(getattr(value, "shape", ())) for _, value in found]


def require_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all share; raises `ParameterError` if there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        known = ", ".join(str(shape) for shape in dict.fromkeys(shapes) if shape)
        raise ParameterError(f"commands, start and numbers have the shapes {known}, which fit no batch") from None
