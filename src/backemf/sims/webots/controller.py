"""The module `controller` of Webots, as far as it is motors, position sensors, brakes and the robot that has them.

A script finds it under that name while it runs by `backemf webots run`; classes of other devices can be imported, and
say in one sentence that they are not simulated when they are used.
"""

from __future__ import annotations

from typing import Any

from .devices.motor import Motor
from .devices.other import Brake, Device, PositionSensor
from .devices.robot import Node, Robot, Supervisor

__all__ = ["Brake", "Device", "Motor", "Node", "PositionSensor", "Robot", "Supervisor"]

OTHERS = (
    "Accelerometer", "Altimeter", "AnsiCodes", "Camera", "CameraRecognitionObject", "Compass", "Connector",
    "ContactPoint", "Display", "DistanceSensor", "Emitter", "Field", "GPS", "Gyro", "InertialUnit", "Joystick",
    "Keyboard", "LED", "Lidar", "LidarPoint", "LightSensor", "Motion", "Mouse", "MouseState", "Pen", "Radar",
    "RadarTarget", "RangeFinder", "Receiver", "Skin", "Speaker", "TouchSensor", "VacuumGripper",
)  # fmt: skip
"""What else is in Webots' module."""


class _Elsewhere(Device):
    """A device that is not simulated here."""

    def __init__(self, *_: Any):
        raise NotImplementedError(
            f"controller.{type(self).__name__}: backemf runs motors, position sensors and brakes; this is none of them"
        )


def __getattr__(name: str) -> Any:
    if name in OTHERS:
        return type(name, (_Elsewhere,), {})
    raise AttributeError(f"module 'controller' has no attribute {name!r}")
