"""Our whole motor inside MuJoCo, with its torque handed to the integrator together with its slope."""

from .motors import Motors

__all__ = ["Motors"]
