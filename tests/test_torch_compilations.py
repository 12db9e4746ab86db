"""A step of PyTorch is compiled once: later steps, whatever they come from, find it compiled."""

from dataclasses import replace

import numpy as np
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

LOADED = be.Actuator(
    replace(
        MOTOR,
        thermal=be.TwoNodeThermal(
            winding_resistance=1.0, winding_capacitance=0.5, housing_resistance=2.0, housing_capacitance=5.0
        ),
        friction=be.LoadDependent(coulomb=0.005, load=be.LoadShare(drive=0.05, back=0.03)),
    ),
    be.Supply(voltage=24.0),
    controller=PD,
)
"""A motor that heats up and rubs by its load."""


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


def rollout(step, state, position, times=3, load=(0.0, 1e-3)):
    """Steps under changing plain numbers."""
    out = None
    for k in range(times):
        state, out = step(state, 0.1 * k, position, 0.0 * position, 1e-3, *load)
    return state, out


def test_loads_that_are_plain_numbers_are_compiled_once():
    """A torque that changes from 0 on is no constant of the code; against the same steps uncompiled."""
    steps = [LOADED.compile("torch", eager=eager) for eager in (False, True)]
    states, rest, outs = [step.initial((2,)) for step in steps], torch.zeros(2), [None, None]
    for k in range(12):
        for i, step in enumerate(steps):
            states[i], outs[i] = step(states[i], 0.1, rest, rest + 1.0, 1e-3, 0.01 * k, 1e-3)
        assert torch.equal(outs[0].torque, outs[1].torque)
    assert compilations() == 1


@pytest.mark.parametrize("changes", ["dt", "inertia", "damping", "stiffness"])
def test_a_constant_that_changes_is_compiled_once_more(changes):
    """Time step, inertia and springs are compiled in while they stay, and are inputs from their first change on."""
    compiled, plain = (LOADED.compile("torch", eager=eager) for eager in (False, True))
    states, rest = [compiled.initial((2,))] * 2, torch.zeros(2)
    for k in range(6):
        given = {"dt": 1e-3, "inertia": 1e-3, "damping": 1e-3, "stiffness": 0.1}
        given[changes] *= 1 + k % 4
        loads = {"load_damping": given["damping"], "load_stiffness": given["stiffness"]}
        after = [
            step.coupled(state, 0.1, rest + 0.2, rest, given["dt"], 0.05, given["inertia"], **loads)
            for step, state in zip((compiled, plain), states, strict=True)
        ]
        states = [state for state, _ in after]
        assert torch.allclose(*(out.joint_velocity for _, out in after), rtol=1e-5)
    assert compilations() == 2


def test_batches_of_many_shapes_do_not_count_against_each_other():
    """PyTorch gives up on code that it has compiled eight times."""
    step = LOADED.compile("torch")
    for count in range(2, 14):
        rollout(step, step.initial((count,)), torch.zeros(count))
    assert compilations() == 12


def test_one_step_for_all_sizes_of_a_batch():
    """Numbers of a motor that heats up are constants of it all the same."""
    step = LOADED.compile("torch", dynamic=True)
    plain = LOADED.compile("torch", eager=True)
    for count in range(2, 8):
        found, wanted = (rollout(each, each.initial((count,)), torch.zeros(count))[1].torque for each in (step, plain))
        assert torch.equal(found, wanted) and found.abs().min() > 0.0
    assert compilations() == 1


def test_a_wider_input_is_compiled_once():
    """A state in float32 under a position in float64 is as wide as all later ones."""
    step = LOADED.compile("torch")
    state, out = rollout(step, step.initial((2,)), torch.zeros(2, dtype=torch.float64))
    assert compilations() == 1 and state.current.dtype == out.torque.dtype == torch.float64


def test_inference_mode_takes_what_was_compiled_without_gradients():
    """Roll-outs of a policy: the state comes from outside of inference mode, and goes back into training."""
    step = LOADED.compile("torch")
    with torch.no_grad():
        state, _ = rollout(step, step.initial((2,)), torch.zeros(2))
    with torch.inference_mode():
        state, out = rollout(step, state, torch.zeros(2))
        state = step.reset(state, torch.tensor([True, False]))
        rollout(step, state, torch.zeros(2))
    assert compilations() == 1 and not out.torque.requires_grad


@pytest.mark.parametrize("eager", [False, True])
def test_a_state_from_inference_mode_can_be_trained_on(eager):
    """Stall torque of a PD law: its slope by the target is its stiffness."""
    step = be.Actuator(controller=PD, delay=be.Delay(steps=1)).compile("torch", eager=eager)
    with torch.inference_mode():
        state, rest = step.initial((2,)), torch.zeros(2)
        state, _ = step(state, rest, rest, rest, 1e-3)
    target = torch.tensor(0.1, requires_grad=True)
    for _ in range(2):
        state, out = step(state, target + torch.zeros(2), rest, rest, 1e-3)
    out.torque.sum().backward()
    assert target.grad == pytest.approx(2 * 40.0)


@pytest.mark.parametrize("eager", [False, True])
def test_arrays_of_numpy_are_taken_in_the_precision_of_the_state(eager):
    step = be.Actuator(controller=PD).compile("torch", eager=eager, dtype=torch.float32)
    rest = np.zeros(2)
    for command in (np.array([0.1, 0.2]), be.Command(position=np.array([0.1, 0.2]), velocity=0.0, effort=0.0)):
        _, out = step(step.initial((2,)), command, rest, np.float32(0.0), 1e-3)
        assert out.torque.dtype == torch.float32 and torch.allclose(out.torque, torch.tensor([4.0, 8.0]))


def test_inputs_of_half_precision_and_states_that_are_not():
    """What a policy in bfloat16 commands drives a motor whose heat is summed up in float32."""
    step = LOADED.compile("torch")
    half = torch.zeros(2, dtype=torch.bfloat16)
    state, out = rollout(step, step.initial((2,)), half)
    assert compilations() == 1 and state.winding_rise.dtype == out.torque.dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int32, "half"])
def test_states_of_half_precision_are_refused(dtype):
    """In bfloat16 the winding stays cold: a step heats it by less than its last digit."""
    with pytest.raises(be.ParameterError, match=r"the torch engine computes in float32 or float64"):
        LOADED.compile("torch", dtype=dtype)


def test_a_precision_may_be_named_and_the_default_one_is_never_half():
    assert LOADED.compile("torch", dtype="float64").initial((2,)).current.dtype == torch.float64
    torch.set_default_dtype(torch.bfloat16)
    try:
        assert LOADED.compile("torch").initial((2,)).current.dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_device_that_is_none_is_said_so():
    with pytest.raises(be.ParameterError, match=r"device = 'gpu': PyTorch does not have it here"):
        LOADED.compile("torch", device="gpu")
