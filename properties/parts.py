"""Which parts a case has, by the names that a reader knows them by."""

from __future__ import annotations

from typing import Any

import numpy as np

import backemf as be

from .cases import Case, is_off


def parts_of(case: Case) -> list[str]:
    """Everything that is there in a case: the way it is stepped, its load, its motor and what stands before it."""
    actuator, motor = case.actuator, case.motor
    known = "host, load known" if case.load_torque is not None else "host"
    found = [known if case.load is None else f"load: {type(case.load).__name__}"]
    found.append(f"controller: {type(actuator.controller).__name__}")
    found += [f"torque limit: {name}" for name in {type(limit).__name__ for limit in actuator.limits}]
    for name in ("delay", "slew", "command_range", "voltage_limit"):
        found += [name.replace("_", " ")] if getattr(actuator, name) is not None else []
    found += ["substeps"] if actuator.substeps > 1 else []
    found += ["JointSpring"] if actuator.spring is not None else []
    found += ["bridge off"] if any(np.any(is_off(command)) for command in case.commands) else []
    found += supply_parts(actuator.supply)
    return found + (["without a motor"] if motor is None else motor_parts(motor))


def supply_parts(supply: be.Supply | None) -> list[str]:
    if supply is None:
        return []
    named = {
        "supply, shared": supply.shared,
        "supply, with resistance": supply.resistance is not None,
        "supply, without regeneration": not supply.regeneration,
    }
    curve = [] if supply.curve is None else [type(supply.curve).__name__]
    return ["supply", *curve, *(name for name, there in named.items() if there)]


def motor_parts(motor: be.Motor) -> list[str]:
    kinds: list[Any] = [motor.thermal, motor.friction, motor.drag, motor.cogging, motor.magnet.saturation]
    kinds += [
        motor.friction_over_angle,
        motor.network,
        motor.thermistor,
        motor.thermistor and motor.thermistor.phase_heat,
    ]
    found = [type(part).__name__ for part in kinds if part is not None]
    gearbox, limits = motor.gearbox, motor.limits
    named = {
        "inductance": motor.winding.inductance is not None,
        "iron loss": motor.magnet.iron_loss is not None,
        "Gearbox": gearbox is not None,
        "Gearbox, with loss": gearbox is not None and not gearbox.lossless,
        "Gearbox, with backlash": gearbox is not None and gearbox.backlash is not None,
        "Limits": limits is not None,
        "Limits, derating": limits is not None and limits.derates,
        "Limits, current rate": limits is not None and limits.current_rate is not None,
    }
    return found + [name for name, there in named.items() if there]
