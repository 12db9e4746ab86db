"""The motion that tells most of a drive: within the limits, with the intervals that a fit then has."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_rig
from test_cli import call

import backemf as be
from backemf.errors import ParameterError
from backemf.identify.comparison import Drive, predict_drive
from backemf.identify.information import family_of
from backemf.identify.motion_limits import MARGIN, shrink
from backemf.identify.motions import SHAPES, Motion, Piece, joined_motions, single_motions

FREE = ("winding.resistance", "magnet", "rotor.inertia", "friction.coulomb", "friction.viscous")
STILL = ("winding.resistance", "magnet", "friction.coulomb", "friction.viscous")
NUMBERS = {
    "motor.winding.resistance": 3.4,
    "motor.magnet": 0.35,
    "motor.rotor.inertia": 1.8e-3,
    "motor.friction.coulomb": 0.03,
    "motor.friction.viscous": 0.01,
}
"""Numbers of the truth."""
SECONDS = 8.0


@cache
def found() -> be.Excitation:
    """The best motion for a drive of which 10 % off is believed."""
    return be.excite(off_by(TRUTH, 0.1), pendulum_rig(), SECONDS, free=FREE)


def log_of(command: np.ndarray, enable: np.ndarray, noise_seed: int = 0, blur: float = 1.0) -> be.Log:
    """What the truth would log on the pendulum, with the noise of its sensor; its encoder is read well at rest."""
    time = found().time
    given = {"position_command": command, "enable": enable}
    blank = be.Log.from_arrays(time, {**given, "position": 0.0 * time})
    # with steps so short that they do not matter
    (seen,) = predict_drive(Drive("truth", be.Actuator(TRUTH), dt=2e-5), pendulum_rig(), [blank])
    noise = blur * found().noise["position"] * np.random.default_rng(noise_seed).normal(size=len(time))
    return be.Log.from_arrays(time, {**given, "position": seen["position"] + np.where(time > 0.1, noise, 0.0)})


def fit_of(command: np.ndarray, enable: np.ndarray, noise_seed: int = 0, blur: float = 1.0) -> be.Fit:
    return be.identify(log_of(command, enable, noise_seed, blur), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE)


def width(fit: be.Fit) -> float:
    """Sum of the logarithms of the widths of all intervals."""
    return sum(np.log(np.log(each.high / each.low)) for each in fit.parameters)


# --- what it is for


@pytest.mark.long
def test_a_fit_of_the_chosen_motion_contains_the_truth():
    """Of 15 intervals 10 or more as they are, and all when 1.5 times as wide.

    Intervals are by blocks, and a release tells most within few of them: of 60 intervals, 50 contain the truth.
    """
    inside, nearly = 0, 0
    for seed in range(3):
        for each in fit_of(found().command, found().enable, seed).parameters:
            off, half = abs(np.log(each.value / NUMBERS[each.name])), 0.5 * np.log(each.high / each.low)
            inside, nearly = inside + (off <= half), nearly + (off <= 1.5 * half)
    assert inside >= 10 and nearly == 15


def test_intervals_are_foretold():
    """Errors of fits scatter as foretold at the truth: their RMS over standard deviations is 1, within what 20 tell.

    The noise is ten times as large: with the encoder's own, numbers are told to 0.01 %, and steps matter.
    """
    foretold = {each.name: np.log(each.high / each.low) / (2.0 * 1.96) for each in at_truth().reveals}
    off = []
    for seed in range(4):
        fit = fit_of(found().command, found().enable, seed, blur=10.0)
        off += [np.log(each.value / NUMBERS[each.name]) / 10.0 / foretold[each.name] for each in fit.parameters]
    assert len(off) == 20 and 0.5 < np.sqrt(np.mean(np.square(off))) < 1.6


@cache
def at_truth() -> be.Excitation:
    """The best motion for the truth: nearly the same one."""
    return be.excite(TRUTH, pendulum_rig(), SECONDS, free=FREE)


@pytest.mark.long
def test_the_chosen_motion_tells_more_than_others():
    """Its intervals are narrower than those of a step, and than those of motions drawn from the candidates."""
    best = width(fit_of(found().command, found().enable))
    time = found().time
    assert best < width(fit_of(np.where(time > 0.5, 1.0, 0.0), np.ones(len(time)))) - 5.0
    every = [each for each in found().candidates if not each.reason]
    for k in np.random.default_rng(1).choice(np.arange(10, len(every)), 2, replace=False):
        assert best < width(fit_of(*every[k].motion.sample(time, SECONDS))), every[k].words


def test_an_interval_is_that_of_the_derivative():
    """Of one number, with the start free: the covariance of J = dq/σ from pairs of simulations that are close."""
    rig = pendulum_rig()
    one = be.excite(TRUTH, rig, 2.0, free="winding.resistance")
    blank = be.Log.from_arrays(one.time, {**channels_of(one), "position": 0.0 * one.time})

    def position(factor: float = 1.0, **start: float) -> np.ndarray:
        motor = replace(TRUTH, winding=be.Winding(resistance=3.4 * factor))
        settings = {f"start.{name}": value for name, value in start.items()}
        return predict_drive(Drive("", be.Actuator(motor), settings, extrapolated=False), rig, [blank])[0]["position"]

    ways = [
        (position(1.00005) - position(0.99995)) / 1e-4,
        (position(position=5e-5) - position(position=-5e-5)) / 1e-4,
        (position(velocity=5e-4) - position(velocity=-5e-4)) / 1e-3,
    ]
    spread = 0.1
    slopes = np.stack(ways, axis=1) / one.noise["position"]
    expected = np.linalg.inv(slopes.T @ slopes + np.diag([1.0 / spread**2, 1.0, 1.0]))[0, 0] ** 0.5
    (revealed,) = one.reveals
    assert one.noise["position"] == np.pi / 4096
    assert revealed.share * spread == pytest.approx(expected, rel=0.02)
    assert one.gain == pytest.approx(-np.log(revealed.share), rel=1e-9)
    assert np.log(revealed.high / revealed.value) == pytest.approx(1.96 * expected, rel=0.02)
    assert np.log(revealed.prior_high / revealed.value) == pytest.approx(1.96 * spread, rel=1e-9)


def channels_of(excitation: be.Excitation) -> dict[str, np.ndarray]:
    return {f"{excitation.input}_command": excitation.command, "enable": excitation.enable}


def test_the_best_candidate_is_chosen():
    """The first of the list has the largest gain and is the motion that is given; what was dropped is last."""
    gains = [each.gain for each in found().candidates if not each.reason]
    assert len(gains) > 40 and gains == sorted(gains, reverse=True) and found().gain == gains[0]
    command, enable = found().candidates[0].motion.sample(found().time, SECONDS)
    assert np.array_equal(command, found().command) and np.array_equal(enable, found().enable)
    assert any(len(each.motion.pieces) == 3 for each in found().candidates)


def test_the_same_seed_gives_the_same_motion():
    """Levels of steps are drawn from the seed, and nothing else is random."""
    drive, rig = off_by(TRUTH, 0.1), pendulum_rig()
    again = [be.excite(drive, rig, 2.0, free=FREE, seed=seed) for seed in (3, 3, 4)]
    assert np.array_equal(again[0].command, again[1].command) and again[0].gain == again[1].gain
    levels = [next(c for c in e.candidates if c.motion.kinds == "steps").motion.pieces[0].seed for e in again]
    assert levels == [3, 3, 4]


# --- limits


def test_limits_hold():
    """Position, speed, current and temperature of the simulation stay below what was given, and one is nearly used."""
    warm = replace(TRUTH, thermal=be.Thermal(resistance=10.0, capacitance=2.0))
    limits = be.MotionLimits(position=0.8, speed=4.0, current=1.2, temperature=30.0)
    tight = be.excite(warm, pendulum_rig(), 3.0, limits=limits, free=FREE)
    bounds = {"position": 0.8, "velocity": 4.0, "current": 1.2, "winding_temperature": 30.0}
    assert tight.bounds == bounds
    shares = [np.abs(tight.prediction[name]).max() / bound for name, bound in bounds.items()]
    assert 0.8 < max(shares) <= 1.0
    assert all(tight.peaks[name] == np.abs(tight.prediction[name]).max() for name in bounds)


def test_ratings_are_limits_where_none_are_given():
    """The maker's peak current, rotor speed over the gear and winding temperature; 90° for a position controller."""
    rated = be.Ratings(voltage=7.4, peak_current=1.5, speed=8.0, winding_temperature=60.0)
    motor = replace(TRUTH, ratings=rated, thermal=be.Thermal(resistance=10.0, capacitance=2.0))
    bounds = be.excite(motor, pendulum_rig(), 1.0, free=FREE).bounds
    assert bounds == {"position": np.pi / 2, "velocity": 8.0, "current": 1.5, "winding_temperature": 60.0}


def test_a_motion_is_made_smaller_until_it_fits():
    """Twice too large, it becomes MARGIN/2 of itself; one that never fits is dropped with the reason."""
    motions = [Motion((Piece("chirp", 1.0, 1.0),)), Motion((Piece("steps", 1.0, 1.0),))]

    def peaks(tried):
        return [{"velocity": 2.0 * m.pieces[0].amplitude if m.kinds == "chirp" else 7.0} for m in tried]

    fits, never = shrink(motions, {"velocity": 1.0}, peaks, 25.0)
    assert (fits.reason, fits.motion.pieces[0].amplitude) == ("", MARGIN / 2.0)
    assert fits.peaks == {"velocity": MARGIN}
    assert "speed of 66.8 rpm is above 9.55 rpm" in never.reason


def test_heat_grows_with_the_square():
    """Four times the rise that is allowed takes half the commands."""
    rising = [Motion((Piece("lift and hold", 1.0),))]
    (fits,) = shrink(rising, {"winding_temperature": 35.0}, lambda tried: [
        {"winding_temperature": 25.0 + 40.0 * m.pieces[0].amplitude ** 2} for m in tried], 25.0)  # fmt: skip
    assert fits.motion.pieces[0].amplitude == pytest.approx(MARGIN / 2.0, rel=1e-12)


# --- motions


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("seconds", [0.5, 3.3, 20.0])
def test_a_piece_uses_its_amplitude_and_ends_at_zero(kind: str, seconds: float):
    """Its largest command is its amplitude, to the samples; it begins near 0, ends at it, and is on at both ends."""
    time = np.linspace(0.0, seconds, 4001)
    command, enable = Piece(kind, 0.7, 2.0, seed=1).sample(time, seconds)
    assert 0.69 < np.abs(command).max() <= 0.7 + 1e-12
    assert abs(command[-1]) < 1e-9 and enable[0] == enable[-1] == 1.0
    assert set(enable) <= {0.0, 1.0} and (kind == "release") == (enable.min() == 0.0)


def test_motions_one_after_another():
    """Each piece has its share of the time, and pairs and triples keep the order."""
    chirp, lift = Piece("chirp", 1.0, 1.0), Piece("lift and hold", 0.5)
    time = np.linspace(0.0, 4.0, 801)
    command, _ = Motion((chirp, lift)).sample(time, 4.0)
    assert np.array_equal(command[:400], chirp.sample(time[:400], 2.0)[0])
    assert command[400:] == pytest.approx(lift.sample(time[400:] - 2.0, 2.0)[0], abs=1e-12)
    singles = [Motion((Piece(kind, 1.0, 1.0),)) for kind in SHAPES]
    joined = joined_motions(singles)
    assert len(joined) == 15 + 20 and joined[0].kinds == "chirp, then triangle"


def test_fast_motions_have_the_speed_of_the_drive():
    """A sine of amplitude a and frequency f has the speed 2π·f·a; no cycle is faster than allowed."""
    pieces = [motion.pieces[0] for motion in single_motions(1.5, 6.0, 50.0, 0)]
    fast = [p for p in pieces if p.kind == "chirp"]
    assert max(2.0 * np.pi * p.frequency * p.amplitude for p in fast) == pytest.approx(6.0, rel=1e-12)
    assert sorted({p.amplitude for p in pieces}) == pytest.approx([0.6, 1.5])
    assert max(motion.pieces[0].frequency for motion in single_motions(1.5, 6.0, 0.2, 0)) == 0.2


# --- what it says


def test_a_locked_joint_hides_what_needs_motion():
    """Viscous friction does nothing at standstill: it stays at its prior, and the words say what would tell."""
    rig = be.Rig(be.LockedRotor(), firmware=be.DutyServo(kp=2.0), supply=be.Supply(voltage=7.4))
    held = be.excite(TRUTH, rig, 2.0, channels=["current", "torque"], free=STILL)
    hidden = {name for direction in held.hides for name, _ in direction.parts}
    assert "motor.friction.viscous" in hidden and "motor.winding.resistance" not in hidden
    viscous = next(each for each in held.reveals if each.name == "motor.friction.viscous")
    assert viscous.share == pytest.approx(1.0, abs=1e-9)
    assert "motor.friction.viscous stays as it was believed: log fast motion" in held.text()
    assert "position" not in held.bounds


def test_a_spring_is_not_sought_where_a_joint_turns_without_end():
    """A free wheel has no angle to come back to; a limited one may have."""
    rig = be.Rig(be.Inertia(1e-3), supply=be.Supply(voltage=7.4))
    free, limited = (
        {each.name for each in be.excite(TRUTH, rig, 1.0, limits=limits).reveals}
        for limits in (None, be.MotionLimits(position=500.0))
    )
    more = {family_of(name) for name in limited - free}
    assert more == {"spring.stiffness", "spring.offset", "motor.friction_over_angle.shares"}


def test_the_motion_is_a_file_that_logs_and_simulations_read(tmp_path):
    """Headings have units; be.read_log reads the same commands, and a simulation can follow them."""
    path = found().to_csv(tmp_path / "motion.csv")
    assert path.read_text().splitlines()[0] == "time [s],position_command [rad],enable [1]"
    assert be.read_log(path) == found().motion
    signal = be.commands.from_csv(path, "position_command", unit="rad")
    assert np.array_equal(signal.at(found().time), found().command)
    with pytest.raises(ParameterError, match=r"written as \.csv"):
        found().to_csv(tmp_path / "motion.txt")


def test_the_text_says_what_is_revealed_and_hidden():
    """Each number with its intervals, limits with their peaks, and the noise."""
    text = found().text()
    assert text.splitlines()[0] == f"{found().name}; 8 s"
    assert "limit 90 deg" in text and "noise: position" in text and "hides nothing" in text
    for each in found().reveals:
        assert f"{each.low:.3g} .. {each.high:.3g}" in text
    assert repr(found()).startswith("Excitation(") and "5 numbers" in repr(found())


def test_the_picture_shows_command_motion_and_numbers(tmp_path):
    """A panel for each predicted channel, and a bar for each number."""
    drawn = found().plot(tmp_path / "motion.svg")
    assert (tmp_path / "motion.svg").stat().st_size > 5000
    assert [ax.get_ylabel().split("\n")[0] for ax in drawn.axes[:3]] == ["position", "velocity", "current"]
    assert len(drawn.axes[-1].patches) == 5
    assert np.array_equal(drawn.axes[0].lines[0].get_ydata(), found().command)


# --- bad input


def test_bad_arguments_are_errors():
    """Each is one sentence with the value and the remedy."""
    noted = be.Rig.parse(
        'format = "backemf rig 1"\n[load]\nkind = "Inertia"\ninertia = "1 kg*m^2"\n'
        '[firmware]\nkind = "DutyServo"\nkp = "log.kp 1/rad"\n'
    )
    locked = be.Rig(be.LockedRotor(), firmware=be.DutyServo(kp=2.0), supply=be.Supply(voltage=7.4))
    moved = be.PrescribedMotion(time=np.arange(2.0), position=np.arange(2.0))
    plain = replace(TRUTH, ratings=None)
    for given, words in (
        ({"seconds": 0.0}, "excite: seconds = 0.0: must be between 0.5 s and 60 s"),
        ({"seconds": 1e6}, "excite: seconds = 1000000.0: must be between"),
        ({"seconds": float("nan")}, "excite: seconds = nan"),
        ({"seconds": "5"}, "excite: seconds = '5'"),
        ({"rate": 1.0}, "excite: rate = 1.0: must be between 20 Hz and 2000 Hz"),
        ({"seed": -1}, "excite: seed = -1"),
        ({"rig": "rig.toml"}, "excite: rig = 'rig.toml': must be a Rig"),
        ({"actuator": 3.0}, "excite: actuator = 3.0: must be a catalogue id"),
        ({"limits": 3.0}, "excite: limits = 3.0: must be a MotionLimits"),
        ({"free": "fricton.*"}, "excite: free = 'fricton.\\*': matches nothing"),
        ({"channels": ["enable"]}, "excite: channels, 'enable': must be some of position"),
        ({"channels": ["winding_temperature"]}, "'winding_temperature' cannot be compared here"),
        ({"rig": be.Rig(be.MeasuredMotion())}, "MeasuredMotion, whose joint moves whatever the motor does"),
        ({"rig": be.Rig(moved)}, "PrescribedMotion, whose joint moves whatever the motor does"),
        ({"rig": be.Rig(be.RobotModel(model="robot.xml"))}, "RobotModel, which is known along a measured motion only"),
        ({"rig": noted}, "refers to the note 'kp'; give it in meta"),
        ({"rig": locked}, "nothing would be logged that tells anything of a joint that is held"),
        ({"rig": be.Rig(be.Inertia(1e-3)), "actuator": plain}, "how large a command of voltage may be; give the rig"),
        ({"limits": be.MotionLimits(speed=1e-6)}, "no motion stays within the limits: of a chirp, the speed of"),
    ):
        arguments: dict[str, Any] = {"actuator": TRUTH, "rig": pendulum_rig(), "seconds": 1.0} | given
        with pytest.raises(ParameterError, match=words):
            be.excite(arguments.pop("actuator"), arguments.pop("rig"), arguments.pop("seconds"), **arguments)
    with pytest.raises(ParameterError, match=r"MotionLimits\.position = -1"):
        be.MotionLimits(position=-1.0)


# --- the command


@pytest.fixture
def words(tmp_path) -> list[object]:
    """A motor and a rig that refers to a gain, as words of a command line."""
    be.save(be.Actuator(TRUTH), tmp_path / "servo.toml")
    text = pendulum_rig().text().replace('kp = "2 1/rad"', 'kp = "log.kp 1/rad"')
    assert "log.kp" in text
    (tmp_path / "rig.toml").write_text(text, encoding="utf-8")
    return [tmp_path / "servo.toml", "--rig", tmp_path / "rig.toml", "--seconds", 2, "--note", "kp=2"]


def test_the_command_writes_and_says(words, tmp_path):
    """What it reveals and hides, the motion as CSV and a picture."""
    files = ("-o", tmp_path / "motion.csv", "--plot", tmp_path / "motion.png")
    result = call("excite", *words, "--max-position", "45 deg", *files, width=150)
    assert result.exit_code == 0, result.output
    assert "limit 45 deg" in result.output and "reveals" in result.output and "motion.csv" in result.output
    assert np.abs(be.read_log(tmp_path / "motion.csv")["position_command"]).max() <= np.radians(45.0) + 1e-9
    assert (tmp_path / "motion.png").stat().st_size > 5000


def test_the_command_for_scripts(words):
    """Limits in SI, each number, and every candidate."""
    limits = ("--max-speed", "60 rpm", "--max-current", "1 A")
    answer = json.loads(call("excite", *words, *limits, "--log", "position", "--log", "current", "--json").output)
    assert answer["limits"]["velocity"] == pytest.approx(2.0 * np.pi)
    assert answer["peaks"]["current"] <= answer["limits"]["current"] == 1.0
    assert set(answer["noise"]) == {"position", "current"}
    assert len(answer["candidates"]) > 40 and answer["reveals"][0]["share"] < 0.1
    assert len(answer["time"]) == len(answer["command"]) == 401


def test_bad_words_end_in_one_sentence(words, tmp_path):
    """Exit code 2."""
    for more, sentence in (
        (["--max-position", "45"], "has no unit"),
        (["--max-speed", "3 A"], "--max-speed"),
        (["-o", "motion.parquet"], "must end in .csv"),
        (["--seconds", 0], "must be between 0.5 s and 60 s"),
        (["--note", "kp"], "must be two names"),
    ):
        result = call("excite", *words, *more)
        assert result.exit_code == 2 and sentence in result.output, result.output
        assert len(result.output.strip().splitlines()) == 1
