"""Heat: one lump (the winding) or two (winding and housing), stepped exactly while the losses are held over the step.

States are rises above ambient [K].
"""

from ..motor import Thermal, TwoNodeThermal
from ..values import Number
from .ops import expm1, sqrt


def one_node(rise: Number, power: Number, dt: Number, t: Thermal) -> Number:
    """Rise of the winding after a step: C·dT/dt = P - T/Rth [K]."""
    gained = -expm1(-dt / (t.resistance * t.capacitance))
    return rise * (1.0 - gained) + t.resistance * power * gained


def two_nodes(
    winding: Number, housing: Number, winding_power: Number, housing_power: Number, dt: Number, t: TwoNodeThermal
) -> tuple[Number, Number]:
    """Rises of winding and housing after a step [K].

    C1·dT1/dt = P1 - (T1 - T2)/R1 and C2·dT2/dt = P2 + (T1 - T2)/R1 - T2/R2. The matrix A of this pair has two real
    negative eigenvalues, mean ± spread. With r the rates now, the step is dt·(p + q·(A - mean))·r, where p and q are
    the mean and the divided difference of (exp(λ·dt) - 1)/(λ·dt) over the two eigenvalues.
    """
    a11 = -1.0 / (t.winding_resistance * t.winding_capacitance)
    a21 = 1.0 / (t.winding_resistance * t.housing_capacitance)
    a22 = -a21 - 1.0 / (t.housing_resistance * t.housing_capacitance)
    # the eigenvalues; the slow one from the determinant, since mean + spread would cancel
    mean = 0.5 * (a11 + a22)
    spread = sqrt(0.25 * (a11 - a22) * (a11 - a22) - a11 * a21)
    fast = mean - spread
    slow = a11 * (a22 + a21) / fast
    slow_share = expm1(slow * dt) / (slow * dt)
    fast_share = expm1(fast * dt) / (fast * dt)
    p = 0.5 * (slow_share + fast_share)
    q = (slow_share - fast_share) / (2.0 * spread)
    # the rates now, and how they fade over the step
    flow = (winding - housing) / t.winding_resistance
    r1 = (winding_power - flow) / t.winding_capacitance
    r2 = (housing_power + flow - housing / t.housing_resistance) / t.housing_capacitance
    winding_next = winding + dt * (p * r1 + q * ((a11 - mean) * r1 - a11 * r2))
    housing_next = housing + dt * (p * r2 + q * (a21 * r1 + (a22 - mean) * r2))
    return winding_next, housing_next
