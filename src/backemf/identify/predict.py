"""What a bench would have logged, and its derivatives by any of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..actuator import Actuator
from ..actuator.memory import states_of
from ..engines.machine_code import processors
from ..loads import LockedRotor
from ..parts import without_neutral
from ..random.randomize import rebuild
from ..rollout import Here, rest
from ..tree import numbers
from .bench import PREDICTED, Bench
from .log import Log
from .sensing import delayed, sense
from .step_kernel import STEP, StepKernel, Wiring, states_of_bench
from .trials import Trials

BEGINNING, FEWEST = 1.0, 6
"""How long the first samples of a temperature last [s], and fewest of them from which its start is taken [1]."""
AMBIENT = "actuator.motor.thermal.ambient"
"""Number of the bench that temperatures count from."""
NO_SENSOR = {"lag": 0.0, "time_constant": 0.0, "gain": 1.0, "bias": 0.0}
"""Numbers of a sensor that changes nothing."""
Pushes = dict[tuple[str, str], np.ndarray]
"""Derivatives of inputs by numbers, (steps, lanes)."""


class Predictor:
    """Predictions of all lanes for any values of some numbers of the bench, compiled once.

    Values have the shape (names, candidates, lanes): candidates are predicted side by side, such as the folds of a
    cross-validation. What comes back has (candidates, lanes, samples), for each channel that is compared.
    """

    def __init__(self, bench: Bench, trials: Trials, names: Sequence[str], kernel: StepKernel | None = None):
        self.bench, self.trials, self.names = bench, trials, tuple(names)
        lanes = trials.lanes
        known = {name: np.asarray(value, dtype=float) for name, value in numbers(bench)}
        self._known = known
        self._actuator = _acting(bench.actuator, self.names, lanes)
        fixed = {n: x for n, x in known.items() if x.ndim and n not in self.names and not n.startswith("sensors.")}
        self._fixed = {n: np.broadcast_to(x, (lanes,)) for n, x in (fixed | {STEP: np.array(trials.dt)}).items()}
        inner = tuple(n for n in self.names if not n.startswith(("sensors.", "command.")))
        values = np.stack([np.broadcast_to(known[n], (1, lanes)) for n in self.names] or [np.zeros((1, lanes))])
        start, rows, pushes = self._start(values), *self._rows(values)
        self._starts = tuple(states_of_bench(start))
        by = {name for _, name in pushes} | {"sensors.position.bias"} & set(self.names)
        self._numbers = (*inner, *sorted(by - set(inner)))
        self.wiring = Wiring(
            self._starts, self._numbers, tuple(self._fixed), tuple(rows), tuple(pushes),
            tuple(reading.channel for reading in trials.readings),
        )  # fmt: skip
        self._kernel = kernel or StepKernel(bench, start, self.wiring)

    def among(self, names: Sequence[str]) -> Predictor:
        """The same predictor for other numbers of the bench."""
        return self if tuple(names) == self.names else Predictor(self.bench, self.trials, names)

    def on(self, trials: Trials) -> Predictor:
        """The same predictor for the same logs on another grid; nothing is compiled again."""
        return Predictor(self.bench, trials, self.names, self._kernel)

    def predict(self, values: np.ndarray, steps: int | None = None) -> list[np.ndarray]:
        """Channels at their measured times, in the order of the trials' readings.

        `steps` are those that are simulated; what was measured later keeps the last value.
        """
        return self._run(values, False, steps)[0]

    def linearise(self, values: np.ndarray, steps: int | None = None) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Channels, and their derivatives by each number, (candidates, lanes, samples, names)."""
        return self._run(values, True, steps)

    def _run(self, values: np.ndarray, slopes: bool, limit: int | None) -> tuple[list[np.ndarray], list[np.ndarray]]:
        trials, wiring, width = self.trials, self.wiring, self._kernel.width
        candidates, lanes = values.shape[1:]
        total = candidates * lanes
        start = states_of_bench(self._start(values))
        rows, pushes = self._rows(values)
        groups = -(-total // width)
        states = _in_groups([np.broadcast_to(start[n], (candidates, lanes)) for n in wiring.states], total, width)
        fixed = [np.broadcast_to(self._fixed[n], (candidates, lanes)) for n in wiring.fixed]
        own = {name: values[k] for k, name in enumerate(self.names)}
        given = _in_groups([*(own[n] for n in wiring.numbers), *fixed], total, width)
        every = [np.zeros((candidates, lanes, r.values.shape[1])) for r in trials.readings]
        ways = [np.zeros((*x.shape, len(self.names))) for x in every] if slopes else []
        seeds = self._start_slopes() if slopes else {}
        begins = _in_groups([np.broadcast_to(seed, (candidates, lanes)) for seed in seeds.values()], total, width)

        def run_group(group: int) -> None:
            steps = trials.steps if limit is None else min(limit, trials.steps)
            inputs = _rows_of_group([rows[n] for n in wiring.inputs], group, width, total, steps)
            seen = np.empty((steps, len(wiring.channels), width))
            if not slopes:
                self._kernel.run(steps, states[group], given[group], inputs, seen)
                kept = None
            else:
                slope = np.zeros((len(wiring.states), len(wiring.numbers), width))
                for (state, number), seed in zip(seeds, begins[group], strict=True):
                    slope[wiring.states.index(state), wiring.numbers.index(number)] = seed
                pushed = _rows_of_group([pushes[key] for key in wiring.pushes], group, width, total, steps)
                # the first row is the start
                kept = np.empty((steps + 1, len(wiring.channels), len(wiring.numbers), width))
                first = slope.copy()
                self._kernel.run(steps, states[group], given[group], inputs, seen, slope, pushed, kept[1:])
                self._read_slopes(group, seen, kept, start, first, values, every, ways)
            if kept is None:
                self._read(group, seen, start, values, every)

        self._kernel.compile(slopes)
        workers = min(groups, len(processors()))
        if workers == 1:
            for group in range(groups):
                run_group(group)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(run_group, range(groups)))
        return every, ways

    # --- what goes in

    def _start(self, values: np.ndarray) -> Here:
        """Motor and load at the start, (candidates, lanes)."""
        trials = self.trials
        shape = values.shape[1:]
        load = LockedRotor() if trials.path is not None else self.bench.load
        position = trials.position + self._number("start.position", values)
        position = position - self._number("sensors.position.bias", values)
        velocity = trials.velocity + self._number("start.velocity", values)
        return rest(
            without_neutral(self._actuator), load, shape, np.broadcast_to(position, shape),
            np.broadcast_to(velocity, shape), initial=self._warm(values), dt=trials.dt,
        )  # fmt: skip

    def _warm(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Temperatures at the start, from the first samples of each [K above ambient]."""
        found = {}
        for name, channel in self._thermometers.items():
            first = np.array([_first(log, channel) for log in self.trials.logs])
            warm = first + self._number(f"start.{channel}", values) - self._number(AMBIENT, values)
            found[name] = np.broadcast_to(warm, values.shape[1:])
        return found

    @property
    def _thermometers(self) -> dict[str, str]:
        """The channel whose first samples each temperature starts from."""
        motor, logs = self.bench.actuator.motor, self.trials.logs
        winding, housing = "winding_temperature", "housing_temperature"
        there = [name for name in (winding, housing) if all(name in log for log in logs)]
        if motor is None or motor.thermal is None or not there:
            return {}
        rises = dict.fromkeys(("winding_rise", "sensor_rise", "phase_rise"), there[0]) | {"housing_rise": there[-1]}
        known = states_of(self._actuator)
        return {name: channel for name, channel in rises.items() if name in known}

    def _start_slopes(self) -> dict[tuple[str, str], np.ndarray | float]:
        """What a number does to a state at the start, for all lanes or for each."""
        ratio = 1.0 if self.bench.actuator.motor is None else np.asarray(self.bench.actuator.motor.ratio, dtype=float)
        found: dict[tuple[str, str], np.ndarray | float] = {}
        for state, share in (("position", 1.0), ("memory.0", 1.0)):
            found |= {(state, "start.position"): share, (state, "sensors.position.bias"): -share}
        for state, slope in (("velocity", 1.0), ("memory.1", 1.0), ("state.rotor_speed", ratio)):
            found[state, "start.velocity"] = slope
        for name, channel in self._thermometers.items():
            found |= {(f"state.{name}", AMBIENT): -1.0, (f"state.{name}", f"start.{channel}"): 1.0}
        return {
            (state, name): slope
            for (state, name), slope in found.items()
            if state in self.wiring.states and name in self.wiring.numbers
        }

    def _number(self, name: str, values: np.ndarray) -> np.ndarray:
        """A number of the bench, (candidates, lanes) or one for all."""
        if name in self.names:
            return values[self.names.index(name)]
        return self._known[name]

    def _rows(self, values: np.ndarray) -> tuple[dict[str, np.ndarray], Pushes]:
        """Inputs of all steps, (steps, candidates or 1, lanes), and their derivatives by numbers that move them."""
        trials, actuator = self.trials, self.bench.actuator
        given = {name: row[:, None, :] for name, row in trials.commands.items()}
        pushes: Pushes = {}
        bias, lag = "sensors.position.bias", "command.lag"
        if "position" in given:
            # the controller sees the biased position, which is the same as a target that is off by as much
            given["position"] = given["position"] - self._number(bias, values)
            if bias in self.names:
                pushes["position", bias] = np.full((trials.steps, 1, trials.lanes), -1.0)
        late = self._number(lag, values)
        if lag in self.names or np.any(late != 0.0):
            for name in [name for name in given if name != "enable"]:
                given[name], slope = delayed(given[name], np.broadcast_to(late, values.shape[1:]) / trials.dt)
                if lag in self.names:
                    pushes[name, lag] = slope / trials.dt
        if "duty" in given and actuator.supply is not None:
            voltage = "actuator.supply.voltage"
            duty = given.pop("duty")
            given["voltage"] = duty * self._number(voltage, values)
            pushes = {("voltage" if n == "duty" else n, by): x for (n, by), x in pushes.items()}
            if voltage in self.names:
                pushes["voltage", voltage] = duty
        if "current" in given and actuator.motor is not None:
            constant = "actuator.motor.magnet.torque_constant"
            amperes = given.pop("current") * np.asarray(actuator.motor.ratio, dtype=float)
            given["effort"] = amperes * self._number(constant, values)
            pushes = {("effort" if n == "current" else n, by): x for (n, by), x in pushes.items()}
            if constant in self.names:
                pushes["effort", constant] = amperes
        if trials.path is not None:
            given["path_begin"], given["path_end"] = trials.path[:-1, None, :], trials.path[1:, None, :]
        if trials.robot is not None:
            given["load_torque"] = trials.robot.torque[:, None, :]
            given["load_inertia"] = trials.robot.inertia[:, None, :]
        return given, pushes

    # --- what comes out

    def _lanes_of(self, group: int, candidates: int) -> list[tuple[int, int, int]]:
        """Place in the vector, candidate and lane of each member of a group."""
        width, lanes = self._kernel.width, self.trials.lanes
        first = group * width
        return [(k, *divmod(first + k, lanes)) for k in range(width) if first + k < candidates * lanes]

    def _series(
        self, channel: int, seen: np.ndarray, k: int, start: dict[str, np.ndarray], g: int, lane: int
    ) -> tuple[np.ndarray, bool]:
        """A channel of one lane from the start on, and whether it is a state."""
        name, rows = self.wiring.channels[channel], seen[:, channel, k]
        state = name in ("position", "velocity")
        first = start[name][g, lane] if state else rows[0]
        return np.concatenate([[first], rows]), state

    def _read(
        self, group: int, seen: np.ndarray, start: dict[str, np.ndarray], values: np.ndarray, every: list[np.ndarray]
    ) -> None:
        for k, g, lane in self._lanes_of(group, values.shape[1]):
            for c, reading in enumerate(self.trials.readings):
                rows, state = self._series(c, seen, k, start, g, lane)
                sensor = self._sensor(reading.channel, values, g, lane)
                every[c][g, lane] = sense(sensor, rows, reading.time[lane], self.trials.dt, state)[0]

    def _read_slopes(
        self, group: int, seen: np.ndarray, kept: np.ndarray, start: dict[str, np.ndarray], first: np.ndarray,
        values: np.ndarray, every: list[np.ndarray], ways: list[np.ndarray],
    ) -> None:  # fmt: skip
        wiring, lanes = self.wiring, self._lanes_of(group, values.shape[1])
        moving = [place for place, name in enumerate(self.names) if name in wiring.numbers]
        order, among = _span([wiring.numbers.index(self.names[place]) for place in moving]), _span(moving)
        for c, reading in enumerate(self.trials.readings):
            state = reading.channel in ("position", "velocity")
            kept[0, c] = first[wiring.states.index(reading.channel)] if state else kept[1, c]
            for k, g, lane in lanes:
                rows, _ = self._series(c, seen, k, start, g, lane)
                sensor = self._sensor(reading.channel, values, g, lane)
                found, by, own = sense(sensor, rows, reading.time[lane], self.trials.dt, state, kept[:, c, :, k])
                every[c][g, lane] = found
                ways[c][g, lane][:, among] = by[:, order]
                for name, slope in own.items():
                    full = f"sensors.{reading.channel}.{name}"
                    if full in self.names:
                        ways[c][g, lane, :, self.names.index(full)] += slope

    def _sensor(self, channel: str, values: np.ndarray, g: int, lane: int) -> dict[str, float]:
        if channel not in PREDICTED:
            # nothing measures it
            return NO_SENSOR
        found = {}
        for name in ("lag", "time_constant", "gain", "bias"):
            value = self._number(f"sensors.{channel}.{name}", values)
            value = value[g] if value.ndim == 2 else value
            found[name] = float(value[lane] if value.ndim else value)
        return found


def _first(log: Log, name: str) -> float:
    """Where a slow channel starts: a straight line through its first samples, whose noise would stay for long."""
    time, values = log.times(name), log[name]
    near = time - time[0] < BEGINNING
    if near.sum() < FEWEST:
        return float(values[0])
    return float(np.polyfit(time[near] - time[0], values[near], 1)[1])


def _acting(actuator: Actuator, names: Sequence[str], lanes: int) -> Actuator:
    """The actuator with every varied number that has no effect as an array, so that its law is a part of the step."""
    idle = {
        name: np.full(lanes, float(value))
        for name, value in numbers(actuator)
        if f"actuator.{name}" in names and np.ndim(value) == 0
    }
    return rebuild(actuator, idle)


def _span(places: list[int]) -> slice | list[int]:
    """Places as a slice where they follow each other, to which writing is several times as fast."""
    following = bool(places) and places == list(range(places[0], places[0] + len(places)))
    return slice(places[0], places[-1] + 1) if following else places


def _in_groups(arrays: Sequence[np.ndarray], total: int, width: int) -> np.ndarray:
    """Arrays of (candidates, lanes) as (groups, arrays, width); what is missing in the last group is as before."""
    groups = -(-total // width)
    flat = np.zeros((len(arrays), groups * width))
    for row, array in zip(flat, arrays, strict=True):
        row[:total] = np.asarray(array, dtype=float).reshape(-1)
        row[total:] = row[total - 1]
    return np.ascontiguousarray(flat.reshape(len(arrays), groups, width).transpose(1, 0, 2))


def _rows_of_group(arrays: Sequence[np.ndarray], group: int, width: int, total: int, steps: int) -> np.ndarray:
    """Rows of (steps, candidates or 1, lanes) as (steps, arrays, width) for the lanes of a group."""
    made = np.empty((steps, len(arrays), width))
    for k, array in enumerate(arrays):
        lanes = array.shape[2]
        flat = np.minimum(np.arange(group * width, (group + 1) * width), total - 1)
        candidate, lane = np.divmod(flat, lanes)
        made[:, k] = array[:steps, np.minimum(candidate, array.shape[1] - 1), lane]
    return made
