"""Pinned versions and the hashes of their files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from test_licences import ROOT, tool

hashes = tool("hashes")
FILES = sorted(ROOT.glob("constraints*.txt"))


def pinned_files(file: Path) -> dict[str, tuple[str, list[str]]]:
    return {name: (version, digests) for name, version, digests in hashes.pins(file.read_text())}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_pinned_version_has_hashes(file):
    """pip takes a file only if its hash is listed, so a line without one could not be installed."""
    lines = pinned_files(file)
    assert lines
    assert [name for name, (_, digests) in lines.items() if not digests] == []


def test_one_version_has_the_same_hashes_everywhere():
    known: dict[tuple[str, str], list[str]] = {}
    for file in FILES:
        for name, (version, digests) in pinned_files(file).items():
            assert known.setdefault((name, version), digests) == digests, f"{file.name}: {name}"


def test_the_build_for_the_cpu_is_the_version_of_the_rest():
    """`torch==2.13.0` is satisfied by 2.13.0+cpu, so pip leaves it as it is."""
    ((name, (version, _)),) = pinned_files(ROOT / "constraints-cpu.txt").items()
    for file in ("constraints.txt", "constraints-mjlab.txt"):
        assert pinned_files(ROOT / file)[name][0] == version.partition("+")[0]


def test_the_demo_is_a_part_of_the_whole():
    whole = pinned_files(ROOT / "constraints.txt")
    for name, (version, _) in pinned_files(ROOT / "constraints-demo.txt").items():
        assert whole[name][0] == version


@pytest.mark.parametrize("line", ["numpy>=2", "numpy", "numpy==2.0 --hash=md5:00", "numpy==2.0 --hash=sha256:00"])
def test_a_line_that_is_no_pin_is_refused(line):
    with pytest.raises(ValueError, match="must be name==version"):
        list(hashes.pins(line))


@pytest.mark.parametrize(
    "file, version",
    [
        ("ml_dtypes-0.6.0-cp311-cp311-manylinux_2_28_x86_64.whl", "0.6.0"),
        ("ml-dtypes-0.6.0.tar.gz", "0.6.0"),
        ("ml_dtypes-0.6.0-1-py3-none-any.whl", "0.6.0"),
        ("ml_dtypes-0.6.0+cpu-py3-none-any.whl", "0.6.0+cpu"),
        ("ml_dtypes_extra-0.6.0.tar.gz", None),
        ("ml_dtypes-0.6.0.exe", None),
    ],
)
def test_versions_of_files(file, version):
    assert hashes.version_in(file, "ml-dtypes") == version


def test_files_of_a_page():
    """Only files with a SHA-256 count."""
    page, digest = hashes.Links(), "0" * 64
    page.feed(f'<a href="https://x/a-1.0.tar.gz#sha256={digest}">a</a><a href="https://x/a-1.0.zip">a</a>')
    assert page.files == {"a-1.0.tar.gz": digest}


def test_a_build_of_ones_own_is_hashed(tmp_path):
    (tmp_path / "torch-2.0+cpu-cp311-cp311-linux_x86_64.whl").write_bytes(b"wheel")
    assert hashes.folder_hashes(tmp_path, "torch", "2.0+cpu") == {hashlib.sha256(b"wheel").hexdigest()}
    assert hashes.folder_hashes(tmp_path, "torch", "2.0") == set()


def test_writing_keeps_the_head_and_the_order():
    text = "# head\nb==1.0\na==2.0\n"
    made = hashes.write_hashes(text, {("b", "1.0"): ["1" * 64], ("a", "2.0"): ["2" * 64, "3" * 64]})
    assert made.startswith("# head\nb==1.0 \\\n    --hash=sha256:111")
    assert [name for name, _, _ in hashes.pins(made)] == ["b", "a"]
