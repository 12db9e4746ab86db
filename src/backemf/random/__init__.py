"""Random parameters: distributions, and `randomize`, which draws the named parameters of a motor from them."""

from .distributions import Add, Distribution, LogScale, LogUniform, Normal, NormalScale, Scale, Uniform
from .randomize import randomize

__all__ = ["Add", "Distribution", "LogScale", "LogUniform", "Normal", "NormalScale", "Scale", "Uniform", "randomize"]
