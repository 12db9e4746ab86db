"""The thermistor: its lag, and the phase of a stalled motor that it sits in."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.actuator.compiled import laws
from backemf.motorfile import dumps, loads
from backemf.parts import without_neutral
from backemf.physics.thermistor import sensor_rise_after, uneven_heat

PHASE = be.PhaseHeat(pole_pairs=7.0, modulation=0.6, phase=0.4)
SENSOR = be.Thermistor(time_constant=1.5, phase_heat=PHASE)
ONE_NODE = be.Thermal(resistance=5.0, capacitance=4.0, ambient=20.0)
DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "embir_dyno"


def motor(thermistor=SENSOR, thermal=ONE_NODE) -> be.Motor:
    """A motor whose resistance does not change with its temperature, so that its heat is constant."""
    return be.Motor(
        winding=be.Winding(resistance=2.0, temperature_coefficient=0.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
        thermal=thermal,
        thermistor=thermistor,
    )


def stall(kind, volts, angle, seconds, dt=0.05):
    """Outputs of a joint that is held at an angle."""
    step = kind.compile("numpy")
    state, seen = step.initial(), []
    for _ in range(round(seconds / dt)):
        state, out = step(state, volts, angle, 0.0, dt)
        seen.append(out)
    return seen


def test_lag_behind_a_winding_that_warms_up():
    """Tw = P·R·(1 - e^(-t/T)), and the sensor's P·R·(1 - (T·e^(-t/T) - s·e^(-t/s))/(T - s)), T = 20 s, s = 1.5 s."""
    seen = stall(motor(replace(SENSOR, phase_heat=None)), 4.0, 0.0, 12.0, dt=0.01)
    t, long, short, top = 12.0, 20.0, 1.5, 4.0 * 4.0 / 2.0 * 5.0
    assert seen[-1].winding_temperature == pytest.approx(20.0 + top * (1.0 - np.exp(-t / long)), rel=1e-12)
    expected = top * (1.0 - (long * np.exp(-t / long) - short * np.exp(-t / short)) / (long - short))
    assert seen[-1].measured_temperature == pytest.approx(20.0 + expected, rel=1e-6)


def test_lag_of_one_time_constant():
    """After one time constant beside hot copper, 1 - 1/e of the way is done, in one step or in a thousand."""
    once = sensor_rise_after(0.0, 30.0, 30.0, 1.5, SENSOR)
    assert once == pytest.approx(30.0 * (1.0 - np.exp(-1.0)), rel=1e-14)
    rise = 0.0
    for _ in range(1000):
        rise = sensor_rise_after(rise, 30.0, 30.0, 1.5e-3, SENSOR)
    assert rise == pytest.approx(once, rel=1e-12)


def test_a_stalled_phase_warms_by_its_share():
    """In the end the phase is P·R·(1 - m·cos(2·p·θ + φ)) above ambient, since it cools as the winding does."""
    angle, top = 0.37, 4.0 * 4.0 / 2.0 * 5.0
    last = stall(motor(), 4.0, angle, 400.0, dt=0.5)[-1]
    share = 1.0 - 0.6 * np.cos(2.0 * 7.0 * angle + 0.4)
    assert last.winding_temperature == pytest.approx(20.0 + top, rel=1e-8)
    assert last.measured_temperature == pytest.approx(20.0 + top * share, rel=1e-8)


def test_exchange_between_phases_evens_them_out():
    """With an exchange as large as the cooling, 1/R, half of the difference is left."""
    angle, top = 0.37, 4.0 * 4.0 / 2.0 * 5.0
    exchanging = motor(replace(SENSOR, phase_heat=replace(PHASE, exchange=1.0 / 5.0)))
    last = stall(exchanging, 4.0, angle, 400.0, dt=0.5)[-1]
    assert last.measured_temperature == pytest.approx(20.0 + top * (1.0 - 0.3 * np.cos(14.0 * angle + 0.4)), rel=1e-8)


def test_all_phases_together_have_the_heat_of_the_winding():
    """Three phases a third of a turn apart: cos(2θe + φ) over 0°, 120° and 240° adds up to nothing."""
    turns = 2.0 * np.pi * np.arange(3) / 3.0
    heats = [uneven_heat(8.0, 0.37, 0.0, 1e-3, replace(PHASE, phase=0.4 + turn)) for turn in turns]
    assert abs(sum(heats)) <= 1e-14 and max(map(abs, heats)) > 1.0


def test_heat_of_a_turning_rotor_is_its_mean_over_the_step():
    """-m·P·cos(2·p·θ + φ), averaged over 1e5 points of the way."""
    for speed in (0.01, 3.0, 200.0):
        dt, angle = 0.02, 0.3
        way = angle + speed * dt * (np.arange(100_000) + 0.5) / 100_000
        mean = -0.6 * 8.0 * np.mean(np.cos(14.0 * way + 0.4))
        assert uneven_heat(8.0, angle, speed, dt, PHASE) == pytest.approx(mean, abs=1e-7)


def test_the_phase_that_is_hottest_turns_with_the_rotor():
    """Behind a gear of -3 the rotor's angle is -3·q."""
    geared = replace(motor(), gearbox=be.Gearbox(stages=(be.Stage(ratio=-3.0),)))
    one, other = stall(motor(), 4.0, -0.6, 5.0)[-1], stall(geared, 4.0, 0.2, 5.0)[-1]
    assert other.measured_temperature == pytest.approx(one.measured_temperature, rel=1e-12)


def test_no_colder_than_ambient():
    """The coldest phase of a winding that cools down: never below the surroundings, whatever the step."""
    step = motor(be.Thermistor(phase_heat=replace(PHASE, modulation=1.0, phase=0.0))).compile("numpy")
    for dt in (0.01, 1.0, 30.0):
        state = step.initial()
        for volts in (4.0,) * 60 + (0.0,) * 60:
            state, out = step(state, volts, 0.0, 0.0, dt)
            assert out.measured_temperature >= 20.0 - 1e-9


def test_nothing_else_depends_on_it():
    """Torque, current and the winding's own temperature are those of a motor without a thermistor."""
    with_it, without = (stall(kind, 4.0, 0.2, 5.0)[-1] for kind in (motor(), motor(None)))
    assert without.measured_temperature is None
    for name in ("torque", "current", "winding_temperature", "copper_power"):
        assert getattr(with_it, name) == getattr(without, name)


def test_a_run_that_starts_warm():
    """The sensor starts as warm as the winding, unless it is said otherwise."""
    for initial, warm in (({"winding_rise": 60.0}, 60.0), ({"winding_rise": 60.0, "sensor_rise": 10.0}, 10.0)):
        run = be.simulate(motor(), be.LockedRotor(), 0.0, 1e-3, 1e-3, initial=initial, engine="numpy")
        assert run["measured_temperature"][0] == pytest.approx(20.0 + warm, abs=0.1)
        assert run.unit("measured_temperature") == "degC"
    step = motor().compile("numpy")
    assert step.initial(winding_rise=60.0).sensor_rise == 60.0


def test_file_and_bad_values():
    """The same thermistor comes back from a file; without heat there is nothing to measure."""
    assert loads(dumps(be.Actuator(motor()))).motor.thermistor == SENSOR
    with pytest.raises(be.ParameterError, match=r"Motor\.thermal is None: give a thermal model"):
        motor(thermal=None)
    with pytest.raises(be.ParameterError, match=r"PhaseHeat\.modulation = 1\.2: must be a finite number at most 1"):
        replace(PHASE, modulation=1.2)


# --- a measured motor


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the dynamometer run of shared/data/embir_dyno is not here")
def test_winding_temperature_of_a_stalled_motor_on_a_dynamometer():
    """Fitted on the first 60 % of the run, the rest is within 2.5 K RMS; without the phases it is not."""
    from scipy.optimize import least_squares

    table = np.genfromtxt(DATA / "stall_and_heat_20Hz.csv", delimiter=",", skip_header=1)
    time, angle, speed, amperes, measured = table[:, 0], table[:, 1], table[:, 2], table[:, 8], table[:, 6]
    law, ambient, train = laws("python"), float(measured[0]), int(0.6 * len(time))
    dt = float(np.mean(np.diff(time)))

    def predicted(x, modulation):
        # only ratios of heat, resistances and capacitances are seen: the winding's resistance is that of its data sheet
        resistance, capacitance, housing, lag, phase = *np.exp(x[:4]), x[4]
        kind = be.Motor(
            winding=be.Winding(resistance=0.19),
            magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
            thermal=be.TwoNodeThermal(
                winding_resistance=resistance, winding_capacitance=capacitance, housing_resistance=3.0,
                housing_capacitance=housing, ambient=ambient,
            ),
            thermistor=be.Thermistor(
                time_constant=lag,
                phase_heat=be.PhaseHeat(pole_pairs=7.0, modulation=modulation(x), phase=phase),
            ),
        )  # fmt: skip
        actuator = without_neutral(be.Actuator(kind, controller=be.Torque(current_bandwidth=1e6), meter=False))
        state, seen = be.State(current=0.0, winding_rise=0.0, housing_rise=0.0, phase_rise=0.0, sensor_rise=0.0), []
        for q, v, i in zip(angle.tolist(), speed.tolist(), amperes.tolist(), strict=True):
            state, out = law.held(actuator, state, 0.1 * i, q, v, dt)
            seen.append(out.measured_temperature)
        return np.array(seen)

    def rms(modulation, start):
        def residual(x):
            return predicted(x, modulation)[:train] - measured[:train]

        found = least_squares(residual, start, loss="soft_l1", f_scale=2.0, max_nfev=8).x
        return np.sqrt(np.mean((predicted(found, modulation)[train:] - measured[train:]) ** 2))

    start = [*np.log([6.0, 3.0, 300.0, 1.3]), -0.6, 0.4]
    assert rms(lambda x: float(np.clip(x[5], 0.0, 1.0)), start) < 2.5
    assert rms(lambda x: 0.0, start) > 4.0
