"""Pictures of motors and runs. Each function draws one figure, writes it where a path is given, and returns it."""

from .curves import curves
from .efficiency import efficiency_map
from .energy import energy_balance
from .friction import hysteresis, stribeck
from .heat import heating
from .joint_limits import joint_limits
from .limits import simplified_limits
from .operating_range import operating_range
from .page import Section, html, page
from .response import step_response
from .speed import current_envelope, loss_envelope, torque_speed

__all__ = [
    "Section",
    "current_envelope",
    "curves",
    "efficiency_map",
    "energy_balance",
    "heating",
    "html",
    "hysteresis",
    "joint_limits",
    "loss_envelope",
    "operating_range",
    "page",
    "simplified_limits",
    "step_response",
    "stribeck",
    "torque_speed",
]
