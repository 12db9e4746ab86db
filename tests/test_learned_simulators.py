"""A saved network and the fields that go with it give the controller's torque in each simulator.

What a simulator computes is restated here with PyTorch or the onnx package, on the file as it loads it.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from learned_networks import bind_module, norm, perceptron, recurrent

import backemf as be
from backemf.learned import Gru, LearnedMlp, LearnedRecurrent, Lstm, learned_torque, load_learned, memory_of
from backemf.learned import save_network as save
from backemf.sims import isaaclab, mjlab

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

ENVS, JOINTS, STEPS = 3, 4, 25
SCALES = {"position_scale": -1.5, "velocity_scale": 0.2, "torque_scale": 30.0}
CLIP = be.DcClip(saturation_effort=1e6, velocity_limit=1e6, effort_limit=1e6)


def motion(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Targets, positions and velocities (step, environment, joint), in single precision."""
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=(3, STEPS, ENVS, JOINTS)).astype(np.float32))  # type: ignore[return-value]


def ours(controller) -> np.ndarray:
    """Torques of the controller's law (step, environment, joint) [N·m]."""
    targets, positions, velocities = (x.astype(float) for x in motion())
    state = SimpleNamespace(**{n: np.zeros(s) for n, s in memory_of(controller, (ENVS, JOINTS)).items()})
    torques = []
    for step in range(STEPS):
        changes, torque = learned_torque(
            controller, state, targets[step] - positions[step], velocities[step], step == 0
        )
        state = SimpleNamespace(**changes)
        torques.append(torque)
    return np.stack(torques)


def close(theirs, expected) -> None:
    np.testing.assert_allclose(theirs, expected, rtol=2e-4, atol=2e-5 * np.abs(expected).max())


# --- Isaac Lab, as ActuatorNetLSTM and ActuatorNetMLP compute


def isaaclab_lstm(file: str) -> np.ndarray:
    """Efforts before the clip; layers and width are told by the state dict of `lstm`."""
    network = torch.jit.load(file, map_location="cpu").eval()
    weights = network.lstm.state_dict()
    layers, size = len(weights) // 4, weights["weight_hh_l0"].shape[1]
    hidden = cell = torch.zeros(layers, ENVS * JOINTS, size)
    efforts = []
    for target, position, velocity in zip(*(torch.from_numpy(x) for x in motion()), strict=True):
        seen = torch.zeros(ENVS * JOINTS, 1, 2)
        seen[:, 0, 0], seen[:, 0, 1] = (target - position).flatten(), velocity.flatten()
        with torch.inference_mode():
            out, (hidden, cell) = network(seen, (hidden, cell))
        efforts.append(out.reshape(ENVS, JOINTS).numpy())
    return np.stack(efforts)


def isaaclab_mlp(fields: dict) -> np.ndarray:
    """Efforts before the clip; the history is zero at the start."""
    network = torch.jit.load(fields["network_file"], map_location="cpu").eval()
    errors = velocities = torch.zeros(ENVS, max(fields["input_idx"]) + 1, JOINTS)
    efforts = []
    for target, position, velocity in zip(*(torch.from_numpy(x) for x in motion()), strict=True):
        errors, velocities = errors.roll(1, 1).clone(), velocities.roll(1, 1).clone()
        errors[:, 0], velocities[:, 0] = target - position, velocity
        blocks = [
            torch.stack([row[:, i] for i in fields["input_idx"]], dim=2).reshape(ENVS * JOINTS, -1) * scale
            for row, scale in ((errors, fields["pos_scale"]), (velocities, fields["vel_scale"]))
        ]
        seen = torch.cat(blocks if fields["input_order"] == "pos_vel" else blocks[::-1], dim=1)
        with torch.inference_mode():
            efforts.append((network(seen).view(ENVS, JOINTS) * fields["torque_scale"]).numpy())
    return np.stack(efforts)


RECURRENT = {
    "scaled": LearnedRecurrent(network=recurrent(Lstm), **SCALES),
    "velocity first": LearnedRecurrent(network=recurrent(Lstm), input_order="velocity_position", **SCALES),
    "three layers": LearnedRecurrent(network=recurrent(Lstm, layers=3), **SCALES),
    "deep head": LearnedRecurrent(network=recurrent(Lstm, head=perceptron((5, 4, 1), activation="elu(0.5)")), **SCALES),
    "bounded head": LearnedRecurrent(
        network=recurrent(Lstm, head=perceptron((5, 4, 1), activation="elu", output_activation="tanh")), **SCALES
    ),
    "head with norms": LearnedRecurrent(
        network=recurrent(Lstm, head=perceptron((5, 4, 1), norms=(norm(4), norm(1)))), **SCALES
    ),
    "plain": LearnedRecurrent(network=recurrent(Lstm)),
}


@pytest.mark.parametrize("controller", RECURRENT.values(), ids=RECURRENT.keys())
def test_isaac_lab_gives_a_recurrent_controllers_torque(controller, tmp_path):
    """`ActuatorNetLSTM` has no fields for scales, so the file alone must give the torque."""
    fields, losses = isaaclab.write_learned(controller, tmp_path / "net.pt")
    assert set(fields) == {"network_file"} and losses == ()
    close(isaaclab_lstm(fields["network_file"]), ours(controller))


@pytest.mark.parametrize("suffix", (".pt", ".onnx", ".safetensors"))
@pytest.mark.parametrize("kind", (Lstm, Gru))
def test_a_recurrent_file_is_read_with_the_same_torque(kind, suffix, tmp_path):
    """Whether the scales come back or are in the weights, the torque is the same."""
    controller = LearnedRecurrent(network=recurrent(kind), input_order="velocity_position", **SCALES)
    read = load_learned(save(controller, tmp_path / f"net{suffix}"))
    close(ours(read), ours(controller))
    if suffix == ".safetensors":
        assert read.torque_scale == 30.0 and read.input_order == "velocity_position"
    else:
        # nothing that a reader could apply a second time
        assert (read.position_scale, read.velocity_scale, read.torque_scale) == (1.0, 1.0, 1.0)


def test_the_law_of_isaac_lab_gives_it_as_well(tmp_path):
    """Our restatement of `ActuatorNetLSTM`, on the same file."""
    controller = RECURRENT["scaled"]
    fields, _ = isaaclab.write_learned(controller, tmp_path / "net.pt")
    module = torch.jit.load(fields["network_file"])

    def network(rows, memory):
        with torch.inference_mode():
            out, state = module(torch.from_numpy(rows), tuple(torch.from_numpy(m) for m in memory))
        return out.numpy(), tuple(s.numpy() for s in state)

    law = isaaclab.ActuatorNetLSTM(network=network, limit=CLIP)
    memory = isaaclab.no_memory(np.zeros((2, ENVS, JOINTS, 5), np.float32))
    torques = []
    for target, position, velocity in zip(*motion(), strict=True):
        memory, effort = isaaclab.lstm_step(law, memory, be.Command(position=target), position, velocity)
        torques.append(effort.computed)
    close(np.stack(torques), ours(controller))


MLPS = {
    "plain": LearnedMlp(network=perceptron(), reset="zero", **SCALES),
    "stride": LearnedMlp(network=perceptron(), stride=3, reset="zero", **SCALES),
    "velocity first": LearnedMlp(network=perceptron(), input_order="velocity_position", reset="zero", **SCALES),
    "norms, mixed": LearnedMlp(
        network=perceptron(activation=("elu(0.5)", "leaky_relu(0.2)"), norms=(norm(8), norm(8), None)), reset="zero",
        **SCALES,
    ),
}  # fmt: skip


@pytest.mark.parametrize("controller", MLPS.values(), ids=MLPS.keys())
def test_isaac_lab_gives_an_mlps_torque(controller, tmp_path):
    """File and fields together; read back, the controller is the same."""
    fields, losses = isaaclab.write_learned(controller, tmp_path / "net")
    assert losses == ()
    close(isaaclab_mlp(fields), ours(controller))
    read = isaaclab.read_learned({**fields, "network_file": "net.pt"}, tmp_path)
    close(ours(read), ours(controller))
    assert (read.history, read.stride, read.reset) == (controller.history, controller.stride, "zero")


def test_ages_in_any_order_are_read(tmp_path):
    """input_idx = [2, 0, 5] sees the samples in that order: the weights of the first layer are put in their places."""
    fields, _ = isaaclab.write_learned(MLPS["plain"], tmp_path / "net.pt")
    fields["input_idx"] = [2, 0, 5]
    close(ours(isaaclab.read_learned(fields)), isaaclab_mlp(fields))


def test_another_start_of_the_history_is_said(tmp_path):
    """mjlab fills the history with the first sample, Isaac Lab with zeros."""
    one, other = MLPS["plain"], LearnedMlp(network=perceptron(), **SCALES)
    assert [str(loss) for loss in isaaclab.write_learned(other, tmp_path / "a")[1]] == [
        "Isaac Lab's history is zero after a reset, not the first sample: the first steps differ"
    ]
    assert isaaclab.write_learned(one, tmp_path / "b")[1] == () == mjlab.write_learned(other, tmp_path / "c")[1]
    assert "not with zeros" in str(mjlab.write_learned(one, tmp_path / "d")[1][0])


# --- mjlab, as LearnedMlpActuator computes


def mjlab_mlp(fields: dict) -> np.ndarray:
    """Torques before the clip; the first sample fills the history."""
    network = torch.jit.load(fields["network_file"], map_location="cpu").eval()
    errors: list = []
    velocities: list = []
    torques = []
    for target, position, velocity in zip(*(torch.from_numpy(x) for x in motion()), strict=True):
        length = fields["history_length"]
        errors = [target - position, *(errors or [target - position] * length)][:length]
        velocities = [velocity, *(velocities or [velocity] * length)][:length]
        blocks = [
            torch.stack(row, dim=-1) * scale
            for row, scale in ((errors, fields["pos_scale"]), (velocities, fields["vel_scale"]))
        ]
        seen = torch.cat(blocks if fields["input_order"] == "pos_vel" else blocks[::-1], dim=-1)
        with torch.inference_mode():
            out = network(seen.reshape(ENVS * JOINTS, -1)).reshape(ENVS, JOINTS) * fields["torque_scale"]
        torques.append(out.numpy())
    return np.stack(torques)


@pytest.mark.parametrize("stride", (1, 3))
@pytest.mark.parametrize("order", ("position_velocity", "velocity_position"))
def test_mjlab_gives_an_mlps_torque(order, stride, tmp_path):
    """mjlab has no stride: the file takes every step and has weights of 0 for those in between."""
    controller = LearnedMlp(network=perceptron(), stride=stride, input_order=order, **SCALES)
    fields, losses = mjlab.write_learned(controller, tmp_path / "net.pt")
    assert losses == () and fields["history_length"] == controller.depth
    close(mjlab_mlp(fields), ours(controller))
    close(ours(mjlab.read_learned({**fields, "network_file": "net.pt"}, tmp_path)), ours(controller))
    law = mjlab.LearnedMlp.load(**fields, effort_limit=1e6, saturation_effort=1e6, velocity_limit=1e6)
    laws = bind_module("torch", sys.modules["backemf.sims.mjlab.learned"])
    history = laws.no_history(law, torch.zeros(ENVS, JOINTS))
    for step, row in enumerate(zip(*(torch.from_numpy(x) for x in motion()), strict=True)):
        history, torque = laws.learned_step(law, history, *row)
        if step == STEPS - 1:
            close(torque.detach().numpy(), ours(controller)[-1])


# --- Newton, as DriveNeuralMLP and DriveNeuralLSTM compute from ONNX


@pytest.mark.parametrize(
    "controller",
    (*MLPS.values(), RECURRENT["scaled"], RECURRENT["velocity first"],
     LearnedRecurrent(network=recurrent(Gru), **SCALES)),
    ids=(*MLPS, "lstm", "lstm, velocity first", "gru"),
)  # fmt: skip
def test_newton_gives_the_torque(controller, tmp_path):
    """Scales, order and ages are read from the metadata; a recurrent drive sees the error first, whatever they say."""
    import onnx.reference

    path = save(controller, tmp_path / "net.onnx")
    words = {entry.key: entry.value for entry in onnx.load(str(path)).metadata_props}
    session = onnx.reference.ReferenceEvaluator(str(path))
    scales = [np.float32(words[name]) for name in ("pos_scale", "vel_scale", "effort_scale")]
    ages = [int(n) for n in words.get("input_idx", "[0]").strip("[]").split(",")]
    rows: list = []
    states = [np.zeros((2, ENVS * JOINTS, 5), np.float32)] * 2
    torques = []
    for target, position, velocity in zip(*motion(), strict=True):
        rows = [((target - position).reshape(-1), velocity.reshape(-1)), *rows]
        zero = np.zeros(ENVS * JOINTS, np.float32)
        if isinstance(controller, LearnedMlp):
            blocks = [
                [(rows[age][block] if age < len(rows) else zero) * scales[block] for age in ages] for block in (0, 1)
            ]
            seen = blocks[0] + blocks[1] if words["input_order"] == "pos_vel" else blocks[1] + blocks[0]
            out = session.run(None, {"input": np.stack(seen, axis=1)})[0]
        else:
            seen = np.stack([rows[0][0] * scales[0], rows[0][1] * scales[1]], axis=1)[None]
            names = [words["hidden_in_name"], *([words["cell_in_name"]] if "cell_in_name" in words else [])]
            out, *states = session.run(None, {"input": seen, **dict(zip(names, states, strict=False))})
        torques.append((out[:, 0] * scales[2]).reshape(ENVS, JOINTS))
    close(np.stack(torques), ours(controller))


# --- what a simulator cannot hold


def test_networks_that_a_simulator_does_not_run_are_said(tmp_path):
    """mjlab runs no recurrent network, Isaac Lab no GRU."""
    with pytest.raises(be.ParameterError, match="mjlab has no actuator with a recurrent network; train an MLP"):
        mjlab.write_learned(RECURRENT["plain"], tmp_path / "net.pt")
    with pytest.raises(be.ParameterError, match="Isaac Lab runs no GRU; train an LSTM or an MLP"):
        isaaclab.write_learned(LearnedRecurrent(network=recurrent(Gru)), tmp_path / "net.pt")
    save(RECURRENT["plain"], tmp_path / "net.pt")
    with pytest.raises(be.ParameterError, match="holds a recurrent network; mjlab runs MLPs"):
        mjlab.read_learned({"network_file": "net.pt"}, tmp_path)


@pytest.mark.parametrize("ages", (None, [], [0, -1, 2], [0.5], [0, 1], [0, 1, 10**9]))
def test_ages_that_cannot_be_are_said(ages, tmp_path):
    """No list, no whole numbers, too few or too far back."""
    fields, _ = isaaclab.write_learned(MLPS["plain"], tmp_path / "net.pt")
    with pytest.raises(be.ParameterError, match="input_idx"):
        isaaclab.read_learned({**fields, "input_idx": ages})
