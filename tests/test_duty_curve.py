"""The curve of the bridge: from duty to volts, odd, rising, and no source of energy."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.actuator.duty_curve import shaped_duty
from backemf.motorfile import dumps, loads

CURVE = be.DutyCurve(saturation=0.6)
TABLE = be.DutyTable(shares=(0.5, 0.8, 0.9, 0.95))
BOTH = pytest.mark.parametrize("curve", [CURVE, TABLE], ids=lambda curve: type(curve).__name__)
MOTOR = be.Motor(
    winding=be.Winding(resistance=2.0),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
)
DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "xl330_pendulum"


def fed(curve, controller=None, **supply) -> be.Actuator:
    return be.Actuator(MOTOR, be.Supply(voltage=10.0, curve=curve, **supply), controller)


def held(actuator, command, velocity=0.0):
    step = actuator.compile("numpy")
    return step(step.initial(np.shape(command)), command, 0.0, velocity, 1e-3)[1]


def test_shares_of_the_curve():
    """d·1.6/(1 + 0.6·|d|): 0 at 0, 0.5·1.6/1.3 at a half, all at 1, and the same backwards."""
    duty = np.array([0.0, 0.5, 1.0, -0.5, -1.0])
    share, slope, steepest = shaped_duty(duty, CURVE)
    assert share == pytest.approx([0.0, 0.8 / 1.3, 1.0, -0.8 / 1.3, -1.0], rel=1e-15)
    assert slope == pytest.approx([1.6, 1.6 / 1.69, 1.0 / 1.6, 1.6 / 1.69, 1.0 / 1.6], rel=1e-15)
    assert steepest == pytest.approx([1.6, 1.6, 1.6, 1.6, 1.6])


def test_shares_of_a_table():
    """Points at the duties 0.25, 0.5, 0.75 and 1; halfway between two it is their mean."""
    duty = np.array([0.0, 0.125, 0.25, 0.5, 0.625, 1.0, -0.625])
    share, slope, steepest = shaped_duty(duty, TABLE)
    assert share == pytest.approx([0.0, 0.25, 0.5, 0.8, 0.85, 0.95, -0.85], rel=1e-14)
    assert slope[[1, 4]] == pytest.approx([2.0, 0.4], rel=1e-13)
    assert steepest[[0, 1, 3]] == pytest.approx([2.0, 2.0, 1.3 / 0.75], rel=1e-13)


@BOTH
def test_it_rises_everywhere(curve):
    """Each duty gives more than a smaller one, also beyond full duty, and the slope is that of differences."""
    duty = np.linspace(-1.5, 1.5, 3001) + 1e-4
    share, slope, _ = shaped_duty(duty, curve)
    assert (np.diff(share) > 0.0).all()
    differences = (shaped_duty(duty + 1e-7, curve)[0] - shaped_duty(duty - 1e-7, curve)[0]) / 2e-7
    assert slope == pytest.approx(differences, rel=1e-5)


@pytest.mark.parametrize(
    "curve",
    [
        CURVE,
        TABLE,
        be.DutyCurve(saturation=9.0),
        be.DutyTable(shares=(0.02, 0.9, 0.95, 1.0)),
        be.DutyTable(shares=(0.7,)),
    ],
)
def test_no_chord_is_steeper_than_it_says(curve):
    """Between any two of 401 duties, and the bound is within twice the steepest of them."""
    duty = np.linspace(-2.0, 2.0, 401)
    share, _, bound = shaped_duty(duty, curve)
    with np.errstate(all="ignore"):
        chords = (share[:, None] - share) / (duty[:, None] - duty)
    steepest = np.nanmax(chords, axis=1)
    assert (steepest <= bound * (1.0 + 1e-12)).all()
    assert (bound <= 2.0 * steepest).all()


@BOTH
def test_stall_torque_follows_the_curve(curve):
    """Kt·V·share(d)/R at rest."""
    volts = np.array([-10.0, -2.5, 1.0, 5.0, 10.0])
    out = held(fed(curve), volts)
    share = shaped_duty(volts / 10.0, curve)[0]
    assert out.voltage == pytest.approx(10.0 * share, rel=1e-14)
    assert out.torque == pytest.approx(0.1 * 10.0 * share / 2.0, rel=1e-14)


@BOTH
def test_limits_act_on_the_duty(curve):
    """A modulation limit of 0.5 and a PWM limit of 0.25 end the duty, and the curve makes volts of it."""
    most = held(fed(curve, modulation_limit=0.5), np.array([9.0]))
    assert most.voltage == pytest.approx(10.0 * shaped_duty(np.array([0.5]), curve)[0], rel=1e-14)
    assert be.limit_names(most.limit[0]) == ["voltage"]
    servo = fed(curve, be.DutyServo(kp=1.0, pwm_limit=0.25), modulation_limit=0.5)
    assert held(servo, np.array([9.0])).voltage == pytest.approx(10.0 * shaped_duty(np.array([0.25]), curve)[0])
    assert servo.supply.largest_share == pytest.approx(float(shaped_duty(0.5, curve)[0]), rel=1e-15)


def test_a_current_loop_finds_its_duty():
    """What a loop asks for it gets, up to the largest share of the bus."""
    loop = fed(TABLE, be.Torque(current_bandwidth=1e9))
    assert held(loop, np.array([0.1])).torque == pytest.approx([0.1], rel=1e-12)
    assert held(loop, np.array([9.0])).voltage == pytest.approx([9.5], rel=1e-12)


@BOTH
def test_slopes_of_a_servo_are_those_of_differences(curve):
    """What a host steps implicitly with: torque over speed and over position."""
    step = fed(curve, be.DutyServo(kp=1.3, kd=0.05)).compile("numpy")

    def torque(q, v):
        return float(step(step.initial(), 0.4, q, v, 1e-3)[1].torque)

    out = step(step.initial(), 0.4, 0.1, 0.7, 1e-3)[1]
    assert out.torque_slope == pytest.approx(-(torque(0.1, 0.7 + 1e-6) - torque(0.1, 0.7 - 1e-6)) / 2e-6, rel=1e-6)
    assert out.torque_stiffness == pytest.approx(-(torque(0.1 + 1e-6, 0.7) - torque(0.1 - 1e-6, 0.7)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("curve", [be.DutyCurve(saturation=9.0), be.DutyTable(shares=(0.02, 0.9, 0.95, 1.0))])
@pytest.mark.parametrize("dt", [1e-3, 0.1, 1.0])
def test_a_stiff_loop_is_stable_at_any_step(curve, dt):
    """A velocity loop far stiffer than the step, on a curve that is ten times as steep at its steepest, settles."""
    step = fed(curve, be.VelocityPi(kp=1000.0)).compile("numpy")
    state, q, v = step.initial(), 0.0, 40.0
    for _ in range(100):
        state, out = step.coupled(state, 1.0, q, v, dt, load_inertia=1e-3)
        q, v = out.joint_position, out.joint_velocity
    assert v == pytest.approx(1.0, rel=1e-2)


@BOTH
def test_power_balances_on_a_battery_that_sags(curve):
    """What the battery gives is what the terminals take, and they share it as ever."""
    actuator = fed(curve, resistance=0.5)
    run = be.simulate(actuator, be.Inertia(inertia=1e-4), 6.0, 0.05, 1e-4, engine="numpy")
    energy = {name: values[-1] for name, values in run.energy().items()}
    given = energy.pop("electrical") + energy.pop("cogging") + energy.pop("numerical")
    assert sum(energy.values()) == pytest.approx(given, rel=1e-12)
    drawn = run["bus_voltage"] * run["bus_current"]
    assert drawn == pytest.approx(run["electrical_power"], rel=1e-9, abs=1e-12)


def test_without_saturation_it_is_a_straight_line():
    """A curve of 0 and no curve are the same, to rounding."""
    volts = np.linspace(-15.0, 15.0, 31)
    assert held(fed(be.DutyCurve(saturation=0.0)), volts).torque == pytest.approx(held(fed(None), volts).torque)


def test_files_words_and_bad_values():
    """Both come back from a file; a table that falls is one sentence."""
    for curve in (CURVE, TABLE):
        assert loads(dumps(fed(curve))).supply.curve == curve
    for shares, said in (((), "must be a tuple"), ((0.5, 0.4), r"shares\[1\] = 0.4"), ((0.5, 1.1), "at most 1")):
        with pytest.raises(be.ParameterError, match=said):
            be.DutyTable(shares=shares)
    done = be.export(fed(CURVE), "mujoco", "knee")
    loss = next(loss for loss in done.losses if loss.phenomenon == "duty curve")
    assert loss.status == "dropped" and "61.5 %" in loss.note


# --- a measured servo


@pytest.mark.skipif(not DATA.is_dir(), reason="the pendulum logs of shared/data/xl330_pendulum are not here")
def test_a_servo_that_lifts_slowly_follows_a_curve():
    """Load torque over duty of an XL330 falls as the duty rises: a curve leaves two thirds of what a line leaves."""
    from scipy.optimize import least_squares

    duty, torque, speed = slow_lifting()

    def rms(law, start):
        def left(x):
            return law(x) - x[0] * speed - abs(x[1]) - torque

        found = least_squares(left, start, loss="soft_l1", f_scale=0.01)
        return np.sqrt(np.mean(left(found.x) ** 2)), found.x

    straight, _ = rms(lambda x: x[2] * duty, [0.05, 0.01, 0.5])

    def curved(x):
        return x[2] * shaped_duty(duty, be.DutyCurve(saturation=max(x[3], 0.0)))[0]

    bent, found = rms(curved, [0.05, 0.01, 0.5, 0.5])
    assert bent < 0.7 * straight
    assert 0.3 < found[3] < 1.5


def slow_lifting():
    """Duty, torque of the weight and speed while the arm goes up between 0.1 and 1.5 rad/s, counted upwards."""
    columns = []
    for path in sorted(DATA.glob("*.json")):
        log = json.loads(path.read_text())
        if log["trajectory"] not in ("up_and_down", "sin_sin"):
            continue
        rows = [(row["timestamp"], row["position"], row["load"]) for row in log["entries"]]
        time, position, register = np.array(rows).T
        smooth = np.ones(15) / 15
        speed = np.convolve(np.gradient(position, time), smooth, "same")
        rate = np.convolve(np.gradient(speed, time), smooth, "same")
        duty = np.where(register > 32767, register - 65536, register) / 885
        torque = log["mass"] * log["length"] * (9.80665 * np.sin(position) + log["length"] * rate)
        up = np.sign(position)
        kept = (up * speed > 0.1) & (up * speed < 1.5) & (up * duty > 0.1) & (up * duty < 0.99)
        kept[:20] = kept[-20:] = False
        columns.append((up * np.array([duty, torque, speed]))[:, kept])
    return np.concatenate(columns, axis=1)
