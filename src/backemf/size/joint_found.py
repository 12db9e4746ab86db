"""What was found for one joint: every pair with its figures, what it exceeds, and an order among those that do it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ..actuator.joint_spring import JointSpring
from ..errors import ParameterError
from ..motor import Motor
from ..plot.types import Figure
from .candidates import Batch, LeftOut
from .cycle import Cycle
from .evaluation import Evaluation
from .optimum import Optimum, best_ratio
from .task import Task
from .trace import Trace, trace
from .verdict import Check, sentence


@dataclass(frozen=True, eq=False)
class Share:
    """The pairs of one batch with their figures."""

    batch: Batch
    """The pairs."""
    evaluation: Evaluation
    """What the task takes of them."""
    checks: list[Check]
    """What limits them."""
    spring: JointSpring | None
    """The spring of each; None: without."""


@dataclass(frozen=True)
class Choice:
    """One pair that was looked at."""

    joint: str
    """The joint that it drives."""
    name: str
    """Motor and gear."""
    motor: Motor
    """The motor with its gear."""
    spring: JointSpring | None
    """The spring beside it; None: none."""
    figures: dict[str, float]
    """What the task takes of it, in SI, by the names of `Evaluation`, and its mass."""
    margins: dict[str, float]
    """How much of each limit is left, 0 at the limit and below 0 beyond it [1]."""
    reason: str = ""
    """Why it cannot do the task; empty: it can."""

    @property
    def tightest(self) -> tuple[str, float]:
        """The limit that is nearest, and what is left of it [1]."""
        return min(self.margins.items(), key=lambda item: item[1])

    def __repr__(self) -> str:
        if self.reason:
            return f"Choice({self.name}: {self.reason})"
        name, margin = self.tightest
        return f"Choice({self.name}: {100 * margin:.0f} % of the {name} left)"


class JointFound:
    """Every pair for one joint, those that can do the task first in the order of what is wanted."""

    def __init__(self, task: Task, cycle: Cycle, shares: list[Share], left_out: tuple[LeftOut, ...]):
        self.task, self.cycle, self._shares, self.left_out = task, cycle, shares, left_out
        self._first = np.cumsum([0, *(len(share.batch) for share in shares)])
        failing, tightest = [], []
        for share in shares:
            matrix = np.stack([check.share for check in share.checks])
            matrix = np.where(np.isnan(matrix), np.inf, matrix)
            over = matrix > 1.0
            failing.append(np.where(over.any(axis=0), over.argmax(axis=0), -1))
            tightest.append(matrix.max(axis=0))
        self._failing = np.concatenate(failing) if failing else np.zeros(0, dtype=int)
        self._used = np.concatenate(tightest) if tightest else np.zeros(0)

    # --- numbers

    def figure(self, name: str) -> np.ndarray:
        """A figure of every pair: one of `Evaluation`, or mass, ratio, winding_temperature, stiffness, rest_angle."""
        known = {"winding_temperature": "winding"}.get(name, name)
        return np.concatenate([self._of(share, known) for share in self._shares]) if self._shares else np.zeros(0)

    def _of(self, share: Share, name: str) -> np.ndarray:
        count = len(share.batch)
        if name in ("mass", "diameter"):
            return getattr(share.batch, name)
        if name == "ratio":
            return np.asarray(share.batch.motor.ratio, dtype=float) * np.ones(count)
        if name in ("stiffness", "rest_angle"):
            return np.zeros(count) if share.spring is None else np.asarray(getattr(share.spring, name)) * np.ones(count)
        return getattr(share.evaluation, name)

    @cached_property
    def order(self) -> np.ndarray:
        """Places of the pairs that can do the task, the best first."""
        rows = np.flatnonzero(self._failing < 0)
        columns = [self.figure(name)[rows] for name in reversed(self.task.wanted)]
        # of equals, the one with more left of its tightest limit
        return rows[np.lexsort([self._used[rows], *columns])]

    def __len__(self) -> int:
        """How many pairs can do the task."""
        return len(self.order)

    @property
    def count(self) -> int:
        """How many pairs were looked at."""
        return len(self._failing)

    @property
    def front_places(self) -> np.ndarray:
        """Places of the pairs that no other beats in everything that is wanted, the best in the first one first."""
        rows = self.order
        values = np.stack([self.figure(name)[rows] for name in self.task.wanted], axis=1)
        kept: list[int] = []
        best: list[np.ndarray] = []
        for k, row in enumerate(values):
            # in this order none that comes later beats an earlier one
            if not any((other <= row).all() for other in best):
                kept.append(k)
                best.append(row)
        return rows[kept]

    # --- pairs

    def __getitem__(self, rank: int) -> Choice:
        """The pair of a rank, 0 the best."""
        if not -len(self) <= rank < len(self):
            raise ParameterError(f"rank {rank}: {len(self)} pairs can do the task of {self.cycle.name!r}")
        return self.choice(int(self.order[rank]))

    @property
    def best(self) -> Choice:
        """The best pair."""
        if not len(self):
            raise ParameterError(
                f"joint {self.cycle.name!r}: none of {self.count} pairs can do the task; {self.most_reasons()}"
            )
        return self[0]

    @property
    def front(self) -> list[Choice]:
        """The pairs that no other beats in everything that is wanted."""
        return [self.choice(int(place)) for place in self.front_places]

    def place(self, index: int) -> tuple[Share, int]:
        """The batch of a pair, and its place there."""
        which = int(np.searchsorted(self._first, index, side="right")) - 1
        return self._shares[which], index - int(self._first[which])

    def choice(self, index: int) -> Choice:
        """A pair by its place among all."""
        share, k = self.place(index)
        e = share.evaluation
        names = ("mass", "ratio", "energy", "winding", "housing", "inertia", "peak_current", "rms_current", "voltage",
                 "spare_voltage", "supply_current", "heat", "motor_speed", "gear_peak", "gear_equivalent")  # fmt: skip
        figures = {name: float(self._of(share, name)[k]) for name in names}
        margins = {check.name: 1.0 - float(check.share[k]) for check in share.checks if np.isfinite(check.limit[k])}
        motor, spring = share.batch.single(k), None
        if share.spring is not None:
            stiffness, rest_angle = (float(self._of(share, name)[k]) for name in ("stiffness", "rest_angle"))
            spring = JointSpring(stiffness=stiffness, rest_angle=rest_angle)
        fails = int(self._failing[index])
        reason = ""
        if fails >= 0:
            reason = sentence(share.checks[fails], k, motor, self.cycle, self.task, e)
        return Choice(self.cycle.name, share.batch.name(k), motor, spring, figures, margins, reason)

    def find(self, name: str) -> Choice:
        """A pair by its name, such as `RE40 + GP52`."""
        for index in range(self.count):
            share, k = self.place(index)
            if share.batch.name(k) == name:
                return self.choice(index)
        out = next((each for each in self.left_out if each.name == name), None)
        raise ParameterError(f"{name}: {'left out: ' + out.reason if out else 'is no candidate'}")

    def rejected(self, most: int = 10) -> list[Choice]:
        """Pairs that cannot do the task, the nearest to it first, each with its reason."""
        rows = np.flatnonzero(self._failing >= 0)
        return [self.choice(int(k)) for k in rows[np.argsort(self._used[rows], kind="stable")][:most]]

    def reasons(self) -> dict[str, int]:
        """How many pairs fail first on each check."""
        counts: Counter[str] = Counter()
        for share, first in zip(self._shares, self._first[:-1], strict=True):
            fails = self._failing[first : first + len(share.batch)]
            for k, number in zip(*np.unique(fails[fails >= 0], return_counts=True), strict=True):
                counts[share.checks[int(k)].words] += int(number)
        return dict(counts.most_common())

    def most_reasons(self) -> str:
        """The reasons in a sentence."""
        return ", ".join(f"{number} on {words}" for words, number in self.reasons().items()) or "there were none"

    def trace(self, choice: int = 0) -> Trace:
        """The pair of a rank along the cycle."""
        index = int(self.order[choice])
        share, k = self.place(index)
        made = self.choice(index)
        return trace(
            made.motor, self.cycle, self.task.supply, self.task.ambient, self.task.mounting,
            share.evaluation.start[:, k], made.spring,
        )  # fmt: skip

    def plot(self, rank: int = 0, path: str | Path | None = None) -> Figure:
        """The task in the operating range of the pair of a rank, to a file if there is a path."""
        from ..plot.style import save
        from .report_pictures import draw_range

        choice = self[rank]
        title = f"{self.cycle.name}\n{choice.name}"
        drawn = draw_range(choice.motor, self.task.supply, self.task.ambient, self, self.trace(rank), title)
        return save(drawn, path)

    def best_ratio(self, rank: int = 0, nearest: int = 3) -> Optimum:
        """The ratio at which the motor of a rank would stay coolest if gears came in every ratio, by gradients, and the
        real pairs of that motor that are nearest to it; where the task allows a spring, with the best one."""
        choice = self[rank]
        gear = choice.motor.gearbox
        found = best_ratio(
            choice.motor, self.cycle, efficiency=1.0 if gear is None else float(gear.efficiency),
            back_efficiency=None if gear is None else float(gear.back_efficiency),
            gear_inertia=0.0 if gear is None else float(gear.inertia),
            spring=self.task.joints[self.cycle.name].spring, ambient=self.task.ambient,
        )  # fmt: skip
        share, k = self.place(int(self.order[rank]))
        motor = share.batch.motor_name(k)
        near: list[tuple[float, float, str]] = []
        for other in self._shares:
            mine = np.flatnonzero([name == motor for name in other.batch.names])
            for n in np.flatnonzero(np.isin(other.batch.motor_index, mine)):
                far = abs(float(np.log(abs(float(self._of(other, "ratio")[n])) / found.ratio)))
                near.append((far, float(other.evaluation.square_cold[n]), other.batch.name(int(n))))
        coolest = sorted(sorted(near)[:nearest], key=lambda row: row[1])
        return replace(found, nearest=tuple(name for _, _, name in coolest))

    def start_of(self, rank: int) -> np.ndarray:
        """Rises of winding and housing where the last motion begins, of the pair of a rank [K]."""
        share, k = self.place(int(self.order[rank]))
        return share.evaluation.start[:, k]

    def moving_winding_of(self, rank: int) -> float:
        """Hottest winding of the pair of a rank in its last motion, without the rest [°C]."""
        share, k = self.place(int(self.order[rank]))
        return float(share.evaluation.moving_winding[k])

    def mean_winding_of(self, rank: int) -> float:
        """Mean winding temperature of the pair of a rank [°C]."""
        share, k = self.place(int(self.order[rank]))
        return float(share.evaluation.mean_winding[k])
