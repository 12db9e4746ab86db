"""A motor with other gears or in another ambient."""

import backemf as be
from backemf.design.variant import change_motor


def test_gears_and_ambient_change_alone():
    """Ratio 10 with 80 %: the torque at the joint is 8 times the motor's; all else is the motor's own."""
    motor = be.Datasheet.load("maxon-re40-148877").motor()
    changed, said = change_motor(motor, ratio=10.0, efficiency=0.8, ambient=40.0)
    assert float(changed.gearbox.ratio) == 10.0 and float(changed.gearbox.efficiency) == 0.8
    assert changed.thermal.ambient == 40.0 and changed.winding == motor.winding
    assert said == ("gear 10:1 at 80 %", "40 °C around")


def test_what_is_not_given_stays():
    """Another efficiency alone keeps the ratio, and nothing at all gives the motor itself."""
    motor = be.Datasheet.load("maxon-re40-gp52c").motor()
    assert change_motor(motor) == (motor, ())
    changed, said = change_motor(motor, efficiency=0.5)
    assert float(changed.gearbox.ratio) == float(motor.gearbox.ratio) and len(said) == 1
