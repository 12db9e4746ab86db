"""What was found for a task: the pairs of every joint, and what can be done with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..checks import quote
from ..errors import ParameterError
from ..files import write_text
from ..progress import progress_bar
from ..values import Json
from .joint_found import Choice, JointFound
from .task import WANTED, Task

if TYPE_CHECKING:
    from ..robot import Robot
    from .verification import Verification

COLUMNS = ("mass", "ratio", "energy", "winding", "inertia", "peak_current", "rms_current", "voltage")
"""Figures of a row of the table."""


class Found:
    """The answer to a task: `best`, `table()`, `front`, `rejected()`, `verify(3)`, `report("size.html")`,
    `robot()`.

    With several joints each has its own answer, `found["knee"]`; those of the whole are of the only joint.
    """

    def __init__(self, task: Task, joints: dict[str, JointFound], source: str):
        self.task, self.joints, self.source = task, joints, source

    def __getitem__(self, joint: str) -> JointFound:
        """What was found for a joint."""
        if joint not in self.joints:
            raise ParameterError(f"{joint!r}: the task has no such joint; it has {', '.join(self.joints)}")
        return self.joints[joint]

    @property
    def only(self) -> JointFound:
        """What was found for the only joint."""
        if len(self.joints) != 1:
            raise ParameterError(
                f"the task has {len(self.joints)} joints: take found[name] of {', '.join(self.joints)}"
            )
        return next(iter(self.joints.values()))

    @property
    def best(self) -> Choice:
        """The best pair of the only joint."""
        return self.only.best

    @property
    def front(self) -> list[Choice]:
        """The pairs of the only joint that no other beats in everything that is wanted."""
        return self.only.front

    def rejected(self, most: int = 10) -> list[Choice]:
        """Pairs of the only joint that cannot do the task, the nearest first, each with its reason."""
        return self.only.rejected(most)

    def table(self, top: int = 10, joint: str | None = None) -> list[dict[str, Json]]:
        """The best pairs of a joint with their figures in SI and what is left of their tightest limit."""
        found = self.only if joint is None else self[joint]
        rows: list[dict[str, Json]] = []
        for rank in range(min(top, len(found))):
            choice = found[rank]
            limit, margin = choice.tightest if choice.margins else ("", 1.0)
            row: dict[str, Json] = {"rank": rank + 1, "name": choice.name}
            row |= {name: choice.figures[name] for name in COLUMNS}
            if choice.spring is not None:
                row |= {"stiffness": float(choice.spring.stiffness), "rest_angle": float(choice.spring.rest_angle)}
            rows.append(row | {"tightest": limit, "margin": margin})
        return rows

    def verify(self, n: int = 3, joint: str | None = None) -> list[Verification]:
        """Run the best `n` pairs forwards in a closed loop, and compare what was predicted with what comes out."""
        from .verification import verify

        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ParameterError(f"verify({quote(n)}): must be a whole number of pairs, 1 or more")
        names = list(self.joints) if joint is None else [joint]
        todo = [(self[name], rank) for name in names for rank in range(min(n, len(self[name])))]
        seen = []
        with progress_bar("runs forwards", len(todo)) as done:
            for found, rank in todo:
                seen.append(verify(found, rank))
                done(1)
        return seen

    def report(self, path: str | Path, top: int = 10) -> Path:
        """Write a page about it."""
        from .report import report_html

        return write_text(path, report_html(self, top))

    def robot(self, bandwidth: float | None = None) -> Robot:
        """The best pair of each joint as a robot on the task's supply, to save, check and export.

        Each joint has a critically damped position loop around the inertia of its rotor and load; around that of the
        rotor alone where the task says a torque and no load. `bandwidth` is its natural frequency [Hz]; None: 30 in one
        motion. The motors stand in the task's air and mounting, and their drives give no more than its current. The
        permissible torque of a gear is left out where the motor gives more for its own rotor, since simulators would
        limit the motor to it. The model is that of the task where a torque came from it.
        """
        from .robot import robot_of

        return robot_of(self.task, self.joints, bandwidth)

    def answer(self, top: int = 10) -> dict[str, Json]:
        """Everything in SI, for JSON."""
        out: dict[str, Json] = {"task": self.task.name, "wanted": list(self.task.wanted), "candidates": self.source}
        joints: dict[str, Json] = {}
        for name, found in self.joints.items():
            joints[name] = {
                "pairs": found.count,
                "feasible": len(found),
                "best": self.table(top, name),
                "front": [choice.name for choice in found.front] if len(self.task.wanted) > 1 else [],
                "reasons": found.reasons(),
                "nearest": [{"name": c.name, "reason": c.reason} for c in found.rejected(top)],
                "left_out": [{"name": e.name, "reason": e.reason} for e in found.left_out],
            }
        return out | {"joints": joints}

    def __repr__(self) -> str:
        each = ", ".join(f"{name}: {len(found)} of {found.count}" for name, found in self.joints.items())
        return f"Found({each}; least {WANTED[self.task.wanted[0]][1]} first)"
