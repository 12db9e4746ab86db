"""Joints of a robot's model: what a motor needs to know of them, whatever kind of file the model is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HINGE, SLIDE, BALL, FREE, FIXED = "hinge", "slide", "ball", "free", "fixed"
DRIVEN = (HINGE, SLIDE)
"""Kinds of joints that a motor can drive."""


@dataclass(frozen=True)
class Allowed:
    """A limit that a model has for a joint."""

    what: str
    """Where it stands: "effort of <limit>", "actuatorfrcrange", or "forcerange of its <position>"."""
    value: float
    """The limit at the joint, in SI."""
    unit: str
    """Its unit."""


@dataclass(frozen=True, kw_only=True)
class ModelJoint:
    """A joint of a model; None: the model does not say, or its format has no place for it."""

    name: str
    """Its name; in USD that of its prim."""
    kind: str = HINGE
    """"hinge", "slide", "ball", "free" or "fixed"."""
    place: str = ""
    """Path of its prim in USD; else empty."""
    follows: str = ""
    """Joint that it mimics; empty: it moves freely."""
    coupled: tuple[str, ...] = ()
    """What else of the model acts on it: tendons and equalities."""
    tied: tuple[str, ...] = ()
    """Joints that equalities move along with it."""
    armature: float | None = None
    """Inertia added to the joint [kg·m²]."""
    coulomb: float | None = None
    """Dry friction [N·m]."""
    viscous: float | None = None
    """Damping [N·m·s/rad]."""
    spring: tuple[float, float] | None = None
    """Stiffness [N·m/rad] and rest angle [rad] of a spring of its own."""
    span: tuple[float, float] | None = None
    """Range of its position [rad or m]."""
    limits: tuple[Allowed, ...] = ()
    """Limits of its effort and its velocity."""
    actuators: tuple[str, ...] = ()
    """Actuators that act on it."""

    @property
    def is_driven(self) -> bool:
        """Whether a motor can drive it."""
        return self.kind in DRIVEN and not self.follows


@dataclass(frozen=True, kw_only=True)
class RobotModel:
    """A model of a robot, as far as motors need it."""

    path: Path | None
    """Its file; None: there is none, and only the names of the joints are known."""
    format: str
    """"MJCF", "URDF", "USD", or "names"."""
    joints: tuple[ModelJoint, ...]
    """Every joint that has a name, in the order of the file."""
    timestep: float | None = None
    """Its physics step [s]; None: the file does not say."""
    problems: tuple[str, ...] = ()
    """What looks wrong with the file itself, one sentence each."""

    def joint(self, name: str) -> ModelJoint:
        """A joint by its name."""
        return next(joint for joint in self.joints if joint.name == name)
