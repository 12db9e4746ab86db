"""What the grammars of both languages share: a row of tokens, and sentences about what is not there."""

from __future__ import annotations

from typing import Any, NoReturn

from .bounds import TemplateError
from .tokens import Token
from .tree import At, Binary, Constant, Logical, Print


class Grammar:
    """A parser over a row of tokens."""

    levels: tuple[tuple[str, ...], ...] = ()
    """Signs between two values, those that bind least first."""
    logical: tuple[str, ...] = ()
    """Those of them whose right side is evaluated only if needed."""

    def __init__(self, tokens: list[Token]):
        self.tokens, self.at = tokens, 0

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

    def expect(self, word: str) -> Token:
        """A sign or a word that has to follow."""
        if not self.sees(word):
            self.refuse(f"there should be {word}")
        return self.take()

    def name(self) -> str:
        """A name that has to follow."""
        if self.next.kind != "name":
            self.refuse("there should be a name")
        return str(self.take().value)

    def refuse(self, what: str) -> NoReturn:
        """What is wrong with the token that follows."""
        shown = "the end of the program" if self.next.kind in ("end", "printed") else f"{self.next.value!r:.40}"
        raise TemplateError(f"{what}, and there is {shown}", self.next.line)

    def unknown(self, what: str) -> NoReturn:
        """What the language has and this interpreter does not."""
        raise TemplateError(f"{what} is not known to the interpreter of templates here", self.next.line)

    def printed(self) -> At | None:
        """A text of the template, or a value that it prints."""
        token = self.next
        if token.kind == "text":
            self.take()
            return At(token.line, Print(Constant(token.value)))
        if token.kind != "print":
            return None
        self.take()
        value = self.expression()
        self.accepts(";")
        if self.next.kind != "printed":
            self.refuse("there should be the end of the value")
        self.take()
        return At(token.line, Print(value))

    def expression(self) -> Any:
        """An expression of the language."""
        raise NotImplementedError

    def unary(self) -> Any:
        """A value with the signs before it."""
        raise NotImplementedError

    def level(self, index: int) -> Any:
        """Values with signs of a level, or of those that bind more, between them, joined from the left."""
        if index == len(self.levels):
            return self.unary()
        left = self.level(index + 1)
        while self.sees(*self.levels[index]):
            sign = str(self.take().value)
            right = self.level(index + 1)
            left = Logical(sign, left, right) if sign in self.logical else Binary(sign, left, right)
        return left
