"""The USD schema of backemf's actuators, and how Newton's parser comes to know it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CONTROL, CLAMPING = "BackemfControlAPI", "BackemfClampingAPI"
"""Names of the schemas, as `apiSchemas` of a NewtonActuator prim has them."""


def register() -> None:
    """Make `add_usd` of Newton read backemf's schemas; done once, before a stage is opened."""
    from newton.actuators import (  # pyright: ignore[reportMissingImports]
        ComponentKind,
        register_actuator_component,
    )

    from ..clamp import BackemfClamp
    from ..plugin import BackemfDrive

    try:
        import newton_usd_schemas  # noqa: F401  # pyright: ignore[reportMissingImports]
        from pxr import Plug
    except ImportError:
        # Newton without USD: nothing to read
        pass
    else:
        registry: Any = Plug
        registry.Registry().RegisterPlugins([FOLDER.absolute().as_posix()])
    with warnings.catch_warnings():
        # importing it anew is no mistake
        warnings.simplefilter("ignore")
        register_actuator_component(CONTROL, BackemfDrive, ComponentKind.DRIVE)
        register_actuator_component(CLAMPING, BackemfClamp, ComponentKind.CLAMPING)
