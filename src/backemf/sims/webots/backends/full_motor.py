"""Our full motor in the place of Webots' ideal one: the same commands meet heat, friction, back-EMF and a supply.

Webots' PID answers a position error with a velocity once per basic time step, and its engine reaches that velocity
within the step. Here a velocity loop of a drive does its best: in shorter steps, it asks the motor for

    torque = kp·(Vc - w) + ki·∫(Vc - w)    within the available torque, with kp = 3 J/ts and ki = kp·3/(4 ts)

where J is all that moves and ts the basic time step: a change of the velocity takes about one basic time step, as in
Webots, as far as the motor can. The integral rests where the torque is limited. A commanded torque goes to the drive as
it is. A current loop makes the torque, which is that of the current, before friction and gear loss. `drive_law` has the
law of a substep; drives of one kind run all substeps of a basic time step in one call of machine code.
"""

from __future__ import annotations

import math

from ....actuator import Actuator, Supply, Torque
from ....actuator.needs import require_finite_joint, require_load
from ....actuator.needs import require_inertia as require_moving
from ....errors import ParameterError
from ....motor import Motor
from ....motorfile import load
from ....robot.grouping import kind_of, merge
from ...robot_step import require_one_robot
from ..robots.description import RobotDescription, RobotJoint
from .axis import Axis, log
from .drive_code import ELECTRIC, SET_BY_DEVICES, DriveCode, flat
from .drive_law import Held, Stops, Weight
from .gears import Follower, all_followers, carried_load, followers_of
from .ideal import require_inertia, tell_notes
from .straight import straight_control

LONGEST = 1e-3
"""Longest step of the motor [s]."""
BANDWIDTH = 3000.0
"""How fast the current loop of the drive is [rad/s]."""
OF_ITS_COMMANDS = ("delay", "command_range", "slew")
"""Parts of an actuator that stand before the controller, whose place Webots' PID has."""
SHARPNESS = 3.0
"""Basic time step over the time constant of the velocity loop [1]."""


class FullMotors:
    """Moves every axis by a basic time step with a motor of ours."""

    electric = True

    def __init__(self, robot: RobotDescription, axes: list[Axis]):
        tell_notes(robot)
        led = followers_of(axes, robot.couplings)
        carried_along = all_followers(led)
        joints = {joint.name: joint for joint in robot.joints}
        self._drives = [
            Drive(axis, joints[axis.name], led.get(axis, []), robot) for axis in axes if axis not in carried_along
        ]
        kinds: dict[object, list[Drive]] = {}
        for drive in self._drives:
            kinds.setdefault(drive.kind(), []).append(drive)
        self._rows = [DriveRow(drives) for drives in kinds.values()]

    def step(self) -> None:
        for row in self._rows:
            row.step()


def actuator_of(joint: RobotJoint, robot: RobotDescription) -> Actuator:
    """The motor behind a device with a drive that takes torques."""
    given = joint.actuator
    if given is None:
        raise ParameterError(
            f"{robot.file}: the motor {joint.name!r} names no actuator, which the backend motor needs: "
            'give actuator = "an id of the catalogue, or a file", or --motor'
        )
    found = Actuator(given) if isinstance(given, Motor) else given if isinstance(given, Actuator) else load(given)
    if found.motor is None:
        raise ParameterError(f"{robot.file}: the actuator of {joint.name!r} has no motor; give one of the catalogue")
    require_one_robot(joint.name, found)
    idle = [name for name in OF_ITS_COMMANDS if getattr(found, name) is not None]
    if idle:
        log(
            f"Note: {joint.name!r}: the backend motor leaves out {' and '.join(idle)} of its actuator: Webots' PID "
            "commands the motor."
        )
    supply = Supply(voltage=joint.supply) if isinstance(joint.supply, (int, float)) else joint.supply
    return Actuator(
        found.motor,
        supply or found.supply,
        controller=Torque(current_bandwidth=BANDWIDTH),
        limits=found.limits,
        spring=found.spring,
        voltage_limit=found.voltage_limit,
        # nothing here reads the electrical energy
        meter=False,
    )


class Drive:
    """An axis, the motor behind it and its velocity loop. A slider is seen as a joint that turns."""

    def __init__(self, axis: Axis, joint: RobotJoint, followers: list[Follower], robot: RobotDescription):
        if not axis.dynamic:
            raise ParameterError(
                f"{robot.file}: the joint of {axis.name!r} has no Physics, so that no motor can move it: "
                "give it an inertia, or --inertia"
            )
        require_inertia(robot, axis)
        self.axis, self.followers, self.dt = axis, followers, robot.basic_time_step
        self.turns = max(1, math.ceil(self.dt / LONGEST - 1e-9))
        self.travel = 1.0
        if axis.joint.kind == "slider":
            if joint.travel is None and axis.driven:
                raise ParameterError(
                    f"{robot.file}: the motor {axis.name!r} is linear: give travel, the way per radian, "
                    'such as "2 mm/rad"'
                )
            self.travel = joint.travel or 1.0
        self.damping = axis.joint.damping_constant
        self.control = straight_control(axis.motor, axis.joint, self.dt)
        self.actuator = actuator_of(joint, robot) if axis.driven else Actuator(controller=Torque())
        if axis.joint.static_friction > 0.0 and axis.driven:
            log(f"Note: {axis.name!r}: static_friction has no effect with the backend motor; the motor has its own.")
        own = 0.0 if self.actuator.motor is None else float(self.actuator.motor.armature)
        whole = own + (axis.inertia or 0.0) * self.travel**2 + carried_load(followers).inertia * self.travel**2
        require_load(self.actuator, 0.0, 1.0)
        require_moving(self.actuator, whole - own)
        self.kp = SHARPNESS * whole / self.dt
        self.ki = self.kp * SHARPNESS / (4.0 * self.dt)
        self.was_torque = False

    def kind(self) -> object:
        """What it has in common with drives that the same code steps."""
        return kind_of(self.actuator), len(self._weights()), self.axis.joint.min_stop is None, self.travel == 1.0

    def held(self) -> Held:
        """What stays as it is over the next basic time step."""
        axis, joint, more = self.axis, self.axis.joint, carried_load(self.followers, level=True)
        stops = None if joint.min_stop is None else Stops(joint.min_stop, joint.max_stop, joint.stop_erp)
        return Held(
            wanted=axis.wanted,
            available=axis.available,
            torque=axis.torque,
            torque_mode=axis.torque_mode,
            damping=self.damping + axis.brake + more.damping,
            load=axis.load_torque + more.load,
            inertia=(axis.inertia or 0.0) + more.inertia,
            spring=joint.spring_constant + more.spring,
            travel=self.travel,
            kp=self.kp,
            ki=self.ki,
            weights=self._weights(),
            stops=stops,
        )

    def _weights(self) -> tuple[Weight, ...]:
        """What hangs on the axis and on the joints that it carries along."""
        axis = self.axis
        found = [Weight(axis.weight, 1.0, -axis.hangs_at)] if axis.weight else []
        for f in self.followers:
            if f.axis.weight:
                found.append(Weight(f.share * f.ratio * f.axis.weight, f.ratio, f.offset - f.axis.hangs_at))
        return tuple(found)

    def require_finite(self) -> None:
        """Check that position, speed and load are finite; raise `ParameterError` if not."""
        axis, held, r = self.axis, self.held(), self.travel
        pull = axis.load() + held.load - axis.load_torque - held.damping * axis.speed - held.spring * axis.position
        require_finite_joint(
            axis.position / r, axis.speed / r, load_torque=pull * r, load_inertia=held.inertia * r * r,
            load_damping=held.damping * r * r, load_stiffness=held.spring * r * r,
        )  # fmt: skip


class DriveRow:
    """Drives that the same code steps, side by side."""

    def __init__(self, drives: list[Drive]):
        self._code = code = DriveCode(
            merge([drive.actuator for drive in drives]), [drive.held() for drive in drives], drives[0].dt,
            drives[0].turns,
        )  # fmt: skip
        rows = [code.rows[name] for name in SET_BY_DEVICES], code.moved_rows
        self._places = [
            (drive, *(tuple(code.count * row + k for row in each) for each in rows)) for k, drive in enumerate(drives)
        ]
        """Each drive, where what devices change of it is in the code's memory, and where what moves is."""
        self._geared = [(k, drive) for k, drive in enumerate(drives) if drive.followers]
        self._electric = all(name in code.electric for name in ELECTRIC)

    def step(self) -> None:
        code, here, held = self._code, self._code.here, self._code.held
        for drive, (wanted, available, torque, mode, damping), (position, speed, integral, mean) in self._places:
            axis = drive.axis
            drive.control(axis, 0.0)
            held[wanted], held[available], held[torque] = axis.wanted, axis.available, axis.torque
            held[mode], held[damping] = axis.torque_mode, drive.damping + axis.brake
            here[position], here[speed], here[mean] = axis.position, axis.speed, 0.0
            if (axis.torque_mode != 0.0) != drive.was_torque:
                # what was learned under another command is of no use
                here[integral], drive.was_torque = 0.0, not drive.was_torque
            known = axis.position + axis.speed + axis.wanted + axis.torque + axis.brake
            if known - known != 0.0:
                drive.require_finite()
        for k, drive in self._geared:
            self._hold(k, drive)
        here = code.step()
        for drive, _, (position, speed, _, mean) in self._places:
            axis = drive.axis
            axis.position, axis.speed, axis.total = here[position], here[speed], here[mean]
            # as in Webots, the feedback has nothing of a commanded torque
            axis.feedback = 0.0 if axis.torque_mode else axis.total
        if self._electric:
            n, out = code.count, code.out
            for k, (drive, _, _) in enumerate(self._places):
                axis = drive.axis
                axis.current, axis.voltage, axis.temperature = out[k], out[n + k], out[n + n + k]
        for _, drive in self._geared:
            for follower in drive.followers:
                follower.follow(drive.axis)
                follower.update_share(drive.axis.speed, drive.axis.speed, drive.dt)

    def _hold(self, k: int, drive: Drive) -> None:
        """Write what a drive holds, which the way of the power through its gears changes."""
        code = self._code
        for name, value in flat(drive.held()).items():
            if name in code.rows:
                code.held[code.count * code.rows[name] + k] = float(value)
