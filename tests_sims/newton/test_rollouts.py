"""Runs in one launch of Warp: NumPy's numbers for every kind of load, controller and channel, and clear errors."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
import warp as wp
from test_cuda import assembly

import backemf as be
import backemf.rollout_warp as rollout_warp
from backemf.actuator import chain
from backemf.commands import Samples
from backemf.engines import detour
from backemf.engines.native_text import Traces, reach
from backemf.engines.simplify import simplify
from backemf.engines.single import single_laws
from backemf.engines.tracing import HOST, Program, Symbol
from backemf.errors import ParameterError
from backemf.parts import without_neutral
from backemf.physics import exact
from backemf.rollout import channel_names, rest
from backemf.rollout_tracing import leaves_of, state_names, trace_run
from backemf.rollout_warp import Observation

DT, STEPS = 1e-3, 60
BATCH = (2, 3)
PENDULUM = be.Pendulum(inertia=0.02, mass=0.4, length=0.2)
LOADS = {
    "inertia": be.Inertia(inertia=0.01),
    "pendulum": PENDULUM,
    "fan": be.Fan(inertia=0.01, coefficient=1e-3),
    "constant torque": be.ConstantTorque(inertia=0.01, torque=0.3),
    "two masses": be.TwoMass(inertia=0.005, far_inertia=0.01, stiffness=30.0, damping=0.05, backlash=0.02),
    "locked": be.LockedRotor(),
    "moved": be.PrescribedMotion(time=[0.0, 0.02, 0.05], position=[0.0, 0.4, -0.3]),
}
FRICTION = be.LuGre(coulomb=0.004, stiction=0.007, stribeck_velocity=2.0, stiffness=5.0, damping=1e-3, viscous=1e-5)
HEAT = be.TwoNodeThermal(
    winding_resistance=2.0, winding_capacitance=0.05, housing_resistance=9.0, housing_capacitance=4.0
)
BATTERY = be.Supply(voltage=14.8, resistance=0.1, modulation_limit=0.95, regeneration=False)


def motor(**parts) -> be.Motor:
    """A geared motor with inductance; `parts` are added."""
    known = {"gearbox": be.Gearbox(stages=(be.Stage(ratio=10.0, efficiency=0.8),))} | parts
    return be.Motor(
        winding=be.Winding(resistance=1.2, inductance=1e-3, temperature_coefficient=0.004),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.06, temperature_coefficient=-0.001),
        rotor=be.Rotor(inertia=1e-5),
        **known,
    )


def full(**parts) -> be.Motor:
    """With heat, bristles, cogging, drag and limits."""
    return motor(
        thermal=HEAT,
        friction=FRICTION,
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=1e-3, periodicity=14.0, phase=0.3),)),
        drag=be.Drag(coefficients=(1e-5, 1e-7)),
        limits=be.Limits(
            peak_current=8.0, continuous_current=3.0, current_rate=5e3, derating_start=30.0, derating_end=60.0
        ),
        **parts,
    )


PID = be.PositionPid(kp=20.0, ki=30.0, kd=0.5, integral_limit=0.02, freeze_at_limit=True)
KINDS = {
    "volts": be.Actuator(motor()),
    "full": be.Actuator(full(), BATTERY, controller=PID),
    "full with ideal gear": be.Actuator(
        full(gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0),))), be.Supply(voltage=24.0), controller=PID
    ),
    "backlash": be.Actuator(
        motor(gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0),), backlash=0.02)), BATTERY, controller=PID
    ),
    "current loop": be.Actuator(
        motor(friction=FRICTION), BATTERY, controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=500.0)
    ),
    "speed": be.Actuator(motor(), BATTERY, controller=be.VelocityPi(kp=3.0, ki=20.0)),
    "no motor": be.Actuator(
        controller=be.IdealPd(stiffness=6.0, damping=0.15),
        limits=be.DcClip(saturation_effort=1.0, velocity_limit=12.0, effort_limit=0.8),
    ),
    "drawn delay": be.Actuator(motor(), controller=PID, delay=be.Delay(steps=(0, 3), schedule="step"), slew=25.0),
    "fractional delay": be.Actuator(motor(), BATTERY, controller=PID, delay=be.Delay(steps=2.5)),
    "substeps": be.Actuator(full(), BATTERY, controller=PID, substeps=3),
    "substeps with ideal gear": be.Actuator(
        full(gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0),))), be.Supply(voltage=12.0), controller=PID, substeps=3
    ),
}


def commands(actuator: be.Actuator) -> np.ndarray:
    """Random steps of the main input after every ten steps, and a tenth of that in each of them."""
    rng = np.random.default_rng(5)
    size = {"position": 0.8, "velocity": 8.0, "effort": 0.6, "voltage": 10.0}[actuator.controller.main]
    steps = np.repeat(rng.normal(size=(STEPS // 10, *BATCH)), 10, axis=0)
    return size * (steps + 0.1 * rng.normal(size=(STEPS, *BATCH)))


def disagreement(run: be.Run, reference: be.Run) -> dict[str, float]:
    """Largest difference of each channel over its peak, of a power over that of all of them."""
    powers = max((np.abs(reference[name]).max() for name in reference.channels if name.endswith("_power")), default=0.0)
    found = {}
    for name in run.channels:
        peak = max(np.abs(reference[name]).max(), powers if name.endswith("_power") else 1e-9)
        found[name] = float(np.abs(run[name] - reference[name]).max() / peak)
    return found


def both(actuator: be.Actuator, load, precision: str, **more) -> dict[str, float]:
    given = {"duration": STEPS * DT, "dt": DT, "seed": 3} | more
    command = given.pop("command", commands(actuator))
    plain = {name: x for name, x in given.items() if name != "channels"}
    runs = [
        be.simulate(actuator, load, command, engine="numpy", **plain),
        be.simulate(actuator, load, command, engine="warp", device="cpu", precision=precision, **given),
    ]
    if "channels" not in given:
        assert runs[1].channels == runs[0].channels
    return disagreement(runs[1], runs[0])


@pytest.mark.parametrize("load", LOADS)
def test_every_load_in_float64(load):
    """60 steps of the full motor: every channel to 1e-12 of its peak."""
    worst = both(KINDS["full"], LOADS[load], "float64")
    assert max(worst.values()) <= 1e-12, worst


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "full"])
def test_every_kind_of_actuator_in_float64(kind):
    """The same on a pendulum."""
    worst = both(KINDS[kind], PENDULUM, "float64")
    assert max(worst.values()) <= 1e-12, worst


@pytest.mark.parametrize("kind", ["full with ideal gear", "current loop", "no motor", "substeps with ideal gear"])
def test_float32_agrees_to_rounding(kind):
    """In float32, with its own functions: to 3e-4 of the peak; flags may flip with rounding."""
    worst = both(KINDS[kind], LOADS["inertia"], "float32")
    worst.pop("limit")
    assert max(worst.values()) <= 3e-4, worst


def test_a_joint_that_is_moved_far_keeps_its_speed_in_float32():
    """3 rad/s on from 1000 rad in steps of 0.3 mrad, of which float32 knows 0.06 there: the speed is exact."""
    load = be.PrescribedMotion(time=[0.0, 1.0], position=[1000.0, 1003.0])
    given = {"observe": ("velocity", "current"), "engine": "warp", "device": "cpu"}
    _, seen = be.rollout(KINDS["volts"], load, np.full(STEPS, 5.0), 1e-4, precision="float32", **given)
    reference = be.simulate(KINDS["volts"], load, 5.0, STEPS * 1e-4, 1e-4, engine="numpy")
    for name, tolerance in (("velocity", 2e-7), ("current", 2e-6)):
        np.testing.assert_allclose(seen[name].numpy()[:, 0], reference[name], rtol=tolerance)


def test_numbers_of_its_own_for_every_motor():
    """Numbers in arrays of any shape that broadcasts, and starts of their own: as in NumPy."""
    rng = np.random.default_rng(0)
    base = KINDS["full"]
    assert base.motor is not None
    winding = replace(
        base.motor.winding, resistance=rng.uniform(1.0, 2.0, BATCH), inductance=rng.uniform(1e-4, 1e-3, 3)
    )
    friction = replace(FRICTION, coulomb=rng.uniform(0.001, 0.004, (2, 1)))
    actuator = replace(base, motor=replace(base.motor, winding=winding, friction=friction))
    load = be.Inertia(inertia=rng.uniform(0.005, 0.02, BATCH))
    start = {"position": rng.normal(size=BATCH), "initial": {"winding_rise": np.array([5.0, 10.0, 20.0])}}
    worst = both(actuator, load, "float64", **start)
    assert max(worst.values()) <= 1e-12, worst


def test_several_inputs_and_chosen_channels():
    """A command of several inputs, every fifth step, two channels of many: the same numbers, and nothing else."""
    actuator = replace(KINDS["full"], controller=be.TorquePid(kp=6.0, kd=0.15))
    command = be.Command(position=Samples(commands(actuator)), effort=0.1)
    more = {"command": command, "every": 5, "channels": ("torque", "position")}
    worst = both(actuator, PENDULUM, "float64", **more)
    assert list(worst) == ["position", "torque"] and max(worst.values()) <= 1e-12


def test_pieces_of_a_long_run(monkeypatch):
    """A run that is longer than a launch goes on where the last one ended."""
    monkeypatch.setattr(sys.modules["backemf.simulate"], "CHUNK", 16)
    worst = both(KINDS["drawn delay"], PENDULUM, "float64", every=2)
    assert max(worst.values()) <= 1e-12, worst


def test_rollout_gives_what_it_observes():
    """Arrays of Warp in the shape of what the function gives, and the state that a next rollout goes on from."""
    actuator, told = KINDS["drawn delay"], commands(KINDS["drawn delay"])
    place = {"engine": "warp", "device": "cpu", "precision": "float64"}
    whole, seen = be.rollout(
        actuator,
        PENDULUM,
        told,
        DT,
        every=5,
        observe=lambda here, out: {"q": here.position, "t": (out.torque,)},
        **place,
    )
    reference = be.simulate(actuator, PENDULUM, told, STEPS * DT, DT, engine="numpy", every=5)
    assert seen["q"].shape == (STEPS // 5, *BATCH) and isinstance(seen["t"], tuple)
    np.testing.assert_allclose(seen["q"].numpy(), reference["position"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(seen["t"][0].numpy(), reference["torque"], rtol=0, atol=1e-11)
    half, nothing = be.rollout(actuator, PENDULUM, told[:20], DT, **place)
    assert nothing is None
    again, _ = be.rollout(actuator, PENDULUM, told[20:], DT, start=half, **place)
    np.testing.assert_array_equal(again.position.numpy(), whole.position.numpy())
    np.testing.assert_array_equal(again.state.position_line.numpy(), whole.state.position_line.numpy())
    assert again.state.head.shape == (1,)


def test_rollout_takes_arrays_of_warp_and_shares_a_kernel():
    """Candidates as arrays of Warp: another set of numbers runs without tracing anew."""
    told = wp.array(commands(KINDS["volts"]).reshape(STEPS, 6), dtype=wp.float32, device="cpu")
    found = []
    for ohms in (1.0, 2.0):
        resistance = wp.array(np.linspace(ohms, 2.0 * ohms, 6), dtype=wp.float32, device="cpu")
        plain = KINDS["volts"].motor
        actuator = be.Actuator(replace(plain, winding=replace(plain.winding, resistance=resistance)))
        _, seen = be.rollout(actuator, PENDULUM, told, DT, observe=("current",), engine="warp", device="cpu")
        found.append(len(rollout_warp._LOOPS))
        known = be.Actuator(replace(plain, winding=replace(plain.winding, resistance=resistance.numpy().astype(float))))
        reference = be.simulate(known, PENDULUM, told.numpy().astype(float), STEPS * DT, DT)
        peak = np.abs(reference["current"]).max()
        assert np.abs(seen["current"].numpy() - reference["current"]).max() <= 2e-5 * peak
    assert found[0] == found[1]


def test_a_limit_is_a_detour():
    """The full motor on a stiff supply computes its friction again only where the voltage ends it."""
    loop = loop_of(KINDS["full with ideal gear"], "float32")
    body = [x for x in loop.writer.live if x.index in loop.writer.moving]
    found = detour.find_detour(body)
    assert found is not None and len(found.without) > 60
    assert "} else {" in loop.writer.write()


def test_every_substep_has_a_detour_of_its_own():
    """Where the voltage ends one substep, the others do not pay for it; voltage limits act in some of this run."""
    kind = "substeps with ideal gear"
    loop = loop_of(KINDS[kind], "float32")
    assert loop.writer.write().count("} else {") == 3
    worst = both(KINDS[kind], PENDULUM, "float64", every=5)
    assert max(worst.values()) <= 1e-12, worst


MANY = [kind for kind in KINDS if "substeps" not in kind]


@pytest.mark.parametrize("load", ["pendulum", "two masses", "moved"])
@pytest.mark.parametrize("kind", MANY)
def test_many_substeps_are_a_loop(kind, load):
    """Seven substeps, which the kernel runs in a loop, recorded in every step and in every fifth: NumPy's numbers."""
    actuator = replace(KINDS[kind], substeps=7)
    for every in (1, 5):
        worst = both(actuator, LOADS[load], "float64", every=every)
        assert max(worst.values()) <= 1e-12, worst


@pytest.mark.parametrize("kind", ["full with ideal gear", "current loop", "no motor"])
def test_many_substeps_in_float32(kind):
    worst = both(replace(KINDS[kind], substeps=7), LOADS["inertia"], "float32")
    worst.pop("limit")
    assert max(worst.values()) <= 3e-4, worst


def test_more_substeps_make_no_longer_kernel():
    """Twenty substeps are as much text as ten: the first of them, and a loop with and without what a record needs."""
    lengths = {n: len(loop_of(replace(KINDS["full"], substeps=n), "float32").writer.write()) for n in (1, 10, 20)}
    assert abs(lengths[20] - lengths[10]) < 10
    assert lengths[10] < 4 * lengths[1]


def test_a_loop_is_written_the_same_every_time():
    writer = loop_of(replace(KINDS["full with ideal gear"], substeps=6), "float32").writer
    assert writer.write() == writer.write()


FUNCTIONS = {
    "load": None, "number": None, "reciprocal": lambda x: 1.0 / x, "exp2": np.exp2,
    "direction": lambda x: np.where(x < 0.0, -1.0, 1.0), "where": np.where, "decay": lambda u: np.exp(-u),
    "rise": exact.rise, "rise_mean": exact.rise_mean, "float": lambda x: x, "bool": lambda x: x != 0,
}  # fmt: skip


def values(roots: list, numbers: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The values of symbols in float64."""
    known: dict[int, np.ndarray] = {}

    def value(x):
        return known[x.index] if isinstance(x, Symbol) else x

    for x in sorted(whole_reach(roots), key=lambda x: x.index):
        given = [value(a) for a in x.args]
        function = FUNCTIONS.get(x.op, HOST.get(x.op))
        known[x.index] = numbers[x.args[0]] if function is None else function(*given)
    return [value(x) for x in roots]


def whole_reach(roots: list) -> set[Symbol]:
    """Every symbol that some need, those that all motors share included."""
    found, todo = set(), [x for x in roots if isinstance(x, Symbol)]
    while todo:
        x = todo.pop()
        if x not in found:
            found.add(x)
            todo += [a for a in x.args if isinstance(a, Symbol)]
    return found


@pytest.mark.parametrize("kind", ["full with ideal gear", "current loop", "substeps", "backlash", "speed"])
def test_simpler_programs_have_the_same_values(kind):
    """In float64, where rounding is small: what single precision leaves out or takes together changes nothing else."""
    actuator, load = without_neutral(KINDS[kind]), LOADS["inertia"] if kind.startswith("full") else PENDULUM
    start = rest(actuator, load)
    states = state_names(start.state)
    rng = np.random.default_rng(9)
    numbers = {name: np.float64(x) for name, x in leaves_of(actuator, load).items()} | {"dt": np.float64(DT)}
    own = tuple(name for name in numbers if name.endswith(("resistance", "inductance", "inertia", "coulomb")))
    program = trace_run(single_laws(chain), actuator, load, states, ("command",), (), own, Observation(
        channel_names(actuator, load), load))  # fmt: skip
    for name in own:
        numbers[name] = numbers[name] * rng.uniform(1.0, 1.1, 50)
    scales = {"state.current": 2.0, "state.winding_rise": 20.0, "state.bristle": 1e-3, "velocity": 5.0, "position": 1.0}
    numbers |= {name: scales.get(name, 0.01) * rng.normal(size=50) for name in program.states}
    numbers["input.command"] = rng.normal(size=50)
    expected, found = (values(traces.roots(), numbers) for traces in (program, simplify(program, True)))
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12 * (1.0 + np.abs(a).max()))


RULES = {
    "shares of one number": (
        lambda x, y, u, v: [y + u * x + v * x, y + u * x - v * x, y - u * x + v * x, y - u * x - v * x],
        2,
    ),
    "what all share in a sum": (lambda x, y, u, v: [(x + u) - v, (x - u) - v, (x - u) + v, (u + x) - v], 1),
    "a share of a sum of shares": (lambda x, y, u, v: [u * (v * x - u * y), u * (v * x + u * y)], 3),
    "a number over itself": (lambda x, y, u, v: [(u * x) * (y / x), (u * x * y) * (v / x), y * x * (u / x)], 1),
    "a number times a sum over it": (lambda x, y, u, v: [(x / v) * (u + v * y / x)], 3),
    "a square of a share": (lambda x, y, u, v: [(u * x) * (u * x), -(u * x) * (u * x)], 3),
}


@pytest.mark.parametrize("rule", RULES)
def test_rules_of_simpler_programs(rule):
    """The value of each and how many operations are left, of numbers x, y of a motor and u, v that all share."""
    write, most = RULES[rule]
    numbers = {"x": 1.7, "y": -0.6, "u": 2.3, "v": 0.4}
    program = Program()
    x, y = (program.load(name, "float") for name in "xy")
    for wanted in write(x, y, program.number("u"), program.number("v")):
        plain = Traces({"x": x, "y": y}, {}, {}, {}, {"x": wanted}, {}, {})
        simple = simplify(plain, True)
        np.testing.assert_allclose(*(values(traces.roots(), numbers) for traces in (plain, simple)), rtol=1e-14)
        left = [s for s in reach(simple.roots()).values() if s.op not in ("load", "neg") and not s.uniform]
        assert len(left) <= most, [s.op for s in left]


def test_simpler_programs_are_shorter():
    """In single precision most divisions share a reciprocal, and guards of the same number go."""
    actuator = without_neutral(KINDS["full with ideal gear"])
    states = state_names(rest(actuator, PENDULUM).state)
    law = single_laws(chain)
    plain = trace_run(law, actuator, PENDULUM, states, ("command",), (), (), lambda here, out: {"t": out.torque})
    before, after = (reach(traces.roots()).values() for traces in (plain, simplify(plain, True)))
    divisions = sum(x.op == "div" and not x.uniform for x in before)
    reciprocals = sum(x.op == "reciprocal" for x in after)
    assert not any(x.op == "div" and not x.uniform for x in after)
    assert reciprocals < 0.6 * divisions


def loop_of(actuator: be.Actuator, precision: str) -> rollout_warp.Loop:
    """The compiled loop of a short run."""
    before = set(rollout_warp._LOOPS)
    be.rollout(actuator, PENDULUM, np.zeros(2), DT, observe=("torque", "velocity"), engine="warp", device="cpu",
               precision=precision, position=np.zeros(5))  # fmt: skip
    (new,) = set(rollout_warp._LOOPS) - before
    return rollout_warp._LOOPS[new]


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_loop_compiles_for_a_gpu(precision, tmp_path):
    """NVIDIA's compiler takes the loop of a full motor."""
    actuator = replace(KINDS["full"], delay=be.Delay(steps=(1, 4)), slew=30.0)
    assert ".entry" in assembly(loop_of(actuator, precision).kernel, tmp_path)


# --- errors


def test_a_device_that_is_not_there():
    with pytest.raises(ParameterError, match=r"device = 'cuda:7': Warp finds no such device here, it finds cpu"):
        be.simulate(KINDS["volts"], PENDULUM, 1.0, 0.01, engine="warp", device="cuda:7")
    with pytest.raises(ParameterError, match="device = 'cuda': only engine='warp'"):
        be.simulate(KINDS["volts"], PENDULUM, 1.0, 0.01, device="cuda")


def test_too_much_memory_is_an_error_before_the_run(monkeypatch):
    """What a run will need is compared with the machine first."""
    monkeypatch.setattr(rollout_warp, "free_memory", lambda: 2**20)
    with pytest.raises(
        ParameterError, match=r"the run on cpu would take .* GiB, and there are .*: record fewer channels"
    ):
        be.simulate(KINDS["volts"], PENDULUM, 1.0, 0.1, DT, shape=1000, engine="warp", device="cpu")


def test_what_is_wrong_is_said_in_a_sentence():
    """Channels, records, arrays and shapes that do not fit."""
    actuator, told = KINDS["volts"], np.zeros((10, 4))
    place = {"engine": "warp", "device": "cpu"}
    with pytest.raises(ParameterError, match="channel 'tork': there is no such, there are position"):
        be.rollout(actuator, PENDULUM, told, DT, observe=("tork",), **place)
    with pytest.raises(ParameterError, match="every = 3: 10 steps are not whole records"):
        be.rollout(actuator, PENDULUM, told, DT, every=3, **place)
    with pytest.raises(ParameterError, match="fit no batch"):
        be.rollout(actuator, PENDULUM, told, DT, position=np.zeros(3), **place)
    with pytest.raises(ParameterError, match="command is of float64 on cpu: this run is of float32 on cpu"):
        be.rollout(actuator, PENDULUM, wp.array(told, dtype=wp.float64, device="cpu"), DT, precision="float32", **place)
    with pytest.raises(ParameterError, match="536870912 motors: one launch runs 536870911 at most"):
        rollout_warp.Place((2**20, 2**9), "float32", "cpu")
    with pytest.raises(ParameterError, match="observe gives a str"):
        be.rollout(actuator, PENDULUM, told, DT, observe=lambda here, out: "torque", **place)
    with pytest.raises(ParameterError, match="engine = 'torch': a rollout needs 'jax' or 'warp'"):
        be.rollout(actuator, PENDULUM, told, DT, engine="torch")
    shared = be.Actuator(motor(), replace(BATTERY, shared=True))
    with pytest.raises(ParameterError, match=r"Supply\.shared: the warp engine runs each motor by itself"):
        be.rollout(shared, PENDULUM, told, DT, **place)


def test_all_channels_have_a_record():
    """Every channel that a run has by name can be observed."""
    actuator = KINDS["full"]
    names = channel_names(actuator, PENDULUM)
    _, seen = be.rollout(actuator, PENDULUM, np.zeros((4, 2)), DT, observe=names, engine="warp", device="cpu")
    assert list(seen) == names and all(x.shape == (4, 2) for x in seen.values())
