"""What a pass over the samples of a cycle adds up, for one pair of motor and gear or for thousands at once.

A sample is a short piece of the cycle with its middle's values. Two passes are enough for everything: the first finds
what the cycle's heat follows from, the second runs at the temperatures that follow from it.

A pass is written once, with the operations of the laws, and runs on NumPy or as machine code.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..actuator import Supply
from ..actuator.joint_spring import JointSpring, spring_torque
from ..motor import Motor
from ..physics.gearbox import input_torque
from ..physics.inverse import current_at, motor_torque, terminal_voltage
from ..physics.mechanics import iron_power
from ..physics.ops import absolute, expm1, maximum, minimum, sqrt, where
from ..physics.supply import accepted_power, bus_current, sagging_bus
from ..physics.winding import resistance
from ..values import Number

HOTTEST = 400.0
"""Temperature up to which a winding is followed; beyond, all that counts is that it is too hot [°C]."""
State = dict[str, Number]
"""What has been added up so far, by name."""
Sample = dict[str, Number]
"""One sample of the cycle by the names of `Cycle.columns`."""


@dataclass(frozen=True)
class Mode:
    """One exponential of the heat: z' = rate·z + power, of which winding and housing feel a share."""

    rate: Number
    """Eigenvalue of the heat flow, negative [1/s]."""
    winding: Number
    """Rise of the winding per z of the copper [K/J]."""
    housing: Number
    """Rise of the housing per z of the copper [K/J]."""
    winding_by_iron: Number
    """Rise of the winding per z of the iron [K/J]."""
    housing_by_iron: Number
    """Rise of the housing per z of the iron [K/J]."""


@dataclass(frozen=True)
class Pair:
    """What a pass knows of pairs of motor and gear; numbers are arrays with one entry per pair."""

    motor: Motor
    """Motors with their gears, without what has no effect."""
    modes: tuple[Mode, ...]
    """Exponentials of the heat, one per node; empty: no heat is known."""
    ambient: Number
    """Temperature around them [°C]."""
    spring: JointSpring | None = None
    """Spring beside the motor at the joint; None: there is none."""
    supply: Supply | None = None
    """Where the volts come from, for the second pass."""


def gear_torque(pair: Pair, sample: Sample) -> Number:
    """Torque at the gear output: what the load takes, less what the spring gives [N·m]."""
    if pair.spring is None:
        return sample["torque"]
    return sample["torque"] - spring_torque(sample["position"], pair.spring)


def torque_of_sample(pair: Pair, sample: Sample) -> Number:
    """Torque of the current on the rotor [N·m]."""
    return motor_torque(pair.motor, sample["velocity"], sample["acceleration"], gear_torque(pair, sample))


def driven_mode(z: Number, rate: Number, power: Number, dt: Number) -> Number:
    """z after a sample with a held power, exact: z' = rate·z + power [J]."""
    grown = expm1(rate * dt)
    # what follows from the rate alone stands by itself, so that it is computed once
    return z + grown * z + (grown / rate) * power


def collect(pair: Pair, state: State, sample: Sample) -> State:
    """First pass: mean square and peak of the current at a flux, and what one ohm and the iron heat.

    `square` is Σ i²·dt [A²·s] with the winding at `ambient`, `peak` the largest |i| [A], `copper0..` the modes driven
    by i² [A²·s], `iron0..` those driven by the iron loss [J].
    """
    dt = sample["dt"]
    current = current_at(pair.motor, torque_of_sample(pair, sample), pair.ambient)
    square = current * current
    after = {"square": state["square"] + square * dt, "peak": maximum(state["peak"], absolute(current))}
    after |= advance_modes(pair, state, square, sample)
    return after


def advance_modes(pair: Pair, state: State, copper: Number, sample: Sample) -> State:
    """The modes after a sample in which the copper takes a power."""
    after: State = {}
    iron = iron_power(pair.motor, pair.motor.ratio * sample["velocity"])
    for k, mode in enumerate(pair.modes):
        after[f"copper{k}"] = driven_mode(state[f"copper{k}"], mode.rate, copper, sample["dt"])
        if f"iron{k}" in state:
            after[f"iron{k}"] = driven_mode(state[f"iron{k}"], mode.rate, iron, sample["dt"])
    return after


def rises(pair: Pair, state: State) -> tuple[Number, Number]:
    """Rises of winding and housing above ambient, of modes [K]."""
    winding: Number = 0.0
    housing: Number = 0.0
    for k, mode in enumerate(pair.modes):
        z = state[f"copper{k}"]
        winding, housing = winding + mode.winding * z, housing + mode.housing * z
        if f"iron{k}" in state:
            y = state[f"iron{k}"]
            winding, housing = winding + mode.winding_by_iron * y, housing + mode.housing_by_iron * y
    return winding, housing


def operate(pair: Pair, state: State, sample: Sample) -> State:
    """Second pass: currents, voltages, power and temperatures, with R and flux at the temperature of each sample.

    Between neighbouring samples the current changes by di/dt, which takes L·di/dt; across a jump of the motion
    (`per_gap` is 0) any finite voltage takes a moment, and that moment is left out. The cold winding runs along, since
    its magnet is the strongest and its back-EMF the largest.
    """
    motor, supply, dt = pair.motor, pair.supply, sample["dt"]
    assert supply is not None
    warm, _ = rises(pair, state)
    temperature = minimum(pair.ambient + warm, HOTTEST)
    torque = torque_of_sample(pair, sample)
    current, cold = current_at(motor, torque, temperature), current_at(motor, torque, pair.ambient)
    copper = resistance(temperature, motor.winding) * current * current
    volts = sample_voltage(pair, state["current"], current, sample, temperature)
    cold_volts = sample_voltage(pair, state["cold_current"], cold, sample, pair.ambient)
    power = volts * current
    drawn = power if supply.regeneration else accepted_power(power)
    total = drawn + sample["other_power"]
    bus = supply.voltage
    if supply.resistance is not None:
        bus = sagging_bus(supply.voltage, supply.resistance, 0.0, 0.0, total)
    spare = supply.largest_share * bus - maximum(absolute(volts), absolute(cold_volts))
    if supply.resistance is not None:
        # beyond V²/(4·R) a battery gives no more, whatever the voltage of its bus: this one would have to be stronger
        lacks = supply.voltage - 2.0 * sqrt(supply.resistance * maximum(total, 0.0))
        spare = where(lacks < 0.0, minimum(spare, lacks), spare)
    # inductance gives back over the cycle what it takes: the energy is what heats and what turns
    used = copper + terminal_voltage(motor, 0.0, 0.0, sample["velocity"], temperature) * current
    paid = used if supply.regeneration else accepted_power(used)
    after: State = {
        "current": current,
        "cold_current": cold,
        "peak_current": maximum(state["peak_current"], absolute(current)),
        "square": state["square"] + current * current * dt,
        "voltage": maximum(state["voltage"], maximum(absolute(volts), absolute(cold_volts))),
        "spare_voltage": minimum(state["spare_voltage"], spare),
        "supply_current": maximum(state["supply_current"], bus_current(total, bus)),
        "energy": state["energy"] + paid * dt,
        "copper": state["copper"] + copper * dt,
    }
    after |= advance_modes(pair, state, copper, sample)
    warm, hull = rises(pair, after)
    after["winding"] = maximum(state["winding"], warm)
    after["housing"] = maximum(state["housing"], hull)
    if pair.spring is not None:
        passed = absolute(gear_torque(pair, sample))
        after["gear_peak"] = maximum(state["gear_peak"], passed)
        after["gear_square"] = state["gear_square"] + passed * passed * dt
    return after


def sample_voltage(pair: Pair, before: Number, current: Number, sample: Sample, temperature: Number) -> Number:
    """Terminal voltage between the sample before and this one, or in this one where the motion jumps [V]."""
    rate = sample["per_gap"] * (current - before)
    smooth = sample["per_gap"] > 0.0
    middle = where(smooth, 0.5 * (current + before), current)
    velocity = where(smooth, sample["middle_velocity"], sample["velocity"])
    return terminal_voltage(pair.motor, middle, rate, velocity, temperature)


def spring_sums(pair: Pair, state: State, sample: Sample) -> State:
    """Sums of the least-squares problem of the spring, with the direction of power as it is now.

    The motor's torque is c + s·(k·q - p)/N with c without the spring, s what the gears make of a torque, k the
    stiffness and p = k·q0. Minimising Σ m²·dt over k and p takes five sums; `mm` is Σ m²·dt itself.
    """
    dt, position = sample["dt"], sample["position"]
    torque = torque_of_sample(pair, sample)
    passed = gear_torque(pair, sample)
    share = gear_share(pair.motor, passed, sample["velocity"]) / pair.motor.ratio
    bare = torque - share * (passed - sample["torque"])
    return {
        "mm": state["mm"] + torque * torque * dt,
        "qq": state["qq"] + share * share * position * position * dt,
        "q1": state["q1"] + share * share * position * dt,
        "11": state["11"] + share * share * dt,
        "qc": state["qc"] + share * position * bare * dt,
        "1c": state["1c"] + share * bare * dt,
    }


def gear_share(motor: Motor, torque: Number, velocity: Number) -> Number:
    """What the gears make of a torque by the direction of power: 1/efficiency, or the back efficiency [1]."""
    if motor.gearbox is None or motor.gearbox.lossless:
        return 1.0
    return input_torque(1.0, torque * velocity, motor.gearbox.efficiency, motor.gearbox.back_efficiency)
