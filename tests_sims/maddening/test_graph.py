"""`MotorNode` in real graphs: loads, riders, scans, sweeps of 4096 motors, gradients, and what nobody reads."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from maddening.core.graph_manager import GraphManager
from rig import DT, KT, Arm, B, Brake, J, R, Rider, brake_graph, motor, node_graph

from backemf.sims import mime


def test_motor_and_brake_settle_where_theory_says(x64):
    """Under 5 V against a brake c, w = V·kt/(kt·ke + R·(b + c)), and the brake's torque is -c·w."""
    graph = brake_graph(motor(), 0.02, "commanded_voltage")
    state = graph.run_scan(2000, {"motor": {"commanded_voltage": 5.0}})
    speed = 5.0 * KT / (KT * KT + R * (B + 0.02))
    assert float(state["motor"]["angular_velocity"]) == pytest.approx(speed, rel=1e-9)
    assert float(state["brake"]["torque"]) == pytest.approx(-0.02 * speed, rel=1e-9)


def test_loads_add_up(x64):
    """Two brakes on additive edges act together."""
    graph = brake_graph(motor(), 0.02, "commanded_torque")
    graph.add_node(Brake("second", DT, 0.03))
    graph.add_edge("motor", "second", "angular_velocity", "speed")
    graph.add_edge("second", "motor", "torque", "load_torque", additive=True)
    state = graph.run_scan(2000, {"motor": {"commanded_torque": 0.06}})
    assert float(state["motor"]["angular_velocity"]) == pytest.approx(0.06 / (B + 0.05), rel=1e-9)


def test_a_coupling_group_iterates_over_the_motor(x64):
    """Solved together in each step, motor and brake settle at the same speed."""
    graph = brake_graph(motor(), 0.02, "commanded_torque")
    graph.add_coupling_group(["motor", "brake"], max_iterations=20, tolerance=1e-12)
    state = graph.run_scan(1000, {"motor": {"commanded_torque": 0.06}})
    assert float(state["motor"]["angular_velocity"]) == pytest.approx(0.06 / (B + 0.02), rel=1e-9)


def test_an_arm_carries_the_motor_and_a_rider_sees_its_tool():
    """Parent poses come in by an edge, and the flux of the pose goes out by one."""
    tool = (0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    node = motor(tool_offset_in_rotor_frame=tool)
    graph = node_graph(node, "commanded_torque")
    graph.add_node(Arm("arm", DT))
    graph.add_node(Rider("rider", DT))
    graph.add_edge("arm", "motor", "pose", "parent_pose_world")
    graph.add_edge("motor", "rider", "rotor_pose_world", "pose")
    graph.add_edge("motor", "rider", "rotor_angle", "angle")
    for _ in range(50):
        state = graph.step({"motor": {"commanded_torque": 0.05}})
    angle = state["motor"]["angle"]
    assert float(angle) > 0.1
    assert float(state["rider"]["angle"]) == float(angle)
    want = mime.compose_pose(state["arm"]["pose"], (0.0, 0.0, 1.0), angle, tool)
    np.testing.assert_allclose(state["rider"]["pose"], want, atol=1e-6)


def test_pose_goes_back_through_a_transform():
    """An edge against the order of the graph cannot read a flux; from the angle with `node.pose` it can."""
    node = motor(tool_offset_in_rotor_frame=(0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    graph = GraphManager()
    graph.add_node(Rider("rider", DT))
    graph.add_node(node)
    graph.add_external_input("motor", "commanded_torque")
    graph.add_edge("rider", "motor", "angle", "load_torque", transform=lambda angle: -0.01 * angle)
    graph.add_edge("motor", "rider", "angle", "angle")
    graph.add_edge("motor", "rider", "angle", "pose", transform=node.pose)
    before = graph.step({"motor": {"commanded_torque": 0.05}})["motor"]["angle"]
    state = graph.step({"motor": {"commanded_torque": 0.05}})
    known = (float(before), float(state["motor"]["angle"]))
    assert float(state["rider"]["angle"]) in known
    np.testing.assert_allclose(state["rider"]["pose"], node.pose(state["rider"]["angle"]), atol=1e-6)


def test_step_without_inputs_is_finite():
    """A graph feeds zeros where nothing is given, a parent pose of seven zeros among them."""
    node = motor()
    graph = node_graph(node, "commanded_torque", "parent_pose_world", "mode")
    graph.add_node(Rider("rider", DT))
    graph.add_edge("motor", "rider", "rotor_pose_world", "pose")
    state = graph.step()
    np.testing.assert_allclose(state["rider"]["pose"], [0, 0, 0, 1, 0, 0, 0])
    node.check(state["motor"])


def test_scan_history_and_steps_agree():
    """The same run by steps, by a scan and by a scan with history."""
    told = {"motor": {"commanded_velocity": jnp.array(10.0)}}
    ends = []
    for run in ("step", "scan", "history"):
        graph = node_graph(motor(), "commanded_velocity")
        if run == "step":
            for _ in range(200):
                state = graph.step(told)
        elif run == "scan":
            state = graph.run_scan(200, told)
        else:
            state, history = graph.run_scan_with_history(200, told)
            assert history["motor"]["angle"].shape == (200,)
        ends.append(float(state["motor"]["angular_velocity"]))
    assert ends[0] == pytest.approx(ends[1], rel=1e-5)
    assert ends[1] == pytest.approx(ends[2], rel=1e-5)


def test_sweep_of_4096_starts():
    """4096 rotors that begin at speeds of their own and coast: each falls to J/(J + dt·b) of its speed per step."""
    graph = node_graph(motor(), "commanded_torque")
    graph.compile()
    speeds = jnp.linspace(-100.0, 100.0, 4096)
    zero = jnp.zeros(4096)
    names = ("angle", "current", "velocity_integral_error", "angle_remainder")
    start = {"motor": {**dict.fromkeys(names, zero), "angular_velocity": speeds}}
    finals = graph.run_sweep(30, start)
    want = np.asarray(speeds) * (J / (J + DT * B)) ** 30
    np.testing.assert_allclose(finals["motor"]["angular_velocity"], want, rtol=1e-4, atol=1e-5)


def settled_speed(drag, volts=5.0):
    """Speed of a braked motor in a graph of its own, as a function of the motor's drag."""
    graph = brake_graph(motor(damping_n_m_s=drag), 0.02, "commanded_voltage")
    return graph.run_scan(600, {"motor": {"commanded_voltage": volts}})["motor"]["angular_velocity"]


def test_sweep_of_4096_motors():
    """4096 motors with drags of their own, each in the graph with its brake, settle where theory says."""
    drags = jnp.linspace(0.005, 0.05, 4096)
    speeds = jax.jit(jax.vmap(settled_speed))(drags)
    want = 5.0 * KT / (KT * KT + R * (np.asarray(drags) + 0.02))
    np.testing.assert_allclose(speeds, want, rtol=1e-5)


def test_gradient_through_a_graph(x64):
    """By the drag and by the voltage, through motor, brake and 600 steps: as finite differences."""
    slopes = jax.jit(jax.grad(settled_speed, argnums=(0, 1)))(B, 5.0)
    function = jax.jit(settled_speed)
    by_drag = (function(B + 1e-6, 5.0) - function(B - 1e-6, 5.0)) / 2e-6
    by_volts = (function(B, 5.0 + 1e-4) - function(B, 5.0 - 1e-4)) / 2e-4
    assert float(slopes[0]) == pytest.approx(float(by_drag), rel=1e-6)
    assert float(slopes[1]) == pytest.approx(float(by_volts), rel=1e-7)
    assert float(by_drag) < 0.0 < float(by_volts)


def compiled_scan(read: bool) -> str:
    """The program of a graph's scan; where it is read, the pose goes to a rider."""
    graph = node_graph(motor(), "commanded_torque")
    if read:
        graph.add_node(Rider("rider", DT))
        graph.add_edge("motor", "rider", "rotor_pose_world", "pose")
    graph.compile()
    step, told = graph._build_step_fn(), {"motor": {"commanded_torque": jnp.array(0.02)}}
    run = jax.jit(lambda s: jax.lax.scan(lambda x, _: (step(x, told), None), s, None, length=10)[0])
    return run.lower(graph._state).compile().as_text()


def test_a_pose_that_nobody_reads_is_not_computed():
    """The compiled program holds a cosine where an edge reads the pose, and none where none does."""
    assert "cosine" in compiled_scan(read=True)
    assert "cosine" not in compiled_scan(read=False)


def test_slow_and_fast_nodes_run_together():
    """A brake with twice the step holds its torque in between, and the motor settles all the same."""
    graph = node_graph(motor(), "commanded_torque")
    graph.add_node(Brake("brake", 2 * DT, 0.02))
    graph.add_edge("motor", "brake", "angular_velocity", "speed")
    graph.add_edge("brake", "motor", "torque", "load_torque")
    state = graph.run_scan(1000, {"motor": {"commanded_torque": 0.06}})
    assert float(state["motor"]["angular_velocity"]) == pytest.approx(2.0, rel=1e-4)


def test_graphs_are_written_and_read():
    """`to_dict` and `from_dict` give the same motor."""
    graph = node_graph(motor(velocity_kp=0.3, axis_in_parent_frame=(1.0, 0.0, 0.0)), "commanded_voltage")
    again = GraphManager.from_dict(graph.to_dict(), {"MotorNode": mime.MotorNode})
    told = {"motor": {"commanded_voltage": 5.0}}
    assert again.run_scan(100, told)["motor"] == graph.run_scan(100, told)["motor"]
    assert again._nodes["motor"].node.params == graph._nodes["motor"].node.params


def test_states_are_saved_and_loaded(tmp_path):
    """A checkpoint of MADDENING's holds every state of the motor."""
    graph = node_graph(motor(), "commanded_velocity")
    graph.run_scan(100, {"motor": {"commanded_velocity": 10.0}})
    graph.save_state(tmp_path / "state.npz")
    again = node_graph(motor(), "commanded_velocity")
    again.load_state(tmp_path / "state.npz")
    for name, value in graph.get_node_state("motor").items():
        assert float(again.get_node_state("motor")[name]) == float(value), name
    assert float(again.get_node_state("motor")["velocity_integral_error"]) != 0.0
