"""Lists and dictionaries that a configuration text makes by loops within an expression."""

from __future__ import annotations

import ast
from typing import Any

from .script_calls import Calls
from .script_names import one_line
from .script_operations import check_size, is_key, is_true
from .script_values import Unknown


class Comprehensions(Calls):
    """Works out comprehensions."""

    def _listcomp(self, node: ast.ListComp) -> Any:
        return self._comprehension(node.generators, lambda: self.value(node.elt))

    def _generatorexp(self, node: ast.GeneratorExp) -> Any:
        return self._comprehension(node.generators, lambda: self.value(node.elt))

    def _dictcomp(self, node: ast.DictComp) -> Any:
        pairs = self._comprehension(node.generators, lambda: (self.value(node.key), self.value(node.value)))
        if isinstance(pairs, Unknown):
            return pairs
        for key, _ in pairs:
            if isinstance(key, Unknown) or not is_key(key):
                return key if isinstance(key, Unknown) else Unknown(f"{one_line(node.key)} is no text")
        return dict(pairs)

    def _comprehension(self, generators: list[ast.comprehension], make: Any) -> Any:
        found: list[Any] = []
        with self.scope():
            unknown = self._loop(generators, lambda: found.append(make()) or check_size(found))
        return found if unknown is None else unknown

    def _loop(self, generators: list[ast.comprehension], body: Any) -> Unknown | None:
        if not generators:
            body()
            return None
        head, *rest = generators
        items = self.items_of(self.value(head.iter), head.iter)
        if isinstance(items, Unknown):
            # once, so that the actuators in it are seen
            self.bind(head.target, items)
            self._loop(rest, body)
            return items
        unknown = None
        for item in items:
            self.budget.spend()
            self.bind(head.target, item)
            tests = [self.value(test) for test in head.ifs]
            unsure = [test for test in tests if isinstance(test, Unknown)]
            if unsure:
                unknown = unsure[0]
            if all(isinstance(test, Unknown) or is_true(test) for test in tests):
                unknown = self._loop(rest, body) or unknown
        return unknown
