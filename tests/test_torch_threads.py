"""Motors in each thread of a GPU: what PyTorch's compiler is told, without a GPU."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

import backemf as be
from backemf.engines import torch_engine, torch_threads


def kernel_for(sizes: dict[str, int], motors: int = 1, reduces: bool = False) -> dict[str, object]:
    """What the compiler makes a kernel of so many elements with, inside the choice of motors in a thread."""
    from torch._inductor.virtualized import V

    features = SimpleNamespace(is_reduction=lambda: reduces)
    with torch_threads.motors_a_thread(motors):
        return V.choices.triton_kernel_kwargs(object, features, [sizes], {"kept": 1})


@pytest.mark.parametrize("motors", [1, 2])
def test_threads_have_as_many_motors_as_asked_for(motors: int):
    """A block has 256 motors, in 256 threads or in 128."""
    assert torch_threads.can_choose()
    made = kernel_for({"x": 8_400_000, "r0_": 1}, motors)
    block = made["fixed_config"].config
    assert block["XBLOCK"] == motors * 32 * block["num_warps"] == 256 and made["kept"] == 1


def test_other_kernels_are_left_to_the_compiler():
    """Sums over motors, and kernels along two axes, whose blocks have two sizes."""
    assert kernel_for({"x": 100, "r0_": 12}, reduces=True) == {"kept": 1}
    assert kernel_for({"y": 700_000, "x": 12, "r0_": 1}) == {"kept": 1}


def test_the_choice_ends_with_what_was_compiled():
    from torch._inductor.virtualized import V

    before = V.choices
    with torch_threads.motors_a_thread(1):
        assert V.choices is not before
    assert V.choices is before


def test_several_substeps_on_a_gpu_are_one_kernel():
    """Nothing is chosen for one substep, nor on a CPU."""
    one, ten = (be.Actuator(controller=be.IdealPd(stiffness=1.0, damping=0.1), substeps=n) for n in (1, 10))
    assert torch_engine._is_long(ten, {"device": "cuda"})
    assert torch_engine._is_long((one, ten), {"device": "cuda:1", "telemetry": ("torque",)})
    assert not torch_engine._is_long(one, {"device": "cuda"})
    assert not torch_engine._is_long(ten, {"device": "cpu"})
    assert not torch_engine._is_long(ten, {})


@pytest.mark.parametrize(
    ("device", "substeps", "wanted"),
    [("cuda", 1, "realize_opcount_threshold"), ("cuda", 10, "max_fusion_size"), ("cpu", 1, None)],
)
def test_the_compiler_is_told_what_is_one_kernel(monkeypatch, device, substeps, wanted):
    """One substep computes again what joints share, several stay in one kernel, and a CPU's compiler decides itself."""
    told = []
    monkeypatch.setattr(torch_engine, "_is_on_gpu", lambda options: device == "cuda")
    monkeypatch.setattr(torch, "compile", lambda step, **options: told.append(options["options"]) or step)
    actuator = be.Actuator(controller=be.IdealPd(stiffness=1.0, damping=0.1), substeps=substeps)
    step = actuator.compile("torch")
    step(step.initial(2), torch.zeros(2), torch.zeros(2), torch.zeros(2), 1e-3)
    (options,) = told
    assert options is None if wanted is None else wanted in torch._inductor.list_options() and list(options) == [wanted]
