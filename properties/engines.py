"""The engines beside each other: the same steps on NumPy, plain Python, JAX, PyTorch, Warp and in machine code."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from types import NoneType
from typing import Any

import numpy as np

import backemf as be
from backemf.actuator.compiled import laws
from backemf.engines.native_plan import MOST_JOINED
from backemf.loads import KINEMATIC, PrescribedMotion
from backemf.physics.load import react
from backemf.physics.ops import total
from backemf.rollout import MAIN, Here
from backemf.rollout_native import roll_native
from backemf.tree import map_numbers

from .bounds import current_size
from .cases import HELD, RUN, Case, Step, map_numbers_of, numbers_of, picked, rows_of, steps_of
from .checks import load_inertia, sizes, torque_size
from .rounding import rounding_of

LARGEST = 1e-12
"""Largest difference of two engines, over what the rounding of a number scales with [1]."""
LARGEST_BY_ROUNDING = 1e-10
"""The same where rounding single operations moves NumPy's own number nearly as far [1]."""
ROUNDINGS = 4.0
"""How much further an engine may be than the furthest of a few random roundings [1]."""
MODULES = {"python": "math", "native": "llvmlite", "jax": "jax", "torch": "torch", "warp": "warp"}
"""What each engine needs."""
PYTHON_MOTORS = 24
"""Motors of a case that plain Python steps, one after the other."""
ALIKE = 9
"""Motors in machine code that share all their numbers: a vector of eight, and one that is computed again."""


def installed_engines() -> tuple[str, ...]:
    """The engines that can be compared with NumPy on this machine."""
    return tuple(name for name, module in MODULES.items() if find_spec(module) is not None)


def first_step(case: Case) -> Case:
    """Only the first step of a case."""
    return replace(case, commands=case.commands[:1], velocities=case.velocities[:1])


@dataclass(frozen=True)
class Difference:
    """How far an engine is from NumPy in one step of a batch."""

    largest: float = 0.0
    """Largest difference, over what the rounding of the number scales with [1]."""
    name: str = ""
    """The number that is furthest from what is allowed."""
    motor: tuple[int, ...] = (0,)
    """The motor in which it is."""
    beyond: float = 0.0
    """Its difference over what is allowed there [1]."""
    by_rounding: int = 0
    """Motors that are further than `LARGEST`, as they are by rounding alone."""


def difference(case: Case, engine: str) -> Difference:
    """How far an engine is from NumPy in the first step."""
    case = first_step(case)
    if engine == "native":
        return on_all_native_codes(case)
    if engine == "python":
        case = rows_of(case, slice(0, PYTHON_MOTORS))
    runs = {"python": on_python, "jax": on_jax, "torch": on_torch, "warp": on_warp}
    return apart_from_numpy(case, runs[engine](case))


def apart_from_numpy(case: Case, got: dict[str, np.ndarray]) -> Difference:
    """How far the numbers of an engine are from NumPy's in the first step."""
    expected = next(iter(steps_of(case)))
    worst, rounding, rounded = Difference(motor=(0,) * len(case.shape)), None, np.zeros(case.shape, dtype=bool)
    with np.errstate(all="ignore"):
        scales = rounding_scales(case, expected)
        for name, value in numbers_of(expected, case.shape).items():
            if name == "limit" or name not in got:
                # a run keeps its channels and nothing else of a step
                continue
            scale = np.maximum(np.abs(value), scales.get(name, 0.0)) + 1e-290
            apart = np.where(value == got[name], 0.0, np.nan_to_num(np.abs(got[name] - value) / scale, nan=np.inf))
            allowed = np.full(case.shape, LARGEST)
            if (apart > LARGEST).any():
                apart = np.where(beside(case, name, got[name], scales.get(name, 0.0)), 0.0, apart)
            if (apart > LARGEST).any():
                rounding = rounding_of(case) if rounding is None else rounding
                allowed = np.clip(ROUNDINGS * rounding[name] / scale, LARGEST, largest_by_rounding(case))
                rounded |= (apart > LARGEST) & (apart <= allowed)
            motor = np.unravel_index(int(np.argmax(apart / allowed)), case.shape)
            largest = max(worst.largest, float(apart.max()))
            if apart[motor] / allowed[motor] > worst.beyond:
                place = tuple(int(k) for k in motor)
                worst = Difference(largest, name, place, float(apart[motor] / allowed[motor]))
            worst = replace(worst, largest=largest)
    return replace(worst, by_rounding=int(rounded.sum()))


def largest_by_rounding(case: Case) -> float:
    """Largest difference that rounding may explain, over what the rounding of a number scales with [1].

    What substeps carry on grows from one to the next: at a speed that passes many cogging periods, without bound.
    """
    return LARGEST_BY_ROUNDING if case.actuator.substeps == 1 else np.inf


def beside(case: Case, name: str, value: np.ndarray, scale: Any) -> Any:
    """Where a number jumps, and an engine's is NumPy's on either side: of a start that differs by a part in 10⁹."""
    found = []
    for factor in (1.0 - 1e-9, 1.0, 1.0 + 1e-9):

        def moved(part: Any, factor: float = factor) -> Any:
            return map_numbers(part, lambda x: x * factor if np.asarray(x).dtype.kind == "f" else x)

        other = replace(case, state=moved(case.state), velocities=moved(case.velocities), commands=moved(case.commands))
        found.append(numbers_of(next(iter(steps_of(other))), case.shape)[name])
    low, high = np.minimum.reduce(found), np.maximum.reduce(found)
    size = 1e-6 * np.maximum(np.maximum(np.abs(low), np.abs(high)), scale)
    return (high - low > size) & (value >= low - size) & (value <= high + size)


RISES = ("new.winding_rise", "new.housing_rise", "new.phase_rise", "new.sensor_rise")
TEMPERATURES = ("winding_temperature", "housing_temperature", "measured_temperature")


def rounding_scales(case: Case, step: Step) -> dict[str, Any]:
    """What the rounding of each number scales with, where that is not the number itself."""
    motor = case.motor
    if motor is None:
        torque = np.abs(step.out.torque_requested) + np.abs(step.out.torque)
        speed = np.maximum(np.abs(step.velocity), np.abs(step.end_velocity))
        scales = {"torque": torque, "mechanical_power": torque * speed, "new.integral": 1.0}
        scales |= joint_scales(case, speed, torque)
        if case.actuator.friction is not None:
            # the slope of a tanh is a difference of two squares
            scales["torque_slope"] = case.actuator.friction.coulomb / case.actuator.friction.activation_speed
        return scales
    out, ratio, dt = step.out, np.abs(motor.ratio), case.dt
    power, amperes, speed = sizes(case, step), current_size(case, step), speed_size(case, step)
    amperes = amperes + motor.magnet.back_emf_constant * ratio * speed / motor.winding.resistance
    volts = np.abs(out.voltage) + np.abs(out.back_emf) + motor.winding.resistance * amperes
    torque = friction_size(motor, step) + torque_size(case, step) + motor.magnet.torque_constant * amperes
    power = np.maximum(power, np.maximum(volts * amperes, torque * ratio * speed))
    # friction is what is missing of the momentum
    requested = np.maximum(ratio * torque, np.abs(out.torque_requested))
    torque_out = ratio * (torque + power / (speed * ratio + 1e-290))
    found = {entry.name: power for entry in fields(be.Output) if entry.name.endswith("_power")}
    found |= {name: amperes for name in ("current", "new.current")}
    found["bus_current"] = (
        total(amperes) if case.actuator.supply is not None and case.actuator.supply.shared else amperes
    )
    found |= {name: volts for name in ("voltage", "back_emf", "bus_voltage")}
    found |= {name: ratio * speed for name in ("rotor_speed", "new.rotor_speed")}
    warmed = power * warming(motor.thermal, dt)
    found |= {name: 1.0 + warmed for name in RISES}
    found |= {name: 100.0 + warmed for name in TEMPERATURES}
    found |= {"motor_torque": torque, "torque": torque_out} | joint_scales(case, speed, torque_out)
    found |= {"new.energy": power * dt, "electrical_energy": power * dt, "new.integral": 1.0}
    # where the joint gets to, one radian or further, is what a position loop and backlash see
    found |= {"new.gap": ratio * (1.0 + dt * speed), "torque_requested": requested * (1.0 + dt * speed)}
    if step.before.bristle is not None:
        found["new.bristle"] = friction_size(motor, step) / motor.friction.stiffness
    own_slope = ratio * ratio * motor.magnet.torque_constant * motor.magnet.back_emf_constant / motor.winding.resistance
    found["torque_slope"] = np.maximum(torque_out / (speed + 1e-290), own_slope)
    return found


def joint_scales(case: Case, speed: Any, torque: Any) -> dict[str, Any]:
    """What the rounding of the joint's motion and load scales with, for that of its speed [rad/s] and torque [N·m]."""
    travel = case.dt * speed
    found = {"end_velocity": speed, "joint_velocity": speed, "joint_travel": travel, "joint_position": travel}
    if case.way == RUN and not isinstance(case.load, KINEMATIC):
        reaction = react(case.load, case.memory, case.position, speed, case.dt / case.actuator.substeps)
        torque = np.abs(reaction.torque) + reaction.damping * speed
    return found | {"load_torque": torque}


def speed_size(case: Case, step: Step) -> Any:
    """What the rounding of the joint's speed scales with [rad/s]: its own size, and what the voltages stand for."""
    motor, out, ratio = case.motor, step.out, np.abs(case.motor.ratio)
    volts = np.abs(out.voltage) + np.abs(out.back_emf)
    speed = np.maximum(np.abs(step.velocity), np.abs(step.end_velocity))
    speed = np.maximum(speed, np.abs(out.rotor_speed) / ratio)
    speed = np.maximum(speed, volts / (motor.magnet.back_emf_constant * ratio))
    # friction that holds a rotor is a difference of torques, each of which would change its speed by this much
    torque, lightest = ratio * (torque_size(case, step) + friction_size(motor, step)), motor.reflected_inertia
    if step.before.current is not None:
        torque = torque + ratio * motor.magnet.torque_constant * np.abs(step.before.current)
    if motor.gearbox is None or motor.gearbox.backlash is None:
        lightest = lightest + load_inertia(case)
    elif not isinstance(case.load, KINEMATIC):
        lightest = np.minimum(lightest, load_inertia(case))
    return speed + case.dt * torque / lightest


def warming(thermal: Any, dt: Any) -> Any:
    """Largest rise of the winding per power within a step [K/W]."""
    if thermal is None:
        return 0.0
    if isinstance(thermal, be.TwoNodeThermal):
        return np.minimum(dt / thermal.winding_capacitance, thermal.winding_resistance + thermal.housing_resistance)
    return np.minimum(dt / thermal.capacitance, thermal.resistance)


def friction_size(motor: be.Motor, step: Step) -> Any:
    """Largest dry friction at the rotor [N·m]."""
    friction: Any = motor.friction
    if friction is None:
        return 0.0
    level = getattr(friction, "stiction", friction.coulomb)
    return level if step.before.bristle is None else level + friction.stiffness * np.abs(step.before.bristle)


def on_python(case: Case) -> dict[str, np.ndarray]:
    """Plain floats, one motor after the other."""
    engine = laws("python")
    rows = []
    for k in range(case.shape[0]):
        one = map_numbers_of(picked(case, (k,)), lambda part: map_numbers(part, plain))
        rows.append(numbers_of(next(iter(steps_of(one, engine))), ()))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def plain(x: Any) -> Any:
    """A batch of one number as a plain number; tables stay."""
    x = np.asarray(x)
    if x.size > 1:
        return x
    value = x.reshape(()).item()
    return float(value) if x.dtype.kind == "f" else value


def on_torch(case: Case) -> dict[str, np.ndarray]:
    """PyTorch's operations in double precision, not compiled."""
    import torch

    engine = laws("torch")

    def tensor(x: Any) -> Any:
        return torch.as_tensor(np.array(x)) if isinstance(x, np.ndarray) else x

    moved = map_numbers_of(case, lambda part: map_numbers(part, tensor))
    return numbers_of(next(iter(steps_of(moved, engine))), case.shape)


def on_jax(case: Case) -> dict[str, np.ndarray]:
    """JAX in double precision, compiled."""
    import jax

    engine = laws("jax")

    def step(*parts: Any) -> dict[str, Any]:
        actuator, load_, state, memory, position, velocity, command, dt, torque, inertia = parts
        one = replace(
            case, actuator=actuator, load=case.load if load_ is None else load_, state=state, memory=memory,
            position=position, velocities=(velocity,), commands=(command,), dt=dt, load_torque=torque,
            load_inertia=inertia,
        )  # fmt: skip
        done = next(iter(steps_of(one, engine)))
        return {"end_velocity": done.end_velocity, "after": done.after, "out": done.out}

    with jax.enable_x64(True):
        moving = None if isinstance(case.load, KINEMATIC) else case.load
        answer = jax.jit(step)(
            case.actuator, moving, case.state, case.memory, case.position, case.velocities[0], case.commands[0],
            case.dt, case.load_torque, case.load_inertia,
        )  # fmt: skip
        done = Step(0, case.state, answer["after"], answer["out"], None, 0, 0, answer["end_velocity"], 0.0)
        return numbers_of(done, case.shape)


def on_warp(case: Case) -> dict[str, np.ndarray]:
    """Warp's kernel on the CPU in double precision: the step of a host."""
    step = case.actuator.compile("warp", dtype="float64", device="cpu")
    given = () if case.load_torque is None else (case.load_torque, case.load_inertia)
    state, out = step(case.state, case.commands[0], case.position, case.velocities[0], case.dt, *given)

    def array(x: Any) -> Any:
        return x.numpy() if hasattr(x, "numpy") else x

    after, out = map_numbers(state, array), map_numbers(out, array)
    return numbers_of(Step(0, case.state, after, out, None, 0, 0, case.velocities[0], 0.0), case.shape)


def on_all_native_codes(case: Case) -> Difference:
    """The furthest of machine code for motors with numbers of their own, for one motor, and for several of it."""
    if case.way == RUN:
        case = told_alike(case)
    worst = apart_from_numpy(case, on_native(case, case.actuator, case.load))
    if len(case.shape) > 1:
        # motors on one supply stay together
        return worst
    first = picked(case, (0,))
    actuator = map_numbers(first.actuator, plain)
    load = first.load if isinstance(first.load, (*KINEMATIC, NoneType)) else map_numbers(first.load, plain)
    for count in (1, ALIKE):
        some = rows_of(case, np.zeros(count, dtype=int))
        found = apart_from_numpy(some, on_native(some, actuator, load))
        if found.beyond > worst.beyond:
            worst = replace(found, motor=(0,))
    return worst


def told_alike(case: Case) -> Case:
    """A case with one step for all motors, and one path for those that are moved, as a run has them."""
    dt = float(np.ravel(case.dt)[0])
    if not isinstance(case.load, PrescribedMotion):
        return replace(case, dt=dt)
    position, velocity = (np.full(case.shape, x.flat[0]) for x in (case.position, case.velocities[0]))
    return replace(case, dt=dt, position=position, velocities=(velocity,))


def on_native(case: Case, actuator: be.Actuator, load: Any) -> dict[str, np.ndarray]:
    """Machine code: the step of a host, or the loop of a run; actuator and load as it is given them."""
    command, start, shape = case.commands[0], case.velocities[0], case.shape
    if case.way == HELD:
        given = () if case.load_torque is None else (case.load_torque, case.load_inertia)
        after, out = actuator.compile("native")(case.state, command, case.position, start, case.dt, *given)
        return numbers_of(Step(0, case.state, after, out, None, 0, 0, start, 0.0), shape)
    told = vars(command) if isinstance(command, be.Command) else {MAIN: command}
    values = {name: np.broadcast_to(x, shape)[None] for name, x in told.items() if x is not None}
    path = None
    if isinstance(load, PrescribedMotion):
        path = case.position.flat[0] + np.array([0.0, case.dt * start.flat[0]])
    here = Here(case.state, case.memory, case.position, start)
    here, channels = roll_native(actuator, load, here, values, path, case.dt, 1, shape, "float64")
    names = {entry.name for entry in fields(be.Output)}
    out = be.Output(**dict.fromkeys(names) | {name: x[0] for name, x in channels.items() if name in names})
    return numbers_of(Step(0, case.state, here.state, out, None, 0, 0, here.velocity, 0.0), shape)


def can_compare(case: Case, engine: str) -> bool:
    """Whether an engine has what a case needs."""
    # on plain floats, and in a thread of Warp, a shared supply has one motor
    alone = len(case.shape) == 1
    if engine == "native" and case.actuator.supply is not None and case.actuator.supply.shared:
        return case.way == HELD and case.shape[-1] <= MOST_JOINED
    if engine == "warp":
        return alone and case.way == HELD and case.actuator.delay is None
    # a batch of one motor keeps the frames of a delay in arrays, which plain floats are not
    return engine != "python" or (alone and case.actuator.delay is None)
