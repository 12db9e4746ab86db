"""`FullMotorNode`: the same inputs and fluxes, with the physics that the document lists as missing."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rig import DT, brake_graph, node_graph

import backemf as be
from backemf.sims.mime import FullMotorNode, MotorNode, from_motor

LINEAR = be.Motor(
    winding=be.Winding(resistance=2.0, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-4),
    drag=be.Drag(coefficients=(0.01,)),
)
FULL = replace(
    LINEAR,
    thermal=be.Thermal(resistance=10.0, capacitance=2.0),
    friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=10.0, damping=0.001),
    drag=be.Drag(coefficients=(1e-4,)),
    cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.005, periodicity=7.0),)),
)


def full(motor=FULL, **more) -> FullMotorNode:
    return FullMotorNode("motor", DT, motor, **more)


def after(node, steps: int, start: dict | None = None, **told) -> dict:
    """States after some steps under commands that stay."""
    graph = node_graph(node, *told)
    if start:
        graph.set_node_state("motor", {**graph.get_node_state("motor"), **start})
    return graph.run_scan(steps, {"motor": told})["motor"]


def test_inputs_and_fluxes_are_those_of_the_other_node():
    """One can take the place of the other; the temperatures come on top."""
    plain = MotorNode("motor", DT, 1e-4, 0.05, 2.0, 1e-3, 0.01)
    assert set(full().boundary_input_spec()) == set(plain.boundary_input_spec())
    assert set(full().boundary_flux_spec()) == {*plain.boundary_flux_spec(), "winding_temperature"}
    assert set(full(LINEAR).boundary_flux_spec()) == set(plain.boundary_flux_spec())
    assert full().state_fields() == plain.state_fields()


@pytest.mark.parametrize(
    ("name", "value"), [("commanded_voltage", 5.0), ("commanded_torque", 0.02), ("commanded_velocity", 10.0)]
)
def test_a_linear_motor_settles_where_mimes_does(name: str, value: float, x64):
    """Without friction, heat and cogging both nodes end at the same speed in every mode."""
    constants = from_motor(LINEAR, velocity_kp=0.05, velocity_ki=0.5)
    plain = MotorNode("motor", DT, **vars(constants))
    ours = after(full(LINEAR, velocity_kp=0.05, velocity_ki=0.5), 3000, **{name: value})
    theirs = after(plain, 3000, **{name: value})
    assert float(ours["angular_velocity"]) == pytest.approx(float(theirs["angular_velocity"]), rel=1e-6)
    assert float(theirs["angular_velocity"]) > 1.0


def test_a_run_is_that_of_simulate(x64):
    """Under a voltage and with an inertia on it, the node does what `simulate` does, state for state."""
    run = be.simulate(FULL, be.Inertia(2e-4), 6.0, 0.5, dt=DT)
    state = after(full(load_inertia_kg_m2=2e-4), 500, commanded_voltage=6.0)
    assert float(state["angular_velocity"]) == pytest.approx(float(run["velocity"][-1]), rel=1e-9)
    assert float(state["angle"]) == pytest.approx(float(run["position"][-1]), rel=1e-9)
    assert float(state["current"]) == pytest.approx(float(run["current"][-1]), rel=1e-9)


def test_stiction_holds_the_shaft():
    """A torque below stiction bends the bristles until they hold it, and moves no further; above it the shaft turns."""
    smooth = replace(FULL, cogging=None)
    stuck = after(full(smooth), 2000, commanded_torque=0.009)
    assert abs(float(stuck["angular_velocity"])) < 1e-5
    assert 10.0 * float(stuck["bristle"]) == pytest.approx(0.009, rel=1e-3)
    assert float(stuck["angle"]) < 0.01
    assert float(after(full(smooth), 2000, commanded_torque=0.05)["angular_velocity"]) > 10.0


def test_cogging_holds_the_shaft():
    """Without friction, a torque below the cogging's peak leaves the shaft in its first notch."""
    notched = replace(LINEAR, cogging=FULL.cogging)
    held = after(full(notched), 3000, commanded_torque=0.004)
    assert 0.0 < float(held["angle"]) < 2.0 * np.pi / 7.0
    assert float(after(full(notched), 3000, commanded_torque=0.008)["angle"]) > 1.0


def test_the_winding_heats_and_the_flux_says_so():
    """2 V at stall burn V²/R, which the thermal model turns into a rise; the flux is ambient plus that."""
    node = full(load_inertia_kg_m2=1e6)
    state = after(node, 1000, commanded_voltage=2.0)
    flux = node.compute_boundary_fluxes(state, {}, DT)
    rise = 10.0 * (2.0**2 / 2.0) * (1.0 - np.exp(-1.0 / (10.0 * 2.0)))
    assert float(state["winding_rise"]) == pytest.approx(rise, rel=0.01)
    assert float(flux["winding_temperature"]) == pytest.approx(FULL.thermal.ambient + float(state["winding_rise"]))


def test_heat_lowers_the_current_of_a_voltage():
    """A hot winding has more resistance: less current flows at stall."""
    cold = after(full(load_inertia_kg_m2=1e6), 100, commanded_voltage=5.0)
    hot = after(full(load_inertia_kg_m2=1e6), 100, start={"winding_rise": jnp.array(80.0)}, commanded_voltage=5.0)
    assert float(hot["current"]) / float(cold["current"]) == pytest.approx(1.0 / (1.0 + 0.00393 * 80.0), rel=0.01)


def test_iron_saturates():
    """Ten amperes give Kt·knee + torque·log2(1 + scale·(10 - knee)) in place of Kt·10, as the speed gained shows."""
    saturation = be.Saturation(knee_current=2.0, scale=0.5, torque=0.05 * np.log(2.0) / 0.5)
    bent = replace(LINEAR, magnet=replace(LINEAR.magnet, saturation=saturation))
    speeds = [
        float(after(full(motor, load_inertia_kg_m2=10.0), 200, commanded_voltage=20.0)["angular_velocity"])
        for motor in (bent, LINEAR)
    ]
    torque = 0.05 * 2.0 + saturation.torque * np.log2(1.0 + 0.5 * 8.0)
    assert speeds[0] / speeds[1] == pytest.approx(torque / (0.05 * 10.0), rel=0.01)


def test_nothing_commanded_lets_no_current_flow():
    """A spinning rotor coasts: the drive holds the current at 0, so that drag alone slows it."""
    light = replace(LINEAR, drag=be.Drag(coefficients=(1e-4,)))
    spinning = {"angular_velocity": jnp.array(40.0)}
    coasting = after(full(light), 50, start=spinning, commanded_voltage=0.0)
    assert float(coasting["angular_velocity"]) == pytest.approx(40.0 / (1.0 + DT * 1e-4 / 1e-4) ** 50, rel=1e-3)
    shorted = after(full(light), 50, start=spinning, commanded_voltage=0.0, mode=2.0)
    assert float(shorted["angular_velocity"]) < 0.7 * float(coasting["angular_velocity"])


def test_zero_velocity_is_held_in_its_mode():
    """Under mode 3 a load is held at rest; without the mode it drags the shaft along."""
    node = full(LINEAR, velocity_kp=0.5, velocity_ki=20.0)
    held = after(node, 2000, mode=3.0, load_torque=0.02)
    free = after(node, 2000, load_torque=0.02)
    assert abs(float(held["angular_velocity"])) < 1e-3
    assert float(free["angular_velocity"]) == pytest.approx(2.0, rel=1e-3)


def test_a_whole_actuator_runs_in_a_graph():
    """Supply, limits, gears with play, a delay and several turns of the loop per step, with a brake."""
    gears = be.Gearbox(stages=(be.Stage(ratio=5.0, efficiency=0.9),), backlash=0.01)
    selector = be.ModeSelector(velocity=be.TorquePid(follows="velocity", kd=0.05, ki=0.5))
    servo = be.Actuator(
        replace(FULL, gearbox=gears, limits=be.Limits(peak_current=3.0)),
        be.Supply(voltage=24.0, resistance=0.1),
        controller=selector,
        delay=be.Delay(steps=(1, 3)),
        substeps=2,
    )
    node = FullMotorNode("motor", DT, servo, load_inertia_kg_m2=1e-3)
    graph = brake_graph(node, 0.002, "commanded_velocity")
    state = graph.run_scan(3000, {"motor": {"commanded_velocity": 10.0}})
    node.check(state["motor"])
    assert float(state["motor"]["angular_velocity"]) == pytest.approx(10.0, rel=0.05)


def test_4096_motors_in_one_node():
    """A batch in the node's arrays does what single motors do."""
    coulomb = np.linspace(0.001, 0.01, 4096)
    batch = replace(LINEAR, friction=be.Coulomb(coulomb=coulomb), drag=be.Drag(coefficients=(0.001,)))
    node = full(batch)
    assert node.initial_state()["angle"].shape == (4096,)
    graph = node_graph(node)
    graph.add_external_input("motor", "commanded_voltage", (4096,))
    speeds = graph.run_scan(300, {"motor": {"commanded_voltage": jnp.full(4096, 5.0)}})["motor"]["angular_velocity"]
    one = replace(batch, friction=be.Coulomb(coulomb=float(coulomb[1000])))
    assert float(speeds[1000]) == pytest.approx(
        float(after(full(one), 300, commanded_voltage=5.0)["angular_velocity"]), rel=1e-5
    )
    assert (np.diff(np.asarray(speeds)) < 0.0).mean() > 0.99


def end_of(ohms, coulomb, volts):
    """Angle of a motor in a graph of its own, as a function of two constants and a voltage."""
    friction = replace(FULL.friction, coulomb=coulomb, stiction=coulomb * 1.5)
    motor = replace(FULL, winding=replace(FULL.winding, resistance=ohms), friction=friction)
    return after(full(motor), 200, commanded_voltage=volts)["angle"]


def test_gradients_match_finite_differences(x64):
    """By resistance, friction and voltage, through the constructor, the graph and 200 steps."""
    at = (2.0, 0.01, 5.0)
    slopes = jax.jit(jax.grad(end_of, argnums=(0, 1, 2)))(*at)
    function = jax.jit(end_of)
    for index, h in enumerate((1e-5, 1e-8, 1e-5)):
        up, down = (tuple(x + s * h if k == index else x for k, x in enumerate(at)) for s in (1.0, -1.0))
        slope = (function(*up) - function(*down)) / (2.0 * h)
        assert float(slopes[index]) == pytest.approx(float(slope), rel=1e-5)
        assert slope != 0.0


def test_vmap_over_the_constructor():
    """Motors of several resistances mapped through constructor, graph and scan."""
    ohms = jnp.linspace(1.0, 4.0, 8)
    ends = jax.jit(jax.vmap(lambda r: end_of(r, 0.01, 5.0)))(ohms)
    assert ends.shape == (8,)
    assert (np.diff(np.asarray(ends)) < 0.0).all()
