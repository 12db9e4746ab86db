"""Tasks and motors for the tests of sizing."""

import os
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

import backemf as be
from backemf.size import import_pairs

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "maxon_catalogue"


def motor(name: str = "m", ratio: float = 10.0, efficiency: float = 1.0, **changes: object) -> be.Motor:
    """A small motor with a gear, without friction."""
    given = {
        "winding": be.Winding(resistance=0.5, inductance=2e-4),
        "magnet": be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        "rotor": be.Rotor(inertia=2e-5),
        "thermal": be.TwoNodeThermal(
            winding_resistance=2.0, winding_capacitance=5.0, housing_resistance=5.0, housing_capacitance=40.0
        ),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=ratio, efficiency=efficiency),)),
        "ratings": be.Ratings(winding_temperature=125.0),
        "name": name,
    }
    return be.Motor(**(given | changes))


def task(**changes: object) -> be.Task:
    """An inertia that is turned by 90° and back, over and over."""
    joint = be.JointTask(motion=be.TriangleMove(angle=1.5, duration=0.5), load=be.Inertia(0.08))
    given = {"joints": {"joint": joint}, "supply": be.Supply(voltage=48.0), "wanted": "energy"}
    return be.Task(**(given | changes))


@cache
def maxon() -> be.Candidates:
    """The pairs of the public catalogue of maxon; skips where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no maxon catalogue at {DATA}: set BACKEMF_DATA to the folder of measurements")
    return be.Candidates.read(import_pairs(DATA, mkdtemp()).folder)
