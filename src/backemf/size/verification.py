"""A pair run forwards: the task in a closed loop through `simulate`, beside what was predicted backwards.

The joint is commanded to follow the motion, with the predicted torque fed forward and a position loop around it, from
the temperatures of the periodic steady state. Backlash is left out, as it is in the prediction. Where the load is one
that `simulate` knows, the joint moves as motor and load make it move; else it is moved along the motion, and the torque
is compared instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..actuator import Actuator, Command, IdealPd
from ..actuator.joint_spring import JointSpring
from ..commands import Table
from ..design.gains import gains_from_bandwidth
from ..loads import Load, PrescribedMotion, inertia_of
from ..motor import Motor, Thermal
from ..parts import acts
from ..physics.mechanics import iron_power
from ..run import Run
from ..simulate import simulate
from ..values import Foreign
from .cycle import Cycle
from .heat import outer_resistance
from .joint_found import JointFound
from .robot import in_its_place, loop_bandwidth
from .trace import Trace

STEPS = 400_000
"""Most steps of a simulated motion, about [1]."""
RECORDED = 20_000
"""Steps of it that are recorded, about [1]."""
PER_CELL = 8
"""Steps of each cell of the motion, at least, and pieces in which its position is commanded [1]."""
PER_WINDING = 20
"""Steps of a winding's time constant L/R: the bus that sags disturbs a current loop by what happens in one step [1]."""
LOOP = 3.0
"""Bandwidth of the current loop times the step: it closes 95 % of a gap in one [1]."""


@dataclass(frozen=True)
class Verification:
    """A pair as predicted and as simulated."""

    joint: str
    """The joint."""
    name: str
    """Motor and gear."""
    predicted_current: float
    """Largest current, predicted [A]."""
    simulated_current: float
    """Largest current of the simulated motion [A]."""
    predicted_rms_current: float
    """RMS current of the motion, predicted [A]."""
    simulated_rms_current: float
    """RMS current of the simulated motion [A]."""
    predicted_winding: float
    """Hottest winding in the motion, predicted [°C]; NaN: no heat is known."""
    simulated_winding: float
    """The same in the steady state of the simulated losses [°C]; NaN: no heat is known."""
    tracking_error: float
    """Largest difference from the motion while it is followed [rad]; NaN where the joint is moved along it."""
    torque_error: float
    """RMS difference from the torque of the load where the joint is moved along the motion [N·m]; NaN elsewhere."""
    limited: float
    """Share of the time in which a limit of the drive acted [1]."""
    run: Run
    """The run itself."""
    trace: Trace
    """What was predicted along the motion."""

    def __repr__(self) -> str:
        return (
            f"Verification({self.name}: {self.simulated_current:.4g} A of {self.predicted_current:.4g} A predicted, "
            f"{self.simulated_winding:.1f} °C of {self.predicted_winding:.1f} °C)"
        )


def verify(found: JointFound, rank: int) -> Verification:
    """Run the pair of a rank forwards."""
    choice, predicted, cycle, task = found[rank], found.trace(rank), found.cycle, found.task
    motor = in_its_place(replace(choice.motor, ratings=None), task)
    if motor.gearbox is not None:
        motor = replace(motor, gearbox=replace(motor.gearbox, backlash=0.0))
    load = task.joints[cycle.name].load
    moved = load is None
    time, target = _knots(cycle)
    dt = _step(motor, cycle)
    steps = max(round(cycle.cells.duration / dt), 1)
    moves: Load = _moved(time, target, steps) if load is None else load
    actuator = _actuator(found, motor, moves, choice.spring)
    ratio = float(motor.ratio)
    # what the drive takes for the torque of a current: that of the data sheet
    effort = predicted.current * float(motor.magnet.torque_constant) * ratio
    command = Command(**_asked(time, target), effort=_held(cycle, effort, dt))
    start = found.start_of(rank)
    initial = {}
    if motor.thermal is not None:
        initial["winding_rise"] = float(start[0])
        if not isinstance(motor.thermal, Thermal):
            initial["housing_rise"] = float(start[1])
    # a joint that is moved is where its motion says
    begin, speed = (0.0, 0.0) if moved else (float(target[name][0]) for name in ("position", "velocity"))
    run = simulate(
        actuator, moves, command, steps * dt, dt, position=begin, velocity=speed, initial=initial,
        every=max(steps // RECORDED, 1),
    )  # fmt: skip
    return _compare(found, rank, run, predicted, moved, motor)


def _knots(cycle: Cycle) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The motion at the ends of its cells."""
    c = cycle.cells
    time = np.concatenate([[0.0], np.cumsum(c.dt)])
    first = c.velocity[0] - 0.5 * c.dt[0] * c.acceleration[0]
    velocity = np.concatenate([[first], c.velocity + 0.5 * c.dt * c.acceleration])
    begin = c.position[0] - 0.5 * c.dt[0] * c.velocity[0]
    position = begin + np.concatenate([[0.0], np.cumsum(c.dt * c.velocity)])
    return time, {"position": position, "velocity": velocity}


def _positions(time: np.ndarray, target: dict[str, np.ndarray], at: np.ndarray) -> np.ndarray:
    """The position at some times: between the ends of its cells the velocity changes evenly, without jumps [rad]."""
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(time, target["position"], target["velocity"])(at)


def _moved(time: np.ndarray, target: dict[str, np.ndarray], steps: int) -> PrescribedMotion:
    """The motion at every step."""
    fine = np.linspace(0.0, float(time[-1]), steps + 1)
    return PrescribedMotion(time=fine, position=_positions(time, target, fine))


def _asked(time: np.ndarray, target: dict[str, np.ndarray]) -> dict[str, Foreign]:
    """Targets of the position loop; a position that is straight in each cell would pull the joint off its arc."""
    shares = np.arange(PER_CELL) / PER_CELL
    fine = np.append((time[:-1, None] + shares * np.diff(time)[:, None]).ravel(), time[-1])
    return {"position": Table(fine, _positions(time, target, fine)), "velocity": Table(time, target["velocity"])}


def _held(cycle: Cycle, values: np.ndarray, dt: float) -> Foreign:
    """A table of a value per cell that jumps where the motion does, and is straight elsewhere."""
    c = cycle.cells
    ends = np.cumsum(c.dt)
    times, held = [0.0], [float(values[0])]
    for k, middle in enumerate(c.time):
        if k and c.smooth[k] == 0.0:
            # the old value up to the corner, the new one from it on
            times += [float(ends[k - 1]) - 1e-6 * dt, float(ends[k - 1])]
            held += [float(values[k - 1]), float(values[k])]
        times.append(float(middle))
        held.append(float(values[k]))
    return Table(np.array(times), np.array(held))


def _actuator(found: JointFound, motor: Motor, load: Load, spring: JointSpring | None) -> Actuator:
    """The drive with a position loop that is stiff beside the motion."""
    own = float(motor.reflected_inertia)
    outside = 0.0 if isinstance(load, PrescribedMotion) else float(inertia_of(load))
    gains = gains_from_bandwidth(own + outside, loop_bandwidth(found.cycle.cells), 1.0)
    none = isinstance(load, PrescribedMotion)
    step = _step(motor, found.cycle)
    loop = IdealPd(
        stiffness=0.0 if none else float(gains.kp), damping=0.0 if none else float(gains.kd),
        current_bandwidth=LOOP / step,
    )  # fmt: skip
    # a task of many turns means them
    lowest, highest = float(found.cycle.cells.position.min()), float(found.cycle.cells.position.max())
    beyond = highest - lowest + 1.0
    return Actuator(
        motor, found.task.supply, controller=loop, spring=spring, command_range=(lowest - beyond, highest + beyond)
    )


def _step(motor: Motor, cycle: Cycle) -> float:
    """A step that divides the motion evenly, short beside its cells and the winding's time constant [s]."""
    shortest = float(cycle.cells.dt.min()) / PER_CELL
    if acts(motor.winding, "inductance"):
        shortest = min(shortest, float(motor.winding.inductance) / float(motor.winding.resistance) / PER_WINDING)
    steps = min(max(cycle.cells.duration / shortest, 2000.0), float(STEPS))
    return cycle.cells.duration / np.ceil(steps)


def _compare(found: JointFound, rank: int, run: Run, predicted: Trace, moved: bool, motor: Motor) -> Verification:
    choice, cycle = found[rank], found.cycle
    c = cycle.cells
    current = np.asarray(run["current"])
    rms = float(np.sqrt(np.sum(predicted.current**2 * c.dt) / c.duration))
    tracking = torque = np.nan
    if moved:
        from ..analyze.gear_load import gear_output_torque

        wanted = np.interp(run.time - 0.5 * run.dt, c.time, predicted.gear_torque)
        torque = float(np.sqrt(np.mean((gear_output_torque(run) - wanted) ** 2)))
    else:
        time, target = _knots(cycle)
        tracking = float(np.abs(run["position"] - _positions(time, target, np.asarray(run.time))).max())
    limit = np.asarray(run["limit"]) if "limit" in run.data else np.zeros(1)
    return Verification(
        joint=cycle.name,
        name=choice.name,
        predicted_current=float(np.abs(predicted.current).max()),
        simulated_current=float(np.abs(current).max()),
        predicted_rms_current=rms,
        simulated_rms_current=float(np.sqrt(np.mean(current**2))),
        predicted_winding=found.moving_winding_of(rank),
        simulated_winding=_lasting_temperature(found, rank, run, motor),
        tracking_error=tracking,
        torque_error=torque,
        limited=float(np.mean(limit != 0)),
        run=run,
        trace=predicted,
    )


def _lasting_temperature(found: JointFound, rank: int, run: Run, motor: Motor) -> float:
    """Hottest winding in the steady state of the simulated losses: their mean, and the run's own ripple [°C]."""
    t = motor.thermal
    if t is None:
        return np.nan
    cycle, choice, task = found.cycle, found[rank], found.task
    rhythm = cycle.rhythm
    copper = float(np.mean(run["copper_power"])) * rhythm.duration * rhythm.repeats
    resting = choice.figures["heat"] - rhythm.repeats * found.trace(rank).energy["copper"]
    iron = float(iron_power(motor, 1.0)) * float(motor.ratio) ** 2 * cycle.mean_square_speed()
    mean = task.ambient + float(t.resistance) * (copper + max(resting, 0.0)) / rhythm.cycle
    mean += float(outer_resistance(motor)) * iron
    hottest = float(np.max(run["winding_temperature"]))
    return mean + hottest - found.mean_winding_of(rank)
