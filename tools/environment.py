"""Set up `.venv` for the Makefile: `environment.py demo` (core and pictures) or `environment.py dev` (everything).

Uses the standard library only. Safe to run twice at once: the second waits for the first. The stamp file is written
last, so a set-up that fails half-way is done again by the next `make`.
"""

import subprocess
import sys
import venv
from pathlib import Path

OLDEST = (3, 11)
EXTRAS = {"demo": "plot", "dev": "dev"}
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
SOURCES = [ROOT / "pyproject.toml", ROOT / "constraints.txt", Path(__file__).resolve()]


def fresh(stamp):
    """Whether the stamp is newer than every file the environment is made from."""
    return stamp.exists() and all(stamp.stat().st_mtime >= source.stat().st_mtime for source in SOURCES)


def pip(*arguments):
    command = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *arguments], check=True, cwd=str(ROOT))


def usable():
    """Whether `.venv` holds a Python with pip that is new enough."""
    python = VENV / "bin" / "python"
    if not python.exists():
        return False
    probe = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    return subprocess.run([str(python), "-c", probe], capture_output=True).returncode == 0


def install(kind):
    stamps = {name: VENV / ("." + name) for name in EXTRAS}
    if fresh(stamps[kind]):
        return
    # everything includes what the demo needs
    if kind == "demo" and fresh(stamps["dev"]):
        stamps["demo"].touch()
        return
    stamps[kind].unlink(missing_ok=True)
    if not usable():
        print(f"making .venv with Python {sys.version_info[0]}.{sys.version_info[1]}", flush=True)
        venv.create(str(VENV), clear=True, with_pip=True)
    print(f"installing backemf[{EXTRAS[kind]}] into .venv; the first time takes a few minutes", flush=True)
    constraints = ["install", "--constraint", "constraints.txt"]
    pip(*constraints, "hatchling", "editables")
    pip(*constraints, "--no-build-isolation", "--editable", f".[{EXTRAS[kind]}]")
    stamps[kind].touch()


def main():
    if sys.version_info < OLDEST:
        found = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(f"backemf needs Python 3.11 or newer, and {sys.executable} is {found}: try make PYTHON=python3.12")
    try:
        import fcntl
    except ImportError:
        sys.exit("The Makefile needs Linux or macOS; elsewhere: pip install -c constraints.txt -e .[dev]")
    with open(str(ROOT / ".venv.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            install(sys.argv[1])
        except subprocess.CalledProcessError as error:
            sys.exit(f"Setting up .venv failed (exit code {error.returncode}); the lines above say why.")


main()
