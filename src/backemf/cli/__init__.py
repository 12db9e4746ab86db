"""The command line: backemf list | check | show | simulate | export | import | webots, one file each."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of every program that a shell starts."""


def main() -> None:
    """Run the command line; Ctrl-C ends it with one sentence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # nothing is worth keeping until a command runs, and half an import is worth nothing
        signal.signal(signal.SIGINT, stop_at_once)
    try:
        from .app import run

        run()
    except KeyboardInterrupt as stop:
        leave(str(stop))
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave()
        raise


def stop_at_once(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does before a command runs."""
    leave("stopped")


def leave(text: str | None = None) -> None:
    """End the process after Ctrl-C, with a sentence on the error stream where none was said yet."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if text is not None:
            print(text or "stopped", file=sys.stderr)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        # without the end of the interpreter, in which threads of libraries that still compute crash
        os._exit(INTERRUPTED)
