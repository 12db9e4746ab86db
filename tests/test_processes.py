"""Runs in other processes: one sentence where JAX cannot work, and numbers where it can."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src"
PROGRAM = """
    import multiprocessing, sys, warnings
    warnings.simplefilter("ignore")
    import backemf as be

    MOTOR = be.Motor(
        winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
    )

    def end(engine):
        return be.simulate(MOTOR, be.Inertia(1e-4), 1.0, 0.002, 1e-3, engine=engine)["position"][-1]

    def tried(work):
        try:
            return work()
        except be.BackemfError as error:
            return str(error)
"""
FORKED = """
    step = MOTOR.compile("jax")
    ours = end("jax")
    step(step.initial(), 1.0, 0.0, 0.0, 1e-3)

    def inside(queue):
        queue.put([tried(lambda: end("jax")), tried(lambda: step(step.initial(), 1.0, 0.0, 0.0, 1e-3)),
                   tried(lambda: MOTOR.compile("jax")), tried(lambda: end("numpy"))])

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=inside, args=(queue,))
    child.start()
    run, stepped, compiled, numpy = queue.get(timeout=60)
    child.join()
    for said in (run, stepped, compiled):
        assert "JAX had started before this process was forked" in said, said
        assert "'spawn') or 'forkserver'" in said and "engine='numpy'" in said, said
    assert abs(numpy - ours) < 1e-12
"""
EARLY = """
    import os
    be.engines.load("jax")  # imported, not started: a fork is as good as a new process
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, str(tried(lambda: end("jax"))).encode())
        os._exit(0)
    os.wait()
    assert abs(float(os.read(reading, 1000)) - end("jax")) < 1e-12
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("body", [FORKED, EARLY], ids=["after JAX has started", "before"])
def test_a_forked_process(body):
    """A run, a step and a compilation after JAX has started are refused instead of waiting forever."""
    program = textwrap.dedent(PROGRAM) + textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
