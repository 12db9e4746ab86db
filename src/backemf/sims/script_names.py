"""How a configuration text calls its things: dotted names, names of classes, expressions on one line."""

from __future__ import annotations

import ast
import re


def one_line(node: ast.AST) -> str:
    """An expression on one line, as far as a sentence has room for it."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return "an expression"
    return re.sub(r"\s+", " ", text)[:60]


def last_name(node: ast.AST) -> str:
    """Last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def dotted_name(node: ast.AST) -> str:
    """A dotted name, or an empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 10:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def is_class(name: str) -> bool:
    """Whether a name is that of a class, as Python writes them."""
    return name.lstrip("_")[:1].isupper() and not name.isupper()
