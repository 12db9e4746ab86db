"""MJX: backemf motors on the joints of robots in JAX, jitted, batched and differentiated with the simulation.

MJX reads MuJoCo's own models: `backemf.sims.mujoco` writes and reads their files.
"""

from .. import mujoco_affine as law
from .about import ABOUT
from .motors import Motors
from .state import MotorsState

__all__ = ["ABOUT", "Motors", "MotorsState", "law"]
