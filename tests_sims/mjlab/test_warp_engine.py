"""The Warp engine: NumPy's numbers from one kernel per step, and right gradients through every state."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
import warp as wp

import backemf as be
from backemf.physics.command import TORQUE, VELOCITY, VOLTAGE
from backemf.robot.compiled import CompiledSet
from backemf.robot.grouping import Group

STEPS, BATCH, DT = 50, (5, 4), 1e-3
LIMIT = be.DcClip(saturation_effort=1.0, velocity_limit=12.0, effort_limit=0.8)


def motor(full: bool = False, **parts) -> be.Motor:
    """A geared motor; with `full`, everything that a motor can have but backlash."""
    if full:
        parts = {
            "thermal": be.TwoNodeThermal(
                winding_resistance=2.0, winding_capacitance=0.05, housing_resistance=9.0, housing_capacitance=4.0
            ),
            "friction": be.LuGre(
                coulomb=0.004, stiction=0.007, stribeck_velocity=2.0, stiffness=5.0, damping=1e-3, viscous=1e-5
            ),
            "cogging": be.Cogging(harmonics=(be.Harmonic(amplitude=1e-3, periodicity=14.0, phase=0.3),)),
            "drag": be.Drag(coefficients=(1e-5, 1e-7)),
            "limits": be.Limits(
                peak_current=8.0, continuous_current=3.0, current_rate=5e3, derating_start=30.0, derating_end=60.0
            ),
        } | parts
    return be.Motor(
        winding=be.Winding(resistance=1.2, inductance=1e-3, temperature_coefficient=0.004),
        magnet=be.Magnet(
            torque_constant=0.05,
            back_emf_constant=0.06,
            temperature_coefficient=-0.001,
            iron_loss=1e-6 if full else None,
            saturation=be.Saturation(knee_current=4.0, scale=0.1, torque=0.1) if full else None,
        ),
        rotor=be.Rotor(inertia=1e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0, efficiency=0.8 if full else None),)),
        **parts,
    )


BATTERY = be.Supply(voltage=14.8, resistance=0.1, modulation_limit=0.95, regeneration=False)
PID = be.PositionPid(kp=20.0, ki=30.0, kd=0.5, integral_limit=0.02, freeze_at_limit=True)
RANGES = {"command_range": (-1.2, 1.2), "slew": 25.0}
KINDS = {
    "PD and DC clip": be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.15), limits=LIMIT),
    "full motor": be.Actuator(motor(full=True), BATTERY, controller=PID, limits=LIMIT, **RANGES),
    "own numbers": be.Actuator(
        be.Motor(
            winding=be.Winding(resistance=np.linspace(0.5, 2.0, 4), inductance=np.linspace(5e-4, 2e-3, 5)[:, None]),
            magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.06),
        ),
        controller=be.VelocityPi(kp=3.0, ki=20.0),
    ),
    "current loop": be.Actuator(
        motor(), BATTERY, controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=500.0)
    ),
    "whole delay": be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.1), delay=be.Delay(steps=2)),
    "fractional delay": be.Actuator(motor(), BATTERY, controller=PID, delay=be.Delay(steps=2.5), **RANGES),
    "drawn delay": be.Actuator(motor(), controller=PID, delay=be.Delay(steps=(0, 3), schedule="step")),
    "held delay": be.Actuator(
        controller=be.IdealPd(stiffness=6.0),
        delay=be.Delay(steps=(0.0, 3.0), schedule="period", period=4, hold_probability=0.3),
    ),
    "delay per joint": be.Actuator(
        motor(), controller=PID, delay=be.Delay(seconds=(0.0, 0.004), schedule="episode", per="joint")
    ),
    "mjlab's delay": be.Actuator(
        controller=be.IdealPd(stiffness=6.0), delay=be.Delay(steps=(0, 3), schedule="mjlab", period=3)
    ),
    "modes": be.Actuator(motor(), BATTERY, controller=be.ModeSelector(velocity=be.VelocityPi(kp=3.0, ki=20.0))),
    "modes, current loop": be.Actuator(
        motor(),
        BATTERY,
        controller=be.ModeSelector(
            torque=be.Torque(current_bandwidth=500.0), velocity=be.TorquePid(kd=0.3, ki=5.0, follows="velocity")
        ),
        delay=be.Delay(steps=1),
    ),
    "servo": be.Actuator(
        motor(), BATTERY, controller=be.DutyServo(kp=5.0, ki=8.0, kd=0.05, current_limit=6.0, dead_band=0.01)
    ),
    "three turns": be.Actuator(motor(full=True), BATTERY, controller=PID, substeps=3),
    "table": be.Actuator(
        controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, freeze_at_limit=True),
        limits=(
            be.TorqueSpeedTable(speed=[0.0, 3.0, 6.0], driving=[1.0, 0.7, 0.1], braking=[1.0, 1.0, 0.4]),
            be.AngleTable(angle=[-0.5, 0.0, 0.5], effort=[0.5, 1.0, 0.3]),
            be.KneeCurve.unitree(x1=2.0, x2=9.0, y1=0.9, y2=1.1),
        ),
        friction=be.TanhFriction(coulomb=0.1, viscous=0.01),
    ),
}  # fmt: skip


def inputs(controller) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Random commands of every input, positions and velocities (steps, environments, joints)."""
    rng, shape = np.random.default_rng(11), (STEPS, *BATCH)
    given = {name: rng.normal(size=shape) * (1.0 + 4.0 * (name == "voltage")) for name in controller.inputs}
    if isinstance(controller, be.ModeSelector):
        given["mode"] = rng.choice([TORQUE, VOLTAGE, VELOCITY], shape).astype(np.int32)
    # what is no number is held, and flagged
    given[controller.main][7, 1, 2] = np.nan
    v = 3.0 * rng.normal(size=shape)
    return given, DT * np.cumsum(v, axis=0) + 0.2, v


def course(actuator: be.Actuator, engine: str, load: bool = False, mask_at: int | None = None, **options):
    """Every output and state of 50 steps on an engine; `mask_at`: some motors are reset in that step."""
    given, q, v = inputs(actuator.controller)
    dtype = options.get("dtype", wp.float64)

    def make(x):
        if engine == "numpy":
            return x
        return wp.array(x, dtype=wp.int32 if x.dtype.kind == "i" else dtype)

    step = actuator.compile(engine, **({"dtype": wp.float64, "device": "cpu"} | options if engine == "warp" else {}))
    state, rows = step.initial(BATCH, seed=3, dt=DT), []
    more = (make(0.1 * v[0]), make(np.full(BATCH, 2e-3))) if load else ()
    for k in range(STEPS):
        if k == mask_at:
            state = step.reset(state, np.arange(20).reshape(BATCH) % 7 == 0)
        command = be.Command(**{n: make(x[k]) for n, x in given.items()})
        state, out = step(state, command, make(q[k]), make(v[k]), DT, *more)
        rows.append(values(out, "") | values(state, "state."))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def values(part, prefix: str) -> dict[str, np.ndarray]:
    found = {}
    for entry in fields(part):
        x = getattr(part, entry.name)
        if x is not None:
            x = np.array(x.numpy() if isinstance(x, wp.array) else x, dtype=float)
            alone = entry.name == "head" or (prefix == "" and x.ndim < len(BATCH))
            found[prefix + entry.name] = np.broadcast_to(x.reshape(()) if x.size == 1 else x, BATCH) if alone else x
    return found


def compare(ours: dict[str, np.ndarray], reference: dict[str, np.ndarray], tolerance: float, flips: float = 0.0):
    """Every output and state; of switches, a share may flip with rounding."""
    assert ours.keys() == reference.keys()
    powers = max([np.abs(x).max() for n, x in reference.items() if n.endswith("_power")], default=0.0)
    for name, expected in reference.items():
        assert np.isfinite(ours[name]).all(), name
        if name == "limit":
            assert (ours[name] != expected).mean() <= flips, name
            continue
        # powers are differences of each other, a torque is what momentum is missing
        scale = max(np.abs(expected).max(), powers if name.endswith("_power") else 0.0, 1e-9)
        error = np.abs(ours[name] - expected)
        assert np.quantile(error, 1.0 - flips) <= tolerance * scale, (name, error.max() / scale)


@pytest.mark.parametrize("name", KINDS)
def test_float64_gives_the_numbers_of_numpy(name):
    """50 random steps, a reset of some motors among them: every output and state to 1e-12 of its peak."""
    reference = course(KINDS[name], "numpy", mask_at=20)
    assert np.abs(reference["torque"]).max() > 1e-3
    compare(course(KINDS[name], "warp", mask_at=20), reference, 1e-12)


@pytest.mark.parametrize("name", ["full motor", "drawn delay", "modes, current loop"])
def test_in_place_gives_the_same(name):
    """A step that writes over its state gives what one with a fresh state gives, to the last bit."""
    fresh, over = (course(KINDS[name], "warp", mask_at=20, in_place=choice) for choice in (False, True))
    for channel, expected in fresh.items():
        assert np.array_equal(over[channel], expected), channel


def test_a_known_load_gives_the_numbers_of_numpy():
    """With the load known, bristles are solved by iteration: the same to 1e-11."""
    reference = course(KINDS["full motor"], "numpy", load=True)
    compare(course(KINDS["full motor"], "warp", load=True), reference, 1e-11)


def test_backlash_gives_the_numbers_of_numpy():
    """A rotor with play is ours to integrate."""
    plain = motor()
    loose = replace(plain, gearbox=replace(plain.gearbox, backlash=0.02))
    kind = be.Actuator(loose, BATTERY, controller=PID)
    compare(course(kind, "warp", load=True), course(kind, "numpy", load=True), 1e-11)


@pytest.mark.parametrize("name", ["PD and DC clip", "fractional delay", "current loop", "full motor"])
def test_float32_agrees_to_rounding(name):
    """50 steps in float32 stay within 2e-4 of the peak; at the edge of a limit one step in a hundred may differ."""
    compare(course(KINDS[name], "warp", dtype=wp.float32), course(KINDS[name], "numpy"), 2e-4, flips=0.01)


# --- gradients

TURNS, TARGET = 20, 0.3
KIND = {
    "PID, delay and heat": be.Actuator(
        motor(
            thermal=be.TwoNodeThermal(
                winding_resistance=2.0, winding_capacitance=0.05, housing_resistance=9.0, housing_capacitance=4.0
            )
        ),
        controller=be.PositionPid(kp=20.0, ki=60.0, kd=0.5),
        delay=be.Delay(steps=2.5),
    ),
    "bristles and current loop": be.Actuator(
        motor(
            friction=be.LuGre(
                coulomb=0.004, stiction=0.007, stribeck_velocity=2.0, stiffness=5.0, damping=1e-3, viscous=1e-5
            )
        ),
        controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=300.0),
        delay=be.Delay(steps=(0.0, 3.0), schedule="step"),
    ),
}


@wp.kernel(enable_backward=True)
def move_joint(
    torque: wp.array2d(dtype=wp.float64),
    q: wp.array2d(dtype=wp.float64),
    v: wp.array2d(dtype=wp.float64),
    q1: wp.array2d(dtype=wp.float64),
    v1: wp.array2d(dtype=wp.float64),
    loss: wp.array(dtype=wp.float64),
):
    """A joint of 0.01 kg·m² a step later, and its squared distance to the target."""
    i, j = wp.tid()
    v1[i, j] = v[i, j] + wp.float64(0.1) * torque[i, j]
    q1[i, j] = q[i, j] + wp.float64(0.001) * v1[i, j]
    wp.atomic_add(loss, 0, (q1[i, j] - wp.float64(0.3)) * (q1[i, j] - wp.float64(0.3)))


def replace_number(actuator: be.Actuator, name: str, value) -> be.Actuator:
    """The actuator with one number changed, by its dotted name."""
    head, _, rest = name.partition(".")
    return replace(actuator, **{head: replace_number(getattr(actuator, head), rest, value) if rest else value})


NUMBERS = {
    "PID, delay and heat": (
        "motor.winding.resistance",
        "motor.magnet.back_emf_constant",
        "controller.ki",
        "delay.steps",
    ),
    "bristles and current loop": ("controller.current_bandwidth", "motor.friction.stiffness", "controller.kp"),
}


def numpy_loss(actuator: be.Actuator, load: bool, q: np.ndarray, command: np.ndarray) -> float:
    step = actuator.compile("numpy")
    state, v, loss = step.initial((2, 2), seed=5), np.full((2, 2), 0.2), 0.0
    more = (0.01 * np.ones((2, 2)), 5e-3 * np.ones((2, 2))) if load else ()
    for _ in range(TURNS):
        state, out = step(state, command, q, v, DT, *more)
        v = v + 0.1 * out.torque
        q = q + 0.001 * v
        loss += ((q - TARGET) ** 2).sum()
    return loss


@pytest.mark.parametrize("load", [False, True])
@pytest.mark.parametrize("name", KIND)
def test_gradients_through_every_state(name, load):
    """The slope of a loss over 20 steps to parameters, start and command: `wp.Tape` equals differences to 1e-6."""
    rng = np.random.default_rng(2)
    q0, target = 0.1 * rng.normal(size=(2, 2)), 0.3 + 0.1 * rng.normal(size=(2, 2))
    base = {n: value_of(KIND[name], n) for n in NUMBERS[name]}

    def wide(x):
        return wp.array(np.array(x) * np.ones((2, 2)), dtype=wp.float64, requires_grad=True)

    numbers = {n: wide(x) for n, x in base.items()}
    actuator = KIND[name]
    for n, x in numbers.items():
        actuator = replace_number(actuator, n, x)
    step = actuator.compile("warp", dtype=wp.float64, device="cpu")
    state, q, v, command = step.initial((2, 2), seed=5), wide(q0), wide(0.2), wide(target)
    start, more = q, (wide(0.01), wide(5e-3)) if load else ()
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(TURNS):
            state, out = step(state, command, q, v, DT, *more)
            q1, v1 = wide(0.0), wide(0.0)
            wp.launch(move_joint, dim=(2, 2), inputs=[out.torque, q, v], outputs=[q1, v1, loss], device="cpu")
            q, v = q1, v1
    assert loss.numpy()[0] == pytest.approx(numpy_loss(KIND[name], load, q0, target), rel=1e-11)
    tape.backward(loss)

    def difference(change, scale):
        # of fourth order, so that 1e-6 is within reach
        near, far = ((change(s * scale) - change(-s * scale)) for s in (1e-4, 2e-4))
        return (8 * near - far) / 12e-4

    for n, x in base.items():
        moving = (
            difference(lambda h, n=n, x=x: numpy_loss(replace_number(KIND[name], n, x + h), load, q0, target), x) / x
        )
        assert abs(moving * x) > 1e-9
        assert numbers[n].grad.numpy().sum() == pytest.approx(moving, rel=1e-6), n
    for array, at in ((start, lambda h: (q0 + h, target)), (command, lambda h: (q0, target + h))):
        moving = difference(lambda h, at=at: numpy_loss(KIND[name], load, *at(h)), 1.0)
        assert array.grad.numpy().sum() == pytest.approx(moving, rel=1e-6)


def value_of(part, name: str) -> float:
    for each in name.split("."):
        part = getattr(part, each)
    return part


def test_gradients_at_rest_are_finite():
    """Bristles that neither bend nor slip, solved by iteration: the slope of the torque is a number."""
    step = KIND["bristles and current loop"].compile("warp", dtype=wp.float32, device="cpu")
    state = step.initial((2, 2))
    q, v = (wp.zeros((2, 2), dtype=wp.float32, requires_grad=True) for _ in range(2))
    nothing, inertia = wp.zeros((2, 2), dtype=wp.float32), wp.full((2, 2), 5e-3, dtype=wp.float32)
    tape = wp.Tape()
    with tape:
        for _ in range(3):
            state, out = step(state, q, q, v, DT, nothing, inertia)
    out.torque.grad.fill_(1.0)
    tape.backward()
    assert np.isfinite(v.grad.numpy()).all() and (v.grad.numpy() != 0.0).all()
    assert np.isfinite(q.grad.numpy()).all()
    # what only leads to the solution is a function without an adjoint
    assert all("value_of_" in plan.launch.writer.write() for plan in step._run.plans.values())


@wp.kernel(enable_backward=True)
def square(x: wp.array2d(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i, j = wp.tid()
    wp.atomic_add(loss, 0, x[i, j] * x[i, j])


def test_gradients_of_a_delay_that_joints_share():
    """A drawn delay is one number for the joints of an environment, and so is its gradient: not once per joint."""
    commands = 0.3 * np.random.default_rng(0).normal(size=(TURNS, 2, 3))

    def course(engine: str, low, make):
        delay = be.Delay(steps=(low, 2.3), schedule="period", period=3, frames=6)
        actuator = be.Actuator(motor(), controller=be.PositionPid(kp=20.0, ki=60.0), delay=delay)
        step = actuator.compile(engine, **({"dtype": "float64"} if engine == "warp" else {}))
        state, zero = step.initial((2, 3), seed=5), make(np.zeros((2, 3)))
        for command in commands:
            state, out = step(state, make(command), zero, zero, DT)
            yield out.torque

    low = wp.array(np.full((2, 1), 0.6), dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for torque in course("warp", low, lambda x: wp.array(x, dtype=wp.float64)):
            wp.launch(square, dim=(2, 3), inputs=[torque], outputs=[loss])
    tape.backward(loss)
    sums = [sum((x**2).sum() for x in course("numpy", np.full((2, 1), 0.6 + h), np.asarray)) for h in (-1e-6, 1e-6)]
    assert abs(sums[1] - sums[0]) > 1e-6
    assert low.grad.numpy().sum() == pytest.approx((sums[1] - sums[0]) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("shape", [(5, 4), (5, 1), (4,), (1, 4), ()])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_mask_of_any_shape_resets_what_it_does_with_numpy(shape, in_place):
    """Motors start again one by one, an environment's delay with any of its motors; both as with NumPy."""
    mask = np.random.default_rng(1).random(shape) < 0.3 if shape else np.array(True)
    after = []
    for engine, options in (("numpy", {}), ("warp", {"dtype": "float64", "in_place": in_place})):
        step = KINDS["held delay"].compile(engine, **options)
        state, zero = step.initial(BATCH, seed=8), np.full(BATCH, 0.5)
        zero = wp.array(zero, dtype=wp.float64) if engine == "warp" else zero
        for _ in range(6):
            state, _ = step(state, zero, zero, zero, DT)
        after.append(values(step.reset(state, mask if shape else True, held_position=0.25), "state."))
    assert not mask.all() or not shape
    assert mask.any()
    for name, expected in after[0].items():
        assert np.array_equal(after[1][name], np.broadcast_to(expected, after[1][name].shape)), name


def test_draws_that_are_handed_in():
    """Delays that another program drew, one per environment, give what they give with NumPy."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=6.0), delay=be.Delay(steps=(0, 3), schedule="step"))
    rng = np.random.default_rng(4)
    given, lags = rng.normal(size=(STEPS, *BATCH)), rng.integers(0, 4, (STEPS, 5, 1)).astype(float)
    torques = []
    for engine, make in (("numpy", np.asarray), ("warp", lambda x: wp.array(x, dtype=wp.float64))):
        step = actuator.compile(engine, **({"dtype": "float64"} if engine == "warp" else {}))
        state, zero, rows = step.initial(BATCH), make(np.zeros(BATCH)), []
        for k in range(STEPS):
            draws = be.actuator.Draws(lag=make(lags[k]))
            state, out = step(state, make(given[k]), zero, zero, DT, draws=draws)
            rows.append(np.array(out.torque.numpy() if engine == "warp" else out.torque))
        torques.append(np.array(rows))
    assert np.abs(torques[0]).max() > 1.0
    assert np.abs(torques[1] - torques[0]).max() <= 1e-12


def test_plain_inputs_give_plain_outputs():
    """Numbers in place of arrays are the same for all motors; with nothing else, so is the torque."""
    step = be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.5)).compile("warp", dtype="float64")
    _, out = step(step.initial(()), 1.0, 0.25, 0.5, DT)
    assert out.torque == pytest.approx(6.0 * 0.75 - 0.25, rel=1e-15)
    _, out = step(step.initial(()), wp.array([1.0, 2.0], dtype=wp.float64), 0.25, 0.5, DT)
    assert out.torque.numpy() == pytest.approx([4.25, 10.25], rel=1e-15)


# --- launches, words and speed


@pytest.mark.parametrize("in_place", [False, True])
def test_a_step_is_one_launch(monkeypatch, in_place):
    """Three turns of the whole chain, and a reset, are one kernel each; in place nothing is allocated."""
    step = KINDS["three turns"].compile("warp", device="cpu", in_place=in_place)
    state = step.initial((6,))
    zero = wp.zeros(6, dtype=wp.float32)
    mask = wp.zeros(6, dtype=wp.bool)
    state, _ = step(state, zero, zero, zero, DT)
    state = step.reset(state, mask)
    launches, made = [], []
    launch, empty = wp.launch, wp.empty
    monkeypatch.setattr(wp, "launch", lambda *a, **k: (launches.append(a), launch(*a, **k)))
    monkeypatch.setattr(wp, "empty", lambda *a, **k: (made.append(a), empty(*a, **k))[1])
    state, _ = step(state, zero, zero, zero, DT)
    assert len(launches) == 1
    state = step.reset(state, mask)
    assert len(launches) == 2
    assert (not made) == in_place


def test_plain_numbers_share_a_kernel():
    """Two actuators of one structure, and two steps of different length, run the same kernel."""
    kernels, zero = set(), wp.ones(3, dtype=wp.float32)
    for stiffness in (2.0, 5.0):
        step = be.Actuator(controller=be.IdealPd(stiffness=stiffness, damping=0.1), limits=LIMIT).compile("warp")
        for dt in (1e-3, 2e-3):
            step(step.initial((3,)), zero, zero, zero, dt)
        kernels |= {plan.launch.kernel for plan in step._run.plans.values()}
    assert len(kernels) == 1


def test_what_is_not_for_one_motor_is_refused():
    """A network, a shared supply, other precisions and in-place gradients: one sentence each."""
    shared = be.Actuator(motor(), be.Supply(voltage=12.0, resistance=0.1, shared=True))
    with pytest.raises(be.ParameterError, match="each motor by itself"):
        shared.compile("warp")
    network = be.learned.LearnedMlp(network=be.learned.Mlp(weights=(np.zeros((1, 6)),), biases=(np.zeros(1),)))
    with pytest.raises(be.ParameterError, match="LearnedMlp: the warp engine runs no learned networks"):
        be.Actuator(controller=network).compile("warp")
    with pytest.raises(be.ParameterError, match="compile each by itself"):
        CompiledSet((Group(actuator=KINDS["servo"], columns=(0, 1)),), "warp", {})
    with pytest.raises(be.ParameterError, match="float32 or float64"):
        KINDS["servo"].compile("warp", dtype=wp.float16)
    step = KINDS["servo"].compile("warp", dtype=wp.float64, in_place=True)
    single = wp.zeros(3, dtype=wp.float32)
    with pytest.raises(be.ParameterError, match="command is of float32, the step of float64"):
        step(step.initial((3,)), single, single, single, DT)
    double = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    with pytest.raises(be.ParameterError, match="compile without it"):
        step(step.initial((3,)), double, double, double, DT)
    with pytest.raises(be.ParameterError, match=r"made for \(3,\): make it with initial\(\(2, 3\)\)"):
        wide = wp.zeros((2, 3), dtype=wp.float64)
        step(step.initial((3,)), wide, wide, wide, DT)
    with pytest.raises(be.ParameterError, match="mask is of int32"):
        step.reset(step.initial((3,)), wp.zeros(3, dtype=wp.int32))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PD and DC clip", "fractional delay", "full motor"])
def test_a_large_batch_is_stepped_whole(name):
    """4096 x 12 motors on the CPU in float32, torque alone, in place: every motor is stepped, and all alike."""
    step = KINDS[name].compile("warp", device="cpu", in_place=True, telemetry="torque")
    shape = (4096, 12)
    state, zero = step.initial(shape), wp.full(shape, 0.1, dtype=wp.float32)
    for _ in range(30):
        state, out = step(state, zero, zero, zero, DT)
    assert np.isfinite(out.torque.numpy()).all()
    assert len(np.unique(out.torque.numpy())) == 1, "motors alike do alike"
