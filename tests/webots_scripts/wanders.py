"""A controller with sensors and lamps that are not simulated: it drives on, since nothing is in its way."""

from controller import Camera, DistanceSensor, Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
eyes = [robot.getDevice(f"ds{i}") for i in range(2)]
for eye in eyes:
    eye.enable(step)
camera = robot.getDevice("camera")
camera.enable(2 * step)
lamp, keyboard = robot.getDevice("lamp"), robot.getKeyboard()
keyboard.enable(step)
wheel = robot.getDevice("wheel")
wheel.setPosition(float("inf"))
while robot.step(step) != -1:
    near = [eye.getValue() > 500 for eye in eyes]
    red = Camera.imageGetRed(camera.getImage(), camera.getWidth(), 3, 2)
    lamp.set(1 if any(near) or red > 100 else 0)
    key = chr(keyboard.getKey() & 0xFF)
    wheel.setVelocity(-3.0 if near[0] or key == "B" else 3.0)
print("turned", round(robot.getTime(), 3), isinstance(eyes[0], DistanceSensor))
