"""Files from a browser: bounded, under our own names, read by the readers of the command line, and never run."""

import asyncio
import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from backemf.answers import jobs
from backemf.errors import ParameterError
from backemf.sims.named_files import require_alone
from backemf.web import uploads
from backemf.web.bounded_requests import BoundedRequests
from backemf.web.named_files import errors_show_names, with_own_files
from backemf.web.state_folder import forget_old
from backemf.web.uploads import Uploads, kept_answer, key_of, plain_name


@pytest.fixture
def files(tmp_path: Path) -> Uploads:
    return Uploads(tmp_path / "uploads", "a session")


def kept(files: Uploads, name: str, content: bytes | str) -> uploads.Upload:
    """A file that was dropped in."""
    raw = content.encode() if isinstance(content, str) else content
    made = files.place(name, len(raw))
    made.path.write_bytes(raw)
    return made


def read(*given: uploads.Upload, **more: object) -> list[dict[str, object]]:
    """What the page is told of logs."""
    logs = [{"key": each.key, "name": each.name, "path": str(each.path)} for each in given]
    motor = {"ref": "maxon-re40-148877", "text": "", "name": "RE40"}
    return jobs.read_logs({"logs": logs, "motor": motor, "files": {}, **more}, lambda said: None)


LOG = "time [s],position [rad]\n" + "".join(f"{k * 0.01:.2f},{k * 0.001:.4f}\n" for k in range(50))


# --- where files are kept


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd.csv",
        "/etc/cron.d/x.csv",
        "..\\..\\x.csv",
        "a\0b.csv",
        "~/.ssh/x.csv",
        ".csv.csv",
        "ä" * 300 + ".csv",
    ],
)
def test_no_path_of_a_browser_is_used(files: Uploads, name: str):
    """Whatever a file is called, it lies in the folder of its session under a name of ours."""
    made = kept(files, name, LOG)
    assert made.path.parent == files.folder and made.path.resolve().parent == files.folder.resolve()
    assert set(made.path.stem) <= set("0123456789abcdef")
    assert not set(made.name) & set("/\\\0~") and not made.name.startswith(".") and len(made.name) <= 80


def test_a_folder_is_its_session_s_alone(tmp_path: Path):
    """Nobody else may enter it, and another session does not find its files."""
    mine, yours = Uploads(tmp_path / "u", "one"), Uploads(tmp_path / "u", "two")
    made = kept(mine, "log.csv", LOG)
    assert mine.folder.stat().st_mode & 0o077 == 0
    assert mine.get(made.key) == made and yours.all() == []
    with pytest.raises(ParameterError, match="another browser's"):
        yours.get(made.key)
    with pytest.raises(ParameterError, match="another browser's"):
        mine.get(f"../{mine.folder.name}/{made.key}")


def test_size_and_number_are_bounded(files: Uploads, monkeypatch: pytest.MonkeyPatch):
    """One that is too large, all together too large, one too many, and no log: each is a sentence."""
    monkeypatch.setattr(uploads, "LARGEST_SESSION", 3000)
    monkeypatch.setattr(uploads, "MOST_FILES", 3)
    with pytest.raises(ParameterError, match="is larger than 100 MB"):
        files.place("log.csv", 100_000_001)
    for ending in (".exe", "", ".py", ".pkl", ".zip"):
        with pytest.raises(ParameterError, match="is not a file that the studio reads"):
            files.place(f"log{ending}", 10)
    kept(files, "a.csv", "x" * 2000)
    with pytest.raises(ParameterError, match="are larger than 0 MB; remove some"):
        files.place("b.csv", 2000)
    for name in "bc":
        kept(files, f"{name}.csv", "x")
    with pytest.raises(ParameterError, match="one more than the 3 files"):
        files.place("d.csv", 1)
    files.remove(files.all()[0].key)
    assert [each.name for each in files.all()] == ["b.csv", "c.csv"] and len(list(files.folder.iterdir())) == 3


def test_answers_are_kept_by_names_that_are_no_paths(files: Uploads):
    """An address cannot name a file elsewhere as an answer."""
    files.write("0a1b", "{}")
    assert files.read("0a1b") == "{}" and files.read("ffff") == ""
    with pytest.raises(ParameterError, match="start the work again"):
        files.read("../../index")
    asked = {"top": 3, "task": "x"}
    files.write(key_of(asked), '{"rows": 1}')
    assert kept_answer(files, key_of({"task": "x", "top": 3})) == {"rows": 1}
    assert kept_answer(files, "") == kept_answer(files, "../../index") == kept_answer(files, key_of({})) == {}


def test_files_of_a_day_ago_are_removed(files: Uploads):
    """The folder of a session that was not used for a day goes, and a link among the folders is not followed."""
    made = kept(files, "log.csv", LOG)
    elsewhere = files.folder.parent.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "keep").write_text("")
    (files.folder.parent / "link").symlink_to(elsewhere)
    forget_old(files.folder.parent)
    assert made.path.exists()
    os.utime(files.folder, (0, 0))
    os.utime(elsewhere, (0, 0))
    forget_old(files.folder.parent)
    assert not files.folder.exists() and (elsewhere / "keep").exists()


def test_plain_name():
    """What is left of a name can stand in TOML and in a message."""
    assert plain_name("C:\\logs\\my swing (2).csv") == "my_swing_2_.csv"
    assert plain_name("") == "file"


# --- what is in them


def bomb() -> bytes:
    """An archive of a few kilobytes that says it holds 3 GB."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("position.npy", "w", force_zip64=True) as out,
    ):
        for _ in range(30):
            out.write(bytes(100_000_000))
    return made.getvalue()


def pickled() -> bytes:
    """An archive whose array runs code where it is unpickled."""

    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, ("/tmp/backemf-pickle-ran",)

    made = io.BytesIO()
    np.savez(made, position=np.array([Evil()], dtype=object), allow_pickle=True)
    return made.getvalue()


def test_a_good_log_is_read(files: Uploads):
    """Columns with their guesses, and curves."""
    (row,) = read(kept(files, "swing.csv", LOG))
    assert row["columns"] == [["time [s]", "time", "s"], ["position [rad]", "position", "rad"]]
    assert row["rows"] == 50 and row["channels"] == ["position"]
    ((title, channel, time, values),) = row["curves"]
    assert title == channel == "position" and len(time) == len(values) == 50 and values[-1] == 0.049


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.npz", pickled, "could run code|damaged or no NumPy archive"),
        ("x.npz", lambda: b"PK\3\4" + b"\0" * 100, "damaged or no NumPy archive"),
        ("x.csv", lambda: b"\xff\xfe\0\0" * 100, "UTF-8"),
        ("x.csv", lambda: b"time [s]," + b",".join(b"c%d" % k for k in range(20_000)) + b"\n1\n", "columns"),
        ("x.csv", lambda: b"1,2\n3,4\n", "numbers where the names"),
        ("x.json", lambda: b"[" * 100_000, "JSON|nested"),
        ("x.parquet", lambda: b"PAR1" + b"\0" * 64 + b"PAR1", "parquet file"),
        ("x.mcap", lambda: b"\x89MCAP0\r\n" + b"\xff" * 100, "MCAP|mcap"),
    ],
)  # fmt: skip
def test_hostile_logs_are_one_sentence(files: Uploads, name: str, content: object, words: str):
    """None is run or expanded; the sentence names the file as its owner does, and no folder of ours."""
    import re

    (row,) = read(kept(files, name, content()))
    said = str(row["error"])
    assert re.search(words, said), said
    assert "\n" not in said and str(files.folder) not in said and said.startswith(name)
    assert not Path("/tmp/backemf-pickle-ran").exists()


def test_a_pickle_would_run():
    """What `pickled` holds is a danger: unpickled, it makes a folder."""
    with zipfile.ZipFile(io.BytesIO(pickled())) as archive:
        content = archive.read("position.npy")
    place = Path("/tmp/backemf-pickle-ran")
    try:
        pickle.loads(content[content.index(b"\n") + 1 :])
        assert place.exists()
    finally:
        if place.exists():
            place.rmdir()


@pytest.mark.long
def test_a_bomb_is_not_unpacked(files: Uploads):
    """3 GB in 3 MB."""
    (row,) = read(kept(files, "x.npz", bomb()))
    assert "would unpack to 3" in str(row["error"])


# --- texts that name files


def test_errors_name_files_as_their_owner_does():
    """The path of an upload in an error becomes the name under which it was dropped in."""
    with (
        pytest.raises(ParameterError, match=r"^swing\.csv, line 3: too short$"),
        errors_show_names({"/u/0.csv": "swing.csv"}),
    ):
        raise ParameterError("/u/0.csv, line 3: too short")


RIG = 'format = "backemf rig 1"\n[load]\nkind = "RobotModel"\nmodel = {}\n'


@pytest.mark.parametrize("path", ['"/etc/passwd"', '"../other/x.xml"', "'''/etc/passwd'''", '"go2.xml/../../x"'])
def test_only_uploads_of_the_session_can_be_named(path: str):
    """A path in a rig is an error unless an upload has that name."""
    with pytest.raises(ParameterError, match="was not dropped in"):
        with_own_files(RIG.format(path), "rig", {"go2.xml": "/uploads/0.xml"})


def test_a_name_of_an_upload_becomes_its_path():
    """In either quotes; a spelling that hides the name is refused."""
    for quoted in ('"go2.xml"', "'go2.xml'"):
        text = with_own_files(RIG.format(quoted), "rig", {"go2.xml": "/uploads/0.xml"})
        assert 'model = "/uploads/0.xml"' in text
    with pytest.raises(ParameterError, match="plainly between quotes"):
        with_own_files(RIG.format('"go2\\u002exml"'), "rig", {"go2.xml": "/uploads/0.xml"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><mujoco>&a;</mujoco>', "DOCTYPE or an entity"),
        ('<mujoco><include file="/etc/passwd"/></mujoco>', "<include> names another file"),
        ('<mujoco><asset><texture file="/dev/zero"/></asset></mujoco>', "<texture> names another file"),
        ('<mujoco><asset><hfield file="x.png"/></asset></mujoco>', "<hfield> names another file"),
        ("<mujoco>" + "<body>" * 600 + "</body>" * 600 + "</mujoco>", "nested too deeply"),
    ],
)  # fmt: skip
def test_hostile_models_are_one_sentence(files: Uploads, text: str, words: str):
    """No entity is expanded and no other file opened."""
    made = kept(files, "robot.xml", text)
    with pytest.raises(ParameterError, match=words) as error:
        require_alone(made.path, made.name)
    assert str(error.value).startswith("robot.xml")


@pytest.mark.parametrize(
    "text",
    [
        '\n(\n subLayers = [@/etc/other.usda@]\n)\n',
        '\ndef Xform "a" (references = @../other.usda@) {}\n',
        '\ndef Xform "a" {\n def Xform "b" (payload = @/etc/other.usda@) {\n }\n}\n',
        '\ndef Xform "a" (\n variants = {\n  string v = "x"\n }\n prepend variantSets = "v"\n) {\n variantSet "v" = {\n'
        '  "x" (\n references = @/etc/other.usda@\n) {\n }\n }\n}\n',
        '\ndef Xform "a" (clips = {dictionary default = {asset[] assetPaths = [@/etc/other.usda@]}}) {}\n',
    ],
)  # fmt: skip
def test_a_usd_model_names_no_other_layer(files: Uploads, text: str):
    """A layer that is composed of others would open them."""
    pytest.importorskip("pxr")
    with pytest.raises(ParameterError, match=r"robot\.usda: names the file"):
        require_alone(kept(files, "robot.usda", "#usda 1.0" + text).path, "robot.usda")
    require_alone(kept(files, "robot.usda", '#usda 1.0\ndef Xform "a" {}\n').path, "robot.usda")


def test_a_robot_has_as_many_joints_as_a_page(files: Uploads):
    """A form for thousands of joints would keep all other pages waiting."""
    from backemf.answers.exports import MOST_JOINTS, robot_joints

    def model(joints: int) -> dict[str, str]:
        bodies = "".join(f'<body><joint name="j{k}"/><geom size="1"/></body>' for k in range(joints))
        made = kept(files, "robot.xml", f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        return {"model": str(made.path), "name": made.name}

    assert len(robot_joints(model(MOST_JOINTS), lambda said: None)) == MOST_JOINTS
    with pytest.raises(ParameterError, match=r"robot\.xml: has 101 joints, and the page has room for 100"):
        robot_joints(model(MOST_JOINTS + 1), lambda said: None)


def test_a_model_with_meshes_may_be_read(files: Uploads):
    """Meshes are left out before MuJoCo would open them."""
    made = kept(files, "robot.xml", '<mujoco><asset><mesh file="/etc/passwd"/></asset></mujoco>')
    require_alone(made.path, made.name)


# --- requests


@pytest.mark.parametrize("stated", [True, False])
def test_a_request_that_is_too_long_is_refused(stated: bool):
    """By what its header states, and where it states nothing by what has come: the rest is not read."""
    sent: list[dict[str, object]] = []
    read: list[int] = []

    async def receive() -> dict[str, object]:
        read.append(600)
        return {"type": "http.request", "body": b"x" * 600_000, "more_body": True}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def inner(scope: object, receive: object, send: object) -> None:
        while True:
            await receive()

    headers = [(b"content-length", b"1001001")] if stated else []
    asyncio.run(BoundedRequests(inner, 1000)({"type": "http", "headers": headers}, receive, send))
    assert sent[0]["status"] == 413 and len(read) == (0 if stated else 2)
    assert json.dumps(sent[1]["body"].decode())
