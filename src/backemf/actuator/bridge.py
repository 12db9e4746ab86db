"""The bridge between controller and winding: its curve from duty to volts, and motors whose bridge is off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..physics.current_limits import UNBOUNDED
from ..physics.demand import Demand
from ..physics.ops import minimum, where
from ..tree import change
from .duty_curve import full_share, shaped_duty

if TYPE_CHECKING:
    from .actuator import Actuator


def through_bridge(actuator: Actuator, demand: Demand, enable: float | None) -> Demand:
    """The demand as the terminals see it."""
    supply = actuator.supply
    if supply is not None and supply.curve is not None:
        demand = along_curve(actuator, demand)
    return demand if enable is None else where_enabled(actuator, demand, enable > 0.5)


def along_curve(actuator: Actuator, demand: Demand) -> Demand:
    """The demand behind the curve of the bridge. A current loop finds the duty that it needs, up to the largest."""
    supply: Any = actuator.supply
    demand = change(demand, full_share=full_share(largest_duty(actuator, demand), supply.curve))
    if demand.voltage is None:
        return demand
    share, slope, steepest = shaped_duty(demand.voltage / supply.voltage, supply.curve)
    return change(
        demand,
        voltage=share * supply.voltage,
        per_speed=slope * demand.per_speed,
        per_angle=slope * demand.per_angle,
        steepening=steepest / slope,
    )


def largest_duty(actuator: Actuator, demand: Demand) -> Any:
    """Largest duty that supply and firmware allow, before the curve [1]."""
    supply: Any = actuator.supply
    most = supply.modulation_limit
    return most if demand.duty_limit is None else minimum(most, demand.duty_limit)


def where_enabled(actuator: Actuator, demand: Demand, on: bool) -> Demand:
    """The demand where the bridge is on; where it is off, no current but what the diodes pass.

    They conduct once the winding has more than the whole bus: that is a current limit of 0, which the bus alone
    can break, whatever limits the drive has for its own voltage.
    """
    allowed = UNBOUNDED if demand.current_limit is None else demand.current_limit
    changes: dict[str, Any] = {"current_limit": where(on, allowed, 0.0), "on": on}
    if demand.voltage_limit is not None:
        changes["voltage_limit"] = where(on, demand.voltage_limit, UNBOUNDED)
    if actuator.supply is not None:
        most = largest_duty(actuator, demand) if demand.full_share is None else demand.full_share
        changes["full_share"] = where(on, most, 1.0)
    return change(demand, **changes)
