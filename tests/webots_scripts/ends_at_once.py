"""A controller that commands a position and ends without a step."""

from controller import Robot

robot = Robot()
robot.getDevice("hip").setPosition(0.5)
