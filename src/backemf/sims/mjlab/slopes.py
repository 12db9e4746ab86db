"""The slope of the motors' torque over speed, given to mjlab's integrator.

MuJoCo evaluates the forces of actuators at the start of a step. Its integrator `implicitfast` also takes their slope,
so that back-EMF and damping are stable at any step. The slope is that of an affine actuator,

    force = ctrl + b0 + b2·v        with ctrl = torque, b0 = slope·v0 and b2 = -slope

where v0 is the speed at the start of the step. The force there is the line's torque, and the step ends at the speed v1
with

    M·(v1 - v0) = dt·(torque - slope·(v1 - v0) + all other forces)

b0 and b2 are fields of the model, of which each environment gets a copy. They are written in place, so that recorded
CUDA graphs see them.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import BackemfWarning, ParameterError
from ...physics.state import Output
from ..felt_inertia import felt_inertia
from .build import LoadOnJoints, together
from .existing import mujoco_module
from .implicit import output_over_step
from .simulations import simulation_of

if TYPE_CHECKING:
    import torch

    from ..mujoco_types import MjModel
    from .plugin import MotorActuator
    from .types import EnvIds, SimModel

FIELD = "actuator_biasprm"
"""The field of the model that holds the slopes."""
SLOPES = ("torque_slope", "torque_stiffness")
"""Outputs that say how the torque falls with speed and with position."""
LINE = ("torque", "torque_slope")
"""Outputs that say what the integrator takes."""


def require_implicit(implicit: object) -> None:
    """Check that `implicit` is True, False or None; raise ParameterError if not."""
    if not any(implicit is each for each in (True, False, None)):
        raise ParameterError(
            f"MotorActuatorCfg.implicit = {implicit!r}: must be True, False, or None for True where there is a motor"
        )


def make_room(model: SimModel, environments: int) -> None:
    """Give each environment slopes of its own."""
    if getattr(model.struct, FIELD).shape[0] != environments:
        simulation_of(model).expand_model_fields((FIELD,))


class Slopes:
    """Gives the slopes of some actuators to the integrator, and computes the torque that they lead to."""

    def __init__(self, model: SimModel, actuators: list[int], load: LoadOnJoints, room: np.ndarray, dt: float):
        import torch

        shape, device = (load.data.nworld, len(actuators)), load.armature.device
        self._model, self._load, self._dt = model, load, dt
        make_room(model, shape[0])
        self._places = together(actuators, device)
        clips = np.isfinite(room).any()
        self._room = torch.as_tensor(room, dtype=torch.float32, device=device) if clips else None
        self._torque = self._slope = self._start = torch.zeros(shape, device=device)
        self._array: Any = None
        self._field()

    def _field(self) -> Any:
        """The field as a tensor that shares its memory (environment, actuator, parameter)."""
        import torch
        from mjlab.sim.sim_data import TorchArray

        array = getattr(self._model.struct, FIELD)
        if self._array is None or self._array.wp_array is not array:
            # a tensor made in inference mode could not be written outside it
            with torch.inference_mode(False):
                self._array = TorchArray(array)
        return self._array

    def expected_load(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Torque [N·m] and inertia [kg·m²] of the load before a step: those of the last step."""
        return self._load.torque(), self._load.outside()

    def give(self, line: Output, velocity: torch.Tensor) -> torch.Tensor:
        """Torque of a line at this velocity, with which a step begins, once the integrator has its slope [N·m]."""
        import torch

        torque, slope = cast("torch.Tensor", line.torque), cast("torch.Tensor", line.torque_slope)
        if self._room is not None:
            # actuatorfrcrange of the joint clips the torque, which then has no slope
            slope = torch.where(torque.abs() < self._room, slope, torch.zeros_like(slope))
        self._torque, self._slope, self._start, field = torque, slope, velocity, self._field()
        field[:, self._places, 0] = slope * velocity
        field[:, self._places, 2] = -slope
        return torque

    def motion(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Speed of the joints after a step [rad/s], and the inertia of their load [kg·m²]."""
        return self._end(), self._load.outside()

    def _end(self) -> torch.Tensor:
        return self._load.data.qvel[:, self._load.addresses]

    def output_over_step(self, out: Output) -> Output:
        """The output with the torque that acted over the step, which is that of the line at the speed of its end."""
        return output_over_step(out, self._torque, self._slope, self._start, self._end())

    def clear(self, env_ids: EnvIds) -> None:
        """No slope in these environments."""
        field, chosen = self._field(), slice(None) if env_ids is None else env_ids
        # written by a copy, since what was made in inference mode cannot be written outside it
        self._slope = self._slope.clone()
        self._slope[chosen] = 0.0
        if not isinstance(chosen, slice) and not isinstance(self._places, slice):
            chosen = chosen[:, None]
        for number in (0, 2):
            field[chosen, self._places, number] = 0.0


# --- integrators that take no slope


def takes_slopes(mj_model: MjModel) -> bool:
    """Whether the integrator of a model takes the slopes of actuators."""
    kinds = mujoco_module().mjtIntegrator
    return mj_model.opt.integrator in (int(kinds.mjINT_IMPLICIT), int(kinds.mjINT_IMPLICITFAST))


def warn_of_explicit_step(owner: MotorActuator, mj_model: MjModel, at_rest: Output) -> None:
    """Warn where the torque of a motor is integrated without its slope, and the step is too long for that.

    A joint of inertia I with a stiffness k and a slope d is stable while dt²·k + 2·dt·d < 4·I.
    """
    joints, dt = owner.target_names, float(mj_model.opt.timestep)
    slope, stiffness = (highest(getattr(at_rest, name), len(joints)) for name in SLOPES)
    dofs = owner.entity.indexing.joint_v_adr[owner.target_ids]
    inertia = felt_inertia(mujoco_module(), mj_model, dofs.cpu().numpy())
    share = (dt * dt * stiffness + 2.0 * dt * slope) / (4.0 * inertia)
    worst = int(np.argmax(share))
    if share[worst] <= 1.0:
        return
    reason, remedy = "the integrator euler does not take", 'MujocoCfg(integrator="implicitfast")'
    if not owner.cfg.hands_slope:
        reason, remedy = "implicit=False keeps from the integrator", "implicit=True"
    warnings.warn(
        f"joint {joints[worst]!r}: {reason} the slope of the motor's torque, {slope[worst]:.3g} N·m·s/rad, which makes "
        f"timestep = {dt:g} s unstable on {inertia[worst]:.3g} kg·m²; give {remedy}, or a shorter timestep",
        BackemfWarning,
        stacklevel=3,
    )


def highest(value: Any, count: int) -> np.ndarray:
    """The largest value of each joint over all environments."""
    known = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value, dtype=float)
    return np.maximum(np.broadcast_to(known, (*known.shape[:-1], count)).reshape(-1, count).max(axis=0), 0.0)
