"""`Motion` of the module `controller`: target positions of motors over time, from a file, played step by step."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ....errors import ParameterError
from ....files import read_bytes
from ..backends.axis import log
from ..session import current
from .motor import Motor
from .other import Device

LARGEST = 10_000_000
"""Longest file that is read [bytes]."""
_TIME = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+)")
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Poses:
    """What a motion file holds."""

    joints: list[str]
    """Names of the motors."""
    times: list[int]
    """Time of each pose [ms]."""
    rows: list[list[float | None]]
    """Position of each motor in each pose [rad]; None: any."""


def read_motion(filename: str) -> Poses | str:
    """The poses of a motion file, or what Webots says of a bad one."""
    try:
        raw = read_bytes(filename, LARGEST)
    except ParameterError:
        return f"could not open '{filename}' file."
    lines = [_tokens(line) for line in raw.decode("utf-8", "replace").splitlines()]
    if not lines:
        return f"file '{filename}' is empty."
    head, version, *joints = [*lines[0], "", ""] if len(lines[0]) < 2 else lines[0]
    if head != "#WEBOTS_MOTION":
        return f"invalid motion file header in file '{filename}'."
    if version != "V1.0":
        return f"unsupported version number '{version}' in motion file '{filename}'."
    return _poses(filename, joints, lines[1:])


def _tokens(line: str) -> list[str]:
    return [token for token in line.strip("\r\n").split(",") if token]


def _poses(filename: str, joints: list[str], lines: list[list[str]]) -> Poses | str:
    times: list[int] = []
    rows: list[list[float | None]] = []
    for count, tokens in enumerate(lines, 2):
        if not tokens:
            break
        place = f"in file '{filename}', line {count}."
        time = _TIME.fullmatch(tokens[0])
        if time is None:
            return f"expected <time value> but found '{tokens[0]}', {place}"
        minutes, seconds, rest = (int(part or 0) for part in time.groups())
        times.append(60_000 * minutes + 1000 * seconds + rest)
        if len(times) > 1 and times[-1] <= times[-2]:
            return f"illegal (non-increasing) time sequence detected {place}"
        if len(tokens) != len(joints) + 2:
            return f"{'missing data' if len(tokens) < len(joints) + 2 else 'unexpected extra data'} {place}"
        bad = next((token for token in tokens[2:] if token != "*" and not _NUMBER.match(token)), None)
        if bad is not None:
            return f"expected <double value>, but found '{bad}', {place}"
        rows.append([None if token == "*" else _number(token) for token in tokens[2:]])
    if not joints or not rows:
        return f"file '{filename}' must contain at least one joint and one pose."
    return Poses(joints, times, rows)


def _number(token: str) -> float:
    found = _NUMBER.match(token)
    return 0.0 if found is None else float(found.group())


class Motion:
    """A motion of a file."""

    def __init__(self, filename: str):
        simulation = current("Motion")
        found = read_motion(filename)
        self._poses = found if isinstance(found, Poses) else None
        self._elapsed, self._playing, self._reverse, self._loop = 0, False, False, False
        self._motors: list[Device | None] = []
        if isinstance(found, str):
            log(f"Error: wbu_motion_new(): {found}")
            return
        devices = {device._name: device for device in simulation.devices}
        for joint in found.joints:
            self._motors.append(devices.get(joint))
            if joint not in devices:
                log(
                    f"Warning: wbu_motion_new(): ignoring joint '{joint}', specified in file '{filename}', "
                    "but not found in this robot."
                )
        simulation.motions.append(self)

    # --- what a controller calls

    def isValid(self) -> bool:
        return self._poses is not None

    def play(self) -> None:
        if self._refuses("play"):
            return
        self._playing = True
        if self._at_end():
            self._elapsed = self.getDuration() if self._reverse else 0

    def stop(self) -> None:
        if not self._refuses("stop"):
            self._playing = False

    def setLoop(self, loop: bool) -> None:
        if not self._refuses("set_loop"):
            self._loop = bool(loop)

    def setReverse(self, reverse: bool) -> None:
        if not self._refuses("set_reverse"):
            self._reverse = bool(reverse)

    def isOver(self) -> bool:
        return not self._refuses("is_over") and not self._loop and self._at_end()

    def getDuration(self) -> int:
        return -1 if self._poses is None and self._refuses("get_duration") else self._duration()

    def getTime(self) -> int:
        return -1 if self._refuses("get_time") else self._elapsed

    def setTime(self, time: int) -> None:
        if not self._refuses("set_time"):
            self._elapsed = min(max(int(time), 0), self._duration())

    duration, time = property(getDuration), property(getTime, setTime)

    # --- how it is played

    def _refuses(self, function: str) -> bool:
        if self._poses is None:
            log(f"Error: wbu_motion_{function}() called with NULL 'motion' argument.")
        return self._poses is None

    def _duration(self) -> int:
        return -1 if self._poses is None else self._poses.times[-1]

    def _at_end(self) -> bool:
        return self._elapsed <= 0 if self._reverse else self._elapsed >= self._duration()

    def _step(self, duration: int) -> None:
        """Send the current positions with a step of some milliseconds, and advance."""
        if not self._playing or self._poses is None:
            return
        for column, motor in enumerate(self._motors):
            position = self._position(self._poses, column)
            if motor is not None and position is not None:
                _actuate(motor, position)
        if not self._at_end():
            self._elapsed += -duration if self._reverse else duration
        elif self._loop:
            self._elapsed = self._duration() if self._reverse else 0
        else:
            self._elapsed = 0 if self._reverse else self._duration()
            self._playing = False

    def _position(self, poses: Poses, column: int) -> float | None:
        """The position of a motor now: on a straight line between two poses; None: any."""
        times, now = poses.times, self._elapsed
        if now <= times[0] or now >= times[-1]:
            return poses.rows[0 if now <= times[0] else -1][column]
        after = next(index for index, time in enumerate(times) if now <= time)
        first, second = poses.rows[after - 1][column], poses.rows[after][column]
        if first is None or second is None:
            return None
        return first + (now - times[after - 1]) * (second - first) / (times[after] - times[after - 1])


def _actuate(device: Device, position: float) -> None:
    if isinstance(device, Motor):
        device.setPosition(position)
    else:
        log(f'Error: unexpected type for device "{device._name}".')
