"""Real motors as TOML, one file each, every figure with its source."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

_FOLDER = Path(__file__).parent


def ids() -> list[str]:
    """The ids of all motors of the catalogue, sorted."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def path(id: str) -> Path:
    """The file of a motor."""
    return _FOLDER / f"{id}.toml"


def suggestion(text: str) -> str:
    """What to do about an id that is not in the catalogue."""
    known = ids()
    wanted = text.lower().replace("_", "-").replace(" ", "-")
    near = get_close_matches(wanted, known, n=3, cutoff=0.5) or [k for k in known if wanted and wanted in k][:3]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "`backemf list` shows the catalogue"
