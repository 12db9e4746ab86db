"""A bridge that is off: no current but through its diodes, and friction, cogging and the load act as ever."""

from dataclasses import replace

import numpy as np
import pytest

import backemf as be

WINDING = be.Winding(resistance=2.0)
MAGNET = be.Magnet(torque_constant=0.1, back_emf_constant=0.1)
MOTOR = be.Motor(winding=WINDING, magnet=MAGNET, rotor=be.Rotor(inertia=1e-4))
FED = be.Actuator(MOTOR, be.Supply(voltage=12.0, modulation_limit=0.8), voltage_limit=9.0)


def off(**inputs) -> be.Command:
    return be.Command(**inputs, enable=0)


@pytest.mark.parametrize("actuator", [be.Actuator(MOTOR), FED], ids=["any voltage", "supply"])
def test_no_current_below_the_bus(actuator):
    """Below 12 V of back-EMF nothing flows, whatever is commanded, and the terminals show the back-EMF."""
    step = actuator.compile("numpy")
    out = step(step.initial(), off(voltage=7.0), 0.0, 100.0, 1e-3)[1]
    assert out.current == 0.0 and out.torque == 0.0 and out.electrical_power == 0.0
    assert out.voltage == pytest.approx(0.1 * 100.0, rel=1e-15)
    assert out.torque_slope == 0.0 and out.torque_requested == 0.0
    assert be.limit_names(out.limit) == ["off"]


@pytest.mark.parametrize("speed", [200.0, -200.0])
def test_diodes_conduct_above_the_bus(speed):
    """20 V of back-EMF on a bus of 12 V: (12 - 20)/2 = -4 A go back, whatever limits the drive has."""
    step = FED.compile("numpy")
    out = step(step.initial(), off(voltage=0.0), 0.0, speed, 1e-3)[1]
    assert out.current == pytest.approx(-np.sign(speed) * 4.0, rel=1e-14)
    assert out.bus_current == pytest.approx(-12.0 * 4.0 / 12.0, rel=1e-14)
    assert be.limit_names(out.limit) == ["voltage", "off"]
    burning = replace(FED, supply=replace(FED.supply, regeneration=False)).compile("numpy")
    out = burning(burning.initial(), off(voltage=0.0), 0.0, speed, 1e-3)[1]
    assert out.bus_current == 0.0 and out.brake_power == pytest.approx(48.0, rel=1e-14)


def test_an_inductance_runs_dry_through_the_diodes():
    """L·di/dt = -V - R·i: from 3 A, i(t) = (3 + V/R)·e^(-t·R/L) - V/R until it is 0, and then it stays there."""
    motor = replace(MOTOR, winding=replace(WINDING, inductance=0.02))
    step = be.Actuator(motor, be.Supply(voltage=12.0)).compile("numpy")
    state, dt, tau, end = step.initial(current=3.0), 1e-4, 0.01, 12.0 / 2.0
    for k in range(1, 60):
        state, out = step(state, off(voltage=5.0), 0.0, 0.0, dt)
        assert out.current == pytest.approx(max((3.0 + end) * np.exp(-k * dt / tau) - end, 0.0), abs=1e-12)
        assert out.electrical_power <= 1e-12
    assert out.current == 0.0


def test_a_rotor_runs_out_by_friction_alone():
    """J·dw/dt = -Tc: from 50 rad/s with 1e-4 kg·m² and 0.01 N·m, half a second to rest."""
    actuator = be.Actuator(replace(MOTOR, friction=be.Coulomb(coulomb=0.01)), be.Supply(voltage=12.0))
    run = be.simulate(
        actuator, be.Inertia(inertia=0.0), be.Command(voltage=0.0, enable=0.0), 0.6, 1e-3, velocity=50.0,
        engine="numpy",
    )  # fmt: skip
    assert run["velocity"][99] == pytest.approx(50.0 - 0.01 / 1e-4 * 0.1, rel=1e-9)
    assert run["velocity"][498] > 0.0 and run["velocity"][500] == 0.0
    assert run["enable_command"].sum() == 0.0 and run.unit("enable_command") == "1"


def test_on_is_as_without_a_word():
    """A bridge that is on is the same motor, to the last digit."""
    step = FED.compile("numpy")
    volts = np.linspace(-20.0, 20.0, 41)
    state = step.initial(41)
    plain = step(state, volts, 0.0, 30.0, 1e-3)[1]
    on = step(state, be.Command(voltage=volts, enable=np.ones(41)), 0.0, 30.0, 1e-3)[1]
    for name, value in vars(plain).items():
        assert value is None or np.array_equal(value, getattr(on, name)), name


def test_each_motor_of_a_batch_by_itself():
    """Off and on beside each other; what is not finite is off and flagged."""
    step = FED.compile("numpy")
    command = be.Command(voltage=np.full(3, 5.0), enable=np.array([1.0, 0.0, np.nan]))
    out = step(step.initial(3), command, np.zeros(3), np.zeros(3), 1e-3)[1]
    assert out.current == pytest.approx([2.5, 0.0, 0.0])
    assert [be.limit_names(flags) for flags in out.limit] == [[], ["off"], ["invalid command", "off"]]


def test_an_integral_rests():
    """A servo that is off does not wind up."""
    servo = be.Actuator(MOTOR, be.Supply(voltage=12.0), be.PositionPid(kp=1.0, ki=5.0))
    step = servo.compile("numpy")
    state = step(step.initial(), off(position=1.0), 0.0, 0.0, 0.1)[0]
    assert state.integral == 0.0
    assert step(state, be.Command(position=1.0, enable=1), 0.0, 0.0, 0.1)[0].integral == pytest.approx(0.1)


def test_a_current_loop_lets_go():
    """A torque loop and one motor of a selector."""
    loop = be.Actuator(MOTOR, controller=be.Torque(current_bandwidth=500.0)).compile("numpy")
    assert loop(loop.initial(current=2.0), off(effort=0.3), 0.0, 0.0, 1e-3)[1].current == 0.0
    selector = be.Actuator(MOTOR, controller=be.ModeSelector()).compile("numpy")
    assert selector(selector.initial(), off(effort=0.3), 0.0, 5.0, 1e-3)[1].torque == 0.0


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1.0])
def test_a_spinning_rotor_gains_nothing(dt):
    """Above the bus the diodes brake it to 120 rad/s, where they stop conducting; the energy only falls."""
    step = FED.compile("numpy")
    state, q, v = step.initial(), 0.0, 300.0
    for _ in range(600 if dt < 1e-2 else 60):
        state, out = step.coupled(state, off(voltage=0.0), q, v, dt)
        assert out.joint_velocity <= v * (1.0 + 1e-12)
        q, v = out.joint_position, out.joint_velocity
    assert v == pytest.approx(120.0, rel=1e-6)


def test_a_row_of_commands_in_jax():
    """`rollout` takes a `Command` with a row per step: driven, then let go."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        enable = np.repeat([1.0, 0.0], 50)
        row = be.Command(voltage=np.full(100, 6.0), enable=enable)
        _, amperes = be.rollout(
            be.Actuator(MOTOR), be.Inertia(inertia=1e-3), row, 1e-3, observe=lambda here, out: out.current
        )
    assert (np.asarray(amperes[:50]) > 0.5).all() and (np.asarray(amperes[50:]) == 0.0).all()
    for wrong, said in (({"enable": 0.0}, "enable none"), ({"enable": enable[1:]}, "voltage 100, enable 99")):
        with pytest.raises(be.ParameterError, match=said):
            be.rollout(be.Actuator(MOTOR), be.Inertia(inertia=1e-3), replace(row, **wrong), 1e-3)


def test_without_a_motor_there_is_no_bridge():
    """One sentence."""
    step = be.Actuator(controller=be.IdealPd(stiffness=1.0)).compile("numpy")
    with pytest.raises(be.ParameterError, match=r"Command\.enable: without a motor there is no bridge"):
        step(step.initial(), off(position=1.0), 0.0, 0.0, 1e-3)
    with pytest.raises(be.ParameterError, match=r"Command\.enable = nan"):
        FED.compile("python")(
            FED.compile("python").initial(), be.Command(voltage=1.0, enable=float("nan")), 0.0, 0.0, 1.0
        )
