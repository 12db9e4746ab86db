"""The program itself: what all commands share."""

from __future__ import annotations

import io
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from .. import __version__
from ..errors import BackemfError


class OneSentence(TyperGroup):
    """Commands whose bad input ends in one sentence on the error stream and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BackemfError as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            raise typer.Exit(2) from None


app = typer.Typer(
    name="backemf",
    cls=OneSentence,
    help="Real motors for simulated robots: read a datasheet, check it, look at it, run it, carry it into a simulator.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="""\b
Try:
  backemf list
  backemf show maxon-re40-148877
  backemf simulate maxon-re40-148877 --command "24 V" --plot run.png
  backemf export maxon-re40-gp52c --to mujoco@4.0 --joint knee

\b
Exit codes:
  0  all is well
  1  a datasheet contradicts itself
  2  bad input, said in one sentence
""",
)


def console() -> Console:
    """The terminal, as wide as it is now."""
    return Console()


MotorName = Annotated[
    str, typer.Argument(metavar="MOTOR", help="An id of the catalogue, as `backemf list` prints it, or a TOML file.")
]
DelayText = Annotated[
    str | None,
    typer.Option("--delay", metavar="DELAY", help='How long commands travel, such as "seconds=4ms".'),
]
LimitTexts = Annotated[
    list[str] | None,
    typer.Option("--limit", metavar="LIMIT", help='Limit of the joint torque, such as "effort effort_limit=1N*m".'),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON in SI units for scripts instead of tables.")]


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal that knows no Ω shows a question mark, and the program goes on
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"backemf {__version__}")
        raise typer.Exit
