"""Settings for the tests inside mjlab: what is compiled stays in the environment's folder for the next run."""

import os
import sys
from pathlib import Path

os.environ.setdefault("MJLAB_WARP_QUIET", "1")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(sys.prefix) / "cache" / "inductor"))

import pytest
import torch
import warp

warp.config.kernel_cache_dir = str(Path(sys.prefix) / "cache" / "warp")


@pytest.fixture(autouse=True)
def compile_afresh():
    """PyTorch keeps eight compiled kinds of actuator at most; every test starts with none."""
    torch._dynamo.reset()
