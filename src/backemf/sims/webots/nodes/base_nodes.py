"""The nodes built into Webots; any other node in a file is a PROTO."""

from __future__ import annotations

BASE_NODES = frozenset(
    """
    Accelerometer Altimeter Appearance Background BallJoint BallJointParameters Billboard Box Brake CadShape Camera
    Capsule Charger Color Compass Cone Connector ContactProperties Coordinate Cylinder Damping DirectionalLight
    Display DistanceSensor ElevationGrid Emitter Extrusion Fluid Focus Fog GPS Group Gyro HingeJoint
    HingeJointParameters Hinge2Joint ImageTexture ImmersionProperties IndexedFaceSet IndexedLineSet InertialUnit
    JointParameters LED Lens LensFlare Lidar LightSensor LinearMotor Material Mesh Microphone Muscle Normal
    PBRAppearance Pen Physics Plane PointLight PointSet Pose PositionSensor Propeller Radar Radio RangeFinder
    Receiver Recognition Robot RotationalMotor Shape Skin SliderJoint Slot Solid SolidReference Speaker Sphere
    SpotLight Text TextureCoordinate TextureTransform TouchSensor Track TrackWheel Transform VacuumGripper Viewpoint
    WorldInfo Zoom
    """.split()  # noqa: SIM905
)
"""Nodes of Webots R2025a, and of the versions before it."""
ROBOTS_OF_FORMER_VERSIONS = ("Supervisor", "DifferentialWheels", "CustomRobot")
"""Robots that newer versions have no more."""
FORMER_NODES = frozenset((*ROBOTS_OF_FORMER_VERSIONS, "Servo"))
"""All nodes that newer versions have no more, and that are read."""
