"""The processes in which the work of all pages runs."""

from __future__ import annotations

from functools import cache

from ..work.workers import Workers


@cache
def shared() -> Workers:
    """The processes of this program."""
    return Workers("backemf.answers.jobs")
