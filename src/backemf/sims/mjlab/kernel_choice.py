"""Which engine steps the motors of a config: PyTorch, or kernels of Warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...actuator.controllers.learned import LearnedController
from ...errors import ParameterError

if TYPE_CHECKING:
    from .plugin import MotorActuatorCfg


def require_engine(engine: object) -> None:
    """Check that the engine is one of those that step motors in mjlab; raise ParameterError if not."""
    if engine not in (None, "torch", "warp"):
        raise ParameterError(
            f'MotorActuatorCfg.engine = {engine!r}: must be "torch", "warp", or None for Warp on a GPU'
        )


def refusal(cfg: MotorActuatorCfg) -> str | None:
    """What keeps the actuators of a config out of kernels; None: nothing does."""
    actuator = cfg.actuator
    if cfg.delays:
        return "delays of single targets (MotorActuatorCfg.delays)"
    if isinstance(actuator.controller, LearnedController):
        return f"a learned network ({type(actuator.controller).__name__})"
    if actuator.supply is not None and actuator.supply.shared:
        return "a supply that motors share (Supply.shared)"
    return "eager=True" if cfg.eager else None


def takes_kernels(cfg: MotorActuatorCfg, device: str) -> bool:
    """Whether the actuators of a config step in kernels of Warp on a device; raises ParameterError if they cannot."""
    reason = refusal(cfg)
    if cfg.engine == "warp" and reason is not None:
        raise ParameterError(f'MotorActuatorCfg.engine = "warp": a kernel does not know {reason}; give engine="torch"')
    return cfg.engine == "warp" or (cfg.engine is None and reason is None and str(device).startswith("cuda"))
