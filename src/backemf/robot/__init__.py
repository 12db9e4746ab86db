"""A robot: different actuators in one compiled step, by joint."""

from .actuator_set import ActuatorSet
from .compiled import CompiledSet

__all__ = ["ActuatorSet", "CompiledSet"]
