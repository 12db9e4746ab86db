"""One pair along the cycle: current, voltage, power and temperatures at every sample of the last motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..actuator import Supply
from ..actuator.joint_spring import JointSpring
from ..motor import Motor
from ..parts import without_neutral
from ..physics.inverse import current_at, motor_torque, terminal_voltage
from ..physics.mechanics import iron_power
from ..physics.winding import resistance
from .cycle import Cycle
from .evaluation import at_ambient
from .heat import modes_of
from .passes import laws
from .sweeps import Pair


@dataclass(frozen=True, eq=False)
class Trace:
    """What a pair does in each cell of the last motion of a cycle."""

    time: np.ndarray
    """Middle of each cell since the motion began [s]."""
    gear_torque: np.ndarray
    """Torque at the gear output [N·m]."""
    motor_torque: np.ndarray
    """Torque of the current [N·m]."""
    current: np.ndarray
    """Current [A]."""
    voltage: np.ndarray
    """Terminal voltage [V]."""
    power: np.ndarray
    """Power into the terminals [W]."""
    winding: np.ndarray
    """Winding temperature [°C]."""
    housing: np.ndarray
    """Housing temperature [°C]; NaN where none is known."""
    energy: dict[str, float]
    """Where the energy of one motion goes, by name [J]; they add up to "electrical"."""


@np.errstate(over="ignore", invalid="ignore")
def trace(
    motor: Motor, cycle: Cycle, supply: Supply, ambient: float, mounting: float, start: np.ndarray,
    spring: JointSpring | None = None,
) -> Trace:  # fmt: skip
    """One motor along the cycle, from the rises [K] of winding and housing with which its last motion begins."""
    made = at_ambient(motor, ambient, mounting)
    pair = Pair(made, modes_of(made, 1), ambient, spring, without_neutral(supply))
    numpy = laws("numpy")
    columns = cycle.columns()
    gear = np.asarray(numpy.gear_torque(pair, columns)) + np.zeros_like(cycle.torque)
    torque = np.asarray(motor_torque(made, columns["velocity"], columns["acceleration"], gear))
    winding, housing = _temperatures(pair, columns, torque, start)
    hot = np.where(np.isnan(winding), ambient, winding)
    current = np.asarray(current_at(made, torque, hot))
    before = np.roll(current, 1)
    volts = np.asarray(numpy.sample_voltage(pair, before, current, columns, hot))
    return Trace(
        cycle.cells.time, gear, torque, current, volts, volts * current, winding, housing,
        _energy(made, columns, gear, torque, current, hot),
    )  # fmt: skip


def _temperatures(
    pair: Pair, columns: dict[str, np.ndarray], torque: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Temperatures in the middle of the cells, by the law of the modes."""
    count = len(torque)
    if not pair.modes:
        return np.full(count, np.nan), np.full(count, np.nan)
    numpy = laws("numpy")
    state = _start_modes(pair, start)
    if pair.motor.magnet.iron_loss is not None:
        state |= {f"iron{k}": np.zeros(1) for k in range(len(pair.modes))}
    rows = np.empty((2, count + 1))
    rows[:, 0] = [float(np.squeeze(x)) for x in numpy.rises(pair, state)]
    for k in range(count):
        celsius = pair.ambient + rows[0, k]
        current = current_at(pair.motor, torque[k], celsius)
        copper = resistance(celsius, pair.motor.winding) * current * current
        sample = {"dt": columns["dt"][k], "velocity": columns["velocity"][k]}
        state = numpy.advance_modes(pair, state, copper, sample)
        rows[:, k + 1] = [float(np.squeeze(x)) for x in numpy.rises(pair, state)]
    middles = pair.ambient + 0.5 * (rows[:, 1:] + rows[:, :-1])
    return middles[0], middles[1] if len(pair.modes) > 1 else np.full(count, np.nan)


def _start_modes(pair: Pair, start: np.ndarray) -> dict[str, np.ndarray]:
    """Modes of the copper that make the rises of a start."""
    if len(pair.modes) == 1:
        return {"copper0": np.atleast_1d(start[0] / np.asarray(pair.modes[0].winding))}
    matrix = np.array(
        [[float(np.squeeze(m.winding)) for m in pair.modes], [float(np.squeeze(m.housing)) for m in pair.modes]]
    )
    found = np.linalg.solve(matrix, np.asarray(start, dtype=float).reshape(2))
    return {f"copper{k}": np.atleast_1d(found[k]) for k in range(2)}


def _energy(
    motor: Motor, columns: dict[str, np.ndarray], gear: np.ndarray, torque: np.ndarray, current: np.ndarray,
    celsius: np.ndarray,
) -> dict[str, float]:  # fmt: skip
    """The energy's way through one motion [J]."""
    dt, velocity = columns["dt"], columns["velocity"]
    speed = motor.ratio * velocity
    copper = resistance(celsius, motor.winding) * current**2
    emf = np.asarray(terminal_voltage(motor, 0.0, 0.0, velocity, celsius))
    entering = np.asarray(motor_torque(motor, velocity, 0.0 * velocity, gear))
    rubbed = np.asarray(motor_torque(motor, velocity, 0.0 * velocity, 0.0 * gear))
    iron = iron_power(motor, speed) + 0.0 * speed
    flows = {
        "electrical": copper + emf * current,
        "copper": copper,
        "conversion": emf * current - torque * speed,
        "iron": iron,
        "friction": (rubbed * speed) - iron,
        "gear": (entering - rubbed) * speed - gear * velocity,
        "rotor": (torque - entering) * speed,
        "mechanical": gear * velocity,
    }
    return {name: float(np.sum(power * dt)) for name, power in flows.items()}
