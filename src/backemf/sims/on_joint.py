"""An actuator as a simulator holds it: what drives the joint, and what belongs to the joint itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ..actuator import Actuator
from ..checks import require, require_part
from ..physics.limits import clip
from ..physics.ops import sign, where


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

    def __post_init__(self) -> None:
        require_part(self, "actuator", Actuator)
        for name in ("armature", "coulomb", "stiction", "viscous"):
            require(self, name, ">=")

    def law(self) -> Law:
        """What the simulator computes with it."""
        return ActuatorLaw(self)

    def rubbed(self, torque: Any, velocity: Any) -> Any:
        """A torque less the friction of the joint, whose motion is given [N·m].

        Dry friction is against a motion; at rest it takes up the torque as far as it can.
        """
        torque = torque - self.viscous * velocity
        most = self.coulomb if self.stiction is None else self.stiction
        return torque - where(velocity == 0.0, clip(torque, -most, most), sign(velocity) * self.coulomb)


class ActuatorLaw:
    """The law of a simulator whose actuators are ours without a motor, such as a PD with limits."""

    def __init__(self, on_joint: OnJoint):
        self.on_joint = on_joint
        self._step = on_joint.actuator.compile("numpy")

    def initial(self, shape: tuple[int, ...] = ()) -> Any:
        return self._step.initial(shape)

    def step(self, state: Any, command: Any, position: Any, velocity: Any, dt: float) -> tuple[Any, Any]:
        state, out = self._step(state, command, position, velocity, dt)
        return state, self.on_joint.rubbed(out.torque, velocity)
