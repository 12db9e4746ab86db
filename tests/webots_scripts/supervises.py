"""A controller that looks at the world, moves a ball in it, labels the window and ends the run."""

from controller import Supervisor

robot = Supervisor()
ball = robot.getFromDef("BALL")
print("ball at", ball.getPosition(), ball.getField("translation").getSFVec3f(), ball.getTypeName())
ball.getField("translation").setSFVec3f([1.0, 2.0, 3.0])
print("ball at", ball.getPosition(), "and", robot.getFromDef("BAT"))
while robot.step(32) != -1:
    robot.setLabel(0, "going", 0.1, 0.1, 0.1, 0xFF0000)
    if robot.getTime() > 0.2:
        robot.simulationQuit(0)
print("ended", round(robot.getTime(), 3))
