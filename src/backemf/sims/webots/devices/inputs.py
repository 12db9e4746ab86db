"""Keyboard, mouse and joystick of the module `controller`, which are never used here."""

from __future__ import annotations

import math

from ..session import current
from .absent import Absent, absent_class
from .neutral import DeviceKind, always


class AbsentInput(Absent):
    """Something that a person would handle."""

    def __init__(self, sampling_period: int | None = None):
        self._start({})
        if sampling_period != 0:
            self.enable(int(current(type(self).__name__).basic) if sampling_period is None else sampling_period)


class MouseState:
    """Where the mouse is, and which of its buttons are pressed."""

    def __init__(self) -> None:
        self.u = self.v = self.x = self.y = self.z = math.nan
        self.left = self.middle = self.right = False


KEYS = {
    "END": 312, "HOME": 313, "LEFT": 314, "UP": 315, "RIGHT": 316, "DOWN": 317, "PAGEUP": 366, "PAGEDOWN": 367,
    "NUMPAD_HOME": 375, "NUMPAD_LEFT": 376, "NUMPAD_UP": 377, "NUMPAD_RIGHT": 378, "NUMPAD_DOWN": 379,
    "NUMPAD_END": 382, "KEY": 0xFFFF, "SHIFT": 0x10000, "CONTROL": 0x20000, "ALT": 0x40000,
}  # fmt: skip
"""Codes of keys that have no letter."""
_NUMBERS = {
    "isConnected": False, "getNumberOfAxes": 0, "getAxisValue": 0, "getNumberOfPovs": 0, "getPovValue": 0,
    "getPressedButton": -1, "getModel": "",
}  # fmt: skip

_KINDS = {
    "Keyboard": DeviceKind(
        samples=True,
        reads={"getKey": always(-1), "getKeyCode": always(-1), "get_key_code": always(-1), "get_key": always("")},
        constants=KEYS,
        instead="no key is ever pressed",
    ),
    "Mouse": DeviceKind(
        samples=True,
        reads={"getState": lambda fields: MouseState(), "is3dPositionEnabled": always(False)},
        acts=("enable3dPosition", "disable3dPosition"),
        instead="no button is ever pressed",
    ),
    "Joystick": DeviceKind(
        samples=True,
        reads={name: always(value) for name, value in _NUMBERS.items()},
        acts=(
            "setConstantForce",
            "setConstantForceDuration",
            "setAutoCenteringGain",
            "setResistanceGain",
            "setForceAxis",
        ),
        constants={"is_connected": property(lambda self: self.isConnected())},
        instead="none is connected",
    ),
}
Keyboard, Mouse, Joystick = (absent_class(name, kind, AbsentInput) for name, kind in _KINDS.items())
