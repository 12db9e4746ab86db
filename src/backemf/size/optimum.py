"""The gear ratio and the spring that make a motor's copper least warm, if gears came in every ratio: by gradients.

The mean of i² over the cycle is a smooth function of the logarithm of the ratio, of the stiffness and of its offset,
except where the power changes its direction, where it is continuous. JAX differentiates the same laws that size pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..actuator.joint_spring import JointSpring
from ..checks import Number
from ..engines import bind
from ..engines import load as load_engine
from ..errors import ParameterError
from ..motor import Gearbox, Motor, Stage
from ..physics import inverse
from .cycle import Cycle
from .evaluation import at_ambient

GRID = 60
"""Ratios that are tried for a start [1]."""
WIDEST = (0.05, 20_000.0)
"""Smallest and largest ratio that is looked for [1]."""


@dataclass(frozen=True)
class Optimum:
    """The best continuous ratio and spring of a motor."""

    ratio: float
    """Rotor speed over joint speed [1]."""
    spring: JointSpring | None
    """The spring; None: none was asked for."""
    mean_square_current: float
    """Mean of i² over the cycle with the winding at ambient [A²]."""
    slope: float
    """Largest derivative that is left, of the logarithm of the mean of i² [1]."""
    nearest: tuple[str, ...] = ()
    """Real pairs of this motor with the nearest ratios, the least warm first."""

    @property
    def rms_current(self) -> float:
        """RMS current [A]."""
        return float(np.sqrt(self.mean_square_current))


def best_ratio(
    motor: Motor, cycle: Cycle, *, efficiency: float = 1.0, back_efficiency: float | None = None,
    gear_inertia: Number = 0.0, spring: bool = False, ambient: float = 25.0,
) -> Optimum:  # fmt: skip
    """The ratio at which a motor's copper stays coolest along a cycle, and with `spring` the spring that helps it most.

    The motor's own gear is left out: the ratio has an `efficiency` while the motor drives, a `back_efficiency` while
    the load does (None: the same), and an inertia at its input [kg·m²].
    """
    from scipy.optimize import minimize

    stage = Stage(ratio=1.0, efficiency=efficiency, back_efficiency=back_efficiency, inertia=gear_inertia)
    bare = at_ambient(replace(motor, gearbox=Gearbox(stages=(stage,))), ambient, 1.0)
    if bare.rotor is None:
        raise ParameterError("best_ratio: the motor has no rotor inertia; give Rotor(inertia=...)")
    engine = load_engine("jax")
    laws = bind(inverse, "jax", engine.ops)
    jax = engine.jax
    columns = {name: np.asarray(value) for name, value in cycle.columns().items()}
    rest = cycle.rhythm.rest / cycle.rhythm.repeats
    weights = np.append(columns["dt"], rest)
    weights = weights / weights.sum()
    c = cycle.cells
    end = float(c.position[-1] + 0.5 * c.dt[-1] * c.velocity[-1])
    position, velocity = np.append(columns["position"], end), np.append(columns["velocity"], 0.0)
    acceleration, load = np.append(columns["acceleration"], 0.0), np.append(columns["torque"], cycle.rest_torque)
    size = max(float(np.abs(load).max()), 1e-12)
    middle, way = float(position.mean()), max(float(np.ptp(position)), 1e-9)

    def mean_square(x: np.ndarray) -> Number:
        made = replace(bare, gearbox=Gearbox(stages=(replace(stage, ratio=engine.jnp.exp(x[0])),)))
        torque = load + (x[1] * size / way * (position - middle) + x[2] * size if spring else 0.0)
        driving = laws.motor_torque(made, velocity, acceleration, torque)
        current = laws.current_at(made, driving, ambient)
        return engine.jnp.sum(weights * current * current)

    with engine.doubles(True):
        function = jax.jit(jax.value_and_grad(lambda x: engine.jnp.log(mean_square(x))))
        ratios = np.geomspace(*WIDEST, GRID)
        start = min(ratios, key=lambda n: float(function(np.array([np.log(n), 0.0, 0.0]))[0]))
        bounds = [tuple(np.log(WIDEST)), (0.0, None if spring else 0.0), (None, None) if spring else (0.0, 0.0)]
        found = minimize(
            lambda x: tuple(np.asarray(part, dtype=float) for part in function(x)), np.array([np.log(start), 0.0, 0.0]),
            jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500, "ftol": 1e-15, "gtol": 1e-12},
        )  # fmt: skip
        value, slope = function(found.x)
    free = np.asarray(slope)[: 3 if spring else 1]
    helper = None
    if spring:
        stiffness = float(found.x[1]) * size / way
        offset = stiffness * middle - float(found.x[2]) * size
        helper = JointSpring(stiffness=stiffness, rest_angle=offset / stiffness if stiffness > 0.0 else 0.0)
    return Optimum(float(np.exp(found.x[0])), helper, float(np.exp(value)), float(np.abs(free).max()))
