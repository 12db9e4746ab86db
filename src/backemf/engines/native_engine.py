"""Native code: the laws traced once and compiled by LLVM."""

from __future__ import annotations

from .tracing import ops

__all__ = ["ops"]
