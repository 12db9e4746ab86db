"""Stages that come with PhysX, as we read them and as PhysX itself does."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import ovphysx
import pytest
from rig import numbers_in_physx

from backemf.sims import physx
from backemf.sims.on_joint import OnJoint

SAMPLES = Path(ovphysx.__file__).parent / "samples" / "data"
DRIVEN = [
    "CartRailDriveAngular.usda",
    "CartRailDriveLinear.usda",
    "links_chain_sample.usda",
    "mixed_base_articulations.usda",
    "two_articulations.usda",
]


@pytest.mark.parametrize("name", DRIVEN)
def test_gains_of_every_drive_are_those_that_physx_has(name):
    """Each stiffness, damping and largest force that we read is that of one joint in PhysX, in its degrees."""
    rows = physx.read_actuators(SAMPLES / name)
    assert rows and all(isinstance(row, OnJoint) for row in rows)
    real = numbers_in_physx(SAMPLES / name, ("jointStiffness", "jointDamping", "jointMaxForce"))
    for attribute, field in (("jointStiffness", "stiffness"), ("jointDamping", "damping")):
        ours = []
        for row in rows:
            degrees = 1.0 if row.joint.endswith(":linear") else math.pi / 180.0
            ours.append(float(f"{getattr(row.actuator.controller, field) * degrees:.6g}"))
        there = Counter(float(f"{value:.6g}") for value in real[attribute])
        assert not Counter(ours) - there, attribute
    limits = Counter(float(f"{row.actuator.limits[0].effort_limit:.6g}") for row in rows if row.actuator.limits)
    assert not limits - Counter(float(f"{value:.6g}") for value in real["jointMaxForce"])


def test_acceleration_drives_are_rows():
    """Of three drives one is a force drive; the other two say why they are not read."""
    rows = physx.read_actuators(SAMPLES / "drive_type_articulation.usda")
    assert [isinstance(row, OnJoint) for row in rows] == [True, False, False]
    assert all("acceleration" in str(row) for row in rows[1:])
