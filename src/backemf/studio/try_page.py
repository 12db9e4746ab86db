"""The page Try: a motor with a load under a command."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from nicegui import events, run, ui  # pyright: ignore[reportMissingImports]

from ..actuator import Delay
from ..cli.drive import controllers
from ..cli.words import COMMANDS, kinds
from ..errors import BackemfError
from ..files import make_folder
from ..plot.interactive import supply_volts
from ..values import Foreign
from . import as_text, trial
from .processes import shared
from .session import Download, Session
from .widgets import Latest, card, heading, picture, sentence
from .words_form import join_words, split_words, words_form


def build(session: Session) -> None:
    """Build the page."""
    as_text.motor_bar(session)
    _fill(session)
    folder = Path(tempfile.mkdtemp(prefix="backemf-studio-"))
    runs: list[dict[str, Foreign]] = []
    tasks: set[asyncio.Task[None]] = set()

    def leave() -> None:
        for task in tasks:
            task.cancel()
        shutil.rmtree(folder, ignore_errors=True)

    ui.context.client.on_delete(leave)
    with ui.element("div").classes("columns"):
        with ui.element("div").classes("stack"):
            controls = ui.element("div").classes("stack")
        with ui.element("div").classes("stack"):
            with card("Run"):
                with ui.row().classes("run-head"):
                    state_words = ui.label("").classes("muted").props('role="status"')
                    stop = ui.button("Cancel", icon="stop", on_click=lambda: [task.cancel() for task in tasks])
                    stop.props("dense flat no-caps").set_visibility(False)
                bar = ui.linear_progress(value=0, show_value=False).props('aria-label="Progress"')
                bar.set_visibility(False)
                problem = ui.element("div")
                drawing = picture(
                    {"data": [], "layout": {}},
                    "Position, speed, torque, current, temperature and energy over time",
                    760,
                )
            said = ui.element("div").classes("stack")

    def draw(span: tuple[float, float] | None = None) -> Foreign:
        return trial.draw(runs[-1], runs[-2] if len(runs) > 1 else None, span, session.get("u", "rpm"))

    zoom: Latest[Foreign] = Latest(draw, drawing.update_figure, lambda words: None)

    async def zoomed(event: events.GenericEventArguments) -> None:
        if not runs:
            return
        args: dict[str, Foreign] = event.args or {}
        factor = trial.axis_scale(runs[-1]["steps"] * runs[-1]["dt"], "s")[0]
        begin, end = (args.get(f"xaxis.range[{k}]") for k in (0, 1))
        if begin is not None and end is not None:
            await zoom.order((max(float(begin) / factor, 0.0), float(end) / factor))
        elif args.get("xaxis.autorange"):
            await zoom.order(None)

    drawing.on("plotly_relayout", zoomed, ["xaxis.range[0]", "xaxis.range[1]", "xaxis.autorange"])

    def progress(message: Mapping[str, Foreign]) -> None:
        if message.get("total"):
            bar.value = message["done"] / message["total"]
        state_words.text = "waiting for a process" if "waiting" in message else f"{100 * bar.value:.0f} % of the run"

    async def go() -> None:
        problem.clear()
        place = folder / f"run-{len(tasks)}-{id(object())}"
        payload: dict[str, Foreign] = {"state": dict(session.state), "folder": str(place)}
        make_folder(place)
        long = False
        try:
            long = trial.steps_of(session.state) > trial.QUICK
            for element in (stop, bar):
                element.set_visibility(long)
            if long:
                owner = str(id(session))
                found: Foreign = await shared().run("simulate", payload, progress=progress, owner=owner)
            else:
                found = await run.io_bound(trial.run_trial, payload)
        except BackemfError as error:
            with problem:
                sentence(str(error), "error")
            return
        except asyncio.CancelledError:
            with contextlib.suppress(RuntimeError):
                state_words.text = "cancelled"
            raise
        finally:
            with contextlib.suppress(RuntimeError):
                for element in (stop, bar):
                    element.set_visibility(False)
        runs.append(found)
        while len(runs) > 2:
            shutil.rmtree(runs.pop(0)["folder"], ignore_errors=True)
        before = ", the run before in grey" if len(runs) > 1 else ""
        state_words.text = f"{found['steps']} steps{before}; dashed the target, dash-dotted a rating; drag to zoom"
        drawing.update_figure(await run.io_bound(draw))
        _say_findings(said, found)
        _say(session, found)

    def start() -> None:
        for task in list(tasks):
            task.cancel()
        task = asyncio.get_running_loop().create_task(_within(drawing, go))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def changed(**changes: str | None) -> None:
        session.put(**changes)
        start()

    with controls:
        _controls(session, changed)
    ui.timer(0.01, start, once=True)


async def _within(element: Foreign, work: Foreign) -> None:
    """Do work in the place of an element."""
    with element:
        await work()


def _fill(session: Session) -> None:
    """What a page without an address begins with: a step of the rated voltage, or of the torque of limits alone."""
    chosen = session.chosen
    motor = chosen.motor
    linear = motor is not None and motor.motion == "linear"
    inertia = 1e-3 if motor is None or motor.rotor is None else 3.0 * float(motor.reflected_inertia)
    volts = 0.0 if motor is None else supply_volts(motor, session.number("v"))
    known = {
        "load": f"inertia inertia={inertia:.3g}kg" if linear else f"inertia inertia={_inertia(inertia)}",
        "ctrl": "voltage" if motor is not None else "torque",
        "cmd": f"step value={volts:g}V time=10ms" if motor is not None else "1 N*m",
        "dur": "0.5 s",
        "dt": "0.1 ms",
    }
    for name, text in known.items():
        if not session.get(name):
            session.state[name] = text


def _inertia(value: float) -> str:
    """An inertia [kg·m²] in the unit in which it is short."""
    return f"{1e7 * value:.3g}g*cm^2" if value < 9.99e-5 else f"{value:.3g}kg*m^2"


def _controls(session: Session, changed: Foreign) -> None:
    motor = session.chosen.motor
    loads = {word: kind for word, kind in kinds("load").items() if word != "motion"}
    with card("Load"):
        words_form("Load at the joint", loads, session.get("load"), lambda text: changed(load=text))
    with card("Controller and command"):
        place = ui.element("div").classes("stack tight")

        def control(text: str) -> None:
            before = _main(session.get("ctrl"))
            word = split_words(text)[0]
            unit = COMMANDS[_main(text)][0]
            if _main(text) != before:
                # a target in the unit of the new controller
                changed(
                    ctrl=text,
                    cmd={
                        "deg": "step value=90deg time=10ms",
                        "rpm": "step value=300rpm time=10ms",
                        "Nm": "step value=0.1Nm time=10ms",
                    }.get(unit, f"step value={supply_volts(motor, None) if motor else 24:g}V time=10ms"),
                )
            else:
                changed(ctrl=join_words(word, split_words(text)[1]))
            command()

        words_form("Controller", controllers(), session.get("ctrl"), control)
        place = ui.element("div").classes("stack tight")

        def command() -> None:
            place.clear()
            with place:
                unit = COMMANDS[_main(session.get("ctrl"))][0]
                words_form(
                    "Command", kinds("signal"), session.get("cmd"), lambda text: changed(cmd=text), unit, "constant"
                )

        command()
    with card("Time"), ui.element("div").classes("words"):
        for key, label in (("dur", "duration"), ("dt", "step")):
            ui.input(label, value=session.get(key), on_change=lambda e, key=key: changed(**{key: e.value})).props(
                'dense outlined stack-label debounce="400"'
            )
        volts = ui.input(
            "supply [V]", value=session.get("v"), placeholder="rated", on_change=lambda e: changed(v=e.value)
        )
        volts.props('dense outlined stack-label debounce="400"')
        delays = ui.input(
            "delay of commands",
            value=session.get("delay"),
            placeholder="seconds=4ms",
            on_change=lambda e: changed(delay=e.value),
        )
        delays.props('dense outlined stack-label debounce="400"').tooltip(Delay.__doc__ or "")


def _main(text: str) -> str:
    """The input that a controller follows."""
    kind: Foreign = controllers().get(split_words(text)[0])
    if kind is None:
        return "voltage"
    return "velocity" if "follows=velocity" in text.replace(" ", "") else kind.main


def _say_findings(place: Foreign, found: Mapping[str, Foreign]) -> None:
    place.clear()
    with place, card("What the run did to the motor"):
        rows = found["findings"]
        for finding in rows:
            sentence(f"{finding['what'].replace('_', ' ')}: {finding['explanation']}", finding["severity"])
        for note in found["notes"]:
            sentence(note, "info")
        if not any(finding["severity"] == "warning" for finding in rows) and not found["notes"]:
            sentence("Within what the maker allows, as far as that is known.", "ok")
        energy = {name: value for name, value in found["energy"].items() if abs(value) > 1e-9}
        if energy:
            heading("Where the energy went", 3)
            with ui.element("dl").classes("energy"):
                for name, value in sorted(energy.items(), key=lambda each: -abs(each[1])):
                    ui.html(f"<dt>{name}</dt><dd>{value:.3g} J</dd>", sanitize=False)


def _say(session: Session, found: Mapping[str, Foreign]) -> None:
    get = session.get
    supply = get("v")
    options = {
        "--load": get("load"),
        "--controller": get("ctrl"),
        "--command": get("cmd"),
        "--delay": get("delay"),
        "--supply": f"voltage={supply}V" if supply else "",
        "--duration": get("dur"),
        "--dt": get("dt"),
    }
    words = [word for name, text in options.items() for word in as_text.option(name, text)]
    command = as_text.command(
        "backemf", "simulate", session.chosen.file, *words, *as_text.estimating(session), "-o run.parquet"
    )

    async def recording(ending: str) -> Path:
        place = Path(found["folder"])
        file = place / f"run{ending}"
        if not file.exists():
            payload = {"state": dict(session.state), "folder": str(place), "output": file.name}
            await run.io_bound(trial.run_trial, payload)
        return file

    session.show_texts(
        as_text.try_python(session), command, Download("run.parquet", lambda: recording(".parquet")),
        Download("run.csv", lambda: recording(".csv")), *as_text.motor_download(session.chosen),
    )  # fmt: skip
