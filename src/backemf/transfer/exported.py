"""An actuator written for a simulator, with the status of each phenomenon and the torque error.

The error is found by running the backemf motor and the law of the written text side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..actuator import Actuator, Command, Supply, Torque, Voltage
from ..checks import Number
from ..datasheet import Datasheet
from ..errors import ParameterError
from ..files import write_with
from ..motor import Motor
from ..sims.digits import MEANT, written_digits
from ..sims.joint import largest_voltage, parts_of
from ..sims.law_loop import AlongMotion
from ..sims.losses import DROPPED, KEPT, Loss
from ..sims.on_joint import ActuatorLaw, Law, OnJoint, with_actuator
from ..sims.text import Written
from ..units import linear_words
from ..values import Foreign, Recorded
from .duty import HEATING, Scale, command_for, complete_actuator, reference_duty, scale_of, volts_for
from .given import given_actuator
from .networks import WithNetwork, is_learned, write_with_network
from .targets import Target, target_of

S = TypeVar("S")

SPEEDS, DEMANDS = 41, 21
"""Points of the operating range, along the speed and along the torque that is asked for."""
SETTLE = 60
"""Steps after which a torque of the operating range is taken."""


@dataclass(frozen=True)
class Error:
    """How far a simulator's torque is from the motor's own."""

    where: str
    """"operating range", or the name of an episode."""
    rms: float
    """Root of the mean squared error [N·m]."""
    worst: float
    """Largest error [N·m]."""
    speed: float
    """Joint speed at which it is that large [rad/s]."""
    peak: float
    """Largest torque of the motor itself there [N·m]."""
    unknown: str = ""
    """Why the error cannot be known, its numbers being NaN; empty where it is known."""
    slides: bool = False
    """Whether the joint slides: then its numbers are in N and m/s."""


@dataclass(frozen=True)
class Exported:
    """The text for a simulator, and what is lost."""

    target: Target
    """The simulator."""
    text: str
    """The text to paste."""
    statuses: list[Loss]
    """Status of each phenomenon."""
    notes: list[str]
    """What else a user has to know."""
    on_joint: OnJoint
    """The same text, read back."""
    errors: list[Error]
    """Of the operating range, and of each episode of the reference duty; empty where it was not asked for."""
    scale: Scale
    """How fast and how strong the motor is."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Files that belong with the text, by name: the file of a network."""

    @property
    def losses(self) -> list[Loss]:
        """What is approximated, dropped or unknown."""
        return [loss for loss in self.statuses if loss.status != KEPT]

    def save(self, path: str | Path) -> Path:
        """Write the text to a file, and `files` beside it, each atomically."""
        return write_with(path, self.text, self.files)

    def __str__(self) -> str:
        return self.text


def export(
    thing: Motor | Actuator | OnJoint | Datasheet | str | Path,
    to: str,
    joint: str = "joint",
    *,
    supply: Supply | Number | None = None,
    effort: str = "peak",
    timestep: float = 0.002,
    strict: bool = False,
    compare: bool = True,
    digits: int | None = MEANT,
    advance: Callable[[int], None] | None = None,
    **numbers: Foreign,
) -> Exported:
    """An actuator for a simulator, and what is lost.

    Args:
        thing: What to write: an `Actuator` or an `OnJoint`; a bare `Motor`, a `Datasheet`, a catalogue id or a TOML
            file of a motor, whose torque is commanded. So is that of an actuator in volts where the simulator takes
            no voltage.
        to: "mujoco@4.0", "mujoco@3.11", "mjlab", "isaaclab", "newton", "physx" or "webots".
        joint: Name of the joint; for USD the path of its prim.
        supply: What feeds the motor, or its voltage [V]; None: the actuator's own, or the rated voltage.
        effort: "peak" or "continuous": the current behind the largest torque.
        timestep: Physics step of the simulator [s].
        strict: Raise ParameterError where anything is dropped.
        compare: Whether to find the torque error, which takes a few seconds.
        digits: Significant digits of the numbers in the text; None: exact.
        advance: Called with the number of steps done, for a progress bar.
        numbers: Further arguments of the simulator's own `write`, such as `kind=`.
    """
    target = target_of(to)
    _require_rotary(given_actuator(thing, supply, target.about.any_voltage))
    with written_digits(digits):
        full, written, on_joint, files = write_actuator(target, thing, joint, supply, effort, timestep, numbers)
    dropped = [loss.phenomenon for loss in written.statuses if loss.status == DROPPED]
    if strict and dropped:
        raise ParameterError(
            f"{target.title} cannot represent {', '.join(dropped)}: leave strict out to write it without, or remove "
            "them from the motor"
        )
    scale = scale_of(full, effort)
    # no command is known that makes a network give a torque
    errors = compare_laws(full, on_joint, scale, timestep, advance) if compare and not is_learned(full) else []
    return Exported(target, written.text, written.statuses, written.notes, on_joint, errors, scale, files)


def _require_rotary(thing: Actuator | OnJoint) -> None:
    """Check that a motor is rotary: of a joint alone, nothing says whether it slides."""
    if _slides(thing):
        name = getattr(parts_of(thing)[0], "name", "") or "Motor"
        raise ParameterError(
            f"{name} is a linear motor, and simulators' files of one joint are written for hinges: "
            "export it with its robot, whose model has the slide, or run it inside MuJoCo with sims.mujoco.Motors"
        )


def write_actuator(
    target: Target,
    thing: Foreign,
    joint: str | tuple[str, ...],
    supply: Supply | Number | None,
    effort: str,
    timestep: float,
    numbers: dict[str, Foreign],
) -> WithNetwork:
    """What is written for an actuator: the actuator with all that its torque depends on, its text, that text read back,
    and the files beside it."""
    full = complete_actuator(given_actuator(thing, supply, target.about.any_voltage), supply, effort)
    # an actuator that is written as a whole includes its current limit
    chosen = {} if numbers.get("kind") in target.about.whole else {"effort": effort}
    if is_learned(full):
        return write_with_network(target, full, joint, timestep, chosen | numbers)
    full, written = _write(target, full, joint, timestep, chosen | numbers)
    on_joint = target.read(written.text)
    if _slides(full):
        notes = [linear_words(note) for note in written.notes]
        written = replace(written, statuses=in_units_of(full, written.statuses), notes=notes)
    return WithNetwork(full, written, on_joint, {})


def in_units_of(thing: Actuator | OnJoint, statuses: list[Loss]) -> list[Loss]:
    """The same, of a motor that slides with its own units."""
    return [replace(loss, note=linear_words(loss.note)) for loss in statuses] if _slides(thing) else statuses


def _slides(thing: Actuator | OnJoint) -> bool:
    motor = parts_of(thing)[0]
    return motor is not None and motor.motion == "linear"


def _write(
    target: Target, full: Actuator | OnJoint, joint: str | tuple[str, ...], timestep: float, numbers: dict[str, Foreign]
) -> tuple[Actuator | OnJoint, Written]:
    """The text, and its actuator: where the simulator takes no voltage, the torque is commanded in place of it."""
    actuator = parts_of(full)[1]
    try:
        return full, target.write(full, joint, timestep, **numbers)
    except ParameterError as wrong:
        if not isinstance(actuator.controller, Voltage) or actuator.slew:
            raise
        try:
            limit = largest_voltage(actuator)
            plain = replace(actuator, controller=Torque(), command_range=None, voltage_limit=limit)
            full = with_actuator(full, plain)
            written = target.write(full, joint, timestep, **numbers)
        except ParameterError:
            # the voltage is not the problem
            raise wrong from None
    note = f"{target.title} takes no volts here: the torque of the joint is commanded in place of the motor's voltage."
    rows = [Loss("controller", DROPPED, note) if loss.phenomenon == "controller" else loss for loss in written.statuses]
    return full, replace(written, statuses=rows)


def law_of(thing: Actuator | OnJoint, engine: str = "numpy") -> Law:
    """The law to compare with: that of a backemf motor on an engine, or of a simulator's file."""
    on_joint = thing if isinstance(thing, OnJoint) else OnJoint(actuator=thing)
    return ActuatorLaw(on_joint, True, engine) if type(on_joint).law is OnJoint.law else on_joint.law()


def run(
    law: Law, inputs: tuple[str, ...], command: Command, position: Number, velocity: Number, dt: float, state: S
) -> tuple[S, Number]:
    """One step under the targets that a law takes."""
    return law.step(state, Command(**targets(inputs, command, position, velocity)), position, velocity, dt)


def targets(inputs: tuple[str, ...], command: Command, position: Number, velocity: Number) -> dict[str, Recorded]:
    """The targets that a law takes by name; a position that is not commanded is the present one."""
    still = {"position": position, "velocity": velocity, "effort": 0.0 * velocity, "voltage": 0.0 * velocity}
    given = {name: getattr(command, name) for name in inputs}
    return {name: still[name] if value is None else value for name, value in given.items()}


def compare_laws(
    own: Actuator | OnJoint,
    target: OnJoint,
    scale: Scale,
    timestep: float,
    advance: Callable[[int], None] | None = None,
) -> list[Error]:
    """The error over the operating range, and over each episode of the reference duty."""
    pair = [(law_of(own), inputs_of(own)), (target.law(), inputs_of(target))]
    errors = [operating_error(own, target, pair, scale, timestep)]
    along = [(AlongMotion(law_of(own, "python")), inputs_of(own)), (AlongMotion(pair[1][0]), pair[1][1])]
    for episode in reference_duty(scale, timestep):
        if episode.name == HEATING and not knows_heat(own):
            nan = float("nan")
            errors.append(Error(episode.name, nan, nan, nan, nan, unknown="no thermal figures are known"))
            continue
        motion = episode.position, episode.velocity
        commands = asked_of(own, target, episode.torque, *motion)
        mine, theirs = (law.torque(targets(inputs, commands, *motion), *motion, episode.dt) for law, inputs in along)
        if advance is not None:
            advance(len(episode.velocity))
        errors.append(error_of(episode.name, mine, theirs, episode.velocity))
    return [replace(error, slides=_slides(own)) for error in errors]


def knows_heat(thing: Actuator | OnJoint) -> bool:
    """Whether the actuator has thermal constants."""
    motor = parts_of(thing)[0]
    return motor is not None and motor.thermal is not None


def inputs_of(thing: Actuator | OnJoint) -> tuple[str, ...]:
    """The targets that an actuator takes."""
    controller = parts_of(thing)[1].controller
    return ("voltage",) if type(controller).__name__ == "ModeSelector" else tuple(controller.inputs)


def asked_of(own: Actuator | OnJoint, target: OnJoint, torque: Number, position: Number, velocity: Number) -> Command:
    """The targets that ask both actuators for a torque; the voltage is that of the one with a motor."""
    asked = command_for(own, torque, position, velocity)
    if asked.voltage is None and target.actuator.motor is not None:
        return replace(asked, voltage=volts_for(target.actuator, torque, velocity))
    return asked


def steady_torque(
    law: Law, inputs: tuple[str, ...], ask: Callable[..., Command], torque: np.ndarray, velocity: np.ndarray, dt: float
) -> np.ndarray:
    """The cold torque at a steady speed, after the currents have settled [N·m]."""
    state, position, answer = law.initial(velocity.shape), 0.0 * velocity, None
    for _ in range(SETTLE):
        command = ask(torque, position, velocity)
        state, answer = run(law, inputs, command, position, velocity, dt, state)
        position = position + dt * velocity
    return np.broadcast_to(np.asarray(answer), velocity.shape)


def operating_error(
    own: Actuator | OnJoint, target: OnJoint, pair: list[tuple[Law, tuple[str, ...]]], scale: Scale, dt: float
) -> Error:
    """The error over all speeds and torques of the motor, in four quadrants, cold."""
    speed, share = np.meshgrid(np.linspace(-1, 1, SPEEDS), np.linspace(-1, 1, DEMANDS))
    ask = partial(asked_of, own, target)
    mine, theirs = (
        steady_torque(law, inputs, ask, scale.asked * share, scale.speed * speed, dt) for law, inputs in pair
    )
    return error_of("operating range", mine, theirs, scale.speed * speed)


def error_of(where: str, own: np.ndarray, other: np.ndarray, speed: np.ndarray) -> Error:
    """The size of the difference of two torques."""
    off = np.abs(other - own)
    if not np.isfinite(off).all():
        raise ParameterError(
            f"{where}: the torque left the finite numbers; is the step too long for a controller gain?"
        )
    at = int(np.argmax(off))
    return Error(
        where, float(np.sqrt(np.mean(off**2))), float(off.flat[at]), float(speed.flat[at]), float(np.abs(own).max())
    )
