"""A controller that somebody stops by hand."""

from controller import Robot

robot = Robot()
while robot.step(32) != -1:
    if robot.getTime() > 0.2:
        raise KeyboardInterrupt
