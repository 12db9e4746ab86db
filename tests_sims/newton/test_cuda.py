"""What runs on a GPU is compiled for one here, where there is none: NVIDIA's compiler takes every kernel."""

from __future__ import annotations

import pytest
import warp as wp
from rig import KINDS, Host
from test_clamp import LIMITS

from backemf.sims.newton import BackemfActuator, BackemfClamp, BackemfDrive

COUNT, DT = 8, 2e-3


def assembly(kernel, folder) -> str:
    """The kernel's assembly for a GPU of the Ampere generation."""
    files = wp.compile_aot_module(kernel.module, arch=80, module_dir=folder, use_ptx=True)
    (found,) = [path for path in files if str(path).endswith(".ptx")]
    return found.read_text()


@pytest.mark.parametrize("name", ["PD and DC clip", "delay and slew", "drawn delay", "current loop and bristles"])
def test_a_step_compiles_for_a_gpu(name, tmp_path):
    """The fused step, its second form and the reset are one kernel each that a GPU can load."""
    host = Host(COUNT)
    actuator = BackemfActuator(host.indices, BackemfDrive(KINDS[name]))
    before, after = actuator.state(), actuator.state()
    actuator.step(host.state, host.control, before, after, dt=DT)
    kernels = [fused.kernel for fused in actuator.drive._fused.values()]
    assert len(kernels) == (2 if "delay" in name else 1)
    kernels += [plan.launch.kernel for plan in actuator.drive._reset._run.plans.values()] if before is not None else []
    for k, kernel in enumerate(kernels):
        assert ".entry" in assembly(kernel, tmp_path / str(k))


def test_a_clamp_compiles_for_a_gpu(tmp_path):
    """So does a clamp."""
    host, clamp = Host(COUNT), BackemfClamp(LIMITS["several"])
    clamp.finalize("cpu", COUNT)
    forces = wp.zeros(COUNT, dtype=wp.float32)
    clamp.modify_forces(forces, forces, host.state.joint_q, host.state.joint_qd, host.indices, host.indices)
    (launcher,) = clamp._launchers.values()
    assert ".entry" in assembly(launcher.kernel, tmp_path)
