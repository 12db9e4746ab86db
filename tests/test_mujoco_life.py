"""Motors over the life of a model: put on twice, taken off, steps that are not the next ones, others' callbacks."""

import threading
import warnings

import numpy as np
import pytest
from mujoco_rig import mujoco
from test_mujoco_native import KINDS, WHOLE, begin, made
from test_mujoco_plugin import STIFF, chain, hinges, motor, ran, square

import backemf as be
from backemf.errors import BackemfWarning, ParameterError, SimulationError
from backemf.sims.mujoco import Motors

ENGINES = ("native", "numpy")
SERVO = {"j.*": KINDS["full"]}


@pytest.fixture(autouse=True)
def _no_callback():
    """A test that fails leaves no callback to the next."""
    yield
    mujoco.set_mjcb_control(None)


# --- on a model, and off it


def test_motors_that_are_made_again_do_not_add_their_rotors_twice():
    """The second ones find the model as the first ones did, and the first ones say that it is theirs no more."""
    model = chain(2)
    own = model.dof_armature.copy(), model.actuator_gainprm.copy(), model.actuator_gaintype.copy()
    first, data = made(model, SERVO), mujoco.MjData(model)
    first.step(data, 0.2)
    armature = model.dof_armature.copy()
    second = made(model, {"j0": KINDS["full"]})
    assert model.dof_armature == pytest.approx([armature[0], own[0][1]])
    with pytest.raises(ParameterError, match=r"off the model.*others were put on it since.*make new ones"):
        first.step(data, 0.2)
    with pytest.raises(ParameterError, match="off the model"), first.install():
        pass
    first.release()
    assert model.dof_armature[0] == armature[0]
    second.release()
    for mine, now in zip(own, (model.dof_armature, model.actuator_gainprm, model.actuator_gaintype), strict=True):
        assert np.array_equal(mine, now)
    # a joint of the user's own inertia keeps it when motors that are off are released once more
    model.dof_armature[:] = 0.7
    second.release()
    assert (model.dof_armature == 0.7).all()


def test_motors_that_were_refused_leave_no_rotor_behind():
    """Where making them ends in a warning that is an error, the next ones find the model as it was."""
    model, alone = (
        chain(2, integrator="Euler", inside='damping="200"', options='<flag eulerdamp="disable"/>') for _ in range(2)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BackemfWarning, match="is unstable with timestep"):
            Motors(model, SERVO)
    made(model, SERVO)
    made(alone, SERVO)
    assert np.array_equal(model.dof_armature, alone.dof_armature)


def test_released_motors_do_not_step():
    """They are done, and say so."""
    model = chain(1)
    motors, data = made(model, SERVO), mujoco.MjData(model)
    motors.release()
    with pytest.raises(ParameterError, match="released"):
        motors.step(data, 0.1)


def test_motors_are_not_released_in_the_middle():
    """Within `install` MuJoCo still calls them."""
    motors = made(chain(1), SERVO)
    with motors.install(), pytest.raises(ParameterError, match="when that context has ended"):
        motors.release()


@pytest.mark.parametrize("engine", ENGINES)
def test_no_torque_without_motors(engine: str):
    """After `install`, and after a reset, nothing pushes: without gravity a joint at rest stays there."""
    model = chain(1, gravity=0.0)
    motors, data = made(model, SERVO, engine=engine), mujoco.MjData(model)
    with motors.install():
        data.ctrl[:] = 0.4
        mujoco.mj_step(model, data, nstep=5)
    mujoco.mj_resetData(model, data)
    mujoco.mj_step(model, data, nstep=5)
    assert data.qpos[0] == 0.0
    motors.step(data, 0.4)
    mujoco.mj_resetData(model, data)
    motors.reset(data)
    mujoco.mj_forward(model, data)
    assert data.qacc[0] == 0.0


def test_an_actuator_with_a_delay_of_its_own_is_refused():
    """MuJoCo's delay acts on ctrl, which motors read themselves."""
    model = hinges(actuators='<motor joint="j0" name="slow" delay="0.01" nsample="6"/>')
    with pytest.raises(ParameterError, match=r"'slow' on joint 'j0' has a delay of its own.*Delay"):
        Motors(model, {"j0": motor()})


# --- callbacks of others


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("other", [None, lambda model, data: None])
def test_a_callback_that_is_taken_away_is_said(engine: str, other):
    """From then on no step has motors: one sentence at the end, and the other's callback stays."""
    model = chain(1)
    motors, data = made(model, SERVO, engine=engine), mujoco.MjData(model)
    with pytest.raises(SimulationError, match="was changed within install"), motors.install():
        mujoco.mj_step(model, data)
        mujoco.set_mjcb_control(other)
        mujoco.mj_step(model, data)
    left = mujoco.get_mjcb_control()
    mujoco.set_mjcb_control(None)
    assert left is other


def test_a_callback_that_was_there_is_left_alone():
    """One sentence says whose it is; it goes on being called."""
    model, mine = chain(1), (lambda model, data: None)
    motors, others = made(model, SERVO), made(chain(2), SERVO)
    mujoco.set_mjcb_control(mine)
    with pytest.raises(ParameterError, match="call your own controller before"), motors.install():
        pass
    assert mujoco.get_mjcb_control() is mine
    mujoco.set_mjcb_control(None)
    with others.install(), pytest.raises(ParameterError, match=r"motors\.step\(data, command\)"), motors.install():
        pass


# --- time that is not that of the next step


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", ["step", "callback"])
def test_a_run_that_begins_later_begins_cold(engine: str, way: str):
    """Time that leaps forward is as much a new run as time that goes back: the same motion from the same joints."""
    model = chain(2)
    motors, data, ends = made(model, SERVO, engine=engine), mujoco.MjData(model), []

    def run(step) -> None:
        for start in (0.0, 7.0, 20.0, 3.0):
            mujoco.mj_resetData(model, data)
            data.time = start
            for _ in range(60):
                step()
            ends.append((*data.qpos, *motors.output.winding_temperature))

    if way == "step":
        run(lambda: motors.step(data, 0.4))
    else:
        with motors.install():
            motors.command = 0.4
            run(lambda: mujoco.mj_step(model, data))
    assert ends[0][2] > 25.1
    for end in ends[1:]:
        assert end == pytest.approx(ends[0], rel=1e-12)


def test_every_rollout_begins_cold():
    """`mujoco.rollout` from states of a log, each later than where the last rollout ended: each as if alone."""
    from mujoco import rollout

    model = chain(2)
    motors, starts = made(model, SERVO), begin(model, 1).repeat(4, axis=0)
    # the first number of a state is its time
    starts[:, 0] = 5.0 * np.arange(4)
    control = np.full((4, 40, model.nu), 0.4)
    with motors.install():
        seen = np.asarray(rollout.rollout(model, mujoco.MjData(model), starts, control)[0])
    assert mujoco.mj_stateSize(model, WHOLE) == starts.shape[1] and np.ptp(seen[0, :, 1]) > 1e-2
    for other in seen[1:]:
        assert np.abs(other[:, 1:] - seen[0, :, 1:]).max() < 1e-12


def test_a_long_run_is_one_run():
    """After an hour a step is not as long as it was to the last digit; the motors stay warm."""
    model = chain(1)
    motors, data = made(model, SERVO), mujoco.MjData(model)
    data.time = 3600.0
    with motors.install():
        data.ctrl[:] = 0.4
        mujoco.mj_step(model, data, nstep=400)
        assert motors.output.electrical_energy[0] > 0.0
        warm = motors["j0"].winding_temperature
        mujoco.mj_step(model, data)
    assert warm > 25.5 and abs(motors["j0"].winding_temperature - warm) < 0.1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_look_before_the_first_step_changes_nothing(engine: str):
    """Rotors behind backlash begin with the speed of the joint in the first step, not at the first `mj_forward`."""
    act, speeds = be.Actuator(motor(backlash=0.02)), []
    for looks in (0, 2):
        model = hinges()
        motors, data = made(model, {"j0": act}, engine=engine), mujoco.MjData(model)
        with motors.install():
            motors.command = 0.0
            for _ in range(looks):
                mujoco.mj_forward(model, data)
            data.qvel[0] = 5.0
            mujoco.mj_step(model, data)
        rotor = motors.state[0].rotor_speed
        assert rotor is not None
        speeds.append(float(np.ravel(rotor)[0]))
    # 20 times the joint's speed, less what the back-EMF takes
    assert speeds[0] == speeds[1] and 10.0 < speeds[0] < 100.0


# --- threads


@pytest.mark.parametrize("python", [True, False])
def test_a_thread_that_has_begun_a_step_has_the_model(python: bool):
    """Another is refused from the moment at which the first one begins, not when the first one's torque is there."""
    model = chain(2)
    motors, first, second = made(model, SERVO, python), mujoco.MjData(model), mujoco.MjData(model)
    for data in (first, second):
        motors.step(data, 0.1)
    records, caught = motors._records, []
    block = records.block(model)
    assert block is not None
    records.claim(block, records.of(first))

    def elsewhere() -> None:
        try:
            records.claim(block, records.of(second))
        except ParameterError as error:
            caught.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(caught) == 1 and "another thread is in the middle of a step" in caught[0]


# --- slopes that nobody integrates


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["stiff", "bristles", "full"])
def test_an_arm_without_implicit_damping_moves_as_one_with_it(engine: str, kind: str):
    """Joints without damping of their own: what Euler would take into account, the motors have taken already."""
    act = STIFF if kind == "stiff" else KINDS[kind]
    ends = []
    for flags in ("", '<flag eulerdamp="disable"/>'):
        model = chain(3, integrator="Euler", dt=5e-3, options=flags)
        ends.append(ran(model, made(model, {"j.*": act}, engine=engine), square(80, 0.4, 20), position=0.3)["position"])
    assert np.abs(ends[0] - ends[1]).max() < 1e-9 and np.abs(ends[0] - ends[0][0]).max() > 1e-3
