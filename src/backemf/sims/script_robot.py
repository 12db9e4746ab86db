"""Configurations of several actuators as one Python text: imports once, and a name for each."""

from __future__ import annotations

import ast
import re

from ..errors import ParameterError
from .robot_text import RobotParts


def join_scripts(parts: RobotParts) -> tuple[list[str], list[str], list[str]]:
    """Imports, assignments, and the names that are assigned to, of what is written for each kind of joint."""
    imports: dict[str, set[str]] = {}
    plain: list[str] = []
    bodies, names = [], []
    for kind in parts.kinds:
        name = variable_name(kind.patterns[0], names)
        head, mark, body = kind.written.text.partition("\nactuator = ")
        if not mark:
            raise ParameterError(f"joints {', '.join(kind.patterns)}: cannot be written beside other actuators")
        for line in filter(None, head.splitlines()):
            module = re.fullmatch(r"from (\S+) import (.+)", line)
            if module:
                imports.setdefault(module[1], set()).update(word.strip() for word in module[2].split(","))
            elif line not in plain:
                plain.append(line)
        shown = ", ".join(joint.name for joint in kind.joints)
        bodies.append(f"# {shown}\n{name} = {body.strip()}\n")
        names.append(name)
    lines = plain + [f"from {module} import {', '.join(sorted(words))}" for module, words in sorted(imports.items())]
    return lines, bodies, names


def variable_name(pattern: str, taken: list[str]) -> str:
    """A name for a pattern's actuators, as Python has names."""
    words = re.sub(r"[^a-z0-9]+", "_", pattern.lower()).strip("_")[:40].strip("_") or "joints"
    name = f"{words}_actuators" if not words[0].isdigit() else f"joint_{words}_actuators"
    count, chosen = 1, name
    while chosen in taken:
        count += 1
        chosen = f"{name}_{count}"
    return chosen


def require_python(text: str) -> str:
    """A text that Python can parse; nothing is run."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise ParameterError(f"the configuration that was written is not Python: line {error.lineno}") from None
    return text
