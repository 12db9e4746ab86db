"""Isaac Lab's configurations, read one by one: what is left to the USD file, objects, networks, and the way back."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf import ParameterError, motorfile
from backemf.actuator.network_laws import lstm, mlp
from backemf.sims import isaaclab
from backemf.sims.isaaclab.configured import CLASSES, KINDS
from backemf.sims.on_joint import OnJoint, Unread


def only(text: str, **given: Any) -> OnJoint:
    (found,) = isaaclab.read_actuators(f"{text}\n", **given)
    assert isinstance(found, OnJoint), found
    return found


def rows(on_joint: OnJoint) -> dict[str, str]:
    return {loss.phenomenon: loss.status for loss in on_joint.losses}


# --- what stands in the USD file

LEFT = dict.fromkeys(("speed limit", "rotor inertia", "stiction", "dry friction", "viscous drag"), "unknown")


def test_a_missing_gain_is_unknown_and_not_zero():
    """Without its gain a target is refused; effort still goes to the joint, up to the limit that is known."""
    text = "ImplicitActuatorCfg(joint_names_expr=['j'], stiffness=None, damping=None, effort_limit_sim=5.0)"
    found = only(text)
    assert rows(found) == {"stiffness": "unknown", "damping": "unknown", **LEFT}
    step = found.actuator.compile("numpy")
    _, out = step(step.initial(()), be.Command(effort=7.0), 0.3, 1.0, 1e-3)
    assert out.torque == 5.0
    with pytest.raises(ParameterError, match="position"):
        step(step.initial(()), be.Command(position=1.0), 0.3, 1.0, 1e-3)


@pytest.mark.parametrize(
    ("gains", "heard", "unknown"),
    [
        ({"stiffness": 3.0, "damping": 2.0}, ("position", "velocity", "effort"), set()),
        ({"stiffness": None, "damping": 2.0}, ("velocity", "effort"), {"stiffness"}),
        ({"stiffness": 3.0, "damping": None}, ("position", "effort"), {"damping"}),
        ({"stiffness": None, "damping": None}, ("effort",), {"stiffness", "damping"}),
    ],
)
@pytest.mark.parametrize("name", ["ImplicitActuatorCfg", "IdealPDActuatorCfg", "DelayedPDActuatorCfg"])
def test_only_targets_with_a_known_gain_are_taken(name: str, gains: dict, heard: tuple, unknown: set):
    """Each gain that is given makes its target heard, and giving the missing ones makes all three."""
    said = ", ".join(f"{key}={value}" for key, value in gains.items())
    text = f"{name}(joint_names_expr=['j'], effort_limit=5.0, {said})"
    found = only(text)
    assert set(found.actuator.controller.inputs) == set(heard)
    assert {name for name in rows(found) if name in ("stiffness", "damping")} == unknown
    whole = only(text, stiffness=3.0, damping=2.0)
    assert whole.actuator.controller == be.IdealPd(stiffness=3.0, damping=2.0)


@pytest.mark.parametrize(
    ("text", "limits", "unknown"),
    [
        ("IdealPDActuatorCfg({}effort_limit=5.0)", (5.0,), False),
        ("IdealPDActuatorCfg({}effort_limit=5.0, effort_limit_sim=3.0)", (3.0,), False),
        ("IdealPDActuatorCfg({}effort_limit_sim=3.0)", (3.0,), True),
        ("IdealPDActuatorCfg({})", (), True),
        ("IdealPDActuatorCfg({}effort_limit=math.inf)", (), False),
        ("ImplicitActuatorCfg({}effort_limit=5.0)", (5.0,), False),
        ("ImplicitActuatorCfg({}effort_limit_sim=5.0)", (5.0,), False),
        ("ImplicitActuatorCfg({}effort_limit_sim=5.0, effort_limit=5.0)", (5.0,), False),
        ("ImplicitActuatorCfg({}effort_limit=torch.inf)", (), False),
        ("ImplicitActuatorCfg({})", (), True),
    ],
)
def test_effort_limits_of_model_and_solver(text: str, limits: tuple, unknown: bool):
    """An explicit model clips to its own limit, then the solver to its; the implicit one has one limit, by either name.

    Without any, that of the USD file counts: there is none here, and a row says so.
    """
    found = only(text.format("joint_names_expr=['j'], stiffness=1.0, damping=0.5, "))
    assert tuple(limit.effort_limit for limit in found.actuator.limits) == limits
    assert (rows(found).get("effort limit") == "unknown") is unknown


def test_what_has_no_effect_in_isaac_lab_is_said():
    """A speed limit of a PD, limits beside a table by angle, and the solver's own speed limit."""
    pd = "joint_names_expr=['j'], stiffness=1.0, damping=0.5, "
    found = only(f"ImplicitActuatorCfg({pd}velocity_limit=3.0)")
    assert rows(found)["velocity limit"] == "dropped" and found.beside == {"velocity_limit": 3.0}
    found = only(f"IdealPDActuatorCfg({pd}effort_limit=1.0, velocity_limit_sim=3.0)")
    assert rows(found)["speed limit"] == "dropped" and found.beside == {"velocity_limit_sim": 3.0}
    table = "joint_parameter_lookup=[[0.0, 1.0, 2.0], [1.0, 1.0, 4.0]]"
    found = only(f"RemotizedPDActuatorCfg({pd}{table}, effort_limit=1.0)")
    assert rows(found)["effort limit"] == "dropped"


def test_numbers_of_the_usd_file_may_be_given():
    """They fill what the text leaves out, and nothing else; dictionaries are by pattern, as in Isaac Lab."""
    text = "IdealPDActuatorCfg(joint_names_expr=['a', 'b'], stiffness=None, damping=2.0, armature=0.1)"
    a, b = isaaclab.read_actuators(
        f"{text}\n", stiffness={"a": 1.0, "b": 2.0}, damping=9.0, armature=0.5, effort_limit=4.0
    )
    assert isinstance(a, OnJoint) and isinstance(b, OnJoint)
    assert [x.actuator.controller.stiffness for x in (a, b)] == [1.0, 2.0]
    assert a.actuator.controller.damping == 2.0 and a.armature == 0.1
    assert a.actuator.limits == (be.EffortLimit(effort_limit=4.0),)
    with pytest.raises(ParameterError, match="there is no such field; it takes stiffness"):
        isaaclab.read_actuators(f"{text}\n", stifness=1.0)


# --- one by one

MIXED = """
from somewhere import KP
ROBOT = ArticulationCfg(
    actuators={
        "legs": DCMotorCfg(
            joint_names_expr=[".*_hip_yaw", ".*_hip_roll", ".*_knee"],
            effort_limit={".*_hip_.*": 88.0, ".*_knee": 139.0},
            velocity_limit={".*_hip_.*": 32.0, ".*_knee": 20.0},
            stiffness={".*_hip_yaw": 100.0, ".*_hip_roll": 100.0, ".*_knee": 200.0},
            damping={".*_hip_yaw": 2.5, ".*_hip_roll": 2.5, ".*_knee": 5.0},
            armature={".*_hip_.*": 0.03, ".*_knee": 0.03},
            saturation_effort=180.0,
        ),
        "arms": ImplicitActuatorCfg(joint_names_expr=[".*_arm"], stiffness=KP, damping=1.0),
        "fans": ThrusterCfg(joint_names_expr=["fan"]),
        "head": IdealPDActuatorCfg(joint_names_expr=["head"], stiffness=1.0, damping=1.0, effort_limit=1.0),
    }
)
STIFF = ROBOT.copy()
STIFF.actuators["head"].stiffness = 400.0
"""


def test_each_actuator_is_read_or_says_why():
    """One per pattern, in order; an unknown number and an unknown class lose nothing but themselves."""
    found = isaaclab.read_actuators(MIXED)
    assert [x.joint if isinstance(x, OnJoint) else x.kind for x in found] == [
        ".*_hip_yaw",
        ".*_hip_roll",
        ".*_knee",
        "ImplicitActuatorCfg",
        "ThrusterCfg",
        "head",
        "head",
    ]
    knee, arms, fans = found[2:5]
    assert isinstance(knee, OnJoint) and knee.armature == 0.03
    clip = be.DcClip(saturation_effort=180.0, velocity_limit=20.0, effort_limit=139.0)
    assert knee.actuator.limits == (clip,) and knee.actuator.controller.stiffness == 200.0
    assert isinstance(arms, Unread) and arms.name == ".*_arm"
    assert (
        "line 14: ImplicitActuatorCfg.stiffness = KP cannot be read as a number" in arms.why and "somewhere" in arms.why
    )
    assert isinstance(fans, Unread) and "ThrusterCfg is not a known actuator" in fans.why


def test_one_joint_of_a_text_with_others_that_cannot_be_read():
    """The joint that is asked for is read whatever the others are; a robot's name before it says which of two."""
    assert isaaclab.read_actuator(MIXED, "left_knee").actuator.controller.stiffness == 200.0
    assert isaaclab.read_actuator(MIXED, ".*_knee").joint == ".*_knee"
    assert isaaclab.read_actuator(MIXED, "STIFF/head").actuator.controller.stiffness == 400.0
    assert isaaclab.read_actuator(MIXED, "ROBOT/head").actuator.controller.stiffness == 1.0
    with pytest.raises(ParameterError, match="fits 2 of them: put the robot before it, as in joint=ROBOT/head"):
        isaaclab.read_actuator(MIXED, "head")
    with pytest.raises(ParameterError, match="KP cannot be read as a number"):
        isaaclab.read_actuator(MIXED, "left_arm")
    with pytest.raises(ParameterError, match=r"it has 5 actuators, for the joints .*give joint="):
        isaaclab.read_actuator(MIXED)
    with pytest.raises(ParameterError, match="fits 0 of them"):
        isaaclab.read_actuator(MIXED, "tail")


def test_a_joint_outside_a_dictionary_has_zero_as_in_isaac_lab():
    """Isaac Lab's buffers begin at 0, whatever the USD file says; a torque limit must be there."""
    text = "IdealPDActuatorCfg(joint_names_expr=['a', 'b'], stiffness={'a': 5.0}, damping=1.0, effort_limit=1.0)\n"
    assert [x.actuator.controller.stiffness for x in isaaclab.read_actuators(text) if isinstance(x, OnJoint)] == [
        5.0,
        0.0,
    ]
    a, b = isaaclab.read_actuators(text.replace("effort_limit=1.0", "effort_limit={'a': 1.0}"))
    assert isinstance(a, OnJoint) and isinstance(b, Unread)
    assert b.name == "b" and "effort_limit = {'a': 1.0}: no pattern fits" in b.why


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ("effort_limit=1.0, effort_limit_sim=2.0", "differs from effort_limit_sim = 2.0, which Isaac Lab refuses"),
        ("velocity_limit=1.0, velocity_limit_sim=2.0", "differs from velocity_limit_sim = 2.0"),
        ("stifness=1.0", "ImplicitActuatorCfg has no such field"),
        ("class_type=Mine", "a custom class is not read"),
        ("armature=-1.0", "must be at least 0"),
        ("friction='a'", "must be a number"),
        ("effort_limit={'j': -1.0, 'k': math.inf}", "effort_limit = {'j': -1.0}: must be greater than 0"),
    ],
)
def test_bad_fields_get_one_sentence(field: str, sentence: str):
    """Line, class, field, value and what to do."""
    text = f"ImplicitActuatorCfg(joint_names_expr=['j'], stiffness=1.0, damping=1.0, {field})\n"
    (found,) = isaaclab.read_actuators(text)
    assert isinstance(found, Unread) and sentence in found.why and "\n" not in found.why


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("IdealPDActuatorCfg(joint_names_expr=['['], stiffness=1.0, damping=1.0)", "'[' is not a pattern of joint"),
        ("IdealPDActuatorCfg(joint_names_expr=[3], stiffness=1.0, damping=1.0)", "must be a list of patterns"),
        (
            "DelayedPDActuatorCfg(joint_names_expr=['j'], stiffness=1.0, damping=1.0, max_delay=10**9)",
            "max_delay = 1000000000: must be at most 10000 physics steps",
        ),
        (
            "IdealPDActuatorCfg(joint_names_expr=['j'], stiffness={'(': 1.0}, damping=1.0)",
            "'(' is not a pattern of joint names",
        ),
    ],
)
def test_bad_patterns_and_delays_get_one_sentence(text: str, sentence: str):
    """What would fail later, or take all memory, is said when it is read."""
    (found,) = isaaclab.read_actuators(f"{text}\n")
    assert isinstance(found, Unread) and sentence in found.why and "\n" not in found.why


def test_infinite_limits_go_into_a_motor_file_and_back():
    """No speed limit is no number: a motor file holds the rest, and Isaac Lab's text says infinity again."""
    text = "ImplicitActuatorCfg(joint_names_expr=['j'], stiffness=1.0, damping=1.0, effort_limit=math.inf, {})\n"
    for limits in ("velocity_limit=math.inf", "velocity_limit_sim=math.inf"):
        found = only(text.format(limits))
        assert found.beside == {}
        joint = {"name": found.joint, "beside": dict(found.beside)}
        assert motorfile.loads(motorfile.dumps(found.actuator, joint)) == found.actuator
        assert isaaclab.read_actuator(isaaclab.write(found, kind="implicit").text) == found


def test_infinite_limits_by_pattern_are_no_limits():
    """Each joint has its own."""
    text = "ImplicitActuatorCfg(joint_names_expr=['a', 'b'], stiffness=1, damping=1, "
    text += "effort_limit_sim={'a': math.inf, 'b': 2})"
    a, b = isaaclab.read_actuators(f"{text}\n")
    assert isinstance(a, OnJoint) and isinstance(b, OnJoint)
    assert a.actuator.limits == () and b.actuator.limits == (be.EffortLimit(effort_limit=2.0),)


# --- objects


@dataclass
class ActuatorBaseCfg:
    """As Isaac Lab's: the same names, defaults and markers."""

    class_type: Any = field(default_factory=lambda: MISSING)
    joint_names_expr: Any = field(default_factory=lambda: MISSING)
    effort_limit: Any = None
    velocity_limit: Any = None
    effort_limit_sim: Any = None
    velocity_limit_sim: Any = None
    stiffness: Any = field(default_factory=lambda: MISSING)
    damping: Any = field(default_factory=lambda: MISSING)
    armature: Any = None
    friction: Any = None
    dynamic_friction: Any = None
    viscous_friction: Any = None


@dataclass
class ImplicitActuatorCfg(ActuatorBaseCfg):
    class_type: Any = int


@dataclass
class DCMotorCfg(ActuatorBaseCfg):
    class_type: Any = float
    saturation_effort: Any = field(default_factory=lambda: MISSING)


@dataclass
class Mine(DCMotorCfg):
    """Another default, the same law."""

    stiffness: Any = 5.0


@dataclass
class Other(DCMotorCfg):
    """Another law."""

    class_type: Any = str


@dataclass
class ArticulationCfg:
    actuators: dict[str, Any] = field(default_factory=dict)


def test_objects_are_read_as_texts_are():
    """One, a dictionary of them, or a robot; NumPy numbers are numbers, what nobody gave is left out."""
    implicit = ImplicitActuatorCfg(
        joint_names_expr=["a"], stiffness=np.float32(2.0), damping=1, effort_limit_sim=math.nan
    )
    motor = Mine(joint_names_expr=["b", "c"], damping={"b": 1.0, "c": 2.0}, effort_limit=np.array(3.0),
                 velocity_limit=4.0, saturation_effort=5.0)  # fmt: skip
    text = """ImplicitActuatorCfg(joint_names_expr=["a"], stiffness=2.0, damping=1)
DCMotorCfg(joint_names_expr=["b", "c"], stiffness=5.0, damping={"b": 1.0, "c": 2.0}, effort_limit=3.0,
           velocity_limit=4.0, saturation_effort=5.0)
"""
    robot = ArticulationCfg(actuators={"one": implicit, "two": motor})
    assert isaaclab.read_actuators(robot) == isaaclab.read_actuators(text)
    assert isaaclab.read_actuators(robot.actuators) == isaaclab.read_actuators([implicit, motor])
    assert isaaclab.read_configs(motor)[0].kind == "dc_motor" and isaaclab.read_configs(robot)[1].group == "two"
    assert isaaclab.read_actuator(robot, "c").actuator.controller.damping == 2.0


def test_objects_that_are_not_known_say_so():
    """Another law, a class that is not known, a field that nobody gave, and no actuator at all."""
    fine = {"joint_names_expr": ["a"], "damping": 1.0, "velocity_limit": 4.0, "saturation_effort": 5.0}
    (found,) = isaaclab.read_actuators(Other(**fine, stiffness=1.0))
    assert isinstance(found, Unread) and "Other is not a known actuator" in found.why
    (found,) = isaaclab.read_actuators({"legs": DCMotorCfg(**fine)})
    assert isinstance(found, Unread) and "actuators['legs']: DCMotorCfg has no stiffness" in found.why
    (found,) = isaaclab.read_actuators(DCMotorCfg(**{**fine, "class_type": str}, stiffness=1.0))
    assert isinstance(found, Unread)
    with pytest.raises(ParameterError, match="there is no actuator in it"):
        isaaclab.read_actuators(ArticulationCfg())


# --- everything that is read is written again, and computes the same

gain = st.floats(0.0, 300.0)
size = st.floats(0.01, 500.0)
maybe = st.none() | gain


def notes(**fields: Any) -> dict[str, str]:
    return {name: repr(value) if value != math.inf else "math.inf" for name, value in fields.items() if value != "left"}


@st.composite
def configurations(draw: st.DrawFn, kind: str, known: bool = False) -> str:
    """A configuration of a kind; `known` leaves nothing to the USD file that its law needs."""
    optional = st.just("left") | (size if known else st.none() | size | st.just(math.inf))
    fields = notes(joint_names_expr=draw(st.sampled_from([["j"], [".*_knee"], ["a", "b[1-3]"]])))
    limit = draw(optional)
    fields |= notes(effort_limit=limit)
    if kind == "implicit":
        fields |= notes(effort_limit_sim=draw(st.sampled_from(["left", limit])))
    else:
        fields |= notes(effort_limit_sim=draw(optional))
    if kind not in ("mlp", "lstm"):
        fields |= notes(stiffness=draw(gain if known else maybe), damping=draw(gain if known else maybe))
    if kind in ("dc_motor", "mlp", "lstm"):
        fields |= notes(saturation_effort=draw(size), velocity_limit=draw(size))
    elif kind != "implicit":
        fields |= notes(velocity_limit=draw(st.just("left") | size))
    for name in ("armature", "friction", "dynamic_friction", "viscous_friction"):
        fields |= notes(**{name: draw(st.just("left") | maybe)})
    fields |= notes(velocity_limit_sim="left" if kind == "implicit" else draw(optional))
    if kind in ("delayed_pd", "remotized"):
        low, high = sorted(draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))
        fields |= notes(min_delay=high if known else low, max_delay=high)
    if kind == "remotized":
        angles = sorted(draw(st.sets(st.integers(-30, 30), min_size=2, max_size=5)))
        fields |= notes(joint_parameter_lookup=[[angle / 10, 1.0, draw(size)] for angle in angles])
    return f"{CLASSES[kind]}({', '.join(f'{name}={value}' for name, value in fields.items())})\n"


def meaning(on_joint: OnJoint) -> tuple[Any, ...]:
    """All of an actuator but the numbers that have no effect in Isaac Lab."""
    tables = [(x.angle.tolist(), x.effort.tolist()) for x in on_joint.actuator.limits if isinstance(x, be.AngleTable)]
    others = [limit for limit in on_joint.actuator.limits if not isinstance(limit, be.AngleTable)]
    plain = dataclasses.replace(on_joint, actuator=dataclasses.replace(on_joint.actuator, limits=tuple(others)))
    kept = [loss for loss in on_joint.losses if "has no effect" not in loss.note]
    return tables, dataclasses.replace(plain, losses=tuple(kept))


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind not in ("mlp", "lstm")])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_read_writes_again(kind: str, data: st.DataObject):
    """Reading what was written for an actuator that was read gives that actuator."""
    for found in isaaclab.read_actuators(data.draw(configurations(kind))):
        assert isinstance(found, OnJoint), found
        (again,) = isaaclab.read_actuators(isaaclab.write(found, kind=kind).text)
        assert isinstance(again, OnJoint), again
        assert meaning(again) == meaning(found)


def effort_of(law: Any, targets: list[be.Command], positions: np.ndarray, velocities: np.ndarray) -> list[float]:
    """What Isaac Lab applies along a motion."""
    if isinstance(law, isaaclab.IdealPD):
        step = lambda c, q, v: isaaclab.ideal_pd_effort(law, c, q, v)  # noqa: E731
    elif isinstance(law, isaaclab.DCMotor):
        step = lambda c, q, v: isaaclab.dc_motor_effort(law, c, q, v)  # noqa: E731
    else:
        of: Any = isaaclab.delayed_pd_step if isinstance(law, isaaclab.DelayedPD) else isaaclab.remotized_pd_step
        state = [isaaclab.initial_lags(law, np.zeros((1, 1)))]
        state[0] = isaaclab.reset_lags(state[0], np.array([True]), np.array([float(law.max_delay)]))

        def step(c: be.Command, q: Any, v: Any) -> isaaclab.Effort:
            wide = be.Command(**{n: np.full((1, 1), getattr(c, n)) for n in ("position", "velocity", "effort")})
            state[0], out = of(law, state[0], wide, np.full((1, 1), q), np.full((1, 1), v))
            return out

    return [float(np.squeeze(step(*row).applied)) for row in zip(targets, positions, velocities, strict=True)]


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind not in ("mlp", "lstm")])
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_torque_along_a_motion_is_that_of_isaac_lab(kind: str, data: st.DataObject, seed: int):
    """What is read gives, step by step, the effort that Isaac Lab's law applies, and so does what is written again."""
    text = data.draw(configurations(kind, known=True))
    draw = np.random.default_rng(seed)
    positions, velocities = draw.normal(0.0, 2.0, 12), draw.normal(0.0, 100.0, 12)
    rows = [draw.normal(0.0, (3.0, 50.0, 100.0)) for _ in range(12)]
    targets = [be.Command(position=p, velocity=v, effort=e) for p, v, e in rows]
    found = isaaclab.read_configs(text)[0].by_pattern()[0]
    solver = found.effort_limit_sim if kind == "remotized" else None
    expected = effort_of(found.law(), targets, positions, velocities)
    if solver is not None:
        expected = list(np.clip(expected, -solver, solver))
    first = found.on_joint()
    for each in (first, isaaclab.read_actuator(isaaclab.write(first, kind=kind).text)):
        step = each.actuator.compile("numpy")
        state, torques = step.initial(()), []
        for target, q, v in zip(targets, positions, velocities, strict=True):
            state, out = step(state, target, q, v, 1e-3)
            torques.append(float(out.torque))
        assert torques == pytest.approx(expected, rel=1e-9, abs=1e-9)


# --- networks


def some_mlp(inputs: int) -> be.learned.Mlp:
    draw = np.random.default_rng(3)
    weights = (draw.normal(size=(8, inputs)), draw.normal(size=(1, 8)))
    return be.learned.Mlp(weights=weights, biases=(draw.normal(size=8), draw.normal(size=1)))


def some_lstm() -> be.learned.Lstm:
    draw = np.random.default_rng(4)
    return be.learned.Lstm(
        input_weights=(draw.normal(size=(12, 2)),),
        hidden_weights=(draw.normal(size=(12, 3)),),
        input_biases=(draw.normal(size=12),),
        hidden_biases=(draw.normal(size=12),),
        head=be.learned.Mlp(weights=(draw.normal(size=(1, 3)),), biases=(draw.normal(size=1),)),
    )


def torques_of(actuator: be.Actuator, motion: np.ndarray) -> list[float]:
    """What an actuator gives along rows of target, position and velocity."""
    step = actuator.compile("numpy")
    state, torques = step.initial(()), []
    for target, q, v in motion:
        state, out = step(state, target, q, v, 1e-3)
        torques.append(float(out.torque))
    return torques


@pytest.mark.parametrize(("order", "ages"), [("pos_vel", [0, 1, 2]), ("vel_pos", [0, 2, 4]), ("pos_vel", [0])])
def test_network_of_an_mlp_is_loaded_and_written_again(order: str, ages: list[int], tmp_path: Path):
    """The file stands beside the text; what is read has its network, scales and history, and gives the same torque."""
    be.learned.save_network(some_mlp(2 * len(ages)), tmp_path / "net.onnx", precision="float64")
    config = tmp_path / "robot.py"
    config.write_text(
        f"ActuatorNetMLPCfg(joint_names_expr=['j'], network_file='net.onnx', pos_scale=-1.0, vel_scale=0.5, "
        f"torque_scale=2.0, input_order={order!r}, input_idx={ages}, effort_limit=23.7, saturation_effort=30.0, "
        "velocity_limit=20.0)\n"
    )
    (found,) = isaaclab.read_actuators(config)
    assert isinstance(found, OnJoint), found
    controller = found.actuator.controller
    assert isinstance(controller, be.learned.LearnedMlp) and controller.reset == "zero"
    assert (controller.history, controller.depth) == (len(ages), ages[-1] + 1)
    assert found.actuator.limits == (be.DcClip(saturation_effort=30.0, velocity_limit=20.0, effort_limit=23.7),)
    law = isaaclab.ActuatorNetMLP(
        network=lambda x: mlp(x, controller.network),
        limit=found.actuator.limits[0],
        input_idx=tuple(ages),
        pos_scale=-1.0,
        vel_scale=0.5,
        torque_scale=2.0,
        input_order=order,
    )
    history, expected = isaaclab.no_history(law, np.zeros((1, 1))), []
    motion = np.random.default_rng(5).normal(0.0, (1.0, 1.0, 9.0), size=(12, 3))
    for target, q, v in motion:
        history, out = isaaclab.mlp_step(law, history, np.full((1, 1), target), np.full((1, 1), q), np.full((1, 1), v))
        expected.append(float(out.applied[0, 0]))
    assert torques_of(found.actuator, motion) == pytest.approx(expected, rel=1e-9)
    text = isaaclab.write(found, network_file=str(tmp_path / "net.onnx")).text
    (again,) = isaaclab.read_configs(text)
    (first,) = isaaclab.read_configs(config)
    assert again.network == {**(first.network or {}), "network_file": str(tmp_path / "net.onnx")}
    assert again.limits == first.limits


def test_network_of_an_lstm_is_loaded_and_clips_as_at_rest(tmp_path: Path):
    """Isaac Lab 2.2 and 2.3 never tell that clip the speed, so the torque is that of the lower of two numbers."""
    be.learned.save_network(some_lstm(), tmp_path / "net.onnx", precision="float64")
    text = (
        f"ActuatorNetLSTMCfg(joint_names_expr=['j'], network_file={str(tmp_path / 'net.onnx')!r}, "
        "effort_limit=3.0, saturation_effort=0.5, velocity_limit=2.0)\n"
    )
    found = only(text)
    net = found.actuator.controller.network

    def network(x: Any, memory: tuple[Any, Any]) -> tuple[Any, tuple[Any, Any]]:
        out, hidden, cell = lstm(x[:, 0], memory[0][0], memory[1][0], net)
        return out, (hidden[None], cell[None])

    clip = be.DcClip(saturation_effort=0.5, velocity_limit=2.0, effort_limit=3.0)
    law, memory, expected = (
        isaaclab.ActuatorNetLSTM(network=network, limit=clip),
        isaaclab.no_memory(np.zeros((1, 1, 1, 3))),
        [],
    )
    motion = np.random.default_rng(6).normal(0.0, (1.0, 1.0, 9.0), size=(12, 3))
    for target, q, v in motion:
        memory, out = isaaclab.lstm_step(law, memory, np.full((1, 1), target), np.full((1, 1), q), np.full((1, 1), v))
        expected.append(float(out.applied[0, 0]))
    assert torques_of(found.actuator, motion) == pytest.approx(expected, rel=1e-9)
    assert rows(found)["velocity limit"] == "dropped"
    again = isaaclab.read_configs(isaaclab.write(found, network_file=str(tmp_path / "net.onnx")).text)[0]
    assert (again.saturation_effort, again.velocity_limit, again.limits) == (0.5, 2.0, found.actuator.limits)


def test_network_that_is_not_there_says_where_it_should_be(tmp_path: Path):
    """A server's path, a missing file and a file of another kind; `network_file=` is another place."""
    text = "ActuatorNetLSTMCfg(joint_names_expr=['j'], network_file={}, effort_limit=1.0, saturation_effort=2.0, "
    text += "velocity_limit=3.0)\n"
    (found,) = isaaclab.read_actuators(text.format("f'{NUCLEUS}/net.pt'"))
    assert isinstance(found, Unread) and "{NUCLEUS} is not known: download the file and give network_file=" in found.why
    (found,) = isaaclab.read_actuators(text.format("'nowhere/net.pt'"))
    assert isinstance(found, Unread) and "there is no such file: give network_file=" in found.why
    be.learned.save_network(some_mlp(2), tmp_path / "net.onnx")
    (found,) = isaaclab.read_actuators(text.format("f'{NUCLEUS}/net.pt'"), network_file=tmp_path / "net.onnx")
    assert isinstance(found, Unread) and "holds no LSTM" in found.why


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kind": "mlp", "stiffness": 1.0, "damping": 1.0}, "needs a LearnedMlp or a LearnedRecurrent"),
        ({"kind": "implicit", "armature": "a"}, "armature = 'a': must be a number"),
    ],
)
def test_wrong_writing_gets_one_sentence(arguments: dict, sentence: str):
    """What is missing is said."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=1.0), limits=(be.EffortLimit(effort_limit=1.0),))
    with pytest.raises(ParameterError, match=sentence):
        isaaclab.write(actuator, **arguments)


def test_implicit_actuator_of_a_line_ends_at_its_speed():
    """The solver has a wall where the line of the motor ends."""
    line = be.DcClip(saturation_effort=5.0, velocity_limit=7.0, effort_limit=3.0)
    actuator = be.Actuator(controller=be.IdealPd(stiffness=1.0), limits=(line,))
    (found,) = isaaclab.read_configs(isaaclab.write(actuator, kind="implicit").text)
    assert (found.effort_limit_sim, found.velocity_limit_sim) == (3.0, 7.0)


@pytest.mark.parametrize("kind", ["ideal_pd", "implicit"])
def test_armature_without_a_motor_is_written(kind: str):
    """Given by name, or that of the joint; it is found again."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=1.0), limits=(be.EffortLimit(effort_limit=1.0),))
    assert isaaclab.read_configs(isaaclab.write(actuator, kind=kind, armature=0.3).text)[0].armature == 0.3
    on_joint = OnJoint(actuator=actuator, joint="knee", armature=0.3, coulomb=0.1, viscous=0.2)
    found = isaaclab.read_actuator(isaaclab.write(on_joint, kind=kind).text)
    assert (found.joint, found.armature, found.coulomb, found.viscous) == ("knee", 0.3, 0.1, 0.2)


def test_every_class_of_isaac_lab_is_known():
    """Seven classes, each with its kind."""
    assert set(KINDS) == {
        "ImplicitActuatorCfg",
        "IdealPDActuatorCfg",
        "DCMotorCfg",
        "DelayedPDActuatorCfg",
        "RemotizedPDActuatorCfg",
        "ActuatorNetMLPCfg",
        "ActuatorNetLSTMCfg",
    }
