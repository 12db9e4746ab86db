"""Bad input of the nodes: the document's sentence where there is one, else one that names node, field and value."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rig import CONSTANTS, DT, motor, node_graph

import backemf as be
from backemf import ParameterError
from backemf.sims.mime import FullMotorNode, MotorNode

MOTOR = be.Motor(
    winding=be.Winding(resistance=2.0),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-4),
)
INPUTS = ("commanded_torque", "commanded_voltage", "commanded_velocity", "load_torque", "mode")


@pytest.mark.parametrize("name", [*CONSTANTS, "ke_v_s_per_rad", "velocity_kp", "velocity_ki"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, np.float32(-1.0), jnp.array(-1.0), np.array([1.0, -1.0])])
def test_constants_that_cannot_be_are_refused(name: str, value):
    """NaN, infinity and negative numbers, of Python, NumPy or JAX."""
    with pytest.raises(ParameterError, match=rf"^MotorNode 'motor': {name} = .*must be a finite number"):
        motor(**{name: value})


def test_the_documents_own_sentences():
    """A wrong length of axis or tool is told in the document's words."""
    with pytest.raises(ValueError, match=r"^axis_in_parent_frame must be length 3, got 2$"):
        motor(axis_in_parent_frame=(0.0, 1.0))
    with pytest.raises(ValueError, match=r"^tool_offset_in_rotor_frame must be length 7 \(x,y,z,qw,qx,qy,qz\), got 3$"):
        motor(tool_offset_in_rotor_frame=(0.0, 0.0, 0.1))


@pytest.mark.parametrize("axis", [(0.0, 0.0, 0.0), (math.nan, 0.0, 1.0), (0.0, math.inf, 0.0), ("a", "b", "c")])
def test_an_axis_points_somewhere(axis):
    """No direction, no axis."""
    with pytest.raises(ParameterError, match=r"^MotorNode 'motor': axis_in_parent_frame = .*must"):
        motor(axis_in_parent_frame=axis)


def test_a_tool_has_a_quaternion():
    """Seven zeros are no pose."""
    with pytest.raises(ParameterError, match="a quaternion is never 0"):
        motor(tool_offset_in_rotor_frame=(0.0,) * 7)


@pytest.mark.parametrize("timestep", [0.0, -1e-3, math.nan, math.inf, "fast", None, True])
def test_a_step_has_to_last(timestep):
    """Both nodes refuse a step that is no positive number of seconds."""
    with pytest.raises(ParameterError, match=r"^MotorNode 'm': timestep = .*must be a positive number of seconds"):
        MotorNode("m", timestep, **CONSTANTS)
    with pytest.raises(ParameterError, match=r"^FullMotorNode 'm': timestep = .*must be a positive number of seconds"):
        FullMotorNode("m", timestep, MOTOR)


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_node_has_a_name(name):
    """A name is a text."""
    with pytest.raises(ParameterError, match=r"name = .*must be a text"):
        MotorNode(name, DT, **CONSTANTS)


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("value", [math.nan, math.inf, "fast", {}, [1.0], jnp.array(math.nan)])
def test_inputs_that_are_no_numbers_are_refused(name: str, value):
    """What is known now is looked at, in both nodes."""
    for node in (motor(), FullMotorNode("motor", DT, MOTOR)):
        with pytest.raises(ParameterError, match=rf"Node 'motor': {name} = .*must be"):
            node.update(node.initial_state(), {name: value}, DT)


def test_an_input_that_is_not_there_is_named():
    """A misspelt input of an edge is found when the graph is compiled, and not lost."""
    graph = node_graph(motor(), "comanded_torque")
    with pytest.raises(
        ParameterError, match="there is no boundary input 'comanded_torque': there are commanded_torque"
    ):
        graph.step({"motor": {"comanded_torque": 1.0}})


def test_inputs_have_to_fit():
    """Three torques for one motor, and a parent pose of six numbers."""
    node = motor()
    with pytest.raises(ParameterError, match=r"commanded_torque has the shape \(3,\), which does not fit the batch"):
        node.update(node.initial_state(), {"commanded_torque": jnp.zeros(3)}, DT)
    with pytest.raises(ParameterError, match="parent must be 7 numbers"):
        node.compute_boundary_fluxes(node.initial_state(), {"parent_pose_world": jnp.zeros(6)}, DT)


def test_a_state_has_to_be_whole():
    """A sweep that leaves states out is told which there are."""
    node = motor()
    with pytest.raises(
        ParameterError, match="its states are angle, angular_velocity, current, velocity_integral_error"
    ):
        node.update({"angle": jnp.array(0.0)}, {}, DT)


def test_a_run_that_left_the_numbers_is_found():
    """Inside a compiled graph nothing can be raised; afterwards `check` says which state it was."""
    node = motor()
    graph = node_graph(node, "load_torque")
    state = graph.step({"motor": {"load_torque": jnp.array(math.nan)}})["motor"]
    with pytest.raises(ParameterError, match="MotorNode 'motor': angle is not finite: look at its boundary"):
        node.check(state)


def test_traced_numbers_pass():
    """What is being traced is not looked at: a bad number comes out as one."""

    def speed(inertia):
        node = MotorNode("m", DT, inertia, 0.05, 2.0, 1e-3, 0.01)
        return node.update(node.initial_state(), {"commanded_torque": 0.02}, DT)["angular_velocity"]

    assert np.isnan(jax.jit(speed)(math.nan))
    assert np.isfinite(jax.jit(speed)(1e-4))


# --- the full motor


@pytest.mark.parametrize("inertia", [math.nan, math.inf, -1e-4, "1", None, jnp.array(-1.0)])
def test_a_load_has_an_inertia(inertia):
    """NaN, infinity, negative numbers and no numbers."""
    with pytest.raises(ParameterError, match=r"^FullMotorNode 'm': load_inertia_kg_m2 = .*must be a finite number"):
        FullMotorNode("m", DT, MOTOR, inertia)


def test_something_has_to_turn():
    """A motor without a rotor needs a load with inertia."""
    weightless = be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet)
    with pytest.raises(ParameterError, match=r"nothing turns: give Motor\.rotor, or load_inertia_kg_m2 above 0"):
        FullMotorNode("m", DT, weightless)


def test_play_needs_a_load():
    """The rotor has to hit something."""
    gears = be.Gearbox(stages=(be.Stage(ratio=5.0),), backlash=0.01)
    loose = be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet, rotor=MOTOR.rotor, gearbox=gears)
    with pytest.raises(ParameterError, match="backlash needs something that the gears can hit"):
        FullMotorNode("m", DT, loose)


@pytest.mark.parametrize(
    ("actuator", "sentence"),
    [
        ("motor", "actuator = str: must be a Motor, or an Actuator with one"),
        (be.Actuator(), "actuator = Actuator: must be a Motor, or an Actuator with one"),
        (be.Actuator(MOTOR), "controller is a Voltage: give it a ModeSelector"),
        (be.Actuator(MOTOR, controller=be.ModeSelector()), r"ModeSelector\.velocity is None"),
    ],
)
def test_an_actuator_follows_all_three_commands(actuator, sentence: str):
    """A motor, or an actuator that selects among torque, voltage and velocity."""
    with pytest.raises(ParameterError, match=sentence):
        FullMotorNode("m", DT, actuator)


@pytest.mark.parametrize("name", ["velocity_kp", "velocity_ki"])
@pytest.mark.parametrize("value", [math.nan, -1.0])
def test_gains_are_finite_and_not_negative(name: str, value: float):
    """Under their documented names."""
    with pytest.raises(ParameterError, match=rf"^FullMotorNode 'm': {name} = {value:g}: must be a finite number"):
        FullMotorNode("m", DT, MOTOR, **{name: value})
