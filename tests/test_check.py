"""Redundant figures against each other, and what their ratios tell."""

import csv
import math
import os
import random
import re
from pathlib import Path

import pytest

from backemf.datasheet import Datasheet, Finding
from backemf.datasheet.predict import TOLERANCE, predict
from backemf.datasheet.solve import solve

V, R, K, J = 24.0, 0.5, 0.05, 2e-5
RPM = math.pi / 30


def findings(**tables) -> dict[str, Finding]:
    return {f.figure: f for f in Datasheet.from_si("test", source="bench", **tables).check()}


def test_a_consistent_sheet_is_ok_throughout():
    """Figures computed from one motor agree with each other."""
    i0 = 0.1
    found = findings(
        electrical={
            "nominal_voltage": V,
            "resistance": R,
            "inductance": 1e-4,
            "electrical_time_constant": 1e-4 / R,
            "kt": K,
            "kv": 1 / K,
            "no_load_current": i0,
            "stall_current": V / R,
            "nominal_current": 4.0,
        },
        mechanical={
            "no_load_speed": (V - R * i0) / K,
            "stall_torque": K * V / R,
            "nominal_torque": K * (4.0 - i0),
            "nominal_speed": (V - R * 4.0) / K,
            "speed_torque_gradient": R / K**2,
            "mechanical_time_constant": R * J / K**2,
            "max_efficiency": (1 - math.sqrt(i0 * R / V)) ** 2,
            "inertia": J,
        },
    )
    # what is not printed is no disagreement
    assert found.pop("estimates").severity == "info"
    assert len(found) == 10
    for finding in found.values():
        assert finding.severity == "ok", str(finding)
        assert finding.ratio == pytest.approx(1.0, abs=1e-6)


ELECTRICAL = {
    "nominal_voltage": V, "resistance": R, "inductance": 1e-4, "electrical_time_constant": 1e-4 / R, "kt": K,
    "no_load_current": 0.1, "stall_current": V / R, "nominal_current": 4.0,
}  # fmt: skip
MECHANICAL = {
    "no_load_speed": (V - R * 0.1) / K, "stall_torque": K * V / R, "nominal_torque": K * 3.9, "inertia": J,
    "nominal_speed": (V - R * 4.0) / K, "speed_torque_gradient": R / K**2, "mechanical_time_constant": R * J / K**2,
}  # fmt: skip


def sheet_of(figures: dict[str, float]) -> Datasheet:
    split = ({name: x for name, x in figures.items() if name in table} for table in (ELECTRICAL, MECHANICAL))
    return Datasheet.from_si("test", source="bench", **dict(zip(("electrical", "mechanical"), split, strict=True)))


def test_a_figure_that_the_others_determine_is_compared():
    """Of any choice of figures, one that the rest predicts and that is three times as large is no sheet that agrees."""
    draw, right, compared = random.Random(0), ELECTRICAL | MECHANICAL, set()
    for _ in range(500):
        figures = {name: x for name, x in right.items() if draw.random() < 0.5}
        for name in TOLERANCE.keys() & figures.keys():
            known = predict(solve(sheet_of({other: x for other, x in figures.items() if other != name})))
            if known.get(name) != pytest.approx(right[name], rel=1e-6):
                continue
            compared.add(name)
            found = sheet_of(figures | {name: 3.0 * right[name]}).check()
            assert any(each.severity not in ("ok", "info") for each in found), (name, sorted(figures))
    # the no-load current is the only witness of friction here
    assert compared == (TOLERANCE.keys() & right.keys()) - {"no_load_current"}


def test_a_resistance_beside_stall_torque_and_current_is_blamed():
    """Kt is stall torque over stall current; the resistance ten times too large contradicts volts over amperes."""
    found = findings(
        electrical={"nominal_voltage": 18.0, "resistance": 1.38, "stall_current": 130.0, "no_load_current": 2.7},
        mechanical={"stall_torque": 1.17, "no_load_speed": 19500 * RPM},
    )
    assert found["stall_current"].severity == "error" and found["stall_current"].ratio == pytest.approx(9.967, rel=1e-3)
    assert "resistance is 10 times what the others predict" in str(found["stall_current"])


@pytest.mark.parametrize(
    ("factor", "cause", "words"),
    [
        (math.sqrt(3 / 2), "rms-ampere", "Kt·Kv = 1.22: the torque constant is probably per RMS ampere"),
        (math.sqrt(3) / 2, "peak-phase-ampere", r"Kt·Kv = 0.87: .* probably per peak-phase \(q-axis\) ampere"),
    ],
)
def test_kt_times_kv_tells_the_ampere(factor, cause, words):
    """Kt per RMS ampere is √(3/2), per q-axis ampere √3/2 of Kt per DC ampere."""
    finding = findings(electrical={"kt": factor * K, "kv": 1 / K, "resistance": R})["kt"]
    assert finding.cause == cause
    assert finding.ratio == pytest.approx(factor)
    assert finding.severity in ("warning", "error")
    assert re.search(words, str(finding))


def test_a_declared_convention_is_no_mistake():
    """The same Kt said to be per RMS ampere agrees."""
    found = findings(
        conventions={"torque_constant": "rms"}, electrical={"kt": math.sqrt(1.5) * K, "kv": 1 / K, "resistance": R}
    )
    assert found["kt"].severity == "ok"


def test_more_torque_than_power_balance_allows_is_an_error():
    """Kt/Ke = 1.6 would give more mechanical than electrical power, and no convention makes it."""
    finding = findings(electrical={"kt": 1.6 * K, "ke": K, "resistance": R})["kt"]
    assert (finding.severity, finding.cause) == ("error", "power-balance")


def test_a_geared_servo_loses_torque_in_its_gears():
    """Kt/Ke = 0.65 at the output of a gearbox without a listed efficiency."""
    found = findings(
        conventions={"figures_at": "output"},
        electrical={"nominal_voltage": 12.0, "stall_current": 4.0},
        mechanical={"stall_torque": 0.65 * 4.0 * 12.0 / math.pi, "no_load_speed": math.pi},
        gear=[{"ratio": 270.0}],
    )
    assert (found["kt"].severity, found["kt"].cause) == ("warning", "gear-efficiency")
    assert found["kt"].ratio == pytest.approx(0.65)


def test_phase_resistance_taken_for_line_to_line_is_recognised():
    """Half the resistance predicts twice the stall current and half the gradient."""
    found = findings(
        electrical={"nominal_voltage": V, "resistance": R / 2, "kt": K, "stall_current": V / R},
        mechanical={"speed_torque_gradient": R / K**2},
    )
    assert found["stall_current"].cause == found["speed_torque_gradient"].cause == "phase-resistance"


def test_line_to_line_resistance_declared_as_phase_is_recognised():
    """Doubling what is line-to-line already predicts half the stall current."""
    found = findings(
        conventions={"resistance": "phase"},
        electrical={"nominal_voltage": V, "resistance": R, "kt": K, "stall_current": V / R},
    )
    assert found["stall_current"].cause == "line-resistance"


def test_a_round_speed_far_too_low_is_set_by_electronics():
    """6000 rpm where voltage and Kt allow over 9000."""
    electrical = {"nominal_voltage": V, "resistance": R, "kt": 0.025}
    capped = findings(electrical=electrical, mechanical={"no_load_speed": 6000 * RPM})["no_load_speed"]
    odd = findings(electrical=electrical, mechanical={"no_load_speed": 6070 * RPM})["no_load_speed"]
    assert (capped.severity, capped.cause) == ("warning", "electronics")
    assert "limited by its electronics" in capped.explanation
    assert odd.cause != "electronics"


def test_the_steady_rise_includes_the_hot_winding():
    """rise = Rth·R·i²/(1 - α·Rth·R·i²): the warm resistance makes more heat."""
    i, rth, alpha = 3.0, 10.0, 0.0039
    rise = rth * R * i**2 / (1 - alpha * rth * R * i**2)
    finding = findings(
        electrical={"kt": K, "resistance": R, "nominal_current": i},
        thermal={"resistance": rth, "max_winding_temperature": 25.0 + rise},
    )["temperature_rise"]
    assert finding.predicted == pytest.approx(rise)
    assert finding.severity == "ok"


def test_a_current_that_never_settles_is_an_error():
    """Beyond α·Rth·R·i² = 1 each kelvin makes more than a kelvin."""
    finding = findings(
        electrical={"kt": K, "resistance": R, "nominal_current": 8.0},
        thermal={"resistance": 10.0, "max_winding_temperature": 125.0},
    )["temperature_rise"]
    assert finding.severity == "error" and finding.predicted is None


def test_the_gearbox_is_compared_with_what_the_motor_does():
    """Peak torque at the output against the gear's, motor speed against its input limit."""
    found = findings(
        electrical={"kt": K, "resistance": R, "nominal_voltage": V},
        mechanical={"nominal_torque": 0.1},
        peak={"torque": 0.5, "duration": 1.0},
        gear=[{"ratio": 10.0, "efficiency": 0.8, "torque": 2.0, "peak_torque": 3.0, "max_input_speed": 400.0}],
    )
    assert found["gear_torque"].severity == "ok" and found["gear_torque"].predicted == pytest.approx(0.8)
    assert found["gear_peak_torque"].severity == "warning"
    assert found["gear_peak_torque"].predicted == pytest.approx(0.5 * 10 * 0.8)
    assert found["gear_input_speed"].severity == "warning"
    assert found["gear_input_speed"].predicted == pytest.approx(V / K)


def test_predictions_are_shown_in_the_sheets_own_terms():
    """A torque at the output is compared and printed at the output."""
    finding = findings(
        conventions={"figures_at": "output", "torque_constant": "rms"},
        electrical={"kt": 0.2, "resistance": R, "nominal_current": 5.0},
        mechanical={"nominal_torque": 8.0},
        gear=[{"ratio": 9.0}],
    )["nominal_torque"]
    assert finding.listed == 8.0
    assert finding.predicted == pytest.approx(0.2 * 5.0 * 9.0)


def test_contradictions_and_gaps_are_findings_not_exceptions():
    """check() always answers."""
    found = findings(electrical={"inductance": 1e-3, "resistance": 1.0, "electrical_time_constant": 5e-3})
    assert found["electrical_time_constant"].severity == "error"
    assert "too few figures" in found["motor"].explanation


def maxon_rows():
    folder = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "maxon_catalogue" / "maxon_motors.csv"
    if not file.exists():
        pytest.skip(f"no maxon catalogue at {file}: set BACKEMF_DATA to the folder of measurements")
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_no_load_speed_of_the_maxon_catalogue():
    """Kt, R, voltage and no-load current predict the printed no-load speed within 1 % for 95 % of 640 motors; the four
    that differ wildly carry a controller, and are called that."""
    near, capped, nonsense = 0, [], []
    rows = maxon_rows()
    for row in rows:
        sheet = Datasheet.from_si(
            row["ID"],
            kind="brushless DC" if row["type"] == "BLDC" else "brushed DC",
            electrical={
                "nominal_voltage": float(row["V"]),
                "resistance": float(row["R"]),
                "kt": float(row["k_t"]),
                "no_load_current": float(row["I_nl"]),
            },
            mechanical={"no_load_speed": float(row["omega_nl"])},
        )
        finding = next(f for f in sheet.check() if f.figure == "no_load_speed")
        assert finding.ratio is not None
        near += abs(finding.ratio - 1) < 0.01
        capped += [row["ID"]] if finding.cause == "electronics" else []
        nonsense += [row["ID"]] if finding.severity == "error" else []
    assert len(rows) == 640
    assert near / len(rows) >= 0.95
    assert sorted(capped) == ["350909", "370416", "370418", "370427"]
    assert not nonsense
