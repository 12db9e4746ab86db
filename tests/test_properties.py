"""What holds for every motor, every input and every step: 5,000 each of any parameters, shrunk where they fail.

The property run tries millions of motors with every controller, limit and supply: `tests/test_property_run.py`.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

from hypothesis import strategies as st
from long import holds_for
from motors import actuators, scale, steps

import backemf as be
from backemf.actuator.compiled import laws
from backemf.rollout import advance, rest
from backemf.tree import map_numbers

python = laws("python")
FEW, MANY = 150, 5000
"""Examples of each property in `make test` and in `make test-long`."""

speeds = st.just(0.0) | scale(-4, 2.5) | scale(-4, 2.5).map(lambda w: -w)
volts = st.just(0.0) | st.floats(-500.0, 500.0)
loadings = (
    st.builds(be.Inertia, inertia=scale(-6, 1), damping=st.just(0.0) | scale(-6, 0))
    | st.builds(be.Pendulum, mass=scale(-2, 1), length=scale(-1, 0))
    | st.builds(be.Fan, coefficient=scale(-7, -2), inertia=scale(-6, 0))
    | st.builds(be.ConstantTorque, torque=st.floats(-10.0, 10.0), inertia=scale(-6, 1))
    | st.builds(
        be.TwoMass,
        inertia=scale(-6, 1),
        far_inertia=scale(-6, 1),
        stiffness=scale(-1, 5),
        damping=st.just(0.0) | scale(-4, 1),
        backlash=st.just(0.0) | scale(-4, -1),
    )
)


def everything_finite(*parts) -> None:
    for part in parts:
        for entry in fields(part):
            value = getattr(part, entry.name)
            if value is not None:
                assert math.isfinite(value), (entry.name, value)


def balance(out) -> tuple[float, float]:
    """What is left over of the power balance, and the size of the powers in it [W]."""
    names = ("copper", "magnetic", "conversion", "iron", "drag", "friction", "bristle", "gear", "rotor", "mechanical")
    gone = [getattr(out, f"{name}_power") for name in names]
    gone += [] if out.spring_power is None else [out.spring_power]
    given_ = [out.electrical_power, out.cogging_power, out.numerical_power]
    return sum(given_) - sum(gone), sum(map(abs, gone + given_))


def circuit_size(actuator, before, state, out, dt) -> float:
    """Powers of which the field's share is a small difference: L·i²/dt and v·i, whose rounding it inherits [W]."""
    if actuator.motor.winding.inductance == 0.0:
        return 0.0
    steady = abs(out.voltage - out.back_emf) / actuator.motor.winding.resistance
    largest = max(abs(before.current), abs(state.current), steady)
    stored = actuator.motor.winding.inductance * largest**2 / dt
    return stored + (abs(out.voltage) + abs(out.back_emf)) * largest


def as_floats(here):
    """The same place in plain floats, as the python engine wants it."""
    return map_numbers(here, float)


def stays_warm(actuator, state) -> None:
    for rise in (state.winding_rise, state.housing_rise):
        if rise is not None:
            # heat never flows uphill: no part is colder than its surroundings
            assert rise >= -1e-9


@holds_for(
    actuators(backlash=False),
    steps,
    st.lists(st.tuples(volts, speeds), min_size=1, max_size=4),
    st.booleans(),
    few=FEW,
    many=MANY,
)
def test_a_held_joint_gives_finite_balanced_dissipative_steps(actuator, dt, inputs, known):
    """Of a joint that is moved: all values finite, powers add up to rounding, friction and gears only take energy."""
    step = actuator.compile("python")
    known = known or isinstance(actuator.motor.friction, be.LoadDependent)
    load = {"load_torque": 0.1, "load_inertia": 1e-3} if known else {}
    state, position = step.initial(), 0.3
    for command, speed in inputs:
        before = state
        state, out = step(state, command, position, speed, dt, **load)
        everything_finite(state, out)
        rest_of_it, size = balance(out)
        assert abs(rest_of_it) <= 1e-9 * (size + circuit_size(actuator, before, state, out, dt)) + 1e-12
        stays_warm(actuator, state)
        assert out.copper_power >= 0 and out.iron_power >= 0 and out.drag_power >= -1e-12 * size
        # friction works at the speed that is left of what the torque alone would reach, so its rounding is that of both
        reached = (0.1 + abs(out.torque)) * dt / (1e-3 + actuator.motor.reflected_inertia) + abs(speed)
        rounding = 1e-14 * (0.1 + abs(out.torque)) * reached + 1e-15
        assert out.friction_power >= -1e-9 * (abs(out.bristle_power) + abs(out.friction_power)) - rounding
        assert out.gear_power >= -1e-9 * size - rounding


@holds_for(actuators(), loadings, steps, volts, st.floats(-50.0, 50.0), few=FEW, many=MANY)
def test_a_moving_load_gives_finite_balanced_dissipative_steps(actuator, load, dt, command, velocity):
    """With a load: all values finite at any dt, powers add up, friction and gears only take energy."""
    here = as_floats(rest(actuator, load, (), 0.2, velocity))
    for k in range(4):
        before = here.state
        here, out = advance(python, actuator, load, here, command if k < 3 else 0.0, None, dt)
        everything_finite(here.state, out)
        assert math.isfinite(here.position) and math.isfinite(here.velocity) and math.isfinite(out.load_torque)
        rest_of_it, size = balance(out)
        assert abs(rest_of_it) <= 1e-9 * (size + circuit_size(actuator, before, here.state, out, dt)) + 1e-12
        stays_warm(actuator, here.state)
        # friction works at the speed that is left of what the torques alone would reach: the rounding is that of J·w/dt
        momentum = 1e-12 * (10.0 + actuator.motor.reflected_inertia) * max(abs(velocity), abs(here.velocity)) / dt
        rounding = 1e-9 * (abs(out.bristle_power) + abs(out.friction_power)) + momentum * abs(here.velocity)
        assert out.friction_power >= -rounding - 1e-12
        if here.state.gap is None:
            assert out.gear_power >= -rounding - 1e-12


@holds_for(actuators(), scale(-6, 1), steps, st.floats(-50.0, 50.0), few=FEW, many=MANY)
def test_a_shorted_motor_left_alone_never_gains_energy(actuator, inertia, dt, velocity):
    """No voltage, no load torque: kinetic, magnetic and bristle energy together only fall, whatever the step.

    Cogging and a network may push: their work is counted, and they are left out here.
    """
    motor = actuator.motor
    one_constant = replace(motor.magnet, back_emf_constant=motor.magnet.torque_constant, saturation=None)
    motor = replace(motor, magnet=one_constant, cogging=None, network=None, limits=None)
    actuator, load = be.Actuator(motor), be.Inertia(inertia=inertia)
    here = as_floats(rest(actuator, load, (), 0.0, velocity))

    def energy(here) -> float:
        rotor = here.velocity * motor.ratio if here.state.rotor_speed is None else here.state.rotor_speed
        total = 0.5 * inertia * here.velocity**2 + 0.5 * motor.inertia * rotor**2
        if here.state.current is not None:
            total += 0.5 * motor.winding.inductance * here.state.current**2
        if here.state.bristle is not None:
            total += 0.5 * motor.friction.stiffness * here.state.bristle**2
        return total

    for _ in range(6):
        before = energy(here)
        here, _ = advance(python, actuator, load, here, 0.0, None, dt)
        assert energy(here) <= before * (1 + 1e-9) + 1e-18
