"""What this package offers for PhysX."""

from ..room import About

ABOUT = About(title="PhysX")
