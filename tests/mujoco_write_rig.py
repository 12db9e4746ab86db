"""A test rig: random actuators, and the models written for them, moved by hand inside the real MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from mujoco_rig import mujoco

import backemf as be
from backemf.actuator import Actuator, Command
from backemf.actuator.controllers import DutyServo, IdealPd, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from backemf.motor import (
    Cogging,
    Coulomb,
    Dahl,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LoadDependent,
    LuGre,
    Magnet,
    Motor,
    Rotor,
    Stage,
    Stribeck,
    Thermal,
    TwoNodeThermal,
    Winding,
)
from backemf.sims.mujoco.motor_law import MujocoOnJoint

VERSION = ".".join(mujoco.__version__.split(".")[:2])
DT, STEPS = 0.001, 250


class Draw:
    """Random numbers, and choices between parts."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def __call__(self, low: float, high: float) -> float:
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def chance(self, share: float = 0.5) -> bool:
        return bool(self.rng.random() < share)

    def of(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]


def any_actuator(seed: int) -> Actuator:
    """An actuator with any parts that a `<dcmotor>` is written for."""
    draw = Draw(seed)
    constant, ohms, volts = draw(0.01, 0.2), draw(0.1, 5.0), draw(6.0, 48.0)
    stall, speed = constant * volts / ohms, volts / constant
    felt = draw(0.02, 0.2) * constant**2 / ohms
    winding = Winding(
        resistance=ohms,
        inductance=ohms * DT * draw(0.1, 10.0) if draw.chance() else None,
        temperature_coefficient=draw(0.002, 0.006),
        reference_temperature=draw(15.0, 30.0),
    )
    magnet = Magnet(
        torque_constant=constant,
        back_emf_constant=constant * draw.of(1.0, draw(0.6, 1.2)),
        temperature_coefficient=draw.of(0.0, -0.001),
        iron_loss=draw.of(None, 0.01 * constant**2 / ohms),
    )
    heat = volts**2 / ohms / draw(20.0, 100.0)
    nodes = {"winding_capacitance": heat, "housing_capacitance": 10.0 * heat}
    two = TwoNodeThermal(winding_resistance=3.0 / heat, housing_resistance=10.0 / heat, **nodes)
    coulomb = stall * draw(0.01, 0.05)
    stiffness = felt * (draw(0.02, 0.2) / DT) ** 2
    lugre = {"coulomb": coulomb, "stiction": 1.5 * coulomb, "stribeck_velocity": 0.1 * speed, "stiffness": stiffness}
    gear = draw(1.0, 50.0) * draw.of(1.0, -1.0)
    drag = (0.02 * constant**2 / ohms, felt * draw(1e-5, 1e-3), felt * 1e-6, felt * 1e-9)
    rate = draw.of(None, volts / ohms / draw(0.01, 0.1))
    motor = Motor(
        winding=winding,
        magnet=magnet,
        rotor=draw.of(None, Rotor(inertia=felt)),
        thermal=draw.of(None, Thermal(resistance=2.0 / heat, capacitance=heat, ambient=draw(5.0, 40.0)), two),
        friction=draw.of(
            None,
            Coulomb(coulomb=coulomb),
            Dahl(coulomb=coulomb, stiffness=stiffness),
            LuGre(**lugre, damping=0.1 * felt / DT, viscous=draw.of(0.0, 0.01 * felt)),
            LoadDependent(coulomb=coulomb, viscous=0.01 * felt, stribeck=Stribeck(velocity=1.0, coulomb=coulomb)),
        ),
        drag=draw.of(None, Drag(coefficients=drag[: draw.of(1, 2, 3, 4)])),
        cogging=draw.of(None, Cogging(harmonics=waves(draw, stall)[: draw.of(1, 2)])),
        gearbox=draw.of(None, Gearbox(stages=(Stage(ratio=gear, efficiency=draw.of(None, 0.8)),))),
        limits=draw.of(None, Limits(peak_current=draw(0.2, 0.8) * volts / ohms, current_rate=rate)),
    )
    n = abs(motor.ratio)
    return around(draw, motor, any_controller(draw, motor, felt, volts), volts, speed / n, n * stall)


def waves(draw: Draw, stall: float) -> tuple[Harmonic, ...]:
    """Two sines of cogging."""
    first = Harmonic(amplitude=stall * draw(0.01, 0.1), periodicity=draw.of(2.0, 7.0, 12.0), phase=draw(0.1, 3.0))
    return first, replace(first, periodicity=24.0)


def any_controller(draw: Draw, motor: Motor, felt: float, volts: float) -> Any:
    """A controller that a `<dcmotor>` has, with gains of the motor's size."""
    n, wave = abs(motor.ratio), draw(5.0, 30.0)
    inertia = n * n * felt
    per_torque = motor.winding.resistance / (n * motor.magnet.torque_constant)
    kp, kd, ki = inertia * wave**2, 2.0 * inertia * wave, draw.of(None, inertia * wave**3 / 5)
    bound = {"integral_limit": draw.of(None, 0.1)} if ki else {}
    loop = {"current_bandwidth": draw.of(None, draw(50.0, 2000.0))}
    braking = n * n * motor.magnet.torque_constant * motor.magnet.back_emf_constant / motor.winding.resistance
    in_volts = {"kp": kp * per_torque, "ki": ki and ki * per_torque, "kd": draw.of(0.0, kd * per_torque)}
    return draw.of(
        Voltage(),
        Torque(**loop),
        IdealPd(stiffness=kp, damping=kd, **loop),
        TorquePid(kp=kp, ki=ki, kd=kd, **bound, **loop),
        TorquePid(ki=ki, kd=2.0 * braking, **bound, **loop, follows="velocity"),
        PositionPid(**in_volts, **bound, freeze_at_limit=bool(ki) and draw.chance()),
        VelocityPi(kp=kd * per_torque, ki=ki and 0.2 * ki * per_torque),
        DutyServo(kp=kp * per_torque / volts, kd=kd * per_torque / volts, dead_band=draw.of(None, 0.01)),
    )


def around(
    draw: Draw, motor: Motor, controller: Any, volts: float, speed: float, stall: float, shortest: float = 0.1
) -> Actuator:
    """An actuator with limits, slew, range and delay around a controller."""
    size = {"position": 1.0, "velocity": 0.5 * speed, "effort": 0.5 * stall, "voltage": volts}[controller.main]
    servo = isinstance(controller, DutyServo)
    return Actuator(
        motor,
        supply=be.Supply(voltage=volts, modulation_limit=draw(0.7, 1.0)) if servo or draw.chance() else None,
        controller=controller,
        delay=draw.of(None, be.Delay(seconds=draw(shortest, 5.0) * DT), be.Delay(steps=draw.of(1, 3))),
        limits=draw.of((), be.EffortLimit(effort_limit=0.6 * stall)),
        command_range=draw.of(None, (-0.7 * size, 0.5 * size)),
        slew=draw.of(None, size * draw(2.0, 20.0)),
        voltage_limit=draw.of(None, draw(0.3, 0.9) * volts),
    )


def matching_actuator(seed: int, in_volts: bool) -> Actuator:
    """An actuator with nothing that MuJoCo of a generation lacks, so that its torque is ours."""
    draw = Draw(seed)
    constant, ohms, volts = draw(0.01, 0.2), draw(0.1, 5.0), draw(6.0, 48.0)
    stall, felt = constant * volts / ohms, draw(0.05, 0.5) * constant**2 / ohms
    ratio = draw(0.7, 1.4)
    inductive = draw.chance()
    parts: dict[str, Any] = {}
    if inductive:
        # a rate limit holds over the step for both
        parts["limits"] = Limits(current_rate=volts / ohms / draw(0.01, 0.1)) if draw.chance() else None
    elif draw.chance():
        # heat that stays: what flows off, MuJoCo takes by an Euler step
        capacity = volts**2 / ohms / draw(20.0, 100.0)
        parts["thermal"] = Thermal(resistance=1e7 / capacity, capacitance=capacity, ambient=draw(5.0, 40.0))
    elif draw.chance():
        parts["limits"] = Limits(peak_current=draw(0.2, 0.8) * volts / ohms)
    drag = (0.02 * constant**2 / ohms, felt * draw(1e-5, 1e-3), felt * 1e-6)
    motor = Motor(
        winding=Winding(resistance=ohms, inductance=ohms * DT * draw(0.2, 10.0) if inductive else None),
        magnet=Magnet(torque_constant=constant * ratio, back_emf_constant=constant / ratio),
        rotor=Rotor(inertia=felt),
        drag=draw.of(None, Drag(coefficients=drag[: draw.of(1, 2, 3)])),
        cogging=draw.of(None, Cogging(harmonics=waves(draw, stall)[:1])),
        gearbox=draw.of(None, Gearbox(stages=(Stage(ratio=draw(1.0, 50.0) * draw.of(1.0, -1.0)),))),
        **parts,
    )
    n = abs(motor.ratio)
    controller, kinds = (
        Voltage(),
        (Voltage, PositionPid, *((VelocityPi,) if in_volts else (Torque, IdealPd, TorquePid))),
    )
    for _ in range(100):
        controller = any_controller(draw, motor, felt, volts)
        controller = replace(controller, freeze_at_limit=False) if isinstance(controller, PositionPid) else controller
        heats, loops = motor.thermal is not None, getattr(controller, "current_bandwidth", None) is not None
        turns = getattr(controller, "follows", "") == "velocity" or (loops and (heats or motor.limits is not None))
        if isinstance(controller, kinds) and not turns:
            break
    drawn = around(draw, motor, controller, volts, volts / (n * constant), n * stall, shortest=1.0)
    # a voltage limit behind a current loop lowers what that has settled
    loops = getattr(controller, "current_bandwidth", None) is not None
    if loops:
        drawn = replace(drawn, supply=None, voltage_limit=None)
    if inductive or motor.thermal is not None or loops:
        drawn = replace(drawn, limits=())
    # a command between two others is within its range for both, but not the same
    if motor.limits is not None or drawn.limits:
        # back-EMF drives more current than a limited voltage can hold back, where MuJoCo clips the torque
        drawn = replace(drawn, supply=None, voltage_limit=None)
    several = len(controller.inputs) > 1 or (drawn.delay is not None and drawn.delay.seconds is not None)
    new_volts = isinstance(controller, Voltage) and not in_volts
    slewed_volts = isinstance(controller, Voltage) and (drawn.supply is not None or drawn.voltage_limit is not None)
    return replace(
        drawn,
        command_range=None if several else drawn.command_range,
        slew=None if new_volts or slewed_volts else drawn.slew,
    )


def motion(actuator: Actuator, seed: int) -> tuple[np.ndarray, np.ndarray, list[Command]]:
    """Position, velocity and commands of a joint that starts at 0, of about the motor's size."""
    rng = np.random.default_rng(seed)
    motor = actuator.motor
    assert motor is not None
    n, k = abs(motor.ratio), motor.magnet.back_emf_constant
    speed = 12.0 / (n * k)
    t = DT * np.arange(STEPS)
    position = 0.5 * np.sin(2 * np.pi * rng.uniform(1.0, 4.0) * t)
    velocity = 0.6 * speed * np.sin(2 * np.pi * rng.uniform(2.0, 8.0) * t)
    stall = n * motor.magnet.torque_constant * 12.0 / motor.winding.resistance
    sizes = {"position": 1.0, "velocity": speed, "effort": stall, "voltage": 24.0}
    held = rng.uniform(-1.0, 1.0, (STEPS // 25 + 1, 4))[np.arange(STEPS) // 25]
    inputs = actuator.controller.inputs
    columns = {name: held[:, i] * sizes[name] for i, name in enumerate(sizes) if name in inputs}
    if getattr(actuator.controller, "follows", "") == "velocity":
        columns = {"velocity": columns["velocity"]}
    return position, velocity, [Command(**{name: column[k] for name, column in columns.items()}) for k in range(STEPS)]


def law_torques(law: Any, position: np.ndarray, velocity: np.ndarray, commands: list[Command]) -> np.ndarray:
    """Torque of a law along a motion."""
    state, torques = law.initial(()), []
    for q, v, command in zip(position, velocity, commands, strict=True):
        state, torque = law.step(state, command, q, v, DT)
        torques.append(float(torque))
    return np.array(torques)


def ours(actuator: Actuator, position: np.ndarray, velocity: np.ndarray, commands: list[Command]) -> np.ndarray:
    """Torque of our own actuator along a motion."""
    step = actuator.compile("numpy")
    state, torques = step.initial((), dt=DT), []
    for q, v, command in zip(position, velocity, commands, strict=True):
        state, out = step(state, command, q, v, DT)
        torques.append(float(out.torque))
    return np.array(torques)


def in_mujoco(
    text: str, on_joint: MujocoOnJoint, position: np.ndarray, velocity: np.ndarray, commands: list[Command]
) -> np.ndarray:
    """Torque of MuJoCo itself along a motion that is forced upon the hinge: actuator and passive forces."""
    words = {"pos": "position", "vel": "velocity", "ff": "effort"}
    model = mujoco.MjModel.from_xml_string(text)
    data, torques = mujoco.MjData(model), []
    assert on_joint.motor is not None
    for q, v, command in zip(position, velocity, commands, strict=True):
        data.qpos[0], data.qvel[0] = q, v
        targets = [getattr(command, words.get(word, word)) for word in on_joint.motor.inputs]
        if on_joint.motor.inputs == ("voltage",) and command.effort is not None:
            m = on_joint.motor
            targets = [m.resistance / m.motor_constant * command.effort + m.motor_constant * v]
        data.ctrl[:] = [0.0 if target is None else target for target in targets]
        mujoco.mj_step(model, data)
        torques.append(float(data.qfrc_actuator[0] + data.qfrc_passive[0]))
    return np.array(torques)


def off(one: np.ndarray, other: np.ndarray) -> float:
    """Largest difference in units of the peak."""
    peak = np.abs(other).max()
    assert np.isfinite(one).all() and peak > 0.0, "nothing moved: such a comparison would prove nothing"
    return float(np.abs(one - other).max() / peak)
