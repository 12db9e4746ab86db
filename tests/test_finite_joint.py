"""A joint whose numbers are not finite: its motor takes no part in the step, and no other motor notices."""

import math
from dataclasses import fields

import numpy as np
import pytest
from controller_kinds import ALL, BUS, motor
from test_bad_input import MOTOR, refusal
from test_engines import DT, INPUTS, STRUCTURES, N, tensors

import backemf as be
from backemf.actuator.finite_joint import KEPT
from backemf.physics.state import JOINT

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")

BAD = 3
"""Motor whose joint is not known."""
NAMES = ("joint_position", "joint_velocity", "load_torque", "load_inertia", "dt")
ENGINES = {
    "numpy": ({}, np.asarray),
    "native": ({}, np.asarray),
    "jax": ({}, jax.numpy.asarray),
    "torch": ({"eager": True, "dtype": torch.float64}, torch.as_tensor),
}
SPREAD = ("resistive", "two nodes, iron", "lugre", "load-dependent", "backlash", "shared supply", "everything")
COMPILED = ("resistive", "shared supply", "backlash")
"""What is compiled for JAX too, which takes a while."""
RUN = {"jax": COMPILED, "native": tuple(name for name in SPREAD if name != "shared supply")}
"""What an engine runs, where that is not all."""


def poison(inputs, name: str, value: float):
    """The inputs of a step, one of them bad for one motor."""
    state, command, position, velocity, torque, inertia = inputs
    values = {"joint_position": position, "joint_velocity": velocity, "load_torque": torque, "load_inertia": inertia}
    values["dt"] = np.full(N, DT)
    values = {key: x.copy() for key, x in values.items()}
    values[name][BAD] = value
    return state, command, values


def step_once(kind: be.Actuator, engine: str, state, command, values):
    """One step of an engine; everything as NumPy arrays of the batch."""
    options, make = ENGINES[engine]
    step = kind.compile(engine, **options)
    given = tensors(state) if engine == "torch" else state
    rest = {key: make(x) for key, x in values.items()}
    after, out = step(
        given, make(command), rest["joint_position"], rest["joint_velocity"], rest["dt"],
        rest["load_torque"], rest["load_inertia"],
    )  # fmt: skip
    found = {}
    for prefix, part in (("new.", after), ("", out)):
        for entry in fields(part):
            if getattr(part, entry.name) is not None:
                found[prefix + entry.name] = np.broadcast_to(np.asarray(getattr(part, entry.name), float), (N,))
    return found, out


@pytest.mark.parametrize(
    ("name", "engine"),
    [(name, engine) for name in SPREAD for engine in ENGINES if name in RUN.get(engine, SPREAD)],
)
def test_one_motor_takes_no_part(name, engine):
    """Its state stays, its torque is 0, it is named; every state and output of all others is as without it."""
    kind, others = STRUCTURES[name], np.arange(N) != BAD
    with jax.enable_x64(True):
        for which, value in zip(NAMES, (math.nan, -math.inf, math.nan, math.inf, math.nan), strict=True):
            if engine in ("numpy", "native") and which == "dt":
                continue
            state, command, values = poison(INPUTS[name], which, value)
            good = {key: np.where(others, x, 1e-3) for key, x in values.items()}
            if name == "shared supply":
                # the others see a motor that asks for nothing
                good["joint_velocity"][BAD], still = 0.0, np.where(others, command, 0.0)
            else:
                still = command
            got, out = step_once(kind, engine, state, command, values)
            expected, _ = step_once(kind, engine, state, still, good)
            for channel, x in got.items():
                assert np.isfinite(x).all(), (which, channel)
                assert np.array_equal(x[others], expected[channel][others]), (which, channel)
            for field in KEPT:
                if getattr(state, field) is not None:
                    assert got[f"new.{field}"][BAD] == getattr(state, field)[BAD], (which, field)
            assert got["torque"][BAD] == 0.0 and got["torque_slope"][BAD] == 0.0
            assert np.array_equal(np.flatnonzero(got["limit"].astype(int) & JOINT), [BAD])
            refusal(out.check, "position, velocity, load or step of the joint at (3,) was not finite", "no torque")
    assert be.limit_names(JOINT) == ["invalid joint"]


@pytest.mark.parametrize("name", ALL)
def test_controllers_go_on_as_if_the_step_had_not_been(name):
    """Integrals, setpoints and moving targets begin with the first step whose joint is known."""
    kind = be.Actuator(motor(inductance=1e-3), be.Supply(voltage=BUS), controller=ALL[name], slew=20.0)
    step, q = kind.compile("numpy"), np.array([0.2, 0.3])
    bad = np.array([math.nan, 0.3])
    lost, _ = step(step.initial(2), np.ones(2), bad, 0.1 * q, DT)
    lost, out = step(lost, np.ones(2), q, 0.1 * q, DT)
    _, alone = step(step.initial(2), np.ones(2), q, 0.1 * q, DT)
    assert np.isfinite(out.torque).all() and out.torque[0] == alone.torque[0]


@pytest.mark.parametrize(("unknown", "held"), [("velocity", 1.5), ("position", 1.0)])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_command_under_way_holds_a_joint_that_was_not_known(engine, unknown, held):
    """Without command and joint in one step, a delayed joint later holds where it was, else where it began; not 0."""
    options, make = ENGINES[engine]
    kind = be.Actuator(motor(), be.Supply(voltage=BUS), controller=be.PositionPid(kp=2.0), delay=be.Delay(steps=(2, 2)))
    step, torques = kind.compile(engine, **options), []
    state = step.initial(2)
    with jax.enable_x64(True):
        for k in range(5):
            command = np.full(2, 1.5)
            joint = {"position": np.full(2, 1.0 if k == 0 else 1.5), "velocity": np.zeros(2)}
            if k == 2:
                command[:] = math.nan, held
                joint[unknown][0] = math.nan
            state, out = step(state, make(command), make(joint["position"]), make(joint["velocity"]), DT)
            torques.append(np.asarray(out.torque))
    # what was sent in step 2 arrives in step 4, when the joint is at 1.5 rad
    assert torques[4][0] == torques[4][1] and (torques[4][0] == 0.0) == (held == 1.5)


def test_gradients_stay_finite():
    """A motor that takes no part adds nothing to a gradient, in JAX and in PyTorch."""
    state, command, values = poison(INPUTS["one node"], "joint_velocity", math.nan)
    kind, laws = STRUCTURES["one node"], be.actuator.compiled.laws

    def loss(engine, state, command, values):
        joint = [values[key] for key in ("joint_position", "joint_velocity", "dt", "load_torque", "load_inertia")]
        _, out = laws(engine).held(kind_of[engine], state, command, *joint)
        return (out.torque * out.torque).sum()

    kind_of = {"jax": kind, "torch": tensors(kind)}
    with jax.enable_x64(True):
        slope = np.asarray(jax.grad(lambda x: loss("jax", state, x, values))(jax.numpy.asarray(command)))
    leaf = torch.tensor(command, requires_grad=True)
    loss("torch", tensors(state), leaf, {key: torch.as_tensor(x) for key, x in values.items()}).backward()
    for found in (slope, leaf.grad.numpy()):
        assert np.isfinite(found).all() and found[BAD] == 0.0 and np.abs(found).max() > 0.0
    np.testing.assert_allclose(slope, leaf.grad.numpy(), rtol=1e-9)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None, True, 1j], ids=repr)
@pytest.mark.parametrize("name", NAMES)
def test_a_plain_number_is_refused(name, value):
    """One motor, or one number for all: the sentence names the input and the value."""
    if value is None and name.startswith("load"):
        return
    for engine in ("python", "numpy", "jax", "native"):
        step = MOTOR.compile(engine)
        given = dict.fromkeys(("joint_position", "joint_velocity", "load_torque"), 0.1) | {"load_inertia": 1.0}
        given |= {"dt": 1e-3, name: value}
        shape = () if engine == "python" else 2
        refusal(lambda step=step, given=given, shape=shape: step(step.initial(shape), 1.0, **given), f"{name} = ")


@pytest.mark.parametrize(
    "wrong",
    [
        {"command": math.nan},
        {"joint_position": math.inf},
        {"joint_velocity": math.nan},
        {"dt": -1e-3},
        {"load_torque": math.nan},
        {"load_inertia": -1.0},
        {"load_damping": math.inf},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_plain_number_is_refused_after_a_good_step(wrong):
    """Each step is looked over, however many like it went before."""
    step = MOTOR.compile("python")
    given = {"command": 1.0, "joint_position": 0.1, "joint_velocity": 0.1, "dt": 1e-3, "load_inertia": 1.0}
    state = step.initial()
    for _ in range(2):
        state, _ = step.coupled(state, **given)
    name, value = next(iter(wrong.items()))
    refusal(lambda: step.coupled(state, **(given | wrong)), f"{name} = {value}")


@pytest.mark.parametrize("dt", [np.float32(-1.0), np.array(0.0), np.float64(math.nan), np.array([1e-3, -1.0])], ids=str)
def test_a_step_of_numpy_is_read(dt):
    """Every kind of number that can be read now."""
    step = MOTOR.compile("numpy")
    q = np.zeros(2)
    refusal(lambda: step(step.initial(2), q, q, q, dt), "dt = ", "must be a positive number of seconds")
    step(step.initial(2), q, q, q, np.array([1e-3, 2e-3]))
    refusal(lambda: step.initial(2, dt=dt), "dt = ", "must be a positive number of seconds")
