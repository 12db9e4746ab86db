"""Gradients: JAX, PyTorch and finite differences agree, and nothing is infinite where laws have corners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long import some_now
from motors import coupled

import backemf as be
from backemf.actuator.compiled import laws
from backemf.actuator.memory import states_of
from backemf.parts import without_neutral
from backemf.tree import map_numbers, numbers

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
jnp = jax.numpy

STEPS = 20
LUGRE = be.LuGre(
    coulomb=0.01, stiction=0.017, stribeck_velocity=3.0, stiffness=15.0, damping=2e-3, viscous=2e-5,
    stribeck_exponent=1.4, damping_exponent=1.7,
)  # fmt: skip
SIX = be.LoadDependent(
    coulomb=0.004, viscous=2e-5, load=be.LoadShare(drive=0.1, back=0.15),
    quadratic=be.QuadraticShare(drive=0.4, back=0.3),
    stribeck=be.Stribeck(velocity=8.0, exponent=1.3, coulomb=0.003, load=be.LoadShare(drive=0.05, back=0.02)),
)  # fmt: skip
COGGING = be.Cogging(
    harmonics=(
        be.Harmonic(amplitude=2e-3, periodicity=7.0, phase=0.4),
        be.Harmonic(amplitude=1e-3, periodicity=14.0, phase=-1.0),
    )
)
GEARS = be.Gearbox(
    stages=(
        be.Stage(ratio=3.0, efficiency=0.9, inertia=1e-6),
        be.Stage(ratio=-2.5, efficiency=0.8, back_efficiency=0.7, inertia=1e-6),
    )
)


def motor(inductance=8e-4, magnet=None, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=0.8, inductance=inductance),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.06, **(magnet or {})),
        rotor=be.Rotor(inertia=3e-5),
        **parts,
    )


DRAG = be.Drag(coefficients=(1e-5, 1e-7, 1e-9))
ONE = be.Thermal(resistance=4.0, capacitance=0.5)
TWO = be.TwoNodeThermal(
    winding_resistance=2.0, winding_capacitance=0.4, housing_resistance=3.0, housing_capacitance=2.0
)
SATURATING = {
    "temperature_coefficient": -1e-3,
    "iron_loss": 1e-5,
    "saturation": be.Saturation(knee_current=3.0, scale=0.1, torque=0.2),
}
HOT = be.Limits(peak_current=9.0, continuous_current=4.0, derating_start=30.0, derating_end=60.0)
CASES = {
    "electrical": be.Actuator(motor(magnet=SATURATING, thermal=ONE), be.Supply(voltage=24.0, resistance=0.1)),
    "limits": be.Actuator(
        motor(thermal=ONE, limits=replace(HOT, current_rate=4000.0)), be.Supply(voltage=24.0, resistance=0.1)
    ),
    "bristles": be.Actuator(motor(None, friction=LUGRE, cogging=COGGING, drag=DRAG)),
    "dahl": be.Actuator(motor(friction=be.Dahl(coulomb=0.02, stiffness=9.0))),
    "load-dependent": be.Actuator(motor(None, friction=SIX)),
    "gears": be.Actuator(motor(friction=be.Coulomb(coulomb=0.01), gearbox=GEARS)),
    "backlash": be.Actuator(motor(None, gearbox=replace(GEARS, backlash=0.03))),
    "everything": be.Actuator(
        motor(
            magnet=SATURATING, thermal=TWO, friction=LUGRE, cogging=COGGING, drag=be.Drag(coefficients=(1e-5, 1e-7)),
            gearbox=GEARS, limits=HOT,
        ),
        be.Supply(voltage=24.0, resistance=0.1),
    ),
}  # fmt: skip


CASES = {name: without_neutral(kind) for name, kind in CASES.items()}


def with_numbers(kind, values):
    """The same kind of actuator with other numbers, in the order of `numbers`."""
    row = iter(values)
    assert kind is without_neutral(kind), "numbers without effect are in no step"
    return map_numbers(kind, lambda _: next(row))


def pack(kind: be.Actuator) -> np.ndarray:
    """Every number of the actuator, the step, 20 commands and 20 joint speeds."""
    rng = np.random.default_rng(8)
    ratio = abs(kind.motor.ratio)
    time = np.arange(STEPS)
    commands = 9.0 * np.sin(0.5 * time + 0.4) + rng.uniform(-1, 1, STEPS)
    speeds = (30.0 * np.cos(0.35 * time + 0.2) + rng.uniform(-3, 3, STEPS)) / ratio
    return np.concatenate([[float(x) for _, x in numbers(kind)], [1.3e-3], commands, speeds])


def unpack(kind, theta):
    count = len(list(numbers(kind)))
    return (
        with_numbers(kind, [theta[k] for k in range(count)]),
        theta[count],
        theta[count + 1 : count + 1 + STEPS],
        theta[count + 1 + STEPS :],
    )


def score(engine, way, kind, carry, command, speed, dt):
    """One step, and a number that every channel of interest has a share in."""
    state, position, velocity = carry
    if way == "held":
        velocity = speed
        state, out = engine.held(kind, state, command, position, velocity, dt, 0.05, 2e-3)
    else:
        state, velocity, out = coupled(engine, kind, state, command, position, velocity, dt, 0.05, 2e-3, 1e-4)
    position = position + dt * velocity
    worth = out.torque + 0.01 * out.copper_power + 0.05 * velocity + 0.02 * out.winding_temperature + 0.03 * out.current
    return (state, position, velocity), worth + 0.01 * out.bus_voltage


def start(kind, make, velocity):
    state = {name: make(0.0) for name in states_of(kind)}
    if "winding_rise" in state:
        state["winding_rise"] = make(20.0)
    if "gap" in state:
        state["gap"], state["rotor_speed"] = make(0.01), make(5.0)
    return be.State(**state), make(0.1), velocity


def loss_in_python(name, way, theta) -> float:
    return loss_step_by_step(laws("python"), name, way, [float(x) for x in theta], float)


def losses_in_numpy(name, way, rows: np.ndarray) -> np.ndarray:
    """The loss of many rows of arguments (rows, arguments), as one batch."""
    return loss_step_by_step(laws("numpy"), name, way, rows.T, lambda x: np.full(len(rows), x))


def loss_step_by_step(engine, name, way, theta, make):
    kind, dt, commands, speeds = unpack(CASES[name], theta)
    carry, total = start(kind, make, speeds[0]), 0.0
    for k in range(STEPS):
        carry, worth = score(engine, way, kind, carry, commands[k], speeds[k], dt)
        total = total + (1 + 0.1 * k) * worth
    return total


def loss_in_torch(name, way, theta):
    return loss_step_by_step(laws("torch"), name, way, theta, lambda x: torch.tensor(x, dtype=torch.float64))


def loss_in_jax(name, way, theta):
    kind, dt, commands, speeds = unpack(CASES[name], theta)
    engine = laws("jax")

    def one(carry, row):
        weight, command, speed = row
        after, worth = score(engine, way, kind, carry, command, speed, dt)
        return jax.tree.map(lambda x: jnp.asarray(x, jnp.float64), after), weight * worth

    first = start(kind, lambda x: jnp.asarray(x, jnp.float64), speeds[0])
    _, worth = jax.lax.scan(one, first, (1 + 0.1 * jnp.arange(STEPS), commands, speeds))
    return worth.sum()


def differences(losses, theta) -> np.ndarray:
    """Central differences of two widths, extrapolated: exact to the fourth order. `losses` takes rows of arguments."""
    h = 1e-4 * np.maximum(np.abs(theta), 1e-6)
    rows = [theta + side * np.diag(h) for side in (1, -1, 2, -2)]
    ahead, behind, far_ahead, far_behind = np.split(np.asarray(losses(np.concatenate(rows))), 4)
    narrow, wide = (ahead - behind) / (2 * h), (far_ahead - far_behind) / (4 * h)
    return (4 * narrow - wide) / 3


UNFUSED = {"xla_disable_hlo_passes": "fusion", "xla_backend_optimization_level": 0}
"""For a program that runs once: XLA compiles it in a third of the time."""


WAYS = [(name, "held") for name in CASES if name != "backlash"] + [
    (name, "coupled") for name in ("limits", "bristles", "load-dependent", "backlash", "everything")
]


@pytest.mark.parametrize(
    ("name", "way"), some_now(WAYS, lambda name, _: name in ("electrical", "load-dependent", "backlash"))
)
def test_gradients_agree_through_20_steps(name, way):
    """By every parameter, the step, each command and each speed: JAX = PyTorch to 1e-9, both = differences to 1e-5.

    Slopes are compared as the change of the loss per relative change of the argument, so that all have one unit; what
    changes the loss by less than a billionth of it is below what differences resolve.
    """
    theta = pack(CASES[name])
    slope = jax.jit(jax.value_and_grad(lambda x: loss_in_jax(name, way, x)), compiler_options=UNFUSED)
    with jax.enable_x64(True):
        value, by_jax = slope(theta)
        value, by_jax = float(value), np.asarray(by_jax) * theta
    leaf = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
    loss_in_torch(name, way, leaf).backward()
    by_torch = leaf.grad.numpy() * theta
    expected = differences(lambda rows: losses_in_numpy(name, way, rows), theta) * theta
    assert value == pytest.approx(loss_in_python(name, way, theta), rel=1e-11)
    labels = [label for label, _ in numbers(CASES[name])] + ["dt"] + ["command"] * STEPS + ["speed"] * STEPS
    size = abs(value)
    assert size > 1e-3 and np.isfinite(by_jax).all()
    for label, a, b, c in zip(labels, by_jax, by_torch, expected, strict=True):
        assert abs(a - b) <= 1e-9 * abs(a) + 1e-12 * size, (label, a, b)
        assert abs(a - c) <= 1e-5 * abs(c) + 1e-9 * size, (label, a, c)
    # the loss depends on most of its arguments, so that agreement means something
    touched = np.abs(by_jax[: -STEPS if way == "coupled" else None]) > 1e-7 * size
    assert touched.mean() > 0.6


R, K, PLAY = 0.8, 0.05, 0.03
BOX = be.Gearbox(stages=(be.Stage(ratio=4.0),), backlash=PLAY)
STIFF = be.Supply(voltage=24.0, resistance=0.1, modulation_limit=0.9)
DT = 1e-3
CORNERS = {
    "at rest, resistive": (motor(None), {}, 0.0, 0.0),
    "at rest, inductive": (motor(), {}, 0.0, 0.0),
    "at rest, drag": (motor(drag=DRAG), {}, 0.0, 0.0),
    "at rest, iron and saturation": (motor(magnet=SATURATING, thermal=TWO), {}, 0.0, 0.0),
    "at rest, coulomb": (motor(friction=be.Coulomb(coulomb=0.01)), {}, 0.0, 0.0),
    "at rest, no friction left": (motor(friction=be.Coulomb(coulomb=0.0)), {}, 0.0, 0.0),
    "at rest, dahl": (motor(friction=be.Dahl(coulomb=0.02, stiffness=9.0)), {}, 0.0, 0.0),
    "at rest, lugre": (motor(friction=LUGRE), {}, 0.0, 0.0),
    "at rest, lugre with exponents below one": (
        motor(friction=replace(LUGRE, stribeck_exponent=0.5, damping_exponent=0.5)), {}, 0.0, 0.0,
    ),
    "at rest, load-dependent": (motor(friction=SIX), {}, 0.0, 0.0),
    "at rest, gears": (motor(gearbox=GEARS, friction=SIX), {}, 0.0, 0.0),
    "at rest, backlash": (motor(gearbox=BOX), {}, 0.0, 0.0),
    "at rest, everything": (CASES["everything"], {}, 0.0, 0.0),
    "at the current limit": (motor(None, limits=be.Limits(peak_current=5.0)), {}, R * 5.0, 0.0),
    "beyond the current limit": (motor(limits=be.Limits(peak_current=5.0)), {"current": 5.0}, 20.0, 0.0),
    "at the rate limit": (motor(None, limits=be.Limits(current_rate=1000.0)), {"current": 0.0}, R * 1000.0 * DT, 0.0),
    "beyond the rate limit": (motor(limits=be.Limits(current_rate=1000.0)), {"current": 0.0}, 20.0, 0.0),
    "at the voltage limit": (be.Actuator(motor(), STIFF), {}, 0.9 * 24.0, 0.0),
    "no regeneration, no power": (be.Actuator(motor(), replace(STIFF, regeneration=False)), {}, 0.0, 0.0),
    "limited on a sagging bus": (
        be.Actuator(motor(None, limits=be.Limits(peak_current=5.0)), STIFF), {}, R * 5.0, 0.0,
    ),
    "derating begins": (motor(thermal=ONE, limits=HOT), {"winding_rise": 5.0, "current": 9.0}, 20.0, 0.0),
    "derating ends": (motor(thermal=ONE, limits=HOT), {"winding_rise": 35.0, "current": 4.0}, 20.0, 0.0),
    "between sticking and sliding": (
        motor(None, friction=be.Coulomb(coulomb=0.01)), {}, 0.01 * R / K, 0.0,
    ),
    "bristles fully bent": (motor(friction=LUGRE), {"bristle": 0.017 / 15.0}, 0.0, 0.0),
    "bristles turning back": (motor(friction=LUGRE), {"bristle": 0.01 / 15.0}, 0.0, -1e-9),
    "touching a flank": (motor(None, gearbox=BOX), {"gap": 4.0 * PLAY / 2, "rotor_speed": 8.0}, 0.0, 2.0),
    "lying on a flank": (motor(None, gearbox=BOX), {"gap": 4.0 * PLAY / 2}, 0.0, 0.0),
    "at the knee of saturation": (motor(None, {"saturation": SATURATING["saturation"]}), {}, R * 3.0, 0.0),
    "flux gone": (motor(magnet={"temperature_coefficient": -0.01}, thermal=ONE), {"winding_rise": 100.0}, 1.0, 0.0),
}  # fmt: skip


def channels(engine, way, kind, state, command, speed, dt):
    carry, worth = score(engine, way, kind, (state, 0.0 * speed, speed), command, speed, dt)
    return [worth, carry[2]] + [x for _, x in numbers(carry[0])]


def flat_inputs(kind: be.Actuator, initial: dict, command: float, speed: float) -> np.ndarray:
    names = states_of(kind)
    return np.array([*(float(x) for _, x in numbers(kind)), *(initial.get(n, 0.0) for n in names), command, speed, DT])


def step_of(engine, way, kind, theta):
    """All channels of one step as a function of one row of numbers: parameters, states, command, speed and dt."""
    count, names = len(list(numbers(kind))), states_of(kind)
    values = [theta[k] for k in range(len(theta))]
    state = be.State(**dict(zip(names, values[count:], strict=False)))
    return channels(engine, way, with_numbers(kind, values[:count]), state, *values[count + len(names) :])


@pytest.mark.parametrize(
    "corner", some_now(CORNERS, lambda corner: corner.startswith(("at the ", "touching", "derating")))
)
def test_gradients_are_finite_at_every_corner(corner):
    """Zero speed, zero current, each limit exactly active, the edge of sticking, a flank just touched: all finite."""
    kind, initial, command, speed = CORNERS[corner]
    kind = without_neutral(be.Actuator(kind) if isinstance(kind, be.Motor) else kind)
    theta = flat_inputs(kind, initial, command, speed)
    for way in ("held", "coupled"):
        # one infinite slope of one channel makes the slope of the sum infinite or undefined
        with jax.enable_x64(True):
            slopes = jax.grad(lambda x, way=way: sum(step_of(laws("jax"), way, kind, x)))(jnp.asarray(theta))
        assert np.isfinite(slopes).all(), (way, np.argwhere(~np.isfinite(slopes)))
        leaf = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
        sum(step_of(laws("torch"), way, kind, leaf)).backward()
        assert torch.isfinite(leaf.grad).all(), way


def slope_at_rest(kind, of: int) -> tuple[float, float]:
    """d(channel)/d(command) of a `coupled` step at rest: by JAX, and by central differences."""
    kind = without_neutral(be.Actuator(kind))
    theta = flat_inputs(kind, {}, 0.0, 0.0)
    where = len(theta) - 3

    def channel(engine, x):
        return step_of(engine, "coupled", kind, x)[of]

    with jax.enable_x64(True):
        by_jax = float(jax.grad(lambda x: channel(laws("jax"), x))(jnp.asarray(theta))[where])
    moved = [theta.copy() for _ in range(2)]
    for side, row in zip((1e-6, -1e-6), moved, strict=True):
        row[where] = side
    ahead, behind = (channel(laws("python"), [float(x) for x in row]) for row in moved)
    return by_jax, (ahead - behind) / 2e-6


@pytest.mark.parametrize(
    "kind",
    [
        motor(None),
        motor(),
        motor(None, magnet=SATURATING),
        motor(None, friction=be.Dahl(coulomb=0.02, stiffness=9.0)),
        motor(None, friction=LUGRE),
    ],
    ids=["resistive", "inductive", "saturating", "dahl", "lugre"],
)
def test_at_rest_the_gradient_is_right_too(kind):
    """A motor that stands without current speeds up with its voltage, and the gradient there says how much."""
    # whatever the load's constant torque does at rest is the same on both sides
    by_jax, by_differences = slope_at_rest(kind, of=1)
    assert by_differences > 0
    assert by_jax == pytest.approx(by_differences, rel=1e-5)


ROLLED = without_neutral(
    replace(
        motor(thermal=ONE, friction=LUGRE, cogging=COGGING, drag=be.Drag(coefficients=(1e-5, 1e-7)), magnet=SATURATING),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0),)),
    )
)


@pytest.mark.long
def test_a_rollout_of_200_steps_has_the_right_gradient():
    """`rollout` through 200 steps of a full motor on a pendulum: by every number and dt, equal to differences."""
    pendulum = be.Pendulum(mass=0.3, length=0.15)
    commands = 6.0 * np.sin(np.arange(200) * 0.05)
    theta = np.array([float(x) for _, x in numbers(ROLLED)] + [1e-3])

    def loss(x):
        here, seen = be.rollout(
            with_numbers(ROLLED, [x[k] for k in range(len(theta) - 1)]), pendulum, commands, x[-1],
            observe=lambda here, out: here.position + 0.01 * out.current,
        )  # fmt: skip
        return here.velocity + seen.sum() * 0.05 + 0.1 * here.state.winding_rise

    with jax.enable_x64(True):
        value, slopes = jax.jit(jax.value_and_grad(loss), compiler_options=UNFUSED)(jnp.asarray(theta))
        slopes = np.asarray(slopes) * theta
        expected = differences(jax.jit(jax.vmap(loss), compiler_options=UNFUSED), theta) * theta
    assert np.isfinite(slopes).all()
    assert np.abs(slopes - expected).max() <= 1e-5 * np.abs(expected).max()
    for (label, _), a, c in zip([*numbers(ROLLED), ("dt", None)], slopes, expected, strict=True):
        assert abs(a - c) <= 1e-5 * abs(c) + 1e-7 * abs(value), (label, a, c)


@pytest.mark.long
def test_memory_of_a_gradient_grows_with_the_root_of_the_steps():
    """Four times as many steps need about twice the memory: states are kept at √n places and computed again between."""
    actuator, inertia = be.Actuator(ROLLED), be.Inertia(inertia=1e-3)
    begin = be.rest(actuator, inertia, (256,))

    def bytes_for(steps: int) -> int:
        def loss(scale):
            here, _ = be.rollout(actuator, inertia, scale * jnp.ones(steps), 1e-3, start=begin)
            return here.position.sum()

        return jax.jit(jax.grad(loss)).lower(1.0).compile().memory_analysis().temp_size_in_bytes

    few, many = bytes_for(256), bytes_for(1024)
    state = 256 * 4 * 5
    assert few > 16 * state, "the kept states are in there"
    assert many < 2.5 * few


STARTED = be.Actuator(motor(thermal=TWO, friction=LUGRE, cogging=COGGING, magnet=SATURATING))


@pytest.mark.parametrize(
    "load",
    [
        be.Pendulum(mass=0.3, length=0.15),
        be.TwoMass(inertia=1e-3, far_inertia=1e-3, stiffness=2.0, damping=1e-3),
    ],
    ids=lambda load: type(load).__name__,
)
def test_a_rollout_has_the_gradient_by_where_it_starts(load):
    """By position, velocity and both temperatures of the start, equal to differences."""
    theta, commands = np.array([0.4, 3.0, 30.0, 12.0]), 4.0 * np.cos(np.arange(12) * 0.3)

    def loss(x):
        here, seen = be.rollout(
            STARTED, load, commands, 1e-3, position=x[0], velocity=x[1],
            initial={"winding_rise": x[2], "housing_rise": x[3]}, observe=lambda here, out: out.current,
        )  # fmt: skip
        return here.position + 0.1 * here.velocity + 0.01 * here.state.winding_rise + seen.sum()

    with jax.enable_x64(True):
        slopes = np.asarray(jax.jit(jax.grad(loss), compiler_options=UNFUSED)(jnp.asarray(theta)))
        expected = differences(jax.jit(jax.vmap(loss), compiler_options=UNFUSED), theta)
    assert (expected != 0.0).all()
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


def test_a_rollout_along_prescribed_motion_has_the_right_gradient():
    """By the table's positions, the step and the start temperature: a dynamometer turned by a program."""
    theta, volts = np.array([0.1, 0.5, 1e-3, 40.0]), 3.0 * np.ones(10)
    path = be.PrescribedMotion(time=[0.0, 0.02], position=[0.1, 0.5])

    def loss(x):
        moved = jax.tree.unflatten(jax.tree.structure(path), [jnp.array([0.0, 0.02]), x[:2]])
        here, seen = be.rollout(
            STARTED, moved, volts, x[2], initial={"winding_rise": x[3]}, observe=lambda here, out: out.torque
        )
        return here.position + seen.sum() + 0.01 * here.state.winding_rise

    with jax.enable_x64(True):
        slopes = np.asarray(jax.jit(jax.grad(loss), compiler_options=UNFUSED)(jnp.asarray(theta)))
        expected = differences(jax.jit(jax.vmap(loss), compiler_options=UNFUSED), theta)
    assert (expected != 0.0).all()
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("load", "begin"),
    [
        (be.Pendulum(mass=0.3, length=0.15), {"position": 0.4, "velocity": 3.0}),
        (be.PrescribedMotion(time=[0.0, 0.02], position=[0.1, 0.5]), {}),
        (be.LockedRotor(), {"position": 0.2}),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_rollout_ends_where_simulate_does(load, begin):
    """From the same start, with the same temperatures."""
    hot = {"winding_rise": 30.0, "housing_rise": 12.0}
    run = be.simulate(STARTED, load, 4.0, 0.012, 1e-3, initial=hot, engine="numpy", **begin)
    with jax.enable_x64(True):
        here, seen = be.rollout(
            STARTED, load, 4.0 * np.ones(12), 1e-3, initial=hot, observe=lambda here, out: out.load_torque, **begin
        )
    assert float(here.position) == pytest.approx(run["position"][-1], rel=1e-12)
    assert float(here.velocity) == pytest.approx(run["velocity"][-1], rel=1e-11, abs=1e-15)
    assert float(here.state.winding_rise) == pytest.approx(run["winding_rise"][-1], rel=1e-12)
    np.testing.assert_allclose(seen, run["load_torque"], rtol=1e-10, atol=1e-13)


def test_a_start_is_given_once():
    """Either `start`, or position, velocity and temperatures."""
    load = be.Inertia(inertia=1e-3)
    with pytest.raises(be.ParameterError, match=r"rollout\(start=...\) says where everything is"):
        be.rollout(STARTED, load, np.ones(3), 1e-3, start=be.rest(STARTED, load), position=1.0)
    with pytest.raises(be.ParameterError, match="this actuator has no such state; it has current"):
        be.rollout(STARTED, load, np.ones(3), 1e-3, initial={"warmth": 1.0})
