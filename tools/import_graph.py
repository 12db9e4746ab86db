"""Which room of the package imports which: read from the source, held against the table of CONTRIBUTING.md, drawn.

`python tools/import_graph.py` prints every import against the order; `python tools/import_graph.py rooms.svg` draws the
rooms. The documentation draws them while it is built.
"""

from __future__ import annotations

import ast
import io
import math
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[1]
PICTURE = "images/rooms.svg"
"""The picture, as pages of the documentation name it."""


# --- what is there


def source_files(folder: Path = ROOT / "src") -> dict[str, str]:
    """The text of each module of the package, by the path below `src/backemf/`, e.g. `motor/motor.py`."""
    package = folder / "backemf"
    return {
        path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))
    }


def module_name(path: str) -> str:
    """The name under which a file is imported."""
    return ".".join(("backemf", *path.removesuffix(".py").removesuffix("__init__").strip("/").split("/"))).rstrip(".")


@dataclass(frozen=True)
class Import:
    """One module that a file imports."""

    path: str
    """The file, below `src/backemf/`."""
    line: int
    target: str
    """The file that is imported."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.target}"


def read_imports(sources: Mapping[str, str]) -> list[Import]:
    """Every import inside the package: at the top, in a function, for types alone, and by `import_module`."""
    homes = {module_name(path): path for path in sources}
    found = []
    for path, text in sources.items():
        name = module_name(path)
        package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
        for line, target in _imported_names(text, name, package, homes):
            # the nearest module that there is, e.g. that of an imported function
            while target and target not in homes:
                target = target.rpartition(".")[0]
            if target and homes[target] != path:
                found.append(Import(path, line, homes[target]))
    return found


def _imported_names(source: str, name: str, package: str, homes: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that a module imports."""
    by_text = "import_module" in source or "__import__" in source
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute("." * node.level + (node.module or ""), package)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif by_text and isinstance(node, ast.Constant | ast.JoinedStr):
            # where modules are imported by name, every text that names one counts as an import of it
            text = _absolute(_text(node, name, package), package).rstrip(".")
            if text in homes and text != "backemf":
                yield node.lineno, text


def _text(node: ast.Constant | ast.JoinedStr, name: str, package: str) -> str:
    """A text up to where it depends on values; `__name__` and `__package__` are known."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    known = {"__name__": name, "__package__": package}
    text = ""
    for part in node.values:
        word = part.value if isinstance(part, ast.Constant) else known.get(ast.unparse(part.value))
        if not isinstance(word, str):
            break
        text += word
    return text


def _absolute(name: str, package: str) -> str:
    """A module's name without the dots in front."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    base = package.split(".")
    return ".".join([*base[: len(base) - level + 1], *([name[level:]] if name[level:] else [])])


# --- the order


def read_rows(page: str) -> list[list[str]]:
    """The places of each row of the table "Where things are" that lie in the package, top to bottom."""
    table = page.split("## Where things are", 1)[1].split("\n## ", 1)[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    rows = [[place.removeprefix("src/backemf/") for place in re.findall(r"`([^`]+)`", cell)] for cell in cells]
    return [row for row in rows if row[0].split("/")[0] not in ("tests", "properties", "tools")]


@dataclass(frozen=True)
class Walls:
    """The rooms in their order, and the imports between them."""

    rows: list[list[str]]
    """The places of each row: `motor/` is a folder, `loads.py` a file, `sims/<name>/` each folder inside `sims/`."""
    imports: list[Import]

    @cached_property
    def _found(self) -> dict[str, list[tuple[int, str]]]:
        """Places of the files that were looked for: every import asks again."""
        return {}

    def places(self, path: str) -> list[tuple[int, str]]:
        """Row and place of a file; the longest place wins. More than one, or none, is a mistake of the table."""
        if path in self._found:
            return self._found[path]
        found = []
        for row, places in enumerate(self.rows):
            for place in places:
                pattern = re.escape(place).replace("<name>", "[^/]+")
                if re.match(pattern if place.endswith("/") else pattern + "$", path):
                    found.append((row, place))
        longest = max((place.count("/") for _, place in found), default=0)
        self._found[path] = [(row, place) for row, place in found if place.count("/") == longest]
        return self._found[path]

    def row(self, path: str) -> int:
        """Row of a file."""
        return self.places(path)[0][0]

    def room(self, path: str) -> str:
        """Room of a file: its place, with the simulator's name where the place has one for each."""
        place = self.places(path)[0][1]
        return "/".join(path.split("/")[: place.count("/")]) + "/" if "<" in place else place

    def edges(self) -> set[tuple[str, str]]:
        """Each room and a room that it imports."""
        pairs = {(self.room(each.path), self.room(each.target)) for each in self.imports}
        return {(a, b) for a, b in pairs if a != b}

    def wrong(self) -> list[str]:
        """Every import against the order, in words."""
        found = [f"{each}, a row below" for each in self.imports if self.row(each.target) > self.row(each.path)]
        beside = [
            each
            for each in self.imports
            if self.row(each.path) == self.row(each.target) and self.room(each.path) != self.room(each.target)
        ]
        found += [f"{each}, another simulator" for each in beside if "<name>" in self.places(each.path)[0][1]]
        pairs = {(self.room(each.path), self.room(each.target)) for each in beside}
        return found + [f"{each}, in a circle" for each in beside if self._leads_back(each, pairs)]

    def _leads_back(self, each: Import, pairs: set[tuple[str, str]]) -> bool:
        """Whether the target imports the room of the file again, through rooms of the same row."""
        seen, todo = set(), [self.room(each.target)]
        while todo:
            room = todo.pop()
            if room not in seen:
                seen.add(room)
                todo += [b for a, b in pairs if a == room]
        return self.room(each.path) in seen


def walls() -> Walls:
    """The package as it is."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return Walls(read_rows(page), read_imports(source_files()))


# --- the picture

ROW, BOX, LANE = 0.36, 3.9, 0.19
"""Height of a row, width of the boxes, and distance of the lines beside them [in]."""


def row_imports(found: Walls) -> Counter[tuple[int, int]]:
    """How often files of a row import from a row above, by the numbers of both."""
    pairs = ((found.row(each.path), found.row(each.target)) for each in found.imports)
    return Counter((low, high) for low, high in pairs if low != high)


def draw(found: Walls) -> Figure:
    """The rooms by row, with a line down from each row and a dot on it at every row that imports it."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

    from backemf.plot import style

    last, counts = len(found.rows) - 1, row_imports(found)
    size = BOX + LANE * (last + 2), ROW * (last + 1) + 0.75
    with style.look():
        figure = Figure(figsize=size)
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set(xlim=(0.0, size[0]), ylim=(size[1] - 0.68, -0.68))
        ax.axis("off")
        ax.text(0.1, -0.46, "A row imports only from rows above it.", va="center")
        ax.text(
            0.1,
            -0.2,
            "A dot: its row imports the row to which the line leads; the larger, the more often.",
            va="center",
        )
        for row, places in enumerate(found.rows):
            middle = ROW * (row + 0.5)
            outline = {"linewidth": 0.8, "facecolor": "white", "edgecolor": style.GREY}
            corners = "round,pad=0,rounding_size=0.05"
            ax.add_patch(FancyBboxPatch((0.1, middle - 0.14), BOX - 0.1, 0.28, corners, **outline))
            words = textwrap.fill(", ".join(place.removesuffix(".py") for place in places), 54)
            small = "\n" in words
            ax.text(0.2, middle, words, va="center", fontsize=7.5 if small else 9.0, linespacing=1.0)
            above = [high for low, high in counts if low == row]
            if above:
                far = _lane(min(above), last)
                ax.plot([BOX, far], [middle, middle], color=style.LIGHT, linewidth=0.8, zorder=0)
            below = [low for low, high in counts if high == row]
            if below:
                lane, colour = _lane(row, last), style.SERIES[row % len(style.SERIES)]
                line = {"color": colour, "linewidth": 1.2, "zorder": 1}
                ax.plot([lane, lane, BOX + 0.05], [ROW * (max(below) + 0.5), middle, middle], **line)
                ax.plot(BOX + 0.05, middle, marker="<", markersize=5.0, **line)
                for low in below:
                    dot = 2.4 + 1.0 * math.log(counts[low, row])
                    gid = f"row-{low}-imports-{row}"
                    ax.plot(lane, ROW * (low + 0.5), "o", color=colour, markersize=dot, gid=gid, zorder=2)
    return figure


def _lane(row: int, last: int) -> float:
    """Where the line of a row runs: that of the top row outermost, so that no arrow crosses a line."""
    return BOX + LANE * (1 + last - row)


def svg(found: Walls) -> str:
    """The picture as the text of an SVG file."""
    from backemf.plot import style

    content = io.StringIO()
    with style.look():
        draw(found).savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Hook of the documentation: the picture is drawn while the site is built."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PICTURE, content=svg(walls())))
    return files


if __name__ == "__main__":
    if sys.argv[1:]:
        draw(walls()).savefig(sys.argv[1])
    print(*walls().wrong(), sep="\n")
