"""Full motors with controller and delay on a CUDA GPU, every parameter its own for every motor.

python benchmarks/gpu.py            # single steps, by PyTorch
python benchmarks/gpu.py rollouts   # whole runs in one launch, by Warp

Prints a table in Markdown: one replay of a CUDA graph beside eager PyTorch, the share of the copy bandwidth at 8
million motors, and what ten substeps of the control loop in one call cost. It also makes sure that a step never waits
for the host. Whole runs are in `gpu_rollouts.py`.
"""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace
from pathlib import Path

import torch

import backemf as be
from backemf.tree import map_numbers, numbers

sys.path.insert(0, str(Path(__file__).parent))
from full_motor import full_actuator

JOINTS = 12
TELEMETRY = {
    "torque": ("torque",),
    "what training reads": (
        "torque", "current", "winding_temperature", "electrical_power", "electrical_energy", "limit",
    ),
    "all telemetry": None,
}  # fmt: skip
"""Outputs that are asked for: the torque alone, six of them, or all."""
DT = 2e-3


def per_motor(actuator: be.Actuator, shape: tuple[int, int]) -> be.Actuator:
    """The actuator with every number as an array of the batch, none of them equal."""
    torch.manual_seed(0)

    def own(x):
        return x * (1.0 + 0.05 * torch.rand(shape, device="cuda"))

    delay = actuator.delay
    return replace(map_numbers(replace(actuator, delay=None), own), delay=delay)


def inputs(shape: tuple[int, int]) -> list[torch.Tensor]:
    torch.manual_seed(1)
    return [torch.randn(shape, device="cuda") * scale for scale in (0.5, 0.5, 2.0)]


class Replay:
    """One step of a batch, captured as a CUDA graph."""

    def __init__(self, actuator: be.Actuator, shape: tuple[int, int], **options):
        self.step = actuator.compile("torch", device="cuda", in_place=True, **options)
        self.state = self.step.initial(shape)
        self.inputs = inputs(shape)
        for _ in range(3):
            self.call()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.call()

    def call(self):
        self.state, out = self.step(self.state, *self.inputs, DT)
        return out

    def __call__(self):
        self.graph.replay()


def milliseconds(call, repeats: int = 50, rounds: int = 5) -> float:
    """Shortest time of a call on the GPU [ms]."""
    call()
    best = float("inf")
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(repeats):
            call()
        end.record()
        torch.cuda.synchronize()
        best = min(best, begin.elapsed_time(end) / repeats)
    return best


def copy_bandwidth(size: int = 2**30) -> float:
    """Bytes per second that a plain copy reads and writes."""
    source = torch.randn(size // 4, device="cuda")
    target = torch.empty_like(source)
    return 2 * size / (milliseconds(lambda: target.copy_(source), 20) * 1e-3)


def share_of_copy(replay: Replay, moved: int, rounds: int = 15) -> float:
    """Bytes per second of a step over those of a plain copy, the median of rounds in which both take turns.

    The speed of the memory changes by a percent from one moment to the next.
    """
    source = torch.randn(2**28, device="cuda")
    target = torch.empty_like(source)
    found = []
    for _ in range(rounds):
        copied = milliseconds(lambda: target.copy_(source), 10, 1)
        took = milliseconds(replay, 10, 1)
        found.append(moved / took / (8 * source.numel() / copied))
    return sorted(found)[rounds // 2]


def bytes_moved(actuator: be.Actuator, replay: Replay) -> int:
    """Bytes that a step has to read and write at least: each number once, of a line one frame in and one out."""
    count = replay.inputs[0].numel()
    read = sum(x.numel() * x.element_size() for x in replay.inputs)
    read += sum(x.numel() * x.element_size() for _, x in numbers(actuator) if isinstance(x, torch.Tensor))
    both = 0
    for name, x in numbers(replay.state):
        both += x.element_size() * (count if name.endswith("_line") else x.numel())
    written = sum(x.numel() * x.element_size() for _, x in numbers(replay.out) if isinstance(x, torch.Tensor))
    return read + 2 * both + written


def never_waits(replay: Replay) -> None:
    """Raise if a step makes the host wait for the device."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        replay.call()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def disagreement(steps: int = 50) -> float:
    """Largest difference from the NumPy engine over some steps in float64, over the largest torque."""
    shape = (64, JOINTS)
    actuator = full_actuator()
    fast = actuator.compile("torch", device="cuda", dtype=torch.float64)
    plain = actuator.compile("numpy")
    states = [fast.initial(shape), plain.initial(shape)]
    torch.manual_seed(2)
    worst = largest = 0.0
    for _ in range(steps):
        given = [torch.randn(shape, dtype=torch.float64) for _ in range(3)]
        states[0], out = fast(states[0], *(x.cuda() for x in given), DT)
        states[1], expected = plain(states[1], *(x.numpy() for x in given), DT)
        worst = max(worst, float(abs(out.torque.cpu().numpy() - expected.torque).max()))
        largest = max(largest, float(abs(expected.torque).max()))
    return worst / largest


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("benchmarks/gpu.py needs a CUDA GPU and PyTorch with CUDA")
    rows = []

    def add(what: str, value: str, goal: str = "", met: bool | None = None) -> None:
        rows.append((what, value, goal if met is None else f"{goal}: {'met' if met else 'MISSED'}"))
        print(f"  {what}: {value} {goal}", flush=True)

    if sys.argv[1:] == ["rollouts"]:
        from gpu_rollouts import measure

        measure(add)
        print_table(rows)
        return

    small, large = (4096, JOINTS), (700_000, JOINTS)
    add("difference from NumPy over 50 steps, float64", f"{disagreement():.1e} of the largest torque")
    bandwidth = copy_bandwidth()
    add("copy bandwidth", f"{bandwidth / 1e12:.2f} TB/s")

    # 49,152 motors: one replay beside eager PyTorch
    actuator = per_motor(full_actuator(), small)
    for name in ("torque", "all telemetry"):
        options = {"telemetry": TELEMETRY[name]}
        replay = Replay(actuator, small, **options)
        never_waits(replay)
        fast = milliseconds(replay, 200) * 1e3
        add(f"49,152 motors, one CUDA-graph replay, {name}", f"{fast:.1f} µs", "<= 20 µs", fast <= 20)
        eager = actuator.compile("torch", device="cuda", eager=True, **options)
        state, given = eager.initial(small), inputs(small)

        def slow_step(eager=eager, state=state, given=given):
            return eager(state, *given, DT)

        slow = milliseconds(slow_step, 20) * 1e3
        add(
            f"  the same in eager PyTorch, {name}",
            f"{slow:.0f} µs = {slow / fast:.0f} times",
            ">= 30",
            slow / fast >= 30,
        )

    # 8 million motors: the share of the copy bandwidth, and what more substeps cost
    times = {}
    for substeps in (1, 10):
        for name, telemetry in TELEMETRY.items():
            actuator = per_motor(full_actuator(substeps=substeps), large)
            replay = Replay(actuator, large, telemetry=telemetry)
            took = times[name, substeps] = milliseconds(replay, 10)
            count = large[0] * large[1]
            what = f"{count / 1e6:.1f} M motors, {name}, {substeps} substep{'s' if substeps > 1 else ''}"
            rate = f"{count * substeps / took * 1e3 / 1e9:.0f} billion substeps/s"
            if substeps == 1:
                moved = bytes_moved(actuator, replay)
                share = share_of_copy(replay, moved)
                each = f"{took:.3f} ms, {rate}, {moved / count:.0f} bytes a motor, {share:.1%} of the copy bandwidth"
                least = 0.95 if name == "torque" else 0.75
                add(what, each, f">= {least:.0%}", share >= least)
            else:
                more = took / times[name, 1]
                add(what, f"{took:.2f} ms, {rate}, {more:.2f} times one substep", "<= 3 times", more <= 3)
            del replay, actuator
            torch.cuda.empty_cache()

    print_table(rows)


def print_table(rows: list[tuple[str, str, str]]) -> None:
    """Print the figures in Markdown; exit with 1 if a goal is missed."""
    print(f"\nMeasured on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {datetime.date.today()}:\n")
    print("| | measured | goal |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(x.strip() for x in row)} |")
    if any(row[2].endswith("MISSED") for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
