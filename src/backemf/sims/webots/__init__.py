"""Webots: its motors and joints as it computes them, the nodes of its worlds, and its controllers without it."""

from . import law
from .about import ABOUT
from .commands import Commands
from .compiled import CompiledWebots, State, command_laws, laws
from .coupled import couple_motors
from .held import OnWebotsJoint
from .law import JointState, MotorState
from .motor import WebotsJoint, WebotsMotor
from .nodes.loads import JointLoad
from .nodes.others import WorldDevice
from .nodes.world_parts import World, WorldJoint, WorldRobot, WorldSensor
from .nodes.worlds import read as read_world
from .reading import read_actuator, read_actuators
from .records.picture import draw_compared, draw_run
from .records.recording import Recorder
from .records.wav import write_sound
from .robots.description import MechanicalCoupling, RobotDescription, RobotJoint, from_world, load_robot
from .robots.robot_toml import robot_from_toml
from .running import Ended, run_script
from .simulation import Simulation, simulate
from .whole_robot import write_robot
from .writing import write

__all__ = [
    "ABOUT",
    "Commands",
    "CompiledWebots",
    "Ended",
    "JointLoad",
    "JointState",
    "MechanicalCoupling",
    "MotorState",
    "OnWebotsJoint",
    "Recorder",
    "RobotDescription",
    "RobotJoint",
    "Simulation",
    "State",
    "WebotsJoint",
    "WebotsMotor",
    "World",
    "WorldDevice",
    "WorldJoint",
    "WorldRobot",
    "WorldSensor",
    "command_laws",
    "couple_motors",
    "draw_compared",
    "draw_run",
    "from_world",
    "law",
    "laws",
    "load_robot",
    "read_actuator",
    "read_actuators",
    "read_world",
    "robot_from_toml",
    "run_script",
    "simulate",
    "write",
    "write_robot",
    "write_sound",
]
