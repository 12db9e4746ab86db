"""Small robots for the tests: a quadruped of twelve joints in MJCF, and an arm of six in MJCF, URDF and USD."""

from pathlib import Path

LEG = """
      <body name="{leg}_hip" pos="{x} {y} 0">
        <inertial pos="0 0 0" mass="0.6" diaginertia="0.0008 0.0008 0.0008"/>
        <joint name="{leg}_hip" class="hip"/>
        <body name="{leg}_thigh" pos="0 {side} 0">
          <inertial pos="0 0 -0.05" mass="0.9" diaginertia="0.004 0.004 0.001"/>
          <joint name="{leg}_thigh" class="thigh"/>
          <body name="{leg}_calf" pos="0 0 -0.2">
            <inertial pos="0 0 -0.08" mass="0.2" diaginertia="0.001 0.001 0.0001"/>
            <joint name="{leg}_calf" class="calf"/>
            <geom name="{leg}_foot" type="sphere" size="0.02" pos="0 0 -0.2"/>
          </body>
        </body>
      </body>"""
LEGS = {"FL": (0.2, 0.05, 0.08), "FR": (0.2, -0.05, -0.08), "RL": (-0.2, 0.05, 0.08), "RR": (-0.2, -0.05, -0.08)}
JOINTS = [f"{leg}_{part}" for leg in LEGS for part in ("hip", "thigh", "calf")]
"""Joints of the quadruped, in its order."""
QUADRUPED = """<?xml version="1.0"?>
<!-- a quadruped -->
<mujoco model="quadruped">
  <compiler angle="radian" meshdir="assets" autolimits="true"/>
  <option timestep="0.002" integrator="implicitfast"/>
  <default>
    <joint damping="0.1" frictionloss="0.2"/>
    <position forcerange="-40 40" kp="60"/>
    <default class="hip"><joint axis="1 0 0" range="-0.8 0.8" armature="0.01"/></default>
    <default class="thigh"><joint axis="0 1 0" range="-1.5 3.4" armature="0.01"/></default>
    <default class="calf"><joint axis="0 1 0" range="-2.7 -0.8" armature="0.02"/></default>
  </default>
  <asset><mesh name="trunk" file="trunk.obj"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 0.35">
      <freejoint name="root"/>
      <inertial pos="0 0 0" mass="6" diaginertia="0.05 0.1 0.1"/>
      <geom name="shell" type="mesh" mesh="trunk" contype="0" conaffinity="0"/>LEGS
    </body>
  </worldbody>
  <!-- who drives it is in its own file -->
  <include file="parts/actuators.xml"/>
  <sensor><actuatorfrc name="front left" actuator="FL_hip_act"/></sensor>
  <keyframe>
    <key name="stand" qpos="0 0 0.33 1 0 0 0  0 0.7 -1.4 0 0.7 -1.4 0 0.7 -1.4 0 0.7 -1.4"
      ctrl="0 0.7 -1.4 0 0.7 -1.4 0 0.7 -1.4 0 0.7 -1.4"/>
  </keyframe>
</mujoco>
"""
ACTUATORS = "\n".join(f'    <position name="{joint}_act" joint="{joint}" kp="60" kv="2"/>' for joint in JOINTS)
MESH = """v 0 0 0
v 0.3 0 0
v 0 0.2 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


def write_quadruped(folder: Path) -> Path:
    """The quadruped: its actuators in an included file, its mesh in a folder of its own."""
    for name in ("parts", "assets"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    legs = "".join(LEG.format(leg=leg, x=x, y=y, side=side) for leg, (x, y, side) in LEGS.items())
    (folder / "assets" / "trunk.obj").write_text(MESH)
    (folder / "parts" / "actuators.xml").write_text(f"<mujoco>\n  <actuator>\n{ACTUATORS}\n  </actuator>\n</mujoco>\n")
    path = folder / "quadruped.xml"
    path.write_text(QUADRUPED.replace("LEGS", legs))
    return path


ROBOT = """
format = "backemf robot 1"
name = "quadruped"
model = "quadruped.xml"

[supply]
voltage = "24 V"

[joints.".*_(hip|thigh)"]
motor = "mit-mini-cheetah"
controller = { kind = "IdealPd", stiffness = "60 N*m/rad", damping = "2 N*m*s/rad", listens = ["position"] }

[joints.".*_calf"]
motor = "cubemars-ak80-9-v2"
controller = { kind = "IdealPd", stiffness = "60 N*m/rad", damping = "2 N*m*s/rad", listens = ["position"] }
"""


def write_robot(folder: Path, more: str = "") -> Path:
    """The quadruped with two kinds of motors."""
    write_quadruped(folder)
    path = folder / "robot.toml"
    path.write_text(ROBOT + more)
    return path


# --- an arm

LINKS = 6
ARM_JOINTS = [f"joint_{number}" for number in range(1, LINKS + 1)]
URDF_LINK = """  <link name="link_{number}">
    <inertial>
      <origin xyz="0 0 0.05"/>
      <mass value="0.5"/>
      <inertia ixx="0.002" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="joint_{number}" type="revolute">
    <!-- joint {number} -->
    <parent link="{parent}"/>
    <child link="link_{number}"/>
    <origin xyz="0 0 0.1"/>
    <axis xyz="{axis}"/>
    <limit lower="-3" upper="3" effort="{effort}" velocity="3.1"/>
  </joint>
"""
FINGER = '<inertial><mass value="0.05"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF_TAIL = f"""  <link name="left">{FINGER}</link>
  <link name="right">{FINGER}</link>
  <joint name="mount" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="finger" type="prismatic">
    <parent link="link_6"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
  </joint>
  <joint name="other_finger" type="prismatic">
    <parent link="link_6"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
    <mimic joint="finger"/>
  </joint>
  <ros2_control name="arm" type="system">
    <joint name="joint_1">
      <command_interface name="effort"><param name="min">-500</param><param name="max">500</param></command_interface>
      <command_interface name="velocity"/>
      <command_interface name="position"><param name="min">-3</param><param name="max">3</param></command_interface>
    </joint>
  </ros2_control>
"""


def write_arm_urdf(folder: Path, effort: float = 20.0) -> Path:
    """An arm with a gripper, in URDF."""
    links = "".join(
        URDF_LINK.format(
            number=number,
            parent="base" if number == 1 else f"link_{number - 1}",
            axis="0 0 1" if number % 3 == 1 else "0 1 0",
            effort=effort,
        )
        for number in range(1, LINKS + 1)
    )
    path = folder / "arm.urdf"
    head = '<?xml version="1.0"?>\n<!-- an arm, by hand -->\n<robot name="arm">\n  <link name="world"/>\n'
    head += '  <link name="base"/>\n'
    path.write_text(f"{head}{links}{URDF_TAIL}</robot>\n")
    return path


MASSES = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])'


def write_arm_usd(folder: Path) -> Path:
    """The same arm in USD, with a drive and an armature on each joint."""
    rows = [
        "#usda 1.0", "(", '    defaultPrim = "World"', "    metersPerUnit = 1", "    kilogramsPerUnit = 1",
        '    upAxis = "Z"', ")", 'def Xform "World" {', '    def PhysicsScene "scene" {}',
        '    def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {',
        '        def PhysicsFixedJoint "weld" {', "            rel physics:body1 = </World/arm/link_0>", "        }",
        f'        def Xform "link_0" {MASSES} {{', "            float physics:mass = 5", "        }",
    ]  # fmt: skip
    for number in range(1, LINKS + 1):
        rows += [
            f'        def Xform "link_{number}" {MASSES} {{',
            f"            double3 xformOp:translate = (0, 0, {0.1 * number})",
            '            uniform token[] xformOpOrder = ["xformOp:translate"]',
            "            float physics:mass = 0.5",
            "            float3 physics:diagonalInertia = (0.002, 0.002, 0.001)",
            "        }",
            f'        def PhysicsRevoluteJoint "joint_{number}" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {{',
            f"            rel physics:body0 = </World/arm/link_{number - 1}>",
            f"            rel physics:body1 = </World/arm/link_{number}>",
            f'            uniform token physics:axis = "{"Z" if number % 3 == 1 else "Y"}"',
            "            point3f physics:localPos0 = (0, 0, 0.1)",
            "            float drive:angular:physics:stiffness = 10",
            "            float drive:angular:physics:damping = 1",
            "            float drive:angular:physics:maxForce = 500",
            "            float physxJoint:armature = 0.02",
            "        }",
        ]
    path = folder / "arm.usda"
    path.write_text("\n".join([*rows, "    }", "}"]) + "\n")
    return path


RAIL = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    kilogramsPerUnit = 1
)
def Xform "World" {
    def PhysicsScene "scene" {}
    def Xform "axis" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
        def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
            float physics:mass = 5
        }
        def Xform "carriage" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
            float physics:mass = 5
        }
        def PhysicsFixedJoint "floor" {
            rel physics:body1 = </World/axis/base>
        }
        def PhysicsPrismaticJoint "lift" {
            rel physics:body0 = </World/axis/base>
            rel physics:body1 = </World/axis/carriage>
            uniform token physics:axis = "X"
        }
    }
}
"""
"""A carriage that slides on a base which stands on the floor, in USD."""
