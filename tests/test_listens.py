"""A controller takes the targets that it listens to, and no others."""

import numpy as np
import pytest

from backemf import Actuator, Command, IdealPd, TorquePid
from backemf.errors import ParameterError
from backemf.motorfile import dumps, loads

TARGETS = ("position", "velocity", "effort")


@pytest.mark.parametrize("engine", ["numpy", "python", "jax", "native"])
@pytest.mark.parametrize("kind", [IdealPd, TorquePid])
def test_a_position_servo_takes_no_velocity(kind, engine):
    """stiffness·(p - q) - damping·q', whatever else is commanded: the rest is refused, not ignored."""
    gains = {"stiffness": 30.0, "damping": 2.0} if kind is IdealPd else {"kp": 30.0, "kd": 2.0}
    step = Actuator(controller=kind(**gains, listens=("position",))).compile(engine)
    _, out = step(step.initial(()), Command(position=0.5), 0.1, 3.0, 1e-3)
    assert float(out.torque) == pytest.approx(30.0 * 0.4 - 2.0 * 3.0)
    for other in ("velocity", "effort"):
        with pytest.raises(ParameterError, match=f"Command.{other}: {kind.__name__} does not take it"):
            step(step.initial(()), Command(position=0.5, **{other: 1.0}), 0.1, 3.0, 1e-3)


def test_the_order_does_not_matter_and_all_is_the_default():
    assert IdealPd(stiffness=1.0, listens=("velocity", "position")).inputs == ("position", "velocity")
    assert IdealPd(stiffness=1.0, listens=TARGETS) == IdealPd(stiffness=1.0)
    assert TorquePid(kd=1.0, follows="velocity", listens=("velocity",)).inputs == ("velocity",)


@pytest.mark.parametrize("wrong", ["position", ("angle",), ("velocity",), ("position", "position"), ()])
def test_what_it_listens_to_is_checked(wrong):
    with pytest.raises(ParameterError, match=r"IdealPd\.listens"):
        IdealPd(stiffness=1.0, listens=wrong)


def test_a_motor_file_holds_it():
    actuator = Actuator(controller=TorquePid(kd=3.0, follows="velocity", listens=("velocity",)))
    assert loads(dumps(actuator)) == actuator


def test_a_motor_file_has_plain_numbers_alone():
    """NumPy's numbers print as np.float64(30.0), which no TOML reader takes."""
    pd = IdealPd(stiffness=np.float64(30.0), damping=np.float32(0.5))
    actuator = Actuator(controller=pd, command_range=(np.float64(-1.5), np.int64(2)), slew=np.array([4.0]))
    text = dumps(actuator)
    assert "np." not in text
    assert loads(text) == Actuator(controller=IdealPd(stiffness=30.0, damping=0.5), command_range=(-1.5, 2), slew=4.0)
