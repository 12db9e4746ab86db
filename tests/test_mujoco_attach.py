"""Motors put on a live MjSpec, backlash, and actuators that are read out of other people's models."""

from dataclasses import replace

import numpy as np
import pytest
from mujoco_rig import NEWEST, mujoco
from mujoco_write_rig import DT, VERSION, any_actuator

import backemf as be
from backemf.actuator import Actuator, Command
from backemf.actuator.controllers import IdealPd, PositionPid, Torque, TorquePid
from backemf.errors import ParameterError
from backemf.motor import Coulomb, Gearbox, Magnet, Motor, Rotor, Stage, Winding
from backemf.sims.mujoco import DcMotor, attach, read_actuator, write

ROBOT = """
<mujoco><compiler autolimits="false"/><option timestep="0.001"/>
  <default><joint damping="2" armature="3" frictionloss="1"/>
    <general gear="7" ctrlrange="-9 9" ctrllimited="true"/></default>
  <worldbody><body name="leg"><joint name="knee" axis="0 1 0"/><geom size="0.1"/>
    <body name="ball"><joint name="hip" type="ball"/><geom size="0.1"/></body></body></worldbody>
</mujoco>
"""
PLAYING = Motor(
    winding=Winding(resistance=0.5),
    magnet=Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=Rotor(inertia=1e-5),
    gearbox=Gearbox(stages=(Stage(ratio=9.0),), backlash=0.02),
)
ROWS = ("gainprm", "dynprm", "biasprm", "forcerange", "gear", "damping", "dampingpoly", "armature", "delay", "history")


def same_actuator(one, other) -> bool:
    """Whether the first actuators of two models have the same rows, and their joints the same inertia and friction."""
    pairs = [(getattr(one, f"actuator_{name}"), getattr(other, f"actuator_{name}")) for name in ROWS]
    pairs += [
        (one.actuator_ctrlrange, other.actuator_ctrlrange),
        (one.actuator_ctrllimited, other.actuator_ctrllimited),
    ]
    return all(np.array_equal(a[:1], b[:1]) for a, b in pairs) and one.nu == other.nu


@pytest.mark.parametrize("seed", range(40))
def test_attached_is_what_is_written(seed: int):
    """On a spec with default classes of its own, the rows are those of the text."""
    actuator = any_actuator(seed)
    spec = mujoco.MjSpec.from_string(ROBOT)
    written = attach(spec, actuator, "knee")
    model = spec.compile()
    text = mujoco.MjModel.from_xml_string(write(actuator, "knee", version=VERSION, timestep=DT).text)
    assert same_actuator(model, text) and model.actuator(0).name == "knee"
    had = {"armature": 3.0, "damping": 2.0, "frictionloss": 1.0}
    dof = model.jnt_dofadr[model.joint("knee").id]
    for name, value in (had | written.joint_attributes).items():
        assert getattr(model, f"dof_{name}")[dof] == value


def test_attached_play_is_what_is_written():
    """The second hinge of a spec in degrees has the range, stops and freedom of the one in the text."""
    spec = mujoco.MjSpec.from_string(ROBOT)
    attach(spec, PLAYING, "knee", backlash=True)
    model = spec.compile()
    text = mujoco.MjModel.from_xml_string(write(PLAYING, "knee", version=VERSION, backlash=True, timestep=DT).text)
    one, other = model.joint("knee_backlash"), text.joint("knee_backlash")
    assert one.range == pytest.approx(other.range, rel=1e-14) and one.limited[0] and other.limited[0]
    for name in ("damping", "armature", "frictionloss", "stiffness"):
        assert np.array_equal(np.ravel(getattr(one, name)), np.ravel(getattr(other, name)))
    assert np.array_equal(one.solref, other.solref) and np.array_equal(one.solimp, other.solimp)
    assert one.axis == pytest.approx([0.0, 1.0, 0.0]) and model.jnt_bodyid[one.id] == model.joint("knee").bodyid[0]


def test_free_travel_is_the_backlash():
    """Turned back and forth, the load is free over the backlash to 2 % and is not pushed in between."""
    actuator = Actuator(PLAYING, controller=IdealPd(stiffness=60.0, damping=0.6))
    written = write(actuator, "knee", version=VERSION, backlash=True, timestep=DT)
    model = mujoco.MjModel.from_xml_string(written.text)
    data, gaps, pushes = mujoco.MjData(model), [], []
    for k in range(16000):
        data.ctrl[:] = 0.0
        data.ctrl[0] = 0.3 * np.sin(2.0 * np.pi * 0.25 * DT * k)
        before, gap = data.qvel.sum(), data.qpos[1]
        mujoco.mj_step(model, data)
        if abs(gap) < 0.45 * 0.02:
            pushes.append(abs(data.qvel.sum() - before))
        gaps.append(data.qpos[1])
    gaps = np.array(gaps[4000:])
    touching = [np.median(gaps[sign * gaps > 0.45 * 0.02]) for sign in (1.0, -1.0)]
    assert touching[0] - touching[1] == pytest.approx(0.02, rel=0.02)
    assert len(pushes) > 100 and max(pushes) < 1e-9


def test_play_is_read_back():
    """The second hinge is the backlash of the gears that are read."""
    written = write(PLAYING, "knee", version=VERSION, backlash=True)
    motor = read_actuator(written.text, version=VERSION).fold().motor
    assert motor is not None and motor.gearbox is not None
    assert motor.gearbox.backlash == pytest.approx(0.02, rel=1e-12)
    assert write(motor, "knee", version=VERSION, backlash=True).backlash == written.backlash


def test_play_in_degrees_is_read_out_of_a_file():
    """A model without a word on angles is in degrees, in the file of either generation."""
    for version in ("3.11", "4.0"):
        text = write(PLAYING, "knee", version=version, backlash=True).text.replace('<compiler angle="radian"/>', "")
        motor = read_actuator(text, version=version).fold().motor
        assert motor is not None and motor.gearbox is not None
        assert motor.gearbox.backlash == pytest.approx(np.radians(0.02), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda spec: attach("<mujoco/>", PLAYING, "knee"), "must be a mujoco.MjSpec"),
        (lambda spec: attach(spec, PLAYING, "elbow"), "no such joint; it has 'knee', 'hip'"),
        (lambda spec: attach(spec, PLAYING, "hip"), "is a ball joint"),
        (lambda spec: [attach(spec, PLAYING, "knee") for _ in "12"], "already has the actuator 'knee': replace=True"),
        (
            lambda spec: [attach(spec, PLAYING, "knee", name="n", backlash=True, replace=r) for r in (None, False)],
            "an actuator of that name",
        ),
        (
            lambda spec: [attach(spec, PLAYING, "knee", name=n, backlash=True, replace=False) for n in "12"],
            "has 2 joints",
        ),
        (lambda spec: attach(spec, PLAYING, "knee", replace="yes"), "replace = 'yes': must be True, False"),
        (lambda spec: attach(spec, PLAYING, "knee", armature="keep"), "armature = 'keep': must be 'replace' or 'add'"),
        (lambda spec: attach(spec, PLAYING, "knee", friction=1.0), "friction = 1.0: must be 'replace' or 'add'"),
        (lambda spec: attach(spec, PLAYING, "knee", version="3.9" if VERSION == "4.0" else "4.0"), "is installed"),
        (lambda spec: attach(spec, PLAYING, "knee", stiffness=1.0), "there is no such argument"),
        (lambda spec: attach(spec, PLAYING, "knee", keep="all"), "must be 'line' or 'constants'"),
    ],
)
def test_attach_refuses_in_one_sentence(change, words):
    """What cannot be attached is refused with what is there and the remedy."""
    with pytest.raises(ParameterError, match=words) as error:
        change(mujoco.MjSpec.from_string(ROBOT))
    assert "\n" not in str(error.value)


# --- other people's models

MANY = """
<mujoco><option timestep="0.002"/>
  <default><default class="stiff"><joint damping="0.5 0.1 0.02" frictionloss="0.3" armature="0.01"/></default></default>
  <worldbody>
    <body childclass="stiff"><joint name="a" axis="0 0 1"/><geom size="0.1"/></body>
    <body><joint name="b" axis="0 0 1" actuatorfrcrange="-2 2" actuatorfrclimited="true"/><geom size="0.1"/></body>
    <body><joint name="c" axis="0 0 1"/><geom size="0.1"/><site name="s"/></body>
    <body><joint name="d" axis="0 0 1"/><geom size="0.1"/></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="c" coef="1"/></fixed></tendon>
  <actuator>
    <position name="pa" joint="a" kp="20" kv="2" gear="3" forcerange="-4 4" armature="0.001" damping="0.02"/>
    <motor name="mb" joint="b" gear="5" ctrlrange="-1 1"/>
    <velocity name="vc" joint="c" kv="3"/>
    <motor name="tc" tendon="t"/>
    <muscle name="mc" joint="c" lengthrange="0 1"/>
    <general name="gd" joint="d" gainprm="8" biastype="affine" biasprm="0 -8 -1" delay="0.005" nsample="4"
      interp="linear"/>
  </actuator>
</mujoco>
"""


def joint_torques(
    name: str, joint: str, command: float, text: str = MANY, count: int = 6
) -> tuple[list[float], list[float]]:
    """Torque on a joint in MuJoCo with every step of a motion, and that of the law that is read."""
    model = mujoco.MjModel.from_xml_string(text)
    # dry friction is a constraint of MuJoCo's, beside the forces that are compared
    data, law = mujoco.MjData(model), replace(read_actuator(text, actuator=name, version=VERSION), coulomb=0.0).law()
    state, index = law.initial(()), model.actuator(name).id
    dof, theirs, read_torques = model.joint(joint).dofadr[0], [], []
    for k in range(count):
        q, v = 0.1 * k, 3.0 - k
        data.qpos[:], data.qvel[:], data.ctrl[:] = 0.0, 0.0, 0.0
        data.qpos[model.joint(joint).qposadr[0]], data.qvel[dof], data.ctrl[index] = q, v, command * (1 + k)
        mujoco.mj_step(model, data)
        theirs.append(float(data.qfrc_actuator[dof] + data.qfrc_passive[dof]))
        gear = float(model.actuator_gear[index, 0])
        ours = command * (1 + k) * (gear if name.startswith("m") else 1.0 / gear)
        state, torque = law.step(state, ours, q, v, 0.002)
        read_torques.append(float(torque))
    return theirs, read_torques


@pytest.mark.parametrize(("name", "joint"), [("pa", "a"), ("mb", "b"), ("gd", "d")])
def test_the_law_of_plain_actuators_is_mujocos(name: str, joint: str):
    """Position, motor and affine actuators with gears, delays, limits of the joint and polynomial damping."""
    theirs, ours = joint_torques(name, joint, 0.4)
    assert np.abs(theirs).max() > 0.5 and ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("delay", [0.0005, 0.001, 0.002, 0.003, 0.0055])
@pytest.mark.parametrize("way", ["zoh", "linear"])
def test_the_law_of_a_delay_is_mujocos(delay: float, way: str):
    """Held or interpolated, whole steps or not; no command acts in the step in which it is sent."""
    text = MANY.replace('delay="0.005"', f'delay="{delay}"').replace('"linear"', f'"{way}"')
    theirs, ours = joint_torques("gd", "d", 0.4, text)
    assert np.abs(theirs).max() > 0.5 and ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


def test_reads_plain_actuators():
    """A position actuator is an `IdealPd` at the joint; armature and damping of the actuator are folded in."""
    found = read_actuator(MANY, "a", version=VERSION)
    assert found.actuator.controller == IdealPd(stiffness=180.0, damping=18.0, listens=("position",))
    assert found.joint == "a"
    assert found.armature == pytest.approx(0.01 + 9 * 0.001) and found.coulomb == 0.3
    assert found.viscous == pytest.approx(0.5 + 9 * 0.02) and found.higher_drag == (0.1, 0.02)
    assert read_actuator(MANY, actuator="mb", version=VERSION).fold().controller == Torque()
    assert read_actuator(MANY, actuator=2, version=VERSION).fold().controller == TorquePid(
        kd=3.0, follows="velocity", listens=("velocity",)
    )
    assert read_actuator(mujoco.MjModel.from_xml_string(MANY), "d", version=VERSION).fold().delay == be.Delay(
        seconds=0.005
    )


def geared_model(version: str, inputs: str, controller: str, gear: float) -> str:
    """A model with one dcmotor behind MuJoCo's own gear."""
    return (
        '<mujoco><worldbody><body><joint name="j" axis="0 0 1"/><geom size=".1"/></body></worldbody><actuator>'
        f'<dcmotor name="m" joint="j" motorconst=".05" resistance="1.2" input="{inputs}" controller="{controller}" '
        f'gear="{gear}" damping="1e-4" cogging=".01 6 .4" armature="1e-5" saturation="0.3"/></actuator></mujoco>'
    )


@pytest.mark.parametrize("gear", [12.0, -12.0])
@pytest.mark.parametrize(
    ("version", "inputs", "controller"),
    [
        ("4.0", "voltage", "0"),
        ("4.0", "ff", "0 0 0 0 0 20"),
        ("4.0", "pos vel ff", "2 0.5 0.05 0 0 20"),
        ("4.0", "pos", "2 0 0.05"),
        ("3.11", "voltage", "0"),
        ("3.11", "position", "20 3 0.5 0 0.2 20"),
        ("3.11", "position", "0.2 3 0.05 0 0.1"),
        ("4.0", "pos", "0.02 0.1 0.05 0 0.1"),
        ("3.11", "position", "20 0 -0.01"),
        ("3.11", "velocity", "0.5 2"),
    ],
)
def test_a_gear_of_mujocos_is_ours(version: str, inputs: str, controller: str, gear: float):
    """Our own actuator that is read from a geared dcmotor gives the torque of its law, either way round."""
    text = geared_model(version, inputs, controller, gear)
    found = read_actuator(text, version=version)
    law, step = found.law(), found.actuator.compile("numpy")
    state, own = law.initial(()), step.initial(())
    words = {"pos": "position", "vel": "velocity", "ff": "effort"}
    taken = [words.get(word, word) for word in inputs.split()]
    for k in range(200):
        q, v = 0.3 * np.sin(0.1 * k), 1.5 * np.sin(0.07 * k)
        targets = {"position": 0.4, "velocity": 0.5, "effort": 1.5, "voltage": 8.0}
        command = Command(**{name: targets[name] * np.cos(0.05 * k) for name in taken})
        state, torque = law.step(state, command, q, v, 0.001)
        own, out = step(own, command, q, v, 0.001)
        assert float(out.torque) == pytest.approx(float(torque), rel=1e-9, abs=1e-9)


def test_a_damping_below_the_back_emf_is_read_in_torque():
    """A negative kd in volts is a positive damping of the joint, which only a controller in torque can say."""
    found = read_actuator(geared_model("3.11", "position", "20 0 -0.01", 1.0), version="3.11").fold().controller
    assert isinstance(found, TorquePid) and found.kd == pytest.approx((0.05 - 0.01) * 0.05 / 1.2)
    assert isinstance(
        read_actuator(geared_model("3.11", "position", "20 0 0.01", 1.0), version="3.11").fold().controller, PositionPid
    )


def test_friction_beside_bristles_needs_read_actuator():
    """A Motor has one friction: a frictionloss beside a lugre is refused by `folded` and held by `read_actuator`."""
    text = write(PLAYING, "knee", version=VERSION).text.replace("<joint ", '<joint frictionloss="0.5" ')
    text = text.replace("<dcmotor ", '<dcmotor lugre="10 1 0.2 0.3 1.5" ')
    assert read_actuator(text, version=VERSION).coulomb == 0.5
    with pytest.raises(ParameterError, match="read_actuator returns, which has both"):
        read_actuator(text, version=VERSION).fold()


def test_read_folds_the_joint_into_the_motor():
    """Armature, frictionloss and damping of the joint become rotor, Coulomb friction and drag behind the gear."""
    text = geared_model(VERSION, "voltage", "0", 12.0).replace(
        "<joint ", '<joint armature="1" frictionloss=".6" damping="2" '
    )
    motor = read_actuator(text, version=VERSION).fold().motor
    assert motor is not None and motor.rotor is not None and motor.drag is not None
    assert motor.friction == Coulomb(coulomb=pytest.approx(0.05)) and motor.reflected_inertia == pytest.approx(1.00144)
    assert motor.drag.coefficients == pytest.approx((1e-4 + 2 / 144,))


DEEP = "<default class='c'>" * 3000 + "</default>" * 3000
NESTED = f"<mujoco>{DEEP}<worldbody><body><joint name='j'/></body></worldbody><actuator><dcmotor joint='j'/></actuator>"
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><mujoco model="&b;"/>'
OTHER = "3.11" if VERSION == "4.0" else "4.0"


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        (MANY, {}, "6 actuators fit; give joint=, one of 'a', 'b', 'c', 'd'"),
        (MANY, {"joint": "c"}, "actuators fit"),
        (MANY, {"joint": "z"}, "no actuator drives it; driven are 'a', 'b', 'c', 'd'"),
        (MANY, {"actuator": "zz"}, "no such actuator; it has 'pa', 'mb'"),
        (MANY, {"actuator": 9}, "no such actuator"),
        (MANY, {"actuator": "tc"}, "tendon 't', which moves the joints 'c': only an actuator of a joint"),
        (MANY, {"actuator": "mc"}, "is a muscle"),
        (MANY.replace('"mb"', '"pa"'), {"actuator": "pa"}, "repeated name 'pa'"),
        (MANY, {"version": "2.0"}, "MuJoCo's dcmotor is known for"),
        (MANY.replace("cubic", "x").replace('"linear"', '"cubic"'), {"actuator": "gd"}, "only zoh and linear"),
        (MANY.replace('nsample="4"', 'nsample="1"'), {"actuator": "gd"}, "too few for steps of 0.002 s; give 4"),
        ("<mujoco><actuator>", {}, "is not well-formed XML"),
        ("<mujoco/>", {}, "the model has no actuators"),
        ("<robot/>", {}, "begins with <mujoco>"),
        (BOMB, {}, "DOCTYPE"),
        (f"{NESTED}</mujoco>", {"version": OTHER}, "nested too deeply"),
        (f"{NESTED}</mujoco>", {}, "nested too deeply"),
        ("<mujoco>\0</mujoco>", {}, "is not well-formed XML"),
        ("no model\nat all", {}, "neither an MJCF text nor a path"),
        ("nowhere.xml", {}, "no such file"),
        (b"<mujoco/>", {}, "give an MJCF text"),
        (3.0, {}, "give an MJCF text"),
        (None, {}, "give an MJCF text"),
        (
            geared_model("3.11", "position", "1", 1.0),
            {"version": "4.0"},
            "position and velocity were the words until 3.11",
        ),
        (geared_model(VERSION, "voltage", "0", 0.0), {"version": VERSION}, "gear"),
        (geared_model("4.0", "none", "0", 1.0), {"version": "4.0"}, "no input at all"),
        (geared_model("4.0", "pos voltage", "1", 1.0), {"version": "4.0"}, "a voltage besides a controller"),
        (geared_model("4.0", "vel", "1 0 1", 1.0), {"version": "4.0"}, "without the input pos"),
        (geared_model("3.11", "position", "-1", 1.0), {"version": "3.11"}, "'m': PositionPid.kp = -1"),
    ],
)
def test_read_refuses_in_one_sentence(model, more, words):
    """A model that cannot be read is refused with what is wrong, and never with a traceback from inside."""
    with pytest.raises(ParameterError, match=words) as error:
        read_actuator(model, **({"version": VERSION} | more))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02PK\x03\x04", "<mujoco/>".encode("utf-16"), b"\xff\xfe", b"", b"<mujoco>\xe9</mujoco>"]
)
def test_files_that_are_no_text_are_refused(tmp_path, content: bytes):
    """Binary files, empty ones and other encodings are refused in one sentence."""
    path = tmp_path / "robot.xml"
    path.write_bytes(content)
    with pytest.raises(ParameterError) as error:
        read_actuator(path, version=VERSION)
    assert "robot.xml" in str(error.value) and "\n" not in str(error.value)


def test_a_file_may_begin_with_a_byte_order_mark():
    """A text that an editor marked as UTF-8 is read."""
    assert read_actuator("\ufeff" + write(PLAYING, "knee", version=VERSION).text, version=VERSION).joint == "knee"


@NEWEST
def test_each_control_has_its_own_range():
    """Behind an actuator with three controls, the range of a motor is that of its own control."""
    second = '<motor name="n" joint="j" ctrlrange="-3 4"/></actuator>'
    text = geared_model("4.0", "pos vel ff", "1", 1.0).replace("</actuator>", second)
    assert read_actuator(text, actuator="n").fold().command_range == (-3.0, 4.0)


def test_law_of_a_motor_in_volts_takes_an_effort():
    """Until 3.11 a torque is commanded as R/K·torque + K·velocity, which the law does for a command with an effort."""
    motor = replace(PLAYING, gearbox=Gearbox(stages=(Stage(ratio=9.0),)))
    law = read_actuator(write(Actuator(motor, controller=Torque()), version="3.11").text, version="3.11").law()
    assert law.step(law.initial(()), Command(effort=0.8), 0.0, 5.0, 1e-3)[1] == pytest.approx(0.8, rel=1e-12)


def test_the_law_runs_a_batch():
    """A batch of joints under one law is as good as one after the other."""
    law = read_actuator(
        write(Actuator(PLAYING, delay=be.Delay(steps=1)), "knee", version=VERSION).text, version=VERSION
    ).law()
    many, volts, speed = law.initial((3,)), np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.0, -4.0])
    singles = [law.initial(()) for _ in range(3)]
    for _ in range(4):
        many, torque = law.step(many, volts, 0.0 * speed, speed, 1e-3)
        steps = [law.step(s, v, 0.0, w, 1e-3) for s, v, w in zip(singles, volts, speed, strict=True)]
        singles = [state for state, _ in steps]
        assert torque == pytest.approx([float(one) for _, one in steps], rel=1e-15) and torque.shape == (3,)


def test_dcmotor_of_a_delayed_motor_is_read_without_its_delay():
    """The delay is held beside the motor, whose own law has none."""
    actuator = Actuator(PLAYING, delay=be.Delay(steps=3))
    found = read_actuator(write(actuator, "knee", version=VERSION).text, version=VERSION)
    assert found.history is not None and found.history.delay == pytest.approx(0.006) and found.motor is not None
    assert isinstance(found.motor, DcMotor) and found.actuator.delay == be.Delay(seconds=0.006)
