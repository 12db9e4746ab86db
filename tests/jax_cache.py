"""What JAX has compiled in earlier runs of the tests."""

import shutil
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / ".pytest_cache" / "jax"
"""Where it stays, by what was compiled, the version of JAX and its options."""
LARGEST = 1_000_000_000
"""Size above which the folder starts anew, since random motors add to it in every run [bytes]."""


def bound_folder(folder: Path = FOLDER, largest: int = LARGEST) -> None:
    """Remove the folder where it is too large."""
    if sum(file.stat().st_size for file in folder.glob("*")) > largest:
        shutil.rmtree(folder)
