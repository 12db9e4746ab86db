"""A command as it is typed, and as the Python program that does the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from ..actuator import Actuator
from ..commands import Signal
from ..loads import Load
from ..motor import Motor
from ..part_code import code_of
from ..values import Foreign


def command_line(*words: str) -> str:
    """A command such as `backemf show motor`, each further word on a line of its own."""
    return " \\\n    ".join([" ".join(words[:3]), *words[3:]])


def option_words(options: Mapping[str, object]) -> list[str]:
    """Options as a shell reads them: {"hold_out": 0.3} is --hold-out 0.3; what is empty or 0 is left out.

    A list gives its option once for each of its values, and a dict for each of its pairs, as in --unit angle=deg.
    """
    words: list[str] = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = [f"{key}={each}" for key, each in value.items()]
        for each in value if isinstance(value, list) else [value] if value else []:
            words.append(f"--{name.replace('_', '-')} {shlex.quote(str(each))}")
    return words


def load_program(motor: str, estimate: bool = False) -> str:
    """The lines that load an actuator, by its id or from a file."""
    return f'import backemf as be\n\nactuator = be.load("{motor}"{", estimate=True" if estimate else ""})\n'


def sheet_program(motor: str, drivable: bool, estimate: bool = False) -> str:
    """The lines that load and check a datasheet, and make its motor if there is one."""
    made = f"motor = sheet.motor({'estimate=True' if estimate else ''})\n" if drivable else ""
    return f'import backemf as be\n\nsheet = be.Datasheet.load("{motor}")\nprint(sheet.check())\n{made}'


def show_texts(
    name: str, motor: Motor | None, volts: float | None, celsius: float | None, estimate: bool = False
) -> tuple[str, str]:
    """The pictures of a motor [V, °C] as a Python program, and as `backemf show`; None: an actuator without a motor."""
    from ..plot.interactive import known_range

    # the operating range is drawn where the figures say which torque is continuous
    ranged = motor is None or known_range(motor, volts, celsius) is not None
    options = option_words({"voltage": _with_unit(volts, "V"), "temperature": _with_unit(celsius, "degC")})
    more = [*(["--estimate"] if estimate else []), *(["--plot range.png"] if ranged else []), "--page motor.html"]
    command = command_line("backemf", "show", name, *options, *more)
    if motor is None:
        return f'{load_program(name, estimate)}be.plot.joint_limits(actuator, path="limits.png")\n', command
    given = f"motor, {_with_unit(volts)}, {_with_unit(celsius)}"
    program = (
        f"{load_program(name, estimate)}motor = actuator.motor\n"
        f'be.plot.{"operating_range" if ranged else "torque_speed"}({given}, path="range.png")\n'
        f"best = be.analyze.constants({given})\n"
        "print(best.max_efficiency, best.no_load_speed, best.max_torque)\n"
    )
    return program, command


def simulate_texts(
    name: str,
    options: Mapping[str, str | None],
    parts: tuple[Actuator, Load, Signal | float],
    times: tuple[float, float],
    estimate: bool = False,
) -> tuple[str, str]:
    """A run as a Python program, and as `backemf simulate` with options.

    Args:
        name: The motor.
        options: Texts of the options by their names, such as "load".
        parts: Actuator, load and command that they describe.
        times: Duration and step [s].
        estimate: Whether what a datasheet does not give is estimated.
    """  # fmt: skip
    actuator, load, wanted = parts
    changed = {"controller": actuator.controller, "delay": actuator.delay, "supply": actuator.supply}
    signal = f"{wanted:g}" if isinstance(wanted, float) else f"be.commands.{code_of(wanted, '')}"
    program = (
        f"{load_program(name, estimate)}\n{_replace_parts(changed)}"
        f"run = be.simulate(actuator, {code_of(load)}, {signal}, duration={times[0]:g}, dt={times[1]:g})\n"
        'print(run.findings())\nrun.to_parquet("run.parquet")\n'
    )
    more = ["--estimate"] if estimate else []
    return program, command_line("backemf", "simulate", name, *option_words(options), *more, "-o run.parquet")


def export_program(
    motor: str, to: str, file: str, options: Mapping[str, Foreign], controller: Foreign = None, estimate: bool = False
) -> str:
    """What `backemf export -o file` does; `options` are those of `be.export`, None or an empty text for none."""
    exported = f'"{motor}"' if controller is None else "actuator"
    given = "".join(f", {name}={_literal(value)}" for name, value in options.items() if value not in ("", None))
    return (
        f"{load_program(motor, estimate)}\n{_replace_parts({'controller': controller})}"
        f'found = be.export({exported}, "{to}"{given})\n'
        f'found.save("{file}")\nprint(found.losses, found.errors)\n'
    )


def identify_texts(
    logs: Sequence[str], motor: str, reading: Mapping[str, Foreign], options: Mapping[str, Foreign]
) -> tuple[str, str]:
    """A fit as a Python program, and as `backemf identify`.

    `reading` are channels, units and rate [Hz] of `be.read_log`, `options` those of `be.identify` besides the rig.
    """
    program = (
        "import backemf as be\n\n"
        f"logs = [be.read_log(path{_arguments(reading)}) for path in {list(logs)!r}]\n"
        f'fit = be.identify(logs, {motor!r}, rig=be.Rig.read("rig.toml"){_arguments(options)})\n'
        'fit.save("fitted.toml")\nfit.report("fit.html")\n'
    )
    rate = f"{reading['rate']:g} Hz" if reading.get("rate") else ""
    given = {"motor": motor, "rig": "rig.toml", "channel": reading["channels"], "unit": reading["units"], "rate": rate}
    files = ("-o fitted.toml", "--report fit.html")
    return program, command_line("backemf", "identify", shlex.join(logs), *option_words({**given, **options}), *files)


def size_texts(folder: str = "") -> tuple[str, str]:
    """The motors for a task as a Python program, and as `backemf size`; `folder` has the candidates, if any."""
    given = f', "{folder}"' if folder else ""
    program = (
        f'import backemf as be\n\nfound = be.size("task.toml"{given})\nprint(found.best)\nfound.report("size.html")\n'
    )
    options = option_words({"from": folder, "report": "size.html"})
    return program, command_line("backemf", "size", "task.toml", *options, "--json > size.json")


def _arguments(given: Mapping[str, Foreign]) -> str:
    return "".join(f", {name}={value!r}" for name, value in given.items() if value)


def _replace_parts(parts: Mapping[str, Foreign]) -> str:
    """The lines that give an actuator other parts."""
    said = ", ".join(f"{name}={code_of(part)}" for name, part in parts.items() if part is not None)
    return f"import dataclasses\n\nactuator = dataclasses.replace(actuator, {said})\n" if said else ""


def _with_unit(value: float | None, unit: str = "") -> str:
    """A number with its unit; one that is None without a unit is None in Python, with one no text."""
    return ("" if unit else "None") if value is None else f"{value:.12g} {unit}".strip()


def _literal(value: Foreign) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
