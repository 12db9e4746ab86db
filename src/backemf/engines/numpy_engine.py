"""NumPy: the reference, in float64."""

from __future__ import annotations

import numpy as np

from ..physics import step as laws

held, coupled = laws.held, laws.coupled


def array(value, shape=None):
    """The value as an array of this engine, spread over `shape` where one is given."""
    x = np.asarray(value, dtype=np.float64)
    return x if shape is None else np.broadcast_to(x, shape).copy()


def select(mask, chosen, other):
    return np.where(mask, chosen, other)


def compile_held(actuator, options):
    """A function (state, command, position, velocity, dt, load_torque, load_inertia) -> (state, output)."""

    def run(*arguments):
        # a step so long that exponentials vanish is no reason to warn
        with np.errstate(under="ignore", over="ignore"):
            return held(actuator, *arguments)

    return run
