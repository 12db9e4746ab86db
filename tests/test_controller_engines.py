"""Controllers on every engine: the same numbers, and gradients through delay, controller and motor."""

from dataclasses import fields

import numpy as np
import pytest
from controller_kinds import ALL, BUS, DT, TORQUE_LOOPS, motor
from long import some_now

import backemf as be
from backemf.actuator.compiled import laws
from backemf.actuator.memory import initial_state
from backemf.physics.command import TORQUE, VELOCITY, VOLTAGE

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
jnp = jax.numpy

STEPS, COUNT = 50, 4
MOTOR = motor(inductance=1e-3, limits=be.Limits(peak_current=8.0))
LIMITED = {
    "limits": be.DcClip(saturation_effort=1.0, velocity_limit=12.0, effort_limit=0.8),
    "voltage_limit": 9.0,
    "command_range": (-1.2, 1.2),
    "slew": 25.0,
}
"""Every limit at once."""
DELAYS = {"": None, "delay": be.Delay(steps=2.5), "drawn delay": be.Delay(steps=(0, 3), schedule="step")}
BARE = {f"{name}, no motor": c for name, c in TORQUE_LOOPS.items() if "current" not in name}
CASES = [
    (name, delay, limited)
    for name in ALL | BARE
    if name not in ("IdealPd, current loop", "Torque, current loop")  # the loop is that of TorquePid
    for delay, limited in (("", False), ("delay", True))
] + [("PositionPid", "drawn delay", True), ("IdealPd, no motor", "drawn delay", False)]  # fmt: skip


def kind(name: str, delay: str, limited: bool) -> be.Actuator:
    limits = dict(LIMITED) if limited else {}
    if name in BARE:
        limits.pop("voltage_limit", None)
        return be.Actuator(controller=BARE[name], delay=DELAYS[delay], **limits)
    return be.Actuator(MOTOR, be.Supply(voltage=BUS), controller=ALL[name], delay=DELAYS[delay], **limits)


def inputs(controller) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Random commands of every input, positions and velocities (steps, motors)."""
    rng = np.random.default_rng(11)
    given = {name: rng.normal(size=(STEPS, COUNT)) * (1.0 + 4.0 * (name == "voltage")) for name in controller.inputs}
    if isinstance(controller, be.ModeSelector):
        given["mode"] = rng.choice([TORQUE, VOLTAGE, VELOCITY], (STEPS, COUNT))
    v = 3.0 * rng.normal(size=(STEPS, COUNT))
    return given, DT * np.cumsum(v, axis=0) + 0.2, v


def course(actuator: be.Actuator, engine: str, **options) -> dict[str, np.ndarray]:
    """Every output (steps, motors) of an engine."""
    given, q, v = inputs(actuator.controller)
    make = np.asarray
    if engine == "torch":
        options = {"eager": True, "dtype": torch.float64} | options

        def make(x):
            return torch.tensor(x, dtype=torch.float64 if x.dtype == np.float64 else torch.int64)

    step = actuator.compile(engine, **options)
    state, rows = step.initial(COUNT), []
    for k in range(STEPS):
        state, out = step(state, be.Command(**{n: make(x[k]) for n, x in given.items()}), make(q[k]), make(v[k]), DT)
        rows.append(out)
    return stack(rows, COUNT)


def stack(rows: list, shape) -> dict[str, np.ndarray]:
    names = [f.name for f in fields(rows[0]) if getattr(rows[0], f.name) is not None]
    return {n: np.array([np.broadcast_to(np.asarray(getattr(row, n), float), shape) for row in rows]) for n in names}


def course_in_python(actuator: be.Actuator, column: int) -> dict[str, np.ndarray]:
    """Every output of one of the motors on plain floats."""
    given, q, v = inputs(actuator.controller)
    step = actuator.compile("python")
    state, rows = step.initial(), []
    for k in range(STEPS):
        command = be.Command(**{n: x[k, column].item() for n, x in given.items()})
        state, out = step(state, command, float(q[k, column]), float(v[k, column]), DT)
        rows.append(out)
    return stack(rows, ())


def same(ours: dict[str, np.ndarray], reference: dict[str, np.ndarray]) -> None:
    assert ours.keys() == reference.keys()
    for name, expected in reference.items():
        scale = max(np.abs(expected).max(), 1e-9)
        assert np.abs(ours[name] - expected).max() <= 1e-12 * scale, name


@pytest.mark.parametrize(("name", "delay", "limited"), some_now(CASES, lambda name, delay, limited: limited))
def test_engines_agree(name: str, delay: str, limited: bool):
    """All engines in float64: every output of 50 random steps, to 1e-12 of its peak."""
    actuator = kind(name, delay, limited)
    reference = course(actuator, "numpy")
    assert np.abs(reference["torque"]).max() > 1e-3
    with jax.enable_x64(True):
        same(course(actuator, "jax"), reference)
    same(course(actuator, "torch"), reference)
    same(course(actuator, "native"), reference)
    # each motor of a batch draws delays of its own, the first of them those of a motor alone
    same(course_in_python(actuator, 0), {n: x[:, 0] for n, x in reference.items()})
    if limited:
        acting = set(np.flatnonzero([(reference["limit"].astype(int) & 2**k).any() for k in range(8)]))
        assert len(acting) >= 2, "limits that do not act would prove nothing"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "delay", "limited"),
    [("PositionPid", "delay", False), ("ModeSelector, current loop", "", False)],
)
def test_one_graph_agrees(name: str, delay: str, limited: bool):
    """torch.compile(fullgraph=True) gives what eager PyTorch gives."""
    actuator = kind(name, delay, limited)
    same(course(actuator, "torch", eager=False), course(actuator, "numpy"))


# --- gradients


TRACKED = {
    "PositionPid": lambda p: be.PositionPid(kp=p[0], ki=p[1], kd=p[2], integral_limit=0.02),
    "TorquePid, current loop": lambda p: be.TorquePid(
        kp=0.1 * p[0], ki=0.1 * p[1], kd=0.1 * p[2], current_bandwidth=20.0 * p[3]
    ),
}
THETA = np.array([20.0, 60.0, 0.5, 15.0, 1.2, 0.05, 0.06, 1e-3])
"""kp, ki, kd, bandwidth/20; resistance, Kt, Ke, inductance."""


def loss(name: str, engine: str, theta, make, loop):
    """Squared tracking error of a joint over 50 steps, by the laws of an engine."""
    one = be.Motor(
        winding=be.Winding(resistance=theta[4], inductance=theta[7]),
        magnet=be.Magnet(torque_constant=theta[5], back_emf_constant=theta[6]),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0),)),
    )
    delay = be.Delay(steps=2.5)
    actuator = be.Actuator(one, controller=TRACKED[name](theta), delay=delay, voltage_limit=2.5, meter=False)
    law = laws(engine).held
    place = {"dtype": torch.float64} if engine == "torch" else {}
    state = initial_state(be.engines.load(engine), actuator, (), 0, None, {}, place)

    def one_step(carry, k):
        state, q, v = carry
        target = 0.3 * make(TARGET)[k]
        state, out = law(actuator, state, target, q, v, 2e-3)
        v = v + 2e-3 * out.torque / 4e-3
        q = q + 2e-3 * v
        return (state, q, v), (q - target) ** 2

    return loop(one_step, (state, make(0.05), make(0.0)))


TARGET = np.sign(np.sin(0.15 * np.arange(STEPS) + 0.2)) * (1 + 0.3 * np.cos(0.4 * np.arange(STEPS)))


def in_turn(step, carry):
    total = 0.0
    for k in range(STEPS):
        carry, error = step(carry, k)
        total = total + error
    return total


def scan(step, carry):
    def keep(carry, k):
        after, error = step(carry, k)
        return jax.tree.map(lambda new, old: jnp.asarray(new, old.dtype), after, carry), error

    carry = jax.tree.map(jnp.asarray, carry)
    return jax.lax.scan(keep, carry, jnp.arange(STEPS))[1].sum()


@pytest.mark.parametrize("name", TRACKED)
def test_gradients_of_a_tracking_loss(name: str):
    """Through a delay of 2.5 steps, the controller and the motor: JAX and PyTorch equal differences to 1e-5."""

    def value(theta) -> float:
        return float(loss(name, "numpy", theta, np.asarray, in_turn))

    by_difference = np.zeros_like(THETA)
    for k in range(len(THETA)):
        h = 1e-4 * THETA[k] * np.eye(len(THETA))[k]
        narrow, wide = value(THETA + h) - value(THETA - h), value(THETA + 2 * h) - value(THETA - 2 * h)
        by_difference[k] = (8 * narrow - wide) / 12 / 1e-4
    with jax.enable_x64(True):
        by_jax = np.asarray(jax.jit(jax.grad(lambda x: loss(name, "jax", x, jnp.asarray, scan)))(THETA)) * THETA
    leaf = torch.tensor(THETA, requires_grad=True)
    loss(name, "torch", leaf, lambda x: torch.tensor(x, dtype=torch.float64), in_turn).backward()
    by_torch = leaf.grad.numpy() * THETA
    used = np.arange(len(THETA)) != (3 if name == "PositionPid" else -1)
    assert (np.abs(by_difference[used]) > 1e-6 * value(THETA)).all(), "each parameter must matter"
    np.testing.assert_allclose(by_jax, by_difference, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(by_torch, by_difference, rtol=1e-5, atol=1e-9)


def test_every_kind_of_actuator_is_a_graph_of_its_own():
    """Dynamo counts recompilations by function: many kinds of actuator in one process do not use its count up."""
    kinds = (be.Torque(), be.IdealPd(stiffness=2.0), be.IdealPd(stiffness=2.0, damping=1.0))
    with torch._dynamo.config.patch(recompile_limit=1):
        for controller in kinds:
            step = be.Actuator(controller=controller).compile("torch")
            given = torch.ones(3)
            _, out = step(step.initial((3,)), given, 0.0 * given, 0.0 * given, 1e-3)
            assert torch.equal(out.torque, torch.full((3,), 1.0 if isinstance(controller, be.Torque) else 2.0))
