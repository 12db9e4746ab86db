"""Usual or necessary ranges of figures that no other figure of a sheet predicts."""

from __future__ import annotations

from collections.abc import Iterator

from .derive import cogging_model
from .finding import Finding, Severity
from .solve import Solved

COGGING = (0.01, 0.05)
"""Usual peak of the cogging torque over the nominal torque [1]."""
PEAK = (5.0, 10.0)
"""Usual peak current over continuous current of a motor, which the magnets and the commutation bound [1]."""


def bounds(s: Solved) -> Iterator[Finding]:
    """Every figure that has a bound."""
    yield from _passivity(s)
    yield from _cogging(s)
    yield from _peak(s)
    yield from _double_loss(s)


def _passivity(s: Solved) -> Iterator[Finding]:
    """LuGre friction is passive for σ2 > σ1·(τs - τc)/τc, with all linear drag as σ2; fading damping relaxes it."""
    f, listed = s.figures, s.sheet.friction.damping
    if not f.damping or not listed or f.stiction is None or not s.coulomb or f.damping_exponent is not None:
        return
    viscous = (s.drag[0] if s.drag else 0.0) + f.iron_loss
    excess = f.stiction / s.coulomb - 1.0
    if excess <= 0:
        return
    # shown in the sheet's own convention, whatever that is
    largest = viscous / excess * listed / f.damping
    if viscous > f.damping * excess:
        yield Finding("damping", None, None, "ok", "the bristles are passive")
        return
    words = (
        "LuGre friction is passive only below viscous·coulomb/(stiction - coulomb), beyond it may feed a vibration: "
        "give more viscous friction, less damping, or a damping_exponent with which it fades"
    )
    yield Finding("damping", listed, largest, "warning", words, "not-passive", "N*m*s/rad")


def _cogging(s: Solved) -> Iterator[Finding]:
    cogging, rated = cogging_model(s), s.figures.nominal_torque
    if cogging is None or not rated:
        return
    share = sum(float(h.amplitude) for h in cogging.harmonics) / rated
    severity, words = _judge(share, COGGING, "1 to 5 % is usual")
    yield Finding("cogging", None, None, severity, f"its peak is {100 * share:.3g} % of the nominal torque: {words}")


def _peak(s: Solved) -> Iterator[Finding]:
    f = s.figures
    for what, peak, rated in (
        ("current", f.peak_current, f.nominal_current),
        ("torque", f.peak_torque, f.nominal_torque),
    ):
        if peak is None or not rated:
            continue
        ratio = peak / rated
        severity, words = _judge(ratio, PEAK, "5 to 10 times is usual for a bare motor")
        if ratio < 1:
            severity, words = "warning", f"a peak is at least the nominal {what}: correct one of them"
        elif ratio < PEAK[0] and s.sheet.gear:
            severity, words = "ok", "gears set a lower limit than the motor's own 5 to 10 times"
        elif ratio < PEAK[0]:
            words += ", less where electronics set the limit"
        words = f"the peak {what} is {ratio:.3g} times the nominal one: {words}"
        yield Finding("peak_over_nominal", None, None, severity, words)
        return


def _judge(value: float, usual: tuple[float, float], words: str) -> tuple[Severity, str]:
    return ("ok" if usual[0] <= value * (1 + 1e-9) and value <= usual[1] * (1 + 1e-9) else "info"), words


def _double_loss(s: Solved) -> Iterator[Finding]:
    """Shares of the transmitted torque are the loss of the gears: an efficiency beside them counts it twice."""
    if s.figures.load_drive and s.figures.efficiency < 1:
        words = "load_drive and the gear's efficiency both take the loss of the gears: leave one of them out"
        yield Finding("load_drive", None, None, "warning", words)
