"""A geared motor and every controller, for the tests of controllers."""

import backemf as be

R, KT, KE, DT, BUS = 1.2, 0.05, 0.06, 1e-3, 14.8
"""Resistance [Ω], torque constant [N·m/A], back-EMF constant [V·s/rad], step [s] and bus voltage [V]."""


def motor(ratio: float = 10.0, inductance: float | None = None, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=R, inductance=inductance),
        magnet=be.Magnet(torque_constant=KT, back_emf_constant=KE),
        rotor=be.Rotor(inertia=1e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=ratio),)),
        **parts,
    )


SUPPLY = be.Supply(voltage=BUS)
VOLT_LOOPS = {
    "PositionPid": be.PositionPid(kp=20.0, ki=30.0, kd=0.5),
    "VelocityPi": be.VelocityPi(kp=3.0, ki=20.0),
    "DutyServo": be.DutyServo(kp=5.0, ki=8.0, kd=0.05),
}
TORQUE_LOOPS = {
    "TorquePid": be.TorquePid(kp=6.0, ki=20.0, kd=0.15),
    "TorquePid, velocity": be.TorquePid(kd=0.3, ki=5.0, follows="velocity"),
    "TorquePid, current loop": be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=500.0),
    "IdealPd": be.IdealPd(stiffness=6.0, damping=0.15),
    "IdealPd, current loop": be.IdealPd(stiffness=6.0, damping=0.15, current_bandwidth=500.0),
    "Torque": be.Torque(),
    "Torque, current loop": be.Torque(current_bandwidth=500.0),
}
SELECTORS = {
    "ModeSelector": be.ModeSelector(velocity=be.VelocityPi(kp=3.0, ki=20.0)),
    "ModeSelector, current loop": be.ModeSelector(
        torque=be.Torque(current_bandwidth=500.0), velocity=be.TorquePid(kd=0.3, ki=5.0, follows="velocity")
    ),
}
ALL = {"Voltage": be.Voltage()} | VOLT_LOOPS | TORQUE_LOOPS | SELECTORS
"""Every controller, with an integral where it can have one."""
LARGE = {"position": 1.0, "velocity": 8.0, "effort": 2.0, "voltage": 30.0}
"""A command of each input that asks for more than 6 V or 0.3 N·m."""
