"""What a world has: robots, joints with their motors, sensors and brakes, and what is not read."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...on_joint import Unread
from ..motor import WebotsJoint, WebotsMotor
from .former import WheelDrive
from .loads import JointLoad
from .node import Node
from .others import WorldDevice
from .unexpanded import Unexpanded


@dataclass(frozen=True, kw_only=True)
class WorldSensor:
    """A `PositionSensor`."""

    name: str
    """Its name."""
    noise: float = 0.0
    """Standard deviation of its noise [rad]."""
    resolution: float = -1.0
    """Smallest step of its value [rad]; -1: any."""


@dataclass(frozen=True, kw_only=True)
class WorldJoint:
    """One axis of a joint with what drives and measures it."""

    holder: str
    """Node that it is, such as HingeJoint."""
    joint: WebotsJoint
    """What its parameters say."""
    name: str = ""
    """Name of its motor; without a motor that of its end point."""
    motor: WebotsMotor | None = None
    """Its motor; None: none."""
    sensor: WorldSensor | None = None
    """Its position sensor; None: none."""
    brake: str | None = None
    """Name of its brake; None: none."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Direction of the axis [1]."""
    end_point: str = ""
    """Name of the solid that it moves."""
    inertia: float | None = None
    """Inertia of all that it moves about the axis [kg·m²], or the mass [kg]; None: not known."""
    dynamic: bool = False
    """Whether the end point has Physics; without, the joint moves in kinematic mode."""
    load: JointLoad = field(default_factory=JointLoad)
    """What it moves, with its weight, and what is not known of it."""
    carried: bool = True
    """Whether the solid that carries the joint has Physics; without, Webots gives no torque feedback."""
    propeller: tuple[float, float] | None = None
    """Thrust [N·s²] and torque [N·m·s²] of a propeller per square of its speed; None: it is not a propeller."""
    control: str = "torque"
    """What its controller commands, as far as the text tells: "position", "velocity" or "torque"."""
    robot: str = ""
    """Name of its robot."""
    order: tuple[str, ...] = ("motor", "sensor", "brake")
    """Order in which the text has its devices."""
    sound: str = ""
    """Wave file of the motor's sound; empty: none."""
    line: int = 0
    """Line on which the joint begins [1]."""


@dataclass(frozen=True, kw_only=True)
class WorldRobot:
    """A robot."""

    name: str
    """Its name, with a number if an earlier robot has the same name."""
    controller: str = ""
    """Name of its controller."""
    battery: tuple[float, ...] = ()
    """Energy now [J], largest energy [J], charging power [W]; empty: no battery."""
    cpu_consumption: float = 10.0
    """Power of its computer [W]."""
    model: str = ""
    """What its maker calls it."""
    arguments: tuple[str, ...] = ()
    """Arguments of its controller."""
    node: Node | None = None
    """Its node; None: unknown."""
    wheels: WheelDrive | None = None
    """Both wheels of a DifferentialWheels; None: it is another robot."""

    @property
    def own_name(self) -> str:
        """Its name as the file has it, which its controller sees."""
        return self.name if self.node is None else self.node.text("name", "robot")


@dataclass(frozen=True, kw_only=True)
class World:
    """What is in a file."""

    basic_time_step: float = 0.032
    """Duration of a step [s]."""
    joints: tuple[WorldJoint, ...] = ()
    """Every axis of every joint, in the order of the text."""
    robots: tuple[WorldRobot, ...] = ()
    """Every robot, in the order of the text."""
    devices: tuple[WorldDevice, ...] = ()
    """Devices that are not simulated, in the order of the text."""
    roots: tuple[Node, ...] = ()
    """Top-level nodes of the world, in the order of the text."""
    warnings: tuple[str, ...] = ()
    """Webots' warnings when it loads the file."""
    unread: tuple[tuple[int, Unread], ...] = ()
    """Line and reason of each joint that is skipped, where that was asked for."""
    unexpanded: tuple[Unexpanded, ...] = ()
    """PROTOs that are not expanded, in the order of the text."""

    def motors(self) -> dict[str, WorldJoint]:
        """The joints with a motor, by the name of the motor."""
        return {joint.name: joint for joint in self.joints if joint.motor is not None}
