"""A controller's scales inside its network, for programs that have no fields for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..actuator.controllers.learned import SCALES, LearnedController, LearnedMlp, LearnedRecurrent
from ..actuator.networks import Mlp
from ..errors import ParameterError
from ..values import Foreign

ORDER = "position_velocity"


def fold_scales(controller: LearnedRecurrent) -> LearnedRecurrent:
    """The same controller with scales of 1 and the position error first: Isaac Lab's recurrent actuator has no others.

    The scales of the inputs go into the weights of the first layer, that of the torque into the last layer of the head.
    """
    scales, net = single_scales(controller), controller.network
    first = np.asarray(net.input_weights[0])
    if controller.input_order != ORDER:
        first = first[:, ::-1]
    network = replace(
        net,
        input_weights=(first * np.array([scales["pos_scale"], scales["vel_scale"]]), *net.input_weights[1:]),
        head=scale_output(net.head, scales["torque_scale"]),
    )
    return LearnedRecurrent(network=network)


def single_scales(controller: LearnedController) -> dict[str, float]:
    """The scales as plain numbers, by the simulators' names; raises a `ParameterError` where joints differ."""
    found = {}
    for name, theirs in zip(SCALES, ("pos_scale", "vel_scale", "torque_scale"), strict=True):
        value = getattr(controller, name)
        if np.ndim(value):
            raise ParameterError(
                f"{type(controller).__name__}.{name} has one value per joint: a file holds one for all"
            )
        found[theirs] = float(value)
    return found


def scale_output(net: Mlp, factor: float) -> Mlp:
    """An MLP whose output is multiplied; behind an activation or a norm that takes one more layer."""
    last = net.norms[-1] if net.norms else None
    if net.output_activation == "identity" and last is None:
        weights = (*net.weights[:-1], np.asarray(net.weights[-1]) * factor)
        return replace(net, weights=weights, biases=(*net.biases[:-1], np.asarray(net.biases[-1]) * factor))
    if factor == 1.0:
        return net
    size = net.output_size or 1
    return Mlp(
        weights=(*net.weights, factor * np.eye(size)),
        biases=(*net.biases, np.zeros(size)),
        activation=net.activations,
        norms=(*net.norms, None) if net.norms else (),
    )


def every_step(controller: LearnedMlp) -> LearnedMlp:
    """The same controller with a stride of 1, for mjlab: the samples that it skips have weights of 0."""
    if controller.stride == 1:
        return controller
    ages = list(range(0, controller.depth, controller.stride))
    names = (*SCALES, "input_order", "reset")
    return at_every_step(controller.network, ages, {name: getattr(controller, name) for name in names})


def from_ages(network: Mlp, ages: list[int], **fields: Foreign) -> LearnedMlp:
    """The controller of an MLP that sees samples of these ages, in any order and with any gaps.

    Where they are not equal steps from 0, the network takes every step and has weights of 0 for the others.
    """
    count = len(ages)
    if network.input_size != 2 * count:
        raise ParameterError(f"input_idx = {ages} gives {2 * count} inputs: the network takes {network.input_size}")
    if max(ages) > 10_000:
        raise ParameterError(f"input_idx = {ages}: looks back more than 10000 steps")
    step = ages[1] - ages[0] if count > 1 else 1
    if ages[0] == 0 and step >= 1 and ages == list(range(0, step * count, step)):
        return LearnedMlp(network=network, history=count, stride=step, **fields)
    return at_every_step(network, ages, fields)


def at_every_step(network: Mlp, ages: list[int], fields: dict[str, Foreign]) -> LearnedMlp:
    """The controller whose network sees every step, with weights of 0 for those of other ages."""
    history, count = max(ages) + 1, len(ages)
    first = np.asarray(network.weights[0])
    wide = np.zeros((len(first), 2 * history))
    for block in range(2):
        for place, age in enumerate(ages):
            # an age that is there twice counts twice
            wide[:, block * history + age] += first[:, block * count + place]
    return LearnedMlp(network=replace(network, weights=(wide, *network.weights[1:])), history=history, **fields)
