"""Contacts under the motors' last torque as machine code: MuJoCo's own solution, without its solver."""

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from long import some_now
from mujoco_random import Drawn
from mujoco_rig import mujoco
from test_mujoco_native import PD, made, robot
from test_mujoco_plugin import motor

import backemf as be
from backemf.sims.mujoco.plugin import robot_code

LEGS = {"(hip|thigh|knee).": be.Actuator(motor(friction=be.LuGre(
    coulomb=0.005, stiction=0.008, stribeck_velocity=1.0, stiffness=10.0, damping=0.001,
)), controller=PD)}  # fmt: skip
STANCE = np.array([0.0, 0.4, -0.8] * 4)
ARM = """<mujoco><option timestep="0.002" integrator="implicitfast" {options}/><worldbody>
    <geom type="plane" size="0 0 1" pos="0 0 -.5"/>
    <body><joint name="hip0" axis="0 1 0" range="-40 40" limited="true"/><geom size=".05" pos=".2 0 0" mass="1"/>
    <body pos=".4 0 0"><joint name="knee0" axis="0 1 0" frictionloss="0.3"/><geom size=".04" pos=".2 0 0" mass=".5"/>
    </body></body>
    <body pos="0 .5 0"><joint name="knee1" axis="0 1 0"/><geom size=".05" pos=".2 0 0" mass="1"/></body></worldbody>
    <equality><joint joint1="knee1" joint2="hip0" polycoef="0 .5 0 0 0"/></equality></mujoco>"""
"""A limit, friction of a bearing, a coupling of two joints and a floor within reach."""


def legs(cone: str):
    """A robot on its feet."""
    model = robot(cone=cone)
    model.opt.impratio = 10.0
    return model


def arm(options: str = ""):
    """An arm that swings against its limits."""
    return mujoco.MjModel.from_xml_string(ARM.format(options=options))


def counting_solver(asked: list[int]) -> Callable:
    """MuJoCo's solver as C calls it, with a note of each question."""
    library = robot_code.mujoco_library(mujoco)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    def solve(model_place, data_place):
        asked.append(1)
        library.mj_fwdConstraint(ctypes.c_void_p(model_place), ctypes.c_void_p(data_place))

    return solve


def run(model, newton: bool, steps: int = 250) -> tuple[np.ndarray, int]:
    """Where the joints are after some steps, and how often the motors asked MuJoCo's solver."""
    motors = made(model, LEGS)
    count, asked = len(motors.joints), []
    solve = counting_solver(asked)
    data, seen = mujoco.MjData(model), []
    motors.command = STANCE if count == 12 else np.array([0.9, -0.5, 0.2])
    with motors.install():
        code = motors._records.code
        assert code is not None
        code._set(constraint=robot_code._address(solve))
        if not newton:
            code._set(newton=0)
        for _ in range(steps):
            mujoco.mj_step(model, data)
            seen.append(np.concatenate([data.qpos, data.qvel]))
    motors.release()
    return np.array(seen), len(asked)


@pytest.mark.parametrize(
    "make", [lambda: legs("pyramidal"), lambda: legs("elliptic"), arm], ids=["pyramidal", "elliptic", "arm"]
)
def test_contacts_are_those_of_mujocos_solver(make):
    """Feet that land and stand, limits, friction and couplings: the same motion, to the solver's tolerance of 1e-8."""
    own, few = run(make(), True)
    theirs, all_ = run(make(), False)
    # the first step of a data is made in Python
    assert all_ == 249
    assert few < 0.6 * all_
    np.testing.assert_allclose(own, theirs, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("options", ['solver="CG"', 'jacobian="sparse"', 'noslip_iterations="2"'])
def test_other_solvers_are_asked(options: str):
    """Where the model asks for a solution that Newton's method does not give, the model's own solver is asked."""
    assert run(arm(options), True, 50)[1] == 49


def apart(model, actuators, steps: int, change: Callable | None = None) -> tuple[float, int]:
    """How far the loads on the joints are from those of MuJoCo's solver, over the largest, and how often it was asked.

    Each step is found both ways from the same state, so that nothing grows from one to the next.
    """
    motors, data, asked, worst = made(model, actuators), mujoco.MjData(model), [], 0.0
    solve = counting_solver(asked)
    with motors.install():
        for k in range(steps):
            motors.command = np.full(len(motors.joints), 0.6 * np.sin(0.05 * k))
            # the first step of a data is made in Python
            mujoco.mj_forward(model, data)
            code, record = motors._records.code, motors._records.known(data)
            assert code is not None and record is not None
            if change is not None:
                change(model, data)
            loads = []
            for settings in ({"constraint": robot_code._address(solve)}, {"newton": 0}):
                before = code.context.copy()
                code._set(**settings)
                mujoco.mj_forward(model, data)
                code.context[:] = before
                loads.append(record.load.copy())
            assert np.array_equal(*np.isfinite(loads))
            worst = max(worst, float(np.abs(loads[0] - loads[1]).max() / (1.0 + np.abs(loads[1]).max())))
            mujoco.mj_step(model, data)
    motors.release()
    return worst, len(asked)


@pytest.mark.parametrize("seed", some_now(range(60), lambda seed: seed in (0, 1, 3, 8, 45)))
def test_random_models_have_mujocos_contacts(seed: int, tmp_path, monkeypatch):
    """Every kind of joint, contact, limit, friction and equality.

    Where contacts slide on an elliptic cone, or one is 1e15 times stiffer than the joints as in number 45, so that its
    rounding is larger than all other forces, MuJoCo's solver is asked.
    """
    monkeypatch.chdir(tmp_path)
    drawn = Drawn(seed)
    worst, asked = apart(drawn.model, {"|".join(drawn.motors): LEGS["(hip|thigh|knee)."]}, 60)
    assert worst < 1e-11
    assert asked < 60 or seed not in (0, 1, 3, 8)


@pytest.mark.parametrize("far", [1e9, 1e12, 1e20, np.inf, np.nan])
def test_a_start_from_far_away_costs_no_digits(far: float, tmp_path, monkeypatch):
    """MuJoCo starts from the last acceleration, or from that without contacts where it is better: any start will do."""
    monkeypatch.chdir(tmp_path)
    model = arm()
    model.opt.tolerance = 1e-12
    assert apart(model, LEGS, 40, lambda model, data: data.qacc_warmstart.fill(far))[0] < 1e-11


@pytest.mark.parametrize(
    ("option", "value"), [("iterations", 1), ("iterations", 3), ("ls_iterations", 5), ("tolerance", 1e-3)]
)
def test_a_solver_that_stops_early_is_asked(option: str, value: float):
    """What it has not found after so few iterations the motors cannot know, so the load is the solver's own."""

    def stop_early(model, data) -> None:
        setattr(model.opt, option, value)

    assert apart(legs("pyramidal"), LEGS, 40, stop_early) == (0.0, 40)


def test_large_models_are_left_to_mujoco():
    """Nothing is compiled for models whose contacts MuJoCo's solver finds: the code is the same for all of them."""
    rows = "".join(f'<body pos="{k} 0 9"><freejoint/><geom size=".1"/></body>' for k in range(12))
    small, large = (
        mujoco.MjModel.from_xml_string(ARM.format(options="").replace("</worldbody>", rows * n + "</worldbody>"))
        for n in (1, 2)
    )
    assert mujoco.mj_isSparse(small) and small.nv != large.nv
    codes = []
    for model in (small, large):
        motors = made(model, LEGS)
        motors.step(mujoco.MjData(model), 0.1)
        assert motors._records.code is not None
        codes.append(motors._records.code._functions)
    assert codes[0] is codes[1]


@pytest.mark.parametrize("change", ["solver", "noslip_iterations"])
def test_a_solver_chosen_later_is_asked(change: str):
    """Options are read in every step: a model that is changed after motors were put on it is obeyed."""
    model = arm()
    motors, asked = made(model, LEGS), []
    motors.command, data = np.array([0.9, -0.5, 0.2]), mujoco.MjData(model)
    solve = counting_solver(asked)
    with motors.install():
        mujoco.mj_step(model, data, nstep=3)
        code = motors._records.code
        assert code is not None
        code._set(constraint=robot_code._address(solve))
        setattr(model.opt, change, 1)
        mujoco.mj_step(model, data, nstep=10)
    assert len(asked) == 10
