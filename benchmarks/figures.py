"""Measured numbers beside their goals: a table on the terminal, in the documentation, or as JSON."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass
class Figure:
    """One measured number."""

    what: str
    value: float
    unit: str
    goal: str = ""
    met: bool | None = None


def processor() -> str:
    """What the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def versions() -> str:
    """Versions of Python and of what the figures depend on, where it is there."""
    found = [f"Python {platform.python_version()}"]
    for name, title in (("numpy", "NumPy"), ("jax", "JAX"), ("torch", "PyTorch"), ("llvmlite", "llvmlite"),
                        ("warp-lang", "Warp"), ("mujoco", "MuJoCo"), ("mujoco-mjx", "MJX"),
                        ("mujoco-warp", "MuJoCo Warp")):  # fmt: skip
        try:
            found.append(f"{title} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def shortest(call, repeats: int = 7, calls: int = 1) -> float:
    """Shortest time of a call [s], after one to warm up; the shortest is what nothing else disturbed."""
    call()
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - began) / calls)
    return best


def as_markdown(figures: list[Figure], where: str) -> str:
    """The figures as a table for the documentation."""
    rows = [f"Measured on {where}:", "", "| | measured | unit | goal |", "|---|---:|---|---|"]
    for f in figures:
        # what belongs to the row above
        what = f"… {f.what.strip()}" if f.what.startswith(" ") else f.what
        rows.append(f"| {what} | {f.value:,.3g} | {f.unit} | {f.goal} |")
    return "\n".join(rows)


def report(measure, mark: str, description: str | None, cores: str = "one core") -> None:
    """Measure, print, write where that is asked for, and exit with 1 if a goal is missed.

    `measure` is given a console; `mark` names the place in the documentation, between <!-- mark:begin --> and
    <!-- mark:end -->; `cores` says what it is measured on.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--docs", type=Path, help="also put the table between the marks of this page")
    arguments = parser.parse_args()
    console = Console()
    figures: list[Figure] = measure(console)
    where = f"{cores} of {processor()}, {versions()}, {time.strftime('%Y-%m-%d')}"
    table = Table(title=where, box=None)
    for title in ("", "measured", "unit", "goal", ""):
        table.add_column(title, justify="right" if title == "measured" else "left")
    for figure in figures:
        said = "" if figure.met is None else "met" if figure.met else "MISSED"
        table.add_row(figure.what, f"{figure.value:,.3g}", figure.unit, figure.goal, said)
    console.print(table)
    if arguments.docs:
        page = arguments.docs.read_text(encoding="utf-8")
        before, rest = page.split(f"<!-- {mark}:begin -->")
        after = rest.split(f"<!-- {mark}:end -->")[1]
        block = f"<!-- {mark}:begin -->\n{as_markdown(figures, where)}\n<!-- {mark}:end -->"
        arguments.docs.write_text(before + block + after, encoding="utf-8")
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(figure) for figure in figures], indent=1))
    if any(figure.met is False for figure in figures):
        sys.exit(1)
