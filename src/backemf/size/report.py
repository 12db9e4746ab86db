"""The page of a sizing: the best pairs, why others cannot, and pictures of the best ones."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ..plot import Section, html
from ..plot.page import picture, table
from ..progress import progress_bar
from .report_pictures import draw_cycle, draw_energy, draw_front, draw_range, draw_warm_up

if TYPE_CHECKING:
    from .found import Found
    from .joint_found import JointFound

PICTURED = 3
"""Pairs of a joint that are drawn in the operating range [1]."""


def report_html(found: Found, top: int = 10) -> str:
    """The page as text."""
    title = f"{found.task.name}: motors that can do it" if found.task.name else "Motors for a task"
    sections: list[Section] = []
    with progress_bar("report", len(found.joints)) as done:
        for name, joint in found.joints.items():
            sections += _joint(found, name, joint, top)
            done(1)
    return html(title, sections)


def _joint(found: Found, name: str, joint: JointFound, top: int) -> list[Section]:
    made = [_ranking(found, name, joint, top)]
    if len(joint):
        made.append(_pictures(name, joint))
    made.append(_reasons(name, joint, top))
    return made


def _ranking(found: Found, name: str, joint: JointFound, top: int) -> Section:
    inertia = "kg·m²" if found.task.joints[name].slide is None else "kg"
    header = ("", "motor and gear", "gear\n[:1]", "mass\n[kg]", "energy\n[J]", "winding\n[°C]",
              f"inertia\n[{inertia}]", "peak\n[A]", "RMS\n[A]", "volts\n[V]", "left\n[%]", "of")  # fmt: skip
    rows = []
    for row in found.table(top, name):
        figures = {key: float(value) for key, value in row.items() if isinstance(value, (int, float))}
        rows.append((
            str(row["rank"]), escape(str(row["name"])).replace(" + ", " +<br>"), _cell(figures["ratio"], ".4g"),
            _cell(figures["mass"], ".3g"), _cell(figures["energy"], ".3g"), _cell(figures["winding"], ".0f"),
            _cell(figures["inertia"], ".2g"), _cell(figures["peak_current"], ".3g"),
            _cell(figures["rms_current"], ".3g"), _cell(figures["voltage"], ".3g"),
            _cell(100 * figures["margin"], ".0f"), escape(str(row["tightest"]).replace("_", " ")),
        ))  # fmt: skip
    words = (
        f"<p><strong>{len(joint)} of {joint.count}</strong> pairs can do it, the least "
        f"{escape(found.task.wanted[0].replace('_', ' '))} first. Candidates: {escape(found.source or 'as given')}.</p>"
    )
    return Section(f"{name}: the best pairs", words + (table(header, rows, numeric=range(2, 11)) if rows else ""))


def _cell(value: float, form: str) -> str:
    """A number; a dash where it is not known."""
    return "–" if np.isnan(value) else f"{value:{form}}"


def _pictures(name: str, joint: JointFound) -> Section:
    shown = []
    if len(joint.task.wanted) > 1:
        shown.append(
            picture(draw_front(joint), "front", "Every pair that can do it; blue: the front, which no other beats")
        )
    for rank in range(min(PICTURED, len(joint))):
        choice = joint[rank]
        shown.append(picture(
            draw_range(choice.motor, joint.task.supply, joint.task.ambient, joint, joint.trace(rank)),
            f"operating range {rank + 1}",
            f"{choice.name}: the task in its range",
        ))  # fmt: skip
    choice, trace = joint.best, joint.trace(0)
    shown.append(picture(draw_cycle(joint, trace), "cycle", f"{choice.name}: current, voltage and winding"))
    if choice.motor.thermal is not None:
        stated = None if choice.motor.ratings is None else choice.motor.ratings.winding_temperature
        limit = None if stated is None else float(stated)
        share, k = joint.place(int(joint.order[0]))
        shown.append(picture(
            draw_warm_up(joint, choice.motor, float(share.evaluation.square_cold[k]), limit, choice.figures["winding"]),
            "warm-up", f"{choice.name}: from cold. Dashed: its hottest moment; black: what its maker allows",
        ))  # fmt: skip
    shown.append(picture(draw_energy(trace), "energy", f"{choice.name}: where the energy of one motion goes"))
    return Section(f"{name}: pictures", f'<div class="pictures">{"".join(shown)}</div>')


def _reasons(name: str, joint: JointFound, top: int) -> Section:
    counts = "".join(f"<li>{number} on {escape(words)}</li>" for words, number in joint.reasons().items())
    rows = [(escape(choice.name), escape(choice.reason)) for choice in joint.rejected(top)]
    body = f"<ul>{counts}</ul>" + (table(("nearest to it", "why it cannot"), rows) if rows else "")
    if joint.left_out:
        out = [(escape(each.name), escape(each.reason)) for each in joint.left_out]
        listed = table(("left out", "why"), out)
        body += f"<details><summary>{len(out)} were left out</summary>{listed}</details>"
    return Section(f"{name}: why others cannot", body)
