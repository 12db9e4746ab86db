"""The actuator: a motor with what feeds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks import require_part
from ..motor import Motor
from ..tree import kind_of_numbers
from .compiled import CompiledStep
from .supply import Supply


@kind_of_numbers
@dataclass(frozen=True)
class Actuator:
    """A motor behind a drive that takes volts."""

    motor: Motor
    """The motor and its gearbox."""
    supply: Supply | None = None
    """What feeds the drive; None: any voltage that is commanded is there."""

    def __post_init__(self) -> None:
        require_part(self, "motor", Motor)
        require_part(self, "supply", Supply)

    def compile(self, engine: str = "numpy", **options: Any) -> CompiledStep:
        """The step of this actuator on one engine: "numpy", "python", "jax" or "torch".

        PyTorch takes `dtype`, `device`, `dynamic` and `eager` (no `torch.compile`).
        """
        return CompiledStep(self, engine, options)
