"""What twelve full motors cost a quadruped in MuJoCo: a step with them beside a step without, on one core, in one run.

The robot is written as public models of quadrupeds are: elliptic friction cones, feet, shanks and thighs that collide
with the floor, an inertial sensor. Alone, its joints have position actuators of MuJoCo's. With motors, each has a
current, heat, LuGre friction, drag, cogging and a gear under the same gains, through MuJoCo's control callback.
"""

from __future__ import annotations

import time
import warnings
from statistics import median

from full_motor import full_motor

import backemf as be

STIFFNESS, DAMPING = 40.0, 1.0
STANCE = (0.0, 0.9, -1.8)
"""Angles of hip, thigh and knee [rad]."""
BLOCK, ROUNDS = 100, 120
"""Steps that are timed at a time, and how often; both ways take turns, and the shortest time of each counts."""


def quadruped(standing: bool, motors: bool) -> str:
    """A trunk on four legs with twelve joints, on a floor or in the air."""
    legs, actuators = "", ""
    for i, (x, y) in enumerate(((0.19, 0.05), (0.19, -0.05), (-0.19, 0.05), (-0.19, -0.05))):
        side = 0.095 if y > 0.0 else -0.095
        legs += (
            f'<body pos="{x} {y} 0"><joint name="hip{i}" axis="1 0 0" range="-1.05 1.05"/>'
            '<geom type="cylinder" size=".046 .02" zaxis="0 1 0" mass=".68"/>'
            f'<body pos="0 {side} 0"><joint name="thigh{i}" axis="0 1 0" range="-1.57 3.49"/>'
            '<geom type="box" size=".1 .012 .017" pos="0 0 -.1" euler="0 1.5708 0" mass="1.15"/>'
            f'<body pos="0 0 -.213"><joint name="knee{i}" axis="0 1 0" range="-2.72 -.84"/>'
            '<geom type="capsule" size=".012" fromto="0 0 0 .01 0 -.12" mass=".15"/>'
            '<geom type="sphere" size=".022" pos="0 0 -.213" mass=".05" condim="6" friction=".8 .02 .01"/>'
            "</body></body></body>"
        )
        kind = "motor" if motors else f'position kp="{STIFFNESS}" kv="{DAMPING}"'
        actuators += "".join(f'<{kind} name="{j}{i}" joint="{j}{i}"/>' for j in ("hip", "thigh", "knee"))
    floor = '<geom type="plane" size="0 0 1" contype="2" conaffinity="1"/>' if standing else ""
    armature = 0.0 if motors else full_motor().armature
    return (
        '<mujoco><compiler angle="radian"/>'
        f'<option timestep="0.002" integrator="implicitfast" cone="elliptic" impratio="100" '
        f'gravity="0 0 {-9.81 if standing else 0.0}"/>'
        '<default><geom contype="1" conaffinity="2" condim="1" margin="0.001"/>'
        f'<joint armature="{armature}"/></default>'
        f'<worldbody>{floor}<body pos="0 0 .27"><freejoint/><site name="imu"/>'
        f'<geom type="box" size=".19 .047 .057" mass="6.9"/>{legs}</body></worldbody>'
        f"<actuator>{actuators}</actuator>"
        '<sensor><gyro site="imu"/><accelerometer site="imu"/><framequat objtype="site" objname="imu"/></sensor>'
        "</mujoco>"
    )


def prepare(standing: bool, motors: bool):
    """Model and data, and with motors those too, after a second of holding its stance."""
    import mujoco

    from backemf.sims.mujoco import Motors

    model = mujoco.MjModel.from_xml_string(quadruped(standing, motors))
    data = mujoco.MjData(model)
    data.qpos[7:] = data.ctrl[:] = STANCE * 4
    if not motors:
        mujoco.mj_step(model, data, nstep=500)
        return model, data, None
    pd = be.IdealPd(stiffness=STIFFNESS, damping=DAMPING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        on_joints = Motors(
            model, {"hip.|thigh.|knee.": be.Actuator(full_motor(), be.Supply(voltage=48.0), controller=pd)}
        )
    with on_joints.install():
        mujoco.mj_step(model, data, nstep=500)
    return model, data, on_joints


def measure(standing: bool, rounds: int = ROUNDS) -> dict[str, float]:
    """Microseconds of a step alone, with motors and with `motors.step` from Python, and shares of the motors."""
    import mujoco

    model, data, _ = prepare(standing, False)
    driven, moved, motors = prepare(standing, True)
    alone, full, stepped = [], [], []
    for _ in range(rounds):
        alone.append(_microseconds(lambda: mujoco.mj_step(model, data, nstep=BLOCK)))
        with motors.install():
            full.append(_microseconds(lambda: mujoco.mj_step(driven, moved, nstep=BLOCK)))
    targets = moved.ctrl.copy()
    for _ in range(rounds // 4):
        stepped.append(_microseconds(lambda: [motors.step(moved, targets) for _ in range(BLOCK)]))
    return {
        "alone_us": min(alone),
        "motors_us": min(full),
        "share": min(full) / min(alone) - 1.0,
        "share_median": median(b / a - 1.0 for a, b in zip(alone, full, strict=True)),
        "python_us": min(stepped),
    }


def _microseconds(call) -> float:
    start = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - start) / (1e3 * BLOCK)


def main() -> None:
    print(f"{'quadruped, 12 full motors':28} {'alone':>8} {'motors':>8} {'more':>6} {'median':>7} {'motors.step':>12}")
    for words, standing in (("standing on four feet", True), ("in the air, no contacts", False)):
        seen = measure(standing)
        print(
            f"{words:28} {seen['alone_us']:6.2f}µs {seen['motors_us']:6.2f}µs {seen['share']:5.0%} "
            f"{seen['share_median']:6.0%} {seen['python_us']:10.2f}µs"
        )


if __name__ == "__main__":
    main()
