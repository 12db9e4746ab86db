"""The channels of a log as curves for a picture."""

from __future__ import annotations

from typing import NamedTuple

from ..thinning import thin
from .log import Log


class Curve(NamedTuple):
    """A channel, or a joint of it."""

    title: str
    """The channel, and its joint where the log has several."""
    channel: str
    """The channel."""
    time: list[float]
    """Times [s]."""
    values: list[float]
    """What was measured, in the channel's unit."""


def curves_of(log: Log, points: int = 800, joints: int = 4) -> list[Curve]:
    """Curves of at most `points` points with 6 digits, for each channel and its first `joints` joints."""
    found: list[Curve] = []
    for name, channel in log.channels.items():
        columns = channel.values[:, None] if channel.values.ndim == 1 else channel.values[:, :joints]
        for joint, values in zip(log.joints or ("",), columns.T, strict=False):
            kept = ([float(f"{x:.6g}") for x in each] for each in thin(channel.time, values, points))
            found.append(Curve(f"{name} {joint}".strip(), name, *kept))
    return found
