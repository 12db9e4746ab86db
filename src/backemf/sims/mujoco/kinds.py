"""Actuators of a compiled model: what MuJoCo calls them, what they drive, and why some kinds are not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from ...errors import ParameterError
from ..mujoco_types import MjModel
from .versions import CONTROLLER_INPUTS

YOURSELF = "give the joint an Actuator yourself"
Range = tuple[float, float]
FREE: Range = (-np.inf, np.inf)
_ENUMS = {"gain": "mjtGain", "bias": "mjtBias", "dyn": "mjtDyn", "trn": "mjtTrn"}
_DECISIVE = (
    ("gain", "user"), ("bias", "user"), ("dyn", "user"), ("gain", "muscle"), ("bias", "muscle"), ("dyn", "muscle"),
    ("gain", "dcmotor"), ("gain", "so3"), ("gain", "pid"), ("trn", "body"),
)  # fmt: skip
"""Types that decide the kind of an actuator by themselves."""
_NAMES = {"so3": "orientation", "body": "adhesion"}
"""Kinds whose name is not that of the type that decides."""
REASONS = {
    "plugin": f"is computed by a MuJoCo plug-in, whose law is not in the file; {YOURSELF}",
    "user": f"has a type that is computed in the user's own code, which is not in the file; {YOURSELF}",
    "muscle": "is a muscle, whose force follows its length and an activation; backemf has no muscles",
    "orientation": "is an orientation servo, which turns a ball joint or a site about three axes; a motor has one",
    "adhesion": "is an adhesion actuator, which presses a body on what it touches and drives no joint",
    "damper": f"is a damper, whose ctrl is a damping and not a target; backemf has no such controller; {YOURSELF}",
    "cylinder": "is a cylinder, whose pressure follows ctrl through a filter, which backemf does not have; "
    f"{YOURSELF}, such as Torque() with an EffortRange",
}
"""Why a kind is not read."""


@dataclass(frozen=True)
class ModelActuator:
    """An actuator of a compiled model."""

    mujoco: ModuleType
    model: MjModel
    """The `MjModel`."""
    index: int

    @property
    def label(self) -> str:
        """Its name, or its number."""
        return self.model.actuator(self.index).name or f"number {self.index}"

    def numbers(self, field: str) -> list[float]:
        """The row of an array such as `actuator_gainprm`."""
        return np.atleast_1d(getattr(self.model, f"actuator_{field}")[self.index]).tolist()

    def is_type(self, part: str, *names: str) -> bool:
        """Whether its gain, bias, dynamics or transmission is one of these, in any version of MuJoCo."""
        known = getattr(self.mujoco, _ENUMS[part])
        types = [getattr(known, f"mj{part.upper()}_{name.upper()}", None) for name in names]
        found = int(getattr(self.model, f"actuator_{part}type")[self.index])
        return found in [int(each) for each in types if each is not None]

    @property
    def kind(self) -> str:
        """The element of MJCF that it would be written as."""
        if self.model.actuator_plugin[self.index] >= 0:
            return "plugin"
        for part, name in _DECISIVE:
            if self.is_type(part, name):
                return _NAMES.get(name, name)
        gain, bias = self.numbers("gainprm"), self.numbers("biasprm")
        if self.is_type("gain", "affine"):
            plain = not any(gain[:2]) and self.is_type("bias", "none") and self.is_type("dyn", "none")
            return "damper" if plain else "general"
        fixed = self.is_type("gain", "fixed")
        b0, b1, b2 = bias[:3] if self.is_type("bias", "affine") else (0.0, 0.0, 0.0)
        position = fixed and b1 < 0.0 and b0 == 0.0 and gain[0] == -b1
        if self.is_type("dyn", "integrator"):
            return "intvelocity" if position else "general"
        if self.is_type("dyn", "filter", "filterexact"):
            cylinder = fixed and self.is_type("dyn", "filter")
            return "position" if position else "cylinder" if cylinder else "general"
        if not fixed or not self.is_type("dyn", "none"):
            return "general"
        if position:
            return "position"
        if (b0, b1) == (0.0, 0.0) and b2 < 0.0 and gain[0] == -b2:
            return "velocity"
        return "motor" if gain[0] == 1.0 and not any((b0, b1, b2)) else "general"

    @property
    def inputs(self) -> tuple[str, ...]:
        """Its inputs by name, since MuJoCo 3.12."""
        spec = int(self.model.actuator_ctrlspec[self.index])
        return tuple(name for bit, name in enumerate((*CONTROLLER_INPUTS, "voltage")) if spec & (1 << bit))

    @property
    def ctrl_ranges(self) -> tuple[Range, ...]:
        """The range of each of its controls."""
        # since 3.12 an actuator may have several controls, and each has a range
        several = hasattr(self.model, "actuator_ctrladr")
        first = int(self.model.actuator_ctrladr[self.index]) if several else self.index
        count = int(self.model.actuator_ctrlnum[self.index]) if several else 1
        clamps = not int(self.model.opt.disableflags) & int(self.mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)
        return tuple(
            range_of(self.model.actuator_ctrlrange[row], clamps and self.model.actuator_ctrllimited[row])
            for row in range(first, first + count)
        )

    @property
    def joint_number(self) -> int | None:
        """Number of the joint that it drives; None where it drives something else."""
        on_joint = self.is_type("trn", "joint", "jointinparent")
        return int(self.model.actuator_trnid[self.index, 0]) if on_joint else None

    @property
    def joint_name(self) -> str | None:
        """Name of the joint that it drives; None where it drives something else."""
        return None if self.joint_number is None else str(self.model.joint(self.joint_number).name)

    def require_joint(self) -> int:
        """Number of the joint that it drives; raise ParameterError where it drives something else."""
        if self.joint_number is not None:
            return self.joint_number
        mujoco, model, target = self.mujoco, self.model, int(self.model.actuator_trnid[self.index, 0])
        if self.is_type("trn", "tendon"):
            first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
            pulled = [
                model.joint(int(model.wrap_objid[row])).name
                for row in range(first, first + count)
                if int(model.wrap_type[row]) == int(mujoco.mjtWrap.mjWRAP_JOINT)
            ]
            through = f"the joints {', '.join(map(repr, pulled))}" if pulled else "sites along its path"
            what = f"pulls the tendon {model.tendon(target).name!r}, which moves {through}"
        elif self.is_type("trn", "site"):
            what = f"pushes at the site {model.site(target).name!r}"
        else:
            what = "drives a slider-crank" if self.is_type("trn", "slidercrank") else "drives no joint"
        raise ParameterError(f"actuator {self.label!r} {what}: only an actuator of a joint can be read; {YOURSELF}")


def actuators_of(mujoco: ModuleType, model: MjModel) -> list[ModelActuator]:
    """Every actuator of a compiled model."""
    return [ModelActuator(mujoco, model, index) for index in range(len(model.actuator_trntype))]


def range_of(row: Sequence[float] | np.ndarray, limited: object) -> Range:
    """Two plain numbers; without a limit, infinite ones."""
    low, high = row if limited else FREE
    return float(low), float(high)
