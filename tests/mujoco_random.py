"""Random models for MuJoCo: trees of joints with every kind of constraint, and motors on some of their hinges."""

from __future__ import annotations

import numpy as np
from mujoco_rig import mujoco

SHAPES = {"sphere": ".05", "capsule": ".03 .08", "box": ".05 .04 .06"}
RANGES = {"hinge": "-20 25", "slide": "-.1 .1", "ball": "0 30"}
FLAGS = ("warmstart", "refsafe", "island", "frictionloss", "limit", "filterparent", "equality")


class Drawn:
    """A model drawn at random, and the hinges that are to have motors."""

    def __init__(self, seed: int, tolerance: float = 1e-12):
        self._rng, self._bodies, self._sliding, self._hinges = np.random.default_rng(seed), 0, [], []
        pick = self._rng.choice
        trees = "".join(self._tree(0) for _ in range(self._rng.integers(1, 4)))
        # at least one hinge
        trees += '<body name="b" pos=".5 .5 .2"><joint name="j" axis="1 1 0"/><geom size=".05" mass=".3"/></body>'
        self.motors = ["j", *(name for name in self._hinges if self._chance(0.7))]
        hands = "".join(f'<motor joint="{name}" gear="2"/>' for name in self.motors if self._chance(0.7))
        tendons, equalities = self._couplings()
        flags = " ".join(f'{flag}="disable"' for flag in FLAGS if self._chance(0.1))
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{pick([0.001, 0.002, 0.005])}" cone="{pick(["pyramidal", "elliptic"])}" '
            f'integrator="{pick(["Euler", "implicit", "implicitfast"])}" impratio="{pick([1, 10])}" '
            f'tolerance="{tolerance}"><flag {flags}/></option><worldbody>'
            f'<geom type="plane" size="0 0 1" pos="0 0 -.1" condim="{pick([1, 3, 4, 6])}"/>{trees}</worldbody>'
            f"<tendon>{tendons}</tendon><equality>{equalities}</equality><actuator>{hands}</actuator></mujoco>"
        )

    def _chance(self, chance: float) -> bool:
        return bool(self._rng.random() < chance)

    def _tree(self, depth: int) -> str:
        """A body with its joint and all bodies on it."""
        rng, number = self._rng, self._bodies
        self._bodies += 1
        kind, shape = str(rng.choice(["hinge", "hinge", "slide", "ball"])), str(rng.choice(list(SHAPES)))
        if depth == 0 and self._chance(0.4):
            joint = "<freejoint/>"
        else:
            axis = "" if kind == "ball" else 'axis="{:.3f} {:.3f} {:.3f}"'.format(*rng.normal(size=3))
            limit = f'limited="true" range="{RANGES[kind]}"' if self._chance(0.5) else ""
            joint = (
                f'<joint name="j{number}" type="{kind}" {axis} {limit} damping="{rng.choice([0, 0.05])}" '
                f'frictionloss="{self._chance(0.3) * rng.uniform(0.01, 0.5):.3f}" armature=".005"/>'
            )
            self._sliding += [f"j{number}"] if kind != "ball" else []
            self._hinges += [f"j{number}"] if kind == "hinge" else []
        place = "{:.3f} {:.3f} {:.3f}".format(*rng.uniform((-0.3, -0.3, -0.05), (0.3, 0.3, 0.25)))
        geom = (
            f'<geom type="{shape}" size="{SHAPES[shape]}" mass="{rng.uniform(0.1, 1.0):.3f}" '
            f'condim="{rng.choice([1, 3, 4, 6])}" friction="{rng.uniform(0.1, 1.2):.2f} .01 .001" '
            f'solref="{rng.choice(["0.02 1", "0.005 1", "-500 -20"])}" margin="{rng.choice([0, 0, 0.02])}"/>'
        )
        below = "".join(self._tree(depth + 1) for _ in range(rng.integers(0, 3)) if depth < 3 and self._bodies < 10)
        return f'<body name="b{number}" pos="{place}">{joint}{geom}<site name="s{number}"/>{below}</body>'

    def _couplings(self) -> tuple[str, str]:
        """Tendons with limits and friction, and equalities of each kind."""
        rng, tendons, equalities = self._rng, "", ""
        if len(self._sliding) > 1:
            a, b = rng.choice(self._sliding, 2, replace=False)
            if self._chance(0.4):
                equalities += f'<joint joint1="{a}" joint2="{b}" polycoef="0 .5 0 0 0"/>'
            if self._chance(0.4):
                tendons += (
                    f'<fixed name="fixed" limited="true" range="-.2 .2" frictionloss="{rng.choice([0, 0.2])}">'
                    f'<joint joint="{a}" coef="1"/><joint joint="{b}" coef="-.7"/></fixed>'
                )
        if self._bodies > 1:
            a, b = rng.choice(self._bodies, 2, replace=False)
            if self._chance(0.4):
                kind = rng.choice(["connect", "weld"])
                equalities += f'<{kind} body1="b{a}" body2="b{b}" anchor="0 0 0"/>'
            if self._chance(0.3):
                tendons += (
                    f'<spatial name="spatial" limited="true" range="0 .35"><site site="s{a}"/><site site="s{b}"/>'
                    "</spatial>"
                )
                equalities += '<tendon tendon1="spatial"/>' if self._chance(0.5) else ""
        return tendons, equalities
