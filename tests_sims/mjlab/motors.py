"""Three motors of different kinds, of the size of a small legged robot's."""

import backemf as be


def quasi_direct(**parts) -> be.Motor:
    """A flat motor behind a single planetary stage, with a winding that heats."""
    return be.Motor(
        winding=be.Winding(resistance=0.2, inductance=1e-4),
        magnet=be.Magnet(torque_constant=0.09, back_emf_constant=0.09),
        rotor=be.Rotor(inertia=6e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
        thermal=be.Thermal(resistance=2.0, capacitance=40.0),
        drag=be.Drag(coefficients=(2e-5,)),
        limits=be.Limits(peak_current=40.0),
        **parts,
    )


def servo() -> be.Motor:
    """A brushed motor behind a long gear train, with bristle friction."""
    return be.Motor(
        winding=be.Winding(resistance=1.4),
        magnet=be.Magnet(torque_constant=0.01, back_emf_constant=0.011),
        rotor=be.Rotor(inertia=2e-7),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=200.0),)),
        friction=be.LuGre(coulomb=2e-4, stiction=3e-4, stribeck_velocity=5.0, stiffness=1.0, viscous=1e-7),
        thermal=be.TwoNodeThermal(
            winding_resistance=5.0, winding_capacitance=3.0, housing_resistance=10.0, housing_capacitance=50.0
        ),
    )


def geared_motor() -> be.Motor:
    """A motor with dry friction behind gears that lose power."""
    return be.Motor(
        winding=be.Winding(resistance=0.6, inductance=2e-4),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=25.0, efficiency=0.85),)),
        friction=be.Coulomb(coulomb=2e-3),
        thermal=be.Thermal(resistance=4.0, capacitance=20.0),
    )


def hip() -> be.Actuator:
    """A PD law in torque through a current loop, behind a delay of its own for each episode."""
    return be.Actuator(
        quasi_direct(),
        be.Supply(voltage=24.0, resistance=0.05, shared=True),
        controller=be.IdealPd(stiffness=40.0, damping=1.0, current_bandwidth=2000.0),
        delay=be.Delay(steps=(0, 4)),
        limits=(be.EffortLimit(effort_limit=15.0),),
    )


def thigh() -> be.Actuator:
    """A position controller in volts."""
    return be.Actuator(geared_motor(), be.Supply(voltage=24.0), controller=be.PositionPid(kp=60.0, kd=0.8))


def knee() -> be.Actuator:
    """A servo with its own firmware."""
    return be.Actuator(servo(), be.Supply(voltage=12.0), controller=be.DutyServo(kp=8.0, kd=0.05))
