"""backemf import"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..motorfile import JOINT, dumps, write_text
from .app import app, console
from .words import require_ending


@app.command(
    "import",
    epilog="""\b
Files:
  .xml, .mjcf          MuJoCo: dcmotor, position, velocity, motor, general
  .usda, .usd, .usdc   PhysX drives, Newton actuators
  .py                  configuration text of mjlab or Isaac Lab, which is
                       read and never run
  .wbt, .proto         Webots motors

\b
Examples:
  backemf import robot.xml --joint knee -o knee.toml
  backemf export knee.toml --to physx
""",
)
def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of a simulator.")],
    joint: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which joint, where the file has several actuators.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Version of MuJoCo that an MJCF file is for; default: 4.0.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the motor to this file: .toml.")
    ] = None,
) -> None:
    """Read an actuator of a simulator's file, and write it as a motor file that export and simulate take."""
    from ..transfer import read_file

    require_ending("--output", output, (".toml",))
    found = read_file(file, joint, version)
    own = {name: getattr(found, "joint" if name == "name" else name) for name in JOINT}
    text = dumps(found.actuator, own)
    if output is None:
        print(text, end="")
        return
    write_text(output, text)
    console().print(f"wrote {output}", soft_wrap=True)
