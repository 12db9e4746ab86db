"""What a cycle asks of every pair: currents, voltages, temperatures and energy in the periodic steady state."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..actuator import Supply
from ..actuator.joint_spring import JointSpring, spring_torque
from ..motor import Motor
from ..parts import acts, without_neutral
from ..physics.inverse import current_at, field_at
from ..physics.mechanics import iron_power
from ..values import Number
from .cycle import Cycle
from .heat import copper_scale, mean_temperature, modes_of, periodic_modes
from .passes import laws, run_pass
from .resting import run_rest
from .sweeps import HOTTEST, Pair

SETTLED = 0.1
"""Shift of the winding temperature below which a second pass is the last one [K]."""
PASSES = 4
"""Most second passes over pairs whose temperatures still move [1]."""
ROUNDS = 3
"""Rounds in which the losses of motions in a row follow their temperatures [1]."""
DUTY = 600.0
"""Longest cycle over which currents add up as RMS where no heat is known, that of duty S3 of IEC 60034-1 [s]."""
CHUNK = 131_072
"""Most pairs that are evaluated at once; their states and numbers take about 60 MB [1]."""


@dataclass(frozen=True)
class Evaluation:
    """The figures of each pair, arrays with one entry per pair."""

    peak_current: np.ndarray
    """Largest current, with the winding as warm as it gets [A]."""
    rms_current: np.ndarray
    """RMS current over the whole cycle [A]."""
    lasting_current: np.ndarray
    """The same, or over the worse of motions and rest where the cycle is longer than a duty cycle of makers [A]."""
    voltage: np.ndarray
    """Largest terminal voltage, warm or cold [V]."""
    spare_voltage: np.ndarray
    """Least difference between what the bus gives and what the motor needs [V]; negative: too little."""
    supply_current: np.ndarray
    """Largest current of the supply, the other joints' included [A]."""
    energy: np.ndarray
    """Energy from the supply per cycle [J]."""
    heat: np.ndarray
    """Heat of the copper per cycle [J]."""
    winding: np.ndarray
    """Hottest winding [°C]; inf where it runs away, NaN where no heat is known."""
    moving_winding: np.ndarray
    """Hottest winding in the last motion of a cycle, without the rest [°C]."""
    housing: np.ndarray
    """Hottest housing [°C]; NaN where none is known."""
    mean_winding: np.ndarray
    """Mean winding temperature over the cycle [°C]; NaN where no heat is known."""
    square_cold: np.ndarray
    """Mean of i² with a winding at ambient [A²]."""
    motor_speed: np.ndarray
    """Fastest rotor [rad/s]."""
    gear_peak: np.ndarray
    """Largest torque at the gear output [N·m]."""
    gear_equivalent: np.ndarray
    """Equivalent continuous torque at the gear output [N·m]."""
    inertia: np.ndarray
    """Inertia of rotor and gears at the joint [kg·m²]."""
    start: np.ndarray
    """Rises of winding and housing where the last motion of a cycle begins, (2, pairs) [K]."""

    def take(self, rows: np.ndarray) -> Evaluation:
        """Some of the pairs."""
        return Evaluation(**{e.name: getattr(self, e.name)[..., rows] for e in fields(self)})


def at_ambient(motor: Motor, ambient: Number, mounting: float) -> Motor:
    """Motors for sizing: around them the task's air, the housing's resistance scaled by its mounting, and without what
    the inverse leaves out."""
    left_out = dict.fromkeys(("cogging", "thermistor", "friction_over_angle", "network", "limits", "ratings"))
    bare = replace(motor, **left_out)
    t = bare.thermal
    if t is not None:
        scaled = {name: getattr(t, name) * mounting for name in ("housing_resistance",) if hasattr(t, name)}
        bare = replace(bare, thermal=replace(t, ambient=ambient, **scaled))
    return without_neutral(bare)


# a current beyond all numbers, of a magnet that saturates, is a pair that cannot do it
@np.errstate(over="ignore", invalid="ignore")
def evaluate(
    motor: Motor, count: int, cycle: Cycle, supply: Supply, ambient: float, mounting: float = 1.0,
    spring: JointSpring | None = None, other_power: np.ndarray | float = 0.0, exponent: float = 2.0,
    engine: str | None = None,
) -> Evaluation:  # fmt: skip
    """The figures of `count` pairs, whose numbers are plain or arrays with one entry per pair."""
    made = at_ambient(motor, ambient, mounting)
    pair = Pair(made, modes_of(made, count), ambient, spring, without_neutral(supply))
    columns, rhythm = cycle.columns(other_power), cycle.rhythm
    warms = acts(made.magnet, "iron_loss")
    kinds = ("copper", "iron") if warms else ("copper",)
    names = [f"{kind}{k}" for k in range(len(pair.modes)) for kind in kinds]
    first = run_pass(
        "collect", pair, dict.fromkeys(("square", "peak", *names), 0.0),
        {name: columns[name] for name in ("dt", "position", "velocity", "acceleration", "torque")}, count, engine,
    )  # fmt: skip
    # what holds the load while it rests
    holding = cycle.rest_torque
    if spring is not None:
        holding = holding - spring_torque(cycle.cells.position[-1], spring)
    hold = (
        np.broadcast_to(current_at(made, holding / made.ratio, ambient), (count,)) if rhythm.rest else np.zeros(count)
    )
    square = (rhythm.repeats * first["square"] + hold**2 * rhythm.rest) / rhythm.cycle
    mean = np.full(count, np.nan)
    start: dict[str, np.ndarray] = {}
    if pair.modes:
        iron = iron_power(made, 1.0) * np.asarray(made.ratio) ** 2 * cycle.mean_square_speed()
        mean = mean_temperature(made, ambient, square, iron)
        scale = copper_scale(made, ambient, np.minimum(mean, HOTTEST))
        for k, mode in enumerate(pair.modes):
            rate = np.asarray(mode.rate)
            rested = scale * hold**2 * np.expm1(rate * rhythm.rest) / rate
            start[f"copper{k}"] = periodic_modes(rate, scale * first[f"copper{k}"], rested, rhythm)[-1]
            if warms:
                start[f"iron{k}"] = periodic_modes(rate, first[f"iron{k}"], 0.0, rhythm)[-1]
    second, start, mean = _settle(pair, cycle, columns, start, hold, mean, count, engine)
    moving = hottest = mean.copy()
    housing = np.full(count, np.nan)
    rise = np.zeros((2, count))
    resting = np.zeros(count)
    if pair.modes:
        cool = mean < HOTTEST
        moving = hottest = np.where(cool, ambient + second["winding"], mean)
        if len(pair.modes) > 1:
            housing = np.where(cool, ambient + second["housing"], np.inf)
        if rhythm.rest:
            rest = run_rest(pair, {name: second[name] for name in start}, hold, rhythm.rest)
            resting = np.where(cool, rest.copper, np.inf)
            # a load that is held for long may be the hottest of all
            hottest = np.where(cool, np.maximum(hottest, ambient + rest.winding), hottest)
            housing = np.where(cool, np.maximum(housing, ambient + rest.housing), housing)
        rise = np.stack([np.broadcast_to(x, (count,)) for x in laws("numpy").rises(pair, start)])
    ratio = np.asarray(made.ratio, dtype=float)
    if not pair.modes:
        resting = copper_scale(made, ambient, np.full(count, ambient)) * hold**2 * rhythm.rest
    weaker = np.asarray(field_at(made, ambient)) / np.asarray(field_at(made, np.nan_to_num(mean, nan=ambient)))
    peak = np.maximum(second["peak_current"], np.abs(hold) * np.where(np.isfinite(weaker), weaker, 1.0))
    each = np.ones(count)
    gear_peak, gear_lasting = cycle.peak_torque * each, cycle.equivalent_torque(exponent) * each
    if spring is not None:
        held = np.abs(holding) * each
        gear_peak = np.maximum(second["gear_peak"], held if rhythm.rest else 0.0)
        gear_lasting = np.sqrt((rhythm.repeats * second["gear_square"] + held**2 * rhythm.rest) / rhythm.cycle)
    rms = np.sqrt((rhythm.repeats * second["square"] + hold**2 * rhythm.rest) / rhythm.cycle)
    worse = np.maximum(np.sqrt(second["square"] / rhythm.duration), np.abs(hold) if rhythm.rest else 0.0)
    return Evaluation(
        peak_current=peak,
        rms_current=rms,
        lasting_current=rms if rhythm.cycle <= DUTY else worse,
        voltage=second["voltage"],
        spare_voltage=second["spare_voltage"],
        supply_current=second["supply_current"],
        energy=rhythm.repeats * second["energy"] + resting,
        heat=rhythm.repeats * second["copper"] + resting,
        winding=hottest,
        moving_winding=moving,
        housing=housing,
        mean_winding=mean,
        square_cold=square,
        motor_speed=np.abs(ratio) * cycle.top_speed * each,
        gear_peak=gear_peak,
        gear_equivalent=gear_lasting,
        inertia=np.asarray(made.reflected_inertia, dtype=float) * each,
        start=rise,
    )


def _settle(
    pair: Pair, cycle: Cycle, columns: dict[str, np.ndarray], start: dict[str, np.ndarray], hold: np.ndarray,
    mean: np.ndarray, count: int, engine: str | None,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]:  # fmt: skip
    """The second pass, again for pairs whose temperatures it moves; the modes they begin with, and the mean."""
    second = _operate(pair, columns, start, count, engine)
    if not pair.modes:
        return second, start, mean
    rows = np.flatnonzero(mean < HOTTEST)
    mean = mean.copy()
    for _ in range(PASSES):
        some = take_pairs(pair, rows, count)
        began = {name: value[rows] for name, value in start.items()}
        ended = {name: second[name][rows] for name in start}
        corrected = _corrected(some, cycle, began, ended, hold[rows])
        before = np.asarray(laws("numpy").rises(some, began)[0])
        shift = np.asarray(laws("numpy").rises(some, corrected)[0]) - before
        for name, value in corrected.items():
            start[name][rows] = value
        mean[rows] += shift
        moving = (np.abs(shift) > SETTLED) & (mean[rows] < HOTTEST)
        rows = rows[moving]
        if not len(rows):
            break
        some = take_pairs(pair, rows, count)
        again = _operate(some, columns, {name: value[rows] for name, value in start.items()}, len(rows), engine)
        for name, value in again.items():
            second[name][rows] = value
    return second, start, mean


def _corrected(
    pair: Pair, cycle: Cycle, began: dict[str, np.ndarray], ended: dict[str, np.ndarray], hold: np.ndarray
) -> dict[str, np.ndarray]:
    """The modes that come back, from those with which a pass began and ended."""
    rhythm, rises = cycle.rhythm, laws("numpy").rises
    rates = {name: np.asarray(pair.modes[int(name[-1])].rate) for name in began}
    lefts = {name: ended[name] - np.exp(rates[name] * rhythm.duration) * begin for name, begin in began.items()}
    weights: list[np.ndarray | float] | None = None
    modes: dict[str, list[np.ndarray]] = {}
    holds = rhythm.rest > 0.0 and bool(np.any(hold))
    ends = ended
    for _ in range(ROUNDS if rhythm.repeats > 1 or holds else 1):
        after = run_rest(pair, ends, hold, rhythm.rest).ends if holds else {}
        for name, rate in rates.items():
            heats = name.startswith("copper")
            rested = after[name] - np.exp(rate * rhythm.rest) * ends[name] if holds else 0.0
            modes[name] = periodic_modes(rate, lefts[name], rested, rhythm, weights if heats else None)
        ends = {name: np.exp(rates[name] * rhythm.duration) * modes[name][-1] + left for name, left in lefts.items()}
        # the copper of a cooler motion loses less than that of the last one, which the pass has run
        warm = [pair.ambient + rises(pair, {name: found[k] for name, found in modes.items()})[0]
                for k in range(len(next(iter(modes.values()))))]  # fmt: skip
        losses = [copper_scale(pair.motor, pair.ambient, np.minimum(celsius, HOTTEST)) for celsius in warm]
        weights = [loss / losses[-1] for loss in losses[:-1]]
    return {name: found[-1] for name, found in modes.items()}


def _operate(
    pair: Pair, columns: dict[str, np.ndarray], start: dict[str, np.ndarray], count: int, engine: str | None
) -> dict[str, np.ndarray]:
    """The second pass from given modes."""
    last = {name: values[-1] for name, values in columns.items()}
    numpy = laws("numpy")
    warm = pair.ambient + numpy.rises(pair, start)[0]
    torque = numpy.torque_of_sample(pair, last)
    state: dict[str, float | np.ndarray] = dict.fromkeys(
        ("peak_current", "square", "voltage", "supply_current", "energy", "copper", "winding", "housing"), 0.0
    )
    # the sample before the first is the last one
    state |= {
        "current": np.asarray(current_at(pair.motor, torque, warm)),
        "cold_current": np.asarray(current_at(pair.motor, torque, pair.ambient)),
    }
    state |= {"spare_voltage": np.inf, "winding": -np.inf, "housing": -np.inf, **start}
    if pair.spring is not None:
        state |= {"gear_peak": 0.0, "gear_square": 0.0}
    found = run_pass("operate", pair, state, columns, count, engine)
    return {name: np.array(value) for name, value in found.items()}


def take_pairs(pair: Pair, rows: np.ndarray, count: int) -> Pair:
    """Some of the pairs."""
    if len(rows) == count:
        return pair
    from ..engines.symbols import replace_numbers

    return replace_numbers(pair, "pair", lambda _, x: x[rows] if np.ndim(x) else x)
