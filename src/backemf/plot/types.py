"""Types of matplotlib, which is loaded when the first picture is drawn."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = object

__all__ = ["Axes", "Figure"]
