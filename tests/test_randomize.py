"""Randomised motors: what is drawn, what stays, and the sentence for everything that would go wrong in silence."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import backemf as be
from backemf.errors import ParameterError
from backemf.motor import Coulomb, Gearbox, Limits, LuGre, Magnet, Motor, Ratings, Rotor, Stage, Thermal, Winding
from backemf.random.distributions import Add, LogScale, LogUniform, Normal, NormalScale, Scale, Uniform
from backemf.random.randomize import randomize
from backemf.tree import kind_of_numbers, numbers

SHAPE = (64, 12)
MAGNET = ("magnet.torque_constant", "magnet.back_emf_constant")


def motor(**parts) -> Motor:
    known = {
        "winding": Winding(resistance=0.5, inductance=2e-4),
        "magnet": Magnet(torque_constant=0.09, back_emf_constant=0.1),
        "rotor": Rotor(inertia=6e-5),
        "thermal": Thermal(resistance=2.0, capacitance=100.0),
        "friction": Coulomb(coulomb=0.02),
        "gearbox": Gearbox(stages=(Stage(ratio=6.0, efficiency=0.9), Stage(ratio=-2.0))),
        "limits": Limits(peak_current=20.0, continuous_current=8.0, derating_start=90.0, derating_end=120.0),
        "ratings": Ratings(voltage=24.0, current=8.0),
    }
    return Motor(**known | parts)


def actuator(**parts) -> be.Actuator:
    known = {"motor": motor(), "supply": be.Supply(voltage=24.0), "controller": be.PositionPid(kp=20.0, kd=0.1)}
    return be.Actuator(**known | parts)


# --- what is drawn


def test_named_parameters_become_arrays_and_the_rest_stays():
    """Only what is named changes; the motor that was given does not."""
    before = motor()
    after = randomize(before, {"winding.resistance": Scale(0.9, 1.1)}, SHAPE)
    assert after.winding.resistance.shape == SHAPE
    assert replace(after, winding=before.winding) == before
    assert before.winding.resistance == 0.5
    assert after.winding.inductance == 2e-4


DISTRIBUTIONS = {
    "Scale": (Scale(0.8, 1.3), 0.4, 0.65),
    "LogScale": (LogScale(0.5, 2.0), 0.25, 1.0),
    "NormalScale": (NormalScale(1.0, 0.1, sigmas=2.0), 0.4, 0.6),
    "Add": (Add(-0.1, 0.3), 0.4, 0.8),
    "Uniform": (Uniform(0.1, 0.7), 0.1, 0.7),
    "LogUniform": (LogUniform(0.01, 1.0), 0.01, 1.0),
    "Normal": (Normal(0.6, 0.05), 0.45, 0.75),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_draws_fill_their_range_and_stay_in_it(name):
    """Of 49,152 draws from a nominal 0.5 all lie in the range and the outermost near its ends."""
    distribution, low, high = DISTRIBUTIONS[name]
    drawn = randomize(motor(), {"winding.resistance": distribution}, (4096, 12)).winding.resistance
    assert low <= drawn.min() and drawn.max() <= high
    assert drawn.min() < low + 0.02 * (high - low) and drawn.max() > high - 0.02 * (high - low)


def test_even_distributions_are_even():
    """A quarter of the draws lies in each quarter of the range, of the logarithm for LogUniform."""
    for entry, scale in ((Uniform(0.1, 0.7), lambda x: x), (LogUniform(0.1, 0.7), np.log)):
        drawn = randomize(motor(), {"winding.resistance": entry}, (4096, 12)).winding.resistance
        edges = np.linspace(scale(0.1), scale(0.7), 5)
        shares = np.histogram(scale(drawn), edges)[0] / drawn.size
        # four standard deviations of a share of 49,152 draws
        assert shares == pytest.approx([0.25] * 4, abs=4 * np.sqrt(0.25 * 0.75 / drawn.size))


def test_normal_draws_have_the_moments_of_a_cut_bell():
    """Mean as given; cut at two sigmas the deviation is std·√(1 - 2·2·φ(2)/(1 - 2·Φ(-2))) = 0.8796·std."""
    drawn = randomize(motor(), {"winding.resistance": Normal(0.6, 0.05, sigmas=2.0)}, (4096, 12)).winding.resistance
    density, tail = np.exp(-2.0) / np.sqrt(2 * np.pi), 0.0227501319
    expected = 0.05 * np.sqrt(1 - 4 * density / (1 - 2 * tail))
    assert drawn.mean() == pytest.approx(0.6, abs=4 * expected / np.sqrt(drawn.size))
    assert drawn.std() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    ("per", "shape"), [("each", (64, 12)), ("environment", (64, 1)), ("joint", (1, 12)), ("all", (1, 1))]
)
def test_per_says_what_has_a_draw_of_its_own(per, shape):
    """Shared axes have length 1, so they broadcast; an entry may say it for itself."""
    entries = {"winding.resistance": Scale(0.9, 1.1), "friction.coulomb": Scale(0.5, 1.5, per="each")}
    after = randomize(motor(), entries, SHAPE, per=per)
    assert after.winding.resistance.shape == shape
    assert np.unique(after.winding.resistance).size == np.prod(shape)
    assert after.friction.coulomb.shape == SHAPE


def test_same_seed_same_draws_whatever_else_is_there():
    """Each name has its own stream: order and other entries change nothing, another seed does."""
    one, two = {"winding.resistance": Scale(0.9, 1.1)}, {"rotor.inertia": Scale(0.8, 1.2)}
    alone = randomize(motor(), one, SHAPE, seed=5).winding.resistance
    for entries in (one | two, two | one):
        together = randomize(motor(), entries, SHAPE, seed=5)
        assert (together.winding.resistance == alone).all()
        # two streams are not one: factors of the same range differ
        assert abs(np.corrcoef(together.rotor.inertia.ravel(), alone.ravel())[0, 1]) < 0.2
    assert (randomize(motor(), one, SHAPE, seed=6).winding.resistance != alone).any()


def test_streams_are_what_they_were():
    """Draws of a seed do not change from version to version."""
    drawn = randomize(motor(), {"winding.resistance": Uniform(1.0, 2.0)}, (3,), seed=7).winding.resistance
    assert drawn == pytest.approx([1.0772453848062908, 1.703303034764055, 1.7357836759426188], abs=1e-12)


def test_motor_alone_and_in_an_actuator_draw_alike():
    """The prefix "motor." may be left out, and changes nothing."""
    entries = {"winding.resistance": Scale(0.9, 1.1)}
    alone = randomize(motor(), entries, SHAPE).winding.resistance
    assert (randomize(actuator(), entries, SHAPE).motor.winding.resistance == alone).all()
    full = randomize(actuator(), {"motor.winding.resistance": Scale(0.9, 1.1)}, SHAPE)
    assert (full.motor.winding.resistance == alone).all()


def test_names_in_a_tuple_share_their_draws():
    """One factor scales Kt and Ke, so that their ratio stays; the order of the names does not matter."""
    after = randomize(motor(), {MAGNET: Scale(0.9, 1.1)}, SHAPE)
    turned = randomize(motor(), {MAGNET[::-1]: Scale(0.9, 1.1)}, SHAPE)
    assert after.magnet.torque_constant / after.magnet.back_emf_constant == pytest.approx(0.9)
    assert np.unique(after.magnet.torque_constant).size == np.prod(SHAPE)
    assert (after.magnet.torque_constant == turned.magnet.torque_constant).all()


def test_everything_of_an_actuator_can_vary():
    """Controller, supply and torque limits are named like the motor's parts."""
    limits = (be.DcClip(saturation_effort=60.0, velocity_limit=20.0, effort_limit=40.0),)
    plain = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.0), limits=limits)
    after = randomize(plain, {"limits.0.effort_limit": Scale(0.7, 1.0), "controller.stiffness": Scale(0.8, 1.2)}, SHAPE)
    assert after.limits[0].effort_limit.shape == SHAPE
    assert after.limits[0].effort_limit.max() <= 40.0
    assert after.controller.stiffness.shape == SHAPE
    with_motor = randomize(actuator(), {"supply.voltage": Uniform(20.0, 26.0, per="environment")}, SHAPE)
    assert with_motor.supply.voltage.shape == (64, 1)


def test_any_registered_group_can_vary():
    """A dataclass of one's own, nested in a tuple, is walked by the same names."""

    @kind_of_numbers
    @dataclass(frozen=True)
    class Pair:
        springs: tuple
        gain: float

    after = randomize(Pair((Rotor(inertia=1.0), Rotor(inertia=2.0)), 3.0), {"springs.1.inertia": Scale(1, 2)}, 5)
    assert after.springs[1].inertia.shape == (5,)
    assert after.springs[0] == Rotor(inertia=1.0) and after.gain == 3.0


def test_signed_values_keep_their_sign():
    """A stage that turns the other way is scaled as it is."""
    after = randomize(motor(), {"gearbox.stages.1.ratio": Scale(0.9, 1.1)}, SHAPE)
    ratios = after.gearbox.stages[1].ratio
    assert ratios.min() >= -2.2 and ratios.max() <= -1.8


def test_parameters_that_are_arrays_are_scaled_element_by_element():
    """Per-joint constants times a factor per environment."""
    joints = np.linspace(0.4, 0.6, 12)
    start = motor(winding=Winding(resistance=joints))
    after = randomize(start, {"winding.resistance": Scale(0.9, 1.1, per="environment")}, SHAPE)
    factors = after.winding.resistance / joints
    assert after.winding.resistance.shape == SHAPE
    assert np.ptp(factors, axis=1) == pytest.approx(0.0)
    assert np.unique(factors.round(12)).size == 64


def test_no_entries_give_the_motor_back():
    """Nothing to vary."""
    assert randomize(motor(), {}, SHAPE) == motor()


@pytest.mark.parametrize("engine", ["numpy", "jax"])
def test_randomised_batch_steps_like_its_motors_one_by_one(engine):
    """A motor of the batch gives the torque of that motor alone."""
    entries = {
        "winding.resistance": Scale(0.5, 1.5),
        MAGNET: Scale(0.8, 1.2, per="joint"),
        "friction.coulomb": Uniform(0, 0.1),
    }
    batch = randomize(actuator(), entries, (3, 2), seed=1)
    step = batch.compile(engine)
    _, out = step(step.initial((3, 2)), 0.4, 0.0, 0.3, 1e-3)
    torques = np.asarray(out.torque)
    for index in np.ndindex(3, 2):
        picks = {name: np.broadcast_to(value, (3, 2))[index] for name, value in numbers(batch)}
        single = actuator(
            motor=motor(
                winding=replace(motor().winding, resistance=float(picks["motor.winding.resistance"])),
                magnet=Magnet(
                    torque_constant=float(picks["motor.magnet.torque_constant"]),
                    back_emf_constant=float(picks["motor.magnet.back_emf_constant"]),
                ),
                friction=Coulomb(coulomb=float(picks["motor.friction.coulomb"])),
            )
        )
        alone = single.compile("numpy")
        _, expected = alone(alone.initial(()), 0.4, 0.0, 0.3, 1e-3)
        assert torques[index] == pytest.approx(float(expected.torque), rel=1e-5)
    assert np.unique(torques).size == 6


@given(st.floats(0.2, 2.0), st.floats(0.2, 2.0), st.integers(0, 2**40))
def test_scaled_draws_lie_between_the_scaled_ends(a, b, seed):
    """For every range and seed."""
    low, high = sorted((a, b))
    drawn = randomize(motor(), {"winding.resistance": Scale(low, high)}, (50,), seed=seed).winding.resistance
    slack = 1e-12
    assert (drawn >= 0.5 * low - slack).all() and (drawn <= 0.5 * high + slack).all()


# --- what goes wrong


def fails(words: str, entries, target=None, shape=SHAPE, **options):
    with pytest.raises(ParameterError, match=words) as caught:
        randomize(motor() if target is None else target, entries, shape, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("winding.resistence", "winding.resistance"),
        ("winding.R", "winding"),
        ("torque_constant", "magnet.torque_constant"),
        ("gearbox.ratio", "gearbox.stages.0.ratio"),
        ("winding", "winding.resistance"),
        ("gearbox.stages.2.ratio", "gearbox.stages.0.ratio"),
    ],
)
def test_unknown_name_suggests_what_is_near(name, near):
    """Misspelt, too short, a property or past the end."""
    words = fails("is no parameter of this Motor", {name: Scale(0.9, 1.1)})
    assert near in words.split("did you mean")[1]


def test_missing_part_is_named():
    """A motor without cogging has none to vary."""
    fails("this Motor has no cogging, it is None", {"cogging.harmonics.0.amplitude": Scale(0.9, 1.1)})
    fails(
        "has no gearbox.stages.1.back_efficiency, it is None", {"gearbox.stages.1.back_efficiency": Uniform(0.8, 0.9)}
    )
    fails("this Actuator has no delay, it is None", {"delay.seconds": Uniform(0.001, 0.002)}, actuator())


def test_what_has_no_effect_can_be_varied():
    """A stage that loses nothing has an efficiency of 1, which is a number like any other."""
    after = randomize(motor(), {"gearbox.stages.1.efficiency": Uniform(0.8, 0.9)}, (5,), seed=3)
    losing = be.Actuator(after).compile("numpy")
    lossless = be.Actuator(motor()).compile("numpy")
    torque = [step(step.initial(5), 12.0, 0.0, -1.0, 1e-3)[1].torque for step in (losing, lossless)]
    assert (np.abs(torque[0]) < 0.95 * np.abs(torque[1])).all()


def test_part_of_another_kind_is_not_called_missing():
    """The motor's friction is there, but Coulomb's has no stiction."""
    fails(
        "no parameter of this Actuator; did you mean friction.coulomb", {"friction.stiction": Scale(1, 2)}, actuator()
    )


def test_choice_or_table_is_no_number():
    """A name and a curve are one for all motors."""
    fails("the same for all motors", {"name": Scale(0.9, 1.1)})
    table = be.TorqueSpeedTable(speed=[0.0, 10.0], driving=[5.0, 0.0])
    fails("the same for all motors", {"limits.0.driving": Scale(0.9, 1.1)}, be.Actuator(limits=(table,)))


def test_range_that_leaves_what_can_exist_is_an_error_though_no_draw_falls_there():
    """One draw near the middle is no proof: the ends decide, and the message says which and where."""
    words = fails(r"winding.resistance: Add from -1 to 1", {"winding.resistance": Add(-1.0, 1.0)}, shape=(1,))
    assert "Winding.resistance = -0.5: must be a finite number greater than 0" in words
    fails("Stage.efficiency = 1.08", {"gearbox.stages.0.efficiency": Scale(0.8, 1.2)})


def test_two_ranges_that_cross_are_an_error_that_names_both():
    """Stiction must stay above Coulomb friction at every combination, not only at the nominal values."""
    rough = LuGre(coulomb=0.02, stiction=0.03, stribeck_velocity=1.0, stiffness=50.0)
    entries = {
        "friction.coulomb": Uniform(0.01, 0.03),
        "friction.stiction": Uniform(0.025, 0.04),
        "rotor.inertia": Scale(0.9, 1.1),
    }
    words = fails("LuGre.stiction = 0.025 N·m is below coulomb = 0.03", entries, motor(friction=rough))
    assert "friction.coulomb: Uniform from 0.01 to 0.03; friction.stiction: Uniform" in words
    assert "rotor" not in words


def test_ranges_that_only_fit_together_are_allowed():
    """Both move away from the nominal values, where one alone would be wrong."""
    rough = LuGre(coulomb=0.02, stiction=0.03, stribeck_velocity=1.0, stiffness=50.0)
    entries = {"friction.coulomb": Uniform(0.04, 0.05), "friction.stiction": Uniform(0.05, 0.06)}
    after = randomize(motor(friction=rough), entries, SHAPE)
    assert (after.friction.stiction >= after.friction.coulomb).all()


def test_shared_draws_keep_an_order_that_separate_ones_would_break():
    """One factor for both frictions is fine where two factors are not."""
    rough = LuGre(coulomb=0.02, stiction=0.021, stribeck_velocity=1.0, stiffness=50.0)
    names = ("friction.coulomb", "friction.stiction")
    assert randomize(motor(friction=rough), {names: Scale(0.5, 1.5)}, SHAPE).friction.coulomb.shape == SHAPE
    fails("is below coulomb", dict.fromkeys(names, Scale(0.5, 1.5)), motor(friction=rough))


@pytest.mark.parametrize(
    "entries",
    [
        {"winding.resistance": Scale(0.9, 1.1), ("winding.resistance", "rotor.inertia"): Scale(0.9, 1.1)},
        {"winding.resistance": Scale(0.9, 1.1), "motor.winding.resistance": Add(0.0, 0.1)},
        {("rotor.inertia", "rotor.inertia"): Scale(0.9, 1.1)},
    ],
)
def test_two_entries_for_one_name_are_an_error(entries):
    """Alone and in a group, with and without the prefix, or twice in a group."""
    fails("is there twice", entries, actuator())


def test_factor_on_zero_does_nothing_and_is_an_error():
    """0 times anything is 0."""
    fails('gearbox.stages.0.inertia" is 0, which Scale leaves at 0', {"gearbox.stages.0.inertia": Scale(0.5, 2.0)})


def test_ratings_are_not_enforced_and_so_not_varied():
    """Nothing would change in the step."""
    fails('"ratings.current" would do nothing', {"ratings.current": Scale(0.9, 1.1)})


# --- limits that would never act


def test_current_limit_above_any_current_is_an_error():
    """24 V on 0.5 Ω drive at most 2·24/0.5 = 96 A; a range from 100 A never acts, one from 90 A does."""
    free = actuator(motor=motor(limits=Limits(peak_current=50.0)))
    fails(
        r"of 100 A and more would never act: 24 V drive at most 96 A",
        {"limits.peak_current": Uniform(100.0, 120.0)},
        free,
    )
    assert randomize(free, {"limits.peak_current": Uniform(90.0, 120.0)}, SHAPE).motor.limits is not None


def test_current_limit_is_judged_by_what_else_varies():
    """A resistance that may fall to half lets twice the current flow."""
    free = actuator(motor=motor(limits=Limits(peak_current=50.0)))
    entries = {"limits.peak_current": Uniform(100.0, 120.0), "winding.resistance": Scale(0.5, 1.0)}
    assert randomize(free, entries, SHAPE).motor.limits is not None


def test_current_limit_without_a_known_voltage_may_be_anything():
    """Without a supply any voltage is there."""
    free = be.Actuator(motor(limits=Limits(peak_current=50.0)))
    assert randomize(free, {"limits.peak_current": Uniform(1e4, 2e4)}, SHAPE).motor.limits is not None


def test_current_rate_above_what_the_inductance_allows_is_an_error():
    """2·24 V on 0.2 mH change the current by 240,000 A/s."""
    free = actuator(motor=motor(limits=Limits(current_rate=1e4)))
    fails("by at most 240000 A/s", {"limits.current_rate": Uniform(3e5, 4e5)}, free)
    assert randomize(free, {"limits.current_rate": Uniform(1e5, 4e5)}, SHAPE).motor.limits is not None


def test_derating_that_never_begins_is_an_error():
    """At 2 A for ever the winding of 0.5 Ω and 2 K/W rises by 4.06 K: derating from 60 °C never acts."""
    cool = motor(limits=Limits(peak_current=2.0, safe_current=0.5, derating_start=27.0, derating_end=80.0))
    heat = 2.0 * 0.5 * 2.0**2
    hottest = 25.0 + heat / (1 - 0.0039 * heat)
    words = fails("never act: at the full current", {"limits.derating_start": Uniform(60.0, 70.0)}, cool)
    assert f"no hotter than {hottest:g} °C" in words
    assert randomize(cool, {"limits.derating_start": Uniform(27.0, 70.0)}, SHAPE).limits is not None


def test_derating_that_may_run_away_always_acts():
    """At 20 A the copper heats faster than it cools."""
    assert randomize(motor(), {"limits.derating_start": Uniform(100.0, 110.0)}, SHAPE).limits is not None


def test_derating_that_has_always_ended_is_an_error():
    """A limit that is low at ambient temperature never lets the peak current flow."""
    cold = motor(limits=Limits(peak_current=20.0, safe_current=5.0, derating_start=0.0, derating_end=50.0))
    fails("leaves the limit at its low value for ever", {"limits.derating_end": Uniform(10.0, 20.0)}, cold)


def test_effort_limit_above_another_flat_limit_is_an_error():
    """What mjlab lets pass in silence: the range ends above where the other limit cuts."""
    limits = (
        be.EffortLimit(effort_limit=30.0),
        be.DcClip(saturation_effort=60.0, velocity_limit=20.0, effort_limit=33.0),
    )
    joint = be.Actuator(limits=limits)
    words = fails("would not act above 33 N·m", {"limits.0.effort_limit": Scale(0.8, 1.2)}, joint)
    assert "limits.1, a DcClip" in words
    assert randomize(joint, {"limits.0.effort_limit": Scale(0.8, 1.1)}, SHAPE).limits is not None


def test_effort_limit_above_the_motors_current_limit_is_an_error():
    """12 x 0.09 N·m/A x 20 A are 21.6 N·m."""
    joint = actuator(controller=be.IdealPd(stiffness=50.0), limits=(be.EffortLimit(effort_limit=20.0),))
    fails("current limit ends at 21.6 N·m", {"limits.0.effort_limit": Uniform(22.0, 30.0)}, joint)
    assert randomize(joint, {"limits.0.effort_limit": Uniform(15.0, 30.0)}, SHAPE).limits is not None


# --- how it is asked


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("shape = 'many'", {"shape": "many"}),
        (r"shape = \(0, 3\)", {"shape": (0, 3)}),
        ("seed = -1", {"seed": -1}),
        ("per = 'robot': must be one of each, environment, joint, all", {"per": "robot"}),
        (r'per = "joint" needs a shape \(environments, joints\)', {"per": "joint", "shape": (5,)}),
    ],
)
def test_wrong_options_are_one_sentence(words, options):
    """Shape, seed and per."""
    fails(words, {"winding.resistance": Scale(0.9, 1.1)}, **options)


def test_wrong_entries_are_one_sentence():
    """A tuple in place of a distribution, a number in place of a name."""
    fails(r"\(0.9, 1.1\) is no distribution", {"winding.resistance": (0.9, 1.1)})
    fails("3: must be the name of a parameter", {3: Scale(0.9, 1.1)})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Scale(1.1, 0.9), r"Scale.high = 0.9: must be at least low = 1.1"),
        (lambda: Uniform(float("nan"), 1.0), "Uniform.low = nan: must be a finite number"),
        (lambda: LogUniform(0.0, 1.0), "LogUniform.low = 0.0: must be above 0"),
        (lambda: Normal(1.0, 0.0), "Normal.std = 0.0: must be a number above 0"),
        (lambda: Scale(0.9, 1.1, per="robot"), "Scale.per = 'robot': must be one of"),
    ],
)
def test_impossible_distribution_is_one_sentence(make, words):
    """The class, the field and its value."""
    with pytest.raises(ParameterError, match=words):
        make()


def test_parameter_that_does_not_fit_the_batch_is_one_sentence():
    """Seven joints and twelve."""
    start = motor(winding=Winding(resistance=np.full(7, 0.5)))
    fails("does not fit the batch", {"winding.resistance": Scale(0.9, 1.1, per="environment")}, start)
    fails("does not fit the batch", {"winding.resistance": Scale(0.9, 1.1)}, start)
