"""A datasheet typed in as it is printed: a field per figure, and beside it what the other figures say of it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..datasheet import Datasheet, Finding
from ..datasheet.table import LISTS, TABLES, choices, quantities
from ..errors import BackemfError
from ..toml_text import toml_value, write_tables
from ..units import example
from ..values import Foreign
from .address import pack, unpack
from .session import Session
from .widgets import card, sentence

USUAL = {
    "electrical": ("nominal_voltage", "resistance", "inductance", "kt", "kv", "no_load_current",
                   "nominal_current", "stall_current"),
    "mechanical": ("no_load_speed", "nominal_speed", "nominal_torque", "stall_torque", "max_speed", "inertia", "mass"),
    "thermal": ("winding_resistance", "housing_resistance", "winding_time_constant",
                "housing_time_constant", "max_winding_temperature"),
    "gear": ("ratio", "efficiency", "torque", "peak_torque"),
    "peak": ("torque", "current"),
}  # fmt: skip
"""The figures that most makers print; all others can be added."""
CONVENTIONS = {"resistance": "resistance is", "torque_constant": "torque constant is", "figures_at": "figures hold for"}
WORDS = {"kt": "torque constant Kt", "kv": "speed constant Kv", "ke": "back-EMF constant Ke"}

Entries = dict[tuple[str, str], str]
"""What is typed, by table and key; ("", "name") is the name."""


def build(session: Session, choose_refs: Callable[[list[str]], None]) -> None:
    """Build the form; a sheet that can be read becomes the motor of all pages."""
    entries = entries_of(unpack(session.get("d"))) if session.get("d") else {}
    notes: dict[tuple[str, str], Foreign] = {}
    inputs: dict[tuple[str, str], Foreign] = {}

    def changed(at: tuple[str, str], text: str | None) -> None:
        entries[at] = (text or "").strip()
        typed = toml_of(entries, session.get("d"))
        session.put(d=pack(typed))
        found, faults = check(typed, entries)
        _tell(notes, inputs, found, faults)
        _summary(summary, found, faults)
        if not faults and _usable(typed):
            choose_refs([pack(typed)])

    def field(table: str, key: str) -> None:
        at = (table, key)
        unit = quantities((TABLES | LISTS)[table])[key].unit
        words = WORDS.get(key, key.replace("_", " "))
        with ui.element("div").classes("figure-row"):
            inputs[at] = ui.input(
                words,
                value=entries.get(at, ""),
                placeholder="" if unit == "1" else f"e.g. {example(unit)}",
                on_change=lambda e: changed(at, e.value),
            ).props('dense outlined stack-label debounce="250"')
            notes[at] = ui.element("div").classes("figure-note").props('aria-live="polite"')

    with card("Figures as they are printed"):
        sentence("Type a figure with its unit, as in 24 V or 60.3 mN*m/A. Leave out what is not printed.", "info")
        summary = ui.element("div").classes("stack")
        with ui.element("div").classes("form-head"):
            ui.input(
                "name", value=entries.get(("", "name"), ""), placeholder="my motor",
                on_change=lambda e: changed(("", "name"), e.value),
            ).props('dense outlined stack-label debounce="250"')  # fmt: skip
            words = choices(TABLES["conventions"])
            for key, title in CONVENTIONS.items():
                ui.select(
                    list(words[key]), label=title,
                    value=entries.get(("conventions", key)) or words[key][0],
                    on_change=lambda e, key=key: changed(("conventions", key), e.value),
                ).props("dense outlined options-dense")  # fmt: skip
        for table, keys in USUAL.items():
            more = [
                key
                for (name, key) in entries
                if name == table and key not in keys and key in quantities((TABLES | LISTS)[table])
            ]
            with ui.element("fieldset").classes("figures-of"):
                ui.html(f"<legend>{table}</legend>", sanitize=False)
                with ui.element("div").classes("figure-grid") as grid:
                    for key in (*keys, *more):
                        field(table, key)
                others = [
                    k for k, q in quantities((TABLES | LISTS)[table]).items() if k not in (*keys, *more) and not q.many
                ]

                def add(event: Foreign, table: str = table, grid: Foreign = grid) -> None:
                    if event.value and (table, event.value) not in inputs:
                        with grid:
                            field(table, event.value)

                ui.select(others, label=f"more {table} figures", on_change=add).props(
                    "dense borderless options-dense"
                ).classes("more")
    if entries:
        found, faults = check(toml_of(entries, session.get("d")), entries)
        _tell(notes, inputs, found, faults)
        _summary(summary, found, faults)


def entries_of(text: str) -> Entries:
    """The figures of a text, of each list the first entry."""
    content = tomllib.loads(text)
    found: Entries = {("", "name"): str(content.get("name", ""))}
    for table in (*TABLES, *LISTS):
        rows = content.get(table, {})
        rows = rows[0] if isinstance(rows, list) and rows else rows
        if isinstance(rows, dict):
            found |= {(table, key): str(value) for key, value in rows.items() if not isinstance(value, (list, dict))}
    return found


def toml_of(entries: Entries, before: str = "") -> str:
    """The text of a sheet with these figures; what the form has no field for stays as it was."""
    content: dict[str, Foreign] = tomllib.loads(unpack(before)) if before else {}
    content["name"] = entries.get(("", "name")) or "my motor"
    for (table, key), text in entries.items():
        if not table:
            continue
        place = content.setdefault(table, [{}] if table in LISTS else {})
        place = place[0] if isinstance(place, list) else place
        if text:
            place[key] = _number(text)
        else:
            place.pop(key, None)
    return write_tables(content)


def _number(text: str) -> str | float:
    """A plain number as one, so that a ratio of 53 is read; anything else stays a text."""
    try:
        return float(text)
    except ValueError:
        return text


def check(text: str, entries: Entries) -> tuple[list[Finding], dict[tuple[str, str], str]]:
    """What the figures say of each other, and what is wrong with single ones, each read alone as a file would be."""
    faults: dict[tuple[str, str], str] = {}
    for (table, key), typed in entries.items():
        if table and typed and table != "conventions":
            head = f"[[{table}]]" if table in LISTS else f"[{table}]"
            ratio = "ratio = 1\n" if table == "gear" and key != "ratio" else ""
            try:
                Datasheet.loads(f"{head}\n{ratio}{key} = {toml_value(_number(typed))}\n", "sheet")
            except BackemfError as error:
                if " alone" not in str(error):
                    faults[table, key] = str(error).split(f"{key} = ", 1)[-1].split(": ", 1)[-1]
    if faults:
        return [], faults
    try:
        return Datasheet.loads(text, "sheet").check(), {}
    except BackemfError as error:
        return [], {("", ""): str(error).removeprefix("sheet, ")}


def _usable(text: str) -> bool:
    try:
        Datasheet.loads(text, "sheet").actuator()
    except BackemfError:
        return False
    return True


def _tell(
    notes: dict[tuple[str, str], Foreign],
    inputs: dict[tuple[str, str], Foreign],
    found: list[Finding],
    faults: dict[tuple[str, str], str],
) -> None:
    """Put each finding beside its figure."""
    said = {finding.figure.split(".")[-1]: finding for finding in reversed(found)}
    for at, note in notes.items():
        note.clear()
        finding = said.get(at[1]) if inputs[at].value else None
        with note:
            if at in faults:
                sentence(faults[at], "error")
            elif finding is not None:
                ratio = (
                    ""
                    if finding.ratio is None or finding.severity == "ok"
                    else f" ({finding.ratio:.2f} times what follows)"
                )
                sentence("agrees" if finding.severity == "ok" else f"{finding.explanation}{ratio}", finding.severity)


def _summary(place: Foreign, found: list[Finding], faults: dict[tuple[str, str], str]) -> None:
    place.clear()
    agree = sum(finding.severity == "ok" for finding in found)
    worse = [finding for finding in found if finding.severity in ("warning", "error")]
    with place:
        if ("", "") in faults:
            sentence(faults["", ""], "error")
        elif faults:
            sentence(f"{len(faults)} figures cannot be read.", "error")
        elif worse:
            count = "1 figure does" if len(worse) == 1 else f"{len(worse)} figures do"
            sentence(f"{count} not fit the others, {agree} agree.", worse[0].severity)
        elif agree:
            sentence(f"{agree} figures agree with each other.", "ok")
