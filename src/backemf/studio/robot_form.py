"""A whole robot: its model dropped in, motors chosen for its joints, and its file for a simulator."""

from __future__ import annotations

import json
from collections.abc import Mapping

from nicegui import ui  # pyright: ignore[reportMissingImports]

from .. import catalog
from ..errors import BackemfError
from ..transfer.targets import NAMES
from ..values import Foreign
from . import as_text
from .motors import FIRST, refs_of
from .session import Session
from .uploads import Upload
from .widgets import card, code, sentence
from .work import Work, drop_area, uploads_of_session

ENDINGS = (".xml", ".mjcf", ".urdf", ".usda", ".usd", ".usdc")
"""Models that can be dropped."""


def build(session: Session) -> None:
    """Build the part of the page."""
    files = uploads_of_session()
    with card("A whole robot"):
        ui.label("Drop the model of a robot, MJCF, URDF or USD in one file, and choose motors for its joints.").classes(
            "muted"
        )
        place = ui.element("div").classes("stack spaced")

        async def dropped(kept: Upload) -> None:
            session.put(rb=kept.key, rm=None)
            await show()

        drop_area("Drop a robot's model here, or choose one", files, dropped, ENDINGS)

    async def show() -> None:
        place.clear()
        if not session.get("rb"):
            return
        with place:
            try:
                model = files.get(session.get("rb"))
            except BackemfError as error:
                sentence(str(error), "warning")
                return
            work = Work(f"reading {model.name}")
            joints = await work.run("joints", {"model": str(model.path), "name": model.name})
            if joints:
                _joints(session, model, joints)

    ui.timer(0.02, show, once=True)


def _joints(session: Session, model: Upload, joints: list[Mapping[str, str]]) -> None:
    """A motor for each joint, and the button that writes the robot."""
    own = (refs_of(session.state) or [FIRST])[0]
    options = {"": "no motor", own: session.chosen.name}
    options |= {name: name for name in catalog.ids() if name not in options}
    chosen: dict[str, str] = json.loads(session.get("rm", "{}"))
    answer = ui.element("div").classes("stack")
    selects: dict[str, Foreign] = {}

    def put(name: str, ref: str | None) -> None:
        chosen[name] = ref or ""
        session.put(rm=json.dumps({joint: ref for joint, ref in chosen.items() if ref}, separators=(",", ":")))

    def put_all(ref: str | None) -> None:
        for joint in joints:
            if joint["kind"] == "hinge":
                selects[joint["name"]].value = ref or ""

    with answer:
        ui.label(f"{model.name}: {len(joints)} joints").classes("motor-small")
        everywhere = ui.select(
            options, label="Same motor on every hinge", with_input=True, on_change=lambda e: put_all(e.value)
        )
        everywhere.props("dense outlined options-dense clearable").classes("kind")
        with ui.element("div").classes("figure-grid"):
            for joint in joints:
                name = joint["name"]
                value = chosen.get(name, "")
                selects[name] = ui.select(
                    options, label=f"{name} ({joint['kind']})", value=value if value in options else "",
                    with_input=True, on_change=lambda e, name=name: put(name, e.value),
                ).props("dense outlined options-dense")  # fmt: skip
        ui.button("Write the robot", icon="precision_manufacturing", on_click=lambda: write()).props(
            "no-caps unelevated text-color=on-accent"
        ).classes("start")
        work = Work("writing the robot")
        result = ui.element("div").classes("stack")

        async def write() -> None:
            drives = {name: ref for name, ref in chosen.items() if ref}
            result.clear()
            if not drives:
                work.say("No joint has a motor: choose one above.", "warning")
                return
            payload = {"model": str(model.path), "name": model.name, "drives": drives, "state": dict(session.state)}
            found = await work.run("robot", payload)
            if found:
                with result:
                    _written(session, found)


def _written(session: Session, found: Mapping[str, Foreign]) -> None:
    """The file of the robot, and what is lost of each kind of joint."""
    with ui.row().classes("run-head"):
        for file, content in found["files"].items():
            take = ui.button(f"Download {file}", icon="download").props("dense no-caps outline")
            take.on_click(lambda file=file, content=content: ui.download.content(content, file))
    for kind in found["kinds"]:
        losses = [loss for loss in kind["statuses"] if loss["status"] != "kept"]
        lost = "; ".join(f"{loss['phenomenon']} {loss['status']}" for loss in losses) or "nothing is lost"
        some = ", ".join(kind["joints"][:4]) + (" …" if len(kind["joints"]) > 4 else "")
        sentence(f"{len(kind['joints'])} joints ({some}): {lost}.", "info")
    for finding in found["findings"]:
        sentence(f"{finding['figure']}: {finding['explanation']}", finding["severity"])
    for note in found["notes"]:
        sentence(note, "info")
    output, robot = list(found["files"])[:2]
    options = {"--to": session.get("to", NAMES[0]), "--kind": session.get("kind"), "--timestep": session.get("ts"),
               "--effort": session.get("effort")}  # fmt: skip
    words = [word for name, text in options.items() for word in as_text.option(name, text)]
    command = as_text.command("backemf", "export", robot, *words, f"-o {output}")
    code(command, "the command")
