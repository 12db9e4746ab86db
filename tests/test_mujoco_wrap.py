"""The actuators that a model has already, as ours: what each takes, what is left as it is, and the same motion."""

import warnings

import numpy as np
import pytest
from mujoco_rig import mujoco, of_peak
from mujoco_write_rig import VERSION

import backemf as be
from backemf.errors import ParameterError
from backemf.sims.mujoco import Motors, wrap
from backemf.sims.mujoco.versions import in_volts

OLD = in_volts(VERSION)
MIXED = """
<mujoco><worldbody>
  <body><joint name="l_hip" axis="0 0 1"/><geom size="0.1"/><site name="s"/>
    <body><joint name="l_knee" axis="0 1 0"/><geom size="0.1"/></body></body>
  <body><joint name="r_hip" axis="0 0 1"/><geom size="0.1"/><site name="t" pos="0.2 0 0"/>
    <body><joint name="r_knee" axis="0 1 0"/><geom size="0.1"/></body></body>
  <body><joint axis="0 0 1"/><geom size="0.1"/></body>
  <body><joint name="twice"/><geom size="0.1"/></body>
  <body><joint name="ball" type="ball"/><geom size="0.1"/></body>
  <body name="pad"><joint name="slow"/><geom size="0.1"/></body></worldbody>
  <tendon><fixed name="cord"><joint joint="l_hip" coef="1"/></fixed></tendon>
  <actuator>
    <motor name="cord" tendon="cord"/>
    <position name="lh" joint="l_hip" kp="30" kv="1"/>
    <muscle name="muscle" joint="l_knee" lengthrange="0 1"/>
    <velocity name="rh" joint="r_hip" kv="2"/>
    <dcmotor name="rk" joint="r_knee" motorconst="0.05" resistance="1.2" gear="12" thermal="5 10 0 0.0039 25 25"/>
    <motor name="unknown" site="s"/>
    <motor name="one" joint="twice"/><motor name="two" joint="twice"/>
    <general name="filtered" joint="slow" dyntype="filter" dynprm="0.1"/>
    <motor name="round" joint="ball"/>
  </actuator>
</mujoco>
"""


def test_one_that_cannot_be_wrapped_does_not_refuse_the_others():
    """A tendon, a muscle, a site, two on a joint, a filter and a ball joint stay, each with its reason."""
    found = wrap(MIXED)
    assert found.joints == ("l_hip", "r_hip", "r_knee")
    assert [row.name for row in found.unread] == [
        "cord", "muscle", "unknown", "one", "two", "filtered", "round",
    ]  # fmt: skip
    assert next(row.kind for row in found.unread if row.name == "muscle") == "muscle"
    for row in found.unread:
        assert repr(row.name) in row.why and "\n" not in row.why
    model = mujoco.MjModel.from_xml_string(MIXED)
    kept = [model.actuator(row.name).id for row in found.unread]
    before = {name: getattr(model, name)[kept].copy() for name in ("actuator_gainprm", "actuator_biasprm")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motors, data = Motors(model, found, engine="numpy"), mujoco.MjData(model)
    motors.step(data, {"l_hip": 0.1, "r_hip": 0.2, "r_knee": 3.0})
    assert all((getattr(model, name)[kept] == rows).all() for name, rows in before.items())
    assert np.isfinite(motors.output.torque).all() and motors["r_knee"].voltage == 3.0


@pytest.mark.parametrize(
    ("patterns", "joints", "left"),
    [
        (None, ("l_hip", "r_hip", "r_knee"), 7),
        (".*_hip", ("l_hip", "r_hip"), 0),
        (("l_.*", "r_knee"), ("l_hip", "r_knee"), 1),
        (["r_.*"], ("r_hip", "r_knee"), 0),
    ],
)
def test_patterns_choose_the_joints(patterns, joints, left):
    """Only what drives a joint that a pattern matches is looked at."""
    found = wrap(MIXED, patterns)
    assert found.joints == joints and len(found.unread) == left


@pytest.mark.parametrize(
    ("text", "patterns", "words"),
    [
        (MIXED, "elbow", "'elbow' matches no joint that an actuator drives; there are l_hip"),
        (MIXED, "(", "is not a regular expression"),
        (MIXED, 3, "must be patterns of joint names"),
        (MIXED, (), "must be patterns of joint names"),
        (MIXED, ("l_knee",), "no actuator of the model can be wrapped: actuator 'muscle'"),
        ("<mujoco/>", None, "it has no actuators"),
    ],
)
def test_wrap_refuses_in_one_sentence(text, patterns, words):
    """A pattern that matches nothing is a mistake, and a set of nothing cannot be."""
    with pytest.raises(ParameterError) as caught:
        wrap(text, patterns)
    assert words in str(caught.value) and "\n" not in str(caught.value)


PLAIN = [("position", "position"), ("velocity", "velocity"), ("motor", "effort")]
INPUTS = (
    ["voltage", "position", "velocity"]
    if OLD
    else ["voltage", "pos", "vel", "ff", "pos vel", "pos ff", "vel ff", "pos vel ff"]
)
WORDS = {"pos": "position", "vel": "velocity", "ff": "effort"}


def servo(kind: str) -> str:
    gains = {"position": 'kp="30" kv="1"', "velocity": 'kv="2"', "motor": ""}[kind]
    return f'<{kind} name="m" joint="j" {gains} gear="2"/>'


def dcmotor(inputs: str, more: str = "") -> str:
    gains = (
        ""
        if inputs in ("voltage", "ff")
        else 'controller="0 0 0.05"'
        if "pos" not in inputs
        else 'controller="2 0 0.05"'
    )
    if inputs == "velocity":
        gains = 'controller="0.5"'
    return (
        f'<dcmotor name="m" joint="j" motorconst="0.05" resistance="1.2" gear="12" armature="1e-5" damping="1e-4" '
        f'input="{inputs}" {gains} {more}/>'
    )


def hinge(actuator: str, dt: float = 1e-3) -> str:
    return (
        f'<mujoco><option timestep="{dt}" integrator="implicitfast" gravity="0 0 0"/><worldbody><body>'
        '<joint name="j" axis="0 0 1" damping="0.01"/><inertial pos="0 0 0" mass="1" diaginertia=".02 .02 .02"/></body>'
        f"</worldbody><actuator>{actuator}</actuator></mujoco>"
    )


@pytest.mark.parametrize(
    ("text", "taken"),
    [(servo(kind), {target}) for kind, target in PLAIN]
    + [(dcmotor(words), {WORDS.get(word, word) for word in words.split()}) for words in INPUTS],
)
def test_each_kind_takes_what_mujocos_takes(text: str, taken: set[str]):
    """A <position> follows a position and nothing else: a velocity target is refused, as MuJoCo has no place for it."""
    found = wrap(hinge(text))
    assert set(found["j"].controller.inputs) == taken
    step = found.compile("numpy")
    for name in ("position", "velocity", "effort", "voltage"):
        command = be.Command(**dict.fromkeys(taken | {name}, 0.1))
        if name in taken:
            step(step.initial(()), command, np.zeros(1), np.zeros(1), 1e-3)
        else:
            with pytest.raises(ParameterError, match=f"Command.{name}"):
                Motors(mujoco.MjModel.from_xml_string(hinge(text)), found, engine="numpy").step(
                    mujoco.MjData(mujoco.MjModel.from_xml_string(hinge(text))), command
                )


def move_both(text: str, controls, command) -> tuple[np.ndarray, np.ndarray, Motors]:
    """Positions under a square wave in MuJoCo itself, and with the wrapped actuators in its place."""
    model = mujoco.MjModel.from_xml_string(text)
    steps = round(0.6 / model.opt.timestep)
    wave = np.where(np.sin(np.arange(steps) * model.opt.timestep * 12.0) >= 0.0, 1.0, -1.0)
    runs, motors = [], Motors(mujoco.MjModel.from_xml_string(text), wrap(text), engine="numpy")
    data, ours = mujoco.MjData(model), mujoco.MjData(motors.model)
    for side in wave:
        data.ctrl[:] = side * np.array(controls)
        mujoco.mj_step(model, data)
        motors.step(ours, be.Command(**{name: side * value for name, value in command.items()}))
        runs.append((data.qpos[0], ours.qpos[0]))
    theirs, mine = np.array(runs).T
    return theirs, mine, motors


TARGETS = {"position": 0.4, "velocity": 0.5, "effort": 0.3, "voltage": 8.0}


@pytest.mark.parametrize(
    "text",
    [servo("velocity"), servo("motor")] + [dcmotor(words) for words in INPUTS],
)
def test_the_motion_is_mujocos(text: str):
    """Rotor, drag, gear and gains are counted once: the wrapped actuator moves the joint as MuJoCo's own does."""
    gear = 12.0 if "dcmotor" in text else 2.0
    scale = {"position": gear, "velocity": gear, "effort": 1.0 / gear, "voltage": 1.0}
    taken = list(wrap(hinge(text))["j"].controller.inputs)
    controls = [scale[name] * TARGETS[name] for name in taken]
    theirs, mine, _ = move_both(hinge(text), controls, {name: TARGETS[name] for name in taken})
    assert np.abs(theirs).max() > 0.01 and of_peak(mine, theirs) < 1e-9


def test_a_position_servo_differs_by_the_step_alone():
    """MuJoCo takes the spring at the start of a step, we at its end: a quarter of the step, a quarter apart."""
    apart = []
    for dt in (1e-3, 2.5e-4):
        theirs, mine, _ = move_both(hinge(servo("position"), dt), [0.8], {"position": 0.4})
        apart.append(of_peak(mine, theirs))
    assert apart[0] < 0.05 and apart[0] / apart[1] == pytest.approx(4.0, rel=0.2)


def test_states_of_a_dcmotor_rest_and_come_back():
    """Its winding heats in our motor and not in MuJoCo's act; `release` gives the model back as it was."""
    text = hinge(dcmotor("voltage", 'thermal="5 10 0 0.0039 25 25" inductance="1e-3"'))
    _, _, motors = move_both(text, [8.0], {"voltage": 8.0})
    (record,) = motors._records.all()
    data = record.data
    assert data.act.shape == (2,) and not data.act.any()
    assert motors["j"].winding_temperature > 25.5
    motors.release()
    model, before = motors.model, mujoco.MjModel.from_xml_string(text)
    for name in dir(before):
        if name.startswith(("actuator_", "dof_", "jnt_")):
            assert np.array_equal(getattr(model, name), getattr(before, name)), name


def test_several_controls_need_a_command():
    """A dcmotor with two controls has no single number in data.ctrl: within `install` the motors are told."""
    if OLD:
        pytest.skip("an actuator has one control until 3.11")
    model = mujoco.MjModel.from_xml_string(hinge(dcmotor("pos vel")))
    motors, data = Motors(model, wrap(model), engine="numpy"), mujoco.MjData(model)
    with pytest.raises(ParameterError, match="several controls"), motors.install():
        mujoco.mj_step(model, data)
    with motors.install():
        motors.command = be.Command(position=0.3, velocity=0.0)
        mujoco.mj_step(model, data)
    assert motors["j"].torque > 0.0


def test_each_motor_hears_its_own_control():
    """Behind an actuator of three controls, data.ctrl of a motor is the fourth."""
    if OLD:
        pytest.skip("an actuator has one control until 3.11")
    two = '<body><joint name="k" axis="0 0 1"/><geom size="0.1"/></body></worldbody>'
    text = hinge(dcmotor("pos vel ff") + '<motor name="k" joint="k"/>').replace("</worldbody>", two)
    model = mujoco.MjModel.from_xml_string(text)
    motors, data = Motors(model, wrap(model, "k"), engine="numpy"), mujoco.MjData(model)
    with motors.install():
        data.ctrl[3] = 0.7
        mujoco.mj_step(model, data)
    assert motors["k"].torque == pytest.approx(0.7)
