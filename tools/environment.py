"""Set up an environment for the Makefile.

`environment.py demo` (a plain install) and `environment.py dev` (everything) make `.venv`; `environment.py mjlab`
makes `.venv-mjlab`, which holds the simulator mjlab and the versions of PyTorch and MuJoCo that it asks for;
`environment.py physx` makes `.venv-physx`, which holds PhysX, and `environment.py newton` `.venv-newton` with Newton;
`environment.py maddening` makes `.venv-maddening`, which holds MADDENING and the older JAX that it asks for, and
`environment.py webots` `.venv-webots` with ODE, the engine of Webots, as the wheel of dartpy carries it.

Uses the standard library only. Safe to run twice at once: the second waits for the first. The stamp file is written
last, so a set-up that fails half-way is done again by the next `make`.
"""

import subprocess
import sys
import venv
from pathlib import Path

OLDEST = (3, 11)
EXTRAS = {"dev": "dev", "physx": "usd", "newton": "newton", "maddening": "maddening"}
SIMULATORS = ("mjlab", "physx", "newton", "maddening", "webots")
ROOT = Path(__file__).resolve().parent.parent

# What mjlab imports when a scene is stepped. Its own requirements also ask for a training stack with GPU wheels
# (torchvision, tensorboard, wandb, onnx), so mjlab itself is installed without them.
MJLAB_ALONE = ["mjlab", "rsl-rl-lib"]
MJLAB_NEEDS = [
    "imageio-ffmpeg",
    "mediapy",
    "mjviser",
    "mujoco",
    "mujoco-warp",
    "prettytable",
    "scipy",
    "tensordict",
    "tqdm",
    "trimesh",
    "tyro",
    "viser",
    "warp-lang",
]
# PhysX asks for a packaging library too old to build ours, and runs as well with a new one.
PHYSX_ALONE = ["ovphysx"]
PHYSX_NEEDS = ["ovstage", "physx-usd-schemas", "warp-lang"]
ALONE = {"mjlab": MJLAB_ALONE, "physx": PHYSX_ALONE}


class Environment:
    """A folder with a Python of its own, and the versions pinned for it."""

    def __init__(self, name, constraints):
        self.name = name
        self.folder = ROOT / name
        self.python = self.folder / "bin" / "python"
        self.constraints = constraints
        self.sources = [ROOT / "pyproject.toml", ROOT / constraints, Path(__file__).resolve()]

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

    def pip(self, *arguments):
        command = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        command += ["--constraint", self.constraints]
        subprocess.run([*command, *arguments], check=True, cwd=str(ROOT))

    def pip_backemf(self, extra):
        self.pip("hatchling", "editables")
        self.pip("--no-build-isolation", "--editable", f".[{extra}]" if extra else ".")


def environment_of(kind):
    return Environment(".venv-" + kind, f"constraints-{kind}.txt") if kind in SIMULATORS else MAIN


MAIN = Environment(".venv", "constraints.txt")


def install(kind):
    place = environment_of(kind)
    if place.fresh(kind):
        return
    # everything includes what the demo needs
    if kind == "demo" and place.fresh("dev"):
        place.stamp("demo").touch()
        return
    place.stamp(kind).unlink(missing_ok=True)
    place.make()
    what = kind if kind in SIMULATORS else f"backemf[{EXTRAS[kind]}]" if kind in EXTRAS else "backemf"
    print(f"installing {what} into {place.name}; the first time takes a few minutes", flush=True)
    if kind == "mjlab":
        # PyTorch first and alone, so that nothing after it asks for another build of it
        place.pip("torch")
        place.pip("pytest", *MJLAB_NEEDS)
    if kind == "physx":
        place.pip("pytest", *PHYSX_NEEDS)
    if kind in ("newton", "maddening"):
        place.pip("pytest")
    if kind == "webots":
        place.pip("pytest", "dartpy")
    place.pip_backemf(EXTRAS.get(kind))
    if kind in ALONE:
        place.pip("--no-deps", *ALONE[kind])
    place.stamp(kind).touch()


def main():
    if sys.version_info < OLDEST:
        found = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(f"backemf needs Python 3.11 or newer, and {sys.executable} is {found}: try make PYTHON=python3.12")
    try:
        import fcntl
    except ImportError:
        sys.exit("The Makefile needs Linux or macOS; elsewhere: pip install -c constraints.txt -e .[dev]")
    kind = sys.argv[1]
    name = environment_of(kind).name
    with open(str(ROOT / f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            install(kind)
        except subprocess.CalledProcessError as error:
            sys.exit(f"Setting up {name} failed (exit code {error.returncode}); the lines above say why.")


main()
