"""What each motor finds at its joint, and what the joints do to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jax


@dataclass(frozen=True)
class Load:
    """All but the motors, as they find it when a step begins."""

    torque: jax.Array
    """Torque of all but the motor on each joint [N·m]."""
    inertia: jax.Array
    """Inertia of all but the motor at each joint [kg·m²]."""
    acceleration: jax.Array
    """Acceleration of the joints with the motors' last torque [rad/s²]."""
    mobility: jax.Array
    """The inverse mass matrix between the joints [1/(kg·m²)]."""

    def solve(
        self, torque: jax.Array, slope: jax.Array, ends: jax.Array, before: jax.Array, velocity: jax.Array, dt: float
    ) -> tuple[jax.Array, jax.Array]:
        """Torque and speed at the end of the step of joints that move each other.

        Each motor gives `torque` if its joint ends at the speed `ends`, and `slope` less per speed beyond; `before` is
        the torque that the acceleration was found with. A friction that holds has a slope of 1e12: the unknown is the
        speed beyond `ends`, so that nothing large is subtracted, in single precision either.
        """
        import jax.numpy as jnp

        change = dt * self.mobility
        free = velocity + dt * self.acceleration + change @ (torque - before) - ends
        beyond = jnp.linalg.solve(jnp.eye(len(torque), dtype=free.dtype) + change * slope, free)
        return torque - slope * beyond, ends + beyond


def load_on(mobility: jax.Array, acceleration: jax.Array, before: jax.Array, armature: jax.Array) -> Load:
    """The load on joints that accelerate so with the torque `before` of their motors.

    Another torque t on joint j changes its acceleration by (M⁻¹)_jj·t, with the mass matrix M: the motor finds the
    inertia 1/(M⁻¹)_jj, of which `armature` is its own, and all other torque beside its own.
    """
    import jax.numpy as jnp

    inertia = 1.0 / jnp.diagonal(mobility)
    rest = jnp.maximum(inertia - armature, 1e-9 * inertia)
    return Load(inertia * acceleration - before, rest, acceleration, mobility)
