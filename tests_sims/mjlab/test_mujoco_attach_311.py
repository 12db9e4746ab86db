"""Motors on a live MjSpec, wrapped actuators and what MuJoCo got, in MuJoCo 3.11, which mjlab brings."""

import sys
from pathlib import Path

import pytest

TESTS = str(Path(__file__).parents[2] / "tests")
if TESTS not in sys.path:
    sys.path.insert(0, TESTS)
for module in ("test_mujoco_existing", "test_mujoco_output", "test_mujoco_stability", "test_mujoco_wrap"):
    pytest.register_assert_rewrite(module)
mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.skipif(not mujoco.__version__.startswith("3.11."), reason="these run with MuJoCo 3.11")

from test_mujoco_existing import *  # noqa: E402, F403
from test_mujoco_output import *  # noqa: E402, F403
from test_mujoco_stability import *  # noqa: E402, F403
from test_mujoco_wrap import *  # noqa: E402, F403
