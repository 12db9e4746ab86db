"""Gears of any ratio, for motors that have none: as few stages as a ratio takes, each with its efficiency and mass."""

from __future__ import annotations

import numpy as np

from ..checks import Number, quote
from ..errors import ParameterError
from ..motor import Gearbox, Stage
from ..parts import number, part, table


@part
class FreeGears:
    """Ratios that are tried on every motor without a gear."""

    ratios: np.ndarray = table("1")
    """Rotor speed over joint speed; 1: without a gear."""
    efficiency: Number = number("1", default=0.9, above=0.0, most=1.0)
    """Efficiency of each stage."""
    largest_stage: Number = number("1", default=8.0, above=1.0)
    """Largest ratio of one stage; a larger one takes several, of equal ratios."""
    stage_inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Inertia of each stage at its input."""
    stage_mass: Number = number("kg", default=0.0, least=0.0)
    """Mass of each stage, which is added to the motor's."""

    def __post_init__(self) -> None:
        given = np.atleast_1d(np.asarray(self.ratios))
        if given.dtype.kind not in "iuf":
            raise ParameterError(f"FreeGears.ratios = {quote(self.ratios)}: must be one or more numbers from 1 on")
        found = given.astype(float)
        if found.ndim != 1 or not len(found) or not (np.isfinite(found) & (found >= 1.0)).all():
            raise ParameterError(f"FreeGears.ratios = {found.tolist()}: must be one or more numbers from 1 on")
        object.__setattr__(self, "ratios", found)

    def stages(self, ratio: float) -> int:
        """How many stages a ratio takes [1]."""
        if ratio == 1.0:
            return 0
        return max(1, int(np.ceil(np.log(ratio) / np.log(float(self.largest_stage)) - 1e-9)))

    def gearbox(self, ratio: Number, count: int) -> Gearbox | None:
        """Gears of a ratio in so many stages; None: none."""
        if not count:
            return None
        stage = Stage(ratio=ratio ** (1.0 / count), efficiency=self.efficiency, inertia=self.stage_inertia)
        return Gearbox(stages=(stage,) * count)

    def words(self, ratio: float) -> str:
        """What the gears of a ratio are called."""
        count = self.stages(ratio)
        return f"{ratio:.4g}:1 in {count} stage{'s' if count > 1 else ''}" if count else "no gear"
