"""What every simulator's room is held to: actuators with known quantities, and the same quantities in what is read.

Each case says in numbers what its joint feels, so that a quantity that is written twice, or not at all, is seen
whichever way it went.
"""

from dataclasses import dataclass
from itertools import product

import backemf as be
from backemf.sims.on_joint import OnJoint
from backemf.transfer.duty import complete_actuator, scale_of
from backemf.transfer.targets import NAMES, target_of

CONTROLLERS = {
    "voltage": be.Voltage(),
    "position-pid": be.PositionPid(kp=60.0, kd=1.0),
    "velocity-pi": be.VelocityPi(kp=3.0),
    "duty-servo": be.DutyServo(kp=2.0, kd=0.05),
    "modes": be.ModeSelector(torque=be.Torque(), velocity=be.VelocityPi(kp=3.0)),
    "torque": be.Torque(),
    "ideal-pd": be.IdealPd(stiffness=40.0, damping=1.0),
    "position-alone": be.IdealPd(stiffness=40.0, damping=1.0, listens=("position",)),
    "torque-pid": be.TorquePid(kp=40.0, ki=5.0, kd=1.0),
    "speed-pid": be.TorquePid(kd=2.5, follows="velocity", listens=("velocity",)),
}
IN_VOLTS = ("voltage", "position-pid", "velocity-pi", "duty-servo", "modes")


@dataclass(frozen=True)
class Totals:
    """What a joint feels of its actuator, on its side of the gear."""

    inertia: float
    """Of rotor, gears and the joint itself [kg·m²]."""
    dry: float
    """Dry friction when sliding [N·m]."""
    viscous: float
    """Friction per speed [N·m·s/rad]."""
    torque: float
    """Largest torque [N·m]."""
    speed: float | None
    """Speed without load, friction apart, which the supply sets [rad/s]; None: nothing sets one."""


def motor(**parts) -> be.Motor:
    """A motor of 24 V and 20 A without gears."""
    known = {
        "winding": be.Winding(resistance=0.5, inductance=2e-4),
        "magnet": be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        "rotor": be.Rotor(inertia=2e-5),
        "friction": be.Coulomb(coulomb=0.004),
        "drag": be.Drag(coefficients=(2e-6,)),
        "limits": be.Limits(peak_current=20.0),
        "ratings": be.Ratings(voltage=24.0, current=4.0),
    }
    return be.Motor(**known | parts)


GEARED = motor(gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0),)))
BRISTLES = motor(
    gearbox=GEARED.gearbox,
    friction=be.LuGre(coulomb=0.004, stiction=0.006, stribeck_velocity=5.0, stiffness=2.0, damping=0.002),
)
SUPPLY = be.Supply(voltage=24.0)
OWN = {"armature": 0.01, "coulomb": 0.3, "stiction": 0.4, "viscous": 0.02}
"""What a joint has of its own."""
CLIP = be.DcClip(saturation_effort=30.0, velocity_limit=24.0, effort_limit=20.0)
FLAT = be.EffortLimit(effort_limit=20.0)

MOTORS = {
    "plain": (lambda c: be.Actuator(motor(), SUPPLY, controller=c), Totals(2e-5, 0.004, 2e-6, 1.0, 480.0)),
    "geared": (lambda c: be.Actuator(GEARED, SUPPLY, controller=c), Totals(0.008, 0.08, 8e-4, 20.0, 24.0)),
    "joint": (
        lambda c: OnJoint(actuator=be.Actuator(GEARED, SUPPLY, controller=c), **OWN),
        Totals(0.018, 0.38, 0.0208, 20.0, 24.0),
    ),
    "bristles": (
        lambda c: OnJoint(actuator=be.Actuator(BRISTLES, SUPPLY, controller=c), **OWN),
        Totals(0.018, 0.38, 0.0208, 20.0, 24.0),
    ),
    "line": (
        lambda c: OnJoint(actuator=be.Actuator(controller=c, limits=CLIP), **OWN),
        Totals(0.01, 0.3, 0.02, 20.0, 24.0),
    ),
    "flat": (
        lambda c: OnJoint(actuator=be.Actuator(controller=c, limits=FLAT), **OWN),
        Totals(0.01, 0.3, 0.02, 20.0, None),
    ),
}
"""Actuators by what they are made of, each with what its joint feels: a geared one has n = 20, so that n²·J = 0.008."""
CASES = [(m, c) for m, c in product(MOTORS, CONTROLLERS) if m not in ("line", "flat") or c not in IN_VOLTS]
TARGETS = [(to, kind) for to in NAMES for kind in (None, *target_of(to).about.kinds)]
NUMBERS = {("webots", "linear"): {"travel": 1.0}}
"""What a kind needs besides."""


EVERY = set(CONTROLLERS)
REFUSED = {
    ("mujoco", None): ({"modes"}, set()),
    ("mjlab", "dc_motor"): (set(), {"flat"}),
    ("mjlab", "builtin_pd"): ({"voltage", "modes", "torque"}, set()),
    ("mjlab", "builtin_position"): ({"voltage", "velocity-pi", "modes", "torque", "speed-pid"}, set()),
    ("mjlab", "builtin_velocity"): (EVERY - {"velocity-pi", "speed-pid"}, set()),
    ("mjlab", "builtin_motor"): (EVERY - {"voltage", "torque"}, set()),
    ("mjlab", "builtin_dc_motor"): ({"duty-servo", "modes", "torque", "speed-pid"}, {"line", "flat"}),
    ("mjlab", "learned_mlp"): (EVERY, set()),
    ("isaaclab", "dc_motor"): (set(), {"flat"}),
    ("isaaclab", "remotized"): (EVERY, set()),
    ("isaaclab", "mlp"): (EVERY, set()),
    ("isaaclab", "lstm"): (EVERY, set()),
    ("newton", "dc_motor"): (set(), {"flat"}),
    ("newton", "pid_dc_motor"): (EVERY - {"torque-pid"}, {"flat"}),
    ("newton", "pid"): (EVERY - {"torque-pid"}, set()),
}
"""Controllers and motors that a kind has no place for; it refuses these, and no others."""


def is_refused(to: str, kind: str | None, motor: str, controller: str) -> bool:
    """Whether a kind has no place for an actuator."""
    controllers, motors = REFUSED.get((to.partition("@")[0], kind), (set(), set()))
    return controller in controllers or motor in motors


def make_case(motor: str, controller: str):
    """The actuator of a case, and what its joint feels."""
    make, totals = MOTORS[motor]
    return make(CONTROLLERS[controller]), totals


def options(to: str, kind: str | None) -> dict:
    """What `export` is given for a kind."""
    return ({} if kind is None else {"kind": kind}) | NUMBERS.get((to, kind), {})


def totals_of(on: OnJoint) -> Totals:
    """What the joint of an actuator feels, by its fields."""
    inertia, dry, viscous = on.armature, on.coulomb, on.viscous
    m, rubs = on.actuator.motor, on.actuator.friction
    if rubs is not None:
        dry, viscous = dry + float(rubs.coulomb), viscous + float(rubs.viscous)
    if m is not None:
        n = abs(float(m.ratio))
        inertia += n**2 * float(m.inertia)
        dry += 0.0 if m.friction is None else n * float(m.friction.coulomb)
        viscous += 0.0 if m.drag is None else n**2 * float(m.drag.coefficients[0])
    full = complete_actuator(on)
    scale = scale_of(full)
    return Totals(float(inertia), float(dry), float(viscous), scale.torque, scale.speed)
