"""Sizing on Warp: the passes in kernels are those on NumPy."""

import numpy as np

import backemf as be


def motor(ratio: float) -> be.Motor:
    """A motor with a gear, friction, iron loss and a housing."""
    return be.Motor(
        winding=be.Winding(resistance=0.5, inductance=2e-4),
        magnet=be.Magnet(
            torque_constant=0.05, back_emf_constant=0.05, temperature_coefficient=-0.001, iron_loss=1e-6
        ),
        rotor=be.Rotor(inertia=2e-5),
        thermal=be.TwoNodeThermal(
            winding_resistance=2.0, winding_capacitance=5.0, housing_resistance=5.0, housing_capacitance=40.0
        ),
        friction=be.Coulomb(coulomb=1e-3),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=ratio, efficiency=0.8),)),
        ratings=be.Ratings(winding_temperature=125.0),
        name=f"m{ratio:g}",
    )  # fmt: skip


def test_sizing_on_warp_is_that_on_numpy():
    """Every figure of each pair, with a spring, repeats and a rest, on cells of several lengths."""
    joint = be.JointTask(
        motion=be.TrapezoidMove(angle=1.5, duration=0.5, ramp=0.23), load=be.Pendulum(mass=0.5, length=0.3),
        spring=True, repeats=3, rest=1.0,
    )  # fmt: skip
    task = be.Task(joints={"a": joint}, supply=be.Supply(voltage=24.0, resistance=0.2), wanted="energy", samples=150)
    motors = [motor(5.0 + 3.0 * k) for k in range(7)]
    one, other = (be.size(task, motors, engine=engine).only for engine in ("numpy", "warp"))
    for name in ("winding", "housing", "energy", "spare_voltage", "peak_current", "supply_current", "stiffness",
                 "rest_angle", "gear_peak", "heat"):  # fmt: skip
        np.testing.assert_allclose(other.figure(name), one.figure(name), rtol=1e-9, err_msg=name)
    assert [other[k].name for k in range(len(other))] == [one[k].name for k in range(len(one))]
