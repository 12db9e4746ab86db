"""Sweeps: any function over a space of cases, on the cores of this machine or on a cluster."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import numpy as np

from .. import files
from ..checks import quote, require_seed
from ..errors import BackemfError, ParameterError
from ..progress import progress_bar
from ..recording_writing import require_pyarrow
from ..values import Foreign
from .functions import make_swept
from .manifest import (
    MOST_PARTS,
    PARTS,
    Progress,
    find_parts,
    hash_of,
    locked,
    part_path,
    read_manifest,
    require_empty,
    require_same,
    write_manifest,
)
from .part import Job, PartDone
from .result import Sweep, read_sweep
from .space import Space
from .swept import Function, Swept
from .workers import Processes, ThisProcess, Workers, core_count

FEWEST = 256
"""Parts that a sweep is split into if it is short, so that many workers have something to do [1]."""
NOTED = 10.0
"""How often the manifest says how far a sweep is [s]."""


def sweep(
    function: Function | Swept | str,
    space: Space,
    out: str | Path,
    *,
    ray: str | None = None,
    seed: int = 0,
    part: int | None = None,
    workers: int | None = None,
    progress: bool = True,
    **settings: Foreign,
) -> Sweep:
    """Compute every case of a space, and keep the answers as a table in parts.

    A sweep that was stopped goes on where it was, when it is called again with the same. A case that fails is a row
    with its sentence. The same seed gives the same rows, whatever computes them.

    Args:
        function: A function from a `Case` to a dict of numbers, truths and texts; or "simulate", "identify" or "size".
        space: What varies, and how.
        out: Folder for the parts and the manifest.
        ray: None: the cores of this machine. "auto": the Ray cluster that runs here, or whose address is in the
            variable RAY_ADDRESS. Else the address of a cluster, such as "head:6379".
        seed: Random seed of what is drawn.
        part: Cases of a part, which one worker computes and one file holds; None: by the number of cases.
        workers: Processes on this machine; None: one for each core, 1: this process itself.
        progress: Show a progress bar, with the time that is left.
        settings: What a function by name takes: "simulate" a motor, load, command, duration and dt, and what else
            stands before the motor, such as a supply; "identify" a motor and a rig; "size" a task and candidates.
    """
    if not isinstance(space, Space):
        raise ParameterError(
            f"sweep: space = {quote(space)}: must be a Space, such as Space({{'load.inertia': [...]}})"
        )
    if not isinstance(out, (str, Path)) or not str(out):
        raise ParameterError(f"sweep: out = {quote(out)}: must be the folder for its parts, such as 'runs'")
    seed = require_seed("sweep", seed)
    for name, count in (("part", part), ("workers", workers)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1):
            raise ParameterError(f"sweep: {name} = {quote(count)}: must be a whole number, 1 or more")
    if ray is not None and workers is not None:
        raise ParameterError("sweep: workers are processes of this machine, and with ray= Ray has its own; give one")
    require_pyarrow("A sweep")
    swept = make_swept(function, settings)
    swept.check(space)
    folder = Path(out)
    hash = hash_of(swept.name, swept.fingerprint(), space.described(), int(seed))
    known = read_manifest(folder)
    if known is None:
        require_empty(folder)
    else:
        require_same(folder, known, hash)
        if part not in (None, known["part"]):
            raise ParameterError(f"{folder}: was begun with part={known['part']}, not {part}; leave part out")
    size = int(part or (known["part"] if known else part_size(space.cases, swept.together, swept.part)))
    job = Job(swept, space, int(seed), size, hash)
    if job.parts > MOST_PARTS:
        raise ParameterError(f"sweep: part = {size}: {space.cases} cases are {job.parts} files; give larger parts")
    files.make_folder(folder / PARTS)
    with locked(folder):
        found = find_parts(folder, job.parts, size, space.cases, hash, clean=True)
        write_manifest(folder, job, found)
        if found.count < job.parts:
            _compute(job, folder, found, _workers(job, ray, workers, job.parts - found.count), progress)
            write_manifest(folder, job, found)
    return read_sweep(folder)


def part_size(cases: int, fewest: int, most: int) -> int:
    """Cases of a part where nobody says otherwise: it does not depend on who computes them."""
    return min(cases, max(fewest, min(most, -(-cases // FEWEST))))


def _workers(job: Job, ray: str | None, workers: int | None, parts: int) -> Workers:
    if ray is not None:
        from .ray_workers import RayTasks

        return RayTasks(job, ray)
    count = min(workers or core_count(), parts)
    return ThisProcess(job) if count == 1 else Processes(job, count)


def _compute(job: Job, folder: Path, found: Progress, workers: Workers, progress: bool) -> None:
    """Compute every part that is not there, and write each as it comes."""
    left, missing = job.space.cases - found.rows, found.open_parts()
    label = f"sweep, {found.rows} of {job.space.cases} cases were done" if found.rows else "sweep"
    noted, under_way, more = monotonic(), 0, True
    try:
        with progress_bar(label, left if progress else 0) as advance, workers:
            while more or under_way:
                while more and under_way < workers.width():
                    part = next(missing, None)
                    more = part is not None
                    if part is not None:
                        workers.submit(part)
                        under_way += 1
                if not under_way:
                    break
                for done in workers.finished():
                    under_way -= 1
                    if not isinstance(done, PartDone):
                        raise ParameterError(done.sentence)
                    files.write_bytes(part_path(folder, done.part), done.content)
                    found.add(done.part, done.rows, done.failed)
                    advance(done.rows)
                if monotonic() - noted > NOTED:
                    noted = monotonic()
                    write_manifest(folder, job, found)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; {_kept(folder, found)}") from None
    except BackemfError as error:
        raise ParameterError(f"{error}; {_kept(folder, found)}") from None


def _kept(folder: Path, found: Progress) -> str:
    return f"{found.count} of {len(found.done)} parts are in {folder}, and the same sweep goes on from there"
