"""position_loop controller: an arm goes from target to target."""

from controller import Robot

TARGETS = [1.2, -0.6, 0.5, 0.0]
CLOSE = 0.05

robot = Robot()
timestep = int(robot.getBasicTimeStep())

motor = robot.getDevice("arm motor")
sensor = robot.getDevice("arm sensor")
sensor.enable(timestep)

target = 0
motor.setPosition(TARGETS[target])

while robot.step(timestep) != -1:
    position = sensor.getValue()
    if abs(position - TARGETS[target]) < CLOSE and target < len(TARGETS) - 1:
        print(f"{robot.getTime():.3f} s: reached {TARGETS[target]} rad")
        target += 1
        motor.setPosition(TARGETS[target])
