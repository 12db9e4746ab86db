"""From a task to motors: every candidate run backwards through the cycle of every joint."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ..actuator import Actuator
from ..catalog import ids
from ..errors import ParameterError
from ..motor import Motor
from ..progress import progress_bar
from ..units import format_quantity
from .candidates import Batch, Candidates, LeftOut
from .cycle import Cycle
from .evaluation import CHUNK, evaluate
from .found import Found
from .joint_found import JointFound, Share
from .springs import best_springs
from .task import Task
from .verdict import checks_of, lacks_of

ROUNDS = 12
"""Most times that joints on one supply are sized again with what the others draw [1]."""


def size(
    task: Task | str | Path,
    candidates: Candidates | Motor | Actuator | Iterable[Motor | Actuator | str | Path] | str | Path | None = None, *,
    engine: str | None = None,
) -> Found:  # fmt: skip
    """Find the motors and gears that can do a task.

    Args:
        task: A `Task`, or the path of its TOML file.
        candidates: `Candidates`; motors, actuators, catalogue ids or paths of motor files; or a folder with motor files
            or with a catalogue that `backemf catalogue import` has written. None: the catalogue that comes with
            backemf.
        engine: "native" (machine code), "numpy", or "warp" (a thread per pair, on a GPU where there is one); None: the
            faster one of the first two.
    """
    if engine not in (None, "native", "numpy", "warp"):
        raise ParameterError(f"engine = {engine!r}: sizing runs on 'native', 'numpy' or 'warp'")
    if isinstance(task, (str, Path)):
        task = Task.read(task)
    if not isinstance(task, Task):
        raise ParameterError(f"size({type(task).__name__}): the first argument must be a Task or the path of one")
    known = _candidates(candidates)
    if task.gears is not None:
        known = known.with_gears(task.gears)
    if not len(known):
        raise ParameterError(f"there are no candidates: {len(known.left_out)} were left out; {_first(known.left_out)}")
    cycles = task.cycles()
    joints = {name: _size_joint(task, cycle, known, 0.0, engine) for name, cycle in cycles.items()}
    if len(joints) > 1:
        joints = _size_together(task, cycles, known, joints, engine)
    _require_candidates(task, joints)
    return Found(task, joints, known.source)


def _size_together(
    task: Task, cycles: dict[str, Cycle], known: Candidates, joints: dict[str, JointFound], engine: str | None
) -> dict[str, JointFound]:
    """The joints again with what the best of the others draw from the same supply, until the best stay the same.

    Where choices go round in a circle, a joint is sized for the most that the others draw in any of them.
    """
    powers: dict[str, np.ndarray] = {}
    tried: list[list[str]] = []
    for _ in range(ROUNDS):
        best = [found.best.name if len(found) else "" for found in joints.values()]
        if tried and best == tried[-1]:
            break
        drawn = {name: _power(found) for name, found in joints.items()}
        powers = {name: np.maximum(powers[name], drawn[name]) for name in drawn} if best in tried else drawn
        tried.append(best)
        for name, cycle in cycles.items():
            others = _together({other: powers[other] for other in powers if other != name}, cycles, cycle)
            joints = {**joints, name: _size_joint(task, cycle, known, others, engine)}
    return joints


def _candidates(
    given: Candidates | Motor | Actuator | Iterable[Motor | Actuator | str | Path] | str | Path | None,
) -> Candidates:
    if given is None:
        return Candidates.catalogue()
    if isinstance(given, Candidates):
        return given
    if isinstance(given, (str, Path)) and not Path(given).is_dir() and (Path(given).is_file() or str(given) in ids()):
        return Candidates.of([given])
    if isinstance(given, (str, Path)):
        return Candidates.read(given)
    return Candidates.of([given] if isinstance(given, (Motor, Actuator)) else given)


def _size_joint(
    task: Task, cycle: Cycle, known: Candidates, other_power: np.ndarray | float, engine: str | None
) -> JointFound:
    """Every pair along the cycle of one joint."""
    left, shares = list(known.left_out), []
    joint = task.joints[cycle.name]
    if joint.slide is not None:
        known = known.on_slide(joint.slide)
    with progress_bar(cycle.name, len(known)) as done:
        for whole in known.batches:
            batch = _complete(task, whole, left)
            for first in range(0, len(batch), CHUNK):
                some = batch if len(batch) <= CHUNK else batch.take(np.arange(first, min(first + CHUNK, len(batch))))
                count = len(some)
                spring = best_springs(some.motor, count, cycle, engine) if joint.spring else None
                found = evaluate(
                    some.motor, count, cycle, task.supply, task.ambient, task.mounting, spring, other_power,
                    float(joint.gear_exponent), engine,
                )  # fmt: skip
                shares.append(Share(some, found, checks_of(task, some, cycle, found), spring))
                done(count)
    return JointFound(task, cycle, shares, tuple(left))


def _complete(task: Task, batch: Batch, left: list[LeftOut]) -> Batch:
    """The pairs of a batch that state what the task needs; the others are left out by name."""
    keep = np.ones(len(batch), dtype=bool)
    for reason, lacks in lacks_of(task, batch).items():
        for k in np.flatnonzero(lacks & keep):
            left.append(LeftOut(batch.name(int(k)), reason))
        keep &= ~lacks
    return batch if keep.all() else batch.take(np.flatnonzero(keep))


def _power(found: JointFound) -> np.ndarray:
    """Power that the best pair of a joint draws in each cell [W]; nothing where there is none."""
    return found.trace(0).power if len(found) else np.zeros(len(found.cycle.torque))


def _together(powers: dict[str, np.ndarray], cycles: dict[str, Cycle], cycle: Cycle) -> np.ndarray | float:
    """What others draw in each cell of a cycle: at the same time where they move alike, else their peaks [W]."""
    total: np.ndarray | float = 0.0
    for name, power in powers.items():
        other = cycles[name].cells.dt
        alike = len(other) == len(cycle.cells.dt) and np.allclose(other, cycle.cells.dt, rtol=1e-9)
        total = total + (power if alike else max(float(power.max(initial=0.0)), 0.0))
    return total


def _require_candidates(task: Task, joints: dict[str, JointFound]) -> None:
    """Raise `ParameterError` where no candidate of a joint is complete, or the supply is too weak for every one."""
    for name, found in joints.items():
        if not found.count:
            raise ParameterError(
                f"joint {name!r}: none of {len(found.left_out)} candidates states what the task needs; "
                f"{_first(found.left_out)}"
            )
        if len(found):
            continue
        voltage, spare = found.figure("voltage"), found.figure("spare_voltage")
        if (spare < 0.0).all():
            k = int(np.argmax(spare))
            needs = float(task.supply.voltage) - float(spare[k])
            share, place = found.place(k)
            raise ParameterError(
                f"joint {name!r}: the supply of {format_quantity(float(task.supply.voltage), 'V', 3)} is too weak for "
                f"each of {found.count} candidates; {share.batch.name(place)} needs least, "
                f"{format_quantity(float(voltage[k]), 'V', 3)} at its terminals and a supply of about "
                f"{format_quantity(needs, 'V', 3)}"
            )


def _first(left: tuple[LeftOut, ...]) -> str:
    return f"the first, {left[0].name}: {left[0].reason}" if left else "the folder is empty"
