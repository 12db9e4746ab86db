"""`BackemfDrive` and `BackemfActuator` inside Newton: NumPy's numbers, one launch, resets, graphs and telemetry."""

from __future__ import annotations

import newton
import numpy as np
import pytest
import warp as wp
from newton.actuators import Actuator, ClampingMaxEffort, DrivePD
from rig import BATTERY, DT, KINDS, Host, array, course, motor, reference, run

import backemf as be
from backemf.motorfile import dumps
from backemf.sims.newton import BackemfActuator, BackemfDrive, add_armature, fuse

COUNT, STEPS = 24, 60
MASK = np.arange(COUNT) % 5 == 0


def close(found, expected, tolerance: float = 1e-4, flips: float = 0.0) -> None:
    """Within rounding of float32 of the peak; at the edge of a limit a share may differ."""
    error = np.abs(found - expected) / np.abs(expected).max()
    assert np.quantile(error, 1.0 - flips) <= tolerance, error.max()


@pytest.mark.parametrize("kind", [Actuator, BackemfActuator])
@pytest.mark.parametrize("name", KINDS)
def test_torques_are_those_of_numpy(name, kind):
    """60 random steps at scattered indices, some joints reset in between: NumPy's torque to float32 rounding."""
    given, host = course(COUNT, STEPS), Host(COUNT)
    found = run(kind(host.indices, BackemfDrive(KINDS[name])), host, given, 25, MASK)
    expected = reference(KINDS[name], given, 25, MASK)["torque"]
    assert np.abs(expected).max() > 0.05
    close(found, expected, flips=0.01 if "bristles" in name or name == "turns" else 0.0)


@pytest.mark.parametrize("name", ["PD and DC clip", "PID in volts, heat", "delay and slew"])
def test_joints_in_order_are_read_straight(name):
    """Joints that come first and in order give the same torques as scattered ones, to the last bit."""
    given = course(COUNT, STEPS)
    torques = []
    for straight in (False, True):
        host = Host(COUNT, straight=straight)
        torques.append(run(BackemfActuator(host.indices, BackemfDrive(KINDS[name])), host, given))
    assert np.array_equal(*torques)


@pytest.mark.parametrize("name", KINDS)
def test_one_launch_gives_the_same(name):
    """Newton's actuator around our drive and the fused one give the same torques, to the last bit."""
    given, torques = course(COUNT, STEPS), []
    for kind in (Actuator, BackemfActuator):
        host = Host(COUNT)
        torques.append(run(kind(host.indices, BackemfDrive(KINDS[name])), host, given))
    assert np.array_equal(*torques)


def test_numbers_of_each_joint():
    """An array in the actuator is one number per joint."""
    ohms = np.linspace(0.5, 2.0, COUNT)
    magnet = be.Magnet(torque_constant=0.05, back_emf_constant=0.06)
    kind = be.Actuator(be.Motor(winding=be.Winding(resistance=ohms), magnet=magnet))
    given, host = course(COUNT, 5), Host(COUNT)
    close(run(Actuator(host.indices, BackemfDrive(kind)), host, given), reference(kind, given)["torque"], 1e-6)


def test_forces_are_added():
    """What stands in the array of forces stays, and torques come on top."""
    given, host = course(COUNT, 1), Host(COUNT)
    torques = []
    for kind in (Actuator, BackemfActuator):
        actuator = kind(host.indices, BackemfDrive(KINDS["PD and DC clip"]))
        host.set(*(x[0] for x in given))
        host.control.joint_f.fill_(2.0)
        actuator.step(host.state, host.control, dt=DT)
        torques.append(host.control.joint_f.numpy()[host.places] - 2.0)
    expected = reference(KINDS["PD and DC clip"], given)["torque"][0]
    for found in torques:
        assert np.abs(found - expected).max() < 1e-5


def test_two_actuators_add_up_on_one_joint():
    """Each actuator of a joint adds its own torque."""
    given, host = course(COUNT, 1), Host(COUNT)
    host.set(*(x[0] for x in given))
    for _ in range(2):
        BackemfActuator(host.indices, BackemfDrive(KINDS["PD and DC clip"])).step(host.state, host.control, dt=DT)
    assert np.allclose(host.forces(), 2 * reference(KINDS["PD and DC clip"], given)["torque"][0], atol=1e-5)


def test_telemetry_is_in_arrays():
    """Watched outputs are arrays that every step writes: NumPy's current, temperature and limits."""
    kind, given, host = KINDS["PID in volts, heat"], course(COUNT, STEPS), Host(COUNT)
    for make in (Actuator, BackemfActuator):
        drive = BackemfDrive(kind)
        actuator = make(host.indices, drive)
        seen = drive.watch("current", "winding_temperature", "limit")
        run(actuator, host, given)
        expected = reference(kind, given)
        for name in ("current", "winding_temperature"):
            close(seen[name].numpy(), expected[name][-1])
        assert (seen["limit"].numpy() == expected["limit"][-1]).all()
        with pytest.raises(be.ParameterError, match="telemetry names 'amps'"):
            drive.watch("amps")


def test_states_by_name():
    """A state of Newton holds ours by name; a reset by mask puts the motors back to ambient, the others stay."""
    host = Host(COUNT)
    actuator = BackemfActuator(host.indices, BackemfDrive(KINDS["PID in volts, heat"]))
    before, after = actuator.state(), actuator.state()
    for row in zip(*course(COUNT, 10), strict=True):
        host.set(*row)
        actuator.step(host.state, host.control, before, after, dt=DT)
        before, after = after, before
    warm = before.drive_state["winding_rise"].numpy()
    assert (warm > 1e-3).all()
    before.reset(array(MASK, wp.bool))
    assert np.array_equal(before.drive_state["winding_rise"].numpy(), np.where(MASK, 0.0, warm))
    before.reset()
    assert not before.drive_state["winding_rise"].numpy().any()
    with pytest.raises(be.ParameterError, match="has current, winding_rise"):
        before.drive_state["bristle"]
    with pytest.raises(be.ParameterError, match=r"mask has the shape \(3,\)"):
        before.reset(wp.zeros(3, dtype=wp.bool))


@pytest.mark.parametrize("kind", [Actuator, BackemfActuator])
def test_the_present_state_stays(kind):
    """A step reads one state and writes the other: the same step twice gives the same."""
    host = Host(COUNT)
    actuator = kind(host.indices, BackemfDrive(KINDS["delay and slew"]))
    before, after = actuator.state(), actuator.state()
    host.set(*(x[0] for x in course(COUNT, 1)))
    twice = []
    for _ in range(2):
        actuator.step(host.state, host.control, before, after, dt=DT)
        twice.append({name: x.numpy().copy() for name, x in after.drive_state.arrays.items()})
    assert all(np.array_equal(x, twice[1][name]) for name, x in twice[0].items())
    assert any(x.any() for x in twice[0].values())


@pytest.mark.parametrize("kind", [Actuator, BackemfActuator])
def test_a_state_is_copied_whole(kind):
    """`assign` of Newton's state makes a course go on from there: the torques after it are the same."""
    given, host = course(COUNT, 20), Host(COUNT)
    actuator = kind(host.indices, BackemfDrive(KINDS["delay and slew"]))
    whole = run(actuator, host, given)
    before, after, saved, other = (actuator.state() for _ in range(4))
    rows = []
    for k, row in enumerate(zip(*given, strict=True)):
        if k == 9:
            saved.assign(before)
            before, after = saved, other
        host.set(*row)
        actuator.step(host.state, host.control, before, after, dt=DT)
        rows.append(host.forces().copy())
        before, after = after, before
    assert np.array_equal(np.array(rows), whole)


@pytest.mark.parametrize("kind", [Actuator, BackemfActuator])
def test_three_states_in_turn(kind):
    """States need not alternate: three in turn give what two give."""
    given, host = course(COUNT, 20), Host(COUNT)
    actuator = kind(host.indices, BackemfDrive(KINDS["delay and slew"]))
    whole = run(actuator, host, given)
    states, rows = [actuator.state() for _ in range(3)], []
    for k, row in enumerate(zip(*given, strict=True)):
        host.set(*row)
        actuator.step(host.state, host.control, states[k % 3], states[(k + 1) % 3], dt=DT)
        rows.append(host.forces().copy())
    assert np.array_equal(np.array(rows), whole)


@pytest.mark.parametrize("kind", [Actuator, BackemfActuator])
def test_states_of_two_simulations_in_turn(kind):
    """One actuator may step two pairs of states, also from one state twice: each pair goes its own way."""
    courses, host = [course(COUNT, 20, seed) for seed in (3, 4)], Host(COUNT)
    alone = [run(kind(host.indices, BackemfDrive(KINDS["delay and slew"])), host, given) for given in courses]
    actuator = kind(host.indices, BackemfDrive(KINDS["delay and slew"]))
    pairs, rows = [[actuator.state(), actuator.state()] for _ in courses], ([], [])
    for k in range(20):
        for which, given in enumerate(courses):
            for _ in range(1 + k % 2):
                host.set(*(x[k] for x in given))
                actuator.step(host.state, host.control, *pairs[which], dt=DT)
            rows[which].append(host.forces().copy())
            pairs[which].reverse()
    for found, wanted in zip(rows, alone, strict=True):
        assert np.array_equal(np.array(found), wanted)


def test_a_delay_moves_the_frames_that_are_new():
    """Of a ring of five frames, one is written where the step is made, and two where it is passed on."""
    host, moved = Host(COUNT), []
    late = be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.1), delay=be.Delay(steps=4))
    actuator = Actuator(host.indices, BackemfDrive(late))
    before, after = actuator.state(), actuator.state()
    for row in zip(*course(COUNT, 6), strict=True):
        host.set(*row)
        lines = [actuator.drive._after["position_line"], after.drive_state["position_line"]]
        assert lines[0].shape == lines[1].shape == (5, COUNT)
        for marked, line in zip((777.0, 888.0), lines, strict=True):
            line.fill_(marked)
        actuator.step(host.state, host.control, before, after, dt=DT)
        moved.append([int((x.numpy() != y).any(axis=1).sum()) for x, y in zip(lines, (777.0, 888.0), strict=True)])
        before, after = after, before
    # the first step knows nothing of what stands there
    assert moved == [[5, 5], *[[1, 2]] * 5]


@pytest.mark.parametrize("kind", [Actuator, BackemfActuator])
def test_a_step_allocates_nothing(kind, monkeypatch):
    """After the first steps nothing is made or read back, so that a graph can hold it; all is one launch of ours."""
    host = Host(COUNT)
    actuator = kind(host.indices, BackemfDrive(KINDS["delay and slew"]))
    before, after = actuator.state(), actuator.state()
    host.set(*(x[0] for x in course(COUNT, 1)))
    assert actuator.is_graphable()
    for _ in range(4):
        actuator.step(host.state, host.control, before, after, dt=DT)
        before, after = after, before
    launches = []
    launch, again = wp.launch, type(next(iter(next(iter(actuator.drive._fused.values()))._launches.values()))).launch
    monkeypatch.setattr(wp, "launch", lambda *a, **k: (launches.append("newton"), launch(*a, **k)))
    monkeypatch.setattr(wp._src.context.Launch, "launch", lambda s, *a: (launches.append("ours"), again(s, *a)))
    for name in ("empty", "zeros", "full", "zeros_like", "clone"):
        monkeypatch.setattr(wp, name, lambda *a, **k: pytest.fail("an array is made"))
    monkeypatch.setattr(wp.array, "numpy", lambda *a: pytest.fail("an array is read back"))
    for _ in range(2):
        actuator.step(host.state, host.control, before, after, dt=DT)
        before, after = after, before
    # Newton's own adds the torques, and has the state passed on
    assert launches == (["ours", "newton", "ours"] if kind is Actuator else ["ours"]) * 2


def test_clamps_of_newton_go_around_it():
    """A drive of ours under a clamp of Newton's; the fused actuator then does what Newton's does."""
    given, host = course(COUNT, STEPS), Host(COUNT)
    torques = []
    for kind in (Actuator, BackemfActuator):
        clamp = ClampingMaxEffort(wp.full(COUNT, 0.3, dtype=wp.float32))
        drive = BackemfDrive(KINDS["PID in volts, heat"])
        torques.append(run(kind(host.indices, drive, clamping=[clamp]), host, given))
    assert np.array_equal(*torques)
    close(torques[0], np.clip(reference(KINDS["PID in volts, heat"], given)["torque"], -0.3, 0.3))


# --- models


def pendulums(count: int, **arguments) -> newton.ModelBuilder:
    """Links on hinges, each with an actuator of ours."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    one = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    link = one.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
    joint = one.add_joint_revolute(-1, link, axis=wp.vec3(0.0, 0.0, 1.0), armature=0.02)
    one.add_articulation([joint])
    one.add_actuator(BackemfDrive, index=0, **arguments)
    builder.replicate(one, count)
    return builder


def test_a_model_groups_its_joints():
    """Joints with one actuator are one row; `fuse` steps them in one launch; armature goes to their joints."""
    kind = be.Actuator(motor(), BATTERY, controller=be.PositionPid(kp=20.0))
    model = pendulums(8, actuator=kind).finalize()
    assert [a.num_actuators for a in model.actuators] == [8]
    assert isinstance(model.actuators[0].drive, BackemfDrive)
    assert type(fuse(model).actuators[0]) is BackemfActuator
    add_armature(model)
    assert model.joint_armature.numpy() == pytest.approx(0.02 + kind.motor.armature)


@pytest.mark.parametrize(
    "given",
    [
        motor(),
        be.Actuator(controller=be.IdealPd(stiffness=1.0), delay=be.Delay(steps=(0, 3), schedule="step")),
        dumps(KINDS["servo"]),
    ],
)
def test_joints_of_one_thing_are_one_row(given):
    """A motor, an actuator whose delay is drawn, or a text: joints that are given the same one share a launch."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k in range(3):
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
        builder.add_articulation([builder.add_joint_revolute(-1, link)])
        builder.add_actuator(BackemfDrive, index=k, actuator=given)
    assert [a.num_actuators for a in builder.finalize().actuators] == [3]


def test_a_motor_of_the_catalogue():
    """A motor by its id, with a voltage and gains: the actuator that one would make by hand."""
    model = pendulums(2, motor="mit-mini-cheetah", voltage=24.0, kp=20.0, kd=0.5).finalize()
    found = model.actuators[0].drive.backemf
    assert found.motor == be.Datasheet.load("mit-mini-cheetah").motor()
    assert found.controller == be.TorquePid(kp=20.0, kd=0.5)
    assert found.supply.voltage == 24.0


def test_a_joint_follows_its_motor():
    """A solver of Newton with our motor: half a second of a link gives what `simulate` gives on the same inertia."""
    kind = be.Actuator(motor(), BATTERY, controller=be.PositionPid(kp=20.0, kd=1.0))
    model = pendulums(3, actuator=kind).finalize()
    fuse(model)
    add_armature(model)
    solver = newton.solvers.SolverFeatherstone(model)
    here, there, control = model.state(), model.state(), model.control()
    control.joint_target_q.fill_(0.5)
    actuator = model.actuators[0]
    before, after = actuator.state(), actuator.state()
    dt = 5e-4
    for _ in range(1000):
        control.joint_f.zero_()
        actuator.step(here, control, before, after, dt=dt)
        here.clear_forces()
        solver.step(here, there, control, None, dt)
        here, there = there, here
        before, after = after, before
    load = be.Inertia(0.01 + 0.02)
    run_ = be.simulate(kind, load=load, command=0.5, duration=0.5, dt=dt)
    assert here.joint_q.numpy() == pytest.approx(float(run_["position"][-1]), abs=5e-3)
    assert 0.2 < here.joint_q.numpy()[0] < 0.6


# --- words


def test_what_newton_cannot_hold_is_refused():
    """One sentence each: modes, networks, backlash, a missing step, a missing input, one state for two."""
    modes = be.Actuator(motor(), BATTERY, controller=be.ModeSelector())
    with pytest.raises(be.ParameterError, match="Newton has no modes"):
        BackemfDrive(modes)
    loose = be.Gearbox(stages=(be.Stage(ratio=10.0),), backlash=0.01)
    plain = motor()
    play = be.Motor(winding=plain.winding, magnet=plain.magnet, rotor=plain.rotor, gearbox=loose)
    with pytest.raises(be.ParameterError, match="backlash needs load_torque"):
        BackemfDrive(be.Actuator(play, BATTERY))
    with pytest.raises(be.ParameterError, match="needs newton:backemf:actuator"):
        BackemfDrive()
    with pytest.raises(be.ParameterError, match="must be an id of the catalogue"):
        BackemfDrive(motor=motor())
    with pytest.raises(be.ParameterError, match="kq: a backemf actuator has no such number"):
        BackemfDrive(motor="mit-mini-cheetah", kq=3.0)
    with pytest.raises(be.ParameterError, match="make the actuator with this drive first"):
        BackemfDrive(KINDS["volts"]).watch("current")
    force = Actuator(Host(COUNT).indices, BackemfDrive(KINDS["PD and DC clip"], telemetry=("current",)))
    with pytest.raises(be.ParameterError, match="'current': this actuator has no such output"):
        force.step(Host(COUNT).state, Host(COUNT).control, dt=DT)
    host = Host(COUNT)
    actuator = BackemfActuator(host.indices, BackemfDrive(KINDS["volts"]))
    before, after = actuator.state(), actuator.state()
    with pytest.raises(be.ParameterError, match="give the length of the step"):
        actuator.step(host.state, host.control, before, after)
    with pytest.raises(be.ParameterError, match="dt = -1"):
        actuator.step(host.state, host.control, before, after, dt=-1.0)
    with pytest.raises(be.ParameterError, match="two states"):
        actuator.step(host.state, host.control, before, before, dt=DT)
    host.control.joint_act = None
    with pytest.raises(be.ParameterError, match="Voltage follows joint_act, which is not there"):
        actuator.step(host.state, host.control, before, after, dt=DT)
    slow = be.Actuator(controller=be.IdealPd(stiffness=1.0), delay=be.Delay(seconds=1.0))
    late = Actuator(host.indices, BackemfDrive(slow))
    with pytest.raises(be.ParameterError, match="longer than the 32 frames"):
        late.step(host.state, host.control, late.state(), late.state(), dt=DT)
    long = Actuator(host.indices, BackemfDrive(slow, dt=0.1))
    long.step(host.state, host.control, long.state(), long.state(), dt=0.1)


def test_newtons_own_drive_is_left_alone():
    """`fuse` touches drives of ours alone."""
    gains = wp.ones(COUNT, dtype=wp.float32)
    plain = Actuator(Host(COUNT).indices, DrivePD(gains, gains))
    model = type("Model", (), {"actuators": [plain]})()
    assert type(fuse(model).actuators[0]) is Actuator
