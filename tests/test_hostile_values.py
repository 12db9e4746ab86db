"""Every field of every part under values that people hand over by mistake: one sentence, or nothing to refuse."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from test_bad_input import GOOD, LSTM, MADE_BY_RUNS, MAY_BE_NEGATIVE, MOTOR, NETWORK, refusal

import backemf as be
from backemf.checks import concrete, no_number, quote

jnp = pytest.importorskip("jax").numpy
torch = pytest.importorskip("torch")

HEAD = be.learned.Mlp(weights=(np.ones((1, 1)),), biases=(np.zeros(1),), activation="identity")
NORM = be.learned.LayerNorm(weight=np.ones(1), bias=np.zeros(1))
PARTS = [
    *GOOD,
    MOTOR,
    be.Cogging(harmonics=(be.Harmonic(amplitude=0.1, periodicity=7.0),)),
    be.Drag(coefficients=(1e-5, 1e-7)),
    be.ModeSelector(velocity=be.VelocityPi(kp=1.0)),
    be.Delay(steps=(0, 3), schedule="period", period=4, hold_probability=0.1),
    be.Delay(seconds=0.01, frames=20),
    be.Delay(steps=2.5, whole=False),
    be.TorqueSpeedTable(speed=[0.0, 1.0], driving=[1.0, 0.5], braking=[1.0, 1.0]),
    be.AngleTable(angle=[0.0, 1.0], effort=[1.0, 1.0]),
    be.PrescribedMotion(time=[0.0, 1.0], position=[0.0, 1.0]),
    be.LockedRotor(),
    be.Voltage(),
    be.commands.Samples([1.0, 2.0]),
    be.commands.Table([0.0, 1.0], [0.0, 1.0]),
    be.design.Linkage(jacobian=np.eye(2)),
    be.random.Scale(0.9, 1.1),
    be.random.LogScale(0.9, 1.1),
    be.random.Add(-0.1, 0.1),
    be.random.Uniform(0.9, 1.1),
    be.random.LogUniform(0.9, 1.1),
    be.random.Normal(1.0, 0.1),
    be.random.NormalScale(1.0, 0.1),
    replace(NETWORK, norms=(NORM,)),
    LSTM,
    be.learned.Gru(
        input_weights=(np.ones((3, 2)),), hidden_weights=(np.ones((3, 1)),), input_biases=(np.zeros(3),),
        hidden_biases=(np.zeros(3),), head=HEAD,
    ),
    be.Actuator(
        MOTOR, be.Supply(voltage=24.0), controller=be.PositionPid(kp=1.0, ki=1.0), delay=be.Delay(steps=1),
        limits=be.EffortLimit(effort_limit=1.0), command_range=(-1.0, 1.0),
    ),
    be.Actuator(friction=be.TanhFriction(coulomb=0.1)),
]  # fmt: skip
NOT_PARTS = MADE_BY_RUNS | {be.Run, be.Command, be.actuator.Draws, be.learned.Fitted, be.Estimate}
"""What engines make themselves, and what is looked over with each step rather than when it is made."""
VALUES = {
    "True": True,
    "text": "no",
    "empty text": "",
    "None": None,
    "nan": math.nan,
    "inf": math.inf,
    "-1": -1,
    "too large": -(10**400),
    "complex": 1j,
    "empty list": [],
    "object": object(),
    "NumPy True": np.True_,
    "NumPy empty": np.array([]),
    "NumPy nan": np.array([math.nan]),
    "NumPy bools": np.array([True]),
    "NumPy objects": np.array([None]),
    "JAX -1": jnp.array(-1.0),
    "JAX nan": jnp.array(math.nan),
    "JAX empty": jnp.zeros(0),
    "PyTorch -1": torch.tensor(-1.0),
    "PyTorch nan": torch.tensor(math.nan),
    "PyTorch True": torch.tensor(True),
    "PyTorch complex": torch.tensor(1j),
}
SIGNED = MAY_BE_NEGATIVE | {f"{kind}.{field}" for kind in ("Scale", "Uniform", "Add", "Normal", "NormalScale")
                            for field in ("low", "mean")}  # fmt: skip


def is_allowed(part, entry, name: str) -> bool:
    """Whether a value is as good as any in this field."""
    field = f"{type(part).__name__}.{entry.name}"
    if name == "None":
        # None stands for the number that has no effect
        return entry.default is None or entry.name in getattr(type(part), "neutral", {})
    if name == "True":
        return entry.type in ("bool", "bool | None")
    if name.endswith("-1"):
        plain = type(part).__module__.endswith("distributions")
        return field in SIGNED and (name == "-1" or not plain)
    if name in ("text", "empty text"):
        return field == "Motor.name"
    if name == "empty list":
        return field in ("Actuator.limits", "Motor.estimates", "Mlp.activation", "Mlp.norms", "Samples.values")
    # a run says how many rows a command has to have
    return field == "Samples.values" and name.endswith("empty")


def test_every_part_is_tried():
    """The list holds every public dataclass of the rooms whose parts people make."""
    rooms = ("backemf.motor.", "backemf.actuator.", "backemf.loads", "backemf.commands")
    tried = {type(part) for part in PARTS}
    for name in be.__all__:
        kind = getattr(be, name)
        if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__") and kind.__module__.startswith(rooms):
            assert kind in tried or kind in NOT_PARTS, name


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_every_field(part):
    """Refused with a sentence that names the field, where the value is not as good as any."""
    for entry in fields(part):
        for name, value in VALUES.items():
            try:
                replace(part, **{entry.name: value})
                assert is_allowed(part, entry, name), (entry.name, name)
            except be.ParameterError as error:
                assert any(word in str(error) for word in (type(part).__name__, "command")) and "\n" not in str(
                    error
                ), (entry.name, name, str(error))
                assert not is_allowed(part, entry, name) or is_needed(str(error)), (entry.name, name, str(error))


ROWS = [
    pytest.param(part, entry.name, id=f"{type(part).__name__}.{entry.name}")
    for part in PARTS
    for entry in fields(part)
    if entry.type == "tuple[Number, ...]"
]
"""Every field that holds a row of numbers."""


@pytest.mark.parametrize(("part", "field"), ROWS)
def test_every_entry_of_a_row(part, field):
    """One bad value among good ones is refused, and named."""
    row = getattr(part, field)
    for index in range(len(row)):
        for value in VALUES.values():
            bad = (*row[:index], value, *row[index + 1 :])
            refusal(lambda bad=bad: replace(part, **{field: bad}), f"{type(part).__name__}.{field}", quote(value))


def is_needed(message: str) -> bool:
    """Whether a value is refused for what stands beside it, such as None for what another field needs."""
    words = ("would never", "give either", "needs", "together", "give", "must be", "leave", "longer", "belongs")
    return any(word in message for word in words)


def test_arrays_of_every_library_are_known():
    """Values that can be read now are checked; while JAX traces there is nothing to read."""
    for array in (jnp.array([1.0, -2.0]), torch.tensor([1.0, -2.0], requires_grad=True)):
        assert np.array_equal(concrete(array), [1.0, -2.0]) and not no_number(array)
        refusal(lambda array=array: be.Rotor(inertia=array), "Rotor.inertia = -2 at index (1,)")
    import jax

    seen = jax.jit(lambda x: be.Rotor(inertia=x).inertia * 2.0)(-1.0)
    assert float(seen) == -2.0
    doubled = torch.func.vmap(lambda x: be.Rotor(inertia=x).inertia * 2.0)(torch.tensor([1.0, -1.0]))
    assert doubled.tolist() == [2.0, -2.0]


def test_a_tree_of_gradients_is_no_part():
    """The slope of a loss by a motor is a tree of numbers of any sign; only what people make is checked."""
    import jax

    be.engines.load("jax")
    slope = jax.grad(lambda rotor: -3.0 * rotor.inertia)(be.Rotor(inertia=1e-5))
    assert float(slope.inertia) == -3.0
    axes = jax.tree.map(lambda x: None, be.Motor(winding=be.Winding(resistance=1.0), magnet=MOTOR.magnet))
    assert axes.winding.resistance is None
    names = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_flatten_with_path(MOTOR.winding)[0]]
    assert names == [".resistance", ".temperature_coefficient", ".reference_temperature"]
