"""The process that runs templates: their prelude and then requests come, and answers go, as lines of JSON.

It is started as a program and imports nothing of this package. Before the first template it gives up what a template
could misuse: it opens no more files, and its CPU time and memory are bounded.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Callable
from typing import Any

Answer = dict[str, object]
"""`written`, a flat list of pieces and texts; or `wrong`, `line` in the program, and `exhausted`."""
Run = Callable[[str, object, object], Answer]


def main() -> None:
    """Answer requests until there are no more."""
    language, bounds, folder = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
    sys.path.append(folder)
    run = _LANGUAGES[language](bounds, json.loads(sys.stdin.buffer.readline()))
    # loads what is loaded on first use
    run("", {}, {})
    _give_up(bounds)
    for line in sys.stdin.buffer:
        try:
            answer = _line(run(*json.loads(line)))
        except MemoryError:
            answer = _line({"wrong": "memory", "exhausted": True})
        except Exception as error:
            # such as a message that is not Unicode
            answer = _line({"wrong": str(error)})
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


def _line(answer: Answer) -> bytes:
    # half of a character that takes two becomes a question mark
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _give_up(bounds: dict[str, int]) -> None:
    """Limit this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    # the interpreters' own limits come first, since they name the line
    limits = {"CPU": bounds["seconds"] + 1, "AS": 10 * bounds["memory"], "FSIZE": 0, "CORE": 0, "NOFILE": 3}
    for name, most in limits.items():
        # some systems have not all of them, or lower ones
        with contextlib.suppress(AttributeError, OSError, ValueError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))


# --- JavaScript


def javascript(bounds: dict[str, int], prelude: str) -> Run:
    """A function that runs templates in JavaScript, after what they may use."""
    # the package's own front would start a thread
    from _quickjs import Context, JSException

    above = prelude.count("\n") + 1

    def run(source: str, fields: object, context: object) -> Answer:
        engine = Context()
        engine.set_memory_limit(bounds["memory"])
        engine.set_max_stack_size(250_000)
        engine.set_time_limit(max(bounds["seconds"] - time.process_time(), 0.01))
        try:
            written = engine.eval(prelude)(bounds["printed"])
            engine.eval(f"var fields = {_literal(fields)}, context = {_literal(context)};")
            # on lines below the prelude's, so that a trace tells them apart
            engine.eval("\n" * above + f"(function () {{\n{source}}})()")
            # JSON within JSON, since a text of many parts has to be copied before it can leave the interpreter
            return {"written": json.loads(json.loads(written()))[:-1]}
        except JSException as error:
            return _explain(str(error), above + 1)

    return run


def _literal(value: object) -> str:
    """A plain value in JavaScript; None is undefined, and NaN and Infinity are names."""
    if isinstance(value, dict):
        return "{" + ",".join(f"[{json.dumps(key)}]:{_literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_literal, value)) + "]"
    return "undefined" if value is None else json.dumps(value)


def _explain(said: str, above: int) -> Answer:
    lines = [int(line) - above for line in re.findall(r"^ +at .*<input>:(\d+):\d+\)?$", said, re.MULTILINE)]
    line = next((line for line in lines if line > 0), None)
    wrong = said.split("\n    at ")[0].strip()
    bound = {"InternalError: out of memory": "memory", "InternalError: interrupted": "work"}.get(wrong)
    if bound:
        return {"wrong": bound, "line": line, "exhausted": True}
    if wrong == "RangeError: Maximum call stack size exceeded":
        wrong = "the template is nested too deep"
    unknown = re.fullmatch(r"ReferenceError: '?([\w$]+)'? is not defined", wrong)
    if unknown:
        wrong = f"{unknown[1]} is not a name that templates know here"
    return {"wrong": wrong, "line": line}


# --- Lua


def lua(bounds: dict[str, int], prelude: str) -> Run:
    """A function that runs templates in Lua, after what they may use."""
    from lupa import lua52

    runtime: Any = lua52.LuaRuntime

    def refuse(thing: object, name: object, setting: bool) -> str:
        raise AttributeError

    def run(source: str, fields: object, context: object) -> Answer:
        engine = runtime(
            encoding="latin-1",
            attribute_filter=refuse,
            register_eval=False,
            register_builtins=False,
            max_memory=bounds["memory"],
        )
        try:
            start = engine.compile(prelude)(bounds["printed"], bounds["work"])
            tables = [engine.table_from(_bytes(each), recursive=True) for each in (fields, context)]
            bounds["work"], written, wrong, line = start(_bytes(source), *tables)
        except lua52.LuaMemoryError:
            return {"wrong": "memory", "exhausted": True}
        if bounds["work"] < 0 or wrong == "not enough memory":
            return {"wrong": "work" if bounds["work"] < 0 else "memory", "line": line, "exhausted": True}
        if written is not None:
            texts = [
                each.encode("latin-1").decode("utf-8", "replace") if isinstance(each, str) else each
                for each in written.values()
            ]
            return {"written": texts}
        found = re.match(r"(?:template|\[string \"<python>\"\]):(\d+): ", wrong)
        return {"wrong": wrong[found.end() :] if found else wrong, "line": line or (found and int(found[1]))}

    return run


def _bytes(value: object) -> object:
    """A plain value whose texts have a character for every byte, as Lua counts them."""
    if isinstance(value, dict):
        return {_bytes(key): _bytes(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_bytes(each) for each in value]
    return value.encode("utf-8", "replace").decode("latin-1") if isinstance(value, str) else value


_LANGUAGES: dict[str, Callable[[dict[str, int], str], Run]] = {"javascript": javascript, "lua": lua}

if __name__ == "__main__":
    main()
