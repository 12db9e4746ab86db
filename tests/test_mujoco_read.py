"""Every actuator of a MuJoCo model is read: its law is MuJoCo's, and our actuator's too, or a row says why not."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mujoco_reading_rig import (
    DT,
    VERSION,
    from_motor_file,
    lost_rows,
    one_joint,
    random_motion,
    torque_of_law,
    torque_of_mujoco,
    torque_of_ours,
)
from mujoco_rig import mujoco

from backemf import Actuator, Command, EffortRange, IdealPd, Torque, TorquePid
from backemf.actuator.controllers import TORQUE_TARGETS
from backemf.errors import ParameterError
from backemf.sims.mujoco import MujocoOnJoint, read_actuator, read_actuators, wrap, write
from backemf.sims.mujoco.picking import pick
from backemf.sims.on_joint import OnJoint, Unread

PID = hasattr(mujoco.mjtGain, "mjGAIN_PID")
MOVING = ["start of the integral"]
KINDS = {
    "motor": ("<motor {shared}/>", []),
    "geared motor": ('<motor gear="-7" {shared}/>', []),
    "position": ('<position kp="20" kv="2" {shared}/>', []),
    "position without damping": ('<position kp="20" {shared}/>', []),
    "geared position": ('<position kp="20" kv="2" gear="-3" {shared}/>', []),
    "position in percent": (
        '<general gainprm="0.3" biastype="affine" biasprm="0 -20 -1" ctrlrange="0 255" {shared}/>',
        [],
    ),
    "position with an offset": ('<general gainprm="20" biastype="affine" biasprm="3 -10 -1" {shared}/>', []),
    "position turned round": ('<general gainprm="-5" biastype="affine" biasprm="1 -10 0" gear="2" {shared}/>', []),
    "position that cannot be commanded": ('<general gainprm="0" biastype="affine" biasprm="3 -10 -1" {shared}/>', []),
    "velocity": ('<velocity kv="3" {shared}/>', []),
    "velocity in percent": (
        '<general gainprm="0.2" biastype="affine" biasprm="1 0 -3" gear="-2" ctrlrange="-100 100" {shared}/>',
        [],
    ),
    "brake": ('<general gainprm="0" biastype="affine" biasprm="0 0 -3" {shared}/>', []),
    "torque with an offset": ('<general gainprm="4" biastype="affine" biasprm="2 0 0" gear="3" {shared}/>', []),
    "constant torque": ('<general gainprm="0" biastype="affine" biasprm="2 0 0" gear="3" {shared}/>', []),
    "intvelocity": ('<intvelocity kp="30" {shared}/>', MOVING),
    "geared intvelocity": ('<intvelocity kp="30" kv="2" gear="-3" {shared}/>', MOVING),
    "bounded intvelocity": (
        '<intvelocity kp="30" kv="2" actrange="-0.05 0.05" {shared}/>',
        [*MOVING, "activation range"],
    ),
    "filtered position": ('<position kp="20" kv="2" timeconst="0.02" {shared}/>', ["command filter"]),
    "filtered torque": ('<general dyntype="filterexact" dynprm="0.03" gainprm="2" {shared}/>', ["command filter"]),
}
if PID:
    for words in ("pos", "vel", "ff", "pos vel", "pos ff", "vel ff", "pos vel ff"):
        gains = 'kp="20" kv="2"' if "pos" in words else 'kp="0" kv="2"'
        KINDS[f"pid {words}"] = (
            f'<pid {gains} input="{words}" gear="-2" {{shared}}/>',
            ["command"] if words == "ff" else [],
        )
    KINDS |= {
        "pid effort alone": ('<pid kp="0" kv="0" input="ff" gear="2" {shared}/>', []),
        "pid with integral": ('<pid kp="20" kv="2" ki="50" input="pos vel ff" gear="2" {shared}/>', []),
        "pid with bounded integral": ('<pid kp="20" ki="500" imax="0.05" input="pos" {shared}/>', ["integral limit"]),
        "pid with slew": ('<pid kp="20" ki="50" slewmax="3" input="pos ff" gear="-2" {shared}/>', ["slew"]),
    }
SHARED = {
    "free": ("", ""),
    "bounded": ('forcerange="-4 6"', 'damping="0.3" armature="0.1" frictionloss="0.2"'),
    "on a bounded joint": ('forcerange="-8 6"', 'actuatorfrcrange="-5 7" damping="0.3"'),
    "on a slide": ("", 'type="slide" actuatorfrcrange="-5 7" actuatorfrclimited="true"'),
    "damped by itself": ('damping="0.05" armature="0.01"', 'damping="0.3"'),
}


def model(kind: str, shared: str = "free") -> str:
    """A model with one actuator."""
    on_actuator, on_joint = SHARED[shared]
    return one_joint(KINDS[kind][0].format(shared=f'name="a" joint="j" {on_actuator}'), on_joint)


def heard_by(found: MujocoOnJoint) -> tuple[str, ...]:
    """Targets that MuJoCo's actuator takes."""
    general = found.general
    if general is not None and general.inputs == ("ff",):
        return ("effort",)
    return found.actuator.controller.inputs


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("kind", KINDS)
def test_the_law_that_is_read_is_mujocos(kind: str, shared: str):
    """Along a random motion MuJoCo itself and the law that is read give the same torque, with limits and damping."""
    text = model(kind, shared)
    found = read_actuator(text, version=VERSION)
    for seed in range(2):
        motion, heard = random_motion(seed), heard_by(found)
        theirs, law = torque_of_mujoco(text, found, motion, heard), torque_of_law(found, motion, heard)
        assert np.abs(theirs).max() > 0.1 and law == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("kind", KINDS)
def test_our_actuator_is_the_law_or_says_what_is_lost(kind: str, shared: str):
    """The same torque to rounding where no row says otherwise, and the rows are those that are meant."""
    found = read_actuator(model(kind, shared), version=VERSION)
    told = lost_rows(found)
    expected = list(KINDS[kind][1])
    # kv of a moving target is a damping of the joint, which no limit bounds
    if "intvelocity" in kind and "kv" in KINDS[kind][0] and "range" in "".join(SHARED[shared]):
        expected.append("damping")
    assert sorted(told) == sorted(expected)
    exact = not set(told) & {"command filter", "activation range", "integral limit", "slew", "damping"}
    for seed in range(2):
        motion, heard = random_motion(seed), heard_by(found)
        law, ours = torque_of_law(found, motion, heard), torque_of_ours(found, motion, heard)
        if exact:
            assert ours == pytest.approx(law, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("kind", KINDS)
def test_through_a_motor_file_and_back_into_mujoco(kind: str, shared: str):
    """What is read is written to a motor file and out again as the same, and MuJoCo gives its torque."""
    found = read_actuator(model(kind, shared), version=VERSION)
    again = from_motor_file(found)
    assert (again.armature, again.coulomb, again.viscous) == (found.armature, found.coulomb, found.viscous)
    written = write(again, "j", version=VERSION, timestep=DT)
    back = read_actuator(written.text, version=VERSION)
    heard = heard_by(found)
    for seed in range(2):
        motion = random_motion(seed)
        if back.general is not None and "slew" in lost_rows(found):
            continue
        ours = torque_of_ours(again, motion, heard)
        theirs = torque_of_mujoco(written.text, back, motion, heard)
        tolerance = 0.05 if "integral limit" in lost_rows(found) else 1e-9
        assert theirs == pytest.approx(ours, rel=1e-9, abs=tolerance * np.abs(ours).max())


def test_numbers_are_plain():
    """No number of an actuator that is read is one of NumPy's."""

    def plain(value: Any) -> bool:
        if hasattr(value, "__dataclass_fields__"):
            return all(plain(getattr(value, name)) for name in value.__dataclass_fields__)
        if isinstance(value, (tuple, list)):
            return all(plain(each) for each in value)
        return not type(value).__module__.startswith("numpy")

    for kind in KINDS:
        for shared in SHARED:
            assert plain(read_actuator(model(kind, shared), version=VERSION)), kind


LISTENS = {
    "motor": ("effort",), "position": ("position",), "velocity": ("velocity",), "intvelocity": ("velocity",),
    "filtered position": ("position",),
}  # fmt: skip


@pytest.mark.parametrize("kind", LISTENS)
def test_each_kind_listens_to_its_own_target(kind: str):
    """A target that MuJoCo's actuator has no input for is refused by the actuator that is read."""
    actuator = read_actuator(model(kind), version=VERSION).actuator
    assert actuator.controller.inputs == LISTENS[kind]
    step = actuator.compile("numpy")
    for target in TORQUE_TARGETS:
        if target not in LISTENS[kind]:
            with pytest.raises(ParameterError, match=target):
                step(step.initial(()), Command(**{LISTENS[kind][0]: 0.1, target: 0.1}), 0.0, 0.0, DT)


def test_a_scaled_command_says_what_ctrl_is():
    """gain·ctrl + b0 = -b1·gear·target, so that ctrl = -b1·gear/gain·target - b0/gain."""
    found = read_actuator(
        one_joint('<general joint="j" gainprm="0.5" biastype="affine" biasprm="3 -20 -1" gear="2" ctrlrange="0 255"/>')
    )
    command = next(loss for loss in found.losses if loss.phenomenon == "command")
    assert command.status == "kept" and "ctrl = 80·target - 6" in command.note
    assert found.actuator.controller == IdealPd(stiffness=80.0, damping=4.0, listens=("position",))
    assert found.actuator.command_range == pytest.approx((6.0 / 80.0, 261.0 / 80.0))


def test_the_joints_range_of_effort_is_a_limit_of_the_actuator():
    """actuatorfrcrange narrows forcerange, so that a motor file holds both."""
    found = read_actuator(model("position", "on a bounded joint"), version=VERSION)
    assert found.actuator.limits == (EffortRange(lowest=-5.0, highest=6.0),)


UNREAD = {
    "muscle": ('<muscle name="x" joint="j" lengthrange="0 1"/>', "is a muscle"),
    "damper": ('<damper name="x" joint="j" kv="3" ctrlrange="0 2"/>', "whose ctrl is a damping"),
    "cylinder": ('<cylinder name="x" joint="j" area="2" bias="1 -2 -3" timeconst="0.3"/>', "is a cylinder"),
    "adhesion": ('<adhesion name="x" body="b" ctrlrange="0 1" gain="2"/>', "presses a body on what it touches"),
    "motor": ('<motor name="x" tendon="t"/>', "pulls the tendon 't', which moves the joints 'j', 'k'"),
    "position": ('<position name="x" site="s" gear="1 0 0 0 0 0"/>', "pushes at the site 's'"),
    "ball": ('<motor name="x" joint="ball" gear="1 0 0 0 0 0"/>', "joint 'ball' is a ball joint"),
    "general": (
        '<general name="x" joint="j" gaintype="affine" gainprm="1 2 3"/>',
        "whose gain depends on the joint",
    ),
    "pushing": (
        '<general name="x" joint="j" biastype="affine" biasprm="0 3 0"/>',
        "b1 = 3: its torque grows with the angle",
    ),
    "driving": ('<general name="x" joint="j" biastype="affine" biasprm="0 0 3"/>', "b2 = 3: it drives a motion on"),
    "winding up": ('<general name="x" joint="j" dyntype="integrator" gainprm="3"/>', "grows without limit"),
    "nothing": ('<general name="x" joint="j" gainprm="0"/>', "it drives nothing"),
    "no gear": ('<motor name="x" joint="j" gear="0"/>', "gear = 0"),
    "always pushing": ('<motor name="x" joint="j" forcerange="1 2"/>', "forcerange = 1 2 does not include 0"),
    "user": ('<general name="x" joint="j" gaintype="user"/>', "in the user's own code"),
}
CROWD = """
<mujoco><worldbody>
  <body name="b"><joint name="j" axis="0 0 1"/><geom size="0.1"/><site name="s"/>
    <body><joint name="k" axis="0 0 1"/><geom size="0.1"/>
      <body><joint name="ball" type="ball"/><geom size="0.1"/></body></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="-1"/></fixed></tendon>
  <actuator><position name="first" joint="k" kp="3"/>{}<velocity name="last" joint="k" kv="3"/></actuator></mujoco>
"""


@pytest.mark.parametrize("what", UNREAD)
def test_what_is_not_read_is_named_and_loses_nothing_else(what: str):
    """A row with its kind, why, and what would help; the actuators before and after it are read."""
    element, why = UNREAD[what]
    found = read_actuators(CROWD.format(element), version=VERSION)
    before, row, after = found
    assert isinstance(before, OnJoint) and isinstance(after, OnJoint) and isinstance(row, Unread)
    assert row.name == "x" and why in row.why and "\n" not in row.why
    assert row.kind == (what if what == "user" else re.findall(r"<(\w+)", element)[0])
    assert "2 actuators drive the joint" in next(loss.note for loss in before.losses if loss.phenomenon == "joint")
    with pytest.raises(ParameterError, match=re.escape(why)):
        read_actuator(CROWD.format(element), actuator="x", version=VERSION)


def test_a_compiled_model_is_read_like_its_text():
    """From an `MjModel`, a text and a file come the same rows."""
    text = CROWD.format(UNREAD["muscle"][0])
    compiled = read_actuators(mujoco.MjModel.from_xml_string(text), version=VERSION)
    assert compiled == read_actuators(text, version=VERSION)


def test_errors_name_the_joints():
    """Where several actuators fit, the joints are listed; two on one joint are told apart by their names."""
    text = CROWD.format('<motor name="x" joint="j"/>')
    with pytest.raises(ParameterError, match="3 actuators fit; give joint=, one of 'k', 'j'"):
        read_actuator(text, version=VERSION)
    with pytest.raises(
        ParameterError, match="joint = 'k': 2 actuators fit, 'first', 'last'; select one with actuator="
    ):
        read_actuator(text, joint="k", version=VERSION)
    with pytest.raises(ParameterError, match="joint = 'z': no actuator drives it; driven are 'k', 'j'"):
        read_actuator(text, joint="z", version=VERSION)
    assert read_actuator(text, joint="j", version=VERSION).actuator == Actuator(controller=Torque())
    many: list[str | None] = [str(number) for number in range(100)]
    with pytest.raises(ParameterError, match="'23' and 76 more"):
        pick([None] * 100, many, None, None)


def test_what_a_joint_does_by_itself_is_a_row():
    """A spring, and damping of a higher order without a motor, have no place in a motor file."""
    found = read_actuator(one_joint('<motor joint="j"/>', 'stiffness="3" damping="0.1 0.2 0.3"'), version=VERSION)
    assert lost_rows(found) == ["higher-order damping", "joint spring"]
    assert found.viscous == 0.1 and found.higher_drag == (0.2, 0.3)


def test_wrap_leaves_what_has_states_of_its_own():
    """`wrap` gives actuators alone: one whose filter would be lost is left, one that is whole is not."""
    for kind in ("filtered position", "geared intvelocity"):
        with pytest.raises(ParameterError, match="has its own states"):
            wrap(model(kind))
    velocity = wrap(model("velocity"))["j"]
    assert velocity.controller == TorquePid(kd=3.0, follows="velocity", listens=("velocity",))


# --- models whose files are missing

MESHED = """
<mujoco>
  <compiler meshdir="nowhere" angle="radian"/>
  <asset><mesh name="shell" file="shell.stl"/><mesh file="cover.obj"/><texture name="wood" file="wood.png" type="2d"/>
    <texture name="sky" type="skybox" file="sky.png"/><material name="wooden" texture="wood"/>
    <hfield name="hills" file="hills.png" size="1 1 1 1"/></asset>
  <worldbody><geom type="hfield" hfield="hills"/><geom type="mesh" mesh="cover"/>
    <body><joint name="a" axis="0 0 1" armature="0.01"/>{inertial}<geom type="mesh" mesh="shell" material="wooden"/>
      <geom type="capsule" mesh="cover"/>
      <body><joint name="b" axis="0 0 1" range="-1 2" {springs}/><geom size="0.1"/></body></body></worldbody>
  <actuator>
    <position name="pa" joint="a" kp="20" kv="2"/>
    <position name="pb" joint="b" kp="20" inheritrange="1" {damping}/>
    <dcmotor name="ma" joint="a" motorconst="0.05" resistance="1"/>
  </actuator>
</mujoco>
"""
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'


def test_mesh_and_texture_files_may_be_missing(tmp_path):
    """Actuators and joints are read all the same, from a text and from a file; what needs no inertia is whole."""
    text = MESHED.format(inertial="", damping='kv="1"', springs="")
    path = tmp_path / "robot.xml"
    path.write_text(text)
    for source in (text, path, str(path)):
        first, second, third = read_actuators(source, version=VERSION)
        assert isinstance(first, OnJoint) and isinstance(second, OnJoint) and isinstance(third, MujocoOnJoint)
        assert first.actuator.controller == IdealPd(stiffness=20.0, damping=2.0, listens=("position",))
        assert second.actuator.command_range == pytest.approx((-1.0, 2.0))
        assert third.motor is not None and third.motor.motor_constant == 0.05
        assert not [row for each in (second, third) for row in lost_rows(each) if row != "joint"]
    without = text.replace('<dcmotor name="ma" joint="a" motorconst="0.05" resistance="1"/>', "")
    assert wrap(without)["b"].command_range == pytest.approx((-1.0, 2.0))


def test_a_damping_ratio_needs_the_inertia():
    """dampratio is read where the bodies have an inertia of their own, and refused where that is in a missing file."""
    known = MESHED.format(inertial=INERTIAL, damping='dampratio="1"', springs="")
    found = read_actuator(known, "b", version=VERSION)
    assert isinstance(found.actuator.controller, IdealPd) and found.actuator.controller.damping > 0.1
    row = read_actuators(known.replace(INERTIAL, ""), version=VERSION)[1]
    assert isinstance(row, Unread) and "dampratio" in row.why and "give kv" in row.why
    without = known.replace(INERTIAL, "").replace('<dcmotor name="ma" joint="a" motorconst="0.05" resistance="1"/>', "")
    assert any("dampratio" in row.why for row in wrap(without).unread)


def test_damping_of_a_joint_that_comes_from_its_inertia_is_unknown_without_it():
    """springdamper makes stiffness and damping of the inertia."""
    text = MESHED.format(inertial="", damping='kv="1"', springs='springdamper="0.1 1"')
    rows = [loss for loss in read_actuator(text, "b", version=VERSION).losses if loss.status == "unknown"]
    assert [row.phenomenon for row in rows] == ["joint damping"]
    whole = read_actuator(text.replace("<joint name", INERTIAL + "<joint name", 1), "b", version=VERSION)
    assert not [loss for loss in whole.losses if loss.status == "unknown"]


def test_what_is_wrong_beside_a_missing_file_is_said():
    """The error is that of the model, and not the first file that is missing."""
    text = MESHED.format(inertial="", damping='kv="1"', springs="").replace('joint="b"', 'joint="nobody"')
    with pytest.raises(ParameterError, match="nobody"):
        read_actuators(text, version=VERSION)


def test_math_of_a_geared_servo():
    """Stiffness and damping go with the square of the gear, an effort with the gear, a position with its inverse."""
    found = read_actuator(model("geared position", "bounded"), version=VERSION)
    assert found.actuator.controller == IdealPd(stiffness=180.0, damping=18.0, listens=("position",))
    assert found.actuator.limits == (EffortRange(lowest=-18.0, highest=12.0),)
    assert found.general is not None and found.general.scale == -3.0 and math.copysign(1.0, found.general.offset) == 1.0
    assert replace(found, coulomb=0.0).law().step((0.0, 0.0), 0.01, 0.0, 0.0, DT)[1] == pytest.approx(1.8)
