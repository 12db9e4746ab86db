"""One joint as PhysX's TGS solver moves it, by iterations of drive, envelope, friction and velocity limit.

A step dt is cut into n position iterations of h = dt/n. Each of them, in this order,

    adds gravity and applied efforts over h            (or all of dt before the first one, see below)
    solves the drive's implicit PD within the envelope
    takes friction: what stops the joint, if that is no more than static friction, else dynamic and viscous friction
    holds the velocity to max_joint_velocity
    moves the joint by h times its velocity

and each velocity iteration fits what was given so far, drive and friction, into their limits over the whole of dt.

`forces_every_iteration` is PhysX's enableExternalForcesEveryIteration: true by default in PhysX 5.12,
false in Isaac Lab.
Where it is false, gravity and efforts enter once, and envelope and friction count the impulse of the whole step so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ...checks import Maybe, Number, require, require_part
from ...errors import ParameterError
from ...parts import count, flag
from ...physics.limits import clip
from ...physics.ops import absolute, where
from ...tree import kind_of_numbers
from .law import Envelope, solved_impulse


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class JointDrive:
    """PhysX's implicit PD drive of one articulation joint, as its TGS solver iterates it."""

    envelope: Envelope
    """What limits the drive."""
    stiffness: Number = 0.0
    """Effort per position error [N·m/rad]."""
    damping: Number = 0.0
    """Effort per velocity error [N·m·s/rad]."""
    position_iterations: int = count(None, default=32)
    """Position iterations of the articulation, each a short step of its own."""
    velocity_iterations: int = count(None, default=1)
    """Velocity iterations of the articulation; without one, the envelope need not hold at the end of the step."""
    forces_every_iteration: bool = flag(default=True)
    """Whether gravity and applied efforts enter in every position iteration, or once per step, as in Isaac Lab."""
    static_friction: Number = 0.0
    """Largest friction that holds the joint at rest [N·m]."""
    dynamic_friction: Number = 0.0
    """Friction when sliding [N·m]; PhysX has none unless static or viscous friction is above 0."""
    viscous_friction: Number = 0.0
    """Friction per velocity [N·m·s/rad]."""
    friction_coefficient: Number = 0.0
    """Friction per transmitted force, of older PhysX [m]; it acts where no other friction is given."""
    max_joint_velocity: Maybe = None
    """Velocity that the joint is held to [rad/s]; None: any."""

    def __post_init__(self) -> None:
        require_part(self, "envelope", Envelope)
        for name in (
            "stiffness",
            "damping",
            "static_friction",
            "dynamic_friction",
            "viscous_friction",
            "friction_coefficient",
            "max_joint_velocity",
        ):
            require(self, name, ">=")
        if not isinstance(self.forces_every_iteration, bool):
            raise ParameterError(
                f"JointDrive.forces_every_iteration = {self.forces_every_iteration!r}: must be True or False"
            )
        for name, least in (("position_iterations", 1), ("velocity_iterations", 0)):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= 255:
                raise ParameterError(f"JointDrive.{name} = {count!r}: must be a whole number from {least} to 255")

    def step(
        self,
        position: Number,
        velocity: Number,
        response: Number,
        dt: Number,
        *,
        position_target: Number = 0.0,
        velocity_target: Number = 0.0,
        effort: Number = 0.0,
        load: Number = 0.0,
        transmitted: Number = 0.0,
        engine: str = "numpy",
    ) -> tuple[Number, Number, Number]:
        """Position [rad], velocity [rad/s] and mean drive effort [N·m] after a step of a joint on its own.

        `effort` is what the user applies at the joint, `load` what else pulls on it, such as gravity [N·m].
        `transmitted` is the force on the link, and its torque, sizes added, for `friction_coefficient` [N].
        """
        targets = (position_target, velocity_target)
        return _on(engine).joint_step(self, position, velocity, response, dt, *targets, effort, load, transmitted)


def _on(engine: str) -> ModuleType:
    """These laws with an engine's operations."""
    import sys

    from ...engines import bind, load

    return bind(sys.modules["backemf.sims.physx.solver"], engine, load(engine).ops)


# --- the laws


def joint_step(
    drive: JointDrive,
    position: float,
    velocity: float,
    response: float,
    dt: float,
    position_target: float,
    velocity_target: float,
    effort: float,
    load: float,
    transmitted: float,
) -> tuple[float, float, float]:
    """Position [rad], velocity [rad/s] and mean drive effort [N·m] after a step of one joint."""
    count, often = drive.position_iterations, drive.forces_every_iteration
    h = dt / count
    span = h if often else dt
    # a joint that is already too fast is slowed down before anything else
    velocity = hold(drive, velocity)
    given = rubbed = 0.0 * velocity
    largest = drive.friction_coefficient * transmitted * h
    if not often:
        velocity = velocity + dt * response * (load + effort)
    for i in range(count):
        if often:
            velocity = velocity + h * response * (load + effort)
        velocity = rub_by_coefficient(drive, velocity, response, largest)
        # PhysX moves the position target along with the velocity target, to be reached when the step ends
        error = position_target - (count - 1 - i) * h * velocity_target - position
        asked = pd_impulse(drive, error, velocity, velocity_target, response, h)
        # each short step stands for itself, or the whole step so far counts
        had, stopped = (0.0 * given, 0.0 * given) if often else (given, rubbed)
        velocity, impulse = push(drive, velocity, had, had + asked, response, span, effort)
        velocity, friction = rub(drive, velocity, stopped, response, span)
        velocity = hold(drive, velocity)
        given, rubbed = given + (impulse - had), rubbed + (friction - stopped)
        position = position + h * velocity
    for _ in range(drive.velocity_iterations):
        # what was given so far has to fit the envelope as one impulse, at the velocity that is left
        velocity = rub_by_coefficient(drive, velocity, response, largest)
        velocity, given = push(drive, velocity, given, given, response, dt, effort)
        velocity, rubbed = rub(drive, velocity, rubbed, response, dt)
        velocity = hold(drive, velocity)
    return position, velocity, given / dt


def pd_impulse(
    drive: JointDrive, position_error: float, velocity: float, velocity_target: float, response: float, h: float
) -> float:
    """The impulse after which the PD law holds at the end of a short step h [N·m·s].

    P = h·(stiffness·(error - h·v') + damping·(target - v')) with v' = velocity + response·P
    """
    give = h * (h * drive.stiffness + drive.damping)
    asked = h * (drive.stiffness * position_error + drive.damping * velocity_target) - give * velocity
    return asked / (1.0 + give * response)


def push(
    drive: JointDrive, velocity: float, had: float, asked: float, response: float, span: float, effort: float
) -> tuple[float, float]:
    """Velocity [rad/s] and the drive's impulse [N·m·s] after as much of an impulse as the envelope leaves.

    `had` of it is in the velocity already, and so is the user's effort over `span`.
    """
    free = velocity - response * (had + span * effort)
    impulse = solved_impulse(drive.envelope, asked, free, response, span, effort)
    return velocity + response * (impulse - had), impulse


def rub(drive: JointDrive, velocity: float, had: float, response: float, span: float) -> tuple[float, float]:
    """Velocity [rad/s] and the impulse of friction [N·m·s] over `span`, of which `had` is in the velocity already."""
    if is_off(drive.static_friction) and is_off(drive.viscous_friction):
        return velocity, had
    stopping = had - velocity / response
    sliding = span * (drive.dynamic_friction + drive.viscous_friction * absolute(velocity))
    slides = absolute(stopping) > span * drive.static_friction
    friction = where(slides, clipped(stopping, sliding), stopping)
    # without static and viscous friction there is no dynamic one either
    friction = where((drive.static_friction > 0.0) | (drive.viscous_friction > 0.0), friction, had)
    return velocity + response * (friction - had), friction


def rub_by_coefficient(drive: JointDrive, velocity: float, response: float, largest: float) -> float:
    """Velocity after the friction of the older coefficient, an impulse of `largest` at most [rad/s]."""
    if is_off(drive.friction_coefficient):
        return velocity
    friction = clipped(-velocity / response, largest)
    newer = (drive.static_friction > 0.0) | (drive.viscous_friction > 0.0)
    return velocity + where(newer, 0.0, response * friction)


def hold(drive: JointDrive, velocity: float) -> float:
    """Velocity held to its limit [rad/s]."""
    return velocity if drive.max_joint_velocity is None else clipped(velocity, drive.max_joint_velocity)


def clipped(value: float, size: float) -> float:
    """A value kept between -size and size."""
    return clip(value, -size, size)


def is_off(value: Any) -> bool:
    """Whether a plain number is 0, so that its law is left out."""
    return isinstance(value, (int, float)) and value == 0.0
