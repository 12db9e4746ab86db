"""The command line: backemf list | check | show | simulate | export | import, one file each."""

from . import catalogue, check, export, import_, show, simulate
from .app import app, main

__all__ = ["app", "catalogue", "check", "export", "import_", "main", "show", "simulate"]
