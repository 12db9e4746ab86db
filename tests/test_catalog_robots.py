"""Robot joints and quasi-direct-drive actuators: figures as their sources print them, so that a typo is caught."""

import math
import re

import pytest

from backemf import catalog
from backemf.datasheet import Datasheet
from backemf.units import parse

MAKERS = (
    "anybotics-", "cubemars-", "damiao-", "dys-", "franka-", "gyroor-", "kinova-", "mad-", "mjbots-", "myactuator-",
    "odrive-", "rctimer-", "robstride-", "tmotor-", "unitree-", "ur", "xiaomi-",
)  # fmt: skip
IDS = [id for id in catalog.ids() if id.startswith(MAKERS)]

# id: torque limit [N·m] and speed limit [rad/s] of the joint, in the robot descriptions
LIMITS = {
    "anybotics-anydrive-2": (40, 10),
    "anybotics-anydrive-3": (80, 7.5),
    "franka-fr3-joint1-4": (87, 2.62),
    "franka-fr3-joint5-7": (12, 5.26),
    "franka-fr3-joint6": (12, 4.18),
    "franka-panda-joint1-4": (87, 2.175),
    "franka-panda-joint5-7": (12, 2.61),
    "kinova-gen3-joint1-4": (39, 1.3963),
    "kinova-gen3-joint5-7": (9, 1.2218),
    "mjbots-qdd100": (16, math.radians(3600)),
    "unitree-a1": (33.5, 21),
    "unitree-a2": (120, 22),
    "unitree-a2-calf": (180, 14.6667),
    "unitree-aliengo": (35.278, 20),
    "unitree-aliengo-calf": (44.4, 15.89),
    "unitree-b1-calf": (140, 15.55),
    "unitree-b1-hip": (91.0035, 19.69),
    "unitree-b1-thigh": (93.33, 23.32),
    "unitree-b2": (200, 23),
    "unitree-b2-calf": (320, 14),
    "unitree-g1-4010": (5, 22),
    "unitree-g1-5020": (25, 37),
    "unitree-g1-7520-14": (88, 32),
    "unitree-g1-7520-22": (139, 20),
    "unitree-go-m8010-6": (23.7, 30),
    "unitree-go1": (23.7, 30.1),
    "unitree-go1-calf": (35.55, 20.06),
    "unitree-go2": (23.7, 30.1),
    "unitree-go2-calf": (45.43, 15.70),
    "unitree-h1-2-ankle": (60, 9),
    "unitree-h1-2-wrist": (19, 31.4),
    "unitree-h1-ankle": (40, 9),
    "unitree-h1-elbow": (18, 20),
    "unitree-h1-hip": (200, 23),
    "unitree-h1-knee": (300, 14),
    "ur10e-elbow": (150, math.pi),
    "ur10e-shoulder": (330, math.radians(120)),
    "ur10e-wrist": (54, math.pi),
    "ur3e-elbow": (28, math.pi),
    "ur3e-shoulder": (54, math.pi),
    "ur3e-wrist": (9, 2 * math.pi),
    "ur5e-shoulder": (150, math.pi),
    "ur5e-wrist": (28, math.pi),
}
# id: ratio, rated and peak torque [N·m], both at the output
GEARED = {
    "cubemars-ak10-9": (9, 18, 48),
    "cubemars-ak10-9-v3": (9, 18, 53),
    "cubemars-ak40-10": (10, 1.3, 4.1),
    "cubemars-ak45-10": (10, 2.5, 7),
    "cubemars-ak45-36": (36, 8, 24),
    "cubemars-ak60-39": (39, 24, 72),
    "cubemars-ak60-6": (6, 3, 9),
    "cubemars-ak60-6-v1-1": (6, 3, 9),
    "cubemars-ak70-10": (10, 8.3, 24.8),
    "cubemars-ak70-9": (9, 8.5, 29.2),
    "cubemars-ak80-64": (64, 48, 120),
    "cubemars-ak80-8": (8, 10, 25),
    "cubemars-ak80-9": (9, 9, 22),
    "cubemars-ak80-9-v2": (9, 9, 18),
    "cubemars-ake60-8": (8, 5, 12.5),
    "cubemars-ake80-8": (8, 12, 30),
    "cubemars-ake90-8": (8, 55, 170),
    "cubemars-akh70-16": (16, 26, 78),
    "cubemars-akh70-48": (48, 74, 222),
    "damiao-dm-j10010-2ec": (10, 40, 150),
    "damiao-dm-j10010l-2ec": (10, 40, 120),
    "damiao-dm-j4310-2ec": (10, 3, 7),
    "damiao-dm-j4340-2ec": (40, 9, 27),
    "damiao-dm-j6006-2ec": (6, 4, 11),
    "damiao-dm-j8006-2ec": (6, 8, 20),
    "damiao-dm-j8009-2ec": (9, 20, 40),
    "myactuator-rmd-x10": (7, 12, None),
    "myactuator-rmd-x10-s2": (35, 50, None),
    "myactuator-rmd-x12-320": (20, 85, 320),
    "myactuator-rmd-x4-10": (12.5, 4, 10),
    "myactuator-rmd-x4-36": (36, 10.5, 34),
    "myactuator-rmd-x6": (6, 3.5, None),
    "myactuator-rmd-x6-60": (19.612, 20, 60),
    "myactuator-rmd-x8": (9, 9, None),
    "myactuator-rmd-x8-120": (19.61, 43, 120),
    "myactuator-rmd-x8-pro": (9, 13, None),
    "robstride-00": (10, 5, 14),
    "robstride-01": (7.75, 6, 17),
    "robstride-02": (7.75, 6, 17),
    "robstride-03": (9, 20, 60),
    "robstride-04": (9, 40, 120),
    "robstride-05": (7.75, 1.6, 5.5),
    "robstride-06": (9, 11, 36),
    "robstride-el05": (9, 1.8, 6),
    "tmotor-ak80-6": (6, 6, 12),
    "xiaomi-cybergear": (7.75, 4, 12),
}
# id, table.figure, value with unit
FIGURES = [
    ("cubemars-ak10-9", "electrical.resistance", "195 mohm"),
    ("cubemars-ak10-9-v3", "electrical.resistance", "248 mohm"),
    ("cubemars-ak60-39", "electrical.resistance", "600 mohm"),
    ("cubemars-ak60-6", "mechanical.inertia", "243.5 g*cm^2"),
    ("cubemars-ak70-10", "electrical.resistance", "272 mohm"),
    ("cubemars-ak70-10", "mechanical.mass", "621 g"),
    ("cubemars-ak80-64", "electrical.resistance", "220 mohm"),
    ("cubemars-ak80-8", "electrical.resistance", "430 mohm"),
    ("cubemars-ak80-9", "electrical.resistance", "160 mohm"),
    ("cubemars-ak80-9", "electrical.kt", "0.095 N*m/A"),
    ("cubemars-ak80-9", "mechanical.inertia", "1118.3238 g*cm^2"),
    ("cubemars-ak80-9", "friction.coulomb", "0.51 N*m"),
    ("cubemars-ak80-9-v2", "electrical.inductance", "57 uH"),
    ("cubemars-akh70-16", "electrical.resistance", "0.56 ohm"),
    ("damiao-dm-j4310-2ec", "electrical.resistance", "0.85 ohm"),
    ("damiao-dm-j8009-2ec", "mechanical.inertia", "1.95e-4 kg*m^2"),
    ("dys-be8108-kv135", "electrical.kv", "135 rpm/V"),
    ("gyroor-hoverboard-350w", "electrical.resistance", "216 mohm"),
    ("mad-8318-kv120", "thermal.capacitance", "735.5 J/K"),
    ("mjbots-mj5208", "thermal.resistance", "4.55 K/W"),
    ("odrive-d5065-270kv", "electrical.resistance", "39 mohm"),
    ("odrive-d6374-150kv", "electrical.inductance", "21.5 uH"),
    ("rctimer-gbm5208", "electrical.resistance", "7.545 ohm"),
    ("robstride-03", "electrical.kt", "2.36 N*m/A"),
    ("robstride-04", "peak.current", "90 A"),
    ("tmotor-ak80-6", "mechanical.inertia", "607.19 g*cm^2"),
    ("unitree-go-m8010-6", "electrical.kt", "0.63895 N*m/A"),
    ("unitree-go1", "mechanical.inertia", "1118.42 g*cm^2"),
    ("xiaomi-cybergear", "electrical.kt", "0.87 N*m/A"),
]  # fmt: skip
UNITS = {
    "capacitance": "J/K", "coulomb": "N*m", "current": "A", "inductance": "H", "inertia": "kg*m^2", "kt": "N*m/A",
    "kv": "rad/(V*s)", "mass": "kg",
}  # fmt: skip


@pytest.mark.parametrize("id", IDS)
def test_every_source_has_a_date(id):
    """Whoever looks a figure up again knows how old the reading is."""
    sheet = Datasheet.load(id)
    for figure in sheet.figures():
        assert re.search(r"\((Apache-2.0; |measured by .*; )?(read|transcribed) 2026-\d\d-\d\d\)", figure.source), (
            figure
        )


@pytest.mark.parametrize(("id", "limits"), LIMITS.items())
def test_limits_of_a_joint_are_those_of_its_description(id, limits):
    """Torque and speed stand at the output."""
    sheet = Datasheet.load(id)
    assert sheet.conventions.figures_at == "output"
    assert (sheet.peak.torque, sheet.mechanical.max_speed) == pytest.approx(limits, rel=1e-12)


@pytest.mark.parametrize(("id", "figures"), GEARED.items())
def test_ratio_and_torques_of_an_actuator_are_printed_ones(id, figures):
    """Rated torque below peak torque, both at the output."""
    sheet, (ratio, rated, peak) = Datasheet.load(id), figures
    assert sheet.conventions.figures_at == "output"
    assert math.prod(stage.ratio or 0.0 for stage in sheet.gear) == ratio
    assert sheet.mechanical.nominal_torque == pytest.approx(rated, rel=1e-12)
    assert sheet.peak.torque == (None if peak is None else pytest.approx(peak, rel=1e-12))


@pytest.mark.parametrize(("id", "name", "value"), FIGURES)
def test_single_figures_are_printed_ones(id, name, value):
    """One or two per maker, in the source's own units."""
    table, key = name.split(".")
    unit = {"electrical": "ohm", "thermal": "K/W"}[table] if key == "resistance" else UNITS[key]
    assert getattr(getattr(Datasheet.load(id), table), key) == pytest.approx(parse(value, unit), rel=1e-12)


@pytest.mark.parametrize("id", IDS)
def test_every_entry_is_pinned(id):
    """A new file gets a row above."""
    unpinned = {"cubemars-ri50", "tmotor-ak60-6", "tmotor-u8-kv100"}
    assert id in LIMITS or id in GEARED or id in unpinned or any(id == row[0] for row in FIGURES)


@pytest.mark.parametrize("id", IDS)
def test_a_contradiction_comes_with_a_note(id):
    """What check() calls an error or a warning is explained in the file."""
    sheet = Datasheet.load(id)
    explained = {
        "kt": "Kt is |torque per ampere is ",
        "max_speed": "Kt allows",
        "no_load_speed": "no-load speed is",
        "nominal_speed": "rated speed is",
        "nominal_torque": "Rated torque is",
    }
    for finding in sheet.check():
        if finding.severity in ("warning", "error"):
            assert re.search(explained[finding.figure], " ".join(sheet.notes)), finding


@pytest.mark.parametrize(
    ("id", "armature"), {"5020": 0.003609725, "7520-14": 0.01017752004, "7520-22": 0.025101925, "4010": 0.00425}.items()
)
def test_inertias_of_the_g1_reflect_to_its_published_armatures(id, armature):
    """Each inertia times the square of what is behind it, within the digits of the model file."""
    sheet = Datasheet.load(f"unitree-g1-{id}")
    behind, reflected = 1.0, 0.0
    for stage in reversed(sheet.gear):
        behind *= stage.ratio or 0.0
        reflected += (stage.inertia or 0.0) * behind**2
    reflected += (sheet.mechanical.inertia or 0.0) * behind**2
    assert reflected == pytest.approx(armature, rel=1e-9)


@pytest.mark.parametrize("id", [id for id in IDS if id.startswith("damiao-")])
def test_damiao_torque_constants_are_per_peak_phase_ampere_at_the_output(id):
    """1.5 · pole pairs · flux linkage · ratio, the law of the q-axis current."""
    sheet = Datasheet.load(id)
    flux = parse(sheet.measured["flux_linkage"], "V*s")
    assert sheet.electrical.kt == pytest.approx(
        1.5 * (sheet.electrical.pole_pairs or 0) * flux * (sheet.gear[0].ratio or 0)
    )


@pytest.mark.parametrize("id", ["cubemars-ak80-9", "damiao-dm-j4310-2ec", "tmotor-ak80-6"])
def test_the_motors_people_have_are_whole(id):
    """Winding, magnet, rotor, friction or gear: the sheet gives a motor, with an armature at the joint."""
    motor = Datasheet.load(id).motor()
    assert motor.winding.resistance > 0 and motor.armature > 0
