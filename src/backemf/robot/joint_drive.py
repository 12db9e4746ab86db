"""What drives the joints of one pattern: a motor, and what stands before it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType

from .. import catalog
from ..actuator import Actuator, Delay, Supply, Torque
from ..actuator.controllers import Controller
from ..actuator.torque_limits import TorqueLimit
from ..checks import quote
from ..design.hardware import Belt, LeadScrew
from ..design.sliding import slide_part
from ..errors import BackemfError, ParameterError
from ..motor import Motor
from ..motorfile import load_with_joint
from ..parts import FAMILIES, declaration_of, members
from ..random.randomize import rebuild, resolve
from ..values import Foreign
from .part_tables import suggest

WAYS = ("replace", "add")
"""What a motor's inertia or friction does to that of the model's joint."""


@dataclass(frozen=True, kw_only=True)
class JointDrive:
    """What drives a joint; in an override, what differs from the drive of the joint's pattern."""

    motor: str | Path | Actuator | Motor | None = None
    """Catalogue id, the path of a datasheet or of a motor file, or the motor itself, whose torque is
    commanded; None in an override: the same."""
    slide: LeadScrew | Belt | None = None
    """What brings a motor that turns to a joint that slides; None: nothing."""
    controller: Controller | None = None
    """What turns commands into torque or voltage; None: the motor file's, or the torque is commanded."""
    supply: Supply | None = None
    """What feeds it; None: the motor file's, or the robot's."""
    delay: Delay | None = None
    """How long commands are under way; None: the motor file's."""
    limits: tuple[TorqueLimit, ...] | None = None
    """Limits of the joint's torque, or one of them; None: the motor file's."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the actuator to change, in SI, by name: {"winding.resistance": 0.3}."""
    armature: str | None = None
    """What becomes of the armature that the model has where the motor has a rotor: "replace", the default, or "add"."""
    friction: str | None = None
    """The same for frictionloss and damping, where the motor has friction or drag."""
    estimate: bool | None = None
    """Whether figures that a datasheet leaves out are estimated; None: they are not."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "motor", _checked_motor(self.motor))
        if self.slide is not None and not isinstance(self.slide, tuple(FAMILIES["slide"].values())):
            raise ParameterError(f"JointDrive.slide = {quote(self.slide)}: must be a LeadScrew or a Belt")
        for name, kind in (("supply", Supply), ("delay", Delay)):
            if getattr(self, name) is not None and not isinstance(getattr(self, name), kind):
                raise ParameterError(f"JointDrive.{name} = {quote(getattr(self, name))}: must be a {kind.__name__}")
        if self.controller is not None and not isinstance(self.controller, Controller):
            raise ParameterError(f"JointDrive.controller = {quote(self.controller)}: must be a controller")
        if self.limits is not None:
            kinds = tuple(FAMILIES["limit"].values())
            given = (self.limits,) if isinstance(self.limits, kinds) else self.limits
            if not isinstance(given, (tuple, list)) or not all(isinstance(each, kinds) for each in given):
                raise ParameterError(f"JointDrive.limits = {quote(self.limits)}: must be limits such as EffortLimit")
            object.__setattr__(self, "limits", tuple(given))
        for name in ("armature", "friction"):
            way = getattr(self, name)
            if way is not None and way not in WAYS:
                raise ParameterError(f"JointDrive.{name} = {quote(way)}: must be 'replace' or 'add'")
        if self.estimate is not None and not isinstance(self.estimate, bool):
            raise ParameterError(f"JointDrive.estimate = {quote(self.estimate)}: must be True or False")
        numbers = {unit_of(name)[0]: float(value) for name, value in dict(self.numbers).items()}
        object.__setattr__(self, "numbers", MappingProxyType(numbers))

    def __reduce__(self) -> tuple[object, ...]:
        return _made, ({entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)},)

    def changed_by(self, override: JointDrive) -> JointDrive:
        """The drive with what an override says."""
        own = {e.name: getattr(override, e.name) for e in fields(override) if getattr(override, e.name) is not None}
        return replace(self, **own | {"numbers": {**self.numbers, **override.numbers}})

    def actuator(self, supply: Supply | None = None) -> tuple[Actuator, dict[str, Foreign]]:
        """The whole actuator, and what its file says of the joint itself; `supply` feeds it where nothing else does."""
        if self.motor is None:
            raise ParameterError("motor is missing: give a catalogue id, a datasheet or a motor file")
        own: dict[str, Foreign] = {}
        if isinstance(self.motor, Actuator):
            actuator = self.motor
        else:
            assert isinstance(self.motor, (str, Path))
            actuator, known = load_with_joint(self.motor, bool(self.estimate))
            own = known or {}
            if known is None:
                # a datasheet says nothing of a controller
                actuator = replace(actuator, controller=Torque())
        if self.slide is not None:
            actuator, own = _on_slide(actuator, own, self.slide)
        changes: dict[str, Foreign] = {
            name: getattr(self, name)
            for name in ("controller", "supply", "delay", "limits")
            if getattr(self, name) is not None
        }
        if "supply" not in changes and actuator.supply is None and actuator.motor is not None and supply is not None:
            changes["supply"] = supply
        actuator = replace(actuator, **changes) if changes else actuator
        return self._with_numbers(actuator), own

    @property
    def slides(self) -> bool:
        """Whether its numbers are those of a joint that slides: N for N·m, m for rad and kg for kg·m²."""
        if self.slide is not None:
            return True
        found = self.motor
        if isinstance(found, (str, Path)):
            try:
                found = load_with_joint(found, True)[0]
            except BackemfError:  # whoever needs the motor says so
                return False
        motor = found.motor if isinstance(found, Actuator) else None
        return motor is not None and motor.motion == "linear"

    def _with_numbers(self, actuator: Actuator) -> Actuator:
        if not self.numbers:
            return actuator
        changes = {}
        for name, value in self.numbers.items():
            try:
                changes[resolve(actuator, name)] = value
            except ParameterError as error:
                raise ParameterError(str(error).replace("randomize: ", "numbers: ")) from None
        return rebuild(actuator, changes)


def _on_slide(
    actuator: Actuator, own: dict[str, Foreign], slide: LeadScrew | Belt
) -> tuple[Actuator, dict[str, Foreign]]:
    """An actuator and what its file says of the joint, behind a screw or a belt."""
    if actuator.motor is None:
        raise ParameterError("slide: there is no motor whose turns it could take; leave it out")
    for name in ("command_range", "slew"):
        if getattr(actuator, name) is not None:
            raise ParameterError(f"slide: {name} of the motor file is of a joint that turns; take it out of that file")
    travel = abs(float(slide.travel))
    parts = {name: slide_part(part, travel) for name in ("controller", "friction", "spring")
             if (part := getattr(actuator, name)) is not None and is_dataclass(part)}  # fmt: skip
    limits = tuple(slide_part(limit, travel) for limit in actuator.limits)
    made = replace(actuator, motor=slide.motor(actuator.motor), limits=limits, **parts)
    powers = {"armature": -2, "coulomb": -1, "stiction": -1, "viscous": -2}
    brought = {name: value * travel ** powers[name] for name, value in own.items() if name in powers and value}
    return made, own | brought


def _made(values: dict[str, Foreign]) -> JointDrive:
    return JointDrive(**values)


def _plain(value: Foreign) -> Foreign:
    return dict(value) if isinstance(value, MappingProxyType) else value


def _checked_motor(motor: Foreign) -> Foreign:
    """An id or an absolute path; raise ParameterError where there is neither."""
    if isinstance(motor, Motor):
        return Actuator(motor, controller=Torque())
    if motor is None or isinstance(motor, Actuator):
        return motor
    if not isinstance(motor, (str, Path)) or not str(motor):
        raise ParameterError(
            f"motor = {quote(motor)}: must be a catalogue id, the path of a TOML file, a Motor or an Actuator"
        )
    text = str(motor)
    if text in catalog.ids():
        return text
    if not text.endswith(".toml"):
        raise ParameterError(f"motor = {quote(text)}: is not in the catalogue: {catalog.suggestion(text[:60])}")
    path = Path(os.path.abspath(text))
    if not path.is_file():
        raise ParameterError(f"motor = {text!r}: there is no such file; give a datasheet or a motor file")
    return path


def unit_of(name: str) -> tuple[str, str | None]:
    """Full name and unit of a number of an actuator, such as motor.winding.resistance and Ω for winding.resistance."""
    if not isinstance(name, str):
        raise ParameterError(f"numbers[{quote(name)}]: must be the name of a number, such as winding.resistance")
    for full in (name, f"motor.{name}"):
        try:
            return full, _unit_below(Actuator, full.split("."))
        except KeyError:
            pass
    known = [entry.name for kind in (Actuator, Motor) for entry in fields(kind)]
    raise ParameterError(f"numbers: {quote(name)} is no number of an actuator: {suggest(name.split('.')[0], known)}")


def _unit_below(kind: type, path: list[str]) -> str | None:
    """Unit of a number below a part; raise KeyError where there is none."""
    entry = {each.name: each for each in fields(kind)}[path[0]]
    it = declaration_of(entry)
    if it is None:
        raise KeyError(path[0])
    if len(path) == 1:
        if it.role != "number":
            raise KeyError(path[0])
        return it.unit
    rest = path[2:] if it.role == "parts" and path[1].isdigit() else path[1:]
    for inner in members(it).values() if it.role in ("part", "parts") and rest else ():
        try:
            return _unit_below(inner, rest)
        except KeyError:
            continue
    raise KeyError(path[0])


def checked_drive(place: str, **values: Foreign) -> JointDrive:
    """A drive; the place in the file stands before what is wrong with it."""
    try:
        return JointDrive(**values)
    except BackemfError as error:
        raise ParameterError(f"{place}: {error}") from None


def drives_by_name(drives: Mapping[str, JointDrive]) -> dict[str, JointDrive]:
    """The `drives` of a robot from those of its joints by name: joints that share a drive share a pattern."""
    shared = {id(drive): drive for drive in drives.values()}
    return {
        "|".join(re.escape(name) for name, own in drives.items() if own is drive): drive for drive in shared.values()
    }
