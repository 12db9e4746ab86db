"""PhysX: the drive performance envelope of its articulation joints, from datasheets, and in USD files."""

from .datasheet import DatasheetEnvelope, from_datasheet, from_motor, from_numbers
from .files import JointAxis, UsdDrive, author, joints, read, text
from .fit import FittedEnvelope, fit_envelope
from .law import Envelope, clamped_effort, effort_bounds, solved_impulse
from .reading import read_actuator, read_actuators
from .solver import JointDrive, joint_step, pd_impulse
from .written import WrittenDrive, write

__all__ = [
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
    "pd_impulse",
    "read",
    "read_actuator",
    "read_actuators",
    "solved_impulse",
    "text",
    "write",
]
