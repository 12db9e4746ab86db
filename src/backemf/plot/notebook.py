"""Motors, actuators, sheets, findings and runs in a notebook: text, tables and a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from html import escape
from typing import TypeVar

from ..actuator import Actuator, CompiledStep
from ..datasheet import Datasheet, Finding
from ..errors import ParameterError
from ..motor import Motor
from ..run import Run
from ..run_finding import RunFinding
from .joint_limits import joint_limits
from .operating_range import operating_range
from .page import constants_table, findings_table, picture, quantity_text, run_findings, table
from .response import step_response
from .speed import torque_speed
from .style import first
from .types import Figure

T = TypeVar("T")


@singledispatch
def notebook_html(thing: object) -> str:
    """What a notebook shows of a thing."""
    return _div(_words(thing))


@notebook_html.register
def motor_html(motor: Motor) -> str:
    """The motor in one line, its operating range or its torque over speed, and the constants that follow."""
    return _div(_words(motor), _motor_picture(motor), _fold("Constants", lambda: constants_table(first(motor))))


@notebook_html.register
def actuator_html(actuator: Actuator) -> str:
    """The actuator in one line, and the picture of its motor or of its limits."""
    return _actuator_html(actuator, _words(actuator))


@notebook_html.register
def step_html(step: CompiledStep) -> str:
    """The engine and the actuator in one line, and the actuator's picture."""
    return _actuator_html(step.actuator, _words(step))


def _actuator_html(actuator: Actuator, line: str) -> str:
    if actuator.motor is not None:
        return _div(f"{line}<p>{escape(repr(actuator.motor))}</p>", _motor_picture(actuator.motor))
    return _div(line, _draw(joint_limits, actuator))


@notebook_html.register
def sheet_html(sheet: Datasheet) -> str:
    """Every figure with its source, and what the check found."""
    rows = [
        (escape(f"{f.table}.{f.key}"), escape(quantity_text(f.value, f.unit)), escape(f.source))
        for f in sheet.figures()
    ]
    return _div(
        _words(sheet),
        findings_table(sheet.check()),
        _fold("Figures", lambda: table(("figure", "value", "source"), rows, numeric=(1,))),
    )


@notebook_html.register
def run_html(run: Run) -> str:
    """The run in one line, what it exceeds, and its picture."""
    return _div(_words(run), run_findings(run.findings()), _draw(step_response, run))


@notebook_html.register(Finding)
@notebook_html.register(RunFinding)
def finding_html(finding: Finding | RunFinding) -> str:
    """The sentence of a finding."""
    return _div(f"<b>{escape(finding.severity)}</b>{escape(str(finding).removeprefix(finding.severity))}")


def _div(*parts: str) -> str:
    return f"<div>{''.join(parts)}</div>"


def _words(thing: object) -> str:
    return f"<p><code>{escape(repr(thing))}</code></p>"


def _fold(title: str, body: Callable[[], str]) -> str:
    """A part that opens on a click; nothing where it cannot be made."""
    try:
        return f"<details><summary>{escape(title)}</summary>{body()}</details>"
    except ParameterError:
        return ""


def _motor_picture(motor: Motor) -> str:
    return _draw(operating_range, motor) or _draw(torque_speed, motor)


def _draw(draw: Callable[[T], Figure], subject: T) -> str:
    """The picture in a size for a notebook; nothing where the figures are not enough for it."""
    try:
        return picture(draw(subject), draw.__name__.replace("_", " "), "", style="max-width: 26rem")
    except ParameterError:
        return ""
