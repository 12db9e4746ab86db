"""Isaac Lab's actuator configurations, read without running them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...actuator import Actuator
from ...actuator.controllers import IdealPd
from ...actuator.delay import Delay
from ...actuator.torque_limits import AngleTable, DcClip, EffortLimit, TorqueLimit
from ...errors import ParameterError
from ..text import Call, Value, calls, for_joint
from .law import DCMotor, DelayedPD, IdealPD, RemotizedPD

CLASSES = {
    "dc_motor": "DCMotorCfg",
    "ideal_pd": "IdealPDActuatorCfg",
    "delayed_pd": "DelayedPDActuatorCfg",
    "remotized": "RemotizedPDActuatorCfg",
    "implicit": "ImplicitActuatorCfg",
}
"""Class of each kind of actuator."""
KINDS = {name: kind for kind, name in CLASSES.items()}
NETWORKS = {"ActuatorNetMLPCfg": "mlp", "ActuatorNetLSTMCfg": "lstm"}
"""Learned actuators, which are read and not written."""


@dataclass(frozen=True, kw_only=True)
class Configured:
    """An actuator as a text has it. Where the text has a dictionary, so has the field: `at(joint)` picks one joint."""

    kind: str
    """"dc_motor", "ideal_pd", "delayed_pd", "remotized", "implicit", "mlp" or "lstm"."""
    joints: tuple[str, ...]
    """Patterns of joint names."""
    stiffness: Value = None
    """Torque per position error [N·m/rad]; None where a network stands in for it."""
    damping: Value = None
    """Torque per velocity error [N·m·s/rad]; None where a network stands in for it."""
    effort_limit: Value = None
    """Largest torque [N·m]; None: no limit."""
    saturation_effort: Value = None
    """Torque at stall [N·m]."""
    velocity_limit: Value = None
    """Speed without load, or that of the solver for "implicit" [rad/s]."""
    armature: Value = None
    """Inertia added to the joint [kg·m²]; None: as in the robot's file."""
    friction: Value = None
    """Friction at rest [N·m]; None: as in the robot's file."""
    dynamic_friction: Value = None
    """Friction when sliding [N·m]; None: as in the robot's file."""
    viscous_friction: Value = None
    """Friction per speed [N·m·s/rad]; None: as in the robot's file."""
    delay: Delay | None = None
    """Delay of the targets; None: none."""
    table: AngleTable | None = None
    """Largest torque by joint angle."""
    transmission_ratio: tuple[float, ...] | None = None
    """Ratios beside the table [1]."""
    network: dict[str, Any] | None = None
    """What a learned actuator has besides: `network_file`, scales, `input_idx`, `input_order`."""
    line: int = 0
    """Line of the text on which it begins [1]."""

    def at(self, joint: str) -> Configured:
        """The same for one joint: of each dictionary, the number whose pattern fits the whole name."""
        return for_joint(self, joint)

    @property
    def limits(self) -> tuple[TorqueLimit, ...]:
        """The limits of the joint torque."""
        if self.table is not None:
            return (self.table,)
        if self.effort_limit is None:
            return ()
        if self.saturation_effort is None:
            return (EffortLimit(effort_limit=self.effort_limit),)
        return (
            DcClip(
                saturation_effort=self.saturation_effort,
                velocity_limit=self.velocity_limit,
                effort_limit=self.effort_limit,
            ),
        )

    def actuator(self) -> Actuator:
        """The same as a backemf actuator without a motor."""
        if self.network is not None:
            raise ParameterError(f"{self.kind}: a learned actuator is no formula; load its network")
        controller = IdealPd(stiffness=self.stiffness, damping=self.damping)
        return Actuator(controller=controller, limits=self.limits, delay=self.delay)

    def law(self) -> IdealPD | DCMotor | DelayedPD | RemotizedPD:
        """What Isaac Lab computes with it."""
        if self.network is not None or self.kind == "implicit":
            raise ParameterError(
                f"{self.kind}: its effort comes from a network or from the solver, and from no law here"
            )
        gains = {"stiffness": self.stiffness, "damping": self.damping}
        steps = (0, 0) if self.delay is None else self.delay.steps
        limit = self.limits[0] if self.limits else None
        if isinstance(limit, DcClip):
            return DCMotor(**gains, limit=limit)
        if isinstance(self.table, AngleTable):
            ratio = None if self.transmission_ratio is None else np.asarray(self.transmission_ratio)
            return RemotizedPD(
                **gains, table=self.table, transmission_ratio=ratio, min_delay=steps[0], max_delay=steps[1]
            )
        if self.kind == "delayed_pd":
            return DelayedPD(**gains, effort_limit=self.effort_limit, min_delay=steps[0], max_delay=steps[1])
        return IdealPD(**gains, effort_limit=self.effort_limit)


def read(text: str, file: str = "") -> list[Configured]:
    """Every actuator in a configuration text of Isaac Lab, in the order of the text."""
    return [_configured(call) for call in calls(text, (*KINDS, *NETWORKS), (), "joint_names_expr", file)]


def _configured(call: Call) -> Configured:
    kind = KINDS.get(call.name) or NETWORKS[call.name]
    known: dict[str, Any] = {"kind": kind, "joints": call.joints("joint_names_expr"), "line": call.line}
    if kind not in ("mlp", "lstm"):
        for name in ("stiffness", "damping"):
            known[name] = call.number(
                name, least=0.0, required="Isaac Lab takes it from the USD file; write the number"
            )
    for name in ("armature", "friction", "dynamic_friction", "viscous_friction"):
        known[name] = call.number(name, least=0.0)
    suffix = "_sim" if kind == "implicit" and call.fields.get("effort_limit") is None else ""
    if kind != "remotized":
        known["effort_limit"] = _effort_limit(call, f"effort_limit{suffix}")
    if kind in ("dc_motor", "mlp", "lstm"):
        known["saturation_effort"] = call.number("saturation_effort", above=0.0, required="give the stall torque [N·m]")
        known["velocity_limit"] = call.number("velocity_limit", above=0.0, required="give the no-load speed [rad/s]")
    elif kind == "implicit":
        known["velocity_limit"] = call.number("velocity_limit_sim", above=0.0)
    if kind in ("delayed_pd", "remotized"):
        known["delay"] = _read_delay(call)
    if kind == "remotized":
        known["table"], known["transmission_ratio"] = _read_lookup(call)
    if kind in ("mlp", "lstm"):
        known["network"] = _read_network(call, kind)
    return Configured(**known)


def _effort_limit(call: Call, name: str) -> Value:
    if call.fields.get(name) == float("inf") and call.name not in ("DCMotorCfg", *NETWORKS):
        return None
    return call.number(name, above=0.0, required="Isaac Lab takes it from the USD file; write it, or math.inf for none")


def _read_delay(call: Call) -> Delay | None:
    low, high = call.steps("min_delay"), call.steps("max_delay")
    if low > high:
        raise call.error("min_delay", f"must not be above max_delay = {high}")
    return Delay(steps=(low, high), schedule="isaaclab") if high > 0 else None


def _read_lookup(call: Call) -> tuple[AngleTable, tuple[float, ...]]:
    name = "joint_parameter_lookup"
    rows = call.take(name, None, "give rows of [joint angle, transmission ratio, largest torque]")
    good = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 3 and all(type(x) in (int, float) for x in row) for row in rows
    )
    if not good:
        raise call.error(name, "must be rows of three numbers: joint angle, transmission ratio, largest torque")
    angle, ratio, effort = (tuple(float(row[column]) for row in rows) for column in range(3))
    try:
        return AngleTable(angle=list(angle), effort=list(effort)), ratio  # pyright: ignore[reportArgumentType]
    except ParameterError as error:
        raise ParameterError(f"{call.at(name)}: {call.name}.{name}: {error}") from None


def _read_network(call: Call, kind: str) -> dict[str, Any]:
    network = {"network_file": call.take("network_file", None, "give the file of the network")}
    if kind == "mlp":
        for name in ("pos_scale", "vel_scale", "torque_scale"):
            network[name] = call.number(name, required="give a factor")
        network["input_order"] = call.word("input_order", ("pos_vel", "vel_pos"))
        network["input_idx"] = call.take("input_idx", None, "give the ages of the network's inputs, such as [0, 2, 4]")
    return network
