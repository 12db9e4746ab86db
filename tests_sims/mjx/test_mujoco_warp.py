"""Our motors inside MuJoCo Warp: the same robot as with `Motors` on the CPU, in many worlds at once."""

import mujoco
import mujoco_warp as mjw
import numpy as np
import pytest
import warp as wp
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
    quadruped,
    quietly,
    targets,
)  # fmt: skip

import backemf as be
from backemf.sims.mujoco_warp import Motors, engine


def make(model, actuators, worlds=2, **options):
    """Motors, the model on the device, its data and the motors' state."""
    motors = quietly(Motors, model, actuators, **options)
    data = mjw.make_data(model, nworld=worlds)
    return motors, mjw.put_model(model), data, motors.init(data)


@pytest.mark.parametrize(("count", "kinds"), [(1, "full"), (3, "two kinds")])
def test_an_arm_moves_as_with_motors_on_the_cpu(count, kinds):
    """Within single precision: positions, torques and heat in every world."""
    want = arm_on_cpu(count, kinds, 300)
    motors, model, data, state = make(arm(count, inside=clipped_of(count)), ACTUATORS[kinds])
    for told, position, torque, temperature, limit in zip(targets(300, count), *want, strict=True):
        motors.step(model, data, told, state)
        out = motors.output(state)
        np.testing.assert_allclose(data.qpos.numpy(), [position] * 2, atol=1e-5)
        # where the model's own limit cuts it off, the torque is that limit
        given = np.where(limit == 0, torque, 1.5 * np.sign(torque))
        np.testing.assert_allclose(out.torque.numpy(), [given] * 2, atol=1e-3)
        np.testing.assert_allclose(out.winding_temperature.numpy(), [temperature] * 2, atol=1e-3)
        assert out.limit.shape == (2, count) == (2, len(limit))


def test_a_quadruped_stands_as_with_motors_on_the_cpu():
    """Within what MuJoCo Warp and MuJoCo themselves differ with stock actuators."""
    position, torque, stock = legs_on_cpu(100)
    plain = quadruped(STOCK)
    of_stock, moved = mjw.put_model(plain), mjw.make_data(plain, nworld=1)
    motors, model, data, state = make(quadruped("motor"), ON_LEGS, 1)
    start = np.array([[*data.qpos.numpy()[0, :7], *STANCE]], np.float32)
    moved.qpos.assign(start)
    data.qpos.assign(start)
    between_engines, off, wrong = 0.0, 0.0, 0.0
    for k, told in enumerate(leg_targets(100)):
        moved.ctrl.assign(told[None].astype(np.float32))
        mjw.step(of_stock, moved)
        motors.step(model, data, told, state)
        between_engines = max(between_engines, np.abs(moved.qpos.numpy()[0] - stock[k]).max())
        off = max(off, np.abs(data.qpos.numpy()[0] - position[k]).max())
        wrong = max(wrong, np.abs(motors.output(state).torque.numpy()[0] - torque[k]).max())
    assert off <= max(10.0 * between_engines, 1e-5) and wrong < 0.01 * np.abs(torque).max()


def test_worlds_are_independent_and_start_again_by_mask():
    """Worlds whose resistances and targets differ, in one batch and alone; one of them is reset."""
    robot = be.ActuatorSet(["j0", "j1"], {"j.*": be.Actuator(FULL, SUPPLY, controller=PD)})
    varied = robot.randomize({"winding.resistance": be.random.Scale(0.8, 1.2)}, 3, seed=1)
    motors, model, data, state = make(arm(2), varied, 3)
    told = wp.array([[0.1, 0.2], [0.3, 0.1], [0.5, -0.2]], dtype=wp.float32)
    for _ in range(20):
        motors.step(model, data, told, state)
    for k in range(3):
        ohms = varied.groups[0].actuator.motor.winding.resistance[k]
        own = {
            f"j{j}": be.Actuator(
                be.Motor(**{**vars(FULL), "winding": be.Winding(resistance=float(r), inductance=2e-4)}), SUPPLY,
                controller=PD,
            )
            for j, r in enumerate(ohms)
        }  # fmt: skip
        alone, model_of, data_of, state_of = make(arm(2), own, 1)
        for _ in range(20):
            alone.step(model_of, data_of, told.numpy()[k], state_of)
        np.testing.assert_allclose(data_of.qpos.numpy()[0], data.qpos.numpy()[k], atol=1e-6)
    (part,) = motors.states(state)
    before, torque = part.winding_rise.numpy(), state.torque.numpy()
    motors.reset(state, data, wp.array([False, True, False], dtype=wp.bool), winding_rise=7.0)
    after = part.winding_rise.numpy()
    assert (before > 0.0).all() and np.array_equal(after[1], [7.0, 7.0]) and np.array_equal(after[::2], before[::2])
    assert np.array_equal(state.torque.numpy()[::2], torque[::2]) and not state.torque.numpy()[1].any()


def test_a_step_reads_nothing_back(monkeypatch):
    """So that a CUDA graph can hold it: after the first step no array comes to the host."""
    motors, model, data, state = make(arm(2), {"j.*": be.Actuator(FULL, SUPPLY, controller=PD)})
    told = wp.zeros((2, 2), dtype=wp.float32)
    motors.step(model, data, told, state)

    def read(self):
        raise AssertionError("an array is read back")

    monkeypatch.setattr(wp.array, "numpy", read)
    with pytest.raises(AssertionError):
        motors.check(data, state)
    motors.step(model, data, told, state)
    motors.reset(state, data)


def test_what_does_not_fit_is_said_in_one_sentence(monkeypatch):
    """Patterns, models and data that are not on the device, shapes, numbers and versions."""
    actuator = {"j0": be.Actuator(SMOOTH, SUPPLY, controller=PD)}
    with pytest.raises(be.ParameterError, match=r"actuators\['knee'\] matches no joint; there are j0"):
        Motors(arm(), {"knee": actuator["j0"]})
    before = mjw.put_model(arm())
    plain = arm()
    motors, model, data, state = make(plain, actuator)
    for wrong, said in (
        ((plain, data, 0.0, state), r"Motors.step\(MjModel\): the model is not on the device"),
        ((before, data, 0.0, state), "put on the device before it had its motors"),
        ((model, mujoco.MjData(plain), 0.0, state), "MjData is not on the device"),
        ((model, mjw.make_data(plain, nworld=3), 0.0, state), "this data of 3 worlds has no motors yet"),
        ((model, data, np.zeros(2), state), r"command has the shape \(2,\)"),
        ((model, data, np.nan, state), "joint 'j0': the command of position is nan"),
    ):
        with pytest.raises(be.ParameterError, match=said):
            motors.step(*wrong)
    with pytest.raises(be.ParameterError, match="integrator RK4"):
        motors_of, model_of, data_of, state_of = make(arm(integrator="RK4"), actuator)
        motors_of.step(model_of, data_of, 0.0, state_of)
    with pytest.raises(be.ParameterError, match=r"mask: must be a wp.array of wp.bool"):
        motors.reset(state, data, np.array([True, False]))
    data.qvel.fill_(np.nan)
    with pytest.raises(be.SimulationError, match="world 0, joint 'j0': the position, speed or torque is not finite"):
        motors.check(data, state)
    monkeypatch.setattr(engine.metadata, "version", lambda name: "3.11.0")
    with pytest.raises(be.ParameterError, match=r"mujoco-warp 3.11.0 is installed, and its motors need 4.0 or newer"):
        Motors(arm(), actuator)
