"""Sizing: every pair of the public maxon catalogue along 1,000 samples, heat included, beside a NumPy loop over pairs.

python benchmarks/sizing.py

The catalogue is that of the folder that BACKEMF_DATA names. Gearboxes that contradict themselves are left out of it;
the first pairs are taken again in their place, so that 60,143 pairs are run.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import backemf as be
from backemf.motor import Motor
from backemf.size import import_pairs
from backemf.size.cycle import Cycle
from backemf.size.evaluation import evaluate

PAIRS, SAMPLES, LOOPED = 60_143, 1_000, 200
DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "maxon_catalogue"


def plain(motor: Motor, cycle: Cycle, volts: float) -> tuple[float, float, float]:
    """One pair as a person writes it in NumPy: vectors over the samples, two temperatures by fixed point."""
    c, n = cycle.cells, float(motor.ratio)
    assert motor.gearbox is not None and motor.rotor is not None and motor.thermal is not None
    eta, k = float(motor.gearbox.efficiency), float(motor.magnet.torque_constant)
    out = cycle.torque / n
    gear = np.where(out * c.velocity > 0, out / eta, out * eta)
    torque = float(motor.inertia) * n * c.acceleration + float(motor.friction.coulomb) * np.sign(c.velocity) + gear
    current = torque / k
    square = np.sum(current**2 * c.dt) / c.duration
    celsius = 25.0
    for _ in range(30):
        ohms = float(motor.winding.resistance) * (1 + 0.0039 * (celsius - 25.0))
        celsius = min(25.0 + float(motor.thermal.resistance) * ohms * square, 400.0)
    volt = ohms * current + float(motor.winding.inductance) * np.gradient(current) / c.dt + k * n * c.velocity
    return float(np.abs(current).max()), celsius, volts - float(np.abs(volt).max())


def main() -> None:
    if not DATA.is_dir():
        sys.exit(f"no maxon catalogue at {DATA}: set BACKEMF_DATA to the folder of measurements")
    with tempfile.TemporaryDirectory() as folder:
        import_pairs(DATA, folder)
        batch = be.Candidates.read(folder).batches[0]
    batch = batch.take(np.arange(PAIRS) % len(batch))
    joint = be.JointTask(motion=be.TrapezoidMove(angle=1.5, duration=0.6), load=be.Pendulum(mass=0.5, length=0.3))
    task = be.Task(joints={"arm": joint}, supply=be.Supply(voltage=48.0, resistance=0.1), samples=SAMPLES)
    cycle = task.cycles()["arm"]
    walls, cpus = [], []
    for _ in range(4):
        wall, cpu = time.perf_counter(), time.process_time()
        found = evaluate(batch.motor, len(batch), cycle, task.supply, task.ambient, engine="native")
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    before = time.perf_counter()
    for k in range(LOOPED):
        plain(batch.single(k), cycle, 48.0)
    loop = (time.perf_counter() - before) / LOOPED * PAIRS
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{PAIRS} pairs x {len(cycle.torque)} samples, {int(np.isfinite(found.winding).sum())} settle")
    print(f"first, with compiling {walls[0]:8.2f} s")
    print(f"again                 {min(walls[1:]):8.2f} s wall, {min(cpus[1:]):.2f} s of processor time")
    print(f"NumPy loop over pairs {loop:8.2f} s, from {LOOPED} of them")
    print(f"largest memory        {memory:8.2f} GB, the process as a whole")


if __name__ == "__main__":
    main()
