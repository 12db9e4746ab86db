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


KEPT = """
import numpy as np
import backemf as be
motor = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=1e-6), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
)
step = motor.compile("warp", device="cpu")
_, out = step(step.initial((2,)), 1.0, 0.0, 0.0, 1e-3)
_, seen = be.rollout(motor, be.LockedRotor(), np.ones((3, 2)), 1e-3, observe=("torque",), engine="warp", device="cpu")
assert abs(out.torque.numpy()[0] - 0.1) < 1e-6 and abs(seen["torque"].numpy()[2, 1] - 0.1) < 1e-6
"""


def test_what_is_damaged_is_compiled_anew(tmp_path):
    """Kernels cut short or emptied, and a description that is none: the next process has them right again."""
    env = {**os.environ, "WARP_CACHE_PATH": str(tmp_path)}

    def run() -> None:
        done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, timeout=300, env=env)
        assert done.returncode == 0, done.stderr[-2000:]

    run()
    kernels = sorted(tmp_path.glob("**/*.o"))
    assert len(kernels) == 2
    whole = [kernel.read_bytes() for kernel in kernels]
    kernels[0].write_bytes(whole[0][:200])
    kernels[1].write_bytes(b"")
    run()
    assert [len(kernel.read_bytes()) for kernel in kernels] == [len(each) for each in whole]
    for description in tmp_path.glob("**/*.meta"):
        description.write_text("cut sho")
    run()
