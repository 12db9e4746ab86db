"""A controller that imports from the submodules of Webots' package, and prints in colour."""

import controller.robot
from controller import *  # noqa: F403
from controller import ansi_codes, wb
from controller.ansi_codes import AnsiCodes
from controller.motor import Motor
from controller.position_sensor import PositionSensor
from controller.wb import wb as library

robot = controller.robot.Robot()
motor = Motor("hip")
sensor = PositionSensor("hip sensor")
motor.setPosition(0.5)
robot.step(320)
print(AnsiCodes.CLEAR_SCREEN + AnsiCodes.RED_FOREGROUND + "hot" + ansi_codes.AnsiCodes.RESET)
assert wb.wb is library
print(f"{sensor.getValue():.1f}", controller.Motor is Motor, Camera.__name__, Supervisor.__name__)  # noqa: F405
