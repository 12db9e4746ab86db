"""What a run has tried: counted case by case, kept in a file so that a run can go on, printed as a table."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .checks import BALANCE
from .engines import LARGEST, LARGEST_BY_ROUNDING


@dataclass
class Tally:
    """What a number of cases came to."""

    cases: int = 0
    motors: int = 0
    inputs: int = 0
    """Motor-inputs: one motor in one step, all checks."""
    refused: int = 0
    """Actuators with a number that cannot be, all of which must be refused."""
    parts: Counter[str] = field(default_factory=Counter)
    """Motor-inputs with each part."""
    violations: Counter[str] = field(default_factory=Counter)
    """Motor-inputs that violate each check."""
    programs: dict[str, list[str]] = field(default_factory=dict)
    """Programs that repeat violations, by the check."""
    balance: float = 0.0
    """Largest missing power over the largest power of its step [1]."""
    engines: dict[str, float] = field(default_factory=dict)
    """Largest difference of each engine from NumPy [1]."""
    compared: Counter[str] = field(default_factory=Counter)
    """Motor-inputs that each engine was compared on."""
    rounded: Counter[str] = field(default_factory=Counter)
    """Motor-inputs in which an engine differs by more than the least that is allowed, as rounding alone does."""

    def add(self, other: Tally) -> None:
        """Count what another tally has counted."""
        for name in ("cases", "motors", "inputs", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.balance = max(self.balance, other.balance)
        for engine, apart in other.engines.items():
            self.engines[engine] = max(self.engines.get(engine, 0.0), apart)
        for check, programs in other.programs.items():
            self.programs[check] = (self.programs.get(check, []) + programs)[:KEPT]


COUNTERS = ("parts", "violations", "compared", "rounded")
"""What a tally counts by name."""
KEPT = 3
"""Programs that are kept of each check."""


def as_tally(values: dict[str, Any]) -> Tally:
    """A tally from what was written of it."""
    tally = Tally(**values)
    for name in COUNTERS:
        setattr(tally, name, Counter(getattr(tally, name)))
    return tally


class Record:
    """A file with a line for each piece of a run: which piece, of what kind of run, and its tally."""

    def __init__(self, path: Path, kind: dict[str, Any]):
        self.path, self.kind = path, kind
        self.done: set[int] = set()
        self.total = Tally()
        if path.exists():
            for line in path.read_text().splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            # a run that was stopped while it wrote does this piece again
            return
        if entry["kind"] == self.kind and entry["piece"] not in self.done:
            self.done.add(entry["piece"])
            self.total.add(as_tally(entry["tally"]))

    def write(self, piece: int, tally: Tally) -> None:
        """Keep a piece that is done."""
        self.done.add(piece)
        self.total.add(tally)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps({"kind": self.kind, "piece": piece, "tally": vars(tally)}) + "\n")


def table(tally: Tally) -> str:
    """The tally in Markdown."""
    rows = [
        ("motor-inputs", f"{tally.inputs:,}"),
        ("motors", f"{tally.motors:,}"),
        ("structures", f"{tally.cases:,}"),
        ("violations", f"{sum(tally.violations.values()):,}"),
        ("largest missing power, over the largest power of its step", f"{tally.balance:.1e} (allowed {BALANCE:.0e})"),
        ("actuators with a number that is not finite, all refused", f"{tally.refused:,}"),
    ]
    for engine in sorted(tally.compared):
        apart = tally.engines.get(engine, 0.0)
        rows.append((f"motor-inputs compared with {engine}", f"{tally.compared[engine]:,}"))
        rows.append((f"… further from NumPy than {LARGEST:.0e}, as by rounding alone", f"{tally.rounded[engine]:,}"))
        rows.append(("… largest difference", f"{apart:.1e} (by rounding {LARGEST_BY_ROUNDING:.0e}, in substeps any)"))
    lines = ["| | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows)]
    if tally.violations:
        lines += ["", "| violated check | motor-inputs |", "|---|---:|"]
        lines += [f"| {check} | {count:,} |" for check, count in tally.violations.most_common()]
    lines += ["", "| part | motor-inputs |", "|---|---:|"]
    lines += [f"| {part} | {tally.parts[part]:,} |" for part in sorted(tally.parts, key=str.lower)]
    return "\n".join(lines)
