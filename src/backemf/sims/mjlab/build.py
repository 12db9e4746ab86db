"""Our actuator and mjlab's model: what is built into the joints, and what the model knows of the load."""

# pyright: reportMissingImports=false

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...actuator import Actuator, DcClip, DutyServo, EffortLimit, IdealPd, PositionPid, TorquePid
from ...errors import ParameterError
from ...motor import Coulomb, LoadDependent, LuGre

if TYPE_CHECKING:
    import torch

GAINS: dict[type, tuple[str, str]] = {
    IdealPd: ("stiffness", "damping"),
    TorquePid: ("kp", "kd"),
    PositionPid: ("kp", "kd"),
    DutyServo: ("kp", "kd"),
}
"""What mjlab calls stiffness and damping, in each controller that has it."""


def gains_of(actuator: Actuator) -> tuple[Any, Any]:
    """Proportional and derivative gain of the controller; zeros where it has none."""
    names = GAINS.get(type(actuator.controller))
    return (0.0, 0.0) if names is None else tuple(getattr(actuator.controller, name) for name in names)


def effort_limit_of(actuator: Actuator) -> Any:
    """The lowest flat limit of the joint torque [N·m]; inf where there is none."""
    tops = [limit.effort_limit for limit in actuator.limits if isinstance(limit, (DcClip, EffortLimit))]
    if not tops:
        return float("inf")
    return tops[0] if len(tops) == 1 else np.minimum.reduce([np.asarray(top, dtype=float) for top in tops])


def no_place(cfg: Any) -> None:
    """Raise one sentence for what has no place in a config, with what to do instead."""
    if cfg.delay_max_lag > 0:
        raise ParameterError(
            f"MotorActuatorCfg.delay_max_lag = {cfg.delay_max_lag}: give the actuator the delay instead, "
            f"delay=be.Delay(steps=({cfg.delay_min_lag}, {cfg.delay_max_lag})); mjlab's own sends a robot to joint "
            "position 0 after each reset"
        )
    if cfg.transmission_type.value != "joint":
        raise ParameterError(
            f"MotorActuatorCfg.transmission_type = {cfg.transmission_type.value!r}: a motor drives joints"
        )
    controller = cfg.actuator.controller
    if "voltage" in controller.inputs:
        raise ParameterError(
            f"MotorActuatorCfg.actuator: {type(controller).__name__} takes a voltage, and mjlab commands positions, "
            "velocities and efforts; give a controller such as IdealPd, PositionPid or Torque"
        )
    motor = cfg.actuator.motor
    if cfg.armature is not None and motor is not None and np.any(np.asarray(motor.inertia) > 0.0):
        raise ParameterError(
            f"MotorActuatorCfg.armature = {cfg.armature}: the motor brings its own, {_short(motor.armature)} kg·m²; "
            "leave it out, or change Motor.rotor"
        )


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else "one per joint"


# --- what is built into the joints


def add_motors(spec: Any, names: list[str], cfg: Any) -> list[Any]:
    """A `<motor>` without limits on each joint, since the actuator has its own, with its inertia and friction."""
    from mjlab.utils.spec import create_motor_actuator

    made, replaced = [], []
    for index, name in enumerate(names):
        values = joint_values(cfg, index, len(names))
        replaced += overridden(spec.joint(name), values, cfg)
        element = create_motor_actuator(spec, name, effort_limit=0.0, **values)
        element.forcelimited = element.ctrllimited = False
        made.append(element)
    if replaced:
        warnings.warn(
            f"The motor replaces what the XML says: {'; '.join(replaced)}. Give MotorActuatorCfg(frictionloss=..., "
            "viscous_damping=...) for friction that the joint has besides the motor's.",
            stacklevel=2,
        )
    return made


def joint_values(cfg: Any, index: int, count: int) -> dict[str, float | None]:
    """Armature, dry friction and damping of one joint; None: as in the XML."""
    motor = cfg.actuator.motor
    values = {"armature": cfg.armature, "frictionloss": cfg.frictionloss, "viscous_damping": cfg.viscous_damping}
    if motor is None:
        rubs = drags = cfg.actuator.friction is not None
    else:
        rubs = motor.friction is not None
        drags = motor.drag is not None or isinstance(motor.friction, (LuGre, LoadDependent))
        if np.any(np.asarray(motor.inertia) > 0.0):
            values["armature"] = per_joint(motor.armature, index, count)
    if rubs and cfg.frictionloss is None:
        values["frictionloss"] = 0.0
    if drags and cfg.viscous_damping is None:
        values["viscous_damping"] = 0.0
    return values


def per_joint(value: Any, index: int, count: int) -> float:
    """One joint's armature [kg·m²]; raises one sentence where environments differ, since joints are built once."""
    known = np.atleast_1d(np.asarray(value, dtype=float))
    rows = known.reshape(-1, known.shape[-1])
    if (rows != rows[0]).any():
        raise ParameterError(
            "MotorActuatorCfg.actuator: the motor's inertia differs between environments, and mjlab builds its joints "
            "once for all; give one inertia, and vary the joints by dr.joint_armature"
        )
    return float(rows[0][index if rows.shape[1] == count else 0])


def overridden(joint: Any, values: dict[str, float | None], cfg: Any) -> list[str]:
    """What of the XML is not kept, in words; what the config itself says is no surprise."""
    words = []
    for name, own in (("armature", "armature"), ("frictionloss", "frictionloss"), ("viscous_damping", "damping")):
        before = float(np.ravel(getattr(joint, own))[0])
        after = values[name]
        if getattr(cfg, name) is None and after is not None and before != 0.0 and abs(after - before) > 1e-9:
            words.append(f"{joint.name} {own} {before:g} is now {after:g}")
    return words


def require_room(mj_model: Any, entity: Any, target_ids: Any, effort_limit: Any) -> float:
    """Largest torque that the joints of the XML let through [N·m]; a warning where they clip the motor."""
    joints = entity.indexing.joint_ids[target_ids].cpu().numpy()
    limited = joints[mj_model.jnt_actfrclimited[joints].astype(bool)]
    if len(limited) == 0:
        return float("inf")
    room = float(np.abs(mj_model.jnt_actfrcrange[limited]).min())
    if room < float(np.max(np.asarray(effort_limit))):
        warnings.warn(
            f"actuatorfrcrange of {len(limited)} joints in the XML ends at {room:g} N·m and clips what the motor gives "
            "beyond its own limits; take it out of the XML.",
            stacklevel=2,
        )
    return room


# --- what the model knows of the load


@dataclass(frozen=True)
class LoadOnJoints:
    """What moves the joints besides their motors."""

    data: Any
    """mjlab's view of the simulation."""
    addresses: torch.Tensor
    """Where the joints are among all degrees of freedom."""
    inertia: torch.Tensor
    """Inertia that each joint moves in the pose of the model, the motor's own left out [kg·m²]."""

    def torque(self) -> torch.Tensor:
        """Torque on each joint by gravity, motion, contacts and springs, in the last step of physics [N·m]."""
        data, at = self.data, self.addresses
        return data.qfrc_passive[:, at] + data.qfrc_constraint[:, at] + data.qfrc_applied[:, at] - data.qfrc_bias[:, at]


def load_of(actuator: Actuator, mj_model: Any, data: Any, entity: Any, target_ids: Any, device: str) -> Any:
    """What the actuator's friction has to know of the load; None where it asks nothing."""
    motor = actuator.motor
    if motor is None:
        return None
    lossy = motor.gearbox is not None and (not motor.gearbox.lossless or motor.gearbox.backlash is not None)
    if not lossy and not isinstance(motor.friction, (Coulomb, LoadDependent)):
        return None
    import torch

    addresses = entity.indexing.joint_v_adr[target_ids]
    places = addresses.cpu().numpy()
    outside = np.maximum(mj_model.dof_M0[places] - mj_model.dof_armature[places], 1e-9)
    return LoadOnJoints(data, addresses, torch.as_tensor(outside, dtype=torch.float32, device=device))
