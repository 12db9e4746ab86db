"""The left half of the way: from a command to the motor's terminals."""

from .actuator import Actuator
from .compiled import CompiledStep
from .supply import Supply

__all__ = ["Actuator", "CompiledStep", "Supply"]
