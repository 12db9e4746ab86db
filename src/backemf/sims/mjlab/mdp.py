"""Terms for mjlab's managers that read the motors: true electrical power, current, temperature.

    ObservationTermCfg(func=mdp.winding_temperature, params={"asset_cfg": SceneEntityCfg("robot", joint_names=(".*",))})
    RewardTermCfg(func=mdp.electrical_power_cost, weight=-1e-3, params={"asset_cfg": ...})

mjlab's own `electrical_power_cost` is mechanical power: it costs nothing to hold a load, whatever the motors heat.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

from ...errors import ParameterError

# first, since it says in one sentence what is missing where mjlab is not installed
from .plugin import MotorActuator  # isort: split

import torch
from mjlab.managers import SceneEntityCfg

ROBOT = SceneEntityCfg("robot")


def telemetry(env: Any, name: str, asset_cfg: Any = ROBOT) -> torch.Tensor:
    """Any output of the motors by name, for the joints of `asset_cfg` (environment, joint)."""
    robot = env.scene[asset_cfg.name]
    found: dict[int, torch.Tensor] = {}
    for actuator in robot.actuators:
        if isinstance(actuator, MotorActuator):
            reading = actuator.reading(name)
            found |= {joint: reading[:, place] for place, joint in enumerate(actuator._target_ids_list)}
    joints = (
        range(robot.num_joints)[asset_cfg.joint_ids] if isinstance(asset_cfg.joint_ids, slice) else asset_cfg.joint_ids
    )
    missing = [robot.joint_names[joint] for joint in joints if joint not in found]
    if missing:
        raise ParameterError(
            f'telemetry "{name}": no MotorActuatorCfg drives {", ".join(missing)}; name the joints that it drives in '
            "asset_cfg"
        )
    return torch.stack([found[joint] for joint in joints], dim=1)


def electrical_power(env: Any, asset_cfg: Any = ROBOT) -> torch.Tensor:
    """Power into the terminals of each motor, negative where it generates (environment, joint) [W]."""
    return telemetry(env, "electrical_power", asset_cfg)


def current(env: Any, asset_cfg: Any = ROBOT) -> torch.Tensor:
    """Winding current of each motor (environment, joint) [A]."""
    return telemetry(env, "current", asset_cfg)


def winding_temperature(env: Any, asset_cfg: Any = ROBOT) -> torch.Tensor:
    """Winding temperature of each motor (environment, joint) [°C]."""
    return telemetry(env, "winding_temperature", asset_cfg)


def electrical_energy(env: Any, asset_cfg: Any = ROBOT) -> torch.Tensor:
    """Energy that each motor has taken since its environment was reset (environment, joint) [J]."""
    return telemetry(env, "electrical_energy", asset_cfg)


class electrical_power_cost:
    """Electrical power of all motors together, as a mean over the physics steps since the last call (environment,) [W].

    What motors generate counts against what others take, as on a common battery; `regeneration=False` counts nothing
    for a motor that gave more than it took.
    """

    def __init__(self, cfg: Any, env: Any):
        asset_cfg = cfg.params.get("asset_cfg", ROBOT)
        self._before = torch.zeros_like(electrical_energy(env, asset_cfg))

    def __call__(self, env: Any, asset_cfg: Any = ROBOT, regeneration: bool = True) -> torch.Tensor:
        now = electrical_energy(env, asset_cfg)
        taken = now - self._before
        self._before = now.clone()
        return (taken if regeneration else taken.clamp(min=0.0)).sum(dim=1) / env.step_dt

    def reset(self, env_ids: Any = None) -> None:
        """The meters of these environments start again at 0."""
        # a copy, since what was read in inference mode cannot be written outside it
        self._before = self._before.clone()
        self._before[slice(None) if env_ids is None else env_ids] = 0.0
