"""Actuators are read from models of MuJoCo 3.11 as from those of 4.0: the law is that of the real program."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from mujoco_reading_rig import VERSION
from test_mujoco_read import (  # noqa: F401  the same facts, in this version
    test_a_compiled_model_is_read_like_its_text,
    test_a_damping_ratio_needs_the_inertia,
    test_damping_of_a_joint_that_comes_from_its_inertia_is_unknown_without_it,
    test_each_kind_listens_to_its_own_target,
    test_errors_name_the_joints,
    test_math_of_a_geared_servo,
    test_mesh_and_texture_files_may_be_missing,
    test_numbers_are_plain,
    test_our_actuator_is_the_law_or_says_what_is_lost,
    test_the_law_that_is_read_is_mujocos,
    test_through_a_motor_file_and_back_into_mujoco,
    test_what_a_joint_does_by_itself_is_a_row,
    test_what_is_not_read_is_named_and_loses_nothing_else,
    test_what_is_wrong_beside_a_missing_file_is_said,
)
from test_mujoco_read_motor import (  # noqa: F401
    test_every_attribute_has_its_effect_or_a_row,
    test_motors_of_the_other_generation_lose_nothing_else,
    test_the_joint_survives_a_motor_file,
    test_the_law_of_a_motor_on_a_joint_is_mujocos,
)

pytestmark = pytest.mark.skipif(
    VERSION != "3.11", reason="compares with MuJoCo 3.11, the last with controllers in volts"
)
