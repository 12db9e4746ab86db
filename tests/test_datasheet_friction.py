"""Every friction model of the library, written as a datasheet."""

import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backemf import analyze
from backemf.datasheet import Datasheet
from backemf.errors import DatasheetError
from backemf.motor import Coulomb, Dahl, LoadDependent, LoadShare, LuGre, QuadraticShare, Stribeck
from backemf.physics.mechanics import viscous_slope
from backemf.sims import joint

ELECTRICAL = {"kt": 0.06, "resistance": 1.13, "nominal_voltage": 48.0}
SHARES = {"load_drive": 0.2, "load_back": 0.1}
FADING = {"stribeck_velocity": 2.0, "stribeck_exponent": 1.3, "stribeck_load_drive": 0.05, "stribeck_load_back": 0.15}
QUADRATIC = {"quadratic_drive": 0.004, "quadratic_back": 0.006}
M6 = {"coulomb": 0.01, "stiction": 0.015, **SHARES, **FADING, **QUADRATIC}
LUGRE = {"coulomb": 0.01, "stiction": 0.015, "stribeck_velocity": 2.0, "stiffness": 10.0, "damping": 0.02}
LUGRE |= {"stribeck_exponent": 1.3, "damping_exponent": 1.7}


def sheet(friction, side="motor", ratio=None, **tables):
    gear = [] if ratio is None else [{"ratio": ratio}]
    return Datasheet.from_si(
        "test", conventions={"friction_at": side}, electrical=ELECTRICAL, friction=friction, gear=gear, **tables
    )


def friction_of(friction, side="motor", ratio=None):
    return sheet(friction, side, ratio).motor().friction


# --- the figures choose the model


@pytest.mark.parametrize(
    ("figures", "model"),
    [
        ({"coulomb": 0.01}, Coulomb(coulomb=0.01)),
        ({"coulomb": 0.01, "stiffness": 10.0}, Dahl(coulomb=0.01, stiffness=10.0)),
        (
            {**LUGRE},
            LuGre(
                coulomb=0.01,
                stiction=0.015,
                stribeck_velocity=2.0,
                stribeck_exponent=1.3,
                stiffness=10.0,
                damping=0.02,
                damping_exponent=1.7,
            ),
        ),
        (
            {"coulomb": 0.01, "stiction": 0.01, "stribeck_velocity": 2.0},
            LoadDependent(coulomb=0.01, stribeck=Stribeck(velocity=2.0)),
        ),
        ({"coulomb": 0.0, **SHARES}, LoadDependent(coulomb=0.0, load=LoadShare(drive=0.2, back=0.1))),
        (
            {"coulomb": 0.01, **FADING},
            LoadDependent(
                coulomb=0.01, stribeck=Stribeck(velocity=2.0, exponent=1.3, load=LoadShare(drive=0.05, back=0.15))
            ),
        ),
        (
            {"coulomb": 0.01, "stribeck_velocity": 2.0, **QUADRATIC},
            LoadDependent(
                coulomb=0.01, stribeck=Stribeck(velocity=2.0), quadratic=QuadraticShare(drive=0.004, back=0.006)
            ),
        ),
    ],
    ids=["coulomb", "dahl", "lugre", "stribeck", "m3", "m5-at-rest", "quadratic"],
)
def test_the_figures_choose_the_model(figures, model):
    """Each model of the library is the one that its own figures name."""
    assert friction_of(figures) == model


def test_all_figures_of_the_family_make_m6():
    """Stiction is Coulomb friction and what the Stribeck curve adds."""
    f = friction_of(M6)
    assert isinstance(f, LoadDependent) and f.stribeck is not None
    assert f.load == LoadShare(drive=0.2, back=0.1) and f.quadratic == QuadraticShare(drive=0.004, back=0.006)
    assert f.stribeck.load == LoadShare(drive=0.05, back=0.15)
    assert f.coulomb + f.stribeck.coulomb == pytest.approx(0.015)


# --- the side of the gear


def budget(f, speed, motor_torque, load_torque):
    """M6 as its authors write it."""
    s = f.stribeck
    fade = math.exp(-(abs(speed / s.velocity) ** s.exponent))
    plain = f.coulomb + abs(f.load.drive * motor_torque - f.load.back * load_torque)
    rest = s.coulomb + abs(s.load.drive * motor_torque - s.load.back * load_torque)
    if motor_torque * load_torque < 0:
        stronger = abs(motor_torque) > abs(load_torque)
        rest += f.quadratic.back * load_torque**2 if stronger else f.quadratic.drive * motor_torque**2
    return plain + fade * rest


@given(st.floats(1.0, 300.0), st.floats(-10.0, 10.0), st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_friction_at_the_output_is_the_same_friction_at_the_motor(n, speed, motor_torque, load_torque):
    """At speed w and torques T of the output, the rotor turns with n·w, carries T/n and is braked by F/n."""
    output, rotor = friction_of(M6), friction_of(M6, "output", n)
    expected = budget(output, speed, motor_torque, load_torque) / n
    assert budget(rotor, n * speed, motor_torque / n, load_torque / n) == pytest.approx(expected, rel=1e-9)


@given(st.floats(1.0, 300.0))
def test_bristles_at_the_output_are_reflected(n):
    """Torques by 1/n, speeds by n, stiffness and damping by 1/n²; exponents stay."""
    f = friction_of(LUGRE, "output", n)
    assert isinstance(f, LuGre)
    assert (f.coulomb, f.stiction) == pytest.approx((0.01 / n, 0.015 / n))
    assert (f.stiffness, f.damping) == pytest.approx((10.0 / n**2, 0.02 / n**2))
    assert f.stribeck_velocity == pytest.approx(2.0 * n)
    assert (f.stribeck_exponent, f.damping_exponent) == (1.3, 1.7)


# --- every figure counts, is written and is checked


@pytest.mark.parametrize(
    ("figures", "key"),
    [(LUGRE, key) for key in LUGRE]
    + [(M6, key) for key in M6]
    + [({"coulomb": 0.01, "stiffness": 10.0}, key) for key in ("coulomb", "stiffness")],
)
def test_every_figure_changes_the_motor(figures, key):
    """No figure of a sheet is read and then forgotten."""
    assert sheet(figures).motor() != sheet({**figures, key: figures[key] * 1.01}).motor()


@pytest.mark.parametrize("figures", [LUGRE, M6, {"coulomb": 0.01, "stiffness": 10.0 / 3}])
def test_friction_round_trips(figures):
    """What to_toml writes, loads reads back exactly."""
    given = sheet(figures, "output", 9.0, identified="by us, on a pendulum, in 2025")
    assert Datasheet.loads(given.to_toml()) == given
    assert 'identified = "by us' in given.to_toml()


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"stiffness": 10.0}, "stiffness has no effect alone: give coulomb too"),
        ({"coulomb": 0.0, "stiffness": 10.0}, "bristles need friction that bends them"),
        ({"coulomb": 0.01, "stiffness": 10.0, "damping": 0.1}, "damping has no effect alone: give stiction too"),
        ({"coulomb": 0.01, "stribeck_exponent": 2.0}, "give stribeck_velocity too"),
        ({**LUGRE, "stribeck_exponent": 0.0}, "stribeck_exponent = 0.0: must be positive"),
        ({**LUGRE, "damping_exponent": -1.0}, "damping_exponent = -1.*must be positive"),
        ({**LUGRE, "damping": 0.0}, "damping_exponent has no effect with damping = 0"),
        ({k: v for k, v in LUGRE.items() if k != "damping"}, "damping_exponent has no effect alone: give damping too"),
        ({"coulomb": 0.01, "stribeck_velocity": 1.0}, "give stiction or stribeck_load_drive or quadratic_drive too"),
        ({"load_drive": 0.1, "load_back": 0.1}, "load_drive has no effect alone: give coulomb too"),
        ({"coulomb": 0.01, "load_drive": 0.1}, "give load_back too"),
        ({"coulomb": 0.01, "load_back": 0.1}, "give load_drive too"),
        ({"coulomb": 0.01, "load_drive": -0.1, "load_back": 0.1}, "load_drive = -0.1.*must not be negative"),
        ({"coulomb": 0.01, "load_drive": 20.0, "load_back": 0.1}, "must be below 1"),
        ({**M6, "load_drive": 0.96}, "load_drive and stribeck_load_drive together = 1.01: must be below 1"),
        ({"coulomb": 0.01, **QUADRATIC}, "quadratic_drive has no effect alone: give stribeck_velocity too"),
        ({**M6, "quadratic_back": -1.0}, r"quadratic_back = -1.0: must not be negative"),
        ({**LUGRE, **SHARES}, "stiffness and load_drive cannot be given together: remove one"),
    ],
)  # fmt: skip
def test_a_bad_friction_figure_is_refused_in_one_sentence(figures, words):
    """The table, the figure and the remedy."""
    with pytest.raises(DatasheetError, match=words) as caught:
        sheet(figures)
    assert "[friction]" in str(caught.value) and "\n" not in str(caught.value)


def test_an_identification_must_be_a_text():
    """As every other field at the top of a sheet."""
    with pytest.raises(DatasheetError, match=r'identified = 3: must be a text in quotes, such as identified = "..."'):
        Datasheet.loads("identified = 3\n")


# --- what the sheet predicts


@pytest.mark.long
@settings(deadline=None, max_examples=30)
@given(st.integers(0, 50).map(lambda p: p / 100), st.integers(0, 50).map(lambda p: p / 100), st.floats(0.001, 0.02))
def test_load_dependent_friction_counts_in_the_predictions(drive, back, coulomb):
    """The sheet's own no-load figures are those of the motor it makes."""
    given = sheet({"coulomb": coulomb, "viscous": 1e-5, "load_drive": drive, "load_back": back})
    predicted, found = given.predict(), analyze.constants(given.motor())
    assert predicted["no_load_speed"] == pytest.approx(found.no_load_speed, rel=1e-6)
    assert predicted["no_load_current"] == pytest.approx(found.no_load_current, rel=1e-6)


def test_the_nominal_torque_is_what_the_friction_lets_through():
    """τ = Kt·i - coulomb - load_drive·Kt·i - load_back·τ."""
    given = Datasheet.from_si(
        "test", electrical={**ELECTRICAL, "nominal_current": 3.0}, friction={"coulomb": 0.01, **SHARES}
    )
    torque = given.predict()["nominal_torque"]
    assert torque == pytest.approx(0.18 - 0.01 - 0.2 * 0.18 - 0.1 * torque)


# --- servos identified by others

NAMES = {
    "load_friction_motor": "load_drive",
    "load_friction_external": "load_back",
    "load_friction_motor_stribeck": "stribeck_load_drive",
    "load_friction_external_stribeck": "stribeck_load_back",
    "load_friction_motor_quad": "quadratic_drive",
    "load_friction_external_quad": "quadratic_back",
    "dtheta_stribeck": "stribeck_velocity",
    "alpha": "stribeck_exponent",
    "friction_viscous": "viscous",
    "friction_base": "coulomb",
}
"""The names of published parameters, and ours."""


def identified_files() -> list[Path]:
    folder = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
    return sorted((folder / "bam_published_params").rglob("m[1-6].json"))


def identified_sheet(p: dict, ratio: float) -> Datasheet:
    """Everything at the output shaft, where it was measured."""
    friction = {ours: p[theirs] for theirs, ours in NAMES.items() if theirs in p}
    for share in ("", "stribeck_"):
        both = p.get("load_friction_" + ("stribeck" if share else "base"))
        if both is not None:
            friction |= {f"{share}load_drive": both, f"{share}load_back": both}
    if "friction_stribeck" in p:
        friction["stiction"] = p["friction_base"] + p["friction_stribeck"]
    return Datasheet.from_si(
        "servo",
        identified="on a pendulum",
        conventions=dict.fromkeys(("constants_at", "friction_at", "inertia_at"), "output"),
        # servos with a current controller were identified without a resistance
        electrical={"kt": p["kt"], "ke": p["kt"], "resistance": p.get("R", 1.0)},
        mechanical={"inertia": p["armature"]},
        friction=friction,
        gear=[{"ratio": ratio}],
    )


@pytest.mark.parametrize("ratio", [1.0, 288.35])
@pytest.mark.parametrize("path", identified_files(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_identified_servo_is_a_sheet_and_its_numbers_are_found_at_the_output(path, ratio):
    """Seen from the output: torques n times, speeds 1/n, shares as they are, shares of squares 1/n."""
    p = json.loads(path.read_text())
    given = Datasheet.loads(identified_sheet(p, ratio).to_toml())
    m, n = given.motor(), ratio
    assert m.magnet.torque_constant * n == pytest.approx(p["kt"]) == m.magnet.back_emf_constant * n
    assert m.winding.resistance == p.get("R", 1.0)
    assert m.reflected_inertia == pytest.approx(p["armature"])
    assert viscous_slope(m) * n**2 == pytest.approx(p["friction_viscous"])
    found: dict[str, float] = {}
    if isinstance(m.friction, Coulomb):
        found["friction_base"] = m.friction.coulomb * n
    else:
        assert isinstance(m.friction, LoadDependent)
        found = seen_from_the_output(m.friction, n)
    wanted = {key: value for key, value in p.items() if "friction" in key and key != "friction_viscous"}
    wanted |= {key: p[key] for key in ("dtheta_stribeck", "alpha") if key in p}
    assert found.keys() >= wanted.keys()
    for key, value in wanted.items():
        # the part that fades is the difference of two printed torques
        assert found[key] == pytest.approx(value, rel=1e-9, abs=1e-15), key


@pytest.mark.parametrize("figures", [{}, {"stribeck_velocity": 1.0, "stiction": 0.2}])
def test_viscous_friction_of_loaded_gears_does_not_lower_the_torque_they_transmit(figures):
    """With load shares the viscous part goes with the friction, and simulators' joints and constants find it there."""
    rubs = {"coulomb": 0.1, "viscous": 0.03, "drag": (0.002,), **figures}
    plain, loaded = sheet(rubs).motor(), sheet({**rubs, "load_drive": 0.2, "load_back": 0.1}).motor()
    assert plain.drag is not None and plain.drag.coefficients == (0.03, 0.002)
    assert loaded.drag is not None and loaded.drag.coefficients == (0.0, 0.002)
    assert isinstance(loaded.friction, LoadDependent) and loaded.friction.viscous == 0.03
    for motor in (plain, loaded):
        viscous = joint.friction_of(motor)[2]
        assert viscous is not None and viscous.value == pytest.approx(0.03)
        assert analyze.constants(motor, voltage=12.0).viscous_drag == pytest.approx(0.03)


def seen_from_the_output(f: LoadDependent, n: float) -> dict[str, float]:
    found = {"friction_base": f.coulomb * n}
    if f.load is not None:
        found |= {"load_friction_motor": f.load.drive, "load_friction_external": f.load.back}
        found |= {"load_friction_base": f.load.drive}
    if (s := f.stribeck) is not None:
        found |= {"friction_stribeck": s.coulomb * n, "dtheta_stribeck": s.velocity / n, "alpha": s.exponent}
        if s.load is not None:
            found |= {"load_friction_motor_stribeck": s.load.drive, "load_friction_external_stribeck": s.load.back}
            found |= {"load_friction_stribeck": s.load.drive}
    if f.quadratic is not None:
        found |= {"load_friction_motor_quad": f.quadratic.drive / n}
        found |= {"load_friction_external_quad": f.quadratic.back / n}
    return found
