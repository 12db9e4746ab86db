"""Memory in which channels lie side by side."""

import math

import numpy as np
import pytest

from backemf.engines.channel_memory import LINE, PAGE, channel_memory


@pytest.mark.parametrize(
    "shape", [(1,), (7,), (0, 3), (3, 5), (64, 8), (1000, 16), (511,), (512,), (513, 2, 1)], ids=str
)
def test_channels_begin_in_lines_of_their_own_and_touch_nowhere(shape):
    """Each is written whole, and all keep what was written; addresses are those that a loop counts on."""
    channels, apart = channel_memory(34, shape)
    for k, channel in enumerate(channels):
        assert channel.shape == shape and channel.flags.c_contiguous
        if channel.size:
            assert channel.ctypes.data % (8 * LINE) == 0
            assert channel.ctypes.data == channels[0].ctypes.data + 8 * k * apart
        channel[...] = k
    assert all((channel == k).all() for k, channel in enumerate(channels))


@pytest.mark.parametrize("records", [PAGE, 2048, 10_000, 128_000])
def test_long_channels_spread_over_their_pages(records):
    """No two of 34 channels begin at the same place of a page, so that they have sets of the cache to themselves."""
    channels, _ = channel_memory(34, (records,))
    places = {channel.ctypes.data // 8 % PAGE for channel in channels}
    assert len(places) == 34 and math.gcd(*places, PAGE) % LINE == 0
    assert sum(channel.nbytes for channel in channels) >= 0.87 * np.ptp([channel.ctypes.data for channel in channels])
