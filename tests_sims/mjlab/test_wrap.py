"""The actuators of a robot's XML as configs of ours, beside the same XML driven by mjlab's own `XmlActuatorCfg`."""

import mujoco
import pytest
import rig
import torch
from mjlab.actuator import BuiltinPositionActuatorCfg, DcMotorActuatorCfg, XmlActuatorCfg

import backemf as be
from backemf.sims import mujoco as room
from backemf.sims.loss import Loss
from backemf.sims.mjlab import MotorActuatorCfg, wrap
from backemf.sims.on_joint import OnJoint, Unread

POSITION = '<position name="{0}" joint="{0}" kp="{1}" kv="1.5" ctrlrange="-1 1" forcerange="-9 9"/>'
PLAIN = "".join(POSITION.format(f"{leg}_hip", 30) for leg in ("fl", "fr", "hl"))
PLAIN += '<velocity name="v" joint="fl_thigh" kv="2"/><velocity name="w" joint="fr_thigh" kv="2"/>'
PLAIN += '<motor name="m" joint="fl_knee" gear="4" ctrlrange="-0.5 0.5"/>'
PLAIN += POSITION.format("hr_hip", 50)
MOTOR = '<dcmotor name="{0}" joint="{1}" motorconst="0.1" resistance="0.5" gear="6" armature="1e-4" input="{2}"{3}/>'
OTHERS = (
    '<motor name="pull" tendon="cable"/>'
    '<muscle name="flesh" joint="hr_knee" lengthrange="0 1"/>'
    '<general name="jet" site="nozzle" gear="0 0 1 0 0 0"/>'
    '<motor name="one" joint="hl_knee"/><motor name="two" joint="hl_knee"/>'
)
OTHERS += MOTOR.format("volts", "hr_thigh", "voltage", "")
SERVO = MOTOR.format("servo", "fr_knee", "position", ' controller="20 0 0.5 0 0 0"')
TENDON = '<tendon><fixed name="cable"><joint joint="hl_thigh" coef="1"/></fixed></tendon>'
SITE = '<site name="nozzle"/>'


def xml(actuators: str, more: str = "") -> str:
    joint = 'armature="0.01" frictionloss="0.02" damping="0.03"'
    return rig.robot_xml(joint, f"{more}<actuator>{actuators}</actuator>", SITE)


def rows(text: str) -> list[OnJoint | Unread]:
    """Every actuator of a model, or why it is none of ours."""
    model = mujoco.MjModel.from_xml_string(text)
    found: list[OnJoint | Unread] = []
    for index in range(model.nu):
        try:
            found.append(room.read_actuator(model, actuator=index, version="3.11"))
        except be.ParameterError as error:
            found.append(Unread(name=model.actuator(index).name, kind="", why=str(error)))
    return found


def scene(text: str, *actuators) -> rig.Rig:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rig, "robot_xml", lambda *_: text)
        return rig.build(*actuators, envs=8)


def test_joints_that_are_alike_share_a_config():
    """Three hips of one kind, a fourth with another gain, two thighs and a knee: four configs, in the model's order."""
    wrapped = wrap(rows(xml(PLAIN)), eager=True)
    patterns = [config.target_names_expr for config in wrapped.actuators]
    assert patterns == [("fl_hip", "fr_hip", "hl_hip"), ("fl_thigh", "fr_thigh"), ("fl_knee",), ("hr_hip",)]
    assert all(isinstance(config, MotorActuatorCfg) and config.eager for config in wrapped.actuators)
    assert [config.existing for config in wrapped.actuators] == ["replace"] * 4
    hip = wrapped.actuators[0]
    assert (hip.stiffness, hip.damping, hip.effort_limit, hip.armature) == (30.0, 1.5, 9.0, 0.01)
    assert wrapped.unread == ()


def test_wrapped_they_do_what_mujoco_does():
    """In random states under random targets: the torque at each joint of one step, beside mjlab's own XML actuators."""
    text = xml(PLAIN)
    groups = [(".*_hip", "position"), (".*_thigh", "velocity"), (".*_knee", "effort")]
    theirs = scene(text, *[XmlActuatorCfg(target_names_expr=(name,), command_field=word) for name, word in groups])
    ours = scene(text, *wrap(rows(text), eager=True).actuators)
    draw = torch.Generator().manual_seed(4)
    # each kind is commanded by the one target that MuJoCo's has
    hips, thighs, knees = ([name.endswith(part) for name in rig.JOINTS] for part in ("hip", "thigh", "knee"))
    for _ in range(5):
        position, velocity, target, speed, effort = 0.8 * torch.randn(5, 8, 12, generator=draw)
        for each, gear in ((theirs, 1.0), (ours, 4.0)):
            each.robot.write_joint_state_to_sim(position, 3.0 * velocity)
            each.robot.set_joint_position_target(target * torch.tensor(hips))
            each.robot.set_joint_velocity_target(speed * torch.tensor(thighs))
            # commands of ours are at the joint, MuJoCo's are before the gear
            each.robot.set_joint_effort_target(gear * effort * torch.tensor(knees))
            each.step()
        torch.testing.assert_close(ours.forces(), theirs.forces(), rtol=1e-5, atol=1e-5)
    assert theirs.forces().abs().max() > 1.0
    for name in ("dof_armature", "dof_frictionloss", "dof_damping"):
        assert getattr(ours.sim.mj_model, name) == pytest.approx(getattr(theirs.sim.mj_model, name))


def test_what_cannot_be_wrapped_stays_and_says_why():
    """A tendon, a muscle, a site, two on one joint, a motor in volts: the others are wrapped all the same."""
    text = xml(OTHERS + PLAIN + SERVO, TENDON)
    wrapped = wrap(rows(text), eager=True)
    driven = [name for config in wrapped.actuators for name in config.target_names_expr]
    assert sorted(driven) == sorted(
        ["fl_hip", "fr_hip", "hl_hip", "hr_hip", "fl_thigh", "fr_thigh", "fl_knee", "fr_knee"]
    )
    why = {row.name: row.why for row in wrapped.unread}
    assert set(why) == {"pull", "flesh", "jet", "hl_knee", "hr_thigh"}
    assert "2 actuators drive it" in why["hl_knee"]
    assert "Voltage takes a voltage, and mjlab commands positions" in why["hr_thigh"]
    # they are in the model as before
    names = set(scene(text, *wrapped.actuators).robot.actuator_names)
    assert {"pull", "flesh", "jet", "one", "two", "volts"} <= names
    assert len(names) == 6 + len(driven)


def test_a_dcmotor_becomes_a_motor():
    """Its rotor, gear and winding are those of the XML, with the joint's own armature counted once."""
    text = xml(SERVO)
    (config,) = wrap(rows(text), eager=True).actuators
    assert config.actuator.motor.ratio == 6.0 and config.actuator.motor.winding.resistance == 0.5
    model = scene(text, config).sim.mj_model
    dof = model.jnt_dofadr[[model.joint(index).name for index in range(model.njnt)].index("robot/fr_knee")]
    # the joint's own, and N²·J
    assert model.dof_armature[dof] == pytest.approx(0.01 + 36.0 * 1e-4)
    assert model.dof_frictionloss[dof] == pytest.approx(0.02) and model.dof_damping[dof] == pytest.approx(0.03)


def test_inertia_and_damping_of_the_actuator_itself_go_to_the_joint():
    """They go when it is replaced: an armature of 0.05 and a damping of 0.2 behind a gear of 2 are 0.2 and 0.8 more."""
    text = xml('<position name="p" joint="fl_hip" kp="30" gear="2" armature="0.05" damping="0.2"/>')
    (config,) = wrap(rows(text), eager=True).actuators
    assert config.armature == pytest.approx(0.01 + 4 * 0.05) and config.viscous_damping == pytest.approx(0.03 + 4 * 0.2)
    model = scene(text, config).sim.mj_model
    assert model.dof_armature[0] == pytest.approx(0.21) and model.dof_damping[0] == pytest.approx(0.83)
    assert model.dof_frictionloss[0] == pytest.approx(0.02)


def test_friction_of_the_bearings_stays_beside_that_of_the_motor():
    """A `<dcmotor>` with friction of its own on a joint with some: both act, each once."""
    text = xml(MOTOR.format("servo", "fr_knee", "position", ' controller="20 0 0.5 0 0 0" lugre="9 0 0.3 0.4 0.1"'))
    (config,) = wrap(rows(text), eager=True).actuators
    assert config.actuator.motor.friction is not None
    assert (config.frictionloss, config.viscous_damping) == (0.02, 0.03)


def test_joints_are_chosen_by_patterns():
    """Only those are wrapped; the rest of the XML drives its joints as before."""
    wrapped = wrap(rows(xml(PLAIN)), joints=("f._hip", ".*_knee"), eager=True)
    assert [config.target_names_expr for config in wrapped.actuators] == [("fl_hip", "fr_hip"), ("fl_knee",)]
    assert wrap(rows(xml(PLAIN)), joints=".*_thigh").actuators[0].target_names_expr == ("fl_thigh", "fr_thigh")


def test_a_set_of_actuators_will_do():
    """What `mujoco.wrap` gives."""
    found = room.wrap(mujoco.MjModel.from_xml_string(xml(PLAIN)))
    assert len(wrap(found).actuators) == 4
    # with what it leaves out, and what was lost
    found.unread, found.losses = (Unread("pull", "tendon", "it pulls"),), {"fl_hip": (Loss("delay", "dropped"),)}
    wrapped = wrap(found, joints=".*_hip")
    assert wrapped.unread == found.unread and wrapped.losses == found.losses


def mjlab_robot():
    """The robot with mjlab's own actuators."""
    position = BuiltinPositionActuatorCfg(
        target_names_expr=(".*_hip", ".*_thigh"), stiffness=30.0, damping=1.5, effort_limit=9.0, armature=0.02
    )
    clipped = DcMotorActuatorCfg(
        target_names_expr=(".*_knee",),
        stiffness=20.0,
        damping=0.5,
        effort_limit=7.0,
        saturation_effort=9.0,
        velocity_limit=12.0,
        frictionloss=0.01,
    )
    return rig.robot_cfg((position, clipped))


def test_actuators_of_mjlab_become_ours():
    """In random states under random targets: the torque at each joint of one step, by mjlab's configs and by ours."""
    robot = mjlab_robot()
    wrapped = wrap(robot, eager=True)
    assert [config.target_names_expr for config in wrapped.actuators] == [(".*_hip|.*_thigh",), (".*_knee",)]
    assert wrapped.unread == ()
    theirs, ours = rig.build(*robot.articulation.actuators, envs=8), rig.build(*wrapped.actuators, envs=8)
    draw = torch.Generator().manual_seed(5)
    for _ in range(5):
        position, velocity, target, speed, effort = 0.5 * torch.randn(5, 8, 12, generator=draw)
        for each in (theirs, ours):
            each.robot.write_joint_state_to_sim(position, 3.0 * velocity)
            each.robot.set_joint_position_target(target)
            each.robot.set_joint_velocity_target(speed)
            each.robot.set_joint_effort_target(effort)
            each.step()
        torch.testing.assert_close(ours.forces(), theirs.forces(), rtol=1e-5, atol=1e-5)
    for name in ("dof_armature", "dof_frictionloss", "dof_damping"):
        assert getattr(ours.sim.mj_model, name) == pytest.approx(getattr(theirs.sim.mj_model, name))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: wrap(rows(xml(PLAIN)), joints="arm"), "joints: 'arm' matches no joint; there are fl_hip, "),
        (lambda: wrap(rows(xml(PLAIN)), joints="("), r"'\(' is not a pattern of joint names"),
        (lambda: wrap(rows(xml(PLAIN)), joints=(3,)), r"joints = \(3,\): must be patterns of joint names"),
        (lambda: wrap(rows(xml('<motor name="pull" tendon="cable"/>', TENDON))), "no actuator can be wrapped: .*pull"),
        (lambda: wrap([]), "no actuator can be wrapped: there are none"),
        (lambda: wrap(mjlab_robot(), joints=".*_hip"), "a configuration of mjlab names its joints by its own patterns"),
    ],
)
def test_what_is_not_a_row_is_refused(make, sentence):
    with pytest.raises(be.ParameterError, match=sentence):
        make()
