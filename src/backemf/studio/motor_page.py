"""The page Motor: choose one of the catalogue, compare up to four, or type a datasheet in."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import events, ui  # pyright: ignore[reportMissingImports]

from ..cli.catalogue import SAYS, Row, filter_rows
from ..errors import BackemfError, ParameterError
from ..motor.estimate import Estimate
from ..plot import interactive as pictures
from ..units import convert, format_quantity
from ..values import Foreign
from . import as_text, catalogue, sheet_form
from .address import pack
from .motors import FIRST, MOST, Chosen, choose, read_text, refs_of
from .session import Session
from .widgets import card, drop_header, empty, heading, named, picture, sentence

COLUMNS = (
    ("says", "says", None),
    ("voltage", "supply [V]", "V"),
    ("speed", "speed [rpm]", "rpm"),
    ("rated", "rated [N·m]", "N*m"),
    ("peak", "peak [N·m]", "N*m"),
    ("mass", "mass [kg]", "kg"),
)
"""Key, title and unit of the columns behind the name."""
FILTERS = (
    ("ft", "torque", "Torque", ">5 N*m"), ("fs", "speed", "Speed", ">200 rpm"), ("fv", "voltage", "Voltage", "24 V"),
    ("fm", "mass", "Mass", "<500 g"),
)  # fmt: skip
"""Key in the state, name of the filter, its title and an example."""
LARGEST = 200_000
"""Longest file that can be dropped [bytes]."""


async def build(session: Session) -> None:
    """Build the page."""
    with ui.element("div").classes("columns wide"):
        with ui.element("div").classes("stack"):
            with ui.tabs(value=session.get("tab", "catalogue")).props('no-caps align="left"').classes("tabs") as tabs:
                ui.tab("catalogue", "Catalogue")
                ui.tab("sheet", "Your own datasheet")
            place = ui.element("div").classes("stack")
        with ui.element("div").classes("stack"), card("Chosen", "chosen"):
            chosen = ui.element("div").classes("stack")
    compared = ui.element("div")

    def show_chosen() -> None:
        chosen.clear()
        compared.clear()
        with chosen:
            motors = _chosen(session, choose_refs, fork)
            if len(motors) == 1:
                _compared(motors)
                _estimates(session, motors)
        if len(motors) > 1:
            with compared, card("Side by side", "below"):
                _compared(motors)
                _estimates(session, motors)
        _say(session)

    def choose_refs(refs: list[str]) -> None:
        # what was changed on Look belongs to the motor that was there
        session.put(m=",".join(dict.fromkeys(refs)), g=None, ge=None, ta=None, v=None, t=None)
        show_chosen()

    async def show_tab() -> None:
        place.clear()
        with place:
            if tabs.value == "sheet":
                sheet_form.build(session, choose_refs)
                _drop(session, choose_refs, show_tab)
            else:
                await _catalogue(session, choose_refs)

    async def tab_changed() -> None:
        session.put(tab=None if tabs.value == "catalogue" else tabs.value)
        await show_tab()

    def fork(one: Chosen) -> None:
        session.put(tab="sheet", d=pack(one.toml))
        tabs.value = "sheet"

    tabs.on_value_change(tab_changed)
    show_chosen()
    await show_tab()


# --- the catalogue


async def _catalogue(session: Session, choose_refs: Foreign) -> None:
    with card("Catalogue"):
        with ui.element("div").classes("filters"):
            search = ui.input("Search", value=session.get("q"), placeholder="name, maker or kind")
            search.props('dense outlined stack-label debounce="150"').classes("search")
            fields = {
                key: ui.input(title, value=session.get(key), placeholder=example).props(
                    'dense outlined stack-label debounce="250"'
                )
                for key, _, title, example in FILTERS
            }
            maker = ui.select([""], label="Maker", value="").props("dense outlined stack-label options-dense")
            says = ui.select(
                {"": "anything", **{word: title for word, title in SAYS.items()}}, label="What is known",
                value=session.get("fk"),
            ).props("dense outlined options-dense")  # fmt: skip
        problem = ui.element("div")
        count = ui.label("Reading the catalogue …").classes("muted").props('role="status"')
        table = _table(session, choose_refs)

    async def fill() -> None:
        known = await catalogue.rows()
        maker.set_options(["", *sorted({row["maker"] for row in known if row["maker"]}, key=str.lower)])
        maker.value = session.get("fb")
        shown.extend(known)
        apply(shown)
        maker.on_value_change(changed)

    def changed() -> None:
        texts = {key: (field.value or "").strip() for key, field in fields.items()}
        session.put(
            q=(search.value or "").strip(), fb=maker.value if shown else session.get("fb"), fk=says.value, **texts
        )
        apply(shown)

    def apply(known: list[Row]) -> None:
        problem.clear()
        wanted = {name: session.get(key) or None for key, name, _, _ in FILTERS}
        try:
            rows = filter_rows(known, maker=session.get("fb") or None, says=session.get("fk") or None, **wanted)
        except BackemfError as error:
            with problem:
                sentence(str(error).removeprefix("--"), "error")
            return
        if not known:
            return
        words = session.get("q").lower().split()
        rows = [row for row in rows if all(word in _searched(row) for word in words)]
        count.text = f"{len(rows)} of {len(known)} motors" if rows else "No motor fits: widen a filter or the search."
        marked = refs_of(session.state)
        table.rows = [_shown(row, marked) for row in rows]
        table.update()

    shown: list[Row] = []
    for one in (search, *fields.values(), says):
        one.on_value_change(changed)
    ui.timer(0.01, fill, once=True)


def _searched(row: Row) -> str:
    return f"{row['id']} {row['name']} {row['maker']} {row['kind']}".lower()


def _shown(row: Row, marked: list[str]) -> Row:
    """A row of the table: figures at the output where there is a gear."""
    found = {
        "speed": row["output_speed"] if row["output_speed"] is not None else row["motor_speed"],
        "rated": row["output_torque"] if row["output_torque"] is not None else row["motor_torque"],
        "peak": row["output_peak_torque"] if row["output_peak_torque"] is not None else row["motor_peak_torque"],
    } | row
    numbers = {
        key: None if unit is None or found[key] is None else float(f"{convert(found[key], unit):.3g}")
        for key, _, unit in COLUMNS
    }
    plain = row["says"].removesuffix(" motor").removesuffix(" only")
    return numbers | {"id": row["id"], "name": row["name"], "says": plain, "on": row["id"] in marked}


def _table(session: Session, choose_refs: Foreign) -> Foreign:
    columns = [{"name": "name", "label": "motor", "field": "name", "align": "left", "sortable": True}]
    columns += [
        {"name": key, "label": title, "field": key, "align": "left" if unit is None else "right", "sortable": True}
        for key, title, unit in COLUMNS
    ]
    table = ui.table(columns=columns, rows=[], row_key="id", pagination={"rowsPerPage": 12}).classes("catalogue")
    table.props("flat dense").add_slot(
        "body-cell-name",
        """<q-td :props="props"><span class="pick">
        <input type="checkbox" :checked="props.row.on" :aria-label="'Compare ' + props.row.name"
            @change="$parent.$emit('mark', props.row.id)">
        <button class="as-link" @click="$parent.$emit('pick', props.row.id)">{{ props.row.name }}</button>
        </span></q-td>""",
    )
    for key, _, unit in COLUMNS:
        if unit is not None:
            table.add_slot(f"body-cell-{key}", '<q-td :props="props">{{ props.value ?? "–" }}</q-td>')

    def mark_rows() -> None:
        marked = refs_of(session.state)
        for row in table.rows:
            row["on"] = row["id"] in marked
        table.update()

    def pick(event: events.GenericEventArguments) -> None:
        choose_refs([event.args])
        mark_rows()

    def mark(event: events.GenericEventArguments) -> None:
        refs = refs_of(session.state) or [FIRST]
        if event.args in refs:
            refs.remove(event.args)
        elif len(refs) < MOST:
            refs.append(event.args)
        else:
            ui.notify(f"{MOST} motors fit side by side: remove one first")
        choose_refs(refs)
        mark_rows()

    table.on("pick", pick)
    table.on("mark", mark)
    return table


# --- what is chosen


def _chosen(session: Session, choose_refs: Foreign, fork: Foreign) -> list[Chosen]:
    """What is chosen, with its picture and the ways on."""
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
            figure = pictures.torque_over_speed(drawn, None, None, session.get("u", "rpm"))
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
    with ui.row().classes("go-on"):
        ui.html('<a class="button" data-page="/look" href="/look">Look at it</a>', sanitize=False)
        ui.html('<a class="button" data-page="/simulators" href="/simulators">To a simulator</a>', sanitize=False)
        if motors[0].sheet is not None:
            ui.button("Change its figures", icon="edit", on_click=lambda: fork(motors[0])).props("flat dense no-caps")
    _estimate_switch(session, motors, lambda: choose_refs(refs))
    if motors[0].sheet is not None:
        findings = [f for f in motors[0].sheet.check() if f.severity in ("warning", "error")]
        for found in findings[:6]:
            sentence(f"{found.figure.replace('_', ' ')}: {found.explanation}", found.severity)
    return motors


def _compared(motors: list[Chosen]) -> None:
    """The figures of all motors side by side, as they are printed."""
    names: dict[str, list[str]] = {}
    for k, one in enumerate(motors):
        for figure in one.sheet.figures() if one.sheet is not None else []:
            shown = format_quantity(figure.value, figure.unit) if isinstance(figure.value, float) else str(figure.value)
            names.setdefault(f"{figure.table}.{figure.key}", ["–"] * len(motors))[k] = shown
    if not names:
        return
    with ui.expansion(f"{len(names)} figures", value=len(motors) > 1).classes("text-panel"):
        columns = [{"name": "figure", "label": "figure", "field": "figure", "align": "left"}]
        columns += [
            {"name": f"m{k}", "label": one.name, "field": f"m{k}", "align": "right"} for k, one in enumerate(motors)
        ]
        rows = [
            {"figure": name.split(".")[-1].replace("_", " ")} | {f"m{k}": text for k, text in enumerate(texts)}
            for name, texts in names.items()
        ]
        ui.table(columns=columns, rows=rows, pagination=0).props("flat dense wrap-cells hide-pagination").classes(
            "figures"
        )


def _estimates_of(motors: list[Chosen]) -> dict[str, Sequence[Estimate]]:
    return {one.name: one.sheet.estimates() for one in motors if one.sheet and one.actuator.motor is not None}


def _estimate_switch(session: Session, motors: list[Chosen], redraw: Foreign) -> None:
    count = sum(map(len, _estimates_of(motors).values()))
    if not count and not session.estimate:
        return

    def switch(event: events.ValueChangeEventArguments) -> None:
        session.put(est="1" if event.value else None)
        redraw()

    ui.switch(f"Estimate what is not printed ({count})", value=session.estimate, on_change=switch)


def _estimates(session: Session, motors: list[Chosen]) -> None:
    """What is estimated, between which values, and what it rests on."""
    for name, estimates in _estimates_of(motors).items() if session.estimate else ():
        if estimates:
            heading("Estimates, not the maker's figures" + (f": {name}" if len(motors) > 1 else ""), 3)
        for estimate in estimates:
            value, low, high = estimate.texts()
            with ui.element("div").classes("estimate"):
                ui.label(estimate.name.replace(".", " ").replace("_", " "))
                ui.label(value).classes("number-cell")
                ui.label(f"90 % between {low} and {high}; {estimate.rule}").classes("muted rule")


def _drop(session: Session, choose_refs: Foreign, redraw: Foreign) -> None:
    """A place for a TOML file, which is read as the command line reads it."""

    async def dropped(event: events.UploadEventArguments) -> None:
        try:
            content = await event.file.read()
            try:
                text = content.decode()
            except UnicodeDecodeError:
                raise ParameterError(f"{event.file.name}: is not a text: drop the TOML file of a motor") from None
            found = read_text(text, event.file.name)
        except BackemfError as error:
            ui.notify(str(error), type="negative", multi_line=True, timeout=12_000, close_button="OK")
            return
        choose_refs([pack(text)])
        if found.sheet is not None:
            session.put(d=pack(text))
            # last, since the place for files is built anew with the form
            await redraw()

    with card("A TOML file"):
        ui.label("A datasheet or a motor file, as the command line writes them.").classes("muted")
        drop = ui.upload(on_upload=dropped, auto_upload=True, max_file_size=LARGEST, max_files=20)
        drop.props('flat bordered accept=".toml"').classes("drop")
        drop_header(drop, "Drop a TOML file here, or choose one")
        drop.on("rejected", lambda: ui.notify(f"a TOML file of at most {LARGEST // 1000} kB can be dropped here"))


def _say(session: Session) -> None:
    refs = refs_of(session.state) or [FIRST]
    try:
        chosen = choose(refs[0], session.estimate)
    except BackemfError:
        session.show_texts("", "")
        return
    estimate = ", estimate=True" if session.estimate else ""
    python = f'import backemf as be\n\nsheet = be.Datasheet.load("{chosen.file}")\nprint(sheet.check())\n'
    if chosen.sheet is None:
        python = f'import backemf as be\n\nactuator = be.load("{chosen.file}")\n'
    elif chosen.actuator.motor is not None:
        python += f"motor = sheet.motor({estimate.removeprefix(', ')})\n"
    filters = [as_text.option(f"--{name}", session.get(key)) for key, name, _, _ in FILTERS]
    chosen_filters = sum(
        filters, as_text.option("--maker", session.get("fb")) + as_text.option("--says", session.get("fk"))
    )
    listed = as_text.command("backemf", "list", *chosen_filters)
    shown = as_text.command("backemf", "show", chosen.file, *as_text.estimating(session))
    session.show_texts(python, f"{listed}\n{shown}", *as_text.motor_download(chosen))
