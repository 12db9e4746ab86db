"""MIME's motor in MADDENING graphs: our node beside the one that the document describes, on one core, float32.

python benchmarks/mime_nodes.py [--json FILE] [--docs PAGE]

Needs MADDENING beside backemf, as `make test-sims` installs it. MIME itself is not on PyPI and does not import on this
MADDENING, so that its node is written down here from its document, which keeps the pose of the tool in the state.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# one core, said before any library starts its threads
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
from maddening.core.graph_manager import GraphManager
from maddening.core.node import SimulationNode
from rich.console import Console

import backemf as be
from backemf.sims.mime import FullMotorNode, MotorNode

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report, shortest
from full_motor import full_motor

MOTORS, STEPS, DT = 4096, 1000, 1e-3
CONSTANTS = {"inertia_kg_m2": 1e-4, "kt_n_m_per_a": 0.05, "r_ohm": 2.0, "l_henry": 1e-3, "damping_n_m_s": 0.01}
IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


# --- the document's node


def hamilton(p, q):
    """Product of two quaternions [w, x, y, z]."""
    scalar = p[0] * q[0] - jnp.dot(p[1:], q[1:])
    return jnp.concatenate([scalar[None], p[0] * q[1:] + q[0] * p[1:] + jnp.cross(p[1:], q[1:])])


def rotation(q):
    """Matrix of a quaternion of length 1."""
    w, v = q[0], q[1:]
    skew = jnp.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return jnp.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def compose(parent, axis, angle, tool):
    """parent ⊕ R(axis, angle) ⊕ tool."""
    turn = jnp.concatenate([jnp.cos(angle / 2)[None], jnp.sin(angle / 2) * axis / jnp.linalg.norm(axis)])
    carried = hamilton(parent[3:], turn)
    q = hamilton(carried, tool[3:])
    return jnp.concatenate([parent[:3] + rotation(carried) @ tool[:3], q / jnp.linalg.norm(q)])


class DocumentNode(SimulationNode):
    """The document's node: its equations one by one; `pose` says whether the pose is kept in the state."""

    def __init__(self, name: str, timestep: float, pose: bool = True, **constants: float):
        super().__init__(name, timestep, **constants)
        self.pose = pose

    def initial_state(self) -> dict:
        names = ("angle", "angular_velocity", "current", "velocity_integral_error")
        state = {name: jnp.array(0.0) for name in names}
        return {**state, "rotor_pose_world": jnp.array(IDENTITY)} if self.pose else state

    def update(self, state: dict, boundary_inputs: dict, dt: float) -> dict:
        p = self.params
        torque = boundary_inputs.get("commanded_torque", 0.0)
        voltage = boundary_inputs.get("commanded_voltage", 0.0)
        velocity = boundary_inputs.get("commanded_velocity", 0.0)
        by_torque = jnp.abs(torque) > 1e-30
        by_voltage = jnp.logical_not(by_torque) & (jnp.abs(voltage) > 1e-30)
        by_velocity = jnp.logical_not(by_torque | by_voltage) & (jnp.abs(velocity) > 1e-30)
        w, old = state["angular_velocity"], state["velocity_integral_error"]
        error = velocity - w
        integral = old + error * dt
        wanted = 1e-3 * error + 1e-2 * integral
        rise = dt / p["l_henry"] * (voltage - p["kt_n_m_per_a"] * w)
        current = jnp.where(by_voltage, (state["current"] + rise) / (1.0 + dt * p["r_ohm"] / p["l_henry"]), 0.0)
        drive = jnp.where(by_velocity, wanted, jnp.where(by_torque, torque, 0.0)) + p["kt_n_m_per_a"] * current
        drive = drive + boundary_inputs.get("load_torque", 0.0)
        after = (p["inertia_kg_m2"] * w + dt * drive) / (p["inertia_kg_m2"] + dt * p["damping_n_m_s"])
        new = {
            "angle": state["angle"] + after * dt,
            "angular_velocity": after,
            "current": current,
            "velocity_integral_error": jnp.where(by_velocity, integral, old),
        }
        if self.pose:
            parent = boundary_inputs.get("parent_pose_world", jnp.array(IDENTITY))
            axis, tool = jnp.array([0.0, 0.0, 1.0]), jnp.array(IDENTITY)
            new["rotor_pose_world"] = compose(parent, axis, new["angle"], tool)
        return new


# --- what is measured


def commands() -> dict:
    """Of four motors one gets a torque, one a voltage, one a velocity, and one nothing."""
    kind = jnp.arange(MOTORS) % 4
    return {
        "commanded_torque": jnp.where(kind == 1, 0.02, 0.0),
        "commanded_voltage": jnp.where(kind == 2, 5.0, 0.0),
        "commanded_velocity": jnp.where(kind == 3, 10.0, 0.0),
    }


def sweep(node: SimulationNode, fluxes: bool = False):
    """A call that runs 4096 motors for 1000 steps: the node mapped over motors, inside one scan."""
    told = commands()

    def one(state, inputs):
        after = node.update(state, inputs, DT)
        if fluxes:
            # as a graph does it, whether an edge reads them or not
            node.compute_boundary_fluxes(after, inputs, DT)
        return after

    @jax.jit
    def run(state):
        return jax.lax.scan(lambda s, _: (jax.vmap(one)(s, told), None), state, None, length=STEPS)[0]

    start = jax.tree.map(lambda x: jnp.broadcast_to(x, (MOTORS, *x.shape)), node.initial_state())
    return lambda: jax.block_until_ready(run(start))


def graph(node: SimulationNode, read: bool):
    """A call of a graph's own scan of one batch; where it is read, another node keeps the pose."""

    class Reader(SimulationNode):
        def initial_state(self) -> dict:
            return {"pose": jnp.zeros((MOTORS, 7))}

        def update(self, state: dict, boundary_inputs: dict, dt: float) -> dict:
            return {"pose": boundary_inputs.get("pose", state["pose"])}

    built = GraphManager()
    built.add_node(node)
    built.add_node(Reader("reader", DT))
    if read:
        built.add_edge("motor", "reader", "rotor_pose_world", "pose")
    else:
        built.add_external_input("reader", "unused")
    for name, value in commands().items():
        built.add_external_input("motor", name, value.shape)
    built.compile()
    step, start, told = built._build_step_fn(), built._state, {"motor": commands()}
    run = jax.jit(lambda s: jax.lax.scan(lambda x, _: (step(x, told), None), s, None, length=STEPS)[0])
    return lambda: jax.block_until_ready(run(start))


def measure(console: Console) -> list[Figure]:
    def speed(call) -> float:
        return MOTORS * STEPS / shortest(call, 7) / 1e6

    with console.status("the document's node"):
        document = speed(sweep(DocumentNode("motor", DT, **CONSTANTS)))
        bare = speed(sweep(DocumentNode("motor", DT, pose=False, **CONSTANTS)))
    with console.status("our node"):
        ours = speed(sweep(MotorNode("motor", DT, **CONSTANTS)))
        with_fluxes = speed(sweep(MotorNode("motor", DT, **CONSTANTS), fluxes=True))
        batch = speed(graph(MotorNode("motor", DT, **CONSTANTS, shape=(MOTORS,)), read=False))
        posed = speed(graph(MotorNode("motor", DT, **CONSTANTS, shape=(MOTORS,)), read=True))
    with console.status("our full motor"):
        selector = be.ModeSelector(velocity=be.TorquePid(follows="velocity", kd=1e-3, ki=1e-2))
        servo = be.Actuator(full_motor(), be.Supply(voltage=48.0), controller=selector)
        full = speed(sweep(FullMotorNode("motor", DT, servo, 1e-4)))
    unit, free = "M motor-steps/s", with_fluxes >= 0.9 * ours
    return [
        Figure("the document's node, 4096 motors, vmap in a scan", document, unit),
        Figure("  without its pose", bare, unit),
        Figure("MotorNode, the same", ours, unit, ">= 100", ours >= 100.0),
        Figure("  over the document's node", ours / document, "times", ">= 10", ours >= 10.0 * document),
        Figure("  with poses that nothing reads, over without", with_fluxes / ours, "times", ">= 0.9", free),
        Figure("MotorNode, one batch in a graph, no pose read", batch, unit),
        Figure("  with the pose read by another node", posed, unit),
        Figure("FullMotorNode: heat, LuGre, cogging, gears, limits", full, unit),
    ]


if __name__ == "__main__":
    report(measure, "mime", __doc__)
