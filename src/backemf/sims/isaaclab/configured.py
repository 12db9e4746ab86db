"""Isaac Lab's actuator configurations as a text has them, and as backemf actuators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, Torque, TorquePid
from ...actuator.delay import Delay
from ...actuator.torque_limits import AngleTable, DcClip, EffortLimit, TorqueLimit
from ...errors import BackemfError, ParameterError
from ...learned import LearnedMlp, LearnedRecurrent, Lstm, Mlp
from ..joint_choice import by_pattern, for_joint
from ..loss import DROPPED, UNKNOWN, Loss
from ..network_law import scales_of
from ..on_joint import OnJoint
from ..script_actuator import Value
from ..script_values import Partial
from ..types import Fields
from .law import DCMotor, DelayedPD, IdealPD, RemotizedPD

CLASSES = {
    "dc_motor": "DCMotorCfg",
    "ideal_pd": "IdealPDActuatorCfg",
    "delayed_pd": "DelayedPDActuatorCfg",
    "remotized": "RemotizedPDActuatorCfg",
    "implicit": "ImplicitActuatorCfg",
    "mlp": "ActuatorNetMLPCfg",
    "lstm": "ActuatorNetLSTMCfg",
}
"""Class of each kind of actuator."""
KINDS = {name: kind for kind, name in CLASSES.items()}
LINES = ("dc_motor", "mlp", "lstm")
"""Kinds with a torque-speed line."""
OF_JOINT = {
    "velocity_limit_sim": "speed limit",
    "armature": "rotor inertia",
    "friction": "stiction",
    "dynamic_friction": "dry friction",
    "viscous_friction": "viscous drag",
}
"""What belongs to the joint, and is that of the USD file where it is left out."""


@dataclass(frozen=True, kw_only=True)
class Configured:
    """An actuator as a text has it. Where the text has a dictionary, so has the field: `at(joint)` picks one joint.

    None is a field that the text leaves out, or None itself: then Isaac Lab takes the value of the robot's USD file.
    """

    kind: str
    """"dc_motor", "ideal_pd", "delayed_pd", "remotized", "implicit", "mlp" or "lstm"."""
    joints: tuple[str, ...]
    """Patterns of joint names."""
    stiffness: Value = None
    """Torque per position error [N·m/rad]; also None if a network replaces it."""
    damping: Value = None
    """Torque per velocity error [N·m·s/rad]; also None if a network replaces it."""
    effort_limit: Value = None
    """Largest torque of the model [N·m]; infinite: no limit."""
    effort_limit_sim: Value = None
    """Largest torque that the solver passes on [N·m]; None: that of the USD file for "implicit", else none."""
    saturation_effort: Value = None
    """Torque at stall [N·m]."""
    velocity_limit: Value = None
    """Speed without load [rad/s]; only a kind with a torque-speed line uses it."""
    velocity_limit_sim: Value = None
    """Speed above which the solver brakes the joint [rad/s]."""
    armature: Value = None
    """Inertia added to the joint [kg·m²]."""
    friction: Value = None
    """Friction at rest [N·m]."""
    dynamic_friction: Value = None
    """Friction when sliding [N·m]."""
    viscous_friction: Value = None
    """Friction per speed [N·m·s/rad]."""
    delay: Delay | None = None
    """Delay of the targets; None: none."""
    table: AngleTable | None = None
    """Largest torque by joint angle."""
    transmission_ratio: tuple[float, ...] | None = None
    """Ratios of the table, which have no effect [1]."""
    network: Fields | None = None
    """Additional fields of a learned actuator: `network_file`, scales, `input_idx`, `input_order`."""
    line: int = 0
    """Line of the text on which it begins [1]."""
    file: str = ""
    """File of the text."""
    robots: tuple[str, ...] = ()
    """Names in the text that hold it, such as "FRANKA_PANDA_CFG"."""
    group: str = ""
    """Its key among the actuators of its robot."""

    def at(self, joint: str) -> Self:
        """The same for one joint: of each dictionary, the number whose pattern fits the whole name.

        A joint that fits none has 0 there, as in Isaac Lab; a torque limit it must have.
        """
        return for_joint(self, joint, lambda name: None if name.startswith("effort_limit") else 0.0)

    def by_pattern(self) -> list[Self]:
        """The same for each pattern of joints that has its own numbers."""
        return by_pattern(self)

    @property
    def top(self) -> float | None:
        """Largest torque of model and solver together [N·m]; None: there is none, or it is in the USD file."""
        own = None if self.kind == "remotized" else self.effort_limit
        known = [limit for limit in (own, self.effort_limit_sim) if limit is not None and limit != math.inf]
        return min(known, default=None)

    @property
    def limits(self) -> tuple[TorqueLimit, ...]:
        """The limits of the joint torque."""
        top = self.top
        if self.kind in LINES:
            top = self.saturation_effort if top is None else top
            if self.kind == "lstm":
                # Isaac Lab 2.2 and 2.3 clip it as if the joint stood still
                return (EffortLimit(effort_limit=min(top, self.saturation_effort)),)
            line = {"saturation_effort": self.saturation_effort, "velocity_limit": self.velocity_limit}
            return (DcClip(**line, effort_limit=top),)
        table = () if self.table is None else (self.table,)
        return table if top is None else (*table, EffortLimit(effort_limit=top))

    def controller(self) -> IdealPd | TorquePid | Torque:
        """The PD law; if a gain is in the USD file, its target is not taken, since an unknown gain is not 0."""
        if self.stiffness is not None:
            known = None if self.damping is not None else ("position", "effort")
            return IdealPd(stiffness=self.stiffness, damping=self.damping or 0.0, listens=known)
        if self.damping is not None:
            return TorquePid(kd=self.damping, follows="velocity", listens=("velocity", "effort"))
        return Torque()

    def actuator(self) -> Actuator:
        """The same as a backemf actuator without a motor."""
        controller = self.controller() if self.network is None else self.learned_controller()
        return Actuator(controller=controller, limits=self.limits, delay=self.delay)

    def on_joint(self) -> OnJoint:
        """The same with the joint's own numbers, and what is lost or is in the USD file."""
        beside = {"velocity_limit_sim": self.velocity_limit_sim}
        if self.kind not in ("dc_motor", "mlp"):
            beside |= {"saturation_effort": self.saturation_effort, "velocity_limit": self.velocity_limit}
        return OnJoint(
            actuator=self.actuator(),
            joint=self.joints[0],
            armature=self.armature or 0.0,
            coulomb=self.dynamic_friction or 0.0,
            stiction=self.friction,
            viscous=self.viscous_friction or 0.0,
            beside={name: number for name, number in beside.items() if number is not None and number != math.inf},
            robots=self.robots,
            losses=self.losses(),
        )

    def losses(self) -> tuple[Loss, ...]:
        """What the actuator leaves open or has no place for."""
        found: list[Loss] = []
        if self.network is None:
            for name, unit, target in (("stiffness", "N·m/rad", "position"), ("damping", "N·m·s/rad", "velocity")):
                if getattr(self, name) is None:
                    note = f"{name} is that of the robot's USD file: no {target} target is taken until {name}= [{unit}]"
                    found.append(Loss(name, UNKNOWN, f"{note} is given."))
        found += self._limit_losses()
        for name, phenomenon in OF_JOINT.items():
            if getattr(self, name) is None:
                found.append(Loss(phenomenon, UNKNOWN, f"{name} is that of the robot's USD file; here there is none."))
        return tuple(found)

    def _limit_losses(self) -> list[Loss]:
        found: list[Loss] = []
        solver = self.effort_limit_sim if self.kind == "implicit" else None
        if self.kind != "remotized" and self.effort_limit is None and solver is None:
            most = "the stall torque is the largest" if self.kind in LINES else "there is no largest torque here"
            note = f"effort_limit is that of the robot's USD file: {most} until effort_limit= [N·m] is given."
            found.append(Loss("effort limit", UNKNOWN, note))
        if self.kind == "remotized" and self.effort_limit not in (None, math.inf):
            note = f"effort_limit = {self.effort_limit:g} N·m has no effect in Isaac Lab if there is a table by angle."
            found.append(Loss("effort limit", DROPPED, note))
        if self.velocity_limit not in (None, math.inf) and self.kind not in ("dc_motor", "mlp"):
            note = f"velocity_limit = {self.velocity_limit:g} rad/s has no effect in Isaac Lab on {CLASSES[self.kind]}."
            found.append(Loss("velocity limit", DROPPED, note))
        if self.velocity_limit_sim not in (None, math.inf):
            note = f"PhysX brakes the joint above {self.velocity_limit_sim:g} rad/s; the actuator does not."
            found.append(Loss("speed limit", DROPPED, note))
        return found

    def law(self) -> IdealPD | DCMotor | DelayedPD | RemotizedPD:
        """What Isaac Lab computes with it; for "implicit" the torque it reports, while the solver computes its own."""
        if self.network is not None:
            raise ParameterError(f"{self.kind}: its effort comes from a network, not from a law")
        if self.stiffness is None or self.damping is None:
            raise ParameterError(f"{self.kind}: stiffness and damping are in the robot's USD file: give both")
        gains = {"stiffness": self.stiffness, "damping": self.damping}
        steps: Any = (0, 0) if self.delay is None else self.delay.steps
        limit = self.limits[0] if self.limits else None
        if isinstance(limit, DcClip):
            return DCMotor(**gains, limit=limit)
        delays = {"min_delay": steps[0], "max_delay": steps[1]}
        if isinstance(self.table, AngleTable):
            ratio = None if self.transmission_ratio is None else np.asarray(self.transmission_ratio)
            return RemotizedPD(**gains, table=self.table, transmission_ratio=ratio, **delays)
        if self.kind == "delayed_pd":
            return DelayedPD(**gains, effort_limit=self.top, **delays)
        return IdealPD(**gains, effort_limit=self.top)

    # --- networks

    def learned_controller(self) -> LearnedMlp | LearnedRecurrent:
        """The controller of a learned actuator, with the network of its file."""
        from ...learned import load_network

        net = self.network or {}
        path = self._network_path()
        try:
            network = load_network(path)
        except BackemfError as error:
            raise ParameterError(f"{self._field('network_file')}: {error}") from None
        if self.kind == "lstm":
            if not isinstance(network, Lstm):
                raise ParameterError(f"{self._field('network_file')}: {path} holds no LSTM")
            return LearnedRecurrent(network=network)
        if not isinstance(network, Mlp):
            raise ParameterError(f"{self._field('network_file')}: {path} holds no MLP")
        history, stride = self._inputs()
        return LearnedMlp(network=network, history=history, stride=stride, **scales_of(net), reset="zero")

    def _network_path(self) -> Path:
        name = (self.network or {})["network_file"]
        if isinstance(name, Partial) and name.missing:
            raise ParameterError(
                f"{self._field('network_file')}: {{{name.missing[0]}}} is not known: download the file and give "
                "network_file="
            )
        # as Isaac Lab would find it from where the program runs, or beside the text
        for path in (Path(name), Path(self.file).parent / name):
            if path.is_file():
                return path
        raise ParameterError(f"{self._field('network_file')}: there is no such file: give network_file=")

    def _inputs(self) -> tuple[int, int]:
        """Samples of the history and steps between two of them."""
        ages = (self.network or {})["input_idx"]
        gaps = {after - before for before, after in pairwise(ages)}
        if ages[0] != 0 or len(gaps) > 1 or (gaps and min(gaps) < 1):
            raise ParameterError(
                f"{self._field('input_idx')}: only ages that begin at 0 and rise by equal steps are read"
            )
        return len(ages), gaps.pop() if gaps else 1

    def _field(self, name: str) -> str:
        place = f"{self.file}, line {self.line}" if self.file else f"line {self.line}"
        return f"{place}: {CLASSES[self.kind]}.{name} = {(self.network or {}).get(name)!r}"
