"""The page Identify: logs, what their columns are, what they were taken on, and the motor that they show."""

from __future__ import annotations

import json
from functools import partial

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..actuator import Supply
from ..answers.downloads import Download
from ..answers.parts import kinds_of
from ..answers.state import number_in, read_columns, read_tables, whole_number
from ..cli.as_program import identify_texts
from ..cli.identify import share_or_note, verdict
from ..errors import BackemfError
from ..files import read_text
from ..identify import CHANNELS, Rig
from ..identify.channels import COMMANDS
from ..identify.headings import reading_options
from ..identify.rig import LARGEST, firmware_kinds, load_kinds
from ..plot.interactive_channels import Curve, channels_over_time
from ..toml_text import write_tables
from ..values import Foreign
from ..web.named_files import errors_show_names
from ..web.uploads import Upload
from .dropping import drop_area
from .file_page import FilePage, show_links
from .forms import fields_form, part_form
from .session import Session
from .widgets import box, card, columns, empty, named, picture, refreshable_method, sentence, table
from .work import Work, report_frame, start_button

LOGS = (".csv", ".tsv", ".txt", ".parquet", ".npz", ".json", ".jsonl", ".mcap")
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


class Identify(FilePage):
    """One open page."""

    key = "fit"

    def __init__(self, session: Session):
        super().__init__(session)
        self.rig = read_tables(session.get("rig"), FIRST_RIG)
        self.read: list[dict[str, Foreign]] = []
        self.stale = False

    # --- what the address says

    @property
    def logs(self) -> list[Upload]:
        """The logs that the address names and that are here, by name: their order is not that of a race of uploads."""
        there = self.session.get("logs").split(",")
        return sorted((each for each in self.files.all() if each.key in there), key=lambda each: (each.name, each.key))

    @property
    def seen(self) -> dict[str, tuple[str, str]]:
        """Channel and unit that each column is taken for by its heading."""
        return {text: (channel, unit) for row in self.read for text, channel, unit in row.get("columns", ())}

    @property
    def mapped(self) -> dict[str, list[str]]:
        """Channel and unit of columns that were corrected, by column."""
        return read_columns(self.session.get("map"))

    @property
    def rig_text(self) -> str:
        """The rig as TOML text."""
        return write_tables({**self.rig, "format": "backemf rig 1"})

    def payload(self) -> dict[str, Foreign]:
        """What a job is given."""
        chosen = self.session.chosen
        return {
            "logs": [{"key": each.key, "name": each.name, "path": str(each.path)} for each in self.logs],
            "files": self.files.names(), "rate": number_in(self.session.get("rate")),
            "motor": {"ref": chosen.file, "text": chosen.toml if chosen.text else "", "name": chosen.name},
            **reading_options(self.mapped, {text: channel for text, (channel, _) in self.seen.items()}),
        }  # fmt: skip

    @property
    def options(self) -> dict[str, Foreign]:
        """What `identify` takes besides logs, prior and rig."""
        get = self.session.get
        free = [word.strip() for word in get("free").split(",") if word.strip()]
        given = {"free": free, "hold_out": share_or_note(get("ho")), "seed": whole_number("random seed", get("seed"))}
        return {name: value for name, value in given.items() if value}

    # --- the page

    def build(self) -> None:
        """Everything on it."""
        left, right = columns()
        with left:
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
                    self.text_field(name, title, example, self.texts)
                self.work = Work("The fit")
                self.start()
        with right:
            self.results()
            self.columns()
            self.findings()
        self.texts()
        if self.logs:
            ui.timer(0.05, self.read_logs, once=True)

    async def add(self, file: Upload) -> None:
        """A file was dropped in: a log, a rig, or a robot's model."""
        if file.ending not in OTHERS:
            self.put(logs=",".join([*(each.key for each in self.logs), file.key]))
            await self.read_logs()
            return
        if file.ending == ".toml":
            with errors_show_names({str(file.path): file.name}):
                text = read_text(file.path, LARGEST, what="a rig in TOML")
            self.files.remove(file.key)
            Rig.parse(text, file.name)
            self.rig = read_tables(text, "")
        else:
            self.rig["load"] = {"kind": "RobotModel", "model": file.name}
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
            self.put(logs=",".join(each.key for each in self.logs if each.key != key))
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

        async def correct(column: str, channel: str | None, unit: str | None) -> None:
            now = {**self.mapped, column: [channel or "", (unit or "").strip()]}
            kept = {c: v for c, v in now.items() if c in seen and tuple(v) != tuple(seen[c])}
            self.put(map=json.dumps(kept, ensure_ascii=False) if kept else None)
            await self.read_logs()

        names = {"": "not read", "time": "time", **{name: name.replace("_", " ") for name in CHANNELS}}
        with card("Columns"):
            if "time" not in [channel for channel, _ in seen.values()]:
                self.text_field("rate", "rows per second, as no column has times", "200", self.read_logs)
            with box("column-map"):
                for text, guess in list(seen.items())[:200]:
                    channel, unit = self.mapped.get(text, guess)
                    ui.label(text).classes("file-name")
                    chosen = ui.select(names, value=channel if channel in names else "").props("dense outlined")
                    named(chosen, f"Channel of {text}")
                    shown = ui.input(value=unit, placeholder=CHANNELS[channel].unit if channel in CHANNELS else "unit")
                    named(shown.props("dense outlined debounce=700"), f"Unit of {text}")
                    for each in (chosen, shown):
                        each.on_value_change(lambda _, t=text, c=chosen, u=shown: correct(t, c.value, u.value))

    @refreshable_method
    def findings(self) -> None:
        """What is suspicious, log by log, and how they look."""
        if not self.logs:
            empty("No logs yet.", "Drop in files of one drive: CSV, parquet, NumPy archives, JSON of servo rigs, MCAP.")
        for row in self.read if self.logs else ():
            with card(row["name"]):
                if "error" in row:
                    sentence(row["error"], "error")
                    continue
                _say(row["findings"])
                if not row["findings"]:
                    sentence("nothing is suspicious", "ok")
                curves = [
                    Curve(title, CHANNELS[name].unit, time, values, name in COMMANDS)
                    for title, name, time, values in row["curves"]
                ]
                drawn = channels_over_time(curves)
                axes = sum(name.startswith("yaxis") for name in drawn["layout"])
                picture(drawn, f"Channels of {row['name']} over time", height=140 + 90 * axes)

    # --- the rig

    @refreshable_method
    def rig_form(self) -> None:
        """Load, firmware and supply; what is uncertain says by how much."""
        load, firmware, supply = (self.rig.setdefault(name, {}) for name in ("load", "firmware", "supply"))
        part_form("load", kinds_of(load_kinds()), load, self.put_rig, " +- 2 %")
        part_form("firmware", kinds_of(firmware_kinds()), firmware, self.put_rig, none="that of the motor below")
        fields_form(Supply, supply, self.put_rig)
        for channel in self.rig.get("sensors", {}):
            ui.label(f"sensor of {channel}, as in the file").classes("muted")

    def put_rig(self) -> None:
        """Keep the rig in the address."""
        self.put(rig=self.rig_text)
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

    @refreshable_method
    def start(self) -> None:
        """What is still missing, and the button."""
        fault, bad = self.rig_fault(), [row["name"] for row in self.read if "error" in row]
        sentence(fault or "the rig is complete; a quantity may be uncertain, as 0.49 kg +- 1 %",
                 "warning" if fault else "ok")  # fmt: skip
        why = "drop in a log first" if not self.logs else f"{bad[0]} cannot be read" if bad else ""
        if why:
            sentence(why, "warning")
        elif notes := sorted({note for row in self.read for note in row.get("notes", ())}):
            known = ", ".join(f"log.{each}" for each in notes[:8])
            sentence(f"notes of the logs can stand in a field, with their unit, as in log.mass kg: {known}")
        start_button("Find the motor", "play_arrow", self.fit).set_enabled(not why and not fault)

    async def fit(self) -> None:
        """Run the fit; one that was stopped goes on from the last law that it had fitted."""
        await self.run("identify", {**self.payload(), "rig": self.rig_text, **self.options})

    @refreshable_method
    def results(self) -> None:
        """The report in place, and ways to the other pages."""
        found = self.answer
        if not found:
            return
        with card("The motor that they show"):
            for joint, motor in found["motors"].items():
                with ui.row().classes("open-in"):
                    show_links(f"{joint}: open in" if joint else "Open in", self.links(motor))
            table(found["errors"][0], found["errors"][1:])
            table(["law", "on logs it has not seen"], [[name, verdict(*rest)] for name, *rest in found["laws"]])
            numbers = [[f"{n['name']} [{n['unit']}]", f"{n['prior']:.4g}", f"{n['value']:.4g}",
                        f"{n['low']:.4g} to {n['high']:.4g}"] for n in found["numbers"]]  # fmt: skip
            table(["number", "before", "found", "95 %"], numbers)
            _say(found["findings"])
            for note in found["notes"]:
                sentence(note, "info")
            report_frame(found["report"])

    def texts(self) -> None:
        """The same as Python, as a command, and as files."""
        logs, motor, asked = [each.name for each in self.logs], self.session.chosen.file, self.payload()
        if not logs:
            self.session.show_texts("", "")
            return
        reading = {"channels": asked["channels"], "units": asked["units"], "rate": asked["rate"]}
        texts = identify_texts(logs, motor, reading, self.options)
        files = [Download("rig.toml", lambda: self.rig_text)]
        for joint, text in self.answer.get("motors", {}).items():
            files.append(Download(f"fitted{'_' if joint else ''}{joint}.toml", lambda text=text: text))
        if self.answer:
            files.append(Download("fit.html", lambda: self.answer["report"]))
        self.session.show_texts(*texts, *files)


def build(session: Session) -> None:
    """Build the page."""
    Identify(session).build()


def _say(findings: list[list[str]]) -> None:
    for severity, figure, text in findings:
        sentence(f"{figure}: {text}", severity)
