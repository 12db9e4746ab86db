"""The process that runs the templates of one file, seen from this one."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from threading import Timer

from .....errors import MissingExtraError
from .....files import read_text
from ....types import Json
from .bounds import Bounds, Exhausted, TemplateError

_PACKAGES = {"javascript": ("quickjs-ng", "_quickjs"), "lua": ("lupa", "lupa")}
_PRELUDES = {"javascript": "prelude.js", "lua": "prelude.lua"}
_NAMES = {"javascript": "JavaScript", "lua": "Lua"}
_ENDED = (-9, -24)
"""Status of a process that was killed, or had used its CPU time."""


class Interpreters:
    """Runs templates in either language; the process of each starts with its first template."""

    def __init__(self, bounds: Bounds | None = None):
        self.bounds = bounds or Bounds()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Interpreters:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._running.values():
            process.kill()
            process.communicate()
        self._running.clear()

    def run(self, language: str, source: str, fields: dict[str, Json], context: dict[str, Json]) -> list[int | str]:
        """What a program writes: the number of a piece and a text, again and again."""
        process = self._running.get(language) or self._start(language)
        watch = Timer(self.bounds.wait, process.kill)
        watch.daemon = True
        watch.start()
        try:
            _send(process, json.dumps([source, fields, context]))
            line = process.stdout.readline() if process.stdout else b""
            late = not watch.is_alive()
        finally:
            watch.cancel()
        if not line.endswith(b"\n"):
            status = process.wait()
            # the system ends what the interpreter's own limits cannot, such as a search that takes too long
            if late or status in _ENDED:
                raise Exhausted(self._sentence("work"))
            raise Exhausted(f"the interpreter of {_NAMES[language]} has failed with status {status}")
        answer = json.loads(line)
        if "written" in answer:
            return answer["written"]
        error = Exhausted if answer.get("exhausted") else TemplateError
        raise error(self._sentence(answer["wrong"]), answer.get("line"))

    def _start(self, language: str) -> subprocess.Popen[bytes]:
        package, module = _PACKAGES[language]
        found = importlib.util.find_spec(module)
        if found is None or found.origin is None:
            raise MissingExtraError(package, "webots", f"A PROTO with a template in {_NAMES[language]}")
        folder = Path(found.origin).parents[0 if found.submodule_search_locations is None else 1]
        child = Path(__file__).with_name("child.py")
        prelude = read_text(child.with_name(_PRELUDES[language]))
        words = [sys.executable or "", "-I", "-S", child, language, json.dumps(asdict(self.bounds)), folder]
        try:
            made = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except OSError as error:
            raise TemplateError(f"the process for templates cannot be started with {sys.executable}: {error}") from None
        _send(made, json.dumps(prelude))
        self._running[language] = made
        return made

    def _sentence(self, wrong: str) -> str:
        if wrong == "work":
            return "the template does not come to an end within the work that a file may take"
        if wrong == "memory":
            return f"the template takes more than {self.bounds.memory // 1_000_000} MB of memory"
        return printable(wrong)[:200] or "it fails without a reason"


def printable(text: str) -> str:
    """A text as one line without control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _send(process: subprocess.Popen[bytes], line: str) -> None:
    """Write a line to a process; one that has ended does not answer."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
