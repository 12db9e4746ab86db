"""Types: every public function says what it takes and gives, and `Any` stands only where a user's own object passes."""

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "backemf"
HALVES = ("core", "sims")
"""The simulators' rooms, and all others."""

ANY = {
    "core": {
        "values.py": "the operators of arrays: each library takes and gives its own",
        "hooks.py call_hook": "the method that calls a hook says what comes back",
        "__init__.py __getattr__": "a public name, whatever it stands for",
        "learned/__init__.py __getattr__": "a public name, whatever it stands for",
    },
    "sims": {
        "sims/mjlab/slopes.py highest": "a tensor or a number, told apart by what it can do",
        "sims/network_law.py network": "a user's own network",
        "sims/network_law.py stack_columns": "arrays of whichever library made them",
    },
}
"""Public functions whose signature may say `Any`, as "file name" or "file", and why."""
UNTYPED = {
    "core": {"engines/warp_kernel.py modulo": "Warp itself finds the type of what it returns"},
    "sims": {
        **{
            f"sims/newton/articulation_kernels.py {name}": "a kernel or function of Warp, which finds what it returns"
            for name in (
                "add_to_diagonal", "add_torques", "advance_guess", "begin_guess", "between", "note_lines", "observe",
                "place_joints",
            )
        },
        **{
            f"sims/mujoco_warp/kernels.py {name}": "a kernel of Warp, which returns nothing"
            for name in (
                "arrange", "collect", "damp", "factor_masses", "find_load", "finish", "forget", "give",
                "push_torque", "restore", "restore_bits", "solve_together", "turn_along",
            )
        },
        "sims/newton/implicit.py linear_force": "a function of Warp, which finds what it returns",
    },
}  # fmt: skip
"""Public functions of which not everything is typed, and why."""
ALIASES = {
    "core": {
        "values.py Declared": "a field has the type that it is annotated with",
        "values.py Foreign": "a user's object or file, before anything has looked at it",
        "values.py Module": "a library that may be missing, or that has no types",
        "actuator/needs.py Given": "a user's number, before it is checked",
        "datasheet/table.py Entry": "as the field of a table is annotated",
        "engines/packing.py Composed": "an actuator, whose class is in a room below",
        "engines/reset.py Mask": "an array of a user's own library",
        "engines/tracing.py Argument": "a symbol, a number or a name",
        "engines/tracing.py Traced": "a symbol or a plain number, which laws treat alike",
        "learned/training.py Tree": "what JAX maps over",
    },
    "sims": {
        "sims/joint_patterns.py Content": "what Python parses a pattern into",
        "sims/newton/numbers.py Given": "a number or an array of Warp",
        "sims/on_joint.py LawState": "a law's own state, only handed back to it",
        "sims/room.py Source": "a user's model, stage or configuration",
        "sims/script_actuator.py FieldValue": "what a person wrote in a configuration",
        "sims/script_actuator.py Value": "what a person wrote in a configuration",
        "sims/script_values.py Key": "what a person wrote in a configuration",
        "sims/types.py Field": "an argument given on by name to a class, which checks it",
        "sims/usd_types.py UsdValue": "a value from a user's file",
        "sims/webots/devices/fields.py ScriptValue": "a value from a user's script",
        "sims/webots/devices/robot.py AnyDevice": "a device whose kind only the script knows",
        "sims/webots/nodes/node.py NodeValue": "a value from a user's file",
    },
}
"""Names that stand for `Any` itself, and why there is no nearer type."""
MOST_ANY = {"core": 229, "sims": 80}
"""Most mentions of `Any` in all, in bodies and private functions too."""


@cache
def sources() -> dict[str, ast.Module]:
    """Every file of the package."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}


def half_of(path: str) -> str:
    return "sims" if path.startswith("sims/") else "core"


def says_any(annotation: ast.expr | None) -> bool:
    """Whether `Any` is a part of an annotation, written out or in quotes."""
    if annotation is None:
        return False
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    return any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(annotation))


def public_functions(tree: ast.AST) -> list[ast.FunctionDef]:
    """Functions and methods that anyone may call: no private ones, and none inside another function."""
    found: list[ast.FunctionDef] = []
    for node in ast.iter_child_nodes(tree):
        special = isinstance(node, ast.FunctionDef) and node.name.startswith("__") and node.name.endswith("__")
        if isinstance(node, ast.FunctionDef) and (special or not node.name.startswith("_")):
            found.append(node)
        elif (isinstance(node, ast.ClassDef) and not node.name.startswith("_")) or isinstance(node, (ast.If, ast.Try)):
            found += public_functions(node)
    return found


def parameters(function: ast.FunctionDef) -> list[ast.arg]:
    """All parameters but the object itself."""
    given = function.args
    rest = [each for each in (given.vararg, given.kwarg) if each is not None]
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]
    return [each for each in every if each.arg not in ("self", "cls")]


def untyped(tree: ast.Module) -> list[str]:
    """Public functions with a parameter or an answer without a type."""
    return [
        function.name
        for function in public_functions(tree)
        if any(each.annotation is None for each in parameters(function))
        or (function.returns is None and function.name not in ("__init__", "__post_init__"))
    ]


def with_any(tree: ast.Module) -> list[str]:
    """Public functions whose signature says `Any`."""
    return [
        function.name
        for function in public_functions(tree)
        if says_any(function.returns) or any(says_any(each.annotation) for each in parameters(function))
    ]


def aliases(tree: ast.Module) -> list[str]:
    """Names that stand for `Any` and nothing else."""
    found = []
    for node in tree.body:
        if (
            isinstance(node, (ast.Assign, ast.AnnAssign))
            and isinstance(node.value, ast.Name)
            and node.value.id == "Any"
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [each.id for each in targets if isinstance(each, ast.Name)]
    return found


def in_half(half: str, find: Callable[[ast.Module], list[str]]) -> set[str]:
    """What is found in the files of a half, as "file name"."""
    trees = {path: tree for path, tree in sources().items() if half_of(path) == half}
    assert len(trees) > 100
    return {f"{path} {name}" for path, tree in trees.items() for name in find(tree)}


@pytest.mark.parametrize("half", HALVES)
def test_public_functions_are_typed(half: str):
    assert sorted(in_half(half, untyped)) == sorted(UNTYPED[half])


@pytest.mark.parametrize("half", HALVES)
def test_any_stands_where_the_list_says(half: str):
    found = in_half(half, with_any)
    assert sorted(name for name in found if name not in ANY[half] and name.split()[0] not in ANY[half]) == []
    # a reason that is no longer needed
    assert (
        sorted(place for place in ANY[half] if place not in found and place not in {x.split()[0] for x in found}) == []
    )


@pytest.mark.parametrize("half", HALVES)
def test_names_for_any_are_listed(half: str):
    """An alias of `Any` would hide it from the tests above."""
    assert sorted(in_half(half, aliases)) == sorted(ALIASES[half])


@pytest.mark.parametrize("half", HALVES)
def test_any_does_not_come_back(half: str):
    trees = [tree for path, tree in sources().items() if half_of(path) == half]
    count = sum(isinstance(node, ast.Name) and node.id == "Any" for tree in trees for node in ast.walk(tree))
    assert count <= MOST_ANY[half]


# --- what the checks see


@pytest.mark.parametrize(
    "text",
    [
        "def f(x) -> int: ...",
        "def f(x: int): ...",
        "def f(*x) -> int: ...",
        "def f(*, x=1) -> int: ...",
        "def f(**x) -> int: ...",
        "class A:\n    def f(self, x) -> int: ...",
        "class A:\n    def __init__(self, x): ...",
        "if True:\n    def f(x): ...",
    ],
)
def test_a_function_without_types_is_seen(text: str):
    assert len(untyped(ast.parse(text))) == 1


def test_private_functions_are_free():
    text = "def _f(x): ...\nclass _A:\n    def f(self, x): ...\ndef g() -> int:\n    def h(x): ...\n"
    assert untyped(ast.parse(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Any) -> int: ...",
        "def f() -> dict[str, Any]: ...",
        "def f(x: 'list[Any]') -> int: ...",
        "def f(**x: Any) -> int: ...",
        "class A:\n    def f(self) -> Callable[..., Any]: ...",
    ],
)
def test_any_in_a_signature_is_seen(text: str):
    assert len(with_any(ast.parse(text))) == 1


def test_an_alias_of_any_is_seen():
    assert aliases(ast.parse("A = Any\nB: TypeAlias = Any\nC = dict[str, Any]\n")) == ["A", "B"]
