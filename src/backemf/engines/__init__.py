"""Engines: the same laws run by NumPy, plain Python floats, JAX, PyTorch and Warp."""

from .bind import ENGINES, bind, load

__all__ = ["ENGINES", "bind", "load"]
