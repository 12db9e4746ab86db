"""Sizing: closed forms of textbooks, the periodic steady state, and what a pair exceeds."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from size_rig import motor, task

import backemf as be
from backemf.engines import native_sweep
from backemf.engines.native_plan import address
from backemf.motorfile import loads
from backemf.size import sizing
from backemf.size.optimum import best_ratio
from backemf.size.pair_files import pair_files

ANGLE, DURATION, LOAD = 1.5, 0.5, 0.08
ACCELERATION = 4.0 * ANGLE / DURATION**2
"""Of a triangle: half of the way in half of the time."""
COLD = {"thermal": None, "ratings": be.Ratings(current=100.0)}


def test_rms_current_of_a_triangle_is_that_of_the_textbook():
    """Without losses i = (J_m·N + J_l/N)·a/Kt, of one size all the time."""
    for ratio in (3.0, 30.0, 100.0):
        found = be.size(task(), [motor(ratio=ratio, **COLD)])
        expected = (2e-5 * ratio + LOAD / ratio) * ACCELERATION / 0.05
        assert found.best.figures["rms_current"] == pytest.approx(expected, rel=1e-9)
        assert found.best.figures["peak_current"] == pytest.approx(expected, rel=1e-9)


def test_best_ratio_without_losses_matches_the_inertias():
    """The least current is at N = sqrt(J_load/J_motor)."""
    found = best_ratio(motor(), task().cycles()["joint"])
    assert found.ratio == pytest.approx(np.sqrt(LOAD / 2e-5), rel=1e-6)
    assert found.rms_current == pytest.approx(2.0 * np.sqrt(LOAD * 2e-5) * ACCELERATION / 0.05, rel=1e-6)
    assert abs(found.slope) < 1e-6


def test_best_ratio_with_an_efficiency():
    """With losses by direction of power N⁴ = (J_l/J_m)²·(1/η² + η_b²)/2."""
    eta, back = 0.7, 0.6
    found = best_ratio(motor(), task().cycles()["joint"], efficiency=eta, back_efficiency=back)
    assert found.ratio == pytest.approx(np.sqrt(LOAD / 2e-5) * ((eta**-2 + back**2) / 2.0) ** 0.25, rel=1e-6)
    drives, driven = (2e-5 * found.ratio + LOAD * share / found.ratio for share in (1.0 / eta, back))
    expected = ACCELERATION / 0.05 * np.sqrt((drives**2 + driven**2) / 2.0)
    assert found.rms_current == pytest.approx(expected, rel=1e-6)


def test_best_ratio_over_real_gears():
    """Of gears in steps the nearest to the optimum in the logarithm is the coolest, and it is named."""
    ratios = [20.0, 40.0, 60.0, 90.0, 130.0]
    motors = [motor(f"m{n:g}", ratio=n, **COLD) for n in ratios]
    found = be.size(task(), motors)
    heats = {c.name: c.figures["heat"] for c in (found.only[k] for k in range(len(motors)))}
    assert min(heats, key=heats.__getitem__) == "m60"
    assert found.only.best_ratio().ratio == pytest.approx(np.sqrt(4000.0), rel=1e-6)


def test_gear_ratios_in_stages():
    """A ratio beyond one stage takes two, each with its own efficiency."""
    bare = be.Candidates.of([motor(gearbox=None, **COLD)], mass={"m": 0.3})
    pairs = bare.with_gears(be.FreeGears(ratios=[5.0, 50.0, 1.0], efficiency=0.9, largest_stage=8.0, stage_mass=0.1))
    made = {batch.name(k): (batch.single(k), batch.mass[k]) for batch in pairs.batches for k in range(len(batch))}
    one, two, none = (made[f"m + {words}"] for words in ("5:1 in 1 stage", "50:1 in 2 stages", "no gear"))
    assert len(pairs) == len(made) == 3
    assert none[0].gearbox is None
    gears = [motor.gearbox for motor, _ in (one, two)]
    assert [len(gear.stages) for gear in gears] == [1, 2]
    assert [float(gear.efficiency) for gear in gears] == pytest.approx([0.9, 0.81])
    assert [float(gear.ratio) for gear in gears] == pytest.approx([5.0, 50.0])
    assert [mass for _, mass in (none, one, two)] == pytest.approx([0.3, 0.4, 0.5])


def test_gears_of_a_task_are_tried_on_every_motor():
    """The coolest of them is the nearest to the optimum, and the nearest to it are named across the ratios."""
    bare = be.Candidates.of([motor("a", gearbox=None, **COLD), motor("b", gearbox=None, **COLD)])
    found = be.size(task(gears=be.FreeGears(ratios=[20.0, 60.0, 130.0], efficiency=1.0)), bare).only
    assert found.count == 6
    assert {found[k].name for k in (0, 1)} == {f"{name} + 60:1 in 2 stages" for name in "ab"}
    nearest = found.best_ratio(nearest=2).nearest
    assert nearest == (f"{found[0].name[0]} + 60:1 in 2 stages", f"{found[0].name[0]} + 130:1 in 3 stages")


def test_mean_temperature_solves_its_equation():
    """T = ambient + Rth·R(T)·i²: a constant-size current of a triangle has a closed form."""
    found = be.size(task(ambient=30.0), [motor()])
    current = found.best.figures["rms_current"]
    assert current == pytest.approx((2e-5 * 10 + LOAD / 10) * ACCELERATION / 0.05, rel=1e-9)
    cold = 7.0 * current**2 * 0.5 * (1.0 + 0.0039 * 5.0)
    expected = 30.0 + cold / (1.0 - 7.0 * current**2 * 0.5 * 0.0039)
    # a current of constant size has no ripple
    assert found.best.figures["winding"] == pytest.approx(expected, abs=0.01)


def test_periodic_steady_state_is_what_an_hour_of_simulation_settles_to():
    """Repeats and rests with R(T) and a weakening magnet: the same cycle from cold until it repeats itself."""
    warm = motor(
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05, temperature_coefficient=-0.002),
        thermal=be.TwoNodeThermal(
            winding_resistance=1.0, winding_capacitance=1.5, housing_resistance=1.5, housing_capacitance=4.0
        ),
        friction=be.Coulomb(coulomb=2e-3),
    )
    joint = be.JointTask(motion=be.TrapezoidMove(angle=1.5, duration=0.4), load=be.Inertia(0.08), repeats=3, rest=1.5)
    found = be.size(task(joints={"joint": joint}, samples=200), [warm])
    choice = found.best
    # the law of the heat in its plainest form, step by step, with the currents of the inverse
    cycle = found.only.cycle
    torque = found.only.trace(0).motor_torque
    rises, peak = np.zeros(2), 0.0
    flux = lambda t: 1.0 - 0.002 * (t - 25.0)  # noqa: E731
    for _ in range(30):
        peak = 0.0
        for _ in range(3):
            for m, dt in zip(torque, cycle.cells.dt, strict=True):
                t = 25.0 + rises[0]
                power = 0.5 * (1 + 0.0039 * (t - 25.0)) * (m / (0.05 * flux(t))) ** 2
                flow = (rises[0] - rises[1]) / 1.0
                rises = rises + dt * np.array([(power - flow) / 1.5, (flow - rises[1] / 1.5) / 4.0])
                peak = max(peak, rises[0])
        for _ in range(500):
            flow = (rises[0] - rises[1]) / 1.0
            rises = rises + 3e-3 * np.array([-flow / 1.5, (flow - rises[1] / 1.5) / 4.0])
    assert peak > 20.0
    assert choice.figures["winding"] - 25.0 == pytest.approx(peak, abs=0.3)


def test_many_repeats_are_as_hot_as_their_heat_at_every_moment():
    """A minute of motions and a minute of rest: the heat of a current of one size, step by step until it repeats."""
    joint = be.JointTask(
        motion=be.TriangleMove(angle=ANGLE, duration=DURATION), load=be.Inertia(LOAD), repeats=60, rest=60.0
    )
    figures = be.size(task(joints={"joint": joint}), [motor()]).best.figures
    current = (2e-5 * 10 + LOAD / 10) * ACCELERATION / 0.05
    winding = housing = hottest = 0.0
    for step in range(20 * 120 * 20):
        power = 0.5 * (1 + 0.0039 * winding) * current**2 if step % 2400 < 1200 else 0.0
        flow = (winding - housing) / 2.0
        winding, housing = winding + 0.05 * (power - flow) / 5.0, housing + 0.05 * (flow - housing / 5.0) / 40.0
        hottest = max(hottest, winding) if step >= 19 * 2400 else 0.0
    assert hottest > 40.0
    assert figures["winding"] - 25.0 == pytest.approx(hottest, abs=0.5)


def test_repeats_without_end_are_as_hot_as_no_rest():
    """A rest after hours of motion comes too late for the hottest winding."""
    joint = be.JointTask(motion=be.TriangleMove(angle=ANGLE, duration=DURATION), load=be.Inertia(LOAD))
    never = be.size(task(joints={"joint": joint}), [motor()]).best.figures["winding"]
    late = be.size(task(joints={"joint": replace(joint, repeats=100_000, rest=60.0)}), [motor()]).best.figures
    assert late["winding"] == pytest.approx(never, abs=0.2)


def test_torque_of_two_masses_on_a_spring():
    """Behind a spring and a damper the far mass moves by (k + jwc)/(k + jwc - J2·w²) of the joint's sine."""
    load = be.TwoMass(inertia=0.01, far_inertia=0.05, stiffness=40.0, damping=0.3)
    joint = be.JointTask(motion=be.SineMotion(amplitude=0.5, frequency=2.5), load=load)
    cycle = task(joints={"joint": joint}, samples=200).cycles()["joint"]
    w = 2 * np.pi * 2.5
    link = 40.0 + 0.3j * w
    far = link / (link - 0.05 * w**2)
    assert abs(far) > 1.3  # near its resonance the far mass counts for more than itself
    swing = -(0.01 + 0.05 * far) * 0.5 * w**2 * np.exp(1j * w * cycle.cells.time)
    expected = swing.imag
    assert np.abs(cycle.torque - expected).max() < 0.02 * np.abs(expected).max()
    rigid = 0.06 * cycle.cells.acceleration
    assert np.abs(cycle.torque - rigid).max() > 0.2 * np.abs(expected).max()


def test_a_winding_that_runs_away_is_infinite():
    """Where hotter copper makes more heat than it sheds, there is no steady state."""
    hot = motor(
        thermal=be.TwoNodeThermal(
            winding_resistance=40.0, winding_capacitance=5.0, housing_resistance=60.0, housing_capacitance=40.0
        )
    )
    found = be.size(task(), [hot])
    assert not len(found.only)
    assert np.isinf(found.only.figure("winding")).all()
    assert found.rejected(1)[0].reason.startswith("winding runs away above 125 °C after ")


def test_engines_agree():
    """The passes as machine code and on NumPy are the same."""
    motors = [motor(f"m{k}", ratio=5.0 + k, efficiency=0.8, friction=be.Coulomb(coulomb=1e-3)) for k in range(9)]
    joint = be.JointTask(
        motion=be.SineMotion(amplitude=0.7, frequency=1.3), load=be.Pendulum(mass=0.5, length=0.3), spring=True
    )
    given = task(joints={"joint": joint}, supply=be.Supply(voltage=24.0, resistance=0.2), samples=200)
    one, other = (be.size(given, motors, engine=engine) for engine in ("native", "numpy"))
    for name in ("winding", "energy", "spare_voltage", "peak_current", "stiffness", "rest_angle", "gear_peak"):
        np.testing.assert_allclose(one.only.figure(name), other.only.figure(name), rtol=1e-9, err_msg=name)


def test_machine_code_has_room_for_all_that_it_writes(monkeypatch):
    """A pass leaves its states and a row that says whether all is finite."""
    memories = []
    monkeypatch.setattr(native_sweep, "address", lambda x: memories.append(x) or address(x))
    be.size(task(samples=20), [motor()], engine="native")
    swept = [sweep.traces for sweep in native_sweep._SWEEPS.values()]
    given, after = memories[2:4]
    assert len(given) in {traces.rows for traces in swept}
    assert len(after) == len(given) + 1 and {traces.rows_after_a_run - traces.rows for traces in swept} == {1}


def test_voltage_is_resistance_inductance_and_back_emf():
    """For a sine i and w are known: v = R·i + L·di/dt + Ke·w at its largest."""
    joint = be.JointTask(motion=be.SineMotion(amplitude=0.5, frequency=5.0), load=be.Inertia(0.01))
    found = be.size(
        task(joints={"joint": joint}, samples=4000),
        [motor(winding=be.Winding(resistance=0.5, inductance=5e-3), **COLD)],
    )
    w = 2 * np.pi * 5.0
    t = np.linspace(0.0, 0.2, 100_001)
    inertia = 2e-5 * 10 + 0.01 / 10
    current = -inertia * 0.5 * w**2 * np.sin(w * t) / 0.05
    rate = -inertia * 0.5 * w**3 * np.cos(w * t) / 0.05
    volts = 0.5 * current + 5e-3 * rate + 0.05 * 10 * 0.5 * w * np.cos(w * t)
    assert found.best.figures["voltage"] == pytest.approx(np.abs(volts).max(), rel=1e-4)


def test_saturation_takes_more_current():
    """Beyond the knee the torque is a logarithm of the current, and the inverse is its exponential."""
    s = be.Saturation(knee_current=3.0, scale=0.2, torque=0.15)
    magnet = be.Magnet(torque_constant=0.05, back_emf_constant=0.05, saturation=s)
    found = be.size(task(), [motor(magnet=magnet, **COLD)])
    torque = (2e-5 * 10 + LOAD / 10) * ACCELERATION
    expected = 3.0 + (2.0 ** ((torque - 0.15) / 0.15) - 1.0) / 0.2
    assert torque > 0.15 and found.best.figures["peak_current"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_load_that_nothing_can_move_is_no_warning():
    """A current beyond all numbers is a reason, and not a line of NumPy."""
    iron = be.Magnet(
        torque_constant=0.05, back_emf_constant=0.05, saturation=be.Saturation(knee_current=5.0, torque=0.1, scale=0.05)
    )
    joint = be.JointTask(motion=be.TriangleMove(angle=1.5, duration=0.01), load=be.Inertia(1e4))
    only = be.size(task(joints={"joint": joint}), [motor(magnet=iron), motor()]).only
    assert not len(only) and all(only.rejected(2)[k].reason for k in range(2))


def test_bus_sags_with_the_other_joint_on_it():
    """Two joints that move alike draw twice the power through one resistance."""
    joint = be.JointTask(motion=be.TriangleMove(angle=1.5, duration=0.5), load=be.Inertia(LOAD))
    battery = be.Supply(voltage=48.0, resistance=0.5)
    alone = be.size(task(supply=battery), [motor()]).best.figures
    both = be.size(task(joints={"a": joint, "b": joint}, supply=battery), [motor()])
    trace = both["a"].trace(0)
    power = 2.0 * trace.power.max()
    bus = 0.5 * (48.0 + np.sqrt(48.0**2 - 4 * 0.5 * power))
    figures = both["a"].best.figures
    assert figures["spare_voltage"] < alone["spare_voltage"]
    assert figures["supply_current"] == pytest.approx(power / bus, rel=1e-3)


def test_battery_that_cannot_give_the_power():
    """Through its resistance a battery gives V²/(4·R) at most, though a motor may need few volts."""
    joint = be.JointTask(motion=be.TrapezoidMove(angle=1.5, duration=0.5), load=be.Pendulum(mass=1.0, length=0.3))
    motors = [motor("cool", ratio=5.0, winding=be.Winding(resistance=0.02)), motor("hungry")]
    battery = be.Supply(voltage=30.0, resistance=5.0)
    found = be.size(task(joints={"joint": joint}, supply=battery), motors).only
    assert [found[k].name for k in range(len(found))] == ["cool"]
    (out,) = found.rejected()
    assert out.figures["voltage"] < 15.0
    strong = be.size(task(joints={"joint": joint}, supply=be.Supply(voltage=30.0)), motors[1:]).only
    needs = 2.0 * np.sqrt(5.0 * strong.trace(0).power.max())
    assert out.reason == f"draws more than the 45 W that the supply can give; one of {needs:.1f} V would do"


def test_regeneration_that_a_supply_refuses_is_paid():
    """Without it the energy of braking is lost, so a cycle costs more."""
    efficient = motor(winding=be.Winding(resistance=0.05))
    takes, refuses = (
        be.size(task(supply=be.Supply(voltage=48.0, regeneration=flag)), [efficient]).best.figures["energy"]
        for flag in (True, False)
    )
    assert refuses > 1.2 * takes


def test_gear_torque_is_that_of_its_bearings():
    """Peak and (mean |torque|³)^(1/3) of a sine: 1 and (4/3π)^(1/3) of its amplitude."""
    joint = be.JointTask(motion=be.SineMotion(amplitude=0.5, frequency=1.0), load=be.Inertia(0.5), gear_exponent=3.0)
    figures = be.size(task(joints={"joint": joint}), [motor(**COLD)]).best.figures
    amplitude = 0.5 * 0.5 * (2 * np.pi) ** 2
    assert figures["gear_peak"] == pytest.approx(amplitude, rel=1e-4)
    assert figures["gear_equivalent"] == pytest.approx(amplitude * (4 / (3 * np.pi)) ** (1 / 3), rel=1e-4)


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        ({"speed": 50.0}, "rotor speed"),
        ({"gear_torque": 0.5, "gear_peak_torque": 0.6}, "peak gear torque"),
        ({"gear_torque": 0.5, "gear_peak_torque": 5.0}, "equivalent gear torque"),
        ({"peak_current": 1.0}, "peak current"),
        ({"winding_temperature": 40.0}, "winding reaches"),
    ],
)
def test_every_rating_is_a_reason(ratings, words):
    """A pair beyond a rating is out, and says which and how far."""
    rated = be.Ratings(**({"winding_temperature": 125.0} | ratings))
    found = be.size(task(), [motor(ratings=rated)])
    assert not len(found.only)
    assert words in found.rejected(1)[0].reason


@pytest.mark.parametrize("far", [1e-5, 1e-3, 0.1])
def test_reason_shows_two_numbers_that_differ(far):
    """However near a pair comes to a limit, the reason does not say 35 V of 35 V."""
    found = be.size(task(), [motor()])
    best = found.best.figures
    taken = {"peak_current": best["peak_current"], "speed": 10.0 * found.only.cycle.top_speed,
             "winding_temperature": best["winding"] - 25.0, "gear_peak_torque": LOAD * ACCELERATION}  # fmt: skip
    for name, value in taken.items():
        ratings = {"winding_temperature": 125.0, name: value / (1.0 + far) + (25.0 if "temperature" in name else 0.0)}
        reason = be.size(task(), [motor(ratings=be.Ratings(**ratings))]).rejected(1)[0].reason
        first, _, second = reason.partition(" of ")
        assert first.split()[-2] != second.split()[0], reason
    volts = be.size(task(), [motor()]).best.figures["voltage"] / (1.0 + far)
    weak = task(supply=be.Supply(voltage=volts))
    strong = motor("strong", winding=be.Winding(resistance=0.4, inductance=2e-4))
    (reason,) = [out.reason for out in be.size(weak, [motor(), strong]).rejected(2) if out.name == "m"]
    assert reason.split()[1] != reason.split()[-2], reason


def test_reason_says_after_how_long():
    """The time of a reason is when a simulated winding reaches its limit."""
    limit = 50.0
    hot = motor(ratings=be.Ratings(winding_temperature=limit))
    found = be.size(task(), [hot])
    (out,) = found.rejected(1)
    assert " of 50 °C after " in out.reason
    number, unit = out.reason.rpartition(" after ")[2].split()
    seconds = float(number) * {"s": 1.0, "min": 60.0}[unit]
    # a current of constant size heats two lumps
    current = (2e-5 * 10 + LOAD / 10) * ACCELERATION / 0.05
    reached = float(be.analyze.time_to_limit(hot, current, None, limit))
    assert seconds == pytest.approx(reached, rel=0.05)


def test_limits_of_the_task():
    """Mass, current and supply current of the task bound what its makers allow."""
    light, heavy = motor("light"), motor("heavy")
    pairs = be.Candidates.of([light, heavy], mass={"light": 0.2, "heavy": 0.9})
    found = be.size(task(limits=be.TaskLimits(mass=0.5), wanted="mass"), pairs)
    assert [found.only[k].name for k in range(len(found.only))] == ["light"]
    assert "mass 900 g of 500 g" in found.rejected(1)[0].reason
    assert not len(be.size(task(limits=be.TaskLimits(current=0.5)), [light]).only)
    assert not len(be.size(task(limits=be.TaskLimits(supply_current=0.1)), [light]).only)


def test_what_does_not_state_its_mass_is_left_out_by_name():
    """A task that wants little mass cannot judge a motor without one."""
    pairs = be.Candidates.of([motor("known"), motor("unknown")], mass={"known": 0.2})
    found = be.size(task(wanted="mass"), pairs)
    assert [out.name for out in found.only.left_out] == ["unknown"]
    assert found.only.count == 1


BARE = {"thermal": None, "ratings": be.Ratings(current=8.0)}
"""A motor of which a continuous current is all that is known of its heat."""


@pytest.mark.parametrize(
    ("asked", "bare", "words"),
    [
        ({"limits": be.TaskLimits(winding_temperature=120.0)}, BARE, "limits the winding's temperature"),
        ({"wanted": "winding_temperature"}, BARE, "wants a cool winding"),
        ({"ambient": 60.0}, BARE, "holds up to 40 °C: nothing says what it can bear with 60 °C"),
        ({"mounting": 1.5}, BARE, "bear with a mounting of 1.5"),
        ({"limits": be.TaskLimits(housing_temperature=60.0)}, BARE, "no thermal figures of its housing"),
        (
            {"limits": be.TaskLimits(housing_temperature=60.0)},
            {"thermal": be.Thermal(resistance=7.0, capacitance=45.0)},
            "no thermal figures of its housing",
        ),
    ],
)
def test_heat_that_is_unknown_is_not_cool(asked, bare, words):
    """What a task asks of temperatures, a motor without them cannot meet: it is left out by name."""
    alone = motor("alone", **bare)
    assert be.size(task(), [alone]).only.count == 1
    found = be.size(task(**asked), [motor("known"), alone])
    assert [out.name for out in found.only.left_out] == ["alone"]
    assert words in found.only.left_out[0].reason


def test_rest_of_an_hour_does_not_cool_what_nothing_is_known_of():
    """Ten minutes of motion burn a motor before an hour of rest helps: its current is that of the motions."""
    joint = be.JointTask(motion=be.TriangleMove(angle=1.5, duration=0.5), load=be.Inertia(0.08), repeats=600)
    current = be.size(task(joints={"joint": joint}), [motor()]).best.figures["rms_current"]
    bare = motor(thermal=None, ratings=be.Ratings(current=0.9 * current))
    long, short = replace(joint, rest=3600.0), replace(joint, repeats=60, rest=360.0)
    assert "RMS current" in be.size(task(joints={"joint": long}), [bare]).rejected(1)[0].reason
    assert len(be.size(task(joints={"joint": short}), [bare]).only) == 1


def test_front_is_what_nothing_beats():
    """Of mass and energy, a pair is on the front unless another has less of both."""
    rng = np.random.default_rng(3)
    motors = [motor(f"m{k}", ratio=float(n)) for k, n in enumerate(rng.uniform(8.0, 80.0, 40))]
    mass = {m.name: float(x) for m, x in zip(motors, rng.uniform(0.1, 1.0, 40), strict=True)}
    found = be.size(task(wanted=("mass", "energy")), be.Candidates.of(motors, mass)).only
    rows = [(found[k].name, found[k].figures["mass"], found[k].figures["energy"]) for k in range(len(found))]
    expected = {n for n, m, e in rows if not any(a <= m and b <= e and (a, b) != (m, e) for _, a, b in rows)}
    assert {choice.name for choice in found.front} == expected
    assert 1 < len(expected) < len(rows)


def test_best_pairs_as_files():
    """As many as are asked for, the best first; each file holds the motor of its pair on the task's supply."""
    found = be.size(task(), be.Candidates.catalogue())
    name, each = next(iter(found.joints.items()))
    rows = pair_files(found, 3)[name]["rows"]
    assert [row["name"] for row in rows] == [each[rank].name for rank in range(3)]
    made = loads(rows[0]["text"], "pair")
    assert made.motor.winding == each[0].motor.winding and made.supply.voltage == found.task.supply.voltage
    limit, margin = each[0].tightest
    assert (rows[0]["tightest"], rows[0]["margin"]) == (limit, margin)


def test_verification_agrees():
    """Forwards and backwards the same: 2 % of the peak current, 3 K, and the joint follows."""
    geared = motor(efficiency=0.8, friction=be.Coulomb(coulomb=2e-3), drag=be.Drag(coefficients=(2e-6,)))
    joint = be.JointTask(
        motion=be.TrapezoidMove(angle=1.5, duration=0.5, start=-0.3),
        load=be.Pendulum(mass=0.4, length=0.3),
        repeats=4,
        rest=1.0,
    )
    (seen,) = be.size(task(joints={"joint": joint}), [geared]).verify(1)
    assert seen.simulated_current == pytest.approx(seen.predicted_current, rel=0.02)
    assert seen.simulated_rms_current == pytest.approx(seen.predicted_rms_current, rel=0.01)
    assert seen.simulated_winding == pytest.approx(seen.predicted_winding, abs=3.0)
    assert seen.tracking_error < 2e-3
    assert seen.limited == 0.0


@pytest.mark.filterwarnings("error")
def test_many_turns_are_meant():
    """A task of three turns is verified without a hint at degrees."""
    joint = be.JointTask(motion=be.TrapezoidMove(angle=6.0 * np.pi, duration=2.0), load=be.Inertia(0.01))
    (seen,) = be.size(task(joints={"joint": joint}), [motor()]).verify(1)
    assert seen.simulated_current == pytest.approx(seen.predicted_current, rel=0.02)


def test_verification_near_a_resonance():
    """A spring and its weight swing a pendulum nearly alone: the motor gives 1 % of the torque that goes around."""
    joint = be.JointTask(
        motion=be.SineMotion(amplitude=0.8, frequency=1.0), load=be.Pendulum(mass=1.5, length=0.3), spring=True
    )
    small = motor(
        ratio=256.0, efficiency=0.65, rotor=be.Rotor(inertia=4e-9), friction=be.Coulomb(coulomb=2e-5),
        magnet=be.Magnet(torque_constant=0.002, back_emf_constant=0.002), winding=be.Winding(resistance=4.0),
    )  # fmt: skip
    (seen,) = be.size(task(joints={"joint": joint}), [small]).verify(1)
    assert seen.simulated_current == pytest.approx(seen.predicted_current, rel=0.02)
    assert seen.simulated_rms_current == pytest.approx(seen.predicted_rms_current, rel=5e-3)
    assert seen.simulated_winding == pytest.approx(seen.predicted_winding, abs=0.5)
    assert seen.tracking_error < 1e-4


def test_verification_of_a_torque_from_a_table():
    """A motion with its own torque is moved along, and the gears give that torque."""
    time = np.linspace(0.0, 1.0, 401)
    motion = be.SampledMotion(
        time=time, position=0.5 * np.sin(2 * np.pi * time), torque=1.5 * np.cos(2 * np.pi * time) + 0.5
    )
    found = be.size(task(joints={"joint": be.JointTask(motion=motion)}), [motor(efficiency=0.8)])
    (seen,) = found.verify(1)
    assert seen.simulated_current == pytest.approx(seen.predicted_current, rel=0.02)
    assert seen.torque_error < 0.05


def test_verification_on_a_battery_that_sags():
    """A jump of 50 ms draws the bus down; a drive whose loop is fast beside the winding gives the current even so."""
    time = np.linspace(0.0, 1.0, 401)
    swing = np.exp(-(((time - 0.5) / 0.05) ** 2))
    motion = be.SampledMotion(time=time, position=swing, torque=12.0 * swing, closed=False)
    found = be.size(
        task(joints={"joint": be.JointTask(motion=motion)}, supply=be.Supply(voltage=30.0, resistance=0.2)),
        [motor(ratings=be.Ratings(winding_temperature=300.0))],
    )
    (seen,) = found.verify(1)
    assert seen.run["bus_voltage"].min() < 27.5
    assert seen.simulated_current == pytest.approx(seen.predicted_current, rel=0.02)
    assert seen.simulated_winding == pytest.approx(seen.predicted_winding, abs=3.0)
    assert seen.torque_error < 0.02 * 12.0


def test_spring_carries_the_weight():
    """A pendulum about the horizontal, moved slowly: the spring takes the mean and the slope of its torque."""
    load = be.Pendulum(mass=1.0, length=0.3, offset=np.pi / 2 + 0.3)
    joint = be.JointTask(motion=be.SineMotion(amplitude=0.4, frequency=0.1), load=load, spring=True)
    with_spring = be.size(task(joints={"joint": joint}), [motor(ratio=30.0)]).best
    without = be.size(task(joints={"joint": replace(joint, spring=False)}), [motor(ratio=30.0)]).best
    assert with_spring.figures["heat"] < 0.05 * without.figures["heat"]
    cells = joint.motion.cells(1000)
    torque = 1.0 * 9.80665 * 0.3 * np.sin(cells.position + np.pi / 2 + 0.3)
    torque = torque + 0.09 * cells.acceleration + 30.0**2 * 2e-5 * cells.acceleration
    slope, offset = np.polyfit(cells.position, -torque, 1)
    spring = with_spring.spring
    assert spring is not None
    assert spring.stiffness == pytest.approx(slope, rel=1e-6)
    assert -spring.stiffness * spring.rest_angle == pytest.approx(offset, rel=1e-6)


def test_best_spring_by_gradients_is_the_least_squares():
    """Both ways to the spring, at the ratio of the gradients, agree."""
    load = be.Pendulum(mass=1.0, length=0.3, offset=np.pi / 2 + 0.3)
    joint = be.JointTask(motion=be.SineMotion(amplitude=0.4, frequency=0.3), load=load, spring=True)
    given = task(joints={"joint": joint}, supply=be.Supply(voltage=500.0))
    found = best_ratio(motor(), given.cycles()["joint"], spring=True)
    assert found.spring is not None
    real = be.size(given, [motor(ratio=found.ratio, **COLD)]).best
    assert real.spring is not None
    assert found.spring.stiffness == pytest.approx(real.spring.stiffness, rel=1e-3)
    assert found.mean_square_current == pytest.approx(real.figures["rms_current"] ** 2, rel=2e-3)


def test_picture_of_a_pair(tmp_path):
    """The task in the operating range of any rank, under the names of joint and pair."""
    found = be.size(task(), [motor("a"), motor("b", ratio=12.0)])
    drawn = found.only.plot(1, tmp_path / "range.svg")
    (ax,) = drawn.axes
    assert ax.get_title(loc="left") + ax.get_title() == f"joint\n{found.only[1].name}"
    assert [text.get_text() for text in drawn.legends[0].texts] == ["short-term", "continuous", "task", "RMS torque"]
    cells = found.only.cycle.cells
    torque = np.abs((LOAD + float(found.only[1].motor.reflected_inertia)) * cells.acceleration)
    assert ax.lines[0].get_xdata() == pytest.approx(torque, rel=1e-9)
    assert (tmp_path / "range.svg").stat().st_size > 5000
    with pytest.raises(be.ParameterError, match="rank 2: 2 pairs can do the task of 'joint'"):
        found.only.plot(2)


@pytest.mark.parametrize(
    ("wanted", "line"), [(("energy", "inertia"), "-"), (("energy", "inertia", "winding_temperature"), "None")]
)
def test_front_is_a_line_of_two_things_alone(wanted, line):
    """Of three, the projection of the front on the first two is none."""
    from backemf.size.report_pictures import draw_front

    named = [motor(f"m{ratio}", ratio=ratio) for ratio in (6.0, 10.0, 14.0)]
    found = be.size(task(wanted=wanted), named)
    assert draw_front(found.only).axes[0].lines[1].get_linestyle() == line


class Chosen:
    """What a joint finds: a pair by its name, and the power that it draws."""

    def __init__(self, name: str, power: float):
        self.best, self.power = SimpleNamespace(name=name), power
        self.cycle = SimpleNamespace(torque=np.zeros(3))

    def __len__(self) -> int:
        return 1

    def trace(self, rank: int) -> SimpleNamespace:
        return SimpleNamespace(power=np.full(3, self.power))


def sized_together(monkeypatch, laws: dict[str, Callable[[float], Chosen]]) -> dict[str, str]:
    """The best pairs of joints, each of which chooses by the power of the others."""

    def size_joint(task, cycle, known, others, engine):
        return laws[cycle.name](float(np.max(others)))

    monkeypatch.setattr(sizing, "_size_joint", size_joint)
    cycles = {name: SimpleNamespace(name=name, cells=SimpleNamespace(dt=np.ones(3))) for name in laws}
    first = {name: law(0.0) for name, law in laws.items()}
    found = sizing._size_together(None, cycles, None, first, None)  # pyright: ignore[reportArgumentType]
    return {name: each.best.name for name, each in found.items()}


def test_joints_on_one_supply_are_sized_until_nothing_changes(monkeypatch):
    """A hip and a knee that each need more power where the other draws more: the last pairs know each other."""
    laws = {
        "hip": lambda others: Chosen(f"{10.0 + min(others, 40.0):g} W", 10.0 + min(others, 40.0)),
        "knee": lambda others: Chosen(f"{others:g} W", others),
    }
    assert sized_together(monkeypatch, laws) == {"hip": "50 W", "knee": "50 W"}


def test_choices_that_go_round_are_sized_for_the_most(monkeypatch):
    """Each takes a hungry pair only if the other is not hungry, at the same time: both end with what always works."""
    laws = {name: lambda others: Chosen("modest", 20.0) if others > 50.0 else Chosen("hungry", 80.0) for name in "ab"}
    assert sized_together(monkeypatch, laws) == {"a": "modest", "b": "modest"}


@pytest.mark.parametrize(("repeats", "rest"), [(100, 3600.0), (10, 100.0), (30, 20.0)])
def test_a_load_that_is_held_in_the_rest_heats(repeats, rest):
    """An arm is held level after it has swung: the heat of both, step by step until the cycle repeats itself."""
    motion = be.TrapezoidMove(angle=-1.5, duration=1.0, start=np.pi / 2)
    joint = be.JointTask(motion=motion, load=be.Pendulum(mass=1.0, length=0.3), repeats=repeats, rest=rest)
    only = be.size(task(joints={"joint": joint}), [motor(ratio=20.0)]).only
    cells, torque = only.cycle.cells, only.cycle.torque / 20.0
    current = (torque + 2e-5 * 20.0 * cells.acceleration) / 0.05
    moving = float(np.sum(current**2 * cells.dt) / cells.duration)
    holding = (9.80665 * 0.3 / 20.0 / 0.05) ** 2
    winding = housing = hottest = outside = 0.0
    for _ in range(max(int(2500.0 / (2.0 * repeats + rest)), 2)):
        hottest = outside = 0.0
        for square, length in ((moving, 2.0 * repeats), (holding, rest)):
            for _ in range(round(length / 0.1)):
                flow = (winding - housing) / 2.0
                power = 0.5 * (1.0 + 0.0039 * winding) * square
                winding, housing = winding + 0.1 * (power - flow) / 5.0, housing + 0.1 * (flow - housing / 5.0) / 40.0
                hottest, outside = max(hottest, winding), max(outside, housing)
    figures = only.best.figures
    assert figures["winding"] - 25.0 == pytest.approx(hottest, abs=0.3)
    assert figures["housing"] - 25.0 == pytest.approx(outside, abs=0.3)
