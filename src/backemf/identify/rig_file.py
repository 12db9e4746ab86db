"""A rig in a TOML file: a table per part, quantities with units and spreads, and notes of the log as `log.kp`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..actuator import Supply
from ..checks import quote
from ..errors import ParameterError
from ..toml_text import parse_toml, toml_value
from .channels import CHANNELS, suggest
from .described import Described, part_lines, read_part
from .rig import PARTS, Rig, firmware_kinds, load_kinds, sensor_unit
from .rig_parts import CommandPath, Sensor

FORMAT = "backemf rig 1"
"""What the first line of such a file says."""
TABLES = (*PARTS, "sensors")


def read_rig(text: str, file: str, folder: Path | None) -> Rig:
    """A rig from TOML text."""
    content = parse_toml(text, file, ParameterError, "a rig")
    found = content.pop("format", None)
    if found != FORMAT:
        raise ParameterError(f'{file}: format = {quote(found)}: must be "{FORMAT}"')
    name = content.pop("name", "")
    if not isinstance(name, str):
        raise ParameterError(f"{file}: name = {quote(name)}: must be a text")
    for key, value in content.items():
        if key not in TABLES:
            raise ParameterError(f"{file}, {key}: there is no such table: {suggest(key, ('name', *TABLES))}")
        if not isinstance(value, dict):
            raise ParameterError(f"{file}, {key} = {quote(value)}: must be a table, [{key}]")
    if "load" not in content:
        raise ParameterError(f"{file}: has no [load], so that nothing says what the motor moved; add one with its kind")
    sensors = {}
    for channel, table in content.get("sensors", {}).items():
        if channel not in CHANNELS:
            raise ParameterError(f"{file}, [sensors] {channel}: there is no such channel: {suggest(channel, CHANNELS)}")
        if not isinstance(table, dict):
            raise ParameterError(f"{file}, [sensors] {channel} = {quote(table)}: must be a table")
        sensors[channel] = read_part(Sensor, table, f"{file}, [sensors.{channel}]", sensor_unit(channel))
    return Rig(
        load=_of_kind(content, "load", load_kinds(), file),
        firmware=_of_kind(content, "firmware", firmware_kinds(), file) if "firmware" in content else None,
        supply=read_part(Supply, content["supply"], f"{file}, [supply]") if "supply" in content else None,
        sensors=sensors,
        name=name,
        folder=folder,
        command=read_part(CommandPath, content["command"], f"{file}, [command]") if "command" in content else None,
    )


def _of_kind(content: Mapping[str, Any], table: str, kinds: Mapping[str, type], file: str) -> Described:
    """A part from a table that names its kind."""
    values = dict(content[table])
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        given = "has no kind" if kind is None else f"kind = {quote(kind)}"
        hint = suggest(kind, kinds) if isinstance(kind, str) else f"use one of {', '.join(kinds)}"
        raise ParameterError(f"{file}, [{table}] {given}: {hint}")
    return read_part(kinds[kind], values, f"{file}, [{table}]")


def write_rig(rig: Rig) -> str:
    """TOML text of a rig that reads back as the same one."""
    lines = [f'format = "{FORMAT}"']
    if rig.name:
        lines.append(f"name = {toml_value(rig.name)}")
    for table in PARTS:
        part = getattr(rig, table)
        if part is not None:
            kind = [] if table in ("supply", "command") else [f'kind = "{part.kind.__name__}"']
            lines += ["", f"[{table}]", *kind, *part_lines(part)]
    for channel, part in rig.sensors.items():
        lines += ["", f"[sensors.{channel}]", *part_lines(part)]
    return "\n".join(lines) + "\n"
