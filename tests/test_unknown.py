"""What an actuator does not say is unknown in the loss table, and never counts as right."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import backemf as be
from backemf.sims.joint import limits_of
from backemf.sims.losses import PHENOMENA, UNKNOWNS
from backemf.sims.on_joint import OnJoint
from backemf.transfer.duty import complete_actuator
from backemf.transfer.exported import export
from backemf.transfer.targets import NAMES

BARE = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0),)),
    ratings=be.Ratings(voltage=24.0),
)
FULL = replace(
    BARE,
    winding=be.Winding(resistance=0.5, inductance=1e-4),
    rotor=be.Rotor(inertia=1e-5),
    friction=be.Coulomb(coulomb=0.004),
    thermal=be.Thermal(resistance=3.0, capacitance=30.0),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0, efficiency=0.8),)),
)
CLIP = be.Actuator(limits=be.DcClip(saturation_effort=23.7, velocity_limit=30.1, effort_limit=23.7))


@cache
def status_of(kind: str, name: str) -> dict[str, str]:
    things = {"bare": BARE, "full": FULL, "clip": CLIP, "own": OnJoint(actuator=CLIP, armature=0.01, coulomb=0.2)}
    found = export(things[kind], name, compare=False)
    return {loss.phenomenon: loss.status for loss in found.statuses}


def test_unknowns_are_phenomena():
    """Each has a row of its own in the table."""
    assert set(UNKNOWNS) <= set(PHENOMENA)


@pytest.mark.parametrize("name", NAMES)
def test_a_motor_that_says_little_leaves_much_unknown(name):
    """No inertia, friction, heat, inductance or efficiency: all unknown, in every simulator."""
    found = status_of("bare", name)
    for phenomenon in ("rotor inertia", "dry friction", "winding heat", "inductance", "gear loss"):
        assert found[phenomenon] == "unknown", phenomenon


@pytest.mark.parametrize("name", NAMES)
def test_a_motor_that_says_all_leaves_nothing_unknown(name):
    """With every figure given, each phenomenon is kept, approximated or dropped."""
    assert "unknown" not in status_of("full", name).values()


@pytest.mark.parametrize("name", NAMES)
def test_limits_alone_leave_the_motor_unknown(name):
    """A clip has neither current nor heat, friction or inertia."""
    found = status_of("clip", name)
    for phenomenon in ("current and power", "winding heat", "dry friction", "rotor inertia"):
        assert found[phenomenon] == "unknown", phenomenon
    assert found["effort limit"] == "kept"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "webots"])
def test_what_the_joint_has_is_not_unknown(name):
    """Inertia and friction of the joint itself are written, and so known."""
    found = status_of("own", name)
    assert found["rotor inertia"] == "kept" and found["dry friction"] in ("kept", "approximated")


@pytest.mark.long
@pytest.mark.parametrize("thing", [BARE, CLIP], ids=["motor", "limits"])
def test_an_error_that_cannot_be_known_is_not_zero(thing):
    """Without thermal figures nobody knows what ten minutes of heat do."""
    heat = export(thing, "mjlab").errors[-1]
    assert heat.where == "ten minutes of heat" and heat.unknown and math.isnan(heat.rms) and math.isnan(heat.worst)
    assert all(not error.unknown and math.isfinite(error.rms) for error in export(FULL, "mjlab").errors)


def test_a_clip_in_volts_is_compared_in_volts():
    """MuJoCo 3.11 takes a voltage: the torque that is asked for becomes the voltage that gives it."""
    errors = {error.where: error for error in export(CLIP, "mujoco@3.11").errors}
    for where in ("operating range", "start", "stall"):
        assert errors[where].worst < 1e-5 * errors[where].peak, errors[where]


# --- what gears and rotor are made for


GEARED = replace(
    FULL, ratings=be.Ratings(voltage=24.0, gear_torque=6.0, gear_peak_torque=9.0, gear_input_speed=300.0, speed=400.0)
)


@pytest.mark.parametrize("effort, torque", [("peak", 9.0), ("continuous", 6.0)])
@pytest.mark.parametrize("name", NAMES)
def test_gear_torque_bounds_what_is_written(name, effort, torque):
    """Stall is 20·0.8·0.05·24/0.5 = 38.4 N·m; the gear stands 9, or 6 continuously: no simulator gets more."""
    ratings = replace(GEARED.ratings, current=100.0)
    motor = replace(GEARED, ratings=ratings, thermal=None)
    found = export(motor, name, effort=effort, compare=False)
    top = limits_of(found.on_joint.actuator.motor, found.on_joint.actuator, None, "peak", True)[0]
    assert top is not None and top.value == pytest.approx(torque, rel=1e-4)


@pytest.mark.parametrize("name", ["mjlab", "isaaclab", "newton", "physx"])
def test_the_permissible_speed_ends_the_line(name):
    """300 rad/s at the gearbox input are 15 rad/s at the joint, less than the 24 that the voltage allows."""
    found = export(GEARED, name, compare=False)
    speed = limits_of(None, found.on_joint.actuator, None, "peak", True)[2]
    assert speed is not None and speed.value == pytest.approx(15.0, rel=1e-4)


def test_our_own_motor_keeps_to_the_gear_as_well():
    """What is compared with is a drive that holds torque and speed to what the gearbox is made for."""
    step = complete_actuator(be.Actuator(GEARED, controller=be.Torque())).compile("numpy")
    for speed, most in ((0.0, 9.0), (10.0, 9.0), (15.0, 0.0)):
        state = step.initial(())
        for k in range(200):
            state, out = step(state, 1000.0, 0.002 * k * speed, speed, 0.002, load_torque=0.0, load_inertia=1e3)
        assert float(out.torque) <= most + 1e-6 + 0.1 * (speed > 0.0), speed
    assert float(np.abs(out.torque)) < 1.0


def test_limits_of_gears_that_never_act_are_left_out():
    """A gearbox that stands more than the motor gives adds nothing to the actuator."""
    strong = replace(FULL, ratings=be.Ratings(voltage=24.0, gear_torque=100.0, gear_input_speed=1e4))
    assert complete_actuator(strong).limits == ()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "webots"])
def test_a_rotor_behind_backlash_is_felt_where_there_is_no_backlash(name):
    """A simulator without backlash has the rotor on the joint, whatever the motor has between them: 20²·1e-5 kg·m²."""
    loose = replace(FULL, gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0, efficiency=0.8),), backlash=0.01))
    found = export(loose, name, compare=False)
    motor = found.on_joint.actuator.motor
    own = 0.0 if motor is None else float(motor.reflected_inertia)
    assert found.on_joint.armature + own == pytest.approx(400 * 1e-5, rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_what_rests_on_an_estimate_is_marked(name):
    """Each row of the loss table names the estimates behind it, and the text says so beside the number."""
    sheet = be.Datasheet.load("maxon-re40-148877")
    bare = sheet.replace(
        mechanical=replace(sheet.mechanical, inertia=None, mechanical_time_constant=None),
        thermal=be.datasheet.ThermalFigures(),
    )
    found = export(bare.motor(estimate=True), name, compare=False)
    marked = {loss.phenomenon: loss.estimates for loss in found.statuses if loss.estimates}
    assert marked["rotor inertia"] == ("rotor.inertia",)
    assert marked["winding heat"] == ("thermal.winding_resistance", "thermal.winding_capacitance")
    assert "torque-speed line" not in marked
    if name not in ("physx", "webots"):
        assert "estimate, 90 % between" in found.text
    assert not any(loss.estimates for loss in export(sheet.motor(), name, compare=False).statuses)
