"""Motors in kernels of Warp: the numbers of PyTorch's step, all configs of a robot in one launch, resets included."""

from __future__ import annotations

import pytest
import torch
from rig import Rig, build, targets

import backemf as be
from backemf.errors import ParameterError
from backemf.sims.mjlab import MotorActuatorCfg
from backemf.sims.mjlab.joined import JoinedMotors

DEVICES = ["cpu", *(["cuda:0"] if torch.cuda.is_available() else [])]
ENVS, STEPS, RESET = 4, 40, 20
READ = ("torque", "current", "winding_temperature", "electrical_energy", "limit", "mechanical_power")
DELAYS = {
    "no delay": None,
    "one lag per robot": be.Delay(steps=(1, 3)),
    "a lag per step": be.Delay(steps=(0, 4), schedule="step"),
    "a lag per joint": be.Delay(seconds=(0.0, 0.006), schedule="episode", per="joint"),
}


def motor(friction: bool = False) -> be.Motor:
    """A geared motor with current and heat."""
    rubs = be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=10.0, damping=0.001)
    return be.Motor(
        winding=be.Winding(resistance=0.5, inductance=1e-4, temperature_coefficient=0.004),
        magnet=be.Magnet(torque_constant=0.06, back_emf_constant=0.06),
        rotor=be.Rotor(inertia=5e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
        thermal=be.Thermal(resistance=2.0, capacitance=0.5),
        friction=rubs if friction else None,
    )


def actuator(stiffness: float, delay: be.Delay | None = None, friction: bool = False) -> be.Actuator:
    return be.Actuator(
        motor(friction),
        be.Supply(voltage=24.0, resistance=0.05),
        controller=be.IdealPd(stiffness=stiffness, damping=0.8),
        limits=(be.EffortLimit(effort_limit=20.0),),
        delay=delay,
    )


def two_configs(engine: str, make=actuator, **options) -> tuple[MotorActuatorCfg, ...]:
    """Hips and thighs in one config, knees in another."""
    common = {"engine": engine, "eager": engine == "torch", **options}
    return (
        MotorActuatorCfg(target_names_expr=(".*_hip", ".*_thigh"), actuator=make(30.0), seed=1, **common),
        MotorActuatorCfg(target_names_expr=(".*_knee",), actuator=make(20.0), seed=2, **common),
    )


def history(rig: Rig, read: tuple[str, ...] = READ) -> list[torch.Tensor]:
    """Torques, positions and telemetry of all steps; half the robots are reset and all gains are drawn on the way."""
    device, rows = rig.sim.device, []
    for step, target in enumerate(targets(ENVS, STEPS, seed=3)):
        rig.robot.set_joint_position_target(target.to(device))
        rig.step()
        if step == RESET:
            chosen = torch.tensor([1, 3], device=device)
            rig.reset(chosen)
            for each in rig.robot.actuators:
                each.set_gains(chosen, kp=1.5 * each.stiffness[chosen])
            rig.scene.write_data_to_sim()
        rows.append(
            torch.cat(
                [
                    rig.robot.data.qfrc_actuator[:, rig.robot.indexing.joint_v_adr].clone(),
                    rig.robot.data.joint_pos.clone(),
                    *(each.reading(name).to(torch.float32) for each in rig.robot.actuators for name in read),
                ],
                dim=1,
            ).cpu()
        )
    return rows


def apart(ours: list[torch.Tensor], theirs: list[torch.Tensor]) -> float:
    """Largest difference of a column over its peak [1]."""
    ours_, theirs_ = torch.stack(ours), torch.stack(theirs)
    peak = theirs_.abs().amax(dim=(0, 1)).clamp_min(1e-3)
    return float(((ours_ - theirs_).abs().amax(dim=(0, 1)) / peak).max())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("delay", DELAYS.values(), ids=list(DELAYS))
def test_kernels_give_the_numbers_of_pytorch(delay, implicit, device):
    """The same laws in float32: torques, motion and telemetry differ by rounding, across a reset and new gains."""

    def make(stiffness):
        return actuator(stiffness, delay)

    ours = history(build(*two_configs("warp", make, implicit=implicit), envs=ENVS, device=device))
    theirs = history(build(*two_configs("torch", make, implicit=implicit), envs=ENVS, device=device))
    assert apart(ours, theirs) < 2e-4


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("implicit", [True, False])
def test_friction_finds_its_load_in_the_tables(implicit, device):
    """LuGre friction asks for the torque of the load, which a kernel sums up from the simulation's tables."""

    def make(stiffness):
        return actuator(stiffness, friction=True)

    ours = history(build(*two_configs("warp", make, implicit=implicit), envs=ENVS, device=device))
    theirs = history(build(*two_configs("torch", make, implicit=implicit), envs=ENVS, device=device))
    assert apart(ours, theirs) < 2e-3


@pytest.mark.parametrize("device", DEVICES)
def test_a_law_without_a_motor(device):
    """The DC clip has no state, and its kernel agrees with PyTorch's."""
    clip = be.DcClip(saturation_effort=50.0, velocity_limit=30.0, effort_limit=25.0)

    def make(stiffness):
        return be.Actuator(controller=be.IdealPd(stiffness=stiffness, damping=0.8), limits=(clip,))

    ours = history(build(*two_configs("warp", make), envs=ENVS, device=device), ("torque",))
    theirs = history(build(*two_configs("torch", make), envs=ENVS, device=device), ("torque",))
    assert apart(ours, theirs) < 1e-5


def test_all_configs_of_a_robot_are_one_launch():
    """mjlab's list of actuators holds one object for both configs; their controls are those of each by itself."""
    together = build(*two_configs("warp"), envs=ENVS)
    together.scene.write_data_to_sim()
    assert [type(x) for x in together.robot._custom_actuators] == [JoinedMotors]
    apart_ = build(*two_configs("warp"), envs=ENVS)
    apart_.robot._custom_actuators = tuple(apart_.robot.actuators)
    for each in apart_.robot.actuators:
        each._looked = True
    assert all(torch.equal(a, b) for a, b in zip(history(together), history(apart_), strict=True))
    assert all(each.joined is None for each in apart_.robot.actuators)


def test_a_reset_of_one_config_leaves_the_step_of_the_other():
    """Knees are reset between controls and step: they make no step then, and the hips make theirs."""
    rig = build(*two_configs("warp"), envs=ENVS)
    hips, knees = rig.robot.actuators
    rig.robot.set_joint_position_target(torch.full((ENVS, 12), 0.5))
    for _ in range(3):
        rig.step()
    rig.scene.write_data_to_sim()
    rig.sim.step()
    before = hips.reading("electrical_energy").clone()
    knees.reset()
    rig.scene.update(dt=0.002)
    assert (hips.reading("electrical_energy") != before).all()
    assert (knees.reading("electrical_energy") == 0.0).all()


def test_a_command_of_ones_own():
    """`compute` takes any command of mjlab's: with that of the simulation the torque is the same, else it is not."""
    rig = build(*two_configs("warp"), envs=ENVS)
    rig.robot.set_joint_position_target(torch.full((ENVS, 12), 0.5))
    rig.step()
    knees = rig.robot.actuators[1]
    tables = knees.get_command(rig.robot.data)
    expected = knees.compute(tables).clone()
    given = super(MotorActuatorCfg, knees.cfg).build(rig.robot, knees._target_ids_list, knees._target_names)
    given._target_ids = knees.target_ids
    command = given.get_command(rig.robot.data)
    assert torch.equal(knees.compute(command), expected)
    rig.scene.update(dt=0.002)
    command.position_target = command.position_target + 0.5
    assert (knees.compute(command) > expected).all()


def test_kernels_refuse_what_they_do_not_know():
    """A delay of one target alone needs PyTorch; an engine that is not there is named."""
    late = {"delays": (be.Delay(steps=2, targets=("position",)),)}
    with pytest.raises(ParameterError, match="delays of single targets"):
        build(MotorActuatorCfg(target_names_expr=(".*",), actuator=actuator(30.0), engine="warp", **late))
    with pytest.raises(ParameterError, match="engine = 'jax'"):
        MotorActuatorCfg(target_names_expr=(".*",), actuator=actuator(30.0), engine="jax")


@pytest.mark.skipif(len(DEVICES) == 1, reason="needs an NVIDIA GPU")
def test_nothing_waits_for_the_gpu():
    """Controls, steps, resets and new gains make the host wait for nothing."""
    rig = build(*two_configs("warp"), envs=ENVS, device="cuda:0")
    chosen = torch.tensor([1, 3], device="cuda:0")
    for _ in range(3):
        rig.step()
    torch.cuda.set_sync_debug_mode("error")
    try:
        rig.step()
        for each in rig.robot.actuators:
            each.reset(chosen)
            each.set_gains(chosen, kp=each.stiffness[chosen])
            each.set_effort_limit(chosen, each.force_limit[chosen])
        rig.scene.write_data_to_sim()
        rig.step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.skipif(len(DEVICES) == 1, reason="needs an NVIDIA GPU")
def test_a_wrong_gain_on_a_gpu_is_said_a_little_later():
    """A negative gain is found when the numbers have come over."""
    rig = build(*two_configs("warp"), envs=ENVS, device="cuda:0")
    rig.robot.actuators[0].set_gains(torch.tensor([1], device="cuda:0"), kp=torch.full((1, 8), -1.0, device="cuda:0"))
    with pytest.raises(ParameterError, match="kp = -1"):
        for _ in range(100):
            rig.step()
            torch.cuda.synchronize()
