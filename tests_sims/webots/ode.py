"""ODE through ctypes: one body on a hinge or a slider, driven as Webots drives it.

Looked for, in this order: the file that BACKEMF_ODE names, the library in the wheel of dartpy, the system's library.
"""

import ctypes
import ctypes.util
import os
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

from backemf.sims.webots import WebotsJoint

LO_STOP, HI_STOP, VEL, FMAX, STOP_ERP, STOP_CFM = 0, 1, 2, 5, 9, 10
"""ODE's parameters of a joint: dParamLoStop, dParamHiStop, dParamVel, dParamFMax, dParamStopERP, dParamStopCFM."""
USER = 0
"""ODE's dAMotorUser."""


class MissingOde(Exception):
    """There is no ODE here."""


@cache
def library() -> Any:
    """ODE with doubles, ready to be called."""
    carried = sorted(str(path) for path in (Path(sysconfig.get_path("platlib")) / "dartpy.libs").glob("libode-*"))
    given = os.environ.get("BACKEMF_ODE")
    for name in [given] if given else [*carried, ctypes.util.find_library("ode"), "libode.so.8"]:
        try:
            found = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if found is not None and _has_doubles(found):
            return _declared(found)
    raise MissingOde(
        "These tests need ODE with doubles, and it is not here: pip install dartpy, whose wheel carries it, or install "
        "the Debian package libode8, or name its file in BACKEMF_ODE."
    )


def _has_doubles(found: Any) -> bool:
    found.dGetConfiguration.restype = ctypes.c_char_p
    return b"ODE_double_precision" in found.dGetConfiguration()


class Mass(ctypes.Structure):
    """ODE's dMass."""

    _fields_ = [("mass", ctypes.c_double), ("c", ctypes.c_double * 4), ("inertia", ctypes.c_double * 12)]


class Feedback(ctypes.Structure):
    """ODE's dJointFeedback: what a joint does to its two bodies."""

    _fields_ = [(name, ctypes.c_double * 4) for name in ("f1", "t1", "f2", "t2")]


def _declared(ode: Any) -> Any:
    """Handles and doubles instead of ctypes' ints."""
    handle, real, count = ctypes.c_void_p, ctypes.c_double, ctypes.c_int
    ode.dInitODE2(0)
    made = {
        "dWorldCreate": (),
        "dBodyCreate": (handle,),
        "dJointCreateHinge": (handle, handle),
        "dJointCreateSlider": (handle, handle),
        "dJointCreateAMotor": (handle, handle),
    }
    for name, arguments in made.items():
        getattr(ode, name).restype, getattr(ode, name).argtypes = handle, list(arguments)
    done = {
        "dWorldDestroy": (handle,),
        "dWorldStep": (handle, real),
        "dWorldSetGravity": (handle, real, real, real),
        "dWorldSetCFM": (handle, real),
        "dWorldSetERP": (handle, real),
        "dBodySetMass": (handle, ctypes.POINTER(Mass)),
        "dMassSetParameters": (ctypes.POINTER(Mass), *[real] * 10),
        "dBodyAddTorque": (handle, real, real, real),
        "dBodyAddForce": (handle, real, real, real),
        "dJointAttach": (handle, handle, handle),
        "dJointSetHingeAnchor": (handle, real, real, real),
        "dJointSetHingeAxis": (handle, real, real, real),
        "dJointSetSliderAxis": (handle, real, real, real),
        "dJointSetHingeParam": (handle, count, real),
        "dJointSetSliderParam": (handle, count, real),
        "dJointSetAMotorParam": (handle, count, real),
        "dJointSetAMotorNumAxes": (handle, count),
        "dJointSetAMotorMode": (handle, count),
        "dJointSetAMotorAxis": (handle, count, count, real, real, real),
        "dJointSetAMotorAngle": (handle, count, real),
        "dJointSetFeedback": (handle, ctypes.POINTER(Feedback)),
        "dJointAddHingeTorque": (handle, real),
        "dJointAddSliderForce": (handle, real),
    }
    for name, arguments in done.items():
        getattr(ode, name).restype, getattr(ode, name).argtypes = None, list(arguments)
    for name in ("Hinge", "Slider"):
        for what in ("Angle", "AngleRate") if name == "Hinge" else ("Position", "PositionRate"):
            getattr(ode, f"dJointGet{name}{what}").restype = real
            getattr(ode, f"dJointGet{name}{what}").argtypes = [handle]
    return ode


class OdeJoint:
    """One body on a fixed base: its joint's motor, a spring and damper in the solver, and a torque on it."""

    def __init__(self, joint: WebotsJoint, inertia: float, dt: float):
        self.ode, self.kind, self.dt, self.start = library(), joint.kind, dt, joint.position
        ode, kind = self.ode, joint.kind
        self.world = ode.dWorldCreate()
        # joints take these over when they are made
        ode.dWorldSetCFM(self.world, joint.cfm)
        ode.dWorldSetERP(self.world, joint.stop_erp)
        self.body = ode.dBodyCreate(self.world)
        mass = Mass()
        ode.dMassSetParameters(mass, inertia, 0, 0, 0, inertia, inertia, inertia, 0, 0, 0)
        ode.dBodySetMass(self.body, mass)
        self.name = "Hinge" if kind == "hinge" else "Slider"
        self.joint = self._call("dJointCreate{}", self.world, None)
        ode.dJointAttach(self.joint, self.body, None)
        if kind == "hinge":
            ode.dJointSetHingeAnchor(self.joint, 0, 0, 0)
        self._call("dJointSet{}Axis", self.joint, 0, 0, 1)
        self.feedback = Feedback()
        ode.dJointSetFeedback(self.joint, self.feedback)
        if joint.min_stop is not None:
            stops = {LO_STOP: joint.min_stop - self.start, HI_STOP: joint.max_stop - self.start}
            for parameter, value in {**stops, STOP_CFM: joint.stop_cfm, STOP_ERP: joint.stop_erp}.items():
                self._call("dJointSet{}Param", self.joint, parameter, value)
        damping, spring = joint.damping_constant + joint.brake, joint.spring_constant
        self.damper = self._damper(damping, spring) if damping or spring else None
        self.turns, self.angle = 0.0, 0.0

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(self.ode, name.format(self.name))(*arguments)

    def _damper(self, damping: float, spring: float) -> Any:
        """Webots' spring and damper: a second motor with both stops where the joint's position is 0.

        Webots' own ODE has a linear motor with stops; here a second slider stands in for it.
        """
        ode, kind = self.ode, "AMotor" if self.kind == "hinge" else "Slider"
        motor = getattr(ode, f"dJointCreate{kind}")(self.world, None)
        ode.dJointAttach(motor, self.body, None)
        if kind == "AMotor":
            ode.dJointSetAMotorNumAxes(motor, 1)
            ode.dJointSetAMotorMode(motor, USER)
            ode.dJointSetAMotorAxis(motor, 0, 0, 0, 0, 1)
        else:
            ode.dJointSetSliderAxis(motor, 0, 0, 1)
        cfm = 1.0 / (self.dt * spring + damping)
        put = getattr(ode, f"dJointSet{kind}Param")
        for parameter, value in ((STOP_CFM, cfm), (STOP_ERP, min(self.dt * spring * cfm, 1.0))):
            put(motor, parameter, value)
        for parameter in (LO_STOP, HI_STOP, LO_STOP):
            put(motor, parameter, -self.start)
        return motor

    def step(self, wanted: float, most: float, torque: float, load: float) -> None:
        """A basic time step: the velocity to reach with at most a torque, a commanded torque, and one from outside."""
        self._call("dJointSet{}Param", self.joint, VEL, wanted)
        self._call("dJointSet{}Param", self.joint, FMAX, most)
        if self.kind == "hinge":
            self.ode.dJointAddHingeTorque(self.joint, torque)
            self.ode.dBodyAddTorque(self.body, 0, 0, load)
            if self.damper:
                self.ode.dJointSetAMotorAngle(self.damper, 0, self.angle)
        else:
            self.ode.dJointAddSliderForce(self.joint, torque)
            self.ode.dBodyAddForce(self.body, 0, 0, load)
        self.ode.dWorldStep(self.world, self.dt)
        if self.kind == "hinge":
            before, self.angle = self.angle, self.ode.dJointGetHingeAngle(self.joint)
            turned = self.angle - before
            self.turns += -6.283185307179586 if turned > 3.1416 else 6.283185307179586 if turned < -3.1416 else 0.0

    @property
    def position(self) -> float:
        """Angle counted on beyond a turn [rad], or position [m]."""
        if self.kind == "hinge":
            return self.start + self.angle + self.turns
        return self.start + self.ode.dJointGetSliderPosition(self.joint)

    @property
    def velocity(self) -> float:
        """Velocity [rad/s], [m/s]."""
        return self._call("dJointGet{}AngleRate" if self.kind == "hinge" else "dJointGet{}PositionRate", self.joint)

    @property
    def torque(self) -> float:
        """What the joint's motor gave in the last step [N·m], [N]."""
        return self.feedback.t1[2] if self.kind == "hinge" else self.feedback.f1[2]

    def close(self) -> None:
        self.ode.dWorldDestroy(self.world)
