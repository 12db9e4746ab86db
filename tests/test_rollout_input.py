"""What a rollout is given: each thing that does not fit is one sentence, before anything is compiled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import backemf as be

MOTOR = be.Motor(
    winding=be.Winding(resistance=1.2, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-5),
    thermal=be.Thermal(resistance=3.0, capacitance=0.5),
)
GEARED = replace(MOTOR, gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0),), backlash=0.02))
BRISTLES = replace(MOTOR, friction=be.Dahl(coulomb=1e-3, stiffness=1.0))
LATE = be.Actuator(MOTOR, delay=be.Delay(seconds=4e-3))
INERTIA, TWO = be.Inertia(inertia=1e-3), be.TwoMass(inertia=1e-3, far_inertia=1e-3, stiffness=3.0)
MOVED = be.PrescribedMotion(time=[0.0, 1.0], position=[0.0, 1.0])
BEGIN = be.rest(be.Actuator(MOTOR), INERTIA)
WRONG = {
    "no actuator": ({"actuator": "maxon"}, r"rollout\(str\): the first argument must be a Motor or an Actuator"),
    "no load": ({"load": None}, r"load = None: must be one of the loads"),
    "a class as load": ({"load": be.Inertia}, r"load = <class .*: must be one of the loads"),
    "nothing to move": (
        {"actuator": replace(MOTOR, rotor=None), "load": be.ConstantTorque(torque=1.0)},
        "nothing has inertia",
    ),
    "no step": ({"dt": 0.0}, r"dt = 0\.0: must be a positive number of seconds"),
    "time backwards": ({"dt": -1e-3}, r"dt = -0\.001: must be a positive"),
    "an endless step": ({"dt": float("inf")}, r"dt = inf: must be a positive"),
    "a step in words": ({"dt": "1 ms"}, r"dt = '1 ms': must be a positive"),
    "no commands": ({"commands": None}, r"commands = None: must be an array with one value or row per step"),
    "a word": ({"commands": "full"}, r"commands = 'full': must be an array"),
    "a signal": (
        {"commands": be.commands.Sine(amplitude=1.0, frequency=1.0)},
        r"commands = Sine\(.*: must be an array",
    ),
    "complex": ({"commands": np.ones(3, complex)}, r"commands = array\(.*: must be an array"),
    "ragged": ({"commands": [[1.0, 2.0], [3.0]]}, r"commands = \[\[1.0, 2.0\], \[3.0\]\]: must be an array"),
    "one number": ({"commands": 1.0}, "command none: give one row per step"),
    "no rows": ({"commands": np.zeros((0, 4))}, "command 0: give one row per step"),
    "rows of two lengths": (
        {"commands": be.Command(voltage=np.ones(3), enable=np.ones(2))},
        "voltage 3, enable 2: give one row per step to each",
    ),
    "shapes that do not fit": (
        {"commands": np.ones((3, 4)), "position": np.zeros(3)},
        r"\(4,\), \(3,\), .* fit no batch",
    ),
    "no position": ({"position": None}, "position = None: must be a finite number"),
    "a position in words": ({"position": "left"}, "position = 'left': must be a finite number"),
    "a speed that is none": ({"velocity": float("nan")}, "velocity = nan: must be a finite number"),
    "states that are none": ({"initial": 60.0}, r"initial = 60\.0: must be a dict"),
    "a state in words": ({"initial": {"winding_rise": "hot"}}, "winding_rise = 'hot': must be a finite number"),
    "a state it has not": ({"initial": {"gap": 0.0}}, "this actuator has no such state"),
    "too cold": ({"initial": {"winding_rise": -1e4}}, "so cold a winding has no resistance"),
    "beyond the backlash": ({"actuator": GEARED, "initial": {"gap": 1.0}}, "must be within half the backlash"),
    "a locked rotor that turns": ({"load": be.LockedRotor(), "velocity": 1.0}, "a locked rotor stands still"),
    "a start beside the table": ({"load": MOVED, "position": 1.0}, "starts where its table does"),
    "no start": ({"start": 3}, "start = 3: must be a Here"),
    "two starts": ({"start": BEGIN, "velocity": 1.0}, "leave position, velocity and initial out"),
    "another motor's start": ({"actuator": BRISTLES, "start": BEGIN}, "start has no bristle: it is where another"),
    "another load's start": ({"load": TWO, "start": BEGIN}, "start has no far_position, far_velocity"),
    "a start for longer steps": (
        {"actuator": LATE, "start": be.rest(LATE, INERTIA, dt=1e-3), "dt": 1e-4},
        "is longer than the 5 frames of this state",
    ),
    "a start for fewer motors": (
        {"actuator": replace(MOTOR, thermal=None), "start": BEGIN, "commands": np.ones((3, 4))},
        r"start is made for the batch \(\), commands and numbers are of \(4,\): make it with rest",
    ),
    "nothing to observe with": ({"observe": 3}, "observe = 3: must be a function, names of channels, or None"),
    "parts of a record": ({"every": 2}, "every = 2: 3 steps are not whole records"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_one_sentence(case):
    """Neither a number out of nonsense nor an error from inside a library."""
    wrong, said = WRONG[case]
    given = {"actuator": MOTOR, "load": INERTIA, "commands": np.ones(3), "dt": 1e-3} | wrong
    with pytest.raises(be.ParameterError, match=said):
        be.rollout(**given)


def test_slopes_are_asked_for_by_name():
    """`by` holds names, and the rest is looked at as for a rollout."""
    pytest.importorskip("warp")
    told = np.ones(3)
    with pytest.raises(be.ParameterError, match=r"by = 3: must be names of numbers"):
        be.rollout_slopes(MOTOR, INERTIA, told, 1e-3, 3, observe=("position",))
    with pytest.raises(be.ParameterError, match=r"dt = 0\.0: must be a positive"):
        be.rollout_slopes(MOTOR, INERTIA, told, 0.0, "load.inertia", observe=("position",))


def test_a_joint_that_is_moved_far_keeps_its_speed_in_float32():
    """3 rad/s on from 1000 rad in steps of 0.3 mrad, of which float32 knows 0.06 there: the speed is exact."""
    jax = pytest.importorskip("jax")
    load = be.PrescribedMotion(time=[0.0, 1.0], position=[1000.0, 1003.0])
    with jax.enable_x64(False):
        _, seen = be.rollout(MOTOR, load, np.full(20, 5.0), 1e-4, observe=("velocity",))
    np.testing.assert_allclose(np.asarray(seen["velocity"]), 3.0, rtol=2e-7)
    run = be.simulate(MOTOR, load, 5.0, 2e-3, 1e-4, engine="jax", precision="float32")
    np.testing.assert_allclose(run["velocity"], 3.0, rtol=2e-7)


def test_one_command_for_motors_with_numbers_of_their_own():
    """A batch that only the numbers of motor and load say: what `simulate` gives for each."""
    ohms, mass = np.array([1.0, 2.0, 4.0]), np.array([[1e-3], [2e-3]])
    motor, load = replace(MOTOR, winding=be.Winding(resistance=ohms)), be.Inertia(inertia=mass)
    _, seen = be.rollout(motor, load, np.full(5, 6.0), 1e-3, observe=("velocity",))
    run = be.simulate(motor, load, 6.0, 5e-3, 1e-3, engine="numpy")
    assert seen["velocity"].shape == (5, 2, 3)
    np.testing.assert_allclose(np.asarray(seen["velocity"]), run["velocity"], rtol=1e-5)
