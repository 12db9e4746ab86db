"""What JAX has compiled is kept in the user's cache folder: by default, with one switch, in no one else's folder."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from backemf.engines import code_cache

PROGRAM = """
import sys
import jax
hits = []
jax.monitoring.register_event_listener(lambda name, **_: hits.append(name) if name.endswith("/cache_hits") else None)
if len(sys.argv) > 1:
    jax.config.update("jax_compilation_cache_dir", sys.argv[1])
import backemf as be
from backemf.engines import jax_cache
jax_cache.WORTH_KEEPING = 0.0
be.engines.load("jax")
total = jax.jit(lambda x: (x * x).sum())(jax.numpy.arange(4.0))
print(jax.config.jax_compilation_cache_dir, len(hits) > 0, float(total), sep="|")
"""


def run(home: Path, *arguments: object, **environment: str) -> tuple[str, bool, float]:
    """The folder that a process uses, whether it found something there, and 0² + 1² + 2² + 3²."""
    given = {key: value for key, value in os.environ.items() if not key.startswith(("JAX_", "BACKEMF_CACHE"))}
    given |= {"XDG_CACHE_HOME": str(home), "JAX_PLATFORMS": "cpu"} | environment
    words = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    done = subprocess.run(words, env=given, capture_output=True, text=True, check=True)
    folder, found, total = done.stdout.strip().split("|")
    return folder, found == "True", float(total)


def test_the_second_process_finds_what_the_first_compiled(tmp_path):
    """In a folder that nobody else can enter; a damaged file is compiled anew, to the same number."""
    folder, found, total = run(tmp_path)
    assert Path(folder).parent == tmp_path / "backemf" / "jax" and not found and total == 14.0
    for each in (Path(folder), Path(folder).parent):
        assert stat.S_IMODE(each.stat().st_mode) == 0o700
    assert run(tmp_path) == (folder, True, 14.0)
    for kept in Path(folder).glob("*-cache"):
        kept.write_bytes(b"nonsense")
    assert run(tmp_path) == (folder, False, 14.0)


@pytest.mark.parametrize("way", ["environment", "program"])
def test_a_folder_that_jax_was_given_stays(tmp_path, way):
    """Whoever has chosen one keeps it."""
    own = str(tmp_path / "own")
    found = run(tmp_path, **{"JAX_COMPILATION_CACHE_DIR": own}) if way == "environment" else run(tmp_path, own)
    assert found == (own, False, 14.0) and not (tmp_path / "backemf").exists()


def test_where_nothing_can_be_kept_nothing_is(tmp_path):
    """Switched off, JAX's own switch, a home that cannot be written, and a folder that others can enter."""
    nowhere = ("None", False, 14.0)
    assert run(tmp_path, BACKEMF_CACHE="off") == nowhere
    assert run(tmp_path, JAX_ENABLE_COMPILATION_CACHE="false") == nowhere
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file") == nowhere
    (tmp_path / "backemf" / "jax").mkdir(parents=True)
    (tmp_path / "backemf" / "jax").chmod(0o755)
    assert run(tmp_path) == nowhere


def test_one_switch_for_everything_that_is_compiled(monkeypatch, tmp_path):
    """Folders side by side, and none where the switch is off."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(code_cache.SWITCH, raising=False)
    assert [code_cache.cache_folder(name) for name in ("native", "jax")] == [
        tmp_path / "backemf" / "native",
        tmp_path / "backemf" / "jax",
    ]
    monkeypatch.setenv(code_cache.SWITCH, "off")
    assert code_cache.cache_folder("jax") is None
