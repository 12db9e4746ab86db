"""The page Simulators: a motor or a robot for a simulator, and what is lost on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from nicegui import background_tasks, run, ui  # pyright: ignore[reportMissingImports]

from ..answers import exports
from ..answers.downloads import Download, motor_download
from ..answers.motors import slug
from ..cli.drive import controllers
from ..cli.losses import ERROR_COLUMNS, loss_words
from ..errors import BackemfError
from ..plot.interactive import Figure
from ..transfer import Exported
from ..transfer.targets import NAMES, target_of, titles
from ..values import Foreign
from ..work.latest import Latest
from . import robot_form
from .layout import motor_bar
from .session import Session
from .widgets import box, card, choice, code, columns, download_button, escape, picture, sentence, table, text_input
from .words_form import words_form
from .work import shared

STATUSES = ("unknown", "dropped", "approximated", "kept")
"""Every status, in the order of the table."""


async def build(session: Session) -> None:
    """Build the page."""
    motor_bar(session)
    tasks: set[asyncio.Task[None]] = set()
    ui.context.client.on_delete(lambda: [task.cancel() for task in tasks])
    known = await run.io_bound(titles)
    left, right = columns()
    with left:
        options = card("Target").__enter__()
    with right:
        problem = ui.element("div")
        lost = box()
        text = box()
        with box():
            robot_form.build(session)

    def clear() -> None:
        for place in (problem, lost, text):
            place.clear()

    def shown(answer: tuple[Exported, Figure | str]) -> None:
        found, drawn = answer
        clear()
        with lost:
            _summary(found, drawn)
        with text:
            _text(session, found)

    def failed(words: str) -> None:
        clear()
        with problem:
            sentence(words, "error")

    work: Latest[tuple[Exported, Figure | str]] = Latest(exports.written, shown, failed)

    async def changed(**changes: str | None) -> None:
        session.put(**changes)
        await work.order(dict(session.state))
        for task in list(tasks):
            task.cancel()
        if lost.default_slot.children and not lost.is_deleted:
            task = background_tasks.create(_errors(session), context=lost)
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    with options:
        _options(session, known, changed)
    ui.timer(0.01, changed, once=True)


def _options(session: Session, known: dict[str, str], changed: Foreign) -> None:
    async def aim(name: str) -> None:
        session.state["to"] = name
        session.state.pop("kind", None)
        show_kinds()
        await changed(to=name, kind=None)

    def show_kinds() -> None:
        place.clear()
        kinds = target_of(session.get("to", NAMES[0])).about.kinds
        if kinds:
            with place:
                choices = {"": "as the motor needs", **{kind: kind for kind in kinds}}
                made = choice("Kind of actuator", choices, session.get("kind"), lambda kind: changed(kind=kind))
                made.classes("spaced")

    choice("Simulator", known, session.get("to", NAMES[0]), aim)
    place = ui.element("div")
    show_kinds()
    with box("words"):
        for key, label, hint in (("joint", "joint", "joint"), ("ts", "physics step", exports.STEP)):
            text_input(label, session.get(key), hint, lambda text, key=key: changed(**{key: text}))
    efforts = {"peak": "peak current", "continuous": "continuous current"}
    effort = choice("Largest torque from", efforts, session.get("effort", "peak"), lambda name: changed(effort=name))
    effort.classes("spaced")
    with box("spaced"):
        words_form("Controller", controllers(), session.get("xc", "torque"), lambda text: changed(xc=text))


def _summary(found: Exported, drawn: Figure | str) -> None:
    """In one line how much arrives, the table of losses, and both laws."""
    title = found.target.title
    with card(f"What {title} makes of it"):
        with ui.row().classes("counts"):
            for status in reversed(STATUSES):
                if count := sum(loss.status == status for loss in found.statuses):
                    ui.html(f'<span class="status {status}">{count} {status}</span>', sanitize=False)
        with box("losses").props('role="table" aria-label="What is lost"'):
            for loss in sorted(found.statuses, key=lambda each: STATUSES.index(each.status)):
                ui.html(
                    f'<div role="row" class="loss"><span role="cell">{escape(loss.phenomenon)}</span>'
                    f'<span role="cell"><span class="status {loss.status}">{loss.status}</span></span>'
                    f'<span role="cell" class="muted">{escape(loss_words(loss))}</span></div>',
                    sanitize=False,
                )
        for note in found.notes:
            sentence(note, "info")
    with card(f"The motor and {title}'s own law"):
        if isinstance(drawn, str):
            sentence(drawn, "warning")
        else:
            picture(drawn, "Torque over speed of the motor and of the simulator's law", 340)


async def _errors(session: Session) -> None:
    """The torque errors below the picture, from a process of its own."""
    with card("Torque error at the joint"):
        words = ui.label("running both motors …").classes("muted").props('role="status"')

        def progress(message: Mapping[str, Foreign]) -> None:
            if message.get("total"):
                words.text = f"running both motors, {100 * message['done'] / message['total']:.0f} %"

        job = {"state": dict(session.state)}
        try:
            rows: Foreign = await shared().run("compare", job, progress=progress, owner=str(id(session)))
        except BackemfError as error:
            rows = str(error)
        if words.is_deleted:
            return
        words.delete()
        if isinstance(rows, str):
            sentence(rows, "warning")
        else:
            table(ERROR_COLUMNS, rows, right=ERROR_COLUMNS[1:])


def _text(session: Session, found: Exported) -> None:
    """The text itself, and how it is made."""
    chosen = session.chosen
    file = f"{slug(chosen.name)}{found.target.ending}"
    with card("The text"):
        with ui.row().classes("run-head"):
            download_button(file, found.text)
        code(found.text, f"the text for {found.target.title}")
    files = [Download(name, lambda text=text: text) for name, text in {file: found.text, **found.files}.items()]
    session.show_texts(*exports.export_texts(session.state, file), *files, motor_download(chosen))
