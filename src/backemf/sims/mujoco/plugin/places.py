"""Where MuJoCo keeps things: how far into `mjModel` and `mjData` the pointers to arrays and single numbers stand.

Those structs differ between versions of MuJoCo, so each place is found in a small model of the installed one, by the
address of the array that Python sees, or by a number that is written there. Whether the places hold is tested for each
model that has motors.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from functools import lru_cache

from ...mujoco_joints import mujoco_module
from ...mujoco_types import MjData, MjModel

ARRAYS_OF_MODEL = ("actuator_biasprm", "dof_damping")
ARRAYS_OF_DATA = (
    "qvel", "ctrl", "qfrc_applied", "qacc", "qLD", "qLDiagInv", "moment_rownnz", "moment_rowadr", "moment_colind",
    "actuator_moment", "actuator_force", "qfrc_actuator", "qfrc_gravcomp", "qpos",
)  # fmt: skip
"""Arrays that motors read or write, those of the data with qpos last: it is found below qvel."""
OPTIONS = {"timestep": ("d", 0.0012345678), "integrator": ("i", 91273645), "disableflags": ("i", 73645127),
           "disableactuator": ("i", 64512739)}  # fmt: skip
"""Options that motors look at, their types, and a number that stands nowhere else."""
LARGEST = 1 << 20
"""Bytes into a struct that are looked through; what is looked for stands within it."""
PAGE = 4096
"""Bytes that the memory of every machine is made of at least."""
_SCRATCH = (
    '<mujoco><worldbody><body gravcomp="1"><joint name="a"/><geom size="1"/></body></worldbody>'
    '<actuator><motor joint="a"/></actuator></mujoco>'
)

Places = dict[str, int]
"""Bytes from the start of a struct, by name."""


@lru_cache(maxsize=1)
def find_places() -> tuple[Places, Places]:
    """Places in `mjModel` and in `mjData`; raises LookupError where MuJoCo does not show where its structs are."""
    mujoco = mujoco_module()
    model = mujoco.MjModel.from_xml_string(_SCRATCH)
    data = mujoco.MjData(model)
    try:
        of_model = {name: find_pointer(model, name) for name in ARRAYS_OF_MODEL}
        of_data = {name: find_pointer(data, name) for name in ARRAYS_OF_DATA[:-1]}
        # the whole buffer begins where its first array does, and comes before
        of_data["qpos"] = _find(data._address, _pointer(data, "qpos"), last_before=of_data["qvel"])
        data.time = 0.00123454321
        of_data["time"] = _find(data._address, struct.pack("d", data.time))
        for name, (code, number) in OPTIONS.items():
            setattr(model.opt, name, number)
            of_model[name] = _find(model._address, struct.pack(code, number))
    except AttributeError as error:
        raise LookupError(str(error)) from None
    return of_model, of_data


def places_hold(model: MjModel, data: MjData) -> bool:
    """Whether the places hold what Python sees of a model and its data."""
    of_model, of_data = find_places()
    pairs = [(model, name, of_model) for name in ARRAYS_OF_MODEL] + [(data, name, of_data) for name in ARRAYS_OF_DATA]
    # of an array without elements NumPy shows some other place
    arrays = all(
        ctypes.string_at(owner._address + places[name], 8) == _pointer(owner, name)
        for owner, name, places in pairs
        if getattr(owner, name).size
    )
    numbers = [(model._address + of_model[n], code, getattr(model.opt, n)) for n, (code, _) in OPTIONS.items()]
    numbers.append((data._address + of_data["time"], "d", data.time))
    return arrays and all(
        ctypes.string_at(address, struct.calcsize(code)) == struct.pack(code, value) for address, code, value in numbers
    )


def find_pointer(owner: MjModel | MjData, name: str) -> int:
    """Bytes from the start of a struct to the pointer to an array that has elements."""
    wanted = _pointer(owner, name)
    place = _find(owner._address, wanted)
    # arrays without elements point to where the next one begins, and come before it
    while ctypes.string_at(owner._address + place + len(wanted), len(wanted)) == wanted:
        place += len(wanted)
    return place


def find_number(owner: MjModel | MjData, wanted: bytes) -> int:
    """Bytes from the start of a struct to a number."""
    return _find(owner._address, wanted)


def _pointer(owner: MjModel | MjData, name: str) -> bytes:
    return struct.pack("P", getattr(owner, name).__array_interface__["data"][0])


def _find(address: int, wanted: bytes, last_before: int | None = None) -> int:
    """Bytes from an address to what is wanted: the first place, or the last one below another."""
    length = len(wanted)
    if last_before is not None:
        seen = ctypes.string_at(address, last_before)
        return max(k for k in _places_of(wanted, seen) if k % length == 0)
    seen = b""
    while len(seen) < LARGEST:
        # a page of memory of which a byte is there is there as a whole
        seen += ctypes.string_at(address + len(seen), PAGE - (address + len(seen)) % PAGE)
        for place in _places_of(wanted, seen):
            if place % length == 0:
                return place
    raise LookupError("a struct of MuJoCo has no such place")


def _places_of(wanted: bytes, seen: bytes) -> Iterator[int]:
    place = seen.find(wanted)
    while place >= 0:
        yield place
        place = seen.find(wanted, place + 1)
