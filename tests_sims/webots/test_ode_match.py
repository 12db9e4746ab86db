"""Our law of Webots' motors and joints is ODE's: positions to 1e-5 rad, torques to 1e-4 N·m, step by step."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from reference import Reference

from backemf.sims.webots import CompiledWebots, WebotsJoint, WebotsMotor

INF = math.inf


@dataclass(frozen=True)
class Scenario:
    """A motor, its joint, what is commanded at which step, and what else pulls."""

    motor: dict[str, Any] = field(default_factory=dict)
    joint: dict[str, Any] = field(default_factory=dict)
    inertia: float = 0.02
    dt: float = 0.032
    commands: dict[int, dict[str, float]] = field(default_factory=dict)
    load: float = 0.0
    steps: int = 120


HINGE = {
    "position control": Scenario(commands={0: {"position": 1.0}}),
    "every gain and limit": Scenario(
        motor={"acceleration": 5.0, "control_p": 15.0, "control_i": 5.0, "control_d": 1.0, "max_velocity": 20.0},
        commands={1: {"position": 1.5}, 60: {"position": -0.5}},
    ),
    "weak motor against a load": Scenario(
        motor={"max_torque": 0.4, "control_i": 2.0}, load=0.35, commands={0: {"position": 0.8}}, steps=200
    ),
    "too weak to hold": Scenario(motor={"max_torque": 0.2}, load=0.5, commands={0: {"position": 0.8}}, steps=60),
    "velocity control": Scenario(
        motor={"max_torque": 0.3}, commands={0: {"position": INF, "velocity": 6.0}, 50: {"velocity": -4.0}}
    ),
    "many turns": Scenario(commands={0: {"position": -INF, "velocity": 9.0}}, dt=0.008, steps=600),
    "torque control": Scenario(commands={0: {"torque": 0.05}, 40: {"torque": -0.2}}),
    "torque against static friction": Scenario(
        joint={"static_friction": 0.1}, commands={0: {"torque": 0.08}, 30: {"torque": 0.15}, 70: {"torque": 0.02}}
    ),
    "static friction above the motor": Scenario(
        motor={"max_torque": 0.1}, joint={"static_friction": 0.4}, load=0.3, commands={0: {"position": 0.5}}
    ),
    "damper": Scenario(joint={"damping_constant": 0.3}, motor={"max_torque": 1.0}, commands={0: {"position": 2.0}}),
    "brake and torque": Scenario(joint={"brake": 0.5}, commands={0: {"torque": 1.5}}),
    "spring": Scenario(
        joint={"spring_constant": 2.0, "damping_constant": 0.05, "position": 0.4}, commands={0: {"torque": 0.1}}
    ),
    "spring and position control": Scenario(
        joint={"spring_constant": 1.0, "position": -0.2},
        motor={"max_torque": 0.9, "control_i": 1.0},
        commands={0: {"position": 0.5}},
    ),
    "available torque falls": Scenario(
        load=0.3, commands={0: {"position": 0.5}, 30: {"available": 0.1}, 60: {"available": 50.0}}
    ),
    "no torque available": Scenario(
        commands={0: {"position": INF, "velocity": 5.0}, 40: {"available": 0.0}, 80: {"available": 2.0}}
    ),
    "modes in turn": Scenario(
        motor={"acceleration": 20.0, "control_i": 1.0, "control_d": 0.05},
        joint={"damping_constant": 0.02},
        commands={
            0: {"position": 0.7},
            30: {"torque": 0.1},
            50: {"position": INF, "velocity": -3.0},
            80: {"position": 0.2, "velocity": 2.0},
        },
    ),
    "multiplier and soft limits": Scenario(
        motor={"multiplier": -2.0, "min_position": -0.6, "max_position": 0.6},
        commands={0: {"position": 5.0, "velocity": 1.0}, 60: {"position": -0.1}},
    ),
    "a soft engine": Scenario(joint={"cfm": 0.02}, load=2.0, commands={0: {"position": 1.0}}),
    "into a hard stop": Scenario(
        joint={"min_stop": -0.5, "max_stop": 0.3},
        commands={0: {"position": 1.0}, 40: {"position": -1.0}, 80: {"position": INF, "velocity": 0.0}},
    ),
    "a torque into a soft stop": Scenario(
        joint={"min_stop": -0.5, "max_stop": 0.3, "stop_cfm": 0.05, "stop_erp": 0.6, "static_friction": 0.02},
        commands={0: {"torque": -0.3}, 60: {"torque": 0.4}},
    ),
}
SLIDER = {
    f"slider, {name}": replace(scenario, joint={**scenario.joint, "kind": "slider"})
    for name, scenario in HINGE.items()
    if name
    in ("every gain and limit", "weak motor against a load", "velocity control", "torque against static friction",
        "damper", "spring", "modes in turn", "into a hard stop")
}  # fmt: skip
SCENARIOS = {**HINGE, **SLIDER}


@pytest.mark.parametrize("engine", ["numpy", "python", "jax"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_law_is_odes(name: str, engine: str) -> None:
    """Position, velocity and torque feedback are those of Webots' control in front of ODE at every step."""
    s = SCENARIOS[name]
    kind = "linear" if s.joint.get("kind") == "slider" else "rotational"
    motor, joint = WebotsMotor(kind=kind, **s.motor), WebotsJoint(**s.joint)
    theirs, ours = Reference(motor, joint, s.inertia, s.dt), CompiledWebots(motor, joint, engine)
    state = ours.initial()
    for step in range(s.steps if engine != "jax" else 25):
        calls = s.commands.get(step, {})
        theirs.command(**calls)
        theirs.step(s.load)
        state = ours.command(state, **calls)
        state, feedback = ours(state, s.inertia, s.load, s.dt)
        single = engine == "jax"
        assert float(state.joint.position) == pytest.approx(theirs.ode.position, abs=1e-5), step
        assert float(state.joint.velocity) == pytest.approx(theirs.ode.velocity, abs=1e-4 if single else 1e-6), step
        assert float(feedback) == pytest.approx(theirs.ode.torque, abs=1e-4), step
    theirs.ode.close()


def test_the_scenarios_move() -> None:
    """Each scenario turns its joint, so that agreement means something."""
    still = []
    for name, s in SCENARIOS.items():
        theirs = Reference(WebotsMotor(**s.motor), WebotsJoint(**s.joint), s.inertia, s.dt)
        start = theirs.ode.position
        reached = 0.0
        for step in range(s.steps):
            theirs.command(**s.commands.get(step, {}))
            theirs.step(s.load)
            reached = max(reached, abs(theirs.ode.position - start))
        theirs.ode.close()
        if reached < 0.01:
            still.append(name)
    assert not still
