"""Every kind of mjlab's actuators with every controller: what is called kept gives the same torque when read back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf import ParameterError
from backemf.sims import mjlab
from backemf.sims.mjlab.kinds import CLASSES
from backemf.transfer.exported import law_of

MOTOR = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-5),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
    ratings=be.Ratings(voltage=200.0),
)
SUPPLY = be.Supply(voltage=200.0)
LINE = be.DcClip(saturation_effort=23.0, velocity_limit=30.0, effort_limit=9.0)
FLAT = be.EffortLimit(effort_limit=9.0)
TORQUES = {
    "Torque": be.Torque(),
    "IdealPd": be.IdealPd(stiffness=31.7, damping=0.8),
    "IdealPd, position": be.IdealPd(stiffness=31.7, damping=0.8, listens=("position",)),
    "IdealPd, position and velocity": be.IdealPd(stiffness=31.7, damping=0.8, listens=("position", "velocity")),
    "IdealPd, undamped": be.IdealPd(stiffness=31.7),
    "IdealPd, damping alone": be.IdealPd(stiffness=0.0, damping=2.0),
    "IdealPd, no gains": be.IdealPd(stiffness=0.0),
    "TorquePid": be.TorquePid(kp=20.0, kd=0.5),
    "TorquePid, integral": be.TorquePid(kp=20.0, ki=9.0, kd=0.5),
    "TorquePid, velocity": be.TorquePid(kd=2.0, follows="velocity"),
    "TorquePid, velocity alone": be.TorquePid(kp=3.0, kd=2.0, follows="velocity", listens=("velocity",)),
    "TorquePid, velocity and position": be.TorquePid(kp=3.0, kd=2.0, follows="velocity"),
}
VOLTS = {
    "Voltage": be.Voltage(),
    "PositionPid": be.PositionPid(kp=11.0, ki=3.0, kd=0.4),
    "PositionPid, no gain": be.PositionPid(kp=0.0, kd=1.0),
    "VelocityPi": be.VelocityPi(kp=3.0, ki=2.0),
    "DutyServo": be.DutyServo(kp=2.0),
    "ModeSelector": be.ModeSelector(velocity=be.VelocityPi(kp=3.0)),
}
ACTUATORS = (
    {name: be.Actuator(controller=c, limits=(FLAT,)) for name, c in TORQUES.items()}
    | {f"{name}, motor": be.Actuator(MOTOR, SUPPLY, controller=c) for name, c in TORQUES.items()}
    | {f"{name}, motor": be.Actuator(MOTOR, SUPPLY, controller=c) for name, c in VOLTS.items()}
)
REFUSED, CHANGED, KEPT = "refused", "approximated", "kept"
PD_KINDS = ("dc_motor", "ideal_pd", "builtin_pd")
IN_TORQUE = {
    "PositionPid": (*PD_KINDS, "builtin_position"),
    "PositionPid, no gain": (*PD_KINDS, "builtin_velocity"),
    "VelocityPi": (*PD_KINDS, "builtin_velocity"),
    "DutyServo": (*PD_KINDS, "builtin_position"),
    "ModeSelector": ("dc_motor", "ideal_pd"),
}
"""Kinds that take a controller in volts as one in torque."""


def expected_status(kind: str, name: str) -> str:
    """What has to become of a controller, by the torque that each side gives."""
    controller, motor = name.removesuffix(", motor"), name.endswith("motor")
    if kind == "builtin_dc_motor":
        if controller in ("PositionPid", "VelocityPi", "Voltage"):
            return KEPT
        gained = controller.startswith(("IdealPd", "TorquePid")) and "velocity a" not in controller
        zero = controller in ("IdealPd, damping alone", "IdealPd, no gains", "TorquePid, velocity")
        return CHANGED if motor and gained and not zero else REFUSED
    if controller in VOLTS:
        return CHANGED if kind in IN_TORQUE.get(controller, ()) else REFUSED
    if kind == "builtin_motor":
        return KEPT if controller == "Torque" else REFUSED
    if kind == "learned_mlp":
        return REFUSED
    if kind in ("dc_motor", "ideal_pd"):
        return CHANGED if controller == "TorquePid, velocity and position" else KEPT
    if controller in ("Torque", "IdealPd, no gains"):
        return REFUSED
    if kind == "builtin_pd":
        return CHANGED if controller == "TorquePid, velocity and position" else KEPT
    damped = controller in ("IdealPd, damping alone", "TorquePid, velocity", "TorquePid, velocity alone")
    if kind == "builtin_velocity":
        return KEPT if damped else REFUSED
    return REFUSED if damped or controller == "TorquePid, velocity and position" else KEPT


@pytest.mark.parametrize("name", ACTUATORS)
@pytest.mark.parametrize("kind", CLASSES)
def test_what_is_called_kept_gives_the_same_torque(kind: str, name: str):
    """Along a random motion, under those targets that no row calls lost, as mjlab commands them: others are 0."""
    actuator, wanted = ACTUATORS[name], expected_status(kind, name)
    if kind == "dc_motor" and actuator.motor is None:
        actuator = replace(actuator, limits=(LINE,))
    if wanted == REFUSED:
        with pytest.raises(ParameterError, match=r"kind = .*|stiffness and damping are not known"):
            mjlab.write(actuator, ("knee",), kind)
        return
    written = mjlab.write(actuator, ("knee",), kind)
    rows = {loss.phenomenon: loss.status for loss in written.statuses}
    assert rows["controller"] == wanted, [str(loss) for loss in written.losses]
    found = mjlab.read_actuator(written.text).actuator
    (configured,) = mjlab.read_configs(written.text)
    assert found.controller.inputs == configured.listens
    heard = [target for target in actuator.controller.inputs if rows.get(ROWS.get(target, "")) != "dropped"]
    if wanted == KEPT:
        own = actuator if rows.get("integral") != "dropped" else replace(actuator, controller=no_integral(actuator))
        # a motor's voltage is enough for all that is asked at these speeds
        fastest = 40.0 if actuator.motor is None else 5.0
        ours, theirs = along(own, heard, None, fastest), along(found, heard, 0.0, fastest)
        assert np.abs(ours).max() > 0.1
        assert theirs == pytest.approx(ours, rel=1e-6, abs=1e-6)


ROWS = {"position": "position target", "velocity": "velocity target", "effort": "feedforward"}


def no_integral(actuator: be.Actuator):
    return replace(actuator.controller, ki=None)


def along(actuator: be.Actuator, heard: list[str], otherwise: float | None, fastest: float) -> np.ndarray:
    """Torques along a random motion; inputs that are not heard are left out, or as given [N·m]."""
    draw, law = np.random.default_rng(5), law_of(actuator)
    state, torques = law.initial(()), []
    for _ in range(50):
        position, velocity = draw.uniform(-0.3, 0.3), fastest * draw.uniform(-1.0, 1.0)
        targets = {name: draw.uniform(-1.0, 1.0) for name in ("position", "velocity", "effort", "voltage")}
        told = {name: targets[name] if name in heard else otherwise for name in actuator.controller.inputs}
        state, torque = law.step(state, be.Command(**told), position, velocity, 2e-3)
        torques.append(float(torque))
    return np.array(torques)
