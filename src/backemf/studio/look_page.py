"""The page Look: where the limits of a motor are."""

from __future__ import annotations

import asyncio

from nicegui import run, ui  # pyright: ignore[reportMissingImports]

from ..answers.motors import Chosen, choose, refs_of
from ..cli.limits_only import JOINT_UNITS
from ..errors import ParameterError
from ..plot import interactive as pictures
from ..plot.conditions import Condition, conditions_of
from ..plot.page import page_text
from ..units import format_quantity
from ..values import Foreign
from . import as_text
from .session import Download, Session
from .widgets import Latest, box, card, empty, named, picture, refill, sentence

REST = 0.08
"""How long a slider rests until the smaller pictures follow [s]."""


def build(session: Session) -> None:
    """Build the page."""
    as_text.motor_bar(session)
    chosen = session.chosen
    motor = chosen.motor
    if motor is None:
        _limits_alone(session, chosen)
        return
    if motor.motion == "linear":
        remedy = "Go on to Try, which runs it in metres and newtons."
        empty("A linear motor has no picture of torque over speed.", remedy)
        return
    conditions = conditions_of(choose(chosen.ref, session.estimate).motor or motor)
    with box("columns"):
        with card("Conditions"):
            sliders = [_slider(one, session) for one in conditions]
            unit = ui.toggle(["rpm", "rad/s"], value=session.get("u", "rpm"))
            named(unit.props("no-caps unelevated toggle-text-color=on-accent"), "Unit of speed")
            ui.button("As the motor is", icon="restart_alt", on_click=lambda: reset()).props("flat dense no-caps")
        with box():
            figure, texts = _main(session.state)
            efficient, hot = _rest(session.state)
            with card("Torque over speed"):
                torque = picture(figure, "Torque over speed, continuous and short-term", 380)
            with box("pair"):
                with card("Efficiency"):
                    efficiency = picture(efficient, "Efficiency over speed and torque", 300)
                with card("Time until the winding is too hot"):
                    heating: Foreign = hot and picture(hot, "Time to the temperature limit over the current", 300)
                    if not hot:
                        lacking = "thermal resistance" if motor.thermal is None else "maximum winding temperature"
                        empty(f"The figures give no {lacking}.", "Add it on page Motor: Change its figures.")
            problem = ui.element("div")
    session.show_texts(*texts)
    moves = 0

    def drawn(found: tuple[pictures.Figure, tuple[Foreign, ...]]) -> None:
        problem.clear()
        torque.update_figure(found[0])
        session.show_texts(*found[1])

    def drawn_rest(found: tuple[pictures.Figure, pictures.Figure | None]) -> None:
        efficiency.update_figure(found[0])
        if heating and found[1]:
            heating.update_figure(found[1])

    def failed(words: str) -> None:
        with refill(problem):
            sentence(words, "error")

    work, later = Latest(_main, drawn, failed), Latest(_rest, drawn_rest, failed)

    async def changed() -> None:
        nonlocal moves
        if any(slider.value is None for slider in sliders):
            # a number that is just being typed
            return
        moves += 1
        mine = moves
        moved = {
            one.key: (f"{slider.value:g}", f"{one.own:g}") for one, slider in zip(conditions, sliders, strict=True)
        }
        session.put(**{key: None if text == own else text for key, (text, own) in moved.items()}, u=unit.value)
        await work.order(dict(session.state))
        await asyncio.sleep(REST)
        if mine == moves:
            await later.order(dict(session.state))

    def reset() -> None:
        for one, slider in zip(conditions, sliders, strict=True):
            slider.value = one.own

    for each in (*sliders, unit):
        each.on_value_change(changed)


def _main(state: dict[str, str]) -> tuple[pictures.Figure, tuple[Foreign, ...]]:
    """What follows a slider at once: torque over speed, and the page as text."""
    session = Session("/look", state)
    chosen = session.chosen
    others = [choose(ref, session.estimate) for ref in refs_of(state)[1:]]
    motors = [(one.name, one.actuator, one.motor) for one in (chosen, *others)]
    figure = pictures.torque_over_speed(motors, session.number("v"), session.number("t"), session.get("u", "rpm"))
    page = Download("motor.html", lambda: run.io_bound(_page, chosen))
    return figure, (*as_text.look_texts(session), *as_text.motor_download(chosen), page)


def _page(chosen: Chosen) -> str:
    """The page that `backemf show --page` writes; the file of a changed motor is that of an actuator."""
    findings = [] if chosen.sheet is None or chosen.changed else chosen.sheet.check()
    return page_text(chosen.name, chosen.motor, findings=findings)


def _rest(state: dict[str, str]) -> tuple[pictures.Figure, pictures.Figure | None]:
    """What follows when the slider rests: efficiency and heat; None where the motor says too little."""
    session = Session("/look", state)
    motor, celsius = session.chosen.motor, session.number("t")
    assert motor is not None
    try:
        heat = pictures.heating(motor, celsius)
    except ParameterError:
        heat = None
    return pictures.efficiency(motor, session.number("v"), celsius, session.get("u", "rpm")), heat


class QuickSlider(ui.slider):
    """A slider that moves in the browser by itself: one that waits for an answer loses keys pressed meanwhile."""

    LOOPBACK = False


def _slider(one: Condition, session: Session) -> Foreign:
    """A slider with its name and its value, which can be typed too."""
    begin = session.number(one.key)
    begin = one.own if begin is None else min(max(begin, one.low), one.high)
    bounds = {"min": one.low, "max": one.high, "step": one.step, "value": begin}
    with box("slider"):
        with box("slider-head"):
            ui.label(one.words)
            typed = ui.number(suffix=one.unit, format="%.4g", **bounds).props("dense borderless")
            named(typed.classes("slider-number"), f"{one.words} [{one.unit}]")
        slider = named(QuickSlider(**bounds).props(f'data-key="{one.key}"'), one.words)
    typed.bind_value(slider)
    return slider


def _limits_alone(session: Session, chosen: Chosen) -> None:
    """A motor without a winding: what its limits allow, and what it lacks."""
    sheet = chosen.sheet if chosen.sheet is not None and chosen.sheet.says == "limits only" else None
    if chosen.actuator.limits:
        with card("What the printed torque and speed allow" if sheet else "What the limits allow"):
            shown = [(chosen.name, chosen.actuator, None)]
            picture(pictures.torque_over_speed(shown, None, None, session.get("u", "rpm")), "Torque over speed")
            if sheet:
                limits, missing = sheet.limits_only()
                sentence(f"{limits}. A motor lacks: {'; '.join(missing)}.", "info")
    else:
        empty("This actuator has no motor to look at.", "Choose another one on the page Motor.")
    for name, value in (chosen.joint or {}).items():
        if isinstance(value, float):
            ui.label(f"{name}: {format_quantity(value, JOINT_UNITS.get(name, '1'))}").classes("muted")
    session.show_texts(*as_text.look_texts(session), *as_text.motor_download(chosen))
