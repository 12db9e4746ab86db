"""The page Try: a motor with a load under a command."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from nicegui import background_tasks, events, run, ui  # pyright: ignore[reportMissingImports]

from ..actuator import Delay
from ..answers import trial
from ..answers.downloads import Download, motor_download
from ..cli.as_program import simulate_texts
from ..cli.drive import controllers
from ..cli.first_run import first_run, input_of, target_words
from ..cli.words import COMMANDS, kinds
from ..errors import BackemfError
from ..plot.interactive import supply_volts
from ..plot.interactive_run import run_rows
from ..plot.style import axis_scale
from ..run_view import RunView
from ..values import Foreign
from ..work.latest import Latest
from .layout import motor_bar
from .session import Session
from .widgets import box, card, field, heading, markup, picture, refill, sentence
from .words_form import words_form
from .work import shared

OPTIONS = {
    "load": "load", "controller": "ctrl", "command": "cmd", "delay": "delay", "supply": "v", "duration": "dur",
    "dt": "dt",
}  # fmt: skip
"""Name in the state of each option of `backemf simulate`."""


def build(session: Session) -> None:
    """Build the page."""
    motor_bar(session)
    motor = session.chosen.motor
    begin = first_run(session.chosen.actuator, 0.0 if motor is None else supply_volts(motor, session.number("v")))
    session.state |= {OPTIONS[name]: text for name, text in begin.items() if not session.get(OPTIONS[name])}
    folder = Path(tempfile.mkdtemp(prefix="backemf-studio-"))
    runs: list[dict[str, Foreign]] = []
    tasks: set[asyncio.Task[None]] = set()

    def cancel() -> None:
        for task in list(tasks):
            task.cancel()

    ui.context.client.on_delete(cancel)
    ui.context.client.on_delete(lambda: shutil.rmtree(folder, ignore_errors=True))
    with box("columns"):
        with box(), box():
            _controls(session, lambda **changes: changed(**changes))
        with box():
            with card("Run"):
                with ui.row().classes("run-head"):
                    status = ui.label("").classes("muted").props('role="status"')
                    stop = ui.button("Cancel", icon="stop", on_click=cancel).props("dense flat no-caps")
                bar = ui.linear_progress(value=0, show_value=False).props('aria-label="Progress"')
                bar.bind_visibility_from(stop)
                stop.set_visibility(False)
                problem = ui.element("div")
                words = "Position, speed, torque, current, temperature and energy over time"
                drawing = picture({"data": [], "layout": {}}, words, 760)
            said = box()

    def draw(span: tuple[float, float] | None = None) -> Foreign:
        views = [RunView(**each["view"]) for each in reversed(runs)]
        before = views[1] if len(views) > 1 else None
        return run_rows(views[0], runs[-1]["ratings"], before, span, session.speed_unit)

    zoom: Latest[Foreign] = Latest(draw, drawing.update_figure, lambda words: None)

    async def zoomed(event: events.GenericEventArguments) -> None:
        args: dict[str, Foreign] = event.args or {}
        begin, end = (args.get(f"xaxis.range[{k}]") for k in (0, 1))
        if runs and begin is not None and end is not None:
            factor = axis_scale(RunView(**runs[-1]["view"]).duration, "s")[0]
            await zoom.order((max(float(begin) / factor, 0.0), float(end) / factor))
        elif runs and args.get("xaxis.autorange"):
            await zoom.order(None)

    drawing.on("plotly_relayout", zoomed, ["xaxis.range[0]", "xaxis.range[1]", "xaxis.autorange"])

    def progress(message: Mapping[str, Foreign]) -> None:
        if message.get("total"):
            bar.value = message["done"] / message["total"]
        status.text = "waiting for a process" if "waiting" in message else f"{100 * bar.value:.0f} % of the run"

    async def simulate() -> Foreign:
        payload = {"state": dict(session.state), "folder": tempfile.mkdtemp(dir=folder)}
        if trial.steps_of(session.state) <= trial.QUICK:
            return await run.io_bound(trial.run_trial, payload)
        stop.set_visibility(True)
        return await shared().run("simulate", payload, progress=progress, owner=str(id(session)))

    async def go() -> None:
        problem.clear()
        try:
            found = await simulate()
        except BackemfError as error:
            with problem:
                sentence(str(error), "error")
            return
        except asyncio.CancelledError:
            with contextlib.suppress(RuntimeError):
                status.text = "cancelled"
            raise
        finally:
            with contextlib.suppress(RuntimeError):
                stop.set_visibility(False)
        runs.append(found)
        while len(runs) > 2:
            shutil.rmtree(runs.pop(0)["view"]["folder"], ignore_errors=True)
        before = ", the run before in grey" if len(runs) > 1 else ""
        steps = f"{found['view']['steps']} steps{before}"
        status.text = f"{steps}; dashed the target, dash-dotted a rating; drag to zoom"
        drawing.update_figure(await run.io_bound(draw))
        _show_findings(said, found)
        _say(session, Path(found["view"]["folder"]))

    def start() -> None:
        cancel()
        task = background_tasks.create(go(), context=drawing)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def changed(**changes: str | None) -> None:
        session.put(**changes)
        start()

    ui.timer(0.01, start, once=True)


def _controls(session: Session, changed: Callable[..., None]) -> None:
    motor = session.chosen.motor

    def control(text: str) -> None:
        main = input_of(text)
        target = target_words(main, supply_volts(motor, None) if motor else 24.0)
        # a target in the unit of the new controller
        changed(ctrl=text, **({} if main == input_of(session.get("ctrl")) else {"cmd": target}))
        command()

    def command() -> None:
        unit = COMMANDS[input_of(session.get("ctrl"))][0]
        with refill(place):
            words_form("Command", kinds("signal"), session.get("cmd"), lambda t: changed(cmd=t), unit, "constant")

    with card("Load"):
        loads = {word: kind for word, kind in kinds("load").items() if word != "motion"}
        words_form("Load at the joint", loads, session.get("load"), lambda text: changed(load=text))
    with card("Controller and command"):
        words_form("Controller", controllers(), session.get("ctrl"), control)
        place = box("stack tight")
        command()
    with card("Time"), box("words"):
        for key, label in (("dur", "duration"), ("dt", "step")):
            field(label, session.get(key), lambda text, key=key: changed(**{key: text}), wait=400)
        field("supply [V]", session.get("v"), lambda t: changed(v=t.removesuffix("V").strip()), "rated", wait=400)
        delay = field("delay of commands", session.get("delay"), lambda t: changed(delay=t), "seconds=4ms", wait=400)
        delay.tooltip(Delay.__doc__ or "")


def _show_findings(place: Foreign, found: Mapping[str, Foreign]) -> None:
    with refill(place), card("What the run did to the motor"):
        for finding in found["findings"]:
            sentence(f"{finding['what'].replace('_', ' ')}: {finding['explanation']}", finding["severity"])
        for note in found["notes"]:
            sentence(note, "info")
        if not found["notes"] and not any(finding["severity"] == "warning" for finding in found["findings"]):
            sentence("Within what the maker allows, as far as that is known.", "ok")
        energy = {name: value for name, value in found["energy"].items() if abs(value) > 1e-9}
        if energy:
            heading("Where the energy went", 3)
            with ui.element("dl").classes("energy"):
                for name, value in sorted(energy.items(), key=lambda each: -abs(each[1])):
                    markup(f"<dt>{name}</dt><dd>{value:.3g} J</dd>")


def _say(session: Session, folder: Path) -> None:
    chosen, supply = session.chosen, session.get("v")
    options = {name: session.get(key) for name, key in OPTIONS.items()}
    options |= {"supply": f"voltage={supply}V"} if supply else {}
    parts, times = trial.parts_of(session.state), trial.times_of(session.state)
    texts = simulate_texts(chosen.file, options, parts, times, session.estimating)

    async def recording(name: str) -> Path:
        if not (folder / name).exists():
            payload = {"state": dict(session.state), "folder": str(folder), "output": name}
            await run.io_bound(trial.run_trial, payload)
        return folder / name

    files = [Download(name, lambda name=name: recording(name)) for name in ("run.parquet", "run.csv")]
    session.show_texts(*texts, *files, motor_download(chosen))
