"""Gains that the step of `Motors` does not hold, named when the motors are made.

The motors take what falls with speed at the end of the step, so that no damping and no back-EMF is too stiff. A
position gain acts from where the joint is at the start of the step, with every integrator: on one joint of inertia I it
is held while h²·kp < 4·I + 2·h·kd, as long as the current follows at once. Here the motors' own step, without friction
and limits, is taken from every state in turn and put together as MuJoCo does it, with the mass matrix of the joints at
qpos0: a linear map, whose largest eigenvalue is what a disturbance grows by in a step.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..actuator import Actuator
from ..actuator.controllers import DutyServo
from ..actuator.controllers.learned import LearnedMlp, LearnedRecurrent
from ..actuator.memory import initial_state, states_of
from ..actuator.supply import Supply
from ..engines import bind, load
from ..errors import BackemfWarning
from ..motor import Gearbox, Magnet, Motor, Stage, Winding
from ..parts import without_neutral
from ..robot.actuator_set import ActuatorSet
from . import mujoco_joint_law as joint_law
from .mujoco_joints import Joints, mujoco_module
from .mujoco_types import MjModel
from .step_growth import GROWS, integrator_of, longest_step, times

SMALL = 1e-6
"""Size of the disturbances, far within every limit."""
TURNS = (2, 4, 8, 16)
"""Substeps that are tried as a remedy."""


def bare(actuator: Actuator) -> Actuator | None:
    """An actuator with all that is linear and nothing else; None where a network stands in it."""
    if isinstance(actuator.controller, (LearnedMlp, LearnedRecurrent)):
        return None
    controller, supply = actuator.controller, None
    if isinstance(controller, DutyServo):
        controller = replace(controller, dead_band=None)
        if actuator.supply is None:
            return None
        supply = Supply(voltage=actuator.supply.voltage)
    return Actuator(
        None if actuator.motor is None else bare_motor(actuator.motor),
        supply,
        controller=controller,
        substeps=actuator.substeps,
        meter=actuator.motor is None,
    )


def bare_motor(motor: Motor) -> Motor:
    """Winding, magnet, rotor and ratio alone."""
    winding, magnet = motor.winding, motor.magnet
    ratio = motor.ratio
    return Motor(
        winding=Winding(resistance=winding.resistance, inductance=winding.inductance),
        magnet=Magnet(torque_constant=magnet.torque_constant, back_emf_constant=magnet.back_emf_constant),
        rotor=motor.rotor,
        gearbox=None if motor.gearbox is None else Gearbox(stages=(Stage(ratio=ratio),)),
    )


class Response(NamedTuple):
    """The answer of a motor to its joint, by position, speed, each state and the torque of the load."""

    torque: np.ndarray
    ends: np.ndarray
    """Speed that the step ends at if the joint moves alone."""
    states: np.ndarray
    slope: float
    """How fast the torque falls with speed [N·m·s/rad]."""


def response(actuator: Actuator | None, inertia: float, damping: float, dt: float) -> Response:
    """The motors' step on a joint of an inertia [kg·m²] and a damping of its own [N·m·s/rad], which is linear."""
    if actuator is None:
        return Response(np.zeros(3), np.zeros(3), np.zeros((0, 3)), 0.0)
    names = [name for name in ("current", "integral") if name in states_of(actuator)]
    count = 3 + len(names)
    basis = SMALL * np.eye(count)
    engine, actuator = load("numpy"), without_neutral(actuator)
    law = bind(joint_law, "numpy", engine.ops)
    given = {name: basis[2 + place] for place, name in enumerate(names)}
    state = initial_state(engine, actuator, (count,), 0, dt, given, {})
    armature = 0.0 if actuator.motor is None else float(np.ravel(actuator.motor.armature)[0])
    nothing, rest = np.zeros(count), np.full(count, max(inertia - armature, 1e-9 * inertia))
    with np.errstate(all="ignore"):
        after, ends, slope, _, out = law.step_joint(
            actuator, state, nothing, basis[0], basis[1], dt, basis[-1], rest, nothing + damping, nothing
        )
    rows = [out.torque, ends, *(getattr(after, name) for name in names)]
    table = np.array([np.broadcast_to(row, (count,)) for row in rows]) / SMALL
    return Response(table[0], table[1], table[2:], float(np.ravel(slope)[0]))


class StepMap:
    """The step of all motors of a model, as a function of its length."""

    def __init__(self, model: MjModel, parts: list[Actuator | None], joints: Joints):
        mujoco = mujoco_module()
        self.parts = parts
        self._mobility = mobility(model, joints)
        flags, bits = int(model.opt.disableflags), mujoco.mjtDisableBit
        self.euler = integrator_of(mujoco, model) == "Euler"
        passive = not flags & int(bits.mjDSBL_DAMPER)
        self._damping = model.dof_damping[joints.dofs] * passive
        self.damped = passive and not (self.euler and flags & int(bits.mjDSBL_EULERDAMP))
        """Whether the joints' own damping is that of the end of the step."""

    @property
    def inertias(self) -> np.ndarray:
        """What each motor finds at its joint [kg·m²]."""
        return 1.0 / np.diag(self._mobility)

    def matrix(self, dt: float, parts: list[Actuator | None] | None = None, damped: bool | None = None) -> np.ndarray:
        """The map of all positions, speeds, states and last torques."""
        parts, damped = self.parts if parts is None else parts, self.damped if damped is None else damped
        m, own = self._mobility, self._damping if damped else 0.0 * self._damping
        count, inertias = len(parts), self.inertias
        answers = [response(part, float(i), float(b), dt) for part, i, b in zip(parts, inertias, own, strict=True)]
        slopes = np.array([one.slope for one in answers])
        sizes = [len(one.states) for one in answers]
        here = np.eye(3 * count + sum(sizes))
        # rows of the whole: position, speed, last torque, states
        position, speed, last, states = np.split(here, [count, 2 * count, 3 * count])
        pulls = last - self._damping[:, None] * speed
        load = inertias[:, None] * (m @ pulls) - last
        torque, ends, after, place = [], [], [], 0
        for j, (one, size) in enumerate(zip(answers, sizes, strict=True)):
            seen = np.array([position[j], speed[j], *states[place : place + size], load[j]])
            torque.append(one.torque @ seen)
            ends.append(one.ends @ seen)
            after.append(one.states @ seen)
            place += size
        torque, ends = np.array(torque), np.array(ends)
        implicit = slopes + own
        explicit = (self._damping - own)[:, None] * speed
        free = speed + dt * m @ (torque + slopes[:, None] * ends - explicit)
        new = np.linalg.solve(np.eye(count) + dt * m * implicit, free)
        given = torque - slopes[:, None] * (new - ends)
        return np.concatenate([position + dt * new, new, given, *after])

    def growth(self, dt: float, parts: list[Actuator | None] | None = None, damped: bool | None = None) -> float:
        """By how much a disturbance grows in a step [1]."""
        matrix = self.matrix(dt, parts, damped)
        return float(np.abs(np.linalg.eigvals(matrix)).max()) if np.isfinite(matrix).all() else math.inf

    def worst(self, dt: float) -> int:
        """The joint that swings most in the disturbance that grows most."""
        values, vectors = np.linalg.eig(self.matrix(dt))
        return int(np.argmax(np.abs(vectors[: len(self.parts), np.argmax(np.abs(values))])))


def warn_of_gains(model: MjModel, robot: ActuatorSet, joints: Joints) -> None:
    """Warn where the motors' step is unstable with the gains of the controllers."""
    dt, parts = float(model.opt.timestep), [bare(each) for each in robot.actuators]
    whole = StepMap(model, parts, joints)
    grows = whole.growth(dt)
    if grows > 1.0 + GROWS:
        warnings.warn(sentence(whole, robot, dt, grows), BackemfWarning, stacklevel=3)


def sentence(whole: StepMap, robot: ActuatorSet, dt: float, grows: float) -> str:
    """What is wrong, with the joint that swings most, and the remedy."""
    place = whole.worst(dt)
    joint, part, inertia = robot.joints[place], robot.actuators[place].controller, whole.inertias[place]
    much = f"a disturbance grows {times(grows)} in each step"
    if whole.euler and not whole.damped and whole.growth(dt, damped=True) <= 1.0 + GROWS:
        return (
            f"joint {joint!r}: with eulerdamp disabled the integrator Euler takes the joints' own damping from the "
            f"start of the step, and {part} on {inertia:.3g} kg·m² is unstable with timestep = {dt:g} s: {much}; "
            'take integrator="implicitfast", or enable eulerdamp'
        )
    ways = []
    step = longest_step(lambda h: whole.growth(h) <= 1.0 + GROWS * h / dt, dt)
    if step is not None:
        ways.append(f"timestep = {step:.2g} s")
    for turns in TURNS:
        finer = [one and replace(one, substeps=max(turns, one.substeps)) for one in whole.parts]
        if whole.growth(dt, parts=finer) <= 1.0 + GROWS:
            ways.append(f"Actuator(substeps={turns})")
            break
    ways = ways or ["lower gains, or more damping"]
    return (
        f"joint {joint!r}: {part} on {inertia:.3g} kg·m² is unstable with timestep = {dt:g} s, with every integrator: "
        f"{much}; take {' or '.join(ways)}"
    )


def mobility(model: MjModel, joints: Joints) -> np.ndarray:
    """The inverse mass matrix at qpos0 between the joints with motors [1/(kg·m²)]."""
    mujoco = mujoco_module()
    data, count = mujoco.MjData(model), len(joints.names)
    mujoco.mj_fwdPosition(model, data)
    units, columns = np.zeros((count, model.nv)), np.zeros((count, model.nv))
    units[np.arange(count), joints.dofs] = 1.0
    mujoco.mj_solveM(model, data, columns, units)
    return columns[:, joints.dofs]
