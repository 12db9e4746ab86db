"""The page Size: a task, the motors to choose from, and which of them can do it."""

from __future__ import annotations

import json
import shlex

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..actuator import Supply
from ..cli.size import COLUMNS as FIGURES
from ..cli.size import EXPENDABLE
from ..cli.tables import json_text
from ..errors import BackemfError
from ..files import read_text
from ..plot.interactive import COLOURS, SHADOW, figure
from ..size import Task, TaskLimits
from ..size.task import LARGEST, WANTED, JointTask, load_kinds
from ..size.task_file import motion_kinds
from ..toml_text import write_tables
from ..values import Foreign, Json
from .address import pack
from .forms import Table, fields_form, kinds_of, number_in, part_form, put_tables, read_tables, text_field
from .motors import choose, refs_of
from .session import Download, Session
from .uploads import Upload
from .widgets import card, empty, picture, refreshable_method, sentence
from .work import Work, drop_area, kept_answer, key_of, report_frame, uploads_of_session

FIRST = """
format = "backemf task 1"
wanted = ["mass", "energy"]

[supply]
voltage = "48 V"

[joints.joint]
rest = "2 s"

[joints.joint.motion]
kind = "trapezoid"
angle = "120 deg"
duration = "0.8 s"

[joints.joint.load]
kind = "Pendulum"
mass = "2 kg"
length = "0.4 m"
"""
"""The task of a page without an address."""
SOURCES = {"": "the catalogue of backemf", "chosen": "the motors of page 1", "files": "files that were dropped in"}
"""Where candidates come from."""
TOP = 50
"""Pairs of the table [1]."""
COLUMNS = [each for each in FIGURES if each[1] == "energy" or each[1] not in EXPENDABLE[:6]]
"""Those of the command line on a narrow terminal, and energy; the report has all."""


class Size:
    """One open page."""

    def __init__(self, session: Session):
        self.session = session
        self.files = uploads_of_session()
        self.answer = kept_answer(self.files, session.get("found"))
        self.task = read_tables(session.get("task"), FIRST)

    @property
    def text(self) -> str:
        """The task as TOML text."""
        efficiency = number_in(self.session.get("eff"))
        stage = {} if efficiency is None else {"efficiency": efficiency}
        gears = {"gears": {"ratios": self.ratios, **stage}} if self.ratios else {}
        return write_tables({**self.task, **gears, "format": "backemf task 1"})

    @property
    def ratios(self) -> list[float]:
        """Gears that motors without one may have."""
        found = [number_in(word) for word in self.session.get("ratios").replace(",", " ").split()]
        return [ratio for ratio in found if ratio is not None and ratio > 0.0][:200]

    def fault(self) -> str:
        """What is wrong with the task; a motion in a file is read by the job."""
        try:
            if not any(joint.get("motion", {}).get("kind") == "csv" for joint in self.task.get("joints", {}).values()):
                Task.parse(self.text, "task")
        except (BackemfError, AttributeError) as error:
            return str(error)
        return ""

    def put(self) -> None:
        """Keep the task in the address."""
        put_tables(self.session, task=self.text, found=None)
        self.verdict.refresh()
        self.texts()

    async def add(self, file: Upload) -> None:
        """A task, a motion, a robot's model, or candidates were dropped in."""
        joints: dict[str, Table] = self.task.setdefault("joints", {})
        if file.ending == ".toml" and "backemf task" in (text := _start_of(file)):
            self.task = read_tables(text, FIRST)
            self.files.remove(file.key)
        elif file.ending in (".xml", ".mjcf"):
            self.task["robot"] = {"model": file.name}
        elif file.ending == ".toml" or file.name.endswith(("_motors.csv", "_gearboxes.csv", "_compatibility.csv")):
            self.session.put(cand="files", found=None)
            self.candidates.refresh()
        else:
            for joint in joints.values():
                joint["motion"] = {"kind": "csv", "file": file.name}
                joint.pop("load", None)
        self.form.refresh()
        self.put()

    # --- the page

    def build(self) -> None:
        """Everything on it."""
        with ui.element("div").classes("columns"):
            with ui.element("div").classes("stack"):
                with card("1 The task"):
                    drop_area(
                        "Drop a task or a motion, or choose one",
                        self.files,
                        self.add,
                        (".toml", ".csv", ".xml", ".mjcf"),
                    )
                    self.form()
                with card("2 Candidates"):
                    self.candidates()
                with card("3 The search"):
                    self.work = Work("Sizing")
                    self.verdict()
            with ui.element("div").classes("stack"):
                self.results()
        self.texts()

    @refreshable_method
    def form(self) -> None:
        """The task, joint by joint."""
        loads, motions = kinds_of(load_kinds()), kinds_of(motion_kinds())
        for name, joint in self.task.setdefault("joints", {}).items():
            ui.label(f"Joint {name}" if len(self.task["joints"]) > 1 else "The joint").classes("muted")
            motion: Table = joint.setdefault("motion", {})
            if motion.get("kind") == "csv":
                with ui.row().classes("file-row"):
                    ui.label(f"moves as in {motion.get('file')}").classes("file-name")

                    def forget(joint: Table = joint) -> None:
                        joint["motion"] = {"kind": next(iter(motions))}
                        self.form.refresh()
                        self.put()

                    ui.button(icon="delete", on_click=forget).props('flat round dense aria-label="Another motion"')
            else:
                part_form("motion", motions, motion, self.put)
            part_form("load", loads, joint.setdefault("load", {}), self.put, none="in the motion or the robot")
            fields_form(JointTask, joint, self.put, skip=("motion", "load"))
        ui.label("All joints").classes("muted")
        fields_form(Supply, self.task.setdefault("supply", {}), self.put)
        wanted = self.task.get("wanted", ["mass"])
        names = {name: said for name, (_, said) in WANTED.items()}
        chosen = ui.select(
            names, value=[wanted] if isinstance(wanted, str) else wanted, multiple=True, label="minimise"
        )
        chosen.props("dense outlined").classes("full")
        chosen.on_value_change(lambda e: (self.task.__setitem__("wanted", e.value), self.put()))
        ambient = ui.input("ambient", placeholder="e.g. 40 degC", value=str(self.task.get("ambient", "")))
        ambient.props("dense outlined stack-label debounce=400").classes("full")
        ambient.on_value_change(lambda e: (self.task.__setitem__("ambient", _warm(e.value or "")), self.put()))
        with ui.expansion("limits").classes("full"):
            fields_form(TaskLimits, self.task.setdefault("limits", {}), self.put)

    @refreshable_method
    def candidates(self) -> None:
        """Where motors and gears come from."""

        def put(name: str, value: str | None) -> None:
            self.session.put(**{name: value, "found": None})
            self.texts()

        source = self.session.get("cand")
        choice = ui.select(SOURCES, value=source if source in SOURCES else "", label="motors")
        choice.props("dense outlined").classes("full").on_value_change(lambda e: put("cand", e.value))
        text_field(self.session, "ratios", "gears for motors without one", "10, 30, 100", "found", self.texts)
        text_field(self.session, "eff", "efficiency of a stage", "0.9", "found", self.texts)

    @refreshable_method
    def verdict(self) -> None:
        """What the task lacks, and the button."""
        fault = self.fault()
        if fault:
            sentence(fault, "warning")
        ui.button("Find motors", icon="play_arrow", on_click=self.find).props(
            "no-caps unelevated text-color=on-accent"
        ).set_enabled(not fault)

    async def find(self) -> None:
        """Run every candidate through the task."""
        if self.work.busy:
            return
        motors = [choose(ref, self.session.estimate) for ref in refs_of(self.session.state)]
        asked: dict[str, Json] = {
            "task": self.text, "files": self.files.names(), "from": self.session.get("cand"), "top": TOP,
            "motors": [{"ref": each.file, "text": each.text, "name": each.name} for each in motors],
        }  # fmt: skip
        found = await self.work.run("size", asked)
        if found is not None:
            self.answer = found
            self.files.write(key_of(asked), json.dumps(found))
            self.session.put(found=key_of(asked))
            self.results.refresh()
            self.texts()

    # --- what was found

    @refreshable_method
    def results(self) -> None:
        """Table and front of each joint."""
        if not self.answer:
            empty(
                "No motors yet.", "Say what the joint has to do, or drop in a task or a motion, and find motors for it."
            )
            return
        for name, joint in self.answer["joints"].items():
            self._joint(name, joint, self.answer["answer"]["joints"][name])
        with card("Report"):
            report_frame(self.answer["report"])

    def _joint(self, name: str, joint: dict[str, Foreign], said: dict[str, Foreign]) -> None:
        rows = {row["name"]: row for row in (*joint["front"], *joint["rows"])}
        links = {each: self._links(row["text"]) for each, row in rows.items()}
        title = f"{name}: " if len(self.answer["joints"]) > 1 else ""
        with card(f"{title}{said['feasible']} of {said['pairs']} pairs can do it"):
            if rows and len(self.answer["wanted"]) > 1:
                drawn = picture(self._front(joint), "Pairs by what is wanted; a point opens its pair", height=340)
                with ui.row().classes("open-in") as picked:
                    ui.label("A point of the picture opens its pair; the blue ones are beaten by no other.")

                def open_pair(event: Foreign) -> None:
                    points = event.args.get("points") or [{}]
                    pair = str(points[0].get("customdata"))
                    if pair in links:
                        picked.clear()
                        with picked:
                            ui.label(pair).classes("motor-name")
                            for page, link in links[pair].items():
                                ui.link(page, link)

                drawn.on("plotly_click", open_pair)
            if rows:
                self._table(joint["rows"], links)
            for reason, count in list(said["reasons"].items())[:5]:
                sentence(f"{count} out: {reason}", "info")
            for out in said["nearest"][:3]:
                sentence(f"{out['name']}: {out['reason']}", "info")

    def _links(self, text: str) -> dict[str, str]:
        try:
            packed = pack(text)
        except BackemfError:
            return {}
        pages = (("Look", "/look"), ("Try", "/try"), ("Simulators", "/simulators"))
        return {title: self.session.link(path, m=packed, est=None, found=None) for title, path in pages}

    def _front(self, joint: dict[str, Foreign]) -> dict[str, Foreign]:
        first, second = self.answer["wanted"][:2]
        ends = {"winding_temperature": "winding"}
        data = []
        for rows, title, colour, size in (
            (joint["rows"], "can do it", SHADOW, 8),
            (joint["front"], "front", COLOURS[0], 12),
        ):
            data.append({
                "type": "scatter", "mode": "markers", "name": title, "marker": {"color": colour, "size": size},
                "x": [row[ends.get(first, first)] for row in rows],
                "y": [row[ends.get(second, second)] for row in rows],
                "customdata": [row["name"] for row in rows], "text": [row["name"] for row in rows],
                "hovertemplate": "%{text}<br>%{x:.3g}, %{y:.3g}<extra></extra>",
            })  # fmt: skip
        words = [
            f"{name.replace('_', ' ')} [{WANTED[name][0].replace('degC', '°C').replace('*', '·')}]"
            for name in (first, second)
        ]
        return figure(data, *words, hovermode="closest")

    def _table(self, rows: list[dict[str, Foreign]], links: dict[str, dict[str, str]]) -> None:
        columns = [
            {"name": key, "label": title.replace("\n", " "), "field": key, "sortable": True,
             "align": "right" if form else "left"}
            for title, key, form in COLUMNS
        ]  # fmt: skip
        columns.insert(1, {"name": "open", "label": "open in", "field": "open", "align": "left"})
        lines = []
        for row in rows:
            shown = {key: _cell(row.get(key), form) for _, key, form in COLUMNS}
            shown["tightest"] = str(shown["tightest"]).replace("_", " ")
            lines.append({**shown, "open": [[page, link] for page, link in links[row["name"]].items()]})
        made = ui.table(columns=columns, rows=lines, row_key="name", pagination=10)
        made.props("dense flat").classes("full figures size-pairs")
        made.add_slot(
            "body-cell-open",
            '<q-td :props="props"><a v-for="each in props.row.open" :href="each[1]" class="cell-link">'
            "{{ each[0] }}</a></q-td>",
        )

    # --- as text

    def texts(self) -> None:
        """The same as Python, as a command, and as files."""
        source = self.session.get("cand")
        folder = {"": "", "chosen": "motors", "files": "candidates"}.get(source, "")
        given = f', "{folder}"' if folder else ""
        python = (
            f'import backemf as be\n\nfound = be.size("task.toml"{given})\nprint(found.best)\n'
            'found.report("size.html")\n'
        )
        words = ["backemf", "size", "task.toml", *(["--from", folder] if folder else []), "--report", "size.html"]
        command = shlex.join(words) + " --json > size.json"
        files = [Download("task.toml", lambda: self.text)]
        if self.answer:
            files.append(Download("size.html", lambda: self.answer["report"]))
            files.append(Download("size.json", lambda: json_text(self.answer["answer"]) + "\n"))
        self.session.show_texts(python, command, *files)


def build(session: Session) -> None:
    """Build the page."""
    Size(session).build()


def _cell(value: Foreign, form: str) -> Foreign:
    """A figure with as many digits as the command line prints, still a number, so that a column sorts by it."""
    if not isinstance(value, (int, float)) or not form:
        return value
    return round(100 * value) if form == "%" else float(f"{value:{form}}")


def _start_of(file: Upload) -> str:
    """The text of a file that may be a task; empty where it is too long or no text."""
    try:
        return read_text(file.path, LARGEST)
    except BackemfError:
        return ""


def _warm(text: str) -> str:
    return f"{text.strip()} degC" if text.strip().replace(".", "", 1).isdigit() else text.strip()
