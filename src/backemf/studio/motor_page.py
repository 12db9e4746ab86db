"""The page Motor: choose one of the catalogue, compare up to four, or type a datasheet in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..answers import catalogue
from ..answers.downloads import motor_download
from ..answers.motors import FIRST, MOST, Chosen, choose, refs_of
from ..cli.as_program import command_line, load_program, option_words, sheet_program
from ..cli.catalogue import SAYS, SHORT, Row, filter_rows, output_row, search_rows
from ..datasheet.side_by_side import figures_side_by_side
from ..errors import BackemfError, ParameterError
from ..motor.estimate import Estimate
from ..plot import interactive as pictures
from ..web.address import pack
from . import sheet_form
from .session import Session
from .widgets import box, card, data_table, empty, field, heading, link, named, picture, refill, select, sentence

FILTERS = {
    "fb": ("maker", ""), "fk": ("says", ""), "ft": ("torque", ">5 N*m"), "fs": ("speed", ">200 rpm"),
    "fv": ("voltage", "24 V"), "fm": ("mass", "<500 g"),
}  # fmt: skip
"""Name of each filter of the catalogue and an example, by its key in the state."""
NAME_CELL = """<q-td :props="props"><span class="pick">
    <input type="checkbox" :checked="props.row.on" :aria-label="'Compare ' + props.row.name"
        @change="$parent.$emit('mark', props.row.id)">
    <button class="as-link" @click="$parent.$emit('pick', props.row.id)">{{ props.row.name }}</button>
    </span></q-td>"""
FIGURE_CELL = '<q-td :props="props">{{ props.value ?? "–" }}</q-td>'
Choose = Callable[..., None]
"""Makes some motors those of all pages, and changes more of the state."""


def build(session: Session) -> None:
    """Build the page."""
    with box("columns wide"):
        with box():
            with ui.tabs(value=session.get("tab", "catalogue")).props('no-caps align="left"').classes("tabs") as tabs:
                ui.tab("catalogue", "Catalogue")
                ui.tab("sheet", "Your own datasheet")
            place = box()
        with box(), card("Chosen", "chosen"):
            chosen = box()
    compared = ui.element("div")

    def show_chosen() -> None:
        chosen.clear()
        compared.clear()
        with chosen:
            motors = _chosen(session, choose_refs, fork)
        with compared, card("Side by side", "below") if len(motors) > 1 else chosen:
            _figures(session, motors)
        _say(session)

    def choose_refs(refs: list[str], **more: str | None) -> None:
        # what was changed on Look belongs to the motor that was there
        session.put(m=",".join(dict.fromkeys(refs)), g=None, ge=None, ta=None, v=None, t=None, **more)
        show_chosen()

    def show_tab() -> None:
        place.clear()
        with place:
            if tabs.value == "sheet":
                sheet_form.build(session, choose_refs, show_tab)
            else:
                _catalogue(session, choose_refs)

    def change_tab() -> None:
        session.put(tab=None if tabs.value == "catalogue" else tabs.value)
        show_tab()

    def fork(one: Chosen) -> None:
        session.put(tab="sheet", d=pack(one.toml))
        tabs.value = "sheet"

    tabs.on_value_change(change_tab)
    show_chosen()
    show_tab()


# --- the catalogue


def _catalogue(session: Session, choose_refs: Choose) -> None:
    known: list[Row] = []

    def put(**changes: str) -> None:
        session.put(**changes)
        show()

    def show() -> None:
        wanted = {name: session.get(key) or None for key, (name, _) in FILTERS.items()}
        with refill(problem):
            rows = search_rows(filter_rows(known, **wanted) if known else [], session.get("q"))
            fitting = f"{len(rows)} of {len(known)} motors"
            if known:
                count.text = fitting if rows else "No motor fits: widen a filter or the search."
            marked = refs_of(session.state)
            shown.rows = [output_row(row) | {"on": row["id"] in marked} for row in rows]
            shown.update()

    async def fill() -> None:
        known.extend(await catalogue.rows())
        maker.set_options(["", *sorted({row["maker"] for row in known if row["maker"]}, key=str.lower)])
        maker.value = session.get("fb")
        show()

    def pick(refs: list[str]) -> None:
        choose_refs(refs)
        show()

    def mark(ref: str) -> None:
        refs = refs_of(session.state) or [FIRST]
        marked = [one for one in refs if one != ref] if ref in refs else [*refs, ref]
        if len(marked) > MOST:
            ui.notify(f"{MOST} motors fit side by side: remove one first")
        pick(marked[:MOST])

    with card("Catalogue"):
        with box("filters"):
            search = field("Search", session.get("q"), lambda text: put(q=text), "name, maker or kind", wait=150)
            search.classes("search")
            for key, (name, example) in FILTERS.items():
                if example:
                    field(name.capitalize(), session.get(key), lambda text, key=key: put(**{key: text}), example)
            maker = select("Maker", [""], "", lambda word: put(fb=word)).props("stack-label")
            select("What is known", {"": "anything", **SAYS}, session.get("fk"), lambda word: put(fk=word))
        problem = ui.element("div")
        count = ui.label("Reading the catalogue …").classes("muted").props('role="status"')
        columns = [("name", "motor", False), ("says", "says", False)]
        columns += [(key, title, True) for key, (title, *_) in SHORT.items()]
        shown = data_table(columns, [], True, row_key="id", pagination={"rowsPerPage": 12}).classes("catalogue")
    shown.add_slot("body-cell-name", NAME_CELL)
    for key in SHORT:
        shown.add_slot(f"body-cell-{key}", FIGURE_CELL)
    shown.on("pick", lambda event: (pick([event.args]), ui.run_javascript("studio.show('.chosen')")))
    shown.on("mark", lambda event: mark(event.args))
    ui.timer(0.01, fill, once=True)


# --- what is chosen


def _chosen(session: Session, choose_refs: Choose, fork: Callable[[Chosen], None]) -> list[Chosen]:
    """What is chosen and can be read, with its picture and the ways on."""
    refs = refs_of(session.state) or [FIRST]
    motors: list[Chosen] = []
    for ref in refs:
        try:
            motors.append(choose(ref, session.estimate))
        except BackemfError as error:
            sentence(str(error), "error")
    if not motors:
        empty("No motor is chosen.", "Click on one in the catalogue, or type its datasheet in.")
        return motors
    drawn = [(one.name, one.actuator, one.motor) for one in motors if one.motor is None or one.motor.motion != "linear"]
    if drawn:
        try:
            figure = pictures.torque_over_speed(drawn, None, None, session.speed_unit)
            picture(figure, "Torque over speed of what is chosen", 230 + 24 * len(drawn))
        except ParameterError as error:
            sentence(str(error), "warning")
    for one in motors:
        with ui.row().classes("chosen-motor"):
            ui.label(one.name).classes("motor-small")
            if one.sheet is not None:
                ui.label(one.sheet.says).classes("badge")
            if len(motors) > 1:
                others = [ref for ref in refs if ref != one.ref]
                remove = ui.button(icon="close", on_click=lambda others=others: choose_refs(others))
                named(remove.props("flat round dense size=sm"), f"Remove {one.name}")
    first, sheet = motors[0], motors[0].sheet
    with ui.row().classes("go-on"):
        link("Look at it", "/look", 'class="button"')
        link("To a simulator", "/simulators", 'class="button"')
        if sheet is not None:
            ui.button("Change its figures", icon="edit", on_click=lambda: fork(first)).props("flat dense no-caps")
    count = sum(len(_estimates(one)) for one in motors)
    if count or session.estimate:
        words = f"Estimate what is not printed ({count})"
        switch = ui.switch(words, value=session.estimate)
        switch.on_value_change(lambda event: choose_refs(refs, est="1" if event.value else None))
    for found in [f for f in (sheet.check() if sheet else []) if f.severity in ("warning", "error")][:6]:
        sentence(f"{found.figure.replace('_', ' ')}: {found.explanation}", found.severity)
    return motors


def _estimates(one: Chosen) -> Sequence[Estimate]:
    return one.sheet.estimates() if one.sheet and one.actuator.motor is not None else ()


def _figures(session: Session, motors: list[Chosen]) -> None:
    """The figures of all motors side by side, as they are printed, and what is estimated between which values."""
    found = figures_side_by_side([one.sheet for one in motors])
    if found:
        with ui.expansion(f"{len(found)} figures", value=len(motors) > 1).classes("text-panel"):
            columns = [("figure", "figure", False), *((f"m{k}", one.name, True) for k, one in enumerate(motors))]
            rows = [{"figure": name} | {f"m{k}": text for k, text in enumerate(texts)} for name, texts in found]
            data_table(columns, rows, False, pagination=0).props("wrap-cells hide-pagination").classes("figures")
    for one in motors if session.estimate else ():
        if _estimates(one):
            heading("Estimates, not the maker's figures" + (f": {one.name}" if len(motors) > 1 else ""), 3)
        for estimate in _estimates(one):
            value, low, high = estimate.texts()
            with box("estimate"):
                ui.label(estimate.name.replace(".", " ").replace("_", " "))
                ui.label(value).classes("number-cell")
                ui.label(f"90 % between {low} and {high}; {estimate.rule}").classes("muted rule")


def _say(session: Session) -> None:
    try:
        chosen = choose((refs_of(session.state) or [FIRST])[0], session.estimate)
    except BackemfError:
        session.show_texts("", "")
        return
    python = load_program(chosen.file)
    if chosen.sheet is not None:
        python = sheet_program(chosen.file, chosen.actuator.motor is not None, session.estimate)
    filters = option_words({name: session.get(key) for key, (name, _) in FILTERS.items()})
    listed = command_line("backemf", "list", *filters)
    shown = command_line("backemf", "show", chosen.file, *(["--estimate"] if session.estimating else []))
    session.show_texts(python, f"{listed}\n{shown}", motor_download(chosen))
