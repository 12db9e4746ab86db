"""Functions that a configuration text defines, followed with the arguments of each call.

A robot's file often makes its actuators in a function of its own: `knee = actuator("knee", 40.0)`. Such a function is
followed like the rest of the text, in the same bounded number of steps.
"""

from __future__ import annotations

import ast
from typing import Any

from .script_expressions import Expressions
from .script_names import one_line
from .script_values import LocalFunction, Unknown

CALLS = 40
"""Functions inside functions at most [1]."""
_UNWORKED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)


class Returned(Exception):
    """A function comes to its end."""

    def __init__(self, value: Any):
        super().__init__()
        self.value = value


class Raised(Exception):
    """A function ends in an error."""


class Frame:
    """One call of a function."""

    def __init__(self) -> None:
        self.perhaps: Unknown | None = None
        """Why it may have returned before its end; None: it has not."""


class Functions(Expressions):
    """Works out calls of the text's own functions."""

    frame: Frame | None = None
    """The call that is being followed; None: the file itself."""
    inside = 0
    """Calls that are being followed."""

    def _run(self, body: list[ast.stmt]) -> None:
        raise NotImplementedError

    def run_function(self, function: LocalFunction, node: ast.Call) -> Any:
        """What a function of the text returns."""
        values, more, lost = self._arguments(node)
        told = f"{one_line(node.func)}(...) is no function that is worked out here"
        inner = None if lost is not None or self.inside >= CALLS else self._bound(function, values, more)
        if inner is None:
            return Unknown(told, function.name)
        function.calls.append(set(inner) - function.defaulted(values, more))
        before = self.scopes, self.file, self.frame, self.called_at
        self.scopes, self.file, self.frame = [*function.scopes, inner], function.file, Frame()
        self.called_at = self.called_at or node.lineno
        self.inside += 1
        try:
            self._run(function.node.body)
            value = None
        except Returned as end:
            value = end.value
        except Raised:
            value = Unknown(f"{one_line(node)} ends in an error")
        finally:
            self.inside -= 1
            perhaps = self.frame.perhaps
            self.scopes, self.file, self.frame, self.called_at = before
            self.skip(*function.node.body)
        return value if perhaps is None else perhaps

    def _bound(self, function: LocalFunction, values: list[Any], more: dict[str, Any]) -> dict[str, Any] | None:
        """The arguments by their names; None where they do not fit, or the function is none that is followed."""
        node, given = function.node, node_arguments(function.node)
        if isinstance(node, ast.AsyncFunctionDef) or node.decorator_list:
            return None
        if any(isinstance(part, _UNWORKED) for part in ast.walk(node)):
            return None
        names, rest, others = [argument.arg for argument in given], node.args.vararg, node.args.kwarg
        only = [argument.arg for argument in node.args.kwonlyargs]
        if (len(values) > len(names) and rest is None) or set(names[: len(values)]) & set(more):
            return None
        inner: dict[str, Any] = dict(zip(names, values, strict=False))
        extra = {name: value for name, value in more.items() if name not in (*names, *only)}
        if extra and others is None:
            return None
        inner |= {name: value for name, value in more.items() if name not in extra}
        for name, default in function.defaults.items():
            if name not in inner:
                inner[name] = self.copy_of(default, 0) if isinstance(default, (list, dict)) else default
        if any(name not in inner for name in (*names, *only)):
            return None
        if rest is not None:
            inner[rest.arg] = tuple(values[len(names) :])
        if others is not None:
            inner[others.arg] = extra
        return inner

    def defaults_of(self, node: Any) -> dict[str, Any]:
        """The values that arguments have where they are not given, worked out where the function stands."""
        names = [argument.arg for argument in node_arguments(node)]
        found = dict(zip(names[len(names) - len(node.args.defaults) :], node.args.defaults, strict=True))
        found |= {a.arg: d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None}
        return {name: self.value(default) for name, default in found.items()}

    def _do_return(self, node: ast.Return) -> None:
        value = None if node.value is None else self.value(node.value)
        if self.frame is not None:
            raise Returned(value)
        if node.value is not None:
            self.scopes[-1]["return"] = value

    def _do_raise(self, node: ast.Raise) -> None:
        if self.frame is not None:
            raise Raised


def node_arguments(node: Any) -> list[ast.arg]:
    """The arguments of a function that may be given by their place."""
    return [*node.args.posonlyargs, *node.args.args]
