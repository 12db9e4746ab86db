"""A traced program for environments and joints inside a host whose tables have a row for each environment.

A joint finds its column of a table by an index, so that one launch reads what the host knows and writes what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping

import warp as wp  # pyright: ignore[reportMissingImports]

from ..values import Module
from .warp_cache import launch
from .warp_kernel import Layout, Store
from .warp_plan import Launch

BLOCK = 64
"""Motors in a block of threads on a GPU."""


class TableLaunch(Launch):
    """The launch of stores for (environments, joints); `numbers` are plain ones by name, the same for all."""

    def __init__(
        self,
        stores: list[Store],
        layouts: dict[str, Layout],
        batch: tuple[int, int],
        dtype: type,
        device: wp.Device,
        numbers: Mapping[str, float],
    ):
        super().__init__(stores, layouts, batch, dtype, device, False)
        self._values = self.fill(numbers)

    def record(self, arrays: Mapping[str, wp.array]) -> Module:
        """A launch that is ready: its `launch()` does nothing but that."""
        # few motors for a GPU: small blocks spread them over all of it
        size = {"block_dim": BLOCK} if self.device.is_cuda else {}
        command = launch(**self.arguments(self._values, arrays), **size, record_cmd=True)
        # what it points to stays as long as it does
        command.arrays = dict(arrays)
        return command


def in_table(index: str, dtype: type, rows: bool = True) -> Layout:
    """A table of the host in which joints find their columns by an index; `rows`: environments have rows of theirs."""
    return Layout(dtype, (rows, True), columns=index)
