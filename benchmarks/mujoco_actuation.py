"""How long MuJoCo's C code takes for one step of a full `dcmotor`: the peer beside our own figures.

The model is many hinges side by side, each with one voltage-commanded motor that has a current, a temperature, bristle
friction, cogging and a gear. What is timed, on one core:

    actuation   mj_fwdActuation: rates of all states, the current at the end of the step, torques, joint forces
    states      the share of mj_Euler that advances the motors' states; mj_Euler of the same hinges with motors that
                have no state is subtracted, since the rest of it moves the joints

A step of ours does both, so their sum is the like-for-like figure; `actuation` alone is the harder one to beat. Then
`mujoco_quadruped.py` times a robot in MuJoCo with and without our motors.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mujoco_quadruped

FULL = (
    'motorconst="0.05 0.05" resistance="1.2" inductance="0.0012 0" thermal="10 20 0 0.0039 25 25" '
    'lugre="10 0.001 0.01 0.015 1" cogging="0.005 7 0.3" damping="1e-5" armature="1e-5" gear="20"'
)
"""Every feature of a motor under a voltage command."""
STATELESS = 'motorconst="0.05 0.05" resistance="1.2" armature="1e-5" gear="20"'
"""Resistance and back-EMF only."""


def hinges(n_motors: int, motor: str) -> str:
    """Independent bodies on a hinge each, with one motor of this kind."""
    body = '<body><joint name="j{0}" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>'
    return (
        '<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>'
        + "".join(body.format(i) for i in range(n_motors))
        + "</worldbody><actuator>"
        + "".join(f'<dcmotor joint="j{i}" input="voltage" {motor}/>' for i in range(n_motors))
        + "</actuator></mujoco>"
    )


def prepare(n_motors: int, motor: str):
    """Model and data of hinges that turn at different speeds under different voltages."""
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_string(hinges(n_motors, motor))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    data.ctrl[:] = rng.uniform(-24.0, 24.0, n_motors)
    # far enough for the currents, temperatures and bristles to have values
    for _ in range(50):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return model, data


def coasting(model, data):
    """The same with no force left on the joints: repeated mj_Euler then keeps their speeds and does the same work."""
    data.qacc[:] = 0.0
    data.qfrc_smooth[:] = 0.0
    return model, data


def nanoseconds(call: Callable[[], None], calls: int, repeats: int = 7) -> float:
    """Shortest time of one call [ns]; the shortest is the one that nothing else on the machine disturbed."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter_ns() - start) / calls)
    return best


def measure(n_motors: int = 1000, steps: int = 2000) -> dict[str, float | str]:
    """Nanoseconds per motor and step of MuJoCo on one core, by part; `call_overhead_ns` is what Python adds to each."""
    import mujoco

    full, stateless = prepare(n_motors, FULL), prepare(n_motors, STATELESS)
    empty_model = mujoco.MjModel.from_xml_string("<mujoco/>")
    empty = empty_model, mujoco.MjData(empty_model)

    def per_motor(function: Callable, which: tuple) -> float:
        return nanoseconds(lambda: function(*which), steps) / n_motors

    actuation = per_motor(mujoco.mj_fwdActuation, full)
    actuation_stateless = per_motor(mujoco.mj_fwdActuation, stateless)
    whole = per_motor(mujoco.mj_step, full)
    states = per_motor(mujoco.mj_Euler, coasting(*full)) - per_motor(mujoco.mj_Euler, coasting(*stateless))
    return {
        "mujoco": mujoco.__version__,
        "n_motors": n_motors,
        "actuation_ns": actuation,
        "states_ns": states,
        "actuation_and_states_ns": actuation + states,
        "actuation_stateless_ns": actuation_stateless,
        "whole_step_ns": whole,
        "call_overhead_ns": per_motor(mujoco.mj_fwdActuation, empty),
    }


def main() -> None:
    seen = measure()
    print(f"MuJoCo {seen['mujoco']}, {seen['n_motors']:,} motors on a hinge each, one core, ns per motor and step")
    rows = {
        "actuation_ns": "actuation pass, full motor (current, heat, bristles, cogging, gear)",
        "states_ns": "advancing its states",
        "actuation_and_states_ns": "both",
        "actuation_stateless_ns": "actuation pass, motor without states",
        "whole_step_ns": "whole mj_step, full motor, the hinge included",
        "call_overhead_ns": "share of the Python call in each figure",
    }
    for name, words in rows.items():
        print(f"{seen[name]:8.1f}  {words}")
    print()
    mujoco_quadruped.main()


if __name__ == "__main__":
    main()
