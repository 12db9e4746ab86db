"""Our `DcMotor` is MuJoCo 4.0's own: the same rows, refusals, states, forces and slopes, on every engine."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dcmotor_rig import (
    BASE,
    COUNT,
    DT,
    Motors,
    apart,
    attribute_sets,
    compile_motor,
    features,
    motors,
    mujoco,
    one_hinge,
    ours,
    same_rows,
    slopes_apart,
    turned_by_us,
)
from long import some_now
from mujoco_rig import NEWEST

from backemf.errors import ParameterError
from backemf.sims.mujoco import DcMotor, DcMotorState, laws
from backemf.sims.mujoco.reading import fields_from_file, fields_from_model

pytestmark = NEWEST
INPUTS = [
    "voltage", "pos", "vel", "ff", "pos vel", "pos ff", "vel ff", "pos vel ff", "pos voltage", "vel voltage",
    "ff voltage", "pos vel voltage", "pos ff voltage", "vel ff voltage", "pos vel ff voltage", "none",
]  # fmt: skip
TOLERANCE = 1e-12


# --- the same motion


@pytest.mark.parametrize("inputs", some_now(INPUTS, lambda inputs: inputs in ("pos", "pos vel ff voltage")))
def test_same_motion_act_and_force(inputs: str):
    """Random motors with every combination of states turn the same hinge the same way for 300 steps."""
    for seed, states in enumerate(features(inputs)):
        worst = apart(motors(inputs, states, 1000 + seed))
        assert max(worst.values()) < TOLERANCE, (states, worst)


@pytest.mark.long
def test_two_seconds_with_all_states():
    """Forty motors stay together for 2 s: rounding does not grow."""
    for seed in range(10):
        kind = motors("pos vel ff", features("pos")[31], 5000 + seed)
        worst = apart(kind._replace(ctrl=np.tile(kind.ctrl, (7, 1, 1))[:2000]))
        assert max(worst.values()) < 1e-9, worst


def matters(field: str, kinds: list[Motors], courses: list[np.ndarray]) -> bool:
    """Whether a hundredth more of a constant changes the torques of any of these motors."""
    for kind, before in zip(kinds, courses, strict=True):
        motor = ours(kind)
        value = getattr(motor, field)
        more = tuple(1.01 * x for x in value) if isinstance(value, tuple) else 1.01 * value
        after = turned_by_us(kind, dataclasses.replace(motor, **{field: more}))["torque"]
        if np.abs(after - before).max() > 1e-6 * np.abs(before).max():
            return True
    return False


@pytest.mark.long
def test_every_constant_is_tried():
    """The motors of the comparison depend on each constant, so that a wrong one would be seen."""
    kinds = [motors("pos vel", features("pos vel")[31], seed) for seed in range(1000, 1008)]
    courses = [turned_by_us(kind)["torque"] for kind in kinds]
    words = ("version", "inputs", "states")
    fields = [entry.name for entry in dataclasses.fields(DcMotor) if entry.name not in words]
    assert [field for field in fields if not matters(field, kinds, courses)] == []


@pytest.mark.parametrize("inputs", ["voltage", "pos", "vel", "ff", "pos vel ff", "pos voltage", "none"])
def test_same_slope(inputs: str):
    """d(force)/d(velocity) is what MuJoCo's implicit integrator takes, with hot copper and under every limit."""
    still = []
    for seed, states in enumerate(features(inputs)):
        worst, share = slopes_apart(motors(inputs, states, 2000 + seed))
        assert worst < TOLERANCE, states
        still.append(share)
    assert inputs == "none" or 0.0 < np.mean(still) < 0.5, "limits should act at times"


def slope(version: str, state: dict[str, float] | None = None, **words: Any) -> float:
    """Slope of a motor under 5 V at 3 rad/s."""
    motor = DcMotor.from_attributes(version=version, motorconst=0.05, resistance=1.2, **words)
    return float(motor.slope(DcMotorState(**(state or {})), 5.0, 0.3, 3.0, 0.002))


def test_slope_takes_the_hot_resistance_since_3_14():
    """-K²/R with R cold until 3.13 and at its temperature since."""
    heat = {"thermal": (2, 3, 0, 0.01, 20, 25)}
    cold = -(0.05**2) / 1.2
    for version, expected in {"3.11": cold, "3.13": cold, "3.14": cold / 1.55, "4.0": cold / 1.55}.items():
        assert slope(version, {"temperature": 50.0}, **heat) == pytest.approx(expected, rel=1e-14)


def test_slope_under_saturation():
    """Until 3.14 the whole force decides, friction included; since 4.0 the winding's own torque, and friction stays."""
    friction = {"saturation": 0.1, "lugre": (10, 0.02, 0.1, 0.2, 1)}
    assert slope("3.14", saturation=0.1) == slope("4.0", saturation=0.1) == 0.0
    assert slope("3.14", {"bristle": 0.001}, **friction) == pytest.approx(-(0.05**2) / 1.2 - 0.02)
    assert slope("4.0", {"bristle": 0.001}, **friction) == -0.02


# --- the same constants, the same refusals


def test_accepts_and_refuses_what_mujoco_does():
    """The same attribute sets are taken, with the same rows, and the same are refused."""
    taken = refused = 0
    for words in attribute_sets():
        model = compile_motor(words)
        if model is None:
            refused += 1
            with pytest.raises(ParameterError):
                DcMotor.from_attributes(**words)
        else:
            taken += 1
            assert same_rows(DcMotor.from_attributes(**words), model), words
    assert taken > 50 and refused > 50


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"resistance": 1.0}, "motorconst = 0.0 0.0: the motor constant must be positive"),
        ({"motorconst": 0.05}, "resistance = 0.0: must be positive"),
        ({"motorconst": (0.05, -1.0), "resistance": 1.0}, "motorconst = 0.05 -1.0: motor constants must be 0"),
        (BASE | {"inductance": -1e-3}, "inductance = -0.001: must be 0"),
        (BASE | {"inductance": (0.0, -1e-3)}, "time constant = -0.001: must be 0"),
        (BASE | {"thermal": "2"}, "thermal capacitance must be positive"),
        (BASE | {"thermal": "0 2"}, "thermal resistance must be positive"),
        (BASE | {"saturation": "-1 1"}, "invalid force range"),
        (BASE | {"ctrllimited": "true"}, "invalid control range"),
        (BASE | {"ctrllimited": "perhaps"}, "ctrllimited = 'perhaps': must be true, false or auto"),
        (BASE | {"controller": "1"}, 'kp = 1.0 with input "voltage": gains need one of pos, vel and ff'),
        (BASE | {"controller": "0 0 0 1"}, "a slew limit needs one of pos, vel and ff"),
        (BASE | {"input": "vel", "controller": "0 1"}, "an integral gain needs pos"),
        (BASE | {"input": "position"}, "MuJoCo 4.0 takes none, or some of pos, vel, ff and voltage"),
        (BASE | {"input": "vel pos"}, "in the order pos vel ff voltage"),
        (BASE | {"input": "pos", "version": "3.11"}, "MuJoCo 3.11 takes voltage, position or velocity"),
        (BASE | {"cogging": "x"}, "cogging = 'x': must be numbers"),
        (BASE | {"cogging": float("nan")}, "must be finite numbers"),
        (BASE | {"thermal": (1, 2, 3, 4, 5, 6, 7)}, "holds 7 numbers, must be 6"),
        (BASE | {"kp": 3.0}, "kp = 3.0: MuJoCo 4.0 has no such attribute"),
        (BASE | {"delay": "0.01"}, "delay = 0.01: the law has no history"),
        (BASE | {"version": "3.6"}, "version = '3.6': MuJoCo's dcmotor is known for 3.7 to 3.17 and 4.0"),
        (BASE | {"version": 4.0}, "version = 4.0: MuJoCo's dcmotor is known"),
        (BASE | {"inductance": (np.array([1e-3, 0.0]),)}, "for all motors of a batch or for none"),
    ],
)
def test_refusals_say_what_is_wrong(words: dict[str, Any], sentence: str):
    """One sentence names the attribute, its value and the remedy."""
    with pytest.raises(ParameterError) as caught:
        DcMotor.from_attributes(**words)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_heat_by_three_numbers():
    """4.0 believes the time constant, earlier versions the capacitance."""
    words = {"motorconst": 0.05, "resistance": 1.2, "thermal": (2, 5, 3)}
    assert DcMotor.from_attributes(version="4.0", **words).thermal_capacitance == 1.5
    assert DcMotor.from_attributes(version="3.14", **words).thermal_capacitance == 5.0


def test_a_batch_has_the_rows_of_its_motors():
    """Rows of a motor with arrays are those of the motors one by one."""
    kind = motors("pos", features("pos")[31], 7)
    batch = ours(kind)
    for index in range(COUNT):
        words = {k: v if isinstance(v, str) else v[index] for k, v in kind.words.items()}
        one = DcMotor.from_attributes(**words)
        for name in ("gainprm", "dynprm", "biasprm", "forcerange"):
            assert np.array_equal(np.broadcast_to(getattr(batch, name), (COUNT, *getattr(one, name).shape))[index],
                                  getattr(one, name))  # fmt: skip


def test_states_are_fixed_as_mujoco_fixes_them():
    """A state cannot come or go by changing a number, unless the states are settled anew."""
    motor = DcMotor.from_attributes(motorconst=0.05, resistance=1.2, inductance=1e-3)
    with pytest.raises(ParameterError, match="current would appear or vanish"):
        dataclasses.replace(motor, time_constant=0.0)
    assert dataclasses.replace(motor, time_constant=0.0, states=None).states == ()


# --- reading models

FULL = (
    'motorconst=".3 .2" resistance="2" saturation="0 3 5" thermal="2 3 0 .1 20 25" lugre="10 1 2 3 4" cogging="1 2 3" '
    'controller="1 2 3 4 5 6" input="pos" inductance="1e-3" ctrlrange="-1 1" damping="1 2 3" armature=".2" gear="4"'
)
DEFAULTS = {
    "none": "",
    "all": f"<default><dcmotor {FULL}/></default>",
    "nested": f'<default><dcmotor {FULL}/><default class="a"><dcmotor thermal="7 4" controller="9"/></default>'
    "</default>",
    "shared": '<default><motor ctrlrange="-3 3"/></default>',
}


@pytest.mark.parametrize("kind", DEFAULTS)
def test_reads_default_classes(kind: str):
    """Numbers of a class are laid under those of the motor, by MuJoCo and by our own reading alike."""
    own = 'motorconst="0.05" resistance="4"' + (' inductance="2e-3" class="a"' if kind == "nested" else "")
    text = one_hinge(f'<dcmotor name="m" joint="j" {own}/>', DEFAULTS[kind])
    model = mujoco.MjModel.from_xml_string(text)
    assert same_rows(DcMotor.read(text), model) and same_rows(DcMotor.read(model, "m"), model)
    assert same_rows(DcMotor(**fields_from_file(text, "m", "4.0")), model)


def test_reads_a_general_that_is_a_dcmotor():
    """What `MjSpec.to_xml` makes of a dcmotor is the same motor."""
    spec = mujoco.MjSpec.from_string(one_hinge(f'<dcmotor name="m" joint="j" {FULL}/>'))
    spec.compile()
    written = spec.to_xml()
    assert "<general" in written and "<dcmotor" not in written
    motor = DcMotor.read(written)
    assert same_rows(motor, mujoco.MjModel.from_xml_string(written))
    # it is written with six digits
    assert motor.motor_constant == pytest.approx(np.sqrt(0.3 * 0.2), rel=1e-5) and motor.inputs == ("pos",)


def test_reads_files_and_what_they_include(tmp_path):
    """A path is read, by MuJoCo or by us, with the files it includes."""
    (tmp_path / "motors.xml").write_text(f'<mujocoinclude><dcmotor name="m" joint="j" {FULL}/></mujocoinclude>')
    path = tmp_path / "robot.xml"
    path.write_text(one_hinge('<include file="motors.xml"/>'))
    model = mujoco.MjModel.from_xml_path(str(path))
    assert same_rows(DcMotor.read(path, "m"), model)
    assert same_rows(DcMotor(**fields_from_file(path, 0, "4.0")), model)


def test_reads_models_of_the_other_generation():
    """A file for 3.11 is read though MuJoCo 4.0 is installed, which refuses it."""
    words = FULL.replace('"pos"', '"velocity"')
    text = one_hinge(f'<dcmotor name="m" joint="j" {words}/>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    motor = DcMotor.read(text, version="3.11")
    assert motor.inputs == ("velocity",) and motor.gainprm[8] == 2.0 and motor.kp == 1.0
    assert motor.motor_constant == np.sqrt(0.3 * 0.2) and motor.time_constant == 1e-3 / 2


@pytest.mark.parametrize(
    ("text", "actuator", "version", "sentence"),
    [
        (one_hinge('<motor name="a" joint="j"/>'), None, "4.0", "has 0 dcmotors (none)"),
        (one_hinge('<motor name="a" joint="j"/>'), "a", "4.0", "'a' is not a dcmotor"),
        (one_hinge('<motor name="a" joint="j"/>'), "b", "4.0", "no such actuator"),
        (one_hinge('<motor name="a" joint="j"/>'), 3, "4.0", "no such actuator"),
        (one_hinge(2 * '<dcmotor joint="j" motorconst="1" resistance="1"/>'), None, "4.0", "has 2 dcmotors (0, 1)"),
        (one_hinge(2 * '<dcmotor name="a" joint="j"/>'), "a", "3.11", "2 actuators have that name"),
        (one_hinge('<dcmotor joint="j" class="c"/>'), None, "3.11", "class 'c': the model has no such default class"),
        (
            one_hinge(
                '<dcmotor joint="j" lugre="0"/>', f"<default><dcmotor {FULL.replace('pos', 'position')}/></default>"
            ),
            None,
            "3.11",
            "cannot switch off what a default class has",
        ),
        (one_hinge('<dcmotor joint="j" resistance="1"/>'), None, "4.0", "motor constant K must be positive"),
        (
            one_hinge('<dcmotor joint="j" motorconst="1" resistance="1" delay="0.01" nsample="6"/>'),
            None,
            "4.0",
            "delay",
        ),
        ("<mujoco>", None, "3.11", "is not well-formed XML"),
        ("<mujoco>", None, "4.0", "is not well-formed XML"),
        ("<!DOCTYPE x []><mujoco/>", None, "3.11", "declares a DOCTYPE"),
        ("nowhere.xml", None, "3.11", "nowhere.xml: no such file"),
        ("nowhere.xml", None, "4.0", "nowhere.xml: no such file"),
        ("<mujoco/>", None, "2.3", "version = '2.3'"),
    ],
)
def test_read_says_what_is_wrong(text: str, actuator: Any, version: str, sentence: str):
    """One sentence for a model without the motor, a broken file, a version that is unknown."""
    with pytest.raises(ParameterError) as caught:
        DcMotor.read(text, actuator, version)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_compiled_model_has_one_version():
    """A model that MuJoCo 4.0 compiled is none of 3.11's."""
    model = mujoco.MjModel.from_xml_string(one_hinge('<dcmotor joint="j" motorconst="1" resistance="1"/>'))
    with pytest.raises(ParameterError, match=r"compiled by MuJoCo 4\.0"):
        fields_from_model(model, None, "3.11")


# --- engines


def everything(version: str, seed: int = 31) -> Motors:
    """Motors with all five states."""
    kind = motors("pos vel ff" if version == "4.0" else "pos", features("pos")[31], seed)
    return kind if version == "4.0" else kind._replace(words=kind.words | {"input": "position"})


def run(step: Any, kind: Motors, array: Any, steps: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Forces and the last act of motors that are turned in a given way."""
    motor, state, forces = step.motor, step.initial(COUNT), []
    t = DT * np.arange(steps)[:, None]
    length, velocity = np.sin(20 * t + np.arange(COUNT)), 20 * np.cos(20 * t + np.arange(COUNT))
    for k in range(steps):
        ctrl = kind.ctrl[k, :, 0] if len(motor.inputs) == 1 else kind.ctrl[k]
        state, force = step(state, array(ctrl), array(length[k]), array(velocity[k]), DT)
        forces.append(np.asarray(force))
    return np.array(forces), np.asarray(step.act(state))


@pytest.mark.parametrize("version", ["3.11", "4.0"])
def test_engines_agree(version: str):
    """NumPy, JAX and PyTorch give the same forces, states and slopes."""
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    kind = everything(version)
    motor = ours(kind, version)
    reference = run(motor.compile("numpy"), kind, np.asarray)
    with jax.enable_x64(True):
        others = [run(motor.compile("jax"), kind, jax.numpy.asarray)]
        others.append(run(motor.compile("torch", dtype=torch.float64), kind, torch.as_tensor))
    for other in others:
        for one, two in zip(reference, other, strict=True):
            assert np.abs(one - two).max() / np.abs(one).max() < TOLERANCE


SOME = ("kp", "ki", "kd", "resistance", "motor_constant", "time_constant", "thermal_capacitance", "bristle_stiffness",
        "bristle_damping", "coulomb", "stribeck_velocity", "cogging_amplitude", "temperature_coefficient")  # fmt: skip


def ten_forces(step: Any, motor: DcMotor, state: Any, x: Any) -> Any:
    """Sum of the forces of ten steps, by parameters and by the motion."""
    motor = dataclasses.replace(motor, **{name: x[i] for i, name in enumerate(SOME)})
    total = 0.0
    for k in range(10):
        ctrl = (0.3 + 0.01 * k, 0.2, 0.01) if len(motor.inputs) == 3 else 0.3 + 0.01 * k
        state, force = step(motor, state, ctrl, x[-2] + 0.002 * k, x[-1] - 0.05 * k, DT)
        total = total + force
    return total


@pytest.mark.parametrize("version", some_now(["3.11", "4.0"], lambda version: version == "4.0"))
def test_gradients_are_finite_differences(version: str):
    """By every kind of parameter, the length and the velocity, through all five states."""
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    words = {
        "motorconst": 0.05, "resistance": 1.2, "inductance": 3e-3, "thermal": (2, 0.05, 0, 0.0039, 20, 25),
        "lugre": (40.0, 0.004, 0.02, 0.03, 4.0), "cogging": (0.01, 4, 0.3), "controller": (0.8, 3.0, 0.02, 50.0, 9, 40),
        "input": "pos vel ff" if version == "4.0" else "position",
    }  # fmt: skip
    motor = DcMotor.from_attributes(version=version, **words)
    assert len(motor.states or ()) == 5
    start = np.array([float(getattr(motor, name)) for name in SOME] + [0.1, 2.0])
    state = DcMotorState(0.29, 0.01, 20.0, 0.0001, 0.4)
    law = laws("numpy").dcmotor_step
    differences = []
    for i, value in enumerate(start):
        h = 1e-6 * max(abs(value), 1e-3)
        up, down = (start + sign * h * (np.arange(len(start)) == i) for sign in (1, -1))
        differences.append((ten_forces(law, motor, state, up) - ten_forces(law, motor, state, down)) / (2 * h))
    assert (np.abs(differences) > 1e-9).all(), "a force that does not depend would prove nothing"
    with jax.enable_x64(True):
        by_jax = jax.grad(lambda x: ten_forces(laws("jax").dcmotor_step, motor, state, x))(jax.numpy.asarray(start))
    x = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    ten_forces(laws("torch").dcmotor_step, motor, state, x).backward()
    assert np.asarray(by_jax) == pytest.approx(np.array(differences), rel=1e-5)
    assert x.grad is not None and x.grad.numpy() == pytest.approx(np.asarray(by_jax), rel=1e-10)


def test_gradients_are_finite_at_rest_and_at_limits():
    """Nothing becomes no number where the joint stands still and every limit acts."""
    jax = pytest.importorskip("jax")
    motor = DcMotor.from_attributes(
        motorconst=0.05, resistance=1.2, inductance=3e-3, saturation=(0.01, 0, 1.0), lugre=(40.0, 0.004),
        input="pos", controller=(90.0, 3.0, 0.02, 1.0, 0.01, 1.0), ctrlrange=(-0.1, 0.1), thermal=(2, 1),
    )  # fmt: skip
    with jax.enable_x64(True):
        state = motor.compile("jax").initial()

        def force(motor: DcMotor, state: DcMotorState, ctrl: Any, length: Any, velocity: Any) -> Any:
            after, _ = laws("jax").dcmotor_step(motor, state, ctrl, length, velocity, DT)
            return laws("jax").dcmotor_step(motor, after, ctrl, length, velocity, DT)[1]

        slopes = jax.grad(lambda *x: force(motor, *x), argnums=(0, 1, 2, 3))(state, 1.0, 0.0, 0.0)
    assert all(np.isfinite(x) for x in jax.tree.leaves(slopes))


def test_a_run_compiles_in_jax():
    """A scan over steps, jitted, gives what the steps give one by one."""
    jax = pytest.importorskip("jax")
    motor = DcMotor.from_attributes(**BASE, inductance=1e-3, input="pos", controller=(3.0, 1.0, 0.1))
    step = motor.compile("jax")
    with jax.enable_x64(True):
        run = jax.jit(lambda s, us: jax.lax.scan(lambda s, u: step(s, u, 0.1, 0.5, DT), s, us))
        _, forces = run(step.initial(), jax.numpy.linspace(0.0, 1.0, 20))
    state = motor.initial()
    for u, expected in zip(np.linspace(0.0, 1.0, 20), np.asarray(forces), strict=True):
        state, force = motor.step(state, u, 0.1, 0.5, DT)
        assert force == pytest.approx(expected, rel=1e-12)


# --- bad calls


@pytest.mark.parametrize(
    ("state", "ctrl", "sentence"),
    [
        (DcMotorState(), (1.0, 2.0), "the state is that of another motor"),
        (DcMotorState(current=0.0), (1.0, 2.0, 3.0), "ctrl holds 3 inputs: the motor takes pos vel"),
        (DcMotorState(current=0.0), 1.0, "ctrl holds 1 inputs: the motor takes pos vel"),
    ],
)
def test_step_says_what_is_wrong(state: DcMotorState, ctrl: Any, sentence: str):
    """A state of another motor, or too few inputs, are told."""
    motor = DcMotor.from_attributes(**BASE, inductance=1e-3, input="pos vel")
    with pytest.raises(ParameterError, match=sentence):
        motor.step(state, ctrl, 0.0, 0.0, DT)


def test_act_and_state_are_inverse():
    """`act` lays the states along the last axis in MuJoCo's order, and `state` takes them back."""
    kind = everything("4.0")
    step = ours(kind).compile("numpy")
    assert step.motor.states == ("slew", "integral", "temperature", "bristle", "current")
    act = np.arange(5.0 * COUNT).reshape(COUNT, 5)
    assert np.array_equal(step.act(step.state(act)), act) and (step.state(act).current == act[:, 4]).all()
    with pytest.raises(ParameterError, match="act has 3 numbers"):
        step.state(act[:, :3])
    with pytest.raises(ParameterError, match="no states"):
        DcMotor.from_attributes(**BASE).act(DcMotorState())


def test_the_program_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]):
    """The example of the MuJoCo page prints the states that it says."""
    page = (Path(__file__).parents[1] / "docs" / "simulators" / "mujoco.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (program,) = (text for text in programs if "DcMotor.read" in text)
    exec(compile(program, "mujoco.md", "exec"), {})
    assert capsys.readouterr().out.startswith("('integral', 'current') [")
