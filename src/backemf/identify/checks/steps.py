"""What the step of a converter says of a unit: whole numbers are counts or degrees, and a turn has 2ⁿ steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ...datasheet.finding import Severity
from ..signals import resolution
from .view import View, finding

LEVELS = 20
"""So many different whole numbers are no chance [1]."""
WHOLE: dict[str, Severity] = {"position": "error", "velocity": "warning", "current": "warning", "torque": "warning"}
"""Channels that are no whole numbers in SI, and how sure that is: a coarse ammeter may show whole amperes."""
UNITS = {
    "position": '"deg" or "rev/4096"',
    "velocity": '"rpm" or "0.229 rpm"',
    "current": '"mA" or "2.69 mA"',
    "torque": '"mNm"',
}
BITS = range(8, 25)
"""Steps of a turn that encoders have, as powers of two."""
NEAR = 2e-4
"""How well a step has to agree [1]."""


def check_steps(view: View) -> Iterator[Finding]:
    """Counts in the place of a quantity, degrees and turns in the place of radians."""
    log = view.log
    for name, severity in WHOLE.items():
        if view.has(name) and _is_whole(log[name]):
            yield finding(
                name, severity, f"has whole numbers only, {len(np.unique(log[name]))} different ones: counts of a "
                f"register, or another unit; give units={{{name!r}: ...}}, such as {UNITS[name]}", "counts-as-si",
            )  # fmt: skip
            if name == "position":
                return
    if view.has("position"):
        yield from _position(view)


def _is_whole(values: np.ndarray) -> bool:
    return bool(np.all(values == np.round(values))) and len(np.unique(values)) >= LEVELS


def _position(view: View) -> Iterator[Finding]:
    log = view.log
    step = resolution(log["position"])
    for size, unit, words in ((360.0, "deg", "degrees"), (1.0, "rev", "turns")):
        bits = next((n for n in BITS if step and abs(step * 2**n / size - 1.0) < NEAR), None)
        if bits is not None:
            given = ", ".join(f'"{each}": "{unit}"' for each in ("position", "position_command") if each in log)
            yield finding(
                "position", "error", f"has steps of {step:.6g}, which is a turn over {2**bits} in {words}: it is in "
                f"{words} and read as rad; give units={{{given}}}", f"{unit}-as-si",
            )  # fmt: skip
            return
