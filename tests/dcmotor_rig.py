"""A test rig: random `<dcmotor>`s on bare hinges in the real MuJoCo, and the same hinges under our `DcMotor`."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from mujoco_rig import mujoco, write

from backemf.sims.mujoco import DcMotor

VERSION = ".".join(mujoco.__version__.split(".")[:2])
COUNT, DT, STEPS = 4, 1e-3, 300
STATES = ("slew", "integral", "thermal", "lugre", "inductive")
"""Features that bring a state each."""


class Motors(NamedTuple):
    """Motors of one kind: attributes of a `<dcmotor>` with a row of numbers for each, and what turns them."""

    words: dict[str, Any]
    inertia: np.ndarray
    """Inertia of each hinge without the rotor [kg·m²]."""
    ctrl: np.ndarray
    """Controls (steps, motors, inputs)."""
    start: np.ndarray
    """Velocity of each hinge at the start [rad/s]."""


def features(inputs: str) -> list[tuple[str, ...]]:
    """Every combination of states that a motor with these inputs may have."""
    words = inputs.split()
    combinations = [tuple(s for s, there in zip(STATES, on, strict=True) if there) for on in product((0, 1), repeat=5)]
    old = words[0] in ("position", "velocity") or (words == ["voltage"] and VERSION == "3.11")
    controller = old or bool({"pos", "vel", "ff"} & set(words))
    slews = [c for c in combinations if controller or "slew" not in c]
    return [c for c in slews if old or "pos" in words or "integral" not in c]


def motors(inputs: str, states: tuple[str, ...], seed: int) -> Motors:
    """Random motors with these inputs and states; what brings no state is drawn as well."""
    rng = np.random.default_rng(seed)

    def draw(low: float, high: float) -> np.ndarray:
        return np.exp(rng.uniform(np.log(low), np.log(high), COUNT))

    constant, ohms, volts = draw(0.01, 0.2), draw(0.3, 5.0), draw(6.0, 40.0)
    gear = draw(0.5, 30.0) * rng.choice([-1.0, 1.0], COUNT) if rng.random() < 0.5 else np.ones(COUNT)
    # inertia on the side of the actuator, from the time in which it reaches its speed; a third of it is the rotor's
    felt = draw(0.05, 0.5) * constant**2 / ohms
    words: dict[str, Any] = {
        "input": inputs,
        "motorconst": np.stack([constant, constant * draw(0.8, 1.2)], axis=-1),
        "resistance": ohms,
        "gear": gear,
        "armature": felt / 3,
    }
    stall = constant * volts / ohms
    if rng.random() < 0.5:
        words["damping"] = np.stack(
            [draw(0.01, 0.3) * constant**2 / ohms, felt * draw(1e-5, 1e-3), felt * 1e-6], axis=-1
        )
    if rng.random() < 0.5:
        words["cogging"] = np.stack(
            [stall * draw(0.01, 0.05), rng.integers(1, 5, COUNT), rng.uniform(-3, 3, COUNT)], -1
        )
    if "inductive" in states:
        words["inductance"] = np.stack([ohms * DT * draw(0.5, 20.0), np.zeros(COUNT)], axis=-1)
    if "thermal" in states:
        capacity = volts**2 / ohms / draw(50.0, 200.0)
        copper = [np.full(COUNT, 0.0039), draw(15.0, 30.0), draw(1.0, 60.0)]
        words["thermal"] = np.stack([draw(0.3, 3.0) / capacity, capacity, np.zeros(COUNT), *copper], axis=-1)
    if "lugre" in states:
        coulomb = stall * draw(0.01, 0.05)
        level = [coulomb, coulomb * draw(1.0, 2.0), volts / constant * draw(0.05, 0.3)]
        words["lugre"] = np.stack([felt * (draw(0.02, 0.1) / DT) ** 2, felt / DT * draw(0.01, 0.1), *level], axis=-1)
    if rng.random() < 0.5:
        by_torque = rng.random() < 0.5
        limits = [stall * 0.4, np.zeros(COUNT)] if by_torque else [np.zeros(COUNT), volts / ohms * 0.4]
        words["saturation"] = np.stack([*limits, (rng.random() < 0.5) * volts / ohms / draw(0.03, 0.3)], axis=-1)
    ctrl, controller = draw_commands(inputs, states, rng, draw, felt, ohms / constant, volts, stall)
    words |= controller
    if rng.random() < 0.5 and inputs != "none":
        top = 0.7 * np.abs(ctrl).max(axis=(0, 2))
        words["ctrlrange"] = np.stack([-top, 0.8 * top], axis=-1)
    return Motors(words, felt * gear**2 * 2 / 3, ctrl, 0.2 * volts / constant / gear * rng.uniform(-1.0, 1.0, COUNT))


def draw_commands(inputs, states, rng, draw, felt, volts_per_torque, volts, stall) -> tuple[np.ndarray, dict[str, Any]]:
    """Controls of about the size the motors can do, and controllers that hold them."""
    names, wave, gains = inputs.split(), draw(8.0, 25.0), np.zeros((6, COUNT))
    names = [] if names == ["none"] else names
    old = {"position", "velocity"} & set(names)
    scale = volts_per_torque if old else 1.0
    if "velocity" in names:
        gains[0], gains[1] = 1.4 * felt * wave * scale, 0.5 * felt * wave**2 * scale
    elif {"position", "pos", "vel", "ff"} & set(names):
        gains[0], gains[1], gains[2] = (scale * felt * wave ** (2, 3, 1)[i] * (1.0, 0.2, 1.4)[i] for i in range(3))
    else:
        gains[1] = 1.0
    sizes = {"position": 1.0 + 0 * wave, "pos": 1.0 + 0 * wave, "velocity": wave, "vel": 0.3 * wave, "voltage": volts}
    sizes["ff"] = np.minimum(stall, felt * wave**2)
    if names == ["ff", "voltage"] or len(names) > 1:
        sizes["voltage"] = 0.2 * volts
    held = rng.uniform(-1.0, 1.0, (STEPS // 50 + 1, COUNT, max(len(names), 1)))[np.arange(STEPS) // 50]
    ctrl = np.stack([held[:, :, i] * sizes[name] for i, name in enumerate(names)], -1) if names else held[:, :, :0]
    gains[1] *= "integral" in states
    if "slew" in states:
        gains[3] = sizes[names[0]] * draw(5.0, 20.0)
    if "integral" in states and rng.random() < 0.5:
        gains[4] = 0.02 * sizes[names[0]]
    if rng.random() < 0.5:
        gains[5] = 0.3 * volts
    return ctrl, {"controller": np.stack(list(gains), axis=-1)} if gains.any() else {}


def mjcf(kind: Motors) -> str:
    """A hinge of its own for every motor, free of gravity."""
    bodies = "".join(
        f'<body><joint name="j{i}" axis="0 0 1"/>'
        f"<inertial {write({'pos': (0, 0, 0), 'mass': 1, 'diaginertia': (j, j, j)})}/></body>"
        for i, j in enumerate(kind.inertia)
    )
    rows = [{k: v if isinstance(v, str) else v[i] for k, v in kind.words.items()} for i in range(COUNT)]
    actuators = "".join(f'<dcmotor name="m{i}" joint="j{i}" {write(words)}/>' for i, words in enumerate(rows))
    return (
        f'<mujoco><option timestep="{DT!r}" gravity="0 0 0"><flag eulerdamp="disable"/></option>'
        f"<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
    )


def ours(kind: Motors, version: str = VERSION) -> DcMotor:
    """The same motors as one `DcMotor` with arrays."""
    columns = {k: v if isinstance(v, str) or v.ndim == 1 else tuple(v.T) for k, v in kind.words.items()}
    # a row of numbers is one attribute, so the gear of a batch stands alone in its row
    return DcMotor.from_attributes(version=version, **columns | {"gear": (kind.words["gear"],)})


def turned_by_mujoco(kind: Motors) -> dict[str, np.ndarray]:
    """What MuJoCo does: position, velocity, force, torque on the joint and act, step by step."""
    model = mujoco.MjModel.from_xml_string(mjcf(kind))
    data = mujoco.MjData(model)
    data.qvel[:] = kind.start
    rows = []
    for ctrl in kind.ctrl:
        data.ctrl[:] = ctrl.reshape(-1)
        before = data.qpos.copy(), data.qvel.copy()
        mujoco.mj_step(model, data)
        torque = data.qfrc_actuator + data.qfrc_passive
        rows.append((*before, data.actuator_force.copy(), torque, data.act.reshape(COUNT, -1).copy()))
    names = ("position", "velocity", "force", "torque", "act")
    return dict(zip(names, (np.array(column) for column in zip(*rows, strict=True)), strict=True))


def turned_by_us(kind: Motors, motor: DcMotor | None = None) -> dict[str, np.ndarray]:
    """The same hinges, integrated as MuJoCo's Euler does: speed by torque, angle by the new speed."""
    motor = motor or ours(kind)
    step = motor.compile("numpy")
    state, q, v = step.initial(COUNT), np.zeros(COUNT), kind.start
    inertia = kind.inertia + motor.gear**2 * motor.armature
    rows = []
    for ctrl in kind.ctrl:
        state, force = step(state, ctrl[:, 0] if len(motor.inputs) == 1 else ctrl, motor.gear * q, motor.gear * v, DT)
        torque = step.joint_torque(force, v)
        act = step.act(state) if motor.states else np.zeros((COUNT, 0))
        rows.append((q, v, force, torque, act))
        v = v + DT * torque / inertia
        q = q + DT * v
    names = ("position", "velocity", "force", "torque", "act")
    return dict(zip(names, (np.array(column) for column in zip(*rows, strict=True)), strict=True))


def apart(kind: Motors) -> dict[str, float]:
    """Largest difference over time of each quantity, in units of each motor's own peak."""
    one, other = turned_by_us(kind), turned_by_mujoco(kind)
    worst = {}
    for name, theirs in other.items():
        peak = np.abs(theirs).max(axis=0)
        assert np.isfinite(theirs).all() and one[name].shape == theirs.shape
        assert (peak > 0).all(), "nothing moved: such a comparison would prove nothing"
        if theirs.size:
            worst[name] = float((np.abs(one[name] - theirs).max(axis=0) / peak).max())
    return worst


# --- what MuJoCo makes of attributes

BASE = {"motorconst": "0.05", "resistance": "1.2"}
POSITION = "pos" if VERSION == "4.0" else "position"
INPUTS = (
    "voltage", "position", "velocity", "pos", "vel", "ff", "pos vel", "pos ff", "vel ff", "pos vel ff", "vel pos",
    "pos pos", "none", "none pos", "pos voltage", "ff voltage", "voltage pos", "pos vel ff voltage", "", "torque",
)  # fmt: skip
CONTROLLERS = ("3 0 .1 0 .5 12", "3 2 .1 1 .5 12", "0 0 0 0 .5 12", "0 0 0 -1 -1 -1", "0 -2")
NO_BASE = [
    {"resistance": "1"}, {"motorconst": "1"}, {"motorconst": "1", "resistance": "-1"},
    {"motorconst": "-1", "resistance": "1"}, {"motorconst": "1 -1", "resistance": "1"},
    {"motorconst": "0 1", "resistance": "1"}, {"motorconst": "-1 1", "resistance": "1"},
    {"motorconst": "", "resistance": "1"}, {"motorconst": "1 1 1", "resistance": "1"},
    {"motorconst": "1", "resistance": "1 2"}, {"motorconst": "1", "resistance": ""},
    {"nominal": "24 1 100"}, {"nominal": "24 1 100", "damping": "1e-3"}, {"nominal": "24 1 100", "damping": "1"},
    {"nominal": "24 1 100", "resistance": "2", "damping": "1e-3"},
    {"nominal": "24 1 100", "resistance": "2", "damping": "1"}, {"nominal": "24 1"}, {"nominal": "24 0 100"},
    {"nominal": "24 0 100", "resistance": "2", "damping": "1e-3"}, {"nominal": "24 1 100", "motorconst": "0.2"},
    {"nominal": "24 1 100", "motorconst": "0 0.3"}, {"nominal": "24 1 100", "motorconst": "0.1 0.3"},
    {"nominal": "24 1 100", "resistance": "-1"}, {"nominal": "-24 1 100"}, {"nominal": "24 -1 100"},
    {"nominal": "24 1 -100"}, {"nominal": "24 1 100 3"},
]  # fmt: skip
ON_BASE = {
    "inductance": ("-1", "0 -1", "1 -1", "1e-3 0.5", "1e-3", "0 2e-3", "0", "1 2 3"),
    "thermal": (
        "2", "0 2", "0 0 2", "2 3", "2 0 3", "0 2 3", "2 5 3 .1 20 25", "-2 5 3", "-2 -5 3", "2 5 -3",
        "-1 -1 -1 .1 20 25", "0 0 0 .1 20 25", "2 -5 3", "0 -5 3", "2 5 3 .1 20 25 3",
    ),
    "saturation": ("-1", "0 -1", "-1 1", "1 -1", "1 4 -3", "0 4 3", "0 0 3", "2", "1 2 3 4"),
    "lugre": ("-1 2 3 4 5", "100 2 3 1 -5", "100", "0 2 3", "1 2 3 4 5 6"),
    "cogging": ("-1 -2 3", "1", "0 4 1", "a"),
    "ctrlrange": ("-1 2", "1 1", "2 1", "1", "1 2 3"),
    "ctrllimited": ("true", "false", "auto", "maybe"),
    "damping": ("1", "1 2 3", "1 2 3 4"),
    "armature": ("0.1", "1 2"),
    "forcerange": ("-1 1",),
    "kp": ("3",),
    "gear": ("3", "-2"),
}  # fmt: skip


def attribute_sets() -> list[dict[str, str]]:
    """Attributes that MuJoCo takes, and others that it refuses."""
    sets = NO_BASE + [BASE | {name: text} for name, texts in ON_BASE.items() for text in texts]
    sets += [BASE | {"input": text} for text in INPUTS]
    sets += [BASE | {"input": text, "controller": c} for text in INPUTS for c in CONTROLLERS]
    sets += [BASE | {name: ""} for name in ON_BASE if name not in ("kp", "forcerange", "ctrllimited")]
    sets += [{"resistance": "1", "input": "none"}, {"motorconst": "1", "input": "none"}]
    sets += [BASE | {"ctrllimited": "false", "ctrlrange": "-1 1"}, BASE | {"ctrllimited": "true", "ctrlrange": "1 1"}]
    return sets + [BASE | {"controller": c} for c in CONTROLLERS]


def one_hinge(elements: str, defaults: str = "") -> str:
    """A model with one hinge and these actuators."""
    return (
        f'<mujoco><option gravity="0 0 0"/>{defaults}<worldbody><body><joint name="j" axis="0 0 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/></body></worldbody>'
        f"<actuator>{elements}</actuator></mujoco>"
    )


def compile_motor(words: dict[str, str]) -> Any:
    """MuJoCo's model of one motor, or None where MuJoCo refuses it."""
    text = " ".join(f'{name}="{value}"' for name, value in words.items())
    try:
        return mujoco.MjModel.from_xml_string(one_hinge(f'<dcmotor joint="j" {text}/>'))
    except ValueError:
        return None


def same_rows(motor: DcMotor, model: Any, index: int = 0) -> bool:
    """Whether the rows of our motor are those of the compiled one, to the last bit but one."""
    limited = bool(model.actuator_forcelimited[index])
    pairs = [
        (motor.gainprm, model.actuator_gainprm[index]),
        (motor.dynprm, model.actuator_dynprm[index]),
        (motor.biasprm, model.actuator_biasprm[index]),
        (motor.forcerange, model.actuator_forcerange[index] if limited else np.zeros(2)),
        (motor.damping, (model.actuator_damping[index], *model.actuator_dampingpoly[index])),
        (motor.armature, model.actuator_armature[index]),
        (motor.gear, model.actuator_gear[index, 0]),
    ]
    ranges = np.stack([motor.lowest_ctrl, motor.highest_ctrl], axis=-1)
    held = np.where(np.asarray(model.actuator_ctrllimited)[:, None], model.actuator_ctrlrange, [[-np.inf, np.inf]])
    same = ranges.shape == held.shape and (ranges == held).all() and len(motor.states or ()) == model.na
    return bool(same and all(np.allclose(one, other, rtol=1e-15, atol=0.0) for one, other in pairs))


def slopes_apart(kind: Motors) -> tuple[float, float]:
    """Our slope and MuJoCo's along the motion of its implicit integrator, in units of K²/R and the slope.

    Also says in how much of the time a limit leaves nothing of the winding's slope.
    """
    kind = kind._replace(words={name: value for name, value in kind.words.items() if name != "damping"})
    model = mujoco.MjModel.from_xml_string(mjcf(kind).replace("<option ", '<option integrator="implicitfast" '))
    data, motor = mujoco.MjData(model), ours(kind)
    step, worst, still = motor.compile("numpy"), 0.0, []
    data.qvel[:] = kind.start
    for ctrl in kind.ctrl[:150]:
        data.ctrl[:] = ctrl.reshape(-1)
        state = step.state(data.act.reshape(COUNT, -1).copy()) if motor.states else step.initial(COUNT)
        length, velocity = motor.gear * data.qpos, motor.gear * data.qvel
        mujoco.mj_step(model, data)
        slope = step.slope(state, ctrl[:, 0] if len(motor.inputs) == 1 else ctrl, length, velocity, DT)
        theirs = data.qDeriv / motor.gear**2
        scale = np.abs(motor.motor_constant**2 / motor.resistance) + np.abs(theirs)
        worst = max(worst, float((np.abs(slope - theirs) / scale).max()))
        still.append((theirs == 0.0) | (theirs == -np.broadcast_to(motor.bristle_damping, COUNT)))
    return worst, float(np.mean(still))
