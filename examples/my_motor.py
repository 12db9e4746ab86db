"""Type in a datasheet, check it, and see what the motor can do.

Draws my_motor.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

import os
from pathlib import Path

import backemf as be

SHEET = """
name = "a geared brushless motor"
source = "typed in from a data sheet"

[conventions]
resistance = "line-to-line"
torque_constant = "rms"          # torque per RMS ampere: converted to DC amperes below

[electrical]
nominal_voltage = "24 V"
resistance = "0.35 ohm"
inductance = "0.21 mH"
kv = "190 rpm/V"
kt = "61.6 mN*m/A"
no_load_current = "0.45 A"

[mechanical]
inertia = "121 g*cm^2"
no_load_speed = "4520 rpm"

[thermal]
winding_resistance = "1.2 K/W"
housing_resistance = "3.4 K/W"
winding_time_constant = "21 s"
housing_time_constant = "780 s"
max_winding_temperature = "125 degC"

[[gear]]
ratio = 9
efficiency = "90 %"
backlash = "12 arcmin"
"""


def main() -> None:
    sheet = be.Datasheet.loads(SHEET, name="my_motor.toml")
    for finding in sheet.check():
        print(finding)

    motor = sheet.motor()
    print(f"\nreflected inertia at the joint: {motor.reflected_inertia:.2e} kg·m²")
    for name, symbol, value, unit in be.analyze.constants(motor).rows():
        print(f"{name:36} {symbol:9} {be.units.format_quantity(float(value), unit)}")

    seconds = be.analyze.time_to_limit(motor, current=20.0)
    print(f"\nat 20 A the winding reaches its limit after {float(seconds):.0f} s")
    be.plot.operating_range(motor, path=Path(os.environ.get("BACKEMF_OUT", "out")) / "my_motor.svg")


if __name__ == "__main__":
    main()
