"""Servo firmware: what the numbers in the registers mean, against the makers' pages and measured PWM."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.actuator.firmware import DYNAMIXEL, FEETECH
from backemf.errors import ParameterError

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
PULSE = 2 * math.pi / 4096

X = [model for model in DYNAMIXEL if model.startswith(("2x", "x")) and model != "xl-320"]


def needs(folder: str) -> pytest.MarkDecorator:
    """Skip where the measurements are not on this machine."""
    return pytest.mark.skipif(
        not (DATA / folder).is_dir(),
        reason=f"needs {folder} of the shared measurements: BACKEMF_DATA names their folder",
    )


# --- as the makers print it


@pytest.mark.parametrize("model", [model for model in X if not model.startswith("xl330")] + ["mx-64-2.0", "mx-106-2.0"])
def test_the_gains_of_a_dynamixel_x(model):
    """P 800 at one pulse (2π/4096 rad) is 800/128 of the 885 PWM units; I and D count milliseconds."""
    it = be.DutyServo.dynamixel(model, 800, 100, 400, pwm_limit=442, current_limit=2.3)
    assert it.kp * PULSE == pytest.approx(800 / 128 / 885)
    assert it.ki * PULSE * 1e-3 == pytest.approx(100 / 65536 / 885)
    assert it.kd * PULSE / 1e-3 == pytest.approx(400 / 16 / 885)
    assert it.pwm_limit == pytest.approx(442 / 885) and it.current_limit == 2.3


@pytest.mark.parametrize("model", ["xl330-m077", "xl330-m288"])
def test_the_p_gain_of_an_xl330_divides_by_256(model):
    """Half of what its page says: a pulse of error at P 800 is 800/256 PWM units."""
    assert be.DutyServo.dynamixel(model, 800).kp * PULSE == pytest.approx(800 / 256 / 885)


def test_registers_that_are_not_given_stand_as_delivered():
    """An XL430 comes with P 640 and D 4000, an XM430 with P 800 and no D."""
    assert be.DutyServo.dynamixel("xl430-w250") == be.DutyServo.dynamixel("xl430-w250", 640, 0, 4000, pwm_limit=885)
    assert be.DutyServo.dynamixel("xm430-w350") == be.DutyServo.dynamixel("xm430-w350", 800, 0, 0, pwm_limit=885)
    assert be.DutyServo.dynamixel("xm430-w350").ki == 0.0 and be.DutyServo.dynamixel("xm430-w350").kd == 0.0


@pytest.mark.parametrize("model", ["mx-64", "mx-106", "xl-320"])
def test_small_registers_keep_the_ratios_of_the_page(model):
    """Kp = P/8, Ki = I·1000/2048 [1/s] and Kd = D·4/1000 [s] act on one error."""
    it = be.DutyServo.dynamixel(model, 8, 2, 3)
    assert it.ki / it.kp == pytest.approx(2 * 1000 / 2048)
    assert it.kd / it.kp == pytest.approx(3 * 4 / 1000)


@pytest.mark.parametrize(
    "name", ["XL330-M288-T", "xl330-m288", "dynamixel-xl330-m288", "Dynamixel XL330-M288", "xl330m288"]
)
def test_a_model_has_many_spellings(name):
    """As printed, as in the catalogue, or without the hyphen."""
    assert be.DutyServo.dynamixel(name, 100) == be.DutyServo.dynamixel("xl330-m288", 100)


def test_mx_firmware_of_both_protocols():
    """P 850 of protocol 2.0 and P 32 of protocol 1.0 are nearly the same gain."""
    new, old = be.DutyServo.dynamixel("MX-106(2.0)"), be.DutyServo.dynamixel("MX-106")
    assert new.kp == pytest.approx(850 / 128 * 4096 / (2 * math.pi) / 885)
    assert 0.9 < new.kp / old.kp < 1.1
    assert old.pwm_limit == 0.9625


def test_feetech():
    """P 32 of an STS3215 is 5.3 of the duty per radian, at most 97 %."""
    it = be.DutyServo.feetech("STS3215")
    assert (it.kp, it.ki, it.kd, it.pwm_limit) == (pytest.approx(5.312), 0.0, 0.0, 0.97)
    assert be.DutyServo.feetech("feetech-sts3215", 16).kp == pytest.approx(it.kp / 2)


# --- what is refused

REFUSED = [
    (lambda: be.DutyServo.dynamixel(position_p_gain=800), "no model is given.*xl330-m288"),
    (lambda: be.DutyServo.dynamixel(800), "model = 800 is no name.*xl330-m288"),
    (lambda: be.DutyServo.dynamixel("xl9000"), "'xl9000' is not known: known are 2xc430-w250.*DutyServo\\(kp="),
    (lambda: be.DutyServo.dynamixel("ax-12a"), "compliance slopes"),
    (lambda: be.DutyServo.dynamixel("ph54-200-s500-r"), "does not print"),
    (lambda: be.DutyServo.dynamixel("mx-28"), "mx-28-2.0"),
    (lambda: be.DutyServo.dynamixel("xm430-w350", 20000), "position_p_gain = 20000: the register takes 0 to 16383"),
    (lambda: be.DutyServo.dynamixel("mx-64", 800), "position_p_gain = 800: the register takes 0 to 254"),
    (lambda: be.DutyServo.dynamixel("xm430-w350", pwm_limit=900), "pwm_limit = 900: the register takes 0 to 885"),
    (lambda: be.DutyServo.dynamixel("mx-64", pwm_limit=885), "pwm_limit = 885: this model has no such register"),
    (lambda: be.DutyServo.feetech("sts3250"), "'sts3250' is not known.*known are sts3215"),
    (lambda: be.DutyServo.feetech(), "no model is given"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_not_known_is_refused(call, message):
    """The error names the value and what is known."""
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("it", [*DYNAMIXEL.values(), *FEETECH.values()])
def test_every_model_says_where_its_conversion_comes_from(it):
    """And is delivered with gains that its registers take."""
    assert "emanual.robotis.com" in it.source or "github:" in it.source
    assert all(0 <= gain <= it.largest_gain for gain in it.gains) and 0 < it.largest_duty <= 1


# --- against measured PWM


def unsaturated_samples(log: dict) -> tuple[np.ndarray, np.ndarray]:
    """Position error [rad] and measured duty [1] of an XL330 log, where the joint is slow and the PWM below its limit.

    `load` is the PWM register as unsigned 16 bit. Position and PWM are read one after the other, so that a fast joint
    has moved on between them.
    """
    columns = {key: np.array([entry[key] for entry in log["entries"]], dtype=float) for key in log["entries"][0]}
    pwm = np.where(columns["load"] > 32767, columns["load"] - 65536, columns["load"]) / 885
    slow = (columns["torque_enable"] > 0) & (np.abs(columns["speed"]) < 1.0)
    free = slow & (np.abs(pwm) < 0.98) & (pwm != 0)
    return (columns["goal_position"] - columns["position"])[free], pwm[free]


@needs("xl330_pendulum")
@pytest.mark.parametrize("gain", [100, 400, 800])
def test_the_measured_pwm_of_an_xl330(gain):
    """The slope of measured duty over position error is the model's gain within 2 %."""
    logs = [json.loads(path.read_text()) for path in sorted((DATA / "xl330_pendulum").glob("*.json"))]
    pairs = [unsaturated_samples(log) for log in logs if log["kp"] == gain]
    assert len(pairs) == 4
    error, duty = (np.concatenate(columns) for columns in zip(*pairs, strict=True))
    slope = float(error @ duty / (error @ error))
    assert error.size > 1000
    assert slope == pytest.approx(be.DutyServo.dynamixel("xl330-m288", gain).kp, rel=0.02)


@needs("mx_free_speed")
@pytest.mark.parametrize("model", ["mx-64", "mx-106"])
def test_the_measured_pwm_of_an_mx(model):
    """Pulse widths on an oscilloscope, for P 5, 10 and 16, over the position error: the gain within 2 %."""
    log = json.loads((DATA / "mx_free_speed" / f"pwm_{model.replace('-', '')}.json").read_text())
    gain = be.DutyServo.dynamixel(model, 1).kp
    expected = np.array([gain * s["kp"] * math.radians(s["position"] - s["target"]) for s in log["samples"]])
    duty = np.array([s["period"] / log["pwm_period"] for s in log["samples"]])
    assert float(expected @ duty / (expected @ expected)) == pytest.approx(1.0, rel=0.02)
