"""The motors' share of a step of MuJoCo as machine code, for any robot: `act` of `motors.py` on memory.

    callback(model, data)             what MuJoCo calls in the middle of a step
    before(context, block, model, data, record, rows)
                                      commit the last step, and hand over its torque for MuJoCo's look at the load
    after(context, block, model, data, record, programs, names, rows)
                                      load, laws, and the torque of this step
    commit(context, data, record)     the step is done

What is rare is left to Python: a code other than 0 says that nothing has been done.
"""

from __future__ import annotations

from ....engines.llvm_function import (
    DECLARATIONS,
    NUMBER,
    POINTER,
    SHORT,
    WHOLE,
    Function,
    Value,
)  # fmt: skip
from .contacts import write_contacts
from .glue import Glue, Setting
from .masses import find_load, write_solve
from .memory import BAD, CONTEXT, GROUP, HEAD, INTEGRATORS, MODEL, PROGRAM, SPREAD, VECTORS

SLOW, BUSY = 1, 2
"""Codes: Python has to look at this step; another thread is in the middle of a step with this model."""
NAN = float("nan")


def text_for(places: Setting) -> str:
    """All functions for a version of MuJoCo and a number of joints."""
    writers = (write_find, write_reset, write_commit, write_push, write_claim, write_before, write_after, write_forget,
               write_solve, write_actuate, write_contacts, write_callback)  # fmt: skip
    whole = [write(places).text() for write in writers]
    return "\n".join([DECLARATIONS, "@context = global ptr null", *whole])


def write_find(places: Setting) -> Function:
    """The block of a place in a table; none where it is not there."""
    f = Function("_find", {"table": POINTER, "place": WHOLE}, POINTER, internal=True)
    shift = f.load(f["table"], 0, WHOLE)
    row = f.variable(WHOLE, (f["place"] >> 4) * (SPREAD - (1 << 64)) >> shift)
    mask = f.whole_number(-1) >> shift
    with f.loop(mask + 1):
        entry = f.place(f["table"], row.now * 2 + 2, WHOLE)
        key = f.load(entry, 0, WHOLE)
        with f.when(key.is_("==", f["place"])):
            f.give_back(f.load(entry, 1, POINTER))
        with f.when(key.is_("==", 0)):
            f.give_back(0)
        row.set((row.now + 1) & mask)
    f.give_back(0)
    return f


def write_reset(places: Setting) -> Function:
    """The motors of a record back to the start."""
    f = Glue("reset", {"context": POINTER, "record": POINTER}, places)
    f.copy(f.place(f["record"], f.whole("state_at")), f.at("initial"), f.whole("state_size"))
    f.copy(f.place(f["record"], f.whole("after_at")), f.at("initial"), f.whole("state_size"))
    with f.joints() as k:
        for name in ("torque", "slip", "done_cut"):
            f.store(f.vector(name), k, 0.0)
        for name in ("done_mean", "done_slope", "done_speed"):
            f.store(f.vector(name), k, NAN)
    done = f.place(f["record"], f.whole("done_at"))
    with f.loop(f.whole("out_size")) as k:
        f.store(done, k, NAN)
    f.set_head("time", NAN)
    f.set_head("ended", -float("inf"))
    f.set_head("begun", 0.0)
    return f


def write_commit(places: Setting) -> Function:
    """The step is done: motors are where they are after it, and gave the torque of the speed that came.

    Where that is not finite, the motors start anew.
    """
    f = Glue("commit", {"context": POINTER, "data": POINTER, "record": POINTER}, places)
    with f.when(f.whole("clipped").is_("!=", 0)):
        _find_cut(f)
    qvel, dt, bad = f.of("data", "qvel"), f.load(f.at("timestep"), 0), f.flag()
    with f.joints() as k:
        velocity = f.load(qvel, f.load(f.at("dofs"), k, WHOLE))
        slope = f.load(f.vector("slope"), k)
        given = f.load(f.vector("mean"), k) - slope * (velocity - f.load(f.vector("speed"), k))
        given = given - f.load(f.vector("done_cut"), k)
        slip = dt * (velocity - f.load(f.vector("ends"), k))
        for name, value in (("done_mean", given), ("done_slope", slope), ("done_speed", velocity), ("torque", given)):
            f.store(f.vector(name), k, value)
        f.store(f.vector("slip"), k, slip)
        f.raise_flag(bad, f.is_finite(given + slip).not_())
    with f.when(bad.now):
        f.call("reset", f["context"], f["record"])
        f.give_back()
    f.copy(f.place(f["record"], f.whole("state_at")), f.place(f["record"], f.whole("after_at")), f.whole("state_size"))
    f.copy(f.place(f["record"], f.whole("done_at")), f.place(f["record"], f.whole("out_at")), f.whole("out_size"))
    f.set_head("time", NAN)
    f.set_head("ended", f.single("data", "time", NUMBER))
    f.set_head("begun", 1.0)
    return f


def _find_cut(f: Glue) -> None:
    """What `actuatorfrcrange` of the joints took off the torque of their actuators, into `done_cut`."""
    asked = f.vector("asked")
    with f.joints() as k:
        f.store(asked, k, 0.0)
    force, moment = f.of("data", "actuator_force"), f.of("data", "actuator_moment")
    lengths, begins = f.of("data", "moment_rownnz"), f.of("data", "moment_rowadr")
    columns, freedoms = f.of("data", "moment_colind"), f.at("freedoms")
    with f.loop(f.whole("actuator_count")) as row:
        begin = f.widen(f.load(begins, row, SHORT))
        with f.loop(begin + f.widen(f.load(lengths, row, SHORT)), begin) as place:
            joint = f.load(freedoms, f.widen(f.load(columns, place, SHORT)), WHOLE)
            with f.when(joint.is_(">=", 0)):
                more = f.load(moment, place) * f.load(force, row)
                f.store(asked, joint, f.load(asked, joint) + more)
    got, gravity = f.of("data", "qfrc_actuator"), f.of("data", "qfrc_gravcomp")
    with f.joints() as k:
        dof = f.load(f.at("dofs"), k, WHOLE)
        held = f.load(f.at("gravity"), k, WHOLE).is_("!=", 0)
        whole = f.load(asked, k) + f.choose(held, f.load(gravity, dof), 0.0)
        cut = whole - f.load(got, dof)
        # rounding of the sums is not a limit
        real = f.size(cut).is_(">", f.size(whole) * 1e-12).and_(
            f.load(f.at("clipped"), k, WHOLE).is_("!=", 0)
        )  # fmt: skip
        f.store(f.vector("done_cut"), k, f.choose(real, cut, 0.0))


def write_push(places: Setting) -> Function:
    """Hand over a torque at this velocity, `asked`, with a slope in the bias of the actuators, `free`."""
    given = {"context": POINTER, "block": POINTER, "model": POINTER, "data": POINTER, "record": POINTER}
    f = Glue("_push", given, places)
    bias, width = f.of("model", "actuator_biasprm"), f.whole("bias_width")
    applied = f.of("data", "qfrc_applied")
    wrote = f.head("wrote").is_("!=", 0.0).or_(f.load(f["block"], MODEL.index("wrote"), WHOLE).is_("!=", 0))
    writes = wrote.or_(f.whole("all_have").is_("==", 0))
    f.set_head("wrote", f.choose(writes, 1.0, f.head("wrote")))
    with f.joints() as k:
        torque, slope = f.load(f.vector("asked"), k), f.load(f.vector("free"), k)
        velocity, actuator = f.load(f.vector("velocity"), k), f.load(f.at("actuators"), k, WHOLE)
        has = actuator.is_(">=", 0)
        with f.when(has):
            gear, row = f.load(f.at("gears"), k), actuator * width
            f.store(bias, row, (torque + slope * velocity) / gear)
            f.store(bias, row + 2, slope / (gear * gear * -1.0))
        with f.when(writes):
            # the passive forces of this step already have what stands in the damping: make up for it
            extra = f.choose(has, 0.0, torque)
            sum_ = f.load(f.vector("applied"), k) + extra + f.load(f.block_vector("standing"), k) * velocity
            f.store(f.vector("applied_written"), k, sum_)
            f.store(applied, f.load(f.at("dofs"), k, WHOLE), sum_)
    return f


def write_claim(places: Setting) -> Function:
    """A model for this thread's step: BUSY where another thread may be in the middle of one."""
    f = Glue("claim", {"context": POINTER, "block": POINTER, "record": POINTER}, places, WHOLE)
    lock, code = f.place(f["block"], MODEL.index("lock"), WHOLE), f.variable(WHOLE, 0)
    me = f.call(f.at("thread"), returns=WHOLE)
    f.take_lock(lock)
    other = f.load(f["block"], MODEL.index("record"), POINTER)
    changes = f.load(f["block"], MODEL.index("thread"), WHOLE).is_("!=", me)
    there = f.as_whole(other).is_("!=", 0)
    with f.when(changes.and_(there)):
        # MuJoCo is through with a step when time has gone on
        data = f.load(other, HEAD.index("data"), POINTER)
        now = f.load(f.place(data, f.of_data["time"], "i8"), 0)
        begun = f.load(other, HEAD.index("time"))
        inside = begun.is_("==", begun).and_(now.is_(">", begun).not_())
        inside = inside.or_(f.load(f["block"], MODEL.index("wrote"), WHOLE).is_("!=", 0))
        code.set(f.choose(inside, BUSY, 0, WHOLE))
    with f.when(code.now.is_("==", 0)):
        f.store(f["block"], MODEL.index("thread"), me, WHOLE)
        f.store(f["block"], MODEL.index("record"), f["record"], POINTER)
        # from here on this thread is in the middle of a step
        own = f.load(f["record"], HEAD.index("data"), POINTER)
        f.set_head("time", f.load(f.place(own, f.of_data["time"], "i8"), 0))
    f.free_lock(lock)
    f.give_back(code.now)
    return f


def write_forget(places: Setting) -> Function:
    """The data of a record goes: no model refers to it any more."""
    f = Glue("forget", {"block": POINTER, "record": POINTER}, places)
    lock = f.place(f["block"], MODEL.index("lock"), WHOLE)
    f.take_lock(lock)
    last = f.load(f["block"], MODEL.index("record"), WHOLE)
    with f.when(last.is_("==", f.as_whole(f["record"]))):
        f.store(f["block"], MODEL.index("record"), 0, WHOLE)
    f.free_lock(lock)
    return f


def write_before(places: Setting) -> Function:
    """Everything up to MuJoCo's look at the load."""
    given = {name: POINTER for name in ("context", "block", "model", "data", "record", "rows")}
    f = Glue("before", given, places, WHOLE)
    now, begun, slow = f.single("data", "time", NUMBER), f.head("time"), f.flag()
    f.raise_flag(slow, now.is_("==", now).not_())
    f.raise_flag(slow, f.single("model", "timestep", NUMBER).is_("!=", f.load(f.at("timestep"), 0)))
    f.raise_flag(slow, f.single("model", "disableactuator", SHORT).is_("!=", 0))
    flags = f.widen(f.single("model", "disableflags", SHORT))
    f.raise_flag(slow, (flags & f.whole("no_actuation")).is_("!=", 0))
    integrator = f.widen(f.single("model", "integrator", SHORT))
    known = [integrator.is_("==", f.whole(name)) for name in ("euler", "implicit", "implicitfast")]
    f.raise_flag(slow, known[0].or_(known[1]).or_(known[2]).not_())
    ctrl = f.of("data", "ctrl")
    with f.loop(f.whole("controls")) as k:
        f.raise_flag(slow, f.size(f.load(ctrl, k)).is_("<", BAD).not_())
    with f.when(f.as_whole(f["rows"]).is_("==", 0)), f.joints() as k:
        told = f.load(ctrl, f.load(f.at("places"), k, WHOLE))
        f.store(f.vector("told"), k, told)
        f.raise_flag(slow, f.size(told).is_("<=", f.load(f.at("bounds"), k)).not_())
    with f.when(slow.now):
        f.give_back(SLOW)
    _follow_time(f, now, begun)
    busy = f.call("claim", f["context"], f["block"], f["record"], returns=WHOLE)
    with f.when(busy.is_("!=", 0)):
        f.give_back(busy)
    _look(f)
    f.call("_push", *(f[name] for name in ("context", "block", "model", "data", "record")))
    f.store(f["context"], CONTEXT.index("last"), f["record"], POINTER)
    f.give_back(0)
    return f


def _follow_time(f: Glue, now: Value, begun: Value) -> None:
    """A step that is done is kept; where the time is not that at which the last one ended, a new run begins."""
    dt, ended = f.load(f.at("timestep"), 0), f.head("ended")
    waits = begun.is_("==", begun)
    with f.when(waits.and_(now.is_("!=", begun))):
        done = f.size(now - begun - dt).is_("<=", dt * 0.5)
        with f.when(done):
            f.call("commit", f["context"], f["data"], f["record"])
        with f.when(done.not_()):
            f.call("reset", f["context"], f["record"])
    with f.when(waits.not_().and_(f.is_finite(ended)).and_(f.size(now - ended).is_("<=", dt * 0.5).not_())):
        f.call("reset", f["context"], f["record"])


def _look(f: Glue) -> None:
    """Joint states, and forces and dampings of the user, which are kept beside what the motors write."""
    qpos, qvel, forces = f.of("data", "qpos"), f.of("data", "qvel"), f.of("data", "qfrc_applied")
    dampings = f.of("model", "dof_damping")
    wrote = f.head("wrote").is_("!=", 0.0)
    damped = f.load(f["block"], MODEL.index("wrote"), WHOLE).is_("!=", 0)
    with f.joints() as k:
        dof = f.load(f.at("dofs"), k, WHOLE)
        f.store(f.vector("position"), k, f.load(qpos, f.load(f.at("positions"), k, WHOLE)))
        f.store(f.vector("velocity"), k, f.load(qvel, dof))
        f.store(f.vector("asked"), k, f.load(f.vector("torque"), k))
        f.store(f.vector("free"), k, 0.0)
        # what still stands as it was written is the motors'
        applied, damping = f.load(forces, dof), f.load(dampings, dof)
        ours = wrote.and_(applied.is_("==", f.load(f.vector("applied_written"), k)))
        f.store(f.vector("applied"), k, f.choose(ours, f.load(f.vector("applied"), k), applied))
        ours = damped.and_(damping.is_("==", f.load(f.block_vector("damping_written"), k)))
        f.store(f.block_vector("damping"), k, f.choose(ours, f.load(f.block_vector("damping"), k), damping))
    # until their first step is done, rotors that backlash lets go have the speed of their joints
    with f.when(f.head("begun").is_("==", 0.0)), f.loop(f.whole("rotor_count")) as k:
        joint = f.load(f.at("rotors"), k * 2 + 1, WHOLE)
        speed = f.load(f.at("ratios"), k) * f.load(f.vector("velocity"), joint)
        f.store(f["record"], f.load(f.at("rotors"), k * 2, WHOLE), speed)


def write_after(places: Setting) -> Function:
    """Load on the joints, the laws of all motors, and their torque for MuJoCo's step."""
    names = ("context", "block", "model", "data", "record", "programs")
    f = Glue("after", {name: POINTER for name in names} | {"names": WHOLE, "rows": POINTER}, places)
    flags = f.widen(f.single("model", "disableflags", SHORT))
    integrator = f.widen(f.single("model", "integrator", SHORT))
    implicit = integrator.is_("!=", f.whole("euler"))
    undamped = (flags & f.whole("no_euler")).is_("!=", 0).and_(implicit.not_())
    damped = (flags & f.whole("no_damper")).is_("!=", 0).or_(undamped).not_()
    find_load(f, damped)
    _run_laws(f)
    # friction that holds a joint holds it against the others, and a slope that nobody integrates is solved here
    together, dt = f.flag(), f.load(f.at("timestep"), 0)

    def is_integrated(joint: Value) -> Value:
        has = f.load(f.at("actuators"), joint, WHOLE).is_(">=", 0)
        return damped.or_(implicit.and_(has))

    with f.joints() as k:
        alone = is_integrated(k).or_(f.load(f.vector("slope"), k).is_("==", 0.0))
        f.raise_flag(together, f.load(f.vector("grip"), k).is_("!=", 0.0).or_(alone.not_()))
        f.store(f.vector("speed"), k, f.load(f.vector("ends"), k))
    with f.when(together.now.and_(f.whole("count").is_(">", 1))):
        f.call("_solve", f["context"], f["data"], f["record"], dt)
    with f.joints() as k:
        has = f.load(f.at("actuators"), k, WHOLE).is_(">=", 0)
        slope = f.choose(is_integrated(k), f.load(f.vector("slope"), k), 0.0)
        f.store(f.vector("slope"), k, slope)
        more = slope * (f.load(f.vector("speed"), k) - f.load(f.vector("velocity"), k))
        f.store(f.vector("asked"), k, f.load(f.vector("mean"), k) + more)
        f.store(f.vector("free"), k, f.choose(has.and_(implicit), slope, 0.0))
    f.call("_push", *(f[name] for name in ("context", "block", "model", "data", "record")))
    all_in_bias = implicit.and_(f.whole("all_have").is_("!=", 0))
    written = f.load(f["block"], MODEL.index("wrote"), WHOLE).is_("!=", 0).or_(f.head("wrote").is_("!=", 0.0))
    with f.when(written.or_(all_in_bias.not_())):
        _write_damping(f)
    f.set_head("time", f.single("data", "time", NUMBER))
    return f


def _run_laws(f: Glue) -> None:
    """A call into the laws for each group, and their answers in the order of the joints."""
    told = f["rows"]
    inputs = ("position", "velocity", "load", "inertia", "load_slope", "slip")
    with f.loop(f.whole("group_count")) as g:
        group = f.place(f.at("groups"), g * len(GROUP), WHOLE)
        count, columns, states, lines, state_at, after_at, given_at, out_at = (
            f.load(group, k, POINTER if name == "columns" else WHOLE) for k, name in enumerate(GROUP)
        )
        given, state = f.place(f["record"], given_at), f.place(f["record"], state_at)
        after, out = f.place(f["record"], after_at), f.place(f["record"], out_at)
        f.copy(given, state, states * count)
        rows = f.variable(WHOLE, states)
        with f.loop(f["names"]) as name:
            source = f.place(told, name * f.whole("count"))
            _gather(f, given, rows.now, source, columns, count)
            rows.set(rows.now + 1)
        for name in inputs:
            _gather(f, given, rows.now, f.vector(name), columns, count)
            rows.set(rows.now + 1)
        f.copy(f.place(given, rows.now * count), f.place(state, states * count), lines * count)
        step, same, own = (f.load(f["programs"], g * len(PROGRAM) + k, POINTER) for k in range(len(PROGRAM)))
        f.call(step, count, (WHOLE, 0), count, same, own, given, after, out)
        for row, name in enumerate(("ends", "slope", "grip", "mean")):
            target, source = f.vector(name), f.place(out, count * row)
            with f.loop(count) as k:
                f.store(target, f.load(columns, k, WHOLE), f.load(source, k))


def _gather(f: Glue, given: Value, row: Value, source: Value, columns: Value, count: Value) -> None:
    """A row of the joints as one of a group."""
    target = f.place(given, row * count)
    with f.loop(count) as k:
        f.store(target, k, f.load(source, f.load(columns, k, WHOLE)))


def _write_damping(f: Glue) -> None:
    """The slope that no actuator takes, as damping of the joints: from the next step on part of the passive forces."""
    forces, dampings = f.of("data", "qfrc_applied"), f.of("model", "dof_damping")
    f.set_head("wrote", 1.0)
    f.store(f["block"], MODEL.index("wrote"), 1, WHOLE)
    with f.joints() as k:
        dof = f.load(f.at("dofs"), k, WHOLE)
        f.store(f.vector("applied_written"), k, f.load(forces, dof))
        standing = f.load(f.vector("slope"), k) - f.load(f.vector("free"), k)
        written = f.load(f.block_vector("damping"), k) + standing
        f.store(f.block_vector("standing"), k, standing)
        f.store(f.block_vector("damping_written"), k, written)
        f.store(dampings, dof, written)


def write_actuate(places: Setting) -> Function:
    """What MuJoCo finds for the actuators of a model that are all driven by motors, without asking each of them."""
    f = Glue("_actuate", {"context": POINTER, "data": POINTER, "record": POINTER}, places)
    forces = f.of("data", "qfrc_actuator")
    with f.loop(f.whole("freedom_count")) as k:
        f.store(forces, k, 0.0)
    with f.joints() as k:
        has = f.load(f.at("actuators"), k, WHOLE).is_(">=", 0)
        f.store(forces, f.load(f.at("dofs"), k, WHOLE), f.choose(has, f.load(f.vector("torque"), k), 0.0))
    return f


def write_callback(places: Setting) -> Function:
    """What MuJoCo calls in the middle of a step."""
    f = Glue("callback", {"model": POINTER, "data": POINTER}, places)
    context = Value(f, f.new("load ptr, ptr @context"), POINTER)

    def word(name: str, kind: str) -> Value:
        return f.load(context, (*CONTEXT, *INTEGRATORS).index(name), kind)

    def find(table: str, owner: str) -> Value:
        return f.call("_find", word(table, POINTER), f.as_whole(f[owner]), returns=POINTER)

    block = find("models", "model")
    with f.when(f.as_whole(block).is_("==", 0)):
        # a model without motors
        f.give_back()
    record, rows, code = find("datas", "data"), word("rows", POINTER), f.variable(WHOLE, SLOW)
    with f.when(f.as_whole(record).is_("!=", 0)):
        code.set(f.call("before", context, block, f["model"], f["data"], record, rows, returns=WHOLE))
    with f.when(code.now.is_("!=", 0)):
        # data that is seen for the first time, or something for Python to say
        f.call(word("slow", POINTER), f["model"], f["data"])
        f.give_back()
    alone = word("only_motors", WHOLE).is_("!=", 0)
    with f.when(alone.not_()):
        f.call(word("actuation", POINTER), f["model"], f["data"])
    with f.when(alone):
        f.call("_actuate", context, f["data"], record)
    f.call(word("acceleration", POINTER), f["model"], f["data"])
    found = f.call("_contacts", context, f["model"], f["data"], record, returns=WHOLE)
    with f.when(found.is_("==", 0)):
        f.call(word("constraint", POINTER), f["model"], f["data"])
    told_at = word("count", WHOLE) * VECTORS.index("told") + len(HEAD)
    own = f.place(record, told_at)
    told = f.choose(f.as_whole(rows).is_("==", 0), own, rows, POINTER)
    f.call(
        "after", context, block, f["model"], f["data"], record, word("programs", POINTER), word("names", WHOLE), told
    )
    return f
