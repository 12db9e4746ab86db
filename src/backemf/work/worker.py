"""The process that runs jobs: names and payloads come, progress and answers go, as JSON behind their lengths."""

from __future__ import annotations

import importlib
import io
import json
import os
import queue
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO

from ..errors import BackemfError, fault_words
from ..values import Json
from .workers import LENGTH, Job

NICENESS = 10
"""How far this process stands behind the one that serves pages."""


def main(table: str) -> None:
    """Run jobs until there are no more."""
    # what a library prints must not get between the messages
    answers = io.FileIO(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    jobs: dict[str, Job] = importlib.import_module(table).JOBS
    asked: queue.SimpleQueue[dict[str, Json]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    answers.write(LENGTH.pack(0))
    while True:
        request = asked.get()
        _send(answers, _answer(jobs, request, answers))


def _listen(asked: queue.SimpleQueue[dict[str, Json]]) -> None:
    """Read requests; where the other side is gone, end whatever runs."""
    source = sys.stdin.buffer
    while True:
        head = source.read(LENGTH.size)
        if len(head) < LENGTH.size:
            os._exit(1)
        asked.put(json.loads(source.read(LENGTH.unpack(head)[0])))


def _answer(jobs: dict[str, Job], request: dict[str, Json], answers: BinaryIO) -> dict[str, Json]:
    name, payload, megabytes = str(request["job"]), request["payload"], request["megabytes"]
    assert isinstance(payload, dict) and isinstance(megabytes, int)

    def tell(message: Mapping[str, Json]) -> None:
        _send(answers, {"progress": dict(message)})

    try:
        _limit(megabytes)
        return {"answer": jobs[name].function(payload, tell)}
    except BackemfError as error:
        return {"failed": str(error)}
    except MemoryError:
        return {"failed": f"{name}: needs more than {megabytes} MB of memory; give it less", "end": True}
    except Exception as error:  # a fault of ours: the page goes on
        import traceback

        traceback.print_exc()
        return {"failed": f"{name}: {fault_words(error)}", "end": True}


def _limit(megabytes: int) -> None:
    """Bound the memory of this process, where the system can."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000, most))


def _send(answers: BinaryIO, message: dict[str, Json]) -> None:
    content = json.dumps(message).encode()
    whole = memoryview(LENGTH.pack(len(content)) + content)
    while whole:
        whole = whole[answers.write(whole) :]


if __name__ == "__main__":
    main(sys.argv[1])
