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
FORMER_NODES = {
    "CustomRobot": "a Robot since Webots 8",
    "DifferentialWheels": "a Robot with two HingeJoint nodes since Webots R2018",
    "HyperGate": "gone since Webots 6",
    "Servo": "a HingeJoint with a RotationalMotor since Webots 8",
    "Supervisor": "a Robot with supervisor TRUE since Webots R2018",
}
"""Nodes of former versions that newer ones have no more, and what they became."""
ROBOTS_OF_FORMER_VERSIONS = ("Supervisor", "DifferentialWheels", "CustomRobot")
"""Those of them that are robots."""
