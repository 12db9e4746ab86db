"""A template cut into texts and programs, and the programs into tokens, for JavaScript and Lua."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .bounds import TemplateError

MARKS = {"javascript": ("%<", ">%"), "lua": ("%{", "}%")}
"""What a program in a template begins and ends with."""
_SIGNS = {
    "javascript": r">>>=|===|!==|>>>|\*\*=|<<=|>>=|&&=|\|\|=|\?\?=|\.\.\.|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+"
    r"|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[-+*/%=<>!?:;,.(){}\[\]&|^~]",
    "lua": r"\.\.\.|\.\.|==|~=|<=|>=|::|//|[-+*/%^#=<>(){}\[\];:,.]",
}
_SPACE = {
    "javascript": r"(?:\s|//[^\n]*|/\*.*?\*/)+",
    "lua": r"(?:\s|--\[(?P<equal>=*)\[.*?\](?P=equal)\]|--(?!\[=*\[)[^\n]*)+",
}
_NUMBER = r"0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = {"javascript": r"[A-Za-z_$][\w$]*", "lua": r"[A-Za-z_]\w*"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "\n": ""}
_BEFORE_VALUE = ("return", "typeof", "case", "in", "of", "delete", "else")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a program."""

    kind: str
    """"name", "number", "string", "sign", "join", "pattern", "text", "print", "printed" or "end"."""
    value: Any
    """What it is."""
    line: int
    """Its line [1]."""
    fresh: bool = False
    """Whether a line begins before it."""


def has_templates(text: str, language: str) -> bool:
    """Whether a text has programs of a language in it."""
    return MARKS[language][0] in text


def tokens_of(text: str, line: int, language: str) -> list[Token]:
    """The tokens of a template, its texts and the values that it prints among them."""
    opens, closes = MARKS[language]
    found: list[Token] = []
    at = 0
    while at < len(text):
        begin = text.find(opens, at)
        begin = len(text) if begin < 0 else begin
        if begin > at:
            found.append(Token("text", text[at:begin], line, True))
            line += text.count("\n", at, begin)
        if begin == len(text):
            break
        end = text.find(closes, begin)
        if end < 0:
            raise TemplateError(f"{opens} is never closed by {closes}", line)
        prints = text.startswith("=", begin + 2)
        code = text[begin + 2 + prints : end]
        if prints:
            found.append(Token("print", "", line, True))
        found += _Lexer(code, line, language).read()
        line += code.count("\n")
        if prints:
            found.append(Token("printed", "", line, True))
        at = end + 2
    found.append(Token("end", "the end", line, True))
    return found


class _Lexer:
    """One pass over a program."""

    def __init__(self, code: str, line: int, language: str):
        self.code, self.line, self.at, self.language = code, line, 0, language
        self.found: list[Token] = []
        names, signs = _NAME[language], _SIGNS[language]
        self.space = re.compile(_SPACE[language], re.DOTALL)
        self.plain = re.compile(f"(?P<number>{_NUMBER})|(?P<name>{names})|(?P<sign>{signs})")

    def read(self, until: str = "") -> list[Token]:
        """Tokens to the end, or to a closing brace that nothing opens."""
        depth = 0
        while True:
            fresh = self._skip() or not self.found
            if self.at >= len(self.code):
                if until:
                    raise TemplateError("${ is never closed", self.line)
                return self.found
            first = self.code[self.at]
            if until and first == "}" and depth == 0:
                self.at += 1
                return self.found
            depth += {"{": 1, "}": -1}.get(first, 0)
            self._token(first, fresh)

    def _skip(self) -> bool:
        found = self.space.match(self.code, self.at)
        if found is None:
            return False
        lines = found.group().count("\n")
        self.at, self.line = found.end(), self.line + lines
        return lines > 0

    def _token(self, first: str, fresh: bool) -> None:
        line = self.line
        if first in "\"'":
            self.found.append(Token("string", self._quoted(first), line, fresh))
        elif first == "`" and self.language == "javascript":
            self.found.append(Token("join", self._joined(), line, fresh))
        elif first == "/" and self.language == "javascript" and self._value_follows():
            self.found.append(Token("pattern", self._pattern(), line, fresh))
        elif self.language == "lua" and (
            long := re.compile(r"\[(=*)\[\n?(.*?)\]\1\]", re.DOTALL).match(self.code, self.at)
        ):
            self.at, self.line = long.end(), line + long.group().count("\n")
            self.found.append(Token("string", long.group(2), line, fresh))
        else:
            plain = self.plain.match(self.code, self.at)
            if plain is None:
                raise TemplateError(f"{first!r} is not known in a template", line)
            self.at = plain.end()
            kind, word = str(plain.lastgroup), plain.group()
            value = _number(word) if kind == "number" else word
            self.found.append(Token(kind, value, line, fresh))

    def _value_follows(self) -> bool:
        """Whether a slash begins a pattern: after a value it divides."""
        if not self.found:
            return True
        last = self.found[-1]
        if last.kind == "sign":
            return last.value not in (")", "]", "}")
        return last.kind == "name" and last.value in _BEFORE_VALUE

    def _quoted(self, quote: str) -> str:
        found = re.compile(rf"{quote}((?:[^{quote}\\\n]|\\.)*){quote}", re.DOTALL).match(self.code, self.at)
        if found is None:
            raise TemplateError(f"a text in {quote} is never closed", self.line)
        self.at = found.end()
        self.line += found.group().count("\n")
        return _unescaped(found.group(1))

    def _joined(self) -> list[Any]:
        parts: list[Any] = []
        piece = re.compile(r"((?:[^`\\$]|\\.|\$(?!\{))*)(`|\$\{)", re.DOTALL)
        self.at += 1
        while True:
            found = piece.match(self.code, self.at)
            if found is None:
                raise TemplateError("a text in ` is never closed", self.line)
            self.at = found.end()
            self.line += found.group().count("\n")
            parts.append(_unescaped(found.group(1)))
            if found.group(2) == "`":
                return parts
            outside, self.found = self.found, []
            inside = self.read("}")
            parts.append([*inside, Token("end", "the end", self.line, True)])
            self.found = outside

    def _pattern(self) -> tuple[str, str]:
        found = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)").match(self.code, self.at)
        if found is None:
            raise TemplateError("a pattern in / is never closed", self.line)
        self.at = found.end()
        return found.group(1), found.group(2)


def _number(word: str) -> float:
    return float(int(word, 16)) if word[:2] in ("0x", "0X") else float(word)


def _unescaped(text: str) -> str:
    def letter(found: re.Match[str]) -> str:
        if found.group(1):
            return chr(int(found.group(1), 16))
        return _ESCAPES.get(found.group(2), found.group(2))

    return re.sub(r"\\(?:[ux]([0-9a-fA-F]{4}|[0-9a-fA-F]{2})|(.))", letter, text, flags=re.DOTALL)
