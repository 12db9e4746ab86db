"""Webots' devices that are not simulated here: what each of them has, and what it answers instead of a measurement.

A measured number is NaN, as in Webots before the first sample; a count is 0, a text is empty, an image is black. What
the world file says of a device, such as the width of an image, is answered from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .answers import (
    NAN,
    Answer,
    LidarPoint,
    always,
    beams,
    cloud,
    end_of_range,
    grey,
    image,
    image_array,
    kind_of,
    number,
    number_of,
    pixel_reader,
    pixels,
    row_of,
    scan,
    whole,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DeviceKind:
    """A class of Webots' module `controller` whose devices are not simulated."""

    name: str = ""
    """Name of a device that the world file does not name."""
    samples: bool = False
    """Whether it is enabled with a sampling period."""
    reads: Mapping[str, Answer] = field(default_factory=dict)
    """Answer of each method that reads something."""
    acts: tuple[str, ...] = ()
    """Methods that change something, which has no effect here."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Constants of the class, and functions that need no device."""
    instead: str = "what it is told has no effect"
    """What happens instead, for the one line that is said."""


_VECTOR, _TABLE = always([NAN] * 3), lambda fields: row_of(fields, "lookupTable")
_THREE: dict[str, Answer] = {"getValues": _VECTOR, "getLookupTable": _TABLE}
_BLIND = "its image stays black"
_NOTHING = "what it measures stays NaN"
_RANGES: dict[str, Answer] = {"getMinRange": number("minRange", 0.01), "getMaxRange": number("maxRange", 1.0)}
_PICTURE: dict[str, Answer] = {"getWidth": whole("width", 64), "getHeight": whole("height", 64)}
_CHANNEL: dict[str, Answer] = {"getChannel": whole("channel", 0)}
_PRESENCE: dict[str, Answer] = {"getPresence": always(0), "getPresenceSamplingPeriod": always(0)}

KINDS: dict[str, DeviceKind] = {
    "Accelerometer": DeviceKind(name="accelerometer", samples=True, reads=_THREE, instead=_NOTHING),
    "Altimeter": DeviceKind(name="altimeter", samples=True, reads={"getValue": always(NAN)}, instead=_NOTHING),
    "Camera": DeviceKind(
        name="camera",
        samples=True,
        reads=_PICTURE
        | {
            "getImage": image,
            "getImageArray": image_array,
            "getFov": number("fieldOfView", 0.785398),
            "getMinFov": number("fieldOfView", 0.785398),
            "getMaxFov": number("fieldOfView", 0.785398),
            "getNear": number("near", 0.01),
            "getExposure": number("exposure", 1.0),
            "getFocalLength": always(0.0),
            "getFocalDistance": always(0.0),
            "getMinFocalDistance": always(0.0),
            "getMaxFocalDistance": always(0.0),
            "saveImage": always(-1),
            "hasRecognition": lambda fields: fields.get("recognition") is not None,
            "getRecognitionNumberOfObjects": always(0),
            "getRecognitionObjects": always([]),
            "getRecognitionSamplingPeriod": always(0),
            "hasRecognitionSegmentation": always(False),
            "isRecognitionSegmentationEnabled": always(False),
            "getRecognitionSegmentationImage": image,
            "getRecognitionSegmentationImageArray": image_array,
            "saveRecognitionSegmentationImage": always(-1),
        },
        acts=(
            "setFov", "setExposure", "setFocalDistance", "recognitionEnable", "recognitionDisable",
            "enableRecognitionSegmentation", "disableRecognitionSegmentation",
        ),
        constants={
            "imageGetBlue": pixel_reader(0),
            "imageGetGreen": pixel_reader(1),
            "imageGetRed": pixel_reader(2),
            "imageGetGray": staticmethod(grey),
            "imageGetGrey": staticmethod(grey),
        },
        instead=_BLIND,
    ),
    "Compass": DeviceKind(name="compass", samples=True, reads=_THREE, instead=_NOTHING),
    "Connector": DeviceKind(
        name="connector", reads=_PRESENCE | {"isLocked": always(False)},
        acts=("enablePresence", "disablePresence", "lock", "unlock"),
    ),
    "Display": DeviceKind(
        name="display",
        reads=_PICTURE | {name: always(0) for name in ("imageCopy", "imageNew", "imageLoad")},
        acts=(
            "attachCamera", "detachCamera", "drawLine", "drawOval", "drawPixel", "drawPolygon", "drawRectangle",
            "drawText", "fillOval", "fillPolygon", "fillRectangle", "imageDelete", "imagePaste", "imageSave",
            "setAlpha", "setColor", "setFont", "setOpacity",
        ),
        constants={"RGB": 3, "RGBA": 4, "ARGB": 5, "BGRA": 6, "ABGR": 7},
        instead="what it is told to draw is not drawn",
    ),
    "DistanceSensor": DeviceKind(
        name="distance sensor",
        samples=True,
        reads={
            "getValue": always(NAN),
            "getAperture": number("aperture", 1.5708),
            "getLookupTable": _TABLE,
            "getMinValue": end_of_range(min),
            "getMaxValue": end_of_range(max),
            "getType": kind_of("generic", "infra-red", "sonar", "laser"),
        },
        constants={"GENERIC": 0, "INFRA_RED": 1, "SONAR": 2, "LASER": 3},
        instead=_NOTHING,
    ),
    "Emitter": DeviceKind(
        name="emitter",
        reads=_CHANNEL | {"getRange": number("range", -1.0), "getBufferSize": whole("bufferSize", -1)},
        acts=("send", "setChannel", "setRange"),
        constants={"CHANNEL_BROADCAST": -1},
        instead="what it sends is not received",
    ),
    "GPS": DeviceKind(
        name="gps",
        samples=True,
        reads={
            "getValues": _VECTOR,
            "getSpeed": always(NAN),
            "getSpeedVector": _VECTOR,
            "getCoordinateSystem": always(0),
        },
        constants={"LOCAL": 0, "WGS84": 1},
        instead=_NOTHING,
    ),
    "Gyro": DeviceKind(name="gyro", samples=True, reads=_THREE, instead=_NOTHING),
    "InertialUnit": DeviceKind(
        name="inertial unit",
        samples=True,
        reads={
            "getRollPitchYaw": _VECTOR,
            "getQuaternion": always([NAN] * 4),
            "getNoise": number("noise", 0.0),
        },
        instead=_NOTHING,
    ),
    "LED": DeviceKind(name="led", reads={"get": always(0)}, acts=("set",), instead="it does not shine"),
    "Lidar": DeviceKind(
        name="lidar",
        samples=True,
        reads=_RANGES
        | {
            "getFov": number("fieldOfView", 1.5708),
            "getVerticalFov": number("verticalFieldOfView", 0.2),
            "getFrequency": number("defaultFrequency", 10.0),
            "getMinFrequency": number("minFrequency", 1.0),
            "getMaxFrequency": number("maxFrequency", 25.0),
            "getHorizontalResolution": lambda fields: beams(fields)[0],
            "getNumberOfLayers": lambda fields: beams(fields)[1],
            "getNumberOfPoints": lambda fields: len(scan(fields)),
            "getRangeImage": scan,
            "getRangeImageArray": lambda fields: [[NAN] * beams(fields)[0] for _ in range(beams(fields)[1])],
            "getLayerRangeImage": lambda fields: [NAN] * beams(fields)[0],
            "getPointCloud": cloud,
            "getLayerPointCloud": lambda fields: [LidarPoint() for _ in range(beams(fields)[0])],
            "isPointCloudEnabled": always(False),
        },
        acts=("setFrequency", "enablePointCloud", "disablePointCloud"),
        instead=_NOTHING,
    ),
    "LightSensor": DeviceKind(
        name="light sensor", samples=True, reads={"getValue": always(NAN), "getLookupTable": _TABLE}, instead=_NOTHING
    ),
    "Pen": DeviceKind(name="pen", acts=("write", "setInkColor"), instead="it does not write"),
    "Radar": DeviceKind(
        name="radar",
        samples=True,
        reads={
            "getMinRange": number("minRange", 1.0),
            "getMaxRange": number("maxRange", 50.0),
            "getHorizontalFov": number("horizontalFieldOfView", 0.78),
            "getVerticalFov": number("verticalFieldOfView", 0.1),
            "getNumberOfTargets": always(0),
            "getTargets": always([]),
        },
        instead="it sees no target",
    ),
    "RangeFinder": DeviceKind(
        name="range-finder",
        samples=True,
        reads=_PICTURE
        | _RANGES
        | {
            "getFov": number("fieldOfView", 0.785398),
            "getRangeImage": lambda fields: [NAN] * pixels(fields),
            "getRangeImageArray": lambda fields: [
                [NAN] * int(number_of(fields, "height", 64)) for _ in range(int(number_of(fields, "width", 64)))
            ],
            "saveImage": always(-1),
        },
        constants={"rangeImageGetDepth": staticmethod(lambda image, width, x, y: image[y * width + x])},
        instead=_NOTHING,
    ),
    "Receiver": DeviceKind(
        name="receiver",
        samples=True,
        reads=_CHANNEL
        | {
            "getQueueLength": always(0),
            "getDataSize": always(0),
            "getString": always(""),
            "getData": always(""),
            "getBytes": always(b""),
            "getFloats": always(()),
            "getInts": always(()),
            "getBools": always(()),
            "getSignalStrength": always(NAN),
            "getEmitterDirection": _VECTOR,
        },
        acts=("nextPacket", "setChannel"),
        constants={"CHANNEL_BROADCAST": -1},
        instead="it receives nothing",
    ),
    "Skin": DeviceKind(
        name="skin",
        reads={
            "getBoneCount": always(0),
            "getBoneName": always(""),
            "getBoneOrientation": always([NAN] * 4),
            "getBonePosition": _VECTOR,
        },
        acts=("setBoneOrientation", "setBonePosition"),
    ),
    "Speaker": DeviceKind(
        name="speaker",
        reads={
            "isSoundPlaying": always(False),
            "isSpeaking": always(False),
            "getLanguage": always(""),
            "getEngine": always(""),
            "setEngine": always(False),
            "setLanguage": always(False),
        },
        acts=("stop", "speak"),
        constants={"playSound": staticmethod(lambda left, *_: left._warn())},
        instead="it makes no sound",
    ),
    "TouchSensor": DeviceKind(
        name="touch sensor",
        samples=True,
        reads={"getValue": always(NAN), "getType": kind_of("bumper", "force", "force-3d")} | _THREE,
        constants={"BUMPER": 0, "FORCE": 1, "FORCE3D": 2},
        instead=_NOTHING,
    ),
    "VacuumGripper": DeviceKind(
        name="vacuum gripper",
        reads=_PRESENCE | {"isOn": always(False)},
        acts=("enablePresence", "disablePresence", "turnOn", "turnOff"),
    ),
}  # fmt: skip
"""Every class of devices that are not simulated, by its name in Webots."""
