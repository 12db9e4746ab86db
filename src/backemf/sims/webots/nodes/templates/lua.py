"""The grammar of Lua, as far as templates use it."""

from __future__ import annotations

from .expressions import Expression
from .grammar import Grammar, precedence
from .runtime import Parameter, Put, Statement

_WORDS = {"nil": None, "true": True, "false": False}
_ENDS = ("end", "else", "elseif", "until")
_RESERVED = (
    *_ENDS, "and", "break", "do", "for", "function", "goto", "if", "in", "local", "not", "or", "repeat", "return",
    "then", "while", *_WORDS,
)  # fmt: skip


class Lua(Grammar):
    """Reads statements and expressions."""

    # texts are joined from the right, which only the order of work would tell
    precedence = precedence("or", "and", "< > <= >= ~= ==", "..", "+ -", "* / % //")

    def name(self) -> str:
        """A name that has to follow."""
        if self.sees(*_RESERVED):
            self.refuse("a name")
        return super().name()

    # --- statements

    def program(self) -> Statement:
        """The statements of a template."""
        found = self.block()
        if self.next.kind != "end":
            self.refuse("a statement")
        return found

    def block(self, *closes: str) -> Statement:
        """Statements to the word that closes them, which is taken if it is given."""
        rows: list[Statement] = []
        while self.next.kind != "end" and not self.sees(*_ENDS):
            if not self.accepts(";"):
                rows.append(self.line(self.statement))
        self.expect(*closes)
        return self.make.block(rows)

    def statement(self) -> Statement:
        """A statement without its line."""
        if self.sees("goto", "::"):
            self.unknown("goto")
        word = self.next.value
        if self.next.kind == "name" and word in _STATEMENTS:
            self.take()
            return _STATEMENTS[word](self)
        return self.assign()

    def _local(self) -> Statement:
        if self.accepts("function"):
            return self.make.assign_all([self.declared_name()], [self.function_rest()])
        names = self.comma_list(self.declared_name)
        return self.make.assign_all(names, self.values() if self.accepts("=") else [])

    def declared_name(self) -> Put:
        """A variable that is declared."""
        return self.make.declare(self.name())

    def _if(self) -> Statement:
        test = self.expression()
        self.expect("then")
        yes = self.block()
        if self.accepts("elseif"):
            return self.make.branch(test, yes, self._if())
        no = self.block() if self.accepts("else") else None
        self.expect("end")
        return self.make.branch(test, yes, no)

    def _for(self) -> Statement:
        if self.tokens[self.at + 1].value == "=":
            name = self.name()
            self.take()
            bounds = self.values()
            if len(bounds) not in (2, 3):
                self.refuse("two or three numbers before do")
            self.expect("do")
            return self.make.count(name, [*bounds, self.make.constant(1.0)][:3], self.block("end"))
        names = self.comma_list(self.declared_name)
        self.expect("in")
        items = self.values()
        self.expect("do")
        return self.make.each(names, items[0], self.block("end"))

    def _while(self) -> Statement:
        test = self.expression()
        self.expect("do")
        return self.make.loop(test, self.block("end"))

    def _repeat(self) -> Statement:
        body = self.block("until")
        return self.make.loop(self.expression(), body, late=True, until=True)

    def _function(self) -> Statement:
        target = self.make.name(self.name())
        while self.accepts("."):
            target = self.make.index(target, self.make.constant(self.name()))
        if self.sees(":"):
            self.unknown("a function with : in its name")
        return self.make.assign_all([target.put] if target.put else [], [self.function_rest()])

    def _return(self) -> Statement:
        ends = self.next.kind in ("end", "text", "print") or self.sees(*_ENDS, ";")
        return self.make.give_back([] if ends else self.values())

    def assign(self) -> Statement:
        """a, b = c, d, or a call."""
        targets = self.comma_list(self.suffixes)
        if len(targets) == 1 and targets[0].all:
            return self.make.evaluate(targets[0])
        puts = [target.put for target in targets if target.put]
        if len(puts) < len(targets):
            self.refuse("a statement")
        self.expect("=")
        return self.make.assign_all(puts, self.values())

    # --- expressions

    def values(self) -> list[Expression]:
        """Expressions between commas."""
        return self.comma_list(self.expression)

    def expression(self) -> Expression:
        """An expression."""
        return self.operation()

    def unary(self) -> Expression:
        """A value with the operators before it."""
        sign = self.accepts("-", "not", "#")
        if sign:
            return self.make.unary(sign, self.unary())
        value = self.simple()
        if self.accepts("^"):
            return self.make.binary("^", value, self.unary())
        return value

    def simple(self) -> Expression:
        """A value without operators."""
        token = self.next
        if token.kind in ("number", "string"):
            return self.make.constant(self.take().value)
        if self.sees(*_WORDS):
            return self.make.constant(_WORDS[self.take().value])
        if self.accepts("..."):
            return self.make.rest()
        if self.accepts("{"):
            return self.table()
        if self.accepts("function"):
            return self.function_rest()
        return self.suffixes()

    def suffixes(self) -> Expression:
        """A name, or a value in ( ), with the items and calls after it."""
        if self.accepts("("):
            value = self.expression()
            self.expect(")")
        else:
            value = self.make.name(self.name())
        while True:
            if self.accepts("."):
                value = self.make.index(value, self.make.constant(self.name()))
            elif self.accepts("["):
                value = self.make.index(value, self.expression())
                self.expect("]")
            elif self.accepts(":"):
                method = self.make.index(value, self.make.constant(self.name()))
                value = self.make.call(method, self.arguments(), method=True)
            elif self.sees("(", "{") or self.next.kind == "string":
                value = self.make.call(value, self.arguments())
            else:
                return value

    def arguments(self) -> list[Expression]:
        """Arguments of a call: several in ( ), one text or one table."""
        if self.next.kind == "string":
            return [self.make.constant(self.take().value)]
        if self.accepts("{"):
            return [self.table()]
        self.expect("(")
        return self.until(")", self.expression)

    def table(self) -> Expression:
        """A table after its {."""
        return self.make.record(self.until("}", self.member, (",", ";")))

    def member(self) -> tuple[Expression | None, Expression]:
        """An item of a table, with its key if it has one."""
        key = None
        if self.accepts("["):
            key = self.expression()
            self.expect("]", "=")
        elif self.next.kind == "name" and self.tokens[self.at + 1].value == "=":
            key = self.make.constant(self.name())
            self.take()
        return key, self.expression()

    def function_rest(self) -> Expression:
        """A function from its parameters on."""
        self.expect("(")
        parameters = self.until(")", self.parameter)
        return self.make.function(parameters, self.block("end"))

    def parameter(self) -> Parameter:
        """A parameter of a function."""
        if self.accepts("..."):
            return Parameter(self.make.declare("..."), rest=True)
        return Parameter(self.declared_name())


_STATEMENTS = {
    "local": Lua._local, "if": Lua._if, "for": Lua._for, "while": Lua._while, "repeat": Lua._repeat,
    "function": Lua._function, "return": Lua._return, "do": lambda grammar: grammar.block("end"),
    "break": lambda grammar: grammar.make.leave("break"),
}  # fmt: skip
