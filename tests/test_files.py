"""The one door to the disk: files are written as a whole or not at all, and read within bounds."""

import ast
import os
import re
import resource
import stat
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import backemf as be
from backemf import files
from backemf.errors import DatasheetError, ParameterError

SOURCES = Path(files.__file__).parent
ROOT = os.geteuid() == 0 if hasattr(os, "geteuid") else False


MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    ratings=be.Ratings(voltage=24.0),
)


@pytest.fixture
def old(tmp_path) -> Path:
    path = tmp_path / "one.txt"
    path.write_text("old")
    return path


def fails_at(monkeypatch, name: str, number: int, words: str) -> None:
    """Let a call of the operating system fail."""

    def fail(*_, **__):
        raise OSError(number, words)

    monkeypatch.setattr(f"os.{name}", fail)


# --- writing


def test_a_file_is_replaced_and_nothing_is_left(old) -> None:
    files.write_text(old, "Ω")
    assert old.read_bytes() == "Ω".encode() and os.listdir(old.parent) == ["one.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_an_existing_file_keeps_its_permissions(old, mode) -> None:
    old.chmod(mode)
    files.write_text(old, "new")
    assert stat.S_IMODE(old.stat().st_mode) == mode


def test_a_new_file_has_those_of_any_other(tmp_path) -> None:
    """As the user's mask says, and not those of a secret."""
    (tmp_path / "plain").touch()
    files.write_text(tmp_path / "ours", "text")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_private_file_is_private_while_it_is_written(old) -> None:
    """The file beside it has the same permissions from its first byte on."""
    old.chmod(0o600)
    with files.replacing(old) as file:
        assert stat.S_IMODE(os.stat(file.name).st_mode) == 0o600


@pytest.mark.parametrize(
    ("call", "number", "words"),
    [("fsync", 28, "No space left on device"), ("replace", 30, "Read-only file system"), ("open", 13, "Permission")],
)
def test_a_write_that_fails_leaves_the_old_file(old, monkeypatch, call, number, words) -> None:
    """Whichever call fails: one sentence with file, reason and remedy, and nothing beside the old file."""
    fails_at(monkeypatch, call, number, words)
    with pytest.raises(ParameterError, match=rf"one\.txt: cannot be written: {words}.*; \w+ ") as caught:
        files.write_text(old, "new")
    monkeypatch.undo()
    assert "\n" not in str(caught.value) and old.read_text() == "old" and os.listdir(old.parent) == ["one.txt"]


def test_a_disk_that_is_full_is_one_sentence(old) -> None:
    """The operating system itself refuses to write on: here by the largest size that a process may write."""
    import signal

    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(ParameterError, match=r"one\.txt: cannot be written: File too large; write to a disk"):
            files.write_bytes(old, b"x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert old.read_text() == "old" and os.listdir(old.parent) == ["one.txt"]


@pytest.mark.skipif(ROOT, reason="the administrator writes everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(old) -> None:
    old.parent.chmod(0o500)
    try:
        with pytest.raises(ParameterError, match="Permission denied; write to a folder that is yours"):
            files.write_text(old, "new")
    finally:
        old.parent.chmod(0o700)
    assert old.read_text() == "old"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("no/one.txt", "No such file or directory; make the folder first"),
        ("one.txt/two.txt", "Not a directory; give a path whose folders are folders"),
        (".", "it is a folder"),
        ("x" * 300, "File name too long; give it a shorter name"),
        ("a\0b", "give the path of a file"),
    ],
)
def test_a_path_that_cannot_be_is_one_sentence(old, path, words) -> None:
    with pytest.raises(ParameterError, match=words):
        files.write_text(old.parent / path, "new")
    assert os.listdir(old.parent) == ["one.txt"]


def test_interrupting_leaves_the_old_file(old) -> None:
    with pytest.raises(KeyboardInterrupt), files.replacing(old) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert old.read_text() == "old" and os.listdir(old.parent) == ["one.txt"]


def test_a_link_is_replaced_and_not_followed(old) -> None:
    """What it leads to stays as it is."""
    link = old.with_name("link.txt")
    link.symlink_to(old)
    files.write_text(link, "new")
    assert old.read_text() == "old" and link.read_text() == "new" and not link.is_symlink()


def test_the_name_beside_cannot_be_guessed(old) -> None:
    """Another one each time, and made anew: nobody can have put a link there."""
    names = set()
    for _ in range(20):
        with files.replacing(old) as file:
            names.add(Path(file.name).name)
    assert len(names) == 20 and all(re.fullmatch(r"\.[0-9a-f]{16}\.txt", name) for name in names)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_not_replaced(tmp_path, make) -> None:
    """A device or a pipe would be gone otherwise, and a link to one as well."""
    make(tmp_path / "thing")
    (tmp_path / "link").symlink_to(tmp_path / "thing")
    for name in ("thing", "link"):
        with pytest.raises(ParameterError, match=r"cannot be written: it is a (pipe|folder)"):
            files.write_text(tmp_path / name, "new")
    assert sorted(os.listdir(tmp_path)) == ["link", "thing"] and not (tmp_path / "thing").is_file()


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(ParameterError, match="/dev/null: cannot be written: it is a device"):
        files.write_text("/dev/null", "new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


WRITERS = {
    "motor file": lambda path: be.save(be.Actuator(controller=be.Torque()), path / "a.toml"),
    "page": lambda path: be.plot.page(path / "a.html", motor=MOTOR),
    "picture": lambda path: be.plot.torque_speed(MOTOR, path=path / "a.png"),
    "onnx": lambda path: be.learned.save_network(network(), path / "a.onnx"),
    "torchscript": lambda path: be.learned.save_network(network(), path / "a.pt"),
    "safetensors": lambda path: be.learned.save_network(network(), path / "a.safetensors"),
    "csv": lambda path: run().to_csv(path / "a.csv"),
    "parquet": lambda path: run().to_parquet(path / "a.parquet"),
}


def network() -> be.learned.Mlp:
    import numpy as np

    return be.learned.Mlp(weights=(np.ones((1, 2)),), biases=(np.zeros(1),), activation="tanh")


def run() -> be.Run:
    return be.simulate(MOTOR, be.LockedRotor(), 1.0, 2e-3, 1e-3, engine="numpy")


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_leaves_the_old_file_when_the_disk_is_full(name, tmp_path, monkeypatch) -> None:
    """One sentence, the old file, and nothing else in the folder."""
    WRITERS[name](tmp_path)
    (made,) = tmp_path.iterdir()
    made.write_text("old")
    fails_at(monkeypatch, "fsync", 28, "No space left on device")
    with pytest.raises(ParameterError, match=r"/a\.\w+: cannot be written: No space left on device; free some space"):
        WRITERS[name](tmp_path)
    assert made.read_text() == "old" and list(tmp_path.iterdir()) == [made]


# --- reading


def test_a_text_is_read_as_it_is_meant(tmp_path) -> None:
    """Without a byte-order mark, and with any kind of line ends."""
    (tmp_path / "a").write_bytes("\ufeffΩ\r\nb\rc\n".encode())
    assert files.read_text(tmp_path / "a") == "Ω\nb\nc\n"


def test_a_pipe_is_not_waited_for(tmp_path) -> None:
    """Nobody writes to it, and yet there is an answer; where somebody does, the same."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ParameterError, match=r"pipe: cannot be read: it is a pipe; give a motor"):
        files.read_text(pipe, what="a motor")
    writer = threading.Thread(target=lambda: os.close(os.open(pipe, os.O_RDWR)))
    writer.start()
    with pytest.raises(DatasheetError, match="it is a pipe"):
        files.read_bytes(pipe, error=DatasheetError)
    writer.join()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_read(path) -> None:
    with pytest.raises(ParameterError, match="cannot be read: it is a device"):
        files.read_bytes(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path) -> None:
    """A hole of a terabyte takes no room on the disk; the size alone is looked at."""
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ParameterError, match="larger than 16 MB, the most for a motor file"):
        files.read_text(tmp_path / "large", what="a motor file")


def test_a_file_that_hides_its_size_is_read_to_the_limit() -> None:
    """Those of the kernel say 0 bytes and have more."""
    assert os.stat("/proc/self/maps").st_size == 0
    with pytest.raises(ParameterError, match=r"larger than 1e-05 MB"):
        files.read_bytes("/proc/self/maps", limit=10)


def test_what_is_no_text_says_where(tmp_path) -> None:
    (tmp_path / "a").write_bytes(b"ab\xff")
    with pytest.raises(ParameterError, match=r"not UTF-8 text .byte 0xff at offset 2"):
        files.read_text(tmp_path / "a")


def test_handles_are_closed(tmp_path) -> None:
    """Whatever is wrong with a file, none stays open."""
    (tmp_path / "a").write_bytes(b"\xff" * 100)
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/proc/self/fd"))
    for name in ("a", "pipe", ".", "none") * 5:
        with pytest.raises(ParameterError):
            files.read_text(tmp_path / name, limit=1000)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.filterwarnings("error")
def test_the_oldest_files_of_a_folder_go_while_another_process_removes_them(tmp_path, monkeypatch) -> None:
    """A file that is gone between its name and its date does not end the work, and the folder is closed."""
    for number in range(6):
        (tmp_path / f"{number}.o").touch()
        os.utime(tmp_path / f"{number}.o", (number, number))
    (tmp_path / "0.txt").touch()
    listed, closed = os.scandir, []

    @contextmanager
    def raced(folder):
        """The entries of a folder, of which one goes as soon as all are listed."""
        with listed(folder) as entries:
            found = list(entries)
        (tmp_path / "4.o").unlink()
        yield found
        closed.append(folder)

    monkeypatch.setattr(os, "scandir", raced)
    files.remove_oldest(tmp_path, ".o", 2)
    assert sorted(os.listdir(tmp_path)) == ["0.txt", "3.o", "5.o"] and closed == [tmp_path]
    monkeypatch.undo()
    files.remove_oldest(tmp_path / "none", ".o", 2)


# --- nobody else opens files

DIRECT = {
    "open": "files.open_plain or files.replacing", "fdopen": "files.open_plain or files.replacing",
    "read_text": "files.read_text", "read_bytes": "files.read_bytes",
    "write_text": "files.write_text", "write_bytes": "files.write_bytes", "touch": "files.write_bytes",
    "mkstemp": "files.replacing", "NamedTemporaryFile": "files.replacing", "rename": "files.replacing",
    "mkdir": "files.make_folder", "makedirs": "files.make_folder", "copyfile": "files", "copy2": "files",
}  # fmt: skip
"""Methods and functions that open, make or rename files, and what to call instead."""
LIBRARIES = {
    "savefig", "savetxt", "loadtxt", "genfromtxt", "write_table", "ParquetWriter", "ParquetFile", "read_table",
    "read_csv", "write_csv", "memory_map", "from_xml_path", "from_file", "FindOrOpen", "Export", "tofile", "fromfile",
    "savez", "read_parquet", "imread", "imsave", "OSFile", "input_stream", "output_stream",
}  # fmt: skip
"""Calls of libraries that open files where they are given a path."""
LOOKED_AT = {
    ("csv_columns.py", "loadtxt"): "a stream",
    ("csv_tables.py", "loadtxt"): "a stream",
    ("identify/reading.py", "ParquetFile"): "a stream",
    ("identify/robot_motion.py", "from_file"): "after mjcf.require_readable",
    ("recording.py", "loadtxt"): "a stream",
    ("recording.py", "ParquetFile"): "after files.require_plain",
    ("recording.py", "memory_map"): "after files.require_plain",
    ("recording_writing.py", "write_table"): "a stream",
    ("recording_writing.py", "ParquetWriter"): "a stream",
    ("recording_writing.py", "savetxt"): "a stream",
    ("recording_writing.py", "OSFile"): "its own parts",
    ("learned/logs.py", "ParquetFile"): "a stream",
    ("learned/logs.py", "read_csv"): "a stream",
    ("sweep/part.py", "write_table"): "a stream",
    ("sweep/result.py", "ParquetFile"): "after files.require_plain",
    ("plot/page.py", "savefig"): "a stream",
    ("plot/style.py", "savefig"): "a stream",
    ("sims/usd.py", "FindOrOpen"): "each layer is looked at before",
    ("sims/usd.py", "Export"): "the name of files.replacing",
    ("sims/mujoco/urdf_model.py", "from_file"): "after urdf.read_root",
    ("sims/webots/backends/on_mujoco.py", "from_xml_path"): "after mjcf.require_readable",
}
"""Where they are called, and why that is safe."""


def direct_calls(path: Path) -> list[str]:
    """Calls of a file that go to the disk past `backemf.files`."""
    found, name_of_file = [], path.relative_to(SOURCES).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        # a bare read_text is ours; wave.open gets a stream
        bad = name in DIRECT and (method or name == "open") and owner not in ("files", "wave")
        bad |= method and name in LIBRARIES and (name_of_file, name) not in LOOKED_AT
        if bad:
            found.append(f"{name_of_file}:{node.lineno}: {ast.unparse(node)[:80]}: use {DIRECT.get(name, 'files')}")
    return found


def test_nothing_else_opens_files() -> None:
    """Every file of the package goes through the one door, so that its bounds hold everywhere."""
    sources = [path for path in sorted(SOURCES.rglob("*.py")) if path != SOURCES / "files.py"]
    found = [line for path in sources for line in direct_calls(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "open('a')",
        "Path('a').read_text()",
        "path.open('wb')",
        "path.write_bytes(b'')",
        "os.open(p, 0)",
        "p.parent.mkdir()",
        "drawn.savefig('a.png')",
        "np.fromfile(path)",
    ],
)
def test_a_direct_call_is_found(line, tmp_path, monkeypatch) -> None:
    """The search itself, on what it has to find."""
    (tmp_path / "a.py").write_text(line)
    monkeypatch.setitem(globals(), "SOURCES", tmp_path)
    assert len(direct_calls(tmp_path / "a.py")) == 1
