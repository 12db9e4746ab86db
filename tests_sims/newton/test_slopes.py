"""Derivatives of runs by some numbers, in the launch that makes the run: against differences of NumPy's runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import warp as wp
from test_rollouts import BATCH, DT, KINDS, LOADS, PENDULUM, STEPS, commands

import backemf as be
from backemf.engines.symbols import leaves, replace_numbers
from backemf.engines.tangent import tangents
from backemf.engines.tracing import FLOAT, HOST, Program, Symbol, evaluate, node
from backemf.errors import ParameterError
from backemf.parts import without_neutral
from backemf.physics import exact

SEEN = ("position", "velocity", "torque", "current", "winding_temperature")
DOUBLE = {"precision": "float64", "device": "cpu"}
BY = {
    "full": ("motor.winding.resistance", "motor.friction.coulomb", "controller.kp", "load.mass"),
    "full with ideal gear": ("motor.magnet.torque_constant", "motor.thermal.winding_capacitance", "supply.voltage"),
    "current loop": ("motor.friction.stiffness", "motor.rotor.inertia", "controller.current_bandwidth"),
    "backlash": ("motor.winding.inductance", "motor.gearbox.stages.0.ratio", "load.length"),
    "speed": ("controller.ki", "motor.gearbox.stages.0.efficiency", "supply.resistance"),
    "volts": ("motor.winding.resistance", "load.inertia"),
    "drawn delay": ("controller.kd", "motor.rotor.inertia"),
    "no motor": ("controller.stiffness", "limits.0.saturation_effort", "load.mass"),
}


def difference(actuator: be.Actuator, load, name: str, seen: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The derivative by a number from two runs of NumPy's, with that number a millionth larger and smaller."""
    own = name if name.startswith("load.") else f"actuator.{name}"
    known = leaves(actuator, "actuator") | leaves(load, "load")
    size = 1e-6 * abs(float(known[own]))
    runs = []
    for sign in (1.0, -1.0):
        parts = [
            replace_numbers(part, top, lambda key, x, sign=sign: x + sign * size if key == own else x)
            for part, top in ((actuator, "actuator"), (load, "load"))
        ]
        runs.append(be.simulate(*parts, commands(actuator), STEPS * DT, DT, engine="numpy", seed=0))
    return {name: (runs[0][name] - runs[1][name]) / (2.0 * size) for name in seen}


def agree(kind: str, actuator: be.Actuator, load, precision: str, tolerance: float) -> None:
    """Every derivative of every channel beside the difference, over its largest."""
    actuator = without_neutral(actuator)
    seen = tuple(name for name in SEEN if actuator.motor is not None or name in ("position", "velocity", "torque"))
    seen = seen if actuator.motor is not None and actuator.motor.thermal is not None else seen[:4]
    told = {"observe": seen, "precision": precision, "device": "cpu"}
    _, values, slopes = be.rollout_slopes(actuator, load, commands(actuator), DT, BY[kind], **told)
    run = be.simulate(actuator, load, commands(actuator), STEPS * DT, DT, engine="numpy", seed=0)
    for name in seen:
        peak = np.abs(run[name]).max()
        assert np.abs(values[name].numpy() - run[name]).max() <= (1e-12 if precision == "float64" else 1e-3) * peak
    assert list(slopes) == list(BY[kind])
    for number, found in slopes.items():
        for name, expected in difference(actuator, load, number, seen).items():
            # which of two limits acts may change between the two runs that are compared
            near = np.abs(found[name].numpy() - expected) <= tolerance * np.abs(expected).max() + 1e-9
            assert near.mean() > 0.98, (number, name, np.abs(found[name].numpy() - expected).max())


@pytest.mark.parametrize("kind", BY)
def test_derivatives_are_those_of_the_run(kind):
    """In float64 to what differences of runs are good for."""
    agree(kind, KINDS[kind], PENDULUM, "float64", 1e-5)


@pytest.mark.parametrize("load", ["inertia", "fan", "two masses"])
def test_derivatives_with_other_loads(load):
    kind = "full"
    actuator = KINDS[kind]
    load = LOADS[load]
    by = BY[kind][:2]
    _, _, slopes = be.rollout_slopes(actuator, load, commands(actuator), DT, by, observe=("position",), **DOUBLE)
    for number in by:
        expected = difference(without_neutral(actuator), load, number, ("position",))["position"]
        np.testing.assert_allclose(
            slopes[number]["position"].numpy(), expected, rtol=0, atol=1e-5 * abs(expected).max()
        )


@pytest.mark.parametrize("kind", ["full", "current loop"])
@pytest.mark.parametrize("substeps", [3, 7])
def test_derivatives_through_substeps(kind, substeps):
    """Written out one behind the other, and in a loop of their own."""
    agree(kind, replace(KINDS[kind], substeps=substeps), PENDULUM, "float64", 1e-5)


@pytest.mark.parametrize("kind", ["full with ideal gear", "current loop"])
def test_derivatives_in_float32(kind):
    """With the functions of single precision: to 2e-3 of the largest."""
    agree(kind, KINDS[kind], LOADS["pendulum"], "float32", 2e-3)


def test_a_number_of_its_own_for_every_motor():
    """Each motor says how it would change with its own number."""
    base = KINDS["volts"]
    ohms = np.linspace(1.0, 2.0, 6).reshape(BATCH)

    def run(ohms):
        motor = replace(base.motor, winding=replace(base.motor.winding, resistance=ohms))
        actuator = be.Actuator(motor)
        return be.rollout_slopes(
            actuator, PENDULUM, commands(actuator), DT, "motor.winding.resistance", observe=("current",), every=5,
            **DOUBLE,
        )  # fmt: skip

    here, seen, slopes = run(ohms)
    more, less = run(ohms + 1e-6)[1], run(ohms - 1e-6)[1]
    expected = (more["current"].numpy() - less["current"].numpy()) / 2e-6
    assert isinstance(slopes["motor.winding.resistance"]["current"], wp.array)
    assert here.position.shape == BATCH and seen["current"].shape == (STEPS // 5, *BATCH)
    np.testing.assert_allclose(slopes["motor.winding.resistance"]["current"].numpy(), expected, rtol=1e-6, atol=1e-8)


def test_derivatives_go_through_a_delay():
    """A range that cuts commands before they wait in the delay: its bound moves the joint later."""
    actuator = replace(KINDS["drawn delay"], command_range=(-0.2, 0.3), slew=None)
    by = ("command_range.1", "controller.kp")
    _, _, slopes = be.rollout_slopes(actuator, PENDULUM, commands(actuator), DT, by, observe=("position",), **DOUBLE)
    for number in by:
        expected = difference(actuator, PENDULUM, number, ("position",))["position"]
        assert np.abs(expected).max() > 1e-4
        found = slopes[number]["position"].numpy()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * abs(expected).max())


OPERATIONS = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "abs": 1, "exp": 1, "expm1": 1, "log2": 1, "max": 2, "min": 2,
    "pow": 2, "sin": 1, "cos": 1, "sqrt": 1, "tanh": 1, "decay": 1, "rise": 1, "rise_mean": 1,
}  # fmt: skip


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("at", [0.04, 0.7, 3.0])
def test_tangent_of_each_operation(op, at, monkeypatch):
    """Beside the difference of two values of the function, near 0 and far from it."""
    for name in ("decay", "rise", "rise_mean"):
        monkeypatch.setitem(HOST, name, getattr(exact, name))
    program = Program()
    x, y = program.load("x", FLOAT), program.load("y", FLOAT)
    given = (x * 1.0, y + 0.0)[: OPERATIONS[op]]
    value = node(op, *given, kind=FLOAT)
    (slope,) = tangents([value], {x: 1.0, y: -0.5})

    def number(symbol, off):
        return evaluated(symbol, {"x": at + off, "y": 1.3 - 0.5 * off})

    expected = (number(value, 1e-6) - number(value, -1e-6)) / 2e-6
    assert number(slope, 0.0) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def evaluated(symbol, numbers: dict[str, float]) -> float:
    """The value of a symbol, its loads as plain numbers."""
    if not isinstance(symbol, Symbol):
        return float(symbol)
    program = Program()

    def remake(x):
        if not isinstance(x, Symbol):
            return x
        if x.op == "load":
            return program.number(x.args[0])
        return program.symbol(x.op, tuple(remake(a) for a in x.args), x.kind, True)

    return float(evaluate([remake(symbol)], numbers)[0])


def test_what_is_wrong_is_said_in_a_sentence():
    """Numbers that are not there, have no effect, or are named twice."""
    actuator, told = KINDS["volts"], np.zeros((10, 4))

    def run(by, actuator=actuator):
        return be.rollout_slopes(actuator, PENDULUM, told, DT, by, observe=("position",), **DOUBLE)

    with pytest.raises(
        ParameterError, match=r"by names 'motor.friction.coulomb': there is no such number, or it has no"
    ):
        run("motor.friction.coulomb")
    with pytest.raises(ParameterError, match="by names no number"):
        run(())
    with pytest.raises(ParameterError, match=r"by names 'load.mass' twice"):
        run(("load.mass", "load.mass"))
