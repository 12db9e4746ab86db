"""What the grammars of both languages share: a row of tokens, operators by their precedence, and errors with a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from .bounds import TemplateError
from .expressions import Expression
from .runtime import Statement
from .statements import Compiler
from .tokens import Token

T = TypeVar("T")


def precedence(*levels: str) -> dict[str, int]:
    """How strongly operators bind, from those that bind least."""
    return {sign: level for level, signs in enumerate(levels) for sign in signs.split()}


class Grammar:
    """A parser over a row of tokens, which compiles what it reads."""

    precedence: Mapping[str, int] = {}
    """Operators between two values, and how strongly they bind [1]."""

    def __init__(self, tokens: list[Token], make: Compiler):
        self.tokens, self.make, self.at = tokens, make, 0

    @property
    def next(self) -> Token:
        """The token that follows."""
        return self.tokens[self.at]

    def take(self) -> Token:
        """The token that follows, taken."""
        token = self.next
        if token.kind != "end":
            self.at += 1
        return token

    def sees(self, *words: str) -> bool:
        """Whether one of these signs or words follows."""
        return self.next.kind in ("sign", "name") and self.next.value in words

    def accepts(self, *words: str) -> str:
        """The sign or word that follows, taken, if it is one of these; else nothing."""
        return str(self.take().value) if self.sees(*words) else ""

    def expect(self, *words: str) -> None:
        """Take signs or words that have to follow."""
        for word in words:
            if not self.accepts(word):
                self.refuse(word)

    def name(self) -> str:
        """A name that has to follow."""
        if self.next.kind != "name":
            self.refuse("a name")
        return str(self.take().value)

    def refuse(self, expected: str) -> NoReturn:
        """Raise that something else should follow."""
        found = "the end of the program" if self.next.kind in ("end", "printed") else f"{self.next.value!r:.40}"
        raise TemplateError(f"expected {expected} but found {found}", self.next.line)

    def unknown(self, what: str) -> NoReturn:
        """Raise that the language has something that this interpreter does not."""
        raise TemplateError(f"{what} is not known to the interpreter of templates here", self.next.line)

    def until(self, closes: str, read: Callable[[], T], separators: tuple[str, ...] = (",",)) -> list[T]:
        """What `read` reads between separators, to a closing sign."""
        found: list[T] = []
        while not self.accepts(closes):
            found.append(read())
            if not self.accepts(*separators) and not self.sees(closes):
                self.refuse(closes)
        return found

    def comma_list(self, read: Callable[[], T]) -> list[T]:
        """What `read` reads, once and after every comma."""
        found = [read()]
        while self.accepts(","):
            found.append(read())
        return found

    def line(self, read: Callable[[], Statement]) -> Statement:
        """A statement with its line: what `read` reads, a text of the template, or a value that it prints."""
        line, before, kind = self.next.line, self.make.parts, self.next.kind
        return self.make.at(line, before, self.output() if kind in ("text", "print") else read())

    def output(self) -> Statement:
        """A text of the template, or a value that it prints."""
        token = self.take()
        if token.kind == "text":
            return self.make.copy_text(token.value)
        value = self.expression()
        self.accepts(";")
        if self.next.kind != "printed":
            self.refuse("the end of the value")
        self.take()
        return self.make.print(value)

    def program(self) -> Statement:
        """The statements of a template."""
        raise NotImplementedError

    def expression(self) -> Expression:
        """An expression of the language."""
        raise NotImplementedError

    def unary(self) -> Expression:
        """A value with the operators before it."""
        raise NotImplementedError

    def operation(self, least: int = 0) -> Expression:
        """Values with operators between them that bind at least so strongly, joined from the left."""
        left = self.unary()
        while self.next.kind in ("sign", "name") and self.precedence.get(self.next.value, -1) >= least:
            sign = str(self.take().value)
            left = self.make.binary(sign, left, self.operation(self.precedence[sign] + 1))
        return left
