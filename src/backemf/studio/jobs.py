"""What worker processes do: the functions of the command line, with texts and paths of uploads in, and JSON out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..actuator import Actuator, Supply
from ..errors import BackemfError, ParameterError
from ..files import make_folder, read_bytes, write_bytes
from ..motorfile import dumps
from ..progress import watched_progress
from ..values import Foreign, Json
from ..work.workers import Job, Progress
from .transferring import compared, robot_joints, robot_written
from .trial import run_trial

if TYPE_CHECKING:
    import numpy as np

    from ..datasheet import Datasheet, Finding
    from ..identify import Log, Rig
    from ..size import Candidates, Choice

Payload = dict[str, Foreign]
"""What a page sends: texts, numbers, and paths that it made itself."""
POINTS = 800
"""Most points of a drawn channel [1]."""
WIDEST = 4
"""Most joints of a drawn channel [1]."""


# --- logs


def read_logs(payload: Payload, tell: Progress) -> Json:
    """Each log with its columns, what is suspicious about it, and curves of its channels; or why it cannot be read."""
    rows: list[Json] = []
    for number, file in enumerate(payload["logs"]):
        tell({"label": "reading", "done": number, "total": len(payload["logs"]), "word": file["name"]})
        columns: Json = []
        try:
            with _named(file):
                columns = _columns(file["path"])
                log = _log(file, payload)
                rig = _rig(payload) if payload.get("rig") else None
                prior = _prior(payload["motor"])
                findings = log.check(prior if isinstance(prior, Actuator) else prior.actuator(), rig)
        except BackemfError as error:
            rows.append({"key": file["key"], "name": file["name"], "columns": columns, "error": str(error)})
            continue
        rows.append({
            "key": file["key"], "name": file["name"], "columns": columns, "rows": len(log.time),
            "duration": log.duration, "channels": list(log.channels), "joints": list(log.joints),
            "notes": dict(log.meta), "findings": _findings(findings, file), "curves": _curves(log), "hash": log.hash,
        })  # fmt: skip
    return rows


def _columns(path: str) -> Json:
    from ..identify.reading import read_headings

    return [[text, it.channel or "", it.unit] for text, it in read_headings(path).items()]


def _log(file: Payload, payload: Payload) -> Log:
    from ..identify import read_log

    log = read_log(file["path"], payload.get("channels"), payload.get("units"), rate=payload.get("rate"))
    # messages name the file as its owner does
    log = replace(log, name=file["name"])
    left = [name for name in log.channels if name not in payload.get("without", ())]
    return log if len(left) == len(log.channels) else log.only(*left)


def _curves(log: Log) -> Json:
    """Times and values of each channel, thinned to the smallest and largest value of each piece."""
    curves: list[Json] = []
    for name, channel in log.channels.items():
        columns = channel.values[:, None] if channel.values.ndim == 1 else channel.values[:, :WIDEST]
        for joint, values in zip(log.joints or ("",), columns.T, strict=False):
            time, kept = thin(channel.time, values)
            curves.append([f"{name} {joint}".strip(), name, time, kept])
    return curves


def thin(time: np.ndarray, values: np.ndarray) -> tuple[list[float], list[float]]:
    """At most `POINTS` samples that look like all of them: the smallest and the largest of each piece."""
    import numpy as np

    if len(time) > POINTS:
        pieces = np.array_split(np.arange(len(time)), POINTS // 2)
        kept = np.unique([edge for p in pieces for edge in (p[values[p].argmin()], p[values[p].argmax()])])
        time, values = time[kept], values[kept]
    return [float(f"{x:.6g}") for x in time], [float(f"{x:.6g}") for x in values]


def _findings(findings: Sequence[Finding], file: Payload | None = None) -> Json:
    known = {} if file is None else {file["path"]: file["name"]}
    return [[f.severity, f.figure, _renamed(f.explanation, known)] for f in findings]


@contextmanager
def _named(*files: Payload) -> Iterator[None]:
    """Messages name files as their owner does."""
    try:
        yield
    except BackemfError as error:
        raise ParameterError(_renamed(str(error), {file["path"]: file["name"] for file in files})) from None


def _renamed(text: str, names: dict[str, str]) -> str:
    for path, name in names.items():
        text = text.replace(path, name)
    return text


# --- what logs were taken on, and what is believed


def _prior(motor: Payload) -> Datasheet | Actuator:
    """What the command line is given with --motor: a datasheet by its id or text, or an actuator."""
    from ..datasheet import Datasheet as Sheet
    from .motors import read_text

    if not motor["text"]:
        return Sheet.load(motor["ref"])
    found = read_text(motor["text"], motor["name"])
    return found.actuator if found.sheet is None else found.sheet


def _rig(payload: Payload) -> Rig:
    from ..identify import Rig, RobotModel
    from .uploads import require_alone, with_own_files

    files: dict[str, str] = payload["files"]
    with _named(*({"path": path, "name": name} for name, path in files.items())):
        rig = Rig.parse(with_own_files(payload["rig"], "rig", files), "rig")
        if rig.load.kind is RobotModel:
            path = rig.load.words["model"]
            require_alone(Path(path), next(name for name, each in files.items() if each == path))
    return rig


# --- fits


def identify(payload: Payload, tell: Progress) -> Json:
    """What `backemf identify` prints and writes: errors, laws, numbers, findings, the motor file and the page."""
    from ..identify import identify as find
    from ..identify.information import is_of_network
    from ..identify.report import report_html

    rig = _rig(payload)
    files = payload["logs"]
    with _named(*files), watched_progress(_telling(tell)):
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
        "findings": _findings(fit.findings),
        "notes": list(fit.notes),
        "motors": {joint: fit.text(joint) for joint in getattr(fit.actuator, "joints", ("",))},
        "report": report,
    }


# --- sizing


def size(payload: Payload, tell: Progress) -> Json:
    """What `backemf size` prints and writes, with the motor of each pair as a file, and the page."""
    from ..size import Task
    from ..size import size as find
    from ..size.report import report_html
    from .uploads import require_alone, with_own_files

    files: dict[str, str] = payload["files"]
    top = int(payload["top"])
    with _named(*({"path": path, "name": name} for name, path in files.items())), watched_progress(_telling(tell)):
        task = Task.parse(with_own_files(payload["task"], "task", files), "task")
        if task.robot is not None:
            require_alone(Path(task.robot.model), next(n for n, path in files.items() if path == task.robot.model))
        found = find(task, _candidates(payload, files))
        report = report_html(found)
    joints: dict[str, Json] = {}
    for name, each in found.joints.items():
        front = each.front if len(task.wanted) > 1 else []
        joints[name] = {
            "rows": [_pair(each[rank], task.supply) for rank in range(min(top, len(each)))],
            "front": [_pair(choice, task.supply) for choice in front[:100]],
        }
    return {"joints": joints, "report": report, "answer": found.answer(10), "wanted": list(task.wanted)}


def _pair(choice: Choice, supply: Supply) -> Json:
    """Figures of a pair, and its motor as a file."""
    limit, margin = choice.tightest if choice.margins else ("", 1.0)
    text = dumps(Actuator(motor=choice.motor, supply=supply))
    return {"name": choice.name, **choice.figures, "tightest": limit, "margin": margin, "text": text}


def _candidates(payload: Payload, files: dict[str, str]) -> Candidates:
    """The motors that a task is sized from."""
    from ..size import Candidates, import_pairs
    from .uploads import LARGEST

    source = payload["from"]
    if source == "chosen":
        drives = [_prior(each) for each in payload["motors"]]
        made = [each if isinstance(each, Actuator) else each.actuator(estimate=True) for each in drives]
        return Candidates.of(
            [each.motor for each in made if each.motor is not None], source="the motors that were chosen"
        )
    if source == "files":
        with tempfile.TemporaryDirectory() as folder:
            place = make_folder(Path(folder) / "files")
            for name, path in files.items():
                if name.endswith((".toml", "_motors.csv", "_gearboxes.csv", "_compatibility.csv")):
                    write_bytes(place / name, read_bytes(path, LARGEST))
            if any(place.glob("*_motors.csv")):
                place = import_pairs(place, Path(folder) / "pairs").folder
            return Candidates.read(place)
    return Candidates.catalogue()


def _telling(tell: Progress) -> Foreign:
    def watch(label: str, done: int, total: int, word: str) -> None:
        tell({"label": label, "done": done, "total": total, "word": word})

    return watch


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
