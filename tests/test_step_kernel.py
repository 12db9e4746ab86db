"""Predictions of logs: the machine code against `simulate`, and its derivatives against small differences."""

from dataclasses import replace

import numpy as np
import pytest
from identify_rigs import TRUTH, pendulum_logs, pendulum_rig

import backemf as be
from backemf.identify.bench import Bench, bench_of, stack, values_of
from backemf.identify.predict import Predictor
from backemf.identify.rig_parts import MeasuredMotion, Sensor
from backemf.identify.trials import Trials, make_trials

STEPS, DT = 400, 1e-3


def closed_loop(
    motor: be.Motor, load: be.Pendulum | be.Inertia | be.TwoMass, **more: object
) -> tuple[Bench, Trials, be.Rig]:
    """A position loop in volts that follows a sine for 0.4 s."""
    rig = be.Rig(load, firmware=be.PositionPid(kp=20.0, ki=10.0, kd=0.2), supply=be.Supply(voltage=12.0), **more)
    time = DT * np.arange(STEPS + 1)
    target = 0.8 * np.sin(9.0 * (time + 0.5 * DT))
    log = be.Log.from_arrays(time, {"position_command": target, "position": 0.0 * time, "velocity": 0.0 * time})
    actuator = replace(be.Actuator(motor), meter=False)
    return stack([bench_of(actuator, rig, log)]), make_trials([log], rig, rig.actuator_for(actuator, log), dt=DT), rig


WARM = be.TwoNodeThermal(
    winding_resistance=5.0, winding_capacitance=0.5, housing_resistance=20.0, housing_capacitance=20.0
)
DRIVES = {
    "friction by load": (TRUTH, be.Pendulum(mass=0.3, length=0.1)),
    "current, heat and bristles": (
        replace(
            TRUTH,
            winding=be.Winding(resistance=3.4, inductance=3e-3),
            friction=be.LuGre(coulomb=0.02, stiction=0.03, stribeck_velocity=0.1, stiffness=20.0),
            thermal=WARM,
        ),
        be.Inertia(2e-3),
    ),
    "two masses": (TRUTH, be.TwoMass(inertia=1e-3, far_inertia=2e-3, stiffness=5.0, damping=0.01)),
    "gears with backlash": (
        replace(TRUTH, gearbox=be.Gearbox(stages=(be.Stage(ratio=2.0, efficiency=0.9),), backlash=0.01)),
        be.Inertia(4e-3),
    ),
}


@pytest.mark.parametrize("name", DRIVES)
def test_a_prediction_is_what_simulate_gives(name: str):
    """Every step of the machine code is that of the reference, to rounding."""
    bench, trials, _ = closed_loop(*DRIVES[name])
    seen = Predictor(bench, trials, ()).predict(np.zeros((0, 1, 1)))
    target = 0.8 * np.sin(9.0 * (DT * np.arange(STEPS) + 0.5 * DT))
    run = be.simulate(bench.actuator, bench.load, be.commands.Samples(target), STEPS * DT, DT, engine="numpy")
    for channel, rows in zip(("position", "velocity"), seen, strict=True):
        assert np.abs(rows[0, 0, 1:] - run[channel]).max() <= 1e-9 * np.abs(run[channel]).max()


@pytest.mark.parametrize("name", DRIVES)
def test_derivatives_are_those_of_small_differences(name: str):
    """By resistance, constants, inertia and friction, at every sample."""
    bench, trials, _ = closed_loop(*DRIVES[name])
    names = ["winding.resistance", "magnet.torque_constant", "magnet.back_emf_constant", "rotor.inertia"]
    names = [f"actuator.motor.{each}" for each in (*names, "friction.coulomb")]
    compare_with_differences(Predictor(bench, trials, names), values_of(bench, names, 1)[:, None, :])


def test_derivatives_by_sensors_and_by_the_lag_of_commands():
    """Lag, time constant, gain and bias of a sensor, the bias of the position in the loop, and a late command."""
    sensors = {"velocity": Sensor(lag=4e-3, time_constant=6e-3), "position": Sensor(bias=0.05)}
    bench, trials, _ = closed_loop(TRUTH, be.Pendulum(mass=0.3, length=0.1), sensors=sensors)
    names = [f"sensors.velocity.{each}" for each in ("lag", "time_constant", "gain", "bias")]
    names += ["sensors.position.bias", "sensors.position.gain", "command.lag", "load.mass", "actuator.supply.voltage"]
    values = values_of(bench, names, 1)[:, None, :]
    # off the corners of straight pieces
    values[names.index("command.lag")] = 2.3e-3
    values[names.index("sensors.velocity.lag")] = 4.3e-3
    compare_with_differences(Predictor(bench, trials, names), values)


def compare_with_differences(predictor: Predictor, values: np.ndarray) -> None:
    """Each derivative against (f(x + h) - f(x - h))/2h; dry friction has corners that a few samples may pass."""
    _, slopes = predictor.linearise(values)
    for k, name in enumerate(predictor.names):
        h = 1e-6 * max(abs(float(values[k, 0, 0])), 1e-2)
        ends = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[k] += sign * h
            ends.append(predictor.predict(moved))
        for ahead, behind, slope in zip(*ends, slopes, strict=True):
            difference = (ahead - behind)[0, 0] / (2.0 * h)
            size = np.abs(difference).max()
            assert np.quantile(np.abs(slope[0, 0, :, k] - difference), 0.95) <= 1e-4 * max(size, 1e-9), name


def test_a_measured_current_drives_the_torque_along_a_measured_motion():
    """With a current loop the torque is Kt·i less friction, and temperatures follow the copper loss."""
    time = 0.01 * np.arange(200)
    current = 2.0 + np.sin(3.0 * time)
    log = be.Log.from_arrays(
        time,
        {"position": 0.1 * time, "current": current, "torque": 0.0 * time, "winding_temperature": 25.0 + 0.0 * time},
    )
    rig = be.Rig(MeasuredMotion())
    motor = replace(TRUTH, friction=None, thermal=WARM, winding=be.Winding(resistance=1.0, temperature_coefficient=0.0))
    actuator = be.Actuator(motor, controller=be.Torque(current_bandwidth=1e6), meter=False)
    trials = make_trials([log], rig, rig.actuator_for(actuator, log))
    bench = stack([bench_of(actuator, rig, log)])
    torque, warm = Predictor(bench, trials, ()).predict(np.zeros((0, 1, 1)))
    assert torque[0, 0, 5:-5] == pytest.approx(0.35 * current[5:-5], rel=2e-3)
    # C1·dT1/dt = R·i² - (T1 - T2)/R1 and C2·dT2/dt = (T1 - T2)/R1 - T2/R2, above ambient
    copper = housing = 0.0
    fine = np.arange(0.0, time[-1], 1e-4)
    for amperes in np.interp(fine, time, current):
        flow = (copper - housing) / 5.0
        copper, housing = copper + 1e-4 * (amperes**2 - flow) / 0.5, housing + 1e-4 * (flow - housing / 20.0) / 20.0
    assert warm[0, 0, -1] - 25.0 == pytest.approx(copper, rel=5e-3)


def test_lanes_and_candidates_do_not_see_each_other():
    """Logs predicted together are, bit for bit, those predicted alone."""
    rig, logs = pendulum_rig(), pendulum_logs(seconds=0.5)
    actuator = replace(be.Actuator(TRUTH), meter=False)
    names = ["actuator.motor.winding.resistance", "load.mass"]

    def predict(chosen: list[be.Log], candidates: int) -> np.ndarray:
        trials = make_trials(chosen, rig, rig.actuator_for(actuator, chosen[0]), dt=DT)
        bench = stack([bench_of(actuator, rig, log) for log in chosen])
        values = values_of(bench, names, len(chosen))[:, None, :].repeat(candidates, axis=1)
        values[0] *= (1.0 + 0.1 * np.arange(candidates))[:, None]
        return Predictor(bench, trials, names).predict(values)[0]

    together = predict(logs, 3)
    for k, log in enumerate(logs):
        alone = predict([log], 3)
        assert np.array_equal(together[:, k, : alone.shape[2]], alone[:, 0])
