"""Learned actuators for simulators that run networks: the text, and the file of the network that belongs with it."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..actuator import Actuator
from ..errors import ParameterError
from ..files import read_bytes
from ..sims.joint import parts_of
from ..sims.on_joint import OnJoint, with_actuator
from ..sims.text import Written
from ..values import Foreign
from .targets import ROOMS, Target, room_of


class WithNetwork(NamedTuple):
    """What is written for a learned actuator."""

    actuator: Actuator | OnJoint
    """The actuator as the simulator runs it; its strides and scales may be part of the weights."""
    written: Written
    on_joint: OnJoint
    """The same text, read back with its network."""
    files: dict[str, bytes]
    """The file of the network, by its name."""


def is_learned(thing: Actuator | OnJoint) -> bool:
    """Whether a network replaces the motor."""
    return parts_of(thing)[1].controller.asks == "network"


def write_with_network(
    target: Target,
    thing: Actuator | OnJoint,
    joint: str | tuple[str, ...],
    timestep: float,
    numbers: dict[str, Foreign],
) -> WithNetwork:
    """The text of a learned actuator and its network; raise ParameterError where the simulator runs none."""
    if not target.about.networks:
        able = " or ".join(name for name in ROOMS if room_of(name).ABOUT.networks)
        raise ParameterError(f"{target.title} has no actuator with a network: write it for {able}")
    learned: Any = target.room
    first = joint if isinstance(joint, str) else joint[0]
    name = f"{re.sub(r'[^A-Za-z0-9-]+', '_', first).strip('_') or 'joint'}.pt"
    actuator = parts_of(thing)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        fields, losses = learned.write_learned(actuator.controller, path)
        plain = replace(actuator, controller=learned.read_learned(fields))
        full = with_actuator(thing, plain)
        written = target.write(full, joint, timestep, network_file=str(path), **numbers)
        on_joint = target.read(written.text)
        content = read_bytes(path)
    note = " ".join(loss.note for loss in losses)
    rows = [
        replace(row, status=losses[0].status, note=note) if losses and row.phenomenon == "controller" else row
        for row in written.statuses
    ]
    notes = [f"The network is in {name}, which belongs next to the text."]
    notes += [note for note in written.notes if str(path) not in note]
    text = written.text.replace(str(path), name)
    return WithNetwork(full, replace(written, text=text, statuses=rows, notes=notes), on_joint, {name: content})
