"""MJX's own step, cut where the motors come in: before the actuators, and at the integrator.

MJX's integrators take slopes of joint dampings, so the slope of the motors' torque stands there while a step is
integrated, and nowhere else.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import MissingExtraError, ParameterError
from ...values import Module
from ..mujoco_joints import Joints
from ..mujoco_types import MjModel
from .types import MjxData, MjxModel

if TYPE_CHECKING:
    import jax

OLDEST = (3, 17)
"""Oldest version of mujoco-mjx whose step is known here."""


def mjx_module() -> Module:
    """MJX; raises MissingExtraError where it is not installed, and ParameterError where its version does not fit."""
    if importlib.util.find_spec("mujoco") is None or importlib.util.find_spec("mujoco.mjx") is None:
        raise MissingExtraError("mujoco-mjx", "mjx", "A motor inside MJX")
    found = metadata.version("mujoco-mjx")
    if tuple(int(x) for x in found.split(".")[:2]) < OLDEST:
        raise ParameterError(
            f"mujoco-mjx {found} is installed, and its motors need {'.'.join(map(str, OLDEST))} or newer: "
            "pip install --upgrade mujoco-mjx"
        )
    try:
        return importlib.import_module("mujoco.mjx")
    except (ImportError, AttributeError) as error:
        raise ParameterError(
            f"mujoco-mjx {found} does not start with mujoco {metadata.version('mujoco')} ({error}): install versions "
            "that fit, pip install --upgrade mujoco mujoco-mjx"
        ) from None


class Integration(NamedTuple):
    """How the integrator of a model takes slopes."""

    euler: bool
    """Whether it is Euler, else implicitfast."""
    damped: bool
    """Whether it takes the dampings of the model's joints at the end of the step."""


class Engine:
    """MJX's stages on the joints with motors."""

    def __init__(self, model: MjModel, joints: Joints):
        self.mjx = mjx_module()
        self._joints = joints
        self._has = joints.actuators >= 0
        clipped = self._has & (model.jnt_actfrclimited[joints.ids] != 0)
        ranges = model.jnt_actfrcrange[joints.ids]
        self._low = np.where(clipped, ranges[:, 0], -np.inf)
        self._high = np.where(clipped, ranges[:, 1], np.inf)

    def integration(self, model: MjxModel) -> Integration:
        """How slopes are taken; raises ParameterError for an integrator that takes none, or without actuation."""
        mjx, options = self.mjx, model.opt
        if options.integrator not in (mjx.IntegratorType.EULER, mjx.IntegratorType.IMPLICITFAST):
            raise ParameterError(
                f"the integrator {mjx.IntegratorType(options.integrator).name} does not take the motors' torque as "
                "they give it, once a step: set model.opt.integrator to implicitfast or Euler before mjx.put_model"
            )
        flags, bits = int(options.disableflags), mjx.DisableBit
        if flags & bits.ACTUATION:
            raise ParameterError("the model disables actuation, and with it the motors: take that flag out")
        euler = options.integrator == mjx.IntegratorType.EULER
        return Integration(euler, not flags & bits.DAMPER and not (euler and flags & bits.EULERDAMP))

    def begin(self, model: MjxModel, data: MjxData) -> MjxData:
        """All that does not depend on the motors' torque; the model's other actuators included."""
        for stage in ("fwd_position", "sensor_pos", "fwd_velocity", "sensor_vel", "fwd_actuation"):
            data = getattr(self.mjx, stage)(model, data)
        return data

    def accelerate(self, model: MjxModel, data: MjxData, torque: jax.Array) -> tuple[MjxData, jax.Array]:
        """Accelerations with a torque of the motors [N·m], and what of it the model's own limits cut off [N·m].

        `data` is as it comes from `begin`, whose actuator forces are those of the other actuators.
        """
        import jax.numpy as jnp

        dofs, hands = self._joints.dofs, self._joints.actuators[self._has]
        others = data.qfrc_actuator[dofs]
        asked = others + torque
        given = jnp.clip(asked, self._low, self._high)
        forces = (torque / self._joints.gears)[self._has]
        data = data.replace(
            qfrc_actuator=data.qfrc_actuator.at[dofs].set(given),
            actuator_force=data.actuator_force.at[hands].set(forces) if len(hands) else data.actuator_force,
        )
        data = self.mjx.fwd_acceleration(model, data)
        inside: Module = data._impl
        if inside.efc_J.size == 0:
            return data.replace(qacc=data.qacc_smooth), asked - given
        return self.mjx.solve(model, data), asked - given

    def mobility(self, model: MjxModel, data: MjxData) -> jax.Array:
        """The inverse mass matrix between the joints with motors [1/(kg·m²)]."""
        import jax
        import jax.numpy as jnp

        inside: Module = data._impl
        masses = self.mjx.full_m(model, data) if self.mjx.is_sparse(model) else inside.M
        units = jnp.zeros((model.nv, len(self._joints.dofs)), masses.dtype)
        units = units.at[self._joints.dofs, np.arange(len(self._joints.dofs))].set(1.0)
        factor = jax.scipy.linalg.cho_factor(masses)
        return jax.scipy.linalg.cho_solve(factor, units)[self._joints.dofs]

    def integrate(self, model: MjxModel, data: MjxData, slope: jax.Array, how: Integration) -> MjxData:
        """The step, with a torque that falls with the speed at its end by `slope` [N·m·s/rad]."""
        data = self.mjx.sensor_acc(model, data)
        own = model.dof_damping if how.damped else 0.0 * model.dof_damping
        bits = self.mjx.DisableBit
        # only the slopes that stand in the damping are taken: flags that would leave them out do not hold for them
        taken = [getattr(bits, name).value for name in ("DAMPER", "EULERDAMP")]
        flags = model.opt.disableflags & ~sum(taken)
        fields: dict[str, object] = {"dof_damping": own.at[self._joints.dofs].add(slope)}
        if not how.damped and not how.euler:
            fields["tendon_damping"] = 0.0 * model.tendon_damping
        softer = model.replace(opt=model.opt.replace(disableflags=flags), **fields)
        step: Callable[[MjxModel, MjxData], MjxData] = self.mjx.euler if how.euler else self.mjx.implicit
        return step(softer, data)
