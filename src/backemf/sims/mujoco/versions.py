"""The versions of MuJoCo that have a `dcmotor`, and the inputs that each takes."""

from __future__ import annotations

import warnings
from functools import cache

from ...errors import BackemfWarning, ParameterError

VERSIONS = (
    "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15", "3.16", "3.17", "4.0",
)  # fmt: skip
"""Versions of MuJoCo with a `dcmotor` whose law is known here."""
CONTROLLER_INPUTS = ("pos", "vel", "ff")
"""Inputs of the controller in torque, since MuJoCo 3.12."""


def known_version(version: object) -> tuple[int, int]:
    """Major and minor number of a version, with or without a patch number; raise ParameterError if its law is unknown.

    A version that is newer than those known runs as the newest known before it, and a warning says so once.
    """
    parts = version.split(".") if isinstance(version, str) else []
    if len(parts) not in (2, 3) or not all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts):
        raise unknown(version)
    found = int(parts[0]), int(parts[1])
    if found < pair_of(VERSIONS[0]):
        raise unknown(version)
    warn_if_newer(*found)
    return found


@cache
def warn_if_newer(major: int, minor: int) -> None:
    """Warn, once, of a version that is newer than those known."""
    known = [pair_of(each) for each in VERSIONS]
    if (major, minor) not in known:
        newest = max(each for each in known if each < (major, minor))
        warnings.warn(
            f"MuJoCo {major}.{minor} is newer than the versions known here: it is assumed to behave as "
            f"{newest[0]}.{newest[1]}",
            BackemfWarning,
            stacklevel=3,
        )


def pair_of(version: str) -> tuple[int, int]:
    """Major and minor number of a version that is known to have both."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def unknown(version: object) -> ParameterError:
    """The error for a version without a dcmotor, or for no version at all."""
    return ParameterError(
        f"version = {version!r}: MuJoCo's dcmotor is known for {VERSIONS[0]} to {VERSIONS[-2]} and {VERSIONS[-1]}; "
        'give version="4.0"'
    )


def in_volts(version: str) -> bool:
    """Whether a version's controller answers with volts (3.7 to 3.11) rather than with a torque (since 3.12)."""
    return known_version(version) < (3, 12)


def read_inputs(text: object, version: str) -> tuple[str, ...]:
    """The inputs that the attribute `input` names."""
    words = tuple(text.split()) if isinstance(text, str) else (repr(text),)
    if in_volts(version):
        if words not in (("voltage",), ("position",), ("velocity",)):
            raise ParameterError(
                f"dcmotor input = {text!r}: MuJoCo {version} takes voltage, position or velocity; "
                "pos, vel, ff and none came with 3.12"
            )
        return words
    order = (*CONTROLLER_INPUTS, "voltage")
    if words == ("none",):
        return ()
    if any(word not in order for word in words):
        raise ParameterError(
            f"dcmotor input = {text!r}: MuJoCo {version} takes none, or some of pos, vel, ff and voltage; "
            "position and velocity were the words until 3.11"
        )
    if list(words) != sorted(set(words), key=order.index):
        raise ParameterError(f"dcmotor input = {text!r}: each once, in the order pos vel ff voltage")
    return words or ("voltage",)
