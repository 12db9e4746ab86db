"""Friction that grows with the load: the family M1..M6."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.physics.mechanics import friction_budget


def restate(model: str, p: dict, w, tm, te):
    """The published formulas, plainly: w speed, tm torque of the motor, te torque of the load."""
    budget = p["kc"] + p["kv"] * np.abs(w)
    fade = np.exp(-(np.abs(w / p["ws"]) ** p["alpha"]))
    if model == "m1":
        return budget
    if model == "m2":
        return budget + fade * p["kcs"]
    if model == "m3":
        return budget + p["kl"] * np.abs(tm - te)
    if model == "m4":
        return budget + p["kl"] * np.abs(tm - te) + fade * (p["kcs"] + p["kls"] * np.abs(tm - te))
    m5 = budget + np.abs(p["km"] * tm - p["ke"] * te) + fade * (p["kcs"] + np.abs(p["kms"] * tm - p["kes"] * te))
    if model == "m5":
        return m5
    quadratic = np.where(np.abs(tm) > np.abs(te), p["keq"] * te**2, p["kmq"] * tm**2)
    return m5 + fade * np.where(tm * te < 0, quadratic, 0.0)


def ours(model: str, p: dict) -> be.LoadDependent:
    """The same member of the family as our parameter groups."""
    number = int(model[1])
    shared, split = be.LoadShare(drive=p["kl"], back=p["kl"]), be.LoadShare(drive=p["km"], back=p["ke"])
    at_rest = {4: be.LoadShare(drive=p["kls"], back=p["kls"]), 5: be.LoadShare(drive=p["kms"], back=p["kes"])}
    at_rest[6] = at_rest[5]
    stribeck = None
    if number in (2, 4, 5, 6):
        stribeck = be.Stribeck(velocity=p["ws"], exponent=p["alpha"], coulomb=p["kcs"], load=at_rest.get(number))
    return be.LoadDependent(
        coulomb=p["kc"],
        viscous=p["kv"],
        stribeck=stribeck,
        load={3: shared, 4: shared, 5: split, 6: split}.get(number),
        quadratic=be.QuadraticShare(drive=p["kmq"], back=p["keq"]) if number == 6 else None,
    )


NAMES = {
    "kc": "friction_base", "kv": "friction_viscous", "kcs": "friction_stribeck", "ws": "dtheta_stribeck",
    "alpha": "alpha", "kl": "load_friction_base", "kls": "load_friction_stribeck", "km": "load_friction_motor",
    "ke": "load_friction_external", "kms": "load_friction_motor_stribeck",
    "kes": "load_friction_external_stribeck", "kmq": "load_friction_motor_quad", "keq": "load_friction_external_quad",
}  # fmt: skip
"""Our short names and those of the published parameter files."""


@pytest.mark.parametrize("model", ["m1", "m2", "m3", "m4", "m5", "m6"])
def test_the_budget_is_the_published_formula(model):
    """Each member of the family on 2000 random sets of parameters, speeds and torques."""
    rng = np.random.default_rng(11)
    n = 2000
    p = {name: 10 ** rng.uniform(-3, 0, n) for name in NAMES}
    p["ws"], p["alpha"] = 10 ** rng.uniform(-2, 1, n), rng.uniform(0.5, 9.0, n)
    w, tm, te = (rng.normal(size=n) * 10 ** rng.uniform(-2, 1, n) for _ in range(3))
    budget = friction_budget(ours(model, p), w, tm, te)
    assert budget == pytest.approx(restate(model, p, w, tm, te), rel=1e-13)


def motor(friction, inertia=1e-3, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=2.0),
        magnet=be.Magnet(torque_constant=0.4, back_emf_constant=0.4),
        rotor=be.Rotor(inertia=inertia),
        friction=friction,
        **parts,
    )


SIX = {
    "kc": 0.01, "kv": 0.003, "kcs": 0.02, "ws": 2.0, "alpha": 1.5, "kl": 0.1, "kls": 0.05, "km": 0.2, "ke": 0.05,
    "kms": 0.03, "kes": 0.08, "kmq": 0.01, "keq": 0.02,
}  # fmt: skip


@pytest.mark.parametrize("model", ["m1", "m2", "m3", "m4", "m5", "m6"])
def test_friction_is_the_budget_or_what_stops_the_joint(model):
    """Over a step friction is clip(J·w/dt + tm + te, ±F): the budget while sliding, the balance while sticking."""
    inertia, dt = 1e-3, 2e-3
    step = motor(ours(model, SIX), inertia).compile("numpy")
    rng = np.random.default_rng(12)
    stuck = 0
    for _ in range(300):
        volts, speed = rng.normal() * 0.2, rng.choice([0.0, 0.02]) * rng.normal()
        te, load_inertia = rng.normal() * 0.02, 2e-3
        _, out = step(step.initial(), volts, 0.0, speed, dt, te, load_inertia)
        tm = 0.4 * (volts - 0.4 * speed) / 2.0
        budget = restate(model, SIX, speed, tm, te)
        stopping = (inertia + load_inertia) * speed / dt + tm + te
        friction = np.clip(stopping, -budget, budget)
        stuck += abs(stopping) < budget
        assert out.torque == pytest.approx(tm - friction, rel=1e-12, abs=1e-14)
    assert 30 < stuck < 270


def test_driving_and_being_driven_differ():
    """With separate coefficients the same torques rub differently when motor and load change places."""
    friction = ours("m5", SIX)
    assert friction_budget(friction, 1.0, 0.8, -0.2) != pytest.approx(friction_budget(friction, 1.0, -0.2, 0.8))


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 0.3])
def test_stiction_never_injects_energy(dt):
    """A shorted motor with load-dependent friction only loses kinetic energy, and friction's heat is never negative."""
    rng = np.random.default_rng(13)
    n = 500
    p = {name: 10 ** rng.uniform(-3, 0, n) for name in NAMES}
    p["alpha"] = rng.uniform(0.5, 9.0, n)
    rubbing = motor(ours("m6", p), 10 ** rng.uniform(-5, -1, n))
    run = be.simulate(rubbing, be.Inertia(inertia=1e-3), 0.0, 50 * dt, dt, velocity=rng.normal(size=n) * 20)
    assert (np.diff(run["velocity"] ** 2, axis=0) <= 0).all()
    assert (run["friction_power"] >= 0).all()


def test_a_weight_that_friction_carries_does_not_sink():
    """A load within the budget at rest is held still for ever, though the budget depends on that load."""
    friction = ours("m6", SIX)
    te = -0.02
    assert abs(te) < restate("m6", SIX, 0.0, 0.0, te)
    run = be.simulate(motor(friction), be.ConstantTorque(torque=te), 0.0, duration=1.0, dt=1e-3)
    assert (run["position"] == 0.0).all()


def published_files() -> list[Path]:
    folder = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
    return sorted((folder / "bam_published_params").rglob("m[1-6].json"))


def test_published_servos_load_and_rub():
    """Every published parameter set gives a motor whose friction is finite, positive and the published formula."""
    files = published_files()
    if not files:
        pytest.skip("no published servo parameters: set BACKEMF_DATA to the folder of measurements")
    rng = np.random.default_rng(14)
    w, tm, te = rng.normal(size=200) * 5, rng.normal(size=200), rng.normal(size=200)
    for file in files:
        given = json.loads(file.read_text())
        p = {short: abs(given.get(long, 1.0 if short in ("ws", "alpha") else 0.0)) for short, long in NAMES.items()}
        friction = ours(given["model"], p)
        budget = friction_budget(friction, w, tm, te)
        assert np.isfinite(budget).all() and (budget >= 0).all(), file
        assert budget == pytest.approx(restate(given["model"], p, w, tm, te), rel=1e-12), file
        servo = be.Motor(
            # torque-controlled ones are published without a resistance
            winding=be.Winding(resistance=given.get("R", 1.0)),
            magnet=be.Magnet(torque_constant=given["kt"], back_emf_constant=given["kt"]),
            rotor=be.Rotor(inertia=given["armature"]),
            friction=friction,
        ).compile("numpy")
        _, out = servo(servo.initial(200), 5.0, 0.0, w, 1e-3, te, 1e-2)
        rubbed = out.motor_torque - out.torque
        assert (np.abs(rubbed) <= friction_budget(friction, w, out.motor_torque, te) * (1 + 1e-9)).all(), file
