"""Newton's actuator around a `BackemfDrive`, with finding the joints and adding the forces in the same launch."""

from __future__ import annotations

import warnings
from typing import TypeVar

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]
from newton.actuators import Actuator as NewtonActuator  # pyright: ignore[reportMissingImports]

from ...errors import BackemfWarning, ParameterError
from .articulation import ROUNDS, Articulations
from .loose import add_to_links, is_hinge_or_slider, is_loose
from .memory import MotorState
from .plugin import BackemfDrive
from .types import ActuatorState, Model, SimState
from .wiring import host_arrays, host_places

M = TypeVar("M", bound=Model)


class BackemfActuator(NewtonActuator):
    """Newton's actuator around a `BackemfDrive`, with finding the joints and adding the forces in the same launch.

    With Newton's own clamps or delay around it, in implicit mode or with gradients it does what Newton's does.
    """

    joints: Articulations | None = None
    """The model's joints, with which the torque of the step's end is found; None: that of its beginning is held."""

    def step(
        self,
        sim_state: SimState,
        sim_control: object,
        current_act_state: ActuatorState | None = None,
        next_act_state: ActuatorState | None = None,
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
        if dt is None:
            raise ParameterError("step(dt=None): give the length of the step [s]")
        if self.joints is not None:
            self._step_implicit(self.joints, sim_state, sim_control, state, after, float(dt))
            return
        joint = (getattr(sim_state, self.state_pos_attr), getattr(sim_state, self.state_vel_attr))
        sim = host_arrays(*joint, *self._targets(sim_control))
        places = host_places(self.pos_indices, self.indices, self.target_pos_indices, self.indices, self.effort_indices)
        drive.fused_step(sim, places, state, after, getattr(sim_control, self.control_output_attr), float(dt))

    def _targets(self, control: object) -> tuple[wp.array, wp.array, wp.array | None]:
        """Position targets, velocity targets and feedforward; None: there is no feedforward."""
        feed = self.control_feedforward_attr
        targets = (getattr(control, self.control_target_pos_attr), getattr(control, self.control_target_vel_attr))
        return *targets, None if feed is None else getattr(control, feed, None)

    def _step_implicit(
        self, joints: Articulations, sim: SimState, control: object, state: MotorState | None,
        after: MotorState | None, dt: float,
    ) -> None:  # fmt: skip
        """Torques and state as they are at the end of the step, found together with the velocities there."""
        drive = self.drive
        joints.refresh(id(self), sim, dt)
        joints.begin()
        arrays = host_arrays(joints.arrays.end, joints.arrays.guess, *self._targets(control))
        places = host_places(self.pos_indices, self.indices, self.target_pos_indices, self.indices)
        for _ in range(ROUNDS):
            joints.place(self.pos_indices, self.indices, dt)
            joints.advance(drive.torque_and_slopes(arrays, places, state, dt), self.indices, dt)
        joints.add_torques(self.indices, self.effort_indices, getattr(control, self.control_output_attr))
        if after is not None:
            drive.update_state(state, after)


def fuse(model: M, fixed: bool = False, implicit: bool = True, solver: object = None) -> M:
    """The model with every actuator of Newton that holds a `BackemfDrive` alone stepped by backemf.

    Args:
        model: What `ModelBuilder.finalize` made.
        fixed: Whether the numbers of the motors become constants of their kernels: a step of a full motor is then about
            a third faster, and `numbers` and `set_numbers` are refused.
        implicit: Whether a step finds the torque at its end, against the inertia of the articulations, so that no link
            is too light and no step too long for a motor. Without it the torque at the beginning is held over the
            step, in one launch.
        solver: The solver or its class. It counts where it is `SolverXPBD`, `SolverSemiImplicit` or `SolverVBD`, which
            move bodies before they pull them back into their joints; None: any other.
    """
    rows = [x for x in model.actuators if type(x) is NewtonActuator and isinstance(x.drive, BackemfDrive)]
    joints = Articulations(model, is_loose(solver)) if implicit and rows and model.articulation_count else None
    single = is_hinge_or_slider(model) if joints is not None else None
    for actuator in rows:
        actuator.__class__ = BackemfActuator
        if fixed and not actuator.drive.fixed:
            actuator.drive.fixed = True
            actuator.drive.finalize(actuator.device, actuator.num_actuators)
        if single is not None and single[actuator.indices.numpy()].all():
            actuator.joints = joints
        elif implicit:
            warnings.warn(_EXPLICIT.format(actuator.num_actuators), BackemfWarning, stacklevel=2)
    return model


_EXPLICIT = (
    "a row of {} joints is stepped explicitly, since some are not hinges or sliders of an articulation: it needs short "
    "steps; make articulations of them by ModelBuilder.add_articulation, or give fuse(model, implicit=False)"
)


def add_armature(model: Model) -> None:
    """Add `Motor.armature` to the joints of every `BackemfDrive` of a model; call it before a solver is made.

    In USD a joint's `newton:armature` is all that it feels, the rotor included: only what is missing of the rotor is
    added there. Another call adds nothing.
    Where `fuse(model, solver=...)` names a solver that knows no armature, the rotor of a hinge is added to the link
    that it turns, about the axis.
    """
    armature = model.joint_armature.numpy()
    for actuator in model.actuators:
        motor = getattr(getattr(actuator.drive, "backemf", None), "motor", None)
        if motor is None or motor.rotor is None or actuator.drive.has_armature:
            continue
        actuator.drive.has_armature = True
        rotor = np.broadcast_to(motor.armature, (actuator.num_actuators,))
        joints, places = getattr(actuator, "joints", None), actuator.effort_indices.numpy()
        if joints is None or not joints.loose:
            armature[places] += np.where(actuator.drive.usd, np.maximum(rotor - armature[places], 0.0), rotor)
        elif add_to_links(model, actuator.indices.numpy().astype(int), rotor).any():
            warnings.warn(_SLIDERS, BackemfWarning, stacklevel=2)
    model.joint_armature.assign(armature)


_SLIDERS = (
    "the rotors of some sliders are left out: this solver knows no armature, and a heavier link would weigh more; take "
    "SolverFeatherstone or SolverMuJoCo"
)
