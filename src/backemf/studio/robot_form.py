"""A whole robot: its model dropped in, motors chosen for its joints, and its file for a simulator."""

from __future__ import annotations

import json
from collections.abc import Mapping

from nicegui import ui  # pyright: ignore[reportMissingImports]

from .. import catalog
from ..answers.exports import robot_command
from ..answers.motors import FIRST, refs_of
from ..errors import BackemfError
from ..values import Foreign
from ..web.uploads import Upload
from .dropping import drop_area
from .session import Session
from .widgets import box, card, code, download_button, sentence
from .work import Work, start_button, uploads_of_session

ENDINGS = (".xml", ".mjcf", ".urdf", ".usda", ".usd", ".usdc")
"""Models that can be dropped."""


def build(session: Session) -> None:
    """Build the part of the page."""
    files = uploads_of_session()

    async def dropped(kept: Upload) -> None:
        session.put(rb=kept.key, rm=None)
        await show()

    with card("A whole robot"):
        ui.label("Drop a robot's model, MJCF, URDF or USD in one file, and choose its motors.").classes("muted")
        place = box("stack spaced")
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
            joints = await Work(f"reading {model.name}").run("joints", {"model": str(model.path), "name": model.name})
            if joints:
                with box():
                    _joints(session, model, joints)

    ui.timer(0.02, show, once=True)


def _joints(session: Session, model: Upload, joints: list[Mapping[str, str]]) -> None:
    """A motor for each joint, and the button that writes the robot."""
    own = (refs_of(session.state) or [FIRST])[0]
    options = {"": "no motor", own: session.chosen.name}
    options |= {name: name for name in catalog.ids() if name not in options}
    chosen: dict[str, str] = json.loads(session.get("rm", "{}"))

    def select(label: str, changed: Foreign, **more: Foreign) -> Foreign:
        made = ui.select(options, label=label, with_input=True, on_change=lambda e: changed(e.value or ""), **more)
        return made.props("dense outlined options-dense")

    def put(name: str, ref: str) -> None:
        chosen[name] = ref
        session.put(rm=json.dumps({joint: ref for joint, ref in chosen.items() if ref}, separators=(",", ":")))

    def put_all(ref: str) -> None:
        for joint in joints:
            if joint["kind"] == "hinge":
                selects[joint["name"]].value = ref

    async def write() -> None:
        drives = {name: ref for name, ref in chosen.items() if ref}
        result.clear()
        if not drives:
            work.say("No joint has a motor: choose one above.", "warning")
            return
        payload = {"model": str(model.path), "name": model.name, "drives": drives, "state": dict(session.state)}
        if found := await work.run("robot", payload):
            with result:
                _written(session, found)

    ui.label(f"{model.name}: {len(joints)} joints").classes("motor-small")
    select("Same motor on every hinge", put_all).props("clearable").classes("kind")
    with box("figure-grid"):
        selects = {
            name: select(
                f"{name} ({joint['kind']})", lambda ref, name=name: put(name, ref),
                value=chosen.get(name) if chosen.get(name) in options else "",
            ) for joint in joints for name in [joint["name"]]
        }  # fmt: skip
    start_button("Write the robot", "precision_manufacturing", write).classes("start")
    work = Work("writing the robot")
    result = box()


def _written(session: Session, found: Mapping[str, Foreign]) -> None:
    """The file of the robot, and what is lost of each kind of joint."""
    with ui.row().classes("run-head"):
        for file, content in found["files"].items():
            download_button(file, content)
    for kind in found["kinds"]:
        losses = [f"{loss['phenomenon']} {loss['status']}" for loss in kind["statuses"] if loss["status"] != "kept"]
        some = ", ".join(kind["joints"][:4]) + (" …" if len(kind["joints"]) > 4 else "")
        sentence(f"{len(kind['joints'])} joints ({some}): {'; '.join(losses) or 'nothing is lost'}.", "info")
    for finding in found["findings"]:
        sentence(f"{finding['figure']}: {finding['explanation']}", finding["severity"])
    for note in found["notes"]:
        sentence(note, "info")
    output, robot = list(found["files"])[:2]
    code(robot_command(session.state, robot, output), "the command")
