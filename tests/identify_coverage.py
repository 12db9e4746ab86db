"""Random rigs whose numbers are known: how often an interval of a fit contains the truth.

Each rig has a datasheet, a truth that is off by what the prior allows, a motion, and sensors with white noise and
quantisation. The truth is simulated with steps of 25 µs, whatever the fit takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

import backemf as be
from backemf.identify.fit import Fit
from backemf.identify.identification import identify
from backemf.identify.prior import PRINTED

FINE = 25e-6
"""Step with which the truth is simulated [s]."""
SAMPLING = 5e-3
"""Time between samples of a log [s]."""
BASE = ("winding.resistance", "magnet", "rotor.inertia", "friction.coulomb", "friction.viscous")
"""What a simple rig tells of a motor."""


@dataclass(frozen=True, eq=False)
class Known:
    """A rig whose numbers are known."""

    kind: str
    """Which of the six kinds."""
    logs: tuple[be.Log, ...]
    """What was logged on it."""
    prior: be.Motor
    """What the datasheet says."""
    rig: be.Rig
    """What the logs were taken on."""
    truth: Mapping[str, float]
    """True value of each parameter by its name; laws that the truth does not have are 0."""
    free: tuple[str, ...] | None = BASE
    """What is fitted; None: the whole ladder."""
    hidden: tuple[frozenset[str], ...] = field(default=())
    """Sets of parameters of which at least one must be in a direction that is named."""

    def fit(self) -> Fit:
        """The fit of its logs."""
        return identify(list(self.logs), self.prior, rig=self.rig, free=self.free)


@dataclass(frozen=True)
class Interval:
    """One interval of a fit against the truth."""

    kind: str
    """Kind of the rig."""
    name: str
    """The parameter."""
    off: float
    """Distance from the truth over half the interval [1]."""

    @property
    def holds(self) -> bool:
        """Whether the interval contains the truth."""
        return self.off <= 1.0


def intervals(known: Known, fit: Fit) -> list[Interval]:
    """Each interval of a fit whose true value is known; a logarithm of 0 is none."""
    found = []
    for each in fit.parameters:
        truth = known.truth.get(each.name, 0.0)
        middle = 0.5 * (each.high + each.low)
        if abs(middle - each.value) < 1e-9 * abs(each.high - each.low):
            off = (truth - each.value) / (0.5 * (each.high - each.low))
        elif truth > 0.0:
            off = np.log(truth / each.value) / (0.5 * np.log(each.high / each.low))
        else:
            continue
        found.append(Interval(known.kind, each.name, float(abs(off))))
    return found


def names_hidden(known: Known, fit: Fit) -> bool:
    """Whether every direction that the rig hides is among those that the fit names."""
    named = [{name for name, _ in blind.parts} for blind in fit.blind]
    told = [finding.explanation for finding in fit.findings if finding.cause == "not-identifiable"]
    return all(any(hidden & parts for parts in named) for hidden in known.hidden) and len(told) == len(fit.blind)


# --- motors


def _servo(generator: np.random.Generator) -> be.Motor:
    """The sheet of a servo, all figures at its output."""
    ohm, constant = generator.uniform(2.5, 5.0), generator.uniform(0.25, 0.5)
    stall = 7.4 / ohm * constant
    return be.Motor(
        winding=be.Winding(resistance=ohm),
        magnet=be.Magnet(torque_constant=constant, back_emf_constant=constant),
        rotor=be.Rotor(inertia=stall * generator.uniform(1.5e-3, 4e-3)),
        friction=be.LoadDependent(coulomb=0.03 * stall, viscous=0.03 * stall / (7.4 / constant)),
        ratings=be.Ratings(voltage=7.4),
    )


def _motor(generator: np.random.Generator) -> be.Motor:
    """The sheet of a motor without gears."""
    ohm, constant = generator.uniform(0.8, 2.0), generator.uniform(0.03, 0.06)
    return be.Motor(
        winding=be.Winding(resistance=ohm),
        magnet=be.Magnet(torque_constant=constant, back_emf_constant=constant),
        rotor=be.Rotor(inertia=generator.uniform(1e-5, 3e-5)),
        friction=be.LoadDependent(coulomb=0.01 * 24.0 / ohm * constant, viscous=generator.uniform(5e-6, 2e-5)),
        ratings=be.Ratings(voltage=24.0),
    )


def _drawn(motor: be.Motor, generator: np.random.Generator) -> tuple[be.Motor, dict[str, float]]:
    """A motor that is off its sheet by what the prior allows, and its numbers by the names of the parameters."""

    def off(spread: float) -> float:
        return float(np.exp(spread * np.clip(generator.normal(), -2.5, 2.5)))

    sheet = motor.friction
    assert isinstance(sheet, be.LoadDependent) and motor.rotor is not None
    constant = motor.magnet.torque_constant * off(PRINTED["magnet"])
    truth = replace(
        motor,
        winding=replace(motor.winding, resistance=motor.winding.resistance * off(PRINTED["winding.resistance"])),
        magnet=be.Magnet(torque_constant=constant, back_emf_constant=constant),
        rotor=be.Rotor(inertia=motor.rotor.inertia * off(PRINTED["rotor.inertia"])),
        friction=replace(
            sheet,
            coulomb=sheet.coulomb * off(PRINTED["friction"]),
            viscous=sheet.viscous * off(PRINTED["friction"]),
        ),
    )
    numbers = {
        "motor.winding.resistance": truth.winding.resistance,
        "motor.magnet": constant,
        "motor.rotor.inertia": truth.rotor.inertia,
        "motor.friction.coulomb": truth.friction.coulomb,
        "motor.friction.viscous": truth.friction.viscous,
    }
    if isinstance(motor.thermal, be.Thermal):
        thermal = replace(
            motor.thermal,
            resistance=motor.thermal.resistance * off(PRINTED["thermal"]),
            capacitance=motor.thermal.capacitance * off(PRINTED["thermal"]),
        )
        truth = replace(truth, thermal=thermal)
        numbers |= {"motor.thermal.resistance": thermal.resistance, "motor.thermal.capacitance": thermal.capacitance}
    return truth, {name: float(value) for name, value in numbers.items()}


# --- motions


def _motion(generator: np.random.Generator, seconds: float, size: float, fast: float = 2.0) -> np.ndarray:
    """A target that is set with each sample: steps, a chirp, or a sum of sines, from rest."""
    time = np.arange(0.0, seconds, SAMPLING)
    kind = generator.integers(3)
    if kind == 0:
        hold = generator.uniform(0.3, 0.7)
        values = generator.uniform(-1.0, 1.0, int(seconds / hold) + 2)
        target = values[(time / hold).astype(int)]
    elif kind == 1:
        low, high = 0.2 * fast, fast * generator.uniform(0.7, 1.3)
        target = np.sin(2.0 * np.pi * (low + 0.5 * (high - low) * time / seconds) * time)
    else:
        parts = [(generator.uniform(0.2, 1.0) * fast, generator.uniform(0.0, 2.0 * np.pi)) for _ in range(3)]
        target = sum(np.sin(2.0 * np.pi * f * time + phase) for f, phase in parts) / 2.0
    return size * np.where(time < 0.1, 0.0, target)


def _measured(values: np.ndarray, noise: float, step: float, generator: np.random.Generator) -> np.ndarray:
    """What a sensor reads: white noise, then quantisation."""
    noisy = values + noise * generator.normal(size=values.shape)
    return step * np.round(noisy / step) if step else noisy


def _run(
    motor: be.Motor, rig: be.Rig, meta: dict[str, float], command: str, target: np.ndarray,
    sensors: Mapping[str, tuple[float, float]], generator: np.random.Generator, path: np.ndarray | None = None,
    sampling: float = SAMPLING,
) -> be.Log:  # fmt: skip
    """What a rig logs: a command that is held between samples, and channels with their noise and quantisation."""
    fine = FINE * sampling / SAMPLING
    bare = be.Log.from_arrays([0.0, 1.0], {"position": [0.0, 0.0]}, meta=meta)
    drive = rig.actuator_for(be.Actuator(motor), bare)
    ratio = round(sampling / fine)
    values = np.repeat(target, ratio)
    time = sampling * np.arange(len(target))
    load = rig.load_for(bare) if path is None else be.PrescribedMotion(time=time, position=path)
    run = be.simulate(drive, load, be.commands.Samples(values), len(values) * fine, fine)
    # what is measured at the last sample would depend on the command after it
    measured = time[:-1]
    channels: dict[str, tuple[np.ndarray, np.ndarray]] = {f"{command}_command": (time, target)}
    for name, (noise, step) in sensors.items():
        if name == "position" and path is not None:
            true = path[:-1]
        elif name in ("position", "velocity"):
            true = np.interp(measured, np.concatenate([[0.0], run.time]), np.concatenate([[0.0], run[name]]))
        else:
            # the mean over a step stands for its middle
            true = np.interp(measured, run.time - 0.5 * fine, run[name])
        channels[name] = measured, _measured(true, noise, step, generator)
    return be.Log.from_arrays(None, channels, meta=meta)


# --- rigs

COUNTS = 2.0 * np.pi / 4096
"""Step of a servo's encoder [rad]."""


def _pendulum(generator: np.random.Generator, whole: bool) -> Known:
    """A servo on a pendulum, of which only the position is logged."""
    sheet = _servo(generator)
    motor, truth = _drawn(sheet, generator)
    stall = 7.4 / sheet.winding.resistance * sheet.magnet.torque_constant
    length = generator.uniform(0.08, 0.15)
    rig = be.Rig(
        be.Pendulum(mass=generator.uniform(0.2, 0.5) * stall / (9.81 * length), length=length),
        firmware=be.DutyServo(kp=generator.uniform(1.0, 3.0)),
        supply=be.Supply(voltage=7.4),
        sensors={"position": be.Sensor(quantisation=COUNTS)},
    )
    logs = [
        _run(motor, rig, {}, "position", _motion(generator, 2.0, 1.0), {"position": (1e-3, COUNTS)}, generator)
        for _ in range(2)
    ]
    return Known("pendulum", tuple(logs), sheet, rig, truth, None if whole else BASE)


def _voltage(generator: np.random.Generator, whole: bool) -> Known:
    """A motor at given volts that turns an inertia, with position, velocity and current."""
    sheet = _motor(generator)
    motor, truth = _drawn(sheet, generator)
    rig = be.Rig(
        be.Inertia(sheet.rotor.inertia * generator.uniform(0.5, 3.0)),
        firmware=be.Voltage(),
        supply=be.Supply(voltage=24.0),
        sensors={"position": be.Sensor(quantisation=2.0 * np.pi / 2000)},
    )
    sensors = {"position": (5e-3, 2.0 * np.pi / 2000), "velocity": (0.5, 0.0), "current": (0.05, 0.01)}
    target = _motion(generator, 2.0, 12.0)
    logs = (_run(motor, rig, {}, "voltage", target, sensors, generator),)
    return Known("voltage", logs, sheet, rig, truth, None if whole else BASE)


def _dynamometer(generator: np.random.Generator, whole: bool) -> Known:
    """A motor at given volts along a measured motion, with torque and current."""
    sheet = _motor(generator)
    motor, truth = _drawn(sheet, generator)
    rig = be.Rig(be.MeasuredMotion(), firmware=be.Voltage(), supply=be.Supply(voltage=24.0))
    speed = 0.4 * 24.0 / sheet.magnet.torque_constant
    time = np.arange(0.0, 3.0, SAMPLING)
    rate, second = generator.uniform(0.4, 0.8), generator.uniform(1.0, 2.0)
    velocity = speed * (np.sin(2.0 * np.pi * rate * time) + 0.5 * np.sin(2.0 * np.pi * second * time))
    path = np.concatenate([[0.0], np.cumsum(0.5 * SAMPLING * (velocity[1:] + velocity[:-1]))])
    stall = 24.0 / sheet.winding.resistance * sheet.magnet.torque_constant
    sensors = {"position": (0.0, 2.0 * np.pi / 20000), "torque": (0.005 * stall, 0.0), "current": (0.05, 0.01)}
    target = sheet.magnet.torque_constant * velocity + _motion(generator, 3.0, 6.0)
    logs = (_run(motor, rig, {}, "voltage", target, sensors, generator, path),)
    names = ("winding.resistance", "magnet", "friction.coulomb", "friction.viscous")
    return Known("dynamometer", logs, sheet, rig, truth, None if whole else names)


def _locked(generator: np.random.Generator, whole: bool) -> Known:
    """A locked rotor that gets warm, with current and the winding's temperature."""
    base = _motor(generator)
    heat = be.Thermal(resistance=generator.uniform(8.0, 20.0), capacitance=generator.uniform(0.3, 0.6))
    sheet = replace(base, thermal=heat)
    motor, truth = _drawn(sheet, generator)
    rig = be.Rig(be.LockedRotor(), firmware=be.Voltage(), supply=be.Supply(voltage=24.0))
    # two levels and a rest, from 20 to 60 K in the end
    power = generator.uniform(20.0, 60.0) / heat.resistance
    volts = np.sqrt(power * base.winding.resistance)
    levels = np.repeat(volts * np.array([1.3, 0.7, 0.1, 1.0]), 250)
    sensors = {"current": (0.02, 0.01), "winding_temperature": (0.5, 0.1)}
    logs = (_run(motor, rig, {}, "voltage", levels, sensors, generator, sampling=0.02),)
    return Known("locked", logs, sheet, rig, truth, ("winding.resistance", "thermal.*"))


def _two_gains(generator: np.random.Generator, whole: bool) -> Known:
    """A servo with an inertia and a position controller, at two gains, with position and current."""
    sheet = _servo(generator)
    motor, truth = _drawn(sheet, generator)
    rig = be.Rig.parse(
        f"""
        format = "backemf rig 1"
        [load]
        kind = "Inertia"
        inertia = "{sheet.rotor.inertia * generator.uniform(0.5, 2.0):.9g} kg*m^2"
        [firmware]
        kind = "PositionPid"
        kp = "log.kp V/rad"
        ki = "2 V/(rad*s)"
        kd = "0.1 V*s/rad"
        [supply]
        voltage = "7.4 V"
        [sensors.position]
        quantisation = "{COUNTS:.9g} rad"
        """
    )
    sensors = {"position": (5e-4, COUNTS), "current": (0.02, 0.005)}
    logs = tuple(
        _run(motor, rig, {"kp": kp}, "position", _motion(generator, 2.0, 1.0), sensors, generator)
        for kp in (generator.uniform(4.0, 8.0), generator.uniform(12.0, 20.0))
    )
    return Known("two gains", logs, sheet, rig, truth, None if whole else BASE)


def _hidden(generator: np.random.Generator, whole: bool) -> Known:
    """A rig that cannot tell something.

    A locked rotor shows nothing of Kt. Without a current, R, Kt and viscous friction act on a position by two numbers,
    Kt/R and Kt²/R + viscous. In slow motion nothing is seen of the inertia.
    """
    case = generator.integers(3)
    if case == 0:
        locked = _locked(generator, whole)
        names = ("winding.resistance", "thermal.*", "magnet")
        return replace(locked, kind="hidden", free=names, hidden=(frozenset({"motor.magnet"}),))
    sheet = _servo(generator)
    motor, truth = _drawn(sheet, generator)
    stall = 7.4 / sheet.winding.resistance * sheet.magnet.torque_constant
    rig = be.Rig(
        be.Pendulum(mass=0.4 * stall / (9.81 * 0.1), length=0.1),
        firmware=be.DutyServo(kp=2.0),
        supply=be.Supply(voltage=7.4),
        sensors={"position": be.Sensor(quantisation=COUNTS)},
    )
    time = np.arange(0.0, 3.0, SAMPLING)
    slow = generator.uniform(0.2, 0.4) * (1.0 - np.cos(2.0 * np.pi * 0.05 * time))
    target = _motion(generator, 3.0, 1.0) if case == 1 else slow
    hidden = (frozenset({"motor.winding.resistance", "motor.magnet", "motor.friction.viscous"}),)
    hidden += () if case == 1 else (frozenset({"motor.rotor.inertia"}),)
    noise = 1e-3 if case == 1 else 5e-3
    logs = (_run(motor, rig, {}, "position", target, {"position": (noise, COUNTS)}, generator),)
    return Known("hidden", logs, sheet, rig, truth, None if whole else BASE, hidden)


KINDS: tuple[Callable[[np.random.Generator, bool], Known], ...] = (
    _pendulum, _voltage, _dynamometer, _locked, _two_gains, _hidden,
)  # fmt: skip
"""The six kinds of rigs."""


def make_known(number: int) -> Known:
    """Rig number so and so; each eleventh of a kind climbs the whole ladder."""
    return KINDS[number % len(KINDS)](np.random.default_rng([7, number]), number // len(KINDS) % 11 == 10)
