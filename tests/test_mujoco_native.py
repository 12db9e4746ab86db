"""All motors of a robot as machine code inside MuJoCo: the numbers are those of Python, for any MjData and thread."""

import gc
import threading
import warnings
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from long import some_now
from mujoco_rig import mujoco, of_peak
from test_mujoco_plugin import FULL, SAGGING, chain, hinges, motor, square

import backemf as be
from backemf import catalog
from backemf.errors import BackemfError, ParameterError, SimulationError
from backemf.sims.mujoco import Motors
from backemf.sims.mujoco.plugin import records, robot_code
from backemf.sims.mujoco.plugin.memory import SPREAD, Table

BRISTLES = be.LuGre(coulomb=0.005, stiction=0.008, stribeck_velocity=1.0, stiffness=10.0, damping=0.001)
RIPPLE = be.Cogging(harmonics=(be.Harmonic(amplitude=0.004, periodicity=7.0, phase=0.3),))
FRICTIONS = (None, BRISTLES, be.Coulomb(coulomb=0.01), be.Dahl(coulomb=0.01, stiffness=5.0))
PD = be.IdealPd(stiffness=30.0, damping=0.8)
KINDS = {
    "full": be.Actuator(FULL, SAGGING, controller=PD),
    "bristles": be.Actuator(motor(friction=BRISTLES, cogging=RIPPLE), SAGGING, controller=PD),
    "stiction": be.Actuator(motor(friction=be.Coulomb(coulomb=0.01)), controller=be.PositionPid(kp=20.0, ki=3.0)),
    "backlash": be.Actuator(motor(backlash=0.02), controller=PD),
    "delay": be.Actuator(motor(), controller=PD, delay=be.Delay(steps=(1, 4))),
    "substeps": be.Actuator(motor(), controller=PD, substeps=3),
    "volts": be.Actuator(motor(winding=be.Winding(resistance=0.5, inductance=3e-4))),
    "ideal": be.Actuator(controller=PD),
}
"""Actuators of every kind that a group can be of."""
WHOLE = mujoco.mjtState.mjSTATE_FULLPHYSICS


def robot(floor: bool = True, integrator: str = "implicitfast", cone: str = "pyramidal") -> mujoco.MjModel:
    """Four legs of three joints under a free body, feet on a floor, one of the actuators missing, a tendon beside."""
    legs, acts = "", ""
    for i, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))):
        legs += (
            f'<body pos="{x} {y} 0"><joint name="hip{i}" axis="1 0 0"/><geom size=".03" mass=".6"/>'
            f'<body pos="0 {0.5 * y} 0"><joint name="thigh{i}" axis="0 1 0" damping=".05"/>'
            '<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2" mass="1"/>'
            f'<body pos="0 0 -.2"><joint name="knee{i}" axis="0 1 0" actuatorfrcrange="-9 9"/>'
            '<geom type="capsule" size=".015" fromto="0 0 0 0 0 -.2" mass=".2"/>'
            '<geom pos="0 0 -.2" size=".02" mass=".05" contype="1"/></body></body></body>'
        )
        acts += "".join(f'<motor name="{j}{i}" joint="{j}{i}" gear="{1 + i}"/>' for j in ("hip", "thigh", "knee"))
    plane = '<geom type="plane" size="0 0 1" contype="2" conaffinity="1"/>' if floor else ""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option timestep="0.002" integrator="{integrator}" cone="{cone}"/>'
        '<default><geom contype="0" conaffinity="0"/></default>'
        f'<worldbody>{plane}<body pos="0 0 .36" gravcomp=".2"><freejoint/><geom type="box" size=".2 .1 .05" mass="6"/>'
        f'{legs}</body></worldbody><tendon><fixed name="t"><joint joint="knee0" coef=".5"/></fixed></tendon>'
        f'<actuator>{acts}<motor name="t" tendon="t"/></actuator></mujoco>'
    )


def made(model, actuators, python: bool = False, **options) -> Motors:
    """Motors without their warnings; through Python alone where that is wanted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motors = Motors(model, actuators, **options)
    if python:
        motors._records._tried = True
    return motors


def note_questions(motors: Motors) -> list[int]:
    """A list that grows whenever the compiled callback leaves a step to Python."""
    asked, slow = [], motors._callback

    def noted(model, data) -> None:
        asked.append(1)
        slow(model, data)

    motors._callback = noted  # pyright: ignore[reportAttributeAccessIssue]
    return asked


def run_steps(model, motors: Motors, targets, told=None) -> tuple[np.ndarray, np.ndarray]:
    """Positions and all outputs after each step."""
    data, seen, outputs = mujoco.MjData(model), [], []
    data.qpos[-1], data.qvel[-1] = -0.4, 0.3
    for target in targets:
        if model.nu and told is not None:
            data.ctrl[:] = told
        motors.step(data, target)
        seen.append(data.qpos.copy())
        outputs.append(
            np.concatenate([np.ravel(x).astype(float) for x in vars(motors.output).values() if x is not None])
        )
    return np.array(seen), np.array(outputs)


def check_alike(make, actuators, targets, close: float = 1e-12, told=None) -> None:
    """The same motion and the same outputs through Python and as machine code, to rounding."""
    ends = []
    for python in (True, False):
        model = make()
        motors = made(model, actuators, python)
        ends.append(run_steps(model, motors, targets, told))
        assert (motors._records.code is None) == python
    (seen, outputs), (fast, told_fast) = ends
    assert np.isfinite(seen).all() and np.abs(seen - seen[0]).max() > 1e-3
    assert np.array_equal(np.isnan(outputs), np.isnan(told_fast))
    # powers that are 0 but for rounding have no size of their own
    peaks = np.nanmax(np.abs(outputs), axis=0, initial=0.0) + 1.0
    assert np.abs(seen - fast).max() < close * np.abs(seen).max()
    assert np.nanmax(np.abs(outputs - told_fast) / peaks) < close


# --- the same numbers as through Python


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("integrator", "hands"), some_now([(i, h) for i in ("implicitfast", "Euler", "implicit") for h in (True, False)],
                                      lambda *case: case in (("implicitfast", True), ("Euler", False))),
)  # fmt: skip
def test_an_arm_moves_the_same(kind: str, integrator: str, hands: bool):
    """Three joints that swing each other, through actuators and as applied forces, under every integrator."""
    volts = kind == "volts"
    check_alike(
        lambda: chain(3, integrator=integrator, hands=hands, dt=1e-3, inside='damping="0.02"'), {"j.*": KINDS[kind]},
        square(60, 6.0 if volts else 0.4, 20),
    )  # fmt: skip


@pytest.mark.parametrize("cone", some_now(["pyramidal", "elliptic"], lambda cone: cone == "pyramidal"))
def test_a_walking_robot_moves_the_same(cone: str):
    """Motors of four kinds on eleven joints, feet on the floor, limits of force, gravity compensation, a tendon."""
    actuators = {
        "hip[01]": KINDS["full"],
        "hip[23]": KINDS["delay"],
        "thigh.*": KINDS["bristles"],
        "knee[012]": KINDS["stiction"],
    }
    swing = [np.array([0.0, 0.0, 0.0, 0.0, *[0.3 * np.sin(0.1 * k)] * 4, *[-0.2] * 3]) for k in range(120)]
    check_alike(lambda: robot(cone=cone), actuators, swing, close=1e-10, told=0.4)


@pytest.mark.parametrize("flag", ["eulerdamp", "damper"])
def test_flags_of_the_model_act_the_same(flag: str):
    """Without implicit damping, and without dampers at all."""
    options = f'<flag {flag}="disable"/>'
    check_alike(
        lambda: chain(2, integrator="Euler", dt=1e-3, inside='damping="0.05"', options=options),
        {"j.*": KINDS["full"]}, square(40, 0.4, 20),
    )  # fmt: skip


@pytest.mark.parametrize("hands", [True, False])
def test_the_callback_moves_the_same(hands: bool):
    """`mj_step` with the compiled callback, by a command or data.ctrl; Python is asked once, at the first step."""
    model = chain(3, hands=hands)
    motors, data = made(model, {"j.*": KINDS["bristles"]}, python=True), mujoco.MjData(model)
    expected = np.array([(motors.step(data, target), data.qpos.copy())[1] for target in square(80, 0.4, 20)])
    model = chain(3, hands=hands)
    motors, data, seen = made(model, {"j.*": KINDS["bristles"]}), mujoco.MjData(model), []
    asked = note_questions(motors)
    with motors.install():
        for target in square(80, 0.4, 20):
            if hands:
                data.ctrl[:] = target
            else:
                motors.command = be.Command(position=target, velocity=0.0) if len(seen) > 40 else target
            mujoco.mj_forward(model, data)
            mujoco.mj_step(model, data)
            seen.append(data.qpos.copy())
    assert of_peak(np.array(seen), expected) < 1e-11 and len(asked) == 1
    assert mujoco.get_mjcb_control() is None


@pytest.mark.parametrize("floor", [True, False])
def test_the_callback_moves_a_robot_the_same(floor: bool):
    """With a tendon's actuator and limits of force beside the motors, on the floor and in the air."""
    ends = []
    for python in (True, False):
        model = robot(floor)
        motors, data = (
            made(model, {"hip.*|thigh.*": KINDS["full"], "knee.*": KINDS["bristles"]}, python),
            mujoco.MjData(model),
        )
        data.ctrl[:12], data.ctrl[12] = np.tile([0.0, 0.4, -0.3], 4), 0.5
        with motors.install():
            mujoco.mj_step(model, data, nstep=60)
        ends.append((data.qpos.copy(), motors.output.torque))
    assert np.abs(ends[0][0] - ends[1][0]).max() < 1e-10 and np.abs(ends[0][1] - ends[1][1]).max() < 1e-7
    assert np.abs(ends[0][1]).max() > 0.1


def test_where_code_cannot_be_python_steps(monkeypatch):
    """A MuJoCo whose structs are not as they were found: the same numbers, through Python."""
    model = chain(2)
    fast = run_steps(model, made(model, {"j.*": KINDS["full"]}), square(20, 0.4, 10))[0]
    monkeypatch.setattr(robot_code, "places_hold", lambda model, data: False)
    model = chain(2)
    motors = made(model, {"j.*": KINDS["full"]})
    assert of_peak(run_steps(model, motors, square(20, 0.4, 10))[0], fast) < 1e-12
    assert motors._records.code is None


def test_a_library_of_another_version_is_not_called():
    """Its structs are others: where the folder of Python's package has no library of its version, Python steps."""
    other = SimpleNamespace(__file__=mujoco.__file__, mj_version=lambda: mujoco.mj_version() + 1)
    with pytest.raises(LookupError, match="library is not where"):
        robot_code.mujoco_library.__wrapped__(other)


def test_other_engines_have_no_code():
    """JAX, NumPy and networks go through Python."""
    model = chain(2)
    motors = made(model, {"j.*": KINDS["full"]}, engine="numpy")
    motors.step(mujoco.MjData(model), 0.1)
    assert motors._records.code is None


@pytest.mark.parametrize("seed", some_now(range(12), lambda seed: seed < 3))
def test_random_motors_move_the_same(seed: int):
    """Random constants of motors and gains, each joint with its own."""
    rng = np.random.default_rng(seed)
    actuators = {}
    for k in range(3):
        parts = {
            "winding": be.Winding(resistance=rng.uniform(0.2, 2.0), inductance=rng.choice([0.0, 1e-4, 1e-3])),
            "magnet": be.Magnet(torque_constant=0.05, back_emf_constant=rng.uniform(0.04, 0.06)),
            "friction": FRICTIONS[rng.integers(len(FRICTIONS))],
            "cogging": (None, RIPPLE)[rng.integers(2)],
            "thermal": (None, be.Thermal(resistance=5.0, capacitance=10.0))[rng.integers(2)],
        }  # fmt: skip
        gains = be.IdealPd(stiffness=rng.uniform(5.0, 40.0), damping=rng.uniform(0.5, 2.0))
        supply = be.Supply(voltage=rng.uniform(12.0, 48.0), resistance=rng.choice([0.0, 0.2]))
        actuators[f"j{k}"] = be.Actuator(motor(ratio=rng.uniform(5.0, 40.0), **parts), supply, controller=gains)
    integrator = str(rng.choice(["implicitfast", "Euler"]))
    check_alike(lambda: chain(3, integrator=integrator, dt=1e-3), actuators, square(60, 0.4, 20), close=1e-12)


@pytest.mark.long
def test_motors_of_the_catalogue_move_the_same():
    """Every motor of the catalogue that can be on a joint of MuJoCo, side by side on one model."""
    motors: dict[str, be.Motor] = {}
    warnings.simplefilter("ignore")
    for name in catalog.ids():
        with suppress(BackemfError):
            one = be.Datasheet.load(name).motor()
            Motors(hinges(), {"j0": one})
            motors[f"j{len(motors)}"] = one
    assert len(motors) > 100
    check_alike(lambda: hinges(len(motors), inertia=0.01, dt=1e-3), motors, square(20, 3.0, 10))


# --- resets, and numbers that are not finite


@pytest.mark.parametrize("hands", [True, False])
def test_time_that_goes_back_is_a_new_run(hands: bool):
    """`mj_resetData` within `install` takes the motors back to cold, in machine code too."""
    model = chain(2, hands=hands)
    motors, data, ends = made(model, {"j.*": KINDS["backlash"]}), mujoco.MjData(model), []
    with motors.install():
        motors.command = 0.3
        for _ in range(2):
            mujoco.mj_resetData(model, data)
            data.qvel[:] = 0.5
            for _ in range(30):
                mujoco.mj_step(model, data)
            ends.append((*data.qpos, *motors.output.torque))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("python", [True, False])
@pytest.mark.parametrize("where", ["force", "speed"])
def test_a_load_that_is_not_finite_is_said(python: bool, where: str, tmp_path, monkeypatch):
    """One sentence; afterwards the motors start anew, and what they do is finite."""
    monkeypatch.chdir(tmp_path)
    model = chain(2, options='<flag autoreset="disable"/>')
    motors, data = made(model, {"j.*": KINDS["full"]}, python), mujoco.MjData(model)
    for _ in range(5):
        motors.step(data, 0.3)
    (data.qfrc_applied if where == "force" else data.qvel)[1] = np.nan
    with pytest.raises(SimulationError, match=r"joint 'j\d': at t = .* not finite.*start anew") as caught:
        motors.step(data, 0.3)
    assert "\n" not in str(caught.value)
    data.qfrc_applied[:], data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = 0.0, 0.0, 0.0, 0.0
    for _ in range(5):
        motors.step(data, 0.3)
    assert np.isfinite(motors.output.torque).all() and motors["j0"].winding_temperature < 30.0


def test_a_load_that_is_not_finite_starts_anew_in_the_callback(tmp_path, monkeypatch):
    """MuJoCo takes the data back to its start, and the motors with it: the run after is that of a new MjData."""
    monkeypatch.chdir(tmp_path)
    model = chain(2)
    motors, data, fresh = made(model, {"j.*": KINDS["full"]}), mujoco.MjData(model), mujoco.MjData(model)
    with motors.install():
        motors.command = 0.3
        for _ in range(5):
            mujoco.mj_step(model, data)
        data.qfrc_applied[0] = np.inf
        mujoco.mj_step(model, data)
        assert data.time < 0.01 and np.isfinite(data.qpos).all()
        mujoco.mj_resetData(model, data)
        for _ in range(20):
            mujoco.mj_step(model, data)
            mujoco.mj_step(model, fresh)
    assert np.array_equal(data.qpos, fresh.qpos) and np.isfinite(motors.output.torque).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e12])
def test_a_control_that_is_bad_goes_through_python(bad: float, tmp_path, monkeypatch):
    """NaN and infinity are refused in one sentence; a number that MuJoCo takes for bad is a command like any other."""
    monkeypatch.chdir(tmp_path)
    model = chain(2)
    motors, data = made(model, {"j.*": be.Actuator(motor(), be.Supply(voltage=24.0))}), mujoco.MjData(model)
    with motors.install():
        mujoco.mj_step(model, data)
        data.ctrl[1] = bad
        if np.isfinite(bad):
            mujoco.mj_step(model, data)
            assert motors["j1"].voltage == 24.0
        else:
            with pytest.raises(ParameterError, match=f"joint 'j1': the command of voltage is {bad}"):
                mujoco.mj_step(model, data)


# --- several MjData


def test_data_that_is_gone_leaves_nothing_behind():
    """A new MjData begins at rest, even where the last one stood in memory, and the old ones are let go."""
    model = chain(2)
    motors, ends = made(model, {"j.*": KINDS["full"]}), []
    asked = note_questions(motors)
    with motors.install():
        motors.command = 0.3
        for _ in range(5):
            data = mujoco.MjData(model)
            for _ in range(10):
                mujoco.mj_step(model, data)
            ends.append((*data.qpos, *motors.output.winding_temperature))
            del data
            gc.collect()
    assert len(set(ends)) == 1 and len(motors._records.all()) <= 2 and len(asked) == 5


def test_many_data_are_told_apart():
    """A hundred MjData in turn, each with its own command, move as one alone."""
    model = chain(1)
    motors = made(model, {"j0": KINDS["full"]})
    datas = [mujoco.MjData(model) for _ in range(100)]
    with motors.install():
        for _ in range(5):
            for k, data in enumerate(datas):
                data.ctrl[0] = 0.01 * k
                mujoco.mj_step(model, data)
    alone = chain(1)
    lone, data = made(alone, {"j0": KINDS["full"]}), mujoco.MjData(alone)
    for _ in range(5):
        lone.step(data, 0.01 * 63)
    assert datas[63].qpos[0] == data.qpos[0] and len({float(data.qpos[0]) for data in datas}) == 100


def test_a_table_finds_what_was_entered():
    """Against a dict, under random entries and removals, by the way that machine code takes."""
    rng, table, known = np.random.default_rng(1), Table(), {}
    places = [int(x) * 16 for x in rng.integers(1 << 20, 1 << 40, 60)]
    for k in range(600):
        place = int(rng.choice(places))
        known[place] = 0 if rng.random() < 0.4 else k + 1
        table.set(place, known[place])
        for asked in places:
            memory = table._kept[-1]
            rows, row = memory[1:], ((asked >> 4) * SPREAD % (1 << 64)) >> int(memory[0, 0])
            while rows[row, 0] not in (0, asked):
                row = (row + 1) % len(rows)
            assert (rows[row, 1] if rows[row, 0] == asked else 0) == known.get(asked, 0)


# --- threads


def test_threads_with_a_model_each_move_as_one():
    """Four threads within `install`, each with a copy of the model: the same bits as one after the other."""
    model = robot()
    motors = made(model, {"hip.*|thigh.*": KINDS["bristles"], "knee.*": KINDS["stiction"]})
    models, datas = motors.copies(4), [mujoco.MjData(model) for _ in range(8)]
    with motors.install():

        def work(one, data) -> None:
            data.ctrl[:12] = np.tile([0.0, 0.4, -0.3], 4)
            for _ in range(100):
                mujoco.mj_step(one, data)

        for data in datas[4:]:
            work(model, data)
        threads = [threading.Thread(target=work, args=pair) for pair in zip(models, datas[:4], strict=True)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    for data in datas:
        assert np.array_equal(data.qpos, datas[0].qpos)
    assert np.array_equal(motors.output_of(datas[0]).torque, motors.output_of(datas[5]).torque)


def test_steps_in_threads_with_a_model_each():
    """`motors.step` takes the model of its thread."""
    model = chain(2)
    motors = made(model, {"j.*": KINDS["full"]})
    models, datas = motors.copies(3), [mujoco.MjData(model) for _ in range(4)]

    def work(one, data) -> None:
        for _ in range(50):
            motors.step(data, 0.3, model=one)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(models, datas, strict=False)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    work(model, datas[3])
    assert all(np.array_equal(data.qpos, datas[3].qpos) for data in datas)
    with pytest.raises(ParameterError, match=r"must be one of motors\.copies"):
        motors.step(datas[0], 0.3, model=chain(2))
    with pytest.raises(ParameterError, match="whole number of models"):
        motors.copies(1.5)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("python", [True, False])
def test_threads_that_share_a_model_are_refused(python: bool):
    """While one thread is in the middle of a step, another's step with this model is one sentence; later it may."""
    model = chain(2)
    motors, first, second = made(model, {"j.*": KINDS["full"]}, python), mujoco.MjData(model), mujoco.MjData(model)
    caught = []

    def elsewhere() -> None:
        try:
            mujoco.mj_step(model, second)
        except ParameterError as error:
            caught.append(str(error))

    def in_a_thread() -> None:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    with motors.install():
        motors.command = 0.3
        mujoco.mj_step(model, first)
        in_a_thread()
        assert not caught and second.time > 0.0
        # a step that has not ended
        mujoco.mj_forward(model, first)
        in_a_thread()
    assert len(caught) == 1 and "motors.copies(count)" in caught[0] and "\n" not in caught[0]


def begin(model, count: int) -> np.ndarray:
    """States in which rollouts begin, each turned by another angle."""
    data, states = mujoco.MjData(model), []
    for k in range(count):
        mujoco.mj_resetData(model, data)
        data.qpos[0] = 0.1 * k
        states.append(np.zeros(mujoco.mj_stateSize(model, WHOLE)))
        mujoco.mj_getState(model, data, states[-1], WHOLE)
    return np.array(states)


def test_rollouts_are_those_of_one_thread():
    """`mujoco.rollout` over two threads, a model for each rollout, and over none: the same bits, each from cold."""
    from mujoco import rollout

    model = chain(2)
    motors = made(model, {"j.*": KINDS["bristles"]})
    starts = begin(model, 6)
    control = np.broadcast_to(square(60, 0.4, 20)[None, :, None], (6, 60, model.nu)).copy()
    with motors.install():
        alone, _ = rollout.rollout(model, mujoco.MjData(model), starts, control)
        datas = [mujoco.MjData(model) for _ in range(2)]
        shared, _ = rollout.rollout(motors.copies(6), datas, starts, control)
    assert np.array_equal(alone, shared)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.1 * 4
    for target in square(60, 0.4, 20):
        motors.step(data, target)
    assert alone[4, -1, 1:3] == pytest.approx(data.qpos, rel=1e-11)


def test_an_error_in_a_rollout_is_said_at_the_end(tmp_path, monkeypatch):
    """MuJoCo's own threads cannot raise: the sentence comes when the context ends, and the process lives."""
    monkeypatch.chdir(tmp_path)
    from mujoco import rollout

    model = chain(2)
    motors = made(model, {"j.*": KINDS["full"]})
    control = np.full((4, 5, model.nu), np.nan)
    with pytest.raises(ParameterError, match="joint 'j0': the command of position is nan"), motors.install():
        datas = [mujoco.MjData(model) for _ in range(2)]
        rollout.rollout(motors.copies(4), datas, begin(model, 4), control)
    assert mujoco.get_mjcb_control() is None


def test_a_model_compiled_within_the_context_is_left_alone():
    """Motors answer for their own models."""
    model = chain(1)
    motors = made(model, {"j0": KINDS["full"]})
    with motors.install():
        other = hinges()
        data = mujoco.MjData(other)
        data.qvel[0] = 1.0
        mujoco.mj_step(other, data)
    assert data.qpos[0] == pytest.approx(2e-3) and records.Records is type(motors._records)


def test_a_model_with_one_of_everything_runs_as_machine_code():
    """Arrays that are empty in other models, such as equalities, do not move the others out of sight."""
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><size nuserdata="3"/><option integrator="implicitfast"/><worldbody><light pos="0 0 1"/>'
        '<camera pos="0 0 2"/><body name="hand" mocap="true"><geom size=".01"/></body><body name="b" pos="0 0 .3">'
        '<joint name="a" axis="0 1 0" range="-40 40" limited="true" frictionloss=".01" stiffness=".1"/>'
        '<geom size=".05" pos=".1 0 0"/><site name="s"/><body pos=".2 0 0"><joint name="c" axis="0 1 0"/>'
        '<geom size=".04" pos=".1 0 0"/></body></body><body pos="0 1 1"><freejoint/><geom size=".1"/></body>'
        "</worldbody>"
        '<tendon><fixed name="t" range="-1 1" limited="true"><joint joint="a" coef="1"/></fixed></tendon>'
        '<equality><joint joint1="c" joint2="a"/><connect body1="b" anchor="0 0 0"/></equality>'
        '<actuator><motor joint="a"/><general joint="c" dyntype="filter" dynprm=".1"/></actuator>'
        '<sensor><gyro site="s"/><jointpos joint="a"/></sensor><keyframe><key/></keyframe></mujoco>'
    )
    motors = made(model, {"a": KINDS["full"]})
    data, asked = mujoco.MjData(model), note_questions(motors)
    with motors.install():
        mujoco.mj_step(model, data, nstep=20)
    assert motors._records.code is not None
    # the first step of a data, and no other
    assert len(asked) == 1
