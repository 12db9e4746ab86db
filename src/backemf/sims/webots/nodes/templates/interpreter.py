"""The process that runs the templates of one file, seen from this one."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from threading import Timer
from typing import Any

from .....errors import MissingExtraError
from .bounds import Bounds, Exhausted, TemplateError

_PACKAGES = {"javascript": ("quickjs-ng", "_quickjs"), "lua": ("lupa", "lupa")}
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

    def run(self, language: str, source: str, fields: dict[str, Any], context: dict[str, Any]) -> list[Any]:
        """What a program writes: the number of a piece and a text, again and again."""
        process = self._running.get(language) or self._start(language)
        watch = Timer(self.bounds.wait, process.kill)
        watch.daemon = True
        watch.start()
        try:
            line = _ask(process, json.dumps([source, fields, context]).encode() + b"\n")
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
        words = [sys.executable or "", "-I", "-S", child, language, json.dumps(asdict(self.bounds)), folder]
        try:
            made = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except OSError as error:
            raise TemplateError(f"the process for templates cannot be started with {sys.executable}: {error}") from None
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


def _ask(process: subprocess.Popen[bytes], request: bytes) -> bytes:
    """The line that a process answers; incomplete where it has ended."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(request)
        process.stdin.flush()
    except OSError:
        return b""
    return process.stdout.readline()
