"""A task: what joints have to do over and over, what feeds them, and what is wanted of their motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from ..actuator import Supply
from ..checks import ABSOLUTE_ZERO, Maybe, Number, quote
from ..design.hardware import Belt, LeadScrew
from ..errors import ParameterError
from ..files import read_text
from ..identify.channels import Channel, suggest
from ..identify.log import Log
from ..identify.rig_parts import RobotModel
from ..identify.robot_motion import joint_kinds, robot_motion
from ..loads import Inertia, Load, Pendulum, inertia_of
from ..parts import FAMILIES, count, flag, number, one, part
from ..values import Foreign
from .cycle import Cycle
from .free_gears import FreeGears
from .heat import Rhythm
from .motion import SAMPLES, Cells, Motion
from .repeating import require_repeatable
from .required import required_torque

WANTED = {
    "mass": ("kg", "mass of motor and gear"),
    "energy": ("J", "energy from the supply per cycle"),
    "winding_temperature": ("degC", "hottest winding"),
    "inertia": ("kg*m^2", "inertia of rotor and gears at the joint"),
}
"""What may be wanted, the less the better: its unit and what it is."""
FEWEST = 8
"""Fewest cells of a motion that is given as a formula [1]."""
LARGEST = 1_000_000
"""Longest file that is read [bytes]."""


@part
class TaskLimits:
    """What a solution may not exceed, besides what its makers allow."""

    mass: Maybe = number("kg", default=None, above=0.0)
    """Mass of motor and gear."""
    diameter: Maybe = number("m", default=None, above=0.0)
    """Diameter of motor and gear."""
    current: Maybe = number("A", default=None, above=0.0)
    """Current of the drive."""
    supply_current: Maybe = number("A", default=None, above=0.0)
    """Current of the supply, all joints together."""
    winding_temperature: Maybe = number("°C", default=None, above=ABSOLUTE_ZERO)
    """Winding; also for motors whose maker states none."""
    housing_temperature: Maybe = number("°C", default=None, above=ABSOLUTE_ZERO)
    """Housing, such as one that hands touch."""


@part
class JointTask:
    """What one joint has to do."""

    motion: Motion = one(family="motion")
    """How it moves."""
    load: Load | None = one(family="load", default=None)
    """What it moves; None: the motion has a column of torque, or the task has a robot."""
    slide: LeadScrew | Belt | None = one(family="slide", default=None)
    """What brings motors that turn to a joint that slides; then its motion and load have m for rad, N for N·m and kg
    for kg·m². None: the joint turns."""
    repeats: int = count("1", default=1, least=1)
    """Motions in a row before a rest."""
    rest: Number = number("s", default=0.0, least=0.0)
    """Pause after them, in which the load is held."""
    spring: bool = flag(default=False)
    """Whether a spring beside the motor may carry a part of the torque; its stiffness and rest angle are found."""
    gear_exponent: Number = number("1", default=2.0, least=1.0)
    """Exponent of the gear's equivalent continuous torque: 3 for ball bearings, 10/3 for roller bearings, 2: RMS."""

    def __post_init__(self) -> None:
        if self.slide is not None and isinstance(self.load, Pendulum):
            raise ParameterError(
                "load: a slide cannot swing a Pendulum; give Inertia, its mass, or ConstantTorque, its weight"
            )


@dataclass(frozen=True, repr=False)
class Task:
    """What is asked of the motors of one or several joints on one supply."""

    joints: Mapping[str, JointTask]
    """What each joint has to do, by its name."""
    supply: Supply
    """Battery or power supply that all of them share."""
    wanted: tuple[str, ...] | str = ("mass",)
    """What is to be small: mass, energy, winding_temperature or inertia; several give a front."""
    ambient: float = 25.0
    """Temperature around the motors [°C]."""
    mounting: float = 1.0
    """Factor of the housing's thermal resistance: below 1 on a metal flange, 1 as the maker states it [1]."""
    limits: TaskLimits = field(default_factory=TaskLimits)
    """What may not be exceeded."""
    gears: FreeGears | None = None
    """Ratios that are tried on motors without a gear; None: such motors drive their joints directly."""
    robot: RobotModel | None = None
    """MJCF model, which `Found.robot` takes along; its inverse dynamics say the torque of joints without a load."""
    name: str = ""
    """What it is called."""
    samples: int = SAMPLES
    """Cells of motions that are given as formulas, about [1]."""
    folder: Path | None = field(default=None, compare=False)
    """Folder of its file, from which the path of a model counts."""

    def __post_init__(self) -> None:
        if isinstance(self.joints, JointTask):
            object.__setattr__(self, "joints", {"joint": self.joints})
        if not isinstance(self.joints, Mapping) or not self.joints:
            raise ParameterError(f"Task.joints = {quote(self.joints)}: must be a JointTask for each name")
        for name, joint in self.joints.items():
            if not isinstance(joint, JointTask):
                raise ParameterError(f"Task.joints[{name!r}] = {quote(joint)}: must be a JointTask")
        object.__setattr__(self, "joints", MappingProxyType(dict(self.joints)))
        if not isinstance(self.supply, Supply):
            raise ParameterError(f"Task.supply = {quote(self.supply)}: must be a Supply, such as Supply(voltage=24.0)")
        if np.ndim(self.supply.voltage) or np.ndim(self.supply.resistance):
            raise ParameterError("Task.supply: must be of plain numbers, one supply for all")
        wanted = (self.wanted,) if isinstance(self.wanted, str) else tuple(self.wanted)
        for name in wanted:
            if name not in WANTED:
                raise ParameterError(f"Task.wanted: {name!r} is not what can be wanted: {suggest(str(name), WANTED)}")
            if wanted.count(name) > 1:
                raise ParameterError(f"Task.wanted: {name!r} is there twice; name it once")
        if not wanted:
            raise ParameterError(f"Task.wanted is empty: name one or more of {', '.join(WANTED)}")
        object.__setattr__(self, "wanted", wanted)
        for name, kind in (("limits", TaskLimits), ("gears", FreeGears), ("robot", RobotModel), ("name", str)):
            value = getattr(self, name)
            if not isinstance(value, kind) and (value is not None or name in ("limits", "name")):
                shown = "a text" if kind is str else f"a {kind.__name__}"
                raise ParameterError(f"Task.{name} = {quote(value)}: must be {shown}")
        if isinstance(self.samples, bool) or not isinstance(self.samples, (int, np.integer)) or self.samples < FEWEST:
            raise ParameterError(f"Task.samples = {quote(self.samples)}: must be a whole number, {FEWEST} or more")
        for name, low in (("ambient", ABSOLUTE_ZERO), ("mounting", 0.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low < value < 1e6:
                raise ParameterError(f"Task.{name} = {quote(value)}: must be a number above {low:g}")

    def __repr__(self) -> str:
        called = f"{self.name}: " if self.name else ""
        volts, wanted = float(self.supply.voltage), ", ".join(self.wanted)
        return f"Task({called}{', '.join(self.joints)} at {volts:g} V, wanted: {wanted})"

    def __reduce__(self) -> tuple[object, ...]:
        # a view of a dict cannot be sent to another process
        return _made, ({entry.name: getattr(self, entry.name) for entry in fields(self)} | {"joints": {**self.joints}},)

    @classmethod
    def read(cls, path: str | Path) -> Task:
        """A task from a TOML file."""
        return cls.parse(read_text(path, LARGEST, what="a task in TOML"), str(path), Path(path).parent)

    @classmethod
    def parse(cls, text: str, file: str = "text", folder: Path | None = None) -> Task:
        """A task from TOML text; `file` stands for it in messages."""
        from .task_file import read_task

        return read_task(text, file, folder)

    def cycles(self) -> dict[str, Cycle]:
        """What each joint has to do, in cells, with the torques of its load."""
        cells = {name: joint.motion.cells(self.samples) for name, joint in self.joints.items()}
        torques = {name: self._torque(name, joint, cells[name]) for name, joint in self.joints.items()}
        open_joints = [name for name, torque in torques.items() if torque is None]
        if open_joints:
            torques |= self._robot_torques({name: cells[name] for name in self.joints}, open_joints)
        made = {}
        for name, joint in self.joints.items():
            torque = torques[name]
            assert torque is not None
            require_repeatable(f"joint {name!r}: ", cells[name], joint.load, torque, float(joint.rest))
            rest = float(joint.rest)
            hold = _holding_torque(joint, cells[name], torque) if rest > 0.0 else 0.0
            made[name] = Cycle(name, cells[name], torque, Rhythm(cells[name].duration, joint.repeats, rest), hold)
        return made

    def _torque(self, name: str, joint: JointTask, cells: Cells) -> np.ndarray | None:
        """Torque of a joint's load; None: the robot's model says it."""
        place = f"joint {name!r}: "
        if cells.torque is not None:
            if joint.load is not None:
                raise ParameterError(
                    f"{place}its motion has a torque and it has a load too; leave out the column or the load"
                )
            return cells.torque
        if joint.load is None:
            if self.robot is not None:
                return None
            raise ParameterError(f"{place}nothing says what it moves: give a load, a column of torque, or a robot")
        try:
            torque = required_torque(joint.load, cells)
        except ParameterError as error:
            raise ParameterError(f"{place}{error}") from None
        fastest = float(np.abs(cells.acceleration).max())
        if not isinstance(joint.load, Inertia) and not np.any(inertia_of(joint.load)) and fastest > 0.0:
            raise ParameterError(
                f"{place}{type(joint.load).__name__} has a torque and no inertia, and the motion accelerates by "
                f"{fastest:.3g} rad/s²: give its inertia, the torque alone does not say what that takes"
            )
        return torque

    def _require_moving_alike(self, names: tuple[str, ...]) -> None:
        """Check that joints with a slide are those that slide in the robot's model."""
        assert self.robot is not None
        kinds = joint_kinds(self.robot, self.folder)
        for name, joint in zip(names, self.robot.joints or names, strict=False):
            slides = self.joints[name].slide is not None
            if kinds.get(joint) == "slide" and not slides:
                raise ParameterError(
                    f"joint {name!r} slides in {self.robot.model}, and motors turn: give what brings them to the "
                    'slide, such as slide = { kind = "LeadScrew", lead = "5 mm" }'
                )
            if kinds.get(joint) == "hinge" and slides:
                raise ParameterError(f"joint {name!r} turns in {self.robot.model}: leave its slide out")

    def _robot_torques(self, cells: dict[str, Cells], wanted: list[str]) -> dict[str, np.ndarray]:
        """Torques by the inverse dynamics of the robot's model: mass matrix · q'' + bias."""
        first_name, first = next(iter(cells.items()))
        for name, other in cells.items():
            if len(other.dt) != len(first.dt) or not np.allclose(other.dt, first.dt, rtol=1e-9):
                raise ParameterError(
                    f"joints {first_name!r} and {name!r}: a robot's joints move at the same times; "
                    "give motions of one kind and length, or columns of one file"
                )
        assert self.robot is not None
        names = tuple(cells)
        position, velocity, acceleration = (
            np.stack([getattr(cells[name], column) for name in names], axis=1)
            for column in ("position", "velocity", "acceleration")
        )
        channels = {"position": Channel(first.time, position), "velocity": Channel(first.time, velocity)}
        log = Log(channels, joints=names, name=self.name or "task")
        model = self.robot if self.robot.joints else replace(self.robot, joints=names)
        self._require_moving_alike(names)
        found = robot_motion(model, log, self.folder)
        torque = np.einsum("tij,tj->ti", found.inertia, acceleration) + found.bias
        return {name: torque[:, names.index(name)] for name in wanted}


def _holding_torque(joint: JointTask, cells: Cells, torque: np.ndarray) -> float:
    """Torque that holds the load where the motion ends [N·m]."""
    if joint.load is None:
        return float(torque[-1])
    end = float(cells.position[-1] + 0.5 * cells.dt[-1] * cells.velocity[-1])
    still = Cells(cells.dt[:1], np.array([end]), np.zeros(1), np.zeros(1), np.ones(1))
    return float(required_torque(joint.load, still)[0]) if not joint.load.remembers else float(torque[-1])


def load_kinds() -> dict[str, type]:
    """Loads that a task may name."""
    return {name: kind for name, kind in FAMILIES["load"].items() if name not in ("LockedRotor", "PrescribedMotion")}


def _made(values: dict[str, Foreign]) -> Task:
    return Task(**values)
