"""TOML: what somebody else wrote, parsed within bounds of depth, digits and parts of a key; and tables as text."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping

from .errors import BackemfError
from .values import Foreign

PARTS = 50
"""Most parts of a key such as a.b.c; the parser's time grows with their square [1]."""
DEPTH = 50
"""Deepest nesting of tables and lists [1]."""
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_NAME}(?:\.[ \t]*+{_NAME}){{{PARTS},}}")


def parse_toml(text: str, file: str, error: type[BackemfError], what: str) -> dict[str, Foreign]:
    """The tables of a text; `what` is what the file holds, such as "a datasheet", for the sentence that is raised."""
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise error(f"{file}, line {line}: a key has more than {PARTS} parts; none of {what} has so many")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise error(f"{file}, {_place_first(fault, text)}: correct the TOML there") from None
    except RecursionError:
        raise _too_deep(file, error, what) from None
    except ValueError as fault:  # Python's own bounds, such as that of the digits of a whole number
        raise error(f"{file}: a number has too many digits ({str(fault).split(';')[0]}); shorten it") from None
    _check_bounds(content, file, error, what)
    return content


def _check_bounds(content: dict[str, Foreign], file: str, error: type[BackemfError], what: str) -> None:
    """Check that integers fit a float, and that tables are not nested too deeply."""
    level: list[tuple[object, object]] = list(content.items())
    for _ in range(DEPTH):
        if not level:
            return
        below: list[tuple[object, object]] = []
        for name, value in level:
            if isinstance(value, dict):
                below.extend(value.items())
            elif isinstance(value, list):
                below.extend((name, each) for each in value)
            elif type(value) is int and abs(value) > sys.float_info.max:
                raise error(f"{file}, {name}: has {len(hex(value)) - 2} hexadecimal digits; no quantity has so many")
        level = below
    raise _too_deep(file, error, what)


def _too_deep(file: str, error: type[BackemfError], what: str) -> BackemfError:
    return error(f"{file}: is nested too deeply for {what}: use tables such as [name]")


def _place_first(fault: tomllib.TOMLDecodeError, text: str) -> str:
    """The parser's message with the line in front."""
    match = re.fullmatch(r"(.*) \(at (.*)\)", str(fault), re.S)
    if match is None:
        return str(fault)
    what, where = match[1].replace("\n", " "), match[2]
    if where == "end of document":
        where = f"line {len(text.splitlines())}"
    return f"{where}: {what[0].lower()}{what[1:]}"


# --- writing


def write_tables(content: Mapping[str, Foreign], path: tuple[str, ...] = (), heading: str = "[{}]") -> str:
    """TOML text of tables and lists of tables; what is empty is left out, and so are tables that are."""
    plain = {name: value for name, value in content.items() if not _is_table(value) and value not in ("", [])}
    lines = [f"{toml_key(name)} = {toml_value(value)}\n" for name, value in plain.items()]
    text = f"\n{heading.format('.'.join(map(toml_key, path)))}\n" if path and lines else ""
    text += "".join(lines)
    for name, value in content.items():
        if isinstance(value, Mapping):
            text += write_tables(value, (*path, name))
        elif _is_table(value):
            text += "".join(write_tables(row, (*path, name), "[[{}]]") for row in value)
    return text


def _is_table(value: Foreign) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def toml_key(key: str) -> str:
    """A key in TOML, quoted where it must be."""
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else toml_value(key)


def toml_value(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's; only DEL must be escaped in TOML and is not in JSON
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
