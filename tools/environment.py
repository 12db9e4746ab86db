"""Set up an environment for the Makefile.

`environment.py demo` (a plain install with USD) and `environment.py dev` (everything) make `.venv`;
`environment.py mjlab` makes `.venv-mjlab`, which holds the simulator mjlab and the versions of PyTorch and MuJoCo that
it asks for;
`environment.py physx` makes `.venv-physx`, which holds PhysX, and `environment.py newton` `.venv-newton` with Newton;
`environment.py maddening` makes `.venv-maddening`, which holds MADDENING and the older JAX that it asks for, and
`environment.py webots` `.venv-webots` with ODE, the engine of Webots, as the wheel of dartpy carries it;
`environment.py mjx` makes `.venv-mjx`, which holds MJX and MuJoCo Warp, and `environment.py ray` `.venv-ray` with Ray;
`environment.py studio` makes `.venv-studio` with what serves the studio, and what drives a browser through its pages.

Every version is pinned with the hashes of its files, and pip takes nothing else: `tools/hashes.py` writes them. The
files hold all that an environment needs, so nothing is resolved. That leaves out what mjlab asks for in order to train
(torchvision, tensorboard, wandb, onnx), and PhysX gets a newer packaging library than it asks for.

Uses the standard library only. Safe to run twice at once: the second waits for the first. The stamp file is written
last, so a set-up that fails half-way is done again by the next `make`.
"""

import subprocess
import sys
import venv
from pathlib import Path

OLDEST = (3, 11)
OWN_FOLDER = ("mjlab", "physx", "newton", "maddening", "webots", "mjx", "ray", "studio")
ROOT = Path(__file__).resolve().parent.parent
INCOMPLETE = ("mjlab", "physx")
TORCH = ("dev", "mjlab")
CPU, CUDA = "constraints-cpu.txt", "constraints-cuda.txt"
# Exit status 0 where PyTorch asks for CUDA, as that of the package index does on Linux.
ASKS_FOR_CUDA = """
import sys
from importlib import metadata
try:
    asked = metadata.requires("torch") or []
except metadata.PackageNotFoundError:
    asked = []
sys.exit(not (sys.platform == "linux" and any(x.startswith("cuda-toolkit") for x in asked)))
"""


class Environment:
    """A folder with a Python of its own, and the versions pinned for it."""

    def __init__(self, name, constraints):
        self.name = name
        self.folder = ROOT / name
        self.python = self.folder / "bin" / "python"
        self.constraints = constraints
        named = [ROOT / name for name in ("pyproject.toml", constraints, CPU, CUDA)]
        self.sources = [*named, Path(__file__).resolve()]

    def fresh(self, kind):
        """Whether the stamp is newer than every file the environment is made from."""
        stamp = self.stamp(kind)
        return stamp.exists() and all(stamp.stat().st_mtime >= source.stat().st_mtime for source in self.sources)

    def stamp(self, kind):
        return self.folder / ("." + kind)

    def usable(self):
        """Whether the folder holds a Python with pip that is new enough."""
        if not self.python.exists():
            return False
        probe = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
        return subprocess.run([str(self.python), "-c", probe], capture_output=True).returncode == 0

    def make(self):
        if not self.usable():
            print(f"making {self.name} with Python {sys.version_info[0]}.{sys.version_info[1]}", flush=True)
            venv.create(str(self.folder), clear=True, with_pip=True)

    def pip(self, *arguments, **options):
        # Python compiles what is imported when it is, a small part of what is installed
        command = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        return subprocess.run([*command, "--no-deps", "--no-compile", *arguments], cwd=str(ROOT), **options)

    def pip_pinned(self, file, **options):
        """Install what a file pins, if its hash is one of those that the file has."""
        return self.pip("--require-hashes", "--only-binary", ":all:", "--requirement", file, **options)

    def check(self):
        """Fail where something that is installed asks for what is not."""
        subprocess.run([str(self.python), "-m", "pip", "--disable-pip-version-check", "check"], check=True)

    def asks_for_cuda(self):
        return subprocess.run([str(self.python), "-c", ASKS_FOR_CUDA]).returncode == 0


def environment_of(kind):
    if kind in OWN_FOLDER:
        return Environment(".venv-" + kind, f"constraints-{kind}.txt")
    return Environment(".venv", "constraints.txt" if kind == "dev" else "constraints-demo.txt")


def install(kind):
    place = environment_of(kind)
    if place.fresh(kind):
        return
    # everything includes what the demo needs
    if kind == "demo" and environment_of("dev").fresh("dev"):
        place.stamp("demo").touch()
        return
    place.stamp(kind).unlink(missing_ok=True)
    place.make()
    print(f"installing {place.constraints} into {place.name}; the first time takes a few minutes", flush=True)
    if kind in TORCH:
        # where there is no such build, the package index's own comes with the rest
        place.pip_pinned(CPU, capture_output=True)
    place.pip_pinned(place.constraints, check=True)
    if place.asks_for_cuda():
        place.pip_pinned(CUDA, check=True)
    # what lies here has no hash
    place.pip("--no-build-isolation", "--editable", ".", check=True)
    if kind not in INCOMPLETE:
        place.check()
    place.stamp(kind).touch()


def main():
    if sys.version_info < OLDEST:
        found = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(f"backemf needs Python 3.11 or newer, and {sys.executable} is {found}: try make PYTHON=python3.12")
    try:
        import fcntl
    except ImportError:
        sys.exit(
            "The Makefile needs Linux or macOS; elsewhere: pip install --no-deps -r constraints.txt, then pip install "
            "--no-deps -e ."
        )
    kind = sys.argv[1]
    name = environment_of(kind).name
    with open(str(ROOT / f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            install(kind)
        except subprocess.CalledProcessError as error:
            sys.exit(f"Setting up {name} failed (exit code {error.returncode}); the lines above say why.")


if __name__ == "__main__":
    main()
