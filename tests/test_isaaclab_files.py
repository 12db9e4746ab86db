"""Isaac Lab's configuration text: written for a motor, read without running it, the same numbers both ways."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from motors import motors

import backemf as be
from backemf import ParameterError
from backemf.sims import isaaclab

PD = be.IdealPd(stiffness=31.7, damping=0.83)


def geared_motor() -> be.Motor:
    """A motor with a gear, two current limits' worth of numbers, and every part that Isaac Lab has no place for."""
    return be.Motor(
        winding=be.Winding(resistance=0.5, inductance=1e-4),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.12),
        rotor=be.Rotor(inertia=6e-5),
        thermal=be.Thermal(resistance=2.0, capacitance=30.0),
        friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=0.1, stiffness=50.0, viscous=1e-4),
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.01, periodicity=12),)),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0, efficiency=0.9),), backlash=None),
        limits=be.Limits(peak_current=20.0),
        ratings=be.Ratings(voltage=24.0, current=7.0),
    )


def only(text: str) -> isaaclab.Configured:
    (found,) = isaaclab.read_configs(text)
    return found


def test_three_numbers_are_those_of_the_joint():
    """After the gear: stall η·N·Kt·V/R, no-load speed V/(N·Ke), top η·N·Kt·imax, armature N²·J."""
    found = only(isaaclab.write(be.Actuator(geared_motor(), controller=PD), ("knee",)).text)
    assert found.joints == ("knee",)
    assert found.saturation_effort == pytest.approx(0.9 * 9 * 0.1 * 24 / 0.5)
    assert found.velocity_limit == pytest.approx(24 / (9 * 0.12))
    assert found.effort_limit == pytest.approx(0.9 * 9 * 0.1 * 20)
    assert found.armature == pytest.approx(81 * 6e-5)
    assert (found.friction, found.dynamic_friction) == pytest.approx((9 * 0.015, 9 * 0.01))
    assert found.viscous_friction == pytest.approx(81 * 1e-4)


def test_continuous_effort_is_that_of_the_rated_current():
    """`effort="continuous"` takes the continuous current."""
    found = only(isaaclab.write(be.Actuator(geared_motor(), controller=PD), effort="continuous").text)
    assert found.effort_limit == pytest.approx(0.9 * 9 * 0.1 * 7)


def test_old_versions_have_no_friction_torque_so_the_line_ends_earlier():
    """Before 2.2 friction is no torque: it is left out, and the line ends at the no-load speed with friction."""
    old, new = (
        only(isaaclab.write(be.Actuator(geared_motor(), controller=PD), version=v).text) for v in ("2.1", "2.3")
    )
    assert (old.friction, old.dynamic_friction, old.viscous_friction) == (None, None, None)
    assert old.velocity_limit == pytest.approx(be.analyze.constants(geared_motor()).joint_no_load_speed)
    assert old.velocity_limit < new.velocity_limit


@settings(deadline=None)
@given(motors())
def test_every_motor_round_trips_to_the_last_bit(motor: be.Motor):
    """What is read is what was written, for any motor: the text has every digit."""
    written = isaaclab.write(be.Actuator(motor, controller=PD), supply=24.0)
    found = only(written.text)
    assert (found.stiffness, found.damping) == (31.7, 0.83)
    (limit,) = found.limits
    again = isaaclab.write(be.Actuator(controller=PD, limits=(limit,)))
    assert only(again.text).limits == found.limits
    for field in ("effort_limit", "saturation_effort", "velocity_limit"):
        assert f"    {field}={getattr(limit, field)!r},  # " in written.text


@pytest.mark.parametrize("kind", ["dc_motor", "ideal_pd", "delayed_pd", "remotized", "implicit"])
def test_actuator_round_trips(kind: str):
    """An actuator without a motor comes back whole: gains, limit and delay."""
    limit = {
        "dc_motor": be.DcClip(saturation_effort=23.7, velocity_limit=30.1, effort_limit=1 / 3),
        "remotized": be.AngleTable(angle=[-2.7, -1.1, 0.1], effort=[10.0, 1 / 7, 55.0]),
    }.get(kind, be.EffortLimit(effort_limit=2 / 3))
    delay = be.Delay(steps=(1, 4), schedule="isaaclab") if kind in ("delayed_pd", "remotized") else None
    actuator = be.Actuator(controller=PD, limits=(limit,), delay=delay)
    found = only(isaaclab.write(actuator, (".*_hip", "knee"), kind).text)
    assert (found.kind, found.joints) == (kind, (".*_hip", "knee"))
    assert found.actuator().controller == PD
    assert found.delay == delay
    (back,) = found.actuator().limits
    if isinstance(limit, be.AngleTable):
        assert back.angle.tolist() == limit.angle.tolist() and back.effort.tolist() == limit.effort.tolist()
    else:
        assert back == limit


def test_laws_come_out_of_the_text():
    """`law()` is what Isaac Lab computes with the configuration."""
    actuator = be.Actuator(controller=PD, limits=(be.EffortLimit(effort_limit=9.0),), delay=be.Delay(steps=(0, 2)))
    law = only(isaaclab.write(actuator, kind="delayed_pd").text).law()
    assert law == isaaclab.DelayedPD(stiffness=31.7, damping=0.83, effort_limit=9.0, min_delay=0, max_delay=2)


def test_gains_from_a_bandwidth():
    """kp = J·wn² and kd = 2·ζ·J·wn with the inertia of the rotor at the joint."""
    found = only(isaaclab.write(geared_motor(), bandwidth_hz=10.0, damping_ratio=0.7).text)
    natural = 2 * math.pi * 10.0
    assert found.stiffness == pytest.approx(81 * 6e-5 * natural**2)
    assert found.damping == pytest.approx(2 * 0.7 * 81 * 6e-5 * natural)


def test_delay_in_seconds_becomes_whole_steps():
    """2 to 9 ms at 5 ms are 0.4 to 1.8 steps, which become 0 to 2 and are told."""
    actuator = be.Actuator(
        controller=PD, limits=(be.EffortLimit(effort_limit=9.0),), delay=be.Delay(seconds=(0.002, 0.009))
    )
    written = isaaclab.write(actuator, kind="delayed_pd", timestep=0.005)
    assert only(written.text).delay.steps == (0, 2)
    assert any("rounded to whole physics steps" in str(loss) for loss in written.losses)


def test_every_number_has_its_unit_and_source():
    """Each line with a number ends in a comment."""
    lines = isaaclab.write(be.Actuator(geared_motor(), controller=PD)).text.splitlines()
    numbers = [line for line in lines if line.startswith("    ") and "expr" not in line]
    assert len(numbers) == 9
    for line in numbers:
        assert line.partition("  # ")[2].count(":") >= 1, line


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("There is no current", None),
        ("100 °C it has 22.6 %", None),
        ("the continuous torque is 6.3 N·m at the joint", None),
        ("L/R is 0.2 ms", "inductance"),
        ("no elastic pre-sliding", "friction"),
        ("Cogging is lost", "cogging"),
        ("gears lose 10 %", "gearbox"),
    ],
)
def test_losses_name_what_is_lost(words: str, part: str | None):
    """One sentence for each part without a place, and none for a motor without the part."""
    told = isaaclab.write(be.Actuator(geared_motor(), controller=PD)).losses
    assert sum(words in str(loss) for loss in told) == 1
    if part is not None:
        plain = be.Motor(
            winding=be.Winding(resistance=0.5),
            magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.12),
            ratings=be.Ratings(voltage=24.0),
        )
        assert not any(words in str(loss) for loss in isaaclab.write(be.Actuator(plain, controller=PD)).losses)


def test_flat_limit_loses_the_line():
    """A PD with a flat limit says where the motor would have no torque left."""
    told = isaaclab.write(be.Actuator(geared_motor(), controller=PD), kind="ideal_pd").losses
    assert any(f"no-load speed of {24 / (9 * 0.12):.4g} rad/s" in str(loss) for loss in told)


def test_torque_error_of_the_line_is_that_of_the_envelope():
    """The line is furthest off at rest: the gears pass on η of the stiction, and the joint has the Coulomb friction."""
    told = isaaclab.write(be.Actuator(geared_motor(), controller=PD)).losses
    (sentence,) = (str(loss) for loss in told if "off the cold motor's own" in str(loss))
    error = float(sentence.split("up to ")[1].split()[0])
    assert error == pytest.approx(0.9 * 9 * 0.015 - 9 * 0.01, rel=0.02)


# --- reading what others wrote

ROBOT = """
import isaaclab.sim as sim_utils
from isaaclab.actuators import DCMotorCfg, ActuatorNetMLPCfg
from isaaclab.assets.articulation import ArticulationCfg

CFG = ArticulationCfg(
    spawn=sim_utils.UsdFileCfg(usd_path=f"{ROOT}/robot.usd", activate_contact_sensors=True),
    actuators={
        "legs": DCMotorCfg(
            joint_names_expr=[".*_hip", ".*_knee"],
            effort_limit={".*_hip": 23.7, ".*_knee": 23.7 * 1.917},
            saturation_effort=45.43,
            velocity_limit=30.1,
            stiffness=2 * 10.0,
            damping=+0.5,
            friction=0.0,
        ),
        "arms": isaaclab.actuators.IdealPDActuatorCfg(
            joint_names_expr=[".*_arm"], effort_limit=math.inf, stiffness=8 * math.pi**2, damping=1 / 4, armature=None
        ),
        "wheels": ActuatorNetMLPCfg(
            joint_names_expr=["wheel"], network_file="net.pt", pos_scale=-1.0, vel_scale=1.0, torque_scale=1.0,
            input_order="pos_vel", input_idx=[0, 1, 2], effort_limit=23.7, saturation_effort=23.7, velocity_limit=30.0,
        ),
    },
)
"""


def test_whole_robot_is_read():
    """Actuators are found wherever they stand; arithmetic, π and infinity are worked out, nothing is run."""
    legs, arms, wheels = isaaclab.read_configs(ROBOT, "robot.py")
    assert legs.effort_limit == {".*_hip": 23.7, ".*_knee": 23.7 * 1.917}
    assert (legs.stiffness, legs.damping, legs.friction) == (20.0, 0.5, 0.0)
    assert arms.stiffness == 8 * math.pi**2 and arms.limits == () and arms.armature is None
    assert wheels.kind == "mlp" and wheels.network is not None and wheels.network["input_idx"] == [0, 1, 2]
    assert (legs.line, arms.line, wheels.line) == (9, 18, 21)


def test_one_joint_of_a_dictionary():
    """`at` picks the number whose pattern fits the whole name."""
    legs = isaaclab.read_configs(ROBOT)[0]
    assert legs.at("left_knee").limits == (
        be.DcClip(saturation_effort=45.43, velocity_limit=30.1, effort_limit=23.7 * 1.917),
    )
    assert isinstance(legs.at("left_hip").actuator(), be.Actuator)
    with pytest.raises(ParameterError, match="the actuator has the joints"):
        legs.at("tail")


def test_reading_runs_nothing(tmp_path: Path):
    """A text that would write a file when run does not."""
    target = tmp_path / "made"
    text = f"open({str(target)!r}, 'w')\n{FINE}"
    assert only(text).kind == "ideal_pd"
    assert not target.exists()


FINE = 'IdealPDActuatorCfg(joint_names_expr=[".*"], effort_limit=1.0, stiffness=1.0, damping=0.0)'
DC = """DCMotorCfg(
    joint_names_expr=[".*"],
    effort_limit=1.0,
    saturation_effort={},
    velocity_limit={},
    stiffness=1.0,
    damping=0.0,
)"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("DCMotorCfg(", r"^robot.py, line 1: this is not Python"),
        ("x = 1\x00", "^robot.py: this is not Python|^robot.py, line 1: this is not Python"),
        ("x = 1", "^robot.py: there is no actuator in it"),
        ('FooCfg(joint_names_expr=[".*"])', "^robot.py, line 1: FooCfg is not a known actuator"),
        (DC.format("math.inf", 3.0), r"^robot.py, line 4: DCMotorCfg.saturation_effort = inf: must be finite$"),
        (DC.format("float('inf')", 3.0), "line 4: DCMotorCfg.saturation_effort = inf: must be finite"),
        (DC.format(9.0, 0.0), r"line 5: DCMotorCfg.velocity_limit = 0.0: must be greater than 0$"),
        (DC.format(9.0, "None"), "line 1: DCMotorCfg has no velocity_limit: give the no-load speed"),
        (DC.format("STALL", 3.0), "line 4: DCMotorCfg.saturation_effort = STALL cannot be read as a number"),
        (DC.format("stall(3)", 3.0), r"saturation_effort = stall\(3\) cannot be read as a number"),
        (DC.format("1 / 0", 3.0), "line 4: DCMotorCfg.saturation_effort = 1 / 0 has no value"),
        (DC.format("9.0 ** 999.0 ** 9", 3.0), "has no value"),
        (DC.format("'a' * 9", 3.0), "has no value"),
        (DC.format("True", 3.0), "saturation_effort = True: must be a number"),
        (DC.format("'9'", 3.0), "saturation_effort = '9': must be a number"),
        (DC.replace("    stiffness=1.0,\n", "").format(9.0, 3.0), "line 1: DCMotorCfg has no stiffness"),
        (DC.replace('joint_names_expr=[".*"]', "joint_names_expr=[]").format(9.0, 3.0), "must be a list of patterns"),
        ('IdealPDActuatorCfg([".*"])', "give its fields by name"),
        ("IdealPDActuatorCfg(**fields)", r"write the fields out in place of \*\*"),
        (FINE.replace("effort_limit=1.0", "effort_limit=-1.0"), "effort_limit = -1.0: must be greater than 0"),
        (
            FINE.replace("IdealPD", "DelayedPD").replace("damping=0.0", "damping=0.0, min_delay=3, max_delay=2"),
            "min_delay = 3: must not be above max_delay = 2",
        ),
        (
            FINE.replace("IdealPD", "DelayedPD").replace("damping=0.0", "damping=0.0, max_delay=1.5"),
            "max_delay = 1.5: must be a whole number of steps",
        ),
        (
            FINE.replace("IdealPD", "RemotizedPD").replace("damping=0.0", "damping=0.0, joint_parameter_lookup=[[1]]"),
            "must be rows of three numbers",
        ),
        (
            FINE.replace("IdealPD", "RemotizedPD").replace(
                "damping=0.0", "damping=0.0, joint_parameter_lookup=[[1, 1, 1], [0, 1, 1]]"
            ),
            "must rise from point to point",
        ),
    ],
)
def test_bad_text_gets_one_sentence(text: str, sentence: str):
    """Where in the file, which field, which value, what to do."""
    with pytest.raises(ParameterError, match=sentence) as caught:
        isaaclab.read_configs(text, "robot.py")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "stiffness and damping are not known: give both"),
        ({"stiffness": 3.0}, "given together or not at all"),
        ({"stiffness": 3.0, "damping": 1.0, "kind": "foo"}, "kind = 'foo': must be one of"),
        ({"stiffness": 3.0, "damping": 1.0, "version": "4"}, "version = '4': must be one of"),
        ({"stiffness": 3.0, "damping": 1.0, "effort": "rms"}, "effort = 'rms': must be 'peak' or 'continuous'"),
        ({"stiffness": 3.0, "damping": 1.0, "kind": "remotized"}, "needs torque by joint angle"),
        ({"stiffness": 3.0, "damping": 1.0, "joint": ()}, "must be patterns of joint names"),
        ({"stiffnes": 3.0}, r"write\(stiffnes=...\): there is no such argument"),
    ],
)
def test_wrong_questions_get_one_sentence(arguments: dict, sentence: str):
    """What is missing to write a text is said."""
    with pytest.raises(ParameterError, match=sentence):
        isaaclab.write(geared_motor(), **arguments)


def test_batch_of_motors_cannot_be_written():
    """A text holds one number per field."""
    import numpy as np

    motor = be.Motor(
        winding=be.Winding(resistance=np.array([0.5, 0.6])),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        ratings=be.Ratings(voltage=24.0),
    )
    with pytest.raises(ParameterError, match="a configuration holds one finite number"):
        isaaclab.write(motor, stiffness=1.0, damping=0.0)


# --- the page


PAGE = (Path(__file__).resolve().parent.parent / "docs" / "simulators" / "isaaclab.md").read_text(encoding="utf-8")


def page_example() -> isaaclab.Written:
    motor = be.Datasheet.load("tmotor-ak80-6").motor()
    actuator = be.Actuator(motor, controller=be.IdealPd(stiffness=30.0, damping=1.0))
    return isaaclab.write(actuator, joint=(".*_knee",), effort_limit=12.0)


def test_programs_of_the_page_run():
    """The Python blocks of the page, one after the other, are a program that runs."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 3
    exec("\n".join(blocks), {})


def test_text_and_losses_of_the_page_are_what_is_written():
    """The page shows the text of its example whole, and every loss."""
    written = page_example()
    assert written.text.strip() in PAGE
    assert re.findall(r"^- (.*)$", PAGE.split("## What is lost")[1], re.MULTILINE) == [
        str(loss) for loss in written.losses
    ]


def test_table_of_the_page_has_the_numbers_of_the_sheet():
    """Stall Kt·V/R, no load V/Ke, continuous Kt·i, at the motor and through the gear of 6."""
    kt, ohms, volts, n = 0.091, 0.17, 24.0, 6
    ke = 0.009524 * 60 / (2 * math.pi)
    rows = {
        "saturation_effort": (kt * volts / ohms, n * kt * volts / ohms),
        "velocity_limit": (volts / ke, volts / (n * ke)),
        "effort_limit": (12.0 / n, 12.0),
    }
    for field, numbers in rows.items():
        (line,) = re.findall(rf"^\|.*\| `{field}` \| `{field}` \|$", PAGE, re.MULTILINE)
        shown = [float(cell.split()[0]) for cell in line.split("|")[2:4]]
        assert shown == pytest.approx(numbers, rel=5e-4)
