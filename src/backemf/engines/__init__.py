"""Engines: the same laws run by NumPy, plain Python floats, JAX, PyTorch, Warp and machine code of our own."""

from .bind import ENGINES, bind, load

__all__ = ["ENGINES", "bind", "load"]
