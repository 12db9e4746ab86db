"""backemf simulate"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from .. import units
from ..actuator import Actuator
from ..errors import BackemfWarning, ParameterError
from ..loads import Load, with_inertia
from ..motorfile import load_with_joint
from ..physics.state import LIMITS
from ..run import Run
from ..run_stored import StoredRun
from ..simulate import simulate as run_simulation
from ..values import Foreign, Json
from .app import AsJson, DelayText, LimitTexts, MotorName, app, console, flag, option
from .complete import complete_controller, complete_load
from .drive import actuator_from
from .estimates import WithEstimates, as_dicts, print_estimates
from .limits_only import limits_note
from .tables import print_findings, print_json, print_written, titled_table
from .words import command_from, load_from, quantity, require_ending

NO_LOAD = "inertia inertia=0kg*m^2"


@app.command(
    epilog="""\b
Commands, in volts over time, or in what the controller follows:
  "24 V"                                   constant
  "step value=24V time=0.1s before=0V"     one value, then another
  "sine amplitude=12V frequency=2Hz"       also phase=, offset=
  "chirp amplitude=12V start=1Hz end=50Hz duration=5s"
  "trapezoid value=24V rise=0.2s hold=1s"  also fall=, start=
  volts.csv                                columns: time, and the volts

\b
Controllers, whose gains are per angle of the joint:
  "voltage"                                none: the command is in volts
  "position-pid kp=10V/rad kd=0.1V*s/rad"  follows an angle; also
                                           ki=5V/(rad*s), integral_limit=,
                                           freeze_at_limit=yes
  "velocity-pi kp=0.3V*s/rad ki=3V/rad"    follows a speed; also
                                           integral_limit=, freeze_at_limit=
  "torque-pid kp=2N*m/rad kd=50mN*m*s/rad"
                                           follows an angle; also ki=,
                                           integral_limit=, freeze_at_limit=,
                                           current_bandwidth=3000rad/s,
                                           follows=velocity for a speed
  "ideal-pd stiffness=2N*m/rad damping=50mN*m*s/rad"
                                           follows an angle; also
                                           current_bandwidth=
  "torque"                                 the command is in N*m; also
                                           current_bandwidth=
  "duty-servo kp=5 kd=0.05s/rad"           follows an angle by a duty of the
                                           supply; also ki=, pwm_limit=,
                                           current_limit=2A, dead_band=,
                                           integral_limit=, freeze_at_limit=

\b
Delays of the command:
  "steps=2"                                in steps of --dt
  "seconds=4ms"                            in time
  "steps=2..5 schedule=episode"            random; the schedule is constant,
                                           episode, period, step, mjlab or
                                           isaaclab; also period=,
                                           hold_probability=, reorder=yes

\b
Limits of the joint torque, one --limit each:
  "effort effort_limit=0.2N*m"             the same at every speed
  "effort-range lowest=-0.1N*m highest=0.2N*m"
  "dc-clip saturation_effort=2.5N*m velocity_limit=7500rpm effort_limit=1N*m"
  "envelope max_effort=2N*m max_actuator_velocity=7500rpm"
                                           also speed_effort_gradient=,
                                           velocity_dependent_resistance=
  "knee driving_effort=1N*m braking_effort=2N*m knee_speed=3000rpm
        no_load_speed=7500rpm"

\b
Loads, at the joint:
  "inertia inertia=2kg*cm^2"               also damping=
  "pendulum mass=0.5kg length=10cm"        also arm_mass=, damping=,
                                           gravity=, offset=
  "fan coefficient=1e-6N*m*s^2/rad^2"      also inertia=
  "torque torque=-0.1N*m"                  also inertia=
  "two-mass inertia=1kg*cm^2 far_inertia=5kg*cm^2 stiffness=20N*m/rad"
                                           also damping=, backlash=,
                                           far_torque=
  "locked"                                 a joint that is held still
  "motion path.csv"                        columns: time, and the position
For a linear motor they are in N, m and kg: "inertia inertia=2kg".

\b
Examples:
  backemf simulate maxon-re40-148877 --command "24 V"
  backemf simulate maxon-re40-148877 --command "step value=48V time=0.1s" \\
      --load "inertia inertia=2kg*cm^2" \\
      --supply "voltage=48V resistance=0.1ohm"
  backemf simulate maxon-re40-148877 --command "90 deg" \\
      --controller "position-pid kp=10V/rad kd=0.1V*s/rad"
  backemf simulate my-motor.toml --command volts.csv --load locked \\
      --duration "30 s" --dt "1 ms" -o run.parquet --plot run.png
"""
)
def simulate(
    motor: MotorName,
    command: Annotated[
        str,
        option(
            "COMMAND",
            'Command over time, such as "24 V", a signal or a CSV file, in the unit of what the controller follows, '
            'such as "90 deg", "200 rpm" or "0.5 N*m"; see below.',
        ),
    ],
    controller: Annotated[
        str | None,
        option(
            "CONTROLLER",
            'Controller, such as "position-pid kp=10V/rad"; see below. Default: the file\'s own, or the command is the '
            "voltage.",
            complete=complete_controller,
        ),
    ] = None,
    load: Annotated[
        str, option("LOAD", 'Load, such as "inertia inertia=2kg*cm^2"; see below.', complete=complete_load)
    ] = NO_LOAD,
    duration: Annotated[str, option("TIME", 'Length of the run, such as "500 ms".')] = "1 s",
    dt: Annotated[str, option("TIME", 'Step, such as "10 us"; any is stable, a short one is accurate.')] = "0.1 ms",
    supply: Annotated[
        str | None,
        option(
            "SUPPLY",
            'Battery, such as "voltage=48V resistance=50mohm"; also modulation_limit=, regeneration=no. Default: '
            "unlimited voltage.",
        ),
    ] = None,
    curve: Annotated[
        str | None,
        option(
            "CURVE",
            'Curve from duty to volts, "duty-curve saturation=0.6" or "duty-table shares=0.5,0.8,1". Default: that of '
            "the file, or a straight line.",
        ),
    ] = None,
    spring: Annotated[
        str | None,
        option("SPRING", 'Spring at the joint, such as "stiffness=0.5N*m/rad rest_angle=10deg"; also offset=.'),
    ] = None,
    delay: DelayText = None,
    range_: Annotated[
        str | None, option("LOW..HIGH", 'Lowest and highest command, such as "-90deg..90deg".', "--range")
    ] = None,
    slew: Annotated[
        str | None, option("RATE", 'Fastest change of the command, such as "180 deg/s" or "100 V/s".')
    ] = None,
    voltage_limit: Annotated[
        str | None, option("VOLTS", 'Largest voltage of the drive, such as "24 V"; default: that of the supply.')
    ] = None,
    limit: LimitTexts = None,
    substeps: Annotated[int | None, option("N", "Substeps of the control loop per step; default: 1.")] = None,
    seed: Annotated[int, option("N", "Random seed of a delay.")] = 0,
    every: Annotated[int, option("N", "Record every n-th step only.")] = 1,
    output: Annotated[Path | None, option("FILE", "Write all channels: .parquet or .csv.", "-o", "--output")] = None,
    plot: Annotated[Path | None, option("FILE", "Draw the run: .png, .svg or .pdf.")] = None,
    estimate: WithEstimates = False,
    strict: Annotated[bool, flag("--strict", "Exit code 1 if the run exceeds a rating.")] = False,
    json_: AsJson = False,
) -> None:
    """Run a motor with a load under a command, and print where the energy went.

    The motor starts cold and at rest. Write every quantity with its unit. At the end the command prints which of the
    maker's ratings the run exceeds, and which could not be checked.
    """
    require_ending("--output", output, (".parquet", ".csv"))
    require_ending("--plot", plot, (".png", ".svg", ".pdf"))
    name, actuator, armature = _load(motor, estimate)
    actuator = actuator_from(
        actuator,
        supply=supply,
        curve=curve,
        spring=spring,
        controller=controller,
        delay=delay,
        range_=range_,
        slew=slew,
        voltage_limit=voltage_limit,
        limits=limit,
        substeps=substeps,
    )
    linear = actuator.motor is not None and actuator.motor.motion == "linear"
    if linear and (actuator.controller.main != "voltage" or actuator.limits):
        raise ParameterError(
            f"{motor}: is a linear motor, which accepts only volts here, and no torque limits: leave --controller and "
            "--limit out, or run it in Python, where all of them are in metres and newtons"
        )
    with warnings.catch_warnings():
        # the hint about degrees is among the findings
        warnings.simplefilter("ignore", BackemfWarning)
        moved = moved_load(load, actuator, armature)
        wanted = command_from(command, actuator.controller.main)
        length, step = quantity("--duration", duration, "s"), quantity("--dt", dt, "s")
        more: dict[str, Foreign] = {"every": every, "seed": seed, "progress": not json_}
        if output is not None and plot is None and length / step / max(every, 1) > MOST_KEPT:
            stored = run_simulation(actuator, moved, wanted, length, step, to=output, **more)
            print_stored(name, stored, every, json_)
            print_written([] if json_ else [output])
            return
        run = run_simulation(actuator, moved, wanted, length, step, output=output, **more)
    # a target that was typed with its unit cannot be degrees by mistake, one in a file can
    typed = not command.strip().lower().endswith(".csv")
    findings = [finding for finding in run.findings() if not (typed and finding.severity == "hint")]
    if plot is not None:
        run.plot(plot)
    last = {name: float(run[name][-1]) for name in AT_THE_END if name in run.channels}
    energy = energy_of(run) if every == 1 else {}
    peak = {name: float(abs(run[name]).max()) for name in ("current", "torque") if name in run.channels}
    if json_:
        answer = _control(run) | {
            "time": float(run.time[-1]),
            "end": last,
            "peak": peak,
            "limits": _limit_times(run),
            "energy": energy,
            "findings": [asdict(finding) for finding in findings],
            "estimates": as_dicts(actuator.motor),
        }
        print_json(answer)
    else:
        _print_run(name, run, last, peak, energy)
        print_findings([(f.severity, f.what.replace("_", " "), f.explanation) for f in findings])
        for note in limits_note(motor):
            console().print(Text(f"note: {note}"))
        print_estimates(() if actuator.motor is None else actuator.motor.valid_estimates)
        print_written((output, plot))
    if strict and any(finding.severity == "warning" for finding in findings):
        raise typer.Exit(1)


def print_stored(name: str, run: StoredRun, every: int, json_: bool) -> None:
    """Print what a run that is in a file alone comes to: its end, its peaks, its limits and its energy."""
    seen, note = run.summary, f"recording: {NOT_CHECKED}"
    last = {name: float(seen.last[name]) for name in AT_THE_END if name in seen.last}
    peak = {name: float(seen.size(name)) for name in ("current", "torque") if name in seen.last}
    limits = {limit: float(length) for limit, length in seen.limit_times().items()}
    energy = energy_of(run) if every == 1 else {}
    if json_:
        known = {"time": run.end, "end": last, "peak": peak, "limits": limits, "energy": energy, "notes": [note]}
        print_json(known)
        return
    table = titled_table(f"{name} after {run.end:g} s", ("at the end", ""), right=("",))
    for channel, value in last.items():
        table.add_row(channel.replace("_", " "), units.format_quantity(value, run.unit(channel)))
    for channel, value in peak.items():
        table.add_row(f"largest {channel}", units.format_quantity(value, run.unit(channel)))
    for limit, length in limits.items():
        table.add_row(f"{limit} limit acted for", units.format_quantity(length, "s"))
    console().print(table)
    if energy:
        table = titled_table("Where the energy went", ("name", "energy"), right=("energy",))
        table.show_header = False
        largest = max(abs(value) for value in energy.values())
        for part, value in energy.items():
            if abs(value) > NOTHING * largest:
                table.add_row(part, f"{value:.4g} J")
        console().print(table)
    console().print(Text(note))


def energy_of(run: Run | StoredRun) -> dict[str, float]:
    """Energy by where it went [J], of a run with every step; empty without a motor."""
    if run.actuator.motor is None:
        return {}
    if isinstance(run, StoredRun):
        return {name: float(joules) for name, joules in run.summary.energy().items()}
    return {name: float(values[-1]) for name, values in run.energy().items()}


def _load(motor: str, estimate: bool) -> tuple[str, Actuator, float]:
    """Name of a motor, the actuator in its file, and the inertia of the joint itself [kg·m²]."""
    actuator, armature = fold_joint(*load_with_joint(motor, estimate))
    name = "" if actuator.motor is None else actuator.motor.name
    return name or Path(motor).stem, actuator, armature


def fold_joint(actuator: Actuator, joint: Mapping[str, Foreign] | None) -> tuple[Actuator, float]:
    """An actuator with the friction and inertia of its joint, and the inertia that is left for the load [kg·m²]."""
    if not joint:
        return actuator, 0.0
    from ..sims.on_joint import OnJoint

    own = {name: value for name, value in joint.items() if name != "name"}
    folded = OnJoint(actuator=actuator, joint=joint.get("name", ""), **own).fold()
    return folded, own.get("armature", 0.0) if folded.motor is None else 0.0


def moved_load(text: str, actuator: Actuator, armature: float) -> Load:
    """What an actuator moves: the load that a text describes, and the inertia of the joint itself [kg·m²]."""
    linear = actuator.motor is not None and actuator.motor.motion == "linear"
    return with_inertia(load_from(units.linear_unit(text) if linear and text == NO_LOAD else text, linear), armature)


MOST_KEPT = 2_000_000
"""Longest run with -o that is also held in memory [recorded steps]: a longer one is in its file alone."""
NOT_CHECKED = (
    "the run is too long to be held in memory, and was not checked against the maker's ratings; record fewer of its "
    "steps with --every, or load parts of the file"
)
"""What is not known of such a run."""
AT_THE_END = ("position", "velocity", "current", "winding_temperature", "torque")
"""Channels whose last value is printed, as far as a run has them."""
NOTHING = 1e-9
"""What is smaller than this share of the largest value is rounding, and shown as 0 or left out [1]."""


def _control(run: Run) -> dict[str, Json]:
    """The controller with its gains, and the command's meaning, unit and last value."""
    controller: Any = run.actuator.controller
    gains = {name: value for name, value in asdict(controller).items() if value is not None}
    command = {"input": controller.main, "unit": run.unit("command"), "end": float(run["command"][-1])}
    return {"controller": {"kind": controller.called} | gains, "command": command}


def _limit_times(run: Run) -> dict[str, float]:
    """How long each limit acted, if it did [s]."""
    flags = run["limit"].astype(int)
    spacing = float(run.time[-1]) / len(run.time)
    lengths = {name: spacing * int((flags & bit > 0).sum()) for name, bit in LIMITS.items()}
    return {name: length for name, length in lengths.items() if length}


def _print_run(name: str, run: Run, last: dict[str, float], peak: dict[str, float], energy: dict[str, float]) -> None:
    table = titled_table(f"{name} after {run.time[-1]:g} s", ("at the end", ""), right=("",))
    controller: Any = run.actuator.controller
    if controller.main != "voltage":
        table.add_row(f"target ({controller.called})", _end_text(run, "command", float(run["command"][-1])))
    for channel, value in last.items():
        small = abs(value) < NOTHING * float(abs(run[channel]).max())
        table.add_row(channel.replace("_", " "), _end_text(run, channel, 0.0 if small else value))
    for channel, value in peak.items():
        table.add_row(f"largest {channel}", units.format_quantity(value, run.unit(channel)))
    for limit, length in _limit_times(run).items():
        table.add_row(f"{limit} limit acted for", units.format_quantity(length, "s"))
    console().print(table)
    if energy:
        console().print()
        table = titled_table("Where the energy went", ("name", "energy"), right=("energy",))
        table.show_header = False
        largest = max(abs(value) for value in energy.values())
        for part, value in energy.items():
            if abs(value) > NOTHING * largest:
                table.add_row(part, f"{value:.4g} J")
        console().print(table)


def _end_text(run: Run, channel: str, value: float) -> str:
    """A value with its unit; an angle of many turns stays in radians, since a practical unit would not help."""
    if run.unit(channel) != run.unit("position"):
        return units.format_quantity(value, run.unit(channel))
    return f"{value:{'.0f' if abs(value) >= 1000 else '.4g'}} {run.unit(channel)}"
