"""What this package offers for Newton."""

from __future__ import annotations

from pathlib import Path

from ..room import About
from ..usd import open_stage

ACTUATOR = "NewtonActuator"
"""Type of the prims that are actuators."""


def holds(file: Path) -> bool:
    """Whether a stage has an actuator of Newton's; without one its drives are PhysX's."""
    # prims live only as long as their stage is referenced
    stage = open_stage(file)
    return any(str(prim.GetTypeName()) == ACTUATOR for prim in stage.TraverseAll())


ABOUT = About(
    title="Newton",
    kinds=("dc_motor", "pd", "pid_dc_motor", "pid", "backemf"),
    whole=("backemf",),
    versions=("1.8",),
    plugin="BackemfDrive",
    holds=holds,
)
"""PD or PID with a torque-speed line or a flat limit, or with kind "backemf" the whole actuator."""
