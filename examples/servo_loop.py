"""A controller script around one motor: the plain-Python engine needs no array library in the loop.

Draws servo_loop.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

import math
import os
import time
from pathlib import Path

import backemf as be


def main() -> None:
    motor = be.Datasheet.load("maxon-re30-48v").motor()
    step = be.Actuator(motor, be.Supply(voltage=48.0)).compile("python")
    state = step.initial()
    load = be.Pendulum(mass=0.1, length=0.1)
    inertia = load.mass * load.length**2
    target, position, velocity, dt = math.radians(90), 0.0, 0.0, 1e-4
    largest_current, angles = 0.0, []
    began = time.perf_counter()
    for _ in range(10_000):
        pull = -load.mass * load.gravity * load.length * math.sin(position)
        volts = 60.0 * (target - position) - 1.5 * velocity
        state, out = step(state, volts, position, velocity, dt, load_torque=pull, load_inertia=inertia)
        largest_current = max(largest_current, abs(out.current))
        velocity += dt * (out.torque + pull) / (inertia + motor.armature)
        position += dt * velocity
        angles.append(math.degrees(position))
    took = time.perf_counter() - began
    print(f"after 1 s: {math.degrees(position):.1f}° of 90°")
    print(f"at most {largest_current:.1f} A, winding {state.winding_rise:.1f} K warmer")
    print(f"10,000 steps of 0.1 ms in {took:.2f} s: {took * 100:.0f} µs a step")
    be.plot.curves(
        [1e3 * dt * (k + 1) for k in range(len(angles))],
        {"arm": angles, "target": [90.0] * len(angles)},
        "time [ms]",
        "angle [°]",
        "An arm lifted by a maxon RE 30",
        path=Path(os.environ.get("BACKEMF_OUT", "out")) / "servo_loop.svg",
    )


if __name__ == "__main__":
    main()
