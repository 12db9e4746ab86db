"""What a log says about itself: units by encoder and gravity, zeros that nobody measured, outliers, standstill."""

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.errors import ParameterError
from backemf.identify.unmeasured import unmeasured

TIME = np.arange(0.0, 20.0, 0.02)
NOISE = np.random.default_rng(0).normal(size=(2, len(TIME)))
WAVE = np.sin(0.7 * TIME) + 0.3 * np.sin(1.9 * TIME)
ARM = be.Pendulum(mass=0.5, length=0.1)
RIG = be.Rig(ARM, firmware=be.DutyServo(kp=2.0), supply=be.Supply(voltage=7.4))
SERVO = be.Motor(
    winding=be.Winding(resistance=3.4),
    magnet=be.Magnet(torque_constant=0.35, back_emf_constant=0.35),
    rotor=be.Rotor(inertia=1.8e-3),
    friction=be.LoadDependent(coulomb=0.03, viscous=0.01),
    ratings=be.Ratings(voltage=7.4),
)


def swing(factor=1.0, gravity=0.2, **more):
    """A slow motion under P control: the error holds the weight, and friction against it; `factor` is the unit."""
    position = WAVE + 1e-4 * NOISE[0]
    error = gravity * np.sin(WAVE) + 0.02 * np.sign(np.gradient(WAVE)) + 1e-4 * NOISE[1]
    channels = {"position_command": factor * (position + error), "position": factor * position}
    # so slow that no speed gives the unit away
    return be.Log.from_arrays(8.0 * TIME, channels | more)


def causes(log, *given, severity=None):
    return [found.cause for found in log.check(*given) if severity in (None, found.severity)]


# --- degrees


def test_gravity_tells_degrees_from_radians():
    """Command and position are both in degrees and agree with each other: only the weight says which they are."""
    assert causes(swing(), None, RIG, severity="error") == []
    (said,) = [f for f in swing(180.0 / np.pi).check(None, RIG) if f.severity == "error"]
    assert said.cause == "deg-as-si" and 'units={"position": "deg", "position_command": "deg"}' in said.explanation
    with pytest.raises(ParameterError, match="identify: log: position: the error of the position follows the weight"):
        be.identify(swing(180.0 / np.pi), SERVO, rig=RIG)


def test_a_joint_without_weight_gets_a_warning():
    """A wheel may go over many turns, so that degrees are only a guess."""
    assert "turns" in causes(swing(180.0 / np.pi, gravity=0.0), severity="warning")
    assert causes(swing(gravity=0.0), severity="warning") == []


def test_radians_under_a_heading_in_degrees_move_little():
    assert "small" in causes(swing(np.pi / 180.0), severity="info")


@pytest.mark.parametrize(("turn", "unit"), [(360.0, "deg"), (1.0, "rev")])
def test_steps_of_an_encoder_tell_the_unit(turn, unit):
    """All values are multiples of a turn over 4096."""
    step = turn / 4096
    position = np.round(turn * WAVE / (2.0 * np.pi) / step) * step
    log = be.Log.from_arrays(TIME, {"position": position})
    assert causes(log, severity="error") == [f"{unit}-as-si"]
    right = be.Log.from_arrays(TIME, {"position": np.round(WAVE / 1.5e-3) * 1.5e-3})
    assert causes(right, severity="error") == []


def test_whole_numbers_are_counts():
    counts = be.Log.from_arrays(TIME, {"position": np.round(2048.0 + 600.0 * WAVE)})
    assert causes(counts, severity="error") == ["counts-as-si"]
    amperes = be.Log.from_arrays(TIME, {"current": np.round(300.0 * WAVE)})
    assert causes(amperes, severity="warning") == ["counts-as-si"]


def test_a_position_in_turns_is_far_from_its_command():
    log = be.Log.from_arrays(TIME, {"position_command": WAVE, "position": WAVE / (2.0 * np.pi) + 1e-4 * NOISE[0]})
    assert causes(log, severity="error") == ["rev-as-si"]


# --- the weight


@pytest.mark.parametrize(("mass", "wrong"), [(0.5, False), (500.0, True)])
def test_a_weight_that_no_torque_holds_is_in_another_unit(mass, wrong):
    """R, Kt and 7.4 V give 0.76 N·m at stall; 0.5 kg at 0.1 m need 0.49 N·m, and 500 kg a thousand times that."""
    rig = be.Rig(be.Pendulum(mass=mass, length=0.1), firmware=be.DutyServo(kp=2.0), supply=be.Supply(voltage=7.4))
    assert ("load.mass" in [f.figure for f in swing().check(SERVO, rig) if f.severity == "error"]) == wrong


# --- samples


def test_zeros_of_a_sensor_that_is_not_there_are_found():
    log = swing(torque=0.0 * TIME, current=0.1 * WAVE)
    assert unmeasured(log) == ("torque",)
    assert "zero" in causes(log, severity="warning")


def test_zeros_that_may_be_true_are_none():
    """A rotor that is held, a drive that is off, and one that is asked for nothing."""
    held = be.Log.from_arrays(TIME, {"velocity": 0.0 * TIME, "current": WAVE})
    off = be.Log.from_arrays(TIME, {"velocity": 5.0 - 0.2 * TIME, "current": 0.0 * TIME, "enable": 0.0 * TIME})
    idle = be.Log.from_arrays(TIME, {"velocity": 5.0 - 0.2 * TIME, "current": 0.0 * TIME, "duty_command": 0.0 * TIME})
    assert [unmeasured(log) for log in (held, off, idle)] == [(), (), ()]


def test_one_outlier_is_found_and_motion_is_none():
    position = np.array(WAVE)
    position[400] = 3.0
    found = [f for f in be.Log.from_arrays(TIME, {"position": position}).check() if f.cause == "outlier"]
    assert len(found) == 1 and "t = 8 s" in found[0].explanation
    steps = np.where(TIME % 4.0 < 2.0, 0.0, 1.0)
    for calm in (WAVE, steps, np.round(20.0 + 0.2 * WAVE + 0.1 * NOISE[0])):
        assert "outlier" not in causes(be.Log.from_arrays(TIME, {"position": calm}))


def test_a_position_that_stays_and_a_few_rows_are_no_clean_log():
    stays = be.Log.from_arrays(TIME, {"position_command": WAVE, "position": 0.0 * TIME + 0.2})
    assert {"stays", "standstill"} <= set(causes(stays))
    few = be.Log.from_arrays(TIME[:3], {"position": WAVE[:3]})
    assert causes(few) == ["few"]


# --- fits


WHEEL = be.Rig(be.Inertia(inertia=2e-4))
HUB = be.Motor(
    winding=be.Winding(resistance=1.0),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-4),
    friction=be.LoadDependent(coulomb=0.005, viscous=1e-5),
)


def coast(**more):
    """A wheel of 3e-4 kg·m² that 0.01 N·m + 3e-5 N·m·s/rad slow down: w = (w0 + a/b)·exp(-b·t/J) - a/b."""
    time = np.arange(0.0, 3.0, 0.01)
    ratio = 0.01 / 3e-5
    speed = (200.0 + ratio) * np.exp(-3e-5 / 3e-4 * time) - ratio
    return be.Log.from_arrays(time, {"velocity": speed} | {name: x + 0.0 * time for name, x in more.items()})


def test_a_coast_down_needs_no_command():
    fit = be.identify(coast(enable=0.0), HUB, rig=WHEEL, free=["friction.coulomb", "friction.viscous"])
    found = fit.actuator.motor.friction
    assert found.coulomb == pytest.approx(0.01, rel=0.02) and found.viscous == pytest.approx(3e-5, rel=0.05)


def test_a_duty_without_a_voltage_is_one_sentence():
    with pytest.raises(ParameterError, match=r"nothing says of which voltage: give the rig a \[supply\]"):
        be.identify(coast(duty_command=0.1), HUB, rig=WHEEL)


def test_a_torque_of_zeros_does_not_spoil_a_fit():
    """As drivers write it where no torque is measured: the fit is that without the channel, and a note says so."""
    time = np.arange(0.0, 1.0, 0.01)
    # J·dw/dt = Kt·v/R - coulomb - (Kt·Ke/R + viscous)·w at 5 V, from rest
    pull, drag = 0.05 * 5.0 - 0.005, 0.05 * 0.05 + 5e-5
    speed = pull / drag * (1.0 - np.exp(-drag / 3e-4 * time))
    channels = {"velocity": speed, "torque": 0.0 * time, "voltage_command": 5.0 + 0.0 * time}
    fit = be.identify(be.Log.from_arrays(time, channels), HUB, rig=WHEEL, free=["friction.viscous"])
    assert {error.channel for error in fit.errors} == {"velocity"}
    assert fit.actuator.motor.friction.viscous == pytest.approx(5e-5, rel=0.05)
    assert any("torque is not compared: it is 0 throughout" in note for note in fit.notes)


def test_a_constant_torque_does_not_tell_kt_exactly(tmp_path):
    """A channel that never changes does not show its noise: Kt is not known to the last digit."""
    time = np.arange(0.0, 60.0, 0.5)
    warm = 22.0 + 40.0 * (1.0 - np.exp(-time / 30.0)) + 0.1 * NOISE[0, : len(time)]
    channels = {"current": 6.0 + 0.0 * time, "torque": 0.6 + 0.0 * time, "winding_temperature": warm}
    motor = be.Motor(winding=be.Winding(resistance=0.2), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1))
    fit = be.identify(be.Log.from_arrays(time, channels), motor, rig=be.Rig(be.LockedRotor()))
    (kt,) = [each for each in fit.parameters if each.name == "motor.magnet"]
    assert 0.005 < kt.high / kt.low - 1.0 < 1.0
    assert not any(found.figure == "torque" for found in fit.findings)
    assert fit.error("torque", held_out=False) == 0.0
    page = fit.report(tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "mean absolute error of the winding temperature" in page and "Better than the fit" not in page


# --- sides and signs


def test_the_motor_side_of_a_gear_is_told_from_degrees():
    """A ratio of 50 is near the 57.3 of degrees: the nearer one is named, with what one radian of the shaft is."""
    geared = replace(SERVO, gearbox=be.Gearbox(stages=(be.Stage(ratio=50.0),)))
    log = be.Log.from_arrays(TIME, {"position_command": WAVE, "position": 49.5 * WAVE})
    (said,) = [f for f in log.check(geared) if f.severity == "error"]
    assert said.cause == "motor-side" and 'units={"position": "0.02 rad"}' in said.explanation
    degrees = be.Log.from_arrays(TIME, {"position_command": WAVE, "position": 57.0 * WAVE})
    assert causes(degrees, geared, severity="error") == ["deg-as-si"]


def test_a_torque_of_the_brake_has_the_wrong_sign():
    """What a dynamometer holds against the motor."""
    current = 2.0 + WAVE
    for sign, wrong in ((1.0, []), (-1.0, ["sign"])):
        log = be.Log.from_arrays(TIME, {"current": current, "torque": sign * 0.1 * current + 1e-3 * NOISE[0]})
        assert causes(log, severity="error") == wrong


@pytest.mark.parametrize(("volts", "severity"), [(7.4, None), (12.0, "warning"), (7400.0, "error")])
def test_a_supply_of_another_size_is_found(volts, severity):
    """Against the motor's rated 7.4 V, and against what the log has."""
    rig = replace(RIG, supply=be.Supply(voltage=volts))
    found = [f.severity for f in swing(bus_voltage=7.3 + 0.0 * TIME).check(SERVO, rig) if f.figure == "supply.voltage"]
    assert found == ([severity] if severity else [])
    if severity == "error":
        with pytest.raises(
            ParameterError, match=r"supply\.voltage: 7400 V in the rig, 1e\+03 times the motor's rated 7\.4 V"
        ):
            be.compare(swing(), SERVO, rig)


def test_a_current_that_has_lost_its_sign_is_found():
    """Drivers log the size of a current; with its sign, or with a duty of one sign, nothing is said."""
    duty = 0.5 * np.sin(0.7 * TIME)
    for current, push, wrong in (
        (np.abs(3.0 * duty + 0.01 * NOISE[0]), duty, ["unsigned"]),
        (3.0 * duty + 0.01 * NOISE[0], duty, []),
        (np.abs(3.0 * duty), np.abs(duty), []),
    ):
        log = be.Log.from_arrays(TIME, {"duty": push, "current": current})
        assert causes(log, severity="error") == wrong
