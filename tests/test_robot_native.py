"""A robot in machine code: every group beside NumPy, the joints of a robot on one supply, and what cannot be."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from learned_networks import perceptron
from test_robot import DT, JOINTS, KNEE, THIGH, hip, inputs, robot

import backemf as be
from backemf.errors import ParameterError
from backemf.physics.state import OUTPUTS, STATES

BUS = be.Supply(voltage=24.0, resistance=0.15, shared=True)
SAGGING = replace(hip(), supply=BUS, delay=None)
LIMITED = replace(
    SAGGING, motor=replace(SAGGING.motor, limits=be.Limits(peak_current=3.0)), supply=replace(BUS, regeneration=False)
)


def close(ours, reference, name: str) -> None:
    """Equal to 1e-12 of the largest number, in shape and kind."""
    assert (ours is None) == (reference is None), name
    if ours is None:
        return
    ours, reference = np.asarray(ours), np.asarray(reference)
    assert ours.shape == reference.shape and ours.dtype == reference.dtype, name
    a, b = ours.astype(float), reference.astype(float)
    assert np.array_equal(np.isnan(a), np.isnan(b)), name
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    assert np.abs(a - b).max(initial=0.0) <= 1e-12 * max(np.abs(b).max(initial=0.0), 1e-9), name


def compare(built: be.ActuatorSet, shape=(4,), coupled=False, command=lambda x: x, steps=20) -> None:
    """Run a robot on both engines; every state and output must agree in every step."""
    native, numpy = built.compile("native"), built.compile("numpy")
    ours, theirs = native.initial(shape, seed=3), numpy.initial(shape, seed=3)
    for k in range(steps):
        given = inputs((*shape, len(built)), k)
        told, where = command(given[0]), given[1:]
        if coupled:
            load = {"load_torque": 0.1 * given[1], "load_inertia": 0.02, "load_damping": 0.01}
            ours, out = native.coupled(ours, told, *where, DT, **load)
            theirs, expected = numpy.coupled(theirs, told, *where, DT, **load)
        else:
            (ours, out), (theirs, expected) = native(ours, told, *where, DT), numpy(theirs, told, *where, DT)
        for name in OUTPUTS:
            of = "electrical_power" if name in ("numerical_power", "conversion_power") else name
            if of == name or getattr(expected, name) is None:
                close(getattr(out, name), getattr(expected, name), name)
            else:
                # what is left over of all powers is rounded like them
                size = np.nanmax(np.abs(getattr(expected, of)))
                assert np.nanmax(np.abs(getattr(out, name) - getattr(expected, name))) <= 1e-11 * size, name
        for group, reference in zip(ours, theirs, strict=True):
            for name in STATES:
                close(getattr(group, name), getattr(reference, name), name)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3)])
@pytest.mark.parametrize("coupled", [False, True])
def test_a_robot_of_three_kinds_is_that_of_numpy(shape, coupled):
    """Delays, integrals, joints without a motor and current loops, in the order of the joints."""
    compare(robot(), shape, coupled)


def test_each_controller_gets_its_part_of_a_command():
    """Targets and switches go to the joints that take them."""
    built = be.ActuatorSet(JOINTS, {".*_hip": replace(hip(), delay=None), ".*_thigh": THIGH, ".*_knee": KNEE})
    off = np.where(np.arange(12) % 5 == 0, 0.0, 1.0)
    compare(built, command=lambda x: be.Command(position=x, velocity=0.5 * x, effort=0.1 * x, enable=off))


def test_some_outputs_of_a_robot():
    """What is asked for is there, with the same numbers, and nothing else; a coupled step says where the joints are."""
    given, load = inputs((4, 12)), {"load_torque": 0.0, "load_inertia": 0.02}
    every, some = robot().compile("native"), robot().compile("native", telemetry=("current", "limit"))
    expected, found = (step(step.initial((4,)), *given, DT)[1] for step in (every, some))
    assert {name for name in OUTPUTS if getattr(found, name) is not None} == {"current", "limit"}
    close(found.current, expected.current, "current")
    close(found.limit, expected.limit, "limit")
    expected, found = (step.coupled(step.initial((4,)), *given, DT, **load)[1] for step in (every, some))
    close(found.joint_velocity, expected.joint_velocity, "joint_velocity")
    assert found.torque is None and found.joint_position is not None


def test_numbers_that_differ_from_robot_to_robot():
    """Randomised parameters keep their places."""
    compare(robot().randomize({"winding.resistance": be.random.Scale(0.5, 2.0)}, 4, seed=1))


@pytest.mark.parametrize("actuator", [SAGGING, LIMITED])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3)])
@pytest.mark.parametrize("coupled", [False, True])
def test_joints_on_one_supply_pull_it_down_together(actuator, shape, coupled):
    """The bus of each robot is that of all its joints, and of no other robot's."""
    compare(be.ActuatorSet(JOINTS[:5], {".*": actuator}), shape, coupled, lambda x: 3.0 * x)


def test_a_bus_of_many_robots_on_several_processors(monkeypatch):
    """However robots are split, the joints of one stay together."""
    from backemf.engines import machine_code

    monkeypatch.setattr(machine_code, "WORTH_A_THREAD", 5)
    monkeypatch.setattr(machine_code, "processors", lambda: set(range(7)))
    compare(be.ActuatorSet(JOINTS[:5], {".*": SAGGING}), (101,), steps=3)


def test_motors_of_one_actuator_on_one_supply():
    """A batch of one kind of actuator, too, shares a supply along its last axis."""
    native, numpy = SAGGING.compile("native"), SAGGING.compile("numpy")
    given = inputs((3, 4))
    found, expected = (step(step.initial((3, 4)), *given, DT)[1] for step in (native, numpy))
    close(found.bus_voltage, expected.bus_voltage, "bus_voltage")
    close(found.torque, expected.torque, "torque")
    assert (expected.bus_voltage.min() < 23.5) and np.ptp(expected.bus_voltage) > 0.01


def test_a_reset_of_some_robots():
    """A mask of robots, and one of joints, as on NumPy."""
    native, numpy = robot().compile("native"), robot().compile("numpy")
    for mask in (np.array([True, False, True]), np.arange(36).reshape(3, 12) % 4 == 0):
        ours, theirs = native.initial((3,)), numpy.initial((3,))
        for k in range(3):
            given = inputs((3, 12), k)
            ours, theirs = native(ours, *given, DT)[0], numpy(theirs, *given, DT)[0]
        for group, reference in zip(native.reset(ours, mask), numpy.reset(theirs, mask), strict=True):
            for name in STATES:
                close(getattr(group, name), getattr(reference, name), name)


def test_a_compiled_robot_travels():
    """A copy in another process compiles its code anew; here it gives the same torque."""
    step = robot().compile("native")
    again = pickle.loads(pickle.dumps(step))
    given = inputs((4, 12))
    first, second = (each(each.initial((4,)), *given, DT)[1].torque for each in (step, again))
    assert np.array_equal(first, second) and repr(step) == "CompiledSet(native, 12 joints in 3 groups)"


def test_robots_that_cannot_be_machine_code_are_one_sentence():
    """A network, and more motors on one supply than a vector holds, name the engines that run them."""
    learned = be.Actuator(controller=be.learned.LearnedMlp(network=perceptron((2, 4, 1)), history=1))
    with pytest.raises(ParameterError, match="LearnedMlp: the native engine runs no learned networks, take jax"):
        be.ActuatorSet(["a", "b"], {"a": learned, "b": THIGH}).compile("native")
    many = be.ActuatorSet([f"j{k}" for k in range(65)], {".*": SAGGING}).compile("native")
    with pytest.raises(ParameterError, match=r"at most 64 motors on one supply, and here are 65: take jax"):
        many(many.initial(), *inputs((65,)), DT)
