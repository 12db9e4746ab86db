"""A URDF as MuJoCo converts it to MJCF."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from ...errors import MissingExtraError, ParameterError
from ...values import Module
from ..mujoco_types import MjSpec
from ..urdf import read_root
from .stripped import Compiled, missing_file


def convert_urdf(path: Path) -> tuple[str, Compiled, list[str]]:
    """The text of the MJCF, its model, and notes; meshes whose files are missing are left out."""
    read_root(path)  # checked before MuJoCo opens it
    mujoco: Module
    try:
        import mujoco
    except ModuleNotFoundError:
        raise MissingExtraError("mujoco", "mujoco", "Converting a URDF to MJCF") from None
    notes: list[str] = []
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        try:
            model = spec.compile()
        except ValueError as error:
            if not missing_file(error):
                raise
            spec = mujoco.MjSpec.from_file(str(path))
            notes.append(f"{drop_meshes(mujoco, spec)} meshes are left out: their files are not where MuJoCo looks.")
            model = spec.compile()
        text = spec.to_xml()
    except ValueError as error:
        said = " ".join(str(error).split())
        raise ParameterError(f"{path}: MuJoCo cannot read it: {said}{_remedy(said)}") from None
    return text, Compiled(mujoco, model), notes


def _remedy(said: str) -> str:
    """What to do about an inertia that no body has, which other programs take as it is; empty: nothing is known."""
    if "balanceinertia" in said:
        words = 'correct <inertia> of that link, or write <mujoco><compiler balanceinertia="true"/></mujoco> in <robot>'
    elif "positive eigenvalues" in said:
        words = "correct <inertia> of that link, which no body can have"
    else:
        return ""
    return f"; {words}"


def drop_meshes(mujoco: ModuleType, spec: MjSpec) -> int:
    """Take meshes out of a specification; how many."""
    for geom in [each for body in spec.bodies for each in body.geoms if each.meshname]:
        spec.delete(geom)
    meshes = list(spec.meshes)
    for mesh in meshes:
        spec.delete(mesh)
    return len(meshes)
