"""A controller that never looks at what step() returns, as many do."""

from controller import Robot

robot = Robot()
while True:
    robot.step(32)
