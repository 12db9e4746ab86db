"""Terms for mjlab's managers: they read the motors (true electrical power, current, temperature), or vary them.

    ObservationTermCfg(func=mdp.winding_temperature, params={"asset_cfg": SceneEntityCfg("robot", joint_names=(".*",))})
    RewardTermCfg(func=mdp.electrical_power_cost, weight=-1e-3, params={"asset_cfg": ...})

mjlab's own `electrical_power_cost` is mechanical power: holding a load costs nothing there, even if motors heat up.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Collection

from ...errors import ParameterError
from ...physics.state import LIMITS

# first, since it raises a clear error if mjlab is not installed
from .plugin import MotorActuator  # isort: split

import torch
from mjlab.managers import RewardTermCfg, SceneEntityCfg

from .types import Entity, Env, EnvIds

ROBOT = SceneEntityCfg("robot")


def telemetry(env: Env, name: str, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Any output of the motors by name, for the joints of `asset_cfg` (environment, joint)."""
    robot = env.scene[asset_cfg.name]
    joints = joints_of(robot, asset_cfg)
    found: dict[int, torch.Tensor] = {}
    for actuator in robot.actuators:
        # motors that are not asked need not have the output
        if isinstance(actuator, MotorActuator) and any(joint in joints for joint in actuator._target_ids_list):
            reading = actuator.reading(name)
            found |= {joint: reading[:, place] for place, joint in enumerate(actuator._target_ids_list)}
    require_motors(robot, joints, found, f'telemetry "{name}"')
    return torch.stack([found[joint] for joint in joints], dim=1)


def joints_of(robot: Entity, asset_cfg: SceneEntityCfg) -> list[int]:
    """Numbers of the joints that a term is about."""
    wanted = asset_cfg.joint_ids
    return list(range(robot.num_joints)[wanted]) if isinstance(wanted, slice) else [int(joint) for joint in wanted]


def require_motors(robot: Entity, joints: list[int], driven: Collection[int], asker: str) -> None:
    """Check that a `MotorActuatorCfg` drives each of the joints; raise ParameterError if not."""
    missing = [robot.joint_names[joint] for joint in joints if joint not in driven]
    if missing:
        raise ParameterError(
            f"{asker}: no MotorActuatorCfg drives {', '.join(missing)}; name the joints that it drives in asset_cfg"
        )


def electrical_power(env: Env, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Power into the terminals of each motor, negative where it generates (environment, joint) [W]."""
    return telemetry(env, "electrical_power", asset_cfg)


def current(env: Env, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Winding current of each motor (environment, joint) [A]."""
    return telemetry(env, "current", asset_cfg)


def winding_temperature(env: Env, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Winding temperature of each motor (environment, joint) [°C]."""
    return telemetry(env, "winding_temperature", asset_cfg)


def electrical_energy(env: Env, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Energy that each motor has taken since its environment was reset (environment, joint) [J]."""
    return telemetry(env, "electrical_energy", asset_cfg)


def limit_acts(env: Env, name: str, asset_cfg: SceneEntityCfg = ROBOT) -> torch.Tensor:
    """Whether a limit acts on each motor (environment, joint): "current", "voltage", "torque", "invalid command", ...

    The last one says where a target was not finite, and the joint was held in its place.
    """
    if name not in LIMITS:
        raise ParameterError(f'limit_acts "{name}": there are {", ".join(LIMITS)}')
    return (telemetry(env, "limit", asset_cfg).to(torch.int64) & LIMITS[name]) != 0


class electrical_power_cost:
    """Electrical power of all motors together, as a mean over the physics steps since the last call (environment,) [W].

    What motors generate counts against what others take, as on a common battery; `regeneration=False` counts nothing
    for a motor that gave more than it took.
    """

    def __init__(self, cfg: RewardTermCfg, env: Env):
        asset_cfg = cfg.params.get("asset_cfg", ROBOT)
        self._before = torch.zeros_like(electrical_energy(env, asset_cfg))

    def __call__(self, env: Env, asset_cfg: SceneEntityCfg = ROBOT, regeneration: bool = True) -> torch.Tensor:
        now = electrical_energy(env, asset_cfg)
        taken = now - self._before
        self._before = now.clone()
        return (taken if regeneration else taken.clamp(min=0.0)).sum(dim=1) / env.step_dt

    def reset(self, env_ids: EnvIds = None) -> None:
        """The meters of these environments start again at 0."""
        # a copy, since what was read in inference mode cannot be written outside it
        self._before = self._before.clone()
        self._before[slice(None) if env_ids is None else env_ids] = 0.0


# --- randomisation by joint


def pd_gains(
    env: Env,
    env_ids: torch.Tensor | None,
    kp_range: tuple[float, float],
    kd_range: tuple[float, float],
    asset_cfg: SceneEntityCfg = ROBOT,
    distribution: str = "uniform",
    operation: str = "scale",
) -> None:
    """Draw gains for the motors of some joints, as mjlab's `dr.pd_gains` does for whole configs.

    The joints are those of `asset_cfg.joint_names`; gains of the others stay. "scale" multiplies the controller's own
    gains by the draw, "abs" takes the draw, in the controller's units.
    """
    for actuator, places, environments in chosen_motors(env, env_ids, asset_cfg, "mdp.pd_gains"):
        values = {}
        for name, span in (("stiffness", kp_range), ("damping", kd_range)):
            values[name] = getattr(actuator, name)[environments].clone()
            default = getattr(actuator, f"default_{name}")[environments][:, places]
            values[name][:, places] = draw_values(default, span, distribution, operation)
        actuator.set_gains(environments, kp=values["stiffness"], kd=values["damping"])


def effort_limits(
    env: Env,
    env_ids: torch.Tensor | None,
    effort_limit_range: tuple[float, float],
    asset_cfg: SceneEntityCfg = ROBOT,
    distribution: str = "uniform",
    operation: str = "scale",
) -> None:
    """Draw effort limits for the motors of some joints, as mjlab's `dr.effort_limits` does for whole configs [N·m]."""
    for actuator, places, environments in chosen_motors(env, env_ids, asset_cfg, "mdp.effort_limits"):
        values = actuator.force_limit[environments].clone()
        default = actuator.default_force_limit[environments][:, places]
        values[:, places] = draw_values(default, effort_limit_range, distribution, operation)
        actuator.set_effort_limit(environments, values)


def chosen_motors(
    env: Env, env_ids: torch.Tensor | None, asset_cfg: SceneEntityCfg, asker: str
) -> list[tuple[MotorActuator, list[int], torch.Tensor]]:
    """Actuators that drive the joints of a term, the places of those joints in each, and the environments."""
    robot = env.scene[asset_cfg.name]
    joints = joints_of(robot, asset_cfg)
    ours = [each for each in robot.actuators if isinstance(each, MotorActuator)]
    require_motors(robot, joints, {joint for each in ours for joint in each._target_ids_list}, asker)
    environments = torch.arange(env.num_envs, device=env.device) if env_ids is None else env_ids.to(torch.long)
    places = [[place for place, joint in enumerate(each._target_ids_list) if joint in joints] for each in ours]
    return [(each, found, environments) for each, found in zip(ours, places, strict=True) if found]


def draw_values(default: torch.Tensor, span: tuple[float, float], distribution: str, operation: str) -> torch.Tensor:
    """Random values of the shape of the defaults, multiplied by them for "scale"."""
    if operation not in ("scale", "abs"):
        raise ParameterError(f'operation = {operation!r}: must be "scale" or "abs"')
    if distribution not in ("uniform", "log_uniform"):
        raise ParameterError(f'distribution = {distribution!r}: must be "uniform" or "log_uniform"')
    low, high = (torch.tensor(float(end), device=default.device) for end in span)
    share = torch.rand_like(default)
    sample = low * (high / low) ** share if distribution == "log_uniform" else low + (high - low) * share
    return default * sample if operation == "scale" else sample
