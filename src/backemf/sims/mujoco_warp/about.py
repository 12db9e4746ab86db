"""What the room of MuJoCo Warp offers: its models are MuJoCo's files, which the room of MuJoCo writes and reads."""

from ..room import About

ABOUT = About(title="MuJoCo Warp", plugin="Motors")
