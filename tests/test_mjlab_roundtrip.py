"""What is read from a configuration of mjlab is written again as the same actuator, whatever its numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf.sims import mjlab
from backemf.sims.mjlab.kinds import CLASSES
from backemf.sims.on_joint import OnJoint

positive = st.floats(1e-3, 1e3)
least = st.just(0.0) | positive
"""A number of 0 or more."""


def some(**fields: st.SearchStrategy) -> st.SearchStrategy:
    """Some of these fields, each with a value."""
    return st.fixed_dictionaries({}, optional=fields)


JOINT = some(armature=least, frictionloss=least, viscous_damping=least)
LAGS = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(sorted)
DELAY = st.just({}) | st.fixed_dictionaries(
    {"lags": LAGS},
    optional={
        "delay_hold_prob": st.floats(0.0, 1.0),
        "delay_update_period": st.integers(0, 5),
        "delay_per_env_phase": st.booleans(),
    },
)
GAINS = {"stiffness": positive, "damping": least}
LINE = {"effort_limit": positive, "saturation_effort": positive, "velocity_limit": positive}
PARAMS = st.builds("DcMotorPhysicalParams(kt={!r}, ke={!r}, resistance={!r})".format, positive, positive, positive)
PARTS = {
    "inductance": positive,
    "effort_limit": positive,
    "slew_rate": positive,
    "thermal": st.tuples(positive, positive, st.just(0.0), st.floats(0.0, 0.01), st.just(25.0), st.just(20.0)),
    "cogging": st.tuples(positive, st.just(7.0), st.floats(-3.0, 3.0)),
    "lugre": st.tuples(positive, least, positive, positive, positive).map(
        lambda x: (x[0], x[1], min(x[2:4]), max(x[2:4]), x[4])
    ),
}
LOOP = {"motor_params": PARAMS, "stiffness": positive, "voltage_limit": positive}
KINDS = {
    "ideal_pd": (GAINS, {"effort_limit": positive}),
    "dc_motor": (GAINS | LINE, {}),
    "builtin_pd": (GAINS, {"effort_limit": positive}),
    "builtin_position": (GAINS, {"effort_limit": positive}),
    "builtin_velocity": ({"damping": positive}, {"effort_limit": positive}),
    "builtin_motor": ({"effort_limit": positive}, {}),
    "builtin_dc_motor, voltage": (
        {"motor_params": PARAMS, "mode": st.just("DcMotorInputMode.VOLTAGE")},
        PARTS | {"gear": st.sampled_from([1.0, 6.5])},
    ),
    "builtin_dc_motor, position": (LOOP, PARTS | {"damping": least, "integral_gain": positive}),
    "builtin_dc_motor, velocity": (
        LOOP | {"mode": st.just("DcMotorInputMode.VELOCITY")},
        PARTS | {"integral_gain": positive},
    ),
}
"""Fields that each kind needs, and those that it may have."""


def text_of(kind: str, fields: dict) -> str:
    lags = fields.pop("lags", None)
    if lags is not None:
        fields |= {"delay_min_lag": lags[0], "delay_max_lag": lags[1]}
    shown = ", ".join(f"{name}={value if isinstance(value, str) else repr(value)}" for name, value in fields.items())
    return f'import mjlab\n\nactuator = {CLASSES[kind]}(target_names_expr=("knee",), {shown})\n'


def torques(found: OnJoint) -> np.ndarray:
    """Along a random motion, all targets commanded that it listens to [N·m]."""
    law, draw = found.law(), np.random.default_rng(3)
    state, rows = law.initial(()), []
    for _ in range(12):
        targets = {name: draw.uniform(-2.0, 2.0) for name in ("position", "velocity", "effort", "voltage")}
        told = be.Command(**{name: targets[name] for name in found.actuator.controller.inputs})
        state, torque = law.step(state, told, draw.uniform(-1.0, 1.0), draw.uniform(-9.0, 9.0), 2e-3)
        rows.append(float(torque))
    return np.array(rows)


@pytest.mark.parametrize("case", KINDS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_what_is_read_is_written_as_the_same_actuator(case: str, data: st.DataObject):
    """The same torques, joint and delay; and the text that is written is then written again to the letter."""
    kind = case.split(",")[0]
    must, may = KINDS[case]
    fields = data.draw(st.fixed_dictionaries(must, optional=may))
    fields |= data.draw(JOINT) | data.draw(DELAY)
    first = mjlab.read_actuator(text_of(kind, fields))
    text = mjlab.write(first, ("knee",), kind, supply=fields.get("voltage_limit")).text
    second = mjlab.read_actuator(text)
    for name in ("armature", "coulomb", "viscous"):
        assert getattr(second, name) == getattr(first, name), name
    assert second.actuator.delay == first.actuator.delay
    if kind != "builtin_dc_motor":
        assert second.actuator == first.actuator
    ours, again = torques(first), torques(second)
    assert again == pytest.approx(ours, rel=1e-6, abs=1e-6 * max(float(np.abs(ours).max()), 1e-6))
    third = mjlab.read_actuator(mjlab.write(second, ("knee",), kind, supply=fields.get("voltage_limit")).text)
    assert third == second
