"""Tests in two sizes: a part of the cases in `make test`, the others in `make test-long`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest


def some_now(cases: Iterable, now: Callable[..., bool]) -> list:
    """Parameters for `parametrize`: cases that `now` is true of are tried in `make test`, the others in `test-long`."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=() if now(*row) else pytest.mark.long) for row in rows]


def holds_for(*strategies, few: int, many: int) -> Callable[[Callable[..., None]], Callable[[int], None]]:
    """A test that what the decorated function asserts holds for a few random examples, and in `test-long` for many."""

    def make_test(check: Callable[..., None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("examples", some_now([few, many], lambda count: count == few))
        def test(examples: int) -> None:
            # the environments of simulators have no Hypothesis
            from hypothesis import HealthCheck, given, settings

            sized = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
            sized(given(*strategies)(check))()

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return make_test
