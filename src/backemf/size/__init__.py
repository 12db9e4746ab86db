"""From a task to a motor: motions and loads, candidates, and which of them can do it, for how long and how warm.

The room can be called, and is then the function `size`: `backemf.size(task, candidates)`.
"""

import sys
import types

from .candidates import Batch, Candidates, LeftOut
from .found import Found
from .free_gears import FreeGears
from .import_pairs import import_pairs
from .joint_found import Choice, JointFound
from .motion import Motion, SampledMotion, SineMotion, TrapezoidMove, TriangleMove
from .motion_csv import read_motion
from .sizing import size
from .task import JointTask, Task, TaskLimits

__all__ = [
    "Batch",
    "Candidates",
    "Choice",
    "Found",
    "FreeGears",
    "JointFound",
    "JointTask",
    "LeftOut",
    "Motion",
    "SampledMotion",
    "SineMotion",
    "Task",
    "TaskLimits",
    "TrapezoidMove",
    "TriangleMove",
    "import_pairs",
    "read_motion",
    "size",
]


class _Room(types.ModuleType):
    __call__ = staticmethod(size)


sys.modules[__name__].__class__ = _Room
__wrapped__ = size  # whose signature the room has
