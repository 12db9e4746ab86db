"""PyTorch in float64: every part within 1e-12 of NumPy, whether its parameters are plain numbers, arrays or both."""

from dataclasses import fields

import numpy as np
import pytest
from test_engines import DT, INPUTS, STRUCTURES, N, as_arrays, call, scale, single, tensors

import backemf as be
from backemf.actuator.compiled import laws
from backemf.engines import load
from backemf.tree import map_numbers

torch = pytest.importorskip("torch")
ops = load("torch").ops

LIMITS = {
    "DcClip": be.DcClip(saturation_effort=1.1, velocity_limit=13.0, effort_limit=0.7),
    "EffortLimit": be.EffortLimit(effort_limit=0.7),
    "EffortRange": be.EffortRange(lowest=-0.7, highest=0.3),
    "DriveEnvelope": be.DriveEnvelope(
        max_effort=0.9, max_actuator_velocity=7.0, velocity_dependent_resistance=0.07, speed_effort_gradient=1.3
    ),
    "KneeCurve": be.KneeCurve(driving_effort=0.7, braking_effort=0.9, knee_speed=1.1, no_load_speed=3.3),
    "KneeCurve.unitree": be.KneeCurve.unitree(x1=1.1, x2=3.3, y1=0.7, y2=0.9),
    "TorqueSpeedTable": be.TorqueSpeedTable(speed=[0.0, 1.1, 3.3], driving=[0.9, 0.7, 0.1], braking=[0.9, 1.1, 1.3]),
    "AngleTable": be.AngleTable(angle=[-1.1, 0.3, 1.7], effort=[0.3, 0.9, 0.1]),
}
BARE = {f"{name}, no motor": be.Actuator(limits=limit) for name, limit in LIMITS.items()}
BARE["two limits, no motor"] = be.Actuator(limits=(LIMITS["KneeCurve"], LIMITS["EffortRange"]))
BARE["TanhFriction"] = be.Actuator(friction=be.TanhFriction(coulomb=0.1, activation_speed=0.3, viscous=0.01))
GEARS = be.Gearbox(stages=(be.Stage(ratio=-3.3, efficiency=0.7, back_efficiency=0.3),))
MOTOR = be.Motor(
    winding=be.Winding(resistance=1.3),
    magnet=be.Magnet(torque_constant=0.03, back_emf_constant=0.03),
    rotor=be.Rotor(inertia=1.1e-5),
    gearbox=GEARS,
)
DRIVEN = {f"{name}, motor": be.Actuator(MOTOR, limits=limit) for name, limit in LIMITS.items()}


def mix_precision(name: str) -> be.Actuator:
    """A structure with every other parameter as a plain number."""
    count = iter(range(10_000))
    return map_numbers(STRUCTURES[name], lambda x: float(x[0]) if isinstance(x, np.ndarray) and next(count) % 2 else x)


def compare(kind: be.Actuator, inputs, **options) -> None:
    """Every state and output of a step in PyTorch against NumPy's."""
    expected = as_arrays(call(laws("numpy"), "held", kind, inputs))
    size = peak if kind.motor is None else scale
    step = kind.compile("torch", **options)
    state, command, position, velocity, torque, inertia = tensors(inputs)
    new, out = step(state, command, position, velocity, DT, torque, inertia)
    for prefix, part in (("new.", new), ("", out)):
        for entry in fields(part):
            value, channel = getattr(part, entry.name), prefix + entry.name
            if value is None:
                continue
            error = np.abs(np.asarray(value, dtype=float) - expected[channel]).max()
            assert error <= 1e-12 * size(channel, expected, kind, inputs), (channel, error)
            assert not isinstance(value, torch.Tensor) or value.dtype in (torch.float64, torch.uint8, torch.int16)


def peak(channel, expected, kind, inputs) -> float:
    """What rounding of a channel without a motor scales with: its largest value."""
    return max(float(np.abs(expected[channel]).max()), 1e-9)


@pytest.mark.parametrize("make", [single, mix_precision, STRUCTURES.get], ids=["plain", "mixed", "arrays"])
@pytest.mark.parametrize("name", [name for name in STRUCTURES if name != "shared supply"])
def test_motors(name, make):
    """One step of 512 random states and inputs for every structure of a motor."""
    compare(make(name), INPUTS[name], dtype=torch.float64, eager=True)


@pytest.mark.parametrize("name", BARE | DRIVEN)
def test_limits(name):
    """Every torque limit in plain numbers, with and without a motor behind it."""
    kind, inputs = (BARE | DRIVEN)[name], INPUTS["resistive"]
    state = be.State(energy=np.zeros(N)) if kind.motor is not None else be.State()
    compare(kind, (state, *inputs[1:]), dtype=torch.float64, eager=True)


@pytest.mark.long
def test_one_graph():
    """The same compiled, where plain numbers are constants of the graph."""
    compare(single("gears"), INPUTS["gears"], dtype=torch.float64)


@pytest.mark.long
def test_exponentials_near_zero_when_compiled():
    """exp(x) - 1 to seven digits wherever x is in float32, and 0 less 1 far below: what a winding gains in a step."""
    x = torch.tensor(np.concatenate([-np.logspace(-30, 3, 4096), np.logspace(-30, 1, 1024)]), dtype=torch.float32)
    found = torch.compile(ops.expm1, dynamic=False)(x).double().numpy()
    expected = np.expm1(x.double().numpy())
    assert np.abs(found / expected - 1.0).max() < 1e-6


def test_precision_of_the_inputs():
    """Without `dtype` the precision is that of the inputs, and a step in float32 stays in float32."""
    compare(single("gears"), INPUTS["gears"], eager=True)
    step = single("gears").compile("torch", eager=True)
    given = [x.to(torch.float32) for x in tensors(INPUTS["gears"][1:4])]
    new, out = step(step.initial(N), *given, DT, 0.0, 1e-3)
    for part in (new, out):
        kinds = {x.dtype for x in vars(part).values() if isinstance(x, torch.Tensor) and x.is_floating_point()}
        assert kinds == {torch.float32}
