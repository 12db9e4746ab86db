"""Bad input: one sentence with the field, the value and the remedy, and never a traceback from inside."""

import math
from dataclasses import MISSING, fields, replace

import numpy as np
import pytest

import backemf as be

# one valid object of every class that holds numbers
NETWORK = be.learned.Mlp(weights=(np.ones((1, 2)),), biases=(np.zeros(1),), activation="identity")
LSTM = be.learned.Lstm(
    input_weights=(np.ones((4, 2)),), hidden_weights=(np.ones((4, 1)),), input_biases=(np.zeros(4),),
    hidden_biases=(np.zeros(4),),
    head=be.learned.Mlp(weights=(np.ones((1, 1)),), biases=(np.zeros(1),), activation="identity"),
)  # fmt: skip
GOOD = [
    be.Winding(resistance=1.0, inductance=1e-3),
    be.Saturation(knee_current=1.0, scale=0.1, torque=0.1),
    be.Magnet(torque_constant=0.1, back_emf_constant=0.1, temperature_coefficient=-1e-3, iron_loss=1e-6),
    be.Rotor(inertia=1e-5),
    be.Sensor(lag=0.01, time_constant=1.0, bias=0.1, gain=1.1, quantisation=0.01),
    be.Delay(steps=(0, 3), schedule="period", period=4, hold_probability=0.1),
    be.Delay(steps=2.0),
    be.Delay(seconds=0.01),
    be.Thermal(resistance=1.0, capacitance=10.0),
    be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=10.0, housing_resistance=1.0, housing_capacitance=10.0
    ),
    be.Coulomb(coulomb=0.01),
    be.Dahl(coulomb=0.01, stiffness=10.0),
    be.LuGre(
        coulomb=0.01,
        stiction=0.02,
        stribeck_velocity=0.1,
        stiffness=10.0,
        damping=0.01,
        viscous=1e-5,
        stribeck_exponent=1.5,
        damping_exponent=2.0,
    ),
    be.LoadDependent(coulomb=0.01, viscous=1e-5),
    be.LoadShare(drive=0.1, back=0.1),
    be.Stribeck(velocity=0.1, exponent=2.0, coulomb=0.01),
    be.QuadraticShare(drive=0.1, back=0.1),
    be.Harmonic(amplitude=0.01, periodicity=7.0, phase=0.1),
    be.Stage(ratio=5.0, efficiency=0.9, back_efficiency=0.8, inertia=1e-7),
    be.Gearbox(stages=(be.Stage(ratio=5.0),), backlash=0.01),
    be.SineMotion(amplitude=1.0, frequency=0.5, offset=0.1),
    be.TriangleMove(angle=1.0, duration=2.0, start=0.1),
    be.TrapezoidMove(angle=1.0, duration=2.0, ramp=0.3, start=0.1),
    be.JointTask(motion=be.SineMotion(amplitude=1.0, frequency=0.5), rest=1.0, gear_exponent=3.0),
    be.FreeGears(ratios=[5.0, 20.0], efficiency=0.9, largest_stage=8.0, stage_inertia=1e-7, stage_mass=0.1),
    be.Limits(
        continuous_current=1.0,
        peak_current=3.0,
        current_rate=100.0,
        derating_start=80.0,
        derating_end=120.0,
        safe_current=0.5,
    ),
    be.Ratings(
        voltage=24.0,
        current=1.0,
        peak_current=3.0,
        winding_temperature=155.0,
        speed=1000.0,
        gear_input_speed=800.0,
        gear_torque=1.0,
        gear_peak_torque=2.0,
    ),
    be.Supply(voltage=24.0, resistance=0.1, modulation_limit=0.95),
    be.Inertia(inertia=1e-4, damping=1e-5),
    be.ConstantTorque(torque=0.1, inertia=1e-4),
    be.Pendulum(mass=0.1, length=0.1, arm_mass=0.1, damping=1e-5, offset=0.1),
    be.Fan(coefficient=1e-6, inertia=1e-4),
    be.TwoMass(inertia=1e-4, far_inertia=1e-4, stiffness=10.0, damping=1e-4, backlash=0.01, far_torque=0.1),
    be.commands.Constant(12.0),
    be.commands.Step(value=12.0, time=0.1, before=1.0),
    be.commands.Sine(amplitude=12.0, frequency=1.0, phase=0.1, offset=1.0),
    be.commands.Chirp(amplitude=12.0, start=1.0, end=2.0, duration=1.0, offset=1.0),
    be.commands.Trapezoid(value=12.0, rise=0.1, hold=0.1, fall=0.1, start=0.1),
    be.PositionPid(kp=40.0, ki=5.0, kd=0.4, integral_limit=1.0),
    be.VelocityPi(kp=1.0, ki=5.0, integral_limit=1.0),
    be.TorquePid(kp=40.0, ki=5.0, kd=0.4, integral_limit=1.0, current_bandwidth=1000.0),
    be.IdealPd(stiffness=40.0, damping=1.0, current_bandwidth=1000.0),
    be.Torque(current_bandwidth=1000.0),
    be.DutyServo(kp=2.0, ki=1.0, kd=0.1, pwm_limit=0.9, current_limit=2.0, dead_band=0.01, integral_limit=1.0),
    be.DcClip(saturation_effort=20.0, velocity_limit=30.0, effort_limit=10.0),
    be.EffortLimit(effort_limit=10.0),
    be.EffortRange(lowest=-10.0, highest=5.0),
    be.DriveEnvelope(
        max_effort=10.0, max_actuator_velocity=30.0, velocity_dependent_resistance=0.1, speed_effort_gradient=1.0
    ),
    be.KneeCurve(driving_effort=10.0, braking_effort=12.0, knee_speed=10.0, no_load_speed=30.0),
    be.design.LeadScrew(lead=0.005, efficiency=0.8, back_efficiency=0.6),
    be.design.Belt(radius=0.01, efficiency=0.9, back_efficiency=0.9),
    be.design.PlanetaryStage(sun_teeth=20, ring_teeth=60, orbit_radius=0.02, planet_mass=0.01, planets=3),
    be.learned.LearnedMlp(network=NETWORK, history=1),
    be.learned.LayerNorm(weight=np.ones(2), bias=np.zeros(2)),
    be.learned.LearnedRecurrent(network=LSTM),
    be.TanhFriction(coulomb=0.1, activation_speed=0.01, viscous=0.01),
    be.JointSpring(stiffness=1.0, rest_angle=0.1, offset=0.01),
    be.DutyCurve(saturation=0.6),
    be.DutyTable(shares=(0.7, 1.0)),
    be.FrictionOverAngle(per_angle=0.1, angle=0.2),
    be.FrictionAngleTable(shares=(0.5, 1.0), first=-1.0, last=1.0),
    be.TanhUnit(weight=0.1, per_position=1.0, per_velocity=1.0, per_torque=1.0, bias=0.1),
    be.TorqueNetwork(units=(be.TanhUnit(weight=0.1),), position=1.0, velocity=1.0, torque=1.0),
    be.PhaseHeat(pole_pairs=7.0, modulation=0.5, phase=0.1, exchange=0.2),
    be.Thermistor(time_constant=1.5),
    be.Actuator(
        be.Motor(winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1)),
        slew=1.0,
        voltage_limit=24.0,
    ),
]
MAY_BE_NEGATIVE = {
    "SineMotion.amplitude", "SineMotion.offset", "TriangleMove.angle", "TriangleMove.start", "TrapezoidMove.angle",
    "TrapezoidMove.start",
    "Sensor.bias",
    "LeadScrew.lead", "Belt.radius", "LearnedMlp.position_scale", "LearnedMlp.velocity_scale",
    "LearnedMlp.torque_scale", "LearnedRecurrent.position_scale", "LearnedRecurrent.velocity_scale",
    "LearnedRecurrent.torque_scale",
    "Winding.reference_temperature", "Magnet.temperature_coefficient", "Magnet.reference_temperature",
    "Thermal.ambient", "TwoNodeThermal.ambient", "Harmonic.phase", "Stage.ratio", "Limits.derating_start",
    "Ratings.winding_temperature", "ConstantTorque.torque", "Pendulum.offset", "TwoMass.far_torque", "Constant.value",
    "Step.value", "Step.time", "Step.before", "Sine.amplitude", "Sine.phase", "Sine.offset", "Chirp.amplitude",
    "Chirp.offset", "JointSpring.rest_angle", "JointSpring.offset", "FrictionOverAngle.per_angle",
    "FrictionOverAngle.angle", "FrictionAngleTable.first", "FrictionAngleTable.last", "PhaseHeat.phase",
    "EffortRange.lowest", "Trapezoid.value", "Trapezoid.start", "TanhUnit.weight", "TanhUnit.per_position",
    "TanhUnit.per_velocity", "TanhUnit.per_torque", "TanhUnit.bias",
}  # fmt: skip
"""Temperatures, angles, torques and volts, which have a sign; everything else has none."""

MADE_BY_RUNS = {be.State, be.Output, be.Here}
"""What engines make in every step and JAX traces; the position and velocity that a run starts from are tried below."""


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


FIELDS = [
    pytest.param(good, entry.name, id=f"{type(good).__name__}.{entry.name}")
    for good in GOOD
    for entry in fields(good)
    if is_number(getattr(good, entry.name)) and entry.type != "int"
]


def needed_fields(good) -> dict:
    """What a part cannot be made without."""
    given = {entry.name: getattr(good, entry.name) for entry in fields(good) if entry.default is MISSING}
    return given | ({"steps": 2} if isinstance(good, be.Delay) else {})


def refusal(make, *words) -> str:
    """The one sentence with which something is refused."""
    with pytest.raises(be.BackemfError) as caught:
        make()
    message = str(caught.value)
    assert "\n" not in message and 10 < len(message) < 400, message
    for word in words:
        assert word in message, message
    return message


def test_every_part_is_tried():
    """The list above holds every public class with numbers that people make, with every number given."""
    tried = {type(good) for good in GOOD}
    for name in be.__all__:
        kind = getattr(be, name)
        if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__") and kind not in MADE_BY_RUNS:
            numeric = [entry for entry in fields(kind) if str(entry.type).startswith("Number")]
            assert not numeric or kind in tried, name
    given = {f"{type(good).__name__}.{entry.name}" for good in GOOD for entry in fields(good)
             if is_number(getattr(good, entry.name))}  # fmt: skip
    for kind in tried:
        numeric = {f"{kind.__name__}.{entry.name}" for entry in fields(kind) if str(entry.type).startswith("Number")}
        assert numeric <= given, numeric - given


@pytest.mark.parametrize(("good", "name"), FIELDS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(good, name, value):
    """The message names Class.field and the value."""
    refusal(lambda: replace(good, **{name: value}), f"{type(good).__name__}.{name} = {value:g}", "finite")


@pytest.mark.parametrize(("good", "name"), FIELDS)
def test_a_negative_number_is_refused_where_it_means_nothing(good, name):
    """-1 where only a size makes sense; where a sign makes sense it is taken."""
    field = f"{type(good).__name__}.{name}"
    if field in MAY_BE_NEGATIVE:
        replace(good, **{name: -1e-3})
    else:
        refusal(lambda: replace(good, **{name: -1.0}), field, "-1")


@pytest.mark.parametrize(("good", "name"), FIELDS)
@pytest.mark.parametrize("value", ["1.5", b"1", [1.0], (1.0,), {"a": 1.0}, 1j, np.array(["1"])], ids=repr)
def test_what_is_no_number_is_refused(good, name, value):
    """Text, lists and the like never get inside."""
    refusal(lambda: replace(good, **{name: value}), f"{type(good).__name__}.{name} = ", "must be a number")


@pytest.mark.parametrize(("good", "name"), FIELDS)
def test_none_is_refused_where_a_number_is_needed(good, name):
    """None means absent, and only what has it as its default can be absent."""
    entry = type(good).__dataclass_fields__[name]
    if entry.default is None:
        return
    assert entry.default is MISSING or is_number(entry.default)
    if name in getattr(type(good), "neutral", {}):
        # where a number can be without effect, None stands for it
        assert getattr(replace(type(good)(**needed_fields(good)), **{name: None}), name) == type(good).neutral[name]
        return
    refusal(lambda: replace(good, **{name: None}), f"{type(good).__name__}.{name} = None: must be a number")


@pytest.mark.parametrize(("good", "name"), FIELDS)
def test_one_bad_motor_in_an_array_is_found(good, name):
    """An array with one bad value in it is as bad as the value."""
    array = np.array([getattr(good, name)] * 3, dtype=float)
    array[1] = math.nan
    refusal(lambda: replace(good, **{name: array}), f"{type(good).__name__}.{name} = ", "nan")


def test_the_place_of_a_bad_value_in_an_array_is_named():
    """Index and value of the first."""
    refusal(lambda: be.Rotor(inertia=np.array([[1e-5, -2.0]])), "Rotor.inertia = -2 at index (0, 1)")


@pytest.mark.parametrize("value", ["10 %", 5, 1.0, {"torque": 1.0}, be.Rotor(inertia=1.0)], ids=repr)
@pytest.mark.parametrize(
    "part", ["winding", "magnet", "rotor", "thermal", "friction", "drag", "cogging", "gearbox", "limits", "ratings"]
)
def test_a_part_of_a_motor_must_be_that_part(part, value):
    """A number or another part in its place is named with what belongs there."""
    if part == "rotor" and isinstance(value, be.Rotor):
        return
    refusal(lambda: replace(MOTOR, **{part: value}), f"Motor.{part} = ", "must be ")


def test_smaller_groups_must_be_what_they_are():
    """Saturation, the groups of load-dependent friction, harmonics, stages, a supply."""
    refusal(lambda: replace(MOTOR.magnet, saturation=3.0), "Magnet.saturation = 3.0: must be Saturation")
    refusal(lambda: be.LoadDependent(coulomb=0.1, load=0.2), "LoadDependent.load = 0.2: must be LoadShare")
    refusal(lambda: be.Stribeck(velocity=0.1, load="x"), "Stribeck.load = 'x': must be LoadShare")
    refusal(lambda: be.Cogging(harmonics=()), "Cogging.harmonics = (): must be a tuple of Harmonic")
    refusal(lambda: be.Cogging(harmonics=(0.1,)), "must be a tuple of Harmonic")
    refusal(lambda: be.Gearbox(stages=9.0), "Gearbox.stages = 9.0: must be a tuple of Stage")
    refusal(lambda: be.Gearbox(stages=[9.0]), "must be a tuple of Stage")
    refusal(lambda: be.Actuator(MOTOR, 48.0), "Actuator.supply = 48.0: must be Supply")
    refusal(lambda: be.Actuator("motor"), "Actuator.motor = 'motor': must be Motor")
    refusal(lambda: be.Supply(voltage=24.0, shared="no"), "Supply.shared = 'no': must be True or False")
    refusal(lambda: replace(MOTOR, winding=None), "Motor.winding = None: must be Winding")


@pytest.mark.parametrize("coefficients", [(), 3.0, (-1.0,), (1e-5, math.nan), (1e-5, "x"), (None,), "12"], ids=repr)
def test_bad_drag_coefficients_are_refused(coefficients):
    """Each order is checked by itself."""
    refusal(lambda: be.Drag(coefficients=coefficients), "Drag.coefficients")


def test_zero_is_refused_where_something_is_divided_by_it():
    """Resistances, inertias, capacities, ratios."""
    for make, field in [
        (lambda: be.Winding(resistance=0.0), "Winding.resistance = 0"),
        (lambda: be.Rotor(inertia=0), "Rotor.inertia = 0"),
        (lambda: be.Thermal(resistance=1.0, capacitance=0.0), "Thermal.capacitance = 0"),
        (lambda: be.Stage(ratio=0.0), "Stage.ratio = 0"),
        (lambda: be.Supply(voltage=0.0), "Supply.voltage = 0"),
        (lambda: be.Pendulum(mass=1.0, length=0.0), "Pendulum.length = 0"),
    ]:
        refusal(make, field)


def test_shares_above_one_are_refused():
    """An efficiency and a modulation limit are at most 1."""
    refusal(lambda: be.Stage(ratio=2.0, efficiency=1.2), "Stage.efficiency = 1.2", "at most 1")
    refusal(lambda: be.Supply(voltage=2.0, modulation_limit=1.2), "Supply.modulation_limit = 1.2", "at most 1")


def test_stiction_below_coulomb_is_refused():
    """Friction at rest is at least the friction when sliding, also for one motor of many."""
    given = {"stribeck_velocity": 0.1, "stiffness": 10.0}
    refusal(lambda: be.LuGre(coulomb=0.02, stiction=0.01, **given), "LuGre.stiction = 0.01", "coulomb = 0.02")
    refusal(lambda: be.LuGre(coulomb=0.02, stiction=np.array([0.03, 0.01]), **given), "LuGre.stiction")


def test_contradictory_limits_are_refused():
    """What could never take effect, or would lift the limit when hot."""
    refusal(lambda: be.Limits(peak_current=3.0, derating_start=80.0), "derating_start and derating_end")
    refusal(lambda: be.Limits(peak_current=3.0, derating_start=80.0, derating_end=70.0), "derating_end = 70.0")
    refusal(lambda: be.Limits(peak_current=3.0, safe_current=1.0), "safe_current = 1.0 A would never take effect")
    refusal(lambda: be.Limits(peak_current=3.0, continuous_current=1.0), "needs derating_start")
    hot = {"derating_start": 80.0, "derating_end": 120.0}
    refusal(lambda: be.Limits(peak_current=3.0, safe_current=5.0, **hot), "5.0 A, is above", "3.0 A")
    refusal(lambda: be.Limits(peak_current=np.array([3.0, 9.0]), safe_current=5.0, **hot), "is above")
    refusal(lambda: be.Limits(peak_current=3.0, **hot), "derating needs a current")
    derating = be.Limits(peak_current=3.0, continuous_current=1.0, **hot)
    refusal(lambda: replace(MOTOR, thermal=None, limits=derating), "Motor.thermal is None")


def test_a_winding_colder_than_its_law_is_refused():
    """R would be negative at ambient."""
    thermal = be.Thermal(resistance=1.0, capacitance=1.0, ambient=-250.0)
    refusal(lambda: replace(MOTOR, thermal=thermal), "Thermal.ambient = -250.0", "negative")


# runs

MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    thermal=be.Thermal(resistance=1.0, capacitance=10.0),
)
LOAD = be.Inertia(inertia=1e-4)


def run(motor=MOTOR, load=LOAD, command=1.0, duration=0.01, dt=1e-3, **options):
    return be.simulate(motor, load, command, duration, dt, **({"engine": "numpy"} | options))


@pytest.mark.parametrize("value", [0, 0.0, -1.0, math.nan, math.inf, "1 s", None, True, [1.0]], ids=repr)
@pytest.mark.parametrize("name", ["dt", "duration"])
def test_a_bad_time_is_refused(name, value):
    """The step and the duration must be positive numbers of seconds."""
    refusal(lambda: run(**{name: value}), f"{name} = {value!r}: must be a positive number of seconds")


def test_a_run_without_steps_or_without_end_is_refused():
    """Shorter than a step; so long that it is a typing error."""
    refusal(lambda: run(duration=1e-4, dt=1e-3), "duration = 0.0001 s holds no recorded step of 0.001 s")
    refusal(lambda: run(duration=0.01, dt=1e-3, every=11), "holds no recorded step of 0.011 s")
    refusal(lambda: run(duration=1e300, dt=1e-6), "never ends: shorten it or raise dt")


@pytest.mark.parametrize("seed", [-1, 0.5, True, None, "1"])
def test_a_bad_seed_is_refused_also_where_nothing_is_drawn(seed):
    refusal(lambda: run(seed=seed), f"simulate: seed = {seed!r}: must be a whole number of at least 0")


@pytest.mark.parametrize("every", [0, -1, 1.5, "2", None, True], ids=repr)
def test_a_bad_recording_interval_is_refused(every):
    """A whole number of steps."""
    refusal(lambda: run(every=every), f"every = {every!r}: must be a whole number")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([1.0] * 9, "command has 9 rows, but 0.01 s in steps of 0.001 s are 10; give one value per step"),
        ([], "command has 0 rows"),
        (np.ones((9, 2)), "command has 9 rows"),
        ([1.0] * 9 + [math.nan], "command[9] = nan: must be finite"),
        (np.array([[1.0, math.inf]] * 10), "command[0, 1] = inf: must be finite"),
        (["a"] * 10, "command: must be a list of numbers only"),
        ([[1.0, 2.0], [1.0]] * 5, "command: must be a list of numbers only"),
        (np.ones(10) * 1j, "command: must be a list of numbers only"),
        (math.nan, "Constant.value = nan"),
        ("24 V", "command = '24 V': must be a number, an array"),
        (None, "command = None: must be a number, an array"),
        (True, "command = True: must be a number, an array"),
        (LOAD, "must be a number, an array"),
    ],
    ids=repr,
)
def test_a_bad_command_is_refused(command, words):
    """Of the wrong shape, not finite, or no numbers at all."""
    refusal(lambda: run(command=command), words)


@pytest.mark.parametrize(
    ("time", "values", "words"),
    [
        ([0.0, 1.0], [1.0], "time (2,) and values (1,)"),
        ([], [], "time (0,)"),
        ([0.0, 0.0], [1.0, 2.0], "Table.time[1] = 0 s: must be after the one before"),
        ([0.0, 1.0], [1.0, math.nan], "Table.values[1] = nan: must be finite"),
        (["a"], [1.0], "Table.time: must be a list of numbers"),
    ],
)
def test_a_bad_table_is_refused(time, values, words):
    """Times rise, every value is finite, both lists are of one length."""
    refusal(lambda: be.commands.Table(time, values), words)


@pytest.mark.parametrize(
    ("time", "position", "words"),
    [
        ([0.0, 1.0], [1.0], "must be two lists of one length"),
        ([0.0], [1.0], "two or more"),
        ([1.0, 0.5], [1.0, 2.0], "PrescribedMotion.time[1] = 0.5 s: must be after the one before"),
        ([0.0, math.inf], [1.0, 2.0], "PrescribedMotion.time[1] = inf: must be finite"),
        ([0.0, 1.0], [math.nan, 2.0], "PrescribedMotion.position[0] = nan: must be finite"),
        ([0.0, 1.0], ["a", "b"], "PrescribedMotion.position: must be a list of numbers"),
    ],
)
def test_a_bad_motion_is_refused(time, position, words):
    """As a table is."""
    refusal(lambda: be.PrescribedMotion(time=time, position=position), words)


def test_batches_that_do_not_fit_are_refused():
    """The message names what does not fit, its shape and the batch so far."""
    two, three = np.array([1e-4, 2e-4]), np.array([1e-4, 2e-4, 3e-4])
    motor = replace(MOTOR, rotor=be.Rotor(inertia=two))
    words = ("which does not fit the batch (2,): give one value, or one per motor",)
    refusal(lambda: run(motor, be.Inertia(inertia=three)), "load.inertia has the shape (3,)", *words)
    refusal(lambda: run(motor, command=np.ones((10, 3))), "command has the shape (3,)", *words)
    refusal(lambda: run(motor, velocity=three), "velocity has the shape (3,)", *words)
    refusal(lambda: run(motor, initial={"winding_rise": three}), "initial.winding_rise has the shape (3,)", *words)
    refusal(lambda: run(motor, shape=3), "motor.rotor.inertia has the shape (2,)", "the batch (3,)")


@pytest.mark.parametrize("value", [math.nan, math.inf, "x", None, [1.0]], ids=repr)
@pytest.mark.parametrize("name", ["position", "velocity"])
def test_a_bad_start_is_refused(name, value):
    """Position and velocity must be finite numbers."""
    refusal(lambda: run(**{name: value}), f"{name} = {value!r}: must be a finite number")


def test_a_state_the_motor_does_not_have_is_refused():
    """The message lists those it has."""
    refusal(
        lambda: run(initial={"current": 1.0}), "initial['current']: this motor has no such state; it has winding_rise"
    )
    refusal(lambda: run(initial={"winding_rise": math.nan}), "winding_rise = nan: must be a finite number")
    refusal(lambda: run(initial={"winding_rise": "hot"}), "winding_rise = 'hot': must be a finite number")


def test_a_state_that_cannot_be_is_refused():
    """A winding below the law of its resistance, a rotor outside its play, no dict at all."""
    refusal(lambda: run(initial={"winding_rise": -300.0}), "initial['winding_rise'] = -300.0", "no resistance")
    geared = replace(MOTOR, gearbox=be.Gearbox(stages=(be.Stage(ratio=5.0),), backlash=0.01))
    refusal(
        lambda: run(geared, initial={"gap": 0.03}), "initial['gap'] = 0.03: must be within half the backlash, ±0.025"
    )
    run(geared, initial={"gap": -0.025})
    refusal(lambda: run(initial=[60.0]), "initial = [60.0]: must be a dict")


def test_a_start_beside_a_prescribed_motion_is_refused():
    """The table says where the joint is, so a position would never take effect."""
    motion = be.PrescribedMotion(time=[0.0, 1.0], position=[0.0, 1.0])
    refusal(lambda: run(load=motion, position=2.0), "position = 2.0", "starts where its table does")
    refusal(lambda: run(load=motion, velocity=2.0), "velocity = 2.0", "leave them out")


@pytest.mark.parametrize("shape", [-1, 0, 2.5, "3", (2, -1), (2, 1.5)], ids=repr)
def test_a_bad_shape_of_the_batch_is_refused(shape):
    """Whole numbers of motors."""
    refusal(lambda: run(shape=shape), f"shape = {shape!r}: must be a whole number of motors")


def test_a_record_larger_than_the_machine_is_refused():
    """At once, and with what would help."""
    refusal(lambda: run(shape=10**12), "GiB free: raise every or dt, shorten duration, run fewer")


def test_arrays_of_a_command_that_do_not_fit_each_other_are_refused():
    """Two amplitudes and three frequencies are no command."""
    sine = be.commands.Sine(amplitude=np.ones(2), frequency=np.ones(3))
    refusal(lambda: run(command=sine), "command: its arrays have the shapes (2,), (3,)")


def test_a_locked_rotor_with_a_speed_is_refused():
    """It stands still."""
    refusal(lambda: run(load=be.LockedRotor(), velocity=3.0), "velocity = 3.0: a locked rotor stands still")


def test_nothing_that_could_move_is_refused():
    """Neither rotor nor load has inertia."""
    motor = replace(MOTOR, rotor=None)
    refusal(lambda: run(motor, be.Inertia(inertia=0.0)), "nothing has inertia: give Motor.rotor, or a load")


def test_backlash_without_a_rotor_is_refused():
    """Nothing would move in the play."""
    gearbox = be.Gearbox(stages=(be.Stage(ratio=5.0),), backlash=0.01)
    refusal(lambda: run(replace(MOTOR, rotor=None, gearbox=gearbox)), "backlash needs Motor.rotor")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"motor": "maxon-re40-148877"}, "simulate(str): the first argument must be a Motor or an Actuator"),
        ({"load": 1e-4}, "load = 0.0001: must be one of the loads"),
        ({"load": be.Inertia}, "must be one of the loads"),
        ({"engine": "cuda"}, "engine = 'cuda'"),
        ({"precision": "float16"}, "precision = 'float16'"),
    ],
)
def test_other_wrong_arguments_are_refused(options, words):
    """Each with what would be right."""
    refusal(lambda: run(**options), words)


# runs that leave the finite numbers


@pytest.mark.parametrize("engine", ["numpy", "jax", "native"])
def test_a_run_that_overflows_stops_with_time_state_and_parameter(engine):
    """1e310 N·m on 1e-300 kg·m² are beyond all numbers in the first step."""
    motor = be.Motor(
        winding=be.Winding(resistance=1e-200),
        magnet=be.Magnet(torque_constant=1e100, back_emf_constant=1e-300),
        rotor=be.Rotor(inertia=1e-300),
    )
    with pytest.raises(be.SimulationError) as caught:
        be.simulate(motor, be.Inertia(inertia=0.0), 1e10, 0.01, 1e-3, engine=engine)
    message = str(caught.value)
    assert message.startswith("at t = 0.001 s the run was no longer finite, first in ")
    assert "velocity" in message and "rotor.inertia = 1e-300" in message and "\n" not in message


def test_the_moment_of_an_overflow_is_named():
    """A runaway weight passes the largest number at a time that can be foretold: v = T/J·t > 1.8e308."""
    magnet = be.Magnet(torque_constant=1e-300, back_emf_constant=1e-300)
    motor = replace(MOTOR, magnet=magnet, rotor=be.Rotor(inertia=1e-300), thermal=None)
    # 1e8 N·m on 1e-300 kg·m² are 1e308 rad/s²: after 1.797 s there is no such speed
    load = be.ConstantTorque(torque=1e8)
    with pytest.raises(be.SimulationError, match=r"at t = 1\.8 s the run was no longer finite, first in velocity"):
        be.simulate(motor, load, 0.0, 3.0, 0.1, engine="numpy")


def test_a_command_beyond_all_numbers_is_found_in_the_current():
    """1e308 V on 1e-3 Ω: the advice is to look at the winding."""
    motor = replace(MOTOR, winding=be.Winding(resistance=1e-3, inductance=1e-3), thermal=None)
    with pytest.raises(be.SimulationError, match=r"first in current and .*; look at .*winding\.resistance = 0\.001"):
        be.simulate(motor, be.LockedRotor(), 1e308, 0.01, 1e-3, engine="numpy")
