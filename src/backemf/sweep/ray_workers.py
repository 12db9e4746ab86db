"""Where parts are computed with Ray: on the machines of a cluster.

Ray decides what runs where, restarts what a machine took with it, and hands back the parts. This module says what a
task is, and how many there may be at once.
"""

from __future__ import annotations

import contextlib
import re
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from time import monotonic
from types import TracebackType

from ..checks import quote
from ..errors import MissingExtraError, ParameterError
from ..values import Module
from ..version import __version__
from .part import Job, PartDone, Refused
from .workers import AHEAD, bound_threads

RETRIES = 5
"""How often a part is begun again that ended with its machine or its process [1]."""
PATIENCE = 5.0
"""How long the address of a cluster may take to answer [s]."""
NEWS = 10.0
"""How often the cluster is asked how large it is [s]."""


class RayTasks:
    """A task of Ray for each part, with one processor.

    Parts come back to the process that sweeps, which writes them: a cluster need not share a disk, there is one writer
    of the folder, and a full disk is noticed where it is.
    """

    def __init__(self, job: Job, address: str):
        self._ray = _require_ray()
        self._address, self._job = _checked(address), job
        self._parts: dict[Module, int] = {}
        self._seen, self._processors = -NEWS, 1

    def __enter__(self) -> RayTasks:
        ray = self._ray
        self._own = not ray.is_initialized()
        if self._own:
            try:
                context = ray.init(address=self._address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, RuntimeError, ValueError, OSError) as error:
                raise _unreachable(self._address, str(error).split("\n")[0]) from None
            shown = getattr(context, "dashboard_url", None)
            if shown:
                print(f"Ray dashboard: http://{shown}", file=sys.stderr)
        self._payload = ray.put(ray.cloudpickle.dumps(self._job))
        task = ray.remote(_task(__version__, bound_threads({})))
        self._task = task.options(num_cpus=1, max_retries=RETRIES)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for each in self._parts:
            with contextlib.suppress(Exception):
                self._ray.cancel(each, force=True)
        self._parts.clear()
        if self._own:
            self._ray.shutdown()

    def width(self) -> int:
        """Some more than the cluster has processors, which may come and go."""
        now = monotonic()
        if now - self._seen >= NEWS:
            self._seen = now
            self._processors = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return AHEAD * self._processors

    def submit(self, part: int) -> None:
        """Hand a part to Ray."""
        self._parts[self._task.remote(self._payload, part)] = part

    def finished(self) -> list[PartDone | Refused]:
        """Wait for one or more parts."""
        done, _ = self._ray.wait(list(self._parts), num_returns=1, timeout=None)
        found = []
        for each in done:
            part = self._parts.pop(each)
            try:
                answer = self._ray.get(each)
            except (
                self._ray.exceptions.WorkerCrashedError,
                self._ray.exceptions.NodeDiedError,
                self._ray.exceptions.OutOfMemoryError,
                self._ray.exceptions.ObjectLostError,
            ) as error:
                raise ParameterError(
                    f"sweep: part {part} ended its worker {RETRIES + 1} times ({type(error).__name__}): its memory may "
                    "be too small or one of its cases crashes; give smaller parts with part=, or leave that case out"
                ) from None
            except self._ray.exceptions.RaySystemError as error:
                raise ParameterError(f"sweep: Ray cannot run a part: {str(error).splitlines()[0]}") from None
            found.append(Refused(answer) if isinstance(answer, str) else PartDone(*answer))
        return found


def _task(version: str, threads: dict[str, str]) -> Callable[[bytes, int], object]:
    """The task as Ray sends it: by its code, so that a machine without backemf can say so."""

    def run(payload: bytes, part: int) -> object:
        import os
        import pickle
        import platform

        os.environ.update(threads)
        here = platform.node()
        wanted = f"pip install 'backemf[ray]=={version}' on every machine of the cluster"
        try:
            from backemf.version import __version__ as found
        except ImportError:
            return f"sweep: the machine {here} of the Ray cluster has no backemf: {wanted}"
        if found != version:
            return f"sweep: the machine {here} of the Ray cluster has backemf {found}, and this one {version}: {wanted}"
        from backemf.engines.machine_code import limit_processors
        from backemf.sweep.part import PartDone, run_part

        limit_processors(1)
        try:
            job = pickle.loads(payload)
        except ImportError as error:
            return (
                f"sweep: the machine {here} of the Ray cluster cannot load the function ({error}): install that there, "
                "or define the function in the program that calls sweep"
            )
        done = run_part(job, part)
        if isinstance(done, PartDone):
            return done.part, done.rows, done.failed, done.content
        return f"on the machine {here} of the Ray cluster: {done.sentence}"

    return run


def _require_ray() -> Module:
    try:
        ray: Module = import_module("ray")
        import_module("ray.cloudpickle")
        import_module("ray.exceptions")
    except ModuleNotFoundError:
        raise MissingExtraError("ray", "ray", "A sweep on a cluster") from None
    return ray


def _checked(address: object) -> str:
    """An address at which something answers; Ray itself waits minutes for one that is not there."""
    if not isinstance(address, str) or not address.strip():
        raise ParameterError(f'ray = {quote(address)}: must be "auto", or the address of a cluster, as in "head:6379"')
    found = re.fullmatch(r"(?:ray://)?(\[[0-9a-fA-F:]+\]|[^:/\s]+):(\d{1,5})", address.strip())
    if address in ("auto", "local") or found is None:
        if address != "auto":
            raise ParameterError(f'ray = {quote(address)}: must be "auto", or an address with its port: "head:6379"')
        return address
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, getattr(error, "strerror", None) or str(error)) from None
    return address.strip()


def _unreachable(address: str, why: str) -> ParameterError:
    start = "start one with `ray start --head`" if address == "auto" else "look at `ray status` on its head"
    return ParameterError(f"ray = {address!r}: no Ray cluster answers there ({why.rstrip('. ')[:200]}): {start}")
