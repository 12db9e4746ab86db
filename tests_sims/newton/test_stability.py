"""Motors on light and heavy links at short and long steps: nothing diverges, and joints rest where they should."""

from __future__ import annotations

import newton
import numpy as np
import pytest
import warp as wp

import backemf as be
from backemf.sims.newton import BackemfDrive, add_armature, fuse
from backemf.sims.newton.articulation import Articulations

MASSES = np.array([0.01, 0.1, 1.0, 10.0])
ARM = 0.1
GRAVITY = 9.81
TARGET = 0.3
FEATHERSTONE, XPBD = newton.solvers.SolverFeatherstone, newton.solvers.SolverXPBD


def with_controller(motor: be.Motor) -> be.Actuator:
    """A motor at its rated voltage under a stiff position controller in volts."""
    rated = 24.0 if motor.ratings is None or motor.ratings.voltage is None else motor.ratings.voltage
    return be.Actuator(motor, be.Supply(voltage=rated), controller=be.PositionPid(kp=30.0, kd=0.5))


def pendulums(actuators: list[be.Actuator], gravity: float = GRAVITY) -> newton.Model:
    """Links of every mass for every actuator, horizontal at 0, their weight 0.1 m from the hinge."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, -gravity))
    for actuator in actuators:
        for mass in MASSES:
            own = wp.mat33(np.eye(3) * 0.1 * mass * ARM**2)
            link = builder.add_link(mass=mass, inertia=own, com=wp.vec3(ARM, 0.0, 0.0))
            hinge = builder.add_joint_revolute(-1, link, axis=wp.vec3(0.0, -1.0, 0.0))
            builder.add_articulation([hinge])
            builder.add_actuator(BackemfDrive, index=builder.joint_dof_count - 1, actuator=actuator)
    return builder.finalize()


def roll(model: newton.Model, dt: float, steps: int, solver=FEATHERSTONE, implicit=True) -> tuple[np.ndarray, ...]:
    """Positions and velocities at the end, and the highest speeds on the way."""
    fuse(model, implicit=implicit, solver=solver)
    add_armature(model)
    engine = solver(model)
    here, there, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, here.joint_q, here.joint_qd, here)
    control.joint_target_q.fill_(TARGET)
    memories = [[x.state(), x.state()] for x in model.actuators]
    top = np.zeros(model.joint_dof_count)
    for _ in range(steps):
        control.joint_f.zero_()
        for actuator, memory in zip(model.actuators, memories, strict=True):
            actuator.step(here, control, *memory, dt=dt)
            memory.reverse()
        here.clear_forces()
        engine.step(here, there, control, None, dt)
        if solver is XPBD:
            newton.eval_ik(model, there, there.joint_q, there.joint_qd)
        here, there = there, here
        top = np.fmax(top, np.nan_to_num(np.abs(here.joint_qd.numpy()), nan=np.inf))
    return here.joint_q.numpy(), here.joint_qd.numpy(), top


def sticking(actuator: be.Actuator) -> float:
    """How far from its aim friction may hold a joint [rad]: friction over stiffness."""
    step = actuator.compile("python")
    _, out = step(step.initial(()), TARGET, TARGET, 0.0, 1e-3)
    friction = 0.0 if actuator.motor.friction is None else actuator.motor.friction.coulomb
    return friction * actuator.motor.ratio / out.torque_stiffness


def settled_by_simulate(actuator: be.Actuator) -> np.ndarray:
    """Where our own simulation comes to rest with the same links."""
    load = be.Pendulum(
        mass=MASSES, length=ARM, inertia=0.1 * MASSES * ARM**2, gravity=GRAVITY, offset=np.pi / 2
    )  # fmt: skip
    return be.simulate(actuator, load, be.commands.Constant(TARGET), duration=2.0, dt=2e-4)["position"][-1]


AK80 = with_controller(be.Datasheet.load("tmotor-ak80-6").motor())


@pytest.mark.parametrize("dt", [0.002, 0.005, 0.02])
def test_light_and_heavy_links_settle_where_simulate_settles(dt):
    """An AK80-6 holds links of 10 g to 10 kg against gravity: the joint torque at rest is their weight's."""
    q, v, top = roll(pendulums([AK80]), dt, round(2.0 / dt))
    assert q == pytest.approx(settled_by_simulate(AK80), abs=2.0 * sticking(AK80) + 2e-4)
    assert np.abs(v).max() < 0.05
    assert top.max() < 24.0 / (6.0 * 0.0909)


def test_an_explicit_step_throws_the_light_links_about():
    """What the implicit step is for: the same links, the torque of the beginning held over 5 ms."""
    _, v, _ = roll(pendulums([AK80]), 0.005, 400, implicit=False)
    assert np.abs(v[:2]).min() > 1.0


@pytest.mark.parametrize("dt", [0.001, 0.005])
def test_xpbd_takes_light_links(dt):
    """XPBD ties bodies to their joints after it has moved them, and knows no armature; motors settle there too."""
    q, _, top = roll(pendulums([AK80]), dt, round(1.0 / dt), XPBD)
    assert q[:3] == pytest.approx(settled_by_simulate(AK80)[:3], abs=2.0 * sticking(AK80) + 2e-3)
    assert top.max() < 10.0


def catalogue() -> list[be.Actuator]:
    """Every motor of the catalogue that a host without a load can hold."""
    found = []
    for name in be.catalog.ids():
        try:
            actuator = with_controller(be.Datasheet.load(name).motor())
            BackemfDrive.resolve_arguments({"actuator": actuator})
        except be.BackemfError:
            continue
        found.append(actuator)
    return found


def test_a_joint_meets_its_armature_once():
    """The inertia of a link about its hinge is m·a² + its own + the rotor's, whatever Newton's mass matrix holds."""
    model = pendulums([AK80])
    add_armature(model)
    joints = Articulations(model)
    joints.refresh(0, model.state(), 1e-3)
    links = 1.1 * MASSES * ARM**2
    np.testing.assert_allclose(joints.arrays.inertia.numpy().ravel(), links + AK80.motor.armature, rtol=1e-5)


@pytest.mark.parametrize("dt, steps", [(0.001, 20), (0.005, 40), (0.02, 100)])
def test_every_motor_of_the_catalogue(dt, steps):
    """No joint is faster than its motor's no-load speed, and one that has come to rest is where it should be."""
    actuators = catalogue()
    assert len(actuators) > 100
    q, v, top = (x.reshape(-1, len(MASSES)) for x in roll(pendulums(actuators, gravity=0.0), dt, steps))
    for k, actuator in enumerate(actuators):
        motor = actuator.motor
        assert motor is not None and actuator.supply is not None
        free = actuator.supply.voltage / (motor.magnet.back_emf_constant * motor.ratio)
        assert top[k].max() < 1.02 * free, motor.name
        resting = np.abs(v[k]) < 1e-4
        off = np.abs(q[k][resting] - TARGET)
        if steps * dt > 1.0:
            assert (off < 1.1 * sticking(actuator) + 1e-3).all(), motor.name


def test_an_arm_of_two_rows():
    """Joints of one arm with actuators of two kinds: a step of 10 ms ends where one of 2 ms does."""
    other = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=2.0))

    def arm() -> newton.Model:
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, -GRAVITY))
        own = wp.mat33(np.eye(3) * 1e-5)
        upper = builder.add_link(mass=0.05, inertia=own, com=wp.vec3(ARM, 0.0, 0.0))
        lower = builder.add_link(mass=0.02, inertia=own, com=wp.vec3(ARM, 0.0, 0.0))
        axis = wp.vec3(0.0, -1.0, 0.0)
        shoulder = builder.add_joint_revolute(-1, upper, axis=axis)
        away = wp.transform(wp.vec3(2.0 * ARM, 0.0, 0.0), wp.quat_identity())
        elbow = builder.add_joint_revolute(upper, lower, parent_xform=away, axis=axis)
        builder.add_articulation([shoulder, elbow])
        for index, actuator in enumerate((AK80, other)):
            builder.add_actuator(BackemfDrive, index=index, actuator=actuator)
        return builder.finalize()

    long, v, _ = roll(arm(), 0.01, 150)
    short, _, _ = roll(arm(), 0.002, 750)
    assert np.abs(v).max() < 1e-2
    assert long == pytest.approx(short, abs=2.0 * sticking(AK80) + 1e-4)
    # the elbow is at rest where its spring bears the lower link's weight
    bends = 0.02 * GRAVITY * ARM * np.cos(long.sum()) / 40.0
    assert long[1] == pytest.approx(TARGET - bends, abs=2e-4)
