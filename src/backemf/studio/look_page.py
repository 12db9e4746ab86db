"""The page Look: where the limits of a motor are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NamedTuple

from nicegui import run, ui  # pyright: ignore[reportMissingImports]

from ..analyze.given import limit_of
from ..errors import BackemfError, ParameterError
from ..motor import Motor
from ..plot import interactive as pictures
from ..units import format_quantity
from ..values import Foreign
from . import as_text
from .motors import Chosen, choose, refs_of
from .session import Download, Session
from .widgets import Latest, card, empty, picture, sentence


@dataclass
class Slider:
    """A number that can be pulled at."""

    key: str
    """Its name in the state."""
    words: str
    """What it is called."""
    unit: str
    """Its unit, as it is shown."""
    low: float
    high: float
    step: float
    value: float
    """Where it begins: the motor's own value."""


class Main(NamedTuple):
    """What follows a slider at once."""

    torque: pictures.Figure
    python: str
    command: str
    chosen: Chosen


class Rest(NamedTuple):
    """What follows when the slider rests; None where the motor says too little."""

    efficiency: pictures.Figure
    heating: pictures.Figure | None


REST = 0.08
"""How long a slider rests until the smaller pictures follow [s]."""


def build(session: Session) -> None:
    """Build the page."""
    chosen = session.chosen
    as_text.motor_bar(session)
    motor = chosen.motor
    if motor is None:
        _limits_alone(session, chosen)
        return
    if motor.motion == "linear":
        empty(
            "A linear motor has no picture of torque over speed.", "Go on to Try, which runs it in metres and newtons."
        )
        return
    sliders = _sliders(choose(chosen.ref, session.estimate).motor or motor, session)
    with ui.element("div").classes("columns"):
        with card("Conditions"):
            values = {one.key: _slider(one, session) for one in sliders}
            unit = ui.toggle(["rpm", "rad/s"], value=session.get("u", "rpm")).props(
                'no-caps unelevated toggle-text-color=on-accent aria-label="Unit of speed"'
            )
            ui.button("As the motor is", icon="restart_alt", on_click=lambda: reset()).props("flat dense no-caps")
        with ui.element("div").classes("stack"):
            first, rest = _main(dict(session.state)), _rest(dict(session.state))
            with card("Torque over speed"):
                torque = picture(first.torque, "Torque over speed, continuous and short-term", 380)
            with ui.element("div").classes("pair"):
                with card("Efficiency"):
                    efficiency = picture(rest.efficiency, "Efficiency over speed and torque", 300)
                with card("Time until the winding is too hot"):
                    if rest.heating is None:
                        empty(f"The figures give no {_missing(motor)}.", "Add it on page Motor: Change its figures.")
                        heating = None
                    else:
                        heating = picture(rest.heating, "Time to the temperature limit over the current", 300)
            problem = ui.element("div")
    moves = 0

    def drawn(found: Main) -> None:
        problem.clear()
        torque.update_figure(found.torque)
        _say(session, found)

    def drawn_rest(found: Rest) -> None:
        efficiency.update_figure(found.efficiency)
        if heating is not None and found.heating is not None:
            heating.update_figure(found.heating)

    def failed(words: str) -> None:
        problem.clear()
        with problem:
            sentence(words, "error")

    work: Latest[Main] = Latest(_main, drawn, failed)
    later: Latest[Rest] = Latest(_rest, drawn_rest, failed)

    async def changed() -> None:
        nonlocal moves
        if any(slider.value is None for slider in values.values()):
            # a number that is just being typed
            return
        moves += 1
        mine = moves
        moved = {key: f"{slider.value:g}" for key, slider in values.items()}
        own = {one.key: f"{one.value:g}" for one in sliders}
        session.put(**{key: None if text == own[key] else text for key, text in moved.items()}, u=unit.value)
        await work.order(dict(session.state))
        await asyncio.sleep(REST)
        if mine == moves:
            await later.order(dict(session.state))

    def reset() -> None:
        for one in sliders:
            values[one.key].value = one.value

    for slider in values.values():
        slider.on_value_change(changed)
    unit.on_value_change(changed)
    _say(session, first)


def _main(state: dict[str, str]) -> Main:
    """Torque over speed, and the page as text, for a state."""
    session = Session("/look", state)
    chosen = session.chosen
    others = [choose(ref, session.estimate) for ref in refs_of(state)[1:]]
    drawn = [(one.name, one.actuator, one.motor) for one in (chosen, *others)]
    volts, celsius = session.number("v"), session.number("t")
    torque = pictures.torque_over_speed(drawn, volts, celsius, session.get("u", "rpm"))
    return Main(torque, as_text.look_python(session), as_text.look_command(session), chosen)


def _rest(state: dict[str, str]) -> Rest:
    """Efficiency and heat, for a state."""
    session = Session("/look", state)
    motor = session.chosen.motor
    assert motor is not None
    celsius, volts = session.number("t"), pictures.supply_volts(motor, session.number("v"))
    warm = float(motor.winding.reference_temperature) if celsius is None else celsius
    try:
        heat = pictures.heating(motor, warm)
    except ParameterError:
        heat = None
    return Rest(pictures.efficiency(motor, volts, warm, session.get("u", "rpm")), heat)


def _missing(motor: Motor) -> str:
    """What the time to the limit needs and the motor does not say."""
    return "thermal resistance" if motor.thermal is None else "maximum winding temperature"


def _say(session: Session, found: Main) -> None:
    async def drawn_page() -> bytes:
        return await run.io_bound(as_text.page_of, found.chosen)

    session.show_texts(
        found.python, found.command, *as_text.motor_download(found.chosen), Download("motor.html", drawn_page)
    )


def _sliders(motor: Motor, session: Session) -> list[Slider]:
    """What can be changed, from the motor's own values."""
    volts = pictures.supply_volts(motor, None)
    try:
        hottest = float(limit_of(motor, None))
    except BackemfError:
        hottest = 155.0
    reference = float(motor.winding.reference_temperature)
    found = [
        Slider("v", "Supply", "V", round(0.25 * volts, 1), round(2.0 * volts, 1), 0.1, volts),
        Slider("t", "Winding", "°C", -20.0, max(round(hottest), 40.0), 1.0, reference),
    ]
    if motor.thermal is not None:
        found.append(Slider("ta", "Ambient", "°C", -20.0, 80.0, 1.0, float(motor.thermal.ambient)))
    gears = motor.gearbox
    ratio = 1.0 if gears is None else abs(float(gears.ratio))
    found.append(Slider("g", "Gear ratio", ": 1", 1.0, max(200.0, round(2.0 * ratio)), 0.5, ratio))
    share = 1.0 if gears is None else float(gears.efficiency)
    return [*found, Slider("ge", "Gear efficiency", "%", 30.0, 100.0, 1.0, 100.0 * share)]


class QuickSlider(ui.slider):
    """A slider that moves in the browser by itself: one that waits for an answer loses keys pressed meanwhile."""

    LOOPBACK = False


def _slider(one: Slider, session: Session) -> Foreign:
    """A slider with its name and its value, which can be typed too."""
    begin = session.number(one.key)
    begin = one.value if begin is None else min(max(begin, one.low), one.high)
    with ui.element("div").classes("slider"):
        with ui.element("div").classes("slider-head"):
            ui.label(one.words)
            typed = ui.number(value=begin, min=one.low, max=one.high, step=one.step, suffix=one.unit, format="%.4g")
            typed.props(f'dense borderless aria-label="{one.words} [{one.unit}]"').classes("slider-number")
        slider = QuickSlider(min=one.low, max=one.high, step=one.step, value=begin)
        slider.props(f'aria-label="{one.words}" data-key="{one.key}"')
    typed.bind_value(slider)
    return slider


def _limits_alone(session: Session, chosen: Chosen) -> None:
    """A motor without a winding: what its limits allow, and what it lacks."""
    sheet = chosen.sheet
    if sheet is not None and sheet.says == "limits only":
        limits, missing = sheet.limits_only()
        with card("What the printed torque and speed allow"):
            data = [(chosen.name, chosen.actuator, None)]
            picture(pictures.torque_over_speed(data, None, None, session.get("u", "rpm")), "Torque over speed")
            sentence(f"{limits}. A motor lacks: {'; '.join(missing)}.", "info")
    elif chosen.actuator.limits:
        with card("What the limits allow"):
            data = [(chosen.name, chosen.actuator, None)]
            picture(pictures.torque_over_speed(data, None, None, session.get("u", "rpm")), "Torque over speed")
    else:
        empty("This actuator has no motor to look at.", "Choose another one on the page Motor.")
    for name, value in (chosen.joint or {}).items():
        if isinstance(value, float):
            ui.label(f"{name}: {format_quantity(value, as_text.JOINT_UNITS.get(name, '1'))}").classes("muted")
    session.show_texts(as_text.look_python(session), as_text.look_command(session), *as_text.motor_download(chosen))
