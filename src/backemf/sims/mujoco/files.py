"""Reading MuJoCo models: the motor, position and velocity actuators that are already there, as our actuators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...actuator import Actuator, EffortRange, IdealPd, Torque, TorquePid
from ...errors import MissingExtraError, ParameterError


def compiled_model(model: Any) -> tuple[Any, Any]:
    """MuJoCo and the compiled model; raises one sentence where it cannot be read."""
    mujoco: Any
    try:
        import mujoco
    except ModuleNotFoundError:
        raise MissingExtraError("mujoco", "mujoco", "Reading a MuJoCo model") from None
    if isinstance(model, mujoco.MjModel):
        return mujoco, model
    is_text = isinstance(model, str) and model.lstrip().startswith("<")
    if not is_text and not Path(model).exists():
        raise ParameterError(f"{model}: no such file; give a path to an MJCF file, its text, or an MjModel")
    try:
        make = mujoco.MjModel.from_xml_string if is_text else mujoco.MjModel.from_xml_path
        return mujoco, make(str(model))
    except ValueError as error:
        where = "the MJCF text" if is_text else str(model)
        raise ParameterError(f"{where}: MuJoCo cannot read it: {' '.join(str(error).split())}") from None


def read(mujoco: Any, model: Any, index: int, name: str) -> Actuator:
    """One actuator of a model.

    MuJoCo's force is gain·ctrl + b0 + b1·length + b2·velocity with length and velocity gear times the joint's; the
    joint gets gear times the force.
    """
    gain, bias = model.actuator_gainprm[index], model.actuator_biasprm[index]
    gear, kind = float(model.actuator_gear[index, 0]), model.actuator_gaintype[index]
    affine = model.actuator_biastype[index] == mujoco.mjtBias.mjBIAS_AFFINE
    none = model.actuator_biastype[index] == mujoco.mjtBias.mjBIAS_NONE
    still = model.actuator_dyntype[index] == mujoco.mjtDyn.mjDYN_NONE
    if kind != mujoco.mjtGain.mjGAIN_FIXED or not still or not (affine or none) or gear == 0.0 or gain[0] == 0.0:
        raise ParameterError(
            f"actuator {name!r} is no motor, position or velocity actuator: give it an Actuator yourself"
        )
    limits = effort_range(model, index, gear)
    if none or not np.any(bias[:3]):
        command = scaled_range(model, index, gear * gain[0])
        return Actuator(controller=Torque(), limits=limits, command_range=command)
    if bias[0] == 0.0 and bias[1] == -gain[0] and bias[2] <= 0.0:
        pd = IdealPd(stiffness=gear * gear * gain[0], damping=-gear * gear * bias[2])
        return Actuator(controller=pd, limits=limits, command_range=scaled_range(model, index, 1.0 / gear))
    if bias[0] == 0.0 and bias[1] == 0.0 and bias[2] == -gain[0]:
        velocity = TorquePid(kd=gear * gear * gain[0], follows="velocity")
        return Actuator(controller=velocity, limits=limits, command_range=scaled_range(model, index, 1.0 / gear))
    raise ParameterError(
        f"actuator {name!r} has the gain {gain[0]:g} and the bias {bias[0]:g} {bias[1]:g} {bias[2]:g}, which is no "
        "motor, position or velocity actuator: give it an Actuator yourself"
    )


def scaled_range(model: Any, index: int, factor: float) -> tuple[float, float] | None:
    """The range of the control, in the unit of our command."""
    # since 3.12 an actuator may have several controls, and each has a range
    first = int(model.actuator_ctrladr[index]) if hasattr(model, "actuator_ctrladr") else index
    if not model.actuator_ctrllimited[first]:
        return None
    ends = sorted(float(x) * factor for x in model.actuator_ctrlrange[first])
    return ends[0], ends[1]


def effort_range(model: Any, index: int, gear: float) -> tuple[EffortRange, ...]:
    """The range of the force, brought to the joint."""
    if not model.actuator_forcelimited[index]:
        return ()
    ends = sorted(float(x) * gear for x in model.actuator_forcerange[index])
    return (EffortRange(lowest=ends[0], highest=ends[1]),)
