"""Nothing does nothing: every field of every part changes a state or an output somewhere, or is refused."""

from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from motors import coupled
from test_bad_input import LSTM, NETWORK, refusal

import backemf as be
from backemf.actuator.compiled import laws
from backemf.actuator.memory import initial_state
from backemf.engines import load
from backemf.physics import load as load_laws
from backemf.random.randomize import rebuild
from backemf.tree import is_structure, is_table, numbers

N, STEPS, DT = 64, 16, 2e-3
WINDING = be.Winding(resistance=0.5, inductance=1e-3)
MAGNET = be.Magnet(torque_constant=0.05, back_emf_constant=0.06)
PLAIN = be.Motor(winding=WINDING, magnet=MAGNET, rotor=be.Rotor(inertia=1e-4))
SHARE = be.LoadShare(drive=0.1, back=0.2)
FADING = be.LoadDependent(
    coulomb=0.01,
    viscous=1e-4,
    load=SHARE,
    stribeck=be.Stribeck(velocity=3.0, coulomb=0.01, load=SHARE),
    quadratic=be.QuadraticShare(drive=0.1, back=0.1),
)
LUGRE = be.LuGre(
    coulomb=0.01, stiction=0.02, stribeck_velocity=2.0, stiffness=5.0, damping=1e-3, viscous=1e-4,
    stribeck_exponent=1.5, damping_exponent=1.5,
)  # fmt: skip
DERATING = be.Limits(
    peak_current=8.0, continuous_current=3.0, current_rate=4e3, derating_start=40.0, derating_end=90.0, safe_current=2.0
)
RICH = be.Motor(
    winding=WINDING,
    magnet=replace(
        MAGNET, temperature_coefficient=-1e-3, iron_loss=1e-5,
        saturation=be.Saturation(knee_current=2.0, scale=0.3, torque=0.05),
    ),
    rotor=be.Rotor(inertia=1e-4),
    thermal=be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=5.0, housing_resistance=2.0, housing_capacitance=50.0
    ),
    friction=LUGRE,
    drag=be.Drag(coefficients=(1e-4, 1e-5)),
    cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.01, periodicity=7.0, phase=0.3),)),
    gearbox=be.Gearbox(
        stages=(be.Stage(ratio=5.0, efficiency=0.8, back_efficiency=0.6, inertia=1e-5), be.Stage(ratio=2.0))
    ),
    limits=DERATING,
)  # fmt: skip
SUPPLY = be.Supply(voltage=24.0, resistance=0.1, modulation_limit=0.9)
PID = {"ki": 30.0, "integral_limit": 2e-3}
UNLIKE = replace(NETWORK, weights=(np.array([[0.3, 0.1, -0.2, 0.5]]),))
GATES = replace(LSTM, input_weights=(np.arange(8.0).reshape(4, 2) - 3.0,))
"""Networks in which every input counts in its own way."""
ACTUATORS: dict[str, be.Actuator] = {
    "plain": be.Actuator(PLAIN),
    "rich": be.Actuator(RICH, SUPPLY, voltage_limit=18.0),
    "one node": be.Actuator(replace(PLAIN, thermal=be.Thermal(resistance=1.0, capacitance=5.0))),
    "coulomb": be.Actuator(replace(PLAIN, friction=be.Coulomb(coulomb=0.01))),
    "dahl": be.Actuator(replace(PLAIN, friction=be.Dahl(coulomb=0.01, stiffness=5.0))),
    "load-dependent": be.Actuator(replace(PLAIN, friction=FADING)),
    "nothing fades": be.Actuator(
        replace(PLAIN, friction=be.LoadDependent(coulomb=0.01, stribeck=be.Stribeck(velocity=3.0)))
    ),
    "flat LuGre": be.Actuator(
        replace(PLAIN, friction=replace(LUGRE, stiction=0.01, damping=0.0)),
    ),
    "silent harmonic": be.Actuator(
        replace(PLAIN, cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.0, periodicity=7.0),)))
    ),
    "warm magnets": be.Actuator(
        replace(PLAIN, magnet=replace(MAGNET, temperature_coefficient=-1e-3, reference_temperature=20.0))
    ),
    "friction over angle": be.Actuator(
        replace(
            PLAIN, friction=FADING, friction_over_angle=be.FrictionOverAngle(per_angle=0.5, angle=0.02),
            gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.8),), backlash=0.02),
        )
    ),
    "friction in a table": be.Actuator(
        replace(
            PLAIN, friction=LUGRE,
            friction_over_angle=be.FrictionAngleTable(shares=(0.5, 1.0, 1.6), first=-0.02, last=0.02),
        )
    ),
    "friction every turn": be.Actuator(
        replace(
            PLAIN, friction=be.Coulomb(coulomb=0.01),
            friction_over_angle=be.FrictionAngleTable(shares=(0.5, 1.0, 1.6), first=-0.01, last=0.01, repeats=True),
        )
    ),
    "network": be.Actuator(
        replace(
            PLAIN, friction=FADING, network=be.TorqueNetwork(
                units=(
                    be.TanhUnit(weight=0.02, per_position=3.0, per_velocity=-1.0, per_torque=0.5, bias=0.2),
                    be.TanhUnit(weight=-0.01, per_velocity=2.0),
                ),
                position=0.5, velocity=4.0, torque=0.3,
            ),
            gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.8),), backlash=0.02),
        )
    ),
    "silent network": be.Actuator(
        replace(PLAIN, network=be.TorqueNetwork(units=(be.TanhUnit(weight=0.0, per_position=1.0, bias=0.3),)))
    ),
    "thermistor": be.Actuator(
        replace(
            PLAIN, thermal=be.Thermal(resistance=1.0, capacitance=5.0),
            thermistor=be.Thermistor(
                time_constant=1.5,
                phase_heat=be.PhaseHeat(pole_pairs=7.0, modulation=0.8, phase=0.4, exchange=0.3),
            ),
        )
    ),
    "thermistor of an even winding": be.Actuator(
        replace(
            PLAIN, thermal=RICH.thermal,
            thermistor=be.Thermistor(phase_heat=be.PhaseHeat(pole_pairs=7.0, modulation=0.0, phase=0.4, exchange=0.3)),
        )
    ),
    "spring": be.Actuator(RICH, spring=be.JointSpring(stiffness=3.0, rest_angle=0.2, offset=0.05)),
    "slack spring": be.Actuator(spring=be.JointSpring(rest_angle=0.2, offset=0.05)),
    "duty curve": be.Actuator(PLAIN, replace(SUPPLY, curve=be.DutyCurve(saturation=0.6))),
    "duty table": be.Actuator(
        PLAIN, replace(SUPPLY, curve=be.DutyTable(shares=(0.3, 0.5, 0.76))),
        controller=be.PositionPid(kp=20.0, kd=0.3, **PID),
    ),
    "backlash": be.Actuator(
        replace(PLAIN, gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.8),), backlash=0.02))
    ),
    "shared supply": be.Actuator(PLAIN, replace(SUPPLY, shared=True, regeneration=False)),
    "position PID": be.Actuator(PLAIN, SUPPLY, controller=be.PositionPid(kp=20.0, kd=0.3, **PID), slew=30.0),
    "velocity PI": be.Actuator(PLAIN, SUPPLY, controller=be.VelocityPi(kp=2.0, **PID)),
    "torque PID": be.Actuator(
        PLAIN, SUPPLY, command_range=(-0.8, 0.8),
        controller=be.TorquePid(kp=1.0, kd=0.1, **PID, current_bandwidth=300.0),
    ),
    "PD": be.Actuator(PLAIN, SUPPLY, controller=be.IdealPd(stiffness=1.0, damping=0.1, current_bandwidth=300.0)),
    "torque": be.Actuator(PLAIN, SUPPLY, controller=be.Torque(current_bandwidth=300.0)),
    "duty": be.Actuator(
        PLAIN, SUPPLY, controller=be.DutyServo(kp=2.0, kd=0.1, pwm_limit=0.7, current_limit=9.0, dead_band=0.05, **PID)
    ),
    "modes": be.Actuator(
        PLAIN, SUPPLY,
        controller=be.ModeSelector(torque=be.Torque(current_bandwidth=300.0), velocity=be.VelocityPi(kp=2.0, ki=9.0)),
    ),
    "DcClip": be.Actuator(limits=be.DcClip(saturation_effort=1.0, velocity_limit=6.0, effort_limit=0.7)),
    "EffortLimit": be.Actuator(limits=be.EffortLimit(effort_limit=0.7)),
    "EffortRange": be.Actuator(limits=be.EffortRange(lowest=-0.7, highest=0.3)),
    "DriveEnvelope": be.Actuator(
        limits=be.DriveEnvelope(
            max_effort=0.9, max_actuator_velocity=8.0, velocity_dependent_resistance=0.05, speed_effort_gradient=2.0
        )
    ),
    "KneeCurve": be.Actuator(
        limits=be.KneeCurve(driving_effort=0.7, braking_effort=0.8, knee_speed=1.0, no_load_speed=6.0)
    ),
    "TanhFriction": be.Actuator(friction=be.TanhFriction(coulomb=0.1, activation_speed=1.0, viscous=0.01)),
    "viscous alone": be.Actuator(friction=be.TanhFriction(coulomb=0.0, viscous=0.01)),
    "learned": be.Actuator(controller=be.learned.LearnedMlp(network=UNLIKE, history=2, stride=2)),
    "recurrent": be.Actuator(controller=be.learned.LearnedRecurrent(network=GATES)),
    "delay": be.Actuator(delay=be.Delay(steps=(1, 5), schedule="period", period=4, hold_probability=0.2)),
    "delay in seconds": be.Actuator(delay=be.Delay(seconds=(0.003, 0.011), schedule="step")),
}  # fmt: skip
LOADS = [
    be.Inertia(inertia=1e-3, damping=1e-3),
    be.ConstantTorque(torque=0.1, inertia=1e-3),
    be.Pendulum(mass=0.1, length=0.1, arm_mass=0.1, damping=1e-3, offset=0.1, inertia=1e-4),
    be.Pendulum(mass=0.0, length=0.1, inertia=1e-3),
    be.Fan(coefficient=1e-4, inertia=1e-3),
    be.TwoMass(inertia=1e-3, far_inertia=1e-3, stiffness=1.0, damping=1e-3, backlash=0.01, far_torque=0.1),
]


def course(kind: be.Actuator) -> tuple[Any, ...]:
    """Commands, positions, velocities, load torques and inertias that reach every limit, from slow to fast."""
    rng = np.random.default_rng(5)
    speed = rng.choice([0.01, 0.3, 3.0, 30.0], (STEPS, N))
    v = speed * rng.normal(size=(STEPS, N))
    given = {"effort": 1.0, "position": 1.0, "velocity": 5.0, "voltage": 30.0}
    wanted = {name: given[name] * rng.normal(size=(STEPS, N)) for name in kind.controller.inputs}
    if isinstance(kind.controller, be.ModeSelector):
        wanted["mode"] = rng.integers(1, 4, (STEPS, N))
    return wanted, 0.05 * np.cumsum(0.1 * v, axis=0), v, rng.normal(size=(STEPS, N)), 10 ** rng.uniform(-5, -2, N)


def observe(kind: be.Actuator) -> list[np.ndarray]:
    """Every state and output of a run held by a host, and of steps coupled to a load."""
    wanted, q, v, pull, inertia = course(kind)
    law, found = laws("numpy"), []
    state = initial_state(load("numpy"), kind, (N // 4, 4), 3, DT, {}, {})
    if state.winding_rise is not None:
        state = replace(state, winding_rise=np.linspace(0.0, 120.0, N).reshape(N // 4, 4))
    shape = (N // 4, 4)
    with np.errstate(all="ignore"):
        for k in range(STEPS):
            command = be.Command(**{name: x[k].reshape(shape) for name, x in wanted.items()})
            inputs = [x[k].reshape(shape) for x in (q, v)]
            before = state
            state, out = law.held(kind, state, command, *inputs, DT, pull[k].reshape(shape), inertia.reshape(shape))
            found += [np.asarray(x, float) for part in (state, out) for x in vars(part).values() if x is not None]
            if k == STEPS // 2:
                _, speed, out = coupled(
                    law, kind, before, command, *inputs, DT, pull[k].reshape(shape), inertia.reshape(shape), 1e-4
                )
                found += [speed, *(np.asarray(x, float) for x in vars(out).values() if x is not None)]
    return found


def differ(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return len(one) != len(other) or any(
        a.shape != b.shape or not np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True)
    )


@cache
def baseline(name: str) -> list[np.ndarray]:
    return observe(ACTUATORS[name])


@pytest.mark.parametrize("name", ACTUATORS)
def test_every_number_acts_or_is_refused(name):
    """`randomize` refuses a name whose change leaves every state and output of many motors as they were."""
    kind, idle = ACTUATORS[name], []
    for field, value in numbers(kind):
        if field.startswith("delay.steps"):
            continue
        other = another(kind, field, float(value))
        if other is None:
            idle.append(field)
        else:
            assert differ(baseline(name), observe(rebuild(kind, {field: other}))), field
    for field in idle:
        value = dict(numbers(kind))[field]
        same = observe(rebuild(kind, {field: 0.97 * value if value else -1e-3}))
        label = field.endswith("reference_temperature")
        # without heat the reference temperature is what telemetry says, and nothing follows it
        assert label or not differ(baseline(name), same), f"{field} acts, and must not be refused"


def another(target: Any, field: str, value: float) -> float | None:
    """A value that `randomize` draws for a field, above its own or below; None: it refuses any, since none acts."""
    message = ""
    for low, high in ((1.1, 1.3), (0.5, 0.9)) if value else ((1e-3, 2e-3), (-2e-3, -1e-3)):
        ends = sorted((low * value, high * value)) if value else (low, high)
        try:
            be.randomize(target, {field: be.random.Uniform(*ends)}, (4, 1))
            return ends[0]
        except be.ParameterError as error:
            message = str(error)
            if "would do nothing" in message:
                return None
    raise AssertionError((field, message))


def reactions(thing: Any) -> list[np.ndarray]:
    """Inertia, torque, slope and memory of a load at many joints."""
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=N), rng.normal(size=N)
    memory = (q + 0.03 * rng.normal(size=N), v - 0.1) if isinstance(thing, be.TwoMass) else ()
    found = load_laws.react(thing, memory, q, v, DT)
    return [
        np.asarray(x, float) + 0.0 * q
        for x in (found.inertia, found.torque, found.damping, *load_laws.follow(thing, memory, found.torque, DT))
    ]


@pytest.mark.parametrize("thing", LOADS, ids=lambda thing: type(thing).__name__)
def test_every_number_of_a_load_acts_or_is_refused(thing):
    """The same for what hangs on the joint."""
    for field, value in numbers(thing):
        if not value:
            continue
        try:
            be.randomize(thing, {field: be.random.Scale(0.93, 0.97)}, 4)
        except be.ParameterError as error:
            assert "would do nothing" in str(error)
            assert not differ(reactions(thing), reactions(replace(thing, **{field: 0.97 * value}))), field
            continue
        assert differ(reactions(thing), reactions(replace(thing, **{field: 0.97 * value}))), field


OTHER: dict[str, Any] = {
    "Supply.regeneration": lambda x: not x,
    "FrictionAngleTable.repeats": lambda x: not x,
    "Supply.shared": lambda x: not x,
    "KneeCurve.braking_falls": lambda x: not x,
    "freeze_at_limit": lambda x: not x,
    "TorquePid.follows": lambda x: "velocity",
    "listens": lambda x: ("position", "velocity"),
    "Actuator.substeps": lambda x: 3,
    "Actuator.meter": lambda x: not x,
    "LearnedMlp.stride": lambda x: 1,
    "LearnedMlp.input_order": lambda x: "velocity_position",
    "LearnedRecurrent.input_order": lambda x: "velocity_position",
    "LearnedMlp.reset": lambda x: "zero",
    "Mlp.activation": lambda x: None,
    "Mlp.output_activation": lambda x: "tanh",
    "Delay.schedule": lambda x: "episode",
    "Delay.period": lambda x: 5,
    "Delay.staggered": lambda x: not x,
    "Delay.per": lambda x: "joint",
    "Delay.targets": lambda x: ("effort",),
    "Delay.reorder": lambda x: not x,
    "Delay.frames": lambda x: 12,
    "Delay.whole": lambda x: not x,
}
"""Another value of every word, switch and count."""
LABELS = {"Motor.name", "Motor.estimates", "Motor.motion"}
"""What says what a motor is called or made of, and stands in no law."""
ELSEWHERE = {"Mlp.activation", "LearnedMlp.history", "Delay.targets", "listens"}
"""One layer has no hidden activation; a history goes with its network; targets are of controllers with several."""


def places(part: Any, path: tuple = ()) -> list[tuple[tuple, Any, Any]]:
    """Every word, switch and count below a part: where it is, its owner and its entry."""
    found = []
    for entry in fields(part) if is_dataclass(part) else ():
        value = getattr(part, entry.name)
        if is_structure(entry):
            found.append(((*path, entry.name), part, entry))
        elif is_dataclass(value):
            found += places(value, (*path, entry.name))
        elif isinstance(value, tuple) and not is_table(entry):
            for index, item in enumerate(value):
                found += places(item, (*path, entry.name, index))
    return found


def exchange(part: Any, path: tuple, value: Any) -> Any:
    """The part with one field below it exchanged."""
    if not path:
        return value
    if isinstance(part, tuple):
        return tuple(exchange(x, path[1:], value) if k == path[0] else x for k, x in enumerate(part))
    return replace(part, **{path[0]: exchange(getattr(part, path[0]), path[1:], value)})


@pytest.mark.parametrize("name", ACTUATORS)
def test_every_word_switch_and_count_acts_or_is_refused(name):
    """Another value of it changes a state or an output, or is one sentence."""
    kind = ACTUATORS[name]
    for path, owner, entry in places(kind):
        label = f"{type(owner).__name__}.{entry.name}"
        if label in LABELS or label in ELSEWHERE or entry.name in ELSEWHERE:
            continue
        key = label if label in OTHER else entry.name
        assert key in OTHER, f"{label}: say another value of it in OTHER"
        if label == "Delay.frames" or (label == "Supply.shared" and kind.supply.resistance == 0.0):
            continue
        try:
            other = exchange(kind, path, OTHER[key](getattr(owner, entry.name)))
        except be.ParameterError:
            continue
        assert differ(baseline(name), observe(other)), label


# --- what was found by hand


def test_heat_of_a_motor_without_heat_is_not_varied():
    """The sentence names what is missing."""
    for target in (PLAIN, be.Actuator(PLAIN)):
        refusal(
            lambda target=target: be.randomize(
                target, {"winding.temperature_coefficient": be.random.Scale(0.9, 1.1)}, 3
            ),
            "winding.temperature_coefficient", "would do nothing", "without Motor.thermal",
        )  # fmt: skip
    warm = replace(PLAIN, thermal=be.Thermal(resistance=1.0, capacitance=5.0))
    be.randomize(warm, {"winding.temperature_coefficient": be.random.Scale(0.9, 1.1)}, 3)


def test_limits_that_no_supply_reaches_are_not_varied():
    """A voltage limit above the bus, and a servo's current limit above twice the stall current of 43.2 A."""
    rich, servo = ACTUATORS["rich"], ACTUATORS["duty"]
    refusal(
        lambda: be.randomize(rich, {"voltage_limit": be.random.Uniform(22.0, 30.0)}, 3),
        "voltage_limit",
        "at most 21.6 V",
    )
    be.randomize(rich, {"voltage_limit": be.random.Uniform(20.0, 30.0)}, 3)
    refusal(
        lambda: be.randomize(servo, {"controller.current_limit": be.random.Uniform(90.0, 99.0)}, 3), "would never act"
    )


@pytest.mark.parametrize("kind", [be.PositionPid, be.VelocityPi, be.TorquePid, be.DutyServo])
def test_freezing_an_integral_needs_one(kind):
    """Without ki, and with a ki of 0."""
    for ki in ({}, {"ki": 0.0}):
        refusal(lambda ki=ki: kind(kp=1.0, freeze_at_limit=True, **ki), f"{kind.__name__}.freeze_at_limit", "give ki")


def test_staggering_and_re_ordering_need_draws_under_way():
    """A period to stagger, and a delay that changes while commands travel."""
    for given in ({"steps": 2}, {"steps": (0, 3)}, {"steps": (0, 3), "schedule": "step"}):
        refusal(lambda given=given: be.Delay(staggered=False, **given), "Delay.staggered = False would never")
    for given in ({"steps": 2}, {"steps": (0, 3)}, {"steps": (0, 3), "schedule": "mjlab", "period": 3}):
        refusal(lambda given=given: be.Delay(reorder=True, **given), "Delay.reorder = True would never")
