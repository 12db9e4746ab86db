"""The grammar of JavaScript, as far as templates use it."""

from __future__ import annotations

from .js_expressions import MISSING, JsExpressions
from .runtime import Statement


class JavaScript(JsExpressions):
    """Reads statements."""

    def program(self) -> Statement:
        """The statements of a template."""
        return self.statements("end")

    def statements(self, closes: str) -> Statement:
        """Statements to a closing brace or the end, with those first that declare functions."""
        functions: list[Statement] = []
        others: list[Statement] = []
        while self.next.kind != "end" and not (closes == "}" and self.sees("}")):
            rows = functions if self.sees("function") else others
            rows.append(self.statement())
        return self.make.block(functions + others)

    def block(self) -> Statement:
        """Statements in { }."""
        self.expect("{")
        found = self.statements("}")
        self.expect("}")
        return found

    def statement(self) -> Statement:
        """A statement with its line."""
        return self.line(self._statement)

    def _statement(self) -> Statement:
        if self.next.kind == "name":
            if self.next.value in MISSING:
                self.unknown(str(self.next.value))
            if self.next.value in _STATEMENTS:
                return _STATEMENTS[self.next.value](self, str(self.take().value))
        if self.accepts(";"):
            return self.make.block(())
        if self.sees("{"):
            return self.block()
        return self.finish(self.make.evaluate(self.sequence()))

    def finish(self, statement: Statement) -> Statement:
        """A statement after which a semicolon, a brace, a new line or a text of the template follows."""
        if not self.accepts(";") and not (self.sees("}") or self.next.fresh or self.next.kind == "end"):
            self.refuse(";")
        return statement

    def _let(self, word: str) -> Statement:
        return self.finish(self.declarations(word))

    def declarations(self, word: str) -> Statement:
        """Variables after let, const or var."""
        found = self.comma_list(lambda: self.declaration(word == "var"))
        return found[0] if len(found) == 1 else self.make.block(found, scope=False)

    def declaration(self, outer: bool) -> Statement:
        """One variable, or several in [] or {}, with its value."""
        target = self.target()
        value = self.expression() if self.accepts("=") else self.make.constant(None)
        return self.make.assign_all([target], [value], outer)

    def _if(self, word: str) -> Statement:
        test, yes = self.brackets(), self.statement()
        return self.make.branch(test, yes, self.statement() if self.accepts("else") else None)

    def _while(self, word: str) -> Statement:
        test = self.brackets()
        return self.make.loop(test, self.statement())

    def _do(self, word: str) -> Statement:
        body = self.statement()
        self.expect("while")
        test = self.brackets()
        self.accepts(";")
        return self.make.loop(test, body, late=True)

    def _for(self, word: str) -> Statement:
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
                return self.make.each([target], items, self.statement(), keys)
            self.at = start
            first = self.declarations(kind)
        elif not self.sees(";"):
            first = self.make.evaluate(self.sequence())
        self.expect(";")
        test = self.make.constant(True) if self.sees(";") else self.sequence()
        self.expect(";")
        step = None if self.sees(")") else self.sequence()
        self.expect(")")
        return self.make.loop(test, self.statement(), first=first, step=step)

    def _switch(self, word: str) -> Statement:
        value = self.brackets()
        self.expect("{")
        cases = []
        while not self.accepts("}"):
            test = None
            if not self.accepts("default"):
                self.expect("case")
                test = self.sequence()
            self.expect(":")
            rows: list[Statement] = []
            while not self.sees("case", "default", "}"):
                if self.next.kind == "end":
                    self.refuse("}")
                rows.append(self.statement())
            cases.append((test, rows))
        return self.make.switch(value, cases)

    def _leave(self, word: str) -> Statement:
        return self.finish(self.make.leave(word))

    def _return(self, word: str) -> Statement:
        ends = self.next.fresh or self.sees(";", "}") or self.next.kind == "end"
        return self.finish(self.make.give_back([] if ends else [self.sequence()]))

    def _function(self, word: str) -> Statement:
        target = self.make.declare(self.name())
        return self.make.assign_all([target], [self.function_rest()])

    def _import(self, word: str) -> Statement:
        """import * as a from 'a.js' and import {a, b} from 'a.js'."""
        if self.accepts("*"):
            self.expect("as")
        target = self.target()
        self.expect("from")
        if self.next.kind != "string":
            self.refuse("the name of a module")
        module = self.make.call(self.make.name("import"), [self.make.constant(self.take().value)])
        return self.finish(self.make.assign_all([target], [module]))


_STATEMENTS = {
    "let": JavaScript._let, "const": JavaScript._let, "var": JavaScript._let, "if": JavaScript._if,
    "while": JavaScript._while, "do": JavaScript._do, "for": JavaScript._for, "switch": JavaScript._switch,
    "break": JavaScript._leave, "continue": JavaScript._leave, "return": JavaScript._return,
    "function": JavaScript._function, "import": JavaScript._import,
}  # fmt: skip
