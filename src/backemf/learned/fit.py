"""A learned actuator from a log, in one call."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..actuator.controllers.learned import LearnedController, LearnedMlp, LearnedRecurrent
from ..actuator.networks import Mlp, plain_activation
from ..errors import ParameterError
from ..hooks import call_hook
from .folding import scaled_output
from .linear import CARRIERS, carries, nearest_filter, with_filter
from .logs import read_log
from .shares import WARM, cut_sequences, cut_windows, root_mean_square, shares
from .training import evaluate, new_network, train

KINDS = ("mlp", "lstm", "gru")
CARRIED, BOUNDED = "silu", "softsign"
"""Activations that are tried where none is given: one that carries a linear filter, and one that stays bounded."""


@dataclass(frozen=True)
class Pd:
    """The plain PD that comes nearest to a log: torque = kp·(target - q) - kd·q' + offset."""

    kp: float
    """Torque per position error [N·m/rad]."""
    kd: float
    """Torque against the velocity [N·m·s/rad]."""
    offset: float
    """Torque that is always there [N·m]."""

    def torque(self, error: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Its torque [N·m]."""
        return self.kp * error - self.kd * velocity + self.offset


@dataclass(frozen=True, eq=False)
class Fitted:
    """A learned controller and how good it is; print it for the figures."""

    controller: LearnedController
    """Ready for `Actuator(controller=...)`, scales and all."""
    training_error: float
    """Root mean square torque error on the rows it was trained on [N·m]."""
    validation_error: float
    """The same on the rows that decided when training stopped [N·m]."""
    held_out_error: float
    """The same on rows that played no part [N·m]."""
    pd_error: float
    """The same on those rows for the plain PD that fits the training rows best [N·m]."""
    pd: Pd
    """That PD."""
    linear_error: float
    """The same on those rows for the linear filter over the same history that fits the training rows best [N·m]."""
    linear_history: int
    """Samples of error and velocity that the filter sees: those of an MLP, or the last ones of a recurrent network."""
    skip: bool
    """Whether the network carries that filter beside its own layers."""
    epochs: int
    """Times that training went through the rows."""
    dt: float
    """Time step of the log; the controller is right at this step only [s]."""
    rows: tuple[int, int, int]
    """Rows for training, validation and held out."""
    measured: np.ndarray
    """Torque on the held-out rows [N·m]."""
    predicted: np.ndarray
    """What the network says there [N·m]."""
    predicted_by_pd: np.ndarray
    """What the PD says there [N·m]."""

    def __str__(self) -> str:
        trained, checked, held = self.rows
        words = [
            f"{describe(self.controller)}, steps of {1e3 * self.dt:.4g} ms, {self.epochs} epochs",
            f"  training    {self.training_error:8.4g} N·m   {trained} rows",
            f"  validation  {self.validation_error:8.4g} N·m   {checked} rows",
            f"  held out    {self.held_out_error:8.4g} N·m   {held} rows that training never saw",
            f"  plain PD    {self.pd_error:8.4g} N·m   on the same rows: kp {self.pd.kp:.4g} N·m/rad, "
            f"kd {self.pd.kd:.4g} N·m·s/rad, offset {self.pd.offset:.3g} N·m",
            f"  linear      {self.linear_error:8.4g} N·m   on the same rows: the best filter over "
            f"{self.linear_history} errors and velocities",
        ]
        return "\n".join(words)

    def save(self, path: str | Path, *, precision: str = "float32") -> Path:
        """Write the network with its scales as TorchScript (.pt), ONNX (.onnx) or safetensors."""
        from .files import save_network

        return save_network(self.controller, path, precision=precision)

    def plot(self, path: str | Path | None = None) -> Any:
        """Measured against predicted torque on the held-out rows, for the network and for the PD."""
        return call_hook("held_out_torque", self, path=path)


def fit_learned(
    log: Any,
    *,
    network: str = "mlp",
    hidden: tuple[int, ...] | int = (32, 32),
    history: int = 3,
    stride: int = 1,
    activation: str | None = None,
    skip: bool | None = None,
    reset: str = "backfill",
    held_out: float = 0.2,
    epochs: int = 200,
    learning_rate: float | None = None,
    patience: int = 40,
    seed: int = 0,
    progress: bool = False,
) -> Fitted:
    """Train a network to give the torque of a log.

    Rows are held out in whole blocks or episodes, so that no history reaches from one share into another. A second
    share decides when to stop. Scales come from the data. An MLP learns what the best linear filter over its history
    leaves; large errors count by their size and not by their square, so that a few bad rows do no harm.

    Args:
        log: A dict of arrays, a CSV or parquet path, or a `Run`, with the columns time [s], position_target (or
            command) [rad], position [rad], velocity [rad/s] and torque [N·m]; `episode` marks rows that belong
            together. Arrays of shape (rows, joints) hold several joints.
        network: "mlp", "lstm" or "gru".
        hidden: Width of each hidden layer; those of a recurrent network are equally wide.
        history: Samples of error and velocity that an MLP sees.
        stride: Steps between two samples.
        activation: What follows each hidden layer of an MLP; None: the better of silu with a linear filter beside it
            and softsign, by the rows that decide when to stop.
        skip: Whether an MLP carries a linear filter beside its layers, in two more units of each; None: where its
            activation can (relu, leaky_relu, gelu, gelu_tanh, silu).
        reset: How the MLP's history starts, "backfill" or "zero".
        held_out: Share of the rows that is kept for `held_out_error`.
        epochs: Most times to go through the rows.
        learning_rate: First step of Adam, which falls along a cosine; None: 0.005 for an MLP without a filter, 0.01
            else.
        patience: Epochs without a gain after which training stops.
        seed: For the first weights, the order of rows and the choice of blocks.
        progress: Show a bar if it takes longer than two seconds.
    """
    sizes = check_options(network, hidden, history, stride, activation, held_out, epochs, learning_rate, patience, seed)
    choices = choices_of(network, activation, skip)
    stretches, dt = read_log(log)
    depth = (history - 1) * stride + 1 if network == "mlp" else WARM + 1
    rng = np.random.default_rng(seed)
    trained, checked, held = shares(stretches, held_out, depth, rng)
    scales = tuple(root_mean_square([getattr(s, name) for s in trained]) for name in ("error", "velocity", "torque"))
    for name, scale in zip(("position error", "velocity", "torque"), scales, strict=True):
        if scale == 0.0:
            raise ParameterError(f"log: the {name} is 0 in every training row; there is nothing to learn")
    scaling: dict[str, Any] = {
        "position_scale": 1.0 / scales[0],
        "velocity_scale": 1.0 / scales[1],
        "torque_scale": scales[2],
    }
    parts = (trained, checked, held)
    windows = [cut_windows(part, scales, *((history, stride) if network == "mlp" else (WARM + 1, 1))) for part in parts]
    sets = windows if network == "mlp" else [cut_sequences(part, scales) for part in parts]
    straight = nearest_filter(*windows[0][:2])
    # what a filter leaves is small: it is learned as numbers near 1
    size = root_mean_square([straight(windows[0][0]) - windows[0][1]]) or 1.0
    found: list[Fitted] = []
    with bar(progress, epochs * len(choices)) as advance:
        for word, with_skip in choices:
            shown = [(x, (y - straight(x)) / size, weight) for x, y, weight in sets] if with_skip else sets
            start = new_network(network, sizes, sets[0][0].shape[-1], word, rng, silent=with_skip)
            rate = learning_rate or (0.005 if network == "mlp" and not with_skip else 0.01)
            best, done = train(
                start, shown[0], shown[1], epochs=epochs, rate=rate, patience=patience, rng=rng, advance=advance
            )
            if not np.isfinite(done[-1]).all():
                raise ParameterError(f"learning_rate = {rate:g}: training left the finite numbers; lower it")
            if isinstance(best, Mlp):
                best = with_filter(scaled_output(best, size), straight) if with_skip else best
                controller = LearnedMlp(network=best, history=history, stride=stride, reset=reset, **scaling)
            else:
                controller = LearnedRecurrent(network=best, **scaling)
            fitted = report(controller, sets, scales, history if network == "mlp" else 1, len(done), dt)
            found.append(replace(fitted, skip=with_skip))
    x, y, _ = windows[2]
    return replace(
        min(found, key=lambda fitted: fitted.validation_error),
        linear_error=float(scales[2] * root_mean_square([straight(x) - y])),
        linear_history=x.shape[1] // 2,
    )


def choices_of(network: str, activation: str | None, skip: Any) -> list[tuple[str, bool]]:
    """The activations to train with, each with or without a linear filter beside it; raises where there are none."""
    if skip not in (None, True, False):
        raise ParameterError(f"skip = {skip!r}: must be True, False or None")
    words = [activation] if activation is not None else [CARRIED, BOUNDED]
    found = [(word, network == "mlp" and carries(word) and skip is not False) for word in words]
    if activation is None and network == "mlp":
        found = [choice for choice in found if skip in (None, choice[1])] or [(BOUNDED, False)]
    if skip and not found[0][1]:
        given = f"activation = {activation!r}" if network == "mlp" else f"network = {network!r}"
        names = ", ".join(CARRIERS[:-1])
        raise ParameterError(
            f"skip = True: a linear filter is carried by an MLP with {names}, not by {given}; leave skip out"
        )
    return found if network == "mlp" else found[:1]


def report(controller: LearnedController, sets: list[Any], scales: Any, history: int, epochs: int, dt: float) -> Fitted:
    """The controller with its errors, all of them in double precision; the filter's are not known here."""
    rows, errors, last = [], [], None
    pd = None
    for x, y, weight in sets:
        counts = weight > 0
        measured, predicted = (scales[2] * values[counts] for values in (y, evaluate(controller.network, x)))
        error, velocity = scales[0] * x[..., 0][counts], scales[1] * x[..., history][counts]
        pd = pd or nearest_pd(error, velocity, measured)
        rows.append(len(measured))
        errors.append(float(np.sqrt(np.mean((predicted - measured) ** 2))))
        last = measured, predicted, pd.torque(error, velocity)
    assert pd is not None and last is not None
    return Fitted(
        controller=controller,
        training_error=errors[0],
        validation_error=errors[1],
        held_out_error=errors[2],
        pd_error=float(np.sqrt(np.mean((last[2] - last[0]) ** 2))),
        pd=pd,
        linear_error=np.nan,
        linear_history=history,
        skip=False,
        epochs=epochs,
        dt=dt,
        rows=(rows[0], rows[1], rows[2]),
        measured=last[0],
        predicted=last[1],
        predicted_by_pd=last[2],
    )


def nearest_pd(error: np.ndarray, velocity: np.ndarray, torque: np.ndarray) -> Pd:
    """The PD with the least squared torque error."""
    columns = np.stack([error, -velocity, np.ones_like(error)], axis=1)
    kp, kd, offset = np.linalg.lstsq(columns, torque, rcond=None)[0]
    return Pd(float(kp), float(kd), float(offset))


# --- words and checks


def describe(controller: LearnedController) -> str:
    """A network in a few words, e.g. MLP 6-32-32-1 softsign."""
    net = controller.network
    if isinstance(net, Mlp):
        words = net.activation if isinstance(net.activation, str) else ", ".join(net.activation)
        return f"MLP {'-'.join(map(str, net.sizes))} {words}"
    return f"{type(net).__name__.upper()} with {net.layers} x {net.hidden_size} hidden numbers"


def bar(progress: bool, epochs: int) -> Any:
    """A context that gives a function to report progress with."""
    if not progress:
        return nullcontext(lambda done: None)
    from ..progress import progress_bar

    return progress_bar("training", epochs)


def check_options(
    network, hidden, history, stride, activation, held_out, epochs, learning_rate, patience, seed
) -> tuple[int, ...]:
    """Raise one sentence for an option that cannot be; the hidden widths as a tuple."""
    if network not in KINDS:
        raise ParameterError(f"network = {network!r}: must be one of {', '.join(KINDS)}")
    if activation is not None:
        plain_activation(activation, "activation")
    sizes = (hidden,) if isinstance(hidden, int) else tuple(hidden) if isinstance(hidden, (tuple, list)) else ()
    if not sizes or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in sizes):
        raise ParameterError(f"hidden = {hidden!r}: must be a whole number, or a tuple of them such as (32, 32)")
    if network != "mlp" and len(set(sizes)) > 1:
        raise ParameterError(f"hidden = {hidden!r}: the layers of a recurrent network are equally wide")
    whole = (
        ("history", history, 1),
        ("stride", stride, 1),
        ("epochs", epochs, 1),
        ("patience", patience, 1),
        ("seed", seed, 0),
    )
    for name, value, least in whole:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise ParameterError(f"{name} = {value!r}: must be a whole number of {least} or more")
    if not isinstance(held_out, (int, float)) or not 0.0 < held_out < 1.0:
        raise ParameterError(f"held_out = {held_out!r}: must be a share between 0 and 1, such as 0.2")
    if learning_rate is not None and not (isinstance(learning_rate, (int, float)) and 0.0 < learning_rate < np.inf):
        raise ParameterError(f"learning_rate = {learning_rate!r}: must be a finite number greater than 0")
    return sizes
