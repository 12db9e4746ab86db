"""Fits to many logs in a sweep: each is the fit that `identify` makes of that log."""

from __future__ import annotations

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig
from test_cli import call

import backemf as be
from backemf.errors import ParameterError

FREE = ["friction.coulomb", "friction.viscous"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two logs, one of which is no log, the prior, and the rig."""
    folder = tmp_path_factory.mktemp("logs")
    pendulum_logs(count=1, seconds=1.5)[0].save(folder / "good.csv")
    (folder / "bad.csv").write_text("time,position\n0,1\n")
    be.save(off_by(TRUTH, 0.0), folder / "prior.toml")
    (folder / "rig.toml").write_text(pendulum_rig().text())
    return folder


def test_every_log_has_a_row(folder):
    """Numbers with their intervals, the error, the laws; a log that cannot be fitted has its sentence."""
    logs = [str(folder / name) for name in ("good.csv", "bad.csv")]
    found = be.sweep(
        "identify", be.Space({"log": logs, "winding.resistance": [3.4, 3.0]}), folder / "out", workers=1,
        motor=str(folder / "prior.toml"), rig=folder / "rig.toml", free=FREE,
    )  # fmt: skip
    assert found.rows == 4 and [case for case, _ in found.failures()] == [2, 3]
    assert "bad.csv" in found.failures()[0][1]
    alone = be.identify([be.read_log(logs[0])], be.load(folder / "prior.toml"), rig=pendulum_rig(), free=FREE)
    for each in alone.parameters:
        assert found[f"found.{each.name}"][0] == pytest.approx(each.value, rel=1e-12)
        assert found[f"low.{each.name}"][0] <= each.value <= found[f"high.{each.name}"][0]
    assert found["fitted.position"][0] == pytest.approx(alone.errors[0].rms, rel=1e-12)
    # another prior, another fit
    name = f"found.{alone.parameters[0].name}"
    assert found[name][0] != found[name][1] and np.isnan(found[name][2:]).all()
    assert found.units[name] == alone.parameters[0].unit
    assert found["laws"][0] == ", ".join(rung.name for rung in alone.rungs if rung.kept)
    # a log that has changed is another sweep
    (folder / "good.csv").write_text((folder / "good.csv").read_text().replace("0.1", "0.2", 1))
    with pytest.raises(ParameterError, match="holds another sweep"):
        be.sweep(
            "identify", be.Space({"log": logs, "winding.resistance": [3.4, 3.0]}), folder / "out", workers=1,
            motor=str(folder / "prior.toml"), rig=folder / "rig.toml", free=FREE,
        )  # fmt: skip


def test_a_file_names_the_logs(folder):
    """Paths count from the folder of the file, and the sweep goes on with what is there."""
    (folder / "sweep.toml").write_text(
        'format = "backemf sweep 1"\nfunction = "identify"\n[identify]\nmotor = "prior.toml"\nrig = "rig.toml"\n'
        f"free = {FREE}\n[space.axes]\n".replace("'", '"')
        + 'log = ["bad.csv"]\n'
    )
    result = call("sweep", folder / "sweep.toml", "-o", folder / "fits", "--workers", 1, width=300)
    assert result.exit_code == 0 and "1 cases in 1 parts" in result.output and "1 failed" in result.output
    assert "case 0: " in result.output and "bad.csv" in result.output
