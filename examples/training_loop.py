"""Step a batch of robots in a loop the way reinforcement learning does: actions in, torques, rewards and resets out.

Nothing is trained; the policy is noise. Three kinds of actuator drive the twelve joints of each robot, the motors of
every robot differ, and commands are delayed. Draws training_loop.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

import os
import time
from pathlib import Path

import numpy as np

import backemf as be

ROBOTS, STEPS, DT = 1024, 200, 5e-3
JOINTS = [f"{leg}_{joint}" for leg in ("FL", "FR", "RL", "RR") for joint in ("hip", "thigh", "knee")]


def robot() -> be.ActuatorSet:
    """A small quadruped: datasheet motors at hips and thighs, a torque-speed envelope at the knees."""
    delay = be.Delay(steps=(1, 3))  # drawn anew for each robot at each reset
    supply = be.Supply(voltage=24.0)
    light = be.Datasheet.load("tmotor-ak80-6").motor()
    heavy = be.Datasheet.load("mit-mini-cheetah").motor()
    return be.ActuatorSet(
        JOINTS,
        {
            ".*_hip": be.Actuator(light, supply, controller=be.IdealPd(stiffness=20.0, damping=0.5), delay=delay),
            ".*_thigh": be.Actuator(
                heavy,
                supply,
                controller=be.TorquePid(kp=30.0, kd=0.8, current_bandwidth=2000.0),
                delay=delay,
                substeps=4,
            ),
            ".*_knee": be.Actuator(
                controller=be.IdealPd(stiffness=25.0, damping=0.6),
                limits=be.DcClip(saturation_effort=30.0, velocity_limit=25.0, effort_limit=17.0),
                friction=be.TanhFriction(coulomb=0.2, activation_speed=0.1),
                delay=delay,
            ),
        },
    )


def main() -> None:
    actuators = robot().randomize(
        {
            "winding.resistance": be.random.Scale(0.9, 1.1),
            ("magnet.torque_constant", "magnet.back_emf_constant"): be.random.Scale(0.95, 1.05),
            "supply.voltage": be.random.Uniform(22.0, 25.2, per="environment"),
            ".*_knee": {"limits.0.effort_limit": be.random.Scale(0.8, 1.0)},
        },
        environments=ROBOTS,
        seed=0,
    )
    step = actuators.compile("jax", in_place=True)
    state = step.initial((ROBOTS,), seed=0)
    inertia = 0.03 + actuators.armature
    rng = np.random.default_rng(0)
    position = rng.uniform(-0.2, 0.2, (ROBOTS, len(JOINTS))).astype(np.float32)
    velocity = np.zeros_like(position)
    action = np.zeros_like(position)
    reward, falls, limited, energy = np.zeros(ROBOTS), 0, 0, np.zeros(ROBOTS)
    share_limited, watts = [], []

    began = time.perf_counter()
    for _ in range(STEPS):
        # the policy
        action = np.clip(0.9 * action + 0.2 * rng.standard_normal(action.shape, np.float32), -1.0, 1.0)
        # actuators, then the joints: the torque's slope and stiffness let the host step them implicitly
        pull = -1.5 * np.sin(position)
        state, out = step(state, action, position, velocity, DT, load_torque=pull, load_inertia=inertia)
        torque, slope, stiffness = (np.asarray(x) for x in (out.torque, out.torque_slope, out.torque_stiffness))
        push = torque + pull - DT * stiffness * velocity
        velocity = velocity + DT * push / (inertia + DT * slope + DT * DT * stiffness)
        position = position + DT * velocity
        # reward: follow the action, spend little; the knees have no motor, so no electrical power
        power = np.nansum(np.asarray(out.electrical_power), axis=1)
        reward += -np.square(position - action).mean(axis=1) - 1e-4 * power
        limited += np.count_nonzero(np.asarray(out.limit))
        share_limited.append(100.0 * np.count_nonzero(np.asarray(out.limit)) / action.size)
        watts.append(power.mean())
        energy = np.nansum(np.asarray(out.electrical_energy), axis=1)
        # robots that moved too far are reset
        done = np.abs(position).max(axis=1) > 0.9
        falls += int(done.sum())
        state = step.reset(state, done)
        position[done], velocity[done] = 0.0, 0.0
    took = time.perf_counter() - began

    print(f"{ROBOTS} robots x {len(JOINTS)} joints, {STEPS} steps in {took:.1f} s, compiling included")
    print(f"  reward per step {reward.mean() / STEPS:.3f}, {falls} resets")
    print(f"  electrical energy since the last reset {energy.mean():.1f} ± {energy.std():.1f} J per robot")
    print(f"  a limit acted in {limited / (STEPS * action.size):.1%} of all joint-steps")
    be.plot.curves(
        DT * np.arange(STEPS),
        {"electrical power per robot [W]": watts, "joints at a limit [%]": share_limited},
        "time [s]",
        "power [W], share [%]",
        f"{ROBOTS} robots under a policy of noise",
        path=Path(os.environ.get("BACKEMF_OUT", "out")) / "training_loop.svg",
    )


if __name__ == "__main__":
    main()
