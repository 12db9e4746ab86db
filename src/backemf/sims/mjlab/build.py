"""Our actuator and mjlab's model: what is built into the joints, and what the model knows of the load."""

# pyright: reportMissingImports=false

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...actuator import Actuator
from ...checks import no_number
from ...errors import BackemfWarning, ParameterError
from ...motor import LoadDependent, LuGre
from ...parts import acts
from .existing import mujoco_module

if TYPE_CHECKING:
    import torch


def no_place(cfg: Any) -> None:
    """Raise one sentence for what has no place in a config, with what to do instead."""
    if cfg.delay_max_lag > 0:
        raise ParameterError(
            f"MotorActuatorCfg.delay_max_lag = {cfg.delay_max_lag}: give the actuator the delay instead, "
            f"delay=be.Delay(steps=({cfg.delay_min_lag}, {cfg.delay_max_lag})); mjlab's own sends a robot to joint "
            "position 0 after each reset"
        )
    for name in ("delay_hold_prob", "delay_update_period"):
        if getattr(cfg, name):
            raise ParameterError(
                f"MotorActuatorCfg.{name} = {getattr(cfg, name)} would never take effect: it belongs to mjlab's own "
                'delay; give the actuator delay=be.Delay(schedule="mjlab", steps=..., period=..., hold_probability=...)'
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


def require_joints(cfg: Any) -> None:
    """Raise one sentence if inertia or friction of the joint is negative or not finite."""
    for name in ("armature", "frictionloss", "viscous_damping"):
        value = getattr(cfg, name)
        if value is not None and (no_number(value) or not 0.0 <= value < float("inf")):
            raise ParameterError(f"MotorActuatorCfg.{name} = {value!r}: must be a finite number of 0 or more, or None")


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else "one per joint"


# --- what is built into the joints


def add_motor(spec: Any, joint: str, index: int, count: int, cfg: Any) -> tuple[Any, list[str]]:
    """A `<motor>` on a joint, with the inertia and friction of the actuator, and what of the XML it replaces, in words.

    The joint is number `index` of the `count` that the config drives.
    """
    from mjlab.actuator.actuator import TransmissionType
    from mjlab.utils.spec import apply_target_overrides

    require_hinge(spec.joint(joint))
    values = joint_values(cfg, index, count)
    replaced = overridden(spec.joint(joint), values, cfg)
    apply_target_overrides(spec, joint, TransmissionType.JOINT, **values)
    if brings_drag(cfg.actuator):
        # mjlab sets the first order and leaves the others as they are
        spec.joint(joint).damping[1:] = 0.0
    return plain_motor(spec, joint, cfg.hands_slope), replaced


def plain_motor(spec: Any, joint: str, affine: bool = False) -> Any:
    """A `<motor>` whose control is the torque at the joint, without limits and without any of a default class.

    Where it is affine, its bias has places for the slope of the torque, and is 0.
    """
    mujoco = mujoco_module()
    taken = {element.name for element in spec.actuators}
    names = (joint, f"{joint}_motor", *(f"{joint}_motor_{number}" for number in range(2, len(taken) + 3)))
    element = spec.add_actuator(name=next(name for name in names if name not in taken), target=joint)
    element.trntype = mujoco.mjtTrn.mjTRN_JOINT
    element.gaintype, element.gainprm = mujoco.mjtGain.mjGAIN_FIXED, [1.0, *[0.0] * (len(element.gainprm) - 1)]
    element.biastype = mujoco.mjtBias.mjBIAS_AFFINE if affine else mujoco.mjtBias.mjBIAS_NONE
    element.biasprm = [0.0] * len(element.biasprm)
    element.dyntype, element.dynprm = mujoco.mjtDyn.mjDYN_NONE, [1.0, *[0.0] * (len(element.dynprm) - 1)]
    element.gear = [1.0, *[0.0] * (len(element.gear) - 1)]
    element.forcelimited = element.ctrllimited = element.actlimited = False
    element.forcerange = element.ctrlrange = element.actrange = [0.0, 0.0]
    element.damping, element.armature = [0.0] * len(element.damping), 0.0
    element.delay, element.nsample, element.interp = 0.0, 0, 0
    element.inheritrange, element.actdim, element.actearly = 0.0, -1, False
    return element


def require_hinge(joint: Any) -> None:
    """Raise one sentence if a joint has more than one angle."""
    mujoco = mujoco_module()
    if joint.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        raise ParameterError(
            f"MotorActuatorCfg: joint {joint.name!r} is a ball joint, and a motor turns a hinge or moves a slide; make "
            "target_names_expr narrower"
        )


def warn_of_joints(replaced: list[str], kept: list[str]) -> None:
    """One warning for what the motors replace in the joints, and one for actuators that act beside them."""
    if replaced:
        warnings.warn(
            f"The motor replaces what the XML says: {'; '.join(replaced)}. Give MotorActuatorCfg(frictionloss=..., "
            "viscous_damping=...) for friction that the joint has besides the motor's.",
            BackemfWarning,
            stacklevel=3,
        )
    if kept:
        warnings.warn(
            f'MotorActuatorCfg(existing="keep"): {"; ".join(kept)} acts beside the motor; mjlab commands it only '
            "through an XmlActuatorCfg, and its control is 0 without one.",
            BackemfWarning,
            stacklevel=3,
        )


def joint_values(cfg: Any, index: int, count: int) -> dict[str, float | None]:
    """Armature, dry friction and damping of one joint; None: as in the XML."""
    motor = cfg.actuator.motor
    values = {"armature": cfg.armature, "frictionloss": cfg.frictionloss, "viscous_damping": cfg.viscous_damping}
    rubs = cfg.actuator.friction is not None if motor is None else motor.friction is not None
    if motor is not None and np.any(np.asarray(motor.inertia) > 0.0):
        values["armature"] = per_joint(motor.armature, index, count)
    if rubs and cfg.frictionloss is None:
        values["frictionloss"] = 0.0
    if brings_drag(cfg.actuator) and cfg.viscous_damping is None:
        values["viscous_damping"] = 0.0
    return values


def brings_drag(actuator: Actuator) -> bool:
    """Whether an actuator has friction of its own that rises with speed."""
    motor = actuator.motor
    if motor is None:
        return actuator.friction is not None
    return motor.drag is not None or isinstance(motor.friction, (LuGre, LoadDependent))


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
        # damping has several orders, of which those at the end are mostly 0
        before, after = np.trim_zeros(np.ravel(getattr(joint, own)), "b"), values[name]
        said = getattr(cfg, name) is not None and before.size < 2
        if said or after is None or before.size == 0:
            continue
        higher = before.size > 1 and brings_drag(cfg.actuator)
        if higher or (getattr(cfg, name) is None and abs(after - before[0]) > 1e-9):
            words.append(f"{joint.name} {own} {' '.join(f'{x:g}' for x in before)} is now {after:g}")
    return words


def torque_room(mj_model: Any, entity: Any, target_ids: Any, effort_limit: Any) -> np.ndarray:
    """Largest torque that each joint of the XML lets through [N·m], inf at most; a warning where it clips the motor."""
    joints = entity.indexing.joint_ids[target_ids].cpu().numpy()
    limited = mj_model.jnt_actfrclimited[joints].astype(bool)
    room = np.where(limited, np.abs(mj_model.jnt_actfrcrange[joints]).min(axis=-1), np.inf)
    clipped = np.broadcast_to(room < np.asarray(effort_limit, dtype=float), effort_limit.shape).any(axis=0)
    if clipped.any():
        warnings.warn(
            f"actuatorfrcrange of {int(clipped.sum())} joints in the XML ends at {room[clipped].min():g} N·m and clips "
            "what the motor gives beyond its own limits; take it out of the XML.",
            BackemfWarning,
            stacklevel=2,
        )
    return room


# --- what the model knows of the load


@dataclass(frozen=True)
class LoadOnJoints:
    """What moves the joints besides their motors, in the last step of physics."""

    data: Any
    """mjlab's view of the simulation."""
    addresses: torch.Tensor
    """Where the joints are among all degrees of freedom."""
    diagonal: torch.Tensor
    """Where the diagonal of the mass matrix has them."""
    free_share: torch.Tensor
    """Inertia that a torque finds over that diagonal, at qpos0 [1]: below 1, since it moves the other joints too."""
    armature: torch.Tensor
    """What of the inertia is the motor's own [kg·m²]."""

    def torque(self) -> torch.Tensor:
        """Torque on each joint by gravity, motion, contacts and springs (environment, joint) [N·m]."""
        data, at = self.data, self.addresses
        return data.qfrc_passive[:, at] + data.qfrc_constraint[:, at] + data.qfrc_applied[:, at] - data.qfrc_bias[:, at]

    def inertia(self) -> torch.Tensor:
        """Inertia that a torque finds at each joint, the motor's own included (environment, joint) [kg·m²]."""
        return self.free_share * self.data.M[:, self.diagonal]

    def outside(self) -> torch.Tensor:
        """The same without the motor's own (environment, joint) [kg·m²]."""
        inertia = self.inertia()
        return (inertia - self.armature).clamp(min=1e-9)


def load_on(mj_model: Any, data: Any, entity: Any, target_ids: Any) -> LoadOnJoints:
    """Where the simulation has the load of some joints."""
    import torch

    addresses = entity.indexing.joint_v_adr[target_ids]
    places = addresses.cpu().numpy()
    share = felt_inertia(mj_model, places) / mj_model.dof_M0[places]

    def tensor(values: Any, dtype: Any) -> torch.Tensor:
        return torch.as_tensor(values, dtype=dtype, device=addresses.device)

    return LoadOnJoints(
        data,
        addresses,
        diagonal=tensor(mj_model.M_rowadr[places] + mj_model.M_rownnz[places] - 1, torch.long),
        free_share=tensor(share, torch.float32),
        armature=tensor(mj_model.dof_armature[places], torch.float32),
    )


def asks_for_load(actuator: Actuator) -> bool:
    """Whether friction or gears of an actuator have to know the load."""
    motor = actuator.motor
    if motor is None:
        return False
    gearbox = motor.gearbox
    lossy = gearbox is not None and (not gearbox.lossless or acts(gearbox, "backlash"))
    return lossy or motor.friction is not None


def felt_inertia(mj_model: Any, dofs: np.ndarray) -> np.ndarray:
    """Inertia that a torque finds at each degree of freedom at qpos0, with all other joints free [kg·m²]."""
    mujoco = mujoco_module()
    data = mujoco.MjData(mj_model)
    mujoco.mj_fwdPosition(mj_model, data)
    units, columns = np.zeros((len(dofs), mj_model.nv)), np.zeros((len(dofs), mj_model.nv))
    units[np.arange(len(dofs)), dofs] = 1.0
    mujoco.mj_solveM(mj_model, data, columns, units)
    return 1.0 / columns[np.arange(len(dofs)), dofs]
