"""What a run exceeds, at the end of its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from .app import console

if TYPE_CHECKING:
    from ..run_finding import RunFinding

STYLE = {"warning": "yellow", "hint": "magenta", "info": "cyan"}


def findings_of(run: Any, command: str) -> list[RunFinding]:
    """The findings of a run; a target that was typed with its unit cannot be degrees by mistake, one in a file can."""
    typed = not command.strip().lower().endswith(".csv")
    return [finding for finding in run.findings() if not (typed and finding.severity == "hint")]


def print_findings(findings: list[RunFinding]) -> None:
    """One line each, warnings first."""
    if findings:
        console().print()
    for finding in findings:
        mark = Text(finding.severity, style=STYLE[finding.severity])
        console().print(Text.assemble(mark, f" {finding.what.replace('_', ' ')}: {finding.explanation}"))
