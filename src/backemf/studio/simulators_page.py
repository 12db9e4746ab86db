"""The page Simulators: a motor or a robot for a simulator, and what is lost on the way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

from nicegui import run, ui  # pyright: ignore[reportMissingImports]

from ..cli.drive import controllers
from ..cli.losses import NOTHING
from ..errors import BackemfError
from ..transfer.targets import NAMES
from ..units import format_quantity
from ..values import Foreign
from . import as_text, robot_form, transferring
from .motors import slug
from .processes import shared
from .session import Download, Session
from .widgets import Latest, card, code, escape, picture, sentence
from .words_form import words_form

STATUSES = {"kept": "check_circle", "approximated": "adjust", "dropped": "cancel", "unknown": "help"}
"""The sign of each status."""


async def build(session: Session) -> None:
    """Build the page."""
    as_text.motor_bar(session)
    tasks: set[asyncio.Task[None]] = set()
    ui.context.client.on_delete(lambda: [task.cancel() for task in tasks])
    titles = await run.io_bound(transferring.targets)
    with ui.element("div").classes("columns"):
        with ui.element("div").classes("stack"):
            options = card("Target").__enter__()
        with ui.element("div").classes("stack"):
            problem = ui.element("div")
            lost = ui.element("div").classes("stack")
            text = ui.element("div").classes("stack")
            robot = ui.element("div").classes("stack")

    def shown(found: Mapping[str, Foreign]) -> None:
        problem.clear()
        lost.clear()
        text.clear()
        with lost:
            _summary(found)
        with text:
            _text(session, found)
        _say(session, found)

    def failed(words: str) -> None:
        for place in (problem, lost, text):
            place.clear()
        with problem:
            sentence(words, "error")

    work: Latest[dict[str, Foreign]] = Latest(transferring.written, shown, failed)

    async def changed(**changes: str | None) -> None:
        session.put(**changes)
        await work.order(dict(session.state))
        for task in list(tasks):
            task.cancel()
        if lost.default_slot.children:
            task = asyncio.get_running_loop().create_task(_errors(session, lost))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    with options:
        _options(session, titles, changed)
    with robot:
        robot_form.build(session)
    ui.timer(0.01, changed, once=True)


def _options(session: Session, titles: dict[str, str], changed: Foreign) -> None:
    to = session.get("to", NAMES[0])
    ui.select(
        titles, value=to if to in titles else NAMES[0], label="Simulator", on_change=lambda e: aim(e.value)
    ).props("dense outlined options-dense").classes("kind")
    place = ui.element("div")

    def show_kinds() -> None:
        place.clear()
        kinds = transferring.target_of(session.get("to", NAMES[0])).about.kinds
        if kinds:
            with place:
                choices = {"": "as the motor needs", **{kind: kind for kind in kinds}}
                now = session.get("kind")
                ui.select(
                    choices,
                    value=now if now in choices else "",
                    label="Kind of actuator",
                    on_change=lambda e: changed(kind=e.value),
                ).props("dense outlined options-dense").classes("kind spaced")

    async def aim(name: str) -> None:
        session.state.pop("kind", None)
        session.state["to"] = name
        show_kinds()
        await changed(to=name, kind=None)

    show_kinds()
    with ui.element("div").classes("words"):
        for key, label, hint in (("joint", "joint", "joint"), ("ts", "physics step", transferring.STEP)):
            ui.input(
                label,
                value=session.get(key),
                placeholder=hint,
                on_change=lambda e, key=key: changed(**{key: e.value.strip()}),
            ).props('dense outlined stack-label debounce="400"')
    ui.select(
        {"peak": "peak current", "continuous": "continuous current"}, value=session.get("effort", "peak"),
        label="Largest torque from", on_change=lambda e: changed(effort=e.value),
    ).props("dense outlined options-dense").classes("kind spaced")  # fmt: skip
    with ui.element("div").classes("spaced"):
        words_form("Controller", controllers(), session.get("xc", "torque"), lambda text: changed(xc=text))


def _summary(found: Mapping[str, Foreign]) -> None:
    """In one line how much arrives, the table of losses, and both laws."""
    statuses: Sequence[Mapping[str, Foreign]] = found["statuses"]
    counts = {status: sum(loss["status"] == status for loss in statuses) for status in STATUSES}
    with card(f"What {found['title']} makes of it"):
        with ui.row().classes("counts"):
            for status, count in counts.items():
                if count:
                    ui.html(f'<span class="status {status}">{count} {status}</span>', sanitize=False)
        with ui.element("div").classes("losses").props('role="table" aria-label="What is lost"'):
            for loss in sorted(statuses, key=lambda each: list(STATUSES).index(each["status"]), reverse=True):
                words = f"{loss['note']} Rests on an estimate.".strip() if loss["estimates"] else loss["note"]
                ui.html(
                    f'<div role="row" class="loss"><span role="cell">{escape(loss["phenomenon"])}</span>'
                    f'<span role="cell"><span class="status {loss["status"]}">{loss["status"]}</span></span>'
                    f'<span role="cell" class="muted">{escape(words)}</span></div>',
                    sanitize=False,
                )
        for note in found["notes"]:
            sentence(note, "info")
    with card(f"The motor and {found['title']}'s own law"):
        if "why" in found["figure"]:
            sentence(found["figure"]["why"], "warning")
        else:
            picture(found["figure"], "Torque over speed of the motor and of the simulator's law", 340)
        ui.element("div").classes("errors-place")


async def _errors(session: Session, lost: Foreign) -> None:
    """The torque errors below the picture, from a process of its own."""
    with lost:
        place = card("Torque error at the joint").__enter__()
    with place:
        words = ui.label("running both motors …").classes("muted").props('role="status"')

        def progress(message: Mapping[str, Foreign]) -> None:
            if message.get("total"):
                words.text = f"running both motors, {100 * message['done'] / message['total']:.0f} %"

        try:
            rows: Foreign = await shared().run(
                "compare", {"state": dict(session.state)}, progress=progress, owner=str(id(session))
            )
        except BackemfError as error:
            words.delete()
            sentence(str(error), "warning")
            return
        except asyncio.CancelledError:
            with contextlib.suppress(RuntimeError, ValueError, KeyError):
                place.delete()
            raise
        words.delete()
        columns = ("over", "RMS", "worst", "of the peak", "at")
        cells = [dict(zip(columns, _cells(row), strict=True)) for row in rows]
        ui.table(
            columns=[{"name": c, "label": c, "field": c, "align": "left" if c == "over" else "right"} for c in columns],
            rows=cells, row_key="over", pagination=0,
        ).props("flat dense hide-pagination").classes("figures")  # fmt: skip


def _cells(row: Mapping[str, Foreign]) -> tuple[str, ...]:
    if row["unknown"]:
        return row["where"], "unknown", "", "", row["unknown"]
    if row["worst"] < NOTHING * row["peak"]:
        return row["where"], "0", "0", "0 %", ""
    share = 100 * row["worst"] / row["peak"]
    return (
        row["where"], f"{row['rms']:.3g} N·m", f"{row['worst']:.3g} N·m",
        f"{share:.0f} %" if share >= 10 else f"{share:.2g} %", format_quantity(row["speed"], "rad/s", 3),
    )  # fmt: skip


def _text(session: Session, found: Mapping[str, Foreign]) -> None:
    file = _file(session, found)
    with card("The text"):
        with ui.row().classes("run-head"):
            take = ui.button(f"Download {file}", icon="download")
            take.props("dense no-caps outline").on_click(lambda: ui.download.content(found["text"], file))
        code(found["text"], f"the text for {found['title']}")


def _file(session: Session, found: Mapping[str, Foreign]) -> str:
    return f"{slug(session.chosen.name)}{found['ending']}"


def _say(session: Session, found: Mapping[str, Foreign]) -> None:
    get, chosen = session.get, session.chosen
    supply = f"voltage={get('v')}V" if get("v") else ""
    options = {"--to": get("to", NAMES[0]), "--joint": get("joint"), "--kind": get("kind"), "--controller": get("xc"),
               "--supply": supply, "--timestep": get("ts"), "--effort": get("effort")}  # fmt: skip
    words = [word for name, text in options.items() for word in as_text.option(name, text)]
    file = _file(session, found)
    command = as_text.command("backemf", "export", chosen.file, *words, *as_text.estimating(session), f"-o {file}")
    extra = [Download(name, lambda content=content: content) for name, content in found["files"].items()]
    session.show_texts(
        as_text.export_python(session, file), command, Download(file, lambda: found["text"]), *extra,
        *as_text.motor_download(chosen),
    )  # fmt: skip
