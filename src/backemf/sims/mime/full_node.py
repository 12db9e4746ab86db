"""Our motor as a node of a MADDENING graph, behind the inputs and fluxes of MIME's: what that one leaves out is here.

Motor and shaft are stepped together, as in `simulate`: everything that falls with speed is taken at the speed of the
end of the step, so that friction stops the shaft exactly and any step is stable.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from maddening.core.compliance.metadata import NodeMeta, StabilityLevel
from maddening.core.compliance.stability import stability
from maddening.core.node import BoundaryFluxSpec, SimulationNode

from ...actuator import Actuator, Command, ModeSelector, TorquePid
from ...actuator.memory import initial_state, states_of
from ...checks import Number, concrete, no_number
from ...engines import load
from ...errors import ParameterError
from ...motor import Motor
from ...parts import without_neutral
from ...physics.circuit import housing_temperature, measured_temperature, winding_temperature
from ...physics.state import State
from ...physics.step import has_backlash
from .compiled import laws, shape_of
from .law import COAST, TORQUE
from .motor import MimeInputs
from .shaft import Shaft, Values, Vector, known_now

OWN = ("angle", "angular_velocity", "angle_remainder")
"""States of the shaft; the others are the actuator's."""


@stability(StabilityLevel.EXPERIMENTAL)
class FullMotorNode(Shaft, SimulationNode):
    """A backemf motor with all that it has: cogging, heat, saturation, friction, gears, limits and supply.

    Inputs and fluxes are those of `MotorNode`, at the joint behind the gears, and the temperatures on top. Where
    nothing is commanded the drive lets no current flow.

    Args:
        name: Name of the node.
        timestep: Step [s].
        actuator: A `Motor`, or an `Actuator` whose controller is a `ModeSelector`.
        load_inertia_kg_m2: Inertia at the joint besides the motor's own [kg·m²].
        axis_in_parent_frame: Axis of the joint, of any length.
        tool_offset_in_rotor_frame: Pose of the tool on the joint, [x, y, z, qw, qx, qy, qz].
        velocity_kp: Torque per velocity error [N·m·s/rad], for a `Motor`; an `Actuator` has gains of its own.
        velocity_ki: Torque per integrated velocity error [N·m/rad], likewise.
        shape: Shape of a batch of equal motors, e.g. (4096,); () leaves it to the parameters.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        algorithm_id="BACKEMF-FULL-MOTOR",
        algorithm_version="1.0.0",
        stability=StabilityLevel.EXPERIMENTAL,
        description="A DC or brushless motor with drive, supply, heat, friction, cogging and gears.",
        governing_equations="See the theory page of backemf.",
        discretization="Linear states exactly for held inputs; the shaft's speed implicit in all that brakes.",
        limitations=("No PWM ripple",),
        implementation_map={"One step": "backemf.actuator.CompiledStep.coupled"},
    )

    def __init__(
        self,
        name: str,
        timestep: float,
        actuator: Motor | Actuator,
        load_inertia_kg_m2: Number = 0.0,
        axis_in_parent_frame: Vector = (0.0, 0.0, 1.0),
        tool_offset_in_rotor_frame: Vector = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        velocity_kp: Number = 1e-3,
        velocity_ki: Number = 1e-2,
        shape: tuple[int, ...] = (),
    ):
        params = {
            "actuator": actuator,
            "load_inertia_kg_m2": load_inertia_kg_m2,
            "velocity_kp": velocity_kp,
            "velocity_ki": velocity_ki,
        }
        self.actuator = without_neutral(_selecting(f"FullMotorNode {name!r}: ", actuator, velocity_kp, velocity_ki))
        self._load = load_inertia_kg_m2
        _require_inertia(f"FullMotorNode {name!r}: ", self.actuator, load_inertia_kg_m2)
        batch = tuple(shape) or shape_of((self.actuator, load_inertia_kg_m2))
        super().__init__(name, timestep, axis_in_parent_frame, tool_offset_in_rotor_frame, batch, params)
        self._step = self.actuator.compile("jax")

    def initial_state(self) -> Values:
        """The shaft at rest at angle 0, and the motor cold."""
        zero = load("jax").array(0.0, self._shape)
        memory = initial_state(load("jax"), self.actuator, self._shape, 0, self.delta_t, {}, {})
        kept = {name: value for name, value in vars(memory).items() if value is not None}
        return {**dict.fromkeys(OWN, zero), "current": zero, **kept}

    def update(self, state: Values, boundary_inputs: Values, dt: Number) -> Values:
        """The state after a step of `dt` seconds."""
        told = MimeInputs(**self._inputs(state, boundary_inputs, dt))
        mode = laws("jax").mode_of(told)
        # no command is a torque of 0, and 0 is a command to our controllers
        command = Command(
            effort=told.commanded_torque,
            voltage=told.commanded_voltage,
            velocity=told.commanded_velocity,
            mode=jnp.where(mode == COAST, TORQUE, mode),
        )
        memory, out = self._step.coupled(
            self._memory(state), command, state["angle"], state["angular_velocity"], dt, told.load_torque, self._load
        )
        angle, remainder = laws("jax").turn(state["angle"], state["angle_remainder"], out.joint_travel)
        after = {
            "angle": angle, "angular_velocity": out.joint_velocity, "angle_remainder": remainder,
            "current": out.current,
        }  # fmt: skip
        after |= {name: value for name, value in vars(memory).items() if name in state}
        return jax.tree.map(lambda new, old: jnp.broadcast_to(jnp.asarray(new, old.dtype), old.shape), after, state)

    def _memory(self, state: Values) -> State:
        """What the actuator remembers."""
        memory = {name: value for name, value in state.items() if name not in OWN}
        if not self._has_current:
            memory.pop("current")
        return State(**memory)

    @property
    def _has_current(self) -> bool:
        """Whether the actuator remembers its current; else it is only shown."""
        return "current" in states_of(self.actuator)

    def boundary_flux_spec(self) -> dict[str, BoundaryFluxSpec]:
        """What can be read from the node besides its states."""
        found = super().boundary_flux_spec()
        for name in self._temperatures(self.initial_state()):
            found[name] = BoundaryFluxSpec(self._shape, description=name.replace("_", " "), output_units="degC")
        return found

    def compute_boundary_fluxes(self, state: Values, boundary_inputs: Values, dt: float) -> Values:
        """Angle, speed, the pose of the tool, and the temperatures that the motor has [°C]."""
        return super().compute_boundary_fluxes(state, boundary_inputs, dt) | self._temperatures(state)

    def _temperatures(self, state: Values) -> Values:
        motor: Any = self.actuator.motor
        memory = self._memory(state)
        if motor.thermal is None:
            return {}
        found = {
            "winding_temperature": winding_temperature(motor, memory),
            "housing_temperature": housing_temperature(motor, memory),
            "measured_temperature": measured_temperature(motor, memory),
        }
        return {name: degrees for name, degrees in found.items() if degrees is not None}


def _selecting(prefix: str, actuator: Motor | Actuator, kp: Number, ki: Number) -> Actuator:
    """The actuator, which follows a torque, a voltage or a velocity."""
    if isinstance(actuator, Motor):
        try:
            follow = TorquePid(follows="velocity", kd=kp, ki=ki)
        except ParameterError as wrong:
            said = str(wrong).replace("TorquePid.kd", "velocity_kp").replace("TorquePid.ki", "velocity_ki")
            raise ParameterError(f"{prefix}{said}") from None
        return Actuator(actuator, controller=ModeSelector(velocity=follow))
    if not isinstance(actuator, Actuator) or actuator.motor is None:
        raise ParameterError(f"{prefix}actuator = {type(actuator).__name__}: must be a Motor, or an Actuator with one")
    if not isinstance(actuator.controller, ModeSelector):
        raise ParameterError(
            f"{prefix}the actuator's controller is a {type(actuator.controller).__name__}: give it a ModeSelector, "
            "which follows a torque, a voltage or a velocity"
        )
    if actuator.controller.velocity is not None:
        return actuator
    # a velocity is an input of the node, so that something has to follow it
    raise ParameterError(
        f"{prefix}ModeSelector.velocity is None: give VelocityPi(...) or TorquePid(follows='velocity')"
    )


def _require_inertia(prefix: str, actuator: Actuator, inertia: Number) -> None:
    """Check that something has inertia; raise `ParameterError` if not."""
    motor: Any = actuator.motor
    no_inertia = isinstance(inertia, bool) or inertia is None or no_number(inertia)
    known, own = (None if no_inertia else known_now(inertia)), concrete(motor.inertia)
    if no_inertia or (known is not None and not (np.isfinite(known) & (known >= 0.0)).all()):
        raise ParameterError(f"{prefix}load_inertia_kg_m2 = {inertia!r}: must be a finite number of 0 or more")
    if known is None or own is None:
        return
    if (known + own <= 0.0).any():
        raise ParameterError(f"{prefix}nothing turns: give Motor.rotor, or load_inertia_kg_m2 above 0")
    if has_backlash(motor) and (known == 0.0).any():
        raise ParameterError(f"{prefix}load_inertia_kg_m2 = 0: backlash needs something that the gears can hit")
