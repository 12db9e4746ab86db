"""Envelopes from points of torque-speed diagrams."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import backemf as be
from backemf import ParameterError
from backemf.sims import physx

NAMES = tuple(be.DriveEnvelope.__dataclass_fields__)


@st.composite
def diagrams(draw) -> tuple[be.DriveEnvelope, np.ndarray]:
    """A random envelope, and points of both of its lines, at least two on each, in any order."""
    stall, free = draw(st.floats(1e-3, 500.0)), draw(st.floats(1.0, 2000.0))
    # the corner as shares of the largest torque and speed, and where the lines end
    lost, slow = draw(st.one_of(st.just(0.0), st.floats(0.02, 0.5))), draw(st.one_of(st.just(0.0), st.floats(0.1, 0.8)))
    corner = (1.0 - slow) * free, (1.0 - lost) * stall
    limit = be.DriveEnvelope(
        max_effort=stall,
        max_actuator_velocity=free,
        velocity_dependent_resistance=lost * stall / corner[0],
        speed_effort_gradient=slow * free / corner[1],
    )
    first = np.linspace(0.0, draw(st.floats(0.5, 1.0)), draw(st.integers(2, 6)))
    second = np.linspace(0.0, draw(st.floats(0.0, 0.5)), draw(st.integers(3, 6)))
    top = np.column_stack([first * corner[0], stall - first * (stall - corner[1])])
    side = np.column_stack([corner[0] + second * (free - corner[0]), (1.0 - second) * corner[1]])
    end = np.array([[free, 0.0]])
    points = np.vstack([top, side, end])
    return limit, points[draw(st.permutations(range(len(points))))]


@settings(deadline=None, max_examples=200)
@given(diagrams())
def test_points_of_an_envelope_give_it_back(diagram):
    """Without noise all four numbers are found, to rounding, and nothing is left over."""
    limit, points = diagram
    # two lines of one direction are one line, which has no corner
    bend = 1.0 - limit.velocity_dependent_resistance * limit.speed_effort_gradient
    assume(bend > 0.05)
    found = physx.fit_envelope(points)
    assert found.residual < 1e-7 and found.worst < 1e-7
    scale = {"max_effort": limit.max_effort, "max_actuator_velocity": limit.max_actuator_velocity}
    scale["velocity_dependent_resistance"] = limit.max_effort / limit.max_actuator_velocity
    scale["speed_effort_gradient"] = limit.max_actuator_velocity / limit.max_effort
    for name in NAMES:
        assert getattr(found.limit, name) == pytest.approx(getattr(limit, name), rel=1e-6, abs=1e-6 * scale[name])


@pytest.mark.parametrize("seed", range(20))
def test_noise_moves_the_numbers_by_no_more_than_itself(seed):
    """2 % of noise on 60 points, and two of them misread by a third: within 5 % of the true envelope."""
    draw = np.random.default_rng(seed)
    limit = be.DriveEnvelope(
        max_effort=40.0, max_actuator_velocity=20.0, velocity_dependent_resistance=0.5, speed_effort_gradient=0.2
    )
    speed = np.linspace(0.0, 19.9, 60)
    torque = be.actuator.torque_limits.envelope_bounds(speed, limit)[1]
    noisy = torque + 0.02 * 40.0 * draw.standard_normal(60)
    noisy[draw.integers(5, 55, 2)] += 13.0 * draw.choice([-1.0, 1.0], 2)
    found = physx.fit_envelope(np.column_stack([speed, np.maximum(noisy, 0.0)]))
    assert found.residual < 0.1
    fitted = be.actuator.torque_limits.envelope_bounds(speed, found.limit)[1]
    assert np.abs(fitted - torque).max() < 0.05 * 40.0


@pytest.mark.parametrize("wrong", range(1, 8))
@pytest.mark.parametrize("factor", [0.4, 1.6])
def test_one_misread_point_does_not_bend_the_lines(wrong, factor):
    """Of twelve points one of the longer line is read far off: the envelope is within 4 % of the others."""
    limit = be.DriveEnvelope(
        max_effort=40.0, max_actuator_velocity=20.0, velocity_dependent_resistance=0.5, speed_effort_gradient=0.2
    )
    speed = np.linspace(0.0, 19.5, 12)
    torque = be.actuator.torque_limits.envelope_bounds(speed, limit)[1]
    misread = np.where(np.arange(12) == wrong, factor * torque, torque)
    found = physx.fit_envelope(np.column_stack([speed, misread]))
    fitted = be.actuator.torque_limits.envelope_bounds(speed, found.limit)[1]
    assert np.abs(fitted - torque).max() < 0.04 * 40.0
    assert found.worst > 0.1 * abs(factor - 1.0)


def test_three_points_are_a_flat_top_and_a_line():
    """A knee at 5 rad/s: the flat top from standstill to it, and the line from it to 10 rad/s."""
    found = physx.fit_envelope([(0.0, 5.0), (5.0, 5.0), (10.0, 0.0)])
    assert found.limit == be.DriveEnvelope(
        max_effort=pytest.approx(5.0), max_actuator_velocity=pytest.approx(10.0), speed_effort_gradient=pytest.approx(1)
    )


def test_a_straight_line_is_the_speed_torque_line():
    """From stall to no load: the gradient is 10/5, and nothing is lost at speed."""
    found = physx.fit_envelope([(v, 5.0 - 0.5 * v) for v in (0.0, 2.0, 4.0, 8.0, 10.0)]).limit
    assert found.speed_effort_gradient == pytest.approx(2.0) and found.max_actuator_velocity == pytest.approx(10.0)
    assert found.velocity_dependent_resistance == 0.0 and found.max_effort == pytest.approx(5.0)


def test_a_flat_top_ends_with_its_last_point():
    """A torque that falls from 5 to 4 N·m at 10 rad/s, where the diagram ends."""
    found = physx.fit_envelope([(0.0, 5.0), (5.0, 4.5), (10.0, 4.0)]).limit
    assert found.velocity_dependent_resistance == pytest.approx(0.1) and found.max_effort == pytest.approx(5.0)
    assert found.speed_effort_gradient == 0.0 and found.max_actuator_velocity == pytest.approx(10.0)


def test_a_vertical_end_is_a_mechanical_limit():
    """Two points at one speed: no gradient."""
    found = physx.fit_envelope([(0.0, 5.0), (5.0, 5.0), (10.0, 5.0), (10.0, 0.0)]).limit
    assert found.speed_effort_gradient == pytest.approx(0.0, abs=1e-9)
    assert found.max_actuator_velocity == pytest.approx(10.0)


def test_figures_with_units_are_read():
    """As a datasheet has them: rpm and mN·m."""
    found = physx.fit_envelope([("0 rpm", "500 mN*m"), ("1000 rpm", "0.5 N*m"), ("3000 rpm", "0 N*m")]).limit
    assert found.max_effort == pytest.approx(0.5)
    assert found.max_actuator_velocity == pytest.approx(3000.0 * math.tau / 60.0)
    assert found.speed_effort_gradient == pytest.approx(2000.0 * math.tau / 60.0 / 0.5)


def test_the_envelope_goes_into_a_file_and_back():
    """A fitted limit is a limit like any other."""
    pytest.importorskip("pxr.Usd")
    limit = physx.fit_envelope([(0.0, 5.0), (5.0, 5.0), (10.0, 0.0)]).limit
    read = physx.read_drive(physx.text(physx.UsdDrive(envelope=limit), "/j")).envelope
    assert read is not None and read.max_actuator_velocity == pytest.approx(10.0, rel=1e-6)


GOOD = [(0.0, 5.0), (5.0, 5.0), (10.0, 0.0)]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (None, "points: must be a list of points"),
        ("rubbish", "points: must be a list of points"),
        ([(0.0, 1.0, 2.0)] * 4, "points: must be a list of points"),
        ([1.0, 2.0, 3.0], "points: must be a list of points"),
        (np.zeros((4, 3)), "points: must be a list of points"),
        ([], "points: 0 of them are too few"),
        (GOOD[:2], "points: 2 of them are too few for an envelope; give at least 3"),
        ([*GOOD, (11.0, -1.0)], "points, number 4: torque = -1.0: must be a finite number of N·m, 0 or more"),
        ([*GOOD, (-1.0, 1.0)], "points, number 4: speed = -1.0: must be a finite number of rad/s, 0 or more"),
        ([*GOOD, (math.nan, 1.0)], "points, number 4: speed = nan: must be"),
        ([*GOOD, (3.0, math.inf)], "points, number 4: torque = inf: must be"),
        ([*GOOD, (3.0, None)], "points, number 4: torque = None: must be"),
        ([*GOOD, (True, 1.0)], "points, number 4: speed = True: must be"),
        ([*GOOD, ("3000 rpm", "1 A")], 'points, number 4: torque "1 A"'),
        ([*GOOD, ("3000", "1 N*m")], "points, number 4: speed"),
        ([(5.0, 1.0), (5.0, 2.0), (5.0, 3.0)], "points: all have the speed 5 rad/s"),
        ([(0.0, 1.0), (0.0, 2.0), (0.0, 3.0)], "points: all have the speed 0 rad/s"),
        ([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], "points: all have a torque of 0"),
        ([(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)], "points: the torque rises with speed, by 66.7 %"),
        ([(5.0, 0.0), (5.0, 5.0), (4.0, 10.0), (0.0, 0.0)], "points: the torque rises"),
    ],
)
def test_unusable_points_are_one_sentence(points, message):
    """Too few, no numbers, negative, all at one speed, or rising."""
    with pytest.raises(ParameterError, match="^" + re.escape(message)) as caught:
        physx.fit_envelope(points)
    assert "\n" not in str(caught.value)
