"""Sizing: every pair of the public maxon catalogue along 1,000 samples, heat included, beside a NumPy loop over pairs.

python benchmarks/sizing.py

The catalogue is that of the folder that BACKEMF_DATA names. Gearboxes that contradict themselves are left out of it;
the first pairs are taken again in their place, so that 60,143 pairs are run. Where Warp finds a GPU, it runs there too.
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
from backemf.size import Batch, import_pairs
from backemf.size.cycle import Cycle
from backemf.size.evaluation import Evaluation, evaluate

PAIRS, SAMPLES, LOOPED = 60_143, 1_000, 200
DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "maxon_catalogue"


def plain(motor: Motor, cycle: Cycle, volts: float) -> tuple[float, float, float]:
    """One pair as a person writes it in NumPy: vectors over the samples, two temperatures by fixed point."""
    c, n = cycle.cells, float(motor.ratio)
    assert motor.gearbox is not None and motor.thermal is not None and isinstance(motor.friction, be.Coulomb)
    eta, k = float(motor.gearbox.efficiency), float(motor.magnet.torque_constant)
    out = cycle.torque / n
    gear = np.where(out * c.velocity > 0, out / eta, out * eta)
    torque = float(motor.inertia) * n * c.acceleration + float(motor.friction.coulomb) * np.sign(c.velocity) + gear
    current = torque / k
    square = np.sum(current**2 * c.dt) / c.duration
    celsius, ohms = 25.0, float(motor.winding.resistance)
    for _ in range(30):
        ohms = float(motor.winding.resistance) * (1 + 0.0039 * (celsius - 25.0))
        celsius = min(25.0 + float(motor.thermal.resistance) * ohms * square, 400.0)
    volt = ohms * current + float(motor.winding.inductance) * np.gradient(current) / c.dt + k * n * c.velocity
    return float(np.abs(current).max()), celsius, volts - float(np.abs(volt).max())


def task_of(samples: int) -> be.Task:
    """An arm that moves to and fro on a battery."""
    joint = be.JointTask(motion=be.TrapezoidMove(angle=1.5, duration=0.6), load=be.Pendulum(mass=0.5, length=0.3))
    return be.Task(joints={"arm": joint}, supply=be.Supply(voltage=48.0, resistance=0.1), samples=samples)


def times(batch: Batch, samples: int, engine: str, rounds: int = 4) -> tuple[list[float], list[float], Evaluation]:
    """Wall and processor times of some rounds [s], and what they found."""
    task = task_of(samples)
    cycle = task.cycles()["arm"]
    walls, cpus, found = [], [], None
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        found = evaluate(batch.motor, len(batch), cycle, task.supply, task.ambient, engine=engine)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    assert found is not None
    return walls, cpus, found


def gpu() -> str:
    """The name of the GPU that Warp runs on; empty: none."""
    try:
        import warp as wp  # pyright: ignore[reportMissingImports]
    except ImportError:
        return ""
    return wp.get_device().name if wp.get_device().is_cuda else ""


def main() -> None:
    if not DATA.is_dir():
        sys.exit(f"no maxon catalogue at {DATA}: set BACKEMF_DATA to the folder of measurements")
    with tempfile.TemporaryDirectory() as folder:
        import_pairs(DATA, folder)
        batch = be.Candidates.read(folder).batches[0]
    batch = batch.take(np.arange(PAIRS) % len(batch))
    walls, cpus, found = times(batch, SAMPLES, "native")
    cycle = task_of(SAMPLES).cycles()["arm"]
    motors = [batch.single(k) for k in range(LOOPED)]
    before = time.process_time()
    for motor in motors:
        plain(motor, cycle, 48.0)
    loop = (time.process_time() - before) / LOOPED * PAIRS
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{PAIRS} pairs x {len(cycle.torque)} samples, {int(np.isfinite(found.winding).sum())} settle")
    print(f"first, with compiling {walls[0]:8.2f} s")
    print(f"again                 {min(walls[1:]):8.2f} s wall, {min(cpus[1:]):.2f} s of processor time")
    print(f"NumPy loop over pairs {loop:8.2f} s of processor time, from {LOOPED} of them")
    print(f"largest memory        {memory:8.2f} GB, the process as a whole")
    print("pairs x samples       processor time per pair and sample")
    for share, samples in ((0.25, SAMPLES), (0.5, SAMPLES), (1.0, SAMPLES), (1.0, SAMPLES // 4), (1.0, 4 * SAMPLES)):
        count = round(share * PAIRS)
        _, spent, _ = times(batch.take(np.arange(PAIRS)[:: round(1 / share)][:count]), samples, "native", 3)
        print(f"{count:6d} x {samples:<6d}      {1e9 * min(spent[1:]) / count / samples:8.1f} ns")
    name = gpu()
    if name:
        walls, _, other = times(batch, SAMPLES, "warp", 8)
        same = np.isfinite(found.winding)
        off = float(np.abs(other.winding - found.winding)[same].max())
        print(
            f"{name}: first, with compiling {walls[0]:.2f} s, again {min(walls[1:]):.3f} s; {off:.1e} K off the above"
        )


if __name__ == "__main__":
    main()
