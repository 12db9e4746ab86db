"""Whatever is given in the place of a file: one sentence, in bounded memory and work, and nothing waits."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from work_done import WorkDone

import backemf as be
from backemf.errors import BackemfError
from backemf.learned.logs import read_table
from backemf.sims import mujoco, newton, physx, webots
from backemf.sims.webots.records import wav
from backemf.transfer import read_actuators

READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "datasheet": (".toml", be.Datasheet.load),
    "motor file": (".toml", be.load),
    "robot": (".toml", webots.load_robot),
    "robot of a world": (".wbt", webots.load_robot),
    "world": (".wbt", webots.read_actuators),
    "PROTO": (".proto", read_actuators),
    "MJCF, compiled": (".xml", mujoco.read_actuators),
    "MJCF": (".xml", lambda path: mujoco.read_actuators(path, version="3.11")),
    "MJCF behind devices": (".xml", lambda path: on_mujoco(path)),
    "configuration": (".py", read_actuators),
    "USD": (".usda", physx.read_actuators),
    "USD of Newton": (".usd", newton.read_actuators),
    "command": (".csv", be.commands.from_csv),
    "recording": (".parquet", be.read_recording),
    "parts": (".parquet.part", be.read_recording),
    "recording in CSV": (".csv", be.read_recording),
    "log": (".parquet", read_table),
    "log in CSV": (".csv", read_table),
    "TorchScript": (".pt", be.learned.load_network),
    "ONNX": (".onnx", be.learned.load_network),
    "safetensors": (".safetensors", be.learned.load_network),
    "sound": (".wav", lambda path: wav._read(str(path))),
}
"""Everything that reads a file, with the ending of its name."""


def on_mujoco(path: Path) -> None:
    import mujoco as engine

    from backemf.sims.webots.backends.on_mujoco import _model

    _model(engine, str(path))


def endless(path: Path) -> None:
    """A terabyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


def socket_at(path: Path) -> None:
    folder = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(folder)


THINGS: dict[str, Callable[[Path], Any]] = {
    "pipe": os.mkfifo,
    "folder": os.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": socket_at,
    "link to itself": lambda path: path.symlink_to(path),
    "nothing": lambda path: None,
    "endless": endless,
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 40),
}
"""What may stand in the place of a file."""


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_one_sentence(reader, thing, tmp_path) -> None:
    """It names the file; nobody waits for a pipe, and a device without end is not read."""
    ending, read = READERS[reader]
    path = tmp_path / f"file{ending}"
    THINGS[thing](path)
    if (reader, thing) in NOISE_IS_FINE:
        pytest.skip("what breaks off is read as far as it goes")
    with WorkDone() as work, pytest.raises(BackemfError) as caught:
        read(path)
    text = str(caught.value)
    assert "\n" not in text and "file" in text and len(text) < 1000 and work.calls < 500_000, text


NOISE_IS_FINE = {("parts", "noise")}


def digits(count: int) -> str:
    return "9" * count


MJCF = (
    '<mujoco><worldbody><body><joint name="k"/><geom size="1"/></body></worldbody>'
    '<actuator><motor joint="k" gear="{}"/></actuator></mujoco>'
)
CONFIGURATION = (
    "from mjlab.actuator import IdealPdActuatorCfg\n"
    "a = IdealPdActuatorCfg(target_names_expr=('hip',), stiffness={}, damping=0.1, effort_limit=2.0)\n"
)
ACTUATOR = 'format = "backemf actuator 1"\n'
SHEET = 'name = "x"\n[electrical]\nresistance = '
VRML = "#VRML_SIM R2023b utf8\n"
ATTRIBUTES = " ".join(f"a{i}='1'" for i in range(20_000))
LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
BOMBS: dict[str, tuple[str, Callable[[], str], str]] = {
    "whole number, datasheet": ("datasheet", lambda: SHEET + digits(5000), "too many digits"),
    "whole number, actuator": ("motor file", lambda: f"{ACTUATOR}slew = {digits(5000)}", "too many digits"),
    "whole number, robot": ("robot", lambda: f"basic_time_step = {digits(5000)}", "too many digits"),
    "beyond floats, datasheet": ("datasheet", lambda: SHEET + digits(4000), "no quantity has so many"),
    "beyond floats, actuator": ("motor file", lambda: f"{ACTUATOR}slew = {digits(4000)}", "no quantity has so many"),
    "beyond floats, robot": ("robot", lambda: f"basic_time_step = {digits(4000)}", "no quantity has so many"),
    "hexadecimal": ("motor file", lambda: f"{ACTUATOR}slew = 0x{digits(400_000)}", "no quantity has so many"),
    "float": ("motor file", lambda: f"{ACTUATOR}slew = {digits(400_000)}.0", "must be a finite number"),
    "long quantity": ("datasheet", lambda: f'{SHEET}"{digits(900_000)} ohm"', "too long for a quantity"),
    "long name of a key": ("datasheet", lambda: f"{'a' * 900_000} = 1", "no such"),
    "long word": ("motor file", lambda: f'{ACTUATOR}[controller]\nkind = "{"x" * 900_000}"', "kind"),
    "parts of a key": ("datasheet", lambda: "a." * 300_000 + "a = 1", "more than 50 parts"),
    "parts of a quoted key": ("motor file", lambda: ACTUATOR + '"a" . ' * 100_000 + "a = 1", "more than 50 parts"),
    "parts of a table": ("robot", lambda: "[" + "a." * 300_000 + "a]", "more than 50 parts"),
    "lists in TOML": ("motor file", lambda: f"{ACTUATOR}slew = {'[' * 200_000}", "nested too deeply"),
    "tables in TOML": ("datasheet", lambda: f"a = {'{a=' * 100_000}", "nested too deeply"),
    "dotted tables": ("robot", lambda: "".join(f"[{'a.' * 40}a{i}]\n" for i in range(3)) + "a.b = 1", "a"),
    "elements": ("MJCF", lambda: f"<mujoco>{'<a>' * 100_000}{'</a>' * 100_000}</mujoco>", "nested too deeply"),
    "elements, compiled": ("MJCF, compiled", lambda: f"{'<a>' * 600}{'</a>' * 600}", "nested too deeply"),
    "tags": ("MJCF", lambda: f"<mujoco>{'<a/>' * 500_000}</mujoco>", "400,000 tags"),
    "attributes": ("MJCF, compiled", lambda: f"<mujoco {ATTRIBUTES}/>", "more than 1000 attributes"),
    "entities": ("MJCF", lambda: f'<!DOCTYPE a [<!ENTITY a0 "a">{LAUGHS}]><mujoco>&a11;</mujoco>', "DOCTYPE"),
    "entities, compiled": ("MJCF, compiled", lambda: f"<!DOCTYPE a [{LAUGHS}]><mujoco>&a11;</mujoco>", "DOCTYPE"),
    "number in XML": ("MJCF, compiled", lambda: MJCF.format(digits(10_000_000)), "too large"),
    "long text": ("world", lambda: f'{VRML}Robot {{ name "{"x" * 10_000_000}" 1 }}', "the name of a field"),
    "escapes": ("world", lambda: VRML + 'Robot { name "' + '\\"' * 5_000_000 + '" 1 }', "the name of a field"),
    "unclosed text": ("world", lambda: f'{VRML}Robot {{ name "{"x" * 10_000_000}', "this is not VRML"),
    "nodes": ("world", lambda: VRML + "Group { children [ " * 130_000, "500,000 words"),
    "templates": ("world", lambda: VRML + "%<" * 100_000, "this is not VRML"),
    "word of VRML": ("world", lambda: VRML + "a" * 10_000_000, "expected a value"),
    "brackets in Python": ("configuration", lambda: CONFIGURATION.format("(" * 100_000), "this is not Python"),
    "signs in Python": ("configuration", lambda: CONFIGURATION.format("-" * 100_000 + "1"), "this is not Python"),
    "number in Python": ("configuration", lambda: CONFIGURATION.format(digits(5000)), "this is not Python"),
    "long Python": ("configuration", lambda: CONFIGURATION.format("1.0") + "a=1\n" * 3_000_000, "is longer than"),
    "prims": ("USD", lambda: "#usda 1.0\n" + 'def "a" {\n' * 30_000, "is not USD"),
    "long line": ("command", lambda: "time,volts\n" + digits(41_000_000), "has a line of more than"),
    "long header": ("command", lambda: "a," * 20_000_000, "has a line of more than"),
    "cells": ("command", lambda: "time,volts\n" + "1," * 20_000_000, "has a line of more than"),
    "columns": ("command", lambda: "a," * 100_000 + "\n1", "and 99981 more"),
    "last row": ("command", lambda: "time,v\n" + "".join(f"{i},1\n" for i in range(10**5)) + "x,1", "line 100002"),
    "quotes": ("command", lambda: 'time,volts\n"' + "1\n" * 500_000, "cannot be read as CSV"),
}
"""Texts that ask for too much memory, depth or time: who reads them, what they are, and a part of the sentence."""
MEMORY = 200
"""Most memory that any of them takes [MB]."""
MEASURED = """
import re, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_hostile_bounds as bounds
from backemf.errors import BackemfError

def megabytes(field):
    return int(re.search(field + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1000

for name, (reader, text, words) in bounds.BOMBS.items():
    ending, read = bounds.READERS[reader]
    file = Path(sys.argv[2]) / f"file{ending}"
    file.write_text(text())
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = megabytes("VmRSS")
    try:
        read(file)
        said = "nothing"
    except BackemfError as error:
        said = str(error)
    print(name, megabytes("VmHWM") - before, said.replace(chr(10), "NEWLINE"), sep="|")
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> dict[str, tuple[int, str]]:
    """The memory that each of them takes at its peak [MB], and the sentence that it is answered with."""
    words = [sys.executable, "-c", MEASURED, str(Path(__file__).parent), str(tmp_path_factory.mktemp("bombs"))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [line.split("|", 2) for line in done.stdout.splitlines() if line.count("|") >= 2]
    return {name: (int(memory), said) for name, memory, said in rows}


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_a_text_without_measure_is_one_sentence(name, answers) -> None:
    """It is answered with a sentence of bounded length, in bounded memory."""
    memory, said = answers[name]
    assert BOMBS[name][2] in said and "NEWLINE" not in said and len(said) < 2500 and memory < MEMORY, (memory, said)


@pytest.mark.parametrize(
    "text",
    [f'{VRML}Robot {{ name "{"x" * 10_000_000}" }}', f'{VRML}Robot {{ name "{chr(92) + chr(34):s}" }}',
     VRML + "Robot { a [" + "1 " * 100_000 + "] }", VRML + "Robot {" + "# a\n" * 100_000 + "}",
     VRML + "Robot { a 0x" + "f" * 1_000_000 + " }"],
    ids=["text", "escape", "numbers", "comments", "hexadecimal"],
)  # fmt: skip
def test_long_values_of_a_world_take_few_calls(text) -> None:
    """A text, a list of numbers and a block of comments are one word each."""
    from backemf.sims.webots.nodes.vrml import parse

    with WorkDone() as work:
        (robot,) = parse(text).roots
    assert robot.kind == "Robot" and work.calls < 500_000


def test_an_escape_in_a_world_is_what_stands_behind_it() -> None:
    """A backslash stands for the character behind it, a backslash or a quotation mark."""
    from backemf.sims.webots.nodes.vrml import parse

    (robot,) = parse(r'Robot { name "a\"b\\c\\\"d\e" }').roots
    assert robot.fields["name"] == 'a"b\\c\\"de'


# --- what MJCF includes


def model(folder: Path, *includes: str) -> Path:
    lines = "".join(f'<include file="{name}"/>' for name in includes)
    folder.mkdir(exist_ok=True)
    (folder / "robot.xml").write_text(MJCF.format("1").replace("<actuator>", f"{lines}<actuator>"))
    return folder / "robot.xml"


READ_MJCF = (mujoco.read_actuators, lambda path: mujoco.read_actuators(path, version="3.11"))


@pytest.mark.parametrize("read", READ_MJCF, ids=["compiled", "file"])
def test_an_include_may_be_in_a_folder_beside(tmp_path, read) -> None:
    """As in many public models."""
    (tmp_path / "common.xml").write_text("<mujocoinclude><option timestep='0.001'/></mujocoinclude>")
    assert read(model(tmp_path / "robot", "../common.xml"))[0].joint == "k"


@pytest.mark.parametrize("read", READ_MJCF, ids=["compiled", "file"])
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["/etc/hostname"], "by an absolute path out of the model's folder"),
        (["../../../../../../../../etc/hostname"], "neither .xml nor .mjcf"),
        (["link.xml"], "neither .xml nor .mjcf"),
        (["../secret"], "neither .xml nor .mjcf"),
        (["pipe.xml"], "it is a pipe"),
        (["../pipe.xml"], "it is a pipe"),
        (["robot.xml"], "includes itself"),
        (["part.xml", "part.xml"], "is included twice"),
        ([""], "it is a folder"),
    ],
)
def test_an_include_that_leads_astray_is_refused(tmp_path, read, names, words) -> None:
    """What it leads to is not opened by MuJoCo either, and nothing of it is in the sentence."""
    path = model(tmp_path / "robot", *names)
    (tmp_path / "secret").write_text("password")
    (path.parent / "link.xml").symlink_to(tmp_path / "secret")
    (path.parent / "part.xml").write_text("<mujocoinclude/>")
    for folder in (tmp_path, path.parent):
        os.mkfifo(folder / "pipe.xml")
    with pytest.raises(BackemfError, match=words) as caught:
        read(path)
    assert "password" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_mesh_that_is_a_pipe_is_not_waited_for(tmp_path) -> None:
    path = model(tmp_path / "robot")
    text = path.read_text()
    path.write_text(
        text.replace("<worldbody>", '<compiler meshdir="m"/><asset><mesh name="m" file="a.stl"/></asset><worldbody>')
    )
    (path.parent / "m").mkdir()
    os.mkfifo(path.parent / "m" / "a.stl")
    with pytest.raises(BackemfError, match=r"a\.stl: cannot be read: it is a pipe; give the file of a <mesh>"):
        mujoco.read_actuators(path)


def test_comments_in_another_encoding_are_no_fault(tmp_path) -> None:
    """MuJoCo reads them, and so a model with such a comment is compiled."""
    path = model(tmp_path / "robot")
    path.write_bytes(path.read_bytes().replace(b"<actuator>", b"<!-- M\xfcller --><actuator>"))
    on_mujoco(path)


def test_messages_are_bounded() -> None:
    """What a file holds may be in a sentence; its beginning and the remedy at its end are kept."""
    text = str(be.ParameterError("file.toml: " + "x" * 1_000_000 + ": shorten it"))
    assert len(text) < 2100 and text.startswith("file.toml: x") and text.endswith("x: shorten it")
