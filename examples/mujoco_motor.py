"""A geared motor lifts and lowers a pendulum inside MuJoCo: with what `<dcmotor>` models, and with the full motor.

Draws mujoco_motor.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

import importlib
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import backemf as be
from backemf.sims.mujoco import Motors

MODEL = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <body pos="0 0 1">
      <joint name="elbow" axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="0.2"/>
      <geom type="sphere" pos="0 0 -0.4" size="0.05" mass="2.5"/>
    </body>
  </worldbody>
  <actuator><motor joint="elbow"/></actuator>
</mujoco>
"""
FULL = be.Motor(
    winding=be.Winding(resistance=0.6, inductance=3e-4),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=8e-6),
    thermal=be.TwoNodeThermal(
        winding_resistance=1.5, winding_capacitance=8.0, housing_resistance=4.0, housing_capacitance=90.0
    ),
    friction=be.LoadDependent(coulomb=0.004, load=be.LoadShare(drive=0.08, back=0.05)),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=50.0, efficiency=0.75, back_efficiency=0.6),), backlash=0.005),
)
PLAIN = replace(FULL, thermal=None, friction=None, gearbox=be.Gearbox(stages=(be.Stage(ratio=50.0),)))
SECONDS, PERIOD = 12.0, 4.0
"""Duration of the run, and of one lift to the horizontal and back [s]."""


def lift(motor: be.Motor, supply: be.Supply) -> tuple[str, list[float]]:
    """One row of the table, and the angle over time [°]."""
    mujoco: Any = importlib.import_module("mujoco")
    servo = be.Actuator(motor, supply, controller=be.IdealPd(stiffness=150.0, damping=6.0))
    model = mujoco.MjModel.from_xml_string(MODEL)
    data, motors = mujoco.MjData(model), Motors(model, {"elbow": servo})
    angles = []
    dt, highest, current, lowest, lost = model.opt.timestep, 0.0, 0.0, supply.voltage, 0.0
    for k in range(round(SECONDS / dt)):
        motors.step(data, 0.25 * math.pi * (1.0 - math.cos(2.0 * math.pi * k * dt / PERIOD)))
        out = motors["elbow"]
        angles.append(math.degrees(data.qpos[0]))
        highest, current = max(highest, data.qpos[0]), max(current, abs(out.current))
        lowest = min(lowest, out.bus_voltage)
        lost += (out.copper_power + out.friction_power + out.gear_power) * dt
    end = motors["elbow"]
    row = (
        f"{math.degrees(highest):7.1f}° {current:5.1f} A {end.electrical_energy:6.1f} J {lost:5.1f} J "
        f"{end.winding_temperature:5.1f} °C {lowest:9.2f} V"
    )
    return row, angles


def main() -> None:
    print(f"{'':16} {'reaches':>8} {'peak':>7} {'battery':>8} {'heat':>7} {'winding':>8} {'lowest bus':>11}")
    lines = {}
    for name, motor, supply in (
        ("as in <dcmotor>", PLAIN, be.Supply(voltage=24.0)),
        ("the full motor", FULL, be.Supply(voltage=24.0, resistance=0.15)),
    ):
        row, lines[name] = lift(motor, supply)
        print(f"{name:16} {row}")
    time = [SECONDS * k / len(lines["the full motor"]) for k in range(len(lines["the full motor"]))]
    path = Path(os.environ.get("BACKEMF_OUT", "out")) / "mujoco_motor.svg"
    be.plot.curves(time, lines, "time [s]", "angle [°]", "A pendulum lifted three times", path=path)


if __name__ == "__main__":
    main()
