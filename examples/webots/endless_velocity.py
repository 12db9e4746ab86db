"""endless_velocity controller: two wheels turn without end and reverse half-way."""

from controller import Motor, Robot

robot = Robot()
timestep = int(robot.getBasicTimeStep())

wheels: list[Motor] = []
for name in ["left wheel motor", "right wheel motor"]:
    wheel = robot.getDevice(name)
    wheel.setPosition(float("inf"))
    wheel.setVelocity(0.0)
    wheels.append(wheel)

while robot.step(timestep) != -1:
    if robot.getTime() < 2.0:
        wheels[0].setVelocity(20.0)
        wheels[1].setVelocity(10.0)
    else:
        wheels[0].setVelocity(-10.0)
        wheels[1].setVelocity(-20.0)
