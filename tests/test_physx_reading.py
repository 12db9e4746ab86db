"""Every drive of a PhysX stage becomes an actuator or a row that says why not; and nothing read runs or hangs."""

from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf import ParameterError, motorfile
from backemf.sims import physx, usd
from backemf.sims.on_joint import OnJoint, Unread

pytest.importorskip("pxr.Usd")

METRES = "metersPerUnit = 1\n    kilogramsPerUnit = 1"


def joint(
    name: str, kind: str = "Revolute", axes: tuple[str, ...] = ("angular",), lines: str = "", more: tuple[str, ...] = ()
) -> str:
    """A joint with drives of some axes, as a text of USD."""
    schemas = ", ".join(f'"{schema}"' for schema in (*(f"PhysicsDriveAPI:{axis}" for axis in axes), *more))
    kind = f"Physics{kind}Joint" if kind != "Xform" else kind
    return f'    def {kind} "{name}" (\n        apiSchemas = [{schemas}]\n    )\n    {{\n{lines}\n    }}\n'


def stage(*joints: str, units: str = METRES) -> str:
    return f'#usda 1.0\n(\n    {units}\n)\ndef Xform "robot"\n{{\n{"".join(joints)}}}\n'


def drive(axis: str = "angular", **values: float | str) -> str:
    lines = [f"float drive:{axis}:physics:{name} = {value}" for name, value in values.items() if name != "type"]
    if "type" in values:
        lines.append(f'uniform token drive:{axis}:physics:type = "{values["type"]}"')
    return "\n".join(lines)


GAINS = {"stiffness": math.radians(40.0), "damping": math.radians(2.0), "maxForce": 5.0}


# --- what is read


def test_a_drive_listens_to_position_velocity_and_effort():
    """PD of both targets and an applied effort, within maxForce together, as PhysX counts them."""
    (found,) = physx.read_actuators(stage(joint("knee", lines=drive(**GAINS))))
    assert isinstance(found, OnJoint) and found.joint == "/robot/knee" and not found.losses
    assert found.actuator.controller.inputs == ("position", "velocity", "effort")
    law = found.law()

    def torque(**targets: float) -> float:
        asked = be.Command(**{"position": 0.0, "velocity": 0.0, "effort": 0.0, **targets})
        return float(law.step(law.initial(()), asked, 0.0, 0.0, 0.001)[1])

    assert torque(position=0.05, velocity=0.2, effort=1.0) == pytest.approx(40.0 * 0.05 + 2.0 * 0.2 + 1.0)
    assert torque(effort=9.0) == pytest.approx(5.0)


def test_degrees_become_radians_and_metres_stay():
    """Stiffness and damping per degree, targets in degrees; a slide has neither."""
    lines = drive(**GAINS, targetPosition=90.0, targetVelocity=180.0)
    slide = drive("linear", **GAINS, targetPosition=0.3)
    hinge, slider = physx.read_actuators(stage(joint("a", lines=lines), joint("b", "Prismatic", ("linear",), slide)))
    assert isinstance(hinge, OnJoint) and isinstance(slider, OnJoint)
    assert hinge.actuator.controller == be.IdealPd(stiffness=pytest.approx(40.0), damping=pytest.approx(2.0))
    assert hinge.beside == {"position_target": pytest.approx(math.pi / 2), "velocity_target": pytest.approx(math.pi)}
    assert [loss.phenomenon for loss in hinge.losses] == ["position target", "velocity target"]
    assert slider.joint == "/robot/b:linear"
    assert slider.actuator.controller.stiffness == pytest.approx(math.radians(40.0))
    assert slider.beside == {"position_target": pytest.approx(0.3)} and "0.3 m" in str(slider.losses[1])
    assert slider.losses[0].phenomenon == "units" and "forces in N" in str(slider.losses[0])


CENTIMETRES = "metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001"


@pytest.mark.parametrize(
    ("kind", "axis", "effort", "way"), [("Revolute", "angular", 1e-7, 1.0), ("Prismatic", "linear", 1e-5, 0.01)]
)
def test_units_of_the_stage_are_converted(kind, axis, effort, way):
    """A torque in g·cm²/s² is 1e-7 N·m, a force in g·cm/s² 1e-5 N, a way in cm 0.01 m."""
    more = (f"PhysxJointAxisAPI:{axis}", f"PhysxDrivePerformanceEnvelopeAPI:{axis}")
    lines = drive(axis, stiffness=1.0, damping=2.0, maxForce=3.0, targetPosition=4.0)
    lines += f"\nfloat physxJointAxis:{axis}:armature = 5\nfloat physxJointAxis:{axis}:staticFrictionEffort = 6"
    lines += f"\nfloat physxDrivePerformanceEnvelope:{axis}:maxActuatorVelocity = 7"
    lines += f"\nfloat physxDrivePerformanceEnvelope:{axis}:speedEffortGradient = 8"
    (found,) = physx.read_actuators(stage(joint("j", kind, (axis,), lines, more), units=CENTIMETRES))
    assert isinstance(found, OnJoint)
    turn = math.pi / 180.0 if axis == "angular" else way
    limit = found.actuator.limits[0]
    assert found.actuator.controller.stiffness == pytest.approx(1.0 * effort / turn)
    assert limit.max_effort == pytest.approx(3.0 * effort)
    assert limit.max_actuator_velocity == pytest.approx(7.0 * turn)
    assert limit.speed_effort_gradient == pytest.approx(8.0 * turn / effort)
    # g·cm² or g
    assert found.armature == pytest.approx(5.0 * (1e-7 if axis == "angular" else 1e-3))
    assert found.stiction == pytest.approx(6.0 * effort)
    assert found.beside["position_target"] == pytest.approx(4.0 * turn)


def test_a_drive_is_written_in_the_units_of_the_stage(tmp_path):
    """Into a stage of centimetres and grams, and back the same."""
    path = tmp_path / "robot.usda"
    path.write_text(stage('    def PhysicsRevoluteJoint "j"\n    {\n    }\n', units=CENTIMETRES))
    limit = be.DriveEnvelope(max_effort=5.0, max_actuator_velocity=10.0, speed_effort_gradient=1.0)
    wanted = physx.UsdDrive(stiffness=40.0, damping=2.0, envelope=limit, axis=physx.JointAxis(armature=0.02))
    physx.author(wanted, path, "j")
    found = physx.read_drive(path)
    assert found.stiffness == pytest.approx(40.0) and found.axis.armature == pytest.approx(0.02)
    assert found.envelope.speed_effort_gradient == pytest.approx(1.0)
    assert "maxForce = 50000000" in path.read_text()


@pytest.mark.parametrize(
    "units", ["metersPerUnit = 0", "metersPerUnit = -1", "metersPerUnit = nan", "kilogramsPerUnit = 0"]
)
def test_units_that_are_none_are_one_sentence(units):
    """A metre of nothing: every drive of the stage says so."""
    (found,) = physx.read_actuators(stage(joint("j", lines=drive(**GAINS)), units=units))
    assert isinstance(found, Unread) and units.partition(" ")[0] in found.why and "\n" not in found.why


def test_numbers_of_a_drive_without_its_schema_are_a_row():
    """PhysX looks at the schema alone."""
    text = stage(joint("j", lines=drive(**GAINS)).replace('"PhysicsDriveAPI:angular"', '"OtherAPI"'))
    (found,) = physx.read_actuators(text)
    assert found == Unread("/robot/j", "drive:angular", str(found)) and "apply the schema" in str(found)


def losses_of(text: str) -> dict[str, tuple[str, str]]:
    (found,) = physx.read_actuators(text)
    assert isinstance(found, OnJoint), found
    return {loss.phenomenon: (loss.status, loss.note) for loss in found.losses}


AXIS = "float physxJointAxis:angular:"
ROWS = {
    "no maxForce": (joint("j", lines=drive(stiffness=1.0)), "effort limit", "unknown", "gives no maxForce"),
    "velocity limit": (
        joint("j", lines=drive(**GAINS) + f"\n{AXIS}maxJointVelocity = 90", more=("PhysxJointAxisAPI:angular",)),
        "joint velocity limit",
        "dropped",
        "1.5708 rad/s",
    ),
    "older velocity limit": (
        joint("j", lines=drive(**GAINS) + "\nfloat physxJoint:maxJointVelocity = 90", more=("PhysxJointAPI",)),
        "joint velocity limit",
        "dropped",
        "1.5708 rad/s",
    ),
    "older armature": (
        joint("j", lines=drive(**GAINS) + "\nfloat physxJoint:armature = 0.1", more=("PhysxJointAPI",)),
        "rotor inertia",
        "approximated",
        "physxJointAxis alone",
    ),
    "older friction": (
        joint("j", lines=drive(**GAINS) + "\nfloat physxJoint:jointFriction = 0.5", more=("PhysxJointAPI",)),
        "dry friction",
        "dropped",
        "share of the force",
    ),
    "dynamic friction alone": (
        joint("j", lines=drive(**GAINS) + f"\n{AXIS}dynamicFrictionEffort = 2", more=("PhysxJointAxisAPI:angular",)),
        "dry friction",
        "dropped",
        "no effect in PhysX",
    ),
    "mimic": (joint("j", lines=drive(**GAINS), more=("PhysxMimicJointAPI:rotX",)), "mimic joint", "dropped", "ties"),
    "newton's seeds": (
        joint("j", lines=drive(**GAINS) + "\nfloat newton:armature = 0.1"),
        "newton:armature",
        "unknown",
        "0.1",
    ),
    "outside": (
        joint(
            "j",
            lines=drive(**GAINS) + "\nbool physics:excludeFromArticulation = true",
            more=("PhysxDrivePerformanceEnvelopeAPI:angular",),
        ),
        "articulation",
        "dropped",
        "no notice of its envelope",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_the_actuator_cannot_hold_has_a_row(name):
    """The phenomenon, its status, and the number or the reason."""
    text, phenomenon, status, words = ROWS[name]
    found = losses_of(stage(text))
    assert found[phenomenon][0] == status and words in found[phenomenon][1]


def test_a_stage_without_units_says_so():
    """Its numbers are read as SI, as those of a layer are."""
    assert losses_of(stage(joint("j", lines=drive(**GAINS)), units=""))["units"][0] == "unknown"


def test_older_joints_keep_their_armature_and_velocity_limit():
    """physxJoint:armature and maxJointVelocity, of which 1e6 is none."""
    lines = drive(**GAINS) + "\nfloat physxJoint:armature = 0.1\nfloat physxJoint:maxJointVelocity = {}"
    for top, beside in ((1e6, {}), (180.0, {"max_joint_velocity": pytest.approx(math.pi)})):
        (found,) = physx.read_actuators(stage(joint("j", lines=lines.format(top), more=("PhysxJointAPI",))))
        assert isinstance(found, OnJoint) and found.armature == pytest.approx(0.1) and found.beside == beside


def test_friction_at_rest_is_at_least_that_of_sliding():
    """What dynamic friction can stop it holds: PhysX compares with the static one first, and clamps to the dynamic."""
    lines = drive(**GAINS) + f"\n{AXIS}dynamicFrictionEffort = 2\n{AXIS}staticFrictionEffort = 1"
    (found,) = physx.read_actuators(stage(joint("j", lines=lines, more=("PhysxJointAxisAPI:angular",))))
    assert isinstance(found, OnJoint) and (found.coulomb, found.stiction) == (2.0, 2.0)


# --- what is not

UNREAD = {
    "acceleration": (joint("j", lines=drive(type="acceleration")), "type = 'acceleration'", "make it a force drive"),
    "no force": (joint("j", lines=drive(maxForce=0.0)), "maxForce = 0", "raise it"),
    "translation": (joint("j", "", ("transX",)), "PhysicsDriveAPI:transX", "PhysicsPrismaticJoint"),
    "wrong axis": (joint("j", axes=("linear",)), "PhysicsDriveAPI:linear on a PhysicsRevoluteJoint", "angular"),
    "ball": (joint("j", "Spherical", ("rotX",)), "on a PhysicsSphericalJoint", "reads no drive"),
    "no joint": (joint("j", "Xform"), "on a Xform", "reads no drive"),
    "unknown axis": (joint("j", axes=("sideways",)), "PhysicsDriveAPI:sideways", "reads PhysicsDriveAPI:angular"),
    "text": (joint("j", lines='string drive:angular:physics:damping = "x"'), "damping = 'x'", "must be one number"),
    "nan": (joint("j", lines=drive(stiffness="nan")), "stiffness = nan", "must be a finite number"),
    "negative": (joint("j", lines=drive(stiffness=-1.0)), "UsdDrive.stiffness = -57.2958", "must be"),
    "samples": (
        joint("j", lines="float drive:angular:physics:damping.timeSamples = {0: 1}"),
        "time samples",
        "one num",
    ),
    "disabled": (joint("j", lines=drive(**GAINS) + "\nbool physics:jointEnabled = false"), "jointEnabled", "no such"),
    "older text": (joint("j", lines='string physxJoint:armature = "x"'), "physxJoint:armature = 'x'", "one number"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_read_says_why_and_loses_no_other(name, tmp_path):
    """One sentence with the file, the joint and the remedy, between two joints that are read."""
    text, words, remedy = UNREAD[name]
    good = [joint(other, lines=drive(**GAINS)) for other in ("first", "last")]
    path = tmp_path / "robot.usda"
    path.write_text(stage(good[0], text, good[1]))
    first, found, last = physx.read_actuators(path)
    assert isinstance(first, OnJoint) and isinstance(last, OnJoint) and isinstance(found, Unread)
    assert found.name.startswith("/robot/j") and found.kind.startswith("PhysicsDriveAPI:")
    assert found.why.startswith(f"{path}, /robot/j") and words in found.why and remedy in found.why
    assert "\n" not in found.why
    with pytest.raises(ParameterError, match=re.escape(found.why)):
        physx.read_actuator(path, "j")


def test_inactive_joints_and_classes_are_rows():
    """They are in the file and not in the simulation."""
    text = stage(joint("a", lines=drive(**GAINS)), joint("b", lines=drive(**GAINS)))
    text = text.replace('"b" (\n', '"b" (\n        active = false\n') + joint("c").replace("    def", "class", 1)
    rows = physx.read_actuators(text)
    assert [type(row) for row in rows] == [OnJoint, Unread, Unread]
    assert "inactive" in str(rows[1]) and "a class" in str(rows[2])


def test_joints_of_instances_are_found():
    """An instanced robot has joints like any other."""
    proto = 'def Xform "arm"\n{\n' + joint("knee", lines=drive(**GAINS)) + "}\n"
    text = f"#usda 1.0\n(\n    {METRES}\n)\n" + proto
    text += 'def "left" (\n    instanceable = true\n    references = </arm>\n)\n{\n}\n'
    assert [row.joint for row in physx.read_actuators(text)] == ["/arm/knee", "/left/knee"]


def test_several_axes_of_one_joint_are_several_rows():
    """Each with its axis behind the path, by which it is asked for."""
    lines = drive("rotX", **GAINS) + "\n" + drive("rotZ", stiffness=1.0, maxForce=2.0)
    text = stage(joint("ball", "", ("rotX", "transY", "rotZ"), lines))
    rows = physx.read_actuators(text)
    assert [row.joint if isinstance(row, OnJoint) else row.name for row in rows] == [
        "/robot/ball:rotX",
        "/robot/ball:transY",
        "/robot/ball:rotZ",
    ]
    assert rows[0].losses[0].phenomenon == "position error"
    assert physx.read_actuator(text, "/robot/ball:rotZ") == rows[2] == physx.read_actuator(text, "ball", "rotZ")
    with pytest.raises(
        ParameterError, match="3 joints it could be: give joint=, one of /robot/ball:rotX, /robot/ball:tr"
    ):
        physx.read_actuator(text, "ball")
    with pytest.raises(ParameterError, match="no joint with a drive 'knee': give joint=, one of /robot/ball:rotX"):
        physx.read_actuator(text, "knee")


def test_stages_without_a_drive_have_no_rows():
    """And the one actuator of them is an error."""
    assert physx.read_actuators(stage()) == []
    with pytest.raises(ParameterError, match="the stage has no joint with a drive"):
        physx.read_actuator(stage())


# --- there and back

SIZES = st.floats(1e-3, 1e4)
MAYBE = st.one_of(st.just(0.0), st.floats(1e-4, 100.0))


@st.composite
def drives(draw) -> physx.UsdDrive:
    envelope = draw(
        st.one_of(
            st.none(),
            st.builds(
                be.DriveEnvelope,
                max_effort=SIZES,
                max_actuator_velocity=st.one_of(st.just(0.0), SIZES),
                velocity_dependent_resistance=MAYBE,
                speed_effort_gradient=MAYBE,
            ),
        )
    )
    static = draw(MAYBE)
    return physx.UsdDrive(
        instance=draw(st.sampled_from(physx.drives.INSTANCES)),
        stiffness=draw(MAYBE),
        damping=draw(MAYBE),
        position_target=draw(MAYBE),
        velocity_target=-draw(MAYBE),
        max_effort=None if envelope is not None else draw(st.one_of(st.none(), SIZES)),
        envelope=envelope,
        axis=physx.JointAxis(
            armature=draw(MAYBE),
            max_joint_velocity=draw(st.one_of(st.none(), SIZES)),
            static_friction=static,
            dynamic_friction=static * draw(st.floats(0.0, 1.0)),
            viscous_friction=draw(MAYBE),
        ),
    )


def plain(row: OnJoint) -> dict[str, object]:
    """What a motor file holds of the joint."""
    names = ("armature", "coulomb", "stiction", "viscous", "beside")
    return {"name": row.joint, **{name: getattr(row, name) for name in names}}


@settings(deadline=None)
@given(drives(), st.integers(0, 2**31))
def test_round_trip_is_the_same_drive_and_the_same_torque(wanted, seed):
    """Read, written as a motor file, loaded, written for PhysX and read: equal, and so is the torque of any motion."""
    first = physx.read_actuator(physx.text(wanted, "/robot/joint"))
    text = motorfile.dumps(first.actuator, plain(first))
    actuator, own = motorfile.loads_with_joint(text)
    loaded = OnJoint(actuator=actuator, joint=own.pop("name", ""), **own)
    assert loaded.stiction is not None or not first.stiction
    written = physx.write(loaded, loaded.joint)
    again = physx.read_actuator(written.text)
    assert again.actuator == first.actuator and plain(again) == plain(first)
    draw = np.random.default_rng(seed)
    position, velocity = draw.standard_normal(40), 20.0 * draw.standard_normal(40)
    targets = be.Command(position=draw.standard_normal(40), velocity=draw.standard_normal(40), effort=0.1)
    torques = []
    for each in (first, again):
        law = each.law()
        torques.append(law.step(law.initial((40,)), targets, position, velocity, 0.001)[1])
    np.testing.assert_array_equal(*torques)


def test_targets_and_velocity_limits_may_be_given_to_write():
    """Beside the gains; what was read is replaced by what is given."""
    knee = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.0), limits=(be.EffortLimit(effort_limit=5.0),))
    numbers = {"position_target": 0.5, "velocity_target": -1.0, "max_joint_velocity": 30.0}
    written = physx.write(knee, "/robot/knee", **numbers)
    assert written.drive.position_target == 0.5 and written.drive.axis.max_joint_velocity == 30.0
    again = physx.write(physx.read_actuator(written.text), "/robot/knee", position_target=0.1).drive
    assert again.position_target == 0.1 and again.velocity_target == pytest.approx(-1.0)
    with pytest.raises(ParameterError, match="velocity_target = nan"):
        physx.write(knee, "/robot/knee", velocity_target=math.nan)


# --- motors and axes

ROTARY = be.Motor(
    winding=be.Winding(resistance=0.3),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    ratings=be.Ratings(voltage=24.0),
    name="turner",
)
SLIDER = replace(ROTARY, motion="linear", name="slider")


@pytest.mark.parametrize(
    ("motor", "path", "more", "message"),
    [
        (ROTARY, "/j", {"instance": "linear"}, "turner turns, and the linear axis slides"),
        (ROTARY, "/j:linear", {}, "turner turns, and the linear axis slides"),
        (SLIDER, "/j", {"instance": "angular"}, "slider is a linear motor, and the angular axis turns"),
        (SLIDER, "/j", {"instance": "rotY"}, "slider is a linear motor, and the rotY axis turns"),
        (ROTARY, "/j", {"effort": "continuous"}, "effort = 'continuous': the motor has no continuous current"),
        (ROTARY, "/j:linear", {"instance": "angular"}, "instance = 'angular': the joint /j:linear says linear"),
        (ROTARY, "/j", {"instance": "sideways"}, "UsdDrive.instance = 'sideways': must be one of"),
        (ROTARY, "/j", {"speed": 1.0}, "write(speed=...): there is no such argument"),
    ],
)
def test_motors_that_do_not_fit_the_axis_are_refused(motor, path, more, message):
    """Torques are no forces, and a continuous torque is one that somebody rates."""
    with pytest.raises(ParameterError) as caught:
        physx.write(be.Actuator(motor, controller=be.Torque()), path, **more)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


def test_a_linear_motor_goes_to_the_axis_that_slides():
    """In newtons and metres, without degrees."""
    drive = physx.write(be.Actuator(SLIDER, controller=be.IdealPd(stiffness=50.0, damping=2.0)), "/j").drive
    assert drive.instance == "linear" and drive.stiffness == 50.0
    assert drive.envelope.max_actuator_velocity == pytest.approx(240.0)


def test_an_actuator_read_from_a_slide_goes_back_to_one():
    """Its numbers are forces: the axis comes along, whatever the joint is called."""
    slide = stage(joint("b", "Prismatic", ("linear",), drive("linear", **GAINS)))
    assert physx.write(physx.read_actuator(slide), "/other").drive.instance == "linear"


# --- what a stage can do to its reader


def test_a_plugin_beside_the_stage_is_not_loaded(tmp_path, monkeypatch):
    """A plugInfo.json and a Python module in the stage's folder stay where they are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugInfo.json").write_text(
        '{"Plugins": [{"Name": "backemf_hostile", "Type": "python", "Root": ".", "LibraryPath": "", '
        '"ResourcePath": ".", "Info": {}}]}'
    )
    (tmp_path / "backemf_hostile.py").write_text("raise SystemExit('run')\n")
    path = tmp_path / "robot.usda"
    path.write_text(stage(joint("j", lines=drive(**GAINS))).replace("(\n    m", '(\n    doc = "hostile"\n    m', 1))
    assert len(physx.read_actuators(path)) == 1
    from pxr import Plug

    assert Plug.Registry().GetPluginWithName("backemf_hostile") is None and "backemf_hostile" not in sys.modules


@pytest.mark.parametrize("arc", ["subLayers", "references", "payload"])
def test_a_pipe_is_not_waited_for(tmp_path, arc):
    """A stage that names a pipe, by any arc, is refused in one sentence; USD would wait for ever."""
    os.mkfifo(tmp_path / "pipe.usda")
    path = tmp_path / "robot.usda"
    text = stage(joint("j", lines=drive(**GAINS)))
    if arc == "subLayers":
        path.write_text(text.replace("(\n", "(\n    subLayers = [@pipe.usda@]\n", 1))
    else:
        path.write_text(text + f'def Xform "more" (\n    {arc} = @pipe.usda@\n)\n{{\n}}\n')
    with pytest.raises(ParameterError, match=r"pipe\.usda: is not a plain file") as caught:
        physx.read_actuators(path)
    assert "\n" not in str(caught.value)


def test_sizes_are_bounded(tmp_path, monkeypatch):
    """The files of a stage together, their number, and a text."""
    path, other = tmp_path / "robot.usda", tmp_path / "more.usda"
    path.write_text(stage(joint("j", lines=drive(**GAINS))).replace("(\n", "(\n    subLayers = [@more.usda@]\n", 1))
    other.write_text("#usda 1.0\n" + "# much\n" * 1000)
    assert len(physx.read_actuators(path)) == 1
    for name, value, message in (("LARGEST", 2000, "too large or too many"), ("MOST", 1, "too large or too many")):
        with monkeypatch.context() as changed:
            changed.setattr(usd, name, value)
            with pytest.raises(ParameterError, match=message):
                physx.read_actuators(path)
    with monkeypatch.context() as changed:
        changed.setattr(usd, "LARGEST", 100)
        with pytest.raises(ParameterError, match="the text of the stage: is longer than 100 characters"):
            physx.read_actuators(path.read_text())


def test_a_payload_is_read_and_one_that_is_gone_does_no_harm(tmp_path):
    """Robots keep their physics in a payload."""
    (tmp_path / "physics.usda").write_text(stage(joint("knee", lines=drive(**GAINS))))
    path = tmp_path / "robot.usda"
    arcs = "payload = [@physics.usda@</robot>, @gone.usda@, @http://example.invalid/x.usda@]"
    path.write_text(f'#usda 1.0\n(\n    {METRES}\n)\ndef Xform "arm" (\n    {arcs}\n)\n{{\n}}\n')
    assert [row.joint for row in physx.read_actuators(Path(path))] == ["/arm/knee"]
