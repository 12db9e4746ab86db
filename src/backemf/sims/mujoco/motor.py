"""MuJoCo's `dcmotor` as a group of constants: those of its compiled rows, with descriptive names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...checks import Number, concrete, require, require_finite
from ...errors import ParameterError
from ...parts import word, words
from ...physics.state import Array
from ...tree import kind_of_numbers
from .parameters import Attribute, fields_from_attributes
from .reading import BIAS, DYN, GAIN, fields_from_model
from .versions import CONTROLLER_INPUTS, in_volts, known_version, read_inputs

if TYPE_CHECKING:
    from ..mujoco_types import ModelSource
    from ..on_engine import EngineOption
    from .compiled import CompiledDcMotor
    from .law import Controls, DcMotorState

SWITCHES = {
    "slew": "slew",
    "integral": "ki",
    "temperature": "thermal_resistance",
    "bristle": "bristle_stiffness",
    "current": "time_constant",
}
"""Each state in MuJoCo's order, and the constant that is above 0 where a motor has it."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class DcMotor:
    """MuJoCo's own motor, as one of its versions computes it.

    `read` reads it from a model, `from_attributes` makes it from the attributes of a `<dcmotor>`. All defaults are
    MuJoCo's: 0, which means that there is none.
    """

    version: str = word(default="4.0")
    """Version of MuJoCo whose law it is."""
    inputs: tuple[str, ...] = words(default=("voltage",))
    """What ctrl holds: until 3.11 voltage, position or velocity; since 3.12 some of pos, vel, ff and voltage."""
    resistance: Number
    """Terminal resistance at the reference temperature [Ω]."""
    motor_constant: Number
    """Torque per current and back-EMF per speed in one [N·m/A]."""
    temperature_coefficient: Number = 0.0
    """Growth of the resistance with temperature [1/K]."""
    reference_temperature: Number = 0.0
    """Temperature of the winding at which its resistance holds [°C]."""
    kp: Number = 0.0
    """Gain on the position error; until 3.11 in volts, per speed error with a velocity [V/rad] or [N·m/rad]."""
    ki: Number = 0.0
    """Gain on the integral [V/(rad·s)] or [N·m/(rad·s)]."""
    kd: Number = 0.0
    """Gain on the velocity [V·s/rad] or [N·m·s/rad]."""
    voltage_limit: Number = 0.0
    """Largest voltage of the controller [V]."""
    time_constant: Number = 0.0
    """Electrical time constant of the cold winding [s]."""
    current_rate: Number = 0.0
    """Largest slope of the current at the start of a step [A/s]."""
    thermal_resistance: Number = 0.0
    """Thermal resistance from winding to ambient [K/W]."""
    thermal_capacitance: Number = 0.0
    """Heat capacity of the winding [J/K]."""
    ambient: Number = 0.0
    """Ambient temperature [°C]."""
    bristle_stiffness: Number = 0.0
    """LuGre's bristle stiffness [N·m/rad]."""
    bristle_damping: Number = 0.0
    """LuGre's bristle damping [N·m·s/rad]."""
    coulomb: Number = 0.0
    """LuGre's friction torque when sliding [N·m]."""
    stiction: Number = 0.0
    """LuGre's friction torque at rest [N·m]."""
    stribeck_velocity: Number = 0.0
    """Speed over which stiction falls to Coulomb friction [rad/s]."""
    slew: Number = 0.0
    """Largest rate of the first control, in its unit per second."""
    integral_limit: Number = 0.0
    """Largest size of the integral [rad·s] or [rad]."""
    cogging_amplitude: Number = 0.0
    """Peak torque of the cogging [N·m]."""
    cogging_periodicity: Number = 0.0
    """Periods of the cogging per turn [1]."""
    cogging_phase: Number = 0.0
    """Phase of the cogging at length 0 [rad]."""
    lowest_force: Number = -np.inf
    """Lower bound of the electrical torque [N·m]."""
    highest_force: Number = np.inf
    """Upper bound of the electrical torque [N·m]."""
    lowest_ctrl: tuple[Number, ...] = None  # pyright: ignore[reportAssignmentType]
    """Lower bound of each input, in a tuple; None: no bounds."""
    highest_ctrl: tuple[Number, ...] = None  # pyright: ignore[reportAssignmentType]
    """Upper bound of each input, in a tuple; None: no bounds."""
    gear: Number = 1.0
    """Length of the actuator per angle of the joint [1]."""
    damping: tuple[Number, ...] = (0.0, 0.0, 0.0)
    """Drag coefficients B1, B2, B3 [N·m·s/rad, ...]; outside the actuator's force."""
    armature: Number = 0.0
    """Inertia of the rotor [kg·m²]; outside the actuator's force."""
    states: tuple[str, ...] | None = words(default=None)
    """Names of the states it has, in MuJoCo's order; None: those whose constants are above 0."""

    def __post_init__(self) -> None:
        known_version(self.version)
        read_inputs(" ".join(self.inputs) or "none", self.version)
        require(self, "resistance", ">")
        require(self, "motor_constant", ">=")
        unbounded = ("lowest_force", "highest_force", "lowest_ctrl", "highest_ctrl")
        words = ("version", "inputs", "states", "damping")
        names = [name for name in type(self).__dataclass_fields__ if name not in (*unbounded, *words)]
        require_finite(self, *names)
        for name, end in (("lowest_ctrl", -np.inf), ("highest_ctrl", np.inf)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, (end,) * len(self.inputs))
            elif isinstance(getattr(self, name), (tuple, list)) and len(getattr(self, name)) != len(self.inputs):
                raise ParameterError(f"DcMotor.{name} = {getattr(self, name)}: must hold one number per input")
        low, high = concrete(self.lowest_force), concrete(self.highest_force)
        if low is not None and high is not None and not np.all(low < high):
            raise ParameterError(
                f"DcMotor.lowest_force = {self.lowest_force} with highest_force = {self.highest_force}: an invalid "
                "force range; the first must be below the second, and a saturation positive"
            )
        self._settle_states()
        self._check_controller()

    def _settle_states(self) -> None:
        """The states whose constants are above 0; a number that is not known yet counts as above 0."""
        present = []
        for state, name in SWITCHES.items():
            value = concrete(getattr(self, name))
            positive = np.array(True) if value is None else np.asarray(value > 0.0)
            if positive.any() != positive.all():
                raise ParameterError(
                    f"DcMotor.{name} = {getattr(self, name)}: must be above 0 for all motors of a batch or for none, "
                    f"since it decides whether there is a {state} state"
                )
            if positive.all():
                present.append(state)
            if self.states is not None and value is not None and (state in self.states) != positive.all():
                raise ParameterError(
                    f"DcMotor.{name} = {getattr(self, name)}: MuJoCo fixes which states there are when it compiles a "
                    f"model, and {state} would appear or vanish; give states=None to allow it"
                )
        if self.states is None:
            object.__setattr__(self, "states", tuple(present))

    def _check_controller(self) -> None:
        """What MuJoCo refuses of a controller since it answers with a torque."""
        if in_volts(self.version):
            return
        controller = any(name in CONTROLLER_INPUTS for name in self.inputs)
        shown = " ".join(self.inputs) or "none"
        for name in ("kp", "ki", "kd"):
            value = concrete(getattr(self, name))
            if not controller and value is not None and np.any(value != 0.0):
                raise ParameterError(
                    f'DcMotor.{name} = {getattr(self, name)} with input "{shown}": gains need one of pos, vel and ff'
                )
        if not controller and "slew" in (self.states or ()):
            raise ParameterError(
                f'DcMotor.slew = {self.slew} with input "{shown}": a slew limit needs one of pos, vel and ff'
            )
        if "integral" in (self.states or ()) and "pos" not in self.inputs:
            raise ParameterError(f'DcMotor.ki = {self.ki} with input "{shown}": an integral gain needs pos')
        constant = concrete(self.motor_constant)
        if controller and constant is not None and not np.all(constant > 0.0):
            raise ParameterError(
                f'DcMotor.motor_constant = {self.motor_constant} with input "{shown}": the controller divides by it, '
                "so it must be positive"
            )

    # --- from MuJoCo

    @classmethod
    def from_attributes(cls, *, version: str = "4.0", **attributes: Attribute) -> DcMotor:
        """The motor of a `<dcmotor>` with these attributes, as that version of MuJoCo would compile it.

        A value is the text of the attribute, a number, or a row of numbers or arrays:
        `from_attributes(motorconst=0.05, resistance=1.2, inductance=(1e-3,), input="pos vel")`.
        """
        return cls(**fields_from_attributes(attributes, version))

    @classmethod
    def read(cls, model: ModelSource, actuator: str | int | None = None, version: str = "4.0") -> DcMotor:
        """A dcmotor of a model: an MJCF text, a path to one, or an `MjModel`.

        The installed MuJoCo compiles models of its own generation (until 3.11, or since 3.12), with all their default
        classes; those of the other are parsed here. `actuator` is a name or a number, and may be left out where the
        model has one dcmotor.
        """
        return cls(**fields_from_model(model, actuator, version))

    # --- as MuJoCo stores it

    @property
    def gainprm(self) -> np.ndarray:
        """The row of `actuator_gainprm`."""
        mode = {"position": 1.0, "velocity": 2.0}.get(self.inputs[0], 0.0) if in_volts(self.version) else 0.0
        return row(*(getattr(self, name) for name in GAIN), mode)

    @property
    def dynprm(self) -> np.ndarray:
        """The row of `actuator_dynprm`."""
        return row(*(getattr(self, name) for name in DYN))

    @property
    def biasprm(self) -> np.ndarray:
        """The row of `actuator_biasprm`."""
        return row(*(getattr(self, name) for name in BIAS))

    @property
    def forcerange(self) -> np.ndarray:
        """The row of `actuator_forcerange`; 0 0 where there is no limit."""
        return row(*(np.where(np.isinf(end), 0.0, end) for end in (self.lowest_force, self.highest_force)), size=2)

    # --- running it

    def initial(self, shape: tuple[int, ...] | int = ()) -> DcMotorState:
        """The initial state of a batch: 0 for any command and any position of the joint."""
        return self.compile().initial(shape)

    def step(
        self, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number
    ) -> tuple[DcMotorState, Array]:
        """The state after a step and `actuator_force` over it, on NumPy; length and velocity are the actuator's.

        `ctrl` is a number per motor; with several inputs, a tuple of them or an array with a last axis for them.
        """
        return self.compile()(state, ctrl, length, velocity, dt)

    def slope(self, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number) -> Array:
        """d(force)/d(velocity) as MuJoCo's implicit integrators take it [N·m·s/rad]."""
        return self.compile().slope(state, ctrl, length, velocity, dt)

    def joint_torque(self, force: Number, joint_velocity: Number) -> Array:
        """Torque on the joint, gear and drag included: qfrc_actuator + qfrc_passive [N·m]."""
        return self.compile().joint_torque(force, joint_velocity)

    def act(self, state: DcMotorState) -> Array:
        """MuJoCo's `act` of the motor: its states along the last axis."""
        return self.compile().act(state)

    def compile(self, engine: str = "numpy", **options: EngineOption) -> CompiledDcMotor:
        """The same motor on an engine; `dtype` and `device` for PyTorch."""
        from .compiled import CompiledDcMotor

        return CompiledDcMotor(self, engine, options)


def row(*numbers: Number, size: int = 10) -> np.ndarray:
    """Numbers along the last axis, filled up with zeros."""
    filled = (*numbers, *(0.0 for _ in range(size - len(numbers))))
    return np.stack(np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in filled)), axis=-1)
