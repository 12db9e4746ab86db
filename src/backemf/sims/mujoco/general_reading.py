"""From the rows of a compiled actuator to a `General`, and from there to an actuator of ours with what is lost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...actuator import Actuator, EffortRange, IdealPd, Torque, TorquePid
from ...errors import ParameterError
from ..loss import APPROXIMATED, DROPPED, KEPT, Loss
from .general import TARGETS, General
from .kinds import YOURSELF, is_type, kind_of, require_kind
from .versions import CONTROLLER_INPUTS

DYNAMICS = ("none", "integrator", "filter", "filterexact", "pid")


class Read(NamedTuple):
    """An actuator of ours, and what it does not hold."""

    actuator: Actuator
    losses: tuple[Loss, ...] = ()


def general_of(mujoco: Any, model: Any, index: int, name: str) -> General:
    """The constants of an actuator of a compiled model; raises one sentence for a kind that has another law."""
    kind = kind_of(mujoco, model, index)
    require_kind(kind, name)
    dynamics = [word for word in DYNAMICS if is_type(mujoco, model, index, "dyn", word)]
    pid = is_type(mujoco, model, index, "gain", "pid")
    known = pid or is_type(mujoco, model, index, "gain", "fixed")
    if not dynamics or not known or not is_type(mujoco, model, index, "bias", "none", "affine"):
        raise ParameterError(f"actuator {name!r} is a general actuator whose gain depends on the joint; {YOURSELF}")
    gain, dyn = model.actuator_gainprm[index].tolist(), model.actuator_dynprm[index].tolist()
    affine = is_type(mujoco, model, index, "bias", "affine")
    bias = tuple(model.actuator_biasprm[index].tolist()[:3]) if affine else (0.0, 0.0, 0.0)
    limited = bool(model.actuator_actlimited[index])
    return General(
        kind=kind,
        gain=gain[0],
        bias=bias,
        gear=float(model.actuator_gear[index, 0]),
        dynamics="pid" if pid else dynamics[0],
        inputs=pid_inputs(model, index) if pid else (),
        timeconst=dyn[0],
        act_range=pair(model.actuator_actrange[index]) if limited else (-np.inf, np.inf),
        early=bool(model.actuator_actearly[index]),
        integral_limit=dyn[0] if pid else 0.0,
        slew=dyn[1] if pid else 0.0,
        ctrl_ranges=ctrl_ranges(mujoco, model, index),
        force_range=pair(model.actuator_forcerange[index]) if model.actuator_forcelimited[index] else (-np.inf, np.inf),
    )


def pair(row: Any) -> tuple[float, float]:
    """Two plain numbers."""
    low, high = (float(x) for x in row)
    return low, high


def pid_inputs(model: Any, index: int) -> tuple[str, ...]:
    """The inputs of a pid."""
    spec = int(model.actuator_ctrlspec[index])
    return tuple(name for bit, name in enumerate(CONTROLLER_INPUTS) if spec & (1 << bit))


def ctrl_ranges(mujoco: Any, model: Any, index: int) -> tuple[tuple[float, float], ...]:
    """The range of each control of an actuator."""
    # since 3.12 an actuator may have several controls, and each has a range
    several = hasattr(model, "actuator_ctrladr")
    first = int(model.actuator_ctrladr[index]) if several else index
    count = int(model.actuator_ctrlnum[index]) if several else 1
    free = bool(int(model.opt.disableflags) & int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL))
    return tuple(
        pair(model.actuator_ctrlrange[row]) if model.actuator_ctrllimited[row] and not free else (-np.inf, np.inf)
        for row in range(first, first + count)
    )


def actuator_of_general(g: General, name: str) -> Read:
    """The actuator; raises one sentence where no controller of ours has its law."""
    try:
        return converted(g, name)
    except ParameterError as error:
        if str(error).startswith("actuator "):
            raise
        raise ParameterError(f"actuator {name!r}: {error}") from None


def converted(g: General, name: str) -> Read:
    """The actuator and its losses."""
    _, b1, b2 = g.bias
    if g.gear == 0.0:
        raise ParameterError("gear = 0: it drives nothing; leave it out")
    if b1 > 0.0 or b2 > 0.0:
        which = f"b1 = {b1:g}: it pushes the joint away" if b1 > 0.0 else f"b2 = {b2:g}: it drives a motion on"
        raise ParameterError(f"biasprm {which}, the more the farther; no controller here does: make it negative")
    if g.dynamics != "pid" and g.gain == 0.0 and not any(g.bias):
        raise ParameterError("gainprm = 0 without a bias: it drives nothing; leave it out")
    if g.dynamics == "pid":
        controller, losses = pid_controller(g)
    elif g.dynamics == "integrator":
        controller, losses = moving_controller(g)
    else:
        controller, losses = plain_controller(g)
    command_range, more = command_range_of(g)
    return Read(
        Actuator(
            controller=controller,
            limits=effort_range(g, name),
            command_range=command_range,
            slew=g.slew / abs(g.gear) if g.slew > 0.0 else None,
        ),
        (*command_row(g), *losses, *more),
    )


def plain_controller(g: General) -> tuple[Any, list[Loss]]:
    """A servo or a torque: what listens to one target."""
    _, b1, b2 = g.bias
    square, losses = g.gear * g.gear, []
    if g.dynamics != "none":
        note = (
            f"MuJoCo lets ctrl follow through a low-pass of {g.timeconst:g} s ({g.dynamics}), which is no part here: "
            "filter the targets before they are commanded"
        )
        losses.append(Loss("command filter", DROPPED, note))
        losses += activation_rows(g)
    if b1:
        # a damping of 0 has no sign
        return IdealPd(stiffness=-square * b1, damping=-square * b2 or 0.0, listens=("position",)), losses
    if b2:
        return TorquePid(kd=-square * b2, follows="velocity", listens=("velocity",)), losses
    return Torque(), losses


def moving_controller(g: General) -> tuple[Any, list[Loss]]:
    """A position that moves on at the commanded velocity."""
    b0, b1, b2 = g.bias
    if not b1 or not g.gain:
        raise ParameterError(
            "dyntype = integrator without a gain and a negative b1: its torque adds up without end, and no controller "
            f"here does that; {YOURSELF}"
        )
    zero = b0 / -b1 / g.gear
    note = f"MuJoCo's moving target starts at {zero:g} rad, wherever the joint is; ours starts where the joint is"
    losses = [Loss("start of the integral", APPROXIMATED, note), *activation_rows(g)]
    if b2 and np.isfinite(g.force_range).any():
        losses.append(OUTSIDE)
    return TorquePid(ki=-g.gear * g.gear * b1, follows="velocity", listens=("velocity",)), losses


OUTSIDE = Loss(
    "damping",
    APPROXIMATED,
    "kv is outside the effort range here, with the damping of the joint; in MuJoCo it is within",
)
"""A damping that a limit no longer bounds."""


def activation_rows(g: General) -> list[Loss]:
    """What is lost of an activation."""
    losses = []
    if np.isfinite(g.act_range).any():
        low, high = g.act_range
        note = f"actrange = {low:g} {high:g} bounds what ctrl has become of, and has no counterpart here"
        losses.append(Loss("activation range", DROPPED, note))
    if g.early:
        losses.append(Loss("actearly", DROPPED, "MuJoCo acts with the activation of the end of the step"))
    return losses


def pid_controller(g: General) -> tuple[Any, list[Loss]]:
    """A pid with the inputs that it has."""
    b0, b1, b2 = g.bias
    square, losses = g.gear * g.gear, []
    heard = tuple(TARGETS[word] for word in g.inputs)
    if not heard:
        raise ParameterError("input = none: it takes no command; leave it out")
    if b0:
        raise ParameterError(f"biasprm b0 = {b0:g} is a torque that always acts; no controller here has one")
    if b1 and "position" not in heard:
        raise ParameterError(f"kp = {-b1:g} without the input pos pulls the joint to 0; take it out")
    if g.slew > 0.0:
        note = "MuJoCo's slew limit starts at 0, wherever the joint is; ours starts where the joint is"
        losses.append(Loss("slew", APPROXIMATED, note))
    gains: dict[str, Any] = {"kp": -square * b1 or 0.0, "kd": -square * b2 or 0.0}
    if g.gain:
        gains["ki"] = square * g.gain
        if g.integral_limit > 0.0:
            gains["integral_limit"] = g.integral_limit / abs(g.gear)
            note = "MuJoCo stops the integral up to one step beyond imax; ours ends at it"
            losses.append(Loss("integral limit", APPROXIMATED, note))
    if heard == ("effort",) and b2:
        losses.append(LISTENS)
        return TorquePid(**gains, follows="velocity", listens=("velocity", "effort")), losses
    if heard == ("effort",):
        return Torque(), losses
    if "position" not in heard:
        return TorquePid(**gains, follows="velocity", listens=heard), losses
    if g.gain:
        return TorquePid(**gains, listens=heard), losses
    return IdealPd(stiffness=gains["kp"], damping=gains["kd"], listens=heard), losses


LISTENS = Loss(
    "command", APPROXIMATED, "it takes an effort alone in MuJoCo; here it takes a velocity too, which must be left out"
)
"""A damping under an effort, for which a controller here follows a velocity as well."""


def command_row(g: General) -> list[Loss]:
    """What ctrl is of the command, where the two are not the same number."""
    if g.dynamics == "pid":
        if g.gear == 1.0:
            return []
        return [Loss("command", KEPT, f"targets are the joint's: ctrl has the gear {g.gear:g}")]
    if g.scale == 0.0:
        return [Loss("command", KEPT, "ctrl has no effect in MuJoCo (its gain is 0): the target is always the same")]
    if g.scale == 1.0 and g.offset == 0.0:
        return []
    shift = f" {'+' if g.offset > 0.0 else '-'} {abs(g.offset):.6g}" if g.offset else ""
    note = f"ctrl = {g.scale:.6g}·target{shift}: a command here is the {g.main} of the joint itself"
    return [Loss("command", KEPT, note)]


def command_range_of(g: General) -> tuple[tuple[float, float] | None, list[Loss]]:
    """The range of the main input, in its unit, and what of the others is lost."""
    if g.scale == 0.0:
        _, b1, b2 = g.bias
        # gear·b0 is the torque at rest at 0
        held = g.gear * g.bias[0] / (-g.gear * g.gear * (b1 or b2) if b1 or b2 else 1.0)
        return (held, held), []
    low, high = g.ctrl_ranges[0]
    losses = []
    others = [ends for ends in g.ctrl_ranges[1:] if np.isfinite(ends).any()]
    damped_effort = g.inputs == ("ff",) and g.bias[2] != 0.0
    if others or (damped_effort and np.isfinite((low, high)).any()):
        shown = ", ".join(f"{low:g} {high:g}" for low, high in others or [(low, high)])
        losses.append(Loss("command range", DROPPED, f"a range ({shown}) of an input beside the main one"))
    if damped_effort or not np.isfinite((low, high)).any():
        return None, losses
    first, second = sorted(((low - g.offset) / g.scale, (high - g.offset) / g.scale))
    return (first, second), losses


def effort_range(g: General, name: str) -> tuple[EffortRange, ...]:
    """The range of the force, brought to the joint."""
    if not np.isfinite(g.force_range).any():
        return ()
    low, high = sorted(g.gear * end for end in g.force_range)
    if low > 0.0 or high < 0.0:
        raise ParameterError(
            f"actuator {name!r}: forcerange = {g.force_range[0]:g} {g.force_range[1]:g} is without 0: it pushes "
            "whatever is commanded, which no limit here does; widen it to 0"
        )
    # a bound of 0 has no sign
    return (EffortRange(lowest=low or 0.0, highest=high or 0.0),)
