"""The page Identify: logs, what their columns are, what they were taken on, and the motor that they show."""

from __future__ import annotations

import hashlib
import json
import shlex

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError
from ..identify import CHANNELS, Rig
from ..identify.rig import firmware_kinds, load_kinds
from ..toml_text import parse_toml
from ..values import Foreign, Json
from .address import pack, unpack
from .forms import Table, fields_form, kinds_of, part_form, toml_text
from .pictures import COLOURS, figure, line
from .session import Download, Session
from .uploads import Upload
from .widgets import card, empty, picture, sentence
from .work import Work, drop_area, uploads_of_session

LOGS = (".csv", ".parquet", ".npz", ".json", ".mcap")
"""Files of logs."""
OTHERS = (".toml", ".xml", ".mjcf")
"""A rig, and the model of a robot."""
FIRST_RIG = 'format = "backemf rig 1"\n\n[load]\nkind = "Pendulum"\n'
SUPPLY = ("voltage", "resistance")


class Identify:
    """One open page."""

    def __init__(self, session: Session):
        self.session = session
        self.files = uploads_of_session()
        self.read: list[dict[str, Foreign]] = []
        self.rig: Table = self._rig_tables()
        self.answer: dict[str, Foreign] = {}
        self.stale = False

    # --- what the address says

    @property
    def logs(self) -> list[Upload]:
        """The logs that the address names and that are here."""
        kept = {each.key: each for each in self.files.all()}
        return [kept[key] for key in self.session.get("logs").split(",") if key in kept]

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
        return toml_text({"format": "backemf rig 1", **{k: v for k, v in self.rig.items() if k != "format"}})

    def _rig_tables(self) -> Table:
        try:
            text = unpack(self.session.get("rig")) if self.session.get("rig") else FIRST_RIG
            return parse_toml(text, "rig", BackemfError, "a rig")
        except BackemfError:
            return parse_toml(FIRST_RIG, "rig", BackemfError, "a rig")

    def payload(self) -> dict[str, Json]:
        """What a job is given."""
        chosen = self.session.chosen
        guessed = {text: channel for row in self.read for text, channel, _ in row.get("columns", ())}
        now = {channel for channel, _ in self.mapped.values() if channel}
        gone = [guessed.get(column, "") for column, (channel, _) in self.mapped.items() if not channel]
        return {
            "logs": [{"key": each.key, "name": each.name, "path": str(each.path)} for each in self.logs],
            "files": self.files.names(),
            "channels": {channel: column for column, (channel, _) in self.mapped.items() if channel},
            "units": {column: unit for column, (channel, unit) in self.mapped.items() if channel and unit},
            "without": [channel for channel in gone if channel and channel not in now],
            "rate": _number(self.session.get("rate")),
            "motor": {"ref": chosen.file, "text": chosen.toml if chosen.text else "", "name": chosen.name},
        }

    # --- the page

    def build(self) -> None:
        """Everything on it."""
        with ui.element("div").classes("columns"):
            with ui.element("div").classes("stack"):
                with card("1 Logs"):
                    drop_area("Drop logs here", self.files, self.add, (*LOGS, *OTHERS))
                    self.list_logs()
                    self.reading = Work("Reading the logs")
                with card("2 What they were taken on"):
                    self.rig_form()
                    self.rig_verdict()
                with card("3 The fit"):
                    self.fit_form()
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
                text = file.path.read_text("utf-8")
                Rig.parse(text, file.name)
                self.rig = parse_toml(text, file.name, BackemfError, "a rig")
                self.put_rig()
                self.rig_form.refresh()
            except (BackemfError, UnicodeDecodeError) as error:
                ui.notify(str(error), type="negative", timeout=8000)
            self.files.remove(file.key)
        elif file.ending in OTHERS:
            self.rig["load"] = {"kind": "RobotModel", "model": file.name}
            self.put_rig()
            self.rig_form.refresh()
        else:
            self.session.put(logs=",".join([*(each.key for each in self.logs), file.key]), fit=None)
            await self.read_logs()

    async def read_logs(self) -> None:
        """Read the logs again; changes that come meanwhile are read afterwards, once."""
        self.stale = True
        self.list_logs.refresh()
        while self.stale and not self.reading.busy:
            self.stale = False
            rig = self.rig_text if self._rig_fault() == "" else ""
            found = await self.reading.run("logs", {**self.payload(), "rig": rig}) if self.logs else []
            if found is not None:
                self.read = found
        if not self.reading.busy:
            for part in (self.list_logs, self.columns, self.findings, self.fit_form):
                part.refresh()
            self.texts()

    @ui.refreshable_method
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
                ui.button(icon="delete", on_click=lambda key=each.key: forget(key)).props(
                    f'flat round dense aria-label="Remove {each.name}"'
                )

    # --- columns and checks

    @ui.refreshable_method
    def columns(self) -> None:
        """What each column is, guessed from its heading; each can be corrected."""
        seen = {text: (channel, unit) for row in self.read for text, channel, unit in row.get("columns", ())}
        if not seen:
            return
        names = {"": "not read", "time": "time", **{name: name.replace("_", " ") for name in CHANNELS}}

        async def correct(column: str, channel: str, unit: str) -> None:
            now = {**self.mapped, column: [channel, unit.strip()]}
            kept = {c: v for c, v in now.items() if tuple(v) != tuple(seen.get(c, ())) and c in seen}
            self.session.put(map=json.dumps(kept, ensure_ascii=False) if kept else None, fit=None)
            await self.read_logs()

        with card("Columns"), ui.element("div").classes("column-map"):
            for text, (channel, unit) in list(seen.items())[:200]:
                now, of = self.mapped.get(text, [channel, unit])
                ui.label(text).classes("file-name")
                choice = ui.select(names, value=now if now in names else "", with_input=False)
                choice.props(f'dense outlined aria-label="Channel of {text}"')
                shown = ui.input(value=of, placeholder=CHANNELS[now].unit if now in CHANNELS else "unit")
                shown.props(f'dense outlined debounce=700 aria-label="Unit of {text}"')
                choice.on_value_change(lambda e, c=text, u=shown: correct(c, e.value or "", u.value or ""))
                shown.on_value_change(lambda e, c=text, k=choice: correct(c, k.value or "", e.value or ""))

    @ui.refreshable_method
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
                picture(_drawn(row["curves"]), f"Channels of {row['name']} over time", height=280)

    # --- the rig

    @ui.refreshable_method
    def rig_form(self) -> None:
        """Load, firmware and supply; what is uncertain says by how much."""
        from ..actuator import Supply

        loads = kinds_of(load_kinds())
        part_form("load", loads, self.rig.setdefault("load", {}), self.put_rig, " +- 2 %")
        part_form("firmware", kinds_of(firmware_kinds()), self.rig.setdefault("firmware", {}), self.put_rig, "",
                  "that of the motor below")  # fmt: skip
        others = tuple(e for e in Supply.__dataclass_fields__ if e not in SUPPLY)
        fields_form(Supply, self.rig.setdefault("supply", {}), self.put_rig, skip=others)
        for channel in self.rig.get("sensors", {}):
            ui.label(f"sensor of {channel}, as in the file").classes("muted")

    def put_rig(self) -> None:
        """Keep the rig in the address."""
        try:
            self.session.put(rig=pack(self.rig_text), fit=None)
        except BackemfError as error:
            ui.notify(str(error), type="negative")
        self.rig_verdict.refresh()
        self.fit_form.refresh()
        self.texts()

    def _rig_fault(self) -> str:
        tables = {k: v for k, v in self.rig.items() if v != {}}
        try:
            Rig.parse(toml_text({"format": "backemf rig 1", **{k: v for k, v in tables.items() if k != "format"}}), "rig")
        except BackemfError as error:
            return str(error)
        return ""

    @ui.refreshable_method
    def rig_verdict(self) -> None:
        """What the rig lacks."""
        fault = self._rig_fault()
        sentence(fault or "the rig is complete; a quantity may be uncertain, as 0.49 kg +- 1 %, or a note, as log.kp",
                 "warning" if fault else "ok")  # fmt: skip

    # --- the fit

    @ui.refreshable_method
    def fit_form(self) -> None:
        """What is believed, what is held out, and the button."""
        ui.label("Believed before").classes("muted")
        ui.link(self.session.chosen.name, self.session.link("/motor"))
        for name, title, example in (
            ("ho", "hold out", "kp==800, or a share such as 0.3"), ("free", "free, optional", "motor.friction.*"),
            ("seed", "random seed", "0"),
        ):  # fmt: skip
            line = ui.input(title, value=self.session.get(name), placeholder=example)
            line.props("dense outlined debounce=400").classes("full")
            line.on_value_change(lambda e, name=name: (self.session.put(**{name: e.value, "fit": None}), self.texts()))
        self.work = Work("The fit")
        bad = [row["name"] for row in self.read if "error" in row]
        ready = bool(self.logs) and not bad and not self._rig_fault()
        button = ui.button("Find the motor", icon="play_arrow", on_click=self.fit).props("no-caps unelevated")
        button.set_enabled(ready)
        if not ready:
            why = "drop in a log first" if not self.logs else f"{bad[0]} cannot be read" if bad else "complete the rig first"
            ui.label(why).classes("muted")

    async def fit(self) -> None:
        """Run the fit; one that was stopped goes on from the last law that it had fitted."""
        if self.work.busy:
            return
        share = _number(self.session.get("ho"))
        asked = {
            **self.payload(), "rig": self.rig_text, "hold_out": self.session.get("ho") or None if share is None else share,
            "free": [word.strip() for word in self.session.get("free").split(",") if word.strip()],
            "seed": int(_number(self.session.get("seed")) or 0),
        }  # fmt: skip
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]
        found = await self.work.run("identify", {**asked, "keep": str(self.files.folder / f"{key}.part")})
        if found is not None:
            self.files.write(key, json.dumps(found))
            self.session.put(fit=key)
            self.results.refresh()
            self.texts()

    @ui.refreshable_method
    def results(self) -> None:
        """The report in place, and ways to the other pages."""
        text = self.files.read(self.session.get("fit")) if self.session.get("fit") else ""
        self.answer = json.loads(text) if text else {}
        if not self.answer:
            return
        found = self.answer
        with card("The motor that they show"):
            for joint, motor in found["motors"].items():
                with ui.row().classes("open-in"):
                    ui.label(f"{joint}: open in" if joint else "Open in")
                    for path, title in (("/look", "Look"), ("/try", "Try"), ("/simulators", "Simulators")):
                        ui.link(title, self.session.link(path, m=pack(motor), est=None))
            _table(found["errors"][0], found["errors"][1:])
            _table(["law", "on logs it has not seen"], [[name, _verdict(*rest)] for name, *rest in found["laws"]])
            heads = ["number", "before", "found", "95 %"]
            _table(heads, [[f"{n['name']} [{n['unit']}]", f"{n['prior']:.4g}", f"{n['value']:.4g}",
                            f"{n['low']:.4g} to {n['high']:.4g}"] for n in found["numbers"]])  # fmt: skip
            for severity, figure, said in found["findings"]:
                sentence(f"{figure}: {said}", severity)
            for note in found["notes"]:
                sentence(note, "info")
            with ui.expansion("The whole report").classes("full") as more:
                frame = ui.element("iframe").classes("report").props('title="Report of the fit" sandbox=""')
                more.on_value_change(lambda e: frame.props.__setitem__("srcdoc", found["report"]) or frame.update())

    # --- as text

    def texts(self) -> None:
        """The same as Python, as a command, and as files."""
        logs, chosen = [each.name for each in self.logs], self.session.chosen
        if not logs:
            self.session.show_texts("", "")
            return
        asked = self.payload()
        share = _number(self.session.get("ho"))
        hold = self.session.get("ho") if share is None else share
        more = {"channels": asked["channels"], "units": asked["units"], "rate": asked["rate"]}
        given = "".join(f", {name}={value!r}" for name, value in more.items() if value)
        free = [word.strip() for word in self.session.get("free").split(",") if word.strip()]
        seed = int(_number(self.session.get("seed")) or 0)
        options = "".join(f", {n}={v!r}" for n, v in {"free": free, "hold_out": hold, "seed": seed}.items() if v)
        python = (
            "import backemf as be\n\n"
            f"logs = [be.read_log(path{given}) for path in {logs!r}]\n"
            f'fit = be.identify(logs, {chosen.file!r}, rig=be.Rig.read("rig.toml"){options})\n'
            'fit.save("fitted.toml")\nfit.report("fit.html")\n'
        )
        words = ["backemf", "identify", *logs, "--motor", chosen.file, "--rig", "rig.toml"]
        words += [word for channel, column in dict(asked["channels"]).items() for word in ("--channel", f"{channel}={column}")]
        words += [word for column, unit in dict(asked["units"]).items() for word in ("--unit", f"{column}={unit}")]
        words += [word for name in free for word in ("--free", name)]
        words += ["--hold-out", str(hold)] if hold else []
        words += ["--seed", str(seed)] if seed else []
        files = [Download("rig.toml", lambda: self.rig_text)]
        for joint, text in self.answer.get("motors", {}).items():
            files.append(Download(f"fitted{'_' if joint else ''}{joint}.toml", lambda text=text: text))
        if self.answer:
            files.append(Download("fit.html", lambda: self.answer["report"]))
        command = shlex.join([*words, "-o", "fitted.toml", "--report", "fit.html"])
        self.session.show_texts(python, command, *files)


def build(session: Session) -> None:
    """Build the page."""
    Identify(session).build()


def _table(heads: list[str], rows: list[list[str]]) -> None:
    columns = [{"name": str(k), "label": head, "field": str(k), "align": "left", "sortable": True} for k, head in enumerate(heads)]
    lines = [{str(k): cell for k, cell in enumerate(row)} for row in rows]
    ui.table(columns=columns, rows=lines).props("dense flat hide-bottom wrap-cells").classes("full figures")


def _verdict(kept: bool, gain: float, error: float) -> str:
    if gain == 0.0 and error == 0.0:
        return "always there" if kept else "left out: saves nothing on any log"
    return f"{'stays' if kept else 'left out'}: {gain:.2g} ± {error:.2g} of the loss of a block"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _drawn(curves: list[list[Foreign]]) -> dict[str, Foreign]:
    """Channels of one unit share an axis; axes stand above each other."""
    units = list(dict.fromkeys(CHANNELS[name].unit for _, name, *_ in curves))[:4]
    places: dict[str, Foreign] = {}
    for k, unit in enumerate(units):
        low, title = 1.0 - (k + 1) / len(units), unit.replace("*", "·").replace("degC", "°C")
        domain = [low + 0.05, low + 1.0 / len(units)]
        places["yaxis" if k == 0 else f"yaxis{k + 1}"] = {"title": {"text": title}, "domain": domain, "anchor": "x", "automargin": True}
    lines = [
        line(time, values, title, COLOURS[number % len(COLOURS)], yaxis=f"y{units.index(CHANNELS[name].unit) + 1}".replace("y1", "y"),
             width=1.5, dash="dot" if name.endswith("_command") else "solid")
        for number, (title, name, time, values) in enumerate(curves) if CHANNELS[name].unit in units
    ]  # fmt: skip
    return figure(lines, "time [s]", "", **places)
