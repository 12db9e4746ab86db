"""The property run: a part of it in every test, and proof that each of its checks can fail."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from long import some_now

import backemf as be
from backemf.actuator import chain
from backemf.physics import state as bits
from backemf.tree import change

sys.path.insert(0, str(Path(__file__).parents[1]))
from properties.cases import HELD, RUN, Case, picked, steps_of
from properties.engines import LARGEST, can_compare, difference
from properties.examine import Violation, examine
from properties.minimise import smallest
from properties.pieces import Plan, case_at, examine_case
from properties.program import program
from properties.rounding import rounding_of
from properties.tally import Record, Tally, table

PLAN = Plan(seed=20261116, engines=("python",))
PIECES, CASES = 40, 20
"""Pieces of the run that the tests have, and cases in each: 2.4 million motor-inputs."""
FIRST = 15
"""Pieces that `make test` has, half a minute on one core; the others are in `make test-long`."""


@pytest.mark.parametrize("piece", some_now(range(PIECES), lambda piece: piece < FIRST))
def test_random_motors_keep_every_law(piece):
    """60,000 motor-inputs each: finite, balanced, dissipative, within every limit, flagged, stable, refused."""
    tally = Tally()
    for index in range(piece * CASES, (piece + 1) * CASES):
        examine_case(PLAN, index, tally)
    shown = "\n\n".join(text for programs in tally.programs.values() for text in programs)
    assert not tally.violations, f"{dict(tally.violations)}\n\n{shown}"
    assert tally.inputs > 55_000


COMPARED = [
    ("native", PLAN.seed, range(10)),
    # motors where two bounds are equal to the last digit: a slope follows one
    *(("native", seed, [index]) for seed, index in ((5, 280), (5, 510), (11, 150), (11, 400))),
    ("torch", PLAN.seed, range(4)),
    ("jax", PLAN.seed, range(1)),  # it compiles every one of them
    *(
        pytest.param(engine, PLAN.seed, rest, marks=pytest.mark.long)
        for engine, rest in (("native", range(10, 40)), ("torch", range(4, 12)), ("jax", range(1, 3)))
    ),
]


@pytest.mark.parametrize(("engine", "seed", "indices"), COMPARED)
def test_an_engine_agrees_with_numpy(engine, seed, indices):
    """Some structures of the run each."""
    if engine != "native":
        pytest.importorskip(engine)
    for index in indices:
        case = case_at(replace(PLAN, seed=seed), index)
        assert can_compare(case, engine)
        found = difference(case, engine)
        assert found.beyond <= 1.0, (index, found)


# --- each check can fail


MOTORS = 8


def motor(**parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=0.3, temperature_coefficient=0.0, **parts.pop("winding", {})),
        magnet=be.Magnet(torque_constant=0.03, back_emf_constant=0.03),
        rotor=be.Rotor(inertia=1.4e-5),
        **parts,
    )


def host(actuator: be.Actuator, command: float, speed: float, dt: float = 1e-3, **state) -> Case:
    """A batch of one motor under a host."""
    start = actuator.compile("numpy").initial((MOTORS,), **state)
    full = np.full(MOTORS, 1.0)
    return Case(actuator, HELD, None, start, (), 0.2 * full, (speed * full,), (command * full,), dt * full)


def run(actuator: be.Actuator, load, command: float, speed: float, dt: float = 1e-3, steps: int = 4) -> Case:
    """A batch of one motor with a load."""
    case = host(actuator, command, speed, dt)
    memory = (case.position, case.velocities[0]) if isinstance(load, be.TwoMass) else ()
    return replace(case, way=RUN, load=load, memory=memory, commands=case.commands * steps)


def break_laws(spoil=None, turn=None) -> SimpleNamespace:
    """The laws with an output that is spoiled, or a speed after a step of a run that is."""

    def held(*arguments):
        state, out = chain.held(*arguments)
        return (state, out) if spoil is None else spoil(state, out)

    def with_load(*arguments):
        state, memory, out = chain.with_load(*arguments)
        if spoil is not None:
            state, out = spoil(state, out)
        return state, memory, out if turn is None else change(out, joint_velocity=turn(out.joint_velocity))

    return SimpleNamespace(held=held, with_load=with_load)


def output(**changes):
    """A fault that changes some of the outputs, each by a function of the right one."""

    def spoil(state, out):
        return state, change(out, **{name: fault(getattr(out, name)) for name, fault in changes.items()})

    return spoil


SUPPLY = be.Supply(voltage=24.0)
BATTERY = be.Supply(voltage=24.0, resistance=0.05, regeneration=False)
LIMITED = be.Actuator(motor(limits=be.Limits(continuous_current=10.0)), SUPPLY, voltage_limit=20.0)
WEAK = be.Actuator(motor(), SUPPLY, voltage_limit=20.0)
GEARED = be.Actuator(
    motor(
        friction=be.Coulomb(coulomb=0.002),
        drag=be.Drag(coefficients=(1e-5,)),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0, efficiency=0.8),)),
        thermal=be.Thermal(resistance=2.0, capacitance=50.0),
    ),
    BATTERY,
)
KNEE = be.KneeCurve(driving_effort=0.2, braking_effort=0.2, knee_speed=100.0, no_load_speed=700.0)
JOINT = be.Actuator(motor(), SUPPLY, limits=(KNEE,))
COMMANDED = be.Actuator(motor(), SUPPLY, command_range=(-5.0, 5.0))
SLEWED = be.Actuator(motor(), SUPPLY, slew=1000.0)
RATED = be.Actuator(motor(limits=be.Limits(current_rate=1000.0)), SUPPLY)
SERVO = be.Actuator(motor(), SUPPLY, controller=be.DutyServo(kp=50.0, pwm_limit=0.5))
HOT = be.Actuator(
    motor(
        thermal=be.Thermal(resistance=2.0, capacitance=50.0),
        limits=be.Limits(peak_current=20.0, continuous_current=5.0, derating_start=80.0, derating_end=100.0),
    ),
    SUPPLY,
)


def without(bit):
    return output(limit=lambda flags: flags & ~np.uint8(bit))


def with_flag(bit):
    return output(limit=lambda flags: flags | np.uint8(bit))


def colder(state, out):
    return change(state, winding_rise=state.winding_rise - 1.0), out


def hotter(state, out):
    return change(state, winding_rise=state.winding_rise + 1e4), out


FAULTS = {
    "finite numbers": (host(LIMITED, 20.0, 0.0), output(torque=lambda x: x * np.nan)),
    "power balance": (host(GEARED, 20.0, 5.0), output(copper_power=lambda x: 1.001 * x)),
    "copper gives no energy": (host(GEARED, 20.0, 5.0), output(copper_power=lambda x: -x)),
    "friction gives no energy": (host(GEARED, 20.0, 5.0), output(friction_power=lambda x: -x)),
    "gear gives no energy": (host(GEARED, 20.0, 5.0), output(gear_power=lambda x: -x)),
    "drag gives no energy": (host(GEARED, 20.0, 5.0), output(drag_power=lambda x: -x)),
    "never below ambient": (host(GEARED, 0.0, 0.0), colder),
    "heat within its source": (host(GEARED, 20.0, 5.0), hotter),
    "voltage limit": (host(LIMITED, 24.0, 500.0), output(voltage=lambda x: x + 10.0)),
    "voltage within the bus": (host(SERVO, 1.0, 0.0), output(voltage=lambda x: 1.1 * x)),
    "bus within the battery": (host(GEARED, 20.0, 5.0), output(bus_voltage=lambda x: x + 10.0)),
    "no current back": (host(GEARED, 20.0, 5.0), output(bus_current=lambda x: -x)),
    "battery law": (host(GEARED, 20.0, 5.0), output(bus_voltage=lambda x: 0.99 * x)),
    "current limit": (host(LIMITED, 20.0, 0.0), output(current=lambda x: 1.01 * x)),
    "current rate": (host(RATED, 20.0, 0.0), lambda state, out: (change(state, current=1.01 * state.current), out)),
    "torque limit": (host(JOINT, 20.0, 0.0), output(current=lambda x: 1.01 * x)),
    "voltage flag is set": (host(WEAK, 24.0, 500.0), without(bits.VOLTAGE)),
    "current flag is set": (host(LIMITED, 20.0, 0.0), without(bits.CURRENT)),
    "torque flag is set": (host(JOINT, 20.0, 0.0), without(bits.TORQUE)),
    "derating flag is set": (host(HOT, 20.0, 0.0, winding_rise=70.0), without(bits.DERATING)),
    "current rate flag is set": (host(RATED, 20.0, 0.0), without(bits.RATE)),
    "command range flag is set": (host(COMMANDED, 20.0, 0.0), without(bits.COMMAND)),
    "slew flag is set": (host(SLEWED, 20.0, 0.0), without(bits.SLEW)),
    "voltage flag has a cause": (host(LIMITED, 1.0, 0.0), with_flag(bits.VOLTAGE)),
    "current flag has a cause": (host(LIMITED, 1.0, 0.0), with_flag(bits.CURRENT)),
    "torque flag has a cause": (host(JOINT, 1.0, 0.0), with_flag(bits.TORQUE)),
}


@pytest.mark.parametrize("check", FAULTS)
def test_a_fault_is_found(check):
    """The right laws violate nothing; the spoiled ones violate the check."""
    case, spoil = FAULTS[check]
    assert examine(case).counts == {}
    assert check in examine(case, break_laws(spoil)).counts


@pytest.mark.parametrize("name", ["torque_slope", "torque_stiffness"])
@pytest.mark.parametrize(("factor", "check"), [(0.9, "is not too small"), (1.1, "is not too large")])
def test_a_wrong_slope_is_found(name, factor, check):
    case = host(be.Actuator(motor(), controller=be.PositionPid(kp=3.0, kd=0.1)), 1.0, 3.0)
    laws = break_laws(output(**{name: lambda x: factor * x}))
    assert examine(case).counts == {}
    assert set(examine(case, laws).counts) == {f"{name} {check}"}


def test_energy_from_nowhere_is_found():
    """A run whose joint gets faster by itself, driven and left alone."""
    case = run(LIMITED, be.Inertia(1e-5), 5.0, 300.0)
    assert examine(case).counts == {}
    found = examine(case, break_laws(turn=lambda velocity: 3.0 * velocity)).counts
    assert {"left alone, no energy is gained", "driven, no energy from nowhere"} <= set(found)


def test_an_unflagged_invalid_command_is_found():
    case = host(LIMITED, 1.0, 0.0)
    assert "invalid commands are flagged" in examine(case, break_laws(without(bits.INVALID))).counts


def test_an_engine_that_differs_is_found(monkeypatch):
    """A part in 10¹¹ of one number is more than rounding."""
    from properties import engines

    case = host(GEARED, 20.0, 5.0)
    assert difference(case, "python").largest <= LARGEST
    right = engines.on_python
    monkeypatch.setattr(
        engines, "on_python", lambda case: right(case) | {"current": right(case)["current"] * (1 + 1e-11)}
    )
    found = difference(case, "python")
    assert found.largest > LARGEST and found.beyond > 1.0 and found.name == "current" and found.by_rounding == 0


@pytest.mark.parametrize("name", ["current", "torque_slope"])
def test_rounding_explains_a_part_in_ten_to_the_tenth_at_most(monkeypatch, name):
    """However far rounding moves NumPy's own numbers, slopes included; only what substeps carry on may grow."""
    from properties import engines

    right = engines.on_python
    monkeypatch.setattr(engines, "rounding_of", lambda case: dict.fromkeys(right(case), np.ones(MOTORS)))
    for off, substeps, fine in ((5e-11, 1, True), (1e-8, 1, False), (1e-8, 4, True)):
        monkeypatch.setattr(
            engines, "on_python", lambda case, off=off: right(case) | {name: right(case)[name] * (1 + off)}
        )
        found = difference(host(replace(GEARED, substeps=substeps), 20.0, 5.0), "python")
        assert (found.beyond <= 1.0) == fine and found.by_rounding == MOTORS * fine, (off, substeps, found)


def test_rounding_moves_what_cancels_and_nothing_else():
    """A stiff loop that ends where it is told to has few digits left; a plain voltage has all of them."""
    case = host(GEARED, 20.0, 5.0)
    assert np.max(rounding_of(case)["current"]) < 1e-14 * np.max(np.abs(next(iter(steps_of(case))).out.current))
    stiff = be.Actuator(motor(), controller=be.IdealPd(stiffness=1e6))
    case = run(stiff, be.Inertia(1e-5), 0.0, 300.0)
    moved, current = rounding_of(case)["current"], np.abs(next(iter(steps_of(case))).out.current)
    assert np.max(moved / current) > 1e-12
    # a case is judged alike whatever was tried before it
    assert np.array_equal(moved, rounding_of(case)["current"])


# --- faults that the physics once had


def test_faults_of_the_past_stay_away():
    """A braked rotor that was thrown to 1e106 rad/s, one that swung around its speed, limits that others overrode."""
    lonely = be.Actuator(motor(limits=be.Limits(continuous_current=10.0)), SUPPLY)
    clipped = be.DcClip(saturation_effort=1.5, velocity_limit=400.0, effort_limit=1.5)
    battery = be.Supply(voltage=24.0, resistance=0.2)
    loose = motor(
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),), backlash=0.01),
        thermal=be.Thermal(resistance=2.0, capacitance=50.0),
        friction=be.Coulomb(coulomb=0.002),
    )
    loose = replace(loose, magnet=replace(loose.magnet, temperature_coefficient=-0.002))
    cases = {
        "thrown": run(lonely, be.Inertia(0.0), 0.0, 2000.0, 0.02, 24),
        "swings": run(lonely, be.ConstantTorque(torque=1.0), 0.0, 900.0, 0.01, 24),
        "derating": host(HOT, 20.0, 0.0, winding_rise=72.0),
        "overridden": host(replace(lonely, limits=(clipped,)), 0.0, 900.0),
        "regenerates": host(be.Actuator(motor(), battery, voltage_limit=20.0), 20.0, 2000.0),
        "hot magnet": run(be.Actuator(loose, controller=be.Torque()), be.Inertia(1e-3), 0.3, 1.0),
    }
    for name, case in cases.items():
        assert examine(case).counts == {}, name
    speeds = [step.end_velocity[0] for step in steps_of(cases["swings"])]
    # (1 N·m / Kt · R + 24 V) / Ke
    assert speeds[-1] == pytest.approx((1.0 / 0.03 * 0.3 + 24.0) / 0.03, rel=1e-3)


# --- the run itself


def test_a_case_follows_from_its_seed():
    first, second = (case_at(PLAN, 7) for _ in range(2))
    assert np.array_equal(first.position, second.position) and program(picked(first, (3,))) == program(
        picked(second, (3,))
    )


@pytest.mark.parametrize("index", [3, 4, 5, 8, 9])
def test_a_program_repeats_its_case(index):
    """What is printed of a violation gives the same numbers when it is run."""
    case = next(
        c for k in range(index * 10, 1000) if (c := case_at(PLAN, k)).actuator.delay is None and len(c.shape) == 1
    )
    one = picked(case, (5,))
    last = list(steps_of(one))[-1]
    names: dict = {"print": lambda *shown: None}
    exec(program(one), names)
    assert np.asarray(names["out"].torque).reshape(()) == pytest.approx(float(np.ravel(last.out.torque)[0]), rel=1e-9)


def test_a_violation_is_brought_down_to_the_part_that_causes_it():
    case = next(
        c for k in range(1000)
        if (m := (c := case_at(PLAN, k)).actuator.motor) is not None and m.friction and m.gearbox and m.thermal
        # which cannot do without its supply
        and not isinstance(c.actuator.controller, be.DutyServo)
    )  # fmt: skip

    def violates(other: Case, check: str) -> bool:
        return other.actuator.motor is not None and other.actuator.motor.friction is not None

    small = smallest(case, Violation("any", 0, (0,) * len(case.shape), 2.0), violates).actuator
    assert small.motor.friction is not None
    assert small.motor.gearbox is None and small.motor.thermal is None and small.supply is None and small.limits == ()


def test_a_run_goes_on_where_it_stopped(tmp_path):
    """Pieces that are done count again; a line that was cut off does not."""
    path, kind = tmp_path / "record.jsonl", {"seed": 1}
    record = Record(path, kind)
    record.write(0, Tally(cases=2, inputs=100, balance=1e-12))
    record.write(1, Tally(cases=3, inputs=50, balance=1e-11))
    path.write_text(path.read_text()[:-20])
    again = Record(path, kind)
    assert again.done == {0} and again.total.inputs == 100 and again.total.balance == 1e-12
    assert Record(path, {"seed": 2}).done == set()
    assert "| motor-inputs | 100 |" in table(again.total)
