"""What the joints do to each other, as machine code: from the factors that MuJoCo has of its mass matrix."""

from __future__ import annotations

from ....engines.llvm_function import FOUR, LANES, NUMBER, POINTER, WHOLE, Function, Value
from .glue import Glue, Setting


def find_load(f: Glue, damped: Value) -> None:
    """Torque and inertia of all but the motor at each joint, from MuJoCo's acceleration and factors of its masses.

    With M = LᵀDL, (M⁻¹)_ij = Σ y_ki·y_kj/D_k over the joints' ancestors k, where y has the columns of L⁻ᵀ for joints
    with motors: unit vectors, from each row of which the rows of its descendants are taken off.
    """
    acceleration, lower, diagonal = f.of("data", "qacc"), f.of("data", "qLD"), f.of("data", "qLDiagInv")
    columns, width, sums = f.place(f["record"], f.whole("columns")), f.width, f.place(f["record"], f.whole("matrix"))
    starts = range(0, width, LANES)
    totals = [f.variable(FOUR, f.four(f.number(0.0))) for _ in starts]
    begins, factors = f.at("factor_begins"), f.at("factors")
    with f.loop_down(f.whole("slots")) as k:
        unit = f.place(f.at("units"), k * width)
        row = [f.variable(FOUR, f.load_four(unit, c)) for c in starts]
        with f.loop(f.load(begins, k + 1, WHOLE), f.load(begins, k, WHOLE)) as place:
            # a descendant's row, and the factor between them
            other = f.place(columns, f.load(factors, place * 2, WHOLE))
            factor = f.four(f.load(lower, f.load(factors, place * 2 + 1, WHOLE)))
            for c, y in zip(starts, row, strict=True):
                y.set(y.now - factor * f.load_four(other, c))
        weight, done = f.four(f.load(diagonal, f.load(f.at("slot_dofs"), k, WHOLE))), f.place(columns, k * width)
        for c, y, total in zip(starts, row, totals, strict=True):
            f.store_four(done, c, y.now)
            total.set(total.now + y.now * y.now * weight)
    for c, total in zip(starts, totals, strict=True):
        f.store_four(sums, c, total.now)
    with f.joints() as k:
        inertia = f.number(1.0) / f.load(sums, k)
        a = f.load(acceleration, f.load(f.at("dofs"), k, WHOLE))
        f.store(f.vector("load"), k, inertia * a - f.load(f.vector("torque"), k))
        least, rest = inertia * 1e-9, inertia - f.load(f.at("armature"), k)
        f.store(f.vector("inertia"), k, f.choose(rest.is_("<", least), least, rest))
        own = f.load(f.block_vector("damping"), k)
        f.store(f.vector("load_slope"), k, f.choose(damped, own, own * 0.0))


def write_solve(places: Setting) -> Function:
    """Torque and speed at the end of the step of joints that move each other, as `Load.solve`.

    The matrix 1 + dt·M⁻¹·slope has the eigenvalues of a symmetric positive one: it is eliminated without pivots. `free`
    is the right side, and the speeds in the end; rows of the matrix are as wide as those of `columns`.
    """
    f = Glue("_solve", {"context": POINTER, "data": POINTER, "record": POINTER, "dt": NUMBER}, places)
    count, width, dt = f.whole("count"), f.width, f["dt"]
    matrix, columns = f.place(f["record"], f.whole("matrix")), f.place(f["record"], f.whole("columns"))
    free, acceleration, diagonal = f.vector("free"), f.of("data", "qacc"), f.of("data", "qLDiagInv")
    slopes, more = f.place(matrix, count * width), f.place(matrix, (count + 1) * width)
    starts = range(0, width, LANES)
    with f.joints() as i:
        # `grip` is the whole slope from here on
        whole = f.load(f.vector("slope"), i) + f.load(f.vector("grip"), i)
        f.store(f.vector("grip"), i, whole)
        f.store(slopes, i, whole)
        at_rest = f.load(f.vector("mean"), i) + whole * f.load(f.vector("ends"), i)
        f.store(more, i, at_rest - f.load(f.vector("torque"), i))
    with f.joints() as i:
        row, sums = f.place(matrix, i * width), [f.variable(FOUR, f.four(f.number(0.0))) for _ in starts]
        # what is not an ancestor of this joint does nothing to it
        begin, end = (f.load(f.at("path_begins"), each, WHOLE) for each in (i, i + 1))
        with f.loop(end, begin) as place:
            k = f.load(f.at("paths"), place, WHOLE)
            column = f.place(columns, k * width)
            weight = f.load(column, i) * f.load(diagonal, f.load(f.at("slot_dofs"), k, WHOLE))
            weights = f.four(weight * dt)
            for c, sum_ in zip(starts, sums, strict=True):
                sum_.set(sum_.now + weights * f.load_four(column, c))
        # what the torques do to this joint, four of them at a time
        pushes = f.variable(FOUR, f.four(f.number(0.0)))
        for c, sum_ in zip(starts, sums, strict=True):
            pushes.set(pushes.now + sum_.now * f.load_four(more, c))
            f.store_four(row, c, sum_.now * f.load_four(slopes, c))
        a = f.load(acceleration, f.load(f.at("dofs"), i, WHOLE))
        f.store(free, i, f.load(f.vector("velocity"), i) + dt * a + f.sum_of_four(pushes.now))
        f.store(row, i, f.load(row, i) + 1.0)
    with f.joints() as c:
        pivot = f.place(matrix, c * width)
        share, right = f.number(1.0) / f.load(pivot, c), f.load(free, c)
        held = [f.load_four(pivot, k) for k in starts]
        with f.loop(count, c + 1) as r:
            row = f.place(matrix, r * width)
            factor = f.load(row, c) * share
            f.store(free, r, f.load(free, r) - factor * right)
            factors = f.four(factor)
            for k, one in zip(starts, held, strict=True):
                f.store_four(row, k, f.load_four(row, k) - factors * one)
    with f.loop_down(count) as c:
        speed = f.load(free, c) / f.load(matrix, c * width + c)
        f.store(free, c, speed)
        with f.loop(c) as r:
            f.store(free, r, f.load(free, r) - f.load(matrix, r * width + c) * speed)
    with f.joints() as i:
        speed = f.load(free, i)
        f.store(f.vector("speed"), i, speed)
        beyond = f.load(f.vector("grip"), i) * (speed - f.load(f.vector("ends"), i))
        f.store(f.vector("mean"), i, f.load(f.vector("mean"), i) - beyond)
    return f
