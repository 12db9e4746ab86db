"""A controller that says what it was given, with a module from its own folder."""

import os
import sys

import beside
from controller import Camera, Robot

robot = Robot()
print("arguments", sys.argv[1:])
print("folder", os.path.basename(os.getcwd()))
print(beside.WORD, Camera.__name__, __name__)
