"""What the room of MJX offers: its models are MuJoCo's files, which the room of MuJoCo writes and reads."""

from ..room import About

ABOUT = About(title="MJX", plugin="Motors")
