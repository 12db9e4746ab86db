"""Random motors over the whole valid range, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

import backemf as be


def scale(low: float, high: float):
    """A number whose logarithm is spread evenly between two powers of ten."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


def maybe(strategy):
    return st.none() | strategy


windings = st.builds(
    be.Winding,
    resistance=scale(-3, 3),
    inductance=maybe(scale(-7, 1)),
    temperature_coefficient=st.floats(0.0, 0.01),
    reference_temperature=st.floats(0.0, 40.0),
)
saturations = st.builds(be.Saturation, knee_current=scale(-2, 2), scale=scale(-3, 1), torque=scale(-4, 1))
magnets = st.builds(
    be.Magnet,
    torque_constant=scale(-4, 1),
    back_emf_constant=scale(-4, 1),
    temperature_coefficient=st.floats(-0.01, 0.0),
    iron_loss=maybe(scale(-9, -3)),
    saturation=maybe(saturations),
)
thermals = st.builds(be.Thermal, resistance=scale(-2, 3), capacitance=scale(-2, 4), ambient=st.floats(-40.0, 60.0))
two_nodes = st.builds(
    be.TwoNodeThermal,
    winding_resistance=scale(-2, 3),
    winding_capacitance=scale(-2, 4),
    housing_resistance=scale(-2, 3),
    housing_capacitance=scale(-2, 5),
    ambient=st.floats(-40.0, 60.0),
)
coulombs = st.builds(be.Coulomb, coulomb=scale(-6, 1))
dahls = st.builds(be.Dahl, coulomb=scale(-6, 1), stiffness=scale(-2, 6))


@st.composite
def lugres(draw):
    coulomb = draw(scale(-6, 1))
    return be.LuGre(
        coulomb=coulomb,
        stiction=coulomb * draw(st.floats(1.0, 5.0)),
        stribeck_velocity=draw(scale(-4, 2)),
        stiffness=draw(scale(-2, 6)),
        damping=draw(st.just(0.0) | scale(-6, 2)),
        viscous=draw(st.just(0.0) | scale(-8, 0)),
        stribeck_exponent=draw(maybe(st.floats(0.5, 4.0))),
        damping_exponent=draw(maybe(st.floats(0.5, 4.0))),
    )


shares = st.builds(be.LoadShare, drive=st.floats(0.0, 0.5), back=st.floats(0.0, 0.5))
stribecks = st.builds(
    be.Stribeck,
    velocity=scale(-3, 2),
    exponent=st.floats(0.5, 4.0),
    coulomb=scale(-6, 1),
    load=maybe(shares),
)
quadratics = st.builds(be.QuadraticShare, drive=st.floats(0.0, 0.02), back=st.floats(0.0, 0.02))


@st.composite
def load_dependents(draw):
    stribeck = draw(maybe(stribecks))
    return be.LoadDependent(
        coulomb=draw(scale(-6, 1)),
        viscous=draw(scale(-8, 0)),
        stribeck=stribeck,
        load=draw(maybe(shares)),
        quadratic=None if stribeck is None else draw(maybe(quadratics)),
    )


over_angles = st.builds(be.FrictionOverAngle, per_angle=st.floats(-2.0, 2.0), angle=st.floats(-1.0, 1.0)) | st.builds(
    be.FrictionAngleTable,
    shares=st.lists(st.floats(0.0, 3.0), min_size=2, max_size=5).map(tuple),
    first=st.floats(-2.0, 0.0),
    last=st.floats(0.1, 2.0),
    repeats=st.booleans(),
)
thermistors = st.builds(
    be.Thermistor,
    time_constant=maybe(scale(-3, 2)),
    phase_heat=maybe(
        st.builds(
            be.PhaseHeat,
            pole_pairs=st.floats(1.0, 30.0),
            modulation=st.floats(0.0, 1.0),
            phase=st.floats(-3.0, 3.0),
            exchange=st.just(0.0) | scale(-3, 2),
        )
    ),
)
units = st.builds(
    be.TanhUnit,
    weight=scale(-6, 0) | scale(-6, 0).map(lambda weight: -weight),
    per_position=st.floats(-100.0, 100.0),
    per_velocity=st.floats(-100.0, 100.0),
    per_torque=st.floats(-100.0, 100.0),
    bias=st.floats(-2.0, 2.0),
)
networks = st.builds(
    be.TorqueNetwork,
    units=st.lists(units, min_size=1, max_size=3).map(tuple),
    position=scale(-2, 1),
    velocity=scale(-1, 3),
    torque=scale(-3, 1),
)
stages = st.builds(
    be.Stage,
    ratio=scale(-1, 2) | scale(-1, 2).map(lambda ratio: -ratio),
    efficiency=maybe(st.floats(0.2, 1.0)),
    back_efficiency=maybe(st.floats(0.2, 1.0)),
    inertia=st.just(0.0) | scale(-9, -3),
)


@st.composite
def motors(draw, backlash=True):
    thermal = draw(maybe(thermals | two_nodes))
    limits = None
    if draw(st.booleans()):
        peak, low = draw(scale(-1, 3)), draw(st.floats(0.0, 1.0))
        start = draw(st.floats(30.0, 100.0))
        derating = {}
        if thermal is not None:
            derating["continuous_current"] = peak * max(low, 1e-3)
            derating |= {"derating_start": start, "derating_end": start + draw(scale(-1, 2))}
        limits = be.Limits(peak_current=peak, current_rate=draw(maybe(scale(0, 6))), **derating)
    gearbox = None
    if draw(st.booleans()):
        play = draw(maybe(scale(-5, -1))) if backlash else None
        gearbox = be.Gearbox(stages=tuple(draw(st.lists(stages, min_size=1, max_size=3))), backlash=play)
    friction = draw(maybe(coulombs | dahls | lugres() | load_dependents()))
    return be.Motor(
        winding=draw(windings),
        magnet=draw(magnets),
        rotor=be.Rotor(inertia=draw(scale(-8, -2))),
        thermal=thermal,
        thermistor=None if thermal is None else draw(maybe(thermistors)),
        friction=friction,
        friction_over_angle=None if friction is None else draw(maybe(over_angles)),
        drag=draw(
            maybe(st.lists(scale(-10, -3), min_size=1, max_size=3).map(lambda b: be.Drag(coefficients=tuple(b))))
        ),
        cogging=draw(
            maybe(
                st.lists(
                    st.builds(be.Harmonic, amplitude=scale(-6, 0), periodicity=st.floats(1.0, 100.0)),
                    min_size=1,
                    max_size=3,
                ).map(lambda harmonics: be.Cogging(harmonics=tuple(harmonics)))
            )
        ),
        network=draw(maybe(networks)),
        gearbox=gearbox,
        limits=limits,
    )


@st.composite
def duty_tables(draw):
    rises = draw(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=4))
    full = draw(st.floats(0.3, 0.99)) / sum(rises)
    return be.DutyTable(shares=tuple(full * sum(rises[: k + 1]) for k in range(len(rises))))


supplies = st.builds(
    be.Supply,
    voltage=scale(0, 2.7),
    resistance=maybe(scale(-4, 0)),
    modulation_limit=st.floats(0.1, 1.0),
    curve=maybe(st.builds(be.DutyCurve, saturation=st.floats(0.0, 5.0)) | duty_tables()),
    regeneration=st.booleans(),
)
springs = st.builds(
    be.JointSpring, stiffness=st.just(0.0) | scale(-3, 4), rest_angle=st.floats(-1.0, 1.0), offset=st.floats(-1.0, 1.0)
)


@st.composite
def actuators(draw, backlash=True):
    return be.Actuator(draw(motors(backlash=backlash)), draw(maybe(supplies)), spring=draw(maybe(springs)))


steps = scale(-6, 0)
"""Every step from a microsecond to a second."""


def coupled(laws, kind, state, command, position, velocity, dt, torque, inertia, damping):
    """State, velocity at the end and output of a step together with a load, by the laws of an engine."""
    state, out = laws.coupled(kind, state, command, position, velocity, dt, torque, inertia, load_damping=damping)
    return state, out.joint_velocity, out
