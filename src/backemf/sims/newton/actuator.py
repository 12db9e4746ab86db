"""Newton's actuator around a drive of ours, with finding the joints and adding the forces in the same launch."""

from __future__ import annotations

from typing import Any

import numpy as np
from newton.actuators import Actuator as NewtonActuator  # pyright: ignore[reportMissingImports]

from ...errors import ParameterError
from .plugin import BackemfDrive
from .wiring import host_arrays, host_places


class BackemfActuator(NewtonActuator):
    """Newton's actuator around a `BackemfDrive`, with finding the joints and adding the forces in the same launch.

    With Newton's own clamps or delay around it, in implicit mode or with gradients it does what Newton's does.
    """

    def step(
        self,
        sim_state: Any,
        sim_control: Any,
        current_act_state: Any = None,
        next_act_state: Any = None,
        dt: float | None = None,
    ) -> None:
        """One step: torques are added to the output array, and the state after it is written to the next one."""
        drive = self.drive
        plain = isinstance(drive, BackemfDrive) and self.delay is None and not self.clamping and not self.requires_grad
        if not plain or drive._pack is not None or self.control_computed_output_attr is not None:
            super().step(sim_state, sim_control, current_act_state, next_act_state, dt)
            return
        state = None if current_act_state is None else current_act_state.drive_state
        after = None if next_act_state is None else next_act_state.drive_state
        if drive.is_stateful() and (state is None or after is None or state is after):
            raise ParameterError("a stateful actuator needs two states, the present and the next: make them by state()")
        feed = self.control_feedforward_attr
        sim = host_arrays(
            getattr(sim_state, self.state_pos_attr),
            getattr(sim_state, self.state_vel_attr),
            getattr(sim_control, self.control_target_pos_attr),
            getattr(sim_control, self.control_target_vel_attr),
            None if feed is None else getattr(sim_control, feed, None),
        )
        places = host_places(self.pos_indices, self.indices, self.target_pos_indices, self.indices, self.effort_indices)
        if dt is None:
            raise ParameterError("step(dt=None): give the length of the step [s]")
        drive.fused_step(sim, places, state, after, getattr(sim_control, self.control_output_attr), float(dt))


def fused(model: Any, fixed: bool = False) -> Any:
    """The model with every actuator of Newton that holds a `BackemfDrive` alone stepped in one launch.

    With `fixed` the numbers of the motors become constants of their kernels: a step of a full motor is then about a
    third faster, and `numbers` and `set_numbers` are refused.
    """
    for actuator in model.actuators:
        if type(actuator) is NewtonActuator and isinstance(actuator.drive, BackemfDrive):
            actuator.__class__ = BackemfActuator
            if fixed and not actuator.drive.fixed:
                actuator.drive.fixed = True
                actuator.drive.finalize(actuator.device, actuator.num_actuators)
    return model


def add_armature(model: Any) -> None:
    """Add `Motor.armature` to the joints of every `BackemfDrive` of a model; call it before a solver is made."""
    armature = model.joint_armature.numpy()
    for actuator in model.actuators:
        motor = getattr(getattr(actuator.drive, "backemf", None), "motor", None)
        if motor is not None and motor.rotor is not None:
            armature[actuator.effort_indices.numpy()] += np.broadcast_to(motor.armature, (actuator.num_actuators,))
    model.joint_armature.assign(armature)
