"""mjlab itself builds every kind of actuator that is written for it, and its joint has each quantity once."""

import sys
from pathlib import Path

import pytest
from test_files import compile_arm, run

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from contract import CASES, is_refused, make_case

from backemf.sims import mjlab


@pytest.mark.parametrize("kind", [kind for kind in mjlab.ABOUT.kinds if kind != "learned_mlp"])
def test_every_quantity_reaches_the_joint_once(kind):
    """Armature, dry friction, damping and the largest torque of the compiled model are those of the case."""
    seen = set()
    for case in CASES:
        if is_refused("mjlab", kind, *case) or case[1] in ("voltage", "modes"):
            continue
        thing, want = make_case(*case)
        text = mjlab.write(thing, "knee", kind).text
        if text in seen:
            continue
        seen.add(text)
        made_config = run(text)
        model = compile_arm(made_config)
        assert model.dof_armature[0] == pytest.approx(want.inertia)
        bristles = 0.08 if kind == "builtin_dc_motor" and case[0] == "bristles" else 0.0
        assert model.dof_frictionloss[0] + bristles == pytest.approx(want.dry)
        assert model.dof_damping[0] == pytest.approx(want.viscous)
        assert made_config.effort_limit == pytest.approx(want.torque)
    assert seen
