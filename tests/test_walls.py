"""The order of imports: the table of CONTRIBUTING.md, the package, and the picture of both."""

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location("import_graph", ROOT / "tools" / "import_graph.py")
assert SPEC is not None and SPEC.loader is not None
import_graph = importlib.util.module_from_spec(SPEC)
sys.modules["import_graph"] = import_graph
SPEC.loader.exec_module(import_graph)


@cache
def walls() -> import_graph.Walls:
    """The table and all imports of the package."""
    return import_graph.walls()


TABLE = """
## Where things are

| place | what |
|---|---|
| `errors.py`, `checks.py` | the ground |
| `motor/` | motors |
| `sims/` | what simulators share |
| `sims/<name>/` | simulators |
| `__init__.py` | the front door |
| `tests/` | tests |

## Next
"""
"""The table of a made-up package."""
FILES = ("__init__.py", "errors.py", "checks.py", "motor/__init__.py", "motor/motor.py", "sims/__init__.py")
FILES = (*FILES, "sims/room.py", "sims/a/__init__.py", "sims/a/law.py", "sims/b/__init__.py", "sims/b/law.py")


def wrong(**texts: str) -> list[str]:
    """What is wrong in the made-up package with these texts; `motor__motor` is `motor/motor.py`."""
    sources = dict.fromkeys(FILES, "")
    for name, text in texts.items():
        path = name.replace("__", "/") + ".py"
        assert path in sources
        sources[path] = text
    return import_graph.Walls(import_graph.read_rows(TABLE), import_graph.read_imports(sources)).wrong()


# --- the package


def test_every_module_is_in_one_row():
    """A new file at the top of the package, or a new room, has to be put into the table."""
    places = {path: walls().places(path) for path in import_graph.source_files()}
    assert len(places) > 400
    assert {path: found for path, found in places.items() if len(found) != 1} == {}


def test_every_place_of_the_table_exists():
    """A room that was moved has left the table."""
    found = {walls().places(path)[0][1] for path in import_graph.source_files()}
    assert found == {place for row in walls().rows for place in row}


def test_nothing_imports_from_a_row_below():
    """Nor one simulator another, nor do rooms of one row import each other in a circle."""
    assert not walls().wrong(), "\n".join(walls().wrong())


def test_the_graph_sees_the_package():
    """Well-known imports, and every simulator."""
    rooms = {walls().room(path) for path in import_graph.source_files()}
    named = {
        f"sims/{name}/"
        for name in ("mujoco", "mjlab", "isaaclab", "newton", "physx", "webots", "mime", "mjx", "mujoco_warp")
    }
    assert named <= rooms
    known = {("physics/", "motor/"), ("engines/", "physics/"), ("transfer/", "sims/"), ("cli/", "__init__.py")}
    assert known <= walls().edges()
    assert len(walls().imports) > 1000


# --- what the check sees, on a made-up package


def test_imports_from_above_are_right():
    texts = {"motor__motor": "from ..errors import E", "sims__a__law": "from ..room import R\nfrom ...motor import M"}
    assert wrong(**texts) == []
    assert wrong(checks="from .errors import E") == []


@pytest.mark.parametrize(
    "text",
    [
        "from ..sims import room",
        "from ..sims.room import Room",
        "import backemf.sims.room",
        "import backemf.sims.room as room",
        "from backemf.sims import room",
        "def f():\n    from backemf.sims import room",
        "def f():\n    import backemf.sims",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..sims.room import Room",
        "import importlib\nroom = importlib.import_module('backemf.sims.room')",
        "import importlib\nroom = importlib.import_module('..sims.room', __package__)",
        "from importlib import import_module as get\nroom = get(f'..sims.{name}', __package__)",
        "import importlib\nNAMES = {'room': '..sims.room'}\nroom = importlib.import_module(NAMES['room'], __package__)",
        "room = __import__('backemf.sims.room')",
        "from .. import version",
    ],
)
def test_an_import_from_below_is_seen(text: str):
    """At the top, in a function, for types alone, absolute or relative, and by name."""
    assert len(wrong(motor__motor=text)) >= 1
    assert "a row below" in wrong(motor__motor=text)[0]


@pytest.mark.parametrize("text", ["from ..b import law", "def f():\n    import backemf.sims.b.law"])
def test_a_simulator_that_imports_another_is_seen(text: str):
    assert wrong(sims__a__law=text) == [
        f"sims/a/law.py:{text.count(chr(10)) + 1} imports sims/b/law.py, another simulator"
    ]


def test_a_circle_in_a_row_is_seen():
    texts = {"errors": "from .checks import C", "checks": "from .errors import E"}
    assert [text.endswith("in a circle") for text in wrong(**texts)] == [True, True]


# --- the picture


def test_the_picture_shows_the_graph():
    """A dot for each row and row above that it imports, and no other; all rooms by name."""
    text = import_graph.svg(walls())
    dots = {(int(low), int(high)) for low, high in re.findall(r'id="row-(\d+)-imports-(\d+)"', text)}
    rows = {place: number for number, places in enumerate(walls().rows) for place in places}
    rows |= {room: walls().row(room) for room in {a for a, _ in walls().edges()} | {b for _, b in walls().edges()}}
    assert dots == {(rows[a], rows[b]) for a, b in walls().edges() if rows[a] != rows[b]}
    assert all(low > high for low, high in dots)
    for places in walls().rows:
        for place in places:
            assert re.search(rf"<!--[^>]*{re.escape(place.removesuffix('.py').split('<')[0])}", text), place


def test_the_contributing_page_shows_the_picture():
    assert f"](../{import_graph.PICTURE})" in (ROOT / "docs" / "contributing" / "index.md").read_text(encoding="utf-8")
    assert "tools/import_graph.py" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
