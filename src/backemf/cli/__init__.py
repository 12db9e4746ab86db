"""The command line: backemf list | check | show | simulate, one file each."""

from . import catalogue, check, show, simulate
from .app import app, main

__all__ = ["app", "catalogue", "check", "main", "show", "simulate"]
