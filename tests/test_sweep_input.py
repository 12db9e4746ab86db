"""What a sweep refuses, in one sentence each, and that what was done stays."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from test_cli import call

import backemf as be
from backemf import files
from backemf.errors import MissingExtraError, ParameterError
from backemf.random import Scale, Uniform
from backemf.sweep import manifest
from backemf.sweep.fingerprint import fingerprint
from backemf.sweep.sweep_file import read_sweep_file

RUN = {"motor": "maxon-re40-148877", "load": be.Inertia(1e-4), "command": 24.0, "duration": 0.01}
SPACE = be.Space({"x": [1.0, 2.0, 3.0, 4.0]})


def double(case: be.Case) -> dict[str, object]:
    return {"y": 2.0 * case["x"]}


def renamed(function: Callable[[be.Case], dict[str, object]]) -> Callable[[be.Case], dict[str, object]]:
    """Another function of the same name."""
    function.__qualname__ = "double"
    return function


def done(folder: Path) -> Path:
    """The folder of a sweep in four parts."""
    be.sweep(double, SPACE, folder, workers=1, part=1)
    return folder


def refused(*arguments: object, **options: object) -> str:
    """The sentence that a sweep is refused with."""
    with pytest.raises(ParameterError) as caught:
        be.sweep(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


# --- what is swept


@pytest.mark.parametrize(
    "axes, sentence",
    [
        ({"winding.resistence": [1.0]}, 'sweep: "winding.resistence" is no parameter of this Actuator; did you mean'),
        ({"gearbox.ratio": [1.0]}, 'sweep: "gearbox.ratio": this Actuator has no motor.gearbox, it is None; give it'),
        ({"load.mass": [1.0]}, 'sweep: "load.mass" is no parameter of this Inertia; did you mean inertia'),
        ({"load": [1.0]}, 'sweep: "load" is no parameter of this Inertia'),
        ({"command.value.x": [1.0]}, 'sweep: "command.value.x" is no parameter of this Constant; did you mean value?'),
        ({"initial": [1.0]}, "sweep: 'initial' is no number: name a number below it"),
        ({"load.inertia": ["a"]}, "sweep: 'load.inertia': is a number, and its list has texts; give numbers in SI"),
        ({"winding.resistance": [1.0], "motor.winding.resistance": [2.0]},
         "sweep: 'winding.resistance' and 'motor.winding.resistance' are the same number; leave one of them out"),
        ({"command": [1.0], "command.value": [2.0]}, "sweep: 'command' and 'command.value' are the same number"),
        ({"motor": ["maxon-re40-148877"]}, "sweep: motor: is given, and the space has a list of them too; leave one"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_there_is_named(tmp_path, axes, sentence):
    """Before anything is computed or written."""
    assert refused("simulate", be.Space(axes), tmp_path / "out", **RUN).startswith(sentence)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "function, settings, sentence",
    [
        ("simulat", RUN, "sweep: function = 'simulat': must be a function, or one of simulate, identify"),
        (3, {}, "sweep: function = 3: must be a function, or one of simulate, identify"),
        (double, {"dt": 1e-3}, "sweep: dt: only functions by name have settings; use functools.partial for yours"),
        ("simulate", {"motor": RUN["motor"], "command": 1.0}, "sweep: simulate needs load and duration: give load=..."),
        ("simulate", RUN | {"motor": "re40"}, "sweep: motor = 're40': is not in the catalogue: did you mean"),
        ("simulate", RUN | {"motor": 4}, "sweep: motor = 4: must be an id, a path, a Motor or an Actuator"),
        ("simulate", RUN | {"motor": None}, "sweep: motor is missing: give one, or a list of them in the space"),
        ("simulate", RUN | {"load": 4}, "sweep: load = 4: must be a load, such as Inertia(1e-4)"),
        ("simulate", RUN | {"duration": -1.0}, "duration = -1.0: must be a positive number of seconds"),
        ("simulate", RUN | {"suply": 4}, "sweep: suply: is nothing that a simulation has"),
        ("identify", {"motor": RUN["motor"]}, "sweep: log: is missing: give one, or a list of paths in the space"),
    ],
)
def test_a_function_that_cannot_be_is_refused(tmp_path, function, settings, sentence):
    space = be.Space({"load.inertia": [1e-4]})
    assert refused(function, space, tmp_path / "out", **settings).startswith(sentence)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"seed": -1}, "sweep: seed = -1: must be a whole number of at least 0"),
        ({"part": 0}, "sweep: part = 0: must be a whole number, 1 or more"),
        ({"workers": 1.5}, "sweep: workers = 1.5: must be a whole number, 1 or more"),
        ({"workers": 2, "ray": "auto"}, "sweep: workers are processes of this machine, and with ray= Ray has its own"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path, options, sentence):
    assert refused(double, SPACE, tmp_path / "out", **options).startswith(sentence)


def test_a_factor_needs_something_to_multiply(tmp_path):
    """A function of one's own has no motor whose number it could be."""
    said = refused(double, be.Space({"x": Scale(0.9, 1.1)}, draws=3), tmp_path / "out")
    assert said.startswith("sweep: 'x': nothing says what it is without the sweep")


@pytest.mark.parametrize("out", [None, "", 3])
def test_a_folder_is_a_folder(out):
    assert refused(double, SPACE, out).startswith(f"sweep: out = {out!r}: must be the folder for its parts")


def test_a_space_is_a_space(tmp_path):
    assert refused(double, {"x": [1.0]}, tmp_path / "out").startswith("sweep: space = {'x': [1.0]}: must be a Space")


def test_a_function_that_cannot_be_sent_is_named(tmp_path):
    """With one worker it needs not be sent."""
    own = lambda case: {"y": 1.0}  # noqa: E731
    said = refused(own, SPACE, tmp_path / "out", workers=2, part=1)
    assert said.startswith("sweep: the function cannot be sent to other processes") and "workers=1" in said
    assert be.sweep(own, SPACE, tmp_path / "out", workers=1).complete


def test_ray_names_its_extra(tmp_path, monkeypatch):
    """Where Ray is not installed."""
    from backemf.sweep import ray_workers

    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(ray_workers, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"needs ray, which is not installed: pip install 'backemf\[ray\]'"):
        be.sweep(double, SPACE, tmp_path / "out", ray="auto")


# --- the folder


def test_another_sweep_is_not_mixed_in(tmp_path):
    """Another function, space, seed or part size, or another version of backemf."""
    folder = done(tmp_path / "out")
    before = {path: path.read_bytes() for path in folder.rglob("part-*")}
    other = "holds another sweep, of double with 4 cases and seed 0: give another folder, or what it was begun with"
    for arguments, options in (
        ((lambda case: {"y": 3.0}, SPACE), {}),
        ((double, be.Space({"x": [1.0, 2.0, 3.0, 5.0]})), {}),
        ((double, SPACE), {"seed": 1}),
        ((renamed(lambda case: {"y": 3.0}), SPACE), {}),
    ):
        assert refused(*arguments, folder, workers=1, **options) == f"{folder}: {other}"
    assert refused(double, SPACE, folder, part=2) == f"{folder}: was begun with part=1, not 2; leave part out"
    known = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(known | {"backemf": "0.0.9"}))
    assert "was begun by backemf 0.0.9, and this is 0.1.0: go on with that one" in refused(double, SPACE, folder)
    assert before == {path: path.read_bytes() for path in folder.rglob("part-*")}


def power(case: be.Case, exponent: float) -> dict[str, object]:
    return {"y": case["x"] ** exponent}


def scaled(factor: float | np.ndarray) -> Callable[[be.Case], dict[str, object]]:
    return lambda case: {"y": factor * case["x"]}


def test_a_function_is_known_by_its_code_and_what_it_holds():
    """Not by where it is in memory."""
    assert fingerprint(partial(power, exponent=2.0)) == fingerprint(partial(power, exponent=2.0))
    assert fingerprint(partial(power, exponent=2.0)) != fingerprint(partial(power, exponent=3.0))
    assert fingerprint(scaled(2.0)) == fingerprint(scaled(2.0)) != fingerprint(scaled(3.0))
    table = np.arange(10_000.0)
    assert fingerprint(scaled(table)) != fingerprint(scaled(table + (table == 5_000)))
    assert fingerprint(be.Inertia(1.0)) == fingerprint(be.Inertia(1.0)) != fingerprint(be.Inertia(2.0))


def test_settings_of_a_simulation_belong_to_its_sweep(tmp_path):
    """A run of another length, or of another motor, is another sweep; the same one in other objects is not."""
    space, folder = be.Space({"load.inertia": [1e-4]}), tmp_path / "out"
    be.sweep("simulate", space, folder, workers=1, **RUN)
    for change in ({"duration": 0.02}, {"motor": "maxon-re40-148867"}, {"load": be.Fan(coefficient=1e-6)}):
        assert "holds another sweep" in refused("simulate", space, folder, workers=1, **RUN | change)
    mine = tmp_path / "mine.toml"
    listed, rest = be.Space({"motor": [str(mine)]}), {name: value for name, value in RUN.items() if name != "motor"}
    for ohms in (1.0, 2.0):
        magnet = be.Magnet(torque_constant=0.1, back_emf_constant=0.1)
        be.save(be.Motor(winding=be.Winding(resistance=ohms), magnet=magnet), mine)
        if ohms == 1.0:
            be.sweep("simulate", listed, tmp_path / "listed", workers=1, **rest)
    assert "holds another sweep" in refused("simulate", listed, tmp_path / "listed", workers=1, **rest)
    same = be.Inertia(inertia=1e-4), be.load("maxon-re40-148877")
    assert be.sweep("simulate", space, folder, workers=1, **RUN | {"load": same[0], "motor": same[1]}).complete


@pytest.mark.parametrize(
    "text, why",
    [
        ("{", "Expecting property name"),
        ("[]", 'its format is not "backemf sweep 1"'),
        ('{"format": "backemf sweep 1"}', "backemf = None"),
        (None, "4 cases in 4 parts of 3"),
    ],
)
def test_a_damaged_manifest_is_named(tmp_path, text, why):
    """And what to do."""
    path = done(tmp_path / "out") / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"part": 3}) if text is None else text)
    said = refused(double, SPACE, tmp_path / "out")
    assert said.startswith(f"{path}: is no manifest of a sweep ({why}") and "restore it, or sweep into another" in said
    with pytest.raises(ParameterError, match="is no manifest of a sweep"):
        be.read_sweep(tmp_path / "out")


def test_a_lost_manifest_is_no_empty_folder(tmp_path):
    folder = done(tmp_path / "out")
    (folder / "manifest.json").unlink()
    lost = f"{folder}: has parts and no manifest.json: restore it, or give a new folder"
    assert refused(double, SPACE, folder) == lost
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    assert refused(double, SPACE, tmp_path / "mine").endswith("has files in it and no manifest.json; give a new folder")
    assert "is no folder; give one" in refused(double, SPACE, tmp_path / "mine" / "thesis.tex")
    with pytest.raises(ParameterError, match=r"is no folder of a sweep: it has no manifest\.json"):
        be.read_sweep(tmp_path / "mine")


def test_a_damaged_part_is_named_and_computed_anew_once_it_is_removed(tmp_path):
    """A file that was cut, one of another sweep, and one whose bytes have changed inside."""
    folder = done(tmp_path / "out")
    path = folder / "parts" / "part-000000002.parquet"
    whole, remedy = path.read_bytes(), "remove it and sweep again: this part alone is computed anew"
    path.write_bytes(whole[:-40])
    said = refused(double, SPACE, folder, workers=1)
    assert said.startswith(f"{path}: is damaged (") and said.endswith(remedy)
    path.write_bytes((folder / "parts" / "part-000000001.parquet").read_bytes())
    assert refused(double, SPACE, folder, workers=1) == f"{path}: is a part of another sweep: {remedy}"
    # the first page is after the four bytes of the magic word
    path.write_bytes(whole[:60] + bytes([whole[60] ^ 255]) + whole[61:])
    with pytest.raises(ParameterError, match=r"part-000000002\.parquet: is damaged \(.*: remove it and sweep again"):
        list(be.read_sweep(folder).pieces())
    path.unlink()
    assert be.sweep(double, SPACE, folder, workers=1)["y"].tolist() == [2.0, 4.0, 6.0, 8.0]
    assert path.read_bytes() == whole
    (folder / "parts" / "part-000000007.parquet").write_bytes(whole)
    assert "is none of the 4 parts of this sweep; remove it" in refused(double, SPACE, folder)


def test_a_full_disk_keeps_what_was_done(tmp_path, monkeypatch):
    """The part that did not fit is not there; with room again the sweep goes on."""
    replace, left = os.replace, [2]

    def full(source: object, target: object) -> None:
        if "part-" in str(target):
            if not left[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left[0] -= 1
        replace(source, target)  # type: ignore[arg-type]

    folder = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", full)
        said = refused(double, SPACE, folder, workers=1, part=1)
    assert said == (
        f"{folder}/parts/part-000000002.parquet: cannot be written: No space left on device; free some space, or write "
        f"to another disk; 2 of 4 parts are in {folder}, and the same sweep goes on from there"
    )
    assert sorted(path.name for path in (folder / "parts").iterdir()) == [
        "part-000000000.parquet", "part-000000001.parquet",
    ]  # fmt: skip
    assert be.sweep(double, SPACE, folder, workers=1)["y"].tolist() == [2.0, 4.0, 6.0, 8.0]


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    folder = done(tmp_path / "out")
    left = folder / "parts" / ".0123456789abcdef.parquet"
    left.write_bytes(b"half of it")
    be.read_sweep(folder)
    assert left.exists()
    be.sweep(double, SPACE, folder, workers=1)
    assert not left.exists()


def test_two_sweeps_do_not_share_a_folder(tmp_path):
    folder = done(tmp_path / "out")
    with manifest.locked(folder):
        assert refused(double, SPACE, folder).startswith(f"{folder}: another process is sweeping into it: wait for it")


def test_too_many_files_are_refused(tmp_path):
    space = be.Space({"x": Uniform(0.0, 1.0)}, draws=10**9)
    said = refused(double, space, tmp_path / "out", part=1)
    assert said == "sweep: part = 1: 1000000000 cases are 1000000000 files; give larger parts"


# --- the file and the command

FILE = """
format = "backemf sweep 1"
function = "simulate"
seed = 2

[simulate]
motor = "maxon-re40-148877"
load = { kind = "Inertia", inertia = "1 kg*cm^2" }
command = { kind = "Step", value = "24 V", time = "1 ms" }
duration = "10 ms"
supply = { voltage = "24 V" }

[space]
draws = 3
how = "latin-hypercube"

[space.axes]
load.inertia = { from = "0.5 kg*cm^2", to = "2 kg*cm^2", count = 4 }
"supply.voltage" = ["20 V", "24 V"]
"winding.resistance" = { kind = "Scale", low = 0.9, high = 1.1 }
"thermal.ambient" = { kind = "Uniform", low = "20 degC", high = "40 degC" }
"magnet.torque_constant, magnet.back_emf_constant" = { kind = "NormalScale", mean = 1.0, std = 0.02 }
"""


def written(folder: Path, text: str = FILE) -> Path:
    path = folder / "sweep.toml"
    path.write_text(text)
    return path


def test_a_file_says_the_whole_sweep(tmp_path):
    """In units that people write; the command prints what came of it, and goes on with the same folder."""
    asked = read_sweep_file(written(tmp_path))
    assert asked.space.cases == 24 and asked.seed == 2 and asked.part is None
    assert asked.space.axes["load.inertia"] == pytest.approx((5e-5, 1e-4, 1.5e-4, 2e-4))
    assert asked.space.axes["thermal.ambient"] == Uniform(20.0, 40.0)
    assert asked.space.axes["magnet.torque_constant", "magnet.back_emf_constant"] == be.random.NormalScale(1.0, 0.02)
    out = tmp_path / "out"
    result = call("sweep", tmp_path / "sweep.toml", "-o", out, "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "24 cases in 1 parts" in result.output and "0 failed" in result.output
    found = be.read_sweep(out)
    assert found["supply.voltage"].tolist() == 4 * [20.0, 20.0, 20.0, 24.0, 24.0, 24.0]
    again = call("sweep", tmp_path / "sweep.toml", "-o", out, "--workers", 1, "--json")
    assert json.loads(again.output)["rows"] == 24
    other = call("sweep", tmp_path / "sweep.toml", "-o", out, "--workers", 1, "--seed", 5)
    assert other.exit_code == 2 and "holds another sweep" in other.output


@pytest.mark.parametrize(
    "change, sentence",
    [
        (('format = "backemf sweep 1"', ""), 'format = None: must be "backemf sweep 1"'),
        (('function = "simulate"', 'function = "simulat"'), "function = 'simulat': must be one of simulate, identify"),
        (("seed = 2", "sed = 2"), ", sed: there is no such field: did you mean seed?"),
        (("seed = 2", "seed = 2.5"), "seed = 2.5: must be a whole number"),
        (("seed = 2", "seed = -2"), "seed = -2: must be a whole number, 0 or more"),
        (("duration", "durration"), "[simulate] durration: there is no such field: did you mean duration?"),
        (('"1 kg*cm^2"', "1.0"), '[simulate] load inertia = 1.0: must be a text with its unit, like "'),
        (('"24 V", time', '"24 A", time'), "[simulate] command value"),
        (("[space.axes]", "[space.axis]"), "[space] axis: there is no such field: did you mean axes?"),
        (("load.inertia = {", "load.inertya = {"), "load.inertya\" is no parameter of this Inertia"),
        (('from = "0.5 kg*cm^2", to = "2 kg*cm^2"', 'from = "2 kg*cm^2", to = "0.5 kg*cm^2"'),
         "[space.axes] load.inertia: from = '2 kg*cm^2' must be below to = '0.5 kg*cm^2'"),
        (("count = 4", "count = 1"), "[space.axes] load.inertia count = 1: must be a whole number, 2 or more"),
        ((", count = 4", ""), "[space.axes] load.inertia: count is missing: a range has from, to and count"),
        (("count = 4", "steps = 4"), "[space.axes] load.inertia steps: there is no such field"),
        (("count = 4", 'count = 4, spacing = "cubic"'), "spacing = 'cubic': must be one of linear, log"),
        (('["20 V", "24 V"]', '["20 A"]'), "[space.axes] supply.voltage"),
        (('["20 V", "24 V"]', "[]"), "Space.axes['supply.voltage'] is an empty list"),
        (('kind = "Scale"', 'kind = "Skale"'), "[space.axes] winding.resistance kind = 'Skale': did you mean Scale?"),
        (("low = 0.9, high = 1.1", "low = 1.1, high = 0.9"), "Scale.high = 0.9: must be at least low = 1.1"),
        (("low = 0.9, high = 1.1", "low = 0.9"), "[space.axes] winding.resistance: Scale needs high"),
        (("draws = 3", ""), "Space.draws is missing: say how often"),
        (('motor = "maxon-re40-148877"', 'motor = "mine.toml"'), "mine.toml"),
        (('"winding.resistance"', '"winding.resistence"'), '"winding.resistence" is no parameter of this Actuator'),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_is_refused(tmp_path, change, sentence):
    """With the file, the field, the value and the remedy."""
    assert change[0] in FILE
    path = written(tmp_path, FILE.replace(*change))
    with pytest.raises(ParameterError) as caught:
        read_sweep_file(path)
    assert str(caught.value).startswith(str(path)) and sentence in str(caught.value)


def test_the_command_refuses_in_one_sentence(tmp_path):
    written(tmp_path, FILE.replace("[space.axes]", "[space.axis]"))
    result = call("sweep", tmp_path / "sweep.toml", "-o", tmp_path / "out")
    assert result.exit_code == 2 and result.output.count("\n") == 1 and "did you mean axes?" in result.output
    assert len(list(tmp_path.iterdir())) == 1


def test_the_files_of_the_documentation_are_sweeps(tmp_path):
    """The first is that of the program above it; the other one asks for the logs that it names."""
    page = (Path(__file__).parent.parent / "docs" / "sweep" / "index.md").read_text(encoding="utf-8")
    runs, fits, *_ = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    asked = read_sweep_file(written(tmp_path, runs))
    program = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
    known: dict[str, object] = {"__name__": "page"}
    exec(program, known)
    space = known["space"]
    assert isinstance(space, be.Space) and asked.space.cases == space.cases == 100 and asked.space.how == space.how
    assert {key: repr(values) for key, values in asked.space.axes.items()} == {
        key: repr(values) for key, values in space.axes.items()
    }
    with pytest.raises(ParameterError, match=r"log = .*monday\.csv.: there is no such file"):
        read_sweep_file(written(tmp_path, fits))


def test_a_motor_that_slides_has_its_units(tmp_path):
    """Kilograms and newtons in a sweep of simulations, in the settings and along the axes."""
    be.save(be.design.Belt(radius=0.01).motor(be.load("maxon-re40-148877").motor), tmp_path / "linear.toml")
    text = FILE.replace("maxon-re40-148877", "linear.toml").replace("kg*cm^2", "kg")
    path = written(tmp_path, text.replace('duration = "10 ms"', 'duration = "10 ms"\nposition = "3 mm"'))
    asked = read_sweep_file(path)
    assert asked.space.axes["load.inertia"] == pytest.approx((0.5, 1.0, 1.5, 2.0))
    assert asked.swept.start["position"] == pytest.approx(3e-3)
    assert asked.swept.unit("load.inertia") == "kg" and asked.swept.unit("end.velocity") == "m/s"
    assert asked.swept.unit("magnet.torque_constant") == "N/A"
