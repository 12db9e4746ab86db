"""How well a learned actuator fits: measured against predicted torque."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..learned.fit import Fitted
from . import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def held_out_torque(fit: Fitted, *, path: str | Path | None = None) -> Figure:
    """Measured against predicted torque on the held-out rows of a fit, for the network and for the PD."""
    with style.look():
        drawn, (ax,) = style.figure(height=3.2)
        factor, unit = style.axis_scale(fit.measured, "N·m")
        for values, colour, name in (
            (fit.predicted_by_pd, style.ORANGE, f"plain PD, {factor * fit.pd_error:.3g} {unit} off"),
            (fit.predicted, style.BLUE, f"network, {factor * fit.held_out_error:.3g} {unit} off"),
        ):
            ax.plot(factor * fit.measured, factor * values, ".", color=colour, markersize=2, label=name, alpha=0.5)
        ends = factor * np.array([fit.measured.min(), fit.measured.max()])
        ax.plot(ends, ends, color=style.GREY, linewidth=0.8)
        ax.set_xlabel(f"measured torque [{unit}]")
        ax.set_ylabel(f"predicted torque [{unit}]")
        ax.set_title("Held-out rows")
        ax.legend(loc="upper left", markerscale=4)
        return style.save(drawn, path)
