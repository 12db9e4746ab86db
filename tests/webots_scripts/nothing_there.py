"""A controller that asks for a device that the robot does not have, and uses it."""

from controller import Robot

robot = Robot()
motor = robot.getDevice("hipp")
motor.setPosition(1.0)
