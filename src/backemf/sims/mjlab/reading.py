"""mjlab's actuator configurations, read from texts, files and objects without running anything.

Every number is on the joint's side of the gear.
"""

from __future__ import annotations

from pathlib import Path

from ...errors import BackemfError, ParameterError
from ..joint_choice import one_of, single_number
from ..on_joint import OnJoint, Unread
from ..room import Source
from ..script_actuator import Call
from ..script_actuators import Dialect, calls_of_text, read_calls
from .about import ABOUT
from .configured import Configured
from .kinds import CLASSES, DELAYED, JOINTS, KINDS, OWN, PARTS, UNREAD
from .reading_fields import label, read_config


def read_configs(source: Source, file: str = "") -> list[Configured]:
    """Every actuator of a configuration of mjlab, in order; raises ParameterError if one cannot be read.

    `source` is a text, the `Path` of a file, or configuration objects: an actuator, several, or a robot with actuators.
    """
    found = _rows(source, file, text=True)
    for row in found:
        if isinstance(row, Unread):
            raise ParameterError(row.why)
    return [row for row in found if isinstance(row, Configured)]


def read_actuators(source: Source, *, version: str | None = None) -> list[OnJoint | Unread]:
    """Every actuator of a configuration of mjlab, in its order, each as a backemf actuator or with why it is not read.

    The joint of each is one pattern that fits all its joints, as in ".*_hip|.*_knee".
    `source` is a text, a file, or configuration objects: an actuator, several, or a robot with actuators.
    """
    ABOUT.require_version(version)
    return [_on_joint_or_unread(row) for row in _rows(source)]


def read_actuator(source: Source, joint: str | None = None, *, version: str | None = None) -> OnJoint:
    """The actuator of a text, a file or a configuration object, or the one for a joint, with what belongs to it."""
    ABOUT.require_version(version)
    file = str(source) if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source) else ""
    return on_joint(one_of(_rows(source), joint, file))


DIALECT = Dialect(
    known=(*KINDS, DELAYED, *UNREAD),
    marker=JOINTS[0],
    older=JOINTS[1:],
    parts=PARTS,
)
"""How mjlab's actuators are recognised in a text."""


def _rows(source: Source, file: str = "", text: bool = False) -> list[Configured | Unread]:
    """Each actuator, or why it is not read; `text` says that a string is the text itself."""
    found = calls_of_text(source, DIALECT, file) if text and isinstance(source, str) else read_calls(source, DIALECT)
    return [_configured_or_unread(row) if isinstance(row, Call) else row for row in found]


def _configured_or_unread(call: Call) -> Configured | Unread:
    try:
        return read_config(call)
    except BackemfError as error:
        base = call.fields.get("base_cfg")
        named = base if isinstance(base, Call) else call
        place = "" if isinstance(error, ParameterError) else f"{call.at()}: "
        return Unread(label(named), named.name, f"{place}{error}", call.robots)


def _on_joint_or_unread(row: Configured | Unread) -> OnJoint | Unread:
    if isinstance(row, Unread):
        return row
    try:
        return on_joint(row)
    except ParameterError as error:
        told = f"{row.where}: {CLASSES[row.kind]}: {error}"
        return Unread(", ".join(row.joints), CLASSES[row.kind], told, row.robots)


def on_joint(found: Configured) -> OnJoint:
    """An actuator with the joint's own numbers; raises ParameterError if its joints have different numbers."""
    for name in ("stiffness", "damping", "effort_limit", "saturation_effort", "velocity_limit", *OWN):
        single_number(found, name)
    return OnJoint(
        actuator=found.actuator(),
        joint="|".join(found.joints),
        armature=single_number(found, "armature"),
        coulomb=single_number(found, "frictionloss"),
        viscous=single_number(found, "viscous_damping"),
        robots=found.robots,
        losses=found.losses,
    )
