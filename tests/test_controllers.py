"""Controllers against their closed forms: where a joint comes to rest, how fast a torque comes, what a mode follows."""

from types import SimpleNamespace

import numpy as np
import pytest
from controller_kinds import ALL, BUS, DT, KE, KT, SUPPLY, R, motor

import backemf as be
from backemf.physics.command import TORQUE, VELOCITY, VOLTAGE


def run(actuator: be.Actuator, command, *, load: float = 0.0, inertia: float = 2e-3, steps: int = 3000, q: float = 0.0):
    """The joint under a constant load torque until it has settled: its position, speed, state and last output."""
    step = actuator.compile("python")
    state, v, out = step.initial(), 0.0, None
    felt = inertia + (0.0 if actuator.motor is None else actuator.motor.armature)
    for _ in range(steps):
        state, out = step(state, command, q, v, DT)
        v += DT * (out.torque + load) / felt
        q += DT * v
    return SimpleNamespace(q=q, v=v, state=state, out=out)


def hold_joint(actuator: be.Actuator, command, *, q: float = 0.0, v: float = 0.0, steps: int = 1, dt: float = DT):
    """Every output of a joint that is held at a position and a speed, and the last state."""
    step = actuator.compile("python")
    state, outs = step.initial(), []
    for _ in range(steps):
        state, out = step(state, command, q, v, dt)
        outs.append(out)
    return state, outs


# --- position in volts


@pytest.mark.parametrize("ratio", [10.0, -10.0])
def test_position_error_under_a_load(ratio: float):
    """At rest kp·e/R·Kt·N balances the load: e = R·load/(Kt·N·kp), whichever way the gears turn."""
    kp, load = 20.0, -0.8
    end = run(be.Actuator(motor(ratio), controller=be.PositionPid(kp=kp, kd=0.5)), 1.0, load=load)
    assert 1.0 - end.q == pytest.approx(R * -load / (KT * abs(ratio) * kp), rel=1e-9)
    assert 1.0 - end.q > 0.05, "an error worth speaking of"


@pytest.mark.parametrize("ratio", [10.0, -10.0])
def test_integral_takes_the_position_error_away(ratio: float):
    """With ki the error under the same load is zero, and ki·∫e is the voltage that holds the load."""
    ki, load = 60.0, -0.8
    end = run(be.Actuator(motor(ratio), controller=be.PositionPid(kp=20.0, ki=ki, kd=0.5)), 1.0, load=load, steps=8000)
    assert end.q == pytest.approx(1.0, abs=1e-9)
    assert ki * end.state.integral == pytest.approx(R * -load / (KT * abs(ratio)), rel=1e-6)


# --- velocity in volts


@pytest.mark.parametrize("ratio", [10.0, -10.0])
def test_velocity_under_a_load(ratio: float):
    """N·Kt/R·(kp·(u - v) - N·Ke·v) + load = 0 gives v = (kp·u + R·load/(N·Kt))/(kp + N·Ke)."""
    kp, load, target, n = 3.0, -0.3, 5.0, abs(ratio)
    end = run(be.Actuator(motor(ratio), controller=be.VelocityPi(kp=kp)), target, load=load)
    assert end.v == pytest.approx((kp * target + R * load / (n * KT)) / (kp + n * KE), rel=1e-9)


def test_integral_takes_the_velocity_error_away():
    """With ki the velocity is the target, and the moving target is ahead by what load and back-EMF take of ki."""
    ki, load, target = 20.0, -0.3, 5.0
    end = run(be.Actuator(motor(), controller=be.VelocityPi(kp=3.0, ki=ki)), target, load=load, steps=6000)
    assert end.v == pytest.approx(target, rel=1e-9)
    assert end.state.integral - end.q == pytest.approx((10.0 * KE * target + R * -load / (10.0 * KT)) / ki, rel=1e-6)


def test_moving_target_begins_where_the_joint_is():
    """A joint at 2 rad that is told to stand still gets no volts."""
    _, (out,) = hold_joint(be.Actuator(motor(), controller=be.VelocityPi(kp=3.0, ki=20.0)), 0.0, q=2.0)
    assert out.voltage == 0.0


# --- torque


@pytest.mark.parametrize("inductance", [None, 1e-4, 5e-3])
@pytest.mark.parametrize("speed", [0.0, 8.0, -8.0])
@pytest.mark.parametrize("controller", [be.Torque, be.TorquePid, be.IdealPd, be.ModeSelector])
def test_current_loop_follows_as_a_first_order(controller, speed: float, inductance: float | None):
    """torque = asked·(1 - exp(-bandwidth·t)) at every step and any speed, while the voltage suffices."""
    bandwidth, asked = 300.0, 0.4
    if controller is be.ModeSelector:
        loop = be.ModeSelector(torque=be.Torque(current_bandwidth=bandwidth))
    else:
        loop = controller(current_bandwidth=bandwidth, **({"stiffness": 0.0} if controller is be.IdealPd else {}))
    actuator = be.Actuator(motor(inductance=inductance), controller=loop)
    _, outs = hold_joint(actuator, be.Command(effort=asked), v=speed, steps=30)
    t = DT * np.arange(1, 31)
    assert [out.torque for out in outs] == pytest.approx(asked * -np.expm1(-bandwidth * t), rel=1e-12)


def test_current_loop_is_as_slow_as_its_voltage():
    """A loop that asks for more volts than there are gets the current of those: V/R·(1 - exp(-t·R/L))."""
    inductance, volts = 5e-3, 3.0
    actuator = be.Actuator(
        motor(inductance=inductance), controller=be.Torque(current_bandwidth=2000.0), voltage_limit=volts
    )
    _, outs = hold_joint(actuator, 10.0, steps=20)
    t = DT * np.arange(1, 21)
    assert [out.current for out in outs] == pytest.approx(volts / R * -np.expm1(-t * R / inductance), rel=1e-12)
    assert all(be.limit_names(out.limit) == ["voltage"] for out in outs)


@pytest.mark.parametrize("speed", [-20.0, -1.0, 0.0, 3.0, 40.0])
@pytest.mark.parametrize("controller", [be.Torque(), be.TorquePid(), be.IdealPd(stiffness=0.0), be.ModeSelector()])
def test_back_emf_is_made_up_for(controller, speed: float):
    """A cold winding gives the torque that is asked for at any speed, also where Kt and Ke differ."""
    _, (out,) = hold_joint(be.Actuator(motor(), controller=controller), be.Command(effort=0.4), v=speed)
    assert out.torque == pytest.approx(0.4, rel=1e-12)
    assert out.voltage == pytest.approx(R * 0.4 / (10.0 * KT) + KE * 10.0 * speed, rel=1e-12)


def test_hot_winding_gives_less_than_is_asked():
    """The voltage is that of the cold resistance, so at R(T) the torque is R/R(T) of it."""
    one = motor(thermal=be.Thermal(resistance=5.0, capacitance=10.0, ambient=25.0))
    step = be.Actuator(one, controller=be.Torque()).compile("python")
    _, out = step(step.initial(winding_rise=100.0), 0.4, 0.0, 0.0, DT)
    assert out.torque == pytest.approx(0.4 / (1 + one.winding.temperature_coefficient * 100.0), rel=1e-12)


def test_pd_formula():
    """stiffness·(p - q) + damping·(v - q') + effort; what is not commanded counts as no error or 0."""
    step = be.Actuator(controller=be.IdealPd(stiffness=30.0, damping=2.0)).compile("python")

    def torque(**targets) -> float:
        return step(step.initial(), be.Command(**targets), 0.4, -1.5, DT)[1].torque

    assert torque(position=1.0, velocity=0.5, effort=7.0) == pytest.approx(30.0 * 0.6 + 2.0 * 2.0 + 7.0)
    assert torque(position=1.0) == pytest.approx(30.0 * 0.6 + 2.0 * 1.5)
    assert torque(velocity=0.5) == pytest.approx(2.0 * 2.0)
    assert torque(effort=7.0) == pytest.approx(7.0 + 2.0 * 1.5)


def test_torque_pid_holds_a_load():
    """Without a motor too: the integral takes over the load, ki·∫e = -load."""
    end = run(be.Actuator(controller=be.TorquePid(kp=3.0, ki=8.0, kd=0.1)), 1.0, load=-2.0, steps=8000)
    assert end.q == pytest.approx(1.0, abs=1e-9)
    assert 8.0 * end.state.integral == pytest.approx(2.0, rel=1e-6)


def test_torque_pid_that_follows_a_velocity():
    """Against a load the velocity is the target, with the moving target ahead by load/ki."""
    end = run(be.Actuator(controller=be.TorquePid(ki=8.0, kd=0.2, follows="velocity")), 4.0, load=-2.0, steps=4000)
    assert end.v == pytest.approx(4.0, rel=1e-9)
    # at the start of the next step the target has gone on with the joint
    assert end.state.integral - end.q == pytest.approx(2.0 / 8.0, rel=1e-6)


# --- the servo


def servo(**settings) -> be.Actuator:
    return be.Actuator(motor(), be.Supply(voltage=BUS), controller=be.DutyServo(**{"kp": 5.0} | settings))


@pytest.mark.parametrize("pwm_limit", [1.0, 0.4])
def test_servo_stalls_at_its_pwm_limit(pwm_limit: float):
    """Held far from its target, a servo gives pwm_limit·bus·Kt·N/R."""
    _, (out,) = hold_joint(servo(pwm_limit=pwm_limit), 10.0)
    assert out.torque == pytest.approx(pwm_limit * BUS * KT * 10.0 / R, rel=1e-12)
    assert be.limit_names(out.limit) == ["voltage"]


def test_servo_duty_is_a_share_of_the_bus():
    """Near its target, the voltage is (kp·e - kd·q')·bus."""
    _, (out,) = hold_joint(servo(kd=0.02), 0.1, v=1.0)
    assert out.voltage == pytest.approx((5.0 * 0.1 - 0.02) * BUS, rel=1e-12)


@pytest.mark.parametrize("speed", [0.0, 10.0, -10.0])
def test_servo_holds_its_current(speed: float):
    """The limiter lowers the duty until the current is at its limit, at any speed that the bus can serve."""
    _, outs = hold_joint(servo(current_limit=2.0), 10.0, v=speed, steps=3)
    for out in outs:
        assert out.current == pytest.approx(2.0, rel=1e-12)
        assert out.torque == pytest.approx(2.0 * KT * 10.0, rel=1e-12)
        assert out.voltage == pytest.approx(2.0 * R + KE * 10.0 * speed, rel=1e-12)


def test_servo_has_a_dead_band():
    """Within the band nothing happens, beyond it only the rest of the error counts, from both sides."""
    for error, counts in ((0.0, 0.0), (0.019, 0.0), (-0.019, 0.0), (0.05, 0.03), (-0.05, -0.03)):
        _, (out,) = hold_joint(servo(dead_band=0.02), error)
        assert out.voltage == pytest.approx(5.0 * counts * BUS, abs=1e-12)


def test_servo_in_its_dead_band_is_no_spring():
    """Where the torque does not change with the position, the stiffness says so."""
    inside, outside = (hold_joint(servo(dead_band=0.02), error)[1][0].torque_stiffness for error in (0.01, 0.05))
    assert inside == 0.0
    assert outside == pytest.approx(5.0 * BUS * KT * 10.0 / R)


def test_servo_integral_takes_the_error_away():
    """With ki the servo reaches its target under load."""
    end = run(servo(ki=8.0, kd=0.05), 1.0, load=-0.8, steps=8000)
    assert end.q == pytest.approx(1.0, abs=1e-6)


# --- modes


SELECTOR = be.ModeSelector(velocity=be.VelocityPi(kp=3.0, ki=20.0))


def test_torque_before_voltage_before_velocity():
    """All three given: the torque; without it the voltage; without both the velocity."""
    actuator = be.Actuator(motor(), controller=SELECTOR)
    _, (out,) = hold_joint(actuator, be.Command(effort=0.4, voltage=5.0, velocity=2.0), v=1.0)
    assert out.torque == pytest.approx(0.4)
    _, (out,) = hold_joint(actuator, be.Command(voltage=5.0, velocity=2.0), v=1.0)
    assert out.voltage == 5.0
    _, (out,) = hold_joint(actuator, be.Command(velocity=2.0), v=1.0)
    assert out.voltage == pytest.approx(3.0 * (2.0 - 1.0))


def test_zero_is_a_command():
    """A torque of 0 is not the voltage that stands beside it, a voltage of 0 not the velocity."""
    actuator = be.Actuator(motor(), controller=SELECTOR)
    _, (out,) = hold_joint(actuator, be.Command(effort=0.0, voltage=5.0), v=1.0)
    assert out.torque == pytest.approx(0.0, abs=1e-15)
    _, (out,) = hold_joint(actuator, be.Command(voltage=0.0, velocity=2.0), v=1.0)
    assert out.voltage == 0.0


@pytest.mark.parametrize("bandwidth", [None, 400.0])
def test_each_motor_has_its_mode(bandwidth: float | None):
    """A batch in three modes at once does what three motors in one mode each do."""
    selector = be.ModeSelector(torque=be.Torque(current_bandwidth=bandwidth), velocity=SELECTOR.velocity)
    actuator = be.Actuator(motor(), controller=selector)
    step = actuator.compile("numpy")
    state, q, v = step.initial(3), np.full(3, 0.3), np.array([1.0, -2.0, 0.5])
    command = be.Command(effort=0.4, voltage=5.0, velocity=2.0, mode=np.array([TORQUE, VOLTAGE, VELOCITY]))
    for _ in range(5):
        state, out = step(state, command, q, v, DT)
    alone = [be.Command(effort=0.4), be.Command(voltage=5.0), be.Command(velocity=2.0)]
    torques = [hold_joint(actuator, one, q=0.3, v=float(v[k]), steps=5)[1][-1].torque for k, one in enumerate(alone)]
    assert out.torque == pytest.approx(torques, rel=1e-12)


@pytest.mark.parametrize("between", ["effort", "voltage", "effort beside velocity"])
@pytest.mark.parametrize("freeze", [False, True])
def test_nothing_adds_up_outside_velocity_mode(between: str, freeze: bool):
    """A joint that is carried through 8 rad in another mode goes on in velocity mode as it left it."""
    selector = be.ModeSelector(velocity=be.VelocityPi(kp=3.0, ki=20.0, freeze_at_limit=freeze))
    step = be.Actuator(motor(), controller=selector, voltage_limit=10.0).compile("python")
    state, q, v = step.initial(), 0.0, 4.0
    commands = {
        "effort": be.Command(effort=50.0),
        "voltage": be.Command(voltage=30.0),
        "effort beside velocity": be.Command(effort=50.0, velocity=5.0),
    }
    given = [be.Command(velocity=5.0)] * 100 + [commands[between]] * 2000 + [be.Command(velocity=5.0)]
    volts = []
    for command in given:
        state, out = step(state, command, q, v, DT)
        volts.append(out.voltage)
        q += DT * v
    # 100 steps in which the target got 1 rad/s ahead, and not a step more
    assert volts[100] == 10.0
    assert volts[-1] == pytest.approx(3.0 * 1.0 + 20.0 * 100 * DT * 1.0, rel=1e-9)


def test_velocity_mode_in_torque():
    """A TorquePid that follows a velocity serves the velocity mode too."""
    selector = be.ModeSelector(velocity=be.TorquePid(kd=0.2, follows="velocity"))
    _, (out,) = hold_joint(be.Actuator(motor(), controller=selector), be.Command(velocity=3.0), v=1.0)
    assert out.torque == pytest.approx(0.2 * 2.0)


# --- where things begin, and what takes no effect


def test_a_setpoint_that_is_given_is_kept():
    """initial(setpoint=...) starts the slew there; left out, it starts where the joint is."""
    step = be.Actuator(controller=be.IdealPd(stiffness=1.0), slew=1.0).compile("numpy")
    state, _ = step(step.initial((1,), setpoint=0.5), 2.0, np.array([0.1]), np.array([0.0]), DT)
    assert state.setpoint == pytest.approx(0.5 + DT)
    state, _ = step(step.initial((1,)), 2.0, np.array([0.1]), np.array([0.0]), DT)
    assert state.setpoint == pytest.approx(0.1 + DT)


def test_a_current_loop_without_a_motor_is_refused():
    """There is no current to control."""
    with pytest.raises(be.ParameterError, match="current_bandwidth would never take effect"):
        be.Actuator(controller=be.IdealPd(stiffness=1.0, current_bandwidth=100.0))


def test_a_servos_current_limit_is_named_as_one():
    """The limiter of the firmware is a limit of the current, not of a torque."""
    servo = be.DutyServo(kp=50.0, current_limit=2.0)
    step = be.Actuator(motor(), SUPPLY, controller=servo).compile("python")
    _, out = step(step.initial(), 1.0, 0.0, 0.0, DT)
    assert out.current == pytest.approx(2.0)
    assert "current" in be.limit_names(out.limit) and "torque" not in be.limit_names(out.limit)


def test_the_slope_of_many_turns_is_that_of_the_whole_step():
    """With eight turns per step, the torque falls with speed as it does in one turn as long as the step."""
    parts = {"motor": motor(inductance=5e-3), "supply": be.Supply(voltage=200.0), "controller": ALL["TorquePid"]}
    one, many = (be.Actuator(**parts, substeps=n).compile("python") for n in (1, 8))
    slopes = [step(step.initial(), 0.1, 0.0, 0.5, 4e-3)[1].torque_slope for step in (one, many)]
    assert slopes[1] == pytest.approx(slopes[0], rel=1e-12)

    def torque(speed):
        return many(many.initial(), 0.1, 0.0, speed, 4e-3)[1].torque

    true = -(torque(0.5 + 1e-5) - torque(0.5 - 1e-5)) / 2e-5
    # the end of the step is softer than its mean: on the safe side for a host, and of the right size
    assert true < slopes[1] < 2.5 * true


def test_a_bad_command_is_reported_by_index():
    """NaN in one environment of a batch: `check` names its place, the others are those of a run without it."""
    step = be.Actuator(controller=be.IdealPd(stiffness=1.0)).compile("numpy")
    target, still = np.ones((4, 3)), np.zeros((4, 3))
    _, good = step(step.initial((4, 3)), target, still, still, DT)
    good.check()
    target[2, 1] = np.nan
    _, out = step(step.initial((4, 3)), target, still, still, DT)
    with pytest.raises(be.ParameterError, match=r"\(2, 1\) was not finite"):
        out.check()
    assert np.array_equal(np.delete(out.torque.ravel(), 7), np.delete(good.torque.ravel(), 7))
    assert out.torque[2, 1] == 0.0
