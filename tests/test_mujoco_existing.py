"""A joint that has an actuator already: refused, replaced or kept, and what becomes of all that hangs on it."""

import warnings

import numpy as np
import pytest
from mujoco_rig import mujoco
from mujoco_write_rig import VERSION

import backemf as be
from backemf.errors import BackemfWarning, ParameterError
from backemf.sims.mujoco import attach
from backemf.sims.mujoco.versions import in_volts

OLD = in_volts(VERSION)
MOTOR = be.Motor(
    winding=be.Winding(resistance=0.5, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-5),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
    friction=be.Coulomb(coulomb=0.01),
    drag=be.Drag(coefficients=(1e-4,)),
)
BARE = be.Motor(winding=be.Winding(resistance=0.5), magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05))
SERVO = be.Actuator(MOTOR, controller=be.IdealPd(stiffness=30.0, damping=1.0))


def robot(actuators: str, more: str = "", knee: str = "", tendons: str = "") -> str:
    return f"""
<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody><site name="ground"/>
  <body name="thigh"><joint name="hip" axis="0 1 0"/><geom size="0.1"/>
    <body pos="0 0 -0.3"><joint name="knee" axis="0 1 0" {knee}/><geom size="0.1" pos="0.1 0 -0.2"/>
      <site name="foot" pos="0.1 0.1 -0.3"/>
      <body><joint name="ankle" axis="1 0 0"/><geom size="0.05"/></body></body></body></worldbody>
  <tendon>{tendons}<fixed name="alone"><joint joint="knee" coef="2"/></fixed>
    <fixed name="both"><joint joint="hip" coef="1"/><joint joint="knee" coef="1"/></fixed>
    <spatial name="cord"><site site="ground"/><site site="foot"/></spatial></tendon>
  <actuator>{actuators}</actuator>{more}
</mujoco>
"""


def attach_to(text: str, thing=SERVO, joint: str = "knee", **options):
    """What is returned and the model of it; no warning is left unsaid."""
    spec = mujoco.MjSpec.from_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = attach(spec, thing, joint, **options)
    return written, spec.compile()


def row(written, what: str):
    return next(change for change in written.changes if change.what == what)


WAYS = {
    '<position name="old" joint="knee" kp="3"/>': "'old'",
    '<motor joint="knee"/>': "'number 0'",
    '<motor name="old" jointinparent="knee"/>': "'old'",
    '<muscle name="old" joint="knee" lengthrange="0 1"/>': "'old'",
    '<motor name="old" tendon="alone"/>': "'old' through the tendon 'alone'",
    '<motor name="old" tendon="both"/>': "'old' through the tendon 'both'",
    '<muscle name="old" tendon="cord" lengthrange="0.1 1"/>': "'old' through the tendon 'cord'",
    '<motor name="old" site="foot" refsite="ground" gear="1 0 0 0 0 0"/>': "'old' through the site 'foot'",
    '<motor name="a" joint="hip"/><motor name="old" joint="knee"/><velocity name="b" joint="knee" kv="1"/>': "'b'",
}


@pytest.mark.parametrize("text", WAYS)
def test_an_actuator_that_acts_on_the_joint_is_refused_by_name(text: str):
    """Directly or through a tendon or sites; the specification is as it was."""
    spec = mujoco.MjSpec.from_string(robot(text))
    before = spec.to_xml()
    with pytest.raises(ParameterError) as caught:
        attach(spec, SERVO, "knee")
    said = str(caught.value)
    assert WAYS[text] in said and "replace=True" in said and "replace=False" in said and "\n" not in said
    assert spec.to_xml() == before


@pytest.mark.parametrize(
    "text",
    [
        '<motor name="other" joint="hip"/>',
        '<motor name="thrust" site="foot" gear="0 0 1 0 0 0"/>',
        '<adhesion name="pad" body="thigh" ctrlrange="0 1"/>',
    ],
)
def test_what_does_not_drive_the_joint_is_left_alone(text: str):
    """Another joint's actuator, a propeller on the leg and a foot that sticks are no drives of the knee."""
    written, model = attach_to(robot(text))
    assert model.nactuator == 2 and not any(change.what == "actuator" for change in written.changes)


@pytest.mark.parametrize(
    "text", [text for text in WAYS if "both" not in text and "cord" not in text and "site" not in text]
)
def test_replaced_is_as_if_it_had_never_been(text: str):
    """The model is that of the motor on a joint without an actuator; the row names what went."""
    written, model = attach_to(robot(text), replace=True)
    _, fresh = attach_to(robot('<motor name="a" joint="hip"/>' if 'joint="hip"' in text else ""))
    assert model.nactuator == fresh.nactuator and model.nu == fresh.nu and model.na == fresh.na
    last = model.nactuator - 1
    for name in ("actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_gear", "actuator_trnid"):
        assert np.array_equal(getattr(model, name)[last], getattr(fresh, name)[last]), name
    gone = [change for change in written.changes if change.what == "actuator"]
    assert all(change.status == "removed" for change in gone) and any(WAYS[text] in str(change) for change in gone)


def test_an_actuator_of_other_joints_too_is_not_removed():
    """A tendon that moves the hip as well would leave it without its drive."""
    with pytest.raises(
        ParameterError, match=r"'old' through the tendon 'both' drives 'hip' besides 'knee'.*replace=False"
    ):
        attach_to(robot('<motor name="old" tendon="both"/>'), replace=True)


def test_kept_is_warned_of():
    """Both act, and the row and one warning say so."""
    spec = mujoco.MjSpec.from_string(robot('<position name="old" joint="knee" kp="3"/>'))
    with pytest.warns(BackemfWarning, match="joint 'knee' keeps the actuator 'old' beside the motor") as caught:
        written = attach(spec, SERVO, "knee", replace=False)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert row(written, "actuator").status == "kept" and spec.compile().nactuator == 2


def test_the_name_of_what_is_replaced_is_free():
    """The motor may be called as the actuator that it replaces; another actuator's name is taken."""
    _, model = attach_to(robot('<position name="knee" joint="knee" kp="3"/>'), replace=True)
    assert model.nactuator == 1 and model.actuator(0).name == "knee"
    with pytest.raises(ParameterError, match="an actuator of that name"):
        attach_to(robot('<position name="old" joint="knee" kp="3"/><motor name="knee" joint="hip"/>'), replace=True)


KEYS = '<keyframe><key name="home" qpos="0.1 0.7 0" ctrl="{ctrl}" act="{act}"/><key name="bare"/></keyframe>'
THREE = (
    '<motor name="a" joint="hip"/><general name="old" joint="knee" dyntype="filter" dynprm="0.1"/>'
    '<general name="c" joint="ankle" dyntype="filter" dynprm="0.1"/>'
)


def test_keyframes_have_the_motor_in_place_of_the_old():
    """Controls and activations of the others stay with them; the motor holds the knee where the keyframe has it."""
    text = robot(THREE, KEYS.format(ctrl="1 2 3", act="4 5"))
    written, model = attach_to(text, replace=True)
    names = [model.actuator(i).name for i in range(model.nactuator)]
    assert names == ["a", "c", "knee"]
    own = [0.7] if OLD else [0.7, 0.0, 0.0]
    assert model.key_ctrl[0].tolist() == [1.0, 3.0, *own] and model.key_act[0].tolist() == [5.0, 0.0]
    assert not model.key_ctrl[1].any() and not model.key_act[1].any()
    assert row(written, "keyframes").status == "changed"


def test_keyframes_grow_when_the_joint_had_none():
    """A motor beside the others is the last control of each keyframe."""
    ankle = THREE.replace('"knee"', '"ankle"')
    _, model = attach_to(robot(ankle, KEYS.format(ctrl="1 2 3", act="4 5")))
    assert model.key_ctrl[0].tolist()[:4] == [1.0, 2.0, 3.0, 0.7] and model.key_act[0].tolist() == [4.0, 5.0, 0.0]
    volts, model = attach_to(robot(ankle, KEYS.format(ctrl="1 2 3", act="4 5")), MOTOR)
    assert model.key_ctrl[0].tolist() == [1.0, 2.0, 3.0, 0.0] and "at 0" in str(row(volts, "keyframes"))


def test_sensors_of_the_old_actuator_see_the_motor():
    """They keep their place in sensordata, and the row says that a gear is gone."""
    sensors = '<sensor><jointpos joint="hip"/><actuatorfrc name="force" actuator="old"/></sensor>'
    written, model = attach_to(robot('<position name="old" joint="knee" kp="3" gear="5"/>', sensors), replace=True)
    assert model.sensor("force").objid[0] == model.actuator("knee").id
    assert "'force'" in str(row(written, "sensors")) and "gear of 5" in str(row(written, "sensors"))
    data = mujoco.MjData(model)
    data.qvel[1] = 1.0
    mujoco.mj_step(model, data)
    assert model.sensor("force").adr[0] == 1 and data.sensordata[1] == data.actuator_force[0] != 0.0


def test_a_tuple_that_names_the_old_actuator_is_refused():
    """MuJoCo would stop at it when it compiles."""
    more = '<custom><tuple name="group"><element objtype="actuator" objname="old"/></tuple></custom>'
    spec = mujoco.MjSpec.from_string(robot('<motor name="old" joint="knee"/>', more))
    with pytest.raises(ParameterError, match="the tuple 'group' has the actuator 'old'"):
        attach(spec, SERVO, "knee", replace=True)
    assert spec.actuator("old") is not None


# --- armature, friction and damping

HAD = 'armature="0.01" frictionloss="0.2" damping="0.3"'
"""Of the knee; the motor reflects 81 times 1e-5 kg·m², 9 times 0.01 N·m and 81 times 1e-4 N·m·s/rad."""


@pytest.mark.parametrize("armature", ["replace", "add"])
@pytest.mark.parametrize("friction", ["replace", "add"])
@pytest.mark.parametrize("thing", [MOTOR, BARE])
@pytest.mark.parametrize("had", [HAD, ""])
def test_what_becomes_of_the_joint_is_said(armature: str, friction: str, thing, had: str):
    """Replaced, added, set or kept: the row has both numbers, and the compiled joint has what it says."""
    written, model = attach_to(robot("", knee=had), thing, armature=armature, friction=friction)
    dof, own = model.joint("knee").dofadr[0], np.array([0.01, 0.2, 0.3]) * bool(had)
    brings = np.array([81 * 1e-5, 9 * 0.01, 81 * 1e-4])
    ways = {"armature": armature, "frictionloss": friction, "damping": friction}
    last = model.nactuator - 1
    for place, (name, way) in enumerate(ways.items()):
        total = model.dof_damping[dof] + model.actuator_damping[last] if name == "damping" else None
        total = getattr(model, f"dof_{name}")[dof] if total is None else total
        rows = [change for change in written.changes if change.what == name]
        if thing is BARE:
            assert total == own[place] and [change.status for change in rows] == ["kept"] * bool(had)
            continue
        expected = brings[place] + (own[place] if way == "add" else 0.0)
        assert total == pytest.approx(expected, rel=1e-12)
        assert [change.status for change in rows] == [{"replace": "replaced", "add": "added"}[way] if had else "set"]
        said = str(rows[0])
        assert f"{brings[place]:.6g}" in said and (not had or f"{own[place]:g}" in said)


def test_the_sentence_of_the_armature():
    """As a reader sees it."""
    written, _ = attach_to(robot("", knee='armature="0.01"'))
    assert str(row(written, "armature")) == "armature 0.01 kg·m² of the joint replaced by 0.00081 kg·m² of the motor."


def test_armature_and_damping_of_the_old_actuator_go_with_it():
    """They count gear² at the joint, and the row has that number."""
    text = robot('<position name="old" joint="knee" kp="3" gear="5" armature="0.002" damping="0.01"/>')
    written, model = attach_to(text, replace=True)
    assert "its armature of 0.05 kg·m² at the joint and its damping of 0.25 N·m·s/rad" in str(row(written, "actuator"))
    assert not model.actuator_armature.any()


def test_bristles_are_named():
    """A frictionloss gives way to a friction that stands in the actuator."""
    bristles = be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=1.0)
    spec = mujoco.MjSpec.from_string(robot("", knee=HAD))
    written = attach(
        spec, be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet, rotor=MOTOR.rotor, friction=bristles), "knee"
    )
    assert "bristles, in the actuator" in str(row(written, "frictionloss"))


def test_units_of_a_slide():
    """A slide has kg, N and N·s/m."""
    text = robot("", knee=HAD + ' type="slide"')
    written, _ = attach_to(text)
    assert "0.01 kg of the joint" in str(row(written, "armature")) and " N of" in str(row(written, "frictionloss"))
    assert "N·s/m" in str(row(written, "damping"))
