"""Graphs around a motor: a brake that loads it, an arm that carries it, a tool that rides on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jax.numpy as jnp
from maddening.core.graph_manager import GraphManager
from maddening.core.node import SimulationNode

from backemf.sims.mime import MotorNode

# the document's node stands beside ours in the benchmark
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "benchmarks"))

DT = 1e-3
J, KT, R, L, B = 1e-4, 0.05, 2.0, 1e-3, 0.01
CONSTANTS: dict[str, Any] = {
    "inertia_kg_m2": J,
    "kt_n_m_per_a": KT,
    "r_ohm": R,
    "l_henry": L,
    "damping_n_m_s": B,
}


def motor(**more: Any) -> MotorNode:
    return MotorNode("motor", DT, **{**CONSTANTS, **more})


class Brake(SimulationNode):
    """A load whose torque is against the speed it is told, like an eddy-current brake."""

    def __init__(self, name: str, timestep: float, coefficient: Any):
        super().__init__(name, timestep, coefficient=coefficient)

    def initial_state(self) -> dict:
        return {"torque": jnp.array(0.0)}

    def update(self, state: dict, boundary_inputs: dict, dt: float) -> dict:
        speed = boundary_inputs.get("speed", jnp.array(0.0))
        return {"torque": jnp.asarray(-self.params["coefficient"] * speed, state["torque"].dtype)}


class Arm(SimulationNode):
    """What carries the motor: it rises at a steady speed."""

    def initial_state(self) -> dict:
        return {"pose": jnp.array([1.0, 2.0, 0.0, 0.5, 0.5, 0.5, 0.5])}

    def update(self, state: dict, boundary_inputs: dict, dt: float) -> dict:
        return {"pose": state["pose"].at[2].add(0.1 * dt)}


class Rider(SimulationNode):
    """What rides on the rotor: it remembers the pose and the angle it was told."""

    def initial_state(self) -> dict:
        return {"pose": jnp.zeros(7), "angle": jnp.array(0.0)}

    def update(self, state: dict, boundary_inputs: dict, dt: float) -> dict:
        return {name: jnp.asarray(boundary_inputs.get(name, old), old.dtype) for name, old in state.items()}


def node_graph(node: SimulationNode, *names: str) -> GraphManager:
    """A graph of one node with external inputs."""
    graph = GraphManager()
    graph.add_node(node)
    for name in names:
        graph.add_external_input(node.name, name, (7,) if name == "parent_pose_world" else ())
    return graph


def brake_graph(node: SimulationNode, coefficient: Any, *names: str) -> GraphManager:
    """A graph in which a brake loads the node."""
    graph = node_graph(node, *names)
    graph.add_node(Brake("brake", node.delta_t, coefficient))
    graph.add_edge("motor", "brake", "angular_velocity", "speed")
    graph.add_edge("brake", "motor", "torque", "load_torque", additive=True)
    return graph
