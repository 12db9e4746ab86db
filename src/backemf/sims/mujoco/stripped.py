"""Models whose mesh and texture files are missing, compiled without them: actuators and joints need neither."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from ...errors import MissingExtraError, ParameterError
from ..mjcf import is_text, require_readable
from ..mujoco_types import MjModel, MjSpec, ModelSource

CORNERS = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
"""A tetrahedron, in place of every mesh whose file is missing."""


class Compiled(NamedTuple):
    """A compiled model, and what of it is unknown because files are missing."""

    mujoco: ModuleType
    """The module."""
    model: MjModel
    """The `MjModel`."""
    undamped: frozenset[int] = frozenset()
    """Numbers of the actuators whose damping comes from an inertia that is unknown."""
    unsprung: frozenset[int] = frozenset()
    """Numbers of the joints whose damping comes from an inertia that is unknown."""


def compiled_source(source: ModelSource) -> Compiled:
    """An `MjModel`, a path to an MJCF file or its text, compiled; raises ParameterError where it cannot be read.

    Where files of meshes, textures or height fields are missing, it is compiled without them.
    """
    mujoco: Any
    try:
        import mujoco
    except ModuleNotFoundError:
        raise MissingExtraError("mujoco", "mujoco", "Reading a MuJoCo model") from None
    if isinstance(source, mujoco.MjModel):
        return Compiled(mujoco, cast(MjModel, source))
    text = is_text(source)
    if not isinstance(source, (str, Path)) or not (text or Path(source).exists()):
        raise ParameterError(f"{source}: no such file; give a path to an MJCF file, its text, or an MjModel")
    require_readable(source)
    try:
        make = mujoco.MjModel.from_xml_string if text else mujoco.MjModel.from_xml_path
        return Compiled(mujoco, make(str(source)))
    except ValueError as error:
        first = error
    try:
        spec = (mujoco.MjSpec.from_string if text else mujoco.MjSpec.from_file)(str(source))
        return without_files(mujoco, spec)
    except ValueError as error:
        # what is wrong beside the missing files, if any are missing
        second = error
    where = "the MJCF text" if text else str(source)
    said = second if missing_file(first) else first
    raise ParameterError(f"{where}: MuJoCo cannot read it: {' '.join(str(said).split())}") from None


def missing_file(error: Exception) -> bool:
    """Whether MuJoCo gave up because it could not open a file."""
    return any(words in str(error) for words in ("opening file", "resource not found", "could not open", "file not"))


def without_files(mujoco: ModuleType, spec: MjSpec) -> Compiled:
    """The model of a specification, in which stand-ins take the place of everything that is in other files."""
    unknown = replace_files(mujoco, spec)
    asked = [float(each.biasprm[2]) for each in spec.actuators]
    sprung = {each.name for each in spec.joints if max(each.springdamper) > 0.0}
    model = spec.compile()
    if not unknown:
        return Compiled(mujoco, model)
    # a share of critical damping is positive until the compiler has made a damping of it
    now = model.actuator_biasprm[:, 2]
    undamped = {number for number, share in enumerate(asked) if share > 0.0 and now[number] != share}
    unsprung = {number for number in range(model.njnt) if model.joint(number).name in sprung - {""}}
    return Compiled(mujoco, model, frozenset(undamped), frozenset(unsprung))


def replace_files(mujoco: ModuleType, spec: MjSpec) -> bool:
    """Put stand-ins in the place of files; whether the inertia of any body was in them."""
    meshes = set()
    for mesh in spec.meshes:
        if mesh.file:
            # a mesh without a name goes by that of its file
            mesh.name = mesh.name or Path(mesh.file).stem
            meshes.add(mesh.name)
            mesh.file, mesh.content_type = "", ""
            mesh.uservert, mesh.userface, mesh.scale = CORNERS, FACES, [1.0, 1.0, 1.0]
    for texture in spec.textures:
        if texture.file or any(texture.cubefiles):
            texture.file, texture.cubefiles, texture.content_type = "", [""] * 6, ""
            texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_FLAT
            flat = texture.type == mujoco.mjtTexture.mjTEXTURE_2D
            texture.width, texture.height = 1, 1 if flat else 6
    for field in spec.hfields:
        if field.file:
            field.file, field.content_type = "", ""
            field.nrow, field.ncol, field.userdata = 2, 2, [0.0] * 4
    for skin in list(spec.skins):
        spec.delete(skin)
    unknown = False
    for body in spec.bodies:
        moulded = [geom for geom in body.geoms if geom.meshname in meshes]
        for geom in moulded:
            if geom.type != mujoco.mjtGeom.mjGEOM_MESH:
                # a primitive that would be fitted to the mesh
                geom.meshname, geom.size = "", [0.01, 0.01, 0.01]
        from_geoms = spec.compiler.inertiafromgeom == 1 or not body.explicitinertial
        unknown |= bool(moulded) and from_geoms and body.name != "world"
    return unknown


def undamped_error(name: str) -> ParameterError:
    """An actuator whose damping is not in the files that are there."""
    return ParameterError(
        f"actuator {name!r} has a dampratio, a share of the critical damping at the inertia of its joint, and that "
        "inertia is in mesh files that are missing: put them where the file says, or give kv"
    )
