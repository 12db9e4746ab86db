"""Dry friction without memory: a budget of torque that may stop the rotor and hold it, and never drive it.

Over a step the rotor would reach the speed `free` without friction. Stopping it there takes J·free/dt; friction gives
that much if it can, and its whole budget against the motion if it cannot. So stiction is exact, the work
-f·w of the friction is never positive, and nothing chatters whatever the step.
"""

from ..motor import Coulomb
from ..parts import Laws
from ..values import Number
from .limits import clip
from .ops import where

BUDGETS = Laws()
"""Law of each friction without memory: `law(friction, speed, motor_torque, load_torque)`, its largest torque [N·m]."""
budget_of = BUDGETS.register
"""Makes a function the law of a friction without memory: `@budget_of(Coulomb)`."""


@budget_of(Coulomb)
def coulomb_budget(f: Coulomb, speed: Number, motor_torque: Number, load_torque: Number) -> Number:
    """The same at every speed and load."""
    return f.coulomb


def stopping_torque(free_speed: Number, inertia: Number, dt: Number) -> Number:
    """Torque that takes away all speed within the step [N·m]."""
    return inertia * free_speed / dt


def hold(stopping: Number, budget: Number) -> Number:
    """Friction torque, against the motion and within its budget [N·m]."""
    return clip(stopping, -budget, budget)


def against(torque: Number, speed: Number) -> Number:
    """Friction torque of a joint whose load is unknown: nothing rather than a push along its present motion [N·m].

    A motor that would turn its own rotor back within the step need not turn the joint back.
    """
    return where(torque * speed < 0.0, 0.0, torque)
