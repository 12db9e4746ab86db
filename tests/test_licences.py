"""The tool that looks at the licences of what is installed."""

from __future__ import annotations

import importlib.util
import sys
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def tool(name: str):
    """A program of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


licences = tool("licences")


def about(**fields: str | list[str]) -> Message:
    """Metadata of a package; `_` in a name stands for `-`."""
    found = Message()
    for name, value in fields.items():
        for line in [value] if isinstance(value, str) else value:
            found[name.replace("_", "-")] = line
    return found


@pytest.mark.parametrize(
    "fields, licence",
    [
        ({"License_Expression": "MIT", "License": "GPL"}, "MIT"),
        ({"License": "Apache-2.0"}, "Apache-2.0"),
        ({"License": "3-Clause BSD License"}, "BSD-3-Clause"),
        ({"License": "UNKNOWN", "Classifier": ["License :: OSI Approved :: MIT License"]}, "MIT"),
        ({"Classifier": ["License :: OSI Approved :: BSD License", "Topic :: Software"]}, "BSD"),
        ({"License": "Copyright (c) 2001 somebody, see below", "Classifier": []}, "unknown"),
        ({"Classifier": ["License :: Other/Proprietary License"]}, "Other/Proprietary License"),
        ({}, "unknown"),
    ],
)
def test_a_licence_is_found_wherever_a_package_says_it(fields, licence):
    assert licences.licence_of(about(**fields)) == licence


@pytest.mark.parametrize(
    "expression, permissive",
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib", True),
        ("Apache-2.0 WITH LLVM-exception AND MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("(GPL-3.0-only OR MIT) AND BSD-2-Clause", True),
        ("(GPL-3.0-only OR MIT) AND MPL-2.0", False),
        ("MPL-2.0", False),
        ("MIT AND LGPL-3.0-or-later", False),
        ("LicenseRef-NVIDIA-Omniverse", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_permissive(expression, permissive):
    assert licences.is_permissive(expression) is permissive


WEAK = licences.Installed("weak", "1.0", "MPL-2.0")
FREE = licences.Installed("free", "2.0", "MIT")
WHY = licences.Reason("weak", "MPL-2.0", "because", ("dev",))


def test_a_package_without_a_reason_is_refused():
    (told,) = licences.complaints([WEAK, FREE], [], "dev")
    assert told.startswith("weak 1.0 has the licence 'MPL-2.0'")
    assert list(licences.complaints([WEAK, FREE], [WHY], "dev")) == []


def test_a_reason_holds_for_its_environments_alone():
    assert len(list(licences.complaints([WEAK], [WHY], "newton"))) == 1
    assert list(licences.complaints([FREE], [WHY], "newton")) == []


def test_a_reason_for_what_is_not_there_is_refused():
    (told,) = licences.complaints([FREE], [WHY], "dev")
    assert "does not have" in told


def test_a_licence_that_changed_is_refused():
    (told,) = licences.complaints([licences.Installed("weak", "2.0", "AGPL-3.0-only")], [WHY], "dev")
    assert "look at it again" in told


@pytest.mark.parametrize(
    "text, sentence",
    [
        ('name = "x"\nlicence = "MPL-2.0"\nenvironments = ["dev"]', "x: reason is missing"),
        ('name = "x"\nlicense = "MPL-2.0"', "license = 'MPL-2.0' is not one of"),
        ('licence = "MPL-2.0"', "a package without a name: name is missing"),
    ],
)
def test_a_wrong_line_is_one_sentence(tmp_path, text, sentence):
    file = tmp_path / "licences.toml"
    file.write_text("[[package]]\n" + text)
    with pytest.raises(ValueError, match=sentence):
        licences.reasons(file)


def test_every_reason_names_an_environment_that_there_is():
    environment = (ROOT / "tools" / "environment.py").read_text()
    for entry in licences.reasons():
        assert len(entry.reason) > 20
        assert all(f'"{name}"' in environment for name in entry.environments)
