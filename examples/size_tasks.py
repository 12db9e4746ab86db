"""Which motors for an arm that lifts 2 kg, a quadruped's knee and a pan-tilt? From each task to a robot in MuJoCo.

The motors are those of the catalogue. What is found is saved as a robot, exported, and follows its motion in MuJoCo.
Draws size_tasks.svg, what the joints do there, and each task in the operating range of its motor, in out/ (or in the
folder named by BACKEMF_OUT).
"""

import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np

import backemf as be

TASKS = Path(__file__).parent / "tasks"


def follow(path: Path, found: be.Found) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Angle of each joint in MuJoCo, and where it should be, over one motion [°]."""
    mujoco: Any = importlib.import_module("mujoco")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    cells = {name: joint.cycle.cells for name, joint in found.joints.items()}
    places = {name: int(model.jnt_qposadr[model.joint(name).id]) for name in cells}
    for name, c in cells.items():
        data.qpos[places[name]] = c.position[0]
    steps = round(max(c.duration for c in cells.values()) / model.opt.timestep)
    angles = {name: np.zeros((2, steps)) for name in cells}
    for step in range(steps):
        for k, (name, c) in enumerate(cells.items()):
            wanted = [np.interp(data.time, c.time, x) for x in (c.position, c.velocity)]
            # each motor has three controls: position, velocity and torque
            data.ctrl[3 * k : 3 * k + 2] = wanted
            angles[name][:, step] = data.qpos[places[name]], wanted[0]
        mujoco.mj_step(model, data)
    return {name: (np.degrees(is_), np.degrees(wanted)) for name, (is_, wanted) in angles.items()}


def main() -> None:
    out = Path(os.environ.get("BACKEMF_OUT", "out"))
    out.mkdir(exist_ok=True)
    lines: dict[str, np.ndarray] = {}
    for task in ("arm", "knee", "pan_tilt"):
        found = be.size(TASKS / f"{task}.toml")
        print(f"{found.task.name}:")
        for name, joint in found.joints.items():
            figures = joint.best.figures
            print(
                f"  {name}: {len(joint)} of {joint.count} pairs can do it; {joint.best.name}, {figures['mass']:.2g} kg,"
            )
            print(f"    {figures['peak_current']:.3g} A at most, winding {figures['winding']:.0f} °C")
            print(f"    the nearest that cannot: {joint.rejected(1)[0].reason}")
            joint.plot(path=out / f"size_tasks-{name}.svg")
        found.robot().save(out / f"{task}_robot.toml")
        robot = be.read_robot(out / f"{task}_robot.toml")
        robot.export("mujoco@4.0", out / f"{task}_with_motors.xml")
        for name, (angle, wanted) in follow(out / f"{task}_with_motors.xml", found).items():
            print(f"  {name} in MuJoCo: at most {np.abs(angle - wanted).max():.2g}° off its motion")
            # each over its own time
            lines[name] = np.interp(np.linspace(0.0, 1.0, 500), np.linspace(0.0, 1.0, len(angle)), angle)
    share = 100.0 * np.linspace(0.0, 1.0, 500)
    be.plot.curves(
        share, lines, "share of the motion [%]", "angle in MuJoCo [°]", "Four joints through their tasks",
        path=out / "size_tasks.svg",
    )  # fmt: skip


if __name__ == "__main__":
    main()
