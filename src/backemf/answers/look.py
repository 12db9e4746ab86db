"""The pictures of a motor for the state of a page, and the same as text."""

from __future__ import annotations

from ..cli.as_program import show_texts
from ..errors import ParameterError
from ..plot.interactive import Figure, efficiency, heating, torque_over_speed
from ..plot.page import page_text
from .motors import Chosen, choose, refs_of
from .state import State


def torque_and_texts(state: dict[str, str]) -> tuple[Figure, tuple[str, str]]:
    """Torque over speed of all motors of a state, and the pictures as Python and as a command."""
    it = State(state)
    chosen, volts, celsius = it.chosen, it.number("v"), it.number("t")
    others = [] if chosen.motor is None else [choose(ref, it.estimate) for ref in refs_of(state)[1:]]
    motors = [(one.name, one.actuator, one.motor) for one in (chosen, *others)]
    texts = show_texts(chosen.file, chosen.motor, volts, celsius, it.estimating)
    return torque_over_speed(motors, volts, celsius, it.speed_unit), texts


def efficiency_and_heat(state: dict[str, str]) -> tuple[Figure, Figure | None]:
    """Efficiency, and the time until the winding is too hot; None where the motor says too little."""
    it = State(state)
    motor, celsius = it.chosen.motor, it.number("t")
    assert motor is not None
    try:
        heat = heating(motor, celsius)
    except ParameterError:
        heat = None
    return efficiency(motor, it.number("v"), celsius, it.speed_unit), heat


def page_of(chosen: Chosen) -> str:
    """The page that `backemf show --page` writes; the file of a changed motor is that of an actuator."""
    findings = [] if chosen.sheet is None or chosen.changed else chosen.sheet.check()
    return page_text(chosen.name, chosen.motor, findings=findings)
