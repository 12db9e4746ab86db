"""Steps in a second thread, which goes on after the end of the run."""

import threading

from controller import Robot

robot = Robot()


def steps():
    """Never stops by itself."""
    while True:
        robot.step(32)


second = threading.Thread(target=steps)
second.start()
second.join()
