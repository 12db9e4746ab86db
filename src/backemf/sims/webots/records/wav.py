"""The sound of a run as a wave file: each motor's, louder and higher with its commanded velocity, all together."""

from __future__ import annotations

import shutil
import subprocess
import wave
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....errors import ParameterError
from ....files import open_plain, replacing
from ....physics.limits import clip
from ....physics.ops import absolute, where
from ....physics.state import Array
from ..backends.axis import log
from ..robots.description import RobotDescription
from .recording import Recorder

RATE = 44100
"""Samples of what is written [1/s]."""
LARGEST = 64_000_000
"""Longest sound of a motor that is read [bytes]."""
TONE = 220.0
"""Pitch of the sound of a motor without its own wave file [Hz]."""
PLAYERS = (("aplay", "-q"), ("paplay",), ("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"), ("afplay",))
"""Programs that may play it."""
FADE = 0.01
"""Time in which a sound begins or ends, against clicks [s]."""


class Sound(NamedTuple):
    """How a motor's sound is played."""

    plays: Array
    """Whether it is heard."""
    gain: Array
    """Volume [1]."""
    pitch: Array
    """Pitch [1]."""


def sound(velocity: float, max_velocity: float) -> Sound:
    """The sound at a commanded velocity [rad/s]: silent up to a tenth of the largest."""
    share = clip(absolute(velocity) / where(max_velocity > 0.0, max_velocity, 1.0), 0.0, 1.0)
    share = where(max_velocity > 0.0, share, 0.0 * share)
    return Sound(share > 0.1, 0.9 + 0.1 * share, 0.6 + 0.8 * share)


def waves_of(robot: RobotDescription) -> dict[str, str]:
    """The wave file of each motor that has one; of one that is on the web a line says that it is not fetched."""
    found = {}
    for joint in robot.joints:
        path = joint.world.sound
        if "://" in path:
            log(f"WARNING: the sound {path!r} of {joint.name!r} is not fetched from the web: it hums instead.")
        if not path or "://" in path:
            continue
        beside = Path(robot.file).parent / path
        if not beside.is_file():
            raise ParameterError(f"{robot.file}: the sound {path!r} of {joint.name!r} is not there: {beside}")
        found[joint.name] = str(beside)
    return found


def motor_sound(recorder: Recorder, waves: dict[str, str] | None = None) -> np.ndarray:
    """Samples of a run's sound from -1 to 1; `waves` holds the wave file of a motor by its name."""
    table = recorder.table()
    times = table["time"]
    if not len(times):
        return np.zeros(0)
    motors = [name for name in recorder.axes if recorder.labels[name]["driven"]]
    whole = np.zeros(int(times[-1] * RATE))
    moments = np.arange(len(whole)) / RATE
    for name in motors:
        base = _base(waves.get(name) if waves else None)
        velocity: Any = table[f"commanded_velocity[{name}]"]
        played = sound(velocity, np.float64(recorder.labels[name]["max_velocity"]))
        heard = np.where(played.plays, played.gain, 0.0)
        # the velocity of a step holds until its end
        step = np.minimum(np.searchsorted(times, moments, side="left"), len(times) - 1)
        gain = np.convolve(heard[step], np.full(int(FADE * RATE), 1.0 / int(FADE * RATE)), mode="same")
        way = np.cumsum(np.broadcast_to(played.pitch, times.shape)[step]) / RATE
        whole += gain * _at(base, way)
    return whole / max(1.0, float(np.abs(whole).max(initial=0.0)), float(len(motors)) * 0.5)


def write_sound(recorder: Recorder, path: str | Path, waves: dict[str, str] | None = None) -> Path:
    """Write a run's sound: 16 bit, one channel."""
    target = Path(path)
    samples = np.round(32767 * motor_sound(recorder, waves)).astype("<i2")
    with replacing(target) as stream, wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return target


def play(path: str | Path) -> str | None:
    """Play a wave file with any installed player; returns why it could not be played, or None."""
    for player, *options in PLAYERS:
        found = shutil.which(player)
        if found is not None:
            done = subprocess.run([found, *options, str(path)], capture_output=True, check=False)
            return None if done.returncode == 0 else f"{player} could not play {path} (exit code {done.returncode})."
    return f"No program to play sounds is installed ({', '.join(name for name, *_ in PLAYERS)})."


def _base(path: str | None) -> tuple[np.ndarray, float]:
    """One round of a motor's sound, and its samples per second."""
    if path is None:
        moments = np.arange(int(RATE * 20 / TONE)) / RATE
        # a hum with overtones, such as gears make; whole periods, so that it goes round without a click
        parts = ((1.0, 1.0), (2.0, 0.5), (3.0, 0.25), (6.0, 0.12))
        tone = sum(size * np.sin(2 * np.pi * round(TONE * k) * moments) for k, size in parts)
        return np.asarray(tone) / 1.87, float(RATE)
    return _read(path)


def _read(path: str) -> tuple[np.ndarray, float]:
    """A wave file as numbers from -1 to 1; several channels become one."""
    try:
        with open_plain(path, LARGEST, what="a wave file") as stream, wave.open(stream, "rb") as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            raw = file.readframes(file.getnframes())
    except (EOFError, wave.Error) as error:
        raise ParameterError(f"{path}: is not a wave file that can be read ({error})") from None
    if width not in (1, 2, 4) or not raw:
        raise ParameterError(f"{path}: must be a wave file of 8, 16 or 32 bit with something in it")
    kind = {1: "u1", 2: "<i2", 4: "<i4"}[width]
    samples = np.frombuffer(raw, dtype=kind).astype(float)
    samples = (samples - 128.0) / 128.0 if width == 1 else samples / 2.0 ** (8 * width - 1)
    return samples[: len(samples) // channels * channels].reshape(-1, channels).mean(axis=1), float(rate)


def _at(base: tuple[np.ndarray, float], way: np.ndarray) -> np.ndarray:
    """The sound at these times [s], repeated."""
    samples, rate = base
    place = (way * rate) % len(samples)
    before = place.astype(int)
    share = place - before
    return (1.0 - share) * samples[before] + share * samples[(before + 1) % len(samples)]
