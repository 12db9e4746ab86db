"""A datasheet typed figure by figure: its text, what is wrong with each figure, and what the others say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import BackemfError, DatasheetError
from ..toml_text import parse_toml, toml_value, write_tables
from ..values import Foreign
from .finding import Finding
from .sheet import Datasheet
from .table import LISTS, TABLES, quantities

USUAL = {
    "electrical": ("nominal_voltage", "resistance", "inductance", "kt", "kv", "no_load_current",
                   "nominal_current", "stall_current"),
    "mechanical": ("no_load_speed", "nominal_speed", "nominal_torque", "stall_torque", "max_speed", "inertia", "mass"),
    "thermal": ("winding_resistance", "housing_resistance", "winding_time_constant",
                "housing_time_constant", "max_winding_temperature"),
    "gear": ("ratio", "efficiency", "torque", "peak_torque"),
    "peak": ("torque", "current"),
}  # fmt: skip
"""The figures that most makers print, by table."""

Place = tuple[str, str]
"""Table and key of a figure; ("", "name") is the name of the sheet."""
Typed = dict[Place, str]
"""What is typed, by its place."""
WHOLE: Place = ("", "")
"""Where a fault belongs that is not of a single figure."""


@dataclass(frozen=True)
class TypedCheck:
    """What is to be said of a typed sheet."""

    findings: list[Finding]
    """What the figures say of each other; empty where one of them cannot be read."""
    faults: dict[Place, str]
    """What is wrong with single figures, or with all of them together."""
    lacks: str = ""
    """Why the sheet is that of no motor yet, where its figures can all be read."""

    @property
    def usable(self) -> bool:
        """Whether it is the sheet of an actuator."""
        return not self.faults and not self.lacks

    def note(self, place: Place) -> tuple[str, str] | None:
        """A sentence about a figure, and how severe it is; None: there is nothing to say."""
        if place in self.faults:
            return self.faults[place], "error"
        found = next((finding for finding in self.findings if finding.figure.split(".")[-1] == place[1]), None)
        if found is None:
            return None
        if found.severity == "ok":
            return "agrees", "ok"
        ratio = "" if found.ratio is None else f" ({found.ratio:.2f} times what follows)"
        return f"{found.explanation}{ratio}", found.severity

    def summary(self, shown: str = "the motor before") -> tuple[str, str] | None:
        """A sentence about all figures, and how severe it is; None: there is nothing to say.

        `shown` is the motor that pages are about as long as this one cannot be used.
        """
        still = f"Until then all pages show {shown}."
        agree = sum(finding.severity == "ok" for finding in self.findings)
        worse = [finding.severity for finding in self.findings if finding.severity in ("warning", "error")]
        if WHOLE in self.faults:
            return f"{self.faults[WHOLE]}. {still}", "error"
        if self.faults:
            count = "1 figure" if len(self.faults) == 1 else f"{len(self.faults)} figures"
            return f"{count} cannot be read: correct what is marked below. {still}", "error"
        if self.lacks:
            return f"{self.lacks}. {still}", "info"
        if worse:
            count = "1 figure does" if len(worse) == 1 else f"{len(worse)} figures do"
            return f"{count} not fit the others, {agree} agree.", worse[0]
        if agree == 1:
            return "1 figure agrees with the others.", "ok"
        return (f"{agree} figures agree with each other.", "ok") if agree else None


def typed_figures(text: str) -> Typed:
    """The figures of a TOML text as they are typed, of each list the first entry."""
    content = _tables(text)
    found: Typed = {("", "name"): str(content.get("name", ""))}
    for table in (*TABLES, *LISTS):
        rows = content.get(table, {})
        rows = rows[0] if isinstance(rows, list) and rows else rows
        if isinstance(rows, dict):
            found |= {(table, key): str(value) for key, value in rows.items() if not isinstance(value, (list, dict))}
    return found


def write_typed(typed: Mapping[Place, str], before: str = "") -> str:
    """The TOML text of a sheet with these figures; what else the text before has stays as it was."""
    content = _tables(before)
    content["name"] = typed.get(("", "name")) or "my motor"
    for (table, key), text in typed.items():
        if not table:
            continue
        place = content.setdefault(table, [{}] if table in LISTS else {})
        place = place[0] if isinstance(place, list) else place
        if text:
            place[key] = _number(text)
        else:
            place.pop(key, None)
    return write_tables(content)


def check_typed(typed: Mapping[Place, str], text: str) -> TypedCheck:
    """What is wrong with each figure, read alone as a file would be, or else what the check of the text finds."""
    faults = {place: fault for place, figure in typed.items() if (fault := _fault(place, figure))}
    if faults:
        return TypedCheck([], faults)
    try:
        sheet = Datasheet.loads(text, "sheet")
        findings = sheet.check()
    except BackemfError as error:
        return TypedCheck([], {WHOLE: str(error).removeprefix("sheet, ").removeprefix("sheet: ")})
    try:
        sheet.actuator()
    except BackemfError as error:
        return TypedCheck(findings, {}, str(error).removeprefix("sheet: ").replace("_", " "))
    return TypedCheck(findings, {})


def unusual_figures(table: str, shown: tuple[str, ...]) -> list[str]:
    """The other figures of a table that are one quantity."""
    known = quantities((TABLES | LISTS)[table])
    return [key for key, quantity in known.items() if key not in shown and not quantity.many]


def _fault(place: Place, typed: str) -> str:
    """What is wrong with a figure; empty if nothing is."""
    table, key = place
    if not table or not typed or table == "conventions":
        return ""
    head = f"[[{table}]]" if table in LISTS else f"[{table}]"
    ratio = "ratio = 1\n" if table == "gear" and key != "ratio" else ""
    try:
        Datasheet.loads(f"{head}\n{ratio}{key} = {toml_value(_number(typed))}\n", "sheet")
    except BackemfError as error:
        # a figure that needs another one is read with all of them
        return "" if " alone" in str(error) else str(error).split(f"{key} = ", 1)[-1].split(": ", 1)[-1]
    return ""


def _tables(text: str) -> dict[str, Foreign]:
    return parse_toml(text, "the typed datasheet", DatasheetError, "a datasheet")


def _number(text: str) -> str | float:
    """A plain number as one, so that a ratio of 53 is read; anything else stays a text."""
    try:
        return float(text)
    except ValueError:
        return text
