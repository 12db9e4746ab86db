"""The text that is written for mjlab, run by mjlab itself."""

import dataclasses
import warnings

import mujoco
import pytest
from mjlab.actuator import DcMotorInputMode, DcMotorPhysicalParams
from mjlab.entity import Entity, EntityArticulationInfoCfg, EntityCfg

import backemf as be
from backemf.sims import mjlab
from backemf.sims.mjlab.kinds import CLASSES

PD = be.IdealPd(stiffness=31.7, damping=5.0)
DELAY = be.Delay(steps=(1, 4), schedule="mjlab", period=7, hold_probability=0.25, staggered=False)
ARM = """
<mujoco>
  <worldbody>
    <body><joint name="knee" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"/></body>
  </worldbody>
</mujoco>"""


def motor(**parts) -> be.Motor:
    """A motor behind a gear of 9."""
    known = {
        "winding": be.Winding(resistance=0.5),
        "magnet": be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        "rotor": be.Rotor(inertia=6e-5),
        "friction": be.Coulomb(coulomb=0.01),
        "drag": be.Drag(coefficients=(1e-4,)),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=9.0),)),
        "limits": be.Limits(peak_current=20.0),
        "ratings": be.Ratings(voltage=24.0),
    }
    return be.Motor(**{**known, **parts})


def run(text: str):
    """What mjlab makes of the text."""
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(text, scope)
    return scope["actuator"]


def compile_arm(configuration) -> mujoco.MjModel:
    """The arm with the actuator, as mjlab builds it."""
    arm = EntityCfg(
        spec_fn=lambda: mujoco.MjSpec.from_string(ARM),
        articulation=EntityArticulationInfoCfg(actuators=(configuration,)),
    )
    return Entity(arm).spec.compile()


@pytest.mark.parametrize("kind", ["dc_motor", "ideal_pd", "builtin_pd", "builtin_position", "builtin_dc_motor"])
def test_mjlab_takes_the_text(kind: str):
    """Every field that mjlab ends up with is the one that is read back from the text, to the last bit."""
    text = mjlab.write(be.Actuator(motor(), controller=PD, delay=DELAY), ("knee",), kind).text
    made, (found,) = run(text), mjlab.read_configs(text)
    assert type(made).__name__ == CLASSES[kind]
    assert made.target_names_expr == found.joints
    lags = (made.delay_min_lag, made.delay_max_lag, made.delay_update_period, made.delay_hold_prob)
    assert (lags, made.delay_per_env_phase) == (((1, 4, 7, 0.25)), False)
    names = {field.name for field in dataclasses.fields(made)} & {field.name for field in dataclasses.fields(found)}
    for name in names - {"mode", "gear"}:
        value = getattr(made, name)
        assert value == getattr(found, name) or (value == 0.0 and getattr(found, name) is None), name
    assert {"stiffness", "damping", "effort_limit", "armature", "frictionloss", "viscous_damping"} <= names
    compile_arm(made)


def test_armature_and_friction_reach_the_joint():
    """N²·J, N·f and N²·b are the joint's in the compiled model."""
    model = compile_arm(run(mjlab.write(be.Actuator(motor(), controller=PD), ("knee",)).text))
    assert model.dof_armature[0] == pytest.approx(81 * 6e-5)
    assert model.dof_frictionloss[0] == pytest.approx(9 * 0.01)
    assert model.dof_damping[0] == pytest.approx(81 * 1e-4)


def test_motor_parameters_reach_mjlab():
    """The constants of the motor, brought to the joint, in mjlab's own classes."""
    made = run(mjlab.write(be.Actuator(motor()), ("knee",), "builtin_dc_motor").text)
    assert made.mode is DcMotorInputMode.VOLTAGE
    assert made.motor_params == DcMotorPhysicalParams(kt=9 * 0.1, ke=9 * 0.1, resistance=0.5)


@pytest.mark.parametrize("controller", [be.Voltage(), be.PositionPid(kp=11.0, kd=0.4), be.VelocityPi(kp=3.0), PD])
@pytest.mark.parametrize("speed", [-9.0, 0.0, 4.0])
def test_mujoco_gives_the_torque_of_the_motor(controller, speed: float):
    """At a command, an angle and a speed MuJoCo's actuator has the torque of our motor before friction."""
    frictionless = motor(friction=None, drag=None)
    actuator = be.Actuator(frictionless, be.Supply(voltage=24.0), controller=controller)
    model = compile_arm(run(mjlab.write(actuator, ("knee",), "builtin_dc_motor").text))
    data = mujoco.MjData(model)
    command, angle = 0.8, 0.3
    data.ctrl[0], data.qpos[0], data.qvel[0] = command, angle, speed
    mujoco.mj_forward(model, data)
    step = actuator.compile("numpy")
    wanted = be.Command(**{controller.main: command})
    out = step(step.initial(()), wanted, angle, speed, 1e-3)[1]
    assert data.qfrc_actuator[0] == pytest.approx(float(out.torque), rel=1e-9)


def test_dc_clip_of_mjlab_is_the_one_read_back():
    """mjlab warns of no limit in the text, and the clip has the motor's stall torque and no-load speed."""
    text = mjlab.write(be.Actuator(motor(), controller=PD), ("knee",)).text
    made = run(text)
    assert (made.saturation_effort, made.velocity_limit) == pytest.approx((9 * 0.1 * 24 / 0.5, 24 / (9 * 0.1)))
    assert made.effort_limit == pytest.approx(9 * 0.1 * 20)


def test_gear_of_mjlab_divides_the_target():
    """With a gear of 6 a position target of 0.6 rad is met at 0.1 rad, which is why the text has no gear."""
    text = mjlab.write(be.Actuator(motor(), controller=be.PositionPid(kp=11.0)), ("knee",), "builtin_dc_motor").text
    model = compile_arm(run(text.replace("mode=", "gear=6.0,\n    mode=")))
    data = mujoco.MjData(model)
    data.ctrl[0], data.qpos[0] = 0.6, 0.1
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[0] == pytest.approx(0.0, abs=1e-12)
    data.qpos[0] = 0.6
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[0] < -1.0
