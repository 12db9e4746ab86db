"""Take the pictures of the studio that `make test-studio` made into the documentation, with fewer colours.

`python tools/studio_pictures.py` reads `out/studio/` and writes `docs/studio/`.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
SHOWN = {
    "motor": "motor-light", "look": "look-light", "try": "try-light", "simulators": "simulators-light",
    "typed-slip": "typed-slip",
}  # fmt: skip
"""Name in the documentation, and that of the test's picture."""
TALLEST = 1300
"""What is further down is left out [px]."""


def main() -> None:
    for name, source in SHOWN.items():
        image = Image.open(ROOT / "out" / "studio" / f"{source}.png").convert("RGB")
        image = image.crop((0, 0, image.width, min(image.height, TALLEST)))
        image.quantize(128).save(ROOT / "docs" / "studio" / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
