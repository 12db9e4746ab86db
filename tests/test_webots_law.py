"""Webots' motors as Webots computes them: every documented rule, its recorded figures, and gradients."""

import math
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from backemf.errors import ParameterError
from backemf.sims.webots import CompiledWebots, WebotsJoint, WebotsMotor, couple_motors
from backemf.sims.webots.coupled import groups
from backemf.sims.webots.law import arctan, commanded_velocity
from backemf.sims.webots.motor import stop_warnings
from backemf.sims.webots.records.wav import sound

DT = 0.032
INF = math.inf


def made(joint: dict[str, Any] | None = None, engine: str = "numpy", **motor: Any) -> CompiledWebots:
    """A motor on a joint."""
    return CompiledWebots(WebotsMotor(**motor), WebotsJoint(**(joint or {})), engine)


def asked(step: CompiledWebots, state: Any, position: float = 0.0) -> float:
    """The velocity that goes to the engine next."""
    return float(commanded_velocity(step.motor, state.motor, position, DT).velocity)


# --- recorded by Webots itself


def motor_test(derivative: str) -> float:
    """Where Webots' own motor test ends: 21 steps of 32 ms, with gains and a target that come after one step."""
    step = made(
        acceleration=5.0, max_velocity=20.0, min_position=-1.63, max_position=1.51, max_torque=100.0,
        derivative=derivative,
    )  # fmt: skip
    state, _ = step(step.initial(), 0.005, 0.0, DT)
    step = CompiledWebots(replace(step.motor, control_p=15.0, control_i=5.0, control_d=1.0), step.joint)
    # new gains reset the PID
    state = state._replace(motor=state.motor._replace(integral=0.0, previous_error=0.0))
    state = step.command(state, available=50.0, position=100.0)
    assert state.motor.target_position == 1.51
    for _ in range(21):
        state, _ = step(state, 0.005, 0.0, DT)
    return float(state.joint.position)


def test_webots_recorded_position() -> None:
    """Webots' own motor test recorded 1.18212 rad: every digit of it comes out."""
    assert motor_test("source") == pytest.approx(1.18212, abs=5e-6)


def test_the_record_speaks_against_the_manuals_sign() -> None:
    """With the derivative as the manual prints it, the motor test ends a fifth of a radian short."""
    assert motor_test("manual") == pytest.approx(0.967, abs=1e-3)


def test_webots_recorded_battery() -> None:
    """Webots' own battery test: 504 J after a step within 1, and 0.5739 rad when the battery froze it, within 1e-3."""
    step = made({"damping_constant": 10.0}, max_velocity=20.0, max_torque=30.0, consumption_factor=100.0)
    # a rod of 0.3 m at 0.1 m and a cylinder of 0.02 m, 1 kg together, shared by volume
    rod, hub = 0.005**2 * 0.3, 0.02**2 * 0.05
    inertia = (rod * ((3 * 0.005**2 + 0.3**2) / 12 + 0.1**2) + hub * 0.02**2 / 2) / (rod + hub)
    state = step.command(step.initial(), position=2 * math.pi)
    energy, seen, levels = 600.0, 0.0, []
    for _ in range(11):
        state, feedback = step(state, inertia, 0.0, DT)
        # the robot's CPU takes 5 W, the motor 100 W per N·m; an empty battery leaves neither torque nor a new sample
        energy = max(energy - (5.0 + 100.0 * abs(float(feedback))) * DT, 0.0)
        if energy > 0.0:
            seen = float(state.joint.position)
        else:
            state = step.command(state, available=0.0)
        levels.append(energy)
    assert levels[0] == pytest.approx(504.0, abs=1.0)
    assert levels[-1] == 0.0
    assert seen == pytest.approx(0.5739, abs=1e-3)


# --- control


def test_the_start_holds_the_joint_where_it_is() -> None:
    """At load the target is the joint's position, the velocity the largest, the available torque the largest."""
    state = made({"position": 0.3}, max_velocity=7.0, max_torque=3.0).initial((2,)).motor
    assert state.target_position == pytest.approx([0.3, 0.3])
    assert (state.target_velocity == 7.0).all() and (state.available == 3.0).all()


def test_position_control_asks_for_p_times_the_error() -> None:
    """v = P·e while that is below the velocity limit."""
    step = made(control_p=4.0)
    assert asked(step, step.command(step.initial(), position=0.5)) == pytest.approx(2.0)


def test_the_velocity_limits_position_control() -> None:
    """|v| is at most the velocity that was set."""
    step = made()
    state = step.command(step.initial(), position=-5.0, velocity=3.0)
    assert asked(step, state) == -3.0


def test_the_first_step_has_the_full_kick_of_the_derivative() -> None:
    """The error before the first step is 0, so D·e/ts comes at once."""
    step = made(control_d=0.1, control_p=1.0)
    state = step.command(step.initial(), position=0.2)
    assert asked(step, state) == pytest.approx(0.2 + 0.1 * 0.2 / DT)


def test_the_manuals_derivative_has_the_other_sign() -> None:
    """The manual prints (previous - error)/ts."""
    step = made(control_d=0.1, control_p=1.0, derivative="manual")
    assert asked(step, step.command(step.initial(), position=0.2)) == pytest.approx(0.2 - 0.1 * 0.2 / DT)


def test_the_integral_winds_up_without_limit() -> None:
    """I adds up e·ts even where the velocity limit acts, and a new target does not reset it."""
    step = made(control_i=1.0, max_torque=1e-6)
    state = step.command(step.initial(), position=50.0)
    for _ in range(100):
        state, _ = step(state, 1e6, 0.0, DT)
    assert float(state.motor.integral) == pytest.approx(100 * 50.0 * DT, rel=1e-6)
    assert step.command(state, position=0.0).motor.integral == state.motor.integral


def test_the_acceleration_limits_the_commanded_velocity() -> None:
    """Vc changes by at most A·ts from the last commanded velocity, whatever the joint does."""
    step = made(acceleration=5.0)
    state = step.command(step.initial(), position=INF, velocity=8.0)
    state, _ = step(state, 1e9, 0.0, DT)
    assert float(state.motor.velocity) == pytest.approx(5.0 * DT)
    state, _ = step(state, 1e9, 0.0, DT)
    assert float(state.motor.velocity) == pytest.approx(10.0 * DT)


@pytest.mark.parametrize("target", [INF, -INF])
def test_velocity_control_ignores_the_sign_of_infinity(target: float) -> None:
    """An infinite target means v = Vd, and Vd alone has the direction."""
    step = made()
    assert asked(step, step.command(step.initial(), position=target, velocity=-2.0)) == -2.0


def test_a_negative_velocity_is_refused_in_position_control() -> None:
    """The velocity stays as it was."""
    step = made()
    state = step.initial()
    assert step.command(state, velocity=-2.0).motor.target_velocity == 10.0


def test_no_available_torque_means_no_velocity() -> None:
    """F = 0: Vc is 0, and the PID stands still."""
    step = made()
    state = step.command(step.initial(), position=1.0, available=0.0)
    assert asked(step, state) == 0.0
    assert step(state, 0.01, 0.0, DT)[0].motor.previous_error == 0.0


def test_available_torque_is_at_most_the_largest() -> None:
    """setAvailableTorque is clipped to maxTorque; a negative one is refused."""
    step = made(max_torque=5.0)
    state = step.command(step.initial(), available=50.0)
    assert state.motor.available == 5.0
    assert step.command(state, available=-1.0).motor.available == 5.0


def test_soft_limits_clip_the_target() -> None:
    """The target is clipped after the multiplier; equal limits mean none."""
    step = made(min_position=-1.0, max_position=2.0, multiplier=2.0)
    assert step.command(step.initial(), position=5.0).motor.target_position == 2.0
    assert step.command(step.initial(), position=-0.4).motor.target_position == -0.8
    assert made().command(made().initial(), position=50.0).motor.target_position == 50.0


def test_the_multiplier_turns_every_command() -> None:
    """Position, velocity and torque are multiplied, then limited."""
    step = made(multiplier=-3.0, max_velocity=10.0)
    state = step.command(step.initial(), position=INF, velocity=2.0, torque=1.0)
    assert state.motor.target_velocity == -6.0 and state.motor.torque == -3.0
    assert state.motor.target_position == INF
    assert step.command(step.initial(), position=0.5).motor.target_position == -1.5


def test_torque_wins_over_a_position_of_the_same_step() -> None:
    """Webots takes the position before the torque, whatever the order of the calls."""
    step = made()
    assert step.command(step.initial(), torque=1.0, position=0.5).motor.torque_mode == 1.0


def test_a_position_ends_torque_control() -> None:
    """setPosition restores position control."""
    step = made()
    state = step.command(step.initial(), torque=1.0)
    assert step.command(state, position=0.5).motor.torque_mode == 0.0


def test_torque_is_limited_by_what_is_available_then() -> None:
    """setTorque is clipped to the available torque, which later changes leave alone."""
    step = made(max_torque=5.0)
    state = step.command(step.initial(), torque=-80.0)
    assert state.motor.torque == -5.0
    assert step.command(state, available=1.0).motor.torque == -5.0


# --- the engine


def test_torque_accelerates_the_inertia() -> None:
    """w' = ts·torque/J without friction; the feedback has none of a commanded torque."""
    step = made()
    state, feedback = step(step.command(step.initial(), torque=0.5), 0.1, 0.0, DT)
    assert float(state.joint.velocity) == pytest.approx(0.5 * DT / 0.1) and float(feedback) == 0.0


def test_static_friction_holds_a_smaller_torque() -> None:
    """Below the static friction nothing moves, and the feedback is what holds."""
    step = made({"static_friction": 0.3, "cfm": 0.0})
    state, feedback = step(step.command(step.initial(), torque=0.2), 0.1, 0.0, DT)
    assert float(state.joint.velocity) == pytest.approx(0.0, abs=1e-15) and float(feedback) == pytest.approx(-0.2)


def test_whatever_holds_creeps_with_the_cfm() -> None:
    """A constraint misses its velocity by CFM per torque: 0.2 N·m at 1e-5 rad/(s·N·m) creep with 2e-6 rad/s."""
    step = made({"static_friction": 0.3})
    state = step.command(step.initial(), torque=0.2)
    for _ in range(50):
        state, _ = step(state, 0.1, 0.0, DT)
    assert float(state.joint.velocity) == pytest.approx(2e-6, rel=1e-9)


def test_a_hard_stop_gives_back_its_share_of_the_way() -> None:
    """Behind a stop the joint comes back by ERP of the way in each step, against all of the motor's torque."""
    step = made({"min_stop": -1.0, "max_stop": 0.5, "position": 0.6, "stop_cfm": 0.0}, max_torque=3.0)
    state = step.command(step.initial(), position=2.0)
    state, feedback = step(state, 0.1, 0.0, DT)
    assert float(state.joint.velocity) == pytest.approx(-0.2 * 0.1 / DT)
    assert float(feedback) == pytest.approx(-3.0 - 0.1 * 0.2 * 0.1 / DT / DT)


def test_static_friction_adds_to_no_motor() -> None:
    """In position control the engine has the larger of the two, so that friction helps a weak motor."""
    step = made({"static_friction": 2.0}, max_torque=0.5)
    _, feedback = step(step.command(step.initial(), position=100.0), 100.0, 0.0, DT)
    assert float(feedback) == 2.0


def test_a_brake_is_a_damper() -> None:
    """Damping and brake add up, taken at the end of the step: w' = J·w/(J + ts·d)."""
    step = made({"damping_constant": 0.5, "brake": 1.5})
    state = step.command(step.initial(), torque=0.0)
    state = state._replace(joint=state.joint._replace(velocity=np.array(1.0)))
    assert float(step(state, 0.1, 0.0, DT)[0].joint.velocity) == pytest.approx(0.1 / (0.1 + DT * 2.0))


def test_a_spring_pulls_to_position_0() -> None:
    """J·w' = J·w - ts·k·(q + ts·w')."""
    step = made({"spring_constant": 2.0, "position": 0.5})
    state, _ = step(step.command(step.initial(), torque=0.0), 0.1, 0.0, DT)
    assert float(state.joint.velocity) == pytest.approx(-DT * 2.0 * 0.5 / (0.1 + DT * DT * 2.0))


def test_a_hinge_turns_by_the_tangent_of_its_velocity() -> None:
    """ODE adds half the turn to a quaternion: 2·atan(w·ts/2); a slider goes w·ts."""
    for kind, expected in (("hinge", 2 * math.atan(0.5 * 10 * DT)), ("slider", 10 * DT)):
        step = made({"kind": kind, "cfm": 0.0}, max_torque=1e9)
        state = step.command(step.initial(), position=INF, velocity=10.0)
        assert float(step(state, 0.1, 0.0, DT)[0].joint.position) == pytest.approx(expected, rel=1e-12)


def test_arctan_is_exact() -> None:
    """To 2e-15 rad over twenty decades of either sign."""
    x: Any = np.concatenate([-np.logspace(-10, 10, 401), [0.0], np.logspace(-10, 10, 401)])
    assert np.abs(arctan(x) - np.arctan(x)).max() < 2e-15


# --- kinematic mode


def test_kinematic_mode_goes_straight_and_stops_at_the_target() -> None:
    """No PID and no deceleration: the velocity rises by the torque as an acceleration, and the target clamps."""
    step = made(max_torque=10.0, max_velocity=1.0)
    state = step.command(step.initial(), position=0.05)
    speeds = []
    for _ in range(10):
        before = float(state.joint.position)
        state = step.kinematic(state, DT)
        speeds.append((float(state.joint.position) - before) / DT)
    assert speeds[:3] == pytest.approx([0.32, 0.64, 0.05 / DT - 0.96]) and state.joint.position == 0.05
    assert state.motor.velocity == 0.0


def test_kinematic_acceleration_is_capped_by_the_torque() -> None:
    """An acceleration above the available torque, or of -1, counts as the torque."""
    for acceleration, gained in ((4.0, 4.0), (50.0, 10.0), (-1.0, 10.0)):
        step = made(acceleration=acceleration)
        state = step.kinematic(step.command(step.initial(), position=9.0), DT)
        assert float(state.motor.velocity) == pytest.approx(gained * DT)


def test_minus_infinity_reverses_kinematic_mode() -> None:
    """Only without physics does the sign of infinity count."""
    step = made()
    for target, way in ((INF, 1.0), (-INF, -1.0)):
        state = step.kinematic(step.command(step.initial(), position=target, velocity=2.0), DT)
        assert math.copysign(1.0, float(state.joint.position)) == way


def test_kinematic_mode_rests_within_a_millionth() -> None:
    """Below 1e-6 rad from the target nothing moves, and the velocity is 0."""
    step = made()
    state = step.kinematic(step.command(step.initial(), position=9e-7), DT)
    assert state.joint.position == 0.0 and state.motor.velocity == 0.0


def test_soft_limits_stop_kinematic_velocity_control() -> None:
    """At a soft limit an infinite target goes no further."""
    step = made({"position": 1.0}, min_position=-1.0, max_position=1.0)
    state = step.kinematic(step.command(step.initial(), position=INF, velocity=1.0), DT)
    assert state.joint.position == 1.0


# --- field checks


CHANGED = "Invalid '{}' changed to {}. The value should be {}."
CORRECTED = [
    ({"max_velocity": -3.0}, "max_velocity", 3.0, CHANGED.format("maxVelocity", 3, "non-negative")),
    ({"acceleration": -2.0}, "acceleration", -1.0, CHANGED.format("acceleration", -1, "either -1 or non-negative")),
    ({"max_torque": -2.0}, "max_torque", 10.0, CHANGED.format("maxTorque", 10, "non-negative")),
    ({"max_torque": -2.0, "kind": "linear"}, "max_torque", 10.0, CHANGED.format("maxForce", 10, "non-negative")),
    ({"multiplier": 0.0}, "multiplier", 1.0, "The value of 'multiplier' cannot be 0. Value reverted to 1."),
    ({"min_position": 1.0, "max_position": 2.0}, "min_position", 0.5,
     CHANGED.format("minPosition", 0.5, "0.5 or less")),
    ({"min_position": -1.0, "max_position": 0.2}, "max_position", 0.5,
     CHANGED.format("maxPosition", 0.5, "0.5 or greater")),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "name", "value", "warning"), CORRECTED)
def test_webots_corrects_fields(fields: dict[str, Any], name: str, value: float, warning: str) -> None:
    """Each field that Webots corrects, with its own words."""
    motor, told = WebotsMotor.from_fields(0.5, **fields)
    assert getattr(motor, name) == value and told == [warning]


@pytest.mark.parametrize(
    "bad",
    [{"max_velocity": -1.0}, {"acceleration": -0.5}, {"multiplier": 0.0}, {"control_p": 0.0}, {"max_torque": math.nan},
     {"min_position": 1.0}, {"kind": "hydraulic"}, {"derivative": "mine"}],
)  # fmt: skip
def test_the_constructor_refuses_what_webots_would_correct(bad: dict[str, Any]) -> None:
    """One sentence names the class, the field and the value."""
    with pytest.raises(ParameterError, match=rf"^WebotsMotor\.{next(iter(bad))} = "):
        WebotsMotor(**bad)


def test_hard_stops_are_warned_of() -> None:
    """Webots changes nothing for a stop inside the soft limits, or beyond half a turn."""
    motor = WebotsMotor(min_position=-2.0, max_position=2.0)
    told = stop_warnings("hinge", 0.0, motor, -1.0, 4.0)
    assert told == [
        "HingeJoint 'maxStop' must be less than pi to be effective.",
        "HingeJoint 'minStop' must be less or equal to RotationalMotor 'minPosition'.",
    ]


# --- coupled motors


def test_coupled_limits_follow_the_first_motor() -> None:
    """The manual's table: multipliers 2, 0.5, 4 and -4."""
    motors = {
        f"m::{name}": WebotsMotor(multiplier=k, min_position=-1.0, max_position=2.0)
        for name, k in {"A": 2.0, "B": 0.5, "C": 4.0, "D": -4.0}.items()
    }
    known, told = couple_motors(motors)
    found = {name[-1]: (m.min_position, m.max_position, m.max_velocity) for name, m in known.items()}
    assert found == {"A": (-1, 2, 10), "B": (-0.25, 0.5, 2.5), "C": (-2, 4, 20), "D": (-4, 2, 20)}
    assert len(told) == 8 and told[0].startswith("When using coupled motors, 'minPosition' must be consistent")


def test_an_unlimited_motor_makes_all_unlimited() -> None:
    """Limits of 0 and 0 of the first motor hold for its siblings."""
    known, told = couple_motors({"m::a": WebotsMotor(), "m::b": WebotsMotor(min_position=-1.0, max_position=1.0)})
    assert (known["m::b"].min_position, known["m::b"].max_position) == (0.0, 0.0)
    assert told[0].startswith("For coupled motors, if one has unlimited position")


def test_a_name_has_exactly_two_parts() -> None:
    """`a::b::c` is no coupling, and a lone `a::b` is warned of."""
    assert groups(["a::b::c", "a", "x::y"]) == {"x": ["x::y"]}
    _, told = couple_motors({"x::y": WebotsMotor()})
    assert told == ["Motor 'x::y' uses the coupled motor name structure but does not have any siblings."]


# --- sound


def test_sound_follows_the_commanded_velocity() -> None:
    """Silent up to a tenth of the largest; gain 0.9 + 0.1·v, pitch 0.6 + 0.8·v."""
    assert not sound(1.0, 10.0).plays
    loud = sound(-5.0, 10.0)
    assert loud.plays and loud.gain == pytest.approx(0.95) and loud.pitch == pytest.approx(1.0)


# --- batches, engines and gradients


def rolled(step: CompiledWebots, state: Any, inertia: Any, load: Any, count: int = 40) -> Any:
    feedback = None
    for _ in range(count):
        state, feedback = step(state, inertia, load, DT)
    return state, feedback


@pytest.mark.parametrize("engine", ["python", "jax", "torch"])
def test_engines_agree(engine: str) -> None:
    """Position control against a load on every engine, to the engine's precision."""
    options = {"dtype": __import__("torch").float64} if engine == "torch" else {}
    motor = WebotsMotor(acceleration=30.0, control_i=2.0, control_d=0.02, max_torque=0.6)
    joint = WebotsJoint(damping_constant=0.05, static_friction=0.1, spring_constant=0.2)
    ends = []
    for name, extra in (("numpy", {}), (engine, options)):
        step = CompiledWebots(motor, joint, name, **extra)
        state = step.command(step.initial(), position=step._engine.array(0.8, **extra))
        state, feedback = rolled(step, state, 0.01, 0.2)
        ends.append([float(state.joint.position), float(state.joint.velocity), float(feedback)])
    assert ends[1] == pytest.approx(ends[0], abs=2e-4 if engine == "jax" else 1e-12)


def test_motors_of_a_batch_have_modes_of_their_own() -> None:
    """Each motor of a batch ends where it would end alone."""
    step = made({"damping_constant": np.array([0.1, 0.2])}, max_torque=np.array([1.0, 2.0]))
    both = step.command(step.initial((2,)), position=np.array([0.5, INF]), velocity=np.array([2.0, -3.0]))
    ends = rolled(step, both, 0.01, 0.1)[0].joint.position
    for k, (position, velocity) in enumerate([(0.5, 2.0), (INF, -3.0)]):
        one = made({"damping_constant": (0.1, 0.2)[k]}, max_torque=(1.0, 2.0)[k])
        alone = one.command(one.initial(), position=position, velocity=velocity)
        assert float(rolled(one, alone, 0.01, 0.1)[0].joint.position) == pytest.approx(ends[k], abs=1e-12)


PARAMETERS = ("control_p", "control_i", "control_d", "max_torque", "acceleration", "multiplier")


@pytest.mark.long
def test_gradients_are_those_of_finite_differences() -> None:
    """Of the end position by every number of the motor, inertia, load and target, in double precision."""
    base = {
        "control_p": 12.0,
        "control_i": 2.0,
        "control_d": 0.03,
        "max_torque": 0.5,
        "acceleration": 30.0,
        "multiplier": 1.1,
    }

    with jax.enable_x64(True):

        def end(x: Any) -> Any:
            motor = replace(WebotsMotor(), **dict(zip(PARAMETERS, x[:6], strict=True)))
            step = CompiledWebots(motor, WebotsJoint(damping_constant=x[6], static_friction=0.1), "jax")
            state = step.command(step.initial(), position=x[7])
            return rolled(step, state, x[8], x[9], 12)[0].joint.position

        x = jnp.array([*base.values(), 0.05, 0.7, 0.02, 0.1])
        slopes = np.asarray(jax.grad(end)(x))
        quick = jax.jit(end)
        for k in range(len(x)):
            h = 1e-6 * max(abs(float(x[k])), 1e-3)
            expected = (float(quick(x.at[k].add(h))) - float(quick(x.at[k].add(-h)))) / (2 * h)
            assert slopes[k] == pytest.approx(expected, rel=1e-5, abs=1e-7), k
        assert np.count_nonzero(slopes) >= 8


@pytest.mark.parametrize(
    "command", [{"position": 0.4}, {"position": INF, "velocity": 1.0}, {"torque": 0.3}, {"available": 0.0}]
)
def test_gradients_are_finite_in_every_mode(command: dict[str, float]) -> None:
    """Infinite targets and missing torque make no NaN."""

    def end(x: Any) -> Any:
        step = CompiledWebots(WebotsMotor(max_torque=x[0], control_p=x[1]), WebotsJoint(), "jax")
        state = step.command(step.initial(), **command)
        return rolled(step, state, x[2], x[3], 5)[0].joint.position

    assert np.isfinite(np.asarray(jax.grad(end)(jnp.array([1.0, 10.0, 0.02, 0.1])))).all()


def test_an_unknown_command_is_refused() -> None:
    """One sentence names what a motor takes."""
    with pytest.raises(ParameterError, match=r"^command\(speed=\.\.\.\): a motor takes position, velocity"):
        made().command(made().initial(), speed=1.0)
