"""All checks of a case: the worst ratio of each, and the motors and steps that violate it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backemf.actuator import chain

from .bounds import bound_checks
from .cases import Case, Step, steps_of
from .checks import residual, sizes, step_checks
from .energy import Account, alone_checks
from .flags import flag_checks, invalid_checks
from .slopes import slope_checks


@dataclass(frozen=True)
class Violation:
    """A check that a motor of a case violates."""

    check: str
    step: int
    """Step in which it does; -1 where it is one of the whole run."""
    motor: tuple[int, ...]
    """Place in the batch."""
    ratio: float
    """What was found over what is allowed [1]."""
    before: Step | None = None
    """The step, from which a shorter case follows."""


@dataclass
class Findings:
    """What the checks of a case found."""

    violations: list[Violation] = field(default_factory=list)
    """The first violation of each check."""
    counts: dict[str, int] = field(default_factory=dict)
    """Motor-inputs that violate each check."""
    worst_balance: float = 0.0
    """Largest missing power over the largest power of its step [1]."""

    def note(self, case: Case, check: str, ratio: Any, step: Step | None) -> None:
        """Keep what is violated."""
        ratio = np.broadcast_to(ratio, case.shape)
        bad = ~(ratio <= 1.0)
        if not bad.any():
            return
        if check not in self.counts:
            motor = tuple(
                int(k)
                for k in np.unravel_index(
                    int(np.argmax(np.where(bad, np.nan_to_num(ratio, nan=np.inf), 0.0))), case.shape
                )
            )
            self.violations.append(
                Violation(check, -1 if step is None else step.index, motor, float(ratio[motor]), step)
            )
        self.counts[check] = self.counts.get(check, 0) + int(bad.sum())


def examine(case: Case, laws: Any = chain) -> Findings:
    """Run a case through all checks; `laws` are those of the actuator."""
    findings, account = Findings(), Account(case)
    with np.errstate(all="ignore"):
        for step in steps_of(case, laws):
            for checks in (step_checks, bound_checks, flag_checks):
                for check, ratio in checks(case, step):
                    findings.note(case, check, ratio, step)
            for checks in (slope_checks, invalid_checks):
                for check, ratio in checks(case, step, laws):
                    findings.note(case, check, ratio, step)
            for check, ratio in account.check(step):
                findings.note(case, check, ratio, step)
            if case.motor is not None:
                missing = np.abs(residual(step.out)) / (sizes(case, step) + 1e-290)
                findings.worst_balance = max(findings.worst_balance, float(np.max(np.nan_to_num(missing, nan=np.inf))))
        for check, ratio in alone_checks(case, laws):
            findings.note(case, check, ratio, None)
    return findings
