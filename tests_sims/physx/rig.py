"""One joint of an articulation in real PhysX, with a drive that our files wrote."""

from __future__ import annotations

import math
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import ovstage
from ovphysx import PhysX
from ovphysx.samples.python_samples.schema_support import physx_schema_paths
from ovphysx.types import SimObjectType

from backemf.sims import physx

INERTIA = 0.5
"""Inertia of the link about the joint's axis, or its mass on a slide [kg·m²] [kg]."""
GRAVITY = 9.81
SCENE = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{{
    def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
    {{
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = {gravity}
        uniform token physxScene:solverType = "TGS"
        bool physxScene:enableExternalForcesEveryIteration = {often}
    }}
    def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"])
    {{
        int physxArticulation:solverPositionIterationCount = {positions}
        int physxArticulation:solverVelocityIterationCount = {velocities}
        float physxArticulation:sleepThreshold = 0
        def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 1
            float3 physics:diagonalInertia = (1, 1, 1)
        }}
        def PhysicsFixedJoint "ground"
        {{
            rel physics:body1 = </World/arm/base>
        }}
        def Xform "link" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"])
        {{
            float physics:mass = {mass}
            point3f physics:centerOfMass = ({arm}, 0, 0)
            float3 physics:diagonalInertia = ({inertia}, {inertia}, {inertia})
            float physxRigidBody:angularDamping = 0
            float physxRigidBody:linearDamping = 0
            float physxRigidBody:maxAngularVelocity = 1000000
            float physxRigidBody:maxLinearVelocity = 1000000
        }}
        def Physics{kind}Joint "joint"
        {{
            uniform token physics:axis = "{axis}"
            rel physics:body0 = </World/arm/base>
            rel physics:body1 = </World/arm/link>
        }}
    }}
}}
"""
_schemas: list[str] = []


def numbers(engine: PhysX, name: str) -> list[float]:
    """An attribute of all articulation joints of a running scene, in USD's units."""
    with engine.read_sync(SimObjectType.ARTICULATION_JOINT, [name]) as found:
        return [float(x) for group in found.groups for t in group.tensors for x in np.ravel(t.numpy())]


class Joint:
    """A joint of a running scene, in radians."""

    def __init__(self, engine: PhysX, instance: str) -> None:
        self.engine = engine
        self._unit = 1.0 if instance == "linear" else math.degrees(1.0)

    def get(self, name: str, degrees: int = 0) -> float:
        """An attribute; `degrees` is the power of a degree in its unit."""
        (value,) = numbers(self.engine, name)
        return value / self._unit**degrees

    def set(self, name: str, value: float, degrees: int = 0) -> None:
        """Write an attribute."""
        with self.engine.write_sync(SimObjectType.ARTICULATION_JOINT, name) as session:
            for group in session.groups:
                for tensor in group.tensors:
                    tensor.assign(np.full(tensor.shape, value * self._unit**degrees, np.float32))
                session.commit_sync(group)

    def state(self) -> tuple[float, float]:
        """Position [rad] and velocity [rad/s]."""
        return self.get("jointPosition", 1), self.get("jointVelocity", 1)

    def step(self, dt: float) -> tuple[float, float]:
        """Position [rad] and velocity [rad/s] after a step."""
        self.engine.step_sync(dt)
        return self.state()


@contextmanager
def joint_in_physx(
    drive: physx.UsdDrive,
    *,
    positions: int = 32,
    velocities: int = 1,
    arm: float = 0.0,
    gravity: float = 0.0,
    often: bool = True,
    inertia: float = INERTIA,
):
    """A joint whose drive was written to a file by `physx.author`, with a link of mass 1 kg at an arm [m].

    `often` says whether gravity and efforts enter in every position iteration, or once per step; `inertia` is that of
    the link about the joint's axis, or its mass on a slide [kg·m²] [kg].
    """
    linear = drive.instance == "linear"
    scene = SCENE.format(
        gravity=gravity,
        often=str(often).lower(),
        positions=positions,
        velocities=velocities,
        mass=inertia if linear else 1.0,
        arm=arm,
        inertia=inertia - arm * arm,
        kind="Prismatic" if linear else "Revolute",
        axis="X" if linear else "Y",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.usda"
        path.write_text(scene)
        physx.author(drive, path, "joint")
        with stage_in_physx(path) as engine:
            yield Joint(engine, drive.instance)


def numbers_in_physx(path: Path, names: tuple[str, ...]) -> dict[str, list[float]]:
    """Attributes of all articulation joints of a stage, in USD's units."""
    with stage_in_physx(path) as engine:
        return {name: numbers(engine, name) for name in names}


@contextmanager
def stage_in_physx(path: Path):
    """PhysX with a stage."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        if not _schemas:
            _schemas.extend(str(place) for place in physx_schema_paths())
            ovstage.population.register_usd_schemas(_schemas)
        stage = ovstage.Stage("scene")
        ovstage.population.open_usd(stage, str(path), ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        engine = PhysX()
        try:
            engine.wait_task(engine.attach_ovstage(stage, read_ordinal=1))
            # the first access would make a hidden step, so that the state is set after this
            engine.warmup()
            engine.wait_all()
            yield engine
        finally:
            engine.wait_task(engine.detach_ovstage())
            engine.destroy()
            stage.destroy()
