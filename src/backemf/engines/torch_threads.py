"""How many motors a thread of a GPU has, in the kernels that PyTorch's compiler writes.

Its own choice is one to eight, from a short trial of two sizes that chance decides. Two motors in a thread have enough
loads under way to reach the speed of the memory; eight spill its registers and take twice as long. Several substeps
with all outputs fill the registers with one motor, and a second one would make them four times as slow. Of
blocks of 64 to 512 motors those of 256 are the fastest, for one substep and for ten.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

from ..values import Foreign

BLOCK = 256
"""Motors in a block."""


def can_choose() -> bool:
    """Whether this version of the compiler lets others choose."""
    return _choices()[0] is not None


def motors_a_thread(count: int) -> AbstractContextManager[object]:
    """What is compiled inside has so many motors in each thread of a GPU.

    A version of the compiler that lets nobody choose keeps its own number.
    """
    set_choices, make = _choices()
    return nullcontext() if set_choices is None else set_choices(make(count))


@lru_cache(maxsize=1)
def _choices() -> tuple[Callable[[object], AbstractContextManager[object]] | None, Callable[[int], object]]:
    """How choices of the compiler are set, and ours for a number of motors in each thread."""
    try:
        from torch._inductor.choices import InductorChoices
        from torch._inductor.codegen.triton import FixedTritonConfig
        from torch._inductor.virtualized import V
    except ImportError:
        return None, lambda count: None
    if not hasattr(InductorChoices, "triton_kernel_kwargs"):
        return None, lambda count: None

    class MotorsAThread(InductorChoices):
        """The compiler's own choices but for the size of blocks."""

        def __init__(self, count: int) -> None:
            super().__init__()
            self.block = {"XBLOCK": BLOCK, "num_warps": BLOCK // 32 // count, "num_stages": 1}

        # what the compiler hands over changes with its version
        def triton_kernel_kwargs(
            self, kernel_cls: Foreign, features: Foreign, groups: Foreign, kernel_kwargs: Foreign
        ) -> Foreign:
            sizes = groups[0] if groups and isinstance(groups[0], dict) else {}
            along = [name for name in sizes if not name.startswith("r")]
            if along != ["x"] or features.is_reduction():
                return kernel_kwargs
            return {**kernel_kwargs, "fixed_config": FixedTritonConfig(self.block)}

    return V.set_choices_handler, lru_cache(MotorsAThread)
