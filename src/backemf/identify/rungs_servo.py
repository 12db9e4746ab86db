"""Rungs of a drive that moves a load: constants of the motor, friction, lag, and a spring at the joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..actuator import Actuator
from ..motor import FrictionAngleTable, FrictionOverAngle, LoadDependent, Motor, TwoNodeThermal
from ..tree import numbers
from ..values import Foreign
from .parameters import Parameter
from .prior import UNKNOWN, spread_of
from .rig import Rig
from .rung import MOTOR, Rung, gives_any_torque, new, of_motor, sizes_of, unless_known
from .rungs_rig import has_spread
from .trials import Trials

UNEVEN = 0.1
"""How far the friction of gears differs from angle to angle, as a share of it [1]."""
SLOPE = 0.5
"""How far the friction of a joint rises or falls with its angle, as a share of it [1/rad]."""
LOST = 0.05
"""Logarithm of back-EMF constant over torque constant above which the difference is a loss in the gears [1]."""
ARMATURE = 0.3
"""Least spread of the inertia of such a drive, which is a joint's armature that few print [1]."""
GAIN = 0.1
"""How far the gains of a drive are off that is told a torque, since its torque constant is [1]."""


def base_parameters(actuator: Actuator, trials: Trials, rig: Rig) -> Iterator[Parameter]:
    """What every drive has: its constants, its inertia, and Coulomb and viscous friction."""
    motor, size = actuator.motor, sizes_of(actuator, trials)
    any_torque = gives_any_torque(actuator) and not any(reading.channel == "current" for reading in trials.readings)
    if any_torque and not has_spread(rig, "firmware."):
        yield from _gain(actuator) if trials.path is None else _gains(actuator)
    if motor is None:
        return
    if not any_torque:
        yield of_motor(motor, "winding.resistance", "Ω")
        yield from _constants(motor, any(reading.channel == "current" for reading in trials.readings))
    if motor.rotor is not None and trials.path is None:
        inertia = of_motor(motor, "rotor.inertia", "kg·m²")
        yield replace(inertia, spread=max(inertia.spread, ARMATURE)) if any_torque else inertia
    if isinstance(motor.friction, LoadDependent):
        yield from unless_known(motor, "friction.coulomb", "N·m", size.friction)
        yield from unless_known(motor, "friction.viscous", "N·m·s/rad", size.friction / size.speed)
    if motor.thermal is not None and _gets_warm(motor, trials):
        names = ("winding_capacitance", "winding_resistance") if isinstance(motor.thermal, TwoNodeThermal) else (
            "capacitance", "resistance")  # fmt: skip
        yield of_motor(motor, f"thermal.{names[0]}", "J/K")
        yield of_motor(motor, f"thermal.{names[1]}", "K/W")


def _constants(motor: Motor, current: bool) -> Iterator[Parameter]:
    """The torque and back-EMF constants, which are one number of a motor without gears.

    A sheet of a geared motor whose torque at stall is printed has lost some of it in the gears: its torque constant may
    then be anything up to the other, which a measured current tells apart.
    """
    torque, speed = "magnet.torque_constant", "magnet.back_emf_constant"
    spread, source = spread_of(motor, torque)
    lost = float(
        np.max(np.abs(np.log(np.asarray(motor.magnet.torque_constant) / np.asarray(motor.magnet.back_emf_constant))))
    )
    if current and motor.gearbox is not None and lost > LOST:
        yield replace(of_motor(motor, torque, "N·m/A"), spread=max(spread, lost))
        yield of_motor(motor, speed, "V·s/rad")
    else:
        yield Parameter("motor.magnet", (MOTOR + torque, MOTOR + speed), spread, unit="N·m/A", source=source)


def _gain(actuator: Actuator) -> Iterator[Parameter]:
    """One factor of all gains, where the controller has any."""
    known = dict(numbers(actuator.controller))
    targets = [name for name in ("stiffness", "damping") if np.all(np.asarray(known.get(name, 0.0)) > 0.0)]
    if targets:
        yield Parameter("controller.gain", tuple(f"actuator.controller.{n}" for n in targets), GAIN, unit="N·m/rad")


def _gains(actuator: Actuator) -> Iterator[Parameter]:
    """Each gain by itself, which the torque along a measured motion tells."""
    units = {"stiffness": "N·m/rad", "damping": "N·m·s/rad"}
    for name, value in numbers(actuator.controller):
        if name in units and np.all(np.asarray(value) > 0.0):
            yield Parameter(f"controller.{name}", (f"actuator.controller.{name}",), 1.0, unit=units[name])


def _gets_warm(motor: Motor, trials: Trials) -> bool:
    """Whether half the stall current would warm the winding by more than 5 K within a log."""
    thermal: Foreign = motor.thermal
    heat = float(np.mean(np.asarray(getattr(thermal, "winding_capacitance", getattr(thermal, "capacitance", np.inf)))))
    ohm = float(np.mean(np.asarray(motor.winding.resistance)))
    volts = 1.0 if motor.ratings is None or motor.ratings.voltage is None else float(np.mean(motor.ratings.voltage))
    return 0.25 * volts * volts / ohm * trials.steps * trials.dt / heat > 5.0


def richer_rungs(actuator: Actuator, trials: Trials, rig: Rig) -> Iterator[Rung]:
    """Laws that not every drive needs."""
    motor, size = actuator.motor, sizes_of(actuator, trials)
    moves = trials.path is None
    if motor is not None and isinstance(motor.friction, LoadDependent):
        if actuator.supply is not None and actuator.supply.curve is not None:
            curve = Parameter("supply.curve.saturation", ("actuator.supply.curve.saturation",), UNKNOWN, reference=0.5)
            yield Rung("curve from duty to voltage", (curve,))
        slow = (
            new("friction.stribeck.coulomb", "N·m", size.friction),
            Parameter("motor.friction.stribeck.velocity", (MOTOR + "friction.stribeck.velocity",), 1.0, unit="rad/s"),
        )
        yield Rung("Stribeck friction", slow)
        law = "friction by load"
        yield Rung(law, (new("friction.load.drive", "1", 0.1), new("friction.load.back", "1", 0.1)), law)
        names = ("friction.stribeck.load.drive", "friction.stribeck.load.back")
        yield Rung("friction by load near standstill", tuple(new(name, "1", 0.05) for name in names), law)
        names = ("friction.quadratic.drive", "friction.quadratic.back")
        squared = tuple(new(name, "1/(N·m)", 0.02 / size.torque) for name in names)
        yield Rung("friction by squared load", squared, law)
        if moves:
            yield Rung("friction over angle", tuple(_over_angle(motor)))
    if not moves and actuator.motor is None:
        name = "sensors.torque.time_constant"
        yield Rung("lag of the torque", (Parameter(name, (name,), UNKNOWN, unit="s", reference=2.0 * trials.dt),))
    if moves and rig.command is None:
        lag = Parameter("command.lag", ("command.lag",), 0.005, positive=False, unit="s")
        yield Rung("lag of the command", (lag,))
    if actuator.spring is not None and moves:
        scale = size.torque * size.ratio
        spring = (
            Parameter(
                "spring.stiffness", ("actuator.spring.stiffness",), UNKNOWN, unit="N·m/rad", reference=0.03 * scale
            ),
            Parameter("spring.offset", ("actuator.spring.offset",), 0.05 * scale, positive=False, unit="N·m"),
        )
        yield Rung("spring and offset of the joint", spring)


def _over_angle(motor: Motor) -> Iterator[Parameter]:
    """Friction at each point of a table over angle, or its slope over angle."""
    over = motor.friction_over_angle
    if isinstance(over, FrictionAngleTable):
        for index in range(len(over.shares)):
            name = f"friction_over_angle.shares.{index}"
            yield Parameter(f"motor.{name}", (MOTOR + name,), UNEVEN)
    elif isinstance(over, FrictionOverAngle):
        name = "friction_over_angle.per_angle"
        yield Parameter(f"motor.{name}", (MOTOR + name,), SLOPE, positive=False, unit="1/rad")
