"""The supply: a battery that sags, a bridge that chops it, motors that share it."""

from __future__ import annotations

import numpy as np
import pytest

import backemf as be

R, K, V, RB = 0.6, 0.05, 24.0, 0.15


def motor(inductance=None, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=R, inductance=inductance),
        magnet=be.Magnet(torque_constant=K, back_emf_constant=K),
        **parts,
    )


def one_step(actuator, command, speed, dt=1e-3, shape=(), **initial):
    step = actuator.compile("numpy")
    return step(step.initial(shape, **initial), command, np.zeros(shape), speed, dt)[1]


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0, -0.7])
def test_sag_at_stall_is_a_voltage_divider(share):
    """A bridge at a duty d shows the battery R/d²: the bus falls to V·R/(R + Rb·d²), the terminals get d times that."""
    out = one_step(be.Actuator(motor(), be.Supply(voltage=V, resistance=RB)), share * V, 0.0)
    bus = V * R / (R + RB * share**2)
    assert out.bus_voltage == pytest.approx(bus, rel=1e-14)
    assert out.voltage == pytest.approx(share * bus, rel=1e-14)
    assert out.current == pytest.approx(share * bus / R, rel=1e-14)
    assert out.bus_current == pytest.approx(share**2 * bus / R, rel=1e-14)


def test_a_stiff_supply_does_not_sag():
    """Without internal resistance the bus stays where it is and the command arrives."""
    out = one_step(be.Actuator(motor(), be.Supply(voltage=V)), 10.0, 50.0)
    assert out.bus_voltage == V and out.voltage == pytest.approx(10.0, rel=1e-15)
    assert out.bus_current * V == pytest.approx(out.electrical_power, rel=1e-14)


@pytest.mark.parametrize("speed", [0.0, 150.0, 470.0, 700.0])
@pytest.mark.parametrize("inductance", [None, 5e-4])
@pytest.mark.parametrize("regeneration", [True, False])
def test_the_power_of_the_battery_is_accounted_for(speed, inductance, regeneration):
    """V·i = Rb·i² + what the motor takes + what the brake resistor burns, driving and braking."""
    supply = be.Supply(voltage=V, resistance=RB, regeneration=regeneration)
    initial = {} if inductance is None else {"current": 4.0}
    out = one_step(be.Actuator(motor(inductance), supply), 20.0, speed, **initial)
    given = V * out.bus_current
    taken = RB * out.bus_current**2 + out.electrical_power + out.brake_power
    size = V * abs(out.bus_current) + abs(out.electrical_power)
    assert abs(given - taken) <= 1e-13 * size
    assert out.bus_voltage == pytest.approx(V - RB * out.bus_current, rel=1e-13)


def test_a_limited_current_makes_the_battery_sag_less():
    """The sag belongs to the current that flows: V·i = Rb·i² + power holds while the current limit acts."""
    limited = motor(limits=be.Limits(peak_current=8.0))
    out = one_step(be.Actuator(limited, be.Supply(voltage=V, resistance=RB)), 20.0, 0.0)
    assert out.current == pytest.approx(8.0, rel=1e-13)
    # 8 A through R take 38.4 W, of which the battery's share follows from bus·(V - bus)/Rb = power
    power = R * 8.0**2
    bus = 0.5 * (V + np.sqrt(V**2 - 4 * RB * power))
    assert out.bus_voltage == pytest.approx(bus, rel=1e-12)
    assert V * out.bus_current == pytest.approx(RB * out.bus_current**2 + power, rel=1e-12)


def test_motors_on_one_battery_sag_together():
    """Four different motors along the last axis draw from one bus: it falls by Rb times the sum of their currents."""
    ohms = np.array([0.4, 0.6, 0.9, 1.5])
    command = np.array([[24.0, -12.0, 6.0, 18.0], [3.0, 3.0, 3.0, 3.0]])
    fleet = be.Motor(winding=be.Winding(resistance=ohms), magnet=be.Magnet(torque_constant=K, back_emf_constant=K))
    supply = be.Supply(voltage=V, resistance=RB, shared=True)
    out = one_step(be.Actuator(fleet, supply), command, np.zeros((2, 4)), shape=(2, 4))
    share = command / V
    bus = V / (1 + RB * (share**2 / ohms).sum(axis=-1, keepdims=True))
    assert np.broadcast_to(out.bus_voltage, (2, 1)) == pytest.approx(bus, rel=1e-14)
    assert out.current == pytest.approx(share * bus / ohms, rel=1e-14)
    drawn = (share * out.current).sum(axis=-1, keepdims=True)
    assert out.bus_current == pytest.approx(drawn, rel=1e-13)
    assert out.bus_voltage == pytest.approx(V - RB * drawn, rel=1e-13)


def test_motors_on_their_own_batteries_do_not_feel_each_other():
    """Without `shared` each motor of a batch has a battery to itself."""
    supply = be.Supply(voltage=V, resistance=RB)
    both = one_step(be.Actuator(motor(), supply), np.array([24.0, 6.0]), np.zeros(2), shape=(2,))
    for k, command in enumerate((24.0, 6.0)):
        alone = one_step(be.Actuator(motor(), supply), command, 0.0)
        assert both.bus_voltage[k] == alone.bus_voltage


def test_a_battery_that_cannot_hold_the_currents_of_its_motors_gives_way():
    """The rate limit would keep 30 A in two motors, 10 V each and 600 W: more than V²/(4·Rb) = 480 W at any voltage.

    So both get all of a bus that falls until V - Rb·Σi, with i = (bus - Ke·w)/R; a third motor stands by.
    """
    battery, speed = 0.3, -160.0
    actuator = be.Actuator(
        motor(limits=be.Limits(current_rate=1.0)), be.Supply(voltage=V, resistance=battery, shared=True)
    )
    out = one_step(
        actuator, np.zeros(3), np.array([speed, speed, 0.0]), shape=(3,), current=np.array([30.0, 30.0, 0.0])
    )
    bus = (V + 2.0 * battery * K * speed / R) / (1.0 + 2.0 * battery / R)
    assert out.bus_voltage == pytest.approx(bus, rel=1e-12)
    assert out.current == pytest.approx([(bus - K * speed) / R] * 2 + [0.0], rel=1e-12)
    assert out.bus_voltage == pytest.approx(V - battery * out.bus_current, rel=1e-12)


def test_one_motor_brakes_into_another():
    """On a shared bus a braking motor feeds a driving one, and the battery sees the difference."""
    supply = be.Supply(voltage=V, resistance=RB, shared=True)
    out = one_step(be.Actuator(motor(), supply), np.array([20.0, 20.0]), np.array([200.0, 600.0]), shape=(2,))
    assert out.electrical_power[0] > 0 > out.electrical_power[1]
    assert out.bus_voltage * out.bus_current == pytest.approx(out.electrical_power.sum(), rel=1e-12)


@pytest.mark.parametrize("limit", [0.5, 0.95, 1.0])
def test_the_modulation_limit_is_the_largest_duty(limit):
    """A command beyond it gets modulation_limit·bus, in both directions."""
    supply = be.Supply(voltage=V, modulation_limit=limit)
    for sign in (1.0, -1.0):
        out = one_step(be.Actuator(motor(), supply), sign * 100.0, 0.0)
        assert out.voltage == pytest.approx(sign * limit * V, rel=1e-15)


def test_regeneration_lifts_the_bus():
    """A back-EMF above the terminal voltage drives current back: i = (V - bus)/Rb < 0 and the bus rises."""
    speed, share = 700.0, 20.0 / V
    out = one_step(be.Actuator(motor(), be.Supply(voltage=V, resistance=RB)), 20.0, speed)
    bus = (V + RB * share * K * speed / R) / (1 + RB * share**2 / R)
    assert bus > V
    assert out.bus_voltage == pytest.approx(bus, rel=1e-14)
    assert out.bus_current == pytest.approx((V - bus) / RB, rel=1e-12)
    assert out.brake_power == 0.0


def test_without_regeneration_a_brake_resistor_burns_what_comes_back():
    """The bus stays at V, the battery takes nothing, and the brake gets the motor's whole power."""
    supply = be.Supply(voltage=V, resistance=RB, regeneration=False)
    out = one_step(be.Actuator(motor(), supply), 20.0, 700.0)
    current = (20.0 - K * 700.0) / R
    assert out.current == pytest.approx(current, rel=1e-14)
    assert out.bus_voltage == V and out.bus_current == 0.0
    assert out.brake_power == pytest.approx(-20.0 * current, rel=1e-14)


def test_a_bus_that_would_collapse_keeps_a_thousandth():
    """A current that no battery could give leaves a bus that is small and positive, so nothing divides by zero."""
    flooded = be.Actuator(motor(0.1), be.Supply(voltage=V, resistance=5.0))
    out = one_step(flooded, 24.0, 0.0, dt=1e-6, current=1e4)
    assert out.bus_voltage == pytest.approx(0.001 * V)
    assert np.isfinite(out.bus_current)
