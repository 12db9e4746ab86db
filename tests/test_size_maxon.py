"""Sizing over the public catalogue of maxon: the order of the coolest pairs, by a plain re-statement of the problem."""

from functools import cache

import numpy as np
import pytest
from size_rig import DATA, maxon, task

import backemf as be
from backemf.size import import_pairs

AMPLITUDE, FREQUENCY, STIFFNESS, INERTIA = 0.5, 1.2, 10.0, 0.6
"""A sinusoidal motion of an inertia on an elastic load: torque = J·q'' + k·q, and a weight."""


def elastic(spring: bool) -> be.Task:
    """The task as samples with their torque, at a supply and gears that bound nothing."""
    time = np.linspace(0.0, 1.0 / FREQUENCY, 401)
    w = 2 * np.pi * FREQUENCY
    position = AMPLITUDE * np.sin(w * time)
    motion = be.SampledMotion(
        time=time, position=position, velocity=AMPLITUDE * w * np.cos(w * time),
        acceleration=-AMPLITUDE * w * w * np.sin(w * time),
        torque=STIFFNESS * position - INERTIA * w * w * position + 4.0,
    )  # fmt: skip
    joint = be.JointTask(motion=motion, spring=spring)
    return task(joints={"joint": joint}, supply=be.Supply(voltage=1e4))


def joule_heat(motor: be.Motor, given: be.Task, stiffness: float, offset: float) -> float:
    """Mean of i² with the winding at 25 °C, written out once more in NumPy [A²]."""
    cells = given.joints["joint"].motion.cells()
    n, eta = float(motor.ratio), float(motor.gearbox.efficiency)
    torque = (cells.torque + stiffness * cells.position - offset) / n
    gear = np.where(torque * cells.velocity > 0.0, torque / eta, torque * eta)
    own = (float(motor.rotor.inertia) + float(motor.gearbox.stages[0].inertia)) * n * cells.acceleration
    current = (own + float(motor.friction.coulomb) * np.sign(cells.velocity) + gear) / float(
        motor.magnet.torque_constant
    )
    return float(np.average(current**2, weights=cells.dt))


def least_heat(motor: be.Motor, given: be.Task) -> float:
    """The least of it over the spring, searched without gradients and without least squares."""
    from scipy.optimize import minimize

    found = minimize(
        lambda x: joule_heat(motor, given, max(x[0], 0.0), x[1]), np.array([0.0, 0.0]), method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 4000, "initial_simplex": [[0, 0], [40, 0], [20, -10]]},
    )  # fmt: skip
    other = minimize(
        lambda x: joule_heat(motor, given, max(x[0], 0.0), x[1]), found.x, method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-15, "maxiter": 4000},
    )  # fmt: skip
    return min(found.fun, other.fun)


@cache
def losses(spring: bool) -> tuple[np.ndarray, list[be.Motor]]:
    """R·mean(i²) of every pair as sizing has it, and the 40 coolest motors."""
    only = be.size(elastic(spring), maxon()).only
    heat = only.figure("square_cold") * np.concatenate(
        [np.asarray(share.batch.motor.winding.resistance) for share in only._shares]
    )
    return heat, [only.choice(int(k)).motor for k in np.argsort(heat)[:40]]


def test_ten_coolest_pairs_without_a_spring():
    """Ranked by Joule heat, the ten best of all pairs are those of the plain formula."""
    given = elastic(spring=False)
    heat, some = losses(False)
    assert len(heat) > 59_000
    plain = np.array([float(m.winding.resistance) * joule_heat(m, given, 0.0, 0.0) for m in some])
    np.testing.assert_allclose(np.sort(heat)[:40], plain, rtol=1e-9)
    assert np.argsort(plain, kind="stable")[:10].tolist() == list(range(10))


def test_ten_coolest_pairs_with_a_spring():
    """With the best spring of each pair, the order is that of a search over stiffness and offset."""
    given = elastic(spring=True)
    heat, some = losses(True)
    plain = np.array([float(m.winding.resistance) * least_heat(m, given) for m in some[:14]])
    np.testing.assert_allclose(np.sort(heat)[:14], plain, rtol=1e-4)
    assert np.argsort(plain, kind="stable")[:10].tolist() == list(range(10))


def test_springs_cool():
    """The spring that takes the load's own stiffness leaves a fraction of the heat."""
    without, with_spring = (losses(flag)[0] for flag in (False, True))
    assert (with_spring <= without * (1 + 1e-9)).all()
    assert with_spring.min() < 0.1 * without.min()


def test_rows_that_contradict_themselves_are_named(tmp_path):
    """Twelve gearboxes allow less torque for a moment than continuously: they are left out by name, with 972 pairs."""
    maxon()
    done = import_pairs(DATA, tmp_path)
    assert (done.listed, done.pairs) == (60_143, 59_171)
    named = sorted(out.name for out in done.left_out)
    assert named[0] == "MM_144410" and len(named) == 12
    assert all(name.startswith("MM_GPX19LNKLSL") for name in named[1:])
    assert all("max_int_torque" in out.reason and "below max_cont_torque" in out.reason for out in done.left_out)


def test_pairs_keep_what_the_rows_say():
    """A pair has the numbers of its two rows, its limit from the continuous current, and estimated heat capacities."""
    batch = maxon().batches[0]
    names = [batch.name(k) for k in range(len(batch))]
    motor = batch.single(names.index("MM_148877 + MM_223080")) if "MM_148877 + MM_223080" in names else batch.single(0)
    assert motor.thermal is not None and motor.ratings is not None
    t, current = motor.thermal, float(motor.ratings.current)
    steady = be.analyze.steady_temperature(motor, current)
    assert float(steady.winding) == pytest.approx(float(motor.ratings.winding_temperature), rel=1e-9)
    assert float(t.winding_capacitance) < float(t.housing_capacitance)
