"""Motors as a C function: what its tables hold, called by its address and from Python, beside NumPy."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_bad_input import refusal
from test_native import KNEE, LATE, LEARNED, MOTOR

import backemf as be

DT, STEPS = 1e-3, 60
LOAD = be.Inertia(inertia=1e-3)
KINDS = {
    "controller": KNEE,
    "delay": LATE,
    "volts": be.Actuator(MOTOR),
    "a resistance for each": be.Actuator(
        replace(MOTOR, winding=replace(MOTOR.winding, resistance=np.linspace(1.0, 2.0, 12)))
    ),
}


def function_at(place: int) -> Any:
    """The declared function, as a C program would call it."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 6)(place)


def swing(count: int) -> np.ndarray:
    """A command for each step and motor."""
    return 0.5 * np.sin(0.05 * np.arange(STEPS))[:, None] * np.linspace(0.5, 1.0, count)


def near(found: np.ndarray, expected: np.ndarray) -> None:
    assert np.abs(found - expected).max() <= 1e-12 * max(np.abs(expected).max(), 1e-9)


@pytest.mark.parametrize("count", [1, 3, 12, 33])
@pytest.mark.parametrize("kind", KINDS)
def test_steps_with_a_load_are_those_of_a_run(kind, count):
    """Every step of `simulate` on NumPy, in two calls, the second of which goes on where the first ended."""
    if kind == "a resistance for each" and count != 12:
        count = 12
    names = ("position", "torque", "current", "winding_temperature", "limit")
    function, state = be.c_function(KINDS[kind], DT, count=count, load=LOAD, outputs=names, seed=3)
    assert function.input_names == ("command",) and function.output_names == names
    command = swing(count)
    middle, first = function(state, command[None, :25])
    after, last = function(middle, command[None, 25:])
    run = be.simulate(KINDS[kind], LOAD, command, STEPS * DT, DT, engine="numpy", seed=3)
    for k, name in enumerate(names):
        near(np.concatenate([first[k], last[k]]), run[name])
    near(after[function.state_names.index("joint_position")], run["position"][-1])
    assert (after[-1] == 0.0).all()


@pytest.mark.parametrize("count", [1, 5, 16])
@pytest.mark.parametrize("known", [False, True], ids=["joint alone", "load said"])
def test_steps_of_a_joint_that_the_caller_moves(known, count):
    """Those of `compile("numpy")`, with targets of their own for position and effort."""
    actuator = replace(LATE, controller=be.IdealPd(stiffness=20.0, damping=0.5))
    names, rng = ("torque", "torque_slope", "current", "limit"), np.random.default_rng(count)
    function, state = be.c_function(
        actuator, DT, count=count, load_is_known=known, commands=("position", "effort"), outputs=names, seed=3
    )
    joint = ("joint_position", "joint_velocity", *(("load_torque", "load_inertia") if known else ()))
    assert function.input_names == ("position_command", "effort_command", *joint)
    inputs = 0.1 * rng.normal(size=(len(function.input_names), 7, count))
    if known:
        inputs[-1] = 1e-3
    _, out = function(state, inputs)
    step = actuator.compile("numpy")
    here = step.initial(count, seed=3)
    for k in range(7):
        position, effort, *rest = inputs[:, k]
        given = dict(zip(joint, rest, strict=True))
        here, expected = step(here, be.Command(position=position, effort=effort), dt=DT, **given)
        for row, name in zip(out[:, k], names, strict=True):
            near(row, getattr(expected, name))


def test_other_programs_call_it_by_its_address():
    """By the declared types, from eight threads at once, into memory of their own."""
    function, state = be.c_function(KNEE, DT, count=12, load=LOAD, outputs=("torque", "position"))
    assert function.declaration.startswith("int32_t motors(int64_t count, int64_t steps, const double *parameters")
    expected, seen = function(state, swing(12)[None])
    call = function_at(function.address)

    def run(_: int) -> tuple[int, np.ndarray, np.ndarray]:
        after, out, given = np.empty_like(state), np.empty((2, STEPS, 12)), swing(12)
        memory = (function.parameters, function.own, state, after, given, out)
        return call(12, STEPS, *(array.ctypes.data for array in memory)), after, out

    with ThreadPoolExecutor(8) as pool:
        for code, after, out in pool.map(run, range(32)):
            assert code == 0 and np.array_equal(after, expected) and np.array_equal(out, seen)


def test_a_call_may_have_more_motors_but_not_fewer():
    """The same code steps 40 motors; for 2, and without a step, it says 1 and writes nothing."""
    function, state = be.c_function(KNEE, DT, count=8, load=LOAD)
    call = function_at(function.address)
    wide, given = np.repeat(state[:, :1], 40, axis=1), np.repeat(swing(1), 40, axis=1)
    after, out = np.full_like(wide, 7.0), np.full((1, STEPS, 40), 7.0)
    places = [x.ctypes.data for x in (function.parameters, function.own, wide, after, given, out)]
    assert function.least <= 8
    assert call(function.least - 1, STEPS, *places) == 1 and call(40, 0, *places) == 1
    assert (out == 7.0).all() and (after == 7.0).all()
    assert call(40, STEPS, *places) == 0
    alone, start = be.c_function(KNEE, DT, load=LOAD)
    near(out, np.repeat(alone(start, swing(1)[None])[1], 40, axis=2))


def test_what_is_not_finite_is_said():
    """The last row of the states, for the motor that it happened to."""
    function, state = be.c_function(be.Actuator(MOTOR), DT, count=3, load=LOAD)
    assert function.state_names[-1] == "finite"
    state[function.state_names.index("current"), 1] = np.inf
    after, out = function(state, np.ones((1, 4, 3)))
    assert np.array_equal(np.isnan(after[-1]), [False, True, False])
    assert np.isfinite(out[0][:, [0, 2]]).all()


def test_what_makes_no_sense_is_one_sentence():
    """The argument, its value and what to do."""
    make = be.c_function
    refusal(lambda: make(KNEE, DT, outputs=("torqe",)), "outputs: no output 'torqe'", "nearest is 'torque'")
    refusal(lambda: make(KNEE, DT, load=LOAD, outputs=("joint_position",)), "no output 'joint_position'", "'position'")
    refusal(lambda: make(KNEE, DT, commands=("voltage",)), "voltage")
    refusal(lambda: make(KNEE, DT, commands="angle"), "no target 'angle'", "position, velocity")
    refusal(lambda: make(KNEE, DT, count=0), "count = 0")
    refusal(lambda: make(KINDS["a resistance for each"], DT, count=5, load=LOAD), "resistance", "(12,)", "count = 5")
    refusal(lambda: make(KNEE, DT, velocity=1.0), "without load they are inputs")
    two: Any = np.full(2, DT)
    refusal(lambda: make(KNEE, two), "dt has the shape (2,)")
    refusal(lambda: make(KNEE, -DT), "dt = -0.001")
    refusal(lambda: make(KNEE, DT, load=LOAD, load_is_known=True), "load_is_known")
    refusal(
        lambda: make(KNEE, DT, load=be.PrescribedMotion(time=np.arange(2.0), position=np.arange(2.0))), "leave load out"
    )
    refusal(lambda: make(KNEE, DT, initial={"housing_rise": 3.0}, load=LOAD), "housing_rise")
    refusal(lambda: make(replace(KNEE, supply=be.Supply(voltage=24.0, shared=True)), DT), "Supply.shared")
    refusal(lambda: make(LEARNED, DT), "networks")
    function, state = make(KNEE, DT, count=3, load=LOAD)
    refusal(lambda: function(state[:, :2], np.ones((1, 4, 3))), "state has the shape (8, 2)", "c_function")
    refusal(lambda: function(state, np.ones((4, 3))), "inputs has the shape (4, 3)", "(1, steps, 3), for command")
    refusal(lambda: function(state, np.ones((1, 0, 3))), "inputs has the shape (1, 0, 3)")
