"""What is suspicious about a log: every check on every joint, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..datasheet import Finding
from ..errors import ParameterError
from ..motor import Motor
from .checks.against_load import check_against_load
from .checks.against_rig import check_against_rig
from .checks.against_supply import check_against_supply
from .checks.clocks import check_clocks
from .checks.range import check_range
from .checks.samples import check_samples
from .checks.supply import check_supply
from .checks.time import check_time
from .checks.units import check_units
from .checks.view import MotorFigures, View, finding
from .checks.words import check_words
from .log import Log

if TYPE_CHECKING:
    from ..actuator import Actuator
    from .rig import Rig

CHECKS: tuple[Callable[[View], Iterator[Finding]], ...] = (
    check_samples, check_time, check_words, check_units, check_clocks, check_supply, check_range,
)  # fmt: skip
"""Every check."""
_ORDER = ("error", "warning", "info", "ok")


def check_log(log: Log, motor: Motor | Actuator | None = None, rig: Rig | None = None) -> list[Finding]:
    """What is suspicious about a log, worst first; a finding that several joints share stands once."""
    figures = MotorFigures.of(motor)
    findings = _check_joints(log, figures)
    if rig is not None:
        # what the advice would be is there
        given = {name for name, known in rig.known.items() if known.value or known.note}
        findings = [f for f in findings if not (f.severity == "info" and f"sensors.{f.figure}.{f.cause}" in given)]
        contradictions = list(check_against_rig(log, rig))
        findings += contradictions
        if not log.joints and not any(each.severity == "error" for each in contradictions):
            said = {(found.figure, found.cause) for found in findings}
            more = (*check_against_load(log, rig, figures), *check_against_supply(log, rig, figures))
            findings += [found for found in more if (found.figure, found.cause) not in said]
    findings += _of_reading(log)
    return sorted(findings, key=lambda found: _ORDER.index(found.severity))


def _check_joints(log: Log, figures: MotorFigures) -> list[Finding]:
    """What is suspicious about what was measured."""
    merged: dict[tuple[str, str, str], list[tuple[str, Finding]]] = {}
    for joint in log.joints or ("",):
        view = View(log.joint(joint) if joint else log, figures)
        for check in CHECKS:
            for found in check(view):
                merged.setdefault((found.figure, found.cause, found.severity), []).append((joint, found))
    return [_merge(rows, len(log.joints)) for rows in merged.values()]


def refuse_contradictions(logs: Sequence[Log], drives: Mapping[str, Actuator], rig: Rig, caller: str) -> None:
    """Refuse logs that cannot be of these drives on this rig as they are read, such as degrees taken for radians.

    Drives are by joint; one without a name is that of every log. `caller` is the function that is named in the error.
    """
    known: dict[tuple[int, object], MotorFigures] = {}
    for log in logs:
        _refuse(check_against_rig(log, rig), f"{caller}: {log.name or 'log'}")
        for joint in log.joints or ("",):
            drive = drives.get(joint, drives.get(""))
            figures = MotorFigures()
            if drive is not None and isinstance(drive.motor, Motor):
                # logs of one motor at one voltage have the same
                own = rig.actuator_for(drive, log)
                key = id(drive.motor), None if own.supply is None else str(own.supply.voltage)
                figures = known[key] if key in known else known.setdefault(key, MotorFigures.of(own))
            single, place = log.joint(joint) if joint else log, f"{caller}: {log.name or 'log'} {joint}".rstrip()
            _refuse(_check_joints(single, figures), place)
            _refuse((*check_against_load(single, rig, figures), *check_against_supply(single, rig, figures)), place)


def _refuse(findings: Iterable[Finding], place: str) -> None:
    worst = next((found for found in findings if found.severity == "error"), None)
    if worst is not None:
        raise ParameterError(f"{place}: {worst.figure}: {worst.explanation}")


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
