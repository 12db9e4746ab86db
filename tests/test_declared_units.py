"""Every unit that a part declares: a number in a file of a rig, a robot or a task is written in it and read back."""

import importlib
import pkgutil
from dataclasses import is_dataclass

import pytest

import backemf as be
from backemf.parts import units_of
from backemf.robot.part_tables import WITHOUT_UNIT, quantity_text, read_quantity

ROOMS = ("motor", "actuator", "identify", "size", "robot")
FILES = ("loads", "commands")


def declared() -> list[tuple[str, str, str]]:
    """Part, field and unit of everything that declares one."""
    modules = [importlib.import_module(f"backemf.{name}") for name in (*ROOMS, *FILES)]
    for room in [m for m in modules if hasattr(m, "__path__")]:
        names = [found.name for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")]
        modules += [importlib.import_module(name) for name in names]
    kinds = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    rows = [
        (kind.__name__, field, unit)
        for kind in kinds
        if is_dataclass(kind)
        for field, unit in units_of(kind).items()
        if unit not in WITHOUT_UNIT
    ]
    return sorted(set(rows))


DECLARED = declared()


def test_temperatures_are_among_them():
    """Of tasks, motions and motors."""
    celsius = {part for part, _, unit in DECLARED if unit == "°C"}
    assert {"TaskLimits", "MotionLimits", "Limits", "Winding"} <= celsius and len(DECLARED) > 100


@pytest.mark.parametrize("unit", sorted({unit for _, _, unit in DECLARED}))
def test_a_declared_unit_is_written_and_read_back(unit):
    """The same bits, of large and small numbers of either sign; a number without a unit is refused with an example."""
    for value in (1.5, -273.0, 0.0, 1.2345678901234567e-7, 6.02e9):
        assert read_quantity(quantity_text(value, unit), unit, "field") == value
    with pytest.raises(be.ParameterError, match="field = 3: must be a text with its unit, like"):
        read_quantity(3, unit, "field")
