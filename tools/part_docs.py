"""Parts in the reference: what a field declares, its unit, default and bounds, stands where its docstring is shown."""

from __future__ import annotations

import ast
import re
from typing import Any

import griffe

MAKERS = ("number", "numbers", "table", "flag", "word", "words", "count", "one", "several", "record")
"""What a field of a part is made with."""
WITH_UNIT = ("number", "numbers", "table", "count")
"""Those whose first argument is a unit."""
OTHERS = ("_row", "figure", "field")
"""What other declarations are made with, which say nothing to a reader."""


class Parts(griffe.Extension):
    """Reads the declarations of parts as a person would."""

    def on_class_members(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        for member in cls.attributes.values():
            if isinstance(member.value, griffe.ExprCall) and str(member.value.function) in OTHERS:
                member.value = None
        if not any(str(decorator.value).startswith("part") for decorator in cls.decorators):
            return
        given = []
        for name, member in cls.attributes.items():
            if isinstance(member.value, griffe.ExprCall) and str(member.value.function) in MAKERS:
                declaration = Declaration(member.value)
                member.value = declaration.default
                if declaration.unit and member.docstring is not None:
                    member.docstring.value = with_unit(member.docstring.value, declaration.unit)
                given.append(
                    griffe.Parameter(
                        name,
                        annotation=member.annotation,
                        kind=griffe.ParameterKind.keyword_only,
                        default=declaration.default,
                    )
                )
        if given and "__init__" not in cls.members:
            own = griffe.Parameter("self", kind=griffe.ParameterKind.positional_only)
            cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(own, *given)))


class Declaration:
    """Unit and default of a field, from the call that declares it."""

    def __init__(self, call: griffe.ExprCall):
        plain = [argument for argument in call.arguments if not isinstance(argument, griffe.ExprKeyword)]
        named = {
            argument.name: argument.value for argument in call.arguments if isinstance(argument, griffe.ExprKeyword)
        }
        self.unit = ast.literal_eval(str(plain[0])) if str(call.function) in WITH_UNIT and plain else None
        self.default = named.get("default")


def with_unit(text: str, unit: str) -> str:
    """A sentence with the unit in brackets behind what it says first."""
    return re.sub(r"(?=[;:.](\s|$))", f" [{unit}]", text.rstrip(), count=1)
