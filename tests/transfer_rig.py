"""Written models inside the real MuJoCo, along the motion of the reference duty."""

from dataclasses import replace

import numpy as np

import backemf as be
from backemf.transfer.duty import command_for, complete_actuator, reference_duty, scale_of
from backemf.transfer.exported import law_of, run

HEAVY = 1e6
"""Inertia of the joint, so that its motion is given and dry friction slides [kg·m²]."""


def geared_motor(**parts):
    """A geared motor with everything that a report speaks of."""
    given = {
        "winding": be.Winding(resistance=0.5, inductance=2e-4),
        "magnet": be.Magnet(torque_constant=0.05, back_emf_constant=0.06),
        "rotor": be.Rotor(inertia=2e-5),
        "thermal": be.Thermal(resistance=3.0, capacitance=30.0),
        "friction": be.Coulomb(coulomb=0.004),
        "drag": be.Drag(coefficients=(2e-6,)),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=20.0, efficiency=0.8),)),
        "limits": be.Limits(peak_current=20.0),
        "ratings": be.Ratings(voltage=24.0, current=4.0),
        "name": "a geared motor",
    }
    return be.Motor(**(given | parts))


ACTUATORS = {
    "torque": be.Actuator(geared_motor(), controller=be.Torque()),
    "voltage": be.Actuator(geared_motor(), controller=be.Voltage()),
    "pd": be.Actuator(geared_motor(), controller=be.IdealPd(stiffness=40.0, damping=1.0)),
    "direct": be.Actuator(geared_motor(gearbox=None), controller=be.Voltage()),
    "two-node": be.Actuator(
        geared_motor(
            thermal=be.TwoNodeThermal(
                winding_resistance=1.0, winding_capacitance=15.0, housing_resistance=4.0, housing_capacitance=150.0
            )
        ),
        controller=be.Torque(),
    ),
    "lugre": be.Actuator(
        geared_motor(
            friction=be.LuGre(coulomb=0.004, stiction=0.006, stribeck_velocity=5.0, stiffness=2.0, damping=0.002),
        ),
        controller=be.Voltage(),
    ),
    "load-dependent": be.Actuator(
        geared_motor(friction=be.LoadDependent(coulomb=0.004, load=be.LoadShare(drive=0.05, back=0.08))),
        controller=be.Voltage(),
    ),
    "sagging": be.Actuator(geared_motor(), be.Supply(voltage=24.0, resistance=0.2), controller=be.Voltage()),
}
"""Actuators whose torque MuJoCo gives more or less well."""


def real_torques(mujoco, exported, episode, commands):
    """The torque on the joint that MuJoCo itself computes for a written model along an episode [N·m]."""
    model = mujoco.MjModel.from_xml_string(exported.text)
    model.opt.timestep = episode.dt
    model.opt.gravity[:] = 0.0
    model.body_inertia[-1] = HEAVY
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    inputs = exported.on_joint.actuator.controller.inputs
    still = {"position": episode.position, "velocity": episode.velocity, "effort": 0.0 * episode.velocity}
    targets = [getattr(commands, name) if getattr(commands, name) is not None else still[name] for name in inputs]
    torques = np.zeros(len(episode.velocity))
    for k in range(len(torques)):
        data.qpos[0], data.qvel[0] = episode.position[k], episode.velocity[k]
        data.ctrl[:] = [target[k] for target in targets][: model.nu]
        mujoco.mj_step(model, data)
        torques[k] = data.qfrc_actuator[0] + data.qfrc_passive[0] + data.qfrc_constraint[0]
    return torques


def errors_in_mujoco(mujoco, exported, actuator, timestep=0.002):
    """RMS and worst error of each episode, our own motor against the real MuJoCo [N·m]."""
    full = complete_actuator(actuator)
    found = []
    for episode in reference_duty(scale_of(full), timestep):
        commands = command_for(full, episode.torque, episode.position, episode.velocity)
        theirs = real_torques(mujoco, exported, episode, commands)
        law, state, ours = law_of(full), law_of(full).initial(()), np.zeros(len(theirs))
        for k, (q, w) in enumerate(zip(episode.position, episode.velocity, strict=True)):
            here = be.Command(**{n: x[k] for n, x in vars(commands).items() if x is not None})
            state, ours[k] = run(law, full.controller.inputs, here, q, w, episode.dt, state)
        off = theirs - ours
        found.append((float(np.sqrt(np.mean(off**2))), float(np.abs(off).max())))
    return found


def without(actuator, **parts):
    """The same actuator with other parts of its motor."""
    return replace(actuator, motor=replace(actuator.motor, **parts))
