"""Our actuator and mjlab's model: what is built into the joints, and what the model knows of the load."""

# pyright: reportMissingImports=false

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from ...actuator import Actuator
from ...checks import Number, no_number
from ...errors import BackemfWarning, ParameterError
from ...motor import LoadDependent, LuGre, Motor
from ...parts import acts
from ..felt_inertia import felt_inertia
from .existing import mujoco_module

if TYPE_CHECKING:
    import torch

    from ..mujoco_types import MjModel, MjsElement, MjSpec
    from .plugin import MotorActuatorCfg
    from .types import Entity, Places, SimData


def check_settings(cfg: MotorActuatorCfg) -> None:
    """Check that every setting of a config has an effect; raise ParameterError with the remedy if not."""
    if cfg.delay_max_lag > 0:
        raise ParameterError(
            f"MotorActuatorCfg.delay_max_lag = {cfg.delay_max_lag}: give the actuator the delay instead, "
            f"delay=be.Delay(steps=({cfg.delay_min_lag}, {cfg.delay_max_lag})); mjlab's own sends a robot to joint "
            "position 0 after each reset"
        )
    for name in ("delay_hold_prob", "delay_update_period"):
        if getattr(cfg, name):
            raise ParameterError(
                f"MotorActuatorCfg.{name} = {getattr(cfg, name)} has no effect: it belongs to mjlab's own delay; give "
                'the actuator delay=be.Delay(schedule="mjlab", steps=..., period=..., hold_probability=...)'
            )
    if cfg.transmission_type.value != "joint":
        kind = cfg.transmission_type.value
        raise ParameterError(f"MotorActuatorCfg.transmission_type = {kind!r}: a motor drives joints")
    controller, motor = cfg.actuator.controller, cfg.actuator.motor
    if "voltage" in controller.inputs:
        raise ParameterError(
            f"MotorActuatorCfg.actuator: {type(controller).__name__} takes a voltage, and mjlab commands positions, "
            "velocities and efforts; give a controller such as IdealPd, PositionPid or Torque"
        )
    if cfg.armature is not None and brings_inertia(motor):
        inertia = f"{motor.armature:g}" if isinstance(motor.armature, (int, float)) else "one per joint"
        raise ParameterError(
            f"MotorActuatorCfg.armature = {cfg.armature}: the motor has its own, {inertia} kg·m²; leave it out, or "
            "change Motor.rotor"
        )


def brings_inertia(motor: Motor | None) -> bool:
    """Whether a motor has a rotor with inertia."""
    return motor is not None and bool(np.any(np.asarray(motor.inertia) > 0.0))


def check_joint_values(cfg: MotorActuatorCfg) -> None:
    """Check that inertia and friction of the joint are finite and 0 or more; raise ParameterError if not."""
    for name in ("armature", "frictionloss", "viscous_damping"):
        value = getattr(cfg, name)
        if value is not None and (no_number(value) or not 0.0 <= value < float("inf")):
            raise ParameterError(f"MotorActuatorCfg.{name} = {value!r}: must be a finite number of 0 or more, or None")


# --- what is built into the joints


def add_motor(spec: MjSpec, joint: str, index: int, count: int, cfg: MotorActuatorCfg) -> tuple[MjsElement, list[str]]:
    """Add a `<motor>` with the actuator's inertia and friction to a joint; describe the XML values that it replaces.

    The joint is number `index` of the `count` that the config drives.
    """
    from mjlab.actuator.actuator import TransmissionType
    from mjlab.utils.spec import apply_target_overrides

    hinge = cast("MjsElement", spec.joint(joint))
    require_hinge(hinge)
    values = joint_values(cfg, index, count)
    replaced = replaced_values(hinge, values, cfg)
    apply_target_overrides(spec, joint, TransmissionType.JOINT, **values)
    if brings_drag(cfg.actuator):
        # mjlab sets the first order and leaves the others as they are
        hinge.damping[1:] = 0.0
    return plain_motor(spec, joint, cfg.hands_slope), replaced


def plain_motor(spec: MjSpec, joint: str, affine: bool = False) -> MjsElement:
    """Add a `<motor>` whose control is the torque at the joint, without limits and without values of a default class.

    Where it is affine, its bias is 0 and has room for the slope of the torque.
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


def require_hinge(joint: MjsElement) -> None:
    """Check that a joint is a hinge or a slide; raise ParameterError if not."""
    kinds = mujoco_module().mjtJoint
    if joint.type not in (kinds.mjJNT_HINGE, kinds.mjJNT_SLIDE):
        remedy = "a motor drives a hinge or a slide; make target_names_expr narrower"
        raise ParameterError(f"MotorActuatorCfg: joint {joint.name!r} is a ball joint, and {remedy}")


def warn_of_joints(replaced: list[str], kept: list[str]) -> None:
    """Warn of values of the XML that the motors replace, and of actuators that act in addition to them."""
    if replaced:
        text = (
            f"The motor replaces values of the XML: {'; '.join(replaced)}. Give MotorActuatorCfg(frictionloss=..., "
            "viscous_damping=...) for friction of the joint in addition to the motor's."
        )
        warnings.warn(text, BackemfWarning, stacklevel=3)
    if kept:
        text = (
            f'MotorActuatorCfg(existing="keep"): {"; ".join(kept)} acts in addition to the motor; mjlab commands it '
            "only through an XmlActuatorCfg, and its control is 0 without one."
        )
        warnings.warn(text, BackemfWarning, stacklevel=3)


def joint_values(cfg: MotorActuatorCfg, index: int, count: int) -> dict[str, float | None]:
    """Armature, dry friction and damping of one joint; None: as in the XML."""
    motor = cfg.actuator.motor
    values = {"armature": cfg.armature, "frictionloss": cfg.frictionloss, "viscous_damping": cfg.viscous_damping}
    rubs = cfg.actuator.friction is not None if motor is None else motor.friction is not None
    if motor is not None and brings_inertia(motor):
        values["armature"] = per_joint(motor.armature, index, count)
    if rubs and cfg.frictionloss is None:
        values["frictionloss"] = 0.0
    if brings_drag(cfg.actuator) and cfg.viscous_damping is None:
        values["viscous_damping"] = 0.0
    return values


def brings_drag(actuator: Actuator) -> bool:
    """Whether an actuator has its own friction that rises with speed."""
    motor = actuator.motor
    if motor is None:
        return actuator.friction is not None
    return motor.drag is not None or isinstance(motor.friction, (LuGre, LoadDependent))


def per_joint(value: Number, index: int, count: int) -> float:
    """One joint's armature [kg·m²]; raises ParameterError if environments differ, since joints are built once."""
    known = np.atleast_1d(np.asarray(value, dtype=float))
    rows = known.reshape(-1, known.shape[-1])
    if (rows != rows[0]).any():
        raise ParameterError(
            "MotorActuatorCfg.actuator: the motor's inertia differs between environments, and mjlab builds its joints "
            "once for all; give one inertia, and vary the joints by dr.joint_armature"
        )
    return float(rows[0][index if rows.shape[1] == count else 0])


def replaced_values(joint: MjsElement, values: dict[str, float | None], cfg: MotorActuatorCfg) -> list[str]:
    """Values of the XML that are replaced, as text; what the config itself sets is left out."""
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


def torque_room(mj_model: MjModel, entity: Entity, target_ids: torch.Tensor, effort_limit: np.ndarray) -> np.ndarray:
    """Largest torque that each joint of the XML passes [N·m], inf without a limit; warns if it clips the motor."""
    joints = entity.indexing.joint_ids[target_ids].cpu().numpy()
    limited = mj_model.jnt_actfrclimited[joints].astype(bool)
    room = np.where(limited, np.abs(mj_model.jnt_actfrcrange[joints]).min(axis=-1), np.inf)
    clipped = np.broadcast_to(room < np.asarray(effort_limit, dtype=float), effort_limit.shape).any(axis=0)
    if clipped.any():
        text = (
            f"actuatorfrcrange of {int(clipped.sum())} joints in the XML ends at {room[clipped].min():g} N·m and clips "
            "the motor's torque below the motor's own limits; take it out of the XML."
        )
        warnings.warn(text, BackemfWarning, stacklevel=2)
    return room


# --- what the model knows of the load


@dataclass(frozen=True)
class LoadOnJoints:
    """What moves the joints apart from their motors, in the last physics step."""

    data: SimData
    """mjlab's view of the simulation."""
    addresses: Places
    """Where the joints are among all degrees of freedom."""
    diagonal: Places
    """Where the diagonal of the mass matrix has them."""
    free_share: torch.Tensor
    """Inertia that a torque meets over that diagonal, at qpos0 [1]: below 1, since it moves the other joints too."""
    armature: torch.Tensor
    """The motor's share of the inertia [kg·m²]."""

    def torque(self) -> torch.Tensor:
        """Torque on each joint by gravity, motion, contacts and springs (environment, joint) [N·m]."""
        data, at = self.data, self.addresses
        return data.qfrc_passive[:, at] + data.qfrc_constraint[:, at] + data.qfrc_applied[:, at] - data.qfrc_bias[:, at]

    def outside(self) -> torch.Tensor:
        """Inertia that a torque meets at each joint, without the motor's own (environment, joint) [kg·m²]."""
        return (self.free_share * self.data.M[:, self.diagonal] - self.armature).clamp(min=1e-9)


def together(numbers: list[int], device: torch.device) -> Places:
    """An index of numbers: a slice where they follow each other, which copies nothing."""
    import torch

    first, count = numbers[0], len(numbers)
    row = numbers == list(range(first, first + count))
    return slice(first, first + count) if row else torch.tensor(numbers, device=device)


def columns_of(places: Places) -> list[int]:
    """The numbers of an index, one by one."""
    return list(range(places.start, places.stop)) if isinstance(places, slice) else places.tolist()


def load_on(mj_model: MjModel, data: SimData, entity: Entity, target_ids: torch.Tensor) -> LoadOnJoints:
    """Where the simulation has the load of some joints."""
    import torch

    addresses = entity.indexing.joint_v_adr[target_ids]
    places = addresses.cpu().numpy()
    share = felt_inertia(mujoco_module(), mj_model, places) / mj_model.dof_M0[places]

    def tensor(values: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=addresses.device)

    return LoadOnJoints(
        data,
        together(places.tolist(), addresses.device),
        diagonal=together((mj_model.M_rowadr[places] + mj_model.M_rownnz[places] - 1).tolist(), addresses.device),
        free_share=tensor(share),
        armature=tensor(mj_model.dof_armature[places]),
    )


def asks_for_load(actuator: Actuator) -> bool:
    """Whether friction or gears of an actuator depend on the load."""
    motor = actuator.motor
    if motor is None:
        return False
    gearbox = motor.gearbox
    lossy = gearbox is not None and (not gearbox.lossless or acts(gearbox, "backlash"))
    return lossy or motor.friction is not None
