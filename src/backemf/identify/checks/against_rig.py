"""Where a log contradicts the rig that it is said to be taken on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...datasheet import Finding
from ...errors import ParameterError
from ...loads import LockedRotor
from ..channels import CHANNELS
from ..rig_parts import RobotModel
from ..signals import resolution
from .view import amount, finding

if TYPE_CHECKING:
    from ..log import Log
    from ..rig import Rig

SPREADS = 3.0
"""So many spreads are a contradiction [1]."""
ROUNDING = 1e-3
"""What notes may be off by where the rig gives no spread [1]."""


def check_against_rig(log: Log, rig: Rig) -> Iterator[Finding]:
    """Notes that are missing or say otherwise, commands that the firmware does not get, motion, and sensors."""
    try:
        for name, known in rig.known.items():
            known.at(log.meta, name)
        firmware = rig.firmware_for(log)
    except ParameterError as error:
        yield finding("notes", "error", str(error), "rig")
        return
    yield from _notes(log, rig)
    if (
        firmware is not None
        and log.commands
        and not {f"{name}_command" for name in firmware.inputs} & set(log.commands)
    ):
        wanted = " or ".join(f"{name}_command" for name in firmware.inputs)
        yield finding(
            "command", "error", f"the rig's {type(firmware).__name__} follows {wanted}, and the log has "
            f"{', '.join(log.commands)}; map the column to it, or correct the rig", "rig",
        )  # fmt: skip
    yield from _load(log, rig)
    for channel in rig.sensors:
        if channel in log and log[channel].ndim == 1:
            yield from _sensor(log, rig, channel)


def _notes(log: Log, rig: Rig) -> Iterator[Finding]:
    """Notes of the log that have the name of a quantity of the load or the supply, and another value."""
    for name, known in rig.known.items():
        where, _, word = name.rpartition(".")
        said = log.meta.get(word)
        if where not in ("load", "supply") or known.note or isinstance(said, (bool, str)) or said is None:
            continue
        room = SPREADS * known.spread_at(log.meta) or ROUNDING * abs(known.value)
        if abs(said - known.value) > room:
            yield finding(
                name, "error", f"{known.value:.4g} in the rig and {said:.4g} in the log's note, in SI: correct one of "
                f'them, or refer to the note, as in "log.{word} ..."', "rig",
            )  # fmt: skip


def _load(log: Log, rig: Rig) -> Iterator[Finding]:
    if rig.load.kind is LockedRotor and "position" in log:
        step = resolution(log["position"].reshape(-1)) or 0.0
        way = float(np.ptp(log["position"], axis=0).max())
        if way > max(3.0 * step, 0.02):
            yield finding(
                "position", "error", f"moves by {amount(way, 'position')}, and the rig holds the joint still; "
                "correct the rig's load", "rig",
            )  # fmt: skip
    if rig.load.kind is RobotModel:
        joints, named = max(len(log.joints), 1), len(rig.load.words.get("joints", ()))
        if named and joints != named:
            yield finding(
                "position", "error", f"the log has {joints} joints and the rig names {named}; name one for each", "rig"
            )


def _sensor(log: Log, rig: Rig, channel: str) -> Iterator[Finding]:
    """A step of the converter that is not the one in the rig: often a unit that was taken for another."""
    given, measured = rig.sensor_for(channel, log).quantisation, resolution(log[channel])
    if given and measured and not 0.8 < measured / given < 1.25:
        unit = CHANNELS[channel].unit
        yield finding(
            channel, "warning", f"its resolution is {measured:.3g} {unit} and {given:.3g} {unit} in the rig: its "
            "unit or the rig is wrong; correct one of them", "rig",
        )  # fmt: skip
