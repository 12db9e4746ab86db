"""Robots and motors for the tests inside MJX and MuJoCo Warp."""

import warnings
from functools import cache

import mujoco
import numpy as np

import backemf as be
from backemf.sims import mujoco as on_cpu

PD = be.IdealPd(stiffness=20.0, damping=0.5)
SUPPLY = be.Supply(voltage=24.0, resistance=0.2)
STANCE = np.array((0.0, 0.9, -1.8) * 4)


def motor(**parts) -> be.Motor:
    """A small motor with a gear; parts replace or add to it."""
    backlash, stage = parts.pop("backlash", None), parts.pop("stage", {})
    plain = {
        "winding": be.Winding(resistance=0.5),
        "magnet": be.Magnet(torque_constant=0.06, back_emf_constant=0.06),
        "rotor": be.Rotor(inertia=5e-6),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=20.0, **stage),), backlash=backlash),
    }
    return be.Motor(**(plain | parts))


FULL = motor(
    winding=be.Winding(resistance=0.5, inductance=2e-4),
    thermal=be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=0.5, housing_resistance=2.0, housing_capacitance=5.0
    ),
    friction=be.LoadDependent(coulomb=0.005, viscous=1e-5, load=be.LoadShare(drive=0.05, back=0.03)),
    drag=be.Drag(coefficients=(1e-5, 1e-8)),
    stage={"efficiency": 0.85, "back_efficiency": 0.6},
)
"""A motor with most of what the simulators' own actuators lack."""
SMOOTH = motor(winding=be.Winding(resistance=0.5, inductance=2e-4), drag=be.Drag(coefficients=(1e-5,)))
TWO_KINDS = {
    "j[02]": be.Actuator(FULL, SUPPLY, controller=PD),
    "j1": be.Actuator(motor(backlash=0.02), SUPPLY, controller=PD),
}
"""Patterns for an arm of three joints, of which the middle one has backlash."""


def arm(count=1, integrator="implicitfast", options="", act="motor", inside="", dt=2e-3) -> mujoco.MjModel:
    """Point masses on rods that hang down at 0, one hinge "j0", "j1", ... for each."""
    bodies = "".join(
        f'<body pos="0 0 {-0.3 if i else 1.0}"><joint name="j{i}" axis="0 -1 0" damping="0.01" {inside}/>'
        '<inertial pos="0 0 -0.3" mass="0.5" diaginertia="1e-6 1e-6 1e-6"/>'
        for i in range(count)
    )
    hands = "".join(f'<{act} name="j{i}" joint="j{i}" gear="2"/>' for i in range(count)) if act else ""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="{integrator}">{options}</option>'
        f"<worldbody>{bodies}{'</body>' * count}</worldbody><actuator>{hands}</actuator></mujoco>"
    )


def quadruped(kind: str) -> mujoco.MjModel:
    """A trunk on four legs with twelve joints that stands on a floor; `kind` is the element of its actuators."""
    legs, actuators = "", ""
    for i, (x, y) in enumerate(((0.19, 0.05), (0.19, -0.05), (-0.19, 0.05), (-0.19, -0.05))):
        legs += (
            f'<body pos="{x} {y} 0"><joint name="hip{i}" axis="1 0 0"/><inertial pos="0 0 0" mass=".7" '
            f'diaginertia="1e-3 1e-3 1e-3"/><body pos="0 {1.9 * y} 0"><joint name="thigh{i}" axis="0 1 0"/>'
            '<inertial pos="0 0 -.1" mass="1.1" diaginertia="5e-3 5e-3 5e-4"/>'
            f'<body pos="0 0 -.213"><joint name="knee{i}" axis="0 1 0"/>'
            '<inertial pos="0 0 -.1" mass=".2" diaginertia="1e-3 1e-3 1e-4"/>'
            '<geom type="sphere" size=".022" pos="0 0 -.213"/></body></body></body>'
        )
        actuators += "".join(f'<{kind} joint="{j}{i}"/>' for j in ("hip", "thigh", "knee"))
    return mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.002" integrator="implicitfast" iterations="30"/>'
        '<default><geom contype="1" conaffinity="0"/><joint armature="0.005"/></default><worldbody>'
        '<geom type="plane" size="0 0 1" contype="0" conaffinity="1"/><body pos="0 0 .29"><freejoint/>'
        f'<inertial pos="0 0 0" mass="6.9" diaginertia=".02 .09 .1"/>{legs}</body></worldbody>'
        f"<actuator>{actuators}</actuator></mujoco>"
    )


STOCK = 'position kp="40" kv="1"'
ON_LEGS = {"hip.|thigh.|knee.": be.Actuator(FULL, SUPPLY, controller=be.IdealPd(stiffness=40.0, damping=1.0))}


def quietly(make, *arguments, **options):
    """Motors without the warning that the model has armature too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments, **options)


def targets(steps: int, count: int) -> np.ndarray:
    """Targets that swing and then stand, a row for each step."""
    time = np.arange(steps)[:, None]
    return np.where(time < 0.7 * steps, 0.6 * np.sin(0.02 * time) + 0.1 * np.arange(count), 0.3)


def clipped_of(count: int) -> str:
    """A limit of the model's own below what the motor gives, on an arm of one joint."""
    return 'actuatorfrcrange="-1.5 1.5"' if count == 1 else ""


@cache
def arm_on_cpu(count: int, kinds: str, steps: int):
    """Positions, torques and winding temperatures of an arm with `mujoco.Motors`, and the motors."""
    model = arm(count, inside=clipped_of(count))
    data = mujoco.MjData(model)
    motors = quietly(on_cpu.Motors, model, ACTUATORS[kinds])
    rows = []
    for told in targets(steps, count):
        motors.step(data, told)
        out = motors.output
        rows.append((data.qpos.copy(), out.torque.copy(), out.winding_temperature.copy(), np.array(out.limit)))
    return [np.array(column) for column in zip(*rows, strict=True)]


ACTUATORS = {"full": {"j.*": be.Actuator(FULL, SUPPLY, controller=PD)}, "two kinds": TWO_KINDS}


def leg_targets(steps: int) -> np.ndarray:
    """A quadruped that bends its legs."""
    return STANCE + 0.2 * np.sin(0.05 * np.arange(steps))[:, None]


@cache
def legs_on_cpu(steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions and torques of a quadruped with `mujoco.Motors`, and positions with stock actuators."""
    model, stock = quadruped("motor"), quadruped(STOCK)
    data, plain = mujoco.MjData(model), mujoco.MjData(stock)
    data.qpos[7:] = plain.qpos[7:] = STANCE
    motors = quietly(on_cpu.Motors, model, ON_LEGS)
    rows = []
    for told in leg_targets(steps):
        motors.step(data, told)
        plain.ctrl[:] = told
        mujoco.mj_step(stock, plain)
        rows.append((data.qpos.copy(), motors.output.torque.copy(), plain.qpos.copy()))
    positions, torques, stocks = (np.array(column) for column in zip(*rows, strict=True))
    return positions, torques, stocks
