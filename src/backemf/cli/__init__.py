"""The command line: backemf list | check | show | simulate | export | import | webots, one file each."""

from . import catalogue, check, export, import_, show, simulate, webots
from .app import app, main

__all__ = ["app", "catalogue", "check", "export", "import_", "main", "show", "simulate", "webots"]
