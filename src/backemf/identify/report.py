"""The page of a fit: how far it is off beside simpler models, then everything that the number rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ..actuator import Actuator
from ..plot import Section, html, style
from ..plot.page import picture, quantity_text, table
from ..progress import progress_bar
from ..units import positional
from .baselines import Baseline, baselines
from .evidence import Error, Evidence, mean_error
from .information import NETWORK, family_of, is_of_network
from .measure_next import measure_next
from .missing_torque import MISSING
from .picture import rig_html
from .report_pictures import (
    draw_correlations,
    draw_ladder,
    draw_lane,
    draw_parameters,
    draw_residual,
    draw_table,
    unit_of,
)
from .residual_findings import QUANTITIES, ResidualCurve

if TYPE_CHECKING:
    from .fit import Fit, Fitted

SHOWN = 24
"""Most logs that are drawn, those with the largest errors [1]."""
POINTS = 3
"""Fewest numbers of a table that are drawn together [1]."""
BETTER = 0.99
"""A simpler model whose error is below this part of the fit's is better, and not only by rounding [1]."""
STRONG = 0.8
"""Correlation from which on a pair is named [1]."""


def _motor_name(fit: Fit) -> str:
    """Name of the motor, where there is one."""
    motor = fit.actuator.motor if isinstance(fit.actuator, Actuator) else None
    return "" if motor is None else motor.name


def report_html(fit: Fit) -> str:
    """The page as text."""
    evidence = fit._evidence
    name = fit.rig.name or _motor_name(fit)
    title = f"{name}: what its logs show" if name else "What the logs of a drive show"
    residuals = fit._residuals()
    makers = (
        lambda: _headline(fit),
        lambda: _pictures(evidence, residuals, fit.errors),
        lambda: _ladder(fit),
        lambda: _parameters(fit),
        lambda: _correlations(fit),
        lambda: _residuals(fit),
        lambda: _next(fit),
        lambda: _origin(fit),
    )
    sections: list[Section] = []
    with progress_bar("report", len(makers)) as done:
        for make in makers:
            sections.append(make())
            done(1)
    return html(title, sections)


# --- the number, beside simpler models


def _headline(fit: Fit) -> Section:
    evidence = fit._evidence
    out = evidence.held_out
    # a channel that never changes says nothing of a prediction
    readings = sorted(evidence.trials.readings, key=lambda each: not np.ptp(each.values[each.there]))
    channels = [reading.channel for reading in readings]
    simpler = baselines(fit)
    logs = _count_logs(fit.errors, channels[0], out)
    where = f"on {_plural(logs, 'log')} that the fit has not seen" if out else (
        f"on the {_plural(logs, 'log')} of the fit itself: nothing was held out"
    )  # fmt: skip
    if out and evidence.last < 1.0:
        where = f"on the last {100 * (1 - evidence.last):.0f} % of {_plural(logs, 'log')}, which the fit has not seen"
    first = fit.error(channels[0], out)
    number = (
        f'<p class="headline"><strong>{escape(_scaled(first, channels[0]))}</strong> '
        f"mean absolute error of the {escape(_words(channels[0]))}{escape(_degrees(first, channels[0]))} "
        f"{escape(where)}</p>"
    )
    tables = "".join(_errors_table(fit, simpler, channel, out, len(channels) > 1) for channel in channels)
    about = "".join(f"<li>{escape(each.name)}: {escape(each.about)}</li>" for each in simpler)
    return Section(
        "How far it is off" if out else "How far it is off, on the logs of the fit itself",
        f"{number}{tables}{_beaten(fit, simpler, channels, out)}"
        "<p>All models predict the same samples of the same logs; each log counts the same.</p>"
        f"<ul>{about}</ul>",
    )


def _beaten(fit: Fit, simpler: Sequence[Baseline], channels: Sequence[str], out: bool) -> str:
    """Which simpler models are better, in a sentence."""
    better = [f"{each.name} ({_words(channel)})" for channel in channels for each in simpler
              if each.error(channel, out) < BETTER * fit.error(channel, out)]  # fmt: skip
    if not better:
        return ""
    why = (
        "What the fit has found in its own logs does not hold in these."
        if out
        else "The fit weighs samples by their noise, and keeps to what is believed of the drive."
    )
    words = f"Better than the fit here: {', '.join(better)}. {why}"
    return f'<ul class="findings"><li><span class="warning">warning</span> {escape(words)}</li></ul>'


def _errors_table(fit: Fit, simpler: Sequence[Baseline], channel: str, out: bool, named: bool) -> str:
    own = fit.error(channel, out)
    rows = [_error_row("<b>this fit</b>", fit.errors, channel, out, own)]
    rows += [_error_row(escape(each.name), each.errors, channel, out, own) for each in simpler]
    caption = f"<h3>{escape(_words(channel))}</h3>" if named else ""
    header = ("model", "mean absolute error", "RMS", "times the fit's")
    return caption + table(header, rows, numeric=(1, 2, 3))


def _error_row(name: str, errors: Sequence[Error], channel: str, out: bool, own: float) -> tuple[str, ...]:
    size = mean_error(errors, channel, out)
    squares = [each.rms**2 for each in errors if each.channel == channel and each.held_out == out]
    if not np.isfinite(size):
        return name, "cannot tell", "", ""
    rms = float(np.sqrt(np.mean(squares)))
    times = positional(size / own, 3) if own > 0.0 else ""
    return name, escape(error_text(size, channel)), escape(_scaled(rms, channel)), times


def error_text(value: float, channel: str) -> str:
    """An error with its unit, and in degrees where it is an angle."""
    if not np.isfinite(value):
        return "not finite"
    return _scaled(value, channel) + _degrees(value, channel)


def _degrees(value: float, channel: str) -> str:
    return f" ({positional(np.degrees(value), 3)}°)" if unit_of(channel) == "rad" else ""


def _scaled(value: float, channel: str) -> str:
    unit = unit_of(channel).replace("°C", "K")
    # 999.9 µrad are 1 mrad
    value = float(f"{value:.3g}")
    factor, scaled = (1.0, unit) if unit == "1" else style.axis_scale([value], unit)
    return f"{positional(factor * value, 3)} {scaled}".removesuffix(" 1")


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0.0 else text.replace("-", "−")


def _gain(value: float) -> str:
    """A number with its sign and three digits."""
    return f"{'−' if value < 0.0 else '+'}{positional(abs(value), 3)}"


def _count_logs(errors: Sequence[Error], channel: str, out: bool) -> int:
    return sum(each.channel == channel and each.held_out == out for each in errors)


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _words(channel: str) -> str:
    return channel.replace("_", " ")


# --- pictures of logs


def _pictures(evidence: Evidence, residuals: Sequence[np.ndarray], errors: Sequence[Error]) -> Section:
    out = evidence.held_out
    reading, trials = evidence.trials.readings[0], evidence.trials
    sizes = {}
    for lane in range(trials.lanes):
        rows = evidence.rows(reading, lane, out)
        if rows.any():
            sizes[lane] = float(np.abs(residuals[0][lane, rows]).mean())
    chosen = sorted(sorted(sizes, key=lambda lane: -sizes[lane])[:SHOWN])
    shown = [picture(draw_lane(evidence, residuals, lane), _lane_name(evidence, lane),
                     f"{_lane_name(evidence, lane)}: {error_text(sizes[lane], reading.channel)} mean absolute error")
             for lane in chosen]  # fmt: skip
    left = len(sizes) - len(chosen)
    more = f" The {SHOWN} with the largest errors of {len(sizes)} are drawn." if left else ""
    seen = " The fit has seen what is on grey ground." if evidence.last < 1.0 else ""
    words = (
        "Blue: predicted from the start and the inputs alone. Thin: measured. Dashed: command. "
        f"Below, predicted less measured, on its own scale.{seen}{more}"
    )
    heading = "Held-out logs" if out else "Logs of the fit"
    return Section(heading, f'<p>{escape(words)}</p><div class="pictures">{"".join(shown)}</div>')


def _lane_name(evidence: Evidence, lane: int) -> str:
    """A log by its file, its joint, and those of its notes in which the logs differ."""
    trials = evidence.trials
    joint = f", {trials.joints[lane]}" if trials.joints else ""
    notes = []
    for name, value in trials.logs[lane].meta.items():
        if len({str(log.meta.get(name)) for log in trials.logs}) > 1:
            notes.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    listed = f" ({', '.join(notes[:4])})" if notes else ""
    return f"{_log_name(evidence, lane)}{joint}{listed}"


def _log_name(evidence: Evidence, lane: int) -> str:
    """The name of a log without the folders that it was in."""
    name = evidence.trials.logs[lane].name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name or f"log {evidence.trials.files[lane] + 1}"


# --- the ladder


def _ladder(fit: Fit) -> Section:
    channels = [reading.channel for reading in fit._evidence.trials.readings]
    rows = []
    for number, rung in enumerate(fit.rungs):
        verdict = '<span class="ok">kept</span>' if rung.kept else "left out"
        idle = (
            "nothing on any log"
            if rung.gain == rung.error == 0.0
            else f"{_gain(rung.gain)} ± {positional(rung.error, 2)}"
        )
        saved = idle if number else "the start"
        after = ", ".join(_scaled(size, name) for size, name in zip(rung.sigma, channels, strict=False))
        freed = f"<br><small>{', '.join(_name(each) for each in _tables(rung.parameters))}</small>"
        rows.append((escape(rung.name) + freed, verdict, escape(saved), escape(after)))
    words = (
        "Laws from simple to rich. One stays if the loss on blocks that are left out in turn is lower with it than "
        "without it, by more than the standard error of the difference."
    )
    header = ("law, and what it frees", "verdict", "loss saved per block", "residual after it")
    body = table(header, rows, numeric=(2, 3))
    drawn = ""
    if any(rung.error for rung in fit.rungs):
        shown = picture(draw_ladder(fit.rungs), "ladder", "Blue: kept. Bars: one standard error on either side.")
        drawn = f'<div class="one">{shown}</div>'
    return Section("The ladder of laws", f"<p>{escape(words)}</p>{drawn}{body}")


# --- parameters


def _parameters(fit: Fit) -> Section:
    single, tables = _by_table(fit.parameters)
    widths = _widths(fit)
    header = ("parameter", "value", "95 % interval", "prior", "moved, in spreads", "prior from")
    rows = [_parameter_row(fit.parameters[k]) for k in single]
    drawn = picture(
        draw_parameters([fit.parameters[k] for k in single], [widths[k] for k in single]), "parameters",
        "Dots and bars: values and 95 % intervals. Grey: one spread of the prior on either side.",
    ) if single else ""  # fmt: skip
    network = [note for note in fit.notes if note.startswith("a network of ")]
    words = (
        "Intervals believe the residuals block by block, as drawing the blocks again would; "
        "fit.profile(name) and fit.bootstrap(n) find them the long way."
    )
    points = "".join(
        picture(draw_table([fit.parameters[k] for k in places]), name, f"{name}, point by point, with 95 % intervals")
        for name, places in tables.items()
    )
    closed = [_parameter_row(fit.parameters[k]) for places in tables.values() for k in places]
    listed = _findings(fit, lambda cause: not cause.startswith("residual-"))
    return Section(
        "Parameters",
        f"<p>{escape(words)}</p>{_listed(network)}{table(header, rows, numeric=(1, 2, 3, 4)) if rows else ''}"
        f'<div class="one">{drawn}</div>{f"""<div class="pictures">{points}</div>""" if points else ""}{listed}'
        + (f"<details><summary>Every point of these tables</summary>{table(header, closed, numeric=(1, 2, 3, 4))}"
           "</details>" if closed else ""),
    )  # fmt: skip


def _by_table(parameters: Sequence[Fitted]) -> tuple[list[int], dict[str, list[int]]]:
    """Places of parameters that stand alone, and those of the points of each table."""
    families: dict[str, list[int]] = {}
    for k, each in enumerate(parameters):
        if is_of_network(each.name):
            # said in a sentence: what one of its weights is tells nobody anything
            continue
        families.setdefault(family_of(each.name), []).append(k)
    single = [k for places in families.values() if len(places) < POINTS for k in places]
    return sorted(single), {name: places for name, places in families.items() if len(places) >= POINTS}


def _parameter_row(each: Fitted) -> tuple[str, ...]:
    far = abs(each.deviation) > 3.0 or each.at_bound
    moved = _signed(each.deviation, 1)
    return (
        _name(each.name), _quantity(each.value, each.unit), _interval(each), _quantity(each.prior, each.unit),
        f'<span class="warning">{moved}</span>' if far else moved, escape(each.source),
    )  # fmt: skip


def _tables(names: Sequence[str]) -> list[str]:
    """Names of parameters, those of the points of a table as one."""
    counts: dict[str, int] = {}
    for name in names:
        counts[family_of(name)] = counts.get(family_of(name), 0) + 1
    kinds = {NETWORK: "weights"}
    return [f"{name} ({count} {kinds.get(name, 'points')})" if count > 1 else name for name, count in counts.items()]


def _name(dotted: str) -> str:
    """A dotted name that a narrow table may break."""
    return escape(dotted).replace(".", ".<wbr>")


def _interval(each: Fitted) -> str:
    low, high = (_quantity(end, each.unit) for end in (each.low, each.high))
    # the unit once, where it is the same
    number, _, unit = low.partition(" ")
    if unit and high.endswith(f" {unit}"):
        low = number
    return f"{low} to {high}"


def _quantity(value: float, unit: str) -> str:
    return escape(quantity_text(float(value), unit).replace("-", "−", 1) if value < 0.0 else quantity_text(value, unit))


def _widths(fit: Fit) -> list[float]:
    """Half-width of each interval in spreads of the prior."""
    spreads, sizes = fit._space.spreads, np.sqrt(np.maximum(np.diag(fit._covariance), 0.0))
    return [1.96 * float(sizes[k] / spreads[k]) for k in np.flatnonzero(fit._active)]


def _findings(fit: Fit, wanted: Callable[[str], bool]) -> str:
    chosen = [each for each in fit.findings if wanted(each.cause)]
    items = "".join(
        f'<li><span class="{escape(each.severity)}">{escape(each.severity)}</span> '
        f"{'' if each.explanation.startswith(each.figure) else escape(each.figure) + ': '}"
        f"{escape(each.explanation)}</li>"
        for each in chosen
    )
    return f'<ul class="findings">{items}</ul>' if chosen else ""


def _correlations(fit: Fit) -> Section:
    free = np.flatnonzero(fit._active).tolist()
    if len(free) < 2:
        return Section("Correlations", "<p>One parameter was fitted.</p>")
    covariance = fit._covariance[np.ix_(free, free)]
    sizes = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    correlation = covariance / np.outer(sizes, sizes)
    names = [each.name for each in fit.parameters]
    laws = [k for k, name in enumerate(names) if not is_of_network(name)]
    pairs = [(abs(correlation[a, b]), a, b) for a in laws for b in laws if b < a and abs(correlation[a, b]) > STRONG]
    listed = "".join(
        f"<li>{escape(names[b])} and {escape(names[a])}: {_signed(correlation[a, b], 2)}</li>"
        for _, a, b in sorted(pairs, reverse=True)
    )
    words = (
        "What the logs say of two parameters together. Areas are correlations: blue where both rise together, orange "
        "where one rises as the other falls. fit.samples(n) draws them as they are."
    )
    strong = f"<p>Above {STRONG:g}:</p><ul>{listed}</ul>" if listed else f"<p>None is above {STRONG:g}.</p>"
    single, tables = _by_table(fit.parameters)
    if tables:
        words += " Points of tables are left out of the picture."
    small = correlation[np.ix_(single, single)]
    wide = f"max-width: {20 + 2 * len(single)}rem"
    drawn = picture(draw_correlations([names[k] for k in single], small), "correlations", "", wide) if single else ""
    return Section("Correlations", f'<p>{escape(words)}</p><div class="one">{drawn}</div>{strong}')


# --- residuals and what follows


def _residuals(fit: Fit) -> Section:
    if not fit.residual_curves:
        return Section("Residuals", "<p>The logs are too short to tell what residuals follow.</p>")
    missing = any(curve.channel == MISSING for curve in fit.residual_curves)
    words = (
        "Means over bins of equal numbers of samples; eight of ten residuals are in the grey range. By chance means: "
        "with blocks in another order."
    )
    if missing:
        words += (
            " Of a free joint, the missing torque is drawn: what the model gives too much along the measured motion. A "
            "position would carry an error on to all that follows; this torque is where a law is missing."
        )
    shown = []
    for curve in fit.residual_curves:
        it = QUANTITIES[curve.quantity]
        said = f"{_words(curve.channel)} along {it.name}"
        said += f": {_verdict(curve)}"
        shown.append(picture(draw_residual(curve), f"residual along {it.name}", said[:1].upper() + said[1:]))
    listed = _findings(fit, lambda cause: cause.startswith("residual-"))
    calm = "" if listed else "<p>The residuals follow none of these by so much that it matters.</p>"
    return Section("Residuals", f'<p>{escape(words)}</p>{listed}{calm}<div class="pictures">{"".join(shown)}</div>')


def _verdict(curve: ResidualCurve) -> str:
    """Whether residuals follow a quantity, and what would explain it."""
    if curve.follows:
        return f"it follows. What would explain it: {QUANTITIES[curve.quantity].reason}"
    return f"it follows, by {100.0 * curve.size:.2g} % of its size" if curve.stands_out else "nothing to see"


def _next(fit: Fit) -> Section:
    free = [fit._space.parameters[k] for k in np.flatnonzero(fit._active)]
    found = measure_next(free, [(each.low, each.high) for each in fit.parameters], fit.blind)
    items = "".join(f"<li>{escape(str(each))}</li>" for each in found)
    body = f"<ul>{items}</ul>" if items else "<p>These logs tell every parameter well.</p>"
    return Section("What to measure next", body)


def _origin(fit: Fit) -> Section:
    evidence = fit._evidence
    trials = evidence.trials
    rows = []
    files: dict[int, int] = {}
    for lane, file in enumerate(trials.files):
        files.setdefault(file, lane)
    for file, lane in files.items():
        log = trials.logs[lane]
        part = "held out" if not evidence.train[file] else (
            "fitted" if evidence.last >= 1.0 else f"first {100 * evidence.last:.0f} % fitted"
        )  # fmt: skip
        rows.append((escape(_log_name(evidence, lane)), f"{log.duration:.3g} s", part))
    notes = _listed(fit.notes)
    hashes = _listed(fit.hashes)
    return Section(
        "What it was made from",
        f"{rig_html(fit.rig)}{table(('log', 'duration', 'share'), rows, numeric=(1,))}"
        f"{f'<p>Assumed of the prior:</p>{notes}' if notes else ''}"
        f"<p>Simulated in steps of {1e3 * trials.dt:.3g} ms; random seed {fit.seed}.</p>"
        f"<details><summary>SHA-256 of the fitted logs</summary>{hashes}</details>"
        f"<details><summary>The drive as a motor file</summary><pre>{escape(fit.text())}</pre></details>",
    )


def _listed(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""
