"""The actuator: everything between a command and the joint."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, Unpack

from ..checks import Maybe, concrete, no_number, quote
from ..errors import ParameterError
from ..hooks import call_hook
from ..motor import Motor
from ..parts import FAMILIES, count, flag, number, numbers, one, part, several
from ..values import CompileOptions, Number
from .compiled import CompiledStep
from .controllers import (
    Controller,
    Torque,
    Voltage,
    learned,  # noqa: F401  # networks are controllers too
)
from .delay import Delay
from .joint_friction import TanhFriction
from .joint_spring import JointSpring
from .supply import Supply
from .torque_limits import TorqueLimit
from .words import actuator_words

Limits = tuple[TorqueLimit, ...] | Any
"""Limits of a joint; `Any` since one alone becomes a tuple, and since a limit may be a user's own."""


@part(kw_only=False)
class Actuator:
    """A controller and what it drives: a motor, or an ideal torque within limits.

    A command goes through `delay` and `slew` to the controller, whose answer goes to the motor. Without a motor the
    controller's torque is the answer, clipped by `limits`.
    """

    motor: Motor | None = one(Motor, default=None)
    """The motor and its gearbox; None: the joint gets the torque that the controller asks for."""
    supply: Supply | None = one(Supply, default=None)
    """What feeds the drive; None: any voltage that is commanded is there."""
    controller: Controller = one(family="controller", default=None)
    """What turns the command into a voltage or torque; None: the command is the voltage, without a motor the torque."""
    delay: Delay | None = one(Delay, default=None)
    """How long commands are under way; None: they arrive at once."""
    limits: Limits = several(family="limit", default=(), checked=False)
    """A `TorqueLimit` of the joint, or a tuple of several; with a motor they limit its current."""
    friction: TanhFriction | None = one(TanhFriction, default=None)
    """Friction of a joint without a motor; a motor has its own."""
    spring: JointSpring | None = one(JointSpring, default=None)
    """What pulls the joint towards an angle, such as a cable or a seal; None: nothing."""
    command_range: tuple[Number, Number] | None = numbers(None, default=None)
    """Lowest and highest main input that the controller takes, in its unit; None: any."""
    slew: Maybe = number(None, default=None, above=0.0)
    """Fastest change of the main input, in its unit per second; None: any."""
    voltage_limit: Maybe = number("V", default=None, above=0.0)
    """Largest voltage of the drive in either direction; None: what the supply has."""
    substeps: int = count("1", default=1, least=1)
    """Substeps of the control loop per step."""
    meter: bool = flag(default=True)
    """Whether the electrical energy is counted."""

    def __post_init__(self) -> None:
        if self.controller is None:
            object.__setattr__(self, "controller", Torque() if self.motor is None else Voltage())
        self._check_limits()
        self._check_motor()
        check_command_range(self)
        if self.controller.asks == "network" and self.substeps > 1:
            raise ParameterError(
                f"Actuator.substeps = {self.substeps}: a network is made for the step it was trained at; leave it out"
            )
        self._check_delay()

    def _check_delay(self) -> None:
        inputs: tuple[str, ...] = getattr(self.controller, "inputs", ())
        for name in (isinstance(self.delay, Delay) and self.delay.targets) or ():
            if name not in inputs:
                raise ParameterError(
                    f"Delay.targets names {quote(name)}, but {type(self.controller).__name__} takes {', '.join(inputs)}"
                )

    def _check_limits(self) -> None:
        kinds = tuple(FAMILIES["limit"].values())
        given: object = (self.limits,) if isinstance(self.limits, kinds) else self.limits
        for limit in given if isinstance(given, (tuple, list)) else (given,):
            if is_dataclass(limit) and not isinstance(limit, kinds):
                raise ParameterError(
                    f"Actuator.limits holds {type(limit).__name__}(...): must be limits such as DcClip"
                )
        if not isinstance(given, (tuple, list)) or not all(isinstance(limit, kinds) for limit in given):
            raise ParameterError(f"Actuator.limits = {quote(self.limits)}: must be a tuple of limits such as DcClip")
        object.__setattr__(self, "limits", tuple(given))

    def _check_motor(self) -> None:
        name = type(self.controller).__name__
        if self.motor is None:
            if self.controller.bandwidth is not None:
                raise ParameterError(f"{name}.current_bandwidth would never take effect: give a motor, or leave it out")
            if self.controller.asks in ("voltage", "duty", "mode"):
                raise ParameterError(
                    f"Actuator.controller = {name}(...) asks for volts: give a motor, or a controller "
                    "in torque such as IdealPd"
                )
            for part in ("supply", "voltage_limit"):
                if getattr(self, part) is not None:
                    raise ParameterError(f"Actuator.{part} would never take effect: give a motor, or leave it out")
            if not self.meter:
                raise ParameterError(
                    "Actuator.meter = False would never take effect: without a motor nothing is counted"
                )
            return
        if self.controller.asks == "network":
            raise ParameterError(f"Actuator.controller = {name}(...) stands for the motor too: leave motor out")
        if self.friction is not None:
            raise ParameterError("Actuator.friction is for joints without a motor: give Motor.friction instead")
        if self.controller.asks == "duty" and self.supply is None:
            raise ParameterError(f"{name} gives a duty of the bus voltage: give Actuator.supply=Supply(voltage=...)")

    @property
    def delayed_inputs(self) -> tuple[str, ...]:
        """Inputs that are delayed; the mode goes with the inputs that it chooses from."""
        if self.delay is None:
            return ()
        if self.controller.asks == "mode":
            return (*self.controller.inputs, "mode")
        return self.controller.inputs if self.delay.targets is None else self.delay.targets

    def compile(self, engine: str = "numpy", **options: Unpack[CompileOptions]) -> CompiledStep:
        """The step of this actuator on one engine: "numpy", "python", "native", "jax", "torch" or "warp".

        "native" is machine code for this processor, in float64 on NumPy's arrays: the fastest for one motor and for a
        few. JAX, PyTorch and Warp take `in_place` (the state that is handed in is used up, which saves copying it);
        they and "native" take `telemetry`, the outputs that are wanted, e.g. ("torque", "current"); what is left out
        costs nothing. PyTorch and Warp take `dtype` and `device`, PyTorch also `dynamic` and `eager` (no
        `torch.compile`). Networks and a supply that motors share run on NumPy, JAX and PyTorch.
        """
        return CompiledStep(self, engine, options)

    def __repr__(self) -> str:
        return f"Actuator({actuator_words(self)})"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)


def check_command_range(actuator: Actuator) -> None:
    """Check that the command range is two rising numbers; raise `ParameterError` if not. A list becomes a tuple."""
    limits = actuator.command_range
    if limits is None:
        return
    pair = isinstance(limits, (tuple, list)) and len(limits) == 2 and not any(no_number(x) for x in limits)
    if not pair:
        raise ParameterError(f"Actuator.command_range = {quote(limits)}: must be two numbers, (lowest, highest)")
    low, high = concrete(limits[0]), concrete(limits[1])
    if low is not None and high is not None and not (low <= high).all():
        raise ParameterError(f"Actuator.command_range = {quote(limits)}: the lowest comes first")
    object.__setattr__(actuator, "command_range", tuple(limits))
