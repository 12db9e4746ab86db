"""Rotor and gears."""

from __future__ import annotations

from ..checks import Maybe, Number, concrete
from ..errors import ParameterError
from ..parts import acts, number, part, several


@part
class Rotor:
    """The turning mass on the motor side."""

    inertia: Number = number("kg·m²", above=0.0)
    """Moment of inertia of the rotor."""


@part
class Stage:
    """One reduction of a gear train."""

    ratio: Number = number("1")
    """Input speed over output speed; negative if the stage turns the other way."""
    efficiency: Number = number("1", default=1.0, above=0.0, most=1.0, neutral=1.0)
    """Power out over power in while the motor drives; 1: nothing is lost."""
    back_efficiency: Maybe = number("1", default=None, above=0.0, most=1.0)
    """Power out over power in while the load drives; None: the same."""
    inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Moment of inertia at the input of this stage."""

    def __post_init__(self) -> None:
        ratio = concrete(self.ratio)
        if ratio is not None and (ratio == 0).any():
            raise ParameterError("Stage.ratio = 0: must not be zero; 1 means direct drive")


@part
class Gearbox:
    """A gear train between the rotor and the joint."""

    stages: tuple[Stage, ...] = several(Stage)
    """The reductions, from the motor to the joint."""
    backlash: Number = number("rad", default=0.0, least=0.0, neutral=0.0)
    """Backlash at the joint, from flank to flank; 0: none."""

    @property
    def ratio(self) -> Number:
        """Rotor speed over joint speed [1]."""
        product = self.stages[0].ratio
        for stage in self.stages[1:]:
            product = product * stage.ratio
        return product

    @property
    def efficiency(self) -> Number:
        """Power out over power in while the motor drives [1]."""
        product: Number = 1.0
        for stage in self.stages:
            product = product * stage.efficiency if acts(stage, "efficiency") else product
        return product

    @property
    def back_efficiency(self) -> Number:
        """Power out over power in while the load drives [1]."""
        product: Number = 1.0
        for stage in self.stages:
            share = stage.efficiency if stage.back_efficiency is None else stage.back_efficiency
            product = product if share is None else product * share
        return product

    @property
    def lossless(self) -> bool:
        """Whether no stage loses power, so that the loss is left out of the step."""
        return not any(acts(stage, "efficiency") or stage.back_efficiency is not None for stage in self.stages)

    @property
    def inertia(self) -> Number:
        """Moment of inertia of all stages, reflected to the rotor [kg·m²]."""
        total, ratio = 0.0, 1.0
        for stage in self.stages:
            total = total + stage.inertia / (ratio * ratio)
            ratio = ratio * stage.ratio
        return total
