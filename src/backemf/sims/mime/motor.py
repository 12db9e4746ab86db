"""The constants of MIME's motor under their documented names, its state and its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...checks import Number, concrete, require
from ...errors import ParameterError
from ...motor import Motor
from ...physics.state import Array
from ...tree import kind_of_numbers
from ...values import Recorded
from ..joint import friction_of, ratio_of, single

if TYPE_CHECKING:
    from ..on_engine import EngineOption
    from .compiled import CompiledMime

Vector: TypeAlias = "Array | Sequence[Number]"
"""Numbers along the last axis."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class MimeMotor:
    """A DC motor as MIME describes it: one viscous rotor, one RL winding, and a PI for velocities."""

    inertia_kg_m2: Number
    """Inertia of the rotor and all that turns with it [kg·m²]."""
    kt_n_m_per_a: Number
    """Torque constant [N·m/A]."""
    r_ohm: Number
    """Resistance of the winding [Ω]."""
    l_henry: Number
    """Inductance of the winding [H]; 0 means the current follows the voltage at once."""
    damping_n_m_s: Number
    """Drag torque per speed [N·m·s/rad]."""
    ke_v_s_per_rad: Recorded = None
    """Back-EMF constant [V·s/rad]; None: the torque constant."""
    velocity_kp: Number = 1e-3
    """Torque per velocity error in velocity mode [N·m·s/rad]."""
    velocity_ki: Number = 1e-2
    """Torque per integrated velocity error in velocity mode [N·m/rad]."""

    def __post_init__(self) -> None:
        if self.ke_v_s_per_rad is None:
            object.__setattr__(self, "ke_v_s_per_rad", self.kt_n_m_per_a)
        for name in ("inertia_kg_m2", "kt_n_m_per_a"):
            require(self, name, ">")
        for name in ("r_ohm", "l_henry", "damping_n_m_s", "ke_v_s_per_rad", "velocity_kp", "velocity_ki"):
            require(self, name, ">=")
        ohms, henries = concrete(self.r_ohm), concrete(self.l_henry)
        if ohms is not None and henries is not None and ((ohms == 0.0) & (henries == 0.0)).any():
            raise ParameterError("MimeMotor.r_ohm = 0 and l_henry = 0: nothing would limit the current; give one")

    def compile(self, engine: str = "numpy", **options: EngineOption) -> CompiledMime:
        """The step of this motor on one engine: "numpy", "python", "jax" or "torch" (with `dtype` and `device`)."""
        from .compiled import CompiledMime

        return CompiledMime(self, engine, options)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class MimeState:
    """What the motor remembers between two steps."""

    angle: Recorded
    """Angle of the rotor, counted on over all turns [rad]."""
    angular_velocity: Recorded
    """Speed of the rotor [rad/s]."""
    current: Recorded
    """Current of the winding, 0 outside voltage mode [A]."""
    velocity_integral_error: Recorded
    """Integral of the velocity controller, which rests outside velocity mode [rad]."""
    angle_remainder: Recorded = None
    """What the angle is too much by, which its precision cannot hold [rad]; None: rounding adds up, as in MIME."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class MimeInputs:
    """What a step is told. Of the three commands the first that is not 0 counts, unless a mode is named."""

    commanded_torque: Recorded = 0.0
    """Torque on the rotor [N·m]."""
    commanded_voltage: Recorded = 0.0
    """Voltage at the terminals [V]."""
    commanded_velocity: Recorded = 0.0
    """Speed to go with [rad/s]."""
    load_torque: Recorded = 0.0
    """Torque on the rotor from elsewhere, in every mode [N·m]."""
    mode: Recorded = None
    """TORQUE = 1, VOLTAGE = 2 or VELOCITY = 3, whose command then holds even if it is 0; anything else: the first
    command that is not 0."""


def from_motor(motor: Motor, **gains: Number) -> MimeMotor:
    """What MIME's motor can hold of ours, at the joint: with the gear ratio N, inertia N²·J, constants N·K, drag N²·b.

    Dry friction, heat, saturation, cogging and limits have no place there. `gains` are velocity_kp and velocity_ki.
    """
    if not isinstance(motor, Motor):
        raise ParameterError(f"motor = {motor!r}: must be a Motor; an Actuator has one as .motor")
    ratio, drag = ratio_of(motor), friction_of(motor)[2]
    inductance = motor.winding.inductance
    return MimeMotor(
        inertia_kg_m2=single("Motor.inertia", motor.reflected_inertia),
        kt_n_m_per_a=ratio * single("Magnet.torque_constant", motor.magnet.torque_constant),
        ke_v_s_per_rad=ratio * single("Magnet.back_emf_constant", motor.magnet.back_emf_constant),
        r_ohm=single("Winding.resistance", motor.winding.resistance),
        l_henry=single("Winding.inductance", inductance),
        damping_n_m_s=0.0 if drag is None else drag.value,
        **gains,
    )
