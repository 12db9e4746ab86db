"""The program itself: what all commands share."""

from __future__ import annotations

import importlib
import io
import os
import re
import signal
import sys
from collections.abc import Callable
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from .. import __version__
from ..errors import BackemfError
from ..values import Declared, Module
from . import INTERRUPTED, stop_at_once
from .complete import complete_limit, complete_motor

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS = {
    "list": ("catalogue", "List the motors of the catalogue."),
    "check": ("check", "Compare the figures of a datasheet, or a robot with its model."),
    "show": ("show", "Show a motor's figures and what follows from them."),
    "simulate": ("simulate", "Run a motor with a load under a command."),
    "export": ("export", "Write a motor or a robot for a simulator, and report what is lost."),
    "import": ("import_", "Read a simulator's actuator into a motor file."),
    "log": ("log", "Check a log of a real drive before anything is fitted to it."),
    "identify": ("identify", "Find the motor that logs of a real drive show."),
    "compare": ("compare", "Compare logs of a real drive with what motors predict."),
    "excite": ("excite", "Find the motion whose log tells most of a motor."),
    "size": ("size", "Find the motors and gears that can do a task."),
    "catalogue": ("catalogue_import", "Import a catalogue of motors and gearboxes."),
    "sweep": ("sweep", "Run simulations, fits or sizings over a space of cases, on many cores or machines."),
    "webots": ("webots", "Run Webots controllers without Webots."),
    "studio": (".studio.command", "Open all of this as pages in a browser."),
}
"""Every command, the module that holds it (behind a dot that of a room below), and what `backemf --help` says of it."""


def as_options(sentence: str) -> str:
    """A sentence whose remedy is an argument in Python, with the options of the command line instead."""

    def options(found: re.Match[str]) -> str:
        pairs = re.findall(r"""["'](\w+)["']: ["']?([^"',]+)""", found[2])
        return " ".join(f"--{found[1]} {quote(f'{left}={right}')}" for left, right in pairs)

    return re.sub(r"(unit|channel)s=\{([^}]*)\}", options, sentence)


class Commands(TyperGroup):
    """Commands that are loaded when they are called; bad input ends in one sentence and exit code 2.

    Until then each is a placeholder of the same name, so that help and completion load none of them.
    """

    def __init__(self, **options: Module):
        super().__init__(**options)
        self.loaded = self.commands
        self.commands = {name: TyperCommand(name, short_help=text) for name, (_, text) in COMMANDS.items()}

    def resolve_command(self, ctx: Module, args: list[str]) -> Module:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            importlib.import_module(f".{COMMANDS[name][0]}", __package__)
            group: Any = get_group(app)
            command = group.loaded[name]
        if signal.getsignal(signal.SIGINT) is stop_at_once:
            # from here on, what was begun is brought to an end
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return name, command, rest

    def invoke(self, ctx: Module) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            print(str(stop) or "stopped", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        except BackemfError as error:
            print(f"{type(error).__name__}: {as_options(str(error))}", file=sys.stderr)
            raise typer.Exit(2) from None


app = typer.Typer(
    name="backemf",
    cls=Commands,
    help="Real motors for simulated robots: check a datasheet, show the motor, simulate it, export it to a simulator.",
    no_args_is_help=True,
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
  0  success
  1  a datasheet, a robot or a log contradicts itself, or with --strict a run
     exceeds a rating
  2  bad input, with one sentence that says what to change
  130  stopped with Ctrl-C
""",
)


def console() -> Console:
    """The terminal, as wide as it is now."""
    from rich.console import Console

    return Console()


def option(metavar: str, help: str, *names: str, complete: Callable[[str], list[str]] | None = None) -> Declared:
    """An option with a value, which help calls `metavar`; `names` where it is not named after its parameter."""
    return typer.Option(*names, metavar=metavar, help=help, autocompletion=complete)


def flag(name: str, help: str) -> Declared:
    """A switch."""
    return typer.Option(name, help=help)


MotorName = Annotated[
    str,
    typer.Argument(
        metavar="MOTOR",
        help="Catalogue id, as `backemf list` prints it, or a TOML file.",
        autocompletion=complete_motor,
    ),
]
DelayText = Annotated[str | None, option("DELAY", 'Delay of commands, such as "seconds=4ms".')]
LimitTexts = Annotated[
    list[str] | None,
    option("LIMIT", 'Limit of the joint torque, such as "effort effort_limit=1N*m".', complete=complete_limit),
]
AsJson = Annotated[bool, flag("--json", "Print JSON in SI units for scripts instead of tables.")]


def run() -> None:
    """Run the command that the process was started with."""
    if sys.argv[1:2] in (["export"], ["import"]):
        # MuJoCo looks for a window system when it is loaded, and here nothing is drawn with it
        os.environ.setdefault("MUJOCO_GL", "disable")
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
