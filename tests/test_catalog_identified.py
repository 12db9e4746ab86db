"""Servos that others identified: the motor made from a catalogue file has the torque and friction of the published fit,
by a restatement of the published formulas."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from backemf import catalog
from backemf.datasheet import Datasheet
from backemf.motor import LoadDependent, Motor
from backemf.physics.mechanics import friction_budget

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
PARAMS = DATA / "bam_published_params" / "bam" / "params"

IDENTIFIED = {
    "dynamixel-mx106-fit": "mx106/m6",
    "dynamixel-mx106-fit-m1": "mx106/m1",
    "dynamixel-mx64-fit": "mx64/m6",
    "dynamixel-mx64-fit-m1": "mx64/m1",
    "dynamixel-xl320-fit": "xl320/m6",
    "dynamixel-xl320-fit-m1": "xl320/m1",
    "dynamixel-xl330-fit": "xl330/m6",
    "dynamixel-xl330-fit-m1": "xl330/m1",
    "feetech-sts3215-12v-fit": None,
    "feetech-sts3215-7v4-fit": "feetech_sts3215_7_4V/m1",
    "zeroerr-erob80-100-fit": "erob80_100/m6",
    "zeroerr-erob80-50-fit": "erob80_50/m6",
}
"""The published file behind each entry; the fit at 12 V is published on another branch."""
DIGITS = 1e-5
"""The files of the catalogue have six digits."""

# as published, so that one fit is compared where the measurements are not at hand
MX106 = {
    "kt": 2.209828156174588,
    "R": 2.033661749312417,
    "armature": 0.026016184370993383,
    "friction_base": 1.0232526438525893e-05,
    "friction_stribeck": 0.12195409579603411,
    "load_friction_motor": 0.19800553725822115,
    "load_friction_external": 0.022215529897348624,
    "load_friction_motor_stribeck": 0.19859970173941574,
    "load_friction_external_stribeck": 0.08710328264676681,
    "load_friction_motor_quad": 0.009999930103371748,
    "load_friction_external_quad": 7.326919843140997e-05,
    "dtheta_stribeck": 1.7463251741328727,
    "alpha": 1.142827788004191,
    "friction_viscous": 0.05071566473605552,
}


def published_friction(p: dict, w: np.ndarray, tm: np.ndarray, te: np.ndarray) -> np.ndarray:
    """M1, or M6 where the file has its parameters: the largest friction torque, viscous part included [N·m]."""
    budget = p["friction_base"] + p["friction_viscous"] * np.abs(w)
    if "alpha" not in p:
        return budget
    fade = np.exp(-(np.abs(w / p["dtheta_stribeck"]) ** p["alpha"]))
    moving = np.abs(p["load_friction_external"] * te - p["load_friction_motor"] * tm)
    resting = np.abs(p["load_friction_external_stribeck"] * te - p["load_friction_motor_stribeck"] * tm)
    driving = (np.abs(te) < np.abs(tm)) * p["load_friction_external_quad"] * te**2
    driven = (np.abs(te) > np.abs(tm)) * p["load_friction_motor_quad"] * tm**2
    opposed = np.sign(te) != np.sign(tm)
    return budget + moving + fade * (p["friction_stribeck"] + resting + opposed * (driving + driven))


def states(seed: int, kt: float) -> tuple[np.ndarray, ...]:
    """Random speeds [rad/s], torques of the motor and of the load [N·m], of the servo's size."""
    rng = np.random.default_rng(seed)
    n = 500
    return rng.normal(size=n) * 3 + 0.01, rng.normal(size=n) * kt, rng.normal(size=n) * kt


def torque_of(motor: Motor, volts: np.ndarray, w: np.ndarray, te: np.ndarray) -> np.ndarray:
    """Torque on the joint in a step too short for the speed to change [N·m]."""
    step = motor.compile("numpy")
    _, out = step(step.initial(w.shape), volts, 0.0, w, 1e-9, te, 1.0)
    return out.torque


def assert_is_the_fit(sheet: Datasheet, p: dict, seed: int) -> None:
    motor = sheet.motor()
    w, tm, te = states(seed, p["kt"])
    assert motor.friction is not None and motor.rotor is not None
    own = 0.0 if motor.drag is None else motor.drag.coefficients[0] * np.abs(w)
    assert friction_budget(motor.friction, w, tm, te) + own == pytest.approx(
        published_friction(p, w, tm, te), rel=DIGITS
    )
    assert motor.rotor.inertia == pytest.approx(p["armature"], rel=DIGITS)
    # tm = kt·V/R - kt²·w/R, less the friction of a joint that slides
    volts = (tm + p["kt"] ** 2 * w / p["R"]) * p["R"] / p["kt"]
    expected = tm - np.sign(w) * published_friction(p, w, tm, te)
    assert torque_of(motor, volts, w, te) == pytest.approx(expected, rel=DIGITS, abs=3 * DIGITS * p["kt"])


def test_the_mx106_is_the_published_fit():
    """Friction and torque at 500 random speeds, voltages and loads."""
    assert_is_the_fit(Datasheet.load("dynamixel-mx106-fit"), MX106, seed=21)


@pytest.mark.skipif(not PARAMS.is_dir(), reason="no published servo parameters: BACKEMF_DATA names their folder")
@pytest.mark.parametrize(("id", "file"), [(id, file) for id, file in IDENTIFIED.items() if file is not None])
def test_every_entry_is_its_published_fit(id, file):
    """The same for every file."""
    p = json.loads((PARAMS / f"{file}.json").read_text())
    sheet = Datasheet.load(id)
    if "R" in p:
        assert_is_the_fit(sheet, p, seed=22)
        return
    # published without a resistance: friction alone, from the motor that the sheet would be with one
    with_resistance = Datasheet.loads(sheet.to_toml().replace("[electrical]", '[electrical]\nresistance = "1 ohm"'))
    assert_is_the_fit(with_resistance, {**p, "R": 1.0}, seed=22)


def test_every_identified_entry_is_compared():
    """An entry that says who identified it stands in the table above, and the other way round."""
    assert {id for id in catalog.ids() if Datasheet.load(id).identified} == set(IDENTIFIED)


def test_the_families_are_kept():
    """An M6 fit makes load-dependent friction with all its groups."""
    for id, file in IDENTIFIED.items():
        if file is not None and file.endswith("m6") and "erob80-100" not in id:
            friction = Datasheet.load(id).motor().friction
            assert isinstance(friction, LoadDependent)
            assert friction.load and friction.quadratic and friction.stribeck and friction.stribeck.load
