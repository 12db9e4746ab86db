"""Threads: a compiled step and a run hold nothing of their own, so any number of threads may use them at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import backemf as be

MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    thermal=be.Thermal(resistance=2.0, capacitance=20.0),
    limits=be.Limits(peak_current=8.0),
)
KNEE = be.Actuator(MOTOR, be.Supply(voltage=24.0), controller=be.PositionPid(kp=30.0, kd=0.5))
TARGETS = np.linspace(-1.0, 1.0, 16)


@pytest.mark.parametrize("engine", ["python", "numpy", "jax", "native"])
def test_threads_share_a_compiled_step(engine):
    """Sixteen motors, each stepped by a thread of its own through one compiled step, are those of a single thread."""
    step = KNEE.compile(engine)

    def end(target: float) -> float:
        state, position, velocity = step.initial(), 0.0, 0.0
        for _ in range(50):
            state, out = step(state, float(target), position, velocity, 1e-3)
            velocity += 1e-3 * float(out.torque) / 0.01
            position += 1e-3 * velocity
        return position

    alone = [end(target) for target in TARGETS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(end, TARGETS)) == alone


def test_threads_run_simulations():
    """Runs side by side are those of one after the other."""

    def end(target: float) -> float:
        return float(be.simulate(KNEE, be.Inertia(inertia=0.01), float(target), 0.05, 1e-3)["position"][-1])

    alone = [end(target) for target in TARGETS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(end, TARGETS)) == alone
