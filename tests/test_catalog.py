"""The motors that come with the library."""

import pytest

from backemf import catalog
from backemf.datasheet import Datasheet
from backemf.errors import DatasheetError
from backemf.motor import Saturation, TwoNodeThermal

# joints of which a torque and a speed are published, and actuators without a winding resistance
LIMITS = ("anybotics-", "franka-", "kinova-", "mjbots-qdd100", "unitree-", "ur10e-", "ur3e-", "ur5e-")
NO_WINDING = ("myactuator-", "robstride-", "unitree-go-m8010-6", "xiaomi-")
TOO_LITTLE = {
    "dephy-actpack": "kt",
    "dynamixel-ph42-020": "resistance",
    "dynamixel-ph54-100": "resistance",
    "dynamixel-ph54-200": "resistance",
    "dynamixel-pm42-010": "resistance",
    "dynamixel-pm54-040": "resistance",
    "dynamixel-pm54-060": "resistance",
    "maxon-hej50": "kt",
    "maxon-hej70": "kt",
    "maxon-hej90": "kt",
    "zeroerr-erob80-100-fit": "resistance",
    **{id: "kt" for id in catalog.ids() if id.startswith(LIMITS)},
    **{id: "resistance" for id in catalog.ids() if id.startswith(NO_WINDING)},
}

ROWS = ("no_load_speed", "stall_torque", "speed_torque_gradient", "mechanical_time_constant")
FULL = [
    "faulhaber-1331t012sr",
    "faulhaber-3564k012b",
    "faulhaber-3564k024b",
    "faulhaber-3564k048b",
    "faulhaber-4221g024bxth",
    "maxon-ec13-305194",
    "maxon-ec32flat-267121",
    "maxon-ec45flat-339281",
    "maxon-ec45flat-339286",
    "maxon-ec4pole30-305014",
    "maxon-ec90flat-323772",
    "maxon-re25-118743",
    "maxon-re25-118752",
    "maxon-re30-268214",
    "maxon-re30-48v",
    "maxon-re40-148867-2010",
    "maxon-re40-148877",
    "maxon-re50-370354",
    "maxon-re65-353297",
    "maxon-remax13-203950",
]
# rows in which a sheet contradicts itself, and how
INCONSISTENT = {
    ("faulhaber-3564k012b", "mechanical_time_constant"): "printed as 10 ms, without decimals",
    ("faulhaber-3564k024b", "stall_torque"): "needs 1.30 ohm, the sheet prints 1.2",
    ("faulhaber-3564k024b", "speed_torque_gradient"): "needs 1.31 ohm, the sheet prints 1.2",
    ("faulhaber-3564k024b", "mechanical_time_constant"): "needs 1.31 ohm, the sheet prints 1.2",
    ("maxon-re25-118743", "mechanical_time_constant"): "its own gradient times its own inertia is 4.07 ms, not 4.25",
    ("maxon-re25-118752", "no_load_speed"): "2.02 %: more voltage is missing than R·i0 explains",
    ("maxon-ec32flat-267121", "no_load_speed"): "2.1 %: more voltage is missing than R·i0 explains",
}


LOSSY = {
    "dynamixel-2xl430-w250": 0.579,
    "dynamixel-ax12a": 0.515,
    "dynamixel-xh540-v270": 0.569,
    "dynamixel-xl430-w250": 0.579,
    "pololu-37d-12v-100": 0.549,
    "pololu-37d-12v-131": 0.552,
    "towerpro-mg996r": 0.538,
    "waveshare-sc09": 0.463,
}
"""Kt/Ke of the printed stall and no-load figures where gears of many stages lose over 40 % of the torque."""


@pytest.mark.parametrize("id", catalog.ids())
def test_every_sheet_gives_a_motor_or_says_what_is_missing(id):
    """Some makers print too little for a motor; the error names the figure."""
    sheet = Datasheet.load(id)
    if id in TOO_LITTLE:
        with pytest.raises(DatasheetError, match=f"too few figures for a motor: .*needs {TOO_LITTLE[id]}"):
            sheet.motor()
    else:
        motor = sheet.motor()
        assert motor.name == sheet.name
        # no convention mixed up by more than what check() reports
        ratio = motor.magnet.torque_constant / motor.magnet.back_emf_constant
        assert ratio == pytest.approx(LOSSY[id], abs=5e-3) if id in LOSSY else 0.6 < ratio < 1.3


@pytest.mark.parametrize("id", FULL)
def test_full_sheets_are_reproduced(id):
    """R, Kt, Kv, J and the no-load current predict the four rows makers compute from them within 2 %."""
    sheet = Datasheet.load(id)
    predicted = sheet.predict()
    for row in ROWS:
        printed = getattr(sheet.mechanical, row)
        close = abs(printed / predicted[row] - 1) < 0.02
        assert close is not ((id, row) in INCONSISTENT), f"{row}: {printed / predicted[row]:.4f}"


def test_at_least_ten_sheets_are_reproduced_in_full():
    """Without any of the rows that contradict themselves."""
    assert len(set(FULL) - {id for id, _ in INCONSISTENT}) >= 10


COOLER = {
    # makers whose nominal current leaves the winding below its printed limit by copper heat alone [K of rise]; the
    # no-load loss at nominal speed, put into the housing, closes the gap of both RE 30 and of the RE 50, overshoots
    # that of the EC-4pole 30, and explains no other
    "faulhaber-1331t012sr": 75,
    "maxon-ec32flat-267121": 58,
    "maxon-ec45flat-339281": 60,
    "maxon-ec45flat-339286": 65,
    "maxon-ec4pole30-305014": 49,
    "maxon-ec4pole30-305015": 47,
    "maxon-ec4pole30-gp32hp": 49,
    "maxon-ec90flat-323772": 64,
    "maxon-ht60m-936176": 79,
    "maxon-ht76m-934928": 74,
    "maxon-ht90m-937612": 83,
    "maxon-re25-118752": 67,
    "maxon-re30-268214": 73,
    "maxon-re30-48v": 73,
    "maxon-re40-148867": 98,
    "maxon-re40-148867-2010": 95,
    "maxon-re40-gp52c": 95,
    "maxon-re50-370354": 72,
    "maxon-re65-353297": 67,
}


def winding_rises(id: str) -> tuple[float, float] | None:
    """Printed and predicted rise of the winding at nominal current [K]; None where the sheet allows no comparison."""
    sheet = Datasheet.load(id)
    if id in TOO_LITTLE or sheet.thermal.max_winding_temperature is None:
        return None
    predicted = sheet.predict().get("temperature_rise")
    return None if predicted is None else (sheet.thermal.max_winding_temperature - 25.0, predicted)


@pytest.mark.parametrize("id", [id for id in catalog.ids() if winding_rises(id) is not None])
def test_the_nominal_current_heats_the_winding_to_its_limit(id):
    """Copper heat with R(T) through the thermal resistances gives the printed rise within 5 K; for the Faulhaber 3564
    with the mounting and the friction at 22 000 rpm that their nominal figures are meant for. Sheets that stay cooler
    are named, and none gets hotter."""
    allowed, predicted = winding_rises(id) or (0.0, 0.0)
    if id in COOLER:
        assert predicted == pytest.approx(COOLER[id], abs=1.0) and predicted < allowed - 5.0
    else:
        assert predicted == pytest.approx(allowed, abs=5.0)


def test_nominal_torque_of_the_faulhaber_motors_is_net_of_friction_at_the_rated_speed():
    """Kt·i minus friction at 22 000 rpm is the printed torque within 0.5 %."""
    for id in ("faulhaber-3564k012b", "faulhaber-3564k024b", "faulhaber-3564k048b"):
        sheet = Datasheet.load(id)
        assert sheet.predict()["nominal_torque"] == pytest.approx(sheet.mechanical.nominal_torque, rel=0.005)


def test_the_re40_is_what_its_sheet_says():
    """The motor of the examples, in SI."""
    motor = Datasheet.load("maxon-re40-148877").motor()
    assert motor.winding.resistance == 1.13
    assert motor.winding.inductance == 0.00033
    assert motor.magnet.torque_constant == 0.0603
    assert motor.rotor is not None and motor.rotor.inertia == 1.37e-5
    assert isinstance(motor.thermal, TwoNodeThermal)
    assert motor.ratings is not None and motor.ratings.current == 3.17


def test_the_mj5208_in_dc_amperes_keeps_its_torque():
    """27.3 mN·m per q-axis ampere and 47 mΩ per phase are 31.5 mN·m/A and 94 mΩ between terminals, with Kt = Ke."""
    motor = Datasheet.load("mjbots-mj5208").motor()
    assert motor.winding.resistance == pytest.approx(0.094)
    assert motor.magnet.torque_constant == pytest.approx(motor.magnet.back_emf_constant, rel=0.01)
    assert isinstance(motor.magnet.saturation, Saturation)


def test_the_g1_stages_reflect_to_the_published_armature():
    """Three inertias through 4.5 and 3.18 give 0.0101775 kg·m² at the joint."""
    sheet = Datasheet.load("unitree-g1-7520-14")
    rotor, between, output = (sheet.mechanical.inertia, *(stage.inertia for stage in sheet.gear[1:]))
    first, second, _ = (stage.ratio for stage in sheet.gear)
    assert rotor and between and output and first and second
    reflected = rotor * (first * second) ** 2 + between * second**2 + output
    assert reflected == pytest.approx(0.01017752004132231, rel=1e-9)


def test_the_neo_mixes_conventions():
    """Its stall torque per ampere is 1.25 times what its free speed allows."""
    finding = next(f for f in Datasheet.load("frc-neo").check() if f.figure == "kt")
    assert (finding.severity, finding.cause) == ("error", "rms-ampere")
    assert finding.ratio == pytest.approx(1.248, abs=0.001)
