"""What stands before a random motor: supply, controller, torque limits, delay, slew; and joints without a motor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import backemf as be

from .draw import Draw, Scale, motor_of, scale_of


@dataclass(frozen=True)
class Joint:
    """What gains, limits and inputs of a batch are drawn around, at the joint."""

    voltage: np.ndarray
    """Voltage that the motor is made for [V]."""
    speed: np.ndarray
    """No-load speed of the joint [rad/s]."""
    torque: np.ndarray
    """Stall torque at the joint [N·m]."""
    inertia: np.ndarray
    """Inertia of the motor, felt at the joint [kg·m²]."""
    current: np.ndarray
    """Stall current [A]."""


def actuator_of(draw: Draw) -> tuple[be.Actuator, Joint]:
    """An actuator of a random structure; raises ParameterError where its parts contradict each other."""
    scale = scale_of(draw)
    if draw.coin(0.08):
        joint = Joint(scale.voltage, scale.speed, scale.torque, scale.inertia, scale.current)
        return joint_of(draw, joint), joint
    motor = motor_of(draw, scale)
    ratio = np.abs(np.asarray(motor.ratio, dtype=float))
    joint = Joint(scale.voltage, scale.speed / ratio, scale.torque * ratio, scale.inertia * ratio**2, scale.current)
    controller = controller_of(draw, joint) if draw.coin(0.6) else None
    main = "voltage" if controller is None else controller.main
    supply = supply_of(draw, scale) if isinstance(controller, be.DutyServo) or draw.coin(0.7) else None
    delay = delay_of(draw) if draw.coin(0.1) else None
    actuator = be.Actuator(
        motor,
        supply,
        controller,
        delay=delay,
        limits=torque_limits_of(draw, joint) if draw.coin(0.25) else (),
        spring=spring_of(draw, joint) if draw.coin(0.2) else None,
        command_range=range_of(draw, joint, main) if draw.coin(0.1) else None,
        slew=unit_of(joint, main) * draw.spread(-2.0, 4.0) if draw.coin(0.1) else None,
        voltage_limit=scale.voltage * draw.spread(-1.0, 0.3) if draw.coin(0.25) else None,
        substeps=draw.pick(2, 4) if draw.coin(0.1) else 1,
    )
    return actuator, joint


def joint_of(draw: Draw, joint: Joint) -> be.Actuator:
    """An actuator without a motor."""
    friction = None
    if draw.coin():
        friction = be.TanhFriction(
            coulomb=joint.torque * draw.spread(-3.0, 0.0),
            activation_speed=joint.speed * draw.spread(-4.0, -1.0),
            viscous=joint.torque / joint.speed * draw.spread(-3.0, 0.0),
        )
    controller = torque_controller_of(draw, joint, loop=False)
    return be.Actuator(
        controller=controller,
        friction=friction,
        limits=torque_limits_of(draw, joint) if draw.coin(0.7) else (),
        spring=spring_of(draw, joint) if draw.coin(0.3) else None,
        delay=delay_of(draw) if draw.coin(0.2) else None,
        command_range=range_of(draw, joint, controller.main) if draw.coin(0.2) else None,
        slew=unit_of(joint, controller.main) * draw.spread(-2.0, 4.0) if draw.coin(0.2) else None,
    )


def spring_of(draw: Draw, joint: Joint) -> be.JointSpring:
    """A spring from soft to one that turns the motor back at once."""
    return be.JointSpring(
        stiffness=draw.often_zero(joint.torque * draw.spread(-3.0, 3.0)),
        rest_angle=draw.evenly(-2.0, 2.0),
        offset=draw.often_zero(joint.torque * draw.signs() * draw.spread(-3.0, 0.0)),
    )


def curve_of(draw: Draw) -> be.DutyCurve | be.DutyTable:
    """A bridge that flattens, or a table of any shape."""
    if draw.coin():
        return be.DutyCurve(saturation=draw.often_zero(draw.spread(-2.0, 1.0)))
    pieces = [draw.evenly(0.05, 1.0) for _ in range(draw.pick(1, 2, 5))]
    full = draw.evenly(0.3, 1.0) / sum(pieces)
    return be.DutyTable(shares=tuple(full * sum(pieces[: k + 1]) for k in range(len(pieces))))


def supply_of(draw: Draw, scale: Scale) -> be.Supply:
    shared = len(draw.shape) > 1
    voltage, ohms = scale.voltage * draw.evenly(0.5, 1.5), scale.voltage / scale.current * draw.spread(-4.0, 0.0)
    if shared:
        voltage, ohms = voltage[..., :1], ohms.min(axis=-1, keepdims=True)
    return be.Supply(
        voltage=voltage,
        resistance=ohms if draw.coin() else None,
        modulation_limit=draw.evenly(0.1, 1.0) if draw.coin() else 1.0,
        curve=curve_of(draw) if draw.coin(0.25) else None,
        regeneration=draw.coin(),
        shared=shared,
    )


def unit_of(joint: Joint, main: str) -> np.ndarray:
    """Size of an input that matters to this joint."""
    sizes = {"voltage": joint.voltage, "velocity": joint.speed, "effort": joint.torque}
    return sizes.get(main, np.ones_like(joint.voltage))


def range_of(draw: Draw, joint: Joint, main: str) -> tuple[np.ndarray, np.ndarray]:
    size = unit_of(joint, main)
    return -size * draw.evenly(0.0, 1.0), size * draw.evenly(0.0, 1.0)


# --- controllers


def controller_of(draw: Draw, joint: Joint) -> Any:
    """Any controller of a motor."""
    kind = draw.pick("position", "velocity", "duty", "torque", "torque", "selector")
    if kind == "torque":
        return torque_controller_of(draw, joint, loop=True)
    if kind == "selector":
        velocity = draw.pick(None, velocity_pi_of(draw, joint), following_velocity(draw, joint))
        return be.ModeSelector(torque=be.Torque(current_bandwidth=bandwidth_of(draw)), velocity=velocity)
    if kind == "velocity":
        return velocity_pi_of(draw, joint)
    size = joint.voltage if kind == "position" else np.ones_like(joint.voltage)
    kp = size * draw.spread(-1.0, 3.0)
    kd = draw.often_zero(size / joint.speed * draw.spread(-2.0, 1.0))
    gains: dict[str, Any] = {"kp": kp, "kd": kd} | integral_of(draw, kp)
    if kind == "position":
        return be.PositionPid(**gains)
    return be.DutyServo(
        pwm_limit=draw.evenly(0.1, 1.0) if draw.coin() else 1.0,
        current_limit=joint.current * draw.spread(-2.0, 0.5) if draw.coin() else None,
        dead_band=draw.spread(-4.0, -1.0) if draw.coin(0.3) else None,
        **gains,
    )


def integral_of(draw: Draw, gain: np.ndarray) -> dict[str, Any]:
    """Gain and limit of an integral, in half of the controllers."""
    if draw.coin():
        return {}
    limit = draw.spread(-3.0, 1.0) if draw.coin() else None
    return {"ki": gain * draw.spread(-1.0, 2.0), "integral_limit": limit, "freeze_at_limit": draw.coin()}


def velocity_pi_of(draw: Draw, joint: Joint) -> be.VelocityPi:
    kp = joint.voltage / joint.speed * draw.spread(-2.0, 2.0)
    return be.VelocityPi(kp=kp, **integral_of(draw, kp))


def following_velocity(draw: Draw, joint: Joint) -> be.TorquePid:
    kd = joint.torque / joint.speed * draw.spread(-2.0, 2.0)
    return be.TorquePid(kd=kd, follows="velocity", **integral_of(draw, kd))


def bandwidth_of(draw: Draw) -> np.ndarray | None:
    return draw.spread(0.0, 5.0) if draw.coin() else None


def torque_controller_of(draw: Draw, joint: Joint, loop: bool) -> Any:
    """A controller that asks for a joint torque, with a current loop where there may be one."""
    bandwidth = bandwidth_of(draw) if loop else None
    stiffness = joint.torque * draw.spread(-1.0, 3.0)
    damping = draw.often_zero(joint.torque / joint.speed * draw.spread(-2.0, 1.0))
    kind = draw.pick("torque", "ideal", "pid", "velocity")
    if kind == "torque":
        return be.Torque(current_bandwidth=bandwidth)
    if kind == "ideal":
        return be.IdealPd(stiffness=stiffness, damping=damping, current_bandwidth=bandwidth)
    follows = "position" if kind == "pid" else "velocity"
    return be.TorquePid(
        kp=stiffness if kind == "pid" else 0.0,
        kd=damping,
        current_bandwidth=bandwidth,
        follows=follows,
        **integral_of(draw, stiffness),
    )


def delay_of(draw: Draw) -> be.Delay:
    if draw.coin():
        return be.Delay(steps=draw.pick(0, 1, 3, (0, 2), (1, 4)), per="joint")
    return be.Delay(steps=(0.0, 2.5), schedule=draw.pick("episode", "step"), per="joint")


# --- torque limits


def torque_limits_of(draw: Draw, joint: Joint) -> tuple[Any, ...]:
    """One or two limits of the joint torque, of any kind."""
    return tuple(torque_limit_of(draw, joint) for _ in range(draw.pick(1, 1, 2)))


def torque_limit_of(draw: Draw, joint: Joint) -> Any:
    effort, speed = joint.torque * draw.spread(-2.0, 0.5), joint.speed * draw.spread(-1.0, 0.3)
    kind = draw.pick("dc", "flat", "range", "envelope", "knee", "speed table", "angle table")
    if kind == "dc":
        return be.DcClip(saturation_effort=effort * draw.spread(-0.5, 1.0), velocity_limit=speed, effort_limit=effort)
    if kind == "flat":
        return be.EffortLimit(effort_limit=effort)
    if kind == "range":
        return be.EffortRange(lowest=-effort * draw.evenly(0.0, 1.0), highest=effort)
    if kind == "envelope":
        return be.DriveEnvelope(
            max_effort=effort,
            max_actuator_velocity=speed,
            velocity_dependent_resistance=draw.often_zero(effort / speed * draw.spread(-1.0, 0.5)),
            speed_effort_gradient=draw.often_zero(speed / effort * draw.spread(-1.0, 0.5)),
        )
    if kind == "knee":
        return be.KneeCurve(
            driving_effort=effort,
            braking_effort=effort * draw.spread(-0.5, 0.5),
            knee_speed=speed * draw.evenly(0.0, 0.9),
            no_load_speed=speed,
            braking_falls=draw.coin(),
        )
    # a table is one for the batch, so that it is drawn around the motor in the middle
    torque, fast = float(np.median(joint.torque)), float(np.median(joint.speed))
    if kind == "angle table":
        return be.AngleTable(angle=np.linspace(-2.0, 2.0, 5), effort=torque * draw.rng.uniform(0.0, 1.0, 5))
    braking = torque * draw.rng.uniform(0.1, 1.0, 6) if draw.coin() else None
    driving = np.sort(draw.rng.uniform(0.0, 1.0, 6))[::-1] * torque
    return be.TorqueSpeedTable(speed=np.linspace(0.0, 1.5 * fast, 6), driving=driving, braking=braking)
