"""Torque limits in a motor's place: their parameters restated by hand, their errors integrated by hand, and back."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf import analyze
from backemf.actuator.torque_limits import (
    AngleTable,
    DcClip,
    DriveEnvelope,
    EffortLimit,
    KneeCurve,
    TorqueSpeedTable,
    bounds,
    dc_bounds,
)
from backemf.analyze.simplified import KINDS, motor_from_dc_clip, simplify
from backemf.errors import ParameterError
from backemf.motor import Coulomb, Drag, Gearbox, Limits, LuGre, Magnet, Motor, Ratings, Rotor, Stage, Winding

ROOT = Path(__file__).resolve().parent.parent
R, KT, KE, V, N = 0.4, 0.08, 0.1, 24.0, 6.0
names = {"argvalues": KINDS, "ids": lambda kind: kind.__name__}


def ideal(ratio: float = N, limit: float | None = 20.0, **parts) -> Motor:
    """Nothing is lost: the winding's line and a current limit."""
    known = {
        "winding": Winding(resistance=R),
        "magnet": Magnet(torque_constant=KT, back_emf_constant=KE),
        "gearbox": Gearbox(stages=(Stage(ratio=ratio),)),
        "limits": None if limit is None else Limits(peak_current=limit),
        "ratings": Ratings(voltage=V),
    }
    return Motor(**known | parts)


def lossy(**parts) -> Motor:
    """Gears that lose, drag and stiction."""
    known = {
        "rotor": Rotor(inertia=1e-5),
        "gearbox": Gearbox(stages=(Stage(ratio=N, efficiency=0.8, back_efficiency=0.7),)),
        "drag": Drag(coefficients=(2e-4,)),
        "friction": LuGre(coulomb=0.02, stiction=0.05, stribeck_velocity=5.0, stiffness=30.0),
    }
    return ideal(**known | parts)


positive = st.floats(0.05, 20.0)


# --- the DC-motor clip is the motor, as long as nothing is lost


@settings(deadline=None)
@given(positive, positive, positive, st.floats(1.0, 400.0), st.floats(0.1, 30.0) | st.floats(-30.0, -0.1), positive)
def test_clip_of_a_lossless_motor_has_no_error(ohms, kt, ke, volts, ratio, share):
    """Kt apart from Ke, any gear, any current limit: the motor's envelope is the clip, overspeed included."""
    limit = share * volts / ohms
    motor = ideal(
        ratio, limit, winding=Winding(resistance=ohms), magnet=Magnet(torque_constant=kt, back_emf_constant=ke)
    )
    found = simplify(motor, DcClip, supply=volts)
    size = abs(ratio) * kt * volts / ohms * (1.0 + share)
    assert found.worst_error <= 1e-11 * size
    assert found.limit.effort_limit == pytest.approx(abs(ratio) * kt * limit)


@settings(deadline=None)
@given(positive, positive, positive, st.floats(1.0, 400.0), st.floats(0.1, 100.0) | st.floats(-100.0, -0.1))
def test_motor_of_a_clip_has_its_envelope(sat, top, lim, volts, ratio):
    """To 1e-12 of the largest torque, from one corner to the other, at any voltage and through any gear."""
    clip = DcClip(saturation_effort=sat, velocity_limit=top, effort_limit=lim)
    corner = top * (1.0 + lim / sat)
    speed = np.linspace(-corner, corner, 501)
    shape = analyze.envelope(motor_from_dc_clip(clip, voltage=volts, ratio=ratio), joint_speed=speed)
    low, high = dc_bounds(speed, clip)
    size = max(sat, lim)
    assert np.abs(shape.min_torque - low).max() <= 1e-12 * size
    assert np.abs(shape.max_torque - high).max() <= 1e-12 * size


@given(positive, positive, positive)
def test_clip_comes_back_from_its_motor(sat, top, lim):
    """Three numbers in, the same three out."""
    clip = DcClip(saturation_effort=sat, velocity_limit=top, effort_limit=lim)
    back = simplify(motor_from_dc_clip(clip, voltage=48.0, ratio=9.0), DcClip).limit
    assert back.saturation_effort == pytest.approx(sat)
    assert back.velocity_limit == pytest.approx(top)
    assert back.effort_limit == pytest.approx(lim)


def test_motor_of_a_clip_is_the_identity_of_mujoco():
    """t0 = K·Vmax/R and w0 = Vmax/K for a motor without gears."""
    motor = motor_from_dc_clip(DcClip(saturation_effort=120.0, velocity_limit=32.0, effort_limit=88.0), voltage=58.8)
    k, r = motor.magnet.torque_constant, motor.winding.resistance
    assert (k * 58.8 / r, 58.8 / k, k * motor.limits.peak_current) == pytest.approx((120.0, 32.0, 88.0))
    assert motor.magnet.back_emf_constant == k and motor.gearbox is None


def test_motor_of_a_clip_takes_a_batch():
    """One motor per joint."""
    clip = DcClip(saturation_effort=np.array([100.0, 50.0]), velocity_limit=20.0, effort_limit=np.array([60.0, 40.0]))
    shape = analyze.envelope(motor_from_dc_clip(clip, voltage=24.0, ratio=6.0), joint_speed=15.0)
    assert shape.max_torque == pytest.approx([25.0, 12.5])


@pytest.mark.parametrize("volts", [0.0, -24.0, float("inf")])
def test_motor_of_a_clip_needs_a_voltage(volts):
    """It says so."""
    with pytest.raises(ParameterError, match=r"voltage = .*: must be"):
        motor_from_dc_clip(DcClip(saturation_effort=1.0, velocity_limit=1.0, effort_limit=1.0), voltage=volts)


# --- parameters


def test_physx_parameters_are_those_of_its_datasheet_guide():
    """I·kt·i·η, kv·V·μ/i, R/(kt·ke·i²·η) and the drag at the joint, which the gears make smaller too."""
    motor = lossy(friction=None)
    limit = simplify(motor, DriveEnvelope, supply=be.Supply(voltage=V, modulation_limit=0.9)).limit
    assert limit.max_effort == pytest.approx(20.0 * KT * N * 0.8)
    assert limit.max_actuator_velocity == pytest.approx(V * 0.9 / KE / N)
    assert limit.speed_effort_gradient == pytest.approx(R / (KT * KE * N**2 * 0.8))
    assert limit.velocity_dependent_resistance == pytest.approx(2e-4 * N**2 * 0.8)


def test_dc_clip_parameters_are_stall_no_load_and_current_limit():
    """η·N·Kt·V/R, the no-load speed that datasheets print, and η·N·Kt·imax."""
    motor = lossy()
    limit = simplify(motor, DcClip).limit
    assert limit.saturation_effort == pytest.approx(0.8 * N * KT * V / R)
    assert limit.velocity_limit == pytest.approx(analyze.constants(motor).joint_no_load_speed)
    assert limit.effort_limit == pytest.approx(0.8 * N * KT * 20.0)


def test_knee_is_where_the_current_limit_meets_the_line():
    """X1 = w0·(1 - Y1/t0); a braking motor presses harder, by the losses of the gears both ways."""
    limit = simplify(lossy(friction=None, drag=None), KneeCurve).limit
    stall, driving = 0.8 * N * KT * V / R, 0.8 * N * KT * 20.0
    assert limit.driving_effort == pytest.approx(driving)
    assert limit.knee_speed == pytest.approx(V / KE / N * (1.0 - driving / stall))
    assert limit.no_load_speed == pytest.approx(V / KE / N)
    assert limit.braking_effort == pytest.approx(N * KT * 20.0 / 0.7)


def test_knee_curve_is_exact_below_no_load_with_its_own_braking_torque():
    """Lossy gears without friction: what the clip cannot say, the knee curve can."""
    motor = lossy(friction=None, drag=None)
    knee, clip = (simplify(motor, kind) for kind in (KneeCurve, DcClip))
    assert knee.rms_below_no_load < 1e-9
    assert clip.rms_below_no_load > 1.0


def test_physx_envelope_is_the_clip_while_motoring():
    """Without resistance the two have the same driving torque, and opposite ideas of braking."""
    physx, clip = (simplify(ideal(), kind) for kind in (DriveEnvelope, DcClip))
    driving = (physx.speed >= 0.0) & (physx.speed <= V / KE / N)
    assert physx.high[driving] == pytest.approx(clip.high[driving], abs=1e-12)
    assert physx.low[driving][-1] > 0.99 * clip.low[driving][-1] + 5.0


def test_without_a_current_limit_the_line_is_never_cut():
    """The range ends at 1.25 times the no-load speed, where a braking motor has 2.25 times its stall torque."""
    found = simplify(ideal(limit=None), DcClip)
    assert found.limit.effort_limit == pytest.approx(2.25 * N * KT * V / R)
    assert found.worst_error < 1e-9
    assert simplify(ideal(limit=None), EffortLimit).limit.effort_limit == pytest.approx(N * KT * V / R)


def test_supply_that_sags_is_a_longer_winding():
    """A bridge at its limit d feels d²·Rs more: the clip is exact on a battery too."""
    battery = be.Supply(voltage=V, resistance=0.1, modulation_limit=0.9)
    found = simplify(ideal(), DcClip, supply=battery)
    assert found.limit.saturation_effort == pytest.approx(N * KT * 0.9 * V / (R + 0.81 * 0.1))
    assert found.rms_below_no_load < 1e-9


def test_hot_winding_has_less_stall_torque():
    """Copper at 125 °C has 1.39 times its resistance, and the same no-load speed."""
    hot = simplify(ideal(), DcClip, temperature=125.0)
    assert hot.limit.saturation_effort == pytest.approx(N * KT * V / (1.39 * R))
    assert hot.limit.velocity_limit == pytest.approx(V / KE / N)
    assert hot.worst_error < 1e-8


# --- errors


def test_error_of_a_flat_limit_by_hand():
    """Beyond the knee k the bound misses the line by 2·L·(v - k)/(c - k) to the corner c: rms² = 4/3·L²·(c - k)/2c."""
    found = simplify(ideal(), EffortLimit, samples=20001)
    flat, top = N * KT * 20.0, V / KE / N
    share = flat / (N * KT * V / R)
    knee, corner = top * (1.0 - share), top * (1.0 + share)
    assert found.worst_error == pytest.approx(2.0 * flat)
    assert found.worst_speed == pytest.approx(corner)
    assert found.rms_error == pytest.approx(np.sqrt(4.0 / 3.0 * flat**2 * (corner - knee) / (2.0 * corner)), rel=1e-3)


def test_errors_are_those_of_the_arrays():
    """Both bounds count, at every speed; the worst is among them."""
    for kind in KINDS:
        found = simplify(lossy(), kind)
        over, under = found.high - found.motor_high, found.low - found.motor_low
        both = np.concatenate([over, under])
        assert found.rms_error == pytest.approx(np.sqrt(np.mean(both**2)))
        assert found.worst_error == pytest.approx(np.abs(both).max())
        at = np.argmin(np.abs(found.speed - found.worst_speed))
        near = slice(max(at - 1, 0), at + 2)
        assert max(np.abs(over[near]).max(), np.abs(under[near]).max()) == pytest.approx(found.worst_error)


def test_dry_friction_is_the_error_of_the_clip():
    """The RE 40: friction takes 4.1 mN·m from a driving motor and gives as much to a braking one."""
    motor = be.Datasheet.load("maxon-re40-148877").motor()
    found = simplify(motor, DcClip, current_limit=12.68)
    assert found.worst_error == pytest.approx(motor.friction.coulomb, rel=1e-6)


def test_range_ends_where_the_current_limit_just_holds():
    """(V + R·imax)/(Ke·N) both ways, standstill from both sides."""
    found = simplify(lossy(), DcClip)
    assert found.speed.max() == pytest.approx((V + R * 20.0) / KE / N)
    assert found.speed.min() == -found.speed.max()
    assert (found.speed == 0.0).sum() == 2


def test_range_may_be_given():
    """Errors at chosen speeds, where the limit is only compared with what the motor has."""
    found = simplify(lossy(), EffortLimit, joint_speed=np.linspace(0.0, 5.0, 11))
    assert found.speed.max() == 5.0
    assert found.rms_error < simplify(lossy(), EffortLimit).rms_error


def test_train_that_turns_the_other_way_has_the_same_limits():
    """Signs of the ratio cancel."""
    backwards = lossy(gearbox=Gearbox(stages=(Stage(ratio=-N, efficiency=0.8, back_efficiency=0.7),)))
    for kind in KINDS:
        one, other = simplify(lossy(), kind), simplify(backwards, kind)
        assert other.rms_error == pytest.approx(one.rms_error)
        assert other.worst_speed == pytest.approx(one.worst_speed)


def test_table_is_exact_between_knee_and_no_load_and_cannot_push_back_beyond():
    """Without friction the envelope is straight between its points; above no load the table has no negative torque."""
    found = simplify(ideal(), TorqueSpeedTable)
    assert found.rms_below_no_load < 1e-9
    assert found.worst_error == pytest.approx(N * KT * 20.0)


def test_batch_has_the_errors_of_its_motors():
    """Closed formulas answer for a batch at once."""
    ohms = np.array([0.3, 0.4, 0.6])
    together = simplify(lossy(winding=Winding(resistance=ohms)), DcClip)
    apart = [simplify(lossy(winding=Winding(resistance=float(r))), DcClip) for r in ohms]
    for name in ("rms_error", "rms_below_no_load", "worst_error", "worst_speed"):
        assert getattr(together, name) == pytest.approx([getattr(one, name) for one in apart], rel=1e-6)
    assert together.limit.saturation_effort == pytest.approx([one.limit.saturation_effort for one in apart])


def test_limit_goes_into_an_actuator():
    """The torque of an ideal actuator with the limit is the motor's own at that speed."""
    found = simplify(ideal(), DcClip)
    step = be.Actuator(controller=be.Torque(), limits=(found.limit,)).compile("numpy")
    _, out = step(step.initial(()), 1000.0, 0.0, 35.0, 1e-3)
    assert float(out.torque) == pytest.approx(float(analyze.envelope(ideal(), joint_speed=35.0).max_torque))


# --- least squares


@pytest.mark.parametrize("kind", **names)
@pytest.mark.parametrize("motor", [lossy(), lossy(limits=None), ideal()], ids=["lossy", "unlimited", "ideal"])
def test_fit_is_never_worse(kind, motor):
    """Least squares begin with the closed formulas."""
    assert simplify(motor, kind, fit=True).rms_error <= simplify(motor, kind).rms_error + 1e-12


def test_fitted_flat_limit_is_the_mean_of_the_bounds():
    """The least squares of a constant."""
    found = simplify(lossy(), EffortLimit, fit=True)
    assert found.limit.effort_limit == pytest.approx(np.mean((found.motor_high - found.motor_low) / 2.0), rel=1e-6)


@pytest.mark.parametrize("kind", **names)
def test_fitted_limit_has_no_better_neighbour(kind):
    """Each parameter moved by 1 % either way makes it worse, or no better than rounding."""
    found = simplify(lossy(), kind, fit=True)
    if kind is TorqueSpeedTable:
        fields = {"driving": found.limit.driving, "braking": found.limit.braking}
    else:
        fields = {name: value for name, value in vars(found.limit).items() if value > 0}
    speed = np.where(found.speed == 0.0, 1e-9 * np.repeat([-1, 1], len(found.speed) // 2), found.speed)
    for name, value in fields.items():
        for factor in (0.99, 1.01):
            moved = kind(**vars(found.limit) | {name: factor * value})
            low, high = bounds(moved, 0.0, speed)
            error = np.sqrt(np.mean(np.concatenate([low - found.motor_low, high - found.motor_high]) ** 2))
            assert error >= found.rms_error * (1.0 - 1e-4), name


def test_fit_finds_a_clip_that_is_there():
    """A lossless motor is a clip, so the least error is none."""
    assert simplify(ideal(), DcClip, fit=True).rms_error < 1e-6


# --- what goes wrong


@pytest.mark.parametrize("kind", [AngleTable, "DcClip", None])
def test_other_kinds_are_one_sentence(kind):
    """A limit over the angle says nothing of speed."""
    with pytest.raises(ParameterError, match="must be one of DcClip, DriveEnvelope, EffortLimit, KneeCurve"):
        simplify(ideal(), kind)


@pytest.mark.parametrize(("kind", "fit"), [(TorqueSpeedTable, False), (DcClip, True)])
def test_table_or_fit_of_a_batch_is_one_sentence(kind, fit):
    """They are of one motor."""
    with pytest.raises(ParameterError, match="give one motor at a time"):
        simplify(ideal(winding=Winding(resistance=np.array([0.3, 0.4]))), kind, fit=fit)


# --- pictures and pages


def test_picture_says_its_errors_and_units(tmp_path):
    """Every limit is in the legend with its errors, both axes have units and no text leaves the picture."""
    pytest.importorskip("matplotlib")
    from backemf.plot.limits import simplified_limits

    motor = lossy(name="A joint with a rather long name")
    drawn = simplified_limits(motor, kinds=KINDS, path=tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 5000
    (legend,) = drawn.legends
    texts = [text.get_text() for text in legend.get_texts()]
    clip = simplify(motor, DcClip)
    assert f"DC-motor clip: rms {clip.rms_error:.2g}, worst {clip.worst_error:.2g} N·m" in texts
    assert len(texts) == len(KINDS) + 2
    drawn.draw_without_rendering()
    upper, lower = drawn.axes
    for label in (upper.get_ylabel(), lower.get_ylabel(), lower.get_xlabel()):
        assert re.search(r"\[.+\]$", label)
    for text in [*legend.get_texts(), upper._left_title, *lower.texts]:
        box = text.get_window_extent()
        assert box.x0 > -2 and box.x1 < drawn.bbox.x1 + 2, text.get_text()


def test_picture_of_a_batch_is_of_its_first_motor():
    """As every picture."""
    pytest.importorskip("matplotlib")
    from backemf.plot.limits import simplified_limits

    batch = lossy(winding=Winding(resistance=np.array([[R, 2.0 * R]])))
    one, other = (simplified_limits(motor).axes[0].lines for motor in (batch, lossy()))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.get_ydata(), b.get_ydata())


def test_figures_of_the_page_are_those_of_the_code():
    """Every row of errors in docs/concepts/limits.md is computed again."""
    page = (ROOT / "docs" / "concepts" / "limits.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([\w-]+)`, ([\d.]+) A \| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE
    )
    assert len(rows) >= 12
    kinds = {kind.__name__: kind for kind in KINDS}
    for motor, amperes, kind, *figures in rows:
        found = simplify(be.Datasheet.load(motor).motor(), kinds[kind], current_limit=float(amperes))
        got = [found.rms_below_no_load, found.rms_error, found.worst_error]
        assert [f"{x:.2g}" for x in got] == [f"{float(x):.2g}" for x in figures], (motor, kind, got)


def test_coulomb_friction_alone_needs_no_rotor_here():
    """The envelope is steady running: no inertia is asked for."""
    assert simplify(ideal(friction=Coulomb(coulomb=0.01)), DcClip).worst_error > 0.0
