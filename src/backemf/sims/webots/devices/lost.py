"""Devices that were asked for by a name that no device has: every call says so, as Webots' library does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..backends.axis import log
from .kinds import snake

PREFIXES = {"Motor": "wb_motor", "PositionSensor": "wb_position_sensor", "Brake": "wb_brake", "Device": "wb_device"}
"""What the functions of the C library begin with."""
_WORDS = {"setControlPID": "set_control_pid"}
_OTHERS = ("getMotor", "getBrake", "getPositionSensor", "motor", "brake", "position_sensor")


def lost_class(kind: type) -> type:
    """The class of such a device."""
    own = [name for name in dir(kind) if not name.startswith("_")]
    calls: dict[str, object] = {}
    for name in own:
        held = getattr(kind, name, None)
        if isinstance(held, property):
            calls[name] = property(_call(kind, name), _call(kind, f"set_{name}"))
        elif callable(held):
            calls[name] = _call(kind, name)
    return type(kind.__name__, (kind,), calls)


def _call(kind: type, name: str) -> Callable[..., Any]:
    owner = next(each for each in kind.__mro__ if each.__name__ in PREFIXES or "_described" in vars(each))
    word = function_name(owner.__name__, name)

    def call(self: object, *_: object) -> float | None:
        log(f"Error: {word}(): invalid device tag.")
        if "type" in name.lower() or "period" in name.lower():
            return 0
        asks = not name.startswith(("set", "enable", "disable"))
        return math.nan if asks and name not in _OTHERS else None

    return call


def function_name(kind: str, name: str) -> str:
    """The function of Webots' C library behind a method: `wb_motor_set_position` of `Motor.setPosition`."""
    plain = _WORDS.get(name) or "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    asks = not plain.startswith(("get", "set", "enable", "disable"))
    return f"{PREFIXES.get(kind) or f'wb_{snake(kind)}'}_{'get_' if asks else ''}{plain}"
