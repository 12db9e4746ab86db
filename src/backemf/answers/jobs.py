"""What worker processes do: the functions of the command line, with texts and paths of uploads in, and JSON out."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..actuator import Actuator
from ..errors import BackemfError
from ..sims.named_files import require_alone
from ..values import Foreign, Json
from ..web.named_files import errors_show_names, show_names, with_own_files
from ..web.uploads import LARGEST
from ..work.progress_messages import tell_progress
from ..work.workers import Job, Progress
from .exports import compared, robot_joints, robot_written
from .motors import read_text
from .trial import run_trial

if TYPE_CHECKING:
    from ..datasheet import Datasheet
    from ..identify import Log, Rig
    from ..size import Candidates

Payload = dict[str, Foreign]
"""What a page sends: texts, numbers, and paths that it made itself."""


# --- logs


def read_logs(payload: Payload, tell: Progress) -> Json:
    """Each log with its columns, what is suspicious about it, and curves of its channels; or why it cannot be read."""
    from ..identify.log_curves import curves_of
    from ..identify.reading import read_headings

    rows: list[Json] = []
    for number, file in enumerate(payload["logs"]):
        tell({"label": "reading", "done": number, "total": len(payload["logs"]), "word": file["name"]})
        names = {file["path"]: file["name"]}
        row: dict[str, Json] = {"key": file["key"], "name": file["name"], "columns": []}
        rows.append(row)
        try:
            with errors_show_names(names):
                headings = read_headings(file["path"])
                row["columns"] = [[text, it.channel or "", it.unit] for text, it in headings.items()]
                log = _log(file, payload)
                rig = _rig(payload) if payload.get("rig") else None
                prior = _prior(payload["motor"])
                findings = log.check(prior if isinstance(prior, Actuator) else prior.actuator(), rig)
        except BackemfError as error:
            row["error"] = str(error)
            continue
        row |= {
            "rows": len(log.time), "duration": log.duration, "channels": list(log.channels), "joints": list(log.joints),
            "notes": dict(log.meta), "hash": log.hash,
            "findings": [[f.severity, f.figure, show_names(f.explanation, names)] for f in findings],
            "curves": [list(curve) for curve in curves_of(log)],
        }  # fmt: skip
    return rows


def _log(file: Payload, payload: Payload) -> Log:
    from ..identify import read_log

    log = read_log(file["path"], payload.get("channels"), payload.get("units"), rate=payload.get("rate"))
    # messages name the file as its owner does
    log = replace(log, name=file["name"])
    left = [name for name in log.channels if name not in payload.get("without", ())]
    return log if len(left) == len(log.channels) else log.only(*left)


# --- what logs were taken on, and what is believed


def _prior(motor: Payload) -> Datasheet | Actuator:
    """What the command line is given with --motor: a datasheet by its id or text, or an actuator."""
    from ..datasheet import Datasheet as Sheet

    if not motor["text"]:
        return Sheet.load(motor["ref"])
    found = read_text(motor["text"], motor["name"])
    return found.actuator if found.sheet is None else found.sheet


def _rig(payload: Payload) -> Rig:
    from ..identify import Rig, RobotModel

    files: dict[str, str] = payload["files"]
    names = {path: name for name, path in files.items()}
    with errors_show_names(names):
        rig = Rig.parse(with_own_files(payload["rig"], "rig", files), "rig")
        if rig.load.kind is RobotModel:
            path = rig.load.words["model"]
            require_alone(Path(path), names[path])
    return rig


# --- fits


def identify(payload: Payload, tell: Progress) -> Json:
    """What `backemf identify` prints and writes: errors, laws, numbers, findings, the motor file and the page."""
    from ..identify import identify as find
    from ..identify.information import is_of_network
    from ..identify.report import report_html

    rig = _rig(payload)
    files = payload["logs"]
    with errors_show_names({file["path"]: file["name"] for file in files}), tell_progress(tell):
        logs = [_log(file, payload) for file in files]
        fit = find(
            logs, _prior(payload["motor"]), rig=rig, free=payload.get("free") or None,
            hold_out=payload.get("hold_out"), seed=int(payload.get("seed") or 0), keep=payload.get("keep"),
        )  # fmt: skip
        report = report_html(fit)
    heads, rows = fit.error_table()
    return {
        "errors": [heads, *rows],
        "laws": [[rung.name, rung.kept, rung.gain, rung.error] for rung in fit.rungs],
        "numbers": [asdict(each) for each in fit.parameters if not is_of_network(each.name)],
        "findings": [[f.severity, f.figure, f.explanation] for f in fit.findings],
        "notes": list(fit.notes),
        "motors": {joint: fit.text(joint) for joint in getattr(fit.actuator, "joints", ("",))},
        "report": report,
    }


# --- sizing


def size(payload: Payload, tell: Progress) -> Json:
    """What `backemf size` prints and writes, with the motor of each pair as a file, and the page."""
    from ..size import Task
    from ..size import size as find
    from ..size.pair_files import pair_files
    from ..size.report import report_html

    files: dict[str, str] = payload["files"]
    names = {path: name for name, path in files.items()}
    with errors_show_names(names), tell_progress(tell):
        task = Task.parse(with_own_files(payload["task"], "task", files), "task")
        if task.robot is not None:
            require_alone(Path(task.robot.model), names[str(task.robot.model)])
        found = find(task, _candidates(payload, files))
        report = report_html(found)
    answer, wanted = found.answer(10), list(task.wanted)
    return {"joints": pair_files(found, int(payload["top"])), "report": report, "answer": answer, "wanted": wanted}


def _candidates(payload: Payload, files: dict[str, str]) -> Candidates:
    """The motors that a task is sized from."""
    from ..size import Candidates
    from ..size.candidate_files import read_candidate_files

    if payload["from"] == "chosen":
        drives = [_prior(each) for each in payload["motors"]]
        made = [each if isinstance(each, Actuator) else each.actuator(estimate=True) for each in drives]
        motors = [each.motor for each in made if each.motor is not None]
        return Candidates.of(motors, source="the motors that were chosen")
    return read_candidate_files(files, LARGEST) if payload["from"] == "files" else Candidates.catalogue()


JOBS = {
    "logs": Job(read_logs, seconds=120, megabytes=2000),
    "identify": Job(identify, seconds=3600, megabytes=4000, long=True),
    "size": Job(size, seconds=1200, megabytes=4000, long=True),
    "simulate": Job(run_trial, seconds=600, megabytes=3000, long=True),
    "compare": Job(compared, seconds=180, megabytes=2500),
    "joints": Job(robot_joints, seconds=60, megabytes=2000),
    "robot": Job(robot_written, seconds=300, megabytes=3000),
}
"""Everything that a worker process runs."""
