"""What an interactive session shows: short words, pictures, tables; and objects that can be compared and copied."""

import copy
import pickle
import subprocess
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

import backemf as be

SHEET = be.Datasheet.load("maxon-re40-gp52c")
MOTOR = SHEET.motor()
SERVO = be.Actuator(
    MOTOR, be.Supply(voltage=24.0), controller=be.PositionPid(kp=20.0, kd=0.5), delay=be.Delay(seconds=4e-3)
)


@pytest.fixture(scope="module")
def run() -> be.Run:
    return be.simulate(SERVO, be.Inertia(0.02), 1.0, 0.02, 1e-3, engine="numpy")


# --- words


def test_a_motor_is_one_line():
    """Its name, the figures one asks for first, and its parts."""
    assert repr(MOTOR) == (
        "Motor(maxon RE 40 with GP 52 C 53:1: 24 V, 317 mΩ, 30.2 mN·m/A, gear 53.08:1; "
        "rotor, heat of winding and housing, Coulomb friction, limits, ratings)"
    )


def test_a_batch_shows_the_range_of_what_differs():
    varied = replace(MOTOR, winding=replace(MOTOR.winding, resistance=np.array([0.3, 0.4])))
    assert "300 mΩ to 400 mΩ" in repr(varied)


def test_an_actuator_is_one_line():
    assert repr(SERVO) == "Actuator(PositionPid, maxon RE 40 with GP 52 C 53:1, 24 V supply, delay of 4 ms)"
    limited = be.Actuator(controller=be.IdealPd(stiffness=1.0), limits=be.EffortLimit(effort_limit=2.0), slew=3.0)
    assert repr(limited) == "Actuator(IdealPd, no motor, slew, EffortLimit)"


def test_a_sheet_is_one_line():
    assert repr(SHEET) == f"Datasheet(maxon RE 40 with GP 52 C 53:1: whole motor, {len(SHEET.figures())} figures)"


def test_a_finding_says_its_sentence(run):
    assert repr(SHEET.check()[0]) == f"Finding({SHEET.check()[0]})"
    assert repr(run.findings()[0]) == f"RunFinding({run.findings()[0]})"


def test_a_compiled_step_says_its_engine():
    assert repr(SERVO.compile("numpy")) == f"CompiledStep(numpy, {SERVO!r})"
    robot = be.ActuatorSet(["hip", "knee"], {".*": be.Actuator()})
    assert repr(robot.compile("numpy")) == "CompiledSet(numpy, 2 joints in 1 group)"


def test_words_inside_a_compiled_function():
    """A number that is not known yet must not stop a message."""
    jax = pytest.importorskip("jax")

    def speak(ohms):
        assert "?" in repr(replace(MOTOR, winding=replace(MOTOR.winding, resistance=ohms)))
        return ohms

    jax.jit(speak)(1.0)


# --- pictures


@pytest.mark.parametrize("thing", [MOTOR, SERVO, SHEET, SHEET.check()[0]], ids=lambda x: type(x).__name__)
def test_a_notebook_shows_html(thing):
    text = thing._repr_html_()
    assert text.startswith("<div") and text.endswith("</div>")
    # nothing comes from elsewhere
    assert "http" not in text.replace("https://", "") or "src=" not in text


def test_motors_actuators_and_runs_come_with_a_picture(run):
    limits = be.Actuator(limits=be.DcClip(saturation_effort=5.0, velocity_limit=3.0, effort_limit=2.0))
    for thing in (MOTOR, SERVO, SERVO.compile("numpy"), limits, run):
        assert "data:image/svg+xml;base64," in thing._repr_html_()


def test_what_cannot_be_drawn_is_shown_without_a_picture():
    bare = be.Motor(winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1))
    assert "data:image" not in bare._repr_html_() and "1 Ω" in bare._repr_html_()
    assert "data:image" not in be.Actuator()._repr_html_()


def test_names_are_escaped():
    assert "&lt;b&gt;" in replace(MOTOR, name="<b>")._repr_html_()


def test_words_load_no_matplotlib():
    """Only the HTML does."""
    program = (
        "import sys, backemf as be; m = be.Datasheet.load('maxon-re40-gp52c').motor(); repr(m); repr(be.Actuator(m)); "
        "assert 'matplotlib' not in sys.modules; m._repr_html_(); assert 'matplotlib' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# --- tables


def test_to_pandas_makes_a_frame(run, monkeypatch):
    """All columns over time, with their units in `attrs`."""

    class Frame:
        def __init__(self, columns, index):
            self.columns, self.index, self.attrs = columns, index, {}

    pandas = types.ModuleType("pandas")
    pandas.DataFrame = Frame
    pandas.Index = lambda values, name: (name, values)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = run.to_pandas()
    assert list(frame.columns) == [name for name in run.table() if name != "time"]
    assert frame.index[0] == "time" and frame.index[1] is run.time
    assert frame.attrs["units"]["current"] == "A"


def test_without_pandas_one_sentence_says_what_to_do(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(be.MissingExtraError, match=r"Run\.to_pandas needs pandas, .*: pip install pandas$"):
        run.to_pandas()


# --- equality


def with_resistance(ohms) -> be.Motor:
    return replace(MOTOR, winding=replace(MOTOR.winding, resistance=ohms))


def test_motors_of_arrays_compare():
    """By their numbers, in a batch too."""
    ohms = np.array([1.0, 2.0])
    assert with_resistance(ohms) == with_resistance(ohms.copy())
    assert with_resistance(ohms) != with_resistance(ohms + 1.0)
    assert with_resistance(ohms) != with_resistance(np.array([1.0, 2.0, 3.0]))
    assert with_resistance(ohms) != with_resistance(1.0)
    assert SHEET.motor() == MOTOR and MOTOR != 3


def test_actuators_states_and_commands_of_arrays_compare():
    first, second = (be.Actuator(with_resistance(np.array([1.0, 2.0])), slew=np.array([1.0, x])) for x in (2.0, 3.0))
    assert first == replace(first) and first != second
    step = be.Actuator(with_resistance(np.array([1.0, 2.0]))).compile("numpy")
    assert step.initial((2,)) == step.initial((2,))
    assert step.initial((2,)) != step.initial((2,), winding_rise=1.0)
    assert be.Command(position=np.zeros(3)) == be.Command(position=np.zeros(3))


def test_equal_motors_have_equal_hashes():
    assert hash(MOTOR) == hash(SHEET.motor())


# --- copies


@pytest.mark.parametrize("engine", ["python", "numpy", "jax", "torch"])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_compiled_step_can_be_copied(engine, copied):
    """The copy steps as the original does."""
    pytest.importorskip(engine) if engine in ("jax", "torch") else None
    options = {"eager": True} if engine == "torch" else {}
    step = SERVO.compile(engine, **options)
    again = copied(step)
    assert again is not step and again.engine == engine and again.actuator == SERVO
    torques = []
    for each in (step, again):
        state = each.initial((), dt=1e-3)
        torques.append(float(each(state, 1.0, 0.0, 0.0, 1e-3)[1].torque_requested))
    assert torques[0] == torques[1]


def test_a_compiled_robot_can_be_copied():
    robot = be.ActuatorSet(["hip", "knee"], {".*": be.Actuator(controller=be.IdealPd(stiffness=3.0, damping=0.1))})
    step = robot.compile("numpy")
    for again in (copy.copy(step), pickle.loads(pickle.dumps(step))):
        _, out = again(again.initial(4), 0.5, np.zeros((4, 2)), np.zeros((4, 2)), 1e-3)
        np.testing.assert_array_equal(out.torque, 1.5)


def simulators_own_steps() -> list:
    from backemf.sims import mime, mujoco, webots

    return [
        mujoco.DcMotor(motor_constant=0.05, resistance=1.2).compile("numpy"),
        mime.MimeMotor(inertia_kg_m2=1e-4, kt_n_m_per_a=0.05, r_ohm=2.0, l_henry=1e-3, damping_n_m_s=0.01).compile(),
        webots.CompiledWebots(webots.WebotsMotor(max_torque=5.0), engine="python"),
    ]


@pytest.mark.parametrize("step", simulators_own_steps(), ids=lambda step: type(step).__name__)
def test_the_steps_of_simulators_can_be_copied(step):
    """They compile again from their numbers."""
    for again in (copy.deepcopy(step), pickle.loads(pickle.dumps(step))):
        assert again.motor == step.motor and again.engine == step.engine
        assert again.initial(()) == step.initial(())
    assert repr(step).startswith(f"{type(step).__name__}({step.engine}, ")
