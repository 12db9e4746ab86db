"""MIME's motor as a node of a MADDENING graph: its documented constructor, states, inputs and fluxes, and its law."""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import ClassVar

from maddening.core.compliance.metadata import NodeMeta, Reference, StabilityLevel, ValidatedRegime
from maddening.core.compliance.stability import stability
from maddening.core.node import SimulationNode

from ...checks import Maybe, Number
from ...engines import load
from ...errors import ParameterError
from ...physics.state import Array
from .compiled import laws, shape_of
from .motor import MimeInputs, MimeMotor, MimeState
from .shaft import Shaft, Values, Vector, known_now

DOCUMENTED = ("angle", "angular_velocity", "current", "velocity_integral_error")
"""States of the document; `angle_remainder` is ours, and a state without it runs as well."""
_LAW = "backemf.sims.mime.law.mime_step"


@stability(StabilityLevel.EXPERIMENTAL)
class MotorNode(Shaft, SimulationNode):
    """One rotary DC motor under a torque, a voltage or a velocity.

    Torque comes before voltage before velocity: the first that is not 0 counts, and where all are 0 the rotor coasts.
    With the input `mode` (1, 2, 3) the command of that mode holds even if it is 0. Every number may be traced, or be an
    array with one value per motor of a batch, whose shape the states then have.

    Args:
        name: Name of the node.
        timestep: Step [s].
        inertia_kg_m2: Inertia of the rotor [kg·m²].
        kt_n_m_per_a: Torque constant [N·m/A].
        r_ohm: Resistance of the winding [Ω].
        l_henry: Inductance of the winding [H].
        damping_n_m_s: Drag torque per speed [N·m·s/rad].
        ke_v_s_per_rad: Back-EMF constant [V·s/rad]; None: the torque constant.
        axis_in_parent_frame: Axis of the rotor, of any length.
        tool_offset_in_rotor_frame: Pose of the tool on the rotor, [x, y, z, qw, qx, qy, qz].
        velocity_kp: Torque per velocity error [N·m·s/rad].
        velocity_ki: Torque per integrated velocity error [N·m/rad].
        shape: Shape of a batch of equal motors, e.g. (4096,); () leaves it to the parameters.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        algorithm_id="MIME-NODE-100",
        algorithm_version="1.0.0",
        stability=StabilityLevel.EXPERIMENTAL,
        description="A DC motor under torque, voltage or velocity commands, in MIME's documented discretisation.",
        governing_equations="J dw/dt = tau + kt i + load - b w; L di/dt = V - R i - ke w; dtheta/dt = w",
        discretization="Semi-implicit Euler; drag and resistance implicit.",
        assumptions=(
            "One rotational degree of freedom",
            "Friction is viscous alone",
            "A brushed DC armature, V = R i + L di/dt + ke w",
            "kt and ke are equal unless both are given",
            "Constant rotor inertia",
            "The tool is rigid on the rotor",
        ),
        limitations=(
            "No cogging, heat, saturation or dry friction: FullMotorNode has them",
            "No PWM ripple",
            "The gains of velocity mode have to be chosen for the motor",
        ),
        validated_regimes=(
            ValidatedRegime("inertia_kg_m2", 1e-7, 1e-2, "kg.m^2"),
            ValidatedRegime("kt_n_m_per_a", 1e-3, 1.0, "N.m/A"),
            ValidatedRegime("commanded_velocity", 0.0, 500.0, "rad/s", "Default gains up to about 50 rad/s"),
        ),
        references=(Reference("Krause2013", "Analysis of Electric Machinery and Drive Systems"),),
        implementation_map={
            "J dw/dt = tau - b w": _LAW,
            "L di/dt = V - R i - ke w": _LAW,
            "tau = Kp e + Ki int(e)": _LAW,
            "Mode dispatch": "backemf.sims.mime.law.mode_of",
            "Pose of the tool": "backemf.sims.mime.pose.compose_pose",
        },
    )

    def __init__(
        self,
        name: str,
        timestep: float,
        inertia_kg_m2: Number,
        kt_n_m_per_a: Number,
        r_ohm: Number,
        l_henry: Number,
        damping_n_m_s: Number,
        ke_v_s_per_rad: Maybe = None,
        axis_in_parent_frame: Vector = (0.0, 0.0, 1.0),
        tool_offset_in_rotor_frame: Vector = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        velocity_kp: Number = 1e-3,
        velocity_ki: Number = 1e-2,
        shape: tuple[int, ...] = (),
    ):
        params = {
            "inertia_kg_m2": inertia_kg_m2,
            "kt_n_m_per_a": kt_n_m_per_a,
            "r_ohm": r_ohm,
            "l_henry": l_henry,
            "damping_n_m_s": damping_n_m_s,
            "ke_v_s_per_rad": kt_n_m_per_a if ke_v_s_per_rad is None else ke_v_s_per_rad,
            "velocity_kp": velocity_kp,
            "velocity_ki": velocity_ki,
        }
        self.motor = _motor(name, params)
        batch = tuple(shape) or shape_of(self.motor)
        super().__init__(name, timestep, axis_in_parent_frame, tool_offset_in_rotor_frame, batch, params)

    def initial_state(self) -> Values:
        """The motor at rest, at angle 0."""
        zero = load("jax").array(0.0, self._shape)
        return {name: zero for name in (*DOCUMENTED, "angle_remainder")}

    def update(self, state: Values, boundary_inputs: Values, dt: Number) -> Values:
        """The state after a step of `dt` seconds."""
        missing = [name for name in DOCUMENTED if name not in state]
        unknown = set(state) - {*DOCUMENTED, "angle_remainder"}
        if missing or unknown:
            raise ParameterError(f"{self._prefix}its states are {', '.join(DOCUMENTED)}, not {', '.join(state)}")
        given = MimeInputs(**self._inputs(state, boundary_inputs, dt))
        after = laws("jax").mime_step(self.motor, MimeState(**state), given, dt)
        return {name: getattr(after, name) for name in state}


def _motor(name: str, params: dict[str, Number]) -> MimeMotor:
    """The constants, checked as far as they are known now."""
    known = {
        field: value if isinstance(value, (int, float)) or not hasattr(value, "shape") else _concrete(value)
        for field, value in params.items()
    }
    try:
        return MimeMotor(**known)
    except ParameterError as wrong:
        raise ParameterError(f"MotorNode {name!r}: {wrong}".replace("MimeMotor.", "")) from None


def _concrete(value: Array) -> Array:
    """An array that is known now as NumPy's, so that it is checked; a traced one as it is."""
    known = known_now(value)
    return value if known is None else known
