"""Torque limits: each against a plain restatement, what holds over the whole valid range, and how they compose."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long import some_now
from motors import scale

import backemf as be
from backemf.actuator import joint_friction, torque_limits
from backemf.actuator.torque_limits import bounds, bounds_of, clamp, dc_bounds, tightest
from backemf.checks import Number
from backemf.engines import bind, load
from backemf.parts import FAMILIES, number, part
from backemf.physics.state import TORQUE

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
jnp = jax.numpy

DT = 1e-3
rng = np.random.default_rng(31)


@pytest.fixture(autouse=True, scope="module")
def double():
    """JAX in float64, as NumPy is."""
    with jax.enable_x64(True):
        yield


DC = be.DcClip(saturation_effort=20.0, velocity_limit=10.0, effort_limit=12.0)
LIMITS = {
    "dc": DC,
    "effort": be.EffortLimit(effort_limit=7.7),
    "envelope": be.DriveEnvelope(
        max_effort=15.0, max_actuator_velocity=12.0, velocity_dependent_resistance=0.4, speed_effort_gradient=0.6
    ),
    "box": be.DriveEnvelope(max_effort=15.1, max_actuator_velocity=12.0),
    "knee": be.KneeCurve(driving_effort=10.0, braking_effort=14.0, knee_speed=4.0, no_load_speed=11.0),
    "table": be.TorqueSpeedTable(
        speed=[0.0, 3.0, 8.0, 11.0], driving=[9.0, 9.5, 4.0, 0.0], braking=[9.0, 10.0, 6.0, 6.0]
    ),
    "symmetric table": be.TorqueSpeedTable(speed=[1.0, 6.0], driving=[9.0, 3.0]),
    "angle": be.AngleTable(angle=[-1.0, 0.2, 1.5], effort=[4.0, 9.0, 2.0]),
}
# where a limit has corners: rest, knees, ends of tables, the speed of no torque and the corner of the DC clip
CORNERS = np.array([0.0, 1.0, 3.0, 4.0, 6.0, 8.0, 10.0, 11.0, 12.0, 16.0, 100.0, 1e9])
SPEEDS = np.concatenate([CORNERS, -CORNERS, rng.uniform(-25.0, 25.0, 400)])
ANGLES = np.concatenate([[-1.0, 0.2, 1.5, -1e3, 1e3, 0.0], rng.uniform(-2.0, 2.5, len(SPEEDS) - 6)])
TORQUES = np.concatenate([[0.0, 12.0, -12.0, 1e9], rng.uniform(-30.0, 30.0, len(SPEEDS) - 4)])


# --- each limit, restated


def test_the_dc_clip_is_that_of_the_simulators():
    """corner = v_lim (1 + lim/sat), w = clip(v, ±corner)/v_lim, sat (∓1 - w) within ±lim: bit for bit."""
    for _ in range(50):
        sat, top, lim = (float(x) for x in 10.0 ** rng.uniform(-2.0, 3.0, 3))
        corner = top * (1.0 + lim / sat)
        edges = [0.0, top, -top, corner, -corner, 2.0 * corner, -2.0 * corner, np.nextafter(corner, 0.0)]
        for v in [*edges, *rng.uniform(-1.5 * corner, 1.5 * corner, 20)]:
            w = min(max(v, -corner), corner) / top
            low, high = dc_bounds(v, be.DcClip(saturation_effort=sat, velocity_limit=top, effort_limit=lim))
            assert (low, high) == (max(sat * (-1.0 - w), -lim), min(sat * (1.0 - w), lim))


def test_beyond_its_velocity_limit_the_dc_clip_brakes():
    """Between no-load speed and corner at least the line's torque brakes; beyond, exactly the effort limit."""
    low, high = dc_bounds(np.array([10.0, 12.0, 16.0, 40.0]), DC)
    np.testing.assert_allclose(high, [0.0, -4.0, -12.0, -12.0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(low, -12.0)
    backwards_low, backwards_high = dc_bounds(np.array([-10.0, -12.0, -16.0, -40.0]), DC)
    np.testing.assert_array_equal(backwards_low, -high)
    np.testing.assert_array_equal(backwards_high, -low)


@pytest.mark.parametrize("gradient", [0.0, 0.05, 0.7])
@pytest.mark.parametrize("resistance", [0.0, 0.3, 2.0])
def test_the_envelope_is_the_most_that_both_lines_allow(gradient, resistance):
    """|torque| + k|v| <= max and |v| + g|torque| <= v_max hold, and a hair more torque breaks one; else it is 0."""
    limit = be.DriveEnvelope(
        max_effort=15.0, max_actuator_velocity=12.0, velocity_dependent_resistance=resistance,
        speed_effort_gradient=gradient,
    )  # fmt: skip

    def is_allowed(torque, v):
        return (torque + resistance * v <= 15.0 + 1e-12) & (v + gradient * torque <= 12.0 + 1e-12)

    low, high = bounds(limit, 0.0, SPEEDS)
    v = np.abs(SPEEDS)
    np.testing.assert_array_equal(low, -high)
    possible = is_allowed(0.0, v)
    assert possible.any() and not possible.all()
    assert is_allowed(high, v)[possible].all()
    assert not is_allowed(high + 1e-9, v).any()
    np.testing.assert_array_equal(high[~possible], 0.0)


def test_the_knee_curve_is_flat_then_straight():
    """Driving: Y1 up to X1, then a straight line to 0 at X2; braking: Y2 at any speed; at rest both ways drive."""
    limit = LIMITS["knee"]
    low, high = bounds(limit, 0.0, SPEEDS)
    for v, lowest, highest in zip(SPEEDS, low, high, strict=True):
        fast = abs(v)
        driving = 10.0 if fast <= 4.0 else max(10.0 * (11.0 - fast) / 7.0, 0.0)
        forward = driving if v >= 0.0 else 14.0
        backward = driving if v <= 0.0 else 14.0
        assert (lowest, highest) == pytest.approx((-backward, forward), rel=0, abs=1e-12)


@pytest.mark.parametrize("name", ["table", "symmetric table"])
def test_a_speed_table_is_read_by_interpolation(name):
    """Linear between points, held at the ends, driving along the motion and braking against it."""
    limit = LIMITS[name]
    braking = limit.driving if limit.braking is None else limit.braking
    low, high = bounds(limit, 0.0, SPEEDS)
    for v, lowest, highest in zip(SPEEDS, low, high, strict=True):
        drive, brake = np.interp(abs(v), limit.speed, limit.driving), np.interp(abs(v), limit.speed, braking)
        assert highest == (drive if v >= 0.0 else brake)
        assert lowest == -(drive if v <= 0.0 else brake)


def test_an_angle_table_is_read_by_interpolation():
    """The same torque in both directions, at any speed."""
    low, high = bounds(LIMITS["angle"], ANGLES, SPEEDS)
    np.testing.assert_array_equal(high, np.interp(ANGLES, [-1.0, 0.2, 1.5], [4.0, 9.0, 2.0]))
    np.testing.assert_array_equal(low, -high)


def test_limits_differ_from_joint_to_joint():
    """Arrays of limits are those of each joint alone."""
    each = [be.DcClip(saturation_effort=s, velocity_limit=v, effort_limit=e) for s, v, e in ((20, 9, 5), (3, 4, 8))]
    names = ("saturation_effort", "velocity_limit", "effort_limit")
    both = be.DcClip(**{name: np.array([float(getattr(x, name)) for x in each]) for name in names})
    speeds = rng.uniform(-20.0, 20.0, (50, 2))
    low, high = dc_bounds(speeds, both)
    for joint, limit in enumerate(each):
        np.testing.assert_array_equal(low[:, joint], dc_bounds(speeds[:, joint], limit)[0])
        np.testing.assert_array_equal(high[:, joint], dc_bounds(speeds[:, joint], limit)[1])


# --- what holds for every limit

positive = scale(-3, 3)
zero_or_more = st.just(0.0) | positive


@st.composite
def knees(draw):
    knee = draw(zero_or_more)
    return be.KneeCurve(
        driving_effort=draw(positive),
        braking_effort=draw(positive),
        knee_speed=knee,
        no_load_speed=knee * 1.01 + draw(positive),
    )


@st.composite
def tables(draw, kind):
    size = draw(st.integers(2, 6))
    steps = draw(st.lists(scale(-3, 2), min_size=size, max_size=size))
    column = st.lists(zero_or_more, min_size=size, max_size=size)
    if kind is be.AngleTable:
        return be.AngleTable(angle=np.cumsum(steps) - draw(scale(-3, 2)), effort=draw(column))
    braking = draw(st.none() | column)
    return be.TorqueSpeedTable(speed=np.cumsum(steps) - draw(st.just(steps[0])), driving=draw(column), braking=braking)


any_limit = st.one_of(
    st.builds(be.DcClip, saturation_effort=positive, velocity_limit=positive, effort_limit=positive),
    st.builds(be.EffortLimit, effort_limit=positive),
    st.builds(
        be.DriveEnvelope,
        max_effort=positive,
        max_actuator_velocity=positive,
        velocity_dependent_resistance=zero_or_more,
        speed_effort_gradient=zero_or_more,
    ),
    knees(),
    tables(be.TorqueSpeedTable),
    tables(be.AngleTable),
)
joint = {
    "angle": st.floats(-1e4, 1e4),
    "speed": st.just(0.0) | st.floats(-1e4, 1e4) | scale(-3, 3),
    "torque": st.floats(-1e5, 1e5),
}


@settings(max_examples=400, deadline=None)
@given(limit=any_limit, **joint)
def test_bounds_hold_what_physics_says(limit, angle, speed, torque):
    """Finite and in order; rest is allowed at any speed, except that a DC motor beyond its no-load speed must brake."""
    low, high = (float(x) for x in bounds(limit, angle, speed))
    assert np.isfinite([low, high]).all()
    top = max(abs(low), abs(high), getattr(limit, "saturation_effort", 0.0))
    # beyond the corner a DC clip leaves one torque, a difference of two stall torques
    assert low <= high + 1e-12 * top
    if not isinstance(limit, be.DcClip) or abs(speed) <= limit.velocity_limit:
        assert low <= 0.0 <= high
    else:
        assert low * speed <= 0.0 and high * speed <= 0.0


@settings(max_examples=300, deadline=None)
@given(limit=any_limit, more=st.floats(0.0, 1e5), **joint)
def test_a_clip_is_a_clip(limit, more, angle, speed, torque):
    """Clipping again changes nothing, more asked is never less given, and a mirror turns everything around."""
    if isinstance(limit, be.AngleTable):
        mirrored = replace(limit, angle=-limit.angle[::-1], effort=limit.effort[::-1])
    else:
        mirrored = limit
    low, high = bounds(limit, angle, speed)
    once = float(clamp(torque, low, high))
    assert float(clamp(once, low, high)) == once
    assert float(clamp(torque + more, low, high)) >= once
    back = float(clamp(-torque, *bounds(mirrored, -angle, -speed)))
    # an interpolated table is mirrored to rounding; where a DC clip leaves one torque, so are its two bounds
    assert back == pytest.approx(-once, rel=1e-9, abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(limits=st.lists(any_limit, min_size=1, max_size=4), **joint)
def test_a_limit_never_drives_a_joint_that_is_left_alone(limits, angle, speed, torque):
    """With no torque asked, what the limits leave takes power from the joint or none."""
    given = float(clamp(0.0, *tightest(tuple(limits), angle, speed)))
    assert given * speed <= 0.0


@settings(max_examples=300, deadline=None)
@given(limits=st.lists(any_limit, min_size=2, max_size=4), **joint)
def test_several_limits_are_the_tightest(limits, angle, speed, torque):
    """Together they allow what each allows; where nothing is left, no more than the weakest of them."""
    pairs = [[float(x) for x in bounds(limit, angle, speed)] for limit in limits]
    low, high = (float(x) for x in tightest(tuple(limits), angle, speed))
    lowest, highest = max(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    if lowest <= highest:
        assert (low, high) == (lowest, highest)
    else:
        assert low == high
        assert abs(low) == min(abs(lowest), abs(highest))


def test_limits_that_contradict_each_other_are_the_same_in_both_directions():
    """A DC clip that must brake with 12 N·m beside a limit of 5 N·m brakes with 5, forwards and backwards."""
    limits = (DC, be.EffortLimit(effort_limit=5.0))
    for torque in (-30.0, 0.0, 30.0):
        np.testing.assert_array_equal(clamp(torque, *tightest(limits, 0.0, np.array([40.0, -40.0]))), [-5.0, 5.0])


# --- in an actuator


def torques(controller, limits, engine="numpy", delay=None, friction=None, commands=TORQUES):
    """Output of one step, or of two where there is a delay of one step, at all angles and speeds."""
    options = {"eager": True, "dtype": torch.float64} if engine == "torch" else {}
    step = be.Actuator(controller=controller, limits=limits, delay=delay, friction=friction).compile(engine, **options)
    if engine == "python":
        return [
            step(step.initial(()), *row, DT)[1]
            for row in zip(*(x.tolist() for x in (commands, ANGLES, SPEEDS)), strict=True)
        ]
    here = {"jax": jnp.asarray, "torch": torch.as_tensor}.get(engine, np.asarray)
    state = step.initial(SPEEDS.shape)
    for _ in range(1 if delay is None else 2):
        state, out = step(state, here(commands), here(ANGLES), here(SPEEDS), DT)
    return out


CONTROLLERS = {
    "torque": (be.Torque(), lambda command: command),
    "pd": (be.IdealPd(stiffness=2.0, damping=0.3), lambda command: 2.0 * (command - ANGLES) - 0.3 * SPEEDS),
    "pid": (be.TorquePid(kp=2.0, ki=5.0, kd=0.3), lambda command: 2.0 * (command - ANGLES) - 0.3 * SPEEDS),
}


@pytest.mark.parametrize("delay", [None, be.Delay(steps=1)])
@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_clips_what_any_controller_asks(limit, controller, delay):
    """The torque is the asked one within the bounds, the flag says where they act, and what was asked is reported."""
    law, asked = CONTROLLERS[controller]
    out = torques(law, LIMITS[limit], delay=delay)
    wanted = asked(TORQUES)
    low, high = bounds(LIMITS[limit], ANGLES, SPEEDS)
    expected = np.minimum(np.maximum(wanted, low), high)
    np.testing.assert_allclose(out.torque, expected, rtol=1e-14, atol=1e-13)
    np.testing.assert_allclose(out.torque_requested, wanted, rtol=1e-14, atol=1e-13)
    np.testing.assert_array_equal((out.limit & TORQUE) > 0, out.torque != out.torque_requested)
    assert (out.limit & TORQUE).any() and not (out.limit & TORQUE).all()


@pytest.mark.parametrize("engine", ["jax", "torch", "python", "native"])
@pytest.mark.parametrize("limit", [*LIMITS, "all"])
def test_engines_agree(engine, limit):
    """Every limit, tables included, to 1e-12 of NumPy; friction behind it."""
    limits = tuple(LIMITS.values()) if limit == "all" else LIMITS[limit]
    law, friction = CONTROLLERS["pd"][0], be.TanhFriction(coulomb=0.4, activation_speed=0.2, viscous=0.01)
    expected = torques(law, limits, friction=friction)
    out = torques(law, limits, engine, friction=friction)
    for name in ("torque", "torque_requested", "torque_slope", "limit"):
        values = [getattr(o, name) for o in out] if engine == "python" else np.asarray(getattr(out, name))
        # speeds of 1e9 are asked for torques of 3e8
        np.testing.assert_allclose(values, getattr(expected, name), rtol=1e-12, atol=1e-12)


def test_the_slope_of_a_dc_clip_is_its_derivative():
    """Where the slanted line acts the torque falls by sat/v_lim per speed, and not at all on the flat parts."""
    speeds = np.array([2.0, 6.0, 9.0, 12.0, 15.0, 17.0, 40.0, -6.0, -12.0, -17.0])
    step = be.Actuator(limits=DC).compile("numpy")
    ask = np.where(speeds > 0.0, 100.0, -100.0)

    def out(v):
        return step(step.initial(v.shape), ask, 0.0 * v, v, DT)[1]

    falls = -(out(speeds + 1e-6).torque - out(speeds - 1e-6).torque) / 2e-6
    assert set(np.round(falls, 3)) == {0.0, 2.0}
    np.testing.assert_allclose(out(speeds).torque_slope, falls, rtol=0, atol=1e-6)


@settings(max_examples=300, deadline=None)
@given(limit=st.builds(be.DcClip, saturation_effort=positive, velocity_limit=positive, effort_limit=positive))
def test_beyond_the_corner_a_dc_clip_has_no_slope(limit):
    """Whatever rounding makes of the torque there."""
    v = np.array([1.5 * limit.velocity_limit * (1.0 + limit.effort_limit / limit.saturation_effort)])
    step = be.Actuator(limits=limit).compile("numpy")
    assert step(step.initial((1,)), np.full(1, 1e6), np.zeros(1), v, DT)[1].torque_slope == 0.0


def run_free(actuator, speed, inertia, dt, steps=60):
    """Speeds of a free joint under an actuator that is told to do nothing."""
    step = actuator.compile("numpy")
    speed = np.array(speed)
    state, speeds, angle = step.initial(speed.shape), [speed], np.zeros_like(speed)
    for _ in range(steps):
        state, out = step.coupled(state, np.zeros_like(speed), angle, speed, dt, 0.0, inertia)
        angle, speed = out.joint_position, out.joint_velocity
        speeds.append(speed)
    return np.array(speeds)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_joint_under_a_limit_never_gains_energy(limit):
    """Without stiffness the speed only falls; a DC clip brings it down to its no-load speed, the others let it go."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=0.0, damping=0.0), limits=LIMITS[limit])
    speeds = run_free(actuator, [30.0, 11.0, 5.0, 0.1, -0.1, -14.0, -30.0], inertia=0.05, dt=0.01)
    assert (np.diff(np.abs(speeds), axis=0) <= 1e-12).all()
    np.testing.assert_allclose(speeds[-1][[2, 3, 4]], [5.0, 0.1, -0.1], rtol=0, atol=1e-12)
    fast = np.abs(speeds[-1][[0, -1]])
    np.testing.assert_allclose(fast, 10.0 if limit == "dc" else 30.0, rtol=0, atol=1e-6)


# --- with a motor


def geared_motor(ratio, inductance) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=0.6, inductance=inductance),
        magnet=be.Magnet(torque_constant=0.08, back_emf_constant=0.09),
        rotor=be.Rotor(inertia=2e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=ratio, efficiency=0.9),)),
    )


@pytest.mark.parametrize("controller", [be.Voltage(), be.IdealPd(stiffness=0.3), be.Torque(current_bandwidth=900.0)])
@pytest.mark.parametrize("ratio", [9.0, -9.0])
@pytest.mark.parametrize("inductance", [None, 4e-4])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_motor_stays_within_the_limit_of_its_joint(limit, ratio, inductance, controller):
    """Electromagnetic torque times ratio is within the bounds in every mode, also behind a gear that turns around."""
    step = be.Actuator(geared_motor(ratio, inductance), controller=controller, limits=LIMITS[limit]).compile("numpy")
    slow = np.abs(SPEEDS) < 1e3
    speeds, angles = SPEEDS[slow], ANGLES[slow]
    state, command = step.initial(speeds.shape), np.random.default_rng(1).normal(scale=60.0, size=speeds.shape)
    low, high = bounds(LIMITS[limit], angles, speeds)
    for _ in range(3):
        state, out = step(state, command, angles, speeds, DT, load_inertia=0.05)
        torque = out.motor_torque * ratio
        assert (torque >= low - 1e-9).all() and (torque <= high + 1e-9).all()
    acts = (out.limit & TORQUE) > 0
    assert acts.any() and not acts.all()
    # a limit that acts is used up
    room = np.minimum(torque - low, high - torque)
    np.testing.assert_allclose(room[acts], 0.0, atol=1e-9)


@pytest.mark.parametrize("ratio", [9.0, -9.0])
def test_a_servo_keeps_its_current_limit_under_a_torque_limit(ratio):
    """A DC clip that must brake harder than the servo's current allows brakes with that current, in both directions."""
    servo = be.DutyServo(kp=1.0, current_limit=4.0)
    supply = be.Supply(voltage=200.0)
    step = be.Actuator(geared_motor(ratio, None), supply, controller=servo, limits=DC).compile("numpy")
    speeds = np.array([40.0, -40.0])
    _, out = step(step.initial((2,)), np.zeros(2), np.zeros(2), speeds, DT, load_inertia=0.05)
    np.testing.assert_allclose(out.current, np.sign(ratio) * np.array([-4.0, 4.0]), rtol=1e-12)


# --- gradients


def slopes_by_jax(limit, torque, angle, speed):
    """Slopes of the clipped torque over everything it depends on."""
    law = bind(torque_limits, "jax", load("jax").ops)

    def clip_torque(limit, torque, angle, speed):
        return law.clamp(torque, *law.bounds(limit, angle, speed))

    limit = jax.tree.map(jnp.asarray, limit)
    return jax.grad(clip_torque, argnums=(0, 1, 2, 3))(limit, *(jnp.asarray(x) for x in (torque, angle, speed)))


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("single", some_now([False, True], lambda single: not single))
def test_slopes_are_finite_at_every_corner(limit, single):
    """At rest, at knees, where lines meet and where nothing is left, in float64 and float32, limits included."""
    with jax.enable_x64(not single):
        for speed in (0.0, 1.0, 3.0, 4.0, 8.0, 10.0, 11.0, 12.0, -12.0, 16.0, -16.0):
            for torque in (0.0, 50.0, -50.0):
                slopes = jax.tree.leaves(slopes_by_jax(LIMITS[limit], torque, 0.2, speed))
                assert all(np.isfinite(x).all() for x in slopes)


@pytest.mark.parametrize("limit", LIMITS)
def test_torch_has_the_slopes_of_jax(limit):
    """Between corners, over torque, angle and speed."""
    for angle, speed, torque in ((0.7, 9.2, 50.0), (0.7, -7.1, 50.0), (-0.4, 5.5, -50.0), (0.7, 9.2, 0.1)):
        x = [torch.tensor([value], dtype=torch.float64, requires_grad=True) for value in (torque, angle, speed)]
        options = {"eager": True, "dtype": torch.float64}
        step = be.Actuator(limits=LIMITS[limit]).compile("torch", **options)
        step(step.initial((1,)), *x, DT)[1].torque.sum().backward()
        expected = slopes_by_jax(LIMITS[limit], torque, angle, speed)[1:]
        found = [0.0 if value.grad is None else value.grad.item() for value in x]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


# --- friction

FRICTION = be.TanhFriction(coulomb=0.6, activation_speed=0.05, viscous=0.02)
friction_law = bind(joint_friction, "jax", load("jax").ops)
frictions = st.builds(be.TanhFriction, coulomb=zero_or_more, activation_speed=scale(-4, 1), viscous=zero_or_more)


@settings(max_examples=200, deadline=None)
@given(friction=frictions, speed=st.floats(-1e4, 1e4))
def test_friction_only_takes_power(friction, speed):
    """It is against the motion at every speed, nothing at rest, and the same in both directions."""
    torque = joint_friction.tanh_friction(speed, friction)
    assert torque * speed >= 0.0
    assert joint_friction.tanh_friction(-speed, friction) == -torque
    assert joint_friction.tanh_friction(0.0, friction) == 0.0


def test_the_slope_of_friction_is_its_derivative():
    """By automatic differentiation, at rest and at any speed."""
    speeds = np.concatenate([[0.0], 10.0 ** rng.uniform(-4, 1, 50), -(10.0 ** rng.uniform(-4, 1, 50))])
    expected = jax.vmap(jax.grad(lambda v: friction_law.tanh_friction(v, FRICTION)))(jnp.asarray(speeds))
    np.testing.assert_allclose(joint_friction.tanh_friction_slope(speeds, FRICTION), expected, rtol=1e-10, atol=1e-14)


def test_friction_over_speed_is_smooth_at_rest():
    """It is the friction divided by the speed, and its limit c/v_a + viscous where that is 0/0, slopes included."""
    speeds = np.array([0.0, 1e-15, 1e-9, 1e-3, 0.05, 2.0, -2.0])
    found = joint_friction.tanh_friction_per_speed(speeds, FRICTION)
    expected = [12.02, 12.02, *(joint_friction.tanh_friction(speeds[2:], FRICTION) / speeds[2:])]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    slopes = jax.vmap(jax.grad(lambda v: friction_law.tanh_friction_per_speed(v, FRICTION)))(jnp.asarray(speeds))
    assert np.isfinite(slopes).all()


@settings(max_examples=100, deadline=None)
@given(friction=frictions, inertia=scale(-6, 1), dt=scale(-5, -1))
def test_friction_never_creates_energy(friction, inertia, dt):
    """Alone with an inertia the joint slows down at any step, however stiff, and never turns around."""
    speeds = run_free(be.Actuator(friction=friction), [30.0, 0.3, 0.004, -0.05, -2.0], inertia, dt, steps=20)
    assert (np.diff(np.abs(speeds), axis=0) <= 0.0).all()
    assert (speeds * speeds[0] >= 0.0).all()


def test_friction_acts_behind_the_limit():
    """What a limit leaves is what the drive gives; friction comes on top, as in Unitree's actuators."""
    out = torques(be.Torque(), LIMITS["effort"], friction=FRICTION)
    expected = np.clip(TORQUES, -7.7, 7.7) - 0.6 * np.tanh(SPEEDS / 0.05) - 0.02 * SPEEDS
    np.testing.assert_allclose(out.torque, expected, rtol=1e-13, atol=1e-13)


# --- what is refused

DC_GOOD = {"saturation_effort": 20.0, "velocity_limit": 10.0, "effort_limit": 12.0}
KNEE_GOOD = {"driving_effort": 10.0, "braking_effort": 14.0, "knee_speed": 4.0, "no_load_speed": 11.0}
BAD = [
    *(
        (be.DcClip, DC_GOOD | {name: bad}, f"DcClip.{name} = ")
        for name in DC_GOOD
        for bad in (0.0, -1.0, np.inf, np.nan)
    ),
    (be.DcClip, DC_GOOD | {"effort_limit": np.array([1.0, -2.0])}, "DcClip.effort_limit = -2 at index (1,): must be a"),
    (be.DcClip, DC_GOOD | {"effort_limit": None}, "DcClip.effort_limit = None: must be a number"),
    (be.DcClip, DC_GOOD | {"effort_limit": "12"}, "DcClip.effort_limit = '12': must be a number"),
    (be.EffortLimit, {"effort_limit": 0.0}, "EffortLimit.effort_limit = 0: must be a finite number greater than 0"),
    (be.DriveEnvelope, {"max_effort": 0.0, "max_actuator_velocity": 1.0}, "DriveEnvelope.max_effort = 0: must be"),
    (be.DriveEnvelope, {"max_effort": 1.0, "max_actuator_velocity": -1.0}, "DriveEnvelope.max_actuator_velocity = -1"),
    (
        be.DriveEnvelope,
        {"max_effort": 1.0, "max_actuator_velocity": 1.0, "speed_effort_gradient": -0.1},
        "DriveEnvelope.speed_effort_gradient = -0.1: must be a finite number at least 0",
    ),
    (be.KneeCurve, KNEE_GOOD | {"braking_effort": -1.0}, "KneeCurve.braking_effort = -1: must be"),
    (be.KneeCurve, KNEE_GOOD | {"knee_speed": 11.0}, "KneeCurve.knee_speed = 11.0 rad/s must be below no_load_speed"),
    (be.TorqueSpeedTable, {"speed": [0, 2, 1], "driving": [3, 2, 1]}, "TorqueSpeedTable.speed: must rise"),
    (be.TorqueSpeedTable, {"speed": [0, 1, 1], "driving": [3, 2, 1]}, "TorqueSpeedTable.speed: must rise"),
    (be.TorqueSpeedTable, {"speed": [-1, 1], "driving": [3, 2]}, "TorqueSpeedTable.speed[0] = -1 rad/s: must be 0 or"),
    (
        be.TorqueSpeedTable,
        {"speed": [0, 1], "driving": [3, 2, 1]},
        "its columns have the lengths speed (2,), driving (3,)",
    ),
    (
        be.TorqueSpeedTable,
        {"speed": [0, 1], "driving": [3, 2], "braking": [1]},
        "two or more finite numbers in one row",
    ),
    (
        be.TorqueSpeedTable,
        {"speed": [0, 1], "driving": [3, -2]},
        "TorqueSpeedTable.driving = -2: must be a torque of 0",
    ),
    (be.TorqueSpeedTable, {"speed": [0, np.inf], "driving": [3, 2]}, "two or more finite numbers in one row"),
    (be.TorqueSpeedTable, {"speed": 5.0, "driving": [3, 2]}, "TorqueSpeedTable.speed = 5.0: must be a list of numbers"),
    (be.AngleTable, {"angle": ["a", "b"], "effort": [3, 2]}, "AngleTable.angle: must be a list of numbers"),
    (be.AngleTable, {"angle": np.array(["a", "b"]), "effort": [3, 2]}, "must be a list of numbers"),
    (be.AngleTable, {"angle": [0, 1], "effort": None}, "AngleTable.effort = None: must be a list of numbers"),
    (be.AngleTable, {"angle": [[0, 1], [2, 3]], "effort": [3, 2]}, "two or more finite numbers in one row"),
    (be.AngleTable, {"angle": [1.0, 0.5], "effort": [3, 2]}, "AngleTable.angle: must rise from point to point"),
    (be.TanhFriction, {"coulomb": -0.1}, "TanhFriction.coulomb = -0.1: must be a finite number at least 0"),
    (be.TanhFriction, {"coulomb": 0.1, "activation_speed": 0.0}, "TanhFriction.activation_speed = 0: must be"),
    (be.TanhFriction, {"coulomb": 0.1, "viscous": np.nan}, "TanhFriction.viscous = nan: must be"),
    (be.Actuator, {"limits": (be.Torque(),)}, "Actuator.limits holds Torque(...): must be limits such as DcClip"),
    (be.Actuator, {"limits": 5.0}, "Actuator.limits = 5.0: must be a tuple of"),
    (be.Actuator, {"limits": (DC, None)}, "Actuator.limits = "),
]


@pytest.mark.parametrize(("kind", "given_fields", "sentence"), BAD)
def test_a_limit_that_makes_no_sense_is_refused(kind, given_fields, sentence):
    """One sentence names the field and the value, before a zero or an infinity turns into NaN somewhere else."""
    with pytest.raises(be.ParameterError) as error:
        kind(**given_fields)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_limits_are_plain_trees():
    """JAX takes every limit apart and puts it together again, tables included."""
    for limit in LIMITS.values():
        again = jax.tree.map(lambda x: x, limit)
        for entry in fields(limit):
            np.testing.assert_array_equal(getattr(again, entry.name), getattr(limit, entry.name))


def test_unitrees_curve_is_that_of_its_actuators():
    """Along the motion Y1, else Y2, both falling from X1 to X2: restated row by row."""
    limit = be.KneeCurve.unitree(x1=4.0, x2=11.0, y1=10.0, y2=14.0)
    local = np.random.default_rng(3)
    speed = np.concatenate([local.uniform(-15, 15, 5000), [0.0, 4.0, -4.0, 11.0, -11.0]])
    asked = np.concatenate([local.uniform(-30, 30, 5000), [20.0, 20.0, -20.0, 20.0, 20.0]])
    step = be.Actuator(controller=be.Torque(), limits=limit).compile("numpy")
    _, out = step(step.initial(speed.shape), asked, 0.0 * speed, speed, 1e-3)
    for v, tau, got in zip(speed, asked, out.torque, strict=True):
        most = 10.0 if v * tau > 0 else 14.0
        if abs(v) >= 4.0:
            most = max(0.0, most - most / (11.0 - 4.0) * (abs(v) - 4.0))
        assert got == pytest.approx(min(max(tau, -most), most), abs=1e-12)


@part
class HalfWave:
    """A limit that only pushes forwards."""

    effort: Number = number("N·m", above=0.0)
    """Largest torque."""


@bounds_of(HalfWave)
def half_wave_bounds(limit: HalfWave, angle: float, speed: float) -> tuple[float, float]:
    """From nothing to the effort."""
    return 0.0, limit.effort


@pytest.mark.parametrize("engine", ["numpy", "python", "jax", "native"])
def test_a_new_limit_is_a_part_and_its_law(engine, monkeypatch):
    """Declared in one file, it bounds a joint's torque, held and together with a load."""
    # what `part(family="limit")` does, for this test alone
    monkeypatch.setitem(FAMILIES["limit"], "HalfWave", HalfWave)
    step = be.Actuator(controller=be.Torque(), limits=HalfWave(effort=2.0)).compile(engine)
    for asked, expected in ((5.0, 2.0), (1.0, 1.0), (-1.0, 0.0)):
        assert float(step(step.initial(), asked, 0.0, 0.0, DT)[1].torque) == expected
        assert float(step.coupled(step.initial(), asked, 0.0, 0.0, DT, 0.0, 0.1)[1].torque) == expected
