"""How a torque falls with speed and position, controller included; a host that uses it can take large steps."""

import numpy as np
import pytest
from controller_kinds import ALL, BUS, DT, LARGE, SUPPLY, TORQUE_LOOPS, motor

import backemf as be


def slopes(actuator: be.Actuator, command, q: float, v: float):
    """The output, and -d(torque)/d(speed) and -d(torque)/d(position) by differences, from a state under way."""
    step = actuator.compile("python")
    state = step.initial()
    for k in range(5):
        state, _ = step(state, command, q - 0.01 * (5 - k), v, DT)

    def torque(position: float, velocity: float) -> float:
        return step(state, command, position, velocity, DT)[1].torque

    h = 1e-5
    by_speed = -(torque(q, v + h) - torque(q, v - h)) / (2 * h)
    by_position = -(torque(q + h, v) - torque(q - h, v)) / (2 * h)
    return step(state, command, q, v, DT)[1], by_speed, by_position


def agree(actuator: be.Actuator, command, limit: str | None, q: float = 0.1, v: float = -0.7) -> None:
    out, by_speed, by_position = slopes(actuator, command, q, v)
    assert be.limit_names(out.limit) == ([] if limit is None else [limit])
    assert out.torque_slope == pytest.approx(by_speed, rel=1e-6, abs=1e-9)
    assert out.torque_stiffness == pytest.approx(by_position, rel=1e-6, abs=1e-9)


SMALL = {"position": 0.15, "velocity": -0.6, "effort": 0.05, "voltage": 1.0}
"""Commands that no limit holds back."""
MOTORS = {"plain": {}, "turned round": {"ratio": -10.0}, "inductive": {"inductance": 1e-3}}


@pytest.mark.parametrize("kind", MOTORS)
@pytest.mark.parametrize("name", ALL)
def test_slopes_of_a_motor_without_limits(name: str, kind: str):
    """Both equal the differences of the torque."""
    agree(be.Actuator(motor(**MOTORS[kind]), SUPPLY, controller=ALL[name]), SMALL[ALL[name].main], None)


@pytest.mark.parametrize("name", ["effort", "velocity"])
@pytest.mark.parametrize("selector", [name for name in ALL if name.startswith("ModeSelector")])
def test_slopes_in_every_mode(selector: str, name: str):
    """Each mode has its own."""
    agree(be.Actuator(motor(), SUPPLY, controller=ALL[selector]), be.Command(**{name: SMALL[name]}), None)


LIMITED = {
    "voltage limit": ("voltage", {"voltage_limit": 1.5}, {}),
    "supply": ("voltage", {"supply": be.Supply(voltage=1.5)}, {}),
    "current limit": ("current", {}, {"limits": be.Limits(peak_current=0.5)}),
    "current rate": ("current rate", {}, {"limits": be.Limits(current_rate=10.0), "inductance": 1e-3}),
    "effort limit": ("torque", {"limits": be.EffortLimit(effort_limit=0.1)}, {}),
    "clip, slanted": (
        "torque",
        {"limits": be.DcClip(saturation_effort=0.1, velocity_limit=9.0, effort_limit=1.0)},
        {},
    ),
    "envelope and clip, turned round": (
        "torque",
        {
            "limits": (
                be.DriveEnvelope(max_effort=0.4, max_actuator_velocity=2.0, speed_effort_gradient=10.0),
                be.DcClip(saturation_effort=9.0, velocity_limit=9.0, effort_limit=5.0),
            )
        },
        {"ratio": -10.0},
    ),
    "clip, flat": ("torque", {"limits": be.DcClip(saturation_effort=2.0, velocity_limit=9.0, effort_limit=0.1)}, {}),
}


@pytest.mark.parametrize("limit", LIMITED)
@pytest.mark.parametrize("name", ALL)
def test_slopes_of_a_motor_at_a_limit(name: str, limit: str):
    """A torque at its limit does not follow the controller; at a voltage limit the back-EMF is left."""
    flag, more, parts = LIMITED[limit]
    actuator = be.Actuator(motor(**parts), **{"supply": be.Supply(voltage=48.0), "controller": ALL[name]} | more)
    # of the servo less is asked: its PWM limit is another matter
    command = 0.25 if name == "DutyServo" and limit != "supply" else LARGE[ALL[name].main]
    # a braking bound that fades counts as flat, so the envelope is asked while it drives; plain volts turn a motor
    # behind reversing gears the other way
    backwards = name == "Voltage" or name.startswith("ModeSelector")
    agree(actuator, command, flag, v=0.7 if "envelope" in limit and not backwards else -0.7)


@pytest.mark.parametrize(("error", "flag"), [(3.0, "voltage"), (0.01, None), (0.06, None)])
def test_slopes_of_a_servo(error: float, flag: str | None):
    """At its PWM limit, in its dead band and beyond it."""
    controller = be.DutyServo(kp=5.0, kd=0.05, pwm_limit=0.5, dead_band=0.02)
    agree(be.Actuator(motor(), be.Supply(voltage=BUS), controller=controller), 0.1 + error, flag)


JOINT_LIMITS = {
    "none": (),
    "effort": be.EffortLimit(effort_limit=0.1),
    "clip, flat": be.DcClip(saturation_effort=2.0, velocity_limit=9.0, effort_limit=0.1),
    "clip, slanted": be.DcClip(saturation_effort=0.1, velocity_limit=9.0, effort_limit=1.0),
    "clips": (
        be.DcClip(saturation_effort=0.1, velocity_limit=9.0, effort_limit=1.0),
        be.DcClip(saturation_effort=0.2, velocity_limit=9.0, effort_limit=2.0),
    ),
}
BARE_LOOPS = [name for name in TORQUE_LOOPS if "current" not in name]


@pytest.mark.parametrize("speed", [0.7, -0.7])
@pytest.mark.parametrize("limit", JOINT_LIMITS)
@pytest.mark.parametrize("name", BARE_LOOPS)
def test_slopes_without_a_motor(name: str, limit: str, speed: float):
    """The PD's gains, or the slope of the limit that acts."""
    actuator = be.Actuator(controller=TORQUE_LOOPS[name], limits=JOINT_LIMITS[limit])
    agree(actuator, LARGE[TORQUE_LOOPS[name].main], None if limit == "none" else "torque", v=speed)


@pytest.mark.parametrize(
    "limit",
    [
        be.DriveEnvelope(max_effort=0.1, max_actuator_velocity=9.0, velocity_dependent_resistance=0.02),
        be.DriveEnvelope(max_effort=0.9, max_actuator_velocity=1.0, speed_effort_gradient=3.0),
        be.KneeCurve(driving_effort=0.1, braking_effort=0.3, knee_speed=0.2, no_load_speed=2.0),
    ],
)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_slopes_of_limits_that_fall_with_speed(limit, side: float):
    """While it drives, a torque at its limit falls as the limit does; while it brakes, the limit counts as flat."""
    actuator = be.Actuator(controller=be.Torque(), limits=limit)
    agree(actuator, 5.0 * side, "torque", v=0.7 * side)
    assert slopes(actuator, -5.0 * side, 0.1, 0.7 * side)[0].torque_slope == 0.0


def test_slopes_with_friction_of_the_joint():
    """The friction of a joint without a motor is in its slope."""
    friction = be.TanhFriction(coulomb=0.2, activation_speed=0.5, viscous=0.05)
    agree(be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.15), friction=friction), 0.15, None)


# --- what the slopes are for


def swings(actuator: be.Actuator, dt: float, implicit: bool, steps: int = 300) -> np.ndarray:
    """Positions of a joint that is let go at 0.1 rad, by a host that steps explicitly or with the slopes."""
    step = actuator.compile("python")
    state, q, v, inertia = step.initial(), 0.1, 0.0, 0.01
    inertia += 0.0 if actuator.motor is None else actuator.motor.armature
    seen = []
    for _ in range(steps):
        state, out = step(state, be.Command(position=0.0), q, v, dt)
        push, felt = out.torque, inertia
        if implicit:
            push -= dt * out.torque_stiffness * v
            felt += dt * out.torque_slope + dt * dt * out.torque_stiffness
        v += dt * push / felt
        q += dt * v
        seen.append(q)
        if abs(q) > 1e6:
            break
    return np.abs(seen)


GAINS = {"kp": 400.0, "kd": 20.0}
STIFF = {
    "IdealPd": be.Actuator(controller=be.IdealPd(stiffness=400.0, damping=20.0)),
    "IdealPd, motor": be.Actuator(motor(), controller=be.IdealPd(stiffness=400.0, damping=20.0)),
    "TorquePid, motor": be.Actuator(motor(), controller=be.TorquePid(**GAINS)),
    "TorquePid, inductive motor": be.Actuator(motor(inductance=1e-4), controller=be.TorquePid(**GAINS)),
    "TorquePid, current loop": be.Actuator(motor(), controller=be.TorquePid(**GAINS, current_bandwidth=5000.0)),
    "PositionPid": be.Actuator(motor(), controller=be.PositionPid(kp=800.0, kd=40.0)),
}


@pytest.mark.parametrize("name", STIFF)
def test_stiff_loops_are_stable_with_the_slopes(name: str):
    """kd·dt/J = 10 throws an explicit host off; one that adds dt·slope + dt²·stiffness to J comes to rest."""
    assert swings(STIFF[name], 5e-3, implicit=False).max() > 1e3
    calm = swings(STIFF[name], 5e-3, implicit=True)
    assert calm.max() <= 0.1 + 1e-12
    assert calm[-1] < 1e-6


def test_damping_alone_needs_the_slope_alone():
    """J + dt·slope is enough where only the damping is too high for the step."""
    step = be.Actuator(controller=be.IdealPd(stiffness=0.0, damping=20.0)).compile("python")
    ends = []
    for implicit in (False, True):
        v = 1.0
        for _ in range(100):
            _, out = step(step.initial(), be.Command(velocity=0.0), 0.0, v, 5e-3)
            v += 5e-3 * out.torque / (0.01 + (5e-3 * out.torque_slope if implicit else 0.0))
        ends.append(abs(v))
    assert ends[0] > 1e6
    # (1 + kd·dt/J)^-100
    assert ends[1] == pytest.approx(11.0**-100, rel=1e-6)
