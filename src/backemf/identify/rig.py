"""A rig: what the motor moved while a log was taken, its firmware, supply and sensors, and how well all is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..actuator import Actuator, Supply
from ..checks import quote
from ..errors import ParameterError, UnitError
from ..files import read_text, write_text
from ..loads import Load, LockedRotor, PrescribedMotion
from ..parts import FAMILIES, declaration_of
from .channels import CHANNELS, require_channel, suggest
from .described import Described, describe, field_unit
from .known import Known, parse_known
from .rig_parts import CommandPath, MeasuredMotion, RobotModel, Sensor, ServoRegisters

if TYPE_CHECKING:
    from ..actuator.controllers import Controller
    from .log import Log
    from .robot_motion import RobotMotion

LARGEST = 1_000_000
"""Longest file that is read [bytes]."""
PARTS = ("load", "firmware", "supply", "command")
"""Parts of a rig besides its sensors."""


def load_kinds() -> dict[str, type]:
    """What a rig may move, by name."""
    return {**FAMILIES["load"], "MeasuredMotion": MeasuredMotion, "RobotModel": RobotModel}


def firmware_kinds() -> dict[str, type]:
    """Controllers that a rig may have, by name; a network has its own files."""
    known = {name: kind for name, kind in FAMILIES["controller"].items() if getattr(kind, "asks", "") != "network"}
    return {**known, "ServoRegisters": ServoRegisters}


@dataclass(frozen=True, repr=False)
class Rig:
    """What a log was taken on.

    Each of its parts may be a plain part, such as `be.Pendulum(mass=0.49, length=0.1)`, or come from a file, where
    quantities have spreads and may refer to notes of the log. `spreads` gives spreads to parts made in Python, as in
    {"load.mass": "1 %", "load.length": "1 mm"}.
    """

    load: Any = field(default_factory=LockedRotor)
    """What the motor moves: a load, `MeasuredMotion` or `RobotModel`."""
    firmware: Any = None
    """The controller, or `ServoRegisters`; None: that of the prior."""
    supply: Any = None
    """The supply; None: that of the prior."""
    sensors: Mapping[str, Any] = field(default_factory=dict)
    """A `Sensor` by channel; a channel without one is taken as it stands."""
    name: str = ""
    """What it is called."""
    spreads: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Spread of a quantity by its dotted name, for parts made in Python."""
    folder: Path | None = field(default=None, compare=False)
    """Folder of its file, from which the path of a model counts."""
    command: Any = None
    """A `CommandPath`: how late commands are; None: nobody knows, and a fit looks for it."""

    def __post_init__(self) -> None:
        parts: dict[str, Any] = {
            "load": _describe("load", self.load, load_kinds()),
            "firmware": _describe("firmware", self.firmware, firmware_kinds(), optional=True),
            "supply": _describe("supply", self.supply, {"Supply": Supply}, optional=True),
            "command": _describe("command", self.command, {"CommandPath": CommandPath}, optional=True),
        }
        sensors: dict[str, Any] = {}
        for channel, sensor in self.sensors.items():
            require_channel(channel, "Rig.sensors: ")
            sensors[channel] = _describe(f"sensors.{channel}", sensor, {"Sensor": Sensor}, unit=sensor_unit(channel))
        for dotted, text in self.spreads.items():
            where, _, name = dotted.rpartition(".")
            channel = where.removeprefix("sensors.")
            place = sensors if where.startswith("sensors.") else parts
            key = channel if where.startswith("sensors.") else where
            if place.get(key) is None or name not in place[key].known:
                known = [*_names(parts, sensors)]
                raise ParameterError(f"Rig.spreads: there is no quantity {dotted!r}: {suggest(dotted, known)}")
            place[key] = _with_spread(place[key], dotted, name, text)
        for name, value in (*parts.items(), ("sensors", MappingProxyType(sensors)), ("spreads", {})):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        parts = self.load, self.firmware, self.supply, dict(self.sensors)
        return Rig, (*parts, self.name, {}, self.folder, self.command)

    # --- files

    @classmethod
    def read(cls, path: str | Path) -> Rig:
        """A rig from a TOML file."""
        return cls.parse(read_text(path, LARGEST, what="a rig in TOML"), str(path), Path(path).parent)

    @classmethod
    def parse(cls, text: str, file: str = "text", folder: Path | None = None) -> Rig:
        """A rig from TOML text; `file` stands for it in messages."""
        from .rig_file import read_rig

        return read_rig(text, file, folder)

    def text(self) -> str:
        """TOML text that reads back as the same rig."""
        from .rig_file import write_rig

        return write_rig(self)

    def save(self, path: str | Path) -> Path:
        """Write it to a TOML file, atomically."""
        return write_text(path, self.text())

    # --- what it says

    @property
    def known(self) -> dict[str, Known]:
        """Every quantity by its dotted name, such as load.mass, with how well it is known."""
        return dict(_quantities({name: getattr(self, name) for name in PARTS}, self.sensors))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of a log that it refers to, such as kp."""
        return tuple(dict.fromkeys(known.note for known in self.known.values() if known.note))

    def load_for(self, log: Log) -> Load | RobotMotion:
        """What the motor moved while a log was taken; for a robot, its mass matrix and bias along the motion."""
        made = self.load.build(log.meta, "[load]")
        if isinstance(made, MeasuredMotion):
            if log.joints:
                raise ParameterError(f"{log.name or 'log'}: has {len(log.joints)} joints; take one with log.joint(...)")
            return _measured_motion(log)
        if isinstance(made, RobotModel):
            from .robot_motion import robot_motion

            return robot_motion(made, log, self.folder)
        return made

    def firmware_for(self, log: Log) -> Controller | None:
        """The controller while a log was taken; None: that of the prior."""
        if self.firmware is None:
            return None
        made = self.firmware.build(log.meta, "[firmware]")
        return made.controller() if isinstance(made, ServoRegisters) else made

    def supply_for(self, log: Log) -> Supply | None:
        """The supply while a log was taken; None: that of the prior."""
        return None if self.supply is None else self.supply.build(log.meta, "[supply]")

    def actuator_for(self, actuator: Actuator, log: Log) -> Actuator:
        """An actuator with the firmware and the supply that it had while a log was taken."""
        changes = {"controller": self.firmware_for(log), "supply": self.supply_for(log)}
        return replace(actuator, **{name: value for name, value in changes.items() if value is not None})

    def sensor_for(self, channel: str, log: Log | None = None) -> Sensor:
        """The sensor of a channel; one without any effect where the rig has none."""
        require_channel(channel)
        made = self.sensors.get(channel)
        return Sensor() if made is None else made.build({} if log is None else log.meta, f"[sensors.{channel}]")

    def command_for(self, log: Log) -> CommandPath:
        """How late commands were while a log was taken; not at all where the rig says nothing."""
        return CommandPath() if self.command is None else self.command.build(log.meta, "[command]")

    def with_known(self, changes: Mapping[str, Known]) -> Rig:
        """The same rig with other quantities, by their dotted names."""
        parts = {name: _changed(getattr(self, name), changes, f"{name}.") for name in PARTS}
        if parts["command"] is None and "command.lag" in changes:
            parts["command"] = Described(CommandPath, {"lag": changes["command.lag"]})
        sensors = {name: _changed(each, changes, f"sensors.{name}.") for name, each in self.sensors.items()}
        return replace(self, **parts, sensors=sensors)

    def spread_for(self, log: Log) -> dict[str, float]:
        """One standard deviation of every quantity that has one, in SI, by its dotted name."""
        return {name: known.spread_at(log.meta, name) for name, known in self.known.items() if known.spread}

    def __repr__(self) -> str:
        called = f"{self.name}: " if self.name else ""
        firmware = "" if self.firmware is None else f", {self.firmware.kind.__name__}"
        sensors = f", sensors of {', '.join(self.sensors)}" if self.sensors else ""
        return f"Rig({called}{self.load.kind.__name__}{firmware}{sensors})"

    def _repr_html_(self) -> str:
        from .picture import rig_html

        return rig_html(self)


def _measured_motion(log: Log) -> PrescribedMotion:
    """The measured positions, or those that follow from the measured velocity, from 0 on."""
    if "position" in log or "velocity" not in log:
        return PrescribedMotion(time=log.times("position"), position=log["position"])
    time, velocity = log.times("velocity"), log["velocity"]
    way = np.cumsum(0.5 * np.diff(time) * (velocity[1:] + velocity[:-1]))
    return PrescribedMotion(time=time, position=np.concatenate([[0.0], way]))


def sensor_unit(channel: str) -> str:
    """Unit of the bias and the quantisation of a channel; kelvin for a temperature."""
    unit = CHANNELS[channel].unit
    return "K" if unit == "degC" else unit


def _describe(
    name: str, given: Any, kinds: Mapping[str, type], optional: bool = False, unit: str = "1"
) -> Described | None:
    if given is None and optional:
        return None
    if isinstance(given, Described) and given.kind in kinds.values():
        return given
    if not is_dataclass(given) or type(given) not in kinds.values():
        shown = f"{type(given).__name__}(...)" if is_dataclass(given) else quote(given)
        raise ParameterError(f"Rig.{name} = {shown}: must be one of {', '.join(kinds)}")
    return describe(given, unit)


def _changed(part: Described | None, changes: Mapping[str, Known], place: str) -> Described | None:
    """A part with the quantities that stand below its place."""
    own = {name.removeprefix(place): known for name, known in changes.items() if name.startswith(place)}
    return part if part is None or not own else replace(part, known={**part.known, **own})


def _quantities(parts: Mapping[str, Any], sensors: Mapping[str, Any]) -> list[tuple[str, Known]]:
    every = {**parts, **{f"sensors.{channel}": sensor for channel, sensor in sensors.items()}}
    return [
        (f"{where}.{name}", k) for where, part in every.items() if part is not None for name, k in part.known.items()
    ]


def _names(parts: Mapping[str, Any], sensors: Mapping[str, Any]) -> list[str]:
    return [name for name, _ in _quantities(parts, sensors)]


def _with_spread(part: Described, dotted: str, name: str, text: str) -> Described:
    """The part with a spread for one of its quantities."""
    it = next(declaration_of(entry) for entry in part.kind.__dataclass_fields__.values() if entry.name == name)
    unit = "1" if it is None else field_unit(it, part.unit)
    before = part.known[name]
    try:
        spread = parse_known(f"1 {unit.replace('degC', 'K')} +- {text}", "K" if unit == "degC" else unit)
    except UnitError as error:
        raise ParameterError(f"Rig.spreads: {dotted} = {quote(text)}: {error}") from None
    if spread.relative and before.value == 0.0:
        raise ParameterError(f"Rig.spreads: {dotted} = {quote(text)}: a share of 0 is 0; give it with its unit")
    return replace(part, known={**part.known, name: replace(before, spread=spread.spread, relative=spread.relative)})
