"""The bridge between controller and winding: its curve from duty to volts, and motors whose bridge is off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..physics.current_limits import UNBOUNDED
from ..physics.demand import Demand
from ..physics.ops import change, minimum, where
from ..values import Bits, Maybe, Number
from .duty_curve import full_share, shaped_duty

if TYPE_CHECKING:
    from .actuator import Actuator


def through_bridge(actuator: Actuator, demand: Demand, enable: Maybe) -> Demand:
    """The demand as the terminals see it."""
    supply = actuator.supply
    if supply is not None and supply.curve is not None:
        demand = along_curve(actuator, demand)
    return demand if enable is None else switch_off(actuator, demand, enable < 0.5)


def along_curve(actuator: Actuator, demand: Demand) -> Demand:
    """The demand behind the curve of the bridge. A current loop finds the duty that it needs, up to the largest."""
    supply = actuator.supply
    assert supply is not None and supply.curve is not None
    demand = change(demand, full_share=full_share(largest_duty(actuator, demand), supply.curve))
    if demand.voltage is None:
        return demand
    share, slope, chord = shaped_duty(demand.voltage / supply.voltage, supply.curve)
    return change(
        demand,
        voltage=share * supply.voltage,
        per_speed=slope * demand.per_speed,
        per_angle=slope * demand.per_angle,
        steepening=chord / slope,
    )


def largest_duty(actuator: Actuator, demand: Demand) -> Number:
    """Largest duty that supply and firmware allow, before the curve [1]."""
    supply = actuator.supply
    assert supply is not None
    most = supply.modulation_limit
    return most if demand.duty_limit is None else minimum(most, demand.duty_limit)


def switch_off(actuator: Actuator, demand: Demand, off: Bits) -> Demand:
    """The demand of motors of which some have their bridge off: no current flows in them but what the diodes pass.

    They conduct once the winding has more than the whole bus: that is a current limit of 0, which the bus alone
    can break, whatever limits the drive has for its own voltage.
    """
    allowed = UNBOUNDED if demand.current_limit is None else demand.current_limit
    changes: dict[str, Maybe | Bits] = {"current_limit": where(off, 0.0, allowed), "off": off}
    for name in ("voltage", "current", "per_speed", "per_angle"):
        asked = getattr(demand, name)
        if asked is not None:
            changes[name] = where(off, 0.0, asked)
    if demand.voltage_limit is not None:
        changes["voltage_limit"] = where(off, UNBOUNDED, demand.voltage_limit)
    if actuator.supply is not None:
        most = largest_duty(actuator, demand) if demand.full_share is None else demand.full_share
        changes["full_share"] = where(off, 1.0, most)
    return change(demand, **changes)
