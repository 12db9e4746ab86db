"""Worker processes of the studio: limits, progress, turns, and what is left when one ends."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backemf.errors import BackemfError, ParameterError
from backemf.progress import progress_bar
from backemf.work import workers as module
from backemf.work.progress_messages import progress_words, tell_progress
from backemf.work.workers import MOST_WAITING, WorkError, Workers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of POSIX")
HERE = str(Path(__file__).parent)


@contextmanager
def some(**sizes: int) -> Iterator[Workers]:
    """Processes that find the jobs of the tests."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([HERE, *([before] if before else [])])
    made = Workers("jobs_for_tests", **sizes)
    try:
        yield made
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def in_loop(test: Callable[[Workers], Awaitable[None]], **sizes: int) -> None:
    async def run(made: Workers) -> None:
        try:
            await test(made)
        finally:
            await made.close()

    with some(**sizes) as made:
        asyncio.run(run(made))


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not yet asked for counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def gone(pid: int) -> None:
    while alive(pid):
        await asyncio.sleep(0.01)


def test_a_job_tells_its_progress_and_answers():
    """Three messages and the sum, whatever the function prints."""

    async def test(made: Workers) -> None:
        told = []
        answer = await made.run("add", {"a": 2, "b": 3}, progress=told.append)
        assert answer["sum"] == 5 and [each["done"] for each in told] == [1, 2, 3]

    in_loop(test)


def test_a_process_that_is_well_is_used_again():
    """Two jobs, one process: the second does not wait for Python to start."""

    async def test(made: Workers) -> None:
        first, second = [await made.run("add", {"a": 0, "b": 0}) for _ in range(2)]
        assert first["pid"] == second["pid"]

    in_loop(test)


def test_a_process_that_has_grown_is_not_kept(monkeypatch: pytest.MonkeyPatch):
    """Its memory comes back: the next job has another process, and the first one is gone."""
    monkeypatch.setattr(module, "KEPT_MEGABYTES", 1)

    async def test(made: Workers) -> None:
        first, second = [await made.run("add", {"a": 0, "b": 0}) for _ in range(2)]
        assert first["pid"] != second["pid"]
        await gone(first["pid"])

    in_loop(test)


def test_a_process_rests_for_a_while_only(monkeypatch: pytest.MonkeyPatch):
    """Without a job it ends, and the next job starts another."""
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.0)

    async def test(made: Workers) -> None:
        first = await made.run("add", {"a": 0, "b": 0})
        await gone(first["pid"])
        assert (await made.run("add", {"a": 1, "b": 0}))["sum"] == 1

    in_loop(test)


def test_only_jobs_of_the_table_run():
    """A name from elsewhere is an error, whatever module it names."""

    async def test(made: Workers) -> None:
        with pytest.raises(ParameterError, match="there is no such job"):
            await made.run("os:system", {})

    in_loop(test)


@pytest.mark.parametrize(
    ("job", "payload", "words"),
    [
        ("refuse", {}, "mass = -1 kg: must be above 0"),
        ("stumble", {}, "stumble: failed with KeyError.*please report it"),
        ("swell", {"megabytes": 2000}, "swell: needs more than 600 MB of memory"),
        ("die", {}, "die: its process was ended from outside.*SIGKILL"),
    ],
)
def test_what_fails_is_one_sentence(job: str, payload: dict[str, int], words: str):
    """Bad input, a fault of ours, too much memory, a process that ends: a sentence, and the next job runs."""

    async def test(made: Workers) -> None:
        with pytest.raises(BackemfError, match=words) as error:
            await made.run(job, payload)
        assert "\n" not in str(error.value) and "Traceback" not in str(error.value)
        assert (await made.run("add", {"a": 1, "b": 1}))["sum"] == 2

    in_loop(test)


def test_a_job_within_its_memory_passes():
    """The bound is what the job may take, not what Python takes."""

    async def test(made: Workers) -> None:
        assert await made.run("swell", {"megabytes": 200}) == 200_000_000

    in_loop(test)


def test_work_that_takes_too_long_is_stopped():
    """After its time there is a sentence, and its process is gone."""

    async def test(made: Workers) -> None:
        task = asyncio.create_task(made.run("sleep", {}, seconds=0.01))
        while not made.pids:
            await asyncio.sleep(0)
        (pid,) = made.pids
        with pytest.raises(WorkError, match=r"sleep: stopped after 0.01 s"):
            await task
        await gone(pid)

    in_loop(test)


@pytest.mark.parametrize("job", ["sleep", "children"])
def test_cancelling_ends_the_process_and_its_children(job: str):
    """The awaitable is cancelled, as when a tab closes; neither the process nor what it has started goes on."""

    async def test(made: Workers) -> None:
        began: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(made.run(job, {}, progress=lambda said: began.set_result(said["pid"])))
        pid = await began
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gone(pid)
        assert not made.pids

    in_loop(test)


def test_a_killed_process_is_one_sentence():
    """SIGKILL from outside, as the system does where memory runs out."""

    async def test(made: Workers) -> None:
        def kill(said: dict[str, int]) -> None:
            os.kill(made.pids[0], signal.SIGKILL)

        with pytest.raises(WorkError, match="ended from outside"):
            await made.run("sleep", {}, progress=kill)

    in_loop(test)


def test_sessions_take_turns():
    """One session asks for five jobs and then another for one: that one comes second, not last."""

    async def test(made: Workers) -> None:
        order: list[str] = []

        async def ask(owner: str) -> None:
            await made.run("sleep", {"seconds": 0, "word": owner}, owner=owner)
            order.append(owner)

        await asyncio.gather(*(ask("greedy") for _ in range(5)), ask("patient"))
        assert order == ["greedy", "greedy", "patient", *["greedy"] * 3]

    in_loop(test, short=1)


def test_short_work_does_not_wait_for_long_work():
    """While every turn of long work is taken, short work runs."""

    async def test(made: Workers) -> None:
        began = asyncio.Event()
        task = asyncio.create_task(made.run("sleep long", {}, progress=lambda said: began.set()))
        await began.wait()
        assert (await made.run("add", {"a": 1, "b": 1}))["sum"] == 2
        task.cancel()

    in_loop(test, long=1, short=1)


def test_no_more_run_at_once_than_there_are_turns():
    """20 sessions: two run, those that wait are told how many are before them, and a cancelled one leaves the queue."""

    async def test(made: Workers) -> None:
        told: dict[int, list[int]] = {k: [] for k in range(20)}
        most = 0

        async def ask(k: int) -> None:
            nonlocal most

            def tell(said: dict[str, int]) -> None:
                nonlocal most
                most = max(most, len(made.pids))
                if "waiting" in said:
                    told[k].append(said["waiting"])

            # the first two would run until they are cancelled
            await made.run("sleep", {"seconds": 3600 if k < 2 else 0}, progress=tell, owner=str(k))

        tasks = [asyncio.create_task(ask(k)) for k in range(20)]
        await asyncio.sleep(0)
        tasks[10].cancel()
        while len(made.pids) < 2:
            await asyncio.sleep(0.01)
        for task in tasks[:2]:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert [k for k, each in enumerate(done) if each is not None] == [0, 1, 10]
        assert most <= 2 and not made.pids
        for k in range(3, 20):
            assert told[k] == sorted(told[k], reverse=True) and told[k][0] == k - 2

    in_loop(test, short=2)


def test_a_session_has_only_so_many_jobs():
    """The ninth is refused with a sentence; the others are not disturbed."""

    async def test(made: Workers) -> None:
        many = [made.run("sleep", {"seconds": 0, "word": "done"}, owner="one") for _ in range(MOST_WAITING + 1)]
        done = await asyncio.gather(*many, return_exceptions=True)
        assert done[:-1] == ["done"] * MOST_WAITING
        assert "cancel one" in str(done[-1])

    in_loop(test)


def test_processes_end_with_the_program():
    """A program that is killed leaves no process behind: each ends when the pipe from it closes."""
    code = """
import asyncio, os, signal, sys
from backemf.work.workers import Workers
def die(said):
    print(said["pid"], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(Workers("jobs_for_tests").run("sleep", {}, progress=die))
"""
    import subprocess

    paths = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    pid, waiting = int(said.stdout), threading.Event()
    for _ in range(2000):
        if not alive(pid):
            break
        waiting.wait(0.01)
    assert not alive(pid)


def test_a_process_loads_no_page():
    """The table of jobs is read without what serves pages: processes start sooner, and plain installs test them."""
    import subprocess

    code = "import sys, backemf.work.worker, backemf.answers.jobs; sys.exit('nicegui' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_progress_in_words():
    """What a page says of a job, and the share of its bar."""
    assert progress_words({"waiting": 2}, "Sizing") == ("Sizing: waiting, 2 before it", None)
    assert progress_words({"label": "pairs", "done": 3, "total": 4, "word": "RE40"}, "Sizing") == (
        "pairs, 3 of 4: RE40", 0.75,
    )  # fmt: skip
    assert progress_words({"label": "pairs", "done": 0, "total": 0}, "Sizing") == ("pairs, 0 of 0", 0.0)


def test_progress_of_the_terminal_becomes_messages():
    """Each step of a loop is one message."""
    said: list[object] = []
    with tell_progress(said.append), progress_bar("reading", 2) as advance:
        advance(1, "a")
        advance(1, "b")
    assert len(said) == 2 and said[-1] == {"label": "reading", "done": 2, "total": 2, "word": "b"}
