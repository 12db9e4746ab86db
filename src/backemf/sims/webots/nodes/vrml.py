"""The text of Webots' files, VRML97: worlds, PROTOs and bare nodes, read into nodes with their fields and lines.

Nothing here calls itself, so that any depth of nodes is read. Fields have no types: one number, a row of numbers, a
text, TRUE, FALSE, a node, None for NULL, or a list of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ....errors import ParameterError
from ...text import place
from .node import Node, Unreadable

LARGEST = 64_000_000
"""Longest text that is read [characters]."""
_TOKEN = re.compile(
    r"""(?P<space>[\s,]+)
    |(?P<comment>\#[^\n]*)
    |(?P<template>%<.*?>%|%\{.*?\}%)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.]))
    |(?P<word>[^\W\d][\w:.+\-]*)
    |(?P<mark>[{}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_ACCESS = ("field", "vrmlField", "hiddenField", "deprecatedField", "unconnectedField", "w3dField", "exposedField")
_WORDS = {"TRUE": True, "FALSE": False, "NULL": None}


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def text_of(text_or_path: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and the file that it is from; a text with a brace or a line break is no path."""
    if isinstance(text_or_path, str) and any(mark in text_or_path for mark in "{\n"):
        return text_or_path, ""
    if not isinstance(text_or_path, (str, os.PathLike)):
        raise ParameterError(f"text = {type(text_or_path).__name__}(...): must be a text, or the path of a file")
    try:
        raw = Path(text_or_path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no path"
        raise ParameterError(f"{str(text_or_path)[:200]!r}: cannot be read: {reason}") from None
    try:
        return raw.decode("utf-8"), str(text_or_path)
    except UnicodeDecodeError:
        raise ParameterError(f"{text_or_path}: this is no text in UTF-8, so it is no world of Webots") from None


def parse(text: str, file: str = "") -> list[Node]:
    """The nodes of a file, in its order; those of a PROTO's body stand in for it."""
    if len(text) > LARGEST:
        raise ParameterError(f"{file or 'text'}: has {len(text)} characters; no more than {LARGEST} are read")
    return _Parser(text, file).parsed()


class _Parser:
    """One pass over the tokens with a stack of what is open: nodes, lists, headers and bodies of PROTOs."""

    def __init__(self, text: str, file: str):
        self.file, self.roots, self.defined = file, [], {}
        self.open: list[Any] = [self.roots]
        self.opened: list[int] = [1]
        self.unfinished: set[int] = set()
        self.interface: dict[str, Any] = {}
        self.tokens = self._tokens(text)
        self.next = next(self.tokens)

    def fail(self, line: int, sentence: str) -> NoReturn:
        raise ParameterError(f"{place(self.file, line)}: {sentence}")

    def _tokens(self, text: str) -> Iterator[Token]:
        line, at = 1, 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                self.fail(line, f"this is no VRML: there is {text[at]!r}")
            kind, word = str(found.lastgroup), found.group()
            if kind == "comment" and isinstance(self.open[-1], Node):
                self.open[-1].comments.append(word[1:].strip())
            if kind not in ("space", "comment"):
                yield Token(kind, word, line)
            line, at = line + word.count("\n"), found.end()
        yield Token("end", "the end of the text", line)

    def take(self) -> Token:
        token = self.next
        if token.kind != "end":
            self.next = next(self.tokens)
        return token

    def expect(self, what: str, kind: str, text: str = "") -> Token:
        token = self.take()
        if token.kind != kind or (text and token.text != text):
            self.fail(token.line, f"there should be {what}, and there is {token.text[:40]}")
        return token

    def push(self, thing: Any, line: int) -> None:
        self.open.append(thing)
        self.opened.append(line)
        self.unfinished.add(id(thing))

    def pop(self) -> None:
        self.unfinished.discard(id(self.open.pop()))
        self.opened.pop()

    def parsed(self) -> list[Node]:
        while True:
            token, top = self.take(), self.open[-1]
            if token.kind == "end":
                break
            if token.kind == "template":
                continue
            if isinstance(top, Node):
                self.in_node(top, token)
            elif isinstance(top, _Header):
                self.in_header(top, token)
            else:
                self.in_list(top, token)
        if len(self.open) > 1:
            self.fail(token.line, f"the bracket of line {self.opened[-1]} is never closed")
        return self.roots

    def in_node(self, node: Node, token: Token) -> None:
        if token.text == "}":
            self.pop()
            return
        if token.kind != "word":
            self.fail(token.line, f"{node.kind}: there should be the name of a field, and there is {token.text[:40]}")
        if token.text in node.fields:
            self.fail(token.line, f"{node.kind}.{token.text} is given twice")
        node.lines[token.text] = token.line
        node.fields[token.text] = None
        self.value(token.text, self.take(), lambda value: node.fields.__setitem__(token.text, value))

    def in_list(self, items: Any, token: Token) -> None:
        body = isinstance(items, _Body)
        if token.text == ("}" if body else "]") and items is not self.roots:
            self.pop()
            if body:
                self.interface = {}
            return
        rows = self.roots if body else items
        if items is self.roots and token.text in ("EXTERNPROTO", "IMPORTABLE"):
            if token.text == "EXTERNPROTO":
                self.expect("the address of a PROTO", "string")
            return
        if items is self.roots and token.text == "PROTO":
            self.header(token)
            return
        if (items is self.roots or body) and (token.kind != "word" or token.text in (*_WORDS, "IS")):
            self.fail(token.line, f"there should be a node, and there is {token.text[:40]}")
        self.value("", token, rows.append)

    def header(self, token: Token) -> None:
        self.expect("the name of the PROTO", "word")
        self.expect("[", "mark", "[")
        self.push(_Header(), token.line)

    def in_header(self, header: _Header, token: Token) -> None:
        if token.text == "]":
            self.pop()
            self.interface = dict(header.fields)
            self.push(_Body(), self.expect("{", "mark", "{").line)
            return
        if token.text not in _ACCESS:
            self.fail(token.line, f"there should be a field of the PROTO, and there is {token.text[:40]}")
        self.expect("the type of a field", "word")
        if self.next.text == "{":
            # what the field may hold, which is no matter here
            depth = 0
            while depth or self.next.text == "{":
                mark = self.take()
                depth += {"{": 1, "}": -1}.get(mark.text, 0)
                if mark.kind == "end":
                    self.fail(token.line, "the bracket of this line is never closed")
        name = self.expect("the name of a field", "word").text
        self.value(name, self.take(), lambda value: header.fields.__setitem__(name, value))

    def value(self, name: str, token: Token, put: Any) -> None:
        """What stands after a field's name or in a list; a node or a list is opened, to be filled by what follows."""
        what = f"the value of {name}" if name else "a value"
        if token.kind == "number":
            row = [_value_of(token)]
            while name and self.next.kind == "number":
                row.append(_value_of(self.take()))
            put(row[0] if len(row) == 1 else tuple(row))
        elif token.kind == "string":
            put(re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.DOTALL))
        elif token.kind == "template":
            put(Unreadable("a template of the PROTO computes it"))
        elif token.text in _WORDS:
            put(_WORDS[token.text])
        elif token.text == "[":
            items: list[Any] = []
            put(items)
            self.push(items, token.line)
        elif token.text == "IS":
            known = self.expect("the name of a field", "word").text
            missing = Unreadable(f"the PROTO has no field {known!r} here")
            put(self.interface.get(known, missing))
        elif token.text == "USE":
            known = self.expect("a name after USE", "word").text
            found = self.defined.get(known)
            if found is None or id(found) in self.unfinished:
                self.fail(token.line, f"USE {known}: there is no finished node of that name before it")
            put(found)
        elif token.kind == "word":
            self.node(token, put, what)
        else:
            self.fail(token.line, f"there should be {what}, and there is {token.text[:40]}")

    def node(self, token: Token, put: Any, what: str) -> None:
        known = ""
        if token.text == "DEF":
            known = self.expect("a name after DEF", "word").text
            token = self.expect("a node after DEF", "word")
        if self.next.text != "{":
            self.fail(token.line, f"there should be {what}, and there is {token.text[:40]}")
        opened = Node(token.text, token.line, known, self.file)
        put(opened)
        self.push(opened, token.line)
        self.take()
        if known:
            self.defined[known] = opened


class _Header:
    """The header of a PROTO, whose fields have defaults."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}


class _Body:
    """The body of a PROTO, whose nodes stand in for it."""


def _value_of(token: Token) -> float:
    return float(int(token.text, 16)) if re.match(r"[+-]?0[xX]", token.text) else float(token.text)
