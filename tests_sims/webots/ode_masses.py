"""ODE's dMass through ctypes: the mass of each shape, and how masses turn, shift and add up."""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from ode import Mass, library

_REAL, _INT, _HANDLE, _MASS = ctypes.c_double, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Mass)
_ROTATION = _REAL * 12


@cache
def declared() -> Any:
    """The library with what is needed of masses and bodies declared."""
    ode = library()
    done = {
        "dMassSetZero": (_MASS,),
        "dMassSetBox": (_MASS, _REAL, _REAL, _REAL, _REAL),
        "dMassSetSphere": (_MASS, _REAL, _REAL),
        "dMassSetCylinder": (_MASS, _REAL, _INT, _REAL, _REAL),
        "dMassSetCapsule": (_MASS, _REAL, _INT, _REAL, _REAL),
        "dMassSetTrimesh": (_MASS, _REAL, _HANDLE),
        "dMassAdjust": (_MASS, _REAL),
        "dMassTranslate": (_MASS, _REAL, _REAL, _REAL),
        "dMassRotate": (_MASS, _ROTATION),
        "dMassAdd": (_MASS, _MASS),
        "dRFromAxisAndAngle": (_ROTATION, _REAL, _REAL, _REAL, _REAL),
        "dBodySetPosition": (_HANDLE, _REAL, _REAL, _REAL),
        "dGeomTriMeshDataBuildDouble": (_HANDLE, _HANDLE, _INT, _INT, _HANDLE, _INT, _INT),
        "dGeomTriMeshDataDestroy": (_HANDLE,),
        "dGeomDestroy": (_HANDLE,),
    }
    for name, arguments in done.items():
        getattr(ode, name).restype, getattr(ode, name).argtypes = None, list(arguments)
    ode.dGeomTriMeshDataCreate.restype, ode.dGeomTriMeshDataCreate.argtypes = _HANDLE, []
    ode.dCreateTriMesh.restype, ode.dCreateTriMesh.argtypes = _HANDLE, [_HANDLE] * 5
    return ode


def shape(name: str, *sizes: Any) -> Mass:
    """A shape at the density of water: dMassSet<name>."""
    mass = Mass()
    getattr(declared(), f"dMassSet{name}")(mass, 1000.0, *sizes)
    return mass


def mesh(points: Any, triangles: Any) -> Mass:
    """A closed mesh at the density of water: dMassSetTrimesh."""
    ode, mass = declared(), Mass()
    corners = np.ascontiguousarray(points, dtype=np.float64)
    indices = np.ascontiguousarray(triangles, dtype=np.uint32)
    data = ode.dGeomTriMeshDataCreate()
    ode.dGeomTriMeshDataBuildDouble(data, corners.ctypes.data, 24, len(corners), indices.ctypes.data, indices.size, 12)
    geom = ode.dCreateTriMesh(None, data, None, None, None)
    ode.dMassSetTrimesh(mass, 1000.0, geom)
    ode.dGeomDestroy(geom)
    ode.dGeomTriMeshDataDestroy(data)
    return mass


def placed(mass: Mass, rotation: Any, translation: Any) -> Mass:
    """The mass turned about its origin and shifted, in place; rotation is an axis and an angle [rad]."""
    ode, matrix = declared(), _ROTATION()
    ode.dRFromAxisAndAngle(matrix, *rotation)
    ode.dMassRotate(mass, matrix)
    ode.dMassTranslate(mass, *translation)
    return mass


def added(masses: list[Mass]) -> Mass:
    """Several masses as one."""
    whole = Mass()
    declared().dMassSetZero(whole)
    for mass in masses:
        declared().dMassAdd(whole, mass)
    return whole


def tensor(mass: Mass) -> Any:
    """Inertia about the origin of the mass's frame [kg·m²], shape (3, 3)."""
    return np.array(mass.inertia).reshape(3, 4)[:, :3]


def about(mass: Mass, point: Any, axis: Any) -> float:
    """Inertia about an axis through a point [kg·m²]."""
    copy = Mass.from_buffer_copy(mass)
    declared().dMassTranslate(copy, *(-np.asarray(point)))
    unit = np.asarray(axis) / np.linalg.norm(axis)
    return float(unit @ tensor(copy) @ unit)
