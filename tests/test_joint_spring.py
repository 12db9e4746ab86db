"""The spring at the joint: it pulls towards its rest angle, and gives back what it was given."""

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.actuator.joint_spring import spring_energy
from backemf.motorfile import dumps, loads

SPRING = be.JointSpring(stiffness=2.0, rest_angle=0.3, offset=0.1)
INERTIA = be.Inertia(inertia=0.05)
ROTOR = be.Motor(
    winding=be.Winding(resistance=1.0),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0),)),
)
WITHOUT = be.Actuator(spring=SPRING)
DRIVEN = be.Actuator(ROTOR, spring=SPRING)


@pytest.mark.parametrize("actuator", [WITHOUT, DRIVEN], ids=["joint", "motor"])
def test_torque_at_an_angle(actuator):
    """offset - stiffness·(q - rest) = 0.1 - 2·(0.8 - 0.3) = -0.9 N·m, and it stiffens the joint by 2 N·m/rad."""
    step = actuator.compile("numpy")
    out = step(step.initial(), 0.0, 0.8, 0.0, 1e-3)[1]
    assert out.torque == pytest.approx(-0.9, abs=1e-15)
    assert out.torque_stiffness == pytest.approx(2.0, rel=1e-15)


def test_a_mass_on_it_swings_at_its_own_frequency():
    """q(t) = rest + offset/k + amplitude·cos(sqrt(k/J)·t), in 5000 steps per period."""
    frequency = np.sqrt(2.0 / 0.05)
    dt = 2.0 * np.pi / frequency / 5000
    run = be.simulate(WITHOUT, INERTIA, 0.0, 5000 * dt, dt, position=0.85, engine="numpy", every=500)
    middle = 0.3 + 0.1 / 2.0
    expected = middle + 0.5 * np.cos(frequency * run.time)
    assert run["position"] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("actuator", [WITHOUT, DRIVEN], ids=["joint", "motor"])
def test_power_into_it_is_the_change_of_its_energy(actuator):
    """To rounding, in every step of any length."""
    step = actuator.compile("numpy")
    for dt in (1e-4, 1e-2, 1.0, 100.0):
        state, q, v = step.initial(), 0.7, -3.0
        for _ in range(5):
            state, out = step.coupled(state, 0.5, q, v, dt, load_torque=0.2, load_inertia=0.05)
            stored = spring_energy(out.joint_position, SPRING) - spring_energy(q, SPRING)
            size = abs(stored) + abs(spring_energy(q, SPRING))
            assert dt * out.spring_power == pytest.approx(stored, abs=1e-12 * size)
            q, v = out.joint_position, out.joint_velocity


@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e9])
@pytest.mark.parametrize("dt", [1e-3, 0.1, 10.0])
def test_stable_at_any_step(stiffness, dt):
    """Kinetic energy and that of the spring never grow, however stiff it is."""
    spring = be.JointSpring(stiffness=stiffness)
    step = be.Actuator(spring=spring).compile("numpy")
    state, q, v = step.initial(), 1.0, 0.0
    before = spring_energy(q, spring)
    for _ in range(200):
        state, out = step.coupled(state, 0.0, q, v, dt, load_inertia=0.05)
        q, v = out.joint_position, out.joint_velocity
        energy = spring_energy(q, spring) + 0.5 * 0.05 * v * v
        assert energy <= before * (1.0 + 1e-12)
        before = energy


def test_friction_holds_against_it():
    """0.9 N·m at the joint are 0.18 N·m at the rotor: friction of 0.2 N·m holds them, one of 0.15 N·m does not."""
    for level, holds in ((0.2, True), (0.15, False)):
        step = replace(DRIVEN, motor=replace(ROTOR, friction=be.Coulomb(coulomb=level))).compile("numpy")
        out = step.coupled(step.initial(), 0.0, 0.8, 0.0, 1e-3, load_inertia=0.05)[1]
        assert bool(out.joint_velocity == 0.0) is holds


def test_energy_of_a_run_adds_up():
    """electrical + cogging + numerical = all that is taken, the spring's share among it."""
    run = be.simulate(DRIVEN, INERTIA, 12.0, 0.2, 1e-4, engine="numpy")
    energy = {name: values[-1] for name, values in run.energy().items()}
    given = energy.pop("electrical") + energy.pop("cogging") + energy.pop("numerical")
    assert energy["spring"] == pytest.approx(
        spring_energy(run["position"][-1], SPRING) - spring_energy(0.0, SPRING), rel=1e-9
    )
    assert sum(energy.values()) == pytest.approx(given, rel=1e-9)
    assert run.unit("spring_power") == "W"


def test_no_spring_no_channel():
    """What is not there is not recorded."""
    run = be.simulate(be.Actuator(ROTOR), INERTIA, 12.0, 0.01, 1e-4, engine="numpy")
    assert "spring_power" not in run.channels and "spring" not in run.energy()


def test_file_and_bad_values():
    """The same spring comes back from a file; a stiffness below 0 would push away from the rest angle."""
    assert loads(dumps(DRIVEN)).spring == SPRING
    with pytest.raises(be.ParameterError, match=r"JointSpring\.stiffness = -1: must be a finite number at least 0"):
        be.JointSpring(stiffness=-1.0)
    with pytest.raises(be.ParameterError, match=r"rest_angle.*would do nothing"):
        be.randomize(be.Actuator(spring=be.JointSpring(offset=0.1)), {"spring.rest_angle": be.random.Uniform(0, 1)}, 3)


def test_simulators_say_that_it_is_lost():
    """Its figures are in the sentence."""
    done = be.export(replace(DRIVEN, supply=be.Supply(voltage=24.0)), "mujoco", "knee")
    loss = next(loss for loss in done.losses if loss.phenomenon == "joint spring")
    assert loss.status == "dropped" and "2 N·m/rad around 0.3 rad" in loss.note
