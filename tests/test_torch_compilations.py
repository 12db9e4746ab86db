"""A step of PyTorch is compiled once: later steps, whatever they come from, find it compiled."""

from dataclasses import replace

import pytest

import backemf as be

torch = pytest.importorskip("torch")
from torch._dynamo.utils import counters  # noqa: E402

PD = be.IdealPd(stiffness=40.0, damping=1.0)
MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
)
KINDS = {
    "motor": be.Actuator(MOTOR),
    "delay": be.Actuator(controller=PD, delay=be.Delay(steps=(2, 5), schedule="step")),
    "position": be.Actuator(MOTOR, be.Supply(voltage=24.0), controller=be.PositionPid(kp=10.0, ki=1.0, kd=0.1)),
}


@pytest.fixture(autouse=True)
def traced(monkeypatch):
    """Steps are traced as ever, and then run as they are: what is counted is how often."""
    compile_ = torch.compile
    monkeypatch.setattr(
        torch, "compile", lambda f, **options: compile_(f, **{**options, "options": None}, backend="eager")
    )
    torch._dynamo.reset()
    counters.clear()


def compilations() -> int:
    return counters["stats"]["unique_graphs"]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("shape", [(), (1,), (1, 3)])
def test_a_rollout_is_compiled_once(name, shape):
    """From rest, where zeros stand in every place; a batch of one motor too."""
    step = KINDS[name].compile("torch")
    state, rest = step.initial(shape), torch.zeros(shape)
    position = velocity = rest
    for _ in range(3):
        state, out = step(state, rest, position, velocity, 1e-3)
        position, velocity = position + 1e-3 * velocity, velocity + out.torque
    assert compilations() == 1


def test_commands_that_are_plain_numbers_are_compiled_once():
    """A number that changes is no constant of the code; the torque follows it."""
    step = be.Actuator(controller=PD).compile("torch")
    state, rest = step.initial((2,)), torch.zeros(2)
    for k in range(12):
        state, out = step(state, be.Command(position=0.1 * k, velocity=0.0, effort=0.0), rest, rest, 1e-3)
        assert out.torque[0] == pytest.approx(4.0 * k, rel=1e-6)
    assert compilations() == 1


def test_a_plain_number_has_the_precision_of_the_step():
    """0.1 is not the float32 nearest to it."""
    step = be.Actuator(controller=PD).compile("torch", dtype=torch.float64)
    rest = torch.zeros((), dtype=torch.float64)
    assert step(step.initial(()), 0.1, rest, rest, 1e-3)[1].torque.item() == 40.0 * 0.1


@pytest.mark.parametrize("of", ["parameter", "command"])
def test_gradients_are_compiled_once_and_right(of):
    """The first state has no gradient, later ones have; i' = (v - R·i)/L over three short steps from rest."""
    ohms = torch.tensor(1.0, requires_grad=of == "parameter")
    volts = torch.tensor([2.0, 2.0], requires_grad=of == "command")
    motor = replace(MOTOR, winding=replace(MOTOR.winding, resistance=ohms))
    rest = torch.zeros(2)

    def end(step) -> torch.Tensor:
        state = step.initial((2,))
        for _ in range(3):
            state, out = step(state, volts, rest, rest, 1e-4)
        return out.torque.sum()

    given = ohms if of == "parameter" else volts
    compiled = torch.autograd.grad(end(be.Actuator(motor).compile("torch")), given)[0]
    assert compilations() == 1
    plain = torch.autograd.grad(end(be.Actuator(motor).compile("torch", eager=True)), given)[0]
    assert torch.allclose(compiled, plain, rtol=1e-5) and plain.abs().max() > 1e-3


def test_resets_and_robots_are_compiled_once():
    """A state of which some motors are back at the start, and one with several kinds of joints."""
    robot = be.ActuatorSet(["hip", "knee"], {"hip": KINDS["delay"], "knee": KINDS["position"]})
    step = robot.compile("torch")
    state, rest = step.initial(1), torch.zeros(1, 2)
    for _ in range(3):
        state, _ = step(state, rest, rest, rest, 1e-3)
        state = step.reset(state, torch.tensor([True]))
    assert compilations() == 1


def test_a_step_in_place_writes_into_the_tensors_it_was_given():
    """Also where a gradient is asked for elsewhere: a captured graph is replayed on these tensors."""
    step = KINDS["motor"].compile("torch", in_place=True)
    state, rest = step.initial((2,)), torch.zeros(2)
    before = state.current
    for _ in range(3):
        state, _ = step(state, 12.0, rest, rest, 1e-3)
    assert state.current is before and before.abs().min() > 0.0 and compilations() == 1
