"""Configuration texts in Python are evaluated as Python would, and nothing in them is run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work_done import WorkDone

from backemf import ParameterError
from backemf.sims.on_joint import Unread
from backemf.sims.script_actuator import Call, Unresolved
from backemf.sims.script_actuators import Dialect, read_calls
from backemf.sims.script_values import Partial

MOST = 20_000_000
"""Calls within which any text is done with [1]."""

DIALECT = Dialect(("PdCfg",), "joints", ("Mode", "Params"), copies=True)
ALIASES = Dialect(("PdCfg",), "joints")


def find_calls(text: str, dialect: Dialect = DIALECT, file: str = "") -> list[Call | Unread]:
    return read_calls(text if "\n" in text else f"{text}\n", dialect, file)


def kp(text: str, dialect: Dialect = DIALECT) -> list[Any]:
    """The stiffness of each actuator."""
    return [row.fields.get("kp") if isinstance(row, Call) else row for row in find_calls(text, dialect)]


PLAIN = [
    # setup, expression
    ("", "2 * 3.5 + 1 - 4 / 8"),
    ("", "-(2**3) % 5 // 2"),
    ("", "math.pi * np.pi + numpy.inf"),
    ("from math import pi, sqrt", "sqrt(2.0) * pi"),
    ("import numpy as xp", "xp.sqrt(2.0)"),
    ("J = 0.01\nW = 10 * 2.0 * 3.1415926535", "J * W**2"),
    ("A = B = 3", "A + B"),
    ("A: float = 3.0", "A"),
    ("A, (B, *C) = 1, (2, 3, 4)", "A + B * C[1]"),
    ("T = {'knee': 3.0, 'hip': [1, 2]}", "T['knee'] + T['hip'][-1]"),
    ("T = [1, 2, 3]\nT.append(4)\nT += [5]", "T[3] + T[4] + len(T)"),
    ("T = dict(a=1.0)\nT.update({'b': 2})\nT['c'] = 3", "T"),
    ("T = [0, 0]\nT[0], *R = 1, 2, 3", "T[0] + 10 * R[1]"),
    ("T = {'a': 1}\nfor T['a'] in (2, 3):\n    pass", "T['a']"),
    ("A = {'a': 1}\nB = {'b': 2, **A}", "{**B, 'c': A['a']}"),
    ("A = {'a': 1}", "A | {'b': 2}"),
    ("A = [1, 2]", "[*A, *A[:1]]"),
    ("", "[0.5] * 3"),
    ("N = 2", "10.0 if N > 1 else 20.0"),
    ("", "max(1, 2.5) + min([3, 4]) + abs(-2) + float('3') + int(2.7) + round(2.345, 1)"),
    ("", "math.radians(180) + np.deg2rad(90.0)"),
    ("", "{f'j{i}': 2.0 * i for i in range(3) if i != 1}"),
    ("T = {'a': 1, 'b': 2}", "{name: 10 * x for name, x in T.items()}"),
    ("T = {'a': 1, 'b': 2}", "[x + y for x in T.values() for y in (1, 2)]"),
    ("", "sum([1, 2, 3]) + sum(x for x in (1, 2))"),
    ("K = 1.0\nfor i in range(3):\n    K *= 2", "K"),
    ("if 1 < 2 <= 2 and not False:\n    K = 1\nelse:\n    K = 2", "K"),
    ("def f(a, b=2.0, *, c=1):\n    return a * b + c", "f(3) + f(3, 4) + f(a=1, c=5) + f(1, b=7, c=0)"),
    ("W = 2.0\ndef f(j):\n    k = j * W**2\n    return k\nW = 3.0", "f(0.5)"),
    ("def f(*rows, **more):\n    return sum(rows) + more.get('x', 1)", "f(1, 2, x=5) + f(4)"),
    (
        "def f(n):\n    if n in 'ab':\n        return 1.0\n    elif n == 'c':\n        return 2.0\n    return 3.0",
        "[f(n) for n in ('a', 'c', 'd')]",
    ),
    ("def f(x):\n    for i in range(9):\n        if i * i > x:\n            return i\n    return -1", "f(10) + f(99)"),
    ("def f(x):\n    def g(y):\n        return x + y\n    return g(1) * 2", "f(3)"),
    ("def f(x):\n    return x if x < 2 else x * f(x - 1)", "f(5)"),
    ("def f(t):\n    t.append(3)\nT = [1]\nf(T)", "T"),
    ("def f(t=[]):\n    return len(t)", "f() + f([1, 2])"),
    ("def f():\n    pass", "1 if f() is None else 2"),
    ("SIDES = ['l', 'r']", "{f'{s}_knee': 1.0 for s in SIDES}"),
    ("", "'a' + 'b' + '-'.join(['c', 'd'])"),
    ("a, b = 1, 2\na, b = b, a", "a - b"),
    ("x = (y := 3) + 1", "x * y"),
    ("", "{True: 1, 2: 'x', None: 3.0}.get(2, 0)"),
    ("", "sorted([3, 1, 2])"),
    ("", "[a * b for a, b in zip([1, 2], (3, 4), strict=True)] + [i for i, _ in enumerate([5, 6])]"),
]


@pytest.mark.parametrize(("setup", "expression"), PLAIN)
def test_values_are_those_of_python(setup: str, expression: str):
    """Working a text out gives what Python gives."""
    import numpy

    names: dict[str, Any] = {"math": math, "np": numpy, "numpy": numpy}
    exec(setup, names)
    (value,) = kp(f"{setup}\nPdCfg(joints=['j'], kp={expression})")
    expected = eval(expression, names)
    assert value == expected and type(value) in (type(expected), float)


def test_an_error_that_may_be_raised_is_not():
    """A program that makes an actuator has passed its checks."""
    text = "def f(x):\n    if not path.exists():\n        raise ValueError\n    return x\nPdCfg(joints=['j'], kp=f(3))"
    assert kp(text) == [3]


FUNCTION = """
def pd(name, kp, scale=1.0):
    return PdCfg(joints=[name], kp=kp * scale)
"""


def test_actuators_of_a_function_are_those_of_its_calls():
    """In the order of the calls, each with its own values, and no further row for the function itself."""
    text = f"{FUNCTION}\nA = pd('a', 1)\nB = PdCfg(joints=['b'], kp=2)\n"
    rows = find_calls(f"{text}C = [pd(n, k, 10) for n, k in (('c', 3), ('d', 4))]\n")
    assert [(row.fields["joints"], row.fields["kp"]) for row in rows] == [
        (["a"], 1),
        (["b"], 2),
        (["c"], 30),
        (["d"], 40),
    ]
    assert [row.robots for row in rows] == [("A",), ("B",), ("C",), ("C",)]


def test_a_function_that_is_not_called_is_looked_into():
    """What it makes depends on its arguments, and is a row; one with defaults alone may be called otherwise."""
    (row,) = find_calls(FUNCTION)
    assert isinstance(row, Call) and isinstance(row.fields["kp"], Unresolved)
    text = "def robot(soft=False):\n    return PdCfg(joints=['j'], kp=1 if soft else 2)\nA = robot()\n"
    other, known = find_calls(text)
    assert known.fields["kp"] == 2 and isinstance(other.fields["kp"], Unresolved)


def test_a_function_followed_twice_makes_its_actuators_once():
    """As where the main block of a file calls what makes the robot."""
    text = "def robot(name='j'):\n    return PdCfg(joints=['j'], kp=2)\nif __name__ == '__main__':\n    robot()\n"
    (row,) = find_calls(text)
    assert row.fields["kp"] == 2


def test_replace_of_dataclasses_is_a_copy():
    """The original and the copy are two actuators where the text holds both."""
    text = "from dataclasses import replace\nA = PdCfg(joints=['j'], kp=2, kd=1)\nB = replace(A, kp=3)\n"
    assert [(row.fields["kp"], row.fields["kd"]) for row in find_calls(text)] == [(2, 1), (3, 1)]


@pytest.mark.long
def test_functions_end():
    """Functions that call themselves without end, or many times each, cost a bounded number of steps."""
    for text in (
        "def f(n):\n    return f(n + 1)\nPdCfg(joints=['j'], kp=f(0))\n",
        "def f(n):\n    return f(n - 1) + f(n - 1)\nPdCfg(joints=['j'], kp=f(90))\n",
        "def f(n):\n    for i in range(1000):\n        f(n)\nPdCfg(joints=['j'], kp=f(0))\n",
        "def f(g):\n    return g(g)\nPdCfg(joints=['j'], kp=f(f))\n",
    ):
        with WorkDone() as work:
            (row,) = find_calls(text)
        assert (isinstance(row, Unread) and "steps to evaluate" in row.why) or isinstance(row.fields["kp"], Unresolved)
        assert work.calls < MOST


# exponents are small: Python itself works out any power of whole numbers, however long it takes
numbers = st.recursive(
    st.one_of(st.integers(-9, 9), st.floats(-9, 9)).map(lambda x: f"({x!r})"),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner),
        st.tuples(inner, st.just("**"), st.sampled_from(["2", "3", "-1", "0.5"])),
    ).map(lambda row: f"({row[0]} {row[1]} {row[2]})"),
    max_leaves=12,
)


@given(numbers)
@settings(max_examples=300)
def test_arithmetic_is_that_of_python(expression: str):
    """Any expression of numbers has Python's value, or none where Python raises or leaves the real numbers."""
    (value,) = kp(f"PdCfg(joints=['j'], kp={expression})")
    try:
        expected = eval(expression)
    except (ArithmeticError, ValueError, MemoryError, TypeError):
        expected = None
    if expected is None or isinstance(expected, complex):
        assert isinstance(value, Unresolved)
    elif isinstance(value, Unresolved):
        # whole numbers end where floats do
        assert abs(expected) > 1e300 or "**" in expression
    else:
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("PdCfg(joints=['j'], kp=STALL)", "STALL cannot be read as a number (STALL has no value in this file)"),
        ("from robots import STALL\nPdCfg(joints=['j'], kp=2 * STALL)", "STALL is imported from robots"),
        ("@cached\ndef f():\n    return 3\nPdCfg(joints=['j'], kp=f())", "f(...) is not a function that is evaluated"),
        ("async def f():\n    return 3\nPdCfg(joints=['j'], kp=f())", "f(...) is not a function that is evaluated"),
        ("def f():\n    yield 3\nPdCfg(joints=['j'], kp=f())", "f(...) is not a function that is evaluated"),
        ("def f(a):\n    return 3\nPdCfg(joints=['j'], kp=f())", "f(...) is not a function that is evaluated"),
        ("def f():\n    return 3\nPdCfg(joints=['j'], kp=f(1))", "f(...) is not a function that is evaluated"),
        ("def f():\n    return 3\nPdCfg(joints=['j'], kp=f(a=1))", "f(...) is not a function that is evaluated"),
        ("def f(a):\n    return 3\nPdCfg(joints=['j'], kp=f(1, a=1))", "f(...) is not a function that is evaluated"),
        ("def f():\n    return f()\nPdCfg(joints=['j'], kp=f())", "cannot be read as a number"),
        ("def f(a):\n    if a:\n        return 1\n    return 2\nPdCfg(joints=['j'], kp=f(GPU))", "depends on a"),
        ("def f():\n    raise ValueError\nPdCfg(joints=['j'], kp=f())", "ends in an error"),
        ("def f(a):\n    return 2 * a\nPdCfg(joints=['j'], kp=f(STALL))", "STALL has no value in this file"),
        ("PdCfg(joints=['j'], kp=1 / 0)", "1 / 0 has no value"),
        ("T = {}\nPdCfg(joints=['j'], kp=T['a'])", "there is no such entry"),
        ("PdCfg(joints=['j'], kp=__import__('os').system('true'))", "is not a function that is evaluated"),
        ("PdCfg(joints=['j'], kp=(lambda: 3)())", "cannot be read as a number"),
        ("PdCfg(joints=['j'], kp=eval('3'))", "is not a function that is evaluated"),
        ("PdCfg(joints=['j'], kp=open('/etc/passwd').read())", "is no"),
        ("PdCfg(joints=['j'], kp=9**9**9)", "has no value"),
        ("PdCfg(joints=['j'], kp=10**400)", "has no value"),
        ("PdCfg(joints=['j'], kp='a' * 10**9)", "has no value"),
        ("PdCfg(joints=['j'], kp=[0] * 10**9)", "has no value"),
        ("PdCfg(joints=['j'], kp=list(range(10**9)))", "has no value"),
        ("if GPU:\n    K = 1\nelse:\n    K = 2\nPdCfg(joints=['j'], kp=K)", "depends on GPU"),
        ("K = 1\nfor x in ROWS:\n    K += 1\nPdCfg(joints=['j'], kp=K)", "depends on a loop over ROWS"),
        ("K = 1\nwhile K < 3:\n    K += 1\nPdCfg(joints=['j'], kp=K)", "depends on K < 3"),
        ("K = 3 if GPU else 4\nPdCfg(joints=['j'], kp=K)", "depends on GPU"),
        ("K = [1]\nK.sort(key=f)\nPdCfg(joints=['j'], kp=K[0])", "is not evaluated"),
        (
            "try:\n    import x\n    K = 1\nexcept ImportError:\n    K = 2\nPdCfg(joints=['j'], kp=K)",
            "depends on Import",
        ),
    ],
)
def test_what_the_text_does_not_tell_is_said(text: str, words: str):
    """The field is unresolved, the sentence names it and the part that is not known, and other fields stay."""
    (row,) = find_calls(f"{text[:-1]}, kd=2.0)")
    assert isinstance(row, Call) and row.fields["kd"] == 2.0
    with pytest.raises(ParameterError) as caught:
        row.number("kp")
    assert words in str(caught.value) and "line " in str(caught.value) and "\n" not in str(caught.value)


def test_one_unknown_field_does_not_lose_the_others():
    """Of three actuators the middle one has a class that is not known, and its neighbours are read."""
    first, second, third = find_calls("[PdCfg(joints=['a'], kp=1), Muscle(joints=['b']), PdCfg(joints=['c'], kp=3)]")
    assert isinstance(first, Call) and isinstance(third, Call) and third.fields["kp"] == 3
    assert isinstance(second, Unread) and second.name == "b" and second.kind == "Muscle"


# --- paths


@pytest.mark.parametrize(
    ("expression", "path", "missing"),
    [
        ("f'{ROOT}/nets/a.pt'", "{ROOT}/nets/a.pt", ("ROOT",)),
        ("ROOT + '/nets/' + NAME + '.pt'", "{ROOT}/nets/{NAME}.pt", ("ROOT", "NAME")),
        ("os.path.join(ROOT, 'nets', 'a.pt')", "{ROOT}/nets/a.pt", ("ROOT",)),
        ("str(ROOT / 'nets' / 'a.pt')", "{ROOT}/nets/a.pt", ("ROOT",)),
        ("Path('/data') / 'a.pt'", "/data/a.pt", ()),
        ("'/'.join([f'{ROOT}', 'a.pt'])", "{ROOT}/a.pt", ("ROOT",)),
        ("f'{HERE}/a.pt'", "/x/a.pt", None),
        ("f'{cfg.ROOT}/a.pt'", "{cfg.ROOT}/a.pt", ("cfg.ROOT",)),
    ],
)
def test_unknown_parts_of_a_path_keep_their_names(expression: str, path: str, missing: tuple[str, ...] | None):
    """What is not known stays as {NAME}."""
    (row,) = find_calls(f"HERE = '/x'\nPdCfg(joints=['j'], net={expression})")
    assert isinstance(row, Call)
    value = row.fields["net"]
    assert value == path
    assert (value.missing if isinstance(value, Partial) else None) == missing


def test_a_path_that_grows_keeps_its_unknown_parts():
    """`+=` is the sum and an assignment."""
    (row,) = find_calls("NET = 'nets/'\nNET += NAME\nPdCfg(joints=['j'], net=NET)")
    assert isinstance(row, Call) and row.fields["net"] == "nets/{NAME}"


def test_path_of_the_file_itself(tmp_path: Path):
    """`__file__` is where the text is from."""
    file = tmp_path / "robot.py"
    file.write_text("import os\nPdCfg(joints=['j'], net=os.path.join(os.path.dirname(__file__), 'a.pt'))\n")
    (row,) = read_calls(file, DIALECT)
    assert isinstance(row, Call) and row.fields["net"] == str(tmp_path / "a.pt")


def test_joint_names_with_unknown_parts_are_refused():
    """A name that stands for nothing must not become a pattern."""
    (row,) = find_calls("PdCfg(joints=[f'{SIDE}_knee'], kp=1)")
    with pytest.raises(ParameterError, match="SIDE is not known: write the names out"):
        assert isinstance(row, Call)
        row.joints("joints")


# --- classes, copies and later changes

ROBOT = """
BASE = RobotCfg(actuators={"arm": PdCfg(joints=["a.*"], kp=1.0), "hand": PdCfg(joints=["h.*"], kp=2.0)})
"""


@pytest.mark.parametrize(
    ("change", "stiffnesses"),
    [
        ("", [1.0, 2.0]),
        ("STIFF = BASE.copy()", [1.0, 2.0]),
        ("STIFF = BASE.copy()\nSTIFF.actuators['arm'].kp = 9.0", [1.0, 2.0, 9.0]),
        ("STIFF = copy.deepcopy(BASE)\nSTIFF.actuators['arm'].kp *= 9", [1.0, 2.0, 9.0]),
        ("from copy import deepcopy\nSTIFF = deepcopy(BASE)\nsetattr(STIFF.actuators['arm'], 'kp', 9)", [1.0, 2.0, 9]),
        ("STIFF = BASE.replace(actuators={'arm': BASE.actuators['arm'].replace(kp=9.0)})", [1.0, 2.0, 9.0]),
        ("BASE.actuators['arm'].kp = 9.0", [9.0, 2.0]),
        ("BASE.actuators['leg'] = PdCfg(joints=['l'], kp=9.0)", [1.0, 2.0, 9.0]),
        ("for a in BASE.actuators.values():\n    a.kp = 2 * a.kp", [2.0, 4.0]),
        ("def stiffer():\n    cfg = BASE.copy()\n    cfg.actuators['arm'].kp = 9.0\n    return cfg", [1.0, 2.0, 9.0]),
        ("def change():\n    BASE.actuators['arm'].kp = 9.0", [1.0, 2.0]),
        ("if __name__ == '__main__':\n    X = PdCfg(joints=['j'], kp=9.0)", [1.0, 2.0, 9.0]),
        ("if False:\n    X = PdCfg(joints=['j'], kp=9.0)", [1.0, 2.0]),
        ("ROWS = tuple(PdCfg(joints=(n,), kp=k) for n, k in {'a': 5, 'b': 6}.items())", [1.0, 2.0, 5, 6]),
        ("ROW = {'kp': 9.0}\nX = PdCfg(joints=['j'], **ROW)", [1.0, 2.0, 9.0]),
        ("class Mine(PdCfg):\n    kp = 9.0\nX = Mine(joints=['j'])", [1.0, 2.0, 9.0]),
        ("class Env(EnvCfg):\n    legs = PdCfg(joints=['j'], kp=9.0)", [1.0, 2.0, 9.0]),
    ],
)
def test_copies_and_changes_are_followed(change: str, stiffnesses: list[float]):
    """A copy that was changed is an actuator of its own; one that was not is the same one."""
    assert kp(ROBOT + change) == stiffnesses


def test_copies_know_their_robots():
    """An actuator that two robots share names both."""
    rows = find_calls(f"{ROBOT}\nSTIFF = BASE.copy()\nSTIFF.actuators['arm'].kp = 9.0")
    assert [row.robots for row in rows if isinstance(row, Call)] == [("BASE",), ("BASE", "STIFF"), ("STIFF",)]
    assert [row.group for row in rows if isinstance(row, Call)] == ["arm", "hand", "arm"]


def test_classes_that_hold_what_they_are_given_share_it():
    """Without copies, as in mjlab, a change reaches every holder; with them, as in Isaac Lab, it does not."""
    text = "A = PdCfg(joints=['a'], kp=1.0)\nR = RobotCfg(actuators=[A])\nR.actuators[0].kp = 9.0\n"
    assert kp(text, ALIASES) == [9.0]
    assert kp(text, DIALECT) == [1.0, 9.0]


def test_a_method_that_is_not_known_spoils_what_it_is_called_on():
    """Nobody knows what it does."""
    rows = find_calls("A = PdCfg(joints=['a'], kp=1.0)\nA.tune(3)\nB = PdCfg(joints=['b'], kp=2.0)")
    assert isinstance(rows[0], Unread) and "calls tune(), which may change it" in rows[0].why
    assert isinstance(rows[1], Call)


def test_class_with_a_method_of_its_own_is_another_class():
    """Its law may be another."""
    (row,) = find_calls("class Mine(PdCfg):\n    def build(self):\n        return 3\nMine(joints=['j'], kp=1.0)")
    assert isinstance(row, Unread) and "Mine is not a known actuator" in row.why


def test_parts_and_words_inside():
    """Classes inside are `Call`s, members of an enumeration are their names."""
    (row,) = find_calls("PdCfg(joints=['j'], params=Params(r=2 * 0.5), mode=Mode.POSITION)")
    assert isinstance(row, Call) and row.fields["mode"] == "POSITION"
    assert isinstance(row.fields["params"], Call) and row.fields["params"].fields == {"r": 1.0}


# --- files beside it


def test_names_from_files_beside_it(tmp_path: Path):
    """Relative imports, packages and stars; the other file is parsed and not run."""
    package = tmp_path / "robots"
    package.mkdir()
    (package / "__init__.py").write_text("from .base import *\n")
    (package / "base.py").write_text(f"W = 3.0\n_HIDDEN = 1\nraise SystemExit\n{ROBOT}\n")
    main = package / "main.py"
    main.write_text(
        "from .base import BASE, W as OMEGA\nfrom . import W\nfrom robots.base import W as V\nfrom .base import NO\n"
        "X = PdCfg(joints=['j'], kp=OMEGA * W * V)\nY = BASE.copy()\nY.actuators['arm'].kp = OMEGA\n"
        "Z = PdCfg(joints=['z'], kp=NO)\n"
    )
    rows = [row for row in read_calls(main, DIALECT) if isinstance(row, Call)]
    *known, lost = (row.fields["kp"] for row in sorted(rows, key=lambda row: row.robots))
    assert known == [27.0, 3.0, 2.0]
    assert isinstance(lost, Unresolved) and "NO is imported from .base" in lost.sentence


def test_files_that_import_each_other_end(tmp_path: Path):
    """A circle of imports is followed once."""
    (tmp_path / "a.py").write_text("from b import K\nPdCfg(joints=['j'], kp=K)\n")
    (tmp_path / "b.py").write_text("from a import X\nfrom c import K\n")
    (tmp_path / "c.py").write_text("from b import X\nK = 3.0\n")
    (row,) = read_calls(tmp_path / "a.py", DIALECT)
    assert isinstance(row, Call) and row.fields["kp"] == 3.0


# --- hostile texts

DEEP = 20_000
HOSTILE = {
    "deep parentheses": "x = " + "(" * DEEP + ")" * DEEP,
    "deep lists": "x = " + "[" * 90 + "]" * 90,
    "many signs": "x = " + "-" * DEEP + "1",
    "a long sum": "x = " + " + ".join(["1"] * DEEP),
    "a long chain": "x = a" + ".b" * DEEP,
    "many calls": "x = " + "f(" * 90 + ")" * 90,
    "doubling lists": "x = [1]\n" + "x = x + x\n" * 200,
    "nested lists": "x = [1]\n" + "x = [x, x]\n" * 200 + "PdCfg(joints=x, kp=x)",
    "doubling texts": "x = 'ab'\n" + "x = x + x\n" * 200,
    "doubling f-strings": "x = 'ab'\n" + "x = f'{x}{x}'\n" * 200,
    "doubling tables": "x = {'a': 1}\n" + "x = {'a': x, 'b': x}\n" * 200 + "PdCfg(joints=['j'], kp=x)",
    "doubling copies": "x = A(a=1)\n" + "x = A(a=x, b=x)\n" * 60 + "PdCfg(joints=['j'], kp=x)",
    "itself": "x = []\nx.append(x)\nPdCfg(joints=x, kp=x)",
    "itself in a class": "x = PdCfg(joints=['j'], kp=1)\nx.kp = x",
    "squaring": "x = 10\n" + "x = x * x\n" * 100,
    "powers": "x = 9**9**9**9",
    "long loops": "for i in range(20000):\n  for j in range(20000):\n    for k in range(20000):\n      x = 1",
    "endless": "while True:\n    x = 1",
    "comprehensions": "x = [a for a in range(9999) for b in range(9999) for c in range(9999)]",
    "many values": "\n".join(f"a{i} = [{i}] * 9999" for i in range(999)),
    "import": "__import__('os').system('touch ran')",
    "exec": "exec(\"open('ran', 'w')\")",
    "decorator": "@open('ran', 'w')\ndef f(x=open('ran', 'w')):\n    open('ran', 'w')",
    "class body": "class A(open('ran', 'w')):\n    open('ran', 'w')\n    x = open('ran', 'w')",
    "lambda": "x = (lambda: open('ran', 'w'))()",
    "walrus": "[y := open('ran', 'w') for _ in range(3)]",
    "format": "x = '{0.__class__.__mro__}'.format(open)",
    "dunder": "x = ().__class__.__bases__[0].__subclasses__()",
    "string method": "x = 'a'.replace('', 'b' * 9999)\n" + "x = x.replace('b', x)\n" * 99,
    "star": "x = [*[*[*range(9999)]]]\n" + "x = [*x, *x]\n" * 99,
    "null": "x = 1\x00",
    "surrogates": "x = '\\ud800'",
    "syntax": "x = = 1",
    "async": "async def f():\n    await g()\n    async for x in y:\n        pass",
    "match": "match x:\n    case 1:\n        y = 1",
    "recursion": "def f():\n    return f()\nx = f()",
    "fields": "PdCfg(" + ", ".join(f"f{i}=1" for i in range(5000)) + ")",
    "long number": "x = " + "9" * 5000,
}


NOT_PYTHON = ("deep parentheses", "many signs", "a long sum", "a long chain", "null", "syntax", "long number")
"""Those that Python's own parser refuses."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_and_run_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """One clear answer in a short time, and the actuator before it is read wherever the text is Python."""
    monkeypatch.chdir(tmp_path)
    with WorkDone() as work:
        try:
            rows = find_calls(f"PdCfg(joints=['first'], kp=1.0)\n{HOSTILE[name]}\n")
        except ParameterError as error:
            assert "this is not Python" in str(error) and "\n" not in str(error)
            assert name in NOT_PYTHON
        else:
            assert any(isinstance(row, Call) and row.fields.get("kp") == 1.0 for row in rows)
    assert work.calls < MOST
    assert not (tmp_path / "ran").exists()


def test_too_much_work_is_said_of_the_actuators_after_it():
    """What comes after the last step is not read, and says so."""
    rows = find_calls(f"PdCfg(joints=['a'], kp=1)\n{HOSTILE['long loops']}\nPdCfg(joints=['b'], kp=1)")
    assert isinstance(rows[0], Call)
    assert isinstance(rows[1], Unread) and "steps to evaluate" in rows[1].why


def test_too_much_work_inside_an_actuator_is_said_of_it():
    """A row for it, whether its class is known or not, and whatever of its fields was reached."""
    loop = "[a for a in range(9999) for b in range(9999) if b < 0]"
    for name in ("PdCfg", "Muscle"):
        first, last = find_calls(f"PdCfg(joints=['a'], kp=1)\n{name}(kp={loop}, joints=['b'])")
        assert isinstance(first, Call)
        assert isinstance(last, Unread) and last.kind == name and "steps to evaluate" in last.why
