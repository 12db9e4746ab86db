"""The gallery: a page for every program in examples/, with its picture and what it prints.

As a hook of the documentation it makes the pages of the programs as they are. Pictures and output are made by running
them, which takes longer than a build should:

    python tools/gallery.py                  # run every example that this environment can run
    python tools/gallery.py maddening_motor  # or one, in the environment that it needs

Each writes docs/examples/NAME.svg, pictures called NAME-anything.svg, and NAME.txt. A test compares the programs with
those that were run.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES, MADE = ROOT / "examples", ROOT / "docs" / "examples"
DIGESTS = MADE / "digests.json"
ORDER = (
    "demo", "my_motor", "servo_loop", "size_tasks", "many_motors", "training_loop", "fit_resistance",
    "learned_actuator", "pictures", "mujoco_motor", "maddening_motor", "webots_compare", "webots_position_loop",
    "webots_endless_velocity", "webots_torque_control",
)  # fmt: skip
"""The way through the gallery: from one motor to many, then the simulators."""
DRAWN = {"pictures": "loss_envelope", "webots_compare": "webots_position_loop"}
"""The picture to show of programs that draw several."""
ELSEWHERE = ("maddening_motor",)
"""Programs that need an environment of their own."""


def programs() -> dict[str, Path]:
    """Every example by the name of its page."""
    found = {path.stem: path for path in EXAMPLES.glob("*.py")}
    found |= {f"webots_{path.stem}": path for path in (EXAMPLES / "webots").glob("*.py")}
    return {name: found[name] for name in sorted(found, key=lambda name: (*ORDER, name).index(name))}


def digest(path: Path) -> str:
    """What changes with the program."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def title(name: str) -> str:
    """The heading of a page."""
    return (
        name.replace("_", " ")
        .capitalize()
        .replace("Webots ", "Webots: ")
        .replace("Mujoco", "MuJoCo")
        .replace("Maddening", "MADDENING")
    )


def doc(path: Path) -> tuple[str, str]:
    """The first sentence of a program's docstring, and the rest."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first, _, rest = text.partition("\n\n")
    return " ".join(first.split()), rest


def drawn(name: str, folder: Path) -> list[Path]:
    """The pictures of an example: its own first, then NAME-anything."""
    return [folder / f"{DRAWN.get(name, name)}.svg", *sorted(folder.glob(f"{name}-*.svg"))]


def page(name: str, path: Path) -> str:
    """The page of one example: what it does, its pictures, what it prints, and the program itself."""
    first, rest = doc(path)
    place = path.relative_to(ROOT).as_posix()
    output = (MADE / f"{name}.txt").read_text(encoding="utf-8")
    printed = f"It prints:\n\n```\n{output.strip()}\n```\n\n" if output.strip() else ""
    more = "\n".join(f"![{each.stem.partition('-')[2]}]({each.name})" for each in drawn(name, MADE)[1:])
    pictures = f"![{first}]({name}.svg)\n{more}".strip() + "\n\n"
    code = path.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    return (
        f"---\nhide: [toc]\n---\n\n# {title(name)}\n\n{first}\n\n{rest}\n\n{pictures}{printed}"
        f"`{place}`:\n\n````python\n{code}\n````\n"
    )


def index() -> str:
    """All examples with their pictures."""
    cards = "\n".join(
        f"<div markdown>\n[![{title(name)}]({name}.svg)]({name}.md)\n\n"
        f"**[{title(name)}]({name}.md)** {doc(path)[0]}\n</div>"
        for name, path in programs().items()
    )
    return (
        "---\nhide: [toc]\n---\n\n# Examples\n\nPrograms that run as they stand, from a clone: `python "
        f'examples/NAME.py`.\n\n<div class="pictures" markdown>\n{cards}\n</div>\n'
    )


# --- the hook


def on_config(config: MkDocsConfig, **_: object) -> MkDocsConfig:
    """Add the pages to the nav, behind the tutorials."""
    entries = [{title(name): f"examples/{name}.md"} for name in programs()]
    place = next(k for k, entry in enumerate(config.nav) if "Simulators" in entry)
    config.nav.insert(place, {"Examples": ["examples/index.md", *entries]})
    return config


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    from mkdocs.structure.files import File

    files.append(File.generated(config, "examples/index.md", content=index()))
    for name, path in programs().items():
        files.append(File.generated(config, f"examples/{name}.md", content=page(name, path)))
    return files


# --- the script


def make(name: str, path: Path) -> None:
    """Run an example and keep its picture and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"BACKEMF_OUT": folder, "COLUMNS": "88"}
        command = [sys.executable, path]
        if path.parent.name == "webots" and path.stem != "compare":
            run = [
                "-m",
                "backemf",
                "webots",
                "run",
                path,
                "--robot",
                path.parent / "robot.toml",
                "--backend",
                "motor",
            ]
            command = [sys.executable, *run, "--plot", Path(folder) / f"{name}.svg"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{path}: {done.stderr}")
        MADE.mkdir(exist_ok=True)
        for old in drawn(name, MADE)[1:]:
            old.unlink()
        own, *more = drawn(name, Path(folder))
        (MADE / f"{name}.svg").write_bytes(own.read_bytes())
        for each in more:
            (MADE / each.name).write_bytes(each.read_bytes())
        text = "\n".join(line.rstrip() for line in done.stdout.replace(folder, "out").splitlines())
        (MADE / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    known[name] = digest(path)
    DIGESTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"wrote {MADE / name}.svg")


def main() -> None:
    known = programs()
    for name in sys.argv[1:] or [name for name in known if name not in ELSEWHERE]:
        make(name, known[name])


if __name__ == "__main__":
    main()
