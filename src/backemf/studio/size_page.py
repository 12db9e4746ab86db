"""The page Size: a task, the motors to choose from, and which of them can do it."""

from __future__ import annotations

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..actuator import Supply
from ..answers.downloads import Download
from ..answers.motors import choose, refs_of
from ..answers.parts import kinds_of
from ..answers.state import gears_table, number_in, read_tables
from ..cli.as_program import size_texts
from ..cli.size import COLUMNS as FIGURES
from ..cli.size import EXPENDABLE, axis_of, rounded
from ..cli.tables import json_text
from ..errors import BackemfError
from ..plot.interactive_pairs import pairs_by_figures
from ..size import Task, TaskLimits
from ..size.task import LARGEST, WANTED, JointTask, load_kinds
from ..size.task_file import EXAMPLE, FORMAT, motion_kinds
from ..toml_text import write_tables
from ..values import Foreign
from ..web.uploads import Upload
from .dropping import drop_area
from .file_page import FilePage, show_links
from .forms import Table, fields_form, part_form
from .session import Session
from .widgets import card, choice, columns, data_table, empty, named, picture, refreshable_method, sentence, text_input
from .work import Work, report_frame, start_button

SOURCES = {"": "the catalogue of backemf", "chosen": "the motors of page 1", "files": "files that were dropped in"}
"""Where candidates come from."""
FOLDERS = {"chosen": "motors", "files": "candidates"}
"""Folder of the command for those that are not in the catalogue."""
CANDIDATES = ("_motors.csv", "_gearboxes.csv", "_compatibility.csv")
"""Ends of the names of a catalogue's files."""
TOP = 50
"""Pairs of the table [1]."""
COLUMNS = [each for each in FIGURES if each[1] == "energy" or each[1] not in EXPENDABLE[:6]]
"""Those of the command line on a narrow terminal, and energy; the report has all."""
OPEN = """<q-td :props="props"><a v-for="each in props.row.open" :href="each[1]" class="cell-link">{{ each[0] }}</a>
</q-td>"""
"""A cell with the pages that open a pair."""


class Size(FilePage):
    """One open page."""

    key = "found"

    def __init__(self, session: Session):
        super().__init__(session)
        self.task = read_tables(session.get("task"), EXAMPLE)

    @property
    def text(self) -> str:
        """The task as TOML text, with the gears that motors without one may have."""
        gears = gears_table(self.session.get("ratios"), self.session.get("eff"))
        return write_tables({**self.task, **gears, "format": FORMAT})

    def fault(self) -> str:
        """What is wrong with the task; a motion in a file is read by the job."""
        try:
            text = self.text
            if not any(joint.get("motion", {}).get("kind") == "csv" for joint in self.task.get("joints", {}).values()):
                Task.parse(text, "task")
        except (BackemfError, AttributeError) as error:
            return str(error)
        return ""

    def changed(self) -> None:
        """Keep the task in the address."""
        self.put(task=write_tables(self.task))
        self.judge()

    def judge(self) -> None:
        """Say what is wrong, and how the same is written."""
        self.verdict.refresh()
        self.texts()

    async def add(self, file: Upload) -> None:
        """A task, a motion, a robot's model, or candidates were dropped in."""
        if file.ending == ".toml" and "backemf task" in (text := file.text_within(LARGEST)):
            self.task = read_tables(text, EXAMPLE)
            self.files.remove(file.key)
        elif file.ending in (".xml", ".mjcf"):
            self.task["robot"] = {"model": file.name}
        elif file.name.endswith((".toml", *CANDIDATES)):
            self.put(cand="files")
            self.candidates.refresh()
        else:
            for joint in self.task.setdefault("joints", {}).values():
                joint["motion"] = {"kind": "csv", "file": file.name}
                joint.pop("load", None)
        self.form.refresh()
        self.changed()

    def build(self) -> None:
        """Everything on it."""
        left, right = columns()
        with left:
            with card("1 The task"):
                endings = (".toml", ".csv", ".xml", ".mjcf")
                drop_area("Drop a task or a motion, or choose one", self.files, self.add, endings)
                self.form()
            with card("2 Candidates"):
                self.candidates()
            with card("3 The search"):
                self.work = Work("Sizing")
                self.verdict()
        with right:
            self.results()
        self.texts()

    @refreshable_method
    def form(self) -> None:
        """The task, joint by joint."""
        for name, joint in self.task.setdefault("joints", {}).items():
            ui.label(f"Joint {name}" if len(self.task["joints"]) > 1 else "The joint").classes("muted")
            self._motion(joint)
            none = "in the motion or the robot"
            part_form("load", kinds_of(load_kinds()), joint.setdefault("load", {}), self.changed, none=none)
            fields_form(JointTask, joint, self.changed, skip=("motion", "load"))
        ui.label("All joints").classes("muted")
        fields_form(Supply, self.task.setdefault("supply", {}), self.changed)

        def put(name: str, value: Foreign) -> None:
            self.task.pop(name, None)
            if value:
                self.task[name] = value
            self.changed()

        wanted, names = self.task.get("wanted", ["mass"]), {name: said for name, (_, said) in WANTED.items()}
        wanted = [wanted] if isinstance(wanted, str) else wanted
        ui.select(
            names, value=wanted, multiple=True, label="minimise", on_change=lambda e: put("wanted", e.value)
        ).props("dense outlined").classes("full")
        text_input(
            "ambient", str(self.task.get("ambient", "")), "e.g. 40 degC",
            lambda text: put("ambient", text if number_in(text) is None else f"{text} degC"),
        )  # fmt: skip
        with ui.expansion("limits").classes("full"):
            fields_form(TaskLimits, self.task.setdefault("limits", {}), self.changed)

    def _motion(self, joint: Table) -> None:
        motions, motion = kinds_of(motion_kinds()), joint.setdefault("motion", {})
        if motion.get("kind") != "csv":
            part_form("motion", motions, motion, self.changed)
            return

        def forget() -> None:
            joint["motion"] = {"kind": next(iter(motions))}
            self.form.refresh()
            self.changed()

        with ui.row().classes("file-row"):
            ui.label(f"moves as in {motion.get('file')}").classes("file-name")
            named(ui.button(icon="delete", on_click=forget).props("flat round dense"), "Another motion")

    @refreshable_method
    def candidates(self) -> None:
        """Where motors and gears come from."""

        def put(source: str) -> None:
            self.put(cand=source)
            self.texts()

        choice("motors", SOURCES, self.session.get("cand"), put)
        self.text_field("ratios", "gears for motors without one", "10, 30, 100", self.judge)
        self.text_field("eff", "efficiency of a stage", "0.9", self.judge)

    @refreshable_method
    def verdict(self) -> None:
        """What the task lacks, and the button."""
        if fault := self.fault():
            sentence(fault, "warning")
        start_button("Find motors", "play_arrow", self.find).set_enabled(not fault)

    async def find(self) -> None:
        """Run every candidate through the task."""
        motors = [choose(ref, self.session.estimate) for ref in refs_of(self.session.state)]
        await self.run("size", {
            "task": self.text, "files": self.files.names(), "from": self.session.get("cand"), "top": TOP,
            "motors": [{"ref": each.file, "text": each.text, "name": each.name} for each in motors],
        })  # fmt: skip

    # --- what was found

    @refreshable_method
    def results(self) -> None:
        """Table and front of each joint."""
        if not self.answer:
            said = "Say what the joint has to do, or drop in a task or a motion, and find motors for it."
            empty("No motors yet.", said)
            return
        for name, joint in self.answer["joints"].items():
            said = self.answer["answer"]["joints"][name]
            title = f"{name}: " if len(self.answer["joints"]) > 1 else ""
            with card(f"{title}{said['feasible']} of {said['pairs']} pairs can do it"):
                self._pairs(joint)
                for reason, count in list(said["reasons"].items())[:5]:
                    sentence(f"{count} out: {reason}", "info")
                for out in said["nearest"][:3]:
                    sentence(f"{out['name']}: {out['reason']}", "info")
        with card("Report"):
            report_frame(self.answer["report"])

    def _pairs(self, joint: dict[str, Foreign]) -> None:
        links = {row["name"]: self.links(row["text"], found=None) for row in (*joint["front"], *joint["rows"])}
        if links and len(self.answer["wanted"]) > 1:
            axes = [axis_of(name) for name in self.answer["wanted"][:2]]
            drawn = pairs_by_figures(joint["rows"], joint["front"], *axes)
            shown = picture(drawn, "Pairs by what is wanted; a point opens its pair", height=340)
            with ui.row().classes("open-in") as picked:
                ui.label("A point of the picture opens its pair; the blue ones are beaten by no other.")

            def open_pair(event: Foreign) -> None:
                pair = str((event.args.get("points") or [{}])[0].get("customdata"))
                if pair in links:
                    picked.clear()
                    with picked:
                        show_links(pair, links[pair], "motor-name")

            shown.on("plotly_click", open_pair)
        if links:
            heads = [(key, title.replace("\n", " "), bool(form)) for title, key, form in COLUMNS]
            heads.insert(1, ("open", "open in", False))
            rows = [{**rounded(row, COLUMNS), "open": list(links[row["name"]].items())} for row in joint["rows"]]
            made = data_table(heads, rows, True, row_key="name", pagination=10)
            made.classes("full figures size-pairs").add_slot("body-cell-open", OPEN)

    def texts(self) -> None:
        """The same as Python, as a command, and as files."""
        texts = size_texts(FOLDERS.get(self.session.get("cand"), ""))
        files = [Download("task.toml", lambda: self.text)]
        if self.answer:
            files.append(Download("size.html", lambda: self.answer["report"]))
            files.append(Download("size.json", lambda: json_text(self.answer["answer"]) + "\n"))
        self.session.show_texts(*texts, *files)


def build(session: Session) -> None:
    """Build the page."""
    Size(session).build()
