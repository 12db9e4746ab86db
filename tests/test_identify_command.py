"""`backemf identify`, and fits that go on where they were stopped."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig
from test_cli import call

import backemf as be
from backemf.errors import ParameterError
from backemf.identify import ladder

FREE = ("friction.coulomb", "friction.viscous", "friction.stribeck.*", "friction.load.*")
"""Three rungs."""


@cache
def logs() -> list[be.Log]:
    """Three logs of two seconds."""
    return pendulum_logs(seconds=1.5)


def fit(keep: Path | None = None, seed: int = 0) -> be.Fit:
    """A fit of a few laws."""
    return be.identify(logs(), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE, seed=seed, keep=keep)


@cache
def unbroken() -> be.Fit:
    """The fit that nobody stops."""
    return fit()


class Killed(BaseException):
    """As if the process were gone."""


def stop_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> list[int]:
    """Let only so many fits of the ladder happen; the list counts them."""
    solve, done = ladder.solve, [0]

    def counted(*args, **options):
        if done[0] >= steps:
            raise Killed
        done[0] += 1
        return solve(*args, **options)

    monkeypatch.setattr(ladder, "solve", counted)
    return done


@pytest.mark.parametrize("steps", [1, 6])
def test_a_fit_goes_on_to_the_same_bits(tmp_path, monkeypatch, steps):
    """Killed after some steps and begun again, a fit does the rest only and ends where one ends that was not."""
    keep = tmp_path / "fitted.toml.part"
    with monkeypatch.context() as patch, pytest.raises(Killed):
        stop_after(patch, steps)
        fit(keep)
    assert keep.exists() == (steps >= 6)
    done = stop_after(monkeypatch, 1000)
    found = fit(keep)
    again = done[0]
    assert [each.value for each in found.parameters] == [each.value for each in unbroken().parameters]
    assert found.rungs == unbroken().rungs
    assert not keep.exists()
    done[0] = 0
    fit()
    assert done[0] - steps <= again < done[0] + (steps < 6)


def test_another_fit_does_not_go_on_with_it(tmp_path, monkeypatch):
    """Another seed, log or prior begins anew."""
    keep = tmp_path / "fitted.toml.part"
    with monkeypatch.context() as patch, pytest.raises(Killed):
        stop_after(patch, 6)
        fit(keep)
    before = keep.read_text()
    with monkeypatch.context() as patch, pytest.raises(Killed):
        stop_after(patch, 5)
        fit(keep, seed=1)
    assert json.loads(keep.read_text())["key"] != json.loads(before)["key"]
    assert len(json.loads(keep.read_text())["steps"]) == 1


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 1, "steps": 2}', "\0" * 20, "[" * 5000])
def test_a_file_that_is_no_fit_stays(tmp_path, content):
    """What somebody else wrote is not overwritten."""
    keep = tmp_path / "fitted.toml.part"
    keep.write_text(content)
    with pytest.raises(ParameterError, match="is not a fit in progress; remove it"):
        fit(keep)
    assert keep.read_text() == content


@cache
def folder(root: Path) -> Path:
    """Logs, rig and prior as files."""
    root.mkdir()
    for k, log in enumerate(logs()):
        log.save(root / f"swing{k}.csv")
    pendulum_rig().save(root / "rig.toml")
    be.save(off_by(TRUTH, 0.1), root / "prior.toml")
    return root


def command(root: Path, *options: str) -> tuple[str, ...]:
    """The words of a call."""
    logs = [str(root / f"swing{k}.csv") for k in range(3)]
    free = [word for name in FREE for word in ("--free", name)]
    return ("identify", *logs, "--motor", str(root / "prior.toml"), "--rig", str(root / "rig.toml"), *free, *options)


def test_the_command_writes_the_motor_that_it_prints(tmp_path_factory, tmp_path):
    """Numbers, laws and errors are printed; the motor loads, and has the friction that the logs show."""
    root = folder(tmp_path_factory.getbasetemp() / "identify")
    rig = tmp_path / "found-rig.toml"
    out = call(*command(root, "-o", str(tmp_path / "fitted.toml"), "--found-rig", str(rig))).stdout
    assert "fitted" in out and "position [mrad]" in out
    assert "friction.coulomb [N·m]" in out and "always there" in out
    assert f"wrote {tmp_path / 'fitted.toml'}" in out.replace("\n", "")
    drive = be.load(tmp_path / "fitted.toml")
    found = {each.name: each.value for each in unbroken().parameters}
    assert drive.motor.friction.coulomb == pytest.approx(found["motor.friction.coulomb"], rel=1e-3)
    assert drive.motor.friction.viscous == pytest.approx(found["motor.friction.viscous"], rel=1e-3)
    assert not (tmp_path / "fitted.toml.part").exists()
    # nothing of the rig was free
    assert be.Rig.read(rig) == pendulum_rig()


def test_json_has_what_the_fit_has(tmp_path_factory):
    """Errors of held-out logs apart from those of the others, and every number with its interval."""
    root = folder(tmp_path_factory.getbasetemp() / "identify")
    answer = json.loads(call(*command(root, "--hold-out", "0.4", "--json")).stdout)
    assert {error["held_out"] for error in answer["errors"]} == {True, False}
    for each in answer["parameters"]:
        assert each["low"] < each["value"] < each["high"]
    assert np.isfinite([law["gain"] for law in answer["laws"]]).all()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--hold-out", "kp==3"), "kp"),
        (("--hold-out", "1.5"), "must be an expression such as kp==800, or a share such as 0.4"),
        (("-o", "fitted.txt"), "--output fitted.txt"),
        (("--report", "fit.pdf"), "--report fit.pdf"),
        (("--found-rig", "rig.json"), "--found-rig rig.json"),
        (("--seed", "-1"), "seed = -1: must be a whole number of at least 0"),
        (("--hold-out", "number==1 or number==2"), "is more than one comparison"),
        (("--free", "nothing"), "matches nothing of"),
        (("--compare", "colour"), "colour"),
        (("--motor", "no-such-motor"), "no-such-motor"),
    ],
)
def test_bad_options_get_one_sentence(tmp_path_factory, options, sentence):
    """One line on the error stream, exit code 2, no file."""
    root = folder(tmp_path_factory.getbasetemp() / "identify")
    done = call(*command(root, *options))
    assert done.exit_code == 2
    assert sentence in done.stderr and "Traceback" not in done.stderr
