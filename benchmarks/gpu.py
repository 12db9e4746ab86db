"""Full motors with controller and delay on a CUDA GPU, every parameter its own for every motor.

python benchmarks/gpu.py            # single steps, by PyTorch
python benchmarks/gpu.py rollouts   # whole runs in one launch, by Warp

Prints a table in Markdown: one replay of a CUDA graph beside eager PyTorch, the share of the copy bandwidth at 8
million motors, and what ten substeps of the control loop in one call cost. It also makes sure that a step never waits
for the host. Steps are compiled side by side, in processes of their own, and measured one after another. Whole runs
are in `gpu_rollouts.py`.
"""

from __future__ import annotations

import datetime
import multiprocessing
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from pathlib import Path

import torch

import backemf as be
from backemf.tree import map_numbers, numbers

sys.path.insert(0, str(Path(__file__).parent))
from full_motor import full_actuator

JOINTS = 12
SMALL, LARGE = (4096, JOINTS), (700_000, JOINTS)
TELEMETRY = {
    "torque": ("torque",),
    "what training reads": (
        "torque", "current", "winding_temperature", "electrical_power", "electrical_energy", "limit",
    ),
    "all telemetry": None,
}  # fmt: skip
"""Outputs that are asked for: the torque alone, six of them, or all."""
DT = 2e-3
Measurement = Generator[None, None, tuple[float, ...]]
"""Yields once, when all that it needs is compiled, and returns its figures."""


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


NOT_NEEDED = ("motor.rotor.inertia", "motor.gearbox.stages.0.inertia")
"""Numbers that a step does not read where the host moves the joint, and has these inertias in its own."""


def bytes_moved(actuator: be.Actuator, replay: Replay) -> int:
    """Bytes that a step has to read and write at least: each number once, of a line one frame in and one out.

    The key of a delay's draws is read alone.
    """
    count = replay.inputs[0].numel()
    read = sum(x.numel() * x.element_size() for x in replay.inputs)
    own = (x for name, x in numbers(actuator) if isinstance(x, torch.Tensor) and name not in NOT_NEEDED)
    read += sum(x.numel() * x.element_size() for x in own)
    both = 0
    for name, x in numbers(replay.state):
        if name == "key":
            read += x.numel() * x.element_size()
        else:
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


# --- what is measured


def disagreement(steps: int = 50) -> Measurement:
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
        # joints and commands that are not known
        given[0][0, :3], given[1][1, :3] = torch.nan, torch.inf
        states[0], out = fast(states[0], *(x.cuda() for x in given), DT)
        states[1], expected = plain(states[1], *(x.numpy() for x in given), DT)
        worst = max(worst, float(abs(out.torque.cpu().numpy() - expected.torque).max()))
        largest = max(largest, float(abs(expected.torque).max()))
    yield
    return worst / largest, copy_bandwidth()


def replay_beside_eager(telemetry: str) -> Measurement:
    """Time of a replay and of an eager step of 49,152 motors [µs]."""
    actuator, options = per_motor(full_actuator(), SMALL), {"telemetry": TELEMETRY[telemetry]}
    replay = Replay(actuator, SMALL, **options)
    never_waits(replay)
    eager = actuator.compile("torch", device="cuda", eager=True, **options)
    state, given = eager.initial(SMALL), inputs(SMALL)
    yield
    return 1e3 * milliseconds(replay, 200), 1e3 * milliseconds(lambda: eager(state, *given, DT), 20)


def large_batch(telemetry: str, substeps: int) -> Measurement:
    """Time of a step of 8.4 million motors [ms], its share of the copy bandwidth, and the bytes each motor moves."""
    actuator = per_motor(full_actuator(substeps=substeps), LARGE)
    replay = Replay(actuator, LARGE, telemetry=TELEMETRY[telemetry])
    yield
    moved = bytes_moved(actuator, replay)
    return milliseconds(replay, 10), share_of_copy(replay, moved), moved / (LARGE[0] * LARGE[1])


Task = tuple[Callable[..., Measurement], tuple[object, ...]]


def in_turn(tasks: Mapping[str, Task]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The figures of each task by its name: all compile side by side, then one after another measures alone."""
    # a process for each is enough
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    spawn = multiprocessing.get_context("spawn")
    places, channels = spawn.Semaphore(os.cpu_count() or 1), {}
    for name, task in tasks.items():
        channels[name], end = spawn.Pipe()
        spawn.Process(target=measure_when_told, args=(*task, end, places), daemon=True).start()
        end.close()
    for count, (name, channel) in enumerate(channels.items(), 1):
        try:
            channel.recv()
        except EOFError:
            sys.exit(f"{name}: its process has ended, with the error above")
        print(f"  compiled {count} of {len(tasks)}", flush=True)
    for name, channel in channels.items():
        channel.send("measure")
        yield name, channel.recv()


def measure_when_told(
    measure: Callable[..., Measurement], arguments: tuple[object, ...], channel: Connection, places: Semaphore
) -> None:
    """A task in its own process."""
    with places:
        steps = measure(*arguments)
        next(steps)
        torch.cuda.synchronize()
    channel.send("ready")
    channel.recv()
    try:
        next(steps)
    except StopIteration as end:
        channel.send(end.value)


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

    add_steps(add)
    print_table(rows)


def add_steps(add: Callable[..., None]) -> None:
    """Measure single steps."""
    tasks: dict[str, Task] = {"exact": (disagreement, ())}
    tasks |= {name: (replay_beside_eager, (name,)) for name in ("torque", "all telemetry")}
    tasks |= {f"{name}, {n} substep{'s'[: n - 1]}": (large_batch, (name, n)) for n in (1, 10) for name in TELEMETRY}
    times = {}
    for task, figures in in_turn(tasks):
        measure, arguments = tasks[task]
        if measure is disagreement:
            add("difference from NumPy over 50 steps, float64", f"{figures[0]:.1e} of the largest torque")
            add("copy bandwidth", f"{figures[1] / 1e12:.2f} TB/s")
            continue
        if measure is replay_beside_eager:
            fast, slow = figures
            add(f"49,152 motors, one CUDA-graph replay, {task}", f"{fast:.1f} µs", "<= 20 µs", fast <= 20)
            times_faster = f"{slow:.0f} µs = {slow / fast:.0f} times"
            add(f"… the same in eager PyTorch, {task}", times_faster, ">= 30", slow / fast >= 30)
            continue
        name, substeps = arguments
        took, share, moved = figures
        times[name, substeps] = took
        count = LARGE[0] * LARGE[1]
        said = f"{took:.3f} ms, {count * substeps / took * 1e3 / 1e9:.0f} billion substeps/s"
        if substeps == 1:
            said += f", {moved:.0f} bytes a motor, {share:.1%} of the copy bandwidth"
            least = 0.95 if name == "torque" else 0.75
            add(f"{count / 1e6:.1f} M motors, {task}", said, f">= {least:.0%}", share >= least)
        else:
            more = took / times[name, 1]
            add(f"{count / 1e6:.1f} M motors, {task}", f"{said}, {more:.2f} times one substep", "<= 3 times", more <= 3)


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
