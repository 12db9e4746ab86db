"""mjlab's configuration text: written for a motor, read without running it, the same numbers both ways."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from motors import motors

import backemf as be
from backemf import ParameterError
from backemf.sims import mjlab
from backemf.sims.mjlab.kinds import LISTENS

PD = be.IdealPd(stiffness=31.7, damping=0.83)


def geared_motor(**parts) -> be.Motor:
    """A motor behind a gear of 9, with constants whose products are easy to follow."""
    known = {
        "winding": be.Winding(resistance=0.5, inductance=1e-4),
        "magnet": be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        "rotor": be.Rotor(inertia=6e-5),
        "friction": be.Coulomb(coulomb=0.01),
        "drag": be.Drag(coefficients=(1e-4,)),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=9.0),)),
        "limits": be.Limits(peak_current=20.0),
        "ratings": be.Ratings(voltage=24.0),
    }
    return be.Motor(**{**known, **parts})


def only(text: str) -> mjlab.Configured:
    (found,) = mjlab.read_configs(text)
    return found


def test_three_numbers_are_those_of_the_joint():
    """After the gear: stall N·Kt·V/R, no-load speed V/(N·Ke), top N·Kt·imax, armature N²·J, friction N·f and N²·b."""
    found = only(mjlab.write(be.Actuator(geared_motor(), controller=PD), ("knee",)).text)
    assert found.limits == (
        be.DcClip(
            saturation_effort=pytest.approx(9 * 0.1 * 24 / 0.5),
            velocity_limit=pytest.approx(24 / (9 * 0.1)),
            effort_limit=pytest.approx(9 * 0.1 * 20),
        ),
    )
    assert found.armature == pytest.approx(81 * 6e-5)
    assert found.frictionloss == pytest.approx(9 * 0.01)
    assert found.viscous_damping == pytest.approx(81 * 1e-4)


@settings(deadline=None)
@given(motors())
def test_every_motor_round_trips_to_the_last_bit(motor: be.Motor):
    """What is read is what was written, for any motor: the text has every digit."""
    written = mjlab.write(be.Actuator(motor, controller=PD), supply=24.0)
    found = only(written.text)
    (limit,) = found.limits
    assert only(mjlab.write(be.Actuator(controller=PD, limits=(limit,))).text).limits == (limit,)
    for field in ("effort_limit", "saturation_effort", "velocity_limit"):
        assert f"    {field}={getattr(limit, field)!r},  # " in written.text


@settings(deadline=None)
@given(motors())
def test_every_motor_with_currents_round_trips(motor: be.Motor):
    """The motor that is read, with its constants at the joint, is written with the same numbers again."""
    first = mjlab.write(be.Actuator(motor, controller=be.PositionPid(kp=3.0)), supply=24.0, kind="builtin_dc_motor")
    found = only(first.text)
    second = only(mjlab.write(found.actuator(), supply=24.0, kind="builtin_dc_motor").text)
    assert second.motor == found.motor
    assert (second.stiffness, second.damping, second.voltage_limit) == (3.0, 0.0, 24.0)


@pytest.mark.parametrize("kind", ["dc_motor", "ideal_pd", "builtin_pd", "builtin_position"])
def test_actuator_round_trips(kind: str):
    """An actuator without a motor comes back whole: gains, limit and delay."""
    limit = be.EffortLimit(effort_limit=2 / 3)
    if kind == "dc_motor":
        limit = be.DcClip(saturation_effort=23.7, velocity_limit=30.1, effort_limit=1 / 3)
    delay = be.Delay(steps=(1, 4), schedule="mjlab", period=7, hold_probability=0.25, staggered=False)
    pd = replace(PD, listens=LISTENS[kind])
    found = only(mjlab.write(be.Actuator(controller=pd, limits=(limit,), delay=delay), (".*_hip", "knee"), kind).text)
    assert (found.kind, found.joints, found.delay) == (kind, (".*_hip", "knee"), delay)
    assert found.actuator() == be.Actuator(controller=pd, limits=(limit,), delay=delay)


def test_motor_with_currents_is_at_the_joint():
    """Kt and Ke times the gear, L and R as they are, LuGre and cogging brought to the joint."""
    motor = geared_motor(
        friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=0.9, stiffness=50.0, damping=0.2),
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.02, periodicity=12, phase=0.3),)),
        thermal=be.Thermal(resistance=2.0, capacitance=30.0, ambient=20.0),
    )
    found = only(mjlab.write(be.Actuator(motor), kind="builtin_dc_motor").text)
    assert found.mode == "VOLTAGE" and found.gear == 1.0 and found.motor is not None
    assert found.motor.magnet.torque_constant == pytest.approx(0.9)
    assert (found.motor.winding.resistance, found.motor.winding.inductance) == (0.5, 1e-4)
    assert found.effort_limit == pytest.approx(9 * 0.1 * 20)
    assert found.motor.friction == be.LuGre(
        stiffness=pytest.approx(81 * 50.0),
        damping=pytest.approx(81 * 0.2),
        coulomb=pytest.approx(0.09),
        stiction=pytest.approx(0.135),
        stribeck_velocity=pytest.approx(0.1),
    )
    assert found.motor.cogging == be.Cogging(
        harmonics=(be.Harmonic(amplitude=pytest.approx(0.18), periodicity=108.0, phase=0.3),)
    )
    assert found.motor.thermal == motor.thermal
    assert found.frictionloss is None


def test_torque_gains_become_volt_gains():
    """V = R/(N·Kt)·τ + N·Ke·w: the stiffness is divided by N·Kt/R, the damping loses that of the back-EMF."""
    pd = be.IdealPd(stiffness=31.7, damping=5.0)
    found = only(mjlab.write(be.Actuator(geared_motor(), controller=pd), kind="builtin_dc_motor").text)
    assert found.stiffness == pytest.approx(31.7 * 0.5 / 0.9)
    assert found.damping == pytest.approx(5.0 * 0.5 / 0.9 - 0.9)


def test_negative_volt_damping_comes_back_as_torque_gains():
    """Less damping than the back-EMF gives is a negative damping in volts; it is read as the torque gains it was."""
    found = only(mjlab.write(be.Actuator(geared_motor(), controller=PD), kind="builtin_dc_motor").text)
    assert found.damping < 0.0
    controller = found.actuator().controller
    assert (controller.kp, controller.kd) == pytest.approx((31.7, 0.83))


def test_velocity_mode_and_integral():
    """A velocity PI keeps its gains, its integral and the limit of it."""
    pi = be.VelocityPi(kp=2.0, ki=0.5, integral_limit=0.7)
    actuator = be.Actuator(geared_motor(), be.Supply(voltage=20.0, modulation_limit=0.9), controller=pi, slew=40.0)
    written = mjlab.write(actuator, kind="builtin_dc_motor")
    found = only(written.text)
    assert (found.mode, found.voltage_limit, found.slew_rate) == ("VELOCITY", 18.0, 40.0)
    assert found.actuator().controller == pi
    assert not any("integral" in str(loss) or "slew" in str(loss) for loss in written.losses)


def test_unequal_constants_are_a_loss():
    """MuJoCo has one motor constant."""
    unequal = geared_motor(magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.15))
    told = [mjlab.write(be.Actuator(motor), kind="builtin_dc_motor").losses for motor in (unequal, geared_motor())]
    assert [any("√(Kt·Ke)" in str(loss) for loss in losses) for losses in told] == [True, False]


def test_random_delay_of_an_episode_is_a_loss():
    """mjlab draws at every step; a delay that never changes loses nothing."""

    def notes(steps):
        actuator = be.Actuator(controller=PD, limits=(be.EffortLimit(effort_limit=9.0),), delay=be.Delay(steps=steps))
        return [loss for loss in mjlab.write(actuator, kind="ideal_pd").losses if "delay" in str(loss)]

    assert notes((1, 3)) and not notes(2)


def test_datasheet_parameters_become_a_motor():
    """Ke = Vn/w0 and R = Ke·Vn/τ0: the motor stalls and runs free as the three numbers say."""
    text = """BuiltinDcMotorActuatorCfg(
        target_names_expr=("j",),
        motor_params=DcMotorDatasheetParams(nominal_voltage=24.0, stall_torque=48.0, no_load_speed=20.0),
        mode=DcMotorInputMode.VOLTAGE,
    )"""
    motor = only(text).motor
    assert motor is not None
    assert (motor.magnet.back_emf_constant, motor.winding.resistance) == pytest.approx((1.2, 0.6))


def test_gear_before_a_position_loop_is_refused():
    """mjlab's target is compared with gear·angle, which no controller at the joint does."""
    text = """BuiltinDcMotorActuatorCfg(
        target_names_expr=("j",),
        motor_params=DcMotorPhysicalParams(kt=0.1, ke=0.1, resistance=1.0),
        stiffness=3.0,
        voltage_limit=24.0,
        gear=6.0,
    )"""
    with pytest.raises(ParameterError, match="compares the target with gear·angle"):
        only(text).actuator()
    free = text.replace("stiffness=3.0,", "mode=DcMotorInputMode.VOLTAGE,").replace("voltage_limit=24.0,", "")
    assert only(free).actuator().motor.ratio == 6.0


FINE = 'DcMotorActuatorCfg(target_names_expr=("j",), effort_limit=1.0, saturation_effort=2.0, velocity_limit=3.0, '
FINE += "stiffness=1.0, damping=0.0)"
BUILTIN = 'BuiltinDcMotorActuatorCfg(target_names_expr=("j",), motor_params={}, stiffness=1.0, voltage_limit=24.0{})'
PARAMS = "DcMotorPhysicalParams(kt=0.1, ke=0.1, resistance=1.0)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("robot = (", "^cfg.py, line 1: this is not Python"),
        ("robot = 3", "^cfg.py: there is no actuator in it"),
        ('XmlThingCfg(target_names_expr=("j",))', "line 1: XmlThingCfg is not a known actuator"),
        (
            FINE.replace("saturation_effort=2.0", "saturation_effort=math.inf"),
            "saturation_effort = inf: must be finite",
        ),
        (FINE.replace("velocity_limit=3.0", "velocity_limit=0"), "velocity_limit = 0: must be greater than 0"),
        (FINE.replace("effort_limit=1.0, ", "", 1), "has no effort_limit: give the largest torque"),
        (FINE.replace("damping=0.0", "damping=KD"), "damping = KD cannot be read as a number"),
        (
            FINE.replace("damping=0.0", "damping=0.0, friction=1.0"),
            "friction = 1.0: DcMotorActuatorCfg has no such field",
        ),
        (FINE.replace("damping=0.0", "damping=0.0, delay_hold_prob=2.0"), "delay_hold_prob = 2.0: must be at most 1"),
        (FINE.replace("damping=0.0", "damping=0.0, delay_min_lag=2"), "delay_min_lag = 2: must not be above"),
        (BUILTIN.format("None", ""), "has no motor_params: give DcMotorPhysicalParams"),
        (BUILTIN.format("3.0", ""), "motor_params = 3.0: must be DcMotorPhysicalParams"),
        (BUILTIN.format(PARAMS.replace("1.0", "0.0"), ""), "DcMotorPhysicalParams.resistance = 0.0: must be greater"),
        (BUILTIN.format(PARAMS, ", gear=0.0"), "gear = 0.0: must not be zero"),
        (BUILTIN.format(PARAMS, ", lugre=(1.0, 2.0)"), "must be 5 numbers"),
        (BUILTIN.format(PARAMS, ", lugre=(1.0, 0.0, 2.0, 1.0, 1.0)"), "stiction = 1.0 N·m is below coulomb"),
        (BUILTIN.format(PARAMS, ", thermal=(1.0, 0, 0, 0, 0, 0)"), "must have two of resistance, capacitance"),
        (BUILTIN.format(PARAMS, ", mode=DcMotorInputMode.TORQUE"), "mode = 'TORQUE': must be one of VOLTAGE"),
    ],
)
def test_bad_text_gets_one_sentence(text: str, sentence: str):
    """Where in the file, which field, which value, what to do."""
    with pytest.raises(ParameterError, match=sentence) as caught:
        mjlab.read_configs(text, "cfg.py")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("thing", "arguments", "sentence"),
    [
        (geared_motor(), {}, "stiffness and damping are not known"),
        (be.Actuator(controller=PD), {"kind": "dc_motor"}, "needs a torque-speed line"),
        (
            be.Actuator(controller=PD, limits=(be.EffortLimit(effort_limit=1.0),)),
            {"kind": "dc_motor"},
            "needs a torque-speed line",
        ),
        (be.Actuator(controller=PD), {"kind": "builtin_dc_motor"}, "simulates currents: give a motor"),
        (
            geared_motor(),
            {"kind": "builtin_dc_motor", "stiffness": 1.0},
            r"write\(stiffness=...\): there is no such argument",
        ),
        (3.0, {}, r"write\(float\(...\)\): must be a Motor or an Actuator"),
        (
            be.Actuator(geared_motor(), controller=be.Torque()),
            {"kind": "builtin_dc_motor"},
            "Torque has no counterpart",
        ),
    ],
)
def test_wrong_questions_get_one_sentence(thing, arguments: dict, sentence: str):
    """What is missing to write a text is said."""
    with pytest.raises(ParameterError, match=sentence):
        mjlab.write(thing, **arguments)


def test_infinite_effort_limit_is_none():
    """mjlab's default is infinity, which is no limit."""
    text = 'IdealPdActuatorCfg(target_names_expr=("j",), stiffness=1.0, damping=0.0, effort_limit=float("inf"))'
    assert only(text).limits == ()
    assert only(text.replace(', effort_limit=float("inf")', "")).law().effort_limit is None
