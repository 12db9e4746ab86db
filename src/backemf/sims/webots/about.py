"""What the room of Webots offers."""

from ..room import About
from .motor import KINDS

ABOUT = About(title="Webots", kinds=tuple(KINDS), bodies=True, plugin="Simulation")
