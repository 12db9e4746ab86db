"""A home that cannot be written: kernels go to a temporary folder, and one warning says so."""

import os
import subprocess
import sys

PROGRAM = """
import warnings
import backemf as be
motor = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=1e-6), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for _ in range(2):
        step = motor.compile("warp", device="cpu")
    _, out = step(step.initial((2,)), 1.0, 0.0, 0.0, 1e-3)
assert abs(out.torque.numpy()[0] - 0.1) < 1e-6
said = [str(w.message) for w in said if issubclass(w.category, be.BackemfWarning)]
assert len(said) == 1 and "cannot be written" in said[0] and "WARP_CACHE_PATH" in said[0], said
import warp
print(warp.config.kernel_cache_dir)
"""


def test_a_cache_that_cannot_be_written(tmp_path):
    """A file stands where the folder should be; the temporary folder is gone afterwards."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    for name in ("XDG_CACHE_HOME", "WARP_CACHE_PATH"):
        env = {key: value for key, value in os.environ.items() if key != "WARP_CACHE_PATH"}
        env |= {name: str(blocked / "cache"), "TMPDIR": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, env=env)
        assert done.returncode == 0, done.stderr[-2000:]
        folder = done.stdout.strip().splitlines()[-1]
        assert folder.startswith(str(tmp_path)) and not os.path.exists(folder)
