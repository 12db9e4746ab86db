"""Any step is stable: whatever limit acts, at any dt, a run ends where physics says, and gains no energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long import some_now

import backemf as be
from backemf.actuator.compiled import laws
from backemf.engines import bind
from backemf.engines import load as load_engine
from backemf.parts import without_neutral
from backemf.physics.state import CURRENT, DERATING, RATE, TORQUE, VOLTAGE
from backemf.rollout import advance, rest
from backemf.runaway import EnergyWatch
from backemf.tree import map_numbers

R, K, J, V, AMPERES = 0.3, 0.03, 1.4e-5, 24.0, 10.0


def motor(**parts) -> be.Motor:
    limits = parts.pop("limits", be.Limits(continuous_current=AMPERES))
    magnet = parts.pop("magnet", be.Magnet(torque_constant=K, back_emf_constant=K))
    return be.Motor(
        winding=be.Winding(resistance=R, inductance=parts.pop("inductance", None)),
        magnet=magnet,
        rotor=be.Rotor(inertia=J),
        limits=limits,
        **parts,
    )


GEARS = {"gearbox": be.Gearbox(stages=(be.Stage(ratio=9.0, efficiency=0.8),))}
PLAY = {"gearbox": be.Gearbox(stages=(be.Stage(ratio=9.0, efficiency=0.8),), backlash=0.01)}
KINDS = {
    "bare": {},
    "inductive": {"inductance": 1e-3},
    "rubbing": {"friction": be.Coulomb(coulomb=0.01)},
    "bristles": {"friction": be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=50.0)},
    "geared": GEARS,
    "backlash": PLAY,
}


def stored_energy(run, motor, inertia: float) -> np.ndarray:
    """Energy of joint, rotor, inductance and bristles over a run [J]."""
    rotor = run["rotor_speed"] if "gap" in run.data else motor.ratio * run["velocity"]
    energy = 0.5 * inertia * run["velocity"] ** 2 + 0.5 * J * rotor**2
    if motor.winding.inductance != 0.0:
        energy = energy + 0.5 * motor.winding.inductance * run["current"] ** 2
    if "bristle" in run.data:
        energy = energy + 0.5 * motor.friction.stiffness * run["bristle"] ** 2
    return energy


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dt", [1e-4, 1e-3, 0.01, 0.02, 0.2, 1.0])
def test_a_current_limit_at_the_end_of_the_voltage_only_brakes(kind, dt):
    """A shorted rotor faster than the bus can hold loses energy at every step, down to rest."""
    geared, inertia = motor(**KINDS[kind]), 1e-6
    start = 2000.0 / geared.ratio
    actuator = be.Actuator(geared, be.Supply(voltage=V))
    load = be.Inertia(inertia=inertia)
    steps = max(60, round(0.3 / dt))
    run = be.simulate(actuator, load, 0.0, duration=steps * dt, dt=dt, velocity=start, engine="numpy")
    energy = np.append(0.5 * (J * geared.ratio**2 + inertia) * start**2, stored_energy(run, geared, inertia))
    assert (np.diff(energy) <= 1e-9 * energy[:-1] + 1e-15).all()
    assert energy[-1] < 1e-3 * energy[0]


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 0.01, 0.02, 0.2, 1.0])
@pytest.mark.parametrize("kind", ["bare", "inductive", "geared"])
def test_pushed_beyond_its_current_limit_a_motor_settles_where_the_voltage_ends(kind, dt):
    """1 N·m asks for 33 A where 10 A are allowed: the bus ends first, at (V + R·33 A)/Ke = 1133 rad/s."""
    pushed = motor(**KINDS[kind] | ({"gearbox": be.Gearbox(stages=(be.Stage(ratio=9.0),))} if kind == "geared" else {}))
    push = be.ConstantTorque(torque=1.0 * pushed.ratio, inertia=0.0)
    steps = max(60, round(0.1 / dt))
    run = be.simulate(
        be.Actuator(pushed, be.Supply(voltage=V)), push, 0.0, duration=steps * dt, dt=dt,
        velocity=2000.0 / pushed.ratio, engine="numpy",
    )  # fmt: skip
    speed = pushed.ratio * run["velocity"]
    assert speed[-1] == pytest.approx((V + R / K) / K, rel=1e-6)
    if kind != "inductive":
        # it comes down to that speed and stays: no step overshoots it
        assert (np.diff(speed) <= 1e-6 * speed[:-1]).all()


def test_a_small_step_and_a_large_one_tell_the_same_story():
    """Spinning up against a current limit, 20 ms and 20 µs reach the same speeds within the size of the step."""
    actuator = be.Actuator(motor(), be.Supply(voltage=V))
    load = be.Inertia(inertia=2e-4)
    coarse = be.simulate(actuator, load, V, duration=2.0, dt=0.02, engine="numpy")
    fine = be.simulate(actuator, load, V, duration=2.0, dt=2e-5, every=1000)
    assert np.abs(coarse["velocity"] - fine["velocity"]).max() < 0.03 * fine["velocity"].max()
    assert coarse["velocity"][-1] == pytest.approx(fine["velocity"][-1], rel=1e-3)


@pytest.mark.parametrize("dt", [1e-3, 0.01, 0.1, 1.0])
@pytest.mark.parametrize("kp", some_now([1.0, 100.0, 1e4], lambda kp: kp == 1e4))
@pytest.mark.parametrize("supply", [None, be.Supply(voltage=V)])
def test_a_position_loop_of_any_gain_settles_at_any_step(dt, kp, supply):
    """A stiff loop sees the way that the step will go; at rest it is where it was told to be."""
    actuator = be.Actuator(motor(limits=None), supply, controller=be.PositionPid(kp=kp, kd=0.01 * kp))
    run = be.simulate(actuator, be.Inertia(inertia=1e-4), 1.0, duration=400 * dt + 4.0, dt=dt)
    assert run["position"][-1] == pytest.approx(1.0, abs=1e-3)
    assert np.abs(run["position"]).max() < 3.0


def test_a_pendulum_gains_nothing_from_long_steps():
    """A free pendulum never swings higher than it was let go, also in steps longer than its period."""
    free = be.Motor(
        winding=be.Winding(resistance=1e6), magnet=be.Magnet(torque_constant=1e-6, back_emf_constant=1e-6),
        rotor=be.Rotor(inertia=1e-9),
    )  # fmt: skip
    for dt in (0.3, 0.5, 1.0, 3.0):
        load = be.Pendulum(mass=1.0, length=0.5)
        run = be.simulate(free, load, 0.0, duration=400 * dt, dt=dt, position=2.0, engine="numpy")
        # the largest speed is that of a fall through the lowest point
        assert np.abs(run["velocity"]).max() <= np.sqrt(2 * 9.80665 * (1 - np.cos(2.0)) / 0.5) * 1.05


def test_energy_from_nowhere_stops_a_run(monkeypatch):
    """A step without slopes diverges; the run says when, how much, and what to do."""
    from backemf.physics import step as step_laws

    step = bind(step_laws, "numpy", load_engine("numpy").ops)
    whole = step.lines_of

    def flat(*arguments):
        lines = whole(*arguments)
        return replace(lines, command=replace(lines.command, fall=0.0))

    monkeypatch.setattr(step, "lines_of", flat)
    actuator = be.Actuator(motor(limits=None))
    with pytest.raises(be.SimulationError, match=r"at t = 0\.0\d+ s the joint has .* J where .* given .* J.*lower dt"):
        be.simulate(actuator, be.Inertia(inertia=0.0), 0.0, duration=2.0, dt=0.02, velocity=20.0, engine="numpy")


@pytest.mark.parametrize(
    ("command", "velocity"),
    [
        # without friction the current of a motor at its speed, v/Ke, falls to nothing within 50 time constants
        (5.0, 50.0),
        (be.commands.Step(value=5.0, time=0.55), 50.0),
        # and at each zero of its voltage the supply gives nothing
        (be.commands.Sine(amplitude=5.0, frequency=1.0), None),
    ],
)
@pytest.mark.parametrize("engine", ["native", "numpy"])
def test_energy_that_came_between_two_records_is_not_from_nowhere(command, velocity, engine):
    """Recorded once a second, a motor that has come to its speed in between is no step that diverges."""
    weak = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
    )
    run = be.simulate(weak, be.Inertia(inertia=1e-4), command, 3.0, 1e-3, every=1000, engine=engine)
    whole = be.simulate(weak, be.Inertia(inertia=1e-4), command, 3.0, 1e-3)
    assert run["velocity"] == pytest.approx(whole["velocity"][999::1000], rel=1e-9)
    assert velocity is None or run["velocity"][-1] == pytest.approx(velocity)


def test_energy_from_nowhere_between_two_records_stops_a_run_too():
    """The meter of the supply has counted 2 J; a joint with ten million has them from nowhere."""
    watch = EnergyWatch(be.Actuator(motor(limits=None)), be.Inertia(inertia=2.0), 0.0, 1e-3, 1000)
    channels = {name: np.zeros(3) for name in watch.reads}
    channels |= {"electrical_energy": np.array([1.0, 2.0, 1.5]), "velocity": np.array([0.0, 1.0, 1000.0])}
    watch.look(channels, 1.0)
    channels["velocity"] = np.array([0.0, 10_000.0, 0.0])
    with pytest.raises(be.SimulationError, match=r"at t = 5 s the joint has 1e\+08 J where .* given 2 J"):
        watch.look(channels, 4.0)


# --- limits against limits


def one_step(actuator, command, speed, dt=1e-4, **initial):
    step = actuator.compile("numpy")
    return step(step.initial(**initial), command, 0.0, speed, dt)[1]


def test_the_tighter_limit_wins_over_a_joint_limit_that_brakes():
    """Above its no-load speed a DcClip asks for braking; the motor's own current limit still holds."""
    clip = be.DcClip(saturation_effort=3.0, velocity_limit=100.0, effort_limit=3.0)
    actuator = be.Actuator(motor(), be.Supply(voltage=48.0), limits=clip)
    out = one_step(actuator, 48.0, 180.0)
    assert out.current == -AMPERES
    assert out.limit & TORQUE and out.limit & CURRENT


def test_derating_is_flagged_where_it_acts():
    """A command far beyond the cool limit is still one that heat cuts, from the start of derating to its end."""
    limits = be.Limits(peak_current=20.0, continuous_current=5.0, derating_start=60.0, derating_end=100.0)
    hot = motor(limits=limits, thermal=be.Thermal(resistance=5.0, capacitance=10.0, ambient=25.0))
    for degrees, flagged in ((50.0, 0), (62.0, DERATING), (97.0, DERATING), (150.0, DERATING)):
        out = one_step(be.Actuator(hot), 100.0, 0.0, winding_rise=degrees - 25.0)
        assert out.limit & DERATING == flagged and out.limit & CURRENT
    assert one_step(be.Actuator(hot), 1.0, 0.0, winding_rise=72.0).limit == 0


@pytest.mark.parametrize("speed", [-3000.0, -900.0, 0.0, 900.0, 3000.0])
@pytest.mark.parametrize("command", [-24.0, 0.0, 24.0])
def test_every_limit_that_shapes_the_answer_is_flagged(speed, command):
    """Each limit is taken away in turn: where the current changes, its flag is set."""
    limits = be.Limits(
        peak_current=20.0, continuous_current=5.0, derating_start=60.0, derating_end=100.0, current_rate=1e5
    )
    thermal = be.Thermal(resistance=5.0, capacitance=10.0, ambient=25.0)
    clip = be.DcClip(saturation_effort=0.5, velocity_limit=1500.0, effort_limit=0.4)
    parts = {"limits": limits, "thermal": thermal, "inductance": 1e-4}
    actuator = be.Actuator(motor(**parts), be.Supply(voltage=V), limits=clip, voltage_limit=20.0)
    for degrees in (30.0, 70.0, 97.0):
        hot = {"winding_rise": degrees - 25.0, "current": 3.0}
        out = one_step(actuator, command, speed, **hot)
        cool = be.Limits(peak_current=20.0, current_rate=1e5)
        free = be.Limits(current_rate=1e5)
        unrated = be.Limits(peak_current=20.0, continuous_current=5.0, derating_start=60.0, derating_end=100.0)
        without = {
            DERATING: be.Actuator(
                motor(**parts | {"limits": cool}), be.Supply(voltage=V), limits=clip, voltage_limit=20.0
            ),
            CURRENT: be.Actuator(
                motor(**parts | {"limits": free}), be.Supply(voltage=V), limits=clip, voltage_limit=20.0
            ),
            RATE: be.Actuator(
                motor(**parts | {"limits": unrated}), be.Supply(voltage=V), limits=clip, voltage_limit=20.0
            ),
            TORQUE: be.Actuator(motor(**parts), be.Supply(voltage=V), voltage_limit=20.0),
            VOLTAGE: be.Actuator(motor(**parts), be.Supply(voltage=1e9), limits=clip),
        }
        for flag, other in without.items():
            if abs(one_step(other, command, speed, **hot).current - out.current) > 1e-12 * abs(out.current):
                assert out.limit & flag, (degrees, flag)


# --- hot magnets, flanks and batteries


def test_a_torque_controller_on_a_hot_magnet_takes_no_energy_from_friction_or_gears():
    """The drive sees the back-EMF of the hot magnet, so its slope is not negative; friction and flanks only take."""
    hot = motor(
        limits=None,
        magnet=be.Magnet(torque_constant=K, back_emf_constant=K, temperature_coefficient=-0.002),
        thermal=be.Thermal(resistance=5.0, capacitance=100.0, ambient=25.0),
        friction=be.Coulomb(coulomb=0.002),
        **PLAY,
    )
    actuator = be.Actuator(hot, be.Supply(voltage=V), controller=be.Torque())
    run = be.simulate(
        actuator, be.Inertia(inertia=1e-3), be.commands.Sine(amplitude=0.5, frequency=3.0), duration=2.0, dt=1e-3,
        initial={"winding_rise": 100.0}, engine="numpy",
    )  # fmt: skip
    # the slope is a difference of two slopes of this size
    assert run["torque_slope"].min() >= -1e-15 * (9.0 * K) ** 2 / R
    assert run["friction_power"].min() >= 0.0 and run["gear_power"].min() >= 0.0


def test_a_flank_cannot_pull():
    """Friction that grows with the load may hold a rotor back from the flank it would just have reached."""
    rng = np.random.default_rng(1)
    friction = be.LoadDependent(coulomb=0.002, viscous=1e-5, load=be.LoadShare(drive=0.2, back=0.3))
    actuator = be.Actuator(motor(friction=friction, **PLAY), be.Supply(voltage=V))
    for dt in (1e-4, 1e-3, 0.01):
        run = be.simulate(
            actuator, be.ConstantTorque(torque=rng.normal(size=50), inertia=1e-3),
            be.commands.Sine(amplitude=10.0, frequency=3.0), duration=1000 * dt, dt=dt,
            velocity=rng.normal(size=50) * 50.0,
        )  # fmt: skip
        scale = np.abs(run["mechanical_power"]).max()
        assert run["gear_power"].min() >= -1e-12 * scale and run["friction_power"].min() >= -1e-12 * scale


@pytest.mark.parametrize("limits", [None, be.Limits(peak_current=5.0)])
@pytest.mark.parametrize("voltage_limit", [None, 20.0])
@pytest.mark.parametrize("modulation", [1.0, 0.9])
def test_a_battery_that_is_fed_back_lets_no_limit_be_exceeded(limits, voltage_limit, modulation):
    """The bus rises above its voltage; the terminals stay below their limit and below the bus, and power adds up."""
    supply = be.Supply(voltage=V, resistance=0.5, modulation_limit=modulation)
    actuator = be.Actuator(motor(limits=limits), supply, voltage_limit=voltage_limit)
    for speed in np.linspace(-3000.0, 3000.0, 61):
        for command in (-24.0, -15.0, 0.0, 20.0, 24.0):
            out = one_step(actuator, command, speed)
            assert abs(out.voltage) <= modulation * out.bus_voltage * (1 + 1e-12)
            assert voltage_limit is None or abs(out.voltage) <= voltage_limit
            if out.bus_voltage == 0.001 * V:
                continue  # collapsed: a reversed motor draws more than the battery has
            assert out.bus_voltage == pytest.approx(V - 0.5 * out.bus_current, rel=1e-9)
            assert out.bus_voltage * out.bus_current == pytest.approx(out.electrical_power, rel=1e-12, abs=1e-12)


def test_without_heat_a_magnet_is_as_its_data():
    """Winding and magnet may be given at different temperatures; nothing is hot without a thermal model."""
    magnet = be.Magnet(torque_constant=K, back_emf_constant=K, temperature_coefficient=-0.002)
    plain = be.Motor(winding=be.Winding(resistance=R, reference_temperature=36.0), magnet=magnet)
    step = plain.compile("numpy")
    assert step(step.initial(), 0.0, 0.0, 100.0, 1e-3)[1].back_emf == pytest.approx(100.0 * K, rel=1e-15)


def test_a_table_bounds_the_end_of_a_step_on_plain_python_too():
    """A torque-speed table is a line ahead of the joint: no step ends above it, and engines agree to rounding."""
    table = be.TorqueSpeedTable(speed=[0.0, 100.0, 200.0, 300.0], driving=[1.0, 0.9, 0.6, 0.1])
    free = be.Actuator(motor(limits=None), be.Supply(voltage=48.0), controller=be.Torque(), limits=table)
    load = be.Inertia(inertia=1e-3)
    for dt in (1e-3, 0.05):
        run = be.simulate(free, load, 5.0, duration=20 * dt, dt=dt, engine="numpy")
        allowed = np.interp(run["velocity"], table.speed, table.driving)
        assert (K * run["current"] <= allowed + 1e-12).all()
        here = map_numbers(rest(free, load, (), 0.0, 0.0), float)
        for _ in range(20):
            here, _ = advance(laws("python"), free, load, here, 5.0, None, dt)
        assert here.velocity == pytest.approx(run["velocity"][-1], rel=1e-12)


@pytest.mark.parametrize("inertia", [1e10, 1e15, np.inf])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_a_joint_too_heavy_to_move_feels_the_same_torque(inertia, damping):
    """Bristles and backlash against a joint of any inertia: the flank is touched, whatever its momentum rounds to."""
    friction = be.LuGre(
        coulomb=0.15, stiction=0.68, stribeck_velocity=2.4, stiffness=550.0, damping=damping, stribeck_exponent=3.1
    )
    gearbox = be.Gearbox(stages=(be.Stage(ratio=14.7, efficiency=0.75),), backlash=1.5e-5)
    geared = motor(limits=be.Limits(peak_current=2.3, current_rate=400.0), friction=friction, gearbox=gearbox)
    kp, speed = (x.ravel() for x in np.meshgrid(np.geomspace(1e-2, 1e3, 30), np.linspace(-5.0, 5.0, 20)))
    supply = be.Supply(voltage=6.0, resistance=0.005)
    step = be.Actuator(geared, supply, controller=be.VelocityPi(kp=kp)).compile("numpy")
    state = step.initial(kp.shape, gap=-0.5 * 14.7 * 1.5e-5, rotor_speed=1.3, current=-0.23)

    def torque(load_inertia: float) -> np.ndarray:
        return step.coupled(state, 0.0, 0.0, speed, 0.0147, load_torque=0.0, load_inertia=load_inertia)[1].torque

    np.testing.assert_allclose(torque(inertia), torque(1e6), rtol=1e-4)


@pytest.mark.parametrize("limits", [None, be.Limits(peak_current=0.5)])
def test_without_a_supply_the_bus_is_what_the_terminals_have(limits):
    """Also where a limit keeps the command from them."""
    step = be.Actuator(motor(limits=limits), voltage_limit=10.0).compile("numpy")
    _, out = step(step.initial(), 8700.0, 0.0, 5.0, 1e-3)
    assert out.bus_voltage == out.voltage <= 10.0


def test_a_weak_battery_does_not_turn_a_pushed_joint_round():
    """A spring and a position loop push forwards; the corner of a battery that takes nothing back is on the way."""
    servo = be.Actuator(
        be.Motor(
            winding=be.Winding(resistance=61.0),
            magnet=be.Magnet(torque_constant=0.0041, back_emf_constant=0.0041),
            rotor=be.Rotor(inertia=1.3e-10),
            limits=be.Limits(peak_current=0.0031),
        ),
        be.Supply(voltage=7.7, resistance=60.0, regeneration=False),
        controller=be.DutyServo(kp=0.41),
    )
    servo = without_neutral(servo)
    load = be.TwoMass(inertia=7.1e-12, far_inertia=1.7e-11, stiffness=2e-5, damping=4.6e-8, backlash=0.0093)
    here = replace(rest(servo, load, (), -1.7, 0.0), memory=(-0.57, 0.0))
    speeds = [
        advance(laws("numpy"), servo, load, here, 0.0, None, dt)[0].velocity for dt in np.geomspace(4e-3, 0.1, 60)
    ]
    # the longer the step, the nearer to where the loop holds it
    assert np.all(np.diff(speeds) < 0.0) and speeds[-1] > 0.0


def weak(resistance: float, kt: float, inertia: float, supply: be.Supply, **parts) -> be.Actuator:
    return be.Actuator(
        be.Motor(
            winding=be.Winding(resistance=resistance, inductance=parts.pop("inductance", None)),
            magnet=be.Magnet(torque_constant=kt, back_emf_constant=kt),
            rotor=be.Rotor(inertia=inertia),
            limits=parts.pop("limits", None),
        ),
        supply,
        **parts,
    )


WEAK = {
    # the bus collapses at the start and not at the end
    "limited": (
        weak(36.0, 0.063, 1.2e-8, be.Supply(voltage=1.2, resistance=35.0), limits=be.Limits(peak_current=1e-3)),
        (0.0, -34.0, 0.15, 1e-3, 2.4e-8),
    ),
    # nothing is fed back, and the bridge is off
    "off": (
        weak(8740.0, 3.83, 5e-6, be.Supply(voltage=130.0, resistance=6250.0, regeneration=False), inductance=1850.0),
        (be.Command(voltage=281.0, enable=0.0), 158.0, 0.43, -3e-3, 2.6e-7),
    ),
    # the loop asks for more than the bus on the way, and ends within it
    "loop": (
        weak(1.02, 0.00149, 5e-10, be.Supply(voltage=2.17, resistance=0.148), controller=be.Torque()),
        (-5.35e-5, 150.0, 0.0721, 1.4e-5, 1.2e-12),
    ),
}
"""Motors on batteries that give way as their windings do; and command, velocity, dt, load and inertia of a step."""


# a loop whose duty follows the speed meets the bus to a chord
@pytest.mark.parametrize(("kind", "within"), [("limited", 1e-9), ("off", 1e-9), ("loop", 0.01)])
def test_a_long_step_on_a_weak_battery_ends_on_the_current_that_it_was_solved_with(kind, within):
    """From three times the no-load speed to the other side of it, the full voltage is no straight line."""
    actuator, (command, velocity, dt, load, inertia) = WEAK[kind]
    step = actuator.compile("numpy")
    for way in (1.0, -1.0):
        for more in np.geomspace(0.3, 3.0, 21):
            given = way * command if isinstance(command, float) else command
            _, out = step.coupled(step.initial(), given, 0.0, way * velocity, dt, way * more * load, inertia)
            largest = max(abs(out.electrical_power), abs(out.copper_power), abs(out.mechanical_power))
            assert abs(out.numerical_power) <= within * largest, (way, more)
