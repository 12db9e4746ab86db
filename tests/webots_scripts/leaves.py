"""A controller that leaves with an exit code of its own."""

import sys

from controller import Robot

robot = Robot()
robot.step(32)
sys.exit(3)
