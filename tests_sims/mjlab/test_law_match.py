"""The PD law and the DC-motor clip against mjlab's own functions, bit for bit."""

import numpy as np
import pytest
import torch
from laws import law
from mjlab.actuator import DcMotorActuator, IdealPdActuator
from mjlab.actuator.actuator import ActuatorCmd
from mjlab.actuator.dc_actuator import dc_motor_clip

from backemf.sims.mjlab import DcMotor, IdealPd
from backemf.sims.mjlab import law as numpy_law

ROWS = 200_000


def uniform(low: float, high: float, draw: torch.Generator, rows: int = ROWS) -> torch.Tensor:
    return low + (high - low) * torch.rand(rows, generator=draw)


def motors(draw: torch.Generator, rows: int = ROWS) -> dict[str, torch.Tensor]:
    """Limits from tiny to large, with the effort limit below, at and above the saturation effort."""
    saturation = 10.0 ** uniform(-6.0, 3.0, draw, rows)
    share = 10.0 ** uniform(-4.0, 1.0, draw, rows)
    share[: rows // 4] = 1.0
    return {
        "saturation_effort": saturation,
        "velocity_limit": 10.0 ** uniform(-3.0, 3.0, draw, rows),
        "effort_limit": saturation * share,
    }


def speeds(motor: dict[str, torch.Tensor], draw: torch.Generator) -> torch.Tensor:
    """Random speeds up to five times the no-load speed; then rest, the no-load speed and the corner, on either side."""
    limit = motor["velocity_limit"]
    corner = limit * (1 + motor["effort_limit"] / motor["saturation_effort"])
    speed = limit * uniform(-5.0, 5.0, draw)
    edges = (0.0 * limit, limit, -limit, corner, -corner, torch.nextafter(corner, 2 * corner), 100.0 * corner)
    for index, edge in enumerate(edges):
        speed[index :: 2 * len(edges)] = edge[index :: 2 * len(edges)]
    return speed


def efforts(motor: dict[str, torch.Tensor], draw: torch.Generator) -> torch.Tensor:
    """Efforts up to four times the limit; some exactly at it, some zero."""
    effort = motor["effort_limit"] * uniform(-4.0, 4.0, draw)
    for index, share in enumerate((1.0, -1.0, 0.0)):
        effort[index::11] = share * motor["effort_limit"][index::11]
    return effort


def test_dc_clip_is_theirs_on_every_row():
    """The clip of 200,000 random motors, a third of them at an edge, is the same to the last bit."""
    draw = torch.Generator().manual_seed(1)
    motor = motors(draw)
    speed, effort = speeds(motor, draw), efforts(motor, draw)
    theirs = dc_motor_clip(effort, motor["saturation_effort"], motor["velocity_limit"], motor["effort_limit"], speed)
    nothing = torch.zeros(())
    ours = law.dc_motor_torque(
        DcMotor(stiffness=nothing, damping=nothing, **motor), nothing, nothing, effort, nothing, speed
    )
    assert torch.equal(ours, theirs)
    # the rows reach every part of the clip: passed through, the flat top, the slope, and braking beyond no-load
    clipped = theirs != effort
    flat = theirs.abs() == motor["effort_limit"]
    assert (~clipped).sum() > ROWS / 20 and (clipped & flat).sum() > ROWS / 20 and (clipped & ~flat).sum() > ROWS / 20
    assert (theirs * speed < 0).sum() > ROWS / 20


def test_dc_clip_in_numpy_is_theirs_on_every_row():
    """The same rows in NumPy's float32, to the last bit."""
    draw = torch.Generator().manual_seed(2)
    motor = motors(draw)
    speed, effort = speeds(motor, draw), efforts(motor, draw)
    theirs = dc_motor_clip(effort, motor["saturation_effort"], motor["velocity_limit"], motor["effort_limit"], speed)
    arrays = {name: value.numpy() for name, value in motor.items()}
    nothing = np.float32(0.0)
    ours = numpy_law.dc_motor_torque(
        DcMotor(stiffness=0.0, damping=0.0, **arrays), nothing, nothing, effort.numpy(), nothing, speed.numpy()
    )
    assert ours.dtype == np.float32
    np.testing.assert_array_equal(ours, theirs.numpy())


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e6])
def test_pd_and_dc_control_laws_are_theirs(scale):
    """Gains, targets and limits of any size give the same control from `IdealPdActuator` and `DcMotorActuator`."""
    draw = torch.Generator().manual_seed(3)
    rows = 50_000
    motor = {name: value * (scale if name != "velocity_limit" else 1.0) for name, value in motors(draw, rows).items()}
    gains = {"stiffness": scale * uniform(0.0, 200.0, draw, rows), "damping": scale * uniform(0.0, 20.0, draw, rows)}
    fields = [uniform(-3.0, 3.0, draw, rows) for _ in range(2)] + [scale * uniform(-50.0, 50.0, draw, rows)]
    fields += [uniform(-3.0, 3.0, draw, rows), motor["velocity_limit"] * uniform(-3.0, 3.0, draw, rows)]
    theirs = {
        **gains,
        "force_limit": motor["effort_limit"],
        "saturation_effort": motor["saturation_effort"],
        "velocity_limit_motor": motor["velocity_limit"],
    }
    command = ActuatorCmd(*fields)
    pd = IdealPd(**gains, effort_limit=motor["effort_limit"])
    dc = DcMotor(**gains, **motor)
    assert torch.equal(law.ideal_pd_torque(pd, *fields), IdealPdActuator.control_law(theirs, command))
    assert torch.equal(law.dc_motor_torque(dc, *fields), DcMotorActuator.control_law(theirs, command))


def test_no_effort_limit_is_their_infinite_one():
    """`effort_limit=None` is mjlab's default of inf."""
    draw = torch.Generator().manual_seed(4)
    fields = [uniform(-1e6, 1e6, draw, 1000) for _ in range(5)]
    theirs = {"stiffness": 5.0, "damping": 0.5, "force_limit": torch.tensor(float("inf"))}
    ours = law.ideal_pd_torque(IdealPd(stiffness=5.0, damping=0.5), *fields)
    assert torch.equal(ours, IdealPdActuator.control_law(theirs, ActuatorCmd(*fields)))
