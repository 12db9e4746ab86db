"""Step a batch of motors that all differ a little, as a reinforcement-learning loop would, in JAX.

Draws many_motors.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

import backemf as be

ENVIRONMENTS, JOINTS = 1024, 12


def main() -> None:
    motor = be.Datasheet.load("maxon-re40-148877").motor()
    rng = np.random.default_rng(0)
    # only what differs is an array; everything else stays one number for the whole batch
    resistance = motor.winding.resistance * rng.uniform(0.9, 1.1, (ENVIRONMENTS, JOINTS))
    motor = replace(motor, winding=replace(motor.winding, resistance=resistance))

    step = be.Actuator(motor, be.Supply(voltage=48.0, resistance=0.1, shared=True)).compile("jax")
    state = step.initial((ENVIRONMENTS, JOINTS))
    position = velocity = np.zeros((ENVIRONMENTS, JOINTS), np.float32)
    inertia, dt = 2e-4, 2e-3
    lowest_bus, positions = np.inf, []
    for _ in range(100):
        volts = 20.0 * np.tanh(1.0 - position)
        state, out = step(state, volts, position, velocity, dt, load_torque=0.0, load_inertia=inertia)
        lowest_bus = min(lowest_bus, float(np.min(out.bus_voltage)))
        # the host moves the joint; the rotor's inertia moves with it
        velocity = velocity + dt * np.asarray(out.torque) / (inertia + float(motor.armature))
        position = position + dt * velocity
        positions.append(position)

    # some environments are reset, cold and without current
    state = step.reset(state, np.arange(ENVIRONMENTS)[:, None] < 16)
    print(f"{ENVIRONMENTS} x {JOINTS} motors after 100 steps:")
    print(f"  position {position.mean():.3f} ± {position.std():.4f} rad")
    print(f"  lowest bus voltage {lowest_bus:.2f} V")
    print(f"  winding of an old environment +{float(state.winding_rise[-1, 0]):.4f} K, of a new one 0 K")
    time, flat = dt * np.arange(1, 101), np.stack(positions).reshape(100, -1)
    be.plot.curves(
        time,
        {"mean of all motors": flat.mean(axis=1)},
        "time [s]",
        "joint position [rad]",
        f"{ENVIRONMENTS} robots, resistances within ±10 %",
        bands={"slowest to fastest": (flat.min(axis=1), flat.max(axis=1))},
        path=Path(os.environ.get("BACKEMF_OUT", "out")) / "many_motors.svg",
    )


if __name__ == "__main__":
    main()
