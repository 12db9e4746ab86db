"""Sheets without a winding: a torque and a top speed are enough for an actuator of limits."""

import math
from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.datasheet.solve import solve
from backemf.errors import DatasheetError
from backemf.sims.joint import limits_of

RPM = math.pi / 30


def sheet(**tables) -> be.Datasheet:
    return be.Datasheet.from_si("a joint", conventions={"figures_at": "output"}, **tables)


def clip_of(given: be.Datasheet) -> be.DcClip:
    actuator = given.actuator()
    assert actuator.motor is None
    (limit,) = actuator.limits
    assert isinstance(limit, be.DcClip)
    return limit


def test_peak_torque_and_top_speed_make_a_clip():
    """A peak torque and a largest speed are a straight line from one to the other."""
    clip = clip_of(sheet(peak={"torque": 23.7}, mechanical={"max_speed": 30.1}))
    assert (clip.saturation_effort, clip.velocity_limit, clip.effort_limit) == (23.7, 30.1, 23.7)


def test_the_line_goes_through_the_nominal_point():
    """With wn, tn and w0 printed, the line that ends at w0 and goes through them begins at tn/(1 - wn/w0)."""
    clip = clip_of(
        sheet(
            peak={"torque": 22.0},
            mechanical={"no_load_speed": 570 * RPM, "nominal_speed": 390 * RPM, "nominal_torque": 9.0},
        )
    )
    assert clip.saturation_effort == pytest.approx(9.0 / (1 - 390 / 570))
    assert clip.effort_limit == pytest.approx(22.0)
    # what the maker prints for its nominal point is there
    high = clip.saturation_effort * (1 - 390 / 570)
    assert high == pytest.approx(9.0)


def test_a_nominal_point_below_the_line_does_not_lower_the_peak():
    """A rated speed is often set by heat: then the line begins at the peak torque itself."""
    clip = clip_of(
        sheet(peak={"torque": 22.0}, mechanical={"no_load_speed": 60.0, "nominal_speed": 10.0, "nominal_torque": 5.0})
    )
    assert clip.saturation_effort == clip.effort_limit == 22.0


@pytest.mark.parametrize(
    "tables, top, speed",
    [
        ({"mechanical": {"stall_torque": 4.1, "no_load_speed": 6.4}}, 4.1, 6.4),
        ({"mechanical": {"nominal_torque": 2.0, "max_speed": 5.0}}, 2.0, 5.0),
        ({"peak": {"torque": 9.0}, "mechanical": {"stall_torque": 4.0, "max_speed": 5.0}}, 4.0, 5.0),
        ({"peak": {"torque": 9.0}, "mechanical": {"no_load_speed": 8.0, "max_speed": 5.0}}, 9.0, 5.0),
    ],
)
def test_the_least_of_what_is_printed_counts(tables, top, speed):
    """Peak before stall before rated torque; of several limits the tightest."""
    clip = clip_of(sheet(**tables))
    assert clip.effort_limit == pytest.approx(top) and clip.velocity_limit == pytest.approx(speed)


def test_gears_bound_the_limits():
    """Permissible gear torque and input speed are limits of the joint too."""
    given = sheet(
        peak={"torque": 100.0},
        mechanical={"max_speed": 20.0},
        gear=[{"ratio": 10.0, "torque": 30.0, "peak_torque": 45.0, "max_input_speed": 120.0}],
    )
    clip = clip_of(given)
    assert clip.effort_limit == pytest.approx(45.0) and clip.velocity_limit == pytest.approx(12.0)


def test_a_torque_without_a_speed_is_a_flat_limit():
    """Nothing says where the torque ends: it does not."""
    (limit,) = sheet(peak={"torque": 3.0}).actuator().limits
    assert limit == be.EffortLimit(effort_limit=3.0)


def test_motor_side_figures_go_through_the_gears():
    """Torque times ratio and efficiency, speed over the ratio."""
    given = be.Datasheet.from_si(
        "motor side",
        peak={"torque": 2.0},
        mechanical={"max_speed": 300.0, "inertia": 1e-4},
        gear=[{"ratio": 6.0, "efficiency": 0.9}],
    )
    clip = clip_of(given)
    assert clip.effort_limit == pytest.approx(2.0 * 6 * 0.9) and clip.velocity_limit == pytest.approx(50.0)
    assert given.joint() == {"armature": pytest.approx(36e-4)}


def test_no_torque_is_too_little():
    """One sentence names what would make limits, and what would make a motor."""
    with pytest.raises(DatasheetError, match=r"a motor lacks.*an actuator of limits needs \[peak\] torque"):
        sheet(mechanical={"max_speed": 3.0}).actuator()
    assert sheet(mechanical={"max_speed": 3.0}).says == "too little"


def test_what_a_sheet_says():
    """From nothing to a whole motor, one figure more each time."""
    figures: dict = {"peak": {"torque": 1.0}}
    assert sheet(**figures).says == "limits only"
    figures["electrical"] = {"kt": 0.05, "resistance": 0.5}
    assert sheet(**figures).says == "partial motor"
    figures |= {
        "mechanical": {"inertia": 1e-5},
        "friction": {"coulomb": 1e-3},
        "thermal": {"resistance": 3.0, "capacitance": 20.0},
    }
    assert sheet(**figures).says == "whole motor"


def test_check_says_what_one_more_figure_would_do():
    """The finding has the limits, and what a motor lacks."""
    finding = next(f for f in be.Datasheet.load("unitree-go2").check() if f.figure == "motor")
    assert "limits only: 23.7 N·m" in finding.explanation and "a motor lacks" in finding.explanation


# --- the peak of a motor


def with_peak(**tables) -> be.Motor:
    return be.Datasheet.from_si(
        "peak", electrical={"kt": 0.1, "resistance": 0.2, "nominal_voltage": 24.0, **tables.pop("electrical", {})},
        **tables,
    ).motor()  # fmt: skip


def test_peak_torque_bounds_the_current():
    """Kt·i = peak torque where no peak current is printed."""
    motor = with_peak(peak={"torque": 2.0})
    assert motor.limits is not None and motor.limits.peak_current == pytest.approx(20.0)
    assert motor.ratings is not None and motor.ratings.peak_current == pytest.approx(20.0)


@pytest.mark.parametrize("side, expected", [("motor", 20.0), ("output", 20.0 / (6 * 0.8))])
def test_the_side_of_the_peak_torque_counts(side, expected):
    """A peak at the output is over ratio and efficiency at the motor, whatever side the other figures are on."""
    motor = with_peak(peak={"torque": 2.0}, conventions={"peak_at": side}, gear=[{"ratio": 6.0, "efficiency": 0.8}])
    assert motor.limits is not None and motor.limits.peak_current == pytest.approx(expected)


def test_the_lesser_of_peak_torque_and_current_counts():
    """Saturated iron needs more current than the torque constant says: the torque is what is printed."""
    for torque, current, expected in ((2.0, 30.0, 20.0), (2.0, 15.0, 15.0)):
        motor = with_peak(peak={"torque": torque, "current": current})
        assert motor.limits is not None and motor.limits.peak_current == pytest.approx(expected)


def test_the_peak_current_of_saturating_iron_gives_the_peak_torque():
    """Found back through the motor's own law."""
    from backemf.physics.circuit import torque_of

    motor = with_peak(peak={"torque": 2.0}, saturation={"knee_current": 10.0, "scale": 0.05, "torque": 1.5})
    assert motor.limits is not None
    assert torque_of(motor, motor.limits.peak_current, 1.0) == pytest.approx(2.0)


def test_limits_of_the_sheet_go_before_its_peak():
    """[limits] is what a certain drive enforces."""
    motor = with_peak(peak={"torque": 2.0}, limits={"peak_current": 5.0})
    assert motor.limits is not None and motor.limits.peak_current == 5.0


@pytest.mark.parametrize("name", be.Datasheet.catalog())
def test_no_motor_of_the_catalogue_exceeds_its_printed_peak(name):
    """The torque of a blocked motor at its nominal voltage stays at or below the printed peak, motor side."""
    given = be.Datasheet.load(name)
    peak = solve(given).figures.peak_torque
    if peak is None or given.says in ("limits only", "too little"):
        return
    motor = given.motor()
    f = solve(given).figures
    if given.limits.peak_current is None and given.limits.continuous_current is None:
        volts = 48.0 if motor.ratings is None or motor.ratings.voltage is None else None
        top = limits_of(motor, be.Actuator(motor), volts, "peak", True)[0]
        assert top is not None and top.value <= peak * f.ratio * f.efficiency * (1 + 1e-6)
    if motor.gearbox is not None:
        motor = replace(motor, gearbox=replace(motor.gearbox, backlash=None))
    volts = 48.0 if motor.ratings is None or motor.ratings.voltage is None else motor.ratings.voltage
    step = motor.compile("numpy")
    state, out = step.initial(()), None
    for _ in range(200):
        state, out = step(state, volts, 0.0, 0.0, 1e-3)
    assert out is not None
    if given.limits.peak_current is None and given.limits.continuous_current is None:
        assert float(np.abs(out.motor_torque)) <= peak * (1 + 1e-6)
