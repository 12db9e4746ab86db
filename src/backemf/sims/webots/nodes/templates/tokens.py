"""A template split into texts and programs, and the programs into tokens, for JavaScript and Lua."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .bounds import TemplateError

_NUMBER = r"0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_STRING = r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'"


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """How a language writes its tokens, as regular expressions."""

    opens: str
    closes: str
    space: re.Pattern[str]
    token: re.Pattern[str]


def _lexicon(opens: str, closes: str, space: str, **kinds: str) -> _Lexicon:
    token = "|".join(
        f"(?P<{kind}>{source})" for kind, source in {"number": _NUMBER, "string": _STRING, **kinds}.items()
    )
    return _Lexicon(opens, closes, re.compile(space, re.DOTALL), re.compile(token, re.DOTALL))


_LEXICONS = {
    "javascript": _lexicon(
        "%<", ">%", r"(?:\s|//[^\n]*|/\*.*?\*/)+",
        name=r"[A-Za-z_$][\w$]*",
        sign=r">>>=|===|!==|>>>|\*\*=|<<=|>>=|&&=|\|\|=|\?\?=|\.\.\.|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+"
        r"|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[-+*/%=<>!?:;,.(){}\[\]&|^~]",
    ),
    "lua": _lexicon(
        "%{", "}%", r"(?:\s|--\[(?P<equal>=*)\[.*?\](?P=equal)\]|--(?!\[=*\[)[^\n]*)+",
        name=r"[A-Za-z_]\w*",
        long=r"\[(?P<equal>=*)\[\n?(?P<inside>.*?)\](?P=equal)\]",
        sign=r"\.\.\.|\.\.|==|~=|<=|>=|::|//|[-+*/%^#=<>(){}\[\];:,.]",
    ),
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "\n": ""}
_PATTERN = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)")
_PIECE = re.compile(r"((?:[^`\\$]|\\.|\$(?!\{))*)(`|\$\{)", re.DOTALL)
_BEFORE_VALUE = ("return", "typeof", "case", "in", "of", "delete", "else")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a program."""

    kind: str
    """"name", "number", "string", "sign", "join", "pattern", "text", "print", "printed" or "end"."""
    value: Any
    """A number, a text, the source and flags of a pattern, or the texts and tokens of a join."""
    line: int
    """Its line [1]."""
    fresh: bool = False
    """Whether a line begins before it."""


def has_templates(text: str, language: str) -> bool:
    """Whether a text has programs of a language in it."""
    return _LEXICONS[language].opens in text


def tokens_of(text: str, line: int, language: str) -> list[Token]:
    """The tokens of a template, its texts and the values that it prints among them."""
    lexicon = _LEXICONS[language]
    found: list[Token] = []
    at = 0
    while at < len(text):
        begin = text.find(lexicon.opens, at)
        begin = len(text) if begin < 0 else begin
        if begin > at:
            found.append(Token("text", text[at:begin], line, True))
            line += text.count("\n", at, begin)
        if begin == len(text):
            break
        end = text.find(lexicon.closes, begin)
        if end < 0:
            raise TemplateError(f"{lexicon.opens} is never closed by {lexicon.closes}", line)
        prints = text.startswith("=", begin + 2)
        code = text[begin + 2 + prints : end]
        if prints:
            found.append(Token("print", "", line, True))
        found += _Lexer(code, line, lexicon).read()
        line += code.count("\n")
        if prints:
            found.append(Token("printed", "", line, True))
        at = end + 2
    found.append(Token("end", "the end", line, True))
    return found


class _Lexer:
    """One pass over a program."""

    def __init__(self, code: str, line: int, lexicon: _Lexicon):
        self.code, self.line, self.at, self.lexicon = code, line, 0, lexicon
        self.found: list[Token] = []

    def read(self, until: str = "") -> list[Token]:
        """Tokens to the end, or to a closing brace that nothing opens."""
        depth = 0
        while True:
            space = self.lexicon.space.match(self.code, self.at)
            fresh = not self.found or (space is not None and "\n" in space.group())
            if space is not None:
                self._pass(space)
            if self.at >= len(self.code):
                if until:
                    raise TemplateError("${ is never closed", self.line)
                return self.found
            letter = self.code[self.at]
            if until and letter == "}" and depth == 0:
                self.at += 1
                return self.found
            depth += {"{": 1, "}": -1}.get(letter, 0)
            line = self.line
            kind, value = self._token(letter)
            self.found.append(Token(kind, value, line, fresh))

    def _pass(self, found: re.Match[str]) -> None:
        self.at = found.end()
        self.line += found.group().count("\n")

    def _token(self, letter: str) -> tuple[str, Any]:
        if self.lexicon is _LEXICONS["javascript"]:
            if letter == "`":
                return "join", self._pieces()
            if letter == "/" and self._value_follows():
                return "pattern", self._match(_PATTERN, "a pattern in / is never closed").groups()
        wrong = f"a text in {letter} is never closed" if letter in "\"'" else f"{letter!r} is not known in a template"
        found = self._match(self.lexicon.token, wrong)
        kind, word = str(found.lastgroup), found.group()
        if kind == "number":
            return kind, float(int(word, 16)) if word[:2] in ("0x", "0X") else float(word)
        if kind == "string":
            return kind, _unescape(word[1:-1])
        return ("string", found["inside"]) if kind == "long" else (kind, word)

    def _match(self, pattern: re.Pattern[str], wrong: str) -> re.Match[str]:
        found = pattern.match(self.code, self.at)
        if found is None:
            raise TemplateError(wrong, self.line)
        self._pass(found)
        return found

    def _value_follows(self) -> bool:
        """Whether a slash begins a pattern: after a value it divides."""
        if not self.found:
            return True
        last = self.found[-1]
        if last.kind == "sign":
            return last.value not in (")", "]", "}")
        return last.kind == "name" and last.value in _BEFORE_VALUE

    def _pieces(self) -> list[str | list[Token]]:
        """The texts of `a${b}c`, and the tokens between them."""
        pieces: list[str | list[Token]] = []
        self.at += 1
        while True:
            found = self._match(_PIECE, "a text in ` is never closed")
            pieces.append(_unescape(found.group(1)))
            if found.group(2) == "`":
                return pieces
            outside, self.found = self.found, []
            pieces.append([*self.read("}"), Token("end", "the end", self.line, True)])
            self.found = outside


def _unescape(text: str) -> str:
    def letter(found: re.Match[str]) -> str:
        if found.group(1):
            return chr(int(found.group(1), 16))
        return _ESCAPES.get(found.group(2), found.group(2))

    return re.sub(r"\\(?:[ux]([0-9a-fA-F]{4}|[0-9a-fA-F]{2})|(.))", letter, text, flags=re.DOTALL)
