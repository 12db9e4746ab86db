"""Random motors, drawn as arrays: one structure, thousands of motors with parameters of their own.

Parameters are drawn around a scale (voltage, no-load speed, stall current) so that limits, friction and gears matter
to the motor that they are drawn for, and each is spread over decades around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import backemf as be


class Draw:
    """Random numbers: choices of structure, and arrays of parameters of one shape."""

    def __init__(self, rng: np.random.Generator, shape: tuple[int, ...]):
        self.rng = rng
        self.shape = shape

    def spread(self, low: float, high: float) -> np.ndarray:
        """Numbers whose logarithms are spread evenly between two powers of ten."""
        return 10.0 ** self.rng.uniform(low, high, self.shape)

    def evenly(self, low: float, high: float) -> np.ndarray:
        """Numbers spread evenly between two bounds."""
        return self.rng.uniform(low, high, self.shape)

    def signs(self) -> np.ndarray:
        """-1 or 1."""
        return self.rng.choice([-1.0, 1.0], self.shape)

    def often_zero(self, values: np.ndarray, share: float = 0.25) -> np.ndarray:
        """The values with a share of them set to 0."""
        return np.where(self.rng.random(self.shape) < share, 0.0, values)

    def coin(self, chance: float = 0.5) -> bool:
        """One choice of structure."""
        return bool(self.rng.random() < chance)

    def pick(self, *choices: Any) -> Any:
        """One of several, each as likely."""
        return choices[int(self.rng.integers(len(choices)))]


@dataclass(frozen=True)
class Scale:
    """What the other parameters of a batch are drawn around."""

    voltage: np.ndarray
    """Voltage that the motor is made for [V]."""
    speed: np.ndarray
    """No-load speed of the rotor [rad/s]."""
    current: np.ndarray
    """Stall current [A]."""
    torque: np.ndarray
    """Stall torque of the rotor [N·m]."""
    inertia: np.ndarray
    """Rotor inertia [kg·m²]."""


def scale_of(draw: Draw) -> Scale:
    """Voltages from 1 V to 500 V, 10 rad/s to 10,000 rad/s, 1 mA to 1 kA, time constants from 0.1 ms to 100 s."""
    voltage, speed, current = draw.spread(0.0, 2.7), draw.spread(1.0, 4.0), draw.spread(-3.0, 3.0)
    torque = voltage / speed * current
    return Scale(voltage, speed, current, torque, inertia=draw.spread(-4.0, 2.0) * torque / speed)


def motor_of(draw: Draw, scale: Scale) -> be.Motor:
    """A motor with each part there or not."""
    thermal = thermal_of(draw, scale)
    friction = friction_of(draw, scale) if draw.coin(0.7) else None
    return be.Motor(
        winding=winding_of(draw, scale),
        magnet=magnet_of(draw, scale),
        rotor=be.Rotor(inertia=scale.inertia),
        thermal=thermal,
        thermistor=thermistor_of(draw) if thermal is not None and draw.coin(0.4) else None,
        friction=friction,
        friction_over_angle=friction_over_angle_of(draw) if friction is not None and draw.coin(0.3) else None,
        drag=drag_of(draw, scale) if draw.coin(0.3) else None,
        cogging=cogging_of(draw, scale) if draw.coin(0.25) else None,
        network=network_of(draw, scale) if draw.coin(0.2) else None,
        gearbox=gearbox_of(draw) if draw.coin() else None,
        limits=limits_of(draw, scale, thermal is not None) if draw.coin(0.6) else None,
    )


def winding_of(draw: Draw, scale: Scale) -> be.Winding:
    ohms = scale.voltage / scale.current
    return be.Winding(
        resistance=ohms,
        inductance=ohms * draw.spread(-6.0, 0.0) if draw.coin() else None,
        temperature_coefficient=draw.evenly(0.0, 0.01),
        reference_temperature=draw.evenly(0.0, 40.0),
    )


def magnet_of(draw: Draw, scale: Scale) -> be.Magnet:
    constant = scale.voltage / scale.speed
    saturation = None
    if draw.coin(0.2):
        saturation = be.Saturation(
            knee_current=scale.current * draw.spread(-2.0, 0.5),
            scale=draw.spread(-2.0, 1.0) / scale.current,
            torque=scale.torque * draw.spread(-2.0, 0.0),
        )
    return be.Magnet(
        torque_constant=constant,
        back_emf_constant=constant * draw.evenly(1.0, 1.3) if draw.coin(0.3) else constant,
        temperature_coefficient=draw.evenly(-0.003, 0.0) if draw.coin() else 0.0,
        iron_loss=scale.torque / scale.speed * draw.spread(-4.0, -1.0) if draw.coin(0.3) else None,
        saturation=saturation,
    )


def thermal_of(draw: Draw, scale: Scale) -> be.Thermal | be.TwoNodeThermal | None:
    """Heat that warms a stalled motor by 3 K to 3000 K, with time constants from 0.1 s to 10,000 s."""
    resistance = draw.spread(0.5, 3.5) / (scale.voltage * scale.current)
    ambient = draw.evenly(-40.0, 60.0)
    kind = draw.pick(None, be.Thermal, be.TwoNodeThermal)
    if kind is None:
        return None
    if kind is be.Thermal:
        return be.Thermal(resistance=resistance, capacitance=draw.spread(-1.0, 4.0) / resistance, ambient=ambient)
    outside = resistance * draw.spread(-1.0, 1.0)
    return be.TwoNodeThermal(
        winding_resistance=resistance,
        winding_capacitance=draw.spread(-1.0, 3.0) / resistance,
        housing_resistance=outside,
        housing_capacitance=draw.spread(0.0, 4.0) / outside,
        ambient=ambient,
    )


def thermistor_of(draw: Draw) -> be.Thermistor:
    """A sensor that lags by 1 ms to 100 s, in one phase or in the whole winding."""
    phase = None
    if draw.coin(0.7):
        phase = be.PhaseHeat(
            pole_pairs=draw.evenly(1.0, 30.0),
            modulation=draw.evenly(0.0, 1.0),
            phase=draw.evenly(-3.0, 3.0),
            exchange=draw.often_zero(draw.spread(-4.0, 2.0), 0.5),
        )
    return be.Thermistor(time_constant=draw.spread(-3.0, 2.0) if draw.coin(0.7) else None, phase_heat=phase)


def friction_over_angle_of(draw: Draw) -> be.FrictionOverAngle | be.FrictionAngleTable:
    """Friction that rises or falls with the joint's angle, or a table with points without friction."""
    if draw.coin():
        return be.FrictionOverAngle(per_angle=draw.evenly(-1.0, 1.0), angle=draw.evenly(-3.0, 3.0))
    first = draw.evenly(-3.0, 3.0)
    return be.FrictionAngleTable(
        shares=tuple(draw.often_zero(draw.spread(-1.0, 0.5), 0.1) for _ in range(draw.pick(2, 3, 8))),
        first=first,
        last=first + draw.spread(-1.0, 1.0),
        repeats=draw.coin(),
    )


def friction_of(draw: Draw, scale: Scale) -> Any:
    kind = draw.pick(be.Coulomb, be.Dahl, be.LuGre, be.LoadDependent)
    coulomb = scale.torque * draw.spread(-4.0, 0.7)
    if kind is be.Coulomb:
        return be.Coulomb(coulomb=draw.often_zero(coulomb, 0.1))
    if kind is be.LoadDependent:
        return load_dependent_of(draw, scale, coulomb)
    stiffness = coulomb / draw.spread(-5.0, -1.0)
    if kind is be.Dahl:
        return be.Dahl(coulomb=coulomb, stiffness=stiffness)
    return be.LuGre(
        coulomb=coulomb,
        stiction=coulomb * draw.evenly(1.0, 5.0),
        stribeck_velocity=scale.speed * draw.spread(-4.0, -1.0),
        stiffness=stiffness,
        damping=draw.often_zero(scale.torque / scale.speed * draw.spread(-4.0, 2.0)),
        viscous=draw.often_zero(scale.torque / scale.speed * draw.spread(-4.0, 0.0)),
        stribeck_exponent=draw.evenly(0.5, 4.0) if draw.coin(0.3) else None,
        damping_exponent=draw.evenly(0.5, 4.0) if draw.coin(0.3) else None,
    )


def load_dependent_of(draw: Draw, scale: Scale, coulomb: np.ndarray) -> be.LoadDependent:
    stribeck = quadratic = None
    if draw.coin():
        stribeck = be.Stribeck(
            velocity=scale.speed * draw.spread(-4.0, -1.0),
            exponent=draw.evenly(0.5, 4.0),
            coulomb=scale.torque * draw.spread(-4.0, -0.5),
            load=share_of(draw) if draw.coin() else None,
        )
        if draw.coin():
            per_torque = 1.0 / scale.torque
            drive, back = draw.spread(-3.0, -1.0) * per_torque, draw.spread(-3.0, -1.0) * per_torque
            quadratic = be.QuadraticShare(drive=drive, back=back)
    return be.LoadDependent(
        coulomb=coulomb,
        viscous=scale.torque / scale.speed * draw.spread(-4.0, 0.0),
        stribeck=stribeck,
        load=share_of(draw) if draw.coin(0.7) else None,
        quadratic=quadratic,
    )


def share_of(draw: Draw) -> be.LoadShare:
    return be.LoadShare(drive=draw.evenly(0.0, 0.5), back=draw.evenly(0.0, 0.5))


def drag_of(draw: Draw, scale: Scale) -> be.Drag:
    orders = range(1, draw.pick(2, 3, 4))
    return be.Drag(coefficients=tuple(scale.torque / scale.speed**n * draw.spread(-4.0, 0.0) for n in orders))


def cogging_of(draw: Draw, scale: Scale) -> be.Cogging:
    return be.Cogging(
        harmonics=tuple(
            be.Harmonic(
                amplitude=scale.torque * draw.spread(-4.0, 0.0),
                periodicity=draw.evenly(1.0, 100.0),
                phase=draw.evenly(-3.0, 3.0),
            )
            for _ in range(draw.pick(1, 2))
        )
    )


def network_of(draw: Draw, scale: Scale) -> be.TorqueNetwork:
    """Units that push, brake and pull, some of them as steep as dry friction."""
    return be.TorqueNetwork(
        units=tuple(
            be.TanhUnit(
                weight=draw.signs() * scale.torque * draw.spread(-4.0, 0.0),
                per_position=draw.signs() * draw.often_zero(draw.spread(-2.0, 2.0)),
                per_velocity=draw.signs() * draw.often_zero(draw.spread(-2.0, 2.0)),
                per_torque=draw.signs() * draw.often_zero(draw.spread(-2.0, 2.0)),
                bias=draw.evenly(-2.0, 2.0),
            )
            for _ in range(draw.pick(1, 2, 4))
        ),
        position=draw.spread(-2.0, 1.0),
        velocity=scale.speed * draw.spread(-2.0, 0.0),
        torque=scale.torque * draw.spread(-1.0, 1.0),
    )


def gearbox_of(draw: Draw) -> be.Gearbox:
    lossy = draw.coin(0.7)
    stages = tuple(
        be.Stage(
            ratio=draw.signs() * draw.spread(-0.7, 1.5),
            efficiency=draw.evenly(0.2, 1.0) if lossy else None,
            back_efficiency=draw.evenly(0.2, 1.0) if lossy and draw.coin() else None,
        )
        for _ in range(draw.pick(1, 2))
    )
    return be.Gearbox(stages=stages, backlash=draw.spread(-5.0, -1.0) if draw.coin(0.4) else None)


def limits_of(draw: Draw, scale: Scale, heats: bool) -> be.Limits:
    peak = scale.current * draw.spread(-2.0, 0.5)
    rate = scale.current * draw.spread(-1.0, 5.0) if draw.coin(0.3) else None
    if not heats or draw.coin(0.3):
        return be.Limits(current_rate=rate, **{draw.pick("peak_current", "continuous_current"): peak})
    start = draw.evenly(30.0, 120.0)
    hot = draw.pick("continuous_current", "safe_current")
    return be.Limits(
        peak_current=peak,
        current_rate=rate,
        derating_start=start,
        derating_end=start + draw.spread(0.0, 2.0),
        **{hot: peak * draw.evenly(0.01, 1.0)},
    )
