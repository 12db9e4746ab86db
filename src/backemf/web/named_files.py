"""Texts and messages that name files as their owner does, while the files lie elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..errors import BackemfError, ParameterError
from ..toml_text import parse_toml
from ..values import Foreign, Json

PATH_FIELDS = ("file", "model", "network")
"""Fields of TOML files that hold a path."""


def with_own_files(text: str, name: str, files: Mapping[str, str]) -> str:
    """A rig or a task in which names of `files` have become their paths; any other path is an error."""
    for shown in _paths(parse_toml(text, name, ParameterError, "a TOML file")):
        if shown not in files:
            there = ", ".join(files) or "none"
            raise ParameterError(f"{name}: names the file {shown[:80]!r}, which was not dropped in; there are {there}")
        text = text.replace(f'"{shown}"', json.dumps(files[shown])).replace(f"'{shown}'", json.dumps(files[shown]))
    for path in _paths(parse_toml(text, name, ParameterError, "a TOML file")):
        if path not in files.values():
            raise ParameterError(f"{name}: write the name of the file {path[:80]!r} plainly between quotes")
    return text


def _paths(content: Json | Foreign) -> Iterator[str]:
    """Every text of a field that holds a path."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            if key in PATH_FIELDS and isinstance(value, str):
                yield value
            yield from _paths(value)
    elif isinstance(content, list):
        for each in content:
            yield from _paths(each)


def show_names(text: str, names: Mapping[str, str]) -> str:
    """A text with the names of files in the place of their paths; `names` are by path."""
    for path, name in names.items():
        text = text.replace(path, name)
    return text


@contextmanager
def errors_show_names(names: Mapping[str, str]) -> Iterator[None]:
    """Errors within the block name files as their owner does; `names` are by path."""
    try:
        yield
    except BackemfError as error:
        raise ParameterError(show_names(str(error), names)) from None
