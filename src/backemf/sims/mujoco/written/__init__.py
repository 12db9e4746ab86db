"""A motor or an actuator as a `<dcmotor>`: in a text, or on a live model."""

from .attaching import attach
from .writing import WrittenMotor, write

__all__ = ["WrittenMotor", "attach", "write"]
