"""Whether an integrator holds the gains of a motor: what is said when it is attached, against MuJoCo itself.

A step that is unstable lets a disturbance grow by a factor ρ > 1 each time. After n steps it is ρⁿ as large, less what
a bad start gives away, so growth by a factor X shows in n steps where ρ > X^(1/n); between 1 and that bound a run of n
steps cannot tell, and only there may the sentence and the run differ.
"""

import itertools
import warnings

import numpy as np
import pytest
from long import some_now
from mujoco_rig import mujoco
from mujoco_write_rig import VERSION

import backemf as be
from backemf.errors import BackemfWarning
from backemf.sims.mujoco import Motors, attach
from backemf.sims.mujoco.motor import DcMotor
from backemf.sims.mujoco.stability import JointLoop, growth, loop_of, step_map
from backemf.sims.mujoco.versions import in_volts
from backemf.sims.mujoco_gains import StepMap, bare

OLD = in_volts(VERSION)
INTEGRATORS = ["Euler", "implicit", "implicitfast", "RK4"] + ([] if OLD else ["discrete"])
STEPS, FACTOR, AWAY = 400, 1e3, 1e3
"""Steps of a run, growth from which it is unstable, and what a bad start may give away."""
BAND = (FACTOR * AWAY) ** (1.0 / STEPS)
"""Growth in a step that a run shows without doubt: 3.5 %."""


def hinge(inertia: float, h: float, integrator: str, joint: str = "", flags: str = "") -> str:
    return (
        f'<mujoco><option timestep="{h}" integrator="{integrator}" gravity="0 0 0">{flags}</option><worldbody><body>'
        f'<joint name="j" axis="0 0 1" {joint}/><inertial pos="0 0 0" mass="1" '
        f'diaginertia="{inertia} {inertia} {inertia}"/></body></worldbody></mujoco>'
    )


def motor(inductance: float = 0.0, drag: float = 0.0) -> be.Motor:
    """K = 0.5 N·m/A and R = 0.8 Ω at the joint; a rotor of next to nothing."""
    return be.Motor(
        winding=be.Winding(resistance=0.8, inductance=inductance),
        magnet=be.Magnet(torque_constant=0.5, back_emf_constant=0.5),
        rotor=be.Rotor(inertia=1e-9),
        drag=be.Drag(coefficients=(drag,)) if drag else None,
    )


def judge(spec, thing) -> tuple[bool, str]:
    """Whether attaching says that the integrator is unstable, in the warning as in the row."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        written = attach(spec, thing, "j", armature="add", friction="add")
    row = next(change for change in written.changes if change.what == "integrator")
    said = [str(one.message) for one in caught if one.category is BackemfWarning]
    assert (row.status == "unstable") == bool(said) and len(said) < 2
    return bool(said), said[0] if said else ""


def diverges(model, size: float = 1e-9) -> bool:
    """Whether a small disturbance grows by FACTOR in MuJoCo; MuJoCo starts again where numbers get bad."""
    data = mujoco.MjData(model)
    data.qpos[:] = size * (-1.0) ** np.arange(model.nq)
    data.qvel[:] = size / model.opt.timestep * np.cos(np.arange(model.nv))
    for _ in range(STEPS):
        before = data.time
        mujoco.mj_step(model, data)
        largest = max(np.abs(data.qpos).max(), np.abs(data.qvel).max() * model.opt.timestep)
        if largest > FACTOR * size or data.time <= before:
            return True
    return False


def closed_form(p: float, d: float, b: float, inertia: float, h: float, integrator: str) -> bool:
    """h²·P + 2·h·D < 4·I with what is implicit beside the inertia; RK4 by its polynomial."""
    if integrator == "RK4":
        z = h * np.linalg.eigvals(np.array([[0.0, 1.0], [-p / inertia, -(d + b) / inertia]]))
        return bool(np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24).max() > 1.0 + 1e-9)
    soft = b + (0.0 if integrator == "Euler" else d) + (h * p if integrator == "discrete" else 0.0)
    pull = h * h * p + 2.0 * h * (d + b + (h * p if integrator == "discrete" else 0.0))
    return pull > 4.0 * (inertia + h * soft) * (1.0 + 1e-9)


@pytest.mark.parametrize("integrator", some_now(INTEGRATORS, {"Euler", "implicitfast"}.__contains__))
def test_the_sentence_is_what_the_run_does(integrator: str, tmp_path, monkeypatch):
    """Inertia x gains x step, with and without a damping of the joint: the closed form, the sentence and the run."""
    monkeypatch.chdir(tmp_path)
    seen, unclear = {True: 0, False: 0}, 0
    grid = itertools.product(
        (1e-4, 3e-3, 0.1), (0.0, 1.0, 50.0, 3e3), (0.0, 0.05, 0.6, 20.0), (0.0, 0.4), (5e-4, 2e-3, 1e-2)
    )
    for inertia, kp, kd, b, h in grid:
        if kp == kd == 0.0 or (OLD and kd == 0.0):
            # until 3.11 a kd below the back-EMF is a negative gain
            continue
        spec = mujoco.MjSpec.from_string(hinge(inertia, h, integrator, f'damping="{b}"'))
        said, _ = judge(spec, be.Actuator(motor(), controller=be.IdealPd(stiffness=kp, damping=kd)))
        case = (inertia, kp, kd, b, h)
        assert said == closed_form(kp, kd, b, inertia + 1e-9, h, integrator), case
        rho = growth(JointLoop(kp, kd, joint_damping=b), inertia + 1e-9, h, integrator)
        runs = diverges(spec.compile())
        seen[runs] += 1
        if runs != said:
            unclear += 1
            assert 1.0 < rho < BAND, case
    assert unclear <= 0.03 * sum(seen.values())
    assert seen[False] > 40 and (integrator == "discrete" or seen[True] > 10), seen


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(25))
def test_the_map_is_mujocos_step(integrator: str, seed: int):
    """With a lagging current, an integral, a spring and a damping of the joint and drag of the motor: 30 steps."""
    rng = np.random.default_rng(seed)
    inertia, h = 10.0 ** rng.uniform(-3, -1), 10.0 ** rng.uniform(-3.5, -2.5)
    te = 10.0 ** rng.uniform(-3.5, -2.0) * rng.integers(0, 2)
    gains = np.array([10.0, 5.0, 0.5]) * rng.uniform(0.0, 1.0, 3) * (1.0, rng.integers(0, 2), 1.0)
    b, k, drag = rng.uniform(0.0, 0.3, 3)
    word = "position" if OLD else "pos"
    element = (
        f'<actuator><dcmotor joint="j" motorconst="0.5" resistance="0.8" inductance="0 {te}" damping="{drag}" '
        f'input="{word}" controller="{gains[0]} {gains[1]} {gains[2]}"/></actuator></mujoco>'
    )
    text = hinge(inertia, h, integrator, f'damping="{b}" stiffness="{k}"').replace("</mujoco>", element)
    model = mujoco.MjModel.from_xml_string(text)
    loop = loop_of(DcMotor.read(model, 0, VERSION))._replace(joint_damping=b + drag, joint_stiffness=k)
    matrix = step_map(loop, inertia, h, integrator)
    data, state, peak, off = mujoco.MjData(model), np.array([1e-3, 0.05, 0.0, 0.0]), 1e-3, 0.0
    data.qpos[0], data.qvel[0] = state[:2]
    for _ in range(30):
        if peak > 1e3:
            # it grows in both, and MuJoCo starts again before long
            break
        mujoco.mj_step(model, data)
        state = matrix @ state
        peak, off = max(peak, abs(state[0])), max(off, abs(data.qpos[0] - state[0]))
    assert off < (1e-6 if integrator == "discrete" else 1e-9) * peak


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_the_remedies_hold(integrator: str, tmp_path, monkeypatch):
    """What the sentence names is stable in MuJoCo: the other integrator, and the shorter step."""
    monkeypatch.chdir(tmp_path)
    found = 0
    for kp, kd, inertia in itertools.product((1.0, 200.0), (0.5, 8.0), (1e-4, 1e-3)):
        servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=kp, damping=kd))
        said, words = judge(mujoco.MjSpec.from_string(hinge(inertia, 4e-3, integrator)), servo)
        if not said:
            continue
        assert words.startswith(f"joint 'j': the integrator {integrator} with timestep = 0.004 s is unstable")
        if 'integrator="implicitfast"' in words:
            found += 1
            spec = mujoco.MjSpec.from_string(hinge(inertia, 4e-3, "implicitfast"))
            assert not judge(spec, servo)[0] and not diverges(spec.compile())
        remedy = words.split("; take ")[1]
        if "timestep" not in remedy:
            # a hundred times shorter would not do
            assert closed_form(kp, kd, 0.0, inertia, 5e-5, integrator)
            continue
        shorter = float(remedy.split("timestep = ")[1].split(" s")[0])
        assert shorter < 4e-3
        spec = mujoco.MjSpec.from_string(hinge(inertia, shorter, integrator))
        assert not judge(spec, servo)[0] and not diverges(spec.compile())
        assert judge(mujoco.MjSpec.from_string(hinge(inertia, 1.25 * shorter, integrator)), servo)[0]
    assert found >= 4


def test_gains_that_no_step_holds_are_named_as_such():
    """An integral beyond kp·kd/I swings up in continuous time too."""
    kp, kd, inertia = 2.0, 0.6, 0.05
    for ki, bad in ((0.5 * kp * kd / inertia, False), (2.0 * kp * kd / inertia, True)):
        pid = be.Actuator(motor(), controller=be.TorquePid(kp=kp, ki=ki, kd=kd))
        said, words = judge(mujoco.MjSpec.from_string(hinge(inertia, 1e-3, "implicitfast")), pid)
        assert said == bad and (not bad or "with any integrator and any timestep" in words)


def test_euler_without_implicit_damping():
    """With eulerdamp disabled the damping of the joint is as explicit as that of the motor."""
    for flags, bad in (("", False), ('<flag eulerdamp="disable"/>', True)):
        spec = mujoco.MjSpec.from_string(hinge(1e-3, 2e-3, "Euler", 'damping="2"', flags))
        said, words = judge(spec, be.Actuator(motor(), controller=be.IdealPd(stiffness=1.0, damping=0.4)))
        assert said == bad == diverges(spec.compile()) and (not bad or "eulerdamp enabled" in words)


def test_voltage_gains_are_those_at_the_joint():
    """Volts per radian count K/R times, and the back-EMF K²/R is a damping beside kd."""
    pid = be.Actuator(motor(), controller=be.PositionPid(kp=16.0, kd=3.2))
    spec = mujoco.MjSpec.from_string(hinge(1e-3, 2e-3, "Euler"))
    said, words = judge(spec, pid)
    # K/R·16 = 10 N·m/rad; K/R·3.2 + K²/R = 2 + 0.3125 N·m·s/rad
    assert said and "10 N·m/rad and 2.312 N·m·s/rad on 0.001 kg·m²" in words


def arm(count: int, mass: float, h: float, integrator: str, flags: str = "", actuator: str = "") -> str:
    """Links of 0.3 m on hinges."""
    bodies = "".join(
        f'<body pos="0 0 {-0.3 if i else 0}"><joint name="j{i}" axis="0 1 0"/>'
        f'<inertial pos="0 0 -.15" mass="{mass}" diaginertia="{mass / 100} {mass / 100} {mass / 100}"/>'
        for i in range(count)
    )
    hands = "".join(actuator.format(i=i) for i in range(count))
    return (
        f'<mujoco><option timestep="{h}" integrator="{integrator}" gravity="0 0 0">{flags}</option><worldbody>{bodies}'
        f"{'</body>' * count}</worldbody><actuator>{hands}</actuator></mujoco>"
    )


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_no_false_alarm_on_an_arm(integrator: str, tmp_path, monkeypatch):
    """Joints that move each other are no steadier than each on the inertia 1/(M⁻¹)jj: where one is named, all go."""
    monkeypatch.chdir(tmp_path)
    named = 0
    for mass, kp, kd, h in itertools.product((0.01, 1.0), (1.0, 300.0), (0.6, 5.0), (2e-3, 1e-2)):
        spec = mujoco.MjSpec.from_string(arm(3, mass, h, integrator))
        servo, said = be.Actuator(motor(), controller=be.IdealPd(stiffness=kp, damping=kd)), False
        for joint in ("j0", "j1", "j2"):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                attach(spec, servo, joint, armature="add")
            said |= bool(caught)
        if said:
            named += 1
            assert diverges(spec.compile()), (mass, kp, kd, h)
    assert named > 0


# --- the plug-in


KINDS = {
    "torque": lambda kp, kd: be.Actuator(controller=be.IdealPd(stiffness=kp, damping=kd)),
    "motor": lambda kp, kd: be.Actuator(motor(), controller=be.IdealPd(stiffness=kp, damping=kd)),
    "coil": lambda kp, kd: be.Actuator(motor(4e-4), controller=be.IdealPd(stiffness=kp, damping=kd)),
    "loop": lambda kp, kd: be.Actuator(
        motor(), controller=be.IdealPd(stiffness=kp, damping=kd, current_bandwidth=2000.0)
    ),
    "volts": lambda kp, kd: be.Actuator(motor(), controller=be.PositionPid(kp=kp, kd=kd)),
    "substeps": lambda kp, kd: be.Actuator(motor(), controller=be.IdealPd(stiffness=kp, damping=kd), substeps=3),
    "integral": lambda kp, kd: be.Actuator(motor(), controller=be.TorquePid(kp=kp, ki=2.0 * kp, kd=kd)),
}
EXPLICIT = '<flag eulerdamp="disable"/>'
SETTINGS = [("implicitfast", "", 0.0), ("Euler", "", 0.0), ("Euler", EXPLICIT, 0.0), ("Euler", EXPLICIT, 20.0)]
"""Integrators, flags, and the damping of the joints themselves [N·m·s/rad]."""


def damped(damping: float, text: str) -> str:
    """A robot whose joints have a damping of their own."""
    return text.replace("axis=", f'damping="{damping}" axis=')


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", some_now([1, 3], lambda count: count == 1))
def test_motors_warn_of_what_they_do_not_hold(kind: str, count: int, tmp_path, monkeypatch):
    """One hinge, and an arm whose links move each other, with every integrator, slopes that it takes or does not."""
    monkeypatch.chdir(tmp_path)
    seen = {True: 0, False: 0}
    steps, factor = 80, 1e2
    band = (factor * 1e3) ** (1.0 / steps)
    for (integrator, flags, damping), kp, kd in itertools.product(SETTINGS, (1.0, 1e4), (0.05, 5.0)):
        text = arm(count, 0.1, 5e-3, integrator, flags, '<motor joint="j{i}"/>')
        model = mujoco.MjModel.from_xml_string(damped(damping, text))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            motors = Motors(model, {"j.*": KINDS[kind](kp, kd)}, engine="numpy")
        said = [one for one in caught if one.category is BackemfWarning]
        assert len(said) <= 1 and all(one.filename == __file__ for one in said)
        rho = StepMap(model, [bare(each) for each in motors.robot.actuators], motors._joints).growth(5e-3)
        data, size = mujoco.MjData(model), 1e-8
        data.qpos[:], data.qvel[:] = size * (-1.0) ** np.arange(count), size / 5e-3 * np.cos(np.arange(count))
        runs = False
        for _ in range(steps):
            motors.step(data, 0.0)
            runs |= bool(max(np.abs(data.qpos).max(), np.abs(data.qvel).max() * 5e-3) > factor * size)
            if runs:
                break
        seen[runs] += 1
        assert runs == bool(said) or 1.0 < rho < band, (integrator, flags, damping, kp, kd, rho)
    # what joints damp from the start of the step runs away, whatever the motors do at its end
    assert seen[False] > 1 and seen[True] > 1, seen


def test_the_remedies_of_motors_hold():
    """The integrator that the warning names is taken without a word: with it every damping holds at any step."""
    servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=300.0, damping=1.0))
    explicit, implicit = (
        mujoco.MjModel.from_xml_string(damped(5.0, arm(2, 0.1, 1e-2, *given)))
        for given in (("Euler", EXPLICIT), ("implicitfast",))
    )
    with pytest.warns(BackemfWarning, match='is unstable with timestep = 0.01 s.*take integrator="implicitfast"'):
        Motors(explicit, {"j.*": servo}, engine="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Motors(implicit, {"j.*": servo}, engine="numpy")


def test_motors_hold_without_implicit_damping():
    """Euler without eulerdamp takes no slope of a torque: the motors solve for all joints, and no gain is too stiff."""
    servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=3000.0, damping=1.0))
    model = mujoco.MjModel.from_xml_string(arm(2, 0.1, 1e-2, "Euler", EXPLICIT))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motors, data = Motors(model, {"j.*": servo}, engine="numpy"), mujoco.MjData(model)
    data.qvel[:] = 1.0, -1.0
    for _ in range(300):
        motors.step(data, 0.0)
    assert np.abs(data.qvel).max() < 1e-3
