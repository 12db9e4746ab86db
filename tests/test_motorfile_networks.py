"""An actuator with a network in a motor file: the network stands beside it, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from learned_networks import arrays, norm, perceptron, recurrent

import backemf as be
from backemf import motorfile
from backemf.learned import Gru, LearnedMlp, LearnedRecurrent, Lstm
from backemf.transfer.imported import read_file

SCALES = {"position_scale": -1.5, "velocity_scale": 0.1, "torque_scale": 30.0}
CONTROLLERS = {
    "mlp": LearnedMlp(network=perceptron(), **SCALES),
    "mlp, all fields": LearnedMlp(
        network=perceptron((8, 5, 1), activation="elu(0.5)", output_activation="tanh", norms=(norm(5), None)),
        history=4,
        stride=2, input_order="velocity_position", reset="zero", **SCALES,
    ),
    "mixed": LearnedMlp(network=perceptron(activation=("tanh", "leaky_relu(0.3)"))),
    "one layer": LearnedMlp(network=perceptron((6, 1), activation="identity")),
    "lstm": LearnedRecurrent(network=recurrent(Lstm), **SCALES),
    "gru": LearnedRecurrent(
        network=recurrent(Gru, head=perceptron((5, 4, 1), activation="silu", norms=(norm(4), None))),
        input_order="velocity_position",
    ),
}  # fmt: skip


def words(controller) -> dict:
    names = (*SCALES, "input_order", "history", "stride", "reset")
    net = controller.network
    head = getattr(net, "head", net)
    told = {name: getattr(controller, name, None) for name in names}
    return told | {"net": type(net), "words": head.activations, "eps": [n and n.epsilon for n in head.norms]}


@pytest.mark.parametrize("controller", CONTROLLERS.values(), ids=CONTROLLERS.keys())
def test_a_learned_actuator_comes_back_from_its_file(controller, tmp_path):
    """Every weight and word, the limits behind the network and the joint; saved again, both files are the same."""
    limit = be.DcClip(saturation_effort=120.0, velocity_limit=7.5, effort_limit=80.0)
    actuator = be.Actuator(controller=controller, limits=(limit,))
    path, beside = tmp_path / "knee.toml", tmp_path / "knee.network.safetensors"
    motorfile.save(actuator, path, {"name": "knee", "armature": 0.01})
    assert 'network = "knee.network.safetensors"' in path.read_text() and beside.exists()
    again, joint = motorfile.load_with_joint(path)
    assert words(again.controller) == words(controller) and again.limits == actuator.limits
    assert joint == {"name": "knee", "armature": 0.01}
    for ours, theirs in zip(arrays(controller.network), arrays(again.controller.network), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    first = path.read_bytes(), beside.read_bytes()
    motorfile.save(again, path, joint)
    assert (path.read_bytes(), beside.read_bytes()) == first
    assert be.load(path).controller.torque_scale == controller.torque_scale
    assert words(read_file(path).actuator.controller) == words(controller)


def test_both_files_may_move_together(tmp_path):
    """The name has no path, so the folder may be any; alone, the motor file says what is missing."""
    motorfile.save(be.Actuator(controller=CONTROLLERS["mlp"]), tmp_path / "knee.toml")
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "knee.toml").rename(other / "hip.toml")
    with pytest.raises(be.ParameterError, match=r"hip\.toml, \[controller\] network = 'knee\.network.*copy both"):
        motorfile.load(other / "hip.toml")
    (tmp_path / "knee.network.safetensors").rename(other / "knee.network.safetensors")
    assert isinstance(motorfile.load(other / "hip.toml").controller, LearnedMlp)


def test_a_text_alone_holds_no_network(tmp_path):
    """Neither can it be written, nor read."""
    actuator = be.Actuator(controller=CONTROLLERS["mlp"])
    with pytest.raises(be.ParameterError, match="LearnedMlp: a network has no place in a TOML text; save the actuator"):
        motorfile.dumps(actuator)
    motorfile.save(actuator, tmp_path / "knee.toml")
    with pytest.raises(be.ParameterError, match="a text has no folder; save it there and load the file"):
        motorfile.loads((tmp_path / "knee.toml").read_text())


@pytest.mark.parametrize(
    ("name", "said"),
    (
        ("../secret.safetensors", "without a path"),
        ("/etc/passwd", "without a path"),
        ("sub/net.safetensors", "without a path"),
        ("..", "without a path|is a link or not a file"),
        (".", "without a path"),
        ("", "without a path"),
        ("C:net.safetensors", "without a path"),
        ("..\\\\secret.safetensors", "without a path"),
        ("link.safetensors", "is a link or not a file; copy the file itself"),
        ("folder.safetensors", "is a link or not a file"),
        ("none.safetensors", "there is no such file beside it"),
        ("text.safetensors", "is damaged or not a safetensors file"),
    ),
)
def test_no_name_leads_out_of_the_folder(name, said, tmp_path):
    """One sentence, and nothing outside is opened."""
    home = tmp_path / "home"
    home.mkdir()
    motorfile.save(be.Actuator(controller=CONTROLLERS["mlp"]), home / "knee.toml")
    (home / "knee.network.safetensors").rename(tmp_path / "secret.safetensors")
    (home / "link.safetensors").symlink_to(tmp_path / "secret.safetensors")
    (home / "folder.safetensors").mkdir()
    (home / "text.safetensors").write_text("a network")
    text = (home / "knee.toml").read_text().replace("knee.network.safetensors", name)
    (home / "knee.toml").write_text(text)
    with pytest.raises(be.ParameterError, match=said) as caught:
        motorfile.load(home / "knee.toml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    (
        ('network = "knee.network.safetensors"\n', "", "LearnedMlp needs network"),
        ('network = "knee.network.safetensors"', "network = 3", r"network = 3: must be the name of a file"),
        ('kind = "LearnedMlp"', 'kind = "LearnedRecurrent"', "must be Lstm or Gru"),
        ('kind = "LearnedMlp"', 'kind = "Torque"', "network: there is no such field|Torque"),
        ('kind = "LearnedMlp"', 'kind = "LearnedMlp"\nhistory = 7', "takes 6 inputs, history=7 gives 14"),
    ),
)
def test_tables_that_are_no_learned_controller_are_said(old, new, said, tmp_path):
    """One sentence with the file and the table."""
    path = tmp_path / "knee.toml"
    motorfile.save(be.Actuator(controller=LearnedMlp(network=perceptron())), path)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(be.ParameterError, match=said) as caught:
        motorfile.load(path)
    assert "knee.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_scales_of_each_joint_are_no_file(tmp_path):
    """Nothing is written where one file cannot hold it."""
    controller = LearnedMlp(network=perceptron(), torque_scale=np.array([1.0, 2.0]))
    with pytest.raises(be.ParameterError, match=r"LearnedMlp.torque_scale .*a file holds one number"):
        motorfile.save(be.Actuator(controller=controller), tmp_path / "knee.toml")
    assert list(tmp_path.iterdir()) == []
