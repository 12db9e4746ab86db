"""Conditions under which a motor is looked at."""

import backemf as be
from backemf.plot.conditions import conditions_of

WINDING = be.Motor(winding=be.Winding(resistance=0.5), magnet=be.Magnet(torque_constant=0.03, back_emf_constant=0.03))


def test_conditions_begin_at_the_motors_own_values():
    """Up to twice the rated voltage, and to the limit of the winding; without a thermal model nothing is around it."""
    motor = be.load("maxon-re40-gp52c").motor
    found = {one.key: one for one in conditions_of(motor)}
    assert (found["v"].low, found["v"].own, found["v"].high) == (6.0, 24.0, 48.0)
    assert (found["t"].own, found["t"].high) == (25.0, float(motor.ratings.winding_temperature))
    assert found["g"].own == abs(float(motor.ratio))
    assert found["ge"].own == 100.0 * float(motor.gearbox.efficiency)
    assert [one.key for one in conditions_of(WINDING)] == ["v", "t", "g", "ge"]
