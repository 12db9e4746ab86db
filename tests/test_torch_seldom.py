"""What a kernel of a GPU seldom needs is read only where it is needed: the graphs for it, without a GPU."""

from __future__ import annotations

import numpy as np
import pytest

import backemf as be

torch = pytest.importorskip("torch")
from backemf.engines import torch_engine  # noqa: E402

DELAYED = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.0), delay=be.Delay(steps=(1, 3), schedule="step"))
SHAPE = 5, 3


@pytest.fixture
def graphs(monkeypatch):
    """Names of the operations of each graph that is traced; steps run as they are."""
    found: list[set[str]] = []
    compile_ = torch.compile

    def keep(graph, _):
        found.append({str(node.target) for node in graph.graph.nodes})
        return graph.forward

    monkeypatch.setattr(
        torch, "compile", lambda f, **options: compile_(f, **{**options, "options": None}, backend=keep)
    )
    torch._dynamo.reset()
    return found


@pytest.fixture
def on_gpu(monkeypatch):
    """Steps are traced as for a GPU, and run on the CPU."""
    monkeypatch.setattr(torch_engine, "_is_on_gpu", lambda options: True)


def reads_seldom(names: set[str]) -> bool:
    return any("_unsafe_masked_index" in name for name in names)


def rows_of_inputs(steps: int = 6) -> np.ndarray:
    """Commands, positions and velocities, some of them not known."""
    rows = np.random.default_rng(3).normal(size=(steps, 3, *SHAPE))
    rows[1, 0, 2], rows[3, 0, :, 1], rows[4, 0, 0, 0] = np.nan, np.inf, -np.inf
    rows[2, 1, 3], rows[3, 1, 2, 1] = np.nan, np.nan
    return rows


@pytest.mark.parametrize("dynamic", [False, True])
def test_commands_that_are_not_known_hold_the_joint(graphs, on_gpu, dynamic):
    """As in NumPy, where position and last position are read for all motors."""
    step, plain = DELAYED.compile("torch", dtype="float64", dynamic=dynamic), DELAYED.compile("numpy")
    state, expected = step.initial(SHAPE), plain.initial(SHAPE)
    for row in rows_of_inputs():
        state, out = step(state, *(torch.tensor(x) for x in row), 1e-3)
        expected, known = plain(expected, *row, 1e-3)
        np.testing.assert_allclose(out.torque.numpy(), known.torque, rtol=1e-14, atol=1e-14)
        np.testing.assert_array_equal(out.limit.numpy(), known.limit)
        np.testing.assert_array_equal(state.position_line.numpy(), expected.position_line)
    assert graphs and all(map(reads_seldom, graphs))


def test_a_position_that_joints_share(graphs, on_gpu):
    """One number for all of them, at no place of its own for each."""
    step, plain = DELAYED.compile("torch", dtype="float64"), DELAYED.compile("numpy")
    command = rows_of_inputs()[1, 0]
    _, out = step(step.initial(SHAPE), torch.tensor(command), 0.4, 0.0, 1e-3)
    _, known = plain(plain.initial(SHAPE), command, 0.4, 0.0, 1e-3)
    np.testing.assert_allclose(out.torque.numpy(), known.torque, rtol=1e-14)


def test_slopes_flow_through_what_is_held(graphs, on_gpu):
    """A joint that holds where it is has no torque, wherever that is; where a command comes, kp times the way to it."""
    step = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.0)).compile("torch", dtype="float64")
    command = torch.tensor([0.5, np.nan], dtype=torch.float64)
    position = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    _, out = step(step.initial(2), command, position, torch.zeros(2, dtype=torch.float64), 1e-3)
    (slope,) = torch.autograd.grad(out.torque.sum(), position)
    np.testing.assert_allclose(slope.numpy(), [-40.0, 0.0], atol=1e-12)
    assert not any(map(reads_seldom, graphs))


def test_a_processor_reads_everything(graphs):
    """Where a choice costs no bandwidth, it is one."""
    step = DELAYED.compile("torch", dtype="float64")
    step(step.initial(SHAPE), *(torch.tensor(x) for x in rows_of_inputs()[1]), 1e-3)
    assert graphs and not any(map(reads_seldom, graphs))


def test_an_eager_step_reads_everything(on_gpu):
    """Operation by operation the places would be arrays of their own."""
    step = DELAYED.compile("torch", dtype="float64", eager=True)
    with torch.profiler.profile() as seen:
        step(step.initial(SHAPE), *(torch.tensor(x) for x in rows_of_inputs()[1]), 1e-3)
    assert not reads_seldom({event.name for event in seen.events()})
