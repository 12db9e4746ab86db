"""`make test` and `make test-long` together run every case, and the gate runs both."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import strategies as st
from jax_cache import bound_folder
from long import holds_for, some_now

ROOT = Path(__file__).parents[1]


def test_the_gate_runs_what_is_marked_and_what_is_not():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert options["addopts"][-2:] == ["-m", "not long"]
    assert "-m long" in (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ntest-long:")[2].split("\n\n")[0]
    assert {"make test", "make test-long"} <= set((ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines())


def test_every_case_is_in_one_of_the_two():
    """Cases keep their order and their values, and those that wait are marked."""
    found = some_now([("a", 1), ("b", 2)], lambda name, number: number == 2)
    assert [case.values for case in found] == [("a", 1), ("b", 2)]
    assert [[mark.name for mark in case.marks] for case in found] == [["long"], []]
    assert [case.values for case in some_now("ab", lambda name: True)] == [("a",), ("b",)]


def test_a_property_is_tried_so_many_times_and_can_fail():
    tried = []

    @holds_for(st.integers(), few=20, many=50)
    def check(number):
        tried.append(number)

    (mark,) = check.pytestmark
    assert [case.values for case in mark.args[1]] == [(20,), (50,)]
    assert [[mark.name for mark in case.marks] for case in mark.args[1]] == [[], ["long"]]
    check(50)
    assert len(tried) == 50

    @holds_for(st.integers(), few=20, many=50)
    def fails(number):
        assert number < 1

    with pytest.raises(AssertionError):
        fails(50)


def test_what_is_compiled_stays_until_it_is_too_much(tmp_path):
    """10 bytes in two files fit into 10 and not into 9; a folder that is not there is none too large."""
    folder = tmp_path / "jax"
    bound_folder(folder, 9)
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).write_bytes(bytes(5))
    bound_folder(folder, 10)
    assert len(list(folder.iterdir())) == 2
    bound_folder(folder, 9)
    assert not folder.exists()
