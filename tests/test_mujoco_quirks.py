"""Where MuJoCo 4.0's `dcmotor` departs from physics: the difference, and that ours is on the side of physics."""

from dataclasses import replace

import numpy as np
import pytest
from mujoco_rig import NEWEST, Recording, Rig, drive, replay

from backemf.actuator import Actuator, Supply
from backemf.errors import ParameterError
from backemf.motor import (
    Cogging,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LuGre,
    Magnet,
    Motor,
    Rotor,
    Stage,
    Thermal,
    Winding,
)
from backemf.physics.demand import Demand
from backemf.physics.step import coupled

pytestmark = NEWEST
R, K, INERTIA = 1.2, 0.05, 1e-3
"""Resistance [Ω], motor constant [N·m/A] and inertia on the hinge [kg·m²] unless a test says otherwise."""


def motor(*, inductance: float = 0.0, kt: float = K, ke: float = K, copper: float = 0.0039, **parts) -> Motor:
    return Motor(
        winding=Winding(resistance=R, inductance=inductance, temperature_coefficient=copper),
        magnet=Magnet(torque_constant=kt, back_emf_constant=ke),
        rotor=Rotor(inertia=1e-5),
        **parts,
    )


def run_locked(rig: Rig, volts: float, steps: int) -> Recording:
    """A run with the hinge held still."""
    still = np.zeros((steps, 1))
    return rig.run(np.full((steps, 1), volts), position=still, velocity=still)


def run_turning(rig: Rig, speed: np.ndarray) -> Recording:
    """A run with the hinge moved at these speeds and no current: the voltage is the back-EMF."""
    speed = np.asarray(speed, dtype=float)[:, None]
    angle = np.cumsum(speed, axis=0) * rig.dt
    return rig.run(rig.motor.ratio * rig.motor.magnet.back_emf_constant * speed, position=angle, velocity=speed)


# 1: the controller's voltage limit


@pytest.mark.parametrize("inductance", [0.0, 1e-3])
def test_supply_voltage_limits_the_torque(inductance: float):
    """A 12 V supply cannot drive more than 12 V/R through a locked winding; MuJoCo's Vmax lets 24 V through."""
    supply, command = 12.0, 24.0
    one = motor(inductance=inductance)
    theirs = run_locked(Rig(one, INERTIA, 0.001, controller=(0, 0, 0, 0, 0, supply)), command, 50)
    assert theirs.force[-1] == pytest.approx(K * command / R, rel=1e-9)

    step = Actuator(one, Supply(voltage=supply)).compile("numpy")
    state = step.initial()
    for _ in range(50):
        state, out = step(state, command, 0.0, 0.0, 0.001)
    assert out.torque == pytest.approx(K * supply / R, rel=1e-12)


# 2: the current-rate limit


@pytest.mark.parametrize(("time_constants", "share"), [(0.5, 0.787), (5.0, 0.199)])
def test_current_rate_limit_holds_over_the_step(time_constants: float, share: float):
    """A limit of 200 A/s is 200 A/s, whatever the step; MuJoCo's is te(1 - exp(-h/te))/h of it: 79 % at te = 2h."""
    rate, dt, volts = 200.0, 0.001, 24.0
    inductance = R * dt / time_constants
    assert volts / inductance > 20 * rate, "the winding itself would be much faster"
    one = motor(inductance=inductance, limits=Limits(current_rate=rate))
    theirs = run_locked(Rig(one, INERTIA, dt), volts, 40)
    measured = np.diff(theirs.states["current"][:, 0]) / dt
    assert measured == pytest.approx(-np.expm1(-time_constants) / time_constants * rate, rel=1e-9)
    assert measured[0] / rate == pytest.approx(share, abs=1e-3)

    ours = np.diff(replay(one, theirs).states["current"][:, 0]) / dt
    assert ours == pytest.approx(rate, rel=1e-12)


def test_current_ramp_does_not_depend_on_the_step():
    """The current 20 ms into a limited ramp is rate·t for every step size; in MuJoCo it changes with the step."""
    rate, duration = 200.0, 0.02
    one = motor(inductance=0.5e-3 * R, limits=Limits(current_rate=rate))
    reached = {"theirs": [], "ours": []}
    for dt in (0.002, 0.001, 0.0005):
        theirs = run_locked(Rig(one, INERTIA, dt), 24.0, round(duration / dt))
        reached["theirs"].append(theirs.states["current"][-1, 0])
        reached["ours"].append(replay(one, theirs).states["current"][-1, 0])
    assert reached["ours"] == pytest.approx([rate * duration] * 3, rel=1e-12)
    assert max(reached["theirs"]) / min(reached["theirs"]) > 2.5


# 3: saturation


def test_limited_current_heats_as_the_limited_current():
    """At 5 A the copper loss is 5²·R, and at stall all power is heat; MuJoCo heats with the 20 A before its clip."""
    volts, limit, dt = 24.0, 5.0, 0.001
    thermal = Thermal(resistance=10.0, capacitance=20.0)
    one = motor(copper=0.0, thermal=thermal, limits=Limits(continuous_current=limit))
    theirs = run_locked(Rig(one, INERTIA, dt), volts, 1)
    assert theirs.force[0, 0] == pytest.approx(K * limit, rel=1e-12)
    heat = theirs.states["winding_rise"][1, 0] * thermal.capacitance / dt
    assert heat == pytest.approx(volts**2 / R, rel=1e-9)
    assert heat / (limit**2 * R) == pytest.approx(16.0, rel=1e-9)

    step = one.compile("numpy")
    state, out = step(step.initial(), volts, 0.0, 0.0, dt)
    assert out.torque == pytest.approx(K * limit, rel=1e-12)
    assert out.copper_power == pytest.approx(limit**2 * R, rel=1e-12)
    assert out.electrical_power == pytest.approx(out.copper_power, rel=1e-12)
    heat = state.winding_rise * thermal.capacitance / dt
    assert heat == pytest.approx(limit**2 * R, rel=dt / (thermal.resistance * thermal.capacitance))


def test_limited_current_is_the_current_that_makes_the_torque():
    """A winding that gives Kt·5 A carries 5 A; MuJoCo's current state goes on to 20 A and stays behind when it ends."""
    limit = 5.0
    one = motor(inductance=0.005 * R, limits=Limits(continuous_current=limit))
    still = np.zeros((60, 1))
    volts = np.where(np.arange(60) < 40, 24.0, 0.0)[:, None]
    theirs = Rig(one, INERTIA, 0.001).run(volts, still, still)
    assert theirs.states["current"][40, 0] == pytest.approx(24.0 / R * -np.expm1(-8.0), rel=1e-9)
    assert theirs.force[39, 0] == pytest.approx(K * limit, rel=1e-12)

    ours = replay(one, theirs)
    assert ours.states["current"][:, 0] * K == pytest.approx(np.append(0.0, ours.torque[:, 0]), rel=1e-12)
    assert ours.states["current"].max() == pytest.approx(limit, rel=1e-12)
    # 5 A decay at once when the voltage goes; MuJoCo's surplus keeps the torque at its limit for te·ln(20/5)
    assert ours.torque[40, 0] == pytest.approx(K * limit * np.exp(-0.2), rel=1e-9)
    assert np.sum(theirs.force[40:, 0] > 0.999 * K * limit) == int(5 * np.log(20.0 * -np.expm1(-8.0) / 5.0))


# 4: the electrical time constant of a hot winding


def test_hot_winding_keeps_its_inductance():
    """L is turns and iron, so a hot winding is faster, te = L/R(T); MuJoCo keeps te, and L grows by 39 % at +100 K."""
    inductance, rise, volts, dt = 2e-3, 100.0, 12.0, 0.001
    hot = R * (1 + 0.0039 * rise)
    thermal = Thermal(resistance=1e3, capacitance=1e6, ambient=25.0)
    one = motor(inductance=inductance, thermal=thermal)
    rig = Rig(one, INERTIA, dt)
    rig.set(winding_rise=rise)
    step = one.compile("numpy")
    state, _ = step(step.initial(winding_rise=rise), volts, 0.0, 0.0, dt)
    seen = {"theirs": run_locked(rig, volts, 1).states["current"][1, 0], "ours": state.current}
    # i = V/R·(1 - exp(-h·R/L)), solved for L
    measured = {who: -hot * dt / np.log1p(-current * hot / volts) for who, current in seen.items()}
    assert measured["ours"] == pytest.approx(inductance, rel=1e-12)
    assert measured["theirs"] == pytest.approx(1.39 * inductance, rel=1e-9)


# 5: drag behind a gear


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("ratio", [10.0, -30.0])
def test_drag_of_any_order_is_reflected_from_the_motor_speed(order: int, ratio: float):
    """Drag B·w|w|^(n-1) at w = N·v is N^(n+1)·B·v|v|^(n-1) at the joint; MuJoCo's is N², too little by N^(n-1)."""
    coefficient, v = 1e-6, 2.5
    drag = Drag(coefficients=(0.0,) * (order - 1) + (coefficient,))
    one = motor(drag=drag, gearbox=Gearbox(stages=(Stage(ratio=ratio),)))
    theirs = run_turning(Rig(one, INERTIA, 0.001), np.array([v]))
    ours = replay(one, theirs)
    w = ratio * v
    physics = -ratio * coefficient * w * abs(w) ** (order - 1)
    assert ours.torque[0, 0] == pytest.approx(physics, rel=1e-12)
    assert theirs.torque[0, 0] == pytest.approx(-(ratio**2) * coefficient * v**order, rel=1e-9)
    assert ours.torque[0, 0] / theirs.torque[0, 0] == pytest.approx(abs(ratio) ** (order - 1), rel=1e-9)


# 6: two constants


def test_torque_and_back_emf_constants_stay_apart():
    """Stall torque is Kt·V/R and no-load speed V/Ke; MuJoCo's common constant √(Kt·Ke) misses both by √(Kt/Ke)."""
    kt, ke, volts, dt = 0.04, 0.06, 12.0, 0.001
    one = motor(kt=kt, ke=ke)
    theirs = Rig(one, 1e-5, dt).run(np.full((500, 1), volts))
    ours = drive(one, 1e-5, theirs.voltage, dt)
    assert ours.torque[0, 0] == pytest.approx(kt * volts / R, rel=1e-12)
    assert ours.velocity[-1, 0] == pytest.approx(volts / ke, rel=1e-12)
    error = np.sqrt(ke / kt)
    assert theirs.torque[0, 0] / (kt * volts / R) == pytest.approx(error, rel=1e-9)
    assert theirs.velocity[-1, 0] / (volts / ke) == pytest.approx(error, rel=1e-9)


# 7: bristles


def test_reversal_of_sliding_makes_no_torque_spike():
    """A rotor thrown back at 75 rad/s rubs with about its friction level; MuJoCo answers with 1.5 N·m at ts = 6 mN·m.

    The bristles' z' = 2w lasts only while they bend over, g/(stiffness·w) = 0.7 µs; MuJoCo holds it for the whole step.
    """
    friction = LuGre(coulomb=0.005, stiction=0.006, stribeck_velocity=1.0, stiffness=100.0, damping=0.01)
    w, dt = 75.0, 0.001
    one = motor(friction=friction)
    theirs = run_turning(Rig(one, INERTIA, dt), np.where(np.arange(100) < 50, w, -w))
    spike = theirs.force[50, 0]
    assert spike == pytest.approx(2 * friction.damping * w - friction.coulomb, rel=1e-9)
    assert spike == pytest.approx(1.5, abs=0.01)

    # bristles that bend over from +g/s0 to -g/s0 take damping·2g/s0 of momentum, however it is spread
    bent = friction.coulomb / friction.stiffness
    ours = replay(one, theirs)
    assert ours.torque[50, 0] == pytest.approx(friction.coulomb + friction.damping * 2 * bent / dt, rel=1e-2)
    assert np.abs(ours.torque).max() < friction.stiction + friction.damping * 2 * bent / dt
    # damping that fades with speed, as MuJoCo's note proposes and its code leaves out, makes no spike
    faded = motor(friction=replace(friction, damping_exponent=2.0))
    assert np.abs(replay(faded, theirs).torque).max() < friction.stiction


def test_friction_over_a_reversal_is_the_mean_of_the_law():
    """Integrated in 20,000 small steps, the law itself gives our torque of the step; MuJoCo's is 250 times as much."""
    friction = LuGre(coulomb=0.005, stiction=0.006, stribeck_velocity=1.0, stiffness=100.0, damping=0.01)
    w, dt, substeps = 75.0, 0.001, 20_000
    one = motor(friction=friction)
    theirs = run_turning(Rig(one, INERTIA, dt), np.where(np.arange(100) < 50, w, -w))
    # midpoint rule for z' = -w - stiffness·w/g·z from the bending that MuJoCo itself has when the speed turns
    z, total, h = theirs.states["bristle"][50, 0], 0.0, dt / substeps
    level = friction.coulomb + (friction.stiction - friction.coulomb) * np.exp(-((w / friction.stribeck_velocity) ** 2))
    for _ in range(substeps):
        middle = z + 0.5 * h * (-w - friction.stiffness * w / level * z)
        slope = -w - friction.stiffness * w / level * middle
        total += h * (friction.stiffness * middle + friction.damping * slope)
        z += h * slope
    assert replay(one, theirs).torque[50, 0] == pytest.approx(-total / dt, rel=1e-3)
    assert theirs.torque[50, 0] * dt / -total > 200


def bristle_work(seen: Recording, torque: np.ndarray) -> np.ndarray:
    """Energy that friction has taken from the joint up to the end of each step [J]."""
    return np.cumsum(-torque[:, 0] * seen.velocity[:, 0] * seen.dt)


def test_friction_gives_back_no_more_than_it_took():
    """Bristles bent by ten steps and let back by ten: ours end with a loss, MuJoCo's give n·s0·(w·h)² for nothing."""
    friction = LuGre(coulomb=0.01, stiction=0.01, stribeck_velocity=1.0, stiffness=10.0)
    speed, dt, n = 1e-4, 0.001, 10
    one = motor(friction=friction)
    theirs = run_turning(Rig(one, INERTIA, dt), np.where(np.arange(2 * n) < n, speed, -speed))
    ours = replay(one, theirs)
    taken = {"theirs": bristle_work(theirs, theirs.torque), "ours": bristle_work(theirs, ours.torque)}
    stored = 0.5 * friction.stiffness * theirs.states["bristle"][1:, 0] ** 2
    assert taken["theirs"][-1] == pytest.approx(-n * friction.stiffness * (speed * dt) ** 2, rel=0.02)
    assert (taken["theirs"] < stored).all()
    assert taken["ours"][-1] > 0
    assert (taken["ours"] >= stored - 1e-15 * stored.max()).all()


def test_a_joint_on_its_bristles_comes_to_rest():
    """A hinge nudged within its stiction swings on the bristles and calms down; in MuJoCo it winds itself up.

    Ours here is the step of `simulate`, which finds the speed together with the friction. The step for a host cannot
    help it fully: friction at the speed of the start swings in the host's explicit Euler step too, half as fast.
    """
    friction = LuGre(coulomb=0.02, stiction=0.02, stribeck_velocity=1.0, stiffness=20.0)
    one = replace(motor(friction=friction, kt=1e-5, ke=1e-5), rotor=None)
    dt, nudge, steps = 0.001, 1e-3, 400
    rig = Rig(one, INERTIA, dt)
    rig.data.qvel[:] = nudge
    theirs = rig.run(np.zeros((steps, 1)))

    actuator, v = Actuator(one), nudge
    state, speeds, bent = actuator.compile("numpy").initial(), [], []
    for _ in range(steps):
        state, v, _ = coupled(actuator.motor, None, state, Demand(0.0), 0.0, v, dt, 0.0, INERTIA, 0.0)
        speeds.append(v)
        bent.append(state.bristle)
    start = 0.5 * INERTIA * nudge**2
    energy = 0.5 * INERTIA * np.square(speeds) + 0.5 * friction.stiffness * np.square(bent)
    assert (np.diff(np.append(start, energy)) <= 1e-15 * start).all()
    created = 0.5 * INERTIA * theirs.velocity[-50:, 0] ** 2
    assert created.max() > 10 * start


# 8: what happens at the start, and while the actuator is switched off


def test_a_constant_setpoint_is_no_change_to_slow_down():
    """A joint that rests at its setpoint stays there; MuJoCo's slew state starts at 0 and pulls it away first.

    Our drive takes volts and has no setpoint: it applies the first command at once and refuses a slew state.
    """
    setpoint, rate, dt = 1.0, 0.5, 0.001
    one = motor()
    controller = (2.0, 0.0, 0.05, rate, 0.0, 0.0)
    rig = Rig(one, INERTIA, dt, input="pos", controller=controller)
    rig.data.qpos[:] = setpoint
    theirs = rig.run(np.full((3000, 1), setpoint))
    assert theirs.states["slew"][1, 0] == pytest.approx(rate * dt, rel=1e-9)
    assert theirs.position.min() < 0.5 * setpoint
    assert theirs.position[-1, 0] == pytest.approx(setpoint, abs=0.05)
    without = Rig(one, INERTIA, dt, input="pos", controller=(2.0, 0.0, 0.05, 0.0, 0.0, 0.0))
    without.data.qpos[:] = setpoint
    assert (without.run(np.full((3000, 1), setpoint)).position == setpoint).all()

    step = one.compile("numpy")
    _, out = step(step.initial(), 12.0, setpoint, 0.0, dt)
    assert out.torque == pytest.approx(K * 12.0 / R, rel=1e-12)
    with pytest.raises(ParameterError, match="no such state"):
        step.initial(slew=0.0)


def test_friction_acts_without_power():
    """Bristles bend because they are pushed; a disabled MuJoCo motor bends them without any torque on the joint."""
    friction = LuGre(coulomb=0.01, stiction=0.012, stribeck_velocity=1.0, stiffness=10.0, damping=0.001)
    one = motor(friction=friction)
    rig = Rig(one, INERTIA, 0.001)
    rig.model.opt.disableactuator = 1
    theirs = run_turning(rig, np.full(50, 0.5))
    stored = 0.5 * friction.stiffness * theirs.states["bristle"][1:, 0] ** 2
    assert (theirs.torque == 0).all()
    assert stored[-1] == pytest.approx(0.5 * friction.coulomb**2 / friction.stiffness, rel=0.5)

    ours = replay(one, theirs)
    assert (bristle_work(theirs, ours.torque) >= stored).all()
    assert -ours.torque[-1, 0] == pytest.approx(0.01 + 0.002 * np.exp(-0.25), rel=1e-9)


# 9: signs that MuJoCo's note has wrong and its code right


def test_bristles_at_rest_are_a_spring_and_a_damper():
    """Around rest J·θ'' + (s1 + s2)·θ' + s0·θ = torque, and a bent hinge swings back.

    MuJoCo's note has minus signs, with which it would run away; its code, like ours, has the signs of physics.
    """
    friction = LuGre(coulomb=1.0, stiction=1.0, stribeck_velocity=1.0, stiffness=10.0, damping=0.02, viscous=0.01)
    one = replace(motor(friction=friction, kt=1e-5, ke=1e-5), rotor=None)
    dt, steps, bend = 1e-5, 4000, 1e-4
    rig = Rig(one, INERTIA, dt)
    rig.set(bristle=bend)
    theirs = rig.run(np.zeros((steps, 1))).position[:, 0] + bend

    step = one.compile("numpy")
    state, q, v, ours = step.initial(bristle=bend), 0.0, 0.0, []
    for _ in range(steps):
        ours.append(q + bend)
        state, out = step(state, 0.0, q, v, dt)
        v = v + dt * out.torque / INERTIA
        q = q + dt * v

    def swing(sign: float) -> np.ndarray:
        """θ(t) of J·θ'' + sign·(s1 + s2)·θ' + sign·s0·θ = 0 from `bend` at rest."""
        loss = sign * (friction.damping + friction.viscous)
        a, b = np.roots([INERTIA, loss, sign * friction.stiffness]).astype(complex)
        t = dt * np.arange(steps)
        return (bend * (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a)).real

    assert np.abs(theirs - swing(+1.0)).max() < 0.01 * bend
    assert np.abs(np.array(ours) - swing(+1.0)).max() < 0.01 * bend
    assert swing(-1.0)[-1] > 10 * bend


def test_friction_takes_energy_on_every_path():
    """With s2 > s1·(ts - tc)/tc friction is passive from w to -torque: it never has given the joint more than it took.

    MuJoCo's note says from w to +torque, which would be a motor; its code, like ours, has the sign of physics.
    """
    rng = np.random.default_rng(3)
    coulomb, stiction, damping = 0.01, 0.015, 0.002
    friction = LuGre(
        coulomb=coulomb,
        stiction=stiction,
        stribeck_velocity=1.0,
        stiffness=10.0,
        damping=damping,
        viscous=1.5 * damping * (stiction - coulomb) / coulomb,
    )
    one = motor(friction=friction)
    dt, t = 1e-5, 1e-5 * np.arange(4000)
    waves = [rng.uniform(0.2, 1.0) * np.sin(rng.uniform(50, 2000) * t) for _ in range(6)]
    theirs = run_turning(Rig(one, INERTIA, dt), np.sum(waves, axis=0))
    ours = replay(one, theirs)
    for torque in (theirs.torque, ours.torque):
        taken = bristle_work(theirs, torque)
        assert (taken[1:] > 0).all()
        assert taken[-1] > 1e-4


# 10: numbers that no motor has


def test_stiction_below_coulomb_is_refused():
    """Rest must hold at least what sliding takes; MuJoCo lets a hinge at rest go at half its sliding friction."""
    words = (10.0, 0.0, 0.02, 0.01, 1.0)
    rig = Rig(motor(), INERTIA, 0.001, lugre=words)
    slow, fast = (run_turning(rig, np.full(4000, w)).force[-1, 0] for w in (0.05, 5.0))
    assert slow / fast == pytest.approx(0.5, abs=0.01)
    with pytest.raises(ParameterError, match="stiction"):
        LuGre(coulomb=0.02, stiction=0.01, stribeck_velocity=1.0, stiffness=10.0)


def test_bristles_that_push_are_refused():
    """Negative bristle damping drives the joint; MuJoCo takes it and gives the joint power out of friction."""
    theirs = run_turning(Rig(motor(), INERTIA, 0.001, lugre=(10.0, -0.05, 0.01, 0.02, 1.0)), np.array([2.0]))
    assert theirs.force[0, 0] * theirs.velocity[0, 0] > 0.1
    with pytest.raises(ParameterError, match=r"LuGre\.damping = -0.05"):
        LuGre(coulomb=0.01, stiction=0.02, stribeck_velocity=1.0, stiffness=10.0, damping=-0.05)


def test_negative_friction_is_refused():
    """Friction below zero is none; MuJoCo takes tc = -20 mN·m and its bristles hold nothing at all."""
    theirs = run_turning(Rig(motor(), INERTIA, 0.001, lugre=(10.0, 0.0, -0.02, 0.01, 0.1)), np.full(50, 2.0))
    assert np.abs(theirs.force).max() < 1e-12
    with pytest.raises(ParameterError, match=r"LuGre\.coulomb = -0.02"):
        LuGre(coulomb=-0.02, stiction=0.01, stribeck_velocity=0.1, stiffness=10.0)


def test_negative_cogging_is_refused():
    """An amplitude is a size, the phase says where it pushes; MuJoCo takes -0.01 N·m, half a period out of place."""
    still = np.full((1, 1), np.pi / 12)
    turn = {"voltage": np.zeros((1, 1)), "position": still, "velocity": np.zeros((1, 1))}
    negative = Rig(motor(), INERTIA, 0.001, cogging=(-0.01, 6.0, 0.0)).run(**turn)
    assert negative.force[0, 0] == pytest.approx(-0.01, rel=1e-12)
    with pytest.raises(ParameterError, match=r"Harmonic\.amplitude = -0.01"):
        Harmonic(amplitude=-0.01, periodicity=6.0)
    shifted = Cogging(harmonics=(Harmonic(amplitude=0.01, periodicity=6.0, phase=np.pi),))
    assert replay(motor(cogging=shifted), negative).torque[0, 0] == pytest.approx(-0.01, rel=1e-12)


@pytest.mark.parametrize("name", ["continuous_current", "current_rate"])
def test_negative_limits_are_refused(name: str):
    """A limit below zero cannot be kept; MuJoCo keeps one of 5 A or 100 A/s, and takes their negatives for none."""
    limit = {"continuous_current": 5.0, "current_rate": 100.0}[name]
    one = motor(inductance=0.001 * R)

    def first_torque(value: float) -> float:
        saturation = (0.0, value, 0.0) if name == "continuous_current" else (0.0, 0.0, value)
        return run_locked(Rig(one, INERTIA, 0.001, saturation=saturation), 24.0, 1).force[0, 0]

    unlimited = K * 24.0 / R * -np.expm1(-1.0)
    assert first_torque(+limit) < 0.5 * unlimited
    assert first_torque(-limit) == pytest.approx(unlimited, rel=1e-12)
    with pytest.raises(ParameterError, match=rf"Limits\.{name}"):
        Limits(**{name: -limit})
