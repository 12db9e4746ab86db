"""Sizings of a sweep: the best pair of motor and gear for each of many tasks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..checks import quote
from ..errors import BackemfError, BackemfWarning, ParameterError
from ..parts import declaration_of
from ..random.randomize import rebuild
from ..size import Candidates, Found, JointTask, Task
from ..size import size as find_pairs
from ..tree import numbers
from ..units import linear_unit
from ..values import Foreign
from .cases import Answers, Case, Cases
from .fingerprint import file_fingerprint, fingerprint
from .simulations import resolve_field
from .space import Space
from .swept import Swept, require_apart

TEXTS = ("task", "candidates")
"""Fields that are paths."""
PLAIN = {"ambient": "degC", "mounting": ""}
"""Numbers of a task itself, with their units."""
PARTS = ("supply", "limits")
FIGURES = {
    "mass": "kg", "ratio": "", "energy": "J", "winding": "degC", "inertia": "kg·m²", "peak_current": "A",
    "rms_current": "A", "voltage": "V",
}  # fmt: skip
"""Figures of the best pair that are answers, with their units."""


class Sizings(Swept):
    """Sizings of a task, each with other numbers of the task, another task or other candidates.

    Args:
        task: A `Task` or the path of its file; None: the space has a list of paths, called task.
        candidates: As of `size`; None: the own catalogue, unless the space has a list of folders, called candidates.
        engine: As of `size`.
    """

    name = "size"
    part = 100

    def __init__(self, task: Task | str | Path | None = None, *, candidates: Foreign = None, engine: str | None = None):
        self.task = Task.read(task) if isinstance(task, (str, Path)) else task
        if self.task is not None and not isinstance(self.task, Task):
            raise ParameterError(f"sweep: task = {quote(task)}: must be a Task, or the path of one")
        self.candidates, self.engine = candidates, engine
        self._tasks: dict[str, Task] = {} if self.task is None else {"": self.task}
        self._known: dict[str, Candidates] = {}
        self._read: list[str] = []

    def __getstate__(self) -> dict[str, object]:
        # a worker reads the candidates itself, once
        return {**vars(self), "_known": {}}

    # --- fields

    def prepare(self, paths: Mapping[str, list[str]]) -> None:
        for path in paths.get("task", ()):
            self._task(path)

    def check(self, space: Space) -> None:
        for name in TEXTS:
            if name in space.names and not isinstance(space.lists.get(name, (0.0,))[0], str):
                raise ParameterError(f"sweep: {name}: is a path; give a list of them")
            if name in space.names and getattr(self, name) is not None:
                raise ParameterError(f"sweep: {name}: is given, and the space has a list of them too; leave one out")
        if "task" not in space.names and self.task is None:
            raise ParameterError("sweep: task is missing: give one, or a list of paths in the space, called task")
        tasks = [self._task(str(path)) for path in space.lists.get("task", ("",))]
        folders = [str(path) for path in space.lists.get("candidates", ())]
        given = [self.candidates] if isinstance(self.candidates, (str, Path)) else []
        for folder in (*folders, *given):
            self._candidates(str(folder))
            self._read.append(file_fingerprint(folder))
        for name in space.names:
            if name in TEXTS:
                continue
            if isinstance(space.lists.get(name, (0.0,))[0], str):
                raise ParameterError(f"sweep: {name!r}: is a number, and its list has texts; give numbers in SI units")
            for task in tasks:
                _place(task, name)
        require_apart({name: _place(tasks[0], name) for name in space.names if name not in TEXTS})

    def require_field(self, name: str) -> None:
        for task in self._tasks.values():
            _place(task, name)

    def _task(self, path: str) -> Task:
        if path not in self._tasks:
            made = Task.read(path) if path else self.task
            assert made is not None
            self._tasks[path] = made
        return self._tasks[path]

    def _candidates(self, folder: str) -> Foreign:
        if not folder and not isinstance(self.candidates, (str, Path)) and self.candidates is not None:
            return self.candidates
        path = folder or str(self.candidates or "")
        if path not in self._known:
            self._known[path] = Candidates.read(path) if path else Candidates.catalogue()
        return self._known[path]

    def nominal(self, name: str, listed: Mapping[str, np.ndarray]) -> np.ndarray | float:
        paths = listed.get("task")
        if paths is None:
            return _value(self._task(""), name)
        known = {path: _value(self._task(path), name) for path in dict.fromkeys(paths)}
        return np.array([known[path] for path in paths])

    def unit(self, name: str) -> str:
        if name in TEXTS:
            return ""
        for task in self._tasks.values():
            try:
                part, inner = _place(task, name)
            except ParameterError:
                continue
            return PLAIN[inner] if part is None else _unit(_part(task, part), inner)
        joint, _, figure = name.rpartition(".")
        slides = any(joint in task.joints and task.joints[joint].slide is not None for task in self._tasks.values())
        unit = FIGURES.get(figure, "")
        return linear_unit(unit) if slides else unit

    def fingerprint(self) -> str:
        own = None if isinstance(self.candidates, (str, Path)) else _described(self.candidates)
        return fingerprint((self.name, sorted(self._tasks.items()), own, self._read, self.engine))

    # --- the cases

    def run(self, cases: Cases, answers: Answers) -> None:
        for k in range(len(cases)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", BackemfWarning)
                    answers.put_all(k, self._size(cases[k]), tuple(cases.columns))
            except (BackemfError, ArithmeticError) as error:
                answers.fail(k, str(error))

    def _size(self, case: Case) -> dict[str, object]:
        task = self._task(str(case["task"]) if "task" in case else "")
        for name, value in case.items():
            if name not in TEXTS:
                task = _changed(task, name, float(value))
        folder = str(case["candidates"]) if "candidates" in case else ""
        return _answer(find_pairs(task, self._candidates(folder), engine=self.engine))


def _answer(found: Found) -> dict[str, object]:
    """The best pair of each joint with its figures; where none can do it, why the nearest cannot."""
    answer: dict[str, object] = {}
    for name, joint in found.joints.items():
        answer |= {f"{name}.pairs": joint.count, f"{name}.feasible": len(joint)}
        if not len(joint):
            nearest = joint.rejected(1)
            answer[f"{name}.reason"] = nearest[0].reason if nearest else "there are no pairs"
            continue
        best = joint.best
        answer |= {f"{name}.name": best.name} | {f"{name}.{figure}": best.figures[figure] for figure in FIGURES}
        if best.spring is not None:
            answer[f"{name}.stiffness"] = float(best.spring.stiffness)
            answer[f"{name}.rest_angle"] = float(best.spring.rest_angle)
        if best.margins:
            answer[f"{name}.tightest"], answer[f"{name}.margin"] = best.tightest
    return answer


# --- numbers of a task


def _place(task: Task, name: str) -> tuple[str | None, str]:
    """The part of a task that a field belongs to, such as "joints.knee", and its name there; raises without one."""
    inner = name.removeprefix("task.")
    word, _, rest = inner.partition(".")
    if inner in PLAIN:
        return None, inner
    if word in PARTS:
        return word, resolve_field(getattr(task, word), rest, name)
    if word == "joints":
        joint = next((known for known in task.joints if rest.startswith(f"{known}.")), None)
        if joint is None:
            known = ", ".join(task.joints)
            raise ParameterError(f"sweep: {name!r}: the task has no such joint; it has {known}")
        return f"joints.{joint}", resolve_field(task.joints[joint], rest.removeprefix(f"{joint}."), name)
    known = ", ".join((*PLAIN, *(f"{part}.…" for part in PARTS), *(f"joints.{joint}.…" for joint in task.joints)))
    raise ParameterError(f"sweep: {name!r} is no number of a task; it has {known}")


def _part(task: Task, part: str) -> Foreign:
    return task.joints[part.removeprefix("joints.")] if part.startswith("joints.") else getattr(task, part)


def _value(task: Task, name: str) -> float:
    part, inner = _place(task, name)
    return float(getattr(task, inner) if part is None else dict(numbers(_part(task, part)))[inner])


def _changed(task: Task, name: str, value: float) -> Task:
    part, inner = _place(task, name)
    if part is None:
        return replace(task, **{inner: value})
    made = rebuild(_part(task, part), {inner: value})
    if part.startswith("joints."):
        return replace(task, joints={**task.joints, part.removeprefix("joints."): made})
    return replace(task, **{part: made})


def _unit(part: Foreign, inner: str) -> str:
    """Unit of a number below a part; motion and load of a joint that slides have its units."""
    *path, last = inner.split(".")
    slides = isinstance(part, JointTask) and part.slide is not None and path[:1] in (["motion"], ["load"])
    for word in path:
        part = part[int(word)] if isinstance(part, tuple) else getattr(part, word)
    it = declaration_of(type(part).__dataclass_fields__[last])
    unit = (it and it.unit) or ""
    return linear_unit(unit) if slides else unit


def _described(candidates: Foreign) -> object:
    """What candidates are, in memory."""
    return [batch.motor for batch in candidates.batches] if isinstance(candidates, Candidates) else candidates
