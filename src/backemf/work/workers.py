"""Long work in processes of its own: bounded in time and memory, one turn for each session, ended with its awaitable.

A function is named, never sent: a process looks the name up in the table `JOBS` of one module, and what goes there and
comes back is JSON. A process that fails, is killed or takes too much gives one sentence, and the next job a new one.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import struct
import sys
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from ..errors import BackemfError, ParameterError
from ..files import read_text
from ..values import Json

LENGTH = struct.Struct(">Q")
"""What stands before each message: its length [bytes]."""
LARGEST_MESSAGE = 256_000_000
"""Longest message of a process [bytes]."""
MOST_WAITING = 8
"""Most jobs of one session at a time, those that wait included [1]."""
KEPT_MEGABYTES = 600
"""A process that has grown larger than this is not used again [MB]."""
IDLE_SECONDS = 120.0
"""How long a process waits for its next job [s]."""

Progress = Callable[[Mapping[str, Json]], None]
"""Called with what a job says while it runs: label, done, total and word; or waiting, the number of jobs before it."""


class WorkError(BackemfError):
    """Work that was ended before its end; the message says why and what to do."""


@dataclass(frozen=True)
class Job:
    """A function that a process may run, and what it may take."""

    function: Callable[[dict[str, Json], Progress], Json]
    """What is run, with what the page sends and a function that tells progress."""
    seconds: float = 60.0
    """Longest time, without that in the queue [s]."""
    megabytes: int = 2000
    """Most memory [MB]."""
    long: bool = False
    """Whether it takes minutes: such jobs have processes of their own, so that short ones do not wait for them."""


class Workers:
    """Processes for jobs: `await workers.run("identify", payload)`."""

    def __init__(self, table: str, long: int | None = None, short: int = 2):
        """`table` is the module whose `JOBS` are run; `long` and `short` are how many of each run at once."""
        self.table = table
        self._lanes = {True: _Lane(long or max(1, os.cpu_count() or 1)), False: _Lane(short)}
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._ending: set[asyncio.Task[None]] = set()

    async def run(
        self,
        name: str,
        payload: Mapping[str, Json],
        *,
        progress: Progress | None = None,
        seconds: float | None = None,
        megabytes: int | None = None,
        owner: str = "",
    ) -> Json:
        """What a job answers; cancel the awaitable to end its process.

        Args:
            name: Name of the job in the table.
            payload: What it works on.
            progress: Called with what it says while it runs.
            seconds: Longest time once it runs; None: that of the table [s].
            megabytes: Most memory; None: that of the table [MB].
            owner: Whose job it is: sessions take turns.
        """
        jobs: dict[str, Job] = importlib.import_module(self.table).JOBS
        if name not in jobs:
            raise ParameterError(f"{name!r}: there is no such job; there are {', '.join(jobs)}")
        tell = progress or (lambda message: None)
        limit = seconds or jobs[name].seconds
        most = megabytes or jobs[name].megabytes
        async with self._lanes[jobs[name].long].turn(owner, tell):
            process = await self._process()
            self._busy.add(process)
            try:
                answer = await asyncio.wait_for(process.ask(name, payload, most, tell), limit)
            except TimeoutError:
                raise WorkError(
                    f"{name}: stopped after {limit:g} s, the most it may take; give it less, or use the command line"
                ) from None
            finally:
                self._busy.discard(process)
                self._give_back(process)
        if "failed" in answer:
            raise WorkError(str(answer["failed"]))
        return answer.get("answer")

    @property
    def pids(self) -> list[int]:
        """Processes that run a job now."""
        return [process.pid for process in self._busy]

    async def close(self) -> None:
        """End every process, and wait until all have ended."""
        for process in (*self._busy, *self._idle):
            self._end(process)
        self._idle.clear()
        await asyncio.gather(*self._ending)

    async def _process(self) -> _Process:
        while self._idle:
            process = self._idle.pop()
            if process.take():
                return process
        process = await _Process.start(self.table)
        try:
            await process.ready()
        except BaseException:
            self._end(process)
            raise
        return process

    def _give_back(self, process: _Process) -> None:
        """Keep a process for the next job where it is well and small; else end it, and its memory comes back."""
        spare = sum(lane.slots for lane in self._lanes.values())
        if process.well and process.megabytes() < KEPT_MEGABYTES and len(self._idle) < spare:
            self._idle.append(process)
            process.rest(self._forget)
        else:
            self._end(process)

    def _forget(self, process: _Process) -> None:
        if process in self._idle:
            self._idle.remove(process)
        self._end(process)

    def _end(self, process: _Process) -> None:
        task = asyncio.get_running_loop().create_task(process.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class _Lane:
    """A bounded number of turns, given to the owners in a circle."""

    def __init__(self, slots: int):
        self.slots = slots
        self._free = slots
        self._count: dict[str, int] = {}
        self._waiting: OrderedDict[str, deque[tuple[asyncio.Future[None], Progress]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, owner: str, tell: Progress) -> AsyncIterator[None]:
        """Wait for a turn, and have it within the block."""
        if self._count.get(owner, 0) >= MOST_WAITING:
            raise WorkError(f"{MOST_WAITING} jobs of yours are running or waiting; cancel one, or wait for it")
        self._count[owner] = self._count.get(owner, 0) + 1
        try:
            await self._wait(owner, tell)
            try:
                yield
            finally:
                self._free += 1
                self._grant()
        finally:
            self._count[owner] -= 1
            if not self._count[owner]:
                del self._count[owner]

    async def _wait(self, owner: str, tell: Progress) -> None:
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append((mine, tell))
        self._grant()
        if not mine.done():
            tell({"waiting": sum(map(len, self._waiting.values())) - 1})
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._free += 1
            self._drop(owner, mine)
            self._grant()
            raise

    def _drop(self, owner: str, mine: asyncio.Future[None]) -> None:
        left = deque(each for each in self._waiting.get(owner, ()) if each[0] is not mine)
        if left:
            self._waiting[owner] = left
        else:
            self._waiting.pop(owner, None)

    def _grant(self) -> None:
        """Give free turns to the owners that wait, one after the other."""
        given = False
        while self._free and self._waiting:
            owner, queue = self._waiting.popitem(last=False)
            future, _ = queue.popleft()
            if queue:
                self._waiting[owner] = queue  # behind all others
            if not future.done():
                future.set_result(None)
                self._free -= 1
                given = True
        if given:
            for before, (_, tell) in enumerate(each for queue in self._waiting.values() for each in queue):
                tell({"waiting": before})


class _Process:
    """A process that runs one job after the other."""

    def __init__(self, process: asyncio.subprocess.Process):
        self._process = process
        self._timer: asyncio.TimerHandle | None = None
        self.well = False

    @classmethod
    async def start(cls, table: str) -> _Process:
        """A new process; libraries in it compute on one core, so that jobs share the others."""
        environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")}
        # what lies in the folder in which the program was started is not imported
        words = (sys.executable, "-P", "-m", "backemf.work.worker", table)
        pipe = asyncio.subprocess.PIPE
        made = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, env=environment, start_new_session=True
        )
        return cls(made)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    async def ready(self) -> None:
        """Wait until it has started: the time of a job does not count that."""
        assert self._process.stdout is not None
        try:
            await self._process.stdout.readexactly(LENGTH.size)
        except asyncio.IncompleteReadError:
            raise WorkError("a process for the work could not be started; see the terminal of the studio") from None

    async def ask(self, name: str, payload: Mapping[str, Json], megabytes: int, tell: Progress) -> dict[str, Json]:
        """The answer to a job: `answer`, or `failed` with a sentence."""
        self.well = False
        sink, source = self._process.stdin, self._process.stdout
        assert sink is not None and source is not None
        content = json.dumps({"job": name, "payload": dict(payload), "megabytes": megabytes}).encode()
        try:
            sink.write(LENGTH.pack(len(content)) + content)
            await sink.drain()
            while True:
                (length,) = LENGTH.unpack(await source.readexactly(LENGTH.size))
                if length > LARGEST_MESSAGE:
                    raise WorkError(f"{name}: its answer is larger than {LARGEST_MESSAGE // 10**6} MB; give it less")
                message: dict[str, Json] = json.loads(await source.readexactly(length))
                if "progress" not in message:
                    self.well = not message.get("end", False)
                    return message
                tell(message["progress"] if isinstance(message["progress"], dict) else {})
        except (asyncio.IncompleteReadError, ConnectionError):
            raise WorkError(f"{name}: {await self._how_it_ended(megabytes)}; start it again, or give it less") from None

    async def _how_it_ended(self, megabytes: int) -> str:
        code = await self._process.wait()
        if code >= 0:
            return f"its process ended by itself (exit code {code})"
        name = signal.Signals(-code).name
        return f"its process was ended from outside or had not enough of its {megabytes} MB of memory ({name})"

    def take(self) -> bool:
        """Stop resting; whether it still lives."""
        if self._timer is not None:
            self._timer.cancel()
        return self._process.returncode is None

    def rest(self, forget: Callable[[_Process], None]) -> None:
        """Wait for the next job for a while."""
        self._timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, forget, self)

    def megabytes(self) -> float:
        """Memory that it holds [MB]; 0 where the system does not say."""
        with suppress(BackemfError, ValueError, IndexError):
            pages = int(read_text(f"/proc/{self.pid}/statm").split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        return 0.0

    async def end(self) -> None:
        """End it at once, with all that it has started."""
        self.take()
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(self.pid, signal.SIGKILL)
                else:
                    self._process.kill()
        await self._process.wait()
