"""A dcmotor is read whole: every attribute has the effect on our actuator that it has in MuJoCo, or a row says so."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from long import some_now
from mujoco_reading_rig import (
    VERSION,
    from_motor_file,
    lost_rows,
    one_joint,
    random_motion,
    torque_of_law,
    torque_of_mujoco,
    torque_of_ours,
)

from backemf import EffortRange
from backemf.errors import BackemfWarning, ParameterError
from backemf.motor import Dahl, LuGre
from backemf.sims.mujoco import DcMotor, MujocoOnJoint, read_actuator, read_actuators, write
from backemf.sims.mujoco.parameters import SIZES
from backemf.sims.mujoco.reading import fields_from_file
from backemf.sims.mujoco.versions import VERSIONS, in_volts, known_version, warn_if_newer
from backemf.sims.on_joint import Unread

BASE = {"motorconst": "0.05", "resistance": "1.2"}
HEAT, BRISTLES = "2 0.02 0 0.0039 20 45", "100 .02 .01 .015 2"
ATTRIBUTES: dict[str, tuple[dict[str, str], ...]] = {
    "motorconst": ({"motorconst": "0.05 0.07"},),
    "resistance": ({"resistance": "3"},),
    "nominal": ({"nominal": "24 1 100", "motorconst": "0", "resistance": "0"},),
    "saturation": ({"saturation": "0.05"}, {"saturation": "0 0.5"}, {"saturation": "0 0 30", "inductance": "2e-3"}),
    "inductance": ({"inductance": "2e-3"}, {"inductance": "0 3e-3"}),
    "cogging": ({"cogging": "0.02 6 .4"}, {"cogging": "-0.02 6 .4"}, {"cogging": "0.02 -6 .4"}),
    "thermal": ({"thermal": HEAT}, {"thermal": HEAT, "inductance": "2e-3"}, {"thermal": HEAT, "saturation": "0.05"}),
    "lugre": (
        {"lugre": BRISTLES}, {"lugre": "100 .02 .01 .01 0"}, {"lugre": "100 0 .01 .01 1"},
        {"lugre": "100 .02 .01 .02 0"},
    ),
    "damping": ({"damping": "1e-3"}, {"damping": "1e-3 1e-4 1e-5", "gear": "3"}),
    "armature": ({"armature": "1e-4"},),
    "gear": ({"gear": "7"}, {"gear": "-7"}),
    "ctrlrange": ({"ctrlrange": "-0.2 0.3"},),
    "controller": (
        {"controller": "{kp}"}, {"controller": "{kp} {ki} {kd}"}, {"controller": "{kp} 0 {kd} 2"},
        {"controller": "{kp} {ki} {kd} 0 0.002"}, {"controller": "{kp} {ki} {kd} 0 0 2"},
        {"controller": "{kp} {ki} {kd} 0 0 2", "saturation": "0.02"},
        {"controller": "{kp} {ki} {kd} 2 0.002 2", "inductance": "2e-3", "gear": "-3", "thermal": HEAT},
    ),
}  # fmt: skip
"""What is varied of each attribute; the others stay."""
APPROXIMATE = {"slew", "winding heat", "bristle friction", "current limit", "current-rate limit", "inductance"}
"""Rows of numbers that are near: all else that differs is a field without a place."""


def inputs_of(version: str) -> tuple[str, ...]:
    """Every input that a version has."""
    if in_volts(version):
        return ("voltage", "position", "velocity")
    return ("voltage", "pos", "vel", "ff", "pos vel", "pos ff", "vel ff", "pos vel ff")


def words_of(version: str, inputs: str, varied: dict[str, str]) -> dict[str, str]:
    """Attributes of a dcmotor: gains that fit the inputs, and what is varied."""
    gains = {"kp": "8", "ki": "60", "kd": "0.3"} if in_volts(version) else {"kp": "0.3", "ki": "4", "kd": "0.02"}
    if not in_volts(version) and "pos" not in inputs:
        gains |= {"kp": "0", "ki": "0"}
    words = BASE | {"input": inputs, "controller": "{kp} {ki} {kd}"} | varied
    if inputs == "voltage" and not in_volts(version):
        words.pop("controller")
    return {name: text.format(**gains) if name == "controller" else text for name, text in words.items()}


def text_of(words: dict[str, str], joint: str = "") -> str:
    """A model with one dcmotor."""
    shown = " ".join(f'{name}="{text}"' for name, text in words.items())
    return one_joint(f'<dcmotor name="m" joint="j" {shown}/>', joint)


def heard_by(found: MujocoOnJoint) -> tuple[str, ...]:
    """Targets that MuJoCo's motor takes."""
    assert found.motor is not None
    return ("effort",) if found.motor.inputs == ("ff",) else found.actuator.controller.inputs


def gap(found: MujocoOnJoint, seed: int = 0) -> float:
    """How far our actuator is from MuJoCo's law, in units of its largest torque."""
    motion = random_motion(seed, steps=60, reach=0.3)
    law, ours = torque_of_law(found, motion, heard_by(found)), torque_of_ours(found, motion, heard_by(found))
    return float(np.abs(law - ours).max() / max(np.abs(law).max(), 1e-6))


def test_every_attribute_is_varied():
    """The table has every attribute with numbers that a dcmotor has."""
    assert set(ATTRIBUTES) == set(SIZES)


@pytest.mark.parametrize("version", some_now(["3.7", "3.11", "3.12", "3.17", "4.0"], {"3.11", "4.0"}.__contains__))
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_attribute_has_its_effect_or_a_row(version: str, attribute: str):
    """Our actuator gives the torque of MuJoCo's law to rounding, unless a row says what differs."""
    pairs: list[tuple[str, dict[str, str]]] = list(product(inputs_of(version), ATTRIBUTES[attribute]))
    for inputs, varied in pairs:
        if "controller" in varied and inputs == "voltage" and not in_volts(version):
            continue
        found = read_actuator(text_of(words_of(version, inputs, varied)), version=version)
        told, off = lost_rows(found), gap(found)
        assert off < 1e-9 or told, (inputs, varied, off)
        if set(told) <= APPROXIMATE - {"slew", "current limit"}:
            assert off < 0.35, (inputs, varied, off, told)


@pytest.mark.parametrize("attribute", ["saturation", "ctrlrange", "cogging", "damping", "controller", "gear", "lugre"])
def test_every_attribute_has_an_effect_on_our_actuator(attribute: str):
    """What changes MuJoCo's torque changes ours: nothing is passed over."""
    version, inputs = "4.0", "pos vel ff"
    for varied in ATTRIBUTES[attribute]:
        plain, other = (
            read_actuator(text_of(words_of(version, inputs, each)), version=version) for each in ({}, varied)
        )
        motion = random_motion(1, reach=0.3)
        before, after = (torque_of_ours(each, motion, heard_by(each)) for each in (plain, other))
        law_before, law_after = (torque_of_law(each, motion, heard_by(each)) for each in (plain, other))
        if np.abs(law_after - law_before).max() > 1e-6:
            assert np.abs(after - before).max() > 1e-6 or lost_rows(other), varied


def test_the_bound_of_a_moving_target_is_a_row():
    """Until 3.11 MuJoCo clips the integral of the target itself, so that a joint that runs on is pulled back."""
    words = BASE | {"input": "velocity", "controller": "0.1 50 0 0 0.001"}
    found = read_actuator(text_of(words), version="3.11")
    row = next(loss for loss in found.losses if loss.phenomenon == "integral limit")
    assert row.status == "dropped" and "within 0.001 rad of 0" in row.note and gap(found) > 0.01
    without = read_actuator(text_of(words | {"controller": "0.1 50"}), version="3.11")
    assert "integral limit" not in lost_rows(without) and gap(without) < 1e-9


def test_bristles_of_one_level_need_no_stribeck_velocity():
    """tc = ts leaves nothing to fall, so that a Stribeck velocity of 0 says no less than any other."""
    found = read_actuator(text_of(BASE | {"lugre": "100 .02 .01 .01 0"}), version="4.0").actuator.motor
    assert found is not None and found.friction == LuGre(
        coulomb=0.01, stiction=0.01, stribeck_velocity=1.0, stiffness=100.0, damping=0.02
    )
    dahl = read_actuator(text_of(BASE | {"lugre": "100 0 .01 .01 0"}), version="4.0").actuator.motor
    assert dahl is not None and isinstance(dahl.friction, (Dahl, LuGre))
    apart = read_actuator(text_of(BASE | {"lugre": "100 .02 .01 .02 0"}), version="4.0")
    level = None if apart.actuator.motor is None else apart.actuator.motor.friction
    assert "stiction" in lost_rows(apart) and isinstance(level, LuGre) and level.stiction == level.coulomb == 0.01


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ("pos vel", ("position", "velocity")),
        ("pos ff", ("position", "effort")),
        ("pos vel ff", ("position", "velocity", "effort")),
        ("vel", ("velocity",)),
        ("vel ff", ("velocity", "effort")),
        ("ff", ("velocity", "effort")),
    ],
)
def test_a_dcmotor_listens_to_its_inputs(inputs: str, expected: tuple[str, ...]):
    """What MuJoCo has no input for is no target here; a damped effort follows a velocity beside it, and says so."""
    found = read_actuator(text_of(words_of("4.0", inputs, {})), version="4.0")
    assert found.actuator.controller.inputs == expected
    assert ("command" in lost_rows(found)) == (inputs == "ff")


def test_the_joint_survives_a_motor_file():
    """The joint's effort range and its damping of higher order are in the actuator, and so in a motor file."""
    joint = 'actuatorfrcrange="-0.05 0.04" damping="0.01 0.002 0.0003" armature="0.01" frictionloss="0.1"'
    found = read_actuator(text_of(BASE | {"gear": "-5", "input": "voltage"}, joint), version=VERSION)
    assert found.actuator.limits == (EffortRange(lowest=-0.05, highest=0.04),) and not lost_rows(found)
    again, motion = from_motor_file(found), random_motion(3)
    law = torque_of_law(found, motion, ("voltage",))
    assert torque_of_ours(again, motion, ("voltage",)) == pytest.approx(law, rel=1e-9, abs=1e-12)
    written = read_actuator(write(again, "j", version=VERSION).text, version=VERSION)
    assert replace(written, coulomb=0.0).lowest_effort == -np.inf and np.isfinite(
        written.motor.highest_force if written.motor is not None else np.inf
    )


def test_the_joints_range_bounds_cogging_too():
    """MuJoCo clips all that the actuator does, our limit the current alone: a row says so."""
    words = BASE | {"cogging": "0.02 6 .4", "input": "voltage"}
    assert lost_rows(read_actuator(text_of(words, 'actuatorfrcrange="-0.05 0.04"'), version=VERSION)) == [
        "joint effort range"
    ]


# --- versions


@pytest.mark.parametrize("version", ["3.15", "3.16", "3.17", "3.15.1"])
def test_versions_after_314_behave_as_it(version: str):
    """The slope has the hot resistance, as since 3.14, and the rest is that of the controllers in torque."""
    motors = [DcMotor(version=each, resistance=1.2, motor_constant=0.05) for each in (version, "3.14")]
    assert not in_volts(version) and known_version(version) >= (3, 14)
    step = [motor.compile("numpy") for motor in motors]
    assert step[0].slope(step[0].initial(()), 3.0, 0.0, 1.0, 1e-3) == step[1].slope(
        step[1].initial(()), 3.0, 0.0, 1.0, 1e-3
    )


@pytest.mark.parametrize(
    ("version", "taken_for"), [("3.18", "3.17"), ("4.1", "4.0"), ("5.0", "4.0"), ("12.3.4", "4.0")]
)
def test_a_newer_version_runs_as_the_newest_known(version: str, taken_for: str):
    """One warning says which, once."""
    warn_if_newer.cache_clear()
    with pytest.warns(BackemfWarning, match=f"assumed to behave as {taken_for}") as told:
        for _ in range(3):
            known_version(version)
    assert len(told) == 1
    assert in_volts(version) == in_volts(taken_for)


@pytest.mark.parametrize(
    "version", ["3.6", "2.9", "0.1", "", "x", "3", "3.x", "3.7.0.1", "-3.7", "³.7", None, 4.0, "1e9.0"]
)
def test_older_versions_and_nonsense_are_refused(version: object):
    """Nothing is taken for a version that is none, or that had no dcmotor."""
    with pytest.raises(ParameterError, match=r"known for 3\.7 to 3\.17 and 4\.0"):
        known_version(version)


def test_all_known_versions_are_in_order():
    """The newest known before a version is found by its place."""
    pairs = [tuple(int(part) for part in version.split(".")) for version in VERSIONS]
    assert pairs == sorted(pairs)


CLASS = (
    '<dcmotor motorconst="0.05" resistance="1" saturation="0.4 0 30" controller="3 0 0.1 0 0 12" inductance="1e-3"/>'
)


@pytest.mark.parametrize(
    ("version", "volts", "rate", "seconds"),
    [("3.14", 12.0, 30.0, 1e-3), ("3.15", 12.0, 30.0, 1e-3), ("3.16", 0.0, 0.0, 1e-3), ("4.0", 0.0, 0.0, 0.0)],
)
def test_a_zero_over_a_default_class(version: str, volts: float, rate: float, seconds: float):
    """Vmax and the current-rate limit can be switched off since 3.16, the inductance by one number since 4.0."""
    words = 'controller="3 0 0.1 0 0 0" saturation="0.4 0 0" inductance="0" input="pos"'
    text = one_joint(f'<dcmotor joint="j" {words}/>', more=f"<default>{CLASS}</default>")
    motor = DcMotor(**fields_from_file(text, None, version))
    assert (motor.voltage_limit, motor.current_rate, motor.time_constant) == (volts, rate, seconds)
    if version == VERSION:
        assert motor == DcMotor.read(text, version=version)


# --- files of several actuators

MIXED = """
<mujoco><option timestep="0.002"/><default><dcmotor motorconst="0.05" resistance="1.2"/></default>
  <worldbody><body><joint name="a" axis="0 0 1"/><geom size="0.1"/>
    <body><joint name="b" axis="0 0 1"/><geom size="0.1"/></body></body></worldbody>
  <actuator>
    <dcmotor name="old" joint="a" input="position" controller="8 0 0.3" delay="0.004" nsample="4"/>
    <position name="servo" joint="b" kp="3"/>
    <dcmotor name="new" joint="b" input="pos vel" controller="0.3 0 0.02"/>
    <dcmotor name="late" joint="a" input="voltage" delay="0.006" nsample="4"/>
  </actuator></mujoco>
"""


@pytest.mark.parametrize("version", ["3.11", "4.0"])
def test_motors_of_the_other_generation_lose_nothing_else(version: str):
    """Each dcmotor whose words the version has is read, the others are rows, and the servo is there all the same."""
    found = dict(zip(("old", "servo", "new", "late"), read_actuators(MIXED, version=version), strict=True))
    unread = "new" if version == "3.11" else "old"
    assert [name for name, each in found.items() if isinstance(each, Unread)] == [unread]
    row, late = found[unread], found["late"]
    assert isinstance(row, Unread) and row.kind == "dcmotor" and "dcmotor input" in row.why
    assert isinstance(late, MujocoOnJoint) and late.history is not None and late.history.delay == 0.006


@pytest.mark.parametrize("inputs", inputs_of(VERSION))
def test_the_law_of_a_motor_on_a_joint_is_mujocos(inputs: str):
    """With the joint's own range and damping, along a random motion in the real program."""
    joint = 'actuatorfrcrange="-0.2 0.3" damping="0.01 0.002 0.0003"'
    varied = {"gear": "-3", "cogging": "0.02 6 .4", "lugre": BRISTLES, "thermal": HEAT, "inductance": "2e-3"}
    text = text_of(words_of(VERSION, inputs, varied), joint)
    found = read_actuator(text, version=VERSION)
    motion, heard = random_motion(5, reach=0.3), heard_by(found)
    theirs = torque_of_mujoco(text, found, motion, heard)
    assert torque_of_law(found, motion, heard) == pytest.approx(theirs, rel=1e-9, abs=1e-12)
