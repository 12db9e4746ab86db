"""What cannot be is refused before the first step, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from backemf.errors import ParameterError
from backemf.tree import numbers

from .cases import Case


def accepts_nonsense(case: Case, rng: np.random.Generator) -> str | None:
    """What went wrong when one number of the actuator was not finite; None: it was refused in one sentence."""
    names = [name for name, value in numbers(case.actuator) if np.asarray(value).dtype.kind == "f"]
    if not names:
        return None
    name = names[int(rng.integers(len(names)))]
    # a range may be open on one side
    value = np.nan if name.startswith("command_range") else float(rng.choice([np.nan, np.inf, -np.inf]))
    try:
        changed(case.actuator, name.split("."), value)
    except ParameterError as error:
        return None if "\n" not in str(error) else f"{name} = {value} is refused in more than one line"
    except Exception as error:
        return f"{name} = {value} ends in {type(error).__name__}: {error}"
    return f"{name} = {value} is accepted"


def changed(part: Any, path: list[str], value: float) -> Any:
    """The part with one number below it replaced, for one motor of the batch."""
    if not path:
        spoiled = np.array(part, dtype=float)
        spoiled.flat[0] = value
        return spoiled
    word, *rest = path
    if isinstance(part, tuple):
        index = int(word)
        return (*part[:index], changed(part[index], rest, value), *part[index + 1 :])
    return replace(part, **{word: changed(getattr(part, word), rest, value)})
