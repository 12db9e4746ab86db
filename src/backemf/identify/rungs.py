"""The rungs of the ladder: each adds a law, or lets one be found, by a few parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..actuator import Actuator
from ..errors import ParameterError
from ..motor import FrictionAngleTable, LoadDependent, Motor, TwoNodeThermal
from ..parts import declaration_of
from ..tree import numbers
from ..values import Foreign
from .bench import Bench
from .described import field_unit
from .log import Log
from .parameters import Parameter
from .prior import UNKNOWN, Prior, free_speed, spread_of, stall_torque
from .rig import Rig
from .trials import Trials

MOTOR = "actuator.motor."
UNEVEN = 0.1
"""How far the friction of gears differs from angle to angle, as a share of it [1]."""


@dataclass(frozen=True)
class Rung:
    """One step of the ladder."""

    name: str
    """What it adds, in a few words."""
    parameters: tuple[Parameter, ...]
    """What it frees."""
    law: str = ""
    """The law that it is a part of, which stays or goes as a whole; empty: its own."""
    required: bool = False
    """Whether it stays whatever the cross-validation says: the first one."""


def make_rungs(prior: Prior, bench: Bench, trials: Trials, rig: Rig, logs: list[Log]) -> tuple[Rung, ...]:
    """The rungs that these logs and this prior allow, the simplest first."""
    first = [*_base(prior, trials), *_from_rig(rig, bench, logs)]
    found = [Rung("Coulomb and viscous friction", tuple(first), required=True)]
    found += [rung for rung in _richer(prior, trials) if rung.parameters]
    return tuple(found)


def _base(prior: Prior, trials: Trials) -> Iterator[Parameter]:
    motor = prior.whole.motor
    if motor is None:
        return
    yield _of_motor(motor, "winding.resistance", "Ω")
    spread, source = spread_of(motor, "magnet.torque_constant")
    both = (MOTOR + "magnet.torque_constant", MOTOR + "magnet.back_emf_constant")
    yield Parameter("motor.magnet", both, spread, unit="N·m/A", source=source)
    if motor.rotor is not None and trials.path is None:
        yield _of_motor(motor, "rotor.inertia", "kg·m²")
    if isinstance(motor.friction, LoadDependent):
        yield from _unless_known(motor, "friction.coulomb", "N·m", 0.02 * stall_torque(motor))
        yield from _unless_known(motor, "friction.viscous", "N·m·s/rad", 0.02 * stall_torque(motor) / free_speed(motor))
    if motor.thermal is not None and _gets_warm(motor, trials):
        names = ("winding_capacitance", "winding_resistance") if isinstance(motor.thermal, TwoNodeThermal) else (
            "capacitance", "resistance")  # fmt: skip
        yield _of_motor(motor, f"thermal.{names[0]}", "J/K")
        yield _of_motor(motor, f"thermal.{names[1]}", "K/W")


def _gets_warm(motor: Motor, trials: Trials) -> bool:
    """Whether half the stall current would warm the winding by more than 5 K within a log."""
    thermal: Foreign = motor.thermal
    heat = float(np.mean(np.asarray(getattr(thermal, "winding_capacitance", getattr(thermal, "capacitance", np.inf)))))
    ohm = float(np.mean(np.asarray(motor.winding.resistance)))
    volts = 1.0 if motor.ratings is None or motor.ratings.voltage is None else float(np.mean(motor.ratings.voltage))
    return 0.25 * volts * volts / ohm * trials.steps * trials.dt / heat > 5.0


def _from_rig(rig: Rig, bench: Bench, logs: list[Log]) -> Iterator[Parameter]:
    """Quantities of the rig that have a spread."""
    known = dict(numbers(bench))
    for name, quantity in rig.known.items():
        if not quantity.spread:
            continue
        target = {"firmware": "actuator.controller", "supply": "actuator.supply"}
        where, _, field = name.partition(".")
        full = f"{target.get(where, where)}.{field}"
        if full not in known:
            raise ParameterError(
                f"rig: {name} has a spread, and nothing of the simulation follows from it; leave it out"
            )
        value = np.mean(np.asarray(known[full], dtype=float))
        spread = quantity.spread_at(logs[0].meta, name)
        positive = bool(value > 0.0) and not field.endswith(("bias", "offset"))
        size = float(spread / value) if positive else spread
        yield Parameter(name, (full,), size, positive, unit=_rig_unit(rig, name), source="rig")


def _rig_unit(rig: Rig, name: str) -> str:
    """Unit of a quantity of a rig, such as kg of load.mass."""
    where, _, field = name.rpartition(".")
    _, dot, channel = where.partition(".")
    part = rig.sensors[channel] if dot else getattr(rig, where)
    declared = declaration_of(part.kind.__dataclass_fields__[field])
    return "1" if declared is None else field_unit(declared, part.unit)


def _richer(prior: Prior, trials: Trials) -> Iterator[Rung]:
    motor, actuator = prior.whole.motor, prior.whole
    moves = trials.path is None
    if motor is not None and isinstance(motor.friction, LoadDependent):
        stall = stall_torque(motor)
        if actuator.supply is not None and actuator.supply.curve is not None:
            curve = Parameter("supply.curve.saturation", ("actuator.supply.curve.saturation",), UNKNOWN, reference=0.5)
            yield Rung("curve from duty to voltage", (curve,))
        slow = (
            _new("friction.stribeck.coulomb", "N·m", 0.02 * stall),
            Parameter("motor.friction.stribeck.velocity", (MOTOR + "friction.stribeck.velocity",), 1.0, unit="rad/s"),
        )
        yield Rung("Stribeck friction", slow)
        law = "friction by load"
        yield Rung(law, (_new("friction.load.drive", "1", 0.1), _new("friction.load.back", "1", 0.1)), law)
        names = ("friction.stribeck.load.drive", "friction.stribeck.load.back")
        yield Rung("friction by load near standstill", tuple(_new(name, "1", 0.05) for name in names), law)
        names = ("friction.quadratic.drive", "friction.quadratic.back")
        yield Rung("friction by squared load", tuple(_new(name, "1/(N·m)", 0.02 / stall) for name in names), law)
        if moves and isinstance(motor.friction_over_angle, FrictionAngleTable):
            shares = range(len(motor.friction_over_angle.shares))
            yield Rung("friction over angle", tuple(_share_at(index) for index in shares))
    if moves:
        lag = Parameter("command.lag", ("command.lag",), 0.005, positive=False, unit="s")
        yield Rung("lag of the command", (lag,))
    if actuator.spring is not None and moves:
        scale = _torque_scale(actuator)
        spring = (
            Parameter(
                "spring.stiffness", ("actuator.spring.stiffness",), UNKNOWN, unit="N·m/rad", reference=0.03 * scale
            ),
            Parameter("spring.offset", ("actuator.spring.offset",), 0.05 * scale, positive=False, unit="N·m"),
        )
        yield Rung("spring and offset of the joint", spring)


def _share_at(index: int) -> Parameter:
    """Friction at one point of the table over angle."""
    name = f"friction_over_angle.shares.{index}"
    return Parameter(f"motor.{name}", (MOTOR + name,), UNEVEN)


def _torque_scale(actuator: Actuator) -> float:
    """A torque of the size that the joint has [N·m]."""
    if actuator.motor is not None:
        return stall_torque(actuator.motor) * float(np.mean(np.asarray(actuator.motor.ratio)))
    return 1.0


def _of_motor(motor: Motor, name: str, unit: str) -> Parameter:
    spread, source = spread_of(motor, name)
    return Parameter(f"motor.{name}", (MOTOR + name,), spread, unit=unit, source=source)


def _unless_known(motor: Motor, name: str, unit: str, reference: float) -> Iterator[Parameter]:
    """A number of the prior, or one that nobody gave and that starts at a usual size."""
    value = dict(numbers(motor)).get(name, 0.0)
    if np.any(np.asarray(value) > 0.0):
        yield _of_motor(motor, name, unit)
    else:
        yield _new(name, unit, reference)


def _new(name: str, unit: str, reference: float) -> Parameter:
    return Parameter(f"motor.{name}", (MOTOR + name,), UNKNOWN, unit=unit, reference=reference, source="usual size")
