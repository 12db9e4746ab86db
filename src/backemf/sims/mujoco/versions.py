"""The versions of MuJoCo that have a `dcmotor`, and the inputs that each takes."""

from __future__ import annotations

from typing import Any

from ...errors import ParameterError

VERSIONS = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "4.0")
"""Versions of MuJoCo with a `dcmotor` whose law is known here."""
CONTROLLER_INPUTS = ("pos", "vel", "ff")
"""Inputs of the controller in torque, since MuJoCo 3.12."""


def known_version(version: Any) -> tuple[int, int]:
    """Major and minor number of a version, patch number or not; raises one sentence where its law is unknown."""
    parts = version.split(".") if isinstance(version, str) else []
    if len(parts) not in (2, 3) or not all(part.isdigit() for part in parts) or ".".join(parts[:2]) not in VERSIONS:
        raise ParameterError(
            f"version = {version!r}: MuJoCo's dcmotor is known for {VERSIONS[0]} to {VERSIONS[-2]} and {VERSIONS[-1]}; "
            'say version="4.0"'
        )
    return int(parts[0]), int(parts[1])


def in_volts(version: str) -> bool:
    """Whether a version's controller answers with volts (3.7 to 3.11) rather than with a torque (since 3.12)."""
    return known_version(version) < (3, 12)


def read_inputs(text: Any, version: str) -> tuple[str, ...]:
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
