"""The coupled step on Warp: motor and load in one kernel."""

import numpy as np
import warp as wp

import backemf as be

DT, INERTIA = 1e-3, 2e-3
GEARED = be.Motor(
    winding=be.Winding(resistance=0.6, inductance=1e-4),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-5),
    friction=be.Coulomb(coulomb=1e-3),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0, efficiency=0.85),)),
)


def test_warp_steps_a_load_as_numpy_does():
    """In double precision, for several joints at once and two steps."""
    actuator = be.Actuator(GEARED, be.Supply(voltage=24.0), controller=be.IdealPd(stiffness=4.0, damping=0.05))
    step, reference = actuator.compile("warp", dtype="float64", device="cpu"), actuator.compile("numpy")
    state, expected_state = step.initial((3,)), reference.initial((3,))
    position, velocity, pull = (np.array(x) for x in ([0.3, 0.1, -0.2], [0.0, 1.0, -4.0], [-0.1, 0.2, 0.0]))
    more = {"load_damping": 2e-3, "load_stiffness": 3.0}
    for _ in range(2):
        there = (wp.array(x, dtype=wp.float64) for x in (position, velocity))
        state, out = step.coupled(state, 0.8, *there, DT, wp.array(pull, dtype=wp.float64), INERTIA, **more)
        expected_state, expected = reference.coupled(expected_state, 0.8, position, velocity, DT, pull, INERTIA, **more)
        for name in ("joint_position", "joint_velocity", "torque", "load_torque", "current"):
            np.testing.assert_allclose(getattr(out, name).numpy(), getattr(expected, name), rtol=1e-12, atol=1e-14)
        position, velocity = expected.joint_position, expected.joint_velocity
