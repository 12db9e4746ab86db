"""The current that all motors of a robot draw from their supply together."""

from __future__ import annotations

from dataclasses import dataclass

from ...actuator import Supply
from ...analyze.constants import continuous_current
from ...robot.robot import Robot
from ...sims.joint import parts_of, ratio_of, single
from ...units import format_quantity
from ..duty import complete_actuator, has_voltage, scale_of
from .placing import Placed


@dataclass(frozen=True, kw_only=True)
class SupplyCurrent:
    """Current of all motors that hang on the robot's supply, each at full voltage."""

    supply: Supply | None
    """The supply; None: each motor is fed at its own voltage."""
    joints: tuple[str, ...]
    """Joints whose motors it feeds."""
    peak: float
    """Sum of the largest currents [A]."""
    continuous: float
    """Sum of the continuous currents of those motors that have one [A]."""
    largest: float
    """Largest current of one motor [A]."""
    without_peak: tuple[str, ...] = ()
    """Joints whose current is not known, since nothing is known of their winding."""
    without_continuous: tuple[str, ...] = ()
    """Joints whose continuous current is not known."""
    available_peak: float | None = None
    """What the supply gives for a short time [A]; None: not known."""
    available_continuous: float | None = None
    """What it gives for as long as one likes [A]; None: not known."""

    @property
    def voltage_at_peak(self) -> float | None:
        """Voltage of the bus under the sum of the largest currents [V]; None: there is no common supply."""
        if self.supply is None:
            return None
        return single("voltage", self.supply.voltage) - single("resistance", self.supply.resistance) * self.peak

    @property
    def words(self) -> str:
        """The sum of the peaks, such as "12 motors draw up to 370.4 A together"."""
        count, amperes = len(self.joints) - len(self.without_peak), format_quantity(self.peak, "A")
        return f"{count} motors draw up to {amperes} together" if count != 1 else f"1 motor draws up to {amperes}"

    @property
    def share(self) -> float | None:
        """What the supply gives of the sum of the largest currents, at most 1 [1]; None: not known."""
        if self.available_peak is None or not self.peak:
            return None
        return min(1.0, self.available_peak / self.peak)


def supply_current(robot: Robot, placed: tuple[Placed, ...]) -> SupplyCurrent:
    """The sums over all driven joints; a motor with a supply of its own is left out where the robot has one."""
    names: list[str] = []
    unknown: list[str] = []
    untold: list[str] = []
    peaks: list[float] = []
    lasting: list[float] = []
    known: dict[int, tuple[float | None, float | None]] = {}
    for each in placed:
        actuator = parts_of(each.thing)[1]
        if robot.supply is not None and actuator.supply is not None and actuator.supply != robot.supply:
            continue
        names.append(each.joint.name)
        if id(each.thing) not in known:
            known[id(each.thing)] = _currents(each)
        peak, steady = known[id(each.thing)]
        if peak is None:
            unknown.append(each.joint.name)
            continue
        peaks.append(peak)
        if steady is None:
            untold.append(each.joint.name)
        else:
            lasting.append(steady)
    return SupplyCurrent(
        supply=robot.supply,
        joints=tuple(names),
        peak=sum(peaks),
        continuous=sum(lasting),
        largest=max(peaks, default=0.0),
        without_peak=tuple(unknown),
        without_continuous=tuple(untold),
        available_peak=robot.peak_current,
        available_continuous=robot.continuous_current,
    )


def _currents(each: Placed) -> tuple[float | None, float | None]:
    """Largest and continuous current of a motor; None where it is not known."""
    motor, _ = parts_of(each.thing)
    if motor is None or not has_voltage(each.thing):
        return None, None
    kt = ratio_of(motor) * single("Kt", motor.magnet.torque_constant)
    peak = scale_of(complete_actuator(each.thing)).asked / kt
    steady = continuous_current(motor)
    return peak, None if steady is None else min(peak, single("current", steady))
