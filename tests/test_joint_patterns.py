"""Patterns of joint names fit what Python's patterns fit, in a bounded time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work_done import WorkDone

from backemf import ParameterError
from backemf.sims.joint_patterns import examples, fits, patterns_of
from backemf.sims.pattern_alternatives import unused_alternatives

MOST = 20_000
"""Calls within which any pattern is decided [1]."""

PATTERNS = [
    ".*_knee",
    "left_arm_joint[2-7]",
    "robot0_(FF|MF|RF|LF)J(3|2|1)",
    "[lr]f_down(6|7|10)?",
    "^(?!LF_).*_HAA$",
    "(?i)Knee_[A-C]",
    r"joint_\d+",
    r"\w+_[^_]x{2,3}",
    "a.?b+c*?",
    ".*(hip|knee).*",
    r"\ba\b.*",
    "",
]
parts = st.sampled_from(["a", "b", ".", "_", "[ab]", "[^a]", "(a|b)", "(ab|a)", r"\d", "x"])
grown = st.recursive(
    parts,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{1,2}", "{2}"])).map(lambda row: f"(?:{row[0]}){row[1]}"),
        st.tuples(inner, inner).map(lambda row: f"(?:{row[0]}|{row[1]})"),
        inner.map(lambda x: f"(?!{x})"),
    ),
    max_leaves=6,
)


@given(st.one_of(st.sampled_from(PATTERNS), grown), st.text("abx_1\n", max_size=8))
def test_patterns_fit_as_in_python(pattern: str, name: str):
    """The same names as `re.fullmatch`."""
    assert fits(pattern, name) == (pattern == name or re.fullmatch(pattern, name) is not None)


@given(st.one_of(st.sampled_from(PATTERNS), grown))
def test_examples_fit_their_pattern(pattern: str):
    """Every example is one."""
    for name in examples(pattern):
        assert re.fullmatch(pattern, name)


def test_examples_have_every_alternative():
    """Classes and alternatives are written out, optional parts are there and not there."""
    assert examples("j[1-3]_(a|b)") == ["j1_a", "j1_b", "j2_a", "j2_b", "j3_a", "j3_b"]
    assert examples("knee_?x") == ["kneex", "knee_x"]
    assert examples(".*_hip.*") == ["_hip"]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("(a+)+$", "a" * 60 + "!"),
        ("(a|a)*b", "a" * 60),
        ("(.*a){12}b", "a" * 200),
        (".*.*.*.*.*.*.*.*.*.*.*=", "x" * 400),
        ("((((a*)*)*)*)*b", "a" * 100),
    ],
)
def test_no_pattern_takes_long(pattern: str, name: str):
    """Patterns on which Python's search would not end."""
    with WorkDone() as work:
        try:
            assert not fits(pattern, name)
        except ParameterError as error:
            assert "takes too long" in str(error)
    assert work.calls < MOST


def test_a_pattern_fits_itself():
    """Even where it would not fit its own text."""
    assert fits("joint[1-4]", "joint[1-4]") and not fits("joint[1-4]", "joint[1-3]")


@pytest.mark.parametrize("pattern", ["(", "a" * 2000, "a{99999999999}"])
def test_bad_patterns_get_one_sentence(pattern: str):
    """What is no pattern says so."""
    with pytest.raises(ParameterError, match="is not a pattern of joint names"):
        fits(pattern, "j")


@pytest.mark.parametrize(
    ("joints", "tables", "patterns"),
    [
        (("a", "b"), [], ["a", "b"]),
        ((".*",), [{".*_hip": 1, "knee": 2}], [".*_hip", "knee"]),
        (("hip_.*", "thigh_.*"), [{"hip_a.*": 1, "hip_b.*": 2, "thigh_x": 3}], ["hip_a.*", "hip_b.*", "thigh_x"]),
        # one table is coarser than the other
        (("j_[1-7]",), [{"j_[1-2]": 1, "j_[3-4]": 2, "j_[5-7]": 3}, {"j_[1-4]": 4, "j_[5-7]": 5}], None),
        # the group's own patterns are finer than the table's
        ((".*_pitch", ".*_roll"), [{".*": 0.1}], [".*_pitch", ".*_roll"]),
        (("x_pitch", "x_roll", "y"), [{"x_.*": 0.1, "y": 1}], ["x_pitch", "x_roll", "y"]),
        (("a", "b"), [{"a": 1.0}], ["a", "b"]),
        # tables that overlap in part
        (("j[1-6]",), [{"j[1-4]": 1, "j[5-6]": 2}, {"j[3-6]": 3, "j[1-2]": 4}], ["j[5-6]", "j[1-2]", "j3", "j4"]),
        ((".*",), [{".*": 5}, {"knee": 1, "hip": 2}], ["knee", "hip"]),
    ],
)
def test_groups_are_divided_by_their_numbers(joints: tuple, tables: list, patterns: list[str] | None):
    """Each pattern has one number in each table, and no joint is in two of them."""
    found = [pattern for pattern, _ in patterns_of(joints, tables)]
    assert sorted(found) == sorted(patterns or ["j_[1-2]", "j_[3-4]", "j_[5-7]"])
    for pattern, name in patterns_of(joints, tables) if tables else ():
        assert fits(pattern, name) and any(fits(joint, name) for joint in joints)
        for other in found:
            assert other == pattern or not fits(other, name)


ROBOT = ("shoulder", "left_elbow", "right_elbow", "FL_hip", "FL_calf", "joint1", "a|b")


@pytest.mark.parametrize(
    ("pattern", "unused"),
    [
        ("shoulder|left_elbow", []),
        ("shoulder|elbw", ["elbw"]),
        ("shuolder|left_elbow|wrist", ["shuolder", "wrist"]),
        # in a group, and in a group of an alternative
        ("(left|rigt)_elbow", ["rigt"]),
        ("shoulder|(?:left|rigt)_elbow", ["rigt"]),
        (r"FL_(?P<part>hip|(cal|foo)f)", ["foo"]),
        ("(FL|FR)_(hip|calf)", ["FR"]),
        # flags hold for every alternative; a set has characters, not alternatives
        ("(?i)SHOULDER|LEFT_.*", []),
        ("(?i)SHOULDER|ELBW", ["ELBW"]),
        ("[a|b]|shoulder", ["[a|b]"]),
        (r"[]|]|shoulder|a\|b", ["[]|]"]),
        (r"[\]|x]|shoulder", [r"[\]|x]"]),
        # optional, repeated, and what only looks ahead
        ("(left_|rigt_)?elbow|shoulder", ["rigt_"]),
        ("(l|e|f|t|_)+elbow", []),
        ("(?!left|wrong).*_elbow", []),
        ("(left_|)elbow|shoulder", []),
        ("shoulder|", []),
        # a pattern that is a name, and one that matches nothing at all
        ("a|b", []),
        ("wrist|ankle", []),
    ],
)
def test_alternatives_that_match_nothing(pattern: str, unused: list[str]):
    assert unused_alternatives(pattern, ROBOT) == unused


@given(grown, st.lists(st.text("ab_x1", max_size=4), min_size=1, max_size=5))
def test_what_is_unused_can_be_left_out(pattern: str, names: list[str]):
    """Without its unused alternatives at the top, a pattern matches the same names."""
    pattern = f"{pattern}|zz|{pattern}q"
    unused = unused_alternatives(pattern, names)
    assert ("zz" in unused) is (any(fits(pattern, name) for name in names) and pattern not in names)
