"""Our motors inside MJX: the same robot as with `Motors` on the CPU, batched and with gradients."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pytest
from mujoco import mjx
from rig import (
    ACTUATORS,
    FULL,
    ON_LEGS,
    PD,
    SMOOTH,
    STANCE,
    STOCK,
    SUPPLY,
    arm,
    arm_on_cpu,
    clipped_of,
    leg_targets,
    legs_on_cpu,
    motor,
    quadruped,
    quietly,
    targets,
)  # fmt: skip

import backemf as be
from backemf.engines.jax_engine import doubles
from backemf.sims.mjx import Motors, engine, law


def make(model, actuators, **options):
    """Motors, the model on the device, its data and the motors' state."""
    motors = quietly(Motors, model, actuators, **options)
    data = mjx.make_data(model)
    return motors, mjx.put_model(model), data, motors.init(data)


def run(motors, model, data, state, commands):
    """Positions and outputs over steps, and where they end."""

    def step(carry, told):
        data, state = motors.step(model, carry[0], told, carry[1])
        return (data, state), (data.qpos, motors.output(state))

    return jax.jit(lambda *start: jax.lax.scan(step, start, jnp.asarray(commands)))(data, state)


@pytest.mark.parametrize(("count", "kinds"), [(1, "full"), (3, "two kinds")])
def test_an_arm_moves_as_with_motors_on_the_cpu(count, kinds):
    """Both integrate the same forces, so that only rounding is left: positions, torques, heat and limits."""
    steps = 300
    want = arm_on_cpu(count, kinds, steps)
    _, (position, out) = run(*make(arm(count, inside=clipped_of(count)), ACTUATORS[kinds]), targets(steps, count))
    assert np.abs(want[0]).max() > 0.1
    np.testing.assert_allclose(position, want[0], atol=1e-11)
    free = want[3] == 0
    np.testing.assert_allclose(out.torque[free], want[1][free], atol=1e-9)
    np.testing.assert_allclose(np.abs(out.torque[~free]), 1.5, atol=1e-9)
    np.testing.assert_allclose(out.winding_temperature, want[2], atol=1e-9)
    assert np.array_equal(out.limit, want[3]) and (want[3] != 0).any() == (count == 1)


def test_a_quadruped_stands_as_with_motors_on_the_cpu():
    """Within what MJX and MuJoCo themselves differ with stock actuators, or rounding."""
    steps = 100
    position, torque, stock = legs_on_cpu(steps)
    plain = quadruped(STOCK)
    start = jnp.array([*mjx.make_data(plain).qpos[:7], *STANCE])
    of_stock = mjx.put_model(plain)

    def step(data, told):
        data = mjx.step(of_stock, data.replace(ctrl=told))
        return data, data.qpos

    ours = jax.jit(lambda data: jax.lax.scan(step, data, jnp.asarray(leg_targets(steps)))[1])(
        mjx.make_data(plain).replace(qpos=start)
    )
    between_engines = np.abs(ours - stock).max()
    motors, model, data, state = make(quadruped("motor"), ON_LEGS)
    _, (found, out) = run(motors, model, data.replace(qpos=start), state, leg_targets(steps))
    assert np.abs(found - position).max() <= max(3.0 * between_engines, 1e-11)
    np.testing.assert_allclose(out.torque, torque, atol=1e-8)
    assert np.abs(torque).max() > 3.0


def test_gradients_are_those_of_finite_differences():
    """Of where the arm ends, by the target, by a motor's resistance and by the speed it begins with."""
    motors, model, data, _ = make(arm(1), {"j.*": be.Actuator(SMOOTH, SUPPLY, controller=PD)})

    def end(target, resistance, speed):
        (group,) = motors.actuators
        wound = replace(group.motor, winding=replace(group.motor.winding, resistance=resistance))
        begun = data.replace(qvel=jnp.array([speed]))

        def step(carry, _):
            return motors.step(model, carry[0], target, carry[1], (replace(group, motor=wound),)), None

        return jax.lax.scan(step, (begun, motors.init(begun)), None, length=4)[0][0].qpos[0]

    end_at = jax.jit(end)
    found = jax.jit(jax.grad(end, argnums=(0, 1, 2)))(0.4, 0.5, 0.7)
    for k, slope in enumerate(found):
        step = 1e-5 * np.eye(3)[k]
        here = np.array([0.4, 0.5, 0.7])
        want = (end_at(*(here + step)) - end_at(*(here - step))) / 2e-5
        assert slope == pytest.approx(float(want), rel=1e-5) and abs(want) > 1e-6


def test_environments_side_by_side_are_those_one_by_one_and_start_again_by_mask():
    """A batch whose resistances and targets differ, stepped by vmap; one of them is reset."""
    robot = be.ActuatorSet(["j0", "j1"], {"j.*": be.Actuator(FULL, SUPPLY, controller=PD)})
    varied = robot.randomize({"winding.resistance": be.random.Scale(0.8, 1.2)}, 3, seed=1)
    motors, model, one, _ = make(arm(2), varied)
    many = jax.vmap(lambda speed: one.replace(qvel=jnp.array([speed, 0.0])))(jnp.arange(3.0))
    state, told = motors.init(many), jnp.array([[0.1, 0.2], [0.3, 0.1], [0.5, -0.2]])
    assert motors.robot.groups[0].actuator.motor.winding.resistance.shape == (3, 2)
    step = jax.jit(jax.vmap(motors.step, in_axes=(None, 0, 0, 0, motors.axes)))
    for _ in range(3):
        many, state = step(model, many, told, state, motors.actuators)
    alone = jax.jit(motors.step)
    for k in range(3):
        own = jax.tree.map(lambda x, k=k: x[k] if np.ndim(x) > 1 else x, motors.actuators)
        data = one.replace(qvel=jnp.array([float(k), 0.0]))
        kept = motors.init(data)
        for _ in range(3):
            data, kept = alone(model, data, told[k], kept, own)
        np.testing.assert_allclose(many.qpos[k], data.qpos, atol=1e-14)
        np.testing.assert_allclose(motors.output(state).current[k], motors.output(kept).current, atol=1e-12)
    fresh = motors.reset(state, many, jnp.array([False, True, False]), winding_rise=7.0)
    (before,), (after,) = motors.states(state), motors.states(fresh)
    assert (np.asarray(before.winding_rise) > 0.0).all()
    assert np.array_equal(after.winding_rise[1], [7.0, 7.0]) and np.array_equal(after.current[1], [0.0, 0.0])
    assert np.array_equal(after.winding_rise[::2], before.winding_rise[::2])
    assert np.array_equal(fresh.torque[1], [0.0, 0.0]) and np.array_equal(fresh.torque[::2], state.torque[::2])
    with pytest.raises(be.ParameterError, match=r"numbers for 3 environments: step by jax.vmap"):
        motors.step(model, one, 0.0, motors.init(one))


def test_friction_holds_in_single_precision():
    """A joint that Coulomb friction and gears hold against gravity stays, though float32 rounds its speed."""
    with doubles(False):
        motors, model, data, _ = make(arm(3), {"j.*": be.Actuator(FULL, SUPPLY, controller=be.Voltage())})
        data = data.replace(qpos=jnp.array([0.004, 0.002, -0.002], jnp.float32))
        (_, kept), (position, _) = run(motors, model, data, motors.init(data), np.zeros((200, 3), np.float32))
        assert position.dtype == jnp.float32 and np.abs(np.asarray(kept.torque)).max() > 0.01
        assert np.abs(position[-1] - data.qpos).max() < 1e-5


def test_mjx_refuses_a_dcmotor_and_takes_it_with_our_motor():
    """What `export` writes for MuJoCo is no model of MJX's; with motors on its joints it is."""
    dcmotor = 'dcmotor motorconst="0.05" resistance="1"'
    with pytest.raises(NotImplementedError, match="DCMOTOR"):
        mjx.put_model(arm(1, act=dcmotor))
    motors, model, data, state = make(arm(1, act=dcmotor), {"j0": be.Actuator(SMOOTH, SUPPLY, controller=PD)})
    assert float(jax.jit(motors.step)(model, data, 0.3, state)[0].qvel[0]) > 0.0


def test_the_law_is_that_of_stock_actuators():
    """Gain and bias of a `<position>`, clipped to its range."""
    forward = jax.jit(mjx.forward)
    model = arm(1, act='position kp="3" kv="0.5" forcerange="-0.4 0.4"')
    for told, length, velocity in ((0.2, 0.1, 0.3), (2.0, 0.1, 0.3)):
        data = mjx.make_data(model).replace(
            qpos=jnp.array([length]), qvel=jnp.array([velocity]), ctrl=jnp.array([told])
        )
        given = forward(mjx.put_model(model), data).actuator_force[0]
        want = law.actuator_force((3.0, 0.0, 0.0), (0.0, -3.0, -0.5), told, 2 * length, 2 * velocity, -0.4, 0.4)
        assert float(given) == pytest.approx(want, abs=1e-12)


# --- one sentence


def test_what_does_not_fit_is_said_in_one_sentence(monkeypatch):
    """Patterns, models and data that are not on the device, shapes, numbers and versions."""
    actuator = {"j0": be.Actuator(SMOOTH, SUPPLY, controller=PD)}
    with pytest.raises(be.ParameterError, match=r"actuators\['knee'\] matches no joint; there are j0"):
        Motors(arm(), {"knee": actuator["j0"]})
    before = mjx.put_model(arm())
    plain = arm()
    motors, model, data, state = make(plain, actuator)
    for wrong, said in (
        ((plain, data, 0.0, state), r"Motors.step\(MjModel\): the model is not on the device"),
        ((before, data, 0.0, state), "put on the device before it had its motors"),
        ((model, mujoco.MjData(plain), 0.0, state), "MjData is not on the device"),
        ((model, data, np.zeros(2), state), r"command has the shape \(2,\)"),
        ((model, data, np.nan, state), "joint 'j0': the command of position is nan"),
        ((model, data, {"j1": 0.0}, state), "joint 'j1' has no motor"),
        ((model, data, 0.0, None), "the state must be that of motors.init"),
        ((model, jax.tree.map(lambda x: x[None], data), 0.0, state), "data of 1 environments; step them by jax.vmap"),
    ):
        with pytest.raises(be.ParameterError, match=said):
            motors.step(*wrong)
    with pytest.raises(be.ParameterError, match="integrator RK4"):
        other = arm(integrator="RK4")
        motors_of, model_of, data_of, state_of = make(other, actuator)
        motors_of.step(model_of, data_of, 0.0, state_of)
    with pytest.raises(be.ParameterError, match="telemetry names 'speed': these motors have torque"):
        quietly(Motors, arm(), actuator, telemetry=("speed",))
    unknown = data.replace(qvel=jnp.array([np.nan]))
    with pytest.raises(be.ParameterError, match="joint 'j0' of the data has a position or speed that is not finite"):
        motors.init(unknown)
    with pytest.raises(be.SimulationError, match="joint 'j0': the position, speed or torque is not finite"):
        motors.check(unknown, state)
    motors.check(data, state)
    monkeypatch.setattr(engine.metadata, "version", lambda name: "3.3.0")
    with pytest.raises(be.ParameterError, match=r"mujoco-mjx 3.3.0 is installed, and its motors need 3.17 or newer"):
        Motors(arm(), actuator)


def test_an_environment_that_is_not_finite_recovers_with_its_data():
    """The step keeps the heat and forgets the rest."""
    motors, model, data, state = make(arm(), {"j0": be.Actuator(motor(friction=be.Coulomb(coulomb=0.01)), SUPPLY)})
    step = jax.jit(motors.step)
    _, lost = step(model, data.replace(qvel=jnp.array([np.nan])), 6.0, state)
    after, found = step(model, data, 6.0, lost)
    assert np.isfinite(after.qvel).all() and np.isfinite(motors.output(found).torque).all()
