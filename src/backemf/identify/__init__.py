"""From logs to a motor: logs, what is wrong with them, and the rig on which they were taken."""

from .channels import CHANNELS, Channel
from .log import Log
from .reading import read_log

__all__ = ["CHANNELS", "Channel", "Log", "read_log"]
