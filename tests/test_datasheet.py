"""From what a maker prints to the constants of a motor."""

import math

import pytest

from backemf.datasheet import Datasheet
from backemf.errors import DatasheetError
from backemf.motor import Coulomb, Limits, LoadDependent, LuGre, Thermal, TwoNodeThermal

V, R, K, I0, J = 48.0, 1.13, 0.06, 0.07, 1.4e-5
W0 = (V - R * I0) / K


def motor(**tables):
    return Datasheet.from_si("test", **tables).motor()


@pytest.mark.parametrize("given", [{"kt": K}, {"ke": K}, {"kv": 1 / K}])
def test_one_constant_gives_both(given):
    """Power balance makes Kt and Ke equal, and Kv is 1/Ke."""
    m = motor(electrical={"resistance": R, **given})
    assert m.magnet.torque_constant == pytest.approx(K)
    assert m.magnet.back_emf_constant == pytest.approx(K)


def test_back_emf_from_no_load_speed_subtracts_the_no_load_current():
    """The free motor still drops R·i0: Ke = (v - R·i0)/w0."""
    m = motor(
        electrical={"nominal_voltage": V, "resistance": R, "no_load_current": I0}, mechanical={"no_load_speed": W0}
    )
    assert m.magnet.back_emf_constant == pytest.approx((V - R * I0) / W0)


def test_back_emf_from_no_load_speed_with_drag_solves_the_power_balance():
    """K·w0 + R·B·w0/K = v has the root K = (v + sqrt(v² - 4·R·B·w0²))/(2·w0)."""
    drag = 1e-5
    m = motor(
        electrical={"nominal_voltage": V, "resistance": R},
        mechanical={"no_load_speed": W0},
        friction={"viscous": drag},
    )
    k = (V + math.sqrt(V**2 - 4 * R * drag * W0**2)) / (2 * W0)
    assert m.magnet.back_emf_constant == pytest.approx(k)
    assert k * W0 + R * drag * W0 / k == pytest.approx(V)


def test_back_emf_with_drag_and_stall_torque_but_no_resistance():
    """With R = K·v/τ0 the balance becomes linear: K = v/w0 - v·B/τ0."""
    drag, stall = 1e-5, 2.5
    m = motor(
        electrical={"nominal_voltage": V},
        mechanical={"no_load_speed": W0, "stall_torque": stall},
        friction={"viscous": drag},
    )
    k = V / W0 - V * drag / stall
    assert m.magnet.back_emf_constant == pytest.approx(k)
    assert m.winding.resistance == pytest.approx(k * V / stall)


def test_no_load_speed_alone_is_voltage_over_speed():
    """Without friction figures the whole voltage is back-EMF."""
    m = motor(electrical={"nominal_voltage": V, "resistance": R}, mechanical={"no_load_speed": W0})
    assert m.magnet.back_emf_constant == pytest.approx(V / W0)


def test_resistance_from_stall_current():
    """Blocked, all voltage drives current: R = v/i."""
    assert motor(electrical={"nominal_voltage": V, "stall_current": 40.0, "kt": K}).winding.resistance == V / 40.0


def test_resistance_from_stall_torque():
    """τ0 = K·v/R."""
    m = motor(electrical={"nominal_voltage": V, "kt": K}, mechanical={"stall_torque": 2.5})
    assert m.winding.resistance == pytest.approx(K * V / 2.5)


def test_a_servos_torque_and_speed_constants_stay_apart():
    """Stall gives Kt = τ/i, the free speed gives Ke = v/w: two facts, two constants, brought to the motor by N."""
    m = motor(
        conventions={"figures_at": "output"},
        electrical={"nominal_voltage": 12.0, "stall_current": 4.4},
        mechanical={"stall_torque": 10.6, "no_load_speed": math.pi},
        gear=[{"ratio": 272.5}],
    )
    assert m.magnet.torque_constant == pytest.approx(10.6 / 4.4 / 272.5)
    assert m.magnet.back_emf_constant == pytest.approx(12.0 / math.pi / 272.5)


def test_output_torque_is_brought_to_the_motor_through_ratio_and_efficiency():
    """τ_out = N·η·τ_motor."""
    m = motor(
        conventions={"figures_at": "output"},
        electrical={"nominal_voltage": 12.0, "stall_current": 4.0},
        mechanical={"stall_torque": 8.0, "no_load_speed": 5.0},
        gear=[{"ratio": 10.0, "efficiency": 0.9}, {"ratio": 5.0, "efficiency": 0.8}],
    )
    assert m.magnet.torque_constant == pytest.approx(8.0 / 4.0 / (50 * 0.72))
    assert m.ratio == 50.0


def test_k_from_resistance_and_gradient():
    """The gradient is R/K²."""
    m = motor(electrical={"resistance": R}, mechanical={"speed_torque_gradient": R / K**2})
    assert m.magnet.torque_constant == pytest.approx(K)


def test_resistance_from_gradient_and_k():
    """R = gradient·K²."""
    m = motor(electrical={"kt": K}, mechanical={"speed_torque_gradient": R / K**2})
    assert m.winding.resistance == pytest.approx(R)


def test_inertia_from_mechanical_time_constant():
    """J = t·K²/R."""
    m = motor(electrical={"kt": K, "resistance": R}, mechanical={"mechanical_time_constant": R * J / K**2})
    assert m.rotor is not None and m.rotor.inertia == pytest.approx(J)


def test_inductance_from_electrical_time_constant():
    """L = te·R."""
    m = motor(electrical={"kt": K, "resistance": R, "electrical_time_constant": 3e-4})
    assert m.winding.inductance == pytest.approx(3e-4 * R)


def test_phase_values_are_half_of_line_to_line():
    """Between two terminals of a star lie two phases."""
    m = motor(
        conventions={"resistance": "phase"},
        electrical={"kt": K, "resistance": 0.047, "inductance": 28.6e-6},
    )
    assert m.winding.resistance == pytest.approx(2 * 0.047)
    assert m.winding.inductance == pytest.approx(2 * 28.6e-6)


def test_one_three_phase_motor_is_one_motor_in_every_convention():
    """Torque and copper heat per time are physics: the three ways to count amperes give the same of both."""
    ke_phase, r_phase, peak = 0.05, 0.1, 20.0
    torque = 1.5 * ke_phase * peak
    heat = 3 * r_phase * (peak / math.sqrt(2)) ** 2
    ways = {
        "peak-phase": (1.5 * ke_phase, peak),
        "rms": (1.5 * ke_phase * math.sqrt(2), peak / math.sqrt(2)),
    }
    for convention, (kt, current) in ways.items():
        m = motor(
            conventions={"torque_constant": convention, "resistance": "phase"},
            electrical={"kt": kt, "resistance": r_phase, "nominal_current": current},
        )
        assert m.ratings is not None
        i = float(m.ratings.current or 0.0)
        # line-to-line EMF is √3 times the phase EMF, and the DC-equivalent motor has Kt = Ke
        assert m.magnet.torque_constant == pytest.approx(math.sqrt(3) * ke_phase)
        assert m.magnet.torque_constant * i == pytest.approx(torque)
        assert m.winding.resistance * i**2 == pytest.approx(heat)


def test_friction_from_no_load_current():
    """All of i0 carries friction: coulomb = Kt·i0."""
    m = motor(electrical={"kt": K, "resistance": R, "no_load_current": I0})
    assert m.friction == Coulomb(coulomb=K * I0)


def test_coulomb_and_no_load_current_give_the_viscous_rest():
    """Kt·i0 = coulomb + B·w0."""
    m = motor(
        electrical={"kt": K, "resistance": R, "no_load_current": I0},
        mechanical={"no_load_speed": W0},
        friction={"coulomb": 0.5 * K * I0},
    )
    assert m.drag is not None and m.drag.coefficients[0] == pytest.approx(0.5 * K * I0 / W0)


def test_viscous_and_no_load_current_give_the_coulomb_rest():
    """Kt·i0 = coulomb + B·w0, the other way round."""
    drag = 0.25 * K * I0 / W0
    m = motor(
        electrical={"kt": K, "resistance": R, "no_load_current": I0},
        mechanical={"no_load_speed": W0},
        friction={"viscous": drag},
    )
    assert isinstance(m.friction, Coulomb) and m.friction.coulomb == pytest.approx(0.75 * K * I0)


def test_friction_at_the_joint_is_reflected_by_powers_of_the_ratio():
    """Coulomb by N, drag of order n by N^(n+1)."""
    m = motor(
        conventions={"friction_at": "output"},
        electrical={"kt": K, "resistance": R},
        friction={"coulomb": 0.2, "viscous": 0.01, "drag": [0.003]},
        gear=[{"ratio": 6.0}],
    )
    assert isinstance(m.friction, Coulomb) and m.friction.coulomb == pytest.approx(0.2 / 6)
    assert m.drag is not None and m.drag.coefficients == pytest.approx((0.01 / 6**2, 0.003 / 6**3))


def test_stiction_makes_a_stribeck_curve_and_bristles_make_lugre():
    """Friction at rest needs a curve to fall along; bristles make it elastic."""
    rub = {"coulomb": 0.01, "stiction": 0.015, "stribeck_velocity": 1.0}
    electrical = {"kt": K, "resistance": R}
    plain = motor(electrical=electrical, friction=rub).friction
    assert isinstance(plain, LoadDependent) and plain.stribeck is not None
    assert plain.coulomb + plain.stribeck.coulomb == pytest.approx(0.015)
    assert isinstance(motor(electrical=electrical, friction={**rub, "stiffness": 10.0}).friction, LuGre)


@pytest.mark.parametrize(
    "given", [("resistance", "capacitance"), ("resistance", "time_constant"), ("capacitance", "time_constant")]
)
def test_any_two_thermal_figures_give_one_node(given):
    """t = R·C."""
    figures = {"resistance": 6.0, "capacitance": 20.0, "time_constant": 120.0}
    m = motor(electrical={"kt": K, "resistance": R}, thermal={key: figures[key] for key in given})
    assert isinstance(m.thermal, Thermal)
    assert (m.thermal.resistance, m.thermal.capacitance) == pytest.approx((6.0, 20.0))


def test_two_resistances_and_time_constants_give_two_nodes():
    """Each time constant is the product of that node's resistance and heat capacity."""
    figures = {"winding_resistance": 1.93, "winding_time_constant": 41.5}
    figures |= {"housing_resistance": 4.65, "housing_time_constant": 809.0}
    m = motor(electrical={"kt": K, "resistance": R}, thermal=figures)
    assert isinstance(m.thermal, TwoNodeThermal)
    assert m.thermal.winding_capacitance == pytest.approx(41.5 / 1.93)
    assert m.thermal.housing_capacitance == pytest.approx(809.0 / 4.65)


def test_early_backlash_shrinks_with_later_reductions():
    """Play of the first stage is divided by the second ratio."""
    m = motor(
        electrical={"kt": K, "resistance": R},
        gear=[{"ratio": 4.0, "backlash": 0.01}, {"ratio": 5.0, "backlash": 0.002}],
    )
    assert m.gearbox is not None and m.gearbox.backlash == pytest.approx(0.01 / 5 + 0.002)


def test_saturation_currents_follow_the_ampere_convention():
    """A knee at 22.5 q-axis amperes is one at √3/2 of that in DC amperes; the torque is the same."""
    m = motor(
        conventions={"torque_constant": "peak-phase"},
        electrical={"kt": 0.0273, "resistance": 0.1},
        saturation={"knee_current": 22.5, "scale": 0.025, "torque": 0.66},
    )
    s = m.magnet.saturation
    assert s is not None
    assert s.knee_current == pytest.approx(22.5 * math.sqrt(3) / 2)
    assert s.scale * s.knee_current == pytest.approx(0.025 * 22.5)
    assert m.magnet.torque_constant * s.knee_current == pytest.approx(0.0273 * 22.5)


def test_ratings_and_limits_come_from_the_sheet():
    """What the maker allows goes to ratings, what the drive enforces to limits."""
    m = motor(
        electrical={"kt": K, "resistance": R, "nominal_current": 3.0, "nominal_voltage": V},
        peak={"current": 9.0, "torque": 0.5, "duration": 3.0, "temperature": 25.0},
        gear=[{"ratio": 9.0, "torque": 3.0, "peak_torque": 6.0, "max_input_speed": 800.0}],
        limits={"peak_current": 8.0},
        cogging=[{"amplitude": 0.001, "periodicity": 12.0}],
    )
    assert m.ratings is not None and (m.ratings.current, m.ratings.peak_current) == (3.0, 9.0)
    assert (m.ratings.gear_torque, m.ratings.gear_peak_torque, m.ratings.gear_input_speed) == (3.0, 6.0, 800.0)
    assert m.limits == Limits(peak_current=8.0)
    assert m.cogging is not None and m.cogging.harmonics[0].periodicity == 12.0


def test_overrides_replace_parts_of_the_motor():
    """The sheet's limits give way to those asked for; an unknown part is named."""
    sheet = Datasheet.from_si("test", electrical={"kt": K, "resistance": R, "no_load_current": I0})
    m = sheet.motor(limits=Limits(peak_current=2.0), friction=None)
    assert m.friction is None and m.limits == Limits(peak_current=2.0)
    with pytest.raises(DatasheetError, match="a motor has no wheels"):
        sheet.motor(wheels=4)


def test_how_tells_where_each_constant_comes_from():
    """A person can see which figures made R, Kt and Ke."""
    sheet = Datasheet.from_si(
        "test", electrical={"nominal_voltage": V, "stall_current": 40.0}, mechanical={"stall_torque": 2.5}
    )
    assert sheet.how()["resistance"] == "nominal voltage / stall current"
    assert sheet.how()["kt"] == "stall torque / stall current"
    assert sheet.how()["ke"] == "equal to Kt"


def test_a_figure_has_the_sheets_source_or_its_own():
    """[sources] overrides source for one figure."""
    sheet = Datasheet.loads(
        'name = "x"\nsource = "maker"\n[electrical]\nkt = "60 mN*m/A"\nresistance = "1 ohm"\n[sources]\nkt = "bench"\n'
    )
    assert {f.key: f.source for f in sheet.figures()} == {"kt": "bench", "resistance": "maker"}


def test_toml_round_trip_keeps_every_figure():
    """What to_toml writes, loads reads back exactly."""
    sheet = Datasheet.from_si(
        'quotes " and \\ and Ω',
        source="a",
        notes=["first", "second"],
        conventions={"torque_constant": "rms", "resistance": "phase"},
        electrical={"kt": 0.1 / 3, "resistance": 1 / 7, "kv": 31.4159, "pole_pairs": 7},
        friction={"viscous": 1e-7 / 3, "drag": [1e-9 / 3, 1e-12 / 7]},
        thermal={"max_winding_temperature": 155.0},
        gear=[{"ratio": 9.0, "backlash": 0.0034906}, {"ratio": 4.5}],
        sources={"electrical.resistance": "bench"},
        measured={"free speed": ["1 V", "2 V"], "count": 3},
    )
    assert Datasheet.loads(sheet.to_toml()) == sheet
