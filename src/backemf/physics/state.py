"""What a motor remembers from step to step, and what a step answers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..tree import kind_of_numbers
from ..values import Array as Array
from ..values import Bits, Recorded

Counter = Bits | Any
"""A whole number per motor or environment; None where there is none."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class State:
    """The memory of an actuator: flat arrays of the batch's shape; None where it has no such state."""

    current: Recorded = None
    """Winding current [A]."""
    winding_rise: Recorded = None
    """Winding temperature above ambient [K]."""
    housing_rise: Recorded = None
    """Housing temperature above ambient [K]."""
    phase_rise: Recorded = None
    """Temperature of the thermistor's phase above that of the winding [K]."""
    sensor_rise: Recorded = None
    """Temperature of the thermistor above ambient [K]."""
    bristle: Recorded = None
    """Bending of the friction bristles [rad]."""
    gap: Recorded = None
    """Rotor angle ahead of the gears, on the motor side, within ± half the backlash [rad]."""
    rotor_speed: Recorded = None
    """Rotor speed where backlash lets it differ from the joint's [rad/s]."""
    energy: Recorded = None
    """Electrical energy taken since the last reset [J]."""
    fresh: Recorded = None
    """1 in the first step after a reset, in which a setpoint, a moving target or a history begins; else 0 [1]."""
    clock: Counter = None
    """Steps since the last reset, for the delay [1]."""
    setpoint: Recorded = None
    """Main input after the slew limit, in its own unit."""
    integral: Recorded = None
    """Integral of the controller [rad·s], or its moving target [rad]."""
    position_line: Recorded = None
    """Position targets under way, one frame per step in front of the batch's axes [rad]."""
    velocity_line: Recorded = None
    """Velocity targets under way [rad/s]."""
    effort_line: Recorded = None
    """Efforts under way [N·m]."""
    voltage_line: Recorded = None
    """Voltages under way [V]."""
    mode_line: Recorded = None
    """Modes under way [1]."""
    head: Counter = None
    """Slot of the newest frame, the same for all [1]."""
    lag: Recorded = None
    """Present delay [steps]."""
    aim: Recorded = None
    """Delay that was drawn last, which the present one grows to by no more than a step per step [steps]."""
    phase: Counter = None
    """Steps by which the changes of the delay are staggered [1]."""
    key: Counter = None
    """Number from which the delay's draws follow, a new one after each reset [1]."""
    held_position: Recorded = None
    """Joint position at the last reset, which is held until the first command arrives [rad]."""
    error_history: Recorded = None
    """Position errors that a learned actuator sees, newest first, in front of the batch's axes [rad]."""
    velocity_history: Recorded = None
    """Velocities that it sees, newest first [rad/s]."""
    hidden: Recorded = None
    """Hidden state of a recurrent network, features behind the batch's axes [1]."""
    cell: Recorded = None
    """Cell state of a recurrent network, features behind the batch's axes [1]."""


VOLTAGE, CURRENT, RATE, DERATING, TORQUE, COMMAND, SLEW, INVALID, JOINT, OFF = 1, 2, 4, 8, 16, 32, 64, 128, 256, 512
"""Bits of `Output.limit`: the voltage, the current limit, the current rate, a current limit lowered by heat, a torque
limit, the command range, the slew of the setpoint, a command that is not finite, a position, velocity, load or step of
the joint that is not finite, a bridge that is off."""
LIMITS = {
    "voltage": VOLTAGE,
    "current": CURRENT,
    "current rate": RATE,
    "derating": DERATING,
    "torque": TORQUE,
    "command range": COMMAND,
    "slew": SLEW,
    "invalid command": INVALID,
    "invalid joint": JOINT,
    "off": OFF,
}
"""Each bit of `Output.limit` by name."""


def limit_names(limit: int) -> list[str]:
    """Which limits act, by name, from the bits of one motor's `Output.limit`."""
    return [name for name, bit in LIMITS.items() if int(limit) & bit]


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Output:
    """What an actuator does over a step: the torque and the telemetry; None where there is no motor to speak of.

    Powers are exact means over the step. They balance to rounding:
    electrical = copper + magnetic + conversion + iron + drag + friction + bristle + gear + rotor + mechanical + spring
    - cogging - numerical. A value that is the same for the whole batch may be a plain number.
    """

    torque: Recorded
    """Torque on the joint [N·m]."""
    torque_requested: Recorded
    """Torque on the joint if no limit acted [N·m]."""
    torque_slope: Recorded
    """How fast the torque falls with joint speed, -d(torque)/d(speed), controller included [N·m·s/rad]."""
    torque_stiffness: Recorded = 0.0
    """How fast the torque falls with joint position, -d(torque)/d(position), by controller and spring [N·m/rad]."""
    motor_torque: Recorded = None
    """Electromagnetic torque on the rotor [N·m]: at the end of the step for a host, its mean in `simulate`."""
    voltage: Recorded = None
    """Voltage at the terminals [V]."""
    current: Recorded = None
    """Winding current at the end of the step [A]."""
    back_emf: Recorded = None
    """Induced voltage [V]."""
    winding_temperature: Recorded = None
    """Winding temperature at the end of the step [°C]."""
    housing_temperature: Recorded = None
    """Housing temperature at the end of the step [°C]."""
    measured_temperature: Recorded = None
    """What a thermistor in the winding reads at the end of the step [°C]."""
    rotor_speed: Recorded = None
    """Speed of the rotor [rad/s]."""
    electrical_power: Recorded = None
    """Power into the terminals [W]."""
    copper_power: Recorded = None
    """Heat in the winding [W]."""
    iron_power: Recorded = None
    """Heat in the iron [W]."""
    magnetic_power: Recorded = None
    """Power into the field of the inductance [W]."""
    conversion_power: Recorded = None
    """Power that the back-EMF takes and the torque does not give [W]: Kt below Ke, saturation, and for a host also the
    torque being that of the current at the end of the step."""
    drag_power: Recorded = None
    """Heat of viscous drag [W]."""
    friction_power: Recorded = None
    """Heat of dry friction [W]."""
    bristle_power: Recorded = None
    """Power into the bent bristles [W]."""
    cogging_power: Recorded = None
    """Power the cogging torque gives [W]."""
    gear_power: Recorded = None
    """Heat of the gears [W]."""
    rotor_power: Recorded = None
    """Power into the kinetic energy of a rotor that backlash lets go [W]; otherwise the rotor counts as load."""
    mechanical_power: Recorded = None
    """Power into the joint [W]."""
    spring_power: Recorded = None
    """Power into the spring at the joint [W]; None where there is none."""
    numerical_power: Recorded = None
    """Power by which the linearised step of `simulate` misses the laws; 0 when a host integrates [W]."""
    bus_voltage: Recorded = None
    """Voltage of the supply's terminals [V]."""
    bus_current: Recorded = None
    """Current out of the supply [A]."""
    brake_power: Recorded = None
    """Power that a supply without regeneration burns in its brake resistor [W]."""
    limit: Bits = 0
    """Which limits act, as a sum of bits; `limit_names` says them in words."""
    electrical_energy: Recorded = None
    """Electrical energy taken since the last reset [J]; None where the actuator has no meter."""
    joint_position: Recorded = None
    """Joint position at the end of a `coupled` step [rad]; None where a host integrates the joint."""
    joint_velocity: Recorded = None
    """Joint velocity at the end of a `coupled` step [rad/s]."""
    joint_travel: Recorded = None
    """Angle that the joint moved over a `coupled` step [rad]: finer than a difference of two large positions."""
    load_torque: Recorded = None
    """Mean torque of the load on the joint over a `coupled` step [N·m]."""

    def check(self) -> None:
        """Raise a `ParameterError` that names each motor whose command or joint was not finite; waits for a GPU."""
        flags: Any = self.limit
        flags = flags.cpu() if hasattr(flags, "cpu") else flags
        flags = flags.numpy() if hasattr(flags, "numpy") else flags
        flags = np.asarray(0 if flags is None else flags)
        for bit, words in _INVALID.items():
            bad = np.argwhere(flags & bit)
            if len(bad):
                places = ", ".join(str(tuple(int(i) for i in index)) for index in bad[:5])
                more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
                raise ParameterError(f"the {words[0]} at {places}{more} was not finite: {words[1]}")


_INVALID = {
    INVALID: (
        "command",
        "those joints held their position or got no torque, all others are as they should be; look at what makes the "
        "command",
    ),
    JOINT: (
        "position, velocity, load or step of the joint",
        "those motors got no torque and stayed as they were, all others are as they should be; look at the simulator's "
        "state there, or reset it",
    ),
}
"""What each bit of an invalid input says, and what became of the motor."""
COUPLED = ("joint_position", "joint_velocity", "joint_travel", "load_torque")
"""Outputs that only a `coupled` step has."""
STATES = tuple(entry.name for entry in fields(State))
"""Names of all states."""
OUTPUTS = tuple(entry.name for entry in fields(Output))
"""Names of all outputs."""

PER_MOTOR = (
    "current", "winding_rise", "housing_rise", "phase_rise", "sensor_rise", "bristle", "gap", "rotor_speed", "energy",
    "setpoint", "integral", "held_position",
)  # fmt: skip
"""States with one number per motor."""
SHARED = ("clock", "lag", "aim", "phase", "key")
"""States that the joints of an environment may have in common."""
