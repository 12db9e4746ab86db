"""What MuJoCo calls an actuator of a compiled model, and why some kinds are not read."""

from __future__ import annotations

from typing import Any

from ...errors import ParameterError

YOURSELF = "give the joint an Actuator yourself"


def is_type(mujoco: Any, model: Any, index: int, part: str, *names: str) -> bool:
    """Whether the gain, bias, dynamics or transmission of an actuator is one of these, in any version of MuJoCo."""
    kind = {"gain": "Gain", "bias": "Bias", "dyn": "Dyn", "trn": "Trn"}[part]
    known = getattr(mujoco, f"mjt{kind}")
    types = [getattr(known, f"mj{part.upper()}_{name.upper()}", None) for name in names]
    found = int(getattr(model, f"actuator_{part}type")[index])
    return found in [int(each) for each in types if each is not None]


def kind_of(mujoco: Any, model: Any, index: int) -> str:
    """The element of MJCF that an actuator would be written as."""

    def is_(part: str, *names: str) -> bool:
        return is_type(mujoco, model, index, part, *names)

    if model.actuator_plugin[index] >= 0:
        return "plugin"
    for name, part, word in SINGULAR:
        if is_(part, word):
            return name
    gain, bias = model.actuator_gainprm[index].tolist(), model.actuator_biasprm[index].tolist()
    if is_("gain", "affine"):
        return "damper" if not any(gain[:2]) and is_("bias", "none") and is_("dyn", "none") else "general"
    plain = is_("gain", "fixed")
    b0, b1, b2 = bias[:3] if is_("bias", "affine") else (0.0, 0.0, 0.0)
    position = plain and b1 < 0.0 and b0 == 0.0 and gain[0] == -b1
    if is_("dyn", "integrator"):
        return "intvelocity" if position else "general"
    if is_("dyn", "filter", "filterexact"):
        return "position" if position else "cylinder" if plain and is_("dyn", "filter") else "general"
    if not plain or not is_("dyn", "none"):
        return "general"
    if position:
        return "position"
    if (b0, b1) == (0.0, 0.0) and b2 < 0.0 and gain[0] == -b2:
        return "velocity"
    return "motor" if gain[0] == 1.0 and not any((b0, b1, b2)) else "general"


SINGULAR = (
    ("user", "gain", "user"), ("user", "bias", "user"), ("user", "dyn", "user"), ("muscle", "gain", "muscle"),
    ("muscle", "bias", "muscle"), ("muscle", "dyn", "muscle"), ("dcmotor", "gain", "dcmotor"),
    ("orientation", "gain", "so3"), ("pid", "gain", "pid"), ("adhesion", "trn", "body"),
)  # fmt: skip
"""Kinds that one of their types tells."""
REASONS = {
    "plugin": f"is computed by a plug-in of MuJoCo's, whose law the file does not hold; {YOURSELF}",
    "user": f"has a type that is computed in the user's own code, which the file does not hold; {YOURSELF}",
    "muscle": "is a muscle, whose force follows its length and an activation; there is no muscle here",
    "orientation": "is an orientation servo, which turns a ball joint or a site about three axes; a motor has one",
    "adhesion": "is an adhesion actuator, which presses a body on what it touches and drives no joint",
    "damper": f"is a damper, whose ctrl is a damping and not a target; there is no such controller here; {YOURSELF}",
    "cylinder": "is a cylinder, whose pressure follows ctrl through a filter that is no part here; "
    f"{YOURSELF}, such as Torque() with an EffortRange",
}
"""Why a kind is not read."""


def require_kind(kind: str, name: str) -> None:
    """Raise one sentence for a kind that cannot be read."""
    if kind in REASONS:
        raise ParameterError(f"actuator {name!r} {REASONS[kind]}")


def joint_number(mujoco: Any, model: Any, index: int) -> int | None:
    """Number of the joint that an actuator drives; None where it drives something else."""
    on_joint = is_type(mujoco, model, index, "trn", "joint", "jointinparent")
    return int(model.actuator_trnid[index, 0]) if on_joint else None


def require_joint(mujoco: Any, model: Any, index: int, name: str) -> int:
    """Number of the joint that an actuator drives; raises one sentence where it drives something else."""
    number = joint_number(mujoco, model, index)
    if number is not None:
        return number
    target = int(model.actuator_trnid[index, 0])
    if is_type(mujoco, model, index, "trn", "tendon"):
        first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
        rows = range(first, first + count)
        pulled = [
            model.joint(int(model.wrap_objid[row])).name
            for row in rows
            if int(model.wrap_type[row]) == int(mujoco.mjtWrap.mjWRAP_JOINT)
        ]
        through = f"the joints {', '.join(map(repr, pulled))}" if pulled else "sites along its path"
        what = f"pulls the tendon {model.tendon(target).name!r}, which moves {through}"
    elif is_type(mujoco, model, index, "trn", "site"):
        what = f"pushes at the site {model.site(target).name!r}"
    elif is_type(mujoco, model, index, "trn", "slidercrank"):
        what = "drives a slider-crank"
    else:
        what = "drives no joint"
    raise ParameterError(f"actuator {name!r} {what}: only an actuator of a joint can be read; {YOURSELF}")
