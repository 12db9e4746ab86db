"""What `check` knows of figures that no other figure predicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backemf.datasheet import Datasheet, Finding

ELECTRICAL = {"kt": 0.06, "resistance": 1.13}


def findings(**tables) -> dict[str, Finding]:
    tables = {"electrical": ELECTRICAL, **tables}
    return {f.figure: f for f in Datasheet.from_si("test", source="bench", **tables).check()}


def lugre(**more):
    figures = {"coulomb": 0.01, "stiction": 0.015, "stribeck_velocity": 2.0, "stiffness": 10.0}
    return {"friction": figures | more}


# --- passive bristles


@given(st.floats(1e-6, 1e-2), st.floats(1e-6, 1e-2), st.floats(0.0, 1e-3), st.floats(1.01, 3.0), st.floats(1.0, 100.0))
def test_lugre_is_passive_below_a_damping(damping, viscous, iron, excess, n):
    """σ2 > σ1·(τs - τc)/τc, with drag and iron losses as σ2, on either side of the gears."""
    iron = 0.0 if iron < 1e-9 else iron
    for side, up in (("motor", 1.0), ("output", n)):
        found = findings(
            **lugre(damping=damping * up**2, viscous=viscous * up**2, stiction=0.01 * excess, iron_loss=iron),
            conventions={"friction_at": side},
            gear=[{"ratio": n}],
        )["damping"]
        largest = (viscous + iron) * 0.01 / (0.01 * excess - 0.01)
        if abs(damping / largest - 1) < 1e-6:
            continue
        assert found.severity == ("ok" if damping < largest else "warning")
        if found.severity == "warning":
            assert found.cause == "not-passive"
            assert found.listed == pytest.approx(damping * up**2)
            assert found.predicted == pytest.approx(largest * up**2, rel=1e-6)


def test_without_viscous_friction_no_damping_is_passive():
    """σ2 = 0: the sentence says what to do."""
    found = findings(**lugre(damping=0.02))["damping"]
    assert found.severity == "warning" and found.predicted == 0.0 and found.ratio is None
    assert "less damping, or a damping_exponent" in found.explanation


@pytest.mark.parametrize(
    "more", [{}, {"damping": 0.02, "damping_exponent": 2.0}, {"damping": 0.02, "stiction": 0.01}, {"damping": 0.0}]
)
def test_bristles_without_that_bound(more):
    """No damping, fading damping and stiction equal to Coulomb friction are passive anyway."""
    assert "damping" not in findings(**lugre(**more))


# --- usual sizes


@pytest.mark.parametrize(
    ("share", "severity"), [(0.004, "info"), (0.01, "ok"), (0.03, "ok"), (0.05, "ok"), (0.08, "info")]
)
def test_cogging_of_one_to_five_per_cent_is_usual(share, severity):
    """Of the nominal torque, all harmonics together."""
    cogging = [{"share": share / 2, "periodicity": 84}, {"amplitude": 0.5 * share / 2, "periodicity": 168}]
    found = findings(mechanical={"nominal_torque": 0.5}, cogging=cogging)["cogging"]
    assert found.severity == severity and f"{100 * share:.3g} % of the nominal torque" in found.explanation


@pytest.mark.parametrize(
    ("ratio", "severity"), [(0.9, "warning"), (1.0, "info"), (2.5, "info"), (5.0, "ok"), (10.0, "ok"), (12.0, "info")]
)
def test_a_peak_of_five_to_ten_times_is_usual(ratio, severity):
    """Of the continuous current, or of the torque where no currents are printed."""
    current = findings(electrical={**ELECTRICAL, "nominal_current": 3.0}, peak={"current": 3.0 * ratio})
    torque = findings(mechanical={"nominal_torque": 0.2}, peak={"torque": 0.2 * ratio})
    assert current["peak_over_nominal"].severity == torque["peak_over_nominal"].severity == severity


def test_gears_may_set_a_lower_peak():
    """What gears stand is no property of the magnets; above the usual and below the nominal it stays a finding."""
    for ratio, severity in ((0.9, "warning"), (2.5, "ok"), (12.0, "info")):
        found = findings(mechanical={"nominal_torque": 0.2}, peak={"torque": 0.2 * ratio}, gear=[{"ratio": 9.0}])
        assert found["peak_over_nominal"].severity == severity


def test_a_sheet_without_these_figures_has_none_of_the_findings():
    """Nothing is said of what is not known."""
    found = findings(peak={"current": 9.0}, cogging=[{"amplitude": 0.01, "periodicity": 84}])
    assert found.keys().isdisjoint({"damping", "cogging", "peak_over_nominal", "load_drive"})


def test_load_friction_and_efficiency_count_the_gears_twice():
    """Both are the loss of the same gears."""
    friction = {"coulomb": 0.01, "load_drive": 0.2, "load_back": 0.2}
    assert findings(friction=friction, gear=[{"ratio": 9.0, "efficiency": 0.9}])["load_drive"].severity == "warning"
    assert "load_drive" not in findings(friction=friction, gear=[{"ratio": 9.0}])
