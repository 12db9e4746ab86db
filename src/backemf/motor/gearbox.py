"""What turns between the magnet and the joint."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import Maybe, Number, concrete, leave_out, require, require_finite, require_parts
from ..errors import ParameterError
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Rotor:
    """The turning mass on the motor side."""

    inertia: Number
    """Moment of inertia of the rotor [kg·m²]."""

    def __post_init__(self) -> None:
        require(self, "inertia", ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Stage:
    """One reduction of a gear train."""

    ratio: Number
    """Input speed over output speed [1]; negative if the stage turns the other way."""
    efficiency: Maybe = None
    """Power out over power in while the motor drives [1]; None: nothing is lost."""
    back_efficiency: Maybe = None
    """Power out over power in while the load drives [1]; None: the same."""
    inertia: Number = 0.0
    """Moment of inertia at the input of this stage [kg·m²]."""

    def __post_init__(self) -> None:
        require_finite(self, "ratio")
        ratio = concrete(self.ratio)
        if ratio is not None and (ratio == 0).any():
            raise ParameterError("Stage.ratio = 0: must not be zero; 1 means direct drive")
        for name in ("efficiency", "back_efficiency"):
            require(self, name, ">")
            require(self, name, "<=", 1.0)
        require(self, "inertia", ">=")
        leave_out(self, "efficiency", 1.0)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Gearbox:
    """A gear train between the rotor and the joint."""

    stages: tuple[Stage, ...]
    """The reductions, from the motor to the joint."""
    backlash: Maybe = None
    """Free play at the joint, from flank to flank [rad]; None: the gears never part."""

    def __post_init__(self) -> None:
        require_parts(self, "stages", Stage)
        require(self, "backlash", ">")

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
            product = product if stage.efficiency is None else product * stage.efficiency
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
        """Whether every stage passes all power on, so that the loss is left out of the step."""
        return all(stage.efficiency is None and stage.back_efficiency is None for stage in self.stages)

    @property
    def inertia(self) -> Number:
        """Moment of inertia of all stages, reflected to the rotor [kg·m²]."""
        total, ratio = 0.0, 1.0
        for stage in self.stages:
            total = total + stage.inertia / (ratio * ratio)
            ratio = ratio * stage.ratio
        return total
