"""The best pairs of a task, each with its motor as a file."""

from __future__ import annotations

from ..actuator import Actuator
from ..motorfile import dumps
from ..values import Json
from .found import Found
from .joint_found import Choice

SHOWN = 100
"""Most pairs of a front [1]."""


def pair_files(found: Found, top: int) -> dict[str, Json]:
    """By joint: `rows`, the best `top` pairs, and `front`, those that no other beats in all that is wanted.

    A pair is its name, its figures in SI, the limit that it comes nearest to, that margin, and the text of its motor
    file on the task's supply.
    """

    def row(choice: Choice) -> Json:
        limit, margin = choice.tightest if choice.margins else ("", 1.0)
        text = dumps(Actuator(motor=choice.motor, supply=found.task.supply))
        return {"name": choice.name, **choice.figures, "tightest": limit, "margin": margin, "text": text}

    out: dict[str, Json] = {}
    for name, each in found.joints.items():
        front = each.front[:SHOWN] if len(found.task.wanted) > 1 else []
        best = [each[rank] for rank in range(min(top, len(each)))]
        out[name] = {"rows": [row(choice) for choice in best], "front": [row(choice) for choice in front]}
    return out
