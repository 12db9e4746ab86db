"""Files made to do harm: none runs anything, none fills the memory, each ends in one sentence."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import resource
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Tuple  # noqa: UP035  TorchScript reads annotations as they are

import numpy as np
import pytest
from learned_networks import arrays, perceptron

import backemf as be
from backemf.learned import load_learned, load_network, save_network
from backemf.sims.mjlab import LearnedMlp as MjlabLearnedMlp

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

LAW = {
    "pos_scale": 1.0, "vel_scale": 1.0, "torque_scale": 1.0, "effort_limit": 1.0, "saturation_effort": 1.0,
    "velocity_limit": 1.0,
}  # fmt: skip
LOADERS = {
    "load_network": load_network,
    "load_learned": load_learned,
    "mjlab's law": lambda path: MjlabLearnedMlp.load(str(path), **LAW),
}


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """The file that a hostile one would make, in a folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mark"


class Hostile:
    """Makes the mark when it is unpickled."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return (open, (str(self.mark), "w"))


class Shell(Hostile):
    def __reduce__(self):
        return (os.system, (f"touch {self.mark}",))


class Evaluated(Hostile):
    def __reduce__(self):
        return (eval, (f"open({str(self.mark)!r}, 'w')",))


class Restored(nn.Module):
    """A module whose code runs while PyTorch loads it; it can write any tensor to any path."""

    def __init__(self, mark: str):
        super().__init__()
        self.weight, self.mark = torch.ones(1, 6), mark

    def forward(self, x):
        return nn.functional.linear(x, self.weight)

    @torch.jit.export
    def __getstate__(self):
        return self.weight, self.mark, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, str, bool]):  # noqa: UP006
        torch.save([state[0]], state[1])
        self.weight = state[0]
        self.mark = state[1]
        self.training = state[2]


class Saving(nn.Module):
    """A module whose forward writes a file."""

    def __init__(self, mark: str):
        super().__init__()
        self.linear, self.mark = nn.Linear(6, 1), mark

    def forward(self, x):
        torch.save([x], self.mark)
        return self.linear(x)


def write_zip(path: Path, entries: dict[str, bytes], compression=zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def entries_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def torchscript(folder: Path) -> dict[str, bytes]:
    """The entries of a good TorchScript file."""
    return entries_of(save_network(perceptron(), folder / "good.pt"))


def change_entries(folder: Path, **changes) -> Path:
    """A TorchScript file in which some entries, named by how they end, hold something else."""
    found = torchscript(folder)
    for end, content in changes.items():
        # a class that PyTorch has compiled before gets a number, in a folder of its name
        pattern = re.escape(end.replace("_dot_", ".")).replace(r"\.py", r"(/___torch_mangle_\d+)?\.py") + "$"
        names = [name for name in found if re.search(pattern, name)]
        assert names, f"the file has no {pattern} to make hostile: {list(found)}"
        for name in names:
            found[name] = content(found[name]) if callable(content) else content
    return write_zip(folder / "net.pt", found)


# --- files that would run code


def restore(folder, mark):
    torch.jit.script(Restored(str(mark))).save(str(folder / "net.pt"))
    return folder / "net.pt"


def saving(folder, mark):
    torch.jit.script(Saving(str(mark)).eval()).save(str(folder / "net.pt"))
    return folder / "net.pt"


def pickle_again(kind):
    def make(folder, mark):
        (folder / "net.pt").write_bytes(pickle.dumps(kind(mark)))
        return folder / "net.pt"

    return make


def saved_by_torch(kind, legacy=False, wrap=lambda x: x):
    def make(folder, mark):
        torch.save(wrap(kind(mark)), folder / "net.pt", _use_new_zipfile_serialization=not legacy)
        return folder / "net.pt"

    return make


def state_dict(kind):
    return lambda x: {"0.weight": torch.zeros(1, 6), "0.bias": torch.zeros(1), "more": x}


def data_pickle(kind):
    return lambda folder, mark: change_entries(folder, data_dot_pkl=pickle.dumps(kind(mark), protocol=2))


def constants_pickle(kind):
    return lambda folder, mark: change_entries(folder, constants_dot_pkl=pickle.dumps((kind(mark),), protocol=2))


def python_in_the_code(folder, mark):
    """Text that is Python and no TorchScript, in the code of a module."""
    line = f"    open({str(mark)!r}, 'w')\n    __import__('os').system('touch {mark}')\n"

    def poison(text):
        return text.replace(b"    return", line.encode() + b"    return")

    return change_entries(folder, container_dot_py=lambda text: f"open({str(mark)!r}, 'w')\n".encode() + poison(text))


def object_arrays(folder, mark):
    """A .npz with an array of objects."""
    np.savez(folder / "net.npz", weights=np.array([Hostile(mark)], dtype=object), allow_pickle=True)
    return folder / "net.npz"


def object_array(folder, mark):
    np.save(folder / "net.npy", np.array([Hostile(mark)], dtype=object), allow_pickle=True)
    return folder / "net.npy"


RUNNING = {
    "TorchScript with __setstate__": restore,
    "TorchScript whose forward writes": saving,
    "Python in the code": python_in_the_code,
    **{f"pickle, {kind.__name__}": pickle_again(kind) for kind in (Hostile, Shell, Evaluated)},
    **{f"torch.save, {kind.__name__}": saved_by_torch(kind) for kind in (Hostile, Shell, Evaluated)},
    "torch.save of old": saved_by_torch(Hostile, legacy=True),
    "state dict": saved_by_torch(Hostile, wrap=state_dict(Hostile)),
    "state dict of old": saved_by_torch(Shell, legacy=True, wrap=state_dict(Shell)),
    "data.pkl": data_pickle(Shell),
    "constants.pkl": constants_pickle(Evaluated),
    "npz": object_arrays,
    "npy": object_array,
}


@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS.keys())
@pytest.mark.parametrize("make", RUNNING.values(), ids=RUNNING.keys())
def test_no_file_runs_code(make, loader, mark, tmp_path):
    """The mark that the file would leave does not appear, and the sentence is one line that names the file."""
    path = make(tmp_path, mark)
    mark.unlink(missing_ok=True)
    with pytest.raises(be.ParameterError) as caught:
        loader(path)
    assert not mark.exists()
    assert str(path) in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 1000


def test_the_mark_is_what_pytorch_would_leave(mark, tmp_path):
    """The hostile TorchScript file is one: loaded by PyTorch itself, as with trust=True, it writes the mark."""
    path = restore(tmp_path, mark)
    mark.unlink(missing_ok=True)
    with pytest.raises(be.ParameterError, match=r"its own code \(__setstate__\).*trust=True if you made the file"):
        load_network(path)
    assert not mark.exists()
    load_network(path, trust=True)
    assert mark.exists()


# --- files that lie about sizes


def external(location, **more):
    def make(folder):
        path = save_network(perceptron((6, 1), activation="identity"), folder / "net.onnx")
        model = onnx.load(str(path))
        tensor = model.graph.initializer[0]
        count = len(tensor.raw_data)
        del tensor.external_data[:]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in {"location": location(folder), "offset": 0, "length": count, **more}.items():
            tensor.external_data.add(key=key, value=str(value))
        path.write_bytes(model.SerializeToString())
        return path

    return make


def secret(folder):
    """A file outside the network's folder that could be read."""
    outside = folder.parent / "secret.bin"
    outside.write_bytes(bytes(1000))
    return outside


def link_archive(folder):
    (folder / "link.bin").symlink_to(secret(folder))
    return "link.bin"


def onnx_shape(*dims):
    def make(folder):
        path = save_network(perceptron((6, 1), activation="identity"), folder / "net.onnx")
        model = onnx.load(str(path))
        del model.graph.initializer[0].dims[:]
        model.graph.initializer[0].dims.extend(dims)
        path.write_bytes(model.SerializeToString())
        return path

    return make


def onnx_bomb(kind):
    """A node that would make an array of 8·10¹² bytes of a few."""

    def make(folder):
        helper, real = onnx.helper, onnx.TensorProto.FLOAT
        shape = onnx.numpy_helper.from_array(np.array([10**6, 10**6]), "shape")
        weights = [onnx.numpy_helper.from_array(np.ones((6, 1), np.float32), "w"), shape]
        weights += [onnx.numpy_helper.from_array(np.ones((10**6, 1), np.float32), "tall")]
        nodes = {
            "ConstantOfShape": [helper.make_node("ConstantOfShape", ["shape"], ["big"])],
            "Expand": [helper.make_node("Expand", ["x", "shape"], ["big"])],
            "Add": [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Add", ["a", "tall"], ["big"])],
            "MatMul": [
                helper.make_node("Transpose", ["tall"], ["wide"]), helper.make_node("MatMul", ["tall", "wide"], ["big"])
            ],
        }[kind]  # fmt: skip
        nodes.append(helper.make_node("MatMul", ["big", "w"], ["y"]))
        inputs = [helper.make_tensor_value_info("x", real, ("n", 6))]
        graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", real, ("m", 1))], weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        (folder / "net.onnx").write_bytes(model.SerializeToString())
        return folder / "net.onnx"

    return make


def tensors(header, data=b"", length=None):
    def make(folder):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        size = len(text) if length is None else length
        (folder / "net.safetensors").write_bytes(struct.pack("<Q", size) + text + data)
        return folder / "net.safetensors"

    return make


def entry(shape, first, last, kind="F32"):
    return {"dtype": kind, "shape": shape, "data_offsets": [first, last]}


def zip_bomb(folder):
    """A few kilobytes that would unpack to 200 MB."""
    found = {"net/data.pkl": b"", "net/code/net.py": b"", "net/data/0": bytes(200_000_000)}
    return write_zip(folder / "net.pt", found, zipfile.ZIP_DEFLATED)


def tensor_pickle(*numbers):
    """A state dict whose tensor has another offset, size or strides than its storage allows."""
    offset, size, stride, count = numbers

    def make(folder):
        class Tensor:
            def __reduce__(self):
                arguments = (Stored(), offset, size, stride, False, {})
                return (torch._utils._rebuild_tensor_v2, arguments)

        class Stored:
            pass

        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, protocol=2)
        pickler.persistent_id = lambda x: (  # type: ignore[method-assign]
            ("storage", torch.FloatStorage, "0", "cpu", count) if isinstance(x, Stored) else None
        )
        pickler.dump({"weight": Tensor(), "bias": Tensor()})
        found = {"net/data.pkl": stream.getvalue(), "net/data/0": bytes(24), "net/version": b"3"}
        return write_zip(folder / "net.pt", found)

    return make


def deep_code(folder):
    return change_entries(folder, container_dot_py=b"x = " + b"(" * 50_000 + b")" * 50_000)


def endless_code(folder):
    def loop(text):
        return text.split(b"  def forward")[0] + (
            b"  def forward(self, x: Tensor) -> Tensor:\n    return (self).forward(x, )\n"
        )

    return change_entries(folder, container_dot_py=loop)


LYING = {
    "external data, absolute": external(lambda folder: str(secret(folder))),
    "external data, above": external(lambda folder: f"../{secret(folder).name}"),
    "external data, a link": external(link_archive),
    "external data, a device": external(lambda folder: "/dev/zero", length=10**12),
    "external data, the folder": external(lambda folder: "."),
    "external data, too long": external(lambda folder: "net.onnx", length=10**12),
    "external data, no number": external(lambda folder: "net.onnx", length="many"),
    "external data, missing": external(lambda folder: "none.bin"),
    "onnx, huge shape": onnx_shape(10**9, 10**9),
    "onnx, other shape": onnx_shape(7, 7),
    "onnx, negative": onnx_shape(-1, 6),
    **{f"onnx, {kind}": onnx_bomb(kind) for kind in ("ConstantOfShape", "Expand", "Add", "MatMul")},
    "safetensors, long header": tensors({}, length=2**63),
    "safetensors, no header": tensors(b"not JSON"),
    "safetensors, deep header": tensors(b"[" * 100_000),
    "safetensors, huge shape": tensors({"0.weight": entry([10**9, 10**9], 0, 4)}, bytes(4)),
    "safetensors, beyond the end": tensors({"0.weight": entry([1, 6], 0, 24)}, bytes(8)),
    "safetensors, over each other": tensors(
        {"0.weight": entry([1, 6], 0, 24), "0.bias": entry([1], 20, 24)}, bytes(24)
    ),
    "safetensors, a gap": tensors({"0.weight": entry([1, 6], 8, 32)}, bytes(32)),
    "safetensors, negative": tensors({"0.weight": entry([1, 6], -24, 0)}, bytes(24)),
    "safetensors, no type": tensors({"0.weight": entry([1, 6], 0, 24, "OBJECT")}, bytes(24)),
    "safetensors, a name twice": tensors(b'{"0.weight": {}, "0.weight": {}}'),
    "zip bomb": zip_bomb,
    "tensor, huge": tensor_pickle(0, (10**9, 10**9), (0, 0), 6),
    "tensor, spread": tensor_pickle(0, (10**7, 10**7), (0, 0), 6),
    "tensor, beyond its storage": tensor_pickle(3, (1, 6), (6, 1), 6),
    "tensor, before its storage": tensor_pickle(-3, (1, 6), (6, 1), 6),
    "tensor, backwards": tensor_pickle(0, (1, 6), (6, -1), 6),
    "tensor, lying storage": tensor_pickle(0, (1, 600), (600, 1), 600),
    "code, nested": deep_code,
    "code, endless": endless_code,
}


@pytest.mark.parametrize("make", LYING.values(), ids=LYING.keys())
def test_no_file_fills_the_memory_or_reads_others(make, mark, tmp_path):
    """Sizes and places that are not true end in one sentence, with 1 GB more at most."""
    path = make(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(be.ParameterError) as caught:
        load_network(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000
    assert str(path) in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 1000


@pytest.mark.parametrize("suffix", (".pt", ".onnx", ".safetensors"))
def test_any_byte_may_be_wrong(suffix, tmp_path):
    """Two hundred files with a few bytes changed end in one sentence, or in a network of finite numbers."""
    content = save_network(perceptron((6, 4, 1)), tmp_path / f"good{suffix}").read_bytes()
    rng, path = np.random.default_rng(0), tmp_path / f"net{suffix}"
    for _ in range(200):
        spoilt = bytearray(content)
        for place in rng.integers(len(spoilt), size=rng.integers(1, 8)):
            spoilt[place] = rng.integers(256)
        path.write_bytes(bytes(spoilt))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                network = load_network(path)
            except be.ParameterError as error:
                assert "\n" not in str(error)
            else:
                assert all(np.isfinite(array).all() for array in arrays(network))


# --- files that are as they should be


def test_weights_in_a_file_beside_are_read(tmp_path):
    """ONNX with external data in the same folder, as PyTorch exports it."""
    network = perceptron((6, 4, 1))
    path = save_network(network, tmp_path / "net.onnx", precision="float64")
    model = onnx.load(str(path))
    onnx.save(model, str(path), save_as_external_data=True, location="net.onnx.data", size_threshold=0)
    assert (tmp_path / "net.onnx.data").exists()
    for ours, theirs in zip(arrays(network), arrays(load_network(path)), strict=True):
        np.testing.assert_array_equal(ours, theirs)
