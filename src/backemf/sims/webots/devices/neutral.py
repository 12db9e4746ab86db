"""Webots' devices that are not simulated here: what each of them has, and what it answers instead of a measurement.

A measured number is NaN, as in Webots before the first sample; a count is 0, a text is empty, an image is black. What
the world file says of a device, such as the width of an image, is answered from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..nodes.node import NodeValue

NAN = math.nan
Fields = Mapping[str, NodeValue]
"""What the world file says of a device."""
Answer = Callable[[Fields], object]
"""What a method answers, made anew at every call."""


def always(value: object) -> Answer:
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


def pixel_reader(colour: int) -> staticmethod[[bytes, int, int, int], int]:
    """A function that reads a colour of a pixel: 0 blue, 1 green, 2 red."""
    return staticmethod(lambda image, width, x, y: image[4 * (y * width + x) + colour])


def grey(image: bytes, width: int, x: int, y: int) -> float:
    """Mean of the colours of a pixel."""
    at = 4 * (y * width + x)
    return (image[at] + image[at + 1] + image[at + 2]) / 3


@dataclass(frozen=True, kw_only=True)
class DeviceKind:
    """A class of Webots' module `controller` whose devices are not simulated."""

    samples: bool = False
    """Whether it is enabled with a sampling period."""
    reads: Mapping[str, Answer] = field(default_factory=dict)
    """Answer of each method that reads something."""
    acts: tuple[str, ...] = ()
    """Methods that change something, which has no effect here."""
    constants: Mapping[str, object] = field(default_factory=dict)
    """Constants of the class, and functions that need no device."""
    instead: str = "commands to it have no effect"
    """What happens instead, for the warning."""


def degrees_minutes_seconds(decimal: float) -> str:
    """An angle in degrees as Webots' GPS prints it, such as 46° 31′ 12″."""
    minutes = (abs(decimal) % 1.0) * 60.0
    return f"{int(decimal)}° {int(minutes)}′ {int((minutes % 1.0) * 60.0)}″"


def _all(names: str, answer: Answer) -> dict[str, Answer]:
    """The same answer of several methods."""
    return dict.fromkeys(names.split(), answer)


_VECTOR, _TABLE = always([NAN] * 3), lambda fields: row_of(fields, "lookupTable")
_VALUE: dict[str, Answer] = {"getValue": always(NAN)}
_THREE: dict[str, Answer] = {"getValues": _VECTOR, "getLookupTable": _TABLE}
_NOTHING = "what it measures stays NaN"
_RANGES: dict[str, Answer] = {"getMinRange": number("minRange", 0.01), "getMaxRange": number("maxRange", 1.0)}
_PICTURE: dict[str, Answer] = {"getWidth": whole("width", 64), "getHeight": whole("height", 64)}
_CHANNEL: dict[str, Answer] = {"getChannel": whole("channel", 0)}
_PRESENCE: dict[str, Answer] = {"getPresence": always(0), "getPresenceSamplingPeriod": always(0)}

KINDS: dict[str, DeviceKind] = {
    "Accelerometer": DeviceKind(samples=True, reads=_THREE, instead=_NOTHING),
    "Altimeter": DeviceKind(samples=True, reads=_VALUE, instead=_NOTHING),
    "Camera": DeviceKind(
        samples=True,
        reads=_PICTURE
        | _all("getImage getRecognitionSegmentationImage", image)
        | _all("getImageArray getRecognitionSegmentationImageArray", image_array)
        | _all("getFov getMinFov getMaxFov", number("fieldOfView", 0.785398))
        | _all("getFocalLength getFocalDistance getMinFocalDistance getMaxFocalDistance", always(0.0))
        | _all("getRecognitionNumberOfObjects getRecognitionSamplingPeriod", always(0))
        | _all("hasRecognitionSegmentation isRecognitionSegmentationEnabled", always(False))
        | _all("saveImage saveRecognitionSegmentationImage", always(-1))
        | {"getNear": number("near", 0.01), "getExposure": number("exposure", 1.0), "getRecognitionObjects": always([]),
           "hasRecognition": lambda fields: fields.get("recognition") is not None},
        acts=("setFov", "setExposure", "setFocalDistance", "recognitionEnable", "recognitionDisable",
              "enableRecognitionSegmentation", "disableRecognitionSegmentation"),
        constants={"imageGetBlue": pixel_reader(0), "imageGetGreen": pixel_reader(1), "imageGetRed": pixel_reader(2),
                   "imageGetGray": staticmethod(grey), "imageGetGrey": staticmethod(grey),
                   "segmentation_image": property(lambda self: self.getRecognitionSegmentationImage())},
        instead="its image stays black",
    ),
    "Compass": DeviceKind(samples=True, reads=_THREE, instead=_NOTHING),
    "Connector": DeviceKind(
        reads=_PRESENCE | {"isLocked": always(False)}, acts=("enablePresence", "disablePresence", "lock", "unlock"),
    ),
    "Display": DeviceKind(
        reads=_PICTURE | _all("imageCopy imageNew imageLoad", always(0)),
        acts=("attachCamera", "detachCamera", "drawLine", "drawOval", "drawPixel", "drawPolygon", "drawRectangle",
              "drawText", "fillOval", "fillPolygon", "fillRectangle", "imageDelete", "imagePaste", "imageSave",
              "setAlpha", "setColor", "setFont", "setOpacity"),
        constants={"RGB": 3, "RGBA": 4, "ARGB": 5, "BGRA": 6, "ABGR": 7},
        instead="nothing is drawn on it",
    ),
    "DistanceSensor": DeviceKind(
        samples=True,
        reads=_VALUE | {
            "getAperture": number("aperture", 1.5708), "getLookupTable": _TABLE, "getMinValue": end_of_range(min),
            "getMaxValue": end_of_range(max), "getType": kind_of("generic", "infra-red", "sonar", "laser"),
        },
        constants={"GENERIC": 0, "INFRA_RED": 1, "SONAR": 2, "LASER": 3},
        instead=_NOTHING,
    ),
    "Emitter": DeviceKind(
        reads=_CHANNEL | {"getRange": number("range", -1.0), "getBufferSize": whole("bufferSize", -1)},
        acts=("send", "setChannel", "setRange"),
        constants={"CHANNEL_BROADCAST": -1},
        instead="what it sends is not received",
    ),
    "GPS": DeviceKind(
        samples=True,
        reads=_all("getValues getSpeedVector", _VECTOR) | {"getSpeed": always(NAN), "getCoordinateSystem": always(0)},
        constants={"LOCAL": 0, "WGS84": 1, "convertToDegreesMinutesSeconds": staticmethod(degrees_minutes_seconds)},
        instead=_NOTHING,
    ),
    "Gyro": DeviceKind(samples=True, reads=_THREE, instead=_NOTHING),
    "InertialUnit": DeviceKind(
        samples=True,
        reads={"getRollPitchYaw": _VECTOR, "getQuaternion": always([NAN] * 4), "getNoise": number("noise", 0.0)},
        instead=_NOTHING,
    ),
    "LED": DeviceKind(reads={"get": always(0)}, acts=("set",), instead="it does not shine"),
    "Lidar": DeviceKind(
        samples=True,
        reads=_RANGES | {
            "getFov": number("fieldOfView", 1.5708), "getVerticalFov": number("verticalFieldOfView", 0.2),
            "getFrequency": number("defaultFrequency", 10.0), "getMinFrequency": number("minFrequency", 1.0),
            "getMaxFrequency": number("maxFrequency", 25.0), "isPointCloudEnabled": always(False),
            "getHorizontalResolution": lambda fields: beams(fields)[0],
            "getNumberOfLayers": lambda fields: beams(fields)[1],
            "getNumberOfPoints": lambda fields: len(scan(fields)), "getRangeImage": scan, "getPointCloud": cloud,
            "getRangeImageArray": lambda fields: [[NAN] * beams(fields)[0] for _ in range(beams(fields)[1])],
            "getLayerRangeImage": lambda fields: [NAN] * beams(fields)[0],
            "getLayerPointCloud": lambda fields: [LidarPoint() for _ in range(beams(fields)[0])],
        },
        acts=("setFrequency", "enablePointCloud", "disablePointCloud"),
        instead=_NOTHING,
    ),
    "LightSensor": DeviceKind(samples=True, reads=_VALUE | {"getLookupTable": _TABLE}, instead=_NOTHING),
    "Pen": DeviceKind(acts=("write", "setInkColor"), instead="it does not write"),
    "Radar": DeviceKind(
        samples=True,
        reads={
            "getMinRange": number("minRange", 1.0), "getMaxRange": number("maxRange", 50.0),
            "getHorizontalFov": number("horizontalFieldOfView", 0.78), "getNumberOfTargets": always(0),
            "getVerticalFov": number("verticalFieldOfView", 0.1), "getTargets": always([]),
        },
        instead="it sees no target",
    ),
    "RangeFinder": DeviceKind(
        samples=True,
        reads=_PICTURE | _RANGES | {
            "getFov": number("fieldOfView", 0.785398), "saveImage": always(-1),
            "getRangeImage": lambda fields: [NAN] * pixels(fields),
            "getRangeImageArray": lambda fields: [
                [NAN] * int(number_of(fields, "height", 64)) for _ in range(int(number_of(fields, "width", 64)))
            ],
        },
        constants={"rangeImageGetDepth": staticmethod(lambda image, width, x, y: image[y * width + x])},
        instead=_NOTHING,
    ),
    "Receiver": DeviceKind(
        samples=True,
        reads=_CHANNEL
        | _all("getQueueLength getDataSize", always(0))
        | _all("getString getData", always(""))
        | _all("getFloats getInts getBools", always(()))
        | {"getBytes": always(b""), "getSignalStrength": always(NAN), "getEmitterDirection": _VECTOR},
        acts=("nextPacket", "setChannel"),
        constants={"CHANNEL_BROADCAST": -1},
        instead="it receives nothing",
    ),
    "Skin": DeviceKind(
        reads={"getBoneCount": always(0), "getBoneName": always(""), "getBoneOrientation": always([NAN] * 4),
               "getBonePosition": _VECTOR},
        acts=("setBoneOrientation", "setBonePosition"),
    ),
    "Speaker": DeviceKind(
        reads=_all("isSoundPlaying isSpeaking setEngine setLanguage", always(False))
        | _all("getLanguage getEngine", always("")),
        acts=("stop", "speak"),
        constants={"playSound": staticmethod(lambda left, *_: left._warn())},
        instead="it makes no sound",
    ),
    "TouchSensor": DeviceKind(
        samples=True,
        reads=_VALUE | _THREE | {"getType": kind_of("bumper", "force", "force-3d")},
        constants={"BUMPER": 0, "FORCE": 1, "FORCE3D": 2},
        instead=_NOTHING,
    ),
    "VacuumGripper": DeviceKind(
        reads=_PRESENCE | {"isOn": always(False)}, acts=("enablePresence", "disablePresence", "turnOn", "turnOff"),
    ),
}  # fmt: skip
"""Every class of devices that are not simulated, by its name in Webots."""
