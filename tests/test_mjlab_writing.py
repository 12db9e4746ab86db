"""What is written for mjlab: the kind, the targets that are lost, the joint's own numbers, limits and delay."""

from __future__ import annotations

import pytest

import backemf as be
from backemf import ParameterError
from backemf.sims import mjlab
from backemf.sims.mjlab.kinds import CLASSES
from backemf.sims.on_joint import OnJoint
from backemf.transfer import export

PD = be.IdealPd(stiffness=31.7, damping=0.83)
FLAT = be.EffortLimit(effort_limit=9.0)
LINE = be.DcClip(saturation_effort=23.0, velocity_limit=30.0, effort_limit=9.0)
PLAIN = be.Actuator(controller=PD, limits=(FLAT,))
TORQUE = be.Actuator(controller=be.Torque(), limits=(FLAT,))
MOTOR = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=6e-5),
    friction=be.Coulomb(coulomb=0.01),
    drag=be.Drag(coefficients=(1e-4,)),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
    ratings=be.Ratings(voltage=24.0),
)


def rows(written) -> dict[str, str]:
    return {loss.phenomenon: loss.status for loss in written.statuses}


def listening(*targets: str) -> be.Actuator:
    pd = be.IdealPd(stiffness=31.7, damping=0.83, listens=targets)
    return be.Actuator(controller=pd, limits=(FLAT,))


# --- kinds and targets


@pytest.mark.parametrize(
    ("actuator", "kind"),
    [
        (PLAIN, "ideal_pd"),
        (be.Actuator(controller=PD, limits=(LINE,)), "dc_motor"),
        (listening("position", "velocity"), "builtin_pd"),
        (listening("position"), "builtin_position"),
        (listening("position", "effort"), "ideal_pd"),
        (be.Actuator(controller=be.TorquePid(kd=2.0, follows="velocity", listens=("velocity",))), "builtin_velocity"),
        (be.Actuator(controller=be.TorquePid(kd=2.0, follows="velocity")), "ideal_pd"),
        (TORQUE, "builtin_motor"),
        (be.Actuator(MOTOR, controller=be.Torque()), "dc_motor"),
    ],
)
def test_the_kind_listens_to_what_the_controller_takes(actuator: be.Actuator, kind: str):
    """Nothing of the controller is lost in the kind that is chosen, and it is chosen again for what is read."""
    written = mjlab.write(actuator)
    assert CLASSES[kind] in written.text
    assert not {"controller", "position target", "velocity target", "feedforward"} & {
        x.phenomenon for x in written.losses
    }
    assert CLASSES[kind] in mjlab.write(mjlab.read_actuator(written.text)).text


@pytest.mark.parametrize(
    ("actuator", "kind", "lost"),
    [
        (PLAIN, "ideal_pd", set()),
        (PLAIN, "builtin_pd", {"feedforward"}),
        (PLAIN, "builtin_position", {"velocity target", "feedforward"}),
        (listening("position", "velocity"), "builtin_position", {"velocity target"}),
        (listening("position", "velocity"), "builtin_pd", set()),
        (listening("position"), "builtin_position", set()),
        (be.Actuator(controller=be.IdealPd(stiffness=9.0)), "builtin_position", {"feedforward"}),
        (be.Actuator(controller=be.TorquePid(kd=2.0, follows="velocity")), "builtin_velocity", {"feedforward"}),
        (be.Actuator(MOTOR, controller=PD), "builtin_dc_motor", {"velocity target", "feedforward"}),
        (be.Actuator(MOTOR, controller=be.PositionPid(kp=9.0)), "builtin_dc_motor", set()),
        (TORQUE, "builtin_motor", set()),
    ],
)
def test_a_target_that_the_kind_does_not_listen_to_is_dropped(actuator: be.Actuator, kind: str, lost: set):
    """A row for each, right behind the controller's; a target without a gain has no effect anyway."""
    written = mjlab.write(actuator, kind=kind)
    names = [loss.phenomenon for loss in written.statuses]
    found = {name for name in ("position target", "velocity target", "feedforward") if name in names}
    assert found == lost
    behind = names.index("controller") + 1
    assert set(names[behind : behind + len(lost)]) == lost
    assert all(f"{kind} listens to" in str(loss) for loss in written.losses if loss.phenomenon in lost)
    assert all(rows(written)[name] == "dropped" for name in lost)


@pytest.mark.parametrize("kind", ["builtin_pd", "builtin_position", "builtin_velocity"])
def test_a_pd_without_gains_is_refused(kind: str):
    """It would give 0 N·m whatever is commanded; the sentence says what to do."""
    for thing in (
        TORQUE,
        be.Actuator(MOTOR, controller=be.Torque()),
        be.Actuator(controller=be.IdealPd(stiffness=0.0)),
    ):
        with pytest.raises(ParameterError, match=r"gives no torque.*give stiffness= and damping=.*builtin_motor"):
            mjlab.write(thing, kind=kind)
    with pytest.raises(ParameterError, match="gives no torque"):
        export(MOTOR, "mjlab", kind=kind, compare=False)


def test_gains_that_are_given_stand_in_place_of_the_controllers():
    """They are written, and the controller is no longer called kept unless they are its own."""
    given = {"stiffness": 40.0, "damping": 1.0}
    for thing, kind in ((PLAIN, "ideal_pd"), (TORQUE, "builtin_pd"), (be.Actuator(MOTOR), "dc_motor")):
        written = mjlab.write(thing, kind=kind, **given)
        assert rows(written)["controller"] == "approximated"
        (found,) = mjlab.read_configs(written.text)
        assert (found.stiffness, found.damping) == (40.0, 1.0)
    same = mjlab.write(PLAIN, kind="ideal_pd", stiffness=31.7, damping=0.83)
    assert rows(same)["controller"] == "kept"


@pytest.mark.parametrize(
    ("thing", "arguments", "sentence"),
    [
        (PLAIN, {"kind": "builtin_motor"}, "takes efforts and has no place for IdealPd"),
        (TORQUE, {"kind": "builtin_motor", "stiffness": 1.0}, r"write\(stiffness=...\): there is no such argument"),
        (PLAIN, {"kind": "builtin_velocity"}, "has damping alone, and here is stiffness = 31.7"),
        (be.Actuator(controller=be.IdealPd(stiffness=0.0, damping=1.0)), {"kind": "builtin_position"}, "stiffness = 0"),
        (PLAIN, {"kind": "learned_mlp"}, "is a network and has no place for IdealPd"),
        (
            be.Actuator(MOTOR, controller=be.PositionPid(kp=0.0, kd=1.0)),
            {"kind": "builtin_dc_motor"},
            "a gain of 0 V/rad",
        ),
        (
            be.Actuator(MOTOR, controller=be.TorquePid(kd=1.0, follows="velocity")),
            {"kind": "builtin_dc_motor"},
            "back-EMF",
        ),
        (PLAIN, {"kind": "muscle"}, "must be one of dc_motor, ideal_pd, builtin_pd"),
        (PLAIN, {"armature": -1.0}, "armature = -1.0: must be at least 0"),
        (PLAIN, {"armature": "much"}, "armature = 'much': must be a number"),
        (PLAIN, {"frictionless": 1.0}, r"write\(frictionless=...\): there is no such argument"),
    ],
)
def test_wrong_questions_get_one_sentence(thing, arguments: dict, sentence: str):
    with pytest.raises(ParameterError, match=sentence) as caught:
        mjlab.write(thing, **arguments)
    assert "\n" not in str(caught.value)


# --- the joint's own numbers


OWN = {"armature": 0.02, "frictionloss": 0.3, "viscous_damping": 0.04}


@pytest.mark.parametrize(
    "kind", ["dc_motor", "ideal_pd", "builtin_pd", "builtin_position", "builtin_velocity", "builtin_motor"]
)
@pytest.mark.parametrize("given", ["numbers", "joint"])
def test_armature_and_friction_need_no_motor(kind: str, given: str):
    """From numbers or from the joint: written, called kept, and read back."""
    controller = {"builtin_velocity": be.IdealPd(stiffness=0.0, damping=2.0), "builtin_motor": be.Torque()}.get(
        kind, PD
    )
    thing = be.Actuator(controller=controller, limits=(LINE if kind == "dc_motor" else FLAT,))
    if given == "joint":
        written = mjlab.write(OnJoint(actuator=thing, armature=0.02, coulomb=0.3, viscous=0.04), kind=kind)
    else:
        written = mjlab.write(thing, kind=kind, **OWN)
    found = mjlab.read_actuator(written.text)
    assert (found.armature, found.coulomb, found.viscous, found.losses) == (0.02, 0.3, 0.04, ())
    assert {rows(written)[name] for name in ("rotor inertia", "dry friction", "viscous drag")} == {"kept"}


def test_nothing_is_written_where_nothing_is_known_and_zero_where_it_is_given():
    """A field that is left out keeps the XML's number; 0 replaces it."""
    assert "armature" not in mjlab.write(PLAIN).text
    (found,) = mjlab.read_configs(mjlab.write(PLAIN, armature=0.0, frictionloss=0.0).text)
    assert (found.armature, found.frictionloss, found.viscous_damping) == (0.0, 0.0, None)


@pytest.mark.parametrize("kind", ["dc_motor", "builtin_dc_motor"])
def test_the_joint_adds_to_the_motor(kind: str):
    """N²·J, N·f and N²·b of the motor, and what the joint has besides."""
    controller = PD if kind == "dc_motor" else be.PositionPid(kp=9.0)
    on = OnJoint(actuator=be.Actuator(MOTOR, controller=controller), armature=0.02, coulomb=0.3, viscous=0.04)
    found = mjlab.read_actuator(mjlab.write(on, kind=kind).text)
    assert found.armature == pytest.approx(81 * 6e-5 + 0.02)
    assert found.coulomb == pytest.approx(9 * 0.01 + 0.3)
    assert found.viscous == pytest.approx(81 * 1e-4 + 0.04)


def test_a_number_that_is_given_goes_before_the_motors():
    """It is written in place of N²·J, and the row says so."""
    written = mjlab.write(be.Actuator(MOTOR, controller=PD), armature=0.02)
    assert mjlab.read_actuator(written.text).armature == 0.02
    assert rows(written)["rotor inertia"] == "approximated"
    assert "in place of the motor's 0.00486 kg·m²" in " ".join(map(str, written.losses))


def test_bristles_do_not_take_the_joints_friction():
    """The motor's LuGre has a row of its own; the frictionloss is the joint's alone."""
    bristles = be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=0.9, stiffness=50.0)
    motor = be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet, friction=bristles, ratings=MOTOR.ratings)
    on = OnJoint(actuator=be.Actuator(motor), coulomb=0.3)
    assert mjlab.read_actuator(mjlab.write(on, kind="builtin_dc_motor").text).coulomb == 0.3


def test_friction_of_an_actuator_becomes_the_joints():
    """A TanhFriction slides as MuJoCo's frictionloss and damping do; at rest it lets the joint creep."""
    rubs = be.Actuator(controller=PD, limits=(FLAT,), friction=be.TanhFriction(coulomb=0.3, viscous=0.04))
    written = mjlab.write(rubs)
    found = mjlab.read_actuator(written.text)
    assert (found.coulomb, found.viscous) == (0.3, 0.04)
    assert rows(written)["joint friction"] == "approximated"


def test_stiction_of_a_joint_is_dropped():
    assert rows(mjlab.write(OnJoint(actuator=PLAIN, coulomb=0.3, stiction=0.5)))["stiction"] == "dropped"
    assert "stiction" not in rows(mjlab.write(OnJoint(actuator=PLAIN, coulomb=0.3)))


# --- limits


@pytest.mark.parametrize("actuator", [be.Actuator(controller=PD), be.Actuator(controller=be.Torque())])
def test_no_limit_is_written_where_none_is_known(actuator: be.Actuator):
    """The torque of such an actuator has no limit here, nor in mjlab; that nobody knows one is a row."""
    written = mjlab.write(actuator)
    assert mjlab.read_actuator(written.text).actuator == actuator
    assert rows(written)["effort limit"] == "unknown"


def test_a_line_that_is_no_dc_motors_is_approximated():
    """mjlab's clip has one line; a knee curve brakes otherwise."""
    knee = be.KneeCurve(driving_effort=9.0, braking_effort=12.0, knee_speed=10.0, no_load_speed=30.0)
    told = [rows(mjlab.write(be.Actuator(controller=PD, limits=(x,))))["torque-speed line"] for x in (LINE, knee)]
    assert told == ["kept", "approximated"]


def test_a_voltage_limit_of_a_motor_commanded_in_volts_is_not_held():
    """MuJoCo 3.11 holds a motor with an inductance to it, and no other."""
    slow = be.Winding(resistance=0.5, inductance=1e-4)
    told = [
        rows(
            mjlab.write(
                be.Actuator(be.Motor(winding=winding, magnet=MOTOR.magnet), voltage_limit=20.0), kind="builtin_dc_motor"
            )
        )
        for winding in (MOTOR.winding, slow)
    ]
    assert [row["voltage limit"] for row in told] == ["approximated", "kept"]


def test_gears_that_turn_the_other_way_have_gains_of_the_same_sign():
    """Written at the joint: kp·R/(|N|·Kt), whichever way the gears turn."""
    there, back = (
        be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet, gearbox=be.Gearbox(stages=(be.Stage(ratio=n),)),
                 ratings=MOTOR.ratings) for n in (9.0, -9.0)
    )  # fmt: skip
    one, other = (
        mjlab.read_configs(mjlab.write(be.Actuator(m, controller=PD), kind="builtin_dc_motor").text)[0]
        for m in (there, back)
    )
    assert other.stiffness == pytest.approx(one.stiffness) == pytest.approx(31.7 * 0.5 / 0.9)
    assert other.damping == pytest.approx(one.damping)


# --- delay


@pytest.mark.parametrize("kind", ["dc_motor", "ideal_pd", "builtin_pd", "builtin_position"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"period": 7},
        {"period": 7, "staggered": False},
        {"hold_probability": 0.25},
        {"period": 3, "hold_probability": 1.0, "staggered": False},
    ],
)
@pytest.mark.parametrize("steps", [(0, 3), (2, 2), (1, 9)])
def test_every_option_of_mjlabs_delay_round_trips(kind: str, options: dict, steps: tuple):
    delay = be.Delay(steps=steps, schedule="mjlab", **options)
    limit = LINE if kind == "dc_motor" else FLAT
    written = mjlab.write(be.Actuator(controller=PD, limits=(limit,), delay=delay), kind=kind)
    assert mjlab.read_actuator(written.text).actuator.delay == delay
    assert rows(written)["delay"] == "kept"


def test_a_delay_of_some_targets_is_approximated():
    """mjlab delays all alike; a delay that names all of them loses nothing."""
    told = []
    for targets in (("position",), ("position", "velocity", "effort")):
        delay = be.Delay(steps=(2, 2), schedule="mjlab", targets=targets)
        told.append(rows(mjlab.write(be.Actuator(controller=PD, limits=(FLAT,), delay=delay)))["delay"])
    assert told == ["approximated", "kept"]
