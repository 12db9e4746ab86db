"""Stiffness and damping of a joint, where a simulator has a PD in torque and no motor: of any backemf controller.

A controller in volts is one in torque with the damping of the back-EMF, as long as no limit acts:

    τ = N·Kt/R·(v - N·Ke·w)
    v = kp·e - kd·w     →  τ = N·Kt/R·kp·e - N·Kt/R·(kd + N·Ke)·w
    v = kp·(v* - w)     →  τ = N·Kt/R·(kp + N·Ke)·(s·v* - w),   s = kp/(kp + N·Ke)
"""

from __future__ import annotations

from ..actuator import Actuator
from ..actuator.controllers import DutyServo, IdealPd, ModeSelector, PositionPid, Torque, TorquePid, VelocityPi
from ..checks import Number
from ..design.gains import Gains, gains_from_bandwidth, torque_gains
from ..errors import ParameterError
from .numbers import single
from .text import Figure


def gains_of(
    actuator: Actuator,
    stiffness: float | None,
    damping: float | None,
    bandwidth_hz: float | None,
    damping_ratio: float,
    inertia: float | None,
) -> tuple[Figure, Figure]:
    """Stiffness and damping: as given, of the controller, or from a bandwidth."""
    controller, units = actuator.controller, ("N·m/rad at the joint", "N·m·s/rad at the joint")
    if (stiffness is None) != (damping is None):
        raise ParameterError("stiffness and damping are given together or not at all")
    if stiffness is not None and damping is not None:
        pair, source = (stiffness, damping), ("as given", "as given")
    elif isinstance(controller, IdealPd):
        pair, source = (controller.stiffness, controller.damping), ("IdealPd.stiffness", "IdealPd.damping")
    elif isinstance(controller, TorquePid):
        pair, source = (controller.kp, controller.kd), ("TorquePid.kp", "TorquePid.kd")
    elif bandwidth_hz is None and isinstance(controller, (Torque, ModeSelector)):
        pair, source = (0.0, 0.0), ("none: effort alone", "none: effort alone")
    elif bandwidth_hz is None and (volts := gains_in_volts(actuator)) is not None:
        pair, source = volts
    elif bandwidth_hz is not None:
        if inertia is None:
            raise ParameterError(
                "bandwidth_hz needs an inertia: give inertia= of the joint [kg·m²], or a motor with Motor.rotor"
            )
        gains = gains_from_bandwidth(inertia, bandwidth_hz, damping_ratio)
        pair, how = (gains.kp, gains.kd), f"{inertia:g} kg·m² at {bandwidth_hz:g} Hz"
        source = (f"J·wn², {how}", f"2·ζ·J·wn, {how}, ζ = {damping_ratio:g}")
    else:
        raise ParameterError(
            "stiffness and damping are not known: give both, or bandwidth_hz=, or an Actuator with an IdealPd, a "
            "TorquePid or Torque() for effort alone"
        )
    named = zip(("stiffness", "damping"), pair, units, source, strict=True)
    kp, kd = (Figure(single(name, value), unit, origin) for name, value, unit, origin in named)
    return kp, kd


def gains_in_volts(actuator: Actuator) -> tuple[tuple[Number, Number], tuple[str, str]] | None:
    """Stiffness and damping that do what a controller in volts does, and where they are from; None: it is in torque."""
    c, motor = actuator.controller, actuator.motor
    if motor is None or not isinstance(c, (PositionPid, DutyServo, VelocityPi)):
        return None
    bus, kind = _bus(actuator), type(c).__name__
    if isinstance(c, VelocityPi):
        volts = Gains(0.0, 0.0, c.kp)
    else:
        kp, kd = (bus * single(name, getattr(c, name, 0.0)) for name in ("kp", "kd"))
        volts = Gains(kp, 0.0, kd)
    gains = torque_gains(motor, volts)
    return (gains.kp, gains.kd), (f"{kind} in torque", f"{kind} in torque, with the back-EMF")


def _bus(actuator: Actuator) -> float:
    """Volts behind the answer of a controller: a servo's is a duty of its bus."""
    if isinstance(actuator.controller, DutyServo) and actuator.supply is not None:
        return single("Supply.voltage", actuator.supply.voltage)
    return 1.0


def volts_note(actuator: Actuator) -> str:
    """How a controller in volts is one in torque; empty where it is one."""
    c, motor = actuator.controller, actuator.motor
    if isinstance(c, ModeSelector):
        return "Only the torque of ModeSelector is left: the program that commands chooses."
    if motor is None or gains_in_volts(actuator) is None:
        return ""
    if isinstance(c, VelocityPi):
        kp, back = single("kp", c.kp), single("Ke", motor.ratio * motor.magnet.back_emf_constant)
        remedy = f"command {kp / (kp + back):.4g} times the velocity" if kp > 0.0 else "it asks for nothing"
        return f"Its volts are torques, with the damping of the back-EMF: {remedy}."
    band = getattr(c, "dead_band", None)
    lost = "" if not band else f" The dead band of {band} rad is lost."
    return f"Its gains in volts are gains in torque, with the damping of the back-EMF.{lost}"
