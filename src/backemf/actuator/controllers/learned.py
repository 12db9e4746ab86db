"""Learned controllers: a network that was trained on logs gives the torque of an actuator.

The laws are pure and elementwise over the batch:

    memory_of(controller, batch)  ->  {"error_history": (depth, *batch), "velocity_history": (depth, *batch)}
                                  or  {"hidden": (*batch, features), "cell": (*batch, features)}, no cell for a GRU
    learned_torque(controller, state, error, velocity, fresh)  ->  (changes, torque)

`state` is anything with these names as attributes, `changes` is a dict of their new values, `error` is position target
less position [rad], `velocity` the joint velocity [rad/s], `fresh` true in the first step after a reset (per motor, or
one for all). `torque` [N·m] is the output of the network; limits come after it, at the true speed.
"""

from __future__ import annotations

from ...checks import Number
from ...errors import ParameterError
from ...parts import count, number, one, part, word
from ...physics.ops import alike, stack_first, stack_last, where
from ...physics.state import State
from ...values import Array, Bits
from ..network_laws import gru, lstm, mlp, reset_state
from ..networks import Gru, Lstm, Mlp
from .controller import Controller

ORDERS = ("position_velocity", "velocity_position")
RESETS = ("backfill", "zero")
SCALES = ("position_scale", "velocity_scale", "torque_scale")


@part(family="controller")
class LearnedMlp(Controller):
    """An MLP over the last position errors and velocities, as in mjlab and Isaac Lab.

    It sees [e(t), e(t-1), …, v(t), v(t-1), …], newest first, each block times its scale.
    """

    network: Mlp = one(Mlp)
    """The network; it has 2·history inputs and one output."""
    history: int = count("steps", default=3, least=1)
    """Samples of each quantity that it sees, including the present one."""
    stride: int = count("steps", default=1, least=1)
    """Steps between two samples; 2 is Isaac Lab's input_idx = [0, 2, 4, …]."""
    position_scale: Number = number("1/rad", default=1.0)
    """Input per position error; Isaac Lab's networks often have -1."""
    velocity_scale: Number = number("s/rad", default=1.0)
    """Input per velocity."""
    torque_scale: Number = number("N·m", default=1.0)
    """Torque per output."""
    input_order: str = word(*ORDERS, default="position_velocity")
    """Which block comes first: "position_velocity" or "velocity_position"."""
    reset: str = word(*RESETS, default="backfill")
    """History after a reset: "backfill" repeats the first sample (mjlab), "zero" is 0 (Isaac Lab, Newton)."""

    asks = "network"
    main = "position"
    inputs = ("position",)

    def __post_init__(self) -> None:
        if isinstance(self.network, Mlp):
            check_sizes(self, 2 * self.history)

    @property
    def depth(self) -> int:
        """Samples that are stored."""
        return (self.history - 1) * self.stride + 1


@part(family="controller")
class LearnedRecurrent(Controller):
    """An LSTM or GRU over the present position error and velocity, as in Isaac Lab; after a reset its state is zero."""

    network: Lstm | Gru = one(Lstm, Gru)
    """The network; it has two inputs and one output."""
    position_scale: Number = number("1/rad", default=1.0)
    """Input per position error."""
    velocity_scale: Number = number("s/rad", default=1.0)
    """Input per velocity."""
    torque_scale: Number = number("N·m", default=1.0)
    """Torque per output."""
    input_order: str = word(*ORDERS, default="position_velocity")
    """Which input comes first: "position_velocity" or "velocity_position"."""

    asks = "network"
    main = "position"
    inputs = ("position",)

    def __post_init__(self) -> None:
        if isinstance(self.network, (Lstm, Gru)):
            check_sizes(self, 2)


LearnedController = LearnedMlp | LearnedRecurrent
"""Every controller with a network."""


def check_sizes(controller: LearnedController, given: int) -> None:
    """Check that the network takes the given number of inputs and has one output; raise ParameterError if not."""
    name, net = type(controller).__name__, controller.network
    takes, gives = net.input_size, net.output_size
    if takes is not None and takes != given:
        if isinstance(controller, LearnedMlp):
            history = controller.history
            remedy = f"give history={takes // 2}" if takes % 2 == 0 else "it must take an even number"
            raise ParameterError(
                f"{name}: the network takes {takes} inputs, history={history} gives {given}: {remedy}, "
                f"or train a network on {history} position errors and {history} velocities"
            )
        raise ParameterError(
            f"{name}: the network takes {takes} inputs: it must take 2, the position error and the velocity"
        )
    if gives is not None and gives != 1:
        raise ParameterError(f"{name}: the network has {gives} outputs: it must have one, the torque of a joint")


def memory_of(controller: LearnedController, batch: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Shape of each state of the controller for a batch; all start at zero."""
    if isinstance(controller, LearnedMlp):
        return {"error_history": (controller.depth, *batch), "velocity_history": (controller.depth, *batch)}
    net = controller.network
    features = net.layers * int(net.hidden_weights[0].shape[-1])
    names = ("hidden", "cell") if isinstance(net, Lstm) else ("hidden",)
    return {name: (*batch, features) for name in names}


# --- the laws


def learned_torque(
    controller: LearnedController, state: State, error: Number, velocity: Number, fresh: Bits
) -> tuple[dict[str, Array], Number]:
    """New values of the controller's states, and its torque [N·m]."""
    if isinstance(controller, LearnedMlp):
        errors = update_history(state.error_history, error, fresh, controller)
        velocities = update_history(state.velocity_history, velocity, fresh, controller)
        changes = {"error_history": stack_first(errors), "velocity_history": stack_first(velocities)}
        return changes, mlp_torque(controller, errors, velocities)
    x = network_input(controller, [error * controller.position_scale], [velocity * controller.velocity_scale])
    hidden = reset_state(state.hidden, fresh)
    if isinstance(controller.network, Lstm):
        out, hidden, cell = lstm(x, hidden, reset_state(state.cell, fresh), controller.network)
        return {"hidden": hidden, "cell": cell}, out[..., 0] * controller.torque_scale
    out, hidden = gru(x, hidden, controller.network)
    return {"hidden": hidden}, out[..., 0] * controller.torque_scale


def update_history(history: Array, newest: Number, fresh: Bits, controller: LearnedMlp) -> list[Number]:
    """The samples after this step, newest first; those before a reset are filled in."""
    newest = alike(newest, history[0])
    before = newest if controller.reset == "backfill" else 0.0
    return [newest, *(where(fresh, before, history[age]) for age in range(controller.depth - 1))]


def mlp_torque(controller: LearnedMlp, errors: list[Number], velocities: list[Number]) -> Number:
    """Torque for samples, newest first [N·m]."""
    errors = [error * controller.position_scale for error in errors[:: controller.stride]]
    velocities = [velocity * controller.velocity_scale for velocity in velocities[:: controller.stride]]
    out = mlp(network_input(controller, errors, velocities), controller.network)
    return out[..., 0] * controller.torque_scale


def network_input(controller: LearnedController, errors: list[Number], velocities: list[Number]) -> Array:
    """The inputs of the network, along the last axis."""
    if controller.input_order == "position_velocity":
        return stack_last([*errors, *velocities])
    return stack_last([*velocities, *errors])
