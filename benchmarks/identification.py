"""Identification: 100 logs with 18 numbers, and twelve logs of a real servo, beside SciPy on the same model and data.

python benchmarks/identification.py [--json FILE] [--docs PAGE]

The servo's logs are those of the folder that BACKEMF_DATA names; without it, that part is left out.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from scipy.optimize import least_squares

import backemf as be
from backemf.identify import identification
from backemf.identify.loss import KAPPA, Problem

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report

LOGS, SECONDS, RATE, FINER = 100, 8.0, 1000.0, 20
SERVO = be.Motor(
    winding=be.Winding(resistance=3.4),
    magnet=be.Magnet(torque_constant=0.35, back_emf_constant=0.35),
    rotor=be.Rotor(inertia=1.8e-3),
    friction=be.LoadDependent(coulomb=0.03, viscous=0.01, load=be.LoadShare(drive=0.1, back=0.05)),
    ratings=be.Ratings(voltage=7.4),
)
"""The servo that the logs are of."""
RIG = """
format = "backemf rig 1"
[load]
kind = "Pendulum"
mass = "0.49 kg +- 1 %"
length = "0.10 m"
[firmware]
kind = "DutyServo"
kp = "2 1/rad"
[supply]
voltage = "7.4 V"
"""
FREE = ("winding.*", "magnet", "rotor.*", "load.mass", "friction.*", "supply.*", "command.*", "spring.*")
"""18 numbers: all laws but friction over angle, which has a number for each angle."""
XL330 = """
format = "backemf rig 1"
[load]
kind = "Pendulum"
mass = "0.49 kg +- 1 %"
length = "0.10 m"
arm_mass = "15 g +- 70 %"
[firmware]
kind = "ServoRegisters"
servo = "dynamixel xl330-m288"
position_p_gain = "log.kp"
[supply]
voltage = "7.3 V"
"""


def synthetic_logs(rig: be.Rig) -> list[be.Log]:
    """Sines, steps and triangles of different sizes, with 1 mrad of noise."""
    generator = np.random.default_rng(0)
    time_ = np.arange(0.0, SECONDS, 1.0 / RATE)
    sizes, pace = generator.uniform(0.5, 1.4, LOGS), generator.uniform(0.2, 0.6, LOGS)
    shapes = (np.sin, lambda x: np.sign(np.sin(x)), lambda x: 2.0 / np.pi * np.arcsin(np.sin(x)))
    goals = np.stack([a * shapes[k % 3](2.0 * np.pi * f * time_ * (1.0 + 0.1 * time_))
                      for k, (a, f) in enumerate(zip(sizes, pace, strict=True))])  # fmt: skip
    still = be.Log.from_arrays(time_, {"position": 0.0 * time_})
    drive = rig.actuator_for(be.Actuator(SERVO), still)
    # with steps so short that they do not matter
    commands = np.repeat(goals.T, FINER, axis=0)
    run = be.simulate(drive, be.Pendulum(mass=0.49, length=0.1), commands, SECONDS, 1.0 / (FINER * RATE), every=FINER)
    seen = np.asarray(run["position"]).T
    seen = np.concatenate([np.zeros((LOGS, 1)), seen[:, :-1]], axis=1) + 1e-3 * generator.normal(size=goals.shape)
    return [be.Log.from_arrays(time_, {"position_command": goal, "position": row}, name=f"log {k}")
            for k, (goal, row) in enumerate(zip(goals, seen, strict=True))]  # fmt: skip


class Kept:
    """The problem of the last fit, for SciPy."""

    problem: Problem


def timed_fit(logs: list[be.Log], prior: object, rig: be.Rig, **options) -> tuple[be.Fit, float]:
    """A fit, and how long it took [s]."""
    climb = identification.climb

    def keeping(problem, *args, **more):
        Kept.problem = problem
        return climb(problem, *args, **more)

    identification.climb = keeping
    began = time.perf_counter()
    try:
        fit = be.identify(logs, prior, rig=rig, **options)
    finally:
        identification.climb = climb
    return fit, time.perf_counter() - began


def scipy_seconds(steps: int) -> tuple[float, float]:
    """Time of SciPy's least squares by finite differences with all laws [s], and the mean absolute error it ends at."""
    problem = Kept.problem
    active = np.ones(len(problem.space.parameters), dtype=bool)
    there = problem.predictor.trials.readings[0].there
    sigma = float(problem.scales.sigma[0])

    def residuals(theta):
        own = np.sqrt(problem.scales.weight[0]) * problem.residuals(theta[None], active)[0][0][there] / sigma
        return np.concatenate([own, theta / problem.space.spreads])

    began = time.perf_counter()
    found = least_squares(residuals, problem.space.starts, loss="soft_l1", f_scale=KAPPA, max_nfev=steps)
    taken = time.perf_counter() - began
    off = problem.residuals(found.x[None], active)[0][0][there]
    return taken, float(np.abs(off).mean())


def measure(console: Console) -> list[Figure]:
    """All figures."""
    rig = be.Rig.parse(RIG)
    prior = be.Motor(
        winding=be.Winding(resistance=3.6),
        magnet=be.Magnet(torque_constant=0.33, back_emf_constant=0.33),
        rotor=be.Rotor(inertia=1.6e-3),
        friction=be.Coulomb(coulomb=0.02),
        ratings=be.Ratings(voltage=7.4),
    )
    logs = synthetic_logs(rig)
    console.print("100 logs: compiling")
    timed_fit([log.slice(0.0, 0.5) for log in logs[:3]], prior, rig, free=FREE)
    console.print("100 logs: fitting")
    fit, taken = timed_fit(logs, prior, rig, free=FREE)
    numbers = len(Kept.problem.space.parameters)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    console.print("100 logs: SciPy")
    other, off = scipy_seconds(steps=12)
    figures = [
        Figure(f"{LOGS} logs of {SECONDS:g} s at {RATE:g} Hz, {numbers} numbers, {len(fit.rungs)} rungs", taken, "s",
               "< 60", taken < 60.0),
        Figure("  error", 1e3 * fit.error(held_out=False), "mrad"),
        Figure("  memory, the largest", memory, "GB", "< 2", memory < 2.0),
        Figure("  SciPy, all laws at once by finite differences, 12 steps", other, "s"),
        Figure("  error", 1e3 * off, "mrad"),
    ]  # fmt: skip
    data = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")) / "xl330_pendulum"
    if data.is_dir():
        console.print("XL330: fitting")
        rig = be.Rig.parse(XL330)
        logs = [be.read_log(path) for path in sorted(data.glob("*.json"))]
        with tempfile.TemporaryDirectory() as empty:
            os.environ["XDG_CACHE_HOME"] = empty  # nothing compiled before
            fit, taken = timed_fit(logs, "dynamixel-xl330-m288", rig, compare=["position"])
        console.print("XL330: SciPy")
        other, off = scipy_seconds(steps=12)
        figures += [
            Figure(f"12 logs of an XL330, {len(fit.rungs)} rungs, cold start", taken, "s", "< 180", taken < 180.0),
            Figure("  error", 1e3 * fit.error(held_out=False), "mrad"),
            Figure("  SciPy, all laws at once by finite differences, 12 steps", other, "s"),
            Figure("  error", 1e3 * off, "mrad"),
        ]
    return figures


if __name__ == "__main__":
    report(measure, "identification", __doc__)
