"""The kinds of mjlab's actuators: class, fields, and the targets that each listens to.

A target that a kind does not listen to has no effect in mjlab, which does not report it.
"""

from __future__ import annotations

CLASSES = {
    "dc_motor": "DcMotorActuatorCfg",
    "ideal_pd": "IdealPdActuatorCfg",
    "builtin_pd": "BuiltinPdActuatorCfg",
    "builtin_position": "BuiltinPositionActuatorCfg",
    "builtin_velocity": "BuiltinVelocityActuatorCfg",
    "builtin_motor": "BuiltinMotorActuatorCfg",
    "builtin_dc_motor": "BuiltinDcMotorActuatorCfg",
    "learned_mlp": "LearnedMlpActuatorCfg",
}
"""Class of each kind of actuator."""
KINDS = {name: kind for kind, name in CLASSES.items()}
LISTENS = {
    "dc_motor": ("position", "velocity", "effort"),
    "ideal_pd": ("position", "velocity", "effort"),
    "builtin_pd": ("position", "velocity"),
    "builtin_position": ("position",),
    "builtin_velocity": ("velocity",),
    "builtin_motor": ("effort",),
    "learned_mlp": ("position",),
}
"""Targets that each kind listens to; a "builtin_dc_motor" listens to that of its mode."""
MODES = {"VOLTAGE": "voltage", "POSITION": "position", "VELOCITY": "velocity"}
"""What commands a "builtin_dc_motor" in each mode."""

DELAYED = "DelayedActuatorCfg"
"""What mjlab before 1.6 wraps around an actuator to delay it."""
IN_XML = tuple(f"Xml{kind}ActuatorCfg" for kind in ("", "Position", "Velocity", "Motor", "Muscle"))
"""Classes whose numbers are in the robot's XML; mjlab 1.6 has only the first."""
UNREAD = {
    **dict.fromkeys(IN_XML, "its numbers are in the robot's XML: import that file"),
    "BuiltinMuscleActuatorCfg": "a muscle is not a motor",
    "MotorActuatorCfg": "it is backemf's own, and its actuator= is the actuator",
}
"""Classes that are known and not read, and why."""
PARTS = ("DcMotorPhysicalParams", "DcMotorDatasheetParams", "DcMotorInputMode", "TransmissionType", "ActuatedType")
"""Classes of parts of an actuator."""
JOINTS = ("target_names_expr", "actuated_names_expr", "joint_names_expr")
"""Names of the field with patterns of joint names: of mjlab 1.6, and of those before it."""

DELAY = ("delay_min_lag", "delay_max_lag", "delay_hold_prob", "delay_update_period", "delay_per_env_phase")
"""Fields of a delay."""
COMMON = {*JOINTS, *DELAY, "transmission_type", "actuated_type", "armature", "frictionloss", "viscous_damping"}
"""Fields of every actuator."""
_PD = {"stiffness", "damping", "effort_limit"}
_CLIP = _PD | {"saturation_effort", "velocity_limit"}
SWITCHED = ("voltage_limit", "integral_gain", "integral_limit", "slew_rate")
"""Fields of a "builtin_dc_motor" that 0 switches off."""
FIELDS = {
    "dc_motor": _CLIP,
    "ideal_pd": _PD,
    "builtin_pd": _PD,
    "builtin_position": _PD,
    "builtin_velocity": {"damping", "effort_limit"},
    "builtin_motor": {"effort_limit", "gear"},
    "builtin_dc_motor": _PD
    | {*SWITCHED, "motor_params", "mode", "gear", "inductance", "electrical_time_constant"}
    | {"thermal", "cogging", "lugre"},
    "learned_mlp": _CLIP | {"network_file", "pos_scale", "vel_scale", "torque_scale", "input_order", "history_length"},
}
"""Additional fields of each kind."""
OWN = {
    "armature": ("armature", "kg·m²", "rotor inertia"),
    "frictionloss": ("coulomb", "N·m", "dry friction"),
    "viscous_damping": ("viscous", "N·m·s/rad", "viscous drag"),
}
"""Fields of the joint itself: our name, the unit and the phenomenon."""
