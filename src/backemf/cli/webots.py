"""backemf webots"""

from __future__ import annotations

import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ParameterError
from ..progress import progress_bar
from .app import app, flag, option
from .tables import print_written
from .words import above_zero, require_ending

if TYPE_CHECKING:
    from ..sims.webots.records.recording import Recorder
    from ..sims.webots.robots.description import RobotDescription

group = typer.Typer(
    help="Run Webots' controllers without Webots.", no_args_is_help=True, rich_markup_mode=None, add_completion=False
)
app.add_typer(group, name="webots")


@group.command(
    "run",
    short_help="Run a Webots controller on a robot.",
    epilog="""\b
Backends, which drive the devices:
  ideal    Webots' own motors, each with its own load
  motor    backemf motors in their place, with heat, friction and back-EMF:
           `actuator` in the robot file, or --motor
  mujoco   joints of a MuJoCo model: `mujoco` in the robot file, or --mujoco

\b
A robot file:
  name = "arm"
  basic_time_step = "16 ms"
  [[joint]]
  inertia = "0.05 kg*m^2"
  motor = { name = "shoulder", max_torque = "20 N*m" }
  sensor = { name = "shoulder sensor" }

\b
Examples:
  backemf webots run my_controller.py --robot robot.toml --plot run.png
  backemf webots run my_controller.py --robot my_world.wbt --name arm \\
      --inertia "0.05 kg*m^2" -o run.parquet
  backemf webots run my_controller.py --robot my_world.wbt \\
      --assets /usr/local/webots
  backemf webots run my_controller.py --robot robot.toml --backend motor \\
      --motor mit-mini-cheetah --supply "24 V" --sound run.wav
  backemf webots run my_controller.py --robot robot.toml \\
      --backend mujoco --mujoco arm.xml --realtime -- --fast 3

\b
Exit codes:
  0  the script ended, or the run did
  1  the script raised an error; else its own exit code
  2  bad input, with one sentence that says what to change
""",
)
def run(
    script: Annotated[Path, typer.Argument(metavar="SCRIPT", help="Controller in Python, as Webots runs it.")],
    robot: Annotated[Path, option("FILE", "The robot: a .toml file, see below, or Webots' .wbt or .proto.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGS", help="Arguments of the script, after --; default: the robot's."),
    ] = None,
    backend: Annotated[str | None, option("NAME", "ideal, motor or mujoco; default: that of the robot file.")] = None,
    duration: Annotated[str | None, option("TIME", 'Length, such as "30 s"; default: the robot\'s, or 10 s.')] = None,
    name: Annotated[
        str | None, option("ROBOT", "Name of the robot; default: the one whose controller is SCRIPT.")
    ] = None,
    assets: Annotated[
        list[Path] | None, option("FOLDER", "Folder with PROTOs that are not beside the robot file; may be repeated.")
    ] = None,
    inertia: Annotated[
        list[str] | None,
        option(
            "INERTIA", 'For joints without one in the file, such as "0.05 kg*m^2" for hinges or "2 kg" for sliders.'
        ),
    ] = None,
    motor: Annotated[
        list[str] | None, option("[DEVICE=]MOTOR", "Motor for a device, or for all: catalogue id or file.")
    ] = None,
    supply: Annotated[str | None, option("VOLTS", 'Supply of those motors, such as "24 V".')] = None,
    mujoco: Annotated[Path | None, option("FILE", "MuJoCo model of the robot.")] = None,
    realtime: Annotated[bool, flag("--realtime", "Run in real time.")] = False,
    output: Annotated[Path | None, option("FILE", "Record every motor: .parquet.", "-o", "--output")] = None,
    plot: Annotated[Path | None, option("FILE", "Draw the run: .png, .svg or .pdf.")] = None,
    sound: Annotated[Path | None, option("FILE", "Write the motors' sound: .wav.")] = None,
    play: Annotated[bool, flag("--play", "Play the motors' sound after the run.")] = False,
    hints: Annotated[bool, typer.Option(help="Print hints where a script probably meant something else.")] = True,
    seed: Annotated[int, option("N", "Random seed of the sensors' noise.")] = 0,
) -> None:
    """Run a controller script of Webots, unchanged, on the motors of a robot.

    The script finds a module called controller with Robot, Motor, PositionSensor and Brake. Its output is printed, and
    Webots' warnings about its calls go to the error stream.
    """
    from ..sims.webots.records import picture, wav
    from ..sims.webots.records.recording import Recorder
    from ..sims.webots.running import run_script

    require_ending("--output", output, (".parquet",))
    require_ending("--plot", plot, (".png", ".svg", ".pdf"))
    require_ending("--sound", sound, (".wav",))
    described = _robot(script, robot, name, assets, backend, inertia, motor, supply, mujoco)
    seconds = described.duration if duration is None else above_zero("--duration", duration, "s")
    waves = wav.waves_of(described) if sound is not None or play else {}
    looked_at = plot is not None or sound is not None or play
    recorder = Recorder(output, keep=looked_at) if looked_at or output is not None else None
    steps = round(seconds / described.basic_time_step)
    bar = nullcontext(None) if realtime else progress_bar(script.name, steps)
    with _exit_on_sigterm(), bar as advance:
        ended = run_script(
            script, described, arguments or None, recorder, duration=seconds,
            realtime=realtime, hints=hints, seed=seed, progress=_in_batches(advance),
        )  # fmt: skip
    if recorder is not None:
        if plot is not None:
            picture.draw_run(recorder, plot, f"{script.name} on {described.name} ({described.backend})")
        _sound(recorder, sound, play, waves)
    kept_in = output if recorder is None or recorder.part_left is None else recorder.part_left
    print_written((kept_in, plot, sound))
    if ended.error is not None:
        kept = f"; what was recorded until then is in {kept_in}" if output is not None else ""
        how = "was stopped" if isinstance(ended.error, KeyboardInterrupt) else f"raised {type(ended.error).__name__}"
        print(f"{script} {how} at t = {ended.simulation.time:g} s{kept}.", file=sys.stderr)
    raise typer.Exit(ended.code)


def _robot(
    script: Path, path: Path, name: str | None, assets: list[Path] | None, backend: str | None,
    inertia: list[str] | None, motor: list[str] | None, supply: str | None, mujoco: Path | None,
) -> RobotDescription:  # fmt: skip
    """The robot that a script drives, from its file and the options."""
    from ..sims.webots.robots.description import load_robot, with_inertia

    found = load_robot(path, name, assets or (), script.stem)
    for text in inertia or []:
        found = with_inertia(found, *_inertia(text))
    found = found.with_values(backend=backend, mujoco=None if mujoco is None else mujoco.absolute())
    volts = None if supply is None else above_zero("--supply", supply, "V")
    for text in motor or []:
        device, _, actuator = text.rpartition("=")
        if device and device not in [joint.name for joint in found.joints]:
            raise ParameterError(f"--motor {text!r}: the robot has no motor {device!r}")

        joints = tuple(replace(j, actuator=actuator) if device in ("", j.name) else j for j in found.joints)
        found = replace(found, joints=joints)
    return found if volts is None else found.with_joints(lambda joint: replace(joint, supply=volts))


def _inertia(text: str) -> tuple[float, str]:
    """An inertia and the kind of joint that has such a one."""
    slides = re.fullmatch(r"\s*[-+.\deE]+\s*[kmu]?g\s*", text) is not None
    return above_zero("--inertia", text, "kg" if slides else "kg*m^2"), "slider" if slides else "hinge"


def _in_batches(advance: Callable[[int], None] | None) -> Callable[[int], None] | None:
    """Progress in batches of 1000 steps: to report each step would take longer than the step."""
    if advance is None:
        return None
    done = 0

    def report(steps: int) -> None:
        nonlocal done
        done += steps
        if done >= 1000:
            advance(done)
            done = 0

    return report


def _sound(recorder: Recorder, path: Path | None, play: bool, waves: dict[str, str]) -> None:
    from ..sims.webots.records import wav

    if path is not None:
        wav.write_sound(recorder, path, waves)
    if play:
        with tempfile.TemporaryDirectory() as folder:
            problem = wav.play(path or wav.write_sound(recorder, Path(folder) / "run.wav", waves))
        if problem is not None:
            print(problem, file=sys.stderr)


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """A run that is terminated closes its record first; signals can be handled in the main thread only."""

    def stop(*_: object) -> None:
        raise SystemExit(143)

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
