"""One HTML page that holds everything: tables and pictures, nothing from elsewhere."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .. import analyze
from ..errors import ParameterError, UnitError
from ..files import read_text, write_text
from ..motor import Motor
from ..units import format_quantity
from . import efficiency, energy, friction, heat, response, speed
from .dark import follow_scheme
from .operating_range import operating_range
from .style import first, look, number
from .types import Figure

if TYPE_CHECKING:
    from ..analyze import RunFinding
    from ..datasheet import Finding
    from ..run import Run

T = TypeVar("T")


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    heading: str
    """Its title."""
    body: str
    """Its HTML."""


def html(title: str, sections: Iterable[Section]) -> str:
    """The page as text: self-contained, for screens of any width, light or dark."""
    css = read_text(Path(__file__).with_name("page.css"))
    parts = "\n".join(f"<section><h2>{escape(s.heading)}</h2>\n{s.body}\n</section>" for s in sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n{parts}\n</main>\n</body>\n</html>\n"
    )


def page(
    path: str | Path,
    title: str | None = None,
    motor: Motor | None = None,
    run: Run | None = None,
    findings: Sequence[Finding] = (),
    sections: Iterable[Section] = (),
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Write a page about a motor and a run, as `page_text` gives it."""
    return write_text(path, page_text(title, motor, run, findings, sections, progress), folders=True)


def page_text(
    title: str | None = None,
    motor: Motor | None = None,
    run: Run | None = None,
    findings: Sequence[Finding] = (),
    sections: Iterable[Section] = (),
    progress: Callable[[str], None] | None = None,
) -> str:
    """A page about a motor and a run: constants, findings of the datasheet and of the run, all pictures.

    `findings` are those of `Datasheet.check()`; `sections` are added before the pictures. `progress` is called
    with the name of each picture before it is drawn. What the motor has no figures for is listed instead of drawn.
    """
    motor = run.motor if motor is None and run is not None else motor
    parts: list[Section] = []
    if findings:
        parts.append(Section("Datasheet", findings_table(findings)))
    if motor is not None:
        parts.append(Section("Derived constants", constants_table(first(motor))))
    parts.extend(sections)
    tell = progress if progress is not None else lambda _: None
    if run is not None:
        parts.append(Section("Run", run_findings(run.findings()) + pictures(_RUN_PICTURES, run, tell)))
    if motor is not None:
        parts.append(Section("Motor", pictures(_MOTOR_PICTURES, first(motor), tell)))
    name = title if title is not None else (motor.name if motor is not None and motor.name else "Motor")
    return html(name, parts)


_MOTOR_PICTURES: tuple[tuple[str, Callable[[Motor], Figure], str], ...] = (
    ("operating range", operating_range,
     "Speed over torque as makers print it: in the dark area the motor may run continuously, in the light one "
     "for a short time; above, the current of each torque."),
    ("torque over speed", speed.torque_speed,
     "At a constant voltage torque falls as speed rises, because the back-EMF takes up the voltage; dotted is the "
     "line without losses."),
    ("current limit", speed.current_envelope,
     "Voltage and current limit leave a parallelogram of torques and speeds, here before losses."),
    ("losses", speed.loss_envelope,
     "Friction makes the torque jump at standstill, drag and gears bend it; below, the loss on its own scale."),
    ("efficiency", efficiency.efficiency_map,
     "Mechanical over electrical power; the line is the continuous torque."),
    ("heating", heat.heating,
     "Under a constant loss the temperature rises to its steady value, 63 % of it by the marked time."),
    ("friction loop", friction.hysteresis,
     "Moved slowly back and forth, the bristles bend, then slip; the area of the loop is the energy lost per cycle."),
    ("steady friction", friction.stribeck,
     "Friction once the motion is steady opposes the motion, and may be highest where sliding begins."),
)  # fmt: skip

_RUN_PICTURES: tuple[tuple[str, Callable[[Run], Figure], str], ...] = (
    ("step response", response.step_response,
     "What the joint does and should do, what the drive applies, how warm the winding gets, when a limit acts; "
     "dash-dotted are the maker's limits."),
    ("energy balance", energy.energy_balance,
     "Where the electrical energy went: each bar subtracts its share from what remains, down to zero."),
)  # fmt: skip


def pictures(
    drawings: Iterable[tuple[str, Callable[[T], Figure], str]], subject: T, tell: Callable[[str], None]
) -> str:
    """Each picture with its caption; what cannot be drawn is named with its reason."""
    shown, missing = [], []
    for name, draw, caption in drawings:
        tell(name)
        try:
            shown.append(picture(draw(subject), name, caption))
        except ParameterError as error:
            missing.append(f"<li>{escape(name)}: {escape(str(error))}</li>")
    left_out = f"<p>Not drawn:</p><ul>{''.join(missing)}</ul>" if missing else ""
    return f'<div class="pictures">{"".join(shown)}</div>{left_out}'


def picture(drawn: Figure, name: str, caption: str, style: str = "") -> str:
    """A figure with a caption, inside the page as SVG; `style` is CSS for it."""
    stream = io.BytesIO()
    with look():
        drawn.savefig(stream, format="svg", metadata={"Date": None})
    data = base64.b64encode(follow_scheme(stream.getvalue().decode("utf-8")).encode("utf-8")).decode("ascii")
    styled = f' style="{style}"' if style else ""
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img alt="{escape(name)}"{styled} src="data:image/svg+xml;base64,{data}">{words}</figure>\n'


def constants_table(motor: Motor) -> str:
    """The derived constants at the rated voltage as an HTML table."""
    try:
        known = analyze.constants(motor)
    except ParameterError as error:
        return f"<p>{escape(str(error))}</p>"
    rows = [
        (escape(name), f"<i>{escape(symbol)}</i>", escape(quantity_text(value, unit)))
        for name, symbol, value, unit in known.rows()
    ]
    half = (len(rows) + 1) // 2
    columns = (table(("constant", "symbol", "value"), part, numeric=(2,)) for part in (rows[:half], rows[half:]))
    return f'<div class="columns">{"".join(columns)}</div>'


def quantity_text(value: object, unit: str) -> str:
    """A value in a unit that reads well."""
    if not isinstance(value, (int, float)):
        return str(value)
    plain = unit.replace("·", "*").replace("Ω", "ohm").replace("°C", "degC").replace("²", "^2")
    try:
        return format_quantity(value, plain)
    except UnitError:
        return f"{number(value, 4)} {unit}"


def findings_table(findings: Sequence[Finding]) -> str:
    """What the check of the datasheet found as an HTML table."""
    rows = []
    for f in findings:
        ratio = "" if f.ratio is None else f"{f.ratio:.3f}"
        rows.append((escape(f.figure.replace("_", " ")), ratio, _badge(f.severity), escape(f.explanation)))
    return table(("figure", "listed / predicted", "verdict", "explanation"), rows, numeric=(1,))


def run_findings(findings: Sequence[RunFinding]) -> str:
    """What a run exceeds, and what could not be checked, as a list with the warnings first."""
    items = (
        f"<li>{_badge(f.severity)} {escape(f.what.replace('_', ' '))}: {escape(f.explanation)}</li>" for f in findings
    )
    return f'<ul class="findings">{"".join(items)}</ul>\n' if findings else ""


def _badge(severity: str) -> str:
    return f'<span class="{escape(severity)}">{escape(severity)}</span>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """An HTML table of cells that are HTML already; numeric columns are set flush right. Titles may have two lines."""

    def cell(tag: str, index: int, text: str) -> str:
        return f"<{tag}{' class=number' if index in numeric else ''}>{text}</{tag}>"

    head = "".join(cell("th", k, escape(text).replace("\n", "<br>")) for k, text in enumerate(header))
    body = "\n".join("<tr>" + "".join(cell("td", k, text) for k, text in enumerate(row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'
