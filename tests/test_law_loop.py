"""Laws of simulators along a motion: machine code gives the numbers of the steps in Python."""

import sys

import numpy as np
import pytest

import backemf as be
from backemf.sims import law_loop
from backemf.sims.law_loop import AlongMotion, NumpySymbol, step_along
from backemf.sims.on_joint import ActuatorLaw, OnJoint
from backemf.transfer import exported
from backemf.transfer.exported import export
from backemf.transfer.targets import NAMES

STEPS = np.arange(200)
MOTION = 0.3 * np.sin(0.05 * STEPS), 15.0 * np.cos(0.05 * STEPS) * (STEPS % 40 > 5)
PD = be.IdealPd(stiffness=40.0, damping=1.0)


def along(law, **commands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The torque by machine code and by Python."""
    found = AlongMotion(law)
    assert found.loop(tuple(commands)) is not None
    return found.torque(commands, *MOTION, 2e-3), step_along(law, commands, *MOTION, 2e-3)


@pytest.mark.parametrize("name", NAMES)
def test_every_simulator_is_compared_in_machine_code(name, monkeypatch):
    """No episode of the reference duty is stepped in Python, whose 14,000 steps take seconds."""
    monkeypatch.setattr(law_loop, "step_along", None)
    assert len(export("maxon-re40-148877", name, "/joint" if name in ("newton", "physx") else "joint").errors) == 5


@pytest.mark.parametrize("name", NAMES)
def test_the_errors_are_those_of_steps_in_python(name, monkeypatch):
    """The table that is printed is the same, digit by digit."""
    motor = be.load("maxon-re40-gp52c").motor
    monkeypatch.setattr("backemf.transfer.duty.HEAT_STEP", 5.0)
    joint = "/joint" if name in ("newton", "physx") else "joint"
    fast = export(motor, name, joint).errors
    monkeypatch.setattr(AlongMotion, "loop", lambda *_: None)
    slow = export(motor, name, joint).errors
    for one, other in zip(fast, slow, strict=True):
        assert one.rms == pytest.approx(other.rms, rel=1e-9, abs=1e-12) and one.where == other.where
        assert one.worst == pytest.approx(other.worst, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "actuator",
    [
        be.Actuator(controller=PD, limits=be.EffortLimit(effort_limit=20.0)),
        be.Actuator(controller=PD, delay=be.Delay(steps=3), slew=5.0),
        be.Actuator(controller=be.TorquePid(kp=40.0, ki=3.0, kd=1.0, integral_limit=0.5)),
        be.Actuator(
            be.load("maxon-re40-148877").motor, be.Supply(voltage=24.0, resistance=0.1), controller=be.Torque()
        ),
    ],
)
def test_an_actuator_remembers_in_machine_code_what_it_remembers_in_python(actuator):
    """Delay lines, integrals, slew and heat; with a joint that rubs and sticks."""
    on = OnJoint(actuator=actuator, coulomb=0.1, stiction=0.2, viscous=0.01)
    wanted = 0.2 * np.sin(0.03 * STEPS)
    names = actuator.controller.inputs
    fast, slow = along(ActuatorLaw(on, True, "python"), **dict.fromkeys(names, wanted))
    assert np.abs(slow).max() > 0.01 and np.allclose(fast, slow, rtol=1e-12, atol=1e-15)


def test_a_law_that_looks_at_values_is_stepped_in_python():
    """It cannot be traced: `if` on a symbol is refused, and the steps give the torque all the same."""

    class Switch:
        def initial(self, shape=()):
            return np.zeros(shape)

        def step(self, state, command, position, velocity, dt):
            return state + dt, (1.0 if velocity > 0.0 else -1.0) * command.effort

    found = AlongMotion(Switch())
    assert found.loop(("effort",)) is None
    torque = found.torque({"effort": np.full(len(STEPS), 2.0)}, *MOTION, 1e-3)
    assert np.array_equal(torque, np.where(MOTION[1] > 0.0, 2.0, -2.0))


def test_a_law_that_remembers_more_and_more_is_stepped_in_python():
    """MuJoCo's history of commands grows at first."""

    class Growing:
        def initial(self, shape=()):
            return ()

        def step(self, state, command, position, velocity, dt):
            return (*state, command.effort), sum(state) + 0.0 * velocity

    found = AlongMotion(Growing())
    assert found.loop(("effort",)) is None
    assert found.torque({"effort": np.ones(len(STEPS))}, *MOTION, 1e-3)[-1] == len(STEPS) - 1


def test_bad_input_is_said_as_in_a_step():
    """The first step is one in Python, with all its checks."""
    law = ActuatorLaw(OnJoint(actuator=be.Actuator(controller=PD)))
    with pytest.raises(be.ParameterError, match="voltage"):
        AlongMotion(law).torque({"voltage": np.zeros(len(STEPS))}, *MOTION, 1e-3)


def test_numpys_functions_work_on_symbols():
    """Arithmetic with NumPy's numbers, choices and tables; what has no meaning for one number is refused."""
    from backemf.engines.tracing import FLOAT, Program

    program = Program(NumpySymbol)
    x = program.load("x", FLOAT)
    assert np.float64(2.0) * x is x * 2.0 and np.where(x > 1.0, np.float64(3.0), x).op == "where"
    assert np.interp(x, np.array([0.0, 1.0]), np.array([2.0, 3.0])).op == "where"
    assert np.abs(x).op == "abs" and np.maximum(x, np.array(1.0)).op == "max"
    for call in (lambda: np.add.reduce(x), lambda: np.fft.fft(x), lambda: np.clip(x, 0.0, 1.0, out=np.zeros(1))):
        with pytest.raises(TypeError):
            call()


def test_comparing_needs_no_jax():
    """Only what compiles for gradients and GPUs loads it; here the module is not even there."""
    import subprocess

    program = (
        "import sys; sys.modules['jax'] = None; from backemf.transfer import export; "
        "assert len(export('maxon-re40-148877', 'mjlab').errors) == 5"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_progress_of_a_comparison_is_told():
    """Every step of the reference duty, once."""
    done: list[int] = []
    export("maxon-re40-148877", "mjlab", advance=done.append)
    episodes = exported.reference_duty(
        exported.scale_of(exported.complete_actuator(be.load("maxon-re40-148877"))), 2e-3
    )
    assert sum(done) == sum(len(each.velocity) for each in episodes)


def test_a_run_writes_nothing_beyond_its_rows(monkeypatch):
    """Motors and laws share the machine code of a run: what it leaves is as long as it says, and has that much room."""
    law = ActuatorLaw(OnJoint(actuator=be.Actuator(controller=PD, delay=be.Delay(steps=3))), True, "python")
    loop = AlongMotion(law).loop(PD.inputs)
    rows = loop._traces.rows_after_a_run
    given, after, out = np.zeros(rows), np.full(rows + 16, 7.25), np.empty(1)
    others = [np.zeros(64) for _ in range(2 + len(loop._traces.inputs))]
    memories = [x.ctypes.data for x in (*others[:2], given, after, out, *others[2:])]
    loop._function(1, 0, 1, 1, 1, 1, *memories)
    assert (after[rows:] == 7.25).all() and after[rows - 1] == 0.0
    room, address = [], law_loop.address
    monkeypatch.setattr(law_loop, "address", lambda array: room.append(array.size) or address(array))
    loop.run(law.initial(()), dict.fromkeys(PD.inputs, 0.0 * STEPS), *MOTION, 2e-3)
    assert room[3] == rows
