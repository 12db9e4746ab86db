"""`Motors.output` is what the joints got: the torque in MuJoCo's own balance of forces, and the motor behind it."""

import warnings

import numpy as np
import pytest
from mujoco_rig import mujoco
from test_mujoco_plugin import FULL, GRAVITY, INTEGRATORS, SAGGING, chain, hinges, motor, square

import backemf as be
from backemf.errors import ParameterError
from backemf.physics.state import TORQUE
from backemf.sims.mujoco import Motors

SERVO = be.Actuator(FULL, SAGGING, controller=be.IdealPd(stiffness=40.0, damping=1.0))
STICKY = be.Actuator(motor(friction=be.Coulomb(coulomb=0.05)), controller=be.IdealPd(stiffness=20.0, damping=0.5))
IDEAL = be.Actuator(controller=be.IdealPd(stiffness=20.0, damping=0.5), limits=(be.EffortLimit(effort_limit=2.0),))
WORN = be.Actuator(motor(backlash=0.02), controller=be.IdealPd(stiffness=20.0, damping=0.5))
FINE = be.Actuator(FULL, SAGGING, controller=be.IdealPd(stiffness=40.0, damping=1.0), substeps=4)


def impulse(model, data, before, velocity) -> np.ndarray:
    """Torque that moved each joint over a step beside all that MuJoCo knows of: M·(v' - v)/h + bias - all else."""
    dense = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, dense, before.qM)
    except (AttributeError, TypeError):
        mujoco.mj_fullM(model, before, dense)
    moved = dense @ (data.qvel - velocity) / model.opt.timestep
    bias = before.qfrc_bias.copy()
    if model.opt.integrator == int(mujoco.mjtIntegrator.mjINT_IMPLICIT):
        # takes what turning joints do to each other implicitly too: a square of the speeds, so this slope is exact
        change, ends = data.qvel - velocity, []
        for side in (1.0, -1.0):
            before.qvel[:] = velocity + side * change
            mujoco.mj_fwdPosition(model, before)
            mujoco.mj_fwdVelocity(model, before)
            ends.append(before.qfrc_bias.copy())
        bias += 0.5 * (ends[0] - ends[1])
    return moved + bias - before.qfrc_constraint - before.qfrc_applied


def step_motors(model, motors: Motors, command, data=None, steps: int = 60):
    """Each step: the outputs, and the torque of the balance; the model's joints have no damping of their own."""
    data = mujoco.MjData(model) if data is None else data
    rows = []
    for k in range(steps):
        velocity, before = data.qvel.copy(), mujoco.MjData(model)
        before.qpos[:], before.qvel[:] = data.qpos, data.qvel
        mujoco.mj_forward(model, before)
        motors.step(data, command(k))
        rows.append((motors.output.torque, impulse(model, data, before, velocity)))
    told, got = np.array(rows).swapaxes(0, 1)
    return told, got, data


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("hands", [True, False])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("kind", ["full", "sticky", "ideal", "worn", "substeps"])
def test_the_torque_is_that_of_the_motion(kind: str, count: int, hands: bool, integrator: str):
    """Through an actuator or as an applied force, with slopes, friction that holds, limits, play and substeps."""
    act = {"full": SERVO, "sticky": STICKY, "ideal": IDEAL, "worn": WORN, "substeps": FINE}[kind]
    model = chain(count, integrator=integrator, hands=hands, dt=1e-3)
    target = square(40, 0.6, 10)
    told, got, _ = step_motors(model, Motors(model, {"j.*": act}, engine="numpy"), lambda k: target[k], steps=40)
    assert np.abs(got).max() > 0.3 and np.abs(told - got).max() < 1e-9 * np.abs(got).max()


def test_the_torque_without_implicit_damping():
    """Euler without eulerdamp takes no slope, and the torque is that which it took."""
    model = chain(1, integrator="Euler", options='<flag eulerdamp="disable"/>')
    told, got, _ = step_motors(model, Motors(model, {"j.*": SERVO}, engine="numpy"), lambda k: 0.5)
    assert np.abs(told - got).max() < 1e-9 * np.abs(got).max()


@pytest.mark.parametrize("hands", [True, False])
def test_the_same_through_the_callback(hands: bool):
    """After `mj_step` the output is that of this step, and `mj_forward` does not change it."""
    runs = []
    for way in ("step", "callback"):
        model = chain(2, hands=hands)
        motors, data, seen = Motors(model, {"j.*": SERVO}, engine="numpy"), mujoco.MjData(model), []
        if way == "step":
            for _ in range(40):
                motors.step(data, 0.4)
                seen.append((motors.output.torque, motors.output.current))
        else:
            with motors.install():
                motors.command = 0.4
                for _ in range(40):
                    mujoco.mj_step(model, data)
                    seen.append((motors.output.torque, motors.output.current))
                    motors.command = -3.0
                    mujoco.mj_forward(model, data)
                    assert np.array_equal(motors.output.torque, seen[-1][0])
                    assert np.array_equal(motors.output.current, seen[-1][1])
                    motors.command = 0.4
            assert np.array_equal(motors.output.torque, seen[-1][0])
        runs.append(np.array(seen))
    assert np.abs(runs[0] - runs[1]).max() < 1e-9 * np.abs(runs[0]).max()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_the_model_clips_is_not_told(integrator: str):
    """actuatorfrcrange of the joint cuts the torque, and the output has what is left with the limit's flag."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = chain(2, integrator=integrator, inside='actuatorfrcrange="-0.5 0.5"', gravity=0.0)
        motors = Motors(model, {"j.*": IDEAL}, engine="numpy")
    told, got, data = step_motors(model, motors, lambda k: 0.6, steps=20)
    assert np.abs(told - got).max() < 1e-9 * np.abs(got).max()
    assert np.abs(data.qfrc_actuator).max() == pytest.approx(0.5) and (motors.output.limit & TORQUE).any()


def test_a_force_of_another_actuator_is_not_told():
    """A tendon beside the motor has a force of its own, with and without the joint's range."""
    for inside in ("", 'actuatorfrcrange="-0.5 0.5"'):
        text = (
            '<mujoco><option timestep="0.002" integrator="implicitfast" gravity="0 0 0"/><worldbody><body>'
            f'<joint name="j0" axis="0 0 1" {inside}/><inertial pos="0 0 0" mass="1" diaginertia=".02 .02 .02"/></body>'
            '</worldbody><tendon><fixed name="t"><joint joint="j0" coef="1"/></fixed></tendon><actuator>'
            '<motor name="j0" joint="j0"/><motor name="t" tendon="t"/></actuator></mujoco>'
        )
        model = mujoco.MjModel.from_xml_string(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motors = Motors(model, {"j0": be.Actuator(controller=be.Torque())}, engine="numpy")
        data = mujoco.MjData(model)
        data.ctrl[1] = 0.3
        motors.step(data, 0.4)
        # 0.4 and 0.3 together are cut to 0.5: of ours, 0.2 is left
        assert motors["j0"].torque == pytest.approx(0.2 if inside else 0.4, rel=1e-12)
        assert data.qvel[0] == pytest.approx(2e-3 * (0.5 if inside else 0.7) / 0.02, rel=1e-12)


def grouped_flywheels(count: int = 2, off: int = 0):
    """Two flywheels whose actuators are of the groups 1 and 2."""
    words = "".join(f'<motor name="j{i}" joint="j{i}" group="{i + 1}"/>' for i in range(count))
    model = hinges(count, actuators=words)
    model.opt.disableactuator = off
    return model


def test_a_disabled_motor_does_nothing():
    """Its group switched off, a motor gives no torque and carries no current; it goes on when switched on again."""
    model = grouped_flywheels()
    motors, data = Motors(model, {"j.*": be.Actuator(FULL, SAGGING)}, engine="numpy"), mujoco.MjData(model)
    for _ in range(100):
        motors.step(data, 12.0)
    warm, speed = motors.output.winding_temperature.copy(), data.qvel.copy()
    energy = motors.output.electrical_energy.copy()
    model.opt.disableactuator = 1 << 2
    for _ in range(100):
        motors.step(data, 12.0)
    out = motors.output
    assert data.actuator_force[1] == 0.0 and data.qvel[1] == speed[1]
    for name in ("torque", "current", "voltage", "copper_power", "electrical_power", "mechanical_power"):
        assert getattr(out, name)[1] == 0.0, name
    assert out.torque[0] != 0.0 and out.current[0] > 0.0
    assert out.winding_temperature[1] == warm[1] and out.winding_temperature[0] != warm[0]
    assert out.electrical_energy[1] == energy[1] and out.electrical_energy[0] > energy[0]
    model.opt.disableactuator = 0
    motors.step(data, 12.0)
    assert motors["j1"].current > 0.0 and motors["j1"].winding_temperature == pytest.approx(warm[1], abs=0.5)


def test_a_disabled_motor_from_the_start_is_cold():
    """It never had a current, so its winding has the temperature of the room."""
    model = grouped_flywheels(off=1 << 1)
    motors, data = Motors(model, {"j.*": be.Actuator(FULL, SAGGING)}, engine="numpy"), mujoco.MjData(model)
    for _ in range(10):
        motors.step(data, 12.0)
    assert motors["j0"].winding_temperature == 25.0 and data.qpos[0] == 0.0 < data.qpos[1]
    assert motors["j0"].torque == motors["j0"].current == 0.0 == motors["j0"].electrical_energy


def test_disabled_motors_are_the_same_on_jax():
    """The rows that JAX gives are not written to."""
    ends = []
    for engine in ("numpy", "jax"):
        model = grouped_flywheels(off=1 << 1)
        motors, data = Motors(model, {"j.*": SERVO}, engine=engine), mujoco.MjData(model)
        for _ in range(20):
            motors.step(data, 0.3)
        ends.append((*data.qpos, *motors.output.torque))
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_each_simulation_has_motors_of_its_own(engine: str):
    """Two MjData of one model, stepped in turn, warm up and move as if each were alone; a reset of one is one's own."""
    alone = []
    for target in (0.5, -0.3):
        model = chain()
        motors, data = Motors(model, {"j0": SERVO}, engine=engine), mujoco.MjData(model)
        for _ in range(20):
            motors.step(data, target)
        alone.append((data.qpos[0], motors["j0"].torque, motors["j0"].winding_temperature))
    model = chain()
    motors, first, second = Motors(model, {"j0": SERVO}, engine=engine), mujoco.MjData(model), mujoco.MjData(model)
    with pytest.raises(ParameterError, match="has not been stepped"):
        motors.output_of(first)
    for _ in range(20):
        motors.step(first, 0.5)
        motors.step(second, -0.3)
    for data, seen in ((first, alone[0]), (second, alone[1])):
        out = motors.output_of(data)
        assert (data.qpos[0], out.torque[0], out.winding_temperature[0]) == seen
    # `output` is that of the data stepped last
    assert (
        motors["j0"].torque == alone[1][1] and motors.state[0].winding_rise == motors.state_of(second)[0].winding_rise
    )
    motors.reset(first)
    assert np.isnan(motors["j0"].torque) and motors.output_of(second).torque[0] == alone[1][1]


def test_a_reset_of_the_data_resets_the_motors():
    """Time that goes back is a new run, also without `install`: the motors are cold, and the run is the same."""
    model = chain()
    motors, data, ends = Motors(model, {"j0": be.Actuator(FULL, SAGGING)}, engine="numpy"), mujoco.MjData(model), []
    for _ in range(2):
        mujoco.mj_resetData(model, data)
        for _ in range(100):
            motors.step(data, 20.0)
        ends.append((data.qpos[0], motors["j0"].torque, motors["j0"].winding_temperature))
    assert ends[0] == ends[1]


def test_after_a_reset_nothing_is_told():
    """NaN for every quantity and no limit, until the next step is done."""
    model = chain()
    motors, data = Motors(model, {"j0": SERVO}, engine="numpy"), mujoco.MjData(model)
    motors.step(data, 0.5)
    motors.reset(data)
    out = motors.output
    assert np.isnan([out.torque, out.current, out.voltage, out.winding_temperature]).all() and (out.limit == 0).all()


def test_gravity_at_rest_is_the_torque_that_holds():
    """A servo that holds a pendulum gives what gravity asks for."""
    model = chain(1)
    motors, data = Motors(model, {"j0": SERVO}), mujoco.MjData(model)
    for _ in range(3000):
        motors.step(data, 0.5)
    assert motors["j0"].torque == pytest.approx(0.5 * GRAVITY * 0.3 * np.sin(data.qpos[0]), rel=1e-9)
