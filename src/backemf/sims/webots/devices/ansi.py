"""`AnsiCodes` of the module `controller`: what a terminal understands as colours and as a cleared screen."""

from __future__ import annotations

_COLOURS = ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE")


class AnsiCodes:
    """Texts that switch the print on a terminal, such as `AnsiCodes.RED_FOREGROUND`."""

    RESET, BOLD, UNDERLINE, CLEAR_SCREEN = "\x1b[0m", "\x1b[1m", "\x1b[4m", "\x1b[2J"


for _number, _colour in enumerate(_COLOURS):
    setattr(AnsiCodes, f"{_colour}_FOREGROUND", f"\x1b[{30 + _number}m")
    setattr(AnsiCodes, f"{_colour}_BACKGROUND", f"\x1b[{40 + _number}m")
