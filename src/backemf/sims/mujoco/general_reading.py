"""From the rows of a compiled actuator to a `General`, and from there to a backemf actuator, with what is lost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...actuator import Actuator, EffortRange, IdealPd, Torque, TorquePid
from ...actuator.controllers import Controller
from ...errors import ParameterError, errors_at
from ..loss import APPROXIMATED, DROPPED, KEPT, Loss
from ..types import Fields
from .general import TARGETS, General
from .kinds import REASONS, YOURSELF, ModelActuator, range_of

DYNAMICS = ("none", "integrator", "filter", "filterexact", "pid")


class Read(NamedTuple):
    """A backemf actuator, and what it does not represent."""

    actuator: Actuator
    losses: tuple[Loss, ...] = ()


def general_of(row: ModelActuator) -> General:
    """The constants of an actuator of a compiled model; raise ParameterError for a kind that has another law."""
    kind, model, index = row.kind, row.model, row.index
    if kind in REASONS:
        raise ParameterError(f"actuator {row.label!r} {REASONS[kind]}")
    dynamics = [word for word in DYNAMICS if row.is_type("dyn", word)]
    pid = row.is_type("gain", "pid")
    if not dynamics or not (pid or row.is_type("gain", "fixed")) or not row.is_type("bias", "none", "affine"):
        raise ParameterError(
            f"actuator {row.label!r} is a general actuator whose gain depends on the joint; {YOURSELF}"
        )
    dyn = row.numbers("dynprm")
    b0, b1, b2 = row.numbers("biasprm")[:3] if row.is_type("bias", "affine") else (0.0, 0.0, 0.0)
    return General(
        kind=kind,
        gain=row.numbers("gainprm")[0],
        bias=(b0, b1, b2),
        gear=row.numbers("gear")[0],
        dynamics="pid" if pid else dynamics[0],
        inputs=row.inputs if pid else (),
        timeconst=dyn[0],
        act_range=range_of(model.actuator_actrange[index], model.actuator_actlimited[index]),
        early=bool(model.actuator_actearly[index]),
        integral_limit=dyn[0] if pid else 0.0,
        slew=dyn[1] if pid else 0.0,
        ctrl_ranges=row.ctrl_ranges,
        force_range=range_of(model.actuator_forcerange[index], model.actuator_forcelimited[index]),
    )


def actuator_of_general(g: General, name: str) -> Read:
    """The actuator; raise ParameterError where no backemf controller has its law."""
    with errors_at(f"actuator {name!r}"):
        return convert(g)


def convert(g: General) -> Read:
    """The actuator and its losses."""
    _, b1, b2 = g.bias
    if g.gear == 0.0:
        raise ParameterError("gear = 0: it drives nothing; leave it out")
    if b1 > 0.0 or b2 > 0.0:
        which = f"b1 = {b1:g}: its torque grows with the angle" if b1 > 0.0 else f"b2 = {b2:g}: it drives a motion on"
        raise ParameterError(f"biasprm {which}, which no backemf controller does: make it negative")
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
            limits=effort_limits(g.force_range, g.gear, "forcerange"),
            command_range=command_range,
            slew=g.slew / abs(g.gear) if g.slew > 0.0 else None,
        ),
        (*command_row(g), *losses, *more),
    )


def plain_controller(g: General) -> tuple[Controller, list[Loss]]:
    """A servo or a torque: what listens to one target."""
    _, b1, b2 = g.bias
    square, losses = g.gear * g.gear, []
    if g.dynamics != "none":
        note = (
            f"MuJoCo lets ctrl follow through a low-pass of {g.timeconst:g} s ({g.dynamics}), which backemf does not "
            "have: filter the targets before you command them"
        )
        losses.append(Loss("command filter", DROPPED, note))
        losses += activation_rows(g)
    if b1:
        # a damping of 0 has no sign
        return IdealPd(stiffness=-square * b1, damping=-square * b2 or 0.0, listens=("position",)), losses
    if b2:
        return TorquePid(kd=-square * b2, follows="velocity", listens=("velocity",)), losses
    return Torque(), losses


def moving_controller(g: General) -> tuple[Controller, list[Loss]]:
    """A position that moves on at the commanded velocity."""
    b0, b1, b2 = g.bias
    if not b1 or not g.gain:
        raise ParameterError(
            "dyntype = integrator without a gain and a negative b1: its torque grows without limit, and no backemf "
            f"controller does that; {YOURSELF}"
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
        note = f"actrange = {low:g} {high:g} bounds the activation, and has no counterpart here"
        losses.append(Loss("activation range", DROPPED, note))
    if g.early:
        losses.append(Loss("actearly", DROPPED, "MuJoCo acts with the activation of the end of the step"))
    return losses


def pid_controller(g: General) -> tuple[Controller, list[Loss]]:
    """A pid with the inputs that it has."""
    b0, b1, b2 = g.bias
    square, losses = g.gear * g.gear, []
    heard = tuple(TARGETS[word] for word in g.inputs)
    if not heard:
        raise ParameterError("input = none: it takes no command; leave it out")
    if b0:
        raise ParameterError(f"biasprm b0 = {b0:g} is a torque that always acts; no backemf controller has one")
    if b1 and "position" not in heard:
        raise ParameterError(f"kp = {-b1:g} without the input pos pulls the joint to 0; take it out")
    if g.slew > 0.0:
        note = "MuJoCo's slew limit starts at 0, wherever the joint is; ours starts where the joint is"
        losses.append(Loss("slew", APPROXIMATED, note))
    gains: Fields = {"kp": -square * b1 or 0.0, "kd": -square * b2 or 0.0}
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


def effort_limits(ends: tuple[float, float], gear: float, what: str) -> tuple[EffortRange, ...]:
    """The range of a torque, brought to the joint by a gear; empty where it has no bound."""
    if not np.isfinite(ends).any():
        return ()
    low, high = sorted(gear * end for end in ends)
    if low > 0.0 or high < 0.0:
        raise ParameterError(
            f"{what} = {ends[0]:g} {ends[1]:g} does not include 0: it pushes whatever is commanded, which no backemf "
            "limit does; widen it to 0"
        )
    # a bound of 0 has no sign
    return (EffortRange(lowest=low or 0.0, highest=high or 0.0),)
