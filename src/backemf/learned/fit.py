"""A learned actuator from a log, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from ..actuator.controllers.learned import SCALES, LearnedController, LearnedMlp, LearnedRecurrent
from ..actuator.networks import Mlp, Network, plain_activation
from ..errors import ParameterError
from ..hooks import call_hook
from ..progress import progress_bar
from ..values import Foreign, Module
from .folding import scale_output
from .linear import CARRIERS, carries, nearest_filter, with_filter
from .logs import read_log
from .shares import WARM, cut_sequences, cut_windows, root_mean_square, shares
from .training import Data, evaluate, new_network, train

KINDS = ("mlp", "lstm", "gru")
CARRIED, BOUNDED = "silu", "softsign"
"""Activations that are tried where none is given: one that carries a linear filter, and one that stays bounded."""


@dataclass(frozen=True)
class Pd:
    """The plain PD that fits a log best: torque = kp·(target - q) - kd·q' + offset."""

    kp: float
    """Torque per position error [N·m/rad]."""
    kd: float
    """Torque against the velocity [N·m·s/rad]."""
    offset: float
    """Constant torque [N·m]."""

    def torque(self, error: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Its torque [N·m]."""
        return self.kp * error - self.kd * velocity + self.offset


@dataclass(frozen=True, eq=False)
class Fitted:
    """A learned controller and how good it is; print it for the figures."""

    controller: LearnedController
    """Ready for `Actuator(controller=...)`, with its scales."""
    training_error: float
    """Root mean square torque error on the rows it was trained on [N·m]."""
    validation_error: float
    """The same on the rows that decided when training stopped [N·m]."""
    held_out_error: float
    """The same on rows that were not used in training [N·m]."""
    pd_error: float
    """The same on those rows for the plain PD that fits the training rows best [N·m]."""
    pd: Pd
    """That PD."""
    linear_error: float
    """The same on those rows for the linear filter over the same history that fits the training rows best [N·m]."""
    linear_history: int
    """Samples of error and velocity that the filter sees: those of an MLP, or the latest of a recurrent network."""
    skip: bool
    """Whether the network carries that filter beside its own layers."""
    epochs: int
    """Passes of the training through the rows."""
    dt: float
    """Time step of the log; the controller is right at this step only [s]."""
    rows: tuple[int, int, int]
    """Rows for training, validation and held out."""
    measured: np.ndarray
    """Torque on the held-out rows [N·m]."""
    predicted: np.ndarray
    """Torque of the network there [N·m]."""
    predicted_by_pd: np.ndarray
    """Torque of the PD there [N·m]."""

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

    def plot(self, path: str | Path | None = None) -> Module:
        """Measured against predicted torque on the held-out rows, for the network and for the PD."""
        return call_hook("held_out_torque", self, path=path)


def fit_learned(
    log: Foreign,
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

    Rows are held out in whole blocks or episodes, so that no history spans two shares. A second share decides when to
    stop. Scales come from the data. An MLP learns the residual of the best linear filter over its history. The loss is
    Huber's: it grows linearly with large errors, so that a few bad rows do no harm.

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
        epochs: Most passes through the rows.
        learning_rate: Initial step of Adam, which falls along a cosine; None: 0.005 for an MLP without a filter,
            otherwise 0.01.
        patience: Epochs without improvement after which training stops.
        seed: Random seed of the initial weights, the order of rows and the choice of blocks.
        progress: Show a bar if it takes longer than two seconds.
    """
    counts = {"history": history, "stride": stride, "epochs": epochs, "patience": patience, "seed": seed}
    sizes = check_options(network, hidden, activation, held_out, learning_rate, counts)
    choices = choices_of(network, activation, skip)
    stretches, dt = read_log(log)
    is_mlp = network == "mlp"
    window = (history, stride) if is_mlp else (WARM + 1, 1)
    rng = np.random.default_rng(seed)
    parts = shares(stretches, held_out, (window[0] - 1) * window[1] + 1, rng)
    columns = {"position error": "error", "velocity": "velocity", "torque": "torque"}
    scales = tuple(root_mean_square([getattr(s, name) for s in parts[0]]) for name in columns.values())
    for name, scale in zip(columns, scales, strict=True):
        if scale == 0.0:
            raise ParameterError(f"log: the {name} is 0 in every training row; there is nothing to learn")
    scaling = dict(zip(SCALES, (1.0 / scales[0], 1.0 / scales[1], scales[2]), strict=True))
    windows = [cut_windows(part, scales, *window) for part in parts]
    sets = windows if is_mlp else [cut_sequences(part, scales) for part in parts]
    straight = nearest_filter(*windows[0][:2])
    # what a filter leaves is small: it is learned as numbers near 1
    size = root_mean_square([straight(windows[0][0]) - windows[0][1]]) or 1.0
    trials: list[tuple[float, LearnedController, int, bool]] = []
    total = epochs * len(choices)
    with progress_bar("training", total) if progress else nullcontext(lambda done: None) as advance:
        for word, with_skip in choices:
            given = [(x, (y - straight(x)) / size, weight) for x, y, weight in sets] if with_skip else sets
            start = new_network(network, sizes, sets[0][0].shape[-1], word, rng, silent=with_skip)
            rate = learning_rate or (0.005 if is_mlp and not with_skip else 0.01)
            best, losses = train(
                start, given[0], given[1], epochs=epochs, rate=rate, patience=patience, rng=rng, advance=advance
            )
            if not np.isfinite(losses[-1]).all():
                raise ParameterError(f"learning_rate = {rate:g}: the loss is not finite; lower it")
            if isinstance(best, Mlp):
                best = with_filter(scale_output(best, size), straight) if with_skip else best
                controller = LearnedMlp(network=best, history=history, stride=stride, reset=reset, **scaling)
            else:
                controller = LearnedRecurrent(network=best, **scaling)
            measured, predicted = torques(best, sets[1], scales[2])
            trials.append((root_mean_square([predicted - measured]), controller, len(losses), with_skip))
    _, controller, done, with_skip = min(trials, key=lambda trial: trial[0])
    fitted = report(controller, sets, scales, history if is_mlp else 1)
    x, y, _ = windows[2]
    linear_error = scales[2] * root_mean_square([straight(x) - y])
    return Fitted(**fitted, linear_error=linear_error, linear_history=window[0], skip=with_skip, epochs=done, dt=dt)


class _Report(TypedDict):
    """The fields of `Fitted` that compare the controller and the best PD with the log."""

    controller: LearnedController
    training_error: float
    validation_error: float
    held_out_error: float
    pd_error: float
    pd: Pd
    rows: tuple[int, int, int]
    measured: np.ndarray
    predicted: np.ndarray
    predicted_by_pd: np.ndarray


def report(controller: LearnedController, sets: list[Data], scales: tuple[float, ...], history: int) -> _Report:
    """The fields of `Fitted` that compare the controller and the best PD with the log; `history` is that of an MLP."""
    rows = [torques(controller.network, part, scales[2]) for part in sets]
    errors = [root_mean_square([predicted - measured]) for measured, predicted in rows]
    inputs = [(scales[0] * x[weight > 0, 0], scales[1] * x[weight > 0, history]) for x, _, weight in (sets[0], sets[2])]
    pd = nearest_pd(*inputs[0], rows[0][0])
    measured, predicted = rows[2]
    by_pd = pd.torque(*inputs[1])
    return {
        "controller": controller,
        "training_error": errors[0],
        "validation_error": errors[1],
        "held_out_error": errors[2],
        "pd_error": root_mean_square([by_pd - measured]),
        "pd": pd,
        "rows": (len(rows[0][0]), len(rows[1][0]), len(rows[2][0])),
        "measured": measured,
        "predicted": predicted,
        "predicted_by_pd": by_pd,
    }


def choices_of(network: str, activation: str | None, skip: object) -> list[tuple[str, bool]]:
    """The activations to train with, with or without a linear filter; raises a `ParameterError` if none is left."""
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
            f"skip = True: an MLP with {names} can carry a linear filter, {given} cannot; leave skip out"
        )
    return found if network == "mlp" else found[:1]


def torques(network: Network, data: Data, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Measured and predicted torque of the rows that count, in double precision [N·m]."""
    x, y, weight = data
    return scale * y[weight > 0], scale * evaluate(network, x)[weight > 0]


def nearest_pd(error: np.ndarray, velocity: np.ndarray, torque: np.ndarray) -> Pd:
    """The PD with the least squared torque error."""
    columns = np.stack([error, -velocity, np.ones_like(error)], axis=1)
    kp, kd, offset = np.linalg.lstsq(columns, torque, rcond=None)[0]
    return Pd(float(kp), float(kd), float(offset))


# --- descriptions and checks


def describe(controller: LearnedController) -> str:
    """A network in a few words, e.g. MLP 6-32-32-1 softsign."""
    net = controller.network
    if isinstance(net, Mlp):
        words = net.activation if isinstance(net.activation, str) else ", ".join(net.activation)
        return f"MLP {'-'.join(map(str, net.sizes))} {words}"
    return f"{type(net).__name__.upper()} with {net.layers} x {net.hidden_size} hidden units"


def check_options(
    network: object,
    hidden: object,
    activation: str | None,
    held_out: object,
    learning_rate: object,
    counts: Mapping[str, object],
) -> tuple[int, ...]:
    """Check the options of `fit_learned`; the hidden widths as a tuple."""
    if network not in KINDS:
        raise ParameterError(f"network = {network!r}: must be one of {', '.join(KINDS)}")
    if activation is not None:
        plain_activation(activation, "activation")
    given = hidden if isinstance(hidden, (tuple, list)) else (hidden,)
    sizes = tuple(n for n in given if isinstance(n, int) and whole_number(n, 1))
    if not sizes or len(sizes) < len(given):
        raise ParameterError(f"hidden = {hidden!r}: must be a whole number, or a tuple of them such as (32, 32)")
    if network != "mlp" and len(set(sizes)) > 1:
        raise ParameterError(f"hidden = {hidden!r}: the layers of a recurrent network are equally wide")
    for name, value in counts.items():
        least = 0 if name == "seed" else 1
        if not whole_number(value, least):
            raise ParameterError(f"{name} = {value!r}: must be a whole number of {least} or more")
    if not isinstance(held_out, (int, float)) or not 0.0 < held_out < 1.0:
        raise ParameterError(f"held_out = {held_out!r}: must be a share between 0 and 1, such as 0.2")
    if learning_rate is not None and not (isinstance(learning_rate, (int, float)) and 0.0 < learning_rate < np.inf):
        raise ParameterError(f"learning_rate = {learning_rate!r}: must be a finite number greater than 0")
    return sizes


def whole_number(value: object, least: int) -> bool:
    """Whether a value is a whole number of at least `least`."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= least)
