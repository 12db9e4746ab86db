"""Joints that something else drives already: an actuator of the robot's XML, or another of mjlab's configs."""

import warnings

import motors
import mujoco
import numpy as np
import pytest
import rig
import torch
from mjlab.actuator import BuiltinPositionActuatorCfg, DcMotorActuatorCfg, IdealPdActuatorCfg, XmlActuatorCfg
from mjlab.entity import Entity, EntityArticulationInfoCfg, EntityCfg

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg
from backemf.sims.mjlab.existing import move_sensors, settle_existing

ALL = (".*",)
KNEES = (".*_knee",)
STIFFNESS = 40.0
TENDON = '<tendon><fixed name="cable"><joint joint="fr_knee" coef="1"/></fixed></tendon>'


def ours(*patterns: str, **changes) -> MotorActuatorCfg:
    """A plain PD of ours on some joints."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=STIFFNESS))
    return MotorActuatorCfg(**{"target_names_expr": patterns or ALL, "actuator": actuator, "eager": True, **changes})


def model_of(*actuators, more: str = "", joint: str = 'armature="0.01"', sort: bool = False) -> mujoco.MjModel:
    """The model of a robot with these configs, without a simulation."""
    return Entity(rig.robot_cfg(actuators, joint, more, sort)).spec.compile()


def names(model: mujoco.MjModel) -> list[str]:
    return [model.actuator(index).name for index in range(model.nu)]


# --- actuators of the XML

KINDS = {
    "motor": '<motor {} gear="3"/>',
    "position": '<position {} kp="30" kv="1"/>',
    "velocity": '<velocity {} kv="2"/>',
    "muscle": '<muscle {} lengthrange="0 1"/>',
    "dcmotor": '<dcmotor {} motorconst="0.1" resistance="1"/>',
    "general": '<general {} dyntype="filter" dynprm="0.1"/>',
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["servo", "fl_hip", ""])
def test_an_actuator_of_the_xml_is_refused_by_name(kind, name):
    """Whatever its kind, and also where it is named like the joint: joint, actuator and remedies in one sentence."""
    place = f'{f"name={chr(34)}{name}{chr(34)}" if name else ""} joint="fl_hip"'
    more = f"<actuator>{KINDS[kind].format(place)}</actuator>"
    sentence = (
        rf"the XML has <{kind}> '{name}' on joint 'fl_hip', which would act in addition to the motor; take it "
        r'out of the XML or the spec, or give existing="replace", .* or existing="keep"'
    )
    with pytest.raises(be.ParameterError, match=sentence):
        model_of(ours(), more=more)
    # on other joints it is none of the motor's business
    assert model_of(ours("(?!fl_hip).*"), more=more).nu == 12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["servo", "fl_hip", ""])
def test_replaced_it_is_gone(kind, name):
    """With existing="replace" each joint has one `<motor>`, whose control is the torque."""
    place = f'{f"name={chr(34)}{name}{chr(34)}" if name else ""} joint="fl_hip"'
    model = model_of(ours(existing="replace"), more=f"<actuator>{KINDS[kind].format(place)}</actuator>")
    assert sorted(names(model)) == sorted(rig.JOINTS)
    assert (model.actuator_gainprm[:, 0] == 1.0).all() and (model.actuator_gear[:, 0] == 1.0).all()
    assert not model.actuator_biasprm.any() and model.na == 0
    assert not model.actuator_forcelimited.any() and not model.actuator_ctrllimited.any()


MIXED = f"""{TENDON}
<actuator>
  <position name="first" joint="fl_hip" kp="30"/>
  <motor name="cable" tendon="cable"/>
  <general name="slow" joint="fr_hip" dyntype="filter" dynprm="0.1"/>
  <motor name="beside" joint="fr_hip"/>
  <general name="other" joint="hr_knee" dyntype="integrator"/>
</actuator>
<sensor><actuatorfrc name="felt" actuator="first"/><actuatorfrc name="pull" actuator="cable"/>
  <actuatorfrc name="lag" actuator="slow"/></sensor>
<keyframe><key name="home" ctrl="0.1 0.2 0.3 0.35 0.4" act="0.5 0.6"/></keyframe>"""


def test_what_refers_to_a_replaced_actuator_still_fits():
    """Sensors look at the motor in its place; controls of a keyframe stay with their actuators."""
    model = model_of(ours(".*_hip", existing="replace"), more=MIXED)
    assert names(model) == ["cable", "other", "fl_hip", "fr_hip", "hl_hip", "hr_hip"]
    looked_at = {name: model.actuator(int(model.sensor(name).objid[0])).name for name in ("felt", "pull", "lag")}
    assert looked_at == {"felt": "fl_hip", "pull": "cable", "lag": "fr_hip"}
    home = model.key("home")
    np.testing.assert_array_equal(home.ctrl, [0.2, 0.4, 0.0, 0.0, 0.0, 0.0])


def test_activations_of_a_keyframe_stay_with_their_actuators():
    """Two actuators on one joint, one with a state: what the keyframe says of the others is as it was."""
    spec = mujoco.MjSpec.from_string(rig.robot_xml(more=MIXED))
    kept, gone = settle_existing(spec, "fr_hip", "replace")
    assert (kept, gone) == ([], ["slow", "beside"])
    move_sensors(spec, gone, "cable")
    home = spec.compile().key("home")
    np.testing.assert_array_equal(home.ctrl, [0.1, 0.2, 0.4])
    np.testing.assert_array_equal(home.act, [0.6])


def test_kept_it_acts_beside_the_motor_with_one_warning():
    """With existing="keep" the joint feels both, and one warning names all that was kept."""
    more = '<actuator><motor name="fl_hip" joint="fl_hip"/><motor name="fr" joint="fr_hip" gear="2"/></actuator>'
    kept = XmlActuatorCfg(target_names_expr=("f._hip",))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        built = rig.build(kept, ours(existing="keep"), more=more, envs=1)
    told = [str(each.message) for each in caught if "existing" in str(each.message)]
    assert len(told) == 1
    assert "<motor> 'fl_hip' on joint 'fl_hip'; <motor> 'fr' on joint 'fr_hip' acts in addition to the motor" in told[0]
    built.robot.set_joint_position_target(torch.full((1, 12), 0.1))
    built.robot.set_joint_effort_target(torch.full((1, 12), 0.5))
    built.step()
    # the PD takes the effort too
    alone = STIFFNESS * 0.1 + 0.5
    expected = torch.full((1, 12), alone)
    expected[0, rig.JOINTS.index("fl_hip")] += 0.5
    expected[0, rig.JOINTS.index("fr_hip")] += 2.0 * 0.5
    torch.testing.assert_close(built.forces(), expected)


def test_replaced_only_the_motor_acts():
    """A `<position>` of the XML holds a joint at 0; replaced, the joint feels the motor alone."""
    more = '<actuator><position name="servo" joint="fl_hip" kp="300"/></actuator>'
    built = rig.build(ours(existing="replace"), more=more, envs=1)
    built.robot.write_joint_position_to_sim(torch.full((1, 12), 0.2))
    built.robot.set_joint_position_target(torch.full((1, 12), 0.3))
    built.step()
    torch.testing.assert_close(built.forces(), torch.full((1, 12), STIFFNESS * 0.1))


def test_parts_that_were_attached_with_a_prefix():
    """mjlab strips prefixes from the names that patterns match; the joint of the XML is found all the same."""
    arm = '<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body></worldbody>'
    arm += '<actuator><position name="servo" joint="j"/></actuator></mujoco>'

    def spec() -> mujoco.MjSpec:
        whole = mujoco.MjSpec()
        whole.worldbody.add_frame().attach_body(mujoco.MjSpec.from_string(arm).body("b"), "left/", "")
        return whole

    with pytest.raises(be.ParameterError, match="<position> 'left/servo' on joint 'left/j'"):
        Entity(EntityCfg(spec_fn=spec, articulation=EntityArticulationInfoCfg(actuators=(ours(),))))
    replaced = EntityArticulationInfoCfg(actuators=(ours(existing="replace"),))
    assert names(Entity(EntityCfg(spec_fn=spec, articulation=replaced)).spec.compile()) == ["left/j"]


@pytest.mark.parametrize("wrong", ["remove", None, True])
def test_what_becomes_of_them_is_one_of_three(wrong):
    with pytest.raises(
        be.ParameterError, match=r"MotorActuatorCfg.existing = .*: must be one of refuse, replace, keep"
    ):
        ours(existing=wrong)


# --- other configs


def theirs(kind: type, *patterns: str):
    """A config of mjlab's own."""
    dc = {"effort_limit": 5.0, "saturation_effort": 5.0, "velocity_limit": 5.0} if kind is DcMotorActuatorCfg else {}
    return kind(target_names_expr=patterns, stiffness=1.0, damping=1.0, **dc)


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("kind", [IdealPdActuatorCfg, DcMotorActuatorCfg, BuiltinPositionActuatorCfg, MotorActuatorCfg])
def test_two_configs_on_one_joint_are_refused(kind, first, sort):
    """Whichever comes first: joints and both configs in one sentence, in place of MuJoCo's "repeated name"."""
    other = ours(*KNEES) if kind is MotorActuatorCfg else theirs(kind, *KNEES)
    pair = (other, ours()) if first else (ours(), other)
    with pytest.raises(be.ParameterError) as caught:
        model_of(*pair, sort=sort)
    assert "joint 'fl_knee', 'fr_knee', 'hl_knee', 'hr_knee' is driven by" in str(caught.value)
    assert f"{kind.__name__} '.*" in str(caught.value)
    assert "make target_names_expr of one of them narrower" in str(caught.value)


def test_configs_on_joints_of_their_own_go_together():
    """No overlap, no error, with a config of theirs and one of the XML beside ours."""
    more = '<actuator><position name="servo" joint="fl_hip" kp="30"/></actuator>'
    pair = (XmlActuatorCfg(target_names_expr=("fl_hip",)), theirs(IdealPdActuatorCfg, *KNEES))
    assert model_of(*pair, ours(".*_thigh"), more=more).nu == 1 + 4 + 4
    # its patterns may match more joints than the XML drives, if it comes first
    wide = XmlActuatorCfg(target_names_expr=ALL)
    assert model_of(wide, ours(".*_thigh"), more=more).nu == 1 + 4


def test_a_config_of_the_xml_would_take_the_motors():
    """`XmlActuatorCfg` takes whatever it finds on a joint: with wide patterns it may not come after the motors."""
    more = '<actuator><motor name="servo" joint="fl_hip"/></actuator>'
    wide = XmlActuatorCfg(target_names_expr=ALL)
    with pytest.raises(be.ParameterError, match="comes later and would take the motor for an actuator of the XML"):
        model_of(ours(".*_thigh"), wide, more=more)


@pytest.mark.parametrize("existing", ["refuse", "replace"])
def test_a_joint_that_a_config_of_the_xml_drives(existing):
    """Both drive it: that is refused unless it is asked for, also where the actuator was to be replaced."""
    more = '<actuator><motor name="servo" joint="fl_hip"/></actuator>'
    xml = XmlActuatorCfg(target_names_expr=("fl_hip",))
    with pytest.raises(be.ParameterError, match="joint 'fl_hip' is driven by XmlActuatorCfg 'fl_hip' too"):
        model_of(xml, ours(existing=existing), more=more)


# --- what else is built


def test_where_mjlab_sorts_its_actuators_each_joint_has_its_own_inertia():
    """mjlab then builds joint by joint; inertias that differ stay with their joints, and there is one warning."""
    inertia = np.linspace(1.0, 12.0, 12) * 1e-7
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.01, back_emf_constant=0.01),
        rotor=be.Rotor(inertia=inertia),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=200.0),)),
    )
    config = ours(actuator=be.Actuator(motor, controller=be.PositionPid(kp=1.0)))
    for sort in (False, True):
        with pytest.warns(UserWarning, match="The motor replaces values of the XML") as caught:
            model = model_of(config, sort=sort)
        assert len(caught) == 1
        assert model.dof_armature == pytest.approx(200.0**2 * inertia)


DEFAULTS = """<default>
  <position kp="100" kv="3" ctrlrange="-1 1" forcerange="-2 2"/>
  <general gear="7" armature="0.5" damping="0.3"/>
</default>"""


def test_nothing_of_a_default_class_is_left_in_the_motor():
    """A gain, gear, range, damping or armature of the XML's main default class would act on every motor."""
    # mjlab copies a robot with a fixed base into a new specification, and leaves the class behind
    xml = rig.robot_xml(more=DEFAULTS, base="<freejoint/>")
    articulation = EntityArticulationInfoCfg(actuators=(ours(),))
    robot = Entity(EntityCfg(spec_fn=lambda: mujoco.MjSpec.from_string(xml), articulation=articulation))
    model = robot.spec.compile()
    assert (model.actuator_gainprm[:, 0] == 1.0).all() and not model.actuator_biasprm.any()
    assert (model.actuator_gear[:, 0] == 1.0).all()
    assert not model.actuator_forcelimited.any() and not model.actuator_ctrllimited.any()
    assert not model.actuator_damping.any() and not model.actuator_armature.any()
    assert not model.actuator_delay.any()


def test_a_ball_joint_is_refused():
    """mjlab would count its angles as those of the joints behind it."""
    more = """<worldbody><body name="head"><joint name="neck" type="ball"/><geom size="0.1"/></body></worldbody>"""
    with pytest.raises(be.ParameterError, match="joint 'neck' is a ball joint"):
        model_of(ours(), more=more)
    assert model_of(ours(".*_(hip|thigh|knee)"), more=more).nu == 12


def test_damping_of_every_order_makes_way():
    """A joint's damping has three orders; where the motor has drag, none of them stays to be counted twice."""
    joint = 'armature="0.00486" damping="0.2 0.03 0.004"'
    actuator = be.Actuator(motors.quasi_direct(), controller=be.IdealPd(stiffness=1.0))
    with pytest.warns(UserWarning, match="fl_hip damping 0.2 0.03 0.004 is now 0"):
        model = model_of(ours(actuator=actuator), joint=joint)
    assert not model.dof_damping.any() and not model.dof_dampingpoly.any()


# --- actuators that reach a joint through something else

REACHING = """<tendon>
  <fixed name="cable"><joint joint="fr_knee" coef="1"/><joint joint="fl_knee" coef="-1"/></fixed>
</tendon>
<actuator>
  <motor name="pull" tendon="cable"/>
  <general name="jet" site="nozzle" gear="0 0 1 0 0 0"/>
</actuator>"""


@pytest.mark.parametrize("existing", ["refuse", "replace", "keep"])
def test_a_tendon_that_moves_the_joint_is_noticed(existing):
    """It is refused by name, never removed, and kept with a warning; joints that it does not move are free."""
    xml = rig.robot_xml(more=REACHING, base='<site name="nozzle"/>')

    def robot(*patterns: str) -> mujoco.MjModel:
        articulation = EntityArticulationInfoCfg(actuators=(ours(*patterns, existing=existing),))
        cfg = EntityCfg(spec_fn=lambda: mujoco.MjSpec.from_string(xml), articulation=articulation)
        return Entity(cfg).spec.compile()

    assert robot(".*_hip", "h._knee").nu == 2 + 6
    if existing == "keep":
        with pytest.warns(UserWarning, match="<motor> 'pull' on tendon 'cable', which moves joint 'fl_knee'"):
            assert robot(".*_knee").nu == 2 + 4
        return
    with pytest.raises(be.ParameterError, match="the XML has <motor> 'pull' on tendon 'cable', which moves joint 'fl_"):
        robot(".*_knee")
