"""The grammar of JavaScript, as far as templates use it."""

from __future__ import annotations

from typing import Any

from .js_expressions import MISSING, JsExpressions
from .tokens import Token
from .tree import (
    At,
    Block,
    Call,
    Constant,
    Declare,
    Each,
    Evaluate,
    If,
    Leave,
    Loop,
    Name,
    Return,
    Switch,
)  # fmt: skip

_STATEMENTS = (
    "let", "const", "var", "if", "while", "do", "for", "switch", "break", "continue", "return", "function", "import",
)  # fmt: skip


def javascript_tree(tokens: list[Token]) -> Block:
    """The statements of a template."""
    return _JavaScript(tokens).program()


class _JavaScript(JsExpressions):
    def program(self) -> Block:
        rows = []
        while self.next.kind != "end":
            rows.append(self.statement())
        return Block(tuple(rows))

    def statement(self) -> At:
        printed = self.printed()
        if printed is not None:
            return printed
        line = self.next.line
        return At(line, self._statement())

    def _statement(self) -> Any:
        if self.next.kind == "name":
            if self.next.value in MISSING:
                self.unknown(str(self.next.value))
            if self.next.value in _STATEMENTS:
                return getattr(self, f"_{self.take().value}")()
        if self.accepts(";"):
            return Block(())
        if self.sees("{"):
            return self.block()
        value = self.sequence()
        self.finish()
        return Evaluate(value)

    def finish(self) -> None:
        """The end of a statement: a semicolon, a brace, a new line or a text of the template."""
        if not self.accepts(";") and not (self.sees("}") or self.next.fresh or self.next.kind == "end"):
            self.refuse("there should be ;")

    def block(self) -> Block:
        self.expect("{")
        rows = []
        while not self.sees("}"):
            if self.next.kind == "end":
                self.refuse("there should be }")
            rows.append(self.statement())
        self.take()
        return Block(tuple(rows))

    def _let(self, outer: bool = False) -> Declare:
        declared = self.declared(outer)
        self.finish()
        return declared

    def _const(self) -> Declare:
        return self._let()

    def _var(self) -> Declare:
        return self._let(outer=True)

    def declared(self, outer: bool) -> Declare:
        targets, values = [], []
        while True:
            targets.append(self.target())
            values.append(self.expression() if self.accepts("=") else Constant(None))
            if not self.accepts(","):
                return Declare(tuple(targets), tuple(values), outer)

    def _if(self) -> If:
        self.expect("(")
        test = self.sequence()
        self.expect(")")
        yes = self.statement()
        return If(test, yes, self.statement() if self.accepts("else") else None)

    def _while(self) -> Loop:
        self.expect("(")
        test = self.sequence()
        self.expect(")")
        return Loop(None, test, None, self.statement())

    def _do(self) -> Loop:
        body = self.statement()
        self.expect("while")
        self.expect("(")
        test = self.sequence()
        self.expect(")")
        self.accepts(";")
        return Loop(None, test, None, body, late=True)

    def _for(self) -> Any:
        self.expect("(")
        first = None
        kind = self.accepts("let", "const", "var")
        if kind:
            start = self.at
            target = self.target()
            if self.sees("of", "in"):
                keys = self.take().value == "in"
                items = self.sequence()
                self.expect(")")
                return Each((target,), items, self.statement(), keys)
            self.at = start
            first = self.declared(kind == "var")
        elif not self.sees(";"):
            first = Evaluate(self.sequence())
        self.expect(";")
        test = Constant(True) if self.sees(";") else self.sequence()
        self.expect(";")
        step = None if self.sees(")") else self.sequence()
        self.expect(")")
        return Loop(first, test, step, self.statement())

    def _switch(self) -> Switch:
        self.expect("(")
        value = self.sequence()
        self.expect(")")
        self.expect("{")
        cases = []
        while not self.accepts("}"):
            if self.accepts("default"):
                test = None
            else:
                self.expect("case")
                test = self.sequence()
            self.expect(":")
            rows = []
            while not self.sees("case", "default", "}"):
                if self.next.kind == "end":
                    self.refuse("there should be }")
                rows.append(self.statement())
            cases.append((test, tuple(rows)))
        return Switch(value, tuple(cases))

    def _break(self) -> Leave:
        self.finish()
        return Leave("break")

    def _continue(self) -> Leave:
        self.finish()
        return Leave("continue")

    def _return(self) -> Return:
        ends = self.next.fresh or self.sees(";", "}") or self.next.kind == "end"
        values = () if ends else (self.sequence(),)
        self.finish()
        return Return(values)

    def _function(self) -> Declare:
        name = self.name()
        return Declare((Name(name),), (self.function_rest(),))

    def _import(self) -> Declare:
        """import * as a from 'a.js' and import {a, b} from 'a.js'."""
        if self.accepts("*"):
            self.expect("as")
            target: Any = Name(self.name())
        else:
            target = self.target()
        self.expect("from")
        if self.next.kind != "string":
            self.refuse("there should be the name of a module")
        module = str(self.take().value)
        self.finish()
        return Declare((target,), (Call(Name("import"), (Constant(module),)),))
