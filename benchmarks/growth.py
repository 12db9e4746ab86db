"""How time and memory grow with motors and with steps; each point is a process of its own.

python benchmarks/growth.py [--most-motors 1e7] [--most-steps 1e8] [--json FILE] [--picture FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).parent))
from figures import processor

MOTOR = "maxon-re40-148877"
STEPS_OF_MOTORS = 100
"""Steps of a run of many motors, of which the last is recorded."""
BEGIN = """
import resource, sys, time
import numpy as np
import backemf as be
motor, load, size = be.load({motor!r}), be.Inertia(inertia=1e-5), int(float(sys.argv[1]))
volts = be.commands.Sine(amplitude=24.0, frequency=3.0)
def run(size):
    {call}
run(min(size, {small}))
before, began = time.process_time(), time.perf_counter()
run(size)
after = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(size, after - before, time.perf_counter() - began, peak)
"""
MOTORS = "be.simulate(motor, load, be.commands.Constant(np.linspace(12.0, 24.0, size)), 1e-2, 1e-4, every=100)"
STEPS = "be.simulate(motor, load, volts, size * 1e-4, 1e-4, to=sys.argv[2], channels=('position', 'current'))"
KEPT = "be.simulate(motor, load, volts, size * 1e-4, 1e-4)"
KINDS = {"motors": MOTORS, "steps, to a file": STEPS, "steps, kept": KEPT}
SMALL = 100
"""Size of a run for which the same code is compiled as for all larger ones."""


def point(kind: str, size: float) -> dict[str, float]:
    """CPU time [s], time on the clock [s] and peak of the memory [bytes] of one run, after a small one.

    What is compiled for it is kept on disk by a process before.
    """
    program = BEGIN.format(motor=MOTOR, call=KINDS[kind], small=SMALL)
    with tempfile.TemporaryDirectory() as folder:
        for wanted in (min(size, SMALL), size):
            words = [sys.executable, "-c", program, f"{wanted:g}", str(Path(folder) / "run.parquet")]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
    count, cpu, clock, peak = map(float, done.stdout.split())
    return {"size": count, "cpu": cpu, "clock": clock, "memory": peak}


def decades(first: float, most: float) -> list[float]:
    """Powers of ten from one number to another."""
    found = [first]
    while found[-1] * 10 <= most * 1.001:
        found.append(found[-1] * 10)
    return found


def draw(found: dict[str, list[dict[str, float]]], path: Path) -> None:
    """Time and memory over motors and over steps, both logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from backemf.plot.style import BLUE, ORANGE, look

    with look():
        figure, axes = plt.subplots(2, 2, figsize=(6.8, 4.6), layout="constrained")
        panels = (
            (0, "motors", {"motors": BLUE}, f"motors, {STEPS_OF_MOTORS} steps each"),
            (1, "steps", {"steps, to a file": BLUE, "steps, kept": ORANGE}, "steps of one motor"),
        )
        names = {"motors": "", "steps, to a file": "to a file", "steps, kept": "kept in memory"}
        for column, _, kinds, label in panels:
            for kind, colour in kinds.items():
                rows = found[kind]
                sizes = [row["size"] for row in rows]
                style = {"color": colour, "marker": "o", "markersize": 3, "label": names[kind]}
                axes[0, column].loglog(sizes, [row["cpu"] for row in rows], **style)
                axes[1, column].loglog(sizes, [row["memory"] / 2**20 for row in rows], **style)
            axes[1, column].set_xlabel(label)
            axes[1, column].set_ylim(50.0, 20000.0)
        axes[0, 0].set_ylabel("CPU time [s]")
        axes[1, 0].set_ylabel("peak memory [MiB]")
        axes[1, 1].legend()
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most-motors", type=float, default=1e7)
    parser.add_argument("--most-steps", type=float, default=1e8)
    parser.add_argument("--most-kept", type=float, default=1e7)
    parser.add_argument("--json", type=Path, help="also write the points to this file")
    parser.add_argument("--from-json", type=Path, help="draw points that were measured before")
    parser.add_argument("--picture", type=Path, help="draw them, e.g. docs/images/growth.svg")
    given = parser.parse_args()
    console = Console()
    if given.from_json:
        found = json.loads(given.from_json.read_text())
    else:
        sizes = {
            "motors": decades(1, given.most_motors),
            "steps, to a file": decades(1000, given.most_steps),
            "steps, kept": decades(1000, given.most_kept),
        }
        found = {}
        for kind, each in sizes.items():
            found[kind] = []
            for size in each:
                with console.status(f"{kind}: {size:g}"):
                    row = point(kind, size)
                found[kind].append(row)
                console.print(
                    f"{kind:18} {size:8.0e}  {row['cpu']:9.4f} s CPU  {row['clock']:8.2f} s  "
                    f"{row['memory'] / 2**20:7.0f} MiB"
                )
    console.print(processor())
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    if given.picture:
        draw(found, given.picture)


if __name__ == "__main__":
    main()
