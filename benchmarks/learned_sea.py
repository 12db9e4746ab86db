"""How far a learned actuator gets below a linear filter, on a log of a series-elastic drive.

    python benchmarks/learned_sea.py walk.csv [rate in Hz]

The log has the columns joint_velocity [rad/s], position_error and joint_torque [N*m]; rows without a torque are left
out. Each line is a choice of history, over five choices of held-out blocks.
"""

import sys

import numpy as np

from backemf.learned import fit_learned

HISTORIES = ((3, 1), (6, 1), (3, 4))
SEEDS = range(5)


def read_walk(path: str, rate: float) -> dict[str, np.ndarray]:
    """The columns that training needs; the position itself is not in the log, and not looked at."""
    rows = np.genfromtxt(path, delimiter=",", skip_header=1)
    velocity, error, torque = rows[np.isfinite(rows).all(axis=1)].T
    time = np.arange(len(torque)) / rate
    columns = {"time": time, "position": 0.0 * error, "position_target": error, "velocity": velocity}
    return columns | {"torque": torque}


def main(path: str, rate: float = 400.0) -> None:
    log = read_walk(path, float(rate))
    print(f"{len(log['time'])} rows, torque {log['torque'].std():.3g} N·m about its mean")
    print("history stride   network  linear      PD   [N·m], mean over blocks   network/linear, each choice of blocks")
    for history, stride in HISTORIES:
        found = [fit_learned(log, history=history, stride=stride, seed=seed) for seed in SEEDS]
        means = [np.mean([getattr(f, name) for f in found]) for name in ("held_out_error", "linear_error", "pd_error")]
        ratios = " ".join(f"{f.held_out_error / f.linear_error:.2f}" for f in found)
        print(
            f"{history:7d} {stride:6d}   {means[0]:7.3f} {means[1]:7.3f} {means[2]:7.3f} {'':24s}  {ratios}", flush=True
        )
    print(found[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
