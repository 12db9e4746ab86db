"""Every kind of actuator that is written, in one scene of real mjlab: the torques are those of the text, read back."""

import mujoco
import numpy as np
import pytest
import rig
from test_files import compile_arm, run

import backemf as be
from backemf.sims import mjlab

ENVS, STEPS = 3, 120
PD = {"stiffness": 40.0, "damping": 1.2}
FLAT = be.EffortLimit(effort_limit=8.0)
LINE = be.DcClip(effort_limit=12.0, saturation_effort=20.0, velocity_limit=9.0)
MOTOR = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=6e-5),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
    limits=be.Limits(peak_current=10.0),
    ratings=be.Ratings(voltage=24.0),
)
TURNED = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.13),
    rotor=be.Rotor(inertia=6e-5),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=-9.0),)),
    ratings=be.Ratings(voltage=24.0),
)
LAG = be.Delay(steps=(3, 3), schedule="mjlab")


def torque(controller, *limits, **parts) -> be.Actuator:
    return be.Actuator(controller=controller, limits=limits, **parts)


CASES = {
    "dc_motor": torque(be.IdealPd(**PD), LINE),
    "ideal_pd": torque(be.IdealPd(**PD), FLAT),
    "ideal_pd, no limit": torque(be.IdealPd(**PD)),
    "ideal_pd, delayed": torque(be.IdealPd(**PD), FLAT, delay=LAG),
    "builtin_pd": torque(be.IdealPd(**PD, listens=("position", "velocity")), FLAT),
    "builtin_position": torque(be.IdealPd(**PD, listens=("position",)), FLAT),
    "builtin_position, delayed": torque(be.IdealPd(**PD, listens=("position",)), delay=LAG),
    "builtin_velocity": torque(be.TorquePid(kd=3.0, follows="velocity", listens=("velocity",)), FLAT),
    "builtin_motor": torque(be.Torque(), be.EffortLimit(effort_limit=1.1)),
    "builtin_dc_motor": be.Actuator(MOTOR, controller=be.PositionPid(kp=30.0, ki=9.0, kd=0.2, integral_limit=0.1)),
    "builtin_dc_motor, velocity": be.Actuator(MOTOR, controller=be.VelocityPi(kp=5.0, ki=4.0)),
    "builtin_dc_motor, torque gains": be.Actuator(TURNED, controller=be.IdealPd(stiffness=60.0, damping=3.0)),
}
"""One actuator for each joint of the rig."""


@pytest.fixture(scope="module")
def recording() -> dict:
    """Texts, targets, motion and torques of a run in which each joint has a kind of its own."""
    texts = {
        name: mjlab.write(actuator, (joint,), name.split(",")[0]).text
        for (name, actuator), joint in zip(CASES.items(), rig.JOINTS, strict=True)
    }
    built = rig.build(*(run(text) for text in texts.values()), envs=ENVS)
    rows: list[tuple] = []
    for position in rig.targets(ENVS, STEPS, seed=7):
        target = {"position": position, "velocity": 2.0 * position.flip(0), "effort": 2.0 * position.flip(1)}
        built.robot.set_joint_position_target(target["position"])
        built.robot.set_joint_velocity_target(target["velocity"])
        built.robot.set_joint_effort_target(target["effort"])
        motion = built.robot.data.joint_pos.clone(), built.robot.data.joint_vel.clone()
        built.step()
        rows.append((target, motion, built.forces()))
    return {"texts": texts, "rows": rows}


@pytest.mark.parametrize("name", CASES)
def test_objects_are_read_as_their_text(name: str):
    """What mjlab makes of the text is read as the text is, and has no field that is not known."""
    text = mjlab.write(CASES[name], ("knee",), name.split(",")[0]).text
    (of_object,), (of_text,) = mjlab.read_actuators(run(text)), mjlab.read_actuators(text)
    assert of_object == of_text
    assert of_object.joint == "knee"


@pytest.mark.parametrize("name", CASES)
def test_torques_follow_from_the_text(recording: dict, name: str):
    """All targets are commanded; each kind takes those that it listens to, within the rounding of float32."""
    joint = list(CASES).index(name)
    law = (found := mjlab.read_actuator(recording["texts"][name])).law()
    state, worst, peak = law.initial((ENVS,)), 0.0, 0.0
    for target, motion, force in recording["rows"]:
        told = {n: target[n][:, joint].numpy().astype(float) for n in found.actuator.controller.inputs}
        q, w = (x[:, joint].numpy().astype(float) for x in motion)
        state, ours = law.step(state, be.Command(**told), q, w, rig.TIMESTEP)
        theirs = force[:, joint].numpy().astype(float)
        worst, peak = max(worst, float(np.abs(ours - theirs).max())), max(peak, float(np.abs(theirs).max()))
    assert peak > 0.5
    assert worst < 2e-5 * max(peak, 1.0), (worst, peak)


def test_a_learned_actuator_is_loaded_by_mjlab(tmp_path):
    """Text and network file are written; mjlab's torques are those of what is read back, from the first step on."""
    draw = np.random.default_rng(4)
    network = be.learned.Mlp(
        weights=(0.4 * draw.normal(size=(8, 6)), 0.4 * draw.normal(size=(1, 8))), biases=(draw.normal(size=8), [0.1])
    )
    controller = be.learned.LearnedMlp(
        network=network, history=3, position_scale=3.0, velocity_scale=0.2, torque_scale=6.0,
        input_order="velocity_position",
    )  # fmt: skip
    path = be.learned.save_network(controller, tmp_path / "net.pt")
    text = mjlab.write(be.Actuator(controller=controller, limits=(LINE,)), (".*",), network_file=str(path)).text
    made = run(text)
    (found,), (same,) = mjlab.read_actuators(text), mjlab.read_actuators(made)
    assert found.actuator.limits == same.actuator.limits == (LINE,)
    built, law = rig.build(made, envs=ENVS), found.law()
    state, worst, peak = law.initial((ENVS, len(rig.JOINTS))), 0.0, 0.0
    for position in rig.targets(ENVS, STEPS, seed=2):
        built.robot.set_joint_position_target(position)
        q, w = (x.numpy().astype(float) for x in (built.robot.data.joint_pos, built.robot.data.joint_vel))
        state, ours = law.step(state, be.Command(position=position.numpy().astype(float)), q, w, rig.TIMESTEP)
        built.step()
        theirs = built.forces().numpy()
        worst, peak = max(worst, float(np.abs(ours - theirs).max())), max(peak, float(np.abs(theirs).max()))
    assert peak > 5.0
    assert worst < 1e-5 * peak, (worst, peak)


def test_mujoco_holds_no_motor_without_inductance_to_its_voltage():
    """Commanded with 100 V, limited to 24 V, at rest: K/R·100 V without inductance, K/R·24 V with it."""
    forces = []
    for inductance in (None, 1e-4):
        motor = be.Motor(
            winding=be.Winding(resistance=0.5, inductance=inductance),
            magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        )
        written = mjlab.write(be.Actuator(motor, voltage_limit=24.0), ("knee",), "builtin_dc_motor")
        status = next(loss.status for loss in written.statuses if loss.phenomenon == "voltage limit")
        model = compile_arm(run(written.text))
        data = mujoco.MjData(model)
        for _ in range(50):
            data.qpos[:], data.qvel[:], data.ctrl[:] = 0.0, 0.0, 100.0
            mujoco.mj_step(model, data)
        forces.append((status, float(data.actuator_force[0])))
    assert forces == [("approximated", pytest.approx(20.0)), ("kept", pytest.approx(4.8, rel=1e-6))]
