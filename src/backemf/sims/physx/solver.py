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

from ...checks import Maybe, Number
from ...errors import ParameterError
from ...parts import count, flag, number, one, part
from ...physics.limits import clip
from ...physics.ops import absolute, where
from ..on_engine import laws_on
from .law import Envelope, solved_impulse


@part
class JointDrive:
    """PhysX's implicit PD drive of one articulation joint, as its TGS solver iterates it."""

    envelope: Envelope = one(Envelope)
    """What limits the drive."""
    stiffness: Number = number("N·m/rad", default=0.0, least=0.0)
    """Effort per position error."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Effort per velocity error."""
    position_iterations: int = count(default=32, least=1)
    """Position iterations of the articulation, each a short step; 255 at most."""
    velocity_iterations: int = count(default=1)
    """Velocity iterations, 255 at most; without one, the envelope need not hold at the end of the step."""
    forces_every_iteration: bool = flag(default=True)
    """Whether gravity and applied efforts enter in every position iteration, or once per step, as in Isaac Lab."""
    static_friction: Number = number("N·m", default=0.0, least=0.0)
    """Largest friction that holds the joint at rest."""
    dynamic_friction: Number = number("N·m", default=0.0, least=0.0)
    """Friction when sliding; PhysX has none unless static or viscous friction is above 0."""
    viscous_friction: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Friction per velocity."""
    friction_coefficient: Number = number("m", default=0.0, least=0.0)
    """Friction per transmitted force, of older PhysX; it acts where no other friction is given."""
    max_joint_velocity: Maybe = number("rad/s", default=None, least=0.0)
    """Largest velocity of the joint; None: no limit."""

    def __post_init__(self) -> None:
        for name in ("position_iterations", "velocity_iterations"):
            if getattr(self, name) > 255:
                raise ParameterError(f"JointDrive.{name} = {getattr(self, name)}: must be a whole number, 255 at most")

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
        laws = laws_on(__name__, engine)
        return laws.joint_step(self, position, velocity, response, dt, *targets, effort, load, transmitted)


# --- the laws


def joint_step(
    drive: JointDrive,
    position: Number,
    velocity: Number,
    response: Number,
    dt: Number,
    position_target: Number,
    velocity_target: Number,
    effort: Number,
    load: Number,
    transmitted: Number,
) -> tuple[Number, Number, Number]:
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
    drive: JointDrive, position_error: Number, velocity: Number, velocity_target: Number, response: Number, h: Number
) -> Number:
    """The impulse after which the PD law holds at the end of a short step h [N·m·s].

    P = h·(stiffness·(error - h·v') + damping·(target - v')) with v' = velocity + response·P
    """
    give = h * (h * drive.stiffness + drive.damping)
    asked = h * (drive.stiffness * position_error + drive.damping * velocity_target) - give * velocity
    return asked / (1.0 + give * response)


def push(
    drive: JointDrive, velocity: Number, had: Number, asked: Number, response: Number, span: Number, effort: Number
) -> tuple[Number, Number]:
    """Velocity [rad/s] and the drive's impulse [N·m·s] after as much of an impulse as the envelope leaves.

    `had` of it is in the velocity already, and so is the user's effort over `span`.
    """
    free = velocity - response * (had + span * effort)
    impulse = solved_impulse(drive.envelope, asked, free, response, span, effort)
    return velocity + response * (impulse - had), impulse


def rub(drive: JointDrive, velocity: Number, had: Number, response: Number, span: Number) -> tuple[Number, Number]:
    """Velocity [rad/s] and the impulse of friction [N·m·s] over `span`, of which `had` is in the velocity already."""
    if is_off(drive.static_friction) and is_off(drive.viscous_friction):
        return velocity, had
    stopping = had - velocity / response
    sliding = span * (drive.dynamic_friction + drive.viscous_friction * absolute(velocity))
    slides = absolute(stopping) > span * drive.static_friction
    friction = where(slides, clip_to(stopping, sliding), stopping)
    # without static and viscous friction there is no dynamic one either
    friction = where((drive.static_friction > 0.0) | (drive.viscous_friction > 0.0), friction, had)
    return velocity + response * (friction - had), friction


def rub_by_coefficient(drive: JointDrive, velocity: Number, response: Number, largest: Number) -> Number:
    """Velocity after the friction of the older coefficient, an impulse of `largest` at most [rad/s]."""
    if is_off(drive.friction_coefficient):
        return velocity
    friction = clip_to(-velocity / response, largest)
    newer = (drive.static_friction > 0.0) | (drive.viscous_friction > 0.0)
    return velocity + where(newer, 0.0, response * friction)


def hold(drive: JointDrive, velocity: Number) -> Number:
    """Velocity held to its limit [rad/s]."""
    return velocity if drive.max_joint_velocity is None else clip_to(velocity, drive.max_joint_velocity)


def clip_to(value: Number, size: Number) -> Number:
    """A value kept between -size and size."""
    return clip(value, -size, size)


def is_off(value: Number) -> bool:
    """Whether a plain number is 0, so that its law is left out."""
    return isinstance(value, (int, float)) and value == 0.0
