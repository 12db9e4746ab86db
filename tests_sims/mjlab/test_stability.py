"""Our motors inside real mjlab at its own step and longer: no link is too light and no gain is too stiff."""

import gc
import warnings
import weakref
from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest
import torch
from mjlab.entity import EntityArticulationInfoCfg, EntityCfg
from mjlab.scene import Scene, SceneCfg
from mjlab.sim import MujocoCfg, Simulation, SimulationCfg

import backemf as be
from backemf import catalog
from backemf.physics.state import OUTPUTS
from backemf.robot.grouping import group_actuators
from backemf.sims.mjlab import MotorActuatorCfg
from backemf.sims.mjlab.simulations import simulation_of

MASSES = (0.01, 0.1, 1.0, 10.0)
"""Mass of the link in each environment [kg]."""
LENGTH = 0.2
"""Length of the link, a rod that turns about its end [m]."""
INERTIAS = np.array(MASSES) * LENGTH**2 / 3.0
TARGET = 1.0
DEVICE = "cuda:0" if torch.cuda.is_available() else "cpu"
"""Where the simulation runs: the tests are the same on a GPU."""
GIVEN = ("electrical", "cogging", "numerical")
TAKEN = ("copper", "magnetic", "conversion", "iron", "drag", "friction", "bristle", "gear", "rotor", "mechanical")
"""Powers of a motor, which balance."""


@pytest.fixture(autouse=True)
def on_device():
    """What the tests hand over is made where the simulation runs."""
    with torch.device(DEVICE):
        yield


def position_loop(motor: be.Motor) -> be.Actuator:
    """A motor on its rated voltage under a position controller."""
    ratings = motor.ratings
    volts = 24.0 if ratings is None or ratings.voltage is None else ratings.voltage
    return be.Actuator(motor, be.Supply(voltage=volts), controller=be.PositionPid(kp=30.0, kd=0.5))


def ak80() -> be.Actuator:
    """The motor of many small robots."""
    return position_loop(be.Datasheet.load("tmotor-ak80-6").motor())


@cache
def whole_catalogue() -> dict[str, be.Actuator]:
    """Every motor of the catalogue whose sheet says enough for one, by its id."""
    found = {}
    for name in catalog.ids():
        try:
            motor = be.Datasheet.load(name).motor()
        except be.DatasheetError:
            continue
        gearbox = motor.gearbox
        if motor.rotor is None and gearbox is not None:
            # backlash lets a rotor go, so it needs one
            motor = replace(motor, gearbox=replace(gearbox, backlash=None))
        found[name.replace(".", "_")] = position_loop(motor)
    return found


class Bench:
    """Links that turn about a vertical axis, one for each motor, with another mass in each environment."""

    def __init__(self, actuators: dict[str, be.Actuator], dt: float, integrator="implicitfast", **options):
        names = list(actuators)
        configs = tuple(
            MotorActuatorCfg(
                target_names_expr=tuple(names[column] for column in group.columns),
                actuator=group.actuator,
                **{"eager": True, "telemetry": (), **options},
            )
            for group in group_actuators(list(actuators.values()))
        )
        robot = EntityCfg(
            spec_fn=lambda: mujoco.MjSpec.from_string(links(names)),
            articulation=EntityArticulationInfoCfg(actuators=configs),
        )
        self.scene = Scene(SceneCfg(num_envs=len(MASSES), entities={"robot": robot}), device=DEVICE)
        options = MujocoCfg(timestep=dt, integrator=integrator, gravity=(0.0, 0.0, 0.0))
        cfg = SimulationCfg(nconmax=4, njmax=8, mujoco=options)
        self.sim = Simulation(num_envs=len(MASSES), cfg=cfg, spec=self.scene.spec, device=DEVICE)
        self.scene.initialize(mj_model=self.sim.mj_model, model=self.sim.model, data=self.sim.data)
        self.sim.expand_model_fields(("body_inertia",))
        bodies = [self.sim.mj_model.body(f"robot/{name}_link").id for name in names]
        for environment, inertia in enumerate(INERTIAS):
            self.sim.model.body_inertia[environment, bodies] = float(inertia)
        self.sim.forward()
        self.dt, self.robot = dt, self.scene["robot"]
        self.robot.set_joint_position_target(torch.full((len(MASSES), len(names)), TARGET))

    def step(self) -> None:
        """One physics step, in the order of mjlab's own environments."""
        self.scene.write_data_to_sim()
        self.sim.step()
        self.scene.update(dt=self.dt)

    def run(self, duration: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions at the end [rad] and the highest speeds on the way [rad/s] (environment, joint)."""
        fastest = torch.zeros_like(self.robot.data.joint_vel)
        with torch.inference_mode():
            for _ in range(round(duration / self.dt)):
                self.step()
                fastest = torch.maximum(fastest, self.robot.data.joint_vel.abs())
        return self.robot.data.joint_pos.cpu().numpy().copy(), fastest.cpu().numpy()


def links(names: list[str]) -> str:
    """A fixed base with a link for each name."""
    inertia = f"{INERTIAS[0]} {INERTIAS[0]} {INERTIAS[0]}"
    bodies = [
        f'<body name="{name}_link"><joint name="{name}" axis="0 0 1"/>'
        f'<inertial pos="0 0 0" mass="1" diaginertia="{inertia}"/></body>'
        for name in names
    ]
    return f'<mujoco><worldbody><body name="base">{"".join(bodies)}</body></worldbody></mujoco>'


def no_load_speed(actuator: be.Actuator) -> float:
    """Speed at which the back-EMF is the supply's voltage [rad/s]."""
    motor = actuator.motor
    return abs(actuator.supply.voltage / (motor.magnet.back_emf_constant * motor.ratio))


def simulate_end(actuator: be.Actuator, duration: float) -> np.ndarray:
    """Where `simulate` ends on each link [rad]."""
    return be.simulate(actuator, be.Inertia(inertia=INERTIAS), TARGET, duration, 2e-4, engine="numpy")["position"][-1]


# --- one motor


@pytest.mark.parametrize("dt", [0.005, 0.02])
def test_a_light_link_settles_where_simulate_does(dt):
    """At mjlab's own 5 ms the explicit torque swung between its limits, and at 20 ms it left the numbers."""
    ends, fastest = Bench({"joint": ak80()}, dt).run(0.6)
    assert ends[:, 0] == pytest.approx(simulate_end(ak80(), 0.6), abs=0.02)
    assert fastest.max() < no_load_speed(ak80())


@pytest.mark.parametrize("change", [{"implicit": False}, {"integrator": "euler"}])
def test_an_explicit_step_that_is_too_long_is_a_warning(change):
    """Without the slope a joint is stable while dt²·k + 2·dt·d < 4·I; beyond that joint and remedy are named."""
    remedy = {"implicit": "implicit=True", "integrator": r'MujocoCfg\(integrator="implicitfast"\)'}
    sentence = (
        rf"joint 'joint': .* slope .* timestep = 0.02 s unstable on 0.00\d+ kg·m²; give {remedy[next(iter(change))]}"
    )
    with pytest.warns(be.BackemfWarning, match=sentence):
        bench = Bench({"joint": ak80()}, 0.02, **change)
    assert not bench.run(0.4)[1].max() < no_load_speed(ak80())
    with warnings.catch_warnings():
        warnings.simplefilter("error", be.BackemfWarning)
        assert Bench({"joint": ak80()}, 5e-4, **change).run(0.02)[1].max() < no_load_speed(ak80())


def test_the_torque_of_a_step_is_what_moved_the_link():
    """I·(v1 - v0)/dt is the torque that telemetry reports; MuJoCo's own force is that of the start of the step."""
    bench = Bench({"joint": ak80()}, 0.005, telemetry=None)
    motor, inertias = ak80().motor, torch.tensor(INERTIAS, dtype=torch.float32)[:, None]
    for _ in range(30):
        before = bench.robot.data.joint_vel.clone()
        bench.step()
        actuator = bench.robot.actuators[0]
        moved = (inertias + motor.armature) * (bench.robot.data.joint_vel - before) / bench.dt
        torch.testing.assert_close(actuator.reading("torque"), moved, rtol=1e-3, atol=2e-3)
        force = bench.robot.data.actuator_force
        torch.testing.assert_close(force, bench.sim.data.ctrl[:], rtol=1e-5, atol=1e-4)
    # the lightest link has come to its target, where nothing limits the motor
    assert bench.sim.model.actuator_biasprm[0, 0, 2] < -1.0


def test_telemetry_is_that_of_the_step_that_was_taken():
    """Back-EMF, voltage and power are those of the speed that came out, also under a push that nobody announced."""
    bench = Bench({"joint": ak80()}, 0.005, telemetry=None)
    actuator, motor = bench.robot.actuators[0], ak80().motor
    link = bench.sim.mj_model.body("robot/joint_link").id
    for step in range(40):
        if step == 20:
            bench.sim.data.xfrc_applied[:, link, 5] = 1.5
        start = bench.robot.data.joint_pos.clone()
        bench.step()
        speed = bench.robot.data.joint_vel
        read = {name: actuator.reading(name) for name in OUTPUTS if getattr(actuator.telemetry, name) is not None}
        emf = motor.ratio * motor.magnet.back_emf_constant * speed
        torch.testing.assert_close(read["back_emf"], emf, rtol=1e-4, atol=1e-3)
        # links on which the step follows the controller's position gain, where nothing limits the voltage
        asked = 30.0 * (TARGET - start) - 0.5 * speed
        free = (read["limit"] == 0) & (torch.arange(4)[:, None] >= 2)
        torch.testing.assert_close(read["voltage"][free], asked[free], rtol=1e-4, atol=1e-3)
        torch.testing.assert_close(read["mechanical_power"], read["torque"] * speed)
        given = sum(read[f"{name}_power"] for name in GIVEN)
        taken = sum(read[f"{name}_power"] for name in TAKEN)
        torch.testing.assert_close(given, taken, rtol=1e-4, atol=1e-2)


def test_each_simulation_is_known_by_its_model(monkeypatch):
    """An actuator is handed the model alone; it finds the simulation without a search, and does not keep it alive."""
    monkeypatch.setattr(gc, "get_objects", lambda *_: pytest.fail("looked through all that is alive"))
    benches = [Bench({"joint": ak80()}, 0.005) for _ in range(2)]
    for bench in benches:
        assert simulation_of(bench.sim.model) is bench.sim
    left, model = weakref.ref(benches[0].sim), benches[0].sim.model
    del bench, benches
    gc.collect()
    assert left() is None
    with pytest.raises(be.ParameterError, match=r"no mjlab\.sim\.Simulation has the model"):
        simulation_of(model)


def test_a_control_loop_with_substeps_settles_where_simulate_does():
    """Four turns of the loop within each of mjlab's steps, on links of 10 g to 10 kg."""
    fast = replace(ak80(), substeps=4)
    ends, fastest = Bench({"joint": fast}, 0.02).run(0.6)
    run = be.simulate(fast, be.Inertia(inertia=INERTIAS), TARGET, 0.6, 2e-3, engine="numpy")
    assert ends[:, 0] == pytest.approx(run["position"][-1], abs=0.02)
    assert fastest.max() < no_load_speed(fast)


def test_a_reset_takes_the_slope_back():
    """What stands in the model of an environment that starts again is nothing, and that of the others stays."""
    bench = Bench({"joint": ak80(), "other": ak80()}, 0.005)
    bench.robot.set_joint_position_target(torch.full((4, 2), 0.1))
    for _ in range(3):
        bench.step()
    bias = bench.sim.model.actuator_biasprm[:].clone()
    assert (bias[:, :, 2] < 0.0).all()
    bench.scene.reset(torch.tensor([0, 2]))
    after = bench.sim.model.actuator_biasprm[:]
    assert not after[[0, 2]].any()
    assert torch.equal(after[[1, 3]], bias[[1, 3]])


def test_randomised_gains_give_slopes_of_their_own():
    """Each environment integrates with the slope of its own gains, N·Kt/R·(kd + N·Ke) at rest."""
    bench = Bench({"joint": ak80()}, 0.005)
    gains = torch.tensor([[0.5], [1.0], [2.0], [4.0]])
    bench.robot.actuators[0].set_gains(slice(None), kd=gains)
    bench.robot.set_joint_position_target(torch.zeros(4, 1))
    bench.step()
    motor = ak80().motor
    n, per_volt = motor.ratio, motor.magnet.torque_constant / motor.winding.resistance
    # the mean current over the step, of which a part has still to come
    steps = bench.dt * motor.winding.resistance / motor.winding.inductance
    come = 1.0 - (1.0 - np.exp(-steps)) / steps
    slopes = n * per_volt * (gains[:, 0] + n * motor.magnet.back_emf_constant) * come
    torch.testing.assert_close(-bench.sim.model.actuator_biasprm[:, 0, 2], slopes, rtol=1e-3, atol=0.0)


def test_without_a_motor_nothing_is_handed_over_unless_asked():
    """mjlab's own PD is explicit, and so is ours; `implicit=True` holds a damping that the step could not follow."""
    pd = be.Actuator(controller=be.IdealPd(stiffness=20.0, damping=2.0))
    assert Bench({"joint": pd}, 0.005).run(0.1)[1][0, 0] > 1e3
    ends, fastest = Bench({"joint": pd}, 0.005, implicit=True).run(1.0)
    assert ends[:3, 0] == pytest.approx(TARGET, abs=1e-3)
    assert fastest.max() < 20.0


@pytest.mark.parametrize(
    "friction", [be.Coulomb(coulomb=0.06), be.Dahl(coulomb=0.06, stiffness=60.0), None], ids=["coulomb", "dahl", "none"]
)
def test_dry_friction_brings_a_link_to_rest(friction):
    """A link that spins at 20 rad/s without a command slows down, never turns back, and stays where it stops."""
    motor = replace(be.Datasheet.load("tmotor-ak80-6").motor(), friction=friction)
    bench = Bench({"joint": be.Actuator(motor, controller=be.Torque())}, 0.02)
    bench.robot.write_joint_velocity_to_sim(torch.full((4, 1), 20.0))
    bench.robot.set_joint_effort_target(torch.zeros(4, 1))
    speeds = []
    for _ in range(50):
        bench.step()
        speeds.append(bench.robot.data.joint_vel.clone())
    speeds = torch.stack(speeds)
    assert speeds.min() > -0.5 and speeds.max() <= 20.0
    if friction is not None:
        assert speeds[-1, :3].abs().max() < 0.05
        # until then by friction over inertia
        slower = 0.6 * abs(motor.ratio) * 0.06 / (INERTIAS + motor.armature)
        assert speeds[29, 2:, 0].cpu().numpy() == pytest.approx(20.0 - slower[2:], rel=0.01)


# --- all motors

RUNS = {0.001: 0.04, 0.002: 0.06, 0.005: 0.4, 0.01: 0.4, 0.02: 0.4}
"""Length of a run at each step [s]."""
ERRORS = {0.005: 0.02, 0.01: 0.04, 0.02: 0.1}
"""Largest error of a run at each step against one at 1 ms [rad]."""


@cache
def simulated_catalogue(dt: float, duration: float) -> dict[str, np.ndarray]:
    """Where `simulate` ends with each motor whose rotor is known, on each link [rad]."""
    known = {name: each for name, each in whole_catalogue().items() if each.motor.rotor is not None}
    names, ends = list(known), {}
    for group in group_actuators(list(known.values())):
        load = be.Inertia(inertia=np.broadcast_to(INERTIAS[:, None], (len(MASSES), len(group.columns))))
        run = be.simulate(group.actuator, load, TARGET, duration, dt, engine="numpy")
        ends |= {names[column]: run["position"][-1][:, place] for place, column in enumerate(group.columns)}
    return ends


@pytest.mark.parametrize("dt", RUNS)
def test_every_motor_of_the_catalogue_moves_as_in_simulate(dt):
    """Every motor on links of 10 g to 10 kg: none is faster than without load, and they end where `simulate` does.

    At the same step they end there to rounding. So the error of a long step is that of `simulate`, which is small
    against a fine one, and what settles there settles here.
    """
    actuators = whole_catalogue()
    assert len(actuators) > 150
    ends, fastest = Bench(actuators, dt).run(RUNS[dt])
    assert np.isfinite(ends).all()
    for place, (name, actuator) in enumerate(actuators.items()):
        assert fastest[:, place].max() <= 1.01 * no_load_speed(actuator), name

    def errors(expected: dict[str, np.ndarray]) -> np.ndarray:
        places = [place for place, name in enumerate(actuators) if name in expected]
        return np.abs(ends[:, places] - np.stack([expected[list(actuators)[place]] for place in places], axis=1))

    assert errors(simulated_catalogue(dt, RUNS[dt])).max() < 1e-4
    if dt in ERRORS:
        against_fine = errors(simulated_catalogue(0.001, RUNS[dt]))
        assert against_fine.max() < ERRORS[dt]
        assert (against_fine < 0.05).mean() >= (1.0 if dt < 0.02 else 0.98)
