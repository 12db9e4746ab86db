"""Spaces of a sweep: which cases there are, and draws that are found from their number alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import backemf as be
from backemf.errors import ParameterError
from backemf.random import LogUniform, Normal, Scale, Uniform
from backemf.sweep.draws import even_numbers, permute


def columns(space: be.Space, first: int = 0, count: int | None = None, seed: int = 0) -> dict[str, np.ndarray]:
    return space.columns(first, space.cases if count is None else count, seed, lambda name, listed: 2.0)


def test_a_grid_is_every_combination():
    """The last list changes fastest."""
    found = columns(be.Space({"a": [1, 2], "motor": ["x", "y"], "b": np.linspace(0.0, 1.0, 3)}))
    assert found["a"].tolist() == [1.0] * 6 + [2.0] * 6
    assert found["motor"].tolist() == ["x", "x", "x", "y", "y", "y"] * 2
    assert found["b"].tolist() == [0.0, 0.5, 1.0] * 4


@given(st.integers(0, 10**14), st.integers(1, 50), st.integers(0, 9), st.sampled_from(["random", "latin-hypercube"]))
def test_any_piece_is_a_piece_of_the_whole(first: int, count: int, cut: int, how: str):
    """Case k is the same whether the cases before it are made or not."""
    space = be.Space({"a": [1.0, 2.0, 3.0], "u": Uniform(0.0, 1.0), ("v", "w"): LogUniform(1.0, 9.0)}, 10**14, how)
    whole, cut = columns(space, first, count), min(cut, count - 1)
    rest = columns(space, first + cut, count - cut)
    assert all((whole[name][cut:] == rest[name]).all() for name in ("a", "u", "v", "w"))
    assert (whole["v"] == whole["w"]).all()


@given(st.integers(1, 300), st.integers(0, 2**40))
def test_an_order_is_a_permutation(count: int, seed: int):
    """Every place once, in each block another."""
    index = np.arange(count)
    places = permute(index, np.zeros(count, dtype=int), count, seed, "x")
    assert sorted(places) == list(range(count))
    if count > 20:
        assert (places != permute(index, np.ones(count, dtype=int), count, seed, "x")).any()
        assert (places != permute(index, np.zeros(count, dtype=int), count, seed, "y")).any()


def test_places_of_a_long_order_meet_nowhere():
    """Of 1e12 places, a hundred thousand indices find others, spread over all of them."""
    count = 10**12
    index = np.concatenate([np.arange(50_000), count - 1 - np.arange(50_000)])
    places = permute(index, np.zeros(len(index), dtype=int), count, 0, "x")
    assert len(set(places)) == len(index) and places.min() >= 0 and places.max() < count
    # counts of ten bins are binomial, with a standard deviation of √(n·0.1·0.9) = 95
    assert np.histogram(places, 10, (0, count))[0] == pytest.approx(10_000, abs=6 * 95)


@pytest.mark.parametrize("draws", [1, 2, 3, 64, 1000])
def test_a_latin_hypercube_has_one_draw_in_each_interval(draws: int):
    """Of each field, for each combination of the lists, and the fields are not drawn in the same order."""
    space = be.Space({"a": [0.0, 1.0], "u": Uniform(0.0, 1.0), "v": Uniform(0.0, 1.0)}, draws, "latin-hypercube")
    found = columns(space)
    for block in (slice(0, draws), slice(draws, None)):
        for name in ("u", "v"):
            assert sorted((found[name][block] * draws).astype(int)) == list(range(draws))
    if draws > 60:
        assert abs(np.corrcoef(found["u"], found["v"])[0, 1]) < 6.0 / np.sqrt(2 * draws)
        assert abs(np.corrcoef(found["u"][:draws], found["u"][draws:])[0, 1]) < 6.0 / np.sqrt(draws)


def test_draws_are_spread_evenly():
    """Mean 1/2 and variance 1/12, to six standard errors; streams of other names have nothing in common."""
    u, v = even_numbers(0, "u", 3, 100_000), even_numbers(0, "v", 3, 100_000)
    assert u.mean() == pytest.approx(0.5, abs=6 * np.sqrt(1 / 12 / 1e5))
    assert u.var() == pytest.approx(1 / 12, abs=6 * np.sqrt(1 / 180 / 1e5))
    assert u.min() >= 0.0 and u.max() < 1.0
    assert abs(np.corrcoef(u, v)[0, 1]) < 6 / np.sqrt(1e5)
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 6 / np.sqrt(1e5)


def test_other_fields_change_nothing():
    """Each has a stream of its own, by its name and the seed."""
    one = columns(be.Space({"u": Normal(0.0, 1.0)}, 9))
    two = columns(be.Space({"v": Normal(0.0, 1.0), "u": Normal(0.0, 1.0)}, 9))
    assert (one["u"] == two["u"]).all() and not (two["v"] == two["u"]).any()


def test_factors_multiply_what_is_there():
    """2 times 0.9 to 1.1."""
    found = columns(be.Space({"u": Scale(0.9, 1.1)}, 50))["u"]
    assert 1.8 <= found.min() < 1.85 and 2.15 < found.max() <= 2.2


@pytest.mark.parametrize(
    "axes, options, sentence",
    [
        ({}, {}, "Space.axes is empty: name at least one field"),
        ([1], {}, "Space.axes = [1]: must be a dict"),
        ({"a": []}, {}, "Space.axes['a'] is an empty list: give at least one value"),
        ({"a": 1.0}, {}, "Space.axes['a'] = 1.0: must be a list of values, or a distribution"),
        ({"a": "text"}, {}, "Space.axes['a'] = 'text': must be a list of values"),
        ({"a": [1.0, "b"]}, {}, "Space.axes['a'][1] = 'b': must be a finite number, or all of the list texts"),
        ({"a": [1.0, float("nan")]}, {}, "Space.axes['a'][1] = nan: must be a finite number"),
        ({"a": [True]}, {}, "Space.axes['a'][0] = True: must be a finite number"),
        ({1: [1.0]}, {}, "Space.axes[1]: must be the name of a field"),
        ({"case": [1.0]}, {}, "Space.axes['case']: is a column of every sweep"),
        ({"a": [1.0], ("a", "b"): Uniform(0, 1)}, {"draws": 2}, "Space.axes['a']: is there twice"),
        ({("a", "b"): [1.0]}, {}, "Space.axes[('a', 'b')]: several names share draws, not a list"),
        ({"a": Uniform(0, 1)}, {}, "Space.draws is missing: say how often a is drawn"),
        ({"a": Uniform(0, 1)}, {"draws": 0}, "Space.draws = 0: must be a whole number, 1 or more"),
        ({"a": [1.0]}, {"draws": 3}, "Space.draws = 3: every field has a list of values; leave draws out"),
        ({"a": Uniform(0, 1)}, {"draws": 2, "how": "sobol"}, "Space.how = 'sobol': must be one of random, latin"),
        ({"a": Uniform(0, 1)}, {"draws": 10**16}, "Space: has 1e+16 cases, and a sweep at most 1e+15"),
    ],
)
def test_a_space_that_cannot_be_is_refused(axes, options, sentence):
    with pytest.raises(ParameterError) as caught:
        be.Space(axes, **options)
    assert str(caught.value).startswith(sentence)


def test_a_range_the_wrong_way_round_is_refused():
    with pytest.raises(ParameterError, match=r"Uniform.high = 1.0: must be at least low = 2.0"):
        Uniform(2.0, 1.0)
