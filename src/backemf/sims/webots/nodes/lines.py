"""The text of a joint with its motor, one field per line, each with its unit and where it came from."""

from __future__ import annotations

from dataclasses import dataclass

from ...digits import round_digits
from ...joint import single
from ...text import Figure
from ..held import OnWebotsJoint
from ..motor import KINDS, WebotsJoint, WebotsMotor, camel

GAINS = ("control_p", "control_i", "control_d")
"""The three numbers of controlPID."""


@dataclass(frozen=True, kw_only=True)
class Lines:
    """What is written of a joint and its motor."""

    kind: str
    """"rotational" or "linear"."""
    control: str
    """What the controller commands."""
    motor: dict[str, Figure]
    """Fields of the motor."""
    joint: dict[str, Figure]
    """Fields of the joint's parameters."""
    comments: list[str]
    """What stands above the node."""


def lines_held(thing: OnWebotsJoint) -> Lines:
    """What Webots holds already, as it is; what Webots takes by itself is left out."""
    motor, plain = _differing(thing.motor, WebotsMotor()), _differing(thing.parameters, WebotsJoint())
    everything = {name: Figure(single(name, getattr(thing.motor, name)), "", "as read") for name in GAINS}
    if thing.control == "position" or any(name in motor for name in GAINS):
        motor |= everything
    for name in ("brake", "cfm"):
        # set by the controller, and by the world
        plain.pop(name, None)
    return Lines(kind=thing.motor.kind, control=thing.control, motor=motor, joint=plain, comments=[])


def _differing(thing: WebotsMotor | WebotsJoint, default: WebotsMotor | WebotsJoint) -> dict[str, Figure]:
    """The numbers that are not Webots' own."""
    return {
        name: Figure(single(name, value), "", "as read")
        for name, value in vars(thing).items()
        if not isinstance(value, str) and value != getattr(default, name)
    }


def text_of_lines(lines: Lines, joint: str) -> str:
    """A joint with its motor and its sensor, to be pasted."""
    hinge = lines.kind == "rotational"
    push = "setTorque" if hinge else "setForce"
    call = {"position": "setPosition", "velocity": "setVelocity, with an infinite position", "torque": push}
    rows = [f"# {comment}" for comment in lines.comments]
    rows += ["HingeJoint {" if hinge else "SliderJoint {"]
    if lines.joint:
        rows += [f"  jointParameters {'HingeJointParameters' if hinge else 'JointParameters'} {{"]
        rows += [f"    {camel(name)} {_row(figure)}" for name, figure in lines.joint.items()] + ["  }"]
    rows += ["  device [", f"    {KINDS[lines.kind]} {{"]
    rows += [f"      name {_quote(joint)}  # commanded by {call[lines.control]}"]
    for name, figure in lines.motor.items():
        word = "maxForce" if name == "max_torque" and not hinge else camel(name)
        if name not in GAINS:
            rows.append(f"      {word} {_row(figure)}")
    if GAINS[0] in lines.motor:
        rows.append(f"      controlPID {_gains([lines.motor[name] for name in GAINS])}")
    rows += ["    }", "    PositionSensor {", f"      name {_quote(joint + ' sensor')}", "    }", "  ]", "}"]
    return "\n".join(rows) + "\n"


def _gains(figures: list[Figure]) -> str:
    messages = [f"{x} {f.unit}: {f.source}" if f.unit else f.source for x, f in zip("PID", figures, strict=True)]
    return f"{' '.join(repr(round_digits(float(f.value))) for f in figures)}  # {'; '.join(dict.fromkeys(messages))}"


def _row(figure: Figure) -> str:
    note = f"{figure.unit}: {figure.source}" if figure.unit else figure.source
    return f"{round_digits(float(figure.value))!r}  # {note}"


def _quote(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
