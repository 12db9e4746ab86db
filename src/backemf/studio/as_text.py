"""What a page shows, as Python, as a command, and as files: each is what a user would have written."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..cli.limits_only import JOINT_UNITS
from ..cli.words import quantity
from ..files import read_bytes
from ..plot.interactive import range_of_or_none, supply_volts
from ..values import Foreign
from .motors import Chosen, choose, refs_of
from .session import Download, Session

__all__ = ["JOINT_UNITS"]


def motor_bar(session: Session) -> None:
    """Which motor the page is about, and where another one is chosen."""
    chosen = session.chosen
    with ui.element("div").classes("motor-bar"):
        ui.label(chosen.name).classes("motor-name")
        more = [choose(ref, session.estimate).name for ref in refs_of(session.state)[1:]]
        if more:
            ui.label("with " + ", ".join(more)).classes("muted")
        if session.estimate:
            ui.label("with estimates").classes("badge")
        if chosen.changed:
            ui.label("changed: " + ", ".join(chosen.changed)).classes("badge")
        ui.html('<a data-page="/motor" href="/motor">change</a>', sanitize=False)


def command(*words: str) -> str:
    """A command line, one option per line."""
    first, *rest = " ".join(words[:3]), *words[3:]
    return " \\\n    ".join([first, *rest]) if rest else first


def option(name: str, value: str | None) -> list[str]:
    """An option, unless it has no value."""
    return [f"{name} {shlex.quote(value)}"] if value else []


def loading(session: Session) -> str:
    """The lines of Python that load the motor."""
    chosen = session.chosen
    estimate = ", estimate=True" if estimating(session) else ""
    return f'import backemf as be\n\nactuator = be.load("{chosen.file}"{estimate})\n'


def estimating(session: Session) -> list[str]:
    """The option that switches estimates on, where they are not in the file already."""
    return ["--estimate"] if session.estimate and not session.chosen.changed else []


def motor_download(chosen: Chosen) -> tuple[Download, ...]:
    """The TOML file that the command refers to."""
    return (
        (Download(chosen.file, lambda: chosen.toml),)
        if chosen.text
        else (Download(f"{chosen.file}.toml", lambda: chosen.toml),)
    )


def page_of(chosen: Chosen) -> bytes:
    """The page that `backemf show --page` writes."""
    from ..plot import page

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "motor.html"
        # the file of a changed motor is that of an actuator
        findings = [] if chosen.sheet is None or chosen.changed else chosen.sheet.check()
        page(file, title=chosen.name, motor=chosen.motor, findings=findings)
        return read_bytes(file)


# --- Look


def look_python(session: Session) -> str:
    """The pictures of Look."""
    chosen = session.chosen
    if chosen.motor is None:
        return loading(session) + 'be.plot.joint_limits(actuator, path="limits.png")\n'
    volts, celsius = session.get("v", "None"), session.get("t", "None")
    draw = "operating_range" if _has_range(session) else "torque_speed"
    return loading(session) + (
        "motor = actuator.motor\n"
        f'be.plot.{draw}(motor, {volts}, {celsius}, path="range.png")\n'
        f"best = be.analyze.constants(motor, {volts}, {celsius})\n"
        "print(best.max_efficiency, best.no_load_speed, best.max_torque)\n"
    )


def look_command(session: Session) -> str:
    """The command that shows the same."""
    volts, celsius = session.get("v"), session.get("t")
    draw = ["--plot range.png"] if session.chosen.motor is None or _has_range(session) else []
    return command(
        "backemf", "show", session.chosen.file, *option("--voltage", f"{volts} V" if volts else None),
        *option("--temperature", f"{celsius} degC" if celsius else None), *estimating(session), *draw,
        "--page motor.html",
    )  # fmt: skip


def _has_range(session: Session) -> bool:
    """Whether the figures say which torque is continuous."""
    motor = session.chosen.motor
    celsius = session.number("t")
    assert motor is not None
    warm = float(motor.winding.reference_temperature) if celsius is None else celsius
    return range_of_or_none(motor, supply_volts(motor, session.number("v")), warm) is not None


# --- Try


def try_python(session: Session) -> str:
    """The run of Try."""
    from .trial import parts_of

    actuator, load, wanted = parts_of(session.state)
    lines = [loading(session)]
    changes = {"controller": actuator.controller, "delay": actuator.delay, "supply": actuator.supply}
    given = {name: value for name, value in changes.items() if value is not None}
    said = ", ".join(f"{name}={_part(value)}" for name, value in given.items())
    lines += ["import dataclasses\n", f"actuator = dataclasses.replace(actuator, {said})"]
    command_text = f"{wanted:g}" if isinstance(wanted, float) else f"be.commands.{_part(wanted, '')}"
    seconds = f"duration={quantity('', session.get('dur'), 's'):g}, dt={quantity('', session.get('dt'), 's'):g}"
    lines.append(f"run = be.simulate(actuator, {_part(load)}, {command_text}, {seconds})")
    return "\n".join([*lines, "print(run.findings())", 'run.to_parquet("run.parquet")', ""])


def _part(part: Foreign, room: str = "be.") -> str:
    """A part as the code that makes it."""
    entries = []
    for entry in fields(part):
        value = getattr(part, entry.name)
        if value is not None and (entry.default is MISSING or value != entry.default):
            entries.append(f"{entry.name}={_part(value) if is_dataclass(value) else repr(value)}")
    return f"{room}{type(part).__name__}({', '.join(entries)})"


# --- Simulators


def export_python(session: Session, file: str) -> str:
    """The export of a motor."""
    from .transferring import STEP, thing_of

    thing, joint = thing_of(session.state)
    lines = [loading(session)]
    if session.get("xc") or session.chosen.joint is None:
        actuator = thing if not hasattr(thing, "actuator") else thing.actuator
        lines += [
            "import dataclasses\n",
            f"actuator = dataclasses.replace(actuator, controller={_part(actuator.controller)})",
        ]
        shown = "actuator"
    else:
        shown = f'"{session.chosen.file}"'
    step = quantity("", session.get("ts", STEP), "s")
    kind = f', kind="{session.get("kind")}"' if session.get("kind") else ""
    more = f', effort="{session.get("effort")}"' if session.get("effort") else ""
    more += f", supply={session.get('v')}" if session.get("v") else ""
    to = session.get("to", "mujoco@4.0")
    lines.append(f'found = be.export({shown}, "{to}", joint="{joint}", timestep={step:g}{more}{kind})')
    return "\n".join([*lines, f'open("{file}", "w").write(found.text)', "print(found.losses, found.errors)", ""])
