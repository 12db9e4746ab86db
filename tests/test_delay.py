"""Delay: what arrives when, under every schedule, and that commands arrive in the order in which they were sent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long import some_now
from scipy import stats

import backemf as be

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
jnp = jax.numpy

DT = 1e-3
ENGINES = ("numpy", "jax", "torch", "python", "native")
OWN = ("constant", "episode", "period", "step")
rng = np.random.default_rng(7)


@pytest.fixture(autouse=True, scope="module")
def double():
    """JAX in float64, as NumPy is."""
    with jax.enable_x64(True):
        yield


class Wire:
    """An actuator on one engine whose torque is the effort that arrives."""

    def __init__(self, delay, engine="numpy", shape=(1, 1), seed=0, dt=DT, controller=None, **parts):
        options = {"eager": True, "dtype": torch.float64} if engine == "torch" else {}
        actuator = be.Actuator(controller=controller or be.Torque(), delay=delay, **parts)
        self.engine, self.dt, self.shape = engine, dt, () if engine == "python" else shape
        self.step = actuator.compile(engine, **options)
        self.state = self.step.initial(self.shape, seed=seed, dt=dt)

    def number(self, x):
        """An array of this engine, of the shape of the batch."""
        if self.engine == "python":
            return float(np.ravel(x)[0])
        x = np.broadcast_to(np.asarray(x, dtype=float), self.shape).copy()
        return {"jax": jnp.asarray, "torch": torch.as_tensor}.get(self.engine, np.asarray)(x)

    def send(self, command, position=0.0, velocity=0.0, draws=None) -> np.ndarray:
        """One step: a command goes in, and the torque of what arrives comes out."""
        if isinstance(command, be.Command):
            given = {name: getattr(command, name) for name in ("position", "velocity", "effort")}
            command = be.Command(**{name: self.number(x) for name, x in given.items() if x is not None})
        else:
            command = self.number(command)
        inputs = command, self.number(position), self.number(velocity)
        self.state, out = self.step(self.state, *inputs, self.dt, draws=draws)
        return np.asarray(out.torque)

    def send_all(self, commands) -> np.ndarray:
        return np.array([self.send(command) for command in commands])

    def reset(self, mask=True) -> None:
        self.state = self.step.reset(self.state, mask if np.ndim(mask) == 0 else self.flags(mask))

    def flags(self, mask):
        return {"jax": jnp.asarray, "torch": torch.as_tensor}.get(self.engine, np.asarray)(np.asarray(mask))

    def lags(self, steps: int) -> np.ndarray:
        """The delay in each of the next steps [steps, environment]."""
        found = []
        for _ in range(steps):
            self.send(0.0)
            found.append(np.asarray(self.state.lag)[..., 0])
        return np.array(found)


# --- one delay for ever


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("steps", [0, 1, 3, 12])
def test_a_delay_of_k_steps_gives_the_command_of_k_steps_ago(engine, steps):
    """To the bit; nothing arrives before."""
    commands = rng.normal(size=(40, 2, 3))
    arrived = Wire(be.Delay(steps=steps), engine, (2, 3)).send_all(commands)
    if engine == "python":
        commands = commands[:, 0, 0]
    np.testing.assert_array_equal(arrived[steps:], commands[: 40 - steps])
    np.testing.assert_array_equal(arrived[:steps], 0.0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("seconds", "dt", "steps"), [(0.035, 0.005, 7), (0.3, 0.1, 3), (0.004, 0.0005, 8)])
def test_seconds_that_dt_divides_are_steps(engine, seconds, dt, steps):
    """Also where the quotient is a hair off a whole number: 0.035/0.005 > 7 and 0.3/0.1 < 3 in floating point."""
    commands = rng.normal(size=(30, 1, 1))
    in_seconds = Wire(be.Delay(seconds=seconds), engine, dt=dt).send_all(commands)
    in_steps = Wire(be.Delay(steps=steps), engine, dt=dt).send_all(commands)
    np.testing.assert_allclose(in_seconds, in_steps, rtol=0, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fractional_delay_is_exact_on_a_ramp(engine):
    """Between two frames the command is taken as a straight line, so a ramp arrives late and otherwise unchanged."""
    ramp = 0.25 * np.arange(1, 31)
    arrived = Wire(be.Delay(seconds=0.0034), engine, (1,)).send_all(ramp).ravel()
    np.testing.assert_allclose(arrived[4:], ramp[4:] - 0.25 * 3.4, rtol=0, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fractional_delay_mixes_two_frames(engine):
    """A delay of 2.3 steps is 70 % of the command of two steps ago and 30 % of the one before."""
    commands = rng.normal(size=25)
    arrived = Wire(be.Delay(steps=2.3), engine, (1,)).send_all(commands).ravel()
    np.testing.assert_allclose(arrived[3:], 0.7 * commands[1:-2] + 0.3 * commands[:-3], rtol=0, atol=1e-14)
    # the first command fades in from rest
    np.testing.assert_allclose(arrived[:3], [0.0, 0.0, 0.7 * commands[0]], rtol=0, atol=1e-14)


def test_delays_differ_from_joint_to_joint():
    """An array of steps is one delay per joint."""
    commands = np.arange(1.0, 11.0)
    arrived = Wire(be.Delay(steps=np.array([0, 1, 4])), shape=(2, 3)).send_all(commands)
    for joint, steps in enumerate((0, 1, 4)):
        for env in range(2):
            np.testing.assert_array_equal(arrived[steps:, env, joint], commands[: 10 - steps])


@pytest.mark.parametrize("seconds", [0.0034, (0.0034, 0.0034)])
def test_whole_seconds_are_rounded_to_steps(seconds):
    """With whole=True nothing is interpolated: 3.4 ms are three steps of 1 ms, and 3.6 ms are four."""
    commands = rng.normal(size=(20, 1, 1))
    arrived = Wire(be.Delay(seconds=seconds, whole=True)).send_all(commands)
    np.testing.assert_array_equal(arrived[3:], commands[:-3])
    longer = Wire(be.Delay(seconds=0.0036, whole=True)).send_all(commands)
    np.testing.assert_array_equal(longer[4:], commands[:-4])


# --- what is delayed

PD = be.IdealPd(stiffness=3.0, damping=0.5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("targets", [("position",), ("velocity",), ("effort",), ("position", "effort"), None])
def test_only_the_named_targets_are_delayed(engine, targets):
    """Position, velocity and effort travel alone or together; the rest arrives at once."""
    sent = {name: rng.normal(size=20) for name in ("position", "velocity", "effort")}
    wire = Wire(be.Delay(steps=2, targets=targets), engine, (1,), controller=PD)
    arrived = [wire.send(be.Command(**{name: sent[name][t] for name in sent})) for t in range(20)]
    late = {name: 2 if targets is None or name in targets else 0 for name in sent}
    seen = {name: np.concatenate([np.zeros(late[name]), sent[name]])[:20] for name in sent}
    expected = 3.0 * seen["position"] + 0.5 * seen["velocity"] + seen["effort"]
    np.testing.assert_allclose(np.ravel(arrived), expected, rtol=0, atol=1e-14)


def test_a_voltage_is_delayed():
    """The voltage of a motor travels like any command."""
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-5),
    )
    step = be.Actuator(motor, delay=be.Delay(steps=3)).compile("numpy")
    state, volts = step.initial((2,)), []
    for t in range(10):
        state, out = step(state, np.full(2, t + 1.0), np.zeros(2), np.zeros(2), DT)
        volts.append(out.voltage)
    np.testing.assert_array_equal(np.array(volts)[:, 0], [0, 0, 0, 1, 2, 3, 4, 5, 6, 7])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_joint_is_held_where_it_was_until_a_command_arrives(engine):
    """Position target = joint position at the reset, velocity target and effort 0, in every episode."""
    wire = Wire(be.Delay(steps=3), engine, (1,), controller=PD)
    far = be.Command(position=50.0, velocity=20.0, effort=-7.0)
    for start in (0.7, -1.2):
        for t in range(5):
            q, v = start + 0.1 * t, 0.3 * t
            torque = wire.send(far, position=q, velocity=v)
            held = 3.0 * (start - q) + 0.5 * (0.0 - v)
            commanded = 3.0 * (50.0 - q) + 0.5 * (20.0 - v) - 7.0
            np.testing.assert_allclose(torque, held if t < 3 else commanded, rtol=0, atol=1e-12)
        wire.reset()


# --- schedules


def test_a_constant_delay_is_drawn_once():
    """The schedule "constant" keeps each environment's draw for ever, across resets."""
    wire = Wire(be.Delay(steps=(0, 9), schedule="constant"), shape=(64, 1))
    ages = []
    for _ in range(4):
        arrived = wire.send_all(np.arange(1.0, 16.0))
        ages.append(15.0 - arrived[-1, :, 0])
        wire.reset()
    assert len(set(ages[0])) > 5
    for later in ages[1:]:
        np.testing.assert_array_equal(later, ages[0])


@pytest.mark.parametrize("schedule", ["episode", None])
def test_an_episode_has_one_delay(schedule):
    """Each reset draws, and nothing changes in between; a range without a schedule is one per episode."""
    wire = Wire(be.Delay(steps=(0, 9), schedule=schedule), shape=(64, 1))
    drawn = []
    for _ in range(6):
        lags = wire.lags(12)
        assert (lags == lags[0]).all()
        drawn.append(lags[0])
        wire.reset()
    assert np.mean(np.diff(drawn, axis=0) == 0) < 0.2


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch", "native"])
def test_a_period_draws_only_when_its_turn_comes(engine):
    """The delay changes only where (clock + phase) % period is 0; phases are spread over the environments."""
    wire = Wire(be.Delay(steps=(0.0, 5.0), schedule="period", period=5, reorder=True), engine, (40, 1), seed=3)
    lags = wire.lags(23)
    phase = np.asarray(wire.state.phase)[:, 0]
    assert set(phase) == {0, 1, 2, 3, 4}
    clock = np.arange(1, 23)[:, None]
    np.testing.assert_array_equal(np.diff(lags, axis=0) != 0.0, (clock + phase) % 5 == 0)


def test_phases_may_be_the_same_for_all():
    """With staggered=False every environment draws in the same steps."""
    lags = Wire(be.Delay(steps=(0.0, 5.0), schedule="period", period=4, staggered=False, reorder=True), shape=(9, 1))
    changes = np.diff(lags.lags(17), axis=0) != 0.0
    np.testing.assert_array_equal(changes, np.repeat(np.arange(1, 17)[:, None] % 4 == 0, 9, axis=1))


def test_a_step_schedule_draws_in_every_step():
    """Numbers from a continuous range never repeat."""
    lags = Wire(be.Delay(steps=(0.0, 5.0), schedule="step", reorder=True), shape=(20, 1)).lags(50)
    assert (np.diff(lags, axis=0) != 0.0).all()


@pytest.mark.parametrize(("schedule", "period"), [("step", 0), ("period", 3)])
@pytest.mark.parametrize("chance", [0.2, 0.75])
def test_draws_are_skipped_with_the_hold_probability(schedule, period, chance):
    """Of n turns a share p keeps its delay, within four standard deviations of the binomial; nothing else is kept."""
    delay = be.Delay(steps=(0.0, 4.0), schedule=schedule, period=period, hold_probability=chance, reorder=True)
    wire = Wire(delay, shape=(300, 1), seed=1)
    lags = wire.lags(61)
    turns = np.ones((60, 300), dtype=bool)
    if period:
        turns = (np.arange(1, 61)[:, None] + wire.state.phase[:, 0]) % period == 0
    kept = (np.diff(lags, axis=0) == 0.0)[turns]
    assert abs(kept.mean() - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / kept.size)
    assert (np.diff(lags, axis=0) == 0.0)[~turns].all()


def test_a_hold_probability_of_one_never_draws_again():
    """The draw at the reset counts in any case, so that the delay is never below its minimum."""
    lags = Wire(be.Delay(steps=(2, 6), schedule="step", hold_probability=1.0), shape=(50, 1)).lags(30)
    assert (lags == lags[0]).all() and lags.min() >= 2 and len(set(lags[0])) == 5


def test_a_delay_grows_by_a_step_per_step_until_it_is_what_was_drawn():
    """Without re-ordering a longer delay is reached one step at a time, and kept until the next turn."""
    wire = Wire(be.Delay(steps=(0, 8), schedule="period", period=20, staggered=False), shape=(200, 1))
    lags, aims = [], []
    for _ in range(41):
        wire.send(0.0)
        lags.append(wire.state.lag[:, 0])
        aims.append(wire.state.aim[:, 0])
    lags, aims = np.array(lags), np.array(aims)
    np.testing.assert_array_equal(lags[1:], np.minimum(aims[1:], lags[:-1] + 1))
    np.testing.assert_array_equal(lags[35], aims[20])
    np.testing.assert_array_equal(np.unique(lags[35]), np.arange(9))


# --- draws


def chi_square(lags, low, high) -> float:
    """Probability of lags at least as uneven as these, were they drawn evenly."""
    counts = np.bincount(np.asarray(lags, dtype=int).ravel() - low, minlength=high - low + 1)
    assert len(counts) == high - low + 1
    return float(stats.chisquare(counts).pvalue)


def test_delays_are_drawn_evenly_over_environments():
    """Both ends of the range are as likely as the rest, and neighbours know nothing of each other."""
    lags = Wire(be.Delay(steps=(2, 8)), shape=(20000, 1), seed=11).lags(1)[0].astype(int)
    assert chi_square(lags, 2, 8) > 1e-3
    pairs = np.zeros((7, 7))
    np.add.at(pairs, (lags[:-1] - 2, lags[1:] - 2), 1)
    assert stats.chi2_contingency(pairs).pvalue > 1e-3


def test_delays_are_drawn_evenly_over_steps():
    """Of one environment's draws each is as likely as the rest, whatever the one before."""
    lags = Wire(be.Delay(steps=(0, 4), schedule="step", reorder=True), shape=(40, 1), seed=5).lags(500).astype(int)
    assert chi_square(lags, 0, 4) > 1e-3
    pairs = np.zeros((5, 5))
    np.add.at(pairs, (lags[:-1].ravel(), lags[1:].ravel()), 1)
    assert stats.chi2_contingency(pairs).pvalue > 1e-3


def test_delays_are_drawn_evenly_over_resets():
    """One environment over 1500 episodes."""
    wire, lags = Wire(be.Delay(steps=(0, 5)), seed=2), []
    for _ in range(1500):
        lags.append(int(wire.lags(1)[0, 0]))
        wire.reset()
    assert chi_square(lags, 0, 5) > 1e-3


def test_delays_in_seconds_are_drawn_evenly():
    """A range in seconds is continuous: Kolmogorov and Smirnov find it even."""
    lags = Wire(be.Delay(seconds=(0.002, 0.0075)), shape=(5000, 1), seed=4).lags(1)[0]
    assert stats.kstest((lags - 2.0) / 5.5, "uniform").pvalue > 1e-3


def test_phases_are_drawn_evenly():
    """Each phase of a period is as likely as the rest."""
    wire = Wire(be.Delay(steps=(0, 5), schedule="period", period=6), shape=(6000, 1), seed=9)
    wire.send(0.0)
    assert chi_square(wire.state.phase, 0, 5) > 1e-3


SCHEDULED = be.Delay(steps=(1, 7), schedule="period", period=3, hold_probability=0.3)


def test_a_seed_gives_the_same_delays_again():
    """The same seed repeats every draw, another one does not, and environments differ."""
    first, again, other = (Wire(SCHEDULED, shape=(30, 2), seed=seed).lags(40) for seed in (6, 6, 7))
    np.testing.assert_array_equal(first, again)
    assert np.mean(first == other) < 0.4
    assert np.mean(first[:, 0] == first[:, 1]) < 0.6


def test_an_environment_draws_the_same_in_every_batch():
    """The n-th environment depends on its place and not on how many there are behind it."""
    few, many = (Wire(SCHEDULED, shape=(envs, 2), seed=6).lags(40) for envs in (5, 50))
    np.testing.assert_array_equal(few, many[:, :5])


def test_joints_share_a_delay_unless_each_has_its_own():
    """per="environment" gives all joints one lag, per="joint" draws for each."""
    commands = np.arange(1.0, 20.0)
    together = Wire(be.Delay(steps=(0, 9)), shape=(200, 4)).send_all(commands)[-1]
    alone = Wire(be.Delay(steps=(0, 9), per="joint"), shape=(200, 4)).send_all(commands)[-1]
    assert (together == together[:, :1]).all() and len(np.unique(together)) == 10
    assert (alone != alone[:, :1]).any(axis=1).mean() > 0.9


@pytest.mark.parametrize(
    "delay", [SCHEDULED, be.Delay(steps=(0, 6)), be.Delay(seconds=(0.001, 0.0055), schedule="step")]
)
def test_every_engine_draws_the_same(delay):
    """Lags and what arrives are the same numbers on NumPy, JAX and PyTorch, through resets of some environments."""
    commands, masks = rng.normal(size=(30, 5, 2)), rng.random((30, 5, 1)) < 0.1
    wires = [Wire(delay, engine, (5, 2), seed=12) for engine in ("numpy", "jax", "torch", "native")]
    assert masks.any()
    for command, mask in zip(commands, masks, strict=True):
        arrived = [wire.send(command) for wire in wires]
        for wire, other in zip(wires[1:], arrived[1:], strict=True):
            np.testing.assert_allclose(np.asarray(wire.state.lag), wires[0].state.lag, rtol=1e-14, atol=0)
            np.testing.assert_allclose(other, arrived[0], rtol=0, atol=1e-13)
        for wire in wires:
            wire.reset(mask)


@pytest.mark.parametrize("delay", [SCHEDULED, be.Delay(steps=(0, 6)), be.Delay(steps=(0, 6), schedule="constant")])
def test_plain_floats_draw_like_the_first_environment(delay):
    """The python engine runs one motor, whose delays are those of NumPy's first, after resets too."""
    one, batch = Wire(delay, "python", seed=12), Wire(delay, "numpy", (1, 1), seed=12)
    for t, command in enumerate(rng.normal(size=40)):
        assert one.send(command) == batch.send(command)[0, 0]
        if t % 11 == 7:
            one.reset()
            batch.reset()


def test_single_precision_draws_the_same_whole_steps():
    """A draw is a share of 24 bits, which float32 holds exactly."""
    expected = Wire(SCHEDULED, shape=(50, 1), seed=3).lags(20)
    step = be.Actuator(delay=SCHEDULED).compile("torch", eager=True, dtype=torch.float32)
    state, zeros, lags = step.initial((50, 1), seed=3), torch.zeros(50, 1), []
    for _ in range(20):
        state, _ = step(state, zeros, zeros, zeros, DT)
        lags.append(state.lag[:, 0].numpy())
    np.testing.assert_array_equal(lags, expected)


# --- order


@st.composite
def delays(draw, reorder=False):
    """Any delay with a range and one of our own schedules."""
    schedule = draw(st.sampled_from(OWN))
    low = draw(st.integers(0, 4))
    high = low + draw(st.integers(0, 6))
    ends = {"steps": (low, high)}
    if draw(st.booleans()):
        ends = {"steps": (low + draw(st.floats(0.0, 0.9)), high + 1.0)}
    elif draw(st.booleans()):
        ends = {"seconds": (low * DT, high * DT), "whole": draw(st.booleans())}
    more = {"period": draw(st.integers(1, 7)), "staggered": draw(st.booleans())} if schedule == "period" else {}
    if schedule in ("period", "step") and draw(st.booleans()):
        more["hold_probability"] = draw(st.floats(0.0, 1.0))
    per = draw(st.sampled_from(["environment", "joint"]))
    return be.Delay(**ends, schedule=schedule, per=per, reorder=reorder, **more)


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(delay=delays(), seed=st.integers(0, 2**40))
def test_no_command_overtakes_another(delay, seed):
    """What arrives never goes back in time, is never younger than the shortest delay nor older than the longest."""
    wire = Wire(delay, shape=(3, 2), seed=seed)
    sent = np.arange(1.0, 41.0)
    arrived = wire.send_all(sent)
    assert (np.diff(arrived, axis=0) >= -1e-12).all()
    shortest, longest = (x if delay.seconds is None else x / DT for x in (delay.shortest, delay.longest))
    assert (arrived <= np.maximum(sent - shortest, 0.0)[:, None, None] + 1e-9).all()
    assert (arrived >= (sent - longest)[:, None, None] - 1e-9).all()


@settings(max_examples=60, deadline=None)
@given(delay=delays(), seed=st.integers(0, 2**40), at=st.integers(1, 15))
def test_an_episode_begins_above_the_shortest_delay(delay, seed, at):
    """Also after a reset of some environments nothing arrives too early, and nothing from the last episode."""
    wire, masked = Wire(delay, shape=(3, 2), seed=seed), np.array([[True], [False], [True]])
    wire.send_all(np.full(at, -9.0))
    wire.reset(masked)
    arrived = wire.send_all(np.arange(1.0, 16.0))[:, [0, 2]]
    shortest = delay.shortest if delay.seconds is None else delay.shortest / DT
    assert (arrived >= 0.0).all()
    assert (arrived <= np.maximum(np.arange(1.0, 16.0) - shortest, 0.0)[:, None, None] + 1e-9).all()


@pytest.mark.parametrize("schedule", ["step", "period"])
def test_commands_may_be_re_ordered_on_request(schedule):
    """With reorder=True a younger command overtakes an older one, which then acts after it."""
    delay = be.Delay(steps=(0, 6), schedule=schedule, period=2 if schedule == "period" else 0, reorder=True)
    arrived = Wire(delay, shape=(20, 1)).send_all(np.arange(1.0, 61.0))
    assert (np.diff(arrived, axis=0) < 0).any(axis=0).all()


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch", "native"])
@pytest.mark.parametrize("delay", [SCHEDULED, be.Delay(steps=4), be.Delay(seconds=(0.0, 0.006))])
def test_a_reset_restarts_only_the_masked_environments(engine, delay):
    """The others go on as if nothing had happened; a masked one forgets what was under way."""
    shape, masked = (6, 2), np.array([True, False, True, False, False, True])[:, None]
    commands = 5.0 + rng.random((30, *shape))
    reset, undisturbed = Wire(delay, engine, shape, seed=8), Wire(delay, engine, shape, seed=8)
    for t, command in enumerate(commands):
        arrived, expected = reset.send(command), undisturbed.send(command)
        np.testing.assert_array_equal(arrived[~masked[:, 0]], expected[~masked[:, 0]])
        if t == 11:
            reset.reset(masked)
            np.testing.assert_array_equal(np.asarray(reset.state.clock)[:, 0], np.where(masked[:, 0], 0, 12))
    assert (arrived[masked[:, 0]] > 0.0).all()


def test_an_environment_restarts_with_any_of_its_joints():
    """A delay that joints share cannot restart for one of them."""
    wire = Wire(be.Delay(steps=3), shape=(3, 2))
    wire.send_all(np.ones(6))
    wire.reset(np.array([[False, True], [False, False], [False, False]]))
    np.testing.assert_array_equal(wire.send(1.0), [[0, 0], [1, 1], [1, 1]])


# --- gradients


def weigh(run, weights):
    return sum((w * torque).sum() for w, torque in zip(weights, run, strict=True))


def jax_run(commands, delay, made_for):
    """Sum over the torques that arrive, each weighed by its step."""
    step = be.Actuator(controller=be.Torque(), delay=delay).compile("jax")
    state, torques = be.Actuator(controller=be.Torque(), delay=made_for).compile("jax").initial((1,), dt=DT), []
    for command in commands:
        state, out = step(state, command, jnp.zeros(1), jnp.zeros(1), DT)
        torques.append(out.torque)
    return weigh(torques, WEIGHTS)


def torch_run(commands, delay):
    step = be.Actuator(controller=be.Torque(), delay=delay).compile("torch", eager=True, dtype=torch.float64)
    zeros = torch.zeros(1, dtype=torch.float64)
    state, torques = step.initial((1,), dt=DT), []
    for command in commands:
        state, out = step(state, command, zeros, zeros, DT)
        torques.append(out.torque)
    return weigh(torques, WEIGHTS)


STEPS = 12
WEIGHTS = np.linspace(-1.0, 2.0, STEPS) ** 3
SENT = np.sin(np.arange(STEPS) * 1.3)[:, None]


def differences(function, x, h=1e-6):
    """Central differences of a function of one array."""
    slopes = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += h
        down[index] -= h
        slopes[index] = (function(up) - function(down)) / (2.0 * h)
    return slopes


@pytest.mark.parametrize(
    "delay", some_now([be.Delay(steps=3), be.Delay(seconds=0.0026), SCHEDULED], lambda delay: delay is SCHEDULED)
)
def test_gradients_pass_through_the_delay(delay):
    """What arrives depends on what was sent: JAX, PyTorch and finite differences agree."""

    def by_numpy(commands):
        return weigh(Wire(delay, shape=(1,)).send_all(commands), WEIGHTS)

    expected = differences(by_numpy, SENT)
    assert np.abs(expected).max() > 0.1
    by_jax = jax.grad(lambda commands: jax_run(commands, delay, delay))(jnp.asarray(SENT))
    commands = torch.tensor(SENT, requires_grad=True)
    torch_run(commands, delay).backward()
    np.testing.assert_allclose(by_jax, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(commands.grad.numpy(), expected, rtol=0, atol=1e-8)


def test_gradients_reach_the_length_of_the_delay():
    """A delay in seconds can be identified: the slope over it is that of the command between two frames."""
    seconds = np.array([0.0026])
    twin = be.Delay(seconds=0.0026, frames=6)

    def by_numpy(x):
        return weigh(Wire(be.Delay(seconds=float(x[0]), frames=6), shape=(1,)).send_all(SENT), WEIGHTS)

    expected = differences(by_numpy, seconds)
    assert abs(expected[0]) > 1.0
    by_jax = jax.grad(lambda x: jax_run(jnp.asarray(SENT), be.Delay(seconds=x, frames=6), twin))(0.0026)
    length = torch.tensor(0.0026, dtype=torch.float64, requires_grad=True)
    torch_run(torch.tensor(SENT), be.Delay(seconds=length, frames=6)).backward()
    np.testing.assert_allclose(by_jax, expected[0], rtol=1e-7)
    np.testing.assert_allclose(length.grad.item(), expected[0], rtol=1e-7)


def test_a_delay_that_is_not_known_yet_needs_frames():
    """While gradients are taken of it, its length in frames cannot be read off."""
    length = torch.tensor(0.003, requires_grad=True)
    step = be.Actuator(delay=be.Delay(seconds=length)).compile("torch", eager=True)
    with pytest.raises(be.ParameterError, match=r"Delay\.frames: give the length of the ring"):
        step.initial((1,), dt=DT)


def test_delays_are_vectorised_like_any_number():
    """vmap over the seconds gives each of them what it would get alone."""
    lengths = jnp.array([0.0, 0.0013, 0.004])
    twin = be.Delay(seconds=0.004, frames=5)

    def run(seconds):
        return jax_run(jnp.asarray(SENT), be.Delay(seconds=seconds, frames=5), twin)

    alone = [jax_run(jnp.asarray(SENT), be.Delay(seconds=float(x), frames=5), twin) for x in lengths]
    np.testing.assert_allclose(jax.vmap(run)(lengths), alone, rtol=0, atol=1e-12)


# --- other programs' rules


class MjlabLine:
    """mjlab 1.6.0's rules for one environment, restated: its draws are handed in."""

    def __init__(self, period, hold_probability):
        self.period, self.hold_probability = period, hold_probability

    def reset(self, phase):
        self.frames, self.lag, self.count, self.phase = [], 0, 0, phase

    def step(self, command, candidate, hold):
        self.frames.append(command)
        turn = self.period == 0 or (self.count + self.phase) % self.period == 0
        if turn and hold >= self.hold_probability:
            self.lag = candidate
        self.count += 1
        # no more than the frames since the reset: the first fills all that are missing
        return self.frames[-1 - min(self.lag, len(self.frames) - 1)]


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch", "native"])
@pytest.mark.parametrize(
    ("low", "high", "period", "chance", "staggered"),
    [(0, 3, 0, 0.0, True), (2, 5, 0, 0.4, True), (1, 4, 6, 0.0, True), (3, 7, 4, 0.3, True), (2, 2, 3, 0.5, False)],
)
def test_the_schedule_of_mjlab(engine, low, high, period, chance, staggered):
    """The same draws give the same commands at every step, with environments reset at random."""
    envs, draw = 4, np.random.default_rng(low + 10 * period)
    lines = [MjlabLine(period, chance) for _ in range(envs)]
    delay = be.Delay(
        steps=(low, high), schedule="mjlab", period=period, hold_probability=chance or None, staggered=staggered
    )
    wire = Wire(delay, engine, (envs, 2))
    phase = draw.integers(0, period, envs) if period and staggered else np.zeros(envs, dtype=int)
    for env, line in enumerate(lines):
        line.reset(phase[env])
    for _ in range(60):
        command = draw.normal(size=(envs, 2))
        lag, hold = draw.integers(low, high + 1, envs), draw.random(envs)
        columns = {"lag": lag, "hold": hold, "phase": phase}
        draws = be.actuator.Draws(**{name: wire.flags(column[:, None]) for name, column in columns.items()})
        arrived = wire.send(command, draws=draws)
        expected = [line.step(command[e], lag[e], hold[e]) for e, line in enumerate(lines)]
        np.testing.assert_array_equal(arrived, expected)
        np.testing.assert_array_equal(np.asarray(wire.state.lag)[:, 0], [line.lag for line in lines])
        mask = draw.random(envs) < 0.06
        wire.reset(mask[:, None])
        if period and staggered:
            phase = np.where(mask, draw.integers(0, period, envs), phase)
        for env in np.flatnonzero(mask):
            lines[env].reset(phase[env])


def test_the_schedule_of_mjlab_with_our_own_draws():
    """After a reset the delay is 0 until the first turn, below the minimum as in mjlab; then it is in the range."""
    wire = Wire(be.Delay(steps=(3, 5), schedule="mjlab", period=10), shape=(100, 1), seed=2)
    lags = wire.lags(20)
    first_turn = -wire.state.phase[:, 0] % 10
    waiting = np.arange(20)[:, None] < first_turn
    assert (lags[waiting] == 0).all() and (lags[~waiting] >= 3).all()
    assert set(lags[~waiting]) == {3, 4, 5}


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch", "native"])
def test_the_schedule_of_isaac_lab(engine):
    """One lag per environment and reset, and the first command fills the buffer."""
    envs, draw = 5, np.random.default_rng(3)
    wire = Wire(be.Delay(steps=(1, 6), schedule="isaaclab"), engine, (envs, 2))
    frames, lags = [[] for _ in range(envs)], draw.integers(1, 7, envs)
    for _ in range(60):
        command = draw.normal(size=(envs, 2))
        # what is drawn between resets does not count
        drawn = np.where([len(f) == 0 for f in frames], lags, draw.integers(1, 7, envs))
        arrived = wire.send(command, draws=be.actuator.Draws(lag=wire.flags(drawn[:, None])))
        for env in range(envs):
            frames[env].append(command[env])
        expected = [f[-1 - min(lag, len(f) - 1)] for f, lag in zip(frames, lags, strict=True)]
        np.testing.assert_array_equal(arrived, expected)
        mask = draw.random(envs) < 0.08
        wire.reset(mask[:, None])
        lags = np.where(mask, draw.integers(1, 7, envs), lags)
        frames = [[] if done else f for f, done in zip(frames, mask, strict=True)]


# --- what is refused

BAD = [
    ({}, "Delay: give either steps or seconds"),
    ({"steps": 1, "seconds": 0.1}, "Delay: give either steps or seconds"),
    ({"steps": -1}, "Delay.steps = -1: must be a finite number of 0 or more"),
    ({"seconds": (0.001, float("inf"))}, "must be a finite number of 0 or more"),
    ({"seconds": float("nan")}, "must be a finite number of 0 or more"),
    ({"steps": (4, 2)}, "Delay.steps = (4, 2): the shortest comes first"),
    ({"steps": (np.array([1, 5]), np.array([3, 4])), "per": "joint"}, "the shortest comes first"),
    ({"steps": (3,)}, "must be a number, or two of them, (shortest, longest)"),
    ({"steps": (1, 2, 3)}, "must be a number, or two of them, (shortest, longest)"),
    ({"steps": "3"}, "must be a number, or two of them, (shortest, longest)"),
    ({"steps": True}, "must be a number, or two of them, (shortest, longest)"),
    ({"steps": (0, None)}, "must be a number, or two of them, (shortest, longest)"),
    ({"steps": 1.5, "whole": True}, "Delay.whole = True, but steps = 1.5: give whole numbers, or whole=False"),
    ({"steps": 1, "schedule": "often"}, "Delay.schedule = 'often': must be one of constant, episode, period, step"),
    ({"steps": 1, "schedule": 5}, "Delay.schedule = 5: must be one of constant"),
    ({"steps": 1, "per": "robot"}, "Delay.per = 'robot': must be one of environment, joint"),
    ({"steps": (np.array([0, 1]), 3)}, "the range has one value per joint: give per='joint'"),
    ({"steps": 1, "targets": ("torque",)}, "Delay.targets names 'torque': must be of position, velocity"),
    ({"steps": 1, "targets": ()}, "Delay.targets = (): must be some of position, velocity"),
    ({"steps": 1, "targets": 5}, "Delay.targets = 5: must be some of position, velocity"),
    ({"steps": (0, 2), "schedule": "period"}, "give the period in steps, e.g. period=10"),
    ({"steps": (0, 2), "schedule": "period", "period": -3}, "Delay.period = -3: must be a whole number of steps"),
    ({"steps": (0, 2), "schedule": "period", "period": 2.5}, "Delay.period = 2.5: must be a whole number of steps"),
    ({"steps": (0, 2), "period": 5}, "Delay.period = 5 would never take effect"),
    ({"steps": 2, "schedule": "period", "period": 5}, "one value is never drawn anew, give steps=(shortest, longest)"),
    ({"seconds": 0.1, "schedule": "step"}, "one value is never drawn anew, give seconds=(shortest, longest)"),
    ({"steps": (0, 2), "hold_probability": 0.5}, "Delay.hold_probability would never take effect"),
    ({"steps": (0, 2), "schedule": "step", "hold_probability": 1.5}, "Delay.hold_probability = 1.5: must be"),
    ({"steps": (0, 2), "schedule": "step", "hold_probability": -0.1}, "Delay.hold_probability = -0.1: must be"),
    ({"steps": (0, 5), "frames": 5}, "is longer than its buffer of frames = 5: give frames >= 6, or leave it out"),
    ({"steps": 1, "frames": 0}, "Delay.frames = 0: must be a whole number of steps, 1 or more"),
    ({"steps": 0, "frames": True}, "Delay.frames = True: must be a whole number of steps, 1 or more"),
    ({"steps": (0.0, 2.5), "schedule": "mjlab"}, "Delay.schedule = 'mjlab': needs whole steps=(shortest, longest)"),
    ({"seconds": (0.0, 0.01), "schedule": "isaaclab"}, "needs whole steps=(shortest, longest)"),
    ({"seconds": 0.01, "whole": True, "schedule": "mjlab"}, "needs whole steps=(shortest, longest)"),
]


@pytest.mark.parametrize(("fields", "sentence"), BAD)
def test_a_delay_that_makes_no_sense_is_refused(fields, sentence):
    """One sentence names the field, the value and the remedy."""
    with pytest.raises(be.ParameterError) as error:
        be.Delay(**fields)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_target_that_the_controller_does_not_take_is_refused():
    """A delay of it would never take effect."""
    with pytest.raises(
        be.ParameterError, match=r"Delay\.targets names 'voltage', but IdealPd takes position, velocity"
    ):
        be.Actuator(controller=PD, delay=be.Delay(steps=1, targets="voltage"))


def test_a_buffer_too_short_for_the_step_is_refused():
    """Seconds become frames when the state is made for a step."""
    step = be.Actuator(delay=be.Delay(seconds=0.01, frames=8)).compile("numpy")
    with pytest.raises(
        be.ParameterError, match=r"at dt = 0\.001 s is longer than its buffer of frames = 8: give frame"
    ):
        step.initial((1,), dt=DT)
    assert len(step.initial((1,), dt=0.002).effort_line) == 8


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seconds", [0.05, (0.001, 0.05)])
def test_a_state_made_for_a_longer_step_is_refused(engine, seconds):
    """A delay that the frames cannot hold at this dt would silently be shorter."""
    wire = Wire(be.Delay(seconds=seconds), engine, dt=0.005)
    wire.send(1.0)
    wire.dt = DT
    with pytest.raises(be.ParameterError, match=r"dt = 0\.001 s is longer than the 11 frames of this state"):
        wire.send(1.0)


@pytest.mark.parametrize("seed", [-1, 0.5, True, "a"])
def test_a_seed_that_is_no_count_is_refused(seed):
    """Seeds are whole numbers of 0 or more."""
    with pytest.raises(be.ParameterError, match="must be a whole number of 0 or more"):
        Wire(SCHEDULED, seed=seed)


# --- inputs that come and go, and modes


def test_a_velocity_that_is_left_out_counts_as_zero_on_its_way():
    """5, 5, 5, None, None with a delay of two steps arrives as 0, 0, 5, 5, 5, 0, 0: nothing stale comes back."""
    wire = Wire(be.Delay(steps=2), controller=be.IdealPd(stiffness=0.0, damping=1.0))
    sent = [5.0, 5.0, 5.0, None, None, None, None]
    given = [be.Command(position=0.0, velocity=v) for v in sent]
    assert np.ravel([wire.send(command) for command in given]).tolist() == [0.0, 0.0, 5.0, 5.0, 5.0, 0.0, 0.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_mode_travels_with_its_command(engine):
    """A torque and then a voltage command arrive in that order, each after its delay; before them, no torque."""
    resistive = be.Motor(
        winding=be.Winding(resistance=2.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1)
    )
    options = {"eager": True, "dtype": torch.float64} if engine == "torch" else {}
    actuator = be.Actuator(resistive, controller=be.ModeSelector(), delay=be.Delay(steps=2))
    step = actuator.compile(engine, **options)
    shape = () if engine == "python" else (2, 1)
    state = step.initial(shape)
    make = {"numpy": np.full, "native": np.full, "jax": jnp.full, "torch": torch.full}.get(engine)
    told = [be.Command(effort=0.3), be.Command(effort=0.3), be.Command(voltage=4.0), be.Command(voltage=4.0)] + [
        be.Command(voltage=0.0)
    ] * 2
    torques = []
    for command in told:
        inputs = (0.0, 0.0) if make is None else (make(shape, 0.0), make(shape, 0.0))
        state, out = step(state, command, *inputs, DT)
        torques.append(float(np.ravel(np.asarray(out.torque))[0]))
    assert np.allclose(torques, [0.0, 0.0, 0.3, 0.3, 0.2, 0.2], rtol=1e-12)


def test_a_reset_of_one_joint_leaves_its_neighbours_setpoint_alone():
    """The delay of an environment starts again with any of its joints; the setpoints of the others go on."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=1.0), delay=be.Delay(steps=(1, 2)), slew=10.0)
    step = actuator.compile("numpy")
    state = step.initial((1, 2))
    for _ in range(20):
        state, _ = step(state, np.ones((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)), DT)
    before = state.setpoint.copy()
    assert (before > 0.1).all()
    state = step.reset(state, np.array([[True, False]]))
    state, _ = step(state, np.ones((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)), DT)
    assert state.setpoint[0, 0] == 0.0 and state.setpoint[0, 1] > 0.1
