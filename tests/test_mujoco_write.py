"""What is written for MuJoCo: it compiles, is what it says, moves as ours does where it can, and reads back."""

from dataclasses import replace

import numpy as np
import pytest
from dcmotor_rig import same_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from long import some_now
from mujoco_rig import NEWEST, mujoco
from mujoco_write_rig import (
    DT,
    VERSION,
    any_actuator,
    in_mujoco,
    law_torques,
    matching_actuator,
    motion,
    off,
    ours,
)

import backemf as be
from backemf.actuator import Actuator
from backemf.actuator.controllers import IdealPd, ModeSelector, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from backemf.errors import ParameterError
from backemf.motor import (
    Cogging,
    Coulomb,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LuGre,
    Magnet,
    Motor,
    Rotor,
    Stage,
    Thermal,
    TwoNodeThermal,
    Winding,
)
from backemf.physics.thermal import one_node
from backemf.sims.mujoco import DcMotor, read_actuator, write
from backemf.sims.mujoco.written.one_node import TEN_MINUTES, one_node_of, rises
from backemf.tree import numbers

pytestmark = NEWEST
COUNT = 60
MOTOR = Motor(winding=Winding(resistance=0.5), magnet=Magnet(torque_constant=0.05, back_emf_constant=0.06))


def status(written, phenomenon: str) -> str:
    return {loss.phenomenon: loss.status for loss in written.statuses}[phenomenon]


# --- in the real MuJoCo


@pytest.mark.parametrize("seed", range(COUNT))
def test_compiles_into_the_rows_it_names(seed: int):
    """The model compiles, and its rows are those of `DcMotor.from_attributes(**written.attributes)`."""
    written = write(any_actuator(seed), "knee", version=VERSION, timestep=DT)
    model = mujoco.MjModel.from_xml_string(written.text)
    assert same_rows(DcMotor.from_attributes(version=VERSION, **written.attributes), model)
    for name, value in written.joint_attributes.items():
        assert float(getattr(model, f"dof_{name}")[0]) == value


@pytest.mark.parametrize("seed", range(COUNT))
def test_the_law_that_is_read_is_mujocos(seed: int):
    """Along an imposed motion, actuator and passive forces are those of `read_actuator(text).law()`."""
    actuator = any_actuator(seed)
    written = write(actuator, "knee", version=VERSION, timestep=DT)
    on_joint = read_actuator(written.text, version=VERSION)
    position, velocity, commands = motion(actuator, seed)
    law = replace(on_joint, coulomb=0.0).law()
    theirs = in_mujoco(written.text, on_joint, position, velocity, commands)
    assert off(law_torques(law, position, velocity, commands), theirs) < 1e-12


@pytest.mark.parametrize("seed", some_now(range(COUNT), lambda seed: seed % 3 == 0))
def test_moves_as_ours_where_mujoco_lacks_nothing(seed: int):
    """With nothing that MuJoCo lacks, its torque is that of our own actuator, Kt apart from Ke and gears included."""
    actuator = matching_actuator(seed, in_volts=False)
    written = write(actuator, "knee", version=VERSION, timestep=DT)
    position, velocity, commands = motion(actuator, seed)
    theirs = in_mujoco(written.text, read_actuator(written.text), position, velocity, commands)
    assert off(ours(actuator, position, velocity, commands), theirs) < 1e-9


def test_dry_friction_is_that_of_the_constraint():
    """A hinge that slides feels the whole frictionloss in MuJoCo's constraint, and so does the law."""
    motor = replace(MOTOR, friction=Coulomb(coulomb=0.02), rotor=Rotor(inertia=1e-4))
    written = write(motor, "knee")
    model = mujoco.MjModel.from_xml_string(written.text)
    data = mujoco.MjData(model)
    data.qvel[:], data.ctrl[:] = 30.0, 6.0
    mujoco.mj_forward(model, data)
    theirs = float(data.qfrc_actuator[0] + data.qfrc_passive[0] + data.qfrc_constraint[0])
    law = read_actuator(written.text).law()
    assert law.step(law.initial(()), 6.0, 0.0, 30.0, 0.002)[1] == pytest.approx(theirs, rel=1e-9)
    assert float(data.qfrc_constraint[0]) == pytest.approx(-0.02, rel=1e-9)


# --- one constant for two


def test_keep_line_keeps_stall_torque_and_no_load_speed():
    """K' = N·Ke and R' = R·Ke/(η·Kt): stall torque η·N·Kt·V/R and ideal speed V/(N·Ke) are the motor's."""
    gears = Gearbox(stages=(Stage(ratio=20.0, efficiency=0.8),))
    motor = DcMotor.from_attributes(**write(replace(MOTOR, gearbox=gears)).attributes)
    stall = motor.step(motor.initial(), 24.0, 0.0, 0.0, 1e-3)[1]
    assert stall == pytest.approx(0.8 * 20.0 * 0.05 * 24.0 / 0.5, rel=1e-12)
    free = 24.0 / (20.0 * 0.06)
    assert motor.step(motor.initial(), 24.0, 0.0, free, 1e-3)[1] == pytest.approx(0.0, abs=1e-12 * stall)


@pytest.mark.parametrize("version", ["3.11", "4.0"])
def test_gear_loss_is_right_while_the_motor_drives(version: str):
    """A PD asks for its torque before the gear loss: MuJoCo's gains are η times ours, and so is the torque."""
    gears = Gearbox(stages=(Stage(ratio=20.0, efficiency=0.8),))
    motor = replace(MOTOR, gearbox=gears, rotor=Rotor(inertia=1e-5))
    actuator = Actuator(motor, controller=IdealPd(stiffness=10.0, damping=0.2), supply=be.Supply(voltage=24.0))
    law, step = read_actuator(write(actuator, "knee", version=version).text, version=version).law(), actuator.compile()
    for target in (0.3, 4.0):
        _, torque = law.step(law.initial(()), target, 0.1, 2.0, 1e-3)
        out = step(step.initial(()), target, 0.1, 2.0, 1e-3)[1]
        assert out.torque > 1.0 and torque == pytest.approx(float(out.torque), rel=1e-12)


def test_keep_line_keeps_the_temperature_rise():
    """s times the heat of s times the current warms Rth/s and s·C as much as the motor."""
    hot = replace(MOTOR, thermal=Thermal(resistance=2.0, capacitance=5.0, ambient=20.0))
    model = DcMotor.from_attributes(**write(hot).attributes)
    step, state, out = hot.compile(), model.initial(), None
    own = step.initial(())
    for _ in range(2000):
        state, _ = model.step(state, 6.0, 0.0, 10.0, 1e-3)
        own, out = step(own, 6.0, 0.0, 10.0, 1e-3)
    assert out is not None and out.winding_temperature - 20.0 > 20.0
    assert state.temperature == pytest.approx(out.winding_temperature - 20.0, rel=1e-3)


def test_keep_constants_writes_both():
    """Kt and Ke as they are: MuJoCo makes their geometric mean, and the gear loss is dropped."""
    gears = Gearbox(stages=(Stage(ratio=10.0, efficiency=0.8),))
    written = write(replace(MOTOR, gearbox=gears), keep="constants")
    assert written.attributes["motorconst"] == pytest.approx((0.5, 0.6)) and written.attributes["resistance"] == 0.5
    assert status(written, "gear loss") == "dropped" and status(written, "torque-speed line") == "approximated"


def test_both_ways_agree_where_there_is_one_constant():
    """With Kt = Ke and lossless gears, keep="line" and keep="constants" write the same."""
    motor = replace(MOTOR, magnet=Magnet(torque_constant=0.05, back_emf_constant=0.05))
    assert write(motor).element == write(motor, keep="constants").element
    assert not any(loss.phenomenon != "magnet heat" for loss in write(motor).losses if loss.status != "unknown")


def test_one_node_is_nearer_than_the_winding_or_the_sum():
    """Over ten minutes of constant loss the fitted node is nearer than the winding's alone and than both in one."""
    node = TwoNodeThermal(
        winding_resistance=2.0, winding_capacitance=20.0, housing_resistance=4.0, housing_capacitance=200.0
    )
    rise = rises(node)

    def apart(resistance: float, capacitance: float) -> float:
        lump, value, found = Thermal(resistance=resistance, capacitance=capacitance), 0.0, []
        for _ in range(TEN_MINUTES):
            value = one_node(value, 1.0, 1.0, lump)
            found.append(value)
        return float(np.sqrt(np.mean((np.array(found) - rise) ** 2)))

    resistance, capacitance, worst = one_node_of(node)
    assert apart(resistance, capacitance) < 0.7 * min(apart(2.0, 20.0), apart(6.0, 220.0))
    assert 0.0 < worst < 0.2


# --- reflected to the joint


def test_everything_is_on_the_joints_side():
    """Drag of order n grows with N^(n+1), bristles with N², friction and cogging with N, inertia with N²."""
    motor = replace(
        MOTOR,
        rotor=Rotor(inertia=1e-5),
        drag=Drag(coefficients=(1e-4, 1e-6, 1e-8)),
        cogging=Cogging(harmonics=(Harmonic(amplitude=1e-3, periodicity=12.0, phase=0.3),)),
        friction=LuGre(coulomb=0.01, stiction=0.02, stribeck_velocity=5.0, stiffness=40.0, damping=0.1),
        gearbox=Gearbox(stages=(Stage(ratio=10.0),)),
    )
    words = write(motor).attributes
    assert "gear" not in words and words["cogging"] == pytest.approx((1e-2, 120.0, 0.3))
    assert words["damping"] == pytest.approx((1e-2, 1e-3, 1e-4))
    assert words["lugre"] == pytest.approx((4000.0, 10.0, 0.1, 0.2, 0.5))
    assert write(motor).joint_attributes == {"armature": 1e-3, "damping": 0.0, "frictionloss": 0.0}


def test_a_motor_that_says_nothing_of_friction_leaves_the_joint_alone():
    """Without rotor, friction and drag there is nothing to write to the joint."""
    assert write(MOTOR).joint == "" and write(MOTOR).joint_attributes == {}


def test_effort_limit_replaces_the_current_limit():
    """effort_limit= is the saturation, whatever the motor's current limit."""
    limited = replace(MOTOR, limits=Limits(peak_current=10.0))
    assert write(limited).attributes["saturation"][0] == pytest.approx(0.5)
    assert write(limited, effort_limit=0.2).attributes["saturation"][0] == 0.2


def test_supply_limits_the_voltage_of_every_controller():
    """A raw voltage is limited by ctrlrange, a controller by Vmax."""
    assert write(MOTOR, supply=24.0).attributes["ctrlrange"] == (-24.0, 24.0)
    pd = Actuator(MOTOR, controller=IdealPd(stiffness=3.0), supply=be.Supply(voltage=20.0, modulation_limit=0.9))
    assert write(pd).attributes["controller"][5] == 18.0 and "ctrlrange" not in write(pd).attributes


def test_names_are_written_as_xml():
    """A joint's name may hold what XML has to escape, and a comment stays one."""
    written = write(replace(MOTOR, rotor=Rotor(inertia=1e-4)), 'left "knee" <-- & more', name="a--b")
    assert read_actuator(written.text).joint == 'left "knee" <-- & more'
    assert mujoco.MjModel.from_xml_string(written.text).actuator(0).name == "a--b"


# --- statuses


def test_fates_name_every_phenomenon_once():
    """Each phenomenon that an actuator has is told once, and a sentence stands behind what is not kept."""
    for seed in range(COUNT):
        found = write(any_actuator(seed)).statuses
        assert len({loss.phenomenon for loss in found}) == len(found)
        assert all(bool(loss.note) == (loss.status != "kept") for loss in found)


def test_torque_control_until_311_says_what_to_command():
    """Until 3.11 there is no torque input: the loss says which voltage to command instead."""
    written = write(Actuator(MOTOR, controller=Torque()), version="3.11")
    (told,) = [loss.note for loss in written.losses if loss.phenomenon == "controller"]
    assert written.attributes["input"] == "voltage" and "10 · torque + 0.06 · joint velocity" in told


def test_position_gains_go_over_from_volts_to_torque():
    """3.11 has kp V/rad; 4.0 has K/R·kp, and K²/R more damping that makes up for its compensated back-EMF."""
    pid = Actuator(MOTOR, controller=PositionPid(kp=8.0, ki=2.0, kd=0.3))
    k, ohms = 0.06, 0.5 * 0.06 / 0.05
    assert write(pid, version="3.11").attributes["controller"][:3] == pytest.approx((8.0, 2.0, 0.3))
    expected = (8.0 * k / ohms, 2.0 * k / ohms, 0.3 * k / ohms + k * k / ohms)
    assert write(pid, version="4.0").attributes["controller"][:3] == pytest.approx(expected)


def test_velocity_integral_is_lost_since_312():
    """The integral of a moving target has no place in 4.0, and one in 3.11."""
    pi = Actuator(MOTOR, controller=VelocityPi(kp=0.2, ki=1.0))
    assert status(write(pi, version="4.0"), "integral") == "dropped"
    assert status(write(pi, version="3.11"), "integral") == "approximated"


def test_a_delay_below_half_a_step_is_left_out():
    """MuJoCo's shortest delay is a whole step, so that half of one is nearer to none."""
    short = write(Actuator(MOTOR, delay=be.Delay(seconds=0.4e-3)), timestep=1e-3)
    assert short.history == {} and status(short, "delay") == "dropped"
    longer = write(Actuator(MOTOR, delay=be.Delay(seconds=0.6e-3)), timestep=1e-3)
    assert longer.history["delay"] == 1e-3 and status(longer, "delay") == "approximated"


# --- and back


@pytest.mark.parametrize("version", ["3.11", "4.0"])
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_write_read_write_changes_nothing(version: str, seed: int):
    """Reading what was written and writing it again gives the same elements, digit by digit."""
    written = write(any_actuator(seed), "knee", version=version, timestep=DT)
    again = write(read_actuator(written.text, version=version).fold(), "knee", version=version, timestep=DT)
    assert (again.element, again.joint) == (written.element, written.joint)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_files_of_the_other_generation_are_read_alike(seed: int):
    """A text for 3.11 is read without MuJoCo 3.11: the same constants that its attributes name."""
    written = write(any_actuator(seed), "knee", version="3.11", timestep=DT)
    found = read_actuator(written.text, "knee", version="3.11")
    assert found.motor == DcMotor.from_attributes(version="3.11", **written.attributes)
    assert (found.armature, found.coulomb) == tuple(
        written.joint_attributes.get(name, 0.0) for name in ("armature", "frictionloss")
    )


JUNK = ('"', "<", ">", "&", "0", "-1", "1e999", "pos", "joint", "dcmotor", "/", "\0", "é", "general", "ball", "9" * 400)


@settings(max_examples=150, deadline=None)
@given(
    version=st.sampled_from(["3.11", "4.0"]),
    place=st.floats(0.0, 1.0),
    cut=st.integers(0, 12),
    junk=st.sampled_from(JUNK),
)
def test_a_damaged_text_is_read_or_refused(version: str, place: float, cut: int, junk: str):
    """Whatever is put into a text at whatever place, it is read, or refused in one sentence."""
    text = write(Actuator(MOTOR, delay=be.Delay(steps=2)), "knee", version=version).text
    start = int(place * len(text))
    try:
        read_actuator(text[:start] + junk + text[start + cut :], version=version)
    except ParameterError as error:
        assert "\n" not in str(error)


HELD = {
    "3.11": (Voltage(), PositionPid(kp=3.0, ki=2.0, kd=0.1, integral_limit=0.5), VelocityPi(kp=0.3, ki=1.0)),
    "4.0": (Voltage(), Torque(), IdealPd(stiffness=2.0, damping=0.1), TorquePid(kp=2.0, ki=1.0, kd=0.1)),
}


@pytest.mark.parametrize(("version", "controller"), [(v, c) for v, cs in HELD.items() for c in cs])
def test_what_mujoco_holds_comes_back(version: str, controller):
    """A motor without gears and with one constant comes back with every number to 1e-12."""
    several = len(controller.inputs) > 1
    slews = not isinstance(controller, Voltage) or version == "3.11"
    actuator = Actuator(
        Motor(
            winding=Winding(resistance=0.7, inductance=3e-4, temperature_coefficient=0.004, reference_temperature=22.0),
            magnet=Magnet(torque_constant=0.0731, back_emf_constant=0.0731),
            rotor=Rotor(inertia=3.3e-5),
            thermal=Thermal(resistance=2.3, capacitance=7.7, ambient=21.0),
            friction=LuGre(coulomb=0.011, stiction=0.013, stribeck_velocity=3.7, stiffness=41.0, damping=0.07),
            drag=Drag(coefficients=(1.3e-4, 1.7e-6, 1.9e-8)),
            cogging=Cogging(harmonics=(Harmonic(amplitude=1.1e-3, periodicity=14.0, phase=0.37),)),
            limits=Limits(peak_current=17.0, current_rate=1234.0),
        ),
        controller=controller,
        delay=be.Delay(seconds=0.0037),
        command_range=None if several else (-1.3, 2.1),
        slew=11.0 if slews else None,
        voltage_limit=None if isinstance(controller, Voltage) else 23.0,
    )
    found = read_actuator(write(actuator, "knee", version=version).text, version=version).fold()
    before, after = dict(numbers(actuator)), dict(numbers(found))
    assert type(found.controller) is type(controller) and before.keys() == after.keys()
    assert all(after[name] == pytest.approx(value, rel=1e-12) for name, value in before.items())


def test_what_is_read_with_its_joint_is_written_with_it():
    """The joint's own inertia and friction are written back as those of the motor."""
    motor = replace(MOTOR, rotor=Rotor(inertia=1e-4), friction=Coulomb(coulomb=0.02))
    written = write(motor, "knee")
    assert write(read_actuator(written.text), "knee").joint == written.joint != ""


# --- refusals


@pytest.mark.parametrize(
    ("thing", "more", "words"),
    [
        (Actuator(MOTOR, controller=ModeSelector()), {}, "ModeSelector has no counterpart"),
        ("motor", {}, "must be a Motor or an Actuator"),
        (MOTOR, {"version": "3.6"}, "MuJoCo's dcmotor is known for"),
        (MOTOR, {"keep": "both"}, "must be 'line' or 'constants'"),
        (MOTOR, {"joint": ""}, "must be a name"),
        (MOTOR, {"joint": "a\0b"}, "must be a name"),
        (MOTOR, {"effort": "most"}, "must be 'peak' or 'continuous'"),
        (MOTOR, {"effort": "continuous"}, "no continuous current"),
        (MOTOR, {"effort_limit": -1.0}, "must be greater than 0"),
        (MOTOR, {"timestep": 0.0}, "must be greater than 0"),
        (MOTOR, {"supply": "24 V"}, "supply = '24 V': must be a number"),
        (MOTOR, {"supply": -24.0}, "Supply.voltage = -24"),
        (MOTOR, {"backlash": True}, "the gears have none"),
        (Actuator(MOTOR, command_range=(0.0, 0.0)), {}, "no control range"),
        (replace(MOTOR, winding=Winding(resistance=np.array([1.0, 2.0]))), {}, "one finite number"),
    ],
)
def test_refuses_in_one_sentence(thing, more, words):
    """What cannot be written is refused with the field, its value and the remedy."""
    with pytest.raises(ParameterError, match=words) as error:
        write(thing, **more)
    assert "\n" not in str(error.value)
