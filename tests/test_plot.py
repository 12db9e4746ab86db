"""Pictures: each has units on every axis, is written where it should be, and says what it lacks."""

import html
import re
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import backemf as be
from backemf import plot
from backemf.errors import ParameterError
from backemf.motor import (
    Coulomb,
    Dahl,
    Drag,
    Gearbox,
    LoadDependent,
    LuGre,
    Magnet,
    Motor,
    Ratings,
    Rotor,
    Stage,
    Thermal,
    TwoNodeThermal,
    Winding,
)
from backemf.plot.friction import loop
from backemf.plot.response import spans_of
from backemf.plot.style import RPM, axis_scale
from backemf.units import convert

MOTOR_PICTURES = (
    plot.torque_speed,
    plot.current_envelope,
    plot.loss_envelope,
    plot.heating,
    plot.hysteresis,
    plot.stribeck,
    plot.efficiency_map,
    plot.operating_range,
)


def brushed_motor(**parts) -> Motor:
    known = {
        "winding": Winding(resistance=1.13, inductance=0.33e-3),
        "magnet": Magnet(torque_constant=0.0603, back_emf_constant=0.0603),
        "rotor": Rotor(inertia=1.37e-5),
        "thermal": TwoNodeThermal(
            winding_resistance=1.93, winding_capacitance=21.5, housing_resistance=4.65, housing_capacitance=174.0
        ),
        "friction": Coulomb(coulomb=0.0041),
        "ratings": Ratings(voltage=48.0, current=3.33, winding_temperature=155.0),
        "name": "RE 40",
    }
    return Motor(**known | parts)


def geared_motor(**parts) -> Motor:
    box = Gearbox(stages=(Stage(ratio=9.0, efficiency=0.9, back_efficiency=0.8),))
    rub = LuGre(coulomb=0.02, stiction=0.035, stribeck_velocity=1.5, stiffness=20.0, damping=0.01, viscous=2e-5)
    drag = Drag(coefficients=(3e-5, 3e-7))
    return brushed_motor(
        **{"thermal": Thermal(resistance=2.2, capacitance=150.0), "friction": rub, "drag": drag, "gearbox": box} | parts
    )


@dataclass
class Recorded:
    """A run made by hand: a winding that heats while 2 A flow."""

    motor: Motor
    batch: tuple[int, ...] = ()
    time: np.ndarray = field(default_factory=lambda: np.linspace(0.001, 1.0, 1000))

    @property
    def channels(self) -> list[str]:
        return ["position", "velocity", "voltage", "current", "winding_temperature", "housing_temperature"]

    def __getitem__(self, name: str) -> np.ndarray:
        values = 25.0 + self.time if "temperature" in name else np.sin(7.0 * self.time)
        return values.reshape((-1,) + (1,) * len(self.batch)) * np.ones((len(self.time), *self.batch))

    def unit(self, name: str) -> str:
        units = {"position": "rad", "velocity": "rad/s", "voltage": "V", "current": "A"}
        return units.get(name, "degC")

    def findings(self) -> list:
        return []

    def energy(self) -> dict[str, np.ndarray]:
        shares = {"copper": 3.0, "magnetic": 0.0, "conversion": 0.0, "iron": 0.5, "drag": 0.2, "friction": 0.8,
                  "bristle": 1e-6, "gear": 1.0, "rotor": 0.0, "mechanical": -0.4}  # fmt: skip
        given = {"cogging": 0.1, "numerical": 0.0}
        total = {"electrical": sum(shares.values()) - sum(given.values())}
        ones = np.ones((len(self.time), *self.batch))
        return {name: np.cumsum(ones * value / len(ones), axis=0) for name, value in (total | shares | given).items()}


def assert_axes_have_units(figure) -> None:
    """Every axis that is labelled names its unit in brackets, and every figure has both axes labelled."""
    drawn = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    for ax in drawn:
        categories = any(
            text.get_text() and not re.match(r"^[−\d.]+", text.get_text()) for text in ax.get_yticklabels()
        )
        if not categories:
            assert re.search(r"\[.+\]$", ax.get_ylabel()), ax.get_ylabel()
    assert re.search(r"\[.+\]$", drawn[-1].get_xlabel())
    assert figure.get_size_inches()[0] == pytest.approx(3.4)


def assert_nothing_is_clipped(figure) -> None:
    """Every text lies within the picture."""
    figure.draw_without_rendering()
    frame = figure.bbox
    texts = [t for ax in figure.axes for t in [*ax.texts, ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label]]
    texts += [figure._suptitle] if figure._suptitle is not None else []
    texts += [text for legend in figure.legends for text in legend.get_texts()]
    for text in texts:
        if text.get_text():
            box = text.get_window_extent()
            assert box.x0 > -2 and box.x1 < frame.x1 + 2 and box.y0 > -2 and box.y1 < frame.y1 + 2, text.get_text()
            assert text.get_fontsize() >= 9.0


@pytest.mark.parametrize("draw", MOTOR_PICTURES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("motor", [brushed_motor(), geared_motor()], ids=["brushed", "geared"])
def test_every_picture_of_a_motor(draw, motor, tmp_path):
    path = tmp_path / "pictures" / "drawn.png"
    figure = draw(motor, path=path)
    assert path.stat().st_size > 5000
    assert_axes_have_units(figure)
    assert_nothing_is_clipped(figure)


@pytest.mark.parametrize("draw", [plot.step_response, plot.energy_balance], ids=lambda f: f.__name__)
@pytest.mark.parametrize("batch", [(), (3, 4)], ids=["one", "batch"])
def test_every_picture_of_a_run(draw, batch, tmp_path):
    path = tmp_path / "drawn.svg"
    figure = draw(Recorded(brushed_motor(), batch), path=path)
    assert path.stat().st_size > 5000
    assert_axes_have_units(figure)
    assert_nothing_is_clipped(figure)


# --- what the maker allows


def limit_levels(ax) -> list[float]:
    """Levels of the dash-dotted lines of a row."""
    return [float(line.get_ydata()[0]) for line in ax.lines if line.get_linestyle() == "-."]


def rated_rows(**ratings) -> dict:
    """Rows of the picture of a geared motor that is stalled at 12 V for a second, which heats it by tens of kelvin."""
    figure = plot.step_response(stalled_rows(**ratings))
    assert_axes_have_units(figure)
    assert_nothing_is_clipped(figure)
    return named_axes(figure)


HELD = geared_motor(friction=None, thermal=Thermal(resistance=2.2, capacitance=1.5), ratings=None)


@cache
def stall_run():
    """The run itself, which ratings do not change."""
    return simulate_run(12.0, HELD, duration=1.0, load=be.LockedRotor())


def stalled_rows(**ratings):
    return replace(stall_run(), actuator=be.Actuator(replace(HELD, ratings=Ratings(**ratings))))


@pytest.mark.parametrize("share", [0.5, 1.2, 3.0])
@pytest.mark.parametrize(
    ("rating", "row", "words"),
    [
        ("current", "current", "continuous"),
        ("peak_current", "current", "peak"),
        ("gear_torque", "gear torque", "continuous"),
        ("gear_peak_torque", "gear torque", "peak"),
        ("winding_temperature", "temperature", "maximum"),
    ],
)
def test_a_limit_is_drawn_where_the_run_comes_near(rating, row, words, share):
    """Passed, or reached to more than 40 %; farther away it would only flatten the line."""
    channel = {"current": "current", "gear torque": "torque", "temperature": "winding_temperature"}[row]
    base = 25.0 if row == "temperature" else 0.0
    limit = base + share * float(stalled_rows()[channel].max() - base)
    rows = rated_rows(**{rating: limit})
    if share > 2.5:
        assert row not in rows or not limit_levels(rows[row])
        return
    assert limit_levels(rows[row]) == [pytest.approx(limit)]
    assert [text.get_text() for text in rows[row].texts] == [words]
    low, high = rows[row].get_ylim()
    assert low < limit < high
    # shaded where it is passed, and nowhere else
    filled = [path for area in rows[row].collections for path in area.get_paths() if len(path.vertices)]
    assert bool(filled) == (share < 1.0)


@pytest.mark.parametrize(("rating", "words"), [("speed", "maximum"), ("gear_input_speed", "gear maximum")])
def test_a_speed_limit_of_the_rotor_is_drawn_at_the_joint(rating, words):
    """Over the ratio, and in the direction in which the joint turns."""
    run = simulate_run(-24.0, geared_motor(friction=None, ratings=Ratings(**{rating: 270.0})), duration=0.3)
    ax = named_axes(plot.step_response(run))["speed"]
    assert limit_levels(ax) == [pytest.approx(convert(-30.0, "rpm"))]
    assert [text.get_text() for text in ax.texts] == [words]


def test_motors_of_a_batch_with_limits_of_their_own_have_a_line_each():
    """In the colours of the motors."""
    ratings = Ratings(current=np.array([4.0, 6.0]))
    run = simulate_run(12.0, brushed_motor(ratings=ratings), load=be.LockedRotor())
    ax = named_axes(plot.step_response(run))["current"]
    assert limit_levels(ax) == [4.0, 6.0]


def test_the_page_shows_the_findings_of_the_run(tmp_path):
    """The same sentences as `run.findings()`."""
    run = stalled_rows(current=3.0, winding_temperature=60.0)
    text = plot.page(tmp_path / "run.html", run=run).read_text(encoding="utf-8")
    assert [f.severity for f in run.findings()] == ["warning", "warning", "info"]
    for finding in run.findings():
        assert html.escape(finding.explanation) in text


# --- runs under a controller


INERTIA = be.Inertia(inertia=2e-4)


def simulate_run(command=1.0, motor=None, duration=0.1, load=INERTIA, **parts):
    actuator = be.Actuator(brushed_motor() if motor is None else motor, **parts)
    return be.simulate(actuator, load, command, duration, 1e-3, engine="numpy")


def named_axes(figure) -> dict:
    """Axes by the quantity that they show."""
    return {ax.get_ylabel().split("\n")[0] or "limits": ax for ax in figure.axes}


def dashed_lines(ax) -> list:
    """What the dashed lines of a row show."""
    return [line.get_ydata() for line in ax.lines if line.get_linestyle() == "--"]


def dotted_lines(ax) -> list:
    return [line.get_ydata() for line in ax.lines if line.get_linestyle() == ":"]


def legend_words(figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.mark.parametrize(
    ("controller", "row"),
    [
        (be.PositionPid(kp=10.0, kd=0.2), "position"),
        (be.VelocityPi(kp=0.3), "speed"),
        (be.Torque(current_bandwidth=2000.0), "torque"),
        (be.TorquePid(kp=1.0, kd=0.1), "position"),
    ],
)
def test_the_target_is_dashed_over_what_follows_it(controller, row):
    """And over nothing else."""
    run = simulate_run(be.commands.Step(value=0.5, time=0.02), controller=controller)
    figure = plot.step_response(run)
    rows = named_axes(figure)
    (target,) = dashed_lines(rows[row])
    np.testing.assert_array_equal(target, (RPM if row == "speed" else 1.0) * run["command"])
    assert all(not dashed_lines(ax) for name, ax in rows.items() if name not in (row, "temperature"))
    assert legend_words(figure) == ["target"]
    assert_axes_have_units(figure)
    assert_nothing_is_clipped(figure)


def test_a_commanded_voltage_is_drawn_only_where_the_drive_gives_another():
    """Without limits both are one line; a supply of 6 V leaves 12 V dashed above it."""
    assert not dashed_lines(named_axes(plot.step_response(simulate_run(12.0)))["voltage"])
    figure = plot.step_response(simulate_run(12.0, supply=be.Supply(voltage=6.0)))
    (target,) = dashed_lines(named_axes(figure)["voltage"])
    assert (target == 12.0).all()


def test_torque_of_a_motor_is_drawn_before_its_losses():
    """As the command is meant: ratio·Kt·i, which follows it."""
    run = simulate_run(0.05, controller=be.Torque(current_bandwidth=2000.0))
    (line,) = [line for line in named_axes(plot.step_response(run))["torque"].lines if line.get_linestyle() == "-"]
    assert line.get_ydata()[-1] == pytest.approx(0.05, rel=1e-2)


def test_what_arrives_late_is_dotted():
    """5 steps of 1 ms: the target of step k is there in step k + 5, and nothing is drawn before the first."""
    for delay in (be.Delay(steps=5), be.Delay(seconds=5e-3), be.Delay(steps=(5, 5))):
        run = simulate_run(
            be.commands.Sine(amplitude=1.0, frequency=10.0), controller=be.PositionPid(kp=10.0), delay=delay
        )
        figure = plot.step_response(run)
        (late,) = dotted_lines(named_axes(figure)["position"])
        assert np.isnan(late[:5]).all()
        np.testing.assert_allclose(late[5:], run["command"][:-5], rtol=0, atol=1e-6)
        assert legend_words(figure) == ["target", "after delay"]


def test_a_delay_that_is_not_recorded_is_not_drawn():
    """A constant one that was drawn leaves no trace in the run."""
    delay = be.Delay(steps=(2, 9), schedule="constant")
    figure = plot.step_response(simulate_run(1.0, controller=be.PositionPid(kp=10.0), delay=delay))
    assert legend_words(figure) == ["target"]


def test_the_setpoint_is_dotted_after_range_delay_and_slew():
    """It is what the controller sees."""
    parts = {"command_range": (-0.5, 0.5), "delay": be.Delay(steps=5), "slew": 10.0}
    run = simulate_run(1.0, controller=be.PositionPid(kp=10.0), **parts)
    figure = plot.step_response(run)
    (seen,) = dotted_lines(named_axes(figure)["position"])
    np.testing.assert_array_equal(seen, run["setpoint"])
    assert seen.max() == 0.5 and legend_words(figure) == ["target", "after range, delay, slew"]


def test_a_command_beyond_its_range_is_dotted_at_its_end():
    """1 rad of which 0.5 rad are taken."""
    run = simulate_run(1.0, controller=be.PositionPid(kp=10.0), command_range=(-0.5, 0.5))
    (seen,) = dotted_lines(named_axes(plot.step_response(run))["position"])
    assert (seen == 0.5).all()


def test_several_targets_are_drawn_each_over_its_own():
    """A position and a velocity commanded together."""
    command = be.Command(position=0.5, velocity=be.commands.Sine(amplitude=1.0, frequency=5.0))
    run = simulate_run(command, controller=be.IdealPd(stiffness=1.0, damping=0.1))
    rows = named_axes(plot.step_response(run))
    np.testing.assert_array_equal(dashed_lines(rows["position"])[0], run["position_command"])
    np.testing.assert_array_equal(dashed_lines(rows["speed"])[0], RPM * run["velocity_command"])


def test_limits_have_a_strip_with_their_names():
    """A lane for each that acts, filled for as long as it does; no strip where none acts."""
    quiet = plot.step_response(simulate_run(1.0, controller=be.PositionPid(kp=10.0)))
    assert "limits" not in named_axes(quiet)
    run = simulate_run(1.0, controller=be.PositionPid(kp=40.0, kd=0.5), slew=20.0, voltage_limit=4.0)
    figure = plot.step_response(run)
    strip = named_axes(figure)["limits"]
    assert [text.get_text() for text in strip.get_yticklabels()] == ["voltage\nlimit", "slew\nlimit"]
    for bars, name in zip(strip.collections, ("voltage", "slew"), strict=True):
        acting = sum(name in be.limit_names(int(flags)) for flags in run["limit"])
        length = sum(path.get_extents().width for path in bars.get_paths())
        # the axis of time is in ms or s
        assert length == pytest.approx(acting * 1e-3 * (1e3 if "[ms]" in strip.get_xlabel() else 1.0))
    assert_axes_have_units(figure)
    assert_nothing_is_clipped(figure)


def test_names_in_the_strip_do_not_overlap():
    """Every limit that can act at once."""
    limits = be.EffortLimit(effort_limit=0.02)
    parts = {"command_range": (-0.5, 0.5), "slew": 10.0, "limits": limits, "voltage_limit": 0.5}
    figure = plot.step_response(simulate_run(1.0, controller=be.PositionPid(kp=40.0), **parts))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in named_axes(figure)["limits"].get_yticklabels()]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_spans_begin_and_end_with_their_steps():
    """A flag belongs to the step that ends at its time."""
    time = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert spans_of(time, np.array([1, 0, 4, 4, 0])) == [(0.0, 1.0), (2.0, 4.0)]
    assert spans_of(time, np.array([0, 0, 0, 0, 1])) == [(4.0, 5.0)]
    assert spans_of(time, np.zeros(5)) == []
    assert spans_of(time[:1], np.ones(1)) == [(0.0, 1.0)]


def test_an_actuator_without_a_motor_is_drawn_with_what_it_has(tmp_path):
    """Position with its target, speed, torque, and the limit."""
    limit = be.DcClip(saturation_effort=3.0, velocity_limit=20.0, effort_limit=2.0)
    actuator = be.Actuator(controller=be.IdealPd(stiffness=20.0, damping=0.5), limits=limit)
    run = be.simulate(actuator, be.Inertia(inertia=0.01), 1.0, 0.2, 1e-3, engine="numpy")
    figure = plot.step_response(run, tmp_path / "joint.png")
    rows = named_axes(figure)
    assert list(rows) == ["position", "speed", "torque", "limits"]
    np.testing.assert_array_equal(rows["torque"].lines[0].get_ydata(), run["torque"])
    assert_axes_have_units(figure)
    assert_nothing_is_clipped(figure)
    with pytest.raises(ParameterError, match=r"energy\(\) needs a motor"):
        plot.energy_balance(run)


def test_a_page_of_a_run_without_a_motor_names_what_it_lacks(tmp_path):
    """The response is drawn, the energy is not."""
    run = be.simulate(be.Actuator(), be.Inertia(inertia=0.01), 1.0, 0.02, 1e-3, engine="numpy")
    text = plot.page(tmp_path / "page.html", run=run).read_text(encoding="utf-8")
    assert text.count("<img ") == 1 and "this actuator has none" in text


def test_motors_of_a_batch_have_targets_in_their_colours():
    """One line for all where they share it; bars of the strip side by side."""
    controller = be.PositionPid(kp=np.array([20.0, 60.0]), kd=0.3)
    shared = plot.step_response(simulate_run(1.0, controller=controller, supply=be.Supply(voltage=12.0)))
    assert len(dashed_lines(named_axes(shared)["position"])) == 1
    own = plot.step_response(
        simulate_run(be.commands.Constant(np.array([0.5, 1.0])), controller=controller, voltage_limit=12.0)
    )
    lines = named_axes(own)["position"].lines
    solid = [line.get_color() for line in lines if line.get_linestyle() == "-"]
    assert [line.get_color() for line in lines if line.get_linestyle() == "--"] == solid and len(solid) == 2
    assert len(named_axes(own)["limits"].collections) == 2


def test_a_winding_that_stays_cold_looks_cold():
    """Less than a kelvin does not fill the axes."""
    ax = named_axes(plot.step_response(simulate_run(0.1)))["temperature"]
    assert np.ptp(ax.get_ylim()) >= 1.0


def test_the_bars_of_the_energy_balance_close():
    """Electrical energy less all that is drawn leaves less than a pixel."""
    ax = plot.energy_balance(Recorded(brushed_motor())).axes[0]
    first, *others = ax.patches
    assert first.get_width() + sum(bar.get_width() for bar in others) == pytest.approx(
        0.0, abs=1e-3 * first.get_width()
    )


def test_four_quadrants_of_the_map():
    assert_axes_have_units(plot.efficiency_map(geared_motor(), quadrants=4))


def test_a_motor_without_name_and_ratings_needs_a_voltage():
    bare = Motor(winding=Winding(resistance=1.0), magnet=Magnet(torque_constant=0.1, back_emf_constant=0.1))
    for draw in (plot.torque_speed, plot.current_envelope, plot.efficiency_map):
        with pytest.raises(ParameterError, match="voltage"):
            draw(bare)
    assert_axes_have_units(plot.torque_speed(bare, voltages=[6.0, 12.0]))
    assert_axes_have_units(plot.current_envelope(bare, voltage=12.0))
    assert_axes_have_units(plot.loss_envelope(bare, voltage=12.0))
    assert_axes_have_units(plot.efficiency_map(bare, voltage=12.0))
    for draw, part in ((plot.heating, "thermal"), (plot.hysteresis, "friction"), (plot.stribeck, "friction")):
        with pytest.raises(ParameterError, match=rf"Motor\.{part}.*None"):
            draw(bare)


def test_a_batch_draws_its_first_motor():
    batch = brushed_motor(winding=Winding(resistance=np.array([[1.0, 2.0]])))
    drawn, alone = (plot.torque_speed(m) for m in (batch, brushed_motor(winding=Winding(resistance=1.0))))
    for a, b in zip(drawn.axes[0].lines, alone.axes[0].lines, strict=True):
        np.testing.assert_array_equal(a.get_ydata(), b.get_ydata())


def test_dahl_loop_area():
    """Between ±A the loop settles at ±F, F = fc·tanh(σA/fc); each way f = fc - (fc + F)·exp(-σx/fc), so that
    ∮f dθ = 2·∫ f dx over 2A = 4·fc·A - 2·(fc + F)·(fc/σ)·(1 - exp(-2σA/fc))."""
    fc, sigma, a = 0.02, 15.0, 3e-3
    force = fc * np.tanh(sigma * a / fc)
    expected = 4 * fc * a - 2 * (fc + force) * fc / sigma * (1 - np.exp(-2 * sigma * a / fc))
    _, torque, energy = loop(Dahl(coulomb=fc, stiffness=sigma), a)
    assert energy == pytest.approx(expected, rel=1e-5)
    assert np.abs(torque).max() == pytest.approx(force, rel=1e-3)


def test_a_dahl_loop_is_derived_from_dry_friction_and_says_so():
    for friction in (Coulomb(coulomb=0.01), LoadDependent(coulomb=0.01)):
        figure = plot.hysteresis(brushed_motor(friction=friction))
        assert "assumed" in figure.axes[0].get_title(loc="left")
    with pytest.raises(ParameterError, match=r"Motor\.friction"):
        plot.hysteresis(brushed_motor(friction=None))


def test_heating_marks_63_percent_of_one_node():
    """One node passes 63 % after Rth·C."""
    figure = plot.heating(geared_motor(), power=20.0)
    assert "63 % after 330 s" in [text.get_text() for text in figure.axes[0].texts]


def test_units_read_well():
    assert axis_scale(0.02, "N·m") == (pytest.approx(1e3), "mN·m")
    assert axis_scale([3.0, -500.0], "N·m") == (1.0, "N·m")
    assert axis_scale(0.0, "J") == (1.0, "J")


@dataclass
class Finding:
    figure: str = "no_load_speed"
    severity: str = "warning"
    explanation: str = "Kt·Kv = 1.22 <probably> per RMS ampere"
    ratio: float | None = 1.22


def test_the_page_holds_everything(tmp_path):
    drawn: list[str] = []
    motor = geared_motor()
    path = plot.page(
        tmp_path / "out" / "page.html",
        title="A <motor>",
        motor=motor,
        run=Recorded(motor),
        findings=[Finding(), Finding(ratio=None)],
        progress=drawn.append,
        sections=[plot.Section("More", "<p>words</p>")],
    )
    text = path.read_text(encoding="utf-8")
    assert text.count("<img ") == len(drawn) == 10
    assert "A &lt;motor&gt;" in text and "&lt;probably&gt;" in text and "stall current" in text and "words" in text
    # nothing comes from elsewhere
    assert not re.search(r"""<[^>]*\b(src|href)=(?!"data:)""", text) and "url(" not in text and "<script" not in text
    assert len(text) < 3_000_000


def test_the_page_names_what_it_cannot_draw(tmp_path):
    path = plot.page(tmp_path / "page.html", motor=brushed_motor(thermal=None, friction=None))
    text = path.read_text(encoding="utf-8")
    assert "Not drawn" in text and "Motor.thermal is None" in text
    assert "<title>RE 40</title>" in text


def test_a_picture_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(ParameterError, match=r"drawn\.xyz: the picture cannot be written"):
        plot.torque_speed(brushed_motor(), path=tmp_path / "drawn.xyz")
