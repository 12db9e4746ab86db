"""How many motors a thread of a GPU has, in the kernels that PyTorch's compiler writes.

Its own choice is two to eight, which suits short kernels. Several substeps of a motor with all that it says fill the
registers of a thread, and one more motor in it spills them: one motor in a thread is four times as fast there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

from ..values import Foreign

BLOCK = {"XBLOCK": 128, "num_warps": 4, "num_stages": 1}
"""Motors in a block of 4 times 32 threads."""


def can_choose() -> bool:
    """Whether this version of the compiler lets others choose."""
    return _choices()[0] is not None


def one_motor_a_thread() -> AbstractContextManager[object]:
    """What is compiled inside has one motor in each thread of a GPU; with a compiler that offers no choice, its own."""
    set_choices, make = _choices()
    return nullcontext() if set_choices is None else set_choices(make())


@lru_cache(maxsize=1)
def _choices() -> tuple[Callable[[object], AbstractContextManager[object]] | None, Callable[[], object]]:
    """How choices of the compiler are set, and those that are ours."""
    try:
        from torch._inductor.choices import InductorChoices
        from torch._inductor.codegen.triton import FixedTritonConfig
        from torch._inductor.virtualized import V
    except ImportError:
        return None, object
    if not hasattr(InductorChoices, "triton_kernel_kwargs"):
        return None, object

    class OneMotorAThread(InductorChoices):
        """The compiler's own choices but for the size of blocks."""

        # what the compiler hands over changes with its version
        def triton_kernel_kwargs(
            self, kernel_cls: Foreign, features: Foreign, groups: Foreign, kernel_kwargs: Foreign
        ) -> Foreign:
            sizes = groups[0] if groups and isinstance(groups[0], dict) else {}
            along = [name for name in sizes if not name.startswith("r")]
            if along != ["x"] or features.is_reduction():
                return kernel_kwargs
            return {**kernel_kwargs, "fixed_config": FixedTritonConfig(BLOCK)}

    return V.set_choices_handler, OneMotorAThread
