"""torque_control controller: a spring and a damper made of torques, and feedback."""

from controller import Robot

STIFFNESS = 4.0
DAMPING = 0.35
REST = 0.8

robot = Robot()
timestep = int(robot.getBasicTimeStep())

arm = robot.getDevice("arm motor")
sensor = robot.getDevice("arm sensor")
sensor.enable(timestep)

wheel = robot.getDevice("left wheel motor")
wheel.enableTorqueFeedback(timestep)
wheel.setPosition(1.5)

previous = None
while robot.step(timestep) != -1:
    position = sensor.getValue()
    velocity = 0.0 if previous is None else (position - previous) / (0.001 * timestep)
    previous = position
    arm.setTorque(STIFFNESS * (REST - position) - DAMPING * velocity)
    if robot.getTime() < 0.1:
        print(f"{robot.getTime():.3f} s: the wheel takes {wheel.getTorqueFeedback():.3f} N·m")
