"""What is in a simulator's file goes through a motor file into every simulator, and means the same there.

The rule that holds everywhere: where the torque along a random motion differs, a row says so.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from actuator_texts import texts
from test_learned_simulators import MLPS, RECURRENT

from backemf import Actuator, DcClip, ParameterError, Supply
from backemf.motorfile import JOINT, dumps, load_with_joint, save
from backemf.sims.on_joint import OnJoint
from backemf.transfer import NAMES, export, read_actuators
from backemf.transfer.duty import command_for, complete_actuator, has_voltage, scale_of
from backemf.transfer.exported import inputs_of, law_of, run
from backemf.transfer.imported import as_written

TEXTS = texts()
DT, STEPS = 0.002, 200
ALIKE = 2e-5
"""Share of the peak torque that the six digits of a text may cost [1]."""


def import_one(name: str, folder: Path) -> OnJoint:
    """The one actuator of a text."""
    ending, text = TEXTS[name]
    path = folder / f"robot{ending}"
    path.write_text(text, encoding="utf-8")
    (found,) = read_actuators(path)
    assert isinstance(found, OnJoint), found
    return found


def motor_file(found: OnJoint) -> str:
    """The text of its motor file."""
    return dumps(found.actuator, {key: getattr(found, "joint" if key == "name" else key) for key in JOINT})


def through_a_file(found: OnJoint, folder: Path) -> OnJoint:
    """The same after it was written to a motor file and read back."""
    own = {key: getattr(found, "joint" if key == "name" else key) for key in JOINT}
    save(found.actuator, folder / "knee.toml", own)
    actuator, joint = load_with_joint(folder / "knee.toml")
    assert joint is not None
    return OnJoint(actuator=actuator, joint=joint.pop("name", ""), **joint)


def torques(own: OnJoint, others: list, seed: int) -> np.ndarray:
    """The torque of each law along the same random motion, under the same targets [N·m]; shape (laws, steps)."""
    rng = np.random.default_rng(seed)
    scale = scale_of(complete_actuator(own))
    drift = np.cumsum(rng.normal(size=STEPS)) / np.sqrt(STEPS)
    velocity = np.clip(0.8 * scale.speed * drift, -1.2 * scale.speed, 1.2 * scale.speed)
    position = DT * np.cumsum(velocity)
    asked = 0.9 * scale.asked * np.sin(np.linspace(0.0, 9.0, STEPS)) * rng.uniform(0.2, 1.0, STEPS)
    laws = [(law_of(each), inputs_of(each)) for each in (own, *others)]
    states = [law.initial(()) for law, _ in laws]
    found = np.zeros((len(laws), STEPS))
    for k in range(STEPS):
        command = command_for(own, asked[k], position[k], velocity[k])
        for j, (law, inputs) in enumerate(laws):
            states[j], found[j, k] = run(law, inputs, command, position[k], velocity[k], DT, states[j])
    return found


def apart(found: np.ndarray) -> float:
    """Largest difference of two torques, over the largest torque [1]."""
    return float(np.abs(found[1] - found[0]).max() / np.abs(found[0]).max())


@pytest.mark.parametrize("name", TEXTS)
def test_what_the_motor_file_does_not_hold_has_a_row(name, tmp_path):
    """The law of the simulator's own file, and that of the motor file made of it."""
    found = import_one(name, tmp_path)
    again = through_a_file(found, tmp_path)
    assert motor_file(again) == motor_file(as_written(found))
    assert apart(torques(again, [found], seed=1)) < 1e-9 or found.losses


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("name", TEXTS)
def test_every_kind_goes_into_every_simulator(name, target, tmp_path):
    """Import, motor file, export: the torque along a random motion agrees, or a row says why not."""
    own = through_a_file(import_one(name, tmp_path), tmp_path)
    if not has_voltage(own) and not target.startswith("mujoco"):
        with pytest.raises(ParameterError, match="no nominal voltage is known: give the supply"):
            export(own, target, "knee", compare=False)
        own = replace(own, actuator=replace(own.actuator, supply=Supply(voltage=24.0)))
    done = export(own, target, "knee", compare=False)
    lost = [loss for loss in done.losses if loss.status != "unknown"]
    assert apart(torques(own, [done.on_joint], seed=2)) < ALIKE or lost
    kept = {loss.phenomenon for loss in done.statuses if loss.status == "kept"}
    for phenomenon, number in {
        "rotor inertia": "armature",
        "viscous drag": "viscous",
        "dry friction": "coulomb",
    }.items():
        if phenomenon in kept and own.actuator.motor is None:
            assert getattr(done.on_joint, number) == pytest.approx(getattr(own, number), rel=1e-5), number


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("name", ["mlp", "lstm"])
def test_a_network_goes_through_files_of_every_simulator_that_runs_one(name, target, tmp_path):
    """Text and network, motor file and network, and the torque of the same network again; the others say so."""
    controller = {"mlp": MLPS["plain"], "lstm": RECURRENT["scaled"]}[name]
    clip = DcClip(saturation_effort=30.0, velocity_limit=15.0, effort_limit=20.0)
    own = Actuator(controller=controller, limits=clip)
    if target not in ("mjlab", "isaaclab") or (name, target) == ("lstm", "mjlab"):
        with pytest.raises(ParameterError, match="has no actuator with a"):
            export(own, target, "knee")
        return
    done = export(own, target, "knee")
    (found,) = read_actuators(done.save(tmp_path / "robot.py"))
    again = through_a_file(found, tmp_path).actuator
    rng = np.random.default_rng(0)
    steps = [each.compile("numpy") for each in (own, again)]
    states = [step.initial(()) for step in steps]
    for _ in range(30):
        target_position, position, velocity = rng.normal(size=3)
        torque = []
        for j, step in enumerate(steps):
            states[j], out = step(states[j], target_position, position, velocity, 0.005)
            torque.append(float(out.torque))
        assert torque[1] == pytest.approx(torque[0], abs=1e-5) or any(x.phenomenon == "controller" for x in done.losses)
