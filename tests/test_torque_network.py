"""A small network beside the laws: torque over position, velocity and the motor's own torque."""

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.motorfile import dumps, loads
from backemf.physics.network import chord_share, network_pull, network_torque

UNIT = be.TanhUnit(weight=0.3, per_position=2.0, per_velocity=-1.5, per_torque=0.7, bias=0.2)
TWO = be.TorqueNetwork(
    units=(UNIT, be.TanhUnit(weight=-0.1, per_position=-1.0, bias=-0.4)), position=0.5, velocity=4.0, torque=0.8
)


def motor(network=TWO, **more) -> be.Motor:
    """A motor through whose winding no current flows: only the network acts."""
    given = {"winding": be.Winding(resistance=1e15), "rotor": be.Rotor(inertia=1e-4)} | more
    return be.Motor(magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05), network=network, **given)


def test_torque_of_two_units():
    """0.3·tanh(2·q/0.5 - 1.5·v/4 + 0.7·τ/0.8 + 0.2) - 0.1·tanh(-q/0.5 - 0.4)."""
    q, v, tau = 0.2, 3.0, -0.5
    expected = 0.3 * np.tanh(2 * q / 0.5 - 1.5 * v / 4 + 0.7 * tau / 0.8 + 0.2) - 0.1 * np.tanh(-q / 0.5 - 0.4)
    assert network_torque(TWO, q, v, tau) == pytest.approx(expected, rel=1e-14)


def test_never_larger_than_the_sum_of_weights():
    """|0.3| + |-0.1|, wherever the joint is."""
    q, v, tau = np.random.default_rng(0).normal(size=(3, 1000)) * 1e3
    assert np.abs(network_torque(TWO, q, v, tau)).max() <= 0.4


def test_a_host_feels_it_behind_the_gears():
    """A joint that a host holds gets the torque of its own position and velocity, whatever the gear ratio is."""
    gears = be.Gearbox(stages=(be.Stage(ratio=7.0),))
    q, v = np.linspace(-1.0, 1.0, 5), np.linspace(-8.0, 6.0, 5)
    step = motor(gearbox=gears).compile("numpy")
    out = step(step.initial(5), np.zeros(5), q, v, 1e-3)[1]
    assert out.torque == pytest.approx(network_torque(TWO, q, v, 0.0), rel=1e-9)


def test_the_torque_of_the_motor_counts_at_the_joint():
    """At rest 10 V drive 10 V/1 Ω·0.05 N·m/A·7 = 3.5 N·m at the joint, of which 0.7·3.5/0.8 goes into the unit."""
    network = be.TorqueNetwork(units=(replace(UNIT, bias=-3.0),), torque=0.8)
    kind = motor(network, winding=be.Winding(resistance=1.0), gearbox=be.Gearbox(stages=(be.Stage(ratio=7.0),)))
    step = kind.compile("numpy")
    out = step(step.initial(), 10.0, 0.0, 0.0, 1e-3)[1]
    assert out.torque == pytest.approx(3.5 + 0.3 * np.tanh(0.7 * 3.5 / 0.8 - 3.0), rel=1e-12)


def test_chord_to_the_middle():
    """tanh(x)/x, smooth through 0."""
    x = np.array([-30.0, -1.0, 1e-3, 1.0, 30.0])
    assert chord_share(x) == pytest.approx(np.tanh(x) / x, rel=1e-12)
    assert chord_share(np.array([-1e-5, 0.0, 1e-5])) == pytest.approx([1.0, 1.0, 1.0], abs=1e-9)


def test_only_what_falls_is_taken_at_the_end_of_a_step():
    """A brake falls by weight·per_velocity/v0 at its middle; one that pushes has no fall."""
    brake = be.TorqueNetwork(units=(be.TanhUnit(weight=-0.2, per_velocity=3.0),), velocity=2.0)
    push = be.TorqueNetwork(units=(be.TanhUnit(weight=0.2, per_velocity=3.0),), velocity=2.0)
    assert network_pull(brake, 0.0, 0.0, 0.0, 0.0, 1e-3).fall == pytest.approx(0.2 * 3.0 / 2.0, rel=1e-14)
    assert network_pull(push, 0.0, 0.0, 0.0, 0.0, 1e-3).fall == 0.0


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("steep", [1.0, 1e6])
def test_a_brake_stops_the_joint_at_any_step(dt, steep):
    """-0.2·tanh(steep·v): speed falls towards 0 from step to step and never passes it."""
    network = be.TorqueNetwork(units=(be.TanhUnit(weight=-0.2, per_velocity=steep),))
    step = motor(network).compile("numpy")
    state, q, v = step.initial(), 0.0, 5.0
    for _ in range(200):
        state, out = step.coupled(state, 0.0, q, v, dt, load_inertia=0.01)
        assert 0.0 <= out.joint_velocity <= v
        q, v = out.joint_position, out.joint_velocity


@pytest.mark.parametrize("dt", [1e-3, 0.1, 10.0])
def test_a_steep_spring_does_not_ring_up(dt):
    """-0.2·tanh(1e4·q) around 0: the joint swings, and its energy stays below what it began with."""
    network = be.TorqueNetwork(units=(be.TanhUnit(weight=-0.2, per_position=1e4),))
    step = motor(network).compile("numpy")
    state, q, v, inertia = step.initial(), 0.0, 1.0, 0.01 + 1e-4
    for _ in range(500):
        state, out = step.coupled(state, 0.0, q, v, dt, load_inertia=0.01)
        q, v = out.joint_position, out.joint_velocity
        assert 0.5 * inertia * v * v <= 0.5 * inertia * (1.0 + 1e-9)


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
def test_powers_balance(dt):
    """The work of the network is in `cogging_power`; all powers add up to the electrical one."""
    kind = motor(
        winding=be.Winding(resistance=1.3, inductance=1e-3),
        friction=be.LuGre(coulomb=0.003, stiction=0.006, stribeck_velocity=0.5, stiffness=50.0, damping=0.01),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.8),), backlash=0.02),
    )
    actuator = be.Actuator(kind, be.Supply(voltage=12.0))
    run = be.simulate(actuator, be.Inertia(inertia=0.01), be.commands.Sine(amplitude=8.0, frequency=0.3), 60 * dt, dt)
    spent = ("copper", "magnetic", "conversion", "iron", "drag", "friction", "bristle", "gear", "rotor", "mechanical")
    sums = sum(run[f"{name}_power"] for name in spent) - run["cogging_power"] - run["numerical_power"]
    size = sum(np.abs(run[f"{name}_power"]) for name in (*spent, "cogging", "numerical", "electrical"))
    assert np.all(np.abs(sums - run["electrical_power"]) <= 1e-12 * size)
    assert np.abs(run["cogging_power"]).max() > 0.0


def test_the_work_is_that_of_the_torque():
    """Without friction and current, cogging_power is the torque of the network times the speed of the end."""
    step = motor().compile("numpy")
    pull = network_pull(TWO, 0.1, 2.0, 0.0, 0.0, 1e-2)
    out = step.coupled(step.initial(), 0.0, 0.1, 2.0, 1e-2, load_inertia=0.01)[1]
    end = 2.0 + 1e-2 * pull.torque / (0.01 + 1e-4 + 1e-2 * pull.fall)
    assert out.joint_velocity == pytest.approx(end, rel=1e-9)
    assert out.cogging_power == pytest.approx((pull.torque - pull.fall * (end - 2.0)) * end, rel=1e-9)


def test_half_the_step_halves_the_error():
    """The chord and the position halfway are right as the step goes to 0."""
    ends = []
    for dt in (4e-3, 2e-3, 1e-3, 1e-5):
        run = be.simulate(be.Actuator(motor()), be.Inertia(inertia=0.01), 0.0, 0.4, dt, velocity=3.0)
        ends.append(float(run["position"][-1]))
    errors = np.abs(np.array(ends[:3]) - ends[3])
    assert errors[0] > 0.0 and np.all(errors[1:] < 0.6 * errors[:-1])


def test_files_names_and_bad_values():
    """It comes back from a file, its weights are numbers of their own, and what cannot be is one sentence."""
    actuator = be.Actuator(motor())
    assert loads(dumps(actuator)).motor.network == TWO
    drawn = be.randomize(actuator.motor, {"network.units.1.weight": be.random.Scale(0.8, 1.2)}, 5, seed=1)
    assert drawn.network.units[1].weight.shape == (5,) and drawn.network.units[0] == UNIT
    with pytest.raises(be.ParameterError, match="no unit of the network has a weight and a per_velocity"):
        alone = be.TorqueNetwork(units=(be.TanhUnit(weight=0.1, per_position=1.0),))
        be.randomize(motor(alone), {"network.velocity": be.random.Scale(0.8, 1.2)}, 5)
    with pytest.raises(be.ParameterError, match="must be a tuple of TanhUnit"):
        be.TorqueNetwork(units=())
    assert "a network on what is left" in repr(actuator.motor)


def test_simulators_say_that_it_is_lost():
    """A row of its own in what an export loses, unless the motor has none."""
    export = be.export(be.Actuator(motor(), be.Supply(voltage=12.0)), "isaaclab", "knee", effort_limit=1.0)
    assert "network" in [loss.phenomenon for loss in export.losses]
