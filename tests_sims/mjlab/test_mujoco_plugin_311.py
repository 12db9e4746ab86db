"""Our motors inside MuJoCo 3.11, which mjlab brings: every fact that holds in 4.0 holds there."""

import sys
from pathlib import Path

import pytest

TESTS = str(Path(__file__).parents[2] / "tests")
if TESTS not in sys.path:
    sys.path.insert(0, TESTS)
pytest.register_assert_rewrite("test_mujoco_plugin")
mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.skipif(not mujoco.__version__.startswith("3.11."), reason="these run with MuJoCo 3.11")

from test_mujoco_plugin import *  # noqa: E402, F403
