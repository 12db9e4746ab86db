"""Robots for the tests of Webots' controllers."""

from contextlib import contextmanager

from backemf.sims import webots
from backemf.sims.webots import controller

HIP = """
name = "leg"
basic_time_step = "32 ms"
[[joint]]
inertia = "0.02 kg*m^2"
damping = "0.05 N*m*s/rad"
motor = { name = "hip", max_torque = "5 N*m", max_velocity = "8 rad/s" %s }
sensor = { name = "hip sensor" }
brake = { name = "hip brake" }
"""
RAIL = """
name = "rail"
[[joint]]
kind = "slider"
inertia = "2 kg"
motor = { name = "slide", max_torque = "50 N", max_velocity = "1 m/s" }
sensor = { name = "slide sensor" }
"""
PAIR = """
name = "pair"
[[joint]]
inertia = "0.02 kg*m^2"
motor = { name = "wheel::left", multiplier = 2, max_velocity = "10 rad/s" %s }
[[joint]]
inertia = "0.02 kg*m^2"
motor = { name = "wheel::right", multiplier = -1, max_velocity = "5 rad/s" %s }
"""


def hip(more: str = "") -> webots.RobotDescription:
    return webots.robot_from_toml(HIP % (f", {more}" if more else ""))


@contextmanager
def begun(robot=None, **options):
    """A Robot of the module `controller` on a robot, and the simulation."""
    options = {"duration": 10.0, "hints": False} | options
    with webots.simulate(hip() if robot is None else robot, **options) as simulation:
        yield controller.Robot(), simulation


def lines(capsys) -> list[str]:
    """What was said on the error stream since the last time."""
    return capsys.readouterr().err.splitlines()
