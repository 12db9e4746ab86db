"""The table of derived constants on the theory page is what `analyze.constants` returns."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf import analyze

PAGE = (Path(__file__).parents[1] / "docs" / "concepts" / "theory.md").read_text(encoding="utf-8")


@dataclass
class At:
    """The symbols of the page, from the fields of a motor."""

    motor: be.Motor
    v: float
    celsius: float

    def __post_init__(self):
        w, m = self.motor.winding, self.motor.magnet
        self.R = w.resistance * (1 + w.temperature_coefficient * (self.celsius - w.reference_temperature))
        field = 1 + m.temperature_coefficient * (self.celsius - m.reference_temperature)
        self.Kt, self.Ke = m.torque_constant * field, m.back_emf_constant * field
        f, d = self.motor.friction, self.motor.drag
        self.tau_c = f.coulomb
        self.tau_s = f.stiction if isinstance(f, be.LuGre) else f.coulomb
        self.B = d.coefficients[0] + (m.iron_loss or 0.0) + (f.viscous if isinstance(f, be.LuGre) else 0.0)
        first, second = self.motor.gearbox.stages
        self.N, self.eta = first.ratio * second.ratio, (first.efficiency or 1.0) * (second.efficiency or 1.0)
        self.J = self.motor.rotor.inertia + first.inertia + second.inertia / first.ratio**2
        self.sigma_0 = getattr(f, "stiffness", None)

    def torque(self, i: float) -> float:
        s = self.motor.magnet.saturation
        if s is None or i <= s.knee_current:
            return self.Kt * i
        linear = self.motor.magnet.torque_constant * s.knee_current
        more = s.torque * math.log2(1 + s.scale * (i - s.knee_current))
        return self.Kt / self.motor.magnet.torque_constant * (linear + more)

    @property
    def w0(self) -> float:
        return (self.Kt * self.v - self.R * self.tau_c) / (self.Kt * self.Ke + self.R * self.B)


FORMULAS: dict[tuple[str, str], Callable[[At], float]] = {
    ("motor_constant", r"$K_t/\sqrt{R}$"): lambda a: a.Kt / math.sqrt(a.R),
    ("stall_current", r"$v/R$"): lambda a: a.v / a.R,
    ("stall_torque", r"$\tau_{el}(v/R)$"): lambda a: a.torque(a.v / a.R),
    ("no_load_speed", r"$(K_t v - R \tau_c)/(K_t K_e + R B)$"): lambda a: a.w0,
    ("no_load_current", r"$(\tau_c + B \omega_0)/K_t$"): lambda a: (a.tau_c + a.B * a.w0) / a.Kt,
    ("gradient", r"$R/(K_t K_e)$"): lambda a: a.R / (a.Kt * a.Ke),
    ("electrical_damping", r"$K_t K_e/R$"): lambda a: a.Kt * a.Ke / a.R,
    ("mechanical_time_constant", r"$R J/(K_t K_e)$"): lambda a: a.R * a.J / (a.Kt * a.Ke),
    ("electrical_time_constant", r"$L/R$"): lambda a: a.motor.winding.inductance / a.R,
    ("bristle_frequency", r"$\sqrt{\sigma_0/J}$"): lambda a: math.sqrt(a.sigma_0 / a.J),
    ("bristle_critical_damping", r"$2 \sqrt{\sigma_0 J}$"): lambda a: 2 * math.sqrt(a.sigma_0 * a.J),
    ("reflected_inertia", r"$N^2 J$"): lambda a: a.N**2 * a.J,
    ("joint_no_load_speed", r"$\omega_0/N$"): lambda a: a.w0 / a.N,
    ("joint_stall_torque", r"$N \eta\, (\tau_{el}(v/R) - \tau_s)$"): lambda a: (
        a.N * a.eta * (a.torque(a.v / a.R) - a.tau_s)
    ),
}
WITH_BRISTLES = ("bristle_frequency", "bristle_critical_damping")
WITHOUT_STRIBECK = ("no_load_speed", "no_load_current", "joint_no_load_speed")


@st.composite
def motors(draw):
    def number(low, high):
        return draw(st.floats(low, high))

    kt = number(0.01, 0.2)
    coulomb, stiffness = number(1e-4, 5e-3), number(1.0, 100.0)
    friction = draw(
        st.sampled_from(
            [
                be.Coulomb(coulomb=coulomb),
                be.Dahl(coulomb=coulomb, stiffness=stiffness),
                be.LuGre(
                    coulomb=coulomb,
                    stiction=1.4 * coulomb,
                    stribeck_velocity=0.5,
                    stiffness=stiffness,
                    viscous=number(0.0, 1e-5),
                ),
            ]
        )
    )
    saturation = be.Saturation(knee_current=number(1.0, 50.0), scale=0.05, torque=kt * 10)
    ratios = (number(1.5, 10.0), number(-5.0, -1.5) if draw(st.booleans()) else number(1.5, 5.0))
    shares = (number(0.5, 1.0), number(0.5, 1.0))
    stages = tuple(
        be.Stage(ratio=n, efficiency=eta, inertia=number(0.0, 1e-5)) for n, eta in zip(ratios, shares, strict=True)
    )
    return be.Motor(
        winding=be.Winding(resistance=number(0.1, 5.0), inductance=number(1e-5, 1e-3)),
        magnet=be.Magnet(
            torque_constant=kt,
            back_emf_constant=kt * number(0.7, 1.5),
            temperature_coefficient=-0.001,
            iron_loss=number(0.0, 1e-5),
            saturation=saturation if draw(st.booleans()) else None,
        ),
        rotor=be.Rotor(inertia=number(1e-6, 1e-4)),
        friction=friction,
        drag=be.Drag(coefficients=(number(0.0, 1e-5),)),
        gearbox=be.Gearbox(stages=stages),
    )


@settings(max_examples=60, deadline=None)
@given(motors(), st.floats(6.0, 48.0), st.floats(-20.0, 150.0))
def test_the_formulas_of_the_page_are_the_constants(motor, volts, celsius):
    """Geared, lossy, with Kt apart from Ke, cold and hot."""
    at, found = At(motor, volts, celsius), analyze.constants(motor, volts, celsius)
    for (field, _), formula in FORMULAS.items():
        if field in WITH_BRISTLES and isinstance(motor.friction, be.Coulomb):
            assert getattr(found, field) is None
        elif field in WITHOUT_STRIBECK and not _linear(at):
            continue
        else:
            assert getattr(found, field) == pytest.approx(formula(at), rel=1e-9), field


def _linear(at: At) -> bool:
    """Whether the free motor has sliding friction alone and its current does not saturate."""
    s, idle = at.motor.magnet.saturation, (at.tau_c + at.B * at.w0) / at.Kt
    return at.w0 > 10 * 0.5 and (s is None or idle < s.knee_current)


@pytest.mark.parametrize(("field", "latex"), FORMULAS)
def test_the_page_has_the_formula(field, latex):
    """Field and formula in one row, so that neither changes alone."""
    assert f"| `{field}` | {latex}" in PAGE


def test_the_page_has_no_other_formula():
    """Every row of the table is tested above."""
    table = PAGE.split("### Derived constants")[1].split("## ")[0]
    rows = [line.split("|")[2].strip(" `") for line in table.splitlines() if line.startswith("| ") and "`" in line]
    assert rows == [field for field, _ in FORMULAS]


# --- the two sentences below the table

FREE = be.Motor(
    winding=be.Winding(resistance=1.13),
    magnet=be.Magnet(torque_constant=0.06, back_emf_constant=0.07),
    rotor=be.Rotor(inertia=1.4e-5),
    drag=be.Drag(coefficients=(5e-4,)),
    ratings=be.Ratings(voltage=24.0),
)
DAMPED = 0.06 * 0.07 + 1.13 * 5e-4


def test_the_gradient_at_the_shaft_has_the_drag_in_it():
    """Speed lost per shaft torque, R/(Kt·Ke + R·B)."""
    slow, fast = (analyze.operating_point(FREE, 24.0, w, 25.0).joint_torque for w in (100.0, 200.0))
    assert 100.0 / (slow - fast) == pytest.approx(1.13 / DAMPED)


def test_the_free_motor_runs_up_with_the_drag_in_its_time_constant():
    """After R·J/(Kt·Ke + R·B) it has 1 - 1/e of its no-load speed."""
    t = 1.13 * 1.4e-5 / DAMPED
    run = be.simulate(FREE, be.Inertia(inertia=0.0), 24.0, duration=t, dt=t / 2000)
    reached = np.asarray(run["velocity"])[-1] / analyze.constants(FREE).no_load_speed
    assert reached == pytest.approx(1 - math.exp(-1), rel=1e-3)


@pytest.mark.parametrize(("share", "overshoots"), [(1.0, False), (0.2, True)])
def test_a_rotor_on_critically_damped_bristles_does_not_overshoot(share, overshoots):
    """Pushed within its stiction, it creeps to its new rest; with a fifth of the damping it swings past."""
    j, stiffness, push = 1.4e-5, 10.0, 1e-3
    f = be.LuGre(
        coulomb=1.0,
        stiction=1.5,
        stribeck_velocity=1e3,
        stiffness=stiffness,
        damping=share * 2 * math.sqrt(stiffness * j),
    )
    # a winding of so much resistance does not brake
    m = be.Motor(winding=be.Winding(resistance=1e9), magnet=FREE.magnet, rotor=be.Rotor(inertia=j), friction=f)
    found = analyze.constants(m, 24.0)
    assert f.damping == pytest.approx(share * found.bristle_critical_damping)
    period = 2 * math.pi / found.bristle_frequency
    run = be.simulate(m, be.ConstantTorque(torque=push), 0.0, duration=2 * period, dt=period / 5000)
    furthest = np.asarray(run["position"]).max() / (push / stiffness)
    assert furthest > 0.99
    assert (furthest > 1.01) == overshoots
