"""What contacts and other constraints do to the joints under the motors' last torque, as machine code.

MuJoCo's acceleration is the minimum of a convex cost. While no constraint changes its state, from sticking to sliding
or from touching to free, that cost is quadratic and one step of Newton's method is its minimum:
(M + JᵀDJ)·Δ = M·a - f - Jᵀ·force, which takes a third of the time of MuJoCo's solver. States are MuJoCo's own, before
and after the step, and the forces must balance after it. Where they do not after three steps, where contacts slide on
an elliptic cone, or where the model stops its solver early, MuJoCo solves it itself.
"""

from __future__ import annotations

import struct
from functools import lru_cache

import numpy as np

from ....engines.llvm_function import FOUR, LANES, NUMBER, POINTER, SHORT, WHOLE, Value
from ...mujoco_joints import mujoco_module
from ...mujoco_types import MjModel
from .glue import Glue, Setting
from .places import Places, find_number, find_pointer

ARRAYS = ("efc_J", "efc_D", "efc_aref", "efc_state", "qacc_warmstart", "qacc_smooth", "qfrc_smooth", "qfrc_constraint")
"""Arrays of the data that the solution needs."""
OPTIONS = {"solver": ("i", 41273641), "jacobian": ("i", 42273649), "noslip_iterations": ("i", 43273657),
           "enableflags": ("i", 44273663), "iterations": ("i", 46273687), "ls_iterations": ("i", 47273699),
           "tolerance": ("d", 0.0023456789)}  # fmt: skip
"""Options that are looked at in every step, their types, and a number that stands nowhere else."""
SAME = ("solver", "jacobian", "noslip_iterations", "enableflags")
"""Those that must be what they were when the motors were made."""
ITERATIONS, TOLERANCE = {"iterations": 10, "ls_iterations": 20}, 1e-6
"""Iterations that the model must allow at least, and its tolerance at most: a solver that stops earlier may be far
from the minimum."""
MOST_ROWS, MOST_FREEDOMS = 256, 128
"""Constraints and degrees of freedom at most."""
TRIES = 3
"""Steps of Newton's method at most."""
BALANCE = 1e-10
"""Force that may be left over at a joint, over the largest one: more is rounding, of constraints that are far stiffer
than the joints or after a step from far away."""
QUADRATIC, CONE = 1, 4
"""MuJoCo's states of a constraint that pushes in proportion, and of a contact that slides."""
_SCRATCH = (
    '<mujoco><worldbody><body><joint name="a" limited="true" range="-.1 .1"/><geom size="1"/></body></worldbody>'
    "</mujoco>"
)


@lru_cache(maxsize=1)
def contact_places() -> tuple[Places, Places] | None:
    """Places in `mjModel` and in `mjData`; None where MuJoCo does not show them."""
    mujoco = mujoco_module()
    model = mujoco.MjModel.from_xml_string(_SCRATCH)
    data = mujoco.MjData(model)
    data.qpos[0] = 1.0
    mujoco.mj_forward(model, data)
    try:
        states = mujoco.mjtConstraintState
        if (int(states.mjCNSTRSTATE_QUADRATIC), int(states.mjCNSTRSTATE_CONE)) != (QUADRATIC, CONE):
            return None
        of_data = {name: find_pointer(data, name) for name in ARRAYS}
        rows, data.nefc = data.nefc, 45273677
        of_data["nefc"] = find_number(data, struct.pack("i", 45273677))
        data.nefc = rows
        of_data["mass"] = find_pointer(data, "M")
        of_model: Places = {}
        for name, (code, number) in OPTIONS.items():
            setattr(model.opt, name, number)
            of_model[name] = find_number(model, struct.pack(code, number))
    except (AttributeError, LookupError):
        return None
    return of_model, of_data


def solved_freedoms(model: MjModel) -> int:
    """Degrees of freedom for which the code is written; 0: MuJoCo finds all accelerations of this model."""
    mujoco, options = mujoco_module(), model.opt
    if contact_places() is None or mujoco.mj_isSparse(model) or model.nv > MOST_FREEDOMS:
        return 0
    usual = options.solver == int(mujoco.mjtSolver.mjSOL_NEWTON) and not options.noslip_iterations
    asleep = options.enableflags & int(getattr(mujoco.mjtEnableBit, "mjENBL_SLEEP", 0))
    return int(model.nv) if usual and not asleep else 0


def contact_memory(freedoms: int) -> dict[str, int]:
    """Where the parts of a record's memory for contacts begin, and with "end" its length."""
    width = -(-freedoms // LANES) * LANES
    sizes = {"H": freedoms * width, "a": width, "rest": width, "share": width, "jar": MOST_ROWS, "old": MOST_ROWS}
    begins = np.cumsum([0, *sizes.values()]).tolist()
    return dict(zip((*sizes, "end"), begins, strict=True))


def mass_entries(model: MjModel) -> np.ndarray:
    """For each number of the mass matrix that MuJoCo keeps, its places in a full one."""
    width = -(-model.nv // LANES) * LANES
    rows = np.repeat(np.arange(model.nv), model.M_rownnz)
    columns = np.concatenate([model.M_colind[a : a + n] for a, n in zip(model.M_rowadr, model.M_rownnz, strict=True)])
    found = np.stack([rows * width + columns, columns * width + rows], axis=1)
    in_order = np.concatenate([np.arange(a, a + n) for a, n in zip(model.M_rowadr, model.M_rownnz, strict=True)])
    if not np.array_equal(in_order, np.arange(len(found))):
        raise LookupError("the mass matrix is kept otherwise")
    return found


def write_contacts(places: Setting) -> Glue:
    """Writes `qacc` under all constraints and returns 1; 0 says that MuJoCo has to find it."""
    given = {"context": POINTER, "model": POINTER, "data": POINTER, "record": POINTER}
    f = Glue("_contacts", given, places, WHOLE)
    if not places.freedoms:
        f.give_back(0)
        return f
    rows = f.widen(f.single("data", "nefc", SHORT))
    known = rows.is_("<=", MOST_ROWS).and_(f.whole("newton").is_("!=", 0))
    for name in SAME:
        known = known.and_(f.widen(f.single("model", name, SHORT)).is_("==", f.whole(name)))
    for name, least in ITERATIONS.items():
        known = known.and_(f.single("model", name, SHORT).is_(">=", least))
    known = known.and_(f.single("model", "tolerance", NUMBER).is_("<=", TOLERANCE))
    with f.when(known.not_()):
        f.give_back(0)
    free = f.whole("freedom_count")
    with f.when(rows.is_("==", 0)):
        f.copy(f.of("data", "qacc"), f.of("data", "qacc_smooth"), free)
        f.give_back(1)
    begins = contact_memory(places.freedoms)
    memory = f.place(f["record"], f.whole("contacts_at"))
    parts = {name: f.place(memory, begin) for name, begin in begins.items()}
    a, old, states = parts["a"], parts["old"], f.of("data", "efc_state")
    f.copy(a, f.of("data", "qacc_warmstart"), free)
    _update_states(f, parts, rows)
    _find_rest(f, parts)
    with f.loop(TRIES):
        slides = f.flag()
        with f.loop(rows) as r:
            state = f.widen(f.load(states, r, SHORT))
            f.store(old, r, state, WHOLE)
            f.raise_flag(slides, state.is_("==", CONE))
        with f.when(slides.now):
            f.give_back(0)
        _step_to_minimum(f, parts, rows)
        _update_states(f, parts, rows)
        again = f.flag()
        f.raise_flag(again, _find_rest(f, parts).not_())
        with f.loop(rows) as r:
            f.raise_flag(again, f.widen(f.load(states, r, SHORT)).is_("!=", f.load(old, r, WHOLE)))
        with f.when(again.now.not_()):
            f.copy(f.of("data", "qacc"), a, free)
            f.give_back(1)
    f.give_back(0)
    return f


def _update_states(f: Glue, parts: dict[str, Value], rows: Value) -> None:
    """States and forces of all constraints at the acceleration `a`, as MuJoCo finds them."""
    jar, aref = parts["jar"], f.of("data", "efc_aref")
    f.call(f.at("jacobian_times"), f["model"], f["data"], jar, parts["a"])
    with f.loop(rows) as r:
        f.store(jar, r, f.load(jar, r) - f.load(aref, r))
    f.call(f.at("constraint_update"), f["model"], f["data"], jar, (POINTER, 0), (SHORT, 0))


def _find_rest(f: Glue, parts: dict[str, Value]) -> Value:
    """How far the forces are from balance, M·a - f - Jᵀ·force, into `rest`; whether that is rounding alone."""
    rest, free = parts["rest"], f.whole("freedom_count")
    f.call(f.at("mass_times"), f["model"], f["data"], rest, parts["a"])
    smooth, pushed = f.of("data", "qfrc_smooth"), f.of("data", "qfrc_constraint")
    largest, off = f.variable(NUMBER, 0.0), f.flag()
    with f.loop(free) as k:
        forces = [f.load(each, k) for each in (rest, smooth, pushed)]
        f.store(rest, k, forces[0] - forces[1] - forces[2])
        for each in forces:
            size, most = f.size(each), largest.now
            largest.set(f.choose(size.is_(">", most), size, most))
    bound = largest.now * BALANCE
    with f.loop(free) as k:
        # what is not a number is not within any bound
        f.raise_flag(off, f.size(f.load(rest, k)).is_("<=", bound).not_())
    return off.now.not_().and_(f.is_finite(bound))


def _step_to_minimum(f: Glue, parts: dict[str, Value], rows: Value) -> None:
    """Take the acceleration `a` to the minimum of the cost, as long as all constraints stay as they are.

    `rest` is how far the forces are from balance, and the change of `a` in the end.
    """
    full, a, rest, shares = (parts[name] for name in ("H", "a", "rest", "share"))
    width = -(-f.freedoms // LANES) * LANES
    starts, free = range(0, width, LANES), f.whole("freedom_count")
    _sum_inertia(f, full, parts["old"], rows, width)
    # from the last joint to the first, as MuJoCo does: what is not connected stays so
    with f.loop_down(free) as c:
        pivot = f.place(full, c * width)
        share, right = f.number(1.0) / f.load(pivot, c), f.load(rest, c)
        f.store(shares, c, share)
        held = [f.load_four(pivot, k) for k in starts]
        with f.loop(c) as r:
            row = f.place(full, r * width)
            factor = f.load(pivot, r) * share
            with f.when(factor.is_("!=", 0.0)):
                f.store(rest, r, f.load(rest, r) - factor * right)
                factors = f.four(factor)
                for k, one in zip(starts, held, strict=True):
                    f.store_four(row, k, f.load_four(row, k) - factors * one)
    with f.loop(free) as c:
        row, sum_ = f.place(full, c * width), f.variable(NUMBER, f.load(rest, c))
        with f.loop(c) as r:
            sum_.set(sum_.now - f.load(row, r) * f.load(rest, r))
        change = sum_.now * f.load(shares, c)
        f.store(rest, c, change)
        f.store(a, c, f.load(a, c) - change)


def _sum_inertia(f: Glue, full: Value, states: Value, rows: Value, width: int) -> None:
    """M + JᵀDJ over the constraints that push in proportion, as a full matrix."""
    starts, free, mass = range(0, width, LANES), f.whole("freedom_count"), f.of("data", "mass")
    stiffness, jacobian = f.of("data", "efc_D"), f.of("data", "efc_J")
    none = f.four(f.number(0.0))
    with f.loop(free) as i, f.loop(width // LANES) as c:
        f.store_four(full, i * width + c * LANES, none)
    entries = f.at("mass_entries")
    with f.loop(f.whole("mass_count")) as k:
        for side in range(2):
            f.store(full, f.load(entries, k * 2 + side, WHOLE), f.load(mass, k))
    with f.loop(free) as i:
        own = f.place(full, i * width)
        sums = [f.variable(FOUR, f.load_four(own, c)) for c in starts]
        with f.loop(rows) as r:
            row = f.place(jacobian, r * free)
            factor = f.load(row, i) * f.load(stiffness, r)
            pushes = f.load(states, r, WHOLE).is_("==", QUADRATIC)
            with f.when(pushes.and_(factor.is_("!=", 0.0))):
                factors = f.four(factor)
                for c, sum_ in zip(starts, sums, strict=True):
                    sum_.set(sum_.now + factors * f.load_four(row, c))
        for c, sum_ in zip(starts, sums, strict=True):
            f.store_four(own, c, sum_.now)
