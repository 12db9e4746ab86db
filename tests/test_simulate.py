"""Runs of a motor against closed forms, and what must not depend on how a run is computed."""

import math
from dataclasses import replace

import numpy as np
import pytest
from long import some_now

import backemf as be

R, KT, KE, J = 2.0, 0.05, 0.06, 3e-5
VOLTS = 12.0
STEPS = 2000
"""Runs of one length share one compiled loop."""

RESISTIVE = be.Motor(
    winding=be.Winding(resistance=R),
    magnet=be.Magnet(torque_constant=KT, back_emf_constant=KE),
    rotor=be.Rotor(inertia=J),
)
INDUCTIVE = replace(RESISTIVE, winding=be.Winding(resistance=R, inductance=1e-3))
WARM = replace(RESISTIVE, thermal=be.Thermal(resistance=2.0, capacitance=5.0))
FREE = be.Inertia(inertia=0.0)
FULL = be.Motor(
    winding=be.Winding(resistance=R, inductance=1e-3),
    magnet=be.Magnet(torque_constant=KT, back_emf_constant=KE, temperature_coefficient=-1e-3, iron_loss=1e-6),
    rotor=be.Rotor(inertia=J),
    thermal=be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=5.0, housing_resistance=2.0, housing_capacitance=50.0
    ),
    friction=be.LuGre(coulomb=0.004, stiction=0.006, stribeck_velocity=1.0, stiffness=20.0, damping=1e-3, viscous=1e-6),
    drag=be.Drag(coefficients=(1e-6, 1e-9)),
    cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=2e-3, periodicity=7.0),)),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.9, inertia=1e-6),)),
)
"""Every phenomenon at once."""


def run_for(motor, load, command, duration, **options):
    """A run in STEPS steps."""
    return be.simulate(motor, load, command, duration, duration / STEPS, **options)


# spinning up


def test_spin_up_is_an_exponential():
    """Without inductance w(t) = v/Ke·(1 - exp(-t/tm)) with tm = R·J/(Kt·Ke); the step is of first order in dt/tm."""
    tm = R * J / (KT * KE)
    run = run_for(RESISTIVE, FREE, VOLTS, 5 * tm)
    exact = VOLTS / KE * (1.0 - np.exp(-run.time / tm))
    assert np.abs(run["velocity"] - exact).max() < 0.5 * (run.dt / tm) * VOLTS / KE


def test_spin_up_reaches_63_percent_at_the_mechanical_time_constant():
    """1 - 1/e of the final speed at t = tm, whatever the load's inertia adds."""
    outside = 5e-5
    tm = R * (J + outside) / (KT * KE)
    run = run_for(RESISTIVE, be.Inertia(inertia=outside), VOLTS, 2 * tm)
    at_tm = np.interp(tm, run.time, run["velocity"])
    assert at_tm / (VOLTS / KE) == pytest.approx(1.0 - 1.0 / math.e, rel=1e-3)


def test_halving_the_step_halves_the_error_of_a_spin_up():
    """The mechanics step implicitly, which is of first order."""
    tm = R * J / (KT * KE)
    exact = VOLTS / KE * (1.0 - math.exp(-2.0))
    errors = [
        be.simulate(RESISTIVE, FREE, VOLTS, 2 * tm, 2 * tm / n, engine="numpy")["velocity"][-1] - exact
        for n in (100, 200)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.02)


def test_a_gearbox_divides_the_speed_and_multiplies_the_inertia():
    """At the joint tm is the same, the speed is v/(Ke·N), and a load J counts J/N² at the rotor."""
    ratio, outside = 4.0, 16 * J
    geared = replace(RESISTIVE, gearbox=be.Gearbox(stages=(be.Stage(ratio=ratio),)))
    tm = R * (J + outside / ratio**2) / (KT * KE)
    run = run_for(geared, be.Inertia(inertia=outside), VOLTS, 2 * tm)
    assert run["velocity"][-1] == pytest.approx(VOLTS / (KE * ratio) * (1.0 - math.exp(-2.0)), rel=2e-3)


def test_no_load_speed_with_drag_and_dry_friction():
    """Kt·(v - Ke·w)/R = c + B·w gives w = (Kt·v/R - c)/(Kt·Ke/R + B)."""
    coulomb, viscous = 5e-3, 2e-5
    motor = replace(RESISTIVE, friction=be.Coulomb(coulomb=coulomb), drag=be.Drag(coefficients=(viscous,)))
    speed = (KT * VOLTS / R - coulomb) / (KT * KE / R + viscous)
    run = run_for(motor, FREE, VOLTS, 1.0)
    assert run["velocity"][-1] == pytest.approx(speed, rel=1e-9)
    assert run["current"][-1] == pytest.approx((coulomb + viscous * speed) / KT, rel=1e-9)


def test_a_motor_below_its_friction_stays_put():
    """Kt·v/R < c: nothing moves, the current flows all the same."""
    volts = 0.9 * 5e-3 * R / KT
    run = run_for(replace(RESISTIVE, friction=be.Coulomb(coulomb=5e-3)), FREE, volts, 1.0)
    assert (run["velocity"] == 0.0).all() and (run["position"] == 0.0).all()
    assert run["current"][-1] == pytest.approx(volts / R, rel=1e-12)


# locked rotor


def test_current_of_a_locked_rotor_rises_with_the_electrical_time_constant():
    """i(t) = v/R·(1 - exp(-t·R/L)), exact at any step."""
    te = 1e-3 / R
    for dt in (1e-5, 1e-4, 2e-3):
        run = be.simulate(INDUCTIVE, be.LockedRotor(), VOLTS, 10 * dt, dt, engine="numpy")
        assert np.allclose(run["current"], VOLTS / R * (1.0 - np.exp(-run.time / te)), rtol=1e-12, atol=0)


def test_stall_torque_of_a_locked_rotor():
    """Kt·v/R, at the joint N times that; the rotor does not turn."""
    motor = replace(RESISTIVE, gearbox=be.Gearbox(stages=(be.Stage(ratio=7.0),)))
    run = be.simulate(motor, be.LockedRotor(), VOLTS, 0.01, 1e-3, engine="numpy")
    assert np.allclose(run["torque"], 7.0 * KT * VOLTS / R, rtol=1e-12, atol=0)
    assert (run["velocity"] == 0.0).all()
    assert np.allclose(run["load_torque"], -run["torque"], rtol=1e-12, atol=0)


def test_a_locked_rotor_stays_at_its_position():
    """Where it is held, not at zero."""
    run = be.simulate(RESISTIVE, be.LockedRotor(), VOLTS, 0.01, 1e-3, position=1.25, engine="numpy")
    assert (run["position"] == 1.25).all()


# heat


def test_a_winding_of_constant_power_rises_63_percent_in_its_time_constant():
    """With no temperature coefficient P = v²/R is constant: T - Ta = P·Rth·(1 - exp(-t/(Rth·C))), exact at any step."""
    motor = replace(WARM, winding=be.Winding(resistance=R, temperature_coefficient=0.0))
    rise, tau = VOLTS**2 / R * 2.0, 2.0 * 5.0
    run = be.simulate(motor, be.LockedRotor(), VOLTS, 5 * tau, tau / 2, engine="numpy")
    assert np.allclose(run["winding_rise"], rise * (1.0 - np.exp(-run.time / tau)), rtol=1e-12, atol=0)
    assert np.allclose(run["winding_temperature"], 25.0 + run["winding_rise"], rtol=1e-12, atol=0)
    assert run["winding_rise"][1] / rise == pytest.approx(1.0 - 1.0 / math.e, rel=1e-12)


def test_a_hot_winding_settles_where_heat_balances():
    """At constant voltage P = v²/(R·(1 + a·d)) and d = P·Rth: a·d² + d - v²·Rth/R = 0."""
    volts, a = 6.0, WARM.winding.temperature_coefficient
    rise = (-1.0 + math.sqrt(1.0 + 4.0 * a * volts**2 * 2.0 / R)) / (2.0 * a)
    run = run_for(WARM, be.LockedRotor(), volts, 300.0)
    assert run["winding_rise"][-1] == pytest.approx(rise, rel=1e-9)
    assert run["current"][-1] == pytest.approx(volts / (R * (1.0 + a * rise)), rel=1e-9)


def test_two_nodes_settle_at_the_sum_of_their_resistances():
    """The housing is P·R2 above ambient, the winding P·(R1 + R2)."""
    nodes = be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=2.0, housing_resistance=3.0, housing_capacitance=20.0, ambient=10.0
    )
    motor = replace(RESISTIVE, thermal=nodes, winding=be.Winding(resistance=R, temperature_coefficient=0.0))
    run = run_for(motor, be.LockedRotor(), 4.0, 3000.0)
    power = 4.0**2 / R
    assert run["housing_temperature"][-1] == pytest.approx(10.0 + power * 3.0, rel=1e-9)
    assert run["winding_temperature"][-1] == pytest.approx(10.0 + power * 4.0, rel=1e-9)


def test_every_run_starts_cold():
    """Runs share nothing: a second one is equal to the first."""
    first, second = (be.simulate(WARM, FREE, VOLTS, 0.05, 1e-3, engine="numpy") for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first.channels)


# where a run starts


def test_states_are_given_by_name():
    """A winding that starts 60 K warm cools as exp(-t/(Rth·C)) without current."""
    run = be.simulate(WARM, be.LockedRotor(), 0.0, 10.0, 0.5, initial={"winding_rise": 60.0}, engine="numpy")
    assert np.allclose(run["winding_rise"], 60.0 * np.exp(-run.time / 10.0), rtol=1e-12, atol=0)


def test_a_current_may_flow_at_the_start():
    """Without voltage it dies away with te = L/R."""
    run = be.simulate(INDUCTIVE, be.LockedRotor(), 0.0, 1e-3, 1e-4, initial={"current": 3.0}, engine="numpy")
    assert np.allclose(run["current"], 3.0 * np.exp(-run.time * R / 1e-3), rtol=1e-12, atol=0)


def test_position_and_velocity_at_the_start():
    """A shorted motor coasts down as exp(-t/tm) and turns w0·tm on the way."""
    tm = R * J / (KT * KE)
    run = run_for(RESISTIVE, FREE, 0.0, 12 * tm, position=2.0, velocity=50.0)
    assert np.interp(tm, run.time, run["velocity"]) == pytest.approx(50.0 / math.e, rel=5e-3)
    assert run["position"][-1] == pytest.approx(2.0 + 50.0 * tm, rel=1e-4)


def test_a_run_goes_on_from_where_another_ended():
    """Two halves, the second begun with the states of the first, are the whole."""
    whole = be.simulate(INDUCTIVE, FREE, VOLTS, 0.02, 1e-3, engine="numpy")
    first = be.simulate(INDUCTIVE, FREE, VOLTS, 0.01, 1e-3, engine="numpy")
    states = {"current": first["current"][-1]}
    end = {"position": first["position"][-1], "velocity": first["velocity"][-1]}
    second = be.simulate(INDUCTIVE, FREE, VOLTS, 0.01, 1e-3, initial=states, engine="numpy", **end)
    for name in ("position", "velocity", "current"):
        assert np.allclose(second[name], whole[name][10:], rtol=1e-13, atol=0)


# supplies


def test_a_supply_caps_the_voltage():
    """24 V from an 18 V battery with 90 % modulation are 16.2 V."""
    actuator = be.Actuator(RESISTIVE, be.Supply(voltage=18.0, modulation_limit=0.9))
    run = be.simulate(actuator, be.LockedRotor(), 24.0, 0.01, 1e-3, engine="numpy")
    assert np.allclose(run["voltage"], 16.2, rtol=1e-12, atol=0)
    assert (run["limit"] == 1).all()


def test_a_battery_sags_under_a_stalled_motor():
    """At full duty battery and winding are in series: i = V/(R + Ri), bus = V - Ri·i."""
    actuator = be.Actuator(RESISTIVE, be.Supply(voltage=12.0, resistance=0.5))
    run = be.simulate(actuator, be.LockedRotor(), 12.0, 0.01, 1e-3, engine="numpy")
    assert run["current"][-1] == pytest.approx(12.0 / (R + 0.5), rel=1e-12)
    assert run["bus_voltage"][-1] == pytest.approx(12.0 - 0.5 * 12.0 / (R + 0.5), rel=1e-12)


def test_motors_on_one_battery_share_its_sag():
    """Two stalled motors in parallel: i_total = V/(Ri + R/2)."""
    actuator = be.Actuator(RESISTIVE, be.Supply(voltage=12.0, resistance=0.5, shared=True))
    run = be.simulate(actuator, be.LockedRotor(), 12.0, 0.01, 1e-3, shape=2, engine="numpy")
    assert run["current"][-1].sum() == pytest.approx(12.0 / (0.5 + R / 2), rel=1e-12)


# how it is computed


@pytest.mark.parametrize(
    "load",
    some_now(
        [
            be.Inertia(inertia=1e-3, damping=1e-4),
            be.Pendulum(mass=0.1, length=0.2),
            be.TwoMass(inertia=1e-3, far_inertia=1e-3, stiffness=20.0, damping=1e-3, backlash=0.01),
            be.LockedRotor(),
            be.PrescribedMotion(time=[0.0, 0.1, 0.2], position=[0.0, 1.0, -1.0]),
        ],
        lambda load: isinstance(load, (be.TwoMass, be.PrescribedMotion)),
    ),
    ids=lambda load: type(load).__name__,
)
def test_engines_give_the_same_run(load):
    """NumPy, step by step, JAX and machine code, compiled, to 1e-10 of each channel's size."""
    command = be.commands.Sine(amplitude=10.0, frequency=8.0)
    supply = be.Supply(voltage=9.0, resistance=0.1)
    engines = ("numpy", "jax", "native")
    first, *others = (be.simulate(be.Actuator(FULL, supply), load, command, 0.15, 1e-3, engine=e) for e in engines)
    for other in others:
        assert first.channels == other.channels
        for name in first.channels:
            # what is left over of all powers is rounded like them
            of = "electrical_power" if name == "numerical_power" else name
            size = np.abs(first[of]).max()
            assert np.abs(first[name] - other[name]).max() <= 1e-10 * size + 1e-15, name


def test_a_batch_is_its_motors_one_by_one():
    """Parameters, loads, commands and starts as arrays: column k is a run of motor k."""
    resistance, inertia = np.array([1.0, 2.0, 4.0]), np.array([1e-5, 1e-4, 1e-3])
    volts, start = np.array([3.0, 12.0, -5.0]), np.array([0.0, 10.0, -10.0])

    def run(k):
        motor = replace(WARM, winding=be.Winding(resistance=resistance[k], inductance=1e-3))
        return be.simulate(
            motor,
            be.Inertia(inertia=inertia[k]),
            be.commands.Constant(volts[k]),
            0.05,
            1e-3,
            velocity=start[k],
            engine="numpy",
        )

    together = run(slice(None))
    assert together["current"].shape == (50, 3)
    for k in range(3):
        alone = run(k)
        for name in alone.channels:
            assert np.allclose(together[name][:, k], alone[name], rtol=1e-13, atol=1e-300), name


@pytest.mark.long
def test_a_compiled_batch_is_its_motors_one_by_one():
    """The same through JAX, with a command row per step."""
    rows = np.random.default_rng(1).uniform(-12.0, 12.0, (100, 2))
    together = be.simulate(FULL, be.Inertia(inertia=np.array([1e-4, 1e-3])), rows, 0.1, 1e-3)
    for k, inertia in enumerate((1e-4, 1e-3)):
        alone = be.simulate(FULL, be.Inertia(inertia=inertia), rows[:, k], 0.1, 1e-3)
        for name in ("position", "current", "winding_temperature", "bristle"):
            assert np.allclose(together[name][:, k], alone[name], rtol=1e-10, atol=1e-14), name


def test_the_shape_of_a_batch_may_be_asked_for():
    """Equal motors, (2, 3) of them."""
    run = be.simulate(RESISTIVE, FREE, VOLTS, 0.01, 1e-3, shape=(2, 3), engine="numpy")
    assert run["velocity"].shape == (10, 2, 3)
    assert np.ptp(run["velocity"][-1]) == 0.0


def test_a_command_row_broadcasts_over_the_leading_axes():
    """One row of 3 volts per step, for 2 robots of 3 joints."""
    rows = np.tile([1.0, 2.0, 3.0], (10, 1))
    run = be.simulate(RESISTIVE, be.LockedRotor(), rows, 0.01, 1e-3, shape=(2, 3), engine="numpy")
    assert (run["current"][-1] == np.array([0.5, 1.0, 1.5])).all()
    assert (run["command"][-1] == np.array([1.0, 2.0, 3.0])).all() and run["command"].shape == (10, 2, 3)


@pytest.mark.parametrize("engine", ["numpy", "jax", "native"])
def test_recording_every_nth_step_keeps_the_same_values(engine):
    """Steps n, 2n, ... of the whole run; an incomplete last group is not run."""
    sine = be.commands.Sine(amplitude=10.0, frequency=8.0)
    whole = be.simulate(FULL, be.Inertia(inertia=1e-3), sine, 0.15, 1e-3, engine=engine)
    some = be.simulate(FULL, be.Inertia(inertia=1e-3), sine, 0.15, 1e-3, every=7, engine=engine)
    assert len(some.time) == 150 // 7
    assert np.allclose(some.time, whole.time[6::7], rtol=1e-12, atol=0)
    for name in whole.channels:
        assert np.allclose(some[name], whole[name][6::7], rtol=1e-12, atol=1e-14), name


def test_long_runs_are_joined_without_a_seam():
    """More steps than one compiled piece holds, against the closed form on both sides of the seam."""
    from backemf.simulate import CHUNK

    te, dt = 1e-3 / R, 1e-7
    run = be.simulate(INDUCTIVE, be.LockedRotor(), VOLTS, (CHUNK + 500) * dt, dt)
    assert len(run.time) == CHUNK + 500
    assert np.allclose(run["current"], VOLTS / R * (1.0 - np.exp(-run.time / te)), rtol=1e-9, atol=0)


@pytest.mark.long
def test_float32_is_close_to_float64():
    """Single precision loses digits, not physics."""
    sine = be.commands.Sine(amplitude=10.0, frequency=8.0)
    double, single = (
        be.simulate(FULL, be.Inertia(inertia=1e-3), sine, 0.15, 1e-3, precision=p) for p in ("float64", "float32")
    )
    assert single["current"].dtype == np.float32 and double["current"].dtype == np.float64
    for name in ("position", "velocity", "current", "winding_temperature"):
        assert np.abs(single[name] - double[name]).max() <= 2e-3 * np.abs(double[name]).max(), name


@pytest.mark.parametrize("dt", [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0])
def test_any_step_is_stable_and_ends_at_the_same_speed(dt):
    """tm is 20 ms and te 0.5 ms; steps from far below to far above both end where torques balance."""
    viscous, coulomb = 2e-5, 5e-3
    motor = replace(INDUCTIVE, friction=be.Coulomb(coulomb=coulomb), drag=be.Drag(coefficients=(viscous,)))
    speed = (KT * VOLTS / R - coulomb) / (KT * KE / R + viscous)
    # the short steps start close to the end, so that no run is long
    start = speed * (1.0 if dt < 1e-3 else 0.0)
    current = (coulomb + viscous * speed) / KT * (1.0 if dt < 1e-3 else 0.0)
    run = run_for(motor, FREE, VOLTS, STEPS * dt, velocity=start, initial={"current": current})
    assert run["velocity"].max() <= 1.2 * speed
    assert run["velocity"][-1] == pytest.approx(speed, rel=1e-6)


def test_a_prescribed_motion_is_followed_by_a_compiled_run_of_any_table():
    """Two tables, one compiled loop: each run follows its own."""
    for slope in (1.0, -3.0):
        motion = be.PrescribedMotion(time=[0.0, 1.0], position=[0.0, slope])
        run = run_for(RESISTIVE, motion, 0.0, 0.5)
        assert run["position"][-1] == pytest.approx(0.5 * slope, rel=1e-12)


# energy


LOOSE = replace(FULL, gearbox=replace(FULL.gearbox, backlash=0.02))
"""The same with play in the gears."""


@pytest.mark.parametrize("motor", [FULL, LOOSE], ids=["tight", "loose"])
@pytest.mark.parametrize(
    "load",
    [be.Inertia(inertia=1e-3), be.Pendulum(mass=0.2, length=0.1), be.LockedRotor()],
    ids=lambda load: type(load).__name__,
)
def test_energy_closes_to_rounding(motor, load):
    """electrical + cogging + numerical = everything it went to, at every moment."""
    from backemf.run import BALANCE

    run = be.simulate(motor, load, be.commands.Sine(amplitude=10.0, frequency=8.0), 0.15, 1e-3, engine="numpy")
    energy = run.energy()
    given = energy["electrical"] + energy["cogging"] + energy["numerical"]
    spent = sum(energy[name] for name in BALANCE)
    size = sum(np.abs(values).max() for values in energy.values())
    assert np.abs(given - spent).max() <= 1e-12 * size


def test_mechanical_work_becomes_kinetic_energy():
    """Of a lossless spin-up: ∫T·w dt = ½·(J + Jload)·w², to the order of the step; losses are in the copper."""
    outside = 5e-5
    tm = R * (J + outside) / (KT * KE)
    run = run_for(RESISTIVE, be.Inertia(inertia=outside), VOLTS, 3 * tm)
    energy = {name: values[-1] for name, values in run.energy().items()}
    kinetic = 0.5 * (J + outside) * run["velocity"][-1] ** 2
    assert energy["mechanical"] == pytest.approx(kinetic, rel=3 * run.dt / tm * 2)
    lost = energy["copper"] + energy["conversion"]
    assert energy["electrical"] + energy["numerical"] == pytest.approx(energy["mechanical"] + lost, rel=1e-12)


def test_implicit_steps_only_ever_lose_kinetic_energy():
    """J·(w1² - w0²)/2 = T·w1·dt - J·(w1 - w0)²/2: what a step misses, it takes and does not give."""
    run = be.simulate(RESISTIVE, be.Inertia(inertia=1e-4), be.commands.Sine(amplitude=12.0, frequency=5.0), 1.0, 1e-2)
    inertia = J + 1e-4
    kinetic = 0.5 * inertia * run["velocity"] ** 2
    jumps = np.diff(run["velocity"], prepend=0.0)
    work = np.cumsum(run["mechanical_power"]) * run.dt
    assert np.allclose(kinetic, work - np.cumsum(0.5 * inertia * jumps**2), rtol=1e-10, atol=1e-15)


def test_telemetry_of_one_step_fits_together():
    """v = R·i + Ke·w, T = Kt·i, P = v·i at every recorded step of a resistive motor."""
    run = be.simulate(RESISTIVE, FREE, VOLTS, 0.05, 1e-3, engine="numpy")
    assert np.allclose(run["voltage"], R * run["current"] + run["back_emf"], rtol=1e-12, atol=1e-12)
    assert np.allclose(run["back_emf"], KE * run["rotor_speed"], rtol=1e-12, atol=0)
    assert np.allclose(run["motor_torque"], KT * run["current"], rtol=1e-12, atol=0)
    assert np.allclose(run["electrical_power"], run["voltage"] * run["current"], rtol=1e-12, atol=0)
    assert np.allclose(run["copper_power"], R * run["current"] ** 2, rtol=1e-12, atol=0)


def test_what_a_step_misses_of_its_laws_vanishes_with_the_step():
    """Quadratic drag acts with the coefficient of the start speed, a first-order error: half the step, half of it."""
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
        drag=be.Drag(coefficients=(1e-6, 5e-6)),
    )

    def final_error(dt: float) -> float:
        energy = be.simulate(motor, be.Inertia(1e-4), 12.0, 0.2, dt).energy()
        return abs(float(energy["numerical"][-1])) / float(energy["electrical"][-1])

    coarse, fine = final_error(2e-4), final_error(1e-4)
    assert 0 < fine < 1e-3
    assert coarse / fine == pytest.approx(2.0, rel=0.05)


def test_a_linear_motor_misses_nothing_of_its_laws():
    """Back-EMF and linear drag are solved for exactly, so nothing is left over at any step."""
    motor = be.Motor(
        winding=be.Winding(resistance=1.0, inductance=1e-3),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
        drag=be.Drag(coefficients=(1e-5,)),
    )
    for dt in (1e-4, 1e-2):
        energy = be.simulate(motor, be.Inertia(1e-4), 12.0, 1.0, dt).energy()
        assert abs(energy["numerical"]).max() < 1e-12 * energy["electrical"][-1]
