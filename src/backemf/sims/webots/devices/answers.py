"""What devices that are not simulated answer: NaN for a measurement, a black image, what the world file says."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

NAN = math.nan
Fields = Mapping[str, Any]
"""What the world file says of a device."""
Answer = Callable[[Fields], Any]
"""What a method answers, made anew at every call."""


def always(value: Any) -> Answer:
    """The same answer at any time; of a list a new one."""
    return lambda fields: list(value) if isinstance(value, list) else value


def number(name: str, default: float) -> Answer:
    """A number of the world file."""
    return lambda fields: number_of(fields, name, default)


def whole(name: str, default: int) -> Answer:
    """A whole number of the world file."""
    return lambda fields: int(number_of(fields, name, default))


def number_of(fields: Fields, name: str, default: float) -> float:
    """A number of a device, its default where the file has none."""
    value = fields.get(name, default)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else float(default)


def row_of(fields: Fields, name: str) -> list[float]:
    """Numbers of a device, one after the other."""
    value = fields.get(name, ())
    rows = value if isinstance(value, (list, tuple)) else ()
    flat = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
    return [float(x) for x in flat if isinstance(x, (int, float))]


def kind_of(*kinds: str) -> Answer:
    """The number of the device's type."""
    return lambda fields: kinds.index(fields["type"]) if fields.get("type") in kinds else 0


def end_of_range(pick: Callable[..., float]) -> Answer:
    """The least or the largest value of a distance sensor's lookup table."""
    return lambda fields: pick(row_of(fields, "lookupTable")[1::3] or [0.0, 1000.0])


def image(fields: Fields) -> bytes:
    """A black image: blue, green, red and alpha of each pixel."""
    return bytes(4 * pixels(fields))


def image_array(fields: Fields) -> list[list[list[int]]]:
    """The same image as columns of pixels, each red, green and blue."""
    width, height = (int(number_of(fields, name, 64)) for name in ("width", "height"))
    return [[[0, 0, 0] for _ in range(height)] for _ in range(width)]


def pixels(fields: Fields) -> int:
    """Pixels of an image [1]."""
    return int(number_of(fields, "width", 64)) * int(number_of(fields, "height", 64))


def beams(fields: Fields) -> tuple[int, int]:
    """Points of a layer of a lidar, and its layers."""
    return int(number_of(fields, "horizontalResolution", 512)), int(number_of(fields, "numberOfLayers", 4))


def scan(fields: Fields) -> list[float]:
    """Distances of all layers of a lidar [m]."""
    across, layers = beams(fields)
    return [NAN] * (across * layers)


class LidarPoint:
    """A point of a lidar's cloud."""

    def __init__(self, layer: int = 0):
        self.x = self.y = self.z = NAN
        self.layer_id, self.layer, self.time = layer, layer, 0.0


def cloud(fields: Fields) -> list[LidarPoint]:
    """Points of all layers of a lidar."""
    across, layers = beams(fields)
    return [LidarPoint(layer) for layer in range(layers) for _ in range(across)]


def pixel_reader(colour: int) -> Any:
    """A function that reads a colour of a pixel: 0 blue, 1 green, 2 red."""
    return staticmethod(lambda image, width, x, y: image[4 * (y * width + x) + colour])


def grey(image: bytes, width: int, x: int, y: int) -> float:
    """Mean of the colours of a pixel."""
    at = 4 * (y * width + x)
    return (image[at] + image[at + 1] + image[at + 2]) / 3
