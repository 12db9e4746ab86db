"""Settings for the tests inside mjlab: what is compiled stays in the environment's folder for the next run."""

import os
import sys
from pathlib import Path

CACHE = Path(sys.prefix) / "cache"

# in the environment, so that programs which tests start find the same kernels
os.environ.setdefault("MJLAB_WARP_QUIET", "1")
os.environ.setdefault("WARP_CACHE_PATH", str(CACHE / "warp"))
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(CACHE / "inductor"))
# batches are small here: a second thread only waits for the first
os.environ.setdefault("OMP_NUM_THREADS", "1")
# one process compiles: a pool of workers costs more time to start than it saves
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
