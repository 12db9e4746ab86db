"""Conditions and loops of a configuration text: what may or may not be run leaves behind what is not known."""

from __future__ import annotations

import ast

from .script_assignments import Assignments
from .script_functions import Raised, Returned
from .script_names import one_line
from .script_values import Unknown


class Branches(Assignments):
    """Follows statements, as far as the text says which are run."""

    def _run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.budget.spend()
            handler = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if handler is not None:
                handler(statement)

    def _do_if(self, node: ast.If) -> None:
        taken = self.decide(node.test)
        if taken is None:
            for body in (node.body, node.orelse):
                self._perhaps(body, node.test, "it depends on")
            return
        self.skip(*(node.orelse if taken else node.body))
        self._run(node.body if taken else node.orelse)

    def _perhaps(self, body: list[ast.stmt], test: ast.AST, why: str) -> None:
        """Follow statements that may or may not be run; afterwards what they change is not known."""
        before, self.changes = self.changes, []
        lost = Unknown(f"{why} {one_line(test)}, which is not known")
        try:
            self._run(body)
        except Returned:
            # the rest of the function is followed too
            assert self.frame is not None
            self.frame.perhaps = lost
        except Raised:
            # a program that goes on has not come here
            pass
        finally:
            changed, self.changes = self.changes, before
            for owner, key in changed:
                if key is not None:
                    owner[key] = lost
                elif isinstance(owner, list):
                    owner[:] = [lost]
                elif isinstance(owner, dict):
                    owner.update(dict.fromkeys(owner, lost))
            if self.changes is not None:
                self.changes.extend(changed)

    def _do_for(self, node: ast.For) -> None:
        items = self.items_of(self.value(node.iter), node.iter)
        ends = any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(node))
        if isinstance(items, Unknown) or ends:
            self.bind(
                node.target, items if isinstance(items, Unknown) else Unknown(f"{one_line(node.target)} is not known")
            )
            self._perhaps(node.body, node.iter, "it depends on a loop over")
            return
        for item in items:
            self.bind(node.target, item)
            self._run(node.body)
        self._run(node.orelse)

    def _do_while(self, node: ast.While) -> None:
        self._perhaps(node.body, node.test, "it depends on")

    def _do_with(self, node: ast.With) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, value, item.context_expr)
        self._run(node.body)

    def _do_try(self, node: ast.Try) -> None:
        self._run(node.body)
        for handler in node.handlers:
            self._perhaps(handler.body, handler.type or node, "it depends on")
        self._run(node.orelse)
        self._run(node.finalbody)

    def _do_match(self, node: ast.Match) -> None:
        for case in node.cases:
            self._perhaps(case.body, node.subject, "it depends on")
