"""Training on logs: a known torque law is found, the held-out error is honest, and bad logs are said."""

from __future__ import annotations

import numpy as np
import pytest
from learned_networks import perceptron

import backemf as be
from backemf.actuator import network_laws as laws
from backemf.learned import LearnedMlp, LearnedRecurrent, Lstm, fit_learned, learned_torque, memory_of, training
from backemf.learned import shares as fitting
from backemf.learned.linear import LinearFilter, with_filter
from backemf.learned.logs import Stretch, read_log

pytest.importorskip("jax")

DT = 0.005
NOISE = 0.02


def spring_and_friction(error, velocity):
    """A spring that saturates at 20 N·m, with Stribeck friction and drag [N·m]."""
    level = 1.0 + 0.8 * np.exp(-((velocity / 0.5) ** 2))
    return 20.0 * np.tanh(3.0 * error) - level * np.tanh(velocity / 0.3) - 0.3 * velocity


def motion(rows: int, seed: int = 1, delay: int = 0) -> dict[str, np.ndarray]:
    """A log of random sines; the torque follows the law, some steps late where there is a delay."""
    rng = np.random.default_rng(seed)
    time = DT * np.arange(rows + delay)
    tones = list(zip(2 * np.pi * rng.uniform(0.2, 3.0, 8), rng.uniform(0, 6, 8), strict=True))
    position = sum(0.2 * np.sin(w * time + p) for w, p in tones)
    velocity = sum(0.2 * w * np.cos(w * time + p) for w, p in tones)
    error = sum(0.1 * np.sin(1.3 * w * time + p) for w, p in tones)
    torque = spring_and_friction(error, velocity)[:rows] + NOISE * rng.normal(size=rows)
    seen = slice(delay, None)
    return {
        "time": time[:rows],
        "position": position[seen],
        "velocity": velocity[seen],
        "position_target": (position + error)[seen],
        "torque": torque,
    }


@pytest.fixture(scope="module")
def result():
    return fit_learned(motion(8000), epochs=120)


# --- what is found


def test_an_mlp_finds_a_saturating_spring_with_friction(result):
    """On rows it never saw the error is below a tenth of the best PD's."""
    assert result.held_out_error < 0.1 * result.pd_error
    assert result.held_out_error >= 0.5 * NOISE


def test_the_errors_are_those_of_the_controller(result):
    """Stepped through the law, row by row, the controller misses held-out torques by the reported error."""
    stretches, dt = read_log(motion(8000))
    assert dt == pytest.approx(DT)
    held = fitting.shares(stretches, 0.2, 3, np.random.default_rng(0))[2]
    misses, by_pd = [], []
    for block in held:
        state = be.State(**{name: np.zeros(shape) for name, shape in memory_of(result.controller, ()).items()})
        for row in range(len(block)):
            changes, torque = learned_torque(result.controller, state, block.error[row], block.velocity[row], row == 0)
            state = be.State(**changes)
            if row >= 2:
                misses.append(torque - block.torque[row])
                by_pd.append(result.pd.torque(block.error[row], block.velocity[row]) - block.torque[row])
    assert np.sqrt(np.mean(np.square(misses))) == pytest.approx(result.held_out_error, rel=1e-9)
    assert np.sqrt(np.mean(np.square(by_pd))) == pytest.approx(result.pd_error, rel=1e-9)
    assert result.rows[2] == len(misses)


@pytest.mark.long
def test_history_is_worth_having_where_the_torque_is_late():
    """With a torque four steps late, five samples get below half the error of one."""
    log = motion(5000, delay=4)
    one, five = (fit_learned(log, history=n, hidden=(24,), epochs=60) for n in (1, 5))
    assert five.held_out_error < 0.5 * one.held_out_error


@pytest.mark.long
@pytest.mark.parametrize("kind", ("lstm", "gru"))
def test_a_recurrent_network_beats_the_pd(kind):
    """On held-out rows the error is below half of the best PD's, though the torque is two steps late."""
    found = fit_learned(motion(4000, delay=2), network=kind, hidden=16, epochs=60)
    assert isinstance(found.controller, LearnedRecurrent)
    assert isinstance(found.controller.network, Lstm) == (kind == "lstm")
    assert found.held_out_error < 0.5 * found.pd_error


def series_elastic(rows: int, seed: int = 3, wrong: int = 0) -> dict[str, np.ndarray]:
    """A log of a drive behind a spring: the torque is a filter of errors and velocities, bounded and with friction."""
    log = motion(rows, seed)
    error, rng = log["position_target"] - log["position"], np.random.default_rng(seed)
    spring = np.zeros(rows)
    for row in range(2, rows):
        drive = 60.0 * error[row - 1] - 1.5 * log["velocity"][row - 1]
        spring[row] = 1.4 * spring[row - 1] - 0.55 * spring[row - 2] + 0.15 * drive
    torque = 25.0 * np.tanh(spring / 25.0) - 0.8 * np.tanh(log["velocity"] / 0.5)
    log["torque"] = torque + 0.05 * rng.normal(size=rows)
    log["torque"][rng.choice(rows, wrong, replace=False)] += 60.0
    return log


@pytest.mark.parametrize("seed", (0, 1, 2))
def test_a_network_beats_the_linear_filter_over_the_same_history(seed):
    """A drive behind a spring is nearly a linear filter; what is not, the network finds, on held-out rows."""
    found = fit_learned(series_elastic(2500), history=6, hidden=16, epochs=40, seed=seed)
    assert found.linear_error < found.pd_error
    assert found.held_out_error < 0.6 * found.linear_error


def test_the_linear_error_is_that_of_least_squares():
    """The filter over the same windows, solved here, misses held-out torques by the reported error."""
    log = series_elastic(1500)
    found = fit_learned(log, history=4, stride=2, epochs=1, hidden=4)
    parts = fitting.shares(read_log(log)[0], 0.2, 7, np.random.default_rng(0))
    (x, y, _), _, (held, torque, _) = (fitting.cut_windows(part, (1.0, 1.0, 1.0), 4, 2) for part in parts)
    weights = np.linalg.lstsq(np.c_[x, np.ones(len(x))], y, rcond=None)[0]
    miss = np.c_[held, np.ones(len(held))] @ weights - torque
    assert found.linear_error == pytest.approx(np.sqrt(np.mean(miss**2)), rel=1e-9)
    assert found.linear_history == 4


def test_a_linear_law_needs_no_network():
    """Where the filter is the law, the network that carries it is exact, whatever is trained beside it."""
    log = motion(2000)
    log["torque"] = 12.0 * (log["position_target"] - log["position"]) - 0.5 * log["velocity"] + 0.3
    found = fit_learned(log, hidden=(4, 4), epochs=2)
    assert found.skip and found.held_out_error < 1e-6


def test_a_few_wrong_torques_do_little_harm():
    """With one row in fifty 60 N·m off, which moves a mean by 1.2 N·m, clean rows are found without that offset."""
    dirty, clean = series_elastic(2500, wrong=50), series_elastic(2500)
    found = fit_learned(dirty, history=6, hidden=16, epochs=40, activation="silu")
    held = fitting.shares(read_log(clean)[0], 0.2, 6, np.random.default_rng(0))[2]
    c = found.controller
    x, y, _ = fitting.cut_windows(held, (1 / c.position_scale, 1 / c.velocity_scale, 1.0), 6, 1)
    miss = c.torque_scale * laws.mlp(x, c.network)[:, 0] - y
    assert abs(miss.mean()) < 0.4
    assert np.sqrt(np.mean(miss**2)) < 1.1


@pytest.mark.parametrize(
    "activation", ("relu", "leaky_relu", "leaky_relu(0.3)", "gelu", "gelu_tanh", "silu", "identity")
)
@pytest.mark.parametrize("sizes", ((6, 1), (6, 5, 1), (6, 5, 4, 3, 1)))
def test_two_units_carry_a_filter_through_a_layer(sizes, activation):
    """f(s) - f(-s) = c·s: the MLP with a filter in it is the sum of both, at sums of every size."""
    rng = np.random.default_rng(0)
    net, straight = perceptron(sizes, activation=activation), LinearFilter(rng.normal(size=6), 0.7)
    x = rng.normal(size=(50, 6)) * np.logspace(-4, 4, 50)[:, None]
    expected = laws.mlp(x, net)[:, 0] + straight(x)
    np.testing.assert_allclose(laws.mlp(x, with_filter(net, straight))[:, 0], expected, rtol=1e-10, atol=1e-10)


def test_an_activation_that_carries_no_filter_is_said():
    """softsign bends every sum; without skip it is trained alone, as recurrent networks are."""
    for options, words in (
        ({"activation": "softsign"}, "activation = 'softsign' cannot; leave skip out"),
        ({"network": "gru", "hidden": 4}, "network = 'gru' cannot; leave skip out"),
    ):
        with pytest.raises(be.ParameterError, match=words):
            fit_learned(motion(600), epochs=1, skip=True, **options)
    assert not fit_learned(motion(600), epochs=1, activation="softsign").skip
    assert not fit_learned(motion(600), epochs=1, skip=False).skip
    with pytest.raises(be.ParameterError, match="skip = 'yes': must be True, False or None"):
        fit_learned(motion(600), skip="yes")


def test_a_linear_law_is_found_by_the_pd_itself():
    """torque = 12·e - 0.5·v + 0.3 is the reported PD, to the noise."""
    log = motion(2000)
    error = log["position_target"] - log["position"]
    log["torque"] = 12.0 * error - 0.5 * log["velocity"] + 0.3
    found = fit_learned(log, hidden=4, epochs=1)
    assert (found.pd.kp, found.pd.kd, found.pd.offset) == pytest.approx((12.0, 0.5, 0.3), rel=1e-9)
    assert found.pd_error < 1e-9


def test_the_same_seed_gives_the_same_network():
    """Two fits are equal, another seed is another network."""
    log = motion(1000)
    first, again, other = (fit_learned(log, hidden=4, epochs=3, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.controller.network.weights[0], again.controller.network.weights[0])
    assert (first.controller.network.weights[0] != other.controller.network.weights[0]).any()


def test_a_second_fit_of_the_same_size_compiles_nothing(monkeypatch):
    """Learning rate and number of epochs are arguments of what JAX has compiled; another width is compiled anew."""
    traced = []
    plain = training.outputs
    monkeypatch.setattr(training, "outputs", lambda *given: traced.append(given) or plain(*given))
    log = motion(900)
    fit_learned(log, hidden=3, epochs=2)
    once = len(traced)
    fit_learned(log, hidden=3, epochs=3, learning_rate=0.02)
    assert once > 0 and len(traced) == once
    fit_learned(log, hidden=2, epochs=2)
    assert len(traced) > once


def test_training_stops_when_nothing_is_gained():
    """Early stopping ends a fit before its last epoch and keeps the best network it saw."""
    found = fit_learned(motion(1000), hidden=4, epochs=400, patience=3)
    assert found.epochs < 400


# --- no row in two shares


@pytest.mark.parametrize("episodes", (1, 3, 8))
def test_shares_never_overlap(episodes):
    """Every row belongs to one share at most; from five episodes on, whole episodes are held out."""
    rows = np.arange(2400.0)
    stretches = [Stretch(part, part, part) for part in np.array_split(rows, episodes)]
    parts = fitting.shares(stretches, 0.25, 5, np.random.default_rng(0))
    sets = [set(np.concatenate([block.error for block in part])) for part in parts]
    assert not (sets[0] & sets[1] or sets[0] & sets[2] or sets[1] & sets[2])
    assert len(sets[2]) == pytest.approx(600, rel=0.3)
    for block in (block for part in parts for block in part):
        assert (np.diff(block.error) == 1).all()
        if episodes == 8:
            assert len(block) == 300


def test_windows_are_newest_first_and_stay_in_their_block():
    """Row 0 of a window is the present; no window reaches over the edge of a block."""
    blocks = [Stretch(np.arange(10.0), np.arange(10.0) + 100, np.arange(10.0)), Stretch(*[np.arange(50.0, 58.0)] * 3)]
    x, y, _ = fitting.cut_windows(blocks, (1.0, 1.0, 1.0), 3, 2)
    np.testing.assert_array_equal(x[0], [4, 2, 0, 104, 102, 100])
    assert len(x) == 6 + 4 and (x[:, 0] == y).all() and (x[:, 0] - x[:, 2] == 4).all()


def test_sequences_count_every_row_once():
    """Behind the first steps of a block each row has weight in exactly one sequence."""
    block = Stretch(*[np.arange(1.0, 301.0)] * 3)
    _, y, weight = fitting.cut_sequences([block], (1.0, 1.0, 1.0))
    np.testing.assert_array_equal(np.sort(y[weight > 0]), np.arange(fitting.WARM + 1.0, 301.0))


# --- logs of every kind


def test_files_and_episodes_are_read_as_dicts_are(tmp_path):
    """CSV with units, parquet and a dict of the same rows give the same stretches; time may start again."""
    import pyarrow
    import pyarrow.parquet

    log = motion(600)
    log["time"] = np.concatenate([log["time"][:300]] * 2)
    log["episode"] = np.repeat([7, 3], 300)
    header = "time [s],position [rad],velocity [rad/s],command [rad],torque [N*m],episode"
    np.savetxt(tmp_path / "log.csv", np.stack(list(log.values()), axis=1), delimiter=",", header=header, comments="")
    pyarrow.parquet.write_table(pyarrow.table(log), tmp_path / "log.parquet")
    expected, dt = read_log(log)
    assert [len(stretch) for stretch in expected] == [300, 300] and dt == pytest.approx(DT)
    for name in ("log.csv", "log.parquet"):
        found, step = read_log(tmp_path / name)
        assert step == pytest.approx(DT)
        for ours, theirs in zip(expected, found, strict=True):
            np.testing.assert_allclose(ours.error, theirs.error, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(ours.torque, theirs.torque, rtol=1e-9)


def test_joints_side_by_side_are_stretches_of_their_own(tmp_path):
    """Arrays (rows, joints), and files with torque[0], torque[1], are the same two joints."""
    one, two = motion(300, seed=1), motion(300, seed=2)
    log = {name: np.stack([one[name], two[name]], axis=1) for name in one if name != "time"} | {"time": one["time"]}
    flat = {"time": one["time"]} | {f"{name}[{j}]": log[name][:, j] for name in log if name != "time" for j in (0, 1)}
    for found in (read_log(log)[0], read_log(flat)[0]):
        np.testing.assert_array_equal(found[0].torque, one["torque"])
        np.testing.assert_array_equal(found[1].torque, two["torque"])


def simulate_log(every: int = 1) -> be.Run:
    motor = be.Datasheet.load("maxon-re40-148877").motor()
    return be.simulate(motor, be.Inertia(1e-4), be.commands.Sine(amplitude=6.0, frequency=3.0), 0.5, 1e-3, every=every)


def test_a_run_gives_what_each_step_saw():
    """A run's positions belong to the end of a step, so each step sees those of the one before."""
    run = simulate_log()
    (stretch,), dt = read_log(run)
    assert dt == pytest.approx(1e-3) and len(stretch) == 499
    np.testing.assert_allclose(stretch.error, run["command"][1:] - run["position"][:-1])
    np.testing.assert_allclose(stretch.velocity, run["velocity"][:-1])
    np.testing.assert_allclose(stretch.torque, run["torque"][1:])


def test_a_run_with_gaps_is_said():
    """Where only every tenth step was recorded, what a step saw is lost."""
    with pytest.raises(be.ParameterError, match="needs every step: simulate with every=1"):
        fit_learned(simulate_log(every=10))


# --- what cannot be


def spoilt(**changes):
    log = motion(600)
    for name, change in changes.items():
        change(log[name]) if callable(change) else log.update({name: change})
    return log


def later_from(row):
    def change(column):
        column[row:] += 0.02

    return change


def put(row, value):
    def change(column):
        column[row] = value

    return change


@pytest.mark.parametrize(
    ("log", "words"),
    (
        ({"time": [0, 1]}, r"log has no column 'position'; it has time"),
        ({k: v for k, v in motion(9).items() if k != "position_target"}, "no column 'position_target'"),
        (spoilt(torque=put(17, np.nan)), r"log\['torque'\] row 17 = nan: must be a finite number"),
        (spoilt(position_target=put(3, np.inf)), r"log\['position_target'\] row 3 = inf"),
        (spoilt(time=put(12, 0.0)), r"log\['time'\] row 12 = 0 s does not rise \(before it: 0.055 s\)"),
        (spoilt(time=later_from(100)), "row 100: a step of 0.025 s among steps of 0.005 s"),
        (spoilt(torque=np.zeros(5)), "different lengths: time 600, position 600, velocity 600, torque 5"),
        (spoilt(torque=3.0), r"log\['torque'\] = 3.0: must be an array"),
        (spoilt(torque=["a"] * 600), r"log\['torque'\] row 0 = 'a': must be numbers"),
        (spoilt(torque=np.zeros((600, 2)), velocity=np.zeros((600, 3))), "has 2 joints and others have 3"),
        (spoilt(torque=np.zeros(600)), "the torque is 0 in every training row; there is nothing to learn"),
        (spoilt(episode=np.arange(600)), "the episode at row 0 has a single row"),
        (motion(100), "log: 100 rows leave .* at least 200 rows"),
        (3.0, "log = float: must be a dict of arrays, a CSV or parquet path, or a Run"),
        ("nowhere.csv", "nowhere.csv: no such file"),
    ),
)  # fmt: skip
def test_bad_logs_are_said(log, words):
    """One sentence: which column, which row, what to do."""
    with pytest.raises(be.ParameterError, match=words) as caught:
        fit_learned(log)
    assert "\n" not in str(caught.value)


def test_episodes_of_different_steps_are_said():
    """A network knows one time step only."""
    log = motion(600)
    log["episode"] = np.repeat(["slow", "fast", "late"], 200)
    log["time"] = np.concatenate([DT * np.arange(200), 0.001 * np.arange(200), 9 + DT * np.arange(200)])
    with pytest.raises(be.ParameterError, match=r"'fast' has steps of 0.001 s and others have 0.005 s"):
        fit_learned(log)


@pytest.mark.parametrize("content", ("", "time,torque\n1,2,3\n", "\x00\x01"))
def test_files_that_are_no_tables_are_said(content, tmp_path):
    """An empty file, rows of different lengths, and no text at all."""
    path = tmp_path / "log.csv"
    path.write_text(content)
    with pytest.raises(be.ParameterError, match=r"log\.csv") as caught:
        fit_learned(path)
    assert "\n" not in str(caught.value)


def test_an_empty_cell_is_said_with_its_row(tmp_path):
    """A hole in a CSV is no number."""
    log = motion(5)
    rows = [",".join(log), *(",".join(f"{column[i]:g}" for column in log.values()) for i in range(5))]
    rows[3] = rows[3].rsplit(",", 1)[0] + ","
    (tmp_path / "log.csv").write_text("\n".join(rows))
    with pytest.raises(be.ParameterError, match=r"\['torque'\] row 2 = nan"):
        fit_learned(tmp_path / "log.csv")


@pytest.mark.parametrize(
    ("options", "words"),
    (
        ({"network": "cnn"}, "network = 'cnn': must be one of mlp, lstm, gru"),
        ({"activation": "sine"}, "activation = 'sine': must be one of"),
        ({"hidden": ()}, r"hidden = \(\): must be a whole number"),
        ({"hidden": (8, 0)}, r"hidden = \(8, 0\)"),
        ({"network": "gru", "hidden": (8, 4)}, "equally wide"),
        ({"history": 0}, "history = 0: must be a whole number of 1 or more"),
        ({"epochs": 1.5}, "epochs = 1.5"),
        ({"held_out": 1.0}, "held_out = 1.0: must be a share between 0 and 1"),
        ({"held_out": 0.99}, "held_out = 0.99 leaves no rows to train on"),
        ({"learning_rate": -1.0}, "learning_rate = -1.0: must be a finite number greater than 0"),
        ({"learning_rate": 1e30}, r"learning_rate = 1e\+30: the loss is not finite; lower it"),
        ({"reset": "hold"}, "reset = 'hold': must be one of backfill, zero"),
    ),
)
def test_options_that_cannot_be_are_said(options, words):
    """One sentence names the option."""
    with pytest.raises(be.ParameterError, match=words):
        fit_learned(motion(600), **{"epochs": 2, **options})


# --- the report


def test_the_report_says_the_figures(result):
    """Printed, it names the network, the errors and the PD."""
    text = str(result)
    words = "MLP 6-34-34-1 silu" if result.skip else "MLP 6-32-32-1 softsign"
    assert f"{words}, steps of 5 ms" in text
    assert f"{result.held_out_error:.4g} N·m" in text and f"{result.pd_error:.4g} N·m" in text
    assert f"kp {result.pd.kp:.4g} N·m/rad" in text
    assert f"{result.linear_error:.4g} N·m   on the same rows: the best filter over 3 errors and velocities" in text


def test_the_picture_is_written(result, tmp_path):
    """Measured against predicted torque."""
    pytest.importorskip("matplotlib")
    result.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 5000


def test_a_fit_is_saved_with_its_scales(result, tmp_path):
    """What is read back gives the same torques but for single precision."""
    pytest.importorskip("onnx")
    from backemf.learned import load_learned

    read = load_learned(result.save(tmp_path / "fit.onnx"))
    assert isinstance(read, LearnedMlp) and read.torque_scale == pytest.approx(result.controller.torque_scale)
    state = be.State(error_history=np.full(3, 0.1), velocity_history=np.full(3, -2.0))
    ours, theirs = (learned_torque(c, state, 0.2, -1.5, False)[1] for c in (result.controller, read))
    assert theirs == pytest.approx(ours, rel=1e-4)


def test_a_bar_is_shown_only_when_asked(capfd):
    """Nothing is printed by itself."""
    fit_learned(motion(600), hidden=4, epochs=2)
    fit_learned(motion(600), hidden=4, epochs=2, progress=True)
    assert capfd.readouterr() == ("", "")


def test_a_network_of_ones_own_is_a_controller():
    """`learned_torque` needs nothing but the states it names."""
    c = LearnedMlp(network=perceptron((2, 3, 1)), history=1)
    state = be.State(error_history=np.zeros((1, 2)), velocity_history=np.zeros((1, 2)))
    changes, torque = learned_torque(c, state, np.array([0.1, 0.2]), np.array([1.0, 2.0]), True)
    assert torque.shape == (2,) and changes["error_history"].shape == (1, 2)
