"""Cases: a batch of actuators, where they start, and what they are told; and the steps that follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import backemf as be
from backemf.actuator import chain
from backemf.actuator.memory import PER_MOTOR, initial_state, states_of
from backemf.engines import load as load_engine
from backemf.loads import KINEMATIC
from backemf.parts import without_neutral
from backemf.physics.step import has_backlash
from backemf.rollout import Here, advance
from backemf.tree import map_numbers

from .draw import Draw
from .draw_actuator import Joint, actuator_of, unit_of

HELD, RUN = "held", "run"
"""A host owns the joint and calls the step; or motor and load are advanced together, as in `simulate`."""


@dataclass(frozen=True)
class Case:
    """A batch of actuators of one structure and their inputs over a few steps."""

    actuator: be.Actuator
    way: str
    """`HELD` or `RUN`."""
    load: Any
    """Load of a run; None where a host owns the joint."""
    state: be.State
    """What the actuators remember at the start."""
    memory: tuple
    """What the load remembers at the start."""
    position: np.ndarray
    """Joint position at the start [rad]."""
    velocities: tuple[np.ndarray, ...]
    """Joint velocity in each step of a host; of a run, that at the start [rad/s]."""
    commands: tuple[Any, ...]
    """What is commanded in each step."""
    dt: Any
    """Step, one for each motor or one for all [s]."""
    load_torque: Any = None
    """What the host knows of the joint's other torques; None: nothing [N·m]."""
    load_inertia: Any = None
    """What the host knows of the joint's inertia; None: nothing [kg·m²]."""

    def __post_init__(self) -> None:
        # as the laws see it: what has no effect is left out
        object.__setattr__(self, "actuator", without_neutral(self.actuator))

    @property
    def motor(self) -> Any:
        """The motors; None where there are none."""
        return self.actuator.motor

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch."""
        return self.position.shape

    @property
    def inputs(self) -> int:
        """Motor-inputs: one motor in one step."""
        return self.position.size * len(self.commands)


@dataclass(frozen=True)
class Step:
    """One step of a batch: what went in and what came out."""

    index: int
    before: be.State
    after: be.State
    out: be.Output
    command: Any
    position: Any
    velocity: Any
    end_velocity: Any
    load_power: Any
    """Power of the load on the joint, and of what the joint's own damping takes from it [W]; 0 for a host."""


def steps_of(case: Case, laws: Any = chain) -> Iterator[Step]:
    """The steps of a case, one after the other, by the laws of an engine."""
    here = Here(case.state, case.memory, case.position, case.velocities[0])
    for index, command in enumerate(case.commands):
        start = here
        with np.errstate(all="ignore"):
            if case.way == HELD:
                velocity = case.velocities[index]
                state, out = laws.held(
                    case.actuator, here.state, command, here.position, velocity, case.dt, case.load_torque,
                    case.load_inertia,
                )  # fmt: skip
                start = replace(here, velocity=velocity)
                here, power = Here(state, (), here.position + case.dt * velocity, velocity), 0.0
            else:
                path = (here.position, here.position + case.dt * here.velocity)
                here, out = advance(laws, case.actuator, case.load, here, command, path, case.dt)
                power = out.load_torque * here.velocity
        yield Step(index, start.state, here.state, out, command, start.position, start.velocity, here.velocity, power)


def numbers_of(step: Step, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Every state, every output and the joint's speed after a step, as arrays."""
    found = {"end_velocity": step.end_velocity}
    for prefix, part in (("new.", step.after), ("", step.out)):
        for entry in fields(part):
            value = getattr(part, entry.name)
            if value is not None and not entry.name.endswith(("_line", "_history")) and entry.name != "head":
                found[prefix + entry.name] = value
    return {name: np.broadcast_to(np.asarray(value, dtype=float), shape) for name, value in found.items()}


# --- drawing them


def case_of(rng: np.random.Generator, motors: int, steps: int) -> Case:
    """A random case; raises ParameterError where its parts contradict each other."""
    shape = (motors // 4, 4) if rng.random() < 0.1 else (motors,)
    draw = Draw(rng, shape)
    actuator, joint = actuator_of(draw)
    way = HELD if draw.coin(0.4) else RUN
    dt: Any = draw.spread(-6.0, 0.0)
    position, velocity = draw.evenly(-3.0, 3.0), velocity_of(draw, joint)
    load = load_of(draw, joint) if way == RUN else None
    if isinstance(load, be.LockedRotor):
        velocity = np.zeros(shape)
    given = {}
    if way == HELD and (needs_load(actuator) or draw.coin()):
        given = {
            "load_torque": joint.torque * draw.often_zero(draw.signs() * draw.spread(-3.0, 0.5)),
            "load_inertia": joint.inertia * draw.spread(-3.0, 3.0),
        }
    return Case(
        actuator=actuator,
        way=way,
        load=load,
        state=state_of(draw, actuator, joint, position, velocity),
        memory=(draw.evenly(-1.0, 1.0), velocity * draw.evenly(0.0, 1.0)) if isinstance(load, be.TwoMass) else (),
        position=position,
        velocities=(velocity, *(velocity_of(draw, joint) for _ in range(steps - 1 if way == HELD else 0))),
        commands=commands_of(draw, actuator, joint, steps),
        dt=dt,
        **given,
    )


def needs_load(actuator: be.Actuator) -> bool:
    """Whether a step needs to know the load."""
    motor = actuator.motor
    return motor is not None and (has_backlash(motor) or isinstance(motor.friction, be.LoadDependent))


def velocity_of(draw: Draw, joint: Joint) -> np.ndarray:
    """Speeds from rest to three times the no-load speed."""
    slow = draw.signs() * draw.spread(-6.0, 0.0)
    share = np.where(draw.rng.random(draw.shape) < 0.5, draw.evenly(-3.0, 3.0), slow)
    return joint.speed * draw.often_zero(share, 0.15)


def load_of(draw: Draw, joint: Joint) -> Any:
    """Any load, from a thousandth of the motor's own inertia to a thousand times of it."""
    inertia, damping = joint.inertia * draw.spread(-3.0, 3.0), joint.torque / joint.speed * draw.spread(-4.0, 0.0)
    kind = draw.pick("inertia", "torque", "pendulum", "fan", "two masses", "locked", "moved", "inertia", "torque")
    if kind == "inertia":
        return be.Inertia(inertia=inertia, damping=draw.often_zero(damping, 0.5))
    if kind == "torque":
        return be.ConstantTorque(torque=joint.torque * draw.signs() * draw.spread(-3.0, 0.5), inertia=inertia)
    if kind == "pendulum":
        length = draw.spread(-1.0, 0.3)
        return be.Pendulum(mass=inertia / length**2, length=length, damping=draw.often_zero(damping, 0.5))
    if kind == "fan":
        return be.Fan(coefficient=damping / joint.speed, inertia=inertia)
    if kind == "locked":
        return be.LockedRotor()
    if kind == "moved":
        return be.PrescribedMotion(time=np.array([0.0, 1.0]), position=np.array([0.0, 1.0]))
    return be.TwoMass(
        inertia=inertia,
        far_inertia=inertia * draw.spread(-2.0, 2.0),
        stiffness=joint.torque * draw.spread(-2.0, 4.0),
        damping=draw.often_zero(damping),
        backlash=draw.often_zero(draw.spread(-4.0, -1.0), 0.5),
    )


def state_of(draw: Draw, actuator: be.Actuator, joint: Joint, position: np.ndarray, velocity: np.ndarray) -> be.State:
    """A state that such an actuator can be in."""
    motor: Any = actuator.motor
    values = {}
    rises = np.where(draw.rng.random(draw.shape) < 0.5, 0.0, draw.evenly(0.0, 120.0))
    for name in states_of(actuator):
        if name == "current":
            values[name] = draw.often_zero(allowed_now(actuator, joint, rises) * draw.evenly(-1.0, 1.0))
        elif name in ("winding_rise", "housing_rise"):
            values[name] = rises if name == "winding_rise" else rises * draw.evenly(0.0, 1.0)
        elif name in ("phase_rise", "sensor_rise"):
            values[name] = rises * draw.evenly(-1.0 if name == "phase_rise" else 0.0, 1.0)
        elif name == "bristle":
            values[name] = draw.often_zero(draw.evenly(-1.0, 1.0) * motor.friction.coulomb / motor.friction.stiffness)
        elif name == "gap":
            half = 0.5 * np.abs(motor.ratio) * motor.gearbox.backlash
            values[name] = half * np.clip(draw.evenly(-1.5, 1.5), -1.0, 1.0)
        elif name == "rotor_speed":
            values[name] = motor.ratio * velocity * draw.often_zero(draw.evenly(-1.0, 2.0), 0.1)
    seed = int(draw.rng.integers(2**31))
    state = initial_state(load_engine("numpy"), actuator, draw.shape, seed, None, values, {})
    if state.fresh is None or draw.coin(0.3):
        return state
    return underway(draw, actuator, state, position)


def underway(draw: Draw, actuator: be.Actuator, state: be.State, position: np.ndarray) -> be.State:
    """The state of an actuator that has run before: its setpoint and its moving target are somewhere."""
    more: dict[str, Any] = {"fresh": np.zeros(draw.shape)}
    if state.setpoint is not None:
        more["setpoint"] = position * draw.evenly(0.5, 1.5)
    if state.integral is not None and actuator.controller.moving_target:
        more["integral"] = position + draw.evenly(-0.5, 0.5)
    return replace(state, **more)


def allowed_now(actuator: be.Actuator, joint: Joint, rises: np.ndarray) -> np.ndarray:
    """A current that no limit forbids [A]."""
    most = joint.current
    limits = None if actuator.motor is None else actuator.motor.limits
    if limits is not None:
        low = limits.rated_current if limits.low_current is None else limits.low_current
        most = most if low is None else np.minimum(most, low)
    return most


def commands_of(draw: Draw, actuator: be.Actuator, joint: Joint, steps: int) -> tuple[Any, ...]:
    """A command for each step: held for a while, as programs do, or anew each time."""
    held = draw.coin()
    first = command_of(draw, actuator, joint)
    return tuple(first if held else command_of(draw, actuator, joint) for _ in range(steps))


def command_of(draw: Draw, actuator: be.Actuator, joint: Joint) -> Any:
    """What the controller follows, and for some motors a bridge that is off."""
    command = target_of(draw, actuator, joint)
    if actuator.motor is None or draw.coin(0.85):
        return command
    command = command if isinstance(command, be.Command) else be.Command(**{actuator.controller.main: command})
    return replace(command, enable=draw.rng.integers(0, 2, draw.shape))


def is_off(command: Any) -> Any:
    """Where the bridge is off."""
    enable = command.enable if isinstance(command, be.Command) else None
    return False if enable is None else np.asarray(enable) < 0.5


def target_of(draw: Draw, actuator: be.Actuator, joint: Joint) -> Any:
    """The main input, or several at once."""
    controller: Any = actuator.controller

    def target(name: str) -> np.ndarray:
        size = draw.often_zero(draw.signs() * draw.spread(-3.0, 0.5))
        return unit_of(joint, name) * size

    if isinstance(controller, be.ModeSelector):
        names = ["effort", "voltage"] + (["velocity"] if controller.velocity is not None else [])
        mode = draw.rng.integers(1, len(names) + 1, draw.shape)
        return be.Command(**{name: target(name) for name in names}, mode=mode)
    if len(controller.inputs) > 1 and draw.coin():
        return be.Command(**{name: target(name) for name in controller.inputs})
    return target(controller.main)


# --- parts of a case


def picked(case: Case, motor: tuple[int, ...]) -> Case:
    """One motor of a batch as a batch of one; motors on one supply stay together."""
    return rows_of(case, slice(motor[0], motor[0] + 1))


def rows_of(case: Case, rows: slice | np.ndarray) -> Case:
    """Some motors of a batch, by their first axis."""
    shape = case.shape

    def take(x: Any) -> Any:
        x = np.asarray(x)
        if x.ndim > len(shape) and x.shape[1] == shape[0]:
            # a line of commands under way has its frames in front
            return x[:, rows]
        if x.ndim == len(shape) and x.shape[0] == shape[0]:
            return x[rows]
        return x if x.ndim else x[()]

    return map_numbers_of(case, lambda part: map_numbers(part, take))


def map_numbers_of(case: Case, change: Any) -> Case:
    """The same case with its parts changed."""
    return replace(
        case,
        actuator=change(case.actuator),
        load=case.load if case.load is None or isinstance(case.load, KINEMATIC) else change(case.load),
        state=change(case.state),
        memory=change(case.memory),
        position=change(case.position),
        velocities=change(case.velocities),
        commands=change(case.commands),
        dt=change(case.dt),
        load_torque=change(case.load_torque),
        load_inertia=change(case.load_inertia),
    )


def kept_states(state: be.State, actuator: be.Actuator) -> be.State:
    """The state with only what an actuator with fewer parts remembers."""
    names = states_of(actuator)
    return be.State(**{name: getattr(state, name) for name in names if getattr(state, name) is not None})


SETTABLE = PER_MOTOR
"""States that a program can set by name."""
