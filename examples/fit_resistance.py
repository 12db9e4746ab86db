"""Find a motor's resistance and Coulomb friction from a speed curve by gradient descent through the simulation.

Draws fit_resistance.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

import backemf as be

STEPS, DT = 400, 5e-4
LOAD = be.Inertia(inertia=1e-4)
FRICTION = 0.004
"""Coulomb friction of the measured motor [N·m]."""


def main() -> None:
    be.engines.load("jax")
    import jax
    import jax.numpy as jnp
    from scipy.optimize import minimize

    true = be.Datasheet.load("maxon-re40-148877").motor(friction=be.Coulomb(coulomb=FRICTION))
    volts = 6.0 * np.sign(np.sin(2 * np.pi * 8 * np.arange(STEPS) * DT))

    def speeds(factors):
        """Joint speeds of a motor whose resistance and friction are scaled."""
        motor = replace(
            true,
            winding=replace(true.winding, resistance=true.winding.resistance * factors[0]),
            friction=be.Coulomb(coulomb=FRICTION * factors[1]),
        )
        return be.rollout(motor, LOAD, volts, DT, observe=lambda here, out: here.velocity)[1]

    with jax.enable_x64(True):
        rng = np.random.default_rng(0)
        measured = np.asarray(speeds(jnp.ones(2))) + rng.normal(0.0, 0.2, STEPS)
        cost = jax.jit(jax.value_and_grad(lambda factors: jnp.mean((speeds(factors) - measured) ** 2)))
        began = np.asarray(speeds(jnp.array([1.5, 3.0])))
        found = minimize(lambda x: tuple(map(np.asarray, cost(x))), x0=[1.5, 3.0], jac=True, method="BFGS")
        fitted = np.asarray(speeds(jnp.asarray(found.x)))
    print(f"started at R x 1.50, friction x 3.00; found R x {found.x[0]:.4f}, friction x {found.x[1]:.4f}")
    print(f"in {found.nfev} runs with gradients; the residual is the noise: {np.sqrt(found.fun):.3f} rad/s")
    rpm = be.units.convert(1.0, "rpm")
    be.plot.curves(
        DT * np.arange(STEPS),
        {"measured": rpm * measured, "at the start": rpm * began, "found": rpm * fitted},
        "time [s]",
        "joint speed [rpm]",
        "Resistance and friction from a speed curve",
        path=Path(os.environ.get("BACKEMF_OUT", "out")) / "fit_resistance.svg",
    )


if __name__ == "__main__":
    main()
