"""A motor with a brake in a MADDENING graph: MIME's law, then the full motor, a sweep and a gradient.

Needs MADDENING, which pins its own version of JAX: pip install 'backemf[maddening]' in a separate environment. Without
it the example says so and ends. Draws maddening_motor.svg in out/ (or in the folder named by BACKEMF_OUT).
"""

# pyright: reportMissingImports=false

import importlib.util
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import backemf as be
from backemf.sims import mime

DT, VOLTS = 1e-3, 12.0


def graph_with_brake(node, coefficient):
    """A graph in which a brake pulls with -coefficient·speed on the node."""
    from maddening.core.graph_manager import GraphManager
    from maddening.core.node import SimulationNode

    class Brake(SimulationNode):
        def initial_state(self):
            return {"torque": jnp.array(0.0)}

        def update(self, state, boundary_inputs, dt):
            return {"torque": -coefficient * boundary_inputs["speed"]}

    graph = GraphManager()
    graph.add_node(node)
    graph.add_node(Brake("brake", DT))
    graph.add_edge("motor", "brake", "angular_velocity", "speed")
    graph.add_edge("brake", "motor", "torque", "load_torque", additive=True)
    graph.add_external_input("motor", "commanded_voltage")
    return graph


def final(node, coefficient, steps=2000):
    """States of the motor after two seconds under a voltage."""
    return graph_with_brake(node, coefficient).run_scan(steps, {"motor": {"commanded_voltage": VOLTS}})["motor"]


def main() -> None:
    motor = be.Datasheet.load("maxon-re40-148877").motor(friction=be.Coulomb(coulomb=0.01))
    constants = mime.from_motor(motor)
    try:
        simple = mime.MotorNode("motor", DT, **vars(constants))
    except be.MissingExtraError as missing:
        print(missing)
        return

    full = mime.FullMotorNode("motor", DT, motor)
    for name, node in (("MIME's motor", simple), ("the full motor", full)):
        state = final(node, 2e-4)
        print(f"{name}: {float(state['angular_velocity']):.1f} rad/s, {float(state['current']):.2f} A")

    def speed(resistance):
        node = mime.MotorNode("motor", DT, **{**vars(constants), "r_ohm": resistance})
        return final(node, 2e-4, 500)["angular_velocity"]

    ohms = jnp.linspace(0.5, 1.5, 4096) * constants.r_ohm
    speeds = np.asarray(jax.jit(jax.vmap(speed))(ohms))
    print(f"4096 motors of {ohms[0]:.2f} to {ohms[-1]:.2f} Ω: {speeds.max():.1f} to {speeds.min():.1f} rad/s")
    print(f"d speed / d resistance = {float(jax.grad(speed)(constants.r_ohm)):.2f} rad/s per Ω")
    # an environment for MADDENING may lack matplotlib
    if importlib.util.find_spec("matplotlib") is not None:
        be.plot.curves(
            ohms,
            {"speed after 0.5 s": be.units.convert(1.0, "rpm") * speeds},
            "resistance [Ω]",
            "motor speed [rpm]",
            "4096 motors in one graph",
            path=Path(os.environ.get("BACKEMF_OUT", "out")) / "maddening_motor.svg",
        )


if __name__ == "__main__":
    main()
