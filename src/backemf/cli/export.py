"""backemf export"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console
from rich.markup import escape

from ..actuator import Actuator
from ..errors import ParameterError
from ..motorfile import load_with_joint
from ..values import Foreign
from .app import AsJson, DelayText, LimitTexts, MotorName, app, flag, option
from .complete import complete_controller, complete_target
from .drive import actuator_from
from .estimates import WithEstimates, as_dicts, print_estimates
from .limits_only import limits_note
from .losses import print_errors, print_statuses
from .tables import print_json, print_written
from .words import above_zero, require_ending, require_folder

if TYPE_CHECKING:
    from ..sims.on_joint import OnJoint


@app.command(
    "export",
    epilog="""\b
Simulators:
  mujoco@4.0, mujoco@3.11   a model with a <dcmotor>; any version from 3.7
  mjlab                     --kind dc_motor, ideal_pd, builtin_pd,
                            builtin_position, builtin_velocity,
                            builtin_motor, builtin_dc_motor
  isaaclab                  also isaaclab@2.1; --kind dc_motor, ideal_pd,
                            delayed_pd, remotized, implicit
  newton                    USD; --kind dc_motor, pd, pid_dc_motor, pid,
                            backemf: the whole actuator
  physx                     USD, with the drive performance envelope
  webots                    a HingeJoint with its RotationalMotor
  urdf                      of a robot file: limits, friction and the limits
                            of ros2_control in its URDF

\b
MOTOR may be a robot file (format = "backemf robot 1"): then the whole robot
is written, its model with a motor on every joint that the file names.

\b
The text goes to the standard output, or to a file with -o; the tables go to
the terminal. For the errors, the motor and the simulator's own law run side by
side along the same motion:
  operating range       all speeds and torques, cold
  start                 full torque from rest to 95 % of the no-load speed
  stall                 full torque for 1 s on a locked joint
  braking overspeed     from 120 % of the no-load speed down to rest
  ten minutes of heat   the continuous torque, at half speed

\b
Examples:
  backemf export mit-mini-cheetah --to mujoco@4.0 --joint knee
  backemf export mit-mini-cheetah --to mjlab --joint ".*_knee" \\
      --controller "ideal-pd stiffness=40N*m/rad damping=1N*m*s/rad"
  backemf export my-motor.toml --to physx --joint /World/robot/knee -o knee.usda
  backemf export dynamixel-xm540-w270 --compare simulators.png
  backemf export robot.toml --to mujoco@4.0 -o robot_with_motors.xml
""",
)
def export_command(
    motor: MotorName,
    to: Annotated[str | None, option("SIMULATOR", "Which simulator; see below.", complete=complete_target)] = None,
    joint: Annotated[str, option("NAME", "Name of the joint; for USD the path of its prim.")] = "joint",
    controller: Annotated[
        str | None,
        option(
            "CONTROLLER",
            'Controller, such as "ideal-pd stiffness=40N*m/rad"; see backemf simulate --help. Default: the file\'s, '
            "or the torque is commanded.",
            complete=complete_controller,
        ),
    ] = None,
    supply: Annotated[
        str | None, option("SUPPLY", 'Battery, such as "voltage=24V resistance=50mohm"; default: the nominal voltage.')
    ] = None,
    delay: DelayText = None,
    limit: LimitTexts = None,
    kind: Annotated[str | None, option("KIND", "Which of a simulator's actuators; see below.")] = None,
    backlash: Annotated[bool, flag("--backlash", "For MuJoCo: write the backlash as a second hinge.")] = False,
    effort: Annotated[str, option("CURRENT", "Current that sets the largest torque: peak or continuous.")] = "peak",
    timestep: Annotated[
        str | None, option("TIME", "Physics step of the simulator; default: 2 ms, or that of a robot's model.")
    ] = None,
    strict: Annotated[bool, flag("--strict", "Fail if any part of the motor would be dropped.")] = False,
    output: Annotated[Path | None, option("FILE", "Write the text to this file.", "-o", "--output")] = None,
    compare: Annotated[
        Path | None, option("FILE", "Draw the torque-speed envelopes of all simulators: .png, .svg or .pdf.")
    ] = None,
    estimate: WithEstimates = False,
    quick: Annotated[bool, flag("--quick", "Of a robot: leave out the torque errors.")] = False,
    json_: AsJson = False,
) -> None:
    """Write a motor or a robot for a simulator; print what is kept, approximated, dropped, unknown, and the error."""
    if motor.endswith(".toml"):
        from ..robot.robot_file import is_robot_file

        if is_robot_file(motor):
            from .robots import export_robot_file, refuse_options

            own = {"--joint": joint != "joint", "--controller": controller, "--supply": supply, "--delay": delay,
                   "--limit": limit, "--backlash": backlash, "--compare": compare, "--estimate": estimate}  # fmt: skip
            refuse_options(motor, own)
            export_robot_file(
                motor, to, output, kind=kind, effort=effort, timestep=timestep, strict=strict, compare=not quick,
                json_=json_,
            )  # fmt: skip
            return
    if quick:
        raise ParameterError("--quick is for a robot file; leave it out for one motor")
    from ..progress import progress_bar
    from ..transfer import export
    from ..transfer.duty import DUTY_STEPS

    _check_options(to, kind, backlash, output, compare)
    actuator, own = load_with_joint(motor, estimate)
    if own is None:
        controller = controller or "torque"
    actuator = actuator_from(actuator, controller=controller, supply=supply, delay=delay, limits=limit)
    _require_voltage(motor, actuator, to, own)
    thing, joint = on_joint_from(actuator, own, joint)
    numbers: dict[str, Any] = {} if kind is None else {"kind": kind}
    if backlash:
        numbers["backlash"] = True
    step = above_zero("--timestep", timestep or "2 ms", "s")
    if compare is not None:
        from ..transfer.picture import simulators

        title = "" if actuator.motor is None else actuator.motor.name
        simulators(thing, title=title, timestep=step, effort=effort, path=compare)
    if to is None:
        print_written([compare])
        return
    with progress_bar("running both motors", DUTY_STEPS) as advance:
        found = export(thing, to, joint, effort=effort, timestep=step, strict=strict, advance=advance, **numbers)
    found.notes.extend(limits_note(motor))
    if output is not None:
        found.save(output)
    if json_:
        losses, errors = ([asdict(row) for row in rows] for rows in (found.statuses, found.errors))
        known = {"to": found.target.name, "text": found.text, "statuses": losses, "notes": found.notes}
        print_json(known | {"errors": errors, "estimates": as_dicts(actuator.motor)})
        return
    if output is None:
        print(found.text)
    terminal = Console(stderr=output is None)
    print_statuses(f"What {found.target.title} makes of it", found.statuses, terminal)
    for note in found.notes:
        terminal.print(f"note: {escape(note)}")
    terminal.print()
    print_errors(found.errors, terminal)
    print_estimates(() if actuator.motor is None else actuator.motor.valid_estimates, terminal)
    print_written((output, compare))


def on_joint_from(actuator: Actuator, own: dict[str, Foreign] | None, joint: str) -> tuple[Actuator | OnJoint, str]:
    """What is written, and the name of its joint: that of the file, `own`, where no other one is given."""
    if not own:
        return actuator, joint
    from ..sims.on_joint import OnJoint

    values = dict(own)
    name = values.pop("name", "")
    return OnJoint(actuator=actuator, **values), name if joint == "joint" and name else joint


def _check_options(to: str | None, kind: str | None, backlash: bool, output: Path | None, compare: Path | None) -> None:
    """Report wrong options at once, not after a long run."""
    from ..transfer.targets import NAMES, target_of

    require_ending("--compare", compare, (".png", ".svg", ".pdf"))
    require_folder("--output", output)
    if to is None:
        if output is not None:
            raise ParameterError("--output needs --to: which simulator the file is for")
        if compare is None:
            raise ParameterError(f"--to is missing: must be one of {', '.join(NAMES)}; or give --compare FILE")
        return
    target = target_of(to)
    if backlash and not target.name.startswith("mujoco"):
        raise ParameterError(f"--backlash is for MuJoCo: {to} has no place for it")
    target.about.require_kind(kind)


def _require_voltage(name: str, actuator: Actuator, to: str | None, own: dict[str, Foreign] | None) -> None:
    """Ask for a supply at once; the motor of a motor file may have none if the simulator accepts that."""
    from ..transfer.duty import has_voltage
    from ..transfer.targets import target_of

    if has_voltage(actuator) or (own is not None and to is not None and target_of(to).about.any_voltage):
        return
    raise ParameterError(f'{name}: it has no nominal voltage: add one, such as --supply "voltage=24V"')
