"""Delays that differ between targets, in real mjlab, against a buffer that is kept by hand."""

import dataclasses

import numpy as np
import pytest
import rig
import torch

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg

TARGETS = ("position", "velocity", "effort")
GAINS = {"position": 20.0, "velocity": 0.5, "effort": 1.0}
ENVS = 3
STEPS = 60


class Buffer:
    """What was sent since the last reset, environment by environment, and what of it arrives after some steps."""

    def __init__(self):
        self.sent: list[list[torch.Tensor]] = [[] for _ in range(ENVS)]
        self.rest: list[torch.Tensor] = [torch.zeros(12)] * ENVS

    def reset(self, environments) -> None:
        for number in environments:
            self.sent[number] = []

    def send(self, target: torch.Tensor, rest: torch.Tensor, lag) -> torch.Tensor:
        """The target that is `lag` steps old (a number, or one per joint); before there is one, the resting one."""
        lags = np.broadcast_to(np.asarray(lag, dtype=float), 12)
        arrived = torch.zeros(ENVS, 12)
        for number in range(ENVS):
            if not self.sent[number]:
                self.rest[number] = rest[number].clone()
            self.sent[number].append(target[number].clone())
            for joint in range(12):
                older = int(np.floor(lags[joint]))
                share = lags[joint] - older
                arrived[number, joint] = self.target_at_age(number, joint, older)
                if share > 0.0:
                    arrived[number, joint] += share * (
                        self.target_at_age(number, joint, older + 1) - arrived[number, joint]
                    )
        return arrived

    def target_at_age(self, number: int, joint: int, age: int) -> torch.Tensor:
        frames = self.sent[number]
        return frames[-1 - age][joint] if age < len(frames) else self.rest[number][joint]


def scene(delays=(), delay=None, eager: bool = True, **changes) -> rig.Rig:
    """The robot with a PD that takes all three targets, delayed."""
    pd = be.IdealPd(stiffness=GAINS["position"], damping=GAINS["velocity"])
    actuator = be.Actuator(controller=pd, delay=delay, **changes)
    return rig.build(
        MotorActuatorCfg(target_names_expr=(".*",), actuator=actuator, delays=delays, eager=eager), envs=ENVS
    )


def run(built: rig.Rig, lags: dict, seed: int = 3, resets=((20, [1]), (33, [0, 2]), (34, [0]))) -> float:
    """Largest difference between the torques of mjlab's joints and those that follow from the buffers [N·m]."""
    draw = torch.Generator().manual_seed(seed)
    buffers, worst = {name: Buffer() for name in TARGETS}, 0.0
    for step in range(STEPS):
        for at, environments in resets:
            if at == step:
                built.reset(torch.tensor(environments))
                for buffer in buffers.values():
                    buffer.reset(environments)
        sent = {name: 0.3 * torch.randn(ENVS, 12, generator=draw) for name in TARGETS}
        built.robot.set_joint_position_target(sent["position"])
        built.robot.set_joint_velocity_target(sent["velocity"])
        built.robot.set_joint_effort_target(sent["effort"])
        position, velocity = built.robot.data.joint_pos.clone(), built.robot.data.joint_vel.clone()
        rest = {"position": position, "velocity": torch.zeros(ENVS, 12), "effort": torch.zeros(ENVS, 12)}
        got = {name: buffers[name].send(sent[name], rest[name], lags.get(name, 0)) for name in TARGETS}
        built.step()
        torque = GAINS["position"] * (got["position"] - position)
        torque += GAINS["velocity"] * (got["velocity"] - velocity) + got["effort"]
        worst = max(worst, float((built.forces() - torque).abs().max()))
    return worst


def late(name: str, **values) -> be.Delay:
    return be.Delay(targets=(name,), **values)


CASES = {
    "three lags": ((late("position", steps=3), late("velocity", steps=1), late("effort", steps=5)), None),
    "some delayed": ((late("velocity", steps=4),), None),
    "two together": ((be.Delay(steps=2, targets=("position", "effort")), late("velocity", steps=6)), None),
    "beside the actuator's own": ((late("effort", steps=2),), be.Delay(steps=5, targets=("position", "velocity"))),
    "only the actuator's own": ((), late("position", steps=3)),
    "one per joint": ((late("position", steps=np.arange(12), per="joint"), late("effort", steps=3)), None),
    "in seconds": ((late("position", seconds=0.005), late("velocity", seconds=0.002)), None),
}
LAGS = {
    "three lags": {"position": 3, "velocity": 1, "effort": 5},
    "some delayed": {"velocity": 4},
    "two together": {"position": 2, "effort": 2, "velocity": 6},
    "beside the actuator's own": {"position": 5, "velocity": 5, "effort": 2},
    "only the actuator's own": {"position": 3},
    "one per joint": {"position": np.arange(12), "effort": 3},
    "in seconds": {"position": 2.5, "velocity": 1},
}


@pytest.mark.parametrize("case", CASES)
def test_each_target_has_its_own_lag(case):
    """60 steps with resets of some environments: every torque is that of targets as old as their own lags."""
    delays, delay = CASES[case]
    assert run(scene(delays, delay), LAGS[case]) < 2e-5


def test_compiled_it_is_the_same():
    """All lines and the motor are one compiled function."""
    delays, delay = CASES["three lags"]
    assert run(scene(delays, delay, eager=False), LAGS["three lags"]) < 2e-5


def test_lags_that_are_drawn_are_drawn_apart():
    """Two ranges in one actuator: each lag is in its range, shared by the joints, and drawn anew at a reset."""
    built = scene((late("position", steps=(2, 9)), late("effort", steps=(2, 9))))
    actuator, seen = built.robot.actuators[0], []
    for _ in range(12):
        built.step()
        lags = torch.stack([state.lag for state in actuator._state[1:]])
        assert lags.shape == (2, ENVS, 1)
        assert (lags >= 2).all() and (lags <= 9).all()
        seen.append(lags.clone())
        built.reset(torch.tensor([0]))
    drawn = torch.stack(seen)[..., 0]
    # those of environments that are not reset stay
    assert (drawn[:, :, 1:] == drawn[0, :, 1:]).all()
    assert len(drawn[:, 0, 0].unique()) > 3
    assert (drawn[:, 0] != drawn[:, 1]).any()


def test_the_range_of_a_command_holds_where_it_is_sent():
    """A position is clipped and flagged when it is sent, and the joint is held where it is until it arrives."""
    built = scene((late("position", steps=3),), command_range=(-0.2, 0.2))
    actuator = built.robot.actuators[0]
    built.robot.write_joint_position_to_sim(torch.full((ENVS, 12), 0.5))
    built.robot.set_joint_position_target(torch.full((ENVS, 12), 0.9))
    for step in range(5):
        position, velocity = built.robot.data.joint_pos.clone(), built.robot.data.joint_vel.clone()
        built.step()
        assert (actuator.reading("limit") == be.physics.state.COMMAND).all()
        goal = 0.5 if step < 3 else 0.2
        expected = GAINS["position"] * (goal - position) - GAINS["velocity"] * velocity
        torch.testing.assert_close(built.forces(), expected, atol=1e-5, rtol=0.0)


def test_a_target_that_is_no_number_is_flagged_and_held():
    """NaN sent over a line: flagged in that step, in its joint alone, and never let through."""
    built = scene((late("position", steps=2), late("effort", steps=1)))
    position, effort = torch.zeros(ENVS, 12), torch.zeros(ENVS, 12)
    position[0, 3] = effort[2, 7] = float("nan")
    flags = []
    for step in range(4):
        built.robot.set_joint_position_target(position if step == 1 else 0.0 * position.nan_to_num())
        built.robot.set_joint_effort_target(effort if step == 1 else 0.0 * effort.nan_to_num())
        built.step()
        flags.append(built.robot.actuators[0].reading("limit").clone())
        assert torch.isfinite(built.forces()).all()
    assert not flags[0].any() and not flags[2].any() and not flags[3].any()
    assert flags[1].nonzero().tolist() == [[0, 3], [2, 7]]
    assert be.physics.state.limit_names(int(flags[1][0, 3])) == ["invalid command"]


@pytest.mark.parametrize(
    ("delays", "sentence"),
    [
        (be.Delay(steps=2), r"delays\[0\]: say which targets it delays, e.g. Delay\(steps=2, targets="),
        ((late("position", steps=1), late("position", steps=2)), r"delays\[1\] delays 'position', and so does .*\[0\]"),
        ((late("voltage", steps=1),), "delays 'voltage', but IdealPd takes position, velocity, effort"),
        ((3,), r"MotorActuatorCfg.delays = \(3,\): must be one or more backemf.Delay"),
        ({"position": 3}, "must be one or more backemf.Delay"),
    ],
)
def test_delays_that_do_not_fit_are_refused(delays, sentence):
    pd = be.IdealPd(stiffness=1.0)
    with pytest.raises(be.ParameterError, match=sentence):
        MotorActuatorCfg(target_names_expr=(".*",), actuator=be.Actuator(controller=pd), delays=delays)


def test_a_target_of_the_actuators_own_delay_is_refused():
    """One delay per target: that of the actuator counts, and a controller that takes no velocity has none to delay."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=1.0), delay=be.Delay(steps=2))
    with pytest.raises(be.ParameterError, match=r"delays\[0\] delays 'effort', and so does Actuator.delay"):
        MotorActuatorCfg(target_names_expr=(".*",), actuator=actuator, delays=late("effort", steps=1))
    deaf = dataclasses.replace(actuator, controller=be.IdealPd(stiffness=1.0, listens=("position",)), delay=None)
    with pytest.raises(be.ParameterError, match=r"delays 'velocity', but IdealPd takes position; leave it out"):
        MotorActuatorCfg(target_names_expr=(".*",), actuator=deaf, delays=late("velocity", steps=1))
