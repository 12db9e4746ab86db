"""Frames under way: the delay line of simulators that keep their last targets, newest first."""

from __future__ import annotations

from typing import TypeVar

from ..physics.command import Command
from ..physics.ops import where
from ..values import Number

T = TypeVar("T", Command, Number)


def push(frames: tuple[T, ...], newest: T, empty: Number) -> tuple[T, ...]:
    """The frames with a new first one; where the line was `empty`, the new one fills all of it."""
    return (newest, *(select(empty, newest, old) for old in frames[:-1]))


def frame_at(frames: tuple[T, ...], lag: Number) -> T:
    """The frame that is `lag` steps old."""
    found = frames[0]
    for age, frame in enumerate(frames[1:], start=1):
        found = select(lag == age, frame, found)
    return found


def select(mask: Number, these: T, others: T) -> T:
    """One frame where a mask is true, the other elsewhere."""
    if not isinstance(these, Command) or not isinstance(others, Command):
        return where(mask, these, others)
    return Command(  # pyright: ignore[reportReturnType]
        position=where(mask, these.position, others.position),
        velocity=where(mask, these.velocity, others.velocity),
        effort=where(mask, these.effort, others.effort),
    )
