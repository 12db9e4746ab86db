"""Bodies of a model, as MuJoCo compiles it."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from ..body_tree import Body, BodyJoint, Shape, Vector
from ..mujoco_types import MjModel
from ..robot_model import RobotModel
from .robot_model import KINDS, span_of
from .stripped import compiled_source
from .urdf_model import convert_urdf

GEOMS = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box"}
"""Primitives by MuJoCo's numbers."""


def read_bodies(model: RobotModel) -> tuple[Body, ...]:
    """The bodies of an MJCF or URDF model; the first is the world."""
    assert model.path is not None
    if model.format == "URDF":
        mujoco, compiled, *_ = convert_urdf(model.path)[1]
    else:
        mujoco, compiled, *_ = compiled_source(model.path)
    return tuple(_body(mujoco, compiled, number) for number in range(int(compiled.nbody)))


def _body(mujoco: ModuleType, model: MjModel, number: int) -> Body:
    own = _matrix(mujoco, model.body_quat[number])
    main = _matrix(mujoco, model.body_iquat[number])
    inertia = main @ np.diag(model.body_inertia[number]) @ main.T
    first, count = int(model.body_jntadr[number]), int(model.body_jntnum[number])
    geoms = range(int(model.body_geomadr[number]), int(model.body_geomadr[number]) + int(model.body_geomnum[number]))
    return Body(
        name=mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, number) or f"body {number}",
        parent=int(model.body_parentid[number]),
        position=_vector(model.body_pos[number]),
        matrix=(_vector(own[0]), _vector(own[1]), _vector(own[2])),
        mass=float(model.body_mass[number]),
        centre=_vector(model.body_ipos[number]),
        inertia=(_vector(inertia[0]), _vector(inertia[1]), _vector(inertia[2])),
        joints=tuple(_joint(model, row) for row in range(first, first + count)),
        shapes=tuple(_shape(mujoco, model, row) for row in geoms if int(model.geom_type[row]) in GEOMS),
    )


def _joint(model: MjModel, row: int) -> BodyJoint:
    return BodyJoint(
        name=str(model.joint(row).name),
        kind=KINDS[int(model.jnt_type[row])],
        axis=_vector(model.jnt_axis[row]),
        anchor=_vector(model.jnt_pos[row]),
        span=span_of(model, row),
    )


def _shape(mujoco: ModuleType, model: MjModel, row: int) -> Shape:
    w, x, y, z = (float(each) for each in model.geom_quat[row])
    length = math.sqrt(x * x + y * y + z * z)
    angle = 2.0 * math.atan2(length, w)
    turned = (x / length, y / length, z / length, angle) if length > 1e-12 else (0.0, 0.0, 1.0, 0.0)
    return Shape(
        kind=GEOMS[int(model.geom_type[row])],
        size=_vector(model.geom_size[row]),
        position=_vector(model.geom_pos[row]),
        rotation=turned,
        solid=bool(model.geom_contype[row] or model.geom_conaffinity[row]),
    )


def _matrix(mujoco: ModuleType, quaternion: np.ndarray) -> np.ndarray:
    found = np.zeros(9)
    mujoco.mju_quat2Mat(found, np.asarray(quaternion, dtype=float))
    return found.reshape(3, 3)


def _vector(row: np.ndarray) -> Vector:
    x, y, z = (float(each) for each in row[:3])
    return x, y, z
