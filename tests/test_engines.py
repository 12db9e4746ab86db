"""The same laws on every engine: the same numbers, and nothing paid for what is absent."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from long import some_now
from motors import coupled

import backemf as be
from backemf.actuator.compiled import laws
from backemf.actuator.memory import states_of
from backemf.engines import bind
from backemf.parts import without_neutral
from backemf.physics import exact, ops
from backemf.tree import map_numbers, numbers

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
jnp = jax.numpy

N = 512
rng = np.random.default_rng(2024)


def spread(low: float, high: float) -> np.ndarray:
    """512 numbers whose logarithms are spread evenly between two powers of ten."""
    return 10 ** rng.uniform(low, high, N)


def evenly(low: float, high: float) -> np.ndarray:
    return rng.uniform(low, high, N)


def winding(inductive=False) -> be.Winding:
    return be.Winding(
        resistance=spread(-1.5, 1),
        inductance=spread(-4.5, -2.5) if inductive else None,
        temperature_coefficient=evenly(0.0, 0.005),
        reference_temperature=evenly(15.0, 30.0),
    )


def magnet(**more) -> be.Magnet:
    return be.Magnet(torque_constant=spread(-2, 0), back_emf_constant=spread(-2, 0), **more)


def one_node() -> be.Thermal:
    return be.Thermal(resistance=spread(-1, 1.5), capacitance=spread(0, 3), ambient=evenly(0.0, 40.0))


def two_nodes() -> be.TwoNodeThermal:
    return be.TwoNodeThermal(
        winding_resistance=spread(-1, 1), winding_capacitance=spread(0, 2), housing_resistance=spread(-0.5, 1.5),
        housing_capacitance=spread(1, 3), ambient=evenly(0.0, 40.0),
    )  # fmt: skip


def lugre(**more) -> be.LuGre:
    coulomb = spread(-3, -1)
    return be.LuGre(
        coulomb=coulomb, stiction=coulomb * evenly(1.0, 2.5), stribeck_velocity=spread(-1, 1), stiffness=spread(0.5, 3),
        damping=spread(-4, -2), viscous=spread(-5, -3), **more,
    )  # fmt: skip


def shares() -> be.LoadShare:
    return be.LoadShare(drive=evenly(0.0, 0.3), back=evenly(0.0, 0.3))


def six() -> be.LoadDependent:
    return be.LoadDependent(
        coulomb=spread(-3, -1), viscous=spread(-5, -3), load=shares(),
        stribeck=be.Stribeck(velocity=spread(-1, 1), exponent=evenly(0.7, 4.0), coulomb=spread(-3, -1), load=shares()),
        quadratic=be.QuadraticShare(drive=spread(-3, -2), back=spread(-3, -2)),
    )  # fmt: skip


def saturation() -> be.Saturation:
    return be.Saturation(knee_current=spread(0, 1), scale=spread(-2, -1), torque=spread(-1, 0))


def drag() -> be.Drag:
    return be.Drag(coefficients=(spread(-6, -4), spread(-8, -6), spread(-10, -8)))


def network() -> be.TorqueNetwork:
    units = tuple(
        be.TanhUnit(
            weight=evenly(-0.1, 0.1), per_position=evenly(-3, 3), per_velocity=evenly(-3, 3),
            per_torque=evenly(-3, 3), bias=evenly(-1, 1),
        )
        for _ in range(2)
    )  # fmt: skip
    return be.TorqueNetwork(units=units, position=spread(-1, 0.5), velocity=spread(0, 2), torque=spread(-2, 0))


def cogging() -> be.Cogging:
    return be.Cogging(
        harmonics=tuple(be.Harmonic(amplitude=spread(-4, -2), periodicity=n, phase=evenly(-3, 3)) for n in (7.0, 14.0))
    )


def gears(lossy=True, backlash=None) -> be.Gearbox:
    efficiency = evenly(0.5, 1.0) if lossy else None
    return be.Gearbox(
        stages=(
            be.Stage(ratio=evenly(2.0, 8.0), efficiency=efficiency, inertia=spread(-8, -6)),
            be.Stage(
                ratio=-evenly(2.0, 8.0), efficiency=efficiency, back_efficiency=evenly(0.3, 0.9) if lossy else None
            ),
        ),
        backlash=backlash,
    )


def limits(derating=False, rate=True) -> be.Limits:
    peak = spread(0.5, 1.5)
    more = {"continuous_current": 0.3 * peak, "derating_start": evenly(50, 70), "derating_end": evenly(80, 120)}
    return be.Limits(peak_current=peak, current_rate=spread(3, 5) if rate else None, **(more if derating else {}))


def supply(**more) -> be.Supply:
    return be.Supply(
        **{"voltage": spread(1, 1.7), "resistance": spread(-2, -0.5), "modulation_limit": evenly(0.7, 1.0)} | more
    )


def actuator(supply=None, inductive=False, magnets=None, rotor=True, **parts) -> be.Actuator:
    motor = be.Motor(
        winding=winding(inductive),
        magnet=magnets or magnet(),
        rotor=be.Rotor(inertia=spread(-6, -4)) if rotor else None,
        **parts,
    )
    return be.Actuator(motor, supply)


STRUCTURES = {
    "resistive": actuator(rotor=False),
    "inductive": actuator(inductive=True),
    "one node": actuator(thermal=one_node()),
    "two nodes, iron": actuator(inductive=True, thermal=two_nodes(), magnets=magnet(iron_loss=spread(-7, -5))),
    "weak magnets": actuator(thermal=one_node(), magnets=magnet(temperature_coefficient=evenly(-0.003, 0.0))),
    "saturation": actuator(inductive=True, magnets=magnet(saturation=saturation())),
    "coulomb and drag": actuator(friction=be.Coulomb(coulomb=spread(-3, -1)), drag=drag()),
    "dahl": actuator(friction=be.Dahl(coulomb=spread(-3, -1), stiffness=spread(0.5, 3))),
    "lugre": actuator(inductive=True, friction=lugre()),
    "lugre with exponents": actuator(
        friction=lugre(stribeck_exponent=evenly(0.7, 3.0), damping_exponent=evenly(0.7, 3.0))
    ),
    "load-dependent": actuator(friction=six()),
    "gears": actuator(gearbox=gears(), friction=be.Coulomb(coulomb=spread(-3, -1))),
    "backlash": actuator(gearbox=gears(backlash=spread(-3, -1.5)), cogging=cogging()),
    "limits": actuator(inductive=True, limits=limits(derating=True), thermal=one_node()),
    "supply": actuator(supply(), inductive=True, limits=limits()),
    "spring": replace(
        actuator(friction=be.Coulomb(coulomb=spread(-3, -1))),
        spring=be.JointSpring(stiffness=spread(-2, 2), rest_angle=evenly(-1, 1), offset=evenly(-0.1, 0.1)),
    ),
    "friction over angle": actuator(
        friction=six(), friction_over_angle=be.FrictionOverAngle(per_angle=evenly(-0.5, 0.5), angle=evenly(-1, 1))
    ),
    "friction in a table": actuator(
        friction=lugre(),
        friction_over_angle=be.FrictionAngleTable(
            shares=tuple(evenly(0.0, 2.0) for _ in range(5)), first=evenly(-2, -1), last=evenly(0, 1), repeats=True
        ),
    ),
    "network": actuator(inductive=True, friction=six(), gearbox=gears(), network=network()),
    "network behind backlash": actuator(
        supply(), friction=lugre(), gearbox=gears(backlash=spread(-3, -1.5)), cogging=cogging(), network=network()
    ),
    "thermistor": actuator(
        thermal=two_nodes(),
        thermistor=be.Thermistor(
            time_constant=spread(-3, 1),
            phase_heat=be.PhaseHeat(
                pole_pairs=7.0, modulation=evenly(0, 1), phase=evenly(-3, 3), exchange=spread(-2, 1)
            ),
        ),
    ),
    "duty curve": actuator(supply(curve=be.DutyCurve(saturation=spread(-1, 0.5))), inductive=True, limits=limits()),
    "duty table": actuator(
        supply(resistance=None, curve=be.DutyTable(shares=(evenly(0.2, 0.5), evenly(0.5, 0.8), evenly(0.8, 1.0))))
    ),
    "bridge off": actuator(supply(), inductive=True, limits=limits()),
    "shared supply": actuator(supply(voltage=24.0, resistance=0.01, regeneration=False, shared=True)),
    "everything": actuator(
        supply(), inductive=True, thermal=two_nodes(), friction=lugre(), drag=drag(), cogging=cogging(),
        gearbox=gears(),
        limits=limits(derating=True), magnets=magnet(
            temperature_coefficient=evenly(-0.003, 0.0), iron_loss=spread(-7, -5), saturation=saturation()
        ),
    ),
}  # fmt: skip


def random_inputs(kind: be.Actuator) -> tuple:
    """A state, a command, a position, a velocity, a load torque and a load inertia for each motor."""
    motor = kind.motor
    state = {}
    for name in states_of(kind):
        if name == "current":
            state[name] = evenly(-10, 10)
        elif name in ("winding_rise", "housing_rise"):
            state[name] = evenly(0, 80)
        elif name == "bristle":
            state[name] = evenly(-1, 1) * motor.friction.coulomb / motor.friction.stiffness
        elif name == "gap":
            state[name] = evenly(-0.5, 0.5) * np.abs(motor.ratio) * motor.gearbox.backlash
        else:
            state[name] = evenly(-60, 60)
    return be.State(**state), evenly(-30, 30), evenly(-3, 3), evenly(-4, 4), evenly(-1, 1), spread(-4, -1)


INPUTS = {name: random_inputs(kind) for name, kind in STRUCTURES.items()}
switched = be.Command(voltage=INPUTS["bridge off"][1], enable=rng.integers(0, 2, N).astype(float))
INPUTS["bridge off"] = (INPUTS["bridge off"][0], switched, *INPUTS["bridge off"][2:])
DT = 7e-4


def call(engine, way: str, kind, inputs, dt=DT):
    """One step of an engine's `held` or `coupled` as a flat dictionary of its numbers."""
    state, command, position, velocity, torque, inertia = inputs
    kind = without_neutral(kind)
    if way == "held":
        new, out = engine.held(kind, state, command, position, velocity, dt, torque, inertia)
        after = {}
    else:
        new, speed, out = coupled(engine, kind, state, command, position, velocity, dt, torque, inertia, 1e-4)
        after = {"velocity": speed}
    return after | {
        f"{prefix}{entry.name}": getattr(part, entry.name)
        for prefix, part in (("new.", new), ("", out))
        for entry in fields(part)
        if getattr(part, entry.name) is not None
    }


def as_arrays(values: dict) -> dict:
    return {name: np.broadcast_to(np.asarray(value, dtype=float), (N,)) for name, value in values.items()}


def on_jax(way, kind, inputs):
    engine = laws("jax")
    with jax.enable_x64(True):
        step = jax.jit(lambda kind, inputs, dt: call(engine, way, kind, inputs, dt))
        return as_arrays(step(kind, tuple(inputs), DT))


def tensors(part):
    return map_numbers(part, lambda x: torch.as_tensor(x) if isinstance(x, np.ndarray) else x)


def on_torch(way, kind, inputs):
    return as_arrays(call(laws("torch"), way, tensors(kind), tensors(tuple(inputs))))


def on_python(way, kind, inputs):
    engine = laws("python")

    def one(part, k):
        return map_numbers(part, lambda x: float(x[k]) if isinstance(x, np.ndarray) else x)

    rows = [call(engine, way, one(kind, k), one(tuple(inputs), k)) for k in range(N)]
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def on_native(way, kind, inputs):
    """The compiled step of a batch; `call` adds a damping of the load to a coupled one."""
    state, command, position, velocity, torque, inertia = inputs
    step = kind.compile("native")
    if way == "held":
        new, out = step(state, command, position, velocity, DT, torque, inertia)
    else:
        new, out = step.coupled(state, command, position, velocity, DT, torque, inertia, load_damping=1e-4)
    after = {"velocity": out.joint_velocity} if way == "coupled" else {}
    return as_arrays(
        after
        | {
            f"{prefix}{entry.name}": getattr(part, entry.name)
            for prefix, part in (("new.", new), ("", out))
            for entry in fields(part)
            if getattr(part, entry.name) is not None
        }
    )


def scale(name: str, values: dict, kind: be.Actuator, inputs) -> float:
    """What rounding of a channel scales with: its peak over the batch, or that of the terms it is a difference of."""
    kind = without_neutral(kind)
    terms = [values[name]]
    powers = [v for key, v in values.items() if key.endswith("_power")]
    if name in ("conversion_power", "gear_power", "friction_power", "bristle_power", "rotor_power", "numerical_power"):
        terms += powers
    if name == "magnetic_power" and kind.motor.winding.inductance is not None:
        # L·(i1² - i0²)/2dt is a difference of two stored energies
        largest = np.maximum(np.abs(inputs[0].current), np.abs(values["new.current"]))
        terms.append(kind.motor.winding.inductance * largest**2 / DT)
    if name in ("torque", "mechanical_power", "friction_power", "gear_power", "numerical_power"):
        # friction is what is missing of the momentum, J·w/dt
        momentum = (kind.motor.reflected_inertia + inputs[5]) * np.abs(inputs[3]) / DT
        terms.append(momentum if name == "torque" else momentum * np.abs(inputs[3]))
    return max(float(np.abs(term).max()) for term in terms)


WAYS = [(name, way) for name in STRUCTURES for way in ("held", "coupled")]
NOW = [(name, ("held", "coupled")[index % 2]) for index, name in enumerate(STRUCTURES)]
"""Each structure in one of the two ways."""


@pytest.mark.parametrize(("name", "way"), some_now(WAYS, lambda *case: case in NOW))
def test_all_engines_give_the_same_numbers(name, way):
    """512 random motors of each structure, every state and channel within 1e-12 of NumPy's, relative to its peak.

    Channels that are small differences of large terms are compared relative to the peak of those terms.
    """
    kind, inputs = STRUCTURES[name], INPUTS[name]
    expected = as_arrays(call(laws("numpy"), way, kind, inputs))
    answers = {"jax": on_jax(way, kind, inputs), "torch": on_torch(way, kind, inputs)}
    if kind.supply is None or not kind.supply.shared:
        # on plain floats and in machine code every motor is alone
        answers["python"] = on_python(way, kind, inputs)
        answers["native"] = on_native(way, kind, inputs)
    for engine, got in answers.items():
        assert set(got) == set(expected)
        for channel, value in expected.items():
            assert np.isfinite(value).all(), (engine, channel)
            error = np.abs(got[channel] - value).max()
            assert error <= 1e-12 * scale(channel, expected, kind, inputs), (engine, channel, error)


@pytest.mark.parametrize("name", some_now(["resistive", "everything"], lambda name: name == "resistive"))
def test_torch_compiles_the_whole_step_as_one_graph(name):
    """`torch.compile(fullgraph=True)` accepts the step, and the compiled one gives NumPy's numbers."""
    kind, inputs = STRUCTURES[name], INPUTS[name]
    expected = as_arrays(call(laws("numpy"), "held", kind, inputs))
    step = kind.compile("torch", dtype=torch.float64)
    state, command, position, velocity, torque, inertia = tensors(inputs)
    new, out = step(state, command, position, velocity, DT, torque, inertia)
    for prefix, part in (("new.", new), ("", out)):
        for entry in fields(part):
            value = getattr(part, entry.name)
            if value is not None:
                channel = prefix + entry.name
                error = np.abs(np.asarray(value, dtype=float) - expected[channel]).max()
                assert error <= 1e-12 * scale(channel, expected, kind, inputs), (channel, error)


def single(name: str) -> be.Actuator:
    """The first motor of a structure, in plain numbers."""
    return map_numbers(STRUCTURES[name], lambda x: float(x[0]) if isinstance(x, np.ndarray) else x)


def compile_step(kind: be.Actuator, batch: tuple[int, ...]):
    """The compiled JAX step of a kind of motor for a batch, in float32."""
    engine = laws("jax")
    zero = np.zeros(batch, dtype=np.float32)
    state = be.State(**{name: zero for name in states_of(kind)})
    step = jax.jit(lambda kind, inputs, dt: call(engine, "held", kind, inputs, dt))
    return step.lower(kind, (state, zero, zero, zero, zero, zero), np.float32(1e-3)).compile()


def test_shared_parameters_are_not_expanded():
    """What goes into the compiled step is the batch's states and inputs; a parameter that all share takes 4 bytes."""
    batch = 4096
    kind = single("everything")
    arrays = len(states_of(kind)) + 5
    count = len(list(numbers(kind)))
    assert count > 40
    size = compile_step(kind, (batch,)).memory_analysis().argument_size_in_bytes
    assert size <= 4 * (arrays * batch + count + 1)


def test_own_parameters_broadcast_over_environments_and_joints():
    """A parameter per joint and one per environment meet in a batch (env, joint), on every engine."""
    ohms, kt = np.array([0.5, 1.0, 2.0]), np.array([[0.02], [0.05]])
    motor = be.Motor(winding=be.Winding(resistance=ohms), magnet=be.Magnet(torque_constant=kt, back_emf_constant=0.03))
    command = np.full((2, 3), 6.0)
    expected = kt * (6.0 - 0.03 * 10.0) / ohms
    with jax.enable_x64(True):
        for engine, options in (
            ("numpy", {}), ("jax", {}), ("native", {}), ("torch", {"dtype": torch.float64, "eager": True})
        ):  # fmt: skip
            step = motor.compile(engine, **options)
            volts = torch.as_tensor(command) if engine == "torch" else command
            _, out = step(step.initial((2, 3)), volts, 0.0 * volts, 0.0 * volts + 10.0, 1e-3)
            assert np.asarray(out.torque) == pytest.approx(expected, rel=1e-14)


def test_absent_parts_cost_nothing():
    """Without winding inductance, heat and bristles the compiled step holds no exponential and no power."""
    rubbing = single("coulomb and drag").motor
    plain = be.Actuator(replace(rubbing, cogging=single("backlash").motor.cogging))
    text = compile_step(plain, (8,)).as_text()
    assert "exponential" not in text and "power(" not in text and "tanh" not in text
    assert "sine" in text or "round" in text
    bristly = compile_step(single("lugre with exponents"), (8,)).as_text()
    assert "exponential" in bristly and "power(" in bristly
    # an exponent of 2 needs no power
    assert "power(" not in compile_step(single("lugre"), (8,)).as_text()


def test_absent_states_are_absent():
    """A resistive motor remembers nothing, so its step takes and returns nothing but inputs and outputs."""
    step = replace(STRUCTURES["resistive"], meter=False).compile("numpy")
    assert all(getattr(step.initial(N), entry.name) is None for entry in fields(be.State))


def test_binding_leaves_the_original_alone():
    """A bound module is another one: the law it was made from still calls NumPy."""
    before = dict(vars(exact))
    marked = SimpleNamespace(**{name: getattr(ops, name) for name in vars(ops) if not name.startswith("_")})
    marked.expm1 = lambda x: 42.0
    try:
        bound = bind(exact, "marked", marked)
        assert isinstance(bound, ModuleType) and bound is not exact
        assert bound.decay(1.0) == 43.0
        assert vars(exact) == before
        assert exact.decay(1.0) == pytest.approx(np.exp(-1.0), rel=1e-15)
        assert bound.decay.__code__ is exact.decay.__code__
    finally:
        sys.modules.pop("backemf.physics.exact@marked", None)


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch", "native"])
def test_reset_touches_only_the_masked_motors(engine):
    """Where the mask is true the motor is at rest and cold again; the others go on."""
    step = map_numbers(STRUCTURES["everything"], lambda x: 1.0 * x).compile(
        engine, **({"eager": True} if engine == "torch" else {})
    )
    state = step.initial(4, current=3.0, winding_rise=40.0, housing_rise=20.0, bristle=1e-4)
    mask = np.array([True, False, False, True])
    fresh = step.reset(state, mask, winding_rise=5.0)
    assert np.asarray(fresh.current) == pytest.approx([0.0, 3.0, 3.0, 0.0])
    assert np.asarray(fresh.winding_rise) == pytest.approx([5.0, 40.0, 40.0, 5.0])
    assert np.asarray(fresh.housing_rise) == pytest.approx([0.0, 20.0, 20.0, 0.0])
    assert np.asarray(state.current) == pytest.approx([3.0] * 4)


def test_the_step_is_a_function_of_its_arguments():
    """A state is never changed in place: the same call gives the same answer twice."""
    kind, inputs = STRUCTURES["everything"], INPUTS["everything"]
    copy = map_numbers(inputs[0], np.copy)
    first, second = (as_arrays(call(laws("numpy"), "held", kind, inputs)) for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)
    assert all((a == b).all() for (_, a), (_, b) in zip(numbers(copy), numbers(inputs[0]), strict=True))


def test_vmap_over_motors_is_the_batch():
    """One motor mapped by JAX over parameters, states and inputs gives what the batched step gives."""
    batched = be.Motor(
        winding=be.Winding(resistance=np.array([0.5, 1.0, 2.0]), inductance=1e-3),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        friction=be.LuGre(coulomb=0.01, stiction=0.02, stribeck_velocity=2.0, stiffness=5.0),
    )
    volts, speeds = np.array([1.0, -2.0, 3.0]), np.array([0.0, 5.0, -7.0])
    step = batched.compile("jax")
    state, out = step(step.initial((3,)), volts, 0.0, speeds, 1e-3)

    def one(resistance, volts, speed):
        motor = replace(batched, winding=replace(batched.winding, resistance=resistance))
        single = be.State(current=0.0, bristle=0.0)
        return laws("jax").held(be.Actuator(motor), single, volts, 0.0, speed, 1e-3)

    mapped_state, mapped = jax.vmap(one)(batched.winding.resistance, volts, speeds)
    assert np.allclose(mapped.torque, out.torque, rtol=1e-6, atol=0)
    assert np.allclose(mapped_state.bristle, state.bristle, rtol=1e-6, atol=0)


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch"])
def test_an_input_that_does_not_fit_the_batch_is_one_sentence(engine):
    """Four motors cannot take three commands, and a word is no voltage."""
    step = be.Motor(
        winding=be.Winding(resistance=1.0, inductance=1e-3),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    ).compile(engine, **({"eager": True} if engine == "torch" else {}))
    with pytest.raises(be.ParameterError, match=r"command has the shape \(3,\), which does not fit the batch \(4,\)"):
        step(step.initial((4,)), np.zeros(3), 0.0, 0.0, 1e-3)
    with pytest.raises(be.ParameterError, match="joint_velocity = 'fast': must be a finite number"):
        step(step.initial((4,)), 0.0, 0.0, "fast", 1e-3)
    with pytest.raises(be.ParameterError, match=r"reset\(bristle=...\): this motor has no such state"):
        step.reset(step.initial((4,)), True, bristle=1.0)
