"""A violation as a program of a few lines: the actuator, where it starts, and the step that goes wrong."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from backemf.loads import KINEMATIC

from .cases import HELD, SETTABLE, Case


def written(value: Any) -> str:
    """A part, a number or an array as Python text; a batch of one motor as plain numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        return written_part(value)
    if isinstance(value, (tuple, list)):
        items = ", ".join(written(item) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, np.ndarray):
        return repr(float(value.reshape(()))) if value.size == 1 else f"np.array({value.tolist()!r})"
    if isinstance(value, np.generic):
        return repr(value.item())
    return repr(value)


def written_part(part: Any) -> str:
    """A dataclass as a call of backemf, without what stands at its default."""
    texts = []
    for entry in fields(part):
        value = getattr(part, entry.name)
        default = entry.default_factory() if entry.default_factory is not MISSING else entry.default
        # None is what has no effect, as the laws see it
        idle = value is None and entry.name in getattr(type(part), "neutral", {})
        if not idle and (default is MISSING or not same(value, default)):
            texts.append(f"{entry.name}={written(value)}")
    return f"be.{type(part).__name__}({', '.join(texts)})"


def same(value: Any, default: Any) -> bool:
    """Whether a field stands at its default."""
    if value is None or default is None or isinstance(value, np.ndarray):
        return value is default or (isinstance(value, np.ndarray) and value.size == 1 and value == default)
    # parts of numbers that are arrays have no single truth, their texts have
    return type(value) is type(default) and repr(value) == repr(default)


def program(case: Case) -> str:
    """A program that repeats a case of one motor."""
    states = {name: getattr(case.state, name) for name in SETTABLE}
    given = {name: value for name, value in states.items() if value is not None and np.any(value)}
    # the setpoint and the integral of a fresh controller begin with the joint
    for name in ("setpoint", "integral", "held_position"):
        if case.state.fresh is not None and np.any(case.state.fresh):
            given.pop(name, None)
    lines = ["import numpy as np", "import backemf as be", "", f"actuator = {written(case.actuator)}"]
    body = host_lines(case, given) if case.way == HELD else run_lines(case, given)
    return "\n".join(lines + body)


def host_lines(case: Case, given: dict[str, Any]) -> list[str]:
    """A host that calls the step."""
    shape = case.shape if case.position.size > 1 else ()
    states = "".join(f", {name}={written(value)}" for name, value in given.items())
    lines = [
        'step = actuator.compile("numpy")',
        f"state, position = step.initial({shape}{states}), {written(case.position)}",
    ]
    load = ""
    if case.load_torque is not None:
        load = f", load_torque={written(case.load_torque)}, load_inertia={written(case.load_inertia)}"
    dt = written(case.dt)
    for command, velocity in zip(case.commands, case.velocities, strict=True):
        velocity = written(velocity)
        lines.append(f"state, out = step(state, {written(command)}, position, {velocity}, {dt}{load})")
        if len(case.commands) > 1:
            lines.append(f"position += {dt} * {velocity}")
    return [*lines, "print(out)"]


def run_lines(case: Case, given: dict[str, Any]) -> list[str]:
    """A run of motor and load, step by step."""
    lines = [
        "from dataclasses import replace",
        "from backemf.actuator import chain",
        "from backemf.parts import without_neutral",
        "from backemf.rollout import Here, advance, rest",
        "",
        "actuator = without_neutral(actuator)",
    ]
    load = written(case.load)
    shape = case.shape if case.position.size > 1 else ()
    lines += [f"load, dt = {load}, {written(case.dt)}"]
    lines += [f"here = rest(actuator, load, {shape}, {written(case.position)}, {written(case.velocities[0])})"]
    if case.state.fresh is not None and not np.any(case.state.fresh):
        # one that has run before goes on from where it is
        given = given | {"fresh": 0.0}
    if given:
        states = ", ".join(f"{name}=np.array({written(value)})" for name, value in given.items())
        lines += [f"here = replace(here, state=replace(here.state, {states}))"]
    if case.memory:
        lines += [f"here = replace(here, memory={written(case.memory)})"]
    lines += [f"for command in {written(case.commands)}:"]
    lines += (
        ["    path = (here.position, here.position + dt * here.velocity)"] if isinstance(case.load, KINEMATIC) else []
    )
    path = "path" if isinstance(case.load, KINEMATIC) else "None"
    lines += [f"    here, out = advance(chain, actuator, load, here, command, {path}, dt)"]
    return [*lines, "print(here, out)"]
