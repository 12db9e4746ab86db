"""What is suspicious about a log: every check on every joint, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..datasheet import Finding
from .checks.against_rig import check_against_rig
from .checks.clocks import check_clocks
from .checks.range import check_range
from .checks.supply import check_supply
from .checks.time import check_time
from .checks.units import check_units
from .checks.view import MotorFigures, View, finding
from .checks.words import check_words
from .log import Log

if TYPE_CHECKING:
    from ..actuator import Actuator
    from ..motor import Motor
    from .rig import Rig

CHECKS: tuple[Callable[[View], Iterator[Finding]], ...] = (
    check_time, check_words, check_units, check_clocks, check_supply, check_range,
)  # fmt: skip
"""Every check."""
_ORDER = ("error", "warning", "info", "ok")


def check_log(log: Log, motor: Motor | Actuator | None = None, rig: Rig | None = None) -> list[Finding]:
    """What is suspicious about a log, worst first; a finding that several joints share stands once."""
    figures = MotorFigures.of(motor)
    merged: dict[tuple[str, str, str], list[tuple[str, Finding]]] = {}
    for joint in log.joints or ("",):
        view = View(log.joint(joint) if joint else log, figures)
        for check in CHECKS:
            for found in check(view):
                merged.setdefault((found.figure, found.cause, found.severity), []).append((joint, found))
    findings = [_merge(rows, len(log.joints)) for rows in merged.values()]
    findings += [] if rig is None else check_against_rig(log, rig)
    findings += _of_reading(log)
    return sorted(findings, key=lambda found: _ORDER.index(found.severity))


def _merge(rows: list[tuple[str, Finding]], joints: int) -> Finding:
    """One finding for all joints that have it: the first one's sentence, and how many more there are."""
    joint, found = rows[0]
    if not joint or (len(rows) == joints and len({row.explanation for _, row in rows}) == 1):
        return found
    more = f" (and {len(rows) - 1} more of {joints} joints)" if len(rows) > 1 else ""
    return replace(found, explanation=f"{joint}{more}: {found.explanation}")


def _of_reading(log: Log) -> Iterator[Finding]:
    """What was changed or left out when the file was read."""
    for note in log.notes:
        yield finding("file", "info", note, "reading")
    if log.unread:
        shown = ", ".join(log.unread[:8]) + (f" and {len(log.unread) - 8} more" if len(log.unread) > 8 else "")
        yield finding(
            "file", "info", f"columns that are no channel are not read: {shown}; map those that matter", "unread"
        )
