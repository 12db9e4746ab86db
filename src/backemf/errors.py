"""Errors and warnings: each message names the place, the field, the value and the remedy."""

from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 2000
"""Longest message; what a file holds may be quoted in it, and is shortened in the middle [characters]."""


class BackemfError(ValueError):
    """Base of every error raised for bad input; its message is meant for the user."""

    def __init__(self, message: object = "", *more: object):
        text = str(message)
        if len(text) > LONGEST:
            text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
        super().__init__(text, *more)


class BackemfWarning(UserWarning):
    """What is allowed and yet looks like a mistake; its message is meant for the user."""


class UnitError(BackemfError):
    """A text that is not a quantity, or a quantity of the wrong dimension."""


class ParameterError(BackemfError):
    """A motor, supply, load or command that cannot exist."""


class DatasheetError(BackemfError):
    """A datasheet file that cannot be read, contradicts itself or says too little."""


class SimulationError(BackemfError):
    """A run with invalid settings, or whose numbers are no longer finite."""


class MissingExtraError(BackemfError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, what: str):
        super().__init__(f"{what} needs {package}, which is not installed: pip install 'backemf[{extra}]'")


class MissingPackageError(MissingExtraError):
    """A package that belongs to no extra is not installed."""

    def __init__(self, package: str, what: str):
        BackemfError.__init__(self, f"{what} needs {package}, which is not installed: pip install {package}")


@contextmanager
def errors_at(place: object) -> Iterator[None]:
    """Put a place, such as a file, before the message of each `ParameterError` that is raised inside."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{place}: {error}") from None


def fault_words(error: BaseException) -> str:
    """One sentence about an error: ours say what to do, any other is a fault of the program."""
    if isinstance(error, BackemfError):
        return str(error)
    said = (str(error).splitlines() or [""])[0][:200]
    return f"failed with {type(error).__name__}: {said}; please report it"
