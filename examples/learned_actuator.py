"""Train a network on the log of an actuator with friction and delay, and save it for the simulators.

The log is simulated here; it could come from a test bench. Files go to out/ (or the folder named by BACKEMF_OUT):
TorchScript for mjlab and Isaac Lab, ONNX for Newton, each where its package is installed.
"""

import os
from pathlib import Path

import numpy as np

import backemf as be
from backemf.learned import fit_learned, load_learned

DT, DURATION = 2e-3, 40.0
LOAD = be.Inertia(inertia=2e-4)


def bench() -> be.Actuator:
    """A position-controlled motor with stiction, a weak supply, and commands that arrive 8 ms late."""
    friction = be.LuGre(coulomb=0.02, stiction=0.035, stribeck_velocity=1.0, stiffness=5.0, damping=0.01, viscous=1e-4)
    motor = be.Datasheet.load("maxon-re40-148877").motor(friction=friction)
    controller = be.PositionPid(kp=20.0, kd=0.4)
    return be.Actuator(motor, be.Supply(voltage=10.0), controller=controller, delay=be.Delay(seconds=8e-3))


def targets(seed: int) -> np.ndarray:
    """Random position targets: sines of random frequency, and a step every second [rad]."""
    rng = np.random.default_rng(seed)
    time = DT * np.arange(round(DURATION / DT))
    sines = sum(0.3 * np.sin(2 * np.pi * rng.uniform(0.1, 3.0) * time + rng.uniform(0, 6)) for _ in range(6))
    jumps = rng.normal(0.0, 0.4, size=len(time) // 500 + 1).repeat(500)[: len(time)]
    return sines + jumps


def main() -> None:
    folder = Path(os.environ.get("BACKEMF_OUT", "out"))
    folder.mkdir(parents=True, exist_ok=True)

    run = be.simulate(bench(), LOAD, targets(seed=1), DURATION, DT)
    print(f"a log of {len(run.time)} rows, torques up to {np.abs(run['torque']).max():.3g} N·m")

    fitted = fit_learned(run, history=6, hidden=(32, 32), epochs=150, progress=True)
    print(fitted)
    print(f"the network's error is {fitted.held_out_error / fitted.pd_error:.0%} of the plain PD's")

    seen = slice(0, 1000)
    be.plot.curves(
        DT * np.arange(1000),
        {
            "motor": fitted.measured[seen],
            "network": fitted.predicted[seen],
            "best plain PD": fitted.predicted_by_pd[seen],
        },
        "time [s]",
        "joint torque [N·m]",
        "On rows that training never saw",
        path=folder / "learned_actuator.svg",
    )

    for name in ("actuator.pt", "actuator.onnx"):
        try:
            path = fitted.save(folder / name)
        except be.MissingExtraError as error:
            print(error)
            continue
        again = load_learned(path)
        print(f"{path}: {path.stat().st_size / 1024:.0f} KiB, torque scale {again.torque_scale:.3g} N·m")


if __name__ == "__main__":
    main()
