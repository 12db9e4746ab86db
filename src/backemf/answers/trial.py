"""A run for the page Try, simulated as the command line does."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from ..cli.drive import actuator_from
from ..cli.simulate import MOST_KEPT, NO_LOAD, NOT_CHECKED, energy_of, fold_joint, moved_load
from ..cli.words import command_from, quantity
from ..errors import BackemfWarning, ParameterError
from ..files import make_folder
from ..plot.interactive_run import CHANNELS, ratings_of
from ..rollout import channel_names
from ..run_stored import StoredRun
from ..run_view import keep_channels
from ..simulate import count_steps, simulate
from ..values import Foreign, Json
from ..work.progress_messages import tell_progress
from ..work.workers import Progress
from .state import State

MOST_STEPS = 50_000_000
"""Longest run of the page [steps]."""
QUICK = 100_000
"""Longest run that is computed at once, without a process of its own [steps]."""


def steps_of(state: Mapping[str, str]) -> int:
    """How many steps a run takes."""
    steps = count_steps(*times_of(state), 1)
    if steps > MOST_STEPS:
        raise ParameterError(f"duration / step are {steps} steps: at most {MOST_STEPS} are drawn; use the command line")
    return steps


def run_trial(payload: dict[str, Foreign], tell: Progress = lambda message: None) -> dict[str, Json]:
    """Run what a state says, put the channels into a folder, and answer what is to be said of them."""
    with tell_progress(tell), warnings.catch_warnings():
        warnings.simplefilter("ignore", BackemfWarning)
        return _run(payload["state"], make_folder(payload["folder"]), payload.get("output"))


def _run(state: dict[str, str], folder: Path, output: str | None) -> dict[str, Json]:
    actuator, load, command = parts_of(state)
    wanted = (actuator, load, command, *times_of(state))
    if steps_of(state) > MOST_KEPT:
        known = {*channel_names(actuator, load), "command"}
        channels = [name for name in CHANNELS if name in known]
        file = folder / (output or "run.parquet")
        run = simulate(*wanted, to=file, progress=True, channels=channels)
    else:
        run = simulate(*wanted, output=None if output is None else folder / output, progress=True)
    view = asdict(keep_channels(run, CHANNELS, folder))
    answer: Foreign = {"view": view, "ratings": ratings_of(actuator), "energy": energy_of(run)}
    if isinstance(run, StoredRun):
        return answer | {"findings": [], "notes": [NOT_CHECKED]}
    findings = [asdict(found) for found in run.findings() if found.severity != "hint"]
    return answer | {"findings": findings, "notes": []}


def parts_of(state: dict[str, str]) -> tuple[Foreign, Foreign, Foreign]:
    """Actuator, load and command that a state describes, in the words of the command line."""
    session = State(dict(state))
    for name in ("load", "cmd"):
        text = session.get(name).strip().lower()
        if text.endswith(".csv") or text.startswith("motion"):
            raise ParameterError(f"{name} {text[:60]!r}: a table of values is read on the command line, not here")
    actuator, armature = fold_joint(session.chosen.actuator, session.chosen.joint)
    actuator = actuator_from(
        actuator, controller=session.get("ctrl") or None, delay=session.get("delay") or None,
        supply=f"voltage={session.get('v')}V" if session.get("v") else None,
    )  # fmt: skip
    load = moved_load(session.get("load", NO_LOAD), actuator, armature)
    return actuator, load, command_from(session.get("cmd"), actuator.controller.main)


def times_of(state: Mapping[str, str]) -> tuple[float, float]:
    """Duration and step [s]."""
    return quantity("duration", state.get("dur", ""), "s"), quantity("step", state.get("dt", ""), "s")
