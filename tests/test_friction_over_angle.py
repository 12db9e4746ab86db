"""Friction over angle: a factor of the dry friction that follows the joint's position."""

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.motorfile import dumps, loads
from backemf.physics.friction_over_angle import LEAST, friction_share

SLOPE = be.FrictionOverAngle(per_angle=0.5, angle=0.2)
TABLE = be.FrictionAngleTable(shares=(0.5, 1.0, 3.0), first=-1.0, last=1.0)
TURN = replace(TABLE, repeats=True)


def motor(friction, over_angle=SLOPE, **more) -> be.Motor:
    """A motor without current: only friction acts."""
    return be.Motor(
        winding=be.Winding(resistance=1e15),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-4),
        friction=friction,
        friction_over_angle=over_angle,
        **more,
    )


def test_factor_of_a_slope():
    """1 + 0.5·(q - 0.2), and never below a thousandth."""
    q = np.array([0.2, 1.2, -0.8, -5.0])
    assert friction_share(SLOPE, q) == pytest.approx([1.0, 1.5, 0.5, LEAST], rel=1e-15)


def test_factor_of_a_table_that_ends():
    """Points at -1, 0 and 1: linear between them, held beyond."""
    q = np.array([-9.0, -1.0, -0.5, 0.0, 0.25, 1.0, 9.0])
    assert friction_share(TABLE, q) == pytest.approx([0.5, 0.5, 0.75, 1.0, 1.5, 3.0, 3.0], rel=1e-15)


def test_factor_of_a_table_that_repeats():
    """Points at -1, -1/3 and 1/3, and again at 1: halfway to there it is (3 + 0.5)/2."""
    q = np.array([-1.0, -1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])
    expected = [0.5, 1.0, 3.0, 1.75, 0.5]
    for turns in (-4.0, 0.0, 2.0):
        assert friction_share(TURN, q + turns) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "friction", [be.Coulomb(coulomb=0.02), be.LoadDependent(coulomb=0.02)], ids=lambda friction: type(friction).__name__
)
def test_a_sliding_joint_feels_it(friction):
    """0.02 N·m times the factor, against the motion."""
    step = motor(friction).compile("numpy")
    q = np.linspace(-1.0, 2.0, 7)
    out = step(step.initial(7), np.zeros(7), q, np.full(7, 10.0), 1e-4, load_torque=0.0, load_inertia=1.0)[1]
    assert -out.torque == pytest.approx(0.02 * (1.0 + 0.5 * (q - 0.2)), rel=1e-9)


def test_viscous_friction_does_not_vary():
    """Kv·w of the load-dependent family stays as it is: 0.02·1.5 + 1e-3·10."""
    friction = be.LoadDependent(coulomb=0.02, viscous=1e-3)
    step = motor(friction).compile("numpy")
    out = step(step.initial(), 0.0, 1.2, 10.0, 1e-4, load_torque=0.0, load_inertia=1.0)[1]
    assert -out.torque == pytest.approx(0.02 * 1.5 + 1e-3 * 10.0, rel=1e-9)


def test_bristles_slide_at_the_level_of_the_angle():
    """Slid far beyond their bend, bristles give coulomb·factor."""
    step = motor(be.Dahl(coulomb=0.02, stiffness=50.0)).compile("numpy")
    state = step.initial()
    for _ in range(200):
        state, out = step(state, 0.0, 1.2, 1.0, 1e-3, load_torque=0.0, load_inertia=10.0)
    assert -out.torque == pytest.approx(0.03, rel=1e-6)


def test_a_pendulum_rests_where_friction_is_enough():
    """Where 0.1 N·m of gravity meet 0.08·(1 + 0.5·0.8) = 0.112 N·m it stays; at the other end of the slope it falls."""
    step = motor(be.Coulomb(coulomb=0.08)).compile("numpy")
    for q, holds in ((1.0, True), (0.2, False)):
        out = step.coupled(step.initial(), 0.0, q, 0.0, 1e-3, load_torque=-0.1, load_inertia=0.01)[1]
        assert bool(out.joint_velocity == 0.0) is holds


@pytest.mark.parametrize(
    "friction",
    [
        be.Coulomb(coulomb=0.5),
        be.LuGre(coulomb=0.3, stiction=0.6, stribeck_velocity=0.5, stiffness=500.0, damping=0.1),
    ],
    ids=lambda friction: type(friction).__name__,
)
@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
def test_it_only_takes_energy(friction, dt):
    """Kinetic energy and that of bent bristles fall, also where the level falls from step to step."""
    gears = be.Gearbox(stages=(be.Stage(ratio=3.0, efficiency=0.8),))
    law = be.FrictionAngleTable(shares=(0.0, 2.0, 0.1, 1.0), first=0.0, last=0.4, repeats=True)
    kind = motor(friction, law, gearbox=gears)
    step = kind.compile("numpy")
    state, q, v = step.initial(), 0.05, 20.0
    before = 0.5 * (0.01 + kind.reflected_inertia) * v * v
    for _ in range(60):
        state, out = step.coupled(state, 0.0, q, v, dt, load_inertia=0.01)
        q, v = out.joint_position, out.joint_velocity
        bent = 0.0 if state.bristle is None else 0.5 * 500.0 * state.bristle**2
        energy = 0.5 * (0.01 + kind.reflected_inertia) * v * v + bent
        assert energy <= before * (1.0 + 1e-12) + 1e-18
        assert out.friction_power >= -1e-12
        before = energy


def test_files_and_bad_values():
    """Both forms come back from a file; what cannot be is one sentence."""
    for law in (SLOPE, TABLE, TURN):
        actuator = be.Actuator(motor(be.Coulomb(coulomb=0.02), law))
        assert loads(dumps(actuator)).motor.friction_over_angle == law
    with pytest.raises(be.ParameterError, match="would never take effect without dry friction"):
        motor(None)
    for given, said in (
        ({"shares": (1.0,)}, "two or more"),
        ({"shares": (1.0, -0.1)}, r"shares\[1\] = -0.1: must be a finite number of at least 0"),
        ({"last": -2.0}, "must be above first"),
    ):
        with pytest.raises(be.ParameterError, match=said):
            replace(TABLE, **given)


def test_varied_by_name():
    """Points of the table are numbers of their own."""
    kind = motor(be.Coulomb(coulomb=0.02), TABLE)
    drawn = be.randomize(kind, {"friction_over_angle.shares.1": be.random.Uniform(0.8, 1.2)}, 5, seed=1)
    assert drawn.friction_over_angle.shares[1].shape == (5,) and drawn.friction_over_angle.shares[0] == 0.5
