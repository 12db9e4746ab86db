"""Meshes as bounding objects of Webots: filled as ODE fills them, from the text or from files beside it."""

import re
import struct
from pathlib import Path

import pytest
from webots_joints import hinge, solid

from backemf.sims import webots
from backemf.sims.webots import WorldJoint
from backemf.sims.webots.nodes import meshes

TETRAHEDRON = "Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }"
OUTWARD = "0 2 1 -1 0 1 3 -1 1 2 3 -1 0 3 2 -1"
INWARD = "0 1 2 -1 0 3 1 -1 1 3 2 -1 0 2 3 -1"


def test_a_mesh_is_filled() -> None:
    """A corner of a cube of 1 m³: 1/6 of it, with the centre at 1/4 m; ODE counts the way to that twice."""
    found = hinge(solid(f"IndexedFaceSet {{ coord {TETRAHEDRON} coordIndex [ {OUTWARD} ] }}", "mass 6"))
    about_origin = 6 * 2 * 6 / 60
    assert found.inertia == pytest.approx(about_origin + 6 * 2 / 16) and not found.load.notes


def test_a_mesh_that_turns_inward_is_one_kilogram() -> None:
    """As Webots has it, and it is said."""
    found = hinge(solid(f"IndexedFaceSet {{ coord {TETRAHEDRON} coordIndex [ {INWARD} ] }}"))
    assert found.inertia == 1.0
    assert found.load.notes[0].startswith("line 2: the IndexedFaceSet encloses no volume")


def _written(folder: Path) -> dict[str, Path]:
    """A tetrahedron in every format that is read."""
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    faces = [[int(k) for k in face.split()] for face in OUTWARD.split("-1") if face.strip()]
    corners = [" ".join("vertex {} {} {}".format(*points[k]) for k in face) for face in faces]
    loops = "".join(f"facet normal 0 0 0 outer loop {corner} endloop endfacet\n" for corner in corners)
    binary = b"\0" * 80 + struct.pack("<I", len(faces))
    for face in faces:
        binary += struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in points[k]), 0)
    rows = "".join("v {} {} {}\n".format(*point) for point in points)
    texts = {
        "plain.obj": (rows + "".join(f"f {' '.join(f'{k + 1}/1/1' for k in face)}\n" for face in faces)).encode(),
        "backwards.obj": (rows + "".join(f"f {' '.join(str(k - 4) for k in face)}\n" for face in faces)).encode(),
        "words.stl": f"solid x\n{loops}endsolid x\n".encode(),
        "bytes.STL": binary,
    }
    for name, raw in texts.items():
        (folder / name).write_bytes(raw)
    return {name: folder / name for name in texts}


def mesh_on_hinge(folder: Path, url: str) -> WorldJoint:
    path = folder / "w.wbt"
    path.write_text(
        'HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor { name "m" } '
        f'endPoint {solid(f"""Mesh {{ url [ "{url}" ] }}""", "mass 6")} }}'
    )
    return webots.read_world(path).joints[0]


@pytest.mark.parametrize("name", ["plain.obj", "backwards.obj", "words.stl", "bytes.STL"])
def test_the_mesh_of_a_file_is_filled(tmp_path: Path, name: str) -> None:
    _written(tmp_path)
    assert mesh_on_hinge(tmp_path, name).inertia == pytest.approx(6 * 2 * 6 / 60 + 6 * 2 / 16)


@pytest.mark.parametrize(
    ("url", "content", "why"),
    [
        ("a.dae", b"<COLLADA/>", r"a\.dae: the volume of a \.dae mesh is not read: give \.obj or \.stl"),
        ("a.obj", None, r"a\.obj: no such file"),
        ("a.obj", b"v 1 2\nf 1 2 3\n", r"a\.obj: is not a mesh in the obj format"),
        ("a.obj", b"v 1 2 nan\nf 1 1 1\n", r"a\.obj: has a corner that is not finite"),
        ("a.stl", b"solid", None),
        ("a.stl", b"\x00\xff", r"a\.stl: is not a mesh in the stl format"),
        ("a.stl", b"solid vertex 1 2", r"a\.stl: is not a mesh in the stl format"),
        ("b" * 300 + ".obj", None, "cannot be read: File name too long"),
        ("webots://a.obj", None, "the mesh 'webots://a.obj', which is not beside the file"),
    ],
)
def test_a_mesh_that_is_not_read_says_why(tmp_path: Path, url: str, content: bytes | None, why: str | None) -> None:
    """The inertia is unknown, and the file is read all the same; a mesh of nothing is no shape."""
    if content is not None:
        (tmp_path / url).write_bytes(content)
    found = mesh_on_hinge(tmp_path, url)
    if why is None:
        assert found.inertia == 1.0 and found.load.assumed
    else:
        assert found.inertia is None and found.dynamic
        assert re.search(rf"w\.wbt, line 1: the boundingObject is .*{why}", found.load.missing)


def test_a_mesh_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _written(tmp_path)
    monkeypatch.setattr(meshes, "LARGEST", 10)
    assert "larger than 1e-05 MB" in mesh_on_hinge(tmp_path, "plain.obj").load.missing
