"""Questions to a motor: its constants, what it can give, how well, how hot and for how long.

Plain NumPy on the same laws that the simulation steps. Numbers and arrays broadcast; a motor whose parameters are
arrays answers for all of them, with grids of speed or torque on axes ahead of the batch.
"""

from .constants import Constants, constants
from .duty import ContinuousTorque, continuous_torque, intermittent_current, intermittent_duty, peak_temperature
from .efficiency import EfficiencyMap, efficiency_map
from .envelope import Envelope, envelope
from .exceeded import RunFinding, findings
from .heat import Temperatures, steady_temperature, time_to_limit
from .simplified import Simplified, motor_from_dc_clip, simplify
from .steady import OperatingPoint, operating_point, point_at_torque

__all__ = [
    "Constants",
    "ContinuousTorque",
    "EfficiencyMap",
    "Envelope",
    "OperatingPoint",
    "RunFinding",
    "Simplified",
    "Temperatures",
    "constants",
    "continuous_torque",
    "efficiency_map",
    "envelope",
    "findings",
    "intermittent_current",
    "intermittent_duty",
    "motor_from_dc_clip",
    "operating_point",
    "peak_temperature",
    "point_at_torque",
    "simplify",
    "steady_temperature",
    "time_to_limit",
]
