"""Joints of Webots files for the tests of what they move."""

from backemf.sims import webots
from backemf.sims.webots import WorldJoint


def hinge(end_point: str, parameters: str = "axis 0 0 1", before: str = "", kind: str = "HingeJoint") -> WorldJoint:
    """The first joint of a text with a motor on an end point."""
    motor = 'device RotationalMotor { name "m" }' if kind != "SliderJoint" else 'device LinearMotor { name "m" }'
    held = f"jointParameters {kind.replace('Slider', '')}Parameters {{ {parameters} }}" if parameters else ""
    return webots.read_world(f"{before}\n{kind} {{ {held} {motor} endPoint {end_point} }}").joints[0]


def solid(shape: str, physics: str = "", more: str = "") -> str:
    return f"Solid {{ {more} boundingObject {shape} physics Physics {{ {physics} }} }}"


BAR = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { mass 1 }"
"""A cube of 1 kg."""
OWN = 0.02 / 12
"""Its inertia about its middle [kg·m²]."""
MATRIX = "mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.1 0.2 0.3, 0 0 0 ]"
"""A body of 2 kg with three different moments of inertia [kg·m²]."""
