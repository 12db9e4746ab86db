"""Where the supply of a rig contradicts the motor or the voltage that was logged: millivolts, or another battery."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...datasheet import Finding
from .view import MotorFigures, amount, finding

if TYPE_CHECKING:
    from ..log import Log
    from ..rig import Rig

ABSURD = 8.0
"""So many times its rated voltage no motor is run at [1]."""
APART = 1.4
"""Factor between the rig's voltage and the logged one that is worth a word [1]."""


def check_against_supply(log: Log, rig: Rig, motor: MotorFigures) -> Iterator[Finding]:
    """A supply far above the motor's rated voltage, or far from the bus voltage of the log."""
    supply = rig.supply_for(log)
    if supply is None:
        return
    volts = float(np.max(np.asarray(supply.voltage, dtype=float)))
    if motor.voltage is not None and volts > ABSURD * motor.voltage:
        yield finding(
            "supply.voltage", "error", f"{amount(volts, 'bus_voltage')} in the rig, {volts / motor.voltage:.3g} times "
            f"the motor's rated {amount(motor.voltage, 'bus_voltage')}: it is in another unit, or the motor is "
            "another; correct the rig", "rig",
        )  # fmt: skip
    elif "bus_voltage" in log:
        seen = float(np.median(log["bus_voltage"]))
        if seen > 0.0 and not 1.0 / APART < volts / seen < APART:
            yield finding(
                "supply.voltage", "warning", f"{amount(volts, 'bus_voltage')} in the rig, and the log's bus voltage is "
                f"{amount(seen, 'bus_voltage')}: correct the rig, or leave the channel out", "rig",
            )  # fmt: skip
