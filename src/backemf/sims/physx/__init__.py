"""PhysX: the drive performance envelope of its articulation joints, from datasheets, and in USD files."""

from .datasheet import DatasheetEnvelope, from_motor, from_numbers
from .files import JointAxis, UsdDrive, author, joints, read, text
from .law import Envelope, JointDrive, clamped_effort, effort_bounds, joint_step, pd_impulse, solved_impulse
from .written import WrittenDrive, read_actuator, write

__all__ = [
    "DatasheetEnvelope",
    "Envelope",
    "JointAxis",
    "JointDrive",
    "UsdDrive",
    "WrittenDrive",
    "author",
    "clamped_effort",
    "effort_bounds",
    "from_motor",
    "from_numbers",
    "joint_step",
    "joints",
    "pd_impulse",
    "read",
    "read_actuator",
    "solved_impulse",
    "text",
    "write",
]
