"""The grammar of Lua, as far as templates use it."""

from __future__ import annotations

from typing import Any

from .grammar import Grammar
from .tokens import Token
from .tree import (
    AssignMany,
    At,
    Binary,
    Block,
    Call,
    Constant,
    Count,
    Declare,
    Each,
    Evaluate,
    FunctionBody,
    If,
    Index,
    Leave,
    Loop,
    Name,
    Record,
    Rest,
    Return,
    Unary,
)  # fmt: skip

_WORDS = {"nil": None, "true": True, "false": False}
_ENDS = ("end", "else", "elseif", "until")
_RESERVED = (
    *_ENDS, "and", "break", "do", "for", "function", "goto", "if", "in", "local", "not", "or", "repeat", "return",
    "then", "while", *_WORDS,
)  # fmt: skip


def lua_tree(tokens: list[Token]) -> Block:
    """The statements of a template."""
    grammar = _Lua(tokens)
    program = grammar.block()
    if grammar.next.kind != "end":
        grammar.refuse("there should be a statement")
    return program


class _Lua(Grammar):
    # texts are joined from the right, which only the order of work would tell
    levels = (
        ("or",), ("and",), ("<", ">", "<=", ">=", "~=", "=="), ("..",), ("+", "-"), ("*", "/", "%", "//"),
    )  # fmt: skip
    logical = ("or", "and")

    def name(self) -> str:
        if self.sees(*_RESERVED):
            self.refuse("there should be a name")
        return super().name()

    # --- statements

    def block(self) -> Block:
        rows: list[At] = []
        while self.next.kind != "end" and not self.sees(*_ENDS):
            printed = self.printed()
            if printed is not None:
                rows.append(printed)
                continue
            line = self.next.line
            if self.accepts(";"):
                continue
            rows.append(At(line, self.statement()))
        return Block(tuple(rows))

    def closed_block(self) -> Block:
        found = self.block()
        self.expect("end")
        return found

    def statement(self) -> Any:
        if self.sees("goto", "::"):
            self.unknown("goto")
        for word, read in (
            ("local", self.local), ("if", self.branches), ("for", self.loop), ("while", self.until_false),
            ("repeat", self.repeat), ("function", self.function), ("return", self.returned),
        ):  # fmt: skip
            if self.accepts(word):
                return read()
        if self.accepts("do"):
            return self.closed_block()
        if self.accepts("break"):
            return Leave("break")
        return self.assigned()

    def local(self) -> Declare:
        if self.accepts("function"):
            return Declare((Name(self.name()),), (self.function_rest(),))
        names = [Name(self.name())]
        while self.accepts(","):
            names.append(Name(self.name()))
        return Declare(tuple(names), self.values() if self.accepts("=") else ())

    def branches(self) -> If:
        test = self.expression()
        self.expect("then")
        yes = self.block()
        if self.accepts("elseif"):
            return If(test, yes, self.branches())
        no = self.block() if self.accepts("else") else None
        self.expect("end")
        return If(test, yes, no)

    def loop(self) -> Any:
        name = self.name()
        if self.accepts("="):
            bounds = self.values()
            if len(bounds) not in (2, 3):
                self.refuse("there should be two or three numbers before do")
            self.expect("do")
            step = bounds[2] if len(bounds) == 3 else Constant(1.0)
            return Count(name, bounds[0], bounds[1], step, self.closed_block())
        names = [Name(name)]
        while self.accepts(","):
            names.append(Name(self.name()))
        self.expect("in")
        items = self.values()
        self.expect("do")
        return Each(tuple(names), items[0], self.closed_block())

    def until_false(self) -> Loop:
        test = self.expression()
        self.expect("do")
        return Loop(None, test, None, self.closed_block())

    def repeat(self) -> Loop:
        body = self.block()
        self.expect("until")
        return Loop(None, self.expression(), None, body, late=True, until=True)

    def function(self) -> Any:
        target: Any = Name(self.name())
        while self.accepts("."):
            target = Index(target, Constant(self.name()))
        if self.sees(":"):
            self.unknown("a function with : in its name")
        return AssignMany((target,), (self.function_rest(),))

    def returned(self) -> Return:
        ends = self.next.kind in ("end", "text", "print") or self.sees(*_ENDS, ";")
        return Return(() if ends else self.values())

    def assigned(self) -> Any:
        first = self.suffixed()
        if isinstance(first, Call):
            return Evaluate(first)
        targets = [first]
        while self.accepts(","):
            targets.append(self.suffixed())
        if not all(isinstance(each, (Name, Index)) for each in targets):
            self.refuse("there should be a statement")
        self.expect("=")
        return AssignMany(tuple(targets), self.values())

    # --- expressions

    def values(self) -> tuple[Any, ...]:
        found = [self.expression()]
        while self.accepts(","):
            found.append(self.expression())
        return tuple(found)

    def expression(self) -> Any:
        return self.level(0)

    def unary(self) -> Any:
        sign = self.accepts("-", "not", "#")
        if sign:
            return Unary(sign, self.unary())
        value = self.simple()
        if self.accepts("^"):
            return Binary("^", value, self.unary())
        return value

    def simple(self) -> Any:
        token = self.next
        if token.kind in ("number", "string"):
            self.take()
            return Constant(token.value)
        if token.kind == "name" and token.value in _WORDS:
            self.take()
            return Constant(_WORDS[token.value])
        if self.accepts("..."):
            return Rest()
        if self.sees("{"):
            return self.table()
        if self.accepts("function"):
            return self.function_rest()
        return self.suffixed()

    def suffixed(self) -> Any:
        if self.accepts("("):
            value = self.expression()
            self.expect(")")
        else:
            value = Name(self.name())
        while True:
            if self.accepts("."):
                value = Index(value, Constant(self.name()))
            elif self.accepts("["):
                value = Index(value, self.expression())
                self.expect("]")
            elif self.accepts(":"):
                method = self.name()
                value = Call(value, self.arguments(), method)
            elif self.sees("(", "{") or self.next.kind == "string":
                value = Call(value, self.arguments())
            else:
                return value

    def arguments(self) -> tuple[Any, ...]:
        if self.next.kind == "string":
            return (Constant(self.take().value),)
        if self.sees("{"):
            return (self.table(),)
        self.expect("(")
        if self.accepts(")"):
            return ()
        found = self.values()
        self.expect(")")
        return found

    def table(self) -> Record:
        self.expect("{")
        pairs: list[tuple[Any, Any]] = []
        while not self.accepts("}"):
            if self.accepts("["):
                key = self.expression()
                self.expect("]")
                self.expect("=")
                pairs.append((key, self.expression()))
            elif self.next.kind == "name" and self.tokens[self.at + 1].value == "=":
                key = Constant(self.name())
                self.take()
                pairs.append((key, self.expression()))
            else:
                pairs.append((None, self.expression()))
            if not self.accepts(",", ";") and not self.sees("}"):
                self.refuse("there should be }")
        return Record(tuple(pairs))

    def function_rest(self) -> FunctionBody:
        self.expect("(")
        found: list[tuple[Any, Any]] = []
        rest = ""
        while not self.accepts(")"):
            if self.accepts("..."):
                rest = "..."
            else:
                found.append((Name(self.name()), None))
            if not self.sees(")"):
                self.expect(",")
        return FunctionBody(tuple(found), rest, self.closed_block())
