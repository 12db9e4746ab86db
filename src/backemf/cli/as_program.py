"""A command as it is typed, and as the Python program that does the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from ..actuator import Actuator
from ..commands import Signal
from ..loads import Load
from ..part_code import code_of
from ..values import Foreign


def command_line(*words: str) -> str:
    """A command such as `backemf show motor`, each further word on a line of its own."""
    return " \\\n    ".join([" ".join(words[:3]), *words[3:]])


def option_words(options: Mapping[str, str | None]) -> list[str]:
    """Options with their values, as a shell reads them; one without a value is left out."""
    return [f"{name} {shlex.quote(value)}" for name, value in options.items() if value]


def load_program(motor: str, estimate: bool = False) -> str:
    """The lines that load an actuator, by its id or from a file."""
    return f'import backemf as be\n\nactuator = be.load("{motor}"{", estimate=True" if estimate else ""})\n'


def sheet_program(motor: str, drivable: bool, estimate: bool = False) -> str:
    """The lines that load and check a datasheet, and make its motor if there is one."""
    made = f"motor = sheet.motor({'estimate=True' if estimate else ''})\n" if drivable else ""
    return f'import backemf as be\n\nsheet = be.Datasheet.load("{motor}")\nprint(sheet.check())\n{made}'


def show_program(motor: str, volts: str, celsius: str, estimate: bool = False, continuous: bool = True) -> str:
    """What `backemf show --plot` draws; `continuous`: whether the figures say which torque is."""
    given = f"motor, {volts or None}, {celsius or None}"
    return (
        f"{load_program(motor, estimate)}motor = actuator.motor\n"
        f'be.plot.{"operating_range" if continuous else "torque_speed"}({given}, path="range.png")\n'
        f"best = be.analyze.constants({given})\n"
        "print(best.max_efficiency, best.no_load_speed, best.max_torque)\n"
    )


def limits_program(motor: str, estimate: bool = False) -> str:
    """What `backemf show --plot` draws of an actuator without a motor."""
    return f'{load_program(motor, estimate)}be.plot.joint_limits(actuator, path="limits.png")\n'


def simulate_program(
    motor: str, actuator: Actuator, load: Load, command: Signal | float, times: tuple[float, float], estimate: bool
) -> str:
    """What `backemf simulate -o run.parquet` does, with the duration and the step in `times` [s]."""
    parts = {"controller": actuator.controller, "delay": actuator.delay, "supply": actuator.supply}
    signal = f"{command:g}" if isinstance(command, float) else f"be.commands.{code_of(command, '')}"
    return (
        f"{load_program(motor, estimate)}\n{_replace_parts(parts)}"
        f"run = be.simulate(actuator, {code_of(load)}, {signal}, duration={times[0]:g}, dt={times[1]:g})\n"
        'print(run.findings())\nrun.to_parquet("run.parquet")\n'
    )


def export_program(
    motor: str, to: str, file: str, options: Mapping[str, Foreign], controller: Foreign = None, estimate: bool = False
) -> str:
    """What `backemf export -o file` does; `options` are those of `be.export`, None or an empty text for none."""
    exported = f'"{motor}"' if controller is None else "actuator"
    given = "".join(f", {name}={_literal(value)}" for name, value in options.items() if value not in ("", None))
    return (
        f"{load_program(motor, estimate)}\n{_replace_parts({'controller': controller})}"
        f'found = be.export({exported}, "{to}"{given})\n'
        f'open("{file}", "w").write(found.text)\nprint(found.losses, found.errors)\n'
    )


def _replace_parts(parts: Mapping[str, Foreign]) -> str:
    """The lines that give an actuator other parts."""
    said = ", ".join(f"{name}={code_of(part)}" for name, part in parts.items() if part is not None)
    return f"import dataclasses\n\nactuator = dataclasses.replace(actuator, {said})\n" if said else ""


def _literal(value: Foreign) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
