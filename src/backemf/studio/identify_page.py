"""The page Identify: logs, what their columns are, what they were taken on, and the motor that they show."""

from __future__ import annotations

import json
import shlex
from functools import partial

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..actuator import Supply
from ..cli.identify import verdict
from ..errors import BackemfError
from ..files import read_text
from ..identify import CHANNELS, Rig
from ..identify.rig import LARGEST, firmware_kinds, load_kinds
from ..plot.interactive import COLOURS, figure, line
from ..toml_text import write_tables
from ..values import Foreign
from .address import pack
from .forms import fields_form, kinds_of, number_in, part_form, put_tables, read_tables, text_field
from .session import Download, Session
from .uploads import Upload
from .widgets import card, empty, named, picture, refreshable_method, sentence
from .work import Work, drop_area, kept_answer, key_of, report_frame, uploads_of_session

LOGS = (".csv", ".parquet", ".npz", ".json", ".mcap")
"""Files of logs."""
OTHERS = (".toml", ".xml", ".mjcf")
"""A rig, and the model of a robot."""
FIRST_RIG = 'format = "backemf rig 1"\n\n[load]\nkind = "Pendulum"\n'
FIELDS = (
    ("ho", "hold out", "kp==800, or a share: 0.3"),
    ("free", "free", "all; or motor.friction.*"),
    ("seed", "random seed", "0"),
)
"""Name in the address, title and example of each option."""


class Identify:
    """One open page."""

    def __init__(self, session: Session):
        self.session = session
        self.files = uploads_of_session()
        self.read: list[dict[str, Foreign]] = []
        self.rig = read_tables(session.get("rig"), FIRST_RIG)
        self.answer = kept_answer(self.files, session.get("fit"))
        self.stale = False

    # --- what the address says

    @property
    def logs(self) -> list[Upload]:
        """The logs that the address names and that are here, by name: their order is not that of a race of uploads."""
        named = self.session.get("logs").split(",")
        return sorted((each for each in self.files.all() if each.key in named), key=lambda each: (each.name, each.key))

    @property
    def seen(self) -> dict[str, tuple[str, str]]:
        """Channel and unit that each column is taken for by its heading."""
        return {text: (channel, unit) for row in self.read for text, channel, unit in row.get("columns", ())}

    @property
    def mapped(self) -> dict[str, list[str]]:
        """Channel and unit of columns that were corrected, by column."""
        try:
            found = json.loads(self.session.get("map", "{}"))
        except ValueError:
            return {}
        return {str(k): [str(x) for x in v][:2] for k, v in found.items() if isinstance(v, list) and len(v) >= 2}

    @property
    def rig_text(self) -> str:
        """The rig as TOML text."""
        return write_tables({**self.rig, "format": "backemf rig 1"})

    def payload(self) -> dict[str, Foreign]:
        """What a job is given."""
        chosen = self.session.chosen
        guessed = {text: channel for text, (channel, _) in self.seen.items()}
        now = {channel for channel, _ in self.mapped.values() if channel}
        gone = [guessed.get(column, "") for column, (channel, _) in self.mapped.items() if not channel]
        return {
            "logs": [{"key": each.key, "name": each.name, "path": str(each.path)} for each in self.logs],
            "files": self.files.names(),
            "channels": {channel: column for column, (channel, _) in self.mapped.items() if channel},
            "units": {column: unit for column, (channel, unit) in self.mapped.items() if channel and unit},
            "without": [channel for channel in gone if channel and channel not in now],
            "rate": number_in(self.session.get("rate")),
            "motor": {"ref": chosen.file, "text": chosen.toml if chosen.text else "", "name": chosen.name},
        }

    # --- the page

    def build(self) -> None:
        """Everything on it."""
        with ui.element("div").classes("columns"):
            with ui.element("div").classes("stack"):
                with card("1 Logs"):
                    drop_area("Drop logs here, or choose them", self.files, self.add, (*LOGS, *OTHERS))
                    self.list_logs()
                    self.reading = Work("Reading the logs")
                with card("2 What they were taken on"):
                    self.rig_form()
                with card("3 The fit"):
                    with ui.row().classes("open-in"):
                        ui.label("Starts from").classes("muted")
                        ui.link(self.session.chosen.name, self.session.link("/motor"))
                    for name, title, example in FIELDS:
                        text_field(self.session, name, title, example, "fit", self.texts)
                    self.work = Work("The fit")
                    self.start()
            with ui.element("div").classes("stack"):
                self.results()
                self.columns()
                self.findings()
        self.texts()
        if self.logs:
            ui.timer(0.05, self.read_logs, once=True)

    async def add(self, file: Upload) -> None:
        """A file was dropped in: a log, a rig, or a robot's model."""
        if file.ending == ".toml":
            try:
                text = read_text(file.path, LARGEST, what="a rig in TOML")
                Rig.parse(text, file.name)
                self.rig = read_tables(text, "")
            except BackemfError as error:
                ui.notify(str(error).replace(str(file.path), file.name), type="negative", timeout=8000)
            self.files.remove(file.key)
        elif file.ending in OTHERS:
            self.rig["load"] = {"kind": "RobotModel", "model": file.name}
        else:
            self.session.put(logs=",".join([*(each.key for each in self.logs), file.key]), fit=None)
            await self.read_logs()
            return
        self.rig_form.refresh()
        self.put_rig()

    async def read_logs(self) -> None:
        """Read the logs again; changes that come meanwhile are read afterwards, once."""
        self.stale = True
        self.list_logs.refresh()
        while self.stale and not self.reading.busy:
            self.stale = False
            rig = "" if self.rig_fault() else self.rig_text
            found = await self.reading.run("logs", {**self.payload(), "rig": rig}) if self.logs else []
            if self.reading.client.is_deleted:
                return
            before = self.seen
            self.read = self.read if found is None else found
            if self.seen != before:  # a menu that is open stays so where nothing has changed
                self.columns.refresh()
        if not self.reading.busy:
            for part in (self.list_logs, self.findings, self.start):
                part.refresh()
            self.texts()

    @refreshable_method
    def list_logs(self) -> None:
        """The logs with what they hold, and a button that forgets each."""
        known = {row["key"]: row for row in self.read}

        async def forget(key: str) -> None:
            self.session.put(logs=",".join(each.key for each in self.logs if each.key != key), fit=None)
            self.files.remove(key)
            await self.read_logs()

        for each in self.logs:
            row = known.get(each.key, {})
            with ui.row().classes("file-row"):
                with ui.column().classes("file-text"):
                    ui.label(each.name).classes("file-name")
                    if "rows" in row:
                        notes = "".join(f", {name} = {value}" for name, value in list(row["notes"].items())[:3])
                        ui.label(f"{row['duration']:.4g} s, {row['rows']} rows{notes}").classes("muted")
                remove = ui.button(icon="delete", on_click=partial(forget, each.key)).props("flat round dense")
                named(remove, f"Remove {each.name}")

    # --- columns and checks

    @refreshable_method
    def columns(self) -> None:
        """What each column is, guessed from its heading; each can be corrected."""
        seen = self.seen
        if not seen:
            return
        names = {"": "not read", "time": "time", **{name: name.replace("_", " ") for name in CHANNELS}}

        async def correct(column: str, channel: str, unit: str) -> None:
            now = {**self.mapped, column: [channel, unit.strip()]}
            kept = {c: v for c, v in now.items() if tuple(v) != tuple(seen.get(c, ())) and c in seen}
            self.session.put(map=json.dumps(kept, ensure_ascii=False) if kept else None, fit=None)
            await self.read_logs()

        with card("Columns"):
            if "time" not in [channel for channel, _ in seen.values()]:
                text_field(
                    self.session, "rate", "rows per second, as no column has times", "200", "fit", self.read_logs
                )
            self._column_map(seen, names, correct)

    def _column_map(self, seen: Foreign, names: dict[str, str], correct: Foreign) -> None:
        with ui.element("div").classes("column-map"):
            for text, (channel, unit) in list(seen.items())[:200]:
                now, of = self.mapped.get(text, [channel, unit])
                ui.label(text).classes("file-name")
                choice = ui.select(names, value=now if now in names else "", with_input=False)
                named(choice.props("dense outlined"), f"Channel of {text}")
                shown = ui.input(value=of, placeholder=CHANNELS[now].unit if now in CHANNELS else "unit")
                named(shown.props("dense outlined debounce=700"), f"Unit of {text}")
                choice.on_value_change(lambda e, c=text, u=shown: correct(c, e.value or "", u.value or ""))
                shown.on_value_change(lambda e, c=text, k=choice: correct(c, k.value or "", e.value or ""))

    @refreshable_method
    def findings(self) -> None:
        """What is suspicious, log by log, and how they look."""
        if not self.logs:
            empty("No logs yet.", "Drop in files of one drive: CSV, parquet, NumPy archives, JSON of servo rigs, MCAP.")
            return
        for row in self.read:
            with card(row["name"]):
                if "error" in row:
                    sentence(row["error"], "error")
                    continue
                for severity, figure, text in row["findings"]:
                    sentence(f"{figure}: {text}", severity)
                if not row["findings"]:
                    sentence("nothing is suspicious", "ok")
                axes = len({CHANNELS[name].unit for _, name, *_ in row["curves"]})
                picture(_drawn(row["curves"]), f"Channels of {row['name']} over time", height=140 + 90 * min(axes, 4))

    # --- the rig

    @refreshable_method
    def rig_form(self) -> None:
        """Load, firmware and supply; what is uncertain says by how much."""
        own = "that of the motor below"
        part_form("load", kinds_of(load_kinds()), self.rig.setdefault("load", {}), self.put_rig, " +- 2 %")
        part_form("firmware", kinds_of(firmware_kinds()), self.rig.setdefault("firmware", {}), self.put_rig, none=own)
        fields_form(Supply, self.rig.setdefault("supply", {}), self.put_rig)
        for channel in self.rig.get("sensors", {}):
            ui.label(f"sensor of {channel}, as in the file").classes("muted")

    def put_rig(self) -> None:
        """Keep the rig in the address."""
        put_tables(self.session, rig=self.rig_text, fit=None)
        self.start.refresh()
        self.texts()

    def rig_fault(self) -> str:
        """What the rig lacks; empty: nothing."""
        try:
            Rig.parse(self.rig_text, "rig")
        except BackemfError as error:
            return str(error)
        return ""

    # --- the fit

    @property
    def options(self) -> dict[str, Foreign]:
        """What `identify` takes besides logs, prior and rig."""
        hold, seed = self.session.get("ho"), number_in(self.session.get("seed"))
        free = [word.strip() for word in self.session.get("free").split(",") if word.strip()]
        given = {"free": free, "hold_out": hold if number_in(hold) is None else number_in(hold), "seed": int(seed or 0)}
        return {name: value for name, value in given.items() if value}

    @refreshable_method
    def start(self) -> None:
        """What is still missing, and the button."""
        fault, bad = self.rig_fault(), [row["name"] for row in self.read if "error" in row]
        sentence(fault or "the rig is complete; a quantity may be uncertain, as 0.49 kg +- 1 %, or a note, as log.kp",
                 "warning" if fault else "ok")  # fmt: skip
        why = "drop in a log first" if not self.logs else f"{bad[0]} cannot be read" if bad else ""
        if why:
            sentence(why, "warning")
        elif notes := sorted({note for row in self.read for note in row.get("notes", ())}):
            sentence("notes of the logs can stand in a field: " + ", ".join(f"log.{each}" for each in notes[:8]))
        button = ui.button("Find the motor", icon="play_arrow", on_click=self.fit).props(
            "no-caps unelevated text-color=on-accent"
        )
        button.set_enabled(not why and not fault)

    async def fit(self) -> None:
        """Run the fit; one that was stopped goes on from the last law that it had fitted."""
        if self.work.busy:
            return
        asked = {**self.payload(), "rig": self.rig_text, **self.options}
        key = key_of(asked)
        found = await self.work.run("identify", {**asked, "keep": str(self.files.folder / f"{key}.part")})
        if found is not None:
            self.answer = found
            self.files.write(key, json.dumps(found))
            self.session.put(fit=key)
            self.results.refresh()
            self.texts()

    @refreshable_method
    def results(self) -> None:
        """The report in place, and ways to the other pages."""
        found = self.answer
        if not found:
            return
        with card("The motor that they show"):
            for joint, motor in found["motors"].items():
                with ui.row().classes("open-in"):
                    ui.label(f"{joint}: open in" if joint else "Open in")
                    for path, title in (("/look", "Look"), ("/try", "Try"), ("/simulators", "Simulators")):
                        ui.link(title, self.session.link(path, m=pack(motor), est=None))
            _table(found["errors"][0], found["errors"][1:])
            _table(["law", "on logs it has not seen"], [[name, verdict(*rest)] for name, *rest in found["laws"]])
            heads = ["number", "before", "found", "95 %"]
            _table(heads, [[f"{n['name']} [{n['unit']}]", f"{n['prior']:.4g}", f"{n['value']:.4g}",
                            f"{n['low']:.4g} to {n['high']:.4g}"] for n in found["numbers"]])  # fmt: skip
            for severity, figure, said in found["findings"]:
                sentence(f"{figure}: {said}", severity)
            for note in found["notes"]:
                sentence(note, "info")
            report_frame(found["report"])

    # --- as text

    def texts(self) -> None:
        """The same as Python, as a command, and as files."""
        logs, chosen, asked = [each.name for each in self.logs], self.session.chosen, self.payload()
        if not logs:
            self.session.show_texts("", "")
            return
        given = "".join(f", {name}={asked[name]!r}" for name in ("channels", "units", "rate") if asked[name])
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        python = (
            "import backemf as be\n\n"
            f"logs = [be.read_log(path{given}) for path in {logs!r}]\n"
            f'fit = be.identify(logs, {chosen.file!r}, rig=be.Rig.read("rig.toml"){options})\n'
            'fit.save("fitted.toml")\nfit.report("fit.html")\n'
        )
        words = ["backemf", "identify", *logs, "--motor", chosen.file, "--rig", "rig.toml"]
        for name, pairs in (("--channel", asked["channels"]), ("--unit", asked["units"])):
            words += [word for key, value in dict(pairs).items() for word in (name, f"{key}={value}")]
        words += ["--rate", f"{asked['rate']:g} Hz"] if asked["rate"] else []
        for name, value in self.options.items():
            for each in value if isinstance(value, list) else [value]:
                words += [f"--{name.replace('_', '-')}", str(each)]
        files = [Download("rig.toml", lambda: self.rig_text)]
        for joint, text in self.answer.get("motors", {}).items():
            files.append(Download(f"fitted{'_' if joint else ''}{joint}.toml", lambda text=text: text))
        if self.answer:
            files.append(Download("fit.html", lambda: self.answer["report"]))
        self.session.show_texts(python, shlex.join([*words, "-o", "fitted.toml", "--report", "fit.html"]), *files)


def build(session: Session) -> None:
    """Build the page."""
    Identify(session).build()


def _table(heads: list[str], rows: list[list[str]]) -> None:
    columns = [
        {"name": str(k), "label": head, "field": str(k), "align": "left", "sortable": True}
        for k, head in enumerate(heads)
    ]
    lines = [{str(k): cell for k, cell in enumerate(row)} for row in rows]
    ui.table(columns=columns, rows=lines).props("dense flat hide-bottom wrap-cells").classes("full figures")


def _drawn(curves: list[list[Foreign]]) -> dict[str, Foreign]:
    """Channels of one unit share an axis; axes stand above each other."""
    units = list(dict.fromkeys(CHANNELS[name].unit for _, name, *_ in curves))[:4]
    places: dict[str, Foreign] = {}
    for k, unit in enumerate(units):
        low, title = 1.0 - (k + 1) / len(units), {"degC": "°C", "1": ""}.get(unit, unit).replace("*", "·")
        domain = [low + 0.05, low + 1.0 / len(units)]
        place = "yaxis" if k == 0 else f"yaxis{k + 1}"
        places[place] = {"title": {"text": title}, "domain": domain, "anchor": "x", "automargin": True, "nticks": 4}
    axes = {unit: "y" if k == 0 else f"y{k + 1}" for k, unit in enumerate(units)}
    lines = [
        line(time, values, title, COLOURS[number % len(COLOURS)], yaxis=axes[CHANNELS[name].unit], width=1.5,
             dash="dot" if name.endswith("_command") else "solid")
        for number, (title, name, time, values) in enumerate(curves) if CHANNELS[name].unit in units
    ]  # fmt: skip
    last = "y" if len(units) < 2 else f"y{len(units)}"
    return figure(lines, "time [s]", "", xaxis={"anchor": last}, **places)
