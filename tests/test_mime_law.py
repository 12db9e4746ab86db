"""MIME's motor: its law against a plain restatement of the document, its verifications, poses and bad input."""

from __future__ import annotations

import math
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.errors import MissingExtraError, ParameterError
from backemf.sims import mime
from backemf.sims.mime import MimeInputs, MimeMotor, MimeState, verification

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = verification.REFERENCE
IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
DT = 1e-3
COMMANDS = ("commanded_torque", "commanded_voltage", "commanded_velocity")


@pytest.fixture
def x64():
    """JAX in float64."""
    import jax

    with jax.enable_x64(True):
        yield


# --- the law


def restate(p: MimeMotor, state: tuple, tau: float, volts: float, wanted: float, load: float, dt: float) -> tuple:
    """The document's equations for one motor, one after the other."""
    angle, w, i, integral = state
    J, kt, ke, R, L, b = (
        p.inertia_kg_m2, p.kt_n_m_per_a, p.ke_v_s_per_rad, p.r_ohm, p.l_henry, p.damping_n_m_s,
    )  # fmt: skip
    drive = load
    if abs(tau) > 1e-30:
        i, drive = 0.0, drive + tau
    elif abs(volts) > 1e-30:
        i = (i + dt / L * (volts - ke * w)) / (1.0 + dt * R / L)
        drive = drive + kt * i
    elif abs(wanted) > 1e-30:
        i, integral = 0.0, integral + (wanted - w) * dt
        drive = drive + p.velocity_kp * (wanted - w) + p.velocity_ki * integral
    else:
        i = 0.0
    w = (J * w + dt * drive) / (J + dt * b)
    return angle + w * dt, w, i, integral


def random_motors(count: int, seed: int) -> MimeMotor:
    """Motors of the document's regime, each of its own."""
    rng = np.random.default_rng(seed)

    def between(low: float, high: float) -> np.ndarray:
        return np.exp(rng.uniform(math.log(low), math.log(high), count))

    return MimeMotor(
        inertia_kg_m2=between(1e-7, 1e-2),
        kt_n_m_per_a=between(1e-3, 1.0),
        ke_v_s_per_rad=between(1e-3, 1.0),
        r_ohm=between(0.1, 20.0),
        l_henry=between(1e-5, 1e-2),
        damping_n_m_s=between(1e-5, 1e-2),
        velocity_kp=between(1e-4, 1e-2),
        velocity_ki=between(1e-3, 1e-1),
    )


def random_commands(shape: tuple[int, int], seed: int) -> dict[str, np.ndarray]:
    """Commands that come and go every few steps, often several at once and often none."""
    rng = np.random.default_rng(seed)
    given = {}
    for name, size in zip((*COMMANDS, "load_torque"), (0.01, 10.0, 100.0, 1e-3), strict=True):
        there = np.repeat(rng.random((shape[0] // 10, shape[1])) < 0.4, 10, axis=0)
        given[name] = np.where(there, rng.normal(size=shape) * size, 0.0)
    return given


def one_of(motor: MimeMotor, index: int) -> MimeMotor:
    return MimeMotor(**{e.name: float(getattr(motor, e.name)[index]) for e in fields(MimeMotor)})


@pytest.mark.parametrize("engine", ["numpy", "python", "torch", "jax"])
def test_law_is_that_of_the_document(engine: str, x64):
    """Over random switching of modes every state stays within 1e-12 of the document's equations."""
    motors, steps = 12, 300
    constants, told = random_motors(motors, 1), random_commands((steps, motors), 2)
    want = np.zeros((motors, 4))
    got = np.zeros((steps, motors, 4))
    names = ("angle", "angular_velocity", "current", "velocity_integral_error")
    history = np.zeros((steps, motors, 4))
    for m in range(motors):
        p, state = one_of(constants, m), tuple(want[m])
        for k in range(steps):
            state = restate(p, state, *(told[name][k, m] for name in (*COMMANDS, "load_torque")), DT)
            history[k, m] = state
    if engine == "python":
        for m in range(motors):
            step = one_of(constants, m).compile("python")
            state = step.initial()
            for k in range(steps):
                state = step(state, MimeInputs(**{name: float(x[k, m]) for name, x in told.items()}), DT)
                got[k, m] = [getattr(state, name) for name in names]
    else:
        import torch

        step = constants.compile(engine, **({"dtype": torch.float64} if engine == "torch" else {}))
        array = {"numpy": np.asarray, "torch": torch.as_tensor, "jax": np.asarray}[engine]
        state = step.initial()
        for k in range(steps):
            state = step(state, MimeInputs(**{name: array(x[k]) for name, x in told.items()}), DT)
            got[k] = np.stack([np.asarray(getattr(state, name)) for name in names], axis=-1)
    scale = np.maximum(np.abs(history), np.abs(history).max(axis=0) * 1e-3 + 1e-30)
    assert np.max(np.abs(got - history) / scale) < 1e-12


def test_scan_of_4096_motors_is_that_of_the_document(x64):
    """As one compiled scan over random modes the law is still the document's."""
    import jax
    import jax.numpy as jnp

    motors, steps = 4096, 60
    constants, told = random_motors(motors, 3), random_commands((steps, motors), 4)
    law = mime.laws("jax").mime_step

    @jax.jit
    def run(motor, state, rows):
        return jax.lax.scan(lambda s, row: (law(motor, s, MimeInputs(**row), DT), None), state, rows)[0]

    on_jax = constants.compile("jax")
    end = run(on_jax.motor, on_jax.initial(), {name: jnp.asarray(x) for name, x in told.items()})
    for m in range(0, motors, 97):
        state = (0.0, 0.0, 0.0, 0.0)
        for k in range(steps):
            row = (told[name][k, m] for name in (*COMMANDS, "load_torque"))
            state = restate(one_of(constants, m), state, *row, DT)
        assert float(end.angular_velocity[m]) == pytest.approx(state[1], rel=1e-12)
        assert float(end.angle[m]) == pytest.approx(state[0], rel=1e-12)


def step_once(inputs: MimeInputs, **start: float) -> MimeState:
    step = REFERENCE.compile()
    return step(step.initial(**start), inputs, DT)


def test_torque_comes_before_voltage_before_velocity():
    """The first command that is not 0 counts, and the others have no part in it."""
    everything = step_once(MimeInputs(commanded_torque=0.02, commanded_voltage=5.0, commanded_velocity=9.0))
    assert everything == step_once(MimeInputs(commanded_torque=0.02))
    two = step_once(MimeInputs(commanded_voltage=5.0, commanded_velocity=9.0))
    assert two == step_once(MimeInputs(commanded_voltage=5.0))
    assert two.current > 0.0


def test_without_a_mode_zero_is_no_command():
    """The document's trap: 0 rad/s and 0 V let the rotor coast, like no command at all."""
    coasting = step_once(MimeInputs(), angular_velocity=50.0)
    assert step_once(MimeInputs(commanded_velocity=0.0), angular_velocity=50.0) == coasting
    assert coasting.angular_velocity == pytest.approx(50.0 * 1e-4 / (1e-4 + DT * 0.01))


def test_named_modes_make_zero_a_command():
    """Mode 3 brakes a rotor towards 0 rad/s, mode 2 with 0 V shorts it, mode 1 with 0 N·m lets it coast."""
    coasting = step_once(MimeInputs(), angular_velocity=50.0)
    held = step_once(MimeInputs(mode=mime.VELOCITY), angular_velocity=50.0)
    assert held.velocity_integral_error == pytest.approx(-50.0 * DT)
    assert held.angular_velocity < coasting.angular_velocity
    shorted = step_once(MimeInputs(mode=mime.VOLTAGE), angular_velocity=50.0)
    assert shorted.current == pytest.approx((-DT * 0.05 * 50.0) / (1e-3 + DT * 2.0))
    assert step_once(MimeInputs(mode=mime.TORQUE), angular_velocity=50.0) == coasting


def test_a_named_mode_beats_the_precedence():
    """A voltage holds beside a torque if its mode is named; a mode of 0 or of no meaning names none."""
    both = MimeInputs(commanded_torque=0.02, commanded_voltage=5.0)
    assert step_once(replace(both, mode=2)) == step_once(MimeInputs(commanded_voltage=5.0))
    for nothing in (0, 7, -1):
        assert step_once(replace(both, mode=nothing)) == step_once(both)


def test_modes_may_differ_in_a_batch():
    """Each motor of a batch follows its own mode."""
    step = REFERENCE.compile()
    mode = np.array([0, 1, 2, 3])
    told = MimeInputs(commanded_torque=0.0, commanded_voltage=np.full(4, 5.0), commanded_velocity=10.0, mode=mode)
    after = step(step.initial(4), told, DT)
    np.testing.assert_array_equal(after.current > 0.0, [True, False, True, False])
    np.testing.assert_array_equal(after.velocity_integral_error > 0.0, [False, False, False, True])
    assert after.angular_velocity[1] == 0.0


def test_what_is_no_number_is_no_command_in_a_batch():
    """NaN is not larger than anything, so that the next command of the order holds; other motors see nothing of it."""
    step = REFERENCE.compile()
    told = MimeInputs(commanded_torque=np.array([np.nan, 0.02]), commanded_voltage=np.array([5.0, 0.0]))
    after = step(step.initial(2), told, DT)
    assert after.current[0] > 0.0
    assert np.isfinite(after.angular_velocity).all()


def test_a_winding_without_inductance_follows_at_once():
    """With L = 0 the current is (V - Ke·w)/R, where the document's form would divide by 0."""
    step = replace(REFERENCE, l_henry=0.0).compile()
    after = step(step.initial(angular_velocity=20.0), MimeInputs(commanded_voltage=5.0), DT)
    assert after.current == pytest.approx((5.0 - 0.05 * 20.0) / 2.0)


def test_angle_keeps_its_precision_in_float32():
    """After 2000 s at a steady speed the angle is right to float32, where a plain sum is off by 0.4 %."""
    import jax
    import jax.numpy as jnp

    law, told = mime.laws("jax").mime_step, MimeInputs(commanded_torque=0.1)
    start = REFERENCE.compile("jax").initial(angular_velocity=10.0)

    @jax.jit
    def run(state):
        return jax.lax.fori_loop(0, 2_000_000, lambda _, s: law(REFERENCE, s, told, DT), state)

    exact = 20_000.0
    assert start.angle.dtype == jnp.float32
    assert float(run(start).angle) == pytest.approx(exact, rel=2e-7)
    plain = run(replace(start, angle_remainder=None))
    assert abs(float(plain.angle) / exact - 1.0) > 1e-3


# --- gradients


def end_speed(numbers, torque, volts):
    """Speed after 40 steps of voltage and 40 of a velocity, as a function of the constants."""
    import jax

    motor = MimeMotor(**numbers)
    law = mime.laws("jax").mime_step
    state = REFERENCE.compile("jax").initial()
    for told in (MimeInputs(commanded_voltage=volts, load_torque=torque), MimeInputs(commanded_velocity=volts)):
        state = jax.lax.fori_loop(0, 40, lambda _, s, told=told: law(motor, s, told, DT), state)
    return state.angular_velocity + state.angle


def test_gradients_match_finite_differences(x64):
    """By every constant and by the inputs, through modes and many steps."""
    import jax

    numbers = {e.name: getattr(REFERENCE, e.name) for e in fields(MimeMotor)}
    slopes = jax.jit(jax.grad(end_speed, argnums=(0, 1, 2)))(numbers, 1e-3, 5.0)
    function = jax.jit(end_speed)
    for name, value in numbers.items():
        h = 1e-5 * value
        up, down = ({**numbers, name: value + s * h} for s in (1.0, -1.0))
        slope = (function(up, 1e-3, 5.0) - function(down, 1e-3, 5.0)) / (2.0 * h)
        assert float(slopes[0][name]) == pytest.approx(float(slope), rel=1e-6), name
        assert slope != 0.0
    slope = (function(numbers, 1e-3 + 1e-7, 5.0) - function(numbers, 1e-3 - 1e-7, 5.0)) / 2e-7
    assert float(slopes[1]) == pytest.approx(float(slope), rel=1e-6)
    slope = (function(numbers, 1e-3, 5.0 + 1e-5) - function(numbers, 1e-3, 5.0 - 1e-5)) / 2e-5
    assert float(slopes[2]) == pytest.approx(float(slope), rel=1e-6)


# --- the document's verifications


def test_verifications_pass_with_the_known_figures():
    """Spin-up 0.438 % RMS, 11.1111 rad/s and 2.2222 A under 5 V, 0.934 % of velocity error after 5 s."""
    spin_up, speed, current, velocity, pose = mime.verify()
    assert all(check.passed for check in (spin_up, speed, current, velocity, pose))
    assert spin_up.error == pytest.approx(0.00438, abs=5e-6)
    assert speed.measured == pytest.approx(100.0 / 9.0, rel=1e-9)
    assert current.measured == pytest.approx(20.0 / 9.0, rel=1e-9)
    assert velocity.error == pytest.approx(0.00934, abs=5e-6)
    assert pose.error < 1e-12


def test_velocity_mode_is_slow_with_the_default_gains():
    """A second after the command 36.6 % of the error are left, not less than 1 %."""
    speed = verification.run(REFERENCE, MimeInputs(commanded_velocity=10.0), 1000)["angular_velocity"]
    assert 1.0 - speed[-1] / 10.0 == pytest.approx(0.366, abs=5e-4)


def test_report_is_on_the_page():
    """The table of the documentation is what the verifications give now."""
    assert mime.report() in (ROOT / "docs" / "simulators" / "mime.md").read_text(encoding="utf-8")


def test_picture_of_the_verifications_is_drawn(tmp_path: Path):
    """One file, with something on it."""
    from backemf.sims.mime.pictures import mime_verification

    mime_verification(tmp_path / "mime.png")
    assert (tmp_path / "mime.png").stat().st_size > 10_000


# --- poses


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a quaternion, by its columns q·e·q*."""
    w, v = q[0], q[1:]
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about an axis, by Rodrigues."""
    u = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


@pytest.mark.parametrize("seed", range(10))
def test_pose_is_the_product_of_rotations(seed: int):
    """For random frames the tool is where matrices put it, and turned as they turn it."""
    rng = np.random.default_rng(seed)
    parent, tool = rng.normal(size=7), rng.normal(size=7)
    for pose in (parent, tool):
        pose[3:] /= np.linalg.norm(pose[3:])
    axis, angle = rng.normal(size=3), rng.normal() * 10.0
    pose = mime.compose_pose(parent, axis, angle, tool, engine="numpy")
    carried = matrix(parent[3:]) @ about(axis, angle)
    np.testing.assert_allclose(pose[:3], parent[:3] + carried @ tool[:3], atol=1e-12)
    np.testing.assert_allclose(matrix(pose[3:]), carried @ matrix(tool[3:]), atol=1e-12)


@pytest.mark.parametrize("length", [0.5, 2.0, 1e6])
def test_the_length_of_a_quaternion_is_taken_out(length: float):
    """A parent and a tool of any length put the tool where they do at length 1, so that its arm stays as long.

    MIME's matrix I + 2w[u] + 2[u]² takes the parent's quaternion as it is: there an arm of 1 m gets another length.
    """
    parent, tool = np.array([1.0, 2.0, 3.0, 0.6, 0.0, 0.8, 0.0]), np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    longer = [np.array([*pose[:3], *(length * pose[3:])]) for pose in (parent, tool)]
    want = mime.compose_pose(parent, (1, 0, 0), 0.7, tool, engine="numpy")
    pose = mime.compose_pose(longer[0], (1, 0, 0), 0.7, longer[1], engine="numpy")
    np.testing.assert_allclose(pose, want, atol=1e-14)
    assert np.linalg.norm(want[:3] - parent[:3]) == pytest.approx(1.0)
    turned = matrix(length * np.array([0.6, 0.0, 0.8, 0.0])) @ np.array([0.0, 0.0, 1.0])
    assert abs(np.linalg.norm(turned) - 1.0) > 0.1


def test_axis_angle_has_length_one_and_w_first():
    """A turn by 2 rad about an axis of length 5 is [cos 1, axis/5·sin 1]."""
    q = mime.axis_angle((0.0, 3.0, 4.0), 2.0, engine="numpy")
    np.testing.assert_allclose(q, [math.cos(1.0), 0.0, 0.6 * math.sin(1.0), 0.8 * math.sin(1.0)], atol=1e-15)


def test_a_pose_that_was_never_given_is_no_rotation():
    """Seven zeros, as a graph feeds them, are read as the origin; the document's node answers NaN."""
    pose = mime.compose_pose(np.zeros(7), (0, 0, 1), 1.0, (1, 0, 0, 1, 0, 0, 0), engine="numpy")
    want = [math.cos(1.0), math.sin(1.0), 0.0, math.cos(0.5), 0.0, 0.0, math.sin(0.5)]
    np.testing.assert_allclose(pose, want, atol=1e-15)


def test_poses_of_a_batch_on_every_engine(x64):
    """A hundred angles at once give the same poses from NumPy, JAX and PyTorch."""
    import jax.numpy as jnp
    import torch

    angles = np.linspace(-20.0, 20.0, 100)
    tool = np.array([0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5])
    want = mime.compose_pose(np.array(IDENTITY), np.array([1.0, 2.0, 3.0]), angles, tool, engine="numpy")
    assert want.shape == (100, 7)
    for engine, array in (("jax", jnp.asarray), ("torch", torch.as_tensor)):
        given = (array(np.array(IDENTITY)), array(np.array([1.0, 2.0, 3.0])), array(angles), array(tool))
        np.testing.assert_allclose(np.asarray(mime.compose_pose(*given, engine=engine)), want, atol=1e-14)


def test_slope_of_a_pose_by_the_angle(x64):
    """A tool 0.1 m out moves 0.1 m/rad sideways, and the slope is finite for an empty parent too."""
    import jax
    import jax.numpy as jnp

    tool = jnp.array([0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    for parent in (jnp.array(IDENTITY), jnp.zeros(7)):
        slope = jax.jacobian(lambda a, p: mime.compose_pose(p, (0.0, 0.0, 1.0), a, tool), (0, 1))(0.0, parent)
        np.testing.assert_allclose(slope[0][:3], [0.0, 0.1, 0.0], atol=1e-12)
        assert np.isfinite(slope[1]).all()


# --- from our motors


def test_constants_of_our_motor_are_those_at_the_joint():
    """A geared motor under a voltage ends at the speed at which our own does, once both have no dry friction."""
    motor = be.Motor(
        winding=be.Winding(resistance=1.2, inductance=1e-3),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.06),
        rotor=be.Rotor(inertia=1e-5),
        drag=be.Drag(coefficients=(2e-5,)),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=6.0),)),
    )
    found = mime.from_motor(motor, velocity_kp=0.1)
    assert found.inertia_kg_m2 == pytest.approx(36e-5)
    assert found.velocity_kp == 0.1
    ours = be.simulate(motor, be.Inertia(0.0), 12.0, 1.0)
    speed = verification.run(found, MimeInputs(commanded_voltage=12.0), 1000)["angular_velocity"]
    assert speed[-1] == pytest.approx(float(ours["velocity"][-1]), rel=1e-6)


def test_only_a_motor_gives_constants():
    """An actuator is not one, and the sentence says what is."""
    with pytest.raises(ParameterError, match=r"must be a Motor"):
        mime.from_motor(be.Actuator())  # pyright: ignore[reportArgumentType]


# --- bad input

GOOD = {"inertia_kg_m2": 1e-4, "kt_n_m_per_a": 0.05, "r_ohm": 2.0, "l_henry": 1e-3, "damping_n_m_s": 0.01}


@pytest.mark.parametrize("name", [e.name for e in fields(MimeMotor)])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0])
def test_constants_that_cannot_be_are_refused(name: str, value: float):
    """No NaN, nothing infinite, nothing negative: one sentence with the field and its value."""
    with pytest.raises(ParameterError, match=rf"^MimeMotor\.{name} = {value:g}: must be a finite number"):
        MimeMotor(**{**GOOD, name: value})


@pytest.mark.parametrize("name", list(GOOD))
@pytest.mark.parametrize("value", ["2", None, [1.0], 1j])
def test_constants_that_are_no_numbers_are_refused(name: str, value: object):
    """Text, nothing, lists and complex numbers."""
    with pytest.raises(ParameterError, match=rf"^MimeMotor\.{name} = .*must be a number"):
        MimeMotor(**{**GOOD, name: value})


def test_one_bad_motor_of_a_batch_is_named():
    """The index of the first one is in the sentence."""
    with pytest.raises(ParameterError, match=r"r_ohm = -1 at index \(1,\)"):
        MimeMotor(**{**GOOD, "r_ohm": np.array([1.0, -1.0, 2.0])})


def test_a_winding_needs_resistance_or_inductance():
    """Without both there is no current to compute."""
    with pytest.raises(ParameterError, match="nothing would limit the current"):
        MimeMotor(**{**GOOD, "r_ohm": 0.0, "l_henry": 0.0})


@pytest.mark.parametrize("name", [*COMMANDS, "load_torque", "mode"])
@pytest.mark.parametrize("value", [math.nan, math.inf, "fast", [1.0]])
def test_inputs_that_are_no_numbers_are_refused(name: str, value: object):
    """A plain number has to be finite; text and lists are none."""
    with pytest.raises(ParameterError, match=rf"^{name} = .*must be a"):
        step_once(MimeInputs(**{name: value}))


@pytest.mark.parametrize("dt", [0.0, -1e-3, math.nan, math.inf])
def test_a_step_has_to_last(dt: float):
    """No step of nothing, and none back."""
    step = REFERENCE.compile()
    with pytest.raises(ParameterError, match="must be a positive number of seconds"):
        step(step.initial(), MimeInputs(), dt)


def test_inputs_have_to_fit_the_batch():
    """Three torques do not fit four motors, nor two one motor."""
    step = REFERENCE.compile()
    for shape in ((4,), ()):
        with pytest.raises(ParameterError, match=r"commanded_torque has the shape \(3,\), which does not fit"):
            step(step.initial(shape), MimeInputs(commanded_torque=np.ones(3)), DT)


@pytest.mark.parametrize(("name", "index"), [("parent", 0), ("axis", 1), ("tool", 3)])
@pytest.mark.parametrize("value", [(1.0, 2.0), 3.0, "up", ()])
def test_poses_need_so_many_numbers(name: str, index: int, value: object):
    """A pose has seven numbers, an axis three."""
    given: list = [IDENTITY, (0.0, 0.0, 1.0), 0.0, IDENTITY]
    given[index] = value
    with pytest.raises(ParameterError, match=rf"^{name} must be \d numbers"):
        mime.compose_pose(*given, engine="numpy")


@pytest.mark.parametrize("axis", [(0.0, 0.0, 0.0), (math.nan, 0.0, 1.0), (0.0, math.inf, 0.0)])
def test_an_axis_points_somewhere(axis: tuple):
    """An axis without a direction is refused."""
    with pytest.raises(ParameterError, match=r"^axis = .*must be finite and point somewhere"):
        mime.axis_angle(axis, 1.0, engine="numpy")


def test_unknown_states_options_and_engines_are_refused():
    """One sentence each."""
    with pytest.raises(ParameterError, match=r"initial\(speed=...\): the states are angle"):
        REFERENCE.compile().initial(speed=1.0)
    with pytest.raises(ParameterError, match="options dtype: the jax engine has none"):
        REFERENCE.compile("jax", dtype=float)
    with pytest.raises(ParameterError, match="runs on numpy, python, jax, torch"):
        REFERENCE.compile("warp")


@pytest.mark.parametrize("name", ["MotorNode", "FullMotorNode"])
def test_nodes_say_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch):
    """Without MADDENING the law is there and the nodes say which extra brings them."""
    monkeypatch.setitem(sys.modules, "maddening", None)
    for module in ("node", "full_node", "shaft"):
        monkeypatch.delitem(sys.modules, f"backemf.sims.mime.{module}", raising=False)
    with pytest.raises(MissingExtraError, match=r"needs maddening.*pip install 'backemf\[maddening\]'"):
        getattr(mime, name)
