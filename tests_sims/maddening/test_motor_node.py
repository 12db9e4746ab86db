"""`MotorNode` by itself: the document's constructor, states, inputs and fluxes, its law, and JAX's transformations."""

from __future__ import annotations

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from maddening.core.compliance.metadata import StabilityLevel, collect_node_metadata
from rig import CONSTANTS, DT, KT, B, J, L, R, motor

from backemf.sims import mime
from backemf.sims.mime import MotorNode


def test_constructor_is_the_documented_one():
    """Every parameter of the document in its place with its default; ours come behind."""
    found = list(inspect.signature(MotorNode.__init__).parameters.values())[1:]
    assert [p.name for p in found[:12]] == [
        "name", "timestep", "inertia_kg_m2", "kt_n_m_per_a", "r_ohm", "l_henry", "damping_n_m_s", "ke_v_s_per_rad",
        "axis_in_parent_frame", "tool_offset_in_rotor_frame", "velocity_kp", "velocity_ki",
    ]  # fmt: skip
    assert [p.default for p in found[7:12]] == [None, (0, 0, 1), (0, 0, 0, 1, 0, 0, 0), 1e-3, 1e-2]
    assert motor().params["ke_v_s_per_rad"] == KT


def test_states_inputs_and_fluxes_are_the_documented_ones():
    """Names, units and couplings; beside them only the mode, and the remainder of the angle."""
    node = motor()
    assert set(node.initial_state()) == {
        "angle", "angular_velocity", "current", "velocity_integral_error", "angle_remainder",
    }  # fmt: skip
    assert node.state_fields() == node.observable_fields() == ["angle", "angular_velocity", "current"]
    inputs = node.boundary_input_spec()
    assert {name: spec.coupling_type for name, spec in inputs.items() if name != "mode"} == {
        "commanded_torque": "additive",
        "commanded_voltage": "replacive",
        "commanded_velocity": "replacive",
        "parent_pose_world": "replacive",
        "load_torque": "additive",
    }
    assert inputs["parent_pose_world"].shape == (7,)
    assert set(node.boundary_flux_spec()) == {"rotor_angle", "rotor_angular_velocity", "rotor_pose_world"}


def test_metadata_is_harvested():
    """MADDENING finds the algorithm among its nodes, with the places of its law."""
    meta = collect_node_metadata()["MotorNode"]
    assert meta.algorithm_id == "MIME-NODE-100"
    assert MotorNode._stability_level == StabilityLevel.EXPERIMENTAL
    for place in meta.implementation_map.values():
        module, _, name = place.rpartition(".")
        assert hasattr(__import__(module, fromlist=[name]), name)


def random_inputs(steps: int, seed: int) -> list[dict]:
    """Commands that come and go, a load, and a parent that moves."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        q = rng.normal(size=4)
        row = {"parent_pose_world": jnp.asarray([*rng.normal(size=3), *(q / np.linalg.norm(q))])}
        for name, size in (("commanded_torque", 0.01), ("commanded_voltage", 5.0), ("commanded_velocity", 20.0)):
            if rng.random() < 0.4:
                row[name] = jnp.asarray(rng.normal() * size)
        row["load_torque"] = jnp.asarray(rng.normal() * 1e-3)
        rows.append(row)
    return rows


def test_node_is_the_documents_node(x64):
    """Over random modes, states and pose stay within 1e-12 of the document's node as the benchmark has it."""
    from mime_nodes import DocumentNode

    ours, theirs = motor(), DocumentNode("motor", DT, **CONSTANTS)
    state, other = ours.initial_state(), theirs.initial_state()
    for row in random_inputs(200, 0):
        state, other = ours.update(state, row, DT), theirs.update(other, row, DT)
        for name in ("angle", "angular_velocity", "current", "velocity_integral_error"):
            assert float(state[name]) == pytest.approx(float(other[name]), rel=1e-12, abs=1e-15), name
        pose = ours.compute_boundary_fluxes(state, row, DT)["rotor_pose_world"]
        np.testing.assert_allclose(pose, other["rotor_pose_world"], atol=1e-12)


def test_mode_makes_zero_a_command():
    """A spinning rotor under mode 3 and 0 rad/s is braked by the controller; without the mode it coasts."""
    node = motor()
    spinning = {**node.initial_state(), "angular_velocity": jnp.array(50.0)}
    coasting = node.update(spinning, {"commanded_velocity": 0.0}, DT)
    held = node.update(spinning, {"commanded_velocity": 0.0, "mode": 3}, DT)
    assert float(coasting["angular_velocity"]) == pytest.approx(50.0 * J / (J + DT * B))
    assert float(held["velocity_integral_error"]) == pytest.approx(-50.0 * DT)
    assert float(held["angular_velocity"]) < float(coasting["angular_velocity"])


def test_a_state_of_the_document_is_enough():
    """Without the remainder of the angle, which is ours, the node runs and gives the same states back."""
    node = motor()
    state = node.initial_state()
    state.pop("angle_remainder")
    after = node.update(state, {"commanded_voltage": 5.0}, DT)
    assert set(after) == set(state)
    assert float(after["current"]) == pytest.approx((DT / L * 5.0) / (1.0 + DT * R / L))


def final_speed(kt, volts, steps: int = 50):
    """Speed after some steps under a voltage, as a function of a constructor's argument."""
    node = motor(kt_n_m_per_a=kt)

    def step(state, _):
        return node.update(state, {"commanded_voltage": volts}, DT), None

    return jax.lax.scan(step, node.initial_state(), None, length=steps)[0]["angular_velocity"]


def test_gradient_goes_through_the_constructor(x64):
    """By the torque constant, which is the back-EMF constant too, and by the voltage: as finite differences."""
    slopes = jax.grad(final_speed, argnums=(0, 1))(KT, 5.0)
    by_kt = (final_speed(KT + 1e-6, 5.0) - final_speed(KT - 1e-6, 5.0)) / 2e-6
    by_volts = (final_speed(KT, 5.0 + 1e-4) - final_speed(KT, 5.0 - 1e-4)) / 2e-4
    assert float(slopes[0]) == pytest.approx(float(by_kt), rel=1e-7)
    assert float(slopes[1]) == pytest.approx(float(by_volts), rel=1e-7)


def test_vmap_over_parameters_is_a_batch_node():
    """4096 motors mapped over the constructor and 4096 in the arrays of one node do the same."""
    constants = jnp.linspace(0.02, 0.08, 4096)
    mapped = jax.jit(jax.vmap(lambda kt: final_speed(kt, 5.0)))(constants)
    batch = jax.jit(lambda kt: final_speed(kt, 5.0))(np.asarray(constants))
    assert mapped.shape == batch.shape == (4096,)
    np.testing.assert_allclose(mapped, batch, rtol=1e-5)
    assert np.ptp(np.asarray(mapped)) > 1.0


def test_axis_and_tool_may_be_traced(x64):
    """A tool further out moves further: the slope of its place by its arm is the rotated unit vector."""

    def place(arm):
        node = motor(tool_offset_in_rotor_frame=(arm, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
        return node.pose(0.3)[:3]

    np.testing.assert_allclose(jax.jacobian(place)(0.1), [np.cos(0.3), np.sin(0.3), 0.0], atol=1e-12)


def test_pose_of_the_node_is_that_of_compose_pose():
    """The flux is the parent, the turned axis and the tool, in that order."""
    tool, axis, parent = (0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 2.0, 0.0), (1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0)
    node = motor(axis_in_parent_frame=axis, tool_offset_in_rotor_frame=tool)
    state = {**node.initial_state(), "angle": jnp.array(0.7)}
    flux = node.compute_boundary_fluxes(state, {"parent_pose_world": jnp.array(parent)}, DT)
    np.testing.assert_allclose(flux["rotor_pose_world"], mime.compose_pose(parent, axis, 0.7, tool), atol=1e-6)
    np.testing.assert_allclose(flux["rotor_pose_world"], node.pose(0.7, jnp.array(parent)), atol=1e-6)
