"""What a sheet without a winding gives of the joint: a largest torque, a top speed, inertia and friction."""

from __future__ import annotations

from dataclasses import dataclass

from ..actuator import Actuator, DcClip, EffortLimit
from ..errors import DatasheetError
from ..units import format_quantity
from .normalise import gear_ratings
from .solve import TORQUES, Solved


@dataclass(frozen=True, kw_only=True)
class JointLimits:
    """Limits of a joint, behind the gearbox, and where each number comes from."""

    limit: DcClip | EffortLimit
    """The torque-speed line with a flat top; a flat limit where no top speed is known."""
    how: dict[str, str]
    """In words, where each number of the limit comes from."""

    def __str__(self) -> str:
        top = format_quantity(float(self.limit.effort_limit), "N*m")
        if isinstance(self.limit, EffortLimit):
            return f"{top} at any speed"
        return f"{top}, none left at {format_quantity(float(self.limit.velocity_limit), 'rad/s')}"


def joint_limits(s: Solved) -> JointLimits | None:
    """The limits that the figures allow; None where no torque is given, and for a linear motor.

    The line ends without torque at the no-load speed w0. It begins at the stall torque; where that is not printed, it
    goes through the nominal point, t0 = tn/(1 - wn/w0), and begins at the peak torque or above.
    """
    torque, speed = _largest_torque(s), _top_speed(s)
    if torque is None or s.sheet.motion == "linear":
        return None
    top, top_from = torque
    if speed is None:
        return JointLimits(limit=EffortLimit(effort_limit=top), how={"effort_limit": top_from})
    end, end_from = speed
    stall, stall_from = _line_start(s, top, end)
    return JointLimits(
        limit=DcClip(saturation_effort=stall, velocity_limit=end, effort_limit=top),
        how={"saturation_effort": stall_from, "velocity_limit": end_from, "effort_limit": top_from},
    )


def limits_actuator(s: Solved) -> Actuator:
    """An actuator with only the limits of a sheet; raises `DatasheetError` where there are none."""
    found = joint_limits(s)
    if found is None:
        raise DatasheetError(
            f"{s.sheet.label}: too few figures: a motor lacks: {'; '.join(s.missing())}; an actuator of limits needs "
            "[peak] torque, or [mechanical] stall_torque or nominal_torque, and preferably [mechanical] no_load_speed "
            "or max_speed"
        )
    return Actuator(limits=found.limit)


def joint_constants(s: Solved) -> dict[str, float]:
    """Inertia and friction of the drive at the joint, as far as they are known, by the names of a motor file."""
    n = s.figures.ratio
    gears, before = 0.0, 1.0
    for stage in s.sheet.gear:
        gears += (stage.inertia or 0.0) / before**2
        before *= abs(stage.ratio or 1.0)
    known = {
        "armature": n * n * ((s.inertia or 0.0) + gears),
        "coulomb": n * (s.coulomb or 0.0),
        "stiction": n * (s.figures.stiction or 0.0),
        "viscous": n * n * (s.drag[0] if s.drag else 0.0),
    }
    return {name: value for name, value in known.items() if value}


def _largest_torque(s: Solved) -> tuple[float, str] | None:
    """Largest torque at the joint [N·m]: the least of what motor and gears allow for a short time."""
    f, gear = s.figures, gear_ratings(s.sheet)
    own = next((name for name in TORQUES if f.has(name)), None)
    if own is None:
        return None
    found = [(getattr(f, own) * f.ratio * f.efficiency, own.replace("_", " "))]
    if f.peak_torque is not None and f.stall_torque is not None:
        found.append((f.stall_torque * f.ratio * f.efficiency, "stall torque"))
    for name in ("gear_peak_torque", "gear_torque"):
        if gear[name] is not None:
            found.append((gear[name] or 0.0, f"permissible {name.replace('_', ' ')}"))
            break
    return min(found)


def _top_speed(s: Solved) -> tuple[float, str] | None:
    """Top speed of the joint [rad/s]: the least of what is printed."""
    f, gear = s.figures, gear_ratings(s.sheet)
    speeds = (
        (f.no_load_speed, "no-load speed"),
        (f.max_speed, "largest permissible speed"),
        (gear["gear_input_speed"], "permissible gear input speed"),
    )
    found = [(value / f.ratio, name) for value, name in speeds if value is not None]
    return min(found) if found else None


def _line_start(s: Solved, top: float, end: float) -> tuple[float, str]:
    """Torque at which the line begins at standstill [N·m]."""
    f = s.figures
    up = f.ratio * f.efficiency
    if f.stall_torque is not None:
        return f.stall_torque * up, "stall torque"
    if f.nominal_torque is not None and f.nominal_speed is not None and f.nominal_speed < end * f.ratio:
        through = f.nominal_torque * up / (1.0 - f.nominal_speed / (end * f.ratio))
        if through > top:
            return through, "line through the nominal point"
    return top, "the largest torque"
