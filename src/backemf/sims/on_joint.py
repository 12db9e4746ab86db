"""An actuator as a simulator holds it: what drives the joint, and what belongs to the joint itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..actuator import Actuator, Command, TanhFriction
from ..actuator.compiled import laws
from ..checks import Number, require, require_part
from ..engines.native_engine import require_own_motors
from ..errors import ParameterError
from ..motor import Coulomb, Drag, Motor, Rotor
from ..motor.friction import Bristles
from ..parts import without_neutral
from ..physics.limits import clip
from ..physics.ops import sign, where
from ..tree import map_numbers
from .loss import Loss
from .types import Fields

LawState: TypeAlias = Any
"""What a law remembers from step to step: its own, and only handed back to it."""


class Law(Protocol):
    """What a simulator computes for a joint with prescribed motion."""

    def initial(self, shape: tuple[int, ...] = ()) -> LawState:
        """The initial state of a batch."""
        ...

    def step(
        self, state: LawState, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[LawState, Number]:
        """The state after a step, and the torque on the joint over it, friction included and inertia apart [N·m]."""
        ...


@dataclass(frozen=True, kw_only=True)
class OnJoint:
    """An actuator and the joint's own inertia and friction, all on the joint's side of the gear."""

    actuator: Actuator
    """What drives the joint, as a backemf actuator."""
    joint: str = ""
    """Name of the joint, if the file has one."""
    armature: float = 0.0
    """Inertia added to the joint [kg·m²]."""
    coulomb: float = 0.0
    """Dry friction of the joint when sliding [N·m]."""
    stiction: float | None = None
    """Dry friction of the joint at rest [N·m]; None: the same."""
    viscous: float = 0.0
    """Friction of the joint per speed [N·m·s/rad]."""
    beside: Mapping[str, float] = field(default_factory=dict)
    """Numbers that only the simulator has, by the names that its `write` takes."""

    robots: tuple[str, ...] = field(default=(), compare=False)
    """Names of the robots that have it, where a file holds several."""
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What the actuator does not represent of the simulator's file: what was approximated or dropped when it was read,
    or is unknown because it is in another file."""

    def __post_init__(self) -> None:
        require_part(self, "actuator", Actuator)
        for name in ("armature", "coulomb", "stiction", "viscous"):
            require(self, name, ">=")

    def law(self) -> Law:
        """What the simulator computes with it."""
        return ActuatorLaw(self)

    def fold(self) -> Actuator:
        """The actuator with the joint's inertia and friction in its motor.

        Without a motor it has the friction, and the inertia belongs to the load.
        """
        motor = self.actuator.motor
        if motor is None:
            if self.actuator.friction is not None or not (self.coulomb or self.viscous):
                return self.actuator
            return replace(self.actuator, friction=TanhFriction(coulomb=self.coulomb, viscous=self.viscous))
        n = abs(motor.ratio)
        changes: Fields = {}
        if self.armature > 0.0:
            own = 0.0 if motor.rotor is None else motor.rotor.inertia
            changes["rotor"] = Rotor(inertia=own + self.armature / n**2)
        if self.coulomb > 0.0:
            if isinstance(motor.friction, Bristles):
                raise ParameterError(
                    f"joint {self.joint!r} has dry friction besides the bristles of its motor, and a Motor has one "
                    "friction: use the OnJoint that read_actuator returns, which has both"
                )
            own = motor.friction or Coulomb(coulomb=0.0)
            changes["friction"] = replace(own, coulomb=own.coulomb + self.coulomb / n)
        if self.viscous > 0.0:
            had = (0.0,) if motor.drag is None else motor.drag.coefficients
            changes["drag"] = Drag(coefficients=(had[0] + self.viscous / n**2, *had[1:]))
        return replace(self.actuator, motor=replace(motor, **changes)) if changes else self.actuator

    def after_friction(self, torque: Number, velocity: Number) -> Number:
        """A torque minus the friction of the joint, with prescribed motion [N·m].

        Dry friction opposes motion; at rest it balances the torque as far as it can.
        """
        torque = torque - self.viscous * velocity
        most = self.coulomb if self.stiction is None else self.stiction
        return torque - where(velocity == 0.0, clip(torque, -most, most), sign(velocity) * self.coulomb)


def with_actuator(thing: Motor | Actuator | OnJoint, actuator: Actuator) -> Actuator | OnJoint:
    """The same with another actuator: an `OnJoint` keeps its joint."""
    return replace(thing, actuator=actuator) if isinstance(thing, OnJoint) else actuator


@dataclass(frozen=True)
class Unread:
    """An actuator of a simulator's file that is not read, and why."""

    name: str
    """The actuator as its file names it: its name, its joint, or the patterns of its joints."""
    kind: str
    """What the simulator calls it, such as "muscle" or "ActuatorNetMLPCfg"."""
    why: str
    """Why it is not read, and the remedy: one sentence with the file, the line or the field."""
    robots: tuple[str, ...] = field(default=(), compare=False)
    """Names of the robots that have it, where a file holds several."""

    def __str__(self) -> str:
        return self.why


HEAVY = 1e6
"""Inertia of a joint with prescribed motion, over that of the rotor."""


class ActuatorLaw:
    """A backemf actuator on a joint with prescribed motion.

    With `knows_load`, its friction and gears see a load that cannot be stopped; without, they see none, as inside a
    simulator that does not report one. A single joint is stepped fastest on the "python" engine.
    """

    def __init__(self, on_joint: OnJoint, knows_load: bool = False, engine: str = "numpy"):
        self.on_joint = on_joint
        motor = on_joint.actuator.motor
        self._step = on_joint.actuator.compile(engine)
        self._load: Fields = {}
        if motor is not None and knows_load:
            armature = float(np.max(np.asarray(motor.reflected_inertia)))
            self._load = {"load_torque": 0.0, "load_inertia": HEAVY * max(armature, 1e-6)}

    def initial(self, shape: tuple[int, ...] = ()) -> LawState:
        return self._step.initial(shape)

    def step(
        self, state: LawState, command: Command | Number, position: Number, velocity: Number, dt: float
    ) -> tuple[LawState, Number]:
        state, out = self._step(state, command, position, velocity, dt, **self._load)
        return state, self.on_joint.after_friction(out.torque, velocity)

    def traced_step(
        self, state: LawState, command: Command | Number, position: Number, velocity: Number, dt: Number
    ) -> tuple[LawState, Number]:
        """The same on symbols."""
        actuator = map_numbers(without_neutral(self.on_joint.actuator), lambda x: x if np.ndim(x) else float(x))
        require_own_motors(actuator)
        state, out = laws("native").held(actuator, state, command, position, velocity, dt, **self._load)
        return state, self.on_joint.after_friction(out.torque, velocity)
