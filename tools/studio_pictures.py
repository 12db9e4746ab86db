"""Take the pictures of the studio that `make test-studio` made into the documentation, with fewer colours.

`python tools/studio_pictures.py` reads `out/studio/` and writes `docs/studio/`.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
SHOWN = ("motor", "look", "try", "simulators", "typed-slip", "identify-answer", "size-answer")
"""Pictures that the documentation shows, each in light and dark."""
TALLEST = 1300
"""What is further down is left out [px]."""


def main() -> None:
    for name in SHOWN:
        for scheme, ending in (("light", ""), ("dark", "-dark")):
            image = Image.open(ROOT / "out" / "studio" / f"{name}-{scheme}.png").convert("RGB")
            image = image.crop((0, 0, image.width, min(image.height, TALLEST)))
            image.quantize(128).save(ROOT / "docs" / "studio" / f"{name}{ending}.png", optimize=True)


if __name__ == "__main__":
    main()
