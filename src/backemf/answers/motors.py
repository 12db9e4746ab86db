"""The motors that an address names: ids of the catalogue, and texts that were typed, dropped in or fitted."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .. import catalog
from ..actuator import Actuator
from ..datasheet import Datasheet
from ..design.variant import change_motor
from ..errors import ParameterError
from ..motor import Motor
from ..motorfile import dumps, is_actuator, loads_with_joint
from ..values import Foreign
from ..web.address import MARK, unpack

FIRST = "maxon-re40-gp52c"
"""The motor of a page without an address."""
MOST = 4
"""Most motors side by side."""


@dataclass(frozen=True)
class Chosen:
    """A motor as a page uses it."""

    ref: str
    """How the address names it: an id, or a packed text."""
    name: str
    """What people call it."""
    file: str
    """How the command line names it: an id, or the file that is downloaded."""
    text: str
    """Its TOML text; empty for a motor of the catalogue."""
    sheet: Datasheet | None
    """Its datasheet; None for the file of an actuator."""
    actuator: Actuator
    """The actuator, as the command line loads it."""
    joint: dict[str, Foreign] | None
    """What its file says of the joint itself; None for the motor of a datasheet."""
    changed: tuple[str, ...] = ()
    """What was changed on the page Look, in words."""

    @property
    def toml(self) -> str:
        """The text of its file."""
        return self.text or (self.sheet.to_toml() if self.sheet is not None else dumps(self.actuator, self.joint))

    @property
    def motor(self) -> Motor | None:
        """The motor with the inertia and friction of its joint; None where there are limits alone."""
        if not self.joint:
            return self.actuator.motor
        from ..sims.on_joint import OnJoint

        own = dict(self.joint)
        return OnJoint(actuator=self.actuator, joint=own.pop("name", ""), **own).fold().motor


def refs_of(state: dict[str, str]) -> list[str]:
    """The motors that a state names, the one that pages are about first."""
    return [ref for ref in state.get("m", "").split(",") if ref][:MOST]


def read_text(text: str, name: str = "the text", estimate: bool = False) -> Chosen:
    """A motor from TOML text, by the readers of the command line."""
    if is_actuator(text):
        # a network would lie in a file beside it, and no file is opened by a name from a browser
        actuator, joint = loads_with_joint(text, name)
        title = (actuator.motor.name if actuator.motor else "") or "motor"
        return Chosen("", title, f"{slug(title)}.toml", text, None, actuator, joint)
    sheet = Datasheet.loads(text, name)
    return _of_sheet("", f"{slug(sheet.name)}.toml", text, sheet, estimate)


def _of_sheet(ref: str, file: str, text: str, sheet: Datasheet, estimate: bool) -> Chosen:
    actuator = sheet.actuator(estimate=estimate)
    return Chosen(ref, sheet.name, file, text, sheet, actuator, sheet.joint() if actuator.motor is None else None)


@lru_cache(maxsize=128)
def choose(ref: str, estimate: bool = False) -> Chosen:
    """The motor that a name in an address means."""
    if ref.startswith(MARK):
        return replace(read_text(unpack(ref), "this motor", estimate), ref=ref)
    if not re.fullmatch(r"[a-z0-9-]{1,80}", ref) or not catalog.path(ref).is_file():
        # a file of that name in this folder is not meant either
        raise ParameterError(f"{ref[:80]!r}: is not in the catalogue: {catalog.suggestion(ref[:80])}")
    return _of_sheet(ref, ref, "", Datasheet.load(ref), estimate)


def slug(name: str) -> str:
    """A name for a file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "motor"


@lru_cache(maxsize=64)
def choose_changed(
    ref: str, estimate: bool, ratio: float | None, efficiency: float | None, ambient: float | None
) -> Chosen:
    """A motor with other gears [1] or another ambient temperature [°C], as the file of an actuator."""
    chosen = choose(ref, estimate)
    if chosen.actuator.motor is None or (ratio is None and efficiency is None and ambient is None):
        return chosen
    motor, said = change_motor(chosen.actuator.motor, ratio, efficiency, ambient)
    actuator = replace(chosen.actuator, motor=motor)
    text, file = dumps(actuator, chosen.joint), f"{slug(chosen.name)}-changed.toml"
    return replace(chosen, actuator=actuator, text=text, file=file, changed=said)
