"""One text for every kind of actuator that a simulator's file may hold, by simulator and kind."""

from textwrap import dedent

MUJOCO_JOINT = '<joint name="knee" armature="0.02" damping="0.1" frictionloss="0.05"/>'


def mujoco(actuator: str, joint: str = MUJOCO_JOINT) -> str:
    """A model of one link with an actuator."""
    return dedent(f"""\
        <mujoco>
          <worldbody><body>{joint}<geom size="0.1" mass="1"/></body></worldbody>
          <actuator>{actuator}</actuator>
        </mujoco>
        """)


MUJOCO = {
    "position": '<position joint="knee" kp="30" kv="1.5" ctrlrange="-2 2" forcerange="-9 12"/>',
    "position without limits": '<position joint="knee" kp="30"/>',
    "position of a gear": '<position joint="knee" kp="30" kv="1" gear="-3" forcerange="-4 4"/>',
    "velocity": '<velocity joint="knee" kv="2" forcerange="-9 9"/>',
    "velocity without limits": '<velocity joint="knee" kv="2"/>',
    "motor": '<motor joint="knee" gear="20" ctrlrange="-1 1"/>',
    "motor without limits": '<motor joint="knee"/>',
    "general position": ('<general joint="knee" biastype="affine" gainprm="40" biasprm="0 -40 -2" forcerange="-9 9"/>'),
    "general with a scaled command": (
        '<general joint="knee" biastype="affine" gainprm="0.157" biasprm="0 -100 -10" ctrlrange="0 255"/>'
    ),
    "general velocity": '<general joint="knee" biastype="affine" gainprm="3" biasprm="0 0 -3"/>',
    "damped motor": '<general joint="knee" biastype="affine" gainprm="1" biasprm="0 0 -0.4" forcerange="-8 8"/>',
    "dcmotor in volts": (
        '<dcmotor joint="knee" motorconst="0.05 0.05" resistance="0.4" inductance="2e-4" gear="9" input="voltage"/>'
    ),
    "dcmotor to a position": (
        '<dcmotor joint="knee" motorconst="0.05 0.05" resistance="0.4" gear="9" input="pos" controller="0.5 0 0.02"/>'
    ),
    "dcmotor in torque": (
        '<dcmotor joint="knee" motorconst="0.05 0.05" resistance="0.4" gear="9" input="ff" saturation="1.2"/>'
    ),
}
"""Actuators of MuJoCo."""

ISAACLAB = {
    "ImplicitActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit_sim=20.0, velocity_limit_sim=9.0, armature=0.01",
    "IdealPDActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0, armature=0.01, friction=0.1",
    "DCMotorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0, saturation_effort=30.0, velocity_limit=15.0",
    "DelayedPDActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0, min_delay=2, max_delay=2",
    "RemotizedPDActuatorCfg": (
        "stiffness=40.0, damping=2.0, min_delay=0, max_delay=0, "
        "joint_parameter_lookup=[[-1.0, 1.0, 20.0], [0.0, 1.0, 30.0], [1.0, 1.0, 10.0]]"
    ),
}
"""Fields of Isaac Lab's classes."""

MJLAB = {
    "IdealPdActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0, armature=0.01, frictionloss=0.1",
    "DcMotorActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0, saturation_effort=30.0, velocity_limit=15.0",
    "BuiltinPdActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0",
    "BuiltinPositionActuatorCfg": "stiffness=40.0, damping=2.0, effort_limit=20.0, viscous_damping=0.2",
    "BuiltinVelocityActuatorCfg": "damping=2.0, effort_limit=20.0",
    "BuiltinMotorActuatorCfg": "effort_limit=20.0, armature=0.01",
    "BuiltinDcMotorActuatorCfg": (
        "motor_params=DcMotorPhysicalParams(kt=0.5, ke=0.5, resistance=0.4), stiffness=3.0, damping=0.1, "
        "voltage_limit=24.0, effort_limit=20.0"
    ),
}
"""Fields of mjlab's classes."""

PHYSX = """\
#usda 1.0
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
    def Xform "link" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
    def PhysicsRevoluteJoint "knee" (prepend apiSchemas = ["PhysicsDriveAPI:angular", "PhysxJointAPI"%s])
    {
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/link>
        float drive:angular:physics:stiffness = 0.7
        float drive:angular:physics:damping = 0.03
        float drive:angular:physics:maxForce = 20
        float physxJoint:armature = 0.01
%s    }
}
"""
"""A stage with a drive."""
ENVELOPE = """\
        float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 900
        float physxDrivePerformanceEnvelope:angular:velocityDependentResistance = 0.002
        float physxDrivePerformanceEnvelope:angular:speedEffortGradient = 20
"""

WEBOTS = {
    "torque": "maxTorque 12 maxVelocity 4",
    "position": "maxTorque 12 maxVelocity 4 controlPID 5 0 0 minPosition -1 maxPosition 2",
    "velocity": "# commanded by setVelocity\n maxTorque 12 maxVelocity 4 acceleration 30",
}
"""Fields of Webots' RotationalMotor."""


def texts() -> dict[str, tuple[str, str]]:
    """Ending and text of a file for every kind of actuator, by "simulator: kind"."""
    found = {f"mujoco: {kind}": (".xml", mujoco(text)) for kind, text in MUJOCO.items()}
    for name, values in ISAACLAB.items():
        text = f"from isaaclab.actuators import {name}\n\nknee = {name}(joint_names_expr=['knee'], {values})\n"
        found[f"isaaclab: {name}"] = (".py", text)
    for name, values in MJLAB.items():
        text = f"from mjlab.actuator import {name}\n\nknee = {name}(target_names_expr=('knee',), {values})\n"
        found[f"mjlab: {name}"] = (".py", text)
    found["physx: drive"] = (".usda", PHYSX % ("", ""))
    found["physx: envelope"] = (".usda", PHYSX % (', "PhysxDrivePerformanceEnvelopeAPI:angular"', ENVELOPE))
    for kind, values in WEBOTS.items():
        found[f"webots: {kind}"] = (
            ".wbt",
            f'#VRML_SIM R2023b utf8\nHingeJoint {{ device [ RotationalMotor {{ name "knee" {values} }} ] }}\n',
        )
    return found
