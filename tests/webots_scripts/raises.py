"""A controller that fails half-way."""

from controller import Robot

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motor = robot.getDevice("hip")
motor.setPosition(1.0)
while robot.step(timestep) != -1:
    if robot.getTime() >= 0.5:
        raise RuntimeError("the gripper is on fire")
