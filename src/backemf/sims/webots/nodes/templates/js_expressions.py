"""The grammar of JavaScript's expressions, as far as templates use them."""

from __future__ import annotations

from typing import Any

from .grammar import Grammar
from .tokens import Token
from .tree import (
    Array,
    Assign,
    At,
    Binary,
    Block,
    Call,
    Choice,
    Constant,
    FunctionBody,
    Index,
    Join,
    Name,
    Pattern,
    Record,
    Return,
    Spread,
    Unary,
)  # fmt: skip

_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=")
_WORDS = {"true": True, "false": False, "undefined": None}
MISSING = ("class", "async", "await", "yield", "try", "throw", "with", "debugger", "export", "super", "instanceof")


class Null:
    """null, which is not undefined."""


NULL = Null()


class JsExpressions(Grammar):
    """Reads expressions."""

    levels = (
        ("??",), ("||",), ("&&",), ("|",), ("^",), ("&",), ("===", "!==", "==", "!="),
        ("<", ">", "<=", ">=", "in", "instanceof"), ("<<", ">>", ">>>"), ("+", "-"), ("*", "/", "%"),
    )  # fmt: skip
    logical = ("??", "||", "&&")

    def block(self) -> Block:
        """Statements in braces, as of a function."""
        raise NotImplementedError

    def sequence(self) -> Any:
        value = self.expression()
        while self.accepts(","):
            value = Index(Array((value, self.expression())), Constant(1.0))
        return value

    def expression(self) -> Any:
        arrow = self.arrow()
        if arrow is not None:
            return arrow
        left = self.level(0)
        if self.accepts("?"):
            yes = self.expression()
            self.expect(":")
            return Choice(left, yes, self.expression())
        if self.next.kind == "sign" and self.next.value in _ASSIGN:
            if not isinstance(left, (Name, Index, Array, Record)):
                self.refuse("there should be something that can be assigned to")
            sign = str(self.take().value)[:-1]
            return Assign(left, sign, self.expression())
        return left

    def unary(self) -> Any:
        sign = self.accepts("-", "+", "!", "~", "typeof", "delete", "void", "++", "--")
        if sign in ("++", "--"):
            return Assign(self.unary(), sign[0], Constant(1.0))
        if sign:
            return Unary(sign, self.unary())
        value = self.postfix(self.primary())
        if self.sees("++", "--") and not self.next.fresh:
            return Assign(value, str(self.take().value)[0], Constant(1.0), after=True)
        if self.accepts("**"):
            return Binary("**", value, self.unary())
        return value

    def postfix(self, value: Any) -> Any:
        while True:
            if self.accepts("."):
                value = Index(value, Constant(self.name()))
            elif self.sees("?."):
                self.unknown("?.")
            elif self.accepts("["):
                value = Index(value, self.sequence())
                self.expect("]")
            elif self.sees("("):
                value = Call(value, self.arguments())
            else:
                return value

    def arguments(self) -> tuple[Any, ...]:
        self.expect("(")
        return self.items(")")

    def items(self, closes: str) -> tuple[Any, ...]:
        found = []
        while not self.accepts(closes):
            found.append(Spread(self.expression()) if self.accepts("...") else self.expression())
            if not self.sees(closes):
                self.expect(",")
        return tuple(found)

    def primary(self) -> Any:
        token = self.take()
        if token.kind in ("number", "string"):
            return Constant(token.value)
        if token.kind == "join":
            return Join(tuple(Constant(p) if isinstance(p, str) else type(self)(p).sequence() for p in token.value))
        if token.kind == "pattern":
            return Pattern(*token.value)
        if token.kind == "sign" and token.value == "(":
            value = self.sequence()
            self.expect(")")
            return value
        if token.kind == "sign" and token.value == "[":
            return Array(self.items("]"))
        if token.kind == "sign" and token.value == "{":
            return self.record()
        if token.kind == "name" and token.value in _WORDS:
            return Constant(_WORDS[token.value])
        if token.kind == "name":
            return self.word(token)
        self.at -= token.kind != "end"
        self.refuse("there should be a value")

    def word(self, token: Token) -> Any:
        if token.value == "null":
            return Constant(NULL)
        if token.value == "function":
            if self.next.kind == "name":
                self.take()
            return self.function_rest()
        if token.value == "new":
            made = self.name()
            return Call(Name(f"new {made}"), self.arguments() if self.sees("(") else ())
        if token.value in MISSING:
            self.at -= 1
            self.unknown(str(token.value))
        return Name(str(token.value))

    def record(self) -> Record:
        pairs: list[tuple[Any, Any]] = []
        while not self.accepts("}"):
            if self.accepts("..."):
                pairs.append((None, self.expression()))
            elif self.accepts("["):
                key = self.expression()
                self.expect("]")
                self.expect(":")
                pairs.append((key, self.expression()))
            else:
                token = self.take()
                if token.kind not in ("name", "string", "number"):
                    self.refuse("there should be the name of a property")
                if token.kind == "name" and self.sees(",", "}"):
                    pairs.append((Constant(token.value), Name(str(token.value))))
                elif self.sees("("):
                    pairs.append((Constant(token.value), self.function_rest()))
                else:
                    self.expect(":")
                    pairs.append((Constant(token.value), self.expression()))
            if not self.sees("}"):
                self.expect(",")
        return Record(tuple(pairs))

    # --- functions

    def arrow(self) -> FunctionBody | None:
        """a => b and (a, b) => c, which only what follows the brackets tells from a value."""
        start = self.at
        if self.next.kind == "name" and self._after_is(self.at + 1, "=>"):
            parameters: Any = ((Name(self.name()), None),)
            rest = ""
        elif self.sees("(") and self._after_is(self._closing(start) + 1, "=>"):
            parameters, rest = self.parameters()
        else:
            return None
        self.expect("=>")
        if self.sees("{"):
            return FunctionBody(parameters, rest, self.block())
        line = self.next.line
        return FunctionBody(parameters, rest, At(line, Return((self.expression(),))))

    def _after_is(self, at: int, sign: str) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "sign" and self.tokens[at].value == sign

    def _closing(self, at: int) -> int:
        depth = 0
        for index in range(at, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "sign":
                depth += {"(": 1, ")": -1}.get(token.value, 0)
                if depth == 0:
                    return index
        return len(self.tokens)

    def parameters(self) -> tuple[tuple[tuple[Any, Any], ...], str]:
        self.expect("(")
        found, rest = [], ""
        while not self.accepts(")"):
            if self.accepts("..."):
                rest = self.name()
            else:
                target = self.target()
                found.append((target, self.expression() if self.accepts("=") else None))
            if not self.sees(")"):
                self.expect(",")
        return tuple(found), rest

    def function_rest(self) -> FunctionBody:
        parameters, rest = self.parameters()
        return FunctionBody(parameters, rest, self.block())

    def target(self) -> Any:
        """A variable, or several in [] or {}."""
        if self.accepts("["):
            items = []
            while not self.accepts("]"):
                items.append(self.target())
                self.accepts(",")
            return Array(tuple(items))
        if self.accepts("{"):
            pairs = []
            while not self.accepts("}"):
                key = self.name()
                pairs.append((Constant(key), self.target() if self.accepts(":") else Name(key)))
                self.accepts(",")
            return Record(tuple(pairs))
        return Name(self.name())
