"""Every class of mjlab, those of earlier versions and configuration objects: read, or a row that says why not."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import backemf as be
from backemf import ParameterError
from backemf.sims import mjlab
from backemf.sims.mjlab.kinds import COMMON, KINDS
from backemf.sims.mjlab.kinds import FIELDS as FIELDS_OF
from backemf.sims.on_joint import OnJoint, Unread
from backemf.transfer import read_file

PD = "stiffness=30.0, damping=2.0"
CLIP = "effort_limit=9.0, saturation_effort=23.0, velocity_limit=30.0"
PARAMS = "motor_params=DcMotorPhysicalParams(kt=0.1, ke=0.1, resistance=0.5)"
LOOP = f"{PARAMS}, stiffness=3.0, voltage_limit=24.0"
FLAT = (be.EffortLimit(effort_limit=9.0),)
LINE = (be.DcClip(effort_limit=9.0, saturation_effort=23.0, velocity_limit=30.0),)
CLASSES = {
    "IdealPdActuatorCfg": (f"{PD}, effort_limit=9.0", be.IdealPd(stiffness=30.0, damping=2.0), FLAT),
    "DcMotorActuatorCfg": (f"{PD}, {CLIP}", be.IdealPd(stiffness=30.0, damping=2.0), LINE),
    "BuiltinPdActuatorCfg": (
        f"{PD}, effort_limit=9.0",
        be.IdealPd(stiffness=30.0, damping=2.0, listens=("position", "velocity")),
        FLAT,
    ),
    "BuiltinPositionActuatorCfg": (PD, be.IdealPd(stiffness=30.0, damping=2.0, listens=("position",)), ()),
    "BuiltinVelocityActuatorCfg": (
        "damping=2.0, effort_limit=9.0",
        be.TorquePid(kd=2.0, follows="velocity", listens=("velocity",)),
        FLAT,
    ),
    "BuiltinMotorActuatorCfg": ("effort_limit=9.0", be.Torque(), FLAT),
    "BuiltinDcMotorActuatorCfg": (LOOP, be.PositionPid(kp=3.0), ()),
}


def text_of(name: str, fields: str, joints: str = "target_names_expr") -> str:
    return f'from mjlab.actuator import *\n\nactuator = {name}({joints}=(".*_knee", "hip"), {fields})\n'


def one(text: Any) -> OnJoint:
    (found,) = mjlab.read_actuators(text)
    assert isinstance(found, OnJoint), found
    return found


def unread(text: Any) -> Unread:
    (found,) = mjlab.read_actuators(text)
    assert isinstance(found, Unread), found
    return found


# --- the classes of mjlab 1.6


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("joints", ["target_names_expr", "actuated_names_expr", "joint_names_expr"])
def test_every_class_listens_to_what_mjlab_listens_to(name: str, joints: str):
    """Controller, limits and joints, by the names of mjlab 1.6 and of those before it."""
    fields, controller, limits = CLASSES[name]
    found = one(text_of(name, fields, joints))
    assert (found.actuator.controller, found.actuator.limits) == (controller, limits)
    assert found.joint == ".*_knee|hip"
    # written again, the one pattern fits all joints
    assert one(mjlab.write(found, kind=KINDS[name]).text).joint == ".*_knee|hip"


@pytest.mark.parametrize(
    ("mode", "target"), [("VOLTAGE", "voltage"), ("POSITION", "position"), ("VELOCITY", "velocity")]
)
def test_a_motor_listens_to_the_target_of_its_mode(mode: str, target: str):
    fields = f"mode=DcMotorInputMode.{mode}, {PARAMS if mode == 'VOLTAGE' else LOOP}"
    assert one(text_of("BuiltinDcMotorActuatorCfg", fields)).actuator.controller.inputs == (target,)


def test_what_is_left_to_the_xml_is_unknown():
    """mjlab keeps the XML's armature and friction where the field is None; what is set is known."""
    found = one(text_of("IdealPdActuatorCfg", f"{PD}, armature=0.01"))
    assert [(loss.phenomenon, loss.status) for loss in found.losses] == [
        ("dry friction", "unknown"),
        ("viscous drag", "unknown"),
    ]
    whole = one(text_of("IdealPdActuatorCfg", f"{PD}, armature=0.01, frictionloss=0.2, viscous_damping=0.3"))
    assert (whole.armature, whole.coulomb, whole.viscous, whole.losses) == (0.01, 0.2, 0.3, ())


def test_the_gear_of_a_motor_is_a_loss():
    """mjlab's joint gets gear·effort, at most gear·limit; an effort of ours is the joint's."""
    found = one(text_of("BuiltinMotorActuatorCfg", "effort_limit=3.0, gear=-6.0"))
    assert found.actuator == be.Actuator(controller=be.Torque(), limits=(be.EffortLimit(effort_limit=18.0),))
    assert ("controller", "approximated") in [(loss.phenomenon, loss.status) for loss in found.losses]
    endless = one(text_of("BuiltinMotorActuatorCfg", 'effort_limit=float("inf")'))
    assert endless.actuator.limits == ()


def test_two_constants_are_one_in_mujoco():
    """K = √(Kt·Ke), with which MuJoCo computes: √(0.1·0.4) = 0.2."""
    fields = PARAMS.replace("ke=0.1", "ke=0.4") + ", mode=DcMotorInputMode.VOLTAGE"
    found = one(text_of("BuiltinDcMotorActuatorCfg", fields))
    magnet = found.actuator.motor.magnet
    assert (magnet.torque_constant, magnet.back_emf_constant) == pytest.approx((0.2, 0.2))
    assert "separate Kt and Ke" in [loss.phenomenon for loss in found.losses]


def test_a_voltage_limit_that_mujoco_passes_over_is_a_loss():
    """Commanded in volts, MuJoCo 3.11 limits a motor with an inductance alone."""
    fields = f"{PARAMS}, mode=DcMotorInputMode.VOLTAGE, voltage_limit=24.0"
    told = [[loss.phenomenon for loss in one(text_of("BuiltinDcMotorActuatorCfg", f"{fields}{more}")).losses]
            for more in ("", ", inductance=1e-4")]  # fmt: skip
    assert ["voltage limit" in losses for losses in told] == [True, False]


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("BuiltinMuscleActuatorCfg", "scale=200.0", "a muscle is not a motor"),
        ("XmlActuatorCfg", "delay_max_lag=2", "its numbers are in the robot's XML: import that file"),
        ("XmlPositionActuatorCfg", "", "its numbers are in the robot's XML"),
        ("XmlVelocityActuatorCfg", "", "its numbers are in the robot's XML"),
        ("XmlMotorActuatorCfg", "", "its numbers are in the robot's XML"),
        ("MotorActuatorCfg", "actuator=thing", "its actuator= is the actuator"),
        ("MyActuatorCfg", PD, "MyActuatorCfg is not a known actuator"),
        ("IdealPdActuatorCfg", f"{PD}, transmission_type=TransmissionType.TENDON", "only joints are read"),
        ("IdealPdActuatorCfg", "stiffness=30.0", "has no damping: give the gain"),
        ("IdealPdActuatorCfg", f"{PD}, friction=1.0", "has no such field"),
        ("BuiltinVelocityActuatorCfg", PD, "stiffness = 30.0: BuiltinVelocityActuatorCfg has no such field"),
        ("BuiltinMotorActuatorCfg", "gear=2.0", "has no effort_limit: give the largest torque"),
        ("BuiltinMotorActuatorCfg", "effort_limit=1.0, gear=0.0", "gear = 0.0: must not be zero"),
        ("BuiltinDcMotorActuatorCfg", f"{LOOP}, mode=DcMotorInputMode.VOLTAGE", "has no use in VOLTAGE mode"),
        ("BuiltinDcMotorActuatorCfg", f"{LOOP}, gear=6.0", "compares the target with gear·angle"),
        ("BuiltinDcMotorActuatorCfg", f"{LOOP}, electrical_time_constant=-1.0", "must be at least 0"),
        ("LearnedMlpActuatorCfg", CLIP, "has no network_file: give the file of the network"),
        (
            "LearnedMlpActuatorCfg",
            f'{CLIP}, network_file="no.pt", pos_scale=1.0, vel_scale=1.0, torque_scale=1.0',
            "no.pt: no such file",
        ),
    ],
)
def test_what_is_not_read_is_a_row_beside_what_is(name: str, fields: str, words: str):
    """A row with the class, the joints and the reason; the actuators around it are read."""
    good = text_of("IdealPdActuatorCfg", PD)
    text = f"{good}{text_of(name, fields).replace('actuator =', 'other =')}{good.replace('actuator =', 'third =')}"
    first, row, last = mjlab.read_actuators(text)
    assert isinstance(first, OnJoint) and isinstance(last, OnJoint)
    assert isinstance(row, Unread) and row.kind == name and row.name == ".*_knee, hip"
    assert words in row.why and "line 6" in row.why and "\n" not in row.why


def test_one_of_several_is_asked_for_by_its_joint():
    """The error lists the joints; what is not read stands in the way of its own joint alone."""
    knee = 'a = IdealPdActuatorCfg(target_names_expr=("knee",), stiffness=1.0, damping=0.0)\n'
    hip = 'b = XmlActuatorCfg(target_names_expr=("hip",))\n'
    wrist = knee.replace("a =", "c =").replace("knee", "wrist")
    with pytest.raises(ParameterError, match=r"knee; hip \(not read\); wrist: give joint="):
        mjlab.read_actuator(knee + hip + wrist)
    assert mjlab.read_actuator(knee + hip + wrist, "wrist").joint == "wrist"
    with pytest.raises(ParameterError, match="are in the robot's XML"):
        mjlab.read_actuator(knee + hip + wrist, "hip")


# --- delay


FIELDS = "delay_min_lag=1, delay_max_lag=4, delay_hold_prob=0.25, delay_update_period=7, delay_per_env_phase=False"
DELAY = {"steps": (1, 4), "schedule": "mjlab", "period": 7, "hold_probability": 0.25, "staggered": False}


def wrap(inner: str, more: str = "") -> str:
    return f"from mjlab.actuator import *\n\nactuator = DelayedActuatorCfg(base_cfg={inner}, {FIELDS}{more})\n"


def base(name: str, fields: str) -> str:
    return f'{name}(joint_names_expr=("knee",), {fields})'


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_has_the_delay_of_its_fields(name: str):
    assert one(text_of(name, f"{CLASSES[name][0]}, {FIELDS}")).actuator.delay == be.Delay(**DELAY)


@pytest.mark.parametrize(
    ("target", "delayed"),
    [
        ("", ("position",)),
        (', delay_target="velocity"', ("velocity",)),
        (', delay_target=("effort", "position")', ("position", "effort")),
        (', delay_target=("position", "velocity", "effort")', None),
    ],
)
def test_a_delay_around_an_actuator_is_its_own(target: str, delayed: tuple | None):
    """mjlab before 1.6 delays what `delay_target` names, the position where it is left out."""
    found = one(wrap(base("IdealPdActuatorCfg", PD), target))
    assert found.actuator.delay == be.Delay(**DELAY, targets=delayed)
    assert found.joint == "knee"
    several = delayed is None or len(delayed) > 1
    assert ("delay" in [loss.phenomenon for loss in found.losses]) == several


def test_a_delay_of_a_target_that_is_not_listened_to_has_no_effect():
    assert one(wrap(base("BuiltinPositionActuatorCfg", PD), ', delay_target="effort"')).actuator.delay is None
    motor = base("BuiltinDcMotorActuatorCfg", f"{PARAMS}, mode=DcMotorInputMode.VOLTAGE")
    assert one(wrap(motor, ', delay_target="effort"')).actuator.delay == be.Delay(**DELAY)


def test_a_delay_around_a_name_is_read_once():
    """The actuator inside has a name of its own in the text, and is no second actuator."""
    inner = f"HIP = {base('IdealPdActuatorCfg', PD)}\n"
    assert one(inner + wrap("HIP")).actuator.delay is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (wrap("None"), "has no base_cfg: give the actuator that is delayed"),
        (wrap("3.0"), "base_cfg = 3.0: must be an actuator"),
        (wrap(base("IdealPdActuatorCfg", PD), ', delay_target="torque"'), "must be some of position, velocity"),
        (wrap(base("IdealPdActuatorCfg", f"{PD}, delay_max_lag=2")), "has its own delay"),
        (wrap(base("XmlPositionActuatorCfg", "")), "are in the robot's XML"),
        (wrap(base("IdealPdActuatorCfg", "stiffness=1.0")), "has no damping"),
        (wrap(base("IdealPdActuatorCfg", PD), ", lag=3"), "lag = 3: DelayedActuatorCfg has no such field"),
    ],
)
def test_a_delay_that_cannot_be_read_is_a_row(text: str, words: str):
    assert words in unread(text).why


# --- networks


def network(tmp_path: Path, history: int = 3) -> be.learned.LearnedMlp:
    draw = np.random.default_rng(1)
    sizes = [2 * history, 5, 1]
    net = be.learned.Mlp(
        weights=tuple(draw.normal(size=(b, a)) for a, b in pairwise(sizes)),
        biases=tuple(draw.normal(size=b) for b in sizes[1:]),
    )
    return be.learned.LearnedMlp(
        network=net, history=history, position_scale=2.0, velocity_scale=0.1, torque_scale=4.0,
        input_order="velocity_position",
    )  # fmt: skip


def test_a_learned_actuator_round_trips(tmp_path: Path):
    """Scales, order and history in the text, the weights in the file beside it: the same torque along a motion."""
    controller = network(tmp_path)
    be.learned.save_network(controller, tmp_path / "knee.onnx", precision="float64")
    actuator = be.Actuator(controller=controller, limits=LINE)
    written = mjlab.write(actuator, ("knee",), network_file="knee.onnx")
    (tmp_path / "knee.py").write_text(written.text)
    found = one(tmp_path / "knee.py")
    assert found.actuator.limits == LINE
    laws = [OnJoint(actuator=a).law() for a in (actuator, found.actuator)]
    states, draw = [law.initial(()) for law in laws], np.random.default_rng(2)
    for _ in range(20):
        target, q, w = draw.uniform(-1.0, 1.0, 3)
        torques = []
        for k, law in enumerate(laws):
            states[k], torque = law.step(states[k], be.Command(position=target), q, 9.0 * w, 2e-3)
            torques.append(float(torque))
        assert torques[0] == pytest.approx(torques[1], rel=1e-6, abs=1e-9)


def test_a_learned_actuator_says_what_is_missing(tmp_path: Path):
    actuator = be.Actuator(controller=network(tmp_path), limits=LINE)
    with pytest.raises(ParameterError, match=r"needs network_file=.*be\.learned\.save_network"):
        mjlab.write(actuator)
    with pytest.raises(ParameterError, match="needs a torque-speed line"):
        mjlab.write(be.Actuator(controller=network(tmp_path)), network_file="a.pt")


# --- configuration objects


class TransmissionType(enum.Enum):
    JOINT = "joint"
    TENDON = "tendon"


@dataclass(kw_only=True)
class IdealPdActuatorCfg:
    """Named as mjlab's."""

    target_names_expr: tuple[str, ...]
    transmission_type: TransmissionType = TransmissionType.JOINT
    armature: float | None = None
    stiffness: float = 30.0
    damping: float = 2.0
    effort_limit: float = float("inf")
    delay_min_lag: int = 0
    delay_max_lag: int = 0

    def build(self) -> None: ...


@dataclass(kw_only=True)
class MyCfg(IdealPdActuatorCfg):
    """One of the user's own, with the same law."""

    stiffness: float = 50.0


@dataclass(kw_only=True)
class OtherCfg(IdealPdActuatorCfg):
    """One of the user's own, with another law."""

    def build(self) -> None: ...


@dataclass(kw_only=True)
class DelayedActuatorCfg:
    """Named as that of mjlab before 1.6."""

    base_cfg: Any
    delay_target: str = "position"
    delay_min_lag: int = 2
    delay_max_lag: int = 2


@dataclass(kw_only=True)
class Articulation:
    actuators: tuple = field(default_factory=tuple)


def test_objects_give_what_their_text_gives():
    """One, several, and a robot with an articulation; what is not known is a row."""
    knee = IdealPdActuatorCfg(target_names_expr=("knee",), armature=0.02, effort_limit=9.0)
    text = f'a = IdealPdActuatorCfg(target_names_expr=("knee",), armature=0.02, {PD}, effort_limit=9.0)\n'
    assert one(knee) == one(text) == mjlab.read_actuator(knee)
    mine, other = MyCfg(target_names_expr=("hip",)), OtherCfg(target_names_expr=("toe",))
    tendon = IdealPdActuatorCfg(target_names_expr=("wire",), transmission_type=TransmissionType.TENDON)
    robot = SimpleNamespace(articulation=Articulation(actuators=(knee, mine, other, tendon)))
    for source in (robot, robot.articulation, robot.articulation.actuators, list(robot.articulation.actuators)):
        first, second, third, fourth = mjlab.read_actuators(source)
        assert first == one(text)
        assert second.actuator == be.Actuator(controller=be.IdealPd(stiffness=50.0, damping=2.0))
        assert (third.name, third.kind) == ("toe", "OtherCfg")
        assert "only joints are read" in fourth.why
    assert mjlab.read_actuator(robot, "hip").joint == "hip"


def test_an_object_around_another_delays_it():
    knee = IdealPdActuatorCfg(target_names_expr=("knee",))
    assert one(DelayedActuatorCfg(base_cfg=knee)).actuator.delay == be.Delay(
        steps=(2, 2), schedule="mjlab", targets=("position",)
    )


@pytest.mark.parametrize("nothing", [3.0, None, {}, SimpleNamespace(actuators=())])
def test_objects_without_an_actuator_are_one_sentence(nothing: Any):
    with pytest.raises(ParameterError, match="there is no actuator in it"):
        mjlab.read_actuators(nothing)


# --- through the table of simulators


@pytest.mark.parametrize("joints", ["target_names_expr", "actuated_names_expr", "joint_names_expr"])
def test_a_file_of_any_version_is_known_as_mjlabs(tmp_path: Path, joints: str):
    """Isaac Lab has joint_names_expr too; what is imported tells them apart."""
    path = tmp_path / "robot.py"
    path.write_text(text_of("BuiltinPositionActuatorCfg", PD, joints))
    assert read_file(path).actuator.controller.inputs == ("position",)


# --- values that nobody should write


ODD = [
    "None", "True", "-1", "-1.0", "0", "0.0", "1e308", "10**400", "float('nan')", "float('inf')", "-float('inf')",
    '"x"', '""', "()", "[]", "{}", "(1.0,)", "(1.0, 2.0, 3.0)", '{"knee": 1.0}', '{".*": None}', '{"(": 1.0}', "[[]]",
    "lambda: 1", "unknown", "unknown.field", "unknown()", "[x for x in y]", "1j", "b'x'", "...", "1 / 0",
    "IdealPdActuatorCfg()", "DcMotorPhysicalParams()", "DcMotorInputMode.NONE", "TransmissionType.SITE", "('knee', 3)",
]  # fmt: skip
WHOLE = {
    **{name: fields for name, (fields, _, _) in CLASSES.items()},
    "LearnedMlpActuatorCfg": f'{CLIP}, network_file="no.pt", pos_scale=1.0, vel_scale=1.0, torque_scale=1.0',
    "DelayedActuatorCfg": f"base_cfg={base('IdealPdActuatorCfg', PD)}",
    "XmlActuatorCfg": "",
}


def fields_of(name: str) -> list[str]:
    more = {"DelayedActuatorCfg": ("base_cfg", "delay_target")}.get(name, FIELDS_OF.get(KINDS.get(name, ""), ()))
    return sorted({*COMMON, *more})


@pytest.mark.parametrize("name", WHOLE)
def test_no_value_of_any_field_breaks_the_list(name: str):
    """Whatever stands in a field, the actuator is read or a row says why not, in one sentence with its place."""
    for field_name in fields_of(name):
        for odd in ODD:
            kept = re.sub(rf"(?:^|, ){field_name}=(?:\w+\([^()]*(?:\([^()]*\)[^()]*)*\)|[^,()]*)", "", WHOLE[name])
            joints = "" if field_name == "target_names_expr" else 'target_names_expr=("knee",), '
            text = f"import mjlab\n\na = {name}({joints}{kept.lstrip(', ')}{', ' if kept else ''}{field_name}={odd})\n"
            (row,) = mjlab.read_actuators(text)
            if isinstance(row, Unread):
                assert row.why.startswith("line 3: ") and "\n" not in row.why and len(row.why) < 600, (text, row)
            else:
                row.law()


# --- how people write robots


HELPERS = """
from dataclasses import replace
from mjlab.actuator import BuiltinPositionActuatorCfg, DelayedActuatorCfg, IdealPdActuatorCfg

RATE = 10 * 2.0 * 3.14
LAG = (1, 4)
SCALE = {"knee": 2.0}


def gains(inertia, ratio=2.0):
    return {"stiffness": inertia * RATE**2, "damping": 2.0 * ratio * inertia * RATE, "armature": inertia}


def late(cfg):
    return DelayedActuatorCfg(base_cfg=cfg, delay_min_lag=LAG[0], delay_max_lag=LAG[1])


def joint(name):
    if name in SCALE:
        return late(IdealPdActuatorCfg(target_names_expr=(name,), stiffness=30.0 * SCALE.get(name, 1.0), damping=2.0))
    return IdealPdActuatorCfg(target_names_expr=(name,), stiffness=30.0, damping=2.0)
"""


def test_actuators_made_by_functions_of_the_file():
    """Gains by a function and **, a delay around what is handed in, one actuator per joint of a list."""
    text = f"""{HELPERS}
HIP = late(BuiltinPositionActuatorCfg(target_names_expr=("hip",), **gains(0.01)))
ROBOT = EntityArticulationInfoCfg(actuators=(HIP, *(joint(name) for name in ("knee", "toe"))))
"""
    hip, knee, toe = mjlab.read_actuators(text)
    assert (hip.joint, knee.joint, toe.joint) == ("hip", "knee", "toe")
    assert hip.actuator.controller == be.IdealPd(
        stiffness=pytest.approx(0.01 * 62.8**2), damping=pytest.approx(2.0 * 2.0 * 0.01 * 62.8), listens=("position",)
    )
    assert hip.armature == 0.01
    assert (knee.actuator.controller.stiffness, toe.actuator.controller.stiffness) == (60.0, 30.0)
    # the built-in kind listens to positions alone
    assert hip.actuator.delay == be.Delay(steps=(1, 4), schedule="mjlab")
    assert knee.actuator.delay == be.Delay(steps=(1, 4), schedule="mjlab", targets=("position",))
    assert toe.actuator.delay is None


def test_a_delay_that_a_copy_gets_is_the_robots():
    """The actuator without the delay has a name of its own; that of the robot has it."""
    text = f"""{HELPERS}
KNEE = BuiltinPositionActuatorCfg(target_names_expr=("knee",), stiffness=30.0, damping=2.0)


def delayed(cfg):
    return replace(cfg, delay_min_lag=LAG[0], delay_max_lag=LAG[1])


ROBOT = EntityArticulationInfoCfg(actuators=(delayed(KNEE),))
"""
    assert mjlab.read_actuator(text, "ROBOT/knee").actuator.delay == be.Delay(steps=(1, 4), schedule="mjlab")
    assert mjlab.read_actuator(text, "KNEE/knee").actuator.delay is None
    with pytest.raises(ParameterError, match="fits 2 of them: put the robot before it"):
        mjlab.read_actuator(text, "knee")
