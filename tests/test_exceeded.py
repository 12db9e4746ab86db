"""A run against the maker's ratings: every rating exceeded, kept and unknown, against numbers found by hand."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from typer.testing import CliRunner

import backemf as be
from backemf.analyze.gear_load import gear_output_torque
from backemf.analyze.stretches import overload, rms_within, stretches
from backemf.cli.app import app

THERMAL = be.TwoNodeThermal(
    winding_resistance=1.93, winding_capacitance=21.5, housing_resistance=4.65, housing_capacitance=174.0
)
GEARED = "maxon-re40-gp52c"
ALL = be.Ratings(
    voltage=24.0, current=1e3, peak_current=1e3, peak_duration=1e3, winding_temperature=1e5, speed=1e5,
    gear_input_speed=1e5, gear_torque=1e4, gear_peak_torque=1e4,
)  # fmt: skip
"""Ratings that no run here exceeds."""


def geared_motor(ratings: be.Ratings | None = ALL, **parts) -> be.Motor:
    """A motor whose every rating is known, behind a gear of 10 that loses a fifth."""
    known = {
        "winding": be.Winding(resistance=0.3, inductance=1e-4),
        "magnet": be.Magnet(torque_constant=0.03, back_emf_constant=0.03),
        "rotor": be.Rotor(inertia=1.4e-5),
        "thermal": THERMAL,
        "friction": be.Coulomb(coulomb=0.004),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=10.0, efficiency=0.8),)),
        "ratings": ratings,
    }
    return be.Motor(**known | parts)


def run_up(motor: be.Motor, **options) -> be.Run:
    """From rest at 24 V against a mass and a weight: large currents first, then speed."""
    load = be.ConstantTorque(torque=-0.5, inertia=0.01)
    return be.simulate(motor, load, be.commands.Step(value=24.0, time=0.05), 0.5, 1e-3, engine="numpy", **options)


BASE = run_up(geared_motor())
"""What the channels are; ratings change nothing in them."""


def finding_named(run: be.Run, what: str) -> be.RunFinding | None:
    """The one finding of a name."""
    found = [finding for finding in run.findings() if finding.what == what]
    assert len(found) <= 1
    return found[0] if found else None


def with_rating(**ratings) -> be.Run:
    """The base run with other ratings, as if they had been on the sheet."""
    return replace(BASE, actuator=be.Actuator(geared_motor(replace(ALL, **ratings))))


# --- the defect


@pytest.mark.parametrize(("motor", "warned"), [(GEARED, True), ("maxon-re40-148877", True)])
def test_a_stalled_motor_at_its_nominal_voltage_does_not_end_without_a_word(motor, warned):
    """Minutes of stall: hundreds of degrees in a winding that takes 155 °C, or whose maximum nobody knows."""
    voltage = be.Datasheet.load(motor).electrical.nominal_voltage
    answer = CliRunner().invoke(
        app, ["simulate", motor, "--command", f"{voltage:g} V", "--load", "locked", "--duration", "5 min",
                  "--dt", "20 ms", "--json"],
    )  # fmt: skip
    assert answer.exit_code == 0
    findings = json.loads(answer.stdout)["findings"]
    assert any(f["severity"] == "warning" for f in findings) == warned


# --- every rating

CHANNELS = {
    "winding_temperature": lambda run: run["winding_temperature"],
    "peak_current": lambda run: abs(run["current"]),
    "speed": lambda run: abs(run["rotor_speed"]),
    "gear_input_speed": lambda run: abs(run["rotor_speed"]),
    "gear_peak_torque": lambda run: abs(gear_output_torque(run)),
}
"""What must never be above its rating."""


@pytest.mark.parametrize("rating", CHANNELS)
def test_a_rating_that_is_passed_is_a_warning_with_its_times(rating):
    """The limit is put at nine tenths between the lowest and the highest value; the rest is counted."""
    size = CHANNELS[rating](BASE)
    limit = float(size.min() + 0.9 * (size.max() - size.min()))
    finding = finding_named(with_rating(**{rating: limit}), rating)
    above = size > limit
    assert finding is not None
    assert finding.severity == "warning" and finding.limit == limit and finding.value == size.max()
    assert finding.first == BASE.time[np.flatnonzero(above)[0]]
    assert finding.total == pytest.approx(above.sum() * 1e-3)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], above.astype(int), [0]])))
    assert finding.longest == pytest.approx((edges[1::2] - edges[::2]).max() * 1e-3)
    assert be.units.format_quantity(limit, finding.unit) in finding.explanation
    assert be.units.format_quantity(float(size.max()), finding.unit) in finding.explanation


@pytest.mark.parametrize("rating", [*CHANNELS, "current", "gear_torque", "peak_duration"])
def test_a_rating_that_is_kept_is_no_finding(rating):
    """One that holds exactly the largest value is kept too."""
    assert finding_named(BASE, rating) is None
    if rating in CHANNELS:
        assert finding_named(with_rating(**{rating: float(CHANNELS[rating](BASE).max())}), rating) is None


@pytest.mark.parametrize("rating", [*CHANNELS, "current", "gear_torque", "peak_duration"])
def test_a_rating_that_is_unknown_is_said_once(rating):
    """Unknown is not perfect: no finding of its own, and one sentence that names it."""
    run = with_rating(**{rating: None})
    assert finding_named(run, rating) is None
    unknown = finding_named(run, "unknown")
    assert unknown is not None and unknown.severity == "info"
    # how long an unknown peak may last is no question of its own
    assert unknown.unknown == (rating,)
    assert "not checked" in unknown.explanation


def test_where_all_is_known_and_kept_there_is_nothing_to_say():
    assert BASE.findings() == []


def test_a_motor_without_ratings_says_all_that_is_missing():
    """A gearbox has ratings of its own; without one they are no question."""
    run = replace(BASE, actuator=be.Actuator(geared_motor(None)))
    unknown = finding_named(run, "unknown")
    assert unknown is not None and {"winding_temperature", "current", "speed", "gear_torque"} <= set(unknown.unknown)
    direct = be.simulate(geared_motor(None, gearbox=None), be.Inertia(1e-3), 24.0, 0.01, 1e-3, engine="numpy")
    assert not any(name.startswith("gear") for name in direct.findings()[0].unknown)


def test_without_a_thermal_model_heat_is_unknown():
    """A temperature that never changes is no proof that the winding stays cool."""
    run = run_up(geared_motor(replace(ALL, winding_temperature=20.0), thermal=None))
    assert finding_named(run, "winding_temperature") is None
    unknown = finding_named(run, "unknown")
    assert unknown is not None and unknown.unknown == ("thermal",)


# --- current against heat


@pytest.mark.parametrize("nodes", [THERMAL, be.Thermal(resistance=6.6, capacitance=21.5)], ids=["two nodes", "one"])
def test_how_long_a_stalled_winding_can_bear_its_current_is_when_it_passed_its_maximum(nodes):
    """A current that a limit holds: the closed form and the run agree to a step."""
    limits = be.Limits(peak_current=20.0)
    motor = geared_motor(replace(ALL, current=5.0, winding_temperature=100.0), thermal=nodes, limits=limits)
    run = be.simulate(motor, be.LockedRotor(), 24.0, 40.0, 1e-2, engine="numpy")
    winding, current = finding_named(run, "winding_temperature"), finding_named(run, "current")
    assert winding is not None and current is not None and current.severity == "warning"
    bears = float(be.analyze.time_to_limit(motor, 20.0))
    assert winding.first == pytest.approx(bears, abs=0.02)
    # the temperature at the start is that after the first step
    assert current.bearable == pytest.approx(bears, abs=0.02)
    said = be.units.format_quantity(current.bearable, "s", 3)
    assert current.explanation.endswith(f"bear the 20 A of its longest stretch up to the maximum for {said}")
    assert current.total == pytest.approx(40.0) and current.longest == pytest.approx(40.0)


def test_a_short_excess_that_the_winding_bears_is_worth_knowing_and_no_warning():
    """An RMS above the continuous current over half a second heats by a few kelvin."""
    run = with_rating(current=5.0, winding_temperature=155.0)
    finding = finding_named(run, "current")
    assert math.sqrt(np.mean(run["current"] ** 2)) > 5.0
    assert finding is not None and finding.severity == "info"
    assert finding.value == abs(run["current"]).max()
    assert finding.bearable is not None and finding.bearable > 10.0 * finding.longest
    assert be.units.format_quantity(math.sqrt(np.mean(run["current"] ** 2)), "A") in finding.explanation


@pytest.mark.parametrize(("share", "severity"), [(0.9, "warning"), (1.1, "info")])
@pytest.mark.parametrize("unknown", ["heat", "maximum"])
def test_where_heat_is_unknown_the_rms_decides(share, severity, unknown):
    """Above the continuous current for a moment is allowed, as an RMS it is not."""
    mean = math.sqrt(np.mean(BASE["current"] ** 2))
    ratings = replace(ALL, current=share * mean, winding_temperature=155.0 if unknown == "heat" else None)
    motor = geared_motor(ratings, thermal=None if unknown == "heat" else THERMAL)
    finding = finding_named(replace(BASE, actuator=be.Actuator(motor)), "current")
    assert finding is not None and finding.severity == severity
    assert finding.bearable is None
    missing = "thermal model" if unknown == "heat" else "maximum winding temperature"
    assert f"unknown without a {missing}" in finding.explanation


def test_a_drive_that_knows_the_continuous_current_stands_in_for_the_maker():
    """`Limits.continuous_current` is what the drive allows for ever."""
    limits = be.Limits(continuous_current=5.0, peak_current=60.0, derating_start=100.0, derating_end=150.0)
    motor = geared_motor(replace(ALL, current=None), limits=limits)
    finding = finding_named(replace(BASE, actuator=be.Actuator(motor)), "current")
    assert finding is not None and finding.limit == 5.0


# --- how long the peak may last


@pytest.mark.parametrize(("allowed", "found"), [(1.9, True), (2.1, False)])
def test_two_seconds_at_the_peak_are_two_seconds(allowed, found):
    """2 s at the peak, the rest without current: the counter shows 2 s."""
    ratings = replace(ALL, current=4.0, peak_current=20.0, peak_duration=allowed)
    motor = geared_motor(ratings, winding=be.Winding(resistance=0.3, temperature_coefficient=0.0))
    run = be.simulate(motor, be.LockedRotor(), np.repeat([6.0, 0.0], 200), 4.0, 1e-2, engine="numpy")
    finding = finding_named(run, "peak_duration")
    assert (finding is not None) == found
    if finding is not None:
        assert finding.value == pytest.approx(2.0) and finding.severity == "warning"


def test_half_the_overload_may_last_twice_as_long():
    """∫(i² - ic²) dt over ip² - ic²: at i² halfway between the two, 2 s count as one."""
    halfway = math.sqrt(0.5 * (4.0**2 + 20.0**2))
    ratings = replace(ALL, current=4.0, peak_current=20.0, peak_duration=0.5)
    motor = geared_motor(ratings, winding=be.Winding(resistance=0.3, temperature_coefficient=0.0))
    run = be.simulate(motor, be.LockedRotor(), 0.3 * halfway, 2.0, 1e-2, engine="numpy")
    finding = finding_named(run, "peak_duration")
    assert finding is not None and finding.value == pytest.approx(1.0)


def test_without_a_continuous_current_only_the_peak_itself_counts():
    ratings = replace(ALL, current=None, peak_current=20.0, peak_duration=0.5)
    motor = geared_motor(ratings, winding=be.Winding(resistance=0.3, temperature_coefficient=0.0))
    run = be.simulate(motor, be.LockedRotor(), np.repeat([6.0, 5.0], 100), 2.0, 1e-2, engine="numpy")
    finding = finding_named(run, "peak_duration")
    assert finding is not None and finding.value == pytest.approx(1.0)


def test_the_duration_of_the_peak_comes_from_the_sheet():
    sheet = be.Datasheet.load(GEARED)
    peak = replace(sheet.peak, current=40.0, duration=3.0)
    ratings = sheet.replace(peak=peak).motor().ratings
    assert ratings is not None and ratings.peak_duration == 3.0 and ratings.peak_current == 40.0


# --- gears


@pytest.mark.parametrize(
    "load",
    [
        be.Inertia(inertia=0.01, damping=0.02),
        be.ConstantTorque(torque=-0.5, inertia=0.01),
        be.Pendulum(mass=0.5, length=0.2, arm_mass=0.1),
        be.Fan(coefficient=1e-4, inertia=0.01),
        be.TwoMass(inertia=0.005, far_inertia=0.01, stiffness=50.0, damping=0.05),
    ],
    ids=lambda load: type(load).__name__,
)
def test_a_gearbox_carries_what_the_load_takes(load):
    """At the output: the load's own inertia times its acceleration, less the torque of the load; no rotor in it."""
    run = be.simulate(geared_motor(), load, 12.0, 0.2, 1e-3, engine="numpy")
    own = (0.5 + 0.1 / 3.0) * 0.2**2 if isinstance(load, be.Pendulum) else load.inertia
    acceleration = np.diff(run["velocity"], prepend=0.0) / 1e-3
    expected = own * acceleration - run["load_torque"]
    np.testing.assert_allclose(gear_output_torque(run), expected, atol=1e-9 * abs(run["torque"]).max())


def test_a_gearbox_that_is_held_carries_all_of_the_torque():
    run = be.simulate(geared_motor(), be.LockedRotor(), 12.0, 0.1, 1e-3, engine="numpy")
    np.testing.assert_array_equal(gear_output_torque(run), run["torque"])


def test_a_prescribed_motion_takes_the_rotor_along():
    """A constant acceleration a: the gears carry the torque less N²·J·a."""
    time = np.linspace(0.0, 1.0, 1001)
    load = be.PrescribedMotion(time=time, position=0.5 * 40.0 * time**2)
    run = be.simulate(geared_motor(), load, 0.0, 1.0, 1e-3, engine="numpy")
    np.testing.assert_allclose((run["torque"] - gear_output_torque(run))[5:-5], 100.0 * 1.4e-5 * 40.0, rtol=1e-6)


def test_flanks_with_play_carry_the_torque_that_is_recorded():
    """The rotor is on its own: what arrives at the joint went through the gears."""
    loose = be.Gearbox(stages=(be.Stage(ratio=10.0, efficiency=0.8),), backlash=0.01)
    run = be.simulate(geared_motor(gearbox=loose), be.Inertia(0.01), 12.0, 0.1, 1e-3, engine="numpy")
    np.testing.assert_array_equal(gear_output_torque(run), run["torque"])


@pytest.mark.parametrize(("share", "severity"), [(0.9, "warning"), (1.1, "info")])
def test_the_continuous_torque_of_a_gearbox_is_an_rms(share, severity):
    """Above it for a moment is what the short torque is for."""
    torque = gear_output_torque(BASE)
    mean = math.sqrt(np.mean(torque**2))
    finding = finding_named(with_rating(gear_torque=share * mean), "gear_torque")
    assert finding is not None and finding.severity == severity
    assert finding.value == pytest.approx(mean)
    assert finding.total == pytest.approx((abs(torque) > share * mean).sum() * 1e-3)


# --- supply, batch, thinned recordings, no motor


def test_the_largest_current_of_the_supply_is_said_and_what_it_takes_back():
    """Reversed at full speed the motor feeds back before it drives again."""
    supply = be.Supply(voltage=24.0, resistance=0.05)
    steps = np.repeat([24.0, 3.0], 200)
    run = be.simulate(be.Actuator(geared_motor(), supply), be.Inertia(0.01), steps, 0.4, 1e-3, engine="numpy")
    finding = finding_named(run, "supply_current")
    assert finding is not None and finding.severity == "info" and finding.limit is None
    assert finding.value == run["bus_current"].max()
    assert run["bus_current"].min() < -1.0
    for words in (
        be.units.format_quantity(float(run["bus_current"].max()), "A"),
        f"took back at most {be.units.format_quantity(-float(run['bus_current'].min()), 'A')}",
        f"fell to {be.units.format_quantity(float(run['bus_voltage'].min()), 'V')}",
    ):
        assert words in finding.explanation


def test_a_brake_resistor_is_named_where_it_burns():
    supply = be.Supply(voltage=24.0, regeneration=False)
    steps = np.repeat([24.0, 3.0], 200)
    run = be.simulate(be.Actuator(geared_motor(), supply), be.Inertia(0.01), steps, 0.4, 1e-3, engine="numpy")
    finding = finding_named(run, "supply_current")
    burnt = be.units.format_quantity(float(run["brake_power"].max()), "W")
    assert finding is not None and f"brake resistor dissipated at most {burnt}" in finding.explanation
    assert "took back" not in finding.explanation and "fell" not in finding.explanation


@pytest.mark.parametrize("shape", [(6,), pytest.param((2, 3), marks=pytest.mark.long)])
def test_a_batch_says_how_many_and_the_worst(shape):
    """Six voltages, of which the upper ones pass a speed that each motor has of its own."""
    volts = np.linspace(4.0, 24.0, 6).reshape(shape)
    limit = np.full(shape, 400.0)
    run = be.simulate(
        geared_motor(replace(ALL, speed=limit)),
        be.Inertia(0.001),
        be.commands.Constant(volts),
        1.0,
        1e-3,
        engine="numpy",
    )
    fastest = abs(run["rotor_speed"]).max(axis=0)
    finding = finding_named(run, "speed")
    assert finding is not None
    assert finding.motors == (fastest > 400.0).sum() and 0 < finding.motors < 6
    assert finding.worst == np.unravel_index(fastest.argmax(), shape)
    assert finding.value == fastest.max()
    assert finding.explanation.startswith(f"{finding.motors} of 6 motors, the worst {list(finding.worst)}: ")


@pytest.mark.long
def test_the_worst_of_a_batch_is_what_it_would_be_alone():
    """Every number of the finding is that of the one motor run by itself."""
    volts = np.array([6.0, 24.0, 12.0])
    ratings = replace(ALL, current=5.0, winding_temperature=100.0, gear_torque=1.0)
    many = be.simulate(geared_motor(ratings), be.LockedRotor(), be.commands.Constant(volts), 20.0, 1e-2, engine="numpy")
    alone = be.simulate(geared_motor(ratings), be.LockedRotor(), 24.0, 20.0, 1e-2, engine="numpy")
    for one, other in zip(alone.findings(), many.findings(), strict=True):
        assert other.worst in ((), (1,))
        assert other.explanation.endswith(one.explanation)
        for name in ("what", "severity", "limit", "first", "total", "longest", "unit"):
            assert getattr(one, name) == getattr(other, name)
        assert other.value == pytest.approx(one.value, rel=1e-9)


def test_motors_of_a_batch_with_parameters_of_their_own_bear_their_current_each():
    """Different windings heat up differently; the time that is said is that of the worst one."""
    resistance = np.array([0.2, 0.3, 0.5])
    motor = geared_motor(
        replace(ALL, current=5.0, winding_temperature=100.0), winding=be.Winding(resistance=resistance),
        limits=be.Limits(peak_current=20.0),
    )  # fmt: skip
    run = be.simulate(motor, be.LockedRotor(), 24.0, 20.0, 1e-2, engine="numpy")
    finding = finding_named(run, "current")
    assert finding is not None and finding.severity == "warning"
    one = geared_motor(motor.ratings, winding=be.Winding(resistance=float(resistance[finding.worst])))
    bears = float(be.analyze.time_to_limit(one, 20.0))
    assert finding.worst == (2,) and finding.motors == 2
    # the temperature at the start is that after the first step
    assert finding.bearable == pytest.approx(bears, abs=0.02)


def test_a_thinned_recording_is_said():
    run = run_up(geared_motor(), every=10)
    finding = finding_named(run, "recording")
    assert finding is not None and finding.severity == "info" and "one step in 10" in finding.explanation


def test_an_actuator_without_a_motor_was_not_checked():
    run = be.simulate(
        be.Actuator(controller=be.IdealPd(stiffness=2.0, damping=0.1)), be.Inertia(0.1), 1.0, 0.1, 1e-3, engine="numpy"
    )
    (finding,) = run.findings()
    assert finding.severity == "info" and finding.unknown == ("motor",)


def test_warnings_come_first():
    run = with_rating(speed=10.0, current=5.0, peak_current=6.0)
    severities = [finding.severity for finding in run.findings()]
    assert severities == sorted(severities, key=("warning", "hint", "info").index) and severities[0] == "warning"


# --- stretches


def by_hand(holds: np.ndarray) -> tuple[int, int, int]:
    """Count, longest stretch and where that begins, step by step."""
    best, begin, length = 0, 0, 0
    for step, on in enumerate(holds):
        length = length + 1 if on else 0
        if length > best:
            best, begin = length, step - length + 1
    return int(holds.sum()), best, begin


@settings(deadline=None)
@given(arrays.arrays(bool, st.tuples(st.integers(1, 40), st.integers(1, 4))))
def test_stretches_are_those_of_a_plain_loop(holds):
    found = stretches(holds)
    for motor in range(holds.shape[1]):
        answer = (found.total[motor], found.longest[motor], found.begin[motor])
        assert answer == by_hand(holds[:, motor])
        if holds[:, motor].any():
            assert found.first[motor] == np.flatnonzero(holds[:, motor])[0]


@settings(deadline=None)
@given(arrays.arrays(float, st.integers(1, 40), elements=st.floats(0.0, 100.0)), st.floats(0.0, 100.0))
def test_overload_is_the_counter_of_a_drive(current, continuous):
    """x = max(0, x + (i² - ic²)·dt), the largest on the way."""
    counter, most = 0.0, 0.0
    for i in current:
        counter = max(0.0, counter + (i * i - continuous * continuous) * 0.1)
        most = max(most, counter)
    found = overload(current[:, None], np.array([continuous]), 0.1)
    assert found[0] == pytest.approx(most, abs=1e-9 * 1e4 * len(current))


def test_rms_within_the_longest_stretch():
    values = np.array([[9.0], [3.0], [4.0], [0.0], [9.0]])
    assert rms_within(values, stretches(values[:] > 0.0)) == pytest.approx(math.sqrt((81 + 9 + 16) / 3))


# --- degrees


def servo(**parts) -> be.Actuator:
    return be.Actuator(geared_motor(), controller=be.PositionPid(kp=10.0, kd=0.1), **parts)


@pytest.mark.parametrize(
    ("actuator", "command", "hinted"),
    [
        (servo(), 90.0, True),
        (servo(), -45.0, True),
        (servo(), 6.28, False),
        (servo(command_range=(-1.6, 1.6)), 90.0, True),
        (servo(command_range=(-100.0, 100.0)), 90.0, False),
        (be.Actuator(geared_motor(), controller=be.VelocityPi(kp=0.3)), 90.0, False),
        (be.Actuator(geared_motor()), 24.0, False),
        (be.Actuator(geared_motor(), controller=be.TorquePid(kp=1.0)), be.Command(position=90.0, velocity=0.0), True),
        (be.Actuator(geared_motor(), controller=be.TorquePid(kp=1.0)), be.Command(position=1.0, velocity=90.0), False),
        (be.Actuator(controller=be.IdealPd(stiffness=1.0, damping=0.1)), 90.0, True),
    ],
)
def test_targets_that_look_like_degrees_get_a_hint_once(actuator, command, hinted):
    """More than a turn, and no command range that allows it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = be.simulate(actuator, be.Inertia(0.01), command, 0.05, 1e-3, engine="numpy")
    assert len([w for w in caught if w.category is be.BackemfWarning]) == hinted
    finding = finding_named(run, "target")
    assert (finding is not None) == hinted
    if finding is not None:
        assert finding.severity == "hint" and "radians" in finding.explanation
        assert caught[0].filename == __file__


# --- the command line


def call(*arguments):
    return CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(app, ["simulate", *map(str, arguments)])


STALL = (GEARED, "--command", "24 V", "--load", "locked", "--duration", "60 s", "--dt", "20 ms")


def test_simulate_prints_its_findings():
    text = " ".join(call(*STALL).stdout.split())
    assert "warning winding temperature: the winding reached" in text and "its maximum of 155 °C" in text
    assert "info unknown: not checked" in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(STALL, 0), ((*STALL, "--strict"), 1), ((*STALL, "--strict", "--json"), 1),
     ((GEARED, "--command", "1 V", "--duration", "10 ms", "--strict"), 0)],
)  # fmt: skip
def test_a_warning_is_exit_code_0_and_1_if_asked_for(arguments, code):
    answer = call(*arguments)
    assert answer.exit_code == code and answer.stdout


def test_the_findings_as_json_are_those_of_python():
    answer = json.loads(call(*STALL, "--json").stdout)["findings"]
    run = be.simulate(be.Datasheet.load(GEARED).motor(), be.LockedRotor(), 24.0, 60.0, 2e-2, engine="numpy")
    assert [f["explanation"] for f in answer] == [f.explanation for f in run.findings()]
    assert answer[0]["what"] == "winding_temperature" and answer[0]["limit"] == 155.0


@pytest.mark.long
def test_a_target_that_was_typed_with_its_unit_gets_no_hint_and_one_from_a_file_does(tmp_path):
    """720 deg are meant as they stand; a column of bare numbers may be degrees."""
    file = tmp_path / "targets.csv"
    file.write_text("time,target\n0,0\n1,90\n")
    options = ("--controller", "position-pid kp=10V/rad", "--duration", "20 ms")
    typed = call(GEARED, "--command", "720 deg", *options)
    from_file = call(GEARED, "--command", file, *options[:-1], "500 ms", "--dt", "1 ms")
    assert typed.exit_code == 0 and "hint" not in typed.stdout
    assert from_file.exit_code == 0 and "hint target: a position target of 44." in from_file.stdout
