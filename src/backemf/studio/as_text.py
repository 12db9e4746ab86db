"""What a page shows, as Python, as a command, and as files: each is what a user would have written."""

from __future__ import annotations

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..answers.motors import Chosen, choose, refs_of
from ..cli.as_program import command_line, export_program, option_words, show_texts
from ..cli.words import quantity
from .session import Download, Session
from .widgets import box, link


def motor_bar(session: Session) -> None:
    """Which motor the page is about, and where another one is chosen."""
    chosen = session.chosen
    with box("motor-bar"):
        ui.label(chosen.name).classes("motor-name")
        more = [choose(ref, session.estimate).name for ref in refs_of(session.state)[1:]]
        if more:
            ui.label("with " + ", ".join(more)).classes("muted")
        if session.estimate:
            ui.label("with estimates").classes("badge")
        if chosen.changed:
            ui.label("changed: " + ", ".join(chosen.changed)).classes("badge")
        link("change", "/motor")


command = command_line


def option(name: str, value: str | None) -> list[str]:
    """An option, unless it has no value."""
    return option_words({name: value})


def estimating(session: Session) -> list[str]:
    """The option that switches estimates on, where they are not in the file already."""
    return ["--estimate"] if session.estimate and not session.chosen.changed else []


def motor_download(chosen: Chosen) -> tuple[Download, ...]:
    """The TOML file that the command refers to."""
    return (Download(chosen.file if chosen.text else f"{chosen.file}.toml", lambda: chosen.toml),)


def look_texts(session: Session) -> tuple[str, str]:
    """The pictures of Look as Python and as a command."""
    chosen, volts, celsius = session.chosen, session.number("v"), session.number("t")
    return show_texts(chosen.file, chosen.motor, volts, celsius, bool(estimating(session)))


def export_python(session: Session, file: str) -> str:
    """The export of a motor."""
    from ..answers.exports import STEP, thing_of

    get, chosen = session.get, session.chosen
    thing, joint = thing_of(session.state)
    given = {"joint": joint, "timestep": quantity("", get("ts", STEP), "s"), "effort": get("effort")}
    given |= {"supply": session.number("v"), "kind": get("kind")}
    control = getattr(thing, "actuator", thing).controller if get("xc") or chosen.joint is None else None
    return export_program(chosen.file, get("to", "mujoco@4.0"), file, given, control, bool(estimating(session)))
