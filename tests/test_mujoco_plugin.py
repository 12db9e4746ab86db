"""Our motors inside MuJoCo: the physics is that of `simulate`, the integration is MuJoCo's own."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from long import some_now
from mujoco_rig import attributes, mujoco, of_peak, write

import backemf as be
from backemf.errors import ParameterError
from backemf.sims.mujoco import Motors

INTEGRATORS = ["Euler", "implicit", "implicitfast"]
GRAVITY = 9.80665


def motor(ratio: float = 20.0, **parts) -> be.Motor:
    """A small motor with a gear; parts replace or add to it."""
    stage = {name: parts.pop(name) for name in ("efficiency", "back_efficiency") if name in parts}
    backlash = parts.pop("backlash", None)
    plain = {
        "winding": be.Winding(resistance=0.5),
        "magnet": be.Magnet(torque_constant=0.06, back_emf_constant=0.06),
        "rotor": be.Rotor(inertia=5e-6),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=ratio, **stage),), backlash=backlash),
    }
    return be.Motor(**(plain | parts))


FULL = motor(
    winding=be.Winding(resistance=0.5, inductance=2e-4),
    magnet=be.Magnet(
        torque_constant=0.06,
        back_emf_constant=0.06,
        iron_loss=1e-6,
        saturation=be.Saturation(knee_current=8.0, scale=0.3, torque=0.2),
    ),
    thermal=be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=0.5, housing_resistance=2.0, housing_capacitance=5.0
    ),
    friction=be.LoadDependent(coulomb=0.005, viscous=1e-5, load=be.LoadShare(drive=0.05, back=0.03)),
    drag=be.Drag(coefficients=(1e-5, 1e-8)),
    efficiency=0.85,
    back_efficiency=0.6,
)
"""A motor with most of what `<dcmotor>` lacks."""
SAGGING = be.Supply(voltage=24.0, resistance=0.2)


def chain(count=1, integrator="implicitfast", hands=True, dt=2e-3, gravity=GRAVITY, inside="", options="", act="motor"):
    """An arm of point masses on massless rods that hangs down at 0, one hinge "j0", "j1", ... for each."""
    bodies = "".join(
        f'<body pos="0 0 {-0.3 if i else 1.0}"><joint name="j{i}" axis="0 -1 0" {inside}/>'
        '<inertial pos="0 0 -0.3" mass="0.5" diaginertia="1e-12 1e-12 1e-12"/>'
        for i in range(count)
    )
    hands_of = "".join(f'<{act} name="j{i}" joint="j{i}" gear="2"/>' for i in range(count)) if hands else ""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="{integrator}" gravity="0 0 {-gravity}">{options}</option>'
        f"<worldbody>{bodies}{'</body>' * count}</worldbody><actuator>{hands_of}</actuator></mujoco>"
    )


def hinges(count=1, inertia=0.02, dt=2e-3, integrator="implicitfast", damping=0.0, actuators=""):
    """Flywheels "j0", "j1", ... that know nothing of each other."""
    bodies = "".join(
        f'<body><joint name="j{i}" axis="0 0 1" damping="{damping}"/>'
        f'<inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/></body>'
        for i in range(count)
    )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="{integrator}" gravity="0 0 0"/>'
        f"<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
    )


def square(steps: int, size: float, every: int = 150) -> np.ndarray:
    """A command that jumps between ±size."""
    return size * np.where(np.arange(steps) // every % 2 == 0, 1.0, -1.0)


def ran(model, motors: Motors, commands, position=0.0) -> dict[str, np.ndarray]:
    """Joints and telemetry after each step."""
    data = mujoco.MjData(model)
    data.qpos[:] = position
    rows = []
    for command in commands:
        motors.step(data, command)
        out = motors.output
        rows.append({"position": data.qpos.copy(), "velocity": data.qvel.copy()} | vars(out))
    return {name: np.array([row[name] for row in rows]) for name in rows[0] if rows[0][name] is not None}


# --- the same motor elsewhere


def test_same_motion_as_dcmotor():
    """A motor that `<dcmotor>` can hold turns the joint the same way: both take back-EMF and drag implicitly."""
    plain = motor(
        drag=be.Drag(coefficients=(2e-5,)),
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.01, periodicity=7.0),)),
    )
    words = write(attributes(plain))
    theirs = hinges(dt=1e-3, actuators=f'<dcmotor joint="j0" {words}/>')
    volts, seen = square(2000, 6.0), []
    data = mujoco.MjData(theirs)
    for v in volts:
        data.ctrl[0] = v
        mujoco.mj_step(theirs, data)
        seen.append((data.qpos[0], data.qvel[0]))
    ours = hinges(dt=1e-3)
    run = ran(ours, Motors(ours, {"j0": plain}), volts)
    seen = np.array(seen)
    assert of_peak(run["position"][:, 0], seen[:, 0]) < 1e-9
    assert of_peak(run["velocity"][:, 0], seen[:, 1]) < 1e-9


def test_inductance_differs_from_dcmotor_by_half_a_step():
    """`<dcmotor>` applies the current at the end of the step, we its mean: a quarter of the step, a quarter apart."""
    coil = motor(winding=be.Winding(resistance=0.5, inductance=1e-3))
    apart = []
    for dt in (2e-4, 5e-5):
        theirs = hinges(dt=dt, actuators=f'<dcmotor joint="j0" {write(attributes(coil))}/>')
        data, volts, seen = mujoco.MjData(theirs), square(round(0.2 / dt), 6.0, round(0.05 / dt)), []
        for v in volts:
            data.ctrl[0] = v
            mujoco.mj_step(theirs, data)
            seen.append(data.qvel[0])
        ours = hinges(dt=dt)
        apart.append(of_peak(ran(ours, Motors(ours, {"j0": coil}), volts)["velocity"][:, 0], seen))
    assert 1e-3 < apart[0] < 0.05
    assert apart[0] / apart[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("hands", some_now([True, False], lambda hands: hands))
def test_same_as_simulate_on_a_pendulum(integrator: str, hands: bool):
    """Currents, two-node heat, sag, saturation, load-dependent friction and gear loss are those of `simulate`."""
    act = be.Actuator(FULL, SAGGING, controller=be.IdealPd(stiffness=40.0, damping=1.0))
    target = square(1000, 0.8)
    model = chain(integrator=integrator, hands=hands, inside='damping="0.05"')
    run = ran(model, Motors(model, {"j0": act}), target)
    load = be.Pendulum(mass=0.5, length=0.3, damping=0.05, gravity=GRAVITY)
    alone = be.simulate(act, load, target, duration=2.0, dt=2e-3, engine="numpy")
    for name in ("position", "velocity", "current", "winding_temperature", "housing_temperature", "bus_voltage"):
        assert of_peak(run[name][:, 0], alone[name]) < 1e-9, name
    assert run["winding_temperature"].max() > 40.0 and run["bus_voltage"].min() < 23.0
    assert run["current"].max() > 8.0, "the iron should saturate"


def test_joints_share_a_battery():
    """A bus that all motors hang on sags by the sum of what they draw."""
    act = be.Actuator(FULL, replace(SAGGING, shared=True))
    volts = np.stack([square(500, 20.0), 0.5 * square(500, 20.0, 70)], axis=-1)
    model = hinges(2)
    run = ran(model, Motors(model, {"j.*": act}), volts)
    together = be.simulate(act, be.Inertia(0.02), volts, duration=1.0, dt=2e-3, engine="numpy")
    for name in ("velocity", "current", "winding_temperature"):
        assert of_peak(run[name], together[name]) < 1e-9, name
    alone = be.simulate(be.Actuator(FULL, SAGGING), be.Inertia(0.02), volts, duration=1.0, dt=2e-3, engine="numpy")
    assert of_peak(run["velocity"], alone["velocity"]) > 1e-3, "the neighbour should be felt"


def test_backlash_is_that_of_simulate_and_is_felt():
    """The rotor crosses its play alone when it turns round, while the joint goes on as it was."""
    loose = motor(backlash=0.05, friction=be.Coulomb(coulomb=0.01))
    volts = square(600, 3.0)
    model = hinges(inertia=0.1)
    run = ran(model, Motors(model, {"j0": loose}), volts)
    alone = be.simulate(loose, be.Inertia(0.1), volts, duration=1.2, dt=2e-3, engine="numpy")
    assert of_peak(run["velocity"][:, 0], alone["velocity"]) < 1e-9
    assert of_peak(run["rotor_speed"][:, 0], alone["rotor_speed"]) < 1e-9
    crossing = run["torque"][150:160, 0] == 0.0
    assert crossing.any() and np.ptp(run["velocity"][150:160, 0][crossing]) < 1e-12


@pytest.mark.parametrize("friction", ["coulomb", "lugre", "none"])
def test_engines_agree(friction: str):
    """NumPy, JAX and machine code turn an arm the same way."""
    kinds = {
        "coulomb": be.Coulomb(coulomb=0.01),
        "lugre": be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=100.0, damping=1e-3),
        "none": None,
    }
    runs = []
    for engine in ("numpy", "jax", "native"):
        model = chain(2)
        runs.append(
            ran(model, Motors(model, {"j.*": motor(friction=kinds[friction])}, engine=engine), square(300, 8.0))
        )
    for run in runs[1:]:
        assert of_peak(run["position"], runs[0]["position"]) < 1e-9


def test_groups_of_unlike_motors_step_in_machine_code():
    """Joints of three kinds, some with a delay, have NumPy's torques, and NaN where a kind has no such output."""
    late = be.Actuator(motor(), controller=be.PositionPid(kp=5.0), delay=be.Delay(steps=3))
    ideal = be.Actuator(controller=be.IdealPd(stiffness=2.0, damping=0.1))
    kinds = {"j0": late, "j1": ideal, "j2": be.Actuator(motor(thermal=None)), "j3": late}
    told, seen = be.Command(position=[0.3, -0.2, 0.0, 0.1], voltage=5.0), {}
    for engine in ("numpy", "native"):
        model = hinges(4)
        motors, data = Motors(model, kinds, engine=engine), mujoco.MjData(model)
        for _ in range(20):
            motors.step(data, told)
        seen[engine] = data.qpos.copy(), motors.output
    assert of_peak(seen["native"][0], seen["numpy"][0]) < 1e-12
    ours, theirs = seen["native"][1], seen["numpy"][1]
    for name in ("torque", "current", "winding_temperature", "limit"):
        expected = np.asarray(getattr(theirs, name), dtype=float)
        np.testing.assert_allclose(np.asarray(getattr(ours, name), dtype=float), expected, rtol=1e-10, atol=1e-12)
    assert np.isnan(np.asarray(ours.current)[1])


# --- stiff motors


STIFF = motor(ratio=200.0, rotor=be.Rotor(inertia=1e-9))
"""N²·Kt·Ke/R = 288 N·m·s/rad: on 0.0005 kg·m² a time constant of 2 µs."""


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("hands", [True, False])
def test_stiff_motor_is_stable(integrator: str, hands: bool):
    """A back-EMF a thousand times faster than the step brings the joint to its no-load speed, and there it stays."""
    handle = '<motor joint="j0"/>' if hands else ""
    model = hinges(inertia=5e-4, integrator=integrator, actuators=handle)
    speed = ran(model, Motors(model, {"j0": STIFF}), np.full(500, 12.0))["velocity"][:, 0]
    assert np.abs(speed[5:] / (12.0 / (0.06 * 200.0)) - 1.0).max() < 1e-6


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_stiff_motor_blows_up_without_its_slope(integrator: str, tmp_path, monkeypatch):
    """The same torque, handed over as a plain force at the speed of the start, runs away within a few steps."""
    monkeypatch.chdir(tmp_path)
    model = hinges(inertia=5e-4, integrator=integrator)
    data, step = mujoco.MjData(model), STIFF.compile("python")
    state = step.initial()
    fastest = 0.0
    for _ in range(5):
        state, out = step(state, 12.0, float(data.qpos[0]), float(data.qvel[0]), 2e-3)
        data.qfrc_applied[0] = out.torque
        mujoco.mj_step(model, data)
        fastest = max(fastest, abs(data.qvel[0]))
    assert fastest > 1e6


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_stiff_arm_is_stable(integrator: str):
    """Joints that move each other, all of them stiff: the motors hold the arm against gravity at almost no speed."""
    model = chain(4, integrator=integrator)
    run = ran(model, Motors(model, {"j.*": STIFF}), np.zeros(500), position=0.4)
    assert np.abs(run["velocity"]).max() < 0.1


def test_slope_reaches_several_joints_at_once():
    """A step twice as short gives nearly the same swing of a stiff arm, as an implicit step has it."""
    ends = []
    for dt in (2e-3, 1e-3, 5e-4):
        model = chain(3, dt=dt)
        ends.append(
            ran(model, Motors(model, {"j.*": STIFF}), np.full(round(0.5 / dt), 3.0), position=0.4)["position"][-1]
        )
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert errors[0] < 1e-3 and errors[1] < 0.5 * errors[0]


# --- friction and gears


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_pendulum_held_by_stiction_does_not_creep(integrator: str):
    """Dry friction larger than gravity's pull holds a pendulum exactly where it is."""
    model = chain(integrator=integrator)
    run = ran(model, Motors(model, {"j0": motor(friction=be.Coulomb(coulomb=0.1))}), np.zeros(1000), position=1.5)
    assert np.abs(run["position"] - 1.5).max() < 1e-15
    assert run["torque"][-1, 0] == pytest.approx(0.5 * GRAVITY * 0.3 * np.sin(1.5), rel=1e-12)


def test_pendulum_slips_beyond_stiction():
    """Half of that friction does not hold it."""
    model = chain()
    weak = motor(friction=be.Coulomb(coulomb=0.5 * 0.5 * GRAVITY * 0.3 / 20.0))
    assert np.abs(ran(model, Motors(model, {"j0": weak}), np.zeros(500), position=1.5)["position"] - 1.5).max() > 0.1


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("count", [2, 6])
def test_arm_held_by_stiction_stands_still(integrator: str, count: int):
    """Joints that all rest on each other's friction do not move, from the first step on."""
    model = chain(count, integrator=integrator)
    run = ran(model, Motors(model, {"j.*": motor(friction=be.Coulomb(coulomb=3.0))}), np.zeros(600), position=0.7)
    assert np.abs(run["position"] - 0.7).max() < 1e-12 and np.abs(run["velocity"][1:]).max() < 1e-14


def test_arm_held_by_bristles_stands_still():
    """Bristles far stiffer than the step can follow hold an arm, and do not ring."""
    bristles = be.LuGre(coulomb=1.0, stiction=1.2, stribeck_velocity=0.1, stiffness=1e4)
    model = chain(2)
    run = ran(model, Motors(model, {"j.*": motor(friction=bristles)}), np.zeros(1000), position=0.7)
    assert np.abs(run["position"] - 0.7).max() < 1e-5 and np.abs(run["velocity"][500:]).max() < 1e-5


@pytest.mark.parametrize("engine", ["native", "numpy"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_backlash_in_an_arm_of_light_links_gains_no_energy(engine: str, dt: float):
    """Shorted motors behind backlash, rotors of 0.01 kg·m² at joints of a tenth of that: they come to rest together."""
    bodies = "".join(
        f'<body pos="0 0 -.1"><joint name="j{i}" axis="{i % 2} {1 - i % 2} 0"/>'
        '<inertial pos="0 0 -.05" mass=".1" diaginertia="1e-3 1e-3 1e-3"/>'
        for i in range(8)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="implicitfast" gravity="0 0 0"/>'
        f"<worldbody>{bodies}{'</body>' * 8}</worldbody></mujoco>"
    )
    rotor = be.Rotor(inertia=1e-6)
    motors = Motors(model, {"j.*": motor(ratio=100.0, backlash=0.05, rotor=rotor)}, engine=engine)
    data, energies = mujoco.MjData(model), []
    data.qvel[:] = np.random.default_rng(0).normal(0.0, 2.0, 8)
    # rotors begin with the speed of their joints
    whole = 0.5 * rotor.inertia * 100.0**2 * float(data.qvel @ data.qvel)
    mujoco.mj_forward(model, data)
    mujoco.mj_energyVel(model, data)
    whole += data.energy[1]
    for _ in range(round(1.0 / dt)):
        motors.step(data, 0.0)
        mujoco.mj_energyVel(model, data)
        energies.append(data.energy[1])
    assert max(energies) < whole and energies[-1] < 1e-6 * whole


def test_worm_gear_locks_itself():
    """A gear that passes a millionth back holds a pendulum without power; the same gear lets the motor lift it."""
    worm = motor(efficiency=0.4, back_efficiency=1e-6)
    model = chain()
    run = ran(model, Motors(model, {"j0": worm}), np.zeros(1000), position=1.0)
    # that millionth turns the rotor against its own short-circuited winding
    passed = 1e-6 * 0.5 * GRAVITY * 0.3 * np.sin(1.0) / 20.0
    assert 1.0 - run["position"][-1, 0] == pytest.approx(2.0 * passed / (0.06**2 / 0.5) / 20.0, rel=0.01)
    model = chain()
    lifted = ran(model, Motors(model, {"j0": worm}), np.full(500, 6.0), position=1.0)["position"]
    assert lifted[-1, 0] > 1.5
    model = chain()
    free = ran(model, Motors(model, {"j0": motor()}), np.zeros(1000), position=1.0)["position"]
    assert free[-1, 0] < 0.5


LEG = (
    '<body pos="{x} {y} 0"><joint name="{n}_hip" axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0 0.05 0" '
    'size="0.03" mass="0.5"/><body pos="0 0.05 0"><joint name="{n}_thigh" axis="0 1 0"/><geom type="capsule" '
    'mass="0.8" fromto="0 0 0 -0.1 0 -0.15" size="0.02"/><body pos="-0.1 0 -0.15"><joint name="{n}_knee" axis="0 1 0"/>'
    '<geom type="capsule" fromto="0 0 0 0.1 0 -0.15" size="0.02" mass="0.2"/></body></body></body>'
)


@pytest.mark.parametrize(
    "kind", some_now(["gear loss", "stiction", "worm", "bristles", "backlash"], lambda kind: kind == "stiction")
)
def test_robot_stands_on_its_feet(kind: str):
    """Contacts and friction that know nothing of each other settle: a robot of 12 joints comes to rest."""
    kinds = {
        "gear loss": FULL,
        "stiction": replace(FULL, friction=be.Coulomb(coulomb=0.1)),
        "worm": motor(efficiency=0.5, back_efficiency=1e-3),
        "bristles": motor(friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=20.0)),
        "backlash": motor(backlash=0.01),
    }
    places = {"a": (0.2, 0.1), "b": (0.2, -0.1), "c": (-0.2, 0.1), "d": (-0.2, -0.1)}
    legs = "".join(LEG.format(n=n, x=x, y=y) for n, (x, y) in places.items())
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.002" integrator="implicitfast"/><default><geom contype="2" conaffinity="1"/>'
        '</default><worldbody><geom type="plane" size="5 5 0.1" contype="1" conaffinity="2"/><body pos="0 0 0.34">'
        f'<freejoint/><geom type="box" size="0.2 0.1 0.05" mass="6"/>{legs}</body></worldbody></mujoco>'
    )
    servo = be.Actuator(kinds[kind], be.Supply(voltage=48.0), controller=be.IdealPd(stiffness=150.0, damping=4.0))
    motors, data = Motors(model, {".*": servo}), mujoco.MjData(model)
    for _ in range(1000):
        motors.step(data, 0.0)
    assert data.qpos[2] == pytest.approx(0.32, abs=0.01) and data.ncon >= 4
    assert np.abs(data.qvel).max() < 0.01 and np.abs(motors.output.torque).max() < 10.0


def test_pushes_of_the_user_are_part_of_the_load():
    """Forces applied to a joint or a body are held by stiction as gravity is, and stay where the user put them."""
    for kind in ("joint", "body"):
        model = chain(gravity=0.0, hands=False)
        motors, data = Motors(model, {"j0": motor(friction=be.Coulomb(coulomb=0.1))}), mujoco.MjData(model)
        if kind == "joint":
            data.qfrc_applied[0] = 1.0
        else:
            data.xfrc_applied[1, 0] = 1.0 / 0.3
        for _ in range(100):
            motors.step(data, 0.0)
        assert abs(data.qpos[0]) < 1e-15 and abs(motors["j0"].torque) == pytest.approx(1.0), kind
        assert data.qfrc_applied[0] == (1.0 if kind == "joint" else 0.0) and model.dof_damping[0] == 0.0


def test_energy_balances():
    """What the supply gives is heat, stored in the field, or in the masses of MuJoCo: within 1 %."""
    act = be.Actuator(FULL, SAGGING, controller=be.IdealPd(stiffness=40.0, damping=1.0))
    model = chain(2, dt=5e-4, options='<flag energy="enable"/>')
    motors, data = Motors(model, {"j.*": act}), mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    before = data.energy.sum()
    spent = np.zeros(3)
    for target in square(2400, 0.8, 600):
        motors.step(data, target)
        out = motors.output
        heat = out.copper_power + out.iron_power + out.drag_power + out.friction_power + out.gear_power
        given = (out.electrical_power, heat, out.magnetic_power + out.conversion_power)
        spent += [5e-4 * np.sum(power) for power in given]
    mujoco.mj_forward(model, data)
    electrical, heat, stored = spent
    gained = data.energy.sum() - before
    assert electrical > 10.0 and heat > 1.0 and abs(gained) > 0.5
    assert heat + stored + gained == pytest.approx(electrical, rel=0.01)


# --- the callback


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("hands", [True, False])
def test_callback_gives_the_same_motion(integrator: str, hands: bool):
    """`mj_step` with the callback installed and `motors.step` move an arm the same way."""
    act = be.Actuator(FULL, SAGGING, controller=be.IdealPd(stiffness=40.0, damping=1.0))
    targets = square(400, 0.5)
    model = chain(2, integrator=integrator, hands=hands, inside='damping="0.02"')
    stepped = ran(model, Motors(model, {"j.*": act}), targets)["position"]
    model = chain(2, integrator=integrator, hands=hands, inside='damping="0.02"')
    motors, data, seen = Motors(model, {"j.*": act}), mujoco.MjData(model), []
    with motors.install():
        for target in targets:
            if hands:
                data.ctrl[:] = target
            else:
                motors.command = target
            mujoco.mj_forward(model, data)
            mujoco.mj_step(model, data)
            seen.append(data.qpos.copy())
    assert of_peak(np.array(seen), stepped) < 1e-9
    assert (model.dof_damping == 0.02).all() and not data.qfrc_applied.any()


def test_callback_keeps_what_the_user_applies():
    """A force that the user assigns between steps acts as it does without motors, however long it stands."""
    model, alone = hinges(), hinges()
    idle = motor(magnet=be.Magnet(torque_constant=1e-9, back_emf_constant=1e-9))
    motors, data, bare = Motors(model, {"j0": idle}), mujoco.MjData(model), mujoco.MjData(alone)
    alone.dof_armature[0] = idle.armature
    mujoco.mj_setConst(alone, mujoco.MjData(alone))
    with motors.install():
        motors.command = 0.0
        for k in range(60):
            if k % 20 == 0:
                data.qfrc_applied[0] = bare.qfrc_applied[0] = 0.1 * (k - 20)
            mujoco.mj_step(model, data)
            mujoco.mj_step(alone, bare)
    assert data.qpos[0] == pytest.approx(bare.qpos[0], rel=1e-9) and data.qfrc_applied[0] == bare.qfrc_applied[0]


def test_callback_is_cleared_after_an_exception():
    """Whatever happens inside, MuJoCo has no control callback afterwards."""
    model = chain()
    motors = Motors(model, {"j0": motor()})
    with pytest.raises(RuntimeError, match="mine"), motors.install():
        assert mujoco.get_mjcb_control() is not None
        raise RuntimeError("mine")
    assert mujoco.get_mjcb_control() is None


def test_callback_errors_come_through():
    """One sentence from inside the callback reaches the caller of `mj_step`, and the callback is cleared."""
    model = chain(hands=False)
    motors, data = Motors(model, {"j0": motor()}), mujoco.MjData(model)
    with pytest.raises(ParameterError, match="'j0' has no actuator"), motors.install():
        mujoco.mj_step(model, data)
    assert mujoco.get_mjcb_control() is None


def test_callback_leaves_other_models_alone():
    """Within the context another model steps as ever."""
    model, other = chain(), hinges()
    motors, data = Motors(model, {"j0": motor()}), mujoco.MjData(other)
    data.qvel[0] = 1.0
    with motors.install():
        for _ in range(10):
            mujoco.mj_step(other, data)
    assert data.qpos[0] == pytest.approx(10 * 2e-3)


@pytest.mark.parametrize("hands", [True, False])
def test_callback_resets_with_the_data(hands: bool):
    """`mj_resetData` takes the motors back to cold as well, since time goes back."""
    model = chain(hands=hands)
    act = be.Actuator(FULL, SAGGING)
    motors, data = Motors(model, {"j0": act}), mujoco.MjData(model)
    runs = []
    with motors.install():
        motors.command = None if hands else 20.0
        for _ in range(2):
            mujoco.mj_resetData(model, data)
            data.qvel[0] = 2.0
            data.ctrl[:] = 20.0
            for _ in range(200):
                mujoco.mj_step(model, data)
            runs.append((data.qpos[0], motors["j0"].winding_temperature))
    assert runs[1] == pytest.approx(runs[0], rel=1e-12) and runs[0][1] > 26.0


def test_step_and_callback_do_not_mix():
    """`step` within `install` would step the motors twice, and says so; so does a second callback."""
    model = chain()
    motors, data = Motors(model, {"j0": motor()}), mujoco.MjData(model)
    with motors.install():
        with pytest.raises(ParameterError, match=r"call mujoco\.mj_step there"):
            motors.step(data, 0.0)
        with pytest.raises(ParameterError, match="motors are installed in it already"), motors.install():
            pass


# --- the model


def test_sensors_see_the_torque():
    """MuJoCo's own actuator force is that of the motor: with the gear 2, half of it, at the speed of the start."""
    model = chain()
    motors, data = Motors(model, {"j0": STIFF}), mujoco.MjData(model)
    data.qpos[0] = 1.0
    for _ in range(200):
        motors.step(data, 0.1)
    assert 2.0 * data.actuator_force[0] == pytest.approx(motors["j0"].torque, rel=1e-3)
    assert data.qfrc_actuator[0] == pytest.approx(motors["j0"].torque, rel=1e-3)


def test_rotor_is_armature_of_the_joint():
    """The reflected inertia is added to what the model has, and `release` takes it away with all else."""
    model = chain(inside='armature="0.001"', act="position")
    kept = {name: getattr(model, name).copy() for name in ("dof_armature", "actuator_biasprm", "actuator_gainprm")}
    weights = model.dof_invweight0.copy()
    with pytest.warns(UserWarning, match="j0 has armature 0.001 besides the motor's"):
        motors = Motors(model, {"j0": motor()})
    assert model.dof_armature[0] == pytest.approx(0.001 + motor().reflected_inertia)
    assert model.dof_invweight0[0] < weights[0]
    motors.release()
    assert all((getattr(model, name) == value).all() for name, value in kept.items())
    assert model.dof_invweight0[0] == pytest.approx(weights[0], rel=1e-12)


def test_armature_of_the_model_may_hold_the_rotor():
    """With armature=False the model's own is taken as the rotor's, and has to be large enough."""
    plain = motor(friction=be.Coulomb(coulomb=0.01))
    model = chain()
    added = ran(model, Motors(model, {"j0": plain}), square(200, 6.0))["position"]
    model = chain(inside=f'armature="{plain.reflected_inertia!r}"')
    held = ran(model, Motors(model, {"j0": plain}, armature=False), square(200, 6.0))["position"]
    assert of_peak(held, added) < 1e-9
    with pytest.raises(ParameterError, match=r"does not hold the rotor's 0\.002"):
        Motors(chain(), {"j0": plain}, armature=False)


def test_friction_of_the_model_is_warned_of():
    """A frictionloss beside a motor with friction of its own would count twice; a force range would clip."""
    with pytest.warns(UserWarning, match="frictionloss 0.1 besides"):
        Motors(chain(inside='frictionloss="0.1"'), {"j0": FULL})
    with pytest.warns(UserWarning, match="clips its actuator to 2 N·m"):
        Motors(chain(inside='actuatorfrcrange="-2 2"'), {"j0": FULL})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Motors(chain(), {"j0": FULL})


def test_a_range_that_mujoco_does_not_apply_is_warned_of():
    """A joint as a URDF makes it: a force range, and no actuator that it would limit; with one it does."""
    spec = mujoco.MjSpec.from_string(
        '<mujoco><worldbody><body><joint name="a" actuatorfrcrange="-1.5 1.5"/><geom size="0.1"/></body></worldbody>'
        "</mujoco>"
    )
    strong = {"a": motor(friction=None)}
    with pytest.warns(UserWarning, match=r"limits a to 1\.5 N·m, and MuJoCo limits actuators alone"):
        Motors(spec.compile(), strong)
    Motors.prepare(spec, strong)
    model = spec.compile()
    with pytest.warns(UserWarning, match="clips its actuator"):
        motors = Motors(model, strong)
    data = mujoco.MjData(model)
    motors.step(data, 1e3)
    assert abs(float(data.qfrc_actuator[0])) <= 1.5


def test_prepare_adds_hands():
    """A spec without actuators gets one for each joint with a motor, so that data.ctrl can hold the command."""
    spec = mujoco.MjSpec.from_string(
        '<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/><body><joint name="b"/><geom size="0.1"/></body>'
        '</body></worldbody><actuator><motor joint="a"/></actuator></mujoco>'
    )
    assert Motors.prepare(spec, {".*": motor()}) == ["b"]
    model = spec.compile()
    assert model.nu == 2
    motors, data = Motors(model, {".*": motor()}), mujoco.MjData(model)
    with motors.install():
        data.ctrl[:] = 6.0
        mujoco.mj_step(model, data)
    assert (np.abs(motors.output.current) > 0.0).all()


def test_set_of_the_model_itself():
    """What `wrap` reads from a model drives it as MuJoCo does."""
    from backemf.sims.mujoco import wrap

    for kind in ('motor joint="j0" gear="3"', 'velocity joint="j0" kv="0.3" gear="3" forcerange="-1 1"'):
        model = hinges(actuators=f"<{kind}/>")
        data, seen = mujoco.MjData(model), []
        for target in square(300, 0.5):
            data.ctrl[0] = target
            mujoco.mj_step(model, data)
            seen.append(data.qpos[0])
        # our commands are at the joint
        command = square(300, 0.5) * (3.0 if "motor" in kind else 1.0 / 3.0)
        ours = ran(model, Motors(model, wrap(model)), command)["position"][:, 0]
        assert of_peak(ours, np.array(seen)) < 1e-9, kind


def test_motors_on_some_joints_only():
    """A free base and joints without a pattern stay as they are; two kinds of motors go side by side."""
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option integrator="implicitfast"/><worldbody><body pos="0 0 1"><freejoint name="root"/>'
        '<geom size="0.1"/><body pos="0.2 0 0"><joint name="hip" axis="0 1 0"/><geom size="0.05"/>'
        '<body pos="0.2 0 0"><joint name="knee" axis="0 1 0"/><geom size="0.05"/>'
        '<body pos="0.2 0 0"><joint name="tail" axis="0 1 0"/><geom size="0.05"/></body></body></body></body>'
        "</worldbody></mujoco>"
    )
    servo = be.Actuator(FULL, SAGGING, controller=be.IdealPd(stiffness=10.0, damping=0.5))
    motors, data = Motors(model, {"h.*": motor(), "kn.*": servo}), mujoco.MjData(model)
    assert motors.joints == ("hip", "knee") and len(motors.state) == 2
    for _ in range(200):
        motors.step(data, {"knee": 0.3, "hip": 2.0})
    assert motors["knee"].winding_temperature > 25.0 and motors["hip"].voltage == pytest.approx(2.0)
    assert np.isnan(motors["hip"].housing_temperature) and motors.output.current.shape == (2,)
    assert data.qpos[model.joint("knee").qposadr[0]] == pytest.approx(0.3, abs=0.1)


# --- resets, commands, errors


def test_reset_starts_again():
    """After a reset of both the same run follows; a state given by name starts elsewhere."""
    model = chain()
    motors, data = Motors(model, {"j0": be.Actuator(FULL, SAGGING)}), mujoco.MjData(model)
    ends = []
    for rise in (None, None, 60.0):
        mujoco.mj_resetData(model, data)
        motors.reset(data, **({} if rise is None else {"winding_rise": rise}))
        for _ in range(100):
            motors.step(data, 20.0)
        ends.append((data.qpos[0], motors["j0"].winding_temperature, float(motors.state[0].winding_rise[0])))
    assert ends[0] == ends[1] and ends[0][2] < 40.0 < ends[2][2] == pytest.approx(ends[2][1] - 25.0)


def test_delays_are_made_for_the_step():
    """A command that is 20 ms under way arrives after 10 steps of 2 ms."""
    act = be.Actuator(motor(), delay=be.Delay(seconds=0.02))
    model = hinges()
    current = ran(model, Motors(model, {"j0": act}), np.full(30, 6.0))["current"][:, 0]
    assert not current[:10].any() and current[10] > 0.0


BAD = [np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    ("command", "words"),
    [
        (lambda bad: np.array([0.5, bad]), "joint 'j1': the command of position is"),
        (lambda bad: bad, "joint 'j0': the command of position is"),
        (lambda bad: {"j0": 0.0, "j1": bad}, "joint 'j1': the command of position is"),
        (lambda bad: be.Command(position=0.0, velocity=[bad, 0.0]), "joint 'j0': the command of velocity is"),
        (lambda bad: be.Command(position=[0.0, bad], effort=0.0), "joint 'j1': the command of position is"),
    ],
)
def test_a_command_that_is_not_finite_is_refused(command, words, bad):
    """One sentence names the joint and the input, and nothing has moved on: neither MuJoCo's time nor the motors."""
    servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=20.0, damping=0.5))
    model = hinges(2)
    motors, data = Motors(model, {"j.*": servo}, engine="numpy"), mujoco.MjData(model)
    motors.step(data, 0.1)
    before = data.time, data.qpos.copy(), motors.output.torque.copy()
    with pytest.raises(ParameterError, match=f"{words} {bad!s}: must be finite") as caught:
        motors.step(data, command(bad))
    assert "\n" not in str(caught.value)
    assert data.time == before[0] and (data.qpos == before[1]).all() and (motors.output.torque == before[2]).all()
    motors.step(data, 0.1)
    assert data.time == 2 * model.opt.timestep


def test_huge_commands_are_finite():
    """Numbers whose sum is not finite are finite each."""
    model = hinges(2)
    motors, data = Motors(model, {"j.*": be.Actuator(controller=be.Torque())}, engine="numpy"), mujoco.MjData(model)
    names, rows = motors._commands.rows(np.array([1.7e308, 1.7e308]))
    assert names == ("command",) and (rows[0] == 1.7e308).all() and data.time == 0.0


def test_what_a_controller_does_not_take_may_be_anything():
    """An effort for a joint in volts is no command of its: a NaN there is a place holder."""
    model = hinges(2)
    servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=20.0, damping=0.5))
    mixed = {"j0": servo, "j1": be.Actuator(motor(), controller=be.PositionPid(kp=5.0))}
    motors, data = Motors(model, mixed, engine="numpy"), mujoco.MjData(model)
    motors.step(data, be.Command(position=0.1, effort=[0.0, np.nan]))
    assert np.isfinite(motors.output.torque).all()


@pytest.mark.parametrize("bad", BAD)
def test_a_control_that_is_not_finite_is_refused(bad, tmp_path, monkeypatch):
    """The same through data.ctrl, from within MuJoCo's step, and through `command` when it is set."""
    monkeypatch.chdir(tmp_path)
    servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=20.0, damping=0.5))
    model = chain(2, gravity=0.0)
    motors, data = Motors(model, {"j.*": servo}, engine="numpy"), mujoco.MjData(model)
    with motors.install():
        data.ctrl[:] = (0.0, bad)
        with pytest.raises(ParameterError, match=f"joint 'j1': the command of position is {bad}"):
            mujoco.mj_step(model, data)
        with pytest.raises(ParameterError, match=f"joint 'j0': the command of position is {bad}"):
            motors.command = bad
    assert mujoco.get_mjcb_control() is None


def bad_step(command, model=None, **options):
    model = hinges(2) if model is None else model
    servo = be.Actuator(motor(), controller=be.IdealPd(stiffness=20.0, damping=0.5))
    Motors(model, {"j.*": servo}, **options).step(mujoco.MjData(model), command)


CASES = {
    "matches no joint; there are j0": lambda: Motors(hinges(), {"knee": motor()}),
    "matched by 'j.' and by 'j0'": lambda: Motors(hinges(), {"j.": motor(), "j0": motor()}),
    "is no regular expression": lambda: Motors(hinges(), {"(": motor()}),
    "must be an Actuator or a Motor": lambda: Motors(hinges(), {"j0": 3.0}),  # pyright: ignore[reportArgumentType]
    "a dict of patterns": lambda: Motors(hinges(), {}),
    "must be a mujoco.MjModel": lambda: Motors("robot.xml", {"j0": motor()}),
    "no hinge or slide joint 'knee'": lambda: Motors(hinges(), be.ActuatorSet(["knee"], {"knee": motor()})),
    "has two actuators": lambda: Motors(hinges(actuators='<motor joint="j0"/><motor joint="j0"/>'), {"j0": motor()}),
    "has states of its own": lambda: Motors(
        hinges(actuators='<general joint="j0" dyntype="filter" dynprm="0.1"/>'), {"j0": motor()}
    ),
    "must be 'native' or 'jax', which are compiled, or 'numpy'": lambda: Motors(
        hinges(), {"j0": motor()}, engine="torch"
    ),
    "Motors step one robot": lambda: Motors(
        hinges(), {"j0": motor(winding=be.Winding(resistance=np.array([[0.5], [0.6]])))}
    ),
    "the last axis is that of the joints": lambda: Motors(
        hinges(), {"j0": motor(winding=be.Winding(resistance=np.array([0.5, 0.6])))}
    ),
    "backlash needs Motor.rotor": lambda: Motors(hinges(), {"j0": motor(rotor=None, backlash=0.01)}),
    "one for each of 2 joints": lambda: bad_step(np.zeros(3)),
    "must be a number, or one per joint": lambda: bad_step([None, "x"]),
    "must be a number, one per joint, a dict by joint": lambda: bad_step(None),
    "joint 'knee' has no motor": lambda: bad_step({"knee": 0.0, "j0": 0.0, "j1": 0.0}),
    "joint 'j1' has no command": lambda: bad_step({"j0": 0.0}),
    "no controller of these motors takes it": lambda: bad_step(be.Command(voltage=3.0)),
    "integrator RK4 does not take": lambda: bad_step(0.0, hinges(2, integrator="RK4")),
    "must be the mujoco.MjData": lambda: Motors(hinges(), {"j0": motor()}).step(None, 0.0),
    "has 2 degrees of freedom and the model 1": lambda: Motors(hinges(), {"j0": motor()}).step(
        mujoco.MjData(hinges(2)), 0.0
    ),
    "no step has been taken": lambda: Motors(hinges(), {"j0": motor()}).output,
    "no motor on joint 'knee'": lambda: Motors(hinges(), {"j0": motor()})["knee"],
    "no motor has such a state": lambda: Motors(hinges(), {"j0": motor()}).reset(winding_rise=3.0),
    "must be a mujoco.MjSpec": lambda: Motors.prepare(hinges(), {"j0": motor()}),
}


@pytest.mark.parametrize("sentence", CASES)
def test_mistakes_are_one_sentence(sentence: str):
    """What cannot be is said in one sentence that names it."""
    with pytest.raises(ParameterError) as caught:
        CASES[sentence]()
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_changed_step_is_noticed():
    """Motors are made for one timestep."""
    model = hinges()
    motors = Motors(model, {"j0": motor()})
    model.opt.timestep = 1e-3
    with pytest.raises(ParameterError, match=r"made for 0\.002 s"):
        motors.step(mujoco.MjData(model), 0.0)


@pytest.mark.skipif(not hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"), reason="came with MuJoCo 4.0")
def test_the_discrete_integrator_is_refused():
    """MuJoCo 4.0's discrete integrator takes slopes before the motors have spoken."""
    with pytest.raises(ParameterError, match="integrator DISCRETE does not take"):
        bad_step(0.0, hinges(2, integrator="discrete"))


def test_a_run_that_leaves_the_finite_numbers_says_so(tmp_path, monkeypatch):
    """Where MuJoCo resets the data by itself, of which it writes a log, the step raises."""
    monkeypatch.chdir(tmp_path)
    model = hinges()
    motors, data = Motors(model, {"j0": motor()}), mujoco.MjData(model)
    motors.step(data, 0.0)
    data.qpos[0] = np.nan
    with pytest.raises(be.SimulationError, match="started again"):
        motors.step(data, 0.0)


# --- targets that look like degrees


def limit_motors(bounds: str, **parts):
    """Motors under position control on one hinge of a range, which MJCF has in degrees, or without one."""
    servo = be.Actuator(motor(), be.Supply(voltage=24.0), controller=be.PositionPid(kp=10.0), **parts)
    inside = f'range="{bounds}"' if bounds else ""
    model = chain(inside=inside)
    return model, Motors(model, {"j0": servo}, engine="numpy")


def hints(model, motors, targets) -> list[str]:
    """What is said about a row of targets, and where it is said."""
    data = mujoco.MjData(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for target in targets:
            motors.step(data, target)
    assert all(w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught if w.category is be.BackemfWarning]


@pytest.mark.parametrize(
    ("bounds", "targets", "parts", "said"),
    [
        ("-90 90", [90.0, 90.0, -45.0], {}, 1),
        ("-90 90", [1.0, 2.0, 6.0], {}, 0),
        ("-90 90", [0.0, 0.0], {}, 0),
        ("-6000 6000", [90.0], {}, 0),
        ("", [90.0], {}, 0),
        ("-90 90", [90.0], {"command_range": (-1.5, 1.5)}, 1),
        ("-90 90", [90.0], {"command_range": (-100.0, 100.0)}, 0),
        ("-90 90", [be.Command(position=90.0)], {}, 1),
    ],
)
def test_a_target_in_degrees_beyond_the_range_of_its_hinge_is_said_once(bounds, targets, parts, said):
    """A hinge without a range may turn as often as it likes, and a range that holds the target says it is meant."""
    found = hints(*limit_motors(bounds, **parts), targets)
    assert len(found) == said
    if said:
        assert found[0].startswith("joint 'j0': a position target of 90 rad is 14.3 turns")


def test_volts_are_no_degrees():
    model = chain(inside='range="-90 90"')
    assert hints(model, Motors(model, {"j0": motor()}, engine="numpy"), [24.0]) == []
