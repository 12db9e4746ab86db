"""The operating range as makers print it: speed over torque, continuous and short-term operation."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from typer.testing import CliRunner

import backemf as be
from backemf import plot
from backemf.cli.app import app
from backemf.errors import ParameterError
from backemf.units import convert

KT, OHMS, VOLTS = 0.06, 1.2, 24.0


def motor(**parts) -> be.Motor:
    known = {
        "winding": be.Winding(resistance=OHMS, temperature_coefficient=0.0),
        "magnet": be.Magnet(torque_constant=KT, back_emf_constant=KT),
        "ratings": be.Ratings(voltage=VOLTS, current=3.0),
    }
    return be.Motor(**known | parts)


def area(figure, words: str) -> tuple[np.ndarray, np.ndarray]:
    """Torque [N·m] and speed [rpm] of the edge of an area; the axis is in mN·m."""
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == words]
    scale = 1e-3 if "[mN·m]" in figure.axes[0].get_xlabel() else 1.0
    return scale * np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


def test_short_term_operation_ends_at_the_voltage():
    """Without losses speed falls from V/Ke along R/(Kt·Ke)."""
    torque, speed = area(plot.operating_range(motor()), "short-term operation")
    on_line = torque < 0.999 * torque.max()
    expected = convert(1.0, "rpm") * (VOLTS / KT - OHMS / KT**2 * torque)
    np.testing.assert_allclose(speed[on_line], expected[on_line], atol=1e-6)


def test_continuous_operation_ends_at_the_rated_current():
    """Without thermal figures the maker's continuous current counts: Kt·i."""
    torque, _ = area(plot.operating_range(motor()), "continuous operation")
    assert torque.max() == pytest.approx(KT * 3.0)


def test_continuous_operation_ends_where_the_winding_is_at_its_limit():
    """i²·R·Rth is the rise: (125 - 25) K = i²·1.2 Ω·5 K/W."""
    known = motor(
        thermal=be.Thermal(resistance=5.0, capacitance=10.0, ambient=25.0),
        ratings=be.Ratings(voltage=VOLTS, current=9.0, winding_temperature=125.0),
    )
    torque, _ = area(plot.operating_range(known), "continuous operation")
    assert torque.max() == pytest.approx(KT * np.sqrt(100.0 / (1.2 * 5.0)))


def test_the_maximum_speed_and_the_peak_current_cut_the_range():
    ratings = be.Ratings(voltage=VOLTS, current=3.0, peak_current=5.0, speed=300.0)
    figure = plot.operating_range(motor(ratings=ratings))
    for words in ("continuous operation", "short-term operation"):
        assert area(figure, words)[1].max() == pytest.approx(convert(300.0, "rpm"))
    assert area(figure, "short-term operation")[0].max() == pytest.approx(KT * 5.0)


def test_a_gearbox_bounds_the_range_too():
    """Its input speed, and its continuous and short torques, are at the joint."""
    box = be.Gearbox(stages=(be.Stage(ratio=10.0),))
    ratings = be.Ratings(
        voltage=VOLTS, current=3.0, gear_input_speed=200.0, gear_torque=1.0, gear_peak_torque=2.0
    )  # fmt: skip
    figure = plot.operating_range(motor(gearbox=box, ratings=ratings))
    assert area(figure, "continuous operation")[0].max() == pytest.approx(1.0)
    assert area(figure, "short-term operation")[0].max() == pytest.approx(2.0)
    assert area(figure, "short-term operation")[1].max() == pytest.approx(convert(20.0, "rpm"))
    assert "joint" in figure.axes[0].get_xlabel()


def test_units_are_those_of_the_command_line():
    """Speeds in rpm, and a second axis with the current."""
    ax = plot.operating_range(motor()).axes[0]
    assert ax.get_ylabel() == "motor speed [rpm]" and ax.get_xlabel() == "motor torque [mN·m]"
    (current,) = ax.child_axes
    assert current.get_xlabel() == "current [A]"


def test_without_a_continuous_figure_it_says_what_is_missing():
    with pytest.raises(ParameterError, match=r"Ratings\(current=...\)"):
        plot.operating_range(motor(ratings=be.Ratings(voltage=VOLTS)))


@pytest.mark.parametrize("name", ["maxon-re40-148877", "maxon-re40-gp52c", "faulhaber-2342s024cr", "tmotor-ak80-6"])
def test_labels_do_not_collide(name):
    """No text of a real motor's picture overlaps another."""
    figure = plot.operating_range(be.Datasheet.load(name).motor())
    assert not overlaps(figure)


@pytest.mark.parametrize("name", ["maxon-re40-148877", "maxon-re40-gp52c", "faulhaber-2342s024cr", "maxon-dcx35l-24v"])
def test_labels_of_the_efficiency_map_do_not_collide(name):
    figure = plot.efficiency_map(be.Datasheet.load(name).motor(estimate=True))
    assert not overlaps(figure)


def overlaps(figure) -> list[tuple[str, str]]:
    """Pairs of texts inside the axes that share a place."""
    figure.draw_without_rendering()
    texts = [text for ax in figure.axes for text in ax.texts if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    return [(a, b) for k, (a, x) in enumerate(boxes) for b, y in boxes[k + 1 :] if x.overlaps(y)]


def test_the_command_line_draws_it(tmp_path):
    path = tmp_path / "range.svg"
    result = CliRunner().invoke(app, ["show", "maxon-re40-148877", "--plot", str(path)])
    assert result.exit_code == 0 and f"wrote {path}" in result.output.replace("\n", "")
    assert path.read_text(encoding="utf-8").count("<path") > 20


def test_of_limits_without_a_winding_the_command_line_draws_the_limits(tmp_path):
    path = tmp_path / "limits.svg"
    result = CliRunner().invoke(app, ["show", "unitree-go2", "--plot", str(path)])
    assert result.exit_code == 0 and path.stat().st_size > 5000
