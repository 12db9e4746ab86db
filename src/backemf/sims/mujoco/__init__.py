"""MuJoCo: the actuators of a model as ours."""

from .files import wrap

__all__ = ["wrap"]
