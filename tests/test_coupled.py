"""`step.coupled`: motor and load move the joint together, as `simulate` moves them, on every engine."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.physics.demand import Demand
from backemf.physics.state import JOINT
from backemf.physics.step import coupled

DT, STEPS = 1e-3, 60
PENDULUM = be.Pendulum(mass=0.3, length=0.15, damping=2e-3)
WEIGHT, INERTIA = 0.3 * 9.80665 * 0.15, 0.3 * 0.15**2
MOTOR = be.Motor(
    winding=be.Winding(resistance=0.8, inductance=8e-4),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=3e-5),
    thermal=be.Thermal(resistance=4.0, capacitance=0.5),
    friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=50.0),
)
GEARED = replace(MOTOR, gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.8),)))
PLAY = replace(MOTOR, gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.8),), backlash=0.01))
SUPPLY = be.Supply(voltage=24.0, resistance=0.05)
KINDS = {
    "volts": (be.Actuator(MOTOR, SUPPLY), 6.0),
    "geared": (be.Actuator(GEARED, SUPPLY, controller=be.IdealPd(stiffness=4.0, damping=0.05)), 0.8),
    "backlash": (be.Actuator(PLAY, SUPPLY), 6.0),
    "delayed": (be.Actuator(MOTOR, SUPPLY, controller=be.Torque(), delay=be.Delay(steps=3)), 0.2),
    "limited joint": (
        be.Actuator(
            controller=be.IdealPd(stiffness=4.0, damping=0.05),
            limits=be.DcClip(saturation_effort=1.0, velocity_limit=20.0, effort_limit=0.7),
            friction=be.TanhFriction(coulomb=0.02),
        ),
        0.8,
    ),
}


def engine_options(engine: str) -> dict:
    """What makes an engine compute in double precision."""
    if engine == "torch":
        import torch

        return {"dtype": torch.float64, "eager": True}
    return {}


def swing(step, command: float) -> tuple[np.ndarray, np.ndarray, list]:
    """Positions and velocities of a pendulum that is written by hand, and the outputs."""
    state = step.initial(dt=DT)
    position, velocity = 0.3, 0.0
    places, speeds, outs = [], [], []
    for _ in range(STEPS):
        pull = -WEIGHT * math.sin(position) - 2e-3 * velocity
        state, out = step.coupled(state, command, position, velocity, DT, pull, INERTIA, load_damping=2e-3)
        position, velocity = float(out.joint_position), float(out.joint_velocity)
        places.append(position)
        speeds.append(velocity)
        outs.append(out)
    return np.array(places), np.array(speeds), outs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ["numpy", "python", "jax", "torch", "native"])
def test_a_pendulum_of_ones_own_is_that_of_simulate(engine, kind):
    """The same numbers step by step, to rounding."""
    pytest.importorskip("torch" if engine == "torch" else "numpy")
    import jax

    actuator, command = KINDS[kind]
    run = be.simulate(actuator, PENDULUM, command, STEPS * DT, DT, position=0.3, engine="numpy")
    with jax.enable_x64(True):
        step = actuator.compile(engine, **engine_options(engine))
        positions, velocities, outs = swing(step, command)
    np.testing.assert_allclose(positions, run["position"], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(velocities, run["velocity"], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose([float(out.torque) for out in outs], run["torque"], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose([float(out.load_torque) for out in outs], run["load_torque"], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch"])
def test_a_set_of_joints_is_each_joint_by_itself(engine):
    """A robot of two kinds of actuators, each with a load of its own."""
    pytest.importorskip("torch" if engine == "torch" else "numpy")
    import jax

    names = ("geared", "limited joint")
    robot = be.robot.ActuatorSet(["geared", "limited"], {name.split()[0]: KINDS[name][0] for name in names})
    position, velocity = np.array([[0.3, 0.1]]), np.array([[0.5, -1.0]])
    pull, inertia = np.array([[-0.1, 0.2]]), np.array([[INERTIA, 2.0 * INERTIA]])
    with jax.enable_x64(True):
        step = robot.compile(engine, **engine_options(engine))
        arrays = [position, velocity, pull, inertia]
        if engine == "torch":
            import torch

            arrays = [torch.as_tensor(x) for x in arrays]
        _, out = step.coupled(step.initial((1,)), 0.8, *arrays[:2], DT, *arrays[2:], load_stiffness=0.5)
        assert pickle.loads(pickle.dumps(step)).coupled(
            step.initial((1,)), 0.8, *arrays[:2], DT, *arrays[2:], load_stiffness=0.5
        )[1].joint_velocity.shape == (1, 2)
    for k, name in enumerate(names):
        one = KINDS[name][0].compile("numpy")
        _, expected = one.coupled(
            one.initial((1,)), 0.8, position[:, k], velocity[:, k], DT, pull[:, k], inertia[:, k], load_stiffness=0.5
        )
        for output in ("joint_position", "joint_velocity", "torque", "load_torque"):
            np.testing.assert_allclose(
                np.asarray(getattr(out, output))[:, k], getattr(expected, output), rtol=1e-12, atol=1e-14
            )


def test_substeps_see_the_load_where_the_joint_is():
    """A step of four substeps on a linear load is four steps of a quarter, the load written anew in each."""
    one = be.Actuator(GEARED, SUPPLY, controller=be.IdealPd(stiffness=4.0, damping=0.05))
    four = replace(one, substeps=4).compile("python")
    single = one.compile("python")
    state, out = four.coupled(four.initial(), 0.8, 0.3, 2.0, DT, 0.1, INERTIA, load_damping=0.02, load_stiffness=7.0)
    here, position, velocity, torques = single.initial(), 0.3, 2.0, []
    for _ in range(4):
        pull = 0.1 - 0.02 * (velocity - 2.0) - 7.0 * (position - 0.3)
        here, each = single.coupled(
            here, 0.8, position, velocity, DT / 4, pull, INERTIA, load_damping=0.02, load_stiffness=7.0
        )
        position, velocity = each.joint_position, each.joint_velocity
        torques.append(each.load_torque)
    assert out.joint_position == pytest.approx(position, rel=1e-13)
    assert out.joint_velocity == pytest.approx(velocity, rel=1e-12)
    assert out.joint_travel == pytest.approx(position - 0.3, rel=1e-10)
    assert out.load_torque == pytest.approx(sum(torques) / 4, rel=1e-12)
    assert state.winding_rise == pytest.approx(here.winding_rise, rel=1e-12)


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
def test_the_step_obeys_the_law_of_motion_and_gains_no_energy(dt):
    """J·(v1 - v0) = dt·(torque + load torque); a spring of any stiffness at any step only loses energy."""
    step = be.Actuator(replace(MOTOR, friction=None)).compile("numpy")
    position, velocity = np.full(3, 0.5), np.zeros(3)
    stiffness, inertia, state = np.array([1.0, 1e3, 1e6]), MOTOR.armature + INERTIA, step.initial((3,))
    energy = 0.5 * stiffness * position**2
    for _ in range(50):
        state, out = step.coupled(
            state, 0.0, position, velocity, dt, -stiffness * position, INERTIA, load_stiffness=stiffness
        )
        gained = inertia * (out.joint_velocity - velocity)
        # rounding is that of the spring's torque at the start, of which little may be left at the end
        spring = stiffness * (np.abs(position) + dt * np.abs(velocity))
        size = dt * (np.abs(out.torque) + spring) + inertia * np.abs(velocity)
        assert (np.abs(gained - dt * (out.torque + out.load_torque)) <= 1e-9 * size).all()
        np.testing.assert_allclose(out.joint_position, position + dt * out.joint_velocity, rtol=0, atol=1e-15)
        position, velocity = out.joint_position, out.joint_velocity
        magnetic = 0.5 * MOTOR.winding.inductance * state.current**2
        now = 0.5 * stiffness * position**2 + 0.5 * inertia * velocity**2 + magnetic
        assert (now <= energy * (1.0 + 1e-9) + 1e-15).all()
        energy = now


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_of_infinite_inertia_keeps_its_velocity(kind):
    """A fixed joint stands, a joint that a machine moves goes on; the motor heats up all the same."""
    actuator, command = KINDS[kind]
    for engine, inertia in (("python", math.inf), ("numpy", np.array([math.inf]))):
        step = actuator.compile(engine)
        for velocity in (0.0, 3.0):
            begin = velocity if engine == "python" else np.array([velocity])
            state = step.initial(() if engine == "python" else (1,))
            for _ in range(5):
                state, out = step.coupled(state, command, begin * 0.0, begin, DT, 0.0 * begin, inertia)
            assert float(np.squeeze(out.joint_velocity)) == pytest.approx(velocity, abs=1e-15)
            assert np.isfinite(out.torque).all() and np.abs(out.torque).max() > 0.0


def test_a_motor_starts_as_hot_as_it_is_said_to():
    """60 K above ambient the winding has 1 + 0.0039·60 of its resistance, and stalls with as much less current."""
    step = be.Actuator(replace(MOTOR, winding=be.Winding(resistance=0.8))).compile("python")
    _, cold = step.coupled(step.initial(), 6.0, 0.0, 0.0, DT, 0.0, math.inf)
    _, hot = step.coupled(step.initial(winding_rise=60.0), 6.0, 0.0, 0.0, DT, 0.0, math.inf)
    coefficient = MOTOR.winding.temperature_coefficient
    assert cold.current / hot.current == pytest.approx(1.0 + coefficient * 60.0, rel=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch"])
@pytest.mark.parametrize("bad", ["position", "velocity", "load_torque", "load_inertia", "load_damping"])
def test_a_motor_of_a_batch_whose_joint_is_not_finite_takes_no_part(engine, bad):
    """It gets no torque and stays where it is; its neighbours are as they are without it."""
    pytest.importorskip("torch" if engine == "torch" else "numpy")
    actuator, command = KINDS["geared"]
    step = actuator.compile(engine, **({"eager": True} if engine == "torch" else {}))
    fine = {
        "position": [0.3, 0.1], "velocity": [0.0, 1.0], "load_torque": [0.1, 0.1], "load_inertia": [INERTIA] * 2,
        "load_damping": [0.01, 0.01],
    }  # fmt: skip

    def run(given):
        arrays = {name: np.array(value, np.float32) for name, value in given.items()}
        if engine == "torch":
            import torch

            arrays = {name: torch.as_tensor(value) for name, value in arrays.items()}
        damping = arrays.pop("load_damping")
        first, second = arrays.pop("position"), arrays.pop("velocity")
        return step.coupled(step.initial((2,)), command, first, second, DT, **arrays, load_damping=damping)

    state, out = run(fine | {bad: [math.nan, fine[bad][1]]})
    whole, expected = run(fine)
    for name in ("torque", "joint_position", "joint_velocity", "load_torque", "current"):
        assert float(getattr(out, name)[1]) == float(getattr(expected, name)[1]), name
    assert float(out.torque[0]) == 0.0 and int(out.limit[0]) & JOINT and not int(out.limit[1]) & JOINT
    assert float(state.winding_rise[0]) == 0.0 and float(state.winding_rise[1]) == float(whole.winding_rise[1])
    if bad not in ("position", "velocity"):
        assert float(out.joint_position[0]) == np.float32(0.3) and float(out.joint_velocity[0]) == 0.0


JOINTS = be.Actuator(controller=be.Torque())


@pytest.mark.parametrize(
    ("actuator", "given", "words"),
    [
        (KINDS["volts"][0], {"load_torque": math.nan}, "load_torque = nan: must be a finite number"),
        (KINDS["volts"][0], {"load_stiffness": math.inf}, "load_stiffness = inf: must be a finite number"),
        (KINDS["volts"][0], {"load_damping": "much"}, "load_damping = 'much': must be a finite number"),
        (KINDS["volts"][0], {"load_inertia": -1.0}, r"load_inertia = -1.0: must be 0 or more"),
        (KINDS["volts"][0], {"dt": 0.0}, "dt = 0.0: must be a positive number of seconds"),
        (KINDS["volts"][0], {"joint_position": None}, "joint_position = None: must be a finite number"),
        (KINDS["volts"][0], {"command": math.nan}, "command = nan: must be a finite number"),
        (KINDS["volts"][0], {"load_torque": np.zeros(3)}, r"load_torque has the shape \(3,\), which does not fit"),
        (JOINTS, {}, "nothing has inertia: give Motor.rotor, or a load with an inertia"),
        (replace(KINDS["volts"][0], motor=replace(MOTOR, rotor=None, friction=None)), {}, "nothing has inertia"),
        (KINDS["backlash"][0], {}, "backlash needs a load with an inertia|nothing has inertia"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(actuator, given, words):
    """The field, its value and the remedy."""
    step = actuator.compile("numpy")
    inputs = {"command": 1.0, "joint_position": np.zeros(2), "joint_velocity": np.zeros(2), "dt": DT} | given
    with pytest.raises(be.ParameterError, match=words):
        step.coupled(step.initial((2,)), **inputs)


@pytest.mark.parametrize("engine", ["numpy", "python", "jax", "native"])
def test_a_copy_of_a_step_is_coupled_too(engine):
    """Pickled and read again, before and after its first step."""
    actuator, command = KINDS["geared"]
    step = actuator.compile(engine)
    for _ in range(2):
        copy = pickle.loads(pickle.dumps(step))
        first, second = (s.coupled(s.initial(), command, 0.1, 0.0, DT, 0.1, INERTIA)[1] for s in (step, copy))
        assert float(first.joint_velocity) == float(second.joint_velocity)


def test_telemetry_that_is_left_out_leaves_the_joint_there():
    """Position and velocity are the answer; what else is wanted is said when the step is compiled."""
    step = KINDS["geared"][0].compile("jax", telemetry=("torque",))
    _, out = step.coupled(step.initial(), 0.8, 0.1, 0.0, DT, 0.1, INERTIA)
    assert out.current is None and out.torque is not None
    assert out.joint_position is not None and out.joint_velocity is not None
    assert step(step.initial(), 0.8, 0.1, 0.0, DT)[1].joint_position is None


@pytest.mark.parametrize("motor", [MOTOR, GEARED, PLAY], ids=["rotor", "gears", "backlash"])
@pytest.mark.parametrize("end", [3.0, -0.4, 1e-3])
def test_a_prescribed_motion_is_that_of_a_heavy_joint(motor, end):
    """A joint of 1e6 kg·m² that a torque takes to a velocity gets there whatever the motor does: states and powers."""
    demand, start, heavy = Demand(voltage=6.0), 0.5, 1e6
    state = be.Actuator(motor, SUPPLY).compile("numpy").initial(winding_rise=20.0, bristle=1e-4)
    pull = heavy * (end - start) / DT
    searched = coupled(motor, SUPPLY, state, demand, 0.1, start, DT, pull, heavy, 0.0)
    known = coupled(motor, SUPPLY, state, demand, 0.1, start, DT, pull, heavy, 0.0, prescribed=end)
    assert known[1] == pytest.approx(end, rel=1e-6)
    for found, expected in zip(known[::2], searched[::2], strict=True):
        for name, value in vars(expected).items():
            if value is not None:
                assert getattr(found, name) == pytest.approx(value, rel=1e-5, abs=1e-7), name
