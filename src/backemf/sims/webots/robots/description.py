"""A robot as it is simulated here: its joints with motors, sensors and brakes, and what they move."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ....actuator import Actuator
from ....actuator.supply import Supply
from ....checks import require, require_finite
from ....errors import ParameterError
from ....motor import Motor
from ...types import Field
from ..nodes.former import WheelDrive
from ..nodes.node import Node
from ..nodes.others import WorldDevice
from ..nodes.unexpanded import Unexpanded, what_is_needed
from ..nodes.world_parts import World, WorldJoint, WorldRobot
from ..nodes.worlds import read

BACKENDS = ("ideal", "motor", "mujoco")
"""Backends of the devices."""
DURATION = 10.0
"""Default duration of a run [s]."""
GRAVITY = 9.81
"""As in Webots [m/s²]."""
WITHOUT_CONTROLLER = ("", "void", "<none>")
"""Words for the controller of a robot that has none."""


@dataclass(frozen=True, kw_only=True)
class RobotJoint:
    """A joint with what it moves and what really drives it."""

    world: WorldJoint
    """The joint with its devices, as Webots has it."""
    torque: float = 0.0
    """Constant torque on it from elsewhere [N·m]."""
    mass: float = 0.0
    """Mass that hangs on an arm, for its weight [kg]."""
    length: float = 0.0
    """Length of the arm [m]."""
    hangs_at: float = 0.0
    """Position at which the arm hangs down [rad]."""
    actuator: Actuator | Motor | str | None = None
    """Motor behind the device with the backend "motor": a name of the catalogue, a file, a `Motor` or `Actuator`."""
    supply: Supply | float | None = None
    """What feeds it: volts, or a `Supply`; None: what the actuator says."""
    travel: float | None = None
    """Travel of a slider per radian of the motor's joint [m/rad]."""
    joint: str = ""
    """Name of the joint in the MuJoCo model; empty: the motor's name."""

    def __post_init__(self) -> None:
        require_finite(self, "torque", "hangs_at")
        for name in ("mass", "length"):
            require(self, name, ">=")
        require(self, "travel", ">")

    @property
    def name(self) -> str:
        """Name of its motor, or of what it moves."""
        return self.world.name


@dataclass(frozen=True, kw_only=True)
class MechanicalCoupling:
    """Gears between two joints: the follower is at ratio times the leader's position. Webots has none."""

    leader: str
    """Name of the joint with the motor."""
    follower: str
    """Name of a joint without one."""
    ratio: float = 1.0
    """Turns of the follower per turn of the leader [1]."""
    efficiency: float = 1.0
    """Share of the power that passes, in either direction [1]."""

    def __post_init__(self) -> None:
        require_finite(self, "ratio")
        require(self, "efficiency", ">")
        require(self, "efficiency", "<=", 1.0)
        if self.ratio == 0.0:
            raise ParameterError("MechanicalCoupling.ratio = 0: must not be 0")
        if self.leader == self.follower:
            raise ParameterError(f"MechanicalCoupling.follower = {self.follower!r}: must be another joint")


@dataclass(frozen=True, kw_only=True)
class RobotDescription:
    """A robot."""

    name: str = "robot"
    """Its name."""
    model: str = ""
    """What its maker calls it."""
    joints: tuple[RobotJoint, ...] = ()
    """Its joints, in the order of the file."""
    basic_time_step: float = 0.032
    """Duration of a step of the simulation [s]."""
    battery: tuple[float, ...] = ()
    """Energy now [J], largest [J], charging power [W]; empty: no battery."""
    cpu_consumption: float = 10.0
    """Power of its computer, if there is a battery [W]."""
    couplings: tuple[MechanicalCoupling, ...] = ()
    """Gears between joints."""
    backend: str = "ideal"
    """Backend of the devices."""
    mujoco: Path | None = None
    """MuJoCo model of the robot."""
    duration: float = DURATION
    """Duration of a run [s]."""
    arguments: tuple[str, ...] = ()
    """Arguments of its controller."""
    others: tuple[WorldDevice, ...] = ()
    """Its devices that are not simulated; `after` counts the joints before them."""
    node: Node | None = None
    """Its node in the world; None: it is not from a world."""
    roots: tuple[Node, ...] = ()
    """Top-level nodes of its world."""
    wheels: WheelDrive | None = None
    """Both wheels of a DifferentialWheels; None: it is another robot."""
    warnings: tuple[str, ...] = ()
    """Webots' warnings when it loads the robot."""
    unexpanded: tuple[Unexpanded, ...] = ()
    """PROTOs of the robot that are not expanded."""
    file: str = "robot"
    """File that it was read from, for messages."""

    def __post_init__(self) -> None:
        require(self, "basic_time_step", ">")
        require(self, "duration", ">")
        require(self, "cpu_consumption", ">=")
        if self.backend not in BACKENDS:
            raise ParameterError(f"{self.file}: backend = {self.backend!r}: must be one of {', '.join(BACKENDS)}")
        if not any(joint.world.motor is not None or joint.world.brake is not None for joint in self.joints):
            needs = what_is_needed(self.unexpanded)
            raise ParameterError(
                f"{self.file}: the robot has no motor that a controller could drive{'; ' if needs else ''}{needs}"
            )
        _unique(self.file, [name for joint in self.joints for name in device_names(joint.world)])
        _check_couplings(self)

    def with_values(self, **values: Field) -> RobotDescription:
        """The same with other values; None leaves one as it is."""
        return replace(self, **{name: value for name, value in values.items() if value is not None})

    def with_joints(self, change: Callable[[RobotJoint], RobotJoint]) -> RobotDescription:
        """The same with every joint changed by a function."""
        return replace(self, joints=tuple(change(joint) for joint in self.joints))


def device_names(joint: WorldJoint) -> list[str]:
    """Names of a joint's devices, in the order of the file."""
    names = {
        "motor": joint.name if joint.motor is not None else None,
        "sensor": None if joint.sensor is None else joint.sensor.name,
        "brake": joint.brake,
    }
    found = [names[word] for word in joint.order] + [n for word, n in names.items() if word not in joint.order]
    return [name for name in found if name is not None]


def _unique(file: str, names: Iterable[str]) -> None:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ParameterError(f"{file}: two devices are called {twice!r}; give each its own name")


def _check_couplings(robot: RobotDescription) -> None:
    joints = {joint.name: joint.world for joint in robot.joints}
    used: set[str] = set()
    leaders = {coupling.leader for coupling in robot.couplings}
    for coupling in robot.couplings:
        leader, follower = coupling.leader, coupling.follower
        unknown = next((name for name in (leader, follower) if name not in joints), None)
        wrong = ""
        if unknown is not None:
            wrong = f"there is no joint {unknown!r}; there are {', '.join(map(repr, joints))}"
        elif joints[follower].motor is not None:
            wrong = f"the follower {follower!r} has its own motor; leave it out, or couple the motors by name with ::"
        elif joints[leader].joint.kind != joints[follower].joint.kind:
            wrong = f"{leader!r} and {follower!r} must both turn or both slide"
        elif follower in used or leader in used or follower in leaders:
            wrong = (
                f"{follower!r} and {leader!r} must not be in a chain; couple each follower to the joint with the motor"
            )
        if wrong:
            raise ParameterError(f"{robot.file}, coupling: {wrong}")
        used.add(follower)


# --- from Webots' files


def load_robot(
    path: str | os.PathLike[str],
    robot: str | None = None,
    assets: Iterable[str | os.PathLike[str]] = (),
    controller: str = "",
) -> RobotDescription:
    """A robot from a file of ours (.toml), or from a world, a PROTO or a node of Webots (.wbt, .proto).

    `robot` is its name, where a world has several; without it, the first whose controller is called `controller`,
    or else the only one whose controller is `<extern>`, or else the only one that has a controller, or the first if all
    that have one have the same.
    `assets` are folders in which PROTOs are looked for that are neither beside the file nor where it says.
    """
    file = Path(path)
    if file.suffix == ".toml":
        from .robot_toml import read_toml

        return read_toml(file)
    if file.suffix not in (".wbt", ".proto", ".wbo"):
        raise ParameterError(f"{file}: a robot is a .toml, a .wbt or a .proto file")
    return from_world(read(file, assets=assets), str(file), robot, controller)


def from_world(world: World, file: str = "world", robot: str | None = None, controller: str = "") -> RobotDescription:
    """One robot of a world: the one of that name, or of that controller, or its only one."""
    names = [found.name for found in world.robots]
    if robot is not None and robot not in names:
        raise ParameterError(f"{file}: there is no robot {robot!r}; there are {', '.join(map(repr, names)) or 'none'}")
    driven = {joint.robot for joint in world.joints if joint.motor is not None}
    driven = driven or {joint.robot for joint in world.joints if joint.brake is not None}
    chosen, notes = (robot, []) if robot is not None else _choose(world, file, driven, controller)
    found = next((r for r in world.robots if r.name == chosen), WorldRobot(name=chosen or "robot"))
    mine = [joint.robot == chosen and _matters(joint) for joint in world.joints]
    others = [replace(each, after=sum(mine[: each.after])) for each in world.devices if each.robot == chosen]
    joints, more = _distinct([joint for joint, keep in zip(world.joints, mine, strict=True) if keep], file)
    within = tuple(missing for missing in world.unexpanded if missing.robot and missing.robot == chosen)
    elsewhere = [each for each in names if each in driven and each != chosen]
    if elsewhere and not within and not any(joint.motor is not None or joint.brake is not None for joint in joints):
        raise ParameterError(
            f"{file}: the robot {chosen!r} has no motor that a controller could drive; "
            f"give the name of one that has (--name): {', '.join(map(repr, elsewhere))}"
        )
    return RobotDescription(
        name=found.own_name,
        model=found.model,
        joints=tuple(RobotJoint(world=joint) for joint in joints),
        others=tuple(others),
        node=found.node,
        roots=world.roots,
        wheels=found.wheels,
        basic_time_step=world.basic_time_step,
        battery=found.battery,
        cpu_consumption=found.cpu_consumption,
        arguments=found.arguments,
        warnings=(*world.warnings, *notes, *more, *(missing.sentence() for missing in within)),
        unexpanded=within or (() if chosen in driven else world.unexpanded),
        file=file,
    )


def _choose(world: World, file: str, driven: set[str], controller: str) -> tuple[str, list[str]]:
    """Name of the robot that a controller drives, and notes about the choice; empty: there is none."""
    drives = [each for each in world.robots if each.name in driven]
    mine = [each.name for each in drives if controller and each.controller == controller]
    if mine:
        return _first(mine, file, controller)
    still = [each.name for each in world.robots if controller and each.controller == controller]
    if still:
        return still[0], []
    missing = [each for each in world.unexpanded if controller and each.controller == controller]
    if missing:
        raise ParameterError(f"{file}: the robot of {controller!r} is not read: {what_is_needed(missing)}")
    waiting = [each.name for each in drives if each.controller == "<extern>"]
    busy = [each.name for each in drives if each.controller not in WITHOUT_CONTROLLER]
    for only in (waiting, busy):
        if len(only) == 1:
            return only[0], []
    if len({each.controller for each in drives if each.name in busy}) == 1:
        return _first(busy, file, controller)
    if len(drives) > 1:
        shown = ", ".join(repr(each.name) for each in drives)
        raise ParameterError(f"{file}: which robot: there are {shown}; give the name of one (--name)")
    return drives[0].name if drives else "", []


def _first(names: list[str], file: str, controller: str) -> tuple[str, list[str]]:
    """The first of several robots with the same controller, and a note if there are others."""
    others = ", ".join(map(repr, names[1:]))
    script = repr(controller) if controller else "a script"
    return names[0], [f"{file}: {script} drives {names[0]!r} here, and not {others} (--name)"] if others else []


def _distinct(joints: list[WorldJoint], file: str) -> tuple[list[WorldJoint], list[str]]:
    """The joints whose devices have unique names, and warnings about the others."""
    kept, messages, seen = [], [], set()
    for joint in joints:
        names = device_names(joint)
        taken = next((name for name in names if name in seen), None)
        if taken is None:
            kept.append(joint)
            seen.update(names)
        else:
            messages.append(f"{file}: two devices are called {taken!r}: a controller finds the first alone")
    return kept, messages


def _matters(joint: WorldJoint) -> bool:
    return joint.motor is not None or joint.sensor is not None or joint.brake is not None


def with_inertia(robot: RobotDescription, inertia: float, kind: str = "hinge") -> RobotDescription:
    """The robot with an inertia [kg·m²] for every hinge whose file does not tell it, or a mass [kg] for sliders.

    A joint without Physics has some then, and is no longer in kinematic mode. Where Webots takes 1 kg·m² or
    1 kg since nothing says what a solid weighs, this takes its place.
    """
    if not (inertia > 0.0 and math.isfinite(inertia)):
        raise ParameterError(f"inertia = {inertia:g}: must be a finite number above 0")

    def give_inertia(joint: RobotJoint) -> RobotJoint:
        world = joint.world
        is_known = world.inertia is not None and not world.load.assumed
        if is_known or world.joint.kind != kind or world.holder in ("Propeller", "Track"):
            return joint
        load = replace(world.load, inertia=inertia, assumed=False, missing="")
        return replace(joint, world=replace(world, inertia=inertia, dynamic=True, load=load))

    return robot.with_joints(give_inertia)
