"""What is heard and seen of a motor: its sound, and the muscles that display it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...physics.limits import clip
from ...physics.ops import absolute, where


class Sound(NamedTuple):
    """How a motor's sound is played."""

    plays: Any
    """Whether it is heard."""
    gain: Any
    """Volume [1]."""
    pitch: Any
    """Pitch [1]."""


def sound(velocity: float, max_velocity: float) -> Sound:
    """The sound at a commanded velocity [rad/s]: silent up to a tenth of the largest."""
    share = clip(absolute(velocity) / where(max_velocity > 0.0, max_velocity, 1.0), 0.0, 1.0)
    share = where(max_velocity > 0.0, share, 0.0 * share)
    return Sound(share > 0.1, 0.9 + 0.1 * share, 0.6 + 0.8 * share)
