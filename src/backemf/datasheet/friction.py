"""The friction model that a sheet's figures choose."""

from __future__ import annotations

from typing import Any, TypeVar

from ..motor import Coulomb, Dahl, Drag, Friction, LoadDependent, LoadShare, LuGre, QuadraticShare, Stribeck
from .normalise import Figures
from .solve import Solved

Share = TypeVar("Share", LoadShare, QuadraticShare)


def friction_model(s: Solved) -> Friction | None:
    """Bristles where a stiffness is given, the family M1..M6 with a Stribeck curve or loads, else Coulomb friction.

    The viscous part is the motor's drag, except where friction depends on load: see `drag_model`.
    """
    f, coulomb = s.figures, s.coulomb
    if coulomb is None:
        return None
    if f.stiffness is not None:
        return _bristles(f, coulomb, f.stiffness)
    if f.has("stribeck_velocity") or f.has("load_drive"):
        return LoadDependent(
            coulomb=coulomb,
            viscous=s.drag[0] if _depends_on_load(f) and s.drag else 0.0,
            stribeck=_stribeck(f, coulomb),
            load=_share(f.load_drive, f.load_back, LoadShare),
            quadratic=_share(f.quadratic_drive, f.quadratic_back, QuadraticShare),
        )
    return Coulomb(coulomb=coulomb) if coulomb else None


def drag_model(s: Solved) -> Drag | None:
    """Drag that grows with speed; None: there is none.

    Drag lowers the torque that the gears transmit. In the family M3 to M6 the viscous part is friction of the gears
    themselves and does not: it is part of the friction.
    """
    own = s.coulomb is not None and s.figures.stiffness is None and _depends_on_load(s.figures)
    coefficients = (0.0, *s.drag[1:]) if own else s.drag
    return Drag(coefficients=coefficients) if any(coefficients) else None


def _depends_on_load(f: Figures) -> bool:
    """Whether the transmitted torque adds to the friction."""
    return any(f.has(name) for name in ("load_drive", "stribeck_load_drive", "quadratic_drive"))


def _bristles(f: Figures, coulomb: float, stiffness: float) -> Dahl | LuGre:
    """LuGre's model with a friction at rest, Dahl's without."""
    if f.stiction is None or f.stribeck_velocity is None:
        return Dahl(coulomb=coulomb, stiffness=stiffness)
    # None is the part's own
    exponent: Any = f.stribeck_exponent
    return LuGre(
        coulomb=coulomb,
        stiction=f.stiction,
        stribeck_velocity=f.stribeck_velocity,
        stribeck_exponent=exponent,
        stiffness=stiffness,
        damping=f.damping or 0.0,
        damping_exponent=f.damping_exponent,
    )


def _stribeck(f: Figures, coulomb: float) -> Stribeck | None:
    if f.stribeck_velocity is None:
        return None
    return Stribeck(
        velocity=f.stribeck_velocity,
        exponent=2.0 if f.stribeck_exponent is None else f.stribeck_exponent,
        coulomb=0.0 if f.stiction is None else f.stiction - coulomb,
        load=_share(f.stribeck_load_drive, f.stribeck_load_back, LoadShare),
    )


def _share(drive: float | None, back: float | None, kind: type[Share]) -> Share | None:
    return None if drive is None or back is None else kind(drive=drive, back=back)
