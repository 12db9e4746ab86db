"""Numbers that change while a row of joints runs: taken by the next step, in every mode, at the same addresses."""

from __future__ import annotations

import newton
import numpy as np
import pytest
import warp as wp
from newton.actuators import Actuator, JointSpaceResponse
from rig import BATTERY, BRISTLES, DT, KINDS, Host, array, course, motor, reference, run

import backemf as be
from backemf.engines import warp_kernel, warp_plan
from backemf.random.randomize import rebuild
from backemf.sims.newton import BackemfActuator, BackemfDrive
from backemf.tree import numbers

COUNT, STEPS = 8, 30
FULL = be.Actuator(
    motor(
        friction=BRISTLES,
        drag=be.Drag(coefficients=(1e-5,)),
        limits=be.Limits(peak_current=6.0, safe_current=2.0, derating_start=330.0, derating_end=380.0),
    ),
    BATTERY,
    controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=500.0),
    limits=(be.EffortLimit(effort_limit=4.0), be.DcClip(saturation_effort=5.0, velocity_limit=12.0, effort_limit=3.0)),
)
BARE = be.Actuator(
    be.Motor(
        winding=be.Winding(resistance=1.2),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.06),
        rotor=be.Rotor(inertia=1e-5),
        ratings=be.Ratings(voltage=12.0),
    ),
    BATTERY,
)
ALL = KINDS | {"everything": FULL, "bare motor": BARE}
FACTOR = 0.93


def plain_numbers(kind: be.Actuator) -> dict[str, float]:
    """Numbers of an actuator, but those of the delay."""
    return {name: float(x) for name, x in numbers(kind) if not name.startswith("delay.")}


def with_numbers(kind: be.Actuator, values: dict[str, float]) -> be.Actuator:
    """The same actuator with other numbers, made anew; those that are neutral stay left out."""
    return rebuild(kind, values)


def steps_with(actuator, host: Host, given, change) -> np.ndarray:
    """Torques of a course in whose middle `change` is called."""
    before, after, rows = actuator.state(), actuator.state(), []
    for k, row in enumerate(zip(*given, strict=True)):
        if k == STEPS // 2:
            change()
        host.set(*row)
        actuator.step(host.state, host.control, before, after, dt=DT)
        rows.append(host.forces().copy())
        before, after = after, before
    return np.array(rows)


@pytest.mark.parametrize("make", [Actuator, BackemfActuator])
@pytest.mark.parametrize("name", ALL)
def test_every_number_takes_effect_at_the_next_step(name, make):
    """All numbers of an actuator changed in the middle of a course: the torques are those of an actuator that was made
    with the new numbers and goes on from the same state, so that nothing of the old ones is left anywhere."""
    kind = ALL[name]
    given, host = course(COUNT, STEPS), Host(COUNT)
    drive = BackemfDrive(kind)
    actuator = make(host.indices, drive)
    new = {n: drive.numbers[n].numpy()[0].item() * FACTOR for n in drive.numbers}

    def change() -> None:
        for n, x in new.items():
            drive.set_numbers(n, x)

    other = BackemfDrive(with_numbers(kind, new), fixed=True)
    made = make(host.indices, other)
    found = steps_with(actuator, host, given, change)
    # the first half with the old actuator, the second with the new one, from the same state
    first = BackemfActuator(host.indices, BackemfDrive(kind))
    before, after, expected = first.state(), first.state(), []
    for k, row in enumerate(zip(*given, strict=True)):
        if k == STEPS // 2 and before is not None:
            handed = made.state()
            handed.assign(before)
            before, after = handed, made.state()
        host.set(*row)
        (first if k < STEPS // 2 else made).step(host.state, host.control, before, after, dt=DT)
        expected.append(host.forces().copy())
        before, after = after, before
    expected = np.array(expected)
    error = np.abs(found - expected) / np.abs(expected).max()
    # at the edge of a bristle's sliding a share may differ
    assert np.quantile(error, 0.99 if "bristle" in name or name in ("turns", "everything") else 1.0) <= 1e-5, (
        error.max()
    )


@pytest.mark.parametrize("name", ALL)
def test_each_number_counts_or_is_refused(name):
    """Every number of an actuator either changes what some step gives, or says in one sentence that none takes it."""
    kind, host, given = ALL[name], Host(COUNT), course(COUNT, STEPS)
    drive = BackemfDrive(kind)
    actuator = BackemfActuator(host.indices, drive)
    names = list(drive.numbers)
    assert names
    assert (name == "bare motor") == ("motor.rotor.inertia" in plain_numbers(kind).keys() - set(names))
    for full in plain_numbers(kind):
        if full in names:
            assert drive.numbers[full].shape == (COUNT,)
            continue
        with pytest.raises(be.ParameterError, match="no step of this actuator takes it; it takes"):
            drive.set_numbers(full, 1.0)
    assert run(actuator, host, given).shape == (STEPS, COUNT)


def test_mask_and_indices():
    """Some joints get a number, the others keep theirs: NumPy's torques with the same array."""
    kind, host, given = KINDS["PD and DC clip"], Host(COUNT), course(COUNT, STEPS)
    drive = BackemfDrive(kind)
    actuator = BackemfActuator(host.indices, drive)
    mask = np.arange(COUNT) % 2 == 0
    drive.set_numbers("controller.stiffness", 3.0, mask=mask)
    drive.set_numbers("controller.damping", np.linspace(0.1, 0.8, COUNT), mask=array(~mask, wp.bool))
    drive.set_numbers("limits.0.effort_limit", [1.0, 2.0], indices=[5, 1])
    drive.set_numbers("limits.0.effort_limit", 0.5, indices=7)
    k = np.where(mask, 3.0, 8.0)
    d = np.where(mask, 0.5, np.linspace(0.1, 0.8, COUNT))
    top = np.full(COUNT, 3.0)
    top[[5, 1, 7]] = [1.0, 2.0, 0.5]
    expected = be.Actuator(
        controller=be.IdealPd(stiffness=k, damping=d),
        limits=be.DcClip(saturation_effort=5.0, velocity_limit=12.0, effort_limit=top),
    )
    found = run(actuator, host, given)
    assert np.abs(found - reference(expected, given)["torque"]).max() < 1e-5
    now = drive.present_actuator()
    assert now.controller.stiffness == pytest.approx(k)
    assert now.limits[0].saturation_effort == 5.0


def test_addresses_stay_and_nothing_is_compiled(monkeypatch):
    """After the first step a change makes no kernel, no launch plan and no array that a step reads."""
    host, given = Host(COUNT), course(COUNT, 4)
    drive = BackemfDrive(FULL)
    actuator = BackemfActuator(host.indices, drive)
    run(actuator, host, given)
    places = {name: drive.numbers[name].ptr for name in drive.numbers}
    kernels = len(warp_kernel.BUILT)
    plans = {key: len(plan._launches) for key, plan in drive._fused.items()}
    monkeypatch.setattr(warp_plan, "build_kernel", lambda *a: pytest.fail("a kernel is made"))
    first = run(actuator, host, given)
    more = {key: len(plan._launches) for key, plan in drive._fused.items()}
    drive.set_numbers("winding.resistance", 2.5)
    drive.set_numbers("magnet.torque_constant", wp.full(COUNT, 0.03, dtype=wp.float32))
    assert not np.allclose(run(actuator, host, given), first)
    assert {name: drive.numbers[name].ptr for name in drive.numbers} == places
    assert len(warp_kernel.BUILT) == kernels
    assert drive._fused.keys() == plans.keys() == more.keys()


@pytest.mark.parametrize("make", [Actuator, BackemfActuator])
def test_a_captured_graph_sees_the_change(make):
    """A step that was captured takes a number that is changed afterwards, and a change may be captured itself."""
    kind, host, given = KINDS["PID in volts, heat"], Host(COUNT), course(COUNT, 1)
    drive = BackemfDrive(kind)
    actuator = make(host.indices, drive)
    before, after = actuator.state(), actuator.state()
    host.set(*(x[0] for x in given))
    ohms = wp.full(COUNT, 0.9, dtype=wp.float32)
    drive.set_numbers("winding.resistance", 1.2)
    for _ in range(2):
        actuator.step(host.state, host.control, before, after, dt=DT)

    def step() -> None:
        host.control.joint_f.zero_()
        actuator.step(host.state, host.control, before, after, dt=DT)

    with wp.ScopedCapture(device=drive.device) as plain:
        step()
    with wp.ScopedCapture(device=drive.device) as changing:
        drive.set_numbers("winding.resistance", ohms)
        step()

    def torque(graph) -> np.ndarray:
        wp.capture_launch(graph)
        return host.forces().copy()

    def expected_array(value) -> np.ndarray:
        return reference(rebuild(kind, {"motor.winding.resistance": value}), given)["torque"][0]

    assert torque(plain.graph) == pytest.approx(expected_array(1.2), rel=1e-4)
    drive.set_numbers("winding.resistance", 2.4, mask=np.arange(COUNT) < 4)
    halves = np.where(np.arange(COUNT) < 4, 2.4, 1.2)
    assert torque(plain.graph) == pytest.approx(expected_array(halves), rel=1e-4)
    assert torque(changing.graph) == pytest.approx(expected_array(0.9), rel=1e-4)
    ohms.fill_(3.0)
    assert torque(changing.graph) == pytest.approx(expected_array(3.0), rel=1e-4)


def test_an_array_may_be_written_by_hand():
    """`numbers[name]` is the array that steps read: what is written into it counts, by its short name too."""
    kind, host, given = KINDS["volts"], Host(COUNT), course(COUNT, 3)
    drive = BackemfDrive(kind)
    actuator = BackemfActuator(host.indices, drive)
    ohms = np.linspace(0.5, 2.0, COUNT).astype(np.float32)
    drive.numbers["winding.resistance"].assign(ohms)
    assert drive.numbers["motor.winding.resistance"].numpy() == pytest.approx(ohms)
    expected = rebuild(kind, {"motor.winding.resistance": ohms.astype(float)})
    found = run(actuator, host, given)
    assert np.abs(found - reference(expected, given)["torque"]).max() < 1e-5


def test_an_array_of_the_users_own():
    """An actuator that was given a Warp array keeps it: it is in `numbers` and may be changed like the others."""
    ohms = wp.full(COUNT, 1.5, dtype=wp.float32)
    magnet = be.Magnet(torque_constant=0.05, back_emf_constant=0.06)
    drive = BackemfDrive(be.Actuator(be.Motor(winding=be.Winding(resistance=ohms), magnet=magnet)))
    BackemfActuator(Host(COUNT).indices, drive)
    assert drive.numbers["winding.resistance"].ptr == ohms.ptr
    drive.set_numbers("winding.resistance", 2.0, indices=[3])
    assert ohms.numpy().tolist() == [1.5, 1.5, 1.5, 2.0, 1.5, 1.5, 1.5, 1.5]


def test_in_implicit_mode():
    """Newton's solve takes a new stiffness and a new resistance at the next step: the closed form of the PD

    tau·(1 + h·A·(kd + h·kp)) = kp·(p - q - h·v) - kd·v, and for a motor what one made with the number gives."""

    def model_of(kind: be.Actuator) -> newton.Model:
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.02))
        builder.add_articulation([builder.add_joint_revolute(-1, link, axis=wp.vec3(0.0, 0.0, 1.0), armature=0.0)])
        builder.add_actuator(BackemfDrive, index=0, actuator=kind)
        return builder.finalize()

    def effort(model: newton.Model, change=lambda drive: None) -> tuple[float, float]:
        response, (actuator,) = JointSpaceResponse(model), model.actuators
        state, control = model.state(), model.control()
        state.joint_q.fill_(0.1)
        state.joint_qd.fill_(1.5)
        control.joint_target_q.fill_(0.5)
        newton.eval_fk(model, state.joint_q, state.joint_qd, state)
        response.refresh(state)
        actuator.set_effort_mode_implicit(response)
        found = []
        for _ in range(2):
            control.joint_f.zero_()
            actuator.step(state, control, actuator.state(), actuator.state(), dt=0.01)
            found.append(float(control.joint_f.numpy()[0]))
            change(actuator.drive)
        return found[0], found[1]

    pd = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=2.0))
    both = effort(model_of(pd), lambda d: d.set_numbers("controller.stiffness", 90.0))
    for kp, tau in zip((40.0, 90.0), both, strict=True):
        free = kp * (0.5 - 0.1 - 0.01 * 1.5) - 2.0 * 1.5
        assert tau == pytest.approx(free / (1.0 + 0.01 / 0.02 * (2.0 + 0.01 * kp)), rel=1e-4)
    kind = be.Actuator(motor(), BATTERY, controller=be.PositionPid(kp=20.0, kd=0.5))
    before, after = effort(model_of(kind), lambda d: d.set_numbers("winding.resistance", 2.4))
    other = rebuild(kind, {"motor.winding.resistance": 2.4})
    assert after == pytest.approx(effort(model_of(other))[0], rel=1e-5)
    assert abs(after - before) > 0.05 * abs(before)


def test_gradients_to_the_numbers_of_a_model():
    """In a model with gradients a tape reaches the numbers: d(torque)/d(stiffness) of a PD is the error."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
        builder.add_articulation([builder.add_joint_revolute(-1, link)])
        builder.add_actuator(BackemfDrive, index=k, actuator=be.Actuator(controller=be.IdealPd(stiffness=4.0 + k)))
    model = builder.finalize(requires_grad=True)
    (actuator,) = model.actuators
    state, control = model.state(requires_grad=True), model.control(requires_grad=True)
    control.joint_target_q.assign(np.array([0.3, -0.2], dtype=np.float32))
    with wp.Tape() as tape:
        actuator.step(state, control, dt=DT)
    tape.backward(grads={control.joint_f: wp.ones(2, dtype=wp.float32)})
    assert actuator.drive.numbers["controller.stiffness"].grad.numpy() == pytest.approx([0.3, -0.2])


WRONG = {
    "this actuator has no such number; it has motor.winding.resistance, ": ("winding.ohms", 1.0, {}),
    "the length of a delay is that of its buffer": ("delay.steps", 3.0, {}),
    "Winding.resistance = -1": ("winding.resistance", -1.0, {}),
    "Winding.resistance = nan|Winding.resistance = -1": ("winding.resistance", float("nan"), {}),
    "at index (2,): must be a finite number greater than 0": ("winding.resistance", [1, 1, 0, 1, 1, 1, 1, 1], {}),
    "must be one number, or one for each of 8 joints": ("winding.resistance", [1.0, 2.0], {}),
    "values = 'much'": ("winding.resistance", "much", {}),
    "give mask= or indices=, not both": ("winding.resistance", 1.0, {"mask": np.ones(8, bool), "indices": [0]}),
    "the mask is bool of the shape (3,)": ("winding.resistance", 1.0, {"mask": np.ones(3, bool)}),
    "must be whole numbers from 0 to 7": ("winding.resistance", 1.0, {"indices": [8]}),
    "indices = [0.5]": ("winding.resistance", 1.0, {"indices": [0.5]}),
    "values are float64 of the shape (8,): must be float32": ("winding.resistance", wp.zeros(8, dtype=wp.float64), {}),
    "values are float32 of the shape (3,)": ("winding.resistance", wp.zeros(3, dtype=wp.float32), {}),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_one_sentence(sentence):
    """Field, value and remedy; the numbers stay as they were."""
    name, values, more = WRONG[sentence]
    drive = BackemfDrive(KINDS["delay and slew"])
    with pytest.raises(be.ParameterError, match="make the actuator of Newton with this drive first"):
        drive.set_numbers("winding.resistance", 1.0)
    BackemfActuator(Host(COUNT).indices, drive)
    with pytest.raises(be.ParameterError) as caught:
        drive.set_numbers(name, values, **more)
    told = str(caught.value)
    assert any(part in told for part in sentence.split("|")), told
    assert "\n" not in told
    assert (drive.numbers["winding.resistance"].numpy() == np.float32(1.2)).all()
