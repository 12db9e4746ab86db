"""A saturation of the iron that is there without effect, so that a rung may let it set in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..motor import Magnet, Saturation
from .log import Log

NEVER = 1e9
"""Current at which iron that does not saturate would [A]."""


def with_idle_saturation(magnet: Magnet, logs: Sequence[Log]) -> Magnet:
    """The magnet with a saturation that never sets in; its scale is that of half the largest measured current."""
    if magnet.saturation is not None:
        return magnet
    half = max(0.5 * max(float(np.abs(log["current"]).max()) for log in logs), 1e-6)
    torque = float(np.log(2.0)) * half * magnet.torque_constant
    return replace(magnet, saturation=Saturation(knee_current=NEVER, scale=1.0 / half, torque=torque))


def without_idle_saturation(magnet: Magnet) -> Magnet:
    """The magnet without a saturation that never sets in."""
    saturation = magnet.saturation
    idle = saturation is not None and bool(np.all(np.asarray(saturation.knee_current) >= NEVER))
    return replace(magnet, saturation=None) if idle else magnet
