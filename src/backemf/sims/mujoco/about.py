"""What the room of MuJoCo offers."""

from ..room import About
from .versions import VERSIONS, known_version

ABOUT = About(title="MuJoCo", versions=VERSIONS, check_version=known_version, any_voltage=True, plugin="Motors")
