"""PhysX: the drive performance envelope of its articulation joints, from datasheets, and in USD files."""

from . import law
from .about import ABOUT
from .datasheet import DatasheetEnvelope, from_datasheet, from_motor, from_numbers
from .drives import JointAxis, UsdDrive, author, joints, read_drive, text
from .fit import FittedEnvelope, fit_envelope
from .law import Envelope, clamped_effort, effort_bounds, solved_impulse
from .reading import read_actuator, read_actuators
from .solver import JointDrive, joint_step, pd_impulse
from .whole_robot import write_robot
from .writing import WrittenDrive, write

__all__ = [
    "ABOUT",
    "DatasheetEnvelope",
    "Envelope",
    "FittedEnvelope",
    "JointAxis",
    "JointDrive",
    "UsdDrive",
    "WrittenDrive",
    "author",
    "clamped_effort",
    "effort_bounds",
    "fit_envelope",
    "from_datasheet",
    "from_motor",
    "from_numbers",
    "joint_step",
    "joints",
    "law",
    "pd_impulse",
    "read_actuator",
    "read_actuators",
    "read_drive",
    "solved_impulse",
    "text",
    "write",
    "write_robot",
]
