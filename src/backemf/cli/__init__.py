"""The command line: backemf list | check | show | simulate | export | import | webots, one file each."""

from .app import app, main

__all__ = ["app", "main"]
