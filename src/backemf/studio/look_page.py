"""The page Look: where the limits of a motor are."""

from __future__ import annotations

import asyncio

from nicegui import run, ui  # pyright: ignore[reportMissingImports]

from ..answers.downloads import Download, motor_download
from ..answers.look import efficiency_and_heat, page_of, torque_and_texts
from ..answers.motors import Chosen, choose
from ..cli.limits_only import JOINT_UNITS
from ..plot.conditions import Condition, conditions_of
from ..plot.interactive import Figure
from ..units import format_quantity
from ..values import Foreign
from ..work.latest import Latest
from .layout import motor_bar
from .session import Session
from .widgets import box, card, empty, named, picture, refill, sentence

REST = 0.08
"""How long a slider rests until the smaller pictures follow [s]."""


def build(session: Session) -> None:
    """Build the page."""
    motor_bar(session)
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
            unit = ui.toggle(["rpm", "rad/s"], value=session.speed_unit)
            named(unit.props("no-caps unelevated toggle-text-color=on-accent"), "Unit of speed")
            ui.button("As the motor is", icon="restart_alt", on_click=lambda: reset()).props("flat dense no-caps")
        with box():
            figure, texts = torque_and_texts(session.state)
            efficient, hot = efficiency_and_heat(session.state)
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
    _say(session, texts)
    moves = 0

    def drawn(found: tuple[Figure, tuple[str, str]]) -> None:
        problem.clear()
        torque.update_figure(found[0])
        _say(session, found[1])

    def drawn_rest(found: tuple[Figure, Figure | None]) -> None:
        efficiency.update_figure(found[0])
        if heating and found[1]:
            heating.update_figure(found[1])

    def failed(words: str) -> None:
        with refill(problem):
            sentence(words, "error")

    work, later = Latest(torque_and_texts, drawn, failed), Latest(efficiency_and_heat, drawn_rest, failed)

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


def _say(session: Session, texts: tuple[str, str]) -> None:
    chosen = session.chosen
    page = Download("motor.html", lambda: run.io_bound(page_of, chosen))
    session.show_texts(*texts, motor_download(chosen), page)


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
    figure, texts = torque_and_texts(session.state)
    sheet = chosen.sheet if chosen.sheet is not None and chosen.sheet.says == "limits only" else None
    if chosen.actuator.limits:
        with card("What the printed torque and speed allow" if sheet else "What the limits allow"):
            picture(figure, "Torque over speed")
            if sheet:
                limits, missing = sheet.limits_only()
                sentence(f"{limits}. A motor lacks: {'; '.join(missing)}.", "info")
    else:
        empty("This actuator has no motor to look at.", "Choose another one on the page Motor.")
    for name, value in (chosen.joint or {}).items():
        if isinstance(value, float):
            ui.label(f"{name}: {format_quantity(value, JOINT_UNITS.get(name, '1'))}").classes("muted")
    session.show_texts(*texts, motor_download(chosen))
