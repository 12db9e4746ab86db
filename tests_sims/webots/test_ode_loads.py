"""What our joints move is what ODE moves: masses of shapes, random trees of solids, and bodies that swing and fall."""

import math
import random
from typing import Any

import numpy as np
import pytest
from ode import Mass
from ode_masses import about, added, declared, mesh, placed, shape, tensor

from backemf.sims import webots
from backemf.sims.webots import controller
from backemf.sims.webots.nodes import masses
from backemf.sims.webots.nodes.meshes import ode_mesh_mass

SHAPES = {
    "box": (masses.box((0.3, 0.5, 0.7)), ("Box", 0.3, 0.5, 0.7)),
    "sphere": (masses.sphere(0.4), ("Sphere", 0.4)),
    "cylinder along z": (masses.cylinder(0.2, 0.9, 2), ("Cylinder", 3, 0.2, 0.9)),
    "cylinder along y": (masses.cylinder(0.2, 0.9, 1), ("Cylinder", 2, 0.2, 0.9)),
    "capsule along z": (masses.capsule(0.2, 0.9, 2), ("Capsule", 3, 0.2, 0.9)),
    "flat capsule along y": (masses.capsule(0.7, 0.1, 1), ("Capsule", 2, 0.7, 0.1)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_weigh_what_odes_do(name: str) -> None:
    ours, theirs = SHAPES[name][0], shape(*SHAPES[name][1])
    assert ours.mass == pytest.approx(theirs.mass, rel=1e-12)
    assert np.allclose(ours.inertia, tensor(theirs), rtol=1e-12, atol=1e-12)


def test_a_mesh_weighs_what_odes_does() -> None:
    """A tetrahedron, which has no symmetry that could hide an error; ODE keeps meshes in single precision.

    ODE counts the way from the origin to the centre of mass twice: where it does no more, ours should not either.
    """
    points = np.array([[0.1, 0.2, 0.3], [1.0, 0.1, 0.2], [0.3, 1.2, 0.1], [0.2, 0.4, 0.9]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    ours, theirs = ode_mesh_mass(points[faces]), mesh(points, faces)
    assert ours is not None and ours.mass == pytest.approx(theirs.mass, rel=1e-6)
    assert np.allclose(ours.centre, theirs.c[:3], rtol=1e-6)
    assert np.allclose(ours.about_origin(), tensor(theirs), rtol=1e-6)
    assert ode_mesh_mass(points[faces[:, ::-1]]) is None and mesh(points, faces[:, ::-1]).mass < 0.0


# --- random trees of solids


class Tree:
    """A random solid with others on it: its text, and what ODE makes of it by Webots' own steps."""

    def __init__(self, draw: random.Random, depth: int = 0):
        self.draw, self.depth = draw, depth
        self.joints = False
        text, body = self._body()
        for _ in range(draw.randrange(3) if depth < 3 else 0):
            more, mass = self._more()
            text, body = f"{text} {more}", added([body, mass])
        physics, children = text.split("|", 1)
        place, at = self._place()
        self.text = f"Solid {{ {place} {physics} children [ {children} ] }}"
        self.mass = placed(body, *at)

    def _place(self) -> tuple[str, tuple[Any, Any]]:
        draw = self.draw
        axis = np.array([draw.gauss(0, 1) for _ in range(3)])
        axis /= np.linalg.norm(axis)
        rotation = (*axis, draw.uniform(-3, 3))
        translation = [draw.uniform(-0.5, 0.5) for _ in range(3)]
        words = " ".join(map(repr, map(float, translation))), " ".join(map(repr, map(float, rotation)))
        return f"translation {words[0]} rotation {words[1]}", (rotation, translation)

    def _geometry(self) -> tuple[str, Mass]:
        a, b, c = (self.draw.uniform(0.05, 0.4) for _ in range(3))
        return self.draw.choice([
            (f"Box {{ size {a} {b} {c} }}", shape("Box", a, b, c)),
            (f"Sphere {{ radius {a} }}", shape("Sphere", a)),
            (f"Shape {{ geometry Cylinder {{ radius {a} height {b} }} }}", shape("Cylinder", 3, a, b)),
            (f"Capsule {{ radius {a} height {b} }}", shape("Capsule", 3, a, b)),
        ])  # fmt: skip

    def _bounding(self) -> tuple[str, Mass]:
        kind = self.draw.randrange(3)
        if kind == 0:
            return self._geometry()
        parts = []
        for _ in range(1 if kind == 1 else 3):
            text, mass = self._geometry()
            words, at = self._place()
            parts.append((f"Pose {{ {words} children [ {text} ] }}", placed(mass, *at)))
        if kind == 1:
            return parts[0]
        return f"Group {{ children [ {' '.join(text for text, _ in parts)} ] }}", added([mass for _, mass in parts])

    def _body(self) -> tuple[str, Mass]:
        """Physics and boundingObject, a bar, and the mass of one solid in its own frame."""
        draw, ode = self.draw, declared()
        heavy, centre = draw.uniform(0.1, 5.0), [draw.uniform(-0.2, 0.2) for _ in range(3)]
        middle = " ".join(map(repr, centre))
        kind = draw.randrange(4)
        if kind == 0:
            numbers = [draw.uniform(0.02, 0.04) for _ in range(3)] + [draw.uniform(-0.003, 0.003) for _ in range(3)]
            matrix, mass = " ".join(map(repr, numbers)), Mass()
            ode.dMassSetParameters(mass, heavy, 0.0, 0.0, 0.0, *numbers)
            ode.dMassTranslate(mass, *centre)
            return f"physics Physics {{ mass {heavy} centerOfMass [ {middle} ] inertiaMatrix [ {matrix} ] }} |", mass
        text, mass = self._bounding()
        if kind == 1:
            density = draw.uniform(100.0, 8000.0)
            ode.dMassAdjust(mass, mass.mass * density / 1000.0)
            return f"boundingObject {text} physics Physics {{ density {density} }} |", mass
        ode.dMassAdjust(mass, heavy)
        if kind == 2:
            return f"boundingObject {text} physics Physics {{ density -1 mass {heavy} }} |", mass
        ode.dMassTranslate(mass, *(a - b for a, b in zip(centre, mass.c, strict=False)))
        return f"boundingObject {text} physics Physics {{ mass {heavy} centerOfMass [ {middle} ] }} |", mass

    def _more(self) -> tuple[str, Mass]:
        """A solid on this one: fixed, on a joint, in a pose, or one without Physics, which weighs nothing."""
        below = Tree(self.draw, self.depth + 1)
        kind = self.draw.randrange(4)
        if kind == 0:
            return below.text, below.mass
        if kind == 1:
            self.joints = True
            return f"HingeJoint {{ endPoint {below.text} }}", below.mass
        if kind == 2:
            words, at = self._place()
            return f"Group {{ children [ Pose {{ {words} children [ {below.text} ] }} ] }}", placed(below.mass, *at)
        return f"Solid {{ boundingObject Box {{ }} children [ {below.text} ] }}", added([])


def vector(draw: random.Random) -> list[float]:
    return [draw.uniform(-1.0, 1.0) for _ in range(3)]


@pytest.mark.parametrize("seed", range(30))
def test_random_trees_of_solids_are_odes(seed: int) -> None:
    """Inertia about a random axis, and the mass on a slider."""
    draw = random.Random(seed)
    tree, axis, anchor = Tree(draw), vector(draw), vector(draw)
    where = f"axis {' '.join(map(repr, axis))} anchor {' '.join(map(repr, anchor))}"
    hinge = f"HingeJoint {{ jointParameters HingeJointParameters {{ {where} }} endPoint {tree.text} }}"
    (found,) = [joint for joint in webots.read_world(hinge).joints if joint.line == 1][:1]
    assert found.inertia == pytest.approx(about(tree.mass, anchor, axis), rel=1e-9)
    slider = f"SliderJoint {{ device LinearMotor {{ }} endPoint {tree.text} }}"
    assert webots.read_world(slider).joints[0].inertia == pytest.approx(tree.mass.mass, rel=1e-12)


# --- gravity


class Swinging:
    """A body of ODE's on a hinge or slider to the world, under gravity alone."""

    def __init__(self, mass: Mass, kind: str, anchor: Any, axis: Any, gravity: Any, dt: float):
        ode = self.ode = declared()
        self.kind, self.dt, self.turns, self.last = kind, dt, 0.0, 0.0
        self.world = ode.dWorldCreate()
        ode.dWorldSetGravity(self.world, *gravity)
        # a joint that does not give way, as ours
        ode.dWorldSetCFM(self.world, 0.0)
        body = ode.dBodyCreate(self.world)
        centre = list(mass.c[:3])
        own = Mass.from_buffer_copy(mass)
        ode.dMassTranslate(own, *(-x for x in centre))
        own.c[0] = own.c[1] = own.c[2] = 0.0
        ode.dBodySetMass(body, own)
        ode.dBodySetPosition(body, *centre)
        self.joint = getattr(ode, f"dJointCreate{kind}")(self.world, None)
        ode.dJointAttach(self.joint, body, None)
        if kind == "Hinge":
            ode.dJointSetHingeAnchor(self.joint, *anchor)
        getattr(ode, f"dJointSet{kind}Axis")(self.joint, *axis)

    def step(self) -> tuple[float, float]:
        """Position and velocity after a step [rad], [m]."""
        ode, words = self.ode, ("Angle", "AngleRate") if self.kind == "Hinge" else ("Position", "PositionRate")
        ode.dWorldStep(self.world, self.dt)
        position, rate = (getattr(ode, f"dJointGet{self.kind}{word}")(self.joint) for word in words)
        if self.kind == "Hinge":
            self.turns += -2 * math.pi if position - self.last > math.pi else 0.0
            self.turns += 2 * math.pi if position - self.last < -math.pi else 0.0
            self.last = position
        return position + self.turns, rate

    def close(self) -> None:
        self.ode.dWorldDestroy(self.world)


def runs(text: str, kind: str, steps: int) -> list[tuple[float, float]]:
    """Positions and velocities of the only joint of a world whose motor has no torque."""
    found = []
    robot = webots.from_world(webots.read_world(text))
    with webots.simulate(robot, duration=1e3, hints=False) as simulation:
        script = controller.Robot()
        axis = simulation.axes[0]
        for _ in range(steps):
            script.step(1)
            found.append((axis.position, axis.speed))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_body_swings_as_in_ode(seed: int) -> None:
    """The first step to 1e-9, and two seconds of swinging to 0.1 % of the way, on a base that is turned somehow."""
    draw = random.Random(100 + seed)
    tree, axis, anchor, turn, start = Tree(draw), vector(draw), vector(draw), vector(draw), draw.uniform(-2, 2)
    unit = np.array(turn) / np.linalg.norm(turn)
    words = [" ".join(map(repr, map(float, row))) for row in (axis, anchor, (*unit, 1.1))]
    text = f"""WorldInfo {{ basicTimeStep 1 gravity 9.81 }}
    Robot {{ rotation {words[2]} children [ HingeJoint {{
      jointParameters HingeJointParameters {{ axis {words[0]} anchor {words[1]} position {start} }}
      device RotationalMotor {{ maxTorque 0 }} endPoint {tree.text} }} ] }}"""
    rotation = masses.rotation_matrix(unit, 1.1)
    theirs = Swinging(tree.mass, "Hinge", anchor, axis, rotation.T @ [0.0, 0.0, -9.81], 1e-3)
    ours = runs(text, "Hinge", 2000)
    reference = [theirs.step() for _ in range(2000)]
    theirs.close()
    assert ours[0][1] == pytest.approx(reference[0][1], rel=1e-9)
    way = max(abs(position) for position, _ in reference)
    assert way > 0.05
    worst = max(abs(mine[0] - start - his[0]) for mine, his in zip(ours, reference, strict=True))
    assert worst < 1e-3 * way


def test_a_slider_falls_as_in_ode() -> None:
    """A tilted slider gains g·cos of its slope."""
    draw = random.Random(7)
    tree, axis = Tree(draw), np.array([0.6, 0.0, -0.8])
    text = f"""WorldInfo {{ basicTimeStep 1 }} Robot {{ children [ SliderJoint {{
      jointParameters JointParameters {{ axis 0.6 0 -0.8 }}
      device LinearMotor {{ maxForce 0 }} endPoint {tree.text} }} ] }}"""
    theirs = Swinging(tree.mass, "Slider", None, axis, [0.0, 0.0, -9.81], 1e-3)
    ours = runs(text, "Slider", 200)
    reference = [theirs.step() for _ in range(200)]
    theirs.close()
    assert ours[-1][1] == pytest.approx(9.81 * 0.8 * 0.2, rel=1e-4)
    assert np.allclose(ours, reference, rtol=1e-4, atol=1e-9)
