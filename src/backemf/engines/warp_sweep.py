"""A law swept over samples in one launch of Warp: a thread is one lane, from the first sample to the last.

States stay in registers; samples are the same for all threads. Only the states at the end come back to the host.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import ParameterError
from .native_text import Traces
from .traced_sweep import Law, SweepInputs, sort_inputs, trace_sweep
from .warp_cache import launch, make_cache_writable
from .warp_kernel import Layout, fill_struct
from .warp_loop import BLOCK, OUT, LoopWriter, build_run

MOST_SWEEPS = 64
"""How many compiled sweeps are kept."""
_SWEEPS: dict[object, _Sweep] = {}


def sweep_warp(
    law: Law, part: object, state: Mapping[str, np.ndarray], samples: Mapping[str, np.ndarray | float], count: int,
    device: str | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """States of `count` lanes after all samples, as `sweep_native` gives them; None: Warp's default device."""
    make_cache_writable()
    try:
        place = wp.get_device(device)
    except (ValueError, RuntimeError):
        known = ", ".join(str(each) for each in wp.get_devices())
        raise ParameterError(f"device = {device!r}: Warp finds no such device here, it finds {known}") from None
    given = sort_inputs(law, part, tuple(state), samples)
    found = _SWEEPS.get(given.key)
    if found is None:
        if len(_SWEEPS) >= MOST_SWEEPS:
            _SWEEPS.clear()
        traces = trace_sweep(law, part, tuple(given.own), tuple(state), tuple(samples), tuple(given.columns))
        found = _SWEEPS[given.key] = _Sweep(traces)
    return found.run(given, state, count, place)


class _Sweep:
    """The kernel of a law for parts of one structure, in float64."""

    def __init__(self, traces: Traces):
        layouts = {name: Layout(wp.float64, (True,)) for name in (*traces.own, *traces.states)}
        layouts |= {f"new.{name}": Layout(wp.float64, (True,)) for name in traces.states}
        self.traces = traces
        self.writer = LoopWriter(traces, layouts, frozenset(traces.inputs), wp.float64)
        self.kernel, self.struct = build_run(self.writer, wp.float64)

    def run(
        self, given: SweepInputs, state: Mapping[str, np.ndarray], count: int, device: wp.Device
    ) -> dict[str, np.ndarray]:
        """The states after all samples."""

        def put(values: np.ndarray) -> wp.array:
            return wp.array(np.ascontiguousarray(values, dtype=float), dtype=wp.float64, device=device)

        arrays = {name: put(np.broadcast_to(value, (count,))) for name, value in given.own.items()}
        arrays |= {f"state.{name}": put(value) for name, value in state.items()}
        # all states at the end in one array, so that they come back in one piece
        after = wp.empty((len(state), count), dtype=wp.float64, device=device)
        arrays |= {f"new.state.{name}": after[k] for k, name in enumerate(state)}
        arrays |= {f"input.{name}": put(value).reshape((-1, 1)) for name, value in given.columns.items()}
        arrays[OUT] = wp.empty((1, 1, 1), dtype=wp.float64, device=device)
        steps = len(next(iter(given.columns.values())))
        numbers = fill_struct(self.struct, self.writer.uniforms, given.numbers)
        # nothing is recorded on the way: the first record would come after the last sample
        inputs = [numbers, *(arrays[name] for name in self.writer.arguments), steps, steps + 1, 0, count]
        launch(self.kernel, dim=count, inputs=inputs, device=device, block_dim=BLOCK)
        return dict(zip(state, after.numpy(), strict=True))
