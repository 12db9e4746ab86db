"""A piece of a run: a few cases that follow from a seed, checked, compared between engines and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .cases import Case, case_of, picked
from .engines import PYTHON_MOTORS, can_compare, difference, first_step
from .examine import Violation, examine
from .minimise import smallest
from .parts import parts_of
from .program import program
from .refusals import accepts_nonsense
from .tally import KEPT, Tally

CASES = 20
"""Cases of a piece."""
EVERY = {"torch": 4, "python": 8, "native": 10, "jax": 200, "warp": 10}
"""Every how many cases an engine is compared: those that compile a structure take seconds for it."""


@dataclass(frozen=True)
class Plan:
    """What kind of run it is."""

    seed: int = 0
    """Random seed."""
    motors: int = 512
    """Motors of a case."""
    steps: int = 6
    """Steps of a case."""
    engines: tuple[str, ...] = ()
    """Engines that are compared with NumPy."""
    only_engines: bool = False
    """Whether nothing else is checked."""
    fused: bool = False
    """Whether JAX may fuse products and sums, as it does for users."""


def case_at(plan: Plan, index: int) -> Case:
    """A case of a run."""
    return case_of(np.random.default_rng((plan.seed, index)), plan.motors, plan.steps)


def examine_piece(plan: Plan, piece: int) -> Tally:
    """Check all cases of a piece."""
    tally = Tally()
    for index in range(piece * CASES, (piece + 1) * CASES):
        examine_case(plan, index, tally)
    return tally


def examine_case(plan: Plan, index: int, tally: Tally) -> None:
    """Check one case and count it."""
    engines = [engine for engine in plan.engines if index % EVERY[engine] == 0]
    if plan.only_engines and not engines:
        return
    case = case_at(plan, index)
    tally.cases += 1
    if not plan.only_engines:
        tally.inputs += case.inputs
        tally.motors += case.position.size
        for part in parts_of(case):
            tally.parts[part] += case.inputs
        check_physics(case, index, tally)
        check_refusal(plan, case, index, tally)
    for engine in engines:
        if can_compare(case, engine):
            check_engine(case, index, engine, tally)


def check_physics(case: Case, index: int, tally: Tally) -> None:
    """All checks of the steps, on NumPy."""
    findings = examine(case)
    tally.balance = max(tally.balance, findings.worst_balance)
    tally.violations.update(findings.counts)
    for violation in findings.violations:
        note(tally, violation.check, lambda v=violation: repeat(case, index, v))


def check_refusal(plan: Plan, case: Case, index: int, tally: Tally) -> None:
    """One number of the actuator that is not finite."""
    tally.refused += 1
    wrong = accepts_nonsense(case, np.random.default_rng((plan.seed, index, 1)))
    if wrong is not None:
        tally.violations["nonsense is refused"] += 1
        note(tally, "nonsense is refused", lambda: f"# case {index}: {wrong}")


def check_engine(case: Case, index: int, engine: str, tally: Tally) -> None:
    """One step of an engine beside NumPy's."""
    found = difference(case, engine)
    tally.compared[engine] += min(case.position.size, PYTHON_MOTORS) if engine == "python" else case.position.size
    tally.engines[engine] = max(tally.engines.get(engine, 0.0), found.largest)
    tally.rounded[engine] += found.by_rounding
    if not found.beyond <= 1.0:
        check = f"{engine} agrees with NumPy"
        tally.violations[check] += 1
        heading = f"# case {index}, {engine}: {found.name} is {found.beyond:.3g} times as far off as allowed"
        note(tally, check, lambda: f"{heading}\n{program(picked(first_step(case), found.motor))}")


def note(tally: Tally, check: str, text: Any) -> None:
    """Keep a program for a violation, where there are not enough of that check."""
    programs = tally.programs.setdefault(check, [])
    if len(programs) < KEPT:
        programs.append(text())


def repeat(case: Case, index: int, violation: Violation) -> str:
    """The program of a violation, with as few parts as it takes."""
    heading = f"# case {index}: {violation.check}, {violation.ratio:.3g} times what is allowed"
    return f"{heading}\n{program(smallest(case, violation))}"
