"""Settings for the tests inside mjlab: what is compiled stays in the environment's folder for the next run."""

import os
import sys
from pathlib import Path

os.environ.setdefault("MJLAB_WARP_QUIET", "1")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(sys.prefix) / "cache" / "inductor"))

import warp

warp.config.kernel_cache_dir = str(Path(sys.prefix) / "cache" / "warp")
