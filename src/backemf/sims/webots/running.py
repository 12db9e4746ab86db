"""Running a controller script as Webots would: unchanged, in its own folder, with a module called `controller`."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ...errors import BackemfError, ParameterError
from ..types import Field
from .backends.axis import log
from .records.recording import Recorder
from .robots.description import RobotDescription
from .session import running
from .simulation import Over, Simulation

INTERRUPTED = 130
"""Exit code of a script that was stopped by hand."""


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    simulation: Simulation
    """The simulation as it was at the end."""
    recorder: Recorder | None = None
    """What was recorded, closed."""
    code: int = 0
    """The script's exit code: 0, what it exited with, or 1 where it raised."""
    error: BaseException | None = None
    """What the script raised; None: nothing."""


def run_script(
    script: str | os.PathLike[str],
    robot: RobotDescription,
    arguments: Sequence[str] | None = None,
    recorder: Recorder | None = None,
    **options: Field,
) -> Ended:
    """Run a controller script on a robot to its end, or to the end of the run.

    Args:
        script: A Python file that imports `controller`.
        robot: What it controls.
        arguments: Of the script; None: those of the robot's file.
        recorder: Records every step; None: nothing is recorded.
        options: As of `Simulation`: duration, realtime, hints, seed, progress.
    """
    path = Path(script).absolute()
    if not path.is_file():
        raise ParameterError(f"{script}: there is no such controller script")
    simulation = Simulation(robot, recorder=recorder, **options)
    code, error = 0, None
    given = [str(path), *(robot.arguments if arguments is None else arguments)]
    try:
        with running(simulation), _as_a_program(path, given):
            code = _run(path)
        if code == 0:
            simulation.finish()
    except KeyboardInterrupt as stop:
        code, error = INTERRUPTED, stop
    except Exception as failure:
        code, error = 1, failure
        _show(failure, path)
    finally:
        if recorder is not None:
            recorder.close()
    return Ended(simulation, recorder, code, error)


def _run(path: Path) -> int:
    """Run a script as a program; its exit code."""
    try:
        runpy.run_path(str(path), run_name="__main__")
    except Over:
        return 0
    except SystemExit as stop:
        return _code(stop)
    return 0


def _code(stop: SystemExit) -> int:
    if stop.code is None or isinstance(stop.code, int):
        return int(stop.code or 0)
    log(str(stop.code))
    return 1


def _show(failure: Exception, path: Path) -> None:
    """Print the script's own part of the traceback, or only the message of an error in the input."""
    if isinstance(failure, BackemfError):
        log(f"{type(failure).__name__}: {failure}")
        return
    trace = failure.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(path):
        trace = trace.tb_next
    log("".join(traceback.format_exception(type(failure), failure, trace)).rstrip())


@contextmanager
def _as_a_program(path: Path, arguments: list[str]) -> Iterator[None]:
    """The interpreter as a controller finds it; everything is as it was afterwards."""
    from . import controller

    folder, before, modules = os.getcwd(), (sys.argv, list(sys.path)), dict(sys.modules)
    sys.argv = arguments
    sys.path.insert(0, str(path.parent))
    sys.modules.update(controller.modules())
    os.chdir(path.parent)
    try:
        yield
    finally:
        os.chdir(folder)
        sys.argv, sys.path[:] = before
        _forget(modules, path.parent)


def _forget(before: dict[str, ModuleType], folder: Path) -> None:
    """Take away `controller`, and what the script imported from its own folder."""
    for name, module in list(sys.modules.items()):
        ours = name.partition(".")[0] == "controller"
        if ours and name in before:
            sys.modules[name] = before[name]
        elif ours or (name not in before and _is_within(module, folder)):
            del sys.modules[name]


def _is_within(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)
