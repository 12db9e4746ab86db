"""Engines: the same laws run by NumPy, plain Python floats, JAX and PyTorch."""

from .bind import ENGINES, bind, load

__all__ = ["ENGINES", "bind", "load"]
