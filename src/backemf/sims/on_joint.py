"""An actuator as a simulator holds it: what drives the joint, and what belongs to the joint itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ..actuator import Actuator, TanhFriction
from ..checks import require, require_part
from ..errors import ParameterError
from ..motor import Coulomb, Dahl, Drag, LuGre, Rotor
from ..physics.limits import clip
from ..physics.ops import sign, where
from .loss import Loss


class Law(Protocol):
    """What a simulator computes for a joint whose motion is given."""

    def initial(self, shape: tuple[int, ...] = ()) -> Any:
        """The state of a batch at its beginning."""
        ...

    def step(self, state: Any, command: Any, position: Any, velocity: Any, dt: float) -> tuple[Any, Any]:
        """The state after a step, and the torque on the joint over it, friction included and inertia apart [N·m]."""
        ...


@dataclass(frozen=True, kw_only=True)
class OnJoint:
    """An actuator and the joint's own inertia and friction, all on the joint's side of the gear."""

    actuator: Actuator
    """What drives the joint, in our words."""
    joint: str = ""
    """Name of the joint, if the file says so."""
    armature: float = 0.0
    """Inertia added to the joint [kg·m²]."""
    coulomb: float = 0.0
    """Dry friction of the joint when sliding [N·m]."""
    stiction: float | None = None
    """Dry friction of the joint at rest [N·m]; None: the same."""
    viscous: float = 0.0
    """Friction of the joint per speed [N·m·s/rad]."""
    beside: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the simulator's own that have no place in our words, by the names that its `write` takes."""

    robots: tuple[str, ...] = field(default=(), compare=False)
    """Names of the robots that have it, where a file holds several."""
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What the simulator's file says and the actuator does not: what was approximated or dropped when it was read, or
    is unknown because it stands in another file."""

    def __post_init__(self) -> None:
        require_part(self, "actuator", Actuator)
        for name in ("armature", "coulomb", "stiction", "viscous"):
            require(self, name, ">=")

    def law(self) -> Law:
        """What the simulator computes with it."""
        return ActuatorLaw(self)

    def fold(self) -> Actuator:
        """The actuator with the joint's inertia and friction in its motor.

        Without a motor it has the friction; the inertia is then for the load to carry.
        """
        motor = self.actuator.motor
        if motor is None:
            if self.actuator.friction is not None or not (self.coulomb or self.viscous):
                return self.actuator
            return replace(self.actuator, friction=TanhFriction(coulomb=self.coulomb, viscous=self.viscous))
        n = abs(motor.ratio)
        changes: dict[str, Any] = {}
        if self.armature > 0.0:
            own = 0.0 if motor.rotor is None else motor.rotor.inertia
            changes["rotor"] = Rotor(inertia=own + self.armature / n**2)
        if self.coulomb > 0.0:
            if isinstance(motor.friction, (Dahl, LuGre)):
                raise ParameterError(
                    f"joint {self.joint!r} has dry friction beside the bristles of its motor, and a Motor has one of "
                    "them: take read_actuator, which holds both"
                )
            own = motor.friction or Coulomb(coulomb=0.0)
            changes["friction"] = replace(own, coulomb=own.coulomb + self.coulomb / n)
        if self.viscous > 0.0:
            had = (0.0,) if motor.drag is None else motor.drag.coefficients
            changes["drag"] = Drag(coefficients=(had[0] + self.viscous / n**2, *had[1:]))
        return replace(self.actuator, motor=replace(motor, **changes)) if changes else self.actuator

    def after_friction(self, torque: Any, velocity: Any) -> Any:
        """A torque less the friction of the joint, whose motion is given [N·m].

        Dry friction is against a motion; at rest it takes up the torque as far as it can.
        """
        torque = torque - self.viscous * velocity
        most = self.coulomb if self.stiction is None else self.stiction
        return torque - where(velocity == 0.0, clip(torque, -most, most), sign(velocity) * self.coulomb)


@dataclass(frozen=True)
class Unread:
    """An actuator of a simulator's file that is not read, and why."""

    name: str
    """The actuator as its file names it: its name, its joint, or the patterns of its joints."""
    kind: str
    """What the simulator calls it, such as "muscle" or "ActuatorNetMLPCfg"."""
    why: str
    """Why it is not read, and what would help: one sentence with the file, the line or the field."""
    robots: tuple[str, ...] = field(default=(), compare=False)
    """Names of the robots that have it, where a file holds several."""

    def __str__(self) -> str:
        return self.why


HEAVY = 1e6
"""Inertia of a joint whose motion is given, over that of the rotor."""


class ActuatorLaw:
    """Our own actuator on a joint whose motion is given.

    With `knows_load` its friction and gears know that the joint cannot be held up; without, they know of no load, as
    inside a simulator that tells them none.
    """

    def __init__(self, on_joint: OnJoint, knows_load: bool = False):
        self.on_joint = on_joint
        motor = on_joint.actuator.motor
        self._step = on_joint.actuator.compile("numpy")
        self._load: dict[str, Any] = {}
        if motor is not None and knows_load:
            armature = float(np.max(np.asarray(motor.reflected_inertia)))
            self._load = {"load_torque": 0.0, "load_inertia": HEAVY * max(armature, 1e-6)}

    def initial(self, shape: tuple[int, ...] = ()) -> Any:
        return self._step.initial(shape)

    def step(self, state: Any, command: Any, position: Any, velocity: Any, dt: float) -> tuple[Any, Any]:
        state, out = self._step(state, command, position, velocity, dt, **self._load)
        return state, self.on_joint.after_friction(out.torque, velocity)
