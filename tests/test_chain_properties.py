"""What holds for every controller, delay, limit and motor at every step: thousands of random ones."""

from __future__ import annotations

import math
from dataclasses import fields

from hypothesis import strategies as st
from long import holds_for
from motors import maybe, motors, scale, steps, supplies

import backemf as be
from backemf.actuator.compiled import laws
from backemf.actuator.torque_limits import tightest
from backemf.parts import without_neutral

python = laws("python")
FEW, MANY = 100, 1000
"""Examples of each property in `make test` and in `make test-long`."""

gain = st.just(0.0) | scale(-3, 4)
signed = st.just(0.0) | scale(-4, 3) | scale(-4, 3).map(lambda x: -x)
integrals = {"ki": scale(-3, 4), "freeze_at_limit": st.booleans()}
torque_limits = (
    st.builds(be.DcClip, saturation_effort=scale(-3, 3), velocity_limit=scale(-2, 3), effort_limit=scale(-3, 3))
    | st.builds(be.EffortLimit, effort_limit=scale(-3, 3))
    | st.builds(
        be.DriveEnvelope,
        max_effort=scale(-3, 3),
        max_actuator_velocity=scale(-2, 3),
        velocity_dependent_resistance=gain,
        speed_effort_gradient=gain,
    )
    | st.just(be.TorqueSpeedTable(speed=[0.0, 5.0, 20.0], driving=[3.0, 2.0, 0.0], braking=[3.0, 4.0, 4.0]))
    | st.just(be.AngleTable(angle=[-1.0, 0.0, 2.0], effort=[1.0, 5.0, 0.5]))
)
delays = (
    st.builds(be.Delay, steps=st.integers(0, 5))
    | st.builds(be.Delay, steps=st.floats(0.0, 5.0))
    | st.builds(be.Delay, steps=st.just((1, 4)), schedule=st.sampled_from(["constant", "episode", "step", "mjlab"]))
)


@st.composite
def torque_controllers(draw, loop):
    band = {"current_bandwidth": draw(maybe(scale(0, 6)))} if loop else {}
    kind = draw(st.sampled_from(["pid", "velocity", "pd", "torque"]))
    if kind == "pd":
        return be.IdealPd(stiffness=draw(gain), damping=draw(gain), **band)
    if kind == "torque":
        return be.Torque(**band)
    follows = "velocity" if kind == "velocity" else "position"
    return be.TorquePid(kp=draw(gain), ki=draw(gain), kd=draw(gain), follows=follows, **band)


@st.composite
def volt_controllers(draw):
    kind = draw(st.sampled_from([be.PositionPid, be.VelocityPi, be.DutyServo, be.Voltage, be.ModeSelector]))
    if kind is be.Voltage:
        return be.Voltage()
    if kind is be.ModeSelector:
        return be.ModeSelector(velocity=draw(st.builds(be.VelocityPi, kp=gain, **integrals)))
    rates = {} if kind is be.VelocityPi else {"kd": draw(gain)}
    ki = draw(gain)
    return kind(kp=draw(gain), ki=ki, freeze_at_limit=bool(ki) and draw(st.booleans()), **rates)


@st.composite
def controlled_actuators(draw, motor):
    parts = {
        "delay": draw(maybe(delays)),
        "limits": tuple(draw(st.lists(torque_limits, max_size=2))),
        "slew": draw(maybe(scale(-2, 3))),
        "command_range": draw(st.just(None) | st.just((-2.0, 3.0))),
        "substeps": draw(st.sampled_from([1, 1, 3])),
    }
    if not motor:
        friction = draw(maybe(st.builds(be.TanhFriction, coulomb=scale(-3, 1), activation_speed=scale(-3, 0))))
        return be.Actuator(controller=draw(torque_controllers(False)), friction=friction, **parts)
    supply, controller = draw(supplies), draw(volt_controllers() | torque_controllers(True))
    limit = draw(maybe(scale(-1, 2.5)))
    return be.Actuator(draw(motors(backlash=False)), supply, controller=controller, voltage_limit=limit, **parts)


def everything_finite(part) -> None:
    for entry in fields(part):
        value = getattr(part, entry.name)
        for x in value if isinstance(value, tuple) else (value,):
            assert x is None or math.isfinite(x), (entry.name, value)


def run(actuator, command, positions, speeds, dt):
    step = actuator.compile("python")
    state = step.initial()
    for position, speed in zip(positions, speeds, strict=True):
        before = state
        state, out = step(state, command, position, speed, dt, 0.1, 1e-3)
        everything_finite(state)
        everything_finite(out)
        yield before, state, out


three = st.lists(signed, min_size=3, max_size=3)


@holds_for(controlled_actuators(motor=False), signed, three, three, steps, few=FEW, many=MANY)
def test_a_joint_without_a_motor_stays_finite_and_within_its_limits(actuator, command, positions, speeds, dt):
    """Whatever is asked, the torque is a number between the bounds of all limits."""
    for (_, _, out), position, speed in zip(
        run(actuator, command, positions, speeds, dt), positions, speeds, strict=True
    ):
        if actuator.limits and actuator.friction is None and actuator.substeps == 1:
            low, high = tightest(actuator.limits, position, speed)
            slack = 1e-9 * max(abs(low), abs(high), 1.0)
            assert low - slack <= out.torque <= high + slack


@holds_for(controlled_actuators(motor=True), signed, three, three, steps, few=FEW, many=MANY)
def test_a_controlled_motor_stays_finite_and_counts_its_energy(actuator, command, positions, speeds, dt):
    """Whatever is asked, everything is a finite number, and the meter is the sum of electrical power times time."""
    for before, after, out in run(actuator, command, positions, speeds, dt):
        rise = after.energy - before.energy
        size = max(abs(after.energy), abs(before.energy), abs(out.electrical_power * dt))
        assert abs(rise - out.electrical_power * dt) <= 1e-9 * size


@holds_for(controlled_actuators(motor=True), three, three, steps, few=FEW, many=MANY)
def test_a_command_that_is_no_number_leaves_finite_numbers(actuator, positions, speeds, dt):
    """NaN and infinities in a batch of one are flagged, and nothing of them gets into state or output."""
    state = actuator.compile("python").initial()
    for bad, position, speed in zip((math.nan, math.inf, -math.inf), positions, speeds, strict=True):
        state, out = python.held(without_neutral(actuator), state, bad, position, speed, dt, 0.1, 1e-3)
        everything_finite(state)
        everything_finite(out)
        assert "invalid command" in be.limit_names(out.limit)
