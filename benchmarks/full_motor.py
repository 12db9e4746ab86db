"""The motor that is measured: current, heat, LuGre friction, drag, cogging and a gear."""

from __future__ import annotations

import backemf as be


def full_motor() -> be.Motor:
    """Everything that MuJoCo's dcmotor has, with the constants of the model it is measured with."""
    return be.Motor(
        winding=be.Winding(resistance=1.2, inductance=0.0012),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
        thermal=be.Thermal(resistance=10.0, capacitance=20.0),
        friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=10.0, damping=0.001),
        drag=be.Drag(coefficients=(1e-5,)),
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.005, periodicity=7.0, phase=0.3),)),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0),)),
    )


def full_actuator(**more) -> be.Actuator:
    """The same motor with a position controller, a supply and a delay of 2 to 5 steps."""
    parts = {
        "supply": be.Supply(voltage=48.0),
        "controller": be.PositionPid(kp=40.0, ki=5.0, kd=0.4),
        "delay": be.Delay(steps=(2, 5)),
    }
    return be.Actuator(full_motor(), **(parts | more))
