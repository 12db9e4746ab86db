"""backemf webots"""

from __future__ import annotations

import re
import signal
import sys
import tempfile
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ParameterError
from ..progress import progress_bar
from .app import app, console
from .words import above_zero, require_ending

group = typer.Typer(
    help="Run Webots' controllers without Webots.", no_args_is_help=True, rich_markup_mode=None, add_completion=False
)
app.add_typer(group, name="webots")


@group.command(
    "run",
    short_help="Run a Webots controller on a robot.",
    epilog="""\b
What stands behind the devices:
  ideal    Webots' own motors, each on a load of its own
  motor    motors of ours in their place, with heat, friction and back-EMF:
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
  2  bad input, said in one sentence
""",
)
def run(
    script: Annotated[Path, typer.Argument(metavar="SCRIPT", help="Controller in Python, as Webots runs it.")],
    robot: Annotated[
        Path, typer.Option(metavar="FILE", help="The robot: a .toml file, see below, or Webots' .wbt or .proto.")
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGS", help="Arguments of the script, behind --; default: the robot's."),
    ] = None,
    backend: Annotated[
        str | None, typer.Option(metavar="NAME", help="ideal, motor or mujoco; default: as the robot file says.")
    ] = None,
    duration: Annotated[
        str | None, typer.Option(metavar="TIME", help='How long, such as "30 s"; default: the robot\'s, or 10 s.')
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="ROBOT", help="Name of the robot; default: the one whose controller is SCRIPT."),
    ] = None,
    assets: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Where PROTOs are that are not beside the robot file; may be repeated."),
    ] = None,
    inertia: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INERTIA",
            help='Of joints that do not say theirs, such as "0.05 kg*m^2" of those that turn, or "2 kg" of those that '
            "slide.",
        ),
    ] = None,
    motor: Annotated[
        list[str] | None,
        typer.Option(metavar="[DEVICE=]MOTOR", help="Motor behind a device, or behind all: catalogue id or file."),
    ] = None,
    supply: Annotated[
        str | None, typer.Option(metavar="VOLTS", help='What feeds those motors, such as "24 V".')
    ] = None,
    mujoco: Annotated[Path | None, typer.Option(metavar="FILE", help="MuJoCo model of the robot.")] = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Take as long as the robot would.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Record every motor: .parquet.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the run: .png, .svg or .pdf.")] = None,
    sound: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the motors' sound: .wav.")] = None,
    play: Annotated[bool, typer.Option("--play", help="Play the motors' sound after the run.")] = False,
    hints: Annotated[bool, typer.Option(help="Say what a script may have meant otherwise.")] = True,
    seed: Annotated[int, typer.Option(metavar="N", help="Where the noise of sensors begins.")] = 0,
) -> None:
    """Run a controller script of Webots, unchanged, on the motors of a robot.

    The script finds a module called controller with Robot, Motor, PositionSensor and Brake. What it prints is printed,
    and what Webots would say of its calls is on the error stream.
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
    with _ended_by_signal(), bar as advance:
        ended = run_script(
            script, described, arguments or None, recorder, duration=seconds,
            realtime=realtime, hints=hints, seed=seed, progress=_some(advance),
        )  # fmt: skip
    if recorder is not None:
        if plot is not None:
            picture.draw_run(recorder, plot, f"{script.name} on {described.name} ({described.backend})")
        _sound(wav, recorder, sound, play, waves)
    kept_in = output if recorder is None or recorder.part_left is None else recorder.part_left
    for path in (kept_in, plot, sound):
        if path is not None:
            console().print(f"wrote {path}", soft_wrap=True)
    if ended.error is not None:
        kept = f"; what was recorded until then is in {kept_in}" if output is not None else ""
        how = "was stopped" if isinstance(ended.error, KeyboardInterrupt) else f"raised {type(ended.error).__name__}"
        print(f"{script} {how} at t = {ended.simulation.time:g} s{kept}.", file=sys.stderr)
    raise typer.Exit(ended.code)


def _robot(
    script: Path, path: Path, name: str | None, assets: list[Path] | None, backend: str | None,
    inertia: list[str] | None, motor: list[str] | None, supply: str | None, mujoco: Path | None,
) -> Any:  # fmt: skip
    """The robot of a file that a script drives, with what the options say of it."""
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

        def driven(joint: Any, device: str = device, actuator: str = actuator) -> Any:
            return replace(joint, actuator=actuator) if device in ("", joint.name) else joint

        found = found.with_joints(driven)
    return found if volts is None else found.with_joints(lambda joint: replace(joint, supply=volts))


def _inertia(text: str) -> tuple[float, str]:
    """An inertia and the kind of joint that has such a one."""
    slides = re.fullmatch(r"\s*[-+.\deE]+\s*[kmu]?g\s*", text) is not None
    return above_zero("--inertia", text, "kg" if slides else "kg*m^2"), "slider" if slides else "hinge"


def _some(advance: Any) -> Any:
    """Progress that is told every now and then: telling it at every step would take longer than the step."""
    if advance is None:
        return None
    done = 0

    def tell(steps: int) -> None:
        nonlocal done
        done += steps
        if done >= 1000:
            advance(done)
            done = 0

    return tell


def _sound(wav: Any, recorder: Any, path: Path | None, play: bool, waves: dict[str, str]) -> None:
    if path is not None:
        wav.write_sound(recorder, path, waves)
    if play:
        with tempfile.TemporaryDirectory() as folder:
            told = wav.play(path or wav.write_sound(recorder, Path(folder) / "run.wav", waves))
        if told is not None:
            print(told, file=sys.stderr)


class _ended_by_signal:
    """A run that is told to terminate closes its record first."""

    def __enter__(self) -> None:
        with suppress(ValueError):
            self.before = signal.signal(signal.SIGTERM, self._stop)

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError, AttributeError):
            signal.signal(signal.SIGTERM, self.before)

    @staticmethod
    def _stop(*_: object) -> None:
        raise SystemExit(143)
