"""What makers call the figures of a datasheet, where that is not the name here.

A figure under a wrong name is worse than none: "rated torque" is spelt more like `stall_torque` than `nominal_torque`.
So a name that is not known is looked up first, and only then compared letter by letter; and what is suggested has the
unit of the value that was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from .table import LISTS, TABLES, Quantity, choices, quantities

WORDS = {
    "electrical": {
        "nominal_voltage": "rated_voltage operating_voltage supply_voltage working_voltage design_voltage voltage",
        "resistance": "terminal_resistance winding_resistance phase_resistance armature_resistance r",
        "inductance": "terminal_inductance winding_inductance phase_inductance armature_inductance rotor_inductance l",
        "kt": "torque_constant torque_sensitivity k_t",
        "ke": "back_emf_constant backemf_constant emf_constant voltage_constant generator_constant bemf k_e",
        "kv": "speed_constant velocity_constant kv_rating k_v",
        "no_load_current": "free_current idle_current noload_current i0",
        "nominal_current": "rated_current continuous_current max_continuous_current thermal_current",
        "stall_current": "starting_current locked_rotor_current",
        "pole_pairs": "pole_pair_number number_of_pole_pairs",
        "electrical_time_constant": "electric_time_constant",
    },
    "mechanical": {
        "no_load_speed": "free_speed idle_speed noload_speed no_load_rpm",
        "nominal_speed": "rated_speed",
        "nominal_torque": "rated_torque continuous_torque max_continuous_torque continuous_stall_torque rms_torque",
        "nominal_power": "rated_power output_power assigned_power power",
        "stall_torque": "starting_torque locked_rotor_torque max_torque maximum_torque",
        "max_speed": "maximum_speed top_speed permissible_speed speed_limit",
        "max_efficiency": "efficiency maximum_efficiency peak_efficiency",
        "speed_torque_gradient": "speed_regulation slope_of_the_speed_torque_curve",
        "inertia": "rotor_inertia moment_of_inertia armature_inertia rotor_moment_of_inertia",
        "mass": "weight",
    },
    "friction": {
        "coulomb": "friction_torque dry_friction",
        "viscous": "viscous_damping viscous_friction damping_constant",
    },
    "thermal": {
        "resistance": "thermal_resistance rth",
        "capacitance": "thermal_capacitance heat_capacity thermal_mass",
        "time_constant": "thermal_time_constant",
        "winding_resistance": "thermal_resistance_winding_housing rth1 rth_1",
        "housing_resistance": "thermal_resistance_housing_ambient rth2 rth_2",
        "winding_time_constant": "thermal_time_constant_winding",
        "housing_time_constant": "thermal_time_constant_motor thermal_time_constant_housing",
        "max_winding_temperature": "max_temperature maximum_winding_temperature temperature_limit",
        "ambient": "ambient_temperature",
    },
    "peak": {
        "torque": "peak_torque max_torque maximum_torque intermittent_torque instantaneous_torque acceleration_torque",
        "current": "peak_current max_current maximum_current intermittent_current burst_current",
        "duration": "peak_duration peak_time",
    },
    "gear": {
        "ratio": "gear_ratio reduction reduction_ratio gear_reduction transmission_ratio",
        "efficiency": "gear_efficiency",
        "torque": "continuous_output_torque rated_output_torque",
        "backlash": "gear_backlash play",
    },
}
"""Makers' words for each figure, by table."""
TYPING_ERROR = 0.7
"""How alike two names are of which one is a typing error of the other [1]."""


def unknown_figure(key: str, table: str, fits: Callable[[Quantity], bool]) -> str:
    """Why a table has no such figure, and which one was meant; `fits` says whether the value has a figure's unit."""
    kinds = TABLES | LISTS
    own = quantities(kinds[table])
    called = [(home, name) for home, names in WORDS.items() for name, words in names.items() if key in words.split()]
    # its own table first
    called.sort(key=lambda place: place[0] != table)
    elsewhere = [(home, key) for home, kind in kinds.items() if key in quantities(kind)]
    near = [(table, name) for name in get_close_matches(key, own, n=1, cutoff=TYPING_ERROR)]
    found = [(home, name) for home, name in (*called, *elsewhere) or near if fits(quantities(kinds[home])[name])]
    if found:
        meant = [f'"{name}"' if home == table else f'"{name}" under [{home}]' for home, name in dict.fromkeys(found)]
        return f"[{table}] has no such figure, did you mean {' or '.join(meant)}?"
    return unknown_name(key, (*own, *choices(kinds[table])), f"[{table}] has no such figure")


def unknown_name(key: str, known: Iterable[str], why: str) -> str:
    """Why a name is not known, and the one of which it is a typing error; else all that are known."""
    near = get_close_matches(key, list(known), n=1, cutoff=TYPING_ERROR)
    return f'{why}, did you mean "{near[0]}"?' if near else f"{why}; it has {', '.join(sorted(known))}"
