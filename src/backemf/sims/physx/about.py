"""What the room of PhysX offers."""

from ..room import About

ABOUT = About(title="PhysX")
