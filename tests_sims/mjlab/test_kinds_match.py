"""Every kind of actuator that is written, in one scene of real mjlab: the torques are those of the text, read back."""

import numpy as np
import pytest
import rig
from test_files import run

import backemf as be
from backemf.sims.mjlab import files

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
def recorded() -> dict:
    """Texts, targets, motion and torques of a run in which each joint has a kind of its own."""
    texts = {
        name: files.write(actuator, (joint,), name.split(",")[0]).text
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
def test_torques_follow_from_the_text(recorded: dict, name: str):
    """All targets are commanded; each kind takes those that it listens to, within the rounding of float32."""
    joint = list(CASES).index(name)
    law = (found := files.read_actuator(recorded["texts"][name])).law()
    state, worst, peak = law.initial((ENVS,)), 0.0, 0.0
    for target, motion, force in recorded["rows"]:
        told = {n: target[n][:, joint].numpy().astype(float) for n in found.actuator.controller.inputs}
        q, w = (x[:, joint].numpy().astype(float) for x in motion)
        state, ours = law.step(state, be.Command(**told), q, w, rig.TIMESTEP)
        theirs = force[:, joint].numpy().astype(float)
        worst, peak = max(worst, float(np.abs(ours - theirs).max())), max(peak, float(np.abs(theirs).max()))
    assert peak > 0.5
    assert worst < 2e-5 * max(peak, 1.0), (worst, peak)
