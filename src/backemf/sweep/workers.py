"""Where parts are computed without Ray: in this process, or in processes on the cores of this machine."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Protocol

from ..engines.machine_code import limit_processors, processors
from ..errors import ParameterError
from .part import Job, PartDone, Refused, run_part

AHEAD = 2
"""Parts that are under way for each worker, so that none waits for the next [1]."""
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
"""What keeps the libraries of a worker on one core, since there is a worker for each."""


class Workers(Protocol):
    """Where parts are computed; what is under way is bounded, so that 1e9 cases are no list of 1e9 things."""

    def __enter__(self) -> Workers: ...
    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def width(self) -> int:
        """How many parts may be under way."""
        ...

    def submit(self, part: int) -> None:
        """Begin a part."""
        ...

    def finished(self) -> list[PartDone | Refused]:
        """Parts that have ended since, at least one."""
        ...


class ThisProcess:
    """Parts one after the other, in this process."""

    def __init__(self, job: Job):
        self._job = job
        self._waiting: list[int] = []

    def __enter__(self) -> ThisProcess:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def width(self) -> int:
        """One."""
        return 1

    def submit(self, part: int) -> None:
        """Remember a part."""
        self._waiting.append(part)

    def finished(self) -> list[PartDone | Refused]:
        """Compute it."""
        return [run_part(self._job, self._waiting.pop(0))]


class Processes:
    """A process for each core. They are started anew, not forked: libraries with threads do not survive a fork."""

    def __init__(self, job: Job, count: int):
        self._count = count
        try:
            self._payload = pickle.dumps(job)
        except Exception as error:  # whatever an object says that cannot be pickled
            raise ParameterError(
                f"sweep: the function cannot be sent to other processes ({error}): define it at the top of a module, "
                "or give workers=1"
            ) from None
        self._under_way: set[Future[PartDone | Refused]] = set()

    def __enter__(self) -> Processes:
        context = get_context("spawn")
        # workers end when the other end of this pipe is closed, by us or since this process is gone
        reader, self._leash = context.Pipe(duplex=False)
        self._reader = reader
        self._threads = _one_thread()
        self._threads.__enter__()
        self._pool = ProcessPoolExecutor(self._count, context, _begin, (self._payload, reader))
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is not None:
                self._leash.close()
            self._pool.shutdown(wait=True, cancel_futures=True)
        finally:
            self._leash.close()
            self._reader.close()
            self._threads.__exit__(None, None, None)

    def width(self) -> int:
        """Some more than there are processes."""
        return AHEAD * self._count

    def submit(self, part: int) -> None:
        """Hand a part to a process."""
        try:
            self._under_way.add(self._pool.submit(_run, part))
        except BrokenProcessPool:
            raise _ended() from None

    def finished(self) -> list[PartDone | Refused]:
        """Wait for one or more parts."""
        done, self._under_way = wait(self._under_way, return_when=FIRST_COMPLETED)
        try:
            return [each.result() for each in done]
        except BrokenProcessPool:
            raise _ended() from None


def _ended() -> ParameterError:
    return ParameterError(
        "sweep: a worker has ended: it was killed, perhaps for its memory, it crashed, or the program that calls "
        'sweep lacks its `if __name__ == "__main__":`; give fewer workers=, or smaller parts with part='
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that are started inside have libraries with one thread each."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(bound_threads(dict(os.environ)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def bound_threads(known: dict[str, str]) -> dict[str, str]:
    """Settings of the environment with one thread each; flags of XLA that are there stay."""
    flags = f"{known.get('XLA_FLAGS', '')} {ONE_THREAD['XLA_FLAGS']}".strip()
    return ONE_THREAD | {"XLA_FLAGS": flags}


def core_count() -> int:
    """Cores that this process may use."""
    return len(processors())


# --- in a worker

_jobs: list[Job] = []


def _begin(payload: bytes, leash: Connection) -> None:
    """Prepare a process: what it computes, on one core, until the sweep ends it."""
    # Ctrl-C is for the process that sweeps, which then lets go of the leash
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(leash,), daemon=True).start()
    limit_processors(1)
    _jobs[:] = [pickle.loads(payload)]


def _follow(leash: Connection) -> None:
    try:
        leash.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


def _run(part: int) -> PartDone | Refused:
    return run_part(_jobs[0], part)
