"""Limits around a controller: slew, range, volts, torque, windup, commands that are no numbers, and what is told."""

from dataclasses import fields, replace

import numpy as np
import pytest
from controller_kinds import ALL, BUS, DT, KT, LARGE, SELECTORS, SUPPLY, VOLT_LOOPS, R, motor

import backemf as be
from backemf.physics.state import LIMITS


def with_motor(controller, **parts) -> be.Actuator:
    return be.Actuator(motor(), SUPPLY, controller=controller, **parts)


def steps_of(actuator: be.Actuator, command, count: int, q: float = 0.0, v: float = 0.0) -> list:
    """States and outputs of a joint that is held still."""
    step = actuator.compile("python")
    state, seen = step.initial(), []
    for _ in range(count):
        state, out = step(state, command, q, v, DT)
        seen.append((state, out))
    return seen


# --- slew and range


@pytest.mark.parametrize("name", ALL)
def test_slew_holds_back_the_main_input(name: str):
    """The setpoint leaves the joint's place, speed or 0 by slew·dt a step until it is there; flagged until then."""
    controller, start = ALL[name], {"position": 0.3, "velocity": -0.2}.get(ALL[name].main, 0.0)
    target = start - 0.0105
    seen = steps_of(with_motor(controller, slew=2.0), target, 8, q=0.3, v=-0.2)
    setpoints = [state.setpoint for state, _ in seen]
    assert setpoints == pytest.approx([max(start - 2.0 * DT * k, target) for k in range(1, 9)], abs=1e-15)
    assert ["slew" in be.limit_names(out.limit) for _, out in seen] == [True] * 5 + [False] * 3


@pytest.mark.parametrize("name", ALL)
def test_slew_is_what_the_controller_sees(name: str):
    """A step under a slew limit gives the same as the command that the limit lets through."""
    controller, main = ALL[name], ALL[name].main
    slow = steps_of(with_motor(controller, slew=2.0), LARGE[main], 1, q=0.3, v=-0.2)[0]
    start = {"position": 0.3, "velocity": -0.2}.get(main, 0.0)
    quick = steps_of(with_motor(controller), start + 2.0 * DT, 1, q=0.3, v=-0.2)[0]
    assert slow[1].torque == pytest.approx(quick[1].torque, rel=1e-12)


def test_slew_leaves_other_inputs_alone():
    """Only the main input of a PD is held back; velocity and effort jump."""
    plain, slow = (be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.5), slew=s) for s in (None, 1e-6))
    command = be.Command(position=0.0, velocity=2.0, effort=3.0)
    assert steps_of(slow, command, 1)[0][1].torque == steps_of(plain, command, 1)[0][1].torque == 0.5 * 2.0 + 3.0


@pytest.mark.parametrize("name", ALL)
def test_command_range_clips_the_main_input(name: str):
    """Beyond the range the joint gets what the end of the range asks for, flagged; within it nothing changes."""
    controller = ALL[name]
    ranged = with_motor(controller, command_range=(-0.5, 0.2))
    for command, end in ((3.0, 0.2), (-3.0, -0.5), (0.1, 0.1)):
        out = steps_of(ranged, command, 1)[0][1]
        assert out.torque == steps_of(with_motor(controller), end, 1)[0][1].torque
        assert ("command range" in be.limit_names(out.limit)) == (command != end)


# --- volts


@pytest.mark.parametrize("name", ALL)
def test_voltage_limit_holds_in_every_mode(name: str):
    """No controller gets more than the drive's voltage limit, which is flagged; the torque is that of the limit."""
    actuator = with_motor(ALL[name], voltage_limit=1.5)
    for sign in (1.0, -1.0):
        out = steps_of(actuator, sign * LARGE[ALL[name].main], 3)[-1][1]
        assert out.voltage == sign * 1.5
        assert out.torque == pytest.approx(sign * 1.5 / R * KT * 10.0, rel=1e-12)
        assert "voltage" in be.limit_names(out.limit)


@pytest.mark.parametrize("name", ["effort", "velocity"])
@pytest.mark.parametrize("selector", SELECTORS)
def test_voltage_limit_holds_in_every_mode_of_a_selector(selector: str, name: str):
    """Torque and velocity mode as well."""
    out = steps_of(with_motor(SELECTORS[selector], voltage_limit=1.5), be.Command(**{name: 9.0}), 1)[0][1]
    assert out.voltage == 1.5 and "voltage" in be.limit_names(out.limit)


# --- windup


def integral_of(controller) -> dict:
    return {name: c for name, c in controller.items() if getattr(c, "ki", None) is not None}


@pytest.mark.parametrize("name", integral_of(ALL))
def test_integral_limit_bounds_the_integral(name: str):
    """∫e stays within ±limit, and so does a moving target's lead over the joint; then it comes back at once."""
    controller = replace(ALL[name], integral_limit=0.05)
    step = with_motor(controller).compile("python")
    state, q = step.initial(), 0.3
    command = {"position": 1.3, "velocity": 1.0}[controller.main]
    centre = q if controller.main == "velocity" else 0.0
    integrals = []
    for k in range(200):
        state, _ = step(state, command if k < 100 else 0.3 - (command - 0.3), q, 0.0, DT)
        integrals.append(state.integral - centre)
    assert integrals[40] == pytest.approx(0.041, abs=1e-12)
    assert integrals[60:100] == pytest.approx([0.05] * 40, abs=1e-15)
    assert integrals[100] < 0.05 - 1e-4


FREEZERS = {
    "voltage limit": lambda c: be.Actuator(motor(), SUPPLY, controller=c, voltage_limit=2.0),
    "supply": lambda c: be.Actuator(motor(), be.Supply(voltage=2.0), controller=c),
    "torque limit": lambda c: be.Actuator(motor(), SUPPLY, controller=c, limits=be.EffortLimit(effort_limit=0.2)),
    "current limit": lambda c: be.Actuator(motor(limits=be.Limits(peak_current=1.0)), SUPPLY, controller=c),
    "torque limit, no motor": lambda c: be.Actuator(controller=c, limits=be.EffortLimit(effort_limit=0.2)),
}
FROZEN = [
    (name, limit)
    for name in integral_of(ALL)
    for limit in FREEZERS
    if not ((name in VOLT_LOOPS or "current loop" in name) and limit == "torque limit, no motor")
]


@pytest.mark.parametrize(("name", "limit"), FROZEN)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_frozen_integral_rests_while_a_limit_acts(name: str, limit: str, side: float):
    """At a limit the integral stops asking for more, moves back freely, and goes on below the limit."""
    controller = replace(ALL[name], freeze_at_limit=True)
    step = FREEZERS[limit](controller).compile("python")
    large, small = {"position": (3.0, 1e-4), "velocity": (12.0, 1e-4)}[controller.main]
    state = step.initial()
    before = 0.0
    for _ in range(20):
        state, out = step(state, side * large, 0.0, 0.0, DT)
        if out.limit:
            assert state.integral == before, "rests while the limit acts"
        before = state.integral
    assert out.limit, "the limit has to act"
    # an integral that has wound up by other means comes back although the limit still acts
    wound = replace(state, integral=side * 50.0)
    state, out = step(wound, -side * small, 0.0, 0.0, DT)
    assert out.limit and side * state.integral < 50.0
    # and below the limit it is an integral
    state, out = step(step.initial(), side * small, 0.0, 0.0, DT)
    assert not out.limit and side * state.integral > 0.0


def test_free_integral_goes_on_at_a_limit():
    """Without freeze_at_limit the integral winds up, which is what freezing is for."""
    for freeze, overshoots in ((False, True), (True, False)):
        controller = be.PositionPid(kp=20.0, ki=60.0, kd=1.0, freeze_at_limit=freeze)
        step = be.Actuator(motor(), controller=controller, voltage_limit=2.0).compile("python")
        state, q, v, highest = step.initial(), 0.0, 0.0, 0.0
        for _ in range(3000):
            state, out = step(state, 3.0, q, v, DT)
            v += DT * out.torque / (0.02 + 1e-3)
            q += DT * v
            highest = max(highest, q)
        assert (highest > 3.3) == overshoots


# --- substeps and energy


def fields_of(out) -> dict:
    return {f.name: getattr(out, f.name) for f in fields(out) if getattr(out, f.name) is not None}


@pytest.mark.parametrize("name", ALL)
def test_substeps_are_shorter_steps(name: str):
    """Four turns in a step equal four steps of a quarter with the joint moved along; the torque is the mean."""
    one = motor(inductance=1e-3)
    many = be.Actuator(one, SUPPLY, controller=ALL[name], slew=50.0, substeps=4).compile("python")
    single = be.Actuator(one, SUPPLY, controller=ALL[name], slew=50.0).compile("python")
    a, b, q, v = many.initial(), single.initial(), 0.2, 1.7
    for k in range(5):
        command = 0.3 * LARGE[ALL[name].main] * (1 + 0.1 * k)
        a, out = many(a, command, q, v, DT)
        torques = []
        for turn in range(4):
            b, part = single(b, command, q + turn * DT / 4 * v, v, DT / 4)
            torques.append(part.torque)
        assert out.torque == pytest.approx(np.mean(torques), rel=1e-13)
        assert out.current == pytest.approx(part.current, rel=1e-13)
        assert out.electrical_energy == pytest.approx(part.electrical_energy, rel=1e-13)
        for state in ("setpoint", "integral", "current"):
            if getattr(a, state) is not None:
                assert getattr(a, state) == pytest.approx(getattr(b, state), rel=1e-13)
        q += DT * v


def test_energy_is_the_sum_of_power():
    """electrical_energy is Σ power·dt since the reset, and starts again only in the environments that are reset."""
    step = with_motor(be.IdealPd(stiffness=6.0, damping=0.15)).compile("numpy")
    rng = np.random.default_rng(1)
    state, total = step.initial((3, 2)), np.zeros((3, 2))
    for k in range(30):
        if k == 20:
            mask = np.array([[False], [True], [False]]) & np.ones(2, bool)
            state, total = step.reset(state, mask), np.where(mask, 0.0, total)
        state, out = step(state, rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), DT)
        total = total + out.electrical_power * DT
        assert out.electrical_energy == pytest.approx(total, rel=1e-12)
    assert (total != 0).all()


def test_a_meter_can_be_left_out():
    """meter=False: no state, no energy."""
    step = with_motor(be.Voltage(), meter=False).compile("python")
    state, out = step(step.initial(), 5.0, 0.0, 0.0, DT)
    assert state.energy is None and out.electrical_energy is None


# --- what is told of limits


def test_limit_names_say_every_bit():
    """Each bit has its name, a sum of bits has all of theirs, and 0 has none."""
    for name, bit in LIMITS.items():
        assert be.limit_names(bit) == [name]
    assert be.limit_names(0) == []
    assert be.limit_names(1023) == list(LIMITS)
    assert sorted(LIMITS.values()) == [2**k for k in range(10)]


def test_several_limits_are_told_together():
    """Range, slew, voltage and the current rate in one step."""
    one = motor(limits=be.Limits(current_rate=10.0))
    actuator = be.Actuator(
        one, controller=be.PositionPid(kp=500.0), command_range=(-1.0, 1.0), slew=100.0, voltage_limit=12.0
    )
    out = steps_of(actuator, 2.0, 1)[0][1]
    assert be.limit_names(out.limit) == ["voltage", "current rate", "command range", "slew"]


def test_limits_of_several_turns_are_told_together():
    """A slew limit that acts in the first of four turns only is told."""
    actuator = with_motor(be.PositionPid(kp=1.0), slew=4.0, substeps=4)
    out = steps_of(actuator, 0.0015, 1)[0][1]
    assert "slew" in be.limit_names(out.limit)


# --- torque limits


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("ratio", [10.0, -10.0])
def test_torque_limits_bound_the_motor(name: str, ratio: float):
    """With a motor the torque at the joint stays within the limits of its speed, by a current that is lowered."""
    limit = be.DcClip(saturation_effort=0.5, velocity_limit=20.0, effort_limit=0.4)
    actuator = be.Actuator(motor(ratio, inductance=1e-4), be.Supply(voltage=48.0), controller=ALL[name], limits=limit)
    rng, hits = np.random.default_rng(2), 0
    step = actuator.compile("python")
    state = step.initial()
    for _ in range(200):
        command, q, v = 20.0 * rng.normal(), rng.normal(), 15.0 * rng.normal()
        state, out = step(state, command, q, v, DT)
        low, high = max(0.5 * (-1 - v / 20.0), -0.4), min(0.5 * (1 - v / 20.0), 0.4)
        corner = 20.0 * (1 + 0.4 / 0.5)
        if abs(v) < corner:
            assert low - 1e-12 <= out.torque <= high + 1e-12
            assert out.current * KT * ratio == pytest.approx(out.torque, rel=1e-9)
            hits += "torque" in be.limit_names(out.limit)
    assert hits > 20


def test_torque_limit_without_a_motor():
    """The asked torque is clipped and flagged, and what was asked for is still told."""
    actuator = be.Actuator(controller=be.Torque(), limits=be.EffortLimit(effort_limit=2.0))
    for asked, given in ((5.0, 2.0), (-5.0, -2.0), (1.0, 1.0)):
        out = steps_of(actuator, asked, 1)[0][1]
        assert (out.torque, out.torque_requested) == (given, asked)
        assert be.limit_names(out.limit) == (["torque"] if asked != given else [])


# --- commands that are no numbers


def engine_of(name: str):
    """Options of an engine in float64 and how it makes an array."""
    if name == "torch":
        torch = pytest.importorskip("torch")
        return {"eager": True, "dtype": torch.float64}, lambda x: torch.tensor(x, dtype=torch.float64)
    return {}, np.asarray


@pytest.fixture(params=["numpy", "jax", "torch"])
def engine(request):
    if request.param == "jax":
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            yield request.param
    else:
        yield request.param


SUPPLIES = {"own": SUPPLY, "shared": be.Supply(voltage=BUS, resistance=0.1, shared=True)}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("supply", SUPPLIES)
@pytest.mark.parametrize("name", ["PositionPid", "IdealPd, current loop", "ModeSelector, current loop"])
def test_bad_command_stays_in_its_environment(name: str, supply: str, bad: float, engine: str):
    """One bad number is flagged, its environment stays finite, and all others are bit for bit what they are without."""
    delay = be.Delay(steps=2) if name == "PositionPid" else None
    controller = ALL[name]
    options, array = engine_of(engine)
    step = be.Actuator(motor(inductance=1e-3), SUPPLIES[supply], controller=controller, delay=delay, slew=30.0).compile(
        engine, **options
    )
    rng = np.random.default_rng(5)
    commands, q, v = rng.normal(size=(12, 3, 4)), rng.normal(size=(12, 3, 4)), rng.normal(size=(12, 3, 4))
    spoiled = commands.copy()
    spoiled[4, 1, 2] = bad
    courses = []
    for given in (commands, spoiled):
        state, course = step.initial((3, 4)), []
        for k in range(12):
            state, out = step(state, array(given[k]), array(q[k]), array(v[k]), DT)
            course.append({n: np.broadcast_to(np.asarray(x), (3, 4)) for n, x in fields_of(out).items()})
        courses.append(course)
    good, hurt = courses
    flags = np.stack([step_["limit"] & LIMITS["invalid command"] > 0 for step_ in hurt])
    assert np.argwhere(flags).tolist() == [[4, 1, 2]]
    for before, after in zip(good, hurt, strict=True):
        for field in before:
            assert np.isfinite(after[field]).all(), field
            assert (before[field][[0, 2]] == after[field][[0, 2]]).all(), field
    if supply == "own":
        others = [0, 1, 3]
        assert all((a["torque"][1, others] == b["torque"][1, others]).all() for a, b in zip(good, hurt, strict=True))


def test_bad_position_holds_the_joint():
    """A position that is no number asks for the present one; a velocity or effort for 0."""
    step = be.Actuator(controller=be.IdealPd(stiffness=6.0, damping=0.5)).compile("numpy")
    nan = np.array([np.nan])
    command = be.Command(position=nan, velocity=nan, effort=nan)
    _, out = step(step.initial(1), command, np.array([0.7]), np.array([2.0]), DT)
    assert out.torque == -0.5 * 2.0


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_bad_command_for_one_motor_is_refused(bad: float):
    """One motor has no others to keep going: a sentence says what was wrong."""
    step = with_motor(be.Torque()).compile("python")
    with pytest.raises(be.ParameterError, match="must be a finite number"):
        step(step.initial(), bad, 0.0, 0.0, DT)
    with pytest.raises(be.ParameterError, match=r"Command\.effort"):
        step(step.initial(), be.Command(effort=bad), 0.0, 0.0, DT)
