"""Every simulator, kind of actuator and controller: each quantity is written once, and found once when it is read.

What is written is read back by its own room, by MuJoCo itself, and after it was written for any other simulator.
"""

import importlib
import inspect
import re
from functools import cache

import pytest
from contract import CASES, CONTROLLERS, IN_VOLTS, MOTORS, TARGETS, is_refused, make_case, options, totals_of

import backemf as be
from backemf.sims import room
from backemf.transfer import NAMES, Exported, export
from backemf.transfer.targets import ROOMS, room_of, target_of

CLOSE = 2e-5
"""Share of a number that six digits of a text may cost [1]."""
PHENOMENA = {
    "inertia": "rotor inertia",
    "dry": "dry friction",
    "viscous": "viscous drag",
    "torque": "effort limit",
    "speed": "torque-speed line",
}
"""What a report calls each quantity."""
EMPTY = re.compile(r"(one of|takes|give|take)\s*([;.:]|$)")
"""A sentence that offers nothing to choose from."""


@cache
def write_case(to: str, kind: str | None, motor: str, controller: str) -> Exported:
    """A case written for a simulator."""
    return export(make_case(motor, controller)[0], to, "knee", compare=False, **options(to, kind))


def missing(want, done: Exported, lost=frozenset()) -> set[str]:
    """Quantities that are lost in a text; a report has to say so of each, and any other is what it was.

    Webots' largest velocity is that with friction, up to 2 % less here, which the report calls approximated.
    """
    status = {row.phenomenon: row.status for row in done.statuses}
    found, gone = totals_of(done.on_joint), set(lost)
    for name, phenomenon in PHENOMENA.items():
        wanted = getattr(want, name)
        if wanted is None or name in gone or getattr(found, name) == pytest.approx(wanted, rel=CLOSE):
            continue
        gone.add(name)
        if name == "speed" and status[phenomenon] == "approximated":
            assert found.speed == pytest.approx(wanted, rel=0.02)
            continue
        assert status.get(phenomenon) == "dropped", (name, wanted, getattr(found, name), status.get(phenomenon))
        assert name == "speed" or getattr(found, name) == 0.0, (name, getattr(found, name))
    return gone


@pytest.mark.parametrize(("to", "kind"), TARGETS)
def test_every_quantity_is_found_once(to, kind):
    """Inertia, friction, largest torque and speed of what is read are those of the case, or the report drops them."""
    for case in CASES:
        if is_refused(to, kind, *case):
            with pytest.raises(be.ParameterError) as sentence:
                write_case(to, kind, *case)
            assert not EMPTY.search(str(sentence.value)), sentence.value
            continue
        done = write_case(to, kind, *case)
        missing(make_case(*case)[1], done)
        assert {row.status for row in done.statuses} <= {"kept", "approximated", "dropped", "unknown"}


@pytest.mark.parametrize(("to", "kind"), TARGETS)
def test_every_quantity_survives_every_other_simulator(to, kind):
    """Written, read, and written for any other simulator: still once, or the second report drops it."""
    seen = set()
    for case in CASES:
        if is_refused(to, kind, *case):
            continue
        want, first = make_case(*case)[1], write_case(to, kind, *case)
        if first.text in seen:
            continue
        seen.add(first.text)
        lost = missing(want, first)
        for other in NAMES:
            if other == to or (other.startswith("mujoco") and case[1] == "modes" and kind == "backemf"):
                continue
            missing(want, export(first.on_joint, other, "knee", compare=False), lost)


@pytest.mark.parametrize("to", NAMES)
@pytest.mark.parametrize("motor", MOTORS)
def test_a_file_holds_what_its_text_holds(to, motor, tmp_path):
    """Every room finds its own file among all, and reads from it what it reads from the text."""
    done = write_case(to, None, motor, "ideal-pd")
    path = tmp_path / f"robot{done.target.ending}"
    path.write_text(done.text, encoding="utf-8")
    (found,) = be.transfer.read_actuators(path, version=done.target.version)
    assert type(found) is type(done.on_joint) and totals_of(found) == totals_of(done.on_joint)


def test_what_webots_cannot_hold_is_in_its_text_once():
    """Webots has no armature: the text says once how much inertia to add to the body."""
    for motor, controller in CASES:
        done, want = write_case("webots", None, motor, controller), make_case(motor, controller)[1]
        assert done.text.count(f"add {want.inertia:.6g} kg·m²") == 1


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_mujoco_itself_reads_what_is_written(case):
    """The compiled model has the inertia and friction of the case on its joint, and its torque and speed."""
    mujoco = pytest.importorskip("mujoco")
    from backemf.sims.mujoco import read_actuator

    version = ".".join(mujoco.__version__.split(".")[:2])
    to = f"mujoco@{version}"
    if is_refused(to, None, *case):
        return
    done, want = write_case(to, None, *case), make_case(*case)[1]
    model = mujoco.MjModel.from_xml_string(done.text)
    bristles = 0.08 if case[0] == "bristles" else 0.0
    assert model.dof_armature[0] == pytest.approx(want.inertia, rel=CLOSE)
    assert model.dof_frictionloss[0] + bristles == pytest.approx(want.dry, rel=CLOSE)
    assert totals_of(read_actuator(model, version=version)) == totals_of(done.on_joint)


# --- what a controller needs


@pytest.mark.parametrize("name", CONTROLLERS)
def test_volts_need_a_motor(name):
    """A controller in volts without a motor is refused at once; any other drives a joint by its torque."""
    if name in IN_VOLTS:
        with pytest.raises(be.ParameterError, match=f"{type(CONTROLLERS[name]).__name__}.* asks for volts"):
            be.Actuator(controller=CONTROLLERS[name])
    else:
        assert be.Actuator(controller=CONTROLLERS[name]).motor is None


# --- the doors


def parameters(function) -> list[tuple[str, object]]:
    """Names and kinds of a function's parameters."""
    return [(each.name, each.kind) for each in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", ROOMS)
@pytest.mark.parametrize("door", ["write", "read_actuator", "read_actuators"])
def test_every_door_has_the_same_signature(name, door):
    """What the protocol names is there, in its order; what a room takes besides is given by name or comes last."""
    asked = [each for each in parameters(getattr(room.FileRoom, door))[1:] if each[0] != "numbers"]
    own = parameters(getattr(room_of(name), door))
    plain = [each for each in asked if each[1] is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    # what is read is called by the simulator's own word, such as stage or model
    assert [each[0] for each in own[1 : len(plain)]] == [each[0] for each in plain[1:]]
    assert {each[0] for each in asked[1:]} <= {each[0] for each in own}


@pytest.mark.parametrize("name", [*ROOMS, "mime", "mjx", "mujoco_warp"])
def test_every_room_says_what_it_is(name):
    """Its law, and the name of its plug-in, which is there or asks for the simulator by name."""
    found = importlib.import_module(f"backemf.sims.{name}")
    about: room.About = found.ABOUT
    assert inspect.ismodule(found.law) and about.title
    assert set(about.whole) <= set(about.kinds)
    if about.networks:
        assert callable(found.write_learned) and callable(found.read_learned)
    if about.plugin is not None:
        try:
            assert getattr(found, about.plugin) is not None
        except be.MissingExtraError as error:
            assert name.replace("_", "-") in str(error) or "maddening" in str(error)


def test_help_names_every_kind():
    """`backemf export --help` has each kind that can be chosen there: no network, and no slider."""
    from backemf.cli import export as command

    source = inspect.getsource(command)
    for name in ROOMS:
        for kind in set(room_of(name).ABOUT.kinds) - {"mlp", "lstm", "learned_mlp", "rotational", "linear"}:
            assert re.search(rf"\b{kind}\b", source), (name, kind)


def test_a_whole_actuator_is_written_with_the_current_it_has():
    """The current behind its largest torque is in the actuator, so that no room is asked for a number it refuses."""
    for effort in ("peak", "continuous"):
        done = export(
            make_case("geared", "ideal-pd")[0], "newton", "knee", kind="backemf", effort=effort, compare=False
        )
        assert done.on_joint.actuator.motor is not None
    with pytest.raises(be.ParameterError, match="PhysX has one kind"):
        target_of("physx").about.require_kind("pd")
